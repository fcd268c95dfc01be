/* SPDX-License-Identifier: LGPL-2.1-or-later */

/* Nested arrays as text and as variants, there and back, and texts that are none. */

#include <acc/acc.h>

#include <string.h>

static AccBackend *backend;

static AccArray *
numbers (const gint64 *values, gint64 n)
{
  g_autoptr(GBytes) bytes = g_bytes_new (values, n * sizeof *values);
  g_autoptr(AccShape) shape = acc_shape_new_vector (n);

  return acc_array_use (acc_element_type_new (ACC_KIND_I64), shape, bytes);
}

/* As many values of @type as lengths say, of bytes that differ. */
static AccNestedArray *
make_rows (const char *code)
{
  static const gint64 lengths[] = { 2, 0, 3, 1 };
  g_autoptr(AccElementType) type = acc_element_type_parse (code, NULL);
  g_autoptr(GPtrArray) buffers = g_ptr_array_new_with_free_func ((GDestroyNotify) g_bytes_unref);
  g_autoptr(AccShape) shape = acc_shape_new_vector (6);
  g_autoptr(AccArray) values = NULL, descriptor = numbers (lengths, 4);

  for (guint i = 0; i < acc_element_type_get_n_buffers (type); i++)
    {
      AccElementType *own = acc_element_type_get_buffer (type, i);
      gboolean is_bool = acc_element_type_get_leaf (own, 0) == ACC_KIND_BOOL;
      gsize size = 6 * acc_element_type_get_size (own);
      guint8 *data = g_malloc (size + 1);

      for (gsize k = 0; k < size; k++)
        data[k] = is_bool ? k % 2 : (k * 7 + i) % 60;
      g_ptr_array_add (buffers, g_bytes_new_take (data, size));
    }
  values = acc_array_use_buffers (type, shape, (GBytes **) buffers->pdata, buffers->len);

  return acc_nested_array_new_from_lengths (values, descriptor);
}

static char *
show (AccNestedArray *nested)
{
  g_autoptr(GError) error = NULL;
  g_autoptr(AccNestedArray) made = acc_backend_run_nested (backend, nested, NULL, &error);

  g_assert_no_error (error);
  return acc_nested_array_to_string (made);
}

static void
check_text (AccNestedArray *nested)
{
  g_autofree char *text = acc_nested_array_to_text (nested), *before = show (nested), *after = NULL, *again = NULL;
  g_autoptr(GError) error = NULL;
  g_autoptr(AccNestedArray) read = acc_nested_array_new_from_text (text, &error);

  g_assert_no_error (error);
  after = show (read);
  g_assert_cmpstr (before, ==, after);
  g_assert_cmpint (acc_nested_array_is_manifest (nested), ==, acc_nested_array_is_manifest (read));
  g_assert_cmpint (acc_nested_array_get_form (nested), ==, acc_nested_array_get_form (read));
  g_assert_cmpuint (acc_nested_array_get_depth (nested), ==, acc_nested_array_get_depth (read));
  again = acc_nested_array_to_text (read);
  if (acc_nested_array_is_manifest (nested))
    g_assert_cmpstr (text, ==, again);
}

static void
check_variant (AccNestedArray *nested)
{
  g_autoptr(GError) error = NULL;
  g_autoptr(AccNestedArray) made = acc_backend_run_nested (backend, nested, NULL, NULL), read = NULL;
  g_autoptr(GVariant) variant = acc_nested_array_to_variant (made, &error), again = NULL;
  g_autofree char *before = acc_nested_array_to_string (made), *after = NULL;

  g_assert_no_error (error);
  read = acc_nested_array_new_from_variant (acc_nested_array_get_element_type (made), variant, &error);
  g_assert_no_error (error);
  after = acc_nested_array_to_string (read);
  g_assert_cmpstr (before, ==, after);
  again = acc_nested_array_to_variant (read, &error);
  g_assert_true (g_variant_equal (variant, again));
}

static AccNestedArray *
add_level (AccNestedArray *rows, const gint64 *lengths, gint64 n)
{
  g_autoptr(AccArray) own = numbers (lengths, n);

  return acc_nested_array_nest (rows, own);
}

static void
test_types (void)
{
  static const char *const codes[] = {
    "b1", "i1", "i2", "i4", "i8", "u1", "u2", "u4", "u8", "f2", "f4", "f8", "c4", "c8", "c16", "3f4", "4u1", "(i4,f8)", "(b1,(u1,c8),3f4)",
    "(f4,)", };
  static const gint64 first[] = { 1, 0, 3 }, second[] = { 0, 2, 1 };

  for (guint i = 0; i < G_N_ELEMENTS (codes); i++)
    {
      g_autoptr(AccNestedArray) rows = make_rows (codes[i]), groups = add_level (rows, first, 3), deep = add_level (groups, second, 3);
      g_autoptr(AccNestedArray) made = acc_backend_run_nested (backend, deep, NULL, NULL),
        row = acc_backend_run_nested (backend, rows, NULL, NULL);

      check_text (rows);
      check_text (groups);
      check_text (deep);
      check_text (made);
      check_text (row);
      check_variant (rows);
      check_variant (deep);
    }
}

static AccArray *seven (AccArray **arrays, guint n, gpointer data) { return acc_array_unit (acc_expr_new_int (7)); }
static AccArray *reversed (AccArray **arrays, guint n, gpointer data) { return acc_array_reverse (arrays[0]); }
static AccArray *square (AccArray **arrays, guint n, gpointer data) { return acc_array_outer (arrays[0], arrays[0]); }

static void
test_forms (void)
{
  static const gint64 lengths[] = { 3, 0, 1 };
  g_autoptr(AccNestedArray) rows = make_rows ("i4"), same = acc_nested_array_map (rows, seven, NULL);
  g_autoptr(AccNestedArray) turned = acc_nested_array_map (rows, reversed, NULL), squares = acc_nested_array_map (rows, square, NULL);
  g_autoptr(AccNestedArray) groups = add_level (squares, lengths, 3), constants = add_level (same, lengths, 3);
  g_autoptr(AccArray) flat = acc_nested_array_flatten (rows);
  g_autoptr(AccShape) shape = acc_shape_new_matrix (2, 3);
  g_autoptr(AccArray) matrix = acc_array_reshape (flat, shape);
  g_autoptr(AccNestedArray) regular = acc_nested_array_new_from_regular (matrix), scalars = acc_nested_array_new_from_regular (flat);
  AccNestedArray *all[] = { rows, same, turned, squares, groups, constants, regular, scalars };

  for (guint i = 0; i < G_N_ELEMENTS (all); i++)
    {
      g_autoptr(GError) error = NULL;
      g_autoptr(AccNestedArray) made = acc_backend_run_nested (backend, all[i], NULL, &error);
      g_autoptr(GVariant) variant = NULL;

      g_assert_no_error (error);
      check_text (all[i]);
      check_text (made);
      variant = acc_nested_array_to_variant (made, &error);
      g_assert_no_error (error);
    }
  check_variant (scalars);
  check_variant (regular);
  g_assert_null (acc_nested_array_to_variant (rows, NULL));
}

/* A text with the arrays that @lines says, whose results are @results. */
static void
refuses (const char *head, const char *lines, const char *results, AccError code, const char *part)
{
  g_autofree char *text = g_strdup_printf ("%sacc program 1\n%sprogram -> %s\n", head, lines, results);
  g_autoptr(GError) error = NULL;
  AccNestedArray *read = acc_nested_array_new_from_text (text, &error);

  g_assert_null (read);
  g_assert_error (error, ACC_ERROR, (int) code);
  if (strstr (error->message, part) == NULL)
    g_error ("“%s” is not in “%s”", part, error->message);
}

static char *
use (guint number, const gint64 *values, guint n)
{
  g_autofree char *data = g_base64_encode ((const guchar *) values, n * sizeof *values);

  return g_strdup_printf ("a%u = use i8[%u]\n  leaf\n%s%s%s", number, n, n > 0 ? "    data " : "", data, n > 0 ? "\n" : "");
}

static void
test_malformed (void)
{
  static const gint64 some[] = { 5, 6, 7, 8 };
  static const struct { gint64 offsets[4]; guint n; AccError code; const char *part; } bad[] = {
    { { 0, 2, 1, 4 }, 4, ACC_ERROR_BOUNDS, "element 1 is from 2 to 1 of 4" },
    { { 0, 5, 4 }, 3, ACC_ERROR_BOUNDS, "element 0 is from 0 to 5 of 4" },
    { { 0, -1, 4 }, 3, ACC_ERROR_BOUNDS, "element 0 is from 0 to -1 of 4" },
    { { 1, 4 }, 2, ACC_ERROR_BOUNDS, "do not begin at 0" },
    { { 0, 3 }, 2, ACC_ERROR_SHAPE, "end at 3 of 4" },
    { { 0, G_MAXINT64 }, 2, ACC_ERROR_BOUNDS, "element 0" },
    { { 0 }, 0, ACC_ERROR_BOUNDS, "do not begin at 0" },
  };
  static const char *const heads[] = {
    "", "acc nested 2\nirregular 1\n", "acc nested 1\n", "acc nested 1\nirregular\n", "acc nested 1\nirregular 0\n",
    "acc nested 1\nirregular 65\n", "acc nested 1\nirregular 99999999999999999999\n", "acc nested 1\nirregular -1\n",
    "acc nested 1\nirregular 1 \n", "acc nested 1\nother 1\n", };
  g_autofree char *values = use (0, some, 4), *both = NULL;
  const gint64 good[] = { 0, 1, 4 };
  g_autofree char *offsets = use (1, good, 3);

  for (guint i = 0; i < G_N_ELEMENTS (heads); i++)
    refuses (heads[i], values, "a0", ACC_ERROR_PARSE, "not a nested array");
  both = g_strconcat (values, offsets, NULL);
  refuses ("acc nested 1\nirregular 1\n", both, "a0", ACC_ERROR_PARSE, "other results");
  refuses ("acc nested 1\nregular 1\n", both, "a0 a1", ACC_ERROR_PARSE, "other results");
  refuses ("acc nested 1\nirregular 3\n", both, "a0 a1", ACC_ERROR_PARSE, "other results");
  refuses ("acc nested 1\nirregular 1\n", "a0 = nothing\n", "a0", ACC_ERROR_PARSE, "third line");
  refuses ("acc nested 1\nirregular 1\n", both, "a0 a7", ACC_ERROR_PARSE, "third line");
  refuses ("acc nested 1\nregular 1\n", "a0 = use i8[]\n  leaf\n    data AAAAAAAAAAA=\n", "a0", ACC_ERROR_PARSE, "rank 0");
  refuses ("acc nested 1\nirregular 1\n", "a0 = use i4[1]\n  leaf\n    data AAAAAA==\n", "a0 a0", ACC_ERROR_PARSE, "vector of i8");
  refuses ("acc nested 1\nirregular 2\n", both, "a0 a0 a1", ACC_ERROR_BOUNDS, "do not begin at 0");

  for (guint i = 0; i < G_N_ELEMENTS (bad); i++)
    {
      g_autofree char *own = use (1, bad[i].offsets, bad[i].n), *lines = g_strconcat (values, own, NULL), *three = NULL;
      const gint64 ones[] = { 0, 1, 2, 3, 4 };
      g_autofree char *each = use (2, ones, 5);

      refuses ("acc nested 1\nirregular 1\n", lines, "a0 a1", bad[i].code, bad[i].part);
      /* The same of a level. */
      three = g_strconcat (lines, each, NULL);
      refuses ("acc nested 1\nirregular 2\n", three, "a1 a0 a2", bad[i].code, bad[i].part);
    }

  {
    static const gint64 heights[] = { -1, G_MAXINT64 }, widths[] = { 4, 3 };

    for (guint i = 0; i < 2; i++)
      {
        g_autofree char *first = g_base64_encode ((const guchar *) (heights + i), 8),
          *second = g_base64_encode ((const guchar *) (widths + i), 8);
        g_autofree char *lines = g_strdup_printf ("%sa1 = use (i8,i8)[1]\n  leaf\n    data %s\n  leaf\n    data %s\n", values, first,
                                                  second);

        refuses ("acc nested 1\nirregular 1\n", lines, "a0 a1", ACC_ERROR_BOUNDS, "element 0");
      }
  }
}

/* Texts that a few bytes were changed of: what is still read can be run and printed. */
static void
test_changed (void)
{
  static const gint64 lengths[] = { 3, 0, 1 };
  g_autoptr(AccNestedArray) rows = make_rows ("(i4,b1)"), groups = add_level (rows, lengths, 3);
  g_autoptr(AccNestedArray) made = acc_backend_run_nested (backend, groups, NULL, NULL);
  guint n_read = 0, n_refused = 0;

  for (guint round = 0; round < 2000; round++)
    {
      g_autofree char *text = acc_nested_array_to_text (round % 4 == 0 ? groups : made);
      gsize length = strlen (text);
      g_autoptr(GError) error = NULL;
      g_autoptr(AccNestedArray) read = NULL;
      static const char bytes[] = "AQDgw=/+09 1\n[],()a-";

      for (gint i = g_test_rand_int_range (1, 4); i > 0; i--)
        text[g_test_rand_int_range (0, length)] = bytes[g_test_rand_int_range (0, sizeof bytes - 1)];
      read = acc_nested_array_new_from_text (text, &error);
      if (read == NULL)
        {
          g_assert_nonnull (error);
          n_refused++;
          continue;
        }
      n_read++;
      if (acc_nested_array_is_manifest (read) || round % 16 == 0)
        {
          g_autoptr(AccNestedArray) run = acc_backend_run_nested (backend, read, NULL, NULL);
          g_autofree char *printed = run != NULL ? acc_nested_array_to_string (run) : NULL;
        }
    }
  g_assert_cmpuint (n_read, >, 20);
  g_assert_cmpuint (n_refused, >, 200);
}

static void
test_variants (void)
{
  static const struct { const char *code, *text; AccError error; } bad[] = {
    { "f8", "1.5", ACC_ERROR_TYPE }, { "f8", "[[@n 1]]", ACC_ERROR_TYPE }, { "i4", "[['x']]", ACC_ERROR_TYPE },
    { "i1", "[[@n 1, 300]]", ACC_ERROR_BOUNDS }, { "(i4,f8)", "[[(1, 2)]]", ACC_ERROR_TYPE }, { "i4", "[{1: 2}]", ACC_ERROR_TYPE },
    { "i4", "[<1>]", ACC_ERROR_TYPE }, };
  g_autoptr(GVariant) given = g_variant_ref_sink (g_variant_new_parsed ("[[[1.5, 2.0], []], [], [[3.0]]]"));
  g_autoptr(AccNestedArray) read = acc_nested_array_new_from_variant (acc_element_type_new (ACC_KIND_F32), given, NULL), none = NULL;
  g_autofree char *text = acc_nested_array_to_string (read), *empty = NULL;
  g_autoptr(GVariant) nothing = g_variant_ref_sink (g_variant_new_array (G_VARIANT_TYPE ("ai"), NULL, 0));

  g_assert_cmpstr (text, ==, "nested([[[1.5, 2. ], []], [], [[3.]]], dtype=f4)");
  none = acc_nested_array_new_from_variant (acc_element_type_new (ACC_KIND_I32), nothing, NULL);
  empty = acc_nested_array_to_string (none);
  g_assert_cmpstr (empty, ==, "nested([], dtype=i4)");

  for (guint i = 0; i < G_N_ELEMENTS (bad); i++)
    {
      g_autoptr(AccElementType) type = acc_element_type_parse (bad[i].code, NULL);
      g_autoptr(GVariant) variant = g_variant_ref_sink (g_variant_new_parsed (bad[i].text));
      g_autoptr(GError) error = NULL;

      g_assert_null (acc_nested_array_new_from_variant (type, variant, &error));
      g_assert_error (error, ACC_ERROR, (int) bad[i].error);
      g_assert_true (g_str_has_prefix (error->message, "nested_array_new_from_variant: "));
    }
}

int
main (int argc, char *argv[])
{
  int status;

  g_test_init (&argc, &argv, NULL);
  backend = acc_backend_new_for_name ("interpreter", NULL);
  g_test_add_func ("/nested-text/types", test_types);
  g_test_add_func ("/nested-text/forms", test_forms);
  g_test_add_func ("/nested-text/malformed", test_malformed);
  g_test_add_func ("/nested-text/changed", test_changed);
  g_test_add_func ("/nested-text/variants", test_variants);
  status = g_test_run ();
  g_object_unref (backend);

  return status;
}
