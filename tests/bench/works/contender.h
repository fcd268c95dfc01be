/* SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

#include <glib.h>

/* A contender of the benchmark table: a program that run-table.py starts as PROGRAM WORK SIZE and asks, line by line.
 *
 *   it says "none" and ends where it has no such work, else "ready", when inputs are made and a first run is over;
 *   to "run N" it says the seconds that one of at most N runs, one after the other, took on average: no more are begun when
 *   a tenth of a second is over;
 *   to "check" it says a number that all contenders of a work agree about;
 *   "quit", or the end of its input, ends it.
 *
 * How many threads it may use is in the environment and in its affinity. contender.py is the same for Python. */

typedef struct {
  const char *name;
  gpointer  (*prepare) (gsize size);       /* NULL: not in this size */
  void      (*run)     (gpointer data);
  double    (*check)   (gpointer data);    /* of what the last run left */
  void      (*free)    (gpointer data);
} Work;

/* @groups: NULL-terminated; of works that end with one without a name. */
int      contender_main    (int argc, char **argv, const Work * const *groups);

/* --- inputs: the same for all contenders, by a hash of the index, so that no files need to be shipped */

/* The finaliser of MurmurHash3 of @index * 0x9E3779B1 + @seed * 0x85EBCA77. */
guint32  contender_hash    (guint32 index, guint32 seed);

/* Numbers at least @low and below @high: @low + (@high - @low) * (hash >> 8) / 2^24, in float. For free(). */
float   *contender_floats  (gsize n, guint32 seed, float low, float high);
/* Hashes modulo @modulus; 0: the whole hash. For free(). */
guint32 *contender_words   (gsize n, guint32 seed, guint32 modulus);
guint8  *contender_bytes   (gsize n, guint32 seed);
/* One in 64 is 1, the others are 0: sums of them are exact in float, in whatever order. */
float   *contender_ones    (gsize n, guint32 seed);
/* Where segments of @n elements begin, and where the last ends: their lengths are powers of two up to 2^20, each half as often
 * as the one before, so that each takes about as many elements. */
gint64  *contender_skewed  (gsize n, gsize *n_segments);
/* Where the rows of a sparse matrix begin, and where the last ends: 0 to 32 elements each. */
gint64  *contender_rows    (gsize n_rows);
/* @size bytes on a boundary of 64, in huge pages where there are, every page touched. For free(). */
gpointer contender_memory  (gsize size);

/* --- checks: a weighted sum of at most 2^20 elements, spread all over; all contenders take the same ones. */

double   contender_digest_f4 (const float *values, gsize n);
double   contender_digest_f8 (const double *values, gsize n);
double   contender_digest_u1 (const guint8 *values, gsize n);
double   contender_digest_u4 (const guint32 *values, gsize n);
double   contender_digest_i8 (const gint64 *values, gsize n);
