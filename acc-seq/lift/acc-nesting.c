/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "acc-lift-private.h"

#include "acc-core/array/acc-array-build-private.h"
#include "acc-core/derived/acc-array-segments-private.h"

/* Where the elements of irregular nested arrays lie. */

AccNesting *
acc_nesting_new (guint     rank,
                 AccArray *offsets,
                 AccArray *extents)
{
  AccNesting *self = g_new0 (AccNesting, 1);

  g_atomic_ref_count_init (&self->ref_count);
  self->rank = rank;
  self->offsets = offsets;
  self->extents = extents;
  g_mutex_init (&self->lock);

  return self;
}

AccNesting *
acc_nesting_ref (AccNesting *self)
{
  g_atomic_ref_count_inc (&self->ref_count);
  return self;
}

void
acc_nesting_unref (AccNesting *self)
{
  if (!g_atomic_ref_count_dec (&self->ref_count))
    return;

  g_clear_object (&self->offsets);
  g_clear_object (&self->extents);
  g_clear_object (&self->numbers);
  g_mutex_clear (&self->lock);
  g_free (self);
}

AccExpr *
acc_nesting_count (AccNesting *self)
{
  return acc_expr_sub (acc_expr_extent (self->offsets, 0), acc_array_number (1));
}

AccExpr *
acc_nesting_total (AccNesting *self)
{
  return acc_expr_linear_index (self->offsets, acc_nesting_count (self));
}

AccExpr *
acc_nesting_begin (AccNesting *self,
                   AccExpr    *k)
{
  return acc_expr_linear_index (self->offsets, k);
}

AccExpr *
acc_nesting_length (AccNesting *self,
                    AccExpr    *k)
{
  g_autoptr(AccExpr) owned = acc_expr_ref_sink (k);

  return acc_expr_sub (acc_nesting_begin (self, acc_expr_add (owned, acc_array_number (1))), acc_nesting_begin (self, owned));
}

AccExpr *
acc_nesting_extents (AccNesting *self,
                     AccExpr    *k)
{
  return self->rank == 1 ? acc_nesting_length (self, k) : acc_expr_linear_index (self->extents, k);
}

static AccExpr *
length_of_number (AccExpr *k,
                  gpointer data)
{
  return acc_nesting_length (data, k);
}

AccArray *
acc_nesting_dup_lengths (AccNesting *self)
{
  return acc_array_generate_expr (acc_nesting_count (self), length_of_number, self);
}

AccNesting *
acc_nesting_flatten (AccNesting *self)
{
  AccNesting *flat;

  if (self->rank == 1)
    return acc_nesting_ref (self);

  flat = acc_nesting_new (1, g_object_ref (self->offsets), NULL);
  flat->numbers = g_object_ref (acc_nesting_get_numbers (self));

  return flat;
}

/* --- the element of each value */

AccArray *
acc_nesting_get_numbers (AccNesting *self)
{
  g_mutex_lock (&self->lock);
  if (self->numbers == NULL)
    self->numbers = acc_segments_number (self->offsets, acc_nesting_total (self));
  g_mutex_unlock (&self->lock);

  return self->numbers;
}
