/* SPDX-License-Identifier: LGPL-2.1-or-later */

#include "matrix-market.h"

#include <errno.h>
#include <string.h>

typedef struct {
  gint32 row, column;
  double value;
} Entry;

typedef struct {
  char  *rest;          /* of the file: what has not been read, lines ended by '\n' */
  char  *at;            /* in the line: NULL before the first */
  gint64 line;
  char  *name;
} Reader;

static gboolean G_GNUC_PRINTF (3, 4)
fail (const Reader *reader, GError **error, const char *format, ...)
{
  va_list arguments;
  g_autofree char *text = NULL;

  va_start (arguments, format);
  text = g_strdup_vprintf (format, arguments);
  va_end (arguments);
  g_set_error (error, G_IO_ERROR, G_IO_ERROR_INVALID_DATA, "%s:%" G_GINT64_FORMAT ": %s", reader->name, reader->line, text);
  return FALSE;
}

/* The next line, or FALSE at the end */
static gboolean
next_line (Reader *reader)
{
  if (reader->rest == NULL || *reader->rest == '\0')
    return FALSE;

  char *end = strchr (reader->rest, '\n');

  reader->at = reader->rest;
  reader->rest = end ? end + 1 : NULL;
  if (end)
    *end = '\0';
  reader->line++;
  return TRUE;
}

static gboolean
is_done (Reader *reader)
{
  reader->at += strspn (reader->at, " \t\r");
  return *reader->at == '\0';
}

/* The next line that is neither empty nor a comment */
static gboolean
next_data_line (Reader *reader)
{
  while (next_line (reader))
    if (*reader->at != '%' && !is_done (reader))
      return TRUE;

  return FALSE;
}

static gboolean
read_integer (Reader *reader, const char *what, gint64 least, gint64 most, gint64 *value, GError **error)
{
  char *end;

  if (is_done (reader))
    return fail (reader, error, "%s is missing", what);

  errno = 0;
  *value = g_ascii_strtoll (reader->at, &end, 10);
  if (end == reader->at || (*end != '\0' && !g_ascii_isspace (*end)))
    return fail (reader, error, "%s is not an integer: “%s”", what, reader->at);
  if (errno != 0 || *value < least || *value > most)
    return fail (reader, error, "%s is not between %" G_GINT64_FORMAT " and %" G_GINT64_FORMAT, what, least, most);

  reader->at = end;
  return TRUE;
}

static gboolean
read_value (Reader *reader, double *value, GError **error)
{
  char *end;

  if (is_done (reader))
    return fail (reader, error, "the value is missing");

  *value = g_ascii_strtod (reader->at, &end);
  if (end == reader->at || (*end != '\0' && !g_ascii_isspace (*end)))
    return fail (reader, error, "the value is not a number: “%s”", reader->at);

  reader->at = end;
  return TRUE;
}

/* “%%MatrixMarket matrix coordinate real general”, in capitals or not */
static gboolean
read_header (Reader *reader, gboolean *pattern, gboolean *symmetric, GError **error)
{
  if (!next_line (reader) || g_ascii_strncasecmp (reader->at, "%%MatrixMarket ", 15) != 0)
    return fail (reader, error, "no Matrix Market file: it does not begin with %%%%MatrixMarket");

  g_autofree char *lower = g_ascii_strdown (g_strstrip (reader->at), -1);
  g_auto(GStrv) words = g_strsplit_set (lower, " \t", -1);
  GPtrArray *found = g_ptr_array_new ();

  for (guint i = 0; words[i] != NULL; i++)
    if (*words[i] != '\0')
      g_ptr_array_add (found, words[i]);
  g_ptr_array_set_size (found, MAX (found->len, 5));

  const char *object = found->pdata[1], *format = found->pdata[2], *field = found->pdata[3], *symmetry = found->pdata[4];
  guint n_words = found->len;

  g_ptr_array_free (found, TRUE);
  if (symmetry == NULL || n_words > 5)
    return fail (reader, error, "the first line needs five words");
  if (!g_str_equal (object, "matrix") || !g_str_equal (format, "coordinate"))
    return fail (reader, error, "“%s %s” is not supported, only “matrix coordinate”", object, format);

  *pattern = g_str_equal (field, "pattern");
  if (!*pattern && !g_str_equal (field, "real") && !g_str_equal (field, "integer"))
    return fail (reader, error, "“%s” is not supported, only real, integer and pattern", field);

  *symmetric = g_str_equal (symmetry, "symmetric");
  if (!*symmetric && !g_str_equal (symmetry, "general"))
    return fail (reader, error, "“%s” is not supported, only general and symmetric", symmetry);

  return TRUE;
}

static gboolean
read_entries (Reader *reader, SparseMatrix *matrix, GArray *entries, GError **error)
{
  gboolean pattern = FALSE, symmetric = FALSE;
  gint64 n_lines, row, column;

  if (!read_header (reader, &pattern, &symmetric, error))
    return FALSE;
  if (!next_data_line (reader))
    return fail (reader, error, "the line with the size is missing");
  if (!read_integer (reader, "the number of rows", 0, G_MAXINT32, &matrix->n_rows, error) ||
      !read_integer (reader, "the number of columns", 0, G_MAXINT32, &matrix->n_columns, error) ||
      !read_integer (reader, "the number of entries", 0, G_MAXINT32 / 2, &n_lines, error))
    return FALSE;
  if (!is_done (reader))
    return fail (reader, error, "more than a size: “%s”", reader->at);
  if (symmetric && matrix->n_rows != matrix->n_columns)
    return fail (reader, error, "a symmetric matrix has as many rows as columns");

  for (gint64 i = 0; i < n_lines; i++)
    {
      Entry entry = { .value = 1 };

      if (!next_data_line (reader))
        return fail (reader, error, "the file ends after %" G_GINT64_FORMAT " of %" G_GINT64_FORMAT " entries", i, n_lines);
      if (!read_integer (reader, "the row", 1, matrix->n_rows, &row, error) ||
          !read_integer (reader, "the column", 1, matrix->n_columns, &column, error) ||
          (!pattern && !read_value (reader, &entry.value, error)))
        return FALSE;
      if (!is_done (reader))
        return fail (reader, error, "more than an entry: “%s”", reader->at);
      if (symmetric && column > row)
        return fail (reader, error, "an entry above the diagonal of a symmetric matrix");

      entry.row = row - 1;
      entry.column = column - 1;
      g_array_append_val (entries, entry);
      if (symmetric && row != column)
        {
          Entry mirrored = { entry.column, entry.row, entry.value };
          g_array_append_val (entries, mirrored);
        }
    }

  return !next_data_line (reader) || fail (reader, error, "more than %" G_GINT64_FORMAT " entries", n_lines);
}

/* Entries to their rows: how many each has, then each behind those of its row that came before it */
static gboolean
compress (const Entry *entries, gint64 n, SparseMatrix *matrix, GError **error)
{
  g_autofree gint32 *next = g_try_new0 (gint32, matrix->n_rows);

  matrix->n_entries = n;
  matrix->lengths = g_try_new0 (gint32, matrix->n_rows);
  if (matrix->n_rows > 0 && (next == NULL || matrix->lengths == NULL))
    {
      g_set_error (error, G_IO_ERROR, G_IO_ERROR_NO_SPACE, "no memory for %" G_GINT64_FORMAT " rows", matrix->n_rows);
      return FALSE;
    }

  matrix->columns = g_new (gint32, n);
  matrix->values = g_new (double, n);
  for (gint64 i = 0; i < n; i++)
    matrix->lengths[entries[i].row]++;
  for (gint64 row = 1; row < matrix->n_rows; row++)
    next[row] = next[row - 1] + matrix->lengths[row - 1];
  for (gint64 i = 0; i < n; i++)
    {
      gint32 place = next[entries[i].row]++;

      matrix->columns[place] = entries[i].column;
      matrix->values[place] = entries[i].value;
    }

  return TRUE;
}

gboolean
sparse_matrix_read (GFile *file, SparseMatrix *matrix, GError **error)
{
  g_autofree char *contents = NULL, *name = g_file_get_parse_name (file);
  g_autoptr(GArray) entries = g_array_new (FALSE, FALSE, sizeof (Entry));

  *matrix = (SparseMatrix) { 0 };
  if (!g_file_load_contents (file, NULL, &contents, NULL, NULL, error))
    return FALSE;

  Reader reader = { .rest = contents, .name = name };

  if (read_entries (&reader, matrix, entries, error) && compress ((Entry *) entries->data, entries->len, matrix, error))
    return TRUE;

  sparse_matrix_clear (matrix);
  return FALSE;
}

void
sparse_matrix_clear (SparseMatrix *matrix)
{
  g_clear_pointer (&matrix->lengths, g_free);
  g_clear_pointer (&matrix->columns, g_free);
  g_clear_pointer (&matrix->values, g_free);
}
