/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "conformance.h"

/* Hand-worked cases of what takes arrays apart and puts them together, sections 1.2, 1.4, 1.5, 1.8 and 1.9 of the language. */

/* Every element is its index, in decimal. */
static AccArray *
indices (guint rank, gint64 a, gint64 b, gint64 c)
{
  g_autoptr(AccShape) shape = acc_shape_new ((gint64[]) { a, b, c }, rank);

  return acc_array_generate (shape, conf_decimal, NULL);
}

#define EXPECT_NOTHING(name, array, shape) conf_expect_ints (name, array, shape, 0, 0, NULL)

static void
test_windows (void)
{
  g_autoptr(AccArray) vector = indices (1, 5, 0, 0), matrix = indices (2, 3, 4, 0), cube = indices (3, 2, 2, 2);
  g_autoptr(AccArray) nothing = indices (2, 2, 0, 0), three = acc_array_unit (conf_i64 (3)), one = acc_array_unit (conf_i64 (1));
  g_autoptr(AccArray) pairs = acc_array_zip (vector, vector);
  AccArray *bad;

  CONF_EXPECT_INTS ("take", acc_array_take (vector, 3), "[3]", 0, 1, 2);
  CONF_EXPECT_INTS ("take/all", acc_array_take (vector, 9), "[5]", 0, 1, 2, 3, 4);
  EXPECT_NOTHING ("take/none", acc_array_take (vector, 0), "[0]");
  EXPECT_NOTHING ("take/negative", acc_array_take (vector, -2), "[0]");
  EXPECT_NOTHING ("take/lowest", acc_array_take (vector, G_MININT64), "[0]");
  CONF_EXPECT_INTS ("take/rows", acc_array_take (matrix, 2), "[3,2]", 0, 1, 10, 11, 20, 21);
  CONF_EXPECT_INTS ("take/outer", acc_array_take_on (matrix, 0, conf_i64 (1)), "[1,4]", 0, 1, 2, 3);
  CONF_EXPECT_INTS ("take/middle", acc_array_take_on (cube, 1, conf_i64 (1)), "[2,1,2]", 0, 1, 100, 101);
  CONF_EXPECT_INTS ("take/from-the-end", acc_array_take_on (cube, -3, conf_i64 (1)), "[1,2,2]", 0, 1, 10, 11);
  CONF_EXPECT_INTS ("take/computed", acc_array_take_on (vector, 0, acc_expr_the (three)), "[3]", 0, 1, 2);
  EXPECT_NOTHING ("take/empty", acc_array_take (nothing, 2), "[2,0]");
  conf_expect_ints ("take/pairs", acc_array_take (pairs, 2), "[2]", 1, 2, (gint64[]) { 0, 1 });

  CONF_EXPECT_INTS ("drop", acc_array_drop (vector, 3), "[2]", 3, 4);
  EXPECT_NOTHING ("drop/all", acc_array_drop (vector, 5), "[0]");
  EXPECT_NOTHING ("drop/more", acc_array_drop (vector, G_MAXINT64), "[0]");
  CONF_EXPECT_INTS ("drop/negative", acc_array_drop (vector, -1), "[5]", 0, 1, 2, 3, 4);
  CONF_EXPECT_INTS ("drop/outer", acc_array_drop_on (matrix, 0, conf_i64 (2)), "[1,4]", 20, 21, 22, 23);
  CONF_EXPECT_INTS ("drop/computed", acc_array_drop_on (matrix, 1, acc_expr_the (three)), "[3,1]", 3, 13, 23);
  EXPECT_NOTHING ("drop/empty", acc_array_drop (nothing, 1), "[2,0]");

  CONF_EXPECT_INTS ("drop-last", acc_array_drop_last (vector, 1), "[4]", 0, 1, 2, 3);
  CONF_EXPECT_INTS ("drop-last/negative", acc_array_drop_last (vector, -4), "[5]", 0, 1, 2, 3, 4);
  EXPECT_NOTHING ("drop-last/more", acc_array_drop_last (vector, 7), "[0]");
  EXPECT_NOTHING ("drop-last/empty", acc_array_drop_last (nothing, 1), "[2,0]");
  CONF_EXPECT_INTS ("drop-last/outer", acc_array_drop_last_on (matrix, 0, acc_expr_the (one)), "[2,4]", 0, 1, 2, 3, 10, 11, 12, 13);

  CONF_EXPECT_INTS ("tail", acc_array_tail (matrix), "[3,3]", 1, 2, 3, 11, 12, 13, 21, 22, 23);
  CONF_EXPECT_INTS ("tail/outer", acc_array_tail_on (matrix, 0), "[2,4]", 10, 11, 12, 13, 20, 21, 22, 23);
  EXPECT_NOTHING ("tail/empty", acc_array_tail (nothing), "[2,0]");

  CONF_EXPECT_INTS ("slit", acc_array_slit (vector, 1, 2), "[2]", 1, 2);
  CONF_EXPECT_INTS ("slit/beyond", acc_array_slit (vector, 3, 9), "[2]", 3, 4);
  CONF_EXPECT_INTS ("slit/before", acc_array_slit (vector, -3, 2), "[2]", 0, 1);
  EXPECT_NOTHING ("slit/outside", acc_array_slit (vector, 9, 2), "[0]");
  CONF_EXPECT_INTS ("slit/outer", acc_array_slit_on (matrix, 0, acc_expr_the (one), conf_i64 (1)), "[1,4]", 10, 11, 12, 13);

  bad = acc_array_take_on (vector, 1, conf_i64 (1));
  acc_array_set_label (bad, "flat");
  CONF_EXPECT_ERROR ("take/dimension", bad, ACC_ERROR_SHAPE, "take_on", "flat", "rank 1", "dimension 1");
  CONF_EXPECT_ERROR ("drop/rank-0", acc_array_drop (one, 1), ACC_ERROR_SHAPE, "drop", "rank 0");
  CONF_EXPECT_ERROR ("drop-last/dimension", acc_array_drop_last_on (vector, -2, conf_i64 (1)), ACC_ERROR_SHAPE, "drop_last_on", "-2");
  CONF_EXPECT_ERROR ("take/count", acc_array_take_on (vector, 0, acc_expr_new_typed_float (conf_type ("f4"), 1)), ACC_ERROR_TYPE, "f4");
}

static void
test_orders (void)
{
  g_autoptr(AccArray) vector = indices (1, 4, 0, 0), matrix = indices (2, 2, 3, 0), cube = indices (3, 2, 1, 3);
  g_autoptr(AccArray) nothing = indices (2, 2, 0, 0), one = acc_array_unit (conf_i64 (1));

  CONF_EXPECT_INTS ("reverse", acc_array_reverse (vector), "[4]", 3, 2, 1, 0);
  CONF_EXPECT_INTS ("reverse/rows", acc_array_reverse (matrix), "[2,3]", 2, 1, 0, 12, 11, 10);
  CONF_EXPECT_INTS ("reverse/outer", acc_array_reverse_on (matrix, 0), "[2,3]", 10, 11, 12, 0, 1, 2);
  EXPECT_NOTHING ("reverse/empty", acc_array_reverse (nothing), "[2,0]");
  CONF_EXPECT_INTS ("transpose", acc_array_transpose (matrix), "[3,2]", 0, 10, 1, 11, 2, 12);
  CONF_EXPECT_INTS ("transpose/inner-two", acc_array_transpose (cube), "[2,3,1]", 0, 1, 2, 100, 101, 102);
  CONF_EXPECT_INTS ("transpose/ends", acc_array_transpose_on (cube, 0, 2), "[3,1,2]", 0, 100, 1, 101, 2, 102);
  CONF_EXPECT_INTS ("transpose/ends-turned", acc_array_transpose_on (cube, -1, 0), "[3,1,2]", 0, 100, 1, 101, 2, 102);
  CONF_EXPECT_INTS ("transpose/itself", acc_array_transpose_on (matrix, 1, 1), "[2,3]", 0, 1, 2, 10, 11, 12);
  EXPECT_NOTHING ("transpose/empty", acc_array_transpose (nothing), "[0,2]");
  CONF_EXPECT_ERROR ("reverse/rank-0", acc_array_reverse (one), ACC_ERROR_SHAPE, "reverse", "rank 0");
  CONF_EXPECT_ERROR ("transpose/rank-1", acc_array_transpose (vector), ACC_ERROR_SHAPE, "transpose", "rank 1");
}

static AccExpr *
negative (AccExpr *x, gpointer data)
{
  return acc_expr_sub (x, conf_i64 (1));
}

static void
test_several (void)
{
  g_autoptr(AccArray) vector = indices (1, 3, 0, 0), wide = indices (2, 2, 3, 0), tall = indices (2, 3, 2, 0);
  g_autoptr(AccArray) nothing = indices (1, 0, 0, 0), narrow = CONF_INTS1 ("i4", 7, 8), broken = acc_array_concat (vector, narrow);
  g_autoptr(AccArray) pairs = acc_array_zip (vector, vector), places = CONF_INTS2 ("i8", 2, 2, 5, 0, 0, 3);
  g_autoptr(AccArray) outside = acc_array_map (places, negative, NULL), numbered = acc_array_indexed (wide);
  AccArray *bad;

  CONF_EXPECT_INTS ("concat", acc_array_concat (vector, vector), "[6]", 0, 1, 2, 0, 1, 2);
  CONF_EXPECT_INTS ("concat/smaller", acc_array_concat (wide, tall), "[2,5]", 0, 1, 2, 0, 1, 10, 11, 12, 10, 11);
  CONF_EXPECT_INTS ("concat/outer", acc_array_concat_on (wide, tall, 0), "[5,2]", 0, 1, 10, 11, 0, 1, 10, 11, 20, 21);
  CONF_EXPECT_INTS ("concat/nothing-first", acc_array_concat (nothing, vector), "[3]", 0, 1, 2);
  CONF_EXPECT_INTS ("concat/nothing-last", acc_array_concat (vector, nothing), "[3]", 0, 1, 2);
  EXPECT_NOTHING ("concat/nothing", acc_array_concat (nothing, nothing), "[0]");
  conf_expect_ints ("concat/pairs", acc_array_concat (pairs, pairs), "[6]", 1, 6, (gint64[]) { 0, 1, 2, 0, 1, 2 });
  CONF_EXPECT_ERROR ("concat/types", g_object_ref (broken), ACC_ERROR_TYPE, "concat", "i8", "i4");
  CONF_EXPECT_ERROR ("concat/of-broken", acc_array_concat (vector, broken), ACC_ERROR_TYPE, "concat", "i8", "i4");
  CONF_EXPECT_ERROR ("concat/ranks", acc_array_concat (vector, wide), ACC_ERROR_SHAPE, "concat", "rank 1", "rank 2");
  CONF_EXPECT_ERROR ("concat/dimension", acc_array_concat_on (wide, tall, 2), ACC_ERROR_SHAPE, "concat_on", "dimension 2");

  CONF_EXPECT_INTS ("gather", acc_array_gather (wide, places), "[2,2]", 12, 0, 0, 10);
  EXPECT_NOTHING ("gather/nothing", acc_array_gather (wide, nothing), "[0]");
  bad = acc_array_gather (wide, outside);
  acc_array_set_label (bad, "astray");
  CONF_EXPECT_ERROR ("gather/bounds", bad, ACC_ERROR_BOUNDS, "astray", "-1");
  CONF_EXPECT_ERROR ("gather/of-broken", acc_array_gather (broken, places), ACC_ERROR_TYPE, "concat");

  conf_expect_ints ("indexed/row", g_object_ref (numbered), "[2,3]", 0, 6, (gint64[]) { 0, 0, 0, 1, 1, 1 });
  conf_expect_ints ("indexed/column", g_object_ref (numbered), "[2,3]", 1, 6, (gint64[]) { 0, 1, 2, 0, 1, 2 });
  conf_expect_ints ("indexed/element", g_object_ref (numbered), "[2,3]", 2, 6, (gint64[]) { 0, 1, 2, 10, 11, 12 });
}

static void
test_numbers (void)
{
  g_autoptr(AccShape) six = acc_shape_new_matrix (2, 3), four = acc_shape_new_vector (4), none = acc_shape_new_vector (0),
    scalar = acc_shape_new_scalar ();

  CONF_EXPECT_INTS ("enum", acc_array_enum_from_n (six, acc_expr_new_typed_int (conf_type ("i4"), 5)), "[2,3]", 5, 6, 7, 8, 9, 10);
  CONF_EXPECT_INTS ("enum/wraps", acc_array_enum_from_step_n (four, acc_expr_new_typed_int (conf_type ("u1"), 250),
                                                              acc_expr_new_typed_int (conf_type ("u1"), 3)), "[4]", 250, 253, 0, 3);
  CONF_EXPECT_INTS ("enum/back", acc_array_enum_from_step_n (four, conf_i64 (1), conf_i64 (-2)), "[4]", 1, -1, -3, -5);
  CONF_EXPECT_INTS ("enum/rank-0", acc_array_enum_from_n (scalar, conf_i64 (9)), "[]", 9);
  EXPECT_NOTHING ("enum/empty", acc_array_enum_from_n (none, conf_i64 (9)), "[0]");
  CONF_EXPECT_FLOATS ("enum/floats", acc_array_enum_from_step_n (four, acc_expr_new_typed_float (conf_type ("f4"), 1),
                                                                 acc_expr_new_typed_float (conf_type ("f4"), 0.25)), "[4]", 1, 1.25, 1.5,
                      1.75);
  CONF_EXPECT_ERROR ("enum/types", acc_array_enum_from_step_n (four, conf_i64 (1), acc_expr_new_typed_float (conf_type ("f4"), 1)),
                     ACC_ERROR_TYPE, "f4");
}

/* --- 1.6 */

static AccExpr *
the_all (void)
{
  return acc_expr_new_int (ACC_ALL);
}

static AccExpr *
the_any (void)
{
  return acc_expr_new_int (ACC_ANY);
}

static AccArray *
slice_numbers (AccArray *array, guint n, gint64 a, gint64 b, gint64 c)
{
  return acc_array_slice (array, (gint64[]) { a, b, c }, n);
}

static AccArray *
slice_exprs (AccArray *array, guint n, AccExpr *a, AccExpr *b, AccExpr *c)
{
  return acc_array_slice_expr (array, (AccExpr *[]) { a, b, c }, n);
}

static AccArray *
replicate_numbers (AccArray *array, guint n, gint64 a, gint64 b, gint64 c)
{
  return acc_array_replicate (array, (gint64[]) { a, b, c }, n);
}

static AccArray *
replicate_exprs (AccArray *array, guint n, AccExpr *a, AccExpr *b, AccExpr *c)
{
  return acc_array_replicate_expr (array, (AccExpr *[]) { a, b, c }, n);
}

static void
test_slices (void)
{
  g_autoptr(AccArray) vector = indices (1, 3, 0, 0), matrix = indices (2, 2, 3, 0), cube = indices (3, 2, 2, 2),
    one = acc_array_unit (conf_i64 (1));
  g_autoptr(AccArray) nothing = indices (2, 0, 3, 0), short_one = acc_array_cast (one, conf_type ("u1")),
    half = acc_array_cast (one, conf_type ("f4"));
  g_autoptr(AccArray) far_one = acc_array_unit (conf_i64 (7)), minus = acc_array_unit (conf_i64 (-1)),
    broken = acc_array_concat (vector, matrix);
  AccArray *bad;

  CONF_EXPECT_INTS ("slice/any-last", slice_numbers (matrix, 2, ACC_ANY, 1, 0), "[2]", 1, 11);
  CONF_EXPECT_INTS ("slice/any-of-3", slice_numbers (cube, 2, ACC_ANY, 1, 0), "[2,2]", 1, 11, 101, 111);
  CONF_EXPECT_INTS ("slice/any-of-1", slice_numbers (vector, 2, ACC_ANY, 2, 0), "[]", 2);
  CONF_EXPECT_INTS ("slice/any-all", slice_numbers (cube, 3, ACC_ANY, 0, ACC_ALL), "[2,2]", 0, 1, 100, 101);
  CONF_EXPECT_INTS ("slice/any-none", slice_numbers (matrix, 3, ACC_ANY, 1, 2), "[]", 12);
  CONF_EXPECT_INTS ("slice/any-alone", slice_numbers (matrix, 1, ACC_ANY, 0, 0), "[2,3]", 0, 1, 2, 10, 11, 12);
  CONF_EXPECT_INTS ("slice/any-of-0", slice_numbers (one, 1, ACC_ANY, 0, 0), "[]", 1);
  CONF_EXPECT_INTS ("slice/fixed", slice_numbers (cube, 3, 1, 0, 1), "[]", 101);
  EXPECT_NOTHING ("slice/empty", slice_numbers (nothing, 2, ACC_ANY, 1, 0), "[0]");

  CONF_EXPECT_INTS ("slice-expr", slice_exprs (matrix, 2, acc_expr_the (one), the_all (), NULL), "[3]", 10, 11, 12);
  CONF_EXPECT_INTS ("slice-expr/any", slice_exprs (cube, 2, the_any (), acc_expr_the (short_one), NULL), "[2,2]", 1, 11, 101, 111);
  CONF_EXPECT_INTS ("slice-expr/mixed", slice_exprs (cube, 3, conf_i64 (1), the_all (), acc_expr_the (one)), "[2]", 101, 111);
  CONF_EXPECT_INTS ("slice-expr/extents",
                    slice_exprs (matrix, 2, the_all (), acc_expr_sub (acc_expr_extent (matrix, 1), conf_i64 (1)), NULL), "[2]", 2, 12);
  CONF_EXPECT_INTS ("slice-expr/fixed", slice_exprs (matrix, 2, acc_expr_the (one), acc_expr_the (one), NULL), "[]", 11);
  CONF_EXPECT_INTS ("slice-expr/numbers", slice_exprs (matrix, 2, the_all (), acc_expr_new_int (2), NULL), "[2]", 2, 12);
  EXPECT_NOTHING ("slice-expr/empty", slice_exprs (nothing, 2, the_all (), acc_expr_the (far_one), NULL), "[0]");

  CONF_EXPECT_INTS ("replicate/any", replicate_numbers (vector, 2, ACC_ANY, 2, 0), "[3,2]", 0, 0, 1, 1, 2, 2);
  CONF_EXPECT_INTS ("replicate/any-of-2", replicate_numbers (matrix, 2, ACC_ANY, 2, 0), "[2,3,2]", 0, 0, 1, 1, 2, 2, 10, 10, 11, 11, 12,
                    12);
  CONF_EXPECT_INTS ("replicate/any-of-0", replicate_numbers (one, 2, ACC_ANY, 2, 0), "[2]", 1, 1);
  CONF_EXPECT_INTS ("replicate/any-in-front", replicate_numbers (matrix, 3, ACC_ANY, 2, ACC_ALL), "[2,2,3]", 0, 1, 2, 0, 1, 2, 10, 11, 12,
                    10, 11, 12);
  CONF_EXPECT_INTS ("replicate/any-alone", replicate_numbers (vector, 1, ACC_ANY, 0, 0), "[3]", 0, 1, 2);
  EXPECT_NOTHING ("replicate/any-by-0", replicate_numbers (vector, 2, ACC_ANY, 0, 0), "[3,0]");
  EXPECT_NOTHING ("replicate/negative", replicate_numbers (vector, 2, ACC_ANY, -3, 0), "[3,0]");
  EXPECT_NOTHING ("replicate/nothing", replicate_numbers (nothing, 2, ACC_ANY, 2, 0), "[0,3,2]");

  CONF_EXPECT_INTS ("replicate-expr", replicate_exprs (vector, 2, acc_expr_add (acc_expr_the (one), acc_expr_the (one)), the_all (), NULL),
                    "[2,3]", 0, 1, 2, 0, 1, 2);
  CONF_EXPECT_INTS ("replicate-expr/any", replicate_exprs (vector, 3, the_any (), acc_expr_the (short_one), acc_expr_extent (matrix, 0)),
                    "[3,1,2]", 0, 0, 1, 1, 2, 2);
  CONF_EXPECT_INTS ("replicate-expr/scalar", replicate_exprs (far_one, 3, acc_expr_the (one), conf_i64 (2), acc_expr_the (one)), "[1,2,1]",
                    7, 7);
  EXPECT_NOTHING ("replicate-expr/negative", replicate_exprs (vector, 2, the_any (), acc_expr_the (minus), NULL), "[3,0]");

  bad = slice_exprs (matrix, 2, the_all (), acc_expr_the (far_one), NULL);
  acc_array_set_label (bad, "column");
  CONF_EXPECT_ERROR ("slice-expr/bounds", bad, ACC_ERROR_BOUNDS, "column", "7", "3");
  CONF_EXPECT_ERROR ("slice-expr/negative", slice_exprs (matrix, 2, acc_expr_the (minus), the_all (), NULL), ACC_ERROR_BOUNDS, "-1", "2");
  CONF_EXPECT_ERROR ("slice-expr/type", slice_exprs (matrix, 2, acc_expr_the (half), the_all (), NULL), ACC_ERROR_TYPE, "slice_expr",
                     "entry 0", "f4");
  CONF_EXPECT_ERROR ("slice-expr/rank", slice_exprs (matrix, 3, acc_expr_the (one), the_all (), the_all ()), ACC_ERROR_SHAPE, "slice",
                     "3 entries", "rank 2");
  CONF_EXPECT_ERROR ("slice-expr/missing", slice_exprs (matrix, 2, acc_expr_the (one), NULL, NULL), ACC_ERROR_CALLBACK,
                     "an entry is missing");
  CONF_EXPECT_ERROR ("slice/no-specification", acc_array_slice (matrix, NULL, 2), ACC_ERROR_CALLBACK, "slice",
                     "a specification is missing");
  CONF_EXPECT_ERROR ("slice/any-later", slice_numbers (matrix, 2, 0, ACC_ANY, 0), ACC_ERROR_SHAPE, "slice", "entry 1", "ACC_ANY");
  CONF_EXPECT_ERROR ("slice/any-too-many", slice_numbers (vector, 3, ACC_ANY, 1, 1), ACC_ERROR_SHAPE, "slice", "2 dimensions", "rank 1");
  CONF_EXPECT_ERROR ("slice/any-bounds", slice_numbers (matrix, 2, ACC_ANY, 3, 0), ACC_ERROR_BOUNDS, "slice", "3");
  CONF_EXPECT_ERROR ("replicate/any-too-many", replicate_numbers (one, 2, ACC_ANY, ACC_ALL, 0), ACC_ERROR_SHAPE, "replicate",
                     "1 dimensions", "rank 0");
  CONF_EXPECT_ERROR ("replicate-expr/type", replicate_exprs (vector, 2, the_any (), acc_expr_new_float (2), NULL), ACC_ERROR_TYPE,
                     "replicate_expr", "entry 1");
  CONF_EXPECT_ERROR ("slice/of-broken", slice_numbers (broken, 2, ACC_ANY, 0, 0), ACC_ERROR_SHAPE, "concat");
}

/* Any rank up to five, against arithmetic on indices. */
static void
test_slices_of_ranks (void)
{
  static const gint64 all_extents[] = { 2, 3, 1, 2, 3 };
  g_autoptr(AccArray) two = acc_array_unit (conf_i64 (2)), zero = acc_array_unit (conf_i64 (0));

  for (guint rank = 0; rank <= 5; rank++)
    {
      g_autoptr(AccShape) shape = acc_shape_new (all_extents, rank), wider = NULL;
      g_autoptr(AccArray) numbered = acc_array_enum_from_n (shape, conf_i64 (0));
      g_autoptr(AccArray) repeated = replicate_exprs (numbered, 2, the_any (), acc_expr_the (two), NULL),
        back = slice_exprs (repeated, 2, the_any (), acc_expr_the (zero), NULL);
      gint64 n = acc_shape_get_size (shape), extents[6];
      g_autofree gint64 *values = g_new (gint64, 2 * n);
      g_autofree char *name = g_strdup_printf ("slice/rank-%u", rank), *text = acc_shape_to_string (shape), *wider_text = NULL;

      for (guint d = 0; d < rank; d++)
        extents[d] = all_extents[d];
      extents[rank] = 2;
      wider = acc_shape_new (extents, rank + 1);
      wider_text = acc_shape_to_string (wider);
      for (gint64 i = 0; i < 2 * n; i++)
        values[i] = i / 2;
      conf_expect_ints (name, g_object_ref (repeated), wider_text, 0, (guint) (2 * n), values);
      for (gint64 i = 0; i < n; i++)
        values[i] = i;
      conf_expect_ints (name, g_object_ref (back), text, 0, (guint) n, values);
    }
}

/* --- 1.9 */

static AccExpr *
is_even (AccExpr *x, gpointer data)
{
  return acc_expr_eq (acc_expr_rem (x, acc_expr_new_int (2)), acc_expr_new_int (0));
}

static AccExpr *
is_less (AccExpr *x, gpointer limit)
{
  return acc_expr_lt (x, conf_i64 (GPOINTER_TO_INT (limit)));
}

static AccExpr *
first_is_even (AccExpr *x, gpointer data)
{
  return is_even (acc_expr_item (x, 0), data);
}

static AccExpr *
scramble (AccExpr *index, gpointer data)
{
  AccExpr *sum = conf_i64 (7);

  for (guint i = 0; i < acc_expr_get_n_items (index); i++)
    sum = acc_expr_add (acc_expr_mul (sum, conf_i64 (31)), acc_expr_mul (acc_expr_item (index, i), conf_i64 (i + 3)));
  return acc_expr_rem (sum, conf_i64 (1009));
}

/* Against a loop. */
static void
check_filter (gint64 rows, gint64 columns, gint limit)
{
  g_autoptr(AccShape) shape = acc_shape_new_matrix (rows, columns);
  g_autoptr(AccArray) numbers = acc_array_generate (shape, scramble, NULL), counts = NULL;
  AccArray *kept = acc_array_filter (numbers, is_less, GINT_TO_POINTER (limit), &counts);
  g_autofree gint64 *values = g_new (gint64, rows * columns + 1), *each = g_new0 (gint64, rows + 1);
  g_autofree char *name = g_strdup_printf ("filter/%d-%d/%d", (int) rows, (int) columns, limit), *text = NULL,
    *rows_text = g_strdup_printf ("[%d]", (int) rows);
  guint n = 0;

  for (gint64 r = 0; r < rows; r++)
    for (gint64 c = 0; c < columns; c++)
      {
        gint64 x = ((7 * 31 + r * 3) * 31 + c * 4) % 1009;

        if (x < limit)
          {
            values[n++] = x;
            each[r]++;
          }
      }
  text = g_strdup_printf ("[%u]", n);
  conf_expect_ints (name, kept, text, 0, n, values);
  conf_expect_ints (name, g_steal_pointer (&counts), rows_text, 0, (guint) rows, each);
}

static AccArray *
compact_given (AccArray **arrays, guint n, gpointer data)
{
  return acc_array_compact (arrays[0], arrays[1], NULL);
}

static void
test_filter (void)
{
  g_autoptr(AccArray) vector = CONF_INTS1 ("i4", 3, 4, 8, 1, 6), nothing = indices (2, 2, 0, 0), matrix = indices (2, 2, 3, 0),
    one = acc_array_unit (conf_i64 (1));
  g_autoptr(AccArray) flags = CONF_INTS2 ("b1", 2, 3, 1, 0, 1, 0, 1, 1), tall = CONF_INTS2 ("b1", 3, 2, 1, 0, 1, 0, 1, 1),
    flat = CONF_INTS1 ("b1", 1, 0, 1);
  g_autoptr(AccArray) pairs = acc_array_zip (matrix, matrix), given = CONF_INTS2 ("i8", 2, 3, 1, 2, 3, 4, 5, 6), counts = NULL, kept = NULL;
  g_autoptr(AccProgram) program = acc_program_new ((const char *[]) { "i8[:,:]", "b1[:,:]", NULL }, compact_given, NULL);
  g_autoptr(GError) error = NULL;

  CONF_EXPECT_INTS ("filter", acc_array_filter (vector, is_even, NULL, &counts), "[3]", 4, 8, 6);
  CONF_EXPECT_INTS ("filter/count", g_steal_pointer (&counts), "[]", 3);
  EXPECT_NOTHING ("filter/empty", acc_array_filter (nothing, is_even, NULL, &counts), "[0]");
  CONF_EXPECT_INTS ("filter/empty-counts", g_steal_pointer (&counts), "[2]", 0, 0);
  CONF_EXPECT_INTS ("compact", acc_array_compact (matrix, flags, &counts), "[4]", 0, 2, 11, 12);
  CONF_EXPECT_INTS ("compact/counts", g_steal_pointer (&counts), "[2]", 2, 2);
  kept = acc_array_filter (pairs, first_is_even, NULL, NULL);
  conf_expect_ints ("filter/pairs", g_object_ref (kept), "[4]", 1, 4, (gint64[]) { 0, 2, 10, 12 });

  CONF_EXPECT_ERROR ("filter/rank-0", acc_array_filter (one, is_even, NULL, &counts), ACC_ERROR_SHAPE, "compact", "rank 0");
  CONF_EXPECT_ERROR ("filter/rank-0-counts", g_steal_pointer (&counts), ACC_ERROR_SHAPE, "compact", "rank 0");
  CONF_EXPECT_ERROR ("compact/extents", acc_array_compact (matrix, tall, NULL), ACC_ERROR_SHAPE, "[3,2]", "[2,3]");
  CONF_EXPECT_ERROR ("compact/rank", acc_array_compact (matrix, flat, NULL), ACC_ERROR_SHAPE, "rank 1", "rank 2");
  CONF_EXPECT_ERROR ("compact/type", acc_array_compact (matrix, matrix, NULL), ACC_ERROR_TYPE, "b1", "i8");

  /* Where the extents are known when run. */
  for (guint i = 0; i < conf_n_backends (); i++)
    {
      g_autoptr(AccExecutable) executable = acc_backend_compile (conf_backend (i), program, NULL, &error);
      g_autoptr(GPtrArray) good = NULL, bad = NULL;

      g_assert_no_error (error);
      good = acc_executable_run (executable, (AccArray *[]) { given, flags }, 2, NULL, &error);
      g_assert_no_error (error);
      g_assert_cmpint (acc_array_get_int (good->pdata[0], 0, 3), ==, 6);
      bad = acc_executable_run (executable, (AccArray *[]) { given, tall }, 2, NULL, &error);
      g_assert_null (bad);
      g_assert_error (error, ACC_ERROR, ACC_ERROR_BOUNDS);
      g_clear_error (&error);
    }

  for (gint limit = 0; limit <= 1009; limit += 1009)
    check_filter (3, 7, limit);
  check_filter (5, 64, 500);
  check_filter (1000, 8, 100);
  check_filter (20011, 3, 900);
  check_filter (1, 70001, 300);
}

static AccExpr *
every_third (AccExpr *x, gpointer data)
{
  return acc_expr_rem (acc_expr_mul (x, conf_i64 (5)), conf_i64 (3));
}

static AccExpr *
tens_and_place (AccExpr *x, AccExpr *i, gpointer data)
{
  return acc_expr_add (acc_expr_mul (x, conf_i64 (10)), i);
}

static void
test_expand (void)
{
  g_autoptr(AccArray) counts = CONF_INTS1 ("i8", 0, 2, 0, 0, 3, 1, 0), none = CONF_INTS1 ("i8", 0, -5, 0), nothing = indices (1, 0, 0, 0);
  g_autoptr(AccArray) matrix = indices (2, 2, 2, 0), many = indices (1, 20011, 0, 0);
  g_autofree gint64 *values = g_new (gint64, 3 * 20011);
  g_autofree char *text = NULL;
  guint n = 0;

  CONF_EXPECT_INTS ("expand", acc_array_expand (counts, conf_itself, NULL, tens_and_place, NULL), "[6]", 20, 21, 30, 31, 32, 10);
  EXPECT_NOTHING ("expand/none", acc_array_expand (none, conf_itself, NULL, tens_and_place, NULL), "[0]");
  EXPECT_NOTHING ("expand/nothing", acc_array_expand (nothing, conf_itself, NULL, tens_and_place, NULL), "[0]");
  CONF_EXPECT_ERROR ("expand/rank", acc_array_expand (matrix, conf_itself, NULL, tens_and_place, NULL), ACC_ERROR_SHAPE, "expand",
                     "rank 2");

  for (gint64 x = 0; x < 20011; x++)
    for (gint64 i = 0; i < x * 5 % 3; i++)
      values[n++] = x * 10 + i;
  text = g_strdup_printf ("[%u]", n);
  conf_expect_ints ("expand/many", acc_array_expand (many, every_third, NULL, tens_and_place, NULL), text, 0, n, values);
}

/* Several tiles, which are written side by side; elements of every type; none, some and all of them stay. */
#define N_LONG (5 * 32768 + 37)

static AccExpr *
is_kept (AccExpr *index, gpointer modulus)
{
  AccExpr *i = acc_expr_item (index, 0);

  return acc_expr_lt (acc_expr_rem (acc_expr_mul (i, conf_i64 (7)), conf_i64 (5)), conf_i64 (GPOINTER_TO_INT (modulus)));
}

static void
test_long_filter (void)
{
  g_autoptr(GRand) rand = g_rand_new_with_seed (conf_seed ());
  g_autoptr(AccShape) shape = acc_shape_new_vector (N_LONG);

  for (guint t = 0; t < conf_n_types (); t++)
    for (gint kept = 0; kept <= 5; kept += t == 0 ? 1 : 2)
      {
        g_autoptr(AccElementType) type = conf_type (conf_types[t]);
        g_autoptr(AccArray) xs = conf_array (type, (gint64[]) { N_LONG }, 1, rand, CONF_FULL);
        g_autoptr(AccArray) flags = acc_array_generate (shape, is_kept, GINT_TO_POINTER (kept));
        g_autofree char *name = g_strdup_printf ("filter/long/%s/%d", conf_types[t], kept);

        conf_check_array (name, acc_array_compact (xs, flags, NULL), CONF_EXACT);
      }
}

/* Indices that are divided, or go around: what a backend knows of where they lie must not change them. */

enum { N_FORMS = 14 };

static AccExpr *
computed_index (AccExpr *x, int form, AccExpr *n)
{
  static const int shifts[] = { 0, 1, -1, 5 };

  if (form < 4)
    return acc_expr_div (acc_expr_add (x, conf_i64 (shifts[form])), conf_i64 (2));
  if (form < 6)
    return acc_expr_div (acc_expr_add (x, conf_i64 (form - 5)), conf_i64 (form == 4 ? 4 : 8));
  switch (form)
    {
    case 6: return acc_expr_shr (acc_expr_add (x, conf_i64 (3)), conf_i64 (1));
    case 7: return acc_expr_add (acc_expr_quot (x, conf_i64 (2)), conf_i64 (1));
    case 8: return acc_expr_add (x, conf_i64 (1));
    case 9: return acc_expr_sub (x, conf_i64 (3));
    case 10: return acc_expr_add (x, n);
    case 11: return acc_expr_mul (x, conf_i64 (2));
    case 12: return acc_expr_rem (acc_expr_sub (x, conf_i64 (3)), conf_i64 (4));
    default: return acc_expr_quot (acc_expr_sub (conf_i64 (2), x), conf_i64 (2));
    }
}

static AccExpr *
read_computed (AccExpr *index, gpointer from)
{
  AccExpr *extent = acc_expr_extent (from, 0), *items[N_FORMS];

  for (int form = 0; form < N_FORMS; form++)
    items[form] = acc_expr_index (from, acc_expr_mod (computed_index (acc_expr_item (index, 1), form, extent), extent));

  return acc_expr_tuple (items, N_FORMS);
}

/* The quotients and remainders themselves, of a narrower kind as well */
static AccExpr *
divide_index (AccExpr *index, gpointer data)
{
  const int *divisor = data;
  AccExpr *wide = acc_expr_sub (acc_expr_item (index, 1), conf_i64 (9));
  AccExpr *by = conf_i64 (*divisor);
  AccExpr *narrow = acc_expr_cast (acc_expr_rem (wide, conf_i64 (100)), conf_type ("i1"));
  AccExpr *sum = acc_expr_new_typed_int (conf_type ("i8"), 0);
  AccExpr *parts[] = {
    acc_expr_div (wide, by), acc_expr_mod (wide, by), acc_expr_quot (wide, by), acc_expr_rem (wide, by),
    acc_expr_cast (acc_expr_div (narrow, acc_expr_cast (by, conf_type ("i1"))), conf_type ("i8")),
    acc_expr_cast (acc_expr_mod (narrow, acc_expr_cast (by, conf_type ("i1"))), conf_type ("i8")),
    acc_expr_min (wide, conf_i64 (-9)), acc_expr_max (wide, conf_i64 (-9)), acc_expr_max (wide, by),
  };

  for (guint i = 0; i < G_N_ELEMENTS (parts); i++)
    sum = acc_expr_add (acc_expr_mul (sum, conf_i64 (131)), parts[i]);

  return sum;
}

static void
test_computed_indices (void)
{
  static const char * const types[] = { "u1", "i2", "f4", "f8" };
  static const gint64 widths[] = { 1, 9, 64, 259 };
  static const int divisors[] = { 1, 3, 8, 100, -2 };
  g_autoptr(GRand) rand = g_rand_new_with_seed (conf_seed ());

  for (guint w = 0; w < G_N_ELEMENTS (widths); w++)
    {
      g_autoptr(AccShape) shape = acc_shape_new ((gint64[]) { 3, widths[w] }, 2);

      for (guint t = 0; t < G_N_ELEMENTS (types); t++)
        {
          g_autoptr(AccArray) same = conf_array (conf_type (types[t]), &widths[w], 1, rand, CONF_FINITE);
          g_autoptr(AccArray) half = conf_array (conf_type (types[t]), &(gint64) { widths[w] / 2 + 1 }, 1, rand, CONF_FINITE);
          g_autofree char *name = g_strdup_printf ("computed/%s/%" G_GINT64_FORMAT, types[t], widths[w]);

          conf_check_array (name, acc_array_generate (shape, read_computed, same), CONF_EXACT);
          conf_check_array (name, acc_array_generate (shape, read_computed, half), CONF_EXACT);
        }
      for (guint d = 0; d < G_N_ELEMENTS (divisors); d++)
        {
          g_autofree char *name = g_strdup_printf ("divided/%d/%" G_GINT64_FORMAT, divisors[d], widths[w]);
          int divisor = divisors[d];

          conf_check_array (name, acc_array_generate (shape, divide_index, &divisor), CONF_EXACT);
        }
    }
}

int
main (int argc, char **argv)
{
  conf_init (&argc, &argv);

  g_test_add_func ("/rearrange/windows", test_windows);
  g_test_add_func ("/rearrange/orders", test_orders);
  g_test_add_func ("/rearrange/several", test_several);
  g_test_add_func ("/rearrange/numbers", test_numbers);
  g_test_add_func ("/rearrange/computed-indices", test_computed_indices);
  g_test_add_func ("/rearrange/slices", test_slices);
  g_test_add_func ("/rearrange/slices-of-ranks", test_slices_of_ranks);
  g_test_add_func ("/rearrange/filter", test_filter);
  g_test_add_func ("/rearrange/long-filter", test_long_filter);
  g_test_add_func ("/rearrange/expand", test_expand);

  return conf_run ();
}
