/* SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

#include "acc-foreign.h"

G_BEGIN_DECLS

#define ACC_TYPE_FOREIGN_LAUNCH (acc_foreign_launch_get_type ())
ACC_AVAILABLE_IN_1_0
G_DECLARE_FINAL_TYPE (AccForeignLaunch, acc_foreign_launch, ACC, FOREIGN_LAUNCH, GObject)

/**
 * AccForeignLaunchFunc:
 * @launch: the call, valid until the function returns
 * @user_data: data of the caller
 * @error: return location for an error
 *
 * Computes an operation on a backend in place of the fallback, where the elements are.
 *
 * The function reads the types and extents of the inputs, calls acc_foreign_launch_begin() with the type and the extents of the
 * result, asks for addresses, and then enqueues the work or does it. It is called in every run, from the thread that runs.
 *
 * Returns: %TRUE on success, %FALSE with @error set
 */
typedef gboolean (*AccForeignLaunchFunc) (AccForeignLaunch *launch, gpointer user_data, GError **error);

/* Of this object only; @function NULL: the fallback again. Any time. */
ACC_AVAILABLE_IN_1_0
void      acc_backend_set_foreign_launch         (AccBackend *self, const char *name, AccForeignLaunchFunc function, gpointer user_data,
                                                  GDestroyNotify destroy);

ACC_AVAILABLE_IN_1_0
guint     acc_foreign_launch_get_n_inputs        (AccForeignLaunch *self);
/* Its type and extents; elements may be anywhere. */
ACC_AVAILABLE_IN_1_0
AccArray *acc_foreign_launch_get_input           (AccForeignLaunch *self, guint input);
ACC_AVAILABLE_IN_1_0
gboolean  acc_foreign_launch_begin               (AccForeignLaunch *self, AccElementType *type, AccShape *shape, GError **error);
/* The address of element 0 in a buffer, and the device's handle of the queue: after it began */
ACC_AVAILABLE_IN_1_0
guint64   acc_foreign_launch_get_input_address   (AccForeignLaunch *self, guint input, guint buffer);
ACC_AVAILABLE_IN_1_0
guint64   acc_foreign_launch_get_result_address  (AccForeignLaunch *self, guint buffer);
ACC_AVAILABLE_IN_1_0
guint64   acc_foreign_launch_get_queue           (AccForeignLaunch *self);

G_END_DECLS
