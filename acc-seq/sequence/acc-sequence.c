/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "acc-sequence-private.h"
#include "acc-walk-part-private.h"

#include "acc-core/array/acc-array-build-private.h"

/**
 * AccSequence:
 *
 * Stands for many arrays that come one after the other: lines of a file, frames of a camera, rows of a picture that is larger than memory.
 *
 * A sequence is a list of elements, arrays of one element type and rank, or nested arrays of these, which may have no end. It begins with
 * what produces elements, goes on with functions of them, and ends in arrays, such as that of [method@Sequence.fold], which are used as any
 * others. When such an array runs, the sequence is walked: some elements at a time are read, computed together on the backend, and given up
 * again, so that all of them are never in memory. Several arrays of one sequence that run together, by [method@Backend.run_many], share one
 * walk. How many elements are taken at a time never shows in a result.
 *
 * A function of an element, given to [method@Sequence.map], is called once, while the graph is built, as that of [method@NestedArray.map]
 * is.
 *
 * A sequence may be made of what is not there before a run: of an argument in a function of a program, of the state of a loop, of an
 * element of a nested array. Then its arrays are part of that graph, and all of its elements are in memory at once. Producers, windows,
 * batches and scans are for walks: there they are %ACC_ERROR_UNSUPPORTED.
 *
 * Sequences are immutable and lazy. A mistake in one is an error of its arrays, which running them tells. They may be used from any thread.
 */

G_DEFINE_FINAL_TYPE (AccSequence, acc_sequence, G_TYPE_OBJECT)

static void
acc_sequence_finalize (GObject *object)
{
  AccSequence *self = ACC_SEQUENCE (object);

  g_clear_object (&self->mistake);
  g_clear_pointer (&self->shape, acc_shape_unref);
  g_clear_pointer (&self->label, g_free);
  for (guint i = 0; i < self->n_inputs; i++)
    acc_array_release (self->inputs[i], g_object_unref);
  g_clear_pointer (&self->inputs, g_free);
  g_clear_object (&self->producer);
  g_clear_pointer (&self->windows, acc_sequence_windows_spec_free);
  g_clear_object (&self->nested);
  g_clear_object (&self->array);
  g_clear_pointer (&self->states, g_ptr_array_unref);
  g_clear_pointer (&self->function, acc_sequence_function_unref);
  g_clear_object (&self->program);
  g_clear_object (&self->made);

  G_OBJECT_CLASS (acc_sequence_parent_class)->finalize (object);
}

static void
acc_sequence_class_init (AccSequenceClass *klass)
{
  G_OBJECT_CLASS (klass)->finalize = acc_sequence_finalize;
}

static void
acc_sequence_init (AccSequence *self)
{
  self->length = -1;
  self->depth = 1;
}

/* --- for other files */

const char *
acc_sequence_get_operation_name (AccSequence *self)
{
  switch (self->kind)
    {
    case ACC_SEQUENCE_KIND_PRODUCER: return self->producer != NULL ? G_OBJECT_TYPE_NAME (self->producer) : "windows";
    case ACC_SEQUENCE_KIND_NESTED: return "elements in memory";
    case ACC_SEQUENCE_KIND_ARRAY: return "rows of a source";
    case ACC_SEQUENCE_KIND_COUNTER: return "numbers";
    case ACC_SEQUENCE_KIND_MAP: return "map";
    case ACC_SEQUENCE_KIND_FILTER: return "filter";
    case ACC_SEQUENCE_KIND_TAKE: return "take";
    case ACC_SEQUENCE_KIND_DROP: return "drop";
    case ACC_SEQUENCE_KIND_TAKE_WHILE: return "take_while";
    case ACC_SEQUENCE_KIND_CONCAT: return "concat";
    case ACC_SEQUENCE_KIND_SCAN: return "scan";
    case ACC_SEQUENCE_KIND_BATCH: return "batch";
    case ACC_SEQUENCE_KIND_EXPAND: return "expand";
    case ACC_SEQUENCE_KIND_MAP_BATCH: return self->number > 0 ? "map_batches" : self->nests ? "map_batch_nested" : "map_batch";
    case ACC_SEQUENCE_KIND_FOLD_BATCH: return self->nests ? "fold_batch_nested" : "fold_batch";
    }

  return "";
}

AccSequence *
acc_sequence_alloc (AccSequenceKind kind,
                    AccSequence   **inputs,
                    guint           n_inputs)
{
  AccSequence *self = g_object_new (ACC_TYPE_SEQUENCE, NULL);

  self->kind = kind;
  self->promised = kind == ACC_SEQUENCE_KIND_PRODUCER;
  self->n_inputs = n_inputs;
  self->inputs = g_new0 (AccSequence *, n_inputs + 1);
  for (guint i = 0; i < n_inputs; i++)
    {
      self->inputs[i] = g_object_ref (inputs[i]);
      self->promised |= inputs[i]->promised;
      if (self->mistake == NULL && inputs[i]->mistake != NULL)
        self->mistake = g_object_ref (inputs[i]->mistake);
    }
  if (n_inputs > 0)
    {
      self->type = inputs[0]->type;
      self->rank = inputs[0]->rank;
      self->depth = inputs[0]->depth;
    }

  return self;
}

AccSequence *
acc_sequence_new_error (AccArray *array)
{
  AccSequence *self = acc_sequence_alloc (ACC_SEQUENCE_KIND_COUNTER, NULL, 0);

  self->mistake = array;

  return self;
}

AccSequence *
acc_sequence_refuse_nested (const char  *operation,
                            AccSequence *self,
                            const char  *instead)
{
  if (self->mistake != NULL || self->depth == 1)
    return NULL;

  return acc_sequence_refuse (operation, ACC_ERROR_SHAPE, "it is for arrays, and elements are nested arrays: %s", instead);
}

AccArray *
acc_sequence_new_mistake (const char *operation,
                          AccError    code,
                          const char *format,
                          ...)
{
  g_autofree char *problem = NULL;
  ACC_ARRAY_NAMED (operation);
  AccArray *node = acc_array_begin (ACC_OP_DEFERRED, NULL, 0);
  va_list args;

  va_start (args, format);
  problem = g_strdup_vprintf (format, args);
  va_end (args);
  acc_array_fail (node, code, "%s", problem);

  return acc_array_complete (node);
}

/* --- producers */

/**
 * acc_sequence_new:
 * @producer: what reads the elements
 *
 * Creates a sequence of what a producer reads, such as an object of a class that an application derives.
 *
 * It can be walked as often as the producer can go back to its first element, by one walk at a time.
 *
 * Returns: (transfer full): the sequence
 */
AccSequence *
acc_sequence_new (AccSequenceProducer *producer)
{
  AccSequence *self;

  g_return_val_if_fail (ACC_IS_SEQUENCE_PRODUCER (producer), NULL);

  if (acc_sequence_producer_get_element_type (producer) == NULL)
    return acc_sequence_refuse ("sequence_new", ACC_ERROR_TYPE, "%s says no element type", G_OBJECT_TYPE_NAME (producer));

  if (acc_sequence_producer_get_depth (producer) > 1
      && (acc_sequence_producer_get_rank (producer) == 0 || acc_sequence_producer_get_shape (producer) != NULL))
    return acc_sequence_refuse ("sequence_new", ACC_ERROR_SHAPE, "%s says that elements are nested arrays and %s",
                                G_OBJECT_TYPE_NAME (producer),
                                acc_sequence_producer_get_shape (producer) != NULL ? "all have the same shape"
                                                                                   : "consist of numbers, not of arrays of rank 1 or more");

  self = acc_sequence_alloc (ACC_SEQUENCE_KIND_PRODUCER, NULL, 0);
  self->producer = g_object_ref (producer);
  self->type = acc_sequence_producer_get_element_type (producer);
  self->rank = acc_sequence_producer_get_rank (producer);
  self->shape = acc_sequence_producer_get_shape (producer);
  if (self->shape != NULL)
    acc_shape_ref (self->shape);
  self->depth = acc_sequence_producer_get_depth (producer);
  self->length = acc_sequence_producer_get_length (producer);

  return self;
}

/* The extents behind the outermost one. */
static AccShape *
inner_shape (AccShape *shape)
{
  guint rank;
  const gint64 *extents = acc_shape_get_extents (shape, &rank);

  return acc_shape_new (extents + 1, rank - 1);
}

/**
 * acc_sequence_new_from_array:
 * @array: an array of rank 1 or more
 *
 * Creates a sequence of the parts of an array along its outermost dimension: the rows of a matrix, the pictures of a film. An array that
 * reads a source is read while the sequence is walked.
 *
 * Returns: (transfer full): as many elements as the outermost dimension has
 */
AccSequence *
acc_sequence_new_from_array (AccArray *array)
{
  AccSequence *self;

  g_return_val_if_fail (ACC_IS_ARRAY (array), NULL);

  if (array->error != NULL)
    return acc_sequence_new_error (g_object_ref (array));
  if (array->rank == 0)
    return acc_sequence_refuse ("sequence_new_from_array", ACC_ERROR_SHAPE, "an array of rank 0 has no parts");

  self = acc_sequence_alloc (acc_array_reads_source (array) ? ACC_SEQUENCE_KIND_ARRAY : ACC_SEQUENCE_KIND_NESTED, NULL, 0);
  self->type = array->type;
  self->rank = array->rank - 1;
  if (array->shape != NULL)
    {
      self->shape = inner_shape (array->shape);
      self->length = acc_shape_get_extent (array->shape, 0);
    }
  if (self->kind == ACC_SEQUENCE_KIND_ARRAY)
    self->array = g_object_ref (array);
  else
    self->nested = acc_nested_array_new_from_regular (array);

  return self;
}

/**
 * acc_sequence_new_from_nested:
 * @nested: a nested array
 *
 * Creates a sequence of the elements of a nested array. Of several levels these are nested arrays themselves, and numbers in the
 * innermost level vectors of these.
 *
 * Returns: (transfer full): the elements, in their order
 */
AccSequence *
acc_sequence_new_from_nested (AccNestedArray *nested)
{
  g_autoptr(AccNestedArray) vectors = NULL;
  AccLifted *lifted;
  AccSequence *self;
  guint depth;

  g_return_val_if_fail (ACC_IS_NESTED_ARRAY (nested), NULL);

  if (acc_nested_array_get_values (nested)->error != NULL)
    return acc_sequence_new_error (g_object_ref (acc_nested_array_get_values (nested)));

  vectors = acc_nested_array_dup_vectors (nested);
  depth = acc_nested_array_get_depth (vectors);
  lifted = acc_nested_array_get_lifted (vectors);
  self = acc_sequence_alloc (ACC_SEQUENCE_KIND_NESTED, NULL, 0);
  self->nested = depth > 1 ? acc_walk_dup_counted (vectors) : g_object_ref (vectors);
  self->type = lifted->values->type;
  self->rank = lifted->rank;
  self->depth = depth;
  self->length = acc_nested_array_get_known_count (vectors);
  if (depth == 1 && lifted->form == ACC_LIFTED_CONSTANT && lifted->values->shape != NULL)
    self->shape = acc_shape_ref (lifted->values->shape);
  else if (depth == 1 && lifted->form == ACC_LIFTED_REGULAR && lifted->values->shape != NULL)
    self->shape = inner_shape (lifted->values->shape);

  return self;
}

/* --- what is known of it */

/**
 * acc_sequence_get_element_type:
 * @self: a sequence
 *
 * Returns the type of the elements of its elements.
 *
 * Returns: (transfer none) (nullable): the type; %NULL where @self has an error
 */
AccElementType *
acc_sequence_get_element_type (AccSequence *self)
{
  g_return_val_if_fail (ACC_IS_SEQUENCE (self), NULL);

  return self->mistake == NULL ? self->type : NULL;
}

/**
 * acc_sequence_get_rank:
 * @self: a sequence
 *
 * Returns the rank of its elements; where these are nested arrays, that of the arrays that they consist of.
 *
 * Returns: the rank
 */
guint
acc_sequence_get_rank (AccSequence *self)
{
  g_return_val_if_fail (ACC_IS_SEQUENCE (self), 0);

  return self->rank;
}

/**
 * acc_sequence_get_depth:
 * @self: a sequence
 *
 * Returns how many levels it has, as [method@NestedArray.get_depth] of all its elements does.
 *
 * Returns: 1 where elements are arrays, 2 where they are nested arrays of arrays, and so on
 */
guint
acc_sequence_get_depth (AccSequence *self)
{
  g_return_val_if_fail (ACC_IS_SEQUENCE (self), 0);

  return self->depth;
}

/**
 * acc_sequence_get_shape:
 * @self: a sequence
 *
 * Returns the extents of its elements, where all have the same and that is known before a walk.
 *
 * Returns: (transfer none) (nullable): the extents
 */
AccShape *
acc_sequence_get_shape (AccSequence *self)
{
  g_return_val_if_fail (ACC_IS_SEQUENCE (self), NULL);

  return self->shape;
}

/**
 * acc_sequence_get_length:
 * @self: a sequence
 *
 * Returns how many elements it has, where that is known before a walk. An array with the number is [method@Sequence.count].
 *
 * Returns: the number; -1: not known, or without an end
 */
gint64
acc_sequence_get_length (AccSequence *self)
{
  g_return_val_if_fail (ACC_IS_SEQUENCE (self), -1);

  return self->length;
}

/**
 * acc_sequence_get_label:
 * @self: a sequence
 *
 * Returns the name that errors use.
 *
 * Returns: (transfer none) (nullable): the name
 */
const char *
acc_sequence_get_label (AccSequence *self)
{
  g_return_val_if_fail (ACC_IS_SEQUENCE (self), NULL);

  return self->label;
}

const char *
acc_sequence_find_label (AccSequence *self)
{
  while (self != NULL && self->label == NULL)
    {
      AccSequence *only = NULL;

      for (guint i = 0; i < self->n_inputs; i++)
        {
          if (self->inputs[i]->kind == ACC_SEQUENCE_KIND_COUNTER)
            continue;
          if (only != NULL)
            return NULL;
          only = self->inputs[i];
        }
      self = only;
    }

  return self != NULL ? self->label : NULL;
}

/**
 * acc_sequence_set_label:
 * @self: a sequence
 * @label: (nullable): a name for people
 *
 * Sets a name for the sequence, which errors and plans use. Must not be called while another thread uses @self.
 */
void
acc_sequence_set_label (AccSequence *self,
                        const char  *label)
{
  g_return_if_fail (ACC_IS_SEQUENCE (self));

  g_free (self->label);
  self->label = label != NULL ? g_utf8_make_valid (label, -1) : NULL;
}

/**
 * acc_sequence_get_latency:
 * @self: a sequence
 *
 * Returns how long its elements should take through a walk.
 *
 * Returns: microseconds; 0: as long as is best for all of them together
 */
gint64
acc_sequence_get_latency (AccSequence *self)
{
  g_return_val_if_fail (ACC_IS_SEQUENCE (self), 0);

  return self->latency;
}

/**
 * acc_sequence_set_latency:
 * @self: a sequence
 * @latency: microseconds; 0: as long as is best for all elements together
 *
 * Sets how long an element should take through a walk over @self or what is made of it, from when its producer has it to when it is handed
 * on: two periods of a camera's frames, say, or what a listener does not notice.
 *
 * A walk begins with one element in a step then, and takes more at once only as far as an element that comes while a step is under way is
 * done in time with the next one. Of several targets in a walk the least counts. It is a target and no promise: one element may take longer
 * by itself, and kernels are compiled in the first steps. Results are the same with any. Must not be called while another thread uses
 * @self.
 */
void
acc_sequence_set_latency (AccSequence *self,
                          gint64       latency)
{
  g_return_if_fail (ACC_IS_SEQUENCE (self));
  g_return_if_fail (latency >= 0);

  self->latency = latency;
}

/**
 * acc_sequence_check:
 * @self: a sequence
 * @error: return location for an error
 *
 * Checks whether the sequence was built without a mistake. What depends on elements is only seen in a walk.
 *
 * Returns: %TRUE if there is none
 */
gboolean
acc_sequence_check (AccSequence *self,
                    GError     **error)
{
  g_return_val_if_fail (ACC_IS_SEQUENCE (self), FALSE);

  return self->mistake == NULL || acc_array_check (self->mistake, error);
}
