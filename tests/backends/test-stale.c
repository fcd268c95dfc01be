/* SPDX-License-Identifier: LGPL-2.1-or-later */

/* Modules that were built for another acc are not loaded. */

#include <acc/acc-module.h>

#include <string.h>

static void
expect_refused (const char *name, const char *built_for)
{
  g_autoptr(GError) error = NULL;
  g_autoptr(AccBackend) backend = acc_backend_new_for_name (name, &error);

  g_assert_null (backend);
  g_assert_error (error, ACC_ERROR, ACC_ERROR_UNSUPPORTED);
  g_assert_nonnull (strstr (error->message, name));
  g_assert_nonnull (strstr (error->message, built_for));
  g_assert_nonnull (strstr (error->message, "this is acc " ACC_MODULE_ABI));
}

static void
test_names (void)
{
  /* Again as the first time. */
  for (guint i = 0; i < 2; i++)
    {
      expect_refused ("stale", "was built for acc 0.9.0 (0000000000000000)");
      expect_refused ("silent", "was built for acc of an unknown version");
    }
}

/* They are listed with the reason. */
static void
test_list (void)
{
  g_autoptr(GListModel) infos = acc_backend_list ();
  guint n = 0;

  for (guint i = 0; i < g_list_model_get_n_items (infos); i++)
    {
      g_autoptr(AccBackendInfo) info = g_list_model_get_item (infos, i);

      if (!g_str_equal (acc_backend_info_get_name (info), "stale"))
        continue;
      n++;
      g_assert_nonnull (strstr (acc_backend_info_get_reason (info), "0.9.0"));
    }
  g_assert_cmpuint (n, ==, 1);
}

int
main (int argc, char **argv)
{
  g_test_init (&argc, &argv, NULL);
  g_test_add_func ("/stale/names", test_names);
  g_test_add_func ("/stale/list", test_list);

  return g_test_run ();
}
