/* SPDX-License-Identifier: LGPL-2.1-or-later */

/* Walks on a device with memory of its own: what the next step reads is sent there while this one computes, once, where memory has room for
 * it, and comes to the same. */

#include "tests/nested/nested-backends.h"

#include "acc-core/backend/acc-backend-private.h"
#include "acc-core/data/acc-budget-private.h"
#include "acc-seq/sequence/acc-sequence-iterator-private.h"
#include "acc-seq/stream/acc-evaluate-private.h"
#include "acc-seq/stream/acc-memory-source-private.h"

#include <string.h>

/* Elements are too large to go in the order of kernels. */
enum { N = 13, LENGTH = 20000, BYTES = LENGTH * 4 };

/* --- what goes to the device, as it tells */

static gint n_sent, n_uploaded;   /* ahead; in all, of as many bytes as an element has, or more */

static GLogWriterOutput
count_uploads (GLogLevelFlags level, const GLogField *fields, gsize n_fields, gpointer data)
{
  for (gsize i = 0; i < n_fields; i++)
    {
      const char *text = strcmp (fields[i].key, "MESSAGE") == 0 ? strstr (fields[i].value, "device: upload ") : NULL;

      if (text == NULL || g_ascii_strtoll (text + strlen ("device: upload "), NULL, 10) < BYTES)
        continue;
      g_atomic_int_inc (&n_uploaded);
      if (strstr (text, "read ahead") != NULL)
        g_atomic_int_inc (&n_sent);
    }

  return level <= G_LOG_LEVEL_WARNING ? g_log_writer_default (level, fields, n_fields, data) : G_LOG_WRITER_HANDLED;
}

/* --- walks */

static AccExpr *third (AccExpr *x, gpointer data) { return acc_expr_fdiv (x, acc_expr_new_float (3)); }
static AccExpr *plus (AccExpr *x, AccExpr *y, gpointer data) { return acc_expr_add (x, y); }

static AccArray *thirds (AccArray **a, guint n, gpointer data) { return acc_array_map (a[0], third, NULL); }
static AccArray *add_all (AccArray **a, guint n, gpointer data) { return acc_array_zip_with (a[0], a[1], plus, NULL); }

/* @n rows of LENGTH floats. */
static AccArray *
make_rows (gint64 n)
{
  g_autoptr(AccShape) shape = acc_shape_new_matrix (n, LENGTH);
  float *values = g_new (float, n * LENGTH);
  g_autoptr(GBytes) bytes = NULL;

  for (gint64 i = 0; i < n * LENGTH; i++)
    values[i] = (float) ((i * 7919) % 1009);
  bytes = g_bytes_new_take (values, (gsize) n * BYTES);

  return acc_array_use (acc_element_type_new (ACC_KIND_F32), shape, bytes);
}

/* A producer, whose elements are read by a thread of its own. */
static AccSequence *
read_list (AccArray *rows)
{
  g_autoptr(GListStore) store = g_list_store_new (ACC_TYPE_ARRAY);

  for (gint64 i = 0; i < N; i++)
    {
      g_autoptr(AccArray) one = acc_array_take_on (rows, 0, acc_expr_new_typed_int (acc_element_type_new (ACC_KIND_I64), i + 1)),
        row = acc_array_drop_on (one, 0, acc_expr_new_typed_int (acc_element_type_new (ACC_KIND_I64), i)),
        flat = acc_array_flatten (row), computed = run (judge, flat);

      g_list_store_append (store, computed);
    }

  return acc_sequence_new_from_arrays (G_LIST_MODEL (store));
}

/* Rows that a stream brings. */
static AccSequence *
read_source (AccArray *rows)
{
  g_autoptr(AccArray) array = acc_memory_source_new_rows (rows);

  return acc_sequence_new_from_array (array);
}

typedef AccSequence *(*Read) (AccArray *rows);

static const struct { const char *name; Read read; } ways[] = { { "list", read_list }, { "source", read_source } };

static AccArray *
walk (AccBackend *where, Read read, AccArray *rows, gint64 chunk)
{
  g_autoptr(AccSequence) all = read (rows), mapped = acc_sequence_map (all, thirds, NULL);
  g_autoptr(AccArray) folded = acc_sequence_fold (mapped, NULL, add_all, NULL);
  g_autoptr(GError) error = NULL;
  g_autoptr(GPtrArray) results = NULL;

  n_sent = n_uploaded = 0;
  results = acc_evaluate_with_chunk_rows (where, &folded, 1, chunk, NULL, &error);
  g_assert_no_error (error);

  return g_object_ref (g_ptr_array_index (results, 0));
}

static void
assert_same (AccArray *x, AccArray *y)
{
  g_autoptr(GBytes) a = acc_array_dup_bytes (x, 0, NULL), b = acc_array_dup_bytes (y, 0, NULL);

  g_assert_true (g_bytes_equal (a, b));
}

static void
test_once (gconstpointer data)
{
  Read read = ways[GPOINTER_TO_UINT (data)].read;
  g_autoptr(AccArray) rows = make_rows (N), expected = walk (judge, read, rows, 1);

  for (gint64 chunk = 1; chunk <= 4; chunk += 3)
    {
      g_autoptr(AccArray) got = walk (backend, read, rows, chunk);

      assert_same (got, expected);
      g_test_message ("%d of %d", n_sent, n_uploaded);
      /* Where a step takes long, what was read for the next one is cut, and goes with the steps. */
      if (chunk > 1)
        {
          g_assert_cmpint (n_sent, >, 0);
          continue;
        }
      g_assert_cmpint (n_sent, ==, N);
      g_assert_cmpint (n_uploaded, ==, N);
    }
}

/* What runs took so far leaves no room. */
static void
test_without_room (gconstpointer data)
{
  Read read = ways[GPOINTER_TO_UINT (data)].read;
  g_autoptr(AccArray) rows = make_rows (N), expected = walk (judge, read, rows, 1);
  guint64 limit = acc_backend_get_memory_limit (backend);
  gint n_done = 0;

  for (guint64 allowed = 64 * BYTES; allowed >= 2 * BYTES; allowed = allowed * 3 / 5)
    {
      g_autoptr(AccArray) folded = NULL;
      g_autoptr(AccSequence) all = read (rows), mapped = acc_sequence_map (all, thirds, NULL);
      g_autoptr(GPtrArray) results = NULL;
      g_autoptr(GError) error = NULL;
      AccBudget *budget = acc_backend_get_budget (backend);

      folded = acc_sequence_fold (mapped, NULL, add_all, NULL);
      acc_budget_spare (budget, G_MAXUINT64);
      acc_budget_reset_high_water (budget);
      acc_backend_set_memory_limit (backend, acc_budget_get_used (budget) + allowed);
      results = acc_evaluate_with_chunk_rows (backend, &folded, 1, 1, NULL, &error);
      g_assert_cmpuint (acc_budget_get_high_water (budget), <=, acc_backend_get_memory_limit (backend));
      acc_backend_set_memory_limit (backend, limit);
      if (results != NULL)
        assert_same (g_ptr_array_index (results, 0), expected);
      else
        g_assert_error (error, ACC_ERROR, ACC_ERROR_OUT_OF_MEMORY);
      n_done += results != NULL;
    }
  g_assert_cmpint (n_done, >, 0);
}

/* Iteration that stops early: what was sent is given up. */
static void
test_stop (gconstpointer data)
{
  Read read = ways[GPOINTER_TO_UINT (data)].read;
  g_autoptr(AccArray) rows = make_rows (N);

  for (guint i = 0; i < 4; i++)
    {
      g_autoptr(AccSequence) all = read (rows), mapped = acc_sequence_map (all, thirds, NULL);
      g_autoptr(AccSequenceIterator) iterator = acc_sequence_iterate (mapped, backend);
      g_autoptr(GError) error = NULL;

      acc_sequence_iterator_set_chunk (iterator, 1);
      for (guint k = 0; k < i; k++)
        {
          g_autoptr(AccArray) element = acc_sequence_iterator_next (iterator, NULL, &error);

          g_assert_no_error (error);
          g_assert_nonnull (element);
        }
    }
}

int
main (int argc, char *argv[])
{
  g_setenv ("ACC_DEBUG", "transfers", TRUE);
  g_log_set_writer_func (count_uploads, NULL, NULL);
  g_test_init (&argc, &argv, NULL);
  if (!open_backends ("native"))
    return 0;

  for (guint i = 0; i < G_N_ELEMENTS (ways); i++)
    {
      g_autofree char *once = g_strdup_printf ("/sequence/sends/once/%s", ways[i].name),
        *room = g_strdup_printf ("/sequence/sends/without-room/%s", ways[i].name),
        *stop = g_strdup_printf ("/sequence/sends/stop/%s", ways[i].name);

      g_test_add_data_func (once, GUINT_TO_POINTER (i), test_once);
      g_test_add_data_func (room, GUINT_TO_POINTER (i), test_without_room);
      g_test_add_data_func (stop, GUINT_TO_POINTER (i), test_stop);
    }

  return run_tests ();
}
