/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "acc-array-build-private.h"
#include "acc-error.h"
#include "acc-foreign-known-private.h"
#include "acc-program-private.h"

/* --- programs of nodes */

AccProgram **
acc_array_get_programs (AccArray *self)
{
  return self->op == ACC_OP_WHILE_LOOP || self->op == ACC_OP_FOREIGN ? ((AccProgramsPayload *) self->payload)->programs : NULL;
}

void
acc_array_set_program (AccArray   *node,
                       guint       number,
                       AccProgram *program)
{
  g_set_object (&acc_array_get_programs (node)[number], program);
}

static void
clear_programs (AccArray *node)
{
  AccProgramsPayload *payload = node->payload;

  for (guint i = 0; i < 2; i++)
    acc_array_release (payload->programs[i], g_object_unref);
  g_free (payload->name);
}

static void
copy_programs (AccArray *node,
               AccArray *from)
{
  AccProgramsPayload *payload = node->payload;

  for (guint i = 0; i < 2 && payload->programs[i] != NULL; i++)
    g_object_ref (payload->programs[i]);
  payload->name = g_strdup (payload->name);
}

/* With the same parameters. */
static AccProgram *
copy_program (AccProgram *self,
              GHashTable *replaced)
{
  guint n_parameters, n_results;
  AccArray **parameters = acc_program_get_parameter_nodes (self, &n_parameters);
  AccArray **results = acc_program_get_result_nodes (self, &n_results);
  g_autofree AccArray **others = g_new (AccArray *, n_results + 1);

  acc_array_replace_all (results, n_results, replaced);
  for (guint i = 0; i < n_results; i++)
    {
      AccArray *other = g_hash_table_lookup (replaced, results[i]);

      others[i] = other != NULL ? other : results[i];
    }

  return acc_program_new_for_nodes (parameters, n_parameters, others, n_results);
}

static void
replace_programs (AccArray   *node,
                  GHashTable *replaced,
                  GHashTable *copies)
{
  AccProgram **programs = acc_array_get_programs (node);

  for (guint i = 0; i < 2 && programs[i] != NULL; i++)
    {
      g_autoptr(AccProgram) before = programs[i];

      programs[i] = copy_program (before, replaced);
    }
}

static const AccPayloadClass loop_payload = { ACC_PAYLOAD_LOOP, sizeof (AccProgramsPayload), clear_programs, copy_programs,
                                              replace_programs };
static const AccPayloadClass foreign_payload = { ACC_PAYLOAD_FOREIGN, sizeof (AccProgramsPayload), clear_programs, copy_programs,
                                                 replace_programs };

/* --- rules */

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

/* Whether @array has the type and rank of input @position: @what names its program. */
static gboolean
check_state (AccArray   *node,
             const char *what,
             const char *verb,
             AccArray   *array,
             guint       position)
{
  AccArray *state = node->inputs[position];
  const char *role = node->op == ACC_OP_FOREIGN ? "input" : "state";
  g_autofree char *which = node->n_inputs > 1 ? g_strdup_printf ("%s %u", role, position) : g_strdup_printf ("the %s", role);

  if (array->type != state->type)
    return acc_array_fail (node, ACC_ERROR_TYPE, "its %s %s %s where %s is %s", what, verb, acc_element_type_get_code (array->type), which,
                           acc_element_type_get_code (state->type));

  if (array->rank != state->rank)
    return acc_array_fail (node, ACC_ERROR_SHAPE, "its %s %s rank %u where %s has rank %u", what, verb, array->rank, which, state->rank);

  return TRUE;
}

static gboolean
check_program (AccArray   *node,
               guint       number,
               const char *name,
               guint       n_wanted)
{
  AccProgram *program = acc_array_get_programs (node)[number];
  g_autoptr(GError) error = NULL;
  AccArray **params;
  guint n_params, n_results;

  if (program == NULL || !ACC_IS_PROGRAM (program))
    return acc_array_fail_argument (node, name);

  if (!acc_program_check (program, &error))
    return acc_array_fail (node, error->code, "%s: %s", name, error->message);

  params = acc_program_get_parameter_nodes (program, &n_params);
  acc_program_get_result_nodes (program, &n_results);

  if (n_params != node->n_inputs || n_results != n_wanted)
    return acc_array_fail (node, ACC_ERROR_TYPE, "its %s has %u parameters and %u results where %u and %u are needed", name, n_params,
                           n_results, node->n_inputs, n_wanted);

  for (guint i = 0; i < n_params; i++)
    if (!check_state (node, name, "takes", params[i], i))
      return FALSE;

  return TRUE;
}

static gboolean
check_while_loop (AccArray *node)
{
  AccArray *condition, **next;
  guint n;

  if (node->n_inputs == 0)
    return acc_array_fail_argument (node, "a state");
  if (!check_program (node, 0, "condition", 1) || !check_program (node, 1, "step", node->n_inputs))
    return FALSE;

  condition = acc_program_get_result_nodes (acc_array_get_programs (node)[0], &n)[0];
  next = acc_program_get_result_nodes (acc_array_get_programs (node)[1], &n);

  if (!is_flag (condition))
    return acc_array_fail (node, ACC_ERROR_TYPE, "its condition gives %s of rank %u where one b1 is needed",
                           acc_element_type_get_code (condition->type), condition->rank);

  for (guint i = 0; i < n; i++)
    if (!check_state (node, "step", "gives", next[i], i))
      return FALSE;

  node->type = node->inputs[0]->type;
  node->rank = node->inputs[0]->rank;
  return TRUE;
}

static gboolean
check_foreign (AccArray *node)
{
  const char *name = acc_foreign_get_name (node);
  AccArray *result;
  guint n;

  if (name == NULL || *name == '\0' || !g_utf8_validate (name, -1, NULL))
    return acc_array_fail_argument (node, "a name");
  if (!check_program (node, 0, "fallback", 1))
    return FALSE;

  result = acc_program_get_result_nodes (acc_array_get_programs (node)[0], &n)[0];
  node->type = result->type;
  node->rank = result->rank;
  return TRUE;
}

static gboolean
check_loop_result (AccArray *node)
{
  AccArray *loop = node->inputs[0];

  if (loop->op != ACC_OP_WHILE_LOOP)
    return acc_array_fail (node, ACC_ERROR_TYPE, "its input is no while_loop");
  if (acc_array_get_item (node) >= loop->n_inputs)
    return acc_array_fail (node, ACC_ERROR_TYPE, "the loop has %u arrays, and no number %u", loop->n_inputs, acc_array_get_item (node));

  node->type = loop->inputs[acc_array_get_item (node)]->type;
  node->rank = loop->inputs[acc_array_get_item (node)]->rank;
  return TRUE;
}

static gboolean
check_compute (AccArray *node)
{
  node->type = node->inputs[0]->type;
  node->rank = node->inputs[0]->rank;
  return TRUE;
}

static void
infer_cond (AccArray *node)
{
  acc_array_set_common_shape (node, node->inputs[1], node->inputs[2]);
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

        if (!acc_array_check_declared (node, parameter, node->inputs[k], "initial state") ||
            !acc_array_check_declared (node, parameter, next[k], "step's result"))
          return;
      }

  acc_array_set_common_shape (node, node->inputs[0], next[0]);
}

static void
infer_loop_result (AccArray *node)
{
  AccArray *loop = node->inputs[0];
  guint item = acc_array_get_item (node), n;

  acc_array_set_common_shape (node, loop->inputs[item], acc_program_get_result_nodes (acc_array_get_programs (loop)[1], &n)[item]);
}

static void
infer_foreign (AccArray *node)
{
  AccArray **parameters, *result;
  const char *problem;
  guint n;

  parameters = acc_program_get_parameter_nodes (acc_array_get_programs (node)[0], &n);
  for (guint i = 0; i < n; i++)
    if (!acc_array_check_declared (node, parameters[i], node->inputs[i], "input"))
      return;

  result = acc_program_get_result_nodes (acc_array_get_programs (node)[0], &n)[0];
  acc_array_set_common_shape (node, result, result);
  if ((problem = acc_foreign_check_static (node)) != NULL)
    acc_array_fail (node, ACC_ERROR_TYPE, "“%s” %s", acc_foreign_get_name (node), problem);
}

const AccOperationClass acc_class_cond = { check_cond, .set_shape = infer_cond };
const AccOperationClass acc_class_while_loop = { check_while_loop, .payload = &loop_payload, .set_shape = infer_loop };
const AccOperationClass acc_class_loop_result = { check_loop_result, .payload = &acc_payload_item, .set_shape = infer_loop_result };
const AccOperationClass acc_class_foreign = { check_foreign, .payload = &foreign_payload, .set_shape = infer_foreign };
const AccOperationClass acc_class_compute = { check_compute, NULL, acc_infer_first };

/**
 * acc_array_cond:
 * @condition: an array of rank 0 of b1
 * @then: the array for true
 * @otherwise: the array for false, of the same element type and rank
 *
 * Selects one of two arrays by a condition, and computes only that one. Their extents may differ.
 *
 * Takes as long as the array that is computed. The result carries %ACC_ERROR_TYPE where @condition is not one b1 or the two
 * arrays have different element types, %ACC_ERROR_SHAPE where they have different ranks.
 *
 * ```c
 * // xs = [1, 2, 3], ys = [4, 5], wide = true
 * g_autoptr(AccArray) chosen = acc_array_cond (wide, xs, ys); // → [1, 2, 3]
 * ```
 *
 * Returns: (transfer full): @then or @otherwise
 */
AccArray *
acc_array_cond (AccArray *condition,
                AccArray *then,
                AccArray *otherwise)
{
  return acc_array_complete (acc_array_begin (ACC_OP_COND, (AccArray *[]) { condition, then, otherwise }, 3));
}

static AccArray *
begin_loop (AccArray   **initial,
            guint        n_initial,
            AccProgram  *condition,
            AccProgram  *step)
{
  AccArray *node = acc_array_begin (ACC_OP_WHILE_LOOP, initial, n_initial);

  if (condition != NULL && step != NULL)
    {
      acc_array_set_program (node, 0, condition);
      acc_array_set_program (node, 1, step);
    }

  return acc_array_complete (node);
}

/**
 * acc_array_while_loop:
 * @initial: the state before the first iteration
 * @condition: a program from the state to an array of rank 0 of b1
 * @step: a program from the state to the next state, of the same element type and rank
 *
 * Applies @step to a state while @condition is true. The condition is computed before every iteration, so that there may be
 * none. The extents of the state may change from one iteration to the next. Both programs may read arrays from outside, and
 * the parameters of a program around them; what does not depend on the state is computed once.
 *
 * A state that depends on a source and does not fit in the memory limit goes through temporary files, by one walk for each step, or for
 * several where @condition depends on nothing that large: see [method@Array.while_loop_many] for counters.
 *
 * Takes as long as the iterations, one after the other. The result carries %ACC_ERROR_TYPE or %ACC_ERROR_SHAPE where the
 * parameters or results of the programs do not have the element types and ranks of the state, %ACC_ERROR_CALLBACK where a
 * program is %NULL.
 *
 * ```c
 * static AccExpr *doubled (AccExpr *x, gpointer data) { return acc_expr_add (x, x); }
 * static AccExpr *is_small (AccExpr *x, gpointer data) { return acc_expr_lt (x, acc_expr_new_int (100)); }
 *
 * static AccArray *
 * goes_on (AccArray **state, guint n, gpointer data)
 * {
 *   g_autoptr(AccArray) largest = acc_array_maximum_all (state[0]);
 *
 *   return acc_array_map (largest, is_small, NULL);
 * }
 *
 * static AccArray *
 * double_all (AccArray **state, guint n, gpointer data)
 * {
 *   return acc_array_map (state[0], doubled, NULL);
 * }
 *
 * // xs = [3, 7]
 * static const char * const signature[] = { "i8[:]", NULL };
 * g_autoptr(AccProgram) condition = acc_program_new (signature, goes_on, NULL);
 * g_autoptr(AccProgram) step = acc_program_new (signature, double_all, NULL);
 * g_autoptr(AccArray) last = acc_array_while_loop (xs, condition, step); // → [48, 112]
 * ```
 *
 * Returns: (transfer full): the last state
 */
AccArray *
acc_array_while_loop (AccArray   *initial,
                      AccProgram *condition,
                      AccProgram *step)
{
  return begin_loop (&initial, 1, condition, step);
}

/**
 * acc_array_while_loop_many:
 * @initial: (array length=n_initial): the states before the first iteration, of any element types and ranks
 * @n_initial: the number of states, at least 1
 * @condition: a program from the states to an array of rank 0 of b1
 * @step: a program from the states to the next states, each of the same element type and rank as before
 *
 * Applies @step to several arrays while @condition is true. Works as [method@Array.while_loop] does with one. The loop runs
 * once, whichever of its results are used, and keeps in memory the states of one iteration at a time.
 * [ctor@Program.new_many] makes a program of several results.
 *
 * ```c
 * static AccExpr *is_not_0 (AccExpr *x, gpointer data) { return acc_expr_ne (x, acc_expr_new_int (0)); }
 *
 * static AccArray *
 * goes_on (AccArray **states, guint n, gpointer data)
 * {
 *   return acc_array_map (states[1], is_not_0, NULL);
 * }
 *
 * static GPtrArray *
 * euclid (AccArray **states, guint n, gpointer data)
 * {
 *   GPtrArray *next = g_ptr_array_new_with_free_func (g_object_unref);
 *
 *   g_ptr_array_add (next, g_object_ref (states[1]));
 *   g_ptr_array_add (next, acc_array_unit (acc_expr_rem (acc_expr_the (states[0]), acc_expr_the (states[1]))));
 *   return next;
 * }
 *
 * // a = 12, b = 18
 * static const char * const signatures[] = { "i8[]", "i8[]", NULL };
 * g_autoptr(AccProgram) condition = acc_program_new (signatures, goes_on, NULL);
 * g_autoptr(AccProgram) step = acc_program_new_many (signatures, euclid, NULL);
 * g_autoptr(GPtrArray) last = acc_array_while_loop_many ((AccArray *[]) { a, b }, 2, condition, step); // → 6; 0
 * ```
 *
 * Returns: (transfer container) (element-type AccArray): the last states, as many as there are in @initial; on an error
 *   each carries it, and without a state there is one array that carries it
 */
GPtrArray *
acc_array_while_loop_many (AccArray   **initial,
                           guint        n_initial,
                           AccProgram  *condition,
                           AccProgram  *step)
{
  GPtrArray *results = g_ptr_array_new_with_free_func (g_object_unref);
  AccArray *loop = begin_loop (initial, initial != NULL ? n_initial : 0, condition, step);

  g_ptr_array_add (results, loop);
  for (guint i = 1; i < n_initial; i++)
    {
      AccArray *node = acc_array_begin (ACC_OP_LOOP_RESULT, &loop, 1);

      acc_array_set_item (node, i);
      g_ptr_array_add (results, acc_array_complete (node));
    }

  return results;
}

/**
 * acc_array_cond_many:
 * @condition: an array of rank 0 of b1
 * @then: (array length=n_then): the arrays for true
 * @n_then: the number of arrays in @then
 * @otherwise: (array length=n_otherwise): the arrays for false, each of the same element type and rank as its counterpart
 * @n_otherwise: the number of arrays in @otherwise, the same
 *
 * Selects one of two lists of arrays by a condition, and computes only that one. Works as [method@Array.cond] does with one
 * array on either side.
 *
 * ```c
 * // xs = [1, 2], ys = [3, 4], swap = true
 * g_autoptr(GPtrArray) pair = acc_array_cond_many (swap, (AccArray *[]) { ys, xs }, 2, (AccArray *[]) { xs, ys }, 2); // → [3, 4]; [1, 2]
 * ```
 *
 * Returns: (transfer container) (element-type AccArray): the arrays, as many as the longer list has; those without a
 *   counterpart carry an error
 */
GPtrArray *
acc_array_cond_many (AccArray  *condition,
                     AccArray **then,
                     guint      n_then,
                     AccArray **otherwise,
                     guint      n_otherwise)
{
  GPtrArray *results = g_ptr_array_new_with_free_func (g_object_unref);

  for (guint i = 0; i < MAX (n_then, n_otherwise); i++)
    g_ptr_array_add (results, acc_array_cond (condition, then != NULL && i < n_then ? then[i] : NULL,
                                              otherwise != NULL && i < n_otherwise ? otherwise[i] : NULL));

  return results;
}

/**
 * acc_array_compute:
 * @self: an array
 *
 * Materialises an array: its elements are in memory before anything reads them. The operations before and after it are not
 * fused into one kernel. This costs nothing where the elements are in memory anyway. It pays off where an expensive
 * producer is read many times in ways that the compiler cannot count.
 *
 * Takes time linear in the number of elements where they are not in memory already. No errors of its own.
 *
 * ```c
 * // xs = [3, 1, 2]
 * g_autoptr(AccArray) result = acc_array_compute (xs); // → [3, 1, 2]
 * ```
 *
 * Returns: (transfer full): an array of the shape of @self
 */
AccArray *
acc_array_compute (AccArray *self)
{
  return acc_array_complete (acc_array_begin (ACC_OP_COMPUTE, &self, 1));
}
