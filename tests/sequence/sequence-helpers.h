/* SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

#include <acc/acc.h>

/* What the parts of the test of sequences share. */

extern AccBackend *backend, *judge;
/* Compilers of devices take long for each function and shape. */
extern gboolean is_quick;

/* Elements in a step; 0: as many as the walk likes. */
#define N_ALL_STEPS 6
extern const gint64 steps[N_ALL_STEPS];
#define N_STEPS (is_quick ? 2 : N_ALL_STEPS)

/* --- elements */

AccExpr  *i8 (gint64 x);
AccArray *use (AccShape *shape, const gint64 *values);
AccArray *zero (void);
GPtrArray *new_list (void);
GPtrArray *make_elements (gint64 n, guint rank, gboolean same);
AccArray *run (AccBackend *b, AccArray *array);
gboolean  same_array (AccArray *a, AccArray *b);
/* Its values, one after the other. */
char     *print (AccArray *array);
/* That each of @arrays comes to what @expected prints, and has its rank, in steps of any size. */
void      expect_results (AccArray **arrays, guint n_arrays, const char **expected);
/* That @words are in the error with @code. */
void      expect_error (AccArray *array, gint64 step, AccError code, const char *words);

/* --- a producer of some at a time */

#define TEST_TYPE_PRODUCER (test_producer_get_type ())
G_DECLARE_FINAL_TYPE (TestProducer, test_producer, TEST, PRODUCER, AccSequenceProducer)

struct _TestProducer {
  AccSequenceProducer parent_instance;

  GPtrArray *elements;
  guint      next;
  guint      at_most;
  guint      fails_at;
};

AccSequence *new_produced (GPtrArray *elements, guint rank, guint at_most, guint fails_at);

/* --- functions */

AccExpr  *plus (AccExpr *x, AccExpr *y, gpointer data);
AccExpr  *times (AccExpr *x, AccExpr *y, gpointer data);
AccExpr  *doubled (AccExpr *x, gpointer data);
AccExpr  *plus_the (AccExpr *x, gpointer number);
AccArray *flat_sum (AccArray *a);
AccArray *f_sum (AccArray **a, guint n, gpointer data);
AccArray *f_flat (AccArray **a, guint n, gpointer data);
AccArray *f_positive (AccArray **a, guint n, gpointer data);
AccArray *f_join (AccArray **a, guint n, gpointer data);
AccArray *f_state (AccArray **a, guint n, gpointer data);
AccArray *f_add (AccArray **a, guint n, gpointer data);
AccArray *f_times (AccArray **a, guint n, gpointer data);

/* --- operations on sequences, and the same in plain loops over elements */

typedef struct {
  const char *name;
  AccSequence *(*build) (AccSequence *sequence);
  GPtrArray *(*loop) (GPtrArray *elements);
} SequenceCase;

extern const SequenceCase cases[];
extern const guint n_cases;

/* --- tests, which main adds */

void test_fold_bits (void);
void test_fold_again (void);
void test_fold_exact (void);
void test_fold_rows (void);
void test_endless (void);
void test_known_counts (void);
void test_captured (void);
void test_batches (void);
void test_uneven_batches (void);
void test_nested_batches (void);

void test_map_batches (void);
void test_map_batches_bits (void);
void test_map_batches_refused (void);

void add_failures (void);

void test_errors (void);
void test_fold_errors (void);
void test_cancel (void);
void test_open (void);
void test_write_each (void);
void test_async (void);
void test_shared (void);
void test_refused (void);
void test_limit (void);
void test_limit_between (void);
void test_limit_rows (void);
void test_gathers (void);
void test_plan (void);
void test_cancel_walk (void);
