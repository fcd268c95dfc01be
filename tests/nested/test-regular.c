/* SPDX-License-Identifier: LGPL-2.1-or-later */

/* A function mapped over regular nested arrays is planned as the plain program of one more dimension: the same steps, kernels and bytes.
 * Of others, what does not depend on the element is planned as for the values alone, offsets are made once, and numbers of the elements are
 * read by those steps alone that cannot go along the elements. */

#include <acc/acc.h>

#include "acc-backends/schedule/acc-schedule.h"

#define ROWS    512
#define COLUMNS 1024

static const AccTarget groups = {
  .model = ACC_MODEL_SIMT, .group_size = 256, .max_group_size = 1024, .subgroup_size = 32, .shared_bytes = 49152, .n_groups = 1024,
  .has_progress = TRUE, .has_residency = TRUE, .has_atomic_64 = TRUE, .has_atomic_add_f32 = TRUE, .has_atomic_add_f64 = TRUE,
  .merges_loads = TRUE, .max_held = 32, .kinds = ~0u,
};
static const AccTarget *const targets[] = { &acc_target_cpu, &groups };

static AccExpr *
plus (AccExpr *x, AccExpr *y, gpointer data)
{
  return acc_expr_add (x, y);
}

static AccExpr *
scale (AccExpr *x, gpointer data)
{
  return acc_expr_add (acc_expr_mul (x, acc_expr_new_float (1.5)), acc_expr_new_float (3.5));
}

static AccExpr *
cross1 (AccExpr *n, gpointer data)
{
  return acc_expr_add (acc_expr_neighbour1 (n, -1), acc_expr_neighbour1 (n, 1));
}

static AccExpr *
cross2 (AccExpr *n, gpointer data)
{
  return acc_expr_add (acc_expr_neighbour2 (n, 0, -1), acc_expr_neighbour2 (n, 0, 1));
}

/* --- functions along the innermost dimension are those of matrices, too */

static AccArray *
maps (AccArray **a, guint n, gpointer data)
{
  g_autoptr(AccArray) once = acc_array_map (a[0], scale, NULL);

  return acc_array_map (once, scale, NULL);
}

static AccArray *
sum (AccArray **a, guint n, gpointer data)
{
  g_autoptr(AccArray) scaled = acc_array_map (a[0], scale, NULL);

  return acc_array_fold (scaled, acc_expr_new_float (0), plus, NULL);
}

static AccArray *
dot (AccArray **a, guint n, gpointer data)
{
  g_autoptr(AccArray) products = acc_array_mul (a[0], a[0]);

  return acc_array_sum (products);
}

static AccArray *
squares (AccArray **a, guint n, gpointer data)
{
  return acc_array_mul (a[0], a[1]);
}

static AccArray *
prefix_sums (AccArray **a, guint n, gpointer data)
{
  return acc_array_cumsum (a[0]);
}

static AccArray *
sorted (AccArray **a, guint n, gpointer data)
{
  return acc_array_sort (a[0], FALSE);
}

static AccArray *
reversed (AccArray **a, guint n, gpointer data)
{
  return acc_array_reverse (a[0]);
}

static AccArray *
first_ones (AccArray **a, guint n, gpointer data)
{
  return acc_array_take (a[0], 100);
}

static AccArray *
places_of_largest (AccArray **a, guint n, gpointer data)
{
  return acc_array_argmax (a[0]);
}

/* Of folds and maps in turn. */
static AccArray *
mean (AccArray **a, guint n, gpointer data)
{
  return acc_array_mean (a[0]);
}

static AccArray *
without_first_ones (AccArray **a, guint n, gpointer data)
{
  g_autoptr(AccArray) rest = acc_array_drop (a[0], 24), scaled = acc_array_map (rest, scale, NULL);

  return acc_array_maximum (scaled);
}

/* --- others */

static AccExpr *
minus_the (AccExpr *index, AccExpr *x, gpointer sum)
{
  return acc_expr_sub (x, acc_expr_the (sum));
}

static AccExpr *
minus_own (AccExpr *index, AccExpr *x, gpointer sums)
{
  return acc_expr_sub (x, acc_expr_index (sums, acc_expr_item (index, 0)));
}

static AccArray *
deviations1 (AccArray **a, guint n, gpointer data)
{
  g_autoptr(AccArray) total = acc_array_sum (a[0]);

  return acc_array_imap (a[0], minus_the, total);
}

static AccArray *
deviations2 (AccArray **a, guint n, gpointer data)
{
  g_autoptr(AccArray) totals = acc_array_sum (a[0]);

  return acc_array_imap (a[0], minus_own, totals);
}

static AccExpr *
place_in_row (AccExpr *index, AccExpr *x, gpointer data)
{
  return acc_expr_mul (x, acc_expr_cast (index, acc_element_type_new (ACC_KIND_F32)));
}

static AccExpr *
place_in_matrix (AccExpr *index, AccExpr *x, gpointer data)
{
  return acc_expr_mul (x, acc_expr_cast (acc_expr_item (index, 1), acc_element_type_new (ACC_KIND_F32)));
}

static AccArray *
places1 (AccArray **a, guint n, gpointer data)
{
  return acc_array_imap (a[0], place_in_row, NULL);
}

static AccArray *
places2 (AccArray **a, guint n, gpointer data)
{
  return acc_array_imap (a[0], place_in_matrix, NULL);
}

static AccArray *
stencil1 (AccArray **a, guint n, gpointer data)
{
  g_autoptr(AccBoundary) boundary = acc_boundary_new (ACC_BOUNDARY_CLAMP);
  g_autoptr(AccArray) scaled = acc_array_map (a[0], scale, NULL);

  return acc_array_stencil (scaled, (gint64[]) { 3 }, 1, boundary, cross1, NULL);
}

static AccArray *
stencil2 (AccArray **a, guint n, gpointer data)
{
  g_autoptr(AccBoundary) boundary = acc_boundary_new (ACC_BOUNDARY_CLAMP);
  g_autoptr(AccArray) scaled = acc_array_map (a[0], scale, NULL);

  return acc_array_stencil (scaled, (gint64[]) { 1, 3 }, 2, boundary, cross2, NULL);
}

/* --- matrices, which libraries and backends have operations for */

static AccArray *
square (AccArray **a, guint n, gpointer data)
{
  return acc_array_matmul (a[0], a[0]);
}

static AccArray *
times_constant (AccArray **a, guint n, gpointer data)
{
  g_autoptr(AccShape) shape = acc_shape_new ((gint64[]) { 32, 64 }, 2);
  g_autoptr(AccArray) ones = acc_array_fill (shape, acc_expr_new_typed_float (acc_element_type_new (ACC_KIND_F32), 1));

  return acc_array_matmul (a[0], ones);
}

static AccArray *
transform_rows (AccArray **a, guint n, gpointer data)
{
  return acc_array_fft (a[0], ACC_FFT_FORWARD);
}

static AccArray *
transform_matrix (AccArray **a, guint n, gpointer data)
{
  return acc_array_fft2 (a[0], ACC_FFT_INVERSE);
}

static const struct {
  const char  *name;
  AccArrayFunc element, plain;
} cases[] = {
  { "maps", maps, maps },
  { "sum", sum, sum },
  { "dot", dot, dot },
  { "prefix-sums", prefix_sums, prefix_sums },
  { "sorted", sorted, sorted },
  { "reversed", reversed, reversed },
  { "first-ones", first_ones, first_ones },
  { "places-of-largest", places_of_largest, places_of_largest },
  { "mean", mean, mean },
  { "without-first-ones", without_first_ones, without_first_ones },
  { "deviations", deviations1, deviations2 },
  { "places", places1, places2 },
  { "stencil", stencil1, stencil2 },
  { "square", square, square },
  { "times-constant", times_constant, times_constant },
  { "transform-rows", transform_rows, transform_rows },
  { "transform-matrix", transform_matrix, transform_matrix },
};

#define FIRST_OF_MATRICES 13

static char *
describe (AccArray *result, const AccTarget *target)
{
  g_autoptr(GError) error = NULL;
  g_autoptr(AccSchedule) schedule = acc_schedule_new (target, NULL, &result, 1, NULL, NULL, 0, &error);

  g_assert_no_error (error);

  return acc_schedule_to_string (schedule);
}

static void
test_case (gconstpointer data)
{
  guint which = GPOINTER_TO_UINT (data);
  gsize size = (gsize) ROWS * COLUMNS * sizeof (float);
  g_autoptr(AccShape) shape = which < FIRST_OF_MATRICES ? acc_shape_new ((gint64[]) { ROWS, COLUMNS }, 2)
                                                         : acc_shape_new ((gint64[]) { ROWS, 32, 32 }, 3);
  g_autoptr(GBytes) bytes = g_bytes_new_take (g_malloc0 (size), size);
  g_autoptr(AccArray) matrix = acc_array_use (acc_element_type_new (ACC_KIND_F32), shape, bytes);
  g_autoptr(AccNestedArray) rows = acc_nested_array_new_from_regular (matrix);
  g_autoptr(AccNestedArray) mapped = acc_nested_array_map (rows, cases[which].element, NULL);
  g_autoptr(AccArray) plain = cases[which].plain (&matrix, 1, NULL);

  g_assert_cmpint (acc_nested_array_get_form (mapped), ==, ACC_NESTED_FORM_REGULAR);
  for (guint t = 0; t < G_N_ELEMENTS (targets); t++)
    {
      g_autofree char *got = describe (acc_nested_array_get_values (mapped), targets[t]), *wanted = describe (plain, targets[t]);

      g_assert_cmpstr (got, ==, wanted);
    }
}

/* --- numbers of elements */

static AccArray *
use_numbers (const gint64 *numbers, gint64 n)
{
  g_autoptr(AccShape) shape = acc_shape_new_vector (n);
  g_autoptr(GBytes) bytes = g_bytes_new (numbers, n * sizeof *numbers);

  return acc_array_use (acc_element_type_new (ACC_KIND_I64), shape, bytes);
}

static AccExpr *
times_place (AccExpr *index, AccExpr *x, gpointer data)
{
  return acc_expr_mul (x, index);
}

static AccArray *
places (AccArray **a, guint n, gpointer data)
{
  return acc_array_imap (a[0], times_place, NULL);
}

static AccArray *
sum_of_places (AccArray **a, guint n, gpointer data)
{
  g_autoptr(AccArray) placed = places (a, n, NULL);

  return acc_array_sum (placed);
}

/* The numbers that @array is made of */
static AccArray *
find_numbers (AccArray *array)
{
  AccArray *found = array->direct != NULL && array->direct->op == ACC_OP_SEG_NUMBERS ? array : NULL;

  if (found == NULL && array->direct != NULL)
    found = find_numbers (array->direct);
  for (guint i = 0; i < array->n_inputs && found == NULL; i++)
    found = find_numbers (array->inputs[i]);

  return found;
}

static AccExpr *
number_at (AccExpr *place, gpointer numbers)
{
  return acc_expr_linear_index (numbers, acc_expr_sub (acc_expr_new_int (5), place));
}

/* How many steps read it, or what it is composed of */
static guint
count_reads (AccSchedule *schedule, AccArray *array)
{
  guint n = 0;

  for (guint i = 0; i < schedule->n_steps; i++)
    for (guint k = 0; k < schedule->steps[i].n_reads; k++)
      {
        const AccArray *read = schedule->values[schedule->steps[i].reads[k]].array;

        n += read == array || read == array->direct;
      }

  return n;
}

static AccSchedule *
plan_with (const AccTarget *target, AccArray **results, guint n_results, AccArray **bound, AccArray **values, guint n_bound)
{
  g_autoptr(GError) error = NULL;
  AccSchedule *schedule = acc_schedule_new (target, NULL, results, n_results, bound, values, n_bound, &error);

  g_assert_no_error (error);

  return schedule;
}

static void
test_numbers (gconstpointer target)
{
  const gint64 begins[] = { 0, 2, 2, 6 }, of_values[] = { 0, 0, 2, 2, 2, 2 };
  g_autoptr(AccArray) flat = use_numbers (of_values, 6), ends = use_numbers (begins, 4), others = NULL;
  g_autoptr(AccNestedArray) parts = acc_nested_array_new_from_offsets (flat, ends);
  g_autoptr(AccNestedArray) placed = acc_nested_array_map (parts, places, NULL), summed = acc_nested_array_map (parts, sum_of_places, NULL);
  AccArray *own = acc_nested_array_get_values (placed), *sums = acc_nested_array_get_values (summed), *numbers = find_numbers (own);
  AccArray *offsets, *of_sums;
  g_autoptr(AccSchedule) alone = NULL, folded = NULL, both = NULL, given = NULL;
  g_autoptr(AccShape) shape = acc_shape_new_vector (6);

  g_assert_nonnull (numbers);
  offsets = numbers->direct->inputs[0];
  others = acc_array_generate (shape, number_at, numbers);
  alone = plan_with (target, &own, 1, &offsets, &ends, 1);
  g_assert_cmpuint (count_reads (alone, numbers), ==, 0);
  of_sums = find_numbers (sums);
  g_assert_nonnull (of_sums);
  folded = plan_with (target, &sums, 1, &of_sums->direct->inputs[0], &ends, 1);
  g_assert_cmpuint (count_reads (folded, of_sums), ==, 0);
  g_assert_cmpuint (folded->n_steps, ==, 1);
  both = plan_with (target, (AccArray *[]) { own, others }, 2, &offsets, &ends, 1);
  g_assert_cmpuint (count_reads (both, numbers), ==, 1);
  /* Made before, as the offsets were */
  given = plan_with (target, (AccArray *[]) { own, others }, 2, (AccArray *[]) { offsets, numbers }, (AccArray *[]) { ends, flat }, 2);
  g_assert_cmpuint (count_reads (given, numbers), ==, 1);
}

/* --- elements of different extents */

static AccArray *
use_floats (gint64 n)
{
  g_autoptr(AccShape) shape = acc_shape_new_vector (n);
  g_autoptr(GBytes) bytes = g_bytes_new_take (g_malloc0 (n * sizeof (float)), n * sizeof (float));

  return acc_array_use (acc_element_type_new (ACC_KIND_F32), shape, bytes);
}

static void
test_scalar_code (void)
{
  static const struct {
    AccArrayFunc function;
    gboolean     takes_two;
  } functions[] = { { maps, FALSE }, { squares, TRUE } };
  const gint64 begins[] = { 0, 2, 2, 6 };
  g_autoptr(AccArray) flat = use_floats (6), ends = use_numbers (begins, 4);
  g_autoptr(AccNestedArray) parts = acc_nested_array_new_from_offsets (flat, ends), held = NULL;
  g_autoptr(AccBackend) interpreter = acc_backend_new_for_name ("interpreter", NULL);
  AccArray *values;

  held = acc_backend_run_nested (interpreter, parts, NULL, NULL);
  values = acc_nested_array_get_values (held);
  for (guint i = 0; i < G_N_ELEMENTS (functions); i++)
    {
      g_autoptr(AccNestedArray) mapped = functions[i].takes_two ? acc_nested_array_zip_with (held, held, functions[i].function, NULL)
                                                                : acc_nested_array_map (held, functions[i].function, NULL);
      g_autoptr(AccArray) plain = functions[i].function ((AccArray *[]) { values, values }, functions[i].takes_two ? 2 : 1, NULL);
      g_autofree char *got = describe (acc_nested_array_get_values (mapped), &acc_target_cpu), *wanted = describe (plain, &acc_target_cpu);

      g_assert_cmpint (acc_nested_array_get_form (mapped), ==, ACC_NESTED_FORM_IRREGULAR);
      g_assert_cmpstr (got, ==, wanted);
    }
}

/* All that a processor computes for @array: what has an operation of its own there is not composed of others. */
static void
collect (AccArray *array, GHashTable *found)
{
  AccArray *computed = array->direct != NULL ? array->direct : array, *dependence;

  if (!g_hash_table_add (found, computed))
    return;
  for (guint i = 0; (dependence = acc_array_nth_dependence (computed, i)) != NULL; i++)
    collect (dependence, found);
}

static guint
count_operations (AccArray **results, guint n, AccOperation op)
{
  g_autoptr(GHashTable) all = g_hash_table_new (NULL, NULL);
  GHashTableIter iter;
  gpointer array;
  guint found = 0;

  for (guint i = 0; i < n; i++)
    collect (results[i], all);
  g_hash_table_iter_init (&iter, all);
  while (g_hash_table_iter_next (&iter, &array, NULL))
    found += ((AccArray *) array)->op == op;

  return found;
}

/* Whatever is made of elements, and by however many functions, one scan makes offsets of their lengths. */
static void
test_descriptors (void)
{
  const gint64 sizes[] = { 2, 0, 4 };
  g_autoptr(AccArray) flat = use_floats (6), lengths = use_numbers (sizes, 3);
  g_autoptr(AccNestedArray) parts = acc_nested_array_new_from_lengths (flat, lengths);
  g_autoptr(AccNestedArray) scaled = acc_nested_array_map (parts, maps, NULL), placed = acc_nested_array_map (scaled, places1, NULL);
  g_autoptr(AccNestedArray) centred = acc_nested_array_map (placed, deviations1, NULL), both = NULL;
  g_autoptr(AccArray) sums = acc_nested_array_sum (placed), products = NULL;
  AccArray *results[6];

  both = acc_nested_array_zip_with (scaled, centred, squares, NULL);
  products = acc_nested_array_product (both);
  results[0] = acc_nested_array_get_values (scaled);
  results[1] = acc_nested_array_get_values (centred);
  results[2] = acc_nested_array_get_values (both);
  results[3] = acc_nested_array_get_offsets (both);
  results[4] = sums;
  results[5] = products;
  g_assert_cmpuint (count_operations (results, 6, ACC_OP_FOLD_SEG), ==, 3);
  g_assert_cmpuint (count_operations (results, 6, ACC_OP_SCANL1), ==, 1);
  g_assert_cmpuint (count_operations (results, 6, ACC_OP_SEG_NUMBERS), ==, 1);
  g_assert_true (acc_nested_array_get_offsets (both) == acc_nested_array_get_offsets (scaled));
}

int
main (int argc, char **argv)
{
  g_test_init (&argc, &argv, NULL);
  for (guint i = 0; i < G_N_ELEMENTS (cases); i++)
    {
      g_autofree char *path = g_strdup_printf ("/regular/%s", cases[i].name);

      g_test_add_data_func (path, GUINT_TO_POINTER (i), test_case);
    }

  g_test_add_data_func ("/numbers/processors", &acc_target_cpu, test_numbers);
  g_test_add_data_func ("/numbers/groups", &groups, test_numbers);
  g_test_add_func ("/irregular/scalar-code", test_scalar_code);
  g_test_add_func ("/irregular/descriptors", test_descriptors);

  return g_test_run ();
}
