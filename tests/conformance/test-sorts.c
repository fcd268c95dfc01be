/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "conformance.h"

#include <math.h>
#include <string.h>

/* Sorts, against a stable sort in C of what the keys' values are. */

typedef struct {
  AccArray *keys;
  gboolean  descending;
  gint64    row, n;
} Row;

/* -1, 0, 1; NaN is behind everything, and like any other. */
static int
compare_keys (AccArray *keys, gint64 i, gint64 j, gboolean descending)
{
  AccElementKind kind = acc_element_type_get_kind (acc_array_get_element_type (keys));
  int order;

  if (acc_element_kind_is_float (kind))
    {
      double x = acc_array_get_double (keys, 0, i), y = acc_array_get_double (keys, 0, j);

      if (isnan (x) || isnan (y))
        return !!isnan (x) - !!isnan (y);
      order = (x > y) - (x < y);
    }
  else if (kind == ACC_KIND_U64)
    {
      g_autoptr(GBytes) bytes = acc_array_dup_bytes (keys, 0, NULL);
      const guint64 *values = g_bytes_get_data (bytes, NULL);

      order = (values[i] > values[j]) - (values[i] < values[j]);
    }
  else
    {
      gint64 x = acc_array_get_int (keys, 0, i), y = acc_array_get_int (keys, 0, j);

      order = (x > y) - (x < y);
    }

  return descending ? -order : order;
}

static int
compare_places (gconstpointer a, gconstpointer b, gpointer data)
{
  const Row *row = data;
  gint64 i = *(const gint64 *) a, j = *(const gint64 *) b;
  int order = compare_keys (row->keys, row->row * row->n + i, row->row * row->n + j, row->descending);

  return order != 0 ? order : (i > j) - (i < j);
}

/* Where in its row each element of the result was. */
static gint64 *
find_order (AccArray *keys, gboolean descending)
{
  AccShape *shape = acc_array_get_shape (keys);
  gint64 n = acc_shape_get_extent (shape, acc_shape_get_rank (shape) - 1), size = acc_shape_get_size (shape);
  gint64 *order = g_new (gint64, size + 1);

  for (gint64 i = 0; i < size; i++)
    order[i] = i % n;
  for (gint64 r = 0; n > 0 && r < size / n; r++)
    g_qsort_with_data (order + r * n, n, sizeof (gint64), compare_places, &(Row) { keys, descending, r, n });

  return order;
}

static AccArray *
arrange (AccArray *values, const gint64 *order)
{
  AccElementType *type = acc_array_get_element_type (values);
  AccShape *shape = acc_array_get_shape (values);
  gint64 n = acc_shape_get_extent (shape, acc_shape_get_rank (shape) - 1), size = acc_shape_get_size (shape);
  guint n_buffers = acc_element_type_get_n_buffers (type);
  g_autoptr(GPtrArray) buffers = g_ptr_array_new_with_free_func ((GDestroyNotify) g_bytes_unref);

  for (guint buffer = 0; buffer < n_buffers; buffer++)
    {
      gsize width = acc_element_type_get_size (acc_element_type_get_buffer (type, buffer));
      g_autoptr(GBytes) bytes = acc_array_dup_bytes (values, buffer, NULL);
      const guint8 *from = g_bytes_get_data (bytes, NULL);
      guint8 *to = g_malloc (size * width + 1);

      for (gint64 i = 0; i < size; i++)
        memcpy (to + i * width, from + (i / n * n + order[i]) * width, width);
      g_ptr_array_add (buffers, g_bytes_new_take (to, size * width));
    }

  return acc_array_use_buffers (type, shape, (GBytes **) buffers->pdata, n_buffers);
}

static void
check (const char *code, const gint64 *extents, guint rank, ConfValues values, GRand *rand, gboolean descending)
{
  g_autoptr(AccArray) keys = conf_array (conf_type (code), extents, rank, rand, values);
  g_autoptr(AccArray) payload = conf_array (conf_type ("(i2,(f4,b1))"), extents, rank, rand, CONF_FULL);
  g_autofree gint64 *order = find_order (keys, descending);
  g_autoptr(AccArray) wanted = arrange (keys, order), wanted_payload = arrange (payload, order), sorted_keys = NULL, arranged = NULL;
  g_autofree char *shape = acc_shape_to_string (acc_array_get_shape (keys));
  g_autofree char *name = g_strdup_printf ("%s%s/%d%s", code, shape, values, descending ? "/descending" : "");
  g_autofree char *sort = g_strconcat ("sort/", name, NULL), *argsort = g_strconcat ("argsort/", name, NULL);
  g_autofree char *by = g_strconcat ("sort-by/", name, NULL), *by_keys = g_strconcat ("sort-by/keys/", name, NULL);

  conf_expect_array (sort, acc_array_sort (keys, descending), g_object_ref (wanted));
  conf_expect_ints (argsort, acc_array_argsort (keys, descending), shape, 0, acc_shape_get_size (acc_array_get_shape (keys)), order);
  arranged = acc_array_sort_pairs (payload, keys, descending, &sorted_keys);
  conf_expect_array (by, g_steal_pointer (&arranged), g_steal_pointer (&wanted_payload));
  conf_expect_array (by_keys, g_steal_pointer (&sorted_keys), g_steal_pointer (&wanted));
}

static void
test_type (gconstpointer data)
{
  const char *code = data;
  g_autoptr(GRand) rand = g_rand_new_with_seed (conf_seed ());
  static const gint64 extents[][3] = { { 0 }, { 1 }, { 2 }, { 127 }, { 128 }, { 129 }, { 256 }, { 300 }, { 3, 0 }, { 0, 3 }, { 7, 5 },
                                       { 3, 129 }, { 40, 32 }, { 3, 33 }, { 2, 3, 70 }, { 37, 100 }, { 5, 7, 33 } };
  static const guint ranks[] = { 1, 1, 1, 1, 1, 1, 1, 1, 2, 2, 2, 2, 2, 2, 3, 2, 3 };

  for (guint i = 0; i < G_N_ELEMENTS (ranks); i++)
    {
      check (code, extents[i], ranks[i], CONF_FULL, rand, i % 2);
      if (conf_is_thorough ())
        check (code, extents[i], ranks[i], CONF_SMALL, rand, i % 2 == 0);
    }
}

static void
test_long (void)
{
  g_autoptr(GRand) rand = g_rand_new_with_seed (conf_seed ());
  static const gint64 sizes[] = { 4095, 4096, 4097, 1000000 };

  for (guint i = 0; i < G_N_ELEMENTS (sizes); i++)
    if (i < 3 || conf_is_thorough ())
      {
        g_autoptr(AccArray) keys = conf_array (conf_type (i < 3 ? "i4" : "i2"), &sizes[i], 1, rand, CONF_FULL);
        g_autofree gint64 *order = find_order (keys, FALSE);
        g_autofree char *shape = acc_shape_to_string (acc_array_get_shape (keys)), *name = g_strconcat ("argsort/long/", shape, NULL);

        conf_expect_ints (name, acc_array_argsort (keys, FALSE), shape, 0, sizes[i], order);
      }
}

/* --- keys in the elements */

typedef struct {
  const char *code;
  guint       depth, path[2];
  guint       buffer, lane;     /* the same place */
} Key;

static const Key keys_of_elements[] = {
  { "(i2,(f4,b1))", 2, { 1, 0 }, 1, 0 },
  { "(i2,(f4,b1))", 2, { 1, 1 }, 2, 0 },
  { "(u1,f8,i4)", 1, { 0 }, 0, 0 },
  { "(f4,u2)", 1, { 1 }, 1, 0 },
  { "(b1,u8)", 1, { 1 }, 1, 0 },
  { "i4", 0, { 0 }, 0, 0 },
  { "c8", 1, { 1 }, 0, 1 },
  { "3u2", 1, { 2 }, 0, 2 },
  { "(c16,4u1,f2)", 1, { 2 }, 2, 0 },
};

static AccExpr *
find_key (AccExpr *element, gpointer data)
{
  const Key *key = data;

  for (guint i = 0; i < key->depth; i++)
    element = acc_expr_item (element, key->path[i]);
  return element;
}

static AccArray *
extract_keys (AccArray *values, const Key *key)
{
  AccElementType *type = acc_element_type_get_buffer (acc_array_get_element_type (values), key->buffer);
  AccElementType *scalar = acc_element_type_is_scalar (type) ? type : acc_element_type_get_item (type, key->lane);
  gsize size = acc_shape_get_size (acc_array_get_shape (values)), from_width = acc_element_type_get_size (type),
    width = acc_element_type_get_size (scalar);
  g_autoptr(GBytes) bytes = acc_array_dup_bytes (values, key->buffer, NULL);
  const guint8 *from = g_bytes_get_data (bytes, NULL);
  guint8 *to = g_malloc (size * width + 1);
  GBytes *buffer;
  AccArray *keys;

  for (gsize i = 0; i < size; i++)
    memcpy (to + i * width, from + i * from_width + key->lane * width, width);
  buffer = g_bytes_new_take (to, size * width);
  keys = acc_array_use_buffers (scalar, acc_array_get_shape (values), &buffer, 1);
  g_bytes_unref (buffer);

  return keys;
}

static void
check_on (const Key *key, const gint64 *extents, guint rank, ConfValues values, GRand *rand, gboolean descending)
{
  g_autoptr(AccArray) elements = conf_array (conf_type (key->code), extents, rank, rand, values), keys = extract_keys (elements, key);
  g_autofree gint64 *order = find_order (keys, descending);
  g_autofree char *shape = acc_shape_to_string (acc_array_get_shape (elements));
  g_autofree char *name = g_strdup_printf ("sort-on/%s/%u.%u%s/%d%s", key->code, key->buffer, key->lane, shape, values,
                                           descending ? "/descending" : "");

  conf_expect_array (name, acc_array_sort_by_key (elements, descending, find_key, (gpointer) key), arrange (elements, order));
}

static void
test_on (gconstpointer data)
{
  static const gint64 extents[][3] = { { 0 }, { 1 }, { 32 }, { 33 }, { 2000 }, { 5000 }, { 3, 0 }, { 0, 40 }, { 20, 7 }, { 3, 33 },
                                       { 2, 2000 }, { 2, 3, 70 }, { 70000 }, { 9, 70000 }, { 9, 9000 } };
  static const guint ranks[] = { 1, 1, 1, 1, 1, 1, 2, 2, 2, 2, 2, 3, 1, 2, 2 };
  const Key *key = data;
  g_autoptr(GRand) rand = g_rand_new_with_seed (conf_seed ());
  guint number = key - keys_of_elements;

  for (guint i = 0; i < G_N_ELEMENTS (ranks); i++)
    {
      if (i >= 12 && (!conf_is_thorough () || number % 3 != 0))
        continue;
      check_on (key, extents[i], ranks[i], CONF_FULL, rand, (i + number) % 2);
      check_on (key, extents[i], ranks[i], CONF_SMALL, rand, (i + number) % 2 == 0);
    }
}

static AccExpr *
same_key (AccExpr *x, gpointer data)
{
  return acc_expr_new_int (7);
}

static AccExpr *
top_bits (AccExpr *x, gpointer data)
{
  return acc_expr_shr (x, conf_i64 (28));
}

static AccExpr *
inverted (AccExpr *x, gpointer data)
{
  return acc_expr_bnot (x);
}

/* Nearly all keys are one, or lie in few digits. */
static void
test_skewed (void)
{
  static const gint64 sizes[] = { 33, 2000, 5000, 20000, 70000, 140000 };
  g_autoptr(GRand) rand = g_rand_new_with_seed (conf_seed ());
  guint n_sizes = G_N_ELEMENTS (sizes) - (conf_is_thorough () ? 0 : 1);

  for (guint i = 0; i < n_sizes; i++)
    {
      gint64 n = sizes[i];
      g_autofree gint64 *values = g_new (gint64, n), *bits = g_new (gint64, n);
      g_autofree char *shape = g_strdup_printf ("[%d]", (int) n), *sort = g_strconcat ("skewed/sort/", shape, NULL),
        *argsort = g_strconcat ("skewed/argsort/", shape, NULL);
      g_autofree char *none = g_strconcat ("skewed/same/", shape, NULL), *few = g_strconcat ("skewed/few/", shape, NULL),
        *down = g_strconcat ("skewed/down/", shape, NULL);
      g_autoptr(AccArray) skewed = NULL, top = NULL;
      g_autofree gint64 *order = NULL, *top_order = NULL, *down_order = NULL;

      for (gint64 k = 0; k < n; k++)
        values[k] = g_rand_int_range (rand, 0, 97) == 0 ? (gint64) g_rand_int (rand) : 0xff00ff00;
      for (gint64 k = 0; k < n; k++)
        bits[k] = values[k] >> 28;
      skewed = conf_ints ("u4", &n, 1, values);
      top = conf_ints ("u1", &n, 1, bits);
      order = find_order (skewed, FALSE);
      top_order = find_order (top, FALSE);
      down_order = find_order (skewed, TRUE);

      conf_expect_array (sort, acc_array_sort (skewed, FALSE), arrange (skewed, order));
      conf_expect_ints (argsort, acc_array_argsort (skewed, FALSE), shape, 0, n, order);
      conf_expect_array (few, acc_array_sort_by_key (skewed, FALSE, top_bits, NULL), arrange (skewed, top_order));
      conf_expect_array (down, acc_array_sort_by_key (skewed, FALSE, inverted, NULL), arrange (skewed, down_order));
      conf_expect_array (none, acc_array_sort_by_key (skewed, i % 2, same_key, NULL), g_object_ref (skewed));
    }
}

/* What is equal stays in order: both zeros, and all that are no numbers. */
static void
test_equal (void)
{
  g_autoptr(AccArray) floats = CONF_FLOATS1 ("f4", 1, -0.0, NAN, 0, -1, -NAN, -0.0, INFINITY, -INFINITY);
  g_autoptr(AccArray) same = CONF_INTS1 ("u1", 7, 7, 7, 7), nothing = CONF_INTS2 ("i4", 2, 0, 0), sorted = acc_array_sort (floats, FALSE);

  CONF_EXPECT_INTS ("argsort/floats", acc_array_argsort (floats, FALSE), "[9]", 8, 4, 1, 3, 6, 0, 7, 2, 5);
  CONF_EXPECT_INTS ("argsort/floats/descending", acc_array_argsort (floats, TRUE), "[9]", 7, 0, 1, 3, 6, 4, 8, 2, 5);
  CONF_EXPECT_FLOATS ("sort/floats", acc_array_take (sorted, 7), "[7]", -INFINITY, -1, -0.0, 0, -0.0, 1, INFINITY);
  CONF_EXPECT_INTS ("argsort/same", acc_array_argsort (same, FALSE), "[4]", 0, 1, 2, 3);
  CONF_EXPECT_INTS ("argsort/same/descending", acc_array_argsort (same, TRUE), "[4]", 0, 1, 2, 3);
  conf_expect_ints ("sort/nothing", acc_array_sort (nothing, TRUE), "[2,0]", 0, 0, NULL);
}

static AccExpr *
is_even (AccExpr *x, gpointer data)
{
  return acc_expr_eq (acc_expr_rem (x, conf_i64 (2)), conf_i64 (0));
}

static AccExpr *
is_large (AccExpr *x, gpointer data)
{
  return acc_expr_gt (x, conf_i64 (100));
}

/* Rows whose extents are known only when they are there. */
static void
test_computed (void)
{
  g_autoptr(AccArray) xs = CONF_INTS1 ("i8", 8, 3, 2, 6, 5, 0, 4), kept = acc_array_filter (xs, is_even, NULL, NULL);
  g_autoptr(AccArray) four = CONF_INTS1 ("i8", 3, 1, 0, 2), five = CONF_INTS1 ("i8", 3, 1, 0, 2, 4),
    none = CONF_INTS1 ("i8", 9, 9, 9, 9, 9);
  g_autoptr(AccArray) nothing = acc_array_filter (xs, is_large, NULL, NULL);

  conf_expect_ints ("sort/computed-nothing", acc_array_sort (nothing, FALSE), "[0]", 0, 0, NULL);
  CONF_EXPECT_INTS ("sort/computed", acc_array_sort (kept, FALSE), "[5]", 0, 2, 4, 6, 8);
  CONF_EXPECT_INTS ("argsort/computed", acc_array_argsort (kept, TRUE), "[5]", 0, 2, 4, 1, 3);
  CONF_EXPECT_INTS ("sort-by/computed", acc_array_sort_pairs (none, kept, TRUE, NULL), "[5]", 9, 9, 9, 9, 9);
  CONF_EXPECT_INTS ("sort-by/computed-values", acc_array_sort_pairs (kept, five, FALSE, NULL), "[5]", 6, 2, 0, 8, 4);
  CONF_EXPECT_ERROR ("sort-by/computed-extents", acc_array_sort_pairs (kept, four, FALSE, NULL), ACC_ERROR_BOUNDS, "-1");
}

/* Keys of several items, of rows that are short, long, and known only when they are there; pairs of pairs are compared in the same
 * order. */
static void
test_tuple_keys (void)
{
  g_autoptr(AccArray) names = CONF_INTS1 ("i4", 0, 1, 2, 3, 4, 5, 6), first = CONF_INTS1 ("i1", 2, -1, 2, -1, 2, 2, -1);
  g_autoptr(AccArray) second = CONF_FLOATS1 ("f8", 0., NAN, -3., INFINITY, -0., NAN, INFINITY),
    third = CONF_INTS1 ("u2", 1, 0, 9, 3, 0, 0, 2);
  g_autoptr(AccArray) right = acc_array_zip (second, third), nested = acc_array_zip (first, right), left = acc_array_zip (first, second),
    other = acc_array_zip (left, third);
  g_autoptr(AccArray) sorted_keys = NULL, sorted = acc_array_sort_pairs (names, nested, FALSE, &sorted_keys);
  g_autoptr(AccArray) sorted_left = acc_array_unzip (sorted_keys, 0);
  const gint64 n = 3000;
  g_autofree gint64 *a = g_new (gint64, n), *b = g_new (gint64, n), *numbers = g_new (gint64, n), *want = g_new (gint64, n);
  g_autoptr(AccArray) as = NULL, bs = NULL, places = NULL, pairs = NULL;
  gint64 filled = 0;

  CONF_EXPECT_INTS ("sort-by/tuples", g_object_ref (sorted), "[7]", 6, 3, 1, 2, 4, 0, 5);
  CONF_EXPECT_INTS ("sort-by/tuples-keys", g_object_ref (sorted_left), "[7]", -1, -1, -1, 2, 2, 2, 2);
  CONF_EXPECT_INTS ("sort-by/tuples-left", acc_array_sort_pairs (names, other, FALSE, NULL), "[7]", 6, 3, 1, 2, 4, 0, 5);
  CONF_EXPECT_INTS ("sort-by/tuples-descending", acc_array_sort_pairs (names, other, TRUE, NULL), "[7]", 0, 4, 2, 5, 3, 6, 1);

  for (gint64 i = 0; i < n; i++)
    {
      a[i] = i * 7919 % 5;
      b[i] = -(i * 104729 % 3);
      numbers[i] = i;
    }
  for (gint64 k = 0; k < 15; k++)
    for (gint64 i = 0; i < n; i++)
      if (a[i] == k / 3 && b[i] == k % 3 - 2)
        want[filled++] = i;
  as = conf_ints ("i8", &n, 1, a);
  bs = conf_ints ("i4", &n, 1, b);
  places = conf_ints ("i8", &n, 1, numbers);
  pairs = acc_array_zip (as, bs);
  conf_expect_ints ("sort-by/tuples-many", acc_array_sort_pairs (places, pairs, FALSE, NULL), "[3000]", 0, (guint) filled, want);
}

static AccExpr *
pair_with_itself (AccExpr *x, gpointer data)
{
  return acc_expr_tuple2 (x, x);
}

static AccExpr *
nothing_at_all (AccExpr *x, gpointer data)
{
  return NULL;
}

static AccExpr *
no_item (AccExpr *x, gpointer data)
{
  return acc_expr_item (x, 5);
}

static void
check_text (const char *type, const char *key_type, const char *part)
{
  g_autofree char *text = g_strdup_printf ("acc program 1\na0 = parameter 0 %s\na1 = sort a0 label \"rows\"\n  e0 = variable f4\n  e1 = cast e0 %s\n  function e0 -> e1\n"
                                           "program a0 -> a1\n", type, key_type);
  g_autoptr(GError) error = NULL;
  g_autoptr(AccProgram) program = acc_program_parse (text, &error);

  if (program != NULL)
    acc_program_check (program, &error);
  if (part == NULL)
    g_assert_no_error (error);
  else if (!g_error_matches (error, ACC_ERROR, ACC_ERROR_PARSE) || strstr (error->message, "sort") == NULL
           || strstr (error->message, part) == NULL)
    conf_fail ("sorts", "text", "%s, %s: %s", type, key_type, error != NULL ? error->message : "no error");
}

/* Rows of a stream are sorted one by one; a vector is one row, which is stored first. */
static void
test_stream (void)
{
  g_autoptr(GRand) rand = g_rand_new_with_seed (conf_seed ());
  g_autoptr(AccArray) values = conf_array (conf_type ("i4"), (gint64[]) { 50, 40 }, 2, rand, CONF_FULL),
    rows = conf_through_source (g_object_ref (values));
  g_autoptr(AccArray) more = conf_array (conf_type ("i4"), (gint64[]) { 100 }, 1, rand, CONF_FULL),
    vector = conf_through_source (g_object_ref (more));
  g_autofree gint64 *order = find_order (values, TRUE), *order_of_more = find_order (more, FALSE);

  conf_expect_array ("sort/stream", acc_array_sort (rows, TRUE), arrange (values, order));
  conf_expect_ints ("argsort/stream", acc_array_argsort (rows, TRUE), "[50,40]", 0, 2000, order);
  conf_expect_array ("sort/stream/vector", acc_array_sort (vector, FALSE), arrange (more, order_of_more));
}

/* Keys of programs that were read are unsigned already. */
static void
test_text (void)
{
  check_text ("f4[:]", "u1", NULL);
  check_text ("f4[:,:]", "u8", NULL);
  check_text ("f4[]", "u4", "rank 0");
  check_text ("f4[:]", "i4", "i4");
  check_text ("f4[:]", "b1", "b1");
  check_text ("f4[:]", "f4", "f4");
}

/* How many elements of @sorted, one by one, are in front of each value. */
static AccArray *
count_in_front (AccArray *sorted, AccArray *values, gboolean right)
{
  AccElementType *type = acc_array_get_element_type (values);
  gint64 n = acc_shape_get_size (acc_array_get_shape (sorted)), size = acc_shape_get_size (acc_array_get_shape (values)), total = n + size;
  g_autoptr(GBytes) x = acc_array_dup_bytes (sorted, 0, NULL), y = acc_array_dup_bytes (values, 0, NULL), counted = NULL;
  g_autoptr(GByteArray) all = g_byte_array_new ();
  g_autoptr(GBytes) both = NULL;
  g_autoptr(AccShape) shape = acc_shape_new_vector (total);
  g_autoptr(AccArray) together = NULL;
  gint64 *counts = g_new0 (gint64, size + 1);

  g_byte_array_append (all, g_bytes_get_data (x, NULL), g_bytes_get_size (x));
  g_byte_array_append (all, g_bytes_get_data (y, NULL), g_bytes_get_size (y));
  both = g_bytes_new (all->data, all->len);
  together = acc_array_use_buffers (type, shape, &both, 1);
  for (gint64 i = 0; i < size; i++)
    for (gint64 k = 0; k < n; k++)
      counts[i] += compare_keys (together, k, n + i, FALSE) < (right ? 1 : 0);
  counted = g_bytes_new_take (counts, size * sizeof *counts);

  return acc_array_use_buffers (conf_type ("i8"), acc_array_get_shape (values), &counted, 1);
}

static void
check_search (const char *code, gint64 n, const gint64 *extents, guint rank, ConfValues kind, GRand *rand)
{
  g_autoptr(AccArray) keys = conf_array (conf_type (code), &n, 1, rand, kind),
    values = conf_array (conf_type (code), extents, rank, rand, kind);
  g_autofree gint64 *order = find_order (keys, FALSE);
  g_autoptr(AccArray) sorted = arrange (keys, order);
  g_autofree char *shape = acc_shape_to_string (acc_array_get_shape (values));

  for (guint right = 0; right < 2; right++)
    {
      g_autofree char *name = g_strdup_printf ("searchsorted/%s[%d]%s/%d%s", code, (int) n, shape, kind, right ? "/right" : "");

      conf_expect_array (name, acc_array_searchsorted (sorted, values, right), count_in_front (sorted, values, right));
      /* As it is where both are computed. */
      if (n % 2 == 0)
        {
          g_autofree char *computed = g_strconcat (name, "/computed", NULL);
          g_autoptr(AccArray) made = acc_array_sort (keys, FALSE), same = acc_array_map (values, conf_itself, NULL);

          conf_expect_array (computed, acc_array_searchsorted (made, same, right), count_in_front (sorted, values, right));
        }
    }
}

static void
test_search (gconstpointer data)
{
  g_autoptr(GRand) rand = g_rand_new_with_seed (conf_seed ());
  static const gint64 extents[][3] = { { 0 }, { 1 }, { 70 }, { 0, 3 }, { 5, 9 }, { 2, 3, 7 } };
  static const guint ranks[] = { 0, 1, 1, 2, 2, 3 };
  static const gint64 sizes[] = { 0, 1, 2, 3, 63, 64, 65, 300 };

  for (guint i = 0; i < G_N_ELEMENTS (sizes); i++)
    {
      guint k = i % G_N_ELEMENTS (ranks);

      check_search (data, sizes[i], extents[k], ranks[k], CONF_SMALL, rand);
      check_search (data, sizes[i], extents[2], 1, i % 2 ? CONF_FULL : CONF_SMALL, rand);
    }
}

static AccArray *
search_both (AccArray **arrays, guint n_arrays, gpointer data)
{
  return acc_array_searchsorted (arrays[0], arrays[1], TRUE);
}

static AccExpr *
is_place (AccExpr *place, gpointer data)
{
  return acc_expr_land (acc_expr_ge (place, conf_i64 (0)), acc_expr_le (place, conf_i64 (3)));
}

/* Extents that are known when it runs; values row by row; a vector that has no order. */
static void
test_searches (void)
{
  static const char *const signatures[] = { "f4[:]", "f4[:,:]", NULL };
  g_autoptr(GRand) rand = g_rand_new_with_seed (conf_seed ());
  g_autoptr(ConfProgram) program = conf_program_new ("searchsorted/program", acc_program_new (signatures, search_both, NULL));
  g_autoptr(AccArray) sorted = CONF_FLOATS1 ("f4", -INFINITY, -1, -0.0, 0, 0, 2, NAN, NAN),
    values = CONF_FLOATS1 ("f4", NAN, 0, -0.0, INFINITY, -INFINITY, 1);
  g_autoptr(AccArray) disorder = CONF_INTS1 ("i4", 3, 1, 2), ones = CONF_INTS1 ("i4", 1, 1), places = NULL;
  g_autoptr(AccArray) pairs = acc_array_zip (ones, ones), matrix = CONF_INTS2 ("i4", 1, 2, 1, 2),
    parts = conf_array (conf_type ("c8"), (gint64[]) { 3 }, 1, rand, CONF_SMALL);
  g_autoptr(AccArray) broken = acc_array_argsort (values, FALSE), bytes = CONF_INTS1 ("i1", 1, 1);

  CONF_EXPECT_INTS ("searchsorted/left", acc_array_searchsorted (sorted, values, FALSE), "[6]", 6, 2, 2, 6, 0, 5);
  CONF_EXPECT_INTS ("searchsorted/right", acc_array_searchsorted (sorted, values, TRUE), "[6]", 8, 5, 5, 6, 1, 5);
  for (guint i = 0; i < 3; i++)
    {
      const gint64 n = i * 20, size[] = { i * 3, 7 };
      AccArray *keys = conf_array (conf_type ("f4"), &n, 1, rand, CONF_SMALL);
      g_autofree gint64 *order = find_order (keys, FALSE);

      conf_program_check (program, (AccArray *[]) { arrange (keys, order), conf_array (conf_type ("f4"), size, 2, rand, CONF_SMALL) }, 2,
                          CONF_EXACT);
      g_object_unref (keys);
    }
  if (g_getenv ("ACC_TEST_TEXT") == NULL)
    {
      g_autoptr(AccArray) whole = conf_array (conf_type ("f4"), (gint64[]) { 50, 4 }, 2, rand, CONF_SMALL),
        streamed = conf_through_source (g_object_ref (whole));

      conf_expect_array ("searchsorted/stream", acc_array_searchsorted (sorted, streamed, FALSE), count_in_front (sorted, whole, FALSE));
    }
  /* Any index that there is, and one behind. */
  places = acc_array_searchsorted (disorder, ones, FALSE);
  conf_expect_array ("searchsorted/disorder", acc_array_map (places, is_place, NULL), CONF_INTS1 ("b1", 1, 1));

  CONF_EXPECT_ERROR ("searchsorted/rank-2", acc_array_searchsorted (matrix, ones, FALSE), ACC_ERROR_SHAPE, "searchsorted", "rank 2");
  CONF_EXPECT_ERROR ("searchsorted/pairs", acc_array_searchsorted (pairs, pairs, FALSE), ACC_ERROR_TYPE, "searchsorted", "(i4,i4)");
  CONF_EXPECT_ERROR ("searchsorted/complex", acc_array_searchsorted (parts, parts, FALSE), ACC_ERROR_TYPE, "searchsorted", "c8");
  CONF_EXPECT_ERROR ("searchsorted/types", acc_array_searchsorted (ones, bytes, FALSE), ACC_ERROR_TYPE, "searchsorted", "i1", "i4");
  CONF_EXPECT_ERROR ("searchsorted/nothing", acc_array_searchsorted (NULL, ones, FALSE), ACC_ERROR_CALLBACK, "searchsorted", "an array");
}

static GPtrArray *
sort_both (AccArray **arrays, guint n_arrays, gpointer data)
{
  GPtrArray *results = g_ptr_array_new_with_free_func (g_object_unref);
  AccArray *sorted_keys = NULL, *sorted = acc_array_sort_pairs (arrays[0], arrays[1], data != NULL, &sorted_keys);

  g_ptr_array_add (results, sorted_keys);
  g_ptr_array_add (results, sorted);

  return results;
}

/* Both in one run, which need not make an array of pairs. */
static void
test_parts (void)
{
  static const gint64 sizes[][2] = { { 1, 70000 }, { 0, 3 }, { 1, 1 }, { 1, 300 }, { 1, 9000 }, { 2, 9000 }, { 40, 33 } };
  static const char * const kinds[] = { "u1", "u2", "f4", "i8" };
  g_autoptr(GRand) rand = g_rand_new_with_seed (conf_seed ());

  for (guint k = 0; k < G_N_ELEMENTS (kinds); k++)
    for (guint descending = 0; descending < 2; descending++)
      {
        g_autofree char *keys = g_strconcat (kinds[k], "[:,:]", NULL),
          *name = g_strconcat ("sort-by/both/", keys, descending ? "/descending" : NULL, NULL);
        const char *signatures[] = { "(i2,(f4,b1))[:,:]", keys, NULL };
        g_autoptr(ConfProgram) program = conf_program_new (name,
                                                           acc_program_new_many (signatures, sort_both, GUINT_TO_POINTER (descending)));

        /* The first is longer than a tile of the CPU, and takes long elsewhere: one kind does. */
        for (guint i = k == 1 ? 0 : 1; i < G_N_ELEMENTS (sizes); i++)
          conf_program_check (program, (AccArray *[]) {
            conf_array (conf_type ("(i2,(f4,b1))"), sizes[i], 2, rand, CONF_FULL),
            conf_array (conf_type (kinds[k]), sizes[i], 2, rand, CONF_SMALL),
          }, 2, CONF_EXACT);
      }
}

static void
test_mistakes (void)
{
  g_autoptr(AccArray) vector = CONF_INTS1 ("i8", 1, 2, 3), two = CONF_INTS1 ("i8", 1, 2), one = acc_array_unit (conf_i64 (1));
  g_autoptr(AccArray) pairs = acc_array_zip (vector, vector), matrix = CONF_INTS2 ("i8", 1, 3, 1, 2, 3), sorted_keys = NULL;
  g_autoptr(AccArray) broken = acc_array_argsort (one, FALSE);
  AccArray *bad = acc_array_sort (pairs, FALSE);

  acc_array_set_label (bad, "pairs");
  CONF_EXPECT_ERROR ("sort/pairs", bad, ACC_ERROR_TYPE, "sort", "pairs", "(i8,i8)");
  CONF_EXPECT_ERROR ("sort/rank-0", acc_array_sort (one, FALSE), ACC_ERROR_SHAPE, "sort", "rank 0");
  CONF_EXPECT_ERROR ("argsort/rank-0", g_object_ref (broken), ACC_ERROR_SHAPE, "argsort", "rank 0");
  CONF_EXPECT_ERROR ("sort/of-broken", acc_array_sort (broken, FALSE), ACC_ERROR_SHAPE, "argsort");
  CONF_EXPECT_ERROR ("sort-by/extents", acc_array_sort_pairs (vector, two, FALSE, &sorted_keys), ACC_ERROR_SHAPE, "sort_pairs", "[2]",
                     "[3]");
  CONF_EXPECT_ERROR ("sort-by/keys", g_object_ref (sorted_keys), ACC_ERROR_SHAPE, "sort_pairs", "[2]");
  CONF_EXPECT_ERROR ("sort-by/ranks", acc_array_sort_pairs (vector, matrix, FALSE, NULL), ACC_ERROR_SHAPE, "sort_pairs", "rank 2");
  CONF_EXPECT_ERROR ("sort-by/tuple-extents", acc_array_sort_pairs (two, pairs, FALSE, NULL), ACC_ERROR_SHAPE, "sort_pairs", "[2]");
  bad = acc_array_sort_by_key (vector, FALSE, pair_with_itself, NULL);
  acc_array_set_label (bad, "keyed");
  CONF_EXPECT_ERROR ("sort-on/pairs", bad, ACC_ERROR_TYPE, "sort_by_key", "keyed", "(i8,i8)");
  CONF_EXPECT_ERROR ("sort-on/rank-0", acc_array_sort_by_key (one, FALSE, conf_itself, NULL), ACC_ERROR_SHAPE, "sort", "rank 0");
  CONF_EXPECT_ERROR ("sort-on/nothing", acc_array_sort_by_key (vector, FALSE, nothing_at_all, NULL), ACC_ERROR_CALLBACK, "sort");
  CONF_EXPECT_ERROR ("sort-on/no-item", acc_array_sort_by_key (pairs, FALSE, no_item, NULL), ACC_ERROR_TYPE, "sort", "item");
  CONF_EXPECT_ERROR ("sort-on/of-broken", acc_array_sort_by_key (broken, FALSE, conf_itself, NULL), ACC_ERROR_SHAPE, "argsort");
  CONF_EXPECT_ERROR ("sort-by/of-broken", acc_array_sort_pairs (broken, vector, FALSE, NULL), ACC_ERROR_SHAPE, "argsort");
}

int
main (int argc, char **argv)
{
  static const char *const codes[] = { "b1", "i1", "i2", "i4", "i8", "u1", "u2", "u4", "u8", "f2", "f4", "f8" };

  conf_init (&argc, &argv);
  for (guint i = 0; i < G_N_ELEMENTS (codes); i++)
    {
      g_autofree char *path = g_strdup_printf ("/sorts/%s", codes[i]);

      if (conf_is_thorough () || i % 2 == 0)
        g_test_add_data_func (path, codes[i], test_type);
    }
  for (guint i = 0; i < G_N_ELEMENTS (codes); i++)
    {
      g_autofree char *path = g_strdup_printf ("/sorts/search/%s", codes[i]);

      if (conf_is_thorough () || i % 2 != 0)
        g_test_add_data_func (path, codes[i], test_search);
    }
  g_test_add_func ("/sorts/searches", test_searches);
  for (guint i = 0; i < G_N_ELEMENTS (keys_of_elements); i++)
    {
      g_autofree char *path = g_strdup_printf ("/sorts/on/%s/%u", keys_of_elements[i].code, i);

      g_test_add_data_func (path, &keys_of_elements[i], test_on);
    }
  g_test_add_func ("/sorts/skewed", test_skewed);
  /* What reads a source has no text. */
  if (g_getenv ("ACC_TEST_TEXT") == NULL)
    g_test_add_func ("/sorts/stream", test_stream);
  g_test_add_func ("/sorts/text", test_text);
  g_test_add_func ("/sorts/long", test_long);
  g_test_add_func ("/sorts/equal", test_equal);
  g_test_add_func ("/sorts/computed", test_computed);
  g_test_add_func ("/sorts/tuple-keys", test_tuple_keys);
  g_test_add_func ("/sorts/parts", test_parts);
  g_test_add_func ("/sorts/mistakes", test_mistakes);
  return conf_run ();
}
