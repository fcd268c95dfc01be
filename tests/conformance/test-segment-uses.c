/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "conformance.h"

/* Folds and scans of segments: mistakes, what is not known before a run, element types, and a sparse matrix. */

#define EXPECT_NOTHING(name, array, shape) conf_expect_ints (name, array, shape, 0, 0, NULL)

static AccArray *
count (const char *code, gint64 n)
{
  g_autoptr(AccShape) shape = acc_shape_new_vector (n);
  g_autoptr(AccArray) places = acc_array_generate (shape, conf_decimal, NULL);

  return acc_array_cast (places, conf_type (code));
}

static void
test_lengths (void)
{
  g_autoptr(AccArray) row = count ("i8", 10), rows = CONF_INTS2 ("i8", 2, 3, 1, 2, 3, 4, 5, 6), nothing = count ("i8", 0), totals = NULL;
  g_autoptr(AccArray) many = CONF_INTS1 ("i1", 3, 5, 4), one_more = CONF_INTS1 ("i1", 3, 5, 1), negative = CONF_INTS1 ("i2", 6, -2, 3),
    one = CONF_INTS1 ("u8", 1), holed = CONF_INTS1 ("i4", 2, 0, 1);
  g_autoptr(AccArray) huge = CONF_INTS1 ("u8", 1, -1),
    wrapping = CONF_INTS1 ("i8", G_GINT64_CONSTANT (1) << 62, G_GINT64_CONSTANT (1) << 62, G_GINT64_CONSTANT (1) << 62,
                           G_GINT64_CONSTANT (1) << 62, 3);
  g_autoptr(AccArray) lowest = CONF_INTS1 ("i8", G_MININT64, G_MININT64, 4), all = CONF_INTS1 ("i8", 3, 7);
  AccArray *scanned;

#define SUM(array, lengths) acc_array_fold_seg (array, acc_expr_new_int (0), lengths, conf_combine, NULL)
  CONF_EXPECT_ERROR ("lengths/too-long", SUM (row, many), ACC_ERROR_BOUNDS, "lengths add up to 12, more than there are values");
  CONF_EXPECT_ERROR ("lengths/negative", SUM (row, negative), ACC_ERROR_BOUNDS, "“fold_seg: the length of a segment”", "-2");
  CONF_EXPECT_ERROR ("lengths/nothing", SUM (nothing, one), ACC_ERROR_BOUNDS, "fold_seg");
  CONF_EXPECT_ERROR ("lengths/rows", SUM (rows, one_more), ACC_ERROR_BOUNDS, "“fold_seg: the length of a segment”", "5");
  CONF_EXPECT_ERROR ("lengths/huge", SUM (row, huge), ACC_ERROR_BOUNDS, "“fold_seg: the length of a segment”");
  CONF_EXPECT_ERROR ("lengths/wrapping", SUM (row, wrapping), ACC_ERROR_BOUNDS, "fold_seg");
  CONF_EXPECT_ERROR ("lengths/lowest", SUM (row, lowest), ACC_ERROR_BOUNDS, "fold_seg");
  CONF_EXPECT_INTS ("lengths/all", SUM (row, all), "[2]", 3, 42);
  CONF_EXPECT_ERROR ("lengths/empty", acc_array_fold1_seg (row, holed, conf_combine, NULL), ACC_ERROR_BOUNDS,
                     "“fold1_seg: the length of a segment, which needs an element”", "-1");
#undef SUM

  CONF_EXPECT_INTS ("lengths/holed", acc_array_scanl1_seg (row, holed, conf_combine, NULL), "[3]", 0, 1, 2);
  CONF_EXPECT_ERROR ("scan/too-long", acc_array_scanl1_seg (row, many, conf_combine, NULL), ACC_ERROR_BOUNDS,
                     "lengths add up to 12, more than there are values");
  CONF_EXPECT_ERROR ("scan/negative", acc_array_scanr_seg (row, conf_i64 (0), negative, conf_combine, NULL), ACC_ERROR_BOUNDS,
                     "“scanr_seg: the length of a segment”", "-2");
  scanned = acc_array_scanr_with_total_seg (row, conf_i64 (0), many, conf_combine, NULL, &totals);
  CONF_EXPECT_ERROR ("scan/prime", scanned, ACC_ERROR_BOUNDS, "scanr_with_total_seg", "12");
  CONF_EXPECT_ERROR ("scan/prime-totals", g_steal_pointer (&totals), ACC_ERROR_BOUNDS, "scanr_with_total_seg", "12");
}

static void
test_offsets (void)
{
  g_autoptr(AccArray) row = count ("i4", 10), empty = CONF_INTS1 ("i4", 1, 3, 3), back = CONF_INTS1 ("i4", 0, 7, 4, 9),
    beyond = CONF_INTS1 ("u1", 4, 11, 11);
  g_autoptr(AccArray) before = CONF_INTS1 ("i1", -1, 4), edges = CONF_INTS1 ("i8", G_MAXINT64, G_MININT64),
    whole = CONF_INTS1 ("u8", 0, 10, 10), single = CONF_INTS1 ("i2", 4);
  g_autoptr(AccArray) none = count ("i8", 0);

#define SUM(offsets) acc_array_fold_seg_offsets (row, acc_expr_new_int (0), offsets, conf_combine, NULL)
  CONF_EXPECT_INTS ("offsets/whole", SUM (whole), "[2]", 45, 0);
  EXPECT_NOTHING ("offsets/single", SUM (single), "[0]");
  CONF_EXPECT_INTS ("offsets/empty", SUM (empty), "[2]", 3, 0);
  CONF_EXPECT_ERROR ("offsets/back", SUM (back), ACC_ERROR_BOUNDS, "“fold_seg_offsets: an offset, or how far it goes back”", "-3");
  CONF_EXPECT_ERROR ("offsets/beyond", SUM (beyond), ACC_ERROR_BOUNDS, "fold_seg_offsets", "11");
  CONF_EXPECT_ERROR ("offsets/before", SUM (before), ACC_ERROR_BOUNDS, "fold_seg_offsets", "-1");
  CONF_EXPECT_ERROR ("offsets/edges", SUM (edges), ACC_ERROR_BOUNDS, "fold_seg_offsets");
  CONF_EXPECT_ERROR ("offsets/none", SUM (none), ACC_ERROR_SHAPE, "fold_seg_offsets", "no offsets");
#undef SUM
  CONF_EXPECT_ERROR ("offsets/holed", acc_array_fold1_seg_offsets (row, empty, conf_combine, NULL), ACC_ERROR_BOUNDS,
                     "“fold1_seg_offsets: an offset, or how far it fails to advance”", "-1");
}

static AccExpr *
compare (AccExpr *x, AccExpr *y, gpointer data)
{
  return acc_expr_lt (x, y);
}

static AccExpr *
nine (AccExpr *x, AccExpr *y, gpointer data)
{
  return acc_expr_new_int (9);
}

static AccExpr *
nine_and_eight (AccExpr *x, AccExpr *y, gpointer data)
{
  return acc_expr_tuple2 (acc_expr_new_int (9), acc_expr_new_int (8));
}

static AccExpr *
return_nothing (AccExpr *x, AccExpr *y, gpointer data)
{
  return NULL;
}

static void
test_mistakes (void)
{
  g_autoptr(AccArray) row = count ("i8", 4), lengths = CONF_INTS1 ("i4", 2, 2), one = acc_array_unit (conf_i64 (1)),
    matrix = CONF_INTS2 ("i4", 1, 2, 1, 1);
  g_autoptr(AccArray) reals = count ("f4", 2), flags = count ("b1", 2), wrong = acc_array_take_on (row, 7, conf_i64 (1)), totals = NULL;
  g_autoptr(AccArray) lengths_of_reals = CONF_INTS1 ("u4", 1, 0, 1), offsets = CONF_INTS1 ("u4", 0, 2);
  g_autoptr(AccArray) ones = count ("i4", 2), pairs = acc_array_zip (reals, ones);
  AccArray *bad = acc_array_fold_seg (row, acc_expr_new_typed_float (conf_type ("f4"), 1), lengths, conf_combine, NULL);

  acc_array_set_label (bad, "mixed");
  CONF_EXPECT_ERROR ("mistakes/initial", bad, ACC_ERROR_TYPE, "fold_seg", "mixed", "f4", "i8");
  CONF_EXPECT_ERROR ("mistakes/no-initial", acc_array_scanl_seg (row, NULL, lengths, conf_combine, NULL), ACC_ERROR_CALLBACK, "initial");
  CONF_EXPECT_ERROR ("mistakes/rank-0", acc_array_fold1_seg (one, lengths, conf_combine, NULL), ACC_ERROR_SHAPE, "fold1_seg", "rank 0");
  CONF_EXPECT_ERROR ("mistakes/segments-rank", acc_array_scanr1_seg (row, matrix, conf_combine, NULL), ACC_ERROR_SHAPE, "scanr1_seg",
                     "rank 2");
  CONF_EXPECT_ERROR ("mistakes/segments-rank-0", acc_array_scanl1_seg (row, one, conf_combine, NULL), ACC_ERROR_SHAPE, "scanl1_seg",
                     "rank 0");
  CONF_EXPECT_ERROR ("mistakes/segments-real", acc_array_fold1_seg_offsets (row, reals, conf_combine, NULL), ACC_ERROR_TYPE,
                     "fold1_seg_offsets", "f4");
  CONF_EXPECT_ERROR ("mistakes/segments-bool", acc_array_fold1_seg (row, flags, conf_combine, NULL), ACC_ERROR_TYPE, "fold1_seg", "b1");
  CONF_EXPECT_ERROR ("mistakes/function-type", acc_array_postscanl_seg (row, conf_i64 (1), lengths, compare, NULL), ACC_ERROR_TYPE,
                     "postscanl_seg", "b1", "i8");
  CONF_EXPECT_ERROR ("mistakes/function-none", acc_array_prescanr_seg (row, conf_i64 (1), lengths, NULL, NULL), ACC_ERROR_CALLBACK,
                     "function");
  CONF_EXPECT_ERROR ("mistakes/function-nothing", acc_array_fold1_seg (row, lengths, return_nothing, NULL), ACC_ERROR_CALLBACK,
                     "fold1_seg");
  CONF_EXPECT_ERROR ("mistakes/input", acc_array_fold1_seg (wrong, lengths, conf_combine, NULL), ACC_ERROR_SHAPE, "take_on", "dimension 7");
  CONF_EXPECT_ERROR ("mistakes/segments", acc_array_scanl1_seg (row, wrong, conf_combine, NULL), ACC_ERROR_SHAPE, "take_on", "dimension 7");
  /* Literals take the type of the elements. */
  CONF_EXPECT_FLOATS ("mistakes/literals", acc_array_fold_seg (reals, acc_expr_new_int (3), lengths_of_reals, nine, NULL), "[3]", 9, 3, 9);
  CONF_EXPECT_FLOATS ("mistakes/literals-1", acc_array_fold1_seg_offsets (reals, offsets, nine, NULL), "[1]", 9);
  CONF_EXPECT_FLOATS ("mistakes/literals-scan", acc_array_postscanr_seg (reals, acc_expr_new_int (3), lengths_of_reals, nine, NULL), "[2]",
                      9, 9);
  conf_expect_ints ("mistakes/literals-pairs", acc_array_fold1_seg_offsets (pairs, offsets, nine_and_eight, NULL), "[1]", 1, 1,
                    (gint64[]) { 8 });
  conf_expect_ints ("mistakes/literals-pairs-scan", acc_array_scanl1_seg (pairs, lengths_of_reals, nine_and_eight, NULL), "[2]", 1, 2,
                    (gint64[]) { 0, 1 });
  CONF_EXPECT_ERROR ("mistakes/prime", acc_array_scanl_with_total_seg (one, conf_i64 (1), lengths, conf_combine, NULL, &totals),
                     ACC_ERROR_SHAPE, "scanl_with_total_seg");
  CONF_EXPECT_ERROR ("mistakes/prime-totals", g_steal_pointer (&totals), ACC_ERROR_SHAPE, "scanl_with_total_seg");
}

/* --- extents that are known when run */

static AccArray *
fold_given (AccArray **arrays, guint n, gpointer data)
{
  return acc_array_fold_seg (arrays[0], acc_expr_new_int (5), arrays[1], conf_combine, NULL);
}

static AccArray *
fold_offsets_given (AccArray **arrays, guint n, gpointer data)
{
  return acc_array_fold_seg_offsets (arrays[0], acc_expr_new_int (5), arrays[1], conf_combine, NULL);
}

static AccArray *
fold1_given (AccArray **arrays, guint n, gpointer data)
{
  return acc_array_fold1_seg_offsets (arrays[0], arrays[1], conf_combine, NULL);
}

static AccArray *
scan_given (AccArray **arrays, guint n, gpointer data)
{
  return acc_array_scanr_seg (arrays[0], acc_expr_new_int (5), arrays[1], conf_combine, NULL);
}

static void
test_parameters (void)
{
  static const struct {
    const char   *name;
    AccArrayFunc  function;
    gboolean      offsets;
  } programs[] = { { "fold_seg", fold_given }, { "fold_seg_offsets", fold_offsets_given, TRUE }, { "fold1_seg_offsets", fold1_given, TRUE },
                   { "scanr_seg", scan_given } };
  static const gint64 sizes[] = { 0, 1, 9, 400, 5000, 300000 };

  for (guint p = 0; p < G_N_ELEMENTS (programs); p++)
    {
      g_autofree char *name = g_strdup_printf ("parameters/%s", programs[p].name);
      g_autoptr(ConfProgram) program = conf_program_new (name,
                                                         acc_program_new ((const char *[]) { "i8[:,:]", "i4[:]", NULL },
                                                                          programs[p].function, NULL));

      for (guint i = 0; i < G_N_ELEMENTS (sizes); i++)
        {
          gint64 n = sizes[i], parts[] = { 0, n / 100, n / 2, n / 100 }, ends[] = { 0, n / 7, n / 3, n };
          g_autoptr(GRand) rand = g_rand_new_with_seed (i);

          conf_program_check (program, (AccArray *[]) { conf_array (conf_type ("i8"), (gint64[]) { 2, n }, 2, rand, CONF_FULL),
                                                        conf_ints ("i4", (gint64[]) { 4 }, 1, programs[p].offsets ? ends : parts) }, 2,
                              CONF_EXACT);
        }
    }
}

/* Where there are no offsets at all. */
static void
test_no_offsets (void)
{
  g_autoptr(AccProgram) program = acc_program_new ((const char *[]) { "i8[:,:]", "i4[:]", NULL }, fold_offsets_given, NULL);
  g_autoptr(AccArray) rows = CONF_INTS2 ("i8", 1, 3, 1, 2, 3), none = conf_ints ("i4", (gint64[]) { 0 }, 1, NULL);
  g_autoptr(AccArray) some = CONF_INTS1 ("i4", 0, 2);

  for (guint i = 0; i <= conf_n_backends (); i++)
    {
      g_autoptr(GError) error = NULL;
      g_autoptr(AccExecutable) executable = acc_backend_compile (i > 0 ? conf_backend (i - 1) : conf_interpreter (), program, NULL, &error);
      g_autoptr(GPtrArray) good = NULL, bad = NULL;

      g_assert_no_error (error);
      good = acc_executable_run (executable, (AccArray *[]) { rows, some }, 2, NULL, &error);
      g_assert_no_error (error);
      g_assert_cmpint (acc_array_get_int (good->pdata[0], 0, 0), ==, 8);
      bad = acc_executable_run (executable, (AccArray *[]) { rows, none }, 2, NULL, &error);
      g_assert_null (bad);
      g_assert_error (error, ACC_ERROR, ACC_ERROR_SHAPE);
      g_assert_nonnull (strstr (error->message, "fold_seg_offsets"));
    }
}

/* --- what is in no segment is nothing to the function: here it would read outside its table */

static AccExpr *
look_up (AccExpr *x, AccExpr *y, gpointer table)
{
  return acc_expr_linear_index (table, acc_expr_add (acc_expr_mul (x, conf_i64 (3)), y));
}

static AccExpr *
remainder_within (AccExpr *index, gpointer data)
{
  const gint64 *limits = data;
  AccExpr *place = acc_expr_item (index, acc_expr_get_n_items (index) - 1);
  AccExpr *within = acc_expr_land (acc_expr_ge (place, conf_i64 (limits[0])), acc_expr_lt (place, conf_i64 (limits[1])));

  return acc_expr_cond (within, acc_expr_rem (place, conf_i64 (3)), conf_i64 (1000000));
}

static gint64
sum_remainders (gint64 begin, gint64 end, gint64 sum)
{
  for (gint64 i = begin; i < end; i++)
    sum += i % 3;
  return sum % 3;
}

static void
test_outside (void)
{
  gint64 limits[2] = { 0, 4001 }, later[2] = { 700, 4001 };
  g_autoptr(AccArray) table = CONF_INTS1 ("i8", 0, 1, 2, 1, 2, 0, 2, 0, 1), lengths = CONF_INTS1 ("i4", 1, 0, 4000),
    no_lengths = count ("i8", 0);
  g_autoptr(AccShape) shape = acc_shape_new_matrix (2, 9000);
  g_autoptr(AccArray) xs = acc_array_generate (shape, remainder_within, limits), ys = acc_array_generate (shape, remainder_within, later);
  g_autoptr(AccArray) offsets = CONF_INTS1 ("i8", 700, 1500, 4001), empty = CONF_INTS1 ("i8", 800, 800), scanned = NULL;
  gint64 a = sum_remainders (0, 1, 2), b = sum_remainders (1, 4001, 2), c = sum_remainders (700, 1500, 0),
    d = sum_remainders (1500, 4001, 0);

  CONF_EXPECT_INTS ("outside/fold_seg", acc_array_fold_seg (xs, conf_i64 (2), lengths, look_up, table), "[2,3]", a, 2, b, a, 2, b);
  CONF_EXPECT_INTS ("outside/fold1", acc_array_fold1_seg_offsets (ys, offsets, look_up, table), "[2,2]", c, d, c, d);
  CONF_EXPECT_INTS ("outside/fold_seg_offsets", acc_array_fold_seg_offsets (ys, conf_i64 (0), offsets, look_up, table), "[2,2]", c, d, c,
                    d);
  CONF_EXPECT_INTS ("outside/empty", acc_array_fold_seg_offsets (ys, conf_i64 (2), empty, look_up, table), "[2,1]", 2, 2);
  EXPECT_NOTHING ("outside/no-segments", acc_array_fold1_seg (ys, no_lengths, look_up, table), "[2,0]");
  scanned = acc_array_scanr1_seg (xs, lengths, look_up, table);
  CONF_EXPECT_INTS ("outside/scanr1_seg", acc_array_take (scanned, 2), "[2,2]", 0, sum_remainders (1, 4001, 0), 0,
                    sum_remainders (1, 4001, 0));
}

/* --- every element type, against the interpreter */

static void
test_element_types (void)
{
  g_autoptr(AccArray) lengths = CONF_INTS1 ("i4", 3, 0, 2100, 5, 700, 0);
  g_autoptr(GRand) rand = g_rand_new_with_seed (conf_seed ());

  for (guint i = 0; i < conf_n_types (); i++)
    {
      AccElementType *type = conf_type (conf_types[i]);
      g_autoptr(AccArray) xs = conf_array (type, (gint64[]) { 2, 2900 }, 2, rand, CONF_SMALL), totals = NULL;
      g_autofree char *fold = g_strdup_printf ("types/fold_seg/%s", conf_types[i]),
        *scan = g_strdup_printf ("types/scanr_with_total_seg/%s", conf_types[i]);

      conf_check_array (fold, acc_array_fold_seg (xs, conf_neutral (type), lengths, conf_combine, NULL), CONF_EXACT);
      conf_check_array (scan, acc_array_scanr_with_total_seg (xs, conf_neutral (type), lengths, conf_combine, NULL, &totals), CONF_EXACT);
      conf_check_array (scan, g_steal_pointer (&totals), CONF_EXACT);
    }
}

/* --- rows that come from a source */

static void
test_source (void)
{
  g_autoptr(AccArray) rows = conf_through_source (CONF_INTS2 ("i8", 2, 5, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10)),
    lengths = CONF_INTS1 ("i4", 1, 0, 3), totals = NULL;
  g_autoptr(AccArray) empty = CONF_INTS1 ("i4", 0, 0), offsets = CONF_INTS1 ("i4", 2, 4, 4, 5), last = CONF_INTS1 ("i4", 5, 5),
    some = CONF_INTS1 ("i4", 1, 3, 4);
  g_autoptr(AccArray) long_rows = NULL, halves = CONF_INTS1 ("i4", 1500, 0, 1499), many = NULL;
  g_autoptr(GRand) rand = g_rand_new_with_seed (conf_seed ());
  AccArray *scanned;

  CONF_EXPECT_INTS ("source/fold_seg", acc_array_fold_seg (rows, conf_i64 (2), lengths, conf_combine, NULL), "[2,3]", 3, 2, 11, 8, 2, 26);
  CONF_EXPECT_INTS ("source/fold_seg-empty", acc_array_fold_seg (rows, conf_i64 (2), empty, conf_combine, NULL), "[2,2]", 2, 2, 2, 2);
  CONF_EXPECT_INTS ("source/fold_seg_offsets", acc_array_fold_seg_offsets (rows, conf_i64 (2), offsets, conf_combine, NULL), "[2,3]", 9, 2,
                    7, 19, 2, 12);
  CONF_EXPECT_INTS ("source/fold_seg_offsets-end", acc_array_fold_seg_offsets (rows, conf_i64 (2), last, conf_combine, NULL), "[2,1]", 2,
                    2);
  CONF_EXPECT_INTS ("source/fold1_seg_offsets", acc_array_fold1_seg_offsets (rows, some, conf_second, NULL), "[2,2]", 3, 4, 8, 9);
  CONF_EXPECT_INTS ("source/scanr1_seg", acc_array_scanr1_seg (rows, lengths, conf_combine, NULL), "[2,4]", 1, 9, 7, 4, 6, 24, 17, 9);
  CONF_EXPECT_INTS ("source/scanl_seg", acc_array_scanl_seg (rows, conf_i64 (2), lengths, conf_combine, NULL), "[2,7]",
                    2, 3, 2, 2, 4, 7, 11, 2, 8, 2, 2, 9, 17, 26);
  scanned = acc_array_scanr_with_total_seg (rows, conf_i64 (2), lengths, conf_combine, NULL, &totals);
  CONF_EXPECT_INTS ("source/scanr_with_total_seg", scanned, "[2,4]", 2, 9, 6, 2, 2, 19, 11, 2);
  CONF_EXPECT_INTS ("source/scanr_with_total_seg-totals", g_steal_pointer (&totals), "[2,3]", 3, 2, 11, 8, 2, 26);

  /* As without a source. */
  many = conf_array (conf_type ("i8"), (gint64[]) { 20, 3000 }, 2, rand, CONF_FULL);
  long_rows = conf_through_source (g_object_ref (many));
  for (guint i = 0; i < conf_n_backends (); i++)
    {
      g_autoptr(AccArray) with = acc_array_fold_seg (long_rows, conf_i64 (2), halves, conf_combine, NULL);
      g_autoptr(AccArray) without = acc_array_fold_seg (many, conf_i64 (2), halves, conf_combine, NULL), read = NULL, wanted = NULL;
      g_autofree char *difference = NULL;
      g_autoptr(GError) error = NULL;

      read = acc_backend_run (conf_backend (i), with, NULL, &error);
      g_assert_no_error (error);
      wanted = acc_backend_run (conf_backend (i), without, NULL, &error);
      g_assert_no_error (error);
      difference = conf_compare (wanted, read, CONF_EXACT);
      g_assert_cmpstr (difference, ==, NULL);
    }
}

/* --- a sparse matrix in compressed rows, times a vector */

static AccExpr *
times_entry (AccExpr *value, AccExpr *column, gpointer vector)
{
  return acc_expr_mul (value, acc_expr_index (vector, column));
}

static gint64
nth_entry (gint64 row, gint64 column)
{
  return row % 5 == 2 ? 0 : (row * 31 + column * 17) % 11 == 0 ? (row + column) % 9 - 4 : 0;
}

static void
test_sparse_matrix (void)
{
  enum { ROWS = 90, COLUMNS = 70 };
  g_autoptr(GArray) values = g_array_new (FALSE, FALSE, sizeof (double)), columns = g_array_new (FALSE, FALSE, sizeof (gint64));
  gint64 lengths[ROWS] = { 0 }, offsets[ROWS + 1] = { 0 };
  double vector[COLUMNS], dense[ROWS * COLUMNS], wanted[ROWS] = { 0 };
  g_autoptr(AccArray) entries = NULL, places = NULL, v = NULL, products = NULL, by_length = NULL, by_offset = NULL, full = NULL,
    rows = NULL;

  for (gint64 c = 0; c < COLUMNS; c++)
    vector[c] = c % 7 - 2.5;
  for (gint64 r = 0; r < ROWS; r++)
    {
      for (gint64 c = 0; c < COLUMNS; c++)
        {
          double x = dense[r * COLUMNS + c] = nth_entry (r, c);

          wanted[r] += x * vector[c];
          if (x == 0)
            continue;
          g_array_append_val (values, x);
          g_array_append_val (columns, c);
          lengths[r]++;
        }
      offsets[r + 1] = offsets[r] + lengths[r];
    }

  entries = conf_floats ("f8", (gint64[]) { values->len }, 1, (const double *) values->data);
  places = conf_ints ("i4", (gint64[]) { columns->len }, 1, (const gint64 *) columns->data);
  v = conf_floats ("f8", (gint64[]) { COLUMNS }, 1, vector);
  products = acc_array_zip_with (entries, places, times_entry, v);
  by_length = conf_ints ("u2", (gint64[]) { ROWS }, 1, lengths);
  by_offset = conf_ints ("i4", (gint64[]) { ROWS + 1 }, 1, offsets);
  conf_expect_floats ("sparse/lengths", acc_array_fold_seg (products, acc_expr_new_float (0), by_length, conf_combine, NULL), "[90]", 0,
                      ROWS, wanted);
  conf_expect_floats ("sparse/offsets", acc_array_fold_seg_offsets (products, acc_expr_new_float (0), by_offset, conf_combine, NULL),
                      "[90]", 0, ROWS, wanted);

  full = conf_floats ("f8", (gint64[]) { ROWS, COLUMNS }, 2, dense);
  rows = acc_array_replicate (v, (gint64[]) { ROWS, ACC_ALL }, 2);
  products = (g_object_unref (products), acc_array_mul (full, rows));
  conf_expect_floats ("sparse/dense", acc_array_sum (products), "[90]", 0, ROWS, wanted);
}

int
main (int argc, char **argv)
{
  conf_init (&argc, &argv);
  g_test_add_func ("/segment-uses/lengths", test_lengths);
  g_test_add_func ("/segment-uses/offsets", test_offsets);
  g_test_add_func ("/segment-uses/mistakes", test_mistakes);
  g_test_add_func ("/segment-uses/parameters", test_parameters);
  g_test_add_func ("/segment-uses/no-offsets", test_no_offsets);
  g_test_add_func ("/segment-uses/outside", test_outside);
  g_test_add_func ("/segment-uses/element-types", test_element_types);
  g_test_add_func ("/segment-uses/source", test_source);
  g_test_add_func ("/segment-uses/sparse-matrix", test_sparse_matrix);
  return conf_run ();
}
