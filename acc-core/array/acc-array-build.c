/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "acc-array-build-private.h"
#include "acc-error.h"

#include <string.h>

/* Of this thread: what nodes are made for, a GRefString. Not an interned one: before GLib 2.80 a thread may find one that another is about
 * to free. */
static _Thread_local char *made_by;

AccNaming
acc_naming_begin (const char *operation)
{
  char *before = made_by;

  if (operation == NULL || before == NULL)
    made_by = operation != NULL ? g_ref_string_new (operation) : NULL;
  return (AccNaming) { before };
}

void
acc_naming_end (AccNaming *self)
{
  if (made_by != NULL && made_by != self->before)
    g_ref_string_release (made_by);
  made_by = self->before;
}

gboolean
acc_array_fail (AccArray   *node,
                AccError    code,
                const char *format,
                ...)
{
  const char *name = acc_array_get_operation_name (node);
  g_autofree char *message = NULL;
  va_list args;

  if (node->error != NULL)
    return FALSE;

  va_start (args, format);
  message = g_strdup_vprintf (format, args);
  va_end (args);

  /* What is made of others may say already what it is. */
  if (node->made_by != NULL && g_str_has_prefix (message, name) && strchr (": ", message[strlen (name)]) != NULL)
    node->error = g_error_new_literal (ACC_ERROR, code, message);
  else
    node->error = g_error_new (ACC_ERROR, code, "%s: %s", name, message);
  return FALSE;
}

gboolean
acc_array_fail_argument (AccArray   *node,
                         const char *argument)
{
  return acc_array_fail (node, ACC_ERROR_CALLBACK, "%s is missing", argument);
}

AccArray *
acc_array_begin (AccOperation   op,
                 AccArray     **inputs,
                 guint          n_inputs)
{
  AccArray *node = g_object_new (ACC_TYPE_ARRAY, NULL);
  const AccPayloadClass *payload = acc_operation_get_class (op)->payload;

  node->op = op;
  if (payload != NULL && payload->size > 0)
    node->payload = g_malloc0 (payload->size);
  node->made_by = made_by != NULL ? g_ref_string_acquire (made_by) : NULL;

  for (guint i = 0; i < n_inputs; i++)
    {
      if (inputs[i] == NULL || !ACC_IS_ARRAY (inputs[i]))
        {
          acc_array_fail_argument (node, "an array");
        }
      else if (inputs[i]->error != NULL && node->error == NULL)
        {
          node->error = g_error_copy (inputs[i]->error);
          node->origin = g_object_ref (inputs[i]->origin != NULL ? inputs[i]->origin : inputs[i]);
        }
    }

  if (node->error != NULL)
    return node;

  node->n_inputs = n_inputs;
  node->inputs = g_new (AccArray *, n_inputs);
  for (guint i = 0; i < n_inputs; i++)
    node->inputs[i] = g_object_ref (inputs[i]);

  return node;
}

static gboolean
prepare (AccArray     *node,
         guint         slot,
         gboolean      has_function,
         AccSignature *signature)
{
  const AccOperationClass *klass = acc_operation_get_class (node->op);

  *signature = (AccSignature) { 0, };

  if (node->error != NULL)
    return FALSE;
  if (!has_function)
    return acc_array_fail_argument (node, "a function");
  if (!klass->check (node))
    return FALSE;

  if (klass->signature != NULL)
    klass->signature (node, slot, signature);
  return TRUE;
}

void
acc_array_call1 (AccArray    *node,
                 guint        slot,
                 AccExprFunc  function,
                 gpointer     user_data)
{
  AccSignature signature;

  if (prepare (node, slot, function != NULL, &signature))
    acc_array_take_function (node, slot, acc_function_new1 (signature.params[0], function, user_data, signature.result));
}

void
acc_array_call2 (AccArray     *node,
                 guint         slot,
                 AccExprFunc2  function,
                 gpointer      user_data)
{
  AccSignature signature;

  if (prepare (node, slot, function != NULL, &signature))
    acc_array_take_function (node, slot, acc_function_new2 (signature.params[0], signature.params[1],
                                                            function, user_data, signature.result));
}

void
acc_array_call3 (AccArray     *node,
                 guint         slot,
                 AccExprFunc3  function,
                 gpointer      user_data)
{
  AccSignature signature;

  if (prepare (node, slot, function != NULL, &signature))
    acc_array_take_function (node, slot, acc_function_new3 (signature.params[0], signature.params[1], signature.params[2],
                                                            function, user_data, signature.result));
}

AccArray *
acc_array_keep_commutes (AccArray    *fold,
                         AccFunction *function)
{
  AccArray *node = fold->direct != NULL ? fold->direct : fold;

  if (fold->error == NULL && node->error == NULL)
    node->functions[0]->commutes = function->commutes;

  return fold;
}

static AccFunction *
close_expr (AccExpr        *value,
            AccElementType *type)
{
  g_autoptr(AccExpr) resolved = acc_expr_ref_sink (acc_expr_resolve (value, type));

  return acc_function_new (NULL, 0, resolved);
}

void
acc_array_close (AccArray *node,
                 guint     slot,
                 AccExpr  *value)
{
  g_autoptr(AccExpr) owned = value != NULL ? acc_expr_ref_sink (value) : NULL;
  AccSignature signature;

  if (node->error == NULL && value == NULL)
    acc_array_fail_argument (node, "a value");

  if (prepare (node, slot, TRUE, &signature))
    acc_array_take_function (node, slot, close_expr (owned, signature.result));
}

void
acc_array_take_function (AccArray    *node,
                         guint        slot,
                         AccFunction *function)
{
  g_clear_pointer (&node->functions[slot], acc_function_unref);
  node->functions[slot] = function;
  node->n_functions = MAX (node->n_functions, slot + 1);
}

void
acc_array_set_extents (AccArray *node,
                       AccShape *shape)
{
  const gint64 *extents;
  guint rank;
  g_autofree AccExpr **items = NULL;

  if (node->error != NULL)
    return;

  if (shape == NULL)
    {
      acc_array_fail_argument (node, "a shape");
      return;
    }

  extents = acc_shape_get_extents (shape, &rank);

  if (rank > ACC_MAX_LEAVES)
    {
      acc_array_fail (node, ACC_ERROR_SHAPE, "rank %u is too high", rank);
      return;
    }

  items = g_new (AccExpr *, rank + 1);
  for (guint i = 0; i < rank; i++)
    items[i] = acc_array_number (extents[i]);

  acc_array_set_extents_expr (node, acc_array_join_items (items, rank));
}

void
acc_array_set_extents_expr (AccArray *node,
                            AccExpr  *shape)
{
  g_autoptr(AccExpr) owned = shape != NULL ? acc_expr_ref_sink (shape) : NULL;

  if (node->error != NULL)
    return;

  if (shape == NULL)
    acc_array_fail_argument (node, "a shape");
  else
    acc_array_take_extents (node, close_expr (owned, NULL));
}

void
acc_array_take_extents (AccArray    *node,
                        AccFunction *extents)
{
  const GError *error = acc_expr_get_error (extents->body);

  g_clear_pointer (&node->extents, acc_function_unref);
  node->extents = extents;

  if (node->error != NULL)
    return;

  if (error != NULL)
    acc_array_fail (node, error->code, "%s", error->message);
  else if (extents->n_params != 0 || !acc_index_type_get_rank (extents->body->type, &node->rank))
    acc_array_fail (node, ACC_ERROR_TYPE, "a shape is one i8 or a tuple of them, not %s",
                    acc_element_type_get_code (extents->body->type));
}

gboolean
acc_index_type_get_rank (AccElementType *type,
                         guint          *rank)
{
  if (!acc_element_type_is_tuple (type))
    {
      *rank = 1;
      return acc_element_type_get_kind (type) == ACC_KIND_I64;
    }

  *rank = acc_element_type_get_n_items (type);
  return acc_index_type (*rank) == type;
}

static gboolean
check_function (AccArray    *node,
                AccFunction *function,
                guint        slot)
{
  const GError *error = acc_expr_get_error (function->body);
  AccSignature signature = { 0, };

  if (error != NULL)
    return acc_array_fail (node, error->code, "%s", error->message);

  if (acc_operation_get_class (node->op)->signature != NULL)
    acc_operation_get_class (node->op)->signature (node, slot, &signature);

  if (function->n_params != signature.n_params)
    return acc_array_fail (node, ACC_ERROR_TYPE, "its function takes %u parameters, not %u",
                           signature.n_params, function->n_params);

  for (guint i = 0; i < signature.n_params; i++)
    if (function->params[i]->type != signature.params[i])
      return acc_array_fail (node, ACC_ERROR_TYPE, "parameter %u of its function is %s, not %s", i,
                             acc_element_type_get_code (signature.params[i]),
                             acc_element_type_get_code (function->params[i]->type));

  if (signature.result != NULL && function->body->type != signature.result)
    return acc_array_fail (node, ACC_ERROR_TYPE, "its %s gives %s where %s is needed",
                           signature.n_params > 0 ? "function" : "value",
                           acc_element_type_get_code (function->body->type),
                           acc_element_type_get_code (signature.result));

  return TRUE;
}

static gboolean
check_closed (AccArray    *node,
              AccFunction *function)
{
  g_autoptr(AccExpr) variable = NULL;

  if (function == NULL || (variable = acc_function_find_free_variable (function)) == NULL)
    return TRUE;

  return acc_array_fail (node, ACC_ERROR_TYPE,
                         "it depends on a variable of another function: "
                         "a scalar function cannot start an operation on whole arrays");
}

static gboolean
check_functions (AccArray *node)
{
  guint n = strlen (acc_operation_get_info (node->op)->functions);
  AccFunction *function;

  for (guint i = 0; i < n; i++)
    if (node->functions[i] == NULL)
      return acc_array_fail_argument (node, "a function");

  for (guint i = 0; i < n; i++)
    if (!check_function (node, node->functions[i], i) || !check_closed (node, node->functions[i]))
      return FALSE;

  for (guint i = n; (function = acc_array_nth_function (node, i)) != NULL; i++)
    if (!check_closed (node, function))
      return FALSE;

  return check_closed (node, node->extents);
}

static void
add_references (AccArray  *node,
                GPtrArray *arrays)
{
  g_autoptr(GHashTable) seen = NULL;

  if (arrays->len > 8)
    {
      seen = g_hash_table_new (NULL, NULL);
      for (guint i = 0; i < node->references->len; i++)
        g_hash_table_add (seen, g_ptr_array_index (node->references, i));
    }

  for (guint i = 0; i < arrays->len; i++)
    {
      AccArray *array = g_ptr_array_index (arrays, i);

      if (seen != NULL ? g_hash_table_add (seen, array) : !g_ptr_array_find (node->references, array, NULL))
        g_ptr_array_add (node->references, g_object_ref (array));
    }
}

void
acc_array_collect_references (AccArray *node)
{
  AccProgram **programs = acc_array_get_programs (node);
  AccFunction *function;

  for (guint i = 0; (function = acc_array_nth_function (node, i)) != NULL; i++)
    add_references (node, function->arrays);
  for (guint i = 0; programs != NULL && i < 2 && programs[i] != NULL; i++)
    add_references (node, acc_program_get_captures (programs[i]));
  if (node->extents != NULL)
    add_references (node, node->extents->arrays);
}

AccArray *
acc_array_complete (AccArray *node)
{
  if (node->error == NULL && acc_operation_get_class (node->op)->check (node) && check_functions (node))
    {
      if (node->type == NULL)
        node->type = node->functions[0]->body->type;

      if (acc_element_type_get_n_leaves (node->type) > ACC_MAX_LEAVES)
        acc_array_fail (node, ACC_ERROR_TYPE, "an element has more than %u scalars", ACC_MAX_LEAVES);
      else
        acc_array_collect_references (node);
    }

  if (node->error == NULL)
    acc_array_infer_static (node);

  if (node->error != NULL)
    {
      node->type = NULL;
      node->rank = 0;
      g_clear_pointer (&node->shape, acc_shape_unref);
    }

  return node;
}
