/* SPDX-License-Identifier: LGPL-2.1-or-later */

/* What backends take of the host's memory is bounded, and counted before work begins: results that no memory holds, those that are
 * brought down in pieces, what is fetched, and what is moved out of a device. ACC_TEST_BACKENDS names the backends. */

#include <acc/acc.h>

#include <string.h>

#define N     ((gint64) 128 * 1024)
#define BYTES ((guint64) N * sizeof (gint64))
#define KIB   ((guint64) 1024)

static AccBackend *
open_backend (const char *name)
{
  g_autoptr(GError) error = NULL;
  AccBackend *backend = acc_backend_new_for_name (name, &error);

  g_assert_no_error (error);

  return backend;
}

/* Whether the host's memory has a limit of its own; sets both. */
static gboolean
set_limits (AccBackend *backend, guint64 limit, guint64 host_limit)
{
  acc_backend_set_host_memory_limit (backend, host_limit);
  g_assert_cmpuint (acc_backend_get_host_memory_limit (backend), ==, host_limit);
  acc_backend_set_memory_limit (backend, limit);
  g_assert_cmpuint (acc_backend_get_memory_limit (backend), ==, limit);

  return acc_backend_get_host_memory_limit (backend) == host_limit;
}

static AccExpr *
low_byte (AccExpr *index, gpointer data)
{
  return acc_expr_cast (acc_expr_item (index, 0), acc_element_type_new (ACC_KIND_U8));
}

static AccExpr *
add_one (AccExpr *x, gpointer data)
{
  return acc_expr_add (x, acc_expr_new_typed_int (acc_expr_get_element_type (x), 1));
}

static AccExpr *
plus (AccExpr *x, AccExpr *y, gpointer data)
{
  return acc_expr_add (x, y);
}

static AccExpr *
get_index (AccExpr *index, gpointer data)
{
  return acc_expr_add (acc_expr_item (index, 0), acc_expr_new_int (GPOINTER_TO_INT (data)));
}

static AccArray *
count_from (int first)
{
  g_autoptr(AccShape) shape = acc_shape_new_vector (N);

  return acc_array_generate (shape, get_index, GINT_TO_POINTER (first));
}

static void
assert_count (AccArray *array, int first)
{
  g_autoptr(GError) error = NULL;
  g_autoptr(GBytes) bytes = acc_array_dup_bytes (array, 0, &error);
  const gint64 *values;

  g_assert_no_error (error);
  values = g_bytes_get_data (bytes, NULL);
  for (gint64 i = 0; i < N; i++)
    g_assert_cmpint (values[i], ==, i + first);
}

static void
assert_refused (const GError *error)
{
  g_assert_error (error, ACC_ERROR, ACC_ERROR_OUT_OF_MEMORY);
  g_test_message ("%s", error->message);
  g_assert_nonnull (strstr (error->message, "needs"));
  g_assert_nonnull (strstr (error->message, "allow"));
}

/* --- more than any memory */

static AccProgram *
make_program (AccArrayFunc function, gpointer data, gboolean with_parameter)
{
  g_autoptr(GError) error = NULL;
  AccProgram *program = acc_program_new ((const char *[]) { with_parameter ? "u1[:]" : NULL, NULL }, function, data);

  g_assert_true (acc_program_check (program, &error));

  return program;
}

static AccArray *
never (AccArray **arrays, guint n, gpointer data)
{
  g_autoptr(AccShape) scalar = acc_shape_new_scalar ();

  return acc_array_fill (scalar, acc_expr_new_bool (FALSE));
}

static AccArray *
map_plus_one (AccArray **arrays, guint n, gpointer data)
{
  return acc_array_map (arrays[0], add_one, NULL);
}

typedef enum { FILL, GENERATE, MAP, SCAN, LOOP } Kind;

static AccArray *
make_huge (Kind kind, gint64 n)
{
  g_autoptr(AccShape) shape = acc_shape_new_vector (n);
  g_autoptr(AccArray) bytes = acc_array_generate (shape, low_byte, NULL);

  switch (kind)
    {
    case FILL:
      return acc_array_fill (shape, acc_expr_new_typed_int (acc_element_type_new (ACC_KIND_U8), 7));
    case GENERATE:
      return g_steal_pointer (&bytes);
    case MAP:
      return acc_array_map (bytes, add_one, NULL);
    case SCAN:
      return acc_array_scanl1 (bytes, plus, NULL);
    case LOOP:
      {
        g_autoptr(AccProgram) condition = make_program (never, NULL, TRUE), step = make_program (map_plus_one, NULL, TRUE);

        return acc_array_while_loop (bytes, condition, step);
      }
    default:
      g_assert_not_reached ();
    }
}

static AccArray *
pass_huge (AccArray **arrays, guint n, gpointer data)
{
  return g_object_ref (data);
}

static void
keep_result (GObject *source, GAsyncResult *result, gpointer data)
{
  *(GAsyncResult **) data = g_object_ref (result);
}

static void
refuse (AccBackend *backend, AccArray *huge)
{
  g_autoptr(GError) error = NULL;

  g_assert_null (acc_backend_run (backend, huge, NULL, &error));
  assert_refused (error);
}

static void
refuse_each_way (AccBackend *backend, AccArray *huge)
{
  g_autoptr(AccArray) small = count_from (0), unlike = acc_array_map (huge, add_one, NULL);
  g_autoptr(GError) many = NULL, executed = NULL, later = NULL, compiled = NULL;
  g_autoptr(GAsyncResult) result = NULL;
  g_autoptr(AccExecutable) executable = NULL;
  g_autoptr(AccProgram) program = NULL;

  refuse (backend, huge);

  g_assert_null (acc_backend_run_many (backend, (AccArray *[]) { small, unlike, huge }, 3, NULL, &many));
  assert_refused (many);

  program = make_program (pass_huge, huge, FALSE);
  executable = acc_backend_compile (backend, program, NULL, &compiled);
  g_assert_no_error (compiled);
  g_assert_null (acc_executable_run (executable, NULL, 0, NULL, &executed));
  g_assert_error (executed, ACC_ERROR, ACC_ERROR_OUT_OF_MEMORY);

  acc_backend_run_async (backend, huge, NULL, keep_result, &result);
  while (result == NULL)
    g_main_context_iteration (NULL, TRUE);
  g_assert_null (acc_backend_run_finish (backend, result, &later));
  assert_refused (later);
}

static void
test_huge (gconstpointer name)
{
  static const gint64 sizes[] = { G_GINT64_CONSTANT (100000000000), (gint64) 1 << 40, (gint64) 1 << 45 };
  g_autoptr(AccBackend) backend = open_backend (name);
  g_autoptr(AccArray) small = count_from (3), result = NULL;
  g_autoptr(GError) error = NULL;

  g_assert_cmpuint (acc_backend_get_host_memory_limit (backend), >, 0);
  for (guint i = 0; i < G_N_ELEMENTS (sizes); i++)
    for (guint kind = 0; kind <= LOOP; kind++)
      {
        g_autoptr(AccArray) huge = make_huge (kind, sizes[i]);

        g_test_message ("kind %u, %" G_GINT64_FORMAT, kind, sizes[i]);
        if (i == 0)
          refuse_each_way (backend, huge);
        else
          refuse (backend, huge);
      }

  result = acc_backend_run (backend, small, NULL, &error);
  g_assert_no_error (error);
  assert_count (result, 3);
}

/* --- less than that */

/* Through a device that has no room for it, to a host that has, or has not. */
static void
test_pieces (gconstpointer name)
{
  g_autoptr(AccBackend) backend = open_backend (name);
  g_autoptr(AccArray) array = count_from (5), result = NULL;
  g_autoptr(GError) refused = NULL, error = NULL;

  if (!set_limits (backend, 512 * KIB, 900 * KIB))
    {
      g_test_skip ("its memory is the host's");
      return;
    }

  g_assert_null (acc_backend_run (backend, array, NULL, &refused));
  assert_refused (refused);
  g_assert_nonnull (strstr (refused->message, "the host's memory"));
  g_assert_cmpuint (acc_backend_get_host_memory_used (backend), <, BYTES / 2);

  acc_backend_set_host_memory_limit (backend, 2048 * KIB);
  result = acc_backend_run (backend, array, NULL, &error);
  g_assert_no_error (error);
  assert_count (result, 5);
  g_assert_cmpuint (acc_backend_get_host_memory_used (backend), >=, BYTES);
  g_clear_object (&result);
  g_assert_cmpuint (acc_backend_get_host_memory_used (backend), <, BYTES);
}

#define N_KEPT 12

static guint
compute_kept (AccBackend *backend, AccArray **kept)
{
  guint n = 0;

  for (guint i = 0; i < N_KEPT; i++)
    {
      g_autoptr(AccArray) array = count_from (i);
      g_autoptr(GError) error = NULL;

      kept[i] = acc_backend_run (backend, array, NULL, &error);
      g_assert_cmpuint (acc_backend_get_host_memory_used (backend), <=, acc_backend_get_host_memory_limit (backend));
      if (kept[i] == NULL)
        assert_refused (error);
      n += kept[i] != NULL;
    }

  return n;
}

static void
clear_kept (AccArray **kept)
{
  for (guint i = 0; i < N_KEPT; i++)
    g_clear_object (&kept[i]);
}

/* Arrays on a device are read one after the other. */
static void
test_fetched (gconstpointer name)
{
  g_autoptr(AccBackend) backend = open_backend (name);
  AccArray *kept[N_KEPT];
  guint n_read = 0;

  if (!set_limits (backend, 0, 4 * BYTES))
    {
      g_test_skip ("its memory is the host's");
      return;
    }

  g_assert_cmpuint (compute_kept (backend, kept), ==, N_KEPT);
  for (guint i = 0; i < N_KEPT; i++)
    {
      g_autoptr(GError) error = NULL;
      g_autoptr(GBytes) bytes = acc_array_dup_bytes (kept[i], 0, &error);

      g_assert_cmpuint (acc_backend_get_host_memory_used (backend), <=, 4 * BYTES);
      if (bytes == NULL)
        assert_refused (error);
      else
        n_read++;
    }
  /* All, where nothing has to be fetched. */
  g_assert_true (n_read == N_KEPT ? acc_backend_get_host_memory_used (backend) < BYTES : n_read == 4);

  for (guint i = 0; i < N_KEPT - 4; i++)
    g_clear_object (&kept[i]);
  for (guint i = N_KEPT - 4; i < N_KEPT; i++)
    assert_count (kept[i], (int) i);
  clear_kept (kept);
}

/* More arrays than both have room for. */
static void
test_moved_out (gconstpointer name)
{
  g_autoptr(AccBackend) backend = open_backend (name);
  AccArray *kept[N_KEPT];
  guint n;

  if (!set_limits (backend, 4 * BYTES, 3 * BYTES + BYTES / 2))
    {
      g_test_skip ("its memory is the host's");
      return;
    }

  n = compute_kept (backend, kept);
  g_assert_cmpuint (n, >=, 4);
  g_assert_cmpuint (n, <=, 7);
  for (guint i = 0; i < N_KEPT; i++)
    if (kept[i] != NULL && n > 3)
      {
        g_clear_object (&kept[i]);
        n--;
      }
  for (guint i = 0; i < N_KEPT; i++)
    if (kept[i] != NULL)
      assert_count (kept[i], (int) i);
  clear_kept (kept);
}

/* Chunks are as small as the host's memory asks for. */
static void
test_chunks (gconstpointer name)
{
  g_autoptr(AccBackend) backend = open_backend (name);
  g_autoptr(GOutputStream) stream = g_memory_output_stream_new_resizable ();
  g_autoptr(AccArray) array = count_from (9);
  g_autoptr(AccSink) sink = NULL;
  g_autoptr(GError) error = NULL;
  const gint64 *values;

  if (!set_limits (backend, 64 * KIB * KIB, 192 * KIB))
    {
      g_test_skip ("its memory is the host's");
      return;
    }

  sink = acc_sink_new_for_stream (stream, "raw", &error);
  g_assert_no_error (error);
  acc_backend_write (backend, array, sink, NULL, &error);
  g_assert_no_error (error);
  g_assert_cmpuint (acc_backend_get_host_memory_used (backend), <=, 192 * KIB);
  g_assert_cmpuint (g_memory_output_stream_get_data_size (G_MEMORY_OUTPUT_STREAM (stream)), ==, BYTES);
  values = g_memory_output_stream_get_data (G_MEMORY_OUTPUT_STREAM (stream));
  for (gint64 i = 0; i < N; i++)
    g_assert_cmpint (values[i], ==, i + 9);
}

int
main (int argc, char **argv)
{
  static const struct {
    const char *name;
    void      (*test) (gconstpointer);
  } tests[] = {
    { "huge", test_huge },
    { "pieces", test_pieces },
    { "fetched", test_fetched },
    { "moved-out", test_moved_out },
    { "chunks", test_chunks },
  };
  const char *named = g_getenv ("ACC_TEST_BACKENDS");
  g_auto(GStrv) names = g_strsplit (named != NULL && *named != '\0' ? named : "native,interpreter,opencl,vulkan,cuda", ",", -1);

  g_test_init (&argc, &argv, NULL);
  g_unsetenv ("ACC_MEMORY_LIMIT");
  for (guint i = 0; names[i] != NULL; i++)
    {
      g_autoptr(AccBackend) backend = acc_backend_new_for_name (names[i], NULL);

      for (guint k = 0; k < G_N_ELEMENTS (tests) && backend != NULL; k++)
        {
          g_autofree char *path = g_strdup_printf ("/host-memory/%s/%s", names[i], tests[k].name);

          g_test_add_data_func (path, names[i], tests[k].test);
        }
    }

  return g_test_run ();
}
