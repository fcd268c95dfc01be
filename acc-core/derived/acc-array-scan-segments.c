/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "acc-array-scan-segments.h"

#include "acc-array-math.h"
#include "acc-array-rearrange.h"
#include "acc-array-segments-private.h"
#include "acc-core/expr/acc-trace-private.h"

/* Backends with an operation for it take that (direct). For the others all are scans of whole rows, of pairs of a flag and a value: where a
 * segment begins the flag is set, and what was before does not count (Blelloch 1990). That is linear in the elements and segments, and as
 * balanced as the scan, however long segments are.
 *
 * Those from the right are the same over rows that are read from the end of the last segment, with the operator's operands changed,
 * and reversed. Places below are in the order of the scan. */

typedef struct {
  AccSegments *segments;
  gboolean     from_right;
  AccSeed      seed;
  AccArray    *flags;     /* whether a segment begins at a place */
  AccArray    *begun;     /* how many segments have begun there; ACC_SEED_EXTRA */
} Scan;

static AccExpr *
combine_in_order (AccExpr *so_far,
                  AccExpr *next,
                  gpointer data)
{
  const Scan *scan = data;
  AccSegments *segments = scan->segments;

  return scan->from_right ? acc_call2 (segments->combine, next, so_far, segments->data)
                          : acc_call2 (segments->combine, so_far, next, segments->data);
}

static AccExpr *
combine_flagged (AccExpr *so_far,
                 AccExpr *next,
                 gpointer scan)
{
  g_autoptr(AccExpr) begins = acc_expr_ref_sink (acc_expr_item (next, 0));
  g_autoptr(AccExpr) value = acc_expr_ref_sink (acc_expr_item (next, 1));
  g_autoptr(AccExpr) before = acc_expr_ref_sink (acc_expr_item (so_far, 1));

  return acc_expr_tuple2 (acc_expr_lor (acc_expr_item (so_far, 0), begins),
                          acc_expr_cond (begins, value, combine_in_order (before, value, scan)));
}

/* How many places there are. */
static AccExpr *
count_places (const Scan *scan)
{
  AccExpr *elements = acc_expr_sub (acc_segments_last (scan->segments), acc_segments_first (scan->segments));

  return scan->seed == ACC_SEED_EXTRA ? acc_expr_add (elements, acc_segments_count (scan->segments)) : elements;
}

/* Where the segment begins, if it has a place. */
static AccExpr *
first_place (AccExpr *segment,
             gpointer data)
{
  const Scan *scan = data;
  AccSegments *segments = scan->segments;
  gboolean extra = scan->seed == ACC_SEED_EXTRA;
  AccExpr *begin = acc_segments_begin (segments, segment, 0), *end = acc_segments_begin (segments, segment, 1);
  g_autoptr(AccExpr) before = acc_expr_ref_sink (acc_expr_sub (begin, acc_segments_first (segments)));
  g_autoptr(AccExpr) behind = acc_expr_ref_sink (acc_expr_sub (end, acc_segments_first (segments)));
  AccExpr *place = scan->from_right ? behind : before;

  if (extra)
    place = acc_expr_add (place, segment);
  if (extra && scan->from_right)
    place = acc_expr_add (place, acc_array_number (1));
  if (scan->from_right)
    place = acc_expr_sub (count_places (scan), place);

  return acc_expr_tuple2 (extra ? acc_expr_new_bool (TRUE) : acc_expr_lt (before, behind), place);
}

static void
mark_places (Scan *scan)
{
  g_autoptr(AccArray) ones = acc_array_fill_expr (acc_segments_count (scan->segments), acc_expr_new_bool (TRUE));
  g_autoptr(AccArray) zeros = acc_array_fill_expr (count_places (scan), acc_expr_new_bool (FALSE));
  g_autoptr(AccArray) targets = acc_array_generate_expr (acc_segments_count (scan->segments), first_place, scan);

  scan->flags = acc_array_permute (ones, zeros, targets, acc_array_first_element, NULL);
  if (scan->seed == ACC_SEED_EXTRA)
    {
      g_autoptr(AccArray) counts = acc_array_cast (scan->flags, acc_element_type_new (ACC_KIND_I64));

      scan->begun = acc_array_scanl1 (counts, acc_array_add_elements, NULL);
    }
}

static AccExpr *
own_place (const Scan *scan,
           AccExpr    *index)
{
  return acc_expr_item (index, scan->segments->array->rank - 1);
}

/* Where the element is that a place takes; where an initial value comes, that of some element, if there is one. */
static AccExpr *
source_place (const Scan *scan,
              AccExpr    *index)
{
  AccSegments *segments = scan->segments;
  AccExpr *place = own_place (scan, index), *last;

  if (scan->seed == ACC_SEED_EXTRA)
    place = acc_expr_sub (place, acc_expr_linear_index (scan->begun, own_place (scan, index)));
  else if (scan->seed == ACC_SEED_FIRST)
    place = acc_expr_max (acc_expr_sub (place, acc_array_number (1)), acc_array_number (0));

  if (scan->from_right)
    place = acc_expr_sub (acc_expr_sub (acc_segments_last (segments), acc_array_number (1)), place);
  else
    place = acc_expr_add (acc_segments_first (segments), place);
  if (scan->seed != ACC_SEED_EXTRA)
    return place;

  last = acc_expr_sub (acc_expr_extent (segments->array, segments->array->rank - 1), acc_array_number (1));
  return acc_expr_max (acc_expr_min (place, last), acc_array_number (0));
}

static AccExpr *
source_index (AccExpr *index,
              gpointer data)
{
  const Scan *scan = data;

  return acc_array_index_in_row (scan->segments->array, index, source_place (scan, index));
}

static AccExpr *
element_or_initial (AccExpr *index,
                    gpointer data)
{
  const Scan *scan = data;

  return acc_expr_cond (acc_expr_linear_index (scan->flags, own_place (scan, index)), scan->segments->initial,
                        acc_expr_index (scan->segments->array, source_index (index, data)));
}

/* The elements that places take. They stay in their rows, so that what computes them goes along, and rows of a source are read one
 * by one; but where rows may be empty and places are not, no element can be taken for nothing. */
static AccArray *
take_elements (Scan *scan)
{
  AccArray *array = scan->segments->array;
  AccShape *shape = acc_array_get_shape (array);
  AccExpr *extents = acc_segments_extents (array, count_places (scan));

  if (scan->seed == ACC_SEED_EXTRA && (shape == NULL || acc_shape_get_extent (shape, array->rank - 1) == 0))
    return acc_array_generate_expr (extents, element_or_initial, scan);
  return acc_array_backpermute_expr (array, extents, source_index, scan);
}

/* What is combined at a place, and whether a segment begins there. */
static AccExpr *
flagged_element (AccExpr *index,
                 AccExpr *own,
                 gpointer data)
{
  const Scan *scan = data;
  AccExpr *initial = scan->segments->initial;
  g_autoptr(AccExpr) begins = acc_expr_ref_sink (acc_expr_linear_index (scan->flags, own_place (scan, index)));
  AccExpr *value = own;

  if (scan->seed != ACC_SEED_NONE)
    value = acc_expr_cond (begins, scan->seed == ACC_SEED_JOINED ? combine_in_order (initial, own, data) : initial, own);

  return acc_expr_tuple2 (begins, value);
}

/* --- one operation for backends that have it */

/* Where the segment with this number in the order of the scan begins. */
static AccExpr *
begin_of_nth (AccExpr *n,
              gpointer data)
{
  const Scan *scan = data;
  AccSegments *segments = scan->segments;
  AccExpr *number = scan->from_right ? acc_expr_sub (acc_segments_count (segments), n) : n;
  g_autoptr(AccExpr) segment = acc_expr_ref_sink (number);
  AccExpr *place = acc_expr_sub (acc_segments_begin (segments, segment, 0), acc_segments_first (segments));

  if (scan->seed == ACC_SEED_EXTRA)
    place = acc_expr_add (place, segment);

  return scan->from_right ? acc_expr_sub (count_places (scan), place) : place;
}

static AccArray *
scan_directly (Scan     *scan,
               AccArray *elements,
               AccArray *rows)
{
  g_autoptr(AccArray) values = scan->seed == ACC_SEED_NONE ? g_object_ref (elements) : acc_array_unzip (rows, 1);
  g_autoptr(AccArray) begins = acc_array_generate_expr (acc_expr_extent (scan->segments->offsets, 0), begin_of_nth, scan);
  AccArray *inputs[] = { values, begins };
  AccArray *node = acc_array_begin (ACC_OP_SCANL1_SEG, inputs, 2);

  acc_array_call2 (node, 0, combine_in_order, scan);
  return acc_array_complete (node);
}

AccArray *
acc_segments_scan (AccSegments *self,
                   gboolean     from_right,
                   AccSeed      seed)
{
  Scan scan = { self, from_right, seed, };
  g_autoptr(AccArray) elements = NULL, rows = NULL, scanned = NULL, values = NULL;

  mark_places (&scan);
  elements = take_elements (&scan);
  rows = acc_array_imap (elements, flagged_element, &scan);
  scanned = acc_array_scanl1 (rows, combine_flagged, &scan);
  values = acc_array_unzip (scanned, 1);
  if (values->error == NULL)
    values->direct = scan_directly (&scan, elements, rows);
  g_object_unref (scan.flags);
  g_clear_object (&scan.begun);

  return from_right ? acc_array_reverse (values) : g_steal_pointer (&values);
}

static AccArray *
run_scan (AccSegments   segments,
          AccArray     *lengths,
          gboolean      from_right,
          AccSeed       seed,
          AccExpr      *initial,
          AccArray    **totals)
{
  AccArray *result = acc_segments_prepare (&segments, ACC_SEGMENTS_LENGTHS, lengths, seed, initial);

  if (totals != NULL)
    *totals = result != NULL ? g_object_ref (result) : acc_segments_fold (&segments, from_right);
  if (result == NULL)
    result = acc_segments_scan (&segments, from_right, seed);
  acc_segments_clear (&segments);

  return result;
}

/**
 * acc_array_scanl_seg:
 * @self: an array of rank 1 or more
 * @initial: the initial value of every segment, of the element type; an untyped literal takes the type of the elements
 * @lengths: the number of elements of each segment: a vector of any integer type
 * @combine: (scope call) (closure user_data): takes the value so far and the next element, gives the element type
 * @user_data: data for @combine
 *
 * Scans each segment of every row from the left and puts the initial value in front.
 *
 * The scans of the segments come one after the other: @initial, @initial·x0, @initial·x0·x1, … of the first segment, then those of the
 * next. An empty segment gives @initial alone. @combine must be associative and need not be commutative; it is called several times.
 * @initial need not be neutral.
 *
 * Segments lie, and mistakes in lengths, types and shapes are errors, as [method@Array.fold_seg] has them.
 *
 * Takes time linear in the number of elements and of segments, however long the segments are. For example, `0 … 9` with the lengths `1, 4,
 * 0, 3`, the initial value 0 and a sum gives `0, 0, 0, 1, 3, 6, 10, 0, 0, 5, 11, 18`.
 *
 * ```c
 * static AccExpr *plus (AccExpr *x, AccExpr *y, gpointer data) { return acc_expr_add (x, y); }
 *
 * // xs = [1, 2, 3, 4], lengths = [2, 0, 2]
 * g_autoptr(AccArray) result = acc_array_scanl_seg (xs, acc_expr_new_int (0), lengths, plus, NULL); // → [0, 1, 3, 0, 0, 3, 7]
 * ```
 *
 * Returns: (transfer full): an array whose rows are as long as the sum of the lengths, and one more for each segment
 */
AccArray *
acc_array_scanl_seg (AccArray     *self,
                     AccExpr      *initial,
                     AccArray     *lengths,
                     AccExprFunc2  combine,
                     gpointer      user_data)
{
  ACC_ARRAY_NAMED ("scanl_seg");
  return run_scan ((AccSegments) { .operation = "scanl_seg", .array = self, .combine = combine, .data = user_data },
                   lengths, FALSE, ACC_SEED_EXTRA, initial, NULL);
}

/**
 * acc_array_scanl1_seg:
 * @self: an array of rank 1 or more
 * @lengths: the number of elements of each segment: a vector of any integer type
 * @combine: (scope call) (closure user_data): takes the value so far and the next element, gives the element type
 * @user_data: data for @combine
 *
 * Computes the inclusive scan of each segment of every row from the left, without an initial value.
 *
 * A segment becomes x0, x0·x1, … An empty segment gives nothing. Behaves otherwise as [method@Array.scanl_seg].
 *
 * ```c
 * static AccExpr *plus (AccExpr *x, AccExpr *y, gpointer data) { return acc_expr_add (x, y); }
 *
 * // xs = [1, 2, 3, 4], lengths = [2, 0, 2]
 * g_autoptr(AccArray) result = acc_array_scanl1_seg (xs, lengths, plus, NULL); // → [1, 3, 3, 7]
 * ```
 *
 * Returns: (transfer full): an array whose rows are as long as the sum of the lengths
 */
AccArray *
acc_array_scanl1_seg (AccArray     *self,
                      AccArray     *lengths,
                      AccExprFunc2  combine,
                      gpointer      user_data)
{
  ACC_ARRAY_NAMED ("scanl1_seg");
  return run_scan ((AccSegments) { .operation = "scanl1_seg", .array = self, .combine = combine, .data = user_data },
                   lengths, FALSE, ACC_SEED_NONE, NULL, NULL);
}

/**
 * acc_array_scanl_with_total_seg:
 * @self: an array of rank 1 or more
 * @initial: the initial value of every segment, of the element type; an untyped literal takes the type of the elements
 * @lengths: the number of elements of each segment: a vector of any integer type
 * @combine: (scope call) (closure user_data): takes the value so far and the next element, gives the element type
 * @user_data: data for @combine
 * @totals: (out) (optional) (transfer full): the total of each segment: one element for each along the innermost dimension
 *
 * Computes the exclusive scan of each segment of every row from the left, and the total of each segment.
 *
 * A segment of n elements becomes @initial, @initial·x0, …, @initial·x0·…·x(n-2); its total is @initial·x0·…·x(n-1). An empty segment gives
 * nothing, and its total is @initial. Behaves otherwise as [method@Array.scanl_seg].
 *
 * ```c
 * static AccExpr *plus (AccExpr *x, AccExpr *y, gpointer data) { return acc_expr_add (x, y); }
 *
 * // xs = [1, 2, 3, 4], lengths = [2, 0, 2]
 * g_autoptr(AccArray) totals = NULL;
 * g_autoptr(AccArray) partial = acc_array_scanl_with_total_seg (xs, acc_expr_new_int (0), lengths, plus, NULL, &totals); // → [0, 1, 0, 3]
 * // totals → [3, 0, 7]
 * ```
 *
 * Returns: (transfer full): an array whose rows are as long as the sum of the lengths
 */
AccArray *
acc_array_scanl_with_total_seg (AccArray      *self,
                                AccExpr       *initial,
                                AccArray      *lengths,
                                AccExprFunc2   combine,
                                gpointer       user_data,
                                AccArray     **totals)
{
  ACC_ARRAY_NAMED ("scanl_with_total_seg");
  return run_scan ((AccSegments) { .operation = "scanl_with_total_seg", .array = self, .combine = combine, .data = user_data },
                   lengths, FALSE, ACC_SEED_FIRST, initial, totals);
}

/**
 * acc_array_prescanl_seg:
 * @self: an array of rank 1 or more
 * @initial: the initial value of every segment, of the element type; an untyped literal takes the type of the elements
 * @lengths: the number of elements of each segment: a vector of any integer type
 * @combine: (scope call) (closure user_data): takes the value so far and the next element, gives the element type
 * @user_data: data for @combine
 *
 * Computes the exclusive scan of each segment of every row from the left.
 *
 * A segment of n elements becomes @initial, @initial·x0, …, @initial·x0·…·x(n-2). An empty segment gives nothing. Behaves otherwise as
 * [method@Array.scanl_seg].
 *
 * ```c
 * static AccExpr *plus (AccExpr *x, AccExpr *y, gpointer data) { return acc_expr_add (x, y); }
 *
 * // xs = [1, 2, 3, 4], lengths = [2, 0, 2]
 * g_autoptr(AccArray) result = acc_array_prescanl_seg (xs, acc_expr_new_int (0), lengths, plus, NULL); // → [0, 1, 0, 3]
 * ```
 *
 * Returns: (transfer full): an array whose rows are as long as the sum of the lengths
 */
AccArray *
acc_array_prescanl_seg (AccArray     *self,
                        AccExpr      *initial,
                        AccArray     *lengths,
                        AccExprFunc2  combine,
                        gpointer      user_data)
{
  ACC_ARRAY_NAMED ("prescanl_seg");
  return run_scan ((AccSegments) { .operation = "prescanl_seg", .array = self, .combine = combine, .data = user_data },
                   lengths, FALSE, ACC_SEED_FIRST, initial, NULL);
}

/**
 * acc_array_postscanl_seg:
 * @self: an array of rank 1 or more
 * @initial: the initial value of every segment, of the element type; an untyped literal takes the type of the elements
 * @lengths: the number of elements of each segment: a vector of any integer type
 * @combine: (scope call) (closure user_data): takes the value so far and the next element, gives the element type
 * @user_data: data for @combine
 *
 * Computes the inclusive scan of each segment of every row from the left, with an initial value.
 *
 * A segment becomes @initial·x0, @initial·x0·x1, … An empty segment gives nothing. Behaves otherwise as [method@Array.scanl_seg].
 *
 * ```c
 * static AccExpr *plus (AccExpr *x, AccExpr *y, gpointer data) { return acc_expr_add (x, y); }
 *
 * // xs = [1, 2, 3, 4], lengths = [2, 0, 2]
 * g_autoptr(AccArray) result = acc_array_postscanl_seg (xs, acc_expr_new_int (100), lengths, plus, NULL); // → [101, 103, 103, 107]
 * ```
 *
 * Returns: (transfer full): an array whose rows are as long as the sum of the lengths
 */
AccArray *
acc_array_postscanl_seg (AccArray     *self,
                         AccExpr      *initial,
                         AccArray     *lengths,
                         AccExprFunc2  combine,
                         gpointer      user_data)
{
  ACC_ARRAY_NAMED ("postscanl_seg");
  return run_scan ((AccSegments) { .operation = "postscanl_seg", .array = self, .combine = combine, .data = user_data },
                   lengths, FALSE, ACC_SEED_JOINED, initial, NULL);
}

/**
 * acc_array_scanr_seg:
 * @self: an array of rank 1 or more
 * @initial: the initial value of every segment, of the element type; an untyped literal takes the type of the elements
 * @lengths: the number of elements of each segment: a vector of any integer type
 * @combine: (scope call) (closure user_data): takes the next element and the value so far, gives the element type
 * @user_data: data for @combine
 *
 * Scans each segment of every row from the right and puts the initial value at the end.
 *
 * A segment of n elements becomes …, x(n-2)·(x(n-1)·@initial), x(n-1)·@initial, @initial. @combine takes the next element first. The first
 * segment begins with the first element of a row here, too. Behaves otherwise as [method@Array.scanl_seg].
 *
 * ```c
 * static AccExpr *plus (AccExpr *x, AccExpr *y, gpointer data) { return acc_expr_add (x, y); }
 *
 * // xs = [1, 2, 3, 4], lengths = [2, 0, 2]
 * g_autoptr(AccArray) result = acc_array_scanr_seg (xs, acc_expr_new_int (0), lengths, plus, NULL); // → [3, 2, 0, 0, 7, 4, 0]
 * ```
 *
 * Returns: (transfer full): an array whose rows are as long as the sum of the lengths, and one more for each segment
 */
AccArray *
acc_array_scanr_seg (AccArray     *self,
                     AccExpr      *initial,
                     AccArray     *lengths,
                     AccExprFunc2  combine,
                     gpointer      user_data)
{
  ACC_ARRAY_NAMED ("scanr_seg");
  return run_scan ((AccSegments) { .operation = "scanr_seg", .array = self, .combine = combine, .data = user_data },
                   lengths, TRUE, ACC_SEED_EXTRA, initial, NULL);
}

/**
 * acc_array_scanr1_seg:
 * @self: an array of rank 1 or more
 * @lengths: the number of elements of each segment: a vector of any integer type
 * @combine: (scope call) (closure user_data): takes the next element and the value so far, gives the element type
 * @user_data: data for @combine
 *
 * Computes the inclusive scan of each segment of every row from the right, without an initial value.
 *
 * A segment of n elements becomes …, x(n-2)·x(n-1), x(n-1). An empty segment gives nothing. Behaves otherwise as [method@Array.scanr_seg].
 *
 * ```c
 * static AccExpr *plus (AccExpr *x, AccExpr *y, gpointer data) { return acc_expr_add (x, y); }
 *
 * // xs = [1, 2, 3, 4], lengths = [2, 0, 2]
 * g_autoptr(AccArray) result = acc_array_scanr1_seg (xs, lengths, plus, NULL); // → [3, 2, 7, 4]
 * ```
 *
 * Returns: (transfer full): an array whose rows are as long as the sum of the lengths
 */
AccArray *
acc_array_scanr1_seg (AccArray     *self,
                      AccArray     *lengths,
                      AccExprFunc2  combine,
                      gpointer      user_data)
{
  ACC_ARRAY_NAMED ("scanr1_seg");
  return run_scan ((AccSegments) { .operation = "scanr1_seg", .array = self, .combine = combine, .data = user_data },
                   lengths, TRUE, ACC_SEED_NONE, NULL, NULL);
}

/**
 * acc_array_scanr_with_total_seg:
 * @self: an array of rank 1 or more
 * @initial: the initial value of every segment, of the element type; an untyped literal takes the type of the elements
 * @lengths: the number of elements of each segment: a vector of any integer type
 * @combine: (scope call) (closure user_data): takes the next element and the value so far, gives the element type
 * @user_data: data for @combine
 * @totals: (out) (optional) (transfer full): the total of each segment: one element for each along the innermost dimension
 *
 * Computes the exclusive scan of each segment of every row from the right, and the total of each segment.
 *
 * A segment of n elements becomes …, x(n-2)·(x(n-1)·@initial), x(n-1)·@initial, @initial, without x0; its total is x0·…·x(n-1)·@initial. An
 * empty segment gives nothing, and its total is @initial. Behaves otherwise as [method@Array.scanr_seg].
 *
 * ```c
 * static AccExpr *plus (AccExpr *x, AccExpr *y, gpointer data) { return acc_expr_add (x, y); }
 *
 * // xs = [1, 2, 3, 4], lengths = [2, 0, 2]
 * g_autoptr(AccArray) totals = NULL;
 * g_autoptr(AccArray) partial = acc_array_scanr_with_total_seg (xs, acc_expr_new_int (0), lengths, plus, NULL, &totals); // → [2, 0, 4, 0]
 * // totals → [3, 0, 7]
 * ```
 *
 * Returns: (transfer full): an array whose rows are as long as the sum of the lengths
 */
AccArray *
acc_array_scanr_with_total_seg (AccArray      *self,
                                AccExpr       *initial,
                                AccArray      *lengths,
                                AccExprFunc2   combine,
                                gpointer       user_data,
                                AccArray     **totals)
{
  ACC_ARRAY_NAMED ("scanr_with_total_seg");
  return run_scan ((AccSegments) { .operation = "scanr_with_total_seg", .array = self, .combine = combine, .data = user_data },
                   lengths, TRUE, ACC_SEED_FIRST, initial, totals);
}

/**
 * acc_array_prescanr_seg:
 * @self: an array of rank 1 or more
 * @initial: the initial value of every segment, of the element type; an untyped literal takes the type of the elements
 * @lengths: the number of elements of each segment: a vector of any integer type
 * @combine: (scope call) (closure user_data): takes the next element and the value so far, gives the element type
 * @user_data: data for @combine
 *
 * Computes the exclusive scan of each segment of every row from the right.
 *
 * A segment of n elements becomes …, x(n-2)·(x(n-1)·@initial), x(n-1)·@initial, @initial, without x0. An empty segment gives nothing.
 * Behaves otherwise as [method@Array.scanr_seg].
 *
 * ```c
 * static AccExpr *plus (AccExpr *x, AccExpr *y, gpointer data) { return acc_expr_add (x, y); }
 *
 * // xs = [1, 2, 3, 4], lengths = [2, 0, 2]
 * g_autoptr(AccArray) result = acc_array_prescanr_seg (xs, acc_expr_new_int (0), lengths, plus, NULL); // → [2, 0, 4, 0]
 * ```
 *
 * Returns: (transfer full): an array whose rows are as long as the sum of the lengths
 */
AccArray *
acc_array_prescanr_seg (AccArray     *self,
                        AccExpr      *initial,
                        AccArray     *lengths,
                        AccExprFunc2  combine,
                        gpointer      user_data)
{
  ACC_ARRAY_NAMED ("prescanr_seg");
  return run_scan ((AccSegments) { .operation = "prescanr_seg", .array = self, .combine = combine, .data = user_data },
                   lengths, TRUE, ACC_SEED_FIRST, initial, NULL);
}

/**
 * acc_array_postscanr_seg:
 * @self: an array of rank 1 or more
 * @initial: the initial value of every segment, of the element type; an untyped literal takes the type of the elements
 * @lengths: the number of elements of each segment: a vector of any integer type
 * @combine: (scope call) (closure user_data): takes the next element and the value so far, gives the element type
 * @user_data: data for @combine
 *
 * Computes the inclusive scan of each segment of every row from the right, with an initial value.
 *
 * A segment of n elements becomes …, x(n-2)·(x(n-1)·@initial), x(n-1)·@initial. An empty segment gives nothing. Behaves otherwise as
 * [method@Array.scanr_seg].
 *
 * ```c
 * static AccExpr *plus (AccExpr *x, AccExpr *y, gpointer data) { return acc_expr_add (x, y); }
 *
 * // xs = [1, 2, 3, 4], lengths = [2, 0, 2]
 * g_autoptr(AccArray) result = acc_array_postscanr_seg (xs, acc_expr_new_int (100), lengths, plus, NULL); // → [103, 102, 107, 104]
 * ```
 *
 * Returns: (transfer full): an array whose rows are as long as the sum of the lengths
 */
AccArray *
acc_array_postscanr_seg (AccArray     *self,
                         AccExpr      *initial,
                         AccArray     *lengths,
                         AccExprFunc2  combine,
                         gpointer      user_data)
{
  ACC_ARRAY_NAMED ("postscanr_seg");
  return run_scan ((AccSegments) { .operation = "postscanr_seg", .array = self, .combine = combine, .data = user_data },
                   lengths, TRUE, ACC_SEED_JOINED, initial, NULL);
}
