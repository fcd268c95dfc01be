/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include <acc/acc.h>

#include <string.h>

#include "acc-backends/fuse/acc-function-facts.h"
#include "acc-backends/schedule/acc-schedule.h"
#include "acc-backends/ir/acc-kernel-private.h"

/* What fusion makes of graphs: steps, kernels, spaces, rows. Whether they compute the right thing is tested elsewhere. */

/* --- a source without data */

typedef AccSource      EmptySource;
typedef AccSourceClass EmptySourceClass;

GType empty_source_get_type (void);
G_DEFINE_TYPE (EmptySource, empty_source, ACC_TYPE_SOURCE)

static void
empty_source_class_init (EmptySourceClass *klass)
{
}

static void
empty_source_init (EmptySource *self)
{
}

static AccArray *
new_picture (AccElementKind kind,
             const gint64  *extents,
             guint          rank,
             gboolean       sourced)
{
  g_autoptr(AccShape) shape = acc_shape_new (extents, rank);
  AccElementType *type = acc_element_type_new (kind);

  if (sourced)
    {
      g_autoptr(AccSource) source = g_object_new (empty_source_get_type (), NULL);

      acc_source_set_layout (source, type, shape);
      return acc_array_new_from_source (source);
    }
  else
    {
      gsize size = acc_shape_get_size (shape) * acc_element_kind_get_size (kind);
      g_autoptr(GBytes) bytes = g_bytes_new_take (g_malloc0 (size + 1), size);

      return acc_array_use (type, shape, bytes);
    }
}

static AccSchedule *
plan (AccArray **results,
      guint      n_results)
{
  g_autoptr(GError) error = NULL;
  AccSchedule *schedule = acc_schedule_new (&acc_target_cpu, NULL, results, n_results, NULL, NULL, 0, &error);

  g_assert_no_error (error);

  return schedule;
}

static AccSchedule *
plan1 (AccArray *result)
{
  return plan (&result, 1);
}

static void
assert_reads (AccScheduleStep *step,
              gint64           above,
              gint64           below)
{
  g_assert_cmpint (step->n_reads, ==, 1);
  g_assert_cmpint (step->row_reads[0].above, ==, above);
  g_assert_cmpint (step->row_reads[0].below, ==, below);
  g_assert_null (step->row_error);
}

/* --- functions */

static AccElementType *
f4 (void)
{
  return acc_element_type_new (ACC_KIND_F32);
}

static AccExpr *
to_float (AccExpr *x, gpointer data)
{
  return acc_expr_cast (x, f4 ());
}

static AccExpr *
scale (AccExpr *x, gpointer data)
{
  return acc_expr_add (acc_expr_mul (x, acc_expr_new_float (*(double *) data)), acc_expr_new_float (3.5));
}

static AccExpr *
costly (AccExpr *x, gpointer data)
{
  return acc_expr_exp (acc_expr_sin (x));
}

static AccExpr *
add (AccExpr *x, AccExpr *y, gpointer data)
{
  return acc_expr_add (x, y);
}

static AccExpr *
mul (AccExpr *x, AccExpr *y, gpointer data)
{
  return acc_expr_mul (x, y);
}

static AccExpr *
luma (AccExpr *r, AccExpr *g, AccExpr *b, gpointer data)
{
  return acc_expr_add (acc_expr_add (acc_expr_mul (to_float (r, NULL), acc_expr_new_float (0.299)),
                                     acc_expr_mul (to_float (g, NULL), acc_expr_new_float (0.587))),
                       acc_expr_mul (to_float (b, NULL), acc_expr_new_float (0.114)));
}

static AccExpr *
corner (AccExpr *n, gpointer data)
{
  const gint64 first[] = { -1, -1, 0 }, last[] = { 1, 1, 0 };
  guint rank = GPOINTER_TO_UINT (data);

  return acc_expr_sub (acc_expr_neighbour (n, last, rank), acc_expr_neighbour (n, first, rank));
}

static AccExpr *
far_corner (AccExpr *n, gpointer data)
{
  const gint64 first[] = { -2, -2, 0 }, last[] = { 2, 2, 0 };
  guint rank = GPOINTER_TO_UINT (data);

  return acc_expr_add (acc_expr_neighbour (n, last, rank), acc_expr_neighbour (n, first, rank));
}

static AccExpr *
transposed (AccExpr *index, gpointer data)
{
  return acc_expr_tuple2 (acc_expr_item (index, 1), acc_expr_item (index, 0));
}

static AccExpr *
next_row (AccExpr *index, gpointer data)
{
  return acc_expr_tuple2 (acc_expr_add (acc_expr_item (index, 0), acc_expr_new_int (1)), acc_expr_item (index, 1));
}

static AccArray *
grey_of (AccArray *picture)
{
  g_autoptr(AccArray) r = acc_array_slice (picture, (gint64[]) { ACC_ALL, ACC_ALL, 0 }, 3);
  g_autoptr(AccArray) g = acc_array_slice (picture, (gint64[]) { ACC_ALL, ACC_ALL, 1 }, 3);
  g_autoptr(AccArray) b = acc_array_slice (picture, (gint64[]) { ACC_ALL, ACC_ALL, 2 }, 3);

  return acc_array_zip_with3 (r, g, b, luma, NULL);
}

static AccArray *
stencil_of (AccArray       *array,
            gint64          size,
            AccBoundaryKind kind,
            AccExprFunc     function)
{
  g_autoptr(AccBoundary) boundary = acc_boundary_new (kind);
  const gint64 sizes[] = { size, size, 1 };
  guint rank = acc_array_get_rank (array);

  return acc_array_stencil (array, sizes, rank, boundary, function, GUINT_TO_POINTER (rank));
}

/* --- tests */

static void
test_element_wise (void)
{
  double factor = 1.7;
  g_autoptr(AccArray) x = new_picture (ACC_KIND_F32, (gint64[]) { 100, 200 }, 2, FALSE);
  g_autoptr(AccArray) a = acc_array_map (x, scale, &factor);
  g_autoptr(AccArray) b = acc_array_map (a, costly, NULL);
  g_autoptr(AccArray) c = acc_array_zip_with (b, a, add, NULL);
  g_autoptr(AccSchedule) schedule = plan1 (c);
  AccLaunch *launch = &schedule->steps[0].launches[0];

  g_assert_cmpint (schedule->n_steps, ==, 1);
  g_assert_cmpint (schedule->steps[0].n_launches, ==, 1);
  g_assert_cmpint (launch->outer, ==, 1);
  g_assert_cmpint (launch->inner, ==, 20000);
  g_assert_cmpint (launch->rows, ==, ACC_SPACE_INNER_ROWS);
  g_assert_cmpint (launch->units_per_row, ==, 200);
  g_assert_cmpint (schedule->steps[0].n_rows, ==, 100);
  assert_reads (&schedule->steps[0], 0, 0);
}

static AccExpr *
sum_of_nine (AccExpr *a, AccExpr *b, AccExpr *c, AccExpr *d, AccExpr *e, AccExpr *f, AccExpr *g, AccExpr *h, AccExpr *i, gpointer data)
{
  return acc_expr_add (acc_expr_add (acc_expr_add (a, b), acc_expr_add (c, d)),
                       acc_expr_add (acc_expr_add (e, f), acc_expr_add (g, acc_expr_add (h, i))));
}

static AccExpr *
sum_at (AccExpr *index, AccExpr *a, AccExpr *b, AccExpr *c, gpointer data)
{
  return acc_expr_add (acc_expr_cast (acc_expr_item (index, 0), acc_element_type_new (ACC_KIND_F32)),
                       acc_expr_add (a, acc_expr_add (b, c)));
}

/* No memory for tuples, however the extents differ. */
static void
test_many_arrays (void)
{
  g_autoptr(AccArray) x = new_picture (ACC_KIND_F32, (gint64[]) { 100, 200 }, 2, FALSE);
  g_autoptr(AccArray) y = new_picture (ACC_KIND_F32, (gint64[]) { 90, 210 }, 2, FALSE);
  g_autoptr(AccArray) nine = acc_array_zip_with9 (x, y, x, y, x, y, x, y, x, sum_of_nine, NULL);
  g_autoptr(AccArray) indexed = acc_array_izip_with3 (x, y, x, sum_at, NULL);
  g_autoptr(AccSchedule) plain = plan1 (nine), with_index = plan1 (indexed);

  g_assert_cmpint (plain->n_steps, ==, 1);
  g_assert_cmpint (plain->steps[0].n_rows, ==, 90);
  g_assert_cmpint (with_index->n_steps, ==, 1);
}

/* Nothing is fused over a compute, and nothing is copied for it. */
static void
test_barrier (void)
{
  double factor = 1.7;
  g_autoptr(AccArray) x = new_picture (ACC_KIND_F32, (gint64[]) { 100, 200 }, 2, FALSE);
  g_autoptr(AccArray) a = acc_array_map (x, scale, &factor), stored = acc_array_compute (a), b = acc_array_map (stored, costly, NULL);
  g_autoptr(AccArray) twice = acc_array_compute (stored), flat = acc_array_flatten (twice), c = acc_array_map (flat, costly, NULL),
    given = acc_array_compute (x);
  g_autoptr(AccSchedule) two = plan1 (b), views = plan1 (c), alone = plan1 (twice), nothing = plan1 (given);

  g_assert_cmpint (two->n_steps, ==, 2);
  g_assert_cmpint (views->n_steps, ==, 2);
  g_assert_cmpint (alone->n_steps, ==, 1);
  g_assert_cmpint (nothing->n_steps, ==, 0);
}

/* Values of literals and extents are no part of a kernel. */
static void
test_one_kernel_for_all_sizes (void)
{
  const gint64 extents[][2] = { { 100, 201 }, { 333, 57 } };
  double factors[] = { 1.7, -99 };
  char *hashes[2];

  for (guint i = 0; i < 2; i++)
    {
      g_autoptr(AccArray) x = new_picture (ACC_KIND_F32, extents[i], 2, FALSE);
      g_autoptr(AccArray) a = acc_array_map (x, scale, &factors[i]);
      g_autoptr(AccArray) s = stencil_of (a, 3, ACC_BOUNDARY_CLAMP, corner);
      g_autoptr(AccSchedule) schedule = plan1 (s);

      g_assert_cmpint (schedule->n_steps, ==, 1);
      hashes[i] = g_strdup (acc_kernel_get_hash (schedule->steps[0].launches[0].kernel));
    }
  g_assert_cmpstr (hashes[0], ==, hashes[1]);
  g_free (hashes[0]);
  g_free (hashes[1]);
}

static void
test_edges (void)
{
  g_autoptr(AccArray) picture = new_picture (ACC_KIND_U8, (gint64[]) { 300, 400, 3 }, 3, TRUE);
  g_autoptr(AccArray) grey = grey_of (picture);
  g_autoptr(AccArray) blur = stencil_of (grey, 5, ACC_BOUNDARY_CLAMP, far_corner);
  g_autoptr(AccArray) gx = stencil_of (blur, 3, ACC_BOUNDARY_CLAMP, corner);
  g_autoptr(AccArray) gy = stencil_of (blur, 3, ACC_BOUNDARY_MIRROR, corner);
  g_autoptr(AccArray) magnitude = acc_array_zip_with (gx, gy, mul, NULL);
  g_autoptr(AccArray) thin = stencil_of (magnitude, 3, ACC_BOUNDARY_CLAMP, corner);
  g_autoptr(AccSchedule) schedule = plan1 (thin);

  /* Grey is computed again for both neighbours that the blur reads, of the 25 that it might. */
  g_assert_cmpint (schedule->n_steps, ==, 3);
  assert_reads (&schedule->steps[0], 2, 2);
  g_assert_cmpint (schedule->steps[0].launches[0].rows, ==, ACC_SPACE_OUTER_ROWS);
  /* Both directions and their magnitude in one kernel. */
  assert_reads (&schedule->steps[1], 1, 1);
  g_assert_cmpint (schedule->steps[1].n_launches, ==, 1);
  assert_reads (&schedule->steps[2], 1, 1);
}

static void
test_colours (void)
{
  g_autoptr(AccArray) picture = new_picture (ACC_KIND_U8, (gint64[]) { 300, 400, 3 }, 3, TRUE);
  g_autoptr(AccArray) floats = acc_array_map (picture, to_float, NULL);
  g_autoptr(AccArray) blur = stencil_of (floats, 5, ACC_BOUNDARY_CLAMP, far_corner);
  g_autoptr(AccArray) grey = acc_array_fold (floats, acc_expr_new_float (0), add, NULL);
  g_autoptr(AccSchedule) blurred = plan1 (blur);
  g_autoptr(AccSchedule) folded = plan1 (grey);

  /* Columns and colours are one run. */
  g_assert_cmpint (blurred->n_steps, ==, 1);
  g_assert_cmpint (blurred->steps[0].launches[0].outer, ==, 300);
  g_assert_cmpint (blurred->steps[0].launches[0].inner, ==, 1200);
  assert_reads (&blurred->steps[0], 2, 2);

  g_assert_cmpint (folded->n_steps, ==, 1);
  g_assert_cmpint (folded->steps[0].n_launches, ==, 1);
  g_assert_cmpint (folded->steps[0].launches[0].inner, ==, 120000);
  g_assert_false (folded->steps[0].reduces);
  assert_reads (&folded->steps[0], 0, 0);
}

static void
test_folds (void)
{
  double factor = 2.5;
  g_autoptr(AccArray) x = new_picture (ACC_KIND_F32, (gint64[]) { 500, 3000 }, 2, TRUE);
  g_autoptr(AccArray) y = new_picture (ACC_KIND_F32, (gint64[]) { 500, 3000 }, 2, FALSE);
  g_autoptr(AccArray) products = acc_array_zip_with (x, y, mul, NULL);
  g_autoptr(AccArray) dot = acc_array_fold_all (products, acc_expr_new_float (0), add, NULL);
  g_autoptr(AccArray) scaled = acc_array_map (dot, scale, &factor);
  g_autoptr(AccArray) rows = acc_array_fold (products, acc_expr_new_float (0), add, NULL);
  g_autoptr(AccArray) costly_rows = acc_array_map (rows, costly, NULL);
  g_autoptr(AccSchedule) full = plan1 (scaled);
  g_autoptr(AccSchedule) by_rows = plan1 (costly_rows);

  g_assert_cmpint (full->n_steps, ==, 1);
  g_assert_true (full->steps[0].reduces);
  g_assert_cmpint (full->steps[0].n_rows, ==, 500);
  g_assert_cmpint (full->steps[0].n_launches, ==, 2);
  g_assert_cmpint (full->steps[0].launches[0].rows, ==, ACC_SPACE_INNER_ROWS);
  g_assert_cmpint (full->steps[0].launches[1].rows, ==, ACC_SPACE_WHOLE);
  g_assert_null (full->steps[0].row_error);

  g_assert_cmpint (by_rows->n_steps, ==, 1);
  g_assert_cmpint (by_rows->steps[0].n_launches, ==, 1);
  g_assert_cmpint (by_rows->steps[0].launches[0].outer, ==, 500);
  g_assert_false (by_rows->steps[0].reduces);
  g_assert_null (by_rows->steps[0].row_error);
}

static void
test_store_or_recompute (void)
{
  double factor = 2;
  g_autoptr(AccArray) x = new_picture (ACC_KIND_F32, (gint64[]) { 100, 100 }, 2, FALSE);
  g_autoptr(AccArray) cheap = acc_array_map (x, scale, &factor);
  g_autoptr(AccArray) dear = acc_array_map (x, costly, NULL);
  g_autoptr(AccArray) over_cheap = stencil_of (cheap, 3, ACC_BOUNDARY_WRAP, corner);
  g_autoptr(AccArray) over_dear = stencil_of (dear, 3, ACC_BOUNDARY_WRAP, corner);
  g_autoptr(AccArray) row = acc_array_slice (dear, (gint64[]) { 3, ACC_ALL }, 2);
  g_autoptr(AccArray) rows = acc_array_replicate (row, (gint64[]) { 1000, ACC_ALL }, 2);
  g_autoptr(AccSchedule) inlined = plan1 (over_cheap);
  g_autoptr(AccSchedule) stored = plan1 (over_dear);
  g_autoptr(AccSchedule) repeated = plan1 (rows);

  g_assert_cmpint (inlined->n_steps, ==, 1);
  g_assert_cmpint (stored->n_steps, ==, 2);
  g_assert_cmpint (repeated->n_steps, ==, 2);
}

static void
test_several_results (void)
{
  double factor = 2;
  g_autoptr(AccArray) x = new_picture (ACC_KIND_F32, (gint64[]) { 100, 100 }, 2, TRUE);
  g_autoptr(AccArray) a = acc_array_map (x, scale, &factor);
  g_autoptr(AccArray) b = acc_array_map (x, costly, NULL);
  g_autoptr(AccArray) sum = acc_array_fold_all (x, acc_expr_new_float (0), add, NULL);
  g_autoptr(AccArray) product = acc_array_fold_all (x, acc_expr_new_float (1), mul, NULL);
  AccArray *results[] = { a, b, sum, a, product };
  g_autoptr(AccSchedule) schedule = plan (results, G_N_ELEMENTS (results));

  g_assert_cmpint (schedule->n_steps, ==, 2);
  for (guint i = 0; i < 2; i++)
    g_assert_cmpint (schedule->steps[i].n_writes, ==, 2);
  g_assert_cmpint (schedule->results[0], ==, schedule->results[3]);
}

static void
test_views (void)
{
  double factor = 2;
  g_autoptr(AccArray) x = new_picture (ACC_KIND_F32, (gint64[]) { 6, 100 }, 2, FALSE);
  g_autoptr(AccArray) flat = acc_array_flatten (x);
  g_autoptr(AccArray) a = acc_array_map (x, scale, &factor);
  g_autoptr(AccArray) flat_a = acc_array_flatten (a);
  g_autoptr(AccArray) b = acc_array_map (flat_a, costly, NULL);
  AccArray *results[] = { flat, flat_a, b, x };
  g_autoptr(AccSchedule) schedule = plan (results, 4);

  g_assert_cmpint (schedule->values[schedule->results[0]].role, ==, ACC_VALUE_MANIFEST);
  g_assert_cmpint (acc_shape_get_rank (schedule->result_shapes[0]), ==, 1);
  g_assert_cmpint (schedule->results[3], ==, schedule->results[0]);
  g_assert_cmpint (acc_shape_get_rank (schedule->result_shapes[3]), ==, 2);
  g_assert_cmpint (schedule->values[schedule->results[1]].rank, ==, 2);
  g_assert_cmpint (schedule->n_steps, ==, 2);
}

static void
test_not_by_rows (void)
{
  g_autoptr(AccArray) x = new_picture (ACC_KIND_F32, (gint64[]) { 100, 100 }, 2, TRUE);
  g_autoptr(AccShape) fewer = acc_shape_new_matrix (99, 100);
  g_autoptr(AccArray) turned = acc_array_backpermute (x, acc_array_get_shape (x), transposed, NULL);
  g_autoptr(AccArray) shifted = acc_array_backpermute (x, fewer, next_row, NULL);
  g_autoptr(AccArray) wrapped = stencil_of (x, 3, ACC_BOUNDARY_WRAP, corner);
  g_autoptr(AccSchedule) schedule = NULL;

  acc_array_set_label (turned, "turned");
  schedule = plan1 (turned);
  g_assert_cmpstr (schedule->steps[0].row_error, ==, "backpermute “turned” reads rows in another order");
  g_clear_pointer (&schedule, acc_schedule_free);

  acc_array_set_label (wrapped, "round");
  schedule = plan1 (wrapped);
  g_assert_nonnull (strstr (schedule->steps[0].row_error, "stencil “round”"));
  g_clear_pointer (&schedule, acc_schedule_free);

  schedule = plan1 (shifted);
  assert_reads (&schedule->steps[0], 0, 1);
}

static void
test_bound (void)
{
  double factor = 2;
  g_autoptr(AccArray) node = new_picture (ACC_KIND_F32, (gint64[]) { 10, 10 }, 2, FALSE);
  g_autoptr(AccArray) values = new_picture (ACC_KIND_F32, (gint64[]) { 10, 10 }, 2, FALSE);
  g_autoptr(AccArray) below = acc_array_map (node, costly, NULL);
  g_autoptr(AccArray) result = acc_array_map (below, scale, &factor);
  g_autoptr(GError) error = NULL;
  AccArray *results[] = { result, below };
  g_autoptr(AccSchedule) schedule = acc_schedule_new (&acc_target_cpu, NULL, results, 2, &below, &values, 1, &error);
  g_autofree char *text = NULL, *dot = NULL;

  g_assert_no_error (error);
  g_assert_cmpint (schedule->n_steps, ==, 1);
  g_assert_cmpint (schedule->n_values, ==, 2);
  g_assert_cmpint (schedule->values[schedule->results[1]].role, ==, ACC_VALUE_ARGUMENT);
  g_assert_cmpint (schedule->values[schedule->results[1]].position, ==, 0);

  text = acc_schedule_to_string (schedule);
  g_assert_nonnull (strstr (text, "argument"));
  dot = acc_schedule_to_dot (schedule);
  g_assert_true (g_str_has_prefix (dot, "digraph"));
}

static AccExpr *
first_item (AccExpr *index, gpointer data)
{
  return acc_expr_item (index, 0);
}

/* Extents that are read from the data of a bound array. */
static void
test_data_dependent (void)
{
  const gint64 numbers[] = { 3, 70000 };
  g_autoptr(AccShape) shape = acc_shape_new_vector (2);
  g_autoptr(GBytes) bytes = g_bytes_new_static (numbers, sizeof numbers);
  g_autoptr(AccArray) node = acc_array_use (acc_element_type_new (ACC_KIND_I64), shape, bytes);
  g_autoptr(AccArray) values = acc_array_use (acc_element_type_new (ACC_KIND_I64), shape, bytes);
  const gint64 other_numbers[] = { 4, 70000 };
  g_autoptr(GBytes) other_bytes = g_bytes_new_static (other_numbers, sizeof other_numbers);
  g_autoptr(AccArray) others = acc_array_use (acc_element_type_new (ACC_KIND_I64), shape, other_bytes);
  g_autoptr(AccArray) made = NULL;
  g_autoptr(AccSchedule) schedule = NULL;
  g_autoptr(GError) error = NULL;
  AccElementType *i8 = acc_element_type_new (ACC_KIND_I64), *f2 = acc_element_type_new (ACC_KIND_F16);
  g_autoptr(AccExpr) small = acc_expr_ref_sink (acc_expr_index (node, acc_expr_new_int (0)));
  g_autoptr(AccExpr) large = acc_expr_ref_sink (acc_expr_linear_index (node, acc_expr_new_int (1)));
  AccExpr *narrow = acc_expr_cast (acc_expr_cast (large, acc_element_type_new (ACC_KIND_U16)), i8);
  AccExpr *rounded = acc_expr_cast (acc_expr_cast (acc_expr_fdiv (acc_expr_cast (small, f2), acc_expr_new_typed_float (f2, 0.5)), f2), i8);
  AccExpr *power = acc_expr_int_pow (small, acc_expr_new_int (4));
  AccExpr *extents[] = { acc_expr_quot (narrow, acc_expr_new_int (100)), rounded, power };

  made = acc_array_generate_expr (acc_expr_tuple (extents, 3), first_item, NULL);
  schedule = acc_schedule_new (&acc_target_cpu, NULL, &made, 1, &node, &values, 1, &error);
  g_assert_no_error (error);
  g_assert_cmpuint (schedule->data_extents->len, ==, 1);
  g_assert_true (acc_schedule_fits (schedule, &node, &values, 1));
  g_assert_false (acc_schedule_fits (schedule, &node, &others, 1));
  g_assert_cmpint (acc_shape_get_extent (schedule->result_shapes[0], 0), ==, (70000 - 65536) / 100);
  g_assert_cmpint (acc_shape_get_extent (schedule->result_shapes[0], 1), ==, 6);
  g_assert_cmpint (acc_shape_get_extent (schedule->result_shapes[0], 2), ==, 81);
}

/* Extents that are read from data, and from what is not bound besides. */
static void
test_data_dependent_within (void)
{
  const gint64 numbers[] = { 2, 70000, 0 }, other_numbers[] = { 1, 70000, 0 };
  g_autoptr(AccShape) shape = acc_shape_new_vector (3);
  g_autoptr(GBytes) bytes = g_bytes_new_static (numbers, sizeof numbers);
  g_autoptr(GBytes) other_bytes = g_bytes_new_static (other_numbers, sizeof other_numbers);
  AccElementType *i8 = acc_element_type_new (ACC_KIND_I64);
  g_autoptr(AccArray) node = acc_array_use (i8, shape, bytes);
  g_autoptr(AccArray) values = acc_array_use (i8, shape, bytes);
  g_autoptr(AccArray) others = acc_array_use (i8, shape, other_bytes);
  g_autoptr(AccArray) floats = acc_array_map (node, to_float, NULL);
  g_autoptr(AccArray) tail = acc_array_drop_on (floats, 0, acc_expr_index (node, acc_expr_new_int (2)));
  g_autoptr(AccArray) made = acc_array_take_on (tail, 0, acc_expr_index (node, acc_expr_new_int (0)));
  g_autoptr(AccSchedule) schedule = NULL;
  g_autoptr(GError) error = NULL;

  schedule = acc_schedule_new (&acc_target_cpu, NULL, &made, 1, &node, &values, 1, &error);
  g_assert_no_error (error);
  g_assert_cmpuint (schedule->data_extents->len, ==, 2);
  g_assert_cmpint (acc_shape_get_extent (schedule->result_shapes[0], 0), ==, 2);
  g_assert_true (acc_schedule_fits (schedule, &node, &values, 1));
  g_assert_false (acc_schedule_fits (schedule, &node, &others, 1));
}

static void
test_long_chain (void)
{
  double factor = 0.5;
  g_autoptr(AccArray) array = new_picture (ACC_KIND_F32, (gint64[]) { 10, 10 }, 2, FALSE);
  g_autoptr(AccSchedule) schedule = NULL;

  for (guint i = 0; i < 20000; i++)
    {
      AccArray *next = i % 2 ? acc_array_map (array, scale, &factor) : acc_array_zip_with (array, array, add, NULL);

      g_object_unref (array);
      array = next;
    }
  schedule = plan1 (array);
  g_assert_cmpint (schedule->n_steps, <, 1000);
}

/* --- steps that are alike */

static AccExpr *
gather (AccExpr *x, gpointer data)
{
  return acc_expr_linear_index (data, acc_expr_cast (x, acc_element_type_new (ACC_KIND_I64)));
}

static AccExpr *
gather_twice (AccExpr *x, gpointer data)
{
  return acc_expr_add (gather (x, data), gather (acc_expr_add (x, acc_expr_new_float (1)), data));
}

static AccExpr *
gather_thrice (AccExpr *x, gpointer data)
{
  AccArray **tables = data;

  return acc_expr_sub (gather (x, tables[0]),
                       acc_expr_add (gather (x, tables[1]), gather (acc_expr_add (x, acc_expr_new_float (1)), tables[2])));
}

/* Down to 1: a function in a function. */
static AccExpr *
shrink (AccExpr *x, gpointer data)
{
  return acc_expr_tuple2 (acc_expr_gt (x, acc_expr_new_float (1)), scale (x, data));
}

static AccExpr *
shrink_all (AccExpr *x, gpointer data)
{
  return acc_expr_while (x, shrink, data);
}

static AccExpr *
share (AccExpr *x, gpointer data)
{
  AccExpr *root = acc_expr_sqrt (x);

  return acc_expr_mul (root, GPOINTER_TO_INT (data) ? root : acc_expr_sqrt (acc_expr_mul (x, acc_expr_new_float (3))));
}

static AccExpr *
subtract (AccExpr *x, AccExpr *y, gpointer data)
{
  return GPOINTER_TO_INT (data) ? acc_expr_sub (y, x) : acc_expr_sub (x, y);
}

static AccArray *
make_variant (guint variant)
{
  static double factors[] = { 0.25, 0.75 };
  g_autoptr(AccArray) x = new_picture (ACC_KIND_F32, (gint64[]) { 40, variant == 17 ? 61 : 60 }, 2, variant == 18);
  g_autoptr(AccArray) y = NULL, z = NULL;
  g_autoptr(AccBoundary) boundary = NULL;

  switch (variant)
    {
    case 0:
    case 1:
      return acc_array_map (x, scale, &factors[variant]);
    case 2:
    case 3:
      return acc_array_map (x, share, GINT_TO_POINTER (variant == 2));
    case 4:
    case 5:
      y = acc_array_map (x, costly, NULL);
      return acc_array_zip_with (x, y, subtract, GINT_TO_POINTER (variant == 4));
    case 6:
    case 7:
      boundary = acc_boundary_new (variant == 6 ? ACC_BOUNDARY_CLAMP : ACC_BOUNDARY_WRAP);
      return acc_array_stencil (x, (gint64[]) { 3, 3 }, 2, boundary, corner, GUINT_TO_POINTER (2));
    case 8:
    case 9:
      boundary = acc_boundary_new_constant (acc_expr_new_typed_float (f4 (), variant));
      return acc_array_stencil (x, (gint64[]) { 5, variant == 8 ? 3 : 5 }, 2, boundary, corner, GUINT_TO_POINTER (2));
    case 10:
    case 11:
      return acc_array_slice (x, (gint64[]) { variant, ACC_ALL }, 2);
    case 12:
    case 13:
      y = new_picture (variant == 12 ? ACC_KIND_F32 : ACC_KIND_F64, (gint64[]) { 7 }, 1, FALSE);
      return acc_array_map (x, gather, y);
    case 14:
      y = new_picture (ACC_KIND_F32, (gint64[]) { 7 }, 1, FALSE);
      return acc_array_map (x, gather_twice, y);
    case 15:
    case 16:
      return acc_array_scanl1 (x, variant == 15 ? add : mul, NULL);
    case 19:
      return acc_array_fold (x, acc_expr_new_typed_float (f4 (), 2), add, NULL);
    case 20:
    case 21:
      y = new_picture (ACC_KIND_F32, (gint64[]) { 7 }, 1, FALSE);
      z = new_picture (ACC_KIND_F32, (gint64[]) { 7 }, 1, FALSE);
      return acc_array_map (x, gather_thrice, (AccArray *[]) { y, z, variant == 20 ? y : z });
    case 22:
    case 23:
      return acc_array_map (x, shrink_all, &factors[variant - 22]);
    default:
      return acc_array_map (x, scale, &factors[0]);
    }
}

static AccScheduleStep *
find_step (AccSchedule *schedule, guint value)
{
  for (guint i = 0; i < schedule->n_steps; i++)
    for (guint k = 0; k < schedule->steps[i].n_writes; k++)
      if (schedule->steps[i].writes[k] == value)
        return &schedule->steps[i];

  g_assert_not_reached ();
}

/* The array that a number means. */
static AccArray *
get_array (AccSchedule *schedule, guint value)
{
  return schedule->values[value].array;
}

static void
assert_same_step (AccSchedule *a, AccScheduleStep *x, AccSchedule *b, AccScheduleStep *y)
{
  g_assert_cmpstr (x->name, ==, y->name);
  g_assert_cmpint (x->n_rows, ==, y->n_rows);
  g_assert_cmpint (x->reduces, ==, y->reduces);
  g_assert_cmpstr (x->row_error, ==, y->row_error);
  g_assert_cmpmem (x->scratch, x->n_scratch * sizeof (AccScratch), y->scratch, y->n_scratch * sizeof (AccScratch));
  g_assert_cmpint (x->n_reads, ==, y->n_reads);
  for (guint i = 0; i < x->n_reads; i++)
    {
      g_assert_true (get_array (a, x->reads[i]) == get_array (b, y->reads[i]));
      g_assert_cmpint (x->row_reads[i].value, ==, x->reads[i]);
      g_assert_cmpint (x->row_reads[i].above, ==, y->row_reads[i].above);
      g_assert_cmpint (x->row_reads[i].below, ==, y->row_reads[i].below);
    }

  g_assert_cmpint (x->n_launches, ==, y->n_launches);
  for (guint i = 0; i < x->n_launches; i++)
    {
      AccLaunch *l = &x->launches[i], *m = &y->launches[i];

      g_assert_cmpstr (acc_kernel_get_hash (l->kernel), ==, acc_kernel_get_hash (m->kernel));
      g_assert_cmpint (l->outer, ==, m->outer);
      g_assert_cmpint (l->inner, ==, m->inner);
      g_assert_cmpint (l->units_per_row, ==, m->units_per_row);
      g_assert_cmpfloat (l->cost, ==, m->cost);
      g_assert_true (a->origins->pdata[l->first_origin] == b->origins->pdata[m->first_origin]);
      g_assert_cmpint (l->n_slots, ==, m->n_slots);
      for (guint k = 0; k < l->n_slots; k++)
        {
          g_assert_cmpint (l->slots[k].kind, ==, m->slots[k].kind);
          if (l->slots[k].kind == ACC_SLOT_BUFFER)
            g_assert_true (get_array (a, l->slots[k].value) == get_array (b, m->slots[k].value));
          else
            g_assert_cmpint (l->slots[k].bits, ==, m->slots[k].bits);
          g_assert_cmpint (l->slots[k].buffer, ==, m->slots[k].buffer);
          g_assert_cmpint (l->slots[k].scratch, ==, m->slots[k].scratch);
        }
    }
}

/* In one schedule, each of these is what it is alone; and of two that are alike, one is written. */
static void
test_twins (void)
{
  AccArray *results[48];
  g_autoptr(AccSchedule) together = NULL;

  for (guint i = 0; i < G_N_ELEMENTS (results); i++)
    results[i] = make_variant (i / 2);
  together = plan (results, G_N_ELEMENTS (results));
  g_assert_cmpint (together->n_steps, ==, G_N_ELEMENTS (results));

  for (guint i = 0; i < G_N_ELEMENTS (results); i++)
    {
      g_autoptr(AccSchedule) alone = plan1 (results[i]);
      AccScheduleStep *step = find_step (together, together->results[i]);

      assert_same_step (together, step, alone, find_step (alone, alone->results[0]));
      if (i % 2 != 0)
        {
          AccScheduleStep *twin = find_step (together, together->results[i - 1]);

          for (guint k = 0; k < step->n_launches; k++)
            g_assert_true (step->launches[k].kernel == twin->launches[k].kernel);
        }
    }

  for (guint i = 0; i < G_N_ELEMENTS (results); i++)
    g_object_unref (results[i]);
}

/* What a row error calls by its name is not another one's. */
static void
test_twins_by_name (void)
{
  g_autoptr(AccShape) shape = acc_shape_new_matrix (30, 20);
  AccArray *results[3];
  g_autoptr(AccSchedule) schedule = NULL;

  for (guint i = 0; i < G_N_ELEMENTS (results); i++)
    {
      g_autofree char *label = g_strdup_printf ("number %u", i);
      g_autoptr(AccArray) x = new_picture (ACC_KIND_F32, (gint64[]) { 20, 30 }, 2, TRUE);

      results[i] = acc_array_backpermute (x, shape, transposed, NULL);
      acc_array_set_label (results[i], label);
    }
  schedule = plan (results, G_N_ELEMENTS (results));
  for (guint i = 0; i < G_N_ELEMENTS (results); i++)
    {
      g_autofree char *label = g_strdup_printf ("“number %u”", i);

      g_assert_nonnull (strstr (find_step (schedule, schedule->results[i])->row_error, label));
      g_object_unref (results[i]);
    }
}

/* --- branches */

static AccExpr *
fourth_or_itself (AccExpr *x, gpointer table)
{
  return acc_expr_cond (acc_expr_lt (x, acc_expr_new_float (0)), acc_expr_index (table, acc_expr_new_int (3)), x);
}

static AccExpr *
fourth_or_powers (AccExpr *x, gpointer table)
{
  return acc_expr_cond (acc_expr_lt (x, acc_expr_new_float (0)), acc_expr_index (table, acc_expr_new_int (3)),
                        acc_expr_exp (acc_expr_exp (x)));
}

static AccExpr *
powers_or_fourth (AccExpr *x, gpointer table)
{
  return acc_expr_cond (acc_expr_lt (x, acc_expr_new_float (0)), acc_expr_exp (acc_expr_exp (x)),
                        acc_expr_index (table, acc_expr_new_int (3)));
}

/* What is read at a place that is known, and inside, needs no branch; nor does it beside what does. */
static void
test_known_places (void)
{
  static const struct {
    AccExprFunc function;
    gint64      extent;
    gboolean    has_if, has_else;
  } cases[] = {
    { fourth_or_itself, 4, FALSE, FALSE }, { fourth_or_itself, 3, TRUE, FALSE }, { fourth_or_itself, 0, TRUE, FALSE },
    { fourth_or_powers, 4, TRUE, FALSE }, { fourth_or_powers, 3, TRUE, TRUE }, { powers_or_fourth, 4, TRUE, FALSE },
    { powers_or_fourth, 3, TRUE, TRUE },
  };

  for (guint i = 0; i < G_N_ELEMENTS (cases); i++)
    {
      g_autoptr(AccArray) x = new_picture (ACC_KIND_F32, (gint64[]) { 1000 }, 1, FALSE);
      g_autoptr(AccArray) table = new_picture (ACC_KIND_F32, &cases[i].extent, 1, FALSE);
      g_autoptr(AccArray) result = acc_array_map (x, cases[i].function, table);
      g_autoptr(AccSchedule) schedule = plan1 (result);
      g_autofree char *text = acc_kernel_to_string (schedule->steps[0].launches[0].kernel);

      g_test_message ("case %u", i);
      g_assert_cmpint (strstr (text, " if ") != NULL, ==, cases[i].has_if);
      g_assert_cmpint (strstr (text, "} else {") != NULL, ==, cases[i].has_else);
    }
}

/* --- permutes */

static AccExpr *
beside_label (AccExpr *index, AccExpr *x, gpointer labels)
{
  return acc_expr_tuple2 (acc_expr_index (labels, acc_expr_item (index, 0)), acc_expr_item (index, 1));
}

/* Tables of a tile are for elements of whole rows, where those are short: only elements behind the last round look for their place. */
static void
test_permuted_rows (void)
{
  static const struct { gint64 n_columns; guint n_divisions; } cases[] = { { 1, 0 }, { 2, 1 }, { 3, 1 }, { 5, 1 }, { 8, 1 }, { 9, 9 } };

  for (guint i = 0; i < G_N_ELEMENTS (cases); i++)
    {
      gint64 extents[] = { 100000, cases[i].n_columns }, sizes[] = { 7, cases[i].n_columns };
      g_autoptr(AccArray) x = new_picture (ACC_KIND_F32, extents, 2, FALSE);
      g_autoptr(AccArray) labels = new_picture (ACC_KIND_I64, extents, 1, FALSE);
      g_autoptr(AccArray) zeros = new_picture (ACC_KIND_F32, sizes, 2, FALSE);
      g_autoptr(AccArray) targets = acc_array_imap (x, beside_label, labels);
      g_autoptr(AccArray) sums = acc_array_permute (x, zeros, targets, add, NULL);
      g_autoptr(AccSchedule) schedule = plan1 (sums);
      g_autofree char *text = NULL;
      guint n_divisions = 0;

      g_assert_cmpint (schedule->n_steps, ==, 1);
      g_assert_cmpint (schedule->steps[0].n_launches, ==, 3);
      text = acc_kernel_to_string (schedule->steps[0].launches[1].kernel);
      for (const char *at = text; (at = strstr (at, " = urem ")) != NULL; at++)
        n_divisions++;
      g_test_message ("%d columns", (int) cases[i].n_columns);
      g_assert_cmpint (n_divisions, ==, cases[i].n_divisions);
    }
}

static AccExpr *
left (AccExpr *x, AccExpr *y, gpointer data)
{
  return x;
}

static AccExpr *
backwards (AccExpr *index, gpointer data)
{
  return acc_expr_sub (acc_expr_new_int (GPOINTER_TO_INT (data) - 1), acc_expr_item (index, 0));
}

/* On so many threads, to places that are known only then, or backwards. */
static AccSchedule *
plan_permute (gint64   n,
              gint64   size,
              guint    n_threads,
              gboolean sourced,
              gboolean is_one,
              gboolean is_orderly)
{
  AccTarget target = acc_target_cpu;
  g_autoptr(AccArray) xs = new_picture (ACC_KIND_F32, &n, 1, sourced);
  g_autoptr(AccArray) ones = acc_array_fill (acc_array_get_shape (xs), acc_expr_new_typed_float (acc_element_type_new (ACC_KIND_F32), 1));
  g_autoptr(AccArray) zeros = new_picture (ACC_KIND_F32, &size, 1, FALSE);
  g_autoptr(AccArray) any = new_picture (ACC_KIND_U32, &n, 1, FALSE);
  g_autoptr(AccArray) orderly = acc_array_generate (acc_array_get_shape (xs), backwards, GINT_TO_POINTER (n));
  AccArray *targets = is_orderly ? orderly : any;
  g_autoptr(AccArray) permuted = acc_array_permute (is_one ? ones : xs, zeros, targets, is_one ? add : left, NULL);
  g_autoptr(GError) error = NULL;
  AccSchedule *schedule;

  target.n_threads = n_threads;
  schedule = acc_schedule_new (&target, NULL, &permuted, 1, NULL, NULL, 0, &error);
  g_assert_no_error (error);
  g_assert_cmpint (schedule->n_steps, ==, 1);

  return schedule;
}

/* Large ones are spread by parts of the result, where there are threads enough for it; few elements, small results, and places that follow
 * from indices go in order. */
static void
test_spread_permutes (void)
{
  static const struct { gint64 n, size; guint n_threads, n_launches; gboolean is_orderly; } cases[] = {
    { 1 << 22, 1 << 24, 2, 4 }, { 1 << 22, 1 << 24, 1, 4 }, { 1 << 22, 1 << 20, 2, 2 }, { 1 << 22, 1 << 20, 4, 4 },
    { 1 << 13, 1 << 24, 8, 2 }, { 1 << 22, 300, 3, 2 },     { 1 << 22, 300, 8, 4 },
    { 1 << 22, 30, 8, 2 },          { 1 << 22, 1 << 24, 16, 2, TRUE },
  };

  for (guint i = 0; i < G_N_ELEMENTS (cases); i++)
    {
      g_autoptr(AccSchedule) schedule = plan_permute (cases[i].n, cases[i].size, cases[i].n_threads, FALSE, FALSE, cases[i].is_orderly);
      AccScheduleStep *step = &schedule->steps[0];

      g_test_message ("%d to %d on %u", (int) cases[i].n, (int) cases[i].size, cases[i].n_threads);
      g_assert_cmpint (step->n_launches, ==, cases[i].n_launches);
      g_assert_cmpint (step->launches[0].rows, ==, cases[i].n_launches == 2 ? ACC_SPACE_FIRST : ACC_SPACE_INNER_ROWS);
      /* Defaults that the caches keep are written by who goes over the source. */
      g_assert_cmpint (step->launches[0].serial, ==, cases[i].n_launches == 2 && cases[i].size <= 1 << 21);
      g_assert_cmpint (step->combine_per_band, ==, cases[i].n_launches == 4);
      g_assert_true (step->launches[1].serial);
    }
}

static gsize
count_shared (const AccKernel *kernel)
{
  gsize bytes = 0;

  for (guint i = 0; i < kernel->shared->len; i++)
    {
      const AccKernelParam *shared = &g_array_index (kernel->shared, AccKernelParam, i);

      bytes += shared->n_elements * acc_element_kind_get_size (shared->kind);
    }

  return bytes;
}

static void
check_shared_memory (const AccTarget *target, AccElementType *type, const char *code)
{
  g_autoptr(AccShape) plane = acc_shape_new_matrix (300, 5000), line = acc_shape_new_vector (1000000);
  g_autoptr(AccArray) rows = acc_array_fill (plane, acc_expr_new_zero (type)), xs = acc_array_fill (line, acc_expr_new_zero (type));
  AccArray *results[] = { acc_array_fold1_all (xs, add, NULL), acc_array_scanl1 (xs, add, NULL), acc_array_fold1 (rows, add, NULL),
                          acc_array_scanl1 (rows, add, NULL) };

  for (guint r = 0; r < G_N_ELEMENTS (results); r++)
    {
      g_autoptr(GError) error = NULL;
      g_autoptr(AccSchedule) schedule = acc_schedule_new (target, NULL, &results[r], 1, NULL, NULL, 0, &error);

      g_assert_no_error (error);
      for (guint i = 0; i < schedule->steps[0].n_launches; i++)
        {
          const AccKernel *kernel = schedule->steps[0].launches[i].kernel;

          g_test_message ("%s, %s of %s: %u threads, %d bytes of %d", schedule->steps[0].name, kernel->name, code, kernel->group_size,
                          (int) count_shared (kernel), (int) target->shared_bytes);
          g_assert_cmpuint (count_shared (kernel), <=, target->shared_bytes);
        }
      g_object_unref (results[r]);
    }
}

/* Groups that fold or scan wide elements have few enough threads. */
static void
test_shared_memory (void)
{
  static const char * const codes[] = { "u1", "f4", "f8", "c16", "4f8", "8f8", "16f4", "16f8" };
  static const gsize sizes[] = { 32768, 49152, 65536 };

  for (guint i = 0; i < G_N_ELEMENTS (codes) * G_N_ELEMENTS (sizes) * 4; i++)
    {
      const char *code = codes[i / 4 % G_N_ELEMENTS (codes)];
      const AccTarget target = { .model = ACC_MODEL_SIMT, .group_size = 256, .max_group_size = 1024, .subgroup_size = 32,
                                 .shared_bytes = sizes[i / 4 / G_N_ELEMENTS (codes)], .held_bytes = i % 2 == 0 ? 32768 : 0,
                                 .n_groups = 1024, .has_progress = i / 2 % 2 == 0, .has_residency = TRUE, .has_atomic_64 = TRUE,
                                 .merges_loads = TRUE, .max_held = 32, .kinds = ~0u };

      check_shared_memory (&target, acc_element_type_parse (code, NULL), code);
    }
}

static guint
count_stores (const AccTarget *target, AccArray *result)
{
  g_autoptr(GError) error = NULL;
  g_autoptr(AccSchedule) schedule = acc_schedule_new (target, NULL, &result, 1, NULL, NULL, 0, &error);
  const AccKernel *kernel;
  guint n = 0;

  g_assert_no_error (error);
  g_assert_cmpuint (schedule->steps[0].n_launches, ==, 1);
  kernel = schedule->steps[0].launches[0].kernel;
  for (guint32 block = ACC_KERNEL_BODY; block < kernel->blocks->len; block++)
    {
      const GArray *items = acc_kernel_block (kernel, block)->items;

      for (guint i = 0; i < items->len; i++)
        n += acc_kernel_instr (kernel, g_array_index (items, guint32, i))->op == ACC_KOP_STORE;
    }

  return n;
}

static AccExpr *
add_itself (AccExpr *x, gpointer data)
{
  return acc_expr_add (x, x);
}

static AccExpr *
sum_of_three (AccExpr *window, gpointer data)
{
  return acc_expr_add (acc_expr_item (window, 0), acc_expr_item (window, 2));
}

/* A thread that has one element at a time has its function written once: all of it is there, or none. */
static void
test_written_once (void)
{
  const AccTarget target = { .model = ACC_MODEL_SIMT, .group_size = 256, .max_group_size = 1024, .subgroup_size = 32, .shared_bytes = 49152,
                             .n_groups = 1024, .has_residency = TRUE, .has_atomic_64 = TRUE, .merges_loads = TRUE, .max_held = 32,
                             .kinds = ~0u };
  static const struct { const char *code; guint n_lanes, vector; } types[] = { { "u1", 1, 16 }, { "f4", 1, 4 }, { "f8", 1, 2 },
                                                                               { "2f8", 2, 1 }, { "4f4", 4, 1 } };
  g_autoptr(AccShape) line = acc_shape_new_vector (1000000);
  g_autoptr(AccBoundary) mirrored = acc_boundary_new (ACC_BOUNDARY_MIRROR);

  for (guint i = 0; i < G_N_ELEMENTS (types); i++)
    {
      AccElementType *type = acc_element_type_parse (types[i].code, NULL);
      gsize size = (gsize) 1000000 * acc_element_type_get_size (type);
      g_autoptr(GBytes) bytes = g_bytes_new_take (g_malloc0 (size), size);
      g_autoptr(AccArray) xs = acc_array_use (type, line, bytes), doubled = acc_array_map (xs, add_itself, NULL);
      g_autoptr(AccArray) blurred = acc_array_stencil (xs, (gint64[]) { 3 }, 1, mirrored, sum_of_three, NULL);

      g_assert_cmpuint (count_stores (&target, doubled), ==, types[i].n_lanes * (types[i].vector + (types[i].vector > 1)));
      /* At its borders a stencil looks for other neighbours. */
      g_assert_cmpuint (count_stores (&target, blurred), >=, types[i].n_lanes * 2);
    }
}

/* What is spread needs memory in proportion to the result, not to the source; what all elements have in common needs none. */
static void
test_spread_bytes (void)
{
  gint64 n = 1 << 26, size = 1 << 22;
  g_autoptr(AccSchedule) plain = plan_permute (n, size, 4, FALSE, FALSE, FALSE), ones = plan_permute (n, size, 4, FALSE, TRUE, FALSE);
  g_autoptr(AccSchedule) sourced = plan_permute (n, size, 4, TRUE, FALSE, FALSE);
  AccSchedule *schedules[] = { plain, ones, sourced };
  gsize bytes[3] = { 0 };

  for (guint i = 0; i < 3; i++)
    {
      AccScheduleStep *step = &schedules[i]->steps[0];

      g_assert_cmpint (step->n_launches, ==, 4);
      g_assert_cmpint (step->round_rows, ==, i == 2 ? 1 << 20 : size);
      for (guint k = 0; k < step->n_scratch; k++)
        bytes[i] += step->scratch[k].bytes;
    }
  g_assert_cmpuint (bytes[0], >=, size * 8);
  g_assert_cmpuint (bytes[0], <, size * 9);
  g_assert_cmpuint (bytes[1], >=, size * 4);
  g_assert_cmpuint (bytes[1], <, size * 5);
  g_assert_cmpuint (bytes[2], <, size * 3);
}

/* --- functions whose parameters may be exchanged */

#define ITEM(x, i) acc_expr_item (x, i)

static AccExpr *
times_complex (AccExpr *x, AccExpr *y, gpointer data)
{
  return acc_expr_tuple2 (acc_expr_sub (acc_expr_mul (ITEM (x, 0), ITEM (y, 0)), acc_expr_mul (ITEM (x, 1), ITEM (y, 1))),
                          acc_expr_add (acc_expr_mul (ITEM (x, 0), ITEM (y, 1)), acc_expr_mul (ITEM (x, 1), ITEM (y, 0))));
}

/* Composition of x ↦ a x + b. */
static AccExpr *
compose (AccExpr *x, AccExpr *y, gpointer data)
{
  return acc_expr_tuple2 (acc_expr_mul (ITEM (x, 0), ITEM (y, 0)), acc_expr_add (acc_expr_mul (ITEM (x, 1), ITEM (y, 0)), ITEM (y, 1)));
}

static AccExpr *
square_of_difference (AccExpr *x, AccExpr *y, gpointer data)
{
  AccExpr *d = acc_expr_sub (ITEM (x, 0), ITEM (y, 0));

  return acc_expr_tuple2 (acc_expr_mul (d, d), acc_expr_abs (acc_expr_sub (ITEM (y, 1), ITEM (x, 1))));
}

static AccExpr *
product_of_differences (AccExpr *x, AccExpr *y, gpointer data)
{
  AccExpr *d = acc_expr_sub (ITEM (x, 0), ITEM (y, 0));

  return acc_expr_tuple2 (acc_expr_mul (d, acc_expr_sub (ITEM (x, 1), ITEM (y, 1))), acc_expr_add (ITEM (y, 1), ITEM (x, 1)));
}

/* The sign of one factor only is another. */
static AccExpr *
signed_difference (AccExpr *x, AccExpr *y, gpointer data)
{
  AccExpr *d = acc_expr_sub (ITEM (x, 0), ITEM (y, 0));

  return acc_expr_tuple2 (acc_expr_mul (d, acc_expr_add (ITEM (x, 1), ITEM (y, 1))), acc_expr_add (ITEM (y, 1), ITEM (x, 1)));
}

static AccExpr *
exchanged (AccExpr *x, AccExpr *y, gpointer data)
{
  return acc_expr_tuple2 (acc_expr_add (ITEM (x, 0), ITEM (y, 1)), acc_expr_add (ITEM (x, 1), ITEM (y, 0)));
}

static AccExpr *
first_if_equal (AccExpr *x, AccExpr *y, gpointer data)
{
  return acc_expr_cond (acc_expr_eq (ITEM (x, 0), ITEM (y, 0)),
                        acc_expr_tuple2 (acc_expr_max (ITEM (y, 0), ITEM (x, 0)), acc_expr_mul (ITEM (x, 1), ITEM (y, 1))), x);
}

static AccExpr *
same_if_equal (AccExpr *x, AccExpr *y, gpointer data)
{
  AccExpr *sum = acc_expr_tuple2 (acc_expr_add (ITEM (x, 0), ITEM (y, 0)), acc_expr_add (ITEM (x, 1), ITEM (y, 1)));

  return acc_expr_cond (acc_expr_eq (ITEM (y, 0), ITEM (x, 0)), acc_expr_tuple2 (ITEM (sum, 1), ITEM (sum, 0)), sum);
}

static AccExpr *
smaller (AccExpr *x, AccExpr *y, gpointer data)
{
  return acc_expr_min (x, y);
}

static AccExpr *
larger (AccExpr *x, AccExpr *y, gpointer data)
{
  return acc_expr_cond (acc_expr_lt (x, y), y, x);
}

/* What has another second item, of those whose first is the same, is the left one. */
static AccExpr *
smaller_first (AccExpr *x, AccExpr *y, gpointer data)
{
  return acc_expr_cond (acc_expr_le (ITEM (x, 0), ITEM (y, 0)), x, y);
}

static AccExpr *
left_if_smaller (AccExpr *x, AccExpr *y, gpointer data)
{
  return acc_expr_cond (acc_expr_le (x, y), x, x);
}

static AccExpr *
sum_of_extremes (AccExpr *x, AccExpr *y, gpointer data)
{
  return acc_expr_add (acc_expr_cond (acc_expr_le (x, y), x, y), acc_expr_cond (acc_expr_le (y, x), x, y));
}

static void
test_commutative (void)
{
  static const struct {
    AccExprFunc2 function;
    const char  *type;
    gboolean     commutes;
  } cases[] = {
    { times_complex, "(f4, f4)", TRUE }, { times_complex, "(i4, i4)", TRUE }, { compose, "(f4, f4)", FALSE },
    { square_of_difference, "(f8, f8)", TRUE }, { square_of_difference, "(i8, i8)", FALSE },
    { product_of_differences, "(f2, f2)", TRUE }, { signed_difference, "(f4, f4)", FALSE }, { left, "(f4, f4)", FALSE },
    { exchanged, "(f4, f4)", FALSE }, { first_if_equal, "(i4, i4)", FALSE }, { same_if_equal, "(i4, i4)", TRUE },
    { smaller, "(f4, f4)", TRUE }, { smaller, "(f8, (i4, f4))", TRUE }, { smaller, "4f4", TRUE }, { larger, "(f4, f4)", TRUE },
    { larger, "i4", TRUE }, { smaller_first, "(f4, f4)", FALSE }, { left_if_smaller, "(f4, f4)", FALSE }, { sum_of_extremes, "f4", TRUE },
  };

  for (guint i = 0; i < G_N_ELEMENTS (cases); i++)
    {
      AccElementType *type = acc_element_type_parse (cases[i].type, NULL);
      AccFunction *function = acc_function_new2 (type, type, cases[i].function, NULL, type);

      g_test_message ("case %u", i);
      g_assert_cmpint (acc_function_is_commutative (function), ==, cases[i].commutes);
      acc_function_unref (function);
    }
}

int
main (int    argc,
      char **argv)
{
  g_test_init (&argc, &argv, NULL);
  g_test_add_func ("/schedule/element-wise", test_element_wise);
  g_test_add_func ("/schedule/many-arrays", test_many_arrays);
  g_test_add_func ("/schedule/barrier", test_barrier);
  g_test_add_func ("/schedule/one-kernel-for-all-sizes", test_one_kernel_for_all_sizes);
  g_test_add_func ("/schedule/edges", test_edges);
  g_test_add_func ("/schedule/colours", test_colours);
  g_test_add_func ("/schedule/folds", test_folds);
  g_test_add_func ("/schedule/store-or-recompute", test_store_or_recompute);
  g_test_add_func ("/schedule/several-results", test_several_results);
  g_test_add_func ("/schedule/views", test_views);
  g_test_add_func ("/schedule/not-by-rows", test_not_by_rows);
  g_test_add_func ("/schedule/bound", test_bound);
  g_test_add_func ("/schedule/data-dependent", test_data_dependent);
  g_test_add_func ("/schedule/data-dependent-within", test_data_dependent_within);
  g_test_add_func ("/schedule/long-chain", test_long_chain);
  g_test_add_func ("/schedule/known-places", test_known_places);
  g_test_add_func ("/schedule/permuted-rows", test_permuted_rows);
  g_test_add_func ("/schedule/spread-permutes", test_spread_permutes);
  g_test_add_func ("/schedule/spread-bytes", test_spread_bytes);
  g_test_add_func ("/schedule/shared-memory", test_shared_memory);
  g_test_add_func ("/schedule/written-once", test_written_once);
  g_test_add_func ("/schedule/commutative", test_commutative);
  g_test_add_func ("/schedule/twins", test_twins);
  g_test_add_func ("/schedule/twins-by-name", test_twins_by_name);

  return g_test_run ();
}
