/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "acc-words-private.h"

#include "acc-hash-private.h"

#include <string.h>

void
acc_words_grow (AccWords *self)
{
  self->max = MAX (2 * self->max, 256);
  self->words = g_renew (guint64, self->words, self->max);
}

void
acc_words_close (AccWords *self)
{
  guint64 hash = self->n;

  for (guint i = 0; i < self->n; i++)
    hash = acc_hash_mix (hash, self->words[i]);
  self->hash = hash;
}

AccWords
acc_words_dup (const AccWords *self)
{
  return (AccWords) { g_memdup2 (self->words, self->n * sizeof (guint64)), self->n, self->n, self->hash };
}

guint
acc_words_hash (gconstpointer words)
{
  return (guint) (((const AccWords *) words)->hash >> 32);
}

gboolean
acc_words_equal (gconstpointer a,
                 gconstpointer b)
{
  const AccWords *x = a, *y = b;

  return x->hash == y->hash && x->n == y->n && memcmp (x->words, y->words, x->n * sizeof (guint64)) == 0;
}
