/* SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

#include "acc-interpreter-tape.h"

/* A tape is compiled in passes over the expressions under a function, each expression once:
 *
 *  1. children before parents: registers, and the loop variables that a value depends on;
 *  2. parents before children: the block each expression is evaluated in;
 *  3. block by block: instructions. */

#define NO_BLOCK     G_MAXUINT
#define MANY_BLOCKS  (G_MAXUINT - 1)

typedef struct {
  AccExpr *expr;
  guint    first;        /* its registers: pool[first .. first + leaves) */
  guint64  loops;        /* loop variables it depends on, one bit each (modulo 64) */
  gboolean trivial;      /* costs nothing: literal, variable, parts of them */
  guint    used_in;      /* block of its uses, or MANY_BLOCKS */
  guint    block;        /* where it is evaluated */
  int      flag;         /* >= 0: has a block of its own */
  guint    inner[2];     /* blocks of a conditional's sides, of a loop's predicate and step */
  guint    ready_in;     /* last block in which it was forced, while that is being written */
} TapeInfo;

typedef struct {
  guint64  loops;
  guint    value;        /* info: what it computes */
  guint    target;       /* info: whose registers get the value; NO_BLOCK: nobody's */
  GArray  *infos;        /* guint: what is evaluated here, in order */
  guint    start;        /* first instruction */
} TapeBlock;

typedef struct {
  InterpTape *tape;
  GArray     *infos;     /* TapeInfo, children first */
  GHashTable *numbers;   /* AccExpr to its info + 1 */
  GArray     *pool;      /* guint32 */
  GArray     *initial;   /* AccScalar */
  GArray     *blocks;
  GArray     *code;
  GArray     *operands;
  GPtrArray  *variables; /* AccExpr: of loops */
} TapeCompiler;

#define INFO(c, n)  (&g_array_index ((c)->infos, TapeInfo, n))
#define BLOCK(c, n) (&g_array_index ((c)->blocks, TapeBlock, n))
#define REGISTER(c, info, leaf) (g_array_index ((c)->pool, guint32, (info)->first + (leaf)))

guint    interp_tape_get_number   (TapeCompiler *c, AccExpr *expr);
/* Its number among those of the function; -1: it is not there. */
int      interp_tape_find_array   (TapeCompiler *c, AccArray *array);
guint    interp_tape_add_variable (TapeCompiler *c, AccExpr *variable, gboolean is_loop);
/* 1: @root and all under it */
gboolean interp_tape_visit        (TapeCompiler *c, AccExpr *root, GError **error);
/* 2 */
void     interp_tape_place        (TapeCompiler *c, AccExpr *root);
