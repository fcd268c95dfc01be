/* SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

#include "acc-prepared.h"

/* The prepared schedules of one program, by what they compute, the extents of what is bound, and what they read of its data for
 * extents. Holds the latest used ones.
 * Any thread. */
typedef struct _AccScheduleCache AccScheduleCache;

AccScheduleCache *acc_schedule_cache_new  (guint max_entries);
void              acc_schedule_cache_free (AccScheduleCache *self);
/* @values: manifest arrays for @bound. @spent: nullable; which of them
 * acc_run_whole() is told are spent, which plans of the same @results and @bound agree on. */
AccPrepared      *acc_schedule_cache_get  (AccScheduleCache *self, AccHost *host, AccArray **results, guint n_results,
                                           AccArray **bound, AccArray **values, const gboolean *spent, guint n_bound, gboolean by_rows,
                                           GCancellable *cancellable, GError **error);

G_DEFINE_AUTOPTR_CLEANUP_FUNC (AccScheduleCache, acc_schedule_cache_free)
