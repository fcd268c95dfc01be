/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "producer-helpers.h"

#include "acc-seq/nested/acc-nested-array-private.h"

#include <string.h>

/* --- walks */

char *
element_to_text (AccElementType      *type,
                 const gint64        *extents,
                 guint                rank,
                 const guint8 *const *buffers)
{
  g_autoptr(AccShape) shape = acc_shape_new (extents, rank);
  g_autofree char *first = acc_shape_to_string (shape);
  GString *text = g_string_new (first);

  for (guint b = 0; b < acc_element_type_get_n_buffers (type); b++)
    {
      gsize size = acc_shape_get_size (shape) * acc_element_type_get_size (acc_element_type_get_buffer (type, b));

      g_string_append_c (text, b == 0 ? ' ' : '|');
      for (gsize i = 0; i < size; i++)
        {
          g_string_append_c (text, "0123456789abcdef"[buffers[b][i] / 16]);
          g_string_append_c (text, "0123456789abcdef"[buffers[b][i] % 16]);
        }
    }

  return g_string_free (text, FALSE);
}

void
add_text (GPtrArray  *elements,
          const char *text,
          gssize      n)
{
  gint64 length = n >= 0 ? n : (gssize) strlen (text);
  const guint8 *bytes = (const guint8 *) text;

  g_ptr_array_add (elements, element_to_text (acc_element_type_new (ACC_KIND_U8), &length, 1, &bytes));
}

/* Element @k of a manifest chunk, which begins at *@begin of its values, where the next one begins then. */
static char *
take_element (AccSequenceProducer *producer,
              AccNestedArray      *chunk,
              gint64               k,
              gint64              *begin)
{
  AccArray *values = acc_nested_array_get_values (chunk), *offsets = NULL, *all = NULL;
  AccElementType *type = acc_array_get_element_type (values);
  guint rank = acc_nested_array_get_rank (chunk), n_buffers = acc_element_type_get_n_buffers (type);
  g_autofree gint64 *extents = g_new (gint64, rank + 1);
  g_autofree const guint8 **buffers = g_new (const guint8 *, n_buffers + 1);
  gint64 size = 1;

  if (acc_sequence_producer_get_shape (producer) == NULL)
    {
      offsets = acc_nested_array_get_offsets (chunk);
      all = acc_nested_array_get_lifted (chunk)->nesting->extents;
    }
  for (guint d = 0; d < rank; d++)
    {
      if (offsets == NULL)
        extents[d] = acc_shape_get_extent (acc_array_get_shape (values), d + 1);
      else if (rank == 1)
        extents[d] = acc_array_get_int (offsets, 0, k + 1) - acc_array_get_int (offsets, 0, k);
      else
        extents[d] = acc_array_get_int (all, d, k);
      size *= extents[d];
    }
  for (guint b = 0; b < n_buffers; b++)
    buffers[b] = (const guint8 *) (gsize) acc_array_get_address (values, b)
                 + *begin * acc_element_type_get_size (acc_element_type_get_buffer (type, b));
  if (offsets != NULL)
    {
      g_assert_cmpint (acc_array_get_int (offsets, 0, k), ==, *begin);
      g_assert_cmpint (acc_array_get_int (offsets, 0, k + 1), ==, *begin + size);
    }
  *begin += size;

  return element_to_text (type, extents, rank, buffers);
}

GPtrArray *
walk_producer (AccSequenceProducer *producer,
               gint64               max_elements,
               gint64               max_values,
               GError             **error)
{
  gboolean regular = acc_sequence_producer_get_shape (producer) != NULL;
  GPtrArray *found = g_ptr_array_new_with_free_func (g_free);

  for (;;)
    {
      g_autoptr(AccNestedArray) chunk = acc_sequence_producer_read (producer, max_elements, max_values, NULL, error);
      AccArray *values;
      gint64 n, begin = 0;

      if (chunk == NULL)
        return found;

      values = acc_nested_array_get_values (chunk);
      g_assert_true (acc_nested_array_is_manifest (chunk));
      g_assert_cmpint (acc_nested_array_get_form (chunk), ==, regular ? ACC_NESTED_FORM_REGULAR : ACC_NESTED_FORM_IRREGULAR);
      n = regular ? acc_shape_get_extent (acc_array_get_shape (values), 0)
                  : acc_shape_get_extent (acc_array_get_shape (acc_nested_array_get_offsets (chunk)), 0) - 1;
      g_assert_cmpint (n, >=, 1);
      g_assert_cmpint (n, <=, max_elements);
      g_assert_true (n == 1 || acc_shape_get_size (acc_array_get_shape (values)) <= max_values);
      for (gint64 k = 0; k < n; k++)
        g_ptr_array_add (found, take_element (producer, chunk, k, &begin));
      g_assert_cmpint (begin, ==, acc_shape_get_size (acc_array_get_shape (values)));
    }
}

void
assert_elements (GPtrArray *found,
                 GPtrArray *expected)
{
  for (guint i = 0; i < MIN (found->len, expected->len); i++)
    if (!g_str_equal (found->pdata[i], expected->pdata[i]))
      g_error ("element %u of %u is %.200s, not %.200s", i, expected->len, (char *) found->pdata[i], (char *) expected->pdata[i]);
  g_assert_cmpuint (found->len, ==, expected->len);
}

void
check_walks (AccSequenceProducer *producer,
             GPtrArray           *expected)
{
  static const gint64 limits[][2] = {
    { 1, 1 }, { 1, G_MAXINT64 }, { 2, 5 }, { 7, 1000 }, { G_MAXINT64, 0 }, { G_MAXINT64, 100 }, { G_MAXINT64, G_MAXINT64 },
  };

  for (guint i = 0; i < G_N_ELEMENTS (limits); i++)
    {
      g_autoptr(GError) error = NULL;
      g_autoptr(GPtrArray) found = walk_producer (producer, limits[i][0], limits[i][1], &error);

      g_assert_no_error (error);
      assert_elements (found, expected);
      g_assert_null (acc_sequence_producer_read (producer, 1, 1, NULL, &error));
      g_assert_no_error (error);
      acc_sequence_producer_rewind (producer, &error);
      g_assert_no_error (error);
    }
}

/* --- streams */

typedef struct {
  GInputStream parent_instance;
  GBytes      *bytes;
  gsize        piece, position;
  gssize       fail_at;
  gboolean     polls, ready;
} Trickle;

typedef GInputStreamClass TrickleClass;

static gboolean
trickle_is_readable (GPollableInputStream *stream)
{
  Trickle *self = (Trickle *) stream;
  gboolean ready = self->ready || !self->polls;

  self->ready = !self->ready;

  return ready;
}

static void
trickle_pollable_init (GPollableInputStreamInterface *iface)
{
  iface->is_readable = trickle_is_readable;
}

static GType trickle_get_type (void);
G_DEFINE_TYPE_WITH_CODE (Trickle, trickle, G_TYPE_INPUT_STREAM,
                         G_IMPLEMENT_INTERFACE (G_TYPE_POLLABLE_INPUT_STREAM, trickle_pollable_init))

static gssize
trickle_read (GInputStream *stream,
              void         *buffer,
              gsize         count,
              GCancellable *cancellable,
              GError      **error)
{
  Trickle *self = (Trickle *) stream;
  gsize size, n;
  const guint8 *data = g_bytes_get_data (self->bytes, &size);

  if (self->fail_at >= 0)
    size = MIN (size, (gsize) self->fail_at);
  n = MIN (MIN (count, self->piece), size - self->position);
  if (n == 0 && self->fail_at >= 0)
    {
      g_set_error (error, G_IO_ERROR, G_IO_ERROR_CONNECTION_CLOSED, "the line is dead");
      return -1;
    }
  if (n > 0)
    memcpy (buffer, data + self->position, n);
  self->position += n;

  return n;
}

static void
trickle_finalize (GObject *object)
{
  g_bytes_unref (((Trickle *) object)->bytes);
  G_OBJECT_CLASS (trickle_parent_class)->finalize (object);
}

static void
trickle_class_init (TrickleClass *klass)
{
  klass->read_fn = trickle_read;
  G_OBJECT_CLASS (klass)->finalize = trickle_finalize;
}

static void
trickle_init (Trickle *self)
{
}

GInputStream *
trickle_new (GBytes  *bytes,
             gsize    piece,
             gssize   fail_at,
             gboolean polls)
{
  Trickle *self = g_object_new (trickle_get_type (), NULL);

  self->bytes = g_bytes_ref (bytes);
  self->piece = piece;
  self->fail_at = fail_at;
  self->polls = polls;

  return G_INPUT_STREAM (self);
}
