/* SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

#include "acc-backends/skeletons/acc-pieces.h"
#include "acc-simt.h"

/* How a group goes along the pieces of its tile: a thread takes a short segment alone; of long ones, and of the segment that began before,
 * there is a list in shared memory, and all threads take one after the other. What is short follows from the segment's own length, and so
 * does how its elements are grouped. */

/* The kernels of a fold or scan of segments; one is written at a time. */
typedef struct {
  AccPieces       pieces;
  AccFold        *fold;
  const AccSpace *results;
  AccSimt         simt;                    /* of the kernel */
  KValue          u;                       /* its row */
  KBuffer         segments, firsts, n;     /* of its list: shared */
} AccSimtPieces;

/* A piece of @segment from @first to before @end. */
typedef struct {
  KValue segment, first, end;
  KValue ends_segment;     /* no piece follows */
  KValue goes_on;          /* some came before */
} AccSimtPiece;

/* What one thread does with a whole segment that is short. */
typedef void (*AccSimtShort) (AccLower *l, KValue segment, KValue first, KValue end, gpointer data);

/* FALSE: there is nothing to do. */
gboolean     acc_simt_pieces_init       (AccSimtPieces *self, AccFold *fold, const AccSpace *space, const AccSpace *results);
/* A kernel, and the launch of it over tiles, a group each. */
AccLower    *acc_simt_pieces_begin      (AccSimtPieces *self, const char *name);
void         acc_simt_pieces_finish     (AccSimtPieces *self, gboolean by_items, double cost);
/* An element of the row: an AccSimtElement. */
void         acc_simt_pieces_read       (AccFold *fold, AccLower *l, KValue at, KValue *result, gpointer self);
/* All segments that begin in the tile, in rounds of one for each thread: the short ones by @take. Then there is the list of the others. */
void         acc_simt_pieces_take_short (AccSimtPieces *self, AccSimtShort take, gpointer data);
KValue       acc_simt_pieces_count_long (AccSimtPieces *self);
AccSimtPiece acc_simt_pieces_get_long   (AccSimtPieces *self, KValue i);
/* The piece of the tile that others follow; of these there is one at most, and the first piece of the tile that is. */
AccSimtPiece acc_simt_pieces_get_last   (AccSimtPieces *self, KValue *is_there);
/* Of the tile whose number is the kernel's inner index: how many pieces there are of the segment that begins in it and has several, else 0.
 * As many tiles have them, from this one on. */
KValue       acc_simt_pieces_count_own  (AccSimtPieces *self, KValue tile, KValue *segment);
