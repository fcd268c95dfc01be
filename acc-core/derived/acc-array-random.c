/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "acc-array-random.h"

#include <math.h>

#include "acc-core/array/acc-array-build-private.h"
#include "acc-error.h"
#include "acc-core/expr/acc-expr-build-private.h"
#include "acc-core/expr/acc-numbering-private.h"

/* Element i of a stream is a part of what acc_expr_philox() makes of a counter, whose lower half numbers the blocks of 128 bits and whose
 * upper half is the stream; the key is the seed. An element of 64 bits is half a block, a smaller one a quarter.
 *
 * In a function of elements of nested arrays or sequences block number k is the seed and the stream of element k. A block is a permutation
 * of its counter, so that no two elements, of one stream or of several, share both. */

typedef struct {
  AccElementType *type;
  guint64         seed, stream;
  guint64         low, range;   /* of integers; 0: 2^64 */
  AccArray       *own;          /* a block: seed and stream of this thread's element; NULL: it calls no function of elements */
} Random;

static AccElementType *
get_word_type (void)
{
  return acc_element_type_new (ACC_KIND_U32);
}

static AccElementType *
get_wide_type (void)
{
  return acc_element_type_new (ACC_KIND_U64);
}

static AccExpr *
word (guint64 value)
{
  return acc_expr_new_typed_uint (get_word_type (), value & G_MAXUINT32);
}

static AccExpr *
wide (guint64 value)
{
  return acc_expr_new_typed_uint (get_wide_type (), value);
}

/* Block @number of the seed and the stream that are @own, a block. */
static AccExpr *
block_of (AccExpr *own,
          AccExpr *number)
{
  g_autoptr(AccExpr) seed_and_stream = acc_expr_ref_sink (own), owned = acc_expr_ref_sink (number);
  AccExpr *low = acc_expr_cast (owned, get_word_type ());
  AccExpr *high = acc_expr_cast (acc_expr_shr (owned, acc_array_number (32)), get_word_type ());

  return acc_expr_philox (acc_expr_tuple4 (low, high, acc_expr_item (seed_and_stream, 2), acc_expr_item (seed_and_stream, 3)),
                          acc_expr_tuple2 (acc_expr_item (seed_and_stream, 0), acc_expr_item (seed_and_stream, 1)));
}

static AccExpr *
seed_and_stream (const Random *self)
{
  return acc_expr_tuple4 (word (self->seed), word (self->seed >> 32), word (self->stream), word (self->stream >> 32));
}

/* The seed and the stream of this thread's element, level by level. */
static AccExpr *
own_block (AccExpr *index,
           gpointer data)
{
  const Random *self = data;
  GPtrArray *numbers = acc_numbering_get_numbers ();
  AccExpr *own = seed_and_stream (self);

  for (guint i = 0; numbers != NULL && i < numbers->len; i++)
    own = block_of (own, acc_expr_the (g_ptr_array_index (numbers, i)));

  return own;
}

static AccExpr *
block_at (const Random *self,
          AccExpr      *number)
{
  return block_of (self->own != NULL ? acc_expr_the (self->own) : seed_and_stream (self), number);
}

/* The @place-th u4 of the stream. */
static AccExpr *
word_at (const Random *self,
         AccExpr      *place)
{
  g_autoptr(AccExpr) block = acc_expr_ref_sink (block_at (self, acc_expr_shr (place, acc_array_number (2))));
  g_autoptr(AccExpr) part = acc_expr_ref_sink (acc_expr_band (place, acc_array_number (3)));
  AccExpr *bits = acc_expr_item (block, 3);

  for (guint i = 3; i-- > 0; )
    bits = acc_expr_cond (acc_expr_eq (part, acc_array_number (i)), acc_expr_item (block, i), bits);

  return bits;
}

static AccExpr *
join_words (AccExpr *block,
            guint    first)
{
  AccExpr *high = acc_expr_shl (acc_expr_cast (acc_expr_item (block, first + 1), get_wide_type ()), acc_array_number (32));

  return acc_expr_bor (high, acc_expr_cast (acc_expr_item (block, first), get_wide_type ()));
}

/* The @place-th u8. */
static AccExpr *
wide_at (const Random *self,
         AccExpr      *place)
{
  g_autoptr(AccExpr) block = acc_expr_ref_sink (block_at (self, acc_expr_shr (place, acc_array_number (1))));
  AccExpr *is_first = acc_expr_eq (acc_expr_band (place, acc_array_number (1)), acc_array_number (0));

  return acc_expr_cond (is_first, join_words (block, 0), join_words (block, 2));
}

static AccExpr *
bits_at (AccExpr *place,
         gpointer data)
{
  const Random *self = data;

  return acc_expr_cast (acc_element_type_get_size (self->type) == 8 ? wide_at (self, place) : word_at (self, place), self->type);
}

/* The upper bits of a word, as many as @type holds exactly, as a fraction. */
static AccExpr *
fraction (AccExpr        *bits,
          AccElementType *type)
{
  guint width = 8 * acc_element_type_get_size (acc_expr_get_element_type (bits));
  guint precision = acc_element_type_get_kind (type) == ACC_KIND_F16 ? 11 : acc_element_type_get_kind (type) == ACC_KIND_F32 ? 24 : 53;
  AccExpr *upper = acc_expr_shr (bits, acc_array_number (width - precision));

  return acc_expr_mul (acc_expr_cast (upper, type), acc_expr_new_typed_float (type, ldexp (1, -(int) precision)));
}

static AccExpr *
uniform_at (AccExpr *place,
            gpointer data)
{
  const Random *self = data;

  return fraction (acc_element_type_get_kind (self->type) == ACC_KIND_F64 ? wide_at (self, place) : word_at (self, place), self->type);
}

/* Box and Muller 1958: two numbers of two, the cosine for even elements and the sine for odd ones. Half a step is added to what the
 * logarithm is taken of, which so is never 0. */
static AccExpr *
normal_at (AccExpr *place,
           gpointer data)
{
  const Random *self = data;
  AccElementType *type = acc_array_float_type (self->type);
  gboolean is_double = acc_element_type_get_kind (type) == ACC_KIND_F64;
  g_autoptr(AccExpr) block = acc_expr_ref_sink (block_at (self, acc_expr_shr (place, acc_array_number (is_double ? 1 : 2))));
  AccExpr *is_sine = acc_expr_eq (acc_expr_band (place, acc_array_number (1)), acc_array_number (1)), *first, *second, *length, *turn;

  if (is_double)
    {
      first = acc_expr_add (fraction (join_words (block, 0), type), acc_expr_new_typed_float (type, ldexp (1, -54)));
      second = join_words (block, 2);
    }
  else
    {
      g_autoptr(AccExpr) is_upper = acc_expr_ref_sink (acc_expr_ne (acc_expr_band (place, acc_array_number (2)), acc_array_number (0)));
      AccExpr *bits = acc_expr_cond (is_upper, acc_expr_item (block, 2), acc_expr_item (block, 0));

      second = acc_expr_cond (is_upper, acc_expr_item (block, 3), acc_expr_item (block, 1));
      first = acc_expr_add (acc_expr_mul (acc_expr_cast (bits, type), acc_expr_new_typed_float (type, ldexp (1, -32))),
                            acc_expr_new_typed_float (type, ldexp (1, -33)));
    }
  length = acc_expr_sqrt (acc_expr_mul (acc_expr_new_typed_float (type, -2), acc_expr_log (first)));
  turn = acc_expr_cond (is_sine, acc_expr_new_typed_float (type, 0), acc_expr_new_typed_float (type, G_PI / 2));

  return acc_expr_cast (acc_expr_mul (length,
                                      acc_expr_sin (acc_expr_add (acc_expr_mul (fraction (second, type),
                                                                                acc_expr_new_typed_float (type, 2 * G_PI)),
                                                                  turn))), self->type);
}

static AccExpr *
low_half (AccExpr *x)
{
  return acc_expr_band (x, wide (G_MAXUINT32));
}

static AccExpr *
high_half (AccExpr *x)
{
  return acc_expr_shr (x, acc_array_number (32));
}

/* The upper 64 bits of the product of two u8. */
static AccExpr *
multiply_high (AccExpr *x,
               AccExpr *y)
{
  g_autoptr(AccExpr) x0 = acc_expr_ref_sink (low_half (x)), x1 = acc_expr_ref_sink (high_half (x));
  g_autoptr(AccExpr) y0 = acc_expr_ref_sink (low_half (y)), y1 = acc_expr_ref_sink (high_half (y));
  g_autoptr(AccExpr) middle = acc_expr_ref_sink (acc_expr_add (acc_expr_mul (x1, y0), high_half (acc_expr_mul (x0, y0))));
  AccExpr *carry = high_half (acc_expr_add (acc_expr_mul (x0, y1), low_half (middle)));

  return acc_expr_add (acc_expr_add (acc_expr_mul (x1, y1), high_half (middle)), carry);
}

/* A fraction of 128 bits times the range, cut off (Lemire 2019, without rejection): no number comes more often than another by more
 * than 1 in 2^64. */
static AccExpr *
integer_at (AccExpr *place,
            gpointer data)
{
  const Random *self = data;
  g_autoptr(AccExpr) block = acc_expr_ref_sink (block_at (self, place)), range = acc_expr_ref_sink (wide (self->range));
  g_autoptr(AccExpr) high = acc_expr_ref_sink (join_words (block, 2)),
    lower = acc_expr_ref_sink (multiply_high (join_words (block, 0), range));
  AccExpr *sum, *carry;

  if (self->range == 0)
    return acc_expr_cast (acc_expr_add (high, wide (self->low)), self->type);

  sum = acc_expr_add (acc_expr_mul (high, range), lower);
  carry = acc_expr_cast (acc_expr_lt (sum, lower), get_wide_type ());

  return acc_expr_cast (acc_expr_add (acc_expr_add (multiply_high (high, range), carry), wide (self->low)), self->type);
}

typedef gboolean (*KindTest) (AccElementKind kind);

static AccArray *
make (const char  *operation,
      AccShape    *shape,
      KindTest     test,
      const char  *needed,
      AccExprFunc  element,
      Random      *self)
{
  AccArray *node = acc_array_begin (ACC_OP_GENERATE, NULL, 0);
  g_autoptr(AccShape) flat_shape = NULL, scalar = NULL;
  g_autoptr(AccArray) flat = NULL, each = NULL, own = NULL;

  if (shape == NULL)
    acc_array_fail_argument (node, "a shape");
  else if (self->type == NULL)
    acc_array_fail_argument (node, "a type");
  else if (acc_element_type_is_tuple (self->type) || !test (acc_element_type_get_kind (self->type)))
    acc_array_fail (node, ACC_ERROR_TYPE, "%s: elements are %s, not %s", operation, needed, acc_element_type_get_code (self->type));
  if (node->error != NULL)
    return acc_array_complete (node);
  g_object_unref (node);

  if (acc_numbering_get_numbers () != NULL)
    {
      scalar = acc_shape_new_scalar ();
      each = acc_array_generate (scalar, own_block, self);
      self->own = own = acc_array_compute (each);
    }
  flat_shape = acc_shape_new_vector (acc_shape_get_size (shape));
  flat = acc_array_generate (flat_shape, element, self);

  return acc_array_reshape (flat, shape);
}

/**
 * acc_array_random_bits:
 * @type: a type of integers
 * @shape: the extents of the result
 * @seed: the seed of the generator
 * @stream: which of the independent sequences to take
 *
 * Creates an array of uniformly distributed random bits.
 *
 * For u4 it is the sequence of [method@Expr.philox]: of the counters 0, 1, 2, … in the lower half and @stream in the upper half, with @seed
 * as the key. A type of 64 bits takes two of its numbers, the lower half first; a smaller type takes the lower bits of one. An element
 * depends on its position in row-major order, not on @shape, and is the same bit for bit on every backend.
 *
 * All functions for random numbers take the same bits for the same @seed and @stream: give each use a stream of its own.
 *
 * In a function of elements, as that of [method@NestedArray.map] or [method@Sequence.map], each element has numbers of its own: element k
 * those of a seed and a stream that are numbers 2k and 2k + 1 of this function, of u8, for @seed and @stream.
 *
 * Takes time linear in the size of the result. A type that is not an integer type is %ACC_ERROR_TYPE.
 *
 * ```c
 * // shape = (2,), type = u4
 * g_autoptr(AccArray) result = acc_array_random_bits (type, shape, 42, 0); // → [2632642643, 2012563771]
 * ```
 *
 * Returns: (transfer full): an array of @type and @shape
 */
AccArray *
acc_array_random_bits (AccElementType *type,
                       AccShape       *shape,
                       guint64         seed,
                       guint64         stream)
{
  ACC_ARRAY_NAMED ("random_bits");
  return make ("random_bits", shape, acc_element_kind_is_integer, "integers", bits_at, &(Random) { type, seed, stream });
}

/**
 * acc_array_random_uniform:
 * @type: a type of floats
 * @shape: the extents of the result
 * @seed: the seed of the generator
 * @stream: which of the independent sequences to take
 *
 * Creates an array of random floats that are uniformly distributed from 0 to 1, without 1 itself.
 *
 * Numbers are multiples of 2^-11 (f2), 2^-24 (f4) or 2^-53 (f8), and the same bit for bit on every backend. A type that is not a float type
 * is %ACC_ERROR_TYPE. Behaves otherwise as [func@Array.random_bits].
 *
 * ```c
 * // shape = (2,), type = f4
 * g_autoptr(AccArray) result = acc_array_random_uniform (type, shape, 42, 0); // → [0.61296, 0.468587]
 * ```
 *
 * Returns: (transfer full): an array of @type and @shape
 */
AccArray *
acc_array_random_uniform (AccElementType *type,
                          AccShape       *shape,
                          guint64         seed,
                          guint64         stream)
{
  ACC_ARRAY_NAMED ("random_uniform");
  return make ("random_uniform", shape, acc_element_kind_is_float, "floats", uniform_at, &(Random) { type, seed, stream });
}

/**
 * acc_array_random_normal:
 * @type: a type of floats
 * @shape: the extents of the result
 * @seed: the seed of the generator
 * @stream: which of the independent sequences to take
 *
 * Creates an array of random floats from the normal distribution with mean 0 and standard deviation 1.
 *
 * Numbers are at most 6.8 (f2, f4) or 8.7 (f8) away from 0. They are computed by logarithm and sine: backends may differ in the last bits.
 * A type that is not a float type is %ACC_ERROR_TYPE. Behaves otherwise as [func@Array.random_bits].
 *
 * ```c
 * // shape = (2,), type = f8
 * g_autoptr(AccArray) result = acc_array_random_normal (type, shape, 42, 0); // → [-0.665375, 1.03602]
 * ```
 *
 * Returns: (transfer full): an array of @type and @shape
 */
AccArray *
acc_array_random_normal (AccElementType *type,
                         AccShape       *shape,
                         guint64         seed,
                         guint64         stream)
{
  ACC_ARRAY_NAMED ("random_normal");
  return make ("random_normal", shape, acc_element_kind_is_float, "floats", normal_at, &(Random) { type, seed, stream });
}

/**
 * acc_array_random_integers:
 * @type: a type of integers
 * @shape: the extents of the result
 * @low: the lowest integer
 * @high: one more than the highest integer
 * @seed: the seed of the generator
 * @stream: which of the independent sequences to take
 *
 * Creates an array of random integers that are uniformly distributed from @low to @high - 1.
 *
 * Each number takes a block of 128 bits; all are equally probable but for 1 part in 2^64. They are the same bit for bit on every backend.
 * [func@Array.random_integers_between] takes ranges up to the whole of a type.
 *
 * An empty range, or one that does not fit @type, is %ACC_ERROR_TYPE. Behaves otherwise as [func@Array.random_bits].
 *
 * ```c
 * // shape = (4,), type = i8
 * g_autoptr(AccArray) result = acc_array_random_integers (type, shape, 1, 7, 42, 0); // → [3, 3, 5, 3]
 * ```
 *
 * Returns: (transfer full): an array of @type and @shape
 */
AccArray *
acc_array_random_integers (AccElementType *type,
                           AccShape       *shape,
                           gint64          low,
                           gint64          high,
                           guint64         seed,
                           guint64         stream)
{
  ACC_ARRAY_NAMED ("random_integers");
  Random self = { type, seed, stream, (guint64) low, (guint64) high - (guint64) low };
  gint64 least;
  guint64 most;

  if (type != NULL && _acc_integer_bounds (acc_element_type_get_kind (type), &least, &most) &&
      (low >= high || low < least || (high > 1 && (guint64) high - 1 > most)))
    {
      AccArray *node = acc_array_begin (ACC_OP_GENERATE, NULL, 0);

      acc_array_fail (node, ACC_ERROR_TYPE,
                      "random_integers: from %" G_GINT64_FORMAT " to less than %" G_GINT64_FORMAT " is no range of %s", low, high,
                      acc_element_type_get_code (type));
      return acc_array_complete (node);
    }

  return make ("random_integers", shape, acc_element_kind_is_integer, "integers", integer_at, &self);
}

/* The bits of a literal of @type, as wide as they can be. FALSE: @node says why there are none. */
static gboolean
read_bound (AccArray       *node,
            AccExpr        *bound,
            AccElementType *type,
            guint64        *bits)
{
  g_autoptr(AccExpr) resolved = acc_expr_ref_sink (acc_expr_resolve (bound, type));
  const GError *error = acc_expr_get_error (resolved);
  AccElementKind kind = acc_element_type_get_kind (type);

  if (error != NULL)
    return acc_array_fail (node, error->code, "random_integers_between: %s", error->message);
  if (resolved->kind != ACC_EXPR_LITERAL || resolved->type != type)
    return acc_array_fail (node, ACC_ERROR_TYPE, "random_integers_between: bounds are literals of %s", acc_element_type_get_code (type));

  *bits = acc_element_kind_is_signed (kind) ? (guint64) resolved->value.i : resolved->value.u;
  return TRUE;
}

/**
 * acc_array_random_integers_between:
 * @type: a type of integers
 * @shape: the extents of the result
 * @lowest: the lowest integer, a literal
 * @highest: the highest integer, a literal
 * @seed: the seed of the generator
 * @stream: which of the independent sequences to take
 *
 * Creates an array of random integers that are uniformly distributed from @lowest to @highest, both included.
 *
 * Gives the same numbers as [func@Array.random_integers], for ranges up to the whole of @type, which reaches from [ctor@Expr.new_minimum]
 * to [ctor@Expr.new_maximum].
 *
 * Bounds that are not literals, that do not fit @type, or of which the lowest is above the highest, are %ACC_ERROR_TYPE. Behaves otherwise
 * as [func@Array.random_bits].
 *
 * ```c
 * // shape = (4,), type = i8
 * AccExpr *one = acc_expr_new_int (1), *six = acc_expr_new_int (6);
 * g_autoptr(AccArray) result = acc_array_random_integers_between (type, shape, one, six, 42, 0); // → [3, 3, 5, 3]
 * ```
 *
 * Returns: (transfer full): an array of @type and @shape
 */
AccArray *
acc_array_random_integers_between (AccElementType *type,
                                   AccShape       *shape,
                                   AccExpr        *lowest,
                                   AccExpr        *highest,
                                   guint64         seed,
                                   guint64         stream)
{
  ACC_ARRAY_NAMED ("random_integers_between");
  g_autoptr(AccExpr) first = lowest != NULL ? acc_expr_ref_sink (lowest) : NULL,
    last = highest != NULL ? acc_expr_ref_sink (highest) : NULL;
  AccArray *node = acc_array_begin (ACC_OP_GENERATE, NULL, 0);
  AccElementKind kind = type != NULL ? acc_element_type_get_kind (type) : ACC_KIND_TUPLE;
  guint64 low = 0, high = 0;

  if (first == NULL || last == NULL)
    acc_array_fail_argument (node, "a bound");
  else if (acc_element_kind_is_integer (kind) && read_bound (node, first, type, &low) && read_bound (node, last, type, &high) &&
           (acc_element_kind_is_signed (kind) ? (gint64) low > (gint64) high : low > high))
    acc_array_fail (node, ACC_ERROR_TYPE, "random_integers_between: the lowest is above the highest");
  if (node->error != NULL)
    return acc_array_complete (node);
  g_object_unref (node);

  return make ("random_integers_between", shape, acc_element_kind_is_integer, "integers", integer_at,
               &(Random) { type, seed, stream, low, high - low + 1 });
}
