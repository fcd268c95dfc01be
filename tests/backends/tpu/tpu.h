/* SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

#include <glib.h>

/* Compiles modules for TPUs that are not there, by the libtpu that ACC_TPU_LIBRARY names (else libtpu.so): ahead of time, for the TPUs of
 * ACC_TPU_TOPOLOGY ("v5e:2x2"). Any thread. */

/* ACC_ERROR_UNSUPPORTED where there is no libtpu. */
gboolean tpu_open    (GError **error);
/* @text: StableHLO. What libtpu says is the error, behind @what. */
gboolean tpu_compile (const char *text, const char *what, GError **error);
