/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "acc-array-zip.h"

#include "acc-array-zip-private.h"
#include "acc-core/array/acc-array-build-private.h"
#include "acc-error.h"
#include "acc-core/expr/acc-expr-build-private.h"
#include "acc-core/expr/acc-trace-private.h"

/* Maps over tuples, which fusion never stores. */

#define MAX_ARGS 10

typedef struct {
  GCallback function;   /* AccExprFunc3 … AccExprFunc10 */
  gpointer  data;
} Spread;

static AccExpr *
call (const Spread  *spread,
      AccExpr      **x,
      guint          n)
{
  GCallback f = spread->function;
  gpointer data = spread->data;

  if (acc_trace_asks (f))
    return acc_trace_ask (f, data, x, n);

  switch (n)
    {
    case 3:
      return ((AccExprFunc3) f) (x[0], x[1], x[2], data);
    case 4:
      return ((AccExprFunc4) f) (x[0], x[1], x[2], x[3], data);
    case 5:
      return ((AccExprFunc5) f) (x[0], x[1], x[2], x[3], x[4], data);
    case 6:
      return ((AccExprFunc6) f) (x[0], x[1], x[2], x[3], x[4], x[5], data);
    case 7:
      return ((AccExprFunc7) f) (x[0], x[1], x[2], x[3], x[4], x[5], x[6], data);
    case 8:
      return ((AccExprFunc8) f) (x[0], x[1], x[2], x[3], x[4], x[5], x[6], x[7], data);
    case 9:
      return ((AccExprFunc9) f) (x[0], x[1], x[2], x[3], x[4], x[5], x[6], x[7], x[8], data);
    case 10:
      return ((AccExprFunc10) f) (x[0], x[1], x[2], x[3], x[4], x[5], x[6], x[7], x[8], x[9], data);
    default:
      g_return_val_if_reached (NULL);
    }
}

/* Calls the function with the items of @tuple, behind @index where there is one. */
static AccExpr *
call_spread (const Spread *spread,
             AccExpr      *index,
             AccExpr      *tuple)
{
  AccExpr *args[MAX_ARGS];
  g_autoptr(AccExpr) result = NULL;
  guint n = 0;

  if (index != NULL)
    args[n++] = acc_expr_ref_sink (index);
  for (guint i = 0; i < acc_expr_get_n_items (tuple); i++)
    args[n++] = acc_expr_ref_sink (acc_expr_item (tuple, i));
  /* It may be one of them. */
  result = acc_expr_take_result (call (spread, args, n));
  _acc_expr_drop (args, n);

  return _acc_expr_float (g_steal_pointer (&result));
}

static AccExpr *
call_elements (AccExpr *tuple,
               gpointer data)
{
  return call_spread (data, NULL, tuple);
}

static AccExpr *
call_indexed (AccExpr *index,
              AccExpr *tuple,
              gpointer data)
{
  return call_spread (data, index, tuple);
}

AccArray *
acc_array_zip_many_with (const char *operation,
                         AccArray  **arrays,
                         guint       n,
                         gboolean    indexed,
                         GCallback   function,
                         gpointer    user_data)
{
  AccArray *node = acc_array_begin (ACC_OP_ZIP, arrays, n);
  Spread spread = { function, user_data };

  if (node->error == NULL && function == NULL)
    acc_array_fail_argument (node, "a function");
  for (guint i = 1; i < n && node->error == NULL; i++)
    if (arrays[i]->rank != arrays[0]->rank)
      acc_array_fail (node, ACC_ERROR_SHAPE, "%s: array %u has rank %u where the first has rank %u", operation, i, arrays[i]->rank,
                      arrays[0]->rank);
  if (node->error != NULL)
    return acc_array_complete (node);

  g_autoptr(AccArray) tuples = acc_array_complete (node);

  return indexed ? acc_array_imap (tuples, call_indexed, &spread) : acc_array_map (tuples, call_elements, &spread);
}

/**
 * acc_array_zip_with4:
 * @self: an array
 * @second: an array of the same rank
 * @third: an array of the same rank
 * @fourth: an array of the same rank
 * @function: (scope call) (closure user_data): takes an element of each
 * @user_data: data for @function
 *
 * Applies a function to the elements of four arrays.
 *
 * Works over the indices that all arrays have, as [method@Array.zip_with] does for two. Ranks that differ are %ACC_ERROR_SHAPE.
 *
 * ```c
 * static AccExpr *
 * products (AccExpr *a, AccExpr *b, AccExpr *c, AccExpr *d, gpointer data)
 * {
 *   return acc_expr_add (acc_expr_mul (a, b), acc_expr_mul (c, d));
 * }
 *
 * // a = [1, 2], b = [2, 3], c = [3, 4], d = [4, 5]
 * g_autoptr(AccArray) result = acc_array_zip_with4 (a, b, c, d, products, NULL); // → [14, 26]
 * ```
 *
 * Returns: (transfer full): an array of the type that @function gives
 */
AccArray *
acc_array_zip_with4 (AccArray     *self,
                     AccArray     *second,
                     AccArray     *third,
                     AccArray     *fourth,
                     AccExprFunc4  function,
                     gpointer      user_data)
{
  ACC_ARRAY_NAMED ("zip_with4");
  AccArray *arrays[] = { self, second, third, fourth };

  return acc_array_zip_many_with ("zip_with4", arrays, G_N_ELEMENTS (arrays), FALSE, G_CALLBACK (function), user_data);
}

/**
 * acc_array_zip_with5:
 * @self: an array
 * @second: an array of the same rank
 * @third: an array of the same rank
 * @fourth: an array of the same rank
 * @fifth: an array of the same rank
 * @function: (scope call) (closure user_data): takes an element of each
 * @user_data: data for @function
 *
 * Applies a function to the elements of five arrays.
 *
 * Behaves otherwise as [method@Array.zip_with4].
 *
 * Returns: (transfer full): an array of the type that @function gives
 */
AccArray *
acc_array_zip_with5 (AccArray     *self,
                     AccArray     *second,
                     AccArray     *third,
                     AccArray     *fourth,
                     AccArray     *fifth,
                     AccExprFunc5  function,
                     gpointer      user_data)
{
  ACC_ARRAY_NAMED ("zip_with5");
  AccArray *arrays[] = { self, second, third, fourth, fifth };

  return acc_array_zip_many_with ("zip_with5", arrays, G_N_ELEMENTS (arrays), FALSE, G_CALLBACK (function), user_data);
}

/**
 * acc_array_zip_with6:
 * @self: an array
 * @second: an array of the same rank
 * @third: an array of the same rank
 * @fourth: an array of the same rank
 * @fifth: an array of the same rank
 * @sixth: an array of the same rank
 * @function: (scope call) (closure user_data): takes an element of each
 * @user_data: data for @function
 *
 * Applies a function to the elements of six arrays.
 *
 * Behaves otherwise as [method@Array.zip_with4].
 *
 * Returns: (transfer full): an array of the type that @function gives
 */
AccArray *
acc_array_zip_with6 (AccArray     *self,
                     AccArray     *second,
                     AccArray     *third,
                     AccArray     *fourth,
                     AccArray     *fifth,
                     AccArray     *sixth,
                     AccExprFunc6  function,
                     gpointer      user_data)
{
  ACC_ARRAY_NAMED ("zip_with6");
  AccArray *arrays[] = { self, second, third, fourth, fifth, sixth };

  return acc_array_zip_many_with ("zip_with6", arrays, G_N_ELEMENTS (arrays), FALSE, G_CALLBACK (function), user_data);
}

/**
 * acc_array_zip_with7:
 * @self: an array
 * @second: an array of the same rank
 * @third: an array of the same rank
 * @fourth: an array of the same rank
 * @fifth: an array of the same rank
 * @sixth: an array of the same rank
 * @seventh: an array of the same rank
 * @function: (scope call) (closure user_data): takes an element of each
 * @user_data: data for @function
 *
 * Applies a function to the elements of seven arrays.
 *
 * Behaves otherwise as [method@Array.zip_with4].
 *
 * Returns: (transfer full): an array of the type that @function gives
 */
AccArray *
acc_array_zip_with7 (AccArray     *self,
                     AccArray     *second,
                     AccArray     *third,
                     AccArray     *fourth,
                     AccArray     *fifth,
                     AccArray     *sixth,
                     AccArray     *seventh,
                     AccExprFunc7  function,
                     gpointer      user_data)
{
  ACC_ARRAY_NAMED ("zip_with7");
  AccArray *arrays[] = { self, second, third, fourth, fifth, sixth, seventh };

  return acc_array_zip_many_with ("zip_with7", arrays, G_N_ELEMENTS (arrays), FALSE, G_CALLBACK (function), user_data);
}

/**
 * acc_array_zip_with8:
 * @self: an array
 * @second: an array of the same rank
 * @third: an array of the same rank
 * @fourth: an array of the same rank
 * @fifth: an array of the same rank
 * @sixth: an array of the same rank
 * @seventh: an array of the same rank
 * @eighth: an array of the same rank
 * @function: (scope call) (closure user_data): takes an element of each
 * @user_data: data for @function
 *
 * Applies a function to the elements of eight arrays.
 *
 * Behaves otherwise as [method@Array.zip_with4].
 *
 * Returns: (transfer full): an array of the type that @function gives
 */
AccArray *
acc_array_zip_with8 (AccArray     *self,
                     AccArray     *second,
                     AccArray     *third,
                     AccArray     *fourth,
                     AccArray     *fifth,
                     AccArray     *sixth,
                     AccArray     *seventh,
                     AccArray     *eighth,
                     AccExprFunc8  function,
                     gpointer      user_data)
{
  ACC_ARRAY_NAMED ("zip_with8");
  AccArray *arrays[] = { self, second, third, fourth, fifth, sixth, seventh, eighth };

  return acc_array_zip_many_with ("zip_with8", arrays, G_N_ELEMENTS (arrays), FALSE, G_CALLBACK (function), user_data);
}

/**
 * acc_array_zip_with9:
 * @self: an array
 * @second: an array of the same rank
 * @third: an array of the same rank
 * @fourth: an array of the same rank
 * @fifth: an array of the same rank
 * @sixth: an array of the same rank
 * @seventh: an array of the same rank
 * @eighth: an array of the same rank
 * @ninth: an array of the same rank
 * @function: (scope call) (closure user_data): takes an element of each
 * @user_data: data for @function
 *
 * Applies a function to the elements of nine arrays.
 *
 * Behaves otherwise as [method@Array.zip_with4].
 *
 * Returns: (transfer full): an array of the type that @function gives
 */
AccArray *
acc_array_zip_with9 (AccArray     *self,
                     AccArray     *second,
                     AccArray     *third,
                     AccArray     *fourth,
                     AccArray     *fifth,
                     AccArray     *sixth,
                     AccArray     *seventh,
                     AccArray     *eighth,
                     AccArray     *ninth,
                     AccExprFunc9  function,
                     gpointer      user_data)
{
  ACC_ARRAY_NAMED ("zip_with9");
  AccArray *arrays[] = { self, second, third, fourth, fifth, sixth, seventh, eighth, ninth };

  return acc_array_zip_many_with ("zip_with9", arrays, G_N_ELEMENTS (arrays), FALSE, G_CALLBACK (function), user_data);
}
