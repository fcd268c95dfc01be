/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "acc-radix.h"

/* What sorts are in both execution models. */

AccLaunch
acc_radix_get_launch (AccRadix *self,
                      gint64    inner,
                      gint64    tile_outer,
                      gint64    tile_inner,
                      double    cost)
{
  AccLaunch launch = acc_skeleton_launch (self->space, cost);

  if (!self->by_rows)
    launch.rows = ACC_SPACE_WHOLE;
  launch.inner = inner;
  launch.tile_outer = tile_outer;
  launch.tile_inner = tile_inner;

  return launch;
}

/* Whether what pass @pass writes is the result. */
static gboolean
writes_result (AccRadix *self,
               guint     pass)
{
  return (self->n_passes - 1 - pass) % 2 == 0;
}

AccElementKind
acc_radix_get_kind (AccRadix *self,
                    guint     leaf)
{
  return acc_element_type_get_leaf (self->node->array->type, leaf);
}

static AccIndex *
get_index (AccRadix *self,
           AccLower *l,
           KValue    u,
           KValue    x)
{
  AccIndex *ix = low_index_of_space (l, self->space, u, x);

  if (!self->by_rows)
    low_index_lose_rows (l, ix, self->node, "reads rows in another order");

  return ix;
}

KValue
acc_radix_get_linear (AccRadix *self,
                      AccLower *l,
                      KValue    u,
                      KValue    x)
{
  return self->space->outer == 1 ? x : kb_add (l->b, kb_mul (l->b, u, low_number (l, self->space->inner)), x);
}

/* Where pass @pass writes, of what counts all elements of the result. */
static AccPlace
get_place (AccRadix       *self,
           AccLower       *l,
           guint           pass,
           guint           leaf,
           KValue          at,
           AccBufferFlags  more)
{
  const AccRadixLeaf *to = &self->leaves[leaf];

  if (writes_result (self, pass) && to->root != NULL)
    return low_place (l, to->root->value, to->leaf, at, ACC_BUFFER_READ | ACC_BUFFER_WRITE | more);

  return (AccPlace) {
    low_scratch_with (l, writes_result (self, pass) ? to->kept : to->moved, acc_radix_get_kind (self, leaf), more),
    self->shift.id != 0 ? kb_add (l->b, at, self->shift) : at,
  };
}

gboolean
acc_radix_wants (AccRadix *self,
                 guint     pass,
                 guint     leaf)
{
  return self->leaves[leaf].root != NULL || pass + 1 < self->n_passes;
}

static guint
add_scratch (AccRadix *self,
             guint     leaf,
             gint64    n,
             gint64    n_tiles)
{
  AccElementKind kind = acc_radix_get_kind (self, leaf);

  return n_tiles > 0 ? acc_step_add_tile_scratch (self->step, kind, n, n_tiles) : acc_step_add_scratch (self->step, kind, n);
}

void
acc_radix_add_moved_of_tiles (AccRadix *self,
                              gint64    n,
                              gint64    n_tiles)
{
  for (guint i = 0; i < self->n_leaves && self->n_passes > 1; i++)
    {
      self->leaves[i].moved = add_scratch (self, i, n, n_tiles);
      if (self->leaves[i].root == NULL && self->n_passes > 2)
        self->leaves[i].kept = add_scratch (self, i, n, n_tiles);
    }
}

void
acc_radix_add_moved (AccRadix *self,
                     gint64    n)
{
  acc_radix_add_moved_of_tiles (self, n, 0);
}

KValue
acc_radix_read (AccRadix *self,
                AccLower *l,
                guint     pass,
                KValue    u,
                KValue    x,
                guint     leaf)
{
  if (pass == 0)
    return low_read (l, self->input, get_index (self, l, u, x), leaf);

  return low_load_place (l, get_place (self, l, pass - 1, leaf, acc_radix_get_linear (self, l, u, x), 0));
}

KValue
acc_radix_get_key (AccRadix *self,
                   AccLower *l,
                   guint     pass,
                   KValue    u,
                   KValue    x)
{
  AccFunction *function = self->node->array->functions[0];
  AccFrame *frame = low_frame_new (l, self->node);

  if (pass == 0)
    {
      low_bind_element (l, frame, function->params[0], self->input, get_index (self, l, u, x));
    }
  else
    {
      KValue *leaves = low_alloc (l, self->n_leaves * sizeof (KValue));

      for (guint i = 0; i < self->n_leaves; i++)
        leaves[i] = acc_radix_read (self, l, pass, u, x, i);
      low_bind_values (l, frame, function->params[0], leaves);
    }

  return low_expr (l, frame, function->body, 0);
}

KValue
acc_radix_get_digit (AccRadix *self,
                     AccLower *l,
                     guint     pass,
                     KValue    key)
{
  AccKernelBuilder *b = l->b;
  /* The mask changes nothing, but says so to who compiles it. */
  KValue mask = low_const (l, 8 * acc_element_kind_get_size (self->key) - 1);
  KValue shifted = pass == 0 && !self->is_uniform
                   ? key : kb_prim2 (b, ACC_PRIM_SHR, key, kb_and (b, low_number (l, pass * ACC_RADIX_BITS), mask));

  return low_within (l, kb_cast (b, ACC_KIND_I64, kb_and (b, shifted, kb_int (b, self->key, ACC_RADIX_N_DIGITS - 1))), 0,
                     ACC_RADIX_N_DIGITS - 1);
}

void
acc_radix_write (AccRadix *self,
                 AccLower *l,
                 guint     pass,
                 guint     leaf,
                 KValue    at,
                 KValue    value)
{
  low_store_place (l, get_place (self, l, pass, leaf, at, self->written), value);
}
