/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "acc-array-build-private.h"
#include "acc-error.h"
#include "acc-foreign-known-private.h"
#include "acc-source.h"

#include <string.h>

typedef struct {
  AccArray              *array;
  const AccShapeContext *context;
  gint64                *extents;
  GError               **error;
} Inference;

static gboolean fail (Inference  *self,
                      AccError    code,
                      const char *format,
                      ...) G_GNUC_PRINTF (3, 4);

static gboolean
fail (Inference  *self,
      AccError    code,
      const char *format,
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

static const gint64 *
get_input (Inference *self,
           guint      input)
{
  AccArray *array = self->array->inputs[input];

  if (array->shape != NULL)
    return acc_shape_get_extents (array->shape, NULL);

  return self->context->get_extents (array, self->context->user_data, self->error);
}

static gboolean
copy_input (Inference *self,
            guint      input)
{
  const gint64 *extents = get_input (self, input);

  if (extents == NULL)
    return FALSE;

  if (self->array->rank > 0)
    memcpy (self->extents, extents, self->array->rank * sizeof (gint64));
  return TRUE;
}

static gboolean
intersect_inputs (Inference *self)
{
  if (!copy_input (self, 0))
    return FALSE;

  for (guint i = 1; i < self->array->n_inputs; i++)
    {
      const gint64 *extents = get_input (self, i);

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

static gboolean
evaluate_extents (Inference *self)
{
  const AccClosedContext context = { get_closed_extents, NULL, (gpointer) self->context };
  AccFunction *function = self->array->extents;
  g_autoptr(GError) error = NULL;
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

  if (error != NULL)
    return fail (self, error->code, "its shape: %s", error->message);
  else
    return fail (self, ACC_ERROR_UNSUPPORTED, "its shape depends on computed values");
}

static gboolean
infer_reshape (Inference *self)
{
  AccArray *input = self->array->inputs[0];
  const gint64 *extents;
  gint64 size, input_size;

  if (!evaluate_extents (self) || (extents = get_input (self, 0)) == NULL)
    return FALSE;

  if (!acc_extents_check_size (extents, input->rank, input->type, &input_size) ||
      !acc_extents_check_size (self->extents, self->array->rank, input->type, &size) ||
      size != input_size)
    {
      g_autoptr(AccShape) from = acc_shape_new (extents, input->rank);
      g_autoptr(AccShape) to = acc_shape_new (self->extents, self->array->rank);
      g_autofree char *from_text = acc_shape_to_string (from);
      g_autofree char *to_text = acc_shape_to_string (to);

      return fail (self, ACC_ERROR_SHAPE, "%s does not have as many elements as %s", to_text, from_text);
    }

  return TRUE;
}

static gboolean
infer_slice (Inference *self)
{
  const AccSelectionPayload *selection = acc_array_get_selection (self->array);
  const gint64 *extents = get_input (self, 0);
  guint kept = 0;

  if (extents == NULL)
    return FALSE;

  for (guint i = 0; i < selection->n; i++)
    {
      gint64 index = selection->entries[i];

      if (index == ACC_ALL)
        self->extents[kept++] = extents[i];
      else if (index < 0 || index >= extents[i])
        return fail (self, ACC_ERROR_BOUNDS, "index %" G_GINT64_FORMAT " is outside dimension %u of extent %" G_GINT64_FORMAT,
                     index, i, extents[i]);
    }

  return TRUE;
}

static gboolean
infer_replicate (Inference *self)
{
  const AccSelectionPayload *selection = acc_array_get_selection (self->array);
  const gint64 *extents = get_input (self, 0);
  guint used = 0;

  if (extents == NULL)
    return FALSE;

  for (guint i = 0; i < selection->n; i++)
    {
      gint64 entry = selection->entries[i];

      self->extents[i] = entry == ACC_ALL ? extents[used++] : entry;
    }

  return TRUE;
}

static gboolean
infer_fold (Inference *self,
            gboolean   all,
            gboolean   seeded)
{
  AccArray *input = self->array->inputs[0];
  const gint64 *extents = get_input (self, 0);

  if (extents == NULL)
    return FALSE;

  for (guint i = all ? 0 : input->rank - 1; !seeded && i < input->rank; i++)
    if (extents[i] <= 0)
      return fail (self, ACC_ERROR_SHAPE, "empty array: dimension %u has extent 0 and there is no initial value", i);

  if (self->array->rank > 0)
    memcpy (self->extents, extents, self->array->rank * sizeof (gint64));
  return TRUE;
}

static gboolean
infer_segments (Inference *self)
{
  const gint64 *offsets = get_input (self, 1);
  gint64 n;

  if (offsets == NULL)
    return FALSE;
  n = MAX (offsets[0] - 1, 0);
  if (!copy_input (self, 0))
    return FALSE;
  self->extents[self->array->rank - 1] = n;
  return TRUE;
}

static gboolean
infer_matmul (Inference *self)
{
  AccArray *left = self->array->inputs[0], *right = self->array->inputs[1];
  guint l = left->rank, r = right->rank, n = MAX (l, r);
  g_autofree gint64 *x = NULL;
  const gint64 *extents = get_input (self, 0), *y;

  if (extents == NULL)
    return FALSE;
  x = g_memdup2 (extents, l * sizeof (gint64));
  if ((y = get_input (self, 1)) == NULL)
    return FALSE;

  for (guint i = 0; i + 2 < n; i++)
    {
      if (l == r && x[i] != y[i])
        return fail (self, ACC_ERROR_BOUNDS, "index -1 is outside: matrices in extents %" G_GINT64_FORMAT " and %" G_GINT64_FORMAT, x[i], y[i]);
      self->extents[i] = l == n ? x[i] : y[i];
    }
  if (x[l - 1] != y[r - 2])
    return fail (self, ACC_ERROR_BOUNDS, "index -1 is outside: rows of %" G_GINT64_FORMAT " and columns of %" G_GINT64_FORMAT, x[l - 1], y[r - 2]);
  self->extents[n - 2] = x[l - 2];
  self->extents[n - 1] = y[r - 1];
  return TRUE;
}

static gboolean
infer_permute (Inference *self)
{
  AccArray *source = self->array->inputs[0];
  const gint64 *extents = get_input (self, 0);
  g_autofree gint64 *copy = NULL;
  const gint64 *targets;

  if (extents == NULL)
    return FALSE;

  copy = g_memdup2 (extents, source->rank * sizeof (gint64));
  if ((targets = get_input (self, 2)) == NULL)
    return FALSE;

  for (guint i = 0; i < source->rank; i++)
    if (targets[i] != copy[i])
      return fail (self, ACC_ERROR_SHAPE,
                   "the targets have extent %" G_GINT64_FORMAT " in dimension %u where the elements have %" G_GINT64_FORMAT,
                   targets[i], i, copy[i]);

  return copy_input (self, 1);
}

static gboolean
infer_leaf (Inference *self)
{
  AccArray *array = self->array;

  if (array->op == ACC_OP_SOURCE)
    {
      guint rank;
      const gint64 *extents = acc_shape_get_extents (acc_source_get_shape (acc_array_get_source (array)), &rank);

      /* One of rank 0 is a row. */
      self->extents[0] = 1;
      memcpy (self->extents, extents, rank * sizeof (gint64));
      return TRUE;
    }

  for (guint i = 0; i < array->rank; i++)
    {
      gint64 declared = array->op == ACC_OP_PARAMETER ? acc_array_get_parameter (array)->declared[i] : -1;

      if (declared < 0)
        return fail (self, ACC_ERROR_UNSUPPORTED, "it has no extents before a run");
      self->extents[i] = declared;
    }

  return TRUE;
}

static gboolean
infer (Inference *self)
{
  switch ((guint) self->array->op)
    {
    case ACC_OP_USE:
    case ACC_OP_SOURCE:
    case ACC_OP_PARAMETER:
      return infer_leaf (self);

    case ACC_OP_GENERATE:
    case ACC_OP_FILL:
      return evaluate_extents (self);

    case ACC_OP_BACKPERMUTE:
      return evaluate_extents (self);

    case ACC_OP_RESHAPE:
      return infer_reshape (self);

    case ACC_OP_MAP:
    case ACC_OP_IMAP:
    case ACC_OP_UNZIP:
    case ACC_OP_COMPUTE:
    case ACC_OP_SCANL1:
    case ACC_OP_SORT:
    case ACC_OP_STENCIL:
    case ACC_OP_FFT:
      return copy_input (self, 0);

    case ACC_OP_ZIP_WITH:
    case ACC_OP_ZIP_WITH3:
    case ACC_OP_ZIP:
    case ACC_OP_STENCIL2:
      return intersect_inputs (self);

    case ACC_OP_SLICE:
      return infer_slice (self);

    case ACC_OP_REPLICATE:
      return infer_replicate (self);

    case ACC_OP_PERMUTE:
      return infer_permute (self);

    case ACC_OP_FOLD_SEG:
    case ACC_OP_FOLD1_SEG:
      return infer_segments (self);

    case ACC_OP_MATMUL:
      return infer_matmul (self);

    case ACC_OP_FOLD:
      return infer_fold (self, FALSE, TRUE);
    case ACC_OP_FOLD1:
      return infer_fold (self, FALSE, FALSE);
    case ACC_OP_FOLD_ALL:
      return infer_fold (self, TRUE, TRUE);
    case ACC_OP_FOLD1_ALL:
      return infer_fold (self, TRUE, FALSE);

    default:
      return fail (self, ACC_ERROR_UNSUPPORTED, "its extents are known when it has run");
    }
}

gboolean
acc_array_infer_extents (AccArray               *self,
                         const AccShapeContext  *context,
                         gint64                 *extents,
                         GError                **error)
{
  Inference inference = { self, context, extents, error };
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

  if (!infer (&inference))
    return FALSE;

  for (guint i = 0; i < self->rank; i++)
    extents[i] = MAX (extents[i], 0);

  if (!acc_extents_check_size (extents, self->rank, self->type, &size))
    {
      g_autoptr(AccShape) shape = acc_shape_new (extents, self->rank);
      g_autofree char *text = acc_shape_to_string (shape);

      return fail (&inference, ACC_ERROR_SHAPE, "%s of %s is more than can be addressed", text,
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

static void
set_common_shape (AccArray *node,
                  AccArray *a,
                  AccArray *b)
{
  if (a->shape != NULL && b->shape != NULL && acc_shape_equal (a->shape, b->shape))
    node->shape = acc_shape_ref (a->shape);
}

static gboolean
check_declared (AccArray *node,
                AccArray *parameter,
                AccArray *value,
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

static void
infer_loop (AccArray *node)
{
  AccArray **next;
  guint n;

  next = acc_program_get_result_nodes (acc_array_get_programs (node)[1], &n);

  for (guint i = 0; i < 2; i++)
    for (guint k = 0; k < node->n_inputs; k++)
      {
        AccArray *parameter = acc_program_get_parameter_nodes (acc_array_get_programs (node)[i], &n)[k];

        if (!check_declared (node, parameter, node->inputs[k], "initial state") ||
            !check_declared (node, parameter, next[k], "step's result"))
          return;
      }

  set_common_shape (node, node->inputs[0], next[0]);
}

static void
infer_loop_result (AccArray *node)
{
  AccArray *loop = node->inputs[0];
  guint item = acc_array_get_item (node), n;

  set_common_shape (node, loop->inputs[item], acc_program_get_result_nodes (acc_array_get_programs (loop)[1], &n)[item]);
}

static void
infer_foreign (AccArray *node)
{
  AccArray **parameters, *result;
  const char *problem;
  guint n;

  parameters = acc_program_get_parameter_nodes (acc_array_get_programs (node)[0], &n);
  for (guint i = 0; i < n; i++)
    if (!check_declared (node, parameters[i], node->inputs[i], "input"))
      return;

  result = acc_program_get_result_nodes (acc_array_get_programs (node)[0], &n)[0];
  set_common_shape (node, result, result);
  if ((problem = acc_foreign_check_static (node)) != NULL)
    acc_array_fail (node, ACC_ERROR_TYPE, "“%s” %s", acc_foreign_get_name (node), problem);
}

void
acc_array_infer_static (AccArray *node)
{
  gboolean unknown = FALSE;
  AccShapeContext context = { get_static_extents, evaluate_static, &unknown };
  g_autofree gint64 *extents = NULL;
  g_autoptr(GError) error = NULL;

  if (node->op == ACC_OP_COND)
    {
      set_common_shape (node, node->inputs[1], node->inputs[2]);
      return;
    }

  if (node->op == ACC_OP_WHILE_LOOP)
    {
      infer_loop (node);
      return;
    }

  if (node->op == ACC_OP_LOOP_RESULT)
    {
      infer_loop_result (node);
      return;
    }

  if (node->op == ACC_OP_FOREIGN)
    {
      infer_foreign (node);
      return;
    }

  extents = g_new (gint64, node->rank + 1);

  if (acc_array_infer_extents (node, &context, extents, &error))
    node->shape = acc_shape_new (extents, node->rank);
  else if (!unknown && error->code != ACC_ERROR_UNSUPPORTED)
    node->error = g_steal_pointer (&error);
}
