/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "acc-hlo-check.h"

#include <acc/acc.h>

#include <stdio.h>
#include <string.h>

/* More than @most operands, the neutral elements among them, are what fails. */
static const struct {
  const char *operation;
  guint       most;
  const char *reason;
} rows[] = {
  { "map", 0, "XLA ends the process where there is a loop inside" },
  { "reduce_window", 2, "XLA ends the process where there are several arrays" },
  { "scatter", 3, "XLA on processors mixes up several arrays" },
};

static guint
count_operands (const char *list)
{
  guint n = 0;

  for (gsize i = 0; i < strcspn (list, ")\n"); i++)
    n += list[i] == '%';

  return n;
}

/* Of integers as “700xui16”; 0: of others. */
static guint
get_width (const char *type)
{
  const char *element = strrchr (type, 'x');

  element = element != NULL ? element + 1 : type;
  element += *element == 'u';

  return *element == 'i' ? (guint) g_ascii_strtoull (element + 1, NULL, 10) : 0;
}

/* XLA of TensorFlow 2.21 ends the process where it finds “and” or “or” of what was made of wider integers. */
static gboolean
check_narrowed (const char  *text,
                GError     **error)
{
  g_autoptr(GHashTable) narrowed = g_hash_table_new_full (g_str_hash, g_str_equal, g_free, NULL);
  gsize length;

  for (const char *at = text; *at != '\0'; at += length + (at[length] == '\n'))
    {
      char line[256], name[64], from[64], to[64];

      length = strcspn (at, "\n");
      if (length >= sizeof line)
        continue;
      memcpy (line, at, length);
      line[length] = '\0';
      if (sscanf (line, " %63s = stablehlo.convert %*s : (tensor<%63[^>]>) -> tensor<%63[^>]>", name, from, to) == 3)
        {
          if (get_width (to) > 1 && get_width (to) < get_width (from))
            g_hash_table_add (narrowed, g_strdup (name));
        }
      else if (sscanf (line, " %*s = stablehlo.%3[andor] %63[^,], %63s", name, from, to) == 3
               && (g_str_equal (name, "and") || g_str_equal (name, "or"))
               && (g_hash_table_contains (narrowed, from) || g_hash_table_contains (narrowed, to)))
        {
          g_set_error (error, ACC_ERROR, ACC_ERROR_UNSUPPORTED, "stablehlo.%s of a narrowed integer: XLA ends the process", name);
          return FALSE;
        }
    }

  return TRUE;
}

gboolean
acc_hlo_check_text (const char  *text,
                    GError     **error)
{
  static const char prefix[] = "stablehlo.";

  for (const char *at = strstr (text, prefix); at != NULL; at = strstr (at, prefix))
    {
      gsize length;

      at += strlen (prefix);
      length = strspn (at, "abcdefghijklmnopqrstuvwxyz_");
      for (guint i = 0; i < G_N_ELEMENTS (rows); i++)
        if (strlen (rows[i].operation) == length && strncmp (at, rows[i].operation, length) == 0 && at[length] != '<')
          {
            guint n = count_operands (at + length);

            if (n > rows[i].most)
              {
                g_set_error (error, ACC_ERROR, ACC_ERROR_UNSUPPORTED, "stablehlo.%s of %u operands: %s", rows[i].operation, n,
                             rows[i].reason);
                return FALSE;
              }
          }
    }

  return check_narrowed (text, error);
}
