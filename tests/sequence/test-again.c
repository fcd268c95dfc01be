/* SPDX-License-Identifier: LGPL-2.1-or-later */

/* Walks that come again, whose sequences and functions are made anew and read other arrays: the third of a kind builds no graphs, and comes
 * to what it would by itself. */

#include "tests/nested/nested-backends.h"

#include "acc-core/array/acc-module-array.h"

#include "acc-seq/sequence/acc-walk-program-private.h"
#include "acc-seq/stream/acc-evaluate-private.h"

#include <string.h>

#define ROUNDS 5
/* Lengths come to the same in each round. */
#define N      63

static gboolean
is_reused (void)
{
  return (acc_disable_get_flags () & ACC_DISABLE_REUSE) == 0;
}

/* --- arrays that are others in each round */

static AccArray *
use_floats (AccShape *shape, guint seed)
{
  gint64 n = acc_shape_get_size (shape);
  float *values = g_new (float, n + 1);
  g_autoptr(GBytes) bytes = NULL;

  for (gint64 i = 0; i < n; i++)
    values[i] = (float) ((i * 7 + seed * 13) % 101) / 7 - 3;
  bytes = g_bytes_new_take (values, (gsize) n * sizeof (float));

  return acc_array_use (acc_element_type_new (ACC_KIND_F32), shape, bytes);
}

static AccArray *
use_matrix (gint64 rows, gint64 columns, guint seed)
{
  g_autoptr(AccShape) shape = acc_shape_new_matrix (rows, columns);

  return use_floats (shape, seed);
}

static AccArray *
use_vector (gint64 n, guint seed)
{
  g_autoptr(AccShape) shape = acc_shape_new_vector (n);

  return use_floats (shape, seed);
}

/* As many vectors of 0 to 6 floats. */
static AccNestedArray *
use_nested (guint seed)
{
  gint64 *lengths = g_new (gint64, N), total = 0;
  g_autoptr(AccShape) shape = acc_shape_new_vector (N);
  g_autoptr(GBytes) bytes = NULL;
  g_autoptr(AccArray) values = NULL, counts = NULL;

  for (guint i = 0; i < N; i++)
    total += lengths[i] = (i * 5 + seed) % 7;
  bytes = g_bytes_new_take (lengths, N * sizeof (gint64));
  counts = acc_array_use (acc_element_type_new (ACC_KIND_I64), shape, bytes);
  values = use_vector (total, seed);

  return acc_nested_array_new_from_lengths (values, counts);
}

/* --- functions */

static AccExpr *add (AccExpr *x, AccExpr *y, gpointer data) { return acc_expr_add (x, y); }
static AccExpr *mul (AccExpr *x, AccExpr *y, gpointer data) { return acc_expr_mul (x, y); }
static AccExpr *twice (AccExpr *x, gpointer data) { return acc_expr_add (x, x); }
static AccExpr *plus_the (AccExpr *x, gpointer number) { return acc_expr_add (x, acc_expr_the (number)); }
static AccExpr *is_positive (AccExpr *x, gpointer data) { return acc_expr_gt (x, acc_expr_new_float (0)); }
static AccExpr *
times_literal (AccExpr *x, gpointer seed)
{
  return acc_expr_mul (x, acc_expr_new_float (1.5 + (double) GPOINTER_TO_UINT (seed)));
}

static AccArray *add_all (AccArray **a, guint n, gpointer data) { return acc_array_zip_with (a[0], a[1], add, NULL); }
static AccArray *double_all (AccArray **a, guint n, gpointer data) { return acc_array_map (a[0], twice, NULL); }
static AccArray *weigh (AccArray **a, guint n, gpointer weights) { return acc_array_zip_with (a[0], weights, mul, NULL); }
static AccArray *shift (AccArray **a, guint n, gpointer number) { return acc_array_map (a[0], plus_the, number); }
static AccArray *scale (AccArray **a, guint n, gpointer seed) { return acc_array_map (a[0], times_literal, seed); }
static AccArray *
sum (AccArray **a, guint n, gpointer data)
{
  return acc_array_fold_all (a[0], acc_expr_new_float (0), add, NULL);
}
static AccArray *
sum_is_positive (AccArray **a, guint n, gpointer data)
{
  g_autoptr(AccArray) total = sum (a, n, data);

  return acc_array_map (total, is_positive, NULL);
}

/* --- walks: what they end in */

typedef struct {
  const char *name;
  guint     (*build) (guint seed, AccArray **results);
  gboolean    differs;   /* its graphs are others each time */
} Walk;

static guint
build_fold (guint seed, AccArray **results)
{
  g_autoptr(AccArray) frames = use_matrix (N, 5, seed);
  g_autoptr(AccSequence) all = acc_sequence_new_from_array (frames), doubled = acc_sequence_map (all, double_all, NULL);

  results[0] = acc_sequence_fold (doubled, NULL, add_all, NULL);

  return 1;
}

/* Functions read arrays, one of them in two places. */
static guint
build_weighed (guint seed, AccArray **results)
{
  g_autoptr(AccArray) frames = use_matrix (N, 5, seed), weights = use_vector (5, seed + 1);
  g_autoptr(AccShape) scalar = acc_shape_new_scalar ();
  g_autoptr(AccArray) number = use_floats (scalar, seed + 2);
  g_autoptr(AccSequence) all = acc_sequence_new_from_array (frames), weighed = acc_sequence_map (all, weigh, weights);
  g_autoptr(AccSequence) shifted = acc_sequence_map (weighed, shift, number), again = acc_sequence_map (shifted, weigh, weights);

  results[0] = acc_sequence_stack (again);
  results[1] = acc_sequence_fold (shifted, weights, add_all, NULL);
  results[2] = acc_sequence_count (shifted);

  return 3;
}

static guint
build_irregular (guint seed, AccArray **results)
{
  g_autoptr(AccNestedArray) nested = use_nested (seed);
  g_autoptr(AccSequence) all = acc_sequence_new_from_nested (nested), doubled = acc_sequence_map (all, double_all, NULL);
  g_autoptr(AccSequence) sums = acc_sequence_map (doubled, sum, NULL);

  results[0] = acc_sequence_elements (doubled);
  results[1] = acc_sequence_elements (sums);
  results[2] = acc_sequence_lengths (all);

  return 3;
}

static guint
build_filtered (guint seed, AccArray **results)
{
  g_autoptr(AccNestedArray) nested = use_nested (seed);
  g_autoptr(AccSequence) all = acc_sequence_new_from_nested (nested), some = acc_sequence_filter (all, sum_is_positive, NULL);
  g_autoptr(AccSequence) doubled = acc_sequence_map (some, double_all, NULL), first = acc_sequence_drop (doubled, 3);

  results[0] = acc_sequence_elements (first);
  results[1] = acc_sequence_count (some);

  return 2;
}

static guint
build_windows (guint seed, AccArray **results)
{
  g_autoptr(AccArray) sound = use_vector (4 * N + 4, seed), weights = use_vector (8, seed + 1);
  g_autoptr(AccSequence) all = acc_sequence_new_windows (sound, (gint64[]) { 8 }, (gint64[]) { 4 }, 1, NULL);
  g_autoptr(AccSequence) weighed = acc_sequence_map (all, weigh, weights);

  results[0] = acc_sequence_stack (weighed);

  return 1;
}

static guint
build_literal (guint seed, AccArray **results)
{
  g_autoptr(AccArray) frames = use_matrix (N, 5, seed);
  g_autoptr(AccSequence) all = acc_sequence_new_from_array (frames), scaled = acc_sequence_map (all, scale, GUINT_TO_POINTER (seed));

  results[0] = acc_sequence_stack (scaled);

  return 1;
}

/* Another function, another consumer, other extents: what must not be taken for one another. */
static guint
build_turns (guint seed, AccArray **results)
{
  g_autoptr(AccArray) frames = use_matrix (N, 5 + seed % 2, seed);
  g_autoptr(AccSequence) all = acc_sequence_new_from_array (frames), mapped = acc_sequence_map (all, seed % 3 ? double_all : sum, NULL);

  results[0] = seed % 2 ? acc_sequence_lengths (mapped) : acc_sequence_elements (mapped);

  return 1;
}

static const Walk walks[] = {
  { "fold", build_fold, FALSE },         { "weighed", build_weighed, FALSE }, { "irregular", build_irregular, FALSE },
  { "filtered", build_filtered, FALSE }, { "windows", build_windows, FALSE }, { "literal", build_literal, TRUE },
  { "turns", build_turns, TRUE },
};

/* Where compilers take long: by the interpreter, which groups floats in another way. */
static gboolean
are_near (AccArray *a, AccArray *b)
{
  g_autoptr(GBytes) x = acc_array_dup_bytes (a, 0, NULL), y = acc_array_dup_bytes (b, 0, NULL);
  gsize size;
  const float *values = g_bytes_get_data (x, &size), *others = g_bytes_get_data (y, NULL);

  if (!acc_shape_equal (acc_array_get_shape (a), acc_array_get_shape (b)))
    return FALSE;
  if (acc_array_get_element_type (a) != acc_element_type_new (ACC_KIND_F32))
    return g_bytes_equal (x, y);
  for (gsize i = 0; i < size / sizeof (float); i++)
    if (!(ABS (values[i] - others[i]) <= 1e-3 * (1 + ABS (others[i]))))
      return FALSE;

  return TRUE;
}

static gboolean
same_bytes (AccArray *a, AccArray *b)
{
  g_autoptr(GBytes) x = acc_array_dup_bytes (a, 0, NULL), y = acc_array_dup_bytes (b, 0, NULL);

  return acc_shape_equal (acc_array_get_shape (a), acc_array_get_shape (b)) && g_bytes_equal (x, y);
}

static GPtrArray *
run_walk (AccBackend *where, const Walk *walk, guint seed, gint64 chunk)
{
  AccArray *arrays[4];
  guint n = walk->build (seed, arrays);
  g_autoptr(GError) error = NULL;
  GPtrArray *results = acc_evaluate_with_chunk_rows (where, arrays, n, chunk, NULL, &error);

  g_assert_no_error (error);
  for (guint i = 0; i < n; i++)
    g_object_unref (arrays[i]);

  return results;
}

/* The same walk by a backend that has seen nothing, to the same bits. */
static void
test_walk (gconstpointer data)
{
  static const gint64 chunks[] = { 0, 7, 1 };
  const Walk *walk = data;

  for (guint c = 0; c < (takes_all_cases () ? G_N_ELEMENTS (chunks) : 2); c++)
    {
      guint64 before = acc_walk_programs_count_hits (backend);

      for (guint round = 0; round < ROUNDS; round++)
        {
          gboolean exact = takes_all_cases ();
          g_autoptr(AccBackend) fresh = exact ? acc_backend_new_for_name (acc_backend_get_name (backend), NULL) : g_object_ref (judge);
          g_autoptr(GPtrArray) results = run_walk (backend, walk, round, chunks[c]), expected = run_walk (fresh, walk, round, chunks[c]);

          for (guint i = 0; i < results->len; i++)
            if (exact ? !same_bytes (results->pdata[i], expected->pdata[i]) : !are_near (results->pdata[i], expected->pdata[i]))
              g_error ("%s, round %u, steps of %d: result %u differs", walk->name, round, (int) chunks[c], i);
        }
      if (is_reused () && !walk->differs)
        g_assert_cmpuint (acc_walk_programs_count_hits (backend) - before, >=, ROUNDS - 2);
    }
}

/* What is read by a program of before is gone; so is the backend, last. */
static void
test_backend_goes (void)
{
  g_autoptr(AccBackend) other = acc_backend_new_for_name (acc_backend_get_name (backend), NULL);
  gpointer gone = other;

  for (guint round = 0; round < ROUNDS; round++)
    {
      g_autoptr(GPtrArray) results = run_walk (other, &walks[1], round, 7);

      g_assert_nonnull (results);
    }
  g_object_add_weak_pointer (G_OBJECT (other), &gone);
  g_clear_object (&other);
  g_assert_null (gone);
}

typedef struct {
  const Walk *walk;
  GPtrArray  *expected;
} Shared;

static gpointer
run_rounds (gpointer data)
{
  const Shared *shared = data;

  for (guint round = 0; round < 10; round++)
    {
      g_autoptr(GPtrArray) results = run_walk (backend, shared->walk, 3, 7);

      for (guint i = 0; i < results->len; i++)
        g_assert_true (same_bytes (results->pdata[i], shared->expected->pdata[i]));
    }

  return NULL;
}

static void
test_threads (void)
{
  g_autoptr(GPtrArray) expected = run_walk (backend, &walks[1], 3, 7);
  Shared shared = { &walks[1], expected };
  GThread *threads[3];

  for (guint i = 0; i < G_N_ELEMENTS (threads); i++)
    threads[i] = g_thread_new ("walks", run_rounds, &shared);
  for (guint i = 0; i < G_N_ELEMENTS (threads); i++)
    g_thread_join (threads[i]);
}

/* --- transforms */

static AccArray *
transform (AccArray **window, guint n, gpointer kept)
{
  *(AccArray **) kept = acc_array_fft (window[0], ACC_FFT_FORWARD);

  return g_object_ref (*(AccArray **) kept);
}

/* Passes of transforms are not built for a function whose walk comes again. But what transforms of lengths without small factors have of
 * their own is computed before the walk. */
static void
test_transforms (void)
{
  for (guint walk = 0; walk < 8; walk++)
    {
      gboolean is_prepared = walk / 4;
      gint64 size = is_prepared ? 31 : 32;
      g_autoptr(AccShape) shape = acc_shape_new_vector (256);
      g_autoptr(AccArray) samples = acc_array_fill (shape, acc_expr_new_typed_float (acc_element_type_new (ACC_KIND_F32), 1));
      g_autoptr(AccArray) sound = acc_backend_run (backend, samples, NULL, NULL), made = NULL, all = NULL, result = NULL;
      g_autoptr(AccSequence) windows = acc_sequence_new_windows (sound, &size, &size, 1, NULL);
      g_autoptr(AccSequence) tones = acc_sequence_map (windows, transform, &made);
      g_autoptr(GPtrArray) nodes = NULL;
      g_autoptr(GError) error = NULL;
      guint n_pending = 0;

      all = acc_sequence_stack (tones);
      result = acc_backend_run (backend, all, NULL, &error);
      g_assert_no_error (error);
      nodes = acc_array_sort_known_nodes (&made, 1);
      for (guint i = 0; i < nodes->len; i++)
        {
          AccOffer *offer = ((AccArray *) g_ptr_array_index (nodes, i))->offer;

          n_pending += offer != NULL && offer->expansion != NULL;
        }
      if (walk % 4 == 3)
        g_assert_cmpuint (n_pending, ==, is_prepared ? 0 : 1);
    }
}

int
main (int argc, char **argv)
{
  g_test_init (&argc, &argv, NULL);
  if (!open_backends ("native"))
    return 0;

  for (guint i = 0; i < G_N_ELEMENTS (walks); i++)
    {
      g_autofree char *path = g_strdup_printf ("/again/%s", walks[i].name);

      g_test_add_data_func (path, &walks[i], test_walk);
    }
  g_test_add_func ("/again/backend-goes", test_backend_goes);
  g_test_add_func ("/again/threads", test_threads);
  g_test_add_func ("/again/transforms", test_transforms);

  return run_tests ();
}
