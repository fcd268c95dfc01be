/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "acc-schedule.h"

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

AccSchedule *
acc_schedule_ref (AccSchedule *self)
{
  g_atomic_ref_count_inc (&self->ref_count);

  return self;
}

void
acc_schedule_unref (AccSchedule *self)
{
  if (!g_atomic_ref_count_dec (&self->ref_count))
    return;

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
  g_ptr_array_unref (self->origins);
  g_ptr_array_unref (self->nodes);
  g_free (self);
}

/* --- for people */

static const char *
get_role (AccValueRole role)
{
  switch (role)
    {
    case ACC_VALUE_ARGUMENT: return "argument";
    case ACC_VALUE_MANIFEST: return "manifest";
    case ACC_VALUE_SOURCE: return "source";
    case ACC_VALUE_COMPUTED:
    default: return "computed";
    }
}

static const char *
get_rows (AccSpaceRows rows)
{
  switch (rows)
    {
    case ACC_SPACE_OUTER_ROWS: return "rows are outer units";
    case ACC_SPACE_INNER_ROWS: return "rows are inner elements";
    case ACC_SPACE_FIRST: return "before the first row";
    case ACC_SPACE_WHOLE:
    default: return "at the end";
    }
}

static char *
describe_value (AccScheduleValue *value)
{
  g_autoptr (AccShape) shape = acc_shape_new (value->extents, value->rank);
  g_autofree char *extents = acc_shape_to_string (shape);
  g_autofree char *name = acc_array_describe (value->array);
  guint64 bytes = (guint64) acc_shape_get_size (shape) * acc_element_type_get_size (value->type);

  return g_strdup_printf ("%s %s %s %s, %" G_GUINT64_FORMAT " bytes", get_role (value->role), name,
                          acc_element_type_get_code (value->type), extents, bytes);
}

static void
append_step (GString         *text,
             guint            number,
             AccScheduleStep *step)
{
  g_string_append_printf (text, "  step %u: %s, %" G_GINT64_FORMAT " rows%s\n", number, step->name, step->n_rows,
                          step->reduces ? ", reduces" : "");
  g_string_append (text, "    reads");
  for (guint i = 0; i < step->n_reads; i++)
    g_string_append_printf (text, " v%u(-%" G_GINT64_FORMAT ",+%" G_GINT64_FORMAT ")", step->reads[i],
                            step->row_reads[i].above, step->row_reads[i].below);
  g_string_append (text, "; writes");
  for (guint i = 0; i < step->n_writes; i++)
    g_string_append_printf (text, " v%u", step->writes[i]);
  g_string_append_c (text, '\n');
  if (step->row_error != NULL)
    g_string_append_printf (text, "    not by rows: %s\n", step->row_error);
  for (guint i = 0; i < step->n_launches; i++)
    {
      AccLaunch *launch = &step->launches[i];

      g_string_append_printf (text, "    kernel %s %.12s: %" G_GINT64_FORMAT " x %" G_GINT64_FORMAT ", %s, %u slots%s\n",
                              acc_kernel_get_name (launch->kernel), acc_kernel_get_hash (launch->kernel), launch->outer,
                              launch->inner, get_rows (launch->rows), launch->n_slots, launch->serial ? ", serial" : "");
    }
  for (guint i = 0; i < step->n_scratch; i++)
    g_string_append_printf (text, "    scratch %u: %" G_GSIZE_FORMAT " bytes\n", i, step->scratch[i]);
}

char *
acc_schedule_to_string (AccSchedule *self)
{
  GString *text = g_string_new ("schedule\n");

  for (guint i = 0; i < self->n_values; i++)
    {
      g_autofree char *value = describe_value (&self->values[i]);

      g_string_append_printf (text, "  v%u: %s\n", i, value);
    }
  for (guint i = 0; i < self->n_steps; i++)
    append_step (text, i, &self->steps[i]);
  for (guint i = 0; i < self->n_results; i++)
    {
      g_autofree char *shape = acc_shape_to_string (self->result_shapes[i]);

      g_string_append_printf (text, "  result %u: v%u as %s\n", i, self->results[i], shape);
    }

  return g_string_free (text, FALSE);
}

static void
append_quoted (GString    *text,
               const char *label)
{
  for (; *label; label++)
    {
      if (*label == '"' || *label == '\\')
        g_string_append_c (text, '\\');
      g_string_append_c (text, *label);
    }
}

char *
acc_schedule_to_dot (AccSchedule *self)
{
  GString *text = g_string_new ("digraph schedule {\n  node [fontname=\"sans\"];\n");

  for (guint i = 0; i < self->n_values; i++)
    {
      g_autofree char *value = describe_value (&self->values[i]);

      g_string_append_printf (text, "  v%u [shape=box, label=\"", i);
      append_quoted (text, value);
      g_string_append (text, "\"];\n");
    }
  for (guint i = 0; i < self->n_steps; i++)
    {
      AccScheduleStep *step = &self->steps[i];

      g_string_append_printf (text, "  s%u [shape=ellipse, label=\"", i);
      append_quoted (text, step->name);
      g_string_append_printf (text, "\\n%u kernels\"];\n", step->n_launches);
      for (guint k = 0; k < step->n_reads; k++)
        g_string_append_printf (text, "  v%u -> s%u;\n", step->reads[k], i);
      for (guint k = 0; k < step->n_writes; k++)
        g_string_append_printf (text, "  s%u -> v%u;\n", i, step->writes[k]);
    }
  for (guint i = 0; i < self->n_results; i++)
    g_string_append_printf (text, "  r%u [shape=plaintext, label=\"result %u\"];\n  v%u -> r%u;\n", i, i, self->results[i], i);
  g_string_append (text, "}\n");

  return g_string_free (text, FALSE);
}
