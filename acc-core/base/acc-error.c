/* SPDX-License-Identifier: LGPL-2.1-or-later */

#include "acc-error.h"

/**
 * acc_error_quark:
 *
 * Returns the error domain of [error@Acc.Error].
 *
 * Returns: the quark of the domain
 */
G_DEFINE_QUARK (acc-error-quark, acc_error)
