/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "acc-external-private.h"

#include "acc-core/array/acc-array-private.h"
#include "acc-core/array/acc-program-private.h"
#include "acc-error.h"
#include "acc-kept-sink-private.h"
#include "acc-seq/stream/acc-evaluate-private.h"
#include "acc-seq/stream/acc-memory-source-private.h"
#include "acc-seq/stream/acc-plan-private.h"
#include "acc-seq/stream/acc-store-private.h"

/* Loops whose states do not fit in memory: from stores into stores. Where the condition, and what becomes of small states, does not depend
 * on large ones, several steps are one walk: stencils of stencils go through windows of rows, so that the disk is read once for all of them
 * (temporal blocking). Else a walk is one step, and what the condition needs of the next states is computed by the same walk. */

#define MOST_STEPS 16
/* What a walk takes of the memory limit at least. */
#define LEAST_BYTES (128 * 1024)
/* States that are kept in memory. */
#define SMALL_BYTES (64 * 1024)

/* --- the last states, of a loop and its other results */

#define ACC_TYPE_LOOP_STATES (acc_loop_states_get_type ())
G_DECLARE_FINAL_TYPE (AccLoopStates, acc_loop_states, ACC, LOOP_STATES, GObject)

struct _AccLoopStates
{
  GObject    parent_instance;

  AccArray  *loop;
  GPtrArray *states;
};

G_DEFINE_FINAL_TYPE (AccLoopStates, acc_loop_states, G_TYPE_OBJECT)

static void
acc_loop_states_finalize (GObject *object)
{
  AccLoopStates *self = ACC_LOOP_STATES (object);

  g_ptr_array_unref (self->states);
  g_object_unref (self->loop);

  G_OBJECT_CLASS (acc_loop_states_parent_class)->finalize (object);
}

static void
acc_loop_states_class_init (AccLoopStatesClass *klass)
{
  G_OBJECT_CLASS (klass)->finalize = acc_loop_states_finalize;
}

static void
acc_loop_states_init (AccLoopStates *self)
{
}

static AccLoopStates *
loop_states_new (AccArray *loop, GPtrArray *states)
{
  AccLoopStates *self = g_object_new (ACC_TYPE_LOOP_STATES, NULL);

  self->loop = g_object_ref (loop);
  self->states = g_ptr_array_ref (states);

  return self;
}

/* --- a loop that runs */

typedef struct {
  const AccExternalTask *task;
  AccArray  *node;             /* the loop */
  guint      n;
  AccProgram *condition, *step;
  gboolean  *large;            /* per state */
  GPtrArray *states;           /* now: what is large is in stores, delayed, or reads sources before the first walk */
} Loop;

/* --- nodes */

static AccArray *
get_loop (AccArray *node)
{
  AccArray *loop = node->op == ACC_OP_LOOP_RESULT ? node->inputs[0] : node;

  return loop->op == ACC_OP_WHILE_LOOP ? loop : NULL;
}

static gboolean
is_large (AccArray *state)
{
  return acc_external_get_bytes (state) > SMALL_BYTES;
}

static AccArray **
take_loop (AccArray *node, guint *n_inputs)
{
  AccArray *loop = get_loop (node);

  if (loop == NULL || loop->error != NULL)
    return NULL;
  *n_inputs = loop->n_inputs;

  return loop->inputs;
}

/* The states before and after a step. */
static guint64
measure_whole (AccArray *node)
{
  AccArray *loop = get_loop (node);
  guint64 bytes = 0;

  for (guint i = 0; i < loop->n_inputs; i++)
    if (loop->inputs[i]->shape != NULL)
      bytes = acc_bytes_add (bytes, acc_bytes_multiply (acc_external_get_bytes (loop->inputs[i]), 2));

  return bytes;
}

/* A device has what programs read besides their states, too. */
static guint64
measure_apart (AccArray *node)
{
  AccArray *loop = get_loop (node);
  guint64 bytes = measure_whole (node);

  for (guint i = 0; i < loop->references->len; i++)
    if (((AccArray *) g_ptr_array_index (loop->references, i))->shape != NULL)
      bytes = acc_bytes_add (bytes, acc_external_get_bytes (g_ptr_array_index (loop->references, i)));

  return bytes;
}

static guint64
measure_least (AccArray *node)
{
  AccArray *loop = get_loop (node);
  guint64 bytes = LEAST_BYTES;

  for (guint i = 0; i < loop->n_inputs; i++)
    bytes = MAX (bytes, acc_external_measure_rows (loop->inputs[i]));

  return bytes;
}

/* --- what depends on what */

/* Whether result @result of a program is made of a large state. */
static gboolean
reads_large (Loop *self, AccProgram *program, guint result)
{
  guint n;
  AccArray **parameters = acc_program_get_parameter_nodes (program, &n);
  AccArray *made = acc_program_get_result (program, result);

  for (guint i = 0; i < n; i++)
    if (self->large[i] && acc_array_depends_on (made, parameters[i]))
      return TRUE;

  return FALSE;
}

static gboolean
knows_its_end (Loop *self)
{
  if (reads_large (self, self->condition, 0))
    return FALSE;

  for (guint i = 0; i < self->n; i++)
    if (!self->large[i] && reads_large (self, self->step, i))
      return FALSE;

  return TRUE;
}

/* --- steps */

static void
loop_clear (Loop *self)
{
  g_clear_pointer (&self->states, g_ptr_array_unref);
  g_clear_pointer (&self->large, g_free);
}

G_DEFINE_AUTO_CLEANUP_CLEAR_FUNC (Loop, loop_clear)

static void
loop_init (Loop *self, const AccExternalTask *task, AccArray *node)
{
  AccProgram **programs;

  self->task = task;
  self->node = get_loop (node);
  programs = acc_array_get_programs (self->node);
  self->condition = programs[0];
  self->step = programs[1];
  self->n = self->node->n_inputs;
  self->large = g_new0 (gboolean, self->n + 1);
  self->states = g_ptr_array_new_with_free_func (g_object_unref);
  for (guint i = 0; i < self->n; i++)
    {
      self->large[i] = is_large (self->node->inputs[i]);
      g_ptr_array_add (self->states, g_object_ref (self->node->inputs[i]));
    }
}

static GPtrArray *
apply (Loop *self, AccProgram *program, GPtrArray *states, GError **error)
{
  return acc_program_apply (program, (AccArray **) states->pdata, states->len, error);
}

static gboolean
is_true (AccArray *flag, gboolean *value, GError **error)
{
  const guint8 *byte = acc_buffer_map (acc_array_get_buffers (flag)[0], error);

  if (byte != NULL)
    *value = *byte != 0;

  return byte != NULL;
}

/* In place of those of @arrays that are small: what they are. */
static gboolean
run_small (Loop *self, GPtrArray *arrays, GError **error)
{
  g_autoptr(GPtrArray) small = g_ptr_array_new ();
  g_autoptr(GPtrArray) values = NULL;

  for (guint i = 0; i < self->n; i++)
    if (!self->large[i])
      g_ptr_array_add (small, g_ptr_array_index (arrays, i));
  if (small->len == 0)
    return TRUE;

  values = acc_evaluate_with_chunk_rows (self->task->backend, (AccArray **) small->pdata, small->len, 0, self->task->cancellable, error);
  for (guint i = 0, k = 0; values != NULL && i < self->n; i++)
    if (!self->large[i])
      {
        g_object_unref (g_ptr_array_index (arrays, i));
        g_ptr_array_index (arrays, i) = g_object_ref (g_ptr_array_index (values, k++));
      }

  return values != NULL;
}

static gboolean
run_condition (Loop *self, GPtrArray *states, gboolean *goes_on, GError **error)
{
  g_autoptr(GPtrArray) flags = apply (self, self->condition, states, error), values = NULL;

  values = flags != NULL ? acc_evaluate_with_chunk_rows (self->task->backend, (AccArray **) flags->pdata, 1, 0, self->task->cancellable,
                                                         error)
                         : NULL;

  return values != NULL && is_true (g_ptr_array_index (values, 0), goes_on, error);
}

/* --- walks */

/* As rows of sources, so that what needs more than rows is stored. */
static gboolean
write_by_stages (Loop *self, GPtrArray *arrays, GPtrArray *sinks, GError *reason, GError **error)
{
  g_autoptr(GPtrArray) others = acc_memory_source_replace (self->task->backend, (AccArray **) arrays->pdata, arrays->len, FALSE, NULL);

  if (others == NULL || !g_error_matches (reason, ACC_ERROR, ACC_ERROR_OUT_OF_MEMORY))
    {
      g_propagate_error (error, reason);
      return FALSE;
    }
  g_error_free (reason);

  return acc_evaluate_write_many (self->task->backend, (AccArray **) others->pdata, others->len, (AccSink **) sinks->pdata, sinks->len,
                                  self->task->chunk_rows, NULL, self->task->cancellable, error);
}

/* Writes what is large into new stores, keeps what is small, all by one walk if that can be; @flag, the condition of the next step, may be
 * NULL. They take the places of @arrays. */
static gboolean
walk (Loop *self, GPtrArray *arrays, AccArray **flag, GError **error)
{
  g_autoptr(GPtrArray) sinks = g_ptr_array_new_with_free_func (g_object_unref), wanted = g_ptr_array_new ();
  g_autoptr(GPtrArray) stores = g_ptr_array_new_with_free_func ((GDestroyNotify) acc_store_unref);
  GError *local = NULL;

  for (guint i = 0; i < arrays->len + (flag != NULL); i++)
    {
      AccArray *array = i < arrays->len ? g_ptr_array_index (arrays, i) : *flag;
      gboolean in_store = i < arrays->len && self->large[i] && array->shape != NULL;
      AccStore *store = in_store ? acc_store_new (self->task->backend, array->type, array->shape, "a state of a loop", error) : NULL;

      if (in_store && store == NULL)
        return FALSE;
      if (in_store)
        g_ptr_array_add (stores, store);
      g_ptr_array_add (sinks, in_store ? acc_store_new_sink (store) : ACC_SINK (acc_kept_sink_new (self->task->backend)));
      g_ptr_array_add (wanted, array);
    }

  if (!acc_evaluate_write_many (self->task->backend, (AccArray **) wanted->pdata, wanted->len, (AccSink **) sinks->pdata, sinks->len,
                                self->task->chunk_rows, NULL, self->task->cancellable, &local)
      && !write_by_stages (self, wanted, sinks, local, error))
    return FALSE;

  for (guint i = 0, k = 0; i < wanted->len; i++)
    {
      gpointer sink = g_ptr_array_index (sinks, i);
      AccArray *value = ACC_IS_KEPT_SINK (sink)
                        ? acc_kept_sink_dup_array (sink) : acc_store_dup_array (g_ptr_array_index (stores, k++), error);

      if (value == NULL)
        return FALSE;
      if (i == arrays->len)
        {
          g_object_unref (*flag);
          *flag = value;
          continue;
        }
      g_object_unref (g_ptr_array_index (arrays, i));
      g_ptr_array_index (arrays, i) = value;
    }

  return TRUE;
}

/* --- several steps at once */

/* Whether large states after @n_steps go by rows within the memory limit. */
static gboolean
goes_by_rows (Loop *self, GPtrArray *arrays)
{
  g_autoptr(GPtrArray) large = g_ptr_array_new ();
  g_autofree AccSink **sinks = g_new0 (AccSink *, self->n + 1);
  g_autoptr(AccPlan) plan = NULL;

  for (guint i = 0; i < self->n; i++)
    if (self->large[i])
      g_ptr_array_add (large, g_ptr_array_index (arrays, i));
  if (large->len == 0)
    return TRUE;

  plan = acc_backend_plan_many (self->task->backend, (AccArray **) large->pdata, large->len, sinks, large->len, NULL);
  for (guint i = 0; plan != NULL && i < plan->parts->len; i++)
    if (acc_plan_get_part (plan, i)->place == ACC_PLACE_RESULT)
      return FALSE;

  return plan != NULL && plan->others == NULL && plan->stages == NULL;
}

/* How many steps a walk is, as a power of two. The small states need not be what they will be. */
static guint
choose_steps (Loop *self)
{
  g_autoptr(GPtrArray) states = g_ptr_array_ref (self->states);
  guint n_steps = 1, done = 0;

  for (guint tried = 1; tried <= MOST_STEPS; tried *= 2)
    {
      for (; done < tried; done++)
        {
          GPtrArray *next = apply (self, self->step, states, NULL);

          if (next == NULL)
            return n_steps;
          g_ptr_array_unref (states);
          states = next;
        }
      if (!goes_by_rows (self, states))
        break;
      n_steps = tried;
    }

  return n_steps;
}

static gboolean
run_known (Loop *self, GError **error)
{
  guint n_steps = choose_steps (self);
  gboolean goes_on = TRUE;

  if (!run_small (self, self->states, error))
    return FALSE;

  for (guint walks = 0; goes_on; walks++)
    {
      guint done = 0;

      while (done < n_steps)
        {
          GPtrArray *next;

          if (!run_condition (self, self->states, &goes_on, error))
            return FALSE;
          if (!goes_on)
            break;
          next = apply (self, self->step, self->states, error);
          if (next == NULL)
            return FALSE;
          g_ptr_array_unref (self->states);
          self->states = next;
          if (!run_small (self, self->states, error))
            return FALSE;
          done++;
        }
      if ((done > 0 || walks == 0) && !walk (self, self->states, NULL, error))
        return FALSE;
    }

  return TRUE;
}

/* --- one step at a time */

static gboolean
run_unknown (Loop *self, GError **error)
{
  gboolean goes_on;

  if (!walk (self, self->states, NULL, error) || !run_condition (self, self->states, &goes_on, error))
    return FALSE;

  while (goes_on)
    {
      g_autoptr(GPtrArray) next = apply (self, self->step, self->states, error), flags = NULL;
      g_autoptr(AccArray) flag = NULL;

      flags = next != NULL ? apply (self, self->condition, next, error) : NULL;
      if (flags == NULL)
        return FALSE;
      flag = g_object_ref (g_ptr_array_index (flags, 0));
      if (!walk (self, next, &flag, error) || !is_true (flag, &goes_on, error))
        return FALSE;
      g_ptr_array_unref (self->states);
      self->states = g_steal_pointer (&next);
    }

  return TRUE;
}

/* --- the table */

static AccArray *
compute_loop (const AccExternalTask *task, GError **error)
{
  g_auto(Loop) self = { NULL, };
  AccArray *loop = get_loop (task->node);
  AccLoopStates *known = g_hash_table_lookup (task->shared, loop);
  guint item = task->node->op == ACC_OP_LOOP_RESULT ? acc_array_get_item (task->node) : 0;

  if (known == NULL)
    {
      loop_init (&self, task, loop);
      if (!(knows_its_end (&self) ? run_known (&self, error) : run_unknown (&self, error)))
        return NULL;
      known = loop_states_new (loop, self.states);
      g_hash_table_insert (task->shared, loop, known);
    }

  return g_object_ref (g_ptr_array_index (known->states, item));
}

static char *
describe (AccBackend *backend, AccArray *node)
{
  AccExternalTask task = { .backend = backend, .node = node };
  g_auto(Loop) self = { NULL, };
  guint n_steps;

  loop_init (&self, &task, node);
  if (!knows_its_end (&self))
    return g_strdup ("from store to store, one step a walk: when it ends depends on all elements");
  n_steps = choose_steps (&self);

  return g_strdup_printf ("from store to store, %u step%s a walk", n_steps, n_steps == 1 ? "" : "s");
}

const AccExternal acc_external_loop = {
  .way = "steps from store to store",
  .has_flow = TRUE,
  .takes = take_loop,
  .measure_whole = measure_whole,
  .measure_apart = measure_apart,
  .measure_least = measure_least,
  .n_written = 1,
  .n_read = 1,
  .describe = describe,
  .compute = compute_loop,
};
