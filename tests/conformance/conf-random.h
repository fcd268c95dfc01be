/* SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

#include "conformance.h"

/* Random operations on arrays of any types, of which each gives the same in any order of its sums, and nodes of graphs of them. The same
 * numbers are drawn for the same seed. */

typedef struct {
  GRand     *rand;
  GPtrArray *pool;      /* AccArray: what nodes are made of */
  gboolean   rows;      /* prefers operations that keep rows */
  gboolean   sources;   /* some inputs are sources */
  guint      n_grown;   /* of conf_random_function(): how often arrays were made larger */
} ConfRandom;

/* From 0 to @n - 1. */
gint            conf_pick           (ConfRandom *c, gint n);
AccArray       *conf_any            (ConfRandom *c);
AccElementType *conf_any_scalar     (ConfRandom *c);
/* A scalar type, or now and then a packed one. */
AccElementType *conf_any_item       (ConfRandom *c);
/* Another one of the same rank, or the same. */
AccArray       *conf_partner        (ConfRandom *c, AccArray *array);

/* Exact functions of elements; @data is a ConfRandom, and the last one needs none. */
AccExpr        *conf_random_element (ConfRandom *c, AccExpr **leaves, guint n);
AccExpr        *conf_random_map     (AccExpr *x, gpointer data);
AccExpr        *conf_random_with    (ConfRandom *c, AccExpr *x, AccExpr *other);
AccExpr        *conf_random_zip     (AccExpr *x, AccExpr *y, gpointer data);
AccExpr        *conf_random_zip3    (AccExpr *x, AccExpr *y, AccExpr *z, gpointer data);
AccExpr        *conf_random_combine (AccExpr *x, AccExpr *y, gpointer data);

typedef struct {
  ConfRandom *c;
  AccArray   *array;
} ConfAccess;

/* Any index of the array of @data, a ConfAccess, from any index. */
AccExpr        *conf_random_wrap    (AccExpr *index, gpointer data);

/* A node of arrays whose shapes are known. */
AccArray       *conf_random_node    (ConfRandom *c);

/* --- conf-random-function.c: of arrays whose extents are not known */

/* Results that more is made of have at most so many dimensions. */
#define CONF_MOST_RANK 3

/* How many kinds of steps there are, and behind them those that fail for some arrays; NULL: no such. */
guint           conf_n_steps         (void);
guint           conf_n_failures      (void);
const char     *conf_get_failure     (guint step);
/* What a few steps make of @arrays, the last of kind @step; the same for the same @seed, whatever the extents. */
AccArray       *conf_random_function (AccArray **arrays, guint n, guint32 seed, guint step);
