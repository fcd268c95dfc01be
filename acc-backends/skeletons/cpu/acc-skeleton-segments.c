/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "acc-backends/skeletons/acc-segment-ends.h"

/* Element-wise steps along segments, whose number is known to elements:
 *
 *   for s in segments of which the tile has elements:
 *     foreach x in those:
 *       roots[x] = ... s ...
 *
 * What depends on the segment alone is computed once. Long segments lie in several tiles; lanes take the elements of one. */

void
acc_skeleton_segments_run (AccLower       *l,
                           const AccSpace *space,
                           KValue          begin,
                           KValue          end)
{
  AccKernelBuilder *b = l->b;
  AccSegmentEnds ends = acc_segment_ends_new (l, space);
  KValue last = low_number (l, ends.n_segments - 1);
  KVar at = kb_var (b, begin), next = kb_var (b, acc_segment_ends_find (&ends, l, begin, low_const (l, 0), last));

  low_while (l)
    {
      KValue s, first, behind;

      kb_until (b, kb_or (b, kb_le (b, end, kb_get (b, at)), kb_lt (b, last, kb_get (b, next))));
      s = low_within (l, kb_get (b, next), 0, ends.n_segments - 1);
      first = low_within (l, kb_get (b, at), 0, space->inner - 1);
      behind = kb_max (b, first, kb_min (b, acc_segment_ends_get (&ends, l, s), end));
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
