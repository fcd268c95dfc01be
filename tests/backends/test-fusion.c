/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include <acc/acc.h>

#include <string.h>

#include "acc-backends/fuse/acc-function-facts.h"
#include "acc-backends/schedule/acc-traffic.h"
#include "acc-backends/runtime/graph/acc-graph.h"
#include "acc-backends/runtime/graph/acc-row-layout.h"
#include "acc-core/data/acc-buffer-private.h"
#include "canny.h"

/* How many kernels programs become, and how many bytes these move. Each line says what is least in theory, so that one sees where
 * fusion does not get there; what they compute is tested elsewhere. */

#define SIDE 1024
#define N (SIDE * SIDE)
#define KEPT (N / 2)

/* --- functions of elements */

static AccExpr *
scale (AccExpr *x, gpointer data)
{
  return acc_expr_add (acc_expr_mul (x, acc_expr_new_float (1.5)), acc_expr_new_float (3.5));
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
larger (AccExpr *x, AccExpr *y, gpointer data)
{
  return acc_expr_max (x, y);
}

static AccExpr *
distance (AccExpr *x, AccExpr *y, gpointer data)
{
  return acc_expr_abs (acc_expr_sub (x, y));
}

static AccExpr *
is_large (AccExpr *x, gpointer data)
{
  return acc_expr_gt (x, acc_expr_new_float (0.5));
}

static AccExpr *
to_bin (AccExpr *x, gpointer data)
{
  return acc_expr_cast (acc_expr_band (x, acc_expr_new_int (127)), acc_element_type_new (ACC_KIND_I64));
}

static AccExpr *
zero (AccExpr *index, gpointer data)
{
  return acc_expr_new_typed_int (acc_element_type_new (ACC_KIND_I32), 0);
}

static AccExpr *
one (AccExpr *x, gpointer data)
{
  return acc_expr_new_typed_int (acc_element_type_new (ACC_KIND_I32), 1);
}

static AccExpr *
place_of (AccExpr *index, AccExpr *x, gpointer data)
{
  return acc_expr_mod (acc_expr_mul (acc_expr_item (index, 0), acc_expr_new_int (7)), acc_expr_new_int (N));
}

static AccExpr *
across (AccExpr *n, gpointer data)
{
  return acc_expr_add (acc_expr_neighbour2 (n, 0, 0), acc_expr_add (acc_expr_neighbour2 (n, 0, -1), acc_expr_neighbour2 (n, 0, 1)));
}

static AccExpr *
down (AccExpr *n, gpointer data)
{
  return acc_expr_add (acc_expr_neighbour2 (n, 0, 0), acc_expr_add (acc_expr_neighbour2 (n, -1, 0), acc_expr_neighbour2 (n, 1, 0)));
}

static AccExpr *
cross (AccExpr *n, gpointer data)
{
  return acc_expr_add (across (n, NULL), down (n, NULL));
}

static AccExpr *
numbered (AccExpr *index, AccExpr *x, gpointer data)
{
  return acc_expr_tuple2 (x, acc_expr_cast (acc_expr_item (index, 0), acc_element_type_new (ACC_KIND_I32)));
}

static AccExpr *
of_other_end (AccExpr *index, AccExpr *x, gpointer array)
{
  AccExpr *at = acc_expr_sub (acc_expr_new_int (N - 1), acc_expr_item (index, 0));

  return acc_expr_mul (x, acc_expr_cast (acc_expr_index (array, at), acc_element_type_new (ACC_KIND_F32)));
}

static AccExpr *
share (AccExpr *sum, gpointer data)
{
  return acc_expr_fdiv (sum, acc_expr_new_float (SIDE));
}

/* --- data */

static AccArray *
new_array (AccElementKind kind, guint rank, gint64 a, gint64 b, gint64 c)
{
  const gint64 extents[] = { a, b, c };
  g_autoptr(AccShape) shape = acc_shape_new (extents, rank);
  gsize size = acc_shape_get_size (shape) * acc_element_kind_get_size (kind);
  g_autoptr(GBytes) bytes = g_bytes_new_take (g_malloc0 (size), size);

  return acc_array_use (acc_element_type_new (kind), shape, bytes);
}

static AccArray *
new_vector (void)
{
  return new_array (ACC_KIND_F32, 1, N, 1, 1);
}

static AccArray *
new_matrix (void)
{
  return new_array (ACC_KIND_F32, 2, SIDE, SIDE, 1);
}

static AccArray *
stencil (AccArray *array, gint64 height, gint64 width, AccExprFunc function)
{
  g_autoptr(AccBoundary) clamp = acc_boundary_new (ACC_BOUNDARY_CLAMP);

  return acc_array_stencil (array, (gint64[]) { height, width }, 2, clamp, function, NULL);
}

static AccArray *
sum_all (AccArray *array)
{
  return acc_array_fold_all (array, acc_expr_new_float (0), add, NULL);
}

/* --- programs: they add their results */

typedef void (*Build) (GPtrArray *results);

static void
maps (GPtrArray *results)
{
  g_autoptr(AccArray) x = new_vector (), a = acc_array_map (x, scale, NULL), b = acc_array_map (a, costly, NULL);

  g_ptr_array_add (results, acc_array_zip_with (b, a, add, NULL));
}

static void
dot (GPtrArray *results)
{
  g_autoptr(AccArray) x = new_vector (), y = new_vector (), products = acc_array_zip_with (x, y, mul, NULL);

  g_ptr_array_add (results, sum_all (products));
}

static void
mean_and_variance (GPtrArray *results)
{
  g_autoptr(AccArray) x = new_vector ();

  g_ptr_array_add (results, acc_array_mean_all (x));
  g_ptr_array_add (results, acc_array_variance_all (x, 0));
}

static void
mean_and_variance_of_rows (GPtrArray *results)
{
  g_autoptr(AccArray) x = new_matrix ();

  g_ptr_array_add (results, acc_array_mean (x));
  g_ptr_array_add (results, acc_array_variance (x, 0));
}

static void
minimum_and_maximum (GPtrArray *results)
{
  g_autoptr(AccArray) x = new_vector ();

  g_ptr_array_add (results, acc_array_minimum_all (x));
  g_ptr_array_add (results, acc_array_maximum_all (x));
}

static void
argmax (GPtrArray *results)
{
  g_autoptr(AccArray) x = new_vector ();

  g_ptr_array_add (results, acc_array_argmax_all (x));
}

static void
minimum_and_argmin (GPtrArray *results)
{
  g_autoptr(AccArray) x = new_matrix ();

  g_ptr_array_add (results, acc_array_minimum (x));
  g_ptr_array_add (results, acc_array_argmin (x));
}

/* One map that costs much, two folds */
static void
costly_map_two_folds (GPtrArray *results)
{
  g_autoptr(AccArray) x = new_vector (), y = acc_array_map (x, costly, NULL);

  g_ptr_array_add (results, sum_all (y));
  g_ptr_array_add (results, acc_array_fold1_all (y, larger, NULL));
}

static void
costly_map_two_row_folds (GPtrArray *results)
{
  g_autoptr(AccArray) x = new_matrix (), y = acc_array_map (x, costly, NULL);

  g_ptr_array_add (results, acc_array_sum (y));
  g_ptr_array_add (results, acc_array_fold1 (y, larger, NULL));
}

static void
costly_map_two_maps (GPtrArray *results)
{
  g_autoptr(AccArray) x = new_vector (), y = acc_array_map (x, costly, NULL);

  g_ptr_array_add (results, acc_array_map (y, scale, NULL));
  g_ptr_array_add (results, acc_array_zip_with (y, x, mul, NULL));
}

/* What an iteration does: the next state, and how much it differs */
static void
next_and_change (GPtrArray *results)
{
  g_autoptr(AccArray) x = new_vector (), next = acc_array_map (x, scale, NULL), differences = acc_array_zip_with (next, x, distance, NULL);

  g_ptr_array_add (results, g_object_ref (next));
  g_ptr_array_add (results, sum_all (differences));
}

static void
map_and_sum (GPtrArray *results)
{
  g_autoptr(AccArray) x = new_vector ();

  g_ptr_array_add (results, acc_array_map (x, scale, NULL));
  g_ptr_array_add (results, sum_all (x));
}

static void
scan_between_maps (GPtrArray *results)
{
  g_autoptr(AccArray) x = new_vector (), before = acc_array_map (x, scale, NULL), sums = acc_array_cumsum (before);

  g_ptr_array_add (results, acc_array_map (sums, scale, NULL));
}

static void
scan_of_rows (GPtrArray *results)
{
  g_autoptr(AccArray) x = new_matrix (), before = acc_array_map (x, scale, NULL), sums = acc_array_cumsum (before);

  g_ptr_array_add (results, acc_array_map (sums, scale, NULL));
}

static void
scatter (GPtrArray *results)
{
  g_autoptr(AccArray) x = new_vector (), values = acc_array_map (x, scale, NULL), places = acc_array_imap (x, place_of, NULL);

  g_ptr_array_add (results, acc_array_scatter (values, x, places));
}

static void
histogram (GPtrArray *results)
{
  g_autoptr(AccShape) bins = acc_shape_new_vector (128);
  g_autoptr(AccArray) x = new_array (ACC_KIND_U8, 1, N, 1, 1), places = acc_array_map (x, to_bin, NULL),
    ones = acc_array_map (x, one, NULL);
  g_autoptr(AccArray) none = acc_array_generate (bins, zero, NULL);

  g_ptr_array_add (results, acc_array_permute (ones, none, places, add, NULL));
}

static void
filter (GPtrArray *results)
{
  g_autoptr(AccArray) x = new_vector ();

  g_ptr_array_add (results, acc_array_filter (x, is_large, NULL, NULL));
}

static void
stencil_of_cheap (GPtrArray *results)
{
  g_autoptr(AccArray) x = new_matrix (), y = acc_array_map (x, scale, NULL);

  g_ptr_array_add (results, stencil (y, 3, 3, cross));
}

static void
stencil_of_costly (GPtrArray *results)
{
  g_autoptr(AccArray) x = new_matrix (), y = acc_array_map (x, costly, NULL);

  g_ptr_array_add (results, stencil (y, 3, 3, cross));
}

static void
separable_blur (GPtrArray *results)
{
  g_autoptr(AccArray) x = new_matrix (), y = stencil (x, 1, 3, across);

  g_ptr_array_add (results, stencil (y, 3, 1, down));
}

static void
chained_stencils (GPtrArray *results)
{
  g_autoptr(AccArray) x = new_matrix (), a = stencil (x, 3, 3, cross), b = stencil (a, 3, 3, cross), c = stencil (b, 3, 3, cross);

  g_ptr_array_add (results, stencil (c, 3, 3, cross));
}

/* What is left of an equation, and its norm */
static void
stencil_and_norm (GPtrArray *results)
{
  g_autoptr(AccArray) x = new_matrix (), v = new_matrix (), product = stencil (x, 3, 3, cross), rest = acc_array_sub (v, product);
  g_autoptr(AccArray) squares = acc_array_zip_with (rest, rest, mul, NULL);

  g_ptr_array_add (results, g_object_ref (rest));
  g_ptr_array_add (results, sum_all (squares));
}

static void
gradient (GPtrArray *results)
{
  g_autoptr(AccArray) x = new_matrix (), a = stencil (x, 3, 3, across), b = stencil (x, 3, 3, down);

  g_ptr_array_add (results, acc_array_zip_with (a, b, mul, NULL));
}

static void
rows_and_epilogue (GPtrArray *results)
{
  g_autoptr(AccArray) x = new_matrix (), sums = acc_array_sum (x);

  g_ptr_array_add (results, acc_array_map (sums, share, NULL));
}

/* Rows less their mean: the sum is read by all of its row */
static void
centred_rows (GPtrArray *results)
{
  g_autoptr(AccArray) x = new_matrix (), means = acc_array_mean (x), each = acc_array_replicate (means, (gint64[]) { ACC_ALL, SIDE }, 2);

  g_ptr_array_add (results, acc_array_sub (x, each));
}

static void
segments (GPtrArray *results)
{
  g_autoptr(AccArray) x = new_vector (), y = acc_array_map (x, scale, NULL), lengths = new_array (ACC_KIND_I32, 1, N / 16, 1, 1);
  g_autoptr(AccArray) sums = acc_array_fold_seg (y, acc_expr_new_float (0), lengths, add, NULL);

  g_ptr_array_add (results, acc_array_map (sums, scale, NULL));
}

static void
scans_of_segments (GPtrArray *results)
{
  g_autoptr(AccArray) x = new_vector (), y = acc_array_map (x, scale, NULL), lengths = new_array (ACC_KIND_I32, 1, N / 16, 1, 1);
  g_autoptr(AccArray) sums = acc_array_scanl1_seg (y, lengths, add, NULL);

  g_ptr_array_add (results, acc_array_map (sums, scale, NULL));
}

static AccExpr *
power (AccExpr *x, gpointer data)
{
  AccExpr *re = acc_expr_real (x), *im = acc_expr_imag (x);

  return acc_expr_add (acc_expr_mul (re, re), acc_expr_mul (im, im));
}

static void
matrix_times_vector (GPtrArray *results)
{
  g_autoptr(AccArray) a = new_matrix (), x = new_array (ACC_KIND_F32, 1, SIDE, 1, 1);
  g_autoptr(AccArray) each = acc_array_replicate (x, (gint64[]) { SIDE, ACC_ALL }, 2);
  g_autoptr(AccArray) products = acc_array_zip_with (a, each, mul, NULL), sums = acc_array_sum (products);

  g_ptr_array_add (results, acc_array_map (sums, scale, NULL));
}

/* What is made of the product is computed with it. */
static void
product_and_epilogue (GPtrArray *results)
{
  g_autoptr(AccArray) x = new_matrix (), y = new_matrix (), turned = acc_array_transpose (y), product = acc_array_matmul (x, turned);

  g_ptr_array_add (results, acc_array_map (product, scale, NULL));
}

/* What is transformed is computed as it is read, and what is made of it as it is stored. */
static void
spectra (GPtrArray *results)
{
  g_autoptr(AccArray) x = new_matrix (), doubled = acc_array_map (x, scale, NULL), spectrum = acc_array_fft (doubled, ACC_FFT_FORWARD);

  g_ptr_array_add (results, acc_array_map (spectrum, power, NULL));
}

static AccExpr *
weigh (AccExpr *place, gpointer data)
{
  return acc_expr_cast (acc_expr_add (place, acc_expr_new_int (1)), acc_element_type_new (ACC_KIND_F32));
}

/* A search for each is a scalar loop, between what comes before and after. */
static void
searches (GPtrArray *results)
{
  g_autoptr(AccArray) edges = new_array (ACC_KIND_F32, 1, 100, 1, 1), x = new_vector (), y = acc_array_map (x, scale, NULL);
  g_autoptr(AccArray) places = acc_array_searchsorted (edges, y, FALSE);

  g_ptr_array_add (results, acc_array_map (places, weigh, NULL));
}

static void
transposed (GPtrArray *results)
{
  g_autoptr(AccArray) x = new_matrix (), turned = acc_array_transpose (x), y = acc_array_map (turned, scale, NULL);

  g_ptr_array_add (results, acc_array_zip_with (y, x, add, NULL));
}

static void
zipped_views (GPtrArray *results)
{
  g_autoptr(AccArray) x = new_matrix (), flat = acc_array_flatten (x), back = acc_array_reverse (flat), tail = acc_array_drop (flat, 1);

  g_ptr_array_add (results, acc_array_zip_with (back, tail, add, NULL));
}

static void
edges (GPtrArray *results)
{
  g_autoptr(AccArray) picture = new_array (ACC_KIND_U8, 3, SIDE, SIDE, 3);

  g_autoptr(AccArray) grades = picture_thin (picture, 0.1, 0.3);

  g_ptr_array_add (results, picture_follow_near (grades));
}

/* Where the largest so far is: one part of pairs */
static AccArray *
new_places (AccArray *x)
{
  g_autoptr(AccArray) pairs = acc_array_imap (x, numbered, NULL), best = acc_array_scanl1 (pairs, larger, NULL);

  return acc_array_unzip (best, 1);
}

static void
part_by_index (GPtrArray *results)
{
  g_autoptr(AccArray) x = new_vector (), places = new_places (x);

  g_ptr_array_add (results, acc_array_imap (x, of_other_end, places));
}

static void
part_by_index_and_result (GPtrArray *results)
{
  g_autoptr(AccArray) x = new_vector (), places = new_places (x);

  g_ptr_array_add (results, acc_array_imap (x, of_other_end, places));
  g_ptr_array_add (results, g_object_ref (places));
}

typedef struct {
  const char *name;
  Build       build;
  guint       n_steps, n_kernels;
  double      bytes;             /* read and written, by element of an array of N; scratch of less than a 20th is left out */
  double      by_rows;           /* where intermediates stay in caches, row by row; 0: it does not go by rows */
  guint       n_steps_groups;    /* on devices of groups of threads */
  double      bytes_groups;
  double      least;             /* any program for it moves so many: inputs and results, once */
  const char *why;               /* why it is not the least: NULL where it is */
} Program;

#define P(name) #name, name

/* Steps, kernels, bytes, by rows; steps and bytes on groups; least, and why it is not that */
static const Program programs[] = {
  { P (maps), 1, 1, 8, 8, 1, 8, 8, NULL },
  { P (dot), 1, 2, 8, 0, 1, 8, 8, NULL },
  { P (mean_and_variance), 1, 2, 4, 0, 1, 4, 4, NULL },
  { P (mean_and_variance_of_rows), 1, 1, 4, 4, 1, 4, 4, NULL },
  { P (minimum_and_maximum), 1, 2, 4, 0, 1, 4, 4, NULL },
  { P (argmax), 1, 2, 4, 0, 1, 4, 4, NULL },
  { P (minimum_and_argmin), 1, 1, 4, 4, 1, 4, 4, NULL },
  { P (costly_map_two_folds), 1, 2, 4, 0, 1, 4, 4, NULL },
  { P (costly_map_two_row_folds), 1, 1, 4, 4, 1, 4, 4, NULL },
  { P (costly_map_two_maps), 1, 1, 12, 12, 1, 12, 12, NULL },
  { P (next_and_change), 1, 2, 8, 0, 2, 16, 8, NULL },
  { P (map_and_sum), 1, 2, 8, 0, 2, 12, 8, NULL },
  { P (scan_between_maps), 1, 3, 8, 8, 1, 8, 8, NULL },
  { P (part_by_index), 2, 4, 20, 20, 2, 20, 8, "places are read from the other end" },
  { P (part_by_index_and_result), 2, 4, 20, 0, 2, 20, 12, "places are read from the other end" },
  { P (scan_of_rows), 1, 1, 8, 8, 1, 8, 8, NULL },
  { P (scatter), 2, 3, 32, 16, 2, 56, 8,
    "places cost more than a loop without lanes should do; the result begins as a copy of the defaults" },
  { P (histogram), 1, 4, 1, 0, 1, 1, 1, NULL },
  { P (filter), 1, 3, 6, 0, 2, 26, 6, NULL },
  { P (stencil_of_cheap), 1, 1, 8, 8, 1, 8, 8, NULL },
  { P (stencil_of_costly), 2, 2, 16, 8, 2, 16, 8, "unless by rows" },
  { P (separable_blur), 2, 2, 16, 8, 2, 16, 8, "unless by rows" },
  { P (chained_stencils), 4, 4, 32, 8, 4, 32, 8, "unless by rows" },
  { P (stencil_and_norm), 2, 3, 16, 16, 2, 16, 12, "no fold takes a stencil in" },
  { P (gradient), 1, 1, 8, 8, 1, 8, 8, NULL },
  { P (rows_and_epilogue), 1, 1, 4, 4, 1, 4, 4, NULL },
  { P (centred_rows), 2, 2, 12, 12, 2, 12, 8, "rows are read again once their sum is known" },
  { P (segments), 4, 5, 7.25, 25.91, 5, 8.76, 4.5,
    "lengths are added, looked at and read as offsets; by rows blocks of sums are made first" },
  { P (scans_of_segments), 2, 4, 11.75, 9.9, 3, 13.26, 8.25, "pieces of long segments are summed before they are scanned" },
  { P (matrix_times_vector), 1, 1, 4, 4, 1, 4, 4, NULL },
  { P (product_and_epilogue), 1, 2, 20, 20.3, 2, 20, 12, "the right factor is copied into panels; a run by rows and groups turn it first" },
  { P (spectra), 11, 11, 104, 104, 1, 8.01, 8, "passes are stored, but on groups; tables of factors are kernels of their own" },
  { P (searches), 1, 1, 8, 8, 1, 8, 8, NULL },
  { P (transposed), 1, 1, 8.31, 8.31, 1, 8, 8, "blocks wait in scratch, which caches keep" },
  { P (zipped_views), 1, 1, 8, 8, 1, 8, 8, NULL },
  { P (edges), 6, 6, 24, 4, 6, 24, 4, "unless by rows" },
};

/* Numbers that extents are read from are known before the rest is planned: say that they are @KEPT. */
static void
bind_extents (GPtrArray *results, GPtrArray *bound, GPtrArray *values)
{
  g_autoptr(GPtrArray) nodes = acc_array_sort_nodes ((AccArray **) results->pdata, results->len);

  for (guint i = 0; i < nodes->len; i++)
    {
      g_autoptr(GPtrArray) reads = acc_array_list_extent_reads (g_ptr_array_index (nodes, i), NULL);

      for (guint k = 0; reads != NULL && k < reads->len; k++)
        if (!g_ptr_array_find (bound, g_ptr_array_index (reads, k), NULL))
          {
            AccArray *value = new_array (ACC_KIND_I64, 0, 1, 1, 1);

            *(gint64 *) acc_array_get_buffers (value)[0]->data = KEPT;
            g_ptr_array_add (bound, g_ptr_array_index (reads, k));
            g_ptr_array_add (values, value);
          }
    }
}

static AccSchedule *
plan (const Program *program, const AccTarget *target)
{
  g_autoptr(GPtrArray) results = g_ptr_array_new_with_free_func (g_object_unref);
  g_autoptr(GPtrArray) values = g_ptr_array_new_with_free_func (g_object_unref), bound = g_ptr_array_new ();
  g_autoptr(GError) error = NULL;
  AccSchedule *schedule;

  program->build (results);
  bind_extents (results, bound, values);
  schedule = acc_schedule_new (target, NULL, (AccArray **) results->pdata, results->len, (AccArray **) bound->pdata,
                               (AccArray **) values->pdata, bound->len, &error);
  g_assert_no_error (error);

  return schedule;
}

static double
per_element (AccTraffic traffic)
{
  return (double) (traffic.read + traffic.written) / N;
}

static double
count_bytes_by_rows (const Program *program)
{
  const AccTarget by_rows = { .model = ACC_MODEL_CPU, .by_rows = TRUE };
  g_autoptr(AccSchedule) schedule = plan (program, &by_rows);
  g_auto(AccRowLayout) layout = { 0 };

  return acc_row_layout_init (&layout, schedule, FALSE, NULL) ? per_element (acc_row_layout_count_traffic (&layout)) : 0;
}

static void
test_program (gconstpointer data)
{
  const AccTarget groups = { .model = ACC_MODEL_SIMT, .group_size = 256, .max_group_size = 1024, .subgroup_size = 32, .shared_bytes = 49152,
                             .n_groups = 1024, .has_progress = TRUE, .has_residency = TRUE, .has_atomic_64 = TRUE,
                             .has_atomic_add_f32 = TRUE, .has_atomic_add_f64 = TRUE, .merges_loads = TRUE, .max_held = 32, .kinds = ~0u };
  const Program *program = data;
  g_autoptr(AccSchedule) schedule = plan (program, &acc_target_cpu), on_groups = plan (program, &groups);
  AccTraffic traffic = acc_schedule_count_traffic (schedule, NULL), traffic_on_groups = acc_schedule_count_traffic (on_groups, NULL);

  g_test_message ("%s: %u steps, %u kernels, %.2f bytes, %.2f by rows; groups: %u steps, %.2f bytes; least %.2f", program->name,
                  traffic.n_steps, traffic.n_kernels, per_element (traffic), count_bytes_by_rows (program), on_groups->n_steps,
                  per_element (traffic_on_groups), program->least);

  g_assert_cmpint (traffic.n_steps, ==, program->n_steps);
  g_assert_cmpint (traffic.n_kernels, ==, program->n_kernels);
  g_assert_cmpfloat_with_epsilon (per_element (traffic), program->bytes, 0.05);
  g_assert_cmpfloat_with_epsilon (count_bytes_by_rows (program), program->by_rows, 0.05);
  g_assert_cmpint (on_groups->n_steps, ==, program->n_steps_groups);
  g_assert_cmpfloat_with_epsilon (per_element (traffic_on_groups), program->bytes_groups, 0.05);

  /* The table does not tell tales. */
  g_assert_cmpfloat (program->least, <=, program->bytes);
  g_assert_true ((program->why == NULL) == (program->bytes == program->least));
}

/* Why what is stored is stored */

static void
assert_says (Build       build,
             const char *what)
{
  const Program program = { .build = build };
  g_autoptr(AccSchedule) schedule = plan (&program, &acc_target_cpu);
  g_autofree char *text = acc_schedule_to_string (schedule);

  if (strstr (text, what) == NULL)
    g_error ("“%s” is not in:\n%s", what, text);
}

static void
costly_reversed_scan (GPtrArray *results)
{
  g_autoptr(AccArray) x = new_vector (), sums = acc_array_cumsum (x);

  g_ptr_array_add (results, acc_array_reverse (sums));
}

static void
asked (GPtrArray *results)
{
  g_autoptr(AccArray) x = new_vector (), y = acc_array_map (x, scale, NULL), stored = acc_array_compute (y);

  g_ptr_array_add (results, acc_array_map (stored, scale, NULL));
}

static void
sum_of_sums (GPtrArray *results)
{
  g_autoptr(AccArray) x = new_matrix (), sums = acc_array_sum (x);

  g_ptr_array_add (results, sum_all (sums));
}

static void
scattered_twice (GPtrArray *results)
{
  g_autoptr(GPtrArray) once = g_ptr_array_new_with_free_func (g_object_unref);

  scatter (once);
  g_ptr_array_add (results, acc_array_map (once->pdata[0], scale, NULL));
}

/* Of more than stays in caches: four operations, five times */
static void
stencil_of_large (GPtrArray *results, gint64 n_rows, gint64 n_columns, AccBoundaryKind kind)
{
  g_autoptr(AccArray) x = new_array (ACC_KIND_F32, 2, n_rows, n_columns, 1), y = acc_array_map (x, scale, NULL);
  g_autoptr(AccArray) z = acc_array_map (y, scale, NULL);
  g_autoptr(AccBoundary) boundary = acc_boundary_new (kind);

  g_ptr_array_add (results, acc_array_stencil (z, (gint64[]) { 3, 3 }, 2, boundary, cross, NULL));
}

static void
stencil_in_bands (GPtrArray *results)
{
  stencil_of_large (results, 4 * SIDE, SIDE, ACC_BOUNDARY_CLAMP);
}

static void
stencil_of_other_end (GPtrArray *results)
{
  stencil_of_large (results, 4 * SIDE, SIDE, ACC_BOUNDARY_WRAP);
}

static void
stencil_of_long_rows (GPtrArray *results)
{
  stencil_of_large (results, 256, 16 * SIDE, ACC_BOUNDARY_CLAMP);
}

static void
stencil_of_few_rows (GPtrArray *results)
{
  stencil_of_large (results, 255, 16 * SIDE, ACC_BOUNDARY_CLAMP);
}

static void
sorted_pairs (GPtrArray *results)
{
  g_autoptr(AccArray) x = new_vector (), y = new_vector ();
  AccArray *keys = NULL;

  g_ptr_array_add (results, acc_array_sort_pairs (x, y, FALSE, &keys));
  g_ptr_array_add (results, keys);
}

static void
test_why (void)
{
  assert_says (sorted_pairs, "step 0: sort_pairs + sort_pairs + sort_pairs");
  assert_says (stencil_in_bands, "stored: fused, its 4 operations would be done 5 times per element; storing it costs 8");
  assert_says (stencil_of_other_end, "in all: 1 step");
  assert_says (stencil_of_long_rows, "in all: 2 steps");
  assert_says (stencil_of_few_rows, "in all: 1 step");
  assert_says (stencil_of_costly, "stored: fused, its 32 operations would be done 5 times per element; storing it costs 9");
  assert_says (costly_reversed_scan, "stored: what a scanl1 gives is read more than once, or in another order");
  assert_says (asked, "stored: compute asks for it");
  assert_says (sum_of_sums, "stored: the step that reads it has no room for a fold beside what it does");
  assert_says (scattered_twice, "stored: a permute is known when all of its input was seen");
  assert_says (scattered_twice, "a result");
  assert_says (segments, "stored: a function of elements reads it by index");
  assert_says (maps, "in all: 1 step, 1 kernel, 4194304 bytes read, 4194304 written");
}

static void
cross_of_few_rows (GPtrArray *results)
{
  g_autoptr(AccArray) x = new_array (ACC_KIND_F32, 2, SIDE - 1, SIDE, 1);

  g_ptr_array_add (results, stencil (x, 3, 3, cross));
}

static void
two_of_rows (GPtrArray *results)
{
  g_autoptr(AccArray) x = new_matrix (), a = stencil (x, 3, 3, cross), b = stencil (x, 3, 3, down);

  g_ptr_array_add (results, acc_array_zip_with (a, b, distance, NULL));
}

static guint
count_asked_by (const AccTarget *target,
                Build            build,
                guint            step)
{
  const Program program = { .build = build };
  g_autoptr(AccSchedule) schedule = plan (&program, target);
  guint n = 0;

  for (guint i = 0; i < schedule->steps[step].n_launches; i++)
    {
      g_autofree char *text = acc_kernel_to_string (schedule->steps[step].launches[i].kernel);

      for (const char *at = text; (at = strstr (at, "prefetch ")) != NULL; at++)
        n++;
    }

  return n;
}

static guint
count_asked (Build build,
             guint step)
{
  return count_asked_by (&acc_target_cpu, build, step);
}

/* A stencil asks for rows ahead of its last neighbour in an array of 4 MiB that is given: once, and not where rows are few or in a
 * cache. */
static void
test_rows_ahead (void)
{
  g_assert_cmpuint (count_asked (chained_stencils, 0), ==, 1);
  g_assert_cmpuint (count_asked (chained_stencils, 1), ==, 0);
  g_assert_cmpuint (count_asked (cross_of_few_rows, 0), ==, 0);
  g_assert_cmpuint (count_asked (separable_blur, 0), ==, 0);
  g_assert_cmpuint (count_asked (stencil_of_cheap, 0), ==, 1);
  g_assert_cmpuint (count_asked (two_of_rows, 0), ==, 1);
}

/* --- indices that wrap are seen to be inside */

typedef AccExpr *(*Wrap) (AccExpr *i, AccExpr *n);

static AccExpr *
below (AccExpr *i, AccExpr *n)
{
  AccExpr *sum = acc_expr_add (i, acc_expr_new_int (3));

  return acc_expr_cond (acc_expr_lt (sum, n), sum, acc_expr_sub (sum, n));
}

static AccExpr *
not_below (AccExpr *i, AccExpr *n)
{
  AccExpr *difference = acc_expr_sub (i, acc_expr_new_int (3));

  return acc_expr_cond (acc_expr_ge (difference, acc_expr_new_int (0)), difference, acc_expr_add (difference, n));
}

static AccExpr *
mirrored_but_first (AccExpr *i, AccExpr *n)
{
  return acc_expr_cond (acc_expr_eq (acc_expr_new_int (0), i), i, acc_expr_sub (n, i));
}

static AccExpr *
twice_too_far (AccExpr *i, AccExpr *n)
{
  AccExpr *sum = acc_expr_add (acc_expr_add (i, i), acc_expr_new_int (3));

  return acc_expr_cond (acc_expr_lt (sum, n), sum, acc_expr_sub (sum, n));
}

static AccExpr *
mirrored (AccExpr *i, AccExpr *n)
{
  return acc_expr_cond (acc_expr_ne (acc_expr_new_int (1), i), acc_expr_sub (n, i), i);
}

static AccExpr *
of_other_index (AccExpr *i, AccExpr *n)
{
  return acc_expr_cond (acc_expr_lt (i, acc_expr_new_int (3)), acc_expr_sub (n, acc_expr_new_int (1)),
                        acc_expr_add (i, acc_expr_new_int (3)));
}

static const struct {
  Wrap     wrap;
  gboolean is_checked;
} wraps[] = {
  { below, FALSE }, { not_below, FALSE }, { mirrored_but_first, FALSE }, { twice_too_far, TRUE }, { mirrored, TRUE },
  { of_other_index, TRUE }, };

static guint which_wrap;

static AccExpr *
wrapped_element (AccExpr *index, gpointer array)
{
  return acc_expr_linear_index (array, wraps[which_wrap].wrap (index, acc_expr_extent (array, 0)));
}

static void
wrapped (GPtrArray *results)
{
  g_autoptr(AccArray) x = new_array (ACC_KIND_F32, 1, 1000, 1, 1);

  g_ptr_array_add (results, acc_array_generate (acc_array_get_shape (x), wrapped_element, x));
}

static void
test_wraps (void)
{
  for (which_wrap = 0; which_wrap < G_N_ELEMENTS (wraps); which_wrap++)
    {
      const Program program = { .build = wrapped };
      g_autoptr(AccSchedule) schedule = plan (&program, &acc_target_cpu);
      g_autofree char *text = acc_kernel_to_string (schedule->steps[0].launches[0].kernel);

      g_test_message ("%u: %s", which_wrap, text);
      g_assert_cmpint (strstr (text, "check ") != NULL, ==, wraps[which_wrap].is_checked);
    }
}

/* From @n elements, of as many indices. */
static AccArray *
new_gathered (gint64 n,
              gint64 n_indices)
{
  g_autoptr(AccArray) x = new_array (ACC_KIND_F32, 1, n, 1, 1), indices = new_array (ACC_KIND_U32, 1, n_indices, 1, 1);

  return acc_array_gather (x, indices);
}

static void
gathered (GPtrArray *results)
{
  g_ptr_array_add (results, new_gathered (1 << 20, 1 << 16));
}

static void
sum_of_gathered (GPtrArray *results)
{
  g_autoptr(AccArray) x = new_gathered (1 << 20, 1 << 16);

  g_ptr_array_add (results, sum_all (x));
}

static void
sum_of_gathered_near (GPtrArray *results)
{
  g_autoptr(AccArray) x = new_gathered (1 << 19, 1 << 21);

  g_ptr_array_add (results, sum_all (x));
}

static void
short_rows_of_gathered (GPtrArray *results)
{
  g_autoptr(AccShape) shape = acc_shape_new_matrix (1 << 8, 200);
  g_autoptr(AccArray) x = new_gathered (1 << 20, 200 << 8), rows = acc_array_reshape (x, shape);

  g_ptr_array_add (results, acc_array_fold (rows, acc_expr_new_float (0), add, NULL));
}

static AccArray *
sum_segments (AccArray *x)
{
  g_autoptr(AccArray) offsets = new_array (ACC_KIND_I64, 1, 1 << 12, 1, 1);

  return acc_array_fold_seg_offsets (x, acc_expr_new_float (0), offsets, add, NULL);
}

static void
segments_of_gathered (GPtrArray *results)
{
  g_autoptr(AccArray) x = new_gathered (1 << 19, 1 << 16);

  g_ptr_array_add (results, sum_segments (x));
}

static void
segments_from_memory (GPtrArray *results)
{
  g_autoptr(AccArray) x = new_gathered (8 << 20, 1 << 16);

  g_ptr_array_add (results, sum_segments (x));
}

static void
segments_of_given (GPtrArray *results)
{
  g_autoptr(AccArray) x = new_array (ACC_KIND_F32, 1, 1 << 21, 1, 1);

  g_ptr_array_add (results, sum_segments (x));
}

/* Elements of an array of 4 MiB, or of 2 where segments are folded, of 32 by lanes, at places that are loaded: wherever one is folded. Not
 * where the array is smaller, however many places there are, and where rows end before. */
static void
test_elements_ahead (void)
{
  AccTarget lanes = acc_target_cpu;

  lanes.has_gathers = TRUE;
  g_assert_cmpuint (count_asked (gathered, 0), ==, 1);
  g_assert_cmpuint (count_asked (sum_of_gathered, 0), >, 0);
  g_assert_cmpuint (count_asked (sum_of_gathered_near, 0), ==, 0);
  g_assert_cmpuint (count_asked (short_rows_of_gathered, 0), ==, 0);
  g_assert_cmpuint (count_asked (segments_of_gathered, 0), >, 0);
  g_assert_cmpuint (count_asked (segments_of_given, 0), ==, 0);
  g_assert_cmpuint (count_asked_by (&lanes, segments_of_gathered, 0), ==, 0);
  g_assert_cmpuint (count_asked_by (&lanes, segments_from_memory, 0), >, 0);
}

static void
variance_of (GPtrArray *results,
             gint64     n)
{
  g_autoptr(AccArray) x = new_array (ACC_KIND_F32, 1, n, 1, 1);

  g_ptr_array_add (results, acc_array_variance (x, 0));
}

static void
variance_from_memory (GPtrArray *results)
{
  variance_of (results, 1 << 20);
}

static void
variance_from_cache (GPtrArray *results)
{
  variance_of (results, (1 << 20) - 1);
}

static void
sum_from_memory (GPtrArray *results)
{
  g_autoptr(AccArray) x = new_array (ACC_KIND_F32, 1, 1 << 20, 1, 1);

  g_ptr_array_add (results, sum_all (x));
}

/* Elements that are combined by eights: each of the block that comes after the next. Sums need not ask. */
static void
test_blocks_ahead (void)
{
  g_assert_cmpuint (count_asked (variance_from_memory, 0), ==, 8);
  g_assert_cmpuint (count_asked (variance_from_cache, 0), ==, 0);
  g_assert_cmpuint (count_asked (sum_from_memory, 0), ==, 0);
}

static void
test_picture (void)
{
  const Program program = { .build = stencil_of_costly };
  g_autoptr(AccSchedule) schedule = plan (&program, &acc_target_cpu);
  g_autofree char *dot = acc_schedule_to_dot (schedule);

  g_assert_nonnull (strstr (dot, "subgraph cluster_1 {"));
  g_assert_nonnull (strstr (dot, "  s0_1 -> v0 [label=\"4194304 bytes\"];"));
  g_assert_nonnull (strstr (dot, "  v0 -> s1_1 [label=\"4194304 bytes\"];"));
  g_assert_null (strstr (dot, "dashed"));
}

static void
test_picture_of_fused (void)
{
  const Program program = { .build = maps };
  g_autoptr(AccSchedule) schedule = plan (&program, &acc_target_cpu);
  g_autofree char *dot = acc_schedule_to_dot (schedule);

  g_assert_nonnull (strstr (dot, "    s0_2 -> s0_1 [style=dashed];"));
  g_assert_null (strstr (dot, "cluster_1"));
}

int
main (int argc, char **argv)
{
  g_test_init (&argc, &argv, NULL);

  for (guint i = 0; i < G_N_ELEMENTS (programs); i++)
    {
      g_autofree char *path = g_strdup_printf ("/fusion/%s", programs[i].name);

      g_test_add_data_func (path, &programs[i], test_program);
    }
  g_test_add_func ("/fusion-report/why", test_why);
  g_test_add_func ("/fusion/rows-ahead", test_rows_ahead);
  g_test_add_func ("/fusion/wraps", test_wraps);
  g_test_add_func ("/fusion/elements-ahead", test_elements_ahead);
  g_test_add_func ("/fusion/blocks-ahead", test_blocks_ahead);
  g_test_add_func ("/fusion-report/picture", test_picture);
  g_test_add_func ("/fusion-report/picture-of-fused", test_picture_of_fused);

  return g_test_run ();
}
