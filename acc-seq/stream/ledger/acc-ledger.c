/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "acc-ledger-file-private.h"

#include "acc-core/array/acc-array-private.h"
#include "acc-core/base/acc-error-private.h"
#include "acc-core/base/acc-hash-private.h"
#include "acc-core/data/acc-chunk-private.h"
#include "acc-error.h"
#include "acc-ledger-identity-private.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

/* The file “ledger”: lines of what is computed, then of its layout, then one for each block of rows: its first row, how many there are, a
 * checksum of them and one of the line; then, where the layout does not tell how many rows there are, that this was the last. The file
 * “rows”: room for the head of the output, where its file is to become that, then blocks, the buffers of each one after the other. Nothing
 * waits for the disk: a block that did not get there has another checksum. */

#define VERSION "acc-ledger 2"
#define GROWS   "?"
#define END     "end"

/* What is read and checked at once. */
#define PIECE (64 * 1024)

static gint64
count_rows (AccShape *shape)
{
  return acc_shape_get_rank (shape) > 0 ? MAX (acc_shape_get_extent (shape, 0), 0) : 1;
}

static guint64
hash_bytes (guint64 hash, gconstpointer data, gsize size)
{
  const guint8 *bytes = data;
  guint64 word;

  for (; size >= sizeof word; bytes += sizeof word, size -= sizeof word)
    {
      memcpy (&word, bytes, sizeof word);
      hash = acc_hash_mix (hash, word);
    }
  word = size;
  memcpy (&word, bytes, size);

  return acc_hash_mix (hash, word ^ (guint64) size << 56);
}

/* --- files */

gboolean
acc_ledger_transfer (AccLedger *self, gboolean writes, int fd, gpointer data, gsize size, guint64 offset, GError **error)
{
  guint8 *at = data;

  while (size > 0)
    {
      gssize n = writes
                 ? pwrite (fd, at, MIN (size, (gsize) 1 << 30), (off_t) offset)
                 : pread (fd, at, MIN (size, (gsize) 1 << 30), (off_t) offset);

      if (n < 0 && errno == EINTR)
        continue;
      if (n <= 0)
        {
          acc_error_set_errno (error, writes ? "writing" : "reading", self->name, n < 0 ? errno : EIO);
          return FALSE;
        }
      at += n;
      size -= (gsize) n;
      offset += (guint64) n;
    }

  return TRUE;
}

static gboolean
write_line (AccLedger *self, const char *text, GError **error)
{
  g_autofree char *line = g_strdup_printf ("%s %016" G_GINT64_MODIFIER "x\n", text, hash_bytes (0, text, strlen (text)));
  gsize length = strlen (line);

  if (!acc_ledger_transfer (self, TRUE, self->lines, line, length, (guint64) self->end_of_lines, error))
    return FALSE;
  self->end_of_lines += (goffset) length;

  return TRUE;
}

/* Without its checksum; NULL where that is not right. */
static char *
take_line (char **text)
{
  char *line = *text, *end = strchr (line, '\n'), *space;
  guint64 checksum;

  if (end == NULL)
    return NULL;
  *end = '\0';
  *text = end + 1;
  space = strrchr (line, ' ');
  if (space == NULL || !g_ascii_string_to_unsigned (space + 1, 16, 0, G_MAXUINT64, &checksum, NULL)
      || checksum != hash_bytes (0, line, (gsize) (space - line)))
    return NULL;
  *space = '\0';

  return line;
}

static char *
read_lines (AccLedger *self, GError **error)
{
  struct stat info;
  char *text;

  if (fstat (self->lines, &info) < 0)
    {
      acc_error_set_errno (error, "reading", self->name, errno);
      return NULL;
    }
  text = g_malloc0 ((gsize) info.st_size + 1);
  if (acc_ledger_transfer (self, FALSE, self->lines, text, (gsize) info.st_size, 0, error))
    return text;
  g_free (text);

  return NULL;
}

/* --- what was done */

static gboolean
parse_layout (AccLedger *self, const char *line)
{
  g_auto(GStrv) words = g_strsplit (line, " ", -1);
  guint n = g_strv_length (words);
  g_autofree gint64 *extents = g_new0 (gint64, n + 1);

  if (n < 3 || strcmp (words[0], "layout") != 0 || !g_ascii_string_to_unsigned (words[2], 10, 0, G_MAXUINT32, &self->head, NULL))
    return FALSE;
  self->end = self->head;
  self->type = acc_element_type_parse (words[1], NULL);
  self->grows = self->was_growing = n > 3 && strcmp (words[3], GROWS) == 0;
  extents[0] = G_MAXINT64;
  for (guint i = self->grows ? 4 : 3; i < n; i++)
    if (!g_ascii_string_to_signed (words[i], 10, 0, G_MAXINT64, &extents[i - 3], NULL))
      return FALSE;
  if (self->type != NULL)
    self->shape = acc_shape_new (extents, n - 3);

  return self->type != NULL;
}

static gboolean
check_block (AccLedger *self, gint64 n_rows, guint64 checksum)
{
  g_autofree guint8 *bytes = g_malloc (PIECE);
  guint64 hash = 0, offset = self->end;

  for (guint i = 0; i < acc_element_type_get_n_buffers (self->type); i++)
    for (gsize size = acc_ledger_get_width (self, i) * (gsize) n_rows, n; size > 0; size -= n, offset += n)
      {
        n = MIN (size, PIECE);
        if (!acc_ledger_transfer (self, FALSE, self->rows, bytes, n, offset, NULL))
          return FALSE;
        hash = hash_bytes (hash, bytes, n);
      }

  return hash == checksum;
}

static gboolean
parse_block (AccLedger *self, const char *line)
{
  AccLedgerBlock block = { 0, 0, self->end };
  guint64 checksum;
  gsize size;
  int used = 0;

  if (sscanf (line, "rows %" G_GINT64_FORMAT " %" G_GINT64_FORMAT " %" G_GINT64_MODIFIER "x%n", &block.first_row, &block.n_rows, &checksum,
              &used)
        != 3
      || line[used] != '\0' || block.first_row != self->n_done || block.n_rows < 1
      || block.n_rows > count_rows (self->shape) - self->n_done)
    return FALSE;

  size = acc_ledger_measure_block (self, block.n_rows);
  if (!check_block (self, block.n_rows, checksum))
    return FALSE;
  g_array_append_val (self->blocks, block);
  self->n_done += block.n_rows;
  self->end += size;

  return TRUE;
}

/* As many rows as there are now. */
static void
end_growth (AccLedger *self)
{
  guint rank;
  const gint64 *extents = acc_shape_get_extents (self->shape, &rank);
  g_autofree gint64 *all = g_memdup2 (extents, rank * sizeof (gint64));

  all[0] = self->n_done;
  acc_shape_unref (self->shape);
  self->shape = acc_shape_new (all, rank);
  self->grows = FALSE;
}

static gboolean
parse_end (AccLedger *self, const char *line)
{
  if (!self->grows || strcmp (line, END) != 0)
    return FALSE;
  end_growth (self);

  return TRUE;
}

/* As far as all is right. */
static void
read_blocks (AccLedger *self, char *begin, char *at)
{
  char *line;

  self->end_of_lines = at - begin;
  if ((line = take_line (&at)) == NULL || !parse_layout (self, line))
    return;
  self->end_of_lines = at - begin;
  while ((line = take_line (&at)) != NULL && (parse_end (self, line) || parse_block (self, line)))
    self->end_of_lines = at - begin;
}

static gboolean
truncate_lines (AccLedger *self, GError **error)
{
  if (ftruncate (self->lines, (off_t) self->end_of_lines) == 0)
    return TRUE;

  acc_error_set_errno (error, "writing", self->name, errno);

  return FALSE;
}

/* --- opening */

static int
open_file (AccLedger *self, const char *file, GError **error)
{
  g_autofree char *path = g_build_filename (self->folder, file, NULL), *shown = g_filename_display_name (path);
  int fd = open (path, O_RDWR | O_CREAT | O_CLOEXEC, 0600);

  if (fd < 0)
    acc_error_set_errno (error, "opening", shown, errno);

  return fd;
}

static gboolean
open_files (AccLedger *self, GError **error)
{
  if (mkdir (self->folder, 0700) < 0 && errno != EEXIST)
    {
      acc_error_set_errno (error, "creating", self->name, errno);
      return FALSE;
    }

  if ((self->lines = open_file (self, "ledger", error)) < 0 || (self->rows = open_file (self, ACC_LEDGER_ROWS, error)) < 0)
    return FALSE;
  if (flock (self->lines, LOCK_EX | LOCK_NB) == 0)
    return TRUE;

  g_set_error (error, ACC_ERROR, ACC_ERROR_STREAM, "%s is in use by another run", self->name);

  return FALSE;
}

static void
set_other (AccLedger *self, const char *there, const char *now, GError **error)
{
  gboolean is_source = g_str_has_prefix (there, "source ") && g_str_has_prefix (now, "source ");

  g_set_error (error, ACC_ERROR, ACC_ERROR_STREAM, "%s: %s: it has “%s”, now there is “%s”", self->name,
               is_source ? "a source has changed" : "it was begun for another program", there, now);
}

/* @wanted: lines of what is computed. */
static gboolean
compare_identity (AccLedger *self, char **wanted, GError **error)
{
  g_autofree char *text = read_lines (self, error);
  char *at = text, *line;

  if (text == NULL)
    return FALSE;

  for (guint i = 0; wanted[i] != NULL; i++)
    {
      line = take_line (&at);
      /* Of a run that had just begun. */
      if (line == NULL)
        break;
      if (strcmp (line, wanted[i]) != 0)
        {
          set_other (self, line, wanted[i], error);
          return FALSE;
        }
      if (wanted[i + 1] == NULL)
        {
          read_blocks (self, text, at);
          return truncate_lines (self, error);
        }
    }

  /* Nothing was done yet. */
  if (!truncate_lines (self, error))
    return FALSE;
  for (guint i = 0; wanted[i] != NULL; i++)
    if (!write_line (self, wanted[i], error))
      return FALSE;

  return TRUE;
}

AccLedger *
acc_ledger_open (GFile *folder, AccArray *array, GCancellable *cancellable, GError **error)
{
  g_autoptr(AccLedger) self = g_new0 (AccLedger, 1);
  g_autofree char *shown = g_file_get_parse_name (folder);
  g_auto(GStrv) identity = NULL;

  self->lines = self->rows = -1;
  self->folder = g_file_get_path (folder);
  self->blocks = g_array_new (FALSE, FALSE, sizeof (AccLedgerBlock));
  if (self->folder == NULL)
    {
      g_set_error (error, ACC_ERROR, ACC_ERROR_UNSUPPORTED, "a ledger is a local folder");
      return NULL;
    }
  self->name = g_strdup_printf ("ledger “%s”", shown);

  identity = acc_ledger_list_identity (VERSION, array, error);
  if (identity == NULL || g_cancellable_set_error_if_cancelled (cancellable, error))
    return NULL;

  return open_files (self, error) && compare_identity (self, identity, error) ? g_steal_pointer (&self) : NULL;
}

void
acc_ledger_free (AccLedger *self)
{
  if (self->rows >= 0)
    close (self->rows);
  if (self->lines >= 0)
    close (self->lines);
  g_clear_pointer (&self->shape, acc_shape_unref);
  g_array_unref (self->blocks);
  g_free (self->folder);
  g_free (self->name);
  g_free (self);
}

const char *
acc_ledger_get_name (AccLedger *self)
{
  return self->name;
}

gint64
acc_ledger_get_n_rows (AccLedger *self)
{
  return self->n_done;
}

gboolean
acc_ledger_is_complete (AccLedger *self)
{
  return self->shape != NULL && !self->grows && self->n_done == count_rows (self->shape);
}

void
acc_ledger_remove (AccLedger *self)
{
  static const char *files[] = { ACC_LEDGER_ROWS, "ledger" };

  for (guint i = 0; i < G_N_ELEMENTS (files); i++)
    {
      g_autofree char *path = g_build_filename (self->folder, files[i], NULL);

      unlink (path);
    }
  rmdir (self->folder);
}

/* --- writing */

gboolean
acc_ledger_set_layout (AccLedger *self, AccElementType *type, AccShape *shape, gboolean grows, AccSink *output, GError **error)
{
  g_autoptr(GBytes) head = NULL;
  g_autoptr(GError) local = NULL;
  guint rank;
  const gint64 *extents = acc_shape_get_extents (shape, &rank);
  g_autoptr(GString) line = g_string_new ("layout ");

  if (self->shape != NULL)
    {
      if (self->type == type && self->grows == grows && acc_shape_equal (self->shape, shape))
        return TRUE;
      g_set_error (error, ACC_ERROR, ACC_ERROR_STREAM, "%s: it was begun for another layout", self->name);
      return FALSE;
    }

  self->type = type;
  self->shape = acc_shape_ref (shape);
  self->grows = self->was_growing = grows;
  head = acc_ledger_make_head (self, output, &local);
  if (local != NULL)
    {
      g_propagate_error (error, g_steal_pointer (&local));
      return FALSE;
    }
  self->head = self->end = head != NULL ? g_bytes_get_size (head) : 0;
  g_string_append_printf (line, "%s %" G_GUINT64_FORMAT, acc_element_type_get_code (type), self->head);
  if (grows)
    g_string_append (line, " " GROWS);
  for (guint i = grows ? 1 : 0; i < rank; i++)
    g_string_append_printf (line, " %" G_GINT64_FORMAT, extents[i]);

  return write_line (self, line->str, error);
}

gboolean
acc_ledger_add (AccLedger *self, AccChunk *chunk, GError **error)
{
  gint64 skipped = self->n_done - acc_chunk_get_first_row (chunk);
  AccLedgerBlock block = { self->n_done, acc_chunk_get_n_rows (chunk) - skipped, self->end };
  guint64 hash = 0, offset = self->end;
  g_autofree char *line = NULL;

  if (skipped >= acc_chunk_get_n_rows (chunk))
    return TRUE;

  for (guint i = 0; i < acc_element_type_get_n_buffers (self->type); i++)
    {
      gsize width = acc_ledger_get_width (self, i), size = (gsize) block.n_rows * width;
      guint8 *data = width > 0 ? (guint8 *) (guintptr) acc_chunk_get_address (chunk, i) + (gsize) skipped * width : NULL;

      if (!acc_ledger_transfer (self, TRUE, self->rows, data, size, offset, error))
        return FALSE;
      for (gsize at = 0; at < size; at += PIECE)
        hash = hash_bytes (hash, data + at, MIN (size - at, PIECE));
      offset += size;
    }

  line = g_strdup_printf ("rows %" G_GINT64_FORMAT " %" G_GINT64_FORMAT " %" G_GINT64_MODIFIER "x", block.first_row, block.n_rows, hash);
  if (!write_line (self, line, error))
    return FALSE;

  g_array_append_val (self->blocks, block);
  self->n_done += block.n_rows;
  self->end = offset;

  return TRUE;
}

gboolean
acc_ledger_end (AccLedger *self, GError **error)
{
  if (!self->grows)
    return TRUE;
  end_growth (self);

  return write_line (self, END, error);
}
