/* SPDX-License-Identifier: LGPL-2.1-or-later */

/* What the planner decides, and why. */
#include "fake-backend.h"

#include "acc-core/backend/acc-backend-private.h"

#include <string.h>

#define MIB (1024 * 1024)

typedef struct {
  Script       script;
  FakeBackend *backend;
  AccArray    *array;
} Fixture;

/* Grey, blur, gradient, thin, connect: halo of six rows, as edge detection has, over rows of 16000 i4. */
static void
set_up (Fixture *f, gconstpointer data)
{
  guint value;

  script_init (&f->script);
  value = script_add_source (&f->script, 16000, 16000, 1);
  value = script_add_stage (&f->script, value, 0, 0);
  value = script_add_stage (&f->script, value, 2, 2);
  value = script_add_stage (&f->script, value, 1, 1);
  value = script_add_stage (&f->script, value, 1, 1);
  value = script_add_stage (&f->script, value, 1, 1);
  script_make_result (&f->script, value);
  f->backend = fake_backend_new (&f->script);
  f->array = script_dup_result (&f->script, 0);
}

static void
tear_down (Fixture *f, gconstpointer data)
{
  g_clear_object (&f->array);
  g_assert_finalize_object (f->backend);
  script_clear (&f->script);
}

static AccPlan *
plan (Fixture *f, guint64 limit, gint64 chunk_rows)
{
  g_autoptr(GError) error = NULL;
  AccPlan *result;

  acc_backend_set_memory_limit (ACC_BACKEND (f->backend), limit);
  result = acc_backend_plan (ACC_BACKEND (f->backend), f->array, NULL, chunk_rows, &error);
  g_assert_no_error (error);

  return result;
}

static void
test_free (Fixture *f, gconstpointer data)
{
  g_autoptr(AccPlan) p = plan (f, 0, 0);
  guint64 chunk = (guint64) acc_plan_get_chunk_rows (p) * 64000;
  g_autofree char *text = acc_plan_to_string (p);

  g_assert_cmpuint (chunk, >=, MIB);
  g_assert_cmpuint (chunk, <=, 4 * MIB);
  g_assert_cmpint (acc_plan_get_halo_above (p), ==, 5);
  g_assert_cmpint (acc_plan_get_halo_below (p), ==, 5);
  g_assert_cmpuint (acc_plan_get_n_input_slots (p), ==, 3);
  g_assert_cmpuint (acc_plan_get_n_output_slots (p), ==, 3);
  g_assert_cmpuint (acc_plan_get_n_chunks (p), ==, (16000 + 5 + acc_plan_get_chunk_rows (p) - 1) / acc_plan_get_chunk_rows (p));
  g_assert_cmpuint (acc_plan_get_bytes (p), ==,
                    acc_plan_get_fixed_bytes (p) + acc_plan_get_row_bytes (p) * (guint64) acc_plan_get_chunk_rows (p));
  g_assert_cmpuint (acc_plan_get_bytes (p), <, 64 * MIB);
  g_assert_cmpuint (acc_plan_get_read_bytes (p), ==, (guint64) 16000 * 16000 * 4);
  g_assert_cmpuint (acc_plan_get_written_bytes (p), ==, (guint64) 16000 * 16000 * 4);

  g_test_message ("%s", text);
  g_assert_nonnull (strstr (text, "source “tape 1”"));
  g_assert_nonnull (strstr (text, "halo     5 rows above, 5 below"));
  g_assert_nonnull (strstr (text, "device   fake: scripted steps"));
}

/* A larger limit is not a larger chunk. */
static void
test_generous (Fixture *f, gconstpointer data)
{
  g_autoptr(AccPlan) p = plan (f, 0, 0);
  g_autoptr(AccPlan) q = plan (f, (guint64) 16 * 1024 * MIB, 0);

  g_assert_cmpint (acc_plan_get_chunk_rows (p), ==, acc_plan_get_chunk_rows (q));
  g_assert_cmpuint (acc_plan_get_bytes (p), ==, acc_plan_get_bytes (q));
}

/* Fewer rows, then fewer buffers: never more than allowed, and with as much overlap as there is memory for. */
static void
test_tight (Fixture *f, gconstpointer data)
{
  gint64 rows = G_MAXINT64;
  guint slots = 3;

  for (guint64 limit = 64 * MIB; limit > 2 * MIB; limit = limit * 4 / 5)
    {
      g_autoptr(AccPlan) p = plan (f, limit, 0);

      g_assert_cmpuint (acc_plan_get_bytes (p), <=, limit);
      g_assert_cmpuint (acc_plan_get_n_input_slots (p), <=, slots);
      if (acc_plan_get_n_input_slots (p) == 3)
        g_assert_cmpint (acc_plan_get_chunk_rows (p), <=, rows);
      slots = acc_plan_get_n_input_slots (p);
      rows = acc_plan_get_chunk_rows (p);
    }

  g_assert_cmpuint (slots, <, 3);
}

static void
test_too_tight (Fixture *f, gconstpointer data)
{
  g_autoptr(GError) error = NULL;

  acc_backend_set_memory_limit (ACC_BACKEND (f->backend), MIB);
  g_assert_null (acc_backend_plan (ACC_BACKEND (f->backend), f->array, NULL, 0, &error));
  g_assert_error (error, ACC_ERROR, ACC_ERROR_OUT_OF_MEMORY);
  g_assert_nonnull (strstr (error->message, "chunks of 1 row needs"));
  g_assert_nonnull (strstr (error->message, "1048576"));
  g_test_message ("%s", error->message);
}

/* What others hold is not there to be planned with. */
static void
test_used (Fixture *f, gconstpointer data)
{
  AccBudget *budget = acc_backend_get_budget (ACC_BACKEND (f->backend));
  g_autoptr(AccPlan) p = plan (f, 32 * MIB, 0);
  g_autoptr(AccPlan) q = NULL;

  g_assert_true (acc_budget_reserve (budget, 22 * MIB, "others", NULL));
  q = plan (f, 32 * MIB, 0);
  g_assert_cmpuint (acc_plan_get_bytes (q), <=, 10 * MIB);
  g_assert_cmpuint (acc_plan_get_bytes (p), >, 10 * MIB);
  acc_budget_release (budget, 22 * MIB, "others");
}

typedef struct {
  AccBudget *budget;
  guint64    held;
} Pool;

static guint64
reclaim (guint64 wanted, gpointer data)
{
  Pool *pool = data;
  guint64 freed = pool->held;

  acc_budget_release (pool->budget, freed, "recycled");
  pool->held = 0;

  return freed;
}

/* Recycled memory counts as used, but gives way. */
static void
test_recycled (Fixture *f, gconstpointer data)
{
  AccBudget *budget = acc_backend_get_budget (ACC_BACKEND (f->backend));
  g_autoptr(AccPlan) p = plan (f, 64 * MIB, 0);
  g_autoptr(AccPlan) q = NULL;
  Pool pool = { budget, 60 * MIB };

  g_assert_true (acc_budget_reserve (budget, 60 * MIB, "recycled", NULL));
  acc_budget_add_reclaim (budget, reclaim, &pool);
  q = plan (f, 64 * MIB, 0);
  g_assert_cmpint (acc_plan_get_chunk_rows (q), ==, acc_plan_get_chunk_rows (p));
  g_assert_cmpuint (acc_budget_get_used (budget), ==, 0);
  acc_budget_remove_reclaim (budget, reclaim, &pool);
}

static void
test_asked_for (Fixture *f, gconstpointer data)
{
  static const gint64 heights[] = { 1, 7, 100, 16000, 100000 };
  guint64 bytes = 0;

  for (guint i = 0; i < G_N_ELEMENTS (heights); i++)
    {
      g_autoptr(AccPlan) p = plan (f, 0, heights[i]);

      g_assert_cmpint (acc_plan_get_chunk_rows (p), ==, MIN (heights[i], 16005));
      g_assert_cmpuint (acc_plan_get_bytes (p), >=, bytes);
      bytes = acc_plan_get_bytes (p);
    }
}

/* Sizes that no machine has are errors, not overflows. */
static void
test_huge (void)
{
  Script script;
  g_autoptr(FakeBackend) backend = NULL;
  g_autoptr(AccArray) array = NULL;
  g_autoptr(AccPlan) p = NULL;
  g_autoptr(GError) error = NULL;

  script_init (&script);
  script_make_result (&script, script_add_stage (&script, script_add_source (&script, 3, (gint64) 1 << 50, 1), 1, 1));
  backend = fake_backend_new (&script);
  acc_backend_set_memory_limit (ACC_BACKEND (backend), (guint64) 1 << 40);
  array = script_dup_result (&script, 0);
  p = acc_backend_plan (ACC_BACKEND (backend), array, NULL, 0, &error);
  g_assert_null (p);
  g_assert_error (error, ACC_ERROR, ACC_ERROR_OUT_OF_MEMORY);
  script_clear (&script);
}

/* Rows of one element: chunks of bytes, not of rows. */
static void
test_vector (void)
{
  Script script;
  g_autoptr(FakeBackend) backend = NULL;
  g_autoptr(AccArray) array = NULL;
  g_autoptr(AccPlan) p = NULL;

  script_init (&script);
  script_make_result (&script, script_add_stage (&script, script_add_source (&script, 100000000, 1, 1), 1, 1));
  backend = fake_backend_new (&script);
  array = script_dup_result (&script, 0);
  p = acc_backend_plan (ACC_BACKEND (backend), array, NULL, 0, NULL);
  g_assert_cmpint (acc_plan_get_chunk_rows (p) * 4, >=, MIB);
  g_assert_cmpint (acc_plan_get_chunk_rows (p) * 4, <=, 4 * MIB);
  script_clear (&script);
}

/* Rows pass through memory of the host on their way to and from a device; windows take none of it. */
static void
test_device (Fixture *f, gconstpointer data)
{
  guint64 whole = (guint64) 16000 * 16000 * 4;
  static const guint parts[] = { 1, 20, 100 };

  f->script.on_device = TRUE;
  for (guint i = 0; i < G_N_ELEMENTS (parts); i++)
    {
      guint64 limit = parts[i] == 1 ? 0 : whole / parts[i];
      g_autoptr(AccPlan) p = plan (f, limit, 0);
      g_autofree char *text = acc_plan_to_string (p);
      gint64 chunk_bytes = acc_plan_get_chunk_rows (p) * 16000 * 4;

      g_test_message ("%s", text);
      g_assert_cmpint (chunk_bytes, <=, 32 * MIB);
      g_assert_cmpint (chunk_bytes, >=, limit == 0 ? 4 * MIB : 64 * 1000);
      g_assert_true (limit == 0 || acc_plan_get_bytes (p) <= limit);
      g_assert_cmpuint (acc_plan_get_n_input_slots (p), >=, 2);
      g_assert_cmpuint (acc_plan_get_n_output_slots (p), >=, 2);
      g_assert_nonnull (strstr (text, "on the device"));
      g_assert_nonnull (strstr (text, "upload from"));
      g_assert_nonnull (strstr (text, "download to"));
    }
}

#define ADD(name, func) g_test_add ("/stream/plan/" name, Fixture, NULL, set_up, func, tear_down)

int
main (int argc, char **argv)
{
  g_test_init (&argc, &argv, NULL);
  ADD ("free", test_free);
  ADD ("generous", test_generous);
  ADD ("tight", test_tight);
  ADD ("too-tight", test_too_tight);
  ADD ("used", test_used);
  ADD ("recycled", test_recycled);
  ADD ("asked-for", test_asked_for);
  ADD ("device", test_device);
  g_test_add_func ("/stream/plan/huge", test_huge);
  g_test_add_func ("/stream/plan/vector", test_vector);

  return g_test_run ();
}
