/* SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

#include "acc-external-walk-private.h"

/* Nodes of which each element is one of an array, wherever that is. */

typedef struct {
  AccArray *array;       /* borrowed */
  AccExpr  *index;       /* borrowed: of the parameters of the node's function */
  gboolean  is_linear;   /* a position in row-major order */
} AccExternalRead;

/* FALSE: @node is none. */
gboolean   acc_external_find_read       (AccArray *node, AccExternalRead *read);
/* Whether its function reads elements, of any array. */
gboolean   acc_external_reads_elements  (AccArray *node);
/* What such a node reads, for AccExternal.takes. */
AccArray **acc_external_get_read_inputs (AccArray *node, guint *n_inputs);

/* @places: of the next elements, in row-major order, which are all within the extents. */
typedef gboolean (*AccPlacesFunc) (gpointer data, const gint64 *places, gint64 n, GError **error);

/* Computes where the elements of the task's node are, in order; ACC_ERROR_BOUNDS where one is nowhere. */
gboolean   acc_external_walk_places     (const AccExternalTask *task, const AccExternalRead *read, const char *name,
                                         AccPlacesFunc function, gpointer data, GError **error);
