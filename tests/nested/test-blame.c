/* SPDX-License-Identifier: LGPL-2.1-or-later */

/* What a run says where a function of elements fails for some of them: the number of the first, and what the function says of it alone. Of
 * nested arrays, and of walks over sequences in steps of any size. */

#include "tests/nested/nested-backends.h"

#include "acc-seq/stream/acc-evaluate-private.h"
#include "acc-seq/stream/acc-memory-source-private.h"

#include <string.h>

static AccExpr *number (gint64 n) { return acc_expr_new_typed_int (acc_element_type_new (ACC_KIND_I64), n); }

static AccArray *
named (AccArray *array, const char *label)
{
  acc_array_set_label (array, label);

  return array;
}

/* --- functions */

static AccArray *
sixth (AccArray **a, guint n, gpointer data)
{
  return named (acc_array_unit (acc_expr_linear_index (a[0], number (5))), "sixth");
}

static AccExpr *reach (AccExpr *index, gpointer of) { return acc_expr_index (of, acc_expr_add (index, number (2))); }

/* Two columns further on, as long as there are; the last one is what an element of few does not have. */
static AccArray *
shifted (AccArray **a, guint n, gpointer data)
{
  AccExpr *length = acc_expr_min (acc_expr_extent (a[0], 0), number (4));

  return named (acc_array_generate_expr (length, reach, a[0]), "shifted");
}

static AccExpr *divide (AccExpr *x, gpointer data) { return acc_expr_quot (number (100), x); }
static AccArray *divided (AccArray **a, guint n, gpointer data) { return named (acc_array_map (a[0], divide, NULL), "divided"); }

static AccExpr *plus (AccExpr *x, AccExpr *y, gpointer data) { return acc_expr_add (x, y); }
/* Histograms of values below 90. */
static AccArray *
counted (AccArray **a, guint n, gpointer data)
{
  g_autoptr(AccShape) shape = acc_shape_new_vector (90);
  g_autoptr(AccArray) none = acc_array_fill (shape, number (0));

  return named (acc_array_permute (a[0], none, a[0], plus, NULL), "counted");
}

/* Of the number of the element alone. */
static AccArray *
looked_up (AccArray **a, guint n, gpointer data)
{
  static const gint64 four[] = { 1, 2, 3, 4 };
  g_autoptr(AccShape) shape = acc_shape_new_vector (4);
  g_autoptr(GBytes) bytes = g_bytes_new_static (four, sizeof four);
  g_autoptr(AccArray) table = acc_array_use (acc_element_type_new (ACC_KIND_I64), shape, bytes);

  return named (acc_array_unit (acc_expr_linear_index (table, acc_expr_the (a[0]))), "looked up");
}

static AccExpr *is_small (AccExpr *x, gpointer data) { return acc_expr_lt (acc_expr_quot (number (100), x), number (50)); }
static AccExpr *both (AccExpr *x, AccExpr *y, gpointer data) { return acc_expr_land (x, y); }
static AccArray *
all_small (AccArray **a, guint n, gpointer data)
{
  g_autoptr(AccArray) flags = named (acc_array_map (a[0], is_small, NULL), "small");

  return acc_array_fold (flags, acc_expr_new_bool (TRUE), both, NULL);
}

/* --- elements */

static const gint64 lengths[] = { 6, 8, 3, 7, 2, 9, 0, 6, 7 };
enum { N_ELEMENTS = G_N_ELEMENTS (lengths) };

/* Value @i of element @k: two elements have a zero, and two a value of 95. */
static gint64
value_of (guint k, gint64 i)
{
  return (k == 3 || k == 5) && i == 2 ? 0 : (k == 5 || k == 8) && i == 1 ? 95 : 1 + i + k;
}

static AccArray *
make_array (const gint64 *values, gint64 n)
{
  g_autoptr(AccShape) shape = acc_shape_new_vector (n);
  g_autoptr(GBytes) bytes = g_bytes_new (values, n * sizeof *values);

  return acc_array_use (acc_element_type_new (ACC_KIND_I64), shape, bytes);
}

static AccNestedArray *
make_nested (void)
{
  gint64 values[64], n = 0;
  g_autoptr(AccArray) all = NULL, each = make_array (lengths, N_ELEMENTS);

  for (guint k = 0; k < N_ELEMENTS; k++)
    for (gint64 i = 0; i < lengths[k]; i++)
      values[n++] = value_of (k, i);
  all = make_array (values, n);

  return acc_nested_array_new_from_lengths (all, each);
}

/* --- cases */

static const struct {
  const char  *name;
  AccArrayFunc function;
  gint64       element;    /* the first that fails */
  AccError     code;
  const char  *says[2];    /* what comes behind its number, and the interpreter's of that */
} cases[] = {
  { "index", sixth, 2, ACC_ERROR_BOUNDS,
    { "unit “sixth”: index 5 is outside extent 3", "unit “sixth”: index [5] is outside the extents [3]" } },
  { "shifted", shifted, 2, ACC_ERROR_BOUNDS,
    { "generate “shifted”: index ", "generate “shifted”: index [" } },
  { "division", divided, 3, ACC_ERROR_ARITHMETIC, { "map “divided”: division by zero", "map “divided”: division by zero" } },
  { "permute", counted, 5, ACC_ERROR_BOUNDS,
    { "permute “counted”: index 95 is outside extent 90", "permute “counted”: index [95] is outside the extents [90]" } },
};

static void
expect (const char *name, gint64 element, guint i, const GError *error)
{
  gboolean is_interpreter = g_str_equal (acc_backend_get_name (backend), "interpreter");
  g_autofree char *wanted = g_strdup_printf ("element %" G_GINT64_FORMAT ": %s", element, cases[i].says[is_interpreter]);

  g_assert_error (error, ACC_ERROR, (int) cases[i].code);
  if (strstr (error->message, wanted) == NULL || strstr (error->message, "-1") != NULL)
    {
      g_test_message ("%s: “%s” and not “%s”", name, error->message, wanted);
      g_test_fail ();
    }
}

static void
test_nested (gconstpointer data)
{
  guint i = GPOINTER_TO_UINT (data);
  g_autoptr(AccNestedArray) nested = make_nested (), mapped = acc_nested_array_map (nested, cases[i].function, NULL), computed = NULL;
  g_autoptr(AccArray) flat = acc_nested_array_flatten (mapped), total = acc_array_fold_all (flat, number (0), plus, NULL), sum = NULL;
  g_autoptr(GError) error = NULL, other = NULL;

  computed = acc_backend_run_nested (backend, mapped, NULL, &error);
  expect (cases[i].name, cases[i].element, i, error);
  /* What is made of it. */
  sum = acc_backend_run (backend, total, NULL, &other);
  expect (cases[i].name, cases[i].element, i, other);
}

static AccArray *
same (AccArray **a, guint n, gpointer data)
{
  return g_object_ref (a[0]);
}

/* Of elements behind the first four, which are those of a map of nested arrays of two levels. */
static void
test_derived (gconstpointer data)
{
  guint i = GPOINTER_TO_UINT (data);
  g_autoptr(AccArray) numbers = make_array ((gint64[]) { 7, 0, 1, cases[i].element, 7, cases[i].element }, 6);
  g_autoptr(AccArray) groups = make_array ((gint64[]) { 2, 0, 4 }, 3);
  g_autoptr(AccNestedArray) nested = make_nested (), chosen = acc_nested_array_gather (nested, numbers);
  g_autoptr(AccNestedArray) grouped = acc_nested_array_nest (chosen, groups);
  g_autoptr(AccNestedArray) before = acc_nested_array_map (grouped, same, NULL);
  g_autoptr(AccNestedArray) mapped = acc_nested_array_map (before, cases[i].function, NULL), computed = NULL;
  g_autoptr(GError) error = NULL;

  computed = acc_backend_run_nested (backend, mapped, NULL, &error);
  expect (cases[i].name, 3, i, error);
}

static const gint64 steps[] = { 0, 1, 2, 7 };

static void
says (const GError *error, AccError code, const char *wanted)
{
  g_assert_error (error, ACC_ERROR, (int) code);
  if (strstr (error->message, wanted) == NULL)
    {
      g_test_message ("“%s” and not “%s”", error->message, wanted);
      g_test_fail ();
    }
}

static void
test_sequence (gconstpointer data)
{
  guint i = GPOINTER_TO_UINT (data);
  g_autoptr(AccNestedArray) nested = make_nested ();
  g_autoptr(AccSequence) sequence = acc_sequence_new_from_nested (nested), mapped = acc_sequence_map (sequence, cases[i].function, NULL);
  g_autoptr(AccArray) elements = acc_sequence_elements (mapped);

  for (guint s = 0; s < G_N_ELEMENTS (steps); s++)
    {
      g_autoptr(GError) error = NULL;
      g_autoptr(GPtrArray) results = acc_evaluate_with_chunk_rows (backend, &elements, 1, steps[s], NULL, &error);

      expect (cases[i].name, cases[i].element, i, error);
    }
}

/* An element of the number, which is no function of the values. */
static void
test_numbers (void)
{
  g_autoptr(AccNestedArray) nested = make_nested (), mapped = acc_nested_array_imap (nested, looked_up, NULL), computed = NULL;
  g_autoptr(AccSequence) sequence = acc_sequence_new_from_nested (nested), walked = acc_sequence_imap (sequence, looked_up, NULL);
  g_autoptr(AccArray) elements = acc_sequence_elements (walked);
  g_autoptr(GError) error = NULL;

  computed = acc_backend_run_nested (backend, mapped, NULL, &error);
  says (error, ACC_ERROR_BOUNDS, "element 4: unit “looked up”: index ");
  for (guint s = 0; s < G_N_ELEMENTS (steps); s++)
    {
      g_autoptr(GError) other = NULL;
      g_autoptr(GPtrArray) results = acc_evaluate_with_chunk_rows (backend, &elements, 1, steps[s], NULL, &other);

      says (other, ACC_ERROR_BOUNDS, "element 4: unit “looked up”: index ");
    }
}

/* What decides which elements there are. */
static void
test_predicates (void)
{
  g_autoptr(AccNestedArray) nested = make_nested (), kept = acc_nested_array_filter (nested, all_small, NULL), computed = NULL;
  g_autoptr(AccSequence) sequence = acc_sequence_new_from_nested (nested), some = acc_sequence_filter (sequence, all_small, NULL);
  g_autoptr(AccArray) elements = acc_sequence_elements (some);
  g_autoptr(GError) error = NULL;

  computed = acc_backend_run_nested (backend, kept, NULL, &error);
  says (error, ACC_ERROR_ARITHMETIC, "element 3: map “small”: division by zero");
  for (guint s = 0; s < G_N_ELEMENTS (steps); s++)
    {
      g_autoptr(GError) other = NULL;
      g_autoptr(GPtrArray) results = acc_evaluate_with_chunk_rows (backend, &elements, 1, steps[s], NULL, &other);

      says (other, ACC_ERROR_ARITHMETIC, "element 3: map “small”: division by zero");
    }
}

static AccExpr *
add_items (AccExpr *index, gpointer data)
{
  return acc_expr_add (acc_expr_item (index, 0), acc_expr_item (index, 1));
}

static AccArray *
divided_sum (AccArray **a, guint n, gpointer data)
{
  g_autoptr(AccArray) quotients = divided (a, n, NULL);

  return acc_array_fold (quotients, number (0), plus, NULL);
}

/* What is read, and what would be more than memory may have, is not computed a second time. */
static void
test_not_again (void)
{
  g_autoptr(AccArray) values = make_array ((gint64[]) { 1, 2, 0, 4 }, 4), each = make_array ((gint64[]) { 1, 3 }, 2);
  g_autoptr(AccArray) rows = acc_memory_source_new_rows (values);
  g_autoptr(AccShape) shape = acc_shape_new ((gint64[]) { 1 << 15, 1 << 14 }, 2);
  g_autoptr(AccArray) many = acc_array_generate (shape, add_items, NULL);
  g_autoptr(AccNestedArray) read = acc_nested_array_new_from_lengths (rows, each), large = acc_nested_array_new_from_regular (many);

  for (guint i = 0; i < 2; i++)
    {
      g_autoptr(AccNestedArray) mapped = acc_nested_array_map (i == 0 ? read : large, divided_sum, NULL), computed = NULL;
      g_autoptr(GError) error = NULL;

      computed = acc_backend_run_nested (backend, mapped, NULL, &error);
      says (error, ACC_ERROR_ARITHMETIC, "division by zero");
      g_assert_null (strstr (error->message, "element"));
    }
}

/* Maps of maps know each other, and go together. */
static void
test_chain (void)
{
  enum { LENGTH = 20000 };
  g_autoptr(AccNestedArray) nested = make_nested ();
  gpointer values = acc_nested_array_get_values (nested);

  g_object_add_weak_pointer (values, &values);
  for (guint i = 0; i < LENGTH; i++)
    {
      AccNestedArray *next = acc_nested_array_map (nested, divided, NULL);

      g_object_unref (nested);
      nested = next;
    }
  g_clear_object (&nested);
  g_assert_null (values);
}

int
main (int argc, char *argv[])
{
  g_test_init (&argc, &argv, NULL);
  if (!open_backends ("native"))
    return 0;

  for (guint i = 0; i < G_N_ELEMENTS (cases); i++)
    {
      g_autofree char *nested = g_strdup_printf ("/blame/nested/%s", cases[i].name);
      g_autofree char *derived = g_strdup_printf ("/blame/derived/%s", cases[i].name);
      g_autofree char *sequence = g_strdup_printf ("/blame/sequence/%s", cases[i].name);

      g_test_add_data_func (nested, GUINT_TO_POINTER (i), test_nested);
      g_test_add_data_func (derived, GUINT_TO_POINTER (i), test_derived);
      g_test_add_data_func (sequence, GUINT_TO_POINTER (i), test_sequence);
    }
  g_test_add_func ("/blame/numbers", test_numbers);
  g_test_add_func ("/blame/predicates", test_predicates);
  g_test_add_func ("/blame/not-again", test_not_again);
  g_test_add_func ("/blame/chain", test_chain);

  return run_tests ();
}
