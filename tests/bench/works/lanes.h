/* SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

#include "stream.h"

#include <math.h>

/* What vectors of floats have no operators for; masks are 0 or -1 in each lane. */

static inline StreamI4
lanes_choose_i4 (StreamI4 mask, StreamI4 yes, StreamI4 no)
{
#if defined (__AVX512F__)
  return (StreamI4) _mm512_mask_blend_epi32 (_mm512_movepi32_mask ((__m512i) mask), (__m512i) no, (__m512i) yes);
#elif defined (__AVX__)
  return (StreamI4) _mm256_blendv_ps ((__m256) no, (__m256) yes, (__m256) mask);
#else
  return (mask & yes) | (~mask & no);
#endif
}

static inline StreamF4
lanes_choose (StreamI4 mask, StreamF4 yes, StreamF4 no)
{
  return (StreamF4) lanes_choose_i4 (mask, (StreamI4) yes, (StreamI4) no);
}

static inline gboolean
lanes_any (StreamI4 mask)
{
#if defined (__AVX512F__)
  return _mm512_test_epi32_mask ((__m512i) mask, (__m512i) mask) != 0;
#elif defined (__AVX__)
  return _mm256_movemask_ps ((__m256) mask) != 0;
#else
  gint32 found = 0;

  for (gsize i = 0; i < STREAM_LANES; i++)
    found |= mask[i];
  return found != 0;
#endif
}

static inline StreamF4
lanes_min (StreamF4 a, StreamF4 b)
{
#if defined (__AVX512F__)
  return (StreamF4) _mm512_min_ps ((__m512) a, (__m512) b);
#elif defined (__AVX__)
  return (StreamF4) _mm256_min_ps ((__m256) a, (__m256) b);
#else
  return lanes_choose (a < b, a, b);
#endif
}

static inline StreamF4
lanes_max (StreamF4 a, StreamF4 b)
{
  return -lanes_min (-a, -b);
}

static inline StreamF4
lanes_sqrt (StreamF4 x)
{
#if defined (__AVX512F__)
  return (StreamF4) _mm512_sqrt_ps ((__m512) x);
#elif defined (__AVX__)
  return (StreamF4) _mm256_sqrt_ps ((__m256) x);
#else
  for (gsize i = 0; i < STREAM_LANES; i++)
    x[i] = sqrtf (x[i]);
  return x;
#endif
}

/* 1 / sqrt x, to 2 units in the last place */
static inline StreamF4
lanes_reciprocal_root (StreamF4 x)
{
#if defined (__AVX512F__)
  StreamF4 y = (StreamF4) _mm512_rsqrt14_ps ((__m512) x);
#elif defined (__AVX__)
  StreamF4 y = (StreamF4) _mm256_rsqrt_ps ((__m256) x);
#else
  StreamF4 y = 1 / lanes_sqrt (x);
#endif

  return y * (1.5f - 0.5f * x * y * y);
}
