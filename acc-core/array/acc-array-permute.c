/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "acc-array-build-private.h"
#include "acc-error.h"

static gboolean
is_integer (AccElementType *type)
{
  return !acc_element_type_is_tuple (type) && acc_element_kind_is_integer (acc_element_type_get_kind (type));
}

gboolean
acc_array_is_optional (AccElementType *type)
{
  return acc_element_type_is_tuple (type) && acc_element_type_get_n_items (type) == 2 &&
         acc_element_type_get_item (type, 0) == acc_element_type_new (ACC_KIND_BOOL);
}

/* Whether @type is an index of @rank in integers of any type. */
static gboolean
is_any_index (AccElementType *type,
              guint           rank)
{
  if (!acc_element_type_is_tuple (type))
    return rank == 1 && is_integer (type);

  for (guint i = 0; i < acc_element_type_get_n_items (type); i++)
    if (!is_integer (acc_element_type_get_item (type, i)))
      return FALSE;

  return acc_element_type_get_n_items (type) == rank;
}

static AccExpr *
widen_target (AccExpr *target,
              gpointer data)
{
  guint rank = GPOINTER_TO_UINT (data);
  gboolean optional = acc_array_is_optional (acc_expr_get_element_type (target));
  g_autoptr(AccExpr) index = acc_expr_ref_sink (optional ? acc_expr_item (target, 1) : target);
  g_autofree AccExpr **items = g_new (AccExpr *, rank + 1);
  AccExpr *wide;

  for (guint i = 0; i < rank; i++)
    items[i] = acc_expr_cast (acc_expr_item (index, i), acc_element_type_new (ACC_KIND_I64));
  wide = acc_array_join_items (items, rank);

  return optional ? acc_expr_tuple2 (acc_expr_item (target, 0), wide) : wide;
}

/* Targets of other integers, in i8. */
static AccArray *
widen (AccArray *targets,
       guint     rank)
{
  AccElementType *type = targets->type, *index = acc_array_is_optional (type) ? acc_element_type_get_item (type, 1) : type;

  if (index == acc_index_type (rank) || !is_any_index (index, rank))
    return g_object_ref (targets);

  return acc_array_map (targets, widen_target, GUINT_TO_POINTER (rank));
}

static gboolean
check_permute (AccArray *node)
{
  AccArray *source = node->inputs[0];
  AccArray *defaults = node->inputs[1];
  AccArray *targets = node->inputs[2];
  AccElementType *index = acc_index_type (defaults->rank);
  AccElementType *optional =
    acc_element_type_new_tuple ((AccElementType *[]) { acc_element_type_new (ACC_KIND_BOOL), index }, 2);

  if (defaults->type != source->type)
    return acc_array_fail (node, ACC_ERROR_TYPE, "the defaults are %s where the elements are %s",
                           acc_element_type_get_code (defaults->type), acc_element_type_get_code (source->type));

  if (targets->type != index && targets->type != optional)
    return acc_array_fail (node, ACC_ERROR_TYPE, "the targets are %s where %s or %s is needed",
                           acc_element_type_get_code (targets->type), acc_element_type_get_code (index),
                           acc_element_type_get_code (optional));

  if (targets->rank != source->rank)
    return acc_array_fail (node, ACC_ERROR_SHAPE, "the targets have rank %u where the elements have rank %u",
                           targets->rank, source->rank);

  node->type = defaults->type;
  node->rank = defaults->rank;
  return TRUE;
}

static void
permute_signature (AccArray     *node,
                   guint         function,
                   AccSignature *signature)
{
  signature->n_params = 2;
  signature->params[0] = signature->params[1] = signature->result = node->inputs[0]->type;
}

static void
copy_permute (AccArray *node,
              AccArray *from)
{
  acc_array_get_permute (node)->fills = FALSE;
}

static void
list_permute (AccArray *node,
              GArray   *numbers)
{
  g_array_append_vals (numbers, &(gint64) { acc_array_get_permute (node)->fills }, 1);
}

static const AccPayloadClass payload_class = { ACC_PAYLOAD_PERMUTE, sizeof (AccPermutePayload), NULL, copy_permute, .list = list_permute };

static gboolean
infer_permute (AccInference *self)
{
  AccArray *source = self->array->inputs[0];
  const gint64 *extents = acc_inference_get_extents (self, 0);
  g_autofree gint64 *copy = NULL;
  const gint64 *targets;

  if (extents == NULL)
    return FALSE;

  copy = g_memdup2 (extents, source->rank * sizeof (gint64));
  if ((targets = acc_inference_get_extents (self, 2)) == NULL)
    return FALSE;

  for (guint i = 0; i < source->rank; i++)
    if (targets[i] != copy[i])
      return acc_inference_fail (self, ACC_ERROR_SHAPE,
                   "the targets have extent %" G_GINT64_FORMAT " in dimension %u where the elements have %" G_GINT64_FORMAT,
                   targets[i], i, copy[i]);

  if ((extents = acc_inference_get_extents (self, 1)) == NULL)
    return FALSE;
  for (guint i = 0; i < self->array->rank; i++)
    self->extents[i] = extents[i];
  return TRUE;
}

const AccOperationClass acc_class_permute = { check_permute, permute_signature, infer_permute, &payload_class };

/**
 * acc_array_permute:
 * @self: an array
 * @defaults: an array of the same element type, of any rank: the result where no element goes
 * @targets: an array of the extents of @self, with the target of each element: an index into @defaults (an integer for rank
 *   1, else a tuple of them), or a pair (b1, index) that drops the element where the bool is false
 * @combine: (scope call) (closure user_data): takes the new value and the present one, gives the one to keep
 * @user_data: data for @combine
 *
 * Scatters elements into an array and combines those with the same target (a scatter-reduce). The result begins as
 * @defaults; each element of @self is combined into it at its target. @combine must be associative and commutative: the
 * order is not specified, but a tuple is never torn.
 *
 * Takes time linear in the number of elements of @self and @defaults, where few elements have the same target. The result
 * carries %ACC_ERROR_SHAPE where the extents of @targets differ from those of @self, %ACC_ERROR_TYPE where @defaults has
 * another element type or @targets is not of indices into it. A run fails with %ACC_ERROR_BOUNDS where a target is outside
 * @defaults.
 *
 * ```c
 * static AccExpr *plus (AccExpr *x, AccExpr *y, gpointer data) { return acc_expr_add (x, y); }
 *
 *
 * // xs = [1, 10, 100, 1000], places = [2, 0, 2, 1], zeros = [0, 0, 0]
 * g_autoptr(AccArray) sums = acc_array_permute (xs, zeros, places, plus, NULL); // → [10, 1000, 101]
 * ```
 *
 * Returns: (transfer full): an array of the shape of @defaults
 */
AccArray *
acc_array_permute (AccArray     *self,
                   AccArray     *defaults,
                   AccArray     *targets,
                   AccExprFunc2  combine,
                   gpointer      user_data)
{
  AccArray *node = acc_array_begin (ACC_OP_PERMUTE, (AccArray *[]) { self, defaults, targets }, 3);

  if (node->error == NULL)
    {
      g_object_unref (node->inputs[2]);
      node->inputs[2] = widen (targets, defaults->rank);
    }
  acc_array_call2 (node, 0, combine, user_data);

  return acc_array_complete (node);
}
