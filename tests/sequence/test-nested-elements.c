/* SPDX-License-Identifier: LGPL-2.1-or-later */

/* Sequences whose elements are nested arrays: documents of sentences of words, events of tracks of hits. In steps of any size they come to
 * the same. */

#include "nested-elements.h"

#include "acc-seq/sequence/acc-sequence-iterator-private.h"

#include <stdio.h>
#include <string.h>

AccBackend *backend, *judge;
gboolean is_quick;
const gint64 steps[4] = { 2, 0, 1, 7 };

/* --- elements */

AccExpr *i8 (gint64 x) { return acc_expr_new_typed_int (acc_element_type_new (ACC_KIND_I64), x); }

AccArray *
use (const gint64 *values, gint64 n)
{
  g_autoptr(GBytes) bytes = g_bytes_new (values, (gsize) n * sizeof *values);
  g_autoptr(AccShape) shape = acc_shape_new_vector (n);

  return acc_array_use (acc_element_type_new (ACC_KIND_I64), shape, bytes);
}

/* [[[1, 2], [3]], [], [[], [4, 5, 6], [7]], [[8]], [[]]] */
AccNestedArray *
make_documents (void)
{
  static const gint64 values[] = { 1, 2, 3, 4, 5, 6, 7, 8 }, lengths[] = { 2, 1, 0, 3, 1, 1, 0 }, groups[] = { 2, 0, 3, 1, 1 };
  g_autoptr(AccArray) flat = use (values, 8), words = use (lengths, 7), documents = use (groups, 5);
  g_autoptr(AccNestedArray) all = acc_nested_array_new_from_lengths (flat, words);

  return acc_nested_array_nest (all, documents);
}

AccNestedArray *
make_many (gint64 n, guint rank, gboolean regular, guint depth)
{
  g_autofree gint64 *lengths = g_new0 (gint64, n + 1);
  g_autoptr(GPtrArray) words = g_ptr_array_new_with_free_func (g_object_unref);
  g_autoptr(AccNestedArray) all = NULL;

  for (gint64 k = 0, number = 0; k < n; k++)
    {
      lengths[k] = (k * 7) % 5;
      for (gint64 i = 0; i < lengths[k]; i++, number++)
        {
          gint64 extents[] = { regular ? 3 : (number * 5) % 4, regular ? 2 : (number * 3) % 3 };
          g_autoptr(AccShape) shape = acc_shape_new (extents, rank);
          g_autofree gint64 *values = g_new0 (gint64, acc_shape_get_size (shape) + 1);
          g_autoptr(AccArray) flat = NULL;

          for (gint64 j = 0; j < acc_shape_get_size (shape); j++)
            values[j] = (number * 7919 + j * 104729) % 1009 - 300;
          flat = use (values, acc_shape_get_size (shape));
          g_ptr_array_add (words, acc_array_reshape (flat, shape));
        }
    }
  all = acc_nested_array_new_from_arrays ((AccArray **) words->pdata, words->len);
  for (guint d = 1; d < depth; d++)
    {
      g_autoptr(AccArray) groups = use (lengths, n);
      g_autoptr(AccNestedArray) inner = g_steal_pointer (&all);
      gint64 left = n;

      all = acc_nested_array_nest (inner, groups);
      /* Three of these in each of the next level, and what is left. */
      n = 0;
      for (; left > 0; left -= 3)
        lengths[n++] = MIN (left, 3);
    }

  return g_steal_pointer (&all);
}

AccSequence *
new_documents (void)
{
  g_autoptr(AccNestedArray) documents = make_documents ();

  return acc_sequence_new_from_nested (documents);
}

/* --- what comes out */

AccNestedArray *
run_in_steps (AccNestedArray *nested, gint64 step)
{
  g_autoptr(GPtrArray) arrays = g_ptr_array_new (), results = NULL;
  g_autoptr(GError) error = NULL;

  acc_nested_array_collect (nested, arrays);
  results = acc_evaluate_with_chunk_rows (backend, (AccArray **) arrays->pdata, arrays->len, step, NULL, &error);
  g_assert_no_error (error);

  return acc_nested_array_new_manifest (nested, (AccArray **) results->pdata);
}

/* The elements that an iterator gives, as text. */
static char *
iterate (AccSequence *sequence, gint64 step)
{
  g_autoptr(AccSequenceIterator) iterator = acc_sequence_iterate (sequence, backend);
  GString *text = g_string_new (NULL);
  g_autoptr(GError) error = NULL;

  acc_sequence_iterator_set_chunk (iterator, step);
  for (;;)
    {
      g_autoptr(AccNestedArray) nested = NULL;
      g_autoptr(AccArray) array = NULL;
      g_autofree char *one = NULL;

      if (acc_sequence_get_depth (sequence) > 1)
        nested = acc_sequence_iterator_next_nested (iterator, NULL, &error);
      else
        array = acc_sequence_iterator_next (iterator, NULL, &error);
      g_assert_no_error (error);
      if (nested == NULL && array == NULL)
        return g_string_free (text, FALSE);
      g_assert_true (nested == NULL || acc_nested_array_is_manifest (nested));
      one = nested != NULL ? acc_nested_array_to_string (nested) : acc_array_to_string (array);
      g_string_append_printf (text, "%s\n", one);
    }
}

/* The elements of @nested, as text. */
static char *
list_elements (AccNestedArray *nested)
{
  GString *text = g_string_new (NULL);
  g_autoptr(AccArray) count = acc_backend_run (judge, acc_nested_array_get_lengths (nested), NULL, NULL);

  for (gint64 k = 0; k < acc_shape_get_extent (acc_array_get_shape (count), 0); k++)
    {
      g_autofree char *one = NULL;

      if (acc_nested_array_get_depth (nested) > 1)
        {
          g_autoptr(AccNestedArray) element = acc_nested_array_dup_nested (nested, k);
          g_autoptr(AccNestedArray) computed = acc_backend_run_nested (judge, element, NULL, NULL);

          one = acc_nested_array_to_string (computed);
        }
      else
        {
          g_autoptr(AccArray) element = acc_nested_array_dup_element (nested, k);
          g_autoptr(AccArray) computed = acc_backend_run (judge, element, NULL, NULL);

          one = acc_array_to_string (computed);
        }
      g_string_append_printf (text, "%s\n", one);
    }

  return g_string_free (text, FALSE);
}

void
expect_nested (AccNestedArray *made, const char *expected)
{
  for (guint i = 0; i < N_STEPS; i++)
    {
      g_autoptr(AccNestedArray) computed = run_in_steps (made, steps[i]);
      g_autofree char *text = acc_nested_array_to_string (computed);

      g_assert_cmpstr (text, ==, expected);
    }
}

void
expect (AccSequence *sequence, const char *expected)
{
  g_autoptr(AccNestedArray) made = acc_sequence_to_nested (sequence);
  g_autoptr(AccNestedArray) computed = run_in_steps (made, steps[0]);
  g_autofree char *elements = list_elements (computed);

  expect_nested (made, expected);
  for (guint i = 0; i < (is_quick ? 0 : N_STEPS); i++)
    {
      g_autofree char *text = iterate (sequence, steps[i]);

      g_assert_cmpstr (text, ==, elements);
    }
  g_object_unref (sequence);
}

/* Takes over @array. */
static void
expect_array (AccArray *array, const char *expected)
{
  for (guint i = 0; i < N_STEPS; i++)
    {
      g_autoptr(GError) error = NULL;
      g_autoptr(GPtrArray) results = acc_evaluate_with_chunk_rows (backend, &array, 1, steps[i], NULL, &error);
      g_autofree char *text = NULL;

      g_assert_no_error (error);
      text = acc_array_to_string (results->pdata[0]);
      g_assert_cmpstr (text, ==, expected);
    }
  g_object_unref (array);
}

/* --- functions of elements */

AccExpr *plus (AccExpr *x, AccExpr *y, gpointer data) { return acc_expr_add (x, y); }
static AccExpr *is_more (AccExpr *x, gpointer than) { return acc_expr_gt (x, i8 (GPOINTER_TO_INT (than))); }
static AccExpr *plus_the (AccExpr *x, gpointer number) { return acc_expr_add (x, acc_expr_the (number)); }

static AccArray *
count (AccNestedArray *nested)
{
  g_autoptr(AccExpr) n = acc_expr_ref_sink (acc_expr_extent (acc_nested_array_get_lengths (nested), 0));

  return acc_array_unit (n);
}

AccArray *
f_sum (AccArray **a, guint n, gpointer data)
{
  return acc_array_fold_all (a[0], i8 (0), plus, NULL);
}

AccArray *
f_long (AccArray **a, guint n, gpointer data)
{
  g_autoptr(AccArray) flat = acc_array_flatten (a[0]), total = acc_array_unit (acc_expr_extent (flat, 0));

  return acc_array_map (total, is_more, GINT_TO_POINTER (1));
}

static AccArray *f_add_the (AccArray **a, guint n, gpointer number) { return acc_array_map (a[0], plus_the, number); }

GObject *reverse (GObject **e, guint n, gpointer data) { return G_OBJECT (acc_nested_array_reverse (ACC_NESTED_ARRAY (e[0]))); }
static GObject *
keep_long (GObject **e, guint n, gpointer data)
{
  return G_OBJECT (acc_nested_array_filter (ACC_NESTED_ARRAY (e[0]), f_long, NULL));
}
GObject *
sums (GObject **e, guint n, gpointer data)
{
  return G_OBJECT (acc_nested_array_map (ACC_NESTED_ARRAY (e[0]), f_sum, NULL));
}
static GObject *count_words (GObject **e, guint n, gpointer data) { return G_OBJECT (count (ACC_NESTED_ARRAY (e[0]))); }
static GObject *flatten (GObject **e, guint n, gpointer data) { return G_OBJECT (acc_nested_array_flatten (ACC_NESTED_ARRAY (e[0]))); }
static GObject *
join (GObject **e, guint n, gpointer data)
{
  return G_OBJECT (acc_nested_array_concat (ACC_NESTED_ARRAY (e[0]), ACC_NESTED_ARRAY (e[1])));
}

static GObject *
add_number (GObject **e, guint n, gpointer data)
{
  return G_OBJECT (acc_nested_array_map (ACC_NESTED_ARRAY (e[1]), f_add_the, e[0]));
}

GObject *
has_words (GObject **e, guint n, gpointer data)
{
  g_autoptr(AccArray) words = count (ACC_NESTED_ARRAY (e[0]));

  return G_OBJECT (acc_array_map (words, is_more, data));
}

/* Of an array: itself, and what is left without its first value. */
static GObject *
split (GObject **e, guint n, gpointer data)
{
  g_autoptr(AccArray) rest = acc_array_drop (ACC_ARRAY (e[0]), 1), both = acc_array_concat (ACC_ARRAY (e[0]), rest);
  g_autoptr(AccArray) first = acc_array_unit (acc_expr_extent (ACC_ARRAY (e[0]), 0)), second = acc_array_unit (acc_expr_extent (rest, 0));
  g_autoptr(AccShape) one = acc_shape_new_vector (1);
  g_autoptr(AccArray) x = acc_array_reshape (first, one), y = acc_array_reshape (second, one), lengths = acc_array_concat (x, y);

  return G_OBJECT (acc_nested_array_new_from_lengths (both, lengths));
}

static AccExpr *number_to (AccExpr *k, gpointer data) { return acc_expr_add (k, i8 (1)); }

/* Number k: vectors of 1, 2 … k numbers. */
static GObject *
pyramid (GObject **e, guint n, gpointer data)
{
  g_autoptr(AccExpr) k = acc_expr_ref_sink (acc_expr_the (ACC_ARRAY (e[0])));
  g_autoptr(AccArray) lengths = acc_array_generate_expr (k, number_to, NULL), total = acc_array_fold_all (lengths, i8 (0), plus, NULL);
  g_autoptr(AccArray) values = acc_array_generate_expr (acc_expr_the (total), number_to, NULL);

  return G_OBJECT (acc_nested_array_new_from_lengths (values, lengths));
}

/* --- tests */

static void
test_functions (void)
{
  g_autoptr(AccSequence) documents = new_documents (), words = acc_sequence_expand (documents), later = acc_sequence_drop (documents, 2);

  g_assert_cmpuint (acc_sequence_get_depth (documents), ==, 2);
  g_assert_cmpuint (acc_sequence_get_rank (documents), ==, 1);
  g_assert_cmpint (acc_sequence_get_length (documents), ==, 5);
  expect (g_object_ref (documents), "nested([[[1, 2], [3]], [], [[], [4, 5, 6], [7]], [[8]], [[]]], dtype=i8)");
  expect (acc_sequence_map_nested (documents, reverse, NULL), "nested([[[3], [1, 2]], [], [[7], [4, 5, 6], []], [[8]], [[]]], dtype=i8)");
  expect (acc_sequence_map_nested (documents, keep_long, NULL), "nested([[[1, 2]], [], [[4, 5, 6]], [], []], dtype=i8)");
  expect (acc_sequence_map_nested (documents, sums, NULL), "nested([[3, 3], [], [ 0, 15,  7], [8], [0]], dtype=i8)");
  expect (acc_sequence_map_nested (documents, flatten, NULL), "nested([[1, 2, 3], [], [4, 5, 6, 7], [8], []], dtype=i8)");
  expect (acc_sequence_map_nested (documents, count_words, NULL), "nested([2, 0, 3, 1, 1], dtype=i8)");
  expect (acc_sequence_imap_nested (documents, add_number, NULL),
          "nested([[[1, 2], [3]], [], [[], [6, 7, 8], [9]], [[11]], [[]]], dtype=i8)");
  expect (acc_sequence_zip_with_many_nested ((AccSequence *[]) { documents, later }, 2, join, NULL),
          "nested([[[1, 2], [3], [], [4, 5, 6], [7]], [[8]], [[], [4, 5, 6], [7], []]], dtype=i8)");
  expect (acc_sequence_map_nested (words, split, NULL),
          "nested([[[1, 2], [2]], [[3], []], [[], []], [[4, 5, 6], [5, 6]], [[7], []], [[8], []], [[], []]], dtype=i8)");
  expect (acc_sequence_new_generate_nested (4, pyramid, NULL), "nested([[], [[1]], [[1], [2, 3]], [[1], [2, 3], [4, 5, 6]]], dtype=i8)");
}

static void
test_choices (void)
{
  g_autoptr(AccSequence) documents = new_documents (), some = acc_sequence_filter_nested (documents, has_words, GINT_TO_POINTER (0));
  g_autoptr(AccSequence) none = acc_sequence_filter_nested (documents, has_words, GINT_TO_POINTER (9));

  expect (g_object_ref (some), "nested([[[1, 2], [3]], [[], [4, 5, 6], [7]], [[8]], [[]]], dtype=i8)");
  expect (acc_sequence_map_nested (some, reverse, NULL), "nested([[[3], [1, 2]], [[7], [4, 5, 6], []], [[8]], [[]]], dtype=i8)");
  expect (g_object_ref (none), "nested([], dtype=i8)");
  expect (acc_sequence_take (documents, 3), "nested([[[1, 2], [3]], [], [[], [4, 5, 6], [7]]], dtype=i8)");
  expect (acc_sequence_drop (some, 2), "nested([[[8]], [[]]], dtype=i8)");
  expect (acc_sequence_take_while_nested (documents, has_words, GINT_TO_POINTER (1)), "nested([[[1, 2], [3]]], dtype=i8)");
  expect (acc_sequence_concat (some, documents),
          "nested([[[1, 2], [3]], [[], [4, 5, 6], [7]], [[8]], [[]], [[1, 2], [3]], [], [[], [4, 5, 6], [7]], [[8]], [[]]], dtype=i8)");
  expect (acc_sequence_concat (none, none), "nested([], dtype=i8)");
}

static void
test_batches (void)
{
  g_autoptr(AccSequence) documents = new_documents (), words = acc_sequence_expand (documents);
  g_autoptr(AccSequence) pairs = acc_sequence_batch_nested (words, 3), deep = acc_sequence_batch_nested (documents, 2);
  g_autoptr(AccSequence) numbers = acc_sequence_map_nested (documents, count_words, NULL);

  expect (g_object_ref (words), "nested([[1, 2], [3], [], [4, 5, 6], [7], [8], []], dtype=i8)");
  expect (g_object_ref (pairs), "nested([[[1, 2], [3], []], [[4, 5, 6], [7], [8]], [[]]], dtype=i8)");
  expect (acc_sequence_map_nested (pairs, flatten, NULL), "nested([[1, 2, 3], [4, 5, 6, 7, 8], []], dtype=i8)");
  g_assert_cmpuint (acc_sequence_get_depth (deep), ==, 3);
  expect (g_object_ref (deep), "nested([[[[1, 2], [3]], []], [[[], [4, 5, 6], [7]], [[8]]], [[[]]]], dtype=i8)");
  expect (acc_sequence_map_nested (deep, reverse, NULL), "nested([[[], [[1, 2], [3]]], [[[8]], [[], [4, 5, 6], [7]]], [[[]]]], dtype=i8)");
  expect (acc_sequence_expand (deep), "nested([[[1, 2], [3]], [], [[], [4, 5, 6], [7]], [[8]], [[]]], dtype=i8)");
  expect (acc_sequence_batch_nested (numbers, 2), "nested([[2, 0], [3, 1], [1]], dtype=i8)");
}

static AccNestedArray *reversed (AccNestedArray *some, gpointer data) { return acc_nested_array_reverse (some); }

static GPtrArray *
number_documents (AccArray *before, AccNestedArray *some, gpointer data)
{
  g_autoptr(AccArray) n = count (some);
  GPtrArray *results = g_ptr_array_new ();

  g_ptr_array_add (results, acc_array_zip_with (before, n, plus, NULL));
  if (data != NULL)
    g_ptr_array_add (results, g_object_ref (some));

  return results;
}

static void
test_results (void)
{
  g_autoptr(AccSequence) documents = new_documents (), none = acc_sequence_take (documents, 0), two = acc_sequence_take (documents, 3);
  g_autoptr(AccNestedArray) last = acc_sequence_last_nested (two, NULL), other = acc_sequence_last_nested (none, last);
  g_autoptr(AccNestedArray) no_other = acc_sequence_last_nested (none, NULL);
  g_autoptr(AccArray) zero = acc_array_unit (i8 (0));
  g_autoptr(GError) error = NULL;

  expect_nested (last, "nested([[], [4, 5, 6], [7]], dtype=i8)");
  expect_nested (other, "nested([[], [4, 5, 6], [7]], dtype=i8)");
  g_assert_null (acc_backend_run_nested (backend, no_other, NULL, &error));
  g_assert_error (error, ACC_ERROR, ACC_ERROR_SHAPE);
  expect_array (acc_sequence_count (documents), "array(5, dtype=i8)");
  expect_array (acc_sequence_lengths (documents), "array([2, 0, 3, 1, 1], dtype=i8)");
  expect_array (acc_sequence_elements (documents), "array([1, 2, 3, 4, 5, 6, 7, 8], dtype=i8)");
  expect_array (acc_sequence_fold_batch_nested (documents, zero, number_documents, NULL), "array(5, dtype=i8)");
  expect (acc_sequence_map_batches (documents, 2, reversed, NULL),
          "nested([[], [[1, 2], [3]], [[8]], [[], [4, 5, 6], [7]], [[]]], dtype=i8)");
  expect (acc_sequence_map_batch_nested (documents, zero, number_documents, documents),
          "nested([[[1, 2], [3]], [], [[], [4, 5, 6], [7]], [[8]], [[]]], dtype=i8)");
}

/* Of any rank, in memory or batches, of any depth. */
static void
test_many (void)
{
  for (guint rank = 1; rank <= (is_quick ? 1 : 2); rank++)
    for (guint depth = 2; depth <= (is_quick ? 2 : 3); depth++)
      for (guint regular = 0; regular < 2; regular++)
        {
          g_autoptr(AccNestedArray) all = make_many (12, rank, regular, depth), computed = acc_backend_run_nested (judge, all, NULL, NULL);
          g_autoptr(AccNestedArray) turned = acc_nested_array_map_nested (computed, reversed, NULL);
          g_autoptr(AccNestedArray) expected = acc_backend_run_nested (judge, turned, NULL, NULL);
          g_autofree char *same = acc_nested_array_to_string (computed), *other = acc_nested_array_to_string (expected);
          g_autoptr(AccSequence) held = acc_sequence_new_from_nested (computed), lazy = acc_sequence_new_from_nested (all);
          g_autoptr(AccSequence) first = acc_sequence_take (held, 3), rest = acc_sequence_drop (held, 3);

          expect (g_object_ref (held), same);
          expect (acc_sequence_map_nested (held, reverse, NULL), other);
          expect (acc_sequence_map_nested (lazy, reverse, NULL), other);
          expect (acc_sequence_concat (first, rest), same);
        }
}

int
main (int argc, char **argv)
{
  g_autoptr(GError) error = NULL;
  const char *name = g_getenv ("ACC_TEST_BACKENDS");

  g_test_init (&argc, &argv, NULL);
  judge = acc_backend_new_for_name ("interpreter", &error);
  g_assert_no_error (error);
  backend = acc_backend_new_for_name (name != NULL ? name : "interpreter", &error);
  if (backend == NULL)
    {
      printf ("1..0 # SKIP %s\n", error->message);
      return 0;
    }

  is_quick = strcmp (acc_backend_get_name (backend), "interpreter") != 0 && strcmp (acc_backend_get_name (backend), "native") != 0;
  g_test_add_func ("/nested-elements/functions", test_functions);
  g_test_add_func ("/nested-elements/choices", test_choices);
  g_test_add_func ("/nested-elements/batches", test_batches);
  g_test_add_func ("/nested-elements/results", test_results);
  g_test_add_func ("/nested-elements/many", test_many);
  g_test_add_func ("/nested-elements/producer", test_producer);
  g_test_add_func ("/nested-elements/program", test_program);
  g_test_add_func ("/nested-elements/bits", test_bits);
  g_test_add_func ("/nested-elements/refused", test_refused);
  g_test_add_func ("/nested-elements/limit", test_limit);
  g_test_add_func ("/nested-elements/large", test_large);
  g_test_add_func ("/nested-elements/scans", test_scans);
  g_test_add_func ("/nested-elements/many-scans", test_many_scans);
  g_test_add_func ("/nested-elements/random-scans", test_random_scans);
  g_test_add_func ("/nested-elements/refused-scans", test_refused_scans);
  g_test_add_func ("/nested-elements/numbered-zips", test_numbered_zips);

  return g_test_run ();
}
