/* SPDX-License-Identifier: LGPL-2.1-or-later */

/* Sequences, walked anew in each run, and the plain programs that compute the same, where there are such. */

#include "acc-works.h"
#include "inputs.h"
#include "pull.h"
#include "steps.h"

#include <stdlib.h>

/* --- sums of rows */

static AccArray *
sum_of_row (AccArray **row, guint n, gpointer data)
{
  return acc_array_sum (row[0]);
}

static GPtrArray *
build_row_sums (AccArray **a, guint n, gpointer data)
{
  g_autoptr(AccSequence) rows = acc_sequence_new_from_array (a[0]), sums = acc_sequence_map (rows, sum_of_row, NULL);

  return acc_work_alone (acc_sequence_elements (sums));
}

static gpointer
prepare_row_sums (gsize n)
{
  AccWork *self = acc_work_new ();

  acc_work_add_matrix (self, "f4", contender_floats (n * n, 1, 0, 1), n, n);
  return acc_work_build_anew (self, build_row_sums, NULL, NULL);
}

static gpointer
prepare_plain_row_sums (gsize n)
{
  AccWork *self = acc_work_new ();

  acc_work_add_matrix (self, "f4", contender_floats (n * n, 1, 0, 1), n, n);
  return acc_work_compile (self, sum_of_row, NULL);
}

/* --- Mandelbrot set by rows */

static View
view_of (gsize side)
{
  return (View) {
    .height = side, .width = side, .limit = MANDELBROT_LIMIT,
    .left = MANDELBROT_LEFT, .top = MANDELBROT_TOP, .pixel = MANDELBROT_ACROSS / side,
  };
}

static AccArray *
steps_of_row (AccArray **row, guint n, gpointer view)
{
  return mandelbrot_steps_of_row (view, row[0]);
}

static GPtrArray *
build_mandelbrot (AccArray **a, guint n, gpointer data)
{
  View view = view_of (GPOINTER_TO_SIZE (data));
  g_autoptr(AccSequence) rows = acc_sequence_new_generate (view.height, steps_of_row, &view);

  return acc_work_alone (acc_sequence_stack (rows));
}

static gpointer
prepare_mandelbrot (gsize side)
{
  return acc_work_build_anew (acc_work_new (), build_mandelbrot, GSIZE_TO_POINTER (side), NULL);
}

static AccArray *
build_plain_mandelbrot (AccArray **a, guint n, gpointer view)
{
  return mandelbrot_steps (view);
}

static gpointer
prepare_plain_mandelbrot (gsize side)
{
  View view = view_of (side);

  return acc_work_compile (acc_work_new (), build_plain_mandelbrot, &view);
}

static double
check_mandelbrot (gpointer data)
{
  AccWork *self = data;
  AccArray *steps = g_ptr_array_index (self->results, 0);

  return contender_digest_u4 ((gconstpointer) (guintptr) acc_array_get_address (steps, 0),
                              acc_shape_get_size (acc_array_get_shape (steps)));
}

/* --- the sum of frames */

static GPtrArray *
build_frames (AccArray **a, guint n, gpointer data)
{
  g_autoptr(AccSequence) frames = acc_sequence_new_from_array (a[0]);

  return acc_work_alone (acc_sequence_fold (frames, NULL, acc_work_sum_of_two, NULL));
}

static void
add_frames (AccWork *self, gsize n)
{
  acc_work_add (self, "f4", contender_floats (n * FRAME_SIDE * FRAME_SIDE, 1, 0, 1), (gint64[]) { n, FRAME_SIDE, FRAME_SIDE }, 3);
}

static gpointer
prepare_frames (gsize n)
{
  AccWork *self = acc_work_new ();

  add_frames (self, n);
  return acc_work_build_anew (self, build_frames, NULL, NULL);
}

static AccArray *
build_plain_frames (AccArray **a, guint n, gpointer data)
{
  g_autoptr(AccArray) rows = acc_array_transpose_on (a[0], 0, 1), pixels = acc_array_transpose_on (rows, 1, 2);

  return acc_array_sum (pixels);
}

static gpointer
prepare_plain_frames (gsize n)
{
  AccWork *self = acc_work_new ();

  add_frames (self, n);
  return acc_work_compile (self, build_plain_frames, NULL);
}

/* --- sparse rows by a vector */

static GPtrArray *
build_sparse_product (AccArray **a, guint n, gpointer data)
{
  g_autoptr(AccArray) elements = acc_array_zip (a[0], a[1]);
  g_autoptr(AccNestedArray) rows = acc_nested_array_new_from_offsets (elements, a[2]);
  g_autoptr(AccSequence) one_by_one = acc_sequence_new_from_nested (rows);
  g_autoptr(AccSequence) sums = acc_sequence_map (one_by_one, acc_work_row_by_vector, a[3]);

  return acc_work_alone (acc_sequence_elements (sums));
}

static gpointer
prepare_sparse_product (gsize n_rows)
{
  AccWork *self = acc_work_new ();
  gint64 *rows = contender_rows (n_rows);
  gint64 n = rows[n_rows];

  acc_work_add_vector (self, "f4", contender_floats (n, 1, 0, 1), n);
  acc_work_add_vector (self, "u4", contender_words (n, 2, n_rows), n);
  acc_work_add_vector (self, "i8", rows, n_rows + 1);
  acc_work_add_vector (self, "f4", contender_floats (n_rows, 3, 0, 1), n_rows);
  return acc_work_build_anew (self, build_sparse_product, NULL, NULL);
}

/* --- n-body, body by body */

static AccArray *
pull_on_body (AccArray **body, guint n, gpointer data)
{
  AccArray **others = data;

  return bodies_get_pull_on (body[0], others[0], others[1]);
}

static GPtrArray *
build_bodies (AccArray **a, guint n, gpointer data)
{
  g_autoptr(AccArray) positions = acc_bodies_get_positions (a);
  g_autoptr(AccSequence) bodies = acc_sequence_new_from_array (positions);
  g_autoptr(AccSequence) pulls = acc_sequence_map (bodies, pull_on_body, (AccArray *[]) { positions, a[3] });

  return acc_work_alone (acc_sequence_elements (pulls));
}

static gpointer
prepare_bodies (gsize n)
{
  return acc_work_build_anew (acc_bodies_new (n), build_bodies, NULL, NULL);
}

/* --- PageRank: pages that link to each page, their ranks, and how many links each has */

static AccExpr *
rank_of (AccExpr *page, gpointer shares)
{
  return acc_expr_linear_index (shares, page);
}

static AccArray *
sum_of_shares (AccArray **links, guint n, gpointer shares)
{
  g_autoptr(AccArray) all = acc_array_map (links[0], rank_of, shares);

  return acc_array_sum (all);
}

static AccExpr *
share (AccExpr *rank, AccExpr *links, gpointer data)
{
  return acc_expr_fdiv (rank, links);
}

static AccExpr *
damp (AccExpr *sum, gpointer ranks)
{
  return acc_expr_add (acc_expr_mul (sum, acc_expr_new_float (PAGERANK_DAMPING)),
                       acc_expr_fdiv (acc_expr_new_float (1 - PAGERANK_DAMPING),
                                      acc_expr_cast (acc_expr_extent (ranks, 0), acc_element_type_new (ACC_KIND_F32))));
}

/* @round: the sums of shares of all pages */
static AccArray *
rank_pages (AccArray **a, AccArray *(*round) (AccNestedArray *links, AccArray *shares))
{
  g_autoptr(AccNestedArray) links = acc_nested_array_new_from_offsets (a[0], a[1]);
  AccArray *ranks = g_object_ref (a[2]);

  for (guint i = 0; i < PAGERANK_ROUNDS; i++)
    {
      g_autoptr(AccArray) old = ranks, shares = acc_array_zip_with (old, a[3], share, NULL), sums = round (links, shares);

      ranks = acc_array_map (sums, damp, a[2]);
    }
  return ranks;
}

static AccArray *
walk_links (AccNestedArray *links, AccArray *shares)
{
  g_autoptr(AccSequence) pages = acc_sequence_new_from_nested (links), sums = acc_sequence_map (pages, sum_of_shares, shares);

  return acc_sequence_elements (sums);
}

static AccArray *
map_links (AccNestedArray *links, AccArray *shares)
{
  g_autoptr(AccNestedArray) sums = acc_nested_array_map (links, sum_of_shares, shares);

  return acc_nested_array_flatten (sums);
}

static GPtrArray *
build_pagerank (AccArray **a, guint n, gpointer data)
{
  return acc_work_alone (rank_pages (a, walk_links));
}

static AccArray *
build_plain_pagerank (AccArray **a, guint n, gpointer data)
{
  return rank_pages (a, map_links);
}

static AccWork *
new_pagerank (gsize n)
{
  AccWork *self = acc_work_new ();
  gint64 *offsets = contender_rows (n);
  guint32 *sources = contender_words (offsets[n], 2, n);

  acc_work_add_vector (self, "u4", sources, offsets[n]);
  acc_work_add_vector (self, "i8", offsets, n + 1);
  acc_work_add_vector (self, "f4", input_first_ranks (n), n);
  acc_work_add_vector (self, "f4", input_out_links (sources, offsets[n], n), n);
  return self;
}

static gpointer
prepare_pagerank (gsize n)
{
  return acc_work_build_anew (new_pagerank (n), build_pagerank, NULL, NULL);
}

static gpointer
prepare_plain_pagerank (gsize n)
{
  return acc_work_compile (new_pagerank (n), build_plain_pagerank, NULL);
}

/* --- powers of the tones in windows of a sound */

static AccExpr *
power (AccExpr *z, gpointer data)
{
  AccExpr *real = acc_expr_real (z), *imag = acc_expr_imag (z);

  return acc_expr_add (acc_expr_mul (real, real), acc_expr_mul (imag, imag));
}

static AccArray *
powers_of_window (AccArray **window, guint n, gpointer weights)
{
  g_autoptr(AccArray) weighted = acc_array_zip_with (window[0], weights, acc_work_times, NULL), tones = acc_array_rfft (weighted);

  return acc_array_map (tones, power, NULL);
}

static GPtrArray *
build_audio (AccArray **a, guint n, gpointer data)
{
  g_autoptr(AccSequence) windows = acc_sequence_new_windows (a[0], (gint64[]) { WINDOW_SIZE }, (gint64[]) { WINDOW_STEP }, 1, NULL);
  g_autoptr(AccSequence) powers = acc_sequence_map (windows, powers_of_window, a[1]);

  return acc_work_alone (acc_sequence_stack (powers));
}

static void
add_audio (AccWork *self, gsize n)
{
  acc_work_add_vector (self, "f4", contender_floats (n, 1, -1, 1), n);
  acc_work_add_vector (self, "f4", input_window (), WINDOW_SIZE);
}

static gpointer
prepare_audio (gsize n)
{
  AccWork *self = acc_work_new ();

  add_audio (self, n);
  return acc_work_build_anew (self, build_audio, NULL, NULL);
}

static AccExpr *
weighted_sample (AccExpr *index, gpointer arrays)
{
  AccArray **a = arrays;
  AccExpr *first = acc_expr_mul (acc_expr_item (index, 0), acc_expr_new_int (WINDOW_STEP));
  AccExpr *place = acc_expr_item (index, 1);

  return acc_expr_mul (acc_expr_linear_index (a[0], acc_expr_add (first, place)), acc_expr_linear_index (a[1], place));
}

static AccArray *
build_plain_audio (AccArray **a, guint n, gpointer size)
{
  g_autoptr(AccShape) shape = acc_shape_new_matrix ((*(gsize *) size - WINDOW_SIZE) / WINDOW_STEP + 1, WINDOW_SIZE);
  g_autoptr(AccArray) windows = acc_array_generate (shape, weighted_sample, a), tones = acc_array_rfft (windows);

  return acc_array_map (tones, power, NULL);
}

static gpointer
prepare_plain_audio (gsize n)
{
  AccWork *self = acc_work_new ();

  add_audio (self, n);
  return acc_work_compile (self, build_plain_audio, &n);
}

const Work acc_sequences[] = {
  { "seq-row-sums", prepare_row_sums, acc_work_run, acc_work_check, acc_work_free },
  { "seq-mandelbrot", prepare_mandelbrot, acc_work_run, check_mandelbrot, acc_work_free },
  { "seq-frames", prepare_frames, acc_work_run, acc_work_check, acc_work_free },
  { "seq-sparse-product", prepare_sparse_product, acc_work_run, acc_work_check, acc_work_free },
  { "seq-n-body", prepare_bodies, acc_work_run, acc_bodies_check, acc_work_free },
  { "seq-pagerank", prepare_pagerank, acc_work_run, acc_work_check, acc_work_free },
  { "seq-audio", prepare_audio, acc_work_run, acc_work_check, acc_work_free },
  { NULL }
};

const Work acc_sequences_plain[] = {
  { "seq-row-sums", prepare_plain_row_sums, acc_work_run, acc_work_check, acc_work_free },
  { "seq-mandelbrot", prepare_plain_mandelbrot, acc_work_run, check_mandelbrot, acc_work_free },
  { "seq-frames", prepare_plain_frames, acc_work_run, acc_work_check, acc_work_free },
  { "seq-pagerank", prepare_plain_pagerank, acc_work_run, acc_work_check, acc_work_free },
  { "seq-audio", prepare_plain_audio, acc_work_run, acc_work_check, acc_work_free },
  { NULL }
};
