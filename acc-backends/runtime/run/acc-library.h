/* SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

#include "acc-core/array/acc-foreign-known-private.h"
#include "acc-core/backend/acc-foreign-private.h"

/* Libraries that are found at run time, and what their routines give. */

typedef struct {
  const char *name;
  gpointer   *function;
} AccLibrarySymbol;

/* Static: there is one in the process. */
typedef struct {
  const char *const      *names;     /* of files, ended by NULL */
  const AccLibrarySymbol *symbols;   /* what is set where a file has all of them; ended by one without a name */
  gsize                   state;
} AccLibrary;

/* Whether one of the files is there and has all symbols: looked for by the first call. It stays loaded. */
gboolean acc_library_find (AccLibrary *self);

/* m × k and k × n, @outer of them: those of a factor that there is one of have no step. */
typedef struct {
  gint64   outer, m, n, k;
  gint64   left_step, right_step;
  gboolean is_complex, is_wide;     /* c8 and c16; f8 and c16 */
} AccLibraryProduct;

/* Whether "acc-matmul" of such inputs is one, and worth a library's routine. */
gboolean acc_library_measure_product (AccArray **inputs, const gint64 *const *extents, guint n_inputs, AccLibraryProduct *product);

/* Begins a launch whose inputs were accepted, and checks them once more, with the type and the extents of the product. */
gboolean acc_library_begin_product   (AccForeignLaunch *launch, AccLibraryProduct *product, GError **error);

/* Whether it takes such inputs, of as many elements as are @worth a call. @is_wide: c16, not c8. */
gboolean acc_library_measure_transform (const AccForeignTransform *transform, AccArray **inputs, const gint64 *const *extents,
                                        guint n_inputs, gint64 worth, gboolean *is_wide);

/* As acc_library_begin_product(). */
gboolean acc_library_begin_transform (AccForeignLaunch *launch, const AccForeignTransform *transform, gboolean *is_wide, GError **error);
