/* SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

#include "acc-backends/fuse/acc-fusion.h"
#include "acc-backends/ir/acc-interval.h"

/* Writes one kernel: scalar functions and inlined arrays become instructions where they are used. Skeletons write the loops around them,
 * with the kernel builder's blocks in the forms below, which also forget at the end of a block what was computed in it. */

/* Up to so many operations both sides of a cond are computed and one is selected: branches of vectors are rarely uniform. */
#define LOW_SELECT_LIMIT 24

/* A multi-index. at[d].id == 0: dimension d is counted into the next one that has a value. Dimension 0 is the row that the
 * step is at, give or take above and below; or row_error says why that is not so. */
typedef struct {
  guint       rank;
  KValue     *at;
  gint64      above, below;
  const char *row_error;
  gboolean    is_column;  /* the last dimension is that row, not the first one, of which row_error says so */
  gboolean    is_own;     /* of the element that the skeleton is at, as it gave it: one of l->segment */
} AccIndex;

/* A scalar in memory. */
typedef struct {
  KBuffer buffer;
  KValue  at;
} AccPlace;

typedef struct _AccFrame AccFrame;   /* one application of a function */
typedef struct _AccMemoEntry AccMemoEntry;

/* An expression that is being written. */
typedef struct {
  AccExpr *expr;
  guint    leaf;
} AccWork;

typedef struct {
  AccStep          *step;
  AccFusion        *fusion;
  AccKernelBuilder *b;

  /* Stencils: no neighbour is outside along the inner run, or along the outer dimensions. */
  guint             first_inner;
  gboolean          inner_inside, outer_inside;
  gboolean          asks_for_rows;   /* of large arrays: rows that are read next */
  gint64            ahead;           /* not 0: prefetch so many bytes behind each load */
  AccPlace          asked;           /* last */

  /* not 0: prefetch mode. Loads through loaded indices become prefetches, of arrays of at least so many bytes, and nothing fails */
  gint64            prefetch_bytes;

  KValue            segment;         /* of the cluster's offsets: the number of the one that elements are of; id 0: not known */

  gboolean          is_brief;        /* its tiles are, whatever the extents: no loop need look whether the launch goes on */

  /*< private >*/
  GArray           *slots;           /* AccSlot */
  GHashTable       *params;          /* number or literal → KValue */
  GHashTable       *buffers;
  AccMemoEntry    **memos;           /* lists of them, by hash */
  guint             n_memos, n_memo_lists;
  GArray           *undo;            /* KValue *: what to forget */
  GArray           *scopes;          /* guint: length of undo at the start of each block */
  GArray           *facts;           /* of values, by id */
  GArray           *work;
  GPtrArray        *arena;
  gsize             arena_block, arena_left;   /* bytes of the last block, and how many of them are free */
  gboolean          once;            /* non-temporal stores may pay */
  gboolean          checks;
  guint             n_written;       /* expressions, as many times as they were looked at */
  const char       *given_up;        /* why it was; NULL: it was not */
  gboolean          failed;          /* the builder refused something: finish reports it */
} AccLower;

AccLower *low_new     (AccStep *step, const char *name);
/* Ends the kernel and adds a launch of it to the step; slots and kernel of @launch are filled in. Frees @l. */
void      low_finish  (AccLower *l, AccLaunch launch);
/* Ends it without one: for what was to be known only. Frees @l. */
void      low_abandon (AccLower *l);
gpointer  low_alloc   (AccLower *l, gsize size);
/* The step fails: instructions from now on do not matter. @why: a literal. */
void      low_give_up (AccLower *l, const char *why);

/* What low_finish() does when the kernel is whole */
void      low_simplify_variables (AccLower *l);

/* --- blocks */

#define low_for(l, i, begin, end) \
  for (KValue i = low_enter_for (l, begin, end), *_once_##i = &i; _once_##i; low_leave (l), _once_##i = NULL)
/* Over the outer units of the invocation. */
#define low_for_units(l, u, space) \
  for (KValue u = low_enter_units (l, space), *_once_##u = &u; _once_##u; low_leave (l), _once_##u = NULL)
#define low_foreach(l, i, begin, end) \
  for (KValue i = low_enter_foreach (l, begin, end), *_once_##i = &i; _once_##i; low_leave (l), _once_##i = NULL)
#define _low_once(name, enter) \
  for (gboolean name = ((enter), TRUE); name; low_leave (l), name = FALSE)
#define low_if(l, condition) _low_once (G_PASTE (_low_if_, __LINE__), low_enter_if (l, condition, FALSE))
#define low_if_unlikely(l, condition) _low_once (G_PASTE (_low_if_, __LINE__), low_enter_if (l, condition, TRUE))
#define low_else(l) _low_once (G_PASTE (_low_else_, __LINE__), low_enter_else (l))
#define low_while(l) _low_once (G_PASTE (_low_while_, __LINE__), low_enter_while (l))

KValue low_enter_for     (AccLower *l, KValue begin, KValue end);
KValue low_enter_units   (AccLower *l, const AccSpace *space);
KValue low_enter_foreach (AccLower *l, KValue begin, KValue end);
void   low_enter_if      (AccLower *l, KValue condition, gboolean seldom);
void   low_enter_else    (AccLower *l);
void   low_enter_while   (AccLower *l);
void   low_leave         (AccLower *l);

/* --- numbers */

/* A constant of the kernel. */
KValue low_const    (AccLower *l, gint64 n);
/* A parameter of the kernel, so that it serves other numbers, too. */
KValue low_number   (AccLower *l, gint64 n);
/* How many workers there are: each has kb_tile () of them in what acc_step_add_tile_scratch() gave. CPU. */
KValue low_n_workers (AccLower *l);
/* A constant where it is small, so that what is multiplied by it has a known stride. */
KValue low_stride   (AccLower *l, gint64 n);
KValue low_literal  (AccLower *l, AccElementKind kind, AccScalar value, gboolean bake);
KValue low_zero     (AccLower *l, AccElementKind kind);
/* Primitives that keep track of the range of integers. */
KValue low_prim     (AccLower *l, AccPrimitive primitive, KValue x);
KValue low_prim2    (AccLower *l, AccPrimitive primitive, KValue x, KValue y);
KValue low_add      (AccLower *l, KValue x, KValue y);
KValue low_sub      (AccLower *l, KValue x, KValue y);
KValue low_mul      (AccLower *l, KValue x, KValue y);
KValue low_udiv     (AccLower *l, KValue x, gint64 n);
KValue low_urem     (AccLower *l, KValue x, gint64 n);
KValue low_cast     (AccLower *l, AccElementKind kind, KValue x);
KValue low_select   (AccLower *l, KValue condition, KValue x, KValue y);
/* What is known of an integer: it lies within [lo, hi]. */
KValue low_within   (AccLower *l, KValue x, gint64 lo, gint64 hi);
void   low_get_range (AccLower *l, KValue x, gint64 *lo, gint64 *hi);
/* TRUE, and the value, where it is the same in every run of the kernel. */
gboolean low_is_const (AccLower *l, KValue x, gint64 *value);
/* Whether it is known if a condition holds. */
gboolean low_is_known (AccLower *l, KValue condition, gboolean *holds);

/* --- memory */

KBuffer low_scratch      (AccLower *l, guint scratch, AccElementKind kind);
/* The flags of a kernel's first use of the buffer hold. */
KBuffer low_scratch_with (AccLower *l, guint scratch, AccElementKind kind, AccBufferFlags more);
/* Where leaf @leaf of element number @element of value @value lies. The flags of the first use of the buffer hold. */
AccPlace low_place        (AccLower *l, guint value, guint leaf, KValue element, AccBufferFlags flags);
KValue  low_load_place   (AccLower *l, AccPlace place);
void    low_store_place  (AccLower *l, AccPlace place, KValue value);
void    low_store        (AccLower *l, AccRoot *root, guint leaf, KValue element, KValue value);

/* --- indices (acc-lower-index.c) */

AccIndex *low_index_new       (AccLower *l, guint rank);
/* Component @d alone; @extents are of the array that @ix is an index of. */
KValue    low_index_component (AccLower *l, const AccIndex *ix, const gint64 *extents, guint d);
/* Row-major address. */
KValue    low_index_address   (AccLower *l, const AccIndex *ix, const gint64 *extents);
/* Dimension c of the result is dimension map[c] of @ix, or fixed[c] where map[c] < 0. */
AccIndex *low_index_remap     (AccLower *l, const AccIndex *ix, const gint64 *extents, const int *map, const KValue *fixed,
                               const gint64 *to_extents, guint to_rank);
/* The same index of an array of other extents and equal rank. */
AccIndex *low_index_same      (AccLower *l, const AccIndex *ix, const gint64 *extents, const AccFusionNode *to);
AccIndex *low_index_reshape   (AccLower *l, const AccIndex *ix, const AccFusionNode *from, const AccFusionNode *to);
void      low_index_lose_rows (AccLower *l, AccIndex *ix, AccFusionNode *culprit, const char *why);
/* The index at outer unit @outer and inner element @inner of @space. */
AccIndex *low_index_of_space  (AccLower *l, const AccSpace *space, KValue outer, KValue inner);

/* The same where all dimensions are counted in @linear. */
AccIndex *low_index_of_linear (AccLower *l, const AccSpace *space, KValue linear);

/* --- arrays (acc-lower-array.c) */

KValue low_read      (AccLower *l, AccFusionNode *node, const AccIndex *ix, guint leaf);
/* Computes the element of a value that this step is to store. */
KValue low_compute   (AccLower *l, AccFusionNode *node, const AccIndex *ix, guint leaf);
/* Asks for what the roots at @ix will load at places that are loaded themselves, of arrays of @least bytes. */
void   low_prefetch  (AccLower *l, const AccIndex *ix, gint64 least);
/* Whether what is at @at is asked for now, or left out, and is not loaded. */
gboolean low_is_prefetch (AccLower *l, KValue at);
/* kb_check(), but where elements are asked for. */
void   low_check     (AccLower *l, KValue ok, guint kind, guint origin, KValue index, KValue extent);
/* From here on to the end of the block, the element of @node at @ix is known. */
void   low_know      (AccLower *l, AccFusionNode *node, const AccIndex *ix, const KValue *leaves);
/* Computes all leaves of all roots at @ix and stores them, but of those beside what the step consumes. */
void   low_store_roots (AccLower *l, const AccIndex *ix);
/* The same of those beside what the step consumes. */
void   low_store_beside (AccLower *l, const AccIndex *ix);
/* Loads element number @at of a value that has memory; 0 in prefetch mode. */
KValue low_load_value (AccLower *l, AccFusionNode *node, guint leaf, KValue at);
/* Whether a value has @least bytes, or more: the near caches do not hold it. */
gboolean low_has_bytes (const AccFusionNode *value, gint64 least);
/* Notes that rows of @value are read. */
void   low_note_read (AccLower *l, AccFusionNode *value, const AccIndex *ix);
/* One neighbour: leaf @leaf of the parameter of input @input of a stencil (acc-lower-stencil.c). */
KValue low_tap       (AccLower *l, AccFusionNode *stencil, guint input, const AccIndex *ix, guint leaf);
/* Computes what taps need of the outer dimensions, outside the loop over the inner ones. */
void   low_prepare_taps (AccLower *l, const AccIndex *ix);
gboolean low_tap_is_total (AccLower *l, AccFusionNode *stencil, guint input);

/* --- functions (acc-lower-expr.c) */

/* Functions of @node; frames are told apart by what they are bound to. */
AccFrame *low_frame_new       (AccLower *l, AccFusionNode *node);
void      low_bind_values     (AccLower *l, AccFrame *frame, AccExpr *variable, const KValue *leaves);
void      low_bind_element    (AccLower *l, AccFrame *frame, AccExpr *variable, AccFusionNode *node, const AccIndex *ix);
void      low_bind_index      (AccLower *l, AccFrame *frame, AccExpr *variable, const AccIndex *ix, const gint64 *extents);
void      low_bind_taps       (AccLower *l, AccFrame *frame, AccExpr *variable, AccFusionNode *stencil, guint input, const AccIndex *ix);
KValue    low_expr            (AccLower *l, AccFrame *frame, AccExpr *expr, guint leaf);
/* A function of two elements; writes the leaves of the result. */
void      low_apply2          (AccLower *l, AccFusionNode *node, AccFunction *function, const KValue *x, const KValue *y, KValue *result);
/* A closed function. */
void      low_apply0          (AccLower *l, AccFusionNode *node, AccFunction *function, KValue *result);

/* --- what was computed before: leaves by (a, b, ids), with id 0 for those not known yet */

typedef enum {
  ACC_BOUND_NOT,
  ACC_BOUND_ELEMENT,
  ACC_BOUND_INDEX,
  ACC_BOUND_TAPS,
} AccBindingKind;

typedef struct {
  AccBindingKind  kind;
  AccFusionNode  *node;
  guint           input;
  const AccIndex *ix;
  const gint64   *extents;
} AccBinding;

typedef struct {
  KValue    *leaves;
  AccBinding binding;     /* of a variable */
  AccFrame  *frame;       /* of a node */
} AccMemo;

AccMemo *low_memo     (AccLower *l, gconstpointer a, gconstpointer b, const KValue *ids, guint n_ids, guint n_leaves);
/* Known until the end of the block. */
void     low_keep     (AccLower *l, KValue *slot, KValue value);

struct _AccFrame {
  AccFusionNode *node;
  guint          origin;
};

/* A description of @node for row errors. */
const char *low_describe (AccLower *l, AccFusionNode *node);
