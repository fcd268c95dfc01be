/* SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

#include "acc-types.h"

G_BEGIN_DECLS

/* Connected components. Neighbours differ by 1 in at most @connectivity dimensions, 1 to the rank. */

/* Of elements that are equal, and not 0; of those inside @mask that @connects holds for */
ACC_AVAILABLE_IN_1_0
AccArray *acc_array_label_components    (AccArray *self, guint connectivity, AccArray **n_labels) G_GNUC_WARN_UNUSED_RESULT;
ACC_AVAILABLE_IN_1_0
AccArray *acc_array_label_components_by (AccArray *self, AccArray *mask, guint connectivity, AccExprFunc2 connects, gpointer user_data,
                              AccArray **n_labels) G_GNUC_WARN_UNUSED_RESULT;

/* Regions: sets of elements that neighbours link, as acc_array_label_components() finds them */

/* What is linked to @seed by equal elements; the same with another value in it */
ACC_AVAILABLE_IN_1_0
AccArray *acc_array_flood                (AccArray *self, const gint64 *seed, guint n_seed, guint connectivity) G_GNUC_WARN_UNUSED_RESULT;
ACC_AVAILABLE_IN_1_0
AccArray *acc_array_flood_fill           (AccArray *self, const gint64 *seed, guint n_seed, guint connectivity,
                                          AccExpr *value) G_GNUC_WARN_UNUSED_RESULT;

/* Without regions of less than @min_size elements */
ACC_AVAILABLE_IN_1_0
AccArray *acc_array_remove_small_objects (AccArray *self, gint64 min_size, guint connectivity) G_GNUC_WARN_UNUSED_RESULT;
/* b1: without holes of less than @area_threshold elements; without holes */
ACC_AVAILABLE_IN_1_0
AccArray *acc_array_remove_small_holes   (AccArray *self, gint64 area_threshold, guint connectivity) G_GNUC_WARN_UNUSED_RESULT;
ACC_AVAILABLE_IN_1_0
AccArray *acc_array_fill_holes           (AccArray *self, guint connectivity) G_GNUC_WARN_UNUSED_RESULT;

/* Euclidean distances to the nearest 0; their squares, which are exact */
ACC_AVAILABLE_IN_1_0
AccArray *acc_array_distance_transform         (AccArray *self) G_GNUC_WARN_UNUSED_RESULT;
ACC_AVAILABLE_IN_1_0
AccArray *acc_array_distance_transform_squared (AccArray *self) G_GNUC_WARN_UNUSED_RESULT;

G_END_DECLS
