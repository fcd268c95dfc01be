/* SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

#include "acc-backends/skeletons/acc-search.h"

/* Shared by the skeletons for groups of threads. A group's threads are split evenly among rows; those of a row are numbered from 0.
 * Functions with barriers are called by all threads of the group, in uniform control flow. */
typedef struct {
  AccLower *l;
  guint     group;      /* threads of a group */
  guint     width;      /* threads of a row: a power of two up to group */
  guint     subgroup;   /* threads that shuffle: a power of two up to width; 1: none */
  KValue    local;      /* this thread in the group */
  KValue    thread;     /* in its row */
  KValue    row;        /* its row in the group */
} AccSimt;

/* Element @at of what is folded or scanned: its leaves. */
typedef void (*AccSimtElement) (AccFold *fold, AccLower *l, KValue at, KValue *result, gpointer data);

/* A kernel for groups whose rows have @width threads. */
AccLower *acc_simt_begin        (AccSimt *self, AccStep *step, const char *name, guint width);
/* The same for groups of @group threads. */
AccLower *acc_simt_begin_sized  (AccSimt *self, AccStep *step, const char *name, guint group, guint width);
/* Threads for a row of @n elements, so that each has a few. */
guint     acc_simt_choose_width (AccStep *step, gint64 n);
guint     acc_simt_get_group    (AccStep *step);
/* At most @group threads, but no less than a subgroup: so many that what they have of wide elements in shared memory takes @room bytes. */
guint     acc_simt_bound_group  (AccStep *step, guint group, gsize room);
/* Bytes of shared memory that are free for what a group holds beside that. */
gsize     acc_simt_get_room     (AccStep *step, guint group);
/* How folds of floats are cut, rows, segments and vectors alike, so that each is grouped as the others are: into parts of ACC_SIMT_PART
 * elements from its own begin; while these are more than ACC_SIMT_PARTS, parts are doubled, up to the longest. */
#define ACC_SIMT_PART         8192
#define ACC_SIMT_PARTS        1024
#define ACC_SIMT_LONGEST_PART (1 << 20)     /* rows of a part of everything come together */

/* An array of shared memory per leaf, of @n elements. */
KBuffer  *acc_simt_new_shared   (AccSimt *self, AccFold *fold, guint n);
void      acc_simt_load         (AccSimt *self, AccFold *fold, const KBuffer *shared, KValue at, KValue *result);
void      acc_simt_store_vars   (AccSimt *self, AccFold *fold, const KBuffer *shared, KValue at, const KVar *vars);

/* A kernel that clears scratch before the first row. */
void      acc_simt_write_zeros  (AccStep *step, const char *name, guint scratch, AccElementKind kind, gint64 n);

/* Rows that a thread folds side by side, so that what it loads for one it has for the others. */
typedef struct {
  guint      n;
  gint64     size;       /* elements of each, where that is known and begins at 0; -1 */
  guint      vector;     /* neighbouring elements that a thread takes at a time */
  guint      unroll;     /* times so many */
  gpointer  *data;       /* of each, for what gives elements */
  KVar     **vars;       /* of each: where the result is, in thread 0 */
} AccFoldRows;

/* Elements that make 16 bytes of what is read, where rows of @n elements begin at multiples of them. */
guint     acc_simt_choose_vector (AccStep *step, gint64 n);
/* Bytes of the widest element that is read of arrays of @size elements; 0: none is. */
guint     acc_simt_get_widest_read (AccStep *step, gint64 size);
/* Folds elements [begin, end), at least one, the same range in all rows of the group. */
void      acc_simt_fold_rows    (AccSimt *self, AccFold *fold, const AccFoldRows *rows, KValue begin, KValue end, AccSimtElement element);
/* One row; the result is in thread 0. @begin is a multiple of @vector. */
void      acc_simt_fold         (AccSimt *self, AccFold *fold, KValue begin, KValue end, guint vector, AccSimtElement element,
                                 gpointer data, const KVar *vars);
/* The first @n_valid lanes of a subgroup, in order; the result is in lane 0. Called by all threads of the subgroup. */
void      acc_simt_reduce_subgroup (AccSimt *self, AccFold *fold, const KVar *vars, KValue n_valid);

/* --- acc-simt-search.c */

/* For how many of @n numbers the condition holds, of each of two places, by all threads of the group: acc_search() by one. Each answer is
 * at most @n even where the condition is not as it should be. FALSE: the group is too small. */
gboolean  acc_simt_search       (AccSimt *self, gint64 n, const KValue *places, AccSearchCondition condition, gpointer data,
                                 KValue *answers);

/* --- acc-simt-scan.c */

/* What is done with the sum of all elements up to @at, that one too. */
typedef void (*AccSimtSum) (AccFold *fold, AccLower *l, KValue at, const KValue *sum, gpointer data);
/* Finds what is in front of a window whose sum @total is: both are variables of the group's thread 0. Called by the first
 * subgroup. */
typedef void (*AccSimtBefore) (AccFold *fold, AccLower *l, const KVar *total, const KVar *before, gpointer data);

/* What a scan reads and does. */
typedef struct {
  AccSimtElement element;
  AccSimtSum     sum;
  AccSimtBefore  before;   /* of whole windows, where started; NULL: what is carried over */
  gpointer       data;
} AccSimtScan;

/* Scans elements [begin, end), the same range in all rows of the group, going on from what @carry holds where @started (a
 * bool variable) does; leaves the sum of all there. @valid: rows that exist. */
void      acc_simt_scan         (AccSimt *self, AccFold *fold, const AccSimtScan *scan, KValue begin, KValue end, KValue valid,
                                 const KVar *carry, KVar started);
/* The same for any elements that are few, by windows of so many for each thread. */
#define ACC_SIMT_PER_THREAD 4

void      acc_simt_scan_part    (AccSimt *self, AccFold *fold, const AccSimtScan *scan, KValue begin, KValue end, KValue valid,
                                 const KVar *carry, KVar started);
/* Threads below which there are as many as @exists says; by all of the row. */
void      acc_simt_scan_threads (AccSimt *self, AccFold *fold, const KVar *vars, const KBuffer *shared, KValue exists);

/* --- acc-simt-scan-window.c */

/* Elements that a group takes at once, of a row with @width threads. */
typedef struct {
  guint  vector;     /* neighbouring elements of a thread */
  guint  unroll;     /* times so many, those of a subgroup next to each other */
  guint  n_iterations;  /* times so many, which are held in shared memory where there are several */
  gint64 size;
} AccScanWindow;

/* @n: elements of all rows; @hold: may use shared memory. */
AccScanWindow acc_simt_choose_window (AccStep *step, AccFold *fold, guint width, gint64 n, gboolean hold);
/* Scans the window at @first, a multiple of .vector; elements are read once. */
void      acc_simt_scan_window  (AccSimt *self, AccFold *fold, const AccSimtScan *scan, const AccScanWindow *window, KValue first,
                                 KValue valid, const KVar *carry, KVar started);

/* --- acc-simt-look-back.c */

typedef struct _AccLookBack AccLookBack;

/* Whether groups can wait for each other. */
gboolean     acc_look_back_can  (AccStep *step);
/* For rows of @n_tiles; adds the kernel that has to run before. */
AccLookBack *acc_look_back_new  (AccStep *step, AccFold *fold, gint64 n_rows, gint64 n_tiles);
void         acc_look_back_free (AccLookBack *self);
/* Publishes the @total of tile @tile of row @u, if it is @complete, and finds the sum of all tiles @before; both are variables of thread 0.
 * Called by the first subgroup, of groups that have one row. Tile 0 has nothing before it. */
void         acc_look_back_find (AccLookBack *self, AccSimt *simt, KValue u, KValue tile, KValue complete, const KVar *total,
                                 const KVar *before);

G_DEFINE_AUTOPTR_CLEANUP_FUNC (AccLookBack, acc_look_back_free)
