/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "acc-backends/runtime/device/acc-pool.h"

#include "acc-error.h"

#include <string.h>

#define MIB (1024 * 1024)

static void
test_recycles (void)
{
  g_autoptr(AccBudget) budget = acc_budget_new (0);
  g_autoptr(AccPool) pool = acc_pool_new (budget, 64 * MIB);
  g_autoptr(GError) error = NULL;
  AccBuffer *first = acc_pool_allocate (pool, 3 * MIB, "first", &error);
  gpointer data = first->data;
  AccBuffer *second;

  g_assert_no_error (error);
  g_assert_cmpuint ((guintptr) data % 64, ==, 0);
  memset (first->data, 1, first->size);
  acc_buffer_unref (first);
  g_assert_cmpuint (acc_pool_get_idle (pool), ==, 3 * MIB);
  g_assert_cmpuint (acc_budget_get_used (budget), ==, 3 * MIB);

  second = acc_pool_allocate (pool, 3 * MIB - 1000, "second", &error);
  g_assert_no_error (error);
  g_assert_true (second->data == data);
  g_assert_cmpuint (acc_pool_get_idle (pool), ==, 0);

  /* Too small for the idle block's waste. */
  acc_buffer_unref (second);
  second = acc_pool_allocate (pool, 1 * MIB, "third", &error);
  g_assert_true (second->data != data);
  acc_buffer_unref (second);
  g_assert_cmpuint (acc_pool_get_idle (pool), ==, 4 * MIB);
  g_assert_cmpuint (acc_pool_trim (pool, 1), ==, 3 * MIB);
  acc_pool_close (pool);
  g_assert_cmpuint (acc_budget_get_used (budget), ==, 0);
}

static void
test_limit (void)
{
  g_autoptr(AccBudget) budget = acc_budget_new (10 * MIB);
  g_autoptr(AccPool) pool = acc_pool_new (budget, 0);
  g_autoptr(GError) error = NULL;
  AccBuffer *a = acc_pool_allocate (pool, 6 * MIB, "a", &error);
  AccBuffer *b;

  g_assert_no_error (error);
  g_assert_null (acc_pool_allocate (pool, 6 * MIB, "b", &error));
  g_assert_error (error, ACC_ERROR, ACC_ERROR_OUT_OF_MEMORY);
  g_clear_error (&error);

  /* Idle memory makes room. */
  acc_buffer_unref (a);
  g_assert_cmpuint (acc_budget_get_used (budget), ==, 6 * MIB);
  b = acc_pool_allocate (pool, 9 * MIB, "b", &error);
  g_assert_no_error (error);
  g_assert_cmpuint (acc_budget_get_used (budget), ==, 9 * MIB);
  acc_buffer_unref (b);

  /* A recycled block's waste gives way too. */
  a = acc_pool_allocate (pool, 8 * MIB, "a", &error);
  b = acc_pool_allocate (pool, 2 * MIB, "b", &error);
  g_assert_no_error (error);
  acc_buffer_unref (a);
  acc_buffer_unref (b);
  g_assert_cmpuint (acc_budget_get_high_water (budget), <=, 10 * MIB);
}

static void
test_each_reservation_fails (void)
{
  for (guint k = 1; k < 8; k++)
    {
      g_autoptr(AccBudget) budget = acc_budget_new (0);
      g_autoptr(AccPool) pool = acc_pool_new (budget, 0);
      guint failures = 0;

      acc_budget_fail_nth (budget, k);
      for (guint i = 0; i < 7; i++)
        {
          g_autoptr(GError) error = NULL;
          g_autoptr(AccBuffer) buffer = acc_pool_allocate (pool, i % 2 ? MIB : 100, "x", &error);

          if (buffer == NULL)
            {
              g_assert_error (error, ACC_ERROR, ACC_ERROR_OUT_OF_MEMORY);
              g_assert_cmpint (i, ==, k - 1);
              failures++;
            }
        }
      g_assert_cmpint (failures, ==, 1);
      acc_pool_close (pool);
      g_assert_cmpuint (acc_budget_get_used (budget), ==, 0);
    }
}

static void
test_outlives (void)
{
  g_autoptr(AccBudget) budget = acc_budget_new (0);
  AccPool *pool = acc_pool_new (budget, 0);
  AccBuffer *buffer = acc_pool_allocate (pool, MIB, "kept", NULL);
  AccBuffer *small = acc_pool_allocate (pool, 8, "kept", NULL);

  acc_pool_close (pool);
  acc_pool_unref (pool);
  memset (buffer->data, 1, buffer->size);
  g_assert_cmpuint (acc_budget_get_used (budget), ==, MIB + 8);
  acc_buffer_unref (buffer);
  acc_buffer_unref (small);
  g_assert_cmpuint (acc_budget_get_used (budget), ==, 0);
}

static void
test_idle_limit (void)
{
  g_autoptr(AccBudget) budget = acc_budget_new (0);
  g_autoptr(AccPool) pool = acc_pool_new (budget, 4 * MIB);
  AccBuffer *buffers[8];

  for (guint i = 0; i < 8; i++)
    buffers[i] = acc_pool_allocate (pool, MIB, "x", NULL);
  for (guint i = 0; i < 8; i++)
    acc_buffer_unref (buffers[i]);
  g_assert_cmpuint (acc_pool_get_idle (pool), ==, 4 * MIB);
  g_assert_cmpuint (acc_budget_get_used (budget), ==, 4 * MIB);
  buffers[0] = acc_pool_allocate (pool, 8 * MIB, "x", NULL);
  acc_buffer_unref (buffers[0]);
  g_assert_cmpuint (acc_pool_get_idle (pool), ==, 4 * MIB);
}

typedef struct {
  AccPool *pool;
  guint32  seed;
} Churn;

static gpointer
churn_main (gpointer data)
{
  Churn *churn = data;
  g_autoptr(GRand) rand = g_rand_new_with_seed (churn->seed);
  AccBuffer *held[16] = { NULL };

  for (guint i = 0; i < 3000; i++)
    {
      guint k = g_rand_int_range (rand, 0, 16);

      g_clear_pointer (&held[k], acc_buffer_unref);
      held[k] = acc_pool_allocate (churn->pool, g_rand_int_range (rand, 1, 300000), "churn", NULL);
      if (held[k] != NULL)
        {
          ((guint8 *) held[k]->data)[0] = churn->seed;
          ((guint8 *) held[k]->data)[held[k]->size - 1] = churn->seed;
        }
      for (guint j = 0; j < 16; j++)
        if (held[j] != NULL)
          g_assert_cmpint (((guint8 *) held[j]->data)[0], ==, (guint8) churn->seed);
    }
  for (guint j = 0; j < 16; j++)
    g_clear_pointer (&held[j], acc_buffer_unref);

  return NULL;
}

static void
test_threads (void)
{
  g_autoptr(AccBudget) budget = acc_budget_new (8 * MIB);
  g_autoptr(AccPool) pool = acc_pool_new (budget, 2 * MIB);
  Churn churns[4];
  GThread *threads[4];

  for (guint i = 0; i < 4; i++)
    {
      churns[i] = (Churn) { pool, i + 1 };
      threads[i] = g_thread_new ("churn", churn_main, &churns[i]);
    }
  for (guint i = 0; i < 4; i++)
    g_thread_join (threads[i]);
  g_assert_cmpuint (acc_budget_get_high_water (budget), <=, 8 * MIB);
  g_assert_cmpuint (acc_budget_get_used (budget), ==, acc_pool_get_idle (pool));
  acc_pool_close (pool);
  g_assert_cmpuint (acc_budget_get_used (budget), ==, 0);
}

int
main (int    argc,
      char **argv)
{
  g_test_init (&argc, &argv, NULL);
  g_test_add_func ("/pool/recycles", test_recycles);
  g_test_add_func ("/pool/limit", test_limit);
  g_test_add_func ("/pool/each-reservation-fails", test_each_reservation_fails);
  g_test_add_func ("/pool/outlives", test_outlives);
  g_test_add_func ("/pool/idle-limit", test_idle_limit);
  g_test_add_func ("/pool/threads", test_threads);

  return g_test_run ();
}
