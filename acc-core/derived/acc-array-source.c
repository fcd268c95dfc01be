/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "acc-core/array/acc-array-build-private.h"
#include "acc-array-rearrange.h"
#include "acc-source.h"

/**
 * acc_array_new_from_source:
 * @source: where the rows come from
 *
 * An array whose elements come from @source when a run asks for them, in chunks of rows, so that they need never be in
 * memory together. Its type and shape are those of the source. Where the source reads rows of the transpose, as one of a file
 * in Fortran order does, the array is transposed: then the whole of it is held in memory when it runs.
 *
 * In constant time: elements are read when it runs, and what goes wrong then, such as %ACC_ERROR_IO, is told then.
 *
 * ```c
 * g_autoptr(GInputStream) stream = g_memory_input_stream_new_from_data ("\1\2\3\4", 4, NULL);
 * g_autoptr(AccShape) shape = acc_shape_new_matrix (2, 2);
 * g_autoptr(AccSource) source = acc_source_new_raw_for_stream (stream, acc_element_type_new (ACC_KIND_U8), shape, NULL);
 * g_autoptr(AccArray) pixels = acc_array_new_from_source (source);
 * g_autoptr(AccArray) sums = acc_array_sum (pixels); // → [3, 7]
 * ```
 *
 * Returns: (transfer full): the array
 *
 * Since: 1.0
 */
AccArray *
acc_array_new_from_source (AccSource *source)
{
  g_autoptr(AccArray) array = acc_array_new_from_rows (source);

  if (array->error != NULL)
    return g_steal_pointer (&array);

  if (acc_shape_get_rank (acc_source_get_shape (source)) == 0)
    return acc_array_reshape (array, acc_source_get_shape (source));

  for (guint i = 0; i < array->rank / 2 && acc_source_is_transposed (source); i++)
    {
      AccArray *next = acc_array_transpose_on (array, i, array->rank - 1 - i);

      g_object_unref (array);
      array = next;
    }

  return g_steal_pointer (&array);
}
