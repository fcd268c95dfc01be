/* SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

#include "acc-array.h"

G_BEGIN_DECLS

#define ACC_TYPE_PROGRAM (acc_program_get_type ())

ACC_AVAILABLE_IN_1_0
G_DECLARE_FINAL_TYPE (AccProgram, acc_program, ACC, PROGRAM, GObject)

/* @signatures: (array zero-terminated=1), one per parameter: "f4[:,:]", "u1[:,:,3]", "(f4,i4)[]" */
ACC_AVAILABLE_IN_1_0
AccProgram     *acc_program_new          (const char * const *signatures, AccArrayFunc function, gpointer user_data);
ACC_AVAILABLE_IN_1_0
AccProgram     *acc_program_new_many     (const char * const *signatures, AccArraysFunc function, gpointer user_data);
/* No parameters. */
ACC_AVAILABLE_IN_1_0
AccProgram     *acc_program_new_for_results (AccArray **results, guint n_results);
/* (transfer container) (element-type AccArray): the results for any arrays, delayed */
ACC_AVAILABLE_IN_1_0
GPtrArray      *acc_program_apply        (AccProgram *self, AccArray **arguments, guint n_arguments,
                                          GError **error) G_GNUC_WARN_UNUSED_RESULT;
ACC_AVAILABLE_IN_1_0
AccProgram     *acc_program_parse        (const char *text, GError **error);
ACC_AVAILABLE_IN_1_0
char           *acc_program_to_string    (AccProgram *self) G_GNUC_WARN_UNUSED_RESULT;
ACC_AVAILABLE_IN_1_0
AccProgram     *acc_program_new_from_bytes (GBytes *bytes, GError **error);
ACC_AVAILABLE_IN_1_0
GBytes         *acc_program_to_bytes     (AccProgram *self) G_GNUC_WARN_UNUSED_RESULT;
ACC_AVAILABLE_IN_1_0
AccProgram     *acc_program_new_from_variant (GVariant *variant, GError **error);
ACC_AVAILABLE_IN_1_0
GVariant       *acc_program_to_variant   (AccProgram *self) G_GNUC_WARN_UNUSED_RESULT;
ACC_AVAILABLE_IN_1_0
guint           acc_program_get_n_parameters (AccProgram *self);
ACC_AVAILABLE_IN_1_0
guint           acc_program_get_n_results (AccProgram *self);
ACC_AVAILABLE_IN_1_0
AccArray       *acc_program_get_parameter (AccProgram *self, guint position);
ACC_AVAILABLE_IN_1_0
AccArray       *acc_program_get_result   (AccProgram *self, guint position);
ACC_AVAILABLE_IN_1_0
gboolean        acc_program_check        (AccProgram *self, GError **error);

G_END_DECLS
