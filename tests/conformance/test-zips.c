/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "conformance.h"

/* Functions of elements of four to nine arrays, and of indices and elements of two to nine: section 1.4 of the language. */

#define MOST 9

/* Horner's rule: every argument has a place of its own. */
static AccExpr *
digits (AccExpr **x, guint n)
{
  AccExpr *sum = conf_i64 (0);

  for (guint i = 0; i < n; i++)
    sum = acc_expr_add (acc_expr_mul (sum, conf_i64 (7)), acc_expr_cast (x[i], acc_element_type_new (ACC_KIND_I64)));
  return sum;
}

static AccExpr *
indexed_digits (AccExpr *index, AccExpr **x, guint n)
{
  AccExpr *sum = digits (x, n);

  for (guint i = 0; i < acc_expr_get_n_items (index); i++)
    sum = acc_expr_add (acc_expr_mul (sum, conf_i64 (3)), acc_expr_item (index, i));
  return sum;
}

static AccExpr *
of_4 (AccExpr *x0, AccExpr *x1, AccExpr *x2, AccExpr *x3, gpointer data)
{
  return digits ((AccExpr *[]) { x0, x1, x2, x3 }, 4);
}

static AccExpr *
of_5 (AccExpr *x0, AccExpr *x1, AccExpr *x2, AccExpr *x3, AccExpr *x4, gpointer data)
{
  return digits ((AccExpr *[]) { x0, x1, x2, x3, x4 }, 5);
}

static AccExpr *
of_6 (AccExpr *x0, AccExpr *x1, AccExpr *x2, AccExpr *x3, AccExpr *x4, AccExpr *x5, gpointer data)
{
  return digits ((AccExpr *[]) { x0, x1, x2, x3, x4, x5 }, 6);
}

static AccExpr *
of_7 (AccExpr *x0, AccExpr *x1, AccExpr *x2, AccExpr *x3, AccExpr *x4, AccExpr *x5, AccExpr *x6, gpointer data)
{
  return digits ((AccExpr *[]) { x0, x1, x2, x3, x4, x5, x6 }, 7);
}

static AccExpr *
of_8 (AccExpr *x0, AccExpr *x1, AccExpr *x2, AccExpr *x3, AccExpr *x4, AccExpr *x5, AccExpr *x6, AccExpr *x7, gpointer data)
{
  return digits ((AccExpr *[]) { x0, x1, x2, x3, x4, x5, x6, x7 }, 8);
}

static AccExpr *
of_9 (AccExpr *x0, AccExpr *x1, AccExpr *x2, AccExpr *x3, AccExpr *x4, AccExpr *x5, AccExpr *x6, AccExpr *x7, AccExpr *x8, gpointer data)
{
  return digits ((AccExpr *[]) { x0, x1, x2, x3, x4, x5, x6, x7, x8 }, 9);
}

static AccExpr *
at_2 (AccExpr *index, AccExpr *x0, AccExpr *x1, gpointer data)
{
  return indexed_digits (index, (AccExpr *[]) { x0, x1 }, 2);
}

static AccExpr *
at_3 (AccExpr *index, AccExpr *x0, AccExpr *x1, AccExpr *x2, gpointer data)
{
  return indexed_digits (index, (AccExpr *[]) { x0, x1, x2 }, 3);
}

static AccExpr *
at_4 (AccExpr *index, AccExpr *x0, AccExpr *x1, AccExpr *x2, AccExpr *x3, gpointer data)
{
  return indexed_digits (index, (AccExpr *[]) { x0, x1, x2, x3 }, 4);
}

static AccExpr *
at_5 (AccExpr *index, AccExpr *x0, AccExpr *x1, AccExpr *x2, AccExpr *x3, AccExpr *x4, gpointer data)
{
  return indexed_digits (index, (AccExpr *[]) { x0, x1, x2, x3, x4 }, 5);
}

static AccExpr *
at_6 (AccExpr *index, AccExpr *x0, AccExpr *x1, AccExpr *x2, AccExpr *x3, AccExpr *x4, AccExpr *x5, gpointer data)
{
  return indexed_digits (index, (AccExpr *[]) { x0, x1, x2, x3, x4, x5 }, 6);
}

static AccExpr *
at_7 (AccExpr *index, AccExpr *x0, AccExpr *x1, AccExpr *x2, AccExpr *x3, AccExpr *x4, AccExpr *x5, AccExpr *x6, gpointer data)
{
  return indexed_digits (index, (AccExpr *[]) { x0, x1, x2, x3, x4, x5, x6 }, 7);
}

static AccExpr *
at_8 (AccExpr *index, AccExpr *x0, AccExpr *x1, AccExpr *x2, AccExpr *x3, AccExpr *x4, AccExpr *x5, AccExpr *x6, AccExpr *x7, gpointer data)
{
  return indexed_digits (index, (AccExpr *[]) { x0, x1, x2, x3, x4, x5, x6, x7 }, 8);
}

static AccExpr *
at_9 (AccExpr *index, AccExpr *x0, AccExpr *x1, AccExpr *x2, AccExpr *x3, AccExpr *x4, AccExpr *x5, AccExpr *x6, AccExpr *x7, AccExpr *x8,
      gpointer data)
{
  return indexed_digits (index, (AccExpr *[]) { x0, x1, x2, x3, x4, x5, x6, x7, x8 }, 9);
}

static AccArray *
zip_with (AccArray **x, guint n)
{
  switch (n)
    {
    case 4:
      return acc_array_zip_with4 (x[0], x[1], x[2], x[3], of_4, NULL);
    case 5:
      return acc_array_zip_with5 (x[0], x[1], x[2], x[3], x[4], of_5, NULL);
    case 6:
      return acc_array_zip_with6 (x[0], x[1], x[2], x[3], x[4], x[5], of_6, NULL);
    case 7:
      return acc_array_zip_with7 (x[0], x[1], x[2], x[3], x[4], x[5], x[6], of_7, NULL);
    case 8:
      return acc_array_zip_with8 (x[0], x[1], x[2], x[3], x[4], x[5], x[6], x[7], of_8, NULL);
    case 9:
      return acc_array_zip_with9 (x[0], x[1], x[2], x[3], x[4], x[5], x[6], x[7], x[8], of_9, NULL);
    default:
      g_return_val_if_reached (NULL);
    }
}

static AccArray *
izip_with (AccArray **x, guint n)
{
  switch (n)
    {
    case 2:
      return acc_array_izip_with (x[0], x[1], at_2, NULL);
    case 3:
      return acc_array_izip_with3 (x[0], x[1], x[2], at_3, NULL);
    case 4:
      return acc_array_izip_with4 (x[0], x[1], x[2], x[3], at_4, NULL);
    case 5:
      return acc_array_izip_with5 (x[0], x[1], x[2], x[3], x[4], at_5, NULL);
    case 6:
      return acc_array_izip_with6 (x[0], x[1], x[2], x[3], x[4], x[5], at_6, NULL);
    case 7:
      return acc_array_izip_with7 (x[0], x[1], x[2], x[3], x[4], x[5], x[6], at_7, NULL);
    case 8:
      return acc_array_izip_with8 (x[0], x[1], x[2], x[3], x[4], x[5], x[6], x[7], at_8, NULL);
    case 9:
      return acc_array_izip_with9 (x[0], x[1], x[2], x[3], x[4], x[5], x[6], x[7], x[8], at_9, NULL);
    default:
      g_return_val_if_reached (NULL);
    }
}

static const char *const codes[MOST] = { "i4", "u1", "i8", "f4", "i2", "f8", "u4", "i1", "u8" };

/* Input @k has @k % 3 more than @extents[d] in every dimension but one of its own; the first has just @extents. */
static AccArray *
make_input (guint k, guint rank, const gint64 *extents)
{
  gint64 own[5], size = 1;
  g_autofree gint64 *values = NULL;
  g_autofree double *floats = NULL;

  for (guint d = 0; d < rank; d++)
    size *= own[d] = extents[d] + (d == k % MAX (rank, 1) ? 0 : k % 3);
  values = g_new (gint64, size + 1);
  floats = g_new (double, size + 1);
  for (gint64 i = 0; i < size; i++)
    floats[i] = (double) (values[i] = (i * (k + 2) + k) % 50);

  return codes[k][0] == 'f' ? conf_floats (codes[k], own, rank, floats) : conf_ints (codes[k], own, rank, values);
}

/* By the definition: the low corner that all have, each input read with its own strides. */
static gint64
expect_element (guint n, gboolean indexed, guint rank, const gint64 *extents, gint64 place)
{
  gint64 index[5], sum = 0, rest = place;

  for (guint d = rank; d-- > 0; )
    {
      index[d] = rest % extents[d];
      rest /= extents[d];
    }
  for (guint k = 0; k < n; k++)
    {
      gint64 i = 0;

      for (guint d = 0; d < rank; d++)
        i = i * (extents[d] + (d == k % MAX (rank, 1) ? 0 : k % 3)) + index[d];
      sum = sum * 7 + (i * (k + 2) + k) % 50;
    }
  for (guint d = 0; indexed && d < rank; d++)
    sum = sum * 3 + index[d];
  return sum;
}

static void
check (guint n, gboolean indexed, guint rank, const gint64 *extents)
{
  AccArray *inputs[MOST];
  gint64 size = 1;
  g_autofree gint64 *values = NULL;
  g_autofree char *name = g_strdup_printf ("%s%u/rank-%u/%d", indexed ? "izip" : "zip", n, rank, rank > 0 ? (int) extents[0] : 0),
    *text = NULL;
  g_autoptr(AccShape) shape = acc_shape_new (extents, rank);

  for (guint d = 0; d < rank; d++)
    size *= extents[d];
  text = acc_shape_to_string (shape);
  for (guint k = 0; k < n; k++)
    inputs[k] = make_input (k, rank, extents);
  values = g_new (gint64, size + 1);
  for (gint64 i = 0; i < size; i++)
    values[i] = expect_element (n, indexed, rank, extents, i);

  conf_expect_ints (name, indexed ? izip_with (inputs, n) : zip_with (inputs, n), text, 0, (guint) size, values);
  for (guint k = 0; k < n; k++)
    g_object_unref (inputs[k]);
}

static void
test_arity (gconstpointer data)
{
  static const gint64 extents[][5] = { { 0, 3, 2, 2, 2 }, { 1, 1, 1, 1, 1 }, { 3, 2, 4, 1, 2 } };
  guint n = GPOINTER_TO_UINT (data);

  for (guint rank = 0; rank <= 5; rank++)
    for (guint i = 0; i < G_N_ELEMENTS (extents); i++)
      {
        if (rank == 0 && i > 0)
          continue;
        if (n >= 4)
          check (n, FALSE, rank, extents[i]);
        check (n, TRUE, rank, extents[i]);
      }
  check (n, TRUE, 1, (gint64[]) { 5003 });
}

/* --- mistakes */

static AccExpr *
last_of (AccExpr *a, AccExpr *b, AccExpr *c, AccExpr *d, gpointer data)
{
  return d;
}

static AccExpr *
sum_of (AccExpr *a, AccExpr *b, AccExpr *c, AccExpr *d, gpointer data)
{
  return acc_expr_add (acc_expr_add (a, b), acc_expr_add (c, d));
}

static AccExpr *
none_of (AccExpr *a, AccExpr *b, AccExpr *c, AccExpr *d, gpointer data)
{
  return NULL;
}

static AccExpr *
literal_of (AccExpr *a, AccExpr *b, AccExpr *c, AccExpr *d, gpointer data)
{
  return acc_expr_new_int (5);
}

static void
test_edges (void)
{
  g_autoptr(AccArray) x = CONF_INTS1 ("i4", 1, 2, 3), y = CONF_INTS1 ("i4", 4, 5), halves = CONF_FLOATS1 ("f2", 1, 2, 3),
    matrix = CONF_INTS2 ("i4", 1, 2, 3, 4);
  g_autoptr(AccArray) pairs = acc_array_zip (x, halves), broken = acc_array_zip_with4 (x, x, x, matrix, last_of, NULL);
  AccArray *bad;

  CONF_EXPECT_INTS ("zip4/argument", acc_array_zip_with4 (x, x, x, y, last_of, NULL), "[2]", 4, 5);
  CONF_EXPECT_INTS ("zip4/literal", acc_array_zip_with4 (x, x, x, y, literal_of, NULL), "[2]", 5, 5);
  conf_expect_floats ("zip4/pairs", acc_array_zip_with4 (x, x, y, pairs, last_of, NULL), "[2]", 1, 2, (double[]) { 1, 2 });
  bad = acc_array_zip_with4 (x, x, x, halves, sum_of, NULL);
  acc_array_set_label (bad, "mixed");
  CONF_EXPECT_ERROR ("zip4/types", bad, ACC_ERROR_TYPE, "mixed", "i4", "f2");
  CONF_EXPECT_ERROR ("zip4/ranks", g_object_ref (broken), ACC_ERROR_SHAPE, "zip_with4", "array 3", "rank 2", "rank 1");
  CONF_EXPECT_ERROR ("zip4/of-broken", acc_array_zip_with4 (x, broken, x, x, last_of, NULL), ACC_ERROR_SHAPE, "zip_with4", "array 3");
  CONF_EXPECT_ERROR ("izip3/ranks", acc_array_izip_with3 (x, matrix, x, last_of, NULL), ACC_ERROR_SHAPE, "izip_with3", "array 1");
  CONF_EXPECT_ERROR ("zip4/nothing", acc_array_zip_with4 (x, x, x, x, none_of, NULL), ACC_ERROR_CALLBACK, "returned nothing");
  CONF_EXPECT_ERROR ("zip4/no-function", acc_array_zip_with4 (x, x, x, x, NULL, NULL), ACC_ERROR_CALLBACK, "function");
}

int
main (int argc, char **argv)
{
  conf_init (&argc, &argv);

  for (guint n = 2; n <= MOST; n++)
    {
      g_autofree char *path = g_strdup_printf ("/zips/%u", n);

      g_test_add_data_func (path, GUINT_TO_POINTER (n), test_arity);
    }
  g_test_add_func ("/zips/edges", test_edges);

  return conf_run ();
}
