/* SPDX-License-Identifier: LGPL-2.1-or-later */

#include "acc-array-private.h"

/**
 * AccBoundary:
 *
 * What a stencil sees outside its array. Immutable; any thread.
 */

G_DEFINE_BOXED_TYPE (AccBoundary, acc_boundary, acc_boundary_ref, acc_boundary_unref)

static AccBoundary *
boundary_new (AccBoundaryKind kind,
              AccFunction    *function,
              guint           rank)
{
  AccBoundary *self = g_new0 (AccBoundary, 1);

  g_atomic_ref_count_init (&self->ref_count);
  self->kind = kind;
  self->function = function;
  self->rank = rank;
  return self;
}

/**
 * acc_boundary_new:
 * @kind: clamp, mirror or wrap
 *
 * A boundary that maps an index outside to one inside, in each dimension by itself.
 *
 * Returns: (transfer full): the boundary
 */
AccBoundary *
acc_boundary_new (AccBoundaryKind kind)
{
  g_return_val_if_fail (kind == ACC_BOUNDARY_CLAMP || kind == ACC_BOUNDARY_MIRROR || kind == ACC_BOUNDARY_WRAP, NULL);
  return boundary_new (kind, NULL, 0);
}

/**
 * acc_boundary_new_constant:
 * @value: the element outside; a literal without a type takes that of the array
 *
 * A boundary of one value.
 *
 * Returns: (transfer full): the boundary
 */
AccBoundary *
acc_boundary_new_constant (AccExpr *value)
{
  g_return_val_if_fail (value != NULL, NULL);

  /* The function keeps the literal weak: the stencil settles it. */
  AccFunction *function = g_new0 (AccFunction, 1);
  g_atomic_ref_count_init (&function->ref_count);
  g_autoptr (AccFunction) settled = acc_function_new (NULL, 0, value);
  function->body = acc_expr_ref_sink (value);
  function->arrays = g_ptr_array_ref (settled->arrays);

  return boundary_new (ACC_BOUNDARY_CONSTANT, function, 0);
}

/**
 * acc_boundary_new_function:
 * @rank: of the arrays it is for
 * @function: (scope call) (closure user_data): from an index, out of range in at least one dimension, to an element
 * @user_data: for @function
 *
 * A boundary that computes what is outside. The function may read other arrays.
 *
 * Returns: (transfer full): the boundary
 */
AccBoundary *
acc_boundary_new_function (guint       rank,
                           AccExprFunc function,
                           gpointer    user_data)
{
  g_return_val_if_fail (function != NULL, NULL);
  return boundary_new (ACC_BOUNDARY_FUNCTION, acc_function_new1 (acc_index_type (rank), function, user_data, NULL), rank);
}

/**
 * acc_boundary_ref:
 * @self: a boundary
 *
 * Returns: (transfer full): @self
 */
AccBoundary *
acc_boundary_ref (AccBoundary *self)
{
  g_atomic_ref_count_inc (&self->ref_count);
  return self;
}

/**
 * acc_boundary_unref:
 * @self: (transfer full): a boundary
 *
 * Gives up a reference.
 */
void
acc_boundary_unref (AccBoundary *self)
{
  if (!g_atomic_ref_count_dec (&self->ref_count))
    return;

  g_clear_pointer (&self->function, acc_function_unref);
  g_free (self);
}

/**
 * acc_boundary_get_kind:
 * @self: a boundary
 *
 * Returns: its kind
 */
AccBoundaryKind
acc_boundary_get_kind (AccBoundary *self)
{
  return self->kind;
}
