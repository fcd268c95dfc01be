/* SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

#include "acc-backends/fuse/acc-fusion.h"

/* Finds clusters that look the same to skeletons. The first one is written; the others take its kernels, with values and origins of their
 * own. A long program mostly repeats itself, and writing a kernel takes far longer than comparing clusters. */
typedef struct _AccDeduplicator AccDeduplicator;

AccDeduplicator *acc_deduplicator_new  (AccFusion *fusion);
void             acc_deduplicator_free (AccDeduplicator *self);
/* Fills in what @step has of its kernels, reads and rows, where a cluster like @cluster was written before. */
gboolean         acc_deduplicator_take (AccDeduplicator *self, AccCluster *cluster, gboolean once, AccScheduleStep *step);
/* @step was written for the cluster that was asked for last, with origins from @first_origin on. */
void             acc_deduplicator_give (AccDeduplicator *self, AccScheduleStep *step, guint first_origin);

G_DEFINE_AUTOPTR_CLEANUP_FUNC (AccDeduplicator, acc_deduplicator_free)
