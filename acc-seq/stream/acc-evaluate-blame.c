/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "acc-evaluate-private.h"
#include "acc-plan-private.h"

#include "acc-core/array/acc-array-build-private.h"
#include "acc-error.h"
#include "acc-seq/nested/acc-nested-origin-private.h"
#include "acc-seq/stream/external/acc-external-private.h"

/* Which element a run failed for. Kernels tell the operation, and where it read among all values. What the function of elements makes of
 * half of them is run, and of half of those that fail, until one fails alone, as it would without the others. */

/* What is larger is not computed once more to tell. */
#define MOST_BYTES (G_GUINT64_CONSTANT (1) << 30)

/* The first of @count elements that fails, if any does: -1 where none does by itself. */
gint64
acc_evaluate_find_first (gint64               count,
                         AccEvaluateFailsFunc fails,
                         gpointer             data)
{
  gint64 start = 0;

  while (count > 1)
    {
      gint64 half = count / 2;

      if (fails (start, half, data))
        {
          count = half;
        }
      else
        {
          start += half;
          count -= half;
        }
    }

  return count == 1 && fails (start, 1, data) ? start : -1;
}

void
acc_evaluate_prefix_element (GError    **error,
                             gint64      number,
                             const char *origin)
{
  static const char element[] = "element ";
  const char *message = (*error)->message;
  g_autofree char *own = g_strdup_printf ("%s%" G_GINT64_FORMAT "%s%s%s", element, number, origin != NULL ? " (" : "",
                                          origin != NULL ? origin : "", origin != NULL ? ")" : "");
  gboolean has_inner = g_str_has_prefix (message, element) && g_ascii_isdigit (message[strlen (element)]);
  char *all = has_inner ? g_strconcat (own, ", ", message + strlen (element), NULL) : g_strconcat (own, ": ", message, NULL);

  g_free ((*error)->message);
  (*error)->message = all;
}

typedef struct {
  AccBackend      *backend;
  GCancellable    *cancellable;
  int              code;       /* of the error that is looked for */
  AccNestedOrigin *origin;
  GPtrArray       *taken;      /* AccNestedArray: all elements, computed */
  gboolean         stopped;    /* something else came in between */
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

/* The inputs, @computed; FALSE: they do not have as many elements. */
static gboolean
take_computed (Blame     *self,
               AccArray **computed,
               gint64    *count)
{
  g_autoptr(GPtrArray) before = g_ptr_array_new ();
  gboolean as_many = TRUE;

  for (guint i = 0; i < self->origin->inputs->len; i++)
    {
      AccNestedArray *input = g_ptr_array_index (self->origin->inputs, i);
      AccNestedArray *one = acc_nested_array_new_manifest (input, computed + before->len);

      g_ptr_array_add (self->taken, one);
      as_many = as_many && (i == 0 || acc_nested_array_get_known_count (one) == *count);
      *count = acc_nested_array_get_known_count (one);
      acc_nested_array_collect (input, before);
    }

  return as_many;
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

/* As what is the same for all elements, of which there is one; of one that is a nested array, ACC_APPLY_ALONE says so. */
static AccNestedArray *
take_alone (AccNestedArray *from,
            gint64          number,
            GError        **error)
{
  g_autoptr(AccShape) one = acc_shape_new_vector (1);
  AccArray *element;

  if (acc_nested_array_get_inner (from) != NULL)
    return take_some (from, number, 1);
  element = acc_nested_array_take_element (from, number, error);

  return element != NULL ? acc_nested_array_new_for_lifted (acc_lifted_new_constant (element),
                                                            acc_array_fill (one, acc_expr_new_bool (FALSE)))
                         : NULL;
}

static AccNestedArray *
apply (Blame   *self,
       gint64   start,
       gint64   count,
       gboolean alone,
       GError **error)
{
  g_autoptr(GPtrArray) some = g_ptr_array_new_with_free_func (g_object_unref);
  AccNestedOrigin *origin = self->origin;

  for (guint i = 0; i < self->taken->len; i++)
    {
      AccNestedArray *from = g_ptr_array_index (self->taken, i);
      AccNestedArray *chosen = alone ? take_alone (from, start, error) : take_some (from, start, count);

      if (chosen == NULL)
        return NULL;
      g_ptr_array_add (some, chosen);
    }

  return acc_nested_array_apply_elements ((AccNestedArray **) some->pdata, some->len, (AccArray **) origin->parameters->pdata,
                                          (AccArray **) origin->results->pdata, origin->rank, origin->depth,
                                          ACC_APPLY_IN_STEPS | (alone ? ACC_APPLY_ALONE : 0));
}

/* The error that elements fail with, if it is one of those that are looked for. That of one @alone may name elements of its own. */
static GError *
try_elements (Blame   *self,
              gint64   start,
              gint64   count,
              gboolean alone)
{
  g_autoptr(GPtrArray) arrays = g_ptr_array_new (), values = NULL;
  g_autoptr(AccNestedArray) made = NULL;
  GError *error = NULL;

  if (self->stopped)
    return NULL;
  made = apply (self, start, count, alone, &error);
  if (made != NULL)
    {
      acc_nested_array_collect (made, arrays);
      values = (alone ? acc_backend_run_many : acc_evaluate_plain) (self->backend, (AccArray **) arrays->pdata, arrays->len,
                                                                    self->cancellable, &error);
    }
  if (error != NULL && !g_error_matches (error, ACC_ERROR, self->code))
    {
      self->stopped = TRUE;
      g_clear_error (&error);
    }

  return error;
}

static gboolean
fails (gint64   start,
       gint64   count,
       gpointer data)
{
  g_autoptr(GError) error = try_elements (data, start, count, FALSE);

  return error != NULL;
}

/* The error of the first element that fails by itself, with its number; NULL: none does. */
static GError *
find_element (Blame *self,
              gint64 count)
{
  gint64 number = acc_evaluate_find_first (count, fails, self);
  GError *error = NULL;

  if (number >= 0 && !self->stopped)
    {
      error = try_elements (self, number, 1, TRUE);
      if (error == NULL)
        error = try_elements (self, number, 1, FALSE);
    }
  if (error != NULL)
    acc_evaluate_prefix_element (&error, number, NULL);

  return error;
}

static GError *
blame_origin (Blame           *self,
              AccNestedOrigin *known)
{
  g_autoptr(AccNestedOrigin) origin = acc_nested_origin_resolve (known);
  g_autoptr(GPtrArray) arrays = g_ptr_array_new (), computed = NULL, taken = g_ptr_array_new_with_free_func (g_object_unref);
  gint64 count = 0;

  if (origin == NULL)
    return NULL;
  self->origin = origin;
  self->taken = taken;
  self->stopped = FALSE;
  for (guint i = 0; i < origin->inputs->len; i++)
    acc_nested_array_collect (g_ptr_array_index (origin->inputs, i), arrays);
  if (!can_run_again (arrays))
    return NULL;
  computed = acc_evaluate_plain (self->backend, (AccArray **) arrays->pdata, arrays->len, self->cancellable, NULL);

  return computed != NULL && take_computed (self, (AccArray **) computed->pdata, &count) ? find_element (self, count) : NULL;
}

/* Errors that follow from what elements contain. */
static gboolean
may_blame (const GError *error)
{
  return g_error_matches (error, ACC_ERROR, ACC_ERROR_BOUNDS) || g_error_matches (error, ACC_ERROR, ACC_ERROR_ARITHMETIC);
}

void
acc_evaluate_blame (AccBackend     *backend,
                    AccArray      **arrays,
                    guint           n_arrays,
                    GCancellable   *cancellable,
                    GError        **error)
{
  g_autoptr(GPtrArray) nodes = NULL, tried = NULL;
  GError *found = NULL;

  if (!may_blame (*error))
    return;

  nodes = acc_array_sort_nodes (arrays, n_arrays);
  tried = g_ptr_array_new ();
  for (guint i = 0; i < nodes->len && found == NULL; i++)
    {
      AccNestedOrigin *origin = acc_nested_origin_get (g_ptr_array_index (nodes, i));

      if (origin == NULL || g_ptr_array_find_with_equal_func (tried, origin, (GEqualFunc) acc_nested_origin_equal, NULL))
        continue;
      g_ptr_array_add (tried, origin);
      found = blame_origin (&(Blame) { backend, cancellable, (*error)->code }, origin);
    }
  if (found == NULL || g_cancellable_is_cancelled (cancellable))
    {
      g_clear_error (&found);
      return;
    }

  g_clear_error (error);
  g_propagate_error (error, found);
}

void
acc_evaluate_blame_program (AccExecutable  *executable,
                            AccArray      **arguments,
                            guint           n_arguments,
                            GCancellable   *cancellable,
                            GError        **error)
{
  guint n;
  AccArray **results = acc_program_get_result_nodes (acc_executable_get_program (executable), &n);
  g_autoptr(GPtrArray) nodes = NULL, applied = NULL;
  gboolean knows = FALSE;

  if (!may_blame (*error))
    return;

  nodes = acc_array_sort_nodes (results, n);
  for (guint i = 0; i < nodes->len && !knows; i++)
    knows = acc_nested_origin_get (g_ptr_array_index (nodes, i)) != NULL;
  if (knows)
    applied = acc_program_apply (acc_executable_get_program (executable), arguments, n_arguments, NULL);
  if (applied != NULL)
    acc_evaluate_blame (acc_executable_get_backend (executable), (AccArray **) applied->pdata, applied->len, cancellable, error);
}
