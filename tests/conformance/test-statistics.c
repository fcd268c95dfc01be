/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "conformance.h"

#include <math.h>

/* Ready-made scans, reductions of more than one number, runs and histograms: hand-worked, and every type against the interpreter,
 * which NumPy judges. */

typedef AccArray *(*Of) (AccArray *self);

static AccArray *variance (AccArray *self) { return acc_array_variance (self, 1); }
static AccArray *variance_all (AccArray *self) { return acc_array_variance_all (self, 0); }
static AccArray *deviation (AccArray *self) { return acc_array_standard_deviation (self, 0); }
static AccArray *deviation_all (AccArray *self) { return acc_array_standard_deviation_all (self, 1); }
static AccArray *bincount (AccArray *self) { return acc_array_bincount (self, 5); }
static AccArray *histogram (AccArray *self) { return acc_array_histogram (self, 7, -3, 100); }
static AccArray *distinct (AccArray *self) { return acc_array_unique (self, NULL); }

static AccArray *
distinct_counts (AccArray *self)
{
  g_autoptr(AccArray) counts = NULL, values = acc_array_unique (self, &counts);

  return g_steal_pointer (&counts);
}

typedef struct {
  const char *name;
  Of          of;
  ConfValues  values;
  gboolean    some;       /* needs an element in each row */
  gboolean    integers;   /* no floats */
  gboolean    numbers;    /* no b1 */
  gboolean    rounds;
} Form;

static const Form forms[] = {
  { "cumsum", acc_array_cumsum, CONF_SMALL, .numbers = TRUE },
  { "cumprod", acc_array_cumprod, CONF_SMALL, .numbers = TRUE, .rounds = TRUE },
  { "cummin", acc_array_cummin, CONF_FULL },
  { "cummax", acc_array_cummax, CONF_FULL },
  { "argmin", acc_array_argmin, CONF_FULL, .some = TRUE },
  { "argmax", acc_array_argmax, CONF_FULL, .some = TRUE },
  { "argmin_all", acc_array_argmin_all, CONF_SMALL, .some = TRUE },
  { "argmax_all", acc_array_argmax_all, CONF_SMALL, .some = TRUE },
  { "minmax", acc_array_minmax, CONF_FULL, .some = TRUE },
  { "minmax_all", acc_array_minmax_all, CONF_FULL, .some = TRUE },
  { "count_nonzero", acc_array_count_nonzero, CONF_FULL },
  { "count_nonzero_all", acc_array_count_nonzero_all, CONF_SMALL },
  { "norm", acc_array_norm, CONF_SMALL, .rounds = TRUE },
  { "norm_all", acc_array_norm_all, CONF_SMALL, .rounds = TRUE },
  { "mean", acc_array_mean, CONF_SMALL, .rounds = TRUE },
  { "mean_all", acc_array_mean_all, CONF_SMALL, .rounds = TRUE },
  { "variance", variance, CONF_SMALL, .rounds = TRUE },
  { "variance_all", variance_all, CONF_SMALL, .rounds = TRUE },
  { "deviation", deviation, CONF_SMALL, .rounds = TRUE },
  { "deviation_all", deviation_all, CONF_SMALL, .rounds = TRUE },
  { "bincount", bincount, CONF_SMALL, .integers = TRUE },
  { "histogram", histogram, CONF_SMALL },
  { "unique", distinct, CONF_SMALL },
  { "unique_counts", distinct_counts, CONF_SMALL },
};

static void
test_form (gconstpointer data)
{
  static const char *const codes[] = { "b1", "i1", "i2", "i4", "i8", "u1", "u2", "u4", "u8", "f2", "f4", "f8" };
  static const struct { gint64 extents[3]; guint rank; } shapes[] = { { { 0 }, 1 }, { { 1 }, 1 }, { { 300 }, 1 }, { { 3, 0 }, 2 },
                                                                      { { 0, 3 }, 2 }, { { 5, 28 }, 2 }, { { 2, 3, 70 }, 3 } };
  const Form *form = data;
  g_autoptr(GRand) rand = g_rand_new_with_seed (conf_seed ());

  for (guint t = 0; t < G_N_ELEMENTS (codes); t++)
    for (guint s = 0; s < G_N_ELEMENTS (shapes); s++)
      {
        AccElementType *type = conf_type (codes[t]);
        gboolean is_float = acc_element_kind_is_float (acc_element_type_get_kind (type));
        g_autofree char *name = g_strdup_printf ("%s/%s/%u", form->name, codes[t], s);
        g_autoptr(AccArray) xs = conf_array (type, shapes[s].extents, shapes[s].rank, rand, form->values);
        ConfTolerance tolerance = { form->rounds ? 16 : 0, TRUE, form->rounds ? (codes[t][1] == '2' ? 0.02 : 1e-4) : 0 };

        if ((form->integers && is_float) || (form->numbers && t == 0) || (form->some && acc_shape_get_size (acc_array_get_shape (xs)) == 0))
          continue;
        if (!conf_is_thorough () && (t % 3 != 2 || s % 2 == 1))
          continue;
        conf_check_array (name, form->of (xs), tolerance);
      }
}

static void
test_places (void)
{
  g_autoptr(AccArray) matrix = CONF_INTS2 ("i4", 2, 4, 5, -1, 7, -1, 3, 9, 9, 4), none = CONF_INTS1 ("i4", 1),
    nothing = acc_array_take (none, 0);
  g_autoptr(AccArray) floats = CONF_FLOATS1 ("f8", NAN, 3, -0.0, NAN, 0, -INFINITY, INFINITY, INFINITY, -INFINITY),
    number = acc_array_unit (conf_i64 (3));
  g_autoptr(AccArray) nans = CONF_FLOATS1 ("f4", NAN, NAN), pairs = acc_array_zip (matrix, matrix);
  g_autoptr(AccArray) numbers = CONF_FLOATS1 ("f4", 5, 7), tops = CONF_FLOATS1 ("f4", NAN, 2), parts = acc_array_zip (tops, numbers);
  AccArray *bad = acc_array_argmax (number);

  CONF_EXPECT_INTS ("argmin", acc_array_argmin (matrix), "[2]", 1, 0);
  CONF_EXPECT_INTS ("argmax", acc_array_argmax (matrix), "[2]", 2, 1);
  CONF_EXPECT_INTS ("argmin-all", acc_array_argmin_all (matrix), "[]", 1);
  CONF_EXPECT_INTS ("argmax-all", acc_array_argmax_all (matrix), "[]", 5);
  CONF_EXPECT_INTS ("argmax-all/number", acc_array_argmax_all (number), "[]", 0);
  CONF_EXPECT_INTS ("argmin/floats", acc_array_argmin (floats), "[]", 5);
  CONF_EXPECT_INTS ("argmax/floats", acc_array_argmax (floats), "[]", 6);
  CONF_EXPECT_INTS ("argmin/no-numbers", acc_array_argmin (nans), "[]", 0);
  CONF_EXPECT_INTS ("argmin/pairs", acc_array_argmin (pairs), "[2]", 1, 0);
  CONF_EXPECT_INTS ("argmin/pairs-without-order", acc_array_argmin (parts), "[]", 0);
  CONF_EXPECT_INTS ("argmax/pairs-without-order", acc_array_argmax (parts), "[]", 0);
  CONF_EXPECT_INTS ("minmax/low", acc_array_minmax (matrix), "[2]", -1, 3);
  conf_expect_ints ("minmax/high", acc_array_minmax (matrix), "[2]", 1, 2, (gint64[]) { 7, 9 });
  CONF_EXPECT_ERROR ("argmin/nothing", acc_array_argmin (nothing), ACC_ERROR_SHAPE, "argmin");
  acc_array_set_label (bad, "number");
  CONF_EXPECT_ERROR ("argmax/rank-0", bad, ACC_ERROR_SHAPE, "argmax", "number", "rank 0");
}

static AccExpr *negated_beside (AccExpr *x, gpointer data) { return acc_expr_complex (x, acc_expr_neg (x)); }
static AccExpr *imaginary (AccExpr *z, gpointer data) { return acc_expr_imag (z); }

static void
test_complex_means (void)
{
  g_autoptr(AccArray) numbers = CONF_FLOATS1 ("f4", 1, 2, 6), complex = acc_array_map (numbers, negated_beside, NULL),
    nothing = acc_array_take (complex, 0), mean = acc_array_mean (complex), of_all = acc_array_mean_all (complex),
    of_nothing = acc_array_mean (nothing);

  g_assert_cmpstr (acc_element_type_get_code (acc_array_get_element_type (mean)), ==, "c8");
  CONF_EXPECT_FLOATS ("mean/complex", acc_array_map (mean, imaginary, NULL), "[]", -3);
  CONF_EXPECT_FLOATS ("mean-all/complex", acc_array_map (of_all, imaginary, NULL), "[]", -3);
  CONF_EXPECT_FLOATS ("mean/complex-nothing", acc_array_map (of_nothing, imaginary, NULL), "[]", NAN);
}

static AccExpr *times_i (AccExpr *x, gpointer data) { return acc_expr_complex (acc_expr_new_zero (acc_expr_get_element_type (x)), x); }
static AccExpr *is_one (AccExpr *x, gpointer data) { return acc_expr_eq (x, acc_expr_new_int (1)); }

static void
test_moments (void)
{
  g_autoptr(AccArray) matrix = CONF_INTS2 ("i4", 2, 4, 1, 2, 3, 4, 7, 7, 7, 7),
    large = CONF_FLOATS1 ("f4", 16000000, 16000001, 16000002, 16000003);
  g_autoptr(AccArray) one = CONF_FLOATS1 ("f8", 3), nothing = acc_array_take (one, 0), pairs = acc_array_zip (matrix, matrix);
  g_autoptr(AccArray) some = CONF_FLOATS1 ("f4", 0, 1, NAN, -4), turned = acc_array_map (some, times_i, NULL),
    flags = acc_array_map (some, is_one, NULL);

  CONF_EXPECT_FLOATS ("mean", acc_array_mean (matrix), "[2]", 2.5, 7);
  CONF_EXPECT_FLOATS ("mean-all", acc_array_mean_all (matrix), "[]", 4.75);
  CONF_EXPECT_FLOATS ("variance", acc_array_variance (matrix, 0), "[2]", 1.25, 0);
  CONF_EXPECT_FLOATS ("variance/sample", acc_array_variance (matrix, 1), "[2]", 5 / 3.0, 0);
  CONF_EXPECT_FLOATS ("variance/large", acc_array_variance (large, 0), "[]", 1.25);
  CONF_EXPECT_FLOATS ("variance/one", acc_array_variance (one, 0), "[]", 0);
  CONF_EXPECT_FLOATS ("variance/one-sample", acc_array_variance (one, 1), "[]", NAN);
  CONF_EXPECT_FLOATS ("variance/nothing", acc_array_variance (nothing, 0), "[]", NAN);
  CONF_EXPECT_FLOATS ("mean/nothing", acc_array_mean (nothing), "[]", NAN);
  CONF_EXPECT_FLOATS ("norm", acc_array_norm_all (one), "[]", 3);
  CONF_EXPECT_INTS ("count-nonzero", acc_array_count_nonzero (nothing), "[]", 0);
  CONF_EXPECT_INTS ("count-nonzero/complex", acc_array_count_nonzero (turned), "[]", 3);
  CONF_EXPECT_ERROR ("count-nonzero/pairs", acc_array_count_nonzero (pairs), ACC_ERROR_TYPE, "count_nonzero", "(i4,i4)");
  CONF_EXPECT_ERROR ("sum/flags", acc_array_sum (flags), ACC_ERROR_TYPE, "sum: adds numbers, not b1: count_nonzero");
  CONF_EXPECT_ERROR ("sum-all/flags", acc_array_sum_all (flags), ACC_ERROR_TYPE, "sum_all: adds numbers, not b1: count_nonzero");
  CONF_EXPECT_ERROR ("mean/pairs", acc_array_mean (pairs), ACC_ERROR_TYPE, "mean", "(i4,i4)");
  CONF_EXPECT_ERROR ("variance/pairs", acc_array_variance_all (pairs, 0), ACC_ERROR_TYPE, "variance", "(i4,i4)");
}

/* Within some rounding errors of the type of what doubles give in two passes. */
static void
compare_variance (const char   *backend,
                  const char   *name,
                  AccArray     *result,
                  const GError *error,
                  gpointer      data)
{
  const double *wanted = data;
  double found = result != NULL ? acc_array_get_double (result, 0, 0) : 0;

  if (result == NULL)
    conf_fail (backend, name, "%s", error->message);
  else if (!(fabs (found - *wanted) <= 2e-5 * *wanted))
    conf_fail (backend, name, "%.9g, not %.9g", found, *wanted);
  else
    conf_pass (backend, name);
}

/* Numbers from @first on, but for the one at @place. */
static void
check_variance (const char *name,
                double      first,
                guint       place,
                double      outlier)
{
  enum { N = 5003 };
  static double values[N];
  double mean = 0, squares = 0;
  g_autoptr(AccArray) numbers = NULL;

  for (guint i = 0; i < N; i++)
    {
      values[i] = i == place ? outlier : first + i % 7;
      mean += values[i] / N;
    }
  for (guint i = 0; i < N; i++)
    squares += (values[i] - mean) * (values[i] - mean) / N;
  numbers = conf_floats ("f4", (gint64[]) { N }, 1, values);
  conf_run_everywhere (name, acc_array_variance (numbers, 0), compare_variance, &squares);
}

static void
test_spread (void)
{
  check_variance ("variance/far", 1e6, G_MAXUINT, 0);
  check_variance ("variance/far-below", -8388600, G_MAXUINT, 0);
  check_variance ("variance/outlier-first", 100, 0, -1e6);
  check_variance ("variance/outlier-last", 100, 5002, 3e7);
}

static void
test_distinct (void)
{
  g_autoptr(AccArray) xs = CONF_INTS1 ("i4", 7, 7, 7, 2, 2, 7, 3), lengths = NULL, counts = NULL, values = NULL, distinct = NULL,
    of_nothing = NULL;
  g_autoptr(AccArray) nothing = acc_array_take (xs, 0), pairs = acc_array_zip (xs, xs), pair_lengths = NULL, pair_values = NULL;
  g_autoptr(AccArray) floats = CONF_FLOATS1 ("f4", NAN, NAN, 1, -0.0, 0, 1), float_counts = NULL, float_values = NULL, refused = NULL;
  g_autoptr(AccArray) matrix = CONF_INTS2 ("i4", 1, 2, 1, 2);

  values = acc_array_run_length_encode (xs, &lengths);
  CONF_EXPECT_INTS ("runs", g_steal_pointer (&values), "[4]", 7, 2, 7, 3);
  CONF_EXPECT_INTS ("runs/lengths", g_steal_pointer (&lengths), "[4]", 3, 2, 1, 1);
  pair_values = acc_array_run_length_encode (pairs, &pair_lengths);
  conf_expect_ints ("runs/pairs", g_steal_pointer (&pair_values), "[4]", 1, 4, (gint64[]) { 7, 2, 7, 3 });
  CONF_EXPECT_INTS ("runs/pair-lengths", g_steal_pointer (&pair_lengths), "[4]", 3, 2, 1, 1);
  conf_expect_ints ("runs/nothing", acc_array_run_length_encode (nothing, &of_nothing), "[0]", 0, 0, NULL);
  conf_expect_ints ("runs/nothing/lengths", g_steal_pointer (&of_nothing), "[0]", 0, 0, NULL);
  distinct = acc_array_unique (xs, &counts);
  CONF_EXPECT_INTS ("unique", g_steal_pointer (&distinct), "[3]", 2, 3, 7);
  CONF_EXPECT_INTS ("unique/counts", g_steal_pointer (&counts), "[3]", 2, 1, 4);
  float_values = acc_array_unique (floats, &float_counts);
  CONF_EXPECT_FLOATS ("unique/floats", g_steal_pointer (&float_values), "[3]", -0.0, 1, NAN);
  CONF_EXPECT_INTS ("unique/float-counts", g_steal_pointer (&float_counts), "[3]", 2, 2, 2);
  CONF_EXPECT_ERROR ("runs/rank-2", acc_array_run_length_encode (matrix, &refused), ACC_ERROR_SHAPE, "run_length_encode", "rank 2");
  CONF_EXPECT_ERROR ("runs/rank-2/lengths", g_steal_pointer (&refused), ACC_ERROR_SHAPE, "run_length_encode", "rank 2");
  CONF_EXPECT_ERROR ("unique/pairs", acc_array_unique (pairs, NULL), ACC_ERROR_TYPE, "unique", "(i4,i4)");
}

static void
test_histograms (void)
{
  g_autoptr(AccArray) bytes = CONF_INTS1 ("u1", 3, 0, 3, 200, 1, 3), numbers = CONF_INTS1 ("i8", -1, 0, 2, 3, G_MAXINT64),
    pairs = acc_array_zip (bytes, bytes);
  g_autoptr(AccArray) floats = CONF_FLOATS1 ("f8", 0, 0.25, 0.5, 1, 1.0001, -0.0001, NAN, INFINITY, 0.75, 0.74);

  CONF_EXPECT_INTS ("bincount", acc_array_bincount (bytes, 4), "[4]", 1, 1, 0, 3);
  CONF_EXPECT_INTS ("bincount/outside", acc_array_bincount (numbers, 3), "[3]", 1, 0, 1);
  conf_expect_ints ("bincount/no-bins", acc_array_bincount (bytes, 0), "[0]", 0, 0, NULL);
  CONF_EXPECT_INTS ("histogram", acc_array_histogram (floats, 4, 0, 1), "[4]", 1, 1, 2, 2);
  CONF_EXPECT_INTS ("histogram/point", acc_array_histogram (bytes, 2, 3, 3), "[2]", 0, 3);
  CONF_EXPECT_ERROR ("bincount/floats", acc_array_bincount (floats, 4), ACC_ERROR_TYPE, "bincount", "f8");
  CONF_EXPECT_ERROR ("bincount/negative", acc_array_bincount (bytes, -1), ACC_ERROR_SHAPE, "bincount", "-1");
  CONF_EXPECT_ERROR ("histogram/pairs", acc_array_histogram (pairs, 4, 0, 1), ACC_ERROR_TYPE, "histogram", "(u1,u1)");
  CONF_EXPECT_ERROR ("histogram/no-bins", acc_array_histogram (floats, 0, 0, 1), ACC_ERROR_SHAPE, "histogram");
  CONF_EXPECT_ERROR ("histogram/order", acc_array_histogram (floats, 4, 1, 0), ACC_ERROR_SHAPE, "histogram");
  CONF_EXPECT_ERROR ("histogram/infinite", acc_array_histogram (floats, 4, 0, INFINITY), ACC_ERROR_SHAPE, "histogram");
}

int
main (int argc, char **argv)
{
  conf_init (&argc, &argv);
  for (guint i = 0; i < G_N_ELEMENTS (forms); i++)
    {
      g_autofree char *path = g_strdup_printf ("/statistics/%s", forms[i].name);

      g_test_add_data_func (path, &forms[i], test_form);
    }
  g_test_add_func ("/statistics/places", test_places);
  g_test_add_func ("/statistics/moments", test_moments);
  g_test_add_func ("/statistics/complex-means", test_complex_means);
  g_test_add_func ("/statistics/spread", test_spread);
  g_test_add_func ("/statistics/distinct", test_distinct);
  g_test_add_func ("/statistics/histograms", test_histograms);
  return conf_run ();
}
