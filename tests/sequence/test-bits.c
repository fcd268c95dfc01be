/* SPDX-License-Identifier: LGPL-2.1-or-later */

/* Floats within elements have the same bits in steps of each size, beside whatever elements, and with any number of threads. */

#include <acc/acc.h>

#include "acc-seq/stream/acc-evaluate-private.h"

#include <math.h>
#include <string.h>

static const char *backend_name;
/* Compilers of devices take long for each function and shape. */
static gboolean    is_quick;

/* Elements in a step; 0: as many as the walk likes. */
static const gint64 steps[] = { 0, 5, 1, 2, 13, 1000 };

/* --- elements */

/* Some value of few bits in common with its neighbours. */
static double
make_value (guint64 i)
{
  i = (i + 1) * G_GUINT64_CONSTANT (0x9E3779B97F4A7C15);
  i ^= i >> 29;

  return (double) (gint64) (i % 2000003) / 777.7 - 1250;
}

static AccArray *
make_array (const gint64 *extents, guint rank, guint64 seed)
{
  g_autoptr(AccShape) shape = acc_shape_new (extents, rank);
  gsize n = (gsize) acc_shape_get_size (shape);
  double *values = g_new (double, n + 1);
  g_autoptr(GBytes) bytes = NULL;

  for (gsize i = 0; i < n; i++)
    values[i] = make_value (seed * 7919 + i);
  bytes = g_bytes_new_take (values, n * sizeof (double));

  return acc_array_use (acc_element_type_new (ACC_KIND_F64), shape, bytes);
}

/* Around all lengths where something changes, and some that are alike one after the other. */
static GListStore *
make_vectors (void)
{
  static const gint64 some[] = { 16, 1000, 0, 40, 7, 1, 63, 64, 127, 128, 129, 2047, 300, 15, 2, 511, 513, 31, 32, 33, 2999, 0, 8, 9 };
  static const gint64 lengths[] = { 32767, 5, 32768, 32769, 65536, 3, 70001, 200000, 1000000, 17, 98304 };
  GListStore *store = g_list_store_new (ACC_TYPE_ARRAY);

  for (guint i = 0; i < (is_quick ? 18 : 66); i++)
    {
      gint64 n = i % 6 == 5 && i / 6 < G_N_ELEMENTS (lengths) ? lengths[i / 6]
                 : is_quick && i / 4 == 2 ? 300 : i / 8 == 3 ? 777 : some[i % G_N_ELEMENTS (some)];
      g_autoptr(AccArray) array = make_array (&n, 1, i);

      g_list_store_append (store, array);
    }

  return store;
}

static GListStore *
make_matrices (void)
{
  GListStore *store = g_list_store_new (ACC_TYPE_ARRAY);

  for (guint i = 0; i < 30; i++)
    {
      gint64 extents[] = { 1 + i * 7 % 20, i / 5 == 2 ? 70 : 9 + i * 37 % 300 };
      g_autoptr(AccArray) array = make_array (extents, 2, i);

      g_list_store_append (store, array);
    }

  return store;
}

/* Some one after the other have as many, and none has none. */
static GListStore *
make_windows (void)
{
  GListStore *store = g_list_store_new (ACC_TYPE_ARRAY);

  for (guint i = 0; i < 40; i++)
    {
      gint64 n = i / 8 == 2 ? 30 : 1 + i * 37 % 200;
      g_autoptr(AccArray) array = make_array (&n, 1, i);

      g_list_store_append (store, array);
    }

  return store;
}

/* The same elements, all in memory, so that steps are parts of one array. */
static AccSequence *
new_nested (GListStore *store)
{
  g_autoptr(GPtrArray) arrays = g_ptr_array_new_with_free_func (g_object_unref);
  g_autoptr(AccNestedArray) nested = NULL, computed = NULL;
  g_autoptr(AccBackend) judge = NULL;
  g_autoptr(GError) error = NULL;
  AccSequence *sequence;

  for (guint i = 0; i < g_list_model_get_n_items (G_LIST_MODEL (store)); i++)
    g_ptr_array_add (arrays, g_list_model_get_item (G_LIST_MODEL (store), i));
  judge = acc_backend_new_for_name ("interpreter", &error);
  g_assert_no_error (error);
  nested = acc_nested_array_new_from_arrays ((AccArray **) arrays->pdata, arrays->len);
  computed = acc_backend_run_nested (judge, nested, NULL, &error);
  g_assert_no_error (error);
  sequence = acc_sequence_new_from_nested (computed);

  return sequence;
}

/* --- functions of them */

static AccExpr *f8 (double x) { return acc_expr_new_typed_float (acc_element_type_new (ACC_KIND_F64), x); }
static AccExpr *plus (AccExpr *x, AccExpr *y, gpointer data) { return acc_expr_add (x, y); }
static AccExpr *square (AccExpr *x, gpointer data) { return acc_expr_mul (x, x); }

/* A map x * a + b after another: which does not commute. */
static AccExpr *
compose (AccExpr *x, AccExpr *y, gpointer data)
{
  g_autoptr(AccExpr) a = acc_expr_ref_sink (acc_expr_item (y, 0));

  return acc_expr_tuple2 (acc_expr_mul (acc_expr_item (x, 0), a),
                          acc_expr_add (acc_expr_mul (acc_expr_item (x, 1), a), acc_expr_item (y, 1)));
}
static AccExpr *map_of (AccExpr *x, gpointer data) { return acc_expr_tuple2 (acc_expr_mul (x, f8 (0.0008)), x); }

/* Known in part: how many, and their sum. */
static AccExpr *one_with (AccExpr *x, gpointer data) { return acc_expr_tuple2 (f8 (1), x); }
static AccExpr *
mean_of_both (AccExpr *x, AccExpr *y, gpointer data)
{
  g_autoptr(AccExpr) m = acc_expr_ref_sink (acc_expr_item (x, 0)), n = acc_expr_ref_sink (acc_expr_item (y, 0));
  g_autoptr(AccExpr) all = acc_expr_ref_sink (acc_expr_add (m, n));
  AccExpr *sum = acc_expr_add (acc_expr_mul (acc_expr_item (x, 1), m), acc_expr_mul (acc_expr_item (y, 1), n));

  return acc_expr_tuple2 (all, acc_expr_fdiv (sum, acc_expr_max (all, f8 (1))));
}

static AccArray *f_sum (AccArray **a, guint n, gpointer data) { return acc_array_fold (a[0], f8 (0), plus, NULL); }
static AccArray *
f_squares (AccArray **a, guint n, gpointer data)
{
  g_autoptr(AccArray) squares = acc_array_map (a[0], square, NULL);

  return acc_array_fold_all (squares, f8 (0.1), plus, NULL);
}
static AccArray *
f_compose (AccArray **a, guint n, gpointer data)
{
  g_autoptr(AccArray) maps = acc_array_map (a[0], map_of, NULL);
  g_autoptr(AccArray) composed = acc_array_fold (maps, acc_expr_tuple2 (f8 (1), f8 (0)), compose, NULL);

  return acc_array_unzip (composed, 1);
}
static AccArray *
f_mean (AccArray **a, guint n, gpointer data)
{
  g_autoptr(AccArray) ones = acc_array_map (a[0], one_with, NULL);
  g_autoptr(AccArray) means = acc_array_fold (ones, acc_expr_tuple2 (f8 (0), f8 (0)), mean_of_both, NULL);

  return acc_array_unzip (means, 1);
}
static AccArray *f_scanl1 (AccArray **a, guint n, gpointer data) { return acc_array_scanl1 (a[0], plus, NULL); }
static AccArray *f_scanr1 (AccArray **a, guint n, gpointer data) { return acc_array_scanr1 (a[0], plus, NULL); }
static AccArray *f_scanl (AccArray **a, guint n, gpointer data) { return acc_array_scanl (a[0], f8 (0.1), plus, NULL); }
static AccArray *f_scanr (AccArray **a, guint n, gpointer data) { return acc_array_scanr (a[0], f8 (0.1), plus, NULL); }
static AccArray *f_prescanl (AccArray **a, guint n, gpointer data) { return acc_array_prescanl (a[0], f8 (0.1), plus, NULL); }
static AccArray *f_postscanr (AccArray **a, guint n, gpointer data) { return acc_array_postscanr (a[0], f8 (0.1), plus, NULL); }
static AccArray *
f_scan_compose (AccArray **a, guint n, gpointer data)
{
  g_autoptr(AccArray) maps = acc_array_map (a[0], map_of, NULL), scanned = acc_array_scanl1 (maps, compose, NULL);

  return acc_array_unzip (scanned, 1);
}

/* Each value by the mean of all: something that follows on a sum. */
static AccExpr *
minus_total (AccExpr *x, gpointer total)
{
  return acc_expr_sub (x, acc_expr_the (total));
}
static AccArray *
f_centred (AccArray **a, guint n, gpointer data)
{
  g_autoptr(AccArray) total = acc_array_fold_all (a[0], f8 (0), plus, NULL), centred = acc_array_map (a[0], minus_total, total);

  return acc_array_scanl1 (centred, plus, NULL);
}

/* Products of matrices of which each has extents of its own. */
static AccArray *
f_gram (AccArray **a, guint n, gpointer data)
{
  g_autoptr(AccArray) turned = acc_array_transpose (a[0]);

  return acc_array_matmul (a[0], turned);
}
static AccArray *
f_normal (AccArray **a, guint n, gpointer data)
{
  g_autoptr(AccArray) turned = acc_array_transpose (a[0]);

  return acc_array_matmul (turned, a[0]);
}
static AccArray *
f_by_sums (AccArray **a, guint n, gpointer data)
{
  g_autoptr(AccArray) turned = acc_array_transpose (a[0]), sums = acc_array_fold (turned, f8 (0), plus, NULL);

  return acc_array_matmul (a[0], sums);
}
/* Transforms of what a window over the element has. */
static AccExpr *
in_window (AccExpr *index, gpointer data)
{
  AccArray *array = data;

  return acc_expr_index (array, acc_expr_mod (index, acc_expr_extent (array, 0)));
}
static AccArray *
transform (AccArray *array, gint64 n)
{
  g_autoptr(AccShape) shape = acc_shape_new (&n, 1);
  g_autoptr(AccArray) window = acc_array_generate (shape, in_window, array), spectrum = acc_array_fft (window, ACC_FFT_FORWARD);

  return acc_array_abs (spectrum);
}
static AccArray *f_transform_48 (AccArray **a, guint n, gpointer data) { return transform (a[0], 48); }
static AccArray *f_transform_64 (AccArray **a, guint n, gpointer data) { return transform (a[0], 64); }
static AccArray *f_transform_11 (AccArray **a, guint n, gpointer data) { return transform (a[0], 11); }
static AccArray *f_transform_1024 (AccArray **a, guint n, gpointer data) { return transform (a[0], 1024); }

static AccArray *
f_transform_all (AccArray **a, guint n, gpointer data)
{
  g_autoptr(AccArray) spectrum = acc_array_fft (a[0], ACC_FFT_FORWARD);

  return acc_array_abs (spectrum);
}

static const struct {
  const char  *name;
  AccArrayFunc function;
} functions[] = {
  { "sum", f_sum },
  { "squares", f_squares },
  { "compose", f_compose },
  { "mean", f_mean },
  { "scanl1", f_scanl1 },
  { "scanr1", f_scanr1 },
  { "scanl", f_scanl },
  { "scanr", f_scanr },
  { "prescanl", f_prescanl },
  { "postscanr", f_postscanr },
  { "scan-compose", f_scan_compose },
  { "centred", f_centred },
  { "gram", f_gram },
  { "normal", f_normal },
  { "by-sums", f_by_sums },
  { "transform-48", f_transform_48 },
  { "transform-64", f_transform_64 },
  { "transform-11", f_transform_11 },
  { "transform-1024", f_transform_1024 },
  { "transform-all", f_transform_all },
};

enum { FOLDS, SCANS = 4, PRODUCTS = 12, TRANSFORMS = 15 };   /* where they begin */

/* --- walks */

static AccBackend *
new_backend (const char *threads)
{
  g_autoptr(GError) error = NULL;
  AccBackend *backend;

  g_setenv ("ACC_THREADS", threads, TRUE);
  backend = acc_backend_new_for_name (backend_name, &error);
  g_assert_no_error (error);

  return backend;
}

/* Values of @sequence under the functions from @first on, one after the other. */
static GPtrArray *
walk (AccBackend *backend, AccSequence *sequence, guint first, guint n, gint64 step)
{
  g_autoptr(GPtrArray) arrays = g_ptr_array_new_with_free_func (g_object_unref);
  g_autoptr(GError) error = NULL;
  GPtrArray *results;

  for (guint i = first; i < first + n; i++)
    {
      g_autoptr(AccSequence) mapped = acc_sequence_map (sequence, functions[i].function, NULL);

      g_ptr_array_add (arrays, acc_sequence_elements (mapped));
    }
  results = acc_evaluate_with_chunk_rows (backend, (AccArray **) arrays->pdata, arrays->len, step, NULL, &error);
  if (results == NULL)
    g_error ("%s … in steps of %d: %s", functions[first].name, (int) step, error->message);

  return results;
}

static void
compare (GPtrArray *results, GPtrArray *expected, guint first, const char *what, gint64 step)
{
  for (guint i = 0; i < expected->len; i++)
    {
      g_autoptr(GBytes) bytes = acc_array_dup_bytes (results->pdata[i], 0, NULL), right = acc_array_dup_bytes (expected->pdata[i], 0, NULL);
      gsize size, n, n_other = 0, other = 0;
      const guint64 *a = g_bytes_get_data (bytes, &size), *b = g_bytes_get_data (right, &n);

      g_assert_cmpuint (size, ==, n);
      for (gsize k = 0; k < size / 8; k++)
        if (a[k] != b[k] && n_other++ == 0)
          other = k;
      if (n_other > 0)
        {
          g_test_message ("%s, %s, steps of %d: %d of %d values differ, the first of them number %d: %a, not %a", what,
                          functions[first + i].name, (int) step, (int) n_other, (int) (size / 8), (int) other, ((const double *) a)[other],
                          ((const double *) b)[other]);
          g_test_fail ();
        }
    }
}

/* Sums must be sums. */
static void
check_sums (GListStore *store, AccArray *sums)
{
  g_autoptr(GBytes) bytes = acc_array_dup_bytes (sums, 0, NULL);
  const double *values = g_bytes_get_data (bytes, NULL);

  for (guint i = 0; i < g_list_model_get_n_items (G_LIST_MODEL (store)); i++)
    {
      g_autoptr(AccArray) array = g_list_model_get_item (G_LIST_MODEL (store), i);
      g_autoptr(GBytes) own = acc_array_dup_bytes (array, 0, NULL);
      gsize size;
      const double *elements = g_bytes_get_data (own, &size);
      double sum = 0;

      for (gsize k = 0; k < size / 8; k++)
        sum += elements[k];
      g_assert_cmpfloat (fabs (values[i] - sum), <=, 1e-3);
    }
}

/* Each sequence in steps of each size by some threads, against the first. */
static void
check (AccSequence **sequences, const char **names, guint n_sequences, guint first, guint n, GListStore *store)
{
  static const char *threads[] = { "2", "1", "5" };
  gboolean is_native = strcmp (backend_name, "native") == 0;
  g_autoptr(GPtrArray) expected = NULL;

  for (guint t = 0; t < (is_native ? G_N_ELEMENTS (threads) : 1); t++)
    {
      g_autoptr(AccBackend) backend = new_backend (threads[t]);

      for (guint s = 0; s < n_sequences; s++)
        for (guint i = 0; i < (t > 0 ? 2 : is_quick ? 3 : G_N_ELEMENTS (steps)); i++)
          {
            g_autoptr(GPtrArray) results = walk (backend, sequences[s], first, n, steps[i]);

            if (expected == NULL)
              {
                if (store != NULL)
                  check_sums (store, results->pdata[0]);
                expected = g_ptr_array_ref (results);
              }
            compare (results, expected, first, names[s], steps[i]);
          }
    }
}

/* Each element by itself, in a step that is regular, of a sequence that need not be. */
static void
check_alone (GListStore *store, AccSequence *all, guint first, guint n)
{
  g_autoptr(AccBackend) backend = new_backend ("2");
  g_autoptr(GPtrArray) expected = walk (backend, all, first, n, 0);
  g_autofree gsize *places = g_new0 (gsize, n);

  for (guint i = 0; i < g_list_model_get_n_items (G_LIST_MODEL (store)); i++)
    {
      g_autoptr(AccArray) array = g_list_model_get_item (G_LIST_MODEL (store), i);
      g_autoptr(GListStore) alone = g_list_store_new (ACC_TYPE_ARRAY);
      /* Of other extents, else these are known. */
      gint64 n_other = acc_shape_get_extent (acc_array_get_shape (array), 0) == 2 ? 3 : 2;
      g_autoptr(AccArray) other = make_array ((gint64[]) { n_other, 4 }, acc_array_get_rank (array), 0);
      g_autoptr(AccSequence) both = NULL, sequence = NULL;
      g_autoptr(GPtrArray) results = NULL;

      g_list_store_append (alone, array);
      g_list_store_append (alone, other);
      both = acc_sequence_new_from_arrays (G_LIST_MODEL (alone));
      sequence = acc_sequence_take (both, 1);
      results = walk (backend, sequence, first, n, 0);
      for (guint k = 0; k < n; k++)
        {
          g_autoptr(GBytes) bytes = acc_array_dup_bytes (results->pdata[k], 0, NULL),
            right = acc_array_dup_bytes (expected->pdata[k], 0, NULL);
          gsize size, n_bytes;
          gconstpointer own = g_bytes_get_data (bytes, &size);
          const guint8 *whole = g_bytes_get_data (right, &n_bytes);

          g_assert_cmpuint (places[k] + size, <=, n_bytes);
          if (size > 0 && memcmp (whole + places[k], own, size) != 0)
            {
              g_test_message ("alone, %s: element %u differs", functions[first + k].name, i);
              g_test_fail ();
            }
          places[k] += size;
        }
    }
}

static void
check_store (GListStore *store, guint first, guint n, gboolean sums)
{
  g_autoptr(AccSequence) nested = new_nested (store), listed = acc_sequence_new_from_arrays (G_LIST_MODEL (store));
  AccSequence *sequences[] = { nested, listed };

  check (sequences, (const char *[]) { "in memory", "listed" }, 2, first, n, sums ? store : NULL);
  check_alone (store, nested, first, n);
}

static void
test_folds (void)
{
  g_autoptr(GListStore) store = make_vectors ();

  check_store (store, FOLDS, SCANS, TRUE);
}

static void
test_scans (void)
{
  g_autoptr(GListStore) store = make_vectors ();

  check_store (store, SCANS, PRODUCTS - SCANS, FALSE);
}

/* Their rows. */
static void
test_matrices (void)
{
  g_autoptr(GListStore) store = make_matrices ();

  check_store (store, FOLDS, SCANS + 2, FALSE);
}

static void
test_products (void)
{
  g_autoptr(GListStore) store = make_matrices ();
  g_autoptr(AccArray) deep = make_array ((gint64[]) { 6, 16, 600 }, 3, 0);
  g_autoptr(AccSequence) alike = acc_sequence_new_from_array (deep);

  check_store (store, PRODUCTS, TRANSFORMS - PRODUCTS, FALSE);
  check (&alike, (const char *[]) { "alike" }, 1, PRODUCTS, 1, NULL);
}

static void
test_transforms (void)
{
  g_autoptr(GListStore) store = make_windows ();

  check_store (store, TRANSFORMS, G_N_ELEMENTS (functions) - TRANSFORMS, FALSE);
}

/* Rows of a matrix, which are alike. */
static void
test_rows (void)
{
  static const gint64 extents[][2] = { { 40, 100 }, { 40, 600 }, { 40, 30 }, { 20, 2000 }, { 3, 300000 }, { 17, 262145 } };

  for (guint i = 0; i < (is_quick ? 3 : G_N_ELEMENTS (extents)); i++)
    {
      g_autoptr(AccArray) matrix = make_array (extents[i], 2, i);
      g_autoptr(AccSequence) rows = acc_sequence_new_from_array (matrix);
      g_autofree char *name = g_strdup_printf ("rows of %d", (int) extents[i][1]);

      check (&rows, (const char *[]) { name }, 1, 0, extents[i][0] == 17 ? SCANS : PRODUCTS,
             NULL);
      if (i == 0)
        check (&rows, (const char *[]) { name }, 1, TRANSFORMS, G_N_ELEMENTS (functions) - TRANSFORMS, NULL);
    }
}

int
main (int    argc,
      char **argv)
{
  g_autoptr(AccBackend) backend = NULL;
  g_autoptr(GError) error = NULL;

  g_test_init (&argc, &argv, NULL);

  backend_name = g_getenv ("ACC_TEST_BACKENDS");
  if (backend_name == NULL)
    backend_name = "native";
  backend = acc_backend_new_for_name (backend_name, &error);
  if (backend == NULL)
    {
      g_print ("1..0 # SKIP %s\n", error->message);
      return 0;
    }
  is_quick = strcmp (backend_name, "native") != 0;
  g_test_add_func ("/sequence/bits/folds", test_folds);
  g_test_add_func ("/sequence/bits/scans", test_scans);
  g_test_add_func ("/sequence/bits/matrices", test_matrices);
  g_test_add_func ("/sequence/bits/products", test_products);
  g_test_add_func ("/sequence/bits/transforms", test_transforms);
  g_test_add_func ("/sequence/bits/rows", test_rows);

  return g_test_run ();
}
