/* SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

#include "acc-backends/lower/acc-lower.h"

/* One function per family: writes the kernels of a step's cluster and adds their launches. */

void acc_skeleton_map      (AccStep *step);   /* and stencils (acc-skeleton-stencil.c) */
void acc_skeleton_fold     (AccStep *step);   /* rows */
void acc_skeleton_fold_columns (AccStep *step);
void acc_skeleton_fold_all (AccStep *step);
void acc_skeleton_fold_segments (AccStep *step);
void acc_skeleton_matmul   (AccStep *step);
void acc_skeleton_scan     (AccStep *step);
void acc_skeleton_scan_segments (AccStep *step);
void acc_skeleton_permute  (AccStep *step);
void acc_skeleton_sort     (AccStep *step);   /* rows */

/* The same for groups of threads. */
void acc_skeleton_fft_simt      (AccStep *step);
void acc_skeleton_map_simt      (AccStep *step, const AccSpace *space);
void acc_skeleton_fold_simt     (AccStep *step, const AccSpace *space, const AccSpace *results);
void acc_skeleton_fold_all_simt (AccStep *step, AccSpace *space);
void acc_skeleton_fold_segments_simt (AccStep *step, const AccSpace *space, const AccSpace *results);
/* FALSE: nothing is read across; nothing was done. */
gboolean acc_skeleton_transpose      (AccStep *step, const AccSpace *space);
gboolean acc_skeleton_transpose_simt (AccStep *step, const AccSpace *space);
void acc_skeleton_scan_simt     (AccStep *step, const AccSpace *space, const AccSpace *results);
void acc_skeleton_scan_segments_simt (AccStep *step, const AccSpace *space, const AccSpace *results);

/* --- shared by families */

/* The least number of bytes between what different workers write, against false sharing: a processor that reads to the end of one worker's
 * memory prefetches some lines behind it, and takes them from the next worker. */
#define ACC_SKELETON_FALSE_SHARING 2048

/* Elements of arrays of at least so many bytes that are loaded through loaded indices are prefetched, so many elements ahead. */
#define ACC_SKELETON_FAR_BYTES (4 << 20)
#define ACC_SKELETON_AHEAD     64

/* What workers fold in one go: rows, segments, and everything are cut after every so many elements, counted from their own begin, and the
 * parts are combined in order. So a row that comes piece by piece, or by itself, is grouped as beside others. Rows of a part of everything
 * come together: it is what a fold of a file needs at least. */
#define ACC_SKELETON_FOLD_PART 16384

static inline gboolean
acc_skeleton_is_simt (AccStep *step)
{
  return step->fusion->target->model == ACC_MODEL_SIMT;
}

/* Writes what the roots are for elements from @begin to @end of the only row, along the cluster's segments. */
void        acc_skeleton_segments_run (AccLower *l, const AccSpace *space, KValue begin, KValue end);

/* A launch over @space. */
AccLaunch   acc_skeleton_launch   (const AccSpace *space, double cost);
const char *acc_skeleton_get_name (AccStep *step);
gboolean    acc_skeleton_has_leaves (AccStep *step);
/* Rough nanoseconds per element, in vectors. */
double      acc_skeleton_get_cost (AccStep *step);
/* Whether it pays to prefetch from arrays of @least bytes: whether indices are loaded, which hardware prefetchers cannot foresee. */
gboolean    acc_skeleton_prefetches (AccStep *step, gint64 least);

/* Whether the function combines leaf by leaf, and has neutral elements; if so, by @primitives. */
gboolean    acc_skeleton_has_neutral (AccFunction *function, AccPrimitive *primitives);
/* For integers, and for sums and products of floats. */
KValue      acc_skeleton_get_neutral (AccLower *l, AccElementKind kind, AccPrimitive primitive);

/* The kind for the bits of a kind: bool, or an unsigned integer. */
static inline AccElementKind
acc_skeleton_get_bits (AccElementKind kind)
{
  switch (acc_element_kind_get_size (kind))
    {
    case 1: return kind == ACC_KIND_BOOL ? kind : ACC_KIND_U8;
    case 2: return ACC_KIND_U16;
    case 4: return ACC_KIND_U32;
    default: return ACC_KIND_U64;
    }
}

/* Writes the code for the elements of the inner run of an outer unit: a foreach inside, one element at a time at the border. */
void        acc_skeleton_stencil_run (AccLower *l, const AccSpace *space, KValue outer);
gboolean    acc_skeleton_has_stencil (AccStep *step);
/* Elements of the inner run, from its ends, that have a neighbour outside. */
gint64      acc_skeleton_get_margin       (AccStep *step, const AccSpace *space);
/* Of all outer dimensions, added up. */
gint64      acc_skeleton_get_outer_radius (AccStep *step, const AccSpace *space);
/* Whether a boundary needs a test per neighbour. */
gboolean    acc_skeleton_tests_neighbours (AccStep *step);
/* Whether all rows that an outer unit needs exist. */
KValue      acc_skeleton_get_outer_inside (AccLower *l, const AccSpace *space, KValue outer);

/* Elements that are combined with each other first, where that is cheaper. */
#define ACC_FOLD_TOGETHER 8

/* Folds of one or more anchors that consume arrays of equal extents, side by side. */
typedef struct {
  AccStep   *step;
  GPtrArray *anchors;        /* AccFusionNode: those of the step, but for a permute */
  guint      n_leaves;       /* of all anchors */
  guint      lanes;
  gboolean   commutative;    /* all operators */
  gboolean   has_extremes;   /* of tuples, among them */
  gboolean   rounds;         /* some leaf is a float */
  gboolean   many_short_runs; /* but longer than a lane should go along alone */
  gboolean   by_columns;     /* rows of the step are elements of what it folds */
  gboolean   reads_all_rows; /* of an input, in an order that does not go by rows */
  gint64     ahead;          /* distance of prefetches; 0: none */
  gint64     far_bytes;
  guint     *lane_scratch;   /* per leaf: room for lanes; one region of that many elements per run in flight */
  guint     *part_scratch;   /* per leaf: partial results */
} AccFold;

AccFold        *acc_fold_new          (AccStep *step);
void            acc_fold_free         (AccFold *self);
/* Prefetches elements of arrays of @far_bytes by @n ahead, in runs, where that pays. */
void            acc_fold_set_prefetch (AccFold *self, gint64 n, gint64 far_bytes);
AccElementKind  acc_fold_get_kind     (AccFold *self, guint leaf);
void            acc_fold_add_lanes    (AccFold *self, gint64 n_regions);
void            acc_fold_add_lanes_of_tiles (AccFold *self, gint64 n_tiles);
void            acc_fold_add_parts    (AccFold *self, gint64 n_parts);
/* Whether runs combine elements with each other first. */
gboolean        acc_fold_goes_together (AccFold *self, AccLower *l, const KValue *element);
/* Whether rows of @space are folded in order by a lane each. */
gboolean        acc_fold_goes_across  (AccFold *self, const AccSpace *space);
/* Folds elements [begin, end) of the inner run of an outer unit; at least one. */
void            acc_fold_write_run    (AccFold *self, AccLower *l, const AccSpace *space, KValue outer, KValue begin, KValue end,
                                       KValue region, KValue *result);
/* The same by one lane, of a foreach around it or the only one. */
void            acc_fold_write_in_order (AccFold *self, AccLower *l, const AccSpace *space, KValue outer, KValue begin, KValue end,
                                         KValue *result);
/* Reads the element; gives its index. */
AccIndex       *acc_fold_read         (AccFold *self, AccLower *l, const AccSpace *space, KValue outer, KValue inner, KValue *result);
/* The same, once; stores what the step stores beside it. */
void            acc_fold_element      (AccFold *self, AccLower *l, const AccSpace *space, KValue outer, KValue inner, KValue *result);
void            acc_fold_combine      (AccFold *self, AccLower *l, const KValue *x, const KValue *y, KValue *result);
/* Scratch per leaf, for @n elements. */
guint          *acc_fold_add_scratch  (AccFold *self, gint64 n);
void            acc_fold_load         (AccFold *self, AccLower *l, const guint *scratch, KValue at, KValue *values);
void            acc_fold_store        (AccFold *self, AccLower *l, const guint *scratch, KValue at, const KValue *values);
void            acc_fold_store_vars   (AccFold *self, AccLower *l, const guint *scratch, KValue at, const KVar *vars);
void            acc_fold_load_part    (AccFold *self, AccLower *l, KValue part, KValue *result);
void            acc_fold_store_part   (AccFold *self, AccLower *l, KValue part, const KValue *values);
/* Returns neutral elements; NULL: some operator has none. */
KValue         *acc_fold_new_neutral  (AccFold *self, AccLower *l);
/* The initial values of the folds of anchor number @i; NULL: none. */
KValue         *acc_fold_new_seed     (AccFold *self, AccLower *l, guint i);
/* Puts the seeds in front of @values (NULL: there was no element), and makes the anchors known at @ix. */
void            acc_fold_know         (AccFold *self, AccLower *l, const AccIndex *ix, const KValue *values);

G_DEFINE_AUTOPTR_CLEANUP_FUNC (AccFold, acc_fold_free)

/* How a fold of everything is cut into tiles, each of which leaves a part. Tiles end where rows do, or rows where tiles do: how elements
 * are grouped follows from the extents alone, however many rows come at a time. */
typedef struct {
  gint64   tile_outer, tile_inner;
  gboolean is_inner;         /* outer units are cut, into: */
  gint64   n_inner;
  gint64   n_parts;
} AccFoldTiles;

/* Tiles of about @size elements; tells the step how many rows it has to take at a time. @space: its rows are outer units where they are
 * longer than a tile. */
void            acc_fold_cut          (AccFold *self, AccSpace *space, gint64 size, AccFoldTiles *tiles);
/* The part that the tile of the kernel leaves, and whether the tile goes on with what was stored there. */
KValue          acc_fold_get_part     (AccLower *l, const AccFoldTiles *tiles, KValue *goes_on);

/* Room for the leaves of a fold, and variables for them. */
KValue *acc_fold_new_values (AccFold *self, AccLower *l);
KVar *acc_fold_new_vars (AccFold *self, AccLower *l, const KValue *initial);
void  acc_fold_get_vars (AccFold *self, AccLower *l, const KVar *vars, KValue *values);
void  acc_fold_set_vars (AccFold *self, AccLower *l, const KVar *vars, const KValue *values);
/* vars = vars . more */
void  acc_fold_append   (AccFold *self, AccLower *l, const KVar *vars, const KValue *more);
/* The same where @is_there, a bool variable, holds; else vars = more, and it holds from then on. */
void  acc_fold_append_or_start (AccFold *self, AccLower *l, const KVar *vars, KVar is_there, const KValue *more);
/* vars = front . vars */
void  acc_fold_prepend  (AccFold *self, AccLower *l, const KVar *vars, const KValue *front);
/* The same, where @condition holds. */
void  acc_fold_prepend_if (AccFold *self, AccLower *l, const KVar *vars, KValue condition, const KValue *front);
