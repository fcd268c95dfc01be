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

/* --- whether loops over the values of each element are worth it */

/* Values of an element for which one thread is no loss, or for which there are so many others that all threads have enough. */
#define MOST_VALUES 32768
#define MANY_MORE   64
/* Elements that lanes take side by side, which wait for the longest; and how many times as much as there is that may be. */
#define LANES      16
#define MOST_WASTE 4

static gboolean
are_even (AccNesting *nesting)
{
  AccArray *offsets = nesting->offsets;
  const gint64 *at = acc_array_is_manifest (offsets) ? acc_buffer_map (acc_array_get_buffers (offsets)[0], NULL) : NULL;
  gint64 n = at != NULL ? acc_shape_get_extent (offsets->shape, 0) - 1 : 0, most = 0, sum = 0;

  if (n <= 0)
    return FALSE;

  for (gint64 i = 0; i < n; i += LANES)
    {
      gint64 longest = 0;

      for (gint64 j = i; j < MIN (i + LANES, n); j++)
        longest = MAX (longest, at[j + 1] - at[j]);
      sum += longest * LANES;
      most = MAX (most, longest);
    }

  return (most <= MOST_VALUES || most <= (at[n] - at[0]) / MANY_MORE)
         && (sum - most * LANES) / MOST_WASTE <= at[n] - at[0];
}

gboolean
acc_nesting_is_even (AccNesting *self)
{
  gint even = g_atomic_int_get (&self->even);

  if (even == 0)
    {
      even = are_even (self) ? 1 : -1;
      g_atomic_int_set (&self->even, even);
    }

  return even > 0;
}

void
acc_nesting_set_even (AccNesting *self,
                      gboolean    even)
{
  g_atomic_int_set (&self->even, even ? 1 : -1);
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
