/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "acc-interpreter-backend.h"
#include "acc-interpreter-rows.h"

/* A run by rows: one step per node. */

typedef enum {
  STEP_COMPUTE,   /* the node's operation */
  STEP_COPY,      /* rows of a result that the node has elsewhere */
  STEP_WHOLE,     /* the graph computes the node at once, when the reductions that it reads are complete */
} StepForm;

typedef struct {
  StepForm        form;
  InterpRowsNode *info;
  guint           value;      /* what it writes */
  InterpStep     *step;
  InterpValue    *elements;   /* of what it writes; owned */
} Step;

typedef struct {
  AccRowRun       parent;
  AccExecutable  *owner;
  InterpContext   context;
  InterpGraph    *graph;
  InterpRowsPlan *plan;
  GArray         *values;     /* AccRowValue: parent.values */
  GArray         *steps;      /* AccRowStep: parent.steps */
  GArray         *states;     /* Step, parallel to steps */
  GArray         *elements;   /* InterpValue, borrowed, parallel to values */
} Run;

#define STATE(run, n) (&g_array_index ((run)->states, Step, n))

/* --- building */

static guint
add_value (Run             *run,
           InterpRowsNode  *info,
           AccRowValueKind  kind,
           InterpValue     *elements)
{
  AccRowValue value = { .kind = kind, .array = info->node, .type = info->node->type, .result = -1, .n_rows = 1, .row_elements = 1 };

  if (elements != NULL)
    {
      value.n_rows = interp_value_n_rows (elements);
      value.row_elements = elements->row_elements;
    }
  g_array_append_val (run->values, value);
  g_array_append_val (run->elements, elements);
  return run->values->len - 1;
}

static void
add_read (GArray *reads,
          int     value,
          gint64  above,
          gint64  below)
{
  AccRowRead read = { .value = (guint) value, .above = above, .below = below };

  if (value < 0)
    return;
  for (guint i = 0; i < reads->len; i++)
    {
      AccRowRead *known = &g_array_index (reads, AccRowRead, i);

      if (known->value == read.value)
        {
          known->above = MAX (known->above, above);
          known->below = MAX (known->below, below);
          return;
        }
    }
  g_array_append_val (reads, read);
}

static gboolean
has_rows (const InterpRowsNode *info)
{
  return info->class == INTERP_ROWS_SOURCE || interp_rows_node_is_stepped (info);
}

static void
find_reads (Run            *run,
            InterpRowsNode *info,
            StepForm        form,
            int             written,
            GArray         *reads)
{
  AccArray *node = info->node;

  if (form == STEP_COPY || (info->value >= 0 && info->value != written))
    {
      add_read (reads, info->value, 0, 0);
      return;
    }
  for (guint i = 0; i < node->n_inputs; i++)
    {
      InterpRowsNode *other = interp_rows_plan_get (run->plan, node->inputs[i]);

      if (!has_rows (other))
        add_read (reads, other->value, 0, 0);
      else if (form == STEP_COMPUTE && interp_rows_node_reads_by_rows (info, i))
        add_read (reads, other->value, info->above[MIN (i, 2)], info->below[MIN (i, 2)]);
    }
  for (guint i = 0; i < node->references->len; i++)
    {
      InterpRowsNode *other = interp_rows_plan_get (run->plan, g_ptr_array_index (node->references, i));

      if (!has_rows (other))
        add_read (reads, other->value, 0, 0);
    }
}

static gint64
count_rows (Run            *run,
            InterpRowsNode *info)
{
  AccArray *node = info->node;
  gint64 n = interp_rows_plan_get (run->plan, node->inputs[0])->extents[0];

  if (node->op == ACC_OP_PERMUTE)
    n = MIN (n, interp_rows_plan_get (run->plan, node->inputs[2])->extents[0]);
  return n;
}

static void
add_step (Run            *run,
          InterpRowsNode *info,
          StepForm        form,
          guint           value,
          InterpValue    *elements)
{
  AccRowStep step = { .name = acc_array_describe (info->node), .n_rows = 1, .n_writes = 1 };
  Step state = { .form = form, .info = info, .value = value, .elements = elements };
  AccRowValue *written = &g_array_index (run->values, AccRowValue, value);
  g_autoptr(GArray) reads = g_array_new (FALSE, FALSE, sizeof (AccRowRead));

  find_reads (run, info, form, (int) value, reads);
  step.writes = g_new (guint, 1);
  step.writes[0] = value;
  step.n_reads = reads->len;
  step.reads = (AccRowRead *) g_array_free (g_steal_pointer (&reads), FALSE);
  step.reduces = written->kind == ACC_ROW_VALUE_REDUCED;
  if (!step.reduces)
    step.n_rows = written->n_rows;
  else if (form == STEP_COMPUTE)
    step.n_rows = count_rows (run, info);
  g_array_append_val (run->steps, step);
  g_array_append_val (run->states, state);
}

static void
add_node (Run            *run,
          InterpRowsNode *info)
{
  AccArray *node = info->node;
  InterpValue *elements = NULL;

  if (!info->want_rows && !info->want_whole)
    return;
  if (info->extents != NULL)
    elements = interp_value_new (node->type, node->rank, info->extents);

  if (info->class == INTERP_ROWS_SOURCE)
    {
      info->elements = elements;
      info->value = (int) add_value (run, info, ACC_ROW_VALUE_SOURCE, elements);
    }
  else if (interp_rows_node_is_stepped (info))
    {
      info->elements = interp_value_ref (elements);
      info->value = (int) add_value (run, info, ACC_ROW_VALUE_ROWS, elements);
      add_step (run, info, STEP_COMPUTE, (guint) info->value, elements);
    }
  else if (info->class == INTERP_ROWS_REDUCED)
    {
      info->elements = interp_value_ref (elements);
      info->value = (int) add_value (run, info, ACC_ROW_VALUE_REDUCED, elements);
      add_step (run, info, STEP_COMPUTE, (guint) info->value, elements);
    }
  else
    {
      if (info->late)
        {
          info->value = (int) add_value (run, info, ACC_ROW_VALUE_REDUCED, elements);
          add_step (run, info, STEP_WHOLE, (guint) info->value, NULL);
        }
      g_clear_pointer (&elements, interp_value_unref);
    }
}

static void
add_result (Run      *run,
            AccArray *node,
            guint     position)
{
  InterpRowsNode *info = interp_rows_plan_get (run->plan, node);
  AccRowValue *known = info->value >= 0 ? &g_array_index (run->values, AccRowValue, info->value) : NULL;
  InterpValue *elements;
  gboolean whole;
  guint value;

  if (info->extents != NULL && info->shape == NULL)
    info->shape = acc_shape_new (info->extents, node->rank);

  if (known != NULL && known->kind != ACC_ROW_VALUE_SOURCE && known->result < 0)
    {
      known->result = (int) position;
      known->shape = info->shape;
      return;
    }

  /* The node has its elements elsewhere: in a source, whole, or as another result. */
  whole = known != NULL ? known->kind == ACC_ROW_VALUE_REDUCED : node->rank == 0;
  elements = info->extents != NULL ? interp_value_new (node->type, node->rank, info->extents) : NULL;
  value = add_value (run, info, whole ? ACC_ROW_VALUE_REDUCED : ACC_ROW_VALUE_ROWS, elements);
  if (whole)
    g_clear_pointer (&elements, interp_value_unref);
  add_step (run, info, whole ? STEP_WHOLE : STEP_COPY, value, elements);
  known = &g_array_index (run->values, AccRowValue, value);
  known->result = (int) position;
  known->shape = info->shape;
}

/* --- running */

static gboolean ensure_step (Run *run, guint number, GError **error);

static gboolean
ensure_writer (Run     *run,
               guint    value,
               GError **error)
{
  for (guint i = 0; i < run->states->len; i++)
    if (STATE (run, i)->value == value)
      return ensure_step (run, i, error);
  return TRUE;
}

static InterpValue *
get_input (Run             *run,
           InterpRowsNode  *info,
           guint            input,
           GError         **error)
{
  AccArray *node = info->node->inputs[input];
  InterpRowsNode *other = interp_rows_plan_get (run->plan, node);

  if (other->class == INTERP_ROWS_REDUCED ||
      (has_rows (other) && interp_rows_node_reads_by_rows (info, input)))
    return other->elements;
  return interp_graph_demand (run->graph, node, error);
}

static gboolean
create_step (Run     *run,
             Step    *state,
             GError **error)
{
  InterpRowsNode *info = state->info;
  AccArray *node = info->node;
  InterpResolver resolver = interp_graph_get_resolver (run->graph);
  g_autofree InterpValue **inputs = g_new0 (InterpValue *, MAX (node->n_inputs, 1));
  AccOperation op = node->op;
  guint n = 0;

  if (state->form == STEP_COPY)
    {
      op = ACC_OP_COMPUTE;
      inputs[n++] = has_rows (info) ? info->elements : interp_graph_demand (run->graph, node, error);
      if (inputs[0] == NULL)
        return FALSE;
    }
  else
    {
      for (guint i = 0; i < node->n_inputs; i++)
        {
          if (op == ACC_OP_COND && !info->in_step[i])
            continue;
          inputs[n] = get_input (run, info, i, error);
          if (inputs[n++] == NULL)
            return FALSE;
        }
      if (op == ACC_OP_COND)
        op = ACC_OP_COMPUTE;
    }

  if (info->class == INTERP_ROWS_REDUCED)
    {
      g_autofree char *what = acc_array_describe (node);

      if (!interp_value_allocate (state->elements, run->context.backend, what, error))
        return FALSE;
    }
  state->step = interp_step_new (&run->context, node, op, state->elements, inputs, n, &resolver, error);
  if (state->step == NULL)
    return FALSE;
  if (info->class == INTERP_ROWS_REDUCED)
    interp_graph_bind (run->graph, node, state->elements);
  return TRUE;
}

static gboolean
ensure_step (Run     *run,
             guint    number,
             GError **error)
{
  Step *state = STATE (run, number);
  const AccRowStep *step = &g_array_index (run->steps, AccRowStep, number);

  if (state->step != NULL || (state->form == STEP_WHOLE && state->elements != NULL))
    return TRUE;
  for (guint i = 0; i < step->n_reads; i++)
    if (g_array_index (run->values, AccRowValue, step->reads[i].value).kind == ACC_ROW_VALUE_REDUCED &&
        !ensure_writer (run, step->reads[i].value, error))
      return FALSE;

  if (state->form == STEP_WHOLE)
    {
      InterpValue *value = state->info->class == INTERP_ROWS_REDUCED
                           ? state->info->elements
                           : interp_graph_demand (run->graph, state->info->node, error);

      if (value == NULL)
        return FALSE;
      state->elements = interp_value_ref (value);
      return TRUE;
    }
  return create_step (run, state, error);
}

static void
run_set_window (AccRowRun *parent,
                guint      value,
                gpointer  *addresses,
                gint64     first_row,
                gint64     n_rows)
{
  Run *run = (Run *) parent;
  InterpValue *elements = g_array_index (run->elements, InterpValue *, value);

  if (run->parent.values[value].kind != ACC_ROW_VALUE_REDUCED)
    interp_value_set_window (elements, addresses, first_row, n_rows);
}

static gboolean
run_step (AccRowRun     *parent,
          guint          number,
          gint64         begin,
          gint64         end,
          GCancellable  *cancellable,
          GError       **error)
{
  Run *run = (Run *) parent;
  Step *state = STATE (run, number);
  gboolean done;

  run->context.cancellable = cancellable;
  done = ensure_step (run, number, error);
  if (done && state->step != NULL)
    {
      gint64 picked = state->form == STEP_COMPUTE ? state->info->picked : -1;

      if (picked < 0)
        done = interp_step_run (state->step, begin, end, error);
      else if (begin <= picked && picked < end)
        done = interp_step_run (state->step, 0, state->step->n_rows, error);
    }
  run->context.cancellable = NULL;
  return done;
}

static AccArray *
run_dup_reduced (AccRowRun  *parent,
                 guint       value,
                 GError    **error)
{
  Run *run = (Run *) parent;

  for (guint i = 0; i < run->states->len; i++)
    if (STATE (run, i)->value == value)
      return ensure_step (run, i, error) ? interp_value_to_array (STATE (run, i)->elements) : NULL;
  g_return_val_if_reached (NULL);
}

static void
run_free (AccRowRun *parent)
{
  Run *run = (Run *) parent;

  for (guint i = 0; i < run->states->len; i++)
    {
      g_clear_pointer (&STATE (run, i)->step, interp_step_free);
      g_clear_pointer (&STATE (run, i)->elements, interp_value_unref);
    }
  for (guint i = 0; i < run->steps->len; i++)
    {
      AccRowStep *step = &g_array_index (run->steps, AccRowStep, i);

      g_free ((char *) step->name);
      g_free (step->reads);
      g_free (step->writes);
    }
  g_clear_pointer (&run->graph, interp_graph_free);
  g_clear_pointer (&run->plan, interp_rows_plan_free);
  g_array_unref (run->values);
  g_array_unref (run->elements);
  g_array_unref (run->steps);
  g_array_unref (run->states);
  g_object_unref (run->owner);
  g_free (run);
}

static const AccRowRunClass run_class = {
  .set_window = run_set_window,
  .run_step = run_step,
  .dup_reduced = run_dup_reduced,
  .free = run_free,
};

/* Nodes that stream are strangers to the graph; what it computes is kept as long as the run. */
static gboolean
prepare_graph (Run     *run,
               GError **error)
{
  g_autoptr(GPtrArray) roots = g_ptr_array_new ();

  for (guint i = 0; i < run->plan->nodes->len; i++)
    {
      InterpRowsNode *info = &run->plan->infos[i];

      if (info->class != INTERP_ROWS_FREE)
        interp_graph_bind (run->graph, info->node, NULL);
      else if ((info->want_rows || info->want_whole) && !info->by_rows)
        g_ptr_array_add (roots, info->node);
    }
  interp_graph_prepare (run->graph, (AccArray **) roots->pdata, roots->len);

  for (guint i = 0; i < roots->len; i++)
    {
      AccArray *node = g_ptr_array_index (roots, i);

      if (!interp_rows_plan_get (run->plan, node)->late && interp_graph_demand (run->graph, node, error) == NULL)
        return FALSE;
    }
  return TRUE;
}

/* All but those that wait for a reduction. */
static gboolean
create_steps (Run     *run,
              GError **error)
{
  for (guint i = 0; i < run->steps->len; i++)
    {
      const AccRowStep *step = &g_array_index (run->steps, AccRowStep, i);
      gboolean waits = STATE (run, i)->form == STEP_WHOLE && STATE (run, i)->info->late;

      for (guint k = 0; k < step->n_reads; k++)
        waits = waits || g_array_index (run->values, AccRowValue, step->reads[k].value).kind == ACC_ROW_VALUE_REDUCED;
      if (!waits && !ensure_step (run, i, error))
        return FALSE;
    }
  return TRUE;
}

static AccRowRun *
begin (AccExecutable  *owner,
       GHashTable     *tapes,
       AccArray      **arguments,
       guint           n_arguments,
       gboolean        reduces_free,
       GCancellable   *cancellable,
       GError        **error)
{
  AccProgram *program = acc_executable_get_program (owner);
  Run *run = g_new0 (Run, 1);
  AccArray **parameters, **results;
  guint n_parameters, n_results;

  run->parent.klass = &run_class;
  run->owner = g_object_ref (owner);
  run->context.backend = acc_executable_get_backend (owner);
  run->context.tapes = tapes;
  run->context.checks = (acc_disable_get_flags () & ACC_DISABLE_CHECKS) == 0;
  run->context.cancellable = cancellable;
  run->values = g_array_new (FALSE, FALSE, sizeof (AccRowValue));
  run->elements = g_array_new (FALSE, FALSE, sizeof (InterpValue *));
  run->steps = g_array_new (FALSE, FALSE, sizeof (AccRowStep));
  run->states = g_array_new (FALSE, FALSE, sizeof (Step));
  run->graph = interp_graph_new (&run->context, NULL);

  parameters = acc_program_get_parameter_nodes (program, &n_parameters);
  for (guint i = 0; i < n_parameters; i++)
    {
      g_autoptr(InterpValue) value = interp_value_new_manifest (arguments[i], error);

      if (value == NULL)
        {
          run_free (&run->parent);
          return NULL;
        }
      interp_graph_bind (run->graph, parameters[i], value);
    }

  results = acc_program_get_result_nodes (program, &n_results);
  run->plan = interp_rows_plan_new (run->graph, results, n_results, reduces_free, error);
  if (run->plan == NULL || !prepare_graph (run, error))
    {
      run_free (&run->parent);
      return NULL;
    }

  for (guint i = 0; i < run->plan->nodes->len; i++)
    add_node (run, &run->plan->infos[i]);
  for (guint i = 0; i < n_results; i++)
    add_result (run, results[i], i);
  run->parent.values = (AccRowValue *) run->values->data;
  run->parent.n_values = run->values->len;
  run->parent.steps = (AccRowStep *) run->steps->data;
  run->parent.n_steps = run->steps->len;

  if (!create_steps (run, error))
    {
      run_free (&run->parent);
      return NULL;
    }
  run->context.cancellable = NULL;
  return &run->parent;
}

/* What could be whole goes by rows where memory does not suffice. */
AccRowRun *
interp_rows_new (AccExecutable  *owner,
                 GHashTable     *tapes,
                 AccArray      **arguments,
                 guint           n_arguments,
                 GCancellable   *cancellable,
                 GError        **error)
{
  GError *local = NULL;
  AccRowRun *run = begin (owner, tapes, arguments, n_arguments, FALSE, cancellable, &local);

  if (run == NULL && g_error_matches (local, ACC_ERROR, ACC_ERROR_OUT_OF_MEMORY)
      && (run = begin (owner, tapes, arguments, n_arguments, TRUE, cancellable, NULL)) != NULL)
    g_clear_error (&local);
  if (local != NULL)
    g_propagate_error (error, local);

  return run;
}
