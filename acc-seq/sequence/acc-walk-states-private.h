/* SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

#include "acc-walk-private.h"

/* States that go from one element, or batch, to the next. */
typedef struct {
  GPtrArray     *arrays;  /* owned: of nested ones what they consist of; NULL: there were no elements yet */
  AccExecutable *step;    /* owned */
} AccWalkStates;

void         acc_walk_states_clear (AccWalkStates *self);
/* What the function of @boundary gives for the states and @others: the next ones, which are kept, and what is behind them. */
GPtrArray   *acc_walk_states_run   (AccWalkStates *self, AccWalk *walk, AccSequence *boundary, AccArray **others, guint n_others,
                                    GError **error);
/* Elements in the form that a scan takes them in. */
AccWalkPart *acc_walk_states_take  (AccWalk *walk, AccSequence *boundary, AccWalkPart *elements, GError **error);
/* What it makes of element @i of these, which is number @number. */
AccWalkPart *acc_walk_states_scan  (AccWalkStates *self, AccWalk *walk, AccSequence *boundary, AccWalkPart *elements, gint64 i,
                                    gint64 number, GError **error);
