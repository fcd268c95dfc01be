/* SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

#include "acc-core/array/acc-array-private.h"

/* Control points of a program: nodes at which a run has to stop, because the rest cannot be scheduled before their values are known
 * (choices, loops, foreign operations, extents that depend on data). They form a graph without the nodes between them, so that a run, or an
 * iteration of a loop, need not walk over the whole program again. Immutable. */
typedef struct _AccControlPoint AccControlPoint;

struct _AccControlPoint {
  AccArray        *node;       /* borrowed */
  guint            number;
  GPtrArray       *before;     /* AccControlPoint: the nearest ones that the node depends on; of a cond, that its condition depends on */
  AccControlPoint *sides[2];   /* of a cond: the nearest one of the side for true, and of that for false; may be NULL */
  GPtrArray       *offered;    /* AccControlPoint: the nearest ones of the inputs of an offer; NULL: there is none */
  GPtrArray       *extents;    /* AccArray: whose elements decide the node's extents; NULL: none */
};

typedef struct {
  GPtrArray *all;              /* AccControlPoint, by number; also nodes where several meet, though a run does nothing there */
  GPtrArray *first;            /* AccControlPoint: the nearest ones of the results */
} AccControlPoints;

/* @boundary: nodes that are bound when a run begins. @offers: nodes that a backend could have routines for; may be NULL. Linear. */
AccControlPoints *acc_control_points_new  (AccArray **results, guint n_results, GHashTable *boundary, GHashTable *offers);
void              acc_control_points_free (AccControlPoints *self);

G_DEFINE_AUTOPTR_CLEANUP_FUNC (AccControlPoints, acc_control_points_free)
