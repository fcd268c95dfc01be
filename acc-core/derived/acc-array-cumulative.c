/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "acc-array-cumulative.h"

#include "acc-core/array/acc-array-build-private.h"

/* Ready-made scans. */

/**
 * acc_array_cumsum:
 * @self: an array of numbers, of rank 1 or more
 *
 * Computes the cumulative sum of each row along the innermost dimension.
 *
 * This is an inclusive scan. Integers wrap; floats may differ in the last bits from those of a plain loop. An empty row stays empty.
 * Behaves otherwise as [method@Array.scanl1].
 *
 * ```c
 * // xs = [[3, 1, 4], [1, 5, 9]]
 * g_autoptr(AccArray) result = acc_array_cumsum (xs); // → [[3, 4, 8], [1, 6, 15]]
 * ```
 *
 * Returns: (transfer full): an array of the type and extents of @self
 */
AccArray *
acc_array_cumsum (AccArray *self)
{
  ACC_ARRAY_NAMED ("cumsum");
  return acc_array_scanl1 (self, acc_array_add_elements, NULL);
}

/**
 * acc_array_cumprod:
 * @self: an array of numbers, of rank 1 or more
 *
 * Computes the cumulative product of each row along the innermost dimension.
 *
 * This is an inclusive scan. Integers wrap; floats may differ in the last bits from those of a plain loop. An empty row stays empty.
 * Behaves otherwise as [method@Array.scanl1].
 *
 * ```c
 * // xs = [[3, 1, 4], [1, 5, 9]]
 * g_autoptr(AccArray) result = acc_array_cumprod (xs); // → [[3, 3, 12], [1, 5, 45]]
 * ```
 *
 * Returns: (transfer full): an array of the type and extents of @self
 */
AccArray *
acc_array_cumprod (AccArray *self)
{
  ACC_ARRAY_NAMED ("cumprod");
  return acc_array_scanl1 (self, acc_array_mul_elements, NULL);
}

/**
 * acc_array_cummin:
 * @self: an array of numbers, of rank 1 or more
 *
 * Computes the cumulative minimum of each row along the innermost dimension.
 *
 * This is an inclusive scan. NaN is ignored: it appears only before the first number of a row. An empty row stays empty. Behaves otherwise
 * as [method@Array.scanl1].
 *
 * ```c
 * // xs = [[3, 1, 4], [1, 5, 9]]
 * g_autoptr(AccArray) result = acc_array_cummin (xs); // → [[3, 1, 1], [1, 1, 1]]
 * ```
 *
 * Returns: (transfer full): an array of the type and extents of @self
 */
AccArray *
acc_array_cummin (AccArray *self)
{
  ACC_ARRAY_NAMED ("cummin");
  return acc_array_scanl1 (self, acc_array_min_elements, NULL);
}

/**
 * acc_array_cummax:
 * @self: an array of numbers, of rank 1 or more
 *
 * Computes the cumulative maximum of each row along the innermost dimension.
 *
 * This is an inclusive scan. NaN is ignored: it appears only before the first number of a row. An empty row stays empty. Behaves otherwise
 * as [method@Array.scanl1].
 *
 * ```c
 * // xs = [[3, 1, 4], [1, 5, 9]]
 * g_autoptr(AccArray) result = acc_array_cummax (xs); // → [[3, 3, 4], [1, 5, 9]]
 * ```
 *
 * Returns: (transfer full): an array of the type and extents of @self
 */
AccArray *
acc_array_cummax (AccArray *self)
{
  ACC_ARRAY_NAMED ("cummax");
  return acc_array_scanl1 (self, acc_array_max_elements, NULL);
}
