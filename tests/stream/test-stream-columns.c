/* SPDX-License-Identifier: LGPL-2.1-or-later */

/* Folds of columns of a source: the bits of memory, whatever rows come at a time, and on processors one pass over the source. */
#include "stream-files.h"

#include "acc-core/backend/acc-backend-private.h"
#include "acc-core/data/acc-budget-private.h"

#include <string.h>

#define MAX_BACKENDS 8

typedef struct {
  const char *name;
  AccArray *(*build) (AccArray *a);   /* of rank 2, or of rank 3 */
  const char *code;
  guint       n_reads;                /* of the source, where accumulators fit */
} Program;

static AccBackend *backends[MAX_BACKENDS];
static guint n_backends;

/* Thirds round in each sum. */
static AccExpr *third (AccExpr *x, gpointer data) { return acc_expr_fdiv (x, acc_expr_new_float (3)); }
static AccExpr *small (AccExpr *x, gpointer data) { return acc_expr_fdiv (x, acc_expr_new_float (3e6)); }
static AccExpr *plus (AccExpr *x, AccExpr *y, gpointer data) { return acc_expr_add (x, y); }

/* Associative, commutes, rounds. */
static AccExpr *
joined (AccExpr *x, AccExpr *y, gpointer data)
{
  return acc_expr_add (acc_expr_add (x, y), acc_expr_mul (acc_expr_mul (x, y), acc_expr_new_float (1.0 / 8192)));
}

/* Maps x * a + b, one after the other: does not commute. */
static AccExpr *map_of (AccExpr *x, gpointer data) { return acc_expr_tuple2 (acc_expr_fdiv (x, acc_expr_new_float (2e5)), x); }
static AccExpr *map_of_integers (AccExpr *x, gpointer data) { return acc_expr_tuple2 (acc_expr_bor (x, acc_expr_new_int (1)), x); }
static AccExpr *
compose (AccExpr *x, AccExpr *y, gpointer data)
{
  g_autoptr(AccExpr) a = acc_expr_ref_sink (acc_expr_item (y, 0));

  return acc_expr_tuple2 (acc_expr_mul (acc_expr_item (x, 0), a),
                          acc_expr_add (acc_expr_mul (acc_expr_item (x, 1), a), acc_expr_item (y, 1)));
}

static AccExpr *
blur (AccExpr *n, gpointer data)
{
  return acc_expr_add (acc_expr_add (acc_expr_neighbour2 (n, -1, 0), acc_expr_neighbour2 (n, 0, 0)), acc_expr_neighbour2 (n, 1, 1));
}

static AccArray *turn (AccArray *a) { return acc_array_transpose_on (a, 0, -1); }
static AccArray *largest (AccArray *a) { g_autoptr(AccArray) t = turn (a); return acc_array_maximum (t); }
static AccArray *mean (AccArray *a) { g_autoptr(AccArray) t = turn (a); return acc_array_mean (t); }
static AccArray *deviation (AccArray *a) { g_autoptr(AccArray) t = turn (a); return acc_array_standard_deviation (t, 0); }

static AccArray *
place_of_largest (AccArray *a)
{
  g_autoptr(AccArray) t = turn (a);

  return acc_array_argmax (t);
}

static AccArray *
sum (AccArray *a)
{
  g_autoptr(AccArray) t = turn (a), b = acc_array_map (t, third, NULL);

  return acc_array_fold (b, acc_expr_new_typed_float (acc_element_type_new (ACC_KIND_F32), 0.25), plus, NULL);
}

static AccArray *
sum_of_integers (AccArray *a)
{
  g_autoptr(AccArray) t = turn (a);

  return acc_array_fold1 (t, plus, NULL);
}

/* Before it is turned. */
static AccArray *
join (AccArray *a)
{
  g_autoptr(AccArray) b = acc_array_map (a, small, NULL), t = turn (b);

  return acc_array_fold1 (t, joined, NULL);
}

static AccArray *
composition (AccArray *a)
{
  g_autoptr(AccArray) t = turn (a), b = acc_array_map (t, map_of, NULL);

  return acc_array_fold1 (b, compose, NULL);
}

static AccArray *
composition_of_integers (AccArray *a)
{
  g_autoptr(AccArray) t = turn (a), b = acc_array_map (t, map_of_integers, NULL);

  return acc_array_fold1 (b, compose, NULL);
}

/* Of what lags behind its source. */
static AccArray *
sum_of_blur (AccArray *a)
{
  g_autoptr(AccBoundary) boundary = acc_boundary_new (ACC_BOUNDARY_CLAMP);
  g_autoptr(AccArray) flat = acc_array_map (a, third, NULL),
    blurred = acc_array_stencil (flat, (gint64[]) { 3, 3 }, 2, boundary, blur, NULL);

  return sum (blurred);
}

static AccExpr *
without_mean (AccExpr *i, AccExpr *x, gpointer means)
{
  return acc_expr_sub (x, acc_expr_index (means, acc_expr_item (i, 1)));
}

/* Rows, and what is known of them when the last one was read. */
static AccArray *
centred (AccArray *a)
{
  g_autoptr(AccArray) means = mean (a);

  return acc_array_imap (a, without_mean, means);
}

static const Program programs[] = {
  { "sum", sum, "f4", 1 },
  { "mean", mean, "f4", 1 },
  { "mean-wide", mean, "f8", 1 },
  { "largest", largest, "f4", 1 },
  { "place-of-largest", place_of_largest, "f4", 1 },
  { "deviation", deviation, "f4", 1 },
  { "join", join, "f4", 1 },
  { "composition", composition, "f4", 1 },
  { "composition-of-integers", composition_of_integers, "i4", 1 },
  { "sum-of-integers", sum_of_integers, "i8", 1 },
  { "sum-of-bytes", sum_of_integers, "u1", 1 },
  { "sum-of-blur", sum_of_blur, "f4", 1 },
  { "centred", centred, "f4", 2 },
};

static AccArray *
run (AccBackend *backend, AccArray *array)
{
  g_autoptr(GError) error = NULL;
  g_autoptr(GPtrArray) results = acc_backend_run_many (backend, &array, 1, NULL, &error);

  g_assert_no_error (error);

  return g_object_ref (g_ptr_array_index (results, 0));
}

static void
check (const Program *program, const gint64 *extents, guint rank, guint64 limit, gboolean in_passes)
{
  for (guint i = 0; i < n_backends; i++)
    {
      g_autoptr(TestSource) data = test_source_new (program->code, extents, rank, 1);
      g_autoptr(AccArray) source = acc_array_new_from_source (ACC_SOURCE (data)), memory = NULL, wanted = NULL, expected = NULL,
        array = NULL;
      g_autoptr(TestSink) sink = test_sink_new ();
      g_autoptr(GError) error = NULL;
      gboolean is_native = strcmp (acc_backend_get_name (backends[i]), "native") == 0;

      /* It turns a store in memory. */
      if (!is_native && program->n_reads > 1)
        continue;
      memory = run (backends[i], source);
      wanted = program->build (memory);
      expected = run (backends[i], wanted);
      g_clear_object (&wanted);
      g_clear_object (&memory);
      array = program->build (source);
      data->n_started = 0;
      if (!test_write_within (backends[i], array, sink, limit, &error))
        g_error ("%s of %d rows on %s: %s", program->name, (int) extents[0], acc_backend_get_name (backends[i]), error->message);
      test_sink_assert_same (sink, expected);
      if (is_native && in_passes)
        g_assert_cmpint (data->n_started, ==, program->n_reads);
      acc_backend_set_memory_limit (backends[i], 0);
    }
}

static void
test_columns (gconstpointer data)
{
  const Program *program = data;
  /* One part of a column, several, one that ends with few elements, and columns too short for two rounds of lanes. */
  static const gint64 extents[][2] = { { 5000, 70 }, { 40000, 20 }, { 32768 + 100, 33 }, { 16384, 50 }, { 140, 7000 } };

  for (guint i = 0; i < G_N_ELEMENTS (extents); i++)
    check (program, extents[i], 2, 3 << 18, i != 4);
}

static void
test_low (gconstpointer data)
{
  /* Accumulators do not fit: a store is made. */
  check (data, (gint64[]) { 400, 5000 }, 2, 3 << 18, FALSE);
}

static void
test_solids (gconstpointer data)
{
  const Program *program = data;

  if (program->n_reads == 1 && program->build != sum_of_blur)
    check (program, (gint64[]) { 5000, 7, 11 }, 3, 3 << 18, TRUE);
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

  for (guint i = 0; i < G_N_ELEMENTS (programs); i++)
    {
      g_autofree char *columns = g_strdup_printf ("/stream/columns/matrices/%s", programs[i].name),
        *low = g_strdup_printf ("/stream/columns/low/%s", programs[i].name),
        *solids = g_strdup_printf ("/stream/columns/solids/%s", programs[i].name);

      g_test_add_data_func (columns, &programs[i], test_columns);
      g_test_add_data_func (low, &programs[i], test_low);
      g_test_add_data_func (solids, &programs[i], test_solids);
    }

  return g_test_run ();
}
