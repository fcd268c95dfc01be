/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "acc-evaluate-private.h"
#include "acc-job-private.h"
#include "acc-plan-private.h"

#include "acc-core/array/acc-array-build-private.h"
#include "acc-error.h"
#include "acc-seq/nested/acc-nested-array-private.h"
#include "acc-seq/nested/acc-nested-origin-private.h"
#include "acc-seq/stream/external/acc-external-private.h"

/* Running all that a nested array consists of, and telling which of its elements fail. */

/**
 * acc_backend_run_nested:
 * @self: a backend
 * @nested: a nested array
 * @cancellable: (nullable): cancels the run
 * @error: return location for an error
 *
 * Computes a nested array: its values and where its elements lie on all levels, in one run. In everything else it is as acc_backend_run().
 *
 * Returns: (transfer full): a manifest nested array of the same form, or %NULL with @error set
 */
AccNestedArray *
acc_backend_run_nested (AccBackend     *self,
                        AccNestedArray *nested,
                        GCancellable   *cancellable,
                        GError        **error)
{
  g_autoptr(GPtrArray) arrays = NULL, results = NULL;

  g_return_val_if_fail (ACC_IS_BACKEND (self), NULL);
  g_return_val_if_fail (ACC_IS_NESTED_ARRAY (nested), NULL);

  arrays = g_ptr_array_new ();
  acc_nested_array_collect (nested, arrays);
  results = acc_backend_run_many (self, (AccArray **) arrays->pdata, arrays->len, cancellable, error);
  if (results == NULL)
    return NULL;

  return acc_nested_array_new_manifest (nested, (AccArray **) results->pdata);
}

/**
 * acc_backend_start_run_nested:
 * @self: a backend
 * @nested: the nested array to compute
 * @cancellable: (nullable): cancels the job
 *
 * Starts to compute a nested array as acc_backend_run_nested() does, as a job that reports progress: over the elements of the sequence that
 * it comes from, or the rows of sources. [method@Job.dup_nested] has it when the job is done. It is as acc_backend_start_run() in
 * everything else.
 *
 * Returns: (transfer full): the running job
 */
AccJob *
acc_backend_start_run_nested (AccBackend     *self,
                              AccNestedArray *nested,
                              GCancellable   *cancellable)
{
  g_autoptr(GPtrArray) arrays = NULL;
  AccJob *job;

  g_return_val_if_fail (ACC_IS_BACKEND (self), NULL);
  g_return_val_if_fail (ACC_IS_NESTED_ARRAY (nested), NULL);

  arrays = g_ptr_array_new ();
  acc_nested_array_collect (nested, arrays);
  job = acc_backend_start_run_many (self, (AccArray **) arrays->pdata, arrays->len, cancellable);
  acc_job_set_nested (job, nested);

  return job;
}

/**
 * acc_job_dup_nested:
 * @self: a job
 *
 * Returns what a job of acc_backend_start_run_nested() has computed.
 *
 * Returns: (transfer full) (nullable): a manifest nested array of the same form; %NULL where the job is not done, and where it computes
 *   something else
 */
AccNestedArray *
acc_job_dup_nested (AccJob *self)
{
  g_autoptr(GMutexLocker) locker = NULL;

  g_return_val_if_fail (ACC_IS_JOB (self), NULL);

  locker = g_mutex_locker_new (&self->lock);
  if (self->nested == NULL || self->results == NULL)
    return NULL;

  return acc_nested_array_new_manifest (self->nested, (AccArray **) self->results->pdata);
}

/* --- which element a run failed for */

/* Kernels tell the operation, and where it read among all values. What the function of elements makes of half of them is run, and of half
 * of those that fail, until one fails alone, as it would without the others. */

/* What is larger is not computed once more to tell. */
#define MOST_BYTES (G_GUINT64_CONSTANT (1) << 30)

typedef struct {
  AccBackend    *backend;
  AccEvaluateRun run;
  GCancellable  *cancellable;
  int            code;       /* of the error */
} Blame;

/* Whether @arrays are made of what is in memory, and have room there. */
static gboolean
can_run_again (GPtrArray *arrays)
{
  g_autoptr(GPtrArray) nodes = acc_array_sort_nodes ((AccArray **) arrays->pdata, arrays->len);
  guint64 bytes = 0;

  for (guint i = 0; i < nodes->len; i++)
    {
      AccArray *node = g_ptr_array_index (nodes, i);

      if (node->error != NULL || node->op == ACC_OP_PARAMETER || node->op == ACC_OP_DEFERRED || node->op == ACC_OP_SOURCE)
        return FALSE;
    }
  for (guint i = 0; i < arrays->len; i++)
    {
      AccArray *array = g_ptr_array_index (arrays, i);

      if (array->shape != NULL && !acc_array_is_manifest (array))
        bytes = acc_bytes_add (bytes, acc_external_get_bytes (array));
    }

  return bytes <= MOST_BYTES;
}

/* Nested arrays that @origin is of. */
static GPtrArray *
list_inputs (const AccNestedOrigin *origin)
{
  GPtrArray *inputs = g_ptr_array_new_with_free_func (g_object_unref);

  for (guint i = 0; i < origin->inputs->len; i++)
    g_ptr_array_add (inputs, acc_nested_array_new_for_lifted (acc_lifted_ref (g_ptr_array_index (origin->inputs, i)),
                                                              g_object_ref (g_ptr_array_index (origin->counts, i))));

  return inputs;
}

/* @computed in the place of @inputs, which were collected; NULL: they do not have as many elements. */
static GPtrArray *
take_computed (GPtrArray *inputs,
               AccArray **computed,
               gint64    *count)
{
  g_autoptr(GPtrArray) taken = g_ptr_array_new_with_free_func (g_object_unref), before = g_ptr_array_new ();

  for (guint i = 0; i < inputs->len; i++)
    {
      AccNestedArray *one = acc_nested_array_new_manifest (g_ptr_array_index (inputs, i), computed + before->len);
      gint64 n = acc_shape_get_extent (acc_nested_array_get_count (one)->shape, 0);

      g_ptr_array_add (taken, one);
      if (i > 0 && n != *count)
        return NULL;
      *count = n;
      acc_nested_array_collect (g_ptr_array_index (inputs, i), before);
    }

  return g_steal_pointer (&taken);
}

static AccNestedArray *
take_some (AccNestedArray *from,
           gint64          start,
           gint64          count)
{
  gint64 *numbers = g_new (gint64, count);
  g_autoptr(AccArray) chosen = NULL;

  for (gint64 i = 0; i < count; i++)
    numbers[i] = start + i;
  chosen = acc_nested_array_use_numbers (numbers, count);

  return acc_nested_array_choose (from, chosen);
}

/* As what is the same for all elements, of which there is one. */
static AccNestedArray *
take_alone (AccNestedArray *from,
            gint64          number,
            GError        **error)
{
  AccArray *element = acc_nested_array_take_element (from, number, error);
  g_autoptr(AccShape) one = acc_shape_new_vector (1);

  return element != NULL ? acc_nested_array_new_for_lifted (acc_lifted_new_constant (element),
                                                            acc_array_fill (one, acc_expr_new_bool (FALSE)))
                         : NULL;
}

static AccNestedArray *
apply (const AccNestedOrigin *origin,
       GPtrArray             *taken,
       gint64                 start,
       gint64                 count,
       gboolean               alone,
       GError               **error)
{
  g_autoptr(GPtrArray) some = g_ptr_array_new_with_free_func (g_object_unref);

  for (guint i = 0; i < taken->len; i++)
    {
      AccNestedArray *from = g_ptr_array_index (taken, i);
      AccNestedArray *chosen = alone ? take_alone (from, start, error) : take_some (from, start, count);

      if (chosen == NULL)
        return NULL;
      g_ptr_array_add (some, chosen);
    }

  return acc_nested_array_apply ((AccNestedArray **) some->pdata, some->len, (AccArray **) origin->parameters->pdata, NULL,
                                 origin->result, ACC_APPLY_IN_STEPS);
}

/* The error that elements of @taken fail with, if it is one of those that are looked for; *stopped: something else came in between. */
static GError *
try_elements (Blame                 *self,
              const AccNestedOrigin *origin,
              GPtrArray             *taken,
              gint64                 start,
              gint64                 count,
              gboolean               alone,
              gboolean              *stopped)
{
  g_autoptr(GPtrArray) arrays = g_ptr_array_new (), values = NULL;
  g_autoptr(AccNestedArray) made = NULL;
  GError *error = NULL;

  made = apply (origin, taken, start, count, alone, &error);
  if (made != NULL)
    {
      acc_nested_array_collect (made, arrays);
      values = self->run (self->backend, (AccArray **) arrays->pdata, arrays->len, self->cancellable, &error);
    }
  if (error != NULL && !g_error_matches (error, ACC_ERROR, self->code))
    {
      *stopped = TRUE;
      g_clear_error (&error);
    }

  return error;
}

/* The error of the first element that fails by itself; NULL: none does. */
static GError *
find_element (Blame                 *self,
              const AccNestedOrigin *origin,
              GPtrArray             *taken,
              gint64                 count,
              gint64                *number)
{
  g_autoptr(GError) found = NULL;
  gboolean stopped = FALSE;
  gint64 start = 0;
  GError *error;

  while (count > 1 && !stopped)
    {
      gint64 half = count / 2;

      error = try_elements (self, origin, taken, start, half, FALSE, &stopped);
      if (error == NULL)
        start += half;
      count = error != NULL ? half : count - half;
      g_clear_error (&error);
    }
  if (count != 1 || stopped || (found = try_elements (self, origin, taken, start, 1, FALSE, &stopped)) == NULL)
    return NULL;

  *number = start;
  error = try_elements (self, origin, taken, start, 1, TRUE, &stopped);

  return error != NULL ? error : g_steal_pointer (&found);
}

static GError *
blame_origin (Blame                 *self,
              const AccNestedOrigin *origin,
              gint64                *number)
{
  g_autoptr(GPtrArray) inputs = list_inputs (origin), arrays = g_ptr_array_new (), computed = NULL, taken = NULL;
  gint64 count = 0;

  for (guint i = 0; i < inputs->len; i++)
    acc_nested_array_collect (g_ptr_array_index (inputs, i), arrays);
  if (!can_run_again (arrays))
    return NULL;
  computed = self->run (self->backend, (AccArray **) arrays->pdata, arrays->len, self->cancellable, NULL);
  taken = computed != NULL ? take_computed (inputs, (AccArray **) computed->pdata, &count) : NULL;

  return taken != NULL ? find_element (self, origin, taken, count, number) : NULL;
}

void
acc_evaluate_blame (AccBackend     *backend,
                    AccArray      **arrays,
                    guint           n_arrays,
                    AccEvaluateRun  run,
                    GCancellable   *cancellable,
                    GError        **error)
{
  Blame self = { backend, run, cancellable };
  g_autoptr(GPtrArray) nodes = NULL;
  GError *found = NULL;
  gint64 number = 0;

  if (!g_error_matches (*error, ACC_ERROR, ACC_ERROR_BOUNDS) && !g_error_matches (*error, ACC_ERROR, ACC_ERROR_ARITHMETIC))
    return;

  self.code = (*error)->code;
  nodes = acc_array_sort_nodes (arrays, n_arrays);
  for (guint i = 0; i < nodes->len && found == NULL; i++)
    {
      const AccNestedOrigin *origin = acc_nested_origin_get (g_ptr_array_index (nodes, i));

      found = origin != NULL ? blame_origin (&self, origin, &number) : NULL;
    }
  if (found == NULL || g_cancellable_is_cancelled (cancellable))
    {
      g_clear_error (&found);
      return;
    }

  g_clear_error (error);
  g_propagate_prefixed_error (error, found, "element %" G_GINT64_FORMAT ": ", number);
}
