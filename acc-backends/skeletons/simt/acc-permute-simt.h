/* SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

#include "acc-backends/skeletons/acc-permute.h"
#include "acc-simt.h"

G_BEGIN_DECLS

/* A permute by groups of threads. */

/* What is done with the source element @ix that goes to @target. */
typedef void (*AccPermuteVisit) (AccPermute *self, AccSimt *simt, const AccIndex *ix, KValue linear, KValue target, gpointer data);

/* A kernel over the source that visits all elements that go anywhere; a thread takes @vector neighbours at a time. */
void           acc_permute_write_visits (AccPermute *self, const char *name, guint vector, AccPermuteVisit visit, gpointer data);

/* --- acc-permute-combine-simt.c */

/* What is to be where @old is. */
typedef KValue (*AccPermuteChange) (AccPermute *self, AccLower *l, KValue old, gpointer data);

/* Compare-and-swap at @place, of @kind, until nobody came between. */
void           acc_permute_swap         (AccPermute *self, AccLower *l, AccPlace place, AccElementKind kind, AccPermuteChange change,
                                         gpointer data);
gboolean       acc_permute_can_combine  (AccPermute *self);
void           acc_permute_combine_simt (AccPermute *self);

G_END_DECLS
