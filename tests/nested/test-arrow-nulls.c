/* SPDX-License-Identifier: LGPL-2.1-or-later */

/* Nulls of columns of Arrow: what becomes of them, and the masks. Dictionaries, which may have some, and views of lists. */

#include "arrow-column.h"

#include <string.h>

static const gint32 offsets[] = { 0, 2, 2, 3, 6 };
static const double values[] = { 1, 2, 3, 4, 5, 6, 7, 8 };
static const gint32 numbers[] = { 1, 2, 3, 4, 5, 6, 7, 8 };
static const guint8 bits[] = { 0xff, 0xff };

/* Of a row of digits: those that are there. */
static char *
print_mask (AccArray *mask)
{
  g_autoptr(AccBackend) backend = acc_backend_new_for_name ("interpreter", NULL);
  g_autoptr(GError) error = NULL;
  g_autoptr(AccArray) computed = acc_backend_run (backend, mask, NULL, &error);
  GString *text = g_string_new (NULL);
  g_autofree char *shape = NULL;

  g_assert_no_error (error);
  g_assert_cmpstr (acc_element_type_get_code (acc_array_get_element_type (computed)), ==, "b1");
  shape = acc_shape_to_string (acc_array_get_shape (computed));
  for (gint64 i = 0; i < acc_shape_get_size (acc_array_get_shape (computed)); i++)
    g_string_append_c (text, acc_array_get_int (computed, 0, i) != 0 ? '1' : '0');
  g_string_append (text, shape);

  return g_string_free (text, FALSE);
}

/* What is imported, and its masks, from the outermost on. */
static void
check (Column *column, const char *text, const char *masks)
{
  g_autoptr(GError) error = NULL;
  g_autoptr(GPtrArray) found = NULL;
  g_autoptr(AccNestedArray) made = NULL;
  g_autoptr(GString) all = g_string_new (NULL);
  g_autofree char *own = NULL;

  made = acc_nested_array_new_from_arrow_with_nulls (&column->schemas[0], &column->arrays[0], &found, &error);
  g_assert_no_error (error);
  g_assert_true (acc_nested_array_is_manifest (made));
  own = acc_nested_array_to_string (made);
  g_assert_cmpstr (own, ==, text);
  for (guint i = 0; i < found->len; i++)
    {
      g_autofree char *mask = print_mask (g_ptr_array_index (found, i));

      g_string_append_printf (all, "%s%s", i > 0 ? " " : "", mask);
    }
  g_assert_cmpstr (all->str, ==, masks);
  g_assert_cmpuint (column->schema_releases, ==, 1);
  g_clear_object (&made);
  g_assert_cmpuint (column->array_releases, ==, 1);
}

static void
test_lists (void)
{
  static const guint8 but_second = 0xfd, but_third_value = 0xfb, but_first_two = 0xfc;
  Column column = { 0 };
  guint inner;

  add (&column, -1, "+l", 4, 0, &but_second, offsets);
  add (&column, 0, "g", 6, 0, NULL, values);
  check (&column, "nested([[1., 2.], [], [3.], [4., 5., 6.]], dtype=f8)", "1011[4] 111111[6]");

  column = (Column) { 0 };
  add (&column, -1, "+l", 4, 0, &but_second, offsets);
  add (&column, 0, "g", 6, 0, &but_third_value, values);
  check (&column, "nested([[1., 2.], [], [0.], [4., 5., 6.]], dtype=f8)", "1011[4] 110111[6]");

  /* Bits are counted from the offset of the column: entries 1 and on, whose values begin at 2; of these offset 1. */
  column = (Column) { 0 };
  add (&column, -1, "+l", 3, 1, &but_second, offsets);
  add (&column, 0, "i", 6, 1, &but_third_value, numbers);
  check (&column, "nested([[], [4], [5, 6, 7]], dtype=i4)", "011[3] 1111[4]");
  column = (Column) { 0 };
  add (&column, -1, "+l", 3, 1, bits, offsets);
  add (&column, 0, "i", 6, 0, &but_third_value, numbers);
  check (&column, "nested([[], [0], [4, 5, 6]], dtype=i4)", "111[3] 0111[4]");

  /* Two levels */
  column = (Column) { 0 };
  add (&column, -1, "+l", 4, 0, &but_second, offsets);
  inner = add (&column, 0, "+l", 6, 0, &but_first_two, (gint32[]) { 0, 0, 0, 1, 2, 3, 3 });
  add (&column, inner, "g", 3, 0, &but_first_two, values);
  check (&column, "nested([[[], []], [], [[0.]], [[0.], [3.], []]], dtype=f8)", "1011[4] 001111[6] 001[3]");

  /* Without any, and of nothing */
  column = (Column) { 0 };
  add (&column, -1, "+l", 4, 0, bits, offsets);
  add (&column, 0, "g", 6, 0, bits, values);
  check (&column, "nested([[1., 2.], [], [3.], [4., 5., 6.]], dtype=f8)", "1111[4] 111111[6]");
  column = (Column) { 0 };
  add (&column, -1, "+l", 0, 0, &but_second, NULL);
  add (&column, 0, "g", 0, 0, &but_second, NULL);
  check (&column, "nested([], dtype=f8)", "[0] [0]");
  column = (Column) { 0 };
  add (&column, -1, "+l", 2, 0, (guint8[]) { 0 }, (gint32[]) { 0, 0, 0 });
  add (&column, 0, "g", 0, 0, NULL, NULL);
  check (&column, "nested([[], []], dtype=f8)", "00[2] [0]");
}

static void
test_fixed (void)
{
  static const guint8 but_second = 0xfd, but_first = 0xfe;
  Column column = { 0 };
  guint list;

  add (&column, -1, "+w:2", 3, 0, &but_second, NULL);
  add (&column, 0, "i", 6, 0, &but_first, numbers);
  check (&column, "nested([[0, 2], [0, 0], [5, 6]], dtype=i4)", "101[3] 010011[3,2]");

  column = (Column) { 0 };
  add (&column, -1, "g", 3, 1, &but_second, values);
  check (&column, "nested([0., 3., 4.], dtype=f8)", "011[3]");

  /* Rows of a picture, the second of which is null */
  column = (Column) { 0 };
  add (&column, -1, "+l", 2, 0, NULL, (gint32[]) { 0, 2, 3 });
  list = add (&column, 0, "+w:2", 3, 0, &but_second, NULL);
  add (&column, list, "i", 6, 0, &but_first, numbers);
  check (&column, "nested([[[0, 2],\n       [0, 0]], [[5, 6]]], dtype=i4)", "11[2] 010011[6]");

  /* A level of lists of as many lists */
  column = (Column) { 0 };
  add (&column, -1, "+w:2", 2, 0, &but_second, NULL);
  list = add (&column, 0, "+l", 4, 0, &but_second, offsets);
  add (&column, list, "g", 6, 0, NULL, values);
  check (&column, "nested([[[1., 2.], []], [[3.], [4., 5., 6.]]], dtype=f8)", "10[2] 1011[4] 111111[6]");
}

/* Lists that are null and have values, which are left out. */
static void
test_values_of_nulls (void)
{
  static const guint8 but_first = 0xfe, but_fourth = 0xf7, but_second = 0xfd, but_third = 0xfb;
  Column column = { 0 };
  guint list, node;

  add (&column, -1, "+l", 4, 0, &but_first, offsets);
  add (&column, 0, "g", 7, 1, &but_fourth, values);
  check (&column, "nested([[], [], [0.], [5., 6., 7.]], dtype=f8)", "0111[4] 0111[4]");
  column = (Column) { 0 };
  add (&column, -1, "+L", 3, 1, &but_third, (gint64[]) { 0, 2, 3, 5, 6 });
  add (&column, 0, "b", 6, 1, NULL, (guint8[]) { 0xa9 });
  check (&column, "nested([[True], [], [False]], dtype=b1)", "101[3] 11[2]");

  /* Within others, so that what is there is not one after the other: lists, and structs in lists of 2 */
  column = (Column) { 0 };
  add (&column, -1, "+l", 4, 0, &but_third, offsets);
  list = add (&column, 0, "+l", 6, 0, &but_fourth, (gint32[]) { 0, 1, 3, 4, 6, 7, 8 });
  add (&column, list, "i", 8, 0, &but_second, numbers);
  check (&column, "nested([[[1], [0, 3]], [], [], [[], [7], [8]]], dtype=i4)", "1101[4] 11011[5] 10111[5]");
  column = (Column) { 0 };
  add (&column, -1, "+l", 3, 0, &but_second, (gint32[]) { 0, 1, 2, 4 });
  list = add (&column, 0, "+w:2", 4, 0, &but_fourth, NULL);
  node = add (&column, list, "+s", 7, 1, &but_second, NULL);
  add (&column, node, "i", 8, 0, NULL, numbers);
  column.arrays[list].length = 3;
  column.arrays[0].length = 2;
  check (&column, "nested([[[(0,), (3,)]], []], dtype=(i4,))", "10[2] 01[2]");
}

/* Offsets that are wrong where they are not one after the other. */
static void
test_wrong_offsets (void)
{
  static const guint8 but_first = 0xfe;
  g_autoptr(GError) error = NULL;
  g_autoptr(GPtrArray) masks = NULL;
  Column column = { 0 };
  guint list;

  add (&column, -1, "+l", 3, 0, &but_first, (gint32[]) { 0, 1, 2, 3 });
  list = add (&column, 0, "+l", 3, 0, NULL, (gint32[]) { 0, 1, 2, 9 });
  add (&column, list, "g", 4, 0, NULL, values);
  g_assert_null (acc_nested_array_new_from_arrow_with_nulls (&column.schemas[0], &column.arrays[0], &masks, &error));
  g_assert_error (error, ACC_ERROR, ACC_ERROR_BOUNDS);
  g_assert_nonnull (strstr (error->message, "element [2][0] is from 2 to 9 of 4 values"));
  g_assert_cmpuint (column.array_releases, ==, 1);
}

static void
test_structs_and_bools (void)
{
  static const guint8 but_second = 0xfd, but_first = 0xfe, but_fourth = 0xf7, but_third = 0xfb;
  Column column = { 0 };
  guint node;

  add (&column, -1, "+l", 2, 0, NULL, (gint32[]) { 0, 2, 4 });
  node = add (&column, 0, "+s", 4, 0, &but_second, NULL);
  add (&column, node, "i", 4, 0, &but_first, numbers);
  add (&column, node, "g", 4, 0, &but_fourth, values);
  check (&column, "nested([[(0, 1.), (0, 0.)], [(3, 3.), (4, 0.)]], dtype=(i4,f8))", "11[2] 0010[4]");

  column = (Column) { 0 };
  add (&column, -1, "+l", 2, 0, NULL, (gint32[]) { 0, 2, 4 });
  add (&column, 0, "b", 4, 0, &but_third, bits);
  check (&column, "nested([[True, True], [False,  True]], dtype=b1)", "11[2] 1101[4]");
}

static void
test_refused (void)
{
  static const guint8 but_third = 0xfb;
  g_autoptr(GError) error = NULL;
  g_autoptr(GPtrArray) masks = NULL;
  Column column = { 0 };

  add (&column, -1, "+l", 4, 0, NULL, offsets);
  add (&column, 0, "g", 6, 0, NULL, values);
  column.arrays[1].null_count = 1;
  g_assert_null (acc_nested_array_new_from_arrow_with_nulls (&column.schemas[0], &column.arrays[0], &masks, &error));
  g_assert_error (error, ACC_ERROR, ACC_ERROR_SHAPE);
  g_assert_null (masks);
  g_assert_cmpuint (column.array_releases, ==, 1);
  g_clear_error (&error);

  /* Without masks they are not taken. */
  column = (Column) { 0 };
  add (&column, -1, "+l", 4, 0, NULL, offsets);
  add (&column, 0, "g", 6, 0, &but_third, values);
  g_assert_null (acc_nested_array_new_from_arrow (&column.schemas[0], &column.arrays[0], &error));
  g_assert_error (error, ACC_ERROR, ACC_ERROR_UNSUPPORTED);
  g_assert_nonnull (strstr (error->message, "element [2][0] is null"));
}

/* --- dictionaries and views */

static void
gives (Column *column, const char *text)
{
  g_autoptr(GError) error = NULL;
  g_autoptr(AccNestedArray) made = acc_nested_array_new_from_arrow (&column->schemas[0], &column->arrays[0], &error);
  g_autofree char *own = NULL;

  g_assert_no_error (error);
  own = acc_nested_array_to_string (made);
  g_assert_cmpstr (own, ==, text);
}

static void
refuses (Column *column, AccError code, const char *part)
{
  g_autoptr(GError) error = NULL;

  g_assert_null (acc_nested_array_new_from_arrow (&column->schemas[0], &column->arrays[0], &error));
  g_assert_error (error, ACC_ERROR, (int) code);
  if (strstr (error->message, part) == NULL)
    g_error ("“%s” is not in “%s”", part, error->message);
  g_assert_cmpuint (column->schema_releases, ==, 1);
  g_assert_cmpuint (column->array_releases, ==, 1);
}

/* Node @of gets what the nodes from @first on are as its dictionary. */
static void
add_dictionary (Column *column, guint of, guint first)
{
  column->schemas[of].dictionary = &column->schemas[first];
  column->arrays[of].dictionary = &column->arrays[first];
}

static void
fill_dictionary (Column *column, const char *format, gconstpointer numbers_in, gconstpointer validity)
{
  guint first;

  *column = (Column) { 0 };
  add (column, -1, format, 4, 0, validity, numbers_in);
  first = add (column, -1, "u", 3, 0, NULL, offsets);
  column->buffers[first][2] = "abcdefgh";
  add_dictionary (column, 0, first);
}

static void
test_dictionaries (void)
{
  static const guint8 but_second = 0xfd;
  Column column;
  guint list;

  fill_dictionary (&column, "c", (gint8[]) { 2, 0, 1, 2 }, NULL);
  gives (&column, "nested([[99], [97, 98], [], [99]], dtype=u1)");
  fill_dictionary (&column, "L", (guint64[]) { 2, 0, 1, 2 }, NULL);
  gives (&column, "nested([[99], [97, 98], [], [99]], dtype=u1)");
  fill_dictionary (&column, "s", (gint16[]) { 2, 0, 3, 2 }, NULL);
  refuses (&column, ACC_ERROR_BOUNDS, "[2]");
  fill_dictionary (&column, "s", (gint16[]) { 2, -1, 1, 2 }, NULL);
  refuses (&column, ACC_ERROR_BOUNDS, "[1]");
  fill_dictionary (&column, "L", (guint64[]) { 2, 0, 1, G_MAXUINT64 }, NULL);
  refuses (&column, ACC_ERROR_BOUNDS, "[3]");
  fill_dictionary (&column, "g", values, NULL);
  refuses (&column, ACC_ERROR_UNSUPPORTED, "integers");
  fill_dictionary (&column, "i", (gint32[]) { 2, 77, 1, 0 }, &but_second);
  refuses (&column, ACC_ERROR_UNSUPPORTED, "[1] is null");
  fill_dictionary (&column, "i", (gint32[]) { 2, 77, 1, 0 }, &but_second);
  check (&column, "nested([[99], [], [], [97, 98]], dtype=u1)", "1011[4] 111[3]");

  /* Of a dictionary of its own. */
  fill_dictionary (&column, "i", (gint32[]) { 0, 0, 0, 0 }, NULL);
  add_dictionary (&column, 0, 0);
  refuses (&column, ACC_ERROR_UNSUPPORTED, "levels");

  /* Numbers in lists, of which there is a window. */
  column = (Column) { 0 };
  add (&column, -1, "+l", 3, 1, NULL, offsets);
  add (&column, 0, "C", 6, 0, NULL, (guint8[]) { 9, 9, 2, 0, 1, 1 });
  list = add (&column, -1, "i", 3, 1, NULL, numbers);
  add_dictionary (&column, 1, list);
  gives (&column, "nested([[], [4], [2, 3, 3]], dtype=i4)");
}

static void
test_views (void)
{
  Column column = { 0 };

  /* One after the other, and not; some twice. */
  add (&column, -1, "+vl", 3, 0, NULL, (gint32[]) { 1, 3, 3 });
  column.arrays[0].n_buffers = 3;
  column.buffers[0][2] = (gint32[]) { 2, 0, 1 };
  add (&column, 0, "i", 7, 0, NULL, numbers);
  gives (&column, "nested([[2, 3], [], [4]], dtype=i4)");

  column = (Column) { 0 };
  add (&column, -1, "+vL", 3, 1, NULL, (gint64[]) { 0, 5, 0, 4 });
  column.arrays[0].n_buffers = 3;
  column.buffers[0][2] = (gint64[]) { 9, 1, 2, 3 };
  add (&column, 0, "i", 7, 0, NULL, numbers);
  gives (&column, "nested([[6], [1, 2], [5, 6, 7]], dtype=i4)");

  for (guint i = 0; i < 3; i++)
    {
      column = (Column) { 0 };
      add (&column, -1, "+vL", 2, 0, NULL, (gint64[]) { 0, 5 });
      column.arrays[0].n_buffers = 3;
      column.buffers[0][2] = (gint64[]) { 0, i == 0 ? 3 : i == 1 ? -1 : G_MAXINT64 };
      add (&column, 0, "i", 7, 0, NULL, numbers);
      refuses (&column, ACC_ERROR_BOUNDS, "[1]");
    }
}

int
main (int argc, char *argv[])
{
  g_test_init (&argc, &argv, NULL);
  g_test_add_func ("/arrow-nulls/lists", test_lists);
  g_test_add_func ("/arrow-nulls/fixed", test_fixed);
  g_test_add_func ("/arrow-nulls/structs-and-bools", test_structs_and_bools);
  g_test_add_func ("/arrow-nulls/values-of-nulls", test_values_of_nulls);
  g_test_add_func ("/arrow-nulls/wrong-offsets", test_wrong_offsets);
  g_test_add_func ("/arrow-nulls/refused", test_refused);
  g_test_add_func ("/arrow-nulls/dictionaries", test_dictionaries);
  g_test_add_func ("/arrow-nulls/views", test_views);

  return g_test_run ();
}
