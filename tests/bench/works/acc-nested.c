/* SPDX-License-Identifier: LGPL-2.1-or-later */

/* Functions of the elements of nested arrays, and the plain programs that compute the same, where there are such. */

#include "acc-works.h"
#include "hull.h"
#include "inputs.h"

#include <stdlib.h>

/* --- sums and places of the largest; values and offsets */

static AccArray *
build_sums (AccArray **a, guint n, gpointer data)
{
  g_autoptr(AccNestedArray) parts = acc_nested_array_new_from_offsets (a[0], a[1]);

  return acc_nested_array_sum (parts);
}

static AccArray *
build_plain_sums (AccArray **a, guint n, gpointer data)
{
  return acc_array_fold_seg_offsets (a[0], acc_expr_new_float (0), a[1], acc_work_plus, NULL);
}

static AccArray *
build_largest (AccArray **a, guint n, gpointer data)
{
  g_autoptr(AccNestedArray) parts = acc_nested_array_new_from_offsets (a[0], a[1]);

  return acc_nested_array_argmax (parts);
}

static AccExpr *
with_place (AccExpr *index, AccExpr *x, gpointer data)
{
  return acc_expr_tuple2 (x, index);
}

static AccExpr *
larger (AccExpr *x, AccExpr *y, gpointer data)
{
  return acc_expr_cond (acc_expr_gt (acc_expr_item (y, 0), acc_expr_item (x, 0)), y, x);
}

static AccExpr *
minus (AccExpr *x, AccExpr *y, gpointer data)
{
  return acc_expr_sub (x, y);
}

static AccArray *
build_plain_largest (AccArray **a, guint n, gpointer data)
{
  g_autoptr(AccArray) placed = acc_array_imap (a[0], with_place, NULL);
  g_autoptr(AccArray) largest = acc_array_fold1_seg_offsets (placed, a[1], larger, NULL);
  g_autoptr(AccArray) places = acc_array_unzip (largest, 1);

  return acc_array_zip_with (places, a[1], minus, NULL);
}

static AccArray *
build_sorted (AccArray **a, guint n, gpointer data)
{
  g_autoptr(AccNestedArray) parts = acc_nested_array_new_from_offsets (a[0], a[1]);
  g_autoptr(AccNestedArray) sorted = acc_nested_array_sort (parts, FALSE);

  return g_object_ref (acc_nested_array_get_values (sorted));
}

static gpointer
prepare_parts (gsize n, const char *type, gpointer values, gboolean skewed, AccArrayFunc build)
{
  AccWork *self = acc_work_new ();
  gsize n_parts;
  gint64 *offsets = input_parts (n, skewed, &n_parts);

  acc_work_add_vector (self, type, values, n);
  acc_work_add_vector (self, "i8", offsets, n_parts + 1);
  return acc_work_compile (self, build, NULL);
}

#define DEFINE_PARTS(name, type, values, skewed, build)                   \
  static gpointer                                                         \
  prepare_##name (gsize n)                                                \
  {                                                                       \
    return prepare_parts (n, type, values, skewed, build);                \
  }

DEFINE_PARTS (sums_even, "f4", contender_floats (n, 1, 0, 1), FALSE, build_sums)
DEFINE_PARTS (sums_power, "f4", contender_floats (n, 1, 0, 1), TRUE, build_sums)
DEFINE_PARTS (plain_sums_even, "f4", contender_floats (n, 1, 0, 1), FALSE, build_plain_sums)
DEFINE_PARTS (plain_sums_power, "f4", contender_floats (n, 1, 0, 1), TRUE, build_plain_sums)
DEFINE_PARTS (largest_even, "f4", contender_floats (n, 1, 0, 1), FALSE, build_largest)
DEFINE_PARTS (largest_power, "f4", contender_floats (n, 1, 0, 1), TRUE, build_largest)
DEFINE_PARTS (plain_largest_even, "f4", contender_floats (n, 1, 0, 1), FALSE, build_plain_largest)
DEFINE_PARTS (plain_largest_power, "f4", contender_floats (n, 1, 0, 1), TRUE, build_plain_largest)
DEFINE_PARTS (sorted_even, "u4", contender_words (n, 1, 0), FALSE, build_sorted)
DEFINE_PARTS (sorted_power, "u4", contender_words (n, 1, 0), TRUE, build_sorted)

/* --- each value times its place in its element, in parts of the length: what numbers of elements are needed for, and nothing else */

#define N_PLACED (1 << 22)

static AccExpr *
times_place (AccExpr *index, AccExpr *x, gpointer part)
{
  AccElementType *f4 = acc_element_type_new (ACC_KIND_F32);

  return acc_expr_mul (x, acc_expr_fdiv (acc_expr_cast (index, f4), acc_expr_cast (acc_expr_extent (part, 0), f4)));
}

static AccArray *
place_values (AccArray **part, guint n, gpointer data)
{
  return acc_array_imap (part[0], times_place, part[0]);
}

static AccArray *
build_placed (AccArray **a, guint n, gpointer data)
{
  g_autoptr(AccNestedArray) parts = acc_nested_array_new_from_offsets (a[0], a[1]);
  g_autoptr(AccNestedArray) placed = acc_nested_array_map (parts, place_values, NULL);

  return g_object_ref (acc_nested_array_get_values (placed));
}

static gpointer
prepare_placed (gsize length, gboolean skewed)
{
  AccWork *self = acc_work_new ();
  gsize n_parts;
  gint64 *offsets = input_parts_of (N_PLACED, length, skewed, &n_parts);

  acc_work_add_vector (self, "f4", contender_floats (N_PLACED, 1, 0, 1), N_PLACED);
  acc_work_add_vector (self, "i8", offsets, n_parts + 1);
  return acc_work_compile (self, build_placed, NULL);
}

static gpointer
prepare_placed_even (gsize length)
{
  return prepare_placed (length, FALSE);
}

static gpointer
prepare_placed_power (gsize length)
{
  return prepare_placed (length, TRUE);
}

/* --- a sparse matrix, rows of (value, column), times a vector */

static AccArray *
build_sparse_product (AccArray **a, guint n, gpointer data)
{
  g_autoptr(AccArray) elements = acc_array_zip (a[0], a[1]);
  g_autoptr(AccNestedArray) rows = acc_nested_array_new_from_offsets (elements, a[2]);
  g_autoptr(AccNestedArray) sums = acc_nested_array_map (rows, acc_work_row_by_vector, a[3]);

  return g_object_ref (acc_nested_array_get_values (sums));
}

static gpointer
prepare_sparse_product (gsize n_rows)
{
  AccWork *self = acc_work_new ();
  gint64 *rows = contender_rows (n_rows);
  gint64 n = rows[n_rows];

  acc_work_add_vector (self, "f4", contender_floats (n, 1, 0, 1), n);
  acc_work_add_vector (self, "u4", contender_words (n, 2, n_rows), n);
  acc_work_add_vector (self, "i8", rows, n_rows + 1);
  acc_work_add_vector (self, "f4", contender_floats (n_rows, 3, 0, 1), n_rows);
  return acc_work_compile (self, build_sparse_product, NULL);
}

/* --- groups by key, and their sums */

static GPtrArray *
build_group_sums (AccArray **a, guint n, gpointer data)
{
  GPtrArray *results = g_ptr_array_new_with_free_func (g_object_unref);
  AccArray *keys = NULL;
  g_autoptr(AccNestedArray) groups = acc_nested_array_new_from_keys (a[1], a[0], &keys);

  g_ptr_array_add (results, acc_nested_array_sum (groups));
  g_ptr_array_add (results, keys);
  return results;
}

static gpointer
prepare_group_sums (gsize n)
{
  AccWork *self = acc_work_new ();

  acc_work_add_vector (self, "u4", contender_words (n, 1, MAX (n / 16, 1)), n);
  acc_work_add_vector (self, "f4", contender_floats (n, 2, 0, 1), n);
  return acc_work_compile_many (self, build_group_sums, NULL);
}

/* --- small pictures, blurred by 3 × 3 and shrunk by 2 */

static AccExpr *
mean_of_nine (AccExpr *n, gpointer data)
{
  AccExpr *sum = NULL;

  for (gint64 y = -1; y <= 1; y++)
    for (gint64 x = -1; x <= 1; x++)
      sum = sum == NULL ? acc_expr_neighbour2 (n, y, x) : acc_expr_add (sum, acc_expr_neighbour2 (n, y, x));

  return acc_expr_mul (sum, acc_expr_new_float (1. / 9));
}

static AccExpr *
mean_of_four (AccExpr *index, gpointer picture)
{
  AccExpr *two = acc_expr_new_int (2), *sum = NULL;

  for (gint64 k = 0; k < 4; k++)
    {
      AccExpr *y = acc_expr_add (acc_expr_mul (acc_expr_item (index, 0), two), acc_expr_new_int (k / 2));
      AccExpr *x = acc_expr_add (acc_expr_mul (acc_expr_item (index, 1), two), acc_expr_new_int (k % 2));
      AccExpr *pixel = acc_expr_index (picture, acc_expr_tuple2 (y, x));

      sum = sum == NULL ? pixel : acc_expr_add (sum, pixel);
    }

  return acc_expr_mul (sum, acc_expr_new_float (0.25));
}

static AccArray *
blur_and_shrink (AccArray **picture, guint n, gpointer data)
{
  g_autoptr(AccBoundary) boundary = acc_boundary_new (ACC_BOUNDARY_CLAMP);
  g_autoptr(AccArray) blurred = acc_array_stencil (picture[0], (gint64[]) { 3, 3 }, 2, boundary, mean_of_nine, NULL);
  AccExpr *two = acc_expr_new_int (2);

  return acc_array_generate_expr (acc_expr_tuple2 (acc_expr_quot (acc_expr_extent (blurred, 0), two),
                                                   acc_expr_quot (acc_expr_extent (blurred, 1), two)), mean_of_four, blurred);
}

static AccArray *
build_pictures (AccArray **a, guint n, gpointer data)
{
  g_autoptr(AccArray) extents = acc_array_zip (a[1], a[2]);
  g_autoptr(AccNestedArray) pictures = acc_nested_array_new_from_extents (a[0], extents);
  g_autoptr(AccNestedArray) shrunk = acc_nested_array_map (pictures, blur_and_shrink, NULL);

  return g_object_ref (acc_nested_array_get_values (shrunk));
}

static gpointer
prepare_pictures (gsize n)
{
  AccWork *self = acc_work_new ();
  gint64 *rows, *columns;
  gsize size = input_picture_sizes (n, &rows, &columns);

  acc_work_add_vector (self, "f4", contender_floats (size, 1, 0, 1), size);
  acc_work_add_vector (self, "i8", rows, n);
  acc_work_add_vector (self, "i8", columns, n);
  return acc_work_compile (self, build_pictures, NULL);
}

/* --- quicksort: each turn divides all parts that are left into what is below, at and above their middle element. Where parts lie is known
 * by then, so that what is at the middle stays there, as does a part of one value; long ones are parts of the next turn. Short ones are
 * sorted together in the end, as C sorts parts of as many by insertion. */

#define MOST_SORTED 24

enum {
  VALUES,      /* u4[:] */
  PARTS,       /* (i8,i8)[:]: where each that is left begins, and how many values it has */
  SHORT_PARTS, /* the same of those that are sorted in the end */
  N_STATES,
};

static const char *const quicksort_state[] = { "u4[:]", "(i8,i8)[:]", "(i8,i8)[:]", NULL };

typedef struct {
  AccArray *part, *pivot, *counts;
} Division;

static AccExpr *
middle_of (AccExpr *nothing, gpointer part)
{
  return acc_expr_linear_index (part, acc_expr_quot (acc_expr_extent (part, 0), acc_expr_new_int (2)));
}

static AccExpr *
one_where (AccExpr *flag)
{
  return acc_expr_cast (flag, acc_element_type_new (ACC_KIND_I64));
}

/* Whether it is below, and at the middle element */
static AccExpr *
side_of (AccExpr *x, gpointer pivot)
{
  return acc_expr_tuple2 (one_where (acc_expr_lt (x, acc_expr_the (pivot))), one_where (acc_expr_eq (x, acc_expr_the (pivot))));
}

static AccExpr *
add_pairs (AccExpr *x, AccExpr *y, gpointer data)
{
  return acc_expr_tuple2 (acc_expr_add (acc_expr_item (x, 0), acc_expr_item (y, 0)),
                          acc_expr_add (acc_expr_item (x, 1), acc_expr_item (y, 1)));
}

static AccArray *
sides_of (AccArray *part, AccArray **pivot)
{
  g_autoptr(AccShape) one = acc_shape_new (NULL, 0);

  *pivot = acc_array_generate (one, middle_of, part);
  return acc_array_map (part, side_of, *pivot);
}

/* How many are below, and how many at the middle element */
static AccArray *
count_sides (AccArray **part, guint n, gpointer data)
{
  g_autoptr(AccArray) pivot = NULL, sides = sides_of (part[0], &pivot);

  return acc_array_fold (sides, acc_expr_tuple2 (acc_expr_new_int (0), acc_expr_new_int (0)), add_pairs, NULL);
}

/* Behind what is before it on its side, and behind what all sides below that have. @before: with itself */
static AccExpr *
place_of (AccExpr *index, AccExpr *before, gpointer data)
{
  Division *self = data;
  AccExpr *x = acc_expr_linear_index (self->part, index), *pivot = acc_expr_the (self->pivot), *counts = acc_expr_the (self->counts);
  AccExpr *below = acc_expr_item (counts, 0), *at = acc_expr_item (counts, 1);
  AccExpr *n_below = acc_expr_item (before, 0), *n_at = acc_expr_item (before, 1), *one = acc_expr_new_int (1);
  AccExpr *above = acc_expr_sub (acc_expr_sub (acc_expr_add (acc_expr_add (index, below), at), n_below), n_at);

  return acc_expr_cond (acc_expr_lt (x, pivot), acc_expr_sub (n_below, one),
                        acc_expr_cond (acc_expr_eq (x, pivot), acc_expr_sub (acc_expr_add (below, n_at), one), above));
}

/* Where each value of a part goes in it. */
static AccArray *
divided_places (AccArray **a, guint n, gpointer data)
{
  g_autoptr(AccArray) pivot = NULL, sides = sides_of (a[0], &pivot), before = acc_array_scanl1 (sides, add_pairs, NULL);
  Division self = { a[0], pivot, a[1] };

  return acc_array_imap (before, place_of, &self);
}

static AccExpr *
begin_of (AccExpr *part, gpointer data)
{
  return acc_expr_item (part, 0);
}

static AccExpr *
length_of (AccExpr *part, gpointer data)
{
  return acc_expr_item (part, 1);
}

static AccExpr *
is_long (AccExpr *part, gpointer data)
{
  return acc_expr_gt (acc_expr_item (part, 1), acc_expr_new_int (MOST_SORTED));
}

static AccExpr *
is_short (AccExpr *part, gpointer data)
{
  AccExpr *has_several = acc_expr_gt (acc_expr_item (part, 1), acc_expr_new_int (1));

  return acc_expr_land (has_several, acc_expr_le (acc_expr_item (part, 1), acc_expr_new_int (MOST_SORTED)));
}

static AccExpr *
value_of_part (AccExpr *part, AccExpr *index, gpointer values)
{
  return acc_expr_linear_index (values, acc_expr_add (acc_expr_item (part, 0), index));
}

static AccExpr *
behind_begin (AccExpr *place, gpointer begin)
{
  return acc_expr_add (acc_expr_the (begin), place);
}

static AccArray *
behind_begins (AccArray **a, guint n, gpointer data)
{
  return acc_array_map (a[0], behind_begin, a[1]);
}

static AccExpr *
own_place (AccExpr *index, AccExpr *x, gpointer data)
{
  return index;
}

static AccArray *
own_places (AccArray **a, guint n, gpointer data)
{
  return acc_array_imap (a[0], own_place, NULL);
}

static AccNestedArray *
get_parts (AccArray *parts, AccArray *values)
{
  g_autoptr(AccArray) all = acc_array_expand (parts, length_of, NULL, value_of_part, values);
  g_autoptr(AccArray) lengths = acc_array_map (parts, length_of, NULL);

  return acc_nested_array_new_from_lengths (all, lengths);
}

/* @places: where in their part the values of @elements go */
static AccArray *
put_parts (AccArray *parts, AccNestedArray *elements, AccNestedArray *places, AccArray *values)
{
  g_autoptr(AccArray) begins = acc_array_map (parts, begin_of, NULL);
  g_autoptr(AccNestedArray) each_begin = acc_nested_array_new_from_regular (begins);
  g_autoptr(AccNestedArray) among_all = acc_nested_array_zip_with (places, each_begin, behind_begins, NULL);

  return acc_array_scatter (acc_nested_array_get_values (elements), values, acc_nested_array_get_values (among_all));
}

static AccExpr *
below_of (AccExpr *part, AccExpr *counts, gpointer data)
{
  return acc_expr_tuple2 (acc_expr_item (part, 0), acc_expr_item (counts, 0));
}

static AccExpr *
above_of (AccExpr *part, AccExpr *counts, gpointer data)
{
  AccExpr *others = acc_expr_add (acc_expr_item (counts, 0), acc_expr_item (counts, 1));

  return acc_expr_tuple2 (acc_expr_add (acc_expr_item (part, 0), others), acc_expr_sub (acc_expr_item (part, 1), others));
}

static GPtrArray *
divide_all (AccArray **a, guint n, gpointer data)
{
  GPtrArray *results = g_ptr_array_new_with_free_func (g_object_unref);
  g_autoptr(AccNestedArray) parts = get_parts (a[PARTS], a[VALUES]), counts = acc_nested_array_map (parts, count_sides, NULL);
  g_autoptr(AccNestedArray) places = acc_nested_array_zip_with (parts, counts, divided_places, NULL);
  AccArray *n_sides = acc_nested_array_get_values (counts);
  g_autoptr(AccArray) below = acc_array_zip_with (a[PARTS], n_sides, below_of, NULL);
  g_autoptr(AccArray) above = acc_array_zip_with (a[PARTS], n_sides, above_of, NULL), both = acc_array_concat (below, above);
  g_autoptr(AccArray) shorts = acc_array_filter (both, is_short, NULL, NULL);

  g_ptr_array_add (results, put_parts (a[PARTS], parts, places, a[VALUES]));
  g_ptr_array_add (results, acc_array_filter (both, is_long, NULL, NULL));
  g_ptr_array_add (results, acc_array_concat (a[SHORT_PARTS], shorts));
  return results;
}

static AccExpr *
is_some (AccExpr *nothing, gpointer parts)
{
  return acc_expr_gt (acc_expr_extent (parts, 0), acc_expr_new_int (0));
}

static AccArray *
is_unsorted (AccArray **a, guint n, gpointer data)
{
  g_autoptr(AccShape) one = acc_shape_new (NULL, 0);

  return acc_array_generate (one, is_some, a[PARTS]);
}

static AccExpr *
whole (AccExpr *index, gpointer values)
{
  return acc_expr_tuple2 (index, acc_expr_extent (values, 0));
}

static AccArray *
build_quicksort (AccArray **a, guint n, gpointer data)
{
  g_autoptr(AccProgram) condition = acc_program_new (quicksort_state, is_unsorted, NULL);
  g_autoptr(AccProgram) step = acc_program_new_many (quicksort_state, divide_all, NULL);
  g_autoptr(AccShape) one = acc_shape_new_vector (1);
  g_autoptr(AccArray) parts = acc_array_generate (one, whole, a[0]), longs = acc_array_filter (parts, is_long, NULL, NULL),
    shorts = acc_array_filter (parts, is_short, NULL, NULL);
  AccArray *initial[] = { a[0], longs, shorts };
  g_autoptr(GPtrArray) last = acc_array_while_loop_many (initial, N_STATES, condition, step);
  AccArray *divided_values = g_ptr_array_index (last, VALUES), *left = g_ptr_array_index (last, SHORT_PARTS);
  g_autoptr(AccNestedArray) elements = get_parts (left, divided_values), sorted = acc_nested_array_sort (elements, FALSE),
    places = acc_nested_array_map (sorted, own_places, NULL);

  return put_parts (left, sorted, places, divided_values);
}

static gpointer
prepare_quicksort (gsize n)
{
  AccWork *self = acc_work_new ();

  acc_work_add_vector (self, "u4", contender_words (n, 1, 0), n);
  return acc_work_compile (self, build_quicksort, NULL);
}

/* --- convex hulls of clouds; what is told is how many corners each has */

static AccArray *
hull_of_cloud (AccArray **cloud, guint n, gpointer data)
{
  return convex_hull (cloud[0]);
}

static AccArray *
build_hulls (AccArray **a, guint n, gpointer data)
{
  g_autoptr(AccArray) points = acc_array_zip (a[0], a[1]);
  g_autoptr(AccNestedArray) clouds = acc_nested_array_new_from_offsets (points, a[2]);
  g_autoptr(AccNestedArray) hulls = acc_nested_array_map (clouds, hull_of_cloud, NULL);

  return g_object_ref (acc_nested_array_get_lengths (hulls));
}

static gpointer
prepare_hulls (gsize n)
{
  AccWork *self = acc_work_new ();
  gint64 *offsets = input_clouds (n);
  gsize size = offsets[n];
  g_autofree float *points = input_disc (size);
  float *x = contender_memory (size * sizeof *x), *y = contender_memory (size * sizeof *y);

  for (gsize i = 0; i < size; i++)
    {
      x[i] = points[2 * i];
      y[i] = points[2 * i + 1];
    }
  acc_work_add_vector (self, "f4", x, size);
  acc_work_add_vector (self, "f4", y, size);
  acc_work_add_vector (self, "i8", offsets, n + 1);
  return acc_work_compile (self, build_hulls, NULL);
}

const Work acc_nested[] = {
  { "nested-sum-even", prepare_sums_even, acc_work_run, acc_work_check, acc_work_free },
  { "nested-sum-power", prepare_sums_power, acc_work_run, acc_work_check, acc_work_free },
  { "nested-argmax-even", prepare_largest_even, acc_work_run, acc_work_check, acc_work_free },
  { "nested-argmax-power", prepare_largest_power, acc_work_run, acc_work_check, acc_work_free },
  { "nested-sort-even", prepare_sorted_even, acc_work_run, acc_work_check, acc_work_free },
  { "nested-sort-power", prepare_sorted_power, acc_work_run, acc_work_check, acc_work_free },
  { "nested-placed-even", prepare_placed_even, acc_work_run, acc_work_check, acc_work_free },
  { "nested-placed-power", prepare_placed_power, acc_work_run, acc_work_check, acc_work_free },
  { "nested-sparse-product", prepare_sparse_product, acc_work_run, acc_work_check, acc_work_free },
  { "nested-group-sums", prepare_group_sums, acc_work_run, acc_work_check, acc_work_free },
  { "nested-pictures", prepare_pictures, acc_work_run, acc_work_check, acc_work_free },
  { "nested-quicksort", prepare_quicksort, acc_work_run, acc_work_check, acc_work_free },
  { "nested-hulls", prepare_hulls, acc_work_run, acc_work_check, acc_work_free },
  { NULL }
};

const Work acc_nested_plain[] = {
  { "nested-sum-even", prepare_plain_sums_even, acc_work_run, acc_work_check, acc_work_free },
  { "nested-sum-power", prepare_plain_sums_power, acc_work_run, acc_work_check, acc_work_free },
  { "nested-argmax-even", prepare_plain_largest_even, acc_work_run, acc_work_check, acc_work_free },
  { "nested-argmax-power", prepare_plain_largest_power, acc_work_run, acc_work_check, acc_work_free },
  { "seq-sparse-product", prepare_sparse_product, acc_work_run, acc_work_check, acc_work_free },
  { NULL }
};
