/* SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

#include <glib.h>

/* A second opinion: a small decoder of correct PNG pictures on zlib alone, which shares nothing with libpng. */
typedef struct {
  gsize   width, height;
  guint   channels;
  guint   bits;      /* 8 or 16 */
  GBytes *pixels;    /* dense; 16 bits in this machine's byte order */
} ReferencePicture;

void reference_png_read  (GBytes *file, ReferencePicture *picture);
void reference_png_clear (ReferencePicture *picture);
