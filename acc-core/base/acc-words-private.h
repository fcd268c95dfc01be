/* SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

#include <glib.h>

/* A description of an object as words: equal objects have equal words, so that they can be found in tables. */
typedef struct {
  guint64 *words;
  guint    n;
  guint    max;
  guint64  hash;    /* once acc_words_close () was called */
} AccWords;

void         acc_words_grow  (AccWords *self);
void         acc_words_close (AccWords *self);
/* A copy of closed words, for a table to keep. */
AccWords     acc_words_dup   (const AccWords *self);
/* For tables of objects that begin with closed words. */
guint        acc_words_hash  (gconstpointer words);
gboolean     acc_words_equal (gconstpointer a, gconstpointer b);

static inline void
acc_words_put (AccWords *self,
               guint64   word)
{
  if (self->n == self->max)
    acc_words_grow (self);
  self->words[self->n++] = word;
}
