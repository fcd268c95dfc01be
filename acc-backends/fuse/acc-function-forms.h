/* SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

#include "acc-function-facts.h"

/* Numbers scalar functions by what they compute: each is analysed once, and its facts hold for all that are equal. A long program mostly
 * repeats itself, with functions made anew each time, which together are larger than any cache. Keeps the functions. */
typedef struct _AccFunctionForms AccFunctionForms;

AccFunctionForms *acc_function_forms_new   (void);
AccFunctionForms *acc_function_forms_ref   (AccFunctionForms *self);
void              acc_function_forms_unref (AccFunctionForms *self);
/* The same number for functions that differ in nothing but what is at the same places of their .arrays. */
guint             acc_function_forms_get_number (AccFunctionForms *self, AccFunction *function);
/* Whether elements of .arrays[array] are read: not where it is only asked for an extent. */
gboolean          acc_function_forms_reads      (AccFunctionForms *self, AccFunction *function, guint array);
/* As acc_function_get_cost() and acc_function_find_taps() have it. */
double            acc_function_forms_get_cost   (AccFunctionForms *self, AccFunction *function);
AccTaps           acc_function_forms_find_taps  (AccFunctionForms *self, AccFunction *function, guint param, const gint64 *sizes,
                                                 guint rank);

G_DEFINE_AUTOPTR_CLEANUP_FUNC (AccFunctionForms, acc_function_forms_unref)
