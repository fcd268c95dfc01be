/* SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

#include "acc-backends/ir/acc-kernel-private.h"

/* What of a foreach is the same in rows of its indices. */

/* How far the value of an instruction is the same. */
typedef enum {
  ACC_REACH_NONE,
  ACC_REACH_ALL,        /* in all columns of all rows */
  ACC_REACH_ROW,        /* in all columns of a row */
  ACC_REACH_COLUMN,     /* an i64 that steps evenly with the columns of a row */
} AccReach;

typedef enum {
  ACC_LIMIT_BOUND,      /* a minimum or maximum, which is .of unless that is beyond */
  ACC_LIMIT_COMPARISON, /* which a check needs to hold */
  ACC_LIMIT_CHOICE,     /* of .of, unless what is chosen makes a check fail */
  ACC_LIMIT_ALIKE,      /* a condition, the same in the whole row, which a check needs to hold */
} AccLimitKind;

/* Where limits do not matter: within a row @of steps upwards, and is not beyond @limit, which is the same in all columns. */
typedef struct {
  AccLimitKind kind;
  guint32      id;        /* the instruction */
  guint32      of, limit;
  gboolean     is_below;  /* else above */
  gboolean     is_strict;
} AccLimit;

typedef struct {
  const AccKernel *kernel;
  guint32          foreach, block;
  guint32          dividend;      /* the index, or the index less .start (0: none) */
  guint32          start, width;
  AccPrimitive     division;
  guint8          *reaches;       /* AccReach by instruction; not of what is in nested blocks */
  guint32         *steps;         /* by instruction that steps: by how much, at least 1 */
  GArray          *limits;        /* AccLimit */
} AccRows;

/* NULL: it does not divide its index, or it has no such rows. */
AccRows *acc_rows_new           (const AccKernel *kernel, guint32 foreach);
void     acc_rows_free          (AccRows *self);
G_DEFINE_AUTOPTR_CLEANUP_FUNC (AccRows, acc_rows_free)

gboolean acc_rows_is_alike      (const AccRows *self, guint32 id);
/* Whether it is the quotient, or the remainder. */
gboolean acc_rows_is_quotient   (const AccRows *self, guint32 id);
gboolean acc_rows_is_column     (const AccRows *self, guint32 id);
void     acc_rows_set_quotients (const AccRows *self, guint32 *made, guint32 quotient);
/* What a minimum or maximum is where its limit does not matter; 0: it is none. */
guint32  acc_rows_get_bounded   (const AccRows *self, guint32 id);
gboolean acc_rows_has_bounds    (const AccRows *self);
/* Whether neighbouring columns read what lies apart. */
gboolean acc_rows_has_strides   (const AccRows *self);
/* What is chosen where no check fails; 0: it is no such choice. */
guint32  acc_rows_get_chosen    (const AccRows *self, guint32 id);
/* Whether it is a comparison that holds where no check fails. */
gboolean acc_rows_holds         (const AccRows *self, guint32 id);

/* Whether @place is a sum of what the row has alike and of a column between bounds, of which at most one matters, in columns from 0 on:
 * @border, or NULL. */
gboolean acc_rows_find_border   (const AccRows *self, guint32 place, const AccLimit **border);

/* Limits of what differs by a number alone (acc-kernel-rows-limits.c) */

/* Whether where limit @i holds such others hold as well. */
gboolean acc_rows_is_nearest    (const AccRows *self, guint i);
/* What is least and what is most among what limit @i and such others are of. FALSE: there are none, or @i is not the first of them. */
gboolean acc_rows_find_ends     (const AccRows *self, guint i, guint32 *least, guint32 *most);

/* Whether what is loaded is the same whenever that is. */
gboolean _acc_kernel_is_unchanging (const AccKernel *kernel, const AccKernelInstr *load);
