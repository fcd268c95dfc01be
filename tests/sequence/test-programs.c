/* SPDX-License-Identifier: LGPL-2.1-or-later */

/* Sequences of arguments of programs, which are graphs, against walks over the same arrays on the interpreter. */

#include "tests/nested/nested-backends.h"

static AccExpr *i8 (gint64 x) { return acc_expr_new_typed_int (acc_element_type_new (ACC_KIND_I64), x); }
static AccExpr *plus (AccExpr *x, AccExpr *y, gpointer data) { return acc_expr_add (x, y); }
static AccExpr *is_odd (AccExpr *x, gpointer data) { return acc_expr_ne (acc_expr_band (x, i8 (1)), i8 (0)); }
/* Associative, but not commutative: the last one that is not divisible by 3. */
static AccExpr *
later (AccExpr *x, AccExpr *y, gpointer data)
{
  return acc_expr_cond (acc_expr_ne (acc_expr_rem (y, i8 (3)), i8 (0)), y, x);
}
static AccExpr *itself (AccExpr *i, gpointer data) { return i; }

static AccArray *sum (AccArray **a, guint n, gpointer data) { return acc_array_fold (a[0], i8 (0), plus, NULL); }
static AccArray *combine (AccArray **a, guint n, gpointer data) { return acc_array_zip_with (a[0], a[1], later, NULL); }
static AccArray *join (AccArray **a, guint n, gpointer data) { return acc_array_concat (a[0], a[1]); }

static AccArray *
has_odd_sum (AccArray **a, guint n, gpointer data)
{
  g_autoptr(AccArray) total = sum (a, n, NULL);

  return acc_array_map (total, is_odd, NULL);
}

/* As many numbers as its place says. */
static AccArray *
ragged (AccArray **a, guint n, gpointer data)
{
  g_autoptr(AccArray) numbers = acc_array_generate_expr (acc_expr_the (a[0]), itself, NULL);

  return acc_array_concat (numbers, a[1]);
}

enum { SUMS, ODD, COMBINED, JOINED, RAGGED, RAGGED_JOINED, COUNT, LAST, STACK, WINDOWS, CLAMPED, MIRRORED, WRAPPED, FILLED, N_RESULTS };

static AccArray *
make_windows (AccArray *matrix, guint which)
{
  static const AccBoundaryKind kinds[] = { ACC_BOUNDARY_CLAMP, ACC_BOUNDARY_MIRROR, ACC_BOUNDARY_WRAP };
  g_autoptr(AccBoundary) boundary = NULL;
  g_autoptr(AccSequence) windows = NULL;

  if (which == FILLED)
    boundary = acc_boundary_new_constant (i8 (77));
  else if (which != WINDOWS)
    boundary = acc_boundary_new (kinds[which - CLAMPED]);
  windows = acc_sequence_new_windows (matrix, (const gint64[]) { 4, 2 }, (const gint64[]) { 3, 2 }, 2, boundary);

  return acc_sequence_stack (windows);
}

static AccArray *
make (AccArray *matrix, guint which)
{
  g_autoptr(AccSequence) rows = acc_sequence_new_from_array (matrix), sums = acc_sequence_map (rows, sum, NULL);
  g_autoptr(AccSequence) odd = acc_sequence_filter (rows, has_odd_sum, NULL), uneven = acc_sequence_imap (rows, ragged, NULL);
  g_autoptr(AccSequence) some = acc_sequence_drop (odd, 1);

  switch (which)
    {
    case SUMS:
      return acc_sequence_elements (sums);
    case ODD:
      return acc_sequence_elements (some);
    case COMBINED:
      return acc_sequence_fold (rows, NULL, combine, NULL);
    case JOINED:
      return acc_sequence_fold (rows, NULL, join, NULL);
    case RAGGED:
      return acc_sequence_elements (uneven);
    case RAGGED_JOINED:
      return acc_sequence_fold (uneven, NULL, join, NULL);
    case COUNT:
      return acc_sequence_count (odd);
    case LAST:
      return acc_sequence_last (uneven, NULL);
    case STACK:
      return acc_sequence_stack (odd);
    default:
      return make_windows (matrix, which);
    }
}

static AccArray *in_program (AccArray **a, guint n, gpointer which) { return make (a[0], GPOINTER_TO_UINT (which)); }

static AccArray *
make_matrix (gint64 rows, gint64 columns)
{
  g_autoptr(AccShape) shape = acc_shape_new_matrix (rows, columns);
  gint64 *numbers = g_new (gint64, rows * columns + 1);
  g_autoptr(GBytes) bytes = NULL;

  for (gint64 i = 0; i < rows * columns; i++)
    numbers[i] = g_test_rand_int_range (-20, 20);
  bytes = g_bytes_new_take (numbers, rows * columns * sizeof *numbers);

  return acc_array_use (acc_element_type_new (ACC_KIND_I64), shape, bytes);
}

static void
test_program (gconstpointer data)
{
  guint which = GPOINTER_TO_UINT (data);
  const char *const signature[] = { "i8[:,:]", NULL };
  g_autoptr(AccProgram) program = acc_program_new (signature, in_program, (gpointer) data);
  g_autoptr(GError) error = NULL;
  g_autoptr(AccExecutable) executable = acc_backend_compile (backend, program, NULL, &error);
  const gint64 counts[] = { 1, 2, 5, 33, 0 };

  g_assert_no_error (error);
  for (guint i = 0; i < G_N_ELEMENTS (counts); i++)
    {
      g_autoptr(AccArray) matrix = make_matrix (counts[i], 3), walked = make (matrix, which);
      g_autoptr(AccArray) wanted = acc_backend_run (judge, walked, NULL, NULL);
      g_autoptr(GPtrArray) got = acc_executable_run (executable, &matrix, 1, NULL, &error);

      /* Nothing to fold, and no last one: an error of both. */
      if (wanted == NULL)
        {
          g_assert_null (got);
          g_assert_nonnull (error);
          g_clear_error (&error);
          continue;
        }
      g_assert_no_error (error);
      {
        g_autoptr(GBytes) x = acc_array_dup_bytes (wanted, 0, NULL), y = acc_array_dup_bytes (got->pdata[0], 0, NULL);
        g_autofree char *wanted_shape = acc_shape_to_string (acc_array_get_shape (wanted));
        g_autofree char *shape = acc_shape_to_string (acc_array_get_shape (got->pdata[0]));

        if (acc_shape_get_size (acc_array_get_shape (wanted)) > 0)
          g_assert_cmpstr (shape, ==, wanted_shape);
        g_assert_true (g_bytes_equal (x, y));
      }
    }
}

int
main (int argc, char *argv[])
{
  static const char *const names[N_RESULTS] = { "sums", "odd", "combined", "joined", "ragged", "ragged-joined", "count", "last", "stack",
                                                 "windows", "clamped", "mirrored", "wrapped", "filled" };

  g_test_init (&argc, &argv, NULL);
  if (!open_backends ("interpreter"))
    return 0;

  for (guint i = 0; i < N_RESULTS; i++)
    {
      g_autofree char *path = g_strdup_printf ("/sequence/programs/%s", names[i]);

      g_test_add_data_func (path, GUINT_TO_POINTER (i), test_program);
    }

  return run_tests ();
}
