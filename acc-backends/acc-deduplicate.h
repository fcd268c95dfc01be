/* SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

#include "acc-backends/fuse/acc-fusion.h"

G_BEGIN_DECLS

/* Clusters that look alike to skeletons. Of such, one is written out; the others take its kernels, with values and origins of
 * their own: a long program mostly repeats itself, and writing a kernel takes far longer than looking a cluster over. */
typedef struct _AccTwins AccTwins;

AccTwins *acc_twins_new  (AccFusion *fusion);
void      acc_twins_free (AccTwins *self);
/* Fills in what @step has of its kernels, reads and rows, where a cluster like @cluster was written before. */
gboolean  acc_twins_take (AccTwins *self, AccCluster *cluster, gboolean once, AccScheduleStep *step);
/* @step was written for the cluster that was asked for last, with origins from @first_origin on. */
void      acc_twins_give (AccTwins *self, AccScheduleStep *step, guint first_origin);

G_DEFINE_AUTOPTR_CLEANUP_FUNC (AccTwins, acc_twins_free)

G_END_DECLS
