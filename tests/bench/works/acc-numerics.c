/* SPDX-License-Identifier: LGPL-2.1-or-later */

/* Programs of demos/ that are one program each. */

#include "acc-works.h"
#include "attention.h"
#include "hull.h"
#include "inputs.h"
#include "pull.h"
#include "steps.h"
#include "value.h"

/* Elements of the first result */
static const float *
floats (AccWork *self, guint buffer)
{
  return (gconstpointer) (guintptr) acc_array_get_address (g_ptr_array_index (self->results, 0), buffer);
}

static AccExpr *
triple (AccExpr *x, AccExpr *y, AccExpr *z, gpointer data)
{
  return acc_expr_tuple3 (x, y, z);
}

/* The size of the first result */
static gsize
size (AccWork *self)
{
  return acc_shape_get_size (acc_array_get_shape (g_ptr_array_index (self->results, 0)));
}

/* --- Black-Scholes */

static AccArray *
build_options (AccArray **a, guint n, gpointer data)
{
  const Market market = { .rate = OPTIONS_RATE, .volatility = OPTIONS_VOLATILITY };
  g_autoptr(AccArray) options = acc_array_zip_with3 (a[0], a[1], a[2], triple, NULL);

  return options_value (options, &market);
}

static gpointer
prepare_options (gsize n)
{
  AccWork *self = acc_work_new ();

  acc_work_add_vector (self, "f4", contender_floats (n, 1, 5, 30), n);
  acc_work_add_vector (self, "f4", contender_floats (n, 2, 1, 100), n);
  acc_work_add_vector (self, "f4", contender_floats (n, 3, 0.25, 10), n);
  return acc_work_compile (self, build_options, NULL);
}

static double
check_options (gpointer self)
{
  return acc_work_digest (self, 0, 0) + acc_work_digest (self, 0, 1);
}

/* --- mandelbrot */

static AccArray *
build_mandelbrot (AccArray **a, guint n, gpointer data)
{
  const gsize *side = data;
  const View view = {
    .height = *side, .width = *side, .limit = MANDELBROT_LIMIT,
    .left = MANDELBROT_LEFT, .top = MANDELBROT_TOP, .pixel = MANDELBROT_ACROSS / *side,
  };

  return mandelbrot_steps (&view);
}

static gpointer
prepare_mandelbrot (gsize side)
{
  return acc_work_compile (acc_work_new (), build_mandelbrot, &side);
}

static double
check_mandelbrot (gpointer self)
{
  return contender_digest_u4 ((const guint32 *) floats (self, 0), size (self));
}

/* --- n-body */

AccArray *
acc_bodies_get_positions (AccArray **a)
{
  return acc_array_zip_with3 (a[0], a[1], a[2], triple, NULL);
}

static AccArray *
build_bodies (AccArray **a, guint n, gpointer data)
{
  g_autoptr(AccArray) positions = acc_bodies_get_positions (a);

  return bodies_get_pull (positions, a[3]);
}

AccWork *
acc_bodies_new (gsize n)
{
  AccWork *self = acc_work_new ();

  for (guint d = 0; d < 3; d++)
    acc_work_add_vector (self, "f4", contender_floats (n, d + 1, -1, 1), n);
  acc_work_add_vector (self, "f4", contender_floats (n, 4, 0.5 / n, 1.5 / n), n);
  return self;
}

static gpointer
prepare_bodies (gsize n)
{
  return acc_work_compile (acc_bodies_new (n), build_bodies, NULL);
}

double
acc_bodies_check (gpointer self)
{
  const float *pulls[] = { floats (self, 0), floats (self, 1), floats (self, 2) };

  return input_digest_squares (pulls, 3, size (self));
}

/* --- attention */

static AccArray *
build_attention (AccArray **a, guint n, gpointer data)
{
  Attention attention = { a[0], a[1], a[2], ATTENTION_DEPTH, 512 };

  return attention_attend (&attention);
}

static gpointer
prepare_attention (gsize n)
{
  const float most[] = { 8, 1, 1 };
  AccWork *self = acc_work_new ();

  for (guint i = 0; i < 3; i++)
    {
      acc_work_add_matrix (self, "f4", contender_floats (n * ATTENTION_DEPTH, i + 1, -most[i], most[i]), n, ATTENTION_DEPTH);
      /* The state of the loop has the extents of the queries: they are known when the program is built. */
      g_free (self->signatures[i]);
      self->signatures[i] = g_strdup_printf ("f4[%zu,%d]", n, ATTENTION_DEPTH);
    }
  return acc_work_compile (self, build_attention, NULL);
}

static double
check_attention (gpointer self)
{
  const float *output = floats (self, 0);

  return input_digest_squares (&output, 1, size (self));
}

/* --- quickhull */

static AccExpr *
pair (AccExpr *x, AccExpr *y, gpointer data)
{
  return acc_expr_tuple2 (x, y);
}

static AccArray *
build_hull (AccArray **a, guint n, gpointer data)
{
  g_autoptr(AccArray) points = acc_array_zip_with (a[0], a[1], pair, NULL);

  return convex_hull (points);
}

static gpointer
prepare_hull (gsize n)
{
  AccWork *self = acc_work_new ();
  g_autofree float *points = input_disc (n);
  float *x = contender_memory (n * sizeof *x), *y = contender_memory (n * sizeof *y);

  for (gsize i = 0; i < n; i++)
    {
      x[i] = points[2 * i];
      y[i] = points[2 * i + 1];
    }
  acc_work_add_vector (self, "f4", x, n);
  acc_work_add_vector (self, "f4", y, n);
  return acc_work_compile (self, build_hull, NULL);
}

static double
check_hull (gpointer self)
{
  const float *x = floats (self, 0), *y = floats (self, 1);
  gsize n = size (self);
  double area = 0;

  for (gsize i = 0; i < n; i++)
    area += (double) x[(i + 1) % n] * y[i] - (double) x[i] * y[(i + 1) % n];
  return area / 2;
}

const Work acc_numerics_plain[] = {
  { "seq-n-body", prepare_bodies, acc_work_run, acc_bodies_check, acc_work_free },
  { NULL },
};

const Work acc_numerics[] = {
  { "black-scholes", prepare_options, acc_work_run, check_options, acc_work_free },
  { "mandelbrot", prepare_mandelbrot, acc_work_run, check_mandelbrot, acc_work_free },
  { "n-body", prepare_bodies, acc_work_run, acc_bodies_check, acc_work_free },
  { "attention", prepare_attention, acc_work_run, check_attention, acc_work_free },
  { "quickhull", prepare_hull, acc_work_run, check_hull, acc_work_free },
  { NULL },
};
