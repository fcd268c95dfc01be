/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "nested-elements.h"

#include <string.h>

/* Scans and zips with numbers, of states and elements that are nested arrays. */

static GObject *
join (GObject **e, guint n, gpointer data)
{
  return G_OBJECT (acc_nested_array_concat (ACC_NESTED_ARRAY (e[0]), ACC_NESTED_ARRAY (e[1])));
}

static AccArray *
count_words (GObject *document)
{
  g_autoptr(AccExpr) n = acc_expr_ref_sink (acc_expr_extent (acc_nested_array_get_lengths (ACC_NESTED_ARRAY (document)), 0));

  return acc_array_unit (n);
}

static GObject *
add_words (GObject **e, guint n, gpointer data)
{
  g_autoptr(AccArray) words = count_words (e[1]);

  return G_OBJECT (acc_array_zip_with (ACC_ARRAY (e[0]), words, plus, NULL));
}

/* As one more vector behind those of the state. */
static GObject *
append (GObject **e, guint n, gpointer data)
{
  g_autoptr(AccArray) length = acc_array_unit (acc_expr_extent (ACC_ARRAY (e[1]), 0));
  g_autoptr(AccShape) one = acc_shape_new_vector (1);
  g_autoptr(AccArray) lengths = acc_array_reshape (length, one);
  g_autoptr(AccNestedArray) single = acc_nested_array_new_from_lengths (ACC_ARRAY (e[1]), lengths);

  return G_OBJECT (acc_nested_array_concat (ACC_NESTED_ARRAY (e[0]), single));
}

/* How many words there were, and the document before, which the new element has in front. */
static GPtrArray *
pair (GObject **e, guint n, gpointer data)
{
  GPtrArray *results = g_ptr_array_new ();

  g_ptr_array_add (results, add_words ((GObject *[]) { e[0], e[2] }, 2, NULL));
  g_ptr_array_add (results, g_object_ref (e[2]));
  g_ptr_array_add (results, data != NULL ? g_object_ref (results->pdata[0]) : join (e + 1, 2, NULL));

  return results;
}

static AccNestedArray *
no_words (void)
{
  g_autoptr(AccArray) none = use (NULL, 0);

  return acc_nested_array_new_from_lengths (none, none);
}

void
test_scans (void)
{
  g_autoptr(AccSequence) documents = new_documents (), words = acc_sequence_expand (documents), some = acc_sequence_take (words, 4);
  g_autoptr(AccSequence) later = acc_sequence_drop (documents, 3), filtered = acc_sequence_filter_nested (documents, has_words,
                                                                                                         GINT_TO_POINTER (1));
  g_autoptr(AccNestedArray) none = no_words (), end = NULL, two = acc_nested_array_take (none, 0);
  g_autoptr(AccArray) zero = acc_array_unit (i8 (0));
  g_autoptr(AccSequence) all = acc_sequence_scan_nested (documents, G_OBJECT (none), join, NULL);

  g_assert_cmpuint (acc_sequence_get_depth (all), ==, 2);
  g_assert_cmpint (acc_sequence_get_length (all), ==, 5);
  expect (acc_sequence_take (all, 3), "nested([[[1, 2], [3]], [[1, 2], [3]], [[1, 2], [3], [], [4, 5, 6], [7]]], dtype=i8)");
  end = acc_sequence_last_nested (all, NULL);
  expect_nested (end, "nested([[1, 2], [3], [], [4, 5, 6], [7], [8], []], dtype=i8)");
  expect (acc_sequence_scan_nested (documents, G_OBJECT (zero), add_words, NULL), "nested([2, 2, 5, 6, 7], dtype=i8)");
  expect (acc_sequence_scan_nested (some, G_OBJECT (none), append, NULL),
          "nested([[[1, 2]], [[1, 2], [3]], [[1, 2], [3], []], [[1, 2], [3], [], [4, 5, 6]]], dtype=i8)");
  expect (acc_sequence_scan_nested (filtered, G_OBJECT (two), join, NULL),
          "nested([[[1, 2], [3]], [[1, 2], [3], [], [4, 5, 6], [7]]], dtype=i8)");
  expect (acc_sequence_scan_many_nested (documents, (GObject *[]) { G_OBJECT (zero), G_OBJECT (none) }, 2, pair, NULL),
          "nested([[[1, 2], [3]], [[1, 2], [3]], [[], [4, 5, 6], [7]], [[], [4, 5, 6], [7], [8]], [[8], []]], dtype=i8)");
  expect (acc_sequence_scan_many_nested (later, (GObject *[]) { G_OBJECT (zero), G_OBJECT (none) }, 2, pair, zero),
          "nested([1, 2], dtype=i8)");
}

/* Of any rank and depth: what a scan that joins ends with is all of them. */
void
test_many_scans (void)
{
  for (guint rank = 1; rank <= (is_quick ? 1 : 2); rank++)
    for (guint regular = 0; regular < 2; regular++)
      {
        g_autoptr(AccNestedArray) all = make_many (9, rank, regular, 3), whole = acc_nested_array_flatten_level (all, 0);
        g_autoptr(AccNestedArray) none = acc_nested_array_take (whole, 0), computed = acc_backend_run_nested (judge, whole, NULL, NULL);
        g_autoptr(AccSequence) elements = acc_sequence_new_from_nested (all), states = NULL;
        g_autoptr(AccNestedArray) last = NULL;
        g_autofree char *text = acc_nested_array_to_string (computed);

        states = acc_sequence_scan_nested (elements, G_OBJECT (none), join, NULL);
        last = acc_sequence_last_nested (states, NULL);
        expect_nested (last, text);
      }
}

/* --- random numbers, and mistakes */

static AccArray *
draw (AccArray *state)
{
  g_autoptr(AccShape) one = acc_shape_new_scalar ();
  g_autoptr(AccArray) bits = acc_array_random_bits (acc_element_type_new (ACC_KIND_I64), one, 7, 0);

  return acc_array_zip_with (state, bits, plus, NULL);
}

static AccArray *draw_array (AccArray **a, guint n, gpointer data) { return draw (a[0]); }
static GObject *draw_nested (GObject **e, guint n, gpointer data) { return G_OBJECT (draw (ACC_ARRAY (e[0]))); }

/* They are those of the element, as in a scan of arrays. */
void
test_random_scans (void)
{
  g_autoptr(AccSequence) documents = new_documents (), words = acc_sequence_expand (documents), rows = acc_sequence_take (words, 5);
  g_autoptr(AccArray) zero = acc_array_unit (i8 (0));
  g_autoptr(AccSequence) plain = acc_sequence_scan (rows, zero, draw_array, NULL);
  g_autoptr(AccNestedArray) made = acc_sequence_to_nested (plain), computed = run_in_steps (made, 0);
  g_autofree char *text = acc_nested_array_to_string (computed);

  expect (acc_sequence_scan_nested (documents, G_OBJECT (zero), draw_nested, NULL), text);
}

static AccExpr *over (AccExpr *x, gpointer data) { return acc_expr_quot (i8 (1), acc_expr_sub (x, i8 (5))); }
static AccArray *f_over (AccArray **a, guint n, gpointer data) { return acc_array_map (a[0], over, NULL); }
static GObject *
divide (GObject **e, guint n, gpointer data)
{
  return G_OBJECT (acc_nested_array_map (ACC_NESTED_ARRAY (e[1]), f_over, NULL));
}
static GObject *same (GObject **e, guint n, gpointer data) { return g_object_ref (e[1]); }

static GPtrArray *
too_few (GObject **e, guint n, gpointer data)
{
  GPtrArray *results = g_ptr_array_new ();

  if (data != NULL)
    g_ptr_array_add (results, g_object_ref (e[0]));

  return results;
}

void
test_refused_scans (void)
{
  g_autoptr(AccSequence) documents = new_documents (), words = acc_sequence_expand (documents), failing = NULL;
  g_autoptr(AccNestedArray) none = no_words (), last = NULL;
  g_autoptr(AccArray) zero = acc_array_unit (i8 (0));
  GObject *states[] = { G_OBJECT (none), G_OBJECT (zero) };
  g_autoptr(GError) error = NULL;

  refuse (acc_sequence_scan_nested (documents, states[0], NULL, NULL), ACC_ERROR_CALLBACK, "no function was given");
  refuse (acc_sequence_scan_nested (documents, states[1], same, NULL), ACC_ERROR_SHAPE, "1 levels from a state of 0");
  refuse (acc_sequence_scan_nested (words, states[0], same, NULL), ACC_ERROR_SHAPE, "0 levels from a state of 1");
  refuse (acc_sequence_scan_many_nested (documents, states, 0, too_few, NULL), ACC_ERROR_SHAPE, "no states");
  refuse (acc_sequence_scan_many_nested (documents, states, 2, too_few, NULL), ACC_ERROR_CALLBACK, "returned nothing");
  refuse (acc_sequence_scan_many_nested (documents, states, 1, too_few, documents), ACC_ERROR_CALLBACK, "in place of 2");

  failing = acc_sequence_scan_nested (documents, states[0], divide, NULL);
  last = acc_sequence_last_nested (failing, NULL);
  g_assert_null (acc_backend_run_nested (backend, last, NULL, &error));
  g_assert_error (error, ACC_ERROR, ACC_ERROR_ARITHMETIC);
  if (strstr (error->message, "element 2, 1: ") == NULL)
    g_error ("%s", error->message);
}

/* --- zips */

static AccExpr *plus_the (AccExpr *x, gpointer number) { return acc_expr_add (x, acc_expr_the (number)); }
static AccArray *f_add_the (AccArray **a, guint n, gpointer number) { return acc_array_map (a[0], plus_the, number); }

static GObject *
join_and_add (GObject **e, guint n, gpointer data)
{
  g_autoptr(AccNestedArray) both = ACC_NESTED_ARRAY (join (e + 1, 2, NULL));

  return G_OBJECT (acc_nested_array_map (both, f_add_the, e[0]));
}

void
test_numbered_zips (void)
{
  g_autoptr(AccSequence) documents = new_documents (), later = acc_sequence_drop (documents, 2);

  expect (acc_sequence_izip_with_many_nested ((AccSequence *[]) { documents, later }, 2, join_and_add, NULL),
          "nested([[[1, 2], [3], [], [4, 5, 6], [7]], [[9]], [[], [6, 7, 8], [9], []]], dtype=i8)");
  expect (acc_sequence_zip_with_nested (documents, later, join, NULL),
          "nested([[[1, 2], [3], [], [4, 5, 6], [7]], [[8]], [[], [4, 5, 6], [7], []]], dtype=i8)");
}
