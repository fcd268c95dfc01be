/* SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

#include "acc-tensorflow-session.h"
#include "acc-backends/xla/acc-xla-engine.h"

/* A module as an operation in a session's graph. */
typedef struct {
  AccTensorflowSession *session;
  TfOutput             *inputs;       /* zero first */
  TfOutput             *outputs;      /* the failure and its index last */
} AccTensorflowCode;

/* @number: of the module in the session. */
AccTensorflowCode *acc_tensorflow_code_new  (AccTensorflowSession *session, guint number, const AccHloModule *module, const char *what,
                                             GError **error);
void               acc_tensorflow_code_free (AccTensorflowCode *self);
