/* SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

#include "acc-schedule.h"

/* Estimates a schedule before it runs: its kernels, and the bytes that they move to and from memory. For the report, the picture and
 * tests. */

typedef struct {
  guint   n_steps, n_kernels;
  guint64 read, written;
} AccTraffic;

/* Every kernel that reads or writes a buffer is taken to move all of it once, since neighbours and repeated reads are in the caches by
 * then. So a gather of few elements of a large array counts too much, one that jumps about in it too little. Values for which @cached (one
 * per value, or NULL) is TRUE move nothing. */
AccTraffic acc_schedule_count_traffic (AccSchedule *self, const gboolean *cached);
/* Of one step. */
AccTraffic acc_schedule_count_step    (AccSchedule *self, guint step, const gboolean *cached);
/* Of one step and one value. */
AccTraffic acc_schedule_count_edge    (AccSchedule *self, guint step, guint value);

/* "3 kernels, 8000000 bytes read, 4000000 written" */
char      *acc_traffic_to_string      (const AccTraffic *self);
