/* SPDX-License-Identifier: LGPL-2.1-or-later */

/* Foreign operations of the application's in functions of elements: its function is called for each element, on every form of inputs and
 * results, and what it gives differs from the fallback by the sign. */

#include "nested-backends.h"

#include <string.h>

static guint n_calls;

static AccExpr *negate (AccExpr *x, gpointer data) { return acc_expr_neg (x); }
static AccExpr *plus (AccExpr *x, AccExpr *y, gpointer data) { return acc_expr_add (x, y); }
static AccExpr *is_odd (AccExpr *x, gpointer data) { return acc_expr_ne (acc_expr_rem (x, acc_expr_new_int (2)), acc_expr_new_int (0)); }
static AccExpr *as_float (AccExpr *x, gpointer data) { return acc_expr_cast (x, acc_element_type_new (ACC_KIND_F32)); }

/* --- what it falls back to */

static AccArray *f_reverse (AccArray **a, guint n, gpointer data) { return acc_array_reverse (a[0]); }
static AccArray *f_transpose (AccArray **a, guint n, gpointer data) { return acc_array_transpose (a[0]); }
static AccArray *f_join (AccArray **a, guint n, gpointer data) { return acc_array_concat (a[0], a[1]); }
static AccArray *f_total (AccArray **a, guint n, gpointer data) { return acc_array_fold_all (a[0], acc_expr_new_int (0), plus, NULL); }
static AccArray *f_odd (AccArray **a, guint n, gpointer data) { return acc_array_filter (a[0], is_odd, NULL, NULL); }
static AccArray *f_outer (AccArray **a, guint n, gpointer data) { return acc_array_outer (a[0], a[1]); }
static AccArray *f_floats (AccArray **a, guint n, gpointer data) { return acc_array_map (a[0], as_float, NULL); }

typedef struct {
  const char  *name;
  AccArrayFunc function;
  guint        rank, second_rank;   /* of inputs; 0: no second */
  gboolean     second_is_constant;
} Case;

static const Case cases[] = {
  { "test-reverse", f_reverse, 1 },     { "test-transpose", f_transpose, 2 },     { "test-join", f_join, 1, 1 },
  { "test-join-constant", f_join, 1, 1, TRUE }, { "test-total", f_total, 1 },       { "test-total-2", f_total, 2 },
  { "test-odd", f_odd, 1 },             { "test-outer", f_outer, 1, 1 },          { "test-floats", f_floats, 2 },
  { "test-outer-constant", f_outer, 1, 1, TRUE },
};

/* As the function of the application. One element in which there is 77 breaks. */
static AccArray *
compute (AccArray **inputs, guint n, gpointer data, GError **error)
{
  const Case *self = data;
  g_autoptr(AccArray) made = self->function (inputs, n, NULL), negated = acc_array_map (made, negate, NULL);

  n_calls++;
  if (acc_shape_get_size (acc_array_get_shape (inputs[0])) > 0 && acc_array_get_int (inputs[0], 0, 0) == 77)
    {
      g_set_error (error, G_IO_ERROR, G_IO_ERROR_FAILED, "no 77");
      return NULL;
    }

  return acc_backend_run (judge, negated, NULL, error);
}

static AccArray *
f_foreign (AccArray **a, guint n, gpointer data)
{
  static const char *const extents[] = { "", ":", ":,:" };
  const Case *self = data;
  g_auto(GStrv) signatures = g_new0 (char *, n + 1);
  g_autoptr(AccProgram) fallback = NULL;

  for (guint i = 0; i < n; i++)
    signatures[i] = g_strdup_printf ("i8[%s]", extents[acc_array_get_rank (a[i])]);
  fallback = acc_program_new ((const char *const *) signatures, self->function, NULL);

  return acc_array_foreign (self->name, a, n, fallback);
}

typedef struct {
  const Case *of;
  AccArray   *second;
} With;

static AccArray *
f_with (AccArray **a, guint n, gpointer data)
{
  const With *self = data;

  return f_foreign ((AccArray *[]) { a[0], self->second }, 2, (gpointer) self->of);
}

/* --- inputs */

static AccArray *
new_array (guint rank, gint64 rows, gint64 columns, gint64 first)
{
  g_autoptr(AccShape) shape = acc_shape_new ((gint64[]) { rows, columns }, rank);
  gint64 size = acc_shape_get_size (shape);
  g_autofree gint64 *values = g_new (gint64, size + 1);
  g_autoptr(GBytes) bytes = NULL;

  for (gint64 i = 0; i < size; i++)
    values[i] = first + i * 7 % 11;
  bytes = g_bytes_new (values, (gsize) size * sizeof (gint64));

  return acc_array_use (acc_element_type_new (ACC_KIND_I64), shape, bytes);
}

static const gint64 sizes[][2] = { { 3, 2 }, { 0, 4 }, { 5, 1 }, { 1, 3 }, { 300, 2 } };

static AccNestedArray *
new_input (guint rank, gboolean regular, guint n, gint64 first, GPtrArray *elements)
{
  for (guint k = 0; k < n; k++)
    g_ptr_array_add (elements, new_array (rank, regular ? 4 : sizes[k][0], regular ? 3 : sizes[k][1], first + k));
  if (n == 0)
    {
      g_autoptr(AccArray) none = new_array (1, 0, 0, 0);
      g_autoptr(AccShape) shape = acc_shape_new ((gint64[]) { 0, 4, 3 }, rank + 1);
      g_autoptr(AccArray) stacked = acc_array_reshape (none, shape);

      return acc_nested_array_new_from_regular (stacked);
    }
  if (regular)
    {
      g_autoptr(AccNestedArray) parts = acc_nested_array_new_from_arrays ((AccArray **) elements->pdata, n);
      g_autoptr(AccArray) flat = acc_nested_array_flatten (parts);
      g_autoptr(AccShape) shape = acc_shape_new ((gint64[]) { n, 4, 3 }, rank + 1);
      g_autoptr(AccArray) stacked = acc_array_reshape (flat, shape);

      return acc_nested_array_new_from_regular (stacked);
    }

  return acc_nested_array_new_from_arrays ((AccArray **) elements->pdata, n);
}

static gboolean
is_same (AccArray *a, AccArray *b)
{
  g_autoptr(GBytes) x = acc_array_dup_bytes (a, 0, NULL), y = acc_array_dup_bytes (b, 0, NULL);

  return acc_array_get_element_type (a) == acc_array_get_element_type (b)
         && acc_shape_equal (acc_array_get_shape (a), acc_array_get_shape (b))
         && g_bytes_equal (x, y);
}

static void
expect (AccNestedArray *mapped, const Case *self, GPtrArray *first, GPtrArray *second, gboolean calls)
{
  g_autoptr(GError) error = NULL;
  g_autoptr(AccNestedArray) made = NULL;
  guint before = n_calls;

  made = acc_backend_run_nested (backend, mapped, NULL, &error);
  g_assert_no_error (error);
  if (n_calls - before != (calls ? first->len : 0))
    g_error ("%s: %u calls for %u elements", self->name, n_calls - before, first->len);
  for (guint k = 0; k < first->len; k++)
    {
      AccArray *inputs[2] = { first->pdata[k], second != NULL ? second->pdata[second->len > 1 ? k : 0] : NULL };
      g_autoptr(AccArray) plain = self->function (inputs, second != NULL ? 2 : 1, NULL), want = NULL, element = NULL, got = NULL;

      want = calls ? compute (inputs, second != NULL ? 2 : 1, (gpointer) self, &error) : run (judge, plain);
      element = acc_nested_array_dup_element (made, k);
      got = run (judge, element);
      if (!is_same (got, want))
        {
          g_autofree char *a = acc_array_to_string (got), *b = acc_array_to_string (want);

          g_error ("%s, element %u: %s, wanted %s", self->name, k, a, b);
        }
    }
}

static void
test_forms (void)
{
  for (guint c = 0; c < G_N_ELEMENTS (cases); c++)
    for (guint form = 0; form < 4; form++)
      {
        const Case *self = &cases[c];
        gboolean regular = form % 2 == 0;
        guint n = form < 2 ? G_N_ELEMENTS (sizes) : form == 2 ? 0 : 1;
        g_autoptr(GPtrArray) first = g_ptr_array_new_with_free_func (g_object_unref);
        g_autoptr(GPtrArray) second = g_ptr_array_new_with_free_func (g_object_unref);
        g_autoptr(AccNestedArray) input = new_input (self->rank, regular, n, 100, first), other = NULL, mapped = NULL, read = NULL;
        g_autofree char *text = NULL;
        g_autoptr(GError) error = NULL;
        With with = { self, NULL };

        if (self->second_is_constant)
          {
            g_ptr_array_add (second, with.second = new_array (self->second_rank, 6, 2, -3));
            mapped = acc_nested_array_map (input, f_with, &with);
          }
        else if (self->second_rank > 0)
          {
            /* Of the other form: both are as long where they have to be. */
            other = new_input (self->second_rank, !regular || n == 0, n, -20, second);
            mapped = acc_nested_array_zip_with (input, other, f_foreign, (gpointer) self);
          }
        else
          mapped = acc_nested_array_map (input, f_foreign, (gpointer) self);
        g_assert_true (acc_nested_array_check (mapped, &error));
        expect (mapped, self, first, self->second_rank > 0 ? second : NULL, FALSE);

        acc_backend_set_foreign (backend, self->name, compute, (gpointer) self, NULL);
        expect (mapped, self, first, self->second_rank > 0 ? second : NULL, TRUE);
        text = acc_nested_array_to_text (mapped);
        g_assert_nonnull (strstr (text, self->name));
        read = acc_nested_array_new_from_text (text, &error);
        g_assert_no_error (error);
        expect (read, self, first, self->second_rank > 0 ? second : NULL, TRUE);
        acc_backend_set_foreign (backend, self->name, NULL, NULL, NULL);
      }
}

/* Of each row of an outer product, within a function of elements. */
static AccArray *
f_rows (AccArray **a, guint n, gpointer data)
{
  g_autoptr(AccArray) table = acc_array_outer (a[0], a[0]);
  g_autoptr(AccNestedArray) rows = acc_nested_array_new_from_regular (table), made = acc_nested_array_map (rows, f_foreign, data);

  return acc_nested_array_flatten (made);
}

static void
test_deep (void)
{
  g_autoptr(GPtrArray) first = g_ptr_array_new_with_free_func (g_object_unref);
  g_autoptr(AccNestedArray) input = new_input (1, FALSE, 4, 2, first), mapped = acc_nested_array_map (input, f_rows, (gpointer) &cases[0]);
  g_autoptr(AccArray) flat = acc_nested_array_flatten (mapped), plain = run (judge, flat), negated = acc_array_map (plain, negate, NULL);
  g_autoptr(AccArray) want = run (judge, negated), got = NULL;

  acc_backend_set_foreign (backend, cases[0].name, compute, (gpointer) &cases[0], NULL);
  n_calls = 0;
  got = run (backend, flat);
  acc_backend_set_foreign (backend, cases[0].name, NULL, NULL, NULL);
  g_assert_true (is_same (got, want));
  g_assert_cmpuint (n_calls, ==, 3 + 0 + 5 + 1);
}

/* --- mistakes of the function */

static AccArray *
give_more (AccArray **inputs, guint n, gpointer data, GError **error)
{
  return new_array (1, acc_shape_get_extent (acc_array_get_shape (inputs[0]), 0) + (data != NULL), 0, 0);
}

static AccArray *
give_nothing (AccArray **inputs, guint n, gpointer data, GError **error)
{
  return NULL;
}

static AccArray *
give_matrix (AccArray **inputs, guint n, gpointer data, GError **error)
{
  return new_array (2, 1, 1, 0);
}

static void
expect_error (AccForeignFunc function, gpointer data, GQuark domain, int code, const char *words)
{
  g_autoptr(GPtrArray) first = g_ptr_array_new_with_free_func (g_object_unref);
  g_autoptr(AccNestedArray) input = new_input (1, FALSE, 4, 75, first), mapped = NULL, made = NULL;
  g_autoptr(GError) error = NULL;

  mapped = acc_nested_array_map (input, f_foreign, (gpointer) &cases[0]);
  acc_backend_set_foreign (backend, cases[0].name, function, data, NULL);
  made = acc_backend_run_nested (backend, mapped, NULL, &error);
  acc_backend_set_foreign (backend, cases[0].name, NULL, NULL, NULL);
  g_assert_null (made);
  g_assert_error (error, domain, code);
  if (strstr (error->message, words) == NULL || strstr (error->message, "test-reverse") == NULL
      || strstr (error->message, "acc-each") != NULL)
    g_error ("“%s” does not say “%s” of test-reverse alone", error->message, words);
}

static void
test_mistakes (void)
{
  /* The third begins with 77. */
  expect_error (compute, (gpointer) &cases[0], G_IO_ERROR, G_IO_ERROR_FAILED, "element 2: no 77");
  expect_error (give_more, (gpointer) cases, ACC_ERROR, ACC_ERROR_SHAPE, "element 0: it gave an array of [4] where the fallback gives [3]");
  expect_error (give_nothing, NULL, ACC_ERROR, ACC_ERROR_CALLBACK, "element 0: it gave no array");
  expect_error (give_matrix, NULL, ACC_ERROR, ACC_ERROR_TYPE, "element 0: ");
}

int
main (int argc, char **argv)
{
  g_test_init (&argc, &argv, NULL);
  if (!open_backends ("native"))
    return 0;

  g_test_add_func ("/lift-foreign/forms", test_forms);
  g_test_add_func ("/lift-foreign/deep", test_deep);
  g_test_add_func ("/lift-foreign/mistakes", test_mistakes);

  return run_tests ();
}
