/* SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

#include "acc-tensorflow-library.h"
#include "acc-backends/xla/acc-xla-engine.h"

/* A module as a graph of one operation, with the session that runs it. */
typedef struct {
  const AccTensorflow *api;
  TfGraph             *graph;
  TfSession           *session;
  TfOutput            *inputs;       /* zero first */
  TfOutput            *outputs;      /* the failure and its index first */
} AccTensorflowCode;

AccTensorflowCode *acc_tensorflow_code_new  (const AccTensorflow *api, const AccHloModule *module, const char *what, GError **error);
void               acc_tensorflow_code_free (AccTensorflowCode *self);
