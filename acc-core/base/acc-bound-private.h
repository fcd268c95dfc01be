/* SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

#include <glib.h>

/* The thread that alone may call an object, and its main context, which calls for others. */
typedef struct {
  GThread      *thread;    /* never dereferenced; NULL: any thread may call */
  GMainContext *context;   /* owned */
} AccBound;

typedef void (*AccBoundFunc) (gpointer data);

/* To this thread. */
void     acc_bound_init    (AccBound *self);
void     acc_bound_clear   (AccBound *self);
gboolean acc_bound_is_here (const AccBound *self);
/* Calls @function on the thread, and waits for that; where the thread is another one, its main context has to run. */
void     acc_bound_call    (const AccBound *self, AccBoundFunc function, gpointer data);
