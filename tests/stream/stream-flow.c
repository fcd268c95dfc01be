/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "stream-flow.h"

#include "stream-files.h"

#include "acc-core/backend/acc-backend-private.h"

#include <string.h>

static AccElementType *
type_of (const char *code)
{
  return acc_element_type_parse (code, NULL);
}

static AccArray *
unit (gint64 value)
{
  return acc_array_unit (acc_expr_new_typed_int (type_of ("i8"), value));
}

static AccExpr *
count (AccExpr *x, gpointer data)
{
  return acc_expr_add (x, acc_expr_new_int (1));
}

AccExpr *
flow_affine (AccExpr *x, gpointer data)
{
  return acc_expr_add (acc_expr_mul (x, acc_expr_new_int (3)), acc_expr_new_int (1));
}

AccExpr *
flow_plus (AccExpr *x, AccExpr *y, gpointer data)
{
  return acc_expr_add (x, y);
}

AccExpr *
flow_mix (AccExpr *x, AccExpr *y, gpointer data)
{
  return acc_expr_sub (acc_expr_mul (x, acc_expr_new_int (5)), y);
}

static AccExpr *
is_below (AccExpr *x, gpointer limit)
{
  return acc_expr_lt (x, acc_expr_new_int (GPOINTER_TO_INT (limit)));
}

static AccExpr *
below (AccExpr *n, gpointer data)
{
  return acc_expr_add (acc_expr_neighbour2 (n, 0, 0), acc_expr_mul (acc_expr_neighbour2 (n, 1, 0), acc_expr_new_int (7)));
}

static AccArray *
with_next_row (AccArray *array)
{
  g_autoptr(AccBoundary) boundary = acc_boundary_new (ACC_BOUNDARY_CLAMP);

  return acc_array_stencil (array, (gint64[]) { 3, 1 }, 2, boundary, below, NULL);
}

/* --- loops */

static AccArray *
has_rounds_left (AccArray **state, guint n, gpointer rounds)
{
  return acc_array_map (state[0], is_below, rounds);
}

/* Reads another array in every round. */
static GPtrArray *
step (AccArray **state, guint n, gpointer outside)
{
  GPtrArray *next = g_ptr_array_new_with_free_func (g_object_unref);
  g_autoptr(AccArray) taller = with_next_row (state[1]);

  g_ptr_array_add (next, acc_array_map (state[0], count, NULL));
  g_ptr_array_add (next, acc_array_zip_with (taller, outside, flow_mix, NULL));

  return next;
}

/* The array after @rounds rounds. */
static AccArray *
loop_by (AccArraysFunc step_function, AccArray *array, AccArray *outside, gint rounds)
{
  const char *signatures[] = { "i8", "i4[:,:]", NULL };
  g_autoptr(AccArray) zero = unit (0);
  g_autoptr(AccProgram) condition = acc_program_new (signatures, has_rounds_left, GINT_TO_POINTER (rounds));
  g_autoptr(AccProgram) body = acc_program_new_many (signatures, step_function, outside);
  g_autoptr(GPtrArray) results = acc_array_while_loop_many ((AccArray *[]) { zero, array }, 2, condition, body);

  return g_object_ref (g_ptr_array_index (results, 1));
}

static AccArray *
loop (AccArray *array, AccArray *outside, gint rounds)
{
  return loop_by (step, array, outside, rounds);
}

guint
flow_build_loop (AccArray **sources, AccArray **r)
{
  g_autoptr(AccArray) scaled = acc_array_map (sources[0], flow_affine, NULL);
  g_autoptr(AccArray) some = loop (scaled, sources[0], 3);
  g_autoptr(AccArray) none = loop (sources[0], scaled, 0);

  /* With rows of the source beside them, a reduction, and what nothing streams through. */
  r[0] = acc_array_zip_with (some, sources[0], flow_mix, NULL);
  r[1] = acc_array_fold_all (none, acc_expr_new_int (3), flow_plus, NULL);
  r[2] = g_object_ref (some);
  r[3] = with_next_row (none);

  return 4;
}

/* --- choices */

static AccArray *
is_sum_below (AccArray *array, gint limit)
{
  g_autoptr(AccArray) sum = acc_array_fold_all (array, acc_expr_new_int (5), flow_plus, NULL);

  return acc_array_map (sum, is_below, GINT_TO_POINTER (limit));
}

guint
flow_build_choice (AccArray **sources, AccArray **r)
{
  g_autoptr(AccArray) scaled = acc_array_map (sources[0], flow_affine, NULL);
  g_autoptr(AccArray) never = is_sum_below (sources[0], G_MININT32), perhaps = is_sum_below (sources[0], 1000);
  g_autoptr(AccArray) no = acc_array_unit (acc_expr_new_bool (FALSE));
  /* No rows of a source go through these, and nobody takes them. */
  g_autoptr(AccArray) turned = acc_array_transpose (sources[0]), endless = loop (turned, turned, G_MAXINT32);
  g_autoptr(AccArray) first = acc_array_cond (perhaps, scaled, sources[0]), last = acc_array_cond (no, endless, first);

  r[0] = with_next_row (first);
  r[1] = acc_array_cond (never, turned, scaled);
  r[2] = acc_array_zip_with (last, sources[0], flow_mix, NULL);
  r[3] = acc_array_cond (never, never, perhaps);

  return 4;
}

/* --- one in the other, and read by functions */

static AccExpr *
add_corner (AccExpr *x, gpointer table)
{
  AccExpr *zero = acc_expr_new_typed_int (type_of ("i8"), 0);

  return acc_expr_add (acc_expr_mul (x, acc_expr_new_int (2)), acc_expr_index (table, acc_expr_tuple2 (zero, zero)));
}

/* Twice, where there is a corner. */
static AccExpr *
add_first (AccExpr *x, gpointer table)
{
  AccExpr *any = acc_expr_gt (acc_expr_mul (acc_expr_extent (table, 0), acc_expr_extent (table, 1)), acc_expr_new_int (0));

  return acc_expr_cond (any, acc_expr_iterate (acc_expr_new_int (2), x, add_corner, table), x);
}

static AccExpr *
outside (AccExpr *index, gpointer table)
{
  return acc_expr_cast (acc_expr_add (acc_expr_extent (table, 1), acc_expr_item (index, 0)), type_of ("i4"));
}

static AccArray *
with_outside (AccArray *array, AccArray *table)
{
  g_autoptr(AccBoundary) boundary = acc_boundary_new_function (2, outside, table);

  return acc_array_stencil (array, (gint64[]) { 3, 1 }, 2, boundary, below, NULL);
}

/* A loop in each round. */
static GPtrArray *
step_with_loop (AccArray **state, guint n, gpointer outside)
{
  GPtrArray *next = g_ptr_array_new_with_free_func (g_object_unref);
  g_autoptr(AccArray) more = loop (state[1], outside, 2);

  g_ptr_array_add (next, acc_array_map (state[0], count, NULL));
  g_ptr_array_add (next, acc_array_map (more, add_first, outside));

  return next;
}

guint
flow_build_nested (AccArray **sources, AccArray **r)
{
  g_autoptr(AccArray) inner = loop (sources[0], sources[0], 2), small = is_sum_below (inner, 77);
  g_autoptr(AccArray) either = acc_array_cond (small, sources[0], inner), outer = loop (either, inner, 2);

  r[0] = acc_array_map (sources[0], add_first, outer);
  r[1] = with_outside (sources[0], either);
  r[2] = loop (r[1], outer, 1);
  r[3] = loop_by (step_with_loop, either, sources[0], 2);

  return 4;
}

/* --- foreign operations, which fall back */

static AccArray *
turn_twice (AccArray **arrays, guint n, gpointer table)
{
  g_autoptr(AccArray) once = acc_array_transpose (arrays[0]), turned = acc_array_transpose (once);

  return acc_array_map (turned, add_first, table);
}

guint
flow_build_foreign (AccArray **sources, AccArray **r)
{
  g_autoptr(AccArray) scaled = acc_array_map (sources[0], flow_affine, NULL);
  g_autoptr(AccProgram) fallback = acc_program_new ((const char *[]) { "i4[:,:]", NULL }, turn_twice, scaled);
  g_autoptr(AccArray) called = acc_array_foreign ("test-turn-twice", (AccArray *[]) { sources[0] }, 1, fallback);

  r[0] = acc_array_zip_with (called, sources[0], flow_mix, NULL);
  r[1] = acc_array_sum (called);

  return 2;
}

/* --- extents that are known when it runs, and not by rows and columns */

static AccArray *
with_column (AccArray **state, guint n, gpointer data)
{
  return acc_array_concat (state[0], state[0]);
}

static AccExpr *
is_narrow (AccExpr *index, gpointer array)
{
  AccExpr *width = acc_expr_extent (array, 2);

  return acc_expr_land (acc_expr_gt (width, acc_expr_new_int (0)), acc_expr_lt (width, acc_expr_new_int (7)));
}

static AccArray *
has_few_columns (AccArray **state, guint n, gpointer data)
{
  g_autoptr(AccShape) one = acc_shape_new_scalar ();

  return acc_array_generate (one, is_narrow, state[0]);
}

guint
flow_build_cubes (AccArray **sources, AccArray **r)
{
  const char *signatures[] = { "i4[:,:,:]", NULL };
  g_autoptr(AccProgram) condition = acc_program_new (signatures, has_few_columns, NULL);
  g_autoptr(AccProgram) body = acc_program_new (signatures, with_column, NULL);
  g_autoptr(AccArray) wide = acc_array_while_loop (sources[0], condition, body);
  g_autoptr(AccArray) back = acc_array_take (wide, 3), sums = acc_array_sum (wide);

  r[0] = acc_array_zip_with (back, sources[0], flow_mix, NULL);
  r[1] = g_object_ref (wide);
  r[2] = acc_array_map (sums, flow_affine, NULL);

  return 3;
}

/* --- memory */

/* The state of the loop, eight megabytes, goes from store to store. */
static void
check_looped (AccBackend *backend, AccArray *all, AccArray *result, AccArray *expected, TestSink *sink, const GError *error)
{
  g_autoptr(GError) local = NULL;

  g_assert_no_error (error);
  for (gint64 i = 0; i < 2000000; i += 999)
    g_assert_cmpint (acc_array_get_int (result, 0, i), ==, acc_array_get_int (expected, 0, i));
  g_assert_true (acc_backend_write (backend, all, ACC_SINK (sink), NULL, &local));
  g_assert_no_error (local);
  g_assert_cmpint (sink->n_committed, ==, 1);
}

void
flow_check_memory (AccBackend *backend)
{
  AccBudget *budget = acc_backend_get_budget (backend);
  guint64 limit = acc_backend_get_memory_limit (backend), before;
  g_autoptr(TestSource) source = test_source_new ("i4", (gint64[]) { 2000, 1000 }, 2, 1);
  g_autoptr(AccArray) rows = acc_array_new_from_source (ACC_SOURCE (source)), all = loop (rows, rows, 2);
  g_autoptr(AccArray) sums = acc_array_sum (rows), matrix = acc_array_replicate (sums, (gint64[]) { ACC_ALL, 2 }, 2),
    of_few = loop (matrix, matrix, 2);
  g_autoptr(AccArray) both = acc_array_add (of_few, of_few), expected = NULL, result = NULL;
  g_autoptr(GError) error = NULL;
  AccArray *wanted[] = { both, of_few };
  g_autoptr(GPtrArray) results = NULL;
  g_autoptr(TestSink) sink = test_sink_new ();

  g_autoptr(AccPlan) plan = acc_backend_plan (backend, all, NULL, 0, &error);

  /* A plan reads nothing. */
  g_assert_no_error (error);
  g_assert_nonnull (plan);
  g_assert_cmpint (source->n_started, ==, 0);

  expected = acc_backend_run (backend, all, NULL, &error);
  g_assert_no_error (error);
  acc_budget_spare (budget, G_MAXINT64);
  before = acc_budget_get_used (budget);
  acc_backend_set_memory_limit (backend, before + 3000000);

  acc_budget_reset_high_water (budget);
  result = acc_backend_run (backend, all, NULL, &error);
  check_looped (backend, all, result, expected, sink, error);
  g_assert_cmpuint (acc_budget_get_high_water (budget), <=, before + 3000000);
  acc_budget_spare (budget, G_MAXINT64);
  g_assert_cmpuint (acc_budget_get_used (budget), <=, before);

  /* Sums have room; the source is read once for whatever is made of it. */
  acc_budget_reset_high_water (budget);
  source->n_started = 0;
  results = acc_backend_run_many (backend, wanted, 2, NULL, &error);
  g_assert_no_error (error);
  g_assert_cmpint (source->n_started, ==, 1);
  g_assert_cmpuint (acc_budget_get_high_water (budget), <=, before + 3000000);
  acc_backend_set_memory_limit (backend, limit);
  for (gint64 i = 0; i < 4000; i++)
    g_assert_cmpint (acc_array_get_int (g_ptr_array_index (results, 0), 0, i), ==,
                     (gint32) (2 * (guint32) acc_array_get_int (g_ptr_array_index (results, 1), 0, i)));
}
