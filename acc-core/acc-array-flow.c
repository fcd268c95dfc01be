/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "acc-array-build-private.h"
#include "acc-error.h"

static gboolean
is_flag (AccArray *array)
{
  return array->rank == 0 && array->type == acc_element_type_new (ACC_KIND_BOOL);
}

static gboolean
check_cond (AccArray *node)
{
  AccArray *condition = node->inputs[0];
  AccArray *then = node->inputs[1];
  AccArray *otherwise = node->inputs[2];

  if (!is_flag (condition))
    return acc_array_fail (node, ACC_ERROR_TYPE, "the condition is %s of rank %u where one b1 is needed",
                           acc_element_type_get_code (condition->type), condition->rank);

  if (then->type != otherwise->type)
    return acc_array_fail (node, ACC_ERROR_TYPE, "one side is %s, the other %s",
                           acc_element_type_get_code (then->type), acc_element_type_get_code (otherwise->type));

  if (then->rank != otherwise->rank)
    return acc_array_fail (node, ACC_ERROR_SHAPE, "one side has rank %u, the other rank %u",
                           then->rank, otherwise->rank);

  node->type = then->type;
  node->rank = then->rank;
  return TRUE;
}

/* One result, and parameters as the inputs are, each of which is @input. */
static gboolean
check_program (AccArray   *node,
               guint       number,
               const char *name,
               const char *input)
{
  AccProgram *program = node->programs[number];
  g_autoptr(GError) error = NULL;
  AccArray **params;
  guint n_params, n_results;

  if (program == NULL || !ACC_IS_PROGRAM (program))
    return acc_array_fail_argument (node, name);

  if (!acc_program_check (program, &error))
    return acc_array_fail (node, error->code, "%s: %s", name, error->message);

  params = acc_program_get_parameter_nodes (program, &n_params);
  acc_program_get_result_nodes (program, &n_results);

  if (n_params != node->n_inputs || n_results != 1)
    return acc_array_fail (node, ACC_ERROR_TYPE, "its %s has %u parameters and %u results where %u and 1 are needed",
                           name, n_params, n_results, node->n_inputs);

  for (guint i = 0; i < n_params; i++)
    {
      if (params[i]->type != node->inputs[i]->type)
        return acc_array_fail (node, ACC_ERROR_TYPE, "its %s takes %s where %s is %s", name,
                               acc_element_type_get_code (params[i]->type), input, acc_element_type_get_code (node->inputs[i]->type));

      if (params[i]->rank != node->inputs[i]->rank)
        return acc_array_fail (node, ACC_ERROR_SHAPE, "its %s takes rank %u where %s has rank %u", name,
                               params[i]->rank, input, node->inputs[i]->rank);
    }

  return TRUE;
}

static AccArray *
get_result (AccProgram *program)
{
  guint n;

  return acc_program_get_result_nodes (program, &n)[0];
}

static gboolean
check_while_loop (AccArray *node)
{
  AccArray *state = node->inputs[0];
  AccArray *condition, *next;

  if (!check_program (node, 0, "condition", "the state") || !check_program (node, 1, "step", "the state"))
    return FALSE;

  condition = get_result (node->programs[0]);
  next = get_result (node->programs[1]);

  if (!is_flag (condition))
    return acc_array_fail (node, ACC_ERROR_TYPE, "its condition gives %s of rank %u where one b1 is needed",
                           acc_element_type_get_code (condition->type), condition->rank);

  if (next->type != state->type)
    return acc_array_fail (node, ACC_ERROR_TYPE, "its step gives %s where the state is %s",
                           acc_element_type_get_code (next->type), acc_element_type_get_code (state->type));

  if (next->rank != state->rank)
    return acc_array_fail (node, ACC_ERROR_SHAPE, "its step gives rank %u where the state has rank %u",
                           next->rank, state->rank);

  node->type = state->type;
  node->rank = state->rank;
  return TRUE;
}

static gboolean
check_foreign (AccArray *node)
{
  AccArray *result;

  if (node->foreign_name == NULL || *node->foreign_name == '\0' || !g_utf8_validate (node->foreign_name, -1, NULL))
    return acc_array_fail_argument (node, "a name");
  if (!check_program (node, 0, "fallback", "the input"))
    return FALSE;

  result = get_result (node->programs[0]);
  node->type = result->type;
  node->rank = result->rank;
  return TRUE;
}

static void
no_signature (AccArray     *node,
              guint         function,
              AccSignature *signature)
{
}

const AccArrayRule acc_rule_cond = { check_cond, no_signature };
const AccArrayRule acc_rule_while_loop = { check_while_loop, no_signature };
const AccArrayRule acc_rule_foreign = { check_foreign, no_signature };

/**
 * acc_array_cond:
 * @condition: one b1, an array of rank 0
 * @then: the array where it is true
 * @otherwise: the array where it is false, of the same type and rank
 *
 * One of two arrays; only that one is computed. Their extents may differ.
 *
 * Returns: (transfer full): the array
 */
AccArray *
acc_array_cond (AccArray *condition,
                AccArray *then,
                AccArray *otherwise)
{
  return acc_array_complete (acc_array_begin (ACC_OP_COND, (AccArray *[]) { condition, then, otherwise }, 3));
}

/**
 * acc_array_while_loop:
 * @initial: the state before the first iteration
 * @condition: from the state to one b1, an array of rank 0
 * @step: from the state to the next one, of the same type and rank
 *
 * Applies @step while @condition holds, which is asked before every iteration: there may be none. Extents may change from
 * one iteration to the next. The programs may read arrays from outside, the parameters of a program around included;
 * what does not depend on the state is computed once.
 *
 * Returns: (transfer full): the last state
 */
AccArray *
acc_array_while_loop (AccArray   *initial,
                      AccProgram *condition,
                      AccProgram *step)
{
  AccArray *node = acc_array_begin (ACC_OP_WHILE_LOOP, &initial, 1);

  if (condition != NULL && step != NULL)
    {
      node->programs[0] = g_object_ref (condition);
      node->programs[1] = g_object_ref (step);
    }

  return acc_array_complete (node);
}
