/* SPDX-License-Identifier: LGPL-2.1-or-later */

/* Every operation of the table of operations on devices, and processors, whose memory is smaller than what it reads, which is in files, or
 * in memory: within a twentieth and a quarter of its data; and within limits that grow, none of which refuses what a smaller one did
 * not. */
#include "stream-files.h"
#include "stream-operations.h"

#include "acc-core/array/acc-array-private.h"
#include "acc-core/backend/acc-backend-private.h"
#include "acc-core/data/acc-budget-private.h"
#include "acc-core/data/acc-sink-private.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* What blocks of algorithms and of files take, whatever the data. */
#define BLOCKS (192 * 1024)

typedef struct {
  AccBackend          *backend;
  const StreamProgram *program;
  gboolean             in_memory;
  AccExecutable       *executable;              /* of the program; NULL: it was not compiled */
  AccArray            *memory[MAX_SOURCES];     /* its arguments */
  guint64              bytes;                   /* of these */
} Case;

/* To memory by a run of the array, or by one of a program that was compiled for arrays of the same extents. */
typedef enum { TO_SINK, TO_MEMORY, BY_PROGRAM, N_WAYS } To;

static void
assert_same_bytes (const Case *self, gconstpointer data, gsize size, AccArray *expected, guint buffer)
{
  g_autoptr(GBytes) bytes = acc_array_dup_bytes (expected, buffer, NULL);
  gsize wanted_size;
  gconstpointer wanted = g_bytes_get_data (bytes, &wanted_size);
  gboolean has_floats = self->program->near || self->program->data[0]->code[0] == 'f';

  g_assert_cmpuint (size, ==, wanted_size);
  if (size > 0 && memcmp (data, wanted, size) != 0 && !(has_floats && test_is_near (data, wanted, size / sizeof (float), 4e-6f)))
    g_test_fail_printf ("%s: buffer %u differs", self->program->name, buffer);
}

/* A plan that does not know what comes after a stage says so. */
static gboolean
says_so (AccPlan *plan)
{
  g_autofree char *text = acc_plan_to_string (plan);

  return strstr (text, "unknown  ") != NULL || strstr (text, "refused  if") != NULL;
}

/* What is said before a run: nothing that has no room. */
static AccPlan *
plan_within (const Case *self, AccArray *array, TestSink *sink, guint64 limit, GError **error)
{
  AccBudget *budget = acc_backend_get_budget (self->backend);
  g_autofree char *text = NULL;
  AccPlan *plan;

  acc_budget_spare (budget, G_MAXINT64);
  acc_budget_set_limit (budget, acc_budget_get_used (budget) + limit);
  plan = acc_backend_plan (self->backend, array, ACC_SINK (sink), 0, error);
  acc_budget_set_limit (budget, 0);
  if (plan == NULL)
    {
      g_assert_error (*error, ACC_ERROR, ACC_ERROR_OUT_OF_MEMORY);
      return NULL;
    }

  text = acc_plan_to_string (plan);
  /* Processors read what is in memory where it is. */
  if (acc_plan_get_bytes (plan) > limit
      || (limit < self->bytes / 2 && acc_backend_is_apart (self->backend) && strstr (text, "computed whole") != NULL))
    g_test_fail_printf ("%s within %" G_GUINT64_FORMAT " has the plan\n%s", self->program->name, limit, text);

  return plan;
}

static gboolean
write_within (const Case *self, AccArray *array, AccArray *expected, guint64 limit, GError **error)
{
  g_autoptr(TestSink) sink = test_sink_new ();
  g_autoptr(AccPlan) plan = NULL;
  g_autoptr(GError) refused = NULL;
  gboolean done;

  acc_sink_set_takes_elements (ACC_SINK (sink));
  plan = plan_within (self, array, sink, limit, &refused);
  done = test_write_within (self->backend, array, sink, limit, error);
  if (plan == NULL ? done && !self->program->decides : !done && !says_so (plan))
    g_test_fail_printf ("%s within %" G_GUINT64_FORMAT ": the plan is %s, the run is %s", self->program->name, limit,
                        plan != NULL ? "made" : refused->message, done ? "done" : (*error)->message);
  if (!done)
    return FALSE;
  g_assert_true (acc_shape_equal (sink->shape, acc_array_get_shape (expected)));
  for (guint i = 0; i < sink->n_buffers; i++)
    assert_same_bytes (self, sink->buffers[i]->data, sink->buffers[i]->len, expected, i);

  return TRUE;
}

static AccArray *
run_program (const Case *self, GError **error)
{
  guint n = acc_program_get_n_parameters (acc_executable_get_program (self->executable));
  g_autoptr(GPtrArray) results = acc_executable_run (self->executable, (AccArray **) self->memory, n, NULL, error);

  return results != NULL ? g_object_ref (g_ptr_array_index (results, 0)) : NULL;
}

static gboolean
run_within (const Case *self, To to, AccArray *array, AccArray *expected, guint64 limit, GError **error)
{
  AccBudget *budget = acc_backend_get_budget (self->backend);
  g_autoptr(AccArray) result = NULL;
  guint64 before;

  acc_budget_spare (budget, G_MAXINT64);
  before = acc_budget_get_used (budget);
  acc_budget_reset_high_water (budget);
  acc_budget_set_limit (budget, before + limit);
  result = to == BY_PROGRAM ? run_program (self, error) : acc_backend_run (self->backend, array, NULL, error);
  acc_budget_set_limit (budget, 0);
  g_assert_cmpuint (acc_budget_get_high_water (budget), <=, before + limit);
  if (result != NULL)
    g_assert_true (acc_shape_equal (acc_array_get_shape (result), acc_array_get_shape (expected)));
  for (guint i = 0; result != NULL && i < acc_element_type_get_n_buffers (result->type); i++)
    {
      g_autoptr(GBytes) bytes = acc_array_dup_bytes (result, i, NULL);

      assert_same_bytes (self, g_bytes_get_data (bytes, NULL), g_bytes_get_size (bytes), expected, i);
    }

  return result != NULL;
}

static gboolean
compute_within (const Case *self, To to, AccArray *array, AccArray *expected, guint64 limit, GError **error)
{
  gboolean done = to == TO_SINK ? write_within (self, array, expected, limit, error)
                                : run_within (self, to, array, expected, limit, error);

  if (!done)
    g_assert_error (*error, ACC_ERROR, ACC_ERROR_OUT_OF_MEMORY);

  return done;
}

static const char *
get_name (To to)
{
  static const char *const names[] = { "to a sink", "to memory", "by a program" };

  return names[to];
}

static void
test_shares (const Case *self, To to, AccArray *array, AccArray *expected)
{
  static const guint64 shares[] = { 20, 4 };

  for (guint i = 0; i < G_N_ELEMENTS (shares); i++)
    {
      g_autoptr(GError) error = NULL;

      if (!compute_within (self, to, array, expected, MAX (self->bytes / shares[i], BLOCKS), &error))
        g_test_fail_printf ("%s within 1/%" G_GUINT64_FORMAT " of its data %s: %s", self->program->name, shares[i], get_name (to),
                            error->message);
    }
}

static guint
get_number (const char *variable, guint usual)
{
  const char *text = g_getenv (variable);

  return text != NULL && atoi (text) > 0 ? (guint) atoi (text) : usual;
}

static void
test_growing (const Case *self, To to, AccArray *array, AccArray *expected)
{
  guint n = get_number ("ACC_TEST_LIMITS", 0);
  double phase = g_test_rand_double ();
  guint64 ran = 0;

  for (guint i = 0; i < n; i++)
    {
      guint64 limit = (guint64) ((double) self->bytes / 40 * pow (160, (i + phase) / n));
      g_autoptr(GError) error = NULL;

      if (compute_within (self, to, array, expected, limit, &error))
        ran = limit;
      else if (ran > 0)
        g_test_fail_printf ("%s %s: refused within %" G_GUINT64_FORMAT ", not within %" G_GUINT64_FORMAT ": %s", self->program->name,
                            get_name (to), limit, ran, error->message);
    }
}

static AccArray *
build (AccArray **parameters, guint n_parameters, gpointer data)
{
  return ((const StreamProgram *) data)->build (parameters);
}

static AccExecutable *
compile (const Case *self, GError **error)
{
  g_autoptr(GStrvBuilder) signatures = g_strv_builder_new ();
  g_autoptr(AccProgram) program = NULL;
  g_auto(GStrv) all = NULL;

  for (guint i = 0; i < MAX_SOURCES && self->program->data[i] != NULL; i++)
    {
      g_autofree char *extents = acc_shape_to_string (acc_array_get_shape (self->memory[i]));
      g_autofree char *signature = g_strconcat (self->program->data[i]->code, extents, NULL);

      g_strv_builder_add (signatures, signature);
    }
  all = g_strv_builder_end (signatures);
  program = acc_program_new ((const char *const *) all, build, (gpointer) self->program);

  return acc_backend_compile (self->backend, program, NULL, error);
}

static void
test_case (gconstpointer data)
{
  Case own = *(const Case *) data, *self = &own;
  const StreamProgram *program = self->program;
  AccArray *files[MAX_SOURCES] = { NULL, };
  g_autoptr(AccArray) from_memory = NULL, from_files = NULL, expected = NULL;
  g_autoptr(GError) error = NULL;

  for (guint i = 0; i < MAX_SOURCES && program->data[i] != NULL; i++)
    {
      g_autoptr(GBytes) file = stream_program_make_bytes (self->backend, program->data[i], i + 1);

      self->bytes += g_bytes_get_size (file);
      files[i] = stream_program_open_file (program->data[i], file);
      self->memory[i] = acc_backend_run (self->backend, files[i], NULL, &error);
      g_assert_no_error (error);
    }
  from_memory = program->build (self->memory);
  from_files = program->build (files);
  expected = acc_backend_run (self->backend, from_memory, NULL, &error);
  g_assert_no_error (error);
  if (self->in_memory)
    {
      self->executable = compile (self, &error);
      g_assert_no_error (error);
    }

  /* Results in memory need room there on processors. */
  for (To to = TO_SINK; to < (!acc_backend_is_apart (self->backend) ? TO_MEMORY : self->in_memory ? N_WAYS : BY_PROGRAM); to++)
    {
      test_shares (self, to, self->in_memory ? from_memory : from_files, expected);
      test_growing (self, to, self->in_memory ? from_memory : from_files, expected);
    }
  g_clear_object (&self->executable);
  for (guint i = 0; i < MAX_SOURCES; i++)
    {
      g_clear_object (&files[i]);
      g_clear_object (&self->memory[i]);
    }
}

/* Several arrays in memory that do not go by rows: each is read again from there. */
static void
test_several (gconstpointer data)
{
  Case self = *(const Case *) data;
  AccBudget *budget = acc_backend_get_budget (self.backend);
  const StreamProgram *program = stream_program_find ("sort-vector");
  AccArray *arrays[2] = { NULL, NULL }, *memory[2] = { NULL, NULL };
  TestSink *sinks[2] = { NULL, NULL };
  g_autoptr(GPtrArray) expected = NULL;
  g_autoptr(GError) error = NULL;

  self.program = program;
  for (guint i = 0; i < 2; i++)
    {
      g_autoptr(GBytes) file = stream_program_make_bytes (self.backend, program->data[0], i + 1);
      g_autoptr(AccArray) source = stream_program_open_file (program->data[0], file);

      memory[i] = acc_backend_run (self.backend, source, NULL, &error);
      g_assert_no_error (error);
      arrays[i] = program->build (&memory[i]);
      sinks[i] = test_sink_new ();
      self.bytes += g_bytes_get_size (file);
    }
  expected = acc_backend_run_many (self.backend, arrays, 2, NULL, &error);
  g_assert_no_error (error);

  acc_budget_spare (budget, G_MAXINT64);
  acc_backend_set_memory_limit (self.backend, acc_budget_get_used (budget) + self.bytes / 4);
  acc_backend_write_many (self.backend, arrays, 2, (AccSink **) sinks, 2, NULL, &error);
  acc_backend_set_memory_limit (self.backend, 0);
  g_assert_no_error (error);
  for (guint i = 0; i < 2; i++)
    {
      assert_same_bytes (&self, sinks[i]->buffers[0]->data, sinks[i]->buffers[0]->len, g_ptr_array_index (expected, i), 0);
      g_object_unref (sinks[i]);
      g_object_unref (arrays[i]);
      g_object_unref (memory[i]);
    }
}

/* Kernels of a device that is none take minutes for some; of those for processors it runs none that count by workers. */
static gboolean
is_left_out (const char *name, const StreamProgram *program)
{
  return g_str_has_prefix (name, "fake")
         && (program->near || g_str_equal (program->name, "matmul")
             || (g_str_equal (name, "fake") && g_str_equal (program->name, "permute")));
}

static void
free_case (gpointer data)
{
  g_object_unref (((Case *) data)->backend);
  g_free (data);
}

static void
add_tests (const char *name, AccBackend *backend)
{
  g_autofree char *several = g_strdup_printf ("/stream/room/%s/several", name);
  Case *base = g_new0 (Case, 1);

  base->backend = g_object_ref (backend);
  g_test_add_data_func_full (several, base, test_several, free_case);
  for (guint i = 0; i < 2 * stream_n_programs; i += get_number ("ACC_TEST_EVERY", 1))
    {
      const StreamProgram *program = &stream_programs[i / 2];
      g_autofree char *path = g_strdup_printf ("/stream/room/%s/%s/%s", name, program->name, i % 2 == 0 ? "files" : "memory");
      Case *own;

      if (is_left_out (name, program))
        continue;
      own = g_new (Case, 1);
      *own = (Case) { .backend = g_object_ref (backend), .program = program, .in_memory = i % 2 == 1 };
      g_test_add_data_func_full (path, own, test_case, free_case);
    }
}

int
main (int argc, char **argv)
{
  g_test_init (&argc, &argv, NULL);
  test_add_backends ("fake", add_tests);

  return g_test_run ();
}
