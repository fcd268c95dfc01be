/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "acc-array-build-private.h"
#include "acc-error.h"

#include <string.h>

/* The shape rules of all operations: extents of a node from those of its inputs, before a run or in it. */

gboolean
acc_inference_fail (AccInference *self,
                    AccError      code,
                    const char   *format,
                    ...)
{
  g_autofree char *description = acc_array_describe (self->array);
  g_autofree char *message = NULL;
  va_list args;

  va_start (args, format);
  message = g_strdup_vprintf (format, args);
  va_end (args);

  g_set_error (self->error, ACC_ERROR, code, "%s: %s", description, message);
  return FALSE;
}

gboolean
acc_extents_check_size (const gint64   *extents,
                        guint           rank,
                        AccElementType *type,
                        gint64         *size)
{
  gint64 n = 1;
  gint64 largest = MAX (acc_element_type_get_size (type), 1);

  *size = 0;

  for (guint i = 0; i < rank; i++)
    if (extents[i] <= 0)
      return TRUE;

  for (guint i = 0; i < rank; i++)
    if (__builtin_mul_overflow (n, extents[i], &n))
      return FALSE;

  *size = n;
  return !__builtin_mul_overflow (n, largest, &n);
}

const gint64 *
acc_inference_get_extents (AccInference *self,
                           guint         input)
{
  AccArray *array = self->array->inputs[input];

  if (array->shape != NULL)
    return acc_shape_get_extents (array->shape, NULL);

  return self->context->get_extents (array, self->context->user_data, self->error);
}

gboolean
acc_infer_first (AccInference *self)
{
  const gint64 *extents = acc_inference_get_extents (self, 0);

  if (extents == NULL)
    return FALSE;

  if (self->array->rank > 0)
    memcpy (self->extents, extents, self->array->rank * sizeof (gint64));
  return TRUE;
}

gboolean
acc_infer_least (AccInference *self)
{
  if (!acc_infer_first (self))
    return FALSE;

  for (guint i = 1; i < self->array->n_inputs; i++)
    {
      const gint64 *extents = acc_inference_get_extents (self, i);

      if (extents == NULL)
        return FALSE;
      for (guint d = 0; d < self->array->rank; d++)
        self->extents[d] = MIN (self->extents[d], extents[d]);
    }

  return TRUE;
}

/* As they are whatever runs it, or by the context. */
static const gint64 *
get_closed_extents (AccArray  *array,
                    gpointer   user_data,
                    GError   **error)
{
  const AccShapeContext *context = user_data;

  return array->shape != NULL ? acc_shape_get_extents (array->shape, NULL) : context->get_extents (array, context->user_data, error);
}

gboolean
acc_infer_given (AccInference *self)
{
  const AccClosedContext context = { get_closed_extents, NULL, (gpointer) self->context };
  AccFunction *function = self->array->extents;
  g_autoptr(GError) error = NULL;
  g_autofree char *refused = NULL;
  gboolean unknown = FALSE;

  if (acc_closed_evaluate (function, &context, self->extents, &unknown, &error))
    return TRUE;

  if (unknown)
    g_clear_error (&error);
  if (unknown && self->context->evaluate != NULL)
    {
      if (self->context->evaluate (function, self->extents, self->context->user_data, &error))
        return TRUE;
    }

  refused = acc_array_refuse_number (self->array, 0, TRUE);
  if (error != NULL && refused != NULL && g_str_has_prefix (error->message, acc_array_get_operation_name (self->array)))
    {
      g_propagate_error (self->error, g_steal_pointer (&error));
      return FALSE;
    }
  if (error != NULL)
    return acc_inference_fail (self, error->code, "%s%s", refused != NULL ? "" : "its shape: ", error->message);
  else
    return acc_inference_fail (self, ACC_ERROR_UNSUPPORTED, "its shape depends on computed values");
}

gboolean
acc_array_infer_extents (AccArray               *self,
                         const AccShapeContext  *context,
                         gint64                 *extents,
                         GError                **error)
{
  AccInference inference = { self, context, extents, error };
  gboolean (*infer) (AccInference *) = acc_operation_get_class (self->op)->infer;
  gint64 size;

  if (self->error != NULL)
    {
      g_propagate_error (error, acc_array_dup_error (self));
      return FALSE;
    }

  if (self->shape != NULL)
    {
      if (self->rank > 0)
        memcpy (extents, acc_shape_get_extents (self->shape, NULL), self->rank * sizeof (gint64));
      return TRUE;
    }

  if (infer == NULL)
    return acc_inference_fail (&inference, ACC_ERROR_UNSUPPORTED, "its extents are known when it has run");
  if (!infer (&inference))
    return FALSE;

  for (guint i = 0; i < self->rank; i++)
    extents[i] = MAX (extents[i], 0);

  if (!acc_extents_check_size (extents, self->rank, self->type, &size))
    {
      g_autoptr(AccShape) shape = acc_shape_new (extents, self->rank);
      g_autofree char *text = acc_shape_to_string (shape);

      return acc_inference_fail (&inference, ACC_ERROR_SHAPE, "%s of %s is more than can be addressed", text,
                   acc_element_type_get_code (self->type));
    }

  return TRUE;
}

/* Before a run: what is not known yet is no mistake. */
static const gint64 *
get_static_extents (AccArray  *array,
                    gpointer   user_data,
                    GError   **error)
{
  gboolean *unknown = user_data;

  if (array->shape != NULL)
    return acc_shape_get_extents (array->shape, NULL);

  *unknown = TRUE;
  g_set_error_literal (error, ACC_ERROR, ACC_ERROR_UNSUPPORTED, "not known yet");
  return NULL;
}

static gboolean
evaluate_static (AccFunction  *function,
                 gint64       *values,
                 gpointer      user_data,
                 GError      **error)
{
  gboolean *unknown = user_data;

  *unknown = TRUE;
  g_set_error_literal (error, ACC_ERROR, ACC_ERROR_UNSUPPORTED, "not known yet");
  return FALSE;
}

void
acc_array_set_common_shape (AccArray *node,
                            AccArray *a,
                            AccArray *b)
{
  if (a->shape != NULL && b->shape != NULL && acc_shape_equal (a->shape, b->shape))
    node->shape = acc_shape_ref (a->shape);
}

gboolean
acc_array_check_declared (AccArray   *node,
                          AccArray   *parameter,
                          AccArray   *value,
                          const char *name)
{
  const gint64 *declared = acc_array_get_parameter (parameter)->declared;

  for (guint i = 0; value->shape != NULL && i < parameter->rank; i++)
    if (declared[i] >= 0 && declared[i] != acc_shape_get_extent (value->shape, i))
      return acc_array_fail (node, ACC_ERROR_SHAPE,
                             "its %s has extent %" G_GINT64_FORMAT " in dimension %u where %" G_GINT64_FORMAT " is declared",
                             name, acc_shape_get_extent (value->shape, i), i, declared[i]);

  return TRUE;
}

static AccArray *
find_manifest (AccArray *array,
               gpointer  user_data)
{
  return acc_array_is_manifest (array) ? array : NULL;
}

/* Of what is in memory any element is known. */
static gboolean
evaluate_known (AccFunction  *function,
                gint64       *values,
                gpointer      user_data,
                GError      **error)
{
  const AccClosedContext context = { get_static_extents, find_manifest, user_data };
  GError *local = NULL;

  if (acc_closed_evaluate (function, &context, values, user_data, &local))
    return TRUE;

  *(gboolean *) user_data |= local->code == ACC_ERROR_UNSUPPORTED;
  g_propagate_error (error, local);
  return FALSE;
}

static void
infer_with (AccArray *node,
            gboolean (*evaluate) (AccFunction *function, gint64 *values, gpointer user_data, GError **error))
{
  const AccOperationClass *klass = acc_operation_get_class (node->op);
  gboolean unknown = FALSE;
  AccShapeContext context = { get_static_extents, evaluate, &unknown };
  g_autofree gint64 *extents = NULL;
  g_autoptr(GError) error = NULL;

  if (klass->set_shape != NULL)
    {
      klass->set_shape (node);
      return;
    }

  extents = g_new (gint64, node->rank + 1);

  if (acc_array_infer_extents (node, &context, extents, &error))
    node->shape = acc_shape_new (extents, node->rank);
  else if (!unknown && error->code != ACC_ERROR_UNSUPPORTED)
    node->error = g_steal_pointer (&error);
}

void
acc_array_infer_static (AccArray *node)
{
  infer_with (node, evaluate_static);
}

void
acc_array_infer_known (AccArray *node)
{
  infer_with (node, evaluate_known);
}
