/* SPDX-License-Identifier: LGPL-2.1-or-later */

/* Elements that are larger than the memory limit, between small ones: what maps, folds and scans goes in bands, what reads in another order
 * by external algorithms, and gives the same bits; what cannot is refused with the element's number. */

#include "tests/nested/nested-backends.h"

#include <string.h>

static gboolean is_on_host, is_interpreter;

/* It stands for as many values as are large. */
enum { LARGE = 1 << 18, LARGE_OF_INTERPRETER = 1 << 16 };

static gint64
count_values (gint64 length)
{
  return length == LARGE && is_interpreter ? LARGE_OF_INTERPRETER : length;
}

static AccExpr *plus (AccExpr *x, AccExpr *y, gpointer data) { return acc_expr_add (x, y); }
static AccExpr *
twice (AccExpr *x, gpointer data)
{
  return acc_expr_add (x, x);
}
static AccExpr *minus (AccExpr *x, gpointer total) { return acc_expr_sub (x, acc_expr_the (total)); }
static AccExpr *zero (AccArray *like) { return acc_expr_cast (acc_expr_new_int (0), acc_array_get_element_type (like)); }

static AccExpr *neighbours (AccExpr *n, gpointer data) { return acc_expr_sub (acc_expr_neighbour1 (n, -1), acc_expr_neighbour1 (n, 1)); }

static AccArray *mapped (AccArray **a, guint n, gpointer data) { return acc_array_map (a[0], twice, NULL); }
static AccArray *summed (AccArray **a, guint n, gpointer data) { return acc_array_fold (a[0], zero (a[0]), plus, NULL); }
static AccArray *scanned (AccArray **a, guint n, gpointer data) { return acc_array_scanl1 (a[0], plus, NULL); }
static AccArray *scanned_from (AccArray **a, guint n, gpointer data) { return acc_array_scanl (a[0], zero (a[0]), plus, NULL); }
static AccExpr *
compose (AccExpr *x, AccExpr *y, gpointer data)
{
  g_autoptr(AccExpr) a = acc_expr_ref_sink (acc_expr_item (y, 0));

  return acc_expr_tuple2 (acc_expr_mul (acc_expr_item (x, 0), a),
                          acc_expr_add (acc_expr_mul (acc_expr_item (x, 1), a), acc_expr_item (y, 1)));
}
static AccExpr *
map_of (AccExpr *x, gpointer data)
{
  AccElementType *type = acc_expr_get_element_type (x);
  double a = acc_element_type_get_kind (type) == ACC_KIND_F64 ? 0.8 : 3;

  return acc_expr_tuple2 (acc_expr_cast (acc_expr_new_float (a), type), x);
}
/* Maps x * a + b one after the other: does not commute. */
static AccArray *
composed (AccArray **a, guint n, gpointer data)
{
  g_autoptr(AccArray) maps = acc_array_map (a[0], map_of, NULL), scanned_maps = acc_array_scanl1 (maps, compose, NULL);

  return acc_array_unzip (scanned_maps, 1);
}
static AccExpr *number (gint64 n) { return acc_expr_new_typed_int (acc_element_type_new (ACC_KIND_I64), n); }
/* Sums of rows of few elements, which go in another order than those of many. */
static AccArray *
summed_rows (AccArray **a, guint n, gpointer data)
{
  enum { WIDTH = 61 };
  g_autoptr(AccExpr) n_rows = acc_expr_ref_sink (acc_expr_quot (acc_expr_extent (a[0], 0), number (WIDTH)));
  g_autoptr(AccArray) some = acc_array_take_on (a[0], 0, acc_expr_mul (n_rows, number (WIDTH)));
  g_autoptr(AccArray) rows = acc_array_reshape_expr (some, acc_expr_tuple2 (n_rows, number (WIDTH)));

  return acc_array_fold (rows, zero (a[0]), plus, NULL);
}
static AccArray *doubled (AccArray **a, guint n, gpointer data) { return acc_array_concat (a[0], a[0]); }
static AccArray *sorted (AccArray **a, guint n, gpointer data) { return acc_array_sort (a[0], FALSE); }
static AccArray *from_right (AccArray **a, guint n, gpointer data) { return acc_array_scanr1 (a[0], plus, NULL); }

static AccArray *
blurred (AccArray **a, guint n, gpointer data)
{
  g_autoptr(AccBoundary) clamp = acc_boundary_new (ACC_BOUNDARY_CLAMP);

  return acc_array_stencil (a[0], (gint64[]) { 3 }, 1, clamp, neighbours, NULL);
}

static AccArray *
centred (AccArray **a, guint n, gpointer data)
{
  g_autoptr(AccArray) total = summed (a, n, NULL);

  return acc_array_map (a[0], minus, total);
}

/* Where elements of twice the limit go. */
enum { ON_PROCESSORS = 1 << 0, ON_INTERPRETER = 1 << 1, ON_BOTH = ON_PROCESSORS | ON_INTERPRETER };

static const struct { const char *name; AccArrayFunc function; guint goes; } functions[] = {
  { "map", mapped, ON_BOTH }, { "scan", scanned, ON_BOTH }, { "scan-from", scanned_from, ON_BOTH }, { "concat", doubled, ON_BOTH },
  { "compose", composed, ON_BOTH }, { "rows", summed_rows, 0 }, { "centre", centred, ON_BOTH },
  { "stencil", blurred, ON_BOTH }, { "sort", sorted, ON_BOTH }, { "scan-right", from_right, ON_BOTH }, };

/* --- elements */

static AccArray *
make_element (AccElementType *type, gint64 n, guint seed)
{
  g_autoptr(AccShape) shape = acc_shape_new_vector (n);
  gboolean is_float = acc_element_type_get_kind (type) == ACC_KIND_F64;
  gsize size = is_float ? 8 : 4;
  guint8 *data = g_malloc (n * size + 1);
  g_autoptr(GBytes) bytes = NULL;

  for (gint64 i = 0; i < n; i++)
    {
      gint32 number = (gint32) ((i * 7919 + seed * 31) % 1000);
      double real = number / 8.1;   /* sums are not exact */

      memcpy (data + i * size, is_float ? (gconstpointer) &real : &number, size);
    }
  bytes = g_bytes_new_take (data, n * size);

  return acc_array_use (type, shape, bytes);
}

/* Lists, and the values of a nested array. */
static AccSequence *
make_sequence (AccElementType *type, const gint64 *lengths, gboolean as_nested)
{
  g_autoptr(GListStore) store = g_list_store_new (ACC_TYPE_ARRAY);
  g_autoptr(GPtrArray) arrays = g_ptr_array_new_with_free_func (g_object_unref);
  g_autoptr(AccNestedArray) nested = NULL;

  for (guint i = 0; lengths[i] >= 0; i++)
    {
      g_ptr_array_add (arrays, make_element (type, count_values (lengths[i]), i));
      g_list_store_append (store, arrays->pdata[i]);
    }
  if (!as_nested)
    return acc_sequence_new_from_arrays (G_LIST_MODEL (store));

  {
    g_autoptr(AccNestedArray) all = acc_nested_array_new_from_arrays ((AccArray **) arrays->pdata, arrays->len);

    nested = acc_backend_run_nested (judge, all, NULL, NULL);
  }

  return acc_sequence_new_from_nested (nested);
}

static const gint64 patterns[][7] = {
  { LARGE, -1 }, { 5, LARGE, -1 }, { LARGE, 5, -1 }, { 1, LARGE, 0, LARGE, 3, -1 }, { 0, 2, LARGE, LARGE, -1 },
};

static gboolean
same_bits (AccArray *x, AccArray *y)
{
  g_autoptr(GBytes) a = acc_array_dup_bytes (x, 0, NULL), b = acc_array_dup_bytes (y, 0, NULL);

  return g_bytes_equal (a, b);
}

/* @wanted of a memory limit of @allowed bytes: the same bits, or refused; which. */
static gboolean
check (const char *name, AccArray *wanted, guint64 allowed)
{
  g_autoptr(AccArray) right = acc_backend_run (backend, wanted, NULL, NULL), got = NULL;
  g_autoptr(GError) error = NULL;

  acc_backend_set_memory_limit (backend, allowed);
  got = acc_backend_run (backend, wanted, NULL, &error);
  acc_backend_set_memory_limit (backend, 0);
  if (got == NULL)
    {
      g_assert_error (error, ACC_ERROR, ACC_ERROR_OUT_OF_MEMORY);
      if (strstr (error->message, "element") == NULL)
        g_error ("%s: %s names no element", name, error->message);
      g_test_message ("%s, %" G_GUINT64_FORMAT " bytes: %s", name, allowed, error->message);
    }
  else if (!same_bits (got, right))
    {
      g_test_message ("%s, %" G_GUINT64_FORMAT " bytes: other bits", name, allowed);
      g_test_fail ();
    }

  return got != NULL;
}

static void
test_function (gconstpointer number)
{
  guint f = GPOINTER_TO_UINT (number);
  const char *const codes[] = { "f8", "i4" };

  for (guint t = 0; t < G_N_ELEMENTS (codes); t++)
    for (guint p = 0; p < G_N_ELEMENTS (patterns); p++)
      {
        gboolean as_nested = (t + p + f) % 2;
        g_autoptr(AccElementType) type = acc_element_type_parse (codes[t], NULL);
        g_autoptr(AccSequence) sequence = make_sequence (type, patterns[p], as_nested);
        g_autoptr(AccSequence) made = acc_sequence_map (sequence, functions[f].function, NULL);
        g_autoptr(AccSequence) sums = acc_sequence_map (made, summed, NULL);
        g_autoptr(AccArray) each = acc_sequence_elements (sums), all = acc_sequence_elements (made);
        guint64 bytes = (guint64) count_values (LARGE) * (t == 0 ? 8 : 4);
        g_autofree char *name = g_strdup_printf ("%s, %s, pattern %u%s", functions[f].name, codes[t], p, as_nested ? ", nested" : "");

        /* It is slow. */
        if (is_interpreter && p != 3)
          continue;

        /* Half of what an element has. */
        if (!check (name, each, bytes / 2) && (functions[f].goes & (is_on_host ? ON_PROCESSORS : is_interpreter ? ON_INTERPRETER : 0)) != 0)
          {
            g_test_message ("%s is refused", name);
            g_test_fail ();
          }
        /* Results that have to be in memory whole may be refused anywhere, but nothing else happens. */
        for (guint k = 1; k < 5000 && p < 2; k *= 3)
          check (name, each, k);
        for (guint k = 1; k < 12 && !is_interpreter; k += 3)
          check (name, p % 2 ? all : each, bytes * k / 4 + 100 * k);
      }
}

/* --- one value, and ten million, in turn */

enum { HUGE_ELEMENT = 10000000, IN_TURN = 6 };

static AccArray *
widened (AccArray **a, guint n, gpointer data)
{
  return acc_array_cast (a[0], acc_element_type_new (ACC_KIND_I64));
}

static AccArray *
widened_scan (AccArray **a, guint n, gpointer data)
{
  g_autoptr(AccArray) wide = widened (a, n, NULL), sums = acc_array_scanl1 (wide, plus, NULL);

  return acc_array_stencil (sums, (gint64[]) { 3 }, 1, data, neighbours, NULL);
}

static void
test_in_turn (void)
{
  enum { LIMIT = 4 << 20 };   /* less than half of the bytes of an element */
  g_autoptr(AccBoundary) clamp = acc_boundary_new (ACC_BOUNDARY_CLAMP);
  g_autoptr(GListStore) store = g_list_store_new (ACC_TYPE_ARRAY);
  gint64 wanted[2][IN_TURN] = { { 0 } };
  g_autoptr(AccSequence) sequence = NULL, wide = NULL, scanned_too = NULL, sums = NULL, differences = NULL;
  g_autoptr(GError) error = NULL;

  for (guint k = 0; k < IN_TURN; k++)
    {
      gsize n = k % 2 ? HUGE_ELEMENT : 1;
      guint8 *data = g_malloc (n);
      g_autoptr(AccShape) shape = acc_shape_new_vector ((gint64) n);
      g_autoptr(GBytes) bytes = NULL;
      g_autoptr(AccArray) array = NULL;

      for (gsize i = 0; i < n; i++)
        {
          data[i] = (guint8) ((i + k) * 7919 >> 3);
          wanted[0][k] += data[i];
        }
      /* All but the ends cancel each other. */
      wanted[1][k] = 2 * (data[0] - wanted[0][k]);
      bytes = g_bytes_new_take (data, n);
      array = acc_array_use (acc_element_type_new (ACC_KIND_U8), shape, bytes);
      g_list_store_append (store, array);
    }

  sequence = acc_sequence_new_from_arrays (G_LIST_MODEL (store));
  wide = acc_sequence_map (sequence, widened, NULL);
  scanned_too = acc_sequence_map (sequence, widened_scan, clamp);
  sums = acc_sequence_map (wide, summed, NULL);
  differences = acc_sequence_map (scanned_too, summed, NULL);

  acc_backend_set_memory_limit (backend, LIMIT);
  for (guint i = 0; i < 2; i++)
    {
      g_autoptr(AccArray) all = acc_sequence_elements (i == 0 ? sums : differences);
      g_autoptr(AccArray) got = acc_backend_run (backend, all, NULL, &error);

      g_assert_no_error (error);
      for (guint k = 0; k < IN_TURN; k++)
        g_assert_cmpint (acc_array_get_int (got, 0, k), ==, wanted[i][k]);
    }
  acc_backend_set_memory_limit (backend, 0);
}

/* --- before anything is computed */

static AccExpr *yes (AccExpr *x, AccExpr *y, gpointer data) { return acc_expr_new_bool (TRUE); }
static AccExpr *is_there (AccExpr *x, gpointer data) { return acc_expr_eq (x, x); }
static AccArray *
always (AccArray **a, guint n, gpointer data)
{
  g_autoptr(AccArray) flags = acc_array_map (a[0], is_there, NULL);

  return acc_array_fold (flags, acc_expr_new_bool (TRUE), yes, NULL);
}

/* How many elements a job of @array has gone through when it ends, and with which error. */
static gint64
count_done (AccArray *array, GError **error)
{
  g_autoptr(AccJob) job = acc_backend_start_run (backend, array, NULL);

  g_assert_cmpint (acc_job_wait (job, error), ==, error == NULL || *error == NULL);

  return (gint64) acc_job_get_elements_done (job);
}

/* The third of five elements has no room: only where it is wanted is that an error, and that of the walk as a whole. */
static void
test_before (gconstpointer as_nested)
{
  static const gint64 lengths[] = { 5, 7, LARGE, 3, 11, -1 };
  g_autoptr(AccElementType) type = acc_element_type_parse ("i4", NULL);
  g_autoptr(AccSequence) sequence = make_sequence (type, lengths, as_nested != NULL);
  g_autoptr(AccSequence) made = acc_sequence_map (sequence, mapped, NULL), first = acc_sequence_take (made, 2);
  g_autoptr(AccSequence) kept = acc_sequence_filter (made, always, NULL);
  g_autoptr(AccArray) all = acc_sequence_elements (made), some = acc_sequence_elements (first), others = acc_sequence_elements (kept);
  guint64 bytes = (guint64) count_values (LARGE) * 4;
  g_autofree char *wanted = g_strdup_printf ("element 2 of %" G_GUINT64_FORMAT " bytes, alone: ", bytes);
  g_autofree char *told = g_strdup_printf (" is the largest, of %" G_GUINT64_FORMAT " bytes", bytes);
  g_autofree char *text = NULL;
  g_autoptr(AccPlan) plan = NULL;
  g_autoptr(GError) error = NULL, other = NULL;

  acc_backend_set_memory_limit (backend, bytes / 2);
  g_assert_cmpint (count_done (all, &error), ==, 0);
  g_assert_error (error, ACC_ERROR, ACC_ERROR_OUT_OF_MEMORY);
  if (strstr (error->message, wanted) == NULL)
    g_error ("%s", error->message);
  /* How much a filter lets through is known when it comes. */
  g_assert_cmpint (count_done (others, &other), ==, 2);
  g_assert_error (other, ACC_ERROR, ACC_ERROR_OUT_OF_MEMORY);
  if (strstr (other->message, wanted) == NULL)
    g_error ("%s", other->message);
  g_assert_cmpint (count_done (some, NULL), ==, 2);

  plan = acc_backend_plan (backend, all, NULL, 0, NULL);
  text = acc_plan_to_string (plan);
  acc_backend_set_memory_limit (backend, 0);
  if (strstr (text, "element 2 of ") == NULL || strstr (text, told) == NULL)
    g_error ("%s", text);
}

int
main (int argc, char *argv[])
{
  g_test_init (&argc, &argv, NULL);
  if (!open_backends ("native"))
    return 0;

  is_on_host = g_str_equal (acc_backend_get_name (backend), "native");
  is_interpreter = g_str_equal (acc_backend_get_name (backend), "interpreter");
  for (guint i = 0; i < G_N_ELEMENTS (functions); i++)
    {
      g_autofree char *path = g_strdup_printf ("/sequence/large-elements/%s", functions[i].name);

      g_test_add_data_func (path, GUINT_TO_POINTER (i), test_function);
    }
  if (!is_interpreter)
    g_test_add_func ("/sequence/large-elements/in-turn", test_in_turn);
  /* Devices map it in bands, and leave it in memory of the host: test-room.c has what they refuse. */
  if (is_on_host || is_interpreter)
    {
      g_test_add_data_func ("/sequence/large-elements/before/nested", "", test_before);
      g_test_add_data_func ("/sequence/large-elements/before/list", NULL, test_before);
    }

  return run_tests ();
}
