/* SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

#include "acc-core/array/acc-array-private.h"
#include "acc-foreign.h"
#include "acc-module-foreign.h"

struct _AccForeign {
  gatomicrefcount      ref_count;
  AccForeignFits       fits;       /* NULL: all */
  AccForeignFunc       function;
  AccForeignLaunchFunc launch;     /* in its place */
  gpointer             user_data;
  GDestroyNotify       destroy;
};

/* --- acc-foreign-each.c: an operation on each of many elements, which has a name made of that of the operation. Before that the name says
 * what inputs there are: for each input of the operation 'c', 'r' or 'i' and its rank, for constant, regular and irregular ones, and behind
 * '>' the same of the result and its element type. Inputs are the values, of irregular ones also offsets and for ranks above 1 extents; and
 * last of the result its offsets and extents, or where it is regular and of a rank above 0 its extents in a vector. */
#define ACC_FOREIGN_EACH "acc-each:"

/* Of the operation; NULL: @name is no such name. */
const char *acc_foreign_each_get_name (const char *name);
/* Takes over @inner. */
gpointer    acc_foreign_each_new      (AccForeign *inner, const char *name);
void        acc_foreign_each_free     (gpointer each);
AccArray   *acc_foreign_each_call     (AccArray **inputs, guint n_inputs, gpointer each, GError **error);

/* What a backend has in place of fallbacks, by name. Any thread. */
typedef struct _AccForeignTable AccForeignTable;

AccForeignTable *acc_foreign_table_new      (void);
void             acc_foreign_table_free     (AccForeignTable *self);
AccForeignTable *acc_backend_get_foreigners (AccBackend *self);
/* Whether it has functions of the application's. */
gboolean         acc_backend_has_own_foreign (AccBackend *self);
/* Whether it has any transform that acc itself names. */
gboolean         acc_backend_has_transforms  (AccBackend *self);
