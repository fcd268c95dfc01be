/* SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

#include <acc/acc.h>

#include "acc-core/array/acc-array-private.h"

/* What the conformance tests share. The interpreter is the judge; the backends to judge are named in ACC_TEST_BACKENDS,
 * separated by commas (default: native). A backend that is named and absent fails the test, or skips it where
 * ACC_TEST_OPTIONAL=1 says that the machine need not have the device, unless ACC_TEST_REQUIRE=1 says that it must.
 *
 * Further variables: ACC_TEST_SEED reproduces a random case, ACC_TEST_TEXT=1 takes every program through its text form,
 * ACC_TEST_VARIANT=1 through a GVariant, ACC_TEST_ASYNC=1 runs asynchronously, ACC_TEST_AGAIN=1 runs what has arguments on others, of
 * other extents, before and after, ACC_TEST_REUSE=1 runs it as a graph behind equal ones of other numbers, ACC_TEST_TIGHT=1 runs it with
 * next to no memory first, ACC_TEST_EVERY=3 leaves out two of three cases, ACC_TEST_PART=2/8 takes the third of eight parts of them, for
 * processes side by side, ACC_TEST_EXPECTED is the folder of
 * expected-failures-BACKEND.txt: lines of "pattern: reason", where the pattern is a glob of case names. A case that is listed and passes
 * is a failure, too. ACC_TEST_RESULTS names a file for what became of the cases of each function: docs/generate-pages.py reads it. */

void        conf_init           (int *argc, char ***argv);
int         conf_run            (void);
AccBackend *conf_interpreter    (void);
guint       conf_n_backends     (void);
AccBackend *conf_backend        (guint n);
guint32     conf_seed           (void);
/* ACC_TEST_THOROUGH=0 shortens variants of a test that ran in full elsewhere. */
gboolean    conf_is_thorough    (void);
/* ACC_TEST_THOROUGH=2 does what takes minutes and gigabytes: the suite “slow”. */
gboolean    conf_is_exhaustive  (void);
/* Whether ACC_TEST_EVERY or ACC_TEST_PART leaves the case out: such programs are not compiled. */
gboolean    conf_is_left_out    (const char *name);
/* Whether all backends of the test compute with subnormal f4 and f8. */
gboolean    conf_keeps_subnormals (void);
/* ACC_DISABLE=checks turns them off. */
gboolean    conf_checks_are_on  (void);

/* Element types of the matrix: all scalars, tuples, and packed ones. */
extern const char * const conf_types[];
guint       conf_n_types        (void);
AccElementType *conf_type       (const char *code);

/* --- values */

typedef enum {
  CONF_FULL,      /* anything the type can hold: extremes, NaN, infinities, subnormals */
  CONF_NORMAL,    /* the same, but for those that are subnormal, or whose fourth powers are, where a backend takes these for zero */
  CONF_SMALL,     /* small whole numbers: sums of them are exact in every type */
  CONF_FINITE,    /* floats in -1000 .. 1000, full integers */
} ConfValues;

AccArray   *conf_array          (AccElementType *type, const gint64 *extents, guint rank, GRand *rand, ConfValues values);
/* A scalar array of edge values of the kind, and @extra random ones. */
AccArray   *conf_edge_values    (AccElementKind kind, guint extra, GRand *rand);
guint       conf_n_edge_values  (AccElementKind kind);
/* Where a backend takes denormals for zero: exchanges elements of @arguments, of one array for @one or two for @two, for which the
 * function, or anything that it computes on the way, gives a denormal f4 or f8. What is left must be as it is everywhere. */
void        conf_spare_denormals (AccArray **arguments, AccExprFunc one, AccExprFunc2 two, gpointer data);
AccArray   *conf_ints           (const char *code, const gint64 *extents, guint rank, const gint64 *values);
AccArray   *conf_floats         (const char *code, const gint64 *extents, guint rank, const double *values);
#define CONF_INTS1(code, ...) \
  conf_ints (code, (gint64[]) { G_N_ELEMENTS (((gint64[]) { __VA_ARGS__ })) }, 1, (gint64[]) { __VA_ARGS__ })
#define CONF_INTS2(code, rows, columns, ...) \
  conf_ints (code, (gint64[]) { rows, columns }, 2, (gint64[]) { __VA_ARGS__ })
#define CONF_FLOATS1(code, ...) \
  conf_floats (code, (gint64[]) { G_N_ELEMENTS (((double[]) { __VA_ARGS__ })) }, 1, (double[]) { __VA_ARGS__ })

/* Elements of @values from @begin on, as an array of @shape. */
AccArray   *conf_cut            (AccArray *values, gint64 begin, AccShape *shape);
/* The rows of an array, rank 1 or more, as a source; takes it over. */
AccArray   *conf_through_source (AccArray *array);

/* --- comparing */

typedef struct {
  guint    ulps;          /* of the leaf's kind */
  gboolean zeros_equal;   /* -0 and +0 */
  double   absolute;      /* or nearer than this */
} ConfTolerance;

#define CONF_EXACT ((ConfTolerance) { 0, FALSE, 0 })

/* NULL, or what differs. NaN equals NaN. */
char       *conf_compare        (AccArray *expected, AccArray *actual, ConfTolerance tolerance);

/* --- a program, compiled once per backend, run on several arguments */

typedef struct _ConfProgram ConfProgram;

ConfProgram *conf_program_new   (const char *name, AccProgram *program /* (transfer full) */);
/* Takes over the arguments. Compares every backend with the interpreter: results, or errors. */
void        conf_program_check  (ConfProgram *self, AccArray **arguments, guint n_arguments, ConfTolerance tolerance);
void        conf_program_free   (ConfProgram *self);
G_DEFINE_AUTOPTR_CLEANUP_FUNC (ConfProgram, conf_program_free)

/* --- single arrays, and hand-worked values: on the interpreter and all backends. They take over @array. Integers of u8 are
 * given by their bits. */

/* What the test itself judges: @result, or NULL and @error. */
typedef void (*ConfResultFunc) (const char *backend, const char *name, AccArray *result, const GError *error, gpointer data);
void        conf_run_everywhere (const char *name, AccArray *array, ConfResultFunc function, gpointer data);
void        conf_check_array    (const char *name, AccArray *array, ConfTolerance tolerance);
/* @array and @wanted, both taken over, are the same on the interpreter, and @array is the same everywhere. */
void        conf_expect_array   (const char *name, AccArray *array, AccArray *wanted);
void        conf_expect_ints    (const char *name, AccArray *array, const char *shape, guint leaf, guint n, const gint64 *values);
void        conf_expect_floats  (const char *name, AccArray *array, const char *shape, guint leaf, guint n, const double *values);
/* @parts: what the message must contain, NULL-terminated */
void        conf_expect_error   (const char *name, AccArray *array, AccError code, const char * const *parts);
#define CONF_EXPECT_INTS(name, array, shape, ...) \
  conf_expect_ints (name, array, shape, 0, G_N_ELEMENTS (((gint64[]) { __VA_ARGS__ })), (gint64[]) { __VA_ARGS__ })
#define CONF_EXPECT_FLOATS(name, array, shape, ...) \
  conf_expect_floats (name, array, shape, 0, G_N_ELEMENTS (((double[]) { __VA_ARGS__ })), (double[]) { __VA_ARGS__ })
#define CONF_EXPECT_ERROR(name, array, code, ...) \
  conf_expect_error (name, array, code, (const char *[]) { __VA_ARGS__, NULL })

/* Reports a failure of @backend in case @name, unless it is expected. */
void        conf_fail           (const char *backend, const char *name, const char *format, ...) G_GNUC_PRINTF (3, 4);
/* The case passed: complains where it was expected to fail. */
void        conf_pass           (const char *backend, const char *name);
/* The cases that this test judges from now on use @function: "array_take". Calls of public functions say so by themselves. */
void        conf_use            (const char *function);

typedef AccExpr *(*ConfUnary)  (AccExpr *x);
typedef AccExpr *(*ConfBinary) (AccExpr *x, AccExpr *y);

/* --- functions on elements of any type, leaf by leaf */

AccExpr    *conf_mix            (AccExpr *x, gpointer data);
AccExpr    *conf_mix2           (AccExpr *x, AccExpr *y, gpointer data);
AccExpr    *conf_mix3           (AccExpr *x, AccExpr *y, AccExpr *z, gpointer data);
/* Associative, commutative, exact on small values. */
AccExpr    *conf_combine        (AccExpr *x, AccExpr *y, gpointer data);
AccExpr    *conf_neutral        (AccElementType *type);
/* A tuple, complex number or vector like @type, of items. */
AccExpr    *conf_assemble       (AccElementType *type, AccExpr **items);
/* An index whose items are digits, outermost first. */
AccExpr    *conf_decimal        (AccExpr *index, gpointer data);
AccExpr    *conf_plus           (AccExpr *x, AccExpr *y, gpointer data);
AccExpr    *conf_times          (AccExpr *x, AccExpr *y, gpointer data);
AccExpr    *conf_itself         (AccExpr *x, gpointer data);
/* What a function without data gives: a ConfUnary, a ConfBinary. */
AccExpr    *conf_call1          (AccExpr *x, gpointer function);
AccExpr    *conf_call2          (AccExpr *x, AccExpr *y, gpointer function);
/* Of the first and second argument. */
AccExpr    *conf_first          (AccExpr *x, AccExpr *y, gpointer data);
AccExpr    *conf_second         (AccExpr *x, AccExpr *y, gpointer data);
/* An element that depends on all components of the index. */
AccExpr    *conf_from_index     (AccExpr *index, AccElementType *type);
AccExpr    *conf_i64            (gint64 value);
