/* SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

#include "acc-core/array/acc-array-private.h"

/* A scalar function, compiled once into a flat program over registers, then run per element.
 *
 * Instructions lie in blocks: one for the function itself, one for each side of a conditional, one for the predicate and the step of a
 * loop, and one for each expression that is used from several blocks. The last kind is *forced*: run at its first use, and remembered, so
 * that shared work is done once and work on a side not taken is not done at all. */

typedef enum {
  INTERP_CODE_SCALAR,     /* function */
  INTERP_CODE_DIVIDE,     /* function; target: kind of the operands; extra: AccPrimitive */
  INTERP_CODE_CAST,       /* d from a; target: its kind; extra: kind of d */
  INTERP_CODE_BITCAST,    /* the same */
  INTERP_CODE_MOVE,       /* d from a */
  INTERP_CODE_FORCE,      /* block target, unless flag d is set; sets it */
  INTERP_CODE_CALL,       /* block target */
  INTERP_CODE_BRANCH,     /* a: block target, else block extra */
  INTERP_CODE_RETURN,
  INTERP_CODE_JUMP,       /* back to target */
  INTERP_CODE_JUMP_UNLESS,/* a: go on, else at target */
  INTERP_CODE_RESET,      /* flags of list target */
  INTERP_CODE_INDEX,      /* leaves d.. of array target at the registers named in operands[extra .. extra + count) */
  INTERP_CODE_LINEAR_INDEX, /* leaves d.. of array target at a */
  INTERP_CODE_EXTENT,     /* dimension extra of array target */
} InterpCode;

typedef struct {
  guint8        code;
  guint16       count;    /* registers moved, dimensions of an index, leaves of what is read */
  guint32       d, a, b;  /* registers: destination, operands */
  guint32       target;   /* block, jump target, array slot, flag list */
  guint32       extra;
  AccScalarFunc function;
} InterpInstruction;

typedef struct {
  AccFunction       *function;      /* owned */

  InterpInstruction *instructions;
  guint32           *operands;
  guint              n_registers;
  AccScalar         *initial;    /* the registers' contents before a run: literals */
  guint              n_blocks;
  guint              n_flags;
  guint              n_lists;
  GArray           **lists;         /* of guint32 flags: those that depend on a loop's variable */

  /* Parameters lie in registers 0.. one after the other, leaf by leaf. */
  guint              n_params;
  guint              param_first[3];
  guint              param_leaves[3];
  gboolean          *param_used;    /* per leaf register of the parameters */

  guint              n_results;
  guint32           *results;
  AccElementKind    *result_kinds;

  /* Parallel to function->arrays. */
  gboolean          *reads_data;    /* else only its extents are asked for */
} InterpTape;

InterpTape *interp_tape_new  (AccFunction *function, GError **error);
void        interp_tape_free (InterpTape *self);

G_DEFINE_AUTOPTR_CLEANUP_FUNC (InterpTape, interp_tape_free)
