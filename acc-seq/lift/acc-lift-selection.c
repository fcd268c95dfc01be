/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "acc-lift-private.h"

#include "acc-core/array/acc-array-build-private.h"

/* Replication and slices. */

/* @extent, or a bounds error where an index that is sliced at is outside element @k. */
static AccExpr *
check_sliced (const AccSelectionPayload *selection,
              AccLifted                 *input,
              AccExpr                   *k,
              AccExpr                   *extent)
{
  AccExpr *inside = acc_expr_new_bool (TRUE);

  for (guint i = 0; i < selection->n; i++)
    if (selection->entries[i] != ACC_ALL)
      inside = acc_expr_land (inside, acc_expr_gt (acc_lifted_extent (input, k, i), acc_array_number (selection->entries[i])));

  return acc_expr_cond (inside, extent, acc_expr_linear_index (input->nesting->offsets, acc_array_number (-1)));
}

static AccExpr *
selected_extents (AccLift  *self,
                  AccArray *node,
                  AccExpr  *k)
{
  const AccSelectionPayload *selection = acc_array_get_selection (node);
  AccLifted *input = acc_lift_get_input (self, node, 0);
  g_autofree AccExpr **items = g_new (AccExpr *, selection->n + 1);
  guint n = 0, used = 0;

  for (guint i = 0; i < selection->n; i++)
    {
      gboolean all = selection->entries[i] == ACC_ALL;

      if (node->op == ACC_OP_REPLICATE)
        items[n++] = all ? acc_lifted_extent (input, k, used++) : acc_array_number (selection->entries[i]);
      else if (all)
        items[n++] = acc_lifted_extent (input, k, i);
    }
  /* Also where there is nothing to be read. */
  if (node->op == ACC_OP_SLICE && n > 0 && input->form == ACC_LIFTED_IRREGULAR)
    items[0] = check_sliced (selection, input, k, items[0]);

  return acc_array_join_items (items, n);
}

static AccExpr *
selected_element (AccLift  *self,
                  AccArray *node,
                  AccExpr  *k,
                  AccExpr  *index)
{
  const AccSelectionPayload *selection = acc_array_get_selection (node);
  g_autofree AccExpr **items = g_new (AccExpr *, selection->n + 1);
  guint n = 0, kept = 0;

  for (guint i = 0; i < selection->n; i++)
    {
      gboolean all = selection->entries[i] == ACC_ALL;

      if (node->op == ACC_OP_REPLICATE && all)
        items[n++] = acc_lift_index_item (index, node->rank, i);
      else if (node->op == ACC_OP_SLICE)
        items[n++] = all ? acc_lift_index_item (index, node->rank, kept++) : acc_array_number (selection->entries[i]);
    }

  return acc_lifted_read (acc_lift_get_input (self, node, 0), k, acc_array_join_items (items, n));
}

static AccArray *
regular_selection (AccLift   *self,
                   AccArray  *node,
                   AccArray **inputs)
{
  const AccSelectionPayload *selection = acc_array_get_selection (node);
  g_autofree gint64 *entries = g_new (gint64, selection->n + 1);

  entries[0] = ACC_ALL;
  for (guint i = 0; i < selection->n; i++)
    entries[i + 1] = selection->entries[i];

  return node->op == ACC_OP_REPLICATE ? acc_array_replicate (inputs[0], entries, selection->n + 1)
                                      : acc_array_slice (inputs[0], entries, selection->n + 1);
}

static const AccLiftKind selection_kind = { selected_extents, selected_element, regular_selection };

AccLifted *
acc_lift_selection (AccLift  *self,
                    AccArray *node)
{
  return acc_lift_elements (self, node, &selection_kind);
}
