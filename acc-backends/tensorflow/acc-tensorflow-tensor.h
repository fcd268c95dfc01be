/* SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

#include "acc-tensorflow-library.h"
#include "acc-backends/xla/acc-xla-engine.h"

/* Tensors of buffers. */

/* One for the time of a call, with what is reserved for it; zeros: there is none. */
typedef struct {
  TfTensor *tensor;
  guint64   reserved;
} AccTensorflowLoan;

/* The buffer's own memory where that is as @form wants it, else a copy, counted for @what. The buffer keeps the copy, but for one of
 * another form than it has: that is a loan, as what shows the buffer's own memory is. */
TfTensor  *acc_tensorflow_tensor_get   (const AccTensorflow *api, AccBuffer *buffer, const AccHloVector *form, AccBudget *budget,
                                        const char *what, AccTensorflowLoan *loan, GError **error);
void       acc_tensorflow_loan_clear   (AccTensorflowLoan *self, const AccTensorflow *api, AccBudget *budget, const char *what);
/* Takes over @tensor, and what was reserved for @what. */
AccBuffer *acc_tensorflow_tensor_adopt (const AccTensorflow *api, TfTensor *tensor, const AccHloVector *form, AccBudget *budget,
                                        const char *what);
