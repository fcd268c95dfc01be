/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "acc-io-private.h"

#include "acc-error.h"

void
acc_io_wrap_error (GError **error, const char *name)
{
  GError *wrapped;

  if (error == NULL || *error == NULL || (*error)->domain == ACC_ERROR
      || g_error_matches (*error, G_IO_ERROR, G_IO_ERROR_CANCELLED))
    return;

  wrapped = g_error_new (ACC_ERROR, ACC_ERROR_IO, "%s: %s", name, (*error)->message);
  g_error_free (*error);
  *error = wrapped;
}

char *
acc_io_name_file (GFile *file)
{
  return g_file_get_parse_name (file);
}
