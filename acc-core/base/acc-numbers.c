/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "acc-numbers-private.h"

#define FIRST_BITS 6

void
acc_numbers_clear (AccNumbers *self)
{
  self->n = 0;
  self->era++;
}

void
acc_numbers_free (AccNumbers *self)
{
  g_clear_pointer (&self->slots, g_free);
}

/* Where it is, or would be. */
static AccNumberSlot *
find (AccNumbers   *self,
      gconstpointer key)
{
  guint mask = (1u << self->n_bits) - 1;
  guint at = (guint) ((GPOINTER_TO_SIZE (key) * G_GUINT64_CONSTANT (0x9e3779b97f4a7c15)) >> (64 - self->n_bits));

  while (self->slots[at].era == self->era && self->slots[at].key != key)
    at = (at + 1) & mask;

  return &self->slots[at];
}

static void
grow (AccNumbers *self)
{
  AccNumberSlot *old = self->slots;
  guint n_old = old != NULL ? 1u << self->n_bits : 0, era = self->era;

  self->n_bits = old != NULL ? self->n_bits + 1 : FIRST_BITS;
  self->slots = g_new0 (AccNumberSlot, (gsize) 1 << self->n_bits);
  self->era = 1;
  for (guint i = 0; i < n_old; i++)
    if (old[i].era == era)
      *find (self, old[i].key) = (AccNumberSlot) { old[i].key, old[i].number, self->era };
  g_free (old);
}

gboolean
acc_numbers_add (AccNumbers   *self,
                 gconstpointer key,
                 guint        *number)
{
  AccNumberSlot *slot;

  if (self->slots == NULL || self->n * 2 >= 1u << self->n_bits)
    grow (self);

  slot = find (self, key);
  if (slot->era == self->era)
    {
      *number = slot->number;
      return FALSE;
    }
  *slot = (AccNumberSlot) { key, self->n, self->era };
  *number = self->n++;

  return TRUE;
}

gboolean
acc_numbers_lookup (AccNumbers   *self,
                    gconstpointer key,
                    guint        *number)
{
  AccNumberSlot *slot;

  if (self->slots == NULL)
    return FALSE;
  slot = find (self, key);
  if (slot->era != self->era)
    return FALSE;
  *number = slot->number;

  return TRUE;
}
