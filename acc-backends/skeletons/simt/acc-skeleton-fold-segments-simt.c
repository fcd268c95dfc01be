/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "acc-simt-pieces.h"

/* Folds of segments of rows, by groups of threads and tiles of pieces (acc-simt-pieces.h):
 *
 *   for short segments that begin in the tile: a thread folds each
 *   for long ones: the group folds the first piece; if there are more, part[tile, FIRST] = sum
 *   part[tile, NEXT] = the same of the piece of a segment that began before
 *
 * In a second kernel the group of the tile that a segment begins in combines its parts, if it has several. */

#define BLOCK          4      /* elements that a thread reads before it combines them */
#define MAX_BLOCK_COST 200    /* rough operations of elements that are written out one after the other */

typedef struct {
  AccSimtPieces own;
  KValue        tile;
  KValue        place, piece;    /* of the parts that are joined: where the segment begins in the sequence, and elements of each */
} Segments;

static void
store_result (Segments   *self,
              AccLower   *l,
              KValue      segment,
              KValue      has_elements,
              const KVar *vars)
{
  AccSimtPieces *own = &self->own;
  KValue *sum = acc_fold_new_values (own->fold, l);

  acc_fold_get_vars (own->fold, l, vars, sum);
  acc_pieces_store_result (&own->pieces, l, own->fold, own->results, own->u, segment, has_elements, sum);
}

/* Elements from @first to before @end into @vars, in order, some read at once, so that they wait for memory together. */
static void
append_all (Segments   *self,
            AccLower   *l,
            KValue      first,
            KValue      end,
            const KVar *vars)
{
  AccFold *fold = self->own.fold;
  AccKernelBuilder *b = l->b;
  KValue zero = low_const (l, 0), n_blocks = low_udiv (l, kb_max (b, kb_sub (b, end, first), zero), BLOCK), rest = first;

  if (BLOCK * (fold->step->cluster->cost + 2) <= MAX_BLOCK_COST)
    {
      rest = kb_add (b, first, kb_mul (b, n_blocks, low_const (l, BLOCK)));
      low_for (l, k, zero, n_blocks)
        {
          KValue *next[BLOCK], at = kb_add (b, first, kb_mul (b, k, low_const (l, BLOCK)));

          for (guint i = 0; i < BLOCK; i++)
            {
              next[i] = acc_fold_new_values (fold, l);
              acc_simt_pieces_read (fold, l, kb_add (b, at, low_const (l, i)), next[i], &self->own);
            }
          for (guint i = 0; i < BLOCK; i++)
            acc_fold_append (fold, l, vars, next[i]);
        }
    }
  low_for (l, at, rest, end)
    {
      KValue *next = acc_fold_new_values (fold, l);

      acc_simt_pieces_read (fold, l, at, next, &self->own);
      acc_fold_append (fold, l, vars, next);
    }
}

static void
fold_short (AccLower *l,
            KValue    segment,
            KValue    first,
            KValue    end,
            gpointer  data)
{
  Segments *self = data;
  AccFold *fold = self->own.fold;
  KVar *vars = acc_fold_new_vars (fold, l, NULL);
  KValue has_elements = kb_lt (l->b, first, end);

  l->segment = segment;
  low_if (l, has_elements)
    {
      KValue *start = acc_fold_new_values (fold, l);

      acc_simt_pieces_read (fold, l, first, start, &self->own);
      acc_fold_set_vars (fold, l, vars, start);
      append_all (self, l, kb_add (l->b, first, low_const (l, 1)), end, vars);
    }
  l->segment = (KValue) { 0 };
  store_result (self, l, segment, has_elements, vars);
}

/* What thread 0 does with the sum of a piece. */
static void
hand_on (Segments           *self,
         AccLower           *l,
         const AccSimtPiece *piece,
         const KVar         *vars)
{
  AccPieces *pieces = &self->own.pieces;
  AccFold *fold = self->own.fold;
  AccKernelBuilder *b = l->b;

  if (!pieces->has_more)
    {
      store_result (self, l, piece->segment, kb_int (b, ACC_KIND_BOOL, 1), vars);
      return;
    }

  low_if (l, kb_and (b, piece->ends_segment, kb_not (b, piece->goes_on)))
    {
      store_result (self, l, piece->segment, kb_int (b, ACC_KIND_BOOL, 1), vars);
    }
  low_else (l)
    {
      KValue first = acc_pieces_get_part (l, self->tile, ACC_PIECES_FIRST), next = acc_pieces_get_part (l, self->tile, ACC_PIECES_NEXT);

      acc_fold_store_vars (fold, l, fold->part_scratch, kb_select (b, piece->goes_on, next, first), vars);
      low_if (l, kb_not (b, piece->goes_on))
        {
          acc_pieces_store_state (pieces, l, first, kb_add (b, piece->segment, low_const (l, 1)));
        }
    }
}

static void
write_tiles (Segments *self)
{
  AccSimtPieces *own = &self->own;
  AccPieces *pieces = &own->pieces;
  AccFold *fold = own->fold;
  AccLower *l = acc_simt_pieces_begin (own, acc_skeleton_get_name (pieces->step));
  AccKernelBuilder *b = l->b;
  KValue zero = low_const (l, 0), is_first = kb_eq (b, own->simt.thread, zero);

  self->tile = acc_pieces_get_own_tile (pieces, l, own->u);
  if (pieces->has_more)
    low_if (l, is_first)
      {
        acc_pieces_store_state (pieces, l, acc_pieces_get_part (l, self->tile, ACC_PIECES_FIRST), zero);
      }
  acc_simt_pieces_take_short (own, fold_short, self);
  low_for (l, i, zero, acc_simt_pieces_count_long (own))
    {
      AccSimtPiece piece = acc_simt_pieces_get_long (own, i);
      KVar *vars = acc_fold_new_vars (fold, l, NULL);

      l->segment = piece.segment;
      acc_simt_fold (&own->simt, fold, piece.first, piece.end, 1, acc_simt_pieces_read, own, vars);
      l->segment = (KValue) { 0 };
      low_if (l, is_first)
        {
          hand_on (self, l, &piece, vars);
        }
    }

  acc_simt_pieces_finish (own, TRUE, acc_skeleton_get_cost (pieces->step));
}

/* The parts of a segment, from that of the tile that it begins in on. */
static void
read_part (AccFold  *fold,
           AccLower *l,
           KValue    at,
           KValue   *result,
           gpointer  data)
{
  Segments *self = data;
  AccPieces *pieces = &self->own.pieces;
  AccKernelBuilder *b = l->b;
  KValue place = kb_add (b, self->place, kb_mul (b, at, self->piece)), is_first = kb_eq (b, at, low_const (l, 0));
  KValue tile = acc_pieces_get_tile (pieces, l, self->own.u, acc_pieces_clamp (l, low_udiv (l, place, pieces->tile), pieces->n_tiles - 1));

  acc_fold_load_part (fold, l, kb_select (b, is_first, acc_pieces_get_part (l, self->tile, ACC_PIECES_FIRST),
                                          acc_pieces_get_part (l, tile, ACC_PIECES_NEXT)), result);
}

static void
write_joints (Segments *self)
{
  AccSimtPieces *own = &self->own;
  AccPieces *pieces = &own->pieces;
  AccFold *fold = own->fold;
  AccLower *l = acc_simt_pieces_begin (own, "fold_seg_join");
  AccKernelBuilder *b = l->b;
  KValue zero = low_const (l, 0), one = low_const (l, 1), segment, n;

  self->tile = acc_pieces_get_tile (pieces, l, own->u, kb_inner_begin (b));
  n = acc_simt_pieces_count_own (own, self->tile, &segment);
  self->place = kb_add (b, acc_pieces_get_begin (pieces, l, segment), segment);
  self->piece = acc_pieces_get_piece (pieces, l, segment);
  low_for (l, k, zero, kb_min (b, n, one))
    {
      KVar *vars = acc_fold_new_vars (fold, l, NULL);

      acc_simt_fold (&own->simt, fold, zero, n, 1, read_part, self, vars);
      low_if (l, kb_eq (b, own->simt.thread, zero))
        {
          store_result (self, l, segment, kb_int (b, ACC_KIND_BOOL, 1), vars);
        }
    }

  acc_simt_pieces_finish (own, FALSE, 1);
}

void
acc_skeleton_fold_segments_simt (AccStep        *step,
                                 const AccSpace *space,
                                 const AccSpace *results)
{
  g_autoptr(AccFold) fold = acc_fold_new (step);
  Segments self;
  AccPieces *pieces = &self.own.pieces;

  if (!acc_simt_pieces_init (&self.own, fold, space, results))
    return;

  /* As rows and vectors are cut. */
  if (fold->rounds)
    acc_pieces_lengthen (pieces, ACC_SIMT_PART, ACC_SIMT_PARTS, ACC_SIMT_LONGEST_PART);
  if (pieces->has_more)
    {
      acc_pieces_add_states (pieces);
      acc_fold_add_parts (fold, space->outer * pieces->n_tiles * ACC_PIECES_N_PARTS);
    }
  write_tiles (&self);
  if (pieces->has_more)
    write_joints (&self);
}
