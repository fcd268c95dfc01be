/* SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

#include "acc-byte-reader-private.h"
#include "acc-record-private.h"
#include "acc-shape.h"

/* The header of a NumPy .npy file, versions 1 to 3. */
typedef struct {
  AccElementType *type;
  AccShape       *shape;       /* as its rows are read */
  AccRecord      *record;
  guint64         offset;      /* of the data */
  gboolean        transposed;  /* rows are those of the transpose: Fortran order */
  char           *note;        /* what is not read as what it is; NULL: nothing */
} AccNpyHeader;

#define ACC_NPY_MAGIC      "\x93NUMPY"
#define ACC_NPY_MAGIC_SIZE 6

void     acc_npy_header_clear (AccNpyHeader *self);
/* From the beginning of the file. Errors lack the file's name. */
gboolean acc_npy_header_read  (AccNpyHeader *self, AccByteReader *reader, GCancellable *cancellable, GError **error);
/* The whole header, for packed records in this machine's byte order. An array of vectors is one of scalars with one more
 * dimension. @grows: as long for any first extent, so that it can be written again. */
GBytes  *acc_npy_header_write (AccElementType *type, AccShape *shape, gboolean grows, GError **error);

G_DEFINE_AUTO_CLEANUP_CLEAR_FUNC (AccNpyHeader, acc_npy_header_clear)
