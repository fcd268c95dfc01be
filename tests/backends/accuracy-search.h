/* SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

#include <glib.h>

/* A search for the arguments for which a function errs most. */

#define SEARCH_MAX_NUMBERS 4
#define SEARCH_KEPT        64

typedef struct {
  double error, got[2];
  double at[SEARCH_MAX_NUMBERS];
} Found;

/* The worst first */
typedef struct {
  Found found[SEARCH_KEPT];
} Worst;

typedef struct {
  guint    n_numbers;    /* of an argument */
  gboolean is_narrow;    /* they are f4 */
  guint    effort;       /* 1 or more */
  guint32  seed;
  double (*draw)    (GRand *random, gpointer data);
  /* Fills in what was got, and the error, of each of @n arguments. */
  void   (*measure) (Found *found, gsize n, gpointer data);
  gpointer data;
} Search;

void search_note (Worst *worst, const Found *found);
/* Arguments drawn, then ever nearer to the worst of them: all those that begin with the same bits as these, of ever more bits. @first:
 * arguments to begin with, of one number each. */
void search_run  (const Search *self, const double *first, gsize n_first, Worst *worst);
