/* SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

#include "acc-external-walk-private.h"

/* Nodes of which each element is one of an array, wherever that is. */

typedef struct {
  AccArray *array;       /* borrowed; NULL: one of several */
  AccExpr  *index;       /* borrowed: of the parameters of the node's function */
  gboolean  is_linear;   /* a position in row-major order */
  gint64    n_positions; /* how many positions there are, where there are several arrays: those of each, one after the other */
} AccExternalRead;

/* FALSE: @node is none. */
gboolean   acc_external_find_read       (AccArray *node, AccExternalRead *read);
/* The arrays, borrowed, of one of which each element is, by conditions, as that of a concatenation; NULL: @node is none. One may come
 * several times. */
GPtrArray *acc_external_find_choice     (AccArray *node);
/* Where: -1 outside. Its extents are known. Floating. */
AccExpr   *acc_external_new_position    (AccArray *node);
/* Whether its function reads elements, of any array. */
gboolean   acc_external_reads_elements  (AccArray *node);
/* What such a node reads, for AccExternal.takes. */
AccArray **acc_external_get_read_inputs (AccArray *node, guint *n_inputs);

/* @places: of the next elements, in row-major order, which are all within the extents. */
typedef gboolean (*AccPlacesFunc) (gpointer data, const gint64 *places, gint64 n, GError **error);

/* Computes where the elements of the task's node are, in order; ACC_ERROR_BOUNDS where one is nowhere. */
gboolean   acc_external_walk_places     (const AccExternalTask *task, const AccExternalRead *read, const char *name,
                                         AccPlacesFunc function, gpointer data, GError **error);
