/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "conformance.h"

#include <string.h>

/* What sends elements to places, section 1.7 of the language, and gather_if: hand-worked, and against loops in C. */

static AccArray *
numbers (guint rank, gint64 a, gint64 b, gint64 c)
{
  g_autoptr(AccShape) shape = acc_shape_new ((gint64[]) { a, b, c }, rank);

  return acc_array_generate (shape, conf_decimal, NULL);
}

static AccExpr *
is_odd (AccExpr *x, gpointer data)
{
  return acc_expr_ne (acc_expr_rem (x, acc_expr_new_int (2)), acc_expr_new_int (0));
}

static AccExpr *
sum (AccExpr *x, AccExpr *y, gpointer data)
{
  return acc_expr_add (x, y);
}

static AccExpr *
pair_with_flag (AccExpr *place, AccExpr *flag, gpointer data)
{
  return acc_expr_tuple2 (flag, place);
}

/* --- permute */

/* Sums by key, with targets in integers of every type; 100 goes nowhere where there are flags. */
static void
test_index_types (void)
{
  g_autoptr(AccArray) xs = CONF_INTS1 ("i8", 1, 2, 4, 8, 16), zeros = CONF_INTS1 ("i8", 100, 200, 300),
    flags = CONF_INTS1 ("b1", 1, 1, 0, 1, 1);
  static const char *const codes[] = { "i1", "i2", "i4", "i8", "u1", "u2", "u4", "u8" };

  for (guint i = 0; i < G_N_ELEMENTS (codes); i++)
    {
      g_autoptr(AccArray) places = conf_ints (codes[i], (gint64[]) { 5 }, 1, (gint64[]) { 2, 0, 1, 2, 0 });
      g_autoptr(AccArray) optional = acc_array_zip_with (places, flags, pair_with_flag, NULL), pairs = acc_array_zip (places, places);
      g_autoptr(AccArray) optional_pairs = acc_array_zip_with (pairs, flags, pair_with_flag, NULL), matrix = numbers (2, 3, 3, 0);
      g_autofree char *name = g_strconcat ("permute/", codes[i], NULL), *skipping = g_strconcat (name, "-skip", NULL);
      g_autofree char *squares = g_strconcat (name, "-rank-2", NULL), *skipping_squares = g_strconcat (squares, "-skip", NULL);

      CONF_EXPECT_INTS (name, acc_array_permute (xs, zeros, places, sum, NULL), "[3]", 118, 204, 309);
      CONF_EXPECT_INTS (skipping, acc_array_permute (xs, zeros, optional, sum, NULL), "[3]", 118, 200, 309);
      CONF_EXPECT_INTS (squares, acc_array_permute (xs, matrix, pairs, sum, NULL), "[3,3]", 18, 1, 2, 10, 15, 12, 20, 21, 31);
      CONF_EXPECT_INTS (skipping_squares, acc_array_permute (xs, matrix, optional_pairs, sum, NULL), "[3,3]", 18, 1, 2, 10, 11, 12, 20, 21,
                        31);
    }
}

static AccExpr *
nowhere (AccExpr *x, gpointer data)
{
  return acc_expr_tuple2 (acc_expr_new_bool (FALSE), conf_i64 (-5));
}

static AccExpr *
to_rank_0 (AccExpr *x, gpointer data)
{
  return acc_expr_tuple2 (is_odd (x, NULL), acc_expr_tuple (NULL, 0));
}

static AccExpr *
to_corner (AccExpr *x, gpointer data)
{
  AccExpr *items[5];
  guint rank = GPOINTER_TO_UINT (data);

  for (guint i = 0; i < rank; i++)
    items[i] = acc_expr_cast (acc_expr_rem (x, acc_expr_new_int (2)), acc_element_type_new (i % 2 ? ACC_KIND_I32 : ACC_KIND_U8));
  return acc_expr_tuple (items, rank);
}

static void
test_ranks (void)
{
  g_autoptr(AccArray) xs = numbers (2, 2, 3, 0), none = numbers (2, 0, 3, 0), one = acc_array_unit (conf_i64 (7)),
    zeros = numbers (1, 2, 0, 0);
  g_autoptr(AccArray) nothing = numbers (1, 0, 0, 0), skipped = acc_array_map (xs, nowhere, NULL),
    single = acc_array_map (xs, to_rank_0, NULL);
  g_autoptr(AccArray) no_targets = acc_array_map (none, nowhere, NULL), places = CONF_INTS1 ("i4", 0, 5), vector = numbers (1, 2, 0, 0);
  g_autoptr(AccArray) negative = CONF_INTS1 ("i1", 0, -1), huge = CONF_INTS1 ("u8", 0, G_MININT64), floats = CONF_FLOATS1 ("f4", 0, 1);
  AccArray *bad;

  CONF_EXPECT_INTS ("permute/nowhere", acc_array_permute (xs, zeros, skipped, sum, NULL), "[2]", 0, 1);
  CONF_EXPECT_INTS ("permute/nothing", acc_array_permute (none, zeros, no_targets, sum, NULL), "[2]", 0, 1);
  conf_expect_ints ("permute/into-nothing", acc_array_permute (xs, nothing, skipped, sum, NULL), "[0]", 0, 0, NULL);
  CONF_EXPECT_INTS ("permute/into-one", acc_array_permute (xs, one, single, sum, NULL), "[]", 7 + 1 + 11);

  for (guint rank = 2; rank <= 5; rank++)
    {
      g_autoptr(AccShape) shape = acc_shape_new ((gint64[]) { 2, 2, 2, 2, 2 }, rank);
      g_autoptr(AccArray) cube = acc_array_fill (shape, conf_i64 (0)), corners = acc_array_map (xs, to_corner, GUINT_TO_POINTER (rank));
      g_autofree gint64 *values = g_new0 (gint64, 32);
      g_autofree char *name = g_strdup_printf ("permute/to-rank-%u", rank), *text = acc_shape_to_string (shape);

      /* 0, 2, 10 and 12 in the first corner, 1 and 11 in the last. */
      values[0] = 24;
      values[(1u << rank) - 1] = 12;
      conf_expect_ints (name, acc_array_permute (xs, cube, corners, sum, NULL), text, 0, 1u << rank, values);
    }

  bad = acc_array_permute (vector, vector, places, sum, NULL);
  acc_array_set_label (bad, "astray");
  CONF_EXPECT_ERROR ("permute/outside", bad, ACC_ERROR_BOUNDS, "permute", "astray", "5");
  CONF_EXPECT_ERROR ("permute/negative", acc_array_permute (vector, vector, negative, sum, NULL), ACC_ERROR_BOUNDS, "permute", "-1");
  CONF_EXPECT_ERROR ("permute/beyond-i8", acc_array_permute (vector, vector, huge, sum, NULL), ACC_ERROR_BOUNDS, "permute");
  CONF_EXPECT_ERROR ("permute/floats", acc_array_permute (vector, vector, floats, sum, NULL), ACC_ERROR_TYPE, "permute", "f4");
  CONF_EXPECT_ERROR ("permute/index-rank", acc_array_permute (xs, xs, skipped, sum, NULL), ACC_ERROR_TYPE, "permute", "(b1,i8)");
}

/* --- scatter */

static void
test_scatter (void)
{
  g_autoptr(AccArray) xs = CONF_INTS1 ("i4", 1, 2, 3, 4), defaults = CONF_INTS1 ("i4", 9, 9, 9, 9, 9, 9),
    short_xs = CONF_INTS1 ("i4", 1, 2);
  g_autoptr(AccArray) places = CONF_INTS1 ("i8", 5, 0, 2, 1), few = CONF_INTS1 ("u2", 5, 0),
    none = conf_ints ("i8", (gint64[]) { 0 }, 1, NULL);
  g_autoptr(AccArray) mask = CONF_INTS1 ("i1", 1, 2, 3, 4), flags = CONF_INTS1 ("b1", 0, 1, 1), astray = CONF_INTS1 ("i8", 5, 60, 2, 70);
  g_autoptr(AccArray) optional = NULL, matrix = numbers (2, 2, 3, 0), grid = CONF_INTS2 ("i4", 2, 2, 4, 3, 2, 1),
    vector = numbers (1, 5, 0, 0);
  g_autoptr(AccArray) broken = acc_array_concat (vector, xs), cells = NULL;

  CONF_EXPECT_INTS ("scatter", acc_array_scatter (xs, defaults, places), "[6]", 2, 4, 3, 9, 9, 1);
  CONF_EXPECT_INTS ("scatter/few-targets", acc_array_scatter (xs, defaults, few), "[6]", 2, 9, 9, 9, 9, 1);
  CONF_EXPECT_INTS ("scatter/few-elements", acc_array_scatter (short_xs, defaults, places), "[6]", 2, 9, 9, 9, 9, 1);
  CONF_EXPECT_INTS ("scatter/nothing", acc_array_scatter (xs, defaults, none), "[6]", 9, 9, 9, 9, 9, 9);
  CONF_EXPECT_INTS ("scatter/corner", acc_array_scatter (matrix, vector, grid), "[5]", 0, 11, 10, 1, 0);
  cells = acc_array_zip (few, few);
  CONF_EXPECT_ERROR ("scatter/bounds", acc_array_scatter (short_xs, defaults, astray), ACC_ERROR_BOUNDS, "scatter", "60");
  CONF_EXPECT_ERROR ("scatter/types", acc_array_scatter (xs, vector, places), ACC_ERROR_TYPE, "scatter", "i8", "i4");
  CONF_EXPECT_ERROR ("scatter/ranks", acc_array_scatter (xs, defaults, grid), ACC_ERROR_SHAPE, "scatter", "rank 2");
  CONF_EXPECT_ERROR ("scatter/cells", acc_array_scatter (xs, defaults, cells), ACC_ERROR_TYPE, "scatter", "(u2,u2)");
  CONF_EXPECT_ERROR ("scatter/of-broken", acc_array_scatter (broken, defaults, places), ACC_ERROR_TYPE, "concat");

  CONF_EXPECT_INTS ("scatter-if", acc_array_scatter_if (xs, defaults, places, mask, is_odd, NULL), "[6]", 9, 9, 3, 9, 9, 1);
  CONF_EXPECT_INTS ("scatter-if/short-mask", acc_array_scatter_if (xs, defaults, places, flags, conf_itself, NULL), "[6]", 2, 9, 3, 9, 9,
                    9);
  /* Targets that are not wanted may be anything. */
  CONF_EXPECT_INTS ("scatter-if/astray", acc_array_scatter_if (xs, defaults, astray, mask, is_odd, NULL), "[6]", 9, 9, 3, 9, 9, 1);
  optional = acc_array_zip_with (places, flags, pair_with_flag, NULL);
  CONF_EXPECT_INTS ("scatter-if/optional", acc_array_scatter_if (xs, defaults, optional, mask, is_odd, NULL), "[6]", 9, 9, 3, 9, 9, 9);
  CONF_EXPECT_ERROR ("scatter-if/predicate", acc_array_scatter_if (xs, defaults, places, mask, conf_itself, NULL), ACC_ERROR_TYPE,
                     "scatter_if", "i1", "b1");
  CONF_EXPECT_ERROR ("scatter-if/ranks", acc_array_scatter_if (xs, defaults, places, grid, is_odd, NULL), ACC_ERROR_SHAPE, "scatter_if",
                     "mask", "rank 2");
}

static void
test_gather_if (void)
{
  g_autoptr(AccArray) xs = CONF_FLOATS1 ("f4", 10, 11, 12), places = CONF_INTS1 ("i2", 2, 70, 0, 1, 1),
    defaults = CONF_FLOATS1 ("f4", 1, 2, 3, 4);
  g_autoptr(AccArray) mask = CONF_INTS1 ("u8", 1, 2, 3, 4, 5), flags = CONF_INTS1 ("b1", 1, 0, 1),
    none = conf_ints ("b1", (gint64[]) { 0 }, 1, NULL);
  g_autoptr(AccArray) wrong = CONF_INTS1 ("i4", 1, 2, 3);

  CONF_EXPECT_FLOATS ("gather-if", acc_array_gather_if (xs, places, defaults, mask, is_odd, NULL), "[4]", 12, 2, 10, 4);
  CONF_EXPECT_FLOATS ("gather-if/short-mask", acc_array_gather_if (xs, places, defaults, flags, conf_itself, NULL), "[3]", 12, 2, 10);
  conf_expect_floats ("gather-if/nothing", acc_array_gather_if (xs, places, defaults, none, conf_itself, NULL), "[0]", 0, 0, NULL);
  CONF_EXPECT_ERROR ("gather-if/types", acc_array_gather_if (xs, places, wrong, mask, is_odd, NULL), ACC_ERROR_TYPE, "gather_if", "i4",
                     "f4");
  CONF_EXPECT_ERROR ("gather-if/predicate", acc_array_gather_if (xs, places, defaults, mask, conf_itself, NULL), ACC_ERROR_TYPE,
                     "gather_if", "u8", "b1");
}

/* Extents that are known when it runs only. */
static AccArray *
scatter_given (AccArray **arrays, guint n, gpointer data)
{
  return acc_array_scatter_if (arrays[0], arrays[1], arrays[2], arrays[0], is_odd, NULL);
}

#define PRIME 10007

/* A one-to-one scatter of every element type, longer and shorter than its targets. */
static void
test_against_a_loop (void)
{
  static const gint64 lengths[] = { 0, 1, 100, PRIME, PRIME + 50 };
  g_autofree gint64 *places = g_new (gint64, PRIME), *xs = g_new (gint64, PRIME + 50), *values = g_new (gint64, PRIME);
  ConfProgram *program = conf_program_new ("scatter/parameters",
                                           acc_program_new ((const char *[]) { "i4[:]", "i4[:]", "i8[:]", NULL }, scatter_given, NULL));
  g_autofree gint64 *minus = g_new (gint64, PRIME);

  for (gint64 i = 0; i < PRIME; i++)
    {
      places[i] = i * 4391 % PRIME;
      minus[i] = -1;
    }
  for (gint64 i = 0; i < PRIME + 50; i++)
    xs[i] = i * 31 % 1000;

  for (guint k = 0; k < G_N_ELEMENTS (lengths); k++)
    {
      gint64 n = lengths[k];
      AccArray *defaults = conf_ints ("i4", (gint64[]) { PRIME }, 1, minus), *targets = conf_ints ("i8", (gint64[]) { PRIME }, 1, places);
      AccArray *elements = conf_ints ("i4", (gint64[]) { n }, 1, xs);
      g_autofree char *name = g_strdup_printf ("scatter/loop-%d", (int) n);

      memcpy (values, minus, PRIME * sizeof *values);
      for (gint64 i = 0; i < MIN (n, PRIME); i++)
        values[places[i]] = xs[i];
      conf_expect_ints (name, acc_array_scatter (elements, defaults, targets), "[10007]", 0, PRIME, values);
      conf_program_check (program, (AccArray *[]) { elements, defaults, targets }, 3, CONF_EXACT);
    }
  conf_program_free (program);
}

static void
test_types (void)
{
  g_autoptr(GRand) rand = g_rand_new_with_seed (conf_seed ());
  g_autoptr(AccArray) places = CONF_INTS2 ("i4", 2, 3, 0, 4, 2, 6, 1, 5), mask = CONF_INTS2 ("i4", 2, 3, 1, 1, 2, 3, 4, 5);

  for (guint i = 0; i < conf_n_types (); i++)
    {
      AccElementType *type = acc_element_type_parse (conf_types[i], NULL);
      g_autoptr(AccArray) xs = conf_array (type, (gint64[]) { 2, 3 }, 2, rand, CONF_FULL),
        defaults = conf_array (type, (gint64[]) { 7 }, 1, rand, CONF_FULL);
      g_autoptr(AccArray) grid = conf_array (type, (gint64[]) { 2, 3 }, 2, rand, CONF_FULL);
      g_autofree char *name = g_strconcat ("scatter/", conf_types[i], NULL), *gathered = g_strconcat ("gather-if/", conf_types[i], NULL);

      conf_check_array (name, acc_array_scatter_if (xs, defaults, places, mask, is_odd, NULL), CONF_EXACT);
      conf_check_array (gathered, acc_array_gather_if (defaults, places, grid, mask, is_odd, NULL), CONF_EXACT);
    }
}

/* Sums of so many elements that tiles of them have tables, up to what half of the bits of a sum holds, and beyond. */
static void
test_tables (void)
{
  static const struct { const char *code; gint64 value, n_rows, n_columns, n_bins; } cases[] = {
    { "u1", 255, 1, 300001, 7 },         { "u1", 255, 17, 4099, 5 },         { "b1", 1, 70001, 1, 16384 },
    { "u2", 65535, 1, 16 * 32768, 1 },   { "u2", 65535, 1, 16 * 32769, 1 },  { "i2", -32768, 1, 16 * 65535, 1 },
    { "i2", -32768, 1, 16 * 65536, 1 },  { "u4", 4294967295, 33, 2048, 3 },  { "i8", -(1ll << 40), 1, 70000, 300 },
    { "u4", 4294967295, 40001, 2, 3 },   { "i2", -32768, 30011, 3, 9 },      { "u1", 255, 16411, 5, 7 },
    { "u2", 65535, 9001, 8, 5 },         { "i8", -(1ll << 40), 8011, 9, 300 },      { "u4", 4294967295, 3, 300001, 200003 },
  };

  for (guint k = 0; k < G_N_ELEMENTS (cases); k++)
    {
      gint64 n = cases[k].n_rows * cases[k].n_columns, extents[] = { cases[k].n_rows, cases[k].n_columns }, n_bins = cases[k].n_bins;
      g_autofree gint64 *places = g_new (gint64, n), *given = g_new (gint64, n), *wanted = g_new0 (gint64, n_bins),
        *start = g_new (gint64, n_bins);
      g_autofree char *name = g_strdup_printf ("permute/tables-%u", k), *rows_name = g_strdup_printf ("permute/tables-of-rows-%u", k);
      g_autofree char *shape = g_strdup_printf ("[%d]", (int) n_bins);
      g_autoptr(AccArray) xs = NULL, targets = NULL, defaults = NULL, sums = NULL, rows = NULL;

      for (gint64 b = 0; b < n_bins; b++)
        wanted[b] = start[b] = b - 1000;
      for (gint64 i = 0; i < n; i++)
        {
          places[i] = i * 7919 % n_bins;
          given[i] = cases[k].value - (n_bins > 1 && cases[k].value > 1 ? i % 3 : 0);
          wanted[places[i]] += given[i];
        }
      xs = conf_ints (cases[k].code, extents, 2, given);
      targets = conf_ints ("i4", extents, 2, places);
      defaults = conf_ints ("i8", &n_bins, 1, start);
      sums = acc_array_cast (xs, acc_element_type_new (ACC_KIND_I64));
      conf_expect_ints (name, acc_array_permute (sums, defaults, targets, sum, NULL), shape, 0, n_bins, wanted);
      rows = conf_through_source (g_object_ref (targets));
      conf_expect_ints (rows_name, acc_array_permute (sums, defaults, rows, sum, NULL), shape, 0, n_bins, wanted);
    }
}

static AccExpr *
beside_label (AccExpr *index, AccExpr *x, gpointer labels)
{
  AccExpr *label = acc_expr_index (labels, acc_expr_item (index, 0));

  return acc_expr_tuple2 (label, acc_expr_item (index, 1));
}

/* Sums of the rows of each label, a column beside the other: what is the same for a row is looked at once. */
static void
test_rows (void)
{
  enum { N_LABELS = 11, LAST = 70001 };
  static const gint64 columns[] = { 1, 2, 3, 4, 5, 8, 9 };

  for (guint k = 0; k < G_N_ELEMENTS (columns); k++)
    {
      gint64 c = columns[k], extents[] = { LAST, c }, sizes[] = { N_LABELS, c };
      g_autofree gint64 *given = g_new (gint64, LAST * c), *numbers = g_new (gint64, LAST), *wanted = g_new (gint64, N_LABELS * c);
      g_autofree gint64 *start = g_new (gint64, N_LABELS * c);
      g_autofree char *name = g_strdup_printf ("permute/labels-%d", (int) c), *shape = g_strdup_printf ("[11,%d]", (int) c);
      g_autofree char *astray_name = g_strconcat (name, "-astray", NULL), *negative_name = g_strconcat (name, "-negative", NULL);
      g_autoptr(AccArray) xs = NULL, labels = NULL, targets = NULL, defaults = NULL, astray = NULL, negative = NULL;

      for (gint64 i = 0; i < N_LABELS * c; i++)
        wanted[i] = start[i] = i - 5;
      for (gint64 i = 0; i < LAST; i++)
        numbers[i] = (i * 7919 >> 2) % N_LABELS;
      for (gint64 i = 0; i < LAST * c; i++)
        {
          given[i] = i % 1009 - 400;
          wanted[numbers[i / c] * c + i % c] += given[i];
        }
      xs = conf_ints ("i4", extents, 2, given);
      labels = conf_ints ("i8", extents, 1, numbers);
      defaults = conf_ints ("i4", sizes, 2, start);
      targets = acc_array_imap (xs, beside_label, labels);
      conf_expect_ints (name, acc_array_permute (xs, defaults, targets, sum, NULL), shape, 0, N_LABELS * c, wanted);

      g_clear_object (&labels);
      numbers[LAST / 2] = N_LABELS;
      labels = conf_ints ("i8", extents, 1, numbers);
      astray = acc_array_imap (xs, beside_label, labels);
      CONF_EXPECT_ERROR (astray_name, acc_array_permute (xs, defaults, astray, sum, NULL), ACC_ERROR_BOUNDS, "permute", "11");

      g_clear_object (&labels);
      numbers[LAST / 2] = -1;
      labels = conf_ints ("i8", extents, 1, numbers);
      negative = acc_array_imap (xs, beside_label, labels);
      CONF_EXPECT_ERROR (negative_name, acc_array_permute (xs, defaults, negative, sum, NULL), ACC_ERROR_BOUNDS, "permute", "-1");
    }
}

/* Counts of keys that are read many at a time: ends of rows and windows within what a thread takes. */
static void
test_counts (void)
{
  static const struct { const char *code; gint64 n_rows, n_columns; } cases[] = {
    { "u1", 1, 100003 }, { "u1", 37, 8195 }, { "u1", 3, 5 }, { "u2", 5, 20011 }, { "u4", 1, 70001 }, { "i8", 7, 10007 },
  };

  for (guint k = 0; k < G_N_ELEMENTS (cases); k++)
    {
      gint64 n = cases[k].n_rows * cases[k].n_columns, extents[] = { cases[k].n_rows, cases[k].n_columns }, n_bins = 251;
      g_autofree gint64 *keys = g_new (gint64, n), *wanted = g_new0 (gint64, n_bins), *zeros = g_new0 (gint64, n_bins);
      g_autofree char *name = g_strdup_printf ("permute/counts-%u", k), *rows_name = g_strdup_printf ("permute/counts-of-rows-%u", k);
      g_autofree gint64 *ones = g_new (gint64, n);
      g_autoptr(AccArray) xs = NULL, targets = NULL, defaults = NULL, rows = NULL;

      for (gint64 i = 0; i < n; i++)
        {
          keys[i] = (i * 7919 >> 3) % n_bins;
          ones[i] = i % 2 + 1;
          wanted[keys[i]] += ones[i];
        }
      xs = conf_ints ("u4", extents, 2, ones);
      targets = conf_ints (cases[k].code, extents, 2, keys);
      defaults = conf_ints ("u4", &n_bins, 1, zeros);
      conf_expect_ints (name, acc_array_permute (xs, defaults, targets, sum, NULL), "[251]", 0, n_bins, wanted);
      rows = conf_through_source (g_object_ref (targets));
      conf_expect_ints (rows_name, acc_array_permute (xs, defaults, rows, sum, NULL), "[251]", 0, n_bins, wanted);
    }
}

/* --- many to few places */

static AccExpr *
number (AccExpr *index, gpointer data)
{
  return index;
}

static AccExpr *
with_items (AccExpr *key, AccExpr *i)
{
  return acc_expr_tuple2 (acc_expr_cast (key, acc_element_type_new (ACC_KIND_F32)), acc_expr_cast (i, acc_element_type_new (ACC_KIND_I32)));
}

static AccExpr *
with_key (AccExpr *i, gpointer data)
{
  AccExpr *key = acc_expr_rem (acc_expr_mul (i, acc_expr_new_int (7919)), acc_expr_new_int (1000));

  return with_items (key, i);
}

static AccExpr *
some_place (AccExpr *i, gpointer n_places)
{
  return acc_expr_tuple2 (acc_expr_ne (acc_expr_rem (i, acc_expr_new_int (5)), acc_expr_new_int (0)),
                          acc_expr_rem (acc_expr_mul (i, acc_expr_new_int (31)), acc_expr_new_int (GPOINTER_TO_INT (n_places))));
}

/* The first is larger than all that is sent there. */
static AccExpr *
key_before (AccExpr *i, gpointer data)
{
  AccExpr *key = acc_expr_cond (acc_expr_eq (i, acc_expr_new_int (0)), acc_expr_new_int (2000), acc_expr_new_int (-1));

  return with_items (key, acc_expr_neg (i));
}

static AccExpr *
largest (AccExpr *x, AccExpr *y, gpointer data)
{
  return acc_expr_max (x, y);
}

static AccExpr *
largest_key_and_sum (AccExpr *x, AccExpr *y, gpointer data)
{
  return acc_expr_tuple2 (acc_expr_max (acc_expr_item (x, 0), acc_expr_item (y, 0)),
                          acc_expr_add (acc_expr_item (x, 1), acc_expr_item (y, 1)));
}

/* Pairs that are combined as a whole and item by item, by operators for which nothing is neutral. */
static void
test_pairs (void)
{
  static const gint n_places[] = { 1, 2, 301, 5000 };
  g_autoptr(AccShape) shape = acc_shape_new_vector (80021);
  g_autoptr(AccArray) numbers = acc_array_generate (shape, number, NULL), pairs = acc_array_map (numbers, with_key, NULL);

  for (guint i = 0; i < G_N_ELEMENTS (n_places); i++)
    {
      g_autoptr(AccShape) few = acc_shape_new_vector (n_places[i]);
      g_autoptr(AccArray) before = acc_array_generate (few, key_before, NULL);
      g_autoptr(AccArray) targets = acc_array_map (numbers, some_place, GINT_TO_POINTER (n_places[i]));
      g_autofree char *whole = g_strdup_printf ("permute/pairs-%d", n_places[i]), *items = g_strconcat (whole, "-items", NULL);

      conf_check_array (whole, acc_array_permute (pairs, before, targets, largest, NULL), CONF_EXACT);
      conf_check_array (items, acc_array_permute (pairs, before, targets, largest_key_and_sum, NULL), CONF_EXACT);
    }
}

static AccExpr *
with_wide_key (AccExpr *i, gpointer data)
{
  AccExpr *key = acc_expr_cast (acc_expr_bxor (acc_expr_mul (i, acc_expr_new_int (7919)), acc_expr_new_int (0x2aaaa)),
                                acc_element_type_new (ACC_KIND_F64));

  return acc_expr_tuple2 (key, acc_expr_cast (i, acc_element_type_new (ACC_KIND_I64)));
}

/* What nothing swaps at once, more of it than a device with a limit to loops takes in one. */
static void
test_wide_pairs (void)
{
  static const gint n_places[] = { 1, 3, 40 };
  g_autoptr(AccShape) shape = acc_shape_new_vector (100003);
  g_autoptr(AccArray) numbers = acc_array_generate (shape, number, NULL), pairs = acc_array_map (numbers, with_wide_key, NULL);

  for (guint i = 0; i < G_N_ELEMENTS (n_places); i++)
    {
      g_autoptr(AccShape) few = acc_shape_new_vector (n_places[i]);
      g_autoptr(AccArray) places = acc_array_generate (few, number, NULL), before = acc_array_map (places, with_wide_key, NULL);
      g_autoptr(AccArray) targets = acc_array_map (numbers, some_place, GINT_TO_POINTER (n_places[i]));
      g_autofree char *name = g_strdup_printf ("permute/wide-pairs-%d", n_places[i]);

      conf_check_array (name, acc_array_permute (pairs, before, targets, largest, NULL), CONF_EXACT);
    }
}

int
main (int argc, char **argv)
{
  conf_init (&argc, &argv);

  g_test_add_func ("/scatter/index-types", test_index_types);
  g_test_add_func ("/scatter/ranks", test_ranks);
  g_test_add_func ("/scatter/scatter", test_scatter);
  g_test_add_func ("/scatter/gather-if", test_gather_if);
  g_test_add_func ("/scatter/loop", test_against_a_loop);
  g_test_add_func ("/scatter/types", test_types);
  g_test_add_func ("/scatter/tables", test_tables);
  g_test_add_func ("/scatter/rows", test_rows);
  g_test_add_func ("/scatter/counts", test_counts);
  g_test_add_func ("/scatter/pairs", test_pairs);
  g_test_add_func ("/scatter/wide-pairs", test_wide_pairs);

  return conf_run ();
}
