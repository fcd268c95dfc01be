/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "acc-array-build-private.h"
#include "acc-error.h"

static AccElementType *
get_neighbourhood (AccArray *node,
                   guint     input)
{
  AccElementType *type = node->inputs[input]->type;

  for (guint d = node->inputs[input]->rank; d-- > 0 && type != NULL; )
    {
      gsize n = acc_array_get_stencil (node)->sizes[input][d];
      g_autofree AccElementType **items = g_new (AccElementType *, n);

      for (gsize i = 0; i < n; i++)
        items[i] = type;

      type = acc_element_type_new_tuple (items, n);
    }

  return type;
}

static gboolean
check_sizes (AccArray *node,
             guint     input)
{
  guint64 total = acc_element_type_get_n_leaves (node->inputs[input]->type);
  const gint64 *sizes = acc_array_get_stencil (node)->sizes[input];

  if (sizes == NULL)
    return acc_array_fail_argument (node, "the size of the neighbourhood");

  total = MAX (total, 1);

  for (guint i = 0; i < node->inputs[input]->rank; i++)
    {
      gint64 size = sizes[i];

      if (size < 1 || size % 2 == 0)
        return acc_array_fail (node, ACC_ERROR_SHAPE, "a neighbourhood has odd extents, not %" G_GINT64_FORMAT, size);

      if (size > ACC_MAX_LEAVES || (total *= size) > ACC_MAX_LEAVES)
        return acc_array_fail (node, ACC_ERROR_SHAPE, "a neighbourhood has more than %u scalars", ACC_MAX_LEAVES);
    }

  return TRUE;
}

/* The value of a constant or a function may be an untyped literal until it meets the array. */
static AccBoundary *
resolve (AccBoundary    *boundary,
         AccElementType *type)
{
  AccFunction *function = boundary->function;
  g_autoptr(AccExpr) value = acc_expr_ref_sink (acc_expr_resolve (function->body, type));
  AccBoundary *resolved;

  if (value == function->body)
    return acc_boundary_ref (boundary);

  resolved = g_new0 (AccBoundary, 1);
  g_atomic_ref_count_init (&resolved->ref_count);
  resolved->kind = boundary->kind;
  resolved->rank = boundary->rank;
  resolved->function = acc_function_new (function->params, function->n_params, value);

  return resolved;
}

static gboolean
check_boundary (AccArray *node,
                guint     input)
{
  AccBoundary *boundary = acc_array_get_stencil (node)->boundaries[input];
  AccArray *array = node->inputs[input];
  const GError *error;

  if (boundary == NULL)
    return acc_array_fail_argument (node, "a boundary");

  if (boundary->function == NULL)
    return TRUE;

  if ((error = acc_expr_get_error (boundary->function->body)) != NULL)
    return acc_array_fail (node, error->code, "boundary: %s", error->message);

  if (boundary->kind == ACC_BOUNDARY_FUNCTION && boundary->rank != array->rank)
    return acc_array_fail (node, ACC_ERROR_SHAPE, "a boundary function of rank %u does not fit an array of rank %u",
                           boundary->rank, array->rank);

  if (boundary->function->body->type != array->type)
    return acc_array_fail (node, ACC_ERROR_TYPE, "its boundary gives %s where %s is needed",
                           acc_element_type_get_code (boundary->function->body->type),
                           acc_element_type_get_code (array->type));

  return TRUE;
}

static gboolean
check_stencil (AccArray *node)
{
  for (guint i = 0; i < node->n_inputs; i++)
    {
      if (node->inputs[i]->rank == 0)
        return acc_array_fail (node, ACC_ERROR_SHAPE, "an array of rank 0 has no neighbours");
      if (node->inputs[i]->rank != node->inputs[0]->rank)
        return acc_array_fail (node, ACC_ERROR_SHAPE, "the second array has rank %u where the first has rank %u",
                               node->inputs[i]->rank, node->inputs[0]->rank);
      if (!check_sizes (node, i) || !check_boundary (node, i))
        return FALSE;
      if (get_neighbourhood (node, i) == NULL)
        return acc_array_fail (node, ACC_ERROR_TYPE, "the type of the neighbourhood is too deep or too long");
    }

  node->rank = node->inputs[0]->rank;
  return TRUE;
}

static void
stencil_signature (AccArray     *node,
                   guint         function,
                   AccSignature *signature)
{
  signature->n_params = node->n_inputs;
  for (guint i = 0; i < node->n_inputs; i++)
    signature->params[i] = get_neighbourhood (node, i);
}

static void
clear_stencil (AccArray *node)
{
  AccStencilPayload *payload = acc_array_get_stencil (node);

  for (guint i = 0; i < 2; i++)
    {
      g_free (payload->sizes[i]);
      acc_array_release (payload->boundaries[i], (GDestroyNotify) acc_boundary_unref);
    }
}

static void
copy_stencil (AccArray *node,
              AccArray *from)
{
  AccStencilPayload *payload = acc_array_get_stencil (node);

  for (guint i = 0; i < node->n_inputs; i++)
    {
      payload->sizes[i] = g_memdup2 (payload->sizes[i], node->rank * sizeof (gint64));
      acc_boundary_ref (payload->boundaries[i]);
    }
}

static void
replace_stencil (AccArray   *node,
                 GHashTable *replaced,
                 GHashTable *copies)
{
  AccStencilPayload *payload = acc_array_get_stencil (node);

  for (guint i = 0; i < node->n_inputs; i++)
    {
      g_autoptr(AccBoundary) before = payload->boundaries[i];

      payload->boundaries[i] = acc_boundary_copy_replaced (before, replaced, copies);
    }
}

static void
list_stencil (AccArray *node,
              GArray   *numbers)
{
  const AccStencilPayload *payload = acc_array_get_stencil (node);

  for (guint i = 0; i < node->n_inputs; i++)
    {
      const AccBoundary *boundary = payload->boundaries[i];

      g_array_append_vals (numbers, payload->sizes[i], node->rank);
      g_array_append_vals (numbers, &(gint64) { (gint64) boundary->kind | (gint64) boundary->rank << 32 }, 1);
    }
}

static const AccPayloadClass payload_class = {
  ACC_PAYLOAD_STENCIL, sizeof (AccStencilPayload), clear_stencil, copy_stencil, replace_stencil, list_stencil
};

const AccOperationClass acc_class_stencil = { check_stencil, stencil_signature, acc_infer_least, &payload_class };

void
acc_array_set_sizes (AccArray     *node,
                     guint         input,
                     const gint64 *sizes,
                     guint         n)
{
  AccStencilPayload *payload = acc_array_get_stencil (node);

  if (node->error != NULL)
    return;

  if (sizes == NULL)
    acc_array_fail_argument (node, "the size of the neighbourhood");
  else if (n != node->inputs[input]->rank)
    acc_array_fail (node, ACC_ERROR_SHAPE, "a neighbourhood of rank %u does not fit an array of rank %u",
                    n, node->inputs[input]->rank);
  else if (payload->sizes[input] == NULL)
    payload->sizes[input] = g_memdup2 (sizes, n * sizeof (gint64));
}

void
acc_array_set_boundary (AccArray    *node,
                        guint        input,
                        AccBoundary *boundary)
{
  AccStencilPayload *payload = acc_array_get_stencil (node);

  if (node->error != NULL || boundary == NULL || payload->boundaries[input] != NULL)
    return;

  if (boundary->function != NULL && acc_expr_get_error (boundary->function->body) == NULL)
    payload->boundaries[input] = resolve (boundary, node->inputs[input]->type);
  else
    payload->boundaries[input] = acc_boundary_ref (boundary);
}

/**
 * acc_array_stencil:
 * @self: an array of rank 1 or more
 * @sizes: (array length=n_sizes): the extents of the neighbourhood, odd, one for each dimension, outermost first
 * @n_sizes: the rank of @self
 * @boundary: the elements outside @self
 * @function: (scope call) (closure user_data): computes an element of the result from a neighbourhood
 * @user_data: data for @function
 *
 * Applies @function to the neighbourhood of every element. The neighbourhood is a nested tuple, outermost dimension first,
 * the lowest offset first; acc_expr_neighbour() reads it by offsets from the centre. @boundary gives the elements of the
 * halo outside the array; an untyped literal there takes the element type. Arrays may be smaller than the neighbourhood; an
 * empty one stays empty. A neighbourhood has at most 65536 scalars.
 *
 * Takes time linear in the number of elements, times the cost of @function. The result carries %ACC_ERROR_SHAPE where the
 * sizes are not odd, not one for each dimension or too large, or where @self has rank 0, %ACC_ERROR_TYPE where @boundary
 * gives another type than that of the elements, %ACC_ERROR_CALLBACK where @function returns %NULL.
 *
 * ```c
 * static AccExpr *
 * slope (AccExpr *n, gpointer data)
 * {
 *   return acc_expr_sub (acc_expr_neighbour1 (n, 1), acc_expr_neighbour1 (n, -1));
 * }
 *
 * // xs = [1, 4, 9, 16]
 * g_autoptr(AccBoundary) edge = acc_boundary_new (ACC_BOUNDARY_CLAMP);
 * g_autoptr(AccArray) slopes = acc_array_stencil (xs, (gint64[]) { 3 }, 1, edge, slope, NULL); // → [3, 8, 12, 7]
 * ```
 *
 * Returns: (transfer full): an array of the shape of @self, of the type that @function returns
 */
AccArray *
acc_array_stencil (AccArray     *self,
                   const gint64 *sizes,
                   guint         n_sizes,
                   AccBoundary  *boundary,
                   AccExprFunc   function,
                   gpointer      user_data)
{
  AccArray *node = acc_array_begin (ACC_OP_STENCIL, &self, 1);

  acc_array_set_sizes (node, 0, sizes, n_sizes);
  acc_array_set_boundary (node, 0, boundary);
  acc_array_call1 (node, 0, function, user_data);

  return acc_array_complete (node);
}

/**
 * acc_array_stencil2:
 * @self: an array of rank 1 or more
 * @sizes: (array length=n_sizes): the extents of the neighbourhood in @self
 * @n_sizes: the rank of @self
 * @boundary: the elements outside @self
 * @other: an array of the same rank
 * @other_sizes: (array length=n_other_sizes): the extents of the neighbourhood in @other
 * @n_other_sizes: the rank of @other
 * @other_boundary: the elements outside @other
 * @function: (scope call) (closure user_data): computes an element of the result from both neighbourhoods
 * @user_data: data for @function
 *
 * Applies @function to the neighbourhoods of the elements of two arrays at the same index. Each array has its own
 * neighbourhood and boundary. The result has the smaller extent in every dimension; each boundary begins at its own array's
 * extents.
 *
 * Takes time linear in the number of elements of the result, times the cost of @function. The result carries
 * %ACC_ERROR_SHAPE where sizes are not odd or not one for each dimension, or the ranks differ, %ACC_ERROR_TYPE where a
 * boundary gives another type than that of its array's elements.
 *
 * ```c
 * static AccExpr *
 * upwind (AccExpr *u, AccExpr *v, gpointer data)
 * {
 *   return acc_expr_mul (acc_expr_neighbour1 (u, -1), acc_expr_neighbour1 (v, 0));
 * }
 *
 * // us = [1, 2, 3], vs = [10, 20, 30]
 * g_autoptr(AccBoundary) around = acc_boundary_new (ACC_BOUNDARY_WRAP);
 * g_autoptr(AccArray) flow = acc_array_stencil2 (us, (gint64[]) { 3 }, 1, around, vs, (gint64[]) { 1 }, 1, around, upwind, NULL); // → [30, 20, 60]
 * ```
 *
 * Returns: (transfer full): an array of the type that @function returns
 */
AccArray *
acc_array_stencil2 (AccArray     *self,
                    const gint64 *sizes,
                    guint         n_sizes,
                    AccBoundary  *boundary,
                    AccArray     *other,
                    const gint64 *other_sizes,
                    guint         n_other_sizes,
                    AccBoundary  *other_boundary,
                    AccExprFunc2  function,
                    gpointer      user_data)
{
  AccArray *node = acc_array_begin (ACC_OP_STENCIL2, (AccArray *[]) { self, other }, 2);

  acc_array_set_sizes (node, 0, sizes, n_sizes);
  acc_array_set_boundary (node, 0, boundary);
  acc_array_set_sizes (node, 1, other_sizes, n_other_sizes);
  acc_array_set_boundary (node, 1, other_boundary);
  acc_array_call2 (node, 0, function, user_data);

  return acc_array_complete (node);
}
