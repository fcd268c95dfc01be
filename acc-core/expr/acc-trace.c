/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "acc-trace-private.h"

#include "acc-expr-private.h"
#include "acc-numbering-private.h"

#include <dlfcn.h>

/**
 * AccTrace:
 *
 * Builds an operation that takes functions, without calling the functions from C.
 *
 * It is for languages whose functions cannot be called from C at any time, as those of JavaScript while it collects garbage.
 *
 * Between [method@Trace.begin] and [method@Trace.end] the thread builds an operation. Functions that it gives are not called: the
 * trace asks for the result of the first one that would be called, and the operation fails. The thread calls the function itself, with
 * the arguments that the trace has, answers with its result, and builds the operation again with the same functions. When the trace
 * asks for no more results, the operation is the same as with calls.
 *
 * ```c
 * g_autoptr(AccTrace) trace = acc_trace_new ();
 * g_autoptr(AccArray) result = NULL;
 *
 * for (;;)
 *   {
 *     gboolean asked;
 *
 *     acc_trace_begin (trace);
 *     result = acc_array_map (xs, square, NULL);
 *     asked = acc_trace_end (trace);
 *     if (!asked)
 *       break;
 *     g_clear_object (&result);
 *     acc_trace_answer (trace, square (acc_trace_get_arguments (trace)->pdata[0], NULL));
 *   }
 * ```
 *
 * Use a trace for one operation, in one thread.
 */
struct _AccTrace
{
  GObject    parent_instance;

  AccTrace  *outer;        /* that the thread goes back to; borrowed */
  GPtrArray *variables;    /* AccExpr, of all times that the operation was built, in order */
  GPtrArray *answers;      /* Answer, in order */
  GArray    *functions;    /* Function, of this time, in order of their first call */
  guint      n_variables;  /* of this time */
  guint      n_answers;    /* taken this time */
  gboolean   active, asking;
  guint      function;     /* that is asked for */
  GPtrArray *arguments;    /* AccExpr */
  GPtrArray *arrays;       /* AccArray: arguments of a function of arrays */
  GPtrArray *numbers;      /* AccArray: of the elements that such a function is for; nullable */
  AccArray  *number;       /* owned: the last of these, where that is the function's own */
  AccNumbering numbering;  /* before the thread entered the function */
  gboolean   entered;
};

typedef struct {
  AccExpr   *expr;         /* owned; NULL where the function gave nothing, or gives arrays */
  GPtrArray *arrays;       /* owned AccArray; nullable */
  GPtrArray *parameters;   /* owned AccArray: what @arrays was made with */
  AccArray  *number;       /* owned, as that; nullable */
} Answer;

typedef struct {
  GCallback function;
  gpointer  user_data;
} Function;

G_DEFINE_FINAL_TYPE (AccTrace, acc_trace, G_TYPE_OBJECT)

static GPrivate current = G_PRIVATE_INIT (NULL);

static void
answer_free (gpointer data)
{
  Answer *self = data;

  g_clear_pointer (&self->expr, acc_expr_unref);
  g_clear_pointer (&self->arrays, g_ptr_array_unref);
  g_clear_pointer (&self->parameters, g_ptr_array_unref);
  g_clear_object (&self->number);
  g_free (self);
}

static void
acc_trace_finalize (GObject *object)
{
  AccTrace *self = ACC_TRACE (object);

  g_ptr_array_unref (self->variables);
  g_ptr_array_unref (self->answers);
  g_ptr_array_unref (self->arguments);
  g_ptr_array_unref (self->arrays);
  g_clear_pointer (&self->numbers, g_ptr_array_unref);
  g_clear_object (&self->number);
  g_array_unref (self->functions);

  G_OBJECT_CLASS (acc_trace_parent_class)->finalize (object);
}

static void
acc_trace_class_init (AccTraceClass *klass)
{
  G_OBJECT_CLASS (klass)->finalize = acc_trace_finalize;
}

static void
acc_trace_init (AccTrace *self)
{
  self->variables = g_ptr_array_new_with_free_func ((GDestroyNotify) acc_expr_unref);
  self->answers = g_ptr_array_new_with_free_func (answer_free);
  self->arguments = g_ptr_array_new_with_free_func ((GDestroyNotify) acc_expr_unref);
  self->arrays = g_ptr_array_new_with_free_func (g_object_unref);
  self->functions = g_array_new (FALSE, FALSE, sizeof (Function));
}

/* Operations are composed of others with functions of the library's own: those are called. */
static gboolean
is_own (GCallback function)
{
  Dl_info own, other;

  return dladdr ((gpointer) acc_trace_new, &own) != 0 && dladdr ((gpointer) function, &other) != 0 && own.dli_fbase == other.dli_fbase;
}

gboolean
acc_trace_asks (GCallback function)
{
  return g_private_get (&current) != NULL && function != NULL && !is_own (function);
}

static guint
find_function (AccTrace  *self,
               GCallback  function,
               gpointer   user_data)
{
  guint i;

  for (i = 0; i < self->functions->len; i++)
    if (g_array_index (self->functions, Function, i).function == function
        && g_array_index (self->functions, Function, i).user_data == user_data)
      return i;

  g_array_append_vals (self->functions, &(Function) { function, user_data }, 1);
  return i;
}

/* The next answer, or NULL if there is none: the first such call becomes the question of the trace, and sets @asks to it. */
static const Answer *
next_answer (AccTrace   *self,
             GCallback   function,
             gpointer    user_data,
             AccTrace  **asks)
{
  guint number = find_function (self, function, user_data);

  *asks = NULL;
  if (self->n_answers < self->answers->len)
    return g_ptr_array_index (self->answers, self->n_answers++);

  if (!self->asking)
    {
      self->asking = TRUE;
      self->function = number;
      g_ptr_array_set_size (self->arguments, 0);
      g_ptr_array_set_size (self->arrays, 0);
      *asks = self;
    }
  return NULL;
}

AccExpr *
acc_trace_ask (GCallback   function,
               gpointer    user_data,
               AccExpr   **arguments,
               guint       n)
{
  AccTrace *asks;
  const Answer *answer = next_answer (g_private_get (&current), function, user_data, &asks);

  for (guint i = 0; asks != NULL && i < n; i++)
    g_ptr_array_add (asks->arguments, acc_expr_ref_sink (arguments[i]));
  return answer != NULL ? answer->expr : NULL;
}

/* Keeps what a function of arrays is to be called with. */
static void
ask_for_arrays (AccTrace  *self,
                GPtrArray *parameters,
                AccArray  *number)
{
  G_GNUC_UNUSED g_auto(AccNumbering) inner = number != NULL ? acc_numbering_begin (number)
                                                            : acc_numbering_begin_again (acc_numbering_get_numbers ());
  GPtrArray *numbers = acc_numbering_get_numbers ();

  for (guint i = 0; i < parameters->len; i++)
    g_ptr_array_add (self->arrays, g_object_ref (g_ptr_array_index (parameters, i)));
  g_clear_pointer (&self->numbers, g_ptr_array_unref);
  self->numbers = numbers != NULL ? g_ptr_array_ref (numbers) : NULL;
  g_set_object (&self->number, number);
}

GPtrArray *
acc_trace_ask_arrays (GCallback  function,
                      gpointer   user_data,
                      GPtrArray *parameters,
                      AccArray **number)
{
  AccTrace *asks;
  const Answer *answer = next_answer (g_private_get (&current), function, user_data, &asks);

  if (asks != NULL)
    ask_for_arrays (asks, parameters, number != NULL ? *number : NULL);
  if (answer == NULL || answer->arrays == NULL)
    return NULL;

  g_ptr_array_set_size (parameters, 0);
  for (guint i = 0; i < answer->parameters->len; i++)
    g_ptr_array_add (parameters, g_object_ref (g_ptr_array_index (answer->parameters, i)));
  if (number != NULL)
    g_set_object (number, answer->number);
  return g_ptr_array_copy (answer->arrays, (GCopyFunc) (GCallback) g_object_ref, NULL);
}

AccExpr *
acc_trace_variable (AccElementType *type)
{
  AccTrace *self = g_private_get (&current);
  AccExpr *variable;

  if (self == NULL)
    return acc_expr_ref_sink (acc_expr_new_variable (type));

  if (self->n_variables < self->variables->len)
    {
      variable = g_ptr_array_index (self->variables, self->n_variables++);
      if (acc_expr_get_element_type (variable) == type)
        return acc_expr_ref (variable);
      g_ptr_array_set_size (self->variables, --self->n_variables);
    }

  variable = acc_expr_ref_sink (acc_expr_new_variable (type));
  g_ptr_array_add (self->variables, acc_expr_ref (variable));
  self->n_variables++;
  return variable;
}

AccExpr *
acc_call1 (AccExprFunc  function,
           AccExpr     *x,
           gpointer     user_data)
{
  return acc_trace_asks (G_CALLBACK (function)) ? acc_trace_ask (G_CALLBACK (function), user_data, &x, 1) : function (x, user_data);
}

AccExpr *
acc_call2 (AccExprFunc2  function,
           AccExpr      *x,
           AccExpr      *y,
           gpointer      user_data)
{
  return acc_trace_asks (G_CALLBACK (function)) ? acc_trace_ask (G_CALLBACK (function), user_data, (AccExpr *[]) { x, y }, 2)
                                                : function (x, y, user_data);
}

AccExpr *
acc_call3 (AccExprFunc3  function,
           AccExpr      *x,
           AccExpr      *y,
           AccExpr      *z,
           gpointer      user_data)
{
  return acc_trace_asks (G_CALLBACK (function)) ? acc_trace_ask (G_CALLBACK (function), user_data, (AccExpr *[]) { x, y, z }, 3)
                                                : function (x, y, z, user_data);
}

/**
 * acc_trace_new:
 *
 * Creates a trace for one operation.
 *
 * Returns: (transfer full): the trace
 */
AccTrace *
acc_trace_new (void)
{
  return g_object_new (ACC_TYPE_TRACE, NULL);
}

/**
 * acc_trace_begin:
 * @self: a trace
 *
 * Begins to record the functions that this thread passes to operations, and uses the answers that there are.
 */
void
acc_trace_begin (AccTrace *self)
{
  g_return_if_fail (ACC_IS_TRACE (self));
  g_return_if_fail (!self->active);

  self->n_variables = self->n_answers = 0;
  self->asking = FALSE;
  g_array_set_size (self->functions, 0);
  self->active = TRUE;
  self->outer = g_private_get (&current);
  g_private_set (&current, g_object_ref (self));
}

/**
 * acc_trace_end:
 * @self: a trace that has begun
 *
 * Ends the recording, so that this thread calls functions again.
 *
 * Returns: whether an answer is needed: what was built since [method@Trace.begin] is no result then
 */
gboolean
acc_trace_end (AccTrace *self)
{
  gboolean asking;

  g_return_val_if_fail (ACC_IS_TRACE (self), FALSE);
  g_return_val_if_fail (self->active && g_private_get (&current) == self, FALSE);

  asking = self->asking;
  self->active = FALSE;
  g_private_set (&current, g_steal_pointer (&self->outer));
  g_object_unref (self);

  return asking;
}

/**
 * acc_trace_get_function:
 * @self: a trace that asks
 *
 * Returns the number of the function that an answer is needed for.
 *
 * Returns: its number among the functions that were given, in the order in which they are called first
 */
guint
acc_trace_get_function (AccTrace *self)
{
  g_return_val_if_fail (ACC_IS_TRACE (self), 0);

  return self->function;
}

/**
 * acc_trace_get_arguments:
 * @self: a trace that asks
 *
 * Returns the arguments that a function of expressions is to be called with.
 *
 * Returns: (transfer none) (element-type AccExpr): the arguments
 */
GPtrArray *
acc_trace_get_arguments (AccTrace *self)
{
  g_return_val_if_fail (ACC_IS_TRACE (self), NULL);

  return self->arguments;
}

/**
 * acc_trace_get_arrays:
 * @self: a trace that asks
 *
 * Returns the arguments that a function of arrays, such as that of a program, is to be called with. Those of
 * [method@NestedArray.map_nested] and [method@Sequence.map_batches] are to be called with the first one alone, a nested array, and those of
 * [method@Sequence.map_batch_nested] and [method@Sequence.fold_batch_nested] with the first two, a state and a nested array. Those of
 * [func@Sequence.zip_with_many_nested] and the like are to be called with as many of the first ones as they take elements, and those of
 * [method@Sequence.scan_nested] and [method@Sequence.scan_many_nested] with one more than there are states.
 *
 * Returns: (transfer none) (element-type GObject.Object): the arguments
 */
GPtrArray *
acc_trace_get_arrays (AccTrace *self)
{
  g_return_val_if_fail (ACC_IS_TRACE (self), NULL);

  return self->arrays;
}

/**
 * acc_trace_enter:
 * @self: a trace that asks for a function of arrays
 *
 * Begins to call the function that an answer is needed for: until [method@Trace.leave], random arrays that this thread makes are those of
 * the elements that the function is for.
 */
void
acc_trace_enter (AccTrace *self)
{
  g_return_if_fail (ACC_IS_TRACE (self));
  g_return_if_fail (self->asking && !self->active && !self->entered);

  self->numbering = acc_numbering_begin_again (self->numbers);
  self->entered = TRUE;
}

/**
 * acc_trace_leave:
 * @self: a trace whose function was entered
 *
 * Ends what [method@Trace.enter] began, whether or not the function gave a result.
 */
void
acc_trace_leave (AccTrace *self)
{
  g_return_if_fail (ACC_IS_TRACE (self));
  g_return_if_fail (self->entered);

  self->entered = FALSE;
  acc_numbering_end (&self->numbering);
}

static Answer *
add_answer (AccTrace *self)
{
  Answer *answer = g_new0 (Answer, 1);

  self->asking = FALSE;
  g_ptr_array_add (self->answers, answer);
  return answer;
}

/**
 * acc_trace_answer:
 * @self: a trace that asks for a function of expressions
 * @result: (nullable): the result of the function; %NULL, as from a function that is called, gives %ACC_ERROR_CALLBACK
 *
 * Answers with the result of a function of expressions.
 */
void
acc_trace_answer (AccTrace *self,
                  AccExpr  *result)
{
  g_return_if_fail (ACC_IS_TRACE (self));
  g_return_if_fail (self->asking && !self->active);

  add_answer (self)->expr = result != NULL ? acc_expr_ref_sink (result) : NULL;
}

/**
 * acc_trace_answer_arrays:
 * @self: a trace that asks for a function of arrays
 * @results: (array length=n_results): the results of the function
 * @n_results: the number of results
 *
 * Answers with the results of a function of arrays.
 */
void
acc_trace_answer_arrays (AccTrace *self,
                         GObject **results,
                         guint     n_results)
{
  Answer *answer;

  g_return_if_fail (ACC_IS_TRACE (self));
  g_return_if_fail (self->asking && !self->active);
  for (guint i = 0; i < n_results; i++)
    g_return_if_fail (results != NULL && G_IS_OBJECT (results[i]));

  answer = add_answer (self);
  answer->arrays = g_ptr_array_new_with_free_func (g_object_unref);
  for (guint i = 0; i < n_results; i++)
    g_ptr_array_add (answer->arrays, g_object_ref (results[i]));
  answer->parameters = g_steal_pointer (&self->arrays);
  answer->number = g_steal_pointer (&self->number);
  self->arrays = g_ptr_array_new_with_free_func (g_object_unref);
}
