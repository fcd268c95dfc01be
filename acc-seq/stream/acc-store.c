/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "acc-store-private.h"

#include "acc-core/array/acc-array-private.h"
#include "acc-core/data/acc-chunk-private.h"
#include "acc-core/data/acc-sink-private.h"
#include "acc-core/data/acc-source-private.h"
#include "acc-core/backend/acc-backend-temporary-private.h"
#include "acc-error.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

/* What is written at once, by readers of sources too, and handed to the disk then. */
#define SPAN      (8 * 1024 * 1024)
#define ALIGNMENT (64 * 1024)
/* What the kernel reads for one piece of advice at most is some hundred KiB, on most disks. */
#define ADVICE    (512 * 1024)

struct _AccStore
{
  gatomicrefcount ref_count;
  AccBudget      *budget;     /* nullable */
  char           *what;
  AccElementType *type;
  AccShape       *shape;
  int             fd;         /* -1: there are no bytes */
  guint64         size;
  gboolean        grows;      /* space is taken as elements come: the file has holes */
  guint64         reserved;   /* bytes of the budget */
  guint8         *data;       /* the file in memory, once it is read */
  guint           n_buffers;
  guint64        *offsets;    /* of buffers in the file */
  guint64         flushed;    /* bytes of each buffer that were handed to the disk */
  guint64         dropped;    /* bytes of each buffer that left the page cache */
};

/* --- the file */

static int
open_nameless (const char *folder)
{
  g_autofree char *name = NULL;
  int fd = open (folder, O_TMPFILE | O_RDWR | O_CLOEXEC | O_EXCL, 0600);

  if (fd >= 0 || (errno != EOPNOTSUPP && errno != EISDIR && errno != EINVAL))
    return fd;

  name = g_build_filename (folder, ".acc-store-XXXXXX", NULL);
  fd = g_mkstemp_full (name, O_RDWR | O_CLOEXEC, 0600);
  if (fd >= 0)
    unlink (name);

  return fd;
}

static gboolean
make_file (AccStore *self, const char *folder, GError **error)
{
  int failed;

  if (self->size > G_MAXINT64)
    failed = EFBIG;
  else if ((self->fd = open_nameless (folder)) < 0)
    failed = errno;
  else if (self->grows)
    failed = ftruncate (self->fd, (off_t) self->size) < 0 ? errno : 0;
  else
    do
      failed = posix_fallocate (self->fd, 0, (off_t) self->size);
    while (failed == EINTR);

  if (failed != 0)
    {
      g_autofree char *shown = g_filename_display_name (folder);

      g_set_error (error, ACC_ERROR, ACC_ERROR_IO, "%s: a temporary file of %" G_GUINT64_FORMAT " bytes in “%s” (ACC_TMPDIR): %s",
                   self->what, self->size, shown, g_strerror (failed));
    }

  return failed == 0;
}

static guint64
get_buffer_size (AccStore *self, guint buffer)
{
  return (guint64) acc_shape_get_size (self->shape) * acc_element_type_get_buffer_size (self->type, buffer);
}

/* FALSE where it is more than can be counted. */
static gboolean
place_buffers (AccStore *self)
{
  gint64 elements = acc_shape_get_size (self->shape);
  guint64 most = (guint64) G_MAXINT64 / (self->n_buffers + 1);

  for (guint i = 0; i < self->n_buffers; i++)
    {
      gsize width = acc_element_type_get_buffer_size (self->type, i);

      if (elements == G_MAXINT64 || (width > 0 && (guint64) elements > (most - ALIGNMENT) / width))
        return FALSE;
      self->offsets[i] = self->size;
      self->size += (get_buffer_size (self, i) + ALIGNMENT - 1) / ALIGNMENT * ALIGNMENT;
    }

  return TRUE;
}

static gboolean
reserve (AccStore *self, guint64 bytes, GError **error)
{
  if (bytes <= self->reserved)
    return TRUE;
  if (!acc_budget_reserve (self->budget, bytes - self->reserved, self->what, error))
    return FALSE;
  self->reserved = bytes;

  return TRUE;
}

static AccStore *
new_store (AccBackend *backend, AccElementType *type, AccShape *shape, gboolean grows, const char *what, GError **error)
{
  g_autoptr(AccStore) self = g_new0 (AccStore, 1);
  g_autofree char *folder = acc_backend_dup_temporary_folder (backend);

  g_atomic_ref_count_init (&self->ref_count);
  self->budget = acc_budget_ref (acc_backend_get_temporary_budget (backend));
  self->grows = grows;
  self->what = g_strdup (what);
  self->type = type;
  self->shape = acc_shape_ref (shape);
  self->fd = -1;
  self->n_buffers = acc_element_type_get_n_buffers (type);
  self->offsets = g_new0 (guint64, self->n_buffers + 1);

  if (!place_buffers (self))
    {
      g_set_error (error, ACC_ERROR, ACC_ERROR_OUT_OF_MEMORY, "%s: more than a file can hold", what);
      return NULL;
    }
  if (self->size == 0)
    return g_steal_pointer (&self);

  if (!grows && !reserve (self, self->size, error))
    return NULL;

  return make_file (self, folder, error) ? g_steal_pointer (&self) : NULL;
}

AccStore *
acc_store_new (AccBackend *backend, AccElementType *type, AccShape *shape, const char *what, GError **error)
{
  return new_store (backend, type, shape, FALSE, what, error);
}

AccStore *
acc_store_new_growing (AccBackend *backend, AccElementType *type, gint64 most, const char *what, GError **error)
{
  g_autoptr(AccShape) shape = acc_shape_new_vector (most);

  return new_store (backend, type, shape, TRUE, what, error);
}

static AccStore *
ref_store (AccStore *self)
{
  g_atomic_ref_count_inc (&self->ref_count);

  return self;
}

void
acc_store_unref (AccStore *self)
{
  if (!g_atomic_ref_count_dec (&self->ref_count))
    return;

  if (self->data != NULL)
    munmap (self->data, self->size);
  if (self->fd >= 0)
    close (self->fd);
  acc_budget_release (self->budget, self->reserved, self->what);
  acc_budget_unref (self->budget);
  acc_shape_unref (self->shape);
  g_free (self->offsets);
  g_free (self->what);
  g_free (self);
}

/* --- writing */

/* Rows up to @n_elements are there. What was handed to the disk before is there by now; it leaves the page cache. */
static void
flush_behind (AccStore *self, guint64 n_elements, gboolean all)
{
  guint64 end = 0, begin = self->flushed, before = self->dropped;

  for (guint i = 0; i < self->n_buffers; i++)
    end = MAX (end, n_elements * acc_element_type_get_buffer_size (self->type, i));
  if (self->fd < 0 || (!all && end < begin + SPAN))
    return;

  for (guint i = 0; i < self->n_buffers; i++)
    {
      off_t at = (off_t) (self->offsets[i] + MIN (begin, get_buffer_size (self, i)));
      guint64 last = MIN (begin, get_buffer_size (self, i));

      sync_file_range (self->fd, at, (off_t) (end - begin), SYNC_FILE_RANGE_WRITE);
      if (last > before)
        {
          sync_file_range (self->fd, (off_t) (self->offsets[i] + before), (off_t) (last - before),
                           SYNC_FILE_RANGE_WAIT_BEFORE | SYNC_FILE_RANGE_WRITE | SYNC_FILE_RANGE_WAIT_AFTER);
          posix_fadvise (self->fd, (off_t) (self->offsets[i] + before), (off_t) (last - before), POSIX_FADV_DONTNEED);
        }
    }
  self->dropped = begin;
  self->flushed = end;
}

static gboolean
write_bytes (AccStore *self, const guint8 *data, guint64 size, guint64 offset, GError **error)
{
  while (size > 0)
    {
      gssize n = pwrite (self->fd, data, MIN (size, (guint64) 1 << 30), (off_t) offset);

      if (n < 0 && errno == EINTR)
        continue;
      if (n <= 0)
        {
          int failed = n < 0 ? errno : ENOSPC;

          g_set_error (error, ACC_ERROR, ACC_ERROR_IO, "%s: writing a temporary file of %" G_GUINT64_FORMAT " bytes: %s", self->what,
                       self->size, g_strerror (failed));
          return FALSE;
        }
      data += n;
      size -= (guint64) n;
      offset += (guint64) n;
    }

  return TRUE;
}

/* What elements up to @end take at most, and a page for each buffer. */
static guint64
measure_elements (AccStore *self, guint64 end)
{
  guint64 bytes = 0;

  for (guint i = 0; i < self->n_buffers; i++)
    bytes += (end * acc_element_type_get_buffer_size (self->type, i) + 4095) / 4096 * 4096;

  return bytes;
}

gboolean
acc_store_write (AccStore *self, gint64 first, gint64 n, gpointer *addresses, GError **error)
{
  if (self->grows && !reserve (self, measure_elements (self, (guint64) (first + n)), error))
    return FALSE;

  for (guint i = 0; i < self->n_buffers; i++)
    {
      guint64 width = acc_element_type_get_buffer_size (self->type, i);

      if (!write_bytes (self, addresses[i], (guint64) n * width, self->offsets[i] + (guint64) first * width, error))
        return FALSE;
    }
  flush_behind (self, (guint64) (first + n), FALSE);

  return TRUE;
}

/* Where element @at is. */
static gpointer *
find_addresses (AccStore *self, AccBuffer **buffers, gint64 at)
{
  gpointer *addresses = g_new (gpointer, self->n_buffers + 1);

  for (guint i = 0; i < self->n_buffers; i++)
    addresses[i] = (guint8 *) buffers[i]->data + (gsize) at * acc_element_type_get_buffer_size (self->type, i);

  return addresses;
}

gboolean
acc_store_write_from (AccStore *self, gint64 first, gint64 n, AccBuffer **from, gint64 at, GError **error)
{
  g_autofree gpointer *addresses = find_addresses (self, from, at);

  return acc_store_write (self, first, n, addresses, error);
}

/* --- a sink */

#define ACC_TYPE_STORE_SINK (acc_store_sink_get_type ())
G_DECLARE_FINAL_TYPE (AccStoreSink, acc_store_sink, ACC, STORE_SINK, AccSink)

struct _AccStoreSink
{
  AccSink   parent_instance;

  AccStore *store;
  gint64    n_elements;
};

G_DEFINE_FINAL_TYPE (AccStoreSink, acc_store_sink, ACC_TYPE_SINK)

static gboolean
acc_store_sink_start (AccSink *sink, AccElementType *type, AccShape *shape, GCancellable *cancellable, GError **error)
{
  AccStore *store = ACC_STORE_SINK (sink)->store;

  if (type == store->type && acc_shape_equal (shape, store->shape))
    return TRUE;

  g_set_error (error, ACC_ERROR, ACC_ERROR_SHAPE, "%s: what is stored has another layout than was expected", store->what);

  return FALSE;
}

static gboolean
acc_store_sink_start_growing (AccSink *sink, AccElementType *type, AccShape *row_shape, GCancellable *cancellable, GError **error)
{
  AccStore *store = ACC_STORE_SINK (sink)->store;

  ACC_STORE_SINK (sink)->n_elements = 0;
  if (type == store->type && acc_shape_get_rank (row_shape) == 0)
    return TRUE;

  g_set_error (error, ACC_ERROR, ACC_ERROR_SHAPE, "%s: what is stored has another layout than was expected", store->what);

  return FALSE;
}

static gboolean
acc_store_sink_can_grow (AccSink *sink)
{
  return ACC_STORE_SINK (sink)->store->grows;
}

static gboolean
acc_store_sink_write (AccSink *sink, AccChunk *chunk, GCancellable *cancellable, GError **error)
{
  AccStore *store = ACC_STORE_SINK (sink)->store;
  guint64 row_elements = (guint64) acc_chunk_get_row_elements (chunk), first = (guint64) acc_chunk_get_first_row (chunk) * row_elements;
  g_autofree gpointer *addresses = g_new0 (gpointer, store->n_buffers + 1);

  for (guint i = 0; i < store->n_buffers; i++)
    addresses[i] = (gpointer) (guintptr) acc_chunk_get_address (chunk, i);
  ACC_STORE_SINK (sink)->n_elements += acc_chunk_get_n_rows (chunk) * (gint64) row_elements;

  return acc_store_write (store, (gint64) first, acc_chunk_get_n_rows (chunk) * (gint64) row_elements, addresses, error);
}

static gboolean
acc_store_sink_commit (AccSink *sink, GCancellable *cancellable, GError **error)
{
  AccStore *store = ACC_STORE_SINK (sink)->store;

  if (store->grows)
    acc_store_close (store, ACC_STORE_SINK (sink)->n_elements);
  else
    flush_behind (store, (guint64) acc_shape_get_size (store->shape), TRUE);

  return TRUE;
}

static void
acc_store_sink_finalize (GObject *object)
{
  g_clear_pointer (&ACC_STORE_SINK (object)->store, acc_store_unref);

  G_OBJECT_CLASS (acc_store_sink_parent_class)->finalize (object);
}

static void
acc_store_sink_class_init (AccStoreSinkClass *klass)
{
  G_OBJECT_CLASS (klass)->finalize = acc_store_sink_finalize;
  ACC_SINK_CLASS (klass)->start = acc_store_sink_start;
  ACC_SINK_CLASS (klass)->start_growing = acc_store_sink_start_growing;
  ACC_SINK_CLASS (klass)->can_grow = acc_store_sink_can_grow;
  ACC_SINK_CLASS (klass)->write = acc_store_sink_write;
  ACC_SINK_CLASS (klass)->commit = acc_store_sink_commit;
}

static void
acc_store_sink_init (AccStoreSink *self)
{
  acc_sink_set_takes_elements (ACC_SINK (self));
}

AccSink *
acc_store_new_sink (AccStore *self)
{
  AccStoreSink *sink = g_object_new (ACC_TYPE_STORE_SINK, "name", "temporary file", NULL);

  sink->store = ref_store (self);

  return ACC_SINK (sink);
}

/* --- reading */

static gboolean
read_bytes (AccStore *self, guint8 *data, guint64 size, guint64 offset, GError **error)
{
  guint64 at = offset, left = size;

  while (left > 0)
    {
      gssize n = pread (self->fd, data, MIN (left, (guint64) 1 << 30), (off_t) at);

      if (n < 0 && errno == EINTR)
        continue;
      if (n <= 0)
        {
          g_set_error (error, ACC_ERROR, ACC_ERROR_IO, "%s: reading a temporary file of %" G_GUINT64_FORMAT " bytes: %s", self->what,
                       self->size, n < 0 ? g_strerror (errno) : "it ends too early");
          return FALSE;
        }
      data += n;
      left -= (guint64) n;
      at += (guint64) n;
    }
  posix_fadvise (self->fd, (off_t) offset, (off_t) size, POSIX_FADV_DONTNEED);

  return TRUE;
}

gboolean
acc_store_read (AccStore *self, gint64 first, gint64 n, gpointer *addresses, GError **error)
{
  for (guint i = 0; i < self->n_buffers; i++)
    {
      guint64 width = acc_element_type_get_buffer_size (self->type, i);

      if (!read_bytes (self, addresses[i], (guint64) n * width, self->offsets[i] + (guint64) first * width, error))
        return FALSE;
    }

  return TRUE;
}

gboolean
acc_store_read_to (AccStore *self, gint64 first, gint64 n, AccBuffer **to, gint64 at, GError **error)
{
  g_autofree gpointer *addresses = find_addresses (self, to, at);

  return acc_store_read (self, first, n, addresses, error);
}

void
acc_store_expect (AccStore *self, gint64 first, gint64 n)
{
  for (guint i = 0; i < self->n_buffers && self->fd >= 0; i++)
    {
      guint64 width = acc_element_type_get_buffer_size (self->type, i), at = self->offsets[i] + (guint64) first * width,
        end = at + (guint64) n * width;

      for (; at < end; at += ADVICE)
        posix_fadvise (self->fd, (off_t) at, (off_t) MIN (end - at, ADVICE), POSIX_FADV_WILLNEED);
    }
}

void
acc_store_close (AccStore *self, gint64 n_elements)
{
  acc_shape_unref (self->shape);
  self->shape = acc_shape_new_vector (n_elements);
  flush_behind (self, (guint64) n_elements, TRUE);
}

static gboolean
map_file (AccStore *self, GError **error)
{
  gpointer data;

  if (self->data != NULL || self->size == 0)
    return TRUE;

  data = mmap (NULL, self->size, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_NORESERVE, self->fd, 0);
  if (data == MAP_FAILED)
    {
      g_set_error (error, ACC_ERROR, ACC_ERROR_IO, "%s: mapping a temporary file of %" G_GUINT64_FORMAT " bytes: %s", self->what,
                   self->size, g_strerror (errno));
      return FALSE;
    }
  self->data = data;

  return TRUE;
}

AccArray *
acc_store_dup_array (AccStore *self, GError **error)
{
  g_autofree AccBuffer **buffers = g_new0 (AccBuffer *, self->n_buffers + 1);

  if (!map_file (self, error))
    return NULL;

  for (guint i = 0; i < self->n_buffers; i++)
    buffers[i] = acc_buffer_new (self->data != NULL ? self->data + self->offsets[i] : NULL, (gsize) get_buffer_size (self, i),
                                 (GDestroyNotify) acc_store_unref, ref_store (self));

  return acc_array_new_manifest (self->type, self->shape, buffers);
}

gboolean
acc_store_holds (AccArray *array)
{
  AccBuffer **buffers = acc_array_is_manifest (array) ? acc_array_get_buffers (array) : NULL;

  return buffers != NULL && buffers[0] != NULL && buffers[0]->notify == (GDestroyNotify) acc_store_unref;
}

/* --- sources */

static void
flush_store (gpointer store, guint64 n_elements)
{
  flush_behind (store, n_elements, FALSE);
}

/* Reads all rows to @addresses. Calls @tell with the elements that are there now; may be NULL. */
static gboolean
read_rows (AccSource *source, guint8 **addresses, void (*tell) (gpointer data, guint64 n_elements), gpointer data,
           GCancellable *cancellable, GError **error)
{
  AccElementType *type = acc_source_get_element_type (source);
  guint rank, n_buffers = acc_element_type_get_n_buffers (type);
  const gint64 *extents = acc_shape_get_extents (acc_source_get_shape (source), &rank);
  gint64 n_rows = rank > 0 ? MAX (extents[0], 0) : 1, row_elements = 1, band;
  g_autofree gpointer *to = g_new0 (gpointer, n_buffers + 1);
  gboolean fine = TRUE;

  for (guint d = 1; d < rank; d++)
    row_elements *= MAX (extents[d], 0);
  band = CLAMP ((gint64) (SPAN / MAX ((guint64) row_elements * acc_element_type_get_size (type), 1)), 1, MAX (n_rows, 1));
  if (acc_source_comes_whole (source))
    band = MAX (n_rows, 1);

  if (!acc_source_start (source, cancellable, error))
    return FALSE;

  for (gint64 row = 0; row < n_rows && fine; row += band)
    {
      AccChunk *chunk;

      for (guint i = 0; i < n_buffers; i++)
        to[i] = addresses[i] + (gsize) (row * row_elements) * acc_element_type_get_buffer_size (type, i);
      chunk = acc_chunk_new (type, row, MIN (band, n_rows - row), row_elements, to);
      fine = acc_source_read (source, chunk, cancellable, error);
      acc_chunk_invalidate (chunk);
      acc_chunk_unref (chunk);
      if (fine && tell != NULL)
        tell (data, (guint64) (MIN (row + band, n_rows) * row_elements));
    }
  acc_source_finish (source);

  return fine;
}

gboolean
acc_store_fill (AccStore *self, AccSource *source, GCancellable *cancellable, GError **error)
{
  g_autofree guint8 **addresses = g_new0 (guint8 *, self->n_buffers + 1);

  if (!map_file (self, error))
    return FALSE;

  for (guint i = 0; i < self->n_buffers && self->data != NULL; i++)
    addresses[i] = self->data + self->offsets[i];

  return read_rows (source, addresses, flush_store, self, cancellable, error);
}

AccArray *
acc_store_read_source (AccBackend *backend, AccSource *source, GCancellable *cancellable, GError **error)
{
  AccElementType *type = acc_source_get_element_type (source);
  guint n_buffers = acc_element_type_get_n_buffers (type);
  g_autoptr(AccArray) rows = acc_array_new_from_rows (source);
  g_autofree guint8 **addresses = g_new0 (guint8 *, n_buffers + 1);
  g_autofree char *what = g_strdup_printf ("source “%s”", acc_source_get_name (source));
  g_autofree AccBuffer **buffers = acc_buffers_allocate (type, acc_shape_get_size (rows->shape), acc_backend_get_host_budget (backend),
                                                         what, error);

  for (guint i = 0; buffers != NULL && i < n_buffers; i++)
    addresses[i] = buffers[i]->data;
  if (buffers == NULL || !read_rows (source, addresses, NULL, NULL, cancellable, error))
    {
      acc_buffers_free (g_steal_pointer (&buffers));
      return NULL;
    }

  return acc_array_new_manifest (type, rows->shape, buffers);
}
