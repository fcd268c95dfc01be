/* SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

#include "acc-types.h"

G_BEGIN_DECLS

/**
 * AccError:
 * @ACC_ERROR_TYPE: element types do not fit
 * @ACC_ERROR_SHAPE: ranks or extents do not fit
 * @ACC_ERROR_BOUNDS: an index was outside an array while a kernel ran
 * @ACC_ERROR_ARITHMETIC: integer division by zero, or minimum by minus one
 * @ACC_ERROR_OUT_OF_MEMORY: the memory limit or the machine's memory does not suffice
 * @ACC_ERROR_UNSUPPORTED: this backend, file or stream cannot do what was asked
 * @ACC_ERROR_DEVICE_LOST: the device went away
 * @ACC_ERROR_COMPILE: a kernel could not be compiled
 * @ACC_ERROR_IO: a source or sink could not be read or written
 * @ACC_ERROR_CALLBACK: a function given by the caller returned nothing
 * @ACC_ERROR_PARSE: a text is not a program, type or shape
 * @ACC_ERROR_STREAM: the program cannot run chunk by chunk
 *
 * Lists the errors that acc reports.
 *
 * A run that was cancelled fails with %G_IO_ERROR_CANCELLED.
 */
typedef enum {
  ACC_ERROR_TYPE,
  ACC_ERROR_SHAPE,
  ACC_ERROR_BOUNDS,
  ACC_ERROR_ARITHMETIC,
  ACC_ERROR_OUT_OF_MEMORY,
  ACC_ERROR_UNSUPPORTED,
  ACC_ERROR_DEVICE_LOST,
  ACC_ERROR_COMPILE,
  ACC_ERROR_IO,
  ACC_ERROR_CALLBACK,
  ACC_ERROR_PARSE,
  ACC_ERROR_STREAM,
} AccError;

#define ACC_ERROR (acc_error_quark ())

ACC_AVAILABLE_IN_1_0
GQuark acc_error_quark (void);

G_END_DECLS
