/* SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

#include "acc-array.h"
#include "acc-module-types.h"

G_BEGIN_DECLS

/* Rows that are columns. Included by acc-module.h. */

/* Along which dimension of an array rows of sources lie. */
typedef enum {
  ACC_ROWS_NONE,
  ACC_ROWS_FIRST,
  ACC_ROWS_LAST,
} AccRowsAlong;

/* Of an input. */
typedef AccRowsAlong (*AccRowsAlongFunc) (guint input, gpointer data);

/* Tells whether rows lie along the last dimension of @self, by how they lie in its inputs. What has less than two dimensions has none
 * there. O(inputs), but for the size of the function of a backpermute. */
ACC_MODULE_API
gboolean acc_array_is_turned (AccArray *self, AccRowsAlongFunc get, gpointer data);

G_END_DECLS
