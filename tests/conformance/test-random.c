/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "conf-random.h"

#include "acc-seq/stream/acc-evaluate-private.h"

#include <stdlib.h>
#include <string.h>

/* Random graphs of 3 to 15 nodes, whole and by rows. Every case has a seed of its own, printed where it fails:
 * ACC_TEST_SEED=that ACC_TEST_CASES=1 runs it again. */

#define MAX_SIZE 20000

static AccArray *
random_values (ConfRandom *c)
{
  guint rank = conf_pick (c, 4);
  gint64 extents[4] = { 0 };

  for (guint i = 0; i < rank; i++)
    extents[i] = conf_pick (c, 12) == 0 ? conf_pick (c, 2) : 1 + conf_pick (c, rank == 1 ? 500 : rank == 2 ? 40 : 12);
  if (conf_pick (c, 4) == 0)
    {
      AccElementType *items[2] = { conf_any_item (c), conf_any_item (c) };

      return conf_array (acc_element_type_new_tuple (items, 2), extents, rank, c->rand, CONF_NORMAL);
    }
  return conf_array (conf_any_item (c), extents, rank, c->rand, CONF_NORMAL);
}

static AccArray *
random_input (ConfRandom *c)
{
  AccArray *values = random_values (c);

  /* The same choices with and without sources. */
  if (c->rows && conf_pick (c, 4) != 0 && acc_array_get_rank (values) > 0 && c->sources)
    return conf_through_source (values);
  return values;
}

/* Up to three results; the last node is the first of them. */
static guint
build_case (ConfRandom *c, guint32 seed, const char *name, AccArray **results)
{
  g_autoptr(GError) error = NULL;
  gint n_nodes;
  guint n_results;

  c->rand = g_rand_new_with_seed (seed);
  c->pool = g_ptr_array_new_with_free_func (g_object_unref);
  for (gint i = 1 + conf_pick (c, 3); i > 0; i--)
    g_ptr_array_add (c->pool, random_input (c));
  n_nodes = 3 + conf_pick (c, 13);
  for (gint i = 0; i < n_nodes; i++)
    {
      AccArray *node = conf_random_node (c);

      if (!acc_array_check (node, &error))
        {
          conf_fail ("interpreter", name, "%s", error->message);
          g_clear_error (&error);
          g_object_unref (node);
        }
      else if (acc_array_get_rank (node) > 5 || acc_shape_get_size (acc_array_get_shape (node)) > MAX_SIZE ||
               acc_element_type_get_n_leaves (acc_array_get_element_type (node)) > 16)
        g_object_unref (node);
      else
        g_ptr_array_add (c->pool, node);
    }

  n_results = 1 + conf_pick (c, 3);
  for (guint i = 0; i < n_results; i++)
    results[i] = i == 0 ? g_ptr_array_index (c->pool, c->pool->len - 1) : conf_any (c);
  return n_results;
}

static void
clear_case (ConfRandom *c)
{
  g_clear_pointer (&c->pool, g_ptr_array_unref);
  g_clear_pointer (&c->rand, g_rand_free);
}

static void
print_program (AccProgram *program)
{
  g_autofree char *text = g_test_verbose () ? acc_program_to_string (program) : NULL;

  if (text != NULL)
    g_test_message ("%s", text);
}

/* Sums of few floats, in any order. */
static const ConfTolerance tolerance = { .zeros_equal = TRUE, .ulps = 4 };

static void
check_case (guint32 seed)
{
  ConfRandom c = { 0 };
  g_autofree char *name = g_strdup_printf ("random/%u", seed);
  AccArray *results[3];
  guint n_results = build_case (&c, seed, name, results);
  g_autoptr(AccProgram) program = acc_program_new_for_results (results, n_results);
  g_autoptr(ConfProgram) checked = NULL;

  print_program (program);
  checked = conf_program_new (name, g_steal_pointer (&program));
  conf_program_check (checked, NULL, 0, tolerance);
  clear_case (&c);
}

/* --- by rows */

static guint n_streamed;

static void
check_rows_on (AccBackend *backend, const char *name, AccArray **results, guint n_results, GPtrArray *expected)
{
  static const gint64 heights[] = { 1, 7, 1000 };

  for (guint h = 0; h < G_N_ELEMENTS (heights); h++)
    {
      g_autoptr(GError) error = NULL;
      g_autoptr(GPtrArray) actual = acc_evaluate_with_chunk_rows (backend, results, n_results, heights[h], NULL, &error);

      if (actual == NULL)
        {
          conf_fail (acc_backend_get_name (backend), name, "by %d rows: %s", (int) heights[h], error->message);
          return;
        }
      n_streamed++;
      for (guint i = 0; i < n_results; i++)
        {
          g_autofree char *difference = conf_compare (g_ptr_array_index (expected, i), g_ptr_array_index (actual, i), tolerance);

          if (difference != NULL)
            {
              conf_fail (acc_backend_get_name (backend), name, "by %d rows, result %u: %s", (int) heights[h], i, difference);
              return;
            }
        }
    }
  conf_pass (acc_backend_get_name (backend), name);
}

static void
check_rows (guint32 seed)
{
  ConfRandom whole = { .rows = TRUE }, streamed = { .rows = TRUE, .sources = TRUE };
  g_autofree char *name = g_strdup_printf ("random-rows/%u", seed);
  AccArray *results[3];
  guint n_results = build_case (&whole, seed, name, results);
  g_autoptr(AccProgram) program = acc_program_new_for_results (results, n_results);
  g_autoptr(GError) error = NULL;
  g_autoptr(AccExecutable) executable = NULL;
  g_autoptr(GPtrArray) expected = NULL;

  print_program (program);
  executable = acc_backend_compile (conf_interpreter (), program, NULL, &error);
  g_assert_no_error (error);
  expected = acc_executable_run (executable, NULL, 0, NULL, &error);
  g_assert_no_error (error);
  clear_case (&whole);

  n_results = build_case (&streamed, seed, name, results);
  check_rows_on (conf_interpreter (), name, results, n_results, expected);
  for (guint i = 0; i < conf_n_backends (); i++)
    check_rows_on (conf_backend (i), name, results, n_results, expected);
  clear_case (&streamed);
}

static guint
count_cases (void)
{
  const char *given = g_getenv ("ACC_TEST_CASES");

  return given != NULL && *given != '\0' ? (guint) atoi (given) : conf_is_thorough () ? 200 : 60;
}

static void
test_random (gconstpointer data)
{
  for (guint i = GPOINTER_TO_UINT (data); i < count_cases (); i += 10)
    check_case (conf_seed () + i);
}

static void
test_rows (gconstpointer data)
{
  for (guint i = GPOINTER_TO_UINT (data); i < count_cases (); i += 10)
    check_rows (conf_seed () + i);
}

static void
test_coverage (void)
{
  g_test_message ("%u runs by rows", n_streamed);
  if (count_cases () >= 50)
    g_assert_cmpuint (n_streamed, >, count_cases ());
}

int
main (int argc, char **argv)
{
  conf_init (&argc, &argv);
  for (guint i = 0; i < 10; i++)
    {
      g_autofree char *path = g_strdup_printf ("/random/whole/%u", i);

      g_test_add_data_func (path, GUINT_TO_POINTER (i), test_random);
    }
  for (guint i = 0; i < 10; i++)
    {
      g_autofree char *path = g_strdup_printf ("/random/rows/%u", i);

      g_test_add_data_func (path, GUINT_TO_POINTER (i), test_rows);
    }
  g_test_add_func ("/random/rows/coverage", test_coverage);
  return conf_run ();
}
