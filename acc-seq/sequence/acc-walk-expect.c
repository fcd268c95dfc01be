/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "acc-walk-private.h"

#include "acc-core/array/acc-array-build-private.h"
#include "acc-core/array/acc-array-values-private.h"
#include "acc-seq/sequence/producers/acc-sequence-arrays-private.h"
#include "acc-seq/stream/acc-memory-source-private.h"
#include "acc-seq/stream/acc-stages-private.h"

/* Before a walk: how many elements there are at least, which of them are certain to be computed, which is the largest, and of what
 * extents. */

#define ALL G_MAXINT64

void
acc_walk_expect_init (AccWalkExpect *self,
                      AccWalk       *walk,
                      gint64         wanted)
{
  *self = (AccWalkExpect) { walk, wanted, g_hash_table_new_full (NULL, NULL, NULL, g_free) };
}

void
acc_walk_expect_clear (AccWalkExpect *self)
{
  g_clear_pointer (&self->ends, g_hash_table_unref);
}

/* --- how many there are */

static gint64
multiply (gint64 a,
          gint64 b)
{
  gint64 product;

  return a == ALL || __builtin_mul_overflow (a, b, &product) ? ALL : product;
}

static gint64
add (gint64 a,
     gint64 b)
{
  return a > ALL - b ? ALL : a + b;
}

/* Of @sequence, with which a stage begins; NULL: none does. */
static AccWalkInlet *
find_inlet (AccWalkExpect *self,
            AccSequence   *sequence)
{
  AccWalkStage *stage = g_hash_table_lookup (self->walk->stage_of, sequence);

  for (guint i = 0; stage != NULL && i < stage->inlets->len; i++)
    {
      AccWalkInlet *inlet = g_ptr_array_index (stage->inlets, i);

      if (inlet->sequence == sequence)
        return inlet;
    }

  return NULL;
}

/* What is read tells when a walk has it. */
static gint64
count_first (AccWalkExpect *self,
             AccSequence   *sequence)
{
  AccWalkInlet *inlet = find_inlet (self, sequence);
  gint64 n = -1;

  if (inlet != NULL && inlet->whole != NULL)
    n = inlet->whole->count;
  else if (inlet != NULL && inlet->reader != NULL)
    n = acc_walk_reader_get_length (inlet->reader);

  return MAX (n, 0);
}

/* How many elements there are at least. */
static gint64
count_least (AccWalkExpect *self,
             AccSequence   *sequence)
{
  gint64 least = ALL;

  if (sequence->endless)
    return ALL;
  if (sequence->length >= 0)
    return sequence->length;

  switch (sequence->kind)
    {
    case ACC_SEQUENCE_KIND_PRODUCER:
    case ACC_SEQUENCE_KIND_NESTED:
    case ACC_SEQUENCE_KIND_ARRAY:
    case ACC_SEQUENCE_KIND_COUNTER:
      return count_first (self, sequence);
    case ACC_SEQUENCE_KIND_MAP:
      for (guint i = 0; i < sequence->n_inputs; i++)
        least = MIN (least, count_least (self, sequence->inputs[i]));
      return least;
    case ACC_SEQUENCE_KIND_SCAN:
      return count_least (self, sequence->inputs[0]);
    case ACC_SEQUENCE_KIND_TAKE:
      return MIN (count_least (self, sequence->inputs[0]), sequence->number);
    case ACC_SEQUENCE_KIND_DROP:
      return MAX (count_least (self, sequence->inputs[0]) - sequence->number, 0);
    case ACC_SEQUENCE_KIND_CONCAT:
      return add (count_least (self, sequence->inputs[0]), count_least (self, sequence->inputs[1]));
    case ACC_SEQUENCE_KIND_BATCH:
      least = count_least (self, sequence->inputs[0]);
      return least / sequence->number + (least % sequence->number != 0);
    case ACC_SEQUENCE_KIND_EXPAND:
      return sequence->inputs[0]->shape == NULL
             ? 0 : multiply (count_least (self, sequence->inputs[0]), acc_shape_get_extent (sequence->inputs[0]->shape, 0));
    case ACC_SEQUENCE_KIND_FILTER:
    case ACC_SEQUENCE_KIND_TAKE_WHILE:
    case ACC_SEQUENCE_KIND_MAP_BATCH:
    case ACC_SEQUENCE_KIND_FOLD_BATCH:
      break;
    }

  return 0;
}

/* The same of all that a stage goes through together, without that of @but, which may be NULL. */
static gint64
count_stage (AccWalkExpect *self,
             AccWalkStage  *stage,
             AccWalkInlet  *but)
{
  gint64 least = ALL;

  for (guint i = 0; i < stage->inlets->len; i++)
    if (g_ptr_array_index (stage->inlets, i) != but)
      least = MIN (least, count_least (self, ((AccWalkInlet *) g_ptr_array_index (stage->inlets, i))->sequence));
  for (guint i = 0; i < stage->maps->len; i++)
    {
      AccSequence *map = g_ptr_array_index (stage->maps, i);

      for (guint j = 0; j < map->n_inputs; j++)
        if (map->inputs[j]->kind == ACC_SEQUENCE_KIND_COUNTER)
          least = MIN (least, count_least (self, map->inputs[j]));
    }

  return least;
}

/* --- how many are wanted */

static AccWalkRange find_wanted (AccWalkExpect *self, AccWalkOutlet *outlet);

/* Elements that outlets of @stage want, whether they are there or not. */
static gint64
find_end (AccWalkExpect *self,
          AccWalkStage  *stage)
{
  gint64 *known = g_hash_table_lookup (self->ends, stage), end = 0;

  if (known != NULL)
    return *known;
  for (guint i = 0; i < stage->outlets->len; i++)
    end = MAX (end, find_wanted (self, g_ptr_array_index (stage->outlets, i)).end);
  g_hash_table_insert (self->ends, stage, g_memdup2 (&end, sizeof end));

  return end;
}

/* What @boundary needs of elements of its feed @feed where @n of what it gives are wanted. */
static AccWalkRange
invert (AccSequence *boundary,
        guint        feed,
        gint64       n)
{
  gint64 before;

  switch (boundary->kind)
    {
    case ACC_SEQUENCE_KIND_TAKE:
      return (AccWalkRange) { 0, MIN (n, boundary->number) };
    case ACC_SEQUENCE_KIND_DROP:
      return (AccWalkRange) { boundary->number, add (n, boundary->number) };
    case ACC_SEQUENCE_KIND_CONCAT:
      before = feed == 0 ? 0 : boundary->inputs[0]->endless ? ALL : boundary->inputs[0]->length;
      return (AccWalkRange) { 0, n == ALL && before < ALL ? ALL : before >= 0 ? MAX (n - before, 0) : 0 };
    case ACC_SEQUENCE_KIND_BATCH:
      return (AccWalkRange) { 0, multiply (n, boundary->number) };
    case ACC_SEQUENCE_KIND_MAP_BATCH:
      return (AccWalkRange) { 0, n == ALL ? ALL : MAX (boundary->number, 1) };
    case ACC_SEQUENCE_KIND_TAKE_WHILE:
      return (AccWalkRange) { 0, 1 };
    case ACC_SEQUENCE_KIND_FOLD_BATCH:
    case ACC_SEQUENCE_KIND_EXPAND:
      return (AccWalkRange) { 0, n == ALL ? ALL : 1 };
    case ACC_SEQUENCE_KIND_FILTER:
    case ACC_SEQUENCE_KIND_SCAN:
    case ACC_SEQUENCE_KIND_PRODUCER:
    case ACC_SEQUENCE_KIND_NESTED:
    case ACC_SEQUENCE_KIND_ARRAY:
    case ACC_SEQUENCE_KIND_COUNTER:
    case ACC_SEQUENCE_KIND_MAP:
      break;
    }

  return (AccWalkRange) { 0, n };
}

static AccWalkRange
find_wanted (AccWalkExpect *self,
             AccWalkOutlet *outlet)
{
  AccWalkInlet *inlet = outlet->inlet;
  gint64 n = self->wanted;

  if (outlet->done)
    return (AccWalkRange) { 0, 0 };
  if (inlet != NULL)
    n = MIN (find_end (self, inlet->stage), count_stage (self, inlet->stage, inlet));

  return n == 0 || outlet->boundary == NULL ? (AccWalkRange) { 0, n } : invert (outlet->boundary, outlet->feed, n);
}

AccWalkRange
acc_walk_expect_outlet (AccWalkExpect *self,
                        AccWalkOutlet *outlet)
{
  AccWalkRange range = find_wanted (self, outlet);

  range.end = MIN (range.end, count_stage (self, outlet->stage, NULL));

  return range;
}

/* --- how large they are */

static AccSequenceArrays *
get_list (AccSequence *sequence)
{
  return sequence->kind == ACC_SEQUENCE_KIND_PRODUCER && sequence->producer != NULL && ACC_IS_SEQUENCE_ARRAYS (sequence->producer)
         ? ACC_SEQUENCE_ARRAYS (sequence->producer) : NULL;
}

/* Offsets of elements in memory; NULL: it has none. */
static const gint64 *
get_offsets (AccNestedArray *nested)
{
  AccLifted *lifted = nested != NULL ? acc_nested_array_get_lifted (nested) : NULL;

  return lifted != NULL && acc_nested_array_get_inner (nested) == NULL && lifted->form == ACC_LIFTED_IRREGULAR
         && acc_array_is_manifest (lifted->nesting->offsets)
         ? acc_walk_map_numbers (lifted->nesting->offsets, NULL) : NULL;
}

/* In memory; -1: not known. */
static gint64
measure (AccSequence  *sequence,
         const gint64 *offsets,
         gint64        number)
{
  AccSequenceArrays *list = get_list (sequence);
  g_autoptr(AccArray) array = NULL;

  if (sequence->shape != NULL)
    return acc_walk_count_bytes (sequence->shape, sequence->type);
  if (offsets != NULL)
    return (offsets[number + 1] - offsets[number]) * (gint64) acc_element_type_get_size (sequence->type);
  array = list != NULL ? acc_sequence_arrays_peek (list, number) : NULL;

  return array != NULL ? acc_walk_count_bytes (array->shape, array->type) : -1;
}

/* The first of those of @range with the most bytes; -1: it is not known. @nested: nullable. */
static gint64
find_in_memory (AccSequence    *sequence,
                AccNestedArray *nested,
                AccWalkRange    range,
                gint64         *bytes)
{
  const gint64 *offsets = get_offsets (nested);
  gint64 number = -1;

  *bytes = -1;
  for (gint64 k = range.first; k < range.end; k++)
    {
      gint64 own = measure (sequence, offsets, k);

      if (own < 0)
        return -1;
      if (own > *bytes)
        number = k;
      *bytes = MAX (*bytes, own);
    }

  return number;
}

gboolean
acc_walk_find_largest (AccSequence *sequence,
                       gint64      *number,
                       gint64      *bytes)
{
  if (sequence->length <= 0 || (sequence->kind != ACC_SEQUENCE_KIND_NESTED && get_list (sequence) == NULL))
    return FALSE;
  *number = find_in_memory (sequence, sequence->nested, (AccWalkRange) { 0, sequence->shape != NULL ? 1 : sequence->length }, bytes);

  return *number >= 0;
}

static void
add_number (GArray *numbers,
            gint64  number)
{
  for (guint i = 0; i < numbers->len; i++)
    if (g_array_index (numbers, gint64, i) == number)
      return;
  if (number >= 0)
    g_array_append_val (numbers, number);
}

/* The same of @input, from whose element number @from on those are taken that become element number @to and those behind it. */
static void
find_largest_of (AccWalkExpect *self,
                 AccSequence   *input,
                 gint64         from,
                 gint64         to,
                 AccWalkRange   range,
                 GArray        *numbers)
{
  g_autoptr(GArray) own = g_array_new (FALSE, FALSE, sizeof (gint64));

  range.first = MAX (range.first, to) - to + from;
  range.end = range.end == ALL ? ALL : range.end - to + from;
  acc_walk_expect_find_largest (self, input, range, own);
  for (guint i = 0; i < own->len; i++)
    add_number (numbers, g_array_index (own, gint64, i) - from + to);
}

void
acc_walk_expect_find_largest (AccWalkExpect *self,
                              AccSequence   *sequence,
                              AccWalkRange   range,
                              GArray        *numbers)
{
  AccWalkInlet *inlet = find_inlet (self, sequence);
  gint64 bytes, before;

  range.end = MIN (range.end, count_least (self, sequence));
  if (range.first >= range.end)
    return;
  if (sequence->shape != NULL)
    {
      add_number (numbers, range.first);
      return;
    }

  switch (sequence->kind)
    {
    case ACC_SEQUENCE_KIND_PRODUCER:
    case ACC_SEQUENCE_KIND_NESTED:
      add_number (numbers, find_in_memory (sequence, inlet != NULL && inlet->whole != NULL ? inlet->whole->nested : sequence->nested, range,
                                           &bytes));
      break;
    case ACC_SEQUENCE_KIND_MAP:
      for (guint i = 0; i < sequence->n_inputs; i++)
        acc_walk_expect_find_largest (self, sequence->inputs[i], range, numbers);
      break;
    case ACC_SEQUENCE_KIND_TAKE:
      acc_walk_expect_find_largest (self, sequence->inputs[0], range, numbers);
      break;
    case ACC_SEQUENCE_KIND_DROP:
      find_largest_of (self, sequence->inputs[0], sequence->number, 0, range, numbers);
      break;
    case ACC_SEQUENCE_KIND_CONCAT:
      before = sequence->inputs[0]->length;
      acc_walk_expect_find_largest (self, sequence->inputs[0], range, numbers);
      if (before >= 0 && range.end > before)
        find_largest_of (self, sequence->inputs[1], 0, before, range, numbers);
      break;
    case ACC_SEQUENCE_KIND_BATCH:
      if (sequence->inputs[0]->shape != NULL)
        add_number (numbers, range.first);
      break;
    case ACC_SEQUENCE_KIND_ARRAY:
    case ACC_SEQUENCE_KIND_COUNTER:
    case ACC_SEQUENCE_KIND_FILTER:
    case ACC_SEQUENCE_KIND_TAKE_WHILE:
    case ACC_SEQUENCE_KIND_SCAN:
    case ACC_SEQUENCE_KIND_EXPAND:
    case ACC_SEQUENCE_KIND_MAP_BATCH:
    case ACC_SEQUENCE_KIND_FOLD_BATCH:
      break;
    }
}

/* --- what stands for them */

AccArray *
acc_walk_expect_hide (AccArray *element)
{
  g_autoptr(AccShape) vector = acc_shape_new_vector (1);
  g_autoptr(AccArray) one = NULL, row = NULL;

  if (element->rank > 0)
    return acc_memory_source_new_rows (element);
  one = acc_array_see_as (element, vector);
  row = acc_memory_source_new_rows (one);

  return acc_array_reshape (row, element->shape);
}

static AccWalkExpected
expect_holes (AccWalkExpect  *self,
              AccElementType *type,
              AccShape       *shape)
{
  return (AccWalkExpected) { shape != NULL ? acc_stages_new_holes (self->walk->backend, type, shape) : NULL, TRUE };
}

/* Element number @number of a batch, of elements of equal extents. */
static AccWalkExpected
expect_batch (AccWalkExpect *self,
              AccSequence   *batch,
              gint64         number)
{
  AccSequence *input = batch->inputs[0];
  g_autofree gint64 *extents = g_new (gint64, batch->rank + 1);
  g_autoptr(AccShape) shape = NULL;

  if (input->shape == NULL)
    return (AccWalkExpected) { NULL, TRUE };
  extents[0] = MIN (count_least (self, input) - number * batch->number, batch->number);
  for (guint d = 0; d < input->rank; d++)
    extents[d + 1] = acc_shape_get_extent (input->shape, d);
  shape = acc_shape_new (extents, batch->rank);

  return expect_holes (self, batch->type, shape);
}

/* Of what its function makes of elements of those extents; of values that are not there yet nothing is made that follows from them. */
static AccWalkExpected
expect_mapped (AccWalkExpect *self,
               AccSequence   *map,
               gint64         number)
{
  g_autoptr(GPtrArray) inputs = g_ptr_array_new_with_free_func (g_object_unref);
  g_autoptr(AccNestedArray) made = NULL;
  AccArray *values;

  for (guint i = 0; i < map->n_inputs; i++)
    {
      AccWalkExpected input = acc_walk_expect_element (self, map->inputs[i], number);
      g_autoptr(AccArray) element = input.array;
      g_autoptr(AccArray) hidden = element != NULL && input.is_expected ? acc_walk_expect_hide (element) : NULL;
      AccWalkPart *part;

      if (element == NULL)
        return (AccWalkExpected) { NULL, TRUE };
      part = acc_walk_part_new_constant (hidden != NULL ? hidden : element, 1);
      g_ptr_array_add (inputs, g_object_ref (part->nested));
      acc_walk_part_unref (part);
    }
  made = acc_walk_apply (self->walk, map, (AccNestedArray **) inputs->pdata, 0);
  values = acc_nested_array_get_lifted (made)->values;
  if (acc_nested_array_get_lifted (made)->form != ACC_LIFTED_CONSTANT || values->error != NULL)
    return (AccWalkExpected) { NULL, TRUE };
  if (values->shape == NULL)
    acc_array_infer_known (values);

  return expect_holes (self, values->type, values->shape);
}

/* NULL: it is not in memory. */
static AccArray *
dup_in_memory (AccWalkExpect *self,
               AccSequence   *sequence,
               gint64         number)
{
  AccSequenceArrays *list = get_list (sequence);
  AccWalkInlet *inlet = find_inlet (self, sequence);

  if (sequence->kind == ACC_SEQUENCE_KIND_COUNTER)
    return acc_walk_new_number (number);
  if (list != NULL)
    return acc_sequence_arrays_peek (list, number);

  return inlet != NULL && inlet->whole != NULL && !inlet->whole_is_lazy ? acc_walk_part_dup_element (inlet->whole, number, NULL) : NULL;
}

AccWalkExpected
acc_walk_expect_element (AccWalkExpect *self,
                         AccSequence   *sequence,
                         gint64         number)
{
  AccArray *array = sequence->depth == 1 ? dup_in_memory (self, sequence, number) : NULL;
  gint64 before;

  /* A nested array is no array. */
  if (sequence->depth > 1)
    return (AccWalkExpected) { NULL, TRUE };
  if (array != NULL)
    return (AccWalkExpected) { array, FALSE };

  switch (sequence->kind)
    {
    case ACC_SEQUENCE_KIND_TAKE:
      return acc_walk_expect_element (self, sequence->inputs[0], number);
    case ACC_SEQUENCE_KIND_DROP:
      return acc_walk_expect_element (self, sequence->inputs[0], number + sequence->number);
    case ACC_SEQUENCE_KIND_CONCAT:
      before = count_least (self, sequence->inputs[0]);
      return number < before ? acc_walk_expect_element (self, sequence->inputs[0], number)
                             : acc_walk_expect_element (self, sequence->inputs[1], number - before);
    case ACC_SEQUENCE_KIND_BATCH:
      return expect_batch (self, sequence, number);
    case ACC_SEQUENCE_KIND_MAP:
      if (sequence->shape == NULL)
        return expect_mapped (self, sequence, number);
      break;
    case ACC_SEQUENCE_KIND_PRODUCER:
    case ACC_SEQUENCE_KIND_NESTED:
    case ACC_SEQUENCE_KIND_ARRAY:
    case ACC_SEQUENCE_KIND_COUNTER:
    case ACC_SEQUENCE_KIND_FILTER:
    case ACC_SEQUENCE_KIND_TAKE_WHILE:
    case ACC_SEQUENCE_KIND_SCAN:
    case ACC_SEQUENCE_KIND_EXPAND:
    case ACC_SEQUENCE_KIND_MAP_BATCH:
    case ACC_SEQUENCE_KIND_FOLD_BATCH:
      break;
    }

  return expect_holes (self, sequence->type, sequence->shape);
}
