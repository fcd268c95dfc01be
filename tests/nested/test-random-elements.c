/* SPDX-License-Identifier: LGPL-2.1-or-later */

/* Random arrays that functions of elements make: those of each element are what the same function makes by itself of the seed and the
 * stream that follow from the element's number, in nested arrays of any form, and in sequences in steps of any size. */

#include "conformance.h"

#include "acc-seq/stream/acc-evaluate-private.h"

#define SEED G_GUINT64_CONSTANT (0x123456789abcdef0)
#define STREAM G_GUINT64_CONSTANT (0xfedcba9876543210)
#define N 5

/* What a function of elements is called with. */
typedef struct {
  guint64 seed, stream;
} Source;

static const gint64 lengths[] = { 3, 0, 4, 1, 7 };
static const gint64 steps[] = { 0, 1, 7 };

/* Those of element @k of @from. */
static Source
source_of (Source from, gint64 k)
{
  g_autoptr(AccShape) shape = acc_shape_new_vector (2 * k + 2);
  g_autoptr(AccArray) bits = acc_array_random_bits (conf_type ("u8"), shape, from.seed, from.stream), computed = NULL;
  g_autoptr(GBytes) bytes = NULL;
  g_autoptr(GError) error = NULL;
  const guint64 *numbers;

  computed = acc_backend_run (conf_interpreter (), bits, NULL, &error);
  g_assert_no_error (error);
  bytes = acc_array_dup_bytes (computed, 0, NULL);
  numbers = g_bytes_get_data (bytes, NULL);

  return (Source) { numbers[2 * k], numbers[2 * k + 1] };
}

/* --- functions of a vector of f8, the last argument */

static AccArray *
f_bits (AccArray **a, guint n, gpointer data)
{
  g_autoptr(AccShape) shape = acc_shape_new_vector (5);
  const Source *self = data;

  return acc_array_random_bits (conf_type ("u1"), shape, self->seed, self->stream);
}

static AccArray *
f_wide (AccArray **a, guint n, gpointer data)
{
  g_autoptr(AccShape) shape = acc_shape_new ((gint64[]) { 2, 3 }, 2);
  const Source *self = data;

  return acc_array_random_bits (conf_type ("i8"), shape, self->seed, self->stream);
}

static AccArray *
f_integers (AccArray **a, guint n, gpointer data)
{
  g_autoptr(AccShape) shape = acc_shape_new_vector (3);
  const Source *self = data;

  return acc_array_random_integers (conf_type ("i8"), shape, -1000, 1000000, self->seed, self->stream);
}

static AccArray *
f_normal (AccArray **a, guint n, gpointer data)
{
  g_autoptr(AccShape) shape = acc_shape_new_vector (4);
  const Source *self = data;

  return acc_array_random_normal (conf_type ("f8"), shape, self->seed, self->stream);
}

static AccArray *
f_uniform (AccArray **a, guint n, gpointer data)
{
  g_autoptr(AccShape) shape = acc_shape_new_vector (6);
  const Source *self = data;

  return acc_array_random_uniform (conf_type ("f8"), shape, self->seed, self->stream);
}

/* With the element. */
static AccArray *
f_noisy (AccArray **a, guint n, gpointer data)
{
  g_autoptr(AccArray) noise = f_uniform (a, n, data);

  return acc_array_zip_with (a[n - 1], noise, conf_plus, NULL);
}

/* Without a value. */
static AccArray *
f_nothing (AccArray **a, guint n, gpointer data)
{
  g_autoptr(AccShape) shape = acc_shape_new_vector (0);
  const Source *self = data;

  return acc_array_random_uniform (conf_type ("f4"), shape, self->seed, self->stream);
}

static AccArray *
f_one (AccArray **a, guint n, gpointer data)
{
  g_autoptr(AccShape) shape = acc_shape_new_scalar ();
  const Source *self = data;

  return acc_array_random_uniform (conf_type ("f8"), shape, self->seed, self->stream);
}

static AccExpr *
is_below_half (AccExpr *x, gpointer data)
{
  return acc_expr_lt (x, acc_expr_new_typed_float (conf_type ("f8"), 0.5));
}

static AccArray *
f_likely (AccArray **a, guint n, gpointer data)
{
  g_autoptr(AccArray) one = f_one (a, n, data);

  return acc_array_map (one, is_below_half, NULL);
}

/* In the sides of a choice: numbers are those of all elements, not of those that choose. */
static AccArray *
f_choice (AccArray **a, guint n, gpointer data)
{
  g_autoptr(AccArray) condition = f_likely (a, n, data), noisy = f_noisy (a, n, data), uniform = f_uniform (a, n, data);

  return acc_array_cond (condition, noisy, uniform);
}

static AccExpr *
is_below_two (AccExpr *x, gpointer data)
{
  return acc_expr_lt (x, acc_expr_new_typed_float (conf_type ("f8"), 2));
}

static AccArray *
goes_on (AccArray **a, guint n, gpointer data)
{
  return acc_array_map (a[0], is_below_two, NULL);
}

static AccArray *
next (AccArray **a, guint n, gpointer data)
{
  g_autoptr(AccArray) one = f_one (a, n, data);

  return acc_array_zip_with (a[0], one, conf_plus, NULL);
}

/* In a loop, as often as the element's own numbers say. */
static AccArray *
f_loop (AccArray **a, guint n, gpointer data)
{
  static const char *const signature[] = { "f8", NULL };
  g_autoptr(AccProgram) condition = acc_program_new (signature, goes_on, NULL), step = acc_program_new (signature, next, data);
  g_autoptr(AccArray) zero = acc_array_unit (acc_expr_new_typed_float (conf_type ("f8"), 0));

  return acc_array_while_loop (zero, condition, step);
}

static const struct {
  const char  *name;
  AccArrayFunc function;
  gboolean     rounds;
} cases[] = {
  { "bits", f_bits }, { "wide", f_wide }, { "integers", f_integers }, { "uniform", f_uniform }, { "noisy", f_noisy },
  { "normal", f_normal, TRUE }, { "nothing", f_nothing }, { "one", f_one }, { "choice", f_choice }, { "loop", f_loop },
};

/* --- nested arrays */

static AccArray *
make_element (gint64 length, guint k)
{
  g_autofree double *values = g_new (double, length + 1);

  for (gint64 i = 0; i < length; i++)
    values[i] = 10 * k + i;

  return conf_floats ("f8", &length, 1, values);
}

/* What @function makes of element @k, by itself. */
static AccArray *
make_expected (AccArrayFunc function, AccArray *element, Source from, gint64 k)
{
  Source own = source_of (from, k);
  g_autoptr(AccArray) array = function (&element, 1, &own);
  g_autoptr(GError) error = NULL;
  AccArray *computed = acc_backend_run (conf_interpreter (), array, NULL, &error);

  g_assert_no_error (error);

  return computed;
}

static void
expect_same (AccArray *expected, AccArray *got, gboolean rounds, const char *what, guint k)
{
  g_autofree char *difference = conf_compare (expected, got, rounds ? (ConfTolerance) { 0, TRUE, 1e-12 } : CONF_EXACT);

  if (difference != NULL)
    g_error ("%s, element %u: %s", what, k, difference);
}

static void
expect_elements (AccNestedArray *nested, GPtrArray *expected, gboolean rounds, const char *what)
{
  g_autoptr(GError) error = NULL;

  for (guint b = 0; b < conf_n_backends (); b++)
    {
      g_autoptr(AccNestedArray) computed = acc_backend_run_nested (conf_backend (b), nested, NULL, &error);

      g_assert_no_error (error);
      for (guint k = 0; k < expected->len; k++)
        {
          g_autoptr(AccArray) element = acc_nested_array_dup_element (computed, k), got = NULL;

          got = acc_backend_run (conf_interpreter (), element, NULL, &error);
          g_assert_no_error (error);
          expect_same (expected->pdata[k], got, rounds, what, k);
        }
    }
}

static AccArray *
f_constant (AccArray **a, guint n, gpointer array)
{
  return g_object_ref (array);
}

typedef enum {
  REGULAR,
  IRREGULAR,
  CONSTANT,
  N_FORMS,
} Form;

static AccNestedArray *
make_nested (Form form, GPtrArray *elements)
{
  g_autoptr(AccNestedArray) nested = NULL;

  for (guint k = 0; k < N; k++)
    g_ptr_array_add (elements, make_element (form == IRREGULAR ? lengths[k] : 4, form == CONSTANT ? 0 : k));
  nested = acc_nested_array_new_from_arrays ((AccArray **) elements->pdata, N);
  if (form == CONSTANT)
    return acc_nested_array_map (nested, f_constant, elements->pdata[0]);
  if (form == REGULAR)
    {
      g_autoptr(AccArray) values = acc_nested_array_flatten (nested), rows = NULL;
      g_autoptr(AccShape) shape = acc_shape_new ((gint64[]) { N, 4 }, 2);

      rows = acc_array_reshape (values, shape);
      return acc_nested_array_new_from_regular (rows);
    }

  return g_steal_pointer (&nested);
}

static void
test_nested (gconstpointer data)
{
  Source from = { SEED, STREAM };
  guint number = GPOINTER_TO_UINT (data);

  for (Form form = 0; form < N_FORMS; form++)
    {
      g_autoptr(GPtrArray) elements = g_ptr_array_new_with_free_func (g_object_unref);
      g_autoptr(GPtrArray) expected = g_ptr_array_new_with_free_func (g_object_unref);
      g_autoptr(AccNestedArray) nested = make_nested (form, elements);
      g_autoptr(AccNestedArray) mapped = acc_nested_array_map (nested, cases[number].function, &from);
      g_autoptr(AccNestedArray) counted = acc_nested_array_imap (nested, cases[number].function, &from);

      for (guint k = 0; k < N; k++)
        g_ptr_array_add (expected, make_expected (cases[number].function, elements->pdata[k], from, k));
      expect_elements (mapped, expected, cases[number].rounds, cases[number].name);
      expect_elements (counted, expected, cases[number].rounds, cases[number].name);
    }
}

/* --- levels */

static AccNestedArray *
f_nested (AccNestedArray *element, gpointer data)
{
  return acc_nested_array_map (element, f_integers, data);
}

/* Groups of 2, 0 and 3 elements. */
static void
test_levels (void)
{
  static const gint64 counts[] = { 2, 0, 3 };
  Source from = { SEED, STREAM };
  g_autoptr(GPtrArray) elements = g_ptr_array_new_with_free_func (g_object_unref);
  g_autoptr(GPtrArray) through = g_ptr_array_new_with_free_func (g_object_unref);
  g_autoptr(GPtrArray) own = g_ptr_array_new_with_free_func (g_object_unref);
  g_autoptr(AccNestedArray) nested = make_nested (IRREGULAR, elements), groups = NULL, mapped = NULL, twice = NULL;
  g_autoptr(AccNestedArray) mapped_inner = NULL, twice_inner = NULL;
  g_autoptr(AccArray) group_lengths = conf_ints ("i8", (gint64[]) { 3 }, 1, counts);

  groups = acc_nested_array_nest (nested, group_lengths);
  mapped = acc_nested_array_map (groups, f_integers, &from);
  twice = acc_nested_array_map_nested (groups, f_nested, &from);
  for (guint g = 0, k = 0; g < 3; g++)
    for (gint64 i = 0; i < counts[g]; i++, k++)
      {
        g_ptr_array_add (through, make_expected (f_integers, elements->pdata[k], from, k));
        g_ptr_array_add (own, make_expected (f_integers, elements->pdata[k], source_of (from, g), i));
      }
  mapped_inner = acc_nested_array_flatten_level (mapped, 0);
  twice_inner = acc_nested_array_flatten_level (twice, 0);
  expect_elements (mapped_inner, through, FALSE, "numbered through");
  expect_elements (twice_inner, own, FALSE, "a map in a map");
}

/* --- what is the same for all */

static AccArray *
f_given (AccArray **a, guint n, gpointer array)
{
  return acc_array_zip_with (a[n - 1], array, conf_plus, NULL);
}

static void
test_outside (void)
{
  Source from = { SEED, STREAM };
  g_autoptr(GPtrArray) elements = g_ptr_array_new_with_free_func (g_object_unref);
  g_autoptr(GPtrArray) expected = g_ptr_array_new_with_free_func (g_object_unref);
  g_autoptr(AccNestedArray) nested = make_nested (IRREGULAR, elements), mapped = NULL;
  g_autoptr(AccArray) noise = f_uniform (NULL, 0, &from);
  g_autoptr(GError) error = NULL;

  mapped = acc_nested_array_map (nested, f_given, noise);
  for (guint k = 0; k < N; k++)
    {
      g_autoptr(AccArray) sum = f_given ((AccArray **) &elements->pdata[k], 1, noise);

      g_ptr_array_add (expected, acc_backend_run (conf_interpreter (), sum, NULL, &error));
      g_assert_no_error (error);
    }
  expect_elements (mapped, expected, FALSE, "outside");
}

/* --- sequences */

static void
expect_sequence (AccSequence *sequence, GPtrArray *expected, gboolean rounds, const char *what)
{
  g_autoptr(AccNestedArray) nested = acc_sequence_to_nested (sequence);
  g_autoptr(AccArray) values = acc_nested_array_flatten (nested);
  AccArray *element_lengths = acc_nested_array_get_lengths (nested);

  for (guint b = 0; b < conf_n_backends (); b++)
    for (guint i = 0; i < G_N_ELEMENTS (steps); i++)
      {
        AccArray *arrays[] = { values, element_lengths };
        g_autoptr(GError) error = NULL;
        g_autoptr(GPtrArray) results = acc_evaluate_with_chunk_rows (conf_backend (b), arrays, 2, steps[i], NULL, &error);
        gint64 begin = 0;

        g_assert_no_error (error);
        g_assert_cmpint (acc_shape_get_size (acc_array_get_shape (results->pdata[1])), ==, expected->len);
        for (guint k = 0; k < expected->len; k++)
          {
            AccArray *one = expected->pdata[k];
            gint64 size = acc_shape_get_size (acc_array_get_shape (one));
            g_autoptr(AccArray) part = conf_cut (results->pdata[0], begin, acc_array_get_shape (one));

            expect_same (one, part, rounds, what, k);
            begin += size;
          }
        g_assert_cmpint (acc_shape_get_size (acc_array_get_shape (results->pdata[0])), ==, begin);
      }
}

#define LENGTH 20

static AccSequence *
make_sequence (GPtrArray *elements)
{
  g_autoptr(AccNestedArray) nested = NULL;

  for (guint k = 0; k < LENGTH; k++)
    g_ptr_array_add (elements, make_element (lengths[k % N], k));
  nested = acc_nested_array_new_from_arrays ((AccArray **) elements->pdata, LENGTH);

  return acc_sequence_new_from_nested (nested);
}

/* As they are, and cut: elements keep their numbers. */
static void
test_sequence (gconstpointer data)
{
  Source from = { SEED, STREAM };
  guint number = GPOINTER_TO_UINT (data);
  g_autoptr(GPtrArray) elements = g_ptr_array_new_with_free_func (g_object_unref);
  g_autoptr(GPtrArray) expected = g_ptr_array_new_with_free_func (g_object_unref);
  g_autoptr(AccSequence) sequence = make_sequence (elements), mapped = NULL, dropped = NULL, some = NULL, zipped = NULL;

  for (guint k = 0; k < LENGTH; k++)
    g_ptr_array_add (expected, make_expected (cases[number].function, elements->pdata[k], from, k));
  mapped = acc_sequence_map (sequence, cases[number].function, &from);
  zipped = acc_sequence_zip_with (sequence, sequence, cases[number].function, &from);
  expect_sequence (mapped, expected, cases[number].rounds, cases[number].name);
  expect_sequence (zipped, expected, cases[number].rounds, cases[number].name);

  dropped = acc_sequence_drop (mapped, 3);
  some = acc_sequence_take (dropped, 9);
  g_ptr_array_remove_range (expected, 0, 3);
  g_ptr_array_set_size (expected, 9);
  expect_sequence (some, expected, cases[number].rounds, cases[number].name);
}

static gboolean
is_likely (Source from, AccArray *element, gint64 k)
{
  g_autoptr(AccArray) flag = make_expected (f_likely, element, from, k);

  return acc_array_get_int (flag, 0, 0) != 0;
}

/* A sample; its elements are numbered anew. */
static void
test_filter (void)
{
  Source from = { SEED, STREAM };
  g_autoptr(GPtrArray) elements = g_ptr_array_new_with_free_func (g_object_unref);
  g_autoptr(GPtrArray) kept = g_ptr_array_new_with_free_func (g_object_unref);
  g_autoptr(GPtrArray) first = g_ptr_array_new_with_free_func (g_object_unref);
  g_autoptr(GPtrArray) noisy = g_ptr_array_new_with_free_func (g_object_unref);
  g_autoptr(AccSequence) sequence = make_sequence (elements), filtered = NULL, some = NULL, mapped = NULL;
  gboolean goes_on_still = TRUE;

  for (guint k = 0; k < LENGTH; k++)
    {
      gboolean likely = is_likely (from, elements->pdata[k], k);

      goes_on_still = goes_on_still && likely;
      if (likely)
        g_ptr_array_add (noisy, make_expected (f_noisy, elements->pdata[k], from, kept->len));
      if (likely)
        g_ptr_array_add (kept, g_object_ref (elements->pdata[k]));
      if (goes_on_still)
        g_ptr_array_add (first, g_object_ref (elements->pdata[k]));
    }
  g_assert_cmpuint (kept->len, >, 3);
  g_assert_cmpuint (kept->len, <, LENGTH - 3);
  filtered = acc_sequence_filter (sequence, f_likely, &from);
  some = acc_sequence_take_while (sequence, f_likely, &from);
  mapped = acc_sequence_map (filtered, f_noisy, &from);
  expect_sequence (filtered, kept, FALSE, "filter");
  expect_sequence (some, first, FALSE, "take_while");
  expect_sequence (mapped, noisy, FALSE, "map of filter");
}

/* A random walk. */
static void
test_scan (void)
{
  Source from = { SEED, STREAM };
  g_autoptr(GPtrArray) elements = g_ptr_array_new_with_free_func (g_object_unref);
  g_autoptr(GPtrArray) expected = g_ptr_array_new_with_free_func (g_object_unref);
  g_autoptr(AccArray) zero = acc_array_unit (acc_expr_new_typed_float (conf_type ("f8"), 0)), state = g_object_ref (zero);
  g_autoptr(AccSequence) sequence = make_sequence (elements), states = NULL;

  for (guint k = 0; k < LENGTH; k++)
    {
      g_autoptr(AccArray) following = make_expected (next, state, from, k);

      g_set_object (&state, following);
      g_ptr_array_add (expected, g_object_ref (following));
    }
  states = acc_sequence_scan (sequence, zero, next, &from);
  expect_sequence (states, expected, FALSE, "scan");
}

int
main (int argc, char **argv)
{
  conf_init (&argc, &argv);
  for (guint i = 0; i < G_N_ELEMENTS (cases); i++)
    {
      g_autofree char *nested = g_strdup_printf ("/random-elements/nested/%s", cases[i].name);
      g_autofree char *sequence = g_strdup_printf ("/random-elements/sequence/%s", cases[i].name);

      g_test_add_data_func (nested, GUINT_TO_POINTER (i), test_nested);
      g_test_add_data_func (sequence, GUINT_TO_POINTER (i), test_sequence);
    }
  g_test_add_func ("/random-elements/levels", test_levels);
  g_test_add_func ("/random-elements/outside", test_outside);
  g_test_add_func ("/random-elements/filter", test_filter);
  g_test_add_func ("/random-elements/scan", test_scan);

  return conf_run ();
}
