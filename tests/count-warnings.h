/* SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

#include <glib.h>

static int n_warnings, n_messages;

/* Warnings that a test is after; G_DEBUG makes them fatal elsewhere. And messages. */
static GLogWriterOutput
count_warnings (GLogLevelFlags level, const GLogField *fields, gsize n_fields, gpointer data)
{
  if (level & G_LOG_LEVEL_WARNING)
    {
      n_warnings++;
      return G_LOG_WRITER_HANDLED;
    }
  if (level & G_LOG_LEVEL_MESSAGE)
    {
      n_messages++;
      return G_LOG_WRITER_HANDLED;
    }

  return g_log_writer_default (level, fields, n_fields, data);
}
