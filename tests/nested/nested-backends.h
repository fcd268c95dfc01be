/* SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

/* Functions of elements on a backend, and on the interpreter, which is the judge. */

#include <acc/acc.h>

#include <stdio.h>

static AccBackend *backend, *judge;

/* What ACC_TEST_BACKENDS names, else @usual. FALSE: it is not there, need not be, and the output says so. */
static inline gboolean
open_backends (const char *usual)
{
  g_autoptr(GError) error = NULL;
  const char *name = g_getenv ("ACC_TEST_BACKENDS");

  backend = acc_backend_new_for_name (name != NULL && *name != '\0' ? name : usual, &error);
  if (backend == NULL && g_getenv ("ACC_TEST_OPTIONAL") != NULL)
    {
      printf ("1..0 # SKIP %s\n", error->message);
      return FALSE;
    }
  g_assert_no_error (error);
  judge = acc_backend_new_for_name ("interpreter", &error);
  g_assert_no_error (error);

  return TRUE;
}

/* Whether all cases are gone through: compilers of devices take long, unless that is asked for. */
static inline gboolean
takes_all_cases (void)
{
  const char *name = g_getenv ("ACC_TEST_BACKENDS");

  return name == NULL || g_str_equal (name, "interpreter") || g_str_equal (name, "native")
         || g_strcmp0 (g_getenv ("ACC_TEST_THOROUGH"), "0") > 0;
}

static inline AccArray *
run (AccBackend *where, AccArray *array)
{
  g_autoptr(GError) error = NULL;
  AccArray *result = acc_backend_run (where, array, NULL, &error);

  g_assert_no_error (error);

  return result;
}

static inline int
run_tests (void)
{
  int status = g_test_run ();

  g_object_unref (backend);
  g_object_unref (judge);

  return status;
}
