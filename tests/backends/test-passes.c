/* SPDX-License-Identifier: LGPL-2.1-or-later */

/* Passes over kernels: each is left out by ACC_DISABLE, and shown by ACC_DEBUG=passes. What these say is read once in a process, so the
 * kernels are made in another one, which prints them. */

#include "acc-backends/passes/acc-passes.h"
#include "tests/remove-tree.h"

#include <string.h>

#define N_PARTS 4

static AccKernel *
make_product (gboolean fast,
              guint    group_size)
{
  AccKernelBuilder *b = kb_new ("product");
  KBuffer out = kb_param_buffer (b, ACC_KIND_F32, ACC_BUFFER_READ | ACC_BUFFER_WRITE, "out"),
    in = kb_param_buffer (b, ACC_KIND_F32, ACC_BUFFER_READ, "in");
  KBuffer narrow = kb_param_buffer (b, ACC_KIND_I16, ACC_BUFFER_READ | ACC_BUFFER_WRITE, "narrow");
  KValue at = kb_inner_begin (b), x, y;
  g_autoptr(GError) error = NULL;
  AccKernel *kernel;

  kb_set_fast (b, fast);
  kb_set_straight (b, !fast);
  if (group_size > 0)
    kb_set_group_size (b, group_size);
  x = kb_load (b, in, at);
  y = kb_load (b, narrow, at);
  kb_mul (b, y, y);
  kb_store (b, out, at, kb_prim2 (b, ACC_PRIM_FDIV, kb_add (b, kb_mul (b, x, x), x), x));
  kb_store (b, narrow, at, kb_sub (b, y, kb_mul (b, y, kb_int (b, ACC_KIND_I16, 2))));
  kernel = kb_finish (b, &error);
  g_assert_no_error (error);

  return kernel;
}

/* Each index by the number of a column, the row of which nobody knows before */
static AccKernel *
make_rows (void)
{
  AccKernelBuilder *b = kb_new ("rows");
  KBuffer widths = kb_param_buffer (b, ACC_KIND_I64, ACC_BUFFER_READ | ACC_BUFFER_NO_ALIAS, "widths");
  KBuffer out = kb_param_buffer (b, ACC_KIND_I64, ACC_BUFFER_WRITE | ACC_BUFFER_NO_ALIAS, "out");
  KValue i = _kb_enter_foreach (b, kb_inner_begin (b), kb_inner_end (b));
  KValue width = kb_max (b, kb_load (b, widths, kb_i64 (b, 0)), kb_i64 (b, 1));
  g_autoptr(GError) error = NULL;
  AccKernel *kernel;

  kb_store (b, out, i, kb_prim2 (b, ACC_PRIM_REM, i, width));
  _kb_leave (b);
  kernel = kb_finish (b, &error);
  g_assert_no_error (error);

  return kernel;
}

/* In the other process */
static int
print_kernels (void)
{
  g_autoptr(AccKernel) fast = make_product (TRUE, 0), groups = make_product (FALSE, 64), again = make_product (FALSE, 64);
  g_autoptr(AccKernel) rows = make_rows ();
  g_autofree char *fast_text = acc_kernel_to_string (fast), *groups_text = acc_kernel_to_string (groups);
  g_autofree char *rows_text = acc_kernel_to_string (rows);

  g_print ("%s\n=====\n%s\n=====\n%s\n=====\n%s\n", fast_text, groups_text, groups == again ? "the same" : "another", rows_text);

  return 0;
}

typedef struct {
  char **parts;      /* what was printed: kernels of fast mathematics and for groups, whether the latter was made twice, one of rows */
  char  *errors;
} Output;

static Output
run (const char *variable,
     const char *value,
     const char *dump)
{
  g_auto(GStrv) environment = g_get_environ ();
  char *argv[] = { g_file_read_link ("/proc/self/exe", NULL), (char *) "--print", NULL };
  g_autoptr(GError) error = NULL;
  g_autofree char *output = NULL;
  Output result;
  int status;

  environment = g_environ_unsetenv (g_environ_unsetenv (environment, "ACC_DISABLE"), "ACC_DEBUG");
  if (variable != NULL)
    environment = g_environ_setenv (environment, variable, value, TRUE);
  if (dump != NULL)
    environment = g_environ_setenv (environment, "ACC_DUMP_DIR", dump, TRUE);
  g_spawn_sync (NULL, argv, environment, G_SPAWN_DEFAULT, NULL, NULL, &output, &result.errors, &status, &error);
  g_assert_no_error (error);
  g_assert_cmpint (status, ==, 0);
  result.parts = g_strsplit (output, "\n=====\n", N_PARTS);
  g_assert_cmpuint (g_strv_length (result.parts), ==, N_PARTS);
  g_free (argv[0]);

  return result;
}

static void
output_clear (Output *self)
{
  g_strfreev (self->parts);
  g_free (self->errors);
}

static void
test_disabled (void)
{
  static const struct {
    const char *pass;
    guint       kernel;
    const char *mark;      /* what the pass makes */
  } cases[] = {
    { "contract", 0, "fma" },
    { "straighten", 1, "estimate" },
    { "deduplicate", 2, "the same" },
    { "rows", 3, "quot" },
  };
  Output usual = run (NULL, NULL, NULL);

  for (guint i = 0; i < G_N_ELEMENTS (cases); i++)
    {
      Output without = run ("ACC_DISABLE", cases[i].pass, NULL);

      g_test_message ("%s", cases[i].pass);
      g_assert_nonnull (strstr (usual.parts[cases[i].kernel], cases[i].mark));
      g_assert_null (strstr (without.parts[cases[i].kernel], cases[i].mark));
      for (guint k = 0; k < N_PARTS; k++)
        g_assert_cmpint (g_strcmp0 (usual.parts[k], without.parts[k]) == 0, ==, k != cases[i].kernel);
      output_clear (&without);
    }
  output_clear (&usual);
}

static void
test_shown (void)
{
  g_autofree char *folder = g_dir_make_tmp ("acc-passes-XXXXXX", NULL);
  Output output = run ("ACC_DEBUG", "passes", folder);
  const char *built, *contracted;
  const char *name;
  guint n_contracted = 0, n_files = 0;
  GDir *dir;

  built = strstr (output.errors, "--- product after building");
  g_assert_nonnull (built);
  contracted = strstr (built, "--- product after contract");
  g_assert_nonnull (contracted);
  g_assert_nonnull (strstr (contracted, "--- product after drop-unused"));
  g_assert_nonnull (strstr (contracted, "--- product after legalise"));

  dir = g_dir_open (folder, 0, NULL);
  while ((name = g_dir_read_name (dir)) != NULL)
    {
      n_files++;
      n_contracted += g_str_has_suffix (name, "-product.contract.kernel");
    }
  g_dir_close (dir);
  g_assert_cmpuint (n_contracted, ==, 1);
  g_assert_cmpuint (n_files, >=, 5);

  remove_tree (folder);
  output_clear (&output);
}

int
main (int    argc,
      char **argv)
{
  if (argc > 1 && strcmp (argv[1], "--print") == 0)
    return print_kernels ();

  g_test_init (&argc, &argv, NULL);
  g_test_add_func ("/passes/disabled", test_disabled);
  g_test_add_func ("/passes/shown", test_shown);

  return g_test_run ();
}
