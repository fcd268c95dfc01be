/* SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

#include <acc/acc.h>

/* The largest errors there are, as rows of the tables in docs/accuracy.md. */

typedef struct {
  gboolean    of_device;     /* limits are those of all backends, not of this processor's code */
  gboolean    of_xla;        /* functions are its own, without limits; what has denormals, which it takes for 0, is left out */
  AccBackend *backend;       /* NULL: code of this processor, without a backend where that will do */
  char      **names;         /* NULL: all */
  gboolean    wanted[2];     /* f4, f8 and what is made of them */
  gboolean    scalar;        /* without vectors */
  gboolean    tells_where;   /* which arguments are worst, too */
  gboolean    limits_only;   /* nothing is measured */
  guint       stride, effort;
} AccuracyOptions;

gboolean    accuracy_is_wanted (const AccuracyOptions *options, const char *name);
AccBackend *accuracy_backend   (const AccuracyOptions *options);
/* A row: @n values with two places, and @n_limits, each of as many values. Whether all are within. Not measured: NAN; any: INFINITY. */
gboolean    accuracy_print_row (const AccuracyOptions *options, const char *name, guint n, const double *values, guint n_limits,
                                const double *limits);

/* What is beyond a limit of this processor's gives FALSE. */
gboolean accuracy_functions  (const AccuracyOptions *options);
gboolean accuracy_complex    (const AccuracyOptions *options);
gboolean accuracy_transforms (const AccuracyOptions *options);
