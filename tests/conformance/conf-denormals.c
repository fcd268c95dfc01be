/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "conformance.h"

#include "acc-module-expr.h"

#include <string.h>

/* Which elements lead to denormals, and others in their place. */

typedef struct {
  AccExprFunc  one;
  AccExprFunc2 two;
  gpointer     data;
} Call;

static gboolean
may_be_denormal (AccExpr *x)
{
  AccElementKind kind = x->type != NULL ? acc_element_type_get_kind (x->type) : ACC_KIND_TUPLE;

  return (kind == ACC_KIND_F32 || kind == ACC_KIND_F64) && x->kind != ACC_EXPR_LITERAL;
}

/* Whether @result, or anything that it is made of, is a denormal. */
static AccExpr *
any_is_denormal (AccExpr *result /* (transfer floating) */)
{
  g_autoptr(AccExpr) held = acc_expr_ref_sink (result);
  g_autoptr(GHashTable) seen = g_hash_table_new (NULL, NULL);
  g_autoptr(GPtrArray) stack = g_ptr_array_new (), answers = g_ptr_array_new ();

  g_ptr_array_add (stack, result);
  while (stack->len > 0)
    {
      AccExpr *x = g_ptr_array_steal_index_fast (stack, stack->len - 1);

      if (!g_hash_table_add (seen, x))
        continue;
      if (may_be_denormal (x))
        g_ptr_array_add (answers, acc_expr_is_denormalized (x));
      for (guint i = 0; i < x->n_args; i++)
        g_ptr_array_add (stack, x->args[i]);
    }

  /* In pairs, which are not deep. */
  for (; answers->len > 1; g_ptr_array_set_size (answers, (gint) (answers->len + 1) / 2))
    for (guint i = 0; i < answers->len; i += 2)
      answers->pdata[i / 2] = i + 1 < answers->len ? acc_expr_lor (answers->pdata[i], answers->pdata[i + 1]) : answers->pdata[i];
  return answers->len == 1 ? answers->pdata[0] : acc_expr_new_bool (FALSE);
}

static AccExpr *
ask_one (AccExpr *x, gpointer data)
{
  const Call *call = data;

  return any_is_denormal (call->one (x, call->data));
}

static AccExpr *
ask_two (AccExpr *x, AccExpr *y, gpointer data)
{
  const Call *call = data;

  return any_is_denormal (call->two (x, y, call->data));
}

/* @array with element @other in place of those that @leads says. */
static AccArray *
exchange (AccArray *array, const guint8 *leads, gint64 other)
{
  AccElementType *type = acc_array_get_element_type (array);
  guint n_buffers = acc_element_type_get_n_buffers (type);
  gint64 n = acc_shape_get_size (array->shape);
  g_autoptr(GPtrArray) buffers = g_ptr_array_new_with_free_func ((GDestroyNotify) g_bytes_unref);

  for (guint b = 0; b < n_buffers; b++)
    {
      gsize size = acc_element_type_get_buffer_size (type, b);
      guint8 *data = g_memdup2 (acc_buffer_map (acc_array_get_buffers (array)[b], NULL), size * n);

      for (gint64 i = 0; i < n; i++)
        if (leads[i])
          memcpy (data + i * size, data + other * size, size);
      g_ptr_array_add (buffers, g_bytes_new_take (data, size * n));
    }
  return acc_array_use_buffers (type, array->shape, (GBytes **) buffers->pdata, n_buffers);
}

void
conf_spare_denormals (AccArray **arguments, AccExprFunc one, AccExprFunc2 two, gpointer data)
{
  guint n_arguments = one != NULL ? 1 : 2;
  Call call = { one, two, data };
  gint64 n = acc_shape_get_size (arguments[0]->shape), other = 0, n_leading = 0;
  g_autoptr(AccShape) none = acc_shape_new_vector (0);
  g_autoptr(AccArray) asked = NULL, answer = NULL;
  g_autoptr(GError) error = NULL;
  const guint8 *leads;

  if (conf_keeps_subnormals ())
    return;
  asked = one != NULL ? acc_array_map (arguments[0], ask_one, &call) : acc_array_zip_with (arguments[0], arguments[1], ask_two, &call);
  answer = acc_backend_run (conf_interpreter (), asked, NULL, &error);
  g_assert_no_error (error);
  leads = acc_buffer_map (acc_array_get_buffers (answer)[0], &error);
  g_assert_no_error (error);
  for (gint64 i = n; i-- > 0;)
    if (leads[i])
      n_leading++;
    else
      other = i;
  if (g_test_verbose ())
    g_test_message ("%" G_GINT64_FORMAT " of %" G_GINT64_FORMAT " elements lead to denormals", n_leading, n);

  for (guint i = 0; i < n_arguments; i++)
    {
      g_autoptr(AccArray) before = arguments[i];

      arguments[i] = n_leading < n ? exchange (before, leads, other) : conf_cut (before, 0, none);
    }
}
