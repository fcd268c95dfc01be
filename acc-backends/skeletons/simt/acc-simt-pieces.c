/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "acc-simt-pieces.h"

#define TILE 4096
/* From so many elements on a segment keeps a group about as busy as one of its threads. */
#define LONG 256
/* All that begin in a tile but the last lie in it as well; and one began before. */
#define MOST_LONG (TILE / LONG + 2)

gboolean
acc_simt_pieces_init (AccSimtPieces  *self,
                      AccFold        *fold,
                      const AccSpace *space,
                      const AccSpace *results)
{
  AccStep *step = fold->step;

  *self = (AccSimtPieces) { .fold = fold, .results = results };
  step->n_rows = space->n_rows;
  fold->reads_all_rows = TRUE;
  acc_pieces_init (&self->pieces, step, space, TILE);

  return space->outer > 0 && self->pieces.n_segments > 0 && acc_skeleton_has_leaves (step);
}

AccLower *
acc_simt_pieces_begin (AccSimtPieces *self,
                       const char    *name)
{
  AccPieces *pieces = &self->pieces;
  AccLower *l = acc_simt_begin (&self->simt, pieces->step, name, acc_simt_get_group (pieces->step));

  self->u = low_within (l, kb_outer_begin (l->b), 0, pieces->space->outer - 1);

  return l;
}

void
acc_simt_pieces_finish (AccSimtPieces *self,
                        gboolean       by_items,
                        double         cost)
{
  AccPieces *pieces = &self->pieces;
  AccLaunch launch = acc_pieces_launch (pieces, by_items ? pieces->n_items : pieces->n_tiles);

  launch.cost = cost;
  launch.tile_outer = 1;
  launch.tile_inner = by_items ? pieces->tile : 1;
  low_finish (self->simt.l, launch);
}

void
acc_simt_pieces_read (AccFold  *fold,
                      AccLower *l,
                      KValue    at,
                      KValue   *result,
                      gpointer  data)
{
  AccSimtPieces *self = data;

  acc_fold_element (fold, l, self->pieces.space, self->u, low_within (l, at, 0, self->pieces.n - 1), result);
}

static void
push (AccSimtPieces *self,
      KValue         segment,
      KValue         first)
{
  AccLower *l = self->simt.l;
  AccKernelBuilder *b = l->b;
  KValue at = kb_cast (b, ACC_KIND_I64, kb_atomic (b, KB_ATOMIC_ADD, self->n, low_const (l, 0), kb_int (b, ACC_KIND_U32, 1)));

  /* Offsets that do not ascend make more. */
  at = kb_min (b, at, low_const (l, MOST_LONG - 1));
  kb_store (b, self->segments, at, segment);
  kb_store (b, self->firsts, at, first);
}

static void
push_next (AccSimtPieces *self,
           KValue         from)
{
  AccPieces *pieces = &self->pieces;
  AccLower *l = self->simt.l;
  AccKernelBuilder *b = l->b;
  KValue zero = low_const (l, 0);

  low_if (l, kb_and (b, kb_eq (b, self->simt.thread, zero), kb_lt (b, zero, from)))
    {
      KValue s = acc_pieces_get_before (pieces, l, from);
      KValue first = acc_pieces_find_next (pieces, l, s), is_there = kb_lt (b, first, acc_pieces_get_end (pieces, l, s));

      /* A piece that is longer than a tile may begin behind it. */
      if (pieces->longest > pieces->tile)
        is_there = kb_and (b, is_there, kb_lt (b, kb_add (b, first, s), kb_inner_end (b)));
      low_if (l, is_there)
        {
          push (self, s, first);
        }
    }
}

/* acc_pieces_find_begun() by all threads of the group. */
static void
find_begun (AccSimtPieces *self,
            KValue        *from,
            KValue        *to)
{
  AccPieces *pieces = &self->pieces;
  AccLower *l = self->simt.l;
  AccKernelBuilder *b = l->b;
  KValue places[] = { kb_inner_begin (b), kb_inner_end (b) }, found[2];

  if (!acc_simt_search (&self->simt, pieces->n_segments, places, acc_pieces_begins_before, pieces, found))
    {
      acc_pieces_find_begun (pieces, l, from, to);
      return;
    }

  *from = found[0];
  /* Offsets that do not ascend might make more of them. */
  *to = low_within (l, kb_max (b, found[0], kb_min (b, found[1], kb_add (b, found[0], kb_sub (b, places[1], places[0])))), 0,
                    pieces->n_segments);
}

/* An empty list, and the segments that begin in the tile, @from to before @to. */
static void
begin_tile (AccSimtPieces *self,
            KValue        *from,
            KValue        *to)
{
  AccLower *l = self->simt.l;
  AccKernelBuilder *b = l->b;
  KValue zero = low_const (l, 0);

  self->segments = kb_shared (b, ACC_KIND_I64, MOST_LONG, "segments");
  self->firsts = kb_shared (b, ACC_KIND_I64, MOST_LONG, "firsts");
  self->n = kb_shared (b, ACC_KIND_U32, 1, "n");
  low_if (l, kb_eq (b, self->simt.thread, zero))
    {
      kb_store (b, self->n, zero, kb_int (b, ACC_KIND_U32, 0));
    }
  kb_barrier (b);

  find_begun (self, from, to);
  if (self->pieces.has_more)
    push_next (self, *from);
}

/* The thread's own of a round. */
static void
take_own (AccSimtPieces *self,
          KValue         from,
          KValue         to,
          KValue         round,
          AccSimtShort   take,
          gpointer       data)
{
  AccPieces *pieces = &self->pieces;
  AccLower *l = self->simt.l;
  AccKernelBuilder *b = l->b;
  KValue s = kb_add (b, kb_add (b, from, kb_mul (b, round, low_const (l, self->simt.group))), self->simt.thread);

  low_if (l, kb_lt (b, s, to))
    {
      KValue first = acc_pieces_get_begin (pieces, l, s), end = acc_pieces_get_end (pieces, l, s);

      low_if (l, kb_lt (b, kb_sub (b, end, first), low_const (l, LONG)))
        {
          take (l, s, first, end, data);
        }
      low_else (l)
        {
          push (self, s, first);
        }
    }
}

void
acc_simt_pieces_take_short (AccSimtPieces *self,
                            AccSimtShort   take,
                            gpointer       data)
{
  AccLower *l = self->simt.l;
  AccKernelBuilder *b = l->b;
  KValue from, to, n_rounds;

  begin_tile (self, &from, &to);
  n_rounds = low_udiv (l, kb_add (b, kb_sub (b, to, from), low_const (l, self->simt.group - 1)), self->simt.group);
  low_for (l, k, low_const (l, 0), n_rounds)
    {
      take_own (self, from, to, k, take, data);
    }
  kb_barrier (b);
}

KValue
acc_simt_pieces_count_long (AccSimtPieces *self)
{
  AccLower *l = self->simt.l;

  return kb_min (l->b, kb_cast (l->b, ACC_KIND_I64, kb_load (l->b, self->n, low_const (l, 0))), low_const (l, MOST_LONG));
}

static AccSimtPiece
make_piece (AccSimtPieces *self,
            KValue         segment,
            KValue         first)
{
  AccPieces *pieces = &self->pieces;
  AccLower *l = self->simt.l;
  AccKernelBuilder *b = l->b;
  KValue end = acc_pieces_get_end (pieces, l, segment), piece = acc_pieces_get_piece (pieces, l, segment);

  return (AccSimtPiece) { segment, first, kb_min (b, kb_add (b, first, piece), end), kb_le (b, kb_sub (b, end, first), piece),
                          kb_lt (b, acc_pieces_get_begin (pieces, l, segment), first) };
}

AccSimtPiece
acc_simt_pieces_get_long (AccSimtPieces *self,
                          KValue         i)
{
  AccPieces *pieces = &self->pieces;
  AccLower *l = self->simt.l;

  return make_piece (self, low_within (l, kb_load (l->b, self->segments, i), 0, pieces->n_segments - 1),
                     low_within (l, kb_load (l->b, self->firsts, i), 0, pieces->n));
}

AccSimtPiece
acc_simt_pieces_get_last (AccSimtPieces *self,
                          KValue        *is_there)
{
  AccPieces *pieces = &self->pieces;
  AccLower *l = self->simt.l;
  AccKernelBuilder *b = l->b;
  KValue from, to, s;
  AccSimtPiece piece;

  find_begun (self, &from, &to);
  s = acc_pieces_get_before (pieces, l, to);
  piece = make_piece (self, s, acc_pieces_find_next (pieces, l, s));
  *is_there = kb_and (b, kb_lt (b, low_const (l, 0), to), kb_not (b, piece.ends_segment));

  return piece;
}

KValue
acc_simt_pieces_count_own (AccSimtPieces *self,
                           KValue         tile,
                           KValue        *segment)
{
  AccPieces *pieces = &self->pieces;
  AccLower *l = self->simt.l;
  AccKernelBuilder *b = l->b;
  KValue zero = low_const (l, 0), state = acc_pieces_load_state (pieces, l, acc_pieces_get_part (l, tile, ACC_PIECES_FIRST)), length, n;

  *segment = acc_pieces_get_before (pieces, l, state);
  length = kb_sub (b, acc_pieces_get_end (pieces, l, *segment), acc_pieces_get_begin (pieces, l, *segment));
  n = acc_pieces_count (l, kb_max (b, length, zero), acc_pieces_get_piece (pieces, l, *segment));
  /* Offsets that do not ascend might make more than there are. */
  n = kb_min (b, n, kb_sub (b, low_number (l, pieces->n_tiles), kb_inner_begin (b)));

  return kb_select (b, kb_lt (b, zero, state), n, zero);
}
