/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "acc-sequence-graph-private.h"

#include "acc-core/array/acc-array-build-private.h"
#include "acc-core/expr/acc-expr-private.h"
#include "acc-seq/lift/acc-lift-private.h"
#include "acc-seq/nested/acc-nested-array-private.h"
#include "acc-seq/sequence/producers/acc-sequence-grid-private.h"

/* Windows of an array whose extents a run tells: one array of all of them, as acc-sequence-windows-function.c reads one. */

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
  AccBoundary *boundary = self->spec->boundary;
  AccBoundaryKind kind = boundary != NULL ? acc_boundary_get_kind (boundary) : ACC_BOUNDARY_CLAMP;
  g_autofree AccExpr **items = g_new (AccExpr *, self->array->rank);
  AccExpr *inside = acc_expr_new_bool (TRUE), *value;

  for (guint d = 0; d < self->array->rank; d++)
    {
      AccExpr *at = acc_expr_add (locate (self, acc_expr_item (index, 0), d), acc_expr_item (index, d + 1));

      if (boundary != NULL && kind == ACC_BOUNDARY_CONSTANT)
        inside = acc_expr_land (inside, acc_expr_lt (at, acc_expr_extent (self->array, d)));
      items[d] = boundary != NULL && kind != ACC_BOUNDARY_CONSTANT ? acc_lift_map_inside (kind, at, acc_expr_extent (self->array, d)) : at;
    }
  value = acc_expr_index (self->array, acc_array_join_items (items, self->array->rank));
  if (boundary == NULL || kind != ACC_BOUNDARY_CONSTANT)
    {
      acc_expr_unref (acc_expr_ref_sink (inside));
      return value;
    }

  return acc_expr_cond (inside, value, acc_expr_resolve (boundary->function->body, self->array->type));
}

AccNestedArray *
acc_sequence_graph_windows (AccSequence *self)
{
  ACC_ARRAY_NAMED ("sequence_new_windows");
  Windows windows = { self->array, self->windows };
  guint rank = self->array->rank;
  g_autofree AccExpr **counts = g_new (AccExpr *, rank + 1), **extents = g_new (AccExpr *, rank + 1);
  g_autoptr(AccArray) along = NULL, all = NULL;
  g_autoptr(GError) error = NULL;
  AccExpr *total = NULL;

  if (!acc_sequence_grid_check (rank, self->windows->sizes, self->windows->steps, rank, self->windows->boundary, &error))
    return acc_nested_array_new_error (acc_sequence_new_mistake ("sequence_new_windows", (AccError) error->code, "%s", error->message));

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
