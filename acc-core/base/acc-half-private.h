/* SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

#include "acc-types.h"

/* Conversions of binary16 by its bits, as C has no type for it. Rounds to nearest, ties to even. */
double  acc_half_to_double   (guint16 bits);
guint16 acc_half_from_double (double value);
