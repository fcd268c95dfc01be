/* SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

#include "acc-native-fftw.h"

#include "acc-backends/runtime/run/acc-library.h"

/* Flags and directions of FFTW, declared here so that its headers are not needed to build. */
enum {
  ACC_FFTW_FORWARD = -1,
  ACC_FFTW_BACKWARD = 1,
  ACC_FFTW_UNALIGNED = 1 << 1,
  ACC_FFTW_PRESERVE_INPUT = 1 << 4,
  ACC_FFTW_ESTIMATE = 1 << 6,
};

typedef struct {
  ptrdiff_t n, input_step, output_step;
} AccFftwDimension;

typedef struct {
  gpointer (*plan)    (int rank, const AccFftwDimension *dimensions, int many_rank, const AccFftwDimension *many, gpointer input,
                       gpointer output, int sign, unsigned flags);
  void     (*execute) (gpointer plan, gconstpointer input, gpointer output);
  void     (*destroy) (gpointer plan);
} AccFftwFunctions;

/* Of rows that a plan is run on. */
#define ACC_FFTW_ALIGNMENT 16

/* --- plans */

/* What a plan is for; all of it is compared. */
typedef struct {
  gint64 n, step, many, many_step;
  gint64 is_wide, sign, in_place, flags;
} AccFftwKey;

typedef struct {
  gatomicrefcount         ref_count;
  AccFftwKey              key;
  const AccFftwFunctions *functions;
  gpointer                plan;
} AccFftwPlan;

/* One of a backend. */
typedef struct {
  gatomicrefcount ref_count;
  AccHost        *host;
  GMutex          lock;
  GHashTable     *plans;     /* AccFftwKey → AccFftwPlan, which contains it, owned */
} AccFftw;

/* Whether the library is there; it is loaded then. */
gboolean     acc_fftw_find          (gboolean is_wide);
AccFftw     *acc_fftw_new           (AccHost *host);
AccFftw     *acc_fftw_ref           (AccFftw *self);
void         acc_fftw_unref         (AccFftw *self);
/* Owned; .plan is NULL where FFTW has none. */
AccFftwPlan *acc_fftw_dup_plan      (AccFftw *self, const AccFftwKey *key, gpointer input, gpointer output);
void         acc_fftw_plan_unref    (gpointer plan);
/* What @key says of rows of @n elements, as far as it follows from that: they go in blocks. Returns how many are in one. */
gint64       acc_fftw_describe_rows (AccFftwKey *key, gint64 n, gsize size);

/* --- routines */

typedef struct {
  AccFftw                   *fftw;
  const AccForeignTransform *form;
} AccFftwRoutine;

/* The routine for elements of different lengths. */
gboolean  acc_fftw_fits_elements      (AccArray **inputs, const gint64 *const *extents, guint n_inputs, gpointer user_data);
gboolean  acc_fftw_transform_elements (AccForeignLaunch *launch, gpointer routine, GError **error);
