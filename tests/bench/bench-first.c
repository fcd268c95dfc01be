/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "bench-first.h"

#include "tests/remove-tree.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#define N      100000
#define ROUNDS 3
#define AGAIN  20

static double
now (void)
{
  struct timespec t;

  clock_gettime (CLOCK_MONOTONIC, &t);

  return t.tv_sec + t.tv_nsec * 1e-9;
}

/* --- works, of 100 000 f4 */

static AccExpr *
number (double x)
{
  return acc_expr_new_typed_float (acc_element_type_new (ACC_KIND_F32), x);
}

static AccExpr *
square_and_add (AccExpr *x, gpointer data)
{
  return acc_expr_add (acc_expr_mul (x, x), number (1));
}

static AccExpr *
plus (AccExpr *x, AccExpr *y, gpointer data)
{
  return acc_expr_add (x, y);
}

static AccExpr *
mean3 (AccExpr *n, gpointer data)
{
  AccExpr *sum = acc_expr_neighbour (n, (gint64[]) { -1 }, 1);

  sum = acc_expr_add (sum, acc_expr_neighbour (n, (gint64[]) { 0 }, 1));

  return acc_expr_mul (acc_expr_add (sum, acc_expr_neighbour (n, (gint64[]) { 1 }, 1)), number (1 / 3.));
}

static AccExpr *
to_bin (AccExpr *x, gpointer data)
{
  return acc_expr_cast (acc_expr_mul (x, number (256)), acc_element_type_new (ACC_KIND_I64));
}

static AccExpr *
one (AccExpr *x, gpointer data)
{
  return acc_expr_new_typed_int (acc_element_type_new (ACC_KIND_I32), 1);
}

static AccArray *
build_map (AccArray *a)
{
  return acc_array_map (a, square_and_add, NULL);
}

static AccArray *
build_stencil (AccArray *a)
{
  g_autoptr(AccBoundary) clamp = acc_boundary_new (ACC_BOUNDARY_CLAMP);

  return acc_array_stencil (a, (gint64[]) { 3 }, 1, clamp, mean3, NULL);
}

static AccArray *
build_fold (AccArray *a)
{
  return acc_array_fold (a, number (0), plus, NULL);
}

static AccArray *
build_scan (AccArray *a)
{
  return acc_array_scanl1 (a, plus, NULL);
}

static AccArray *
build_histogram (AccArray *a)
{
  g_autoptr(AccShape) shape = acc_shape_new_vector (256);
  g_autoptr(AccArray) zeros = acc_array_fill (shape, acc_expr_new_typed_int (acc_element_type_new (ACC_KIND_I32), 0));
  g_autoptr(AccArray) targets = acc_array_map (a, to_bin, NULL);
  g_autoptr(AccArray) ones = acc_array_map (a, one, NULL);

  return acc_array_permute (ones, zeros, targets, plus, NULL);
}

static AccArray *
build_sort (AccArray *a)
{
  return acc_array_sort (a, FALSE);
}

typedef struct {
  const char *name;
  AccArray *(*build) (AccArray *a);
} Work;

static const Work works[] = {
  { "map", build_map }, { "stencil", build_stencil }, { "fold", build_fold }, { "scan", build_scan }, { "histogram", build_histogram },
  { "sort", build_sort },
};

static AccArray *
make_input (void)
{
  g_autoptr(AccShape) shape = acc_shape_new_vector (N);
  g_autoptr(GBytes) bytes = NULL;
  float *data = g_new (float, N);
  guint32 state = 12345;

  for (guint i = 0; i < N; i++)
    {
      state = state * 1664525 + 1013904223;
      data[i] = (float) (state >> 8) / 16777216.f;
    }
  bytes = g_bytes_new_take (data, N * sizeof *data);

  return acc_array_use (acc_element_type_new (ACC_KIND_F32), shape, bytes);
}

/* --- a process of its own */

/* Milliseconds. */
typedef struct {
  double opened;
  double first, emitted, driver, ready;  /* the run; what we, and the driver, took for each kernel, added up; until all were there */
  double second;                         /* the same graph, built anew */
  double again;                          /* the same program */
} Child;

#define N_TIMES (sizeof (Child) / sizeof (double))

static struct {
  GMutex lock;
  double start, emitted, compiled, ready;
} heard;

/* Of what ACC_DEBUG=cache tells. */
static GLogWriterOutput
hear (GLogLevelFlags level, const GLogField *fields, gsize n_fields, gpointer data)
{
  const char *message = NULL, *at;

  for (gsize i = 0; i < n_fields; i++)
    if (strcmp (fields[i].key, "MESSAGE") == 0)
      message = fields[i].value;
  if (message == NULL || !g_str_has_prefix (message, "kernel cache: "))
    return g_log_writer_default (level, fields, n_fields, data);

  if (g_getenv ("BENCH_REPORT") != NULL)
    fprintf (stderr, "%8.1f ms: %s\n", (now () - heard.start) * 1e3, message);
  at = strstr (message, " in ");
  if (at == NULL)
    return G_LOG_WRITER_HANDLED;
  g_mutex_lock (&heard.lock);
  if (strstr (message, ": emitted ") != NULL)
    heard.emitted += atof (at + 4);
  else if (strstr (message, ": compiled ") != NULL && strstr (message, "meanwhile") == NULL)
    heard.compiled += atof (at + 4);
  else if (strstr (message, " ready in ") != NULL)
    heard.ready += atof (at + 4);
  g_mutex_unlock (&heard.lock);

  return G_LOG_WRITER_HANDLED;
}

static AccExecutable *
compile (AccBackend *backend, const Work *work, AccArray *input)
{
  g_autoptr(GError) error = NULL;
  g_autoptr(AccArray) result = work->build (input);
  g_autoptr(AccProgram) program = acc_program_new_for_results (&result, 1);
  AccExecutable *executable = acc_backend_compile (backend, program, NULL, &error);

  if (executable == NULL)
    g_error ("%s", error->message);

  return executable;
}

static void
run (AccExecutable *executable)
{
  g_autoptr(GError) error = NULL;
  g_autoptr(GPtrArray) results = acc_executable_run (executable, NULL, 0, NULL, &error);
  g_autoptr(GBytes) bytes = results != NULL ? acc_array_dup_bytes (results->pdata[0], 0, &error) : NULL;

  if (bytes == NULL)
    g_error ("%s", error->message);
}

static double
time_anew (AccBackend *backend, const Work *work, AccArray *input)
{
  double start = now ();
  g_autoptr(AccExecutable) executable = compile (backend, work, input);

  run (executable);

  return (now () - start) * 1e3;
}

static int
compare (const void *a, const void *b)
{
  double x = *(const double *) a, y = *(const double *) b;

  return (x > y) - (x < y);
}

static double
median (double *times, guint n)
{
  qsort (times, n, sizeof *times, compare);

  return times[n / 2];
}

int
bench_first_main (const char *name, const char *work_name)
{
  g_autoptr(GError) error = NULL;
  g_autoptr(AccArray) input = make_input ();
  g_autoptr(AccBackend) backend = NULL;
  g_autoptr(AccExecutable) executable = NULL;
  const Work *work = works;
  double start = now (), times[AGAIN];
  Child self;

  while (strcmp (work->name, work_name) != 0)
    work++;
  g_log_set_writer_func (hear, NULL, NULL);
  backend = acc_backend_new_for_name (name, &error);
  if (backend == NULL)
    g_error ("%s", error->message);
  self.opened = (now () - start) * 1e3;
  heard.start = now ();
  self.first = time_anew (backend, work, input);
  g_mutex_lock (&heard.lock);
  self.emitted = heard.emitted;
  self.driver = MAX (heard.compiled - heard.emitted, 0);
  self.ready = heard.ready;
  g_mutex_unlock (&heard.lock);
  self.second = time_anew (backend, work, input);

  executable = compile (backend, work, input);
  for (guint i = 0; i < AGAIN; i++)
    {
      start = now ();
      run (executable);
      times[i] = (now () - start) * 1e3;
    }
  self.again = median (times, AGAIN);
  for (guint i = 0; i < N_TIMES; i++)
    printf ("%.6f ", ((double *) &self)[i]);

  return 0;
}

/* --- all of them */

/* With empty caches, those of drivers as well. */
static Child
spawn (const char *self, const char *backend, const char *work, const char *directory)
{
  const char *arguments[] = { self, "--first", backend, work, NULL };
  const char *variables[][2] = {
    { "ACC_CACHE_DIR", directory }, { "ACC_DEBUG", "cache" }, { "CUDA_CACHE_DISABLE", "1" }, { "__GL_SHADER_DISK_CACHE", "0" },
    { "MESA_SHADER_CACHE_DISABLE", "true" }, { "POCL_CACHE_DIR", directory },
  };
  g_auto(GStrv) environment = g_get_environ ();
  g_autoptr(GError) error = NULL;
  g_autofree char *output = NULL;
  Child child;
  char *at;
  int status;

  for (guint i = 0; i < G_N_ELEMENTS (variables); i++)
    environment = g_environ_setenv (environment, variables[i][0], variables[i][1], TRUE);
  if (!g_spawn_sync (NULL, (char **) arguments, environment, 0, NULL, NULL, &output, NULL, &status, &error)
      || !g_spawn_check_wait_status (status, &error))
    g_error ("%s %s: %s", backend, work, error->message);
  at = output;
  for (guint i = 0; i < N_TIMES; i++)
    ((double *) &child)[i] = strtod (at, &at);

  return child;
}

void
bench_first (const char *self, const char *backend, const char *only)
{
  printf ("# first runs of %d f4, ms: all; for its kernels, added up: ours, the driver's; until they were there; the rest; "
          "second, graph built anew; again, program kept; opening\n", N);
  for (guint w = 0; w < G_N_ELEMENTS (works); w++)
    {
      double times[N_TIMES][ROUNDS], m[N_TIMES];

      if (only != NULL && strstr (works[w].name, only) == NULL)
        continue;
      for (guint r = 0; r < ROUNDS; r++)
        {
          g_autofree char *directory = g_dir_make_tmp ("acc-bench-XXXXXX", NULL);
          Child child = spawn (self, backend, works[w].name, directory);

          for (guint i = 0; i < N_TIMES; i++)
            times[i][r] = ((double *) &child)[i];
          remove_tree (directory);
        }
      for (guint i = 0; i < N_TIMES; i++)
        m[i] = median (times[i], ROUNDS);
      printf ("first %s\t%s\t%.2f\t%.2f\t%.2f\t%.2f\t%.2f\t%.3f\t%.3f\t%.0f\n", works[w].name, backend, m[1], m[2], m[3], m[4], m[1] - m[4],
              m[5], m[6], m[0]);
      fflush (stdout);
    }
}
