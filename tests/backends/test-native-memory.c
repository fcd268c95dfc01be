/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "native-helpers.h"

#include "acc-core/backend/acc-backend-private.h"

/* Memory that the native backend may take. */

static void
test_while_memory (void)
{
  const char *signatures[] = { "i8[:]", NULL };
  guint64 limit = acc_backend_get_memory_limit (native_backend);
  gint64 n = 1 << 20;
  g_autoptr(AccArray) start = native_use_count (n);
  g_autoptr(AccProgram) condition = acc_program_new (signatures, native_sum_below, GINT_TO_POINTER (0x7fffffff));
  g_autoptr(AccProgram) step = acc_program_new (signatures, native_increment, NULL);
  g_autoptr(AccArray) negative = NULL;
  g_autoptr(AccArray) loop = NULL;
  g_autoptr(AccArray) result = NULL;
  gint64 offset = 522600;

  {
    g_autoptr(AccArray) amount = acc_array_unit (acc_expr_new_int (offset));
    g_autoptr(AccShape) shape = acc_shape_new_vector (n);
    g_autoptr(AccArray) many = acc_array_replicate (amount, &n, 1);

    negative = acc_array_sub (start, many);
  }
  loop = acc_array_while_loop (negative, condition, step);
  acc_backend_set_memory_limit (native_backend, acc_backend_get_memory_used (native_backend) + 3 * n * 8 + 65536);
  result = native_run (loop);
  acc_backend_set_memory_limit (native_backend, limit);
  g_assert_cmpint (acc_array_get_int (result, 0, 0), >, -offset);
}

static void
test_each_reservation_fails (void)
{
  g_autoptr(AccArray) noise = native_use_noise (64, 200, 3);
  g_autoptr(AccArray) once = native_blur (noise);
  g_autoptr(AccArray) twice = native_blur (once);
  g_autoptr(AccArray) sum = acc_array_sum_all (twice);
  AccArray *wanted[] = { twice, sum };
  g_autoptr(AccProgram) program = acc_program_new_for_results (wanted, 2);
  g_autoptr(GError) error = NULL;
  g_autoptr(AccBackend) own = acc_backend_new_for_name ("native", &error);
  g_autoptr(AccExecutable) executable = acc_backend_compile (own, program, NULL, &error);
  AccBudget *budget = acc_backend_get_budget (own);
  guint k;

  g_assert_no_error (error);
  /* It may do with less where one fails. */
  for (k = 1; k < 100; k++)
    {
      g_autoptr(GPtrArray) results = NULL;
      guint64 before = acc_budget_get_used (budget);

      acc_budget_fail_nth (budget, k);
      results = acc_executable_run (executable, NULL, 0, NULL, &error);
      if (acc_budget_fail_nth (budget, 0) > 0)
        break;
      if (results == NULL)
        g_assert_error (error, ACC_ERROR, ACC_ERROR_OUT_OF_MEMORY);
      else
        g_assert_no_error (error);
      g_clear_error (&error);
      g_clear_pointer (&results, g_ptr_array_unref);
      g_assert_cmpuint (acc_budget_get_used (budget), ==, before);
    }
  g_assert_cmpint (k, >, 2);
  g_assert_cmpint (k, <, 100);
}

static void
test_too_large (void)
{
  g_autoptr(AccShape) shape = acc_shape_new_matrix (1 << 20, 1 << 20);
  g_autoptr(AccArray) huge = acc_array_fill (shape, acc_expr_new_int (1));
  g_autoptr(GError) error = native_run_failing (huge);

  g_assert_error (error, ACC_ERROR, ACC_ERROR_OUT_OF_MEMORY);
}

static AccExpr *
scattered (AccExpr  *i,
           gpointer  n)
{
  return acc_expr_band (acc_expr_mul (i, acc_expr_new_int (7919)), acc_expr_new_int (GPOINTER_TO_INT (n) - 1));
}

static AccExpr *
new_one (AccExpr  *new_value,
         AccExpr  *old_value,
         gpointer  data)
{
  return new_value;
}

/* What is spread by parts of the result goes by as many elements at a time as there is memory for: here for the result, and less. */
static void
test_short_rounds (void)
{
  gint64 n = 1 << 21;
  guint64 limit = acc_backend_get_memory_limit (native_backend);
  g_autoptr(AccArray) xs = native_use_count (n);
  g_autoptr(AccArray) delayed = acc_array_map (xs, scattered, GINT_TO_POINTER (n));
  g_autoptr(AccArray) targets = native_run (delayed);
  g_autoptr(AccArray) zeros = acc_array_fill (acc_array_get_shape (xs), acc_expr_new_typed_int (acc_element_type_new (ACC_KIND_I64), 0));
  g_autoptr(AccArray) permuted = acc_array_permute (xs, zeros, targets, new_one, NULL);
  g_autoptr(AccArray) result = NULL;

  acc_backend_set_memory_limit (native_backend, acc_backend_get_memory_used (native_backend) + n * 8 + (6 << 20));
  result = native_run (permuted);
  acc_backend_set_memory_limit (native_backend, limit);
  for (gint64 i = 0; i < n; i++)
    g_assert_cmpint (acc_array_get_int (result, 0, (i * 7919) & (n - 1)), ==, i);
}

int
main (int    argc,
      char **argv)
{
  native_begin (&argc, &argv);

  g_test_add_func ("/native/while-memory", test_while_memory);
  g_test_add_func ("/native/each-reservation-fails", test_each_reservation_fails);
  g_test_add_func ("/native/too-large", test_too_large);
  g_test_add_func ("/native/short-rounds", test_short_rounds);

  return native_end ();
}
