/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "acc-array-build-private.h"

#include <string.h>

enum {
  HAS_EXTENTS = ACC_FACT_HAS_EXTENTS,
  TAKES_INDEX = ACC_FACT_TAKES_INDEX,
  FUSES       = ACC_FACT_FUSES,
  ANCHORS     = ACC_FACT_ANCHORS,
  STORES      = ACC_FACT_STORES,
  FOLDS_ALL   = ACC_FACT_FOLDS_ALL,
};

static const AccOperationInfo operations[] = {
#define ACC_OPERATION(ID, name, n_inputs, functions, class, family, rows, facts, lifting, section, since) \
  [ACC_OP_##ID] = { name, n_inputs, functions, ACC_FAMILY_##family, ACC_ROWS_##rows, facts, section, since },
#include "acc-operations.inc"
#undef ACC_OPERATION
};

static const AccOperationClass *const classes[] = {
#define ACC_OPERATION(ID, name, n_inputs, functions, class, ...) [ACC_OP_##ID] = &acc_class_##class,
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

const AccOperationClass *
acc_operation_get_class (AccOperation operation)
{
  return classes[operation];
}

AccPayloadKind
acc_operation_get_payload (AccOperation operation)
{
  const AccPayloadClass *payload = classes[operation]->payload;

  return payload != NULL ? payload->kind : ACC_PAYLOAD_NONE;
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
