/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "acc-sequence-graph-private.h"

#include "acc-core/array/acc-array-build-private.h"
#include "acc-seq/nested/acc-nested-array-private.h"
#include "acc-seq/sequence/producers/acc-sequence-windows-private.h"

/* Windows of an array whose extents a run tells: one array of all of them. */

typedef struct {
  AccArray                     *array;
  const AccSequenceWindowsSpec *spec;
  AccArray                     *counts;     /* one element: how many there are along each dimension */
} Windows;

/* As many as acc-sequence-grid.c counts. */
static AccExpr *
count_along (const Windows *self,
             guint          d)
{
  g_autoptr(AccExpr) extent = acc_expr_ref_sink (acc_expr_extent (self->array, d)), rest = NULL;
  AccExpr *step = acc_array_number (self->spec->steps[d]), *one = acc_array_number (1), *several;

  rest = acc_expr_ref_sink (acc_expr_sub (extent, acc_array_number (self->spec->sizes[d])));
  if (self->spec->boundary == NULL)
    return acc_expr_cond (acc_expr_lt (rest, acc_array_number (0)), acc_array_number (0),
                          acc_expr_add (acc_expr_quot (rest, step), one));

  several = acc_expr_min (acc_expr_quot (acc_expr_add (rest, acc_array_number (self->spec->steps[d] - 1)), step),
                          acc_expr_quot (acc_expr_sub (extent, acc_array_number (1)), acc_array_number (self->spec->steps[d])));
  several = acc_expr_cond (acc_expr_le (rest, acc_array_number (0)), acc_array_number (1), acc_expr_add (several, one));

  return acc_expr_cond (acc_expr_eq (extent, acc_array_number (0)), acc_array_number (0), several);
}

static AccExpr *
count_of (const Windows *self,
          guint          d)
{
  AccExpr *counts = acc_expr_the (self->counts);

  return self->array->rank == 1 ? counts : acc_expr_item (counts, d);
}

/* Where window number @k begins along dimension @d. */
static AccExpr *
locate (const Windows *self,
        AccExpr       *k,
        guint          d)
{
  AccExpr *place = k;

  for (guint i = self->array->rank; --i > d;)
    place = acc_expr_quot (place, acc_expr_max (count_of (self, i), acc_array_number (1)));
  if (d > 0)
    place = acc_expr_rem (place, acc_expr_max (count_of (self, d), acc_array_number (1)));

  return acc_expr_mul (place, acc_array_number (self->spec->steps[d]));
}

static AccExpr *
read_windows (AccExpr *index,
              gpointer data)
{
  const Windows *self = data;
  guint rank = self->array->rank;
  g_autofree AccExpr **at = g_new (AccExpr *, rank), **ends = g_new0 (AccExpr *, rank);

  for (guint d = 0; d < rank; d++)
    {
      at[d] = acc_expr_add (locate (self, acc_expr_item (index, 0), d), acc_expr_item (index, d + 1));
      if (self->spec->boundary != NULL)
        ends[d] = acc_expr_extent (self->array, d);
    }

  return acc_sequence_windows_read_at (self->array, self->spec->boundary, at, ends);
}

AccNestedArray *
acc_sequence_graph_windows (AccSequence *self)
{
  ACC_ARRAY_NAMED ("sequence_new_windows");
  Windows windows = { self->array, self->windows };
  guint rank = self->array->rank;
  g_autofree AccExpr **counts = g_new (AccExpr *, rank + 1), **extents = g_new (AccExpr *, rank + 1);
  g_autoptr(AccArray) along = NULL, all = NULL;
  AccExpr *total = NULL;

  for (guint d = 0; d < rank; d++)
    counts[d] = count_along (&windows, d);
  windows.counts = along = acc_array_unit (rank == 1 ? counts[0] : acc_expr_tuple (counts, rank));
  for (guint d = 0; d < rank; d++)
    {
      total = d == 0 ? count_of (&windows, d) : acc_expr_mul (total, count_of (&windows, d));
      extents[d + 1] = acc_array_number (self->windows->sizes[d]);
    }
  extents[0] = total;
  all = acc_array_generate_expr (acc_expr_tuple (extents, rank + 1), read_windows, &windows);

  return acc_nested_array_new_from_regular (all);
}
