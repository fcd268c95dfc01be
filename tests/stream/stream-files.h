/* SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

#include <acc/acc.h>

/* Sources and sinks that tests can look into and break, files in memory, and the backends that tests run on. */

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
/* It has what @expected has, to the bit. */
void      test_sink_assert_same  (TestSink *self, AccArray *expected);

/* --- files in memory */

GBytes    *test_file_new  (AccBackend *backend, AccArray *array, const char *format);
/* @type and @shape are for raw ones. */
AccSource *test_file_open (GBytes *file, const char *format, AccElementType *type, AccShape *shape);

/* --- backends */

typedef void (*TestAddFunc) (const char *name, AccBackend *backend);

/* Those of ACC_TEST_BACKENDS, else of @usual, with commas between. */
char   **test_dup_backend_names (const char *usual);
/* Calls @add for those that are there. Names live as long as the process. */
void     test_add_backends      (const char *usual, TestAddFunc add);
/* Within @limit bytes besides what is held; 0: within the backend's limit. A write takes no more, and leaves nothing behind. */
gboolean test_write_within      (AccBackend *backend, AccArray *array, TestSink *sink, guint64 limit, GError **error);
/* Floats that differ as sums of other parts do, and transforms by a library: by at most @share of the largest. */
gboolean test_is_near           (const float *x, const float *y, gsize n, float share);

/* A backend that gets a limit, and one of the same name without, which makes what is expected. */
typedef struct {
  AccBackend *backend, *roomy;
  guint64     before;    /* bytes held */
} TestPair;

/* Returns how many results there are, 4 at most. */
typedef guint (*TestBuildFunc) (AccArray *array, gpointer data, AccArray **results);

typedef struct {
  const char *name;
  void      (*test) (TestPair *self, gconstpointer backend_name);
} TestPairCase;

void       test_pair_set_up    (TestPair *self, gconstpointer name);
void       test_pair_tear_down (TestPair *self, gconstpointer name);
/* Adds "/stream/GROUP/BACKEND/CASE" for each. */
void       test_pair_add       (const char *group, const char *backend_name, const TestPairCase *cases, guint n_cases);
/* An array of i4 in memory, with the elements that such a source has. */
AccArray  *test_pair_new_array (TestPair *self, const gint64 *extents, guint rank);
/* Writes what @build makes of a source with the elements of @array to @sinks, new ones, within @limit besides what is held; 0: without a
 * limit. Returns what it makes of @array itself. @n_reads: how often the source was read; may be NULL. */
GPtrArray *test_pair_write     (TestPair *self, AccArray *array, guint64 limit, TestBuildFunc build, gpointer data, GPtrArray *sinks,
                                int *n_reads);
