/* SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

#include "acc-core/base/acc-numbers-private.h"
#include "acc-core/base/acc-words-private.h"
#include "acc-module-expr.h"

/* Describes functions as words: those of equal functions are equal. Zeroed to begin with. */
typedef struct {
  AccWords   words;
  AccNumbers exprs;     /* of the function at hand */
  AccNumbers arrays;    /* what arrays are told by: new ones take the next number */
  gboolean   keeps;     /* a function was written that keeps more than it needs: see AccExpr.keeps */
  GPtrArray *stack;     /* AccExpr; NULL at first */
  GPtrArray *literals;  /* AccExpr, borrowed: not NULL: literals that could as well be read of an array are added here, and what they are is
                         * no part of the words */
} AccFunctionWriter;

/* Adds the words of @function. */
void acc_function_writer_put   (AccFunctionWriter *self, AccFunction *function);
void acc_function_writer_clear (AccFunctionWriter *self);
