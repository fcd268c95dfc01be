/* SPDX-License-Identifier: LGPL-2.1-or-later */

#include "acc-error.h"

/**
 * acc_error_quark:
 *
 * The domain of [error@Acc.Error].
 *
 * Returns: a quark
 */
G_DEFINE_QUARK (acc-error-quark, acc_error)
