/* SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

#include "acc-xla-engine.h"

/* Modules that an engine has compiled, by their text. Any thread. */
typedef struct _AccXlaCodes AccXlaCodes;

/* Counted. */
typedef struct {
  gatomicrefcount          ref_count;
  const AccXlaEngineClass *klass;
  gpointer                 code;
} AccXlaCode;

/* @engine: borrowed. */
AccXlaCodes *acc_xla_codes_new   (AccXlaEngine *engine);
void         acc_xla_codes_free  (AccXlaCodes *self);
/* Compiles @module, or finds what was compiled before. */
AccXlaCode  *acc_xla_codes_get   (AccXlaCodes *self, const AccHloModule *module, const char *what, GError **error);
void         acc_xla_code_unref  (AccXlaCode *self);
