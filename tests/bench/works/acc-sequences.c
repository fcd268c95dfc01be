/* SPDX-License-Identifier: LGPL-2.1-or-later */

/* Sequences, walked anew in each run, and the plain programs that compute the same, where there are such. */

#include "acc-works.h"
#include "inputs.h"
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
  { "seq-audio", prepare_audio, acc_work_run, acc_work_check, acc_work_free },
  { NULL }
};

const Work acc_sequences_plain[] = {
  { "seq-row-sums", prepare_plain_row_sums, acc_work_run, acc_work_check, acc_work_free },
  { "seq-mandelbrot", prepare_plain_mandelbrot, acc_work_run, check_mandelbrot, acc_work_free },
  { "seq-frames", prepare_plain_frames, acc_work_run, acc_work_check, acc_work_free },
  { "seq-audio", prepare_plain_audio, acc_work_run, acc_work_check, acc_work_free },
  { NULL }
};
