/* SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

#include "acc-nested-array.h"

#include "acc-seq/lift/acc-lift-private.h"

G_BEGIN_DECLS

/* Takes over both. @count: an array with as many in its outermost dimension as there are elements. */
AccNestedArray *acc_nested_array_new_for_lifted (AccLifted *lifted, AccArray *count);
AccLifted      *acc_nested_array_get_lifted     (AccNestedArray *self);
/* An array with as many in its outermost dimension as there are elements. */
AccArray       *acc_nested_array_get_count      (AccNestedArray *self);
/* One of the form of @self with what was computed: values, lengths, and of irregular ones offsets and extents. */
AccNestedArray *acc_nested_array_new_manifest   (AccNestedArray *self, AccArray **computed);
/* One that carries the error of @node, taken over. */
AccNestedArray *acc_nested_array_new_error      (AccArray *node);
/* One that carries an error of its own, with the name of the operation that makes it in front, or that of @input, which it has. */
AccNestedArray *acc_nested_array_refuse         (AccArray *input, AccError code, const char *problem);

G_END_DECLS
