/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "acc-lift-private.h"

#include "acc-core/array/acc-array-build-private.h"
#include "acc-core/derived/acc-array-segments-private.h"

/* Rows as segments, where those of other elements are. */

static AccExpr *
begin_or_end (AccExpr *index,
              gpointer values)
{
  AccArray *array = values;

  return acc_expr_mul (index, acc_expr_extent (array, array->rank - 1));
}

AccArray *
acc_lift_offsets_of_row (AccArray *values)
{
  return acc_array_generate_expr (acc_array_number (2), begin_or_end, values);
}

AccExpr *
acc_lift_extents_of_rows (AccArray *values)
{
  g_autofree AccExpr **extents = acc_array_list_extents (values);

  acc_expr_unref (acc_expr_ref_sink (extents[values->rank - 1]));

  return acc_array_join_items (extents, values->rank - 1);
}

/* --- rows of an element that takes the place of what is the same for all */

/* A vector that is longer than all pieces which workers cut segments into is grouped as a segment of as many elements, and goes by rows;
 * but where devices scan it, by tiles, segments by pieces, and where folds of segments are composed of others. */
#define LONGEST_PIECE 32768

static gboolean
is_grouped_alike (AccLift  *self,
                  AccArray *values,
                  gboolean  scans)
{
  return values->rank == 1 && values->shape != NULL && acc_shape_get_size (values->shape) > LONGEST_PIECE
         && !(scans ? self->on_device : self->is_composed);
}

/* Where rows of @values are among all of its elements; @all: those are one. */
static AccArray *
offsets_among_all (AccArray *values,
                   AccArray *flat,
                   gboolean  all)
{
  g_autoptr(AccExpr) n_rows = acc_expr_ref_sink (acc_array_number (1));

  if (all || values->rank == 1)
    return acc_lift_offsets_of_row (flat);

  for (guint i = 0; i + 1 < values->rank; i++)
    {
      AccExpr *more = acc_expr_ref_sink (acc_expr_mul (n_rows, acc_expr_extent (values, i)));

      acc_expr_unref (n_rows);
      n_rows = more;
    }

  return acc_array_generate_expr (acc_expr_add (n_rows, acc_array_number (1)), begin_or_end, values);
}

static AccExpr *
combine (AccExpr *x,
         AccExpr *y,
         gpointer function)
{
  return acc_function_apply (function, (AccExpr *[]) { x, y });
}

static AccArray *
scan_segments (AccArray    *node,
               AccSegments *segments)
{
  AccArray *values = node->inputs[0];
  g_autoptr(AccArray) scanned = acc_segments_scan (segments, FALSE, ACC_SEED_NONE);
  g_autofree AccExpr **extents = NULL;

  if (values->rank == 1)
    return g_steal_pointer (&scanned);
  extents = acc_array_list_extents (values);

  return acc_array_reshape_expr (scanned, acc_array_join_items (extents, values->rank));
}

static AccArray *
fold_segments (AccArray    *node,
               AccSegments *segments)
{
  AccArray *values = node->inputs[0];
  g_autoptr(AccExpr) initial = node->functions[1] != NULL ? acc_expr_ref_sink (acc_function_apply (node->functions[1], NULL)) : NULL;
  g_autoptr(AccArray) folded = NULL;
  g_autoptr(AccShape) scalar = NULL;

  segments->initial = initial;
  folded = acc_array_keep_commutes (acc_segments_fold (segments, FALSE), node->functions[0]);
  if (node->rank > 0)
    return acc_array_reshape_expr (folded, acc_lift_extents_of_rows (values));
  scalar = acc_shape_new_scalar ();

  return acc_array_reshape (folded, scalar);
}

AccArray *
acc_lift_rows_of_constant (AccLift  *self,
                           AccArray *node)
{
  gboolean scans = node->op == ACC_OP_SCANL1, all = acc_operation_has_fact (node->op, ACC_FACT_FOLDS_ALL);
  g_autoptr(AccArray) flat = NULL, offsets = NULL;
  AccArray *values;

  if (acc_element_type_is_exact (node->type) || !(scans || all || node->op == ACC_OP_FOLD || node->op == ACC_OP_FOLD1))
    return NULL;
  values = node->inputs[0];
  /* That there is something to fold is for the node to check. */
  if (is_grouped_alike (self, values, scans)
      || (!scans && node->functions[1] == NULL && (values->shape == NULL || acc_shape_get_size (values->shape) == 0)))
    return NULL;

  flat = values->rank == 1 ? g_object_ref (values) : acc_array_flatten (values);
  offsets = offsets_among_all (values, flat, all);
  {
    AccSegments segments = { .array = flat, .offsets = offsets, .combine = combine, .data = node->functions[0] };

    return scans ? scan_segments (node, &segments) : fold_segments (node, &segments);
  }
}
