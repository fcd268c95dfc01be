/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "acc-lower.h"

/* Buffers, and places in them. */

static KBuffer
add_buffer (AccLower      *l,
            const AccSlot *slot,
            AccElementKind kind,
            AccBufferFlags flags,
            const char    *name)
{
  KBuffer buffer = kb_param_buffer (l->b, kind, flags | ACC_BUFFER_NO_ALIAS, name);

  g_array_append_vals (l->slots, slot, 1);

  return buffer;
}

KBuffer
low_scratch (AccLower      *l,
             guint          scratch,
             AccElementKind kind)
{
  return low_scratch_with (l, scratch, kind, 0);
}

KBuffer
low_scratch_with (AccLower      *l,
                  guint          scratch,
                  AccElementKind kind,
                  AccBufferFlags more)
{
  gpointer key = GSIZE_TO_POINTER ((gsize) scratch << 2 | 1);
  gpointer known = g_hash_table_lookup (l->buffers, key);
  const AccSlot slot = { .kind = ACC_SLOT_SCRATCH, .scratch = scratch };
  KBuffer buffer;

  if (known != NULL)
    return (KBuffer) { GPOINTER_TO_UINT (known) };

  buffer = add_buffer (l, &slot, kind, ACC_BUFFER_READ | ACC_BUFFER_WRITE | more, "scratch");
  g_hash_table_insert (l->buffers, key, GUINT_TO_POINTER (buffer.id));

  return buffer;
}

static KBuffer
value_buffer (AccLower      *l,
              guint          value,
              guint          number,
              AccElementKind kind,
              AccBufferFlags flags)
{
  gpointer key = GSIZE_TO_POINTER ((gsize) value << 34 | (gsize) number << 2 | 2);
  gpointer known = g_hash_table_lookup (l->buffers, key);
  const AccSlot slot = { .kind = ACC_SLOT_BUFFER, .value = value, .buffer = number };
  g_autofree char *name = NULL;
  KBuffer buffer;

  if (known != NULL)
    return (KBuffer) { GPOINTER_TO_UINT (known) };

  name = g_strdup_printf ("v%u_%u", value, number);
  buffer = add_buffer (l, &slot, kind, flags, name);
  g_hash_table_insert (l->buffers, key, GUINT_TO_POINTER (buffer.id));

  return buffer;
}

AccPlace
low_place (AccLower      *l,
           guint          value,
           guint          leaf,
           KValue         element,
           AccBufferFlags flags)
{
  AccElementType *type = acc_fusion_peek_value (l->fusion, value)->type;
  const AccLeafPlace *place = acc_element_type_locate (type, leaf);
  KValue at = element;

  if (place->lanes > 1)
    at = low_mul (l, at, low_const (l, place->lanes));
  if (place->lane > 0)
    at = low_add (l, at, low_const (l, place->lane));

  return (AccPlace) { value_buffer (l, value, place->buffer, place->kind, flags), at };
}

KValue
low_load_place (AccLower *l,
                AccPlace  place)
{
  return kb_load (l->b, place.buffer, place.at);
}

void
low_store_place (AccLower *l,
                 AccPlace  place,
                 KValue    value)
{
  kb_store (l->b, place.buffer, place.at, value);
}

void
low_store (AccLower *l,
           AccRoot  *root,
           guint     leaf,
           KValue    element,
           KValue    value)
{
  AccBufferFlags flags = ACC_BUFFER_WRITE | (l->once ? ACC_BUFFER_ONCE : 0);

  low_store_place (l, low_place (l, root->value, leaf, element, flags), value);
}
