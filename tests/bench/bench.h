/* SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

#include <glib.h>

/* Timing for the benchmarks: contenders for the same work run in turn, round after round, so that a drift of the machine
 * meets them all; a row gives medians and ratios. */

typedef struct {
  const char *name;                 /* "acc", "C with OpenMP" … */
  void      (*run) (gpointer data);
  gpointer    data;
} BenchContender;

/* Prints a row: the median of each contender in milliseconds, its ratio to the first, the limit (bytes over the
 * bandwidth of a copy, or given) and how near the first comes to it. @bytes: moved to and from memory. */
void   bench_compare   (const char *work, const BenchContender *contenders, guint n, guint rounds, double bytes);

/* Prints a row: the median of @n times in seconds, the least and the greatest, and the @target beside it; 0: there is none.
 * Sorts @times. */
void   bench_report    (const char *work, double *times, guint n, double target);

/* Bytes per second of a copy with all threads, non-temporal stores: reads and writes counted. Measured anew. */
double bench_copy_rate (void);

/* Call first and last: says what the machine does, and by how much it drifted. */
void   bench_begin     (const char *title);
void   bench_end       (void);

double bench_now       (void);
double bench_median    (double *values, guint n);
