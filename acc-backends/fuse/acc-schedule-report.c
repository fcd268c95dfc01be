/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "acc-backends/schedule/acc-traffic.h"

#include "acc-cluster-private.h"

/* Schedules for people: ACC_DEBUG=fusion. */

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
describe_value (AccSchedule *self,
                guint        number)
{
  AccScheduleValue *value = &self->values[number];
  g_autoptr(AccShape) shape = acc_shape_new (value->extents, value->rank);
  g_autofree char *extents = acc_shape_to_string (shape);
  g_autofree char *name = acc_array_describe (value->array);

  return g_strdup_printf ("%s %s %s %s, %" G_GUINT64_FORMAT " bytes", get_role (value->role), name,
                          acc_element_type_get_code (value->type), extents, acc_schedule_get_bytes (self, number));
}

/* Why it was not fused into what reads it */
static char *
explain (const AccScheduleValue *value)
{
  switch (value->stored)
    {
    case ACC_STORED_RESULT:
      return g_strdup ("a result");
    case ACC_STORED_ASKED:
      return g_strdup ("stored: compute asks for it");
    case ACC_STORED_INDEXED:
      return g_strdup ("stored: a function of elements reads it by index");
    case ACC_STORED_UNFUSED:
      return g_strdup ("stored: fusion is switched off");
    case ACC_STORED_COMPLETE:
      return g_strdup_printf ("stored: a %s is known when all of its input was seen", acc_operation_get_info (value->array->op)->name);
    case ACC_STORED_DEAR:
      return g_strdup_printf ("stored: fused, its %.0f operations would be done %.0f times per element; storing it costs %.0f", value->cost,
                              value->visits, value->store);
    case ACC_STORED_SEVERAL:
      return g_strdup ("stored: several steps read it, and cannot be one");
    case ACC_STORED_ORDER:
      return g_strdup_printf ("stored: what a %s gives is read more than once, or in another order",
                              acc_operation_get_info (value->array->op)->name);
    case ACC_STORED_OCCUPIED:
      return g_strdup_printf ("stored: the step that reads it has no room for a %s beside what it does",
                              acc_operation_get_info (value->array->op)->name);
    case ACC_STORED_LIMIT:
      return g_strdup_printf ("stored: a kernel has at most %u operations on arrays, %u of elements, %u within each other",
                              ACC_CLUSTER_MAX_NODES, ACC_CLUSTER_MAX_COST, ACC_CLUSTER_MAX_DEPTH);
    case ACC_STORED_NOT:
    case ACC_STORED_GIVEN:
    default:
      return NULL;
    }
}

static void
append_value (GString     *text,
              AccSchedule *self,
              guint        number)
{
  g_autofree char *value = describe_value (self, number), *why = explain (&self->values[number]);

  g_string_append_printf (text, "  v%u: %s\n", number, value);
  if (why != NULL)
    g_string_append_printf (text, "    %s\n", why);
}

static void
append_step (GString     *text,
             AccSchedule *self,
             guint        number)
{
  AccScheduleStep *step = &self->steps[number];
  AccTraffic traffic = acc_schedule_count_step (self, number, NULL);
  g_autofree char *moved = acc_traffic_to_string (&traffic);

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
  if (step->round_rows > 0 && step->round_rows < step->n_rows)
    g_string_append_printf (text, "    by rounds of %" G_GINT64_FORMAT " rows\n", step->round_rows);
  for (guint i = 0; i < step->n_launches; i++)
    {
      AccLaunch *launch = &step->launches[i];

      g_string_append_printf (text, "    kernel %s %.12s: %" G_GINT64_FORMAT " x %" G_GINT64_FORMAT ", %s, %u slots%s\n",
                              acc_kernel_get_name (launch->kernel), acc_kernel_get_hash (launch->kernel), launch->outer,
                              launch->inner, get_rows (launch->rows), launch->n_slots, launch->serial ? ", serial" : "");
    }
  for (guint i = 0; i < step->n_scratch; i++)
    g_string_append_printf (text, "    scratch %u: %" G_GSIZE_FORMAT " bytes\n", i, step->scratch[i].bytes);
  g_string_append_printf (text, "    %s\n", moved);
}

char *
acc_schedule_to_string (AccSchedule *self)
{
  GString *text = g_string_new ("schedule\n");
  AccTraffic traffic = acc_schedule_count_traffic (self, NULL);
  g_autofree char *moved = acc_traffic_to_string (&traffic);

  for (guint i = 0; i < self->n_values; i++)
    append_value (text, self, i);
  for (guint i = 0; i < self->n_steps; i++)
    append_step (text, self, i);
  for (guint i = 0; i < self->n_results; i++)
    {
      g_autofree char *shape = acc_shape_to_string (self->result_shapes[i]);

      g_string_append_printf (text, "  result %u: v%u as %s\n", i, self->results[i], shape);
    }

  g_string_append_printf (text, "  in all: %u step%s, %s\n", traffic.n_steps, traffic.n_steps == 1 ? "" : "s", moved);

  return g_string_free (text, FALSE);
}

/* --- as a picture: kernels as boxes, what is fused within them */

typedef struct {
  AccSchedule *schedule;
  GString     *text;
  GHashTable  *values;      /* AccArray → number + 1 */
  guint        step;
  GHashTable  *inside;      /* AccArray that the step computes → number + 1 */
  GHashTable  *shown;       /* numbers + 1 of values that have an edge into the step */
  GString     *around;      /* edges between the step and values: outside of its box */
} Picture;

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

static gboolean
writes (Picture *self,
        guint    value)
{
  AccScheduleStep *step = &self->schedule->steps[self->step];

  for (guint i = 0; i < step->n_writes; i++)
    if (step->writes[i] == value)
      return TRUE;

  return FALSE;
}

/* The number of the operation in the step's box. */
static guint
add_operation (Picture   *self,
               AccArray  *array,
               GPtrArray *stack)
{
  guint number = GPOINTER_TO_UINT (g_hash_table_lookup (self->inside, array));
  g_autofree char *what = NULL;

  if (number > 0)
    return number;

  number = g_hash_table_size (self->inside) + 1;
  g_hash_table_insert (self->inside, array, GUINT_TO_POINTER (number));
  g_ptr_array_add (stack, array);
  what = acc_array_describe (array);
  g_string_append_printf (self->text, "    s%u_%u [shape=ellipse, label=\"", self->step, number);
  append_quoted (self->text, what);
  g_string_append (self->text, "\"];\n");

  return number;
}

static void
add_read (Picture *self,
          guint    value,
          guint    operation)
{
  AccTraffic traffic = acc_schedule_count_edge (self->schedule, self->step, value);

  g_string_append_printf (self->around, "  v%u -> s%u_%u", value, self->step, operation);
  if (g_hash_table_add (self->shown, GUINT_TO_POINTER (value + 1)))
    g_string_append_printf (self->around, " [label=\"%" G_GUINT64_FORMAT " bytes\"]", traffic.read);
  g_string_append (self->around, ";\n");
}

static void
add_inputs (Picture   *self,
            AccArray  *array,
            guint      number,
            GPtrArray *stack)
{
  for (guint i = 0; i < array->n_inputs; i++)
    {
      guint value = GPOINTER_TO_UINT (g_hash_table_lookup (self->values, array->inputs[i]));

      if (value > 0 && !writes (self, value - 1))
        add_read (self, value - 1, number);
      else
        g_string_append_printf (self->text, "    s%u_%u -> s%u_%u [style=dashed];\n", self->step,
                                add_operation (self, array->inputs[i], stack), self->step, number);
    }
}

static void
add_step (Picture *self)
{
  AccScheduleStep *step = &self->schedule->steps[self->step];
  AccTraffic traffic = acc_schedule_count_step (self->schedule, self->step, NULL);
  g_autofree char *moved = acc_traffic_to_string (&traffic);
  g_autoptr(GHashTable) inside = g_hash_table_new (NULL, NULL), shown = g_hash_table_new (NULL, NULL);
  g_autoptr(GPtrArray) stack = g_ptr_array_new ();
  g_autoptr(GString) around = g_string_new (NULL);

  self->around = around;
  self->inside = inside;
  self->shown = shown;
  g_string_append_printf (self->text, "  subgraph cluster_%u {\n    label=\"", self->step);
  append_quoted (self->text, step->name);
  g_string_append_printf (self->text, "\\n%s\";\n", moved);

  for (guint i = 0; i < step->n_writes; i++)
    add_operation (self, self->schedule->values[step->writes[i]].array, stack);
  while (stack->len > 0)
    {
      AccArray *array = g_ptr_array_steal_index (stack, stack->len - 1);

      add_inputs (self, array, GPOINTER_TO_UINT (g_hash_table_lookup (inside, array)), stack);
    }
  /* By index, from a function of elements */
  for (guint i = 0; i < step->n_reads; i++)
    if (!g_hash_table_contains (shown, GUINT_TO_POINTER (step->reads[i] + 1)))
      add_read (self, step->reads[i], 1);
  g_string_append_printf (self->text, "  }\n%s", self->around->str);

  for (guint i = 0; i < step->n_writes; i++)
    g_string_append_printf (self->text, "  s%u_%u -> v%u [label=\"%" G_GUINT64_FORMAT " bytes\"];\n", self->step, i + 1, step->writes[i],
                            acc_schedule_count_edge (self->schedule, self->step, step->writes[i]).written);
}

char *
acc_schedule_to_dot (AccSchedule *self)
{
  GString *text = g_string_new ("digraph schedule {\n  graph [fontname=\"sans\"];\n  node [fontname=\"sans\"];\n  edge [fontname=\"sans\"];\n");
  g_autoptr(GHashTable) values = g_hash_table_new (NULL, NULL);
  Picture picture = { self, text, values };

  for (guint i = 0; i < self->n_values; i++)
    {
      g_autofree char *value = describe_value (self, i), *why = explain (&self->values[i]);

      g_hash_table_insert (values, self->values[i].array, GUINT_TO_POINTER (i + 1));
      g_string_append_printf (text, "  v%u [shape=box, style=filled, label=\"", i);
      append_quoted (text, value);
      if (why != NULL)
        {
          g_string_append (text, "\\n");
          append_quoted (text, why);
        }
      g_string_append (text, "\"];\n");
    }
  for (picture.step = 0; picture.step < self->n_steps; picture.step++)
    add_step (&picture);
  for (guint i = 0; i < self->n_results; i++)
    g_string_append_printf (text, "  r%u [shape=plaintext, label=\"result %u\"];\n  v%u -> r%u;\n", i, i, self->results[i], i);
  g_string_append (text, "}\n");

  return g_string_free (text, FALSE);
}
