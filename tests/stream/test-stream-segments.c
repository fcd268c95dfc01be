/* SPDX-License-Identifier: LGPL-2.1-or-later */

/* Folds and scans of segments of a vector that is larger than the memory limit: the bytes of memory, for short segments, long ones, and
 * empty ones, whatever their operator. */
#include "stream-files.h"

#include <string.h>

#define N 800000

/* --- lengths of segments */

typedef struct {
  const char *name;
  gint64      least, most;     /* of a length */
  gint64      long_one;        /* every 50th */
  gint64      n_segments;      /* at most */
  gint64      behind;          /* elements that no segment has */
  gboolean    is_quick;        /* so few that slow backends do all operations */
} Lengths;

static const Lengths all_lengths[] = {
  { "short", 0, 7, 0, G_MAXINT64, 100, TRUE },
  { "mixed", 0, 40, 150000, G_MAXINT64, 0, TRUE },
  { "one", N, N, 0, 1, 0, TRUE },
  { "two", 500000, 500000, 0, 1, 10, FALSE },
  { "empty", 0, 0, 0, 30000, 0, FALSE },
  { "none", 0, 0, 0, 0, 0, FALSE },
  { "single", 1, 1, 0, G_MAXINT64, 0, FALSE },
};

/* Lengths that add up to all but what is behind, or where they begin and end. */
static AccArray *
make_lengths (const Lengths *lengths, gint64 least, gboolean offsets)
{
  g_autoptr(GRand) rand = g_rand_new_with_seed (7);
  g_autoptr(GArray) numbers = g_array_new (FALSE, FALSE, sizeof (gint32));
  gint64 left = N - lengths->behind;
  gint32 at = 0;

  if (offsets)
    {
      at = 5;
      left -= at;
      g_array_append_val (numbers, at);
    }
  for (gint64 i = 0; i < lengths->n_segments && left > 0; i++)
    {
      gint64 n = lengths->least + (gint64) (g_rand_double (rand) * (double) (lengths->most - lengths->least + 1));
      gint32 number;

      if (lengths->long_one > 0 && i % 50 == 49)
        n = lengths->long_one;
      number = (gint32) MIN (MAX (n, least), left);
      left -= number;
      at += number;
      g_array_append_vals (numbers, offsets ? &at : &number, 1);
    }

  {
    g_autoptr(AccShape) shape = acc_shape_new_vector (numbers->len);
    g_autoptr(GBytes) bytes = g_bytes_new (numbers->data != NULL ? numbers->data : "", numbers->len * sizeof (gint32));

    return acc_array_use (acc_element_type_new (ACC_KIND_I32), shape, bytes);
  }
}

/* --- operations */

static AccExpr *plus (AccExpr *x, AccExpr *y, gpointer data) { return acc_expr_add (x, y); }

/* Functions a x + b, one after the other: associative, and does not commute. */
static AccExpr *
compose (AccExpr *f, AccExpr *g, gpointer data)
{
  return acc_expr_tuple2 (acc_expr_mul (acc_expr_item (f, 0), acc_expr_item (g, 0)),
                          acc_expr_add (acc_expr_mul (acc_expr_item (f, 1), acc_expr_item (g, 0)), acc_expr_item (g, 1)));
}

static AccExpr *
pair (AccExpr *index, AccExpr *x, gpointer data)
{
  return acc_expr_tuple2 (acc_expr_bor (x, acc_expr_new_int (1)), acc_expr_add (x, acc_expr_cast (index, acc_expr_get_element_type (x))));
}

typedef struct {
  const char *name;
  guint       least;           /* elements of a segment */
  gboolean    offsets;
  gboolean    is_quick;
  AccArray *(*build) (AccArray *a, AccArray *numbers);
} Operation;

static AccArray *
fold (AccArray *a, AccArray *numbers)
{
  return acc_array_fold_seg (a, acc_expr_new_int (3), numbers, plus, NULL);
}

static AccArray *
fold_pairs (AccArray *a, AccArray *numbers)
{
  g_autoptr(AccArray) pairs = acc_array_imap (a, pair, NULL);
  AccExpr *initial = acc_expr_tuple2 (acc_expr_new_typed_int (acc_array_get_element_type (a), 5),
                                      acc_expr_new_typed_int (acc_array_get_element_type (a), 2));

  return acc_array_fold_seg (pairs, initial, numbers, compose, NULL);
}

static AccArray *fold1 (AccArray *a, AccArray *numbers) { return acc_array_fold1_seg (a, numbers, plus, NULL); }
static AccArray *
fold_offsets (AccArray *a, AccArray *numbers)
{
  return acc_array_fold_seg_offsets (a, acc_expr_new_int (3), numbers, plus, NULL);
}
static AccArray *fold1_offsets (AccArray *a, AccArray *numbers) { return acc_array_fold1_seg_offsets (a, numbers, plus, NULL); }
static AccArray *scan1 (AccArray *a, AccArray *numbers) { return acc_array_scanl1_seg (a, numbers, plus, NULL); }
static AccArray *
scan (AccArray *a, AccArray *numbers)
{
  return acc_array_scanl_seg (a, acc_expr_new_int (3), numbers, plus, NULL);
}
static AccArray *scan_right (AccArray *a, AccArray *numbers) { return acc_array_scanr1_seg (a, numbers, plus, NULL); }
static AccArray *
scan_pairs (AccArray *a, AccArray *numbers)
{
  g_autoptr(AccArray) pairs = acc_array_imap (a, pair, NULL);

  return acc_array_scanl1_seg (pairs, numbers, compose, NULL);
}

static const Operation operations[] = {
  { "fold", 0, FALSE, TRUE, fold },
  { "fold-pairs", 0, FALSE, FALSE, fold_pairs },
  { "fold1", 1, FALSE, FALSE, fold1 },
  { "fold-offsets", 0, TRUE, FALSE, fold_offsets },
  { "fold1-offsets", 1, TRUE, FALSE, fold1_offsets },
  { "scan1", 0, FALSE, TRUE, scan1 },
  { "scan", 0, FALSE, FALSE, scan },
  { "scan-right", 0, FALSE, FALSE, scan_right },
  { "scan-pairs", 0, FALSE, FALSE, scan_pairs },
};

/* --- what is checked */

static guint
build (AccArray *array, gpointer data, AccArray **results)
{
  const gpointer *both = data;
  const Operation *operation = both[0];

  /* Of memory with memory. */
  results[0] = operation->build (array, acc_array_is_manifest (array) ? both[1] : both[2]);

  return 1;
}

static void
test_operation (TestPair *f, const Operation *operation, const Lengths *lengths, guint64 limit)
{
  g_autoptr(AccArray) numbers = make_lengths (lengths, operation->least, operation->offsets), array = NULL, from_source = NULL;
  g_autoptr(TestSource) source = test_source_new_for_array (numbers), elements = test_source_new ("i4", (gint64[]) { N }, 1, 3);
  g_autoptr(AccArray) file = acc_array_new_from_source (ACC_SOURCE (elements));
  g_autoptr(GPtrArray) sinks = g_ptr_array_new_with_free_func (g_object_unref), expected = NULL;
  g_autoptr(GError) error = NULL;
  gpointer both[] = { (gpointer) operation, numbers, NULL };

  g_test_message ("%s, %s, %" G_GUINT64_FORMAT, operation->name, lengths->name, limit);
  array = acc_backend_run (f->roomy, file, NULL, &error);
  g_assert_no_error (error);
  both[2] = from_source = acc_array_new_from_source (ACC_SOURCE (source));
  expected = test_pair_write (f, array, limit, build, both, sinks, NULL);
  test_sink_assert_same (g_ptr_array_index (sinks, 0), g_ptr_array_index (expected, 0));
  test_sink_assert_ended (g_ptr_array_index (sinks, 0), TRUE);
}

/* A quarter of the elements, and a twentieth. Other backends do a part of that. The interpreter has the numbers that lengths may be in
 * memory besides. On devices lengths have to fit, as any array of which any element is read. */
static void
test_operations (TestPair *f, gconstpointer name)
{
  gboolean is_quick = g_str_equal (name, "native");

  for (guint i = 0; i < G_N_ELEMENTS (operations); i++)
    for (guint k = is_quick ? 0 : 1; k < G_N_ELEMENTS (all_lengths); k++)
      if (is_quick || (all_lengths[k].is_quick && operations[i].is_quick))
        {
          test_operation (f, &operations[i], &all_lengths[k], 4 * N / 4);
          test_operation (f, &operations[i], &all_lengths[k], 4 * N / 20);
        }
}

/* Lengths that are too long are found, and the plan says how segments are computed. */
static void
test_wrong (TestPair *f, gconstpointer name)
{
  g_autoptr(AccArray) numbers = make_lengths (&(Lengths) { "wrong", 1000, 1000, 0, N, -4, FALSE }, 0, FALSE), file = NULL, elements = NULL,
    folded = NULL;
  g_autoptr(TestSource) source = test_source_new_for_array (numbers), values = test_source_new ("i4", (gint64[]) { N }, 1, 3);
  g_autoptr(TestSink) sink = test_sink_new ();
  g_autoptr(GError) error = NULL;

  file = acc_array_new_from_source (ACC_SOURCE (source));
  elements = acc_array_new_from_source (ACC_SOURCE (values));
  folded = acc_array_fold_seg (elements, acc_expr_new_int (0), file, plus, NULL);
  acc_backend_set_memory_limit (f->backend, f->before + 300000);
  g_assert_false (acc_backend_write (f->backend, folded, ACC_SINK (sink), NULL, &error));
  g_assert_error (error, ACC_ERROR, ACC_ERROR_BOUNDS);
  g_test_message ("%s", error->message);
  g_assert_nonnull (strstr (error->message, "lengths add up to "));
  g_assert_cmpint (sink->n_committed, ==, 0);
  acc_backend_set_memory_limit (f->backend, 0);
}

static const TestPairCase cases[] = { { "operations", test_operations }, { "wrong", test_wrong } };

static void
add_tests (const char *name, AccBackend *backend)
{
  test_pair_add ("segments", name, cases, G_N_ELEMENTS (cases));
}

int
main (int argc, char **argv)
{
  g_test_init (&argc, &argv, NULL);
  test_add_backends ("native,opencl,vulkan", add_tests);

  return g_test_run ();
}
