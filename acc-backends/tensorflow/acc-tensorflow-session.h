/* SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

#include "acc-tensorflow-library.h"

/* A session of many modules: its graph grows by an operation for each, which need not meet others. Any thread. */
typedef struct {
  gatomicrefcount      ref_count;
  const AccTensorflow *api;
  TfGraph             *graph;
  TfSession           *session;
  guint                n_modules;   /* with the lock of the sessions */
} AccTensorflowSession;

/* Those of an engine. */
typedef struct {
  GMutex                lock;
  AccTensorflowSession *last;       /* nullable: which takes further modules */
} AccTensorflowSessions;

AccTensorflowSession *acc_tensorflow_session_ref    (AccTensorflowSession *self);
void                  acc_tensorflow_session_unref  (AccTensorflowSession *self);

void                  acc_tensorflow_sessions_init  (AccTensorflowSessions *self);
void                  acc_tensorflow_sessions_clear (AccTensorflowSessions *self);
/* One that has room for a module, which is its @number. */
AccTensorflowSession *acc_tensorflow_sessions_get   (AccTensorflowSessions *self, const AccTensorflow *api, const char *what, guint *number,
                                                     GError **error);
