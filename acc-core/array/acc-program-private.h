/* SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

#include "acc-array-private.h"

/* "f4[:,3]": @declared gets a gint64 per dimension, -1 for ":". */
gboolean    acc_signature_parse       (const char *signature, AccElementType **type, GArray *declared, GError **error);
AccProgram *acc_program_new_for_nodes (AccArray **parameters, guint n_parameters, AccArray **results, guint n_results);

/* Returns what a user's function gives for @parameters, owned, or NULL. Where this thread traces, the function is asked for, not called,
 * and the elements of @parameters become those that the answer was made with. */
AccArray   *acc_call_array_func       (AccArrayFunc function, GPtrArray *parameters, gpointer user_data);

/* Checks what a whole run needs: no error, and no parameter of another program within reach. acc_program_check() accepts a loop's body that
 * reads the parameters of the program around it; this does not. */
gboolean   acc_program_check_closed        (AccProgram *self, GError **error);
