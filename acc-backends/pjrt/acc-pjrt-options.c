/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "acc-pjrt-options.h"

#include "acc-error.h"

#include <stdlib.h>
#include <string.h>

#define PREALLOCATE "preallocate"

/* true and false, integers, numbers with a point, else text: plugins know each option by one kind. @name and @text: borrowed. */
static PjrtNamedValue
parse_value (const char *name,
             const char *text)
{
  PjrtNamedValue value = ACC_PJRT_ARGS (PjrtNamedValue, .name = name, .name_length = strlen (name), .length = 1);
  gint64 number;
  char *end;

  if (strcmp (text, "true") == 0 || strcmp (text, "false") == 0)
    {
      value.kind = PJRT_VALUE_BOOL;
      value.is_set = *text == 't';
    }
  else if (g_ascii_string_to_signed (text, 10, G_MININT64, G_MAXINT64, &number, NULL))
    {
      value.kind = PJRT_VALUE_INT64;
      value.int64 = number;
    }
  else
    {
      double real = g_ascii_strtod (text, &end);

      value.kind = end != text && *end == '\0' ? PJRT_VALUE_FLOAT : PJRT_VALUE_STRING;
      if (value.kind == PJRT_VALUE_FLOAT)
        value.float32 = (float) real;
      else
        {
          value.string = text;
          value.length = strlen (text);
        }
    }

  return value;
}

/* @entries: cut at their "="; the values point into them. @preallocates: whether one of them is about that. */
static GArray *
parse (char     **entries,
       gboolean  *preallocates,
       GError   **error)
{
  g_autoptr(GArray) values = g_array_new (FALSE, FALSE, sizeof (PjrtNamedValue));

  *preallocates = FALSE;
  for (guint i = 0; entries[i] != NULL; i++)
    {
      char *text = strchr (entries[i], '=');
      PjrtNamedValue value;

      if (text == NULL || text == entries[i])
        {
          g_set_error (error, ACC_ERROR, ACC_ERROR_UNSUPPORTED, "ACC_PJRT_OPTIONS: “%s” is not of the form “name=value”", entries[i]);
          return NULL;
        }
      *text = '\0';
      value = parse_value (entries[i], text + 1);
      *preallocates |= strcmp (entries[i], PREALLOCATE) == 0;
      g_array_append_val (values, value);
    }

  return g_steal_pointer (&values);
}

static PjrtClient *
create (const PjrtApi  *api,
        const char     *path,
        GArray         *values,
        GError        **error)
{
  PjrtClientCreateArgs args = ACC_PJRT_ARGS (PjrtClientCreateArgs, .options = (const PjrtNamedValue *) (gpointer) values->data,
                                             .n_options = values->len);

  return acc_pjrt_call (api, PJRT_CLIENT_CREATE, &args, path, error) ? args.client : NULL;
}

PjrtClient *
acc_pjrt_create_client (const PjrtApi **api,
                        const char    **path,
                        GError        **error)
{
  const char *given = secure_getenv ("ACC_PJRT_OPTIONS");
  g_auto(GStrv) entries = g_strsplit (given != NULL ? given : "", ",", -1);
  gboolean preallocates;
  g_autoptr(GArray) values = parse (entries, &preallocates, error);
  PjrtClient *client = NULL;

  *api = values != NULL ? acc_pjrt_plugin_get (path, error) : NULL;
  if (*api == NULL)
    return NULL;

  /* A plugin that does not know of it refuses it, or takes no notice. */
  if (!preallocates)
    {
      PjrtNamedValue value = parse_value (PREALLOCATE, "false");

      g_array_append_val (values, value);
      client = create (*api, *path, values, NULL);
      g_array_set_size (values, values->len - 1);
    }
  if (client == NULL)
    client = create (*api, *path, values, error);
  if (client == NULL && error != NULL && *error != NULL)
    (*error)->code = ACC_ERROR_UNSUPPORTED;

  return client;
}
