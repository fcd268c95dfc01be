/* SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

#include "acc-seq/nested/acc-nested-array-private.h"
#include "acc-seq/stream/acc-evaluate-private.h"

#include <acc/acc.h>

/* What the parts of the test of sequences of nested arrays share. */

extern AccBackend *backend, *judge;
/* Compilers of devices take long for each function. */
extern gboolean is_quick;
extern const gint64 steps[4];

#define N_STEPS (is_quick ? 1 : G_N_ELEMENTS (steps))

AccExpr        *i8 (gint64 x);
AccArray       *use (const gint64 *values, gint64 n);
/* [[[1, 2], [3]], [], [[], [4, 5, 6], [7]], [[8]], [[]]] */
AccNestedArray *make_documents (void);
AccSequence    *new_documents (void);
/* Of @n documents; @rank: of what they consist of; @regular: of the same extents. */
AccNestedArray *make_many (gint64 n, guint rank, gboolean regular, guint depth);
AccNestedArray *run_in_steps (AccNestedArray *nested, gint64 step);
void            expect_nested (AccNestedArray *made, const char *expected);
/* Takes over @sequence: all of its elements, and one by one. */
void            expect (AccSequence *sequence, const char *expected);
/* Takes over @sequence. */
void            refuse (AccSequence *sequence, AccError code, const char *words);

AccExpr  *plus (AccExpr *x, AccExpr *y, gpointer data);
AccArray *f_sum (AccArray **a, guint n, gpointer data);
AccArray *f_long (AccArray **a, guint n, gpointer data);
GObject  *reverse (GObject **e, guint n, gpointer data);
GObject  *sums (GObject **e, guint n, gpointer data);
GObject  *has_words (GObject **e, guint n, gpointer data);

void test_producer (void);
void test_program (void);
void test_bits (void);
void test_refused (void);
void test_limit (void);
void test_large (void);
void test_scans (void);
void test_many_scans (void);
void test_random_scans (void);
void test_refused_scans (void);
void test_numbered_zips (void);
