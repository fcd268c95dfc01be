/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "acc-window-source-private.h"

#include "acc-core/data/acc-chunk-private.h"
#include "acc-core/data/acc-source-private.h"

#include <string.h>

/* What a file is read by at least. */
#define NEAR_BYTES (16 * 1024)

struct _AccWindowSource
{
  AccSource  parent_instance;

  AccSource *base;
  gint64     first, step;
  gint64     next;        /* row of .base */
};

G_DEFINE_FINAL_TYPE (AccWindowSource, acc_window_source, ACC_TYPE_SOURCE)

static gboolean
acc_window_source_start (AccSource *source, GCancellable *cancellable, GError **error)
{
  AccWindowSource *self = ACC_WINDOW_SOURCE (source);

  self->next = 0;

  return acc_source_start (self->base, cancellable, error);
}

/* Memory of rows of a chunk, which is filled from @done on. */
typedef struct {
  AccWindowSource *source;
  AccChunk        *chunk;
  gint64           n_rows;
  GCancellable    *cancellable;
} Rows;

static guint64
get_row_bytes (const Rows *self, guint buffer)
{
  return acc_chunk_get_size (self->chunk, buffer) / (guint64) self->n_rows;
}

/* The next @n rows of the base. */
static gboolean
read_base (const Rows *self, gint64 done, gint64 n, GError **error)
{
  AccWindowSource *source = self->source;
  guint n_buffers = acc_element_type_get_n_buffers (acc_chunk_get_element_type (self->chunk));
  g_autofree gpointer *addresses = g_new (gpointer, n_buffers + 1);
  AccChunk *part;
  gboolean read;

  for (guint i = 0; i < n_buffers; i++)
    addresses[i] = (guint8 *) (guintptr) acc_chunk_get_address (self->chunk, i) + (guint64) done * get_row_bytes (self, i);
  part = acc_chunk_new (acc_chunk_get_element_type (self->chunk), source->next, n, acc_chunk_get_row_elements (self->chunk), addresses);
  read = acc_source_read (source->base, part, self->cancellable, error);
  acc_chunk_invalidate (part);
  acc_chunk_unref (part);
  source->next += n;

  return read;
}

/* Rows before @row are read where they must be, to where others come then: from @done on. */
static gboolean
move_to (const Rows *self, gint64 row, gint64 done, GError **error)
{
  AccWindowSource *source = self->source;

  if (source->next == row)
    return TRUE;
  if (acc_source_can_seek (source->base))
    {
      source->next = row;
      return acc_source_seek (source->base, row, self->cancellable, error);
    }
  while (source->next < row)
    if (!read_base (self, done, MIN (row - source->next, self->n_rows - done), error))
      return FALSE;

  return TRUE;
}

/* Of rows of the chunk from @begin on, each @stride-th moves up. */
static void
pick_rows (const Rows *self, gint64 begin, gint64 stride, gint64 n)
{
  if (stride == 1)
    return;
  for (guint i = 0; i < acc_element_type_get_n_buffers (acc_chunk_get_element_type (self->chunk)); i++)
    {
      guint64 bytes = get_row_bytes (self, i);
      guint8 *data = (guint8 *) (guintptr) acc_chunk_get_address (self->chunk, i) + (guint64) begin * bytes;

      for (gint64 k = 1; k < n; k++)
        memmove (data + (guint64) k * bytes, data + (guint64) (k * stride) * bytes, bytes);
    }
}

static void
reverse_rows (const Rows *self, gint64 begin, gint64 n)
{
  for (guint i = 0; i < acc_element_type_get_n_buffers (acc_chunk_get_element_type (self->chunk)); i++)
    {
      guint8 *data = (guint8 *) (guintptr) acc_chunk_get_address (self->chunk, i);
      guint64 bytes = get_row_bytes (self, i);

      for (gint64 a = begin, b = begin + n - 1; a < b; a++, b--)
        for (guint64 at = 0; at < bytes; )
          {
            guint8 kept[4096];
            gsize size = MIN (bytes - at, sizeof kept);

            memcpy (kept, data + (guint64) a * bytes + at, size);
            memcpy (data + (guint64) a * bytes + at, data + (guint64) b * bytes + at, size);
            memcpy (data + (guint64) b * bytes + at, kept, size);
            at += size;
          }
    }
}

/* Whether rows between those that are wanted are better read than passed over. */
static gboolean
is_near (const Rows *self)
{
  guint64 bytes = 0;

  for (guint i = 0; i < acc_element_type_get_n_buffers (acc_chunk_get_element_type (self->chunk)); i++)
    bytes += get_row_bytes (self, i);

  return !acc_source_can_seek (self->source->base) || bytes <= NEAR_BYTES / (guint64) ABS (self->source->step);
}

guint64
acc_window_source_measure_read (AccWindowSource *self)
{
  AccSource *source = ACC_SOURCE (self);
  guint64 n_rows = (guint64) acc_shape_get_extent (acc_source_get_shape (source), 0), step = (guint64) ABS (self->step);
  guint64 row = (guint64) acc_shape_get_size (acc_source_get_shape (source)) / n_rows
                * acc_element_type_get_size (acc_source_get_element_type (source));

  if (!acc_source_can_seek (self->base))
    return ((guint64) self->first + (n_rows - 1) * step + 1) * row;

  return (n_rows - 1) * MIN (MAX (row, NEAR_BYTES), step * row) + row;
}

/* Row @done of the chunk, which is row @first of the base, and *@n - 1 more: in the memory of the chunk that is not filled there is room
 * for what lies between. */
static gboolean
read_some (const Rows *self, gint64 first, gint64 done, gboolean near, gint64 *n, GError **error)
{
  gint64 stride = ABS (self->source->step), span;

  *n = near || stride == 1 ? (self->n_rows - done - 1) / stride + 1 : 1;
  span = (*n - 1) * stride + 1;
  if (!move_to (self, self->source->step > 0 ? first : first - (span - 1), done, error) || !read_base (self, done, span, error))
    return FALSE;

  pick_rows (self, done, stride, *n);
  if (self->source->step < 0)
    reverse_rows (self, done, *n);

  return TRUE;
}

static gboolean
acc_window_source_read (AccSource *source, AccChunk *chunk, GCancellable *cancellable, GError **error)
{
  AccWindowSource *self = ACC_WINDOW_SOURCE (source);
  const Rows rows = { self, chunk, acc_chunk_get_n_rows (chunk), cancellable };
  gint64 first = self->first + acc_chunk_get_first_row (chunk) * self->step;
  gboolean near = is_near (&rows);

  for (gint64 done = 0, n; done < rows.n_rows; done += n)
    if (!read_some (&rows, first + done * self->step, done, near, &n, error))
      return FALSE;

  return TRUE;
}

static void
acc_window_source_finish (AccSource *source)
{
  acc_source_finish (ACC_WINDOW_SOURCE (source)->base);
}

static guint64
acc_window_source_get_resident_bytes (AccSource *source)
{
  return acc_source_get_resident_bytes (ACC_WINDOW_SOURCE (source)->base);
}

static char *
acc_window_source_dup_identity (AccSource *source, GError **error)
{
  return acc_source_dup_identity (ACC_WINDOW_SOURCE (source)->base, error);
}

/* Each read goes to where its rows are. */
static gboolean
seek (AccSource *source, gint64 row, GCancellable *cancellable, GError **error)
{
  return TRUE;
}

static void
acc_window_source_finalize (GObject *object)
{
  g_clear_object (&ACC_WINDOW_SOURCE (object)->base);

  G_OBJECT_CLASS (acc_window_source_parent_class)->finalize (object);
}

static void
acc_window_source_class_init (AccWindowSourceClass *klass)
{
  AccSourceClass *source_class = ACC_SOURCE_CLASS (klass);

  G_OBJECT_CLASS (klass)->finalize = acc_window_source_finalize;
  source_class->start = acc_window_source_start;
  source_class->read = acc_window_source_read;
  source_class->finish = acc_window_source_finish;
  source_class->get_resident_bytes = acc_window_source_get_resident_bytes;
  source_class->dup_identity = acc_window_source_dup_identity;
}

static void
acc_window_source_init (AccWindowSource *self)
{
}

AccSource *
acc_window_source_new (AccSource *base, gint64 first, gint64 step, gint64 n_rows)
{
  AccWindowSource *self = g_object_new (ACC_TYPE_WINDOW_SOURCE, "name", acc_source_get_name (base), NULL);
  guint rank;
  const gint64 *extents = acc_shape_get_extents (acc_source_get_shape (base), &rank);
  g_autofree gint64 *own = g_memdup2 (extents, rank * sizeof *extents);
  g_autoptr(AccShape) shape = NULL;

  if (ACC_IS_WINDOW_SOURCE (base))
    {
      AccWindowSource *other = ACC_WINDOW_SOURCE (base);

      first = other->first + first * other->step;
      step *= other->step;
      base = other->base;
    }
  own[0] = n_rows;
  shape = acc_shape_new (own, rank);
  self->base = g_object_ref (base);
  self->first = first;
  self->step = step;
  acc_source_set_layout (ACC_SOURCE (self), acc_source_get_element_type (base), shape);
  if (acc_source_can_seek (base))
    acc_source_set_seek (ACC_SOURCE (self), seek);

  return ACC_SOURCE (self);
}
