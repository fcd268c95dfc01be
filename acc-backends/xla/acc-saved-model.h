/* SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

#include "acc-backends/codegen/stablehlo/acc-stablehlo.h"

/* Of XlaCallModule: all that it reads of a module is in the text. */
#define ACC_SAVED_MODEL_CALL_VERSION 9

/* The file saved_model.pb of a SavedModel with a module that is exported: a graph of an input for each argument, the module, and an output
 * for each result. Where the module has checks, outputs wait for an assertion that none failed. */
GBytes *acc_saved_model_write (const AccHloModule *module);
/* TensorFlow's number of a type of scalars */
gint    acc_saved_model_get_type (AccElementKind kind);
