/* SPDX-License-Identifier: LGPL-2.1-or-later */

/* What devices make of common array work, on data that is there already: bench-device BACKEND[,BACKEND…] [LOG2_SIZE [WORK]].
 * WORK: only what has this in its name; "first", "first map", …: first runs, with empty caches; where BENCH_REPORT is set they tell
 * when each kernel was there. BACKEND+fast: with fast mathematics, as the peers' compilers have by default.
 *
 * Prints, per work and backend, a line of tab-separated words: work, backend, median milliseconds of a run, amount, unit.
 * Amounts are bytes that must move at least ("GB/s" is amount over time), flops, keys or launches. peer-gpu.py puts the
 * strongest peers beside it. */

#include "bench-first.h"
#include "bench-still.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#define ROUNDS 11

typedef struct {
  AccBackend *backend;
  const char *name;
  gint64      n;           /* elements of vectors */
  gint64      side;        /* of pictures */
  const char *only;        /* NULL: all works */
} Bench;

static double
now (void)
{
  struct timespec t;

  clock_gettime (CLOCK_MONOTONIC, &t);

  return t.tv_sec + t.tv_nsec * 1e-9;
}

static int
compare (const void *a, const void *b)
{
  double x = *(const double *) a, y = *(const double *) b;

  return (x > y) - (x < y);
}

static gboolean
is_wanted (Bench *self, const char *work)
{
  return self->only == NULL || strstr (work, self->only) != NULL;
}

static void
report (Bench *self, const char *work, double *times, guint n, double amount, const char *unit)
{
  qsort (times, n, sizeof *times, compare);
  printf ("%s\t%s\t%.4f\t%.6g\t%s\n", work, self->name, times[n / 2] * 1e3, amount, unit);
  fflush (stdout);
}

/* --- elements */

static AccExpr *
number (double x)
{
  return acc_expr_new_typed_float (acc_element_type_new (ACC_KIND_F32), x);
}

static AccExpr *
axpy (AccExpr *x, AccExpr *y, gpointer data)
{
  return acc_expr_add (acc_expr_mul (number (2.5), x), y);
}

static AccExpr *
add_one (AccExpr *x, gpointer data)
{
  return acc_expr_add (x, number (1));
}

static AccExpr *
times (AccExpr *x, AccExpr *y, gpointer data)
{
  return acc_expr_mul (x, y);
}

static AccExpr *
plus (AccExpr *x, AccExpr *y, gpointer data)
{
  return acc_expr_add (x, y);
}

static AccExpr *
swap (AccExpr *index, gpointer data)
{
  return acc_expr_tuple2 (acc_expr_item (index, 1), acc_expr_item (index, 0));
}

static AccExpr *
mean9 (AccExpr *n, gpointer data)
{
  AccExpr *sum = NULL;

  for (gint64 y = -1; y <= 1; y++)
    for (gint64 x = -1; x <= 1; x++)
      {
        AccExpr *tap = acc_expr_neighbour (n, (gint64[]) { y, x }, 2);

        sum = sum == NULL ? tap : acc_expr_add (sum, tap);
      }

  return acc_expr_mul (sum, number (1 / 9.));
}

static AccExpr *
to_i64 (AccExpr *x, gpointer data)
{
  return acc_expr_cast (x, acc_element_type_new (ACC_KIND_I64));
}

static AccExpr *
one (AccExpr *x, gpointer data)
{
  return acc_expr_new_typed_int (acc_element_type_new (ACC_KIND_I32), 1);
}

/* Abramowitz and Stegun 26.2.17 */
static AccExpr *
normal (AccExpr *d)
{
  static const double a[] = { 1.330274429, -1.821255978, 1.781477937, -0.356563782, 0.31938153 };
  AccExpr *k = acc_expr_fdiv (number (1), acc_expr_add (number (1), acc_expr_mul (number (0.2316419), acc_expr_abs (d))));
  AccExpr *p = number (a[0]), *c;

  for (guint i = 1; i < G_N_ELEMENTS (a); i++)
    p = acc_expr_add (acc_expr_mul (p, k), number (a[i]));
  c = acc_expr_mul (acc_expr_mul (number (0.39894228040143267794), acc_expr_exp (acc_expr_mul (number (-0.5), acc_expr_mul (d, d)))),
                    acc_expr_mul (k, p));

  return acc_expr_cond (acc_expr_gt (d, number (0)), acc_expr_sub (number (1), c), c);
}

static AccExpr *
black_scholes (AccExpr *price, AccExpr *strike, AccExpr *years, gpointer data)
{
  AccExpr *root = acc_expr_sqrt (years);
  AccExpr *d1 = acc_expr_fdiv (acc_expr_add (acc_expr_log (acc_expr_fdiv (price, strike)),
                                             acc_expr_mul (number (0.02 + 0.5 * 0.09), years)),
                              acc_expr_mul (number (0.3), root));
  AccExpr *d2 = acc_expr_sub (d1, acc_expr_mul (number (0.3), root));
  AccExpr *n1 = normal (d1), *n2 = normal (d2);
  AccExpr *discounted = acc_expr_mul (strike, acc_expr_exp (acc_expr_mul (number (-0.02), years)));
  AccExpr *call = acc_expr_sub (acc_expr_mul (price, n1), acc_expr_mul (discounted, n2));
  AccExpr *put = acc_expr_sub (acc_expr_mul (discounted, acc_expr_sub (number (1), n2)),
                               acc_expr_mul (price, acc_expr_sub (number (1), n1)));

  return acc_expr_tuple2 (call, put);
}

/* Acceleration of body i by body j; 20 flops. */
static AccExpr *
attract (AccExpr *index, gpointer data)
{
  AccArray **xyzm = data;
  AccExpr *i = acc_expr_item (index, 0), *j = acc_expr_item (index, 1);
  AccExpr *d[3], *square = number (1e-3), *inverse, *scale;

  for (guint k = 0; k < 3; k++)
    {
      d[k] = acc_expr_sub (acc_expr_linear_index (xyzm[k], j), acc_expr_linear_index (xyzm[k], i));
      square = acc_expr_add (square, acc_expr_mul (d[k], d[k]));
    }
  inverse = acc_expr_fdiv (number (1), acc_expr_sqrt (square));
  scale = acc_expr_mul (acc_expr_linear_index (xyzm[3], j), acc_expr_mul (inverse, acc_expr_mul (inverse, inverse)));

  return acc_expr_tuple3 (acc_expr_mul (d[0], scale), acc_expr_mul (d[1], scale), acc_expr_mul (d[2], scale));
}

static AccExpr *
plus3 (AccExpr *x, AccExpr *y, gpointer data)
{
  AccExpr *sums[3];

  for (guint k = 0; k < 3; k++)
    sums[k] = acc_expr_add (acc_expr_item (x, k), acc_expr_item (y, k));

  return acc_expr_tuple (sums, 3);
}

/* --- programs */

static AccArray *
build_copy (AccArray **a, guint n, gpointer data)
{
  return acc_array_map (a[0], add_one, NULL);
}

static AccArray *
build_saxpy (AccArray **a, guint n, gpointer data)
{
  return acc_array_zip_with (a[0], a[1], axpy, NULL);
}

static AccArray *
build_dot (AccArray **a, guint n, gpointer data)
{
  g_autoptr(AccArray) products = acc_array_zip_with (a[0], a[1], times, NULL);

  return acc_array_fold (products, number (0), plus, NULL);
}

static AccArray *
build_scan (AccArray **a, guint n, gpointer data)
{
  return acc_array_scanl1 (a[0], plus, NULL);
}

static AccArray *
build_row_sums (AccArray **a, guint n, gpointer data)
{
  return acc_array_fold (a[0], number (0), plus, NULL);
}

static AccArray *
build_transpose (AccArray **a, guint n, gpointer data)
{
  Bench *self = data;
  g_autoptr(AccShape) shape = acc_shape_new_matrix (self->side, self->side);

  return acc_array_backpermute (a[0], shape, swap, NULL);
}

static AccArray *
build_stencil (AccArray **a, guint n, gpointer data)
{
  g_autoptr(AccBoundary) clamp = acc_boundary_new (ACC_BOUNDARY_CLAMP);

  return acc_array_stencil (a[0], (gint64[]) { 3, 3 }, 2, clamp, mean9, NULL);
}

static AccArray *
build_histogram (AccArray **a, guint n, gpointer data)
{
  g_autoptr(AccShape) shape = acc_shape_new_vector (256);
  g_autoptr(AccArray) zeros = acc_array_fill (shape, acc_expr_new_typed_int (acc_element_type_new (ACC_KIND_I32), 0));
  g_autoptr(AccArray) targets = acc_array_map (a[0], to_i64, NULL);
  g_autoptr(AccArray) ones = acc_array_map (a[0], one, NULL);

  return acc_array_permute (ones, zeros, targets, plus, NULL);
}

static AccArray *
build_black_scholes (AccArray **a, guint n, gpointer data)
{
  return acc_array_zip_with3 (a[0], a[1], a[2], black_scholes, NULL);
}

static AccArray *
build_bodies (AccArray **a, guint n, gpointer data)
{
  gint64 *bodies = data;
  g_autoptr(AccShape) shape = acc_shape_new_matrix (*bodies, *bodies);
  g_autoptr(AccArray) pairs = acc_array_generate (shape, attract, a);

  return acc_array_fold (pairs, acc_expr_tuple3 (number (0), number (0), number (0)), plus3, NULL);
}

static AccArray *
build_product (AccArray **a, guint n, gpointer data)
{
  return acc_array_matmul (a[0], a[1]);
}

static AccArray *
build_spectra (AccArray **a, guint n, gpointer data)
{
  return acc_array_fft (a[0], ACC_FFT_FORWARD);
}

static AccArray *
build_sorted (AccArray **a, guint n, gpointer data)
{
  return acc_array_sort (a[0], FALSE);
}

/* --- running */

static AccArray *
make_floats (gint64 rows, gint64 columns, float low, float high)
{
  gint64 n = (rows > 0 ? rows : 1) * columns;
  float *data = g_malloc (n * sizeof *data);
  guint32 state = 12345;
  g_autoptr(GBytes) bytes = NULL;
  g_autoptr(AccShape) shape = rows > 0 ? acc_shape_new_matrix (rows, columns) : acc_shape_new_vector (columns);

  for (gint64 i = 0; i < n; i++)
    {
      state = state * 1664525 + 1013904223;
      data[i] = low + (high - low) * (float) (state >> 8) / 16777216.f;
    }
  bytes = g_bytes_new_take (data, n * sizeof *data);

  return acc_array_use (acc_element_type_new (ACC_KIND_F32), shape, bytes);
}

static AccArray *
make_complex (gint64 rows, gint64 columns)
{
  g_autoptr(AccArray) parts = make_floats (rows, 2 * columns, -1, 1);
  g_autoptr(AccShape) shape = acc_shape_new_matrix (rows, columns);
  g_autoptr(GBytes) bytes = acc_array_dup_bytes (parts, 0, NULL);

  return acc_array_use (acc_element_type_new_complex (ACC_KIND_F32), shape, bytes);
}

static AccArray *
make_numbers (gint64 n)
{
  guint32 *data = g_malloc (n * sizeof *data), state = 98765;
  g_autoptr(GBytes) bytes = NULL;
  g_autoptr(AccShape) shape = acc_shape_new_vector (n);

  for (gint64 i = 0; i < n; i++)
    {
      state ^= state << 13;
      state ^= state >> 17;
      state ^= state << 5;
      data[i] = state;
    }
  bytes = g_bytes_new_take (data, n * sizeof *data);

  return acc_array_use (acc_element_type_new (ACC_KIND_I32), shape, bytes);
}

/* Numbers below 256. */
static AccArray *
make_keys (gint64 n, AccElementKind kind)
{
  gsize size = acc_element_kind_get_size (kind);
  guint8 *data = g_malloc0 (n * size);
  guint32 state = 54321;
  g_autoptr(GBytes) bytes = NULL;
  g_autoptr(AccShape) shape = acc_shape_new_vector (n);

  for (gint64 i = 0; i < n; i++)
    {
      state = state * 1664525 + 1013904223;
      data[i * size] = state >> 24;
    }
  bytes = g_bytes_new_take (data, n * size);

  return acc_array_use (acc_element_type_new (kind), shape, bytes);
}

static gboolean
run (AccExecutable *executable, AccArray **arguments, guint n, const char *work, const char *backend)
{
  g_autoptr(GError) error = NULL;
  g_autoptr(GPtrArray) results = acc_executable_run (executable, arguments, n, NULL, &error);

  if (results == NULL)
    fprintf (stderr, "%s on %s: %s\n", work, backend, error->message);

  return results != NULL;
}

/* Compiles, uploads, fills the pool; and goes on until runs no longer get quicker: the clock of a device that was idle while the
 * host made numbers may be a sixth of what it is under load, and takes long to rise. */
static gboolean
warm_up (AccExecutable *executable, AccArray **arguments, guint n, const char *work, const char *backend)
{
  double begin = now (), best = INFINITY, since = begin;

  for (guint i = 0; i < 3 || (now () - since < 0.3 && now () - begin < 5); i++)
    {
      double start = now (), seconds;

      if (!run (executable, arguments, n, work, backend))
        return FALSE;
      seconds = now () - start;
      if (seconds < best * 0.98)
        {
          best = seconds;
          since = now ();
        }
    }

  return TRUE;
}

static void
measure (Bench *self, const char *work, const char *signature, AccArrayFunc build, gpointer data,
         AccArray **arguments, guint n, double amount, const char *unit)
{
  const char *signatures[5] = { NULL };
  g_autoptr(GError) error = NULL;
  g_autoptr(AccProgram) program = NULL;
  g_autoptr(AccExecutable) executable = NULL;
  double seconds[ROUNDS];

  if (!is_wanted (self, work))
    return;
  for (guint i = 0; i < n; i++)
    signatures[i] = signature;
  program = acc_program_new (signatures, build, data);
  executable = acc_backend_compile (self->backend, program, NULL, &error);
  if (executable == NULL)
    {
      fprintf (stderr, "%s on %s: %s\n", work, self->name, error->message);
      return;
    }

  if (!warm_up (executable, arguments, n, work, self->name))
    return;
  for (guint i = 0; i < ROUNDS; i++)
    {
      double begin = now ();

      run (executable, arguments, n, work, self->name);
      seconds[i] = now () - begin;
    }
  report (self, work, seconds, ROUNDS, amount, unit);
}

/* Of a kernel that has nothing to do: the difference of two programs, of which one runs many. */
static AccArray *
build_chain (AccArray **a, guint n, gpointer data)
{
  g_autoptr(AccBoundary) clamp = acc_boundary_new (ACC_BOUNDARY_CLAMP);
  AccArray *array = g_object_ref (a[0]);

  for (guint i = 0; i < GPOINTER_TO_UINT (data); i++)
    {
      AccArray *next = acc_array_scanl1 (array, plus, NULL);

      g_object_unref (array);
      array = next;
    }

  return array;
}

static void
measure_launch (Bench *self)
{
  const char *signatures[] = { "f4[:,:]", NULL };
  g_autoptr(AccArray) small = make_floats (1, 32, 0, 1);
  const guint counts[] = { 10, 210 };
  double medians[2];

  for (guint k = 0; k < 2; k++)
    {
      g_autoptr(AccProgram) program = acc_program_new (signatures, build_chain, GUINT_TO_POINTER (counts[k]));
      g_autoptr(AccExecutable) executable = acc_backend_compile (self->backend, program, NULL, NULL);
      double seconds[ROUNDS];

      for (guint i = 0; i < ROUNDS + 2; i++)
        {
          double begin = now ();

          if (executable == NULL || !run (executable, &small, 1, "launch", self->name))
            return;
          if (i >= 2)
            seconds[i - 2] = now () - begin;
        }
      qsort (seconds, ROUNDS, sizeof *seconds, compare);
      medians[k] = seconds[ROUNDS / 2];
    }
  printf ("launch\t%s\t%.4f\t%u\tlaunches\n", self->name, (medians[1] - medians[0]) * 1e3, counts[1] - counts[0]);
}

/* Up, one kernel, down: host to host. */
static void
measure_transfers (Bench *self)
{
  const char *signatures[] = { "f4[:]", NULL };
  gint64 n = self->n / 4;
  g_autoptr(AccProgram) program = acc_program_new (signatures, build_copy, NULL);
  g_autoptr(AccExecutable) executable = acc_backend_compile (self->backend, program, NULL, NULL);
  double up[ROUNDS], down[ROUNDS];

  if (executable == NULL)
    return;
  for (guint i = 0; i < ROUNDS; i++)
    {
      g_autoptr(AccArray) fresh = make_floats (0, n, 0, 1);
      double begin = now ();
      g_autoptr(GPtrArray) results = acc_executable_run (executable, &fresh, 1, NULL, NULL);
      g_autoptr(GBytes) bytes = NULL;

      if (results == NULL)
        return;
      up[i] = now () - begin;
      begin = now ();
      bytes = acc_array_dup_bytes (results->pdata[0], 0, NULL);
      down[i] = now () - begin;
    }
  report (self, "upload", up, ROUNDS, 4. * n, "GB/s");
  report (self, "download", down, ROUNDS, 4. * n, "GB/s");
}

/* Up, one kernel and down, all at once: rows that come from nowhere and go there, with memory for a twentieth of them. */
static void
measure_stream (Bench *self)
{
  gint64 columns = 16384, rows = MAX (self->n / columns, 1) * 8;
  double seconds[5], bytes = 4. * rows * columns;
  guint64 limit = acc_backend_get_memory_limit (self->backend);

  acc_backend_set_memory_limit (self->backend, (guint64) (bytes / 20));
  for (guint i = 0; i < G_N_ELEMENTS (seconds) + 1; i++)
    {
      g_autoptr(GError) error = NULL;
      g_autoptr(AccSource) source = bench_still_source_new (acc_element_type_new (ACC_KIND_F32), rows, columns);
      g_autoptr(AccSink) sink = bench_still_sink_new ();
      g_autoptr(AccArray) array = acc_array_new_from_source (source);
      g_autoptr(AccArray) result = acc_array_map (array, add_one, NULL);
      g_autoptr(AccJob) job = NULL;
      double begin = now ();

      job = acc_backend_start_write (self->backend, result, sink, NULL);
      if (!acc_job_wait (job, &error))
        {
          fprintf (stderr, "stream on %s: %s\n", self->name, error->message);
          break;
        }
      if (i > 0)
        seconds[i - 1] = now () - begin;
      if (i == G_N_ELEMENTS (seconds))
        report (self, "stream", seconds, i, 2 * bytes, "GB/s");
      if (i == G_N_ELEMENTS (seconds) && g_getenv ("BENCH_REPORT") != NULL)
        {
          g_autofree char *plan = acc_plan_to_string (acc_job_get_plan (job)), *text = acc_job_dup_report (job);

          fprintf (stderr, "%s\n%s\n", plan, text);
        }
    }
  acc_backend_set_memory_limit (self->backend, limit);
}

static void
run_all (Bench *self)
{
  gint64 n = self->n, side = self->side, bodies = MIN (65536, side * 4);

  if (is_wanted (self, "copy") || is_wanted (self, "saxpy") || is_wanted (self, "dot") || is_wanted (self, "scan"))
    {
      g_autoptr(AccArray) x = make_floats (0, n, 0, 1), y = make_floats (0, n, 1, 2);

      measure (self, "copy", "f4[:]", build_copy, NULL, &x, 1, 8. * n, "GB/s");
      measure (self, "saxpy", "f4[:]", build_saxpy, NULL, (AccArray *[]) { x, y }, 2, 12. * n, "GB/s");
      measure (self, "dot", "f4[:]", build_dot, NULL, (AccArray *[]) { x, y }, 2, 8. * n, "GB/s");
      measure (self, "scan", "f4[:]", build_scan, NULL, &x, 1, 8. * n, "GB/s");
    }
  if (is_wanted (self, "histogram of u1") || is_wanted (self, "histogram of u4"))
    {
      g_autoptr(AccArray) bytes = make_keys (4 * n, ACC_KIND_U8), words = make_keys (n, ACC_KIND_U32);

      measure (self, "histogram of u1", "u1[:]", build_histogram, NULL, &bytes, 1, 4. * n, "GB/s");
      measure (self, "histogram of u4", "u4[:]", build_histogram, NULL, &words, 1, 4. * n, "GB/s");
    }
  if (is_wanted (self, "rows of 16384"))
    {
      g_autoptr(AccArray) rows = make_floats (n / 16384, 16384, 0, 1);

      measure (self, "rows of 16384", "f4[:,:]", build_row_sums, NULL, &rows, 1, 4. * n, "GB/s");
    }
  if (is_wanted (self, "rows of 16"))
    {
      g_autoptr(AccArray) rows = make_floats (n / 16, 16, 0, 1);

      measure (self, "rows of 16", "f4[:,:]", build_row_sums, NULL, &rows, 1, 4. * n + n / 4., "GB/s");
    }
  if (is_wanted (self, "transpose") || is_wanted (self, "stencil 3x3"))
    {
      g_autoptr(AccArray) picture = make_floats (side, side, 0, 1);

      measure (self, "transpose", "f4[:,:]", build_transpose, self, &picture, 1, 8. * side * side, "GB/s");
      measure (self, "stencil 3x3", "f4[:,:]", build_stencil, NULL, &picture, 1, 8. * side * side, "GB/s");
    }
  if (is_wanted (self, "Black-Scholes"))
    {
      g_autoptr(AccArray) price = make_floats (0, n / 4, 10, 50), strike = make_floats (0, n / 4, 10, 50),
        years = make_floats (0, n / 4, 0.2f, 2);

      measure (self, "Black-Scholes", "f4[:]", build_black_scholes, NULL, (AccArray *[]) { price, strike, years }, 3, 5. * n, "GB/s");
    }
  if (is_wanted (self, "n-body"))
    {
      AccArray *xyzm[4];

      for (guint k = 0; k < 4; k++)
        xyzm[k] = make_floats (0, bodies, 0, 1);
      measure (self, "n-body", "f4[:]", build_bodies, &bodies, xyzm, 4, 20. * bodies * bodies, "TFLOP/s");
      for (guint k = 0; k < 4; k++)
        g_object_unref (xyzm[k]);
    }
  if (is_wanted (self, "matmul"))
    {
      gint64 m = MIN (4096, side);
      g_autoptr(AccArray) a = make_floats (m, m, 0, 1), b = make_floats (m, m, -1, 1);

      measure (self, "matmul", "f4[:,:]", build_product, NULL, (AccArray *[]) { a, b }, 2, 2. * m * m * m, "TFLOP/s");
    }
  if (is_wanted (self, "FFT of rows"))
    {
      gint64 m = MIN (4096, side);
      g_autoptr(AccArray) rows = make_complex (n / 8 / m, m);
      g_autofree char *signature = g_strdup_printf ("c8[%" G_GINT64_FORMAT ",%" G_GINT64_FORMAT "]", n / 8 / m, m);

      measure (self, "FFT of rows", signature, build_spectra, NULL, &rows, 1, 2. * n, "GB/s");
    }
  if (is_wanted (self, "sort"))
    {
      g_autoptr(AccArray) numbers = make_numbers (n / 2);

      measure (self, "sort", "i4[:]", build_sorted, NULL, &numbers, 1, 4. * n, "GB/s");
    }
  if (is_wanted (self, "launch"))
    measure_launch (self);
  if (is_wanted (self, "transfers"))
    measure_transfers (self);
  if (is_wanted (self, "stream"))
    measure_stream (self);
}

int
main (int argc, char **argv)
{
  g_auto(GStrv) names = g_strsplit (argc > 1 ? argv[1] : "native", ",", -1);
  int log2_size = argc > 2 ? atoi (argv[2]) : 24;
  int status = 0;

  if (argc == 4 && strcmp (argv[1], "--first") == 0)
    return bench_first_main (argv[2], argv[3]);
  if (log2_size < 14 || log2_size > 32)
    {
      fprintf (stderr, "bench-device BACKEND[,BACKEND…] [LOG2_SIZE: 14 to 32 [WORK]]\n");
      return 2;
    }
  for (guint i = 0; names[i] != NULL; i++)
    {
      g_autoptr(GError) error = NULL;
      Bench self = {
        .name = names[i], .n = (gint64) 1 << log2_size, .side = (gint64) 1 << (log2_size / 2), .only = argc > 3 ? argv[3] : NULL,
      };

      if (self.only != NULL && g_str_has_prefix (self.only, "first"))
        {
          bench_first (argv[0], names[i], self.only[strlen ("first")] == ' ' ? self.only + strlen ("first ") : NULL);
          continue;
        }

      g_autofree char *name = g_strdup (names[i]);
      gboolean fast = g_str_has_suffix (name, "+fast");

      if (fast)
        name[strlen (name) - strlen ("+fast")] = '\0';
      self.backend = acc_backend_new_for_name (name, &error);
      if (self.backend == NULL)
        {
          fprintf (stderr, "%s: %s\n", names[i], error->message);
          status = 1;
          continue;
        }
      acc_backend_set_fast_math (self.backend, fast);
      run_all (&self);
      g_object_unref (self.backend);
    }

  return status;
}
