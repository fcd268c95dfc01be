/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "acc-pieces.h"

#include "acc-core/base/acc-ceil-div-private.h"
#include "acc-search.h"
#include "acc-segment-ends.h"

void
acc_pieces_init (AccPieces      *self,
                 AccStep        *step,
                 const AccSpace *space,
                 gint64          tile)
{
  AccFusionNode *node = g_ptr_array_index (step->cluster->anchors, 0);

  *self = (AccPieces) { .step = step, .node = node, .offsets = node->inputs[1], .space = space, .n = space->inner, .tile = tile };
  self->n_segments = MAX (self->offsets->size - 1, 0);
  self->n_items = self->n + self->n_segments;
  self->n_tiles = acc_ceil_div (self->n_items, tile);
  acc_pieces_lengthen (self, tile, 1, tile);
}

void
acc_pieces_lengthen (AccPieces *self,
                     gint64     piece,
                     gint64     most_pieces,
                     gint64     longest)
{
  self->piece = piece;
  self->most_pieces = most_pieces;
  self->longest = longest;
  self->has_more = self->n > piece;
}

AccLaunch
acc_pieces_launch (AccPieces *self,
                   gint64     inner)
{
  AccLaunch launch = acc_skeleton_launch (self->space, acc_skeleton_get_cost (self->step));

  launch.rows = ACC_SPACE_WHOLE;
  launch.inner = inner;

  return launch;
}

void
acc_pieces_add_states (AccPieces *self)
{
  self->states = acc_step_add_scratch (self->step, ACC_KIND_I64, self->space->outer * self->n_tiles * ACC_PIECES_N_PARTS);
}

KValue
acc_pieces_clamp (AccLower *l,
                  KValue    x,
                  gint64    most)
{
  return low_within (l, kb_min (l->b, kb_max (l->b, x, low_const (l, 0)), low_number (l, most)), 0, most);
}

KValue
acc_pieces_get_before (AccPieces *self,
                       AccLower  *l,
                       KValue     number)
{
  return acc_pieces_clamp (l, kb_sub (l->b, number, low_const (l, 1)), self->n_segments - 1);
}

static KValue
get_offset (AccPieces *self,
            AccLower  *l,
            KValue     segment)
{
  return acc_skeleton_get_offset (l, self->offsets, self->node, segment, self->n);
}

KValue
acc_pieces_get_begin (AccPieces *self,
                      AccLower  *l,
                      KValue     segment)
{
  return get_offset (self, l, low_within (l, segment, 0, self->n_segments - 1));
}

KValue
acc_pieces_get_end (AccPieces *self,
                    AccLower  *l,
                    KValue     segment)
{
  return get_offset (self, l, low_add (l, low_within (l, segment, 0, self->n_segments - 1), low_const (l, 1)));
}

KValue
acc_pieces_get_piece (AccPieces *self,
                      AccLower  *l,
                      KValue     segment)
{
  AccKernelBuilder *b = l->b;
  KValue piece = low_const (l, self->piece), length = { 0 };

  for (gint64 n = self->piece; n < self->longest && n * self->most_pieces < self->n; n *= 2)
    {
      if (n == self->piece)
        length = kb_sub (b, acc_pieces_get_end (self, l, segment), acc_pieces_get_begin (self, l, segment));
      piece = kb_select (b, kb_lt (b, low_const (l, n * self->most_pieces), length), low_const (l, 2 * n), piece);
    }

  return piece;
}

KValue
acc_pieces_count (AccLower *l,
                  KValue    n,
                  KValue    piece)
{
  AccKernelBuilder *b = l->b;
  KValue more = kb_add (b, n, kb_sub (b, piece, low_const (l, 1)));
  gint64 known;

  return low_is_const (l, piece, &known) ? low_udiv (l, more, known) : kb_udiv (b, more, piece);
}

KValue
acc_pieces_end_piece (AccPieces *self,
                      AccLower  *l,
                      KValue     first,
                      KValue     end)
{
  return kb_min (l->b, kb_add (l->b, first, low_const (l, self->tile)), end);
}

KValue
acc_pieces_begins_before (AccLower *l,
                          KValue    segment,
                          KValue    place,
                          gpointer  pieces)
{
  return kb_lt (l->b, kb_add (l->b, get_offset (pieces, l, segment), segment), place);
}

/* How many segments begin before place @place of the sequence: @least to @most. */
static KValue
count_begins (AccPieces *self,
              AccLower  *l,
              KValue     place,
              KValue     least,
              KValue     most)
{
  return low_within (l, acc_search (l, self->n_segments, least, most, place, acc_pieces_begins_before, self), 0, self->n_segments);
}

void
acc_pieces_find_begun (AccPieces *self,
                       AccLower  *l,
                       KValue    *from,
                       KValue    *to)
{
  AccKernelBuilder *b = l->b;
  KValue n_segments = low_number (l, self->n_segments), n_items = kb_sub (b, kb_inner_end (b), kb_inner_begin (b));

  *from = count_begins (self, l, kb_inner_begin (b), low_const (l, 0), n_segments);
  *to = count_begins (self, l, kb_inner_end (b), *from, kb_min (b, kb_add (b, *from, n_items), n_segments));
}

KValue
acc_pieces_find_next (AccPieces *self,
                      AccLower  *l,
                      KValue     segment)
{
  AccKernelBuilder *b = l->b;
  KValue begin = acc_pieces_get_begin (self, l, segment), piece = acc_pieces_get_piece (self, l, segment);
  KValue before = kb_max (b, kb_sub (b, kb_inner_begin (b), kb_add (b, begin, segment)), low_const (l, 0));
  KValue n_before = acc_pieces_count (l, before, piece);

  return acc_pieces_clamp (l, kb_add (b, begin, kb_mul (b, n_before, piece)), self->n);
}

KValue
acc_pieces_get_tile (AccPieces *self,
                     AccLower  *l,
                     KValue     u,
                     KValue     tile)
{
  return kb_add (l->b, kb_mul (l->b, u, low_number (l, self->n_tiles)), tile);
}

KValue
acc_pieces_get_own_tile (AccPieces *self,
                         AccLower  *l,
                         KValue     u)
{
  return acc_pieces_get_tile (self, l, u, low_udiv (l, kb_inner_begin (l->b), self->tile));
}

KValue
acc_pieces_get_part (AccLower *l,
                     KValue    tile,
                     guint     part)
{
  return kb_add (l->b, kb_mul (l->b, tile, low_const (l, ACC_PIECES_N_PARTS)), low_const (l, part));
}

KValue
acc_pieces_load_state (AccPieces *self,
                       AccLower  *l,
                       KValue     part)
{
  return kb_load (l->b, low_scratch (l, self->states, ACC_KIND_I64), part);
}

void
acc_pieces_store_state (AccPieces *self,
                        AccLower  *l,
                        KValue     part,
                        KValue     state)
{
  kb_store (l->b, low_scratch (l, self->states, ACC_KIND_I64), part, state);
}

KValue
acc_pieces_get_state (AccPieces *self,
                      AccLower  *l,
                      KValue     first,
                      KValue     end)
{
  AccKernelBuilder *b = l->b;

  return kb_select (b, kb_le (b, kb_sub (b, end, first), low_const (l, self->tile)), low_const (l, ACC_PIECES_LAST),
                    low_const (l, ACC_PIECES_SOME));
}

void
acc_pieces_store_known (AccPieces      *self,
                        AccLower       *l,
                        const AccSpace *results,
                        KValue          u,
                        KValue          segment,
                        const KValue   *known)
{
  AccKernelBuilder *b = l->b;
  KValue place = self->space->outer == 1 ? segment : kb_add (b, kb_mul (b, u, low_number (l, self->n_segments)), segment);
  AccIndex *ix = low_index_of_linear (l, results, low_within (l, place, 0, MAX (self->node->size, 1) - 1));

  low_know (l, self->node, ix, known);
  low_store_roots (l, ix);
}

void
acc_pieces_store_result (AccPieces      *self,
                         AccLower       *l,
                         AccFold        *fold,
                         const AccSpace *results,
                         KValue          u,
                         KValue          segment,
                         KValue          has_elements,
                         const KValue   *sum)
{
  KValue *known = acc_fold_new_seed (fold, l, 0);

  if (known != NULL)
    {
      KVar *vars = acc_fold_new_vars (fold, l, known);

      low_if (l, has_elements)
        {
          acc_fold_append (fold, l, vars, sum);
        }
      acc_fold_get_vars (fold, l, vars, known);
    }
  acc_pieces_store_known (self, l, results, u, segment, known != NULL ? known : sum);
}
