/* SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

#include "acc-stablehlo.h"

/* Modules in which an extent is open: any length, known when it runs. Two modules of one program, for two lengths, say which numbers follow
 * from it, and how: those that are equal in both do not, others are a multiple of it plus a constant, or the program cannot be open. */

/* Makes @module, which is for @length, one of any length. @other: the same program for @other_length. ACC_ERROR_UNSUPPORTED names the
 * operation that cannot be written without the length. Extents of arguments and results that follow from it become -1. */
gboolean acc_hlo_module_open (AccHloModule *module, const AccHloModule *other, gint64 length, gint64 other_length, GError **error);
