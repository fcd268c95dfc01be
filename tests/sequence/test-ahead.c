/* SPDX-License-Identifier: LGPL-2.1-or-later */

/* Iteration, whose next steps are computed beside whoever takes the elements. */

#include "tests/nested/nested-backends.h"
#include "gate-producer.h"

#include "acc-core/backend/acc-backend-private.h"
#include "acc-core/data/acc-budget-private.h"
#include "acc-seq/sequence/acc-sequence-iterator-private.h"

#include <string.h>

#define PATIENCE (60 * G_USEC_PER_SEC)

static const gint64 chunks[] = { 1, 2, 7, 13, 0 };

/* --- functions */

/* Fails where the number is 17. */
static AccExpr *
reciprocal (AccExpr *x, gpointer data)
{
  return acc_expr_div (acc_expr_new_int (1000), acc_expr_sub (x, acc_expr_new_int (17)));
}

static AccArray *
reciprocal_of_all (AccArray **arrays, guint n_arrays, gpointer data)
{
  return acc_array_map (arrays[0], reciprocal, NULL);
}

/* --- elements */

static void
expect_square (AccSequenceIterator *iterator, gint64 number)
{
  g_autoptr(GError) error = NULL;
  g_autoptr(AccArray) element = acc_sequence_iterator_next (iterator, NULL, &error);

  g_assert_no_error (error);
  g_assert_nonnull (element);
  g_assert_cmpint (get_first (element), ==, number * number);
}

static AccSequenceIterator *
iterate (AccSequence *sequence, gint64 chunk)
{
  AccSequenceIterator *iterator = acc_sequence_iterate (sequence, backend);

  acc_sequence_iterator_set_chunk (iterator, chunk);

  return iterator;
}

static gboolean
wait_until (int *flag, int least)
{
  gint64 until = g_get_monotonic_time () + PATIENCE;

  while (g_atomic_int_get (flag) < least && g_get_monotonic_time () < until)
    g_usleep (500);

  return g_atomic_int_get (flag) >= least;
}

/* --- iteration */

static void
test_order (void)
{
  g_autoptr(TestGate) gate = gate_new (61, 3);
  g_autoptr(AccSequence) all = acc_sequence_new (ACC_SEQUENCE_PRODUCER (gate)), squares = acc_sequence_map (all, square_all, NULL);

  for (guint c = 0; c < G_N_ELEMENTS (chunks); c++)
    {
      g_autoptr(AccSequenceIterator) iterator = iterate (squares, chunks[c]);
      g_autoptr(GError) error = NULL;

      for (gint64 i = 0; i < gate->n; i++)
        expect_square (iterator, i);
      for (guint i = 0; i < 2; i++)
        {
          g_assert_null (acc_sequence_iterator_next (iterator, NULL, &error));
          g_assert_no_error (error);
        }
    }
}

/* One step is computed while another is taken, and one more is read; no further one, however long nobody asks. */
static void
test_credits (void)
{
  g_autoptr(TestGate) gate = gate_new (64, 3);
  g_autoptr(AccSequence) all = acc_sequence_new (ACC_SEQUENCE_PRODUCER (gate)), squares = acc_sequence_map (all, square_all, NULL);
  g_autoptr(AccSequenceIterator) iterator = iterate (squares, 4);

  for (gint64 i = 0; i < 4; i++)
    expect_square (iterator, i);
  g_assert_true (wait_until (&gate->n_read, 8));
  g_usleep (20000);
  g_assert_cmpint (g_atomic_int_get (&gate->n_read), ==, 8);

  for (gint64 i = 4; i < 6; i++)
    expect_square (iterator, i);
  g_assert_true (wait_until (&gate->n_read, 16));
  g_usleep (50000);
  g_assert_cmpint (g_atomic_int_get (&gate->n_read), ==, 16);

  for (gint64 i = 6; i < 64; i++)
    expect_square (iterator, i);
}

static void
test_failing (void)
{
  g_autoptr(TestGate) gate = gate_new (61, 3);
  g_autoptr(AccSequence) all = acc_sequence_new (ACC_SEQUENCE_PRODUCER (gate)), squares = acc_sequence_map (all, square_all, NULL);
  g_autoptr(AccSequence) wrong = acc_sequence_map (all, reciprocal_of_all, NULL);

  gate->fails_at = 23;
  for (guint c = 0; c < G_N_ELEMENTS (chunks); c++)
    {
      g_autoptr(AccSequenceIterator) iterator = iterate (squares, chunks[c]), other = NULL;
      g_autoptr(GError) error = NULL;
      gint64 n = 0;

      for (gint64 i = 0; i < 23; i++)
        expect_square (iterator, i);
      g_assert_null (acc_sequence_iterator_next (iterator, NULL, &error));
      g_assert_error (error, G_IO_ERROR, G_IO_ERROR_FAILED);
      g_clear_error (&error);
      g_assert_null (acc_sequence_iterator_next (iterator, NULL, &error));
      g_assert_no_error (error);

      /* What comes before the element that fails is given. */
      other = iterate (wrong, chunks[c]);
      for (gboolean more = TRUE; more; n += more)
        {
          g_autoptr(AccArray) element = acc_sequence_iterator_next (other, NULL, &error);

          more = element != NULL;
        }
      g_assert_error (error, ACC_ERROR, ACC_ERROR_ARITHMETIC);
      g_assert_nonnull (strstr (error->message, "element 17"));
      g_assert_cmpint (n, ==, 17);
    }
}

static gpointer
cancel_soon (gpointer cancellable)
{
  g_usleep (30000);
  g_cancellable_cancel (cancellable);

  return NULL;
}

/* A call that is cancelled loses no element. */
static void
test_cancelled_call (void)
{
  g_autoptr(TestGate) gate = gate_new (30, 3);
  g_autoptr(AccSequence) all = acc_sequence_new (ACC_SEQUENCE_PRODUCER (gate)), squares = acc_sequence_map (all, square_all, NULL);
  g_autoptr(AccSequenceIterator) iterator = iterate (squares, 2);
  g_autoptr(GCancellable) cancellable = g_cancellable_new ();
  g_autoptr(GError) error = NULL;
  GThread *thread;

  gate->waits_at = 12;
  for (gint64 i = 0; i < 12; i++)
    expect_square (iterator, i);
  g_assert_true (wait_until (&gate->waits, TRUE));
  thread = g_thread_new ("cancel", cancel_soon, cancellable);
  g_assert_null (acc_sequence_iterator_next (iterator, cancellable, &error));
  g_assert_error (error, G_IO_ERROR, G_IO_ERROR_CANCELLED);
  g_thread_join (thread);

  g_atomic_int_set (&gate->is_open, TRUE);
  for (gint64 i = 12; i < 30; i++)
    expect_square (iterator, i);
  g_assert_null (acc_sequence_iterator_next (iterator, NULL, NULL));
}

/* What is closed does not wait for a read, and can be walked again behind that. */
static void
test_closed (void)
{
  g_autoptr(TestGate) gate = gate_new (30, 3);
  g_autoptr(AccSequence) all = acc_sequence_new (ACC_SEQUENCE_PRODUCER (gate)), squares = acc_sequence_map (all, square_all, NULL);
  g_autoptr(AccSequenceIterator) iterator = iterate (squares, 2), again = NULL;

  gate->waits_at = 12;
  for (gint64 i = 0; i < 9; i++)
    expect_square (iterator, i);
  g_assert_true (wait_until (&gate->waits, TRUE));
  acc_sequence_iterator_close (iterator);
  g_assert_null (acc_sequence_iterator_next (iterator, NULL, NULL));
  g_atomic_int_set (&gate->is_open, TRUE);

  again = iterate (squares, 2);
  for (gint64 i = 0; i < 30; i++)
    expect_square (again, i);
  g_assert_null (acc_sequence_iterator_next (again, NULL, NULL));
}

/* --- memory */

#define LONG  20000
#define LIMIT ((guint64) 64 << 20)

static void
test_limit (void)
{
  g_autoptr(TestGate) gate = gate_new (40, LONG);
  g_autoptr(AccSequence) all = acc_sequence_new (ACC_SEQUENCE_PRODUCER (gate)), squares = acc_sequence_map (all, square_all, NULL);
  AccBudget *budget = acc_backend_get_budget (backend);
  guint64 before = acc_backend_get_memory_limit (backend), step, held;

  /* What a step takes, and what is left of the one before. */
  {
    g_autoptr(AccSequenceIterator) iterator = iterate (squares, 2);

    held = acc_budget_get_used (budget);
    acc_budget_reset_high_water (budget);
    expect_square (iterator, 0);
    step = acc_budget_get_high_water (budget) - held;
  }

  /* Something else has the rest: there is room for one, for one and what is taken, and for all that goes on. */
  for (guint k = 0; k < 3; k++)
    {
      g_autoptr(AccSequenceIterator) iterator = iterate (squares, 2);
      g_autoptr(GError) error = NULL;
      guint64 rest;

      g_assert_cmpuint (step, >, 0);
      held = acc_budget_get_used (budget);
      rest = LIMIT - step - (k > 0 ? step * k : step / 8);
      acc_backend_set_memory_limit (backend, held + LIMIT);
      g_assert_true (acc_budget_reserve (budget, rest, "something else", &error));
      acc_budget_reset_high_water (budget);
      for (gint64 i = 0; i < 40; i++)
        expect_square (iterator, i);
      g_assert_null (acc_sequence_iterator_next (iterator, NULL, NULL));
      g_assert_cmpuint (acc_budget_get_high_water (budget), <=, held + LIMIT);
      acc_sequence_iterator_close (iterator);
      acc_budget_release (budget, rest, "something else");
      acc_backend_set_memory_limit (backend, before);
    }
}

/* Whichever piece of memory is refused: the same elements, or an error that says so. */
static void
test_refused (void)
{
  g_autoptr(TestGate) gate = gate_new (16, 64);
  g_autoptr(AccSequence) all = acc_sequence_new (ACC_SEQUENCE_PRODUCER (gate)), squares = acc_sequence_map (all, square_all, NULL);
  AccBudget *budget = acc_backend_get_budget (backend);
  guint n_right = 0;

  for (guint k = 1; k < 40; k++)
    {
      g_autoptr(AccSequenceIterator) iterator = iterate (squares, 2);
      g_autoptr(GError) error = NULL;
      gint64 n = 0;

      acc_budget_fail_nth (budget, k);
      for (gboolean more = TRUE; more; n += more)
        {
          g_autoptr(AccArray) element = acc_sequence_iterator_next (iterator, NULL, &error);

          more = element != NULL;
          if (more)
            g_assert_cmpint (get_first (element), ==, n * n);
        }
      acc_budget_fail_nth (budget, 0);
      if (error != NULL)
        g_assert_error (error, ACC_ERROR, ACC_ERROR_OUT_OF_MEMORY);
      else
        g_assert_cmpint (n, ==, 16);
      n_right += error == NULL;
    }
  g_assert_cmpuint (n_right, >, 0);
}

/* --- functions of the application's are called where the walk was begun */

static GThread *main_thread;
static int n_calls;

static AccArray *
square_by_hand (AccArray **inputs, guint n_inputs, gpointer data, GError **error)
{
  gsize size;
  g_autoptr(GBytes) bytes = acc_array_dup_bytes (inputs[0], 0, NULL), squares = NULL;
  const gint64 *values = g_bytes_get_data (bytes, &size);
  gint64 *results = g_malloc (size);

  g_assert_true (g_thread_self () == main_thread);
  n_calls++;
  for (gsize i = 0; i < size / 8; i++)
    results[i] = values[i] * values[i];
  squares = g_bytes_new_take (results, size);

  return acc_array_use (acc_array_get_element_type (inputs[0]), acc_array_get_shape (inputs[0]), squares);
}

static AccArray *
square_foreign (AccArray **arrays, guint n_arrays, gpointer data)
{
  g_autoptr(AccProgram) fallback = acc_program_new ((const char *[]) { "i8[:]", NULL }, square_all, NULL);

  /* Of the element, not of the state before it. */
  return acc_array_foreign ("square", arrays + 1, 1, fallback);
}

static void
test_foreign (void)
{
  g_autoptr(TestGate) gate = gate_new (12, 3);
  g_autoptr(AccShape) shape = acc_shape_new_vector (3);
  g_autoptr(AccArray) state = acc_array_fill (shape, acc_expr_new_int (0));
  g_autoptr(AccSequence) all = acc_sequence_new (ACC_SEQUENCE_PRODUCER (gate));
  g_autoptr(AccSequence) squares = acc_sequence_scan (all, state, square_foreign, NULL);
  g_autoptr(AccSequenceIterator) iterator = iterate (squares, 2);

  main_thread = g_thread_self ();
  acc_backend_set_foreign (backend, "square", square_by_hand, NULL, NULL);
  for (gint64 i = 0; i < 12; i++)
    expect_square (iterator, i);
  acc_backend_set_foreign (backend, "square", NULL, NULL, NULL);
  g_assert_true (g_str_equal (acc_backend_get_name (backend), "interpreter") || n_calls > 0);
}

int
main (int argc, char **argv)
{
  g_test_init (&argc, &argv, NULL);
  if (!open_backends ("native"))
    return 0;

  g_test_add_func ("/ahead/order", test_order);
  g_test_add_func ("/ahead/credits", test_credits);
  g_test_add_func ("/ahead/failing", test_failing);
  g_test_add_func ("/ahead/cancelled-call", test_cancelled_call);
  g_test_add_func ("/ahead/closed", test_closed);
  g_test_add_func ("/ahead/limit", test_limit);
  g_test_add_func ("/ahead/refused", test_refused);
  g_test_add_func ("/ahead/foreign", test_foreign);

  return run_tests ();
}
