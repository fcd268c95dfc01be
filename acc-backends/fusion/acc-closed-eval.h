/* SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

#include "acc-core/acc-array-private.h"

G_BEGIN_DECLS

/* Evaluates closed scalar functions on the host, for extents that are read from the data of bound arrays. */
typedef struct {
  const gint64 *(*get_extents) (AccArray *array, gpointer user_data, GError **error);
  /* The manifest array that holds the elements of @array, or NULL */
  AccArray     *(*find_data)   (AccArray *array, gpointer user_data);
  gpointer       user_data;
} AccClosedContext;

/* @values: one per leaf of the result, an i64 or a tuple of them. */
gboolean acc_closed_function_evaluate (AccFunction *function, const AccClosedContext *context, gint64 *values, GError **error);

/* The nearest binary16, ties to even: its bits. */
guint16  acc_half_from_double (double value);

G_END_DECLS
