/* SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

#include "acc-foreign-launch.h"
#include "acc-foreign-private.h"

G_BEGIN_DECLS

struct _AccForeignLaunch {
  GObject        parent_instance;

  /* Sets .result, with room for all of it, .addresses and .queue. */
  gboolean     (*begin) (AccForeignLaunch *self, AccShape *shape, GError **error);
  gpointer       run;         /* the runtime's */
  AccArray      *node;        /* borrowed: of what it is the call */
  AccArray     **inputs;      /* borrowed: manifest */
  guint          n_inputs;
  AccArray      *result;      /* owned; NULL: not begun */
  guint64       *addresses;   /* of the buffers of all inputs, one after another, and of the result after them */
  guint64        queue;
};

/* As acc_backend_set_foreign_launch(), for functions that do not take all inputs: the fallback is run for others. */
ACC_MODULE_API
void                 acc_backend_set_launch_routine (AccBackend *self, const char *name, AccForeignFits fits, AccForeignLaunchFunc function,
                                                     gpointer user_data, GDestroyNotify destroy);
/* Whether it is called by acc_foreign_launch(), not by acc_foreign_call(). */
ACC_MODULE_API
gboolean             acc_foreign_is_launch          (AccForeign *self);
ACC_MODULE_API
AccForeignLaunch    *acc_foreign_launch_new         (AccArray *node, AccArray **inputs, gpointer run,
                                                     gboolean (*begin) (AccForeignLaunch *self, AccShape *shape, GError **error));
/* Calls the function; the result is what the node promises. Owned. */
ACC_MODULE_API
AccArray            *acc_foreign_launch_call        (AccForeignLaunch *self, AccForeign *foreign, GError **error);

G_END_DECLS
