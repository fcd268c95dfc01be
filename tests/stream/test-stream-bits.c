/* SPDX-License-Identifier: LGPL-2.1-or-later */

/* Sums, products, scans and tables of floats from a source are the same bits as from memory, however long it is, whatever rows come at a
 * time, and however many threads there are. */
#include "stream-files.h"

#include "acc-core/backend/acc-backend-private.h"
#include "acc-core/data/acc-budget-private.h"
#include "acc-core/data/acc-sink-private.h"
#include "acc-seq/stream/acc-evaluate-private.h"

#include <string.h>

#define MAX_BACKENDS 8

typedef struct {
  const char *name;
  AccArray *(*build) (AccArray *a);
  gboolean    needs_some;    /* elements */
  gboolean    in_no_order;   /* on devices, as they document */
} Program;

/* Thirds round in each sum. */
static AccExpr *third (AccExpr *x, gpointer data) { return acc_expr_fdiv (x, acc_expr_new_float (3)); }
static AccExpr *
near_one (AccExpr *x, gpointer data)
{
  return acc_expr_add (acc_expr_fdiv (x, acc_expr_new_float (1e7)), acc_expr_new_float (1));
}
static AccExpr *plus (AccExpr *x, AccExpr *y, gpointer data) { return acc_expr_add (x, y); }
static AccExpr *times (AccExpr *x, AccExpr *y, gpointer data) { return acc_expr_mul (x, y); }

/* x + y + x y / 8192 is associative, and rounds; nothing of it is known to the compiler. */
static AccExpr *
joined (AccExpr *x, AccExpr *y, gpointer data)
{
  return acc_expr_add (acc_expr_add (x, y), acc_expr_mul (acc_expr_mul (x, y), acc_expr_new_float (1.0 / 8192)));
}

static AccExpr *small (AccExpr *x, gpointer data) { return acc_expr_fdiv (x, acc_expr_new_float (3e6)); }

static AccExpr *
blur (AccExpr *n, gpointer data)
{
  return acc_expr_add (acc_expr_add (acc_expr_neighbour1 (n, -1), acc_expr_neighbour1 (n, 0)), acc_expr_neighbour1 (n, 1));
}

static AccExpr *
target (AccExpr *x, gpointer data)
{
  return acc_expr_cast (acc_expr_rem (acc_expr_cast (acc_expr_abs (x), acc_element_type_new (ACC_KIND_I32)), acc_expr_new_int (19)),
                        acc_element_type_new (ACC_KIND_I64));
}

static AccArray *sum_all (AccArray *a) { g_autoptr(AccArray) b = acc_array_map (a, third, NULL); return acc_array_sum_all (b); }
static AccArray *mean_all (AccArray *a) { g_autoptr(AccArray) b = acc_array_map (a, third, NULL); return acc_array_mean_all (b); }
static AccArray *sum (AccArray *a) { g_autoptr(AccArray) b = acc_array_map (a, third, NULL); return acc_array_sum (b); }
static AccArray *deviation (AccArray *a) { return acc_array_standard_deviation_all (a, 0); }
static AccArray *cumsum (AccArray *a) { g_autoptr(AccArray) b = acc_array_map (a, third, NULL); return acc_array_cumsum (b); }

static AccArray *
product (AccArray *a)
{
  g_autoptr(AccArray) b = acc_array_map (a, near_one, NULL);

  return acc_array_fold1_all (b, times, NULL);
}

static AccArray *
join (AccArray *a)
{
  g_autoptr(AccArray) b = acc_array_map (a, small, NULL);

  return acc_array_fold1_all (b, joined, NULL);
}

static AccArray *
scan (AccArray *a)
{
  g_autoptr(AccArray) b = acc_array_map (a, small, NULL);

  return acc_array_scanl1 (b, joined, NULL);
}

/* The sum of what lags behind its source. */
static AccArray *
sum_of_blur (AccArray *a)
{
  g_autoptr(AccBoundary) boundary = acc_boundary_new (ACC_BOUNDARY_CLAMP);
  g_autoptr(AccArray) flat = acc_array_map (a, third, NULL),
    blurred = acc_array_stencil (flat, (gint64[]) { 3 }, 1, boundary, blur, NULL);

  return acc_array_sum_all (blurred);
}

static AccArray *
table (AccArray *a)
{
  g_autoptr(AccShape) shape = acc_shape_new_vector (19);
  g_autoptr(AccArray) b = acc_array_map (a, third, NULL), targets = acc_array_map (a, target, NULL),
    zeros = acc_array_fill (shape, acc_expr_new_typed_float (acc_element_type_new (ACC_KIND_F32), 0));

  return acc_array_permute (b, zeros, targets, plus, NULL);
}

/* By 1000 keys: for each part of the source there is a table. */
static AccExpr *
key (AccExpr *x, gpointer data)
{
  return acc_expr_cast (acc_expr_rem (acc_expr_cast (acc_expr_abs (x), acc_element_type_new (ACC_KIND_I32)), acc_expr_new_int (1000)),
                        acc_element_type_new (ACC_KIND_I64));
}

static AccArray *
by_keys (AccArray *values, AccArray *a, AccExprFunc2 combine)
{
  g_autoptr(AccShape) shape = acc_shape_new_vector (1000);
  g_autoptr(AccArray) keys = acc_array_map (a, key, NULL),
    zeros = acc_array_fill (shape, acc_expr_new_zero (acc_array_get_element_type (values)));

  return acc_array_permute (values, zeros, keys, combine, NULL);
}

static AccExpr *whole (AccExpr *x, gpointer data) { return acc_expr_cast (x, acc_element_type_new (ACC_KIND_I64)); }

static AccArray *sums_by_key (AccArray *a) { g_autoptr(AccArray) b = acc_array_map (a, third, NULL); return by_keys (b, a, plus); }
static AccArray *joins_by_key (AccArray *a) { g_autoptr(AccArray) b = acc_array_map (a, small, NULL); return by_keys (b, a, joined); }
static AccArray *counts_by_key (AccArray *a) { g_autoptr(AccArray) b = acc_array_map (a, whole, NULL); return by_keys (b, a, plus); }

static const Program of_keys[] = {
  { "sums", sums_by_key },
  { "joins", joins_by_key },
  { "counts", counts_by_key },
};

static const Program of_any[] = {
  { "sum-all", sum_all },
  { "mean-all", mean_all },
  { "sum", sum },
  { "deviation", deviation },
  { "cumsum", cumsum },
  { "product", product, TRUE },
  { "join", join, TRUE },
  { "scan", scan },
  { "table", table, .in_no_order = TRUE },
};

static const Program of_vectors[] = {
  { "sum-of-blur", sum_of_blur },
};

static AccBackend *backends[MAX_BACKENDS];
static guint n_backends;

static gboolean
is_device (AccBackend *backend)
{
  const char *name = acc_backend_get_name (backend);

  return strcmp (name, "native") != 0 && strcmp (name, "interpreter") != 0;
}

static AccArray *
run (AccBackend *backend, AccArray *array, gint64 height)
{
  g_autoptr(GError) error = NULL;
  g_autoptr(GPtrArray) results = acc_evaluate_with_chunk_rows (backend, &array, 1, height, NULL, &error);

  g_assert_no_error (error);

  return g_object_ref (g_ptr_array_index (results, 0));
}

static void
assert_same (AccArray *a, AccArray *b, const char *what)
{
  for (guint i = 0; i < acc_element_type_get_n_buffers (acc_array_get_element_type (a)); i++)
    {
      g_autoptr(GBytes) x = acc_array_dup_bytes (a, i, NULL), y = acc_array_dup_bytes (b, i, NULL);

      if (!g_bytes_equal (x, y))
        g_error ("%s: other bits than from memory", what);
    }
}

static void
check_backend (AccBackend *backend, const Program *program, AccArray *source, AccArray *expected, const char *what)
{
  static const gint64 heights[] = { 0, 1, 7, 70001 };
  g_autoptr(AccArray) array = program->build (source);

  for (guint h = 0; h < G_N_ELEMENTS (heights); h++)
    {
      g_autofree char *at = g_strdup_printf ("%s by %d rows", what, (int) heights[h]);
      g_autoptr(AccArray) result = run (backend, array, heights[h]);

      assert_same (result, expected, at);
    }
}

static void
check (const Program *program, const gint64 *extents, guint rank)
{
  g_autoptr(TestSource) data = test_source_new ("f4", extents, rank, 1);
  g_autoptr(AccArray) source = acc_array_new_from_source (ACC_SOURCE (data)), of_native = NULL;

  if (program->needs_some && acc_shape_get_size (acc_array_get_shape (source)) == 0)
    return;

  for (guint i = 0; i < n_backends; i++)
    {
      const char *name = acc_backend_get_name (backends[i]);
      g_autofree char *what = g_strdup_printf ("%s of rank %u and %d rows on %s with %u threads", program->name, rank, (int) extents[0],
                                               name, acc_backend_get_n_threads (backends[i]));
      g_autoptr(AccArray) memory = NULL, array = NULL, expected = NULL;

      if (program->in_no_order && is_device (backends[i]))
        continue;
      /* It folds element by element, however many there are. */
      if (strcmp (name, "interpreter") == 0 && acc_shape_get_size (acc_array_get_shape (source)) > 150000)
        continue;
      memory = run (backends[i], source, 0);
      array = program->build (memory);
      expected = run (backends[i], array, 0);
      check_backend (backends[i], program, source, expected, what);
      if (strcmp (name, "native") == 0)
        {
          if (of_native != NULL)
            assert_same (expected, of_native, what);
          g_set_object (&of_native, expected);
        }
    }
}

static void
test_vectors (gconstpointer data)
{
  static const gint64 lengths[] = { 0, 1, 100, 65537, 131071, 400000 };

  for (guint i = 0; i < G_N_ELEMENTS (lengths); i++)
    check (data, &lengths[i], 1);
  for (guint i = 0; i < 2; i++)
    {
      gint64 length = g_test_rand_int_range (1, 700000);

      check (data, &length, 1);
    }
}

static void
test_matrices (gconstpointer data)
{
  static const gint64 extents[][3] = { { 300, 3, 500 }, { 3, 70001, 1 }, { 211, 1, 997 }, { 1, 1, 200001 }, { 7, 0, 3 } };

  for (guint i = 0; i < G_N_ELEMENTS (extents); i++)
    {
      check (data, extents[i], 3);
      check (data, (gint64[]) { extents[i][0], extents[i][1] * extents[i][2] }, 2);
    }
}

/* --- what does not fit */

/* Maps x * a + b, one after the other: does not commute. */
static AccExpr *map_of (AccExpr *x, gpointer data) { return acc_expr_tuple2 (acc_expr_fdiv (x, acc_expr_new_float (2e5)), x); }
static AccExpr *
compose (AccExpr *x, AccExpr *y, gpointer data)
{
  g_autoptr(AccExpr) a = acc_expr_ref_sink (acc_expr_item (y, 0));

  return acc_expr_tuple2 (acc_expr_mul (acc_expr_item (x, 0), a),
                          acc_expr_add (acc_expr_mul (acc_expr_item (x, 1), a), acc_expr_item (y, 1)));
}

static AccExpr *zero (void) { return acc_expr_new_typed_float (acc_element_type_new (ACC_KIND_F32), 0.25); }

typedef enum { FOLD, FOLD1, SCANL, SCANL1 } Form;

typedef struct {
  const char  *name;
  Form         form;
  AccExprFunc  element;
  AccExprFunc2 combine;
} Rows;

static const Rows rows[] = {
  { "sum", FOLD, third, plus },
  { "join", FOLD1, small, joined },
  { "compose", FOLD1, map_of, compose },
  { "scan", SCANL1, third, plus },
  { "scan-join", SCANL1, small, joined },
  { "scan-compose", SCANL1, map_of, compose },
  { "scan-from", SCANL, third, plus },
};

/* @lengths: of the segments of a vector; NULL: of rows. */
static AccArray *
build_rows (const Rows *self, AccArray *a, AccArray *lengths)
{
  g_autoptr(AccArray) b = acc_array_map (a, self->element, NULL);
  AccExprFunc2 f = self->combine;

  switch (self->form)
    {
    case FOLD:
      return lengths != NULL ? acc_array_fold_seg (b, zero (), lengths, f, NULL) : acc_array_fold (b, zero (), f, NULL);
    case FOLD1:
      return lengths != NULL ? acc_array_fold1_seg (b, lengths, f, NULL) : acc_array_fold1 (b, f, NULL);
    case SCANL:
      return lengths != NULL ? acc_array_scanl_seg (b, zero (), lengths, f, NULL) : acc_array_scanl (b, zero (), f, NULL);
    case SCANL1:
      return lengths != NULL ? acc_array_scanl1_seg (b, lengths, f, NULL) : acc_array_scanl1 (b, f, NULL);
    default:
      g_assert_not_reached ();
    }
}

static void
check_within (AccBackend *backend, AccArray *array, guint64 limit, AccArray *expected, const char *what)
{
  AccBudget *budget = acc_backend_get_budget (backend);
  g_autoptr(TestSink) sink = test_sink_new ();
  g_autoptr(GError) error = NULL;

  acc_budget_spare (budget, G_MAXUINT64);
  acc_sink_set_takes_elements (ACC_SINK (sink));
  acc_backend_set_memory_limit (backend, acc_budget_get_used (budget) + limit);
  if (!acc_backend_write (backend, array, ACC_SINK (sink), NULL, &error))
    g_error ("%s in %d bytes by %u threads: %s", what, (int) limit, acc_backend_get_n_threads (backend), error->message);
  acc_backend_set_memory_limit (backend, 0);
  test_sink_assert_same (sink, expected);
}

/* The bytes that a run without a limit leaves, with less and less memory. */
static void
check_limits (const Rows *program, const gint64 *extents, guint rank, AccArray *lengths, gboolean for_devices)
{
  /* A device scans a vector by so many tiles at once. */
  static const guint64 of_all[] = { 1200000, 700000, 650000 }, of_devices[] = { 1200000, 900000, 800000 };
  const guint64 *limits = for_devices ? of_devices : of_all;
  gboolean has_others = program->form == SCANL;   /* elements */
  g_autoptr(TestSource) data = test_source_new ("f4", extents, rank, 1);
  g_autoptr(AccArray) source = acc_array_new_from_source (ACC_SOURCE (data));

  for (guint i = 0; i < n_backends; i++)
    {
      g_autoptr(AccArray) memory = NULL, wanted = NULL, expected = NULL, array = NULL;

      if (lengths == NULL && is_device (backends[i]) != for_devices)
        continue;
      /* A device needs a store whole where elements with others between them are gathered from it. */
      if (is_device (backends[i]) && has_others)
        continue;
      /* It has numbers for all elements where there are segments. */
      if (lengths != NULL && strcmp (acc_backend_get_name (backends[i]), "interpreter") == 0)
        continue;
      memory = run (backends[i], source, 0);
      wanted = build_rows (program, memory, lengths);
      array = build_rows (program, source, lengths);
      expected = run (backends[i], wanted, 0);
      g_clear_object (&wanted);
      g_clear_object (&memory);
      /* Elements with others between them are stored first, and then taken by bands. */
      for (guint k = 0; k < (lengths != NULL && has_others ? 1 : 2); k++)
        {
          g_autofree char *what = g_strdup_printf ("%s of rank %u and %d rows by chunks of %u rows", program->name, rank, (int) extents[0],
                                                   k * 1000);
          g_autoptr(AccArray) result = run (backends[i], array, k * 1000);

          assert_same (result, expected, what);
        }
      /* Of several rows the least has no room for one and what is made of it, nor has the next for one more between them. */
      for (guint k = 0; k < G_N_ELEMENTS (of_all) - (lengths != NULL && rank > 1 ? 1 + has_others : 0); k++)
        {
          g_autofree char *what = g_strdup_printf ("%s of rank %u and %d rows", program->name, rank, (int) extents[0]);

          check_within (backends[i], array, limits[k], expected, what);
        }
    }
}

static void
test_wide (gconstpointer data)
{
  static const gint64 extents[][3] = { { 3, 400003, 1 }, { 2, 301, 3333 }, { 9, 1, 150001 }, { 1, 2, 700001 }, { 2, 40000, 17 } };
  static const gint64 of_devices[][3] = { { 2, 2500003, 1 }, { 2, 601, 3333 } };

  for (guint i = 0; i < G_N_ELEMENTS (extents); i++)
    check_limits (data, extents[i], extents[i][2] == 1 ? 2 : 3, NULL, FALSE);
  for (guint i = 0; i < G_N_ELEMENTS (of_devices); i++)
    check_limits (data, of_devices[i], of_devices[i][2] == 1 ? 2 : 3, NULL, TRUE);
}

static AccArray *
make_lengths (const gint32 *lengths, gsize n)
{
  g_autoptr(AccShape) shape = acc_shape_new_vector ((gint64) n);
  g_autoptr(GBytes) bytes = g_bytes_new (lengths, n * sizeof *lengths);

  return acc_array_use (acc_element_type_new (ACC_KIND_I32), shape, bytes);
}

static void
test_segments (gconstpointer data)
{
  static const gint32 some[] = { 5, 1, 300000, 16384, 16385, 32768, 32769, 70001, 129, 64, 400000, 3, 17, 1000, 98304 }, one[] = { 900000 };
  gint32 short_ones[3000];
  gint64 n = 0;

  for (guint i = 0; i < G_N_ELEMENTS (short_ones); i++)
    n += short_ones[i] = 1 + (gint32) (i * 7919 % 600);
  {
    g_autoptr(AccArray) lengths = make_lengths (short_ones, G_N_ELEMENTS (short_ones));

    check_limits (data, &n, 1, lengths, FALSE);
  }
  {
    g_autoptr(AccArray) lengths = make_lengths (some, G_N_ELEMENTS (some));

    n = 0;
    for (guint i = 0; i < G_N_ELEMENTS (some); i++)
      n += some[i];
    check_limits (data, &n, 1, lengths, FALSE);
  }
  {
    g_autoptr(AccArray) lengths = make_lengths (one, 1);

    n = one[0];
    check_limits (data, &n, 1, lengths, FALSE);
  }
}

/* Of each row, and of rows of two dimensions. */
static void
test_segments_of_rows (gconstpointer data)
{
  static const gint32 some[] = { 17000, 100, 129, 64, 3, 1, 1000 }, few[] = { 100, 17, 1, 1800, 33 };
  g_autoptr(AccArray) lengths = make_lengths (some, G_N_ELEMENTS (some)), lengths_of_few = make_lengths (few, G_N_ELEMENTS (few));

  check_limits (data, (gint64[]) { 37, 18297 }, 2, lengths, FALSE);
  check_limits (data, (gint64[]) { 130, 3, 1951 }, 3, lengths_of_few, FALSE);
}

/* --- tables */

/* Within less than the tables of all parts take. */
static void
test_keys (gconstpointer data)
{
  static const gint64 extents[][2] = { { 500003, 1 }, { 701, 997 }, { 130001, 5 } };
  const Program *program = data;

  for (guint e = 0; e < G_N_ELEMENTS (extents); e++)
    for (guint i = 0; i < n_backends; i++)
      {
        g_autoptr(TestSource) numbers = test_source_new ("f4", extents[e], extents[e][1] > 1 ? 2 : 1, 1);
        g_autoptr(AccArray) source = acc_array_new_from_source (ACC_SOURCE (numbers)), array = program->build (source), memory = NULL,
          wanted = NULL, expected = NULL;

        if (strcmp (acc_backend_get_name (backends[i]), "native") != 0)
          continue;
        memory = run (backends[i], source, 0);
        wanted = program->build (memory);
        expected = run (backends[i], wanted, 0);
        g_clear_object (&wanted);
        g_clear_object (&memory);
        check_within (backends[i], array, 160000, expected, program->name);
      }
}

/* --- products */

typedef struct {
  const char *name, *type;
  gint64      m, k, n;
  guint64     limit;
} Product;

static const Product products[] = {
  { "square", "f4", 500, 600, 500, 1000000 },
  { "doubles", "f8", 260, 900, 260, 1500000 },
  { "wide", "f4", 40, 100, 20000, 2000000 },
  { "narrow", "f4", 9000, 300, 3, 1000000 },
  { "deep", "f4", 7, 60000, 8, 5000000 },
  { "row", "f4", 1, 900, 900, 1000000 },
};

static AccArray *
multiply (AccArray *a, AccArray *b)
{
  g_autoptr(AccArray) x = acc_array_map (a, third, NULL), y = acc_array_map (b, third, NULL);

  return acc_array_matmul (x, y);
}

/* By files, and by one file and what is in memory. */
static void
test_product (gconstpointer data)
{
  const Product *self = data;
  g_autoptr(TestSource) first = test_source_new (self->type, (gint64[]) { self->m, self->k }, 2, 1),
    second = test_source_new (self->type, (gint64[]) { self->k, self->n }, 2, 2);
  g_autoptr(AccArray) a = acc_array_new_from_source (ACC_SOURCE (first)), b = acc_array_new_from_source (ACC_SOURCE (second)),
    product = multiply (a, b);

  for (guint i = 0; i < n_backends; i++)
    {
      g_autoptr(AccArray) x = NULL, y = NULL, wanted = NULL, expected = NULL;

      /* They go other ways where factors are small. */
      if (is_device (backends[i]))
        continue;
      x = run (backends[i], a, 0);
      y = run (backends[i], b, 0);
      wanted = multiply (x, y);
      expected = run (backends[i], wanted, 0);
      g_clear_object (&wanted);
      g_clear_object (&x);
      g_clear_object (&y);
      check_within (backends[i], product, self->limit, expected, self->name);
    }
}

static void
add_program (const Program *program, const char *of, GTestDataFunc function)
{
  g_autofree char *path = g_strdup_printf ("/stream/bits/%s/%s", of, program->name);

  g_test_add_data_func (path, program, function);
}

static void
add_backends (const char *name)
{
  static const char *threads[] = { "1", "2", "5" };
  g_autofree char *before = g_strdup (g_getenv ("ACC_THREADS"));
  gboolean is_native = strcmp (name, "native") == 0;

  for (guint i = 0; i < (is_native ? G_N_ELEMENTS (threads) : 1); i++)
    {
      g_autoptr(GError) error = NULL;

      if (is_native)
        g_setenv ("ACC_THREADS", threads[i], TRUE);
      g_assert_cmpuint (n_backends, <, MAX_BACKENDS);
      backends[n_backends] = acc_backend_new_for_name (name, &error);
      if (backends[n_backends] != NULL)
        n_backends++;
      else
        g_test_message ("%s: %s", name, error->message);
    }
  if (before != NULL)
    g_setenv ("ACC_THREADS", before, TRUE);
}

int
main (int argc, char **argv)
{
  g_auto(GStrv) names = test_dup_backend_names ("native,interpreter");

  g_test_init (&argc, &argv, NULL);
  for (guint i = 0; names[i] != NULL; i++)
    add_backends (names[i]);

  for (guint i = 0; i < G_N_ELEMENTS (of_any); i++)
    {
      add_program (&of_any[i], "vectors", test_vectors);
      add_program (&of_any[i], "matrices", test_matrices);
    }
  for (guint i = 0; i < G_N_ELEMENTS (rows); i++)
    {
      g_autofree char *wide = g_strdup_printf ("/stream/bits/wide/%s", rows[i].name),
        *segments = g_strdup_printf ("/stream/bits/segments/%s", rows[i].name),
        *of_rows = g_strdup_printf ("/stream/bits/segments-of-rows/%s", rows[i].name);

      g_test_add_data_func (wide, &rows[i], test_wide);
      g_test_add_data_func (segments, &rows[i], test_segments);
      g_test_add_data_func (of_rows, &rows[i], test_segments_of_rows);
    }
  for (guint i = 0; i < G_N_ELEMENTS (of_keys); i++)
    add_program (&of_keys[i], "keys", test_keys);
  for (guint i = 0; i < G_N_ELEMENTS (products); i++)
    {
      g_autofree char *path = g_strdup_printf ("/stream/bits/products/%s", products[i].name);

      g_test_add_data_func (path, &products[i], test_product);
    }
  for (guint i = 0; i < G_N_ELEMENTS (of_vectors); i++)
    add_program (&of_vectors[i], "vectors", test_vectors);

  return g_test_run ();
}
