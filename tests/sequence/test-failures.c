/* SPDX-License-Identifier: LGPL-2.1-or-later */

/* Functions that fail for an element: those before it go on, whatever steps there are. */

#include "sequence-helpers.h"

#include "acc-seq/sequence/acc-sequence-iterator-private.h"

#include <glib/gstdio.h>
#include <string.h>

#define FAILS_AT 21

static AccExpr *
checked (AccExpr *x, gpointer data)
{
  return acc_expr_add (x, acc_expr_quot (i8 (0), acc_expr_sub (x, i8 (FAILS_AT))));
}
static AccArray *f_fails (AccArray **a, guint n, gpointer data) { return acc_array_map (a[0], checked, NULL); }
static AccArray *
f_fails_state (AccArray **a, guint n, gpointer data)
{
  g_autoptr(AccArray) element = f_fails (a + 1, 1, NULL);

  return acc_array_zip_with (a[0], element, plus, NULL);
}

static AccExpr *below (AccExpr *x, gpointer data) { return acc_expr_lt (x, i8 (5)); }
static AccArray *f_below (AccArray **a, guint n, gpointer data) { return acc_array_map (a[0], below, NULL); }
static AccExpr *tenth (AccExpr *x, gpointer data) { return acc_expr_eq (acc_expr_rem (x, i8 (10)), i8 (0)); }
static AccArray *f_tenth (AccArray **a, guint n, gpointer data) { return acc_array_map (a[0], tenth, NULL); }
static AccArray *f_same (AccArray **a, guint n, gpointer data) { return g_object_ref (a[0]); }
static AccArray *
f_vector (AccArray **a, guint n, gpointer data)
{
  g_autoptr(AccShape) shape = acc_shape_new_vector (1);

  return acc_array_reshape (a[0], shape);
}
static AccNestedArray *fail_in_batch (AccNestedArray *some, gpointer data) { return acc_nested_array_map (some, f_fails, NULL); }

/* 0, 1 and so on, of which element FAILS_AT fails. */
static AccSequence *
new_failing (void)
{
  g_autoptr(AccSequence) numbers = acc_sequence_new_generate (-1, f_same, NULL);

  return acc_sequence_map (numbers, f_fails, NULL);
}

/* Who wants no more than what comes before does not see it. */
static void
test_unwanted (void)
{
  g_autoptr(AccSequence) failing = new_failing (), numbers = acc_sequence_new_generate (-1, f_same, NULL);
  g_autoptr(AccSequence) few = acc_sequence_take_while (failing, f_below, NULL), kept = acc_sequence_filter (failing, f_tenth, NULL);
  g_autoptr(AccSequence) some = acc_sequence_take (kept, 3);
  g_autoptr(AccArray) start = zero ();
  g_autoptr(AccSequence) states = acc_sequence_scan (numbers, start, f_fails_state, NULL);
  g_autoptr(AccSequence) first_states = acc_sequence_take_while (states, f_below, NULL);
  g_autoptr(AccSequence) pairs = acc_sequence_zip_with (failing, few, f_add, NULL);
  g_autoptr(AccSequence) batches = acc_sequence_batch (failing, 7), all_batches = acc_sequence_take (batches, 3);
  g_autoptr(AccSequence) vectors = acc_sequence_map (numbers, f_vector, NULL);
  g_autoptr(AccSequence) mapped = acc_sequence_map_batches (vectors, 3, fail_in_batch, NULL);
  g_autoptr(AccSequence) before = acc_sequence_take (mapped, FAILS_AT);
  g_autoptr(AccArray) a = acc_sequence_stack (few), b = acc_sequence_stack (some), c = acc_sequence_stack (first_states);
  g_autoptr(AccArray) d = acc_sequence_stack (pairs), e = acc_sequence_elements (all_batches), f = acc_sequence_count (before);
  AccArray *arrays[] = { a, b, c, d, f };
  const char *expected[] = { "0 1 2 3 4", "0 10 20", "0 1 3", "0 2 4 6 8", "21" };

  for (guint i = 0; i < G_N_ELEMENTS (arrays); i++)
    expect_results (&arrays[i], 1, &expected[i]);
  expect_results (&e, 1, (const char *[]) { "0 1 2 3 4 5 6 7 8 9 10 11 12 13 14 15 16 17 18 19 20" });
}

/* Elements of @sequence are @expected, and then there is an error that says @words. */
static void
expect_then (AccSequence *sequence, const gint64 *expected, gint64 n, gboolean closes, const char *words)
{
  for (guint i = 0; i < N_STEPS; i++)
    {
      g_autoptr(AccSequenceIterator) iterator = acc_sequence_iterate (sequence, backend);
      g_autoptr(GError) error = NULL;
      g_autoptr(AccArray) end = NULL, behind = NULL;

      acc_sequence_iterator_set_chunk (iterator, steps[i]);
      for (gint64 k = 0; k < n; k++)
        {
          g_autoptr(AccArray) element = acc_sequence_iterator_next (iterator, NULL, &error);

          g_assert_no_error (error);
          g_assert_cmpint (acc_array_get_int (element, 0, 0), ==, expected[k]);
        }
      if (closes)
        continue;
      end = acc_sequence_iterator_next (iterator, NULL, &error);
      g_assert_null (end);
      g_assert_error (error, ACC_ERROR, ACC_ERROR_ARITHMETIC);
      if (strstr (error->message, words) == NULL)
        g_error ("“%s” in place of “%s”", error->message, words);
      g_clear_error (&error);
      behind = acc_sequence_iterator_next (iterator, NULL, &error);
      g_assert_no_error (error);
      g_assert_null (behind);
    }
}

static void
test_loops (void)
{
  g_autoptr(AccSequence) failing = new_failing (), numbers = acc_sequence_new_generate (-1, f_same, NULL);
  g_autoptr(AccSequence) kept = acc_sequence_filter (failing, f_tenth, NULL), checked = NULL;
  g_autoptr(AccSequence) tens = acc_sequence_filter (numbers, f_tenth, NULL), again = acc_sequence_map (tens, f_same, NULL);
  g_autoptr(AccSequence) vectors = acc_sequence_map (numbers, f_vector, NULL);
  g_autoptr(AccSequence) batches = acc_sequence_map_batches (vectors, 3, fail_in_batch, NULL);
  g_autoptr(AccArray) start = zero ();
  g_autoptr(AccSequence) states = acc_sequence_scan (numbers, start, f_fails_state, NULL);
  gint64 all[FAILS_AT], sums[FAILS_AT], sum = 0;

  for (gint64 k = 0; k < FAILS_AT; k++)
    {
      all[k] = k;
      sums[k] = sum += k;
    }
  acc_sequence_set_label (numbers, "numbers");
  acc_sequence_set_label (kept, "kept");
  checked = acc_sequence_map (kept, f_same, NULL);
  expect_then (failing, all, FAILS_AT, FALSE, "element 21: ");
  expect_then (failing, all, FAILS_AT, TRUE, NULL);
  expect_then (checked, all, 1, TRUE, NULL);
  expect_then (checked, (const gint64[]) { 0, 10, 20 }, 3, FALSE, "“kept”: element 21: ");
  expect_then (states, sums, FAILS_AT, FALSE, "“numbers”: element 21: ");
  expect_then (batches, all, FAILS_AT, FALSE, "map_batches of elements 21 to 23: ");
}

static AccSink *
make_sink (gint64 number, gpointer folder)
{
  g_autofree char *name = g_strdup_printf ("%" G_GINT64_FORMAT ".npy", number);
  g_autoptr(GFile) file = g_file_new_build_filename (folder, name, NULL);

  return acc_sink_create (file, NULL, NULL);
}

/* What is written of elements before one that fails is all of them. */
static void
test_writes (void)
{
  g_autofree char *folder = g_dir_make_tmp ("acc-failures-XXXXXX", NULL);
  g_autoptr(AccSequence) failing = new_failing ();
  g_autoptr(GError) error = NULL;

  g_assert_false (acc_sequence_write_each (failing, backend, make_sink, folder, NULL, &error));
  g_assert_error (error, ACC_ERROR, ACC_ERROR_ARITHMETIC);
  for (gint64 k = 0; k <= FAILS_AT; k++)
    {
      g_autofree char *name = g_strdup_printf ("%s/%" G_GINT64_FORMAT ".npy", folder, k);

      g_assert_cmpint (g_unlink (name) == 0, ==, k < FAILS_AT);
    }
  g_assert_cmpint (g_rmdir (folder), ==, 0);
}

static AccArray *
f_third (AccArray **a, guint n, gpointer data)
{
  return acc_array_unit (acc_expr_index (a[0], i8 (2)));
}

static AccArray *f_third_of_element (AccArray **a, guint n, gpointer data) { return f_third (a + 1, 1, NULL); }

/* Elements behind some that are dropped, and in a scan, are still those of the producer. */
static void
test_origins (void)
{
  g_autoptr(GPtrArray) elements = make_elements (23, 1, FALSE);
  g_autoptr(AccSequence) all = new_produced (elements, 1, 4, G_MAXUINT), rest = acc_sequence_drop (all, 3), some = NULL, thirds = NULL;
  g_autoptr(AccSequence) states = NULL;
  g_autoptr(AccArray) a = NULL, b = NULL, start = zero ();
  g_autofree char *words = NULL;
  gint64 first = 3;

  while (acc_shape_get_extent (acc_array_get_shape (elements->pdata[first]), 0) > 2)
    first++;
  words = g_strdup_printf ("of “readings”: element %" G_GINT64_FORMAT " (drawer %" G_GINT64_FORMAT "): ", first - 3, first);
  acc_sequence_set_label (all, "readings");
  some = acc_sequence_take (rest, 20);
  thirds = acc_sequence_map (some, f_third, NULL);
  states = acc_sequence_scan (some, start, f_third_of_element, NULL);
  a = acc_sequence_stack (thirds);
  b = acc_sequence_last (states, NULL);
  for (guint i = 0; i < N_STEPS; i++)
    {
      expect_error (a, steps[i], ACC_ERROR_BOUNDS, words);
      expect_error (b, steps[i], ACC_ERROR_BOUNDS, words);
    }
}

void
add_failures (void)
{
  g_test_add_func ("/sequence/failures/unwanted", test_unwanted);
  g_test_add_func ("/sequence/failures/loops", test_loops);
  g_test_add_func ("/sequence/failures/writes", test_writes);
  g_test_add_func ("/sequence/failures/origins", test_origins);
}
