/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "stream-limits.h"

#include "stream-files.h"

#include "acc-core/backend/acc-backend-private.h"
#include "acc-core/data/acc-budget-private.h"
#include "acc-core/data/acc-sink-private.h"

#include <math.h>
#include <string.h>

/* One run for so many plans. */
#define EVERY 32

static guint
get_n_plans (void)
{
  const char *text = g_getenv ("ACC_TEST_PLANS");

  return text != NULL && *text != '\0' ? (guint) g_ascii_strtoull (text, NULL, 10) : 105;
}

static AccPlan *
plan_within (AccBackend *backend, AccArray *array, TestSink *sink, guint64 limit, GError **error)
{
  AccBudget *budget = acc_backend_get_budget (backend);
  AccPlan *plan;
  guint64 before;

  acc_budget_spare (budget, G_MAXINT64);
  before = acc_budget_get_used (budget);
  acc_budget_set_limit (budget, before + limit);
  plan = acc_backend_plan (backend, array, ACC_SINK (sink), 0, error);
  acc_budget_set_limit (budget, 0);
  acc_budget_spare (budget, G_MAXINT64);
  g_assert_cmpuint (acc_budget_get_used (budget), <=, before);
  if (plan == NULL)
    g_assert_error (*error, ACC_ERROR, ACC_ERROR_OUT_OF_MEMORY);
  else if (acc_plan_get_bytes (plan) > limit)
    g_test_fail_printf ("a plan of %" G_GUINT64_FORMAT " bytes within %" G_GUINT64_FORMAT, acc_plan_get_bytes (plan), limit);

  return plan;
}

/* A plan that does not know what comes after a stage says so. */
static gboolean
says_so (AccPlan *plan, const GError *failed)
{
  g_autofree char *text = acc_plan_to_string (plan);

  return (strstr (text, "unknown  ") != NULL || strstr (text, "refused  if") != NULL)
         && g_error_matches (failed, ACC_ERROR, ACC_ERROR_OUT_OF_MEMORY);
}

void
limits_test (AccBackend *backend, const char *name, AccArray *array, guint64 bytes, guint64 resident, gboolean decides)
{
  guint64 planned = G_MAXUINT64, run = G_MAXUINT64;
  guint n = get_n_plans ();
  double phase = g_test_rand_double ();

  for (guint i = 0; i < n; i++)
    {
      guint64 limit = resident + (guint64) ((double) bytes / 40 * pow (160, (i + phase) / n));
      g_autoptr(TestSink) sink = test_sink_new ();
      g_autoptr(GError) error = NULL, failed = NULL;
      g_autoptr(AccPlan) plan = NULL;

      sink->resident = resident;
      acc_sink_set_takes_elements (ACC_SINK (sink));
      plan = plan_within (backend, array, sink, limit, &error);
      if (plan == NULL && limit > planned)
        g_test_fail_printf ("%s: refused within %" G_GUINT64_FORMAT ", not within %" G_GUINT64_FORMAT ": %s", name, limit, planned,
                            error->message);
      planned = plan != NULL ? MIN (planned, limit) : planned;
      if (i % EVERY != 0)
        continue;
      if (test_write_within (backend, array, sink, limit, &failed))
        run = MIN (run, limit);
      else if (limit > run)
        g_test_fail_printf ("%s: does not run within %" G_GUINT64_FORMAT ", does within %" G_GUINT64_FORMAT ": %s", name, limit, run,
                            failed->message);
      if (plan == NULL ? failed == NULL && !decides : failed != NULL && !says_so (plan, failed))
        g_test_fail_printf ("%s within %" G_GUINT64_FORMAT ": the plan is %s, the run is %s", name, limit,
                            plan != NULL ? "made" : error->message, failed == NULL ? "done" : failed->message);
    }
}

/* --- reservations */

/* Whether it came to the refusal, and the run did without. */
typedef enum { UNTOUCHED, DONE, REFUSED } Outcome;

static Outcome
write_refused (AccBackend *backend, AccArray *array, TestSink *sink, guint64 limit, guint nth, GError **error)
{
  AccBudget *budget = acc_backend_get_budget (backend);
  gboolean done;

  acc_sink_set_takes_elements (ACC_SINK (sink));
  acc_budget_fail_nth (budget, nth);
  done = test_write_within (backend, array, sink, limit, error);
  if (acc_budget_fail_nth (budget, 0) > 0 || nth == 0)
    return UNTOUCHED;

  return done ? DONE : REFUSED;
}

void
limits_test_refusals (AccBackend *backend, const char *name, AccArray *array, guint64 limit, gboolean near)
{
  g_autoptr(TestSink) expected = test_sink_new ();
  g_autoptr(GError) none = NULL;
  guint counts[3] = { 0 };

  write_refused (backend, array, expected, limit, 0, &none);
  for (guint k = 1; none == NULL && counts[UNTOUCHED] == 0; k += 1 + k / 32)
    {
      g_autoptr(TestSink) sink = test_sink_new ();
      g_autoptr(GError) error = NULL;

      counts[write_refused (backend, array, sink, limit, k, &error)]++;
      if (error != NULL && !g_error_matches (error, ACC_ERROR, ACC_ERROR_OUT_OF_MEMORY))
        g_error ("%s, reservation %u: %s", name, k, error->message);
      for (guint i = 0; error == NULL && !near && i < sink->n_buffers; i++)
        g_assert_cmpmem (sink->buffers[i]->data, sink->buffers[i]->len, expected->buffers[i]->data, expected->buffers[i]->len);
    }
  if (none != NULL)
    g_error ("%s: %s", name, none->message);
  g_test_message ("%s within %" G_GUINT64_FORMAT ": %u runs refused, %u did without", name, limit, counts[REFUSED], counts[DONE]);
  g_assert_cmpuint (counts[REFUSED] + counts[DONE], >, 0);
}
