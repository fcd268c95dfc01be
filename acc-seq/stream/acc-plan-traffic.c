/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "acc-plan-traffic-private.h"

#include "acc-core/array/acc-array-private.h"
#include "acc-core/base/acc-machine-private.h"
#include "acc-core/derived/acc-array-scan-private.h"
#include "acc-memory-source-private.h"
#include "acc-plan-private.h"
#include "acc-store-private.h"
#include "acc-seq/stream/windows/acc-window-source-private.h"

#include <stdlib.h>

#define USUAL_RATE (G_GUINT64_CONSTANT (1) << 30)

guint64
acc_plan_traffic_count_most (AccArray *array)
{
  AccOperationFamily family = acc_operation_get_family (array->op);
  guint64 most = 0;

  if (array->shape != NULL)
    return (guint64) acc_shape_get_size (array->shape);
  if (acc_array_is_filter (array))
    return acc_plan_traffic_count_most (array->inputs[0]);
  if (family != ACC_FAMILY_ELEMENTS && family != ACC_FAMILY_ZIP && array->op != ACC_OP_UNZIP)
    return G_MAXUINT64;

  for (guint i = 0; i < array->n_inputs; i++)
    most = MAX (most, acc_plan_traffic_count_most (array->inputs[i]));

  return most;
}

guint64
acc_plan_traffic_measure (AccPlanTraffic *self, AccArray *array)
{
  if (array->shape != NULL)
    return acc_external_get_bytes (array);
  self->at_most = TRUE;

  return acc_bytes_multiply (acc_plan_traffic_count_most (array), acc_element_type_get_size (array->type));
}

static guint64
measure_source (AccArray *array)
{
  AccSource *source = acc_array_get_source (array);
  AccArray *rows = acc_memory_source_get_array (source);

  if (rows != NULL && !acc_store_holds (rows))
    return 0;

  return ACC_IS_WINDOW_SOURCE (source) ? acc_window_source_measure_read (ACC_WINDOW_SOURCE (source)) : acc_external_get_bytes (array);
}

void
acc_plan_traffic_add_walk (guint64 *bytes, AccArray **arrays, guint n_arrays, GHashTable *stored)
{
  g_autoptr(GPtrArray) stack = g_ptr_array_new ();
  g_autoptr(GHashTable) seen = g_hash_table_new (NULL, NULL);
  AccArray *dependence;
  guint64 held;

  for (guint i = 0; i < n_arrays; i++)
    if (g_hash_table_add (seen, arrays[i]))
      g_ptr_array_add (stack, arrays[i]);

  while (stack->len > 0)
    {
      AccArray *top = g_ptr_array_steal_index (stack, stack->len - 1);

      if (top->op == ACC_OP_SOURCE && !acc_external_is_pretended (top, &held))
        *bytes = acc_bytes_add (*bytes, measure_source (top));
      for (guint i = 0; (dependence = acc_array_nth_dependence (top, i)) != NULL; i++)
        if (!g_hash_table_contains (stored, dependence) && g_hash_table_add (seen, dependence))
          g_ptr_array_add (stack, dependence);
    }
}

void
acc_plan_traffic_add_files (AccPlanTraffic *self, AccBackend *backend, AccArray *array, const AccExternal *external)
{
  guint64 bytes = acc_plan_traffic_measure (self, array);
  guint n_written = 1, n_read = 1;

  if (external != NULL)
    {
      acc_external_count_passes (external, backend, array, &n_written, &n_read);
      self->seconds += (double) bytes / (double) MAX (acc_element_type_get_size (array->type), 1) * external->nanoseconds * 1e-9;
    }
  self->written = acc_bytes_add (self->written, acc_bytes_multiply (bytes, n_written));
  self->read = acc_bytes_add (self->read, acc_bytes_multiply (bytes, n_read));
}

/* What runs with other rights than its user trusts no variables. */
guint64
acc_plan_traffic_get_rate (void)
{
  const char *text = secure_getenv ("ACC_DISK_RATE");
  guint64 rate;

  return text != NULL && *text != '\0' && acc_machine_parse_size (text, &rate, NULL) && rate > 0 ? rate : USUAL_RATE;
}
