/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include <acc/acc.h>

#include "acc-core/backend/acc-backend-private.h"
#include "acc-core/base/acc-machine-private.h"
#include "tests/remove-tree.h"

#include <glib/gstdio.h>
#include <string.h>

static void
test_counting (void)
{
  g_autoptr(AccBudget) budget = acc_budget_new (1000);
  g_autoptr(GError) error = NULL;

  g_assert_true (acc_budget_reserve (budget, 600, "window of “blur”", &error));
  g_assert_true (acc_budget_reserve (budget, 300, "result", &error));
  g_assert_true (acc_budget_reserve (budget, 100, "window of “blur”", &error));
  g_assert_true (acc_budget_reserve (budget, 0, "nothing", &error));
  g_assert_no_error (error);
  g_assert_cmpuint (acc_budget_get_used (budget), ==, 1000);

  g_assert_false (acc_budget_reserve (budget, 1, "straw", &error));
  g_assert_error (error, ACC_ERROR, ACC_ERROR_OUT_OF_MEMORY);
  g_assert_cmpstr (error->message, ==, "straw needs 1 bytes; held: 1000 of 1000 allowed; "
                                       "largest holders: window of “blur” 700, result 300");
  g_clear_error (&error);

  acc_budget_release (budget, 700, "window of “blur”");
  g_assert_cmpuint (acc_budget_get_used (budget), ==, 300);
  g_assert_cmpuint (acc_budget_get_high_water (budget), ==, 1000);
  acc_budget_reset_high_water (budget);
  g_assert_cmpuint (acc_budget_get_high_water (budget), ==, 300);

  g_assert_false (acc_budget_reserve (budget, G_MAXUINT64, "giant", &error));
  g_assert_error (error, ACC_ERROR, ACC_ERROR_OUT_OF_MEMORY);
  g_clear_error (&error);

  acc_budget_set_limit (budget, 0);
  g_assert_true (acc_budget_reserve (budget, G_GUINT64_CONSTANT (1) << 60, "giant", &error));
  g_assert_false (acc_budget_reserve (budget, G_MAXUINT64 - 5, "overflow", &error));
  g_assert_error (error, ACC_ERROR, ACC_ERROR_OUT_OF_MEMORY);
  acc_budget_release (budget, G_GUINT64_CONSTANT (1) << 60, "giant");
  acc_budget_release (budget, 300, "result");
  g_assert_cmpuint (acc_budget_get_used (budget), ==, 0);
}

static void
test_wrong_release (void)
{
  if (g_test_subprocess ())
    {
      g_autoptr(AccBudget) budget = acc_budget_new (0);

      g_assert_true (acc_budget_reserve (budget, 10, "a", NULL));
      acc_budget_release (budget, 11, "a");
      g_assert_cmpuint (acc_budget_get_used (budget), ==, 10);
      acc_budget_release (budget, 10, "a");
      return;
    }

  g_test_trap_subprocess (NULL, 0, G_TEST_SUBPROCESS_DEFAULT);
  g_test_trap_assert_stderr ("*gives back 11 bytes but holds 10*");
}

static guint64
reclaim_kept (guint64 wanted, gpointer user_data)
{
  AccBudget *budget = user_data;
  guint64 step = MIN (acc_budget_get_used (budget), 100);

  g_assert_cmpuint (wanted, >, 0);
  if (step > 0)
    acc_budget_release (budget, step, "kept");

  return step;
}

static void
test_reclaim (void)
{
  g_autoptr(AccBudget) budget = acc_budget_new (1000);
  g_autoptr(GError) error = NULL;

  acc_budget_add_reclaim (budget, reclaim_kept, budget);
  g_assert_true (acc_budget_reserve (budget, 1000, "kept", &error));
  g_assert_true (acc_budget_reserve (budget, 250, "new", &error));
  g_assert_cmpuint (acc_budget_get_used (budget), ==, 950);
  g_assert_cmpuint (acc_budget_get_high_water (budget), ==, 1000);

  /* More than the limit: nothing is asked back in vain. */
  g_assert_false (acc_budget_reserve (budget, 1001, "giant", &error));
  g_assert_error (error, ACC_ERROR, ACC_ERROR_OUT_OF_MEMORY);
  g_assert_cmpuint (acc_budget_get_used (budget), ==, 950);

  acc_budget_set_limit (budget, 900);
  g_assert_cmpuint (acc_budget_get_used (budget), ==, 850);
  acc_budget_remove_reclaim (budget, reclaim_kept, budget);
}

static guint64
reclaim_from (guint64 wanted, gpointer user_data)
{
  AccBudget *budget = *(AccBudget **) user_data;
  guint64 bytes = MIN (wanted, MIN (acc_budget_get_used (budget), 300));

  acc_budget_release (budget, bytes, "kept");

  return bytes;
}

/* Those that share a budget are asked one after the other, and no longer than is needed. */
static void
test_reclaim_of_several (void)
{
  g_autoptr(AccBudget) budget = acc_budget_new (1000);
  AccBudget *one = budget, *other = budget;
  g_autoptr(GError) error = NULL;

  acc_budget_add_reclaim (budget, reclaim_from, &one);
  acc_budget_add_reclaim (budget, reclaim_from, &other);
  g_assert_true (acc_budget_reserve (budget, 1000, "kept", &error));
  g_assert_cmpuint (acc_budget_spare (budget, 200), ==, 200);
  g_assert_cmpuint (acc_budget_spare (budget, 500), ==, 500);
  g_assert_cmpuint (acc_budget_get_used (budget), ==, 300);

  acc_budget_remove_reclaim (budget, reclaim_from, &one);
  g_assert_true (acc_budget_reserve (budget, 700, "kept", &error));
  g_assert_cmpuint (acc_budget_spare (budget, 500), ==, 300);
  acc_budget_remove_reclaim (budget, reclaim_from, &other);
  g_assert_cmpuint (acc_budget_spare (budget, 500), ==, 0);
  acc_budget_release (budget, 700, "kept");
}

static void
test_fail_nth (void)
{
  g_autoptr(AccBudget) budget = acc_budget_new (0);
  g_autoptr(GError) error = NULL;

  acc_budget_fail_nth (budget, 3);
  g_assert_true (acc_budget_reserve (budget, 1, "a", NULL));
  g_assert_true (acc_budget_reserve (budget, 1, "a", NULL));
  g_assert_false (acc_budget_reserve (budget, 1, "a", &error));
  g_assert_error (error, ACC_ERROR, ACC_ERROR_OUT_OF_MEMORY);
  g_assert_true (acc_budget_reserve (budget, 1, "a", NULL));
  acc_budget_fail_nth (budget, 1);
  acc_budget_fail_nth (budget, 0);
  g_assert_true (acc_budget_reserve (budget, 1, "a", NULL));
  g_assert_cmpuint (acc_budget_get_used (budget), ==, 4);
}

static gpointer
use_budget (gpointer data)
{
  AccBudget *budget = data;
  guint refused = 0;

  for (guint i = 0; i < 20000; i++)
    if (acc_budget_reserve (budget, 1 + i % 7, "shared", NULL))
      acc_budget_release (budget, 1 + i % 7, "shared");
    else
      refused++;

  return GUINT_TO_POINTER (refused);
}

static void
test_threads (void)
{
  g_autoptr(AccBudget) budget = acc_budget_new (10);
  GThread *threads[4];

  for (guint i = 0; i < 4; i++)
    threads[i] = g_thread_new ("budget", use_budget, budget);
  for (guint i = 0; i < 4; i++)
    g_thread_join (threads[i]);

  g_assert_cmpuint (acc_budget_get_used (budget), ==, 0);
  g_assert_cmpuint (acc_budget_get_high_water (budget), <=, 10);
}

static void
test_buffers (void)
{
  static const gsize sizes[] = { 0, 1, 63, 64, 4097, 65535, 65536, 100000, 2 << 20, (2 << 20) + 1, 5000000 };
  g_autoptr(AccBudget) budget = acc_budget_new (0);
  g_autoptr(GError) error = NULL;

  for (guint i = 0; i < G_N_ELEMENTS (sizes); i++)
    {
      g_autoptr(AccBuffer) buffer = acc_buffer_allocate (sizes[i], budget, "data", &error);
      guint8 *data;

      g_assert_no_error (error);
      data = buffer->data;
      g_assert_nonnull (data);
      g_assert_cmpuint ((guintptr) data % (sizes[i] >= 2 << 20 ? 2 << 20 : 64), ==, 0);
      g_assert_cmpuint (buffer->size, ==, sizes[i]);
      g_assert_cmpuint (acc_budget_get_used (budget), ==, sizes[i]);
      for (gsize j = 0; j < sizes[i]; j++)
        if (data[j] != 0)
          g_error ("byte %zu is not zero", j);
      memset (data, 0xa5, sizes[i]);
    }

  g_assert_cmpuint (acc_budget_get_used (budget), ==, 0);

  acc_budget_set_limit (budget, 1000);
  g_assert_null (acc_buffer_allocate (1001, budget, "stencil “edges”", &error));
  g_assert_error (error, ACC_ERROR, ACC_ERROR_OUT_OF_MEMORY);
  g_assert_true (g_str_has_prefix (error->message, "stencil “edges” needs 1001 bytes"));
  g_clear_error (&error);

  g_assert_null (acc_buffer_allocate (G_MAXSIZE, NULL, "giant", &error));
  g_assert_error (error, ACC_ERROR, ACC_ERROR_OUT_OF_MEMORY);
  g_clear_error (&error);
  g_assert_null (acc_buffer_allocate (G_MAXSIZE / 4, NULL, "giant", &error));
  g_assert_error (error, ACC_ERROR, ACC_ERROR_OUT_OF_MEMORY);
}

static void
count_call (gpointer user_data)
{
  (*(guint *) user_data)++;
}

static void
test_wrapped (void)
{
  guint calls = 0;
  int data = 7;
  g_autoptr(GBytes) bytes = g_bytes_new ("abc", 3);
  AccBuffer *buffer = acc_buffer_new (&data, sizeof data, count_call, &calls);
  AccBuffer *second = acc_buffer_new_bytes (bytes);

  acc_buffer_unref (acc_buffer_ref (buffer));
  g_assert_cmpuint (calls, ==, 0);
  acc_buffer_unref (buffer);
  g_assert_cmpuint (calls, ==, 1);

  g_assert_true (second->data == g_bytes_get_data (bytes, NULL));
  g_assert_cmpuint (second->size, ==, 3);
  acc_buffer_unref (second);
}

static void
put (const char *root, const char *path, const char *content)
{
  g_autofree char *full = g_strconcat (root, path, NULL);
  g_autofree char *folder = g_path_get_dirname (full);

  g_assert_cmpint (g_mkdir_with_parents (folder, 0700), ==, 0);
  g_assert_true (g_file_set_contents (full, content, -1, NULL));
}

static void
test_cgroup_v1 (void)
{
  g_autofree char *root = g_dir_make_tmp ("acc-machine-XXXXXX", NULL);

  g_assert_cmpuint (acc_machine_find_memory_limit (root), ==, G_MAXUINT64);
  g_assert_true (acc_machine_find_cpu_quota (root) <= 0);

  put (root, "/proc/self/cgroup", "5:cpu,cpuacct:/service\n4:memory:/outer/inner\n0::/\n");
  put (root, "/proc/self/mountinfo",
       "30 25 0:26 / /sys/fs/cgroup/memory rw,nosuid shared:9 - cgroup cgroup rw,memory\n"
       "31 25 0:27 / /sys/fs/cgroup/cpu,cpuacct rw - cgroup cgroup rw,cpu,cpuacct\n");
  put (root, "/sys/fs/cgroup/memory/memory.limit_in_bytes", "9223372036854771712\n");
  put (root, "/sys/fs/cgroup/memory/outer/memory.limit_in_bytes", "67108864\n");
  put (root, "/sys/fs/cgroup/memory/outer/inner/memory.limit_in_bytes", "9223372036854771712\n");
  put (root, "/sys/fs/cgroup/cpu,cpuacct/service/cpu.cfs_quota_us", "150000\n");
  put (root, "/sys/fs/cgroup/cpu,cpuacct/service/cpu.cfs_period_us", "100000\n");
  put (root, "/sys/fs/cgroup/cpu,cpuacct/cpu.cfs_quota_us", "-1\n");
  put (root, "/sys/fs/cgroup/cpu,cpuacct/cpu.cfs_period_us", "100000\n");

  g_assert_cmpuint (acc_machine_find_memory_limit (root), ==, 67108864);
  g_assert_cmpfloat_with_epsilon (acc_machine_find_cpu_quota (root), 1.5, 1e-9);
  remove_tree (root);
}

static void
test_cgroup_v2 (void)
{
  g_autofree char *root = g_dir_make_tmp ("acc-machine-XXXXXX", NULL);

  /* As a container sees it: only its own part is mounted. */
  put (root, "/proc/self/cgroup", "0::/pod/box/inner\n");
  put (root, "/proc/self/mountinfo", "30 25 0:26 /pod/box /sys/fs/cgroup rw,nosuid - cgroup2 cgroup2 rw\n");
  put (root, "/sys/fs/cgroup/memory.max", "536870912\n");
  put (root, "/sys/fs/cgroup/inner/memory.max", "max\n");
  put (root, "/sys/fs/cgroup/inner/memory.high", "268435456\n");
  put (root, "/sys/fs/cgroup/inner/cpu.max", "max 100000\n");
  put (root, "/sys/fs/cgroup/cpu.max", "50000 100000\n");

  g_assert_cmpuint (acc_machine_find_memory_limit (root), ==, 268435456);
  g_assert_cmpfloat_with_epsilon (acc_machine_find_cpu_quota (root), 0.5, 1e-9);
  remove_tree (root);
}

static void
test_machine (void)
{
  g_assert_cmpuint (acc_machine_get_memory (), >, 1 << 20);
  g_assert_cmpuint (acc_machine_get_n_processors (), >=, 1);
  g_assert_cmpuint (acc_machine_get_n_processors (), <=, 1 << 16);
}

static void
test_sizes (void)
{
  static const struct {
    const char *text;
    guint64     size;
  } right[] = {
    { "0", 0 }, { "1", 1 }, { "67108864", 67108864 }, { "64M", 64 << 20 }, { "64MiB", 64 << 20 }, { "64mb", 64 << 20 },
    { "1.5G", G_GUINT64_CONSTANT (3) << 29 }, { "2T", G_GUINT64_CONSTANT (1) << 41 }, { "7k", 7 << 10 }, { "12B", 12 },
  };
  static const char *wrong[] = { "", "M", "-1", "1X", "1MM", "nan", "inf", "1e30", "64 M", "M64", "9999999999T" };

  for (guint i = 0; i < G_N_ELEMENTS (right); i++)
    {
      guint64 size = 99;

      g_assert_true (acc_machine_parse_size (right[i].text, &size, NULL));
      g_assert_cmpuint (size, ==, right[i].size);
    }

  for (guint i = 0; i < G_N_ELEMENTS (wrong); i++)
    {
      g_autoptr(GError) error = NULL;
      guint64 size;

      g_assert_false (acc_machine_parse_size (wrong[i], &size, &error));
      g_assert_error (error, ACC_ERROR, ACC_ERROR_PARSE);
    }
}

static void
test_keys (void)
{
  if (g_test_subprocess ())
    {
      g_assert_cmpint (acc_debug_get_flags (), ==, ACC_DEBUG_PLAN | ACC_DEBUG_MEMORY);
      g_assert_cmpint (acc_debug_get_flags (), ==, ACC_DEBUG_PLAN | ACC_DEBUG_MEMORY);
      /* The last key, and all before it. */
      g_assert_cmpint (acc_disable_get_flags (), ==, (ACC_DISABLE_WINDOWS << 1) - 1);
      return;
    }

  g_setenv ("ACC_DEBUG", "plan,memory,help,wrong", TRUE);
  g_setenv ("ACC_DISABLE", "all", TRUE);
  g_test_trap_subprocess (NULL, 0, G_TEST_SUBPROCESS_DEFAULT);
  g_test_trap_assert_passed ();
  g_test_trap_assert_stderr ("*kernels*");
  g_test_trap_assert_stderr ("*wrong*is not a key*");
  g_unsetenv ("ACC_DEBUG");
  g_unsetenv ("ACC_DISABLE");
}

int
main (int argc, char **argv)
{
  g_test_init (&argc, &argv, NULL);

  g_test_add_func ("/budget/counting", test_counting);
  g_test_add_func ("/budget/wrong-release", test_wrong_release);
  g_test_add_func ("/budget/reclaim", test_reclaim);
  g_test_add_func ("/budget/reclaim-of-several", test_reclaim_of_several);
  g_test_add_func ("/budget/fail-nth", test_fail_nth);
  g_test_add_func ("/budget/threads", test_threads);
  g_test_add_func ("/buffer/allocate", test_buffers);
  g_test_add_func ("/buffer/wrapped", test_wrapped);
  g_test_add_func ("/machine/cgroup-v1", test_cgroup_v1);
  g_test_add_func ("/machine/cgroup-v2", test_cgroup_v2);
  g_test_add_func ("/machine/here", test_machine);
  g_test_add_func ("/machine/sizes", test_sizes);
  g_test_add_func ("/debug/keys", test_keys);

  return g_test_run ();
}
