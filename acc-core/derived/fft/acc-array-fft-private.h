/* SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

#include "acc-array-fft.h"

/* Functions of elements take extents from arrays, not from numbers that are known: so one kernel serves all of them.
 *
 * Complex numbers as pairs of floats, (re, im), in an array of rank 3; transforms go along the dimension in the middle. */
typedef struct {
  gint64          outer, n, inner;
  AccElementType *type;              /* of the floats */
  gboolean        apart;             /* AccTransformPayload.apart, of what is done directly */
} AccFft;

/* The forward transform, unnormalised, of @n elements of any number but 0. */
AccArray *acc_fft_transform     (const AccFft *self, AccArray *pairs);
/* The same where acc_fft_is_smooth(). */
AccArray *acc_fft_run_passes    (const AccFft *self, AccArray *pairs);
AccArray *acc_fft_run_two_steps (const AccFft *self, AccArray *pairs);
/* The same for any @n less than 2^31. */
AccArray *acc_fft_convolve      (const AccFft *self, AccArray *pairs);

/* The least of 2^a 3^b 5^c that is not less than @least. */
gint64    acc_fft_find_size     (gint64 least);

/* The transform, unnormalised, of an array of any rank of complex numbers or pairs along @dimension, by operations for those who have a
 * skeleton of them (direct in acc-array-private.h); NULL where there are none for its extent. @apart: as AccTransformPayload has it. */
AccArray *acc_fft_run_directly  (AccArray *self, guint dimension, AccElementType *type, gboolean reverse, gboolean apart);

/* The transform, unnormalised, of complex numbers of f4 or f8 along @n_dimensions dimensions with @n_after after them, which there is a
 * name of (acc_foreign_get_transform_name()), for an array of known extents: itself where it is empty. @by_library: a
 * backend's routine may do it, else acc's own operation or passes, whose bits do not follow from the number of rows. */
AccArray *acc_fft_transform_array (AccArray *numbers, guint n_dimensions, guint n_after, gboolean forward, gboolean by_library);

/* The same along the innermost dimensions, for extents that are known only when it runs. @type: of the floats. */
AccArray *acc_fft_run_loop        (AccArray *numbers, guint n_dimensions, AccElementType *type, gboolean forward);

/* Lines of a power of two numbers each, which are parts of a vector. */
#define ACC_FFT_LINE_BITS 6
typedef struct {
  AccElementType *type;      /* of the floats */
  AccArray       *codes;     /* i8 for each number: its place in its line, shifted by so many bits, and the logarithm of the line's
                              * length */
  AccArray       *steps;     /* i8 for each number: how far those of its line lie apart; NULL: they are neighbours */
  AccArray       *longest;   /* an i8: the length of the longest line, 1 at least */
} AccFftLines;

/* Cyclic convolutions of the lines of @numbers with those of @kernel, times their lengths. */
AccArray *acc_fft_convolve_lines  (const AccFftLines *self, AccArray *numbers, AccArray *kernel);

/* Has no prime factors that there is no pass for. */
gboolean  acc_fft_is_smooth     (gint64 n);

/* Whether there is a transform of @self along @dimension and those before it, @n_dimensions in all, from *@first on; else @node says. */
gboolean  acc_fft_check         (AccArray *node, const char *operation, AccArray *self, gint dimension, guint n_dimensions, guint *first);

/* Twiddle factors between the transforms of a matrix of n elements along its columns and its rows: products of two of few roots of 1, each
 * exact to the last place of f8. */
typedef struct {
  AccElementType *type;           /* of the floats they are rounded to */
  AccArray       *coarse, *fine;  /* owned: roots, and every 1 << bits-th of them */
  guint           bits;
} AccFftTurns;

/* @matrix: outer, and two dimensions of n elements. */
void      acc_fft_turns_init    (AccFftTurns *self, AccElementType *type, AccArray *matrix, gint64 n);
void      acc_fft_turns_clear   (AccFftTurns *self);
/* The pair for @row times @column. */
AccExpr  *acc_fft_turns_get     (const AccFftTurns *self, AccExpr *row, AccExpr *column);

G_DEFINE_AUTO_CLEANUP_CLEAR_FUNC (AccFftTurns, acc_fft_turns_clear)

AccArray *acc_fft_generate3     (gint64 outer, gint64 n, gint64 inner, AccExprFunc element, gpointer user_data);
/* exp (-2πi @turns / @n) as a pair of f8; @turns from 0 to @n - 1. */
AccExpr  *acc_fft_root          (AccExpr *turns, AccExpr *n);
/* The first @count of the @n roots of 1 as pairs of @type. It depends on no other array: all elements that something is lifted for share
 * it. */
AccArray *acc_fft_new_roots     (AccElementType *type, gint64 n, gint64 count);
/* A complex number as a pair, a pair as a complex number, and the pair of the conjugate. */
AccExpr  *acc_fft_pair          (AccExpr *number);
AccExpr  *acc_fft_number        (AccExpr *pair);
AccExpr  *acc_fft_conjugate     (AccExpr *pair);
/* A pair as one of floats of @type, and the product of two of the same type. */
AccExpr  *acc_fft_cast          (AccExpr *pair, AccElementType *type);
AccExpr  *acc_fft_mul           (AccExpr *x, AccExpr *y);
