/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "acc-array-build-private.h"
#include "acc-array-values-private.h"
#include "acc-error.h"

#include <string.h>

/* Evaluates closed expressions, for the extents of arrays, independently of any backend. While the graph is built nothing loops or reads
 * elements: that is left to the run. */

/* Known values within an iteration of a loop, or outside of all loops: the leaves of each expression, which @owned holds. */
typedef struct {
  GHashTable *values;
  GPtrArray  *owned;
} Scope;

typedef struct {
  const AccClosedContext *context;
  GArray                 *scopes;     /* Scope; the innermost last */
  gboolean               *unknown;
  GError                **error;
} Evaluation;

static gboolean evaluate (Evaluation *self,
                          AccExpr    *body);

static void
begin_scope (Evaluation *self)
{
  Scope scope = { g_hash_table_new (NULL, NULL), g_ptr_array_new_with_free_func (g_free) };

  g_array_append_val (self->scopes, scope);
}

static void
end_scope (Evaluation *self)
{
  Scope *scope = &g_array_index (self->scopes, Scope, self->scopes->len - 1);

  g_hash_table_unref (scope->values);
  g_ptr_array_unref (scope->owned);
  g_array_set_size (self->scopes, self->scopes->len - 1);
}

static AccScalar *
get_values (Evaluation *self,
            AccExpr    *expr)
{
  for (guint i = self->scopes->len; i-- > 0;)
    {
      AccScalar *values = g_hash_table_lookup (g_array_index (self->scopes, Scope, i).values, expr);

      if (values != NULL)
        return values;
    }

  return NULL;
}

static void
set_values (Evaluation *self,
            AccExpr    *expr,
            AccScalar  *values)
{
  g_hash_table_insert (g_array_index (self->scopes, Scope, self->scopes->len - 1).values, expr, values);
}

static AccScalar *
new_values (Evaluation *self,
            guint       n)
{
  AccScalar *values = g_new0 (AccScalar, MAX (n, 1));

  g_ptr_array_add (g_array_index (self->scopes, Scope, self->scopes->len - 1).owned, values);
  return values;
}

static guint
count_leaves (AccExpr *expr)
{
  return acc_element_type_get_n_leaves (expr->type);
}

static gboolean
fail (Evaluation *self,
      AccError    code,
      const char *message)
{
  g_set_error_literal (self->error, ACC_ERROR, code, message);
  return FALSE;
}

static gboolean
fail_outside (Evaluation *self,
              AccArray   *array,
              gint64      index,
              gint64      extent)
{
  g_autofree char *message = acc_array_refuse_number (array, index, TRUE);

  if (message == NULL)
    message = g_strdup_printf ("index %" G_GINT64_FORMAT " is outside extent %" G_GINT64_FORMAT, index, extent);

  return fail (self, ACC_ERROR_BOUNDS, message);
}

static gboolean
give_up (Evaluation *self)
{
  if (self->unknown != NULL)
    *self->unknown = TRUE;
  return fail (self, ACC_ERROR_UNSUPPORTED, "it cannot be computed before the run");
}

static gboolean
get_extent (Evaluation *self,
            AccExpr    *expr,
            AccScalar  *extent)
{
  AccArray *array = expr->array;
  const gint64 *declared = array->op == ACC_OP_PARAMETER ? acc_array_get_parameter (array)->declared : NULL;
  const gint64 *extents = declared != NULL && declared[expr->item] >= 0
                            ? declared : self->context->get_extents (array, self->context->user_data, self->error);

  if (extents != NULL)
    extent->i = extents[expr->item];

  return extents != NULL;
}

static gboolean
compute_primitive (Evaluation *self,
                   AccExpr    *expr,
                   AccScalar  *result)
{
  AccElementKind kind = acc_element_type_get_kind (expr->args[0]->type);
  AccScalar x[2] = { 0, };

  for (guint i = 0; i < MIN (expr->n_args, 2); i++)
    x[i] = get_values (self, expr->args[i])[0];

  if (!acc_primitive_fails (expr->primitive, kind, x[0], x[1]))
    {
      *result = acc_primitive_get_function (expr->primitive, kind) (x[0], x[1]);
      return TRUE;
    }

  g_set_error (self->error, ACC_ERROR, ACC_ERROR_ARITHMETIC, "%s by zero, or of the minimum by -1",
               acc_primitive_get_info (expr->primitive)->name);
  return FALSE;
}

static gboolean
read_element (Evaluation *self,
              AccExpr    *expr,
              AccScalar  *result)
{
  const AccScalar *index = get_values (self, expr->args[0]);
  AccArray *data = self->context->find_data (expr->array, self->context->user_data);
  const gint64 *extents;
  gint64 linear = 0;
  guint rank;

  if (data == NULL)
    return fail (self, ACC_ERROR_UNSUPPORTED, "it depends on elements that are not computed yet");

  extents = acc_shape_get_extents (data->shape, &rank);
  if (expr->kind == ACC_EXPR_LINEAR_INDEX)
    {
      linear = index[0].i;
      if (linear < 0 || linear >= acc_shape_get_size (data->shape))
        return fail_outside (self, expr->array, linear, acc_shape_get_size (data->shape));
    }
  else
    {
      for (guint d = 0; d < rank; d++)
        {
          if (index[d].i < 0 || index[d].i >= extents[d])
            return fail_outside (self, expr->array, index[d].i, extents[d]);
          linear = linear * extents[d] + index[d].i;
        }
    }

  for (guint i = 0; i < count_leaves (expr); i++)
    if (!acc_array_peek (data, i, linear, &result[i], self->error))
      return FALSE;

  return TRUE;
}

/* The current cancellable is that of the run that is planned. */
#define ITERATIONS_PER_LOOK 1024

static gboolean
evaluate_while (Evaluation *self,
                AccExpr    *expr,
                AccScalar  *state)
{
  gsize size = count_leaves (expr) * sizeof (AccScalar);
  gboolean running = TRUE, ok = TRUE;

  memcpy (state, get_values (self, expr->args[0]), size);
  for (guint iteration = 1; ok && running; iteration++)
    {
      if (iteration % ITERATIONS_PER_LOOK == 0 && g_cancellable_set_error_if_cancelled (g_cancellable_get_current (), self->error))
        return FALSE;

      begin_scope (self);
      set_values (self, expr->functions[0]->params[0], state);
      set_values (self, expr->functions[1]->params[0], state);
      ok = evaluate (self, expr->functions[0]->body);
      running = ok && get_values (self, expr->functions[0]->body)[0].u != 0;
      if (running)
        {
          ok = evaluate (self, expr->functions[1]->body);
          if (ok)
            memmove (state, get_values (self, expr->functions[1]->body), size);
        }
      end_scope (self);
    }

  return ok;
}

/* Everything that @expr needs has values. */
static gboolean
evaluate_one (Evaluation *self,
              AccExpr    *expr)
{
  AccScalar *values;
  guint n = 0;

  if (expr->kind == ACC_EXPR_COND)
    {
      gboolean taken = get_values (self, expr->args[0])[0].u != 0;

      set_values (self, expr, get_values (self, expr->args[taken ? 1 : 2]));
      return TRUE;
    }
  if (expr->kind == ACC_EXPR_ITEM)
    {
      set_values (self, expr, get_values (self, expr->args[0]) + acc_element_type_get_first_leaf (expr->args[0]->type, expr->item));
      return TRUE;
    }

  values = new_values (self, count_leaves (expr));
  switch (expr->kind)
    {
    case ACC_EXPR_LITERAL:
      values[0] = expr->value;
      break;

    case ACC_EXPR_PRIMITIVE:
      if (!compute_primitive (self, expr, values))
        return FALSE;
      break;

    case ACC_EXPR_CAST:
      values[0] = acc_scalar_cast (acc_element_type_get_kind (expr->args[0]->type), acc_element_type_get_kind (expr->type),
                                   get_values (self, expr->args[0])[0]);
      break;

    case ACC_EXPR_BITCAST:
      values[0] = acc_scalar_bitcast (acc_element_type_get_kind (expr->type), get_values (self, expr->args[0])[0]);
      break;

    case ACC_EXPR_TUPLE:
      for (guint i = 0; i < expr->n_args; i++)
        {
          memcpy (values + n, get_values (self, expr->args[i]), count_leaves (expr->args[i]) * sizeof (AccScalar));
          n += count_leaves (expr->args[i]);
        }
      break;

    case ACC_EXPR_EXTENT:
      if (!get_extent (self, expr, values))
        return FALSE;
      break;

    case ACC_EXPR_WHILE:
      if (self->context->find_data == NULL)
        return give_up (self);
      if (!evaluate_while (self, expr, values))
        return FALSE;
      break;

    case ACC_EXPR_INDEX:
    case ACC_EXPR_LINEAR_INDEX:
      if (self->context->find_data == NULL)
        return give_up (self);
      if (!read_element (self, expr, values))
        return FALSE;
      break;

    case ACC_EXPR_COND:
    case ACC_EXPR_ITEM:
    case ACC_EXPR_VARIABLE:
    case ACC_EXPR_ERROR:
      return give_up (self);
    }

  set_values (self, expr, values);
  return TRUE;
}

static gboolean
is_left_to_run (Evaluation *self,
                AccExpr    *expr)
{
  return self->context->find_data == NULL &&
         (expr->kind == ACC_EXPR_WHILE || expr->kind == ACC_EXPR_INDEX || expr->kind == ACC_EXPR_LINEAR_INDEX);
}

static AccExpr *
find_missing (Evaluation *self,
              AccExpr    *expr,
              guint      *next)
{
  if (expr->kind == ACC_EXPR_COND)
    {
      AccScalar *condition = get_values (self, expr->args[0]);
      AccExpr *side;

      if (condition == NULL)
        return expr->args[0];

      side = expr->args[condition[0].u != 0 ? 1 : 2];
      return get_values (self, side) == NULL ? side : NULL;
    }

  if (is_left_to_run (self, expr))
    return NULL;

  for (; *next < expr->n_args; (*next)++)
    if (get_values (self, expr->args[*next]) == NULL)
      return expr->args[*next];

  return NULL;
}

typedef struct {
  AccExpr *expr;
  guint    next;
} Frame;

static gboolean
evaluate (Evaluation *self,
          AccExpr    *body)
{
  g_autoptr(GArray) stack = g_array_new (FALSE, FALSE, sizeof (Frame));

  g_array_append_vals (stack, &(Frame) { body, 0 }, 1);

  while (stack->len > 0)
    {
      Frame *top = &g_array_index (stack, Frame, stack->len - 1);
      AccExpr *missing = get_values (self, top->expr) == NULL ? find_missing (self, top->expr, &top->next) : NULL;

      if (missing != NULL)
        {
          g_array_append_vals (stack, &(Frame) { missing, 0 }, 1);
          continue;
        }

      if (get_values (self, top->expr) == NULL && !evaluate_one (self, top->expr))
        return FALSE;

      g_array_set_size (stack, stack->len - 1);
    }

  return TRUE;
}

gboolean
acc_closed_evaluate (AccFunction             *function,
                     const AccClosedContext  *context,
                     gint64                  *values,
                     gboolean                *unknown,
                     GError                 **error)
{
  g_autoptr(GArray) scopes = g_array_new (FALSE, FALSE, sizeof (Scope));
  Evaluation self = { context, scopes, unknown, error };
  gboolean ok;

  begin_scope (&self);
  ok = evaluate (&self, function->body);
  for (guint i = 0; ok && i < count_leaves (function->body); i++)
    values[i] = get_values (&self, function->body)[i].i;
  while (scopes->len > 0)
    end_scope (&self);

  return ok;
}
