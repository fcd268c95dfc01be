/* SPDX-License-Identifier: LGPL-2.1-or-later */

/* saxpy and dot product on 2^26 floats, against C with OpenMP. An argument gives another power of two. */

#include "bench.h"

#include <acc/acc.h>
#include <stdlib.h>

typedef struct {
  gsize          n;
  float         *x, *y, *z;
  float          dot;
  AccBackend    *backend;
  AccExecutable *saxpy, *dotp;
  AccArray      *arguments[2];
} Vectors;

static AccExpr *
axpy (AccExpr *x, AccExpr *y, gpointer data)
{
  return acc_expr_add (acc_expr_mul (acc_expr_new_float (2.5), x), y);
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

static AccArray *
build_saxpy (AccArray **arrays, guint n, gpointer data)
{
  return acc_array_zip_with (arrays[0], arrays[1], axpy, NULL);
}

static AccArray *
build_dot (AccArray **arrays, guint n, gpointer data)
{
  g_autoptr (AccArray) products = acc_array_zip_with (arrays[0], arrays[1], times, NULL);

  return acc_array_fold (products, acc_expr_new_float (0), plus, NULL);
}

static void
acc_run (AccExecutable *executable, Vectors *v)
{
  g_autoptr (GError) error = NULL;
  g_autoptr (GPtrArray) results = acc_executable_run (executable, v->arguments, 2, NULL, &error);

  if (results == NULL)
    g_error ("%s", error->message);
}

static void
saxpy_acc (gpointer data)
{
  acc_run (((Vectors *) data)->saxpy, data);
}

static void
dot_acc (gpointer data)
{
  acc_run (((Vectors *) data)->dotp, data);
}

static void
saxpy_c (gpointer data)
{
  Vectors *v = data;
  float *restrict x = v->x, *restrict y = v->y, *restrict z = v->z;

#pragma omp parallel for simd schedule(static)
  for (gsize i = 0; i < v->n; i++)
    z[i] = 2.5f * x[i] + y[i];
}

static void
dot_c (gpointer data)
{
  Vectors *v = data;
  float sum = 0;

#pragma omp parallel for simd reduction(+ : sum) schedule(static)
  for (gsize i = 0; i < v->n; i++)
    sum += v->x[i] * v->y[i];
  v->dot = sum;
}

static AccExecutable *
compile (AccBackend *backend, AccArrayFunc build)
{
  const char *signatures[] = { "f4[:]", "f4[:]", NULL };
  g_autoptr (GError) error = NULL;
  g_autoptr (AccProgram) program = acc_program_new (signatures, build, NULL);
  AccExecutable *executable = acc_backend_compile (backend, program, NULL, &error);

  if (executable == NULL)
    g_error ("%s", error->message);
  return executable;
}

int
main (int argc, char **argv)
{
  Vectors v = { .n = (gsize) 1 << (argc > 1 ? atoi (argv[1]) : 26) };
  gsize size = v.n * sizeof (float);
  g_autoptr (GError) error = NULL;

  v.x = aligned_alloc (64, size);
  v.y = aligned_alloc (64, size);
  v.z = aligned_alloc (64, size);
  for (gsize i = 0; i < v.n; i++)
    v.x[i] = i % 100, v.y[i] = i % 7, v.z[i] = 0;

  v.backend = acc_backend_get_default (&error);
  if (v.backend == NULL)
    g_error ("%s", error->message);
  acc_backend_set_memory_limit (v.backend, 0);
  g_autoptr (AccShape) shape = acc_shape_new_vector (v.n);
  AccElementType *f4 = acc_element_type_new (ACC_KIND_F32);
  v.arguments[0] = acc_array_use_address (f4, shape, (guintptr) v.x, size, NULL, NULL);
  v.arguments[1] = acc_array_use_address (f4, shape, (guintptr) v.y, size, NULL, NULL);
  v.saxpy = compile (v.backend, build_saxpy);
  v.dotp = compile (v.backend, build_dot);

  bench_begin ("vectors");
  bench_compare ("saxpy", (BenchContender[]) { { "acc", saxpy_acc, &v }, { "C with OpenMP", saxpy_c, &v } }, 2, 9, 12. * v.n);
  bench_compare ("dot", (BenchContender[]) { { "acc", dot_acc, &v }, { "C with OpenMP", dot_c, &v } }, 2, 9, 8. * v.n);
  bench_end ();

  g_object_unref (v.saxpy);
  g_object_unref (v.dotp);
  g_object_unref (v.arguments[0]);
  g_object_unref (v.arguments[1]);
  free (v.x);
  free (v.y);
  free (v.z);
  return 0;
}
