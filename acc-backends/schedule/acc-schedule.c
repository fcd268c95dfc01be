/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "acc-schedule.h"

#include "acc-error.h"

#include <string.h>

static void
launch_clear (AccLaunch *launch)
{
  acc_kernel_unref (launch->kernel);
  g_free (launch->slots);
}

static void
step_clear (AccScheduleStep *step)
{
  g_free (step->name);
  g_free (step->reads);
  g_free (step->writes);
  for (guint i = 0; i < step->n_launches; i++)
    launch_clear (&step->launches[i]);
  g_free (step->launches);
  g_free (step->scratch);
  g_free (step->row_reads);
  g_free (step->row_error);
}

void
acc_schedule_free (AccSchedule *self)
{
  for (guint i = 0; i < self->n_steps; i++)
    step_clear (&self->steps[i]);
  g_free (self->steps);
  for (guint i = 0; i < self->n_values; i++)
    g_free (self->values[i].extents);
  g_free (self->values);
  for (guint i = 0; i < self->n_results; i++)
    acc_shape_unref (self->result_shapes[i]);
  g_free (self->result_shapes);
  g_free (self->results);
  if (self->module != NULL)
    self->free_module (self->module);
  g_ptr_array_unref (self->origins);
  g_ptr_array_unref (self->nodes);
  g_array_unref (self->data_extents);
  g_hash_table_unref (self->asked_extents);
  g_free (self);
}

/* --- other data */

typedef struct {
  AccSchedule *schedule;
  AccArray   **bound, **values;
  guint        n;
} Bound;

static AccArray *
find_value (AccArray *array,
            gpointer  user_data)
{
  const Bound *self = user_data;

  for (guint i = 0; i < self->n; i++)
    if (self->bound[i] == array)
      return self->values[i];

  return array->op == ACC_OP_USE ? array : NULL;
}

/* Extents of nodes that are not bound have not changed: they follow from the extents of bound nodes, and from data that was compared
 * before. */
static const gint64 *
get_value_extents (AccArray *array,
                   gpointer  user_data,
                   GError  **error)
{
  const Bound *self = user_data;
  AccArray *value = find_value (array, user_data);
  const gint64 *extents = value != NULL ? acc_shape_get_extents (value->shape, NULL)
                                        : g_hash_table_lookup (self->schedule->asked_extents, array);

  if (extents == NULL)
    g_set_error (error, ACC_ERROR, ACC_ERROR_SHAPE, "The extents of a part of the program are not known before it is planned");

  return extents;
}

gint64 *
acc_schedule_read_data (AccSchedule *self,
                        AccArray   **bound,
                        AccArray   **values,
                        guint        n_bound,
                        guint       *n_read)
{
  Bound known = { self, bound, values, n_bound };
  const AccClosedContext context = { get_value_extents, find_value, &known };
  g_autoptr(GArray) read = g_array_sized_new (FALSE, FALSE, sizeof (gint64), 1);

  for (guint i = 0; i < self->data_extents->len; i++)
    {
      AccFunction *function = g_array_index (self->data_extents, AccDataExtents, i).function;
      guint before = read->len;

      g_array_set_size (read, before + acc_element_type_get_n_leaves (function->body->type));
      if (!acc_closed_evaluate (function, &context, &g_array_index (read, gint64, before), NULL, NULL))
        return NULL;
    }
  *n_read = read->len;

  return (gint64 *) g_array_free (g_steal_pointer (&read), FALSE);
}

gboolean
acc_schedule_fits (AccSchedule *self,
                   AccArray   **bound,
                   AccArray   **values,
                   guint        n_bound)
{
  guint n_read = 0, at = 0;
  g_autofree gint64 *read = NULL;

  if (self->data_extents->len == 0)
    return TRUE;
  read = acc_schedule_read_data (self, bound, values, n_bound, &n_read);
  if (read == NULL)
    return FALSE;

  for (guint i = 0; i < self->data_extents->len; i++)
    {
      const AccDataExtents *wanted = &g_array_index (self->data_extents, AccDataExtents, i);
      guint n = acc_element_type_get_n_leaves (wanted->function->body->type);

      if (memcmp (&read[at], wanted->values, n * sizeof (gint64)) != 0)
        return FALSE;
      at += n;
    }

  return TRUE;
}

static guint64
count_elements (const AccScheduleValue *value)
{
  guint64 n = 1;

  for (guint d = 0; d < value->rank; d++)
    n *= (guint64) value->extents[d];

  return n;
}

guint64
acc_schedule_get_bytes (AccSchedule *self,
                        guint        value)
{
  return count_elements (&self->values[value]) * acc_element_type_get_size (self->values[value].type);
}

guint64
acc_schedule_get_buffer_bytes (AccSchedule *self,
                               guint        value,
                               guint        buffer)
{
  return count_elements (&self->values[value]) * acc_element_type_get_buffer_size (self->values[value].type, buffer);
}
