/* SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

#include "acc-core/expr/acc-expr-private.h"

G_BEGIN_DECLS

/* One scalar in a register, in the representation of its kind: signed integers sign-extended, unsigned ones and bool
 * zero-extended, f16 as its 16 bits. */
typedef union {
  gint64  i;
  guint64 u;
  double  d;
  float   f;
  guint16 h;
} InterpScalar;

typedef struct _InterpInstruction InterpInstruction;

typedef void     (*InterpScalarFunc) (InterpScalar *registers, const InterpInstruction *instruction);
/* FALSE: division by zero, or minimum by minus one; the result is written all the same. */
typedef gboolean (*InterpDivideFunc) (InterpScalar *registers, const InterpInstruction *instruction);
typedef void     (*InterpLoadFunc)   (InterpScalar *value, const void *base, gint64 index);
typedef void     (*InterpStoreFunc)  (InterpScalar value, void *base, gint64 index);

/* NULL where the primitive does not accept the kind or is a division. */
InterpScalarFunc interp_scalar_get_primitive (AccPrimitive primitive, AccElementKind kind);
InterpDivideFunc interp_scalar_get_division  (AccPrimitive primitive, AccElementKind kind);
InterpScalarFunc interp_scalar_get_cast      (AccElementKind from, AccElementKind to);
InterpScalarFunc interp_scalar_get_bitcast   (AccElementKind from, AccElementKind to);
InterpLoadFunc   interp_scalar_get_load      (AccElementKind kind);
InterpStoreFunc  interp_scalar_get_store     (AccElementKind kind);
InterpScalar     interp_scalar_from_literal  (AccElementKind kind, AccScalar value);

/* IEEE binary16, rounding half to even. */
double           interp_half_to_double       (guint16 bits);
guint16          interp_half_from_double     (double value);

struct _InterpInstruction {
  guint8  code;
  guint16 count;      /* registers moved, dimensions of an index, leaves of what is read */
  guint32 d, a, b;    /* registers: destination, operands */
  guint32 target;     /* block, jump target, array slot, flag list */
  guint32 extra;
  union {
    InterpScalarFunc scalar;
    InterpDivideFunc divide;
  } u;
};

G_END_DECLS
