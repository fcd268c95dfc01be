/* SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

#include "acc-backends/fuse/acc-fusion-graph.h"

/* An array program as StableHLO text, which XLA and others compile: before fusion, with known extents, one function
 *
 *   main (zero: i32, a vector for each buffer of each argument and of each array in memory) → (a vector for each buffer of each result,
 *   failure: i32, index: i64)
 *
 * Behind @zero come the lengths, an i64 each, of arrays whose leading extent is rounded up, so that one text serves many lengths.
 *
 * @zero must be 0; it keeps compilers from making one rounding of two. Vectors have all elements of the array, in row-major order, scalars
 * of packed elements one after the other. The failure and the index are there where there are checks.
 *
 * One that is exported has tensors of the extents that arrays have, with one more for the scalars of packed elements, and only parameters
 * as arguments; arrays in memory are part of it. Zero, where it is used, is its last argument. */

/* What a check would say. */
typedef struct {
  AccArray *origin;       /* borrowed, as are others */
  guint     kind;         /* ACC_ERROR_BOUNDS or ACC_ERROR_ARITHMETIC */
  gint64    extent;       /* 0: a division by zero, where it is ARITHMETIC */
} AccHloCheck;

/* A vector at the border of the module. */
typedef struct {
  AccArray      *array;
  int            bound;     /* number of the bound node; -1: an array in memory, or a result */
  guint          value, buffer; /* of a schedule */
  AccElementKind kind;
  gint64         n;         /* scalars */
  gint64         n_used;    /* of those, which the array has: others come behind them */
  guint          rank;
  gint64        *extents;   /* the module's */
  gint           alias;     /* of an argument, the result that takes its memory where it may; of a result, that argument; -1: none */
  gsize          end;       /* of an argument: where it ends in the head */
} AccHloVector;

typedef struct {
  char    *text;
  GArray  *arguments;     /* AccHloVector, behind zero where there is that */
  GArray  *results;       /* AccHloVector, without the failure */
  gboolean takes_zero;
  GArray  *lengths;       /* gint64: leading extents, as they are, of arrays that have them rounded up in the module */
  GArray  *checks;        /* AccHloCheck: a failure of number 1 + i says that check i failed */
} AccHloModule;

typedef struct {
  gboolean fast_math;
  gboolean keeps_order;   /* the compiler's reduces and scatters take elements in order, so that operators need not commute */
  gboolean is_rough;      /* the compiler's quotients and square roots of f4 are not rounded correctly */
  gboolean stores_gathered;   /* it ends the process where it would compute what is gathered from while it gathers */
  gboolean mixes_rows;    /* its transforms of several rows have other bits than of each */
  gboolean is_shaped;     /* arguments and results have the extents of arrays, not those of vectors: compilers lay out transposes by them */
  gboolean is_export;
  GHashTable *changing;   /* nullable: the nodes (AccFusionNode) whose leading extent changes from run to run, and is rounded up */
  const gboolean *spent;  /* nullable; per bound node whether results may take its memory */
  AccArray **parameters;  /* of an export: with known extents */
  guint    n_parameters;
} AccHloOptions;

/* ACC_ERROR_UNSUPPORTED names the operation that has no form there. @graph: of @results; needed while the module lives. */
AccHloModule *acc_hlo_module_new  (AccFusionGraph *graph, AccArray **results, guint n_results, const AccHloOptions *options,
                                   GError **error);
void          acc_hlo_module_free (AccHloModule *self);

/* Results behind those of arrays. */
static inline guint
acc_hlo_module_count_failures (const AccHloModule *self)
{
  return self->checks->len > 0 ? 2 : 0;
}

G_DEFINE_AUTOPTR_CLEANUP_FUNC (AccHloModule, acc_hlo_module_free)
