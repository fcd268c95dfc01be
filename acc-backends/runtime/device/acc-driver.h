/* SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

#include "acc-error.h"

#include <gmodule.h>

/* The library of a driver, which is found and started once in the process, and stays: drivers are not made to be unloaded. Static. */
typedef struct {
  const char *library;    /* "libcuda.so.1" */
  const char *what;       /* "CUDA driver" */
  GMutex      lock;
  gboolean    is_tried;
  GModule    *module;
  GError     *failure;
} AccDriver;

/* Opens the library and calls @start by the first call; what fails then fails for later ones, too: ACC_ERROR_UNSUPPORTED and the reason.
 * Any thread. */
gboolean acc_driver_start   (AccDriver *self, gboolean (*start) (AccDriver *self, GError **error), GError **error);
/* For @start: a function that the library must have. */
gboolean acc_driver_look_up (AccDriver *self, const char *name, gpointer *function, GError **error);
