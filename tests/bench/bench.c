/* SPDX-License-Identifier: LGPL-2.1-or-later */

#include "bench.h"

#include <omp.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#if defined (__AVX512F__) || defined (__AVX__)
# include <immintrin.h>
#endif

static double first_rate;

double
bench_now (void)
{
  struct timespec t;

  clock_gettime (CLOCK_MONOTONIC, &t);
  return t.tv_sec + t.tv_nsec * 1e-9;
}

static int
compare_doubles (const void *a, const void *b)
{
  double x = *(const double *) a, y = *(const double *) b;

  return (x > y) - (x < y);
}

double
bench_median (double *values, guint n)
{
  qsort (values, n, sizeof *values, compare_doubles);
  return n % 2 ? values[n / 2] : (values[n / 2 - 1] + values[n / 2]) / 2;
}

static void
copy (char *to, const char *from, gsize size)
{
#pragma omp parallel
  {
    gsize part = size / omp_get_num_threads () / 64 * 64;
    gsize begin = part * omp_get_thread_num ();
    gsize end = omp_get_thread_num () == omp_get_num_threads () - 1 ? size : begin + part;

#if defined (__AVX512F__)
    for (gsize i = begin; i + 64 <= end; i += 64)
      _mm512_stream_si512 ((void *) (to + i), _mm512_load_si512 ((const void *) (from + i)));
    _mm_sfence ();
#elif defined (__AVX__)
    for (gsize i = begin; i + 32 <= end; i += 32)
      _mm256_stream_si256 ((void *) (to + i), _mm256_load_si256 ((const void *) (from + i)));
    _mm_sfence ();
#else
    memcpy (to + begin, from + begin, end - begin);
#endif
  }
}

double
bench_copy_rate (void)
{
  const gsize size = (gsize) 256 << 20;
  char *from = aligned_alloc (64, size), *to = aligned_alloc (64, size);
  double times[7];

  memset (from, 1, size);
  memset (to, 2, size);
  for (guint i = 0; i < G_N_ELEMENTS (times); i++)
    {
      double start = bench_now ();
      copy (to, from, size);
      times[i] = bench_now () - start;
    }
  free (from);
  free (to);
  return 2. * size / bench_median (times, G_N_ELEMENTS (times));
}

void
bench_begin (const char *title)
{
  first_rate = bench_copy_rate ();
  printf ("# %s\n# copy of 256 MiB, %d threads: %.1f GB/s read and written\n", title, omp_get_max_threads (), first_rate / 1e9);
}

void
bench_end (void)
{
  double rate = bench_copy_rate ();

  printf ("# copy afterwards: %.1f GB/s (%+.0f %%)\n", rate / 1e9, (rate / first_rate - 1) * 100);
}

void
bench_compare (const char *work, const BenchContender *contenders, guint n, guint rounds, double bytes)
{
  g_autofree double *times = g_new (double, n * rounds);
  double limit = bytes / bench_copy_rate ();
  double first = 0;

  for (guint c = 0; c < n; c++)
    contenders[c].run (contenders[c].data);

  for (guint r = 0; r < rounds; r++)
    for (guint c = 0; c < n; c++)
      {
        double start = bench_now ();
        contenders[c].run (contenders[c].data);
        times[c * rounds + r] = bench_now () - start;
      }

  printf ("%-28s", work);
  for (guint c = 0; c < n; c++)
    {
      double median = bench_median (times + c * rounds, rounds);

      if (c == 0)
        first = median;
      printf ("  %s %.2f ms", contenders[c].name, median * 1e3);
      if (c > 0)
        printf (" (acc is %.2f×)", median / first);
    }
  if (bytes > 0)
    printf ("  limit %.2f ms (acc reaches %.2f)", limit * 1e3, limit / first);
  printf ("\n");

  for (guint c = 0; c < n; c++)
    printf ("{\"work\": \"%s\", \"contender\": \"%s\", \"seconds\": %.6f, \"limit\": %.6f}\n", work, contenders[c].name,
            bench_median (times + c * rounds, rounds), limit);
  fflush (stdout);
}

/* Three digits and the unit that suits. */
static const char *
format_time (double seconds, char text[16])
{
  static const struct { double unit; const char *name; } units[] = { { 1, "s" }, { 1e-3, "ms" }, { 1e-6, "µs" }, { 0, "ns" } };
  guint u = 0;

  while (seconds < units[u].unit)
    u++;
  seconds /= units[u].unit > 0 ? units[u].unit : 1e-9;
  g_snprintf (text, 16, "%.*f %s", seconds < 10 ? 2 : seconds < 100 ? 1 : 0, seconds, units[u].name);

  return text;
}

void
bench_report (const char *work, double *times, guint n, double target)
{
  char middle[16], least[16], greatest[16], wanted[16];
  double median = bench_median (times, n);

  printf ("%-46s %10s  (%s to %s, %u times)", work, format_time (median, middle), format_time (times[0], least),
          format_time (times[n - 1], greatest), n);
  if (target > 0)
    printf ("  target %s", format_time (target, wanted));
  printf ("\n{\"work\": \"%s\", \"seconds\": %.9f, \"least\": %.9f, \"target\": %.9f}\n", work, median, times[0], target);
  fflush (stdout);
}
