/* SPDX-License-Identifier: LGPL-2.1-or-later */

/* Works that single passes of the compiler are for; run-table.py --without measures them beside those of the table. */

#include "acc-works.h"

/* --- indices that wrap once in a row */

static AccArray *
build_centre (AccArray **a, guint n, gpointer data)
{
  return acc_array_fftshift (a[0]);
}

static gpointer
prepare_centre (gsize side)
{
  AccWork *self = acc_work_new ();

  acc_work_add_matrix (self, "f4", contender_floats (side * side, 1, 0, 1), side, side);

  return acc_work_compile (self, build_centre, NULL);
}

/* --- sixteen colours */

static AccExpr *
low_bits (AccExpr *x, gpointer data)
{
  return acc_expr_cast (acc_expr_band (x, acc_expr_new_typed_int (acc_element_type_new (ACC_KIND_U8), 15)),
                        acc_element_type_new (ACC_KIND_I32));
}

static AccArray *
build_palette (AccArray **a, guint n, gpointer data)
{
  g_autoptr(AccArray) indices = acc_array_map (a[1], low_bits, NULL);

  return acc_array_gather (a[0], indices);
}

static gpointer
prepare_palette (gsize n)
{
  AccWork *self = acc_work_new ();

  acc_work_add_vector (self, "f4", contender_floats (16, 1, 0, 1), 16);
  acc_work_add_vector (self, "u1", contender_bytes (n, 2), n);

  return acc_work_compile (self, build_palette, NULL);
}

/* --- steps that do not need each other, each too short for all threads */

#define N_PARTS 16

static GPtrArray *
build_parts (AccArray **a, guint n, gpointer data)
{
  GPtrArray *results = g_ptr_array_new_with_free_func (g_object_unref);

  for (guint i = 0; i < N_PARTS; i++)
    {
      g_autoptr(AccArray) scaled = acc_array_mul (a[0], a[i % 2]);

      for (guint k = 0; k < i; k++)
        {
          AccArray *more = acc_array_mul (scaled, a[k % 2]);

          g_object_unref (scaled);
          scaled = more;
        }
      g_ptr_array_add (results, acc_array_cumsum (scaled));
    }

  return results;
}

static gpointer
prepare_parts (gsize n)
{
  AccWork *self = acc_work_new ();

  acc_work_add_vector (self, "f4", contender_floats (n, 1, 0, 1), n);
  acc_work_add_vector (self, "f4", contender_floats (n, 2, 0, 1), n);

  return acc_work_compile_many (self, build_parts, NULL);
}

/* --- programs that nobody compiled before: of sines, whose reduction of large angles is long and seldom runs */

#define N_FUNCTIONS 5

typedef struct {
  AccWork *work;
  guint    number;   /* of the program, in base 4 the functions in it */
} Sines;

static AccExpr *
chain (AccExpr *x, gpointer data)
{
  for (guint i = 0, number = *(guint *) data; i < N_FUNCTIONS; i++, number /= 4)
    x = number % 4 == 0 ? acc_expr_sin (x) : number % 4 == 1 ? acc_expr_cos (x) : number % 4 == 2 ? acc_expr_tan (x) : acc_expr_mul (x, x);

  return x;
}

static AccArray *
build_sines (AccArray **a, guint n, gpointer data)
{
  return acc_array_map (a[0], chain, data);
}

static gpointer
prepare_sines (gsize n)
{
  Sines *self = g_new0 (Sines, 1);

  self->work = acc_work_new ();
  acc_work_add_vector (self->work, "f8", contender_memory (n * sizeof (double)), n);

  return self;
}

static void
run_sines (gpointer data)
{
  Sines *self = data;

  g_clear_object (&self->work->executable);
  self->number++;
  acc_work_compile (self->work, build_sines, &self->number);
  acc_work_run (self->work);
}

static double
check_sines (gpointer data)
{
  return 0;
}

static void
free_sines (gpointer data)
{
  Sines *self = data;

  acc_work_free (self->work);
  g_free (self);
}

const Work acc_passes[] = {
  { "centre",  prepare_centre,  acc_work_run, acc_work_check, acc_work_free },
  { "palette", prepare_palette, acc_work_run, acc_work_check, acc_work_free },
  { "parts",   prepare_parts,   acc_work_run, acc_work_check, acc_work_free },
  { "sines",   prepare_sines,   run_sines,    check_sines,    free_sines },
  { 0 },
};
