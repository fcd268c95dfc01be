/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "acc-run.h"

#include "acc-launch.h"

typedef struct {
  AccHost          *host;
  AccPrepared      *prepared;
  AccLaunchContext  launch;
  AccBuffer       **leaves;    /* per leaf of every value: borrowed where given, owned where computed */
  AccBuffer       **scratch;
  guint64          *slots;
} Run;

AccBuffer **
acc_run_find_given (AccPrepared  *prepared,
                    guint         value,
                    AccArray    **arguments,
                    GError      **error)
{
  const AccScheduleValue *v = &prepared->schedule->values[value];
  g_autofree char *what = NULL;

  switch (v->role)
    {
    case ACC_VALUE_ARGUMENT:
      return arguments[v->position]->leaves;
    case ACC_VALUE_MANIFEST:
      return v->array->leaves;
    case ACC_VALUE_SOURCE:
    case ACC_VALUE_COMPUTED:
      break;
    }

  what = acc_array_describe (v->array);
  g_set_error (error, ACC_ERROR, ACC_ERROR_STREAM, "%s is read by rows, but the program needs it whole", what);

  return NULL;
}

gboolean
acc_run_allocate (AccHost      *host,
                  AccPrepared  *prepared,
                  guint         value,
                  AccBuffer   **leaves,
                  GError      **error)
{
  const AccPreparedValue *v = &prepared->values[value];
  AccArray *array = prepared->schedule->values[value].array;
  g_autofree char *what = acc_array_describe (array);

  for (guint k = 0; k < v->n_leaves; k++)
    {
      leaves[k] = acc_pool_allocate (host->pool, prepared->leaf_bytes[v->first_leaf + k], what, error);
      if (leaves[k] == NULL)
        {
          while (k-- > 0)
            g_clear_pointer (&leaves[k], acc_buffer_unref);
          return FALSE;
        }
    }

  return TRUE;
}

AccArray *
acc_run_make_result (AccPrepared  *prepared,
                     guint         result,
                     AccBuffer   **leaves)
{
  guint value = prepared->schedule->results[result];
  guint n_leaves = prepared->values[value].n_leaves;
  g_autofree AccBuffer **owned = g_new (AccBuffer *, n_leaves + 1);

  for (guint k = 0; k < n_leaves; k++)
    owned[k] = acc_buffer_ref (leaves[k]);

  return acc_array_new_manifest (prepared->schedule->values[value].type, prepared->schedule->result_shapes[result], owned);
}

static gboolean
bind (Run       *run,
      AccArray **arguments,
      GError   **error)
{
  AccPrepared *prepared = run->prepared;

  for (guint i = 0; i < prepared->schedule->n_values; i++)
    if (prepared->schedule->values[i].role != ACC_VALUE_COMPUTED)
      {
        AccBuffer **given = acc_run_find_given (prepared, i, arguments, error);

        if (given == NULL)
          {
            if (prepared->values[i].n_leaves == 0 && prepared->schedule->values[i].role != ACC_VALUE_SOURCE)
              {
                g_clear_error (error);
                continue;
              }
            return FALSE;
          }
        for (guint k = 0; k < prepared->values[i].n_leaves; k++)
          run->leaves[prepared->values[i].first_leaf + k] = given[k];
      }

  return TRUE;
}

static void
fill_slots (Run             *run,
            const AccLaunch *launch)
{
  for (guint i = 0; i < launch->n_slots; i++)
    {
      const AccSlot *slot = &launch->slots[i];

      switch (slot->kind)
        {
        case ACC_SLOT_LEAF:
          run->slots[i] = (guintptr) run->leaves[run->prepared->values[slot->value].first_leaf + slot->leaf]->data;
          break;
        case ACC_SLOT_LITERAL:
          run->slots[i] = slot->bits;
          break;
        case ACC_SLOT_SCRATCH:
          run->slots[i] = (guintptr) run->scratch[slot->scratch]->data;
          break;
        }
    }
}

static gboolean
run_step (Run                    *run,
          const AccPreparedStep  *prepared,
          GError                **error)
{
  const AccScheduleStep *step = prepared->step;
  gboolean ok = TRUE;

  for (guint i = 0; i < step->n_writes; i++)
    {
      const AccPreparedValue *value = &run->prepared->values[step->writes[i]];

      if (value->n_leaves > 0 && run->leaves[value->first_leaf] == NULL
          && !acc_run_allocate (run->host, run->prepared, step->writes[i], &run->leaves[value->first_leaf], error))
        return FALSE;
    }

  for (guint i = 0; i < step->n_scratch && ok; i++)
    {
      run->scratch[i] = acc_pool_allocate (run->host->pool, step->scratch[i], step->name, error);
      ok = run->scratch[i] != NULL;
    }

  for (guint i = 0; i < step->n_launches && ok; i++)
    {
      fill_slots (run, &step->launches[i]);
      ok = acc_launch_run (&run->launch, &prepared->launches[i], &prepared->launches[i].whole, run->slots, error);
    }

  for (guint i = 0; i < step->n_scratch; i++)
    g_clear_pointer (&run->scratch[i], acc_buffer_unref);

  return ok;
}

static void
free_value (Run  *run,
            guint value)
{
  const AccPreparedValue *v = &run->prepared->values[value];

  for (guint k = 0; k < v->n_leaves; k++)
    g_clear_pointer (&run->leaves[v->first_leaf + k], acc_buffer_unref);
}

gboolean
acc_run (AccHost       *host,
         AccPrepared   *prepared,
         AccArray     **arguments,
         AccArray     **results,
         GCancellable  *cancellable,
         GError       **error)
{
  AccSchedule *schedule = prepared->schedule;
  guint max_scratch = 0, max_slots = 0;
  g_autofree gpointer *memory = NULL;
  Run run = { .host = host, .prepared = prepared };
  gboolean ok;

  for (guint s = 0; s < schedule->n_steps; s++)
    {
      max_scratch = MAX (max_scratch, schedule->steps[s].n_scratch);
      for (guint i = 0; i < schedule->steps[s].n_launches; i++)
        max_slots = MAX (max_slots, schedule->steps[s].launches[i].n_slots);
    }

  G_STATIC_ASSERT (sizeof (gpointer) == sizeof (guint64));
  memory = g_new0 (gpointer, prepared->n_leaves + max_scratch + max_slots + 1);
  run.leaves = (AccBuffer **) memory;
  run.scratch = (AccBuffer **) memory + prepared->n_leaves;
  run.slots = (guint64 *) (memory + prepared->n_leaves + max_scratch);
  acc_launch_context_init (&run.launch, host, prepared, cancellable);

  ok = bind (&run, arguments, error) && !g_cancellable_set_error_if_cancelled (cancellable, error);
  for (guint s = 0; s < schedule->n_steps && ok; s++)
    {
      ok = run_step (&run, &prepared->steps[s], error);
      for (guint i = 0; i < prepared->steps[s].n_freed; i++)
        free_value (&run, prepared->steps[s].freed[i]);
    }

  for (guint r = 0; r < schedule->n_results; r++)
    results[r] = ok ? acc_run_make_result (prepared, r, &run.leaves[prepared->values[schedule->results[r]].first_leaf]) : NULL;

  for (guint i = 0; i < schedule->n_values; i++)
    if (schedule->values[i].role == ACC_VALUE_COMPUTED)
      free_value (&run, i);

  return ok;
}
