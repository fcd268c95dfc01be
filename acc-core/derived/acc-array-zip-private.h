/* SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

#include "acc-array-zip.h"

/* @function, which gets the elements of all arrays at an index, and that index first where it is @indexed. */
AccArray *acc_array_zip_many_with (const char *operation, AccArray **arrays, guint n, gboolean indexed, GCallback function,
                                   gpointer user_data);
