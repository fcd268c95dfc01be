/* SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

#include <acc/acc.h>

/* Sources and sinks that tests can look into and break. */

#define TEST_TYPE_SOURCE (test_source_get_type ())
G_DECLARE_FINAL_TYPE (TestSource, test_source, TEST, SOURCE, AccSource)

struct _TestSource
{
  AccSource parent_instance;

  guint32   seed;
  GBytes  **buffers;         /* what to read; NULL: test_source_element() */
  guint     n_buffers;
  guint     delay_us;       /* per chunk */
  gint64    fail_row;       /* -1: never; fails in the chunk that has it */
  gboolean  fail_start;
  gboolean  block;          /* reading blocks until it is cancelled */
  GCancellable *cancels;    /* cancelled by the read of cancel_row */
  gint64    cancel_row;
  guint64   resident;
  const char *identity;     /* NULL: none */
  int       n_started, n_finished;   /* atomic */
  int       n_read;                  /* rows; atomic */
};

/* Elements of @code ("i4", "u1", …) by a rule; every element type of scalars. */
TestSource *test_source_new      (const char *code, const gint64 *extents, guint rank, guint32 seed);
/* Of a manifest array. */
TestSource *test_source_new_for_array (AccArray *array);
gint32      test_source_element  (guint32 seed, gint64 row, gint64 column);

#define TEST_TYPE_SINK (test_sink_get_type ())
G_DECLARE_FINAL_TYPE (TestSink, test_sink, TEST, SINK, AccSink)

struct _TestSink
{
  AccSink     parent_instance;

  guint       delay_us;
  gint64      fail_row;
  gboolean    fail_start, fail_commit;
  gboolean    block;
  guint64     resident;
  TestSource *watched;        /* borrowed: how far its reader is ahead */
  gint64      most_ahead;     /* rows */
  AccElementType *type;
  AccShape   *shape;
  GByteArray **buffers;
  guint       n_buffers;
  gint64      n_rows;
  guint       n_chunks;
  int         n_started, n_committed, n_aborted;
};

TestSink *test_sink_new          (void);
/* Nothing is under way, and it ended as it should. */
void      test_sink_assert_ended (TestSink *self, gboolean committed);
