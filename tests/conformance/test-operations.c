/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "conformance.h"

/* Hand-worked cases of the array operations, sections 1.1 to 1.8 of the language. Each runs on every backend. */

static AccExpr *
minus (AccExpr *x, AccExpr *y, gpointer data)
{
  return acc_expr_sub (x, y);
}

static AccArray *
sequence (gint64 n)
{
  g_autoptr(AccShape) shape = acc_shape_new_vector (n);

  return acc_array_generate (shape, conf_decimal, NULL);
}

/* 0 1 2 / 10 11 12 ... */
static AccArray *
table (gint64 rows, gint64 columns)
{
  g_autoptr(AccShape) shape = acc_shape_new_matrix (rows, columns);

  return acc_array_generate (shape, conf_decimal, NULL);
}

static AccArray *
unit (AccExpr *value)
{
  return acc_array_unit (value);
}

/* --- 1.1 */

static AccExpr *
read_linear (AccExpr *i, gpointer array)
{
  return acc_expr_linear_index (array, i);
}

static AccExpr *
read_diagonal (AccExpr *i, gpointer array)
{
  return acc_expr_index (array, acc_expr_tuple2 (i, i));
}

static AccExpr *
read_extents (AccExpr *x, gpointer array)
{
  return acc_expr_tuple2 (acc_expr_extent (array, 0), acc_expr_extent (array, 1));
}

static AccExpr *
failing (AccExpr *i, gpointer array)
{
  return acc_expr_index (array, acc_expr_add (acc_expr_item (i, 0), conf_i64 (1000)));
}

static void
test_access (void)
{
  g_autoptr(AccArray) matrix = CONF_INTS2 ("i4", 3, 3, 1, 2, 3, 4, 5, 6, 7, 8, 9);
  g_autoptr(AccArray) vector = CONF_INTS1 ("i8", 5, 6, 7);
  g_autoptr(AccArray) one = unit (conf_i64 (41));
  g_autoptr(AccShape) three = acc_shape_new_vector (3);
  g_autoptr(AccShape) nine = acc_shape_new_vector (9);
  g_autoptr(AccShape) four = acc_shape_new_vector (4);
  g_autoptr(AccShape) ten = acc_shape_new_vector (10);
  g_autoptr(AccShape) scalar = acc_shape_new_scalar ();
  g_autoptr(AccShape) rows = acc_shape_new_matrix (7, 2);
  g_autoptr(AccArray) unread = NULL;
  AccArray *bad;

  CONF_EXPECT_INTS ("access/linear", acc_array_generate (nine, read_linear, matrix), "[9]", 1, 2, 3, 4, 5, 6, 7, 8, 9);
  CONF_EXPECT_INTS ("access/index", acc_array_generate (three, read_diagonal, matrix), "[3]", 1, 5, 9);
  CONF_EXPECT_INTS ("access/the", unit (acc_expr_add (acc_expr_the (one), conf_i64 (1))), "[]", 42);

  /* Asking for the shape does not compute the elements, which would fail. */
  unread = acc_array_generate (rows, failing, vector);
  CONF_EXPECT_INTS ("access/shape", acc_array_generate (scalar, read_extents, unread), "[]", 7);

  bad = acc_array_generate (four, read_diagonal, matrix);
  acc_array_set_label (bad, "diagonal");
  CONF_EXPECT_ERROR ("access/bounds", bad, ACC_ERROR_BOUNDS, "generate", "diagonal", "3");
  bad = acc_array_generate (ten, read_linear, matrix);
  acc_array_set_label (bad, "beyond");
  CONF_EXPECT_ERROR ("access/linear-bounds", bad, ACC_ERROR_BOUNDS, "generate", "beyond", "9");
}

static AccExpr *
negative_read (AccExpr *i, gpointer array)
{
  return acc_expr_index (array, acc_expr_sub (i, conf_i64 (1)));
}

static void
test_negative_index (void)
{
  g_autoptr(AccArray) vector = CONF_INTS1 ("i8", 5, 6, 7);
  g_autoptr(AccShape) shape = acc_shape_new_vector (3);
  AccArray *bad = acc_array_generate (shape, negative_read, vector);

  acc_array_set_label (bad, "before");
  CONF_EXPECT_ERROR ("access/negative", bad, ACC_ERROR_BOUNDS, "generate", "before", "-1", "3");
}

/* --- 1.2 */

static AccExpr *
pair_of_index (AccExpr *index, gpointer data)
{
  return acc_expr_tuple2 (acc_expr_item (index, 1), acc_expr_cast (acc_expr_item (index, 0), conf_type ("f4")));
}

static AccExpr *
constant_seven (AccExpr *index, gpointer data)
{
  return acc_expr_new_typed_int (conf_type ("u1"), 7);
}

static void
test_construction (void)
{
  g_autoptr(AccShape) shape = acc_shape_new_matrix (2, 3);
  g_autoptr(AccShape) empty = acc_shape_new_matrix (2, 0);
  g_autoptr(AccShape) scalar = acc_shape_new_scalar ();

  CONF_EXPECT_INTS ("use", CONF_INTS2 ("u2", 2, 2, 1, 65535, 3, 4), "[2,2]", 1, 65535, 3, 4);
  CONF_EXPECT_INTS ("generate/rank2", table (2, 3), "[2,3]", 0, 1, 2, 10, 11, 12);
  CONF_EXPECT_INTS ("generate/tuple-0", acc_array_generate (shape, pair_of_index, NULL), "[2,3]", 0, 1, 2, 0, 1, 2);
  conf_expect_floats ("generate/tuple-1", acc_array_generate (shape, pair_of_index, NULL), "[2,3]", 1, 6,
                      (double[]) { 0, 0, 0, 1, 1, 1 });
  conf_expect_ints ("generate/empty", acc_array_generate (empty, pair_of_index, NULL), "[2,0]", 0, 0, NULL);
  CONF_EXPECT_INTS ("generate/rank0", acc_array_generate (scalar, constant_seven, NULL), "[]", 7);
  CONF_EXPECT_INTS ("fill", acc_array_fill (shape, acc_expr_new_typed_int (conf_type ("i1"), -3)), "[2,3]", -3, -3, -3, -3, -3, -3);
  conf_expect_ints ("fill/empty", acc_array_fill (empty, acc_expr_new_bool (TRUE)), "[2,0]", 0, 0, NULL);
  CONF_EXPECT_FLOATS ("unit", unit (acc_expr_new_typed_float (conf_type ("f2"), 0.1)), "[]", 0.0999755859375);
}

static void
test_shape_expressions (void)
{
  g_autoptr(AccArray) sizes = CONF_INTS1 ("i8", 2, 3);
  g_autoptr(AccArray) like = table (3, 2);
  AccExpr *from_data = acc_expr_tuple2 (acc_expr_index (sizes, conf_i64 (0)), acc_expr_index (sizes, conf_i64 (1)));
  AccExpr *from_extents = acc_expr_tuple2 (acc_expr_extent (like, 1), acc_expr_mul (acc_expr_extent (like, 0), conf_i64 (2)));

  CONF_EXPECT_INTS ("generate/shape-from-data", acc_array_generate_expr (from_data, conf_decimal, NULL), "[2,3]", 0, 1, 2, 10, 11, 12);
  CONF_EXPECT_INTS ("fill/shape-from-extents", acc_array_fill_expr (from_extents, conf_i64 (5)), "[2,6]", 5, 5, 5);
  conf_expect_ints ("generate/negative-extent", acc_array_generate_expr (conf_i64 (-4), conf_decimal, NULL), "[0]", 0, 0, NULL);
}

/* --- 1.3 */

static AccArray *
below_hundred (AccArray **arrays, guint n, gpointer data)
{
  g_autoptr(AccArray) sum = acc_array_fold_all (arrays[0], conf_i64 (0), conf_plus, NULL);

  return acc_array_map (sum, data != NULL ? data : NULL, NULL);
}

static AccExpr *
is_below_hundred (AccExpr *x, gpointer data)
{
  return acc_expr_lt (x, conf_i64 (100));
}

static AccExpr *
never (AccExpr *x, gpointer data)
{
  return acc_expr_new_bool (FALSE);
}

static AccExpr *
doubled (AccExpr *x, gpointer data)
{
  return acc_expr_mul (x, conf_i64 (2));
}

static AccArray *
double_all (AccArray **arrays, guint n, gpointer data)
{
  return acc_array_map (arrays[0], doubled, NULL);
}

static AccExpr *
source_index (AccExpr *i, gpointer array)
{
  return acc_expr_quot (i, conf_i64 (2));
}

/* Twice as long, every element twice. */
static AccArray *
stretch (AccArray **arrays, guint n, gpointer data)
{
  return acc_array_backpermute_expr (arrays[0], acc_expr_mul (acc_expr_extent (arrays[0], 0), conf_i64 (2)), source_index, NULL);
}

static AccArray *
add_captured (AccArray **arrays, guint n, gpointer captured)
{
  return acc_array_zip_with (arrays[0], captured, conf_plus, NULL);
}

static AccArray *
loop (AccArray *initial, AccExprFunc condition, AccArrayFunc step, gpointer data)
{
  const char *signatures[] = { "i8[:]", NULL };
  g_autoptr(AccProgram) p = acc_program_new (signatures, below_hundred, condition);
  g_autoptr(AccProgram) f = acc_program_new (signatures, step, data);

  return acc_array_while_loop (initial, p, f);
}

static void
test_composition (void)
{
  g_autoptr(AccArray) yes = unit (acc_expr_new_bool (TRUE));
  g_autoptr(AccArray) no = unit (acc_expr_new_bool (FALSE));
  g_autoptr(AccArray) vector = CONF_INTS1 ("i8", 1, 2, 3);
  g_autoptr(AccArray) other = CONF_INTS1 ("i8", 9, 8, 7, 6);
  g_autoptr(AccShape) shape = acc_shape_new_vector (5);
  g_autoptr(AccArray) fails = acc_array_generate (shape, failing, vector);
  g_autoptr(AccArray) captured = acc_array_map (vector, doubled, NULL);

  CONF_EXPECT_INTS ("cond/then", acc_array_cond (yes, vector, other), "[3]", 1, 2, 3);
  CONF_EXPECT_INTS ("cond/otherwise", acc_array_cond (no, vector, other), "[4]", 9, 8, 7, 6);
  CONF_EXPECT_INTS ("cond/lazy", acc_array_cond (yes, vector, fails), "[3]", 1, 2, 3);
  CONF_EXPECT_INTS ("cond/lazy-otherwise", acc_array_cond (no, fails, other), "[4]", 9, 8, 7, 6);

  CONF_EXPECT_INTS ("while/doubling", loop (vector, is_below_hundred, double_all, NULL), "[3]", 32, 64, 96);
  CONF_EXPECT_INTS ("while/none", loop (vector, never, double_all, NULL), "[3]", 1, 2, 3);
  CONF_EXPECT_INTS ("while/growing", loop (vector, is_below_hundred, stretch, NULL), "[96]", 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1,
                    1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 2, 2);
  CONF_EXPECT_INTS ("while/captured", loop (vector, is_below_hundred, add_captured, captured), "[3]", 17, 34, 51);
}

/* --- 1.4 */

static AccExpr *
times_index (AccExpr *index, AccExpr *x, gpointer data)
{
  return acc_expr_add (acc_expr_mul (conf_decimal (index, NULL), conf_i64 (100)), x);
}

static AccExpr *
fused3 (AccExpr *x, AccExpr *y, AccExpr *z, gpointer data)
{
  return acc_expr_add (acc_expr_mul (x, y), z);
}

static AccExpr *
swap (AccExpr *x, gpointer data)
{
  return acc_expr_tuple2 (acc_expr_item (x, 1), acc_expr_item (x, 0));
}

static void
test_elementwise (void)
{
  g_autoptr(AccArray) small = table (2, 3);
  g_autoptr(AccArray) wide = table (4, 2);
  g_autoptr(AccArray) empty = table (0, 3);
  g_autoptr(AccArray) one = unit (conf_i64 (3));
  g_autoptr(AccArray) two = unit (conf_i64 (4));
  g_autoptr(AccArray) pairs = acc_array_zip (small, wide);
  g_autoptr(AccArray) swapped = acc_array_map (pairs, swap, NULL);
  g_autoptr(AccArray) triples = acc_array_zip_many ((AccArray *[]) { small, small, wide }, 3);
  g_autoptr(AccArray) nested = acc_array_zip (pairs, small);
  g_autoptr(AccArray) inner = acc_array_unzip (nested, 0);

  CONF_EXPECT_INTS ("map", acc_array_map (small, doubled, NULL), "[2,3]", 0, 2, 4, 20, 22, 24);
  conf_expect_ints ("map/empty", acc_array_map (empty, doubled, NULL), "[0,3]", 0, 0, NULL);
  CONF_EXPECT_INTS ("map/rank0", acc_array_map (one, doubled, NULL), "[]", 6);
  CONF_EXPECT_INTS ("imap", acc_array_imap (small, times_index, NULL), "[2,3]", 0, 101, 202, 1010, 1111, 1212);
  CONF_EXPECT_INTS ("zip_with/intersection", acc_array_zip_with (small, wide, minus, NULL), "[2,2]", 0, 0, 0, 0);
  CONF_EXPECT_INTS ("zip_with/own-strides", acc_array_zip_with (wide, small, conf_plus, NULL), "[2,2]", 0, 2, 20, 22);
  conf_expect_ints ("zip_with/empty", acc_array_zip_with (small, empty, conf_plus, NULL), "[0,3]", 0, 0, NULL);
  CONF_EXPECT_INTS ("zip_with/rank0", acc_array_zip_with (one, two, minus, NULL), "[]", -1);
  CONF_EXPECT_INTS ("zip_with3", acc_array_zip_with3 (small, small, wide, fused3, NULL), "[2,2]", 0, 2, 110, 132);
  conf_expect_ints ("zip/0", g_object_ref (pairs), "[2,2]", 0, 4, (gint64[]) { 0, 1, 10, 11 });
  conf_expect_ints ("zip/1", g_object_ref (triples), "[2,2]", 2, 4, (gint64[]) { 0, 1, 10, 11 });
  CONF_EXPECT_INTS ("unzip/0", acc_array_unzip (swapped, 0), "[2,2]", 0, 1, 10, 11);
  CONF_EXPECT_INTS ("unzip/nested", acc_array_unzip (inner, 1), "[2,2]", 0, 1, 10, 11);
}

/* --- 1.5, 1.6 */

static void
test_shapes (void)
{
  g_autoptr(AccArray) matrix = table (2, 3);
  g_autoptr(AccArray) cube = NULL;
  g_autoptr(AccArray) vector = CONF_INTS1 ("i4", 7, 8, 9);
  g_autoptr(AccArray) one = unit (acc_expr_new_typed_int (conf_type ("i4"), 5));
  g_autoptr(AccArray) nothing = table (3, 0);
  g_autoptr(AccShape) turned = acc_shape_new_matrix (3, 2);
  g_autoptr(AccShape) wrong = acc_shape_new_matrix (4, 2);
  g_autoptr(AccShape) deep = acc_shape_new ((gint64[]) { 2, 2, 2 }, 3);
  g_autoptr(AccShape) none = acc_shape_new ((gint64[]) { 0, 5, 2 }, 3);
  g_autoptr(AccArray) numbers = acc_array_generate (deep, conf_decimal, NULL);
  AccArray *bad;

  cube = g_object_ref (numbers);
  CONF_EXPECT_INTS ("reshape", acc_array_reshape (matrix, turned), "[3,2]", 0, 1, 2, 10, 11, 12);
  CONF_EXPECT_INTS ("flatten", acc_array_flatten (matrix), "[6]", 0, 1, 2, 10, 11, 12);
  CONF_EXPECT_INTS ("flatten/rank0", acc_array_flatten (one), "[1]", 5);
  conf_expect_ints ("reshape/empty", acc_array_reshape (nothing, none), "[0,5,2]", 0, 0, NULL);
  bad = acc_array_reshape (matrix, wrong);
  acc_array_set_label (bad, "misfit");
  CONF_EXPECT_ERROR ("reshape/size", bad, ACC_ERROR_SHAPE, "reshape", "misfit");
  bad = acc_array_reshape_expr (matrix, acc_expr_add (acc_expr_extent (matrix, 0), conf_i64 (5)));
  CONF_EXPECT_ERROR ("reshape/size-at-run", bad, ACC_ERROR_SHAPE, "reshape");

  CONF_EXPECT_INTS ("slice/row", acc_array_slice (matrix, (gint64[]) { 1, ACC_ALL }, 2), "[3]", 10, 11, 12);
  CONF_EXPECT_INTS ("slice/column", acc_array_slice (matrix, (gint64[]) { ACC_ALL, 2 }, 2), "[2]", 2, 12);
  CONF_EXPECT_INTS ("slice/all", acc_array_slice (matrix, (gint64[]) { ACC_ALL, ACC_ALL }, 2), "[2,3]", 0, 1, 2, 10, 11, 12);
  CONF_EXPECT_INTS ("slice/element", acc_array_slice (matrix, (gint64[]) { 1, 1 }, 2), "[]", 11);
  CONF_EXPECT_INTS ("slice/middle", acc_array_slice (cube, (gint64[]) { ACC_ALL, 1, ACC_ALL }, 3), "[2,2]", 10, 11, 110, 111);
  bad = acc_array_slice (matrix, (gint64[]) { 2, ACC_ALL }, 2);
  CONF_EXPECT_ERROR ("slice/bounds", bad, ACC_ERROR_BOUNDS, "slice", "2");

  CONF_EXPECT_INTS ("replicate/2.all.3", acc_array_replicate (vector, (gint64[]) { 2, ACC_ALL, 3 }, 3), "[2,3,3]",
                    7, 7, 7, 8, 8, 8, 9, 9, 9, 7, 7, 7, 8, 8, 8, 9, 9, 9);
  CONF_EXPECT_INTS ("replicate/all.2", acc_array_replicate (vector, (gint64[]) { ACC_ALL, 2 }, 2), "[3,2]", 7, 7, 8, 8, 9, 9);
  CONF_EXPECT_INTS ("replicate/2.all", acc_array_replicate (vector, (gint64[]) { 2, ACC_ALL }, 2), "[2,3]", 7, 8, 9, 7, 8, 9);
  CONF_EXPECT_INTS ("replicate/scalar", acc_array_replicate (one, (gint64[]) { 2, 2 }, 2), "[2,2]", 5, 5, 5, 5);
  conf_expect_ints ("replicate/by-zero", acc_array_replicate (vector, (gint64[]) { 0, ACC_ALL }, 2), "[0,3]", 0, 0, NULL);
  CONF_EXPECT_INTS ("replicate/all", acc_array_replicate (vector, (gint64[]) { ACC_ALL }, 1), "[3]", 7, 8, 9);
}

/* --- 1.7 */

static AccArray *
zeros (gint64 n)
{
  g_autoptr(AccShape) shape = acc_shape_new_vector (n);

  return acc_array_fill (shape, conf_i64 (0));
}

static AccArray *
masked (AccArray *mask, AccArray *targets)
{
  return acc_array_zip (mask, targets);
}

static AccExpr *
index_pair (AccExpr *x, gpointer data)
{
  return acc_expr_tuple2 (acc_expr_quot (x, conf_i64 (10)), acc_expr_rem (x, conf_i64 (10)));
}

static AccExpr *
no_index (AccExpr *x, gpointer data)
{
  return acc_expr_tuple (NULL, 0);
}

static AccExpr *
with_negative (AccExpr *x, gpointer data)
{
  return acc_expr_tuple2 (x, acc_expr_neg (x));
}

static AccExpr *
new_minus_old (AccExpr *x, AccExpr *y, gpointer data)
{
  return acc_expr_sub (x, y);
}

static AccExpr *
pair_plus (AccExpr *x, AccExpr *y, gpointer data)
{
  return acc_expr_tuple2 (acc_expr_add (acc_expr_item (x, 0), acc_expr_item (y, 0)),
                          acc_expr_add (acc_expr_item (x, 1), acc_expr_item (y, 1)));
}

static void
test_permute (void)
{
  g_autoptr(AccArray) values = CONF_INTS1 ("i8", 1, 2, 3, 4, 5);
  g_autoptr(AccArray) targets = CONF_INTS1 ("i8", 0, 2, 0, 2, 1);
  g_autoptr(AccArray) mask = CONF_INTS1 ("b1", 1, 0, 1, 1, 0);
  g_autoptr(AccArray) distinct = CONF_INTS1 ("i8", 4, 3, 2, 1, 0);
  g_autoptr(AccArray) outside = CONF_INTS1 ("i8", 0, 1, 5, 1, 0);
  g_autoptr(AccArray) negative = CONF_INTS1 ("i8", 0, 1, -1, 1, 0);
  g_autoptr(AccArray) three = zeros (3);
  g_autoptr(AccArray) five = zeros (5);
  g_autoptr(AccArray) none = zeros (0);
  g_autoptr(AccArray) skipped = masked (mask, targets);
  g_autoptr(AccArray) flat = CONF_INTS1 ("i8", 0, 12, 1, 10, 12);
  g_autoptr(AccArray) points = acc_array_map (flat, index_pair, NULL);
  g_autoptr(AccArray) grid = table (2, 3);
  g_autoptr(AccArray) nowhere = acc_array_map (values, no_index, NULL);
  g_autoptr(AccArray) total = unit (conf_i64 (100));
  g_autoptr(AccArray) pairs = acc_array_map (values, with_negative, NULL);
  g_autoptr(AccArray) zero_pairs = acc_array_map (three, with_negative, NULL);
  g_autoptr(AccArray) empty_values = zeros (0);
  AccArray *bad;

  CONF_EXPECT_INTS ("permute/histogram", acc_array_permute (values, three, targets, conf_plus, NULL), "[3]", 4, 5, 6);
  CONF_EXPECT_INTS ("permute/masked", acc_array_permute (values, three, skipped, conf_plus, NULL), "[3]", 4, 0, 4);
  CONF_EXPECT_INTS ("permute/scatter", acc_array_permute (values, five, distinct, conf_first, NULL), "[5]", 5, 4, 3, 2, 1);
  CONF_EXPECT_INTS ("permute/keep-old", acc_array_permute (values, five, distinct, conf_second, NULL), "[5]", 0, 0, 0, 0, 0);
  CONF_EXPECT_INTS ("permute/argument-order", acc_array_permute (values, five, distinct, new_minus_old, NULL), "[5]", 5, 4, 3, 2, 1);
  CONF_EXPECT_INTS ("permute/rank", acc_array_permute (values, grid, points, conf_plus, NULL), "[2,3]", 1, 4, 2, 14, 11, 19);
  CONF_EXPECT_INTS ("permute/to-rank0", acc_array_permute (values, total, nowhere, conf_plus, NULL), "[]", 115);
  conf_expect_ints ("permute/tuple-0", acc_array_permute (pairs, zero_pairs, targets, pair_plus, NULL), "[3]", 0, 3,
                    (gint64[]) { 4, 5, 6 });
  conf_expect_ints ("permute/tuple-1", acc_array_permute (pairs, zero_pairs, targets, pair_plus, NULL), "[3]", 1, 3,
                    (gint64[]) { -4, -5, -6 });
  CONF_EXPECT_INTS ("permute/empty-source", acc_array_permute (empty_values, three, none, conf_plus, NULL), "[3]", 0, 0, 0);

  bad = acc_array_permute (values, five, outside, conf_plus, NULL);
  acc_array_set_label (bad, "spill");
  CONF_EXPECT_ERROR ("permute/bounds", bad, ACC_ERROR_BOUNDS, "permute", "spill", "5");
  bad = acc_array_permute (values, five, negative, conf_plus, NULL);
  CONF_EXPECT_ERROR ("permute/negative", bad, ACC_ERROR_BOUNDS, "permute", "-1");
  bad = acc_array_permute (values, none, targets, conf_plus, NULL);
  CONF_EXPECT_ERROR ("permute/empty-target", bad, ACC_ERROR_BOUNDS, "permute");
}

/* --- 1.8 */

static AccExpr *
reversed (AccExpr *i, gpointer array)
{
  return acc_expr_sub (acc_expr_sub (acc_expr_extent (array, 0), conf_i64 (1)), i);
}

static AccExpr *
transposed (AccExpr *index, gpointer data)
{
  return swap (index, NULL);
}

static AccExpr *
doubled_index (AccExpr *i, gpointer data)
{
  return acc_expr_mul (i, conf_i64 (2));
}

static AccExpr *
origin (AccExpr *i, gpointer data)
{
  return acc_expr_tuple (NULL, 0);
}

static void
test_backpermute (void)
{
  g_autoptr(AccArray) vector = CONF_INTS1 ("u1", 1, 2, 3, 4);
  g_autoptr(AccArray) matrix = table (2, 3);
  g_autoptr(AccArray) none = zeros (0);
  g_autoptr(AccArray) one = unit (conf_i64 (8));
  g_autoptr(AccShape) four = acc_shape_new_vector (4);
  g_autoptr(AccShape) two = acc_shape_new_vector (2);
  g_autoptr(AccShape) zero = acc_shape_new_vector (0);
  g_autoptr(AccShape) turned = acc_shape_new_matrix (3, 2);
  AccArray *bad;

  CONF_EXPECT_INTS ("backpermute/reverse", acc_array_backpermute (vector, four, reversed, vector), "[4]", 4, 3, 2, 1);
  CONF_EXPECT_INTS ("backpermute/transpose", acc_array_backpermute (matrix, turned, transposed, NULL), "[3,2]", 0, 10, 1, 11, 2, 12);
  CONF_EXPECT_INTS ("backpermute/every-other", acc_array_backpermute (vector, two, doubled_index, NULL), "[2]", 1, 3);
  CONF_EXPECT_INTS ("backpermute/from-rank0", acc_array_backpermute (one, two, origin, NULL), "[2]", 8, 8);
  conf_expect_ints ("backpermute/empty", acc_array_backpermute (none, zero, doubled_index, NULL), "[0]", 0, 0, NULL);
  bad = acc_array_backpermute (vector, four, doubled_index, NULL);
  acc_array_set_label (bad, "stride");
  CONF_EXPECT_ERROR ("backpermute/bounds", bad, ACC_ERROR_BOUNDS, "backpermute", "stride", "4");
}

static AccExpr *
turned (AccExpr *ix, gpointer data)
{
  static const guint orders[][3] = { { 1, 0, 2 }, { 0, 2, 1 }, { 1, 2, 0 }, { 2, 0, 1 }, { 2, 1, 0 } };
  const guint *order = orders[GPOINTER_TO_UINT (data)];

  if (GPOINTER_TO_UINT (data) == 0)
    return acc_expr_tuple2 (acc_expr_item (ix, 1), acc_expr_item (ix, 0));

  return acc_expr_tuple3 (acc_expr_item (ix, order[0]), acc_expr_item (ix, order[1]), acc_expr_item (ix, order[2]));
}

static AccExpr *
both (AccExpr *x, AccExpr *y, gpointer data)
{
  return acc_expr_tuple2 (x, y);
}

/* Dimensions in another order, at extents around those of tiles; alone, fused with others, and twice. */
/* --- functions that are no primitives, with many sources to a target: their operands commute */

/* One less than the product of what is one more. */
static AccExpr *
join_scalars (AccExpr *x, AccExpr *y, gpointer data)
{
  return acc_expr_add (acc_expr_add (x, y), acc_expr_mul (x, y));
}

static AccExpr *
larger (AccExpr *x, AccExpr *y, gpointer data)
{
  return acc_expr_cond (acc_expr_lt (x, y), y, x);
}

/* The pair of the smaller first component; of equal ones that of the smaller second. */
static AccExpr *
smaller_pair (AccExpr *x, AccExpr *y, gpointer data)
{
  AccExpr *before = acc_expr_lt (acc_expr_item (x, 0), acc_expr_item (y, 0));
  AccExpr *equal = acc_expr_eq (acc_expr_item (x, 0), acc_expr_item (y, 0));
  AccExpr *first = acc_expr_lor (before, acc_expr_land (equal, acc_expr_lt (acc_expr_item (x, 1), acc_expr_item (y, 1))));

  return acc_expr_cond (first, x, y);
}

static AccExpr *
complex_product (AccExpr *x, AccExpr *y, gpointer data)
{
  AccExpr *a = acc_expr_item (x, 0), *b = acc_expr_item (x, 1), *c = acc_expr_item (y, 0), *d = acc_expr_item (y, 1);

  return acc_expr_tuple2 (acc_expr_sub (acc_expr_mul (a, c), acc_expr_mul (b, d)), acc_expr_add (acc_expr_mul (a, d), acc_expr_mul (b, c)));
}

typedef struct {
  const char  *name;
  AccExprFunc2 combine;
  const char  *codes[2];   /* the second: of pairs */
} Collision;

static AccExpr *
collision_element (AccExpr *i, gpointer data)
{
  const Collision *c = data;
  AccExpr *first = acc_expr_cast (acc_expr_mod (acc_expr_mul (i, conf_i64 (37)), conf_i64 (101)), conf_type (c->codes[0]));

  return c->codes[1] == NULL ? first : acc_expr_tuple2 (first, acc_expr_cast (acc_expr_add (i, conf_i64 (3)), conf_type (c->codes[1])));
}

static AccExpr *
collision_target (AccExpr *i, gpointer n)
{
  return acc_expr_mod (acc_expr_mul (i, acc_expr_add (i, conf_i64 (5))), conf_i64 (GPOINTER_TO_INT (n)));
}

static void
test_collisions (void)
{
  static const Collision collisions[] = {
    { "scalars", join_scalars, { "i1" } }, { "scalars", join_scalars, { "u2" } }, { "scalars", join_scalars, { "i4" } },
    { "scalars", join_scalars, { "u8" } }, { "larger", larger, { "f2" } }, { "larger", larger, { "f4" } }, { "larger", larger, { "f8" } },
    { "smaller", smaller_pair, { "f4", "i4" } }, { "smaller", smaller_pair, { "u1", "i8" } }, { "smaller", smaller_pair, { "f8", "u2" } },
    { "product", complex_product, { "u4", "u4" } },
  };
  static const gint64 n_targets[] = { 1, 7, 300 };
  gint64 n = conf_is_thorough () ? 20000 : 3000;
  g_autoptr(AccArray) numbers = sequence (n);

  for (guint k = 0; k < G_N_ELEMENTS (collisions); k++)
    for (guint t = 0; t < G_N_ELEMENTS (n_targets); t++)
      {
        const Collision *c = &collisions[k];
        g_autofree char *name = g_strdup_printf ("permute/%s/%s/%d", c->name, c->codes[0], (int) n_targets[t]);
        g_autoptr(AccArray) few = sequence (n_targets[t]);
        g_autoptr(AccArray) source = acc_array_map (numbers, collision_element, (gpointer) c);
        g_autoptr(AccArray) defaults = acc_array_map (few, collision_element, (gpointer) c);
        g_autoptr(AccArray) targets = acc_array_map (numbers, collision_target, GINT_TO_POINTER ((int) n_targets[t]));

        conf_check_array (name, acc_array_permute (source, defaults, targets, c->combine, NULL), CONF_EXACT);
      }
}

static void
test_transpose (void)
{
  static const gint64 sides[][2] = { { 16, 16 }, { 17, 40 }, { 32, 32 }, { 33, 31 }, { 64, 65 }, { 100, 130 }, { 130, 1500 }, { 1, 70 },
                                     { 70, 1 }, { 2049, 2081 } };
  static const gint64 boxes[][3] = { { 3, 33, 40 }, { 40, 3, 33 }, { 33, 40, 3 }, { 17, 18, 19 }, { 5, 70, 90 }, { 70, 4, 200 } };
  g_autoptr(GRand) rand = g_rand_new_with_seed (conf_seed ());

  for (guint t = 0; t < conf_n_types (); t++)
    for (guint i = 0; i < G_N_ELEMENTS (sides); i++)
      {
        if (i != 3 && i != 5 && strcmp (conf_types[t], "f4") != 0)
          continue;

        g_autoptr(AccArray) a = conf_array (conf_type (conf_types[t]), sides[i], 2, rand, CONF_FULL);
        g_autoptr(AccArray) b = conf_array (conf_type ("u1"), (gint64[]) { sides[i][1], sides[i][0] }, 2, rand, CONF_FULL);
        g_autoptr(AccShape) shape = acc_shape_new_matrix (sides[i][1], sides[i][0]);
        g_autofree char *name = g_strdup_printf ("transpose/%s/%d", conf_types[t], (int) i);
        g_autoptr(AccArray) turned_a = acc_array_backpermute (a, shape, turned, GUINT_TO_POINTER (0));

        conf_check_array (name, g_object_ref (turned_a), CONF_EXACT);
        conf_check_array (name, acc_array_zip_with (turned_a, b, both, NULL), CONF_EXACT);
      }

  for (guint i = 0; i < G_N_ELEMENTS (boxes); i++)
    for (guint order = 1; order < 5; order++)
      {
        g_autoptr(AccArray) a = conf_array (conf_type (i & 1 ? "u2" : "f4"), boxes[i], 3, rand, CONF_FULL);
        g_autoptr(AccShape) shape = acc_shape_new ((gint64[]) {
          boxes[i][order == 1 ? 0 : order == 2 ? 2 : order == 3 ? 1 : 2], boxes[i][order == 1 ? 2 : order == 2 ? 0 : order == 3 ? 2 : 1],
          boxes[i][order == 1 ? 1 : order == 2 ? 1 : order == 3 ? 0 : 0] }, 3);
        g_autofree char *name = g_strdup_printf ("transpose/box/%u/%u", i, order);

        conf_check_array (name, acc_array_backpermute (a, shape, turned, GUINT_TO_POINTER (order)), CONF_EXACT);
      }
}

/* What a channel of a pixel is depends on its number, and on the pixel of one of two pictures. */
static AccExpr *
channel (AccExpr *index, gpointer data)
{
  AccArray **pictures = data;
  g_autoptr(AccExpr) pixel = acc_expr_ref_sink (acc_expr_tuple2 (acc_expr_item (index, 0), acc_expr_item (index, 1)));
  AccExpr *is_even = acc_expr_eq (acc_expr_mod (acc_expr_item (index, 2), acc_expr_new_int (2)), acc_expr_new_int (0));

  return acc_expr_cond (is_even, acc_expr_index (pictures[0], pixel), acc_expr_index (pictures[1], pixel));
}

static AccExpr *
numbered (AccExpr *index, AccExpr *x, gpointer data)
{
  return acc_expr_tuple2 (acc_expr_sub (acc_expr_item (index, 1), acc_expr_item (index, 2)), x);
}

/* Last dimensions that are too short for a loop, in tiles and in pieces of vectors. */
static void
test_channels (void)
{
  static const gint64 sides[][3] = { { 1, 1, 3 }, { 2, 5, 2 }, { 3, 37, 3 }, { 5, 33, 4 }, { 2, 70, 5 }, { 3, 20, 16 }, { 2, 9001, 3 } };
  g_autoptr(GRand) rand = g_rand_new_with_seed (conf_seed () + 5);

  for (guint t = 0; t < conf_n_types (); t++)
    for (guint i = 0; i < G_N_ELEMENTS (sides); i++)
      {
        if (i != 2 && i != 3 && strcmp (conf_types[t], "u1") != 0)
          continue;

        g_autoptr(AccArray) a = conf_array (conf_type (conf_types[t]), sides[i], 2, rand, CONF_FULL);
        g_autoptr(AccArray) b = conf_array (conf_type (conf_types[t]), sides[i], 2, rand, CONF_FULL);
        g_autoptr(AccShape) shape = acc_shape_new (sides[i], 3);
        g_autofree char *name = g_strdup_printf ("channels/%s/%u", conf_types[t], i);
        AccArray *pictures[] = { a, b };
        g_autoptr(AccArray) channels = acc_array_generate (shape, channel, pictures);

        conf_check_array (name, g_object_ref (channels), CONF_EXACT);
        conf_check_array (name, acc_array_imap (channels, numbered, NULL), CONF_EXACT);
      }
}

/* A sequence shared by many consumers, and a diamond. */
static void
test_sharing (void)
{
  g_autoptr(AccArray) a = sequence (4);
  g_autoptr(AccArray) current = g_object_ref (a);

  for (guint i = 0; i < 20; i++)
    {
      AccArray *next = acc_array_zip_with (current, current, conf_plus, NULL);

      g_object_unref (current);
      current = next;
    }
  CONF_EXPECT_INTS ("sharing/doubling", g_object_ref (current), "[4]", 0, 1048576, 2097152, 3145728);
}

int
main (int argc, char **argv)
{
  conf_init (&argc, &argv);
  g_test_add_func ("/operations/access", test_access);
  g_test_add_func ("/operations/access-negative", test_negative_index);
  g_test_add_func ("/operations/construction", test_construction);
  g_test_add_func ("/operations/shape-expressions", test_shape_expressions);
  g_test_add_func ("/operations/composition", test_composition);
  g_test_add_func ("/operations/element-wise", test_elementwise);
  g_test_add_func ("/operations/shapes", test_shapes);
  g_test_add_func ("/operations/permute", test_permute);
  g_test_add_func ("/operations/permute-collisions", test_collisions);
  g_test_add_func ("/operations/backpermute", test_backpermute);
  g_test_add_func ("/operations/transpose", test_transpose);
  g_test_add_func ("/operations/channels", test_channels);
  g_test_add_func ("/operations/sharing", test_sharing);
  return conf_run ();
}
