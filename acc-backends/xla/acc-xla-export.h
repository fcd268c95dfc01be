/* SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

#include "acc-core/backend/acc-backend-private.h"

/* As AccBackendClass.export_program has it. */
GBytes *acc_xla_export (AccProgram *program, AccProgram *other, AccExportForm form, gboolean fast_math, GError **error);
