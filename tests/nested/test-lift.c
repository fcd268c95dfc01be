/* SPDX-License-Identifier: LGPL-2.1-or-later */

/* Functions of arrays, mapped over nested arrays, against the function on each element by itself. */

#include "nested-backends.h"

static gboolean is_quick;

/* --- functions */

static AccExpr *plus (AccExpr *x, AccExpr *y, gpointer data) { return acc_expr_add (x, y); }
static AccExpr *left (AccExpr *x, AccExpr *y, gpointer data) { return acc_expr_cond (acc_expr_lt (y, acc_expr_new_int (4)), x, y); }
static AccExpr *first (AccExpr *x, AccExpr *y, gpointer data) { return x; }
static AccExpr *doubled (AccExpr *x, gpointer data) { return acc_expr_add (x, x); }
static AccExpr *i8 (gint64 x) { return acc_expr_new_typed_int (acc_element_type_new (ACC_KIND_I64), x); }

static AccArray *f_map (AccArray **a, guint n, gpointer data) { return acc_array_map (a[0], doubled, NULL); }

static AccExpr *with_index (AccExpr *ix, AccExpr *x, gpointer data) { return acc_expr_add (acc_expr_mul (ix, i8 (100)), x); }
static AccArray *f_imap (AccArray **a, guint n, gpointer data) { return acc_array_imap (a[0], with_index, NULL); }

static AccExpr *minus_total (AccExpr *x, gpointer total) { return acc_expr_sub (x, acc_expr_the (total)); }
static AccArray *
f_centre (AccArray **a, guint n, gpointer data)
{
  g_autoptr(AccArray) total = acc_array_fold_all (a[0], i8 (0), plus, NULL);

  return acc_array_map (a[0], minus_total, total);
}

static AccArray *f_sum (AccArray **a, guint n, gpointer data) { return acc_array_fold (a[0], i8 (5), plus, NULL); }
static AccArray *f_scan (AccArray **a, guint n, gpointer data) { return acc_array_scanl1 (a[0], plus, NULL); }
static AccArray *f_scanl (AccArray **a, guint n, gpointer data) { return acc_array_scanl (a[0], i8 (7), plus, NULL); }
static AccArray *f_scanr (AccArray **a, guint n, gpointer data) { return acc_array_scanr (a[0], i8 (7), plus, NULL); }
static AccArray *f_reverse (AccArray **a, guint n, gpointer data) { return acc_array_reverse (a[0]); }
static AccArray *f_take (AccArray **a, guint n, gpointer data) { return acc_array_take (a[0], 3); }
static AccArray *f_drop (AccArray **a, guint n, gpointer data) { return acc_array_drop (a[0], 2); }
static AccArray *f_concat (AccArray **a, guint n, gpointer data) { return acc_array_concat (a[0], a[0]); }
static AccArray *f_outer (AccArray **a, guint n, gpointer data) { return acc_array_outer (a[0], a[0]); }
static AccArray *
f_outer_sum (AccArray **a, guint n, gpointer data)
{
  g_autoptr(AccArray) outer = acc_array_outer (a[0], a[0]);

  return acc_array_fold (outer, i8 (1), plus, NULL);
}
static AccArray *
f_outer_scan (AccArray **a, guint n, gpointer data)
{
  g_autoptr(AccArray) outer = acc_array_outer (a[0], a[0]);

  return acc_array_scanl1 (outer, plus, NULL);
}
static AccArray *f_sort (AccArray **a, guint n, gpointer data) { return acc_array_sort (a[0], FALSE); }
static AccArray *f_argsort (AccArray **a, guint n, gpointer data) { return acc_array_argsort (a[0], TRUE); }
static AccArray *
f_outer_sort (AccArray **a, guint n, gpointer data)
{
  g_autoptr(AccArray) outer = acc_array_outer (a[0], a[0]);

  return acc_array_sort (outer, FALSE);
}
static AccArray *f_unique (AccArray **a, guint n, gpointer data) { return acc_array_unique (a[0], NULL); }

static AccExpr *is_even (AccExpr *x, gpointer data) { return acc_expr_eq (acc_expr_rem (x, acc_expr_new_int (2)), acc_expr_new_int (0)); }
static AccArray *f_filter (AccArray **a, guint n, gpointer data) { return acc_array_filter (a[0], is_even, NULL, NULL); }

/* Flags that are made of something else; what is kept takes some operations. */
static AccExpr *
scrambled (AccExpr *x, AccExpr *y, gpointer data)
{
  return acc_expr_bxor (acc_expr_mul (x, i8 (37)), acc_expr_quot (y, i8 (3)));
}
static AccArray *
f_compact (AccArray **a, guint n, gpointer data)
{
  g_autoptr(AccArray) turned = acc_array_reverse (a[0]), flags = acc_array_map (turned, is_even, NULL);
  g_autoptr(AccArray) mixed = acc_array_zip_with (a[0], turned, scrambled, NULL);

  return acc_array_compact (mixed, flags, NULL);
}

static AccExpr *
neighbours (AccExpr *n, gpointer data)
{
  return acc_expr_add (acc_expr_mul (acc_expr_neighbour1 (n, -1), acc_expr_new_int (10)), acc_expr_neighbour1 (n, 1));
}
static AccArray *
stencil (AccArray *x, AccBoundary *boundary)
{
  return acc_array_stencil (x, (gint64[]) { 3 }, 1, boundary, neighbours, NULL);
}
static AccArray *
f_clamp (AccArray **a, guint n, gpointer data)
{
  g_autoptr(AccBoundary) boundary = acc_boundary_new (ACC_BOUNDARY_CLAMP);

  return stencil (a[0], boundary);
}
static AccArray *
f_mirror (AccArray **a, guint n, gpointer data)
{
  g_autoptr(AccBoundary) boundary = acc_boundary_new (ACC_BOUNDARY_MIRROR);

  return stencil (a[0], boundary);
}
static AccArray *
f_wrap (AccArray **a, guint n, gpointer data)
{
  g_autoptr(AccBoundary) boundary = acc_boundary_new (ACC_BOUNDARY_WRAP);

  return stencil (a[0], boundary);
}
static AccArray *
f_constant (AccArray **a, guint n, gpointer data)
{
  g_autoptr(AccBoundary) boundary = acc_boundary_new_constant (acc_expr_new_int (77));

  return stencil (a[0], boundary);
}

static AccExpr *bin (AccExpr *x, gpointer data) { return acc_expr_mod (x, i8 (4)); }
static AccArray *
f_histogram (AccArray **a, guint n, gpointer data)
{
  g_autoptr(AccShape) shape = acc_shape_new_vector (4);
  g_autoptr(AccArray) zeros = acc_array_fill (shape, i8 (0)), bins = acc_array_map (a[0], bin, NULL);

  return acc_array_permute (a[0], zeros, bins, plus, NULL);
}
static AccExpr *
mirrored (AccExpr *ix, AccExpr *x, gpointer array)
{
  return acc_expr_sub (acc_expr_sub (acc_expr_extent (array, 0), i8 (1)), ix);
}
static AccArray *
f_permute (AccArray **a, guint n, gpointer data)
{
  g_autoptr(AccArray) targets = acc_array_imap (a[0], mirrored, a[0]);

  return acc_array_permute (a[0], a[0], targets, first, NULL);
}

static AccExpr *is_long (AccExpr *index, gpointer array) { return acc_expr_gt (acc_expr_extent (array, 0), i8 (3)); }
static AccExpr *minus_fourth (AccExpr *x, gpointer array) { return acc_expr_sub (x, acc_expr_index (array, i8 (3))); }
static AccArray *
f_cond (AccArray **a, guint n, gpointer data)
{
  g_autoptr(AccShape) scalar = acc_shape_new (NULL, 0);
  g_autoptr(AccArray) flag = acc_array_generate (scalar, is_long, a[0]);
  /* An error for elements that do not choose it. */
  g_autoptr(AccArray) then = acc_array_map (a[0], minus_fourth, a[0]);
  g_autoptr(AccArray) otherwise = acc_array_concat (a[0], a[0]);

  return acc_array_cond (flag, then, otherwise);
}

static AccExpr *below (AccExpr *x, gpointer data) { return acc_expr_lt (x, i8 (200)); }
static AccArray *
goes_on (AccArray **a, guint n, gpointer data)
{
  g_autoptr(AccArray) sum = acc_array_fold_all (a[0], i8 (1), plus, NULL);

  return acc_array_map (sum, below, NULL);
}
static AccExpr *magnitude (AccExpr *x, gpointer data) { return acc_expr_add (acc_expr_abs (x), i8 (1)); }
static AccArray *
grow (AccArray **a, guint n, gpointer data)
{
  g_autoptr(AccArray) larger = acc_array_map (a[0], magnitude, NULL), one = NULL;
  g_autoptr(AccShape) shape = acc_shape_new_vector (1);

  one = acc_array_fill (shape, i8 (9));
  return acc_array_concat (larger, one);
}
static AccArray *
f_loop (AccArray **a, guint n, gpointer data)
{
  static const char *const signature[] = { "i8[:]", NULL };
  g_autoptr(AccProgram) condition = acc_program_new (signature, goes_on, NULL), step = acc_program_new (signature, grow, NULL);

  return acc_array_while_loop (a[0], condition, step);
}
static AccArray *
f_left_fold (AccArray **a, guint n, gpointer data)
{
  g_autoptr(AccArray) scanned = acc_array_scanl (a[0], i8 (1), left, NULL);

  return acc_array_fold1_all (scanned, left, NULL);
}

static AccExpr *
scaled (AccExpr *x, AccExpr *y, gpointer total)
{
  return acc_expr_add (acc_expr_add (x, y), acc_expr_mul (acc_expr_the (total), i8 (0)));
}
static AccArray *
f_depending_scan (AccArray **a, guint n, gpointer data)
{
  g_autoptr(AccArray) total = acc_array_fold_all (a[0], i8 (0), plus, NULL);

  return acc_array_scanl1 (a[0], scaled, total);
}
static AccArray *
f_depending_fold (AccArray **a, guint n, gpointer data)
{
  g_autoptr(AccArray) total = acc_array_fold_all (a[0], i8 (0), plus, NULL);

  return acc_array_fold (a[0], acc_expr_the (total), scaled, total);
}
static AccExpr *count (AccExpr *ix, gpointer array) { return acc_expr_mul (ix, acc_expr_extent (array, 0)); }
static AccArray *
f_generate (AccArray **a, guint n, gpointer data)
{
  return acc_array_generate_expr (acc_expr_add (acc_expr_extent (a[0], 0), i8 (1)), count, a[0]);
}
static AccArray *
f_captured (AccArray **a, guint n, gpointer data)
{
  g_autoptr(AccShape) shape = acc_shape_new_vector (5);
  g_autoptr(AccArray) numbers = acc_array_enum_from_n (shape, i8 (1000));

  return acc_array_zip_with (a[0], numbers, plus, NULL);
}
static AccArray *
f_closed (AccArray **a, guint n, gpointer data)
{
  g_autoptr(AccShape) shape = acc_shape_new_vector (5);

  return acc_array_enum_from_n (shape, i8 (1000));
}
static AccArray *
f_segments (AccArray **a, guint n, gpointer data)
{
  g_autoptr(AccArray) lengths = acc_array_map (a[0], bin, NULL), some = acc_array_concat (a[0], a[0]), more = acc_array_concat (some, some);

  return acc_array_fold_seg (more, i8 (2), lengths, plus, NULL);
}
/* Nested maps inside. */
static AccArray *
f_inner (AccArray **a, guint n, gpointer data)
{
  g_autoptr(AccArray) lengths = acc_array_map (a[0], bin, NULL), some = acc_array_concat (a[0], a[0]), more = acc_array_concat (some, some);
  g_autoptr(AccArray) offsets = acc_array_scanl (lengths, i8 (0), plus, NULL);
  g_autoptr(AccNestedArray) rows = acc_nested_array_new_from_offsets (more, offsets), sorted = acc_nested_array_map (rows, f_sort, NULL);

  return acc_nested_array_flatten (sorted);
}
static AccArray *
f_matmul (AccArray **a, guint n, gpointer data)
{
  g_autoptr(AccArray) outer = acc_array_outer (a[0], a[0]);

  return acc_array_matmul (outer, outer);
}
static AccArray *
f_transpose (AccArray **a, guint n, gpointer data)
{
  g_autoptr(AccArray) outer = acc_array_outer (a[0], a[0]);

  return acc_array_transpose (outer);
}

static const struct {
  const char  *name;
  AccArrayFunc function;
} functions[] = {
  { "map", f_map }, { "imap", f_imap }, { "centre", f_centre }, { "sum", f_sum }, { "scan", f_scan }, { "scanl", f_scanl },
  { "scanr", f_scanr }, { "reverse", f_reverse }, { "take", f_take }, { "drop", f_drop }, { "concat", f_concat }, { "outer", f_outer },
  { "outer-sum", f_outer_sum }, { "outer-scan", f_outer_scan }, { "sort", f_sort }, { "argsort", f_argsort },
  { "outer-sort", f_outer_sort }, { "unique", f_unique }, { "filter", f_filter }, { "compact", f_compact },
  { "clamp", f_clamp }, { "mirror", f_mirror },
  { "wrap", f_wrap }, { "constant", f_constant }, { "histogram", f_histogram }, { "permute", f_permute }, { "cond", f_cond },
  { "loop", f_loop }, { "left-fold", f_left_fold }, { "depending-scan", f_depending_scan }, { "depending-fold", f_depending_fold },
  { "generate", f_generate }, { "captured", f_captured }, { "closed", f_closed }, { "segments", f_segments }, { "inner", f_inner },
  { "matmul", f_matmul }, { "transpose", f_transpose }, };

/* --- functions of matrices */

static AccArray *
p_transpose (AccArray **a, guint n, gpointer data)
{
  return acc_array_transpose (a[0]);
}

static AccArray *
p_rows (AccArray **a, guint n, gpointer data)
{
  return acc_array_fold (a[0], i8 (3), left, NULL);
}

static AccArray *
p_all (AccArray **a, guint n, gpointer data)
{
  return acc_array_fold_all (a[0], i8 (3), left, NULL);
}

static AccArray *
p_columns (AccArray **a, guint n, gpointer data)
{
  g_autoptr(AccArray) turned = acc_array_transpose (a[0]), sums = acc_array_scanl1 (turned, plus, NULL);

  return acc_array_transpose (sums);
}

static AccArray *
p_sort (AccArray **a, guint n, gpointer data)
{
  return acc_array_sort (a[0], TRUE);
}

static AccArray *
p_flatten (AccArray **a, guint n, gpointer data)
{
  g_autoptr(AccArray) flat = acc_array_flatten (a[0]);

  return acc_array_concat (flat, flat);
}

/* What is kept of all rows, and how many of each */
static AccArray *
p_filter (AccArray **a, guint n, gpointer data)
{
  g_autoptr(AccArray) counts = NULL, kept = acc_array_filter (a[0], is_even, NULL, &counts);

  return acc_array_concat (kept, counts);
}

static AccArray *
p_replicate (AccArray **a, guint n, gpointer data)
{
  return acc_array_replicate (a[0], (gint64[]) { ACC_ALL, 2, ACC_ALL }, 3);
}

static AccArray *
p_concat (AccArray **a, guint n, gpointer data)
{
  return acc_array_concat_on (a[0], a[0], 0);
}

static AccExpr *
window (AccExpr *n, gpointer data)
{
  return acc_expr_add (acc_expr_mul (acc_expr_neighbour2 (n, -1, -1), acc_expr_new_int (100)),
                       acc_expr_sub (acc_expr_neighbour2 (n, 1, 0), acc_expr_neighbour2 (n, 0, 1)));
}

static AccExpr *
outside (AccExpr *index, gpointer data)
{
  return acc_expr_add (acc_expr_mul (acc_expr_item (index, 0), i8 (1000)), acc_expr_item (index, 1));
}

static AccArray *
p_stencil (AccArray *x, AccBoundary *boundary)
{
  return acc_array_stencil (x, (gint64[]) { 3, 3 }, 2, boundary, window, NULL);
}

static AccArray *
p_mirror (AccArray **a, guint n, gpointer data)
{
  g_autoptr(AccBoundary) boundary = acc_boundary_new (ACC_BOUNDARY_MIRROR);

  return p_stencil (a[0], boundary);
}

static AccArray *
p_wrap (AccArray **a, guint n, gpointer data)
{
  g_autoptr(AccBoundary) boundary = acc_boundary_new (ACC_BOUNDARY_WRAP);

  return p_stencil (a[0], boundary);
}

static AccArray *
p_outside (AccArray **a, guint n, gpointer data)
{
  g_autoptr(AccBoundary) boundary = acc_boundary_new_function (2, outside, NULL);

  return p_stencil (a[0], boundary);
}

static AccExpr *
product_of (AccExpr *n, AccExpr *m, gpointer data)
{
  return acc_expr_add (acc_expr_mul (acc_expr_neighbour2 (n, 0, 1), acc_expr_neighbour2 (m, -1, 0)), acc_expr_neighbour2 (m, 0, 0));
}

static AccArray *
p_stencil2 (AccArray **a, guint n, gpointer data)
{
  g_autoptr(AccBoundary) boundary = acc_boundary_new (ACC_BOUNDARY_CLAMP), none = acc_boundary_new_constant (acc_expr_new_int (-5));
  g_autoptr(AccArray) turned = acc_array_transpose (a[0]);

  return acc_array_stencil2 (a[0], (gint64[]) { 1, 3 }, 2, boundary, turned, (gint64[]) { 3, 1 }, 2, none, product_of, NULL);
}

static AccExpr *
place_turned (AccExpr *index, AccExpr *x, gpointer data)
{
  return acc_expr_tuple2 (acc_expr_item (index, 1), acc_expr_item (index, 0));
}

static AccArray *
p_permute (AccArray **a, guint n, gpointer data)
{
  g_autoptr(AccArray) turned = acc_array_transpose (a[0]), targets = acc_array_imap (a[0], place_turned, NULL);

  return acc_array_permute (a[0], turned, targets, plus, NULL);
}

static AccExpr *
is_tall (AccExpr *index, gpointer array)
{
  return acc_expr_gt (acc_expr_extent (array, 0), acc_expr_extent (array, 1));
}

static AccArray *
p_cond (AccArray **a, guint n, gpointer data)
{
  g_autoptr(AccShape) scalar = acc_shape_new (NULL, 0);
  g_autoptr(AccArray) flag = acc_array_generate (scalar, is_tall, a[0]), turned = acc_array_transpose (a[0]);

  return acc_array_cond (flag, turned, a[0]);
}

static AccArray *
narrow_goes_on (AccArray **a, guint n, gpointer data)
{
  g_autoptr(AccShape) scalar = acc_shape_new (NULL, 0);

  return acc_array_generate (scalar, is_tall, a[0]);
}

static AccArray *
widen (AccArray **a, guint n, gpointer data)
{
  g_autoptr(AccShape) shape = acc_shape_new ((gint64[]) { 1000, 1 }, 2);
  g_autoptr(AccArray) column = acc_array_fill (shape, i8 (4));

  return acc_array_concat (a[0], column);
}

static AccArray *
p_loop (AccArray **a, guint n, gpointer data)
{
  static const char *const signature[] = { "i8[:,:]", NULL };
  g_autoptr(AccProgram) condition = acc_program_new (signature, narrow_goes_on, NULL), step = acc_program_new (signature, widen, NULL);

  return acc_array_while_loop (a[0], condition, step);
}

static AccArray *
p_product (AccArray **a, guint n, gpointer data)
{
  g_autoptr(AccArray) turned = acc_array_transpose (a[0]);

  return acc_array_matmul (a[0], turned);
}

static AccArray *
p_slice (AccArray **a, guint n, gpointer data)
{
  g_autoptr(AccArray) more = acc_array_concat_on (a[0], a[0], 0), row = acc_array_replicate (more, (gint64[]) { ACC_ALL, 1, ACC_ALL }, 3);

  return acc_array_slice (row, (gint64[]) { ACC_ALL, 0, ACC_ALL }, 3);
}

/* Rows of rows. */
static AccArray *
p_nested (AccArray **a, guint n, gpointer data)
{
  g_autoptr(AccNestedArray) rows = acc_nested_array_new_from_regular (a[0]), sums = acc_nested_array_map (rows, f_centre, NULL);

  return acc_nested_array_flatten (sums);
}

static const struct {
  const char  *name;
  AccArrayFunc function;
} matrix_functions[] = {
  { "transpose", p_transpose },
  { "filter", p_filter },
  { "rows", p_rows },
  { "all", p_all },
  { "columns", p_columns },
  { "sort", p_sort },
  { "flatten", p_flatten },
  { "replicate", p_replicate },
  { "concat", p_concat },
  { "mirror", p_mirror },
  { "wrap", p_wrap },
  { "outside", p_outside },
  { "stencil2", p_stencil2 },
  { "permute", p_permute },
  { "cond", p_cond },
  { "loop", p_loop },
  { "product", p_product },
  { "slice", p_slice },
  { "nested", p_nested },
};

/* --- comparison */

static AccArray *
use (const gint64 *values, gint64 n)
{
  g_autoptr(AccShape) shape = acc_shape_new_vector (n);
  g_autoptr(GBytes) bytes = g_bytes_new (values, n * sizeof *values);

  return acc_array_use (acc_element_type_new (ACC_KIND_I64), shape, bytes);
}

/* Whether element @k, whose values begin at @begin, is @wanted. */
static void
check_element (const char *name, guint k, AccArray *values, gint64 begin, AccArray *extents, AccArray *wanted)
{
  guint rank;
  const gint64 *other = acc_shape_get_extents (acc_array_get_shape (wanted), &rank);
  gint64 n = acc_shape_get_size (acc_array_get_shape (wanted));

  for (guint d = 0; d < rank; d++)
    if (acc_array_get_int (extents, d, k) != other[d])
      {
        g_test_message ("%s: dimension %u of element %u has extent %" G_GINT64_FORMAT ", not %" G_GINT64_FORMAT, name, d, k,
                        acc_array_get_int (extents, d, k), other[d]);
        g_test_fail ();
        return;
      }
  for (gint64 i = 0; i < n; i++)
    if (acc_array_get_int (values, 0, begin + i) != acc_array_get_int (wanted, 0, i))
      {
        g_test_message ("%s: element %u, value %d is %" G_GINT64_FORMAT ", not %" G_GINT64_FORMAT, name, k, (int) i,
                        acc_array_get_int (values, 0, begin + i), acc_array_get_int (wanted, 0, i));
        g_test_fail ();
        return;
      }
}

static void
check (const char *name, AccArrayFunc function, AccNestedArray *nested, AccArray **elements, guint n)
{
  g_autoptr(AccNestedArray) mapped = acc_nested_array_map (nested, function, NULL);
  g_autoptr(AccArray) values = acc_nested_array_flatten (mapped);
  AccArray *extents = acc_nested_array_get_extents (mapped);
  g_autoptr(GPtrArray) results = NULL;
  g_autoptr(GError) error = NULL;
  gint64 begin = 0;

  acc_nested_array_check (mapped, &error);
  g_assert_no_error (error);
  results = acc_backend_run_many (backend, (AccArray *[]) { values, extents }, 2, NULL, &error);
  g_assert_no_error (error);
  g_assert_cmpint (acc_shape_get_size (acc_array_get_shape (g_ptr_array_index (results, 1))), ==, n);

  for (guint k = 0; k < n; k++)
    {
      g_autoptr(AccArray) plain = function (&elements[k], 1, NULL), wanted = run (judge, plain);

      check_element (name, k, g_ptr_array_index (results, 0), begin, g_ptr_array_index (results, 1), wanted);
      begin += acc_shape_get_size (acc_array_get_shape (wanted));
    }
  g_assert_cmpint (acc_shape_get_size (acc_array_get_shape (g_ptr_array_index (results, 0))), ==, begin);
}

static void
test_function (gconstpointer data)
{
  guint which = GPOINTER_TO_UINT (data);
  static const gint64 shapes[][7] = { { 0, 0 }, { 1, 0 }, { 1, 4 }, { 4, 0, 2, 0, 0 }, { 5, 3, 0, 7, 1, 2 }, { 6, 5, 5, 5, 5, 5, 5 } };

  /* Devices compile each anew, which takes long. */
  for (guint s = is_quick ? 0 : G_N_ELEMENTS (shapes) - 2; s < G_N_ELEMENTS (shapes); s++)
    {
      guint n = (guint) shapes[s][0];
      gint64 values[64], total = 0;
      g_autoptr(GPtrArray) elements = g_ptr_array_new_with_free_func (g_object_unref);
      g_autoptr(AccArray) flat = NULL, lengths = use (shapes[s] + 1, n);
      g_autoptr(AccNestedArray) nested = NULL;

      for (guint i = 0; i < G_N_ELEMENTS (values); i++)
        values[i] = (gint64) (i * 37 % 23) - 7;
      for (guint k = 0; k < n; k++)
        {
          g_ptr_array_add (elements, use (values + total, shapes[s][k + 1]));
          total += shapes[s][k + 1];
        }
      flat = use (values, total);
      nested = acc_nested_array_new_from_lengths (flat, lengths);
      check (functions[which].name, functions[which].function, nested, (AccArray **) elements->pdata, n);
      if (n == 6)
        {
          g_autoptr(AccArray) matrix = NULL;
          g_autoptr(AccShape) shape = acc_shape_new ((gint64[]) { 6, 5 }, 2);
          g_autoptr(AccNestedArray) regular = NULL;

          matrix = acc_array_reshape (flat, shape);
          regular = acc_nested_array_new_from_regular (matrix);
          check (functions[which].name, functions[which].function, regular, (AccArray **) elements->pdata, n);
        }
    }
}

static void
test_matrix_function (gconstpointer data)
{
  guint which = GPOINTER_TO_UINT (data);
  static const gint64 shapes[][2] = { { 2, 3 }, { 0, 4 }, { 4, 1 }, { 1, 1 }, { 3, 0 }, { 5, 2 } };
  g_autoptr(GPtrArray) elements = g_ptr_array_new_with_free_func (g_object_unref);
  g_autoptr(AccNestedArray) nested = NULL;

  for (guint k = 0; k < G_N_ELEMENTS (shapes); k++)
    {
      gint64 values[16];
      g_autoptr(AccShape) shape = acc_shape_new (shapes[k], 2);
      g_autoptr(AccArray) flat = NULL;

      for (guint i = 0; i < G_N_ELEMENTS (values); i++)
        values[i] = (gint64) ((i + 5 * k) * 37 % 23) - 7;
      flat = use (values, shapes[k][0] * shapes[k][1]);
      g_ptr_array_add (elements, acc_array_reshape (flat, shape));
    }
  nested = acc_nested_array_new_from_arrays ((AccArray **) elements->pdata, elements->len);
  check (matrix_functions[which].name, matrix_functions[which].function, nested, (AccArray **) elements->pdata, elements->len);
}

int
main (int argc, char **argv)
{
  g_test_init (&argc, &argv, NULL);
  if (!open_backends ("interpreter"))
    return 0;

  is_quick = takes_all_cases ();
  for (guint i = 0; i < G_N_ELEMENTS (functions); i += is_quick ? 1 : 6)
    {
      g_autofree char *path = g_strdup_printf ("/lift/%s", functions[i].name);

      g_test_add_data_func (path, GUINT_TO_POINTER (i), test_function);
    }
  for (guint i = 0; i < G_N_ELEMENTS (matrix_functions); i += is_quick ? 1 : 6)
    {
      g_autofree char *path = g_strdup_printf ("/lift/matrix/%s", matrix_functions[i].name);

      g_test_add_data_func (path, GUINT_TO_POINTER (i), test_matrix_function);
    }

  return run_tests ();
}
