/* SPDX-License-Identifier: LGPL-2.1-or-later */

/* Elements of floats whose sums are not exact, within memory limits around the size of the largest element: whichever way it takes there,
 * in one step with others, alone, in bands or by external algorithms, an element has the bits that it has without a limit. */

#include "tests/nested/nested-backends.h"

/* More than a few of the pieces that folds and scans are cut into: in the first dimension, and elements of each row of matrices. */
enum { LENGTH = 40009, WIDTH = 3001 };
/* How many limits are tried. */
enum { FEW_LIMITS = 12, MOST_LIMITS = 16 };

static AccExpr *plus (AccExpr *x, AccExpr *y, gpointer data) { return acc_expr_add (x, y); }
static AccExpr *zero (AccArray *like) { return acc_expr_cast (acc_expr_new_int (0), acc_array_get_element_type (like)); }
static AccExpr *minus (AccExpr *x, gpointer total) { return acc_expr_sub (x, acc_expr_the (total)); }
static AccExpr *subtract (AccExpr *x, AccExpr *y, gpointer data) { return acc_expr_sub (x, y); }
static AccExpr *
square (AccExpr *x, gpointer data)
{
  g_autoptr(AccExpr) own = acc_expr_ref_sink (x);

  return acc_expr_mul (own, own);
}
static AccExpr *
around (AccExpr *n, gpointer data)
{
  return acc_expr_sub (acc_expr_mul (acc_expr_neighbour1 (n, -1), acc_expr_new_float (0.3)), acc_expr_neighbour1 (n, 1));
}
/* x * a + b, one after the other: does not commute. */
static AccExpr *
compose (AccExpr *x, AccExpr *y, gpointer data)
{
  g_autoptr(AccExpr) a = acc_expr_ref_sink (acc_expr_item (y, 0));

  return acc_expr_tuple2 (acc_expr_mul (acc_expr_item (x, 0), a),
                          acc_expr_add (acc_expr_mul (acc_expr_item (x, 1), a), acc_expr_item (y, 1)));
}
static AccExpr *map_of (AccExpr *x, gpointer data) { return acc_expr_tuple2 (acc_expr_new_float (0.8), x); }

/* --- functions of an element, vectors and matrices */

static AccArray *sum (AccArray **a, guint n, gpointer data) { return acc_array_fold (a[0], zero (a[0]), plus, NULL); }
static AccArray *sum1 (AccArray **a, guint n, gpointer data) { return acc_array_fold1 (a[0], plus, NULL); }
static AccArray *sum_all (AccArray **a, guint n, gpointer data) { return acc_array_fold_all (a[0], zero (a[0]), plus, NULL); }
static AccArray *scan (AccArray **a, guint n, gpointer data) { return acc_array_scanl1 (a[0], plus, NULL); }
static AccArray *scan_right (AccArray **a, guint n, gpointer data) { return acc_array_scanr1 (a[0], plus, NULL); }
static AccArray *scan_from (AccArray **a, guint n, gpointer data) { return acc_array_scanl (a[0], zero (a[0]), plus, NULL); }
static AccArray *scan_right_from (AccArray **a, guint n, gpointer data) { return acc_array_scanr (a[0], zero (a[0]), plus, NULL); }
static AccArray *scan_before (AccArray **a, guint n, gpointer data) { return acc_array_prescanl (a[0], zero (a[0]), plus, NULL); }
static AccArray *scan_behind (AccArray **a, guint n, gpointer data) { return acc_array_prescanr (a[0], zero (a[0]), plus, NULL); }
static AccArray *scan_after (AccArray **a, guint n, gpointer data) { return acc_array_postscanl (a[0], zero (a[0]), plus, NULL); }
static AccArray *sorted (AccArray **a, guint n, gpointer data) { return acc_array_sort (a[0], FALSE); }
static AccArray *largest (AccArray **a, guint n, gpointer data) { return acc_array_argmax (a[0]); }
static AccArray *variance (AccArray **a, guint n, gpointer data) { return acc_array_variance (a[0], 1); }

static AccArray *
composed (AccArray **a, guint n, gpointer data)
{
  g_autoptr(AccArray) maps = acc_array_map (a[0], map_of, NULL), scanned = acc_array_scanl1 (maps, compose, NULL);

  return acc_array_unzip (scanned, 1);
}

static AccArray *
centred (AccArray **a, guint n, gpointer data)
{
  g_autoptr(AccArray) total = sum_all (a, n, NULL);

  return acc_array_map (a[0], minus, total);
}

static AccArray *
sum_of_centred (AccArray **a, guint n, gpointer data)
{
  g_autoptr(AccArray) values = centred (a, n, NULL), squares = acc_array_map (values, square, NULL);

  return sum (&squares, 1, NULL);
}

static AccArray *
scan_of_scan (AccArray **a, guint n, gpointer data)
{
  g_autoptr(AccArray) scanned = scan (a, n, NULL), back = acc_array_zip_with (scanned, a[0], subtract, NULL);

  return scan_right (&back, 1, NULL);
}

static AccArray *
blurred (AccArray **a, guint n, gpointer data)
{
  g_autoptr(AccBoundary) clamp = acc_boundary_new (ACC_BOUNDARY_CLAMP);
  g_autoptr(AccArray) near = acc_array_stencil (a[0], (gint64[]) { 3 }, 1, clamp, around, NULL);

  return scan (&near, 1, NULL);
}

enum { VECTORS = 1 << 0, MATRICES = 1 << 1, BOTH = VECTORS | MATRICES };
/* What is tried where not all is. */
enum { FIRST = 1 << 2 };

static const struct { const char *name; AccArrayFunc function; guint of; } functions[] = {
  { "sum", sum, BOTH }, { "sum1", sum1, BOTH }, { "sum-all", sum_all, MATRICES }, { "variance", variance, BOTH | FIRST },
  { "largest", largest, BOTH }, { "centre", centred, BOTH | FIRST }, { "sum-of-centre", sum_of_centred, BOTH },
  { "scan", scan, BOTH }, { "scan-right", scan_right, BOTH }, { "scan-from", scan_from, BOTH | FIRST },
  { "scan-right-from", scan_right_from, VECTORS }, { "scan-before", scan_before, VECTORS }, { "scan-behind", scan_behind, VECTORS },
  { "scan-after", scan_after, VECTORS }, { "compose", composed, VECTORS }, { "scan-of-scan", scan_of_scan, BOTH },
  { "blur", blurred, VECTORS }, { "sort", sorted, BOTH },
};

/* --- elements */

static AccArray *
make_element (const gint64 *extents, guint rank, guint seed)
{
  g_autoptr(AccShape) shape = acc_shape_new (extents, rank);
  gint64 n = acc_shape_get_size (shape);
  double *data = g_new (double, n + 1);
  g_autoptr(GBytes) bytes = NULL;

  for (gint64 i = 0; i < n; i++)
    data[i] = (double) ((i * 7919 + seed * 31) % 1000 - 400) / 8.1;
  bytes = g_bytes_new_take (data, (gsize) n * sizeof *data);

  return acc_array_use (acc_element_type_new (ACC_KIND_F64), shape, bytes);
}

/* Short ones around one that is large. */
static AccSequence *
make_sequence (guint rank)
{
  static const gint64 all_extents[][2] = { { 5, 3 }, { LENGTH, 0 }, { 700, 20 }, { 1, 4 } };
  g_autoptr(GPtrArray) arrays = g_ptr_array_new_with_free_func (g_object_unref);
  g_autoptr(AccNestedArray) nested = NULL, made = NULL;

  for (guint i = 0; i < G_N_ELEMENTS (all_extents); i++)
    {
      gint64 extents[2] = { all_extents[i][0], all_extents[i][1] };

      if (rank == 2 && extents[0] == LENGTH)
        {
          extents[0] = LENGTH / WIDTH;
          extents[1] = WIDTH;
        }
      g_ptr_array_add (arrays, make_element (extents, rank, i));
    }
  nested = acc_nested_array_new_from_arrays ((AccArray **) arrays->pdata, arrays->len);
  made = acc_backend_run_nested (judge, nested, NULL, NULL);

  return acc_sequence_new_from_nested (made);
}

/* All values that elements of @sequence have: of rank 0, or others one after the other. */
static AccArray *
list_values (AccSequence *sequence)
{
  g_autoptr(AccNestedArray) nested = acc_sequence_get_rank (sequence) > 0 ? acc_sequence_to_nested (sequence) : NULL;

  return nested != NULL ? acc_nested_array_flatten (nested) : acc_sequence_elements (sequence);
}

static void
test_function (gconstpointer number)
{
  guint f = GPOINTER_TO_UINT (number) / 4, rank = GPOINTER_TO_UINT (number) % 4;
  g_autoptr(AccSequence) sequence = make_sequence (rank), made = acc_sequence_map (sequence, functions[f].function, NULL);
  g_autoptr(AccArray) wanted = list_values (made), right = run (backend, wanted);
  g_autoptr(GBytes) bytes = acc_array_dup_bytes (right, 0, NULL);
  guint n_limits = takes_all_cases () ? MOST_LIMITS : FEW_LIMITS, n_refused = 0;

  /* To four times the largest element. */
  for (guint k = 1; k <= n_limits; k++)
    {
      guint64 limit = LENGTH * sizeof (double) * 4 * k / n_limits + 97 * k;
      g_autoptr(GError) error = NULL;
      g_autoptr(AccArray) got = NULL;

      acc_backend_set_memory_limit (backend, limit);
      got = acc_backend_run (backend, wanted, NULL, &error);
      acc_backend_set_memory_limit (backend, 0);
      if (got == NULL)
        {
          g_assert_error (error, ACC_ERROR, ACC_ERROR_OUT_OF_MEMORY);
          n_refused++;
        }
      else
        {
          g_autoptr(GBytes) others = acc_array_dup_bytes (got, 0, NULL);

          if (!g_bytes_equal (bytes, others))
            {
              g_test_message ("%" G_GUINT64_FORMAT " bytes: other bits", limit);
              g_test_fail ();
            }
        }
    }
  g_test_message ("%u of %u limits are too low", n_refused, n_limits);
}

int
main (int argc, char *argv[])
{
  g_test_init (&argc, &argv, NULL);
  if (!open_backends ("native"))
    return 0;

  for (guint i = 0; i < G_N_ELEMENTS (functions); i++)
    for (guint rank = 1; rank <= 2; rank++)
      {
        g_autofree char *path = g_strdup_printf ("/sequence/limit-bits/%s/%u", functions[i].name, rank);

        if ((functions[i].of & (rank == 1 ? VECTORS : MATRICES)) != 0
            && (takes_all_cases () || (rank == 1 && (functions[i].of & FIRST) != 0)))
          g_test_add_data_func (path, GUINT_TO_POINTER (i * 4 + rank), test_function);
      }

  return run_tests ();
}
