/* SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

#include "conf-random.h"

/* The steps of conf-random-function.c. */

typedef AccArray *(*ConfStep) (ConfRandom *c, AccArray *x);

/* --- conf-random-steps.c: first what steps share */

/* Of the outermost dimension; whether it leaves @rest of 3; of all elements; of all dimensions, the first by @more (or NULL) longer. */
AccExpr *conf_extent_of (AccArray *array);
AccExpr *conf_leaves (AccArray *array, gint64 rest);
AccExpr *conf_size_of (AccArray *array);
AccExpr *conf_extents_of (AccArray *array, AccExpr *more);
/* Of rank 1 at least. */
AccArray *conf_with_rows (AccArray *x);
/* One more dimension, innermost or outermost, of @n. */
AccArray *conf_grow (AccArray *x, gboolean inner, gint64 n);
/* Its first leaves as integers. */
AccArray *conf_whole_numbers (AccArray *x, const char *code);
AccExpr *conf_initial_for (ConfRandom *c, AccArray *x, gboolean depends);
/* An associative one, whose data is an array. */
AccExprFunc2 conf_draw_operator (ConfRandom *c, AccArray *x);
/* @data: a ConfAccess with an array of rank 0 */
AccExpr *conf_with_total (AccExpr *x, gpointer data);

AccArray *conf_step_map (ConfRandom *c, AccArray *x);
AccArray *conf_step_imap (ConfRandom *c, AccArray *x);
AccArray *conf_step_zip_with (ConfRandom *c, AccArray *x);
AccArray *conf_step_zip_with3 (ConfRandom *c, AccArray *x);
AccArray *conf_step_zip (ConfRandom *c, AccArray *x);
AccArray *conf_step_unzip (ConfRandom *c, AccArray *x);
AccArray *conf_step_fill (ConfRandom *c, AccArray *x);
AccArray *conf_step_generate (ConfRandom *c, AccArray *x);
AccArray *conf_step_compute (ConfRandom *c, AccArray *x);
AccArray *conf_step_map_with_total (ConfRandom *c, AccArray *x);
AccArray *conf_step_reshape (ConfRandom *c, AccArray *x);
AccArray *conf_step_replicate (ConfRandom *c, AccArray *x);
AccArray *conf_step_slice (ConfRandom *c, AccArray *x);
AccArray *conf_step_backpermute (ConfRandom *c, AccArray *x);
AccArray *conf_step_rearrange (ConfRandom *c, AccArray *x);
AccArray *conf_step_stencil (ConfRandom *c, AccArray *x);
AccArray *conf_step_stencil2 (ConfRandom *c, AccArray *x);
AccArray *conf_step_fold (ConfRandom *c, AccArray *x);
AccArray *conf_step_fold1 (ConfRandom *c, AccArray *x);
AccArray *conf_step_fold_all (ConfRandom *c, AccArray *x);
AccArray *conf_step_fold1_all (ConfRandom *c, AccArray *x);
AccArray *conf_step_scan (ConfRandom *c, AccArray *x);
AccArray *conf_step_permute (ConfRandom *c, AccArray *x);
AccArray *conf_step_sort (ConfRandom *c, AccArray *x);
AccArray *conf_step_filter (ConfRandom *c, AccArray *x);

/* --- conf-random-flow.c */

AccArray *conf_step_choose (ConfRandom *c, AccArray *x);
AccArray *conf_step_loop (ConfRandom *c, AccArray *x);
AccArray *conf_step_foreign (ConfRandom *c, AccArray *x);
AccArray *conf_step_fold_segments (ConfRandom *c, AccArray *x);
AccArray *conf_step_fold1_segments (ConfRandom *c, AccArray *x);
AccArray *conf_step_scan_segments (ConfRandom *c, AccArray *x);
AccArray *conf_step_nest (ConfRandom *c, AccArray *x);
AccArray *conf_step_multiply (ConfRandom *c, AccArray *x);
AccArray *conf_step_transform (ConfRandom *c, AccArray *x);
AccArray *conf_step_random_numbers (ConfRandom *c, AccArray *x);
AccArray *conf_step_other_array (ConfRandom *c, AccArray *x);
