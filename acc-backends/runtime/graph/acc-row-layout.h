/* SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

#include "acc-backends/schedule/acc-traffic.h"

/* Which steps of a schedule run by rows, and which run whole before the first row. */
typedef struct {
  AccSchedule *schedule;      /* borrowed */
  gboolean     has_sources;
  gboolean    *streamed;      /* per value: depends on rows of a source */
  gboolean    *by_rows;       /* per step */
  gboolean    *in_rows;       /* per value: a source, or written by rows */
  int         *writers;       /* per value: the step, or -1 */
} AccRowLayout;

/* @has_sources: the program has some; none may be left in the schedule where there is nothing to read. ACC_ERROR_STREAM names the first
 * operation that does not go by rows but must. */
gboolean acc_row_layout_init  (AccRowLayout *self, AccSchedule *schedule, gboolean has_sources, GError **error);
void     acc_row_layout_clear (AccRowLayout *self);
/* Whether the value never exists as a whole, but as some rows, which are in the caches when they are read. */
gboolean acc_row_layout_is_cached   (AccRowLayout *self, guint value);
/* What the schedule moves where that is so. */
AccTraffic acc_row_layout_count_traffic (AccRowLayout *self);

G_DEFINE_AUTO_CLEANUP_CLEAR_FUNC (AccRowLayout, acc_row_layout_clear)
