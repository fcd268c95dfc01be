/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "acc-backends/skeletons/acc-skeletons.h"

/* Element-wise steps along segments, whose number is known to elements:
 *
 *   for s in segments of which the tile has elements:
 *     foreach x in those:
 *       roots[x] = ... s ...
 *
 * What depends on the segment alone is computed once. Long segments lie in several tiles; lanes take the elements of one. */

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

typedef struct {
  AccFusionNode *offsets, *culprit;
  gint64         n_segments, n;
} Segments;

static KValue
get_end (Segments *self,
         AccLower *l,
         KValue    s)
{
  return acc_skeleton_get_offset (l, self->offsets, self->culprit,
                                  low_add (l, low_within (l, s, 0, self->n_segments - 1), low_const (l, 1)), self->n);
}

/* The first segment that ends behind element @x. */
static KValue
find_segment (Segments *self,
              AccLower *l,
              KValue    x)
{
  AccKernelBuilder *b = l->b;
  KValue one = low_const (l, 1);
  KVar low = kb_var (b, low_const (l, 0)), high = kb_var (b, low_number (l, self->n_segments - 1));

  low_while (l)
    {
      KValue middle;

      kb_until (b, kb_le (b, kb_get (b, high), kb_get (b, low)));
      middle = low_within (l, kb_prim2 (b, ACC_PRIM_SHR, kb_add (b, kb_get (b, low), kb_get (b, high)), one), 0, self->n_segments - 1);
      low_if (l, kb_le (b, get_end (self, l, middle), x))
        {
          kb_set (b, low, kb_add (b, middle, one));
        }
      low_else (l)
        {
          kb_set (b, high, middle);
        }
    }

  return kb_get (b, low);
}

void
acc_skeleton_segments_run (AccLower       *l,
                           const AccSpace *space,
                           KValue          begin,
                           KValue          end)
{
  AccKernelBuilder *b = l->b;
  AccCluster *cluster = l->step->cluster;
  Segments self = { cluster->offsets, g_array_index (cluster->roots, AccRoot, 0).node, cluster->offsets->size - 1, space->inner };
  KVar at = kb_var (b, begin), next = kb_var (b, find_segment (&self, l, begin));

  low_while (l)
    {
      KValue s, first, behind;

      kb_until (b, kb_or (b, kb_le (b, end, kb_get (b, at)), kb_lt (b, low_number (l, self.n_segments - 1), kb_get (b, next))));
      s = low_within (l, kb_get (b, next), 0, self.n_segments - 1);
      first = low_within (l, kb_get (b, at), 0, space->inner - 1);
      behind = kb_max (b, first, kb_min (b, get_end (&self, l, s), end));
      l->segment = s;
      low_foreach (l, x, first, behind)
        {
          low_store_roots (l, low_index_of_space (l, space, kb_i64 (b, 0), x));
        }
      l->segment = (KValue) { 0 };
      kb_set (b, at, behind);
      kb_set (b, next, kb_add (b, s, low_const (l, 1)));
    }
}
