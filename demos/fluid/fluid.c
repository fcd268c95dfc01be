/* SPDX-License-Identifier: LGPL-2.1-or-later */

/* fluid [OPTION…] [OUTPUT.png]: two streams that roll up where they meet. Stam, Stable Fluids (1999), on a torus: the
 * velocity diffuses, is made free of sources, carries itself along, and carries dye. */

#include "fluid.h"

#include <acc/acc.h>
#include <locale.h>
#include <math.h>

#define N(dy, dx) acc_expr_neighbour2 (n, dy, dx)

static AccArray *
stencil (AccArray *field, AccExprFunc function)
{
  const gint64 sizes[] = { 3, 3 };
  g_autoptr(AccBoundary) torus = acc_boundary_new (ACC_BOUNDARY_WRAP);

  return acc_array_stencil (field, sizes, 2, torus, function, NULL);
}

/* Solves centre · x - neighbours · (sum of the four neighbours of x) = b after Jacobi */
typedef struct {
  AccArray *b;
  double    neighbours, centre;
  int       rounds;
} System;

static AccExpr *
four_neighbours (AccExpr *n, gpointer data)
{
  return acc_expr_add (acc_expr_add (N (-1, 0), N (1, 0)), acc_expr_add (N (0, -1), N (0, 1)));
}

static AccExpr *
jacobi (AccExpr *b, AccExpr *sum, gpointer data)
{
  const System *system = data;

  return acc_expr_fdiv (acc_expr_add (b, acc_expr_mul (sum, acc_expr_new_float (system->neighbours))),
                        acc_expr_new_float (system->centre));
}

static AccExpr *
next_round (AccExpr *round, gpointer data)
{
  return acc_expr_add (round, acc_expr_new_int (1));
}

static AccExpr *
is_early (AccExpr *round, gpointer data)
{
  const System *system = data;

  return acc_expr_lt (round, acc_expr_new_int (system->rounds));
}

static AccArray *
has_more_rounds (AccArray **state, guint n_state, gpointer system)
{
  return acc_array_map (state[1], is_early, system);
}

static GPtrArray *
improve (AccArray **state, guint n_state, gpointer data)
{
  System *system = data;
  g_autoptr(AccArray) sums = stencil (state[0], four_neighbours);
  GPtrArray *next = g_ptr_array_new_with_free_func (g_object_unref);

  g_ptr_array_add (next, acc_array_zip_with (system->b, sums, jacobi, system));
  g_ptr_array_add (next, acc_array_map (state[1], next_round, NULL));
  return next;
}

static AccArray *
solve (AccArray *start, System system)
{
  const char *signatures[] = { "f4[:,:]", "i8", NULL };
  g_autoptr(AccProgram) condition = acc_program_new (signatures, has_more_rounds, &system);
  g_autoptr(AccProgram) step = acc_program_new_many (signatures, improve, &system);
  g_autoptr(AccArray) round = acc_array_unit (acc_expr_new_int (0));
  AccArray *initial[] = { start, round };
  g_autoptr(GPtrArray) last = acc_array_while_loop_many (initial, 2, condition, step);

  return g_object_ref (last->pdata[0]);
}

static AccArray *
diffuse (AccArray *field)
{
  return solve (field, (System) { field, TIME_STEP * VISCOSITY, 1 + 4 * TIME_STEP * VISCOSITY, DIFFUSION_ROUNDS });
}

static AccExpr *
slope_x (AccExpr *n, gpointer data)
{
  return acc_expr_mul (acc_expr_sub (N (0, 1), N (0, -1)), acc_expr_new_float (0.5));
}

static AccExpr *
slope_y (AccExpr *n, gpointer data)
{
  return acc_expr_mul (acc_expr_sub (N (1, 0), N (-1, 0)), acc_expr_new_float (0.5));
}

/* Takes from the velocity what makes the fluid denser or thinner: the slope of a pressure. */
static void
project (AccArray **u, AccArray **v)
{
  g_autoptr(AccArray) along_x = stencil (*u, slope_x);
  g_autoptr(AccArray) along_y = stencil (*v, slope_y);
  g_autoptr(AccArray) source = acc_array_add (along_x, along_y);
  g_autoptr(AccArray) sink = acc_array_neg (source);
  g_autoptr(AccArray) none = acc_array_fill_expr (acc_expr_shape (*u),
                                                  acc_expr_new_typed_float (acc_element_type_new (ACC_KIND_F32), 0));
  g_autoptr(AccArray) pressure = solve (none, (System) { sink, 1, 4, PRESSURE_ROUNDS });
  g_autoptr(AccArray) push_x = stencil (pressure, slope_x);
  g_autoptr(AccArray) push_y = stencil (pressure, slope_y);
  g_autoptr(AccArray) old_u = *u;
  g_autoptr(AccArray) old_v = *v;

  *u = acc_array_sub (old_u, push_x);
  *v = acc_array_sub (old_v, push_y);
}

static AccExpr *
mix (AccExpr *a, AccExpr *b, AccExpr *part)
{
  return acc_expr_add (acc_expr_mul (acc_expr_sub (acc_expr_new_float (1), part), a), acc_expr_mul (part, b));
}

/* Where the fluid at @index came from, along one dimension */
static AccExpr *
origin (AccExpr *place, AccExpr *speed)
{
  return acc_expr_sub (acc_expr_cast (place, acc_element_type_new (ACC_KIND_F32)),
                       acc_expr_mul (speed, acc_expr_new_float (TIME_STEP)));
}

static AccExpr *
on_torus (AccArray *field, AccExpr *row, AccExpr *column)
{
  return acc_expr_index (field, acc_expr_tuple2 (acc_expr_mod (row, acc_expr_extent (field, 0)),
                                                 acc_expr_mod (column, acc_expr_extent (field, 1))));
}

/* What the field had there, between the four cells around */
static AccExpr *
carry (AccExpr *index, AccExpr *u, AccExpr *v, gpointer field)
{
  AccElementType *i64 = acc_element_type_new (ACC_KIND_I64);
  g_autoptr(AccExpr) y = acc_expr_ref_sink (origin (acc_expr_item (index, 0), v));
  g_autoptr(AccExpr) x = acc_expr_ref_sink (origin (acc_expr_item (index, 1), u));
  g_autoptr(AccExpr) floor_y = acc_expr_ref_sink (acc_expr_floor (y));
  g_autoptr(AccExpr) floor_x = acc_expr_ref_sink (acc_expr_floor (x));
  g_autoptr(AccExpr) down = acc_expr_ref_sink (acc_expr_sub (y, acc_expr_cast (floor_y, acc_expr_get_element_type (y))));
  g_autoptr(AccExpr) right = acc_expr_ref_sink (acc_expr_sub (x, acc_expr_cast (floor_x, acc_expr_get_element_type (x))));
  g_autoptr(AccExpr) top = acc_expr_ref_sink (acc_expr_cast (floor_y, i64));
  g_autoptr(AccExpr) left = acc_expr_ref_sink (acc_expr_cast (floor_x, i64));
  g_autoptr(AccExpr) bottom = acc_expr_ref_sink (acc_expr_add (top, acc_expr_new_int (1)));
  g_autoptr(AccExpr) beside = acc_expr_ref_sink (acc_expr_add (left, acc_expr_new_int (1)));

  return mix (mix (on_torus (field, top, left), on_torus (field, top, beside), right),
              mix (on_torus (field, bottom, left), on_torus (field, bottom, beside), right), down);
}

static AccArray *
advect (AccArray *field, AccArray *u, AccArray *v)
{
  return acc_array_izip_with (u, v, carry, field);
}

static GPtrArray *
step (AccArray **fields, guint n_fields, gpointer data)
{
  AccArray *u = diffuse (fields[U]), *v = diffuse (fields[V]);
  GPtrArray *next = g_ptr_array_new_with_free_func (g_object_unref);

  project (&u, &v);

  AccArray *next_u = advect (u, u, v), *next_v = advect (v, u, v);

  g_object_unref (u);
  g_object_unref (v);
  project (&next_u, &next_v);

  g_autoptr(AccArray) dye = diffuse (fields[DYE]);

  g_ptr_array_add (next, next_u);
  g_ptr_array_add (next, next_v);
  g_ptr_array_add (next, advect (dye, next_u, next_v));
  return next;
}

/* A dyed stream to the right in the middle, the rest to the left, and waves across so that they begin to roll up */
static void
begin (float *fields[N_FIELDS], int n)
{
  for (int i = 0; i < n; i++)
    for (int j = 0; j < n; j++)
      {
        double y = (i + 0.5) / n, x = (j + 0.5) / n;
        double middle = 0.5 * (tanh ((y - 0.25) * n / 2) - tanh ((y - 0.75) * n / 2));

        fields[U][i * n + j] = 4 * middle - 2;
        fields[V][i * n + j] = 0.2 * sin (8 * G_PI * x);
        fields[DYE][i * n + j] = middle;
      }
}

/* Compares with what plain loops gave, and the dye with what there was at first. */
static gboolean
check (float *plain[N_FIELDS], double dye_before, AccArray **fields, int n, GError **error)
{
  const char *names[N_FIELDS] = { "u", "v", "dye" };
  double dye = 0, least = INFINITY, most = -INFINITY;

  for (int f = 0; f < N_FIELDS; f++)
    {
      double difference = 0;

      for (int i = 0; i < n * n; i++)
        {
          double one = fabs (acc_array_get_double (fields[f], 0, i) - plain[f][i]);

          difference = one <= difference ? difference : one;     /* so that a NaN is kept, too */
        }

      g_print ("%s: largest difference to plain loops %.2g\n", names[f], difference);
      if (!(difference < 1e-3))
        {
          g_set_error (error, ACC_ERROR, ACC_ERROR_IO, "%s is wrong", names[f]);
          return FALSE;
        }
    }

  for (int i = 0; i < n * n; i++)
    {
      double one = acc_array_get_double (fields[DYE], 0, i);

      dye += one;
      least = MIN (least, one);
      most = MAX (most, one);
    }

  g_print ("dye: %.1f, at first %.1f; from %g to %g\n", dye, dye_before, least, most);
  if (fabs (dye - dye_before) > 0.01 * dye_before || least < -1e-5 || most > 1 + 1e-5)
    {
      g_set_error (error, ACC_ERROR, ACC_ERROR_IO, "dye was lost or made");
      return FALSE;
    }

  return TRUE;
}

static AccExpr *
grey (AccExpr *x, gpointer data)
{
  return acc_expr_cast (acc_expr_round (acc_expr_mul (x, acc_expr_new_float (255))), acc_element_type_new (ACC_KIND_U8));
}

static gboolean
write_picture (AccBackend *backend, AccArray *dye, const char *to, GError **error)
{
  g_autoptr(GFile) output = g_file_new_for_commandline_arg (to);
  g_autoptr(AccArray) picture = acc_array_map (dye, grey, NULL);
  g_autoptr(AccSink) sink = acc_sink_create (output, NULL, error);

  return sink != NULL && acc_backend_write (backend, picture, sink, NULL, error);
}

static gboolean
run (int n, int n_steps, const char *to, gboolean checked, GError **error)
{
  g_autofree char *grid = g_strdup_printf ("f4[%d,%d]", n, n);
  const char *signatures[] = { grid, grid, grid, NULL };
  AccBackend *backend = acc_backend_get_default (error);
  if (backend == NULL)
    return FALSE;

  g_autoptr(AccProgram) program = acc_program_new_many (signatures, step, NULL);
  g_autoptr(AccExecutable) executable = acc_backend_compile (backend, program, NULL, error);
  if (executable == NULL)
    return FALSE;

  gsize size = (gsize) n * n * sizeof (float);
  g_autofree float *memory = g_malloc (N_FIELDS * size);
  float *plain[N_FIELDS];
  g_autoptr(AccShape) shape = acc_shape_new_matrix (n, n);
  g_autoptr(GPtrArray) fields = g_ptr_array_new_with_free_func (g_object_unref);
  double dye = 0;

  for (int f = 0; f < N_FIELDS; f++)
    plain[f] = memory + (gsize) f * n * n;

  begin (plain, n);
  for (int f = 0; f < N_FIELDS; f++)
    {
      g_autoptr(GBytes) bytes = g_bytes_new (plain[f], size);

      g_ptr_array_add (fields, acc_array_use (acc_element_type_new (ACC_KIND_F32), shape, bytes));
    }

  for (int i = 0; i < n * n; i++)
    dye += plain[DYE][i];

  gint64 started = g_get_monotonic_time ();
  for (int i = 0; i < n_steps; i++)
    {
      GPtrArray *next = acc_executable_run (executable, (AccArray **) fields->pdata, N_FIELDS, NULL, error);
      if (next == NULL)
        return FALSE;

      g_ptr_array_unref (fields);
      fields = next;
    }

  g_print ("%d × %d cells, %d steps: %.2f s on %s\n", n, n, n_steps, (g_get_monotonic_time () - started) / 1e6,
           acc_backend_get_name (backend));

  if (to != NULL && !write_picture (backend, fields->pdata[DYE], to, error))
    return FALSE;

  if (!checked)
    return TRUE;

  for (int i = 0; i < n_steps; i++)
    fluid_step_plain (plain, n);
  return check (plain, dye, (AccArray **) fields->pdata, n, error);
}

int
main (int argc, char **argv)
{
  int n = 192, n_steps = 80;
  gboolean checked = FALSE;
  const GOptionEntry entries[] = {
    { "size", 'n', 0, G_OPTION_ARG_INT, &n, "Cells along each side (192)", "N" },
    { "steps", 's', 0, G_OPTION_ARG_INT, &n_steps, "Steps (80)", "N" },
    { "check", 'c', 0, G_OPTION_ARG_NONE, &checked, "Compare with plain loops", NULL },
    { NULL }
  };
  g_autoptr(GError) error = NULL;
  g_autoptr(GOptionContext) context = g_option_context_new ("[OUTPUT.png] - two streams that roll up where they meet");

  setlocale (LC_ALL, "");
  g_option_context_add_main_entries (context, entries, NULL);
  if (!g_option_context_parse (context, &argc, &argv, &error) || argc > 2 || n < 1 || n > 16384 || n_steps < 0)
    {
      g_printerr ("%s\n", error ? error->message : "at most one output, and 1 to 16384 cells; see --help");
      return 2;
    }

  if (!run (n, n_steps, argc > 1 ? argv[1] : NULL, checked, &error))
    {
      g_printerr ("fluid: %s\n", error->message);
      return 1;
    }

  return 0;
}
