/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "acc-byte-writer-private.h"

#include "acc-error.h"
#include "acc-io-private.h"
#include "acc-core/base/acc-temporary-private.h"

#include <errno.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

/* Between requests of this size a cancellation is noticed. */
#define LARGEST_REQUEST (8 * 1024 * 1024)

struct _AccByteWriter
{
  char          *name;
  GFile         *file;
  GOutputStream *stream;
  gboolean       given;      /* the stream is the caller's */
  gboolean       used;
  goffset        begin;      /* of what is written, in a stream that can seek */
  AccTemporary  *temporary;  /* of a local file while it is open */

  guint8        *buffer;
  gsize          filled;
};

AccByteWriter *
acc_byte_writer_new_for_file (GFile *file)
{
  AccByteWriter *self = g_new0 (AccByteWriter, 1);

  self->name = acc_io_name_file (file);
  self->file = g_object_ref (file);

  return self;
}

AccByteWriter *
acc_byte_writer_new_for_stream (GOutputStream *stream)
{
  AccByteWriter *self = g_new0 (AccByteWriter, 1);

  self->name = g_strdup ("stream");
  self->stream = g_object_ref (stream);
  self->given = TRUE;

  return self;
}

void
acc_byte_writer_free (AccByteWriter *self)
{
  if (self == NULL)
    return;

  acc_byte_writer_abort (self);
  g_clear_object (&self->stream);
  g_clear_object (&self->file);
  g_free (self->name);
  g_free (self);
}

const char *
acc_byte_writer_get_name (AccByteWriter *self)
{
  return self->name;
}

GFile *
acc_byte_writer_get_file (AccByteWriter *self)
{
  return self->file;
}

GOutputStream *
acc_byte_writer_get_stream (AccByteWriter *self)
{
  return self->given ? self->stream : NULL;
}

gboolean
acc_byte_writer_can_rewrite (AccByteWriter *self)
{
  const char *path = self->file != NULL ? g_file_peek_path (self->file) : NULL;
  struct stat info;

  if (self->given)
    return G_IS_SEEKABLE (self->stream) && g_seekable_can_seek (G_SEEKABLE (self->stream));

  return path != NULL && (stat (path, &info) < 0 ? errno == ENOENT : S_ISREG (info.st_mode));
}

gboolean
acc_byte_writer_open (AccByteWriter *self, GCancellable *cancellable, GError **error)
{
  const char *path = self->file != NULL ? g_file_peek_path (self->file) : NULL;

  if (self->given)
    {
      if (self->used)
        {
          g_set_error (error, ACC_ERROR, ACC_ERROR_STREAM, "%s can be written once", self->name);
          return FALSE;
        }
      self->used = TRUE;
      self->begin = acc_byte_writer_can_rewrite (self) ? g_seekable_tell (G_SEEKABLE (self->stream)) : 0;
    }
  else if (path != NULL)
    {
      self->temporary = acc_temporary_new (path, self->name, error);
      if (self->temporary == NULL)
        return FALSE;
    }
  else
    {
      self->stream = G_OUTPUT_STREAM (g_file_replace (self->file, NULL, FALSE, G_FILE_CREATE_NONE, cancellable, error));
      if (self->stream == NULL)
        {
          acc_io_wrap_error (error, self->name);
          return FALSE;
        }
    }

  self->buffer = g_malloc (ACC_BYTE_WRITER_BUFFER);
  self->filled = 0;

  return TRUE;
}

static gboolean
write_through (AccByteWriter *self, const guint8 *data, gsize size, GCancellable *cancellable, GError **error)
{
  while (size > 0)
    {
      gsize request = MIN (size, LARGEST_REQUEST);
      gssize n;

      if (self->temporary != NULL)
        n = !g_cancellable_set_error_if_cancelled (cancellable, error)
            && acc_temporary_write (self->temporary, data, request, error) ? (gssize) request : -1;
      else
        n = g_output_stream_write (self->stream, data, request, cancellable, error);

      if (n < 0)
        {
          acc_io_wrap_error (error, self->name);
          return FALSE;
        }

      data += n;
      size -= n;
    }

  return TRUE;
}

static gboolean
flush_buffer (AccByteWriter *self, GCancellable *cancellable, GError **error)
{
  gsize filled = self->filled;

  self->filled = 0;

  return write_through (self, self->buffer, filled, cancellable, error);
}

gboolean
acc_byte_writer_write (AccByteWriter  *self,
                       gconstpointer   data,
                       gsize           size,
                       GCancellable   *cancellable,
                       GError        **error)
{
  if (size == 0)
    return TRUE;

  if (size > ACC_BYTE_WRITER_BUFFER - self->filled && !flush_buffer (self, cancellable, error))
    return FALSE;

  if (size >= ACC_BYTE_WRITER_BUFFER)
    return write_through (self, data, size, cancellable, error);

  memcpy (self->buffer + self->filled, data, size);
  self->filled += size;

  return TRUE;
}

gboolean
acc_byte_writer_rewrite (AccByteWriter *self, gconstpointer data, gsize size, GCancellable *cancellable, GError **error)
{
  GSeekable *seekable;
  goffset end;
  gboolean done;

  if (!flush_buffer (self, cancellable, error))
    return FALSE;
  if (self->temporary != NULL)
    return acc_temporary_rewrite (self->temporary, data, size, error);

  seekable = G_SEEKABLE (self->stream);
  end = g_seekable_tell (seekable);
  done = g_seekable_seek (seekable, self->begin, G_SEEK_SET, cancellable, error)
         && g_output_stream_write_all (self->stream, data, size, NULL, cancellable, error)
         && g_seekable_seek (seekable, end, G_SEEK_SET, cancellable, error);
  if (!done)
    acc_io_wrap_error (error, self->name);

  return done;
}

gboolean
acc_byte_writer_adopt (AccByteWriter *self, const char *path, GError **error)
{
  const char *place = self->file != NULL ? g_file_peek_path (self->file) : NULL;
  g_autoptr(AccTemporary) temporary = place != NULL ? acc_temporary_new (place, self->name, error) : NULL;

  return temporary != NULL && acc_temporary_take (temporary, path, error);
}

gboolean
acc_byte_writer_complete (AccByteWriter *self, GCancellable *cancellable, GError **error)
{
  return flush_buffer (self, cancellable, error) && (self->temporary == NULL || acc_temporary_sync (self->temporary, error));
}

gboolean
acc_byte_writer_commit (AccByteWriter *self, GCancellable *cancellable, GError **error)
{
  if (!flush_buffer (self, cancellable, error))
    return FALSE;

  if (self->temporary != NULL)
    {
      if (!acc_temporary_commit (self->temporary, TRUE, error))
        return FALSE;
      g_clear_pointer (&self->temporary, acc_temporary_free);
    }
  else
    {
      if (!g_output_stream_close (self->stream, cancellable, error))
        {
          acc_io_wrap_error (error, self->name);
          return FALSE;
        }
      g_clear_object (&self->stream);
    }

  g_clear_pointer (&self->buffer, g_free);

  return TRUE;
}

void
acc_byte_writer_abort (AccByteWriter *self)
{
  g_clear_pointer (&self->temporary, acc_temporary_free);
  g_clear_pointer (&self->buffer, g_free);
  self->filled = 0;

  if (self->stream != NULL && !self->given)
    {
      g_autoptr(GCancellable) cancelled = g_cancellable_new ();

      /* A file stream that is closed so does not take the file's place. */
      g_cancellable_cancel (cancelled);
      g_output_stream_close (self->stream, cancelled, NULL);
      g_clear_object (&self->stream);
    }
}
