/* SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

#include "acc-byte-reader-private.h"
#include "acc-element-type.h"

/* A PNG picture as rows from top to bottom. Palettes become RGB, or RGBA where they have transparency; a transparent
 * colour becomes an alpha channel; grey of less than 8 bits is spread over 0 to 255; 16 bits come in this machine's
 * byte order. Errors name the file and the row. */
typedef struct _AccPngDecoder AccPngDecoder;

typedef struct {
  gint64         width, height;
  guint          channels;     /* 1 grey, 2 grey and alpha, 3 RGB, 4 RGBA */
  AccElementKind kind;         /* U8 or U16 */
  gboolean       interlaced;
  gsize          row_bytes;
} AccPngLayout;

/* Reads the header; @reader is borrowed, at the beginning of the picture. */
AccPngDecoder *acc_png_decoder_new        (AccByteReader *reader, AccPngLayout *layout, GCancellable *cancellable, GError **error);
void           acc_png_decoder_free       (AccPngDecoder *self);
/* The next rows, dense; not for interlaced pictures */
gboolean       acc_png_decoder_read_rows  (AccPngDecoder *self, guint8 *rows, gint64 n_rows, GCancellable *cancellable, GError **error);
/* All rows of an interlaced picture */
gboolean       acc_png_decoder_read_all   (AccPngDecoder *self, guint8 *rows, GCancellable *cancellable, GError **error);
/* Reads the rest of the file after the last row. A bad end is a warning. */
gboolean       acc_png_decoder_finish     (AccPngDecoder *self, GCancellable *cancellable, GError **error);
/* What was wrong so far that did not touch the pixels; NULL: nothing */
const char    *acc_png_decoder_get_warning (AccPngDecoder *self);
/* The most bytes that decoding takes beside the rows read */
guint64        acc_png_layout_get_resident_bytes (const AccPngLayout *layout);

G_DEFINE_AUTOPTR_CLEANUP_FUNC (AccPngDecoder, acc_png_decoder_free)
