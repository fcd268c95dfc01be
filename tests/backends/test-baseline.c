/* SPDX-License-Identifier: LGPL-2.1-or-later */

/* Baseline code gives what optimised code gives, to the bit, where numbers are not contracted: a run may have either, or begin with the one
 * and end with the other. Each is made by a process of its own, which tells its results. */

#include <acc/acc.h>

#include <math.h>
#include <string.h>

#define N 3001

typedef AccExpr *(*Unary) (AccExpr *x);
typedef AccExpr *(*Binary) (AccExpr *x, AccExpr *y);

static Unary unaries[] = {
  acc_expr_sin, acc_expr_cos, acc_expr_tan, acc_expr_asin, acc_expr_acos, acc_expr_atan, acc_expr_sinh, acc_expr_cosh, acc_expr_tanh,
  acc_expr_asinh, acc_expr_acosh, acc_expr_atanh, acc_expr_exp, acc_expr_expm1, acc_expr_log, acc_expr_log1p, acc_expr_sqrt,
  acc_expr_recip, acc_expr_abs, acc_expr_neg,
};
static Binary binaries[] = {
  acc_expr_add, acc_expr_sub, acc_expr_mul, acc_expr_fdiv, acc_expr_pow, acc_expr_atan2, acc_expr_min, acc_expr_max,
};

static AccExpr *
apply_unary (AccExpr *x, gpointer data)
{
  return (*(Unary *) data) (x);
}

static AccExpr *
apply_binary (AccExpr *x, AccExpr *y, gpointer data)
{
  return (*(Binary *) data) (x, y);
}

static AccExpr *
multiply_add (AccExpr *x, AccExpr *y, gpointer data)
{
  return acc_expr_add (acc_expr_mul (x, y), acc_expr_mul (y, acc_expr_sub (x, y)));
}

static AccExpr *
mix (AccExpr *x, AccExpr *y, gpointer data)
{
  return acc_expr_add (acc_expr_mul (x, acc_expr_new_float (0.75)), y);
}

/* Of as many neighbours to each side: 49 of them take long to optimise. */
static AccExpr *
around (AccExpr *window, gpointer radius)
{
  gint64 r = GPOINTER_TO_INT (radius), side = 2 * r + 1;
  AccExpr *sum = NULL;

  for (gint64 y = -r; y <= r; y++)
    for (gint64 x = -r; x <= r; x++)
      {
        double factor = 0.1 * (double) (side * y + x + (side * side + 1) / 2);
        AccExpr *one = acc_expr_mul (acc_expr_neighbour2 (window, y, x), acc_expr_new_float (factor));

        sum = sum == NULL ? one : acc_expr_add (sum, one);
      }

  return sum;
}

static AccExpr *
to_bin (AccExpr *x, gpointer data)
{
  return acc_expr_rem (acc_expr_cast (acc_expr_abs (x), acc_element_type_new (ACC_KIND_I64)), acc_expr_new_int (17));
}

static AccExpr *
to_type (AccExpr *x, gpointer type)
{
  return acc_expr_cast (x, type);
}

/* --- what is computed */

static AccBackend *backend;

/* Which NaN comes out of NaNs is left to the processor, and it takes the first of two, whichever that is. */
static void
unify_nans (const char *code, guint8 *values, gsize size)
{
  if (g_str_equal (code, "f2"))
    {
      for (guint16 *at = (guint16 *) values; (guint8 *) at < values + size; at++)
        *at = (*at & 0x7fff) > 0x7c00 ? 0x7e00 : *at;
    }
  else if (g_str_equal (code, "f4"))
    {
      for (float *at = (float *) values; (guint8 *) at < values + size; at++)
        *at = isnan (*at) ? NAN : *at;
    }
  else
    {
      g_assert_cmpstr (code, ==, "f8");
      for (double *at = (double *) values; (guint8 *) at < values + size; at++)
        *at = isnan (*at) ? NAN : *at;
    }
}

/* Takes over @array. */
static void
tell (const char *name, const char *code, AccArray *array)
{
  g_autoptr(AccArray) owned = array;
  g_autoptr(GError) error = NULL;
  g_autoptr(AccArray) result = acc_backend_run (backend, owned, NULL, &error);
  g_autoptr(GBytes) bytes = NULL;
  g_autofree char *digest = NULL;
  g_autofree guint8 *values = NULL;
  gsize size;

  g_assert_no_error (error);
  bytes = acc_array_dup_bytes (result, 0, &error);
  g_assert_no_error (error);
  values = g_memdup2 (g_bytes_get_data (bytes, &size), g_bytes_get_size (bytes));
  unify_nans (code, values, size);
  digest = g_compute_checksum_for_data (G_CHECKSUM_MD5, values, size);
  g_print ("%s of %s: %s\n", name, code, digest);
}

static AccArray *
make_values (AccElementKind kind, double factor)
{
  g_autofree double *values = g_new (double, N);
  g_autoptr(AccShape) shape = acc_shape_new_vector (N);
  g_autoptr(GBytes) bytes = NULL;
  g_autoptr(AccArray) doubles = NULL;
  g_autoptr(AccArray) converted = NULL;

  for (guint i = 0; i < N; i++)
    values[i] = sin (i * 1.7) * exp ((i % 41 - 20.0) * factor);
  memcpy (values + 7, (double[]) { 0, -0.0, INFINITY, -INFINITY, NAN, 1, -1, 1e-310, 65504 }, 9 * sizeof (double));
  bytes = g_bytes_new (values, N * sizeof (double));
  doubles = acc_array_use (acc_element_type_new (ACC_KIND_F64), shape, bytes);
  converted = acc_array_map (doubles, to_type, acc_element_type_new (kind));

  return acc_array_compute (converted);
}

static void
tell_all (AccElementKind kind)
{
  const char *code = acc_element_kind_get_code (kind);
  g_autoptr(AccArray) x = make_values (kind, 0.6), y = make_values (kind, -0.3), small = make_values (kind, 0.05);
  g_autoptr(AccShape) square = acc_shape_new_matrix (50, 60), other = acc_shape_new_matrix (60, 50), bins = acc_shape_new_vector (17);
  g_autoptr(AccArray) line = acc_array_take (small, 3000), picture = acc_array_reshape (line, square),
    turned = acc_array_reshape (line, other);
  g_autoptr(AccArray) zeros = acc_array_fill (bins, acc_expr_cast (acc_expr_new_int (0), acc_element_type_new (kind)));
  g_autoptr(AccArray) ones = acc_array_drop (small, 16), targets = acc_array_map (ones, to_bin, NULL);
  g_autoptr(AccBoundary) boundary = acc_boundary_new (ACC_BOUNDARY_MIRROR);
  Binary add = acc_expr_add;

  for (guint i = 0; i < G_N_ELEMENTS (unaries); i++)
    {
      g_autofree char *name = g_strdup_printf ("function %u", i);

      tell (name, code, acc_array_map (x, apply_unary, &unaries[i]));
    }
  for (guint i = 0; i < G_N_ELEMENTS (binaries); i++)
    {
      g_autofree char *name = g_strdup_printf ("operator %u", i);

      tell (name, code, acc_array_zip_with (x, y, apply_binary, &binaries[i]));
    }
  tell ("products and sums", code, acc_array_zip_with (x, y, multiply_add, NULL));
  tell ("sum", code, acc_array_sum (small));
  tell ("sums of rows", code, acc_array_fold1 (picture, apply_binary, &add));
  tell ("mixture", code, acc_array_fold1 (small, mix, NULL));
  tell ("prefix sum", code, acc_array_scanl1 (small, apply_binary, &add));
  tell ("prefix mixture", code, acc_array_scanl1 (small, mix, NULL));
  tell ("stencil", code, acc_array_stencil (picture, (gint64[]) { 3, 3 }, 2, boundary, around, GINT_TO_POINTER (1)));
  tell ("matrices", code, acc_array_matmul (picture, turned));
  tell ("sorted", code, acc_array_sort (x, FALSE));
  tell ("sums by keys", code, acc_array_permute (ones, zeros, targets, apply_binary, &add));
}

static AccArray *
make_large (gint64 rows, gint64 columns)
{
  g_autofree float *values = g_new (float, rows * columns);
  g_autoptr(AccShape) shape = acc_shape_new_matrix (rows, columns);
  g_autoptr(GBytes) bytes = NULL;

  for (gint64 i = 0; i < rows * columns; i++)
    values[i] = (float) sin ((double) i * 1.7);
  bytes = g_bytes_new_take (g_steal_pointer (&values), rows * columns * sizeof (float));

  return acc_array_use (acc_element_type_new (ACC_KIND_F32), shape, bytes);
}

/* So much that better code comes while baseline code is at work on it. */
static void
tell_large (void)
{
  g_autoptr(AccArray) picture = make_large (2000, 2000);
  g_autoptr(AccBoundary) boundary = acc_boundary_new (ACC_BOUNDARY_MIRROR);

  tell ("large stencil", "f4", acc_array_stencil (picture, (gint64[]) { 7, 7 }, 2, boundary, around, GINT_TO_POINTER (3)));
}

/* Runs until it has begun to be optimised, and ends. */
static void
leave_early (void)
{
  g_autoptr(AccArray) picture = make_large (150, 150);
  g_autoptr(AccBoundary) boundary = acc_boundary_new (ACC_BOUNDARY_MIRROR);
  g_autoptr(AccArray) result = acc_array_stencil (picture, (gint64[]) { 7, 7 }, 2, boundary, around, GINT_TO_POINTER (3));

  for (guint i = 0; i < 20; i++)
    {
      g_autoptr(GError) error = NULL;
      g_autoptr(AccArray) computed = acc_backend_run (backend, result, NULL, &error);

      g_assert_no_error (error);
    }
}

/* --- both */

/* What a process that does @what tells, and what it says beside; @disable: what it does without. */
static char *
run_process (const char *what, const char *disable, char **said)
{
  char *arguments[] = { "/proc/self/exe", (char *) what, NULL };
  g_auto(GStrv) environment = g_get_environ ();
  g_autofree char *messages = NULL;
  g_autoptr(GError) error = NULL;
  char *out = NULL;
  int status;

  environment = g_environ_setenv (environment, "ACC_DISABLE", disable, TRUE);
  environment = g_environ_setenv (environment, "ACC_DEBUG", "cache", TRUE);
  environment = g_environ_setenv (environment, "ACC_THREADS", "2", TRUE);
  arguments[0] = g_file_read_link (arguments[0], &error);
  g_assert_no_error (error);
  g_spawn_sync (NULL, arguments, environment, G_SPAWN_DEFAULT, NULL, NULL, &out, &messages, &status, &error);
  g_free (arguments[0]);
  g_assert_no_error (error);
  g_assert_cmpint (status, ==, 0);
  *said = g_steal_pointer (&messages);

  return out;
}

static void
test_same_bits (void)
{
  g_autofree char *said = NULL, *said_else = NULL;
  g_autofree char *baseline = run_process ("--tell", "cache", &said), *optimised = run_process ("--tell", "cache,baseline", &said_else);
  g_auto(GStrv) some = g_strsplit (baseline, "\n", -1), others = g_strsplit (optimised, "\n", -1);

  g_assert_nonnull (strstr (said, "as baseline code"));
  g_assert_nonnull (strstr (said, "meanwhile"));
  g_assert_null (strstr (said_else, "as baseline code"));
  g_assert_null (strstr (said_else, "meanwhile"));
  g_assert_cmpuint (g_strv_length (some), >, 100);
  g_assert_cmpuint (g_strv_length (some), ==, g_strv_length (others));
  for (guint i = 0; some[i] != NULL; i++)
    g_assert_cmpstr (some[i], ==, others[i]);
}

/* A process that ends while a worker optimises waits for it. */
static void
test_leaves_early (void)
{
  for (guint i = 0; i < 5; i++)
    {
      g_autofree char *said = NULL, *out = run_process ("--leave", "cache", &said);

      g_assert_nonnull (strstr (said, "as baseline code"));
      g_assert_nonnull (strstr (said, "meanwhile"));
    }
}

int
main (int argc, char **argv)
{
  if (argc == 2)
    {
      g_autoptr(GError) error = NULL;

      backend = acc_backend_new_for_name ("native", &error);
      g_assert_no_error (error);
      if (strcmp (argv[1], "--leave") == 0)
        {
          /* The backend is not freed: the end of the process finds it as it is. */
          leave_early ();
          return 0;
        }
      g_assert_cmpstr (argv[1], ==, "--tell");
      tell_all (ACC_KIND_F16);
      tell_all (ACC_KIND_F32);
      tell_all (ACC_KIND_F64);
      tell_large ();
      g_clear_object (&backend);
      return 0;
    }

  g_test_init (&argc, &argv, NULL);
  g_test_add_func ("/baseline/same-bits", test_same_bits);
  g_test_add_func ("/baseline/leaves-early", test_leaves_early);

  return g_test_run ();
}
