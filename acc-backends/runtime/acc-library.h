/* SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

#include "acc-core/acc-foreign-launch-private.h"
#include "acc-host.h"

G_BEGIN_DECLS

/* Libraries that are found at run time, and what their routines give. */

typedef struct {
  const char *name;
  gpointer   *function;
} AccLibrarySymbol;

/* The first of @names that is there and has all of @symbols; both end with NULL. It stays loaded. */
gboolean  acc_library_open      (const char *const *names, const AccLibrarySymbol *symbols);
/* An array of a type with one buffer, in memory of the pool that is still to be written to: at *@data. */
AccArray *acc_library_new_array (AccHost *host, AccElementType *type, AccShape *shape, const char *what, gpointer *data, GError **error);

/* m × k and k × n, @outer of them: those of a factor that there is one of have no step. */
typedef struct {
  gint64   outer, m, n, k;
  gint64   left_step, right_step;
  gboolean is_complex, is_wide;     /* c8 and c16; f8 and c16 */
} AccLibraryProduct;

/* Whether "acc-matmul" of such inputs is one, and worth a library's routine. */
gboolean acc_library_measure_product (AccArray **inputs, const gint64 *const *extents, guint n_inputs, AccLibraryProduct *product);

/* Extents of the product; owned. */
AccShape *acc_library_dup_product_shape (AccArray **inputs, const gint64 *const *extents);

/* Along @n_dimensions dimensions, with @n_after after them. */
typedef struct {
  const char *name;
  guint       n_dimensions, n_after;
  gboolean    forward;
} AccLibraryTransform;

#define ACC_LIBRARY_N_TRANSFORMS 8
extern const AccLibraryTransform acc_library_transforms[ACC_LIBRARY_N_TRANSFORMS];

/* Whether it takes such inputs, and is worth it. @is_wide: c16, not c8. */
gboolean acc_library_measure_transform (const AccLibraryTransform *transform, AccArray **inputs, const gint64 *const *extents, guint n_inputs,
                                        gboolean *is_wide);

G_END_DECLS
