/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "acc-array-sort-private.h"

/* A radix sort from the least significant digit on, four bits at a time (Zagha and Blelloch 1991). Rows are cut into tiles; sixteen
 * counters of a byte each, in two words, are summed over a tile and scanned along it: which gives how often each digit comes in the
 * tile, and for every key how many of its digit are in front of it there. A scan of all tiles' counts, digit by digit, gives where
 * the keys of each tile and digit begin. Every key goes to where its digit begins plus how many come in front of it.
 *
 * The last tile of a row is filled up with keys behind which none come; being behind all that are equal, there they stay.
 *
 * Of short rows every key is compared with every other. */

#define N_DIGITS (1 << ACC_SORT_DIGIT_BITS)

static AccElementType *
get_word_type (void)
{
  return acc_element_type_new (ACC_KIND_U64);
}

/* --- one digit */

static AccExpr *
digit_amount (AccExpr *key,
              gpointer data)
{
  const AccSort *self = data;
  AccExpr *order = acc_sort_order_key (key, self->descending);
  AccElementType *type = acc_expr_get_element_type (order);
  AccExpr *digit = acc_expr_band (acc_expr_shr (order, acc_array_number (self->shift)), acc_expr_new_typed_uint (type, N_DIGITS - 1));

  return acc_expr_shl (acc_expr_cast (digit, acc_element_type_new (ACC_KIND_U8)), acc_array_number (3));
}

/* One in the counter of the digit, in one of the words: shifts beyond a word give 0. */
static AccExpr *
count_digit (AccExpr *index,
             gpointer data)
{
  const AccSort *self = data;
  g_autoptr(AccExpr) amount = acc_expr_ref_sink (acc_expr_cast (acc_expr_index (self->amounts, index), acc_element_type_new (ACC_KIND_I64)));
  g_autoptr(AccExpr) one = acc_expr_ref_sink (acc_expr_new_typed_uint (get_word_type (), 1));

  return acc_expr_tuple2 (acc_expr_shl (one, amount), acc_expr_shl (one, acc_expr_bxor (amount, acc_array_number (64))));
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
  const AccSort *self = data;
  g_autoptr(AccExpr) amount = acc_expr_ref_sink (acc_expr_shl (acc_expr_item (index, 1), acc_array_number (3)));
  AccExpr *counts = acc_expr_index (self->sums, acc_expr_tuple2 (acc_expr_item (index, 0), acc_expr_item (index, 2)));

  return acc_expr_cast (counter (counts, amount), acc_element_type_new (ACC_KIND_I64));
}

static AccExpr *
target_of (AccExpr *index,
           gpointer data)
{
  const AccSort *self = data;
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
  g_autoptr(AccArray) moved = acc_array_permute (tiles, room, targets, acc_array_first_element, NULL);

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
move_all (AccSort  *self,
          AccArray *targets)
{
  replace (&self->keys, move (self->keys, targets));
  if (self->numbers != NULL)
    replace (&self->numbers, move (self->numbers, targets));
}

void
acc_sort_by_digit (AccSort *self)
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
  const AccSort *sort;
  AccExpr       *row, *place, *own;
} Comparison;

static AccExpr *
order_at (const AccSort *self,
          AccExpr       *row,
          AccExpr       *place)
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
  const AccSort *self = data;
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
  const AccSort *self = data;

  return acc_sort_order_key (key, self->descending);
}

void
acc_sort_by_comparison (AccSort *self)
{
  g_autoptr(AccArray) orders = self->orders = acc_array_map (self->keys, order_of, self);
  g_autoptr(AccArray) targets = acc_array_generate_expr (acc_expr_shape (self->keys), short_target_of, self);

  move_all (self, targets);
}
