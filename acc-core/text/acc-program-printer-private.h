/* SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

#include "acc-core/array/acc-array-build-private.h"

typedef struct {
  GString    *text;
  GHashTable *arrays;     /* AccArray to its number + 1 */
  GHashTable *programs;   /* AccProgram to its number + 1 */
  GHashTable *exprs;      /* of the array being written: AccExpr to its number + 1 */
  GError     *error;      /* of elements that could not be fetched */
} AccPrinter;

/* Of a walk that visits what an object needs before the object. */
typedef struct {
  gpointer object;
  guint    next;
} AccPrinterFrame;

/* What is named by @table, which has its number + 1. */
guint acc_printer_get_number     (GHashTable *table, gpointer object);
guint acc_printer_add_number     (GHashTable *table, gpointer object);
/* " aN" */
void  acc_printer_append_array   (AccPrinter *self, AccArray *array);
/* The expressions of a function, and "KEYWORD VARIABLES -> EXPR". */
void  acc_printer_print_function (AccPrinter *self, const char *keyword, AccFunction *function);
