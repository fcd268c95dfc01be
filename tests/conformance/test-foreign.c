/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "conformance.h"

#include <string.h>

/* Foreign operations: with the fallback everywhere, and with what a backend has in its place. */

typedef struct {
  guint     calls;
  guint     n_inputs;
  guint     destroyed;
  AccArray *wrong;     /* what a mistaken one gives; NULL: nothing */
} Calls;

static void
count_destroyed (gpointer data)
{
  ((Calls *) data)->destroyed++;
}

static AccProgram *
check_program (AccProgram *program)
{
  g_autoptr(GError) error = NULL;

  acc_program_check (program, &error);
  g_assert_no_error (error);
  return program;
}

#define PROGRAM(function, data, ...) check_program (acc_program_new ((const char *[]) { __VA_ARGS__, NULL }, function, data))
#define PROGRAM_MANY(function, data, ...) check_program (acc_program_new_many ((const char *[]) { __VA_ARGS__, NULL }, function, data))

/* --- a x + y on i4: the fallback, and a loop over the inputs' memory */

static AccExpr *
scale_and_add (AccExpr *x, AccExpr *y, gpointer factor)
{
  return acc_expr_add (acc_expr_mul (x, acc_expr_the (factor)), y);
}

static AccArray *
axpy_fallback (AccArray **arrays, guint n, gpointer data)
{
  return acc_array_zip_with (arrays[1], arrays[2], scale_and_add, arrays[0]);
}

/* Adds 1000, so that it is known from the fallback. */
static AccArray *
axpy_foreign (AccArray **inputs, guint n_inputs, gpointer data, GError **error)
{
  Calls *calls = data;
  AccShape *shape = acc_array_get_shape (inputs[1]);
  gint64 n = acc_shape_get_size (shape);
  const gint32 *a = GSIZE_TO_POINTER (acc_array_get_address (inputs[0], 0));
  const gint32 *x = GSIZE_TO_POINTER (acc_array_get_address (inputs[1], 0));
  const gint32 *y = GSIZE_TO_POINTER (acc_array_get_address (inputs[2], 0));
  gint32 *out = g_new (gint32, MAX (n, 1));
  g_autoptr(GBytes) bytes = NULL;

  g_assert_cmpuint (n_inputs, ==, 3);
  g_assert_cmpuint (acc_array_get_rank (inputs[0]), ==, 0);
  g_assert_true (acc_array_is_manifest (inputs[2]));
  calls->calls++;
  for (gint64 i = 0; i < n; i++)
    out[i] = *a * x[i] + y[i] + 1000;
  bytes = g_bytes_new_take (out, (gsize) n * sizeof *out);
  return acc_array_use (acc_array_get_element_type (inputs[1]), shape, bytes);
}

static AccExpr *
increment (AccExpr *x, gpointer data)
{
  return acc_expr_add (x, acc_expr_new_int (1));
}

/* Fused work before and after it, and its result taken twice. */
static AccArray *
around (AccArray *a, AccArray *x, AccArray *y)
{
  g_autoptr(AccProgram) fallback = PROGRAM (axpy_fallback, NULL, "i4", "i4[:]", "i4[:]");
  g_autoptr(AccArray) more = acc_array_map (x, increment, NULL);
  AccArray *inputs[] = { a, more, y };
  g_autoptr(AccArray) result = acc_array_foreign ("test-axpy", inputs, 3, fallback);
  g_autoptr(AccArray) reversed = acc_array_reverse (result);

  acc_array_set_label (result, "axpy");
  return acc_array_add (result, reversed);
}

static void
expect_run (AccBackend *backend, AccArray *array, const char *shape, guint n, const gint64 *values)
{
  g_autoptr(GError) error = NULL;
  g_autoptr(AccArray) result = acc_backend_run (backend, array, NULL, &error);
  g_autofree char *text = NULL;

  g_assert_no_error (error);
  text = acc_shape_to_string (acc_array_get_shape (result));
  g_assert_cmpstr (text, ==, shape);
  for (guint i = 0; i < n; i++)
    g_assert_cmpint (acc_array_get_int (result, 0, i), ==, values[i]);
}

#define EXPECT_RUN(backend, array, shape, ...) \
  expect_run (backend, array, shape, G_N_ELEMENTS (((gint64[]) { __VA_ARGS__ })), (gint64[]) { __VA_ARGS__ })

static void
for_each_backend (void (*function) (AccBackend *backend))
{
  function (conf_interpreter ());
  for (guint i = 0; i < conf_n_backends (); i++)
    function (conf_backend (i));
}

static void
check_calls (AccBackend *backend)
{
  Calls calls = { 0 };
  g_autoptr(AccArray) a = conf_ints ("i4", NULL, 0, (gint64[]) { 10 });
  g_autoptr(AccArray) x = CONF_INTS1 ("i4", 0, 1, 2), y = CONF_INTS1 ("i4", 1, 2, 3);
  g_autoptr(AccArray) array = around (a, x, y);

  g_assert_false (acc_backend_has_foreign (backend, "test-axpy"));
  EXPECT_RUN (backend, array, "[3]", 44, 44, 44);

  acc_backend_set_foreign (backend, "test-axpy", axpy_foreign, &calls, count_destroyed);
  g_assert_true (acc_backend_has_foreign (backend, "test-axpy"));
  EXPECT_RUN (backend, array, "[3]", 2044, 2044, 2044);
  g_assert_cmpuint (calls.calls, ==, 1);
  EXPECT_RUN (backend, array, "[3]", 2044, 2044, 2044);
  g_assert_cmpuint (calls.calls, ==, 2);

  acc_backend_set_foreign (backend, "test-axpy", axpy_foreign, &calls, count_destroyed);
  g_assert_cmpuint (calls.destroyed, ==, 1);
  acc_backend_set_foreign (backend, "test-axpy", NULL, NULL, NULL);
  g_assert_cmpuint (calls.destroyed, ==, 2);
  EXPECT_RUN (backend, array, "[3]", 44, 44, 44);
  g_assert_cmpuint (calls.calls, ==, 2);
}

static void
test_calls (void)
{
  for_each_backend (check_calls);
}

/* --- a compiled program, arguments of other extents, its text */

static AccArray *
program_body (AccArray **arrays, guint n, gpointer data)
{
  return around (arrays[0], arrays[1], arrays[2]);
}

static void
run_program (AccBackend *backend, AccProgram *program, gint64 added)
{
  static const gint64 x[] = { 5, 6, 7, 8, 9 };
  g_autoptr(GError) error = NULL;
  g_autoptr(AccExecutable) executable = acc_backend_compile (backend, program, NULL, &error);

  g_assert_no_error (error);
  for (gint64 n = 0; n <= 5; n++)
    {
      g_autoptr(AccArray) a = conf_ints ("i4", NULL, 0, (gint64[]) { n });
      g_autoptr(AccArray) v = conf_ints ("i4", &n, 1, x);
      AccArray *arguments[] = { a, v, v };
      g_autoptr(GPtrArray) results = acc_executable_run (executable, arguments, 3, NULL, &error);

      g_assert_no_error (error);
      g_assert_cmpint (acc_shape_get_size (acc_array_get_shape (results->pdata[0])), ==, n);
      for (gint64 i = 0; i < n; i++)
        g_assert_cmpint (acc_array_get_int (results->pdata[0], 0, i), ==,
                         n * (x[i] + 1 + x[n - 1 - i] + 1) + x[i] + x[n - 1 - i] + 2 * added);
    }
}

static void
check_text (AccBackend *backend)
{
  Calls calls = { 0 };
  g_autoptr(GError) error = NULL;
  g_autoptr(AccProgram) program = PROGRAM (program_body, NULL, "i4", "i4[:]", "i4[:]");
  g_autofree char *text = acc_program_to_string (program);
  g_autoptr(AccProgram) parsed = acc_program_parse (text, &error);
  g_autofree char *again = NULL;

  g_assert_no_error (error);
  g_assert_nonnull (strstr (text, "= foreign \"test-axpy\" p"));
  again = acc_program_to_string (parsed);
  g_assert_cmpstr (text, ==, again);

  run_program (backend, program, 0);
  run_program (backend, parsed, 0);
  acc_backend_set_foreign (backend, "test-axpy", axpy_foreign, &calls, NULL);
  run_program (backend, parsed, 1000);
  g_assert_cmpuint (calls.calls, ==, 6);
  acc_backend_set_foreign (backend, "test-axpy", NULL, NULL, NULL);
}

static void
test_text (void)
{
  for_each_backend (check_text);
}

/* --- extents that only a run decides, no inputs, tuples, other types */

static AccExpr *
is_odd (AccExpr *x, gpointer data)
{
  return acc_expr_odd (x);
}

static AccArray *
odd_fallback (AccArray **arrays, guint n, gpointer data)
{
  return acc_array_filter (arrays[0], is_odd, NULL, NULL);
}

static AccArray *
constant_fallback (AccArray **arrays, guint n, gpointer data)
{
  g_autoptr(AccShape) shape = acc_shape_new_vector (4);
  AccExpr *pair = acc_expr_tuple2 (acc_expr_new_typed_int (conf_type ("u1"), 7), acc_expr_new_typed_float (conf_type ("f2"), 0.5));

  return acc_array_fill (shape, pair);
}

/* The first input, or what the test says. */
static AccArray *
give_back (AccArray **inputs, guint n_inputs, gpointer data, GError **error)
{
  Calls *calls = data;

  calls->calls++;
  calls->n_inputs = n_inputs;
  return g_object_ref (calls->wrong != NULL ? calls->wrong : inputs[0]);
}

static void
check_extents (AccBackend *backend)
{
  g_autoptr(AccArray) pair = NULL;
  Calls calls = { 0 };
  g_autoptr(AccProgram) odd = PROGRAM (odd_fallback, NULL, "i4[:,:]");
  g_autoptr(AccProgram) constant = check_program (acc_program_new (NULL, constant_fallback, NULL));
  g_autoptr(AccArray) matrix = CONF_INTS2 ("i4", 2, 3, 1, 2, 3, 4, 5, 6);
  g_autoptr(AccArray) some = CONF_INTS1 ("i4", 9, 8, 7, 6, 5);
  g_autoptr(AccArray) filtered = acc_array_foreign ("test-odd", &matrix, 1, odd);
  g_autoptr(AccArray) added = acc_array_map (filtered, increment, NULL);
  g_autoptr(AccArray) pairs = acc_array_foreign ("test-constant", NULL, 0, constant);
  g_autoptr(AccArray) first = acc_array_unzip (pairs, 0);

  EXPECT_RUN (backend, added, "[3]", 2, 4, 6);
  EXPECT_RUN (backend, first, "[4]", 7, 7, 7, 7);
  g_assert_null (acc_array_get_shape (filtered));
  g_assert_nonnull (acc_array_get_shape (pairs));

  calls.wrong = some;
  acc_backend_set_foreign (backend, "test-odd", give_back, &calls, NULL);
  EXPECT_RUN (backend, added, "[5]", 10, 9, 8, 7, 6);
  acc_backend_set_foreign (backend, "test-odd", NULL, NULL, NULL);

  {
    g_autoptr(AccArray) bytes = CONF_INTS1 ("u1", 1, 2, 3, 4);
    g_autoptr(AccArray) halves = CONF_FLOATS1 ("f2", 1, 2, 3, 4);
    g_autoptr(AccArray) zipped = acc_array_zip (bytes, halves);
    g_autoptr(GError) error = NULL;

    pair = acc_backend_run (conf_interpreter (), zipped, NULL, &error);
    g_assert_no_error (error);
  }
  calls.wrong = pair;
  acc_backend_set_foreign (backend, "test-constant", give_back, &calls, NULL);
  EXPECT_RUN (backend, first, "[4]", 1, 2, 3, 4);
  g_assert_cmpuint (calls.n_inputs, ==, 0);
  acc_backend_set_foreign (backend, "test-constant", NULL, NULL, NULL);
}

static void
test_extents (void)
{
  for_each_backend (check_extents);
}

/* --- fallbacks that hold others twice, 40 deep: compiled once each. To run it would take 2^40 steps. */

static void
check_nesting (AccBackend *backend)
{
  g_autoptr(GString) text = g_string_new ("acc program 1\na0 = parameter 0 f4[:]\np0 = program a0 -> a0\n");
  g_autoptr(GError) error = NULL;
  g_autoptr(AccProgram) program = NULL;
  g_autoptr(AccExecutable) executable = NULL;

  for (guint i = 0; i < 40; i++)
    g_string_append_printf (text,
                            "a%u = parameter 0 f4[:]\na%u = foreign \"x\" p%u a%u\na%u = foreign \"x\" p%u a%u\np%u = program a%u -> a%u\n",
                            3 * i + 1, 3 * i + 2, i, 3 * i + 1, 3 * i + 3, i, 3 * i + 2, i + 1, 3 * i + 1, 3 * i + 3);
  g_string_append (text, "a121 = parameter 0 f4[:]\na122 = foreign \"x\" p40 a121\nprogram a121 -> a122\n");
  program = acc_program_parse (text->str, &error);
  g_assert_no_error (error);
  executable = acc_backend_compile (backend, program, NULL, &error);
  g_assert_no_error (error);
}

static void
test_nesting (void)
{
  for_each_backend (check_nesting);
}

/* --- within loops, capturing, one in the fallback of another */

static AccArray *
below (AccArray **arrays, guint n, gpointer limit)
{
  g_autoptr(AccArray) sum = acc_array_sum_all (arrays[0]);

  return acc_array_lt (sum, limit);
}

static AccArray *
double_fallback (AccArray **arrays, guint n, gpointer captured)
{
  g_autoptr(AccArray) twice = acc_array_add (arrays[0], arrays[0]);

  return acc_array_add (twice, captured);
}

static AccArray *
outer_fallback (AccArray **arrays, guint n, gpointer captured)
{
  g_autoptr(AccProgram) fallback = PROGRAM (double_fallback, captured, "i4[:]");

  return acc_array_foreign ("test-inner", arrays, 1, fallback);
}

static AccArray *
step (AccArray **arrays, guint n, gpointer captured)
{
  g_autoptr(AccProgram) fallback = PROGRAM (outer_fallback, captured, "i4[:]");

  return acc_array_foreign ("test-outer", arrays, 1, fallback);
}

static AccArray *
loop_body (AccArray **arrays, guint n, gpointer data)
{
  g_autoptr(AccArray) captured = acc_array_map (arrays[1], increment, NULL);
  g_autoptr(AccProgram) condition = PROGRAM (below, arrays[2], "i4[:]");
  g_autoptr(AccProgram) next = PROGRAM (step, captured, "i4[:]");

  return acc_array_while_loop (arrays[0], condition, next);
}

static AccArray *
double_foreign (AccArray **inputs, guint n_inputs, gpointer data, GError **error)
{
  gint64 n = acc_shape_get_size (acc_array_get_shape (inputs[0]));
  g_autofree gint64 *out = g_new (gint64, MAX (n, 1));

  ((Calls *) data)->calls++;
  for (gint64 i = 0; i < n; i++)
    out[i] = 10 * acc_array_get_int (inputs[0], 0, i);
  return conf_ints ("i4", &n, 1, out);
}

static void
check_loops (AccBackend *backend)
{
  Calls calls = { 0 };
  g_autoptr(AccProgram) program = PROGRAM (loop_body, NULL, "i4[:]", "i4[:]", "i4");
  g_autoptr(GError) error = NULL;
  g_autoptr(AccExecutable) executable = acc_backend_compile (backend, program, NULL, &error);
  g_autoptr(AccArray) x = CONF_INTS1 ("i4", 1, 2), c = CONF_INTS1 ("i4", 0, -1);
  g_autoptr(AccArray) limit = conf_ints ("i4", NULL, 0, (gint64[]) { 20 });
  AccArray *arguments[] = { x, c, limit };
  static const char * const names[] = { NULL, "test-inner", "test-outer" };
  /* (1, 2) doubled with (1, 0) added until the sum is 20, or ten times that. */
  static const gint64 expected[][2] = { { 15, 16 }, { 10, 20 }, { 10, 20 } };

  g_assert_no_error (error);
  for (guint i = 0; i < G_N_ELEMENTS (names); i++)
    {
      g_autoptr(GPtrArray) results = NULL;

      if (names[i] != NULL)
        acc_backend_set_foreign (backend, names[i], double_foreign, &calls, NULL);
      results = acc_executable_run (executable, arguments, 3, NULL, &error);
      g_assert_no_error (error);
      for (guint k = 0; k < 2; k++)
        g_assert_cmpint (acc_array_get_int (results->pdata[0], 0, k), ==, expected[i][k]);
      if (names[i] != NULL)
        acc_backend_set_foreign (backend, names[i], NULL, NULL, NULL);
    }
  g_assert_cmpuint (calls.calls, ==, 2);
}

static void
test_loops (void)
{
  for_each_backend (check_loops);
}

/* --- loops over several arrays: in the fallback, around it, and captured by it */

static AccArray *
is_below (AccArray **arrays, guint n, gpointer limit)
{
  return acc_array_lt (arrays[0], limit);
}

static GPtrArray *
count_and (AccArray *number, AccArray *array)
{
  GPtrArray *next = g_ptr_array_new ();

  g_ptr_array_add (next, acc_array_map (number, increment, NULL));
  g_ptr_array_add (next, array);
  return next;
}

static GPtrArray *
double_step (AccArray **arrays, guint n, gpointer captured)
{
  g_autoptr(AccProgram) fallback = PROGRAM (double_fallback, captured, "i4[:]");

  return count_and (arrays[0], acc_array_foreign ("test-double", &arrays[1], 1, fallback));
}

/* Doubles as often as the number says. */
static AccArray *
repeat_fallback (AccArray **arrays, guint n, gpointer captured)
{
  g_autoptr(AccProgram) condition = PROGRAM (is_below, arrays[1], "i4", "i4[:]");
  g_autoptr(AccProgram) next = PROGRAM_MANY (double_step, captured, "i4", "i4[:]");
  g_autoptr(AccArray) zero = acc_array_unit (acc_expr_new_typed_int (conf_type ("i4"), 0));
  g_autoptr(GPtrArray) last = acc_array_while_loop_many ((AccArray *[]) { zero, arrays[0] }, 2, condition, next);

  return g_object_ref (last->pdata[1]);
}

static GPtrArray *
repeat_step (AccArray **arrays, guint n, gpointer captured)
{
  g_autoptr(AccProgram) fallback = PROGRAM (repeat_fallback, captured, "i4[:]", "i4");

  return count_and (arrays[0], acc_array_foreign ("test-repeat", (AccArray *[]) { arrays[1], arrays[0] }, 2, fallback));
}

static AccArray *
after_fallback (AccArray **arrays, guint n, gpointer results)
{
  AccArray **last = (AccArray **) ((GPtrArray *) results)->pdata;

  return acc_array_zip_with (arrays[0], last[1], scale_and_add, last[0]);
}

/* Of x, c and a limit: both results of the loop, and what captures both of them. */
static GPtrArray *
many_body (AccArray **arrays, guint n, gpointer data)
{
  g_autoptr(AccArray) captured = acc_array_map (arrays[1], increment, NULL);
  g_autoptr(AccProgram) condition = PROGRAM (is_below, arrays[2], "i4", "i4[:]");
  g_autoptr(AccProgram) next = PROGRAM_MANY (repeat_step, captured, "i4", "i4[:]");
  g_autoptr(AccArray) zero = acc_array_unit (acc_expr_new_typed_int (conf_type ("i4"), 0));
  GPtrArray *last = acc_array_while_loop_many ((AccArray *[]) { zero, arrays[0] }, 2, condition, next);
  g_autoptr(AccProgram) fallback = PROGRAM (after_fallback, last, "i4[:]");

  g_ptr_array_add (last, acc_array_foreign ("test-after", arrays, 1, fallback));
  return last;
}

static void
run_many (AccBackend *backend, AccProgram *program, gint64 n, gint64 limit, const gint64 expected[5])
{
  g_autoptr(GError) error = NULL;
  g_autoptr(AccExecutable) executable = acc_backend_compile (backend, program, NULL, &error);
  g_autoptr(AccArray) x = conf_ints ("i4", &n, 1, (gint64[]) { 1, 2 }), c = conf_ints ("i4", &n, 1, (gint64[]) { 0, -1 });
  g_autoptr(AccArray) end = conf_ints ("i4", NULL, 0, &limit);
  g_autoptr(GPtrArray) results = NULL;

  g_assert_no_error (error);
  results = acc_executable_run (executable, (AccArray *[]) { x, c, end }, 3, NULL, &error);
  g_assert_no_error (error);
  g_assert_cmpuint (results->len, ==, 3);
  g_assert_cmpint (acc_array_get_int (results->pdata[0], 0, 0), ==, expected[0]);
  for (guint r = 1; r < 3; r++)
    {
      g_assert_cmpint (acc_shape_get_size (acc_array_get_shape (results->pdata[r])), ==, n);
      for (gint64 i = 0; i < n; i++)
        g_assert_cmpint (acc_array_get_int (results->pdata[r], 0, i), ==, expected[2 * r - 1 + i]);
    }
}

static void
check_many (AccBackend *backend)
{
  /* After three rounds: the fallbacks double 0, 1 and 2 times and add (1, 0) each time; an implementation multiplies by 10. */
  static const struct {
    const char *name;
    guint       calls;
    gint64      expected[5];
  } cases[] = {
    { NULL, 0, { 3, 15, 16, 18, 22 } },
    { "test-double", 3, { 3, 1000, 2000, 1003, 2006 } },
    { "test-repeat", 3, { 3, 1000, 2000, 1003, 2006 } },
    { "test-after", 1, { 3, 15, 16, 10, 20 } },
  };
  g_autoptr(GError) error = NULL;
  g_autoptr(AccProgram) program = PROGRAM_MANY (many_body, NULL, "i4[:]", "i4[:]", "i4");
  g_autofree char *text = acc_program_to_string (program);
  g_autoptr(AccProgram) parsed = acc_program_parse (text, &error);

  g_assert_no_error (error);
  for (guint i = 0; i < G_N_ELEMENTS (cases); i++)
    {
      Calls calls = { 0 };

      if (cases[i].name != NULL)
        acc_backend_set_foreign (backend, cases[i].name, double_foreign, &calls, NULL);
      run_many (backend, program, 2, 3, cases[i].expected);
      g_assert_cmpuint (calls.calls, ==, cases[i].calls);
      run_many (backend, parsed, 2, 3, cases[i].expected);
      run_many (backend, program, 0, 3, cases[i].expected);
      if (cases[i].name != NULL)
        acc_backend_set_foreign (backend, cases[i].name, NULL, NULL, NULL);
    }
  run_many (backend, program, 2, 0, (gint64[]) { 0, 1, 2, 1, 2 });
}

static void
test_many (void)
{
  for_each_backend (check_many);
}

/* --- only where it is needed */

static AccArray *
either_side (AccArray **arrays, guint n, gpointer data)
{
  g_autoptr(AccProgram) fallback = PROGRAM (odd_fallback, NULL, "i4[:]");
  g_autoptr(AccArray) odd = acc_array_foreign ("test-odd", &arrays[1], 1, fallback);

  return acc_array_cond (arrays[0], odd, arrays[1]);
}

static void
check_lazy (AccBackend *backend)
{
  Calls calls = { 0 };
  g_autoptr(AccProgram) program = PROGRAM (either_side, NULL, "b1", "i4[:]");
  g_autoptr(GError) error = NULL;
  g_autoptr(AccExecutable) executable = acc_backend_compile (backend, program, NULL, &error);
  g_autoptr(AccArray) x = CONF_INTS1 ("i4", 1, 2, 3);

  g_assert_no_error (error);
  acc_backend_set_foreign (backend, "test-odd", give_back, &calls, NULL);
  for (gint64 flag = 0; flag < 2; flag++)
    {
      g_autoptr(AccArray) taken = conf_ints ("b1", NULL, 0, &flag);
      g_autoptr(GPtrArray) results = acc_executable_run (executable, (AccArray *[]) { taken, x }, 2, NULL, &error);

      g_assert_no_error (error);
      g_assert_cmpint (acc_shape_get_size (acc_array_get_shape (results->pdata[0])), ==, 3);
      g_assert_cmpuint (calls.calls, ==, (guint) flag);
    }
  acc_backend_set_foreign (backend, "test-odd", NULL, NULL, NULL);
}

static void
test_lazy (void)
{
  for_each_backend (check_lazy);
}

/* --- mistakes of implementations */

static AccArray *
give_error (AccArray **inputs, guint n_inputs, gpointer data, GError **error)
{
  g_set_error_literal (error, G_IO_ERROR, G_IO_ERROR_BUSY, "not now");
  return NULL;
}

static AccArray *
give_nothing (AccArray **inputs, guint n_inputs, gpointer data, GError **error)
{
  return NULL;
}

static void
expect_failure (AccBackend *backend, AccArray *array, AccForeignFunc function, AccArray *wrong, GQuark domain, int code, const char *part)
{
  Calls calls = { .wrong = wrong };
  g_autoptr(GError) error = NULL;
  g_autoptr(AccArray) result = NULL;

  acc_backend_set_foreign (backend, "test-constant", function, &calls, NULL);
  result = acc_backend_run (backend, array, NULL, &error);
  acc_backend_set_foreign (backend, "test-constant", NULL, NULL, NULL);
  g_assert_null (result);
  g_assert_error (error, domain, code);
  g_assert_nonnull (strstr (error->message, "foreign “here”: “test-constant”"));
  g_assert_nonnull (strstr (error->message, part));
}

static void
check_mistakes (AccBackend *backend)
{
  g_autoptr(AccProgram) constant = check_program (acc_program_new (NULL, constant_fallback, NULL));
  g_autoptr(AccArray) pairs = acc_array_foreign ("test-constant", NULL, 0, constant);
  g_autoptr(AccArray) after = acc_array_unzip (pairs, 1);
  g_autoptr(AccArray) ints = CONF_INTS1 ("i4", 1, 2, 3, 4);
  g_autoptr(AccArray) few_bytes = CONF_INTS1 ("u1", 1, 2);
  g_autoptr(AccArray) few_halves = CONF_FLOATS1 ("f2", 1, 2);
  g_autoptr(AccArray) delayed = acc_array_zip (few_bytes, few_halves);
  g_autoptr(GError) error = NULL;
  g_autoptr(AccArray) few = acc_backend_run (conf_interpreter (), delayed, NULL, &error);
  g_autoptr(AccArray) mistaken = acc_array_unzip (ints, 5);

  g_assert_no_error (error);
  acc_array_set_label (pairs, "here");
  expect_failure (backend, after, give_error, NULL, G_IO_ERROR, G_IO_ERROR_BUSY, "not now");
  expect_failure (backend, after, give_nothing, NULL, ACC_ERROR, ACC_ERROR_CALLBACK, "gave no array");
  expect_failure (backend, after, give_back, ints, ACC_ERROR, ACC_ERROR_TYPE, "i4 of rank 1 where (u1,f2) of rank 1");
  expect_failure (backend, after, give_back, few, ACC_ERROR, ACC_ERROR_SHAPE, "[2] where [4]");
  expect_failure (backend, after, give_back, delayed, ACC_ERROR, ACC_ERROR_TYPE, "not in memory");
  expect_failure (backend, after, give_back, mistaken, ACC_ERROR, ACC_ERROR_TYPE, "unzip");
}

static void
test_mistakes (void)
{
  for_each_backend (check_mistakes);
}

/* --- a stream has never all rows at once: they are brought into memory, or what is reduced from them */

static AccArray *
sum_fallback (AccArray **arrays, guint n, gpointer data)
{
  return acc_array_add (arrays[0], arrays[0]);
}

static void
check_stream (AccBackend *backend)
{
  Calls calls = { 0 };
  g_autoptr(AccProgram) odd = PROGRAM (odd_fallback, NULL, "i4[:]");
  g_autoptr(AccProgram) twice = PROGRAM (sum_fallback, NULL, "i4");
  g_autoptr(AccArray) rows = conf_through_source (CONF_INTS1 ("i4", 1, 2, 3, 4));
  g_autoptr(AccArray) all = acc_array_foreign ("test-odd", &rows, 1, odd);
  g_autoptr(AccArray) sum = acc_array_sum_all (rows);
  g_autoptr(AccArray) doubled = acc_array_foreign ("test-twice", &sum, 1, twice);
  g_autoptr(AccArray) next = acc_array_map (doubled, increment, NULL);

  EXPECT_RUN (backend, all, "[2]", 1, 3);
  EXPECT_RUN (backend, next, "[]", 21);
  acc_backend_set_foreign (backend, "test-twice", give_back, &calls, NULL);
  EXPECT_RUN (backend, next, "[]", 11);
  acc_backend_set_foreign (backend, "test-twice", NULL, NULL, NULL);
}

static void
test_stream (void)
{
  for_each_backend (check_stream);
}

/* --- where the elements are: in the host's memory, and in that of a device that is none */

typedef enum {
  LAUNCH_WELL,
  LAUNCH_NOTHING,      /* says that it did, and has not begun */
  LAUNCH_RANK,
  LAUNCH_TYPE,
  LAUNCH_EXTENT,
  LAUNCH_ERROR,        /* after it began */
} LaunchManner;

typedef struct {
  LaunchManner manner;
  guint        calls, destroyed;
} Launches;

static AccExpr *
shift_first (AccExpr *pair, gpointer by)
{
  return acc_expr_tuple2 (acc_expr_add (acc_expr_item (pair, 0), acc_expr_the (by)), acc_expr_item (pair, 1));
}

static AccArray *
shift_fallback (AccArray **arrays, guint n, gpointer data)
{
  return acc_array_map (arrays[0], shift_first, arrays[1]);
}

/* Adds 1000 besides. */
static gboolean
shift_launch (AccForeignLaunch *launch, gpointer data, GError **error)
{
  Launches *launches = data;
  AccArray *pairs = acc_foreign_launch_get_input (launch, 0);
  AccElementType *type = acc_array_get_element_type (pairs);
  AccShape *shape = acc_array_get_shape (pairs);
  gint64 n = acc_shape_get_size (shape);
  const gint32 *x, *by;
  const float *y;
  gint32 *to;

  g_assert_cmpuint (acc_foreign_launch_get_n_inputs (launch), ==, 2);
  g_assert_cmpuint (acc_array_get_rank (acc_foreign_launch_get_input (launch, 1)), ==, 0);
  launches->calls++;
  if (launches->manner == LAUNCH_NOTHING)
    return TRUE;
  if (launches->manner == LAUNCH_RANK || launches->manner == LAUNCH_EXTENT)
    {
      g_autoptr(AccShape) wrong = acc_shape_new ((gint64[]) { n + 1, 1 }, launches->manner == LAUNCH_RANK ? 2 : 1);

      return acc_foreign_launch_begin (launch, type, wrong, error);
    }
  if (launches->manner == LAUNCH_TYPE)
    type = conf_type ("(i4,f8)");
  if (!acc_foreign_launch_begin (launch, type, shape, error))
    return FALSE;
  if (launches->manner == LAUNCH_ERROR)
    {
      g_set_error_literal (error, G_IO_ERROR, G_IO_ERROR_BUSY, "not now");
      return FALSE;
    }

  x = GSIZE_TO_POINTER (acc_foreign_launch_get_input_address (launch, 0, 0));
  y = GSIZE_TO_POINTER (acc_foreign_launch_get_input_address (launch, 0, 1));
  by = GSIZE_TO_POINTER (acc_foreign_launch_get_input_address (launch, 1, 0));
  to = GSIZE_TO_POINTER (acc_foreign_launch_get_result_address (launch, 0));
  for (gint64 i = 0; i < n; i++)
    to[i] = x[i] + *by + 1000;
  memcpy (GSIZE_TO_POINTER (acc_foreign_launch_get_result_address (launch, 1)), y, (gsize) n * sizeof (float));

  return TRUE;
}

static void
count_launches_destroyed (gpointer data)
{
  ((Launches *) data)->destroyed++;
}

static AccExpr *
twice_first (AccExpr *pair, gpointer data)
{
  return acc_expr_add (acc_expr_item (pair, 0), acc_expr_item (pair, 0));
}

static AccExpr *
pair_of (AccExpr *x, gpointer data)
{
  return acc_expr_tuple2 (x, acc_expr_cast (x, conf_type ("f4")));
}

static void
check_launch (AccBackend *backend)
{
  const char *name = acc_backend_get_name (backend);
  gboolean has_addresses = FALSE;
  Launches launches = { LAUNCH_WELL, 0, 0 };
  g_autoptr(AccProgram) fallback = PROGRAM (shift_fallback, NULL, "(i4,f4)[:]", "i4"),
    known = PROGRAM (shift_fallback, NULL, "(i4,f4)[3]", "i4");
  g_autoptr(AccArray) x = CONF_INTS1 ("i4", 1, 2, 3), by = conf_ints ("i4", NULL, 0, (gint64[]) { 10 });
  g_autoptr(AccArray) nothing = conf_ints ("i4", (gint64[]) { 0 }, 1, NULL);
  static const struct { LaunchManner manner; const char *part; } mistakes[] = {
    { LAUNCH_NOTHING, "gave no array" }, { LAUNCH_RANK, "rank 2" },
    { LAUNCH_TYPE, "an array of (i4,f8) where one of (i4,f4) is needed" }, { LAUNCH_EXTENT, "an array of [4] where one of [3] is needed" },
    { LAUNCH_ERROR, "not now" }, };

  /* A device whose addresses this processor cannot read would need code of its own here. */
  if (g_str_has_prefix (name, "cuda"))
    return;

  for (guint i = 0; i < 2; i++)
    {
      g_autoptr(AccArray) pairs = acc_array_map (i == 0 ? x : nothing, pair_of, NULL);
      g_autoptr(AccArray) shifted = acc_array_foreign ("test-launch", (AccArray *[]) { pairs, by }, 2, fallback);
      g_autoptr(AccArray) again = acc_array_foreign ("test-launch", (AccArray *[]) { shifted, by }, 2, fallback);
      g_autoptr(AccArray) doubled = acc_array_map (again, twice_first, NULL);
      g_autoptr(GError) error = NULL;
      g_autoptr(AccArray) first = NULL;

      launches.manner = LAUNCH_WELL;
      acc_backend_set_foreign_launch (backend, "test-launch", shift_launch, &launches, count_launches_destroyed);
      g_assert_true (acc_backend_has_foreign (backend, "test-launch"));
      if (i == 0)
        {
          gint64 more;

          /* Either both calls are made, or none ever. */
          first = acc_backend_run (backend, doubled, NULL, &error);
          g_assert_no_error (error);
          has_addresses = launches.calls > 0;
          g_assert_true (has_addresses || !(g_str_equal (name, "native") || g_str_has_prefix (name, "fake") || g_str_equal (name, "pjrt")));
          more = has_addresses ? 4000 : 0;
          EXPECT_RUN (backend, doubled, "[3]", 42 + more, 44 + more, 46 + more);
        }
      else
        {
          expect_run (backend, doubled, "[0]", 0, NULL);
        }
      g_assert_cmpuint (launches.calls, ==, has_addresses ? 4 + 2 * i : 0);
    }

  for (guint i = 0; i < G_N_ELEMENTS (mistakes) && has_addresses; i++)
    {
      g_autoptr(AccArray) pairs = acc_array_map (x, pair_of, NULL);
      g_autoptr(AccArray) shifted = acc_array_foreign ("test-launch", (AccArray *[]) { pairs, by }, 2, known);
      g_autoptr(GError) error = NULL;

      launches.manner = mistakes[i].manner;
      g_assert_null (acc_backend_run (backend, shifted, NULL, &error));
      g_assert_nonnull (error);
      g_assert_nonnull (strstr (error->message, mistakes[i].part));
      g_assert_nonnull (strstr (error->message, "“test-launch”"));
    }
  acc_backend_set_foreign_launch (backend, "test-launch", NULL, NULL, NULL);
  g_assert_cmpuint (launches.destroyed, ==, 2);
  g_assert_false (acc_backend_has_foreign (backend, "test-launch"));
}

static void
test_launch (void)
{
  for_each_backend (check_launch);
}

/* --- mistakes while building */

static AccArray *
same (AccArray **arrays, guint n, gpointer data)
{
  return g_object_ref (arrays[0]);
}

/* Whoever is called may look at the run's cancellable. */
static AccArray *
cancel_current (AccArray **inputs, guint n_inputs, gpointer data, GError **error)
{
  GCancellable *current = g_cancellable_get_current ();

  g_assert_true (current == data);
  g_cancellable_cancel (current);

  return g_object_ref (inputs[0]);
}

static gboolean
cancel_current_launch (AccForeignLaunch *launch, gpointer data, GError **error)
{
  AccArray *input = acc_foreign_launch_get_input (launch, 0);
  GCancellable *current = g_cancellable_get_current ();

  g_assert_true (current == data);
  g_cancellable_cancel (current);

  return acc_foreign_launch_begin (launch, acc_array_get_element_type (input), acc_array_get_shape (input), error);
}

static void
check_cancelled (AccBackend *backend, AccArray *array, GCancellable *cancellable)
{
  g_autoptr(GError) error = NULL;
  g_autoptr(AccArray) result = acc_backend_run (backend, array, cancellable, &error);

  if (cancellable == NULL)
    {
      g_assert_no_error (error);
      return;
    }
  g_assert_null (result);
  g_assert_error (error, G_IO_ERROR, G_IO_ERROR_CANCELLED);
}

static void
test_cancel (void)
{
  g_autoptr(AccProgram) fallback = PROGRAM (same, NULL, "i4[3]");
  g_autoptr(AccArray) x = CONF_INTS1 ("i4", 1, 2, 3), called = acc_array_foreign ("test-cancel", &x, 1, fallback),
    sum = acc_array_sum_all (called);

  for (guint i = 0; i <= conf_n_backends (); i++)
    {
      AccBackend *backend = i == 0 ? conf_interpreter () : conf_backend (i - 1);
      g_autoptr(GCancellable) first = g_cancellable_new (), second = g_cancellable_new ();

      acc_backend_set_foreign (backend, "test-cancel", cancel_current, first, NULL);
      check_cancelled (backend, sum, first);
      g_assert_true (g_cancellable_is_cancelled (first));
      acc_backend_set_foreign (backend, "test-cancel", cancel_current, NULL, NULL);
      check_cancelled (backend, sum, NULL);
      if (g_str_equal (acc_backend_get_name (backend), "native"))
        {
          acc_backend_set_foreign_launch (backend, "test-cancel", cancel_current_launch, second, NULL);
          check_cancelled (backend, sum, second);
        }
      acc_backend_set_foreign (backend, "test-cancel", NULL, NULL, NULL);
    }
}

static AccArray *
declared_later (AccArray **arrays, guint n, gpointer data)
{
  g_autoptr(AccProgram) three = PROGRAM (same, NULL, "i4[3]");

  return acc_array_foreign ("test-three", arrays, 1, three);
}

static void
test_building (void)
{
  g_autoptr(AccProgram) three = PROGRAM (same, NULL, "i4[3]");
  g_autoptr(AccProgram) two = PROGRAM (same, NULL, "i4[3]", "i4[3]");
  g_autoptr(AccProgram) later = PROGRAM (declared_later, NULL, "i4[:]");
  g_autoptr(AccArray) good = CONF_INTS1 ("i4", 1, 2, 3), few = CONF_INTS1 ("i4", 1, 2);
  g_autoptr(AccArray) other = CONF_INTS1 ("u1", 1, 2, 3), matrix = CONF_INTS2 ("i4", 1, 3, 1, 2, 3);
  g_autoptr(AccArray) mistaken = acc_array_unzip (good, 5);
  AccArray *nothing = NULL;

  CONF_EXPECT_INTS ("foreign/good", acc_array_foreign ("test-three", &good, 1, three), "[3]", 1, 2, 3);
  CONF_EXPECT_ERROR ("foreign/name", acc_array_foreign (NULL, &good, 1, three), ACC_ERROR_CALLBACK, "foreign", "a name is missing");
  CONF_EXPECT_ERROR ("foreign/empty-name", acc_array_foreign ("", &good, 1, three), ACC_ERROR_CALLBACK, "a name is missing");
  CONF_EXPECT_ERROR ("foreign/no-fallback", acc_array_foreign ("test", &good, 1, NULL), ACC_ERROR_CALLBACK, "fallback is missing");
  CONF_EXPECT_ERROR ("foreign/no-input", acc_array_foreign ("test", &nothing, 1, three), ACC_ERROR_CALLBACK, "an array is missing");
  CONF_EXPECT_ERROR ("foreign/sticky", acc_array_foreign ("test", &mistaken, 1, three), ACC_ERROR_TYPE, "unzip");
  CONF_EXPECT_ERROR ("foreign/number", acc_array_foreign ("test", &good, 1, two), ACC_ERROR_TYPE,
                     "2 parameters and 1 results where 1 and 1");
  CONF_EXPECT_ERROR ("foreign/type", acc_array_foreign ("test", &other, 1, three), ACC_ERROR_TYPE, "takes i4 where the input is u1");
  CONF_EXPECT_ERROR ("foreign/rank", acc_array_foreign ("test", &matrix, 1, three), ACC_ERROR_SHAPE, "rank 1", "rank 2");
  CONF_EXPECT_ERROR ("foreign/extent", acc_array_foreign ("test", &few, 1, three), ACC_ERROR_SHAPE, "extent 2", "3 is declared");

  for (guint i = 0; i <= conf_n_backends (); i++)
    {
      AccBackend *backend = i == 0 ? conf_interpreter () : conf_backend (i - 1);
      g_autoptr(GError) error = NULL;
      g_autoptr(AccExecutable) executable = acc_backend_compile (backend, later, NULL, &error);
      g_autoptr(GPtrArray) results = acc_executable_run (executable, &few, 1, NULL, &error);

      g_assert_null (results);
      g_assert_error (error, ACC_ERROR, ACC_ERROR_SHAPE);
    }
}

int
main (int argc, char **argv)
{
  conf_init (&argc, &argv);
  g_test_add_func ("/foreign/calls", test_calls);
  g_test_add_func ("/foreign/text", test_text);
  g_test_add_func ("/foreign/extents", test_extents);
  g_test_add_func ("/foreign/loops", test_loops);
  g_test_add_func ("/foreign/loops-of-several", test_many);
  g_test_add_func ("/foreign/nesting", test_nesting);
  g_test_add_func ("/foreign/lazy", test_lazy);
  g_test_add_func ("/foreign/mistakes", test_mistakes);
  g_test_add_func ("/foreign/stream", test_stream);
  g_test_add_func ("/foreign/launch", test_launch);
  g_test_add_func ("/foreign/cancel", test_cancel);
  g_test_add_func ("/foreign/building", test_building);
  return conf_run ();
}
