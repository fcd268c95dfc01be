/* SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

#include <glib.h>

/* A description of an object as words: equal objects have equal words, so that they can be found in tables. */
typedef struct {
  guint64 *words;
  guint    n;
  guint    max;
  guint64  hash;    /* once acc_signature_close () was called */
} AccSignature;

void         acc_signature_grow  (AccSignature *self);
void         acc_signature_close (AccSignature *self);
/* A copy of closed words, for a table to keep. */
AccSignature acc_signature_dup   (const AccSignature *self);
/* For tables of objects that begin with a closed signature. */
guint        acc_signature_hash  (gconstpointer signature);
gboolean     acc_signature_equal (gconstpointer a, gconstpointer b);

static inline void
acc_signature_put (AccSignature *self,
                   guint64       word)
{
  if (self->n == self->max)
    acc_signature_grow (self);
  self->words[self->n++] = word;
}
