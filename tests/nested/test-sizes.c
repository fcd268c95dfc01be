/* SPDX-License-Identifier: LGPL-2.1-or-later */

/* Elements of all sizes at once: what a backend makes of many short ones, of few long ones, and of both, which it goes through in different
 * ways, is what the interpreter makes of them. */

#include "nested-backends.h"

#include <string.h>

#define N_VALUES 150000

static AccExpr *
plus (AccExpr *x, AccExpr *y, gpointer data)
{
  return acc_expr_add (x, y);
}

/* --- functions of an element */

static AccExpr *
place_and_size (AccExpr *index, AccExpr *x, gpointer array)
{
  return acc_expr_sub (acc_expr_mul (x, index), acc_expr_extent (array, 0));
}

static AccArray *
places (AccArray **a, guint n, gpointer data)
{
  return acc_array_imap (a[0], place_and_size, a[0]);
}

static AccExpr *
minus_the (AccExpr *x, gpointer sum)
{
  return acc_expr_sub (x, acc_expr_the (sum));
}

static AccArray *
deviations (AccArray **a, guint n, gpointer data)
{
  g_autoptr(AccArray) sum = acc_array_sum_all (a[0]);

  return acc_array_map (a[0], minus_the, sum);
}

static AccArray *
sum_of_places (AccArray **a, guint n, gpointer data)
{
  g_autoptr(AccArray) placed = places (a, n, NULL);

  return acc_array_sum (placed);
}

/* Operands cannot be exchanged. */
static AccExpr *
chain (AccExpr *x, AccExpr *y, gpointer data)
{
  return acc_expr_tuple2 (acc_expr_mul (acc_expr_item (x, 0), acc_expr_item (y, 0)),
                          acc_expr_add (acc_expr_mul (acc_expr_item (x, 1), acc_expr_item (y, 0)), acc_expr_item (y, 1)));
}

static AccExpr *
make_link (AccExpr *index, AccExpr *x, gpointer data)
{
  return acc_expr_tuple2 (acc_expr_new_typed_int (acc_element_type_new (ACC_KIND_I64), 3), acc_expr_add (x, index));
}

static AccArray *
chained (AccArray **a, guint n, gpointer data)
{
  AccElementType *i8 = acc_element_type_new (ACC_KIND_I64);
  AccExpr *neutral = acc_expr_tuple2 (acc_expr_new_typed_int (i8, 1), acc_expr_new_typed_int (i8, 0));
  g_autoptr(AccArray) links = acc_array_imap (a[0], make_link, NULL), all = acc_array_fold (links, neutral, chain, NULL);

  return acc_array_unzip (all, 1);
}

/* Without the place: what is folded does not depend on the element. */
static AccExpr *
link_value (AccExpr *x, gpointer data)
{
  return acc_expr_tuple2 (acc_expr_new_typed_int (acc_element_type_new (ACC_KIND_I64), 3), x);
}

static AccArray *
chained_values (AccArray **a, guint n, gpointer data)
{
  AccElementType *i8 = acc_element_type_new (ACC_KIND_I64);
  AccExpr *neutral = acc_expr_tuple2 (acc_expr_new_typed_int (i8, 1), acc_expr_new_typed_int (i8, 0));
  g_autoptr(AccArray) links = acc_array_map (a[0], link_value, NULL), all = acc_array_fold (links, neutral, chain, NULL);

  return acc_array_unzip (all, 1);
}

static AccExpr *
larger_place (AccExpr *x, AccExpr *y, gpointer data)
{
  return acc_expr_cond (acc_expr_gt (acc_expr_item (y, 0), acc_expr_item (x, 0)), y, x);
}

static AccExpr *
with_place (AccExpr *index, AccExpr *x, gpointer data)
{
  return acc_expr_tuple2 (x, index);
}

/* Where the largest is; an element more makes it hold for empty ones. */
static AccArray *
place_of_largest (AccArray **a, guint n, gpointer data)
{
  g_autoptr(AccShape) one = acc_shape_new_vector (1);
  g_autoptr(AccArray) least = acc_array_fill (one, acc_expr_new_typed_int (acc_element_type_new (ACC_KIND_I64), -1000));
  g_autoptr(AccArray) more = acc_array_concat (a[0], least), placed = acc_array_imap (more, with_place, NULL);
  g_autoptr(AccArray) largest = acc_array_fold1 (placed, larger_place, NULL);

  return acc_array_unzip (largest, 1);
}

static AccExpr *
neighbours (AccExpr *n, gpointer data)
{
  return acc_expr_add (acc_expr_mul (acc_expr_neighbour1 (n, -1), acc_expr_new_int (10)), acc_expr_neighbour1 (n, 1));
}

static AccArray *
stencil (AccArray **a, guint n, gpointer data)
{
  g_autoptr(AccBoundary) boundary = acc_boundary_new (ACC_BOUNDARY_MIRROR);

  return acc_array_stencil (a[0], (gint64[]) { 3 }, 1, boundary, neighbours, NULL);
}

static AccArray *
prefix_sums (AccArray **a, guint n, gpointer data)
{
  return acc_array_scanl1 (a[0], plus, NULL);
}

static AccArray *
sorted (AccArray **a, guint n, gpointer data)
{
  return acc_array_sort (a[0], FALSE);
}

static AccExpr *
last_digit (AccExpr *x, gpointer data)
{
  return acc_expr_mod (x, acc_expr_new_int (10));
}

/* Equal keys keep their order. */
static AccArray *
sorted_by_digit (AccArray **a, guint n, gpointer data)
{
  return acc_array_sort_by_key (a[0], TRUE, last_digit, NULL);
}

static const struct {
  const char  *name;
  AccArrayFunc function;
} functions[] = {
  { "places", places },
  { "deviations", deviations },
  { "sum-of-places", sum_of_places },
  { "chained", chained },
  { "chained-values", chained_values },
  { "place-of-largest", place_of_largest },
  { "stencil", stencil },
  { "prefix-sums", prefix_sums },
  { "sorted", sorted },
  { "sorted-by-digit", sorted_by_digit },
};

/* --- sizes */

static gint64
draw_short (GRand *rand)
{
  return g_rand_int_range (rand, 0, 4);
}

static gint64
draw_even (GRand *rand)
{
  return g_rand_int_range (rand, 0, 33);
}

static gint64
draw_power (GRand *rand)
{
  return 1 / (g_rand_double (rand) + 2e-5);
}

static gint64
draw_long (GRand *rand)
{
  return g_rand_int_range (rand, 10000, 80000);
}

/* Nearly all in one, among nothing. */
static gint64
draw_one (GRand *rand)
{
  return g_rand_int_range (rand, 0, 50) == 0 ? N_VALUES - 7 : 0;
}

static const struct {
  const char *name;
  gint64    (*draw) (GRand *rand);
} sizes[] = {
  { "short", draw_short },
  { "even", draw_even },
  { "power", draw_power },
  { "long", draw_long },
  { "one", draw_one },
};

static AccNestedArray *
draw (gint64 (*draw_size) (GRand *rand))
{
  AccElementType *i8 = acc_element_type_new (ACC_KIND_I64);
  g_autoptr(GRand) rand = g_rand_new_with_seed (7);
  g_autoptr(GArray) lengths = g_array_new (FALSE, FALSE, sizeof (gint64));
  gint64 *values = g_new (gint64, N_VALUES), left = N_VALUES, none = 0;
  g_autoptr(AccShape) n_values = acc_shape_new_vector (N_VALUES), n_lengths = NULL;
  g_autoptr(GBytes) bytes = NULL, descriptor = NULL;
  g_autoptr(AccArray) flat = NULL, sizes_of_all = NULL;

  for (guint i = 0; i < N_VALUES; i++)
    values[i] = g_rand_int_range (rand, -200, 200);
  while (left > 0)
    {
      gint64 drawn = draw_size (rand), length = MIN (drawn, left);

      g_array_append_val (lengths, length);
      left -= length;
    }
  g_array_append_val (lengths, none);
  bytes = g_bytes_new_take (values, N_VALUES * sizeof *values);
  descriptor = g_bytes_new (lengths->data, lengths->len * sizeof (gint64));
  n_lengths = acc_shape_new_vector (lengths->len);
  flat = acc_array_use (i8, n_values, bytes);
  sizes_of_all = acc_array_use (i8, n_lengths, descriptor);

  return acc_nested_array_new_from_lengths (flat, sizes_of_all);
}

static void
check_equal (AccArray *array, const char *what, const char *of)
{
  g_autoptr(AccArray) got = run (backend, array), wanted = run (judge, array);
  gint64 n = acc_shape_get_size (acc_array_get_shape (wanted));

  g_assert_cmpint (acc_shape_get_size (acc_array_get_shape (got)), ==, n);
  for (gint64 i = 0; i < n; i++)
    if (acc_array_get_int (got, 0, i) != acc_array_get_int (wanted, 0, i))
      g_error ("%s of %s: value %d is %" G_GINT64_FORMAT ", not %" G_GINT64_FORMAT, what, of, (int) i, acc_array_get_int (got, 0, i),
               acc_array_get_int (wanted, 0, i));
}

static void
test_sizes (gconstpointer data)
{
  guint f = GPOINTER_TO_UINT (data) / G_N_ELEMENTS (sizes), s = GPOINTER_TO_UINT (data) % G_N_ELEMENTS (sizes);
  g_autoptr(AccNestedArray) nested = draw (sizes[s].draw), mapped = acc_nested_array_map (nested, functions[f].function, NULL);

  check_equal (acc_nested_array_get_values (mapped), functions[f].name, sizes[s].name);
}

/* Values beside those of another element, in a step that goes along elements: what depends on the element is each one's own. */
static void
test_elsewhere (gconstpointer data)
{
  guint s = GPOINTER_TO_UINT (data);
  g_autoptr(AccNestedArray) nested = draw (sizes[s].draw), placed = acc_nested_array_map (nested, places, NULL);
  AccArray *values = acc_nested_array_get_values (placed), *offsets = acc_nested_array_get_offsets (nested);
  g_autoptr(AccArray) turned = acc_array_reverse (values), both = acc_array_zip_with (values, turned, plus, NULL);
  g_autoptr(AccArray) sums = acc_array_fold_seg_offsets (both, acc_expr_new_int (0), offsets, plus, NULL);

  check_equal (both, "values and those of another", sizes[s].name);
  check_equal (sums, "sums of values and those of another", sizes[s].name);
}

static AccExpr *
tenth (AccExpr *x, gpointer data)
{
  return acc_expr_mul (acc_expr_cast (x, acc_element_type_new (ACC_KIND_F32)), acc_expr_new_float (0.1));
}

static AccArray *
sum_of_tenths (AccArray **a, guint n, gpointer data)
{
  g_autoptr(AccArray) tenths = acc_array_map (a[0], tenth, NULL);

  return acc_array_fold (tenths, acc_expr_new_float (0), plus, NULL);
}

/* On devices a thread sums short elements in order, however it comes by the values: floats have those bits. */
static void
test_order (void)
{
  g_autoptr(AccNestedArray) even = draw (draw_even), mapped = acc_nested_array_map (even, sum_of_tenths, NULL);
  g_autoptr(AccArray) got = run (backend, acc_nested_array_get_values (mapped));
  g_autoptr(AccArray) ends = run (judge, acc_nested_array_get_offsets (even));
  g_autoptr(AccArray) values = run (judge, acc_nested_array_get_values (even));
  gint64 n = acc_shape_get_size (acc_array_get_shape (got));

  g_assert_cmpint (n, >, 1000);
  for (gint64 i = 0; i < n; i++)
    {
      float sum = 0;

      for (gint64 k = acc_array_get_int (ends, 0, i); k < acc_array_get_int (ends, 0, i + 1); k++)
        sum += (float) acc_array_get_int (values, 0, k) * 0.1f;
      g_assert_cmpfloat (acc_array_get_double (got, 0, i), ==, sum);
    }
}

/* A part without elements is a mistake for a fold without an initial value, wherever it is. */
static void
test_empty (void)
{
  g_autoptr(AccNestedArray) nested = draw (draw_even);
  g_autoptr(AccArray) largest = acc_nested_array_argmax (nested), result = NULL;
  g_autoptr(GError) error = NULL;

  result = acc_backend_run (backend, largest, NULL, &error);
  g_assert_error (error, ACC_ERROR, ACC_ERROR_SHAPE);
  g_assert_nonnull (strstr (error->message, "argmax"));
}

int
main (int argc, char **argv)
{
  g_test_init (&argc, &argv, NULL);
  if (!open_backends ("native"))
    return 0;

  for (guint i = 0; i < G_N_ELEMENTS (functions) * G_N_ELEMENTS (sizes); i++)
    {
      g_autofree char *path = g_strdup_printf ("/sizes/%s/%s", functions[i / G_N_ELEMENTS (sizes)].name,
                                               sizes[i % G_N_ELEMENTS (sizes)].name);

      g_test_add_data_func (path, GUINT_TO_POINTER (i), test_sizes);
    }
  for (guint i = 0; i < G_N_ELEMENTS (sizes); i++)
    {
      g_autofree char *path = g_strdup_printf ("/sizes/elsewhere/%s", sizes[i].name);

      g_test_add_data_func (path, GUINT_TO_POINTER (i), test_elsewhere);
    }
  g_test_add_func ("/sizes/empty", test_empty);
  if (!g_str_equal (acc_backend_get_name (backend), "native") && !g_str_equal (acc_backend_get_name (backend), "interpreter"))
    g_test_add_func ("/sizes/order", test_order);

  return run_tests ();
}
