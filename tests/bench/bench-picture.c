/* SPDX-License-Identifier: LGPL-2.1-or-later */

/* Gaussian and Sobel on an 8-bit picture in memory, 8192² unless an argument says otherwise, against C fused by hand. */

#include "bench.h"
#include "peer-picture.h"

#include <acc/acc.h>
#include <stdlib.h>
#include <string.h>

typedef struct {
  long           side;
  uint8_t       *in, *out;
  AccBackend    *backend;
  AccArray      *image, *edges;
  uint8_t       *last;
} Picture;

#define N(dy, dx) acc_expr_neighbour2 (n, dy, dx)

static AccElementType *i2, *u2, *u1;

static AccExpr *
wide (AccExpr *x)
{
  return acc_expr_cast (x, i2);
}

static AccExpr *
binomial (AccExpr *a, AccExpr *b, AccExpr *c, AccExpr *d, AccExpr *e)
{
  AccExpr *outer = acc_expr_add (a, e);
  AccExpr *inner = acc_expr_mul (acc_expr_add (b, d), acc_expr_new_int (4));

  return acc_expr_add (acc_expr_add (outer, inner), acc_expr_mul (c, acc_expr_new_int (6)));
}

static AccExpr *
wide_at (AccExpr *n, int dy)
{
  return acc_expr_cast (N (dy, 0), u2);
}

static AccExpr *
down (AccExpr *n, gpointer data)
{
  return binomial (wide_at (n, -2), wide_at (n, -1), wide_at (n, 0), wide_at (n, 1), wide_at (n, 2));
}

static AccExpr *
across (AccExpr *n, gpointer data)
{
  AccExpr *sum = binomial (N (0, -2), N (0, -1), N (0, 0), N (0, 1), N (0, 2));

  return acc_expr_cast (acc_expr_shr (acc_expr_add (sum, acc_expr_new_int (128)), acc_expr_new_int (8)), u1);
}

static AccExpr *
weighted (AccExpr *a, AccExpr *b, AccExpr *c)
{
  return acc_expr_add (acc_expr_add (wide (a), acc_expr_mul (wide (b), acc_expr_new_int (2))), wide (c));
}

static AccExpr *
sobel (AccExpr *n, gpointer data)
{
  AccExpr *gx = acc_expr_sub (weighted (N (-1, 1), N (0, 1), N (1, 1)), weighted (N (-1, -1), N (0, -1), N (1, -1)));
  AccExpr *gy = acc_expr_sub (weighted (N (1, -1), N (1, 0), N (1, 1)), weighted (N (-1, -1), N (-1, 0), N (-1, 1)));

  return acc_expr_cast (acc_expr_min (acc_expr_add (acc_expr_abs (gx), acc_expr_abs (gy)), acc_expr_new_int (255)), u1);
}

static AccArray *
build (AccArray *image)
{
  const gint64 column[] = { 5, 1 }, row[] = { 1, 5 }, square[] = { 3, 3 };
  g_autoptr (AccBoundary) clamp = acc_boundary_new (ACC_BOUNDARY_CLAMP);
  g_autoptr (AccArray) a = acc_array_stencil (image, column, 2, clamp, down, NULL);
  g_autoptr (AccArray) b = acc_array_stencil (a, row, 2, clamp, across, NULL);

  return acc_array_stencil (b, square, 2, clamp, sobel, NULL);
}

static void
run_acc (gpointer data)
{
  Picture *p = data;
  g_autoptr (GError) error = NULL;
  g_autoptr (AccArray) result = acc_backend_run (p->backend, p->edges, NULL, &error);

  if (result == NULL)
    g_error ("%s", error->message);
  if (p->last != NULL)
    memcpy (p->last, (void *) (guintptr) acc_array_get_address (result, 0), p->side * p->side);
}

static void
run_c (gpointer data)
{
  Picture *p = data;

  peer_blur_sobel (p->in, p->out, p->side, p->side);
}

int
main (int argc, char **argv)
{
  Picture p = { .side = argc > 1 ? atol (argv[1]) : 8192 };
  gsize size = p.side * p.side;
  g_autoptr (GError) error = NULL;

  i2 = acc_element_type_new (ACC_KIND_I16);
  u2 = acc_element_type_new (ACC_KIND_U16);
  u1 = acc_element_type_new (ACC_KIND_U8);
  p.in = aligned_alloc (64, (size + 63) / 64 * 64);
  p.out = aligned_alloc (64, (size + 63) / 64 * 64);
  for (gsize i = 0; i < size; i++)
    p.in[i] = (i * 2654435761u) >> 24 & ((i >> 9) % 256);
  memset (p.out, 0, size);

  p.backend = acc_backend_get_default (&error);
  if (p.backend == NULL)
    g_error ("%s", error->message);
  acc_backend_set_memory_limit (p.backend, 0);
  g_autoptr (AccShape) shape = acc_shape_new_matrix (p.side, p.side);
  p.image = acc_array_use_address (u1, shape, (guintptr) p.in, size, NULL, NULL);
  p.edges = build (p.image);

  p.last = malloc (size);
  run_acc (&p);
  run_c (&p);
  if (memcmp (p.last, p.out, size) != 0)
    {
      g_printerr ("the results differ\n");
      return 1;
    }
  free (p.last);
  p.last = NULL;

  bench_begin ("pictures in memory");
  bench_compare ("Gaussian 5×5 + Sobel, u8", (BenchContender[]) { { "acc", run_acc, &p }, { "C fused by hand", run_c, &p } }, 2, 9, 2. * size);
  bench_end ();

  g_object_unref (p.edges);
  g_object_unref (p.image);
  free (p.in);
  free (p.out);
  return 0;
}
