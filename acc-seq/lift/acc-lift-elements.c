/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "acc-lift-private.h"

#include "acc-core/array/acc-array-build-private.h"

/* Operations each element of whose result follows from its index: what it is, for any form, and the same operation of one more
 * dimension where that is enough. */

/* A node that is lifted. */
typedef struct {
  const AccLiftKind *kind;
  AccArray          *node;
} Lifting;

static AccExpr *
extents_of (AccLift *self,
            AccExpr *k,
            gpointer data)
{
  const Lifting *lifting = data;

  return lifting->kind->extents (self, lifting->node, k);
}

static AccExpr *
element_of (AccLift *self,
            AccExpr *k,
            AccExpr *index,
            gpointer data)
{
  const Lifting *lifting = data;

  return lifting->kind->element (self, lifting->node, k, index);
}

static AccExpr *
read_input (AccLift  *self,
            AccArray *node,
            guint     input,
            AccExpr  *k,
            AccExpr  *index)
{
  return acc_lifted_read (acc_lift_get_input (self, node, input), k, index);
}

/* Whether all inputs are constant or regular. */
static gboolean
has_regular_inputs (AccLift  *self,
                    AccArray *node)
{
  for (guint i = 0; i < node->n_inputs; i++)
    if (acc_lift_get_input (self, node, i)->form == ACC_LIFTED_IRREGULAR)
      return FALSE;

  return TRUE;
}

static AccLifted *
lift_regular (AccLift  *self,
              AccArray *node,
              Lifting  *lifting)
{
  g_autoptr(GPtrArray) owned = g_ptr_array_new_with_free_func ((GDestroyNotify) acc_lifted_unref);
  g_autofree AccArray **inputs = g_new (AccArray *, node->n_inputs + 1);
  AccArray *made;

  for (guint i = 0; i < node->n_inputs; i++)
    {
      AccLifted *input = acc_lift_to_regular (self, acc_lift_get_input (self, node, i));

      g_ptr_array_add (owned, input);
      inputs[i] = input->values;
    }

  made = lifting->kind->regular != NULL ? lifting->kind->regular (self, node, inputs) : NULL;

  return made != NULL ? acc_lifted_new_regular (made) : acc_lift_make_regular (self, node->rank, extents_of, element_of, lifting);
}

/* Values of inputs that have one nesting, in place of a function of the element and the index. */
static AccLifted *
lift_flat (AccLift  *self,
           AccArray *node,
           Lifting  *lifting)
{
  g_autofree AccArray **values = g_new (AccArray *, node->n_inputs + 1);
  AccNesting *nesting = acc_lift_get_input (self, node, 0)->nesting;
  AccArray *made;

  for (guint i = 0; i < node->n_inputs; i++)
    {
      AccLifted *input = acc_lift_get_input (self, node, i);

      if (input->nesting != nesting || nesting == NULL)
        return NULL;
      values[i] = input->values;
    }

  made = lifting->kind->flat (self, node, values, nesting);

  return made != NULL ? acc_lifted_new_irregular (acc_nesting_ref (nesting), made) : NULL;
}

AccLifted *
acc_lift_elements (AccLift *self, AccArray *node, const AccLiftKind *kind)
{
  Lifting lifting = { kind, node };
  g_autoptr(AccNesting) nesting = NULL;
  AccLifted *flat;

  if (has_regular_inputs (self, node) && acc_lift_is_uniform (self, node->extents))
    return lift_regular (self, node, &lifting);
  if (node->rank == 0 || (node->extents != NULL && acc_lift_is_uniform (self, node->extents)))
    return acc_lift_make_regular (self, node->rank, extents_of, element_of, &lifting);
  if (kind->flat != NULL && node->n_inputs > 0 && (flat = lift_flat (self, node, &lifting)) != NULL)
    return flat;

  nesting = acc_lift_new_nesting (self, node->rank, extents_of, &lifting);

  return acc_lift_make (self, nesting, element_of, &lifting);
}

typedef struct {
  AccLift     *lift;
  AccFunction *function;
  guint        rank;
  AccNesting  *nesting;
} Call;

/* --- map, imap, zip_with, zip_with3: of the elements at an index */

static AccExpr *
first_extents (AccLift  *self,
               AccArray *node,
               AccExpr  *k)
{
  return acc_lifted_extents (acc_lift_get_input (self, node, 0), k);
}

static AccExpr *
least_extents (AccLift  *self,
               AccArray *node,
               AccExpr  *k)
{
  g_autofree AccLifted **inputs = g_new (AccLifted *, node->n_inputs);

  for (guint i = 0; i < node->n_inputs; i++)
    inputs[i] = acc_lift_get_input (self, node, i);

  return acc_lifted_least_extents (inputs, node->n_inputs, k);
}

static AccExpr *
zipped_element (AccLift  *self,
                AccArray *node,
                AccExpr  *k,
                AccExpr  *index)
{
  gboolean takes_index = acc_operation_has_fact (node->op, ACC_FACT_TAKES_INDEX);
  AccExpr *args[4];
  guint n = 0;

  if (takes_index)
    args[n++] = index;
  for (guint i = 0; i < node->n_inputs; i++)
    args[n++] = read_input (self, node, i, k, index);

  return acc_lift_apply (self, node->functions[0], k, args);
}

/* @x: the element, or a tuple of those of all inputs */
static AccExpr *
apply_to_zipped (Call    *call,
                 AccExpr *k,
                 AccExpr *index,
                 AccExpr *x,
                 gboolean is_tuple)
{
  guint n_inputs = call->function->n_params - (index != NULL ? 1 : 0), n = 0;
  AccExpr *args[4];

  if (index != NULL)
    args[n++] = index;
  for (guint i = 0; i < n_inputs; i++)
    args[n++] = is_tuple ? acc_expr_item (x, i) : x;

  return acc_lift_apply (call->lift, call->function, k, args);
}

typedef struct {
  Call     call;
  gboolean takes_index, is_tuple;
} Zipped;

static AccExpr *
regular_zipped (AccExpr *index,
                AccExpr *x,
                gpointer data)
{
  Zipped *self = data;
  AccExpr *k = acc_lift_outer_index (index, self->call.rank);

  return apply_to_zipped (&self->call, k, self->takes_index ? acc_lift_inner_index (index, self->call.rank) : NULL, x, self->is_tuple);
}

static AccArray *
zip_inputs (AccArray **inputs,
            guint      n)
{
  return n == 1 ? g_object_ref (inputs[0]) : acc_array_zip_many (inputs, n);
}

static AccExpr *
apply_uniform1 (AccExpr *x,
                gpointer data)
{
  AccLiftCall *self = data;

  return acc_lift_apply (self->lift, self->function, NULL, &x);
}

static AccExpr *
apply_uniform2 (AccExpr *x,
                AccExpr *y,
                gpointer data)
{
  AccLiftCall *self = data;

  return acc_lift_apply (self->lift, self->function, NULL, (AccExpr *[]) { x, y });
}

static AccExpr *
apply_uniform3 (AccExpr *x,
                AccExpr *y,
                AccExpr *z,
                gpointer data)
{
  AccLiftCall *self = data;

  return acc_lift_apply (self->lift, self->function, NULL, (AccExpr *[]) { x, y, z });
}

/* The same operation on other inputs, where its function takes no index and asks for nothing but extents that all elements have alike;
 * else NULL. */
static AccArray *
zip_uniformly (AccLift   *self,
               AccArray  *node,
               AccArray **inputs)
{
  AccLiftCall call = { self, node->functions[0] };
  AccArray *made;

  if (acc_operation_has_fact (node->op, ACC_FACT_TAKES_INDEX) || !acc_lift_is_uniform (self, node->functions[0]))
    return NULL;
  if (!acc_lift_depends (self, node->functions[0]))
    return acc_lift_take_over (node, inputs);

  made = acc_array_begin (node->op, inputs, node->n_inputs);
  if (node->n_inputs == 1)
    acc_array_call1 (made, 0, apply_uniform1, &call);
  else if (node->n_inputs == 2)
    acc_array_call2 (made, 0, apply_uniform2, &call);
  else
    acc_array_call3 (made, 0, apply_uniform3, &call);

  return acc_array_complete (made);
}

static AccArray *
regular_zip_with (AccLift   *self,
                  AccArray  *node,
                  AccArray **inputs)
{
  gboolean takes_index = acc_operation_has_fact (node->op, ACC_FACT_TAKES_INDEX);
  Zipped zipped = { { self, node->functions[0], node->rank, NULL }, takes_index, node->n_inputs > 1 };
  AccArray *same = zip_uniformly (self, node, inputs);
  g_autoptr(AccArray) zip = NULL;

  if (same != NULL)
    return same;

  zip = zip_inputs (inputs, node->n_inputs);

  return acc_array_imap (zip, regular_zipped, &zipped);
}

/* (place, (x, number of the element)) */
static AccExpr *
flat_zipped (AccExpr *place,
             AccExpr *pair,
             gpointer data)
{
  Zipped *self = data;
  AccNesting *nesting = self->call.nesting;
  g_autoptr(AccExpr) k = acc_expr_ref_sink (acc_expr_item (pair, 1));
  g_autoptr(AccExpr) x = acc_expr_ref_sink (acc_expr_item (pair, 0));
  AccExpr *index = NULL;

  if (self->takes_index)
    index = acc_lift_unravel (acc_expr_sub (place, acc_nesting_begin (nesting, k)), acc_nesting_extents (nesting, k), nesting->rank);

  return apply_to_zipped (&self->call, k, index, x, self->is_tuple);
}

static AccArray *
flat_zip_with (AccLift    *self,
               AccArray   *node,
               AccArray  **values,
               AccNesting *nesting)
{
  gboolean takes_index = acc_operation_has_fact (node->op, ACC_FACT_TAKES_INDEX);
  Zipped zipped = { { self, node->functions[0], node->rank, nesting }, takes_index, node->n_inputs > 1 };
  AccArray *same = zip_uniformly (self, node, values);
  g_autoptr(AccArray) zip = NULL, numbered = NULL;

  if (same != NULL)
    return same;

  zip = zip_inputs (values, node->n_inputs);
  numbered = acc_array_zip (zip, acc_nesting_get_numbers (nesting));

  return acc_array_imap (numbered, flat_zipped, &zipped);
}

static const AccLiftKind zip_with_kind = { least_extents, zipped_element, regular_zip_with, flat_zip_with };

AccLifted *
acc_lift_zip_with (AccLift  *self,
                   AccArray *node)
{
  return acc_lift_elements (self, node, &zip_with_kind);
}

/* --- zip, unzip */

static AccExpr *
tuple_element (AccLift  *self,
               AccArray *node,
               AccExpr  *k,
               AccExpr  *index)
{
  g_autofree AccExpr **items = g_new (AccExpr *, node->n_inputs + 1);

  for (guint i = 0; i < node->n_inputs; i++)
    items[i] = read_input (self, node, i, k, index);

  return acc_expr_tuple (items, node->n_inputs);
}

static AccArray *
regular_zip (AccLift   *self,
             AccArray  *node,
             AccArray **inputs)
{
  return acc_array_zip_many (inputs, node->n_inputs);
}

static AccArray *
flat_zip (AccLift    *self,
          AccArray   *node,
          AccArray  **values,
          AccNesting *nesting)
{
  return acc_array_zip_many (values, node->n_inputs);
}

static const AccLiftKind zip_kind = { least_extents, tuple_element, regular_zip, flat_zip };

AccLifted *
acc_lift_zip (AccLift  *self,
              AccArray *node)
{
  return acc_lift_elements (self, node, &zip_kind);
}

static AccExpr *
item_element (AccLift  *self,
              AccArray *node,
              AccExpr  *k,
              AccExpr  *index)
{
  return acc_expr_item (read_input (self, node, 0, k, index), acc_array_get_item (node));
}

static AccArray *
regular_unzip (AccLift   *self,
               AccArray  *node,
               AccArray **inputs)
{
  return acc_array_unzip (inputs[0], acc_array_get_item (node));
}

static AccArray *
flat_unzip (AccLift    *self,
            AccArray   *node,
            AccArray  **values,
            AccNesting *nesting)
{
  return acc_array_unzip (values[0], acc_array_get_item (node));
}

static const AccLiftKind unzip_kind = { first_extents, item_element, regular_unzip, flat_unzip };

AccLifted *
acc_lift_unzip (AccLift  *self,
                AccArray *node)
{
  return acc_lift_elements (self, node, &unzip_kind);
}

/* --- compute */

static AccExpr *
own_element (AccLift  *self,
             AccArray *node,
             AccExpr  *k,
             AccExpr  *index)
{
  return read_input (self, node, 0, k, index);
}

static AccArray *
regular_compute (AccLift   *self,
                 AccArray  *node,
                 AccArray **inputs)
{
  return acc_array_compute (inputs[0]);
}

static AccArray *
flat_compute (AccLift    *self,
              AccArray   *node,
              AccArray  **values,
              AccNesting *nesting)
{
  return acc_array_compute (values[0]);
}

static const AccLiftKind compute_kind = { first_extents, own_element, regular_compute, flat_compute };

AccLifted *
acc_lift_compute (AccLift  *self,
                  AccArray *node)
{
  return acc_lift_elements (self, node, &compute_kind);
}

/* --- generate, fill, backpermute: of extents that they say */

static AccExpr *
given_extents (AccLift  *self,
               AccArray *node,
               AccExpr  *k)
{
  return acc_lift_apply (self, node->extents, k, NULL);
}

static AccExpr *
generated_element (AccLift  *self,
                   AccArray *node,
                   AccExpr  *k,
                   AccExpr  *index)
{
  return acc_lift_apply (self, node->functions[0], k, &index);
}

static const AccLiftKind generate_kind = { given_extents, generated_element };

AccLifted *
acc_lift_generate (AccLift  *self,
                   AccArray *node)
{
  return acc_lift_elements (self, node, &generate_kind);
}

static AccExpr *
filled_element (AccLift  *self,
                AccArray *node,
                AccExpr  *k,
                AccExpr  *index)
{
  return acc_lift_apply (self, node->functions[0], k, NULL);
}

static const AccLiftKind fill_kind = { given_extents, filled_element };

AccLifted *
acc_lift_fill (AccLift  *self,
               AccArray *node)
{
  return acc_lift_elements (self, node, &fill_kind);
}

static AccExpr *
permuted_element (AccLift  *self,
                  AccArray *node,
                  AccExpr  *k,
                  AccExpr  *index)
{
  return read_input (self, node, 0, k, acc_lift_apply (self, node->functions[0], k, &index));
}

static AccExpr *
regular_source (AccExpr *index,
                gpointer data)
{
  Call *call = data;
  g_autoptr(AccExpr) k = acc_expr_ref_sink (acc_lift_outer_index (index, call->rank));
  AccExpr *inner = acc_lift_inner_index (index, call->rank), *source = acc_lift_apply (call->lift, call->function, k, &inner);
  guint rank;

  acc_index_type_get_rank (acc_expr_get_element_type (source), &rank);

  return acc_lift_join_index (k, source, rank);
}

static AccArray *
regular_backpermute (AccLift   *self,
                     AccArray  *node,
                     AccArray **inputs)
{
  Call call = { self, node->functions[0], node->rank, NULL };

  return acc_array_backpermute_expr (inputs[0], acc_lift_join_index (acc_lift_count (self), given_extents (self, node, NULL), node->rank),
                                     regular_source, &call);
}

static const AccLiftKind backpermute_kind = { given_extents, permuted_element, regular_backpermute };

AccLifted *
acc_lift_backpermute (AccLift  *self,
                      AccArray *node)
{
  return acc_lift_elements (self, node, &backpermute_kind);
}
