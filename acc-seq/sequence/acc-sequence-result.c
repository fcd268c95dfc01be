/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "acc-sequence-graph-private.h"
#include "acc-walk-private.h"

#include "acc-core/array/acc-array-build-private.h"
#include "acc-core/backend/acc-deferred-private.h"

/* Arrays that sequences end in. All of those that run together share a walk. */

#define ACC_TYPE_SEQUENCE_RESULT (acc_sequence_result_get_type ())

G_DECLARE_FINAL_TYPE (AccSequenceResult, acc_sequence_result, ACC, SEQUENCE_RESULT, AccDeferred)

struct _AccSequenceResult {
  AccDeferred           parent_instance;

  AccSequenceResultKind kind;
  guint                 piece;      /* of a nested array */
  AccSequence          *sequence;   /* owned */
  AccSequenceFunction  *function;   /* fold */
  AccArray             *array;      /* owned: the seed of a fold, or what stands for the last element; NULL: none */
};

G_DEFINE_FINAL_TYPE (AccSequenceResult, acc_sequence_result, ACC_TYPE_DEFERRED)

static void
acc_sequence_result_finalize (GObject *object)
{
  AccSequenceResult *self = ACC_SEQUENCE_RESULT (object);

  g_clear_object (&self->sequence);
  g_clear_pointer (&self->function, acc_sequence_function_unref);
  g_clear_object (&self->array);

  G_OBJECT_CLASS (acc_sequence_result_parent_class)->finalize (object);
}

/* --- the walk */

static AccSequenceResult *
get_result (AccArray *node)
{
  return acc_array_get_payload (node, ACC_PAYLOAD_DEFERRED);
}

/* The one of @results before number @i that collects the same; @i where there is none. */
static guint
find_collected (AccArray **nodes,
                guint      i)
{
  AccSequenceResult *self = get_result (nodes[i]);

  for (guint j = 0; j < i && self->kind != ACC_SEQUENCE_RESULT_FOLD; j++)
    {
      AccSequenceResult *other = get_result (nodes[j]);

      if (other->sequence == self->sequence && other->kind == self->kind)
        return j;
    }

  return i;
}

static AccArray *
finish (AccSequenceResult *self,
        AccWalkOutlet     *outlet,
        GError           **error)
{
  return self->kind == ACC_SEQUENCE_RESULT_FOLD ? acc_walk_fold_finish (outlet, self->array, error)
                                                : acc_walk_collector_dup (outlet, self->kind, self->piece, self->array, error);
}

static void
name_sequence (AccArray *node,
               GError  **error)
{
  const char *label = acc_sequence_find_label (get_result (node)->sequence);
  g_autofree char *description = acc_array_describe (node);

  if (error == NULL || g_error_matches (*error, G_IO_ERROR, G_IO_ERROR_CANCELLED))
    return;
  if (label != NULL)
    g_prefix_error (error, "%s of “%s”: ", description, label);
  else
    g_prefix_error (error, "%s: ", description);
}

static GPtrArray *
walk_all (AccBackend   *backend,
          AccArray    **nodes,
          guint         n_nodes,
          gint64        chunk,
          AccJob       *job,
          GCancellable *cancellable,
          GError      **error)
{
  g_autoptr(AccWalk) walk = NULL;
  g_autoptr(GPtrArray) results = g_ptr_array_new_with_free_func (g_object_unref);
  g_autofree AccSequence **roots = g_new0 (AccSequence *, n_nodes + 1);
  g_autofree AccWalkOutlet **outlets = g_new0 (AccWalkOutlet *, n_nodes + 1);

  for (guint i = 0; i < n_nodes; i++)
    roots[i] = get_result (nodes[i])->sequence;
  walk = acc_walk_new (backend, roots, n_nodes, chunk, cancellable, error);
  if (walk == NULL)
    return NULL;

  for (guint i = 0; i < n_nodes; i++)
    {
      AccSequenceResult *self = get_result (nodes[i]);
      AccWalkStage *stage = acc_walk_find_stage (walk, self->sequence);
      guint same = find_collected (nodes, i);

      if (same < i)
        {
          outlets[i] = outlets[same];
        }
      else if (self->kind == ACC_SEQUENCE_RESULT_FOLD)
        {
          AccSequenceFunction *function = acc_walk_close_function (walk, self->function, error);

          if (function == NULL)
            return NULL;
          outlets[i] = acc_walk_fold_new (stage, self->sequence, function);
        }
      else
        outlets[i] = acc_walk_collector_new (stage, self->sequence, self->kind);
    }

  acc_walk_set_job (walk, job);
  if (!acc_walk_check_largest (walk, G_MAXINT64, error))
    {
      name_sequence (nodes[0], error);
      return NULL;
    }
  for (guint i = 0; i < n_nodes; i++)
    if (!acc_walk_run_outlet (walk, outlets[i], error))
      {
        name_sequence (nodes[i], error);
        return NULL;
      }

  for (guint i = 0; i < n_nodes; i++)
    {
      AccArray *value = finish (get_result (nodes[i]), outlets[i], error);

      if (value == NULL)
        {
          name_sequence (nodes[i], error);
          return NULL;
        }
      g_ptr_array_add (results, value);
    }

  return g_steal_pointer (&results);
}

static GPtrArray *
acc_sequence_result_evaluate (AccBackend   *backend,
                              AccArray    **nodes,
                              guint         n_nodes,
                              gint64        chunk,
                              GCancellable *cancellable,
                              GError      **error)
{
  AccJob *job = acc_job_find (cancellable);
  GPtrArray *results;

  acc_job_enter_walk (job);
  results = walk_all (backend, nodes, n_nodes, chunk, job, cancellable, error);
  acc_job_leave_walk (job);

  return results;
}

static char *
acc_sequence_result_describe (AccBackend *backend,
                              AccArray  **nodes,
                              guint       n_nodes,
                              gint64      chunk)
{
  g_autofree AccSequence **roots = g_new0 (AccSequence *, n_nodes + 1);
  g_autofree char *walk = NULL, *name = acc_array_describe (nodes[0]);

  for (guint i = 0; i < n_nodes; i++)
    roots[i] = get_result (nodes[i])->sequence;
  walk = acc_walk_describe (backend, roots, n_nodes, chunk);

  return g_strdup_printf ("%s %s", name, walk);
}

static void
acc_sequence_result_class_init (AccSequenceResultClass *klass)
{
  G_OBJECT_CLASS (klass)->finalize = acc_sequence_result_finalize;
  ACC_DEFERRED_CLASS (klass)->evaluate = acc_sequence_result_evaluate;
  ACC_DEFERRED_CLASS (klass)->describe = acc_sequence_result_describe;
}

static void
acc_sequence_result_init (AccSequenceResult *self)
{
}

static AccArray *
new_result (const char           *operation,
            AccSequence          *sequence,
            AccSequenceResultKind kind,
            AccSequenceFunction  *function,
            AccArray             *array,
            AccElementType       *type,
            guint                 rank,
            AccShape             *shape)
{
  g_autoptr(AccSequenceResult) self = g_object_new (ACC_TYPE_SEQUENCE_RESULT, NULL);
  ACC_ARRAY_NAMED (operation);

  self->kind = kind;
  self->sequence = g_object_ref (sequence);
  self->function = function != NULL ? acc_sequence_function_ref (function) : NULL;
  self->array = array != NULL ? g_object_ref (array) : NULL;

  return acc_array_new_deferred (self, type, rank, shape);
}

/* --- fold */

/* Whether @array can stand for an element of @sequence; else *mistake. */
static gboolean
check_like_element (const char  *operation,
                    const char  *what,
                    AccSequence *sequence,
                    AccArray    *array,
                    AccArray   **mistake)
{
  if (array->error != NULL)
    *mistake = g_object_ref (array);
  else if (sequence->depth > 1)
    *mistake = acc_sequence_new_mistake (operation, ACC_ERROR_SHAPE, "%s is an array, elements are nested arrays", what);
  else if (array->type != sequence->type || array->rank != sequence->rank)
    *mistake = acc_sequence_new_mistake (operation, array->type != sequence->type ? ACC_ERROR_TYPE : ACC_ERROR_SHAPE,
                                         "%s is %s of rank %u, elements are %s of rank %u", what, acc_element_type_get_code (array->type),
                                         array->rank, acc_element_type_get_code (sequence->type), sequence->rank);

  return *mistake == NULL;
}

/**
 * acc_sequence_fold:
 * @self: a sequence
 * @seed: (nullable): an array like an element, which comes before the first; %NULL: none
 * @function: (scope call) (closure user_data): takes two arrays like elements, and gives one
 * @user_data: data for @function
 *
 * Combines all elements to one by an associative function of two arrays: sums of frames, a product of matrices, all vectors one behind the
 * other. Order is kept, so that the function need not be commutative.
 *
 * Which elements are combined depends on their numbers alone, and how values within an element are grouped on the extents of that element,
 * so that the same elements give the same bits however the sequence is walked, but for products and transforms of elements of different
 * extents, for their scans on devices, and for elements that do not fit into memory alone. Takes as long as @function does, once less than
 * there are elements. A run fails with %ACC_ERROR_SHAPE where there are no elements and no seed. The result carries the error of what
 * @function returns, %ACC_ERROR_CALLBACK where that is %NULL, and %ACC_ERROR_TYPE or %ACC_ERROR_SHAPE where it or @seed is not of the type
 * and rank of an element.
 *
 * Returns: (transfer full): the total
 */
AccArray *
acc_sequence_fold (AccSequence *self,
                   AccArray    *seed,
                   AccArrayFunc function,
                   gpointer     user_data)
{
  g_autoptr(AccSequenceFunction) traced = NULL;
  AccArray *mistake = NULL;

  g_return_val_if_fail (ACC_IS_SEQUENCE (self), NULL);
  g_return_val_if_fail (seed == NULL || ACC_IS_ARRAY (seed), NULL);

  if (self->mistake != NULL)
    return g_object_ref (self->mistake);
  if (self->depth > 1)
    return acc_sequence_new_mistake ("sequence_fold", ACC_ERROR_SHAPE,
                                     "it combines arrays, and elements are nested arrays: map_nested makes arrays of them");
  if (seed != NULL && !check_like_element ("sequence_fold", "the seed", self, seed, &mistake))
    return mistake;

  traced = acc_sequence_function_trace ("sequence_fold", (AccElementType *[]) { self->type, self->type },
                                        (guint[]) { self->rank, self->rank }, (AccShape *[]) { NULL, NULL }, 2, function, user_data,
                                        FALSE, &mistake);
  if (traced == NULL || !check_like_element ("sequence_fold", "what its function gives", self, traced->result, &mistake))
    return mistake;

  if (acc_sequence_needs_run (self, traced, seed))
    return acc_sequence_graph_fold (self, traced, seed);

  return new_result ("sequence_fold", self, ACC_SEQUENCE_RESULT_FOLD, traced, seed, self->type, self->rank, NULL);
}

/* --- all elements */

/**
 * acc_sequence_elements:
 * @self: a sequence
 *
 * Returns the values of all elements, one after the other.
 *
 * The result is as large as all elements together, and takes time linear in that.
 *
 * Returns: (transfer full): a vector
 */
AccArray *
acc_sequence_elements (AccSequence *self)
{
  g_return_val_if_fail (ACC_IS_SEQUENCE (self), NULL);

  if (self->mistake == NULL && acc_sequence_needs_run (self, NULL, NULL))
    {
      g_autoptr(AccNestedArray) elements = acc_sequence_graph_elements (self);

      return acc_nested_array_flatten (elements);
    }

  return self->mistake != NULL ? g_object_ref (self->mistake)
                               : new_result ("sequence_elements", self, ACC_SEQUENCE_RESULT_ELEMENTS, NULL, NULL, self->type, 1, NULL);
}

/**
 * acc_sequence_lengths:
 * @self: a sequence
 *
 * Returns how many values each element has, or how many elements where it is a nested array. Elements are computed as far as that needs
 * them.
 *
 * Returns: (transfer full): a vector of i8, with as many as there are elements
 */
AccArray *
acc_sequence_lengths (AccSequence *self)
{
  g_return_val_if_fail (ACC_IS_SEQUENCE (self), NULL);

  if (self->mistake == NULL && acc_sequence_needs_run (self, NULL, NULL))
    return acc_sequence_graph_lengths (self);

  return self->mistake != NULL ? g_object_ref (self->mistake)
                               : new_result ("sequence_lengths", self, ACC_SEQUENCE_RESULT_LENGTHS, NULL, NULL,
                                             acc_element_type_new (ACC_KIND_I64), 1, NULL);
}

/**
 * acc_sequence_stack:
 * @self: a sequence
 *
 * Puts all elements into one array, in a new outermost dimension. Those of different extents are padded by
 * [method@NestedArray.to_padded] of [method@Sequence.to_nested].
 *
 * The result is as large as all elements together, and takes time linear in that. A run fails with %ACC_ERROR_SHAPE where elements have
 * different extents.
 *
 * Returns: (transfer full): an array with one more dimension than elements have
 */
AccArray *
acc_sequence_stack (AccSequence *self)
{
  g_return_val_if_fail (ACC_IS_SEQUENCE (self), NULL);

  if (self->mistake == NULL && self->depth > 1)
    return acc_sequence_new_mistake ("sequence_stack", ACC_ERROR_SHAPE,
                                     "it puts arrays together, and elements are nested arrays: to_nested is for these");
  if (self->mistake == NULL && acc_sequence_needs_run (self, NULL, NULL))
    return acc_sequence_graph_stack (self);

  return self->mistake != NULL ? g_object_ref (self->mistake)
                               : new_result ("sequence_stack", self, ACC_SEQUENCE_RESULT_STACK, NULL, NULL, self->type, self->rank + 1,
                                             NULL);
}

/**
 * acc_sequence_count:
 * @self: a sequence
 *
 * Returns how many elements there are. What they are is computed only as far as that decides how many there are: not at all where
 * [method@Sequence.get_length] knows it, but that a producer's own word for it is checked by a walk.
 *
 * Returns: (transfer full): an i8 of rank 0
 */
AccArray *
acc_sequence_count (AccSequence *self)
{
  g_autoptr(AccShape) scalar = acc_shape_new_scalar ();

  g_return_val_if_fail (ACC_IS_SEQUENCE (self), NULL);

  if (self->mistake == NULL && acc_sequence_needs_run (self, NULL, NULL))
    return acc_sequence_graph_count (self);
  if (self->mistake == NULL && self->length >= 0 && !self->promised)
    return acc_array_unit (acc_array_number (self->length));

  return self->mistake != NULL ? g_object_ref (self->mistake)
                               : new_result ("sequence_count", self, ACC_SEQUENCE_RESULT_COUNT, NULL, NULL,
                                             acc_element_type_new (ACC_KIND_I64), 0, scalar);
}

/**
 * acc_sequence_last:
 * @self: a sequence
 * @otherwise: (nullable): an array like an element, for a sequence without elements; %NULL: none
 *
 * Returns the last element. A run fails with %ACC_ERROR_SHAPE where there is none, and nothing stands for it. The result carries
 * %ACC_ERROR_TYPE or %ACC_ERROR_SHAPE where @otherwise is not of the type and rank of an element.
 *
 * Returns: (transfer full): the element
 */
AccArray *
acc_sequence_last (AccSequence *self,
                   AccArray    *otherwise)
{
  AccArray *mistake = NULL;

  g_return_val_if_fail (ACC_IS_SEQUENCE (self), NULL);
  g_return_val_if_fail (otherwise == NULL || ACC_IS_ARRAY (otherwise), NULL);

  if (self->mistake != NULL)
    return g_object_ref (self->mistake);
  if (self->depth > 1)
    return acc_sequence_new_mistake ("sequence_last", ACC_ERROR_SHAPE, "the last element is a nested array: last_nested gives it");
  if (otherwise != NULL && !check_like_element ("sequence_last", "what stands for it", self, otherwise, &mistake))
    return mistake;

  if (acc_sequence_needs_run (self, NULL, otherwise))
    return acc_sequence_graph_last (self, otherwise);

  return new_result ("sequence_last", self, ACC_SEQUENCE_RESULT_LAST, NULL, otherwise, self->type, self->rank, NULL);
}

/* --- nested arrays */

/* An irregular nested array of @depth levels, whose arrays share a walk. @otherwise: nullable, what stands for each of them. */
static AccNestedArray *
new_nested_result (const char           *operation,
                   AccSequence          *sequence,
                   AccSequenceResultKind kind,
                   guint                 depth,
                   GPtrArray            *otherwise)
{
  g_autoptr(GPtrArray) arrays = g_ptr_array_new_with_free_func (g_object_unref);
  AccElementType *type;

  for (guint i = 0; (type = acc_nested_array_get_part_type (sequence->type, sequence->rank, depth, i)) != NULL; i++)
    {
      AccArray *array = new_result (operation, sequence, kind, NULL, otherwise != NULL ? g_ptr_array_index (otherwise, i) : NULL, type, 1,
                                    NULL);

      get_result (array)->piece = i;
      g_ptr_array_add (arrays, array);
    }

  return acc_nested_array_new_of_parts ((AccArray **) arrays->pdata, sequence->rank, depth);
}

/**
 * acc_sequence_to_nested:
 * @self: a sequence
 *
 * Puts all elements into a nested array: a regular one where all elements are known to have the same extents, else an irregular one.
 *
 * The result is as large as all elements together, and takes time linear in that. Its arrays share a walk where they run together, as by
 * [method@Backend.run_nested].
 *
 * Returns: (transfer full): the elements
 */
AccNestedArray *
acc_sequence_to_nested (AccSequence *self)
{
  g_autoptr(AccArray) values = NULL;

  g_return_val_if_fail (ACC_IS_SEQUENCE (self), NULL);

  if (self->mistake != NULL)
    return acc_nested_array_new_error (g_object_ref (self->mistake));
  if (acc_sequence_needs_run (self, NULL, NULL))
    return acc_sequence_graph_elements (self);
  if (self->rank == 0 || self->shape != NULL)
    {
      values = acc_sequence_stack (self);
      return acc_nested_array_new_from_regular (values);
    }

  return new_nested_result ("sequence_to_nested", self, ACC_SEQUENCE_RESULT_NESTED, self->depth, NULL);
}

/**
 * acc_sequence_last_nested:
 * @self: a sequence of nested arrays
 * @otherwise: (nullable): a nested array like an element, for a sequence without elements; %NULL: none
 *
 * Returns the last element of a sequence of nested arrays. Its arrays share a walk where they run together, as by
 * [method@Backend.run_nested]. A run fails with %ACC_ERROR_SHAPE where there is none, and nothing stands for it. The result carries
 * %ACC_ERROR_TYPE or %ACC_ERROR_SHAPE where @otherwise is not of the type, rank and depth of an element, or elements are arrays.
 *
 * Returns: (transfer full): the element
 */
AccNestedArray *
acc_sequence_last_nested (AccSequence    *self,
                          AccNestedArray *otherwise)
{
  g_autoptr(AccNestedArray) loose = NULL;
  g_autoptr(GPtrArray) pieces = NULL;
  AccArray *mistake = NULL;
  gboolean needs_run;

  g_return_val_if_fail (ACC_IS_SEQUENCE (self), NULL);
  g_return_val_if_fail (otherwise == NULL || ACC_IS_NESTED_ARRAY (otherwise), NULL);

  if (self->mistake != NULL)
    return acc_nested_array_new_error (g_object_ref (self->mistake));
  if (self->depth == 1)
    mistake = acc_sequence_new_mistake ("sequence_last_nested", ACC_ERROR_SHAPE, "the last element is an array: last gives it");
  else if (otherwise != NULL && acc_nested_array_get_values (otherwise)->error != NULL)
    mistake = g_object_ref (acc_nested_array_get_values (otherwise));
  else if (otherwise != NULL
           && (acc_nested_array_get_element_type (otherwise) != self->type || acc_nested_array_get_rank (otherwise) != self->rank
               || acc_nested_array_get_depth (otherwise) != self->depth - 1))
    mistake = acc_sequence_new_mistake ("sequence_last_nested",
                                        acc_nested_array_get_element_type (otherwise) != self->type ? ACC_ERROR_TYPE : ACC_ERROR_SHAPE,
                                        "what stands for it has another type, rank or depth than elements");
  if (mistake != NULL)
    return acc_nested_array_new_error (mistake);

  loose = otherwise != NULL ? acc_walk_dup_loose (otherwise) : NULL;
  pieces = loose != NULL ? acc_walk_part_list_arrays (loose) : NULL;
  needs_run = acc_sequence_needs_run (self, NULL, NULL);
  for (guint i = 0; pieces != NULL && i < pieces->len; i++)
    needs_run = needs_run || acc_sequence_needs_run (self, NULL, g_ptr_array_index (pieces, i));
  if (needs_run)
    return acc_sequence_graph_last_nested (self, loose);

  return new_nested_result ("sequence_last_nested", self, ACC_SEQUENCE_RESULT_LAST_NESTED, self->depth - 1, pieces);
}
