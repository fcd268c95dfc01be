/* SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

#include "acc-stablehlo.h"

/* Writes StableHLO text, operation by operation. A value is the name that it has in the text ("%v12"), and lives as long as the writer.
 * What fails sticks: later calls go on writing, and the text is not used. */

typedef const char *AccHloValue;

/* Of a tensor; the extents are borrowed. */
typedef struct {
  guint         rank;
  const gint64 *extents;
} AccHloShape;

/* The same integers as a value of a wider type. */
typedef struct {
  AccHloValue    value;
  AccElementKind kind;
} AccHloWidened;

#define ACC_HLO_SCALAR ((AccHloShape) { 0, NULL })

typedef struct _AccHlo AccHlo;

struct _AccHlo {
  GString        *text;         /* of the block that is being written */
  GString        *outermost;    /* the block around all others */
  GHashTable     *emitted;      /* operations there, as text, to AccHloValue */
  GStringChunk   *names;
  guint           n_names;
  GError         *error;

  AccFusionGraph *graph;
  GHashTable     *values;       /* AccFusionNode to AccHloValue *, one for each leaf */
  GHashTable     *needed;       /* AccFusionNode: those whose elements are read */
  GHashTable     *ranges;       /* AccHloValue to AccHloRange: those of which it is known */
  GHashTable     *widened;      /* AccHloValue of integers to the AccHloWidened that it is made of */
  AccHloModule   *module;
  AccArray       *origin;       /* the operation that is being written */
  GHashTable     *lengths;      /* AccFusionNode to AccHloLength: those whose leading extent is rounded up */
  GPtrArray      *length_names; /* AccHloValue, an i64: of the module's lengths */

  AccHloValue     zero;         /* an i32 that is 0 in every run, which no compiler knows */
  AccHloValue     failure;      /* an i32: 1 + the number of the first check that failed; 0: none */
  AccHloValue     failed_index; /* an i64 */
  GHashTable     *noted;        /* AccHloValue: of the outermost block, after which a failure is one already */
  gboolean        has_checks;
  gboolean        fast_math;
  gboolean        keeps_order;  /* reduces and scatters take elements in order */
  gboolean        is_rough, stores_gathered, mixes_rows;   /* as AccHloOptions has them */
  gboolean        is_export;
};

/* Bytes of an array in memory that may be part of a text. */
#define ACC_HLO_MOST_CONSTANT (64u << 20)

/* --- names and types */

AccHloValue  acc_hlo_name    (AccHlo *self);
const char  *acc_hlo_type    (AccHlo *self, AccHloShape shape, AccElementKind kind);
/* Of complex numbers with parts of @kind. */
const char  *acc_hlo_complex_type (AccHlo *self, AccHloShape shape, AccElementKind kind);
/* A line "NAME = …", unless the same has a name. */
AccHloValue  acc_hlo_emit    (AccHlo *self, const char *format, ...) G_GNUC_PRINTF (2, 3);
/* The same of an operation of @n values, "NAME:n = …". */
void         acc_hlo_emit_parts (AccHlo *self, guint n, AccHloValue *results, const char *format, ...) G_GNUC_PRINTF (4, 5);
void         acc_hlo_line    (AccHlo *self, const char *format, ...) G_GNUC_PRINTF (2, 3);
/* The operation that is being written cannot be: @reason names what. */
void         acc_hlo_refuse  (AccHlo *self, const char *format, ...) G_GNUC_PRINTF (2, 3);
gint64       acc_hlo_count   (AccHloShape shape);
char        *acc_hlo_join    (const gint64 *numbers, guint n);

/* --- operations on tensors of one shape */

AccHloValue  acc_hlo_unary    (AccHlo *self, const char *operation, AccHloValue x, AccHloShape shape, AccElementKind kind);
AccHloValue  acc_hlo_binary   (AccHlo *self, const char *operation, AccHloValue x, AccHloValue y, AccHloShape shape,
                               AccElementKind kind);
/* "LT", "LE", "GT", "GE", "EQ", "NE" */
AccHloValue  acc_hlo_compare  (AccHlo *self, const char *direction, AccHloValue x, AccHloValue y, AccHloShape shape,
                               AccElementKind kind);
/* Where both are true; @a: NULL: all. */
AccHloValue  acc_hlo_join_masks (AccHlo *self, AccHloValue a, AccHloValue b, AccHloShape shape);
AccHloValue  acc_hlo_select   (AccHlo *self, AccHloValue condition, AccHloValue x, AccHloValue y, AccHloShape shape,
                               AccElementKind kind);
AccHloValue  acc_hlo_convert  (AccHlo *self, AccHloValue x, AccHloShape shape, AccElementKind from, AccElementKind to);
AccHloValue  acc_hlo_bitcast  (AccHlo *self, AccHloValue x, AccHloShape shape, AccElementKind from, AccElementKind to);
AccHloValue  acc_hlo_constant (AccHlo *self, AccHloShape shape, AccElementKind kind, AccScalar value);
AccHloValue  acc_hlo_integer  (AccHlo *self, AccHloShape shape, AccElementKind kind, gint64 value);
AccHloValue  acc_hlo_iota     (AccHlo *self, AccHloShape shape, guint dimension, AccElementKind kind);

/* --- other shapes */

AccHloValue  acc_hlo_reshape   (AccHlo *self, AccHloValue x, AccHloShape from, AccHloShape to, AccElementKind kind);
/* @dimensions: of @to, one for each of @from. */
AccHloValue  acc_hlo_broadcast (AccHlo *self, AccHloValue x, AccHloShape from, const gint64 *dimensions, AccHloShape to,
                                AccElementKind kind);
/* Dimension @order[d] becomes dimension d. */
AccHloValue  acc_hlo_transpose (AccHlo *self, AccHloValue x, AccHloShape from, const gint64 *order, AccHloShape to, AccElementKind kind);
/* Of one element to all. */
AccHloValue  acc_hlo_spread    (AccHlo *self, AccHloValue x, AccHloShape to, AccElementKind kind);
/* [@begin, @begin + the extents of @to) */
AccHloValue  acc_hlo_slice     (AccHlo *self, AccHloValue x, AccHloShape from, const gint64 *begin, AccHloShape to, AccElementKind kind);
/* The low corner of @x as far as it goes, and zeros behind. */
AccHloValue  acc_hlo_fit       (AccHlo *self, AccHloValue x, AccHloShape from, AccHloShape to, AccElementKind kind);
/* In one dimension, and all of the others. */
AccHloValue  acc_hlo_slice_in  (AccHlo *self, AccHloValue x, AccHloShape from, guint dimension, gint64 begin, gint64 length,
                                AccElementKind kind);
/* @low and @high: an entry for each dimension; @fill: a scalar. */
AccHloValue  acc_hlo_pad       (AccHlo *self, AccHloValue x, AccHloShape from, const gint64 *low, const gint64 *high, AccHloValue fill,
                                AccElementKind kind);
AccHloValue  acc_hlo_concatenate (AccHlo *self, const AccHloValue *parts, const gint64 *lengths, guint n, guint dimension,
                                  AccHloShape shape, AccElementKind kind);
/* Whether any element is true: a scalar. */
AccHloValue  acc_hlo_any       (AccHlo *self, AccHloValue x, AccHloShape shape);
/* @operation of all elements: a scalar. */
AccHloValue  acc_hlo_reduce_all (AccHlo *self, const char *operation, AccHloValue x, AccHloValue initial, AccHloShape shape,
                                 AccElementKind kind);

/* --- loops */

/* Values that go through a loop, of which it makes those after it. */
typedef struct {
  guint        n;
  AccHloValue *values;
  const char **types;
} AccHloCarry;

typedef AccHloValue (*AccHloCondition) (AccHlo *self, const AccHloValue *values, gpointer data);
/* Replaces the values by those of the next iteration. */
typedef void        (*AccHloBody)      (AccHlo *self, AccHloValue *values, gpointer data);

void         acc_hlo_while     (AccHlo *self, AccHloCarry *carry, AccHloCondition condition, AccHloBody body, gpointer data);
/* Once for each number from the first value, an i64, up to @end; @body leaves that one as it is. */
void         acc_hlo_count_up  (AccHlo *self, gint64 end, AccHloCarry *carry, AccHloBody body, gpointer data);
