/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "acc-signature.h"

#include "acc-core/base/acc-hash-private.h"

#include <string.h>

void
acc_signature_grow (AccSignature *self)
{
  self->max = MAX (2 * self->max, 256);
  self->words = g_renew (guint64, self->words, self->max);
}

void
acc_signature_close (AccSignature *self)
{
  guint64 hash = self->n;

  for (guint i = 0; i < self->n; i++)
    hash = acc_hash_mix (hash, self->words[i]);
  self->hash = hash;
}

AccSignature
acc_signature_dup (const AccSignature *self)
{
  return (AccSignature) { g_memdup2 (self->words, self->n * sizeof (guint64)), self->n, self->n, self->hash };
}

guint
acc_signature_hash (gconstpointer words)
{
  return (guint) (((const AccSignature *) words)->hash >> 32);
}

gboolean
acc_signature_equal (gconstpointer a,
                     gconstpointer b)
{
  const AccSignature *x = a, *y = b;

  return x->hash == y->hash && x->n == y->n && memcmp (x->words, y->words, x->n * sizeof (guint64)) == 0;
}
