/* SPDX-License-Identifier: LGPL-2.1-or-later */

#include "acc-array-private.h"
#include "acc-core/expr/acc-trace-private.h"

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
 * A boundary of one value. A mistake in @value shows when it is used.
 *
 * Returns: (transfer full): the boundary
 */
AccBoundary *
acc_boundary_new_constant (AccExpr *value)
{
  g_autoptr(AccExpr) body = NULL;

  if (value == NULL)
    value = acc_expr_new_error_literal (ACC_ERROR_CALLBACK, "no value was given");
  body = acc_expr_ref_sink (value);

  return boundary_new (ACC_BOUNDARY_CONSTANT, acc_function_new_open (NULL, 0, body), 0);
}

/**
 * acc_boundary_new_function:
 * @rank: of the arrays it is for
 * @function: (scope call) (closure user_data): from an index, out of range in at least one dimension, to an element
 * @user_data: for @function
 *
 * A boundary that computes what is outside. The function is called once, with a variable: an i8 for rank 1, else a tuple
 * of @rank of them. It may read other arrays. A mistake in it shows when the boundary is used.
 *
 * Returns: (transfer full): the boundary
 */
AccBoundary *
acc_boundary_new_function (guint       rank,
                           AccExprFunc function,
                           gpointer    user_data)
{
  AccElementType *type = acc_index_type (rank);

  g_return_val_if_fail (type != NULL, NULL);

  g_autoptr(AccExpr) index = acc_trace_variable (type);
  g_autoptr(AccExpr) body = acc_expr_take_result (function ? acc_call1 (function, index, user_data) : NULL);

  return boundary_new (ACC_BOUNDARY_FUNCTION, acc_function_new_open (&index, 1, body), rank);
}

AccBoundary *
acc_boundary_copy_replaced (AccBoundary *self,
                            GHashTable  *replaced,
                            GHashTable  *copies)
{
  if (self->function == NULL)
    return acc_boundary_ref (self);

  return boundary_new (self->kind, acc_function_copy_replaced (self->function, replaced, copies), self->rank);
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
