/* SPDX-License-Identifier: LGPL-2.1-or-later */

/* Loops of elements that end at very different times, so that those that have ended are packed away, once and many times; against each
 * element by itself. States are scalars, vectors that grow and shrink, and matrices that turn; a turn reads what is the same for all, and
 * what each element has beside its states. */

#include "nested-backends.h"

/* Compilers of devices take long. */
static gboolean is_quick;

static AccExpr *
i8 (gint64 number)
{
  return acc_expr_new_typed_int (acc_element_type_new (ACC_KIND_I64), number);
}

enum {
  LEFT,       /* i8: turns to go */
  VALUES,     /* i8[:]: one more, or two less */
  MATRIX,     /* (i8,f4)[:,:]: turned, with a row more every fourth turn */
  N_STATES,
};

static const char *const signature[] = { "i8[]", "i8[:]", "(i8,f4)[:,:]", NULL };

typedef struct {
  AccArray *own, *table;
} Captured;

static AccExpr *
is_above (AccExpr *x, gpointer number)
{
  return acc_expr_gt (x, i8 (GPOINTER_TO_INT (number)));
}

static AccArray *
goes_on (AccArray **state, guint n, gpointer data)
{
  return acc_array_map (state[LEFT], is_above, GINT_TO_POINTER (0));
}

static AccExpr *
one_less (AccExpr *left, gpointer data)
{
  return acc_expr_sub (left, i8 (1));
}

typedef struct {
  const Captured *captured;
  AccArray      **state;
} Turn;

static AccExpr *
left_of (Turn *turn)
{
  return acc_expr_linear_index (turn->state[LEFT], i8 (0));
}

/* x plus what the element has, plus what all have */
static AccExpr *
with_others (AccExpr *index, AccExpr *x, gpointer data)
{
  Turn *turn = data;
  AccExpr *own = acc_expr_linear_index (turn->captured->own, acc_expr_rem (acc_expr_add (index, left_of (turn)),
                                                                          acc_expr_extent (turn->captured->own, 0)));
  AccExpr *all = acc_expr_linear_index (turn->captured->table, acc_expr_rem (left_of (turn), i8 (3)));

  return acc_expr_add (acc_expr_rem (acc_expr_mul (x, i8 (3)), i8 (1009)), acc_expr_add (own, all));
}

/* In five turns three are of one value more, and two of two less. */
static AccExpr *
next_length (Turn *turn)
{
  AccExpr *length = acc_expr_extent (turn->state[VALUES], 0);
  AccExpr *shrinks = acc_expr_lt (acc_expr_rem (left_of (turn), i8 (5)), i8 (2));

  return acc_expr_cond (shrinks, acc_expr_max (acc_expr_sub (length, i8 (2)), i8 (0)), acc_expr_add (length, i8 (1)));
}

static AccExpr *
value_or_place (AccExpr *index, gpointer data)
{
  AccArray *values = data;
  AccExpr *there = acc_expr_lt (index, acc_expr_extent (values, 0));

  return acc_expr_cond (there, acc_expr_linear_index (values, acc_expr_min (index, acc_expr_sub (acc_expr_extent (values, 0), i8 (1)))),
                        index);
}

static AccExpr *
matrix_extents (Turn *turn)
{
  AccExpr *more = acc_expr_cond (acc_expr_eq (acc_expr_rem (left_of (turn), i8 (4)), i8 (0)), i8 (1), i8 (0));

  return acc_expr_tuple2 (acc_expr_add (acc_expr_extent (turn->state[MATRIX], 1), more), acc_expr_extent (turn->state[MATRIX], 0));
}

static AccExpr *
turned (AccExpr *index, gpointer data)
{
  Turn *turn = data;
  AccArray *matrix = turn->state[MATRIX];
  g_autoptr(AccExpr) owned = acc_expr_ref_sink (index), row = acc_expr_ref_sink (acc_expr_item (owned, 1));
  g_autoptr(AccExpr) column = acc_expr_ref_sink (acc_expr_item (owned, 0));
  AccExpr *there = acc_expr_lt (column, acc_expr_extent (matrix, 1));
  AccExpr *fresh = acc_expr_tuple2 (left_of (turn), acc_expr_cast (row, acc_element_type_new (ACC_KIND_F32)));

  return acc_expr_cond (there, acc_expr_index (matrix, acc_expr_tuple2 (row, column)), fresh);
}

static GPtrArray *
step (AccArray **state, guint n, gpointer data)
{
  Turn turn = { data, state };
  GPtrArray *next = g_ptr_array_new_with_free_func (g_object_unref);
  g_autoptr(AccArray) moved = acc_array_generate_expr (next_length (&turn), value_or_place, state[VALUES]);

  g_ptr_array_add (next, acc_array_map (state[LEFT], one_less, NULL));
  g_ptr_array_add (next, acc_array_imap (moved, with_others, &turn));
  g_ptr_array_add (next, acc_array_generate_expr (matrix_extents (&turn), turned, &turn));
  return next;
}

/* What is left of values and matrix, behind the number of turns that are left. */
static AccArray *
joined (GPtrArray *last)
{
  g_autoptr(AccArray) matrix = acc_array_flatten (g_ptr_array_index (last, MATRIX)), whole = acc_array_unzip (matrix, 0);
  g_autoptr(AccArray) rest = acc_array_concat (g_ptr_array_index (last, VALUES), whole);
  g_autoptr(AccShape) one = acc_shape_new_vector (1);
  g_autoptr(AccArray) left = acc_array_reshape (g_ptr_array_index (last, LEFT), one);

  return acc_array_concat (left, rest);
}

static AccExpr *
first_or_none (AccExpr *index, gpointer data)
{
  AccArray *values = data;

  return acc_expr_cond (acc_expr_gt (acc_expr_extent (values, 0), i8 (0)),
                        acc_expr_linear_index (values, acc_expr_min (i8 (0), acc_expr_sub (acc_expr_extent (values, 0), i8 (1)))),
                        i8 (0));
}

static AccExpr *
corner (AccExpr *index, gpointer data)
{
  AccExpr *sum = acc_expr_add (acc_expr_mul (acc_expr_item (index, 0), i8 (7)), acc_expr_item (index, 1));

  return acc_expr_tuple2 (sum, acc_expr_cast (acc_expr_item (index, 1), acc_element_type_new (ACC_KIND_F32)));
}

/* The first value of an element is its number of turns; the second argument is what it has beside its states. */
static AccArray *
many_states (AccArray **a, guint n, gpointer table)
{
  Captured captured = { a[1], table };
  g_autoptr(AccShape) scalar = acc_shape_new (NULL, 0);
  g_autoptr(AccArray) left = acc_array_generate (scalar, first_or_none, a[0]);
  g_autoptr(AccArray) matrix = acc_array_generate_expr (acc_expr_tuple2 (acc_expr_extent (a[0], 0), i8 (2)), corner, NULL);
  g_autoptr(AccProgram) condition = acc_program_new (signature, goes_on, NULL), turn = acc_program_new_many (signature, step, &captured);
  AccArray *initial[] = { left, a[0], matrix };
  g_autoptr(GPtrArray) last = acc_array_while_loop_many (initial, N_STATES, condition, turn);

  return joined (last);
}

/* --- a loop in a loop: each turn of the outer one counts down again */

static AccArray *
counted_down (AccArray **state, guint n, gpointer data)
{
  return acc_array_map (state[0], one_less, NULL);
}

static AccExpr *
plus (AccExpr *x, AccExpr *y, gpointer data)
{
  return acc_expr_add (x, y);
}

static AccArray *
sum_is_above (AccArray **state, guint n, gpointer number)
{
  g_autoptr(AccArray) sum = acc_array_fold_all (state[0], i8 (0), plus, NULL);

  return acc_array_map (sum, is_above, number);
}

/* Turns of one vector, until its sum is not above @number any more. */
static AccArray *
loop_while_above (AccArray *vector, gint number, AccArrayFunc function)
{
  static const char *const vector_only[] = { "i8[:]", NULL };
  g_autoptr(AccProgram) condition = acc_program_new (vector_only, sum_is_above, GINT_TO_POINTER (number));
  g_autoptr(AccProgram) turn = acc_program_new (vector_only, function, NULL);

  return acc_array_while_loop (vector, condition, turn);
}

static AccExpr *
two_thirds (AccExpr *x, gpointer data)
{
  return acc_expr_quot (acc_expr_mul (x, i8 (2)), i8 (3));
}

static AccArray *
inner_loop (AccArray **state, guint n, gpointer data)
{
  g_autoptr(AccArray) less = loop_while_above (state[0], 3, counted_down);

  return acc_array_map (less, two_thirds, NULL);
}

static AccArray *
loop_in_loop (AccArray **a, guint n, gpointer data)
{
  g_autoptr(AccArray) both = acc_array_concat (a[0], a[1]);

  return loop_while_above (both, 2, inner_loop);
}

/* --- comparison */

static AccArray *
use (const gint64 *values, gint64 n)
{
  g_autoptr(AccShape) shape = acc_shape_new_vector (n);
  g_autoptr(GBytes) bytes = g_bytes_new (values, n * sizeof *values);

  return acc_array_use (acc_element_type_new (ACC_KIND_I64), shape, bytes);
}

static const struct {
  const char  *name;
  AccArrayFunc function;
} functions[] = {
  { "many-states", many_states },
  { "loop-in-loop", loop_in_loop },
};

/* How many turns element @k takes: most a few, some none, one of them @most. */
static gint64
turns_of (guint k, guint n, gint64 most)
{
  return k == n / 2 ? most : k % 5 == 0 ? 0 : k % 7;
}

static void
check_element (AccArray *values, gint64 begin, gint64 end, guint k, AccArray *wanted)
{
  gint64 n = acc_shape_get_size (acc_array_get_shape (wanted));

  if (end - begin != n)
    g_error ("element %u has %" G_GINT64_FORMAT " values, not %" G_GINT64_FORMAT, k, end - begin, n);
  for (gint64 i = 0; i < n; i++)
    if (acc_array_get_int (values, 0, begin + i) != acc_array_get_int (wanted, 0, i))
      g_error ("element %u, value %d is %" G_GINT64_FORMAT ", not %" G_GINT64_FORMAT, k, (int) i, acc_array_get_int (values, 0, begin + i),
               acc_array_get_int (wanted, 0, i));
}

static void
test_ends (gconstpointer data)
{
  guint which = GPOINTER_TO_UINT (data);
  static const struct {
    guint  n;
    gint64 most;
  } cases[] = { { 0, 0 }, { 1, 0 }, { 1, 5 }, { 3, 9 }, { 40, 6 }, { 40, 60 } };
  g_autoptr(AccArray) table = use ((gint64[]) { 5, 0, 11 }, 3);

  for (guint c = is_quick ? 0 : G_N_ELEMENTS (cases) - 1; c < G_N_ELEMENTS (cases); c++)
    {
      guint n = cases[c].n;
      g_autofree gint64 *values = g_new0 (gint64, 8 * n + 1), *lengths = g_new0 (gint64, n + 1), *owns = g_new0 (gint64, 3 * n + 1);
      g_autofree gint64 *own_lengths = g_new0 (gint64, n + 1);
      gint64 total = 0, own_total = 0;
      g_autoptr(GPtrArray) elements = g_ptr_array_new_with_free_func (g_object_unref), results = NULL;
      g_autoptr(AccArray) flat = NULL, own = NULL, all_lengths = NULL, all_own_lengths = NULL;
      g_autoptr(AccNestedArray) nested = NULL, nested_own = NULL, mapped = NULL;
      g_autoptr(GError) error = NULL;

      for (guint k = 0; k < n; k++)
        {
          lengths[k] = k % 11 == 3 ? 0 : 1 + k % 4;
          own_lengths[k] = 1 + k % 3;
          for (gint64 i = 0; i < lengths[k]; i++)
            values[total + i] = i == 0 ? turns_of (k, n, cases[c].most) : 3 * i + k;
          for (gint64 i = 0; i < own_lengths[k]; i++)
            owns[own_total + i] = k + i;
          g_ptr_array_add (elements, use (values + total, lengths[k]));
          g_ptr_array_add (elements, use (owns + own_total, own_lengths[k]));
          total += lengths[k];
          own_total += own_lengths[k];
        }

      flat = use (values, total);
      own = use (owns, own_total);
      all_lengths = use (lengths, n);
      all_own_lengths = use (own_lengths, n);
      nested = acc_nested_array_new_from_lengths (flat, all_lengths);
      nested_own = acc_nested_array_new_from_lengths (own, all_own_lengths);
      mapped = acc_nested_array_zip_with (nested, nested_own, functions[which].function, table);
      results = acc_backend_run_many (backend,
                                      (AccArray *[]) { acc_nested_array_get_values (mapped), acc_nested_array_get_offsets (mapped) }, 2,
                                      NULL, &error);
      g_assert_no_error (error);

      for (guint k = 0; k < n; k++)
        {
          g_autoptr(AccArray) plain = functions[which].function ((AccArray **) &elements->pdata[2 * k], 2, table);
          g_autoptr(AccArray) wanted = run (judge, plain);
          AccArray *ends = g_ptr_array_index (results, 1);

          check_element (g_ptr_array_index (results, 0), acc_array_get_int (ends, 0, k), acc_array_get_int (ends, 0, k + 1), k, wanted);
        }
    }
}

/* --- very many elements, of which one goes on: takes seconds where the others are moved in each of its turns */

#define N_MANY     (1 << 16)
#define MOST       1500
#define MOST_CALLS 50      /* of devices */

static AccArray *
count_down (AccArray **a, guint n, gpointer data)
{
  return loop_while_above (a[0], 0, counted_down);
}

static void
test_one_goes_on (void)
{
  g_autofree gint64 *values = g_new (gint64, N_MANY), *ones = g_new (gint64, N_MANY);
  g_autoptr(AccArray) flat = NULL, lengths = NULL, result = NULL;
  g_autoptr(AccNestedArray) nested = NULL, mapped = NULL;

  for (guint k = 0; k < N_MANY; k++)
    {
      values[k] = k == N_MANY / 3 ? is_quick ? MOST : MOST_CALLS : k % 4;
      ones[k] = 1;
    }
  flat = use (values, N_MANY);
  lengths = use (ones, N_MANY);
  nested = acc_nested_array_new_from_lengths (flat, lengths);
  mapped = acc_nested_array_map (nested, count_down, NULL);
  result = run (backend, acc_nested_array_get_values (mapped));

  g_assert_cmpint (acc_shape_get_size (acc_array_get_shape (result)), ==, N_MANY);
  for (guint k = 0; k < N_MANY; k++)
    g_assert_cmpint (acc_array_get_int (result, 0, k), ==, 0);
}

int
main (int argc, char **argv)
{
  g_test_init (&argc, &argv, NULL);
  if (!open_backends ("interpreter"))
    return 0;

  is_quick = takes_all_cases ();
  for (guint i = 0; i < (is_quick ? G_N_ELEMENTS (functions) : 0); i++)
    {
      g_autofree char *path = g_strdup_printf ("/lift-loops/%s", functions[i].name);

      g_test_add_data_func (path, GUINT_TO_POINTER (i), test_ends);
    }
  g_test_add_func ("/lift-loops/one-goes-on", test_one_goes_on);

  return run_tests ();
}
