/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "acc-core/base/acc-module-machine.h"
#include "acc-simt-pieces.h"

/* Folds of segments of rows, by groups of threads and tiles of pieces (acc-simt-pieces.h):
 *
 *   for short segments that begin in the tile: a thread folds each, from shared memory if they have some elements on average
 *   for long ones: the group folds the first piece; if there are more, part[tile, FIRST] = sum
 *   part[tile, NEXT] = the same of the piece of a segment that began before
 *
 * In a second kernel the group of the tile that a segment begins in combines its parts, if it has several. */

#define BLOCK          4      /* elements that a thread reads before it combines them */
#define MAX_BLOCK_COST 200    /* rough operations of elements that are written out one after the other */

/* Of windows in shared memory: bytes that a thread reads at once, and elements for each that is left out. */
#define STAGED_BYTES   32
#define MAX_STAGED     8
#define PADDED         32
/* Where a tile's segments have so many elements on average, and are so many that threads have something to do. */
#define LEAST_LENGTH   3
#define LEAST_SEGMENTS 8

typedef struct {
  AccSimtPieces  own;
  KValue         tile;
  guint          window;     /* elements in shared memory; 0: threads read their segments themselves */
  const KBuffer *staged;
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

/* Elements from @first to before @end into @vars, in order: by @element, some at once, so that they wait for memory together. */
static void
append_all (Segments      *self,
            AccLower      *l,
            KValue         first,
            KValue         end,
            AccSimtElement element,
            const KVar    *vars)
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
              element (fold, l, kb_add (b, at, low_const (l, i)), next[i], self);
            }
          for (guint i = 0; i < BLOCK; i++)
            acc_fold_append (fold, l, vars, next[i]);
        }
    }
  low_for (l, at, rest, end)
    {
      KValue *next = acc_fold_new_values (fold, l);

      element (fold, l, at, next, self);
      acc_fold_append (fold, l, vars, next);
    }
}

static void
read_element (AccFold  *fold,
              AccLower *l,
              KValue    at,
              KValue   *result,
              gpointer  data)
{
  Segments *self = data;

  acc_simt_pieces_read (fold, l, at, result, &self->own);
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

      read_element (fold, l, first, start, self);
      acc_fold_set_vars (fold, l, vars, start);
      append_all (self, l, kb_add (l->b, first, low_const (l, 1)), end, read_element, vars);
    }
  l->segment = (KValue) { 0 };
  store_result (self, l, segment, has_elements, vars);
}

/* --- by shared memory: where segments have some elements each, their threads would read all over the tile */

/* Where element @at of the window is: threads that read at multiples of a power of two do not wait for each other. */
static KValue
get_place (AccLower *l,
           KValue    at)
{
  return kb_add (l->b, at, low_udiv (l, at, PADDED));
}

static void
read_staged (AccFold  *fold,
             AccLower *l,
             KValue    at,
             KValue   *result,
             gpointer  data)
{
  Segments *self = data;

  acc_simt_load (&self->own.simt, fold, self->staged, get_place (l, low_within (l, at, 0, self->window - 1)), result);
}

static void
stage (Segments *self,
       AccLower *l,
       KValue    at,
       KValue    place)
{
  AccFold *fold = self->own.fold;
  KValue *values = acc_fold_new_values (fold, l);

  read_element (fold, l, at, values, self);
  for (guint i = 0; i < fold->n_leaves; i++)
    kb_store (l->b, self->staged[i], place, values[i]);
}

/* The elements from @first to before @end, at most a window. */
static void
stage_window (Segments *self,
              AccLower *l,
              KValue    first,
              KValue    end)
{
  AccKernelBuilder *b = l->b;
  guint group = self->own.simt.group, n_each = self->window / group;
  KValue thread = self->own.simt.thread, full = kb_le (b, kb_add (b, first, low_const (l, self->window)), end);

  low_if (l, full)
    {
      AccFold *fold = self->own.fold;
      KValue **values = low_alloc (l, n_each * sizeof *values);

      for (guint j = 0; j < n_each; j++)
        {
          values[j] = acc_fold_new_values (fold, l);
          read_element (fold, l, kb_add (b, kb_add (b, first, low_const (l, (gint64) j * group)), thread), values[j], self);
        }
      for (guint j = 0; j < n_each; j++)
        for (guint i = 0; i < fold->n_leaves; i++)
          kb_store (b, self->staged[i], get_place (l, low_add (l, thread, low_const (l, (gint64) j * group))), values[j][i]);
    }
  low_else (l)
    {
      low_for (l, j, low_const (l, 0), low_const (l, n_each))
        {
          KValue place = low_within (l, kb_add (b, kb_mul (b, j, low_const (l, group)), thread), 0, self->window - 1);
          KValue at = kb_add (b, first, place);

          low_if (l, kb_lt (b, at, end))
            {
              stage (self, l, at, get_place (l, place));
            }
        }
    }
}
/* A segment of the thread's own, if it is short. */
typedef struct {
  KVar first, end, is_there;
} Own;

static void
keep_own (AccLower *l,
          KValue    segment,
          KValue    first,
          KValue    end,
          gpointer  data)
{
  Own *self = data;

  kb_set (l->b, self->first, first);
  kb_set (l->b, self->end, end);
  kb_set (l->b, self->is_there, kb_int (l->b, ACC_KIND_BOOL, 1));
}

/* The thread's elements of a window, from @first to before @end of it, where there are some. */
static void
fold_staged (Segments   *self,
             AccLower   *l,
             KValue      first,
             KValue      end,
             KVar        has_elements,
             const KVar *vars)
{
  AccFold *fold = self->own.fold;
  AccKernelBuilder *b = l->b;

  low_if (l, kb_lt (b, first, end))
    {
      KVar next = kb_var (b, first);

      low_if (l, kb_not (b, kb_get (b, has_elements)))
        {
          KValue *start = acc_fold_new_values (fold, l);

          read_staged (fold, l, first, start, self);
          acc_fold_set_vars (fold, l, vars, start);
          kb_set (b, has_elements, kb_int (b, ACC_KIND_BOOL, 1));
          kb_set (b, next, kb_add (b, first, low_const (l, 1)));
        }
      append_all (self, l, kb_get (b, next), end, read_staged, vars);
    }
}

/* A segment for each thread, of those from @from to before @to, whose elements go through shared memory window by window. Those that the
 * long ones among them have go there for nothing: a tile has no more of them than its own, and the last segment's are left out. */
static void
fold_round (Segments *self,
            AccLower *l,
            KValue    from,
            KValue    to,
            KValue    round)
{
  AccSimtPieces *own = &self->own;
  AccPieces *pieces = &own->pieces;
  AccKernelBuilder *b = l->b;
  KValue zero = low_const (l, 0), window = low_const (l, self->window);
  KValue base = kb_add (b, from, kb_mul (b, round, low_const (l, own->simt.group)));
  KValue last = acc_pieces_get_before (pieces, l, kb_min (b, kb_add (b, base, low_const (l, own->simt.group)), to));
  KValue begin = acc_pieces_get_begin (pieces, l, last), end = acc_pieces_get_end (pieces, l, last);
  KValue lo = acc_pieces_get_begin (pieces, l, acc_pieces_clamp (l, base, pieces->n_segments - 1));
  KValue hi = kb_select (b, kb_lt (b, kb_sub (b, end, begin), low_const (l, ACC_SIMT_LONG)), end, begin);
  KVar *vars = acc_fold_new_vars (own->fold, l, NULL), has_elements = kb_var (b, kb_int (b, ACC_KIND_BOOL, 0));
  Own mine = { kb_var (b, zero), kb_var (b, zero), kb_var (b, kb_int (b, ACC_KIND_BOOL, 0)) };

  /* Offsets that do not ascend might make more of them. */
  hi = kb_min (b, hi, kb_add (b, lo, low_const (l, ACC_SIMT_PIECES_TILE + ACC_SIMT_LONG)));
  acc_simt_pieces_take_own (own, from, to, round, keep_own, &mine);
  low_for (l, w, zero, low_udiv (l, kb_add (b, kb_max (b, kb_sub (b, hi, lo), zero), low_const (l, self->window - 1)), self->window))
    {
      KValue at = kb_add (b, lo, kb_mul (b, w, window)), until = kb_min (b, kb_add (b, at, window), hi);

      stage_window (self, l, at, until);
      kb_barrier (b);
      fold_staged (self, l, kb_sub (b, kb_max (b, kb_get (b, mine.first), at), at), kb_sub (b, kb_min (b, kb_get (b, mine.end), until), at),
                   has_elements, vars);
      kb_barrier (b);
    }
  low_if (l, kb_get (b, mine.is_there))
    {
      store_result (self, l, acc_pieces_clamp (l, kb_add (b, base, own->simt.thread), pieces->n_segments - 1), kb_get (b, has_elements),
                    vars);
    }
}

/* How many elements go through shared memory at once; 0: none do. */
static guint
choose_window (Segments *self)
{
  AccStep *step = self->own.fold->step;
  const AccTarget *target = step->fusion->target;
  guint group = acc_simt_get_group (step), n_each;
  gsize bytes = 0;

  for (guint i = 0; i < self->own.fold->n_leaves; i++)
    bytes += acc_element_kind_get_size (acc_fold_get_kind (self->own.fold, i));
  n_each = MIN (STAGED_BYTES / MAX (bytes, 1), MAX_STAGED);
  while (n_each > 1
         && (n_each * (step->cluster->cost + 2) > MAX_BLOCK_COST || n_each * group * 2 * bytes > acc_simt_get_room (step, group)))
    n_each /= 2;
  /* Numbers of segments are known to who goes along one. Threads that do not run in lock step gain nothing from what others read. */
  if (n_each < 2 || step->cluster->offsets != NULL || self->own.pieces.n < target->few || target->subgroup_size == 1
      || (acc_disable_get_flags () & ACC_DISABLE_STAGING))
    return 0;

  return n_each * group;
}

/* The short segments that begin in the tile; the others go to the list. */
static void
fold_all_short (Segments *self,
                AccLower *l)
{
  AccSimtPieces *own = &self->own;
  AccKernelBuilder *b = l->b;
  KValue zero = low_const (l, 0), from, to, n_rounds, n_staged = zero;

  acc_simt_pieces_begin_tile (own, &from, &to);
  n_rounds = acc_simt_pieces_count_rounds (own, from, to);
  if (self->window > 0)
    {
      KValue n_items = kb_sub (b, kb_inner_end (b), kb_inner_begin (b)), n = kb_sub (b, to, from);

      self->staged = acc_simt_new_shared (&own->simt, own->fold, self->window + self->window / PADDED);
      n_staged = kb_select (b, kb_and (b, kb_le (b, low_const (l, LEAST_SEGMENTS), n),
                                       kb_le (b, kb_mul (b, n, low_const (l, LEAST_LENGTH + 1)), n_items)), n_rounds, zero);
      low_for (l, k, zero, n_staged)
        {
          fold_round (self, l, from, to, k);
        }
    }
  low_for (l, k, n_staged, n_rounds)
    {
      acc_simt_pieces_take_own (own, from, to, k, fold_short, self);
    }
  kb_barrier (b);
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
  fold_all_short (self, l);
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
  KValue tile = kb_add (l->b, self->tile, at), first = acc_pieces_get_part (l, tile, ACC_PIECES_FIRST);

  acc_fold_load_part (fold, l, kb_select (l->b, kb_eq (l->b, at, low_const (l, 0)), first, acc_pieces_get_part (l, tile, ACC_PIECES_NEXT)),
                      result);
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
  self.window = choose_window (&self);

  if (pieces->has_more)
    {
      acc_pieces_add_states (pieces);
      acc_fold_add_parts (fold, space->outer * pieces->n_tiles * ACC_PIECES_N_PARTS);
    }
  write_tiles (&self);
  if (pieces->has_more)
    write_joints (&self);
}
