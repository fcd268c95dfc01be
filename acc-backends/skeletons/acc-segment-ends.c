/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "acc-segment-ends.h"

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
acc_segment_ends_find (const AccSegmentEnds *self,
                       AccLower             *l,
                       KValue                x,
                       KValue                least,
                       KValue                most)
{
  AccKernelBuilder *b = l->b;
  KValue one = low_const (l, 1);
  KVar low = kb_var (b, least), high = kb_var (b, most);

  low_while (l)
    {
      KValue middle;

      kb_until (b, kb_le (b, kb_get (b, high), kb_get (b, low)));
      middle = low_within (l, kb_prim2 (b, ACC_PRIM_SHR, kb_add (b, kb_get (b, low), kb_get (b, high)), one), 0, self->n_segments - 1);
      low_if (l, kb_le (b, acc_segment_ends_get (self, l, middle), x))
        {
          kb_set (b, low, kb_add (b, middle, one));
        }
      low_else (l)
        {
          kb_set (b, high, middle);
        }
    }

  return low_within (l, kb_get (b, low), 0, self->n_segments - 1);
}
