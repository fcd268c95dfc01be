/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "acc-hlo-check.h"

#include <acc/acc.h>

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

  return TRUE;
}
