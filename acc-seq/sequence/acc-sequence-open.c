/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "acc-sequence-open.h"

#include "acc-seq/sequence/producers/acc-sequence-arrays-private.h"
#include "acc-seq/sequence/producers/acc-sequence-files-private.h"
#include "acc-sequence-private.h"

#include "acc-core/data/acc-source-private.h"
#include "acc-seq/sequence/producers/acc-sequence-records-private.h"
#include "acc-seq/sequence/producers/acc-sequence-split-private.h"
#include "acc-seq/sequence/producers/acc-sequence-windows-private.h"

/* Takes over @producer; NULL: @error, which is taken over, becomes that of the sequence. */
static AccSequence *
new_sequence (const char          *operation,
              AccSequenceProducer *producer,
              GError              *error)
{
  g_autoptr(AccSequenceProducer) owned = producer;
  g_autoptr(GError) problem = error;

  if (owned != NULL)
    return acc_sequence_new (owned);

  return acc_sequence_refuse (operation, problem->domain == ACC_ERROR ? (AccError) problem->code : ACC_ERROR_IO, "%s", problem->message);
}

/* The same with an error of its own in place of that of a sequence. */
static AccSequence *
open_sequence (AccSequenceProducer *producer)
{
  g_autoptr(AccSequenceProducer) owned = producer;

  return owned != NULL ? acc_sequence_new (owned) : NULL;
}

/**
 * acc_sequence_new_lines:
 * @stream: what the lines are read from
 *
 * Creates a sequence of the lines of a text, as vectors of bytes without the line feed, or carriage return and line feed, that ends them.
 * What is behind the last line feed is one more line, unless it is empty.
 *
 * It can be walked once, or as often as @stream can be rewound. Walks fail with %ACC_ERROR_IO where @stream does.
 *
 * Returns: (transfer full): the lines, u1 of rank 1
 */
AccSequence *
acc_sequence_new_lines (GInputStream *stream)
{
  g_return_val_if_fail (G_IS_INPUT_STREAM (stream), NULL);

  return open_sequence (acc_sequence_split_new_lines (acc_byte_reader_new_for_stream (stream), FALSE));
}

/**
 * acc_sequence_new_delimited:
 * @stream: what the records are read from
 * @delimiter: the bytes that end a record, at least 1
 *
 * Creates a sequence of what is between delimiters, as vectors of bytes. Works as [ctor@Sequence.new_lines] does otherwise. The result
 * carries %ACC_ERROR_UNSUPPORTED where @delimiter is empty or very long.
 *
 * Returns: (transfer full): the records, u1 of rank 1
 */
AccSequence *
acc_sequence_new_delimited (GInputStream *stream,
                            GBytes       *delimiter)
{
  GError *error = NULL;
  AccSequenceProducer *producer;

  g_return_val_if_fail (G_IS_INPUT_STREAM (stream), NULL);
  g_return_val_if_fail (delimiter != NULL, NULL);

  producer = acc_sequence_split_new (acc_byte_reader_new_for_stream (stream), delimiter, FALSE, &error);

  return new_sequence ("sequence_new_delimited", producer, error);
}

/**
 * acc_sequence_new_records:
 * @stream: what the records are read from
 * @type: the element type: of tuples, the items of each record are packed
 * @shape: the extents of a record; of rank 0 for single elements
 *
 * Creates a sequence of records of fixed size, in the machine's byte order.
 *
 * It can be walked once, or as often as @stream can be rewound. Walks fail with %ACC_ERROR_IO where @stream does, or ends within a record.
 * The result carries %ACC_ERROR_SHAPE where a record has no bytes.
 *
 * Returns: (transfer full): the records
 */
AccSequence *
acc_sequence_new_records (GInputStream   *stream,
                          AccElementType *type,
                          AccShape       *shape)
{
  GError *error = NULL;
  AccSequenceProducer *producer;

  g_return_val_if_fail (G_IS_INPUT_STREAM (stream), NULL);
  g_return_val_if_fail (type != NULL && shape != NULL, NULL);

  producer = acc_sequence_records_new (acc_byte_reader_new_for_stream (stream), type, shape, &error);

  return new_sequence ("sequence_new_records", producer, error);
}

/**
 * acc_sequence_open_lines:
 * @file: a text file
 * @cancellable: (nullable): cancels the call
 * @error: return location for an error
 *
 * Opens a file as a sequence of its lines. Works as [ctor@Sequence.new_lines] does, and can be walked again.
 *
 * Returns: (transfer full): the lines, u1 of rank 1; %NULL with @error set
 */
AccSequence *
acc_sequence_open_lines (GFile        *file,
                         GCancellable *cancellable,
                         GError      **error)
{
  AccByteReader *reader;

  g_return_val_if_fail (G_IS_FILE (file), NULL);

  reader = acc_byte_reader_new_for_file (file, cancellable, error);

  return reader != NULL ? open_sequence (acc_sequence_split_new_lines (reader, FALSE)) : NULL;
}

/**
 * acc_sequence_open_delimited:
 * @file: a file
 * @delimiter: the bytes that end a record, at least 1
 * @cancellable: (nullable): cancels the call
 * @error: return location for an error
 *
 * Opens a file as a sequence of what is between delimiters. Works as [ctor@Sequence.new_delimited] does, and can be walked again.
 *
 * Returns: (transfer full): the records, u1 of rank 1; %NULL with @error set
 */
AccSequence *
acc_sequence_open_delimited (GFile        *file,
                             GBytes       *delimiter,
                             GCancellable *cancellable,
                             GError      **error)
{
  AccByteReader *reader;

  g_return_val_if_fail (G_IS_FILE (file), NULL);
  g_return_val_if_fail (delimiter != NULL, NULL);

  reader = acc_byte_reader_new_for_file (file, cancellable, error);

  return reader != NULL ? open_sequence (acc_sequence_split_new (reader, delimiter, FALSE, error)) : NULL;
}

/**
 * acc_sequence_open_records:
 * @file: a file
 * @type: the element type: of tuples, the items of each record are packed
 * @shape: the extents of a record; of rank 0 for single elements
 * @cancellable: (nullable): cancels the call
 * @error: return location for an error
 *
 * Opens a file as a sequence of records of fixed size. Works as [ctor@Sequence.new_records] does, and can be walked again.
 *
 * Returns: (transfer full): the records; %NULL with @error set
 */
AccSequence *
acc_sequence_open_records (GFile          *file,
                           AccElementType *type,
                           AccShape       *shape,
                           GCancellable   *cancellable,
                           GError        **error)
{
  AccByteReader *reader;

  g_return_val_if_fail (G_IS_FILE (file), NULL);
  g_return_val_if_fail (type != NULL && shape != NULL, NULL);

  reader = acc_byte_reader_new_for_file (file, cancellable, error);

  return reader != NULL ? open_sequence (acc_sequence_records_new (reader, type, shape, error)) : NULL;
}

/**
 * acc_sequence_new_from_arrays:
 * @arrays: a list of [class@Array], in memory, of one element type and rank
 *
 * Creates a sequence of the arrays of a list, whose extents may differ. The list must not change while it is walked.
 *
 * The result carries %ACC_ERROR_TYPE where the list is empty; walks fail with %ACC_ERROR_TYPE or %ACC_ERROR_SHAPE where an array is not
 * like the first.
 *
 * Returns: (transfer full): the arrays
 */
AccSequence *
acc_sequence_new_from_arrays (GListModel *arrays)
{
  GError *error = NULL;
  AccSequenceProducer *producer;

  g_return_val_if_fail (G_IS_LIST_MODEL (arrays), NULL);

  producer = acc_sequence_arrays_new (arrays, NULL, 0, &error);

  return new_sequence ("sequence_new_from_arrays", producer, error);
}

/**
 * acc_sequence_open_files:
 * @files: a list of #GFile: PNG or NPY, as their content says
 * @cancellable: (nullable): cancels the call
 * @error: return location for an error
 *
 * Opens files as a sequence of the arrays that they have, whose extents may differ: a folder of pictures. The first is opened to know
 * element type and rank, the others when they are walked to. The list must not change meanwhile.
 *
 * Pictures in colour have three dimensions, the innermost one of channels. Where the first file has three dimensions, a grey picture has
 * one channel. After a grey one, a picture in colour is an error.
 *
 * Walks fail with %ACC_ERROR_IO, %ACC_ERROR_TYPE or %ACC_ERROR_SHAPE, and the name of a file, where that cannot be read or is not like the
 * first.
 *
 * Returns: (transfer full): the arrays; %NULL with @error set
 */
AccSequence *
acc_sequence_open_files (GListModel   *files,
                         GCancellable *cancellable,
                         GError      **error)
{
  g_return_val_if_fail (G_IS_LIST_MODEL (files), NULL);

  return open_sequence (acc_sequence_files_new (files, NULL, cancellable, error));
}

/**
 * acc_sequence_open_raw_files:
 * @files: a list of #GFile
 * @type: the element type
 * @shape: the extents of the array in each file; the outermost may be -1: as many as the file has
 * @offset: bytes before the first element
 * @error: return location for an error
 *
 * Opens files of bare elements as a sequence of arrays. Works as [func@Sequence.open_files] does otherwise.
 *
 * Returns: (transfer full): the arrays; %NULL with @error set
 */
AccSequence *
acc_sequence_open_raw_files (GListModel     *files,
                             AccElementType *type,
                             AccShape       *shape,
                             guint64         offset,
                             GError        **error)
{
  g_return_val_if_fail (G_IS_LIST_MODEL (files), NULL);
  g_return_val_if_fail (type != NULL && shape != NULL, NULL);

  return open_sequence (acc_sequence_files_new_raw (files, type, shape, offset, error));
}

/* --- windows */

void
acc_sequence_windows_spec_free (AccSequenceWindowsSpec *self)
{
  g_free (self->sizes);
  g_free (self->steps);
  g_clear_pointer (&self->boundary, acc_boundary_unref);
  g_free (self);
}

AccSequenceProducer *
acc_sequence_dup_producer (AccSequence *self,
                           AccArray    *computed,
                           GError     **error)
{
  if (self->producer != NULL)
    return g_object_ref (self->producer);

  return acc_sequence_windows_new_for_array (computed, self->windows->sizes, self->windows->steps, self->windows->n_dimensions,
                                             self->windows->boundary, error);
}

/* What a walk makes a producer of, when it has computed @array. */
static void
set_windows (AccSequence  *self,
             AccArray     *array,
             const gint64 *sizes,
             const gint64 *steps,
             AccBoundary  *boundary)
{
  self->array = g_object_ref (array);
  self->windows = g_new0 (AccSequenceWindowsSpec, 1);
  self->windows->n_dimensions = array->rank;
  self->windows->sizes = g_memdup2 (sizes, array->rank * sizeof (gint64));
  self->windows->steps = g_memdup2 (steps, array->rank * sizeof (gint64));
  self->windows->boundary = boundary != NULL ? acc_boundary_ref (boundary) : NULL;
}

static AccSequence *
new_windows_of_computed (AccArray     *array,
                         const gint64 *sizes,
                         const gint64 *steps,
                         AccBoundary  *boundary)
{
  AccSequence *self = acc_sequence_alloc (ACC_SEQUENCE_KIND_PRODUCER, NULL, 0);

  set_windows (self, array, sizes, steps, boundary);
  self->type = array->type;
  self->rank = array->rank;
  self->shape = acc_shape_new (sizes, array->rank);

  return self;
}

/* What is made of windows reads @array where it is; one that is large for a device is read window by window. */
static AccSequence *
new_windows_in_memory (AccArray     *array,
                       const gint64 *sizes,
                       const gint64 *steps,
                       guint         rank,
                       AccBoundary  *boundary)
{
  g_autoptr(GError) error = NULL;
  g_autoptr(AccSequenceGrid) grid = acc_sequence_grid_new (array->shape, sizes, steps, rank, boundary, &error);
  g_autoptr(AccSequenceProducer) producer = NULL;
  g_autoptr(AccArray) computed = NULL;
  g_autoptr(AccSequence) counter = NULL;
  AccArray *mistake = NULL;
  AccSequence *self;

  if (grid == NULL)
    return new_sequence ("sequence_new_windows", NULL, g_steal_pointer (&error));
  if (acc_array_is_manifest (array)
      && (producer = acc_sequence_windows_new_for_array (array, sizes, steps, rank, boundary, &error)) == NULL)
    return new_sequence ("sequence_new_windows", NULL, g_steal_pointer (&error));

  counter = acc_sequence_new_counter (grid->count);
  self = acc_sequence_alloc (ACC_SEQUENCE_KIND_PRODUCER, &counter, 1);
  computed = producer != NULL ? g_object_ref (array) : acc_array_compute (array);
  self->function = acc_sequence_windows_trace (computed, grid, boundary, &mistake);
  if (self->function == NULL)
    {
      g_object_unref (self);
      return acc_sequence_new_error (mistake);
    }
  if (producer == NULL)
    set_windows (self, array, sizes, steps, boundary);
  self->producer = g_steal_pointer (&producer);
  self->type = array->type;
  self->rank = rank;
  self->shape = acc_shape_new (sizes, rank);
  self->length = grid->count;
  self->promised = FALSE;

  return self;
}

/**
 * acc_sequence_new_windows:
 * @array: an array with @n_dimensions dimensions
 * @sizes: (array length=n_dimensions): the extents of a window
 * @steps: (array length=n_dimensions): how far the next window begins, along each dimension
 * @n_dimensions: the rank of @array
 * @boundary: (nullable): what is beyond the edges; %NULL: only windows that are inside
 *
 * Creates a sequence of the tiles of an array, or of windows that overlap where steps are less than sizes, in row-major order. Of a
 * source's array only the rows that windows are in are held in memory; any other is computed when a walk begins, where memory does not
 * suffice into a temporary file.
 *
 * The result carries %ACC_ERROR_SHAPE where a size or step is less than 1 or @n_dimensions is not the rank; walks fail with it where
 * only they see that.
 *
 * Returns: (transfer full): the windows
 */
AccSequence *
acc_sequence_new_windows (AccArray     *array,
                          const gint64 *sizes,
                          const gint64 *steps,
                          guint         n_dimensions,
                          AccBoundary  *boundary)
{
  GError *error = NULL;
  AccSequenceProducer *producer = NULL;

  g_return_val_if_fail (ACC_IS_ARRAY (array), NULL);
  g_return_val_if_fail ((sizes != NULL && steps != NULL) || n_dimensions == 0, NULL);

  if (array->error != NULL)
    return acc_sequence_new_error (g_object_ref (array));
  if (array->shape != NULL && (array->op != ACC_OP_SOURCE || acc_source_comes_whole (acc_array_get_source (array))))
    return new_windows_in_memory (array, sizes, steps, n_dimensions, boundary);
  if (array->op == ACC_OP_SOURCE)
    producer = acc_sequence_windows_new_for_source (acc_array_get_source (array), sizes, steps, n_dimensions, boundary, &error);
  else if (acc_sequence_grid_check (array->rank, sizes, steps, n_dimensions, boundary, &error))
    return new_windows_of_computed (array, sizes, steps, boundary);

  return new_sequence ("sequence_new_windows", producer, error);
}
