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

/* --- quicksort: each step divides all parts that there are into what is below, at and above their middle element */

typedef enum {
  BELOW,
  AT,
  ABOVE,
} Side;

typedef struct {
  AccArray *pivot;
  Side      side;
} Test;

static AccExpr *
middle_of (AccExpr *nothing, gpointer part)
{
  return acc_expr_linear_index (part, acc_expr_quot (acc_expr_extent (part, 0), acc_expr_new_int (2)));
}

static AccExpr *
is_on_side (AccExpr *x, gpointer data)
{
  const Test *self = data;
  AccExpr *pivot = acc_expr_linear_index (self->pivot, acc_expr_new_int (0));

  return self->side == BELOW ? acc_expr_lt (x, pivot) : self->side == AT ? acc_expr_eq (x, pivot) : acc_expr_gt (x, pivot);
}

static void
divide (AccArray *part, AccArray *sides[3])
{
  g_autoptr(AccShape) one = acc_shape_new (NULL, 0);
  g_autoptr(AccArray) pivot = acc_array_generate (one, middle_of, part);

  for (Side side = BELOW; side <= ABOVE; side++)
    {
      Test test = { pivot, side };

      sides[side] = acc_array_filter (part, is_on_side, &test, NULL);
    }
}

static AccArray *
divided (AccArray **part, guint n, gpointer data)
{
  AccArray *sides[3];
  AccArray *joined, *all;

  divide (part[0], sides);
  joined = acc_array_concat (sides[0], sides[1]);
  all = acc_array_concat (joined, sides[2]);
  g_object_unref (joined);
  for (guint i = 0; i < 3; i++)
    g_object_unref (sides[i]);
  return all;
}

static AccExpr *
length_of_side (AccExpr *index, gpointer sides)
{
  AccArray **all = sides;

  return acc_expr_cond (acc_expr_eq (index, acc_expr_new_int (0)), acc_expr_extent (all[0], 0),
                        acc_expr_cond (acc_expr_eq (index, acc_expr_new_int (1)), acc_expr_extent (all[1], 0),
                                       acc_expr_extent (all[2], 0)));
}

static AccArray *
lengths_of_sides (AccArray **part, guint n, gpointer data)
{
  g_autoptr(AccShape) three = acc_shape_new_vector (3);
  AccArray *sides[3], *lengths;

  divide (part[0], sides);
  lengths = acc_array_generate (three, length_of_side, sides);
  for (guint i = 0; i < 3; i++)
    g_object_unref (sides[i]);
  return lengths;
}

static AccExpr *
is_not_empty (AccExpr *length, gpointer data)
{
  return acc_expr_gt (length, acc_expr_new_int (0));
}

static GPtrArray *
divide_all (AccArray **a, guint n, gpointer data)
{
  GPtrArray *results = g_ptr_array_new_with_free_func (g_object_unref);
  g_autoptr(AccNestedArray) parts = acc_nested_array_new_from_lengths (a[0], a[1]);
  g_autoptr(AccNestedArray) all = acc_nested_array_map (parts, divided, NULL), sizes = acc_nested_array_map (parts, lengths_of_sides, NULL);
  g_autoptr(AccArray) lengths = acc_array_flatten (acc_nested_array_get_values (sizes));

  g_ptr_array_add (results, g_object_ref (acc_nested_array_get_values (all)));
  g_ptr_array_add (results, acc_array_filter (lengths, is_not_empty, NULL, NULL));
  return results;
}

static AccExpr *
descends (AccExpr *index, gpointer values)
{
  AccExpr *next = acc_expr_add (index, acc_expr_new_int (1));

  return acc_expr_gt (acc_expr_linear_index (values, index), acc_expr_linear_index (values, next));
}

static AccExpr *
either (AccExpr *x, AccExpr *y, gpointer data)
{
  return acc_expr_lor (x, y);
}

static AccArray *
is_unsorted (AccArray **a, guint n, gpointer data)
{
  AccExpr *steps = acc_expr_sub (acc_expr_extent (a[0], 0), acc_expr_new_int (1));
  g_autoptr(AccArray) flags = acc_array_generate_expr (acc_expr_max (steps, acc_expr_new_int (0)), descends, a[0]);

  return acc_array_fold_all (flags, acc_expr_new_bool (FALSE), either, NULL);
}

static AccArray *
build_quicksort (AccArray **a, guint n, gpointer data)
{
  static const char * const state[] = { "u4[:]", "i8[:]", NULL };
  g_autoptr(AccProgram) condition = acc_program_new (state, is_unsorted, NULL), step = acc_program_new_many (state, divide_all, NULL);
  g_autoptr(AccShape) one = acc_shape_new_vector (1);
  g_autoptr(AccArray) lengths = acc_array_fill (one, acc_expr_extent (a[0], 0));
  AccArray *initial[] = { a[0], lengths };
  g_autoptr(GPtrArray) last = acc_array_while_loop_many (initial, 2, condition, step);

  return g_object_ref (g_ptr_array_index (last, 0));
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
