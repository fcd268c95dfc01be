/* SPDX-License-Identifier: LGPL-2.1-or-later */

/* Runs of sequences: mistakes, cancelling, memory, plans, files and streams. */

#include "sequence-helpers.h"

#include "acc-core/backend/acc-backend-private.h"
#include "acc-core/data/acc-budget-private.h"
#include "acc-seq/stream/acc-evaluate-private.h"

#include <glib/gstdio.h>
#include <string.h>

/* --- mistakes */

static AccArray *
f_third (AccArray **a, guint n, gpointer data)
{
  return acc_array_unit (acc_expr_index (a[0], i8 (2)));
}
static AccArray *f_nothing (AccArray **a, guint n, gpointer data) { return NULL; }

void
test_errors (void)
{
  g_autoptr(GPtrArray) elements = make_elements (23, 1, FALSE);
  g_autoptr(AccSequence) sequence = new_produced (elements, 1, 4, G_MAXUINT), broken = new_produced (elements, 1, 4, 9);
  g_autoptr(AccSequence) none = acc_sequence_take (sequence, 0);
  g_autoptr(AccSequence) third = acc_sequence_map (sequence, f_third, NULL), nothing = acc_sequence_map (sequence, f_nothing, NULL);
  g_autoptr(AccSequence) wrong = acc_sequence_filter (sequence, f_sum, NULL), no_batch = acc_sequence_batch (sequence, 0);
  g_autoptr(AccSequence) batches = acc_sequence_batch (sequence, 2);
  g_autoptr(AccArray) a = acc_sequence_stack (third), b = acc_sequence_count (broken), c = acc_sequence_fold (none, NULL, f_join, NULL);
  g_autoptr(AccArray) d = acc_sequence_last (none, NULL), e = acc_sequence_stack (sequence), f = acc_sequence_count (nothing);
  g_autoptr(AccArray) g = acc_sequence_count (wrong), h = acc_sequence_elements (batches), k = acc_sequence_count (no_batch);

  acc_sequence_set_label (third, "thirds");
  for (guint i = 0; i < N_STEPS; i++)
    {
      /* Element 1 is empty. */
      expect_error (a, steps[i], ACC_ERROR_BOUNDS, "sequence_stack of “thirds”: element 1 (drawer 1): ");
      expect_error (b, steps[i], ACC_ERROR_IO, "out of order");
      expect_error (c, steps[i], ACC_ERROR_SHAPE, "no elements");
      expect_error (d, steps[i], ACC_ERROR_SHAPE, "no elements");
      expect_error (e, steps[i], ACC_ERROR_SHAPE, "element 1 has extents");
      expect_error (h, steps[i], ACC_ERROR_SHAPE, "element 1 has extents");
    }
  expect_error (f, 0, ACC_ERROR_CALLBACK, "sequence_map: its function returned nothing");
  expect_error (g, 0, ACC_ERROR_TYPE, "sequence_filter: its function gives no b1 of rank 0");
  expect_error (k, 0, ACC_ERROR_SHAPE, "sequence_batch: 0 elements are no batch");
}

static AccExpr *of_100 (AccExpr *x, gpointer data) { return acc_expr_quot (i8 (100), x); }
static AccArray *
f_add_part (AccArray **a, guint n, gpointer data)
{
  g_autoptr(AccArray) part = acc_array_map (a[1], of_100, NULL);

  return acc_array_zip_with (a[0], part, plus, NULL);
}

static AccExpr *over (AccExpr *x, AccExpr *y, gpointer data) { return acc_expr_quot (x, y); }
static AccArray *f_over (AccArray **a, guint n, gpointer data) { return acc_array_zip_with (a[0], a[1], over, NULL); }

/* A fold of @n @values fails for @words. */
static void
fold_fails (const gint64 *values, gint64 n, AccArray *seed, AccArrayFunc function, const char *words)
{
  g_autoptr(AccShape) shape = acc_shape_new_vector (n);
  g_autoptr(AccArray) numbers = use (shape, values);
  g_autoptr(AccSequence) sequence = acc_sequence_new_from_array (numbers);
  g_autoptr(AccArray) total = acc_sequence_fold (sequence, seed, function, NULL);

  for (guint i = 0; i < N_STEPS; i++)
    expect_error (total, steps[i], ACC_ERROR_ARITHMETIC, words);
}

/* Of what waits for others until there are no more. */
void
test_fold_errors (void)
{
  g_autoptr(AccArray) one = acc_array_unit (i8 (1));

  fold_fails ((gint64[]) { 1, 2, 3, 4, 5, 6, 7, 8, 9, 1, 0 }, 11, NULL, f_add_part, "elements 8 to 10: ");
  fold_fails ((gint64[]) { 1, 2, 0 }, 3, NULL, f_add_part, "elements 0 to 2: ");
  fold_fails ((gint64[]) { 0, 50 }, 2, one, f_over, "the seed and elements 0 to 1: ");
  fold_fails ((gint64[]) { -100, 1 }, 2, one, f_add_part, "the seed and elements 0 to 1: ");
}

void
test_cancel (void)
{
  g_autoptr(AccSequence) endless = acc_sequence_new_generate (-1, f_times, NULL);
  g_autoptr(AccArray) count = acc_sequence_last (endless, NULL);
  g_autoptr(GCancellable) cancellable = g_cancellable_new ();
  g_autoptr(GError) error = NULL;

  g_cancellable_cancel (cancellable);
  g_assert_null (acc_backend_run (backend, count, cancellable, &error));
  g_assert_error (error, G_IO_ERROR, G_IO_ERROR_CANCELLED);
}

/* --- what is opened */

static AccExpr *wide (AccExpr *x, gpointer data) { return acc_expr_cast (x, acc_element_type_new (ACC_KIND_I64)); }
static AccArray *f_wide (AccArray **a, guint n, gpointer data) { return acc_array_map (a[0], wide, NULL); }
static void
expect_values (AccSequence *sequence, const char *values, const char *lengths)
{
  g_autoptr(AccSequence) numbers = acc_sequence_map (sequence, f_wide, NULL);
  g_autoptr(AccArray) elements = acc_sequence_elements (numbers), counts = acc_sequence_lengths (numbers);

  expect_results ((AccArray *[]) { elements, counts }, 2, (const char *[]) { values, lengths });
}

void
test_open (void)
{
  static const char text[] = "ab\n\nc\r\nx";
  g_autoptr(GInputStream) lines = g_memory_input_stream_new_from_data (text, sizeof text - 1, NULL);
  g_autoptr(GInputStream) others = g_memory_input_stream_new_from_data (text, sizeof text - 1, NULL);
  g_autoptr(GInputStream) pairs = g_memory_input_stream_new_from_data (text, 8, NULL);
  g_autoptr(GBytes) feed = g_bytes_new_static ("\n", 1), nothing = g_bytes_new_static ("", 0);
  g_autoptr(AccShape) two = acc_shape_new_vector (2);
  g_autoptr(AccSequence) a = acc_sequence_new_lines (lines), b = acc_sequence_new_delimited (others, feed);
  g_autoptr(AccSequence) c = acc_sequence_new_records (pairs, acc_element_type_new (ACC_KIND_U8), two);
  g_autoptr(AccSequence) wrong = acc_sequence_new_delimited (lines, nothing);
  g_autoptr(GListStore) list = g_list_store_new (ACC_TYPE_ARRAY);
  g_autoptr(GPtrArray) elements = make_elements (3, 1, FALSE);
  g_autoptr(AccSequence) d = NULL, e = NULL, f = NULL;
  g_autoptr(AccArray) number = NULL, delayed = NULL;

  expect_values (a, "97 98 99 120", "2 0 1 1");
  expect_values (b, "97 98 99 13 120", "2 0 2 1");
  expect_values (c, "97 98 10 10 99 13 10 120", "2 2 2 2");
  number = acc_sequence_count (wrong);
  expect_error (number, 0, ACC_ERROR_UNSUPPORTED, "sequence_new_delimited: ");

  for (guint i = 0; i < elements->len; i++)
    g_list_store_append (list, elements->pdata[i]);
  d = acc_sequence_new_from_arrays (G_LIST_MODEL (list));
  expect_values (d, "-300 502 295 403", "3 0 1");

  /* Of what is in memory, and what has to be computed. */
  e = acc_sequence_new_windows (elements->pdata[0], (gint64[]) { 2 }, (gint64[]) { 1 }, 1, NULL);
  expect_values (e, "-300 502 502 295", "2 2");
  delayed = acc_array_map (elements->pdata[0], doubled, NULL);
  f = acc_sequence_new_windows (delayed, (gint64[]) { 2 }, (gint64[]) { 1 }, 1, NULL);
  expect_values (f, "-600 1004 1004 590", "2 2");
}

/* --- sinks */

static AccSink *
new_sink (const char *name)
{
  g_autoptr(GFile) file = g_file_new_for_path (name);

  return acc_sink_create (file, NULL, NULL);
}

static AccSource *
new_source (const char *name)
{
  g_autoptr(GFile) file = g_file_new_for_path (name);

  return acc_source_open (file, NULL, NULL);
}

static AccSink *
make_sink (gint64 number, gpointer folder)
{
  g_autofree char *name = g_strdup_printf ("%s/%03d.npy", (const char *) folder, (int) number);
  AccSink *sink = number == 2 ? NULL : new_sink (name);

  return sink;
}

void
test_write_each (void)
{
  g_autoptr(GPtrArray) elements = make_elements (7, 1, FALSE);
  g_autoptr(AccSequence) sequence = new_produced (elements, 1, 3, G_MAXUINT), broken = new_produced (elements, 1, 3, 4);
  g_autofree char *folder = g_dir_make_tmp ("acc-sequence-XXXXXX", NULL);
  g_autoptr(GError) error = NULL;

  g_assert_true (acc_sequence_write_each (sequence, backend, make_sink, folder, NULL, &error));
  g_assert_no_error (error);
  for (guint i = 0; i < 7; i++)
    {
      g_autofree char *name = g_strdup_printf ("%s/%03u.npy", folder, i);
      g_autoptr(AccSource) source = new_source (name);
      g_autoptr(AccArray) read = source != NULL ? acc_array_new_from_source (source) : NULL;

      g_assert_true ((read != NULL) == (i != 2));
      if (read != NULL)
        g_assert_true (same_array (read, elements->pdata[i]));
      g_clear_object (&source);
      g_remove (name);
    }

  g_assert_false (acc_sequence_write_each (broken, backend, make_sink, folder, NULL, &error));
  g_assert_error (error, ACC_ERROR, ACC_ERROR_IO);
  for (guint i = 0; i < 6; i++)
    {
      g_autofree char *name = g_strdup_printf ("%s/%03u.npy", folder, i);

      g_assert_true ((g_remove (name) == 0) == (i != 2));
    }
  /* Nothing else is there. */
  g_assert_cmpint (g_rmdir (folder), ==, 0);
}

static void
on_element (GObject *source, GAsyncResult *result, gpointer data)
{
  g_autoptr(GError) error = NULL;
  g_autoptr(AccArray) element = acc_sequence_iterator_next_finish (ACC_SEQUENCE_ITERATOR (source), result, &error);
  int *count = data;

  g_assert_no_error (error);
  if (element == NULL)
    {
      *count = -*count;
      return;
    }
  ++*count;
  acc_sequence_iterator_next_async (ACC_SEQUENCE_ITERATOR (source), NULL, on_element, data);
}

void
test_async (void)
{
  g_autoptr(GPtrArray) elements = make_elements (9, 1, FALSE);
  g_autoptr(AccSequence) sequence = new_produced (elements, 1, 3, G_MAXUINT);
  g_autoptr(AccSequenceIterator) iterator = acc_sequence_iterate (sequence, backend);
  int count = 0;

  acc_sequence_iterator_next_async (iterator, NULL, on_element, &count);
  while (count >= 0)
    g_main_context_iteration (NULL, TRUE);
  g_assert_cmpint (count, ==, -9);
}

/* --- one walk for several */

void
test_shared (void)
{
  g_autoptr(GPtrArray) elements = make_elements (23, 1, FALSE);
  g_autoptr(TestProducer) producer = g_object_new (TEST_TYPE_PRODUCER, "element-type", acc_element_type_new (ACC_KIND_I64), "rank", 1,
                                                   NULL);
  g_autoptr(AccSequence) sequence = NULL, sums = NULL;
  g_autoptr(AccArray) total = NULL, count = NULL, twice = NULL;
  g_autoptr(GError) error = NULL;
  g_autoptr(GPtrArray) results = NULL;
  g_autofree char *text = NULL;

  producer->elements = g_ptr_array_ref (elements);
  producer->at_most = 3;
  sequence = acc_sequence_new (ACC_SEQUENCE_PRODUCER (producer));
  sums = acc_sequence_map (sequence, f_sum, NULL);
  total = acc_sequence_fold (sums, NULL, f_add, NULL);
  count = acc_sequence_count (sequence);
  twice = acc_array_zip_with (total, count, times, NULL);

  results = acc_backend_run_many (backend, (AccArray *[]) { twice, count }, 2, NULL, &error);
  g_assert_no_error (error);
  g_assert_cmpuint (producer->next, ==, 23);
  text = print (results->pdata[1]);
  g_assert_cmpstr (text, ==, "23");

  /* In a program, which is compiled once. */
  {
    g_autoptr(AccProgram) program = acc_program_new_for_results (&twice, 1);
    g_autoptr(AccExecutable) executable = acc_backend_compile (backend, program, NULL, &error);
    g_autoptr(GPtrArray) again = NULL;

    g_assert_no_error (error);
    again = acc_executable_run (executable, NULL, 0, NULL, &error);
    g_assert_no_error (error);
    g_assert_true (same_array (again->pdata[0], results->pdata[0]));
  }
}

/* --- memory */

static AccArray *
f_heavy (AccArray **a, guint n, gpointer data)
{
  g_autoptr(AccArray) sums = acc_array_scanl1 (a[0], plus, NULL), reversed = acc_array_reverse (sums);

  return acc_array_zip_with (sums, reversed, plus, NULL);
}

/* Whichever piece of memory is refused: the same results, or an error that says so. */
void
test_refused (void)
{
  g_autoptr(GPtrArray) elements = make_elements (23, 1, FALSE);
  g_autoptr(AccSequence) sequence = new_produced (elements, 1, G_MAXUINT, G_MAXUINT), heavy = acc_sequence_map (sequence, f_heavy, NULL);
  g_autoptr(AccArray) state = zero ();
  g_autoptr(AccSequence) states = acc_sequence_scan (heavy, state, f_state, NULL);
  g_autoptr(AccArray) all = acc_sequence_elements (heavy), last = acc_sequence_elements (states);
  AccArray *arrays[] = { all, last };
  g_autoptr(AccArray) right = run (backend, all), right_last = run (backend, last);
  AccBudget *budget = acc_backend_get_budget (backend);
  guint n_refused = 0, n_right = 0;

  for (guint k = 1; k < (is_quick ? 10 : 120); k++)
    {
      g_autoptr(GError) error = NULL;
      g_autoptr(GPtrArray) results = NULL;

      acc_budget_fail_nth (budget, k);
      results = acc_backend_run_many (backend, arrays, 2, NULL, &error);
      acc_budget_fail_nth (budget, 0);
      if (results == NULL)
        g_assert_error (error, ACC_ERROR, ACC_ERROR_OUT_OF_MEMORY);
      else
        g_assert_true (same_array (results->pdata[0], right) && same_array (results->pdata[1], right_last));
      n_refused += results == NULL;
      n_right += results != NULL;
    }
  g_assert_cmpuint (n_right, >, 0);
  g_test_message ("%u refused, %u right", n_refused, n_right);
}

/* Steps are as small as the limit wants them. */
void
test_limit (void)
{
  g_autoptr(AccShape) shape = acc_shape_new_matrix (4000, 100);
  g_autoptr(AccArray) zeros = acc_array_fill (shape, i8 (3)), held = run (judge, zeros), right = NULL;
  g_autoptr(AccSequence) rows = acc_sequence_new_from_array (held), heavy = acc_sequence_map (rows, f_heavy, NULL);
  g_autoptr(AccSequence) sums = acc_sequence_map (heavy, f_sum, NULL);
  g_autoptr(AccArray) total = acc_sequence_fold (sums, NULL, f_add, NULL);
  AccBudget *budget = acc_backend_get_budget (backend);
  guint64 before = acc_backend_get_memory_limit (backend), held_bytes;
  g_autoptr(AccArray) result = NULL;
  g_autoptr(GError) error = NULL;

  right = run (backend, total);
  held_bytes = acc_budget_get_used (budget);
  acc_backend_set_memory_limit (backend, held_bytes + 400000);
  acc_budget_reset_high_water (budget);
  result = acc_backend_run (backend, total, NULL, &error);
  g_assert_no_error (error);
  g_assert_true (same_array (result, right));
  g_assert_cmpuint (acc_budget_get_high_water (budget), <=, held_bytes + 400000);
  acc_backend_set_memory_limit (backend, before);
}

static AccExpr *is_large (AccExpr *x, gpointer data) { return acc_expr_gt (x, i8 (880000)); }
static AccExpr *of_both (AccExpr *index, gpointer number) { return acc_expr_mul (acc_expr_item (index, 0), acc_expr_the (number)); }
static AccArray *
f_longer (AccArray **a, guint n, gpointer data)
{
  return acc_array_generate_expr (acc_expr_mul (acc_expr_the (a[0]), i8 (10)), of_both, a[0]);
}
static AccArray *
f_sum_of_both (AccArray **a, guint n, gpointer data)
{
  g_autoptr(AccArray) joined = f_join (a, n, data);

  return flat_sum (joined);
}
static AccNestedArray *reverse (AccNestedArray *some, gpointer data) { return acc_nested_array_reverse (some); }
static AccArray *
f_is_large (AccArray **a, guint n, gpointer data)
{
  g_autoptr(AccArray) total = flat_sum (a[0]);

  return acc_array_map (total, is_large, NULL);
}

/* @array has the same values within each of @limits. */
static void
has_room (AccArray *array, const guint64 *limits, guint n)
{
  guint64 before = acc_backend_get_memory_limit (backend);
  g_autoptr(AccArray) right = run (judge, array);

  for (guint i = 0; i < n; i++)
    {
      g_autoptr(GError) error = NULL;
      g_autoptr(AccArray) result = NULL;

      acc_backend_set_memory_limit (backend, limits[i]);
      result = acc_backend_run (backend, array, NULL, &error);
      acc_backend_set_memory_limit (backend, before);
      g_assert_no_error (error);
      g_assert_true (same_array (result, right));
    }
}

/* What is made of numbers, and is larger than they tell, leaves room for the stages that take it. */
void
test_limit_between (void)
{
  static const guint64 limits[] = { 300000, 600000, 1200000, 2400000 };
  g_autoptr(AccSequence) made = acc_sequence_new_generate (200, f_longer, NULL), rest = acc_sequence_drop (made, 1);
  g_autoptr(AccSequence) pairs = acc_sequence_zip_with (made, rest, f_sum_of_both, NULL);
  g_autoptr(AccSequence) reversed = acc_sequence_map_batches (made, 3, reverse, NULL);
  g_autoptr(AccArray) a = acc_sequence_stack (pairs), b = acc_sequence_lengths (reversed);

  has_room (a, limits, G_N_ELEMENTS (limits));
  has_room (b, limits, G_N_ELEMENTS (limits));
}

/* Rows of a file, which is read ahead, and that memory has no room to join. */
void
test_limit_rows (void)
{
  static const guint64 limits[] = { 938066, 1119744, 1257099, 1319954, 1500000 };
  g_autoptr(AccShape) shape = acc_shape_new_matrix (300, 1000);
  g_autofree char *path = g_build_filename (g_get_tmp_dir (), "acc-rows-XXXXXX", NULL);
  g_autofree gint64 *values = g_new (gint64, 300 * 1000);
  g_autoptr(GFile) file = NULL;
  g_autoptr(AccSource) source = NULL;
  g_autoptr(AccArray) all = NULL, count = NULL;
  g_autoptr(AccSequence) rows = NULL, kept = NULL;
  int descriptor = g_mkstemp (path);

  for (gint64 i = 0; i < 300 * 1000; i++)
    values[i] = i % 1777;
  g_assert_cmpint (descriptor, >=, 0);
  g_assert_true (g_close (descriptor, NULL));
  g_assert_true (g_file_set_contents (path, (const char *) values, 300 * 1000 * sizeof *values, NULL));
  file = g_file_new_for_path (path);
  source = acc_source_open_raw (file, acc_element_type_new (ACC_KIND_I64), shape, 0, NULL, NULL);
  all = acc_array_new_from_source (source);
  rows = acc_sequence_new_from_array (all);
  kept = acc_sequence_filter (rows, f_is_large, NULL);
  count = acc_sequence_count (kept);
  has_room (count, limits, G_N_ELEMENTS (limits));
  g_assert_cmpint (g_unlink (path), ==, 0);
}

static AccExpr *is_sixteenth (AccExpr *x, gpointer data) { return acc_expr_eq (acc_expr_rem (x, i8 (16)), i8 (0)); }
static AccArray *f_sixteenth (AccArray **a, guint n, gpointer data) { return acc_array_map (a[0], is_sixteenth, NULL); }
static AccExpr *next (AccExpr *x, gpointer data) { return acc_expr_add (x, i8 (1)); }
static AccArray *f_count_steps (AccArray **a, guint n, gpointer data) { return acc_array_map (a[0], next, NULL); }

static AccArray *f_same (AccArray **a, guint n, gpointer data) { return g_object_ref (a[0]); }

/* What a filter leaves waits until it makes a step. */
void
test_gathers (void)
{
  g_autoptr(AccSequence) numbers = acc_sequence_new_generate (1 << 18, f_same, NULL);
  g_autoptr(AccSequence) kept = acc_sequence_filter (numbers, f_sixteenth, NULL);
  g_autoptr(AccArray) none = zero (), of_all = acc_sequence_fold_batch (numbers, none, f_count_steps, NULL);
  g_autoptr(AccArray) of_kept = acc_sequence_fold_batch (kept, none, f_count_steps, NULL), all = NULL, some = NULL;
  guint64 before = acc_backend_get_memory_limit (backend);

  acc_backend_set_memory_limit (backend, 1 << 20);
  all = run (backend, of_all);
  some = run (backend, of_kept);
  acc_backend_set_memory_limit (backend, before);
  g_assert_cmpint (acc_array_get_int (all, 0, 0), >=, 8);
  g_assert_cmpint (acc_array_get_int (some, 0, 0) * 2, <=, acc_array_get_int (all, 0, 0));
}

/* --- plans and cancelling */

void
test_plan (void)
{
  g_autoptr(GPtrArray) elements = make_elements (9, 1, FALSE);
  g_autoptr(AccSequence) sequence = new_produced (elements, 1, 3, G_MAXUINT);
  g_autoptr(AccSequence) some = acc_sequence_filter (sequence, f_positive, NULL), sums = acc_sequence_map (some, f_sum, NULL);
  g_autoptr(AccArray) total = acc_sequence_fold (sums, NULL, f_add, NULL);
  g_autoptr(GError) error = NULL;
  g_autoptr(AccPlan) plan = NULL;
  g_autofree char *text = NULL;

  acc_sequence_set_label (sequence, "drawers");
  plan = acc_backend_plan (backend, total, NULL, 0, &error);
  g_assert_no_error (error);
  text = acc_plan_to_string (plan);
  if (strstr (text, "sequence_fold walks over TestProducer “drawers” → filter → map in steps of at most ") == NULL)
    g_error ("%s", text);
}

static gpointer
cancel_soon (gpointer cancellable)
{
  g_usleep (50000);
  g_cancellable_cancel (cancellable);

  return NULL;
}

void
test_cancel_walk (void)
{
  g_autoptr(AccSequence) endless = acc_sequence_new_generate (-1, f_times, NULL);
  g_autoptr(AccArray) last = acc_sequence_last (endless, NULL);
  g_autoptr(GCancellable) cancellable = g_cancellable_new ();
  g_autoptr(GError) error = NULL;
  GThread *thread = g_thread_new ("cancel", cancel_soon, cancellable);

  g_assert_null (acc_backend_run (backend, last, cancellable, &error));
  g_assert_error (error, G_IO_ERROR, G_IO_ERROR_CANCELLED);
  g_thread_join (thread);
}
