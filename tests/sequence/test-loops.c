/* SPDX-License-Identifier: LGPL-2.1-or-later */

/* Folds of scans of elements of a sequence, in loops over the values of each, against the same functions of each element by itself. */

#include <acc/acc.h>

#include "acc-seq/nested/acc-nested-array-private.h"
#include "acc-seq/stream/acc-evaluate-private.h"

#include <stdio.h>

static AccBackend *backend, *judge;

typedef AccArray *(*Function) (AccArray **a, guint n, gpointer data);

/* --- functions of elements */

static AccExpr *i8 (gint64 x) { return acc_expr_new_typed_int (acc_element_type_new (ACC_KIND_I64), x); }
static AccExpr *plus (AccExpr *x, AccExpr *y, gpointer data) { return acc_expr_add (x, y); }
static AccExpr *greater (AccExpr *x, AccExpr *y, gpointer data) { return acc_expr_max (x, y); }
static AccExpr *is_odd (AccExpr *x, gpointer data) { return acc_expr_band (x, i8 (1)); }
static AccExpr *with_place (AccExpr *i, AccExpr *x, gpointer data) { return acc_expr_add (acc_expr_mul (i, i8 (3)), x); }
static AccExpr *from_end (AccExpr *i, AccExpr *x, gpointer array) { return acc_expr_sub (acc_expr_extent (array, 0), acc_expr_add (i, x)); }
static AccExpr *times3 (AccExpr *x, AccExpr *y, AccExpr *z, gpointer data) { return acc_expr_mul (acc_expr_add (x, y), z); }
static AccExpr *quotient (AccExpr *x, gpointer data) { return acc_expr_quot (i8 (1000), acc_expr_add (acc_expr_abs (x), i8 (1))); }
static AccExpr *as_float (AccExpr *x, gpointer data) { return acc_expr_cast (x, acc_element_type_new (ACC_KIND_F64)); }
static AccExpr *is_positive (AccExpr *x, gpointer data) { return acc_expr_gt (x, i8 (0)); }

/* x · a + b after y: neither order nor brackets are the same. */
static AccExpr *
after (AccExpr *x, AccExpr *y, gpointer data)
{
  return acc_expr_tuple2 (acc_expr_mul (acc_expr_item (x, 0), acc_expr_item (y, 0)),
                          acc_expr_add (acc_expr_mul (acc_expr_item (x, 1), acc_expr_item (y, 0)), acc_expr_item (y, 1)));
}

static AccExpr *
line (AccExpr *x, gpointer data)
{
  return acc_expr_tuple2 (acc_expr_add (is_odd (x, NULL), i8 (2)), x);
}

static AccArray *
sum_of_sums (AccArray **a, guint n, gpointer data)
{
  g_autoptr(AccArray) sums = acc_array_scanl1 (a[0], plus, NULL);

  return acc_array_fold (sums, i8 (7), plus, NULL);
}

/* Several scans and folds, and functions of places. */
static AccArray *
many (AccArray **a, guint n, gpointer data)
{
  g_autoptr(AccArray) odd = acc_array_map (a[0], is_odd, NULL), count = acc_array_scanl1 (odd, plus, NULL);
  g_autoptr(AccArray) placed = acc_array_imap (count, with_place, NULL), behind = acc_array_imap (count, from_end, a[0]);
  g_autoptr(AccArray) most = acc_array_scanl1 (behind, greater, NULL), three = acc_array_zip_with3 (a[0], placed, most, times3, NULL);
  g_autoptr(AccArray) x = acc_array_fold (three, i8 (1), plus, NULL), y = acc_array_fold_all (most, i8 (-5), greater, NULL);

  acc_array_set_label (x, "of three");

  return acc_array_zip_with (x, y, plus, NULL);
}

static AccArray *
lines (AccArray **a, guint n, gpointer data)
{
  g_autoptr(AccArray) each = acc_array_map (a[0], line, NULL), all = acc_array_scanl1 (each, after, NULL);
  g_autoptr(AccArray) first = acc_array_unzip (all, 0), second = acc_array_unzip (all, 1), both = acc_array_zip (second, first);
  g_autoptr(AccArray) total = acc_array_fold (both, acc_expr_tuple2 (i8 (3), i8 (4)), after, NULL);

  return acc_array_unzip (total, 1);
}

static AccArray *
tests_sums (AccArray **a, guint n, gpointer data)
{
  g_autoptr(AccArray) total = sum_of_sums (a, n, data);

  return acc_array_map (total, is_positive, NULL);
}

/* --- and some that need memory, or other ways */

static AccArray *
gives_sums (AccArray **a, guint n, gpointer data)
{
  g_autoptr(AccArray) sums = acc_array_scanl1 (a[0], plus, NULL), total = acc_array_fold (sums, i8 (0), plus, NULL);

  return acc_array_zip_with (sums, sums, plus, NULL);
}

static AccArray *
reads_sums (AccArray **a, guint n, gpointer data)
{
  g_autoptr(AccArray) sums = acc_array_scanl1 (a[0], plus, NULL), reversed = acc_array_reverse (sums);
  g_autoptr(AccArray) total = acc_array_fold (sums, i8 (0), plus, NULL), other = acc_array_fold (reversed, i8 (0), plus, NULL);

  return acc_array_zip_with (total, other, plus, NULL);
}

static AccArray *
divides (AccArray **a, guint n, gpointer data)
{
  g_autoptr(AccArray) sums = acc_array_scanl1 (a[0], plus, NULL), quotients = acc_array_map (sums, quotient, NULL);

  return acc_array_fold (quotients, i8 (0), plus, NULL);
}

static AccArray *
rounds (AccArray **a, guint n, gpointer data)
{
  g_autoptr(AccArray) floats = acc_array_map (a[0], as_float, NULL), sums = acc_array_scanl1 (floats, plus, NULL);

  return acc_array_fold (sums, acc_expr_new_float (0), plus, NULL);
}

static const struct {
  const char *name;
  Function    function;
  gboolean    loops;
} cases[] = {
  { "sum-of-sums", sum_of_sums, TRUE },
  { "many", many, TRUE },
  { "lines", lines, TRUE },
  { "gives-sums", gives_sums, FALSE },
  { "reads-sums", reads_sums, FALSE },
  { "divides", divides, FALSE },
  { "rounds", rounds, FALSE },
};

/* --- elements */

static AccNestedArray *
make_elements (const gint64 *lengths, gint64 n)
{
  g_autoptr(GPtrArray) elements = g_ptr_array_new_with_free_func (g_object_unref);
  g_autoptr(AccNestedArray) nested = NULL;
  AccNestedArray *computed;
  g_autoptr(GError) error = NULL;

  for (gint64 i = 0; i < n; i++)
    {
      g_autoptr(AccShape) shape = acc_shape_new_vector (lengths[i]);
      gint64 *values = g_new (gint64, lengths[i] + 1);
      g_autoptr(GBytes) bytes = NULL;

      for (gint64 j = 0; j < lengths[i]; j++)
        values[j] = (i * 7919 + j * 104729) % 1009 - 300;
      bytes = g_bytes_new_take (values, (gsize) lengths[i] * sizeof (gint64));
      g_ptr_array_add (elements, acc_array_use (acc_element_type_new (ACC_KIND_I64), shape, bytes));
    }
  nested = acc_nested_array_new_from_arrays ((AccArray **) elements->pdata, elements->len);
  computed = acc_backend_run_nested (judge, nested, NULL, &error);
  g_assert_no_error (error);

  return computed;
}

static AccNestedArray *
make_even (gint64 n)
{
  g_autofree gint64 *lengths = g_new (gint64, n + 1);

  for (gint64 i = 0; i < n; i++)
    lengths[i] = i % 11 == 5 ? 0 : 1 + i * 37 % 90;

  return make_elements (lengths, n);
}

/* --- results */

static GBytes *
run_each (AccNestedArray *elements, gint64 n, Function function)
{
  GByteArray *all = g_byte_array_new ();

  for (gint64 i = 0; i < n; i++)
    {
      g_autoptr(AccArray) element = acc_nested_array_dup_element (elements, i), result = function (&element, 1, NULL);
      g_autoptr(GError) error = NULL;
      g_autoptr(AccArray) value = acc_backend_run (judge, result, NULL, &error);
      g_autoptr(GBytes) bytes = NULL;

      g_assert_no_error (error);
      bytes = acc_array_dup_bytes (value, 0, NULL);
      g_byte_array_append (all, g_bytes_get_data (bytes, NULL), g_bytes_get_size (bytes));
    }

  return g_byte_array_free_to_bytes (all);
}

static void
check_values (AccNestedArray *elements, gint64 n, guint which)
{
  static const gint64 steps[] = { 0, 1, 3, 17 };
  g_autoptr(GBytes) expected = run_each (elements, n, cases[which].function);
  g_autoptr(AccSequence) sequence = acc_sequence_new_from_nested (elements),
    mapped = acc_sequence_map (sequence, cases[which].function, NULL);
  g_autoptr(AccArray) all = acc_sequence_elements (mapped);

  for (guint i = 0; i < G_N_ELEMENTS (steps); i++)
    {
      g_autoptr(GError) error = NULL;
      g_autoptr(GPtrArray) results = acc_evaluate_with_chunk_rows (backend, &all, 1, steps[i], NULL, &error);
      g_autoptr(GBytes) bytes = NULL;

      g_assert_no_error (error);
      bytes = acc_array_dup_bytes (results->pdata[0], 0, NULL);
      if (!g_bytes_equal (bytes, expected))
        g_error ("%s, steps of %d: other values", cases[which].name, (int) steps[i]);
    }
}

/* --- graphs */

static gboolean
has_scan (AccNestedArray *elements, Function function, gboolean in_loops)
{
  g_autoptr(AccArray) parameter = acc_array_new_parameter (acc_element_type_new (ACC_KIND_I64), 1, NULL, 0);
  g_autoptr(AccArray) result = function (&parameter, 1, NULL);
  g_autoptr(AccNestedArray) applied = acc_nested_array_apply (&elements, 1, &parameter, NULL, result, in_loops ? ACC_APPLY_IN_LOOPS : 0);
  AccArray *values = acc_nested_array_get_values (applied);
  g_autoptr(GPtrArray) nodes = acc_array_sort_nodes (&values, 1);

  for (guint i = 0; i < nodes->len; i++)
    if (((AccArray *) g_ptr_array_index (nodes, i))->op == ACC_OP_SCANL1)
      return TRUE;

  return FALSE;
}

static void
test_case (gconstpointer data)
{
  guint which = GPOINTER_TO_UINT (data);
  g_autoptr(AccNestedArray) elements = make_even (70);

  g_assert_true (has_scan (elements, cases[which].function, FALSE));
  g_assert_true (has_scan (elements, cases[which].function, TRUE) != cases[which].loops);
  check_values (elements, 70, which);
}

/* One thread for a long element, and lanes that wait for it, would be slower than scans. */
static void
test_uneven (void)
{
  gint64 long_one[] = { 5, 40000, 3 }, waits[320];
  g_autoptr(AccNestedArray) first = make_elements (long_one, G_N_ELEMENTS (long_one)), second = NULL;

  for (guint i = 0; i < G_N_ELEMENTS (waits); i++)
    waits[i] = i % 16 == 3 ? 500 : 1;
  second = make_elements (waits, G_N_ELEMENTS (waits));
  g_assert_true (has_scan (first, sum_of_sums, TRUE));
  g_assert_true (has_scan (second, sum_of_sums, TRUE));
  check_values (first, G_N_ELEMENTS (long_one), 0);
  check_values (second, G_N_ELEMENTS (waits), 0);
}

static void
test_filter (void)
{
  g_autoptr(AccNestedArray) elements = make_even (70);
  g_autoptr(AccSequence) sequence = acc_sequence_new_from_nested (elements), kept = acc_sequence_filter (sequence, tests_sums, NULL);
  g_autoptr(GBytes) flags = run_each (elements, 70, tests_sums), sums = run_each (elements, 70, sum_of_sums);
  g_autoptr(AccSequence) totals = acc_sequence_map (kept, sum_of_sums, NULL);
  g_autoptr(AccArray) all = acc_sequence_elements (totals);
  g_autoptr(GError) error = NULL;
  g_autoptr(AccArray) result = acc_backend_run (backend, all, NULL, &error);
  g_autoptr(GBytes) bytes = NULL;
  gsize n = 0;

  g_assert_no_error (error);
  bytes = acc_array_dup_bytes (result, 0, NULL);
  for (guint i = 0; i < 70; i++)
    if (((const guint8 *) g_bytes_get_data (flags, NULL))[i] != 0)
      {
        g_assert_cmpuint (g_bytes_get_size (bytes), >, n * 8);
        g_assert_cmpint (((const gint64 *) g_bytes_get_data (bytes, NULL))[n++], ==, ((const gint64 *) g_bytes_get_data (sums, NULL))[i]);
      }
  g_assert_cmpuint (n * 8, ==, g_bytes_get_size (bytes));
  g_assert_cmpuint (n, >, 0);
  g_assert_cmpuint (n, <, 70);
}

int
main (int argc, char **argv)
{
  const char *name = g_getenv ("ACC_TEST_BACKENDS");
  g_autoptr(GError) error = NULL;

  g_test_init (&argc, &argv, NULL);
  judge = acc_backend_new_for_name ("interpreter", &error);
  g_assert_no_error (error);
  backend = acc_backend_new_for_name (name != NULL ? name : "interpreter", &error);
  if (backend == NULL)
    {
      printf ("1..0 # SKIP %s\n", error->message);
      return 0;
    }

  for (guint i = 0; i < G_N_ELEMENTS (cases); i++)
    {
      g_autofree char *path = g_strconcat ("/sequence-loops/", cases[i].name, NULL);

      g_test_add_data_func (path, GUINT_TO_POINTER (i), test_case);
    }
  g_test_add_func ("/sequence-loops/uneven", test_uneven);
  g_test_add_func ("/sequence-loops/filter", test_filter);

  return g_test_run ();
}
