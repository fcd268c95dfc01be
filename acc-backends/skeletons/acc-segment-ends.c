/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "acc-segment-ends.h"

#include "acc-search.h"

KValue
acc_skeleton_get_offset (AccLower      *l,
                         AccFusionNode *offsets,
                         AccFusionNode *culprit,
                         KValue         segment,
                         gint64         most)
{
  AccIndex *ix = low_index_new (l, 1);
  KValue offset;

  ix->at[0] = low_within (l, segment, 0, offsets->size - 1);
  low_index_lose_rows (l, ix, culprit, "needs all of its offsets");
  offset = low_read (l, offsets, ix, 0);

  return low_within (l, kb_min (l->b, kb_max (l->b, offset, low_const (l, 0)), low_number (l, most)), 0, most);
}

AccSegmentEnds
acc_segment_ends_new (AccLower       *l,
                      const AccSpace *space)
{
  AccCluster *cluster = l->step->cluster;

  return (AccSegmentEnds) { cluster->offsets, g_array_index (cluster->roots, AccRoot, 0).node, cluster->offsets->size - 1, space->inner };
}

KValue
acc_segment_ends_get (const AccSegmentEnds *self,
                      AccLower             *l,
                      KValue                segment)
{
  return acc_skeleton_get_offset (l, self->offsets, self->culprit,
                                  low_add (l, low_within (l, segment, 0, self->n_segments - 1), low_const (l, 1)), self->n);
}

KValue
acc_segment_ends_before (AccLower *l,
                         KValue    segment,
                         KValue    x,
                         gpointer  ends)
{
  return kb_le (l->b, acc_segment_ends_get (ends, l, segment), x);
}

KValue
acc_segment_ends_find (const AccSegmentEnds *self,
                       AccLower             *l,
                       KValue                x,
                       KValue                least,
                       KValue                most)
{
  KValue found = acc_search (l, self->n_segments, least, most, x, acc_segment_ends_before, (gpointer) self);

  return low_within (l, found, 0, self->n_segments - 1);
}
