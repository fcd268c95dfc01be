/* SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

#include "acc-backends/ir/acc-kernel.h"

/* The transcendental primitives written in kernel IR, the same on every device. f16 is computed in f32. Fused products of f32
 * may take denormals for zero, as they do on some devices: no result that can be one may come from them. */

gboolean acc_math_covers (AccPrimitive primitive, AccElementKind kind);
/* @y: for primitives of two operands */
KValue   acc_math_build  (AccKernelBuilder *b, AccPrimitive primitive, KValue x, KValue y);

/* Name of the function in OpenCL C, libm and libdevice; NULL: it is made of others there. */
const char *acc_math_get_library (AccPrimitive primitive);
