/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "acc-xla-export.h"

#include "acc-error.h"
#include "acc-saved-model.h"
#include "acc-backends/codegen/stablehlo/acc-hlo-open.h"
#include "acc-backends/runtime/graph/acc-graph-control.h"

#include <string.h>

/* One module is a program without control flow of arrays, whose extents are known. */
static gboolean
check_control (AccArray **parameters,
               guint      n_parameters,
               AccArray **results,
               guint      n_results,
               GError   **error)
{
  g_autoptr(GHashTable) boundary = g_hash_table_new (NULL, NULL);
  g_autoptr(AccControlPoints) points = NULL;

  for (guint i = 0; i < n_parameters; i++)
    g_hash_table_add (boundary, parameters[i]);
  points = acc_control_points_new (results, n_results, boundary, NULL);
  for (guint i = 0; i < points->all->len; i++)
    {
      const AccControlPoint *point = g_ptr_array_index (points->all, i);
      gboolean is_flow = acc_operation_get_family (point->node->op) == ACC_FAMILY_FLOW;
      g_autofree char *what = NULL;

      if (!is_flow && point->extents == NULL)
        continue;
      what = acc_array_describe (point->node);
      g_set_error (error, ACC_ERROR, ACC_ERROR_UNSUPPORTED, "%s: cannot be exported: %s", what,
                   is_flow ? "what is computed is decided when it runs" : "its extents follow from data");
      return FALSE;
    }

  return TRUE;
}

static AccHloModule *
write_module (AccProgram *program,
              gboolean    fast_math,
              GError    **error)
{
  AccHloOptions options = { .fast_math = fast_math, .keeps_order = TRUE, .is_export = TRUE };
  AccTarget target = acc_target_cpu;
  g_autoptr(AccFusionGraph) graph = NULL;
  guint n_results;
  AccArray **results = acc_program_get_result_nodes (program, &n_results);

  options.parameters = acc_program_get_parameter_nodes (program, &options.n_parameters);
  if (!check_control (options.parameters, options.n_parameters, results, n_results, error))
    return NULL;

  target.by_rows = TRUE;
  target.fast_math = fast_math;
  graph = acc_fusion_graph_new (&target, NULL, results, n_results, options.parameters, options.parameters, options.n_parameters, error);

  return graph != NULL ? acc_hlo_module_new (graph, results, n_results, &options, error) : NULL;
}

/* The outermost extent of what is open in a program, as an argument of it has it. */
static gint64
find_length (AccProgram *program,
             AccProgram *other,
             gint64     *other_length)
{
  guint n;
  AccArray **parameters = acc_program_get_parameter_nodes (program, &n), **others = acc_program_get_parameter_nodes (other, &n);

  for (guint i = 0; i < n; i++)
    if (parameters[i]->rank > 0 && acc_shape_get_extent (parameters[i]->shape, 0) != acc_shape_get_extent (others[i]->shape, 0))
      {
        *other_length = acc_shape_get_extent (others[i]->shape, 0);
        return acc_shape_get_extent (parameters[i]->shape, 0);
      }

  *other_length = 0;
  g_return_val_if_reached (0);
}

GBytes *
acc_xla_export (AccProgram     *program,
                AccProgram     *other,
                AccExportForm   form,
                gboolean        fast_math,
                GError        **error)
{
  g_autoptr(AccHloModule) module = write_module (program, fast_math, error);

  if (module == NULL)
    return NULL;
  if (other != NULL)
    {
      g_autoptr(AccHloModule) second = write_module (other, fast_math, error);
      gint64 other_length, length = find_length (program, other, &other_length);

      if (second == NULL || !acc_hlo_module_open (module, second, length, other_length, error))
        return NULL;
    }
  if (form == ACC_EXPORT_AS_SAVED_MODEL)
    return acc_saved_model_write (module);

  return g_bytes_new (module->text, strlen (module->text));
}
