/* SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

#include "acc-seq/lift/acc-lift-private.h"

/* What the elements of a nested array are a function of, which tells which of them a run fails for. Its values know it. */
typedef struct {
  GPtrArray *inputs;       /* AccLifted, owned */
  GPtrArray *counts;       /* AccArray, owned: of each, one with as many in its outermost dimension as there are elements */
  GPtrArray *parameters;   /* AccArray, owned: what stands for an element of each in: */
  AccArray  *result;       /* owned */
} AccNestedOrigin;

AccNestedOrigin       *acc_nested_origin_new    (AccArray *result);
void                   acc_nested_origin_add    (AccNestedOrigin *self, AccLifted *input, AccArray *count, AccArray *parameter);
/* Lets @values, which nothing that was added is made of, know it; takes it over. */
void                   acc_nested_origin_attach (AccNestedOrigin *self, AccArray *values);
/* Borrowed; NULL: nothing is known. */
const AccNestedOrigin *acc_nested_origin_get    (AccArray *values);
