/* SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

#include "acc-backends/skeletons/acc-skeletons.h"

/* Segments of rows, cut into pieces of as many elements as a tile has, counted from their own begin, so that how the elements of a segment
 * are grouped follows from how many there are, wherever it lies: floats are the same then, whatever lies beside it.
 *
 * Elements and ends of segments are one sequence, in which an end comes behind the last element of its segment; tiles are as long parts of
 * it, however long segments are, and however many are empty (Merrill and Garland, "Merge-Based Parallel Sparse Matrix-Vector
 * Multiplication", 2016). A tile does the pieces that begin in it, the last of which may end in a later tile. As pieces are at least as
 * long as tiles, at most one is of a segment that began before, and only the last segment that begins in a tile may have more pieces.
 *
 * Offsets that do not ascend are an error, which the kernel that reads them finds; here they cost nothing but a wrong result. */

#define ACC_PIECES_TILE 32768   /* of workers */

/* Parts of a tile: of a segment that began before it, and the first of one that has more. */
enum { ACC_PIECES_NEXT, ACC_PIECES_FIRST, ACC_PIECES_N_PARTS };

/* What there is of the next part; of the first it is 0 or the number of the segment, plus 1. */
enum { ACC_PIECES_NOTHING, ACC_PIECES_SOME, ACC_PIECES_LAST };

typedef struct {
  AccStep        *step;
  AccFusionNode  *node, *offsets;
  const AccSpace *space;        /* of the elements */
  gint64          n, n_segments, n_items;   /* of a row: elements, segments, both */
  gint64          tile;         /* items */
  gint64          piece;        /* elements of each, of segments that have at most .most_pieces of these */
  gint64          most_pieces;  /* pieces of longer segments are doubled while they are more than so many, up to .longest elements */
  gint64          longest;
  gint64          n_tiles;      /* of a row */
  gboolean        has_more;     /* segments may have more than one */
  guint           states;       /* scratch: what there is of parts */
} AccPieces;

/* The segments that the fold or scan of @step goes by, in pieces of @tile elements. */
void      acc_pieces_init         (AccPieces *self, AccStep *step, const AccSpace *space, gint64 tile);
/* Pieces of at least a tile: @piece elements; those of a segment that had more than @most_pieces are longer, up to @longest. */
void      acc_pieces_lengthen     (AccPieces *self, gint64 piece, gint64 most_pieces, gint64 longest);
/* A launch over @inner items of each row, that reads rows as segments lie. */
AccLaunch acc_pieces_launch       (AccPieces *self, gint64 inner);
void      acc_pieces_add_states   (AccPieces *self);

KValue    acc_pieces_clamp        (AccLower *l, KValue x, gint64 most);
/* The segment before number @number, if there is one. */
KValue    acc_pieces_get_before   (AccPieces *self, AccLower *l, KValue number);
KValue    acc_pieces_get_begin    (AccPieces *self, AccLower *l, KValue segment);
KValue    acc_pieces_get_end      (AccPieces *self, AccLower *l, KValue segment);
/* Elements of a piece of @segment; how many pieces @n of them are. */
KValue    acc_pieces_get_piece    (AccPieces *self, AccLower *l, KValue segment);
KValue    acc_pieces_count        (AccLower *l, KValue n, KValue piece);
/* Where the piece from @first on ends, of a segment that ends at @end, where pieces are as long as tiles. */
KValue    acc_pieces_end_piece    (AccPieces *self, AccLower *l, KValue first, KValue end);
/* The segments that begin in the tile, from *@from to before *@to. */
void      acc_pieces_find_begun   (AccPieces *self, AccLower *l, KValue *from, KValue *to);
/* Whether @segment begins before place @place of the sequence: an AccSearchCondition. */
KValue    acc_pieces_begins_before (AccLower *l, KValue segment, KValue place, gpointer pieces);
/* Where the piece of @segment begins that begins in the tile, if before the end of the segment. */
KValue    acc_pieces_find_next    (AccPieces *self, AccLower *l, KValue segment);

/* Tile number @tile of row @u, and that of the kernel. */
KValue    acc_pieces_get_tile     (AccPieces *self, AccLower *l, KValue u, KValue tile);
KValue    acc_pieces_get_own_tile (AccPieces *self, AccLower *l, KValue u);
KValue    acc_pieces_get_part     (AccLower *l, KValue tile, guint part);
KValue    acc_pieces_load_state   (AccPieces *self, AccLower *l, KValue part);
void      acc_pieces_store_state  (AccPieces *self, AccLower *l, KValue part, KValue state);
/* The state of a part that ends a segment at @end, or leaves more of it. */
KValue    acc_pieces_get_state    (AccPieces *self, AccLower *l, KValue first, KValue end);

/* Makes the fold of segment @segment of row @u known, and stores the roots. @known: with the initial value; @sum: without. */
void      acc_pieces_store_known  (AccPieces *self, AccLower *l, const AccSpace *results, KValue u, KValue segment, const KValue *known);
void      acc_pieces_store_result (AccPieces *self, AccLower *l, AccFold *fold, const AccSpace *results, KValue u, KValue segment,
                                   KValue has_elements, const KValue *sum);
