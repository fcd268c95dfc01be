/* SPDX-License-Identifier: LGPL-2.1-or-later */

/* n-body [OPTION…] [N]: N bodies pull at each other. A step is a program of two results, compiled once and run for every
 * step; within it all pairs are a matrix that is never stored, folded along its rows. */

#include "pull.h"
#include "n-body.h"

#include <locale.h>
#include <math.h>
#include <string.h>

#define VECTOR "(f8,f8,f8)"

/* Positions and velocities a time later, by the leapfrog: half a way, all of the pull, the other half */
static GPtrArray *
step (AccArray **arrays, guint n_arrays, gpointer data)
{
  double *dt = data, half = *dt / 2;
  AccArray *positions = arrays[0], *velocities = arrays[1], *masses = arrays[2];
  GPtrArray *results = g_ptr_array_new_with_free_func (g_object_unref);
  g_autoptr(AccArray) middle = acc_array_zip_with (positions, velocities, vectors_plus_scaled, &half);
  g_autoptr(AccArray) pulled = bodies_get_pull (middle, masses);
  AccArray *faster = acc_array_zip_with (velocities, pulled, vectors_plus_scaled, dt);

  g_ptr_array_add (results, acc_array_zip_with (middle, faster, vectors_plus_scaled, &half));
  g_ptr_array_add (results, faster);
  return results;
}

/* A cloud of the mass 1 in all, which turns around its third axis */
static Bodies
bodies_new (int n, guint32 seed)
{
  Bodies bodies = { .n = n, .mass = g_new (double, n) };
  g_autoptr(GRand) rand = g_rand_new_with_seed (seed);

  for (int d = 0; d < 3; d++)
    {
      bodies.position[d] = g_new (double, n);
      bodies.velocity[d] = g_new (double, n);
    }

  for (int i = 0; i < n; i++)
    {
      for (int d = 0; d < 3; d++)
        bodies.position[d][i] = g_rand_double_range (rand, -1, 1);
      bodies.velocity[0][i] = -bodies.position[1][i] / 2;
      bodies.velocity[1][i] = bodies.position[0][i] / 2;
      bodies.velocity[2][i] = 0;
      bodies.mass[i] = 1. / n;
    }

  return bodies;
}

static void
bodies_clear (Bodies *bodies)
{
  for (int d = 0; d < 3; d++)
    {
      g_free (bodies->position[d]);
      g_free (bodies->velocity[d]);
    }
  g_free (bodies->mass);
}

static AccArray *
use_vectors (const char *code, double *const *leaves, guint n_leaves, int n)
{
  g_autoptr(AccShape) shape = acc_shape_new_vector (n);
  g_autoptr(GPtrArray) bytes = g_ptr_array_new_with_free_func ((GDestroyNotify) g_bytes_unref);

  for (guint i = 0; i < n_leaves; i++)
    g_ptr_array_add (bytes, g_bytes_new (leaves[i], n * sizeof (double)));
  return acc_array_use_buffers (acc_element_type_parse (code, NULL), shape, (GBytes **) bytes->pdata, n_leaves);
}

static void
read_vectors (AccArray *vectors, double *const *leaves, int n)
{
  for (guint d = 0; d < 3; d++)
    for (int i = 0; i < n; i++)
      leaves[d][i] = acc_array_get_double (vectors, d, i);
}

/* The largest difference of two clouds, or infinity where something is not a number */
static double
bodies_compare (const Bodies *a, const Bodies *b)
{
  double worst = 0;

  for (int d = 0; d < 3; d++)
    for (int i = 0; i < a->n; i++)
      {
        double off = fmax (fabs (a->position[d][i] - b->position[d][i]), fabs (a->velocity[d][i] - b->velocity[d][i]));
        gboolean number = !isnan (a->position[d][i] + a->velocity[d][i]);

        worst = number ? fmax (worst, off) : INFINITY;
      }

  return worst;
}

static gboolean
check (Bodies *bodies, Bodies *plain, double drift, double dt, int n_steps, GError **error)
{
  for (int i = 0; i < n_steps; i++)
    bodies_step_plain (plain, dt);

  double off = bodies_compare (bodies, plain);

  g_print ("largest difference to plain loops: %.1e\n", off);
  if (off <= 1e-10 && fabs (drift) <= 1e-4)
    return TRUE;

  g_set_error (error, ACC_ERROR, ACC_ERROR_ARITHMETIC, "the bodies went astray");
  return FALSE;
}

static gboolean
run (Bodies *bodies, Bodies *plain, double dt, int n_steps, GError **error)
{
  const char *const parameters[] = { VECTOR "[:]", VECTOR "[:]", "f8[:]", NULL };
  g_autoptr(AccProgram) program = acc_program_new_many (parameters, step, &dt);
  AccBackend *backend = acc_backend_get_default (error);
  if (backend == NULL)
    return FALSE;

  g_autoptr(AccExecutable) executable = acc_backend_compile (backend, program, NULL, error);
  if (executable == NULL)
    return FALSE;

  g_autoptr(AccArray) masses = use_vectors ("f8", &bodies->mass, 1, bodies->n);
  g_autoptr(AccArray) positions = use_vectors (VECTOR, bodies->position, 3, bodies->n);
  g_autoptr(AccArray) velocities = use_vectors (VECTOR, bodies->velocity, 3, bodies->n);
  double energy = bodies_get_energy (bodies), drift = 0;
  gint64 elapsed = 0;

  g_print ("    time        energy    drift\n%8.3f %13.9f\n", 0., energy);
  for (int i = 1; i <= n_steps; i++)
    {
      AccArray *arguments[] = { positions, velocities, masses };
      gint64 started = g_get_monotonic_time ();
      g_autoptr(GPtrArray) results = acc_executable_run (executable, arguments, 3, NULL, error);
      if (results == NULL)
        return FALSE;

      elapsed += g_get_monotonic_time () - started;
      g_set_object (&positions, results->pdata[0]);
      g_set_object (&velocities, results->pdata[1]);

      if (i % MAX (n_steps / 10, 1) == 0 || i == n_steps)
        {
          read_vectors (positions, bodies->position, bodies->n);
          read_vectors (velocities, bodies->velocity, bodies->n);
          drift = bodies_get_energy (bodies) / energy - 1;
          g_print ("%8.3f %13.9f %8.1e\n", i * dt, energy * (1 + drift), drift);
        }
    }

  g_print ("%d bodies, %d steps: %.1f ms on %s\n", bodies->n, n_steps, elapsed / 1e3, acc_backend_get_name (backend));
  return plain == NULL || check (bodies, plain, drift, dt, n_steps, error);
}

int
main (int argc, char **argv)
{
  int n_steps = 100, seed = 1;
  double dt = 0.01;
  gboolean checked = FALSE;
  const GOptionEntry entries[] = {
    { "steps", 's', 0, G_OPTION_ARG_INT, &n_steps, "Steps (100)", "N" },
    { "time", 't', 0, G_OPTION_ARG_DOUBLE, &dt, "Time of a step (0.01)", "TIME" },
    { "seed", 'r', 0, G_OPTION_ARG_INT, &seed, "Which bodies (1)", "N" },
    { "check", 'c', 0, G_OPTION_ARG_NONE, &checked, "Compare with plain loops; the energy, too, must last", NULL },
    { NULL }
  };
  g_autoptr(GError) error = NULL;
  g_autoptr(GOptionContext) context = g_option_context_new ("[N] - let N bodies pull at each other, 1000 unless given");
  gint64 n = 1000;

  setlocale (LC_ALL, "");
  g_option_context_add_main_entries (context, entries, NULL);
  if (!g_option_context_parse (context, &argc, &argv, &error) || argc > 2 || n_steps < 0 ||
      (argc == 2 && !g_ascii_string_to_signed (argv[1], 10, 1, 1000000, &n, &error)))
    {
      g_printerr ("%s\n", error ? error->message : "at most one number, and no negative steps; see --help");
      return 2;
    }

  Bodies bodies = bodies_new (n, seed), plain = bodies_new (n, seed);
  gboolean good = run (&bodies, checked ? &plain : NULL, dt, n_steps, &error);

  if (!good)
    g_printerr ("n-body: %s\n", error->message);
  bodies_clear (&bodies);
  bodies_clear (&plain);
  return good ? 0 : 1;
}
