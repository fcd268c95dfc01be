/* SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

#include "acc-core/array/acc-array-private.h"

G_BEGIN_DECLS

/* What it comes to when some nodes of a program are evaluated: what is computed for it in one go, and from what. Finding that
 * walks over the program, and depends on nothing but what there was before. So a run is at a state, which stands for all that came
 * to be, in its order, and what was found at a state is found there again, without a walk. Any thread. */
typedef struct _AccGraphParts AccGraphParts;

/* Where nothing is there yet but parameters and captures; and where states became too many to know any. */
#define ACC_GRAPH_STATE_FIRST   0u
#define ACC_GRAPH_STATE_UNKNOWN G_MAXUINT

typedef struct {
  GPtrArray *wanted;   /* AccArray: to be computed */
  GPtrArray *bound;    /* AccArray: what they are computed from */
  GPtrArray *uses;     /* AccArray: data among the targets */
  guint      state;    /* then */
} AccGraphPart;

void                acc_graph_part_clear (AccGraphPart *self);
G_DEFINE_AUTO_CLEANUP_CLEAR_FUNC (AccGraphPart, acc_graph_part_clear)

AccGraphParts      *acc_graph_parts_new  (void);
void                acc_graph_parts_free (AccGraphParts *self);
/* When @node has come to be by other means. */
guint               acc_graph_parts_step (AccGraphParts *self, guint state, AccArray *node);
/* NULL: not known. Lives as long as @self. @keep as acc-graph-run.c has it. */
const AccGraphPart *acc_graph_parts_find (AccGraphParts *self, guint state, GPtrArray *targets, gboolean keep);
/* Keeps the lists of @part, whose state is ignored, and returns the state then. */
guint               acc_graph_parts_add  (AccGraphParts *self, guint state, GPtrArray *targets, gboolean keep, const AccGraphPart *part);

G_DEFINE_AUTOPTR_CLEANUP_FUNC (AccGraphParts, acc_graph_parts_free)

G_END_DECLS
