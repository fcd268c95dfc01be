/* SPDX-License-Identifier: LGPL-2.1-or-later */

/* nas-mg [CLASS]: the multigrid benchmark MG of the NAS Parallel Benchmarks (Bailey et al., RNR-94-007): V cycles for
 * the Poisson equation in a periodic cube whose charges are ten +1 and ten -1. Verified against the published norms. */

#include "multigrid.h"

#include <locale.h>
#include <math.h>

static gboolean
run (const MultigridClass *class, double *norm, GError **error)
{
  g_autofree char *grid = g_strdup_printf ("f8[%d,%d,%d]", class->side, class->side, class->side);
  const char *signatures[] = { grid, grid, grid, NULL };
  AccBackend *backend = acc_backend_get_default (error);
  if (backend == NULL)
    return FALSE;

  g_autoptr(AccProgram) program = acc_program_new_many (signatures, multigrid_cycle, (gpointer) class);
  g_autoptr(AccExecutable) cycle = acc_backend_compile (backend, program, NULL, error);
  if (cycle == NULL)
    return FALSE;

  g_autoptr(AccArray) delayed_v = multigrid_charges (class->side);
  g_autoptr(AccArray) v = acc_backend_run (backend, delayed_v, NULL, error);
  if (v == NULL)
    return FALSE;

  g_autoptr(AccShape) shape = multigrid_cube (class->side);
  g_autoptr(AccArray) zeros = acc_array_fill (shape, acc_expr_new_float (0));
  g_autoptr(AccArray) u = acc_backend_run (backend, zeros, NULL, error);
  if (u == NULL)
    return FALSE;

  /* Nothing is solved yet: the first residual is all charges. */
  g_autoptr(AccArray) r = g_object_ref (v);
  double size = pow (class->side, 3);

  /* As the benchmark's rules have it, a first cycle goes untimed. */
  g_autoptr(GPtrArray) warm_up = acc_executable_run (cycle, (AccArray *[]) { u, r, v }, 3, NULL, error);
  if (warm_up == NULL)
    return FALSE;

  gint64 started = g_get_monotonic_time ();

  g_print ("iteration  L2 norm of the residual\n");
  for (int i = 1; i <= class->n_iterations; i++)
    {
      AccArray *state[] = { u, r, v };
      g_autoptr(GPtrArray) next = acc_executable_run (cycle, state, 3, NULL, error);
      if (next == NULL)
        return FALSE;

      g_set_object (&u, next->pdata[0]);
      g_set_object (&r, next->pdata[1]);
      *norm = sqrt (acc_array_get_double (next->pdata[2], 0, 0) / size);
      g_print ("%9d  %.13e\n", i, *norm);
    }

  double seconds = (g_get_monotonic_time () - started) / 1e6;
  g_print ("class %s, %d³ points, on %s: %.3f s, %.0f Mop/s\n", class->name, class->side, acc_backend_get_name (backend),
           seconds, 58 * class->n_iterations * size / seconds / 1e6);
  return TRUE;
}

int
main (int argc, char **argv)
{
  const char *name = argc > 1 ? argv[1] : "S";
  const MultigridClass *class = multigrid_find_class (name);
  double norm = NAN;
  g_autoptr(GError) error = NULL;

  setlocale (LC_ALL, "");

  if (class == NULL || argc > 2)
    {
      g_printerr ("usage: %s [S|W|A|B|C]\n", argv[0]);
      return 2;
    }

  if (!run (class, &norm, &error))
    {
      g_printerr ("nas-mg: %s\n", error->message);
      return 1;
    }

  gboolean verified = fabs (norm - class->norm) <= 1e-8 * class->norm;
  g_print ("published norm %.13e: %s\n", class->norm, verified ? "verified" : "NOT verified");
  return verified ? 0 : 1;
}
