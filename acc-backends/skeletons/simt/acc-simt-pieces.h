/* SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

#include "acc-backends/skeletons/acc-pieces.h"
#include "acc-simt.h"

/* How a group goes along the pieces of its tile: a thread takes a short segment alone; of long ones, and of the segment that began before,
 * there is a list in shared memory, and all threads take one after the other. What is short follows from the segment's own length, and so
 * does how its elements are grouped. */

#define ACC_SIMT_PIECES_TILE 4096

typedef struct {
  AccPieces *pieces;
  AccSimt   *simt;
  KValue     u;                       /* row */
  KBuffer    segments, firsts, n;     /* of the list: shared */
} AccSimtPieces;

/* A piece of @segment from @first to before @end. */
typedef struct {
  KValue segment, first, end;
  KValue ends_segment;     /* no piece follows */
  KValue goes_on;          /* some came before */
} AccSimtPiece;

/* What one thread does with a whole segment that is short. */
typedef void (*AccSimtShort) (AccLower *l, KValue segment, KValue first, KValue end, gpointer data);

/* By a kernel for groups as acc_pieces_launch_groups() has them. */
void         acc_simt_pieces_init       (AccSimtPieces *self, AccPieces *pieces, AccSimt *simt);
/* All segments that begin in the tile, the short ones by @take. Then there is the list. */
void         acc_simt_pieces_take_short (AccSimtPieces *self, AccSimtShort take, gpointer data);
KValue       acc_simt_pieces_count_long (AccSimtPieces *self);
AccSimtPiece acc_simt_pieces_get_long   (AccSimtPieces *self, KValue i);
/* The piece of the tile that others follow; of these there is one at most, and the first piece of the tile that is. */
AccSimtPiece acc_simt_pieces_get_last   (AccSimtPieces *self, KValue *is_there);
/* Of the tile whose number is the kernel's inner index: how many pieces there are of the segment that begins in it and has several, else 0.
 * As many tiles have them, from this one on. */
KValue       acc_simt_pieces_count_own  (AccSimtPieces *self, KValue tile, KValue *segment);

/* A launch over tiles, a group each. */
AccLaunch    acc_simt_pieces_launch     (AccPieces *pieces, gboolean by_items, double cost);
