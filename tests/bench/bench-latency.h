/* SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

#include <acc/acc.h>

/* What bench-latency times. New references throughout. */

/* A kind of kernel that fusion makes. */
typedef struct {
  const char *name;
  /* @variant: makes another kernel of the same kind, of nearly as much code */
  AccArray *(*build) (AccArray *input, guint variant);
  guint       rank;     /* of the input */
} BenchFamily;

extern const BenchFamily bench_families[];
extern const guint       bench_n_families;

/* A kind of graph: nodes that one result, or several, are computed from. */
typedef struct {
  const char *name;
  /* About @n nodes; their results. */
  GPtrArray *(*build) (AccArray *input, guint n);
} BenchGraph;

extern const BenchGraph bench_graphs[];
extern const guint      bench_n_graphs;

/* f4 of 0.5 to 1.5; @rows 0: a vector */
AccArray *bench_make_input (gint64 rows, gint64 columns);
