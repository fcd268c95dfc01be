/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "acc-byte-reader-private.h"

#include "acc-core/base/acc-error-private.h"
#include "acc-io-private.h"

#include <errno.h>
#include <fcntl.h>
#include <gio/gunixinputstream.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

/* Between requests of this size a cancellation is noticed. */
#define LARGEST_REQUEST (8 * 1024 * 1024)
/* The beginning of a file, which tells it from another one. */
#define IDENTITY_BYTES  (64 * 1024)

struct _AccByteReader
{
  char         *name;
  int           fd;         /* of a file that can seek; -1: read the stream */
  GInputStream *stream;
  gboolean      can_seek;
  gint64        base;       /* where the stream was when we got it */
  gint64        size;

  guint64       position;   /* of the next byte for the caller */
  guint8       *buffer;
  gsize         begin, end; /* buffered, not yet taken */
};

static AccByteReader *
reader_new (char *name)
{
  AccByteReader *self = g_new0 (AccByteReader, 1);

  self->name = name;
  self->fd = -1;
  self->size = -1;

  return self;
}

void
acc_byte_reader_free (AccByteReader *self)
{
  if (self == NULL)
    return;

  if (self->fd >= 0)
    close (self->fd);
  g_clear_object (&self->stream);
  g_free (self->buffer);
  g_free (self->name);
  g_free (self);
}

static AccByteReader *
open_path (const char *path, char *name, GError **error)
{
  AccByteReader *self = reader_new (name);
  struct stat info;

  do
    self->fd = open (path, O_RDONLY | O_CLOEXEC);
  while (self->fd < 0 && errno == EINTR);

  if (self->fd < 0 || fstat (self->fd, &info) < 0)
    {
      acc_error_set_errno (error, "opening", name, errno);
      acc_byte_reader_free (self);
      return NULL;
    }

  if (S_ISDIR (info.st_mode))
    {
      acc_error_set_errno (error, "opening", name, EISDIR);
      acc_byte_reader_free (self);
      return NULL;
    }

  if (S_ISREG (info.st_mode) || lseek (self->fd, 0, SEEK_CUR) >= 0)
    {
      self->can_seek = TRUE;
      self->size = S_ISREG (info.st_mode) ? info.st_size : -1;
      posix_fadvise (self->fd, 0, 0, POSIX_FADV_SEQUENTIAL);
    }
  else
    {
      self->stream = g_unix_input_stream_new (self->fd, TRUE);
      self->fd = -1;
    }

  return self;
}

AccByteReader *
acc_byte_reader_new_for_file (GFile *file, GCancellable *cancellable, GError **error)
{
  const char *path = g_file_peek_path (file);
  g_autofree char *name = acc_io_name_file (file);
  g_autoptr(GFileInputStream) stream = NULL;
  AccByteReader *self;

  if (g_cancellable_set_error_if_cancelled (cancellable, error))
    return NULL;

  if (path != NULL)
    return open_path (path, g_steal_pointer (&name), error);

  stream = g_file_read (file, cancellable, error);
  if (stream == NULL)
    {
      acc_io_wrap_error (error, name);
      return NULL;
    }

  self = acc_byte_reader_new_for_stream (G_INPUT_STREAM (stream));
  g_free (self->name);
  self->name = g_steal_pointer (&name);

  return self;
}

AccByteReader *
acc_byte_reader_new_for_stream (GInputStream *stream)
{
  AccByteReader *self = reader_new (g_strdup ("stream"));

  self->stream = g_object_ref (stream);
  if (G_IS_SEEKABLE (stream) && g_seekable_can_seek (G_SEEKABLE (stream)))
    {
      self->can_seek = TRUE;
      self->base = g_seekable_tell (G_SEEKABLE (stream));
      if (g_seekable_seek (G_SEEKABLE (stream), 0, G_SEEK_END, NULL, NULL))
        {
          self->size = g_seekable_tell (G_SEEKABLE (stream)) - self->base;
          self->can_seek = g_seekable_seek (G_SEEKABLE (stream), self->base, G_SEEK_SET, NULL, NULL);
        }
    }

  return self;
}

const char *
acc_byte_reader_get_name (AccByteReader *self)
{
  return self->name;
}

gboolean
acc_byte_reader_can_seek (AccByteReader *self)
{
  return self->can_seek;
}

char *
acc_byte_reader_dup_identity (AccByteReader *self, GError **error)
{
  g_autofree guint8 *begin = g_malloc (IDENTITY_BYTES);
  g_autofree char *checksum = NULL;
  struct stat info;
  gssize n;

  if (self->fd < 0)
    return NULL;

  n = fstat (self->fd, &info) == 0 ? pread (self->fd, begin, IDENTITY_BYTES, 0) : -1;
  if (n < 0)
    {
      acc_error_set_errno (error, "reading", self->name, errno);
      return NULL;
    }
  checksum = g_compute_checksum_for_data (G_CHECKSUM_SHA256, begin, (gsize) n);

  return g_strdup_printf ("%" G_GINT64_FORMAT " bytes, changed at %" G_GINT64_FORMAT ".%09ld, %s", (gint64) info.st_size,
                          (gint64) info.st_mtim.tv_sec, (long) info.st_mtim.tv_nsec, checksum);
}

gint64
acc_byte_reader_get_size (AccByteReader *self)
{
  return self->size;
}

/* One request, past the buffer; 0 at the end. */
static gssize
read_some (AccByteReader *self, guint64 position, gpointer data, gsize size, GCancellable *cancellable, GError **error)
{
  gssize n;

  size = MIN (size, LARGEST_REQUEST);
  if (self->fd < 0)
    {
      n = g_input_stream_read (self->stream, data, size, cancellable, error);
      if (n < 0)
        acc_io_wrap_error (error, self->name);
      return n;
    }

  if (g_cancellable_set_error_if_cancelled (cancellable, error))
    return -1;

  do
    n = pread (self->fd, data, size, (off_t) position);
  while (n < 0 && errno == EINTR);

  if (n < 0)
    acc_error_set_errno (error, "reading", self->name, errno);

  return n;
}

static gssize
fill_buffer (AccByteReader *self, GCancellable *cancellable, GError **error)
{
  gssize n;

  if (self->buffer == NULL)
    self->buffer = g_malloc (ACC_BYTE_READER_BUFFER);

  if (self->begin == self->end)
    self->begin = self->end = 0;

  n = read_some (self, self->position + (self->end - self->begin), self->buffer + self->end,
                 ACC_BYTE_READER_BUFFER - self->end, cancellable, error);
  if (n > 0)
    self->end += n;

  return n;
}

gboolean
acc_byte_reader_peek (AccByteReader  *self,
                      gpointer        data,
                      gsize           size,
                      gsize          *n_read,
                      GCancellable   *cancellable,
                      GError        **error)
{
  g_assert (size <= ACC_BYTE_READER_BUFFER / 2 && self->begin < ACC_BYTE_READER_BUFFER / 2);

  while (self->end - self->begin < size)
    {
      gssize n = fill_buffer (self, cancellable, error);

      if (n < 0)
        return FALSE;
      if (n == 0)
        break;
    }

  *n_read = MIN (size, self->end - self->begin);
  memcpy (data, self->buffer + self->begin, *n_read);

  return TRUE;
}

static gsize
take_buffered (AccByteReader *self, gpointer data, gsize size)
{
  gsize n = MIN (size, self->end - self->begin);

  if (n > 0 && data != NULL)
    memcpy (data, self->buffer + self->begin, n);
  self->begin += n;
  self->position += n;

  return n;
}

gboolean
acc_byte_reader_read (AccByteReader  *self,
                      gpointer        data,
                      gsize           size,
                      gsize          *n_read,
                      GCancellable   *cancellable,
                      GError        **error)
{
  guint8 *bytes = data;
  gsize done = take_buffered (self, bytes, size);

  while (done < size)
    {
      gssize n;

      if (size - done >= ACC_BYTE_READER_BUFFER)
        {
          n = read_some (self, self->position, bytes + done, size - done, cancellable, error);
          if (n > 0)
            {
              self->position += n;
              done += n;
            }
        }
      else
        {
          n = fill_buffer (self, cancellable, error);
          if (n > 0)
            done += take_buffered (self, bytes + done, size - done);
        }

      if (n < 0)
        return FALSE;
      if (n == 0)
        break;
    }

  *n_read = done;

  return TRUE;
}

gboolean
acc_byte_reader_is_ready (AccByteReader *self)
{
  return self->begin < self->end || self->fd >= 0 || !G_IS_POLLABLE_INPUT_STREAM (self->stream)
         || !g_pollable_input_stream_can_poll (G_POLLABLE_INPUT_STREAM (self->stream))
         || g_pollable_input_stream_is_readable (G_POLLABLE_INPUT_STREAM (self->stream));
}

gboolean
acc_byte_reader_read_ready (AccByteReader  *self,
                            gpointer        data,
                            gsize           size,
                            gsize          *n_read,
                            GCancellable   *cancellable,
                            GError        **error)
{
  guint8 *bytes = data;

  *n_read = take_buffered (self, bytes, size);
  while (*n_read < size && (*n_read == 0 || acc_byte_reader_is_ready (self)))
    {
      gssize n = read_some (self, self->position, bytes + *n_read, size - *n_read, cancellable, error);

      if (n < 0)
        return FALSE;
      if (n == 0)
        break;

      self->position += n;
      *n_read += n;
    }

  return TRUE;
}

static gboolean
skip_to (AccByteReader *self, guint64 position, GCancellable *cancellable, GError **error)
{
  while (self->position < position)
    {
      if (take_buffered (self, NULL, MIN (position - self->position, G_MAXSSIZE)) > 0)
        continue;

      switch (fill_buffer (self, cancellable, error))
        {
        case -1:
          return FALSE;
        case 0:
          g_set_error (error, ACC_ERROR, ACC_ERROR_IO, "%s ends at byte %" G_GUINT64_FORMAT,
                       self->name, self->position);
          return FALSE;
        default:
          break;
        }
    }

  return TRUE;
}

gboolean
acc_byte_reader_seek (AccByteReader *self, guint64 position, GCancellable *cancellable, GError **error)
{
  guint64 buffered = self->position + (self->end - self->begin);

  if (position >= self->position && position <= buffered)
    {
      take_buffered (self, NULL, position - self->position);
      return TRUE;
    }

  if (!self->can_seek)
    {
      if (position > self->position)
        return skip_to (self, position, cancellable, error);

      g_set_error (error, ACC_ERROR, ACC_ERROR_STREAM, "%s cannot seek: it can be read once", self->name);
      return FALSE;
    }

  if (self->fd < 0)
    {
      if (position > (guint64) (G_MAXINT64 - self->base)
          || !g_seekable_seek (G_SEEKABLE (self->stream), self->base + (gint64) position, G_SEEK_SET, cancellable, error))
        {
          if (error != NULL && *error == NULL)
            g_set_error (error, ACC_ERROR, ACC_ERROR_IO, "%s: position too large", self->name);
          acc_io_wrap_error (error, self->name);
          return FALSE;
        }
    }

  self->position = position;
  self->begin = self->end = 0;

  return TRUE;
}

void
acc_byte_reader_rest (AccByteReader *self)
{
  if (self->can_seek && self->fd >= 0)
    self->begin = self->end = 0;
  if (self->begin == self->end)
    {
      self->begin = self->end = 0;
      g_clear_pointer (&self->buffer, g_free);
    }
}
