/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "acc-array-zip-private.h"

#include "acc-core/array/acc-array-build-private.h"

/* Maps over tuples with their index. */

/**
 * acc_array_izip_with:
 * @self: an array
 * @other: an array of the same rank
 * @function: (scope call) (closure user_data): takes the index and an element of each
 * @user_data: data for @function
 *
 * Applies a function to the indices and elements of two arrays.
 *
 * Works over the indices that both arrays have, as [method@Array.zip_with] does. The index is an i8 for rank 1, else a tuple with one i8
 * for each dimension. Needs one kernel at most, and no memory for tuples, however many arrays there are.
 *
 * ```c
 * static AccExpr *
 * weighted (AccExpr *index, AccExpr *a, AccExpr *b, gpointer data)
 * {
 *   return acc_expr_mul (index, acc_expr_add (a, b));
 * }
 *
 * // a = [1, 2], b = [2, 3]
 * g_autoptr(AccArray) result = acc_array_izip_with (a, b, weighted, NULL); // → [0, 5]
 * ```
 *
 * Returns: (transfer full): an array of the type that @function gives
 */
AccArray *
acc_array_izip_with (AccArray     *self,
                     AccArray     *other,
                     AccExprFunc3  function,
                     gpointer      user_data)
{
  ACC_ARRAY_NAMED ("izip_with");
  AccArray *arrays[] = { self, other };

  return acc_array_zip_many_with ("izip_with", arrays, G_N_ELEMENTS (arrays), TRUE, G_CALLBACK (function), user_data);
}

/**
 * acc_array_izip_with3:
 * @self: an array
 * @second: an array of the same rank
 * @third: an array of the same rank
 * @function: (scope call) (closure user_data): takes the index and an element of each
 * @user_data: data for @function
 *
 * Applies a function to the indices and elements of three arrays.
 *
 * Behaves otherwise as [method@Array.izip_with].
 *
 * ```c
 * static AccExpr *
 * weighted (AccExpr *index, AccExpr *a, AccExpr *b, AccExpr *c, gpointer data)
 * {
 *   return acc_expr_mul (index, acc_expr_add (acc_expr_add (a, b), c));
 * }
 *
 * // a = [1, 2], b = [2, 3], c = [3, 4]
 * g_autoptr(AccArray) result = acc_array_izip_with3 (a, b, c, weighted, NULL); // → [0, 9]
 * ```
 *
 * Returns: (transfer full): an array of the type that @function gives
 */
AccArray *
acc_array_izip_with3 (AccArray     *self,
                      AccArray     *second,
                      AccArray     *third,
                      AccExprFunc4  function,
                      gpointer      user_data)
{
  ACC_ARRAY_NAMED ("izip_with3");
  AccArray *arrays[] = { self, second, third };

  return acc_array_zip_many_with ("izip_with3", arrays, G_N_ELEMENTS (arrays), TRUE, G_CALLBACK (function), user_data);
}

/**
 * acc_array_izip_with4:
 * @self: an array
 * @second: an array of the same rank
 * @third: an array of the same rank
 * @fourth: an array of the same rank
 * @function: (scope call) (closure user_data): takes the index and an element of each
 * @user_data: data for @function
 *
 * Applies a function to the indices and elements of four arrays.
 *
 * Behaves otherwise as [method@Array.izip_with].
 *
 * ```c
 * static AccExpr *
 * weighted (AccExpr *index, AccExpr *a, AccExpr *b, AccExpr *c, AccExpr *d, gpointer data)
 * {
 *   return acc_expr_mul (index, acc_expr_add (acc_expr_add (acc_expr_add (a, b), c), d));
 * }
 *
 * // a = [1, 2], b = [2, 3], c = [3, 4], d = [4, 5]
 * g_autoptr(AccArray) result = acc_array_izip_with4 (a, b, c, d, weighted, NULL); // → [0, 14]
 * ```
 *
 * Returns: (transfer full): an array of the type that @function gives
 */
AccArray *
acc_array_izip_with4 (AccArray     *self,
                      AccArray     *second,
                      AccArray     *third,
                      AccArray     *fourth,
                      AccExprFunc5  function,
                      gpointer      user_data)
{
  ACC_ARRAY_NAMED ("izip_with4");
  AccArray *arrays[] = { self, second, third, fourth };

  return acc_array_zip_many_with ("izip_with4", arrays, G_N_ELEMENTS (arrays), TRUE, G_CALLBACK (function), user_data);
}

/**
 * acc_array_izip_with5:
 * @self: an array
 * @second: an array of the same rank
 * @third: an array of the same rank
 * @fourth: an array of the same rank
 * @fifth: an array of the same rank
 * @function: (scope call) (closure user_data): takes the index and an element of each
 * @user_data: data for @function
 *
 * Applies a function to the indices and elements of five arrays.
 *
 * Behaves otherwise as [method@Array.izip_with].
 *
 * Returns: (transfer full): an array of the type that @function gives
 */
AccArray *
acc_array_izip_with5 (AccArray     *self,
                      AccArray     *second,
                      AccArray     *third,
                      AccArray     *fourth,
                      AccArray     *fifth,
                      AccExprFunc6  function,
                      gpointer      user_data)
{
  ACC_ARRAY_NAMED ("izip_with5");
  AccArray *arrays[] = { self, second, third, fourth, fifth };

  return acc_array_zip_many_with ("izip_with5", arrays, G_N_ELEMENTS (arrays), TRUE, G_CALLBACK (function), user_data);
}

/**
 * acc_array_izip_with6:
 * @self: an array
 * @second: an array of the same rank
 * @third: an array of the same rank
 * @fourth: an array of the same rank
 * @fifth: an array of the same rank
 * @sixth: an array of the same rank
 * @function: (scope call) (closure user_data): takes the index and an element of each
 * @user_data: data for @function
 *
 * Applies a function to the indices and elements of six arrays.
 *
 * Behaves otherwise as [method@Array.izip_with].
 *
 * Returns: (transfer full): an array of the type that @function gives
 */
AccArray *
acc_array_izip_with6 (AccArray     *self,
                      AccArray     *second,
                      AccArray     *third,
                      AccArray     *fourth,
                      AccArray     *fifth,
                      AccArray     *sixth,
                      AccExprFunc7  function,
                      gpointer      user_data)
{
  ACC_ARRAY_NAMED ("izip_with6");
  AccArray *arrays[] = { self, second, third, fourth, fifth, sixth };

  return acc_array_zip_many_with ("izip_with6", arrays, G_N_ELEMENTS (arrays), TRUE, G_CALLBACK (function), user_data);
}

/**
 * acc_array_izip_with7:
 * @self: an array
 * @second: an array of the same rank
 * @third: an array of the same rank
 * @fourth: an array of the same rank
 * @fifth: an array of the same rank
 * @sixth: an array of the same rank
 * @seventh: an array of the same rank
 * @function: (scope call) (closure user_data): takes the index and an element of each
 * @user_data: data for @function
 *
 * Applies a function to the indices and elements of seven arrays.
 *
 * Behaves otherwise as [method@Array.izip_with].
 *
 * Returns: (transfer full): an array of the type that @function gives
 */
AccArray *
acc_array_izip_with7 (AccArray     *self,
                      AccArray     *second,
                      AccArray     *third,
                      AccArray     *fourth,
                      AccArray     *fifth,
                      AccArray     *sixth,
                      AccArray     *seventh,
                      AccExprFunc8  function,
                      gpointer      user_data)
{
  ACC_ARRAY_NAMED ("izip_with7");
  AccArray *arrays[] = { self, second, third, fourth, fifth, sixth, seventh };

  return acc_array_zip_many_with ("izip_with7", arrays, G_N_ELEMENTS (arrays), TRUE, G_CALLBACK (function), user_data);
}

/**
 * acc_array_izip_with8:
 * @self: an array
 * @second: an array of the same rank
 * @third: an array of the same rank
 * @fourth: an array of the same rank
 * @fifth: an array of the same rank
 * @sixth: an array of the same rank
 * @seventh: an array of the same rank
 * @eighth: an array of the same rank
 * @function: (scope call) (closure user_data): takes the index and an element of each
 * @user_data: data for @function
 *
 * Applies a function to the indices and elements of eight arrays.
 *
 * Behaves otherwise as [method@Array.izip_with].
 *
 * Returns: (transfer full): an array of the type that @function gives
 */
AccArray *
acc_array_izip_with8 (AccArray     *self,
                      AccArray     *second,
                      AccArray     *third,
                      AccArray     *fourth,
                      AccArray     *fifth,
                      AccArray     *sixth,
                      AccArray     *seventh,
                      AccArray     *eighth,
                      AccExprFunc9  function,
                      gpointer      user_data)
{
  ACC_ARRAY_NAMED ("izip_with8");
  AccArray *arrays[] = { self, second, third, fourth, fifth, sixth, seventh, eighth };

  return acc_array_zip_many_with ("izip_with8", arrays, G_N_ELEMENTS (arrays), TRUE, G_CALLBACK (function), user_data);
}

/**
 * acc_array_izip_with9:
 * @self: an array
 * @second: an array of the same rank
 * @third: an array of the same rank
 * @fourth: an array of the same rank
 * @fifth: an array of the same rank
 * @sixth: an array of the same rank
 * @seventh: an array of the same rank
 * @eighth: an array of the same rank
 * @ninth: an array of the same rank
 * @function: (scope call) (closure user_data): takes the index and an element of each
 * @user_data: data for @function
 *
 * Applies a function to the indices and elements of nine arrays.
 *
 * Behaves otherwise as [method@Array.izip_with].
 *
 * Returns: (transfer full): an array of the type that @function gives
 */
AccArray *
acc_array_izip_with9 (AccArray      *self,
                      AccArray      *second,
                      AccArray      *third,
                      AccArray      *fourth,
                      AccArray      *fifth,
                      AccArray      *sixth,
                      AccArray      *seventh,
                      AccArray      *eighth,
                      AccArray      *ninth,
                      AccExprFunc10  function,
                      gpointer       user_data)
{
  ACC_ARRAY_NAMED ("izip_with9");
  AccArray *arrays[] = { self, second, third, fourth, fifth, sixth, seventh, eighth, ninth };

  return acc_array_zip_many_with ("izip_with9", arrays, G_N_ELEMENTS (arrays), TRUE, G_CALLBACK (function), user_data);
}
