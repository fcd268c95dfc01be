/* SPDX-License-Identifier: LGPL-2.1-or-later */

/* Pictures of all widths, from one column to many: what a backend makes of them row by row is what the interpreter makes of them. */

#include "nested-backends.h"

#include <string.h>

#define N_PICTURES 90

/* --- functions of a picture */

static AccExpr *
weighted (AccExpr *n, gint64 rows, gint64 columns)
{
  AccExpr *sum = acc_expr_new_int (0);

  for (gint64 y = 0; y < rows; y++)
    for (gint64 x = 0; x < columns; x++)
      sum = acc_expr_add (acc_expr_mul (sum, acc_expr_new_int (3)), acc_expr_neighbour2 (n, y - rows / 2, x - columns / 2));

  return sum;
}

static AccExpr *
weigh_three (AccExpr *n, gpointer data)
{
  return weighted (n, 3, 3);
}

static AccExpr *
weigh_five (AccExpr *n, gpointer data)
{
  return weighted (n, 3, 5);
}

static AccExpr *
weigh_two (AccExpr *n, AccExpr *m, gpointer data)
{
  return acc_expr_sub (weighted (n, 1, 3), acc_expr_mul (acc_expr_new_int (5), weighted (m, 3, 1)));
}

static AccArray *
blur (AccArray **a, AccBoundaryKind kind)
{
  g_autoptr(AccBoundary) boundary = acc_boundary_new (kind);

  return acc_array_stencil (a[0], (gint64[]) { 3, 3 }, 2, boundary, weigh_three, NULL);
}

static AccArray *
clamped (AccArray **a, guint n, gpointer data)
{
  return blur (a, ACC_BOUNDARY_CLAMP);
}

static AccArray *
mirrored (AccArray **a, guint n, gpointer data)
{
  return blur (a, ACC_BOUNDARY_MIRROR);
}

static AccArray *
wrapped (AccArray **a, guint n, gpointer data)
{
  return blur (a, ACC_BOUNDARY_WRAP);
}

static AccArray *
framed (AccArray **a, guint n, gpointer data)
{
  g_autoptr(AccBoundary) boundary = acc_boundary_new_constant (acc_expr_new_int (-7));

  return acc_array_stencil (a[0], (gint64[]) { 3, 3 }, 2, boundary, weigh_three, NULL);
}

static AccArray *
wide (AccArray **a, guint n, gpointer data)
{
  g_autoptr(AccBoundary) boundary = acc_boundary_new (ACC_BOUNDARY_CLAMP);

  return acc_array_stencil (a[0], (gint64[]) { 3, 5 }, 2, boundary, weigh_five, NULL);
}

static AccExpr *
negated (AccExpr *x, gpointer data)
{
  return acc_expr_neg (x);
}

static AccArray *
two (AccArray **a, guint n, gpointer data)
{
  g_autoptr(AccBoundary) boundary = acc_boundary_new (ACC_BOUNDARY_CLAMP);
  g_autoptr(AccArray) other = acc_array_map (a[0], negated, NULL);

  return acc_array_stencil2 (a[0], (gint64[]) { 1, 3 }, 2, boundary, other, (gint64[]) { 3, 1 }, 2, boundary, weigh_two, NULL);
}

static AccExpr *
numbered (AccExpr *index, AccExpr *x, gpointer data)
{
  AccExpr *column = acc_expr_mul (acc_expr_item (index, 1), acc_expr_new_int (7));
  AccExpr *place = acc_expr_add (acc_expr_mul (acc_expr_item (index, 0), acc_expr_new_int (1000)), column);

  return acc_expr_add (x, place);
}

static AccArray *
places (AccArray **a, guint n, gpointer data)
{
  return acc_array_imap (a[0], numbered, NULL);
}

/* Every second column, of the row below every second */
static AccExpr *
at_double (AccExpr *index, gpointer picture)
{
  AccExpr *doubled = acc_expr_new_int (2);
  AccExpr *y = acc_expr_add (acc_expr_mul (acc_expr_item (index, 0), doubled), acc_expr_new_int (1));
  AccExpr *x = acc_expr_mul (acc_expr_item (index, 1), doubled);

  return acc_expr_sub (acc_expr_index (picture, acc_expr_tuple2 (y, x)),
                       acc_expr_index (picture, acc_expr_tuple2 (y, acc_expr_add (x, acc_expr_new_int (1)))));
}

static AccArray *
halves (AccArray **a, guint n, gpointer data)
{
  return acc_array_generate_expr (acc_expr_tuple2 (acc_expr_quot (acc_expr_extent (a[0], 0), acc_expr_new_int (2)),
                                                   acc_expr_quot (acc_expr_extent (a[0], 1), acc_expr_new_int (2))), at_double, a[0]);
}

/* Of a volume */
static AccExpr *
placed_in_space (AccExpr *index, AccExpr *x, gpointer data)
{
  AccExpr *place = acc_expr_item (index, 0);

  for (guint d = 1; d < 3; d++)
    place = acc_expr_add (acc_expr_mul (place, acc_expr_new_int (10000)), acc_expr_item (index, d));

  return acc_expr_add (x, place);
}

static AccArray *
places_in_space (AccArray **a, guint n, gpointer data)
{
  return acc_array_imap (a[0], placed_in_space, NULL);
}

/* Outside in the last column */
static AccExpr *
at_next (AccExpr *index, AccExpr *x, gpointer picture)
{
  return acc_expr_index (picture,
                         acc_expr_tuple2 (acc_expr_item (index, 0), acc_expr_add (acc_expr_item (index, 1), acc_expr_new_int (1))));
}

static AccArray *
outside (AccArray **a, guint n, gpointer data)
{
  return acc_array_imap (a[0], at_next, a[0]);
}

static const struct {
  const char *name;
  AccArray *(*function) (AccArray **a, guint n, gpointer data);
} functions[] = {
  { "clamp", clamped }, { "mirror", mirrored }, { "wrap", wrapped }, { "constant", framed }, { "wide", wide }, { "two", two },
  { "places", places }, { "halves", halves },
};

/* --- pictures */

static AccArray *
use (gpointer numbers, gint64 n)
{
  g_autoptr(AccShape) shape = n < 0 ? acc_shape_new (NULL, 0) : acc_shape_new_vector (n);
  g_autoptr(GBytes) bytes = g_bytes_new (numbers, ABS (n) * sizeof (gint64));

  return acc_array_use (acc_element_type_new (ACC_KIND_I64), shape, bytes);
}

/* Of 0 to 70 columns, and a long one; of no row, one, or a few */
static AccNestedArray *
draw (void)
{
  g_autofree gint64 *rows = g_new (gint64, N_PICTURES), *columns = g_new (gint64, N_PICTURES), *pixels = NULL;
  g_autoptr(AccArray) values = NULL, heights = NULL, widths = NULL, extents = NULL;
  gint64 total = 0;

  for (gint64 p = 0; p < N_PICTURES; p++)
    {
      rows[p] = p * 7 % 6;
      columns[p] = p == 40 ? 3000 : p % 71;
      total += rows[p] * columns[p];
    }
  pixels = g_new (gint64, total);
  for (gint64 i = 0; i < total; i++)
    pixels[i] = (guint32) i * 2654435761u >> 8;
  values = use (pixels, total);
  heights = use (rows, N_PICTURES);
  widths = use (columns, N_PICTURES);
  extents = acc_array_zip (heights, widths);

  return acc_nested_array_new_from_extents (values, extents);
}

/* Of three dimensions: rows are numbered by a quotient as well. */
static AccNestedArray *
draw_volumes (void)
{
  static gint64 depths[] = { 3, 1, 4 }, rows[] = { 7, 1, 5 }, columns[] = { 13, 40, 9 };
  const gint64 n = G_N_ELEMENTS (depths);
  g_autofree gint64 *values = NULL;
  g_autoptr(AccArray) flat = NULL, one = use (depths, n), other = use (rows, n), last = use (columns, n);
  g_autoptr(AccArray) extents = acc_array_zip_many ((AccArray *[]) { one, other, last }, 3);
  gint64 total = 0;

  for (gint64 i = 0; i < n; i++)
    total += depths[i] * rows[i] * columns[i];
  values = g_new (gint64, total);
  for (gint64 i = 0; i < total; i++)
    values[i] = i * 1000003;
  flat = use (values, total);

  return acc_nested_array_new_from_extents (flat, extents);
}

static AccArray *
evaluate (AccBackend *which, AccArray *array, GError **error)
{
  return acc_backend_run (which, array, NULL, error);
}

static void
assert_same (AccArray *array)
{
  g_autoptr(GError) error = NULL;
  g_autoptr(AccArray) got = evaluate (backend, array, &error), wanted = NULL;
  gint64 n;

  g_assert_no_error (error);
  wanted = evaluate (judge, array, &error);
  g_assert_no_error (error);
  n = acc_shape_get_size (acc_array_get_shape (wanted));
  g_assert_cmpint (acc_shape_get_size (acc_array_get_shape (got)), ==, n);
  g_assert_cmpint (n, >, 400);
  for (gint64 i = 0; i < n; i++)
    if (acc_array_get_int (got, 0, i) != acc_array_get_int (wanted, 0, i))
      g_error ("value %d is %" G_GINT64_FORMAT ", not %" G_GINT64_FORMAT, (int) i, acc_array_get_int (got, 0, i),
               acc_array_get_int (wanted, 0, i));
}

static void
test_pictures (gconstpointer data)
{
  g_autoptr(AccNestedArray) pictures = draw ();
  g_autoptr(AccNestedArray) made = acc_nested_array_map (pictures, functions[GPOINTER_TO_UINT (data)].function, NULL);

  assert_same (acc_nested_array_get_values (made));
}

static void
test_volumes (void)
{
  g_autoptr(AccNestedArray) volumes = draw_volumes ();
  g_autoptr(AccNestedArray) made = acc_nested_array_map (volumes, places_in_space, NULL);

  assert_same (acc_nested_array_get_values (made));
}

static void
test_outside (void)
{
  g_autoptr(AccNestedArray) pictures = draw (), made = acc_nested_array_map (pictures, outside, NULL);
  AccBackend *const all[] = { backend, judge };

  for (guint i = 0; i < G_N_ELEMENTS (all); i++)
    {
      g_autoptr(GError) error = NULL;
      g_autoptr(AccArray) result = evaluate (all[i], acc_nested_array_get_values (made), &error);

      g_assert_error (error, ACC_ERROR, ACC_ERROR_BOUNDS);
      g_assert_null (result);
    }
}

/* --- rows of a vector that begin anywhere, before it or in it */

typedef struct {
  AccArray *start, *width;
} Rows;

static AccExpr *
quotient_and_column (AccExpr *index, AccExpr *x, gpointer data)
{
  const Rows *rows = data;
  AccExpr *from = acc_expr_sub (index, acc_expr_the (rows->start));
  AccExpr *width = acc_expr_max (acc_expr_the (rows->width), acc_expr_new_int (1));
  g_autoptr(AccExpr) own_from = acc_expr_ref_sink (from), own_width = acc_expr_ref_sink (width);
  AccExpr *truncated = acc_expr_add (acc_expr_mul (acc_expr_quot (own_from, own_width), acc_expr_new_int (100000)),
                                     acc_expr_rem (own_from, own_width));
  AccExpr *floored = acc_expr_add (acc_expr_mul (acc_expr_div (own_from, own_width), acc_expr_new_int (1000)),
                                   acc_expr_mod (own_from, own_width));

  return acc_expr_add (acc_expr_add (truncated, floored), x);
}

static void
test_vector (void)
{
  static gint64 starts[] = { 0, 37, 1 << 20, -5, G_MININT64, G_MAXINT64 }, widths[] = { 0, 1, 3, 4, 11, 600, G_MAXINT64 };
  gint64 n = 2000;
  g_autofree gint64 *numbers = g_new (gint64, n);
  g_autoptr(AccArray) vector = NULL;

  for (gint64 i = 0; i < n; i++)
    numbers[i] = i * i;
  vector = use (numbers, n);
  for (guint i = 0; i < G_N_ELEMENTS (starts) * G_N_ELEMENTS (widths); i++)
    {
      g_autoptr(AccArray) start = use (&starts[i / G_N_ELEMENTS (widths)], -1), width = use (&widths[i % G_N_ELEMENTS (widths)], -1);
      Rows rows = { start, width };
      g_autoptr(AccArray) divided = acc_array_imap (vector, quotient_and_column, &rows);

      assert_same (divided);
    }
}

int
main (int argc, char **argv)
{
  g_test_init (&argc, &argv, NULL);
  if (!open_backends ("native"))
    return 0;

  for (guint i = 0; i < G_N_ELEMENTS (functions); i++)
    {
      g_autofree char *path = g_strdup_printf ("/pictures/%s", functions[i].name);

      g_test_add_data_func (path, GUINT_TO_POINTER (i), test_pictures);
    }
  g_test_add_func ("/pictures/volumes", test_volumes);
  g_test_add_func ("/pictures/outside", test_outside);
  g_test_add_func ("/pictures/vector", test_vector);

  return run_tests ();
}
