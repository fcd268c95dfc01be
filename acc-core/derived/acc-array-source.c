/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "acc-core/array/acc-array-build-private.h"
#include "acc-array-rearrange.h"
#include "acc-source.h"

/**
 * acc_array_new_from_source:
 * @source: the source of the rows
 *
 * Creates an array whose elements are read from a source when a run needs them.
 *
 * Elements are read in chunks of rows, so that they need never be in memory together. Type and shape are those of @source. Where the source
 * reads rows of the transpose, as one of a file in Fortran order (column-major) does, the array is transposed: then the whole of it is held
 * in memory while it runs.
 *
 * Takes constant time: elements are read when the array runs, and errors of reading, such as %ACC_ERROR_IO, are reported then. A source
 * that does not tell its type and shape is %ACC_ERROR_SHAPE.
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
