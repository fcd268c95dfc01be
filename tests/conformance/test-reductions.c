/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "conformance.h"

/* Hand-worked cases of folds, scans and stencils, sections 1.10, 1.12 and 1.14 of the language. */

static AccExpr *
smaller (AccExpr *x, AccExpr *y, gpointer data)
{
  return acc_expr_min (x, y);
}

/* Associative, not commutative: digits appended, as (value, power of ten). */
static AccExpr *
append (AccExpr *x, AccExpr *y, gpointer data)
{
  return acc_expr_tuple2 (acc_expr_add (acc_expr_mul (acc_expr_item (x, 0), acc_expr_item (y, 1)), acc_expr_item (y, 0)),
                          acc_expr_mul (acc_expr_item (x, 1), acc_expr_item (y, 1)));
}

static AccExpr *
digit (AccExpr *x, gpointer data)
{
  return acc_expr_tuple2 (x, conf_i64 (10));
}

/* --- 1.10 */

static void
test_fold (void)
{
  g_autoptr(AccArray) matrix = CONF_INTS2 ("i8", 2, 3, 1, 2, 3, 4, 5, 6);
  g_autoptr(AccArray) vector = CONF_INTS1 ("i8", 1, 2, 3, 4);
  g_autoptr(AccArray) one = acc_array_unit (conf_i64 (6));
  g_autoptr(AccArray) no_columns = conf_ints ("i8", (gint64[]) { 2, 0 }, 2, NULL);
  g_autoptr(AccArray) no_rows = conf_ints ("i8", (gint64[]) { 0, 3 }, 2, NULL);
  g_autoptr(AccArray) nothing = conf_ints ("i8", (gint64[]) { 0, 0 }, 2, NULL);
  g_autoptr(AccArray) empty = conf_ints ("i8", (gint64[]) { 0 }, 1, NULL);
  g_autoptr(AccArray) flags = CONF_INTS1 ("b1", 1, 1, 0, 1);
  AccArray *bad;

  CONF_EXPECT_INTS ("fold", acc_array_fold (matrix, conf_i64 (0), conf_plus, NULL), "[2]", 6, 15);
  CONF_EXPECT_INTS ("fold/seed", acc_array_fold (matrix, conf_i64 (100), conf_plus, NULL), "[2]", 106, 115);
  CONF_EXPECT_INTS ("fold/rank1", acc_array_fold (vector, conf_i64 (100), conf_plus, NULL), "[]", 110);
  CONF_EXPECT_INTS ("fold/no-columns", acc_array_fold (no_columns, conf_i64 (7), conf_plus, NULL), "[2]", 7, 7);
  conf_expect_ints ("fold/no-rows", acc_array_fold (no_rows, conf_i64 (7), conf_plus, NULL), "[0]", 0, 0, NULL);
  CONF_EXPECT_INTS ("fold/empty", acc_array_fold (empty, conf_i64 (7), conf_plus, NULL), "[]", 7);
  CONF_EXPECT_INTS ("fold1", acc_array_fold1 (matrix, smaller, NULL), "[2]", 1, 4);
  conf_expect_ints ("fold1/no-rows", acc_array_fold1 (no_rows, smaller, NULL), "[0]", 0, 0, NULL);
  CONF_EXPECT_INTS ("fold_all", acc_array_fold_all (matrix, conf_i64 (1000), conf_plus, NULL), "[]", 1021);
  CONF_EXPECT_INTS ("fold_all/rank0", acc_array_fold_all (one, conf_i64 (4), conf_plus, NULL), "[]", 10);
  CONF_EXPECT_INTS ("fold_all/empty", acc_array_fold_all (no_rows, conf_i64 (4), conf_plus, NULL), "[]", 4);
  CONF_EXPECT_INTS ("fold1_all", acc_array_fold1_all (matrix, smaller, NULL), "[]", 1);
  CONF_EXPECT_INTS ("fold1_all/rank0", acc_array_fold1_all (one, smaller, NULL), "[]", 6);
  CONF_EXPECT_INTS ("fold1/bool", acc_array_fold1 (flags, smaller, NULL), "[]", 0);

  bad = acc_array_fold1 (no_columns, smaller, NULL);
  acc_array_set_label (bad, "nothing");
  CONF_EXPECT_ERROR ("fold1/no-columns", bad, ACC_ERROR_SHAPE, "fold1", "nothing", "empty array");
  CONF_EXPECT_ERROR ("fold1/neither", acc_array_fold1 (nothing, smaller, NULL), ACC_ERROR_SHAPE, "fold1", "empty array");
  CONF_EXPECT_ERROR ("fold1_all/empty", acc_array_fold1_all (no_rows, smaller, NULL), ACC_ERROR_SHAPE, "fold1_all", "empty array");
}

static void
test_fold_order (void)
{
  g_autoptr(AccArray) digits = CONF_INTS1 ("i8", 1, 2, 3, 4, 5, 6, 7, 8, 9);
  g_autoptr(AccArray) pairs = acc_array_map (digits, digit, NULL);
  AccExpr *seed = acc_expr_tuple2 (conf_i64 (9), conf_i64 (10));

  CONF_EXPECT_INTS ("fold/order", acc_array_fold (pairs, acc_expr_tuple2 (conf_i64 (0), conf_i64 (1)), append, NULL), "[]", 123456789);
  CONF_EXPECT_INTS ("fold/seed-left", acc_array_fold (pairs, seed, append, NULL), "[]", 9123456789);
  CONF_EXPECT_INTS ("fold1/order", acc_array_fold1 (pairs, append, NULL), "[]", 123456789);
}

/* --- 1.12 */

static void
test_scan (void)
{
  g_autoptr(AccArray) vector = CONF_INTS1 ("i8", 1, 2, 3, 4);
  g_autoptr(AccArray) matrix = CONF_INTS2 ("i2", 2, 3, 1, 2, 3, 4, 5, 6);
  g_autoptr(AccArray) empty = conf_ints ("i8", (gint64[]) { 0 }, 1, NULL);
  g_autoptr(AccArray) no_columns = conf_ints ("i8", (gint64[]) { 2, 0 }, 2, NULL);
  g_autoptr(AccArray) narrow = CONF_INTS1 ("u1", 200, 100, 50);
  g_autoptr(AccArray) pairs = acc_array_map (vector, digit, NULL);

  CONF_EXPECT_INTS ("scanl1", acc_array_scanl1 (vector, conf_plus, NULL), "[4]", 1, 3, 6, 10);
  CONF_EXPECT_INTS ("scanl1/rows", acc_array_scanl1 (matrix, conf_plus, NULL), "[2,3]", 1, 3, 6, 4, 9, 15);
  CONF_EXPECT_INTS ("scanl1/wraps", acc_array_scanl1 (narrow, conf_plus, NULL), "[3]", 200, 44, 94);
  CONF_EXPECT_INTS ("scanl1/order", acc_array_scanl1 (pairs, append, NULL), "[4]", 1, 12, 123, 1234);
  conf_expect_ints ("scanl1/empty", acc_array_scanl1 (empty, conf_plus, NULL), "[0]", 0, 0, NULL);
  conf_expect_ints ("scanl1/no-columns", acc_array_scanl1 (no_columns, conf_plus, NULL), "[2,0]", 0, 0, NULL);
}

/* --- 1.14 */

static AccExpr *
sum3 (AccExpr *n, gpointer data)
{
  return acc_expr_add (acc_expr_add (acc_expr_mul (acc_expr_neighbour1 (n, -1), acc_expr_new_int (100)),
                                     acc_expr_mul (acc_expr_neighbour1 (n, 0), acc_expr_new_int (10))),
                       acc_expr_neighbour1 (n, 1));
}

/* Of five: the farthest left and right. */
static AccExpr *
far5 (AccExpr *n, gpointer data)
{
  return acc_expr_add (acc_expr_mul (acc_expr_neighbour1 (n, -2), acc_expr_new_int (100)), acc_expr_neighbour1 (n, 2));
}

static AccExpr *
far9 (AccExpr *n, gpointer data)
{
  return acc_expr_add (acc_expr_mul (acc_expr_neighbour1 (n, -4), acc_expr_new_int (100)), acc_expr_neighbour1 (n, 4));
}

static AccExpr *
corners (AccExpr *n, gpointer data)
{
  return acc_expr_add (acc_expr_mul (acc_expr_neighbour2 (n, -1, -1), acc_expr_new_int (1000)), acc_expr_neighbour2 (n, 1, 1));
}

static AccExpr *
outside_value (AccExpr *index, gpointer data)
{
  return acc_expr_sub (conf_i64 (0), index);
}

static AccExpr *
outside_index2 (AccExpr *index, gpointer data)
{
  return acc_expr_sub (acc_expr_mul (acc_expr_item (index, 0), conf_i64 (10)), acc_expr_item (index, 1));
}

static AccExpr *
outside_read (AccExpr *index, gpointer array)
{
  return acc_expr_index (array, acc_expr_mod (index, acc_expr_extent (array, 0)));
}

static AccArray *
stencil1 (AccArray *array, gint64 size, AccBoundary *boundary, AccExprFunc function)
{
  g_autoptr(AccBoundary) owned = boundary;

  return acc_array_stencil (array, &size, 1, owned, function, NULL);
}

static void
test_stencil (void)
{
  g_autoptr(AccArray) v = CONF_INTS1 ("i8", 1, 2, 3, 4);
  g_autoptr(AccArray) table = CONF_INTS1 ("i8", 7, 8);
  g_autoptr(AccArray) single = CONF_INTS1 ("i8", 5);
  g_autoptr(AccArray) pair = CONF_INTS1 ("i8", 5, 6);
  g_autoptr(AccArray) empty = conf_ints ("i8", (gint64[]) { 0 }, 1, NULL);

  CONF_EXPECT_INTS ("stencil/clamp", stencil1 (v, 3, acc_boundary_new (ACC_BOUNDARY_CLAMP), sum3), "[4]", 112, 123, 234, 344);
  CONF_EXPECT_INTS ("stencil/mirror", stencil1 (v, 3, acc_boundary_new (ACC_BOUNDARY_MIRROR), sum3), "[4]", 212, 123, 234, 343);
  CONF_EXPECT_INTS ("stencil/wrap", stencil1 (v, 3, acc_boundary_new (ACC_BOUNDARY_WRAP), sum3), "[4]", 412, 123, 234, 341);
  CONF_EXPECT_INTS ("stencil/constant", stencil1 (v, 3, acc_boundary_new_constant (acc_expr_new_int (9)), sum3), "[4]", 912, 123, 234, 349);
  CONF_EXPECT_INTS ("stencil/function", stencil1 (v, 3, acc_boundary_new_function (1, outside_value, NULL), sum3), "[4]",
                    112, 123, 234, 336);
  CONF_EXPECT_INTS ("stencil/function-reads", stencil1 (v, 3, acc_boundary_new_function (1, outside_read, table), sum3), "[4]",
                    812, 123, 234, 347);
  CONF_EXPECT_INTS ("stencil/clamp5", stencil1 (v, 5, acc_boundary_new (ACC_BOUNDARY_CLAMP), far5), "[4]", 103, 104, 104, 204);
  CONF_EXPECT_INTS ("stencil/mirror5", stencil1 (v, 5, acc_boundary_new (ACC_BOUNDARY_MIRROR), far5), "[4]", 303, 204, 103, 202);

  /* Arrays smaller than the radius: the rule is repeated. */
  CONF_EXPECT_INTS ("stencil/mirror9-of-4", stencil1 (v, 9, acc_boundary_new (ACC_BOUNDARY_MIRROR), far9), "[4]", 303, 402, 301, 202);
  CONF_EXPECT_INTS ("stencil/wrap9-of-4", stencil1 (v, 9, acc_boundary_new (ACC_BOUNDARY_WRAP), far9), "[4]", 101, 202, 303, 404);
  CONF_EXPECT_INTS ("stencil/wrap5-of-1", stencil1 (single, 5, acc_boundary_new (ACC_BOUNDARY_WRAP), far5), "[1]", 505);
  CONF_EXPECT_INTS ("stencil/mirror5-of-1", stencil1 (single, 5, acc_boundary_new (ACC_BOUNDARY_MIRROR), far5), "[1]", 505);
  CONF_EXPECT_INTS ("stencil/mirror9-of-2", stencil1 (pair, 9, acc_boundary_new (ACC_BOUNDARY_MIRROR), far9), "[2]", 505, 606);
  conf_expect_ints ("stencil/empty", stencil1 (empty, 5, acc_boundary_new (ACC_BOUNDARY_CLAMP), far5), "[0]", 0, 0, NULL);
}

static AccArray *
stencil_2d (AccArray *array, gint64 rows, gint64 columns, AccBoundary *boundary, AccExprFunc function)
{
  g_autoptr(AccBoundary) owned = boundary;

  return acc_array_stencil (array, (gint64[]) { rows, columns }, 2, owned, function, NULL);
}

static AccExpr *
rows_only (AccExpr *n, gpointer data)
{
  return acc_expr_add (acc_expr_mul (acc_expr_neighbour2 (n, -2, 0), acc_expr_new_int (100)), acc_expr_neighbour2 (n, 2, 0));
}

static AccExpr *
far_corners (AccExpr *n, gpointer data)
{
  return acc_expr_add (acc_expr_mul (acc_expr_neighbour3 (n, -1, 0, -2), acc_expr_new_int (100)), acc_expr_neighbour3 (n, 1, 0, 2));
}

static void
test_stencil_ranks (void)
{
  g_autoptr(AccArray) m = CONF_INTS2 ("i8", 3, 3, 1, 2, 3, 4, 5, 6, 7, 8, 9);
  g_autoptr(AccArray) cube = conf_ints ("i4", (gint64[]) { 2, 1, 3 }, 3, (gint64[]) { 1, 2, 3, 4, 5, 6 });
  g_autoptr(AccBoundary) clamp = acc_boundary_new (ACC_BOUNDARY_CLAMP);

  CONF_EXPECT_INTS ("stencil2d/clamp", stencil_2d (m, 3, 3, acc_boundary_new (ACC_BOUNDARY_CLAMP), corners), "[3,3]",
                    1005, 1006, 2006, 1008, 1009, 2009, 4008, 4009, 5009);
  /* A corner outside in both dimensions: each is mapped by itself. */
  CONF_EXPECT_INTS ("stencil2d/wrap", stencil_2d (m, 3, 3, acc_boundary_new (ACC_BOUNDARY_WRAP), corners), "[3,3]",
                    9005, 7006, 8004, 3008, 1009, 2007, 6002, 4003, 5001);
  CONF_EXPECT_INTS ("stencil2d/mirror", stencil_2d (m, 3, 3, acc_boundary_new (ACC_BOUNDARY_MIRROR), corners), "[3,3]",
                    5005, 4006, 5005, 2008, 1009, 2008, 5005, 4006, 5005);
  /* The function sees the raw index, once. */
  CONF_EXPECT_INTS ("stencil2d/function", stencil_2d (m, 3, 3, acc_boundary_new_function (2, outside_index2, NULL), corners), "[3,3]",
                    -8995, -9994, -10993);
  CONF_EXPECT_INTS ("stencil2d/5x1", stencil_2d (m, 5, 1, acc_boundary_new (ACC_BOUNDARY_CLAMP), rows_only), "[3,3]",
                    107, 208, 309, 107, 208, 309, 107, 208, 309);
  CONF_EXPECT_INTS ("stencil3d/3x1x5", acc_array_stencil (cube, (gint64[]) { 3, 1, 5 }, 3, clamp, far_corners, NULL), "[2,1,3]",
                    106, 106, 106, 106, 106, 106);
}

static AccExpr *
both (AccExpr *x, AccExpr *y, gpointer data)
{
  return acc_expr_add (acc_expr_mul (acc_expr_neighbour1 (x, 1), acc_expr_new_int (100)), acc_expr_neighbour1 (y, -2));
}

static void
test_stencil2 (void)
{
  g_autoptr(AccArray) a = CONF_INTS1 ("i8", 1, 2, 3, 4, 5);
  g_autoptr(AccArray) b = CONF_INTS1 ("i8", 6, 7, 8);
  g_autoptr(AccBoundary) clamp = acc_boundary_new (ACC_BOUNDARY_CLAMP);
  g_autoptr(AccBoundary) wrap = acc_boundary_new (ACC_BOUNDARY_WRAP);

  /* Each source by its own extent: the first clamps at 5 and does not notice, the second wraps at 3. */
  CONF_EXPECT_INTS ("stencil2", acc_array_stencil2 (a, (gint64[]) { 3 }, 1, clamp, b, (gint64[]) { 5 }, 1, wrap, both, NULL),
                    "[3]", 207, 308, 406);
  CONF_EXPECT_INTS ("stencil2/other-way", acc_array_stencil2 (b, (gint64[]) { 3 }, 1, wrap, a, (gint64[]) { 5 }, 1, clamp, both, NULL),
                    "[3]", 701, 801, 601);
}

/* A neighbourhood of tuples, whose items are taken apart after the offset. */
static AccExpr *
cross_items (AccExpr *n, gpointer data)
{
  AccExpr *left = acc_expr_neighbour1 (n, -1), *right = acc_expr_neighbour1 (n, 1);

  return acc_expr_tuple2 (acc_expr_item (right, 1), acc_expr_item (left, 0));
}

static void
test_stencil_tuple (void)
{
  g_autoptr(AccArray) a = CONF_INTS1 ("u1", 1, 2, 3);
  g_autoptr(AccArray) b = CONF_FLOATS1 ("f8", 0.5, 1.5, 2.5);
  g_autoptr(AccArray) pairs = acc_array_zip (a, b);
  AccBoundary *edge = acc_boundary_new_constant (acc_expr_tuple2 (acc_expr_new_int (9), acc_expr_new_float (-1)));
  AccArray *result = stencil1 (pairs, 3, edge, cross_items);

  conf_expect_floats ("stencil/tuple-0", g_object_ref (result), "[3]", 0, 3, (double[]) { 1.5, 2.5, -1 });
  conf_expect_ints ("stencil/tuple-1", result, "[3]", 1, 3, (gint64[]) { 9, 1, 2 });
}

int
main (int argc, char **argv)
{
  conf_init (&argc, &argv);
  g_test_add_func ("/reductions/fold", test_fold);
  g_test_add_func ("/reductions/fold-order", test_fold_order);
  g_test_add_func ("/reductions/scan", test_scan);
  g_test_add_func ("/stencils/rank1", test_stencil);
  g_test_add_func ("/stencils/ranks", test_stencil_ranks);
  g_test_add_func ("/stencils/two", test_stencil2);
  g_test_add_func ("/stencils/tuple", test_stencil_tuple);
  return conf_run ();
}
