/* SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

#include "acc-nested-array-private.h"

#include "acc-core/array/acc-program-private.h"

/* What the elements of a nested array are a function of, which tells which of them a run fails for. What it consists of knows it, and
 * what acc_array_apply_all() makes of that. */
typedef struct _AccNestedOrigin AccNestedOrigin;
struct _AccNestedOrigin {
  AccArrayNote     note;
  gatomicrefcount  ref_count;
  GPtrArray       *inputs;       /* AccNestedArray, owned: one of whose elements each call takes */
  GPtrArray       *parameters;   /* AccArray, owned: what stands for an element of each, or what that consists of, in: */
  GPtrArray       *results;      /* AccArray, owned: as acc_nested_array_apply_elements() takes them, with: */
  guint            rank;
  guint            depth;
  AccNestedOrigin *base;         /* owned: it is that with .arguments in the place of .parameters; NULL: the above is there */
  GPtrArray       *arguments;    /* AccArray, owned */
};

AccNestedOrigin *acc_nested_origin_new     (AccArray **results, guint n_results, guint rank, guint depth);
void             acc_nested_origin_unref   (AccNestedOrigin *self);
G_DEFINE_AUTOPTR_CLEANUP_FUNC (AccNestedOrigin, acc_nested_origin_unref)
/* An input without what was made of it since: what knows of that may be part of it. */
void             acc_nested_origin_add     (AccNestedOrigin *self, AccNestedArray *input, AccArray **parameters, guint n_parameters);
/* Lets what @made consists of know it, if that is not older than @first, as what was added is, nor the same for all elements. */
void             acc_nested_origin_attach  (AccNestedOrigin *self, AccNestedArray *made, guint64 first);
/* Borrowed; NULL: nothing is known. */
AccNestedOrigin *acc_nested_origin_get     (AccArray *array);
/* Whether both are of the same elements. */
gboolean         acc_nested_origin_equal   (const AccNestedOrigin *self, const AccNestedOrigin *other);
/* With .base NULL; owned. NULL: it cannot be had. */
AccNestedOrigin *acc_nested_origin_resolve (AccNestedOrigin *self);
