/* SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

#include "acc-byte-writer-private.h"
#include "acc-element-type.h"
#include "acc-png-sink.h"

/* Samples of rows from top to bottom into a PNG picture. Errors name the file. */
typedef struct _AccPngEncoder AccPngEncoder;

typedef struct {
  gint64         width, height;
  guint          channels;
  AccElementKind kind;        /* BOOL: one bit of grey; U8; U16 in this machine's byte order */
  gsize          row_bytes;   /* in memory */
  guint          level;
  AccPngFilter   filter;
} AccPngSettings;

/* @writer is borrowed and open. Writes the header. */
AccPngEncoder *acc_png_encoder_new        (AccByteWriter *writer, const AccPngSettings *settings, GCancellable *cancellable,
                                           GError **error);
void           acc_png_encoder_free       (AccPngEncoder *self);
/* The next ones, of any part of a row, or of several. */
gboolean       acc_png_encoder_write      (AccPngEncoder *self, const guint8 *samples, gsize n_samples, GCancellable *cancellable,
                                           GError **error);
gboolean       acc_png_encoder_finish     (AccPngEncoder *self, GCancellable *cancellable, GError **error);
guint64        acc_png_settings_get_resident_bytes (const AccPngSettings *settings);

G_DEFINE_AUTOPTR_CLEANUP_FUNC (AccPngEncoder, acc_png_encoder_free)
