/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "stream-external.h"

#include "acc-core/array/acc-array-private.h"
#include "acc-core/backend/acc-backend-private.h"
#include "acc-core/data/acc-budget-private.h"

#include <string.h>

/* --- data */

typedef enum {
  RANDOM,
  ASCENDING,
  DESCENDING,
  EQUAL,
  FEW,             /* values */
  N_ORDERS
} Order;

typedef struct {
  const char *code;
  gint64      n;
  Order       order;
} Data;

static guint64
get_number (const Data *data, gint64 i)
{
  guint64 x = (guint64) i * G_GUINT64_CONSTANT (0x9E3779B97F4A7C15);

  switch (data->order)
    {
    case ASCENDING:
      return (guint64) i;
    case DESCENDING:
      return (guint64) (data->n - i);
    case EQUAL:
      return 7;
    case FEW:
      return (x >> 40) % 5;
    case RANDOM:
    case N_ORDERS:
    default:
      return x ^ x >> 29;
    }
}

static void
set_number (guint8 *to, AccElementType *type, gint64 i, guint64 x)
{
  gsize width = acc_element_type_get_size (type);
  AccElementKind kind = acc_element_type_get_kind (type);

  to += (gsize) i * width;
  if (kind == ACC_KIND_F32)
    {
      static const float odd[] = { -0.0f, 0.0f, G_MAXFLOAT };
      float value = x % 11 < 3 ? odd[x % 11] : (float) (gint32) x;
      guint32 nan = 0x7fc00000 + (guint32) (x & 0xff) + (x & 0x100 ? 0x80000000 : 0);

      if (x % 13 == 5)
        memcpy (to, &nan, sizeof nan);
      else
        memcpy (to, &value, sizeof value);
    }
  else if (kind == ACC_KIND_F64)
    {
      double value = (double) (gint64) x;

      memcpy (to, &value, sizeof value);
    }
  else
    {
      if (kind == ACC_KIND_BOOL)
        x &= 1;
      memcpy (to, &x, width);
    }
}

/* A vector in memory. */
static AccArray *
make_array (const Data *data)
{
  AccElementType *type = acc_element_type_parse (data->code, NULL);
  guint n_buffers = acc_element_type_get_n_buffers (type);
  g_autoptr(AccShape) shape = acc_shape_new_vector (data->n);
  g_autofree AccBuffer **buffers = g_new0 (AccBuffer *, n_buffers + 1);

  for (guint b = 0; b < n_buffers; b++)
    {
      AccElementType *leaf = acc_element_type_is_tuple (type) ? acc_element_type_get_item (type, b) : type;
      gsize size = (gsize) data->n * acc_element_type_get_size (leaf);
      guint8 *bytes = g_malloc0 (MAX (size, 1));

      for (gint64 i = 0; i < data->n; i++)
        set_number (bytes, leaf, i, get_number (data, i) + (b > 0 ? (guint64) i : 0));
      buffers[b] = acc_buffer_new (bytes, size, g_free, bytes);
    }

  return acc_array_new_manifest (type, shape, buffers);
}

/* The same from a file of @format. */
static AccArray *
make_file (AccBackend *backend, AccArray *array, const char *format)
{
  g_autoptr(GBytes) bytes = test_file_new (backend, array, format);
  g_autoptr(AccSource) source = test_file_open (bytes, format, acc_array_get_element_type (array), acc_array_get_shape (array));

  return acc_array_new_from_source (source);
}

/* --- comparison */

typedef struct {
  AccBackend                *backend;
  const TestExternalProgram *program;
} Case;

/* Within @limit besides what is held. NULL: it was enough; else the error. */
static GError *
write_within (AccBackend *backend, AccArray *array, AccArray *expected, guint64 limit)
{
  g_autoptr(TestSink) sink = test_sink_new ();
  GError *error = NULL;

  if (test_write_within (backend, array, sink, limit, &error))
    test_sink_assert_same (sink, expected);

  return error;
}

/* For rows, and what the source holds. */
#define ENOUGH 600000

/* The least memory that errors ask for, of a run with next to none, and of those with what the one before asked for; where that is before
 * an external algorithm, ENOUGH; 0: it needs no more than that. */
static guint64
find_least (AccBackend *backend, AccArray *array, AccArray *expected)
{
  guint64 least = 4096;

  for (guint i = 0; i < 8; i++)
    {
      g_autoptr(GError) error = write_within (backend, array, expected, least);
      const char *needs, *free;
      guint64 more;

      if (error == NULL)
        return i > 0 ? least : 0;
      g_assert_error (error, ACC_ERROR, ACC_ERROR_OUT_OF_MEMORY);
      needs = strstr (error->message, "out of core");
      needs = needs != NULL ? strstr (needs, " needs ") : NULL;
      if (needs == NULL)
        return ENOUGH;
      more = g_ascii_strtoull (needs + strlen (" needs "), NULL, 10);
      free = strstr (needs, " bytes ");
      g_assert_nonnull (free);
      least += more - MIN (more, g_ascii_strtoull (free + strlen (" bytes "), NULL, 10));
    }

  return ENOUGH;
}

static gboolean
is_judge (AccBackend *backend)
{
  return strcmp (acc_backend_get_name (backend), "interpreter") == 0;
}

static void
check_data (const Case *c, const Data *data, const char *format)
{
  g_autoptr(AccArray) memory = make_array (data), file = make_file (c->backend, memory, format), same = c->program->build (memory),
    array = c->program->build (file), expected = NULL;
  guint64 bytes = (guint64) data->n * acc_element_type_get_size (acc_array_get_element_type (memory)), least;
  g_autoptr(GError) error = NULL;

  acc_array_check (same, &error);
  g_assert_no_error (error);
  expected = acc_backend_run (c->backend, same, NULL, &error);
  g_assert_no_error (error);
  g_clear_error (&error);

  least = bytes > 65536 ? find_least (c->backend, array, expected) : 0;
  if (c->program->is_kept && is_judge (c->backend))
    least = MAX (least, MAX (4 * bytes, ENOUGH));
  for (guint i = 0; i < 4; i++)
    {
      guint64 limit = i == 3 ? least : bytes / (i == 0 ? 4 : i == 1 ? 20 : 1);

      error = write_within (c->backend, array, expected, MAX (MAX (limit, least), least == 0 ? ENOUGH : 0));
      if (error != NULL)
        g_error ("%s of %s, order %u, within %" G_GUINT64_FORMAT " of %" G_GUINT64_FORMAT " bytes: %s", c->program->name, data->code,
                 data->order, limit, bytes, error->message);
    }
}

static void
test_program (gconstpointer user_data)
{
  const Case *c = user_data;
  g_auto(GStrv) codes = g_strsplit (c->program->codes, " ", -1);

  for (guint i = 0; codes[i] != NULL; i++)
    for (guint order = 0; order < N_ORDERS; order++)
      {
        gint64 n = is_judge (c->backend) ? 60000 : i == 0 ? 300000 : 100000;

        if ((is_judge (c->backend) || i > 1) && i > 0 && order > 0)
          continue;
        check_data (c, &(Data) { codes[i], n, order }, (i + order) % 2 == 0 ? "npy" : "raw");
      }
  for (gint64 n = 0; n < 4; n++)
    check_data (c, &(Data) { codes[0], n, RANDOM }, "npy");
}

void
test_external_add (const char *name, AccBackend *backend, const TestExternalProgram *programs, guint n_programs)
{
  g_object_ref (backend);   /* to the end */
  for (guint i = 0; i < n_programs; i++)
    {
      g_autofree char *path = g_strdup_printf ("/stream/external/%s/%s", name, programs[i].name);
      Case *c = g_new (Case, 1);

      *c = (Case) { backend, &programs[i] };
      g_test_add_data_func_full (path, c, test_program, g_free);
    }
}

/* --- what goes wrong */

void
test_external_set_up (TestExternal *f, gconstpointer data)
{
  g_autoptr(GError) error = NULL;
  g_autoptr(AccArray) array = NULL;

  f->backend = acc_backend_new_for_name ("interpreter", &error);
  g_assert_no_error (error);
  f->source = test_source_new ("i4", (gint64[]) { 200000 }, 1, 1);
  array = acc_array_new_from_source (ACC_SOURCE (f->source));
  f->sorted = acc_array_sort (array, FALSE);
  acc_array_set_label (f->sorted, "all");
  acc_backend_set_memory_limit (f->backend, acc_budget_get_used (acc_backend_get_budget (f->backend)) + 200000);
}

void
test_external_tear_down (TestExternal *f, gconstpointer data)
{
  g_clear_object (&f->sorted);
  g_assert_cmpint (f->source->n_started, ==, f->source->n_finished);
  g_clear_object (&f->source);
  g_assert_cmpuint (acc_backend_get_temporary_used (f->backend), ==, 0);
  acc_budget_spare (acc_backend_get_budget (f->backend), G_MAXINT64);
  g_assert_cmpuint (acc_budget_get_used (acc_backend_get_budget (f->backend)), ==, 0);
  g_object_unref (f->backend);
}

void
test_external_expect_failure (TestExternal *f, GCancellable *cancellable, GQuark domain, int code, const char *first, const char *second)
{
  g_autoptr(TestSink) sink = test_sink_new ();
  g_autoptr(GError) error = NULL;

  g_assert_false (acc_backend_write (f->backend, f->sorted, ACC_SINK (sink), cancellable, &error));
  g_test_message ("%s", error->message);
  g_assert_error (error, domain, code);
  g_assert_nonnull (strstr (error->message, first));
  g_assert_nonnull (strstr (error->message, second));
  test_sink_assert_ended (sink, FALSE);
  g_assert_cmpuint (acc_backend_get_temporary_used (f->backend), ==, 0);
}

/* No matter which reservation is refused. */
void
test_external_check_refused (TestExternal *f, gconstpointer data)
{
  for (guint nth = 1; nth < 400; nth += nth < 40 ? 1 : 37)
    {
      g_autoptr(TestSink) sink = test_sink_new ();
      g_autoptr(GError) error = NULL;
      gboolean done;

      acc_budget_fail_nth (acc_backend_get_budget (f->backend), nth);
      done = acc_backend_write (f->backend, f->sorted, ACC_SINK (sink), NULL, &error);
      acc_budget_fail_nth (acc_backend_get_budget (f->backend), 0);
      if (!done)
        g_assert_error (error, ACC_ERROR, ACC_ERROR_OUT_OF_MEMORY);
      test_sink_assert_ended (sink, done);
      g_assert_cmpuint (acc_backend_get_temporary_used (f->backend), ==, 0);
    }
}
