/* SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

#include "acc-backend.h"

/* Arrays that something else than a program computes, such as what a walk over a sequence leaves. They are computed before a program that
 * reads them runs, all that are of one class together, and memory takes their place. */

#define ACC_TYPE_DEFERRED (acc_deferred_get_type ())

G_DECLARE_DERIVABLE_TYPE (AccDeferred, acc_deferred, ACC, DEFERRED, GObject)

struct _AccDeferredClass {
  GObjectClass parent_class;

  /* Manifest arrays, one for each of @nodes, whose payloads are of this class. @chunk: elements at a time; 0: as many as is best. */
  GPtrArray *(*evaluate) (AccBackend *backend, AccArray **nodes, guint n_nodes, gint64 chunk, GCancellable *cancellable, GError **error);
  /* What evaluate() would do, for plans: a sentence. Owned */
  char      *(*describe) (AccBackend *backend, AccArray **nodes, guint n_nodes, gint64 chunk);
};

/* @arrays with memory in place of all deferred arrays that they need, those of both sides of a choice included. Owned. */
GPtrArray  *acc_deferred_evaluate  (AccBackend *backend, AccArray **arrays, guint n_arrays, gint64 chunk, GCancellable *cancellable,
                                    GError **error);
/* What that would do, for plans; NULL where there is nothing to evaluate. Owned. */
char       *acc_deferred_describe  (AccBackend *backend, AccArray **arrays, guint n_arrays, gint64 chunk);
/* @program with memory in place of deferred arrays; owned. */
AccProgram *acc_deferred_evaluate_program (AccBackend *backend, AccProgram *program, GCancellable *cancellable, GError **error);
