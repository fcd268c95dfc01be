/* SPDX-License-Identifier: LGPL-2.1-or-later */

#include "contender.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <time.h>

#define SAMPLES (1 << 20)
#define PATIENCE 0.1    /* seconds */
#define HUGE_PAGE ((gsize) 2 << 20)

static double
now (void)
{
  struct timespec t;

  clock_gettime (CLOCK_MONOTONIC, &t);
  return t.tv_sec + t.tv_nsec * 1e-9;
}

/* --- inputs */

static inline guint32
hash (guint32 index, guint32 seed)
{
  guint32 h = index * 0x9E3779B1u + seed * 0x85EBCA77u;

  h = (h ^ h >> 16) * 0x85EBCA6Bu;
  h = (h ^ h >> 13) * 0xC2B2AE35u;
  return h ^ h >> 16;
}

guint32
contender_hash (guint32 index, guint32 seed)
{
  return hash (index, seed);
}

gpointer
contender_memory (gsize size)
{
  gsize alignment = size >= 2 * HUGE_PAGE ? HUGE_PAGE : 64;
  gsize whole = (MAX (size, 1) + alignment - 1) / alignment * alignment;
  gpointer memory = aligned_alloc (alignment, whole);

  if (memory == NULL)
    {
      fprintf (stderr, "%zu bytes: out of memory\n", (size_t) size);
      exit (1);
    }
#ifdef MADV_HUGEPAGE
  if (alignment == HUGE_PAGE)
    madvise (memory, whole, MADV_HUGEPAGE);
#endif
  memset (memory, 0, size);
  return memory;
}

float *
contender_floats (gsize n, guint32 seed, float low, float high)
{
  float *values = contender_memory (n * sizeof *values);

  for (gsize i = 0; i < n; i++)
    values[i] = low + (high - low) * ((float) (hash (i, seed) >> 8) * 0x1p-24f);
  return values;
}

guint32 *
contender_words (gsize n, guint32 seed, guint32 modulus)
{
  guint32 *values = contender_memory (n * sizeof *values);

  for (gsize i = 0; i < n; i++)
    values[i] = modulus == 0 ? hash (i, seed) : hash (i, seed) % modulus;
  return values;
}

guint8 *
contender_bytes (gsize n, guint32 seed)
{
  guint8 *values = contender_memory (n);

  for (gsize i = 0; i < n; i++)
    values[i] = hash (i, seed) >> 24;
  return values;
}

float *
contender_ones (gsize n, guint32 seed)
{
  float *values = contender_memory (n * sizeof *values);

  for (gsize i = 0; i < n; i++)
    values[i] = hash (i, seed) % 64 == 0;
  return values;
}

gint64 *
contender_skewed (gsize n, gsize *n_segments)
{
  gint64 *offsets = contender_memory ((n + 1) * sizeof *offsets);
  gsize s = 0;

  for (; offsets[s] < (gint64) n; s++)
    {
      guint32 h = hash (s, 0x5E6) | 1 << 20;

      offsets[s + 1] = MIN (offsets[s] + (h & -h), (gint64) n);
    }
  *n_segments = s;
  return offsets;
}

gint64 *
contender_rows (gsize n_rows)
{
  gint64 *offsets = contender_memory ((n_rows + 1) * sizeof *offsets);

  for (gsize r = 0; r < n_rows; r++)
    offsets[r + 1] = offsets[r] + hash (r, 0x5E6) % 33;
  return offsets;
}

/* --- checks */

#define DEFINE_DIGEST(name, type)                                       \
  double                                                                \
  contender_digest_##name (const type *values, gsize n)                 \
  {                                                                     \
    gsize samples = MIN (n, SAMPLES);                                   \
    gsize step = samples > 0 ? n / samples : 1;                         \
    double sum = 0;                                                     \
                                                                        \
    for (gsize k = 0; k < samples; k++)                                 \
      {                                                                 \
        guint32 h = hash (k, 0xD16E57);                                 \
                                                                        \
        sum += (1 + (h >> 24) / 256.) * values[k * step + h % step];    \
      }                                                                 \
    return sum;                                                         \
  }

DEFINE_DIGEST (f4, float)
DEFINE_DIGEST (f8, double)
DEFINE_DIGEST (u1, guint8)
DEFINE_DIGEST (u4, guint32)
DEFINE_DIGEST (i8, gint64)

/* --- the protocol */

static const Work *
find (const Work * const *groups, const char *name)
{
  for (; *groups != NULL; groups++)
    for (const Work *work = *groups; work->name != NULL; work++)
      if (strcmp (work->name, name) == 0)
        return work;
  return NULL;
}

static void
serve (const Work *work, gpointer data)
{
  char line[64];

  while (fgets (line, sizeof line, stdin) != NULL && !g_str_has_prefix (line, "quit"))
    {
      if (g_str_has_prefix (line, "run"))
        {
          int most = MAX (atoi (line + 3), 1), n = 0;
          double start = now ();

          do
            work->run (data);
          while (++n < most && (n % 8 != 0 || now () - start < PATIENCE));
          printf ("%.9g\n", (now () - start) / n);
        }
      else if (g_str_has_prefix (line, "check"))
        printf ("%.17g\n", work->check (data));
      fflush (stdout);
    }
}

int
contender_main (int argc, char **argv, const Work * const *groups)
{
  const Work *work;
  gpointer data;

  if (argc != 3)
    {
      fprintf (stderr, "%s WORK SIZE\n", argv[0]);
      return 2;
    }
  work = find (groups, argv[1]);
  data = work != NULL ? work->prepare (g_ascii_strtoull (argv[2], NULL, 10)) : NULL;
  if (data == NULL)
    {
      printf ("none\n");
      return 0;
    }
  work->run (data);
  printf ("ready\n");
  fflush (stdout);
  serve (work, data);
  work->free (data);
  return 0;
}
