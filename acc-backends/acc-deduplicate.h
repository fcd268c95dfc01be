/* SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

#include "acc-backends/fuse/acc-fusion.h"

/* Goes on to the schedule of @fusion, of the same program as those before. */
void              acc_deduplicator_begin     (AccDeduplicator *self, AccFusion *fusion);
/* Of the program's functions. */
AccFunctionForms *acc_deduplicator_get_forms (AccDeduplicator *self);
/* Fills in what @step has of its kernels, reads and rows, where a cluster like @cluster was written before. */
gboolean          acc_deduplicator_take      (AccDeduplicator *self, AccCluster *cluster, gboolean once, AccScheduleStep *step);
/* @step was written for the cluster that was asked for last, with origins from @first_origin on. */
void              acc_deduplicator_give      (AccDeduplicator *self, AccScheduleStep *step, guint first_origin);
