/* SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

#include <acc/acc.h>

typedef struct {
  AccArray *q, *k, *v;      /* [n,d] of f4 */
  gint64    d, block;
} Attention;

/* softmax (Q Kᵀ / √d) V, [n,d] of f4; @attention is read when the program is built, and must last until then. */
AccArray *attention_attend (Attention *attention);
