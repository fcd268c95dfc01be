/* SPDX-License-Identifier: LGPL-2.1-or-later */

/* A backend whose library is not there, or is another, says which and why: test-absent BACKEND WANTED, where WANTED is part of the
 * message. */

#include <acc/acc.h>
#include <string.h>

static const char *name, *wanted;

static void
test_reason (void)
{
  for (guint i = 0; i < 2; i++)
    {
      g_autoptr(GError) error = NULL;
      g_autoptr(AccBackend) backend = acc_backend_new_for_name (name, &error);

      g_assert_null (backend);
      g_assert_error (error, ACC_ERROR, ACC_ERROR_UNSUPPORTED);
      if (strstr (error->message, wanted) == NULL)
        g_error ("“%s” does not say “%s”", error->message, wanted);
    }
}

/* It is listed all the same, and others go on. */
static void
test_list (void)
{
  g_autoptr(GListModel) backends = acc_backend_list ();
  gboolean is_listed = FALSE;

  for (guint i = 0; i < g_list_model_get_n_items (backends); i++)
    {
      g_autoptr(AccBackendInfo) info = g_list_model_get_item (backends, i);

      if (g_strcmp0 (acc_backend_info_get_name (info), name) == 0)
        is_listed = strstr (acc_backend_info_get_reason (info), wanted) != NULL;
      if (g_strcmp0 (acc_backend_info_get_name (info), "interpreter") == 0)
        g_assert_null (acc_backend_info_get_reason (info));
    }
  g_assert_true (is_listed);
}

int
main (int argc, char **argv)
{
  g_test_init (&argc, &argv, NULL);
  name = argv[1];
  wanted = argv[2];
  g_test_add_func ("/absent/reason", test_reason);
  g_test_add_func ("/absent/list", test_list);

  return g_test_run ();
}
