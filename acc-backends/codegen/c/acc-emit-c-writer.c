/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "acc-emit-c-private.h"

#include "acc-error.h"

/* The text that is written, line by line. */

void
c_writer_init (CWriter           *w,
               AccKernel         *kernel,
               const AccCDialect *dialect,
               const CSyntax     *syntax,
               gboolean           quick)
{
  *w = (CWriter) {
    .kernel = kernel,
    .dialect = dialect,
    .syntax = syntax,
    .types = g_string_new (NULL),
    .functions = g_string_new (NULL),
    .body = g_string_new (NULL),
    .depth = 1,
    .known = g_hash_table_new_full (g_str_hash, g_str_equal, g_free, NULL),
    .extensions = g_hash_table_new_full (g_str_hash, g_str_equal, g_free, NULL),
    .storage = g_new0 (guint8, kernel->shared->len),
    .flushes = c_find_flushes (kernel),
    .packs = quick ? c_find_packs (kernel) : NULL,
    .widths = quick ? c_find_widths (kernel) : NULL,
  };
}

void
c_writer_clear (CWriter *w)
{
  g_string_free (w->types, TRUE);
  g_string_free (w->functions, TRUE);
  g_string_free (w->body, TRUE);
  g_hash_table_unref (w->known);
  g_hash_table_unref (w->extensions);
  g_clear_pointer (&w->packs, c_packs_free);
  g_free (w->widths);
  g_free (w->storage);
  g_free (w->flushes);
  g_clear_error (&w->error);
}

static void
indent (CWriter *w)
{
  for (guint i = 0; i < w->depth; i++)
    g_string_append (w->body, "  ");
}

void
c_line (CWriter    *w,
        const char *format,
        ...)
{
  va_list args;

  indent (w);
  va_start (args, format);
  g_string_append_vprintf (w->body, format, args);
  va_end (args);
  g_string_append_c (w->body, '\n');
}

void
c_open (CWriter *w)
{
  c_line (w, "{");
  w->depth++;
}

void
c_close (CWriter *w)
{
  w->depth--;
  c_line (w, "}");
}

void
c_fail (CWriter    *w,
        const char *format,
        ...)
{
  g_autofree char *message = NULL;
  va_list args;

  if (w->error != NULL)
    return;
  va_start (args, format);
  message = g_strdup_vprintf (format, args);
  va_end (args);
  g_set_error (&w->error, ACC_ERROR, ACC_ERROR_UNSUPPORTED, "Kernel “%s”: %s", w->kernel->name, message);
}

gboolean
c_once (CWriter    *w,
        const char *name)
{
  return g_hash_table_add (w->known, g_strdup (name));
}

gboolean
c_has_once (CWriter    *w,
            const char *name)
{
  return g_hash_table_contains (w->known, name);
}

void
c_extend (CWriter    *w,
          const char *extension)
{
  g_hash_table_add (w->extensions, g_strdup (extension));
}

void
c_append_extensions (CWriter    *w,
                     GString    *s,
                     const char *format)
{
  g_autoptr(GList) names = g_list_sort (g_hash_table_get_keys (w->extensions), (GCompareFunc) g_strcmp0);
  g_auto(GStrv) parts = g_strsplit (format, "%", -1);

  for (GList *l = names; l != NULL; l = l->next)
    {
      g_autofree char *text = g_strjoinv (l->data, parts);

      g_string_append (s, text);
    }
}
