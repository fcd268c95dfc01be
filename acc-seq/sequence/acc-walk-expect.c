/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "acc-walk-private.h"

#include "acc-core/array/acc-array-build-private.h"
#include "acc-core/array/acc-array-values-private.h"

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
AccWalkInlet *
acc_walk_expect_find_inlet (AccWalkExpect *self,
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
  AccWalkInlet *inlet = acc_walk_expect_find_inlet (self, sequence);
  gint64 n = -1;

  if (inlet != NULL && inlet->whole != NULL)
    n = inlet->whole->count;
  else if (inlet != NULL && inlet->reader != NULL)
    n = acc_walk_reader_get_length (inlet->reader);

  return MAX (n, 0);
}

/* How many elements there are at least. */
gint64
acc_walk_expect_count (AccWalkExpect *self,
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
        least = MIN (least, acc_walk_expect_count (self, sequence->inputs[i]));
      return least;
    case ACC_SEQUENCE_KIND_SCAN:
      return acc_walk_expect_count (self, sequence->inputs[0]);
    case ACC_SEQUENCE_KIND_TAKE:
      return MIN (acc_walk_expect_count (self, sequence->inputs[0]), sequence->number);
    case ACC_SEQUENCE_KIND_DROP:
      return MAX (acc_walk_expect_count (self, sequence->inputs[0]) - sequence->number, 0);
    case ACC_SEQUENCE_KIND_CONCAT:
      return add (acc_walk_expect_count (self, sequence->inputs[0]), acc_walk_expect_count (self, sequence->inputs[1]));
    case ACC_SEQUENCE_KIND_BATCH:
      least = acc_walk_expect_count (self, sequence->inputs[0]);
      return least / sequence->number + (least % sequence->number != 0);
    case ACC_SEQUENCE_KIND_EXPAND:
      return sequence->inputs[0]->shape == NULL
             ? 0 : multiply (acc_walk_expect_count (self, sequence->inputs[0]), acc_shape_get_extent (sequence->inputs[0]->shape, 0));
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
      least = MIN (least, acc_walk_expect_count (self, ((AccWalkInlet *) g_ptr_array_index (stage->inlets, i))->sequence));
  for (guint i = 0; i < stage->maps->len; i++)
    {
      AccSequence *map = g_ptr_array_index (stage->maps, i);

      for (guint j = 0; j < map->n_inputs; j++)
        if (map->inputs[j]->kind == ACC_SEQUENCE_KIND_COUNTER)
          least = MIN (least, acc_walk_expect_count (self, map->inputs[j]));
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

AccSequenceArrays *
acc_walk_get_list (AccSequence *sequence)
{
  return sequence->kind == ACC_SEQUENCE_KIND_PRODUCER && sequence->producer != NULL && ACC_IS_SEQUENCE_ARRAYS (sequence->producer)
         ? ACC_SEQUENCE_ARRAYS (sequence->producer) : NULL;
}

/* Where values of elements in memory begin: offsets from level to level, and the values of what those of the last one count. */
typedef struct {
  GPtrArray *levels;    /* owned, of borrowed ones; empty: it is not known */
  gint64     width;
} Places;

static void
places_clear (Places *self)
{
  g_clear_pointer (&self->levels, g_ptr_array_unref);
}

G_DEFINE_AUTO_CLEANUP_CLEAR_FUNC (Places, places_clear)

static gboolean
places_add (Places   *self,
            AccArray *offsets)
{
  const gint64 *numbers = acc_array_is_manifest (offsets) ? acc_walk_map_numbers (offsets, NULL) : NULL;

  if (numbers != NULL)
    g_ptr_array_add (self->levels, (gpointer) numbers);

  return numbers != NULL;
}

/* @nested: nullable. */
static void
places_init (Places         *self,
             AccNestedArray *nested)
{
  AccLifted *lifted = nested != NULL ? acc_nested_array_get_lifted (nested) : NULL;
  gboolean known = lifted != NULL && lifted->values->shape != NULL;
  gint64 n;

  *self = (Places) { g_ptr_array_new (), 1 };
  for (; known && acc_nested_array_get_inner (nested) != NULL; nested = acc_nested_array_get_inner (nested))
    known = places_add (self, acc_nested_array_get_groups (nested));
  if (known && lifted->form == ACC_LIFTED_IRREGULAR)
    {
      known = places_add (self, lifted->nesting->offsets);
    }
  else if (known)
    {
      n = lifted->form == ACC_LIFTED_REGULAR ? acc_shape_get_extent (lifted->values->shape, 0) : 0;
      self->width = n > 0 ? acc_shape_get_size (lifted->values->shape) / n : 0;
    }
  if (!known)
    g_ptr_array_set_size (self->levels, 0);
}

static gint64
find_place (const Places *self,
            gint64        number)
{
  for (guint i = 0; i < self->levels->len; i++)
    number = ((const gint64 *) g_ptr_array_index (self->levels, i))[number];

  return number * self->width;
}

/* In memory; -1: not known. */
static gint64
measure (AccSequence  *sequence,
         const Places *places,
         gint64        number)
{
  AccSequenceArrays *list = acc_walk_get_list (sequence);
  g_autoptr(AccArray) array = NULL;

  if (sequence->shape != NULL)
    return acc_walk_count_bytes (sequence->shape, sequence->type);
  if (places->levels->len > 0)
    return (find_place (places, number + 1) - find_place (places, number)) * (gint64) acc_element_type_get_size (sequence->type);
  array = list != NULL ? acc_sequence_arrays_peek (list, number) : NULL;

  return array != NULL ? acc_walk_count_bytes (array->shape, array->type) : -1;
}

/* The first of those of @range with the most bytes, where each has @size of @sequence; -1: it is not known. @nested: nullable, these. */
static gint64
find_in_memory (AccSequence    *sequence,
                AccNestedArray *nested,
                AccWalkRange    range,
                gint64          size,
                gint64         *bytes)
{
  g_auto(Places) places = { NULL, };
  gint64 number = -1, own = 0;

  places_init (&places, nested);
  *bytes = -1;
  for (gint64 k = range.first; k < range.end; k++)
    {
      gint64 one = measure (sequence, &places, k);

      if (one < 0)
        return -1;
      own = add (own, one);
      if ((k + 1) % size != 0 && k + 1 < range.end)
        continue;
      if (own > *bytes)
        number = k / size;
      *bytes = MAX (*bytes, own);
      own = 0;
    }

  return number;
}

/* What is there of @sequence; borrowed, NULL: nothing. */
static AccNestedArray *
find_nested (AccWalkExpect *self,
             AccSequence   *sequence)
{
  AccWalkInlet *inlet = acc_walk_expect_find_inlet (self, sequence);

  return inlet != NULL && inlet->whole != NULL ? inlet->whole->nested : sequence->nested;
}

gboolean
acc_walk_find_largest (AccSequence *sequence,
                       gint64      *number,
                       gint64      *bytes)
{
  if (sequence->length <= 0 || (sequence->kind != ACC_SEQUENCE_KIND_NESTED && acc_walk_get_list (sequence) == NULL))
    return FALSE;
  *number = find_in_memory (sequence, sequence->nested, (AccWalkRange) { 0, sequence->shape != NULL ? 1 : sequence->length }, 1,
                            bytes);

  return *number >= 0;
}

/* The same of the batches of @range, of elements in memory. */
static gint64
find_batch (AccWalkExpect *self,
            AccSequence   *batch,
            AccWalkRange   range)
{
  AccSequence *input = batch->inputs[0];
  gint64 bytes;

  if (input->kind != ACC_SEQUENCE_KIND_NESTED)
    return -1;
  range.first = multiply (range.first, batch->number);
  range.end = MIN (multiply (range.end, batch->number), acc_walk_expect_count (self, input));

  return find_in_memory (input, find_nested (self, input), range, batch->number, &bytes);
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
  gint64 bytes, before;

  range.end = MIN (range.end, acc_walk_expect_count (self, sequence));
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
      add_number (numbers, find_in_memory (sequence, find_nested (self, sequence), range, 1, &bytes));
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
      else
        add_number (numbers, find_batch (self, sequence, range));
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
