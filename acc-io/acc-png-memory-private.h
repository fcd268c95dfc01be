/* SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

#include "acc-types.h"

#include <png.h>

/* Counts and bounds the memory that libpng allocates, and keeps its messages, which are never printed. */
typedef struct {
  gsize     allocated;
  gsize     allowed;
  gboolean  refused;       /* an allocation, since the beginning */
  char      message[128];  /* of the last error */
  char      warning[128];  /* the first one */
} AccPngMemory;

/* Without rows: structures, zlib's window and tables */
#define ACC_PNG_READ_FIXED (256 * 1024)

png_structp acc_png_memory_new_read (AccPngMemory *self);
/* Passes @own on where it is set, else %ACC_ERROR_OUT_OF_MEMORY or %ACC_ERROR_IO from what libpng said; returns FALSE. @row: -1 for the
 * header. */
gboolean    acc_png_memory_fail     (AccPngMemory *self, const char *name, gint64 row, GError **own, GError **error);
