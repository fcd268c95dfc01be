/* SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

#include "acc-types.h"

G_BEGIN_DECLS

/* Counts every bulk byte of a backend against its memory limit. Atomically counted, any thread. */
typedef struct _AccBudget AccBudget;

ACC_MODULE_API
AccBudget *acc_budget_new            (guint64 limit /* 0: none */);
ACC_MODULE_API
AccBudget *acc_budget_ref            (AccBudget *self);
ACC_MODULE_API
void       acc_budget_unref          (AccBudget *self);
/* @place: static, what refusals say of the bytes: " of the host's memory"; before the budget is shared. */
ACC_MODULE_API
void       acc_budget_set_place      (AccBudget *self, const char *place);
/* ACC_ERROR_OUT_OF_MEMORY names @what, the bytes asked for, held and allowed, and the largest holders. */
ACC_MODULE_API
gboolean   acc_budget_reserve        (AccBudget *self, guint64 bytes, const char *what, GError **error);
ACC_MODULE_API
void       acc_budget_release        (AccBudget *self, guint64 bytes, const char *what);
ACC_MODULE_API
guint64    acc_budget_get_limit      (AccBudget *self);
ACC_MODULE_API
void       acc_budget_set_limit      (AccBudget *self, guint64 limit);
ACC_MODULE_API
guint64    acc_budget_get_used       (AccBudget *self);
ACC_MODULE_API
guint64    acc_budget_get_high_water (AccBudget *self);
ACC_MODULE_API
void       acc_budget_reset_high_water (AccBudget *self);
/* Asked before a refusal: frees what can be spared (recycled buffers), returns bytes released. */
ACC_MODULE_API
void       acc_budget_set_reclaim    (AccBudget *self, guint64 (*reclaim) (guint64 wanted, gpointer user_data), gpointer user_data);
/* Asks for @bytes of what can be spared, ahead of a plan; returns bytes released. */
ACC_MODULE_API
guint64    acc_budget_spare          (AccBudget *self, guint64 bytes);
/* For tests: the @nth reservation from now on (counted from 1) fails; 0 switches it off. */
ACC_MODULE_API
void       acc_budget_fail_nth       (AccBudget *self, guint nth);

G_DEFINE_AUTOPTR_CLEANUP_FUNC (AccBudget, acc_budget_unref)

G_END_DECLS
