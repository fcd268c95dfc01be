/* SPDX-License-Identifier: LGPL-2.1-or-later */

/* NAS MG: the iterations of class A, by the program of demos/nas-mg; a size is the side of the cube. */

#include "acc-works.h"
#include "multigrid.h"

#include <math.h>

typedef struct {
  MultigridClass class;
  AccExecutable *cycle;
  AccArray      *charges, *zeros;
  double         norm;
} Multigrid;

static AccArray *
compute (AccBackend *backend, AccArray *delayed)
{
  g_autoptr(GError) error = NULL;
  AccArray *array = acc_backend_run (backend, delayed, NULL, &error);

  if (array == NULL)
    g_error ("%s", error->message);
  g_object_unref (delayed);
  return array;
}

static gpointer
prepare (gsize side)
{
  Multigrid *m = g_new0 (Multigrid, 1);
  g_autofree char *grid = g_strdup_printf ("f8[%zu,%zu,%zu]", side, side, side);
  const char *signatures[] = { grid, grid, grid, NULL };
  g_autoptr(GError) error = NULL;
  g_autoptr(AccShape) shape = multigrid_cube (side);
  AccBackend *backend = acc_backend_get_default (&error);

  if (backend == NULL)
    g_error ("%s", error->message);
  acc_backend_set_memory_limit (backend, 0);

  m->class = *multigrid_find_class ("A");
  m->class.side = side;
  g_autoptr(AccProgram) program = acc_program_new_many (signatures, multigrid_cycle, &m->class);
  m->cycle = acc_backend_compile (backend, program, NULL, &error);
  if (m->cycle == NULL)
    g_error ("%s", error->message);
  m->charges = compute (backend, multigrid_charges (side));
  m->zeros = compute (backend, acc_array_fill (shape, acc_expr_new_float (0)));
  return m;
}

static void
run (gpointer data)
{
  Multigrid *m = data;
  /* Nothing is solved yet: the first residual is all charges. */
  g_autoptr(AccArray) u = g_object_ref (m->zeros), r = g_object_ref (m->charges);

  for (int i = 0; i < m->class.n_iterations; i++)
    {
      g_autoptr(GError) error = NULL;
      g_autoptr(GPtrArray) next = acc_executable_run (m->cycle, (AccArray *[]) { u, r, m->charges }, 3, NULL, &error);

      if (next == NULL)
        g_error ("%s", error->message);
      g_set_object (&u, next->pdata[0]);
      g_set_object (&r, next->pdata[1]);
      m->norm = sqrt (acc_array_get_double (next->pdata[2], 0, 0) / pow (m->class.side, 3));
    }
}

static double
check (gpointer data)
{
  return ((Multigrid *) data)->norm;
}

static void
multigrid_free (gpointer data)
{
  Multigrid *m = data;

  g_object_unref (m->cycle);
  g_object_unref (m->charges);
  g_object_unref (m->zeros);
  g_free (m);
}

const Work acc_multigrid[] = {
  { "nas-mg", prepare, run, check, multigrid_free },
  { NULL },
};
