/* SPDX-License-Identifier: LGPL-2.1-or-later */

/* Sums, products, scans and tables of floats from a source are the same bits as from memory, however long it is, whatever rows come at a
 * time, and however many threads there are. */
#include "stream-files.h"

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
      gboolean is_device = strcmp (name, "native") != 0 && strcmp (name, "interpreter") != 0;
      g_autofree char *what = g_strdup_printf ("%s of rank %u and %d rows on %s with %u threads", program->name, rank, (int) extents[0],
                                               name, acc_backend_get_n_threads (backends[i]));
      g_autoptr(AccArray) memory = NULL, array = NULL, expected = NULL;

      if (program->in_no_order && is_device)
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
  for (guint i = 0; i < G_N_ELEMENTS (of_vectors); i++)
    add_program (&of_vectors[i], "vectors", test_vectors);

  return g_test_run ();
}
