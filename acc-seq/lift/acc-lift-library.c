/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "acc-lift-private.h"

#include <string.h>

#include "acc-core/array/acc-array-build-private.h"
#include "acc-core/array/acc-array-private.h"
#include "acc-core/array/acc-foreign-known-private.h"
#include "acc-core/array/acc-program-private.h"
#include "acc-core/backend/acc-foreign-private.h"
#include "acc-core/derived/acc-array-products.h"
#include "acc-core/derived/fft/acc-array-fft-private.h"

/* Products and transforms, which libraries and backends have operations for: of regular elements they are those of one more dimension. Of
 * others they are what they are composed of. */

static gboolean
is_product (AccArray *node)
{
  return node->direct != NULL && node->direct->op == ACC_OP_MATMUL;
}

static gboolean
is_transform (AccArray *node)
{
  return node->op == ACC_OP_MAP && node->offer != NULL && acc_foreign_find_transform (node->offer->name) != NULL;
}

gboolean
acc_lift_is_whole (AccArray *node)
{
  return is_product (node) || is_transform (node);
}

AccArray *
acc_lift_nth_operand (AccArray *node,
                      guint     n)
{
  guint n_inputs = is_product (node) ? node->direct->n_inputs : node->offer->n_inputs;
  AccArray **inputs = is_product (node) ? node->direct->inputs : node->offer->inputs;

  return n < n_inputs ? inputs[n] : NULL;
}

/* --- products */

/* How floats of a step are summed does not show how many elements came together: a library may sum in an order that follows from that. */
static AccArray *
multiply (AccLift  *self,
          AccArray *left,
          AccArray *right)
{
  AccArray *product = acc_array_matmul (left, right);

  /* Nobody else has the node yet. */
  if (self->in_steps)
    g_clear_pointer (&product->offer, acc_offer_free);

  return product;
}

/* @values, of which each element has @rank dimensions, with the last two and one of all others. */
static AccArray *
join_outer (AccArray *values,
            guint     rank)
{
  g_autoptr(AccLifted) all = acc_lifted_new_regular (g_object_ref (values));
  AccExpr *outer = acc_array_number (1);

  for (guint d = 0; d + 1 < rank; d++)
    outer = acc_expr_mul (outer, acc_lifted_extent (all, NULL, d));

  return acc_array_reshape_expr (values, acc_expr_tuple3 (acc_expr_extent (values, 0), outer, acc_expr_extent (values, rank)));
}

/* A stack of matrices on the left for each matrix on the right: rows of all of the stack at once. */
static AccArray *
multiply_stacks (AccLift  *self,
                 AccArray *left,
                 AccArray *right,
                 guint     rank)
{
  g_autoptr(AccArray) rows = join_outer (left, rank), product = multiply (self, rows, right);
  g_autofree AccExpr **extents = g_new (AccExpr *, rank + 1);

  for (guint d = 0; d < rank; d++)
    extents[d] = acc_expr_extent (left, d);
  extents[rank] = acc_expr_extent (product, 2);

  return acc_array_reshape_expr (product, acc_expr_tuple (extents, rank + 1));
}

/* A matrix on the left for each of a stack on the right. */
static AccArray *
multiply_for_stacks (AccLift  *self,
                     AccArray *left,
                     AccArray *right)
{
  g_autofree AccExpr **entries = g_new (AccExpr *, right->rank);
  g_autoptr(AccArray) stacks = NULL;

  for (guint d = 0; d < right->rank; d++)
    entries[d] = d == 0 || d + 2 >= right->rank ? acc_array_number (ACC_ALL) : acc_expr_extent (right, d);
  stacks = acc_array_replicate_expr (left, entries, right->rank);

  return multiply (self, stacks, right);
}

static AccLifted *
lift_product (AccLift  *self,
              AccArray *node)
{
  AccLifted *x = acc_lift_get (self, acc_lift_nth_operand (node, 0)), *y = acc_lift_get (self, acc_lift_nth_operand (node, 1));
  g_autoptr(AccLifted) left = NULL, right = NULL;

  if (x->form == ACC_LIFTED_IRREGULAR || y->form == ACC_LIFTED_IRREGULAR)
    return NULL;
  /* One matrix serves all. */
  if ((x->form == ACC_LIFTED_CONSTANT && x->rank == 2) || (y->form == ACC_LIFTED_CONSTANT && y->rank == 2))
    return acc_lifted_new_regular (multiply (self, x->values, y->values));

  left = acc_lift_to_regular (self, x);
  right = acc_lift_to_regular (self, y);
  if (left->rank == right->rank)
    return acc_lifted_new_regular (multiply (self, left->values, right->values));

  return acc_lifted_new_regular (left->rank > right->rank ? multiply_stacks (self, left->values, right->values, left->rank)
                                                          : multiply_for_stacks (self, left->values, right->values));
}

/* --- transforms */

static AccLifted *
lift_transform (AccLift  *self,
                AccArray *node)
{
  const AccForeignTransform *transform = acc_foreign_find_transform (node->offer->name);
  AccLifted *input = acc_lift_get (self, node->offer->inputs[0]);
  AccShape *shape = input->values->shape;
  g_autoptr(AccShape) joined = NULL;
  g_autoptr(AccArray) array = NULL, done = NULL;
  gboolean by_library = !self->in_steps || !self->no_library;
  const gint64 *extents;

  if (input->form != ACC_LIFTED_REGULAR || shape == NULL)
    return NULL;
  if (transform->n_after == 0)
    return acc_lifted_new_regular (acc_fft_transform_array (input->values, transform->n_dimensions, 0, transform->forward, by_library));

  /* In the middle of three, which they are of. */
  extents = acc_shape_get_extents (shape, NULL);
  joined = acc_shape_new ((gint64[]) { extents[0] * extents[1], extents[2], extents[3] }, 3);
  array = acc_array_reshape (input->values, joined);
  done = acc_fft_transform_array (array, transform->n_dimensions, 1, transform->forward, by_library);

  return acc_lifted_new_regular (acc_array_reshape (done, shape));
}

AccLifted *
acc_lift_whole (AccLift  *self,
                AccArray *node)
{
  return is_product (node) ? lift_product (self, node) : lift_transform (self, node);
}

/* --- foreign operations */

/* Whether the operation of that name, which acc has a meaning for, is one of arrays of one more dimension, too. */
static gboolean
takes_one_more (AccArray   *node,
                AccLifted **inputs)
{
  const AccForeignTransform *transform = acc_foreign_find_transform (acc_foreign_get_name (node));

  if (transform != NULL)
    return inputs[0]->form == ACC_LIFTED_REGULAR && transform->n_after == 0;
  if (strcmp (acc_foreign_get_name (node), ACC_FOREIGN_PRODUCT) != 0)
    return FALSE;

  for (guint i = 0; i < 2; i++)
    if (inputs[i]->form == ACC_LIFTED_IRREGULAR || (inputs[i]->form == ACC_LIFTED_CONSTANT && inputs[i]->rank > 2))
      return FALSE;

  return inputs[0]->rank == inputs[1]->rank || inputs[0]->form != inputs[1]->form;
}

/* What @node falls back to, of @inputs. */
static AccLifted *
fall_back (AccLift    *self,
           AccArray   *node,
           AccLifted **inputs)
{
  AccProgram *fallback = acc_array_get_programs (node)[0];
  g_autoptr(AccLift) inner = acc_lift_new_within (self, NULL);
  AccArray **parameters;
  guint n;

  parameters = acc_program_get_parameter_nodes (fallback, &n);
  for (guint i = 0; i < n; i++)
    acc_lift_bind (inner, parameters[i], acc_lifted_ref (inputs[i]));

  return acc_lifted_ref (acc_lift_array (inner, acc_program_get_result_nodes (fallback, &n)[0]));
}

/* The same operation on arrays of one more dimension, with what falls back to on these; NULL where that is not to be had. */
static AccLifted *
lift_known (AccLift    *self,
            AccArray   *node,
            AccLifted **inputs)
{
  g_autoptr(GPtrArray) parameters = g_ptr_array_new_with_free_func (g_object_unref);
  g_autoptr(GPtrArray) lifted = g_ptr_array_new_with_free_func ((GDestroyNotify) acc_lifted_unref);
  g_autofree AccArray **values = g_new (AccArray *, node->n_inputs + 1);
  g_autoptr(AccProgram) program = NULL;
  g_autoptr(AccLifted) result = NULL;
  g_autoptr(AccArray) made = NULL;

  for (guint i = 0; i < node->n_inputs; i++)
    {
      AccArray *given = values[i] = inputs[i]->values, *parameter;

      parameter = acc_array_new_parameter (given->type, given->rank,
                                           given->shape != NULL ? acc_shape_get_extents (given->shape, NULL) : NULL, i);
      g_ptr_array_add (parameters, parameter);
      g_ptr_array_add (lifted, inputs[i]->form == ACC_LIFTED_REGULAR ? acc_lifted_new_regular (g_object_ref (parameter))
                                                                      : acc_lifted_new_constant (g_object_ref (parameter)));
    }
  result = fall_back (self, node, (AccLifted **) lifted->pdata);
  if (result->form != ACC_LIFTED_REGULAR)
    return NULL;

  program = acc_program_new_for_nodes ((AccArray **) parameters->pdata, parameters->len, &result->values, 1);
  made = acc_array_foreign (acc_foreign_get_name (node), values, node->n_inputs, program);

  return made->error == NULL ? acc_lifted_new_regular (g_steal_pointer (&made)) : NULL;
}

/* --- any others, which take the ranks that they were written for: a backend calls its function for each element */

static AccLifted *
stand_for (AccLifted *lifted,
           GPtrArray *parts,
           GPtrArray *parameters)
{
  guint first = parts->len, next = first;

  acc_lifted_list_parts (lifted, parts);
  for (guint i = first; i < parts->len; i++)
    {
      AccArray *part = g_ptr_array_index (parts, i);

      g_ptr_array_add (parameters, acc_array_new_parameter (part->type, part->rank,
                                                            part->shape != NULL ? acc_shape_get_extents (part->shape, NULL) : NULL, i));
    }

  return lifted->form == ACC_LIFTED_CONSTANT ? acc_lifted_new_constant (g_object_ref (parameters->pdata[first]))
                                             : acc_lifted_join_parts (lifted, parameters, &next);
}

static void
describe (GString   *name,
          AccLifted *lifted)
{
  g_string_append_printf (name, "%c%u", lifted->form == ACC_LIFTED_CONSTANT ? 'c' : lifted->form == ACC_LIFTED_REGULAR ? 'r' : 'i',
                          lifted->rank);
}

static AccExpr *
extent_of_number (AccExpr *index,
                  gpointer data)
{
  AccLifted *lifted = data;
  AccExpr *extent = acc_array_number (0);

  for (guint d = 0; d < lifted->rank; d++)
    extent = acc_expr_cond (acc_expr_eq (acc_expr_item (index, 0), acc_array_number (d)), acc_lifted_extent (lifted, NULL, d), extent);

  return extent;
}

/* What tells the extents of results. */
static void
list_extents (AccLifted *result,
              GPtrArray *parts)
{
  g_autoptr(AccShape) shape = acc_shape_new_vector (result->rank);

  if (result->form == ACC_LIFTED_REGULAR && result->rank > 0)
    g_ptr_array_add (parts, acc_array_generate (shape, extent_of_number, result));
  if (result->form == ACC_LIFTED_REGULAR)
    return;
  g_ptr_array_add (parts, g_object_ref (result->nesting->offsets));
  if (result->nesting->extents != NULL)
    g_ptr_array_add (parts, g_object_ref (result->nesting->extents));
}

/* NULL: it is lifted by what it falls back to alone. */
static AccLifted *
lift_each (AccLift    *self,
           AccArray   *node,
           AccLifted **inputs,
           AccLifted  *plain)
{
  g_autoptr(GPtrArray) parts = g_ptr_array_new_with_free_func (g_object_unref);
  g_autoptr(GPtrArray) parameters = g_ptr_array_new_with_free_func (g_object_unref);
  g_autoptr(GPtrArray) lifted = g_ptr_array_new_with_free_func ((GDestroyNotify) acc_lifted_unref);
  g_autoptr(GString) name = g_string_new (ACC_FOREIGN_EACH);
  g_autoptr(AccLifted) result = NULL;
  g_autoptr(AccProgram) program = NULL;
  g_autoptr(AccArray) made = NULL;
  guint n_of_inputs;

  if (plain->form == ACC_LIFTED_CONSTANT || plain->values->error != NULL)
    return NULL;

  for (guint i = 0; i < node->n_inputs; i++)
    {
      describe (name, inputs[i]);
      g_ptr_array_add (lifted, stand_for (inputs[i], parts, parameters));
    }
  g_string_append_c (name, '>');
  describe (name, plain);
  g_string_append_printf (name, "%s:%s", acc_element_type_get_code (node->type), acc_foreign_get_name (node));
  n_of_inputs = parts->len;
  list_extents (plain, parts);
  for (guint i = n_of_inputs; i < parts->len; i++)
    {
      AccArray *part = g_ptr_array_index (parts, i);

      g_ptr_array_add (parameters, acc_array_new_parameter (part->type, part->rank, NULL, i));
    }

  result = fall_back (self, node, (AccLifted **) lifted->pdata);
  if (result->form != plain->form)
    return NULL;
  program = acc_program_new_for_nodes ((AccArray **) parameters->pdata, parameters->len, &result->values, 1);
  made = acc_array_foreign (name->str, (AccArray **) parts->pdata, parts->len, program);
  if (made->error != NULL)
    return NULL;

  return plain->form == ACC_LIFTED_REGULAR ? acc_lifted_new_regular (g_steal_pointer (&made))
                                           : acc_lifted_new_irregular (acc_nesting_ref (plain->nesting), g_steal_pointer (&made));
}

/* Which transform of any extents it is; NULL: it is none. A text may have the name with any node. */
static const AccForeignTransform *
find_any (AccArray *node)
{
  const char *name = acc_foreign_get_name (node);
  const AccForeignTransform *transform = NULL;
  AccElementKind part;

  if (g_str_has_prefix (name, ACC_FOREIGN_ANY))
    transform = acc_foreign_find_transform (name + strlen (ACC_FOREIGN_ANY));
  if (transform == NULL || node->n_inputs != 1 || transform->n_after > 0 || node->rank < transform->n_dimensions
      || node->inputs[0]->rank != node->rank || node->inputs[0]->type != node->type
      || acc_element_type_get_kind (node->type) != ACC_KIND_COMPLEX)
    return NULL;
  part = acc_element_type_get_leaf (node->type, 0);

  return part == ACC_KIND_F32 || part == ACC_KIND_F64 ? transform : NULL;
}

AccLifted *
acc_lift_foreign (AccLift  *self,
                  AccArray *node)
{
  g_autofree AccLifted **inputs = g_new (AccLifted *, node->n_inputs + 1);
  g_autoptr(AccLifted) plain = NULL;
  const AccForeignTransform *any = find_any (node);
  AccLifted *known;

  for (guint i = 0; i < node->n_inputs; i++)
    inputs[i] = acc_lift_get_input (self, node, i);
  if (any != NULL)
    return inputs[0]->form == ACC_LIFTED_IRREGULAR ? acc_lift_fft (self, inputs[0], any->n_dimensions, any->forward)
                                                   : fall_back (self, node, inputs);
  known = takes_one_more (node, inputs) ? lift_known (self, node, inputs) : NULL;
  if (known != NULL)
    return known;

  plain = fall_back (self, node, inputs);
  /* Transforms have the extents of what they are of. */
  if (acc_foreign_find_transform (acc_foreign_get_name (node)) != NULL && inputs[0]->form == ACC_LIFTED_IRREGULAR
      && plain->form == inputs[0]->form)
    {
      g_autoptr(AccLifted) made = g_steal_pointer (&plain);

      plain = acc_lifted_new_irregular (acc_nesting_ref (inputs[0]->nesting), g_object_ref (made->values));
    }
  known = lift_each (self, node, inputs, plain);

  return known != NULL ? known : g_steal_pointer (&plain);
}
