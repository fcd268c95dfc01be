/* SPDX-License-Identifier: LGPL-2.1-or-later */

#include "acc-array-private.h"
#include "acc-core/expr/acc-trace-private.h"

/**
 * AccBoundary:
 *
 * Describes the elements that a stencil reads outside its array, in the halo.
 *
 * Boundaries are immutable, and may be used from any thread.
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
 * @kind: %ACC_BOUNDARY_CLAMP, %ACC_BOUNDARY_MIRROR or %ACC_BOUNDARY_WRAP
 *
 * Creates a boundary that maps an index outside the array to one inside, in each dimension separately.
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
 * @value: the element outside; an untyped literal takes the element type of the array
 *
 * Creates a boundary whose elements are all @value. An error of @value shows when the boundary is used.
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
 * @rank: the rank of the arrays that it is for
 * @function: (scope call) (closure user_data): computes an element from an index that is out of range in at least one
 *   dimension
 * @user_data: data for @function
 *
 * Creates a boundary whose elements are computed from their index. @function is called once, with a variable: an i8 for
 * rank 1, else a tuple of @rank of them. It may read other arrays. An error of @function shows when the boundary is used,
 * as %ACC_ERROR_CALLBACK where it returned %NULL. A boundary for another rank than that of the array is %ACC_ERROR_SHAPE
 * there.
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
 * Takes a reference.
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
 * Releases a reference.
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
 * Returns the kind of the boundary.
 *
 * Returns: the kind
 */
AccBoundaryKind
acc_boundary_get_kind (AccBoundary *self)
{
  return self->kind;
}
