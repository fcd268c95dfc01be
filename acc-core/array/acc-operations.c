/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "acc-operations-private.h"

#include <string.h>

static const AccOperationInfo operations[] = {
#define ACC_OPERATION(ID, name, n_inputs, functions, section, since) \
  [ACC_OP_##ID] = { name, n_inputs, functions, section, since },
#include "acc-operations.inc"
#undef ACC_OPERATION
};

G_STATIC_ASSERT (G_N_ELEMENTS (operations) == ACC_N_OPERATIONS);

const AccOperationInfo *
acc_operation_get_info (AccOperation operation)
{
  g_return_val_if_fail ((guint) operation < ACC_N_OPERATIONS, NULL);

  return &operations[operation];
}

gboolean
acc_operation_from_name (const char   *name,
                         AccOperation *operation)
{
  for (guint i = 0; i < ACC_N_OPERATIONS; i++)
    if (strcmp (operations[i].name, name) == 0)
      {
        *operation = i;
        return TRUE;
      }

  return FALSE;
}
