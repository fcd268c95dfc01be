/* SPDX-License-Identifier: LGPL-2.1-or-later */

#include "acc-expr-private.h"
#include "acc-trace-private.h"

static void
add_array (AccArray   *array,
           GHashTable *seen,
           GPtrArray  *arrays)
{
  if (g_hash_table_add (seen, array))
    g_ptr_array_add (arrays, g_object_ref (array));
}

/* Arrays that @body and the functions inside it touch, each once, in order of appearance. */
static GPtrArray *
collect_arrays (AccExpr *body)
{
  GPtrArray *arrays = g_ptr_array_new_with_free_func (g_object_unref);
  g_autoptr(GHashTable) seen = NULL;
  g_autoptr(GPtrArray) stack = NULL;

  if (!body->reads)
    return arrays;

  seen = g_hash_table_new (NULL, NULL);
  stack = g_ptr_array_new ();
  g_ptr_array_add (stack, body);

  while (stack->len > 0)
    {
      AccExpr *expr = g_ptr_array_steal_index_fast (stack, stack->len - 1);

      if (!g_hash_table_add (seen, expr))
        continue;

      if (expr->array != NULL)
        add_array (expr->array, seen, arrays);

      for (guint i = 0; i < G_N_ELEMENTS (expr->functions); i++)
        for (guint k = 0; expr->functions[i] != NULL && k < expr->functions[i]->arrays->len; k++)
          add_array (expr->functions[i]->arrays->pdata[k], seen, arrays);

      for (guint i = expr->n_args; i-- > 0;)
        if (expr->args[i]->reads)
          g_ptr_array_add (stack, expr->args[i]);
    }

  return arrays;
}

AccFunction *
acc_function_new_open (AccExpr **params,
                       guint     n_params,
                       AccExpr  *body)
{
  AccFunction *self = g_new0 (AccFunction, 1);

  g_assert (n_params <= G_N_ELEMENTS (self->params));

  g_atomic_ref_count_init (&self->ref_count);
  self->n_params = n_params;
  for (guint i = 0; i < n_params; i++)
    self->params[i] = acc_expr_ref_sink (params[i]);
  self->body = acc_expr_ref_sink (body);
  self->arrays = collect_arrays (self->body);
  return self;
}

AccFunction *
acc_function_new (AccExpr **params,
                  guint     n_params,
                  AccExpr  *body)
{
  g_autoptr(AccExpr) owned = acc_expr_ref_sink (body);
  g_autoptr(AccExpr) resolved = acc_expr_ref_sink (acc_expr_resolve (owned, NULL));

  return acc_function_new_open (params, n_params, resolved);
}

static void
make_params (AccElementType **types,
             AccExpr        **params,
             guint            n)
{
  for (guint i = 0; i < n; i++)
    params[i] = acc_trace_variable (types[i]);
}

/* Takes over @params, and @result, a callback's. */
static AccFunction *
finish (AccExpr       **params,
        guint           n,
        AccExpr        *result,
        AccElementType *result_type)
{
  g_autoptr(AccExpr) body = result;
  g_autoptr(AccExpr) resolved = acc_expr_ref_sink (acc_expr_resolve (body, result_type));
  AccFunction *self = acc_function_new (params, n, resolved);

  for (guint i = 0; i < n; i++)
    acc_expr_unref (params[i]);
  return self;
}

AccFunction *
acc_function_new1 (AccElementType *x,
                   AccExprFunc     function,
                   gpointer        user_data,
                   AccElementType *result_type)
{
  G_GNUC_UNUSED g_auto(AccNaming) naming = acc_naming_begin (NULL);
  AccExpr *params[1];

  make_params (&x, params, 1);
  return finish (params, 1, acc_expr_take_result (function ? acc_call1 (function, params[0], user_data) : NULL), result_type);
}

AccFunction *
acc_function_new2 (AccElementType *x,
                   AccElementType *y,
                   AccExprFunc2    function,
                   gpointer        user_data,
                   AccElementType *result_type)
{
  G_GNUC_UNUSED g_auto(AccNaming) naming = acc_naming_begin (NULL);
  AccElementType *types[] = { x, y };
  AccExpr *params[2];

  make_params (types, params, 2);
  return finish (params, 2, acc_expr_take_result (function ? acc_call2 (function, params[0], params[1], user_data) : NULL), result_type);
}

AccFunction *
acc_function_new3 (AccElementType *x,
                   AccElementType *y,
                   AccElementType *z,
                   AccExprFunc3    function,
                   gpointer        user_data,
                   AccElementType *result_type)
{
  G_GNUC_UNUSED g_auto(AccNaming) naming = acc_naming_begin (NULL);
  AccElementType *types[] = { x, y, z };
  AccExpr *params[3];

  make_params (types, params, 3);
  return finish (params, 3, acc_expr_take_result (function ? acc_call3 (function, params[0], params[1], params[2], user_data) : NULL),
                 result_type);
}

AccFunction *
acc_function_ref (AccFunction *self)
{
  g_atomic_ref_count_inc (&self->ref_count);
  return self;
}

void
acc_function_unref (AccFunction *self)
{
  if (!g_atomic_ref_count_dec (&self->ref_count))
    return;

  for (guint i = 0; i < self->n_params; i++)
    acc_expr_unref (self->params[i]);
  acc_expr_unref (self->body);
  g_ptr_array_unref (self->arrays);
  g_free (self);
}
