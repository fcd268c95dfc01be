/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "fuzz-source.h"

#include <string.h>
#include <zlib.h>

/* Mends the checksums of chunks first, or else nothing but checksums would be tested. An input is given both ways. */
static void
mend (guint8 *data, gsize size)
{
  for (gsize at = 8; at + 12 <= size; )
    {
      guint32 length, sum;

      memcpy (&length, data + at, 4);
      length = GUINT32_FROM_BE (length);
      if (length > size - at - 12)
        break;

      sum = GUINT32_TO_BE ((guint32) crc32 (0, data + at + 4, length + 4));
      memcpy (data + at + 8 + length, &sum, 4);
      at += (gsize) length + 12;
    }
}

int
LLVMFuzzerTestOneInput (const uint8_t *data, size_t size)
{
  g_autofree guint8 *mended = g_memdup2 (data, size);

  fuzz_read_source (data, size);
  if (size > 8)
    {
      memcpy (mended, "\x89PNG\r\n\x1a\n", 8);
      mend (mended, size);
      fuzz_read_source (mended, size);
    }

  return 0;
}

void
fuzz_add_seeds (GPtrArray *seeds)
{
  if (seeds->len == 0)
    g_ptr_array_add (seeds, g_bytes_new_static ("\x89PNG\r\n\x1a\n", 8));
}
