/* SPDX-License-Identifier: LGPL-2.1-or-later */

/* Every operation of the table of operations, its arguments from files, within a twentieth and a quarter of its data: the bytes are those
 * of a run in memory. What needs more stands in the table with the reason, and is refused with what it needs and what it may have; with
 * what it asks for it runs. */
#include "stream-files.h"
#include "stream-limits.h"
#include "stream-memory.h"
#include "stream-operations.h"

#include "acc-core/array/acc-array-private.h"
#include "acc-core/backend/acc-backend-private.h"
#include "acc-core/data/acc-budget-private.h"
#include "acc-core/data/acc-sink-private.h"

#include <stdlib.h>
#include <string.h>

#include "tests/remove-tree.h"

/* With many rows it measures the memory of processes instead, with few it goes through many limits. */

/* Bytes that five npy files hold while they are written. */
#define FIVE_SINKS  (5 * 16 * 1024)

/* Operations that no program here has, and why. */
static const struct {
  AccOperation op;
  const char  *why;
} apart[] = {
  { ACC_OP_PARAMETER, "arguments of compiled programs are in memory" },
  { ACC_OP_SORT_SEG, "nested arrays sort by it" },
  { ACC_OP_DEFERRED, "what nested arrays are computed from has a run of its own" },
};

static gboolean covered[ACC_N_OPERATIONS];

static void
cover (AccArray *array)
{
  g_autoptr(GPtrArray) nodes = acc_array_sort_nodes (&array, 1);

  for (guint i = 0; i < nodes->len; i++)
    {
      AccArray *node = g_ptr_array_index (nodes, i);

      covered[node->op] = TRUE;
      if (node->direct != NULL && !covered[node->direct->op])
        cover (node->direct);
    }
}

/* --- runs */

static AccBackend *backend;
static gboolean is_judged;      /* by bits; else whole runs round floats in other ways than rows */

static gboolean
may_be_near (const StreamProgram *program)
{
  return program->near || (!is_judged && program->data[0]->code[0] == 'f');
}

static void
assert_same (const StreamProgram *program, TestSink *sink, AccArray *expected)
{
  g_assert_true (acc_shape_equal (sink->shape, acc_array_get_shape (expected)));
  for (guint i = 0; i < sink->n_buffers; i++)
    {
      g_autoptr(GBytes) bytes = acc_array_dup_bytes (expected, i, NULL);
      gsize size;
      gconstpointer wanted = g_bytes_get_data (bytes, &size), data = sink->buffers[i]->data;

      g_assert_cmpuint (sink->buffers[i]->len, ==, size);
      if (size > 0 && memcmp (data, wanted, size) != 0
          && !(may_be_near (program) && test_is_near (data, wanted, size / sizeof (float), is_judged ? 1e-6f : 4e-6f)))
        g_test_fail_printf ("%s: buffer %u differs", program->name, i);
    }
}

/* The largest number of a message. */
static guint64
find_number (const char *message)
{
  guint64 most = 0;

  while (*message != '\0')
    if (g_ascii_isdigit (*message))
      {
        char *end;
        guint64 number = g_ascii_strtoull (message, &end, 10);

        most = MAX (most, number);
        message = end;
      }
    else
      message++;

  return most;
}

/* TRUE, or what it needs at least. */
static gboolean
fits (const StreamProgram *program, AccArray *array, AccArray *expected, guint64 limit, guint64 *needs)
{
  g_autoptr(TestSink) sink = test_sink_new ();
  g_autoptr(GError) error = NULL;

  acc_sink_set_takes_elements (ACC_SINK (sink));
  if (test_write_within (backend, array, sink, limit, &error))
    {
      assert_same (program, sink, expected);
      return TRUE;
    }

  g_test_message ("within %" G_GUINT64_FORMAT ": %s", limit, error->message);
  g_assert_error (error, ACC_ERROR, ACC_ERROR_OUT_OF_MEMORY);
  *needs = find_number (error->message);

  return FALSE;
}

static StreamShare
find_share (const StreamProgram *program, AccArray *array, AccArray *expected, guint64 bytes)
{
  guint64 needs = 0, limit = bytes / 4;

  if (fits (program, array, expected, bytes / 20, &needs))
    return A_TWENTIETH;
  if (fits (program, array, expected, limit, &needs))
    return A_QUARTER;

  /* What it asks for, and what stages behind it ask for then. */
  for (guint i = 0; i < 24; i++)
    {
      limit = MAX (limit + limit / 4, MIN (needs + needs / 8, 8 * bytes));
      if (fits (program, array, expected, limit, &needs))
        {
          g_test_message ("%s needs %.2f of its data", program->name, (double) limit / (double) bytes);
          return MORE;
        }
    }
  g_test_fail_printf ("%s does not run within what it asks for", program->name);

  return MORE;
}

static void
test_program (gconstpointer data)
{
  static const char *names[] = { "a twentieth", "a quarter", "more than a quarter" };
  const StreamProgram *program = data;
  AccArray *sources[MAX_SOURCES] = { NULL, }, *memory[MAX_SOURCES] = { NULL, };
  g_autoptr(AccArray) same = NULL, expected = NULL, array = NULL;
  g_autoptr(GError) error = NULL;
  guint64 bytes = 0;
  StreamShare share;

  for (guint i = 0; i < MAX_SOURCES && program->data[i] != NULL; i++)
    {
      g_autoptr(GBytes) file = stream_program_make_bytes (backend, program->data[i], i + 1);

      bytes += g_bytes_get_size (file);
      sources[i] = stream_program_open_file (program->data[i], file);
      memory[i] = acc_backend_run (backend, sources[i], NULL, &error);
      g_assert_no_error (error);
    }

  same = program->build (memory);
  cover (same);
  expected = acc_backend_run (backend, same, NULL, &error);
  g_assert_no_error (error);
  g_clear_object (&same);
  for (guint i = 0; i < MAX_SOURCES; i++)
    g_clear_object (&memory[i]);

  array = program->build (sources);
  cover (array);
  share = find_share (program, array, expected, bytes);
  g_assert_true ((program->share == A_TWENTIETH) == (program->why == NULL));
  if (share != program->share)
    g_test_fail_printf ("%s needs %s of its data, which the table does not say", program->name, names[share]);
  for (guint i = 0; i < MAX_SOURCES; i++)
    g_clear_object (&sources[i]);
}

/* The plan tells how rows that do not fit are written, and promises no more than the limit. */
static void
test_wide_plan (void)
{
  const StreamProgram *program = stream_program_find ("wide-map");
  g_autoptr(GBytes) file = stream_program_make_bytes (backend, program->data[0], 1);
  g_autoptr(AccArray) array = stream_program_open_file (program->data[0], file), mapped = program->build (&array);
  g_autoptr(TestSink) sink = test_sink_new ();
  g_autoptr(AccPlan) plan = NULL;
  g_autoptr(GError) error = NULL;
  g_autofree char *text = NULL;
  /* Rows that the host computes for a device lie in its memory. */
  AccBudget *host = acc_backend_get_host_budget (backend);
  guint64 limit, before = acc_budget_get_limit (host);

  acc_budget_spare (acc_backend_get_budget (backend), G_MAXINT64);
  limit = acc_budget_get_used (acc_backend_get_budget (backend)) + 1000000;
  acc_backend_set_memory_limit (backend, limit);
  acc_budget_set_limit (host, acc_budget_get_used (host) + 1000000);
  plan = acc_backend_plan (backend, mapped, ACC_SINK (sink), 0, &error);
  g_assert_no_error (error);
  text = acc_plan_to_string (plan);
  g_assert_nonnull (strstr (text, "whole rows are written"));
  g_assert_cmpuint (acc_plan_get_bytes (plan), <=, limit);
  g_clear_object (&plan);
  g_clear_pointer (&text, g_free);

  acc_sink_set_takes_elements (ACC_SINK (sink));
  plan = acc_backend_plan (backend, mapped, ACC_SINK (sink), 0, &error);
  g_assert_no_error (error);
  text = acc_plan_to_string (plan);
  g_test_message ("%s", text);
  g_assert_nonnull (strstr (text, "element by element"));
  g_assert_nonnull (strstr (text, "is stored in a temporary file"));
  g_assert_cmpuint (acc_plan_get_bytes (plan), <=, limit);
  acc_backend_set_memory_limit (backend, 0);
  acc_budget_set_limit (host, before);
}

static void
test_limits (gconstpointer data)
{
  const StreamProgram *program = data;
  AccArray *sources[MAX_SOURCES] = { NULL, };
  g_autoptr(AccArray) array = NULL;
  guint64 bytes = 0;

  for (guint i = 0; i < MAX_SOURCES && program->data[i] != NULL; i++)
    {
      g_autoptr(GBytes) file = stream_program_make_bytes (backend, program->data[i], i + 1);

      bytes += g_bytes_get_size (file);
      sources[i] = stream_program_open_file (program->data[i], file);
    }
  array = program->build (sources);
  limits_test (backend, program->name, array, bytes, 0, program->decides);
  limits_test (backend, program->name, array, bytes, FIVE_SINKS, program->decides);
  limits_test_refusals (backend, program->name, array, bytes, may_be_near (program));
  limits_test_refusals (backend, program->name, array, 6 * bytes, may_be_near (program));
  for (guint i = 0; i < MAX_SOURCES; i++)
    g_clear_object (&sources[i]);
}

static void
test_covered (void)
{
  for (guint op = 0; op < ACC_N_OPERATIONS; op++)
    {
      gboolean is_apart = FALSE;

      for (guint i = 0; i < G_N_ELEMENTS (apart); i++)
        is_apart |= apart[i].op == op;
      if (covered[op] == is_apart)
        g_test_fail_printf ("%s: %s", acc_operation_get_info ((AccOperation) op)->name, is_apart ? "has a program" : "has no program");
    }
}

/* --- memory of processes */

static char *folder;

static void
test_memory (gconstpointer data)
{
  const StreamProgram *program = data;

  memory_test (backend, program->name, program->data, MAX_SOURCES, stream_program_dup_contents, folder, program->share == MORE);
}

/* From one program that runs to the next. */
static guint
count_steps (void)
{
  const char *given = g_getenv ("ACC_TEST_EVERY");

  return given != NULL && atoi (given) > 0 ? (guint) atoi (given) : 1;
}

static int
run_child (const char *name)
{
  const StreamProgram *program = stream_program_find (name);

  return program != NULL ? memory_run_child (program->build, program->data, MAX_SOURCES, folder) : 1;
}

int
main (int argc, char **argv)
{
  gboolean measures = ROWS > 2000, limits = ROWS < 2000;
  g_auto(GStrv) names = NULL;
  g_autoptr(GError) error = NULL;
  int status;

  if (argc == 4 && strcmp (argv[1], "--child") == 0)
    {
      folder = argv[3];
      return run_child (argv[2]);
    }

  g_test_init (&argc, &argv, NULL);
  names = test_dup_backend_names ("native");
  is_judged = g_str_equal (names[0], "native");
  backend = acc_backend_new_for_name (names[0], &error);
  if (backend == NULL && g_getenv ("ACC_TEST_OPTIONAL") != NULL && g_error_matches (error, ACC_ERROR, ACC_ERROR_UNSUPPORTED))
    {
      g_print ("1..0 # SKIP %s\n", error->message);
      return 0;
    }
  g_assert_no_error (error);
  folder = measures ? g_strdup ("/var/tmp/acc-memory-XXXXXX") : NULL;
  g_assert_true (folder == NULL || g_mkdtemp (folder) != NULL);

  for (guint i = 0; i < stream_n_programs; i++)
    {
      g_autofree char *path = g_strdup_printf ("/stream/%s/%s", measures ? "memory" : limits ? "limits" : "operations",
                                               stream_programs[i].name);

      /* Graphs of transforms keep tables. */
      if ((!is_judged && stream_programs[i].near) || i % count_steps () != 0)
        continue;
      g_test_add_data_func (path, &stream_programs[i], measures ? test_memory : limits ? test_limits : test_program);
    }
  if (!measures && !limits)
    g_test_add_func ("/stream/operations/wide-plan", test_wide_plan);
  if (!measures && !limits && is_judged && count_steps () == 1)
    g_test_add_func ("/stream/operations/all", test_covered);

  status = g_test_run ();
  if (folder != NULL)
    remove_tree (folder);
  g_free (folder);

  return status;
}
