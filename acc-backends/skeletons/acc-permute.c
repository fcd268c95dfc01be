/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "acc-permute.h"

#include "acc-error.h"

/* What permutes are in both execution models. */

AccElementKind
acc_permute_get_kind (AccPermute *self,
                      guint       leaf)
{
  return acc_element_type_get_leaf (self->node->array->type, leaf);
}

gint64
acc_permute_count_bytes (AccPermute *self)
{
  gint64 bytes = 0;

  for (guint i = 0; i < self->n_leaves; i++)
    bytes += acc_element_kind_get_size (acc_permute_get_kind (self, i));

  return bytes;
}

AccPlace
acc_permute_get_result (AccPermute     *self,
                        AccLower       *l,
                        guint           leaf,
                        KValue          element,
                        AccBufferFlags  more)
{
  return low_place (l, self->root->value, leaf, element, ACC_BUFFER_READ | ACC_BUFFER_WRITE | more);
}

void
acc_permute_write_default (AccPermute *self,
                           AccLower   *l,
                           KValue      u,
                           KValue      x)
{
  AccIndex *ix = low_index_of_space (l, self->results, u, x);
  KValue address = low_index_address (l, ix, self->node->extents);

  if (self->n_source > 0)
    low_index_lose_rows (l, ix, self->node, "reads its defaults before the first row");
  for (guint i = 0; i < self->n_leaves; i++)
    low_store (l, self->root, i, address, low_read (l, self->defaults, ix, i));
}

KValue *
acc_permute_read (AccPermute     *self,
                  AccLower       *l,
                  const AccIndex *ix)
{
  KValue *values = low_alloc (l, (self->n_leaves + 1) * sizeof (KValue));

  for (guint i = 0; i < self->n_leaves; i++)
    values[i] = low_read (l, self->source, ix, i);

  return values;
}

void
acc_permute_combine (AccPermute     *self,
                     AccLower       *l,
                     const KValue   *new_value,
                     KValue          target,
                     AccBufferFlags  more)
{
  KValue *old_value = low_alloc (l, (self->n_leaves + 1) * sizeof (KValue));
  KValue *both = low_alloc (l, (self->n_leaves + 1) * sizeof (KValue));

  for (guint i = 0; i < self->n_leaves; i++)
    old_value[i] = low_load_place (l, acc_permute_get_result (self, l, i, target, more));
  low_apply2 (l, self->node, self->node->array->functions[0], new_value, old_value, both);
  for (guint i = 0; i < self->n_leaves; i++)
    low_store_place (l, acc_permute_get_result (self, l, i, target, more), both[i]);
}

KValue
acc_permute_get_wanted (AccPermute     *self,
                        AccLower       *l,
                        const AccIndex *ix)
{
  guint n = acc_element_type_get_n_leaves (self->targets->array->type);

  return n > self->node->rank ? low_read (l, self->targets, ix, 0) : kb_int (l->b, ACC_KIND_BOOL, 1);
}

KValue
acc_permute_get_target (AccPermute     *self,
                        AccLower       *l,
                        const AccIndex *ix,
                        gboolean        is_checked,
                        KValue         *target)
{
  AccKernelBuilder *b = l->b;
  guint first = acc_element_type_get_n_leaves (self->targets->array->type) - self->node->rank;
  KValue inside = kb_int (b, ACC_KIND_BOOL, 1);

  *target = low_const (l, 0);
  for (guint d = 0; d < self->node->rank; d++)
    {
      KValue at = low_read (l, self->targets, ix, first + d);
      gint64 lo, hi;

      low_get_range (l, at, &lo, &hi);
      if (l->checks && (lo < 0 || hi >= self->node->extents[d]))
        {
          KValue extent = low_number (l, self->node->extents[d]);
          /* What is negative is larger than any extent. */
          KValue ok = kb_lt (b, kb_cast (b, ACC_KIND_U64, at), kb_cast (b, ACC_KIND_U64, extent));

          if (is_checked)
            kb_check (b, ok, ACC_ERROR_BOUNDS, acc_fusion_get_origin (l->fusion, self->node->array), at, extent);
          inside = kb_and (b, inside, ok);
        }
      *target = low_add (l, *target, low_mul (l, at, low_stride (l, acc_extents_multiply (self->node->extents, d + 1, self->node->rank))));
    }

  return inside;
}

KValue
acc_permute_same_bits (AccKernelBuilder *b,
                       AccElementKind    kind,
                       KValue            x,
                       KValue            y)
{
  AccElementKind bits = acc_element_kind_is_float (kind) ? acc_skeleton_get_bits (kind) : kind;

  return bits == kind ? kb_eq (b, x, y) : kb_eq (b, kb_bitcast (b, bits, x), kb_bitcast (b, bits, y));
}

void
acc_permute_visit (AccPermute       *self,
                   AccLower         *l,
                   const AccIndex   *ix,
                   gboolean          is_checked,
                   AccPermuteTarget  visit,
                   gpointer          data)
{
  low_if (l, acc_permute_get_wanted (self, l, ix))
    {
      KValue target;

      low_if (l, acc_permute_get_target (self, l, ix, is_checked, &target))
        {
          visit (self, l, ix, target, data);
        }
    }
}
