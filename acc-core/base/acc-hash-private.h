/* SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

#include <glib.h>

/* Adds a word to a hash. The upper half of the result is the better one. */
static inline guint64
acc_hash_mix (guint64 hash,
              guint64 word)
{
  return ((hash << 5 | hash >> 59) ^ word) * G_GUINT64_CONSTANT (0x517cc1b727220a95);
}
