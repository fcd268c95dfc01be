/* SPDX-License-Identifier: LGPL-2.1-or-later */

/* Columns of Arrow's C data interface, in and out: what they hold, that nothing is copied, who releases what, and what is wrong with
 * them. */

#include "arrow-column.h"

#include <string.h>

static AccNestedArray *
import (Column *self, GError **error)
{
  return acc_nested_array_new_from_arrow (&self->schemas[0], &self->arrays[0], error);
}

/* Imports it, compares its text, and sends it round by an export. */
static void
check (Column *self, const char *text)
{
  g_autoptr(GError) error = NULL;
  g_autoptr(AccNestedArray) made = import (self, &error), again = NULL;
  g_autofree char *own = NULL, *after = NULL;
  struct ArrowSchema schema;
  struct ArrowArray array;

  g_assert_no_error (error);
  g_assert_true (acc_nested_array_is_manifest (made));
  own = acc_nested_array_to_string (made);
  g_assert_cmpstr (own, ==, text);
  g_assert_cmpuint (self->schema_releases, ==, 1);
  g_assert_null (self->arrays[0].release);

  g_assert_true (acc_nested_array_export_arrow (made, &schema, &array, &error));
  g_assert_no_error (error);
  again = acc_nested_array_new_from_arrow (&schema, &array, &error);
  g_assert_no_error (error);
  g_assert_null (schema.release);
  g_assert_null (array.release);
  after = acc_nested_array_to_string (again);
  g_assert_cmpstr (after, ==, text);

  g_clear_object (&made);
  g_clear_object (&again);
  g_assert_cmpuint (self->array_releases, ==, 1);
}

static const gint32 offsets[] = { 0, 2, 2, 3, 6 };
static const gint64 wide[] = { 1, 3, 3, 4, 7 };
static const double values[] = { 1, 2, 3, 4, 5, 6, 7, 8 };
static const gint32 numbers[] = { 1, 2, 3, 4, 5, 6, 7, 8 };
static const guint8 bits[] = { 0xa5, 0x03 };

/* --- what columns hold */

static void
test_types (void)
{
  static const struct { const char *format, *code; gsize size; } types[] = {
    { "c", "i1", 1 }, { "C", "u1", 1 }, { "s", "i2", 2 }, { "S", "u2", 2 }, { "i", "i4", 4 }, { "I", "u4", 4 }, { "l", "i8", 8 },
    { "L", "u8", 8 }, { "e", "f2", 2 }, { "f", "f4", 4 }, { "g", "f8", 8 },
  };

  for (guint i = 0; i < G_N_ELEMENTS (types); i++)
    {
      Column column = { 0 };
      guint8 data[3 * 8] = { 0 };
      gboolean is_float = strchr ("efg", types[i].format[0]) != NULL;
      g_autofree char *text = g_strdup_printf (is_float ? "nested([[1., 2.], [], [-1.]], dtype=%s)" : "nested([[1, 2], [], [3]], dtype=%s)",
                                               types[i].code);

      for (guint k = 0; k < 3 && !is_float; k++)
        data[k * types[i].size + (G_BYTE_ORDER == G_BIG_ENDIAN ? types[i].size - 1 : 0)] = k + 1;
      if (types[i].size == 2 && is_float)
        memcpy (data, (guint16[]) { 0x3c00, 0x4000, 0xbc00 }, 6);
      if (types[i].size == 4 && is_float)
        memcpy (data, (float[]) { 1, 2, -1 }, 12);
      if (types[i].size == 8 && is_float)
        memcpy (data, (double[]) { 1, 2, -1 }, 24);
      add (&column, -1, "+l", 3, 0, NULL, offsets);
      add (&column, 0, types[i].format, 3, 0, NULL, data);
      check (&column, text);
    }
}

static void
test_lists (void)
{
  Column column = { 0 };
  guint list;

  /* A window of the entries and of the values. */
  add (&column, -1, "+l", 3, 1, NULL, offsets);
  add (&column, 0, "g", 6, 2, NULL, values);
  check (&column, "nested([[], [5.], [6., 7., 8.]], dtype=f8)");

  column = (Column) { 0 };
  add (&column, -1, "+L", 4, 0, NULL, wide);
  add (&column, 0, "i", 7, 0, NULL, numbers);
  check (&column, "nested([[2, 3], [], [4], [5, 6, 7]], dtype=i4)");

  column = (Column) { 0 };
  add (&column, -1, "+l", 4, 0, NULL, offsets);
  list = add (&column, 0, "+L", 4, 0, NULL, wide);
  column.arrays[0].length = 3;
  add (&column, list, "i", 7, 1, NULL, numbers);
  check (&column, "nested([[[3, 4], []], [], [[5]]], dtype=i4)");

  column = (Column) { 0 };
  add (&column, -1, "+l", 0, 0, NULL, NULL);
  add (&column, 0, "g", 0, 0, NULL, NULL);
  check (&column, "nested([], dtype=f8)");

  column = (Column) { 0 };
  add (&column, -1, "g", 2, 1, NULL, values);
  check (&column, "nested([2., 3.], dtype=f8)");
}

static void
test_fixed (void)
{
  g_autoptr(AccNestedArray) made = NULL;
  Column column = { 0 };
  guint list;

  add (&column, -1, "+w:2", 2, 1, NULL, NULL);
  add (&column, 0, "i", 6, 1, NULL, numbers);
  check (&column, "nested([[4, 5], [6, 7]], dtype=i4)");

  column = (Column) { 0 };
  add (&column, -1, "+w:2", 2, 0, NULL, NULL);
  list = add (&column, 0, "+w:1", 4, 0, NULL, NULL);
  add (&column, list, "i", 4, 0, NULL, numbers);
  made = import (&column, NULL);
  g_assert_cmpint (acc_nested_array_get_form (made), ==, ACC_NESTED_FORM_REGULAR);
  g_assert_cmpuint (acc_nested_array_get_rank (made), ==, 2);
  g_assert_cmpuint (acc_nested_array_get_depth (made), ==, 1);
  g_clear_object (&made);

  /* Rows of fixed length are a dimension of elements. */
  column = (Column) { 0 };
  add (&column, -1, "+l", 3, 0, NULL, offsets);
  list = add (&column, 0, "+w:2", 3, 0, NULL, NULL);
  add (&column, list, "i", 6, 0, NULL, numbers);
  made = import (&column, NULL);
  g_assert_cmpuint (acc_nested_array_get_rank (made), ==, 2);
  g_assert_cmpint (acc_array_get_int (acc_nested_array_get_offsets (made), 0, 3), ==, 6);
  g_clear_object (&made);

  /* Of lists they are a level. */
  column = (Column) { 0 };
  add (&column, -1, "+w:2", 2, 0, NULL, NULL);
  list = add (&column, 0, "+l", 4, 0, NULL, offsets);
  add (&column, list, "i", 6, 0, NULL, numbers);
  check (&column, "nested([[[1, 2], []], [[3], [4, 5, 6]]], dtype=i4)");

  column = (Column) { 0 };
  add (&column, -1, "+w:0", 2, 0, NULL, NULL);
  add (&column, 0, "i", 0, 0, NULL, NULL);
  check (&column, "nested([[], []], dtype=i4)");
}

static void
test_bools_and_structs (void)
{
  Column column = { 0 };
  guint item;

  add (&column, -1, "+l", 4, 0, NULL, offsets);
  add (&column, 0, "b", 8, 2, NULL, bits);
  check (&column, "nested([[ True, False], [], [False], [ True, False,  True]], dtype=b1)");

  column = (Column) { 0 };
  add (&column, -1, "+l", 2, 2, NULL, offsets);
  item = add (&column, 0, "+s", 6, 1, NULL, NULL);
  add (&column, item, "i", 7, 0, NULL, numbers);
  item = add (&column, item, "+s", 7, 0, NULL, NULL);
  add (&column, item, "b", 7, 0, NULL, bits);
  check (&column, "nested([[(4, (False,))], [(5, (False,)), (6, ( True,)), (7, (False,))]], dtype=(i4,(b1,)))");
}

static void
test_texts (void)
{
  static const char *const formats[] = { "u", "z", "U", "Z" };
  static const guint8 but_second = 0xfd;
  static const gint64 all[] = { 0, 2, 2, 3, 6 };
  const char *bytes = "abcdefgh";
  Column column;

  for (guint i = 0; i < G_N_ELEMENTS (formats); i++)
    {
      column = (Column) { 0 };
      add (&column, -1, formats[i], 4, 0, NULL, i < 2 ? (gconstpointer) offsets : wide);
      column.buffers[0][2] = bytes;
      check (&column, i < 2 ? "nested([[97, 98], [], [99], [100, 101, 102]], dtype=u1)"
                            : "nested([[98, 99], [], [100], [101, 102, 103]], dtype=u1)");
    }

  /* A window of lists of texts, and texts of which none are there. */
  column = (Column) { 0 };
  add (&column, -1, "+l", 3, 1, NULL, offsets);
  add (&column, 0, "U", 6, 0, NULL, (gint64[]) { 0, 0, 1, 1, 2, 3, 4 });
  column.buffers[1][2] = bytes;
  check (&column, "nested([[], [[]], [[98], [99], [100]]], dtype=u1)");
  column = (Column) { 0 };
  add (&column, -1, "u", 0, 0, NULL, NULL);
  check (&column, "nested([], dtype=u1)");

  /* What is there of a null text is left out. */
  column = (Column) { 0 };
  add (&column, -1, "u", 3, 0, &but_second, (gint32[]) { 0, 1, 3, 4 });
  column.buffers[0][2] = bytes;
  {
    g_autoptr(GPtrArray) masks = NULL;
    g_autoptr(AccNestedArray) made =
      acc_nested_array_new_from_arrow_with_nulls (&column.schemas[0], &column.arrays[0], &masks, NULL);
    g_autofree char *text = acc_nested_array_to_string (made), *mask = acc_array_to_string (masks->pdata[0]);

    g_assert_cmpstr (text, ==, "nested([[97], [], [100]], dtype=u1)");
    g_assert_nonnull (strstr (mask, "[ True, False,  True]"));
  }

  /* Of one size, in a list and alone. */
  column = (Column) { 0 };
  add (&column, -1, "+L", 4, 0, NULL, all);
  add (&column, 0, "w:2", 6, 1, NULL, "..abcdefghijkl");
  {
    g_autoptr(AccNestedArray) made = import (&column, NULL);
    g_autofree char *text = acc_nested_array_to_string (made);

    g_assert_cmpuint (acc_nested_array_get_rank (made), ==, 2);
    g_assert_cmpstr (text, ==, "nested([[[ 97,  98],\n       [ 99, 100]], [], [[101, 102]], [[103, 104],\n       [105, 106],\n"
                               "       [107, 108]]], dtype=u1)");
  }
  column = (Column) { 0 };
  add (&column, -1, "w:3", 2, 0, NULL, bytes);
  check (&column, "nested([[97, 98, 99], [100, 101, 102]], dtype=u1)");
}

/* As the integers that they are. */
static void
test_times (void)
{
  static const char *const narrow[] = { "tdD", "tts", "ttm", "tiM" };
  static const char *const wider[] = { "tdm", "ttu", "ttn", "tss:", "tsm:UTC", "tsu:Europe/Berlin", "tsn:", "tDs", "tDm", "tDu", "tDn" };
  static const gint32 days[] = { -1, 0, 20000 };
  static const gint64 ticks[] = { -1, 0, G_GINT64_CONSTANT (1700000000000000000) };
  Column column;

  for (guint i = 0; i < G_N_ELEMENTS (narrow); i++)
    {
      column = (Column) { 0 };
      add (&column, -1, narrow[i], 3, 0, NULL, days);
      check (&column, "nested([-1, 0, 20000], dtype=i4)");
    }
  for (guint i = 0; i < G_N_ELEMENTS (wider); i++)
    {
      column = (Column) { 0 };
      add (&column, -1, "+l", 3, 0, NULL, offsets);
      add (&column, 0, wider[i], 3, 0, NULL, ticks);
      check (&column, "nested([[-1,  0], [], [1700000000000000000]], dtype=i8)");
    }
}

/* --- memory */

static void
test_no_copy (void)
{
  Column column = { 0 };
  g_autoptr(GError) error = NULL;
  g_autoptr(AccNestedArray) made = NULL;
  g_autoptr(AccArray) part = NULL;
  struct ArrowSchema schema;
  struct ArrowArray array, child;

  add (&column, -1, "+L", 4, 0, NULL, wide);
  add (&column, 0, "g", 7, 1, NULL, values);
  made = import (&column, &error);
  g_assert_no_error (error);
  g_assert_true (acc_array_get_address (acc_nested_array_get_values (made), 0) == (gsize) (values + 2));

  /* Who has a part of it keeps it. */
  part = g_object_ref (acc_nested_array_get_values (made));
  g_assert_true (acc_nested_array_export_arrow (made, &schema, &array, &error));
  g_clear_object (&made);
  g_assert_true (array.children[0]->buffers[1] == values + 2);
  g_assert_cmpint (array.children[0]->length, ==, 6);
  g_assert_cmpstr (schema.format, ==, "+L");
  g_assert_cmpint (((const gint64 *) array.buffers[1])[4], ==, 6);

  child = *array.children[0];
  array.children[0]->release = NULL;
  array.release (&array);
  schema.release (&schema);
  g_clear_object (&part);
  g_assert_cmpuint (column.array_releases, ==, 0);
  g_assert_true (((const double *) child.buffers[1])[0] == 3);
  child.release (&child);
  g_assert_null (child.release);
  g_assert_cmpuint (column.array_releases, ==, 1);

  /* Offsets that are as ours are taken, too. */
  {
    static const gint64 ours[] = { 0, 2, 2, 5 };

    column = (Column) { 0 };
    add (&column, -1, "+L", 3, 0, NULL, ours);
    add (&column, 0, "g", 7, 0, NULL, values);
    made = import (&column, &error);
    g_assert_no_error (error);
    g_assert_true (acc_array_get_address (acc_nested_array_get_offsets (made), 0) == (gsize) ours);
    g_clear_object (&made);
    g_assert_cmpuint (column.array_releases, ==, 1);
  }

  /* What is not aligned is copied. */
  {
    guint8 bytes[3 * 8 + 1] = { 0 };

    memcpy (bytes + 1, (double[]) { 1, 2, 3 }, 24);
    column = (Column) { 0 };
    add (&column, -1, "+l", 3, 0, NULL, offsets);
    add (&column, 0, "g", 3, 0, NULL, bytes + 1);
    check (&column, "nested([[1., 2.], [], [3.]], dtype=f8)");
  }
}

static AccArray *seven (AccArray **arrays, guint n, gpointer data) { return acc_array_unit (acc_expr_new_int (7)); }

static void
test_export (void)
{
  g_autoptr(GError) error = NULL;
  g_autoptr(AccElementType) type = acc_element_type_parse ("i8", NULL);
  g_autoptr(AccBackend) backend = acc_backend_new_for_name ("interpreter", NULL);
  g_autoptr(AccShape) six = acc_shape_new_vector (6), three = acc_shape_new_vector (3);
  g_autoptr(AccArray) flat = acc_array_fill (six, acc_expr_new_float (2)), lengths = acc_array_fill (three, acc_expr_new_int (2));
  g_autoptr(AccNestedArray) rows = acc_nested_array_new_from_lengths (flat, lengths), same = acc_nested_array_map (rows, seven, NULL),
    made = NULL;
  g_autofree char *text = NULL;
  struct ArrowSchema schema;
  struct ArrowArray array;

  g_assert_false (acc_nested_array_export_arrow (rows, &schema, &array, &error));
  g_assert_error (error, ACC_ERROR, ACC_ERROR_UNSUPPORTED);
  g_clear_error (&error);
  g_assert_null (schema.release);
  g_assert_null (array.release);

  /* What stands for all elements is there for each. */
  made = acc_backend_run_nested (backend, same, NULL, &error);
  g_assert_no_error (error);
  g_assert_cmpint (acc_nested_array_get_form (made), ==, ACC_NESTED_FORM_CONSTANT);
  g_assert_true (acc_nested_array_export_arrow (made, &schema, &array, &error));
  g_assert_cmpint (array.length, ==, 3);
  g_clear_object (&made);
  made = acc_nested_array_new_from_arrow (&schema, &array, &error);
  text = acc_nested_array_to_string (made);
  g_assert_true (g_str_has_prefix (text, "nested([7, 7, 7]"));
}

/* --- mistakes */

/* A list of lists of structs, each part of which may be spoilt. */
static void
fill (Column *column)
{
  static gint32 own_offsets[5];
  static gint64 own_wide[5];
  guint item;

  memcpy (own_offsets, offsets, sizeof offsets);
  memcpy (own_wide, wide, sizeof wide);
  own_offsets[4] = 4;
  *column = (Column) { 0 };
  add (column, -1, "+l", 4, 0, NULL, own_offsets);
  add (column, 0, "+L", 4, 0, NULL, own_wide);
  item = add (column, 1, "+s", 7, 0, NULL, NULL);
  add (column, item, "i", 7, 0, NULL, numbers);
  add (column, item, "g", 7, 0, NULL, values);
}

static void
refuses (Column *column, AccError code, const char *part)
{
  g_autoptr(GError) error = NULL;
  AccNestedArray *made = import (column, &error);

  g_assert_null (made);
  g_assert_error (error, ACC_ERROR, (int) code);
  if (strstr (error->message, part) == NULL || !g_str_has_prefix (error->message, "nested_array_new_from_arrow: "))
    g_error ("“%s” is not in “%s”", part, error->message);
  g_assert_cmpuint (column->schema_releases, ==, 1);
  g_assert_cmpuint (column->array_releases, ==, 1);
}

static void
test_nulls (void)
{
  static const guint8 but_second = 0xfd, all = 0xff, but_fourth = 0xf7;
  Column column;

  fill (&column);
  column.buffers[0][0] = &but_second;
  column.arrays[0].null_count = 1;
  refuses (&column, ACC_ERROR_UNSUPPORTED, "element [1] is null");

  /* The fourth of all lists is the first of the last element. */
  fill (&column);
  column.buffers[1][0] = &but_fourth;
  column.arrays[1].null_count = -1;
  refuses (&column, ACC_ERROR_UNSUPPORTED, "element [3][0] is null");

  /* Offsets begin at 1: the fourth value is the third of those that are used, in the second list that has any. */
  fill (&column);
  column.buffers[4][0] = &but_fourth;
  column.arrays[4].null_count = -1;
  refuses (&column, ACC_ERROR_UNSUPPORTED, "element [2][0][0] is null");

  fill (&column);
  column.arrays[3].null_count = 2;
  refuses (&column, ACC_ERROR_SHAPE, "no buffer that says where");

  /* What is outside a window may be null. */
  column = (Column) { 0 };
  add (&column, -1, "+l", 2, 2, &but_second, offsets);
  add (&column, 0, "i", 6, 0, &but_second, numbers);
  check (&column, "nested([[3], [4, 5, 6]], dtype=i4)");

  column = (Column) { 0 };
  add (&column, -1, "+l", 4, 0, &all, offsets);
  add (&column, 0, "i", 6, 0, NULL, numbers);
  column.arrays[1].null_count = -1;
  check (&column, "nested([[1, 2], [], [3], [4, 5, 6]], dtype=i4)");
}

/* What has no element type is told by the name that users know, and what to do. */
static void
test_refused (void)
{
  static const struct { const char *format, *part; } cases[] = {
    { "d:10,2", "which holds decimals: cast it to a float type" }, { "vu", "cast it to large_utf8" }, { "vz", "cast it to large_binary" },
    { "+m", "cast it to a list of structs" }, { "+us:0,1", "unions" }, { "+r", "run-end encoded" },
    { "tin", "intervals of several units" }, { "n", "nulls alone" }, { "tss", "a column of “tss”" }, { "w:", "a column of “w:”" },
  };
  Column column;

  for (guint i = 0; i < G_N_ELEMENTS (cases); i++)
    {
      column = (Column) { 0 };
      add (&column, -1, "+l", 3, 0, NULL, offsets);
      add (&column, 0, cases[i].format, 3, 0, NULL, numbers);
      refuses (&column, ACC_ERROR_UNSUPPORTED, cases[i].part);
    }
  column = (Column) { 0 };
  add (&column, -1, "+s", 3, 0, NULL, NULL);
  add (&column, 0, "u", 3, 0, NULL, offsets);
  refuses (&column, ACC_ERROR_UNSUPPORTED, "texts, which are lists, within a struct");

  /* Offsets of texts are checked as those of lists are. */
  column = (Column) { 0 };
  add (&column, -1, "u", 3, 0, NULL, (gint32[]) { 0, 2, 1, 3 });
  column.buffers[0][2] = "abc";
  refuses (&column, ACC_ERROR_BOUNDS, "element [1] is from 2 to 1 of 3 values");
  column = (Column) { 0 };
  add (&column, -1, "u", 2, 0, NULL, (gint32[]) { 0, 2, 3 });
  refuses (&column, ACC_ERROR_SHAPE, "no values");
  column = (Column) { 0 };
  add (&column, -1, "u", 2, 0, NULL, NULL);
  refuses (&column, ACC_ERROR_SHAPE, "no offsets");
  column = (Column) { 0 };
  add (&column, -1, "u", 2, 0, NULL, offsets);
  column.arrays[0].n_buffers = 2;
  refuses (&column, ACC_ERROR_SHAPE, "2 buffers, not 3");
}

static void
test_malformed (void)
{
  static const char *const formats[] = { "", "u", "z", "+", "+w", "+w:", "+w:x", "+w:2x", "+w:-1", "+w:99999999999", "+l2", "n", "tdX",
                                         "tss", "vu", "w:", "d:10,2", "+m", "+ud:0", "ii" };
  struct ArrowSchema dictionary = { .format = "l" };
  Column column;

  for (guint i = 0; i < G_N_ELEMENTS (formats); i++)
    for (guint node = 0; node < 5; node++)
      {
        g_autoptr(GError) error = NULL;

        fill (&column);
        column.schemas[node].format = formats[i];
        g_assert_null (import (&column, &error));
        g_assert_nonnull (error);
        g_assert_cmpuint (column.schema_releases, ==, 1);
        g_assert_cmpuint (column.array_releases, ==, 1);
      }
  for (guint node = 0; node < 5; node++)
    {
      fill (&column);
      column.schemas[node].format = NULL;
      refuses (&column, ACC_ERROR_SHAPE, node == 0 ? "no format" : "missing");
      fill (&column);
      column.arrays[node].length = -1;
      /* Values of lists are found to be too few first. */
      refuses (&column, node == 1 || node == 2 ? ACC_ERROR_BOUNDS : ACC_ERROR_SHAPE, node == 1 || node == 2 ? "of -1 values" : "length -1");
      fill (&column);
      column.arrays[node].offset = -4;
      refuses (&column, ACC_ERROR_SHAPE, "offset -4");
      fill (&column);
      column.arrays[node].offset = G_MAXINT64;
      refuses (&column, ACC_ERROR_SHAPE, "offset");
      fill (&column);
      column.arrays[node].n_buffers = 3;
      refuses (&column, ACC_ERROR_SHAPE, "3 buffers");
      fill (&column);
      column.arrays[node].buffers = NULL;
      refuses (&column, ACC_ERROR_SHAPE, "0 buffers");
      fill (&column);
      column.schemas[node].dictionary = &dictionary;
      refuses (&column, ACC_ERROR_SHAPE, "dictionary");
      fill (&column);
      column.arrays[node].n_children++;
      refuses (&column, ACC_ERROR_SHAPE, "children");
      fill (&column);
      column.arrays[node].n_children = column.schemas[node].n_children = -3;
      refuses (&column, ACC_ERROR_SHAPE, "children");
      if (node < 3)
        {
          fill (&column);
          column.arrays[node].children = NULL;
          refuses (&column, ACC_ERROR_SHAPE, "children");
          fill (&column);
          column.array_children[node][0] = NULL;
          refuses (&column, ACC_ERROR_SHAPE, "missing");
        }
      if (node > 0)
        {
          fill (&column);
          column.arrays[node].length = 3;
          refuses (&column, ACC_ERROR_BOUNDS, "element [");
        }
      if (node != 2)
        {
          fill (&column);
          column.buffers[node][1] = NULL;
          refuses (&column, ACC_ERROR_SHAPE, node < 2 ? "no offsets" : "no values");
        }
    }

  fill (&column);
  ((gint32 *) column.buffers[0][1])[2] = 1;
  refuses (&column, ACC_ERROR_BOUNDS, "element [1] is from 2 to 1 of 4 values");
  fill (&column);
  ((gint32 *) column.buffers[0][1])[0] = -1;
  refuses (&column, ACC_ERROR_BOUNDS, "element [0] is from -1 to 2 of 4 values");
  fill (&column);
  ((gint32 *) column.buffers[0][1])[4] = 5;
  refuses (&column, ACC_ERROR_BOUNDS, "element [3] is from 3 to 5 of 4 values");
  fill (&column);
  ((gint64 *) column.buffers[1][1])[2] = G_MAXINT64;
  refuses (&column, ACC_ERROR_BOUNDS, "element [0][1] is from 3 to 9223372036854775807 of 7 values");

  /* Released before. */
  {
    g_autoptr(GError) error = NULL;

    fill (&column);
    column.arrays[0].release = NULL;
    g_assert_null (import (&column, &error));
    g_assert_error (error, ACC_ERROR, ACC_ERROR_SHAPE);
    g_assert_cmpuint (column.schema_releases, ==, 1);
  }
}

/* Offsets of all kinds: whatever is accepted has elements that lie within the values. */
static void
test_random_offsets (void)
{
  guint accepted = 0;

  for (guint round = 0; round < 3000; round++)
    {
      g_autoptr(AccNestedArray) made = NULL;
      g_autoptr(GError) error = NULL;
      Column column;

      fill (&column);
      for (guint i = 0; i < 5; i++)
        {
          ((gint32 *) column.buffers[0][1])[i] += g_test_rand_int_range (0, 8) == 0 ? g_test_rand_int_range (-2, 3) : 0;
          ((gint64 *) column.buffers[1][1])[i] += g_test_rand_int_range (0, 8) == 0 ? g_test_rand_int_range (-2, 3) : 0;
        }
      made = import (&column, &error);
      if (made == NULL)
        {
          g_assert_error (error, ACC_ERROR, ACC_ERROR_BOUNDS);
          g_assert_nonnull (strstr (error->message, "element ["));
        }
      else
        {
          AccNestedArray *inner = acc_nested_array_get_inner (made);
          AccArray *all = acc_nested_array_get_offsets (made), *own = acc_nested_array_get_offsets (inner);
          gint64 n = acc_shape_get_size (acc_array_get_shape (own)) - 1;

          accepted++;
          g_assert_cmpint (acc_array_get_int (all, 0, 0), ==, 0);
          g_assert_cmpint (acc_array_get_int (all, 0, 4), ==, n);
          g_assert_cmpint (acc_array_get_int (own, 0, n), ==,
                           acc_shape_get_size (acc_array_get_shape (acc_nested_array_get_values (inner))));
        }
      g_clear_object (&made);
      g_assert_cmpuint (column.array_releases, ==, 1);
    }
  g_assert_cmpuint (accepted, >, 100);
  g_assert_cmpuint (accepted, <, 2900);
}

int
main (int argc, char *argv[])
{
  g_test_init (&argc, &argv, NULL);
  g_test_add_func ("/arrow/types", test_types);
  g_test_add_func ("/arrow/lists", test_lists);
  g_test_add_func ("/arrow/fixed", test_fixed);
  g_test_add_func ("/arrow/bools-and-structs", test_bools_and_structs);
  g_test_add_func ("/arrow/texts", test_texts);
  g_test_add_func ("/arrow/times", test_times);
  g_test_add_func ("/arrow/refused", test_refused);
  g_test_add_func ("/arrow/no-copy", test_no_copy);
  g_test_add_func ("/arrow/export", test_export);
  g_test_add_func ("/arrow/nulls", test_nulls);
  g_test_add_func ("/arrow/malformed", test_malformed);
  g_test_add_func ("/arrow/random-offsets", test_random_offsets);

  return g_test_run ();
}
