/* SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

#include <glib.h>
#include <string.h>

#if defined (__AVX__)
# include <immintrin.h>
#endif

/* Vectors, and stores past the caches, for peers in C: what is written is not read before. */

#if defined (__AVX512F__)
# define STREAM_BYTES 64
#elif defined (__AVX__)
# define STREAM_BYTES 32
#else
# define STREAM_BYTES 16
#endif

typedef float  StreamF4 __attribute__ ((vector_size (STREAM_BYTES)));
typedef gint32 StreamI4 __attribute__ ((vector_size (STREAM_BYTES)));

#define STREAM_LANES (STREAM_BYTES / sizeof (float))

/* Less than this stays in a cache, and should. */
#define STREAM_MIN_BYTES ((gsize) 4 << 20)

/* Less than this is not worth a second thread. */
#define STREAM_MIN_PARALLEL ((gsize) 1 << 17)

/* What threads take at once: small enough that one that is held up delays little. */
#define STREAM_TILE_BYTES ((gsize) 256 << 10)
#define STREAM_TILE (STREAM_TILE_BYTES / sizeof (float))

static inline StreamF4
stream_load (const float *from)
{
  StreamF4 value;

  memcpy (&value, from, sizeof value);
  return value;
}

/* @to: on a boundary of STREAM_BYTES. */
static inline void
stream_store (gpointer to, StreamF4 value)
{
#if defined (__AVX512F__)
  _mm512_stream_ps (to, (__m512) value);
#elif defined (__AVX__)
  _mm256_stream_ps (to, (__m256) value);
#else
  *(StreamF4 *) to = value;
#endif
}

/* After the last of them, before others read. */
static inline void
stream_fence (void)
{
#if defined (__AVX__)
  _mm_sfence ();
#endif
}

/* Past the caches if @past. @size: any; @to and @from: on a boundary of STREAM_BYTES. */
static inline void
stream_copy (char *to, const char *from, gsize size, gboolean past)
{
  gsize i = 0;

  if (past)
    for (; i + STREAM_BYTES <= size; i += STREAM_BYTES)
      stream_store (to + i, stream_load ((const float *) (from + i)));
  memcpy (to + i, from + i, size - i);
}
