/* SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

#include "acc-backends/skeletons/acc-permute.h"
#include "acc-simt.h"

/* A permute by groups of threads. */

/* What is done with the source element @ix that goes to @target. */
typedef void (*AccPermuteVisit) (AccPermute *self, AccSimt *simt, const AccIndex *ix, KValue linear, KValue target, gpointer data);

/* --- acc-permute-visits-simt.c */

/* Elements of the source that a thread takes at a time: a pack, or @packs of them and @least elements, where threads do much with
 * them before they read on: then more is under way. */
guint          acc_permute_choose_vector (AccPermute *self, guint packs, guint least);
/* The number of element @x of outer unit @u of the source. */
KValue         acc_permute_get_linear  (AccPermute *self, AccLower *l, KValue u, KValue x);
/* Visits all elements of the group's tile that go anywhere; a thread takes @vector neighbours at a time. */
void           acc_permute_visit_all   (AccPermute *self, AccSimt *simt, guint vector, AccPermuteVisit visit, gpointer data);
/* Over the source, @per_thread elements of it for a thread, about. */
AccLaunch      acc_permute_get_launch  (AccPermute *self, AccSimt *simt, guint vector, gint64 per_thread);
/* A kernel over the source that visits all elements. */
void           acc_permute_write_visits (AccPermute *self, const char *name, guint vector, AccPermuteVisit visit, gpointer data);

/* --- acc-permute-combine-simt.c */

/* What is to be where @old is. */
typedef KValue (*AccPermuteChange) (AccPermute *self, AccLower *l, KValue old, gpointer data);

/* Compare-and-swap at @place, of @kind, until it succeeds. */
void           acc_permute_swap         (AccPermute *self, AccLower *l, AccPlace place, AccElementKind kind, AccPermuteChange change,
                                         gpointer data);
gboolean       acc_permute_can_combine  (AccPermute *self);
void           acc_permute_combine_simt (AccPermute *self);
