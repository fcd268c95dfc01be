/* SPDX-License-Identifier: LGPL-2.1-or-later */

/* Bits of integers, and of b1, which has one. */

#include "acc-expr-derive-private.h"

static gboolean
is_b1 (AccExpr *expr)
{
  return expr != NULL && expr->type != NULL && _acc_expr_is_bool (expr);
}

static AccExpr *
build_shift (AccExpr **args)
{
  if (!_acc_expr_is_integer (args[1]))
    return _acc_expr_needs ("shift", "an integer amount", args[1]);
  return acc_expr_cond (acc_expr_eq (args[1], INT (0)), args[0], acc_expr_new_bool (FALSE));
}

static AccExpr *
build_rotate (AccExpr **args)
{
  if (!_acc_expr_is_integer (args[1]))
    return _acc_expr_needs ("rotate", "an integer amount", args[1]);
  return _acc_expr_float (acc_expr_ref (args[0]));
}

static AccExpr *
build_ones (AccExpr **args)
{
  return acc_expr_cast (args[0], acc_index_type (1));
}

static AccExpr *
build_zeros (AccExpr **args)
{
  return acc_expr_cast (acc_expr_bnot (args[0]), acc_index_type (1));
}

static AccExpr *
shift (AccPrimitive  primitive,
       AccExpr      *a,
       AccExpr      *b)
{
  if (is_b1 (a))
    return _acc_expr_derive (acc_primitive_get_info (primitive)->name, a, b, 2, FALSE, build_shift);
  /* Amounts become i8, where the upper half of u8 is negative. */
  if (b != NULL && b->type == acc_element_type_new (ACC_KIND_U64))
    b = acc_expr_min (b, INT (G_MAXINT8));
  return _acc_expr_binary (primitive, a, b);
}

static AccExpr *
rotate (AccPrimitive  primitive,
        AccExpr      *a,
        AccExpr      *b)
{
  if (is_b1 (a))
    return _acc_expr_derive (acc_primitive_get_info (primitive)->name, a, b, 2, FALSE, build_rotate);
  return _acc_expr_binary (primitive, a, b);
}

static AccExpr *
count (AccPrimitive  primitive,
       AccExpr      *a)
{
  if (is_b1 (a))
    return _acc_expr_derive (acc_primitive_get_info (primitive)->name, a, NULL, 1, FALSE,
                             primitive == ACC_PRIM_POPCOUNT ? build_ones : build_zeros);
  return _acc_expr_unary (primitive, a);
}

/**
 * acc_expr_band:
 * @a: an integer, a b1 (of width 1), or a vector of these
 * @b: one of the same type
 *
 * Computes the bitwise and of two values; for b1, their logical and.
 *
 * Both sides are evaluated.
 *
 * ```c
 * // a = 12, b = 10
 * AccExpr *result = acc_expr_band (a, b); // → 8
 * ```
 *
 * Returns: (transfer none): the bitwise and, of the type of @a
 */
AccExpr *
acc_expr_band (AccExpr *a,
               AccExpr *b)
{
  return _acc_expr_binary (ACC_PRIM_BAND, a, b);
}

/**
 * acc_expr_bor:
 * @a: an integer, a b1 (of width 1), or a vector of these
 * @b: one of the same type
 *
 * Computes the bitwise or of two values; for b1, their logical or.
 *
 * Both sides are evaluated.
 *
 * ```c
 * // a = 12, b = 10
 * AccExpr *result = acc_expr_bor (a, b); // → 14
 * ```
 *
 * Returns: (transfer none): the bitwise or, of the type of @a
 */
AccExpr *
acc_expr_bor (AccExpr *a,
              AccExpr *b)
{
  return _acc_expr_binary (ACC_PRIM_BOR, a, b);
}

/**
 * acc_expr_bxor:
 * @a: an integer, a b1 (of width 1), or a vector of these
 * @b: one of the same type
 *
 * Computes the bitwise exclusive or of two values.
 *
 * ```c
 * // a = 12, b = 10
 * AccExpr *result = acc_expr_bxor (a, b); // → 6
 * ```
 *
 * Returns: (transfer none): the bitwise exclusive or, of the type of @a
 */
AccExpr *
acc_expr_bxor (AccExpr *a,
               AccExpr *b)
{
  return _acc_expr_binary (ACC_PRIM_BXOR, a, b);
}

/**
 * acc_expr_bnot:
 * @a: an integer, a b1 (of width 1), or a vector of these
 *
 * Inverts every bit of a value; for b1, computes its logical not.
 *
 * ```c
 * // a = 0
 * AccExpr *result = acc_expr_bnot (a); // → -1
 * ```
 *
 * Returns: (transfer none): the bitwise complement, of the type of @a
 */
AccExpr *
acc_expr_bnot (AccExpr *a)
{
  return _acc_expr_unary (ACC_PRIM_BNOT, a);
}

/**
 * acc_expr_shl:
 * @a: an integer, a b1 (of width 1), or a vector of integers
 * @b: the number of bits, an integer
 *
 * Shifts bits to the left.
 *
 * @b may be any integer: a negative one shifts to the right, and one beyond the width gives 0. Operands of other types give an
 * expression with %ACC_ERROR_TYPE.
 *
 * ```c
 * // a = 5, b = 2
 * AccExpr *result = acc_expr_shl (a, b); // → 20
 * ```
 *
 * Returns: (transfer none): the shifted value, of the type of @a
 */
AccExpr *
acc_expr_shl (AccExpr *a,
              AccExpr *b)
{
  return shift (ACC_PRIM_SHL, a, b);
}

/**
 * acc_expr_shr:
 * @a: an integer, a b1 (of width 1), or a vector of integers
 * @b: the number of bits, an integer
 *
 * Shifts bits to the right; signed values keep their sign.
 *
 * @b may be any integer: a negative one shifts to the left, and one beyond the width gives 0 or sign bits. Operands of other types
 * give an expression with %ACC_ERROR_TYPE.
 *
 * ```c
 * // a = -5, b = 1
 * AccExpr *result = acc_expr_shr (a, b); // → -3
 * ```
 *
 * Returns: (transfer none): the shifted value, of the type of @a
 */
AccExpr *
acc_expr_shr (AccExpr *a,
              AccExpr *b)
{
  return shift (ACC_PRIM_SHR, a, b);
}

/**
 * acc_expr_rotl:
 * @a: an integer, a b1 (of width 1), or a vector of integers
 * @b: the number of bits, an integer, taken modulo the width
 *
 * Rotates bits to the left.
 *
 * ```c
 * // a = 129 of u1, b = 1 of u1
 * AccExpr *result = acc_expr_rotl (a, b); // → 3
 * ```
 *
 * Returns: (transfer none): the rotated value, of the type of @a
 */
AccExpr *
acc_expr_rotl (AccExpr *a,
               AccExpr *b)
{
  return rotate (ACC_PRIM_ROTL, a, b);
}

/**
 * acc_expr_rotr:
 * @a: an integer, a b1 (of width 1), or a vector of integers
 * @b: the number of bits, an integer, taken modulo the width
 *
 * Rotates bits to the right.
 *
 * ```c
 * // a = 129 of u1, b = 1 of u1
 * AccExpr *result = acc_expr_rotr (a, b); // → 192
 * ```
 *
 * Returns: (transfer none): the rotated value, of the type of @a
 */
AccExpr *
acc_expr_rotr (AccExpr *a,
               AccExpr *b)
{
  return rotate (ACC_PRIM_ROTR, a, b);
}

/**
 * acc_expr_popcount:
 * @a: an integer, a b1 (of width 1), or a vector of integers
 *
 * Counts the bits that are set.
 *
 * ```c
 * // a = 13
 * AccExpr *result = acc_expr_popcount (a); // → 3
 * ```
 *
 * Returns: (transfer none): the number of bits, an i8; for a vector, a vector of i8
 */
AccExpr *
acc_expr_popcount (AccExpr *a)
{
  return count (ACC_PRIM_POPCOUNT, a);
}

/**
 * acc_expr_clz:
 * @a: an integer, a b1 (of width 1), or a vector of integers
 *
 * Counts the leading zero bits: those above the highest bit that is set.
 *
 * ```c
 * // a = 1 of u1
 * AccExpr *result = acc_expr_clz (a); // → 7
 * ```
 *
 * Returns: (transfer none): the number of bits, an i8, which is the width for 0; for a vector, a vector of i8
 */
AccExpr *
acc_expr_clz (AccExpr *a)
{
  return count (ACC_PRIM_CLZ, a);
}

/**
 * acc_expr_ctz:
 * @a: an integer, a b1 (of width 1), or a vector of integers
 *
 * Counts the trailing zero bits: those below the lowest bit that is set.
 *
 * ```c
 * // a = 12
 * AccExpr *result = acc_expr_ctz (a); // → 2
 * ```
 *
 * Returns: (transfer none): the number of bits, an i8, which is the width for 0; for a vector, a vector of i8
 */
AccExpr *
acc_expr_ctz (AccExpr *a)
{
  return count (ACC_PRIM_CTZ, a);
}

/**
 * acc_expr_bit_size:
 * @a: an integer or a b1 (of width 1)
 *
 * Returns the width of a value's type in bits.
 *
 * ```c
 * // a = 1 of u2
 * AccExpr *result = acc_expr_bit_size (a); // → 16
 * ```
 *
 * Returns: (transfer none): the number of bits, an i8; 1 for a b1
 */
DERIVED1 (bit_size,
  if (_acc_expr_is_bool (a))
    return acc_expr_new_typed_int (acc_index_type (1), 1);
  if (!_acc_expr_is_integer (a))
    return _acc_expr_needs ("bit_size", "an integer or a b1", a);
  return acc_expr_new_typed_int (acc_index_type (1), 8 * acc_element_type_get_size (a->type));
)

static AccExpr *
bit_at (AccExpr *like,
        AccExpr *position)
{
  return acc_expr_shl (acc_expr_new_typed_int (like->type, 1), position);
}

/**
 * acc_expr_test_bit:
 * @a: an integer or a b1
 * @b: a bit position, 0 for the lowest
 *
 * Tells whether a bit is set.
 *
 * Floats give an expression with %ACC_ERROR_TYPE.
 *
 * ```c
 * // a = 5, b = 2
 * AccExpr *result = acc_expr_test_bit (a, b); // → true
 * ```
 *
 * Returns: (transfer none): a b1, true where the bit is set
 */
DERIVED2 (test_bit, FALSE, return acc_expr_ne (acc_expr_band (a, bit_at (a, b)), acc_expr_new_typed_int (a->type, 0)); )

/**
 * acc_expr_set_bit:
 * @a: an integer or a b1
 * @b: a bit position, 0 for the lowest
 *
 * Sets one bit of a value.
 *
 * Floats give an expression with %ACC_ERROR_TYPE.
 *
 * ```c
 * // a = 5, b = 1
 * AccExpr *result = acc_expr_set_bit (a, b); // → 7
 * ```
 *
 * Returns: (transfer none): @a with the bit set
 */
DERIVED2 (set_bit, FALSE, return acc_expr_bor (a, bit_at (a, b)); )

/**
 * acc_expr_clear_bit:
 * @a: an integer or a b1
 * @b: a bit position, 0 for the lowest
 *
 * Clears one bit of a value.
 *
 * Floats give an expression with %ACC_ERROR_TYPE.
 *
 * ```c
 * // a = 5, b = 2
 * AccExpr *result = acc_expr_clear_bit (a, b); // → 1
 * ```
 *
 * Returns: (transfer none): @a with the bit cleared
 */
DERIVED2 (clear_bit, FALSE, return acc_expr_band (a, acc_expr_bnot (bit_at (a, b))); )

/**
 * acc_expr_complement_bit:
 * @a: an integer or a b1
 * @b: a bit position, 0 for the lowest
 *
 * Inverts one bit of a value.
 *
 * Floats give an expression with %ACC_ERROR_TYPE.
 *
 * ```c
 * // a = 5, b = 0
 * AccExpr *result = acc_expr_complement_bit (a, b); // → 4
 * ```
 *
 * Returns: (transfer none): @a with the bit inverted
 */
DERIVED2 (complement_bit, FALSE, return acc_expr_bxor (a, bit_at (a, b)); )
