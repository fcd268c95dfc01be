/* SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

#include "acc-types.h"

G_BEGIN_DECLS

typedef enum {
#define ACC_OPERATION(ID, name, n_inputs, functions, section, since) ACC_OP_##ID,
#include "acc-operations.inc"
#undef ACC_OPERATION
  ACC_N_OPERATIONS
} AccOperation;

typedef struct {
  const char *name;
  int         n_inputs;
  const char *functions;
  const char *section;
  const char *since;
} AccOperationInfo;

/* Indexed by AccOperation. */
ACC_MODULE_API
const AccOperationInfo *acc_operation_get_info  (AccOperation operation);
ACC_MODULE_API
gboolean                acc_operation_from_name (const char *name, AccOperation *operation);

G_END_DECLS
