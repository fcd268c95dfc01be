/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "conformance.h"

/* Conds and loops over several arrays, and compute: section 1.3 of the language. */

static GPtrArray *
list (AccArray *first, ...)
{
  GPtrArray *arrays = g_ptr_array_new_with_free_func (g_object_unref);
  va_list rest;

  va_start (rest, first);
  for (AccArray *array = first; array != NULL; array = va_arg (rest, AccArray *))
    g_ptr_array_add (arrays, array);
  va_end (rest);
  return arrays;
}

#define LIST(...) list (__VA_ARGS__, NULL)

/* Releases what it is given. */
static GPtrArray *
loop_of (GPtrArray *initial, const char *const *signatures, AccArrayFunc condition, AccArraysFunc step, gpointer data)
{
  g_autoptr(AccProgram) asked = acc_program_new (signatures, condition, data), done = acc_program_new_many (signatures, step, data);
  GPtrArray *results = acc_array_while_loop_many ((AccArray **) initial->pdata, initial->len, asked, done);

  g_ptr_array_unref (initial);
  return results;
}

#define SIGNATURES(...) ((const char *[]) { __VA_ARGS__, NULL })
#define RESULT(results, i) g_object_ref ((results)->pdata[i])

static AccExpr *
below (AccExpr *x, gpointer limit)
{
  return acc_expr_lt (x, acc_expr_new_int (GPOINTER_TO_INT (limit)));
}

/* --- pairs of numbers */

static AccArray *
is_below_hundred (AccArray **state, guint n, gpointer data)
{
  return acc_array_map (state[1], below, GINT_TO_POINTER (100));
}

static AccArray *
is_below_nothing (AccArray **state, guint n, gpointer data)
{
  return acc_array_map (state[1], below, GINT_TO_POINTER (0));
}

static GPtrArray *
fibonacci (AccArray **state, guint n, gpointer data)
{
  return LIST (g_object_ref (state[1]), acc_array_add (state[0], state[1]));
}

static void
test_pairs (void)
{
  GPtrArray *results = loop_of (LIST (acc_array_unit (conf_i64 (0)), acc_array_unit (conf_i64 (1))), SIGNATURES ("i8", "i8"),
                                is_below_hundred, fibonacci, NULL);
  g_autoptr(AccArray) sum = acc_array_add (results->pdata[0], results->pdata[1]);

  /* One loop, which all results are taken from. */
  g_assert_true (((AccArray *) results->pdata[1])->inputs[0] == results->pdata[0]);
  CONF_EXPECT_INTS ("loop/fibonacci", RESULT (results, 0), "[]", 89);
  CONF_EXPECT_INTS ("loop/fibonacci-next", RESULT (results, 1), "[]", 144);
  CONF_EXPECT_INTS ("loop/of-both", g_object_ref (sum), "[]", 233);
  g_ptr_array_unref (results);

  results = loop_of (LIST (acc_array_unit (conf_i64 (3)), acc_array_unit (conf_i64 (1))), SIGNATURES ("i8", "i8"), is_below_nothing,
                     fibonacci, NULL);
  CONF_EXPECT_INTS ("loop/none", RESULT (results, 0), "[]", 3);
  CONF_EXPECT_INTS ("loop/none-next", RESULT (results, 1), "[]", 1);
  g_ptr_array_unref (results);
}

/* --- extents that the elements decide */

static AccExpr *
is_there (AccExpr *index, gpointer candidates)
{
  return acc_expr_gt (acc_expr_extent (candidates, 0), conf_i64 (0));
}

static AccArray *
has_candidates (AccArray **state, guint n, gpointer data)
{
  g_autoptr(AccShape) one = acc_shape_new_scalar ();

  return acc_array_generate (one, is_there, state[0]);
}

static AccExpr *
is_no_multiple (AccExpr *x, gpointer candidates)
{
  return acc_expr_ne (acc_expr_rem (x, acc_expr_index (candidates, conf_i64 (0))), acc_expr_new_int (0));
}

/* Candidates get fewer, primes more. */
static GPtrArray *
sieve (AccArray **state, guint n, gpointer data)
{
  g_autoptr(AccArray) prime = acc_array_take (state[0], 1);

  return LIST (acc_array_filter (state[0], is_no_multiple, state[0], NULL), acc_array_concat (state[1], prime));
}

static GPtrArray *
sieve_up_to (gint64 last)
{
  g_autoptr(AccShape) shape = acc_shape_new_vector (last - 1), nothing = acc_shape_new_vector (0);

  return loop_of (LIST (acc_array_enum_from_n (shape, conf_i64 (2)), acc_array_fill (nothing, conf_i64 (0))), SIGNATURES ("i8[:]", "i8[:]"),
                  has_candidates, sieve, NULL);
}

static void
test_extents (void)
{
  g_autoptr(GPtrArray) few = sieve_up_to (30), none = sieve_up_to (1);

  conf_expect_ints ("loop/sieve-candidates", RESULT (few, 0), "[0]", 0, 0, NULL);
  CONF_EXPECT_INTS ("loop/sieve", RESULT (few, 1), "[10]", 2, 3, 5, 7, 11, 13, 17, 19, 23, 29);
  conf_expect_ints ("loop/sieve-empty", RESULT (none, 1), "[0]", 0, 0, NULL);
}

/* --- states of any types and ranks, loops in loops, arrays from outside */

static AccArray *
is_short (AccArray **state, guint n, gpointer data)
{
  g_autoptr(AccShape) one = acc_shape_new_scalar ();
  g_autoptr(AccArray) size = acc_array_fill (one, acc_expr_extent (state[1], 1));

  return acc_array_map (size, below, GINT_TO_POINTER (5));
}

static AccExpr *
flip (AccExpr *x, gpointer data)
{
  return acc_expr_tuple2 (acc_expr_item (x, 1), acc_expr_add (acc_expr_item (x, 0), acc_expr_new_int (1)));
}

static GPtrArray *
widen (AccArray **state, guint n, gpointer outside)
{
  return LIST (acc_array_add (state[0], outside), acc_array_concat (state[1], state[1]), acc_array_map (state[2], flip, NULL),
               acc_array_tail (state[3]));
}

static GPtrArray *
widen_twice (AccArray **state, guint n, gpointer outside)
{
  GPtrArray *inner = loop_of (LIST (g_object_ref (state[0]), g_object_ref (state[1]), g_object_ref (state[2]), g_object_ref (state[3])),
                              SIGNATURES ("f4", "i2[:,:]", "(i4,i4)[:]", "u1[:,:,:]"), is_short, widen, outside);

  g_autoptr(AccArray) wide = RESULT (inner, 1);

  /* The outer loop would not end. */
  g_object_unref (inner->pdata[1]);
  inner->pdata[1] = acc_array_concat (state[1], wide);
  return inner;
}

static void
test_states (void)
{
  g_autoptr(AccArray) half = acc_array_unit (acc_expr_new_typed_float (conf_type ("f4"), 0.5)), ints = CONF_INTS1 ("i4", 1, 2);
  g_autoptr(AccArray) pairs = acc_array_zip (ints, ints), matrix = CONF_INTS2 ("i2", 2, 2, 1, 2, 3, 4);
  static const gint64 values[] = { 1, 2, 3, 4, 5, 6 };

  for (guint i = 0; i < 2; i++)
    {
      GPtrArray *results = loop_of (LIST (g_object_ref (half), g_object_ref (matrix), g_object_ref (pairs),
                                          conf_ints ("u1", (gint64[]) { 1, 2, 3 }, 3, values)),
                                    SIGNATURES ("f4", "i2[:,:]", "(i4,i4)[:]", "u1[:,:,:]"), is_short, i == 0 ? widen : widen_twice, half);
      g_autofree char *name = g_strdup_printf ("loop/states-%u", i);

      /* Two rounds: the columns are 2, 4, 8. Or one that has those two inside. */
      CONF_EXPECT_FLOATS (name, RESULT (results, 0), "[]", 1.5);
      if (i == 0)
        CONF_EXPECT_INTS (name, RESULT (results, 1), "[2,8]", 1, 2, 1, 2, 1, 2, 1, 2, 3, 4, 3, 4, 3, 4, 3, 4);
      else
        CONF_EXPECT_INTS (name, RESULT (results, 1), "[2,10]", 1, 2, 1, 2, 1, 2, 1, 2, 1, 2, 3, 4, 3, 4, 3, 4, 3, 4, 3, 4);
      conf_expect_ints (name, RESULT (results, 2), "[2]", 0, 2, (gint64[]) { 2, 3 });
      conf_expect_ints (name, RESULT (results, 2), "[2]", 1, 2, (gint64[]) { 2, 3 });
      CONF_EXPECT_INTS (name, RESULT (results, 3), "[1,2,1]", 3, 6);
      g_ptr_array_unref (results);
    }
}

/* --- everything at once, from parameters */

static AccArray *
is_not_done (AccArray **state, guint n, gpointer data)
{
  return acc_array_map (state[2], below, GINT_TO_POINTER (7));
}

static AccExpr *
count_up (AccExpr *x, gpointer data)
{
  return acc_expr_add (x, acc_expr_new_int (1));
}

/* Simultaneous: the old second becomes the first. */
static GPtrArray *
exchange (AccArray **state, guint n, gpointer data)
{
  return LIST (acc_array_map (state[1], conf_mix, NULL), g_object_ref (state[0]), acc_array_map (state[2], count_up, NULL));
}

static GPtrArray *
exchange_given (AccArray **arrays, guint n, gpointer signature)
{
  g_autoptr(AccArray) zero = acc_array_unit (acc_expr_new_typed_int (conf_type ("i4"), 0));

  return loop_of (LIST (g_object_ref (arrays[0]), acc_array_compute (arrays[1]), g_object_ref (zero)),
                  SIGNATURES (signature, signature, "i4"), is_not_done, exchange, NULL);
}

static void
test_types (void)
{
  static const gint64 extents[][3] = { { 0, 2, 3 }, { 4, 1, 5 } };
  g_autoptr(GRand) rand = g_rand_new_with_seed (conf_seed ());

  for (guint t = 0; t < conf_n_types (); t++)
    for (guint rank = 0; rank <= 3; rank += 3)
      {
        g_autofree char *signature = g_strconcat (conf_types[t], rank == 0 ? "" : "[:,:,:]", NULL),
          *name = g_strconcat ("loop/", signature, NULL);
        g_autoptr(ConfProgram) program = conf_program_new (name,
                                                           acc_program_new_many (SIGNATURES (signature, signature), exchange_given,
                                                                                 signature));

        for (guint i = 0; i < G_N_ELEMENTS (extents); i++)
          {
            AccArray *arguments[2];

            arguments[0] = conf_array (conf_type (conf_types[t]), extents[i], rank, rand, CONF_FULL);
            arguments[1] = conf_array (conf_type (conf_types[t]), extents[1 - i], rank, rand, CONF_FULL);
            conf_program_check (program, arguments, 2, CONF_EXACT);
          }
      }
}

/* --- memory, however many rounds there are */

#define ROUNDS 60
#define LENGTH (1 << 16)

static AccArray *
is_below_rounds (AccArray **state, guint n, gpointer data)
{
  return acc_array_map (state[0], below, GINT_TO_POINTER (ROUNDS));
}

static AccExpr *
varying (AccExpr *index, gpointer counter)
{
  return acc_expr_add (index, acc_expr_the (counter));
}

/* The last has other extents in every round. */
static GPtrArray *
turn_over (AccArray **state, guint n, gpointer data)
{
  AccExpr *length = acc_expr_sub (conf_i64 (LENGTH), acc_expr_rem (acc_expr_the (state[0]), conf_i64 (5)));

  return LIST (acc_array_map (state[0], count_up, NULL), acc_array_map (state[1], count_up, NULL),
               acc_array_generate_expr (length, varying, state[0]));
}

static void
check_memory (const char *name)
{
  g_autoptr(GError) error = NULL;
  g_autoptr(AccBackend) backend = acc_backend_new_for_name (name, &error);
  g_autoptr(AccShape) many = acc_shape_new_vector (LENGTH);
  g_autoptr(GPtrArray) last = loop_of (LIST (acc_array_unit (conf_i64 (0)), acc_array_fill (many, conf_i64 (5)),
                                             acc_array_fill (many, conf_i64 (7))),
                                       SIGNATURES ("i8", "i8[:]", "i8[:]"), is_below_rounds, turn_over, NULL);
  g_autoptr(GPtrArray) results = NULL;
  guint64 high_water;

  g_assert_no_error (error);
  results = acc_backend_run_many (backend, (AccArray **) last->pdata, last->len, NULL, &error);
  g_assert_no_error (error);
  g_assert_cmpint (acc_array_get_int (results->pdata[0], 0, 0), ==, ROUNDS);
  g_assert_cmpint (acc_array_get_int (results->pdata[1], 0, LENGTH - 1), ==, ROUNDS + 5);
  g_assert_cmpint (acc_shape_get_extent (acc_array_get_shape (results->pdata[2]), 0), ==, LENGTH - (ROUNDS - 1) % 5);
  g_assert_cmpint (acc_array_get_int (results->pdata[2], 0, 9), ==, ROUNDS - 1 + 9);

  /* Two rounds of two arrays, and what is kept to be used again. */
  high_water = acc_backend_get_memory_high_water (backend);
  if (high_water > 16 * sizeof (gint64) * LENGTH)
    conf_fail (name, "loop/memory", "%" G_GUINT64_FORMAT " bytes were held at once", high_water);
  else
    conf_pass (name, "loop/memory");
}

static void
test_memory (void)
{
  check_memory ("interpreter");
  for (guint i = 0; i < conf_n_backends (); i++)
    check_memory (acc_backend_get_name (conf_backend (i)));
}

/* --- cond */

static AccExpr *
far_away (AccExpr *x, gpointer data)
{
  return conf_i64 (1000000);
}

static void
test_cond (void)
{
  g_autoptr(AccArray) yes = acc_array_unit (acc_expr_new_bool (TRUE)), no = acc_array_unit (acc_expr_new_bool (FALSE));
  g_autoptr(AccArray) ints = CONF_INTS1 ("i4", 1, 2, 3), few = CONF_INTS1 ("i4", 9), floats = CONF_FLOATS1 ("f4", 0.5),
    most = CONF_FLOATS1 ("f4", 1.5, 2.5);
  g_autoptr(AccArray) places = acc_array_map (ints, far_away, NULL), astray = acc_array_gather (ints, places);
  AccArray *then[] = { ints, floats }, *otherwise[] = { few, most }, *broken[] = { astray, floats };
  g_autoptr(GPtrArray) first = acc_array_cond_many (yes, then, 2, otherwise, 2), second = acc_array_cond_many (no, then, 2, otherwise, 2);
  g_autoptr(GPtrArray) good = acc_array_cond_many (no, broken, 2, otherwise, 2), bad = acc_array_cond_many (yes, broken, 2, otherwise, 2);
  g_autoptr(GPtrArray) uneven = acc_array_cond_many (yes, then, 2, otherwise, 1), none = acc_array_cond_many (yes, NULL, 0, NULL, 0);

  CONF_EXPECT_INTS ("cond/then", RESULT (first, 0), "[3]", 1, 2, 3);
  CONF_EXPECT_FLOATS ("cond/then-1", RESULT (first, 1), "[1]", 0.5);
  CONF_EXPECT_INTS ("cond/otherwise", RESULT (second, 0), "[1]", 9);
  CONF_EXPECT_FLOATS ("cond/otherwise-1", RESULT (second, 1), "[2]", 1.5, 2.5);
  /* The side that is not taken is not computed. */
  CONF_EXPECT_INTS ("cond/unread", RESULT (good, 0), "[1]", 9);
  CONF_EXPECT_ERROR ("cond/read", RESULT (bad, 0), ACC_ERROR_BOUNDS, "1000000");
  CONF_EXPECT_FLOATS ("cond/read-other", RESULT (bad, 1), "[1]", 0.5);
  CONF_EXPECT_INTS ("cond/uneven", RESULT (uneven, 0), "[3]", 1, 2, 3);
  CONF_EXPECT_ERROR ("cond/missing", RESULT (uneven, 1), ACC_ERROR_CALLBACK, "cond", "missing");
  g_assert_cmpuint (none->len, ==, 0);
}

/* --- mistakes */

static GPtrArray *
one_of_them (AccArray **state, guint n, gpointer data)
{
  return LIST (g_object_ref (state[0]));
}

static GPtrArray *
other_types (AccArray **state, guint n, gpointer data)
{
  return LIST (g_object_ref (state[0]), acc_array_cast (state[1], conf_type ("f4")));
}

static GPtrArray *
nothing_at_all (AccArray **state, guint n, gpointer data)
{
  return NULL;
}

static AccArray *
first_state (AccArray **state, guint n, gpointer data)
{
  return g_object_ref (state[0]);
}

static AccExpr *
next_index (AccExpr *x, gpointer table)
{
  return acc_expr_add (x, acc_expr_mul (acc_expr_index (table, x), acc_expr_new_int (0)));
}

static GPtrArray *
step_off (AccArray **state, guint n, gpointer table)
{
  g_autoptr(AccArray) read = acc_array_map (state[1], next_index, table);

  return LIST (g_object_ref (state[0]), acc_array_map (read, count_up, NULL));
}

static void
expect_loop_error (const char *name, AccArrayFunc condition, AccArraysFunc step, gpointer data, AccError code, const char *part,
                   const char *other)
{
  g_autoptr(GPtrArray) results = loop_of (LIST (acc_array_unit (conf_i64 (0)), acc_array_unit (conf_i64 (1))), SIGNATURES ("i8", "i8"),
                                          condition, step, data);

  g_assert_cmpuint (results->len, ==, 2);
  CONF_EXPECT_ERROR (name, RESULT (results, 0), code, "while_loop", part, other);
  CONF_EXPECT_ERROR (name, RESULT (results, 1), code, "while_loop", part, other);
}

static void
test_mistakes (void)
{
  g_autoptr(AccArray) table = CONF_INTS1 ("i8", 1, 2, 3);
  g_autoptr(AccProgram) condition = acc_program_new (SIGNATURES ("i8", "i8"), is_below_hundred, NULL);
  g_autoptr(AccProgram) step = acc_program_new_many (SIGNATURES ("i8", "i8"), fibonacci, NULL);
  g_autoptr(GPtrArray) none = acc_array_while_loop_many (NULL, 0, condition, step), missing = NULL, astray = NULL;
  g_autoptr(AccArray) one = acc_array_unit (conf_i64 (1));
  AccArray *states[] = { one, one };

  expect_loop_error ("loop/too-few", is_below_hundred, one_of_them, NULL, ACC_ERROR_TYPE, "step", "2 and 2 are needed");
  expect_loop_error ("loop/types", is_below_hundred, other_types, NULL, ACC_ERROR_TYPE, "state 1", "f4");
  expect_loop_error ("loop/nothing", is_below_hundred, nothing_at_all, NULL, ACC_ERROR_CALLBACK, "step", "no results");
  expect_loop_error ("loop/flag", first_state, fibonacci, NULL, ACC_ERROR_TYPE, "condition", "i8");
  g_assert_cmpuint (none->len, ==, 1);
  CONF_EXPECT_ERROR ("loop/no-state", RESULT (none, 0), ACC_ERROR_CALLBACK, "while_loop", "a state is missing");
  missing = acc_array_while_loop_many (states, 2, condition, NULL);
  CONF_EXPECT_ERROR ("loop/no-step", RESULT (missing, 1), ACC_ERROR_CALLBACK, "while_loop", "missing");

  /* In the third round. */
  astray = loop_of (LIST (acc_array_unit (conf_i64 (0)), acc_array_unit (conf_i64 (1))), SIGNATURES ("i8", "i8"), is_below_hundred,
                    step_off, table);
  CONF_EXPECT_ERROR ("loop/astray", RESULT (astray, 0), ACC_ERROR_BOUNDS, "3");
  CONF_EXPECT_ERROR ("loop/astray-1", RESULT (astray, 1), ACC_ERROR_BOUNDS, "3");
}

/* --- many ways through a program */

#define CHOICES 10

static AccExpr *
has_bit (AccExpr *x, gpointer bit)
{
  return acc_expr_ne (acc_expr_band (x, conf_i64 ((gint64) 1 << GPOINTER_TO_INT (bit))), conf_i64 (0));
}

static AccExpr *
triple_and (AccExpr *x, gpointer bit)
{
  return acc_expr_add (acc_expr_mul (x, conf_i64 (3)), conf_i64 (GPOINTER_TO_INT (bit)));
}

static AccExpr *
add_seven (AccExpr *x, gpointer data)
{
  return acc_expr_add (x, conf_i64 (7));
}

static AccArray *
choose_again_and_again (AccArray **inputs, guint n, gpointer data)
{
  AccArray *value = g_object_ref (inputs[1]);

  for (int k = 0; k < CHOICES; k++)
    {
      g_autoptr(AccArray) before = value, flag = acc_array_map (inputs[0], has_bit, GINT_TO_POINTER (k));
      g_autoptr(AccArray) then = acc_array_map (before, triple_and, GINT_TO_POINTER (k)),
        otherwise = acc_array_map (before, add_seven, NULL);

      value = acc_array_cond (flag, then, otherwise);
    }

  return value;
}

static void
check_ways (AccBackend *backend)
{
  const char *name = acc_backend_get_name (backend);
  g_autoptr(GError) error = NULL;
  g_autoptr(AccProgram) program = acc_program_new (SIGNATURES ("i8", "i8[:]"), choose_again_and_again, NULL);
  g_autoptr(AccExecutable) executable = acc_backend_compile (backend, program, NULL, &error);
  g_autoptr(AccArray) starts = CONF_INTS1 ("i8", 1, -2, 5);

  g_assert_no_error (error);
  for (int i = 0; i < 400; i++)
    {
      /* Each way twice: found anew, and again, as far as that is kept. */
      gint64 ways = i / 2 * 37 % (1 << CHOICES), values[] = { 1, -2, 5 };
      g_autoptr(AccArray) choices = conf_ints ("i8", NULL, 0, &ways);
      g_autoptr(GPtrArray) results = acc_executable_run (executable, (AccArray *[]) { choices, starts }, 2, NULL, &error);

      g_assert_no_error (error);
      for (guint k = 0; k < 3; k++)
        {
          for (int bit = 0; bit < CHOICES; bit++)
            values[k] = ways >> bit & 1 ? values[k] * 3 + bit : values[k] + 7;
          if (acc_array_get_int (results->pdata[0], 0, k) == values[k])
            continue;
          conf_fail (name, "cond/ways", "way %d: element %u is %d, not %d", (int) ways, k,
                     (int) acc_array_get_int (results->pdata[0], 0, k), (int) values[k]);
          return;
        }
    }
  conf_pass (name, "cond/ways");
}

static void
test_ways (void)
{
  for (guint i = 0; i < conf_n_backends (); i++)
    check_ways (conf_backend (i));
}

/* --- compute */

static void
test_compute (void)
{
  g_autoptr(AccArray) ints = CONF_INTS2 ("i4", 2, 3, 1, 2, 3, 4, 5, 6), more = acc_array_map (ints, count_up, NULL);
  g_autoptr(AccArray) flat = acc_array_flatten (more), forced = acc_array_compute (flat), pairs = acc_array_zip (more, ints),
    turned = acc_array_transpose (more);
  g_autoptr(AccArray) twice = acc_array_compute (forced), both = acc_array_compute (pairs), second = acc_array_unzip (both, 1),
    first = acc_array_unzip (both, 0);
  g_autoptr(AccArray) empty = acc_array_take (ints, 0), sums = acc_array_sum (more), broken = acc_array_concat (ints, flat),
    view = acc_array_compute (second);
  g_autoptr(AccArray) places = CONF_INTS1 ("i8", 5, 0), stream = conf_through_source (CONF_INTS1 ("i4", 7, 8, 9)), streamed = NULL;
  AccArray *bad = acc_array_compute (broken);

  CONF_EXPECT_INTS ("compute", g_object_ref (forced), "[6]", 2, 3, 4, 5, 6, 7);
  CONF_EXPECT_INTS ("compute/twice", acc_array_map (twice, count_up, NULL), "[6]", 3, 4, 5, 6, 7, 8);
  CONF_EXPECT_INTS ("compute/pairs", acc_array_add (first, second), "[2,3]", 3, 5, 7, 9, 11, 13);
  CONF_EXPECT_INTS ("compute/item", g_object_ref (view), "[2,3]", 1, 2, 3, 4, 5, 6);
  CONF_EXPECT_INTS ("compute/manifest", acc_array_compute (ints), "[2,3]", 1, 2, 3, 4, 5, 6);
  CONF_EXPECT_INTS ("compute/turned", acc_array_compute (turned), "[3,2]", 2, 5, 3, 6, 4, 7);
  CONF_EXPECT_INTS ("compute/sums", acc_array_compute (sums), "[2]", 9, 18);
  conf_expect_ints ("compute/empty", acc_array_compute (empty), "[2,0]", 0, 0, NULL);
  CONF_EXPECT_INTS ("compute/gathered", acc_array_gather (forced, places), "[2]", 7, 2);
  streamed = acc_array_map (stream, count_up, NULL);
  CONF_EXPECT_INTS ("compute/streamed", acc_array_compute (streamed), "[3]", 8, 9, 10);
  CONF_EXPECT_ERROR ("compute/of-broken", bad, ACC_ERROR_SHAPE, "concat");
}

int
main (int argc, char **argv)
{
  conf_init (&argc, &argv);

  g_test_add_func ("/flow/pairs", test_pairs);
  g_test_add_func ("/flow/extents", test_extents);
  g_test_add_func ("/flow/states", test_states);
  g_test_add_func ("/flow/types", test_types);
  g_test_add_func ("/flow/memory", test_memory);
  g_test_add_func ("/flow/cond", test_cond);
  g_test_add_func ("/flow/ways", test_ways);
  g_test_add_func ("/flow/mistakes", test_mistakes);
  g_test_add_func ("/flow/compute", test_compute);

  return conf_run ();
}
