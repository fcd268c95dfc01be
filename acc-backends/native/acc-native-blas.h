/* SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

#include "acc-backends/runtime/acc-host.h"

G_BEGIN_DECLS

/* Products of matrices by OpenBLAS, which is looked for when there is the first that it is worth: the foreign operation
 * "acc-matmul" of the host's backend. */
void acc_native_blas_add (AccHost *host);

G_END_DECLS
