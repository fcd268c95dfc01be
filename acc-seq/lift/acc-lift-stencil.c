/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "acc-lift-private.h"

#include "acc-core/array/acc-array-build-private.h"

/* Stencils. Of regular elements they have one more dimension, in which neighbourhoods have one element. Of irregular ones each neighbour
 * is read within its element, by the rule of the boundary. */

/* --- regular */

typedef struct {
  AccLift     *lift;
  AccFunction *function;
  AccBoundary *boundary;
} Call;

/* Neighbourhoods have another tuple around them, of one. */
static AccExpr *
apply1 (AccExpr *n,
        gpointer data)
{
  Call *self = data;
  AccExpr *own = acc_expr_item (n, 0);

  return acc_lift_apply (self->lift, self->function, NULL, &own);
}

static AccExpr *
apply2 (AccExpr *n,
        AccExpr *m,
        gpointer data)
{
  Call *self = data;

  return acc_lift_apply (self->lift, self->function, NULL, (AccExpr *[]) { acc_expr_item (n, 0), acc_expr_item (m, 0) });
}

static AccExpr *
outside_regular (AccExpr *index,
                 gpointer data)
{
  Call *self = data;
  AccExpr *inner = acc_lift_inner_index (index, self->boundary->rank);

  return acc_lift_apply (self->lift, self->boundary->function, acc_expr_item (index, 0), &inner);
}

static AccBoundary *
regular_boundary (AccLift     *self,
                  AccBoundary *boundary)
{
  Call call = { self, NULL, boundary };

  if (boundary->kind == ACC_BOUNDARY_FUNCTION)
    return acc_boundary_new_function (boundary->rank + 1, outside_regular, &call);

  return acc_boundary_ref (boundary);
}

static gboolean
is_regular (AccLift  *self,
            AccArray *node)
{
  if (acc_lift_depends (self, node->functions[0]))
    return FALSE;
  for (guint i = 0; i < node->n_inputs; i++)
    {
      AccBoundary *boundary = acc_array_get_stencil (node)->boundaries[i];

      if (acc_lift_get_input (self, node, i)->form == ACC_LIFTED_IRREGULAR
          || (boundary->kind == ACC_BOUNDARY_CONSTANT && acc_lift_depends (self, boundary->function)))
        return FALSE;
    }

  return TRUE;
}

static AccLifted *
lift_regular (AccLift  *self,
              AccArray *node)
{
  Call call = { self, node->functions[0], NULL };
  AccLifted *inputs[2] = { NULL, NULL };
  AccArray *values[2], *made;

  for (guint i = 0; i < node->n_inputs; i++)
    {
      inputs[i] = acc_lift_to_regular (self, acc_lift_get_input (self, node, i));
      values[i] = inputs[i]->values;
    }

  made = acc_array_begin (node->op, values, node->n_inputs);
  for (guint i = 0; i < node->n_inputs; i++)
    {
      const AccStencilPayload *stencil = acc_array_get_stencil (node);
      g_autoptr(AccBoundary) boundary = regular_boundary (self, stencil->boundaries[i]);
      g_autofree gint64 *sizes = g_new (gint64, node->rank + 1);

      sizes[0] = 1;
      for (guint d = 0; d < node->rank; d++)
        sizes[d + 1] = stencil->sizes[i][d];
      acc_array_set_sizes (made, i, sizes, node->rank + 1);
      acc_array_set_boundary (made, i, boundary);
    }
  if (node->n_inputs == 1)
    acc_array_call1 (made, 0, apply1, &call);
  else
    acc_array_call2 (made, 0, apply2, &call);
  for (guint i = 0; i < node->n_inputs; i++)
    acc_lifted_unref (inputs[i]);

  return acc_lifted_new_regular (acc_array_complete (made));
}

/* --- irregular: the neighbourhood of an element, read one by one */

typedef struct {
  AccLift     *lift;
  AccLifted   *input;
  AccBoundary *boundary;
  const gint64 *sizes;
  AccExpr     *k, *extents;
  AccExpr    **at;       /* per dimension: where the neighbour is */
} Neighbourhood;

AccExpr *
acc_lift_map_inside (AccBoundaryKind kind,
                     AccExpr        *at,
                     AccExpr        *extent)
{
  g_autoptr(AccExpr) own_at = acc_expr_ref_sink (at), own = acc_expr_ref_sink (extent), last = NULL, period = NULL, place = NULL;

  last = acc_expr_ref_sink (acc_expr_sub (own, acc_array_number (1)));
  if (kind == ACC_BOUNDARY_CLAMP)
    return acc_expr_max (acc_expr_min (own_at, last), acc_array_number (0));
  if (kind == ACC_BOUNDARY_WRAP)
    return acc_expr_mod (own_at, own);

  period = acc_expr_ref_sink (acc_expr_max (acc_expr_mul (last, acc_array_number (2)), acc_array_number (1)));
  place = acc_expr_ref_sink (acc_expr_mod (own_at, period));

  return acc_expr_min (place, acc_expr_sub (acc_expr_mul (last, acc_array_number (2)), place));
}

static AccExpr *
read_inside (Neighbourhood *self,
             AccExpr       *index)
{
  AccLifted *input = self->input;

  if (input->form == ACC_LIFTED_CONSTANT)
    return acc_lifted_read (input, self->k, index);

  return acc_lifted_read_inside (input, self->k, acc_lift_ravel (index, self->extents, input->rank));
}

static AccExpr *
read_neighbour (Neighbourhood *self)
{
  guint rank = self->input->rank;
  AccBoundary *boundary = self->boundary;
  g_autofree AccExpr **items = g_new (AccExpr *, rank + 1);
  g_autoptr(AccExpr) index = NULL, inside = NULL;
  AccExpr *outside;

  for (guint d = 0; d < rank; d++)
    items[d] = boundary->function != NULL
               ? self->at[d] : acc_lift_map_inside (boundary->kind, self->at[d], acc_lift_index_item (self->extents, rank, d));
  index = acc_expr_ref_sink (acc_array_join_items (items, rank));
  if (boundary->function == NULL)
    return read_inside (self, index);

  inside = acc_expr_ref_sink (acc_lift_is_inside (index, self->extents, rank));
  outside = acc_lift_apply (self->lift, boundary->function, self->k,
                            boundary->kind == ACC_BOUNDARY_FUNCTION ? (AccExpr *[]) { index } : NULL);

  return acc_expr_cond (inside, read_inside (self, index), outside);
}

static AccExpr *
read_neighbours (Neighbourhood *self,
                 AccExpr       *centre,
                 guint          dimension)
{
  guint rank = self->input->rank;
  gint64 size;
  g_autofree AccExpr **items = NULL;

  if (dimension == rank)
    return read_neighbour (self);

  size = self->sizes[dimension];
  items = g_new (AccExpr *, size);
  for (gint64 i = 0; i < size; i++)
    {
      g_autoptr(AccExpr) at = acc_expr_ref_sink (acc_expr_add (acc_lift_index_item (centre, rank, dimension),
                                                               acc_array_number (i - size / 2)));

      self->at[dimension] = at;
      items[i] = read_neighbours (self, centre, dimension + 1);
    }

  return acc_expr_tuple (items, size);
}

static AccExpr *
neighbourhood_of (AccLift  *self,
                  AccArray *node,
                  guint     input,
                  AccExpr  *k,
                  AccExpr  *index)
{
  const AccStencilPayload *stencil = acc_array_get_stencil (node);
  AccLifted *lifted = acc_lift_get_input (self, node, input);
  g_autoptr(AccExpr) extents = acc_expr_ref_sink (acc_lifted_extents (lifted, k));
  g_autofree AccExpr **at = g_new (AccExpr *, node->rank + 1);
  Neighbourhood neighbourhood = { self, lifted, stencil->boundaries[input], stencil->sizes[input], k, extents, at };

  return read_neighbours (&neighbourhood, index, 0);
}

static AccExpr *
extents_of (AccLift *self,
            AccExpr *k,
            gpointer data)
{
  AccArray *node = data;
  AccLifted *inputs[2] = { NULL, NULL };

  for (guint i = 0; i < node->n_inputs; i++)
    inputs[i] = acc_lift_get_input (self, node, i);

  return acc_lifted_least_extents (inputs, node->n_inputs, k);
}

static AccExpr *
element_of (AccLift *self,
            AccExpr *k,
            AccExpr *index,
            gpointer data)
{
  AccArray *node = data;
  AccExpr *args[2];

  for (guint i = 0; i < node->n_inputs; i++)
    args[i] = neighbourhood_of (self, node, i, k, index);

  return acc_lift_apply (self, node->functions[0], k, args);
}

/* The nesting that all inputs have, which is that of the result, too; NULL: they have none, or several. */
static AccNesting *
get_common_nesting (AccLift  *self,
                    AccArray *node)
{
  AccNesting *nesting = acc_lift_get_input (self, node, 0)->nesting;

  for (guint i = 1; i < node->n_inputs; i++)
    if (acc_lift_get_input (self, node, i)->nesting != nesting)
      return NULL;

  return nesting;
}

AccLifted *
acc_lift_stencil (AccLift  *self,
                  AccArray *node)
{
  gboolean regular = TRUE;
  g_autoptr(AccNesting) made = NULL;
  AccNesting *nesting;

  if (is_regular (self, node))
    return lift_regular (self, node);
  for (guint i = 0; i < node->n_inputs; i++)
    regular = regular && acc_lift_get_input (self, node, i)->form != ACC_LIFTED_IRREGULAR;
  if (regular)
    return acc_lift_make_regular (self, node->rank, extents_of, element_of, node);

  nesting = get_common_nesting (self, node);
  if (nesting == NULL)
    nesting = made = acc_lift_new_nesting (self, node->rank, extents_of, node);

  return acc_lift_make (self, nesting, element_of, node);
}
