/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "acc-simt-pieces.h"

/* Inclusive scans of segments of rows, by groups of threads and tiles of pieces (acc-simt-pieces.h):
 *
 *   for short segments that begin in the tile: a thread scans each
 *   for long ones, and the segment that began before: the group scans the piece that begins in the tile, after the sum of those before
 *
 * Where segments may have more than one piece, two kernels before add these up: one folds those that others follow, one scans the sums of
 * each such segment from its first tile on, by a group, and by parts of so many sums as a piece has elements. So each sum is grouped as the
 * segment's own begin has it. Each piece, and each part of the sums, is scanned by itself, and what is before is put in front of each
 * element: whoever has pieces one after the other gets the same (acc-seq/stream/external/acc-external-segment-long.c). */

typedef struct {
  AccSimtPieces own;
  guint        *before;     /* scratch per leaf: sum of all pieces before that of the tile */
  const KVar   *front;      /* of what is scanned */
  KValue        has_front;
  KBuffer      *last;       /* shared: the sum of all parts of the sums so far */
  KValue        last_at;
} Segments;

static void
read_element (AccFold  *fold,
              AccLower *l,
              KValue    at,
              KValue   *result,
              gpointer  data)
{
  acc_simt_pieces_read (fold, l, at, result, &((Segments *) data)->own);
}

static void
store_element (AccFold      *fold,
               AccLower     *l,
               KValue        at,
               const KValue *sum,
               gpointer      data)
{
  AccSimtPieces *self = &((Segments *) data)->own;
  const AccSpace *space = self->pieces.space;
  KValue linear = space->outer == 1 ? at : kb_add (l->b, kb_mul (l->b, self->u, low_number (l, space->inner)), at);
  AccIndex *ix = low_index_of_linear (l, self->results, low_within (l, linear, 0, space->outer * space->inner - 1));

  acc_fold_know (fold, l, ix, sum);
  low_store_roots (l, ix);
}

/* What is in front . @sum, if something is. */
static KVar *
prepend_front (Segments     *self,
               AccLower     *l,
               const KValue *sum)
{
  AccFold *fold = self->own.fold;
  KValue *front = acc_fold_new_values (fold, l);
  KVar *vars = acc_fold_new_vars (fold, l, sum);

  acc_fold_get_vars (fold, l, self->front, front);
  acc_fold_prepend_if (fold, l, vars, self->has_front, front);

  return vars;
}

static void
store_after_front (AccFold      *fold,
                   AccLower     *l,
                   KValue        at,
                   const KValue *sum,
                   gpointer      data)
{
  KValue *all = acc_fold_new_values (fold, l);

  acc_fold_get_vars (fold, l, prepend_front (data, l, sum), all);
  store_element (fold, l, at, all, data);
}

/* The sum of the piece that others follow, of each tile that has one. */
static void
write_sums (Segments *self)
{
  AccSimtPieces *own = &self->own;
  AccPieces *pieces = &own->pieces;
  AccFold *fold = own->fold;
  AccLower *l = acc_simt_pieces_begin (own, "scan_seg_sums");
  AccKernelBuilder *b = l->b;
  KValue zero = low_const (l, 0), one = low_const (l, 1), is_there, tile = acc_pieces_get_own_tile (pieces, l, own->u);
  AccSimtPiece piece = acc_simt_pieces_get_last (own, &is_there);
  KVar *vars = acc_fold_new_vars (fold, l, NULL);

  low_if (l, kb_eq (b, own->simt.thread, zero))
    {
      KValue begins = kb_and (b, is_there, kb_not (b, piece.goes_on));

      acc_pieces_store_state (pieces, l, acc_pieces_get_part (l, tile, ACC_PIECES_FIRST),
                              kb_select (b, begins, kb_add (b, piece.segment, one), zero));
    }
  low_for (l, k, zero, kb_select (b, is_there, one, zero))
    {
      acc_simt_fold (&own->simt, fold, piece.first, piece.end, 1, acc_simt_pieces_read, own, vars);
      low_if (l, kb_eq (b, own->simt.thread, zero))
        {
          acc_fold_store_vars (fold, l, fold->part_scratch, tile, vars);
        }
    }

  acc_simt_pieces_finish (own, TRUE, acc_skeleton_get_cost (pieces->step));
}

static void
read_sum (AccFold  *fold,
          AccLower *l,
          KValue    at,
          KValue   *result,
          gpointer  data)
{
  acc_fold_load_part (fold, l, at, result);
}

static void
store_before (AccFold      *fold,
              AccLower     *l,
              KValue        at,
              const KValue *sum,
              gpointer      data)
{
  Segments *self = data;
  KVar *all = prepend_front (self, l, sum);

  /* What the next piece begins with, which is the next tile's. */
  acc_fold_store_vars (fold, l, self->before, kb_add (l->b, at, low_const (l, 1)), all);
  low_if (l, kb_eq (l->b, at, self->last_at))
    {
      acc_simt_store_vars (&self->own.simt, fold, self->last, low_const (l, 0), all);
    }
}

static void
write_sums_before (Segments *self)
{
  AccSimtPieces *own = &self->own;
  AccPieces *pieces = &own->pieces;
  AccFold *fold = own->fold;
  AccLower *l = acc_simt_pieces_begin (own, "scan_seg_before");
  AccKernelBuilder *b = l->b;
  AccSimtScan scan = { read_sum, store_before, NULL, self };
  KValue tile = acc_pieces_get_tile (pieces, l, own->u, kb_inner_begin (b)), segment;
  KValue n = acc_simt_pieces_count_own (own, tile, &segment), zero = low_const (l, 0), one = low_const (l, 1);
  KValue part = low_const (l, pieces->piece), n_parts, all = kb_max (b, kb_sub (b, n, one), zero);
  KVar *front = acc_fold_new_vars (fold, l, NULL);

  self->last = acc_simt_new_shared (&own->simt, fold, 1);
  self->front = front;
  n_parts = acc_pieces_count (l, all, part);
  low_for (l, k, zero, n_parts)
    {
      KValue first = kb_mul (b, k, part), end = kb_add (b, tile, kb_min (b, kb_add (b, first, part), all));
      KValue *sum = acc_fold_new_values (fold, l);

      self->has_front = kb_lt (b, zero, k);
      self->last_at = kb_sub (b, end, one);
      acc_simt_scan_part (&own->simt, fold, &scan, kb_add (b, tile, first), end, kb_int (b, ACC_KIND_BOOL, 1),
                          acc_fold_new_vars (fold, l, NULL), kb_var (b, kb_int (b, ACC_KIND_BOOL, 0)));
      kb_barrier (b);
      acc_simt_load (&own->simt, fold, self->last, zero, sum);
      acc_fold_set_vars (fold, l, front, sum);
    }

  acc_simt_pieces_finish (own, FALSE, 1);
}

static void
scan_short (AccLower *l,
            KValue    segment,
            KValue    first,
            KValue    end,
            gpointer  data)
{
  Segments *self = data;
  AccFold *fold = self->own.fold;
  KVar *vars = acc_fold_new_vars (fold, l, NULL), is_there = kb_var (l->b, kb_int (l->b, ACC_KIND_BOOL, 0));

  low_for (l, at, first, end)
    {
      KValue *next = acc_fold_new_values (fold, l), *sum = acc_fold_new_values (fold, l);

      acc_simt_pieces_read (fold, l, at, next, &self->own);
      acc_fold_append_or_start (fold, l, vars, is_there, next);
      acc_fold_get_vars (fold, l, vars, sum);
      store_element (fold, l, at, sum, self);
    }
}

static void
write_scans (Segments *self)
{
  AccSimtPieces *own = &self->own;
  AccPieces *pieces = &own->pieces;
  AccFold *fold = own->fold;
  AccLower *l = acc_simt_pieces_begin (own, "scan_seg");
  AccKernelBuilder *b = l->b;
  AccSimtScan scan = { read_element, pieces->has_more ? store_after_front : store_element, NULL, self };

  acc_simt_pieces_take_short (own, scan_short, self);
  low_for (l, i, low_const (l, 0), acc_simt_pieces_count_long (own))
    {
      AccSimtPiece piece = acc_simt_pieces_get_long (own, i);
      KVar *carry = acc_fold_new_vars (fold, l, NULL), started = kb_var (b, kb_int (b, ACC_KIND_BOOL, 0));

      if (pieces->has_more)
        {
          KVar *front = acc_fold_new_vars (fold, l, NULL);

          self->front = front;
          self->has_front = piece.goes_on;
          low_if (l, piece.goes_on)
            {
              KValue *sum = acc_fold_new_values (fold, l);

              acc_fold_load (fold, l, self->before, acc_pieces_get_own_tile (pieces, l, own->u), sum);
              acc_fold_set_vars (fold, l, front, sum);
            }
        }
      acc_simt_scan_part (&own->simt, fold, &scan, piece.first, piece.end, kb_int (b, ACC_KIND_BOOL, 1), carry, started);
    }

  acc_simt_pieces_finish (own, TRUE, 1 + pieces->step->cluster->cost);
}

void
acc_skeleton_scan_segments_simt (AccStep        *step,
                                 const AccSpace *space,
                                 const AccSpace *results)
{
  g_autoptr(AccFold) fold = acc_fold_new (step);
  Segments self = { .before = NULL };
  AccPieces *pieces = &self.own.pieces;

  if (!acc_simt_pieces_init (&self.own, fold, space, results) || space->inner == 0)
    return;

  if (pieces->has_more)
    {
      acc_fold_add_parts (fold, space->outer * pieces->n_tiles);
      self.before = acc_fold_add_scratch (fold, space->outer * pieces->n_tiles);
      acc_pieces_add_states (pieces);
      write_sums (&self);
      write_sums_before (&self);
    }
  write_scans (&self);
  g_free (self.before);
}
