/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "acc-array-fold-segments.h"

#include "acc-array-scan.h"
#include "acc-array-segments-private.h"
#include "acc-core/expr/acc-function-private.h"
#include "acc-core/expr/acc-trace-private.h"

/* Backends with an operation for it take that (direct). For the others it is made of operations that there are:
 *
 * Every segment is cut into blocks, and these into blocks of blocks, counted from its own begin; what is left behind the last whole block
 * stays as it is. Blocks of all segments are folded at once, which is balanced and reads memory in order. Then each segment goes over its
 * largest blocks, the smaller ones behind these, and single elements at its end: some hundreds of steps for each size of blocks, however
 * long it is. So how elements are grouped follows from how many a segment has, wherever it lies: floats are the same then.
 *
 * A loop over the elements of each segment alone takes a third less time where all segments are short, and many times more where one is
 * long, which one thread then goes over. A segmented scan, of which the ends are read, is as balanced as this, but stores more than
 * it reads: for a vector of four million f4 it took half as much time again in segments of 5, and six times the time in segments of
 * 1000 (one thread of a Xeon with AVX-512). */

/* Elements, blocks of them, or blocks of blocks. */
typedef struct {
  AccArray *values;
  AccArray *begins;     /* how many lie before each segment, and in all; elements: before its first, and before the end of the last */
  AccArray *numbers;    /* the segment of each; not of elements */
} Level;

typedef struct {
  AccSegments *segments;
  AccFunction *combine;                  /* owned: what is asked for once, of variables alone */
  Level        levels[ACC_SEGMENTS_LEVELS + 1];
  guint        n_levels;                 /* of blocks */
  AccExpr     *index;                    /* of the result */
  AccExpr     *segment;
  AccExpr     *length;
  gboolean     from_right;
} Fold;

static AccExpr *
block_size (guint level)
{
  return acc_array_number (G_GINT64_CONSTANT (1) << (level * ACC_SEGMENTS_BLOCK_BITS));
}

static AccExpr *
count_in_blocks (AccExpr *length,
                 guint    level)
{
  return level > 0 ? acc_expr_shr (length, acc_array_number (level * ACC_SEGMENTS_BLOCK_BITS)) : length;
}

static AccExpr *
length_of (const Fold *fold,
           AccExpr    *segment)
{
  return acc_expr_sub (acc_segments_begin (fold->segments, segment, 1), acc_segments_begin (fold->segments, segment, 0));
}

/* --- blocks of the level that comes next */

static AccExpr *
count_blocks (AccExpr *segment,
              gpointer data)
{
  const Fold *fold = data;

  return count_in_blocks (length_of (fold, segment), fold->n_levels + 1);
}

/* How many blocks there may be at most, and one more where there is something that could stand in: no array that they are read from has as
 * many elements, so that devices read them in the same way whatever their number is. */
static AccExpr *
most_blocks (const Fold *fold)
{
  AccArray *array = fold->segments->array;
  g_autoptr(AccExpr) n = acc_expr_ref_sink (acc_expr_extent (array, array->rank - 1));

  return acc_expr_add (acc_expr_quot (n, block_size (fold->n_levels + 1)), acc_expr_min (n, acc_array_number (1)));
}

static AccExpr *
is_block (const Fold *fold,
          AccExpr    *block)
{
  return acc_expr_lt (block, acc_expr_linear_index (fold->levels[fold->n_levels + 1].begins, acc_segments_count (fold->segments)));
}

/* Where element number rank of @index, of a block, is on the level below; where there is no such block, some place that there is. */
static AccExpr *
nth_of_block (AccExpr *index,
              gpointer data)
{
  const Fold *fold = data;
  const Level *below = &fold->levels[fold->n_levels], *own = below + 1;
  guint rank = acc_expr_get_n_items (index) - 1;
  g_autofree AccExpr **items = g_new (AccExpr *, rank);
  g_autoptr(AccExpr) block = acc_expr_ref_sink (acc_expr_item (index, rank - 1));
  g_autoptr(AccExpr) segment = acc_expr_ref_sink (acc_expr_linear_index (own->numbers, block));
  AccExpr *before = acc_expr_mul (acc_expr_sub (block, acc_expr_linear_index (own->begins, segment)), block_size (1));
  AccExpr *place = acc_expr_add (acc_expr_add (acc_expr_linear_index (below->begins, segment), before), acc_expr_item (index, rank));

  for (guint i = 0; i + 1 < rank; i++)
    items[i] = acc_expr_item (index, i);
  items[rank - 1] = acc_expr_cond (is_block (fold, block), place, acc_array_number (0));

  return acc_array_join_items (items, rank);
}

/* The user's function must not see elements outside all segments, where it may fail: an element inside takes their place. */
static AccExpr *
element_within (AccExpr *index,
                AccExpr *x,
                gpointer data)
{
  const Fold *fold = data;
  AccSegments *segments = fold->segments;
  AccExpr *block = acc_expr_item (index, acc_expr_get_n_items (index) - 2);

  return acc_expr_cond (is_block (fold, block), x, segments->initial != NULL ? segments->initial
                          : acc_expr_index (segments->array,
                                            acc_array_index_in_row (segments->array, index, acc_segments_first (segments))));
}

static void
add_level (Fold *fold)
{
  AccSegments *segments = fold->segments;
  Level *below = &fold->levels[fold->n_levels], *own = below + 1;
  g_autofree AccExpr **extents = acc_array_list_extents (below->values);
  guint rank = below->values->rank;
  g_autoptr(AccArray) counts = acc_array_generate_expr (acc_segments_count (segments), count_blocks, fold);
  g_autoptr(AccArray) blocks = NULL, within = NULL;

  own->begins = acc_array_scanl (counts, acc_array_number (0), acc_array_add_elements, NULL);
  own->numbers = acc_segments_number (own->begins, most_blocks (fold));

  acc_expr_unref (acc_expr_ref_sink (extents[rank - 1]));
  extents[rank - 1] = most_blocks (fold);
  extents[rank] = block_size (1);
  /* Where there is no segment nothing could stand in. */
  extents[0] = acc_expr_cond (acc_expr_gt (acc_segments_count (segments), acc_array_number (0)), extents[0], acc_array_number (0));
  blocks = acc_array_backpermute_expr (below->values, acc_expr_tuple (extents, rank + 1), nth_of_block, fold);
  within = fold->n_levels == 0 ? acc_array_imap (blocks, element_within, fold) : g_object_ref (blocks);
  own->values = acc_array_fold1 (within, segments->combine, segments->data);
  fold->n_levels++;
}

/* As many as the longest segment may need: how elements are grouped does not depend on how many levels there are above. */
static void
make_levels (Fold *fold)
{
  AccShape *shape = acc_array_get_shape (fold->segments->array);
  gint64 n = shape != NULL ? acc_shape_get_extent (shape, fold->segments->array->rank - 1) : G_MAXINT64;

  fold->levels[0] = (Level) { g_object_ref (fold->segments->array), g_object_ref (fold->segments->offsets) };
  while (fold->n_levels < ACC_SEGMENTS_LEVELS && n >> ((fold->n_levels + 1) * ACC_SEGMENTS_BLOCK_BITS) > 0)
    add_level (fold);
}

static void
clear_levels (Fold *fold)
{
  for (guint i = 0; i <= fold->n_levels; i++)
    {
      g_object_unref (fold->levels[i].values);
      g_object_unref (fold->levels[i].begins);
      g_clear_object (&fold->levels[i].numbers);
    }
}

/* --- segments, by blocks */

/* The largest block that is left behind @done elements of the segment: its size and value. */
static AccExpr *
find_block (const Fold *fold,
            AccExpr    *done,
            guint       level)
{
  const Level *own = &fold->levels[level];
  AccExpr *place = acc_expr_add (acc_expr_linear_index (own->begins, fold->segment), count_in_blocks (done, level));
  AccExpr *block = acc_expr_tuple2 (block_size (level), acc_expr_index (own->values,
                                                                        acc_array_index_in_row (own->values, fold->index, place)));

  if (level == fold->n_levels)
    return block;

  return acc_expr_cond (acc_expr_le (acc_expr_add (done, block_size (level + 1)), fold->length), find_block (fold, done, level + 1), block);
}

/* The state is (elements done, value). */
static AccExpr *
next_block (AccExpr *state,
            gpointer data)
{
  const Fold *fold = data;
  g_autoptr(AccExpr) done = acc_expr_ref_sink (acc_expr_item (state, 0));
  g_autoptr(AccExpr) so_far = acc_expr_ref_sink (acc_expr_item (state, 1));
  g_autoptr(AccExpr) block = acc_expr_ref_sink (find_block (fold, done, 0));
  g_autoptr(AccExpr) next = acc_expr_ref_sink (acc_expr_item (block, 1));
  AccExpr *value = acc_function_apply (fold->combine, (AccExpr *[]) { so_far, next });

  return acc_expr_tuple2 (acc_expr_lt (done, fold->length), acc_expr_tuple2 (acc_expr_add (done, acc_expr_item (block, 0)), value));
}

static AccExpr *
fold_segment (AccExpr *index,
              gpointer data)
{
  Fold *fold = data;
  AccSegments *segments = fold->segments;
  g_autoptr(AccExpr) segment = acc_expr_ref_sink (acc_expr_item (index, segments->array->rank - 1));
  g_autoptr(AccExpr) length = NULL, zero = acc_expr_ref_sink (acc_array_number (0)), first = NULL, own = NULL;
  AccExpr *end = acc_segments_begin (segments, segment, 1), *folded;

  /* No change, but the sum is looked at, and is an error where it is too large. */
  if (segments->total != NULL)
    end = acc_expr_min (end, acc_expr_the (segments->total));
  length = acc_expr_ref_sink (acc_expr_sub (end, acc_segments_begin (segments, segment, 0)));
  fold->index = index;
  fold->segment = segment;
  fold->length = length;

  if (segments->initial != NULL && !fold->from_right)
    return acc_expr_item (acc_expr_while (acc_expr_tuple2 (zero, segments->initial), next_block, fold), 1);

  first = acc_expr_ref_sink (find_block (fold, zero, 0));
  folded = acc_expr_item (acc_expr_while (acc_expr_tuple2 (acc_expr_item (first, 0), acc_expr_item (first, 1)), next_block, fold), 1);
  if (!fold->from_right)
    return folded;

  /* The initial value may be a literal, which constructors simplify with. */
  own = acc_expr_ref_sink (folded);
  return acc_expr_cond (acc_expr_lt (zero, length), acc_call2 (segments->combine, own, segments->initial, segments->data),
                        segments->initial);
}

/* --- rows of a source, which are read one by one: the ends of a scan */

/* The place where the scan of a segment is complete: with an initial value, one place further. */
static AccExpr *
end_of_scan (AccExpr *index,
             gpointer data)
{
  const Fold *fold = data;
  AccSegments *segments = fold->segments;
  g_autoptr(AccExpr) segment = acc_expr_ref_sink (acc_expr_item (index, segments->array->rank - 1));
  AccExpr *place = acc_expr_sub (acc_segments_begin (segments, segment, fold->from_right ? 0 : 1), acc_segments_first (segments));

  place = segments->initial != NULL ? acc_expr_add (place, segment) : acc_expr_sub (place, acc_array_number (1));
  return acc_array_index_in_row (segments->array, index, place);
}

static AccArray *
fold_by_rows (Fold *fold)
{
  AccSegments *segments = fold->segments;
  g_autoptr(AccArray) scanned = acc_segments_scan (segments, fold->from_right, segments->initial != NULL ? ACC_SEED_EXTRA : ACC_SEED_NONE);

  return acc_array_backpermute_expr (scanned, acc_segments_extents (segments->array, acc_segments_count (segments)), end_of_scan, fold);
}

/* --- one operation for backends that have it */

static AccExpr *
within_total (AccExpr *offset,
              gpointer total)
{
  return acc_expr_min (offset, acc_expr_the (total));
}

static AccArray *
fold_directly (AccSegments *self)
{
  /* No change, but the sum is looked at, and is an error where it is too large. */
  g_autoptr(AccArray) offsets = self->total != NULL
                                ? acc_array_map (self->offsets, within_total, self->total) : g_object_ref (self->offsets);
  AccArray *inputs[] = { self->array, offsets };
  AccArray *node = acc_array_begin (self->initial != NULL ? ACC_OP_FOLD_SEG : ACC_OP_FOLD1_SEG, inputs, 2);

  acc_array_call2 (node, 0, self->combine, self->data);
  if (self->initial != NULL)
    acc_array_close (node, 1, self->initial);
  return acc_array_complete (node);
}

AccArray *
acc_segments_fold (AccSegments *self,
                   gboolean     from_right)
{
  Fold fold = { .segments = self, .from_right = from_right };
  AccArray *folded;

  if (self->array->rank > 1 && acc_array_reads_source (self->array))
    {
      folded = fold_by_rows (&fold);
    }
  else
    {
      fold.combine = acc_function_new2 (self->array->type, self->array->type, self->combine, self->data, self->array->type);
      make_levels (&fold);
      folded = acc_array_generate_expr (acc_segments_extents (self->array, acc_segments_count (self)), fold_segment, &fold);
      clear_levels (&fold);
      acc_function_unref (fold.combine);
    }
  if (folded->error == NULL && !from_right)
    folded->direct = fold_directly (self);

  return folded;
}

static AccArray *
run_fold (AccSegments      segments,
          AccSegmentsForm  form,
          AccArray        *descriptor,
          AccSeed          seed,
          AccExpr         *initial)
{
  AccArray *result;

  segments.no_empty = seed == ACC_SEED_NONE;
  result = acc_segments_prepare (&segments, form, descriptor, seed, initial);
  if (result == NULL)
    result = acc_segments_fold (&segments, FALSE);
  acc_segments_clear (&segments);

  return result;
}

/**
 * acc_array_fold_seg:
 * @self: an array of rank 1 or more
 * @initial: the initial value of every segment, of the element type; an untyped literal takes the type of the elements
 * @lengths: the number of elements of each segment: a vector of any integer type
 * @combine: (scope call) (closure user_data): takes the value so far and the next element, gives the element type
 * @user_data: data for @combine
 *
 * Reduces each segment of every row to one value, where @lengths gives the lengths of the segments.
 *
 * Segments follow on each other: the first begins with the first element of a row. Elements behind the last segment are ignored. All rows
 * have the same segments. @combine must be associative and need not be commutative; it is called several times. @initial is used exactly
 * once for each segment, on the left, and is the result of an empty segment.
 *
 * A @combine or an @initial of another type than that of the elements is %ACC_ERROR_TYPE, and so are lengths that are not integers. Lengths
 * that are not a vector, and an array of rank 0, are %ACC_ERROR_SHAPE. A negative length, and lengths whose sum exceeds the length of a
 * row, are %ACC_ERROR_BOUNDS when run: the message gives the number, and the range up to the length of a row that is valid. Where there are
 * no rows, this may go unnoticed. Lengths are added in 64 bits, whatever their type.
 *
 * Takes time linear in the number of elements and of segments, however long the segments are. The elements of @self are computed
 * while they are reduced; in a run by rows, a computed @self is stored first. For example, `0 … 9` with the
 * lengths `1, 4, 0, 3`, the initial value 0 and a sum gives `0, 10, 0, 18`.
 *
 * ```c
 * static AccExpr *plus (AccExpr *x, AccExpr *y, gpointer data) { return acc_expr_add (x, y); }
 *
 * // xs = [1, 2, 3, 4, 5, 6], lengths = [2, 0, 3]
 * g_autoptr(AccArray) result = acc_array_fold_seg (xs, acc_expr_new_int (0), lengths, plus, NULL); // → [3, 0, 12]
 * ```
 *
 * Returns: (transfer full): an array of the shape of @self, with one element for each segment along the innermost dimension
 */
AccArray *
acc_array_fold_seg (AccArray     *self,
                    AccExpr      *initial,
                    AccArray     *lengths,
                    AccExprFunc2  combine,
                    gpointer      user_data)
{
  ACC_ARRAY_NAMED ("fold_seg");
  return run_fold ((AccSegments) { .operation = "fold_seg", .array = self, .combine = combine, .data = user_data },
                   ACC_SEGMENTS_LENGTHS, lengths, ACC_SEED_FIRST, initial);
}

/**
 * acc_array_fold1_seg:
 * @self: an array of rank 1 or more
 * @lengths: the number of elements of each segment, 1 at least: a vector of any integer type
 * @combine: (scope call) (closure user_data): takes the value so far and the next element, gives the element type
 * @user_data: data for @combine
 *
 * Reduces each segment of every row to one value without an initial value, where @lengths gives the lengths of the segments.
 *
 * An empty segment is %ACC_ERROR_BOUNDS when run. Behaves otherwise as [method@Array.fold_seg].
 *
 * ```c
 * static AccExpr *larger (AccExpr *x, AccExpr *y, gpointer data) { return acc_expr_max (x, y); }
 *
 * // xs = [1, 2, 3, 4, 5, 6], lengths = [2, 3]
 * g_autoptr(AccArray) result = acc_array_fold1_seg (xs, lengths, larger, NULL); // → [2, 5]
 * ```
 *
 * Returns: (transfer full): an array of the shape of @self, with one element for each segment along the innermost dimension
 */
AccArray *
acc_array_fold1_seg (AccArray     *self,
                     AccArray     *lengths,
                     AccExprFunc2  combine,
                     gpointer      user_data)
{
  ACC_ARRAY_NAMED ("fold1_seg");
  return run_fold ((AccSegments) { .operation = "fold1_seg", .array = self, .combine = combine, .data = user_data },
                   ACC_SEGMENTS_LENGTHS, lengths, ACC_SEED_NONE, NULL);
}

/**
 * acc_array_fold_seg_offsets:
 * @self: an array of rank 1 or more
 * @initial: the initial value of every segment, of the element type; an untyped literal takes the type of the elements
 * @offsets: where each segment begins, and where the last one ends: a vector of any integer type
 * @combine: (scope call) (closure user_data): takes the value so far and the next element, gives the element type
 * @user_data: data for @combine
 *
 * Reduces each segment of every row to one value, where @offsets gives the bounds of the segments.
 *
 * Offsets are those of the row pointers of a sparse matrix (CSR): segment i begins at offset i and ends before offset i + 1. Elements
 * before the first offset, and from the last one on, are ignored.
 *
 * A vector without offsets is %ACC_ERROR_SHAPE. Offsets that are smaller than those before them, negative, or larger than the length of a
 * row, are %ACC_ERROR_BOUNDS when run; where there are no rows or no segments, this may go unnoticed. Behaves otherwise as
 * [method@Array.fold_seg].
 *
 * ```c
 * static AccExpr *plus (AccExpr *x, AccExpr *y, gpointer data) { return acc_expr_add (x, y); }
 *
 * // xs = [1, 2, 3, 4, 5, 6], offsets = [0, 2, 2, 5]
 * g_autoptr(AccArray) result = acc_array_fold_seg_offsets (xs, acc_expr_new_int (0), offsets, plus, NULL); // → [3, 0, 12]
 * ```
 *
 * Returns: (transfer full): an array of the shape of @self, with one element for each segment along the innermost dimension
 */
AccArray *
acc_array_fold_seg_offsets (AccArray     *self,
                            AccExpr      *initial,
                            AccArray     *offsets,
                            AccExprFunc2  combine,
                            gpointer      user_data)
{
  ACC_ARRAY_NAMED ("fold_seg_offsets");
  return run_fold ((AccSegments) { .operation = "fold_seg_offsets", .array = self, .combine = combine, .data = user_data },
                   ACC_SEGMENTS_OFFSETS, offsets, ACC_SEED_FIRST, initial);
}

/**
 * acc_array_fold1_seg_offsets:
 * @self: an array of rank 1 or more
 * @offsets: where each segment begins, and where the last one ends: a vector of any integer type
 * @combine: (scope call) (closure user_data): takes the value so far and the next element, gives the element type
 * @user_data: data for @combine
 *
 * Reduces each segment of every row to one value without an initial value, where @offsets gives the bounds of the segments.
 *
 * An empty segment is %ACC_ERROR_BOUNDS when run. Behaves otherwise as [method@Array.fold_seg_offsets].
 *
 * ```c
 * static AccExpr *larger (AccExpr *x, AccExpr *y, gpointer data) { return acc_expr_max (x, y); }
 *
 * // xs = [1, 2, 3, 4, 5, 6], offsets = [1, 2, 5]
 * g_autoptr(AccArray) result = acc_array_fold1_seg_offsets (xs, offsets, larger, NULL); // → [2, 5]
 * ```
 *
 * Returns: (transfer full): an array of the shape of @self, with one element for each segment along the innermost dimension
 */
AccArray *
acc_array_fold1_seg_offsets (AccArray     *self,
                             AccArray     *offsets,
                             AccExprFunc2  combine,
                             gpointer      user_data)
{
  ACC_ARRAY_NAMED ("fold1_seg_offsets");
  return run_fold ((AccSegments) { .operation = "fold1_seg_offsets", .array = self, .combine = combine, .data = user_data },
                   ACC_SEGMENTS_OFFSETS, offsets, ACC_SEED_NONE, NULL);
}
