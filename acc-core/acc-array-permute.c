/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "acc-array-build-private.h"
#include "acc-error.h"

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

const AccArrayRule acc_rule_permute = { check_permute, permute_signature };

/**
 * acc_array_permute:
 * @self: an array
 * @defaults: an array of the same element type, of any rank: the result before anything is sent there
 * @targets: an array of the extents of @self: where each element goes. An index into @defaults (an i8 for rank 1, else a
 *   tuple of them), or a pair (b1, index): the element goes nowhere where the bool is false
 * @combine: (scope call) (closure user_data): takes the new value and the one that is there, gives the one to keep
 * @user_data: data for @combine
 *
 * Sends every element somewhere. @combine must be associative and commutative; the order is not specified, but a tuple
 * is never torn. A target outside @defaults is %ACC_ERROR_BOUNDS when run; extents of @targets that differ from those of
 * @self are %ACC_ERROR_SHAPE.
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

  acc_array_call2 (node, 0, combine, user_data);

  return acc_array_complete (node);
}
