/* SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

#include "acc-module-memory.h"

AccBudget *acc_budget_new              (guint64 limit /* 0: none */);
/* @place: static, what refusals say of the bytes: " of the host's memory"; before the budget is shared. */
void       acc_budget_set_place        (AccBudget *self, const char *place);
guint64    acc_budget_get_high_water   (AccBudget *self);
void       acc_budget_reset_high_water (AccBudget *self);
/* Asks for @bytes of what can be spared, ahead of a plan; returns bytes released. */
guint64    acc_budget_spare            (AccBudget *self, guint64 bytes);
/* For tests: the @nth reservation from now on (counted from 1) fails; 0 switches it off. Returns what is left of the number before. */
guint      acc_budget_fail_nth         (AccBudget *self, guint nth);
