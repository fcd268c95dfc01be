/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include <acc.h>

#include "acc-core/base/acc-element-type-private.h"

#include <string.h>

static void
test_scalars (void)
{
  static const struct {
    AccElementKind kind;
    const char    *code;
    gsize          size;
    gboolean       is_integer, is_signed, is_float;
  } expected[] = {
    { ACC_KIND_BOOL, "b1", 1, FALSE, FALSE, FALSE }, { ACC_KIND_I8, "i1", 1, TRUE, TRUE, FALSE },
    { ACC_KIND_I16, "i2", 2, TRUE, TRUE, FALSE },    { ACC_KIND_I32, "i4", 4, TRUE, TRUE, FALSE },
    { ACC_KIND_I64, "i8", 8, TRUE, TRUE, FALSE },    { ACC_KIND_U8, "u1", 1, TRUE, FALSE, FALSE },
    { ACC_KIND_U16, "u2", 2, TRUE, FALSE, FALSE },   { ACC_KIND_U32, "u4", 4, TRUE, FALSE, FALSE },
    { ACC_KIND_U64, "u8", 8, TRUE, FALSE, FALSE },   { ACC_KIND_F16, "f2", 2, FALSE, TRUE, TRUE },
    { ACC_KIND_F32, "f4", 4, FALSE, TRUE, TRUE },    { ACC_KIND_F64, "f8", 8, FALSE, TRUE, TRUE },
  };

  for (guint i = 0; i < G_N_ELEMENTS (expected); i++)
    {
      AccElementType *type = acc_element_type_new (expected[i].kind);

      g_assert_cmpint (acc_element_type_get_kind (type), ==, expected[i].kind);
      g_assert_cmpstr (acc_element_type_get_code (type), ==, expected[i].code);
      g_assert_cmpstr (acc_element_kind_get_code (expected[i].kind), ==, expected[i].code);
      g_assert_cmpuint (acc_element_type_get_size (type), ==, expected[i].size);
      g_assert_cmpuint (acc_element_kind_get_size (expected[i].kind), ==, expected[i].size);
      g_assert_cmpint (acc_element_kind_is_integer (expected[i].kind), ==, expected[i].is_integer);
      g_assert_cmpint (acc_element_kind_is_signed (expected[i].kind), ==, expected[i].is_signed);
      g_assert_cmpint (acc_element_kind_is_float (expected[i].kind), ==, expected[i].is_float);
      g_assert_false (acc_element_type_is_tuple (type));
      g_assert_cmpuint (acc_element_type_get_n_items (type), ==, 0);
      g_assert_cmpuint (acc_element_type_get_n_leaves (type), ==, 1);
      g_assert_cmpint (acc_element_type_get_leaf (type, 0), ==, expected[i].kind);
      g_assert_true (acc_element_type_parse (expected[i].code, NULL) == type);
      g_assert_true (acc_element_type_ref (type) == type);
      acc_element_type_unref (type);
    }

  g_assert_null (acc_element_kind_get_code (ACC_KIND_TUPLE));
  g_assert_cmpuint (acc_element_kind_get_size (ACC_KIND_TUPLE), ==, 0);
}

static void
test_tuples (void)
{
  AccElementType *f4 = acc_element_type_new (ACC_KIND_F32);
  AccElementType *u1 = acc_element_type_new (ACC_KIND_U8);
  AccElementType *inner = acc_element_type_new_tuple ((AccElementType *[]) { u1, u1 }, 2);
  AccElementType *outer = acc_element_type_new_tuple ((AccElementType *[]) { f4, inner }, 2);

  g_assert_cmpstr (acc_element_type_get_code (outer), ==, "(f4,(u1,u1))");
  g_assert_true (acc_element_type_is_tuple (outer));
  g_assert_cmpint (acc_element_type_get_kind (outer), ==, ACC_KIND_TUPLE);
  g_assert_cmpuint (acc_element_type_get_n_items (outer), ==, 2);
  g_assert_true (acc_element_type_get_item (outer, 1) == inner);
  g_assert_cmpuint (acc_element_type_get_n_leaves (outer), ==, 3);
  g_assert_cmpint (acc_element_type_get_leaf (outer, 0), ==, ACC_KIND_F32);
  g_assert_cmpint (acc_element_type_get_leaf (outer, 2), ==, ACC_KIND_U8);
  g_assert_cmpuint (acc_element_type_get_size (outer), ==, 6);

  g_assert_cmpstr (acc_element_type_get_code (acc_element_type_new_tuple (NULL, 0)), ==, "()");
  g_assert_cmpuint (acc_element_type_get_n_leaves (acc_element_type_new_tuple (NULL, 0)), ==, 0);
  g_assert_cmpstr (acc_element_type_get_code (acc_element_type_new_tuple (&f4, 1)), ==, "(f4,)");

  g_assert_true (acc_element_type_parse ("(f4,(u1,u1))", NULL) == outer);
  g_assert_true (acc_element_type_parse (" ( f4 , (u1,\tu1) ) ", NULL) == outer);
  g_assert_true (acc_element_type_parse ("()", NULL) == acc_element_type_new_tuple (NULL, 0));
  g_assert_true (acc_element_type_parse ("(f4,)", NULL) == acc_element_type_new_tuple (&f4, 1));
}

static void
test_complex (void)
{
  static const struct {
    AccElementKind component;
    const char    *code;
    gsize          size;
  } expected[] = { { ACC_KIND_F16, "c4", 4 }, { ACC_KIND_F32, "c8", 8 }, { ACC_KIND_F64, "c16", 16 } };

  for (guint i = 0; i < G_N_ELEMENTS (expected); i++)
    {
      AccElementType *type = acc_element_type_new_complex (expected[i].component);

      g_assert_cmpstr (acc_element_type_get_code (type), ==, expected[i].code);
      g_assert_true (acc_element_type_parse (expected[i].code, NULL) == type);
      g_assert_cmpint (acc_element_type_get_kind (type), ==, ACC_KIND_COMPLEX);
      g_assert_cmpuint (acc_element_type_get_size (type), ==, expected[i].size);
      g_assert_true (acc_element_type_is_packed (type));
      g_assert_false (acc_element_type_is_tuple (type) || acc_element_type_is_scalar (type));
      g_assert_cmpuint (acc_element_type_get_n_items (type), ==, 2);
      g_assert_true (acc_element_type_get_item (type, 1) == acc_element_type_new (expected[i].component));
      g_assert_cmpuint (acc_element_type_get_n_leaves (type), ==, 2);
      g_assert_cmpint (acc_element_type_get_leaf (type, 1), ==, expected[i].component);
      g_assert_cmpuint (acc_element_type_get_n_buffers (type), ==, 1);
      g_assert_true (acc_element_type_get_buffer (type, 0) == type);
    }
}

static void
test_vectors (void)
{
  AccElementType *type;

  for (guint kind = 0; kind < ACC_KIND_TUPLE; kind++)
    for (guint n = 1; n <= ACC_MAX_LANES; n++)
      {
        g_autofree char *code = g_strdup_printf ("%u%s", n, acc_element_kind_get_code (kind));

        type = acc_element_type_new_vector (kind, n);
        g_assert_cmpstr (acc_element_type_get_code (type), ==, code);
        g_assert_true (acc_element_type_parse (code, NULL) == type);
        g_assert_true (acc_element_type_new_vector (kind, n) == type);
        g_assert_cmpint (acc_element_type_get_kind (type), ==, ACC_KIND_VECTOR);
        g_assert_cmpuint (acc_element_type_get_size (type), ==, n * acc_element_kind_get_size (kind));
        g_assert_cmpuint (acc_element_type_get_n_leaves (type), ==, n);
        g_assert_cmpuint (acc_element_type_get_n_items (type), ==, n);
        g_assert_cmpuint (acc_element_type_get_n_buffers (type), ==, 1);
        g_assert_true (acc_element_type_is_packed (type));
      }

  type = acc_element_type_parse ("(c8,(4u1,b1),3f8)", NULL);
  g_assert_cmpuint (acc_element_type_get_n_leaves (type), ==, 10);
  g_assert_cmpuint (acc_element_type_get_n_buffers (type), ==, 4);
  g_assert_cmpuint (acc_element_type_get_size (type), ==, 8 + 4 + 1 + 24);
  g_assert_cmpstr (acc_element_type_get_code (acc_element_type_get_buffer (type, 1)), ==, "4u1");
  g_assert_cmpstr (acc_element_type_get_code (acc_element_type_get_buffer (type, 3)), ==, "3f8");
  for (guint leaf = 0; leaf < 10; leaf++)
    {
      static const guint buffers[] = { 0, 0, 1, 1, 1, 1, 2, 3, 3, 3 }, lanes[] = { 0, 1, 0, 1, 2, 3, 0, 0, 1, 2 };
      const AccLeafPlace *place = acc_element_type_locate (type, leaf);

      g_assert_cmpuint (place->buffer, ==, buffers[leaf]);
      g_assert_cmpuint (place->lane, ==, lanes[leaf]);
      g_assert_cmpuint (place->lanes, ==, acc_element_type_get_n_leaves (acc_element_type_get_buffer (type, place->buffer)));
      g_assert_cmpint (place->kind, ==, acc_element_type_get_leaf (type, leaf));
    }
  g_assert_cmpuint (acc_element_type_get_n_buffers (acc_element_type_parse ("((),())", NULL)), ==, 0);
}

static void
test_parse_errors (void)
{
  static const char *const wrong[] = {
    "", " ", "f", "f3", "f44", "F4", "f4 f4", "(", ")", "(f4", "(f4)", "(f4,u1", "(,)", "(,f4)", "(f4,,u1)", "(f4 u1)", "f4,u1", "(f4,u1))",
    "c", "c2", "c32", "c164", "0f4", "04f4", "17f4", "4294967297f4", "4", "4f", "2c8", "4(f4)", "4 f4", "(4f4,c)", "((f4,u1)", "\xff\xfe",
    "(f4,\xc3", "äöü", };

  for (guint i = 0; i < G_N_ELEMENTS (wrong); i++)
    {
      g_autoptr(GError) error = NULL;

      g_assert_null (acc_element_type_parse (wrong[i], &error));
      g_assert_error (error, ACC_ERROR, ACC_ERROR_PARSE);
      g_assert_true (g_utf8_validate (error->message, -1, NULL));
      g_assert_null (acc_element_type_parse (wrong[i], NULL));
    }
}

static void
test_bounds (void)
{
  AccElementType *type = acc_element_type_new (ACC_KIND_U8);
  guint depth;

  for (depth = 0; depth < 1000; depth++)
    {
      AccElementType *next = acc_element_type_new_tuple (&type, 1);

      if (next == NULL)
        break;
      g_assert_true (acc_element_type_parse (acc_element_type_get_code (next), NULL) == next);
      type = next;
    }
  g_assert_cmpuint (depth, ==, 256);

  for (guint n = 255; n < 2000000; n = n * 3)
    {
      g_autofree char *text = g_strnfill (n, '(');
      g_autoptr(GError) error = NULL;

      g_assert_null (acc_element_type_parse (text, &error));
      g_assert_error (error, ACC_ERROR, ACC_ERROR_PARSE);
    }

  /* Doubling: neither the code nor the number of scalars may run away. */
  for (guint unit = 0; unit < 2; unit++)
    {
      type = unit ? acc_element_type_new_tuple (NULL, 0) : acc_element_type_new (ACC_KIND_U8);
      for (depth = 0; depth < 100; depth++)
        {
          AccElementType *next = acc_element_type_new_tuple ((AccElementType *[]) { type, type }, 2);

          if (next == NULL)
            break;
          type = next;
        }
      g_assert_cmpuint (depth, >, 10);
      g_assert_cmpuint (depth, <, 30);
    }
}

static void
test_random_text (void)
{
  static const char letters[] = "(),bcfiu01248 ";

  for (guint i = 0; i < 200000; i++)
    {
      char text[16];
      guint n = g_test_rand_int_range (0, sizeof text);
      AccElementType *type;

      for (guint k = 0; k < n; k++)
        text[k] = letters[g_test_rand_int_range (0, sizeof letters - 1)];
      text[n] = '\0';
      if ((type = acc_element_type_parse (text, NULL)) != NULL)
        g_assert_true (acc_element_type_parse (acc_element_type_get_code (type), NULL) == type);
    }
}

static gpointer
make_types (gpointer data)
{
  GPtrArray *types = g_ptr_array_new ();

  for (guint i = 0; i < 3000; i++)
    {
      AccElementType *item = acc_element_type_new (i % ACC_KIND_TUPLE);
      AccElementType *pair = acc_element_type_new_tuple ((AccElementType *[]) { item, acc_element_type_new (i / 12 % ACC_KIND_TUPLE) }, 2);

      g_ptr_array_add (types, acc_element_type_new_tuple ((AccElementType *[]) { pair, item, pair }, 3));
    }
  return types;
}

static void
test_threads (void)
{
  GThread *threads[8];
  GPtrArray *types[8];

  for (guint i = 0; i < 8; i++)
    threads[i] = g_thread_new (NULL, make_types, NULL);
  for (guint i = 0; i < 8; i++)
    types[i] = g_thread_join (threads[i]);
  for (guint i = 1; i < 8; i++)
    g_assert_cmpmem (types[i]->pdata, types[i]->len * sizeof (gpointer), types[0]->pdata, types[0]->len * sizeof (gpointer));
  for (guint i = 0; i < 8; i++)
    g_ptr_array_unref (types[i]);
}

static void
test_boxed (void)
{
  AccElementType *f4 = acc_element_type_new (ACC_KIND_F32);
  g_auto(GValue) value = G_VALUE_INIT;

  g_value_init (&value, ACC_TYPE_ELEMENT_TYPE);
  g_value_set_boxed (&value, f4);
  g_assert_true (g_value_get_boxed (&value) == f4);
}

int
main (int    argc,
      char **argv)
{
  g_test_init (&argc, &argv, NULL);
  g_test_add_func ("/element-type/scalars", test_scalars);
  g_test_add_func ("/element-type/tuples", test_tuples);
  g_test_add_func ("/element-type/complex", test_complex);
  g_test_add_func ("/element-type/vectors", test_vectors);
  g_test_add_func ("/element-type/parse-errors", test_parse_errors);
  g_test_add_func ("/element-type/bounds", test_bounds);
  g_test_add_func ("/element-type/random-text", test_random_text);
  g_test_add_func ("/element-type/threads", test_threads);
  g_test_add_func ("/element-type/boxed", test_boxed);
  return g_test_run ();
}
