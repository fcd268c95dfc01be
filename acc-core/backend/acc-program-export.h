/* SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

#include "acc-program.h"

G_BEGIN_DECLS

/**
 * AccExportFlags:
 * @ACC_EXPORT_DEFAULT: as acc computes it
 * @ACC_EXPORT_FAST_MATH: whoever compiles it may round a product and a sum once, as [method@Acc.Backend.set_fast_math] allows
 *
 * Says how a program is exported.
 */
typedef enum {
  ACC_EXPORT_DEFAULT   = 0,
  ACC_EXPORT_FAST_MATH = 1 << 0,
} AccExportFlags;

/* The extents of each parameter, or none where signatures declare them; -1 as the outermost leaves it open */
ACC_AVAILABLE_IN_1_0
char     *acc_program_export_stablehlo   (AccProgram *self, AccShape **shapes, guint n_shapes, AccExportFlags flags,
                                          GError **error) G_GNUC_WARN_UNUSED_RESULT;
ACC_AVAILABLE_IN_1_0
gboolean  acc_program_export_saved_model (AccProgram *self, AccShape **shapes, guint n_shapes, AccExportFlags flags, GFile *folder,
                                          GCancellable *cancellable, GError **error);

G_END_DECLS
