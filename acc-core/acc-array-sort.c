/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "acc-array-sort.h"

#include <math.h>

#include "acc-array-build-private.h"
#include "acc-error.h"

/* A radix sort from the least significant digit on, four bits at a time (Zagha and Blelloch 1991). Rows are cut into tiles; sixteen
 * counters of a byte each, in two words, are summed over a tile and scanned along it: which gives how often each digit comes in the
 * tile, and for every key how many of its digit are in front of it there. A scan of all tiles' counts, digit by digit, gives where
 * the keys of each tile and digit begin. Every key goes to where its digit begins plus how many come in front of it.
 *
 * The last tile of a row is filled up with keys behind which none come; being behind all that are equal, there they stay.
 *
 * Of short rows every key is compared with every other. */

#define DIGIT_BITS 4
#define N_DIGITS   (1 << DIGIT_BITS)
/* What a byte can count. */
#define TILE       128
#define SHORT_ROW  32

typedef struct {
  AccArray *array;         /* as it was given */
  gboolean  descending;
  gboolean  padded, is_short;
  AccArray *keys;          /* rows, tiles, lanes; as below */
  AccArray *numbers;       /* where in its row each was; or NULL */
  guint     shift;
  AccArray *amounts;       /* of the digits: eight bits times the digit */
  AccArray *sums;          /* per row and tile: two words of counters */
  AccArray *ranks;         /* how many of its digit there are up to each key, in its tile */
  AccArray *begins;        /* rows, digits, tiles */
  AccArray *orders;        /* of short rows: the keys as unsigned numbers */
} Sort;

static AccElementType *
get_word_type (void)
{
  return acc_element_type_new (ACC_KIND_U64);
}

static AccElementType *
get_unsigned_type (AccElementType *type)
{
  switch (acc_element_type_get_size (type))
    {
    case 1:
      return acc_element_type_new (ACC_KIND_U8);
    case 2:
      return acc_element_type_new (ACC_KIND_U16);
    case 4:
      return acc_element_type_new (ACC_KIND_U32);
    default:
      return get_word_type ();
    }
}

static AccElementType *
get_signed_type (AccElementType *type)
{
  switch (acc_element_type_get_size (type))
    {
    case 2:
      return acc_element_type_new (ACC_KIND_I16);
    case 4:
      return acc_element_type_new (ACC_KIND_I32);
    default:
      return acc_element_type_new (ACC_KIND_I64);
    }
}

/* --- the order of keys, as that of unsigned numbers */

static AccExpr *
top_bit (AccElementType *type,
         guint           bits)
{
  return acc_expr_new_typed_uint (type, G_GUINT64_CONSTANT (1) << (bits - 1));
}

/* Signed magnitude to two's complement: -0 becomes 0. */
static AccExpr *
order_float (AccExpr        *x,
             AccElementType *type,
             guint           bits)
{
  AccElementType *words = get_unsigned_type (type), *numbers = get_signed_type (type);
  g_autoptr(AccExpr) signs = acc_expr_ref_sink (acc_expr_shr (acc_expr_bitcast (x, numbers), acc_array_number (bits - 1)));
  AccExpr *magnitude = acc_expr_shr (acc_expr_bitcast (signs, words), acc_array_number (1));
  AccExpr *flipped = acc_expr_bxor (acc_expr_bitcast (x, words), magnitude);

  return acc_expr_bxor (acc_expr_sub (flipped, acc_expr_bitcast (signs, words)), top_bit (words, bits));
}

static AccExpr *
order_key (AccExpr *x,
           gboolean descending)
{
  AccElementType *type = acc_expr_get_element_type (x), *words = get_unsigned_type (type);
  AccElementKind kind = acc_element_type_get_kind (type);
  guint bits = 8 * acc_element_type_get_size (type);
  AccExpr *order;

  if (kind == ACC_KIND_BOOL)
    return acc_expr_cast (descending ? acc_expr_lnot (x) : x, words);

  if (acc_element_kind_is_float (kind))
    order = order_float (x, type, bits);
  else if (acc_element_kind_is_signed (kind))
    order = acc_expr_bxor (acc_expr_bitcast (x, words), top_bit (words, bits));
  else
    order = x;
  if (descending)
    order = acc_expr_bnot (order);

  return acc_element_kind_is_float (kind) ? acc_expr_cond (acc_expr_is_nan (x), acc_expr_new_maximum (words), order) : order;
}

/* The key behind which none come. */
static AccExpr *
last_key (AccElementType *type,
          gboolean        descending)
{
  AccElementKind kind = acc_element_type_get_kind (type);

  if (kind == ACC_KIND_BOOL)
    return acc_expr_new_bool (!descending);
  if (acc_element_kind_is_float (kind))
    return acc_expr_new_typed_float (type, NAN);

  return descending ? acc_expr_new_minimum (type) : acc_expr_new_maximum (type);
}

static guint
count_bits (AccElementType *type)
{
  return acc_element_type_get_kind (type) == ACC_KIND_BOOL ? 1 : 8 * acc_element_type_get_size (type);
}

/* --- tiles */

static AccExpr *
place_in_row (AccExpr  *index,
              AccExpr  *tile_size)
{
  return acc_expr_add (acc_expr_mul (acc_expr_item (index, 1), tile_size), acc_expr_item (index, 2));
}

typedef struct {
  Sort           *sort;
  AccExpr        *row_size, *tile_size;
  AccElementType *number_type;
} Tiling;

static AccExpr *
key_or_last (AccExpr *index,
             gpointer data)
{
  const Tiling *tiling = data;
  g_autoptr(AccExpr) place = acc_expr_ref_sink (place_in_row (index, tiling->tile_size));
  AccExpr *key = acc_expr_linear_index (tiling->sort->array, acc_expr_add (acc_expr_mul (acc_expr_item (index, 0), tiling->row_size), place));

  return acc_expr_cond (acc_expr_lt (place, tiling->row_size), key, last_key (tiling->sort->array->type, tiling->sort->descending));
}

static AccExpr *
own_number (AccExpr *index,
            gpointer data)
{
  const Tiling *tiling = data;

  return acc_expr_cast (place_in_row (index, tiling->tile_size), tiling->number_type);
}

static void
cut_tiles (Sort     *self,
           gboolean  numbered)
{
  AccArray *array = self->array;
  guint last = array->rank - 1;
  AccShape *shape = acc_array_get_shape (array);
  gint64 n = shape != NULL ? acc_shape_get_extent (shape, last) : -1;
  g_autoptr(AccExpr) row_size = acc_expr_ref_sink (acc_expr_extent (array, last));
  g_autoptr(AccExpr) tile_size = acc_expr_ref_sink (acc_expr_max (acc_expr_min (row_size, acc_array_number (TILE)), acc_array_number (1)));
  AccExpr *rows = acc_array_number (1), *tiles, *extents;
  Tiling tiling = { self, row_size, tile_size };

  for (guint i = 0; i < last; i++)
    rows = acc_expr_mul (rows, acc_expr_extent (array, i));
  tiles = acc_expr_quot (acc_expr_sub (acc_expr_add (row_size, tile_size), acc_array_number (1)), tile_size);
  extents = acc_expr_tuple3 (rows, tiles, tile_size);

  self->is_short = n >= 0 && n <= SHORT_ROW;
  self->padded = n < 0 || (n > TILE && n % TILE != 0);
  self->keys = self->padded ? acc_array_generate_expr (extents, key_or_last, &tiling) : acc_array_reshape_expr (array, extents);

  tiling.number_type = acc_element_type_new (n >= 0 && n < G_MAXINT32 - TILE ? ACC_KIND_I32 : ACC_KIND_I64);
  if (numbered)
    self->numbers = acc_array_generate_expr (acc_expr_shape (self->keys), own_number, &tiling);
}

static AccExpr *
padded_place (AccExpr *index,
              gpointer data)
{
  const Sort *self = data;
  guint last = self->array->rank - 1;
  AccExpr *row = acc_array_outer_place (self->array, index, last);

  return acc_expr_add (acc_expr_mul (row, acc_expr_mul (acc_expr_extent (self->keys, 1), acc_expr_extent (self->keys, 2))),
                       acc_expr_item (index, last));
}

/* Rows as they were given, of @tiles. */
static AccArray *
join_tiles (Sort     *self,
            AccArray *tiles)
{
  g_autoptr(AccArray) flat = acc_array_flatten (tiles);
  AccExpr *shape = acc_expr_shape (self->array);

  return self->padded ? acc_array_backpermute_expr (flat, shape, padded_place, self) : acc_array_reshape_expr (flat, shape);
}

/* --- one digit */

static AccExpr *
digit_amount (AccExpr *key,
              gpointer data)
{
  const Sort *self = data;
  AccExpr *order = order_key (key, self->descending);
  AccElementType *type = acc_expr_get_element_type (order);
  AccExpr *digit = acc_expr_band (acc_expr_shr (order, acc_array_number (self->shift)), acc_expr_new_typed_uint (type, N_DIGITS - 1));

  return acc_expr_shl (acc_expr_cast (digit, acc_element_type_new (ACC_KIND_U8)), acc_array_number (3));
}

/* One in the counter of the digit: shifts beyond a word, or by less than nothing, give 0. */
static AccExpr *
count_digit (AccExpr *index,
             gpointer data)
{
  const Sort *self = data;
  g_autoptr(AccExpr) amount = acc_expr_ref_sink (acc_expr_cast (acc_expr_index (self->amounts, index), acc_element_type_new (ACC_KIND_I64)));
  g_autoptr(AccExpr) one = acc_expr_ref_sink (acc_expr_new_typed_uint (get_word_type (), 1));

  return acc_expr_tuple2 (acc_expr_shl (one, amount), acc_expr_shl (one, acc_expr_sub (amount, acc_array_number (64))));
}

static AccExpr *
add_counts (AccExpr *x,
            AccExpr *y,
            gpointer data)
{
  return acc_expr_tuple2 (acc_expr_add (acc_expr_item (x, 0), acc_expr_item (y, 0)), acc_expr_add (acc_expr_item (x, 1), acc_expr_item (y, 1)));
}

static AccExpr *
counter (AccExpr *counts,
         AccExpr *amount)
{
  AccExpr *word = acc_expr_cond (acc_expr_lt (amount, acc_array_number (64)), acc_expr_item (counts, 0), acc_expr_item (counts, 1));

  return acc_expr_cast (acc_expr_shr (word, acc_expr_band (amount, acc_array_number (63))), acc_element_type_new (ACC_KIND_U8));
}

static AccExpr *
rank_of (AccExpr *counts,
         AccExpr *amount,
         gpointer data)
{
  g_autoptr(AccExpr) wide = acc_expr_ref_sink (acc_expr_cast (amount, acc_element_type_new (ACC_KIND_I64)));

  return counter (counts, wide);
}

static AccExpr *
count_of_tile (AccExpr *index,
               gpointer data)
{
  const Sort *self = data;
  g_autoptr(AccExpr) amount = acc_expr_ref_sink (acc_expr_shl (acc_expr_item (index, 1), acc_array_number (3)));
  AccExpr *counts = acc_expr_index (self->sums, acc_expr_tuple2 (acc_expr_item (index, 0), acc_expr_item (index, 2)));

  return acc_expr_cast (counter (counts, amount), acc_element_type_new (ACC_KIND_I64));
}

static AccExpr *
target_of (AccExpr *index,
           gpointer data)
{
  const Sort *self = data;
  AccElementType *type = acc_element_type_new (ACC_KIND_I64);
  AccExpr *digit = acc_expr_shr (acc_expr_cast (acc_expr_index (self->amounts, index), type), acc_array_number (3));
  AccExpr *begin = acc_expr_index (self->begins, acc_expr_tuple3 (acc_expr_item (index, 0), digit, acc_expr_item (index, 1)));

  return acc_expr_add (begin, acc_expr_sub (acc_expr_cast (acc_expr_index (self->ranks, index), type), acc_array_number (1)));
}

static AccArray *
move (AccArray *tiles,
      AccArray *targets)
{
  g_autoptr(AccExpr) shape = acc_expr_ref_sink (acc_expr_shape (tiles));
  AccExpr *size = acc_expr_mul (acc_expr_mul (acc_expr_item (shape, 0), acc_expr_item (shape, 1)), acc_expr_item (shape, 2));
  g_autoptr(AccArray) room = acc_array_fill_expr (size, acc_expr_cast (acc_array_number (0), tiles->type));
  g_autoptr(AccArray) moved = acc_array_permute (tiles, room, targets, acc_array_take_new, NULL);

  return acc_array_reshape_expr (moved, shape);
}

static void
replace (AccArray **array,
         AccArray  *with)
{
  g_object_unref (*array);
  *array = with;
}

static void
move_all (Sort     *self,
          AccArray *targets)
{
  replace (&self->keys, move (self->keys, targets));
  if (self->numbers != NULL)
    replace (&self->numbers, move (self->numbers, targets));
}

static void
sort_by_digit (Sort *self)
{
  g_autoptr(AccExpr) shape = acc_expr_ref_sink (acc_expr_shape (self->keys)), none = NULL;
  g_autoptr(AccArray) amounts = self->amounts = acc_array_map (self->keys, digit_amount, self);
  /* Two of the same: what each costs is counted by itself, and neither is stored. */
  g_autoptr(AccArray) summed = acc_array_generate_expr (shape, count_digit, self), scanned = acc_array_generate_expr (shape, count_digit, self);
  g_autoptr(AccArray) sums = NULL, counts = NULL, flat = NULL, begins = NULL, running = NULL, ranks = NULL, targets = NULL;
  AccExpr *table = acc_expr_tuple3 (acc_expr_item (shape, 0), acc_array_number (N_DIGITS), acc_expr_item (shape, 1));

  none = acc_expr_ref_sink (acc_expr_new_typed_uint (get_word_type (), 0));
  self->sums = sums = acc_array_fold (summed, acc_expr_tuple2 (none, none), add_counts, NULL);
  counts = acc_array_generate_expr (table, count_of_tile, self);
  flat = acc_array_flatten (counts);
  begins = acc_array_prescanl (flat, acc_array_number (0), acc_array_add_elements, NULL);
  replace (&flat, acc_array_reshape_expr (begins, acc_expr_shape (counts)));
  self->begins = flat;
  running = acc_array_scanl1 (scanned, add_counts, NULL);
  self->ranks = ranks = acc_array_zip_with (running, amounts, rank_of, NULL);
  targets = acc_array_generate_expr (shape, target_of, self);
  move_all (self, targets);
}

/* --- short rows */

typedef struct {
  const Sort *sort;
  AccExpr    *row, *place, *own;
} Comparison;

static AccExpr *
order_at (const Sort *self,
          AccExpr    *row,
          AccExpr    *place)
{
  return acc_expr_index (self->orders, acc_expr_tuple3 (row, acc_array_number (0), place));
}

/* The state: which other, and how many of those so far come before the own one. */
static AccExpr *
compare_step (AccExpr *state,
              gpointer data)
{
  const Comparison *comparison = data;
  AccElementType *type = acc_element_type_new (ACC_KIND_I64);
  g_autoptr(AccExpr) other = acc_expr_ref_sink (acc_expr_item (state, 0));
  g_autoptr(AccExpr) order = acc_expr_ref_sink (order_at (comparison->sort, comparison->row, other));
  AccExpr *is_before = acc_expr_lor (acc_expr_lt (order, comparison->own),
                                     acc_expr_land (acc_expr_eq (order, comparison->own), acc_expr_lt (other, comparison->place)));

  return acc_expr_tuple2 (acc_expr_lt (other, acc_expr_extent (comparison->sort->orders, 2)),
                          acc_expr_tuple2 (acc_expr_add (other, acc_array_number (1)), acc_expr_add (acc_expr_item (state, 1), acc_expr_cast (is_before, type))));
}

static AccExpr *
short_target_of (AccExpr *index,
                 gpointer data)
{
  const Sort *self = data;
  g_autoptr(AccExpr) row = acc_expr_ref_sink (acc_expr_item (index, 0)), place = acc_expr_ref_sink (acc_expr_item (index, 2));
  g_autoptr(AccExpr) own = acc_expr_ref_sink (order_at (self, row, place));
  Comparison comparison = { self, row, place, own };
  AccExpr *begin = acc_expr_mul (row, acc_expr_extent (self->orders, 2));

  return acc_expr_item (acc_expr_while (acc_expr_tuple2 (acc_array_number (0), begin), compare_step, &comparison), 1);
}

static AccExpr *
order_of (AccExpr *key,
          gpointer data)
{
  const Sort *self = data;

  return order_key (key, self->descending);
}

static void
sort_by_comparison (Sort *self)
{
  g_autoptr(AccArray) orders = self->orders = acc_array_map (self->keys, order_of, self);
  g_autoptr(AccArray) targets = acc_array_generate_expr (acc_expr_shape (self->keys), short_target_of, self);

  move_all (self, targets);
}

/* --- the operations */

static AccArray *
check_keys (AccArray   *keys,
            const char *operation)
{
  AccArray *node = acc_array_begin (ACC_OP_PERMUTE, &keys, 1);

  if (node->error == NULL && keys->rank == 0)
    acc_array_fail (node, ACC_ERROR_SHAPE, "%s: an array of rank 0 has no rows", operation);
  if (node->error == NULL && acc_element_type_is_tuple (keys->type))
    acc_array_fail (node, ACC_ERROR_TYPE, "%s: keys are scalars, not %s", operation, acc_element_type_get_code (keys->type));

  return node;
}

/* @order: NULL, or set to where in its row each was, before: an i8. */
static AccArray *
sort_rows (AccArray  *array,
           gboolean   descending,
           AccArray **order)
{
  Sort self = { array, descending };
  guint bits = count_bits (array->type);
  AccArray *sorted;

  cut_tiles (&self, order != NULL);
  if (self.is_short)
    sort_by_comparison (&self);
  for (; !self.is_short && self.shift < bits; self.shift += DIGIT_BITS)
    sort_by_digit (&self);

  sorted = join_tiles (&self, self.keys);
  if (order != NULL)
    {
      g_autoptr(AccArray) numbers = join_tiles (&self, self.numbers);

      *order = acc_array_cast (numbers, acc_element_type_new (ACC_KIND_I64));
      g_object_unref (self.numbers);
    }
  g_object_unref (self.keys);

  return sorted;
}

/**
 * acc_array_sort:
 * @self: an array of scalars, of rank 1 or more
 * @descending: the largest first
 *
 * Every innermost row in order. Equal elements stay in the order in which they were: so do -0.0 and 0.0, which are equal. NaN comes
 * last, in both directions. Linear in the size of @self and in the bits of an element; it needs memory for @self twice, and twelve bytes
 * more per element.
 *
 * ```c
 * g_autoptr(AccArray) sorted = acc_array_sort (xs, FALSE);
 * ```
 *
 * An array of rank 0 is %ACC_ERROR_SHAPE, tuples are %ACC_ERROR_TYPE.
 *
 * Returns: (transfer full): an array of the type and extents of @self
 *
 * Since: 1.0
 */
AccArray *
acc_array_sort (AccArray *self,
                gboolean  descending)
{
  AccArray *node = check_keys (self, "sort");

  if (node->error != NULL)
    return acc_array_complete (node);
  g_object_unref (node);

  return sort_rows (self, descending, NULL);
}

/**
 * acc_array_argsort:
 * @self: an array of scalars, of rank 1 or more
 * @descending: the largest first
 *
 * Where in its row each element of [method@Array.sort] was: of equal ones the first comes first.
 *
 * Returns: (transfer full): an array of i8 of the extents of @self
 *
 * Since: 1.0
 */
AccArray *
acc_array_argsort (AccArray *self,
                   gboolean  descending)
{
  AccArray *node = check_keys (self, "argsort");
  g_autoptr(AccArray) sorted = NULL;
  AccArray *order;

  if (node->error != NULL)
    return acc_array_complete (node);
  g_object_unref (node);

  sorted = sort_rows (self, descending, &order);
  return order;
}

typedef struct {
  AccArray *values, *order;
} Arrangement;

static AccExpr *
arranged (AccExpr *index,
          gpointer data)
{
  const Arrangement *arrangement = data;
  guint rank = arrangement->values->rank;
  g_autofree AccExpr **items = g_new (AccExpr *, rank);

  for (guint i = 0; i + 1 < rank; i++)
    items[i] = acc_expr_item (index, i);
  items[rank - 1] = acc_expr_index (arrangement->order, index);

  return acc_array_join_items (items, rank);
}

/**
 * acc_array_sort_by:
 * @self: an array of rank 1 or more, of any element type
 * @keys: an array of scalars, of the extents of @self
 * @descending: the largest key first
 * @sorted_keys: (out) (optional) (transfer full): the keys, as [method@Array.sort] has them
 *
 * The elements of every innermost row in the order of their keys; those of equal keys stay in the order in which they were. Keys of
 * other extents are %ACC_ERROR_SHAPE while building, or %ACC_ERROR_BOUNDS when run, where the extents are known only then.
 *
 * Returns: (transfer full): an array of the type and extents of @self
 *
 * Since: 1.0
 */
AccArray *
acc_array_sort_by (AccArray  *self,
                   AccArray  *keys,
                   gboolean   descending,
                   AccArray **sorted_keys)
{
  g_autoptr(AccArray) node = check_keys (keys, "sort_by"), matched = NULL, sorted = NULL, order = NULL;
  Arrangement arrangement = { self, NULL };

  if (node->error == NULL)
    {
      AccArray *both[] = { self, keys };

      g_object_unref (node);
      node = acc_array_begin (ACC_OP_BACKPERMUTE, both, 2);
    }
  if (node->error == NULL)
    acc_array_check_extents (node, "sort_by: keys", self, keys);
  if (node->error != NULL)
    return acc_array_refuse (g_steal_pointer (&node), sorted_keys);

  matched = acc_array_match_extents (self, keys);
  sorted = sort_rows (matched, descending, &order);
  if (sorted_keys != NULL)
    *sorted_keys = g_object_ref (sorted);

  arrangement.order = order;
  return acc_array_backpermute_expr (self, acc_expr_shape (self), arranged, &arrangement);
}
