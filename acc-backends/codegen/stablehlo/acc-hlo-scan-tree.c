/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "acc-hlo-scan-tree.h"

/* Elements of a block: each costs an operator in the text of each of some levels. */
#define BLOCK 16

typedef struct {
  const AccElementKind *kinds;
  guint                 n_leaves;
  AccHloCombine         combine;
  gpointer              data;
} Tree;

/* The elements of each block, side by side: [place * n_leaves + leaf], vectors of @n_blocks. */
static AccHloValue *
split (AccHlo            *self,
       const Tree        *tree,
       gint64             n,
       gint64             n_blocks,
       gint64             width,
       const AccHloValue *values)
{
  AccHloValue *places = g_new (AccHloValue, (gsize) width * tree->n_leaves + 1);
  gint64 n_filled = n_blocks * width;
  AccHloShape filled = { 1, &n_filled }, blocks = { 2, (gint64[]) { n_blocks, width } }, column = { 2, (gint64[]) { n_blocks, 1 } };

  for (guint i = 0; i < tree->n_leaves; i++)
    {
      AccElementKind kind = tree->kinds[i];
      AccHloValue all = acc_hlo_fit (self, values[i], (AccHloShape) { 1, &n }, filled, kind);

      all = acc_hlo_reshape (self, all, filled, blocks, kind);
      for (gint64 k = 0; k < width; k++)
        {
          AccHloValue one = acc_hlo_slice_in (self, all, blocks, 1, k, 1, kind);

          places[k * tree->n_leaves + i] = acc_hlo_reshape (self, one, column, (AccHloShape) { 1, &n_blocks }, kind);
        }
    }

  return places;
}

static void
join (AccHlo            *self,
      const Tree        *tree,
      gint64             n,
      gint64             n_blocks,
      gint64             width,
      const AccHloValue *places,
      AccHloValue       *values)
{
  gint64 n_filled = n_blocks * width, lengths[BLOCK];
  AccHloShape filled = { 1, &n_filled }, blocks = { 2, (gint64[]) { n_blocks, width } }, column = { 2, (gint64[]) { n_blocks, 1 } };
  AccHloValue parts[BLOCK];

  for (guint i = 0; i < tree->n_leaves; i++)
    {
      AccElementKind kind = tree->kinds[i];
      AccHloValue all;

      for (gint64 k = 0; k < width; k++)
        {
          parts[k] = acc_hlo_reshape (self, places[k * tree->n_leaves + i], (AccHloShape) { 1, &n_blocks }, column, kind);
          lengths[k] = 1;
        }
      all = acc_hlo_concatenate (self, parts, lengths, (guint) width, 1, blocks, kind);
      all = acc_hlo_reshape (self, all, blocks, filled, kind);
      values[i] = acc_hlo_fit (self, all, filled, (AccHloShape) { 1, &n }, kind);
    }
}

/* Vectors of totals, scanned, become what is before each block; of the first, anything. */
static void
move_up (AccHlo      *self,
         const Tree  *tree,
         gint64       n,
         AccHloValue *totals)
{
  AccHloShape all = { 1, &n };

  for (guint i = 0; i < tree->n_leaves; i++)
    {
      AccElementKind kind = tree->kinds[i];
      AccHloValue first = acc_hlo_slice_in (self, totals[i], all, 0, 0, 1, kind);
      AccHloValue others = acc_hlo_slice_in (self, totals[i], all, 0, 0, n - 1, kind);

      totals[i] = acc_hlo_concatenate (self, (AccHloValue[]) { first, others }, (gint64[]) { 1, n - 1 }, 2, 0, all, kind);
    }
}

static void
scan (AccHlo      *self,
      const Tree  *tree,
      gint64       n,
      AccHloValue *values)
{
  guint n_leaves = tree->n_leaves;
  gint64 width = MIN (n, BLOCK), n_blocks = (n + width - 1) / width;
  AccHloShape blocks = { 1, &n_blocks };
  g_autofree AccHloValue *places = split (self, tree, n, n_blocks, width, values);
  g_autofree AccHloValue *totals = g_new (AccHloValue, n_leaves + 1), *both = g_new (AccHloValue, n_leaves + 1);
  AccHloValue is_later;

  for (gint64 k = 1; k < width; k++)
    {
      tree->combine (self, places + (k - 1) * n_leaves, places + k * n_leaves, blocks, both, tree->data);
      for (guint i = 0; i < n_leaves; i++)
        places[k * n_leaves + i] = both[i];
    }
  if (n_blocks > 1)
    {
      for (guint i = 0; i < n_leaves; i++)
        totals[i] = places[(width - 1) * n_leaves + i];
      scan (self, tree, n_blocks, totals);
      move_up (self, tree, n_blocks, totals);
      is_later = acc_hlo_compare (self, "NE", acc_hlo_iota (self, blocks, 0, ACC_KIND_I64), acc_hlo_integer (self, blocks, ACC_KIND_I64, 0),
                                  blocks, ACC_KIND_I64);
      for (gint64 k = 0; k < width; k++)
        {
          tree->combine (self, totals, places + k * n_leaves, blocks, both, tree->data);
          for (guint i = 0; i < n_leaves; i++)
            places[k * n_leaves + i] = acc_hlo_select (self, is_later, both[i], places[k * n_leaves + i], blocks, tree->kinds[i]);
        }
    }
  join (self, tree, n, n_blocks, width, places, values);
}

void
acc_hlo_scan_tree (AccHlo               *self,
                   const AccElementKind *kinds,
                   guint                 n_leaves,
                   gint64                n,
                   AccHloCombine         combine,
                   gpointer              data,
                   AccHloValue          *values)
{
  const Tree tree = { kinds, n_leaves, combine, data };

  if (n > 1)
    scan (self, &tree, n, values);
}
