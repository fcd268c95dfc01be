/* SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

#include <glib.h>

/* The attention of @n queries to @n keys and values of @d numbers each, by plain loops in double precision. */
void attention_plain (const float *q, const float *k, const float *v, gsize n, gsize d, double *result);
