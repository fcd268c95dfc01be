/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include <acc/acc.h>

#include "acc-core/array/acc-array-private.h"
#include "acc-core/backend/acc-backend-private.h"
#include "tests/count-warnings.h"

#include <glib/gstdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* A backend that gives its arguments back, for programs of as many results as parameters. */

typedef struct {
  AccExecutable parent_instance;
} EchoExecutable;

typedef AccExecutableClass EchoExecutableClass;

GType echo_executable_get_type (void);
G_DEFINE_TYPE (EchoExecutable, echo_executable, ACC_TYPE_EXECUTABLE)

/* Of echo:patient, whose runs last until they are cancelled. */
static gint patient_began, patient_ended;

static void
run_until_cancelled (GCancellable *cancellable)
{
  g_atomic_int_set (&patient_began, TRUE);
  while (!g_cancellable_is_cancelled (cancellable))
    g_usleep (1000);
  g_usleep (50000);
  g_atomic_int_set (&patient_ended, TRUE);
}

static GPtrArray *
echo_executable_run (AccExecutable *self, AccArray **arguments, guint n, GCancellable *cancellable, GError **error)
{
  GPtrArray *results;

  if (g_strcmp0 (acc_backend_get_device (acc_executable_get_backend (self)), "patient") == 0)
    {
      run_until_cancelled (cancellable);
      g_cancellable_set_error_if_cancelled (cancellable, error);
      return NULL;
    }

  results = g_ptr_array_new_with_free_func (g_object_unref);
  for (guint i = 0; i < n; i++)
    g_ptr_array_add (results, g_object_ref (arguments[i]));

  return results;
}

static void
echo_executable_class_init (EchoExecutableClass *klass)
{
  klass->run = echo_executable_run;
}

static void
echo_executable_init (EchoExecutable *self)
{
}

typedef struct {
  AccBackend parent_instance;
} EchoBackend;

typedef AccBackendClass EchoBackendClass;

static void echo_backend_initable_init (GInitableIface *iface);

GType echo_backend_get_type (void);
G_DEFINE_TYPE_WITH_CODE (EchoBackend, echo_backend, ACC_TYPE_BACKEND,
  G_IMPLEMENT_INTERFACE (G_TYPE_INITABLE, echo_backend_initable_init))

static gboolean
echo_backend_initable (GInitable *initable, GCancellable *cancellable, GError **error)
{
  AccBackend *self = ACC_BACKEND (initable);
  const char *device = acc_backend_get_device (self);
  g_autofree char *name = device != NULL ? g_strconcat ("echo:", device, NULL) : g_strdup ("echo");

  if (g_strcmp0 (device, "9") == 0)
    {
      g_set_error_literal (error, ACC_ERROR, ACC_ERROR_UNSUPPORTED, "there is no tenth wall");
      return FALSE;
    }

  acc_backend_set_identity (self, name, "a wall", 3);

  return TRUE;
}

static AccExecutable *
echo_backend_compile (AccBackend *self, AccProgram *program, GCancellable *cancellable, GError **error)
{
  AccExecutable *executable = g_object_new (echo_executable_get_type (), NULL);

  acc_executable_set_origin (executable, self, program);

  return executable;
}

static void
echo_backend_initable_init (GInitableIface *iface)
{
  iface->init = echo_backend_initable;
}

static void
echo_backend_class_init (EchoBackendClass *klass)
{
  klass->compile = echo_backend_compile;
}

static void
echo_backend_init (EchoBackend *self)
{
}

static AccBackend *
make_backend (const char *name)
{
  g_autoptr(GError) error = NULL;
  AccBackend *backend = acc_backend_new_for_name (name, &error);

  g_assert_no_error (error);

  return backend;
}

static void
assert_absent (const char *name, const char *reason)
{
  g_autoptr(GError) error = NULL;

  g_assert_null (acc_backend_new_for_name (name, &error));
  g_assert_error (error, ACC_ERROR, ACC_ERROR_UNSUPPORTED);
  if (strstr (error->message, reason) == NULL)
    g_error ("“%s” does not say “%s”", error->message, reason);
}

static void
test_names (void)
{
  g_autoptr(AccBackend) first = make_backend ("echo");
  g_autoptr(AccBackend) second = make_backend ("echo");
  g_autoptr(AccBackend) device = make_backend ("echo:2");
  g_autofree char *text = NULL;

  g_assert_true (first != second);
  g_assert_cmpstr (acc_backend_get_name (first), ==, "echo");
  g_assert_cmpstr (acc_backend_get_description (first), ==, "a wall");
  g_assert_cmpuint (acc_backend_get_n_threads (first), ==, 3);
  g_assert_cmpstr (acc_backend_get_name (device), ==, "echo:2");
  g_object_get (device, "device", &text, NULL);
  g_assert_cmpstr (text, ==, "2");

  assert_absent ("echo:9", "there is no tenth wall");
  assert_absent ("missing", "libacc-backend-missing.so");
  assert_absent ("", "is not the name of a backend");
  assert_absent ("../../etc/x", "is not the name of a backend");
  assert_absent (":0", "is not the name of a backend");
}

static void
test_modules (void)
{
  g_autofree char *folder = g_dir_make_tmp ("acc-backends-XXXXXX", NULL);
  g_autofree char *file = g_build_filename (folder, "libacc-backend-broken.so", NULL);
  g_autofree char *before = g_strdup (g_getenv ("ACC_BACKENDS_DIR"));
  g_autofree char *folders = g_strconcat ("/nowhere:", folder, NULL);
  g_autoptr(GListModel) list = NULL;
  gboolean found = FALSE;

  g_assert_true (g_file_set_contents (file, "not a library", -1, NULL));
  g_setenv ("ACC_BACKENDS_DIR", folders, TRUE);
  assert_absent ("broken", "libacc-backend-broken.so");
  assert_absent ("cuda:1", "/nowhere");

  list = acc_backend_list ();
  for (guint i = 0; i < g_list_model_get_n_items (list); i++)
    {
      g_autoptr(AccBackendInfo) info = g_list_model_get_item (list, i);

      if (g_str_equal (acc_backend_info_get_name (info), "broken"))
        {
          found = TRUE;
          g_assert_nonnull (acc_backend_info_get_reason (info));
        }
    }
  g_assert_true (found);

  /* What others may have written is not loaded. */
  g_assert_cmpint (n_warnings, ==, 0);
  g_assert_cmpint (g_chmod (file, 0666), ==, 0);
  assert_absent ("broken", "written by others");
  g_assert_cmpint (n_warnings, ==, 1);
  g_assert_cmpint (g_chmod (file, 0644), ==, 0);
  g_assert_cmpint (g_chmod (folder, 0777), ==, 0);
  assert_absent ("broken", "written by others");
  g_assert_cmpint (g_chmod (folder, 0755), ==, 0);
  assert_absent ("broken", "libacc-backend-broken.so: ");
  if (geteuid () == 0)
    {
      g_assert_cmpint (chown (file, 12345, 12345), ==, 0);
      assert_absent ("broken", "belongs to user 12345");
      g_assert_cmpint (chown (file, 0, 0), ==, 0);
      g_assert_cmpint (chown (folder, 12345, 12345), ==, 0);
      assert_absent ("broken", "belongs to user 12345");
      g_assert_cmpint (n_warnings, ==, 4);
    }

  if (before != NULL)
    g_setenv ("ACC_BACKENDS_DIR", before, TRUE);
  else
    g_unsetenv ("ACC_BACKENDS_DIR");
  g_assert_cmpint (g_remove (file), ==, 0);
  g_assert_cmpint (g_remove (folder), ==, 0);
}

static void
test_list (void)
{
  static const char *expected[] = { "interpreter", "native", "cuda", "vulkan", "opencl", "pjrt", "tensorflow", "echo" };
  g_autoptr(GListModel) list = acc_backend_list ();

  g_assert_true (g_list_model_get_item_type (list) == ACC_TYPE_BACKEND_INFO);
  g_assert_cmpuint (g_list_model_get_n_items (list), >=, G_N_ELEMENTS (expected));

  for (guint i = 0; i < g_list_model_get_n_items (list); i++)
    {
      g_autoptr(AccBackendInfo) info = g_list_model_get_item (list, i);
      gboolean present = acc_backend_info_get_reason (info) == NULL;

      if (i < G_N_ELEMENTS (expected))
        g_assert_cmpstr (acc_backend_info_get_name (info), ==, expected[i]);
      g_assert_true (present == (acc_backend_info_get_description (info) != NULL));
      g_assert_true (present == (acc_backend_info_get_memory (info) > 0));
      g_assert_true (present == (acc_backend_info_get_n_threads (info) > 0));
      if (g_str_equal (acc_backend_info_get_name (info), "interpreter"))
        g_assert_true (present);
    }
}

static void
test_default (void)
{
  g_autoptr(GError) error = NULL;
  AccBackend *backend;

  if (g_test_subprocess ())
    {
      g_assert_null (acc_backend_get_default (&error));
      g_assert_error (error, ACC_ERROR, ACC_ERROR_UNSUPPORTED);
      g_assert_true (g_str_has_prefix (error->message, "ACC_BACKEND: "));
      g_clear_error (&error);

      g_setenv ("ACC_BACKEND", "echo:5", TRUE);
      backend = acc_backend_get_default (&error);
      g_assert_no_error (error);
      g_assert_cmpstr (acc_backend_get_name (backend), ==, "echo:5");
      g_unsetenv ("ACC_BACKEND");
      g_assert_true (acc_backend_get_default (&error) == backend);
      return;
    }

  g_setenv ("ACC_BACKEND", "echo:9", TRUE);
  g_test_trap_subprocess (NULL, 0, G_TEST_SUBPROCESS_DEFAULT);
  g_test_trap_assert_passed ();
  g_unsetenv ("ACC_BACKEND");

  backend = acc_backend_get_default (&error);
  g_assert_no_error (error);
  g_assert_true (backend == acc_backend_get_default (&error));
}

static void
count_notify (GObject *object, GParamSpec *pspec, gpointer user_data)
{
  (*(guint *) user_data)++;
}

static void
test_memory (void)
{
  g_autoptr(AccBackend) backend = make_backend ("echo");
  g_autoptr(GError) error = NULL;
  AccBuffer *buffer;
  guint64 used, high, limit;
  guint notified = 0;

  g_assert_cmpuint (acc_backend_get_memory_limit (backend), ==, acc_machine_get_memory () / 4);

  g_signal_connect (backend, "notify::memory-limit", G_CALLBACK (count_notify), &notified);
  acc_backend_set_memory_limit (backend, 1000);
  acc_backend_set_memory_limit (backend, 1000);
  g_object_set (backend, "memory-limit", (guint64) 2000, NULL);
  g_assert_cmpuint (notified, ==, 2);

  buffer = acc_backend_allocate (backend, 1500, "chunk", &error);
  g_assert_no_error (error);
  g_assert_null (acc_backend_allocate (backend, 501, "chunk", &error));
  g_assert_error (error, ACC_ERROR, ACC_ERROR_OUT_OF_MEMORY);
  g_clear_error (&error);
  acc_buffer_unref (buffer);

  g_object_get (backend, "memory-used", &used, "memory-high-water", &high, "memory-limit", &limit, NULL);
  g_assert_cmpuint (used, ==, 0);
  g_assert_cmpuint (high, ==, 1500);
  g_assert_cmpuint (limit, ==, 2000);
  g_assert_cmpuint (acc_budget_get_limit (acc_backend_get_budget (backend)), ==, 2000);

  g_setenv ("ACC_MEMORY_LIMIT", "64M", TRUE);
  g_object_unref (backend);
  backend = make_backend ("echo");
  g_assert_cmpuint (acc_backend_get_memory_limit (backend), ==, 64 << 20);
  g_setenv ("ACC_MEMORY_LIMIT", "much", TRUE);
  g_assert_null (acc_backend_new_for_name ("echo", &error));
  g_assert_error (error, ACC_ERROR, ACC_ERROR_PARSE);
  g_unsetenv ("ACC_MEMORY_LIMIT");
}

static AccArray *
make_array (const char *code, const gint64 *extents, guint rank)
{
  static guint8 zeros[1024];
  g_autoptr(AccElementType) type = acc_element_type_parse (code, NULL);
  g_autoptr(AccShape) shape = acc_shape_new (extents, rank);
  g_autoptr(GBytes) bytes = g_bytes_new_static (zeros, acc_shape_get_size (shape) * acc_element_type_get_size (type));

  return acc_array_use (type, shape, bytes);
}

static AccArray *
take_first (AccArray **arrays, guint n_arrays, gpointer user_data)
{
  return g_object_ref (arrays[0]);
}

static AccExecutable *
compile_echo (const char *signature)
{
  const char *signatures[] = { signature, NULL };
  g_autoptr(AccBackend) backend = make_backend ("echo");
  g_autoptr(AccProgram) program = acc_program_new (signatures, take_first, NULL);
  g_autoptr(GError) error = NULL;
  AccExecutable *executable = acc_backend_compile (backend, program, NULL, &error);

  g_assert_no_error (error);
  g_assert_true (acc_executable_get_backend (executable) == backend);
  g_assert_true (acc_executable_get_program (executable) == program);

  return executable;
}

static void
assert_refuses (AccExecutable *executable, AccArray *argument, int code, const char *message)
{
  g_autoptr(GError) error = NULL;

  g_assert_null (acc_executable_run (executable, &argument, 1, NULL, &error));
  g_assert_error (error, ACC_ERROR, code);
  if (strstr (error->message, message) == NULL)
    g_error ("“%s” does not say “%s”", error->message, message);
}

static void
test_arguments (void)
{
  const gint64 extents[] = { 4, 5, 3 };
  const gint64 others[] = { 4, 5, 2 };
  g_autoptr(AccExecutable) executable = compile_echo ("u1[:,:,3]");
  g_autoptr(AccArray) right = make_array ("u1", extents, 3);
  g_autoptr(AccArray) wrong_type = make_array ("i1", extents, 3);
  g_autoptr(AccArray) wrong_rank = make_array ("u1", extents, 2);
  g_autoptr(AccArray) wrong_extent = make_array ("u1", others, 3);
  g_autoptr(AccArray) delayed = acc_array_flatten (right);
  g_autoptr(AccArray) broken = acc_array_unzip (right, 7);
  g_autoptr(GPtrArray) results = NULL;
  g_autoptr(GError) error = NULL;
  g_autoptr(GCancellable) cancellable = g_cancellable_new ();
  AccArray *two[] = { right, right };

  results = acc_executable_run (executable, &right, 1, NULL, &error);
  g_assert_no_error (error);
  g_assert_true (g_ptr_array_index (results, 0) == right);

  assert_refuses (executable, wrong_type, ACC_ERROR_TYPE, "argument 1 is i1[4,5,3], but the program takes u1[:,:,3]");
  assert_refuses (executable, wrong_rank, ACC_ERROR_SHAPE, "argument 1 is u1[4,5], but the program takes u1[:,:,3]");
  assert_refuses (executable, wrong_extent, ACC_ERROR_SHAPE, "argument 1 is u1[4,5,2]");
  assert_refuses (executable, delayed, ACC_ERROR_SHAPE, "argument 1 is u1[60], but the program takes u1[:,:,3]");
  assert_refuses (executable, NULL, ACC_ERROR_TYPE, "argument 1 is not an array");
  g_assert_null (acc_executable_run (executable, &broken, 1, NULL, &error));
  g_assert_nonnull (error);
  g_clear_error (&error);

  g_assert_null (acc_executable_run (executable, NULL, 0, NULL, &error));
  g_assert_error (error, ACC_ERROR, ACC_ERROR_SHAPE);
  g_assert_cmpstr (error->message, ==, "the program takes 1 argument, not 0");
  g_clear_error (&error);
  g_assert_null (acc_executable_run (executable, two, 2, NULL, &error));
  g_assert_error (error, ACC_ERROR, ACC_ERROR_SHAPE);
  g_clear_error (&error);

  g_cancellable_cancel (cancellable);
  g_assert_null (acc_executable_run (executable, &right, 1, cancellable, &error));
  g_assert_error (error, G_IO_ERROR, G_IO_ERROR_CANCELLED);
}

typedef struct {
  AccSource parent_instance;
} NoSource;
typedef AccSourceClass NoSourceClass;
GType no_source_get_type (void);
G_DEFINE_TYPE (NoSource, no_source, ACC_TYPE_SOURCE)
static void no_source_class_init (NoSourceClass *klass) {}
static void no_source_init (NoSource *self) {}

static void
test_sources (void)
{
  g_autoptr(AccElementType) type = acc_element_type_parse ("u1", NULL);
  g_autoptr(AccShape) shape = acc_shape_new_matrix (4, 4);
  g_autoptr(AccSource) source = g_object_new (no_source_get_type (), "element-type", type, "shape", shape, NULL);
  g_autoptr(AccArray) array = acc_array_new_from_source (source);
  g_autoptr(AccArray) flat = acc_array_flatten (array);
  g_autoptr(AccProgram) program = acc_program_new_for_results (&flat, 1);
  g_autoptr(AccBackend) backend = make_backend ("echo");
  g_autoptr(GError) error = NULL;
  g_autoptr(AccExecutable) executable = acc_backend_compile (backend, program, NULL, &error);

  g_assert_no_error (error);
  acc_array_set_label (array, "camera");
  g_assert_null (acc_executable_run (executable, NULL, 0, NULL, &error));
  g_assert_error (error, ACC_ERROR, ACC_ERROR_STREAM);
  g_assert_true (g_str_has_prefix (error->message, "source “camera” streams"));
}

/* Rows of numbers from 0 on. */
typedef struct {
  AccSource parent_instance;
} RowSource;

typedef AccSourceClass RowSourceClass;

GType row_source_get_type (void);
G_DEFINE_TYPE (RowSource, row_source, ACC_TYPE_SOURCE)

static gboolean
row_source_read (AccSource *self, AccChunk *chunk, GCancellable *cancellable, GError **error)
{
  gint64 *to = (gint64 *) (guintptr) acc_chunk_get_address (chunk, 0), n = (gint64) acc_chunk_get_size (chunk, 0) / 8;
  gint64 first = acc_chunk_get_first_row (chunk) * (n / MAX (acc_chunk_get_n_rows (chunk), 1));

  for (gint64 i = 0; i < n; i++)
    to[i] = first + i;

  return TRUE;
}

static void
row_source_class_init (RowSourceClass *klass)
{
  klass->read = row_source_read;
}

static void
row_source_init (RowSource *self)
{
}

static AccExpr *
plus (AccExpr *x, AccExpr *y, gpointer data)
{
  return acc_expr_add (x, y);
}

#define N_ROWS    1000
#define N_COLUMNS 200

/* A backend that computes no rows has them computed by the host, within its own limit. */
static void
test_rows_of_host (void)
{
  g_autoptr(AccElementType) type = acc_element_type_parse ("i8", NULL);
  g_autoptr(AccShape) shape = acc_shape_new_matrix (N_ROWS, N_COLUMNS);
  g_autoptr(AccSource) source = g_object_new (row_source_get_type (), "element-type", type, "shape", shape, NULL);
  g_autoptr(AccArray) array = acc_array_new_from_source (source), sums = acc_array_fold1 (array, plus, NULL), sum = NULL;
  g_autoptr(AccBackend) backend = make_backend ("echo");
  g_autoptr(GError) error = NULL;
  const gint64 *elements;
  g_autoptr(GBytes) bytes = NULL;

  acc_backend_set_memory_limit (backend, N_ROWS * N_COLUMNS * 8 / 4);
  sum = acc_backend_run (backend, sums, NULL, &error);
  g_assert_no_error (error);
  bytes = acc_array_dup_bytes (sum, 0, &error);
  elements = g_bytes_get_data (bytes, NULL);
  for (gint64 i = 0; i < N_ROWS; i++)
    g_assert_cmpint (elements[i], ==, N_COLUMNS * N_COLUMNS * i + N_COLUMNS * (N_COLUMNS - 1) / 2);
  g_assert_cmpuint (acc_backend_get_memory_high_water (backend), >, N_ROWS * 8);
  g_assert_cmpuint (acc_backend_get_memory_high_water (backend), <=, acc_backend_get_memory_limit (backend));

  /* Another run has room, although the host keeps memory of the one before. */
  g_clear_object (&sum);
  acc_backend_set_memory_limit (backend, acc_backend_get_memory_high_water (backend));
  sum = acc_backend_run (backend, sums, NULL, &error);
  g_assert_no_error (error);
}

typedef struct {
  GMainLoop    *loop;
  GAsyncResult *result;
} Wait;

static void
on_done (GObject *source, GAsyncResult *result, gpointer user_data)
{
  Wait *wait = user_data;

  wait->result = g_object_ref (result);
  g_main_loop_quit (wait->loop);
}

static void
test_async (void)
{
  const gint64 extents[] = { 4 };
  const char *signatures[] = { "u1[:]", NULL };
  Wait wait = { g_main_loop_new (NULL, FALSE), NULL };
  g_autoptr(AccBackend) backend = make_backend ("echo");
  g_autoptr(AccProgram) program = acc_program_new (signatures, take_first, NULL);
  g_autoptr(AccArray) array = make_array ("u1", extents, 1);
  g_autoptr(AccExecutable) executable = NULL;
  g_autoptr(GPtrArray) results = NULL;
  g_autoptr(GError) error = NULL;

  acc_backend_compile_async (backend, program, NULL, on_done, &wait);
  g_main_loop_run (wait.loop);
  executable = acc_backend_compile_finish (backend, wait.result, &error);
  g_assert_no_error (error);
  g_clear_object (&wait.result);

  acc_executable_run_async (executable, &array, 1, NULL, on_done, &wait);
  g_main_loop_run (wait.loop);
  results = acc_executable_run_finish (executable, wait.result, &error);
  g_assert_no_error (error);
  g_assert_true (g_ptr_array_index (results, 0) == array);
  g_clear_object (&wait.result);

  acc_executable_run_async (executable, NULL, 0, NULL, on_done, &wait);
  g_main_loop_run (wait.loop);
  g_assert_null (acc_executable_run_finish (executable, wait.result, &error));
  g_assert_error (error, ACC_ERROR, ACC_ERROR_SHAPE);
  g_clear_object (&wait.result);
  g_main_loop_unref (wait.loop);
}

static void
note_thread (gpointer data, GObject *gone)
{
  *(GThread **) data = g_thread_self ();
}

/* When a result is there, nobody else holds anything: what was let go of has ended, and on this thread. */
static void
test_async_ends_here (void)
{
  const gint64 extents[] = { 4 };
  const char *signatures[] = { "u1[:]", NULL };
  Wait wait = { g_main_loop_new (NULL, FALSE), NULL };
  g_autoptr(AccProgram) program = acc_program_new (signatures, take_first, NULL);

  for (guint i = 0; i < 300; i++)
    {
      AccBackend *backend = make_backend ("echo");
      AccArray *array = make_array ("u1", extents, 1);
      GThread *ended[3] = { NULL, NULL, NULL };
      g_autoptr(GError) error = NULL;
      AccExecutable *executable;
      GPtrArray *results;

      g_object_weak_ref (G_OBJECT (backend), note_thread, &ended[0]);
      acc_backend_compile_async (backend, program, NULL, on_done, &wait);
      g_main_loop_run (wait.loop);
      executable = acc_backend_compile_finish (backend, wait.result, &error);
      g_assert_no_error (error);
      g_clear_object (&wait.result);
      g_object_unref (backend);
      g_object_weak_ref (G_OBJECT (executable), note_thread, &ended[1]);
      g_object_weak_ref (G_OBJECT (array), note_thread, &ended[2]);

      acc_executable_run_async (executable, &array, 1, NULL, on_done, &wait);
      g_main_loop_run (wait.loop);
      results = acc_executable_run_finish (executable, wait.result, &error);
      g_assert_no_error (error);
      g_ptr_array_unref (results);
      g_object_unref (array);
      g_object_unref (executable);
      g_clear_object (&wait.result);
      for (guint k = 0; k < G_N_ELEMENTS (ended); k++)
        g_assert_true (ended[k] == g_thread_self ());
    }
  g_main_loop_unref (wait.loop);
}

static void
check_patient_ended (void)
{
  if (!g_atomic_int_get (&patient_ended))
    _exit (3);
}

/* Drivers take themselves down when a process exits: what is under way ends before them. */
static void
test_exit (void)
{
  const gint64 extents[] = { 4 };
  const char *signatures[] = { "u1[:]", NULL };
  g_autoptr(AccBackend) backend = NULL;
  g_autoptr(AccProgram) program = NULL;
  g_autoptr(AccArray) array = NULL;
  g_autoptr(AccExecutable) executable = NULL;

  if (!g_test_subprocess ())
    {
      g_test_trap_subprocess (NULL, 0, G_TEST_SUBPROCESS_DEFAULT);
      g_test_trap_assert_passed ();
      return;
    }

  /* As a driver's, which is there before anything runs. */
  atexit (check_patient_ended);
  backend = make_backend ("echo:patient");
  program = acc_program_new (signatures, take_first, NULL);
  array = make_array ("u1", extents, 1);
  executable = acc_backend_compile (backend, program, NULL, NULL);
  acc_executable_run_async (executable, &array, 1, NULL, NULL, NULL);
  while (!g_atomic_int_get (&patient_began))
    g_usleep (1000);
  exit (0);
}

int
main (int argc, char **argv)
{
  g_log_set_writer_func (count_warnings, NULL, NULL);
  g_test_init (&argc, &argv, NULL);

  g_unsetenv ("ACC_MEMORY_LIMIT");
  g_type_ensure (ACC_TYPE_BACKEND);
  g_io_extension_point_implement (ACC_BACKEND_EXTENSION_POINT, echo_backend_get_type (), "echo", 0);

  g_test_add_func ("/backend/names", test_names);
  g_test_add_func ("/backend/modules", test_modules);
  g_test_add_func ("/backend/list", test_list);
  g_test_add_func ("/backend/default", test_default);
  g_test_add_func ("/backend/memory", test_memory);
  g_test_add_func ("/executable/arguments", test_arguments);
  g_test_add_func ("/executable/sources", test_sources);
  g_test_add_func ("/executable/rows-of-host", test_rows_of_host);
  g_test_add_func ("/executable/async", test_async);
  g_test_add_func ("/executable/async/ends-here", test_async_ends_here);
  g_test_add_func ("/executable/exit", test_exit);

  return g_test_run ();
}
