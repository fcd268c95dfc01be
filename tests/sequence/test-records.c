/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "acc-seq/sequence/producers/acc-sequence-records-private.h"

#include "producer-helpers.h"

#include <string.h>

/* Records of fixed size, of streams. */

typedef struct {
  const char *code;
  gint64      extents[3];
  guint       rank;
} Layout;

static const Layout layouts[] = {
  { "u1", { 5 }, 1 }, { "u1", { 0 }, 0 }, { "i4", { 0 }, 0 }, { "f8", { 2, 3 }, 2 }, { "(i4,u1)", { 0 }, 0 }, { "(i4,u1)", { 3 }, 1 },
  { "(u1,(f8,b1),3f4)", { 2 }, 1 }, { "b1", { 4 }, 1 }, { "c8", { 0 }, 0 }, { "u1", { 40000 }, 1 }, { "(u2,u1)", { 100000 }, 1 },
};

static GBytes *
make_bytes (gsize size)
{
  guint8 *bytes = g_malloc (size + 1);

  for (gsize i = 0; i < size; i++)
    bytes[i] = g_test_rand_int_range (0, 4) == 0 ? 0 : g_test_rand_int_range (0, 256);

  return g_bytes_new_take (bytes, size);
}

/* The elements in @bytes, taken apart value by value. */
static GPtrArray *
split_slowly (const Layout *layout,
              GBytes       *bytes)
{
  AccElementType *type = acc_element_type_parse (layout->code, NULL);
  GPtrArray *elements = g_ptr_array_new_with_free_func (g_free);
  g_autoptr(AccShape) shape = acc_shape_new (layout->extents, layout->rank);
  guint n_buffers = acc_element_type_get_n_buffers (type);
  gsize values = acc_shape_get_size (shape), size, n, offset = 0;
  const guint8 *data = g_bytes_get_data (bytes, &size);

  n = size / (values * acc_element_type_get_size (type));
  for (gsize k = 0; k < n; k++)
    {
      guint8 *buffers[8];

      for (guint b = 0; b < n_buffers; b++)
        buffers[b] = g_malloc (values * acc_element_type_get_size (type));
      for (gsize i = 0; i < values; i++)
        for (guint b = 0; b < n_buffers; b++)
          {
            gsize part = acc_element_type_get_size (acc_element_type_get_buffer (type, b));

            memcpy (buffers[b] + i * part, data + offset, part);
            if (acc_element_type_get_leaf (acc_element_type_get_buffer (type, b), 0) == ACC_KIND_BOOL)
              buffers[b][i] = buffers[b][i] != 0;
            offset += part;
          }
      g_ptr_array_add (elements, element_to_text (type, layout->extents, layout->rank, (const guint8 *const *) buffers));
      for (guint b = 0; b < n_buffers; b++)
        g_free (buffers[b]);
    }

  return elements;
}

static AccSequenceProducer *
records_of (GInputStream *stream,
            const Layout *layout)
{
  g_autoptr(AccShape) shape = acc_shape_new (layout->extents, layout->rank);
  g_autoptr(GError) error = NULL;
  AccSequenceProducer *producer = acc_sequence_records_new (acc_byte_reader_new_for_stream (stream),
                                                            acc_element_type_parse (layout->code, NULL), shape, &error);

  g_assert_no_error (error);

  return producer;
}

static gsize
get_element_bytes (const Layout *layout)
{
  g_autoptr(AccShape) shape = acc_shape_new (layout->extents, layout->rank);

  return acc_shape_get_size (shape) * acc_element_type_get_size (acc_element_type_parse (layout->code, NULL));
}

static void
test_walks (void)
{
  for (guint l = 0; l < G_N_ELEMENTS (layouts); l++)
    for (guint n = 0; n < 40; n += 13)
      {
        g_autoptr(GBytes) bytes = make_bytes (n * get_element_bytes (&layouts[l]));
        g_autoptr(GPtrArray) expected = split_slowly (&layouts[l], bytes);
        g_autoptr(GInputStream) memory = g_memory_input_stream_new_from_bytes (bytes);
        g_autoptr(AccSequenceProducer) producer = records_of (memory, &layouts[l]);

        g_assert_cmpuint (expected->len, ==, n);
        g_assert_cmpint (acc_sequence_producer_get_length (producer), ==, n);
        check_walks (producer, expected);

        for (gsize piece = 1; piece < 50; piece += 6)
          {
            g_autoptr(GInputStream) stream = trickle_new (bytes, piece, -1, piece % 4 == 1);
            g_autoptr(AccSequenceProducer) once = records_of (stream, &layouts[l]);
            g_autoptr(GError) error = NULL;
            g_autoptr(GPtrArray) found = NULL;

            if (n * get_element_bytes (&layouts[l]) / piece > 20000)
              continue;
            found = walk_producer (once, 7, 1000, &error);
            g_assert_no_error (error);
            g_assert_cmpint (acc_sequence_producer_get_length (once), ==, -1);
            assert_elements (found, expected);
            g_assert_false (n > 0 && acc_sequence_producer_rewind (once, NULL));
          }
      }
}

/* Elements before an error, or before an end within a record, are given. */
static void
test_failing (void)
{
  for (guint l = 0; l < G_N_ELEMENTS (layouts) - 2; l++)
    {
      gsize size = get_element_bytes (&layouts[l]);

      for (gsize end = 0; end <= 3 * size; end++)
        for (guint fails = 0; fails < 2; fails++)
          {
            g_autoptr(GBytes) all = make_bytes (3 * size), bytes = g_bytes_new_from_bytes (all, 0, end);
            g_autoptr(GPtrArray) expected = split_slowly (&layouts[l], bytes), found = NULL;
            g_autoptr(GInputStream) stream = trickle_new (fails ? all : bytes, 1 + end % 5, fails ? (gssize) end : -1, end % 2);
            g_autoptr(GInputStream) memory = g_memory_input_stream_new_from_bytes (bytes);
            g_autoptr(AccSequenceProducer) producer = records_of (end % 3 == 0 && !fails ? memory : stream, &layouts[l]);
            g_autoptr(GError) error = NULL;
            g_autofree char *where = g_strdup_printf ("within record %u, of which %u bytes are", (guint) (end / size) + 1,
                                                      (guint) (size - end % size));

            found = walk_producer (producer, 1 + end % 4, 1000, &error);
            if (!fails && end % size == 0)
              g_assert_no_error (error);
            else
              g_assert_error (error, ACC_ERROR, ACC_ERROR_IO);
            if (error != NULL && strstr (error->message, fails ? "the line is dead" : where) == NULL)
              g_error ("%s does not say %s", error->message, where);
            assert_elements (found, expected);
          }
    }
}

static void
test_cancelled (void)
{
  g_autoptr(GBytes) bytes = make_bytes (15);
  g_autoptr(GInputStream) memory = g_memory_input_stream_new_from_bytes (bytes);
  g_autoptr(AccSequenceProducer) producer = records_of (memory, &layouts[0]);
  g_autoptr(GPtrArray) expected = split_slowly (&layouts[0], bytes);
  g_autoptr(GCancellable) cancellable = g_cancellable_new ();
  g_autoptr(AccNestedArray) chunk = acc_sequence_producer_read (producer, 1, 100, cancellable, NULL);
  g_autoptr(GError) error = NULL;
  g_autofree char *place = acc_sequence_producer_describe (producer, 2);

  g_assert_cmpstr (place, ==, "record 3 of stream");
  g_assert_nonnull (chunk);
  g_cancellable_cancel (cancellable);
  g_assert_null (acc_sequence_producer_read (producer, 1, 1, cancellable, &error));
  g_assert_error (error, G_IO_ERROR, G_IO_ERROR_CANCELLED);
  g_clear_error (&error);
  g_assert_true (acc_sequence_producer_rewind (producer, &error));
  check_walks (producer, expected);
}

static void
test_no_bytes (void)
{
  g_autoptr(GInputStream) memory = g_memory_input_stream_new ();
  g_autoptr(AccShape) none = acc_shape_new_matrix (3, 0), one = acc_shape_new_scalar (), many = acc_shape_new_matrix (G_MAXINT64 / 4, 4);
  g_autoptr(GError) error = NULL;

  g_assert_null (acc_sequence_records_new (acc_byte_reader_new_for_stream (memory), acc_element_type_new (ACC_KIND_U8), none, &error));
  g_assert_error (error, ACC_ERROR, ACC_ERROR_SHAPE);
  g_clear_error (&error);
  g_assert_null (acc_sequence_records_new (acc_byte_reader_new_for_stream (memory), acc_element_type_new_tuple (NULL, 0), one, &error));
  g_assert_error (error, ACC_ERROR, ACC_ERROR_SHAPE);
  g_clear_error (&error);
  g_assert_null (acc_sequence_records_new (acc_byte_reader_new_for_stream (memory), acc_element_type_new (ACC_KIND_F64), many, &error));
  g_assert_error (error, ACC_ERROR, ACC_ERROR_SHAPE);
}

int
main (int    argc,
      char **argv)
{
  g_test_init (&argc, &argv, NULL);

  g_test_add_func ("/sequence/records/walks", test_walks);
  g_test_add_func ("/sequence/records/failing", test_failing);
  g_test_add_func ("/sequence/records/cancelled", test_cancelled);
  g_test_add_func ("/sequence/records/no-bytes", test_no_bytes);

  return g_test_run ();
}
