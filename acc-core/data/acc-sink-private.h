/* SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

#include "acc-sink.h"

/* Of a sink that was started: @row comes next. Rows before it are there, or do not matter. */
void     acc_sink_skip_to            (AccSink *self, gint64 row);
/* For classes whose chunks need not be whole rows: they write elements in order, whatever their rows. */
void     acc_sink_set_takes_elements (AccSink *self);
gboolean acc_sink_takes_elements     (AccSink *self);
/* Of such a sink that was started: chunks are those of the vector of its elements. */
void     acc_sink_begin_elements     (AccSink *self);
/* For classes whose output is a head and then elements as they are in memory. */
typedef struct {
  /* The head, of as many bytes whatever the first extent is where it @grows; NULL without an error: output of this type is not so. */
  GBytes  *(*make_head) (AccSink *self, AccElementType *type, AccShape *shape, gboolean grows, GError **error);
  /* In place of a run: a file of such bytes, which goes where the output belongs. FALSE without an error: it cannot. */
  gboolean (*adopt)     (AccSink *self, const char *path, GError **error);
} AccSinkPlain;

void     acc_sink_set_plain         (AccSink *self, const AccSinkPlain *plain);
/* NULL: it is none. */
const AccSinkPlain *acc_sink_get_plain (AccSink *self);
/* For those that write to a file of their own, and may write it again: beside others of another name they need no order. @file NULL: none,
 * as before. */
void     acc_sink_set_file           (AccSink *self, GFile *file);
gboolean acc_sink_is_separate        (AccSink *self);
/* Whether only this thread may call it. */
gboolean acc_sink_is_bound_here      (AccSink *self);
/* For one that passes what it gets on to @other. */
void     acc_sink_bind_as            (AccSink *self, AccSink *other);
/* Those that write to a stream of the caller's say so: two sinks of one stream would mix what they write. @stream NULL: none, as before. */
static inline void
acc_sink_set_stream (AccSink *self, GOutputStream *stream)
{
  if (stream != NULL)
    g_object_set_data_full (G_OBJECT (self), "acc-sink-stream", g_object_ref (stream), g_object_unref);
}

static inline gpointer
acc_sink_get_stream (AccSink *self)
{
  return g_object_get_data (G_OBJECT (self), "acc-sink-stream");
}

/* Where that file will be; two sinks of the same place cannot both keep what they got. NULL: nowhere. */
char    *acc_sink_dup_place          (AccSink *self);
