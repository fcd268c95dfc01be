/* SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

#include "acc-types.h"

G_BEGIN_DECLS

/* Bits of binary16, of which C knows no type. Where one is nearest to @value, ties to even. */
double  acc_half_to_double   (guint16 bits);
guint16 acc_half_from_double (double value);

G_END_DECLS
