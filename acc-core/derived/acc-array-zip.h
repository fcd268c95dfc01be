/* SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

#include "acc-types.h"

G_BEGIN_DECLS

/* Functions of elements of many arrays, over the extents that all have; those of izip get the index first. */
ACC_AVAILABLE_IN_1_0
AccArray *acc_array_zip_with4 (AccArray *self, AccArray *second, AccArray *third, AccArray *fourth,
                               AccExprFunc4 function, gpointer user_data) G_GNUC_WARN_UNUSED_RESULT;
ACC_AVAILABLE_IN_1_0
AccArray *acc_array_zip_with5 (AccArray *self, AccArray *second, AccArray *third, AccArray *fourth, AccArray *fifth,
                               AccExprFunc5 function, gpointer user_data) G_GNUC_WARN_UNUSED_RESULT;
ACC_AVAILABLE_IN_1_0
AccArray *acc_array_zip_with6 (AccArray *self, AccArray *second, AccArray *third, AccArray *fourth, AccArray *fifth,
                               AccArray *sixth,
                               AccExprFunc6 function, gpointer user_data) G_GNUC_WARN_UNUSED_RESULT;
ACC_AVAILABLE_IN_1_0
AccArray *acc_array_zip_with7 (AccArray *self, AccArray *second, AccArray *third, AccArray *fourth, AccArray *fifth,
                               AccArray *sixth, AccArray *seventh,
                               AccExprFunc7 function, gpointer user_data) G_GNUC_WARN_UNUSED_RESULT;
ACC_AVAILABLE_IN_1_0
AccArray *acc_array_zip_with8 (AccArray *self, AccArray *second, AccArray *third, AccArray *fourth, AccArray *fifth,
                               AccArray *sixth, AccArray *seventh, AccArray *eighth,
                               AccExprFunc8 function, gpointer user_data) G_GNUC_WARN_UNUSED_RESULT;
ACC_AVAILABLE_IN_1_0
AccArray *acc_array_zip_with9 (AccArray *self, AccArray *second, AccArray *third, AccArray *fourth, AccArray *fifth,
                               AccArray *sixth, AccArray *seventh, AccArray *eighth, AccArray *ninth,
                               AccExprFunc9 function, gpointer user_data) G_GNUC_WARN_UNUSED_RESULT;
ACC_AVAILABLE_IN_1_0
AccArray *acc_array_izip_with (AccArray *self, AccArray *other, AccExprFunc3 function, gpointer user_data) G_GNUC_WARN_UNUSED_RESULT;
ACC_AVAILABLE_IN_1_0
AccArray *acc_array_izip_with3 (AccArray *self, AccArray *second, AccArray *third, AccExprFunc4 function,
                                gpointer user_data) G_GNUC_WARN_UNUSED_RESULT;
ACC_AVAILABLE_IN_1_0
AccArray *acc_array_izip_with4 (AccArray *self, AccArray *second, AccArray *third, AccArray *fourth,
                                AccExprFunc5 function, gpointer user_data) G_GNUC_WARN_UNUSED_RESULT;
ACC_AVAILABLE_IN_1_0
AccArray *acc_array_izip_with5 (AccArray *self, AccArray *second, AccArray *third, AccArray *fourth, AccArray *fifth,
                                AccExprFunc6 function, gpointer user_data) G_GNUC_WARN_UNUSED_RESULT;
ACC_AVAILABLE_IN_1_0
AccArray *acc_array_izip_with6 (AccArray *self, AccArray *second, AccArray *third, AccArray *fourth, AccArray *fifth,
                                AccArray *sixth,
                                AccExprFunc7 function, gpointer user_data) G_GNUC_WARN_UNUSED_RESULT;
ACC_AVAILABLE_IN_1_0
AccArray *acc_array_izip_with7 (AccArray *self, AccArray *second, AccArray *third, AccArray *fourth, AccArray *fifth,
                                AccArray *sixth, AccArray *seventh,
                                AccExprFunc8 function, gpointer user_data) G_GNUC_WARN_UNUSED_RESULT;
ACC_AVAILABLE_IN_1_0
AccArray *acc_array_izip_with8 (AccArray *self, AccArray *second, AccArray *third, AccArray *fourth, AccArray *fifth,
                                AccArray *sixth, AccArray *seventh, AccArray *eighth,
                                AccExprFunc9 function, gpointer user_data) G_GNUC_WARN_UNUSED_RESULT;
ACC_AVAILABLE_IN_1_0
AccArray *acc_array_izip_with9 (AccArray *self, AccArray *second, AccArray *third, AccArray *fourth, AccArray *fifth,
                                AccArray *sixth, AccArray *seventh, AccArray *eighth, AccArray *ninth,
                                AccExprFunc10 function, gpointer user_data) G_GNUC_WARN_UNUSED_RESULT;

G_END_DECLS
