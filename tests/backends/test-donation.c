/* SPDX-License-Identifier: LGPL-2.1-or-later */

/* Results that take the memory of arrays that nobody needs any more: states of loops, and what is between two modules. What somebody has
 * stays as it was, whoever shares it. */

#include "acc-core/backend/acc-backend-private.h"
#include "tests/nested/nested-backends.h"

#define N 50000

static AccArray *
use (const char *code, gint64 n)
{
  g_autoptr(GError) error = NULL;
  AccElementType *type = acc_element_type_parse (code, &error);
  g_autoptr(AccShape) shape = acc_shape_new_vector (n), all = NULL;
  g_autofree guint8 *bytes = g_malloc ((gsize) n + 1);
  g_autoptr(GBytes) data = NULL;
  g_autoptr(AccArray) numbers = NULL, cast = NULL;

  g_assert_no_error (error);
  for (gint64 i = 0; i < n; i++)
    bytes[i] = (guint8) (i * 7 % 5);
  data = g_bytes_new (bytes, (gsize) n);
  numbers = acc_array_use (acc_element_type_new (ACC_KIND_U8), shape, data);
  cast = acc_array_cast (numbers, type);

  return run (judge, cast);
}

static AccArray *
use_count (gint64 value)
{
  g_autoptr(AccShape) shape = acc_shape_new (NULL, 0);
  g_autoptr(GBytes) bytes = g_bytes_new (&value, sizeof value);

  return acc_array_use (acc_element_type_new (ACC_KIND_I64), shape, bytes);
}

static void
check_same (AccArray *given, AccArray *wanted)
{
  g_autoptr(GError) error = NULL;

  for (guint i = 0; i < acc_element_type_get_n_buffers (acc_array_get_element_type (wanted)); i++)
    {
      g_autoptr(GBytes) a = acc_array_dup_bytes (given, i, &error), b = acc_array_dup_bytes (wanted, i, &error);

      g_assert_no_error (error);
      g_assert_true (g_bytes_equal (a, b));
    }
}

/* --- loops: the first state counts rounds */

static AccExpr *
next_number (AccExpr *x, gpointer data)
{
  return acc_expr_add (x, acc_expr_new_int (1));
}

static AccExpr *
is_below (AccExpr *x, gpointer n_rounds)
{
  return acc_expr_lt (x, acc_expr_new_int (GPOINTER_TO_INT (n_rounds)));
}

static AccArray *
goes_on (AccArray **state, guint n, gpointer n_rounds)
{
  return acc_array_map (state[0], is_below, n_rounds);
}

/* Of scalars; of tuples, item by item. */
static AccExpr *
change (AccExpr *x, gpointer is_pair)
{
  g_autoptr(AccExpr) value = acc_expr_ref_sink (x);

  if (is_pair != NULL)
    return acc_expr_tuple2 (acc_expr_add (acc_expr_item (value, 0), acc_expr_new_int (3)),
                            acc_expr_add (acc_expr_item (value, 1), acc_expr_item (value, 1)));

  return acc_expr_add (value, value);
}

static AccExpr *
add (AccExpr *x, AccExpr *y, gpointer data)
{
  return acc_expr_add (x, y);
}

/* Does not commute. */
static AccExpr *
mix (AccExpr *x, AccExpr *y, gpointer data)
{
  g_autoptr(AccExpr) first = acc_expr_ref_sink (x), second = acc_expr_ref_sink (y);

  return acc_expr_sub (acc_expr_add (first, first), second);
}

static AccExpr *
blur (AccExpr *x, gpointer data)
{
  g_autoptr(AccExpr) middle = acc_expr_ref_sink (x);

  return acc_expr_add (acc_expr_neighbour1 (middle, -1), acc_expr_neighbour1 (middle, 1));
}

static AccExpr *
place (AccExpr *index, gpointer count)
{
  return acc_expr_mod (acc_expr_mul (acc_expr_item (index, 0), acc_expr_new_int (3)), acc_expr_new_int (5));
}

static AccExpr *
divide (AccExpr *x, gpointer count)
{
  return acc_expr_div (x, acc_expr_sub (acc_expr_new_int (3), acc_expr_the (count)));
}

static AccExpr *
is_odd (AccExpr *x, gpointer data)
{
  return acc_expr_eq (acc_expr_mod (x, acc_expr_new_int (2)), acc_expr_new_int (1));
}

typedef enum {
  STEP_MAP,
  STEP_PAIRS,         /* map, of tuples */
  STEP_SWAP,          /* the second state becomes the third as it is, and the other way round, changed */
  STEP_CROSS,         /* both of both */
  STEP_STENCIL,
  STEP_SCATTER,       /* into the state, at few places, many times */
  STEP_FOLD,          /* of the state, beside its next one */
  STEP_KEEP,          /* the state does not change */
  STEP_DIVIDE,        /* which fails in the fourth round */
  STEP_FILTER,        /* states get shorter; control flow in the step */
  STEP_INNER,         /* a loop in the step, which reads the outer state besides */
  N_STEPS
} Step;

static GPtrArray *loop (Step step, AccArray **initial, guint n_initial, gint n_rounds);

/* Of @state, all but the count. */
static AccArray *
next_state (Step step, AccArray **state)
{
  g_autoptr(AccArray) other = NULL, more = NULL;
  g_autoptr(AccShape) shape = NULL;
  g_autoptr(AccBoundary) boundary = NULL;
  g_autoptr(GPtrArray) inner = NULL;

  switch (step)
    {
    case STEP_MAP:
    case STEP_FOLD:
      return acc_array_map (state[1], change, NULL);
    case STEP_PAIRS:
      return acc_array_map (state[1], change, "pair");
    case STEP_SWAP:
      return g_object_ref (state[2]);
    case STEP_CROSS:
      return acc_array_zip_with (state[1], state[2], mix, NULL);
    case STEP_STENCIL:
      boundary = acc_boundary_new (ACC_BOUNDARY_WRAP);
      return acc_array_stencil (state[1], (gint64[]) { 3 }, 1, boundary, blur, NULL);
    case STEP_SCATTER:
      shape = acc_shape_new_vector (9);
      other = acc_array_generate (shape, place, NULL);
      more = acc_array_cast (other, acc_array_get_element_type (state[1]));
      return acc_array_permute (more, state[1], other, mix, NULL);
    case STEP_KEEP:
      return g_object_ref (state[1]);
    case STEP_DIVIDE:
      return acc_array_map (state[1], divide, state[0]);
    case STEP_FILTER:
      other = acc_array_map (state[1], next_number, NULL);
      return acc_array_filter (other, is_odd, NULL, NULL);
    case STEP_INNER:
    case N_STEPS:
      other = use_count (0);
      more = acc_array_map (state[1], next_number, NULL);
      inner = loop (STEP_MAP, (AccArray *[]) { other, more }, 2, 3);
      return acc_array_add (g_ptr_array_index (inner, 1), state[1]);
    }

  g_return_val_if_reached (NULL);
}

static GPtrArray *
take_step (AccArray **state, guint n, gpointer data)
{
  Step step = GPOINTER_TO_INT (data);
  GPtrArray *next = g_ptr_array_new_with_free_func (g_object_unref);

  g_ptr_array_add (next, acc_array_map (state[0], next_number, NULL));
  g_ptr_array_add (next, next_state (step, state));
  if (step == STEP_SWAP)
    g_ptr_array_add (next, acc_array_map (state[1], change, NULL));
  if (step == STEP_CROSS)
    g_ptr_array_add (next, acc_array_zip_with (state[2], state[1], mix, NULL));
  if (step == STEP_FOLD)
    g_ptr_array_add (next, acc_array_fold_all (state[1], acc_expr_new_int (0), add, NULL));

  return next;
}

static guint
count_states (Step step)
{
  return step == STEP_SWAP || step == STEP_CROSS || step == STEP_FOLD ? 3 : 2;
}

static GPtrArray *
loop (Step step, AccArray **initial, guint n_initial, gint n_rounds)
{
  g_autoptr(GPtrArray) signatures = g_ptr_array_new_with_free_func (g_free);
  g_autoptr(AccProgram) condition = NULL, body = NULL;

  for (guint i = 0; i < n_initial; i++)
    {
      const char *code = acc_element_type_get_code (acc_array_get_element_type (initial[i]));

      g_ptr_array_add (signatures, g_strconcat (code, acc_array_get_rank (initial[i]) > 0 ? "[:]" : "", NULL));
    }
  g_ptr_array_add (signatures, NULL);
  condition = acc_program_new ((const char **) signatures->pdata, goes_on, GINT_TO_POINTER (n_rounds));
  body = acc_program_new_many ((const char **) signatures->pdata, take_step, GINT_TO_POINTER (step));

  return acc_array_while_loop_many (initial, n_initial, condition, body);
}

/* Runs the loop on @where, and leaves @states as they were. */
static GPtrArray *
run_loop (AccBackend *where, Step step, AccArray **states, guint n, gint n_rounds, GCancellable *cancellable, GError **error)
{
  g_autoptr(GPtrArray) results = loop (step, states, n, n_rounds), before = g_ptr_array_new_with_free_func (g_object_unref), found;

  /* What a user has of them, besides. */
  for (guint i = 0; i < n; i++)
    g_ptr_array_add (results, g_object_ref (states[i]));
  for (guint i = 0; i < n; i++)
    {
      g_autoptr(AccArray) copy = acc_array_map (states[i], next_number, NULL);

      if (!acc_element_type_is_tuple (acc_array_get_element_type (states[i])))
        g_ptr_array_add (before, run (judge, copy));
    }

  found = acc_backend_run_many (where, (AccArray **) results->pdata, results->len, cancellable, error);
  for (guint i = 0; i < before->len; i++)
    {
      g_autoptr(AccArray) copy = acc_array_map (states[i], next_number, NULL), again = run (where, copy);

      check_same (again, g_ptr_array_index (before, i));
    }

  return g_steal_pointer (&found);
}

/* The loop on the backend and on the judge. */
static void
compare_loops (Step step, AccArray **states, guint n, gint n_rounds)
{
  g_autoptr(GError) error = NULL;
  g_autoptr(GPtrArray) found = run_loop (backend, step, states, n, n_rounds, NULL, &error), wanted = NULL;

  g_assert_no_error (error);
  wanted = run_loop (judge, step, states, n, n_rounds, NULL, &error);
  g_assert_no_error (error);
  for (guint i = 0; i < wanted->len; i++)
    check_same (g_ptr_array_index (found, i), g_ptr_array_index (wanted, i));
}

static void
check_loop (Step step, const char *code, gint64 n, gint n_rounds)
{
  g_autoptr(AccArray) count = use_count (0), numbers = use (code, n), zero = use (code, 1),
    sum = acc_array_fold_all (zero, acc_expr_new_int (0), add, NULL), scalar = run (judge, sum);
  AccArray *states[] = { count, numbers, step == STEP_FOLD ? scalar : numbers };

  compare_loops (step, states, count_states (step), n_rounds);
}

static void
test_loops (void)
{
  static const gint64 sizes[] = { N, 0, 1, 7 };

  for (guint s = 0; s < G_N_ELEMENTS (sizes); s++)
    for (Step step = 0; step < N_STEPS; step++)
      if (step != STEP_DIVIDE && step != STEP_PAIRS && (step != STEP_SCATTER || sizes[s] >= 5) && (step != STEP_STENCIL || sizes[s] > 0))
        check_loop (step, "i4", sizes[s], 4);
}

static void
test_types (void)
{
  static const char *const codes[] = { "i1", "u1", "i2", "u2", "u4", "i8", "u8", "f2", "f4", "f8", "c8", "c16" };

  for (guint i = 0; i < G_N_ELEMENTS (codes); i++)
    {
      check_loop (STEP_MAP, codes[i], 1000, 3);
      check_loop (STEP_CROSS, codes[i], 1000, 3);
      check_loop (STEP_SWAP, codes[i], 1000, 3);
    }
}

static AccExpr *
pair_up (AccExpr *x, gpointer data)
{
  g_autoptr(AccExpr) value = acc_expr_ref_sink (x);

  return acc_expr_tuple2 (acc_expr_add (value, value), value);
}

static void
test_pairs (void)
{
  g_autoptr(AccArray) count = use_count (0), numbers = use ("f8", N), delayed = acc_array_map (numbers, pair_up, NULL),
    pairs = run (judge, delayed);

  compare_loops (STEP_PAIRS, (AccArray *[]) { count, pairs }, 2, 5);
}

/* --- what ends early */

static void
test_failure (void)
{
  g_autoptr(AccArray) count = use_count (0), numbers = use ("i8", N);
  AccArray *states[] = { count, numbers };

  for (guint i = 0; i < 3; i++)
    {
      g_autoptr(GError) error = NULL;
      g_autoptr(GPtrArray) found = run_loop (backend, STEP_DIVIDE, states, 2, 9, NULL, &error);

      g_assert_null (found);
      g_assert_error (error, ACC_ERROR, ACC_ERROR_ARITHMETIC);
    }
}

static gpointer
cancel_soon (gpointer cancellable)
{
  g_usleep (20000);
  g_cancellable_cancel (cancellable);

  return NULL;
}

/* In the middle of a loop that would take long. */
static void
test_cancel (void)
{
  g_autoptr(AccArray) count = use_count (0), numbers = use ("i8", N);
  AccArray *states[] = { count, numbers };

  for (guint i = 0; i < 3; i++)
    {
      g_autoptr(GError) error = NULL;
      g_autoptr(GCancellable) cancellable = g_cancellable_new ();
      GThread *thread = g_thread_new ("cancel", cancel_soon, cancellable);
      g_autoptr(GPtrArray) found = run_loop (backend, STEP_MAP, states, 2, G_MAXINT, cancellable, &error);

      g_thread_join (thread);
      g_assert_null (found);
      g_assert_error (error, G_IO_ERROR, G_IO_ERROR_CANCELLED);
    }
}

/* --- arrays that several have */

static gpointer
run_on_shared (gpointer shared)
{
  AccArray *array = shared;

  for (guint i = 0; i < 5; i++)
    {
      g_autoptr(GError) error = NULL;
      g_autoptr(AccArray) count = use_count (0);
      AccArray *states[] = { count, array };
      g_autoptr(GPtrArray) found = run_loop (backend, STEP_MAP, states, 2, 6, NULL, &error);

      g_assert_no_error (error);
      check_same (g_ptr_array_index (found, 3), array);
    }

  return NULL;
}

/* A result on the device is what several programs begin with, at the same time. */
static void
test_shared (void)
{
  g_autoptr(AccArray) numbers = use ("i4", N), delayed = acc_array_map (numbers, next_number, NULL), computed = run (backend, delayed);
  g_autoptr(AccArray) wanted = run (judge, delayed);
  GThread *threads[3];

  for (guint i = 0; i < G_N_ELEMENTS (threads); i++)
    threads[i] = g_thread_new ("run", run_on_shared, computed);
  for (guint i = 0; i < G_N_ELEMENTS (threads); i++)
    g_thread_join (threads[i]);
  check_same (computed, wanted);
}

/* --- what is between modules */

static AccArray *
choose (AccArray *array, AccArray *a, AccArray *b)
{
  g_autoptr(AccArray) odd = acc_array_map (array, is_odd, NULL), one = acc_array_cast (odd, acc_element_type_new (ACC_KIND_I64)),
    sum = acc_array_fold_all (one, acc_expr_new_int (0), add, NULL), flag = acc_array_map (sum, is_odd, NULL);

  return acc_array_cond (flag, a, b);
}

/* Arrays that later choices read again, as they are, or through what is computed twice; and results that were read before. */
static GPtrArray *
build_chain (AccArray **arrays, guint n, gpointer data)
{
  GPtrArray *results = g_ptr_array_new_with_free_func (g_object_unref);
  g_autoptr(AccArray) first = acc_array_map (arrays[0], next_number, NULL), kept = acc_array_compute (first);
  g_autoptr(AccArray) second = acc_array_scanl1 (kept, add, NULL), cheap = acc_array_map (second, next_number, NULL);
  g_autoptr(AccArray) one = choose (second, kept, second), two = choose (one, cheap, one), three = choose (two, two, second);
  g_autoptr(AccArray) more = acc_array_add (cheap, three), sorted = acc_array_sort (more, TRUE);
  g_autoptr(AccArray) last = choose (sorted, sorted, more);

  g_ptr_array_add (results, acc_array_map (last, next_number, NULL));
  g_ptr_array_add (results, g_object_ref (three));
  g_ptr_array_add (results, acc_array_reverse (cheap));

  return results;
}

static void
test_chain (void)
{
  const char *signatures[] = { "i4[:]", NULL };
  g_autoptr(GError) error = NULL;
  g_autoptr(AccProgram) program = acc_program_new_many (signatures, build_chain, NULL);
  g_autoptr(AccExecutable) executable = acc_backend_compile (backend, program, NULL, &error), judged = NULL;

  g_assert_no_error (error);
  judged = acc_backend_compile (judge, program, NULL, &error);
  g_assert_no_error (error);
  for (gint64 n = 0; n < 40; n += n < 4 ? 1 : 9)
    {
      g_autoptr(AccArray) numbers = use ("i4", n), before = use ("i4", n);
      g_autoptr(GPtrArray) found = acc_executable_run (executable, &numbers, 1, NULL, &error), wanted = NULL;

      g_assert_no_error (error);
      wanted = acc_executable_run (judged, &numbers, 1, NULL, &error);
      g_assert_no_error (error);
      for (guint i = 0; i < wanted->len; i++)
        check_same (g_ptr_array_index (found, i), g_ptr_array_index (wanted, i));
      check_same (numbers, before);
    }
}

/* --- memory */

static guint64
measure (Step step, gint64 n, gint n_rounds)
{
  g_autoptr(GError) error = NULL;
  g_autoptr(AccArray) count = use_count (0), numbers = use ("i4", n);
  AccArray *states[] = { count, numbers };
  g_autoptr(GPtrArray) results = loop (step, states, 2, n_rounds), found = NULL;
  AccBudget *budget = acc_backend_get_budget (backend);

  acc_budget_reset_high_water (budget);
  found = acc_backend_run_many (backend, (AccArray **) results->pdata, results->len, NULL, &error);
  g_assert_no_error (error);

  return acc_budget_get_high_water (budget);
}

/* Rounds after the first take no more: their results are where their states were. */
static void
test_memory (void)
{
  const gint64 n = 1 << 20;
  guint64 one, more;

  if (!g_str_has_prefix (acc_backend_get_name (backend), "pjrt") || g_getenv ("ACC_DISABLE") != NULL)
    {
      g_test_skip ("it is told of PJRT");
      return;
    }
  for (guint i = 0; i < 2; i++)
    {
      Step step = i == 0 ? STEP_MAP : STEP_SCATTER;

      one = measure (step, n, 1);
      more = measure (step, n, 20);
      g_test_message ("%" G_GUINT64_FORMAT " bytes in one round, %" G_GUINT64_FORMAT " in twenty", one, more);
      g_assert_cmpuint (more, <=, one + n);
    }
}

int
main (int argc, char **argv)
{
  g_test_init (&argc, &argv, NULL);
  if (!open_backends ("native"))
    return 0;
  g_test_add_func ("/donation/loops", test_loops);
  g_test_add_func ("/donation/types", test_types);
  g_test_add_func ("/donation/pairs", test_pairs);
  g_test_add_func ("/donation/failure", test_failure);
  g_test_add_func ("/donation/cancel", test_cancel);
  g_test_add_func ("/donation/shared", test_shared);
  g_test_add_func ("/donation/chain", test_chain);
  g_test_add_func ("/donation/memory", test_memory);

  return run_tests ();
}
