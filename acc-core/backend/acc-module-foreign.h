/* SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

#include "acc-array.h"
#include "acc-foreign-launch.h"

G_BEGIN_DECLS

/* Functions of a backend that replace parts of a graph, by name. Included by acc-module.h. Any thread. */

/* --- what a backend itself has */

/* Whether the function takes such inputs: only type and rank of the nodes are read. */
typedef gboolean (*AccForeignFits) (AccArray **inputs, const gint64 *const *extents, guint n_inputs, gpointer user_data);

/* Like acc_backend_set_foreign_launch(), for functions that do not take all inputs: the fallback is run for others. */
ACC_MODULE_API
void              acc_backend_set_launch_routine (AccBackend *self, const char *name, AccForeignFits fits, AccForeignLaunchFunc function,
                                                  gpointer user_data, GDestroyNotify destroy);

/* --- where a program wants one */

typedef struct _AccForeign AccForeign;

/* The function of @backend for a foreign node, or for one with an offer; NULL: none. Owned. */
ACC_MODULE_API
AccForeign       *acc_foreign_find               (AccBackend *backend, AccArray *node);
/* Drops it. */
ACC_MODULE_API
void              acc_foreign_unref              (AccForeign *self);
/* @extents: of the inputs and then of the node, NULL where that is not known. */
ACC_MODULE_API
gboolean          acc_foreign_fits               (AccForeign *self, AccArray *node, const gint64 *const *extents);
/* Whether the extents of input @input are those that the fallback declares. */
ACC_MODULE_API
gboolean          acc_foreign_check              (AccArray *node, guint input, const gint64 *extents, GError **error);
/* Calls it with manifest arrays; checks that the result is manifest and fits the node. Owned. */
ACC_MODULE_API
AccArray         *acc_foreign_call               (AccForeign *self, AccArray *node, AccArray **inputs, GCancellable *cancellable,
                                                  GError **error);

G_DEFINE_AUTOPTR_CLEANUP_FUNC (AccForeign, acc_foreign_unref)

/* --- one that works where a device has the elements */

struct _AccForeignLaunch {
  GObject        parent_instance;

  /* Sets .result, with room for all of it, .addresses and .queue. */
  gboolean     (*begin) (AccForeignLaunch *self, AccShape *shape, GError **error);
  gpointer       run;         /* the backend's */
  AccArray      *node;        /* borrowed: of what it is the call */
  AccArray     **inputs;      /* borrowed: manifest */
  guint          n_inputs;
  AccArray      *result;      /* owned; NULL: not begun */
  guint64       *addresses;   /* of the buffers of all inputs, one after another, and of the result after them */
  guint64        queue;
};

/* Whether it is called by acc_foreign_launch_call(), not by acc_foreign_call(). */
ACC_MODULE_API
gboolean          acc_foreign_is_launch          (AccForeign *self);
/* A call of one; @begin: see above. */
ACC_MODULE_API
AccForeignLaunch *acc_foreign_launch_new         (AccArray *node, AccArray **inputs, gpointer run,
                                                  gboolean (*begin) (AccForeignLaunch *self, AccShape *shape, GError **error));
/* Calls the function; the result is what the node promises. Owned. */
ACC_MODULE_API
AccArray         *acc_foreign_launch_call        (AccForeignLaunch *self, AccForeign *foreign, GCancellable *cancellable, GError **error);

G_END_DECLS
