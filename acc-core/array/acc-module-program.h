/* SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

#include "acc-program.h"

G_BEGIN_DECLS

/* Parameters, results and captures of a program. Included by acc-module.h. */

/* Arrays outside a program that its body reads: the maximal nodes that do not depend on its parameters and are not
 * mere generate or fill without references. Borrowed. */
ACC_MODULE_API
GPtrArray *acc_program_get_captures (AccProgram *self);
/* The nodes of its parameters; @n of them, borrowed. */
ACC_MODULE_API
AccArray **acc_program_get_parameter_nodes (AccProgram *self, guint *n);
/* What it gives; @n of them, borrowed. */
ACC_MODULE_API
AccArray **acc_program_get_result_nodes    (AccProgram *self, guint *n);

G_END_DECLS
