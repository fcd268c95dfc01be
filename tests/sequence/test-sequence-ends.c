/* SPDX-License-Identifier: LGPL-2.1-or-later */

/* What sequences end in: folds, of floats to the same bits, batches, and what other sequences read. */

#include "sequence-helpers.h"

#include "acc-seq/stream/acc-evaluate-private.h"

/* --- floats add up to the same bits */

static AccExpr *
halves (AccExpr *ix, gpointer data)
{
  return acc_expr_fdiv (acc_expr_new_float (1),
                        acc_expr_add (acc_expr_cast (ix, acc_element_type_new (ACC_KIND_F64)), acc_expr_new_float (1)));
}

static void
expect_same_sum (AccArray *total, const gint64 *sizes, guint n_sizes)
{
  g_autoptr(AccArray) first = NULL;

  for (guint i = 0; i < n_sizes; i++)
    {
      g_autoptr(GError) error = NULL;
      g_autoptr(GPtrArray) results = acc_evaluate_with_chunk_rows (backend, &total, 1, sizes[i], NULL, &error);

      g_assert_no_error (error);
      if (first == NULL)
        first = g_object_ref (results->pdata[0]);
      if (!same_array (first, results->pdata[0]))
        g_error ("steps of %d give another sum", (int) sizes[i]);
    }
}

void
test_fold_bits (void)
{
  g_autoptr(AccShape) shape = acc_shape_new_vector (3001);
  g_autoptr(AccArray) numbers = acc_array_generate (shape, halves, NULL);
  g_autoptr(AccSequence) sequence = acc_sequence_new_from_array (numbers);
  g_autoptr(AccArray) total = acc_sequence_fold (sequence, NULL, f_add, NULL);

  expect_same_sum (total, steps, N_STEPS);
}

static AccExpr *
third_of (AccExpr *index, gpointer number)
{
  AccExpr *x = acc_expr_cast (acc_expr_add (acc_expr_the (number), index), acc_element_type_new (ACC_KIND_F64));

  return acc_expr_fdiv (acc_expr_new_float (1), acc_expr_add (x, acc_expr_new_float (3)));
}
static AccArray *
f_thirds (AccArray **a, guint n, gpointer data)
{
  g_autoptr(AccShape) shape = acc_shape_new_vector (3);

  return acc_array_generate (shape, third_of, a[0]);
}

/* Steps of as many elements, which share what is compiled of them, with any of the nodes that wait. */
void
test_fold_again (void)
{
  static const gint64 sizes[] = { 0, 1, 2, 4, 16, 48 };
  g_autoptr(AccSequence) sequence = acc_sequence_new_generate (700, f_thirds, NULL);
  g_autoptr(AccArray) total = acc_sequence_fold (sequence, NULL, f_add, NULL);

  expect_same_sum (total, sizes, G_N_ELEMENTS (sizes));
}

/* Order is kept where numbers are folded at once, too. */
static AccExpr *first_of (AccExpr *x, AccExpr *y, gpointer data) { return x; }
static AccExpr *last_of (AccExpr *x, AccExpr *y, gpointer data) { return y; }
static AccArray *f_first (AccArray **a, guint n, gpointer data) { return acc_array_zip_with (a[0], a[1], first_of, NULL); }
static AccArray *f_last (AccArray **a, guint n, gpointer data) { return acc_array_zip_with (a[0], a[1], last_of, NULL); }

/* @expected: of each of @arrays, which have @rank */
static void
check_folds (AccArray **arrays, guint n_arrays, const char **expected, guint rank)
{
  for (guint i = 0; i < n_arrays; i++)
    g_assert_cmpuint (acc_array_get_rank (arrays[i]), ==, rank);
  expect_results (arrays, n_arrays, expected);
}

void
test_fold_exact (void)
{
  g_autoptr(AccSequence) numbers = acc_sequence_new_generate (1001, f_times, NULL);
  g_autoptr(AccArray) a = acc_sequence_fold (numbers, NULL, f_add, NULL), b = acc_sequence_fold (numbers, NULL, f_first, NULL);
  g_autoptr(AccArray) c = acc_sequence_fold (numbers, NULL, f_last, NULL);
  AccArray *arrays[] = { a, b, c };
  const char *expected[] = { "333833500", "0", "1000000" };

  check_folds (arrays, 3, expected, 0);
}

static AccExpr *
number_of_row (AccExpr *index, gpointer number)
{
  return acc_expr_add (acc_expr_mul (acc_expr_the (number), i8 (10)),
                       acc_expr_add (acc_expr_mul (acc_expr_item (index, 0), i8 (3)), acc_expr_item (index, 1)));
}
static AccArray *
f_rows (AccArray **a, guint n, gpointer data)
{
  g_autoptr(AccShape) shape = acc_shape_new_matrix (2, 3);

  return acc_array_generate (shape, number_of_row, a[0]);
}

/* And so they are where elements have several. */
void
test_fold_rows (void)
{
  g_autoptr(AccSequence) rows = acc_sequence_new_generate (1001, f_rows, NULL);
  g_autoptr(AccArray) a = acc_sequence_fold (rows, NULL, f_add, NULL), b = acc_sequence_fold (rows, NULL, f_first, NULL);
  g_autoptr(AccArray) c = acc_sequence_fold (rows, b, f_last, NULL);
  AccArray *arrays[] = { a, b, c };
  const char *expected[] = { "5005000 5006001 5007002 5008003 5009004 5010005", "0 1 2 3 4 5", "10000 10001 10002 10003 10004 10005" };

  check_folds (arrays, 3, expected, 2);
}

/* --- without an end */

static AccExpr *below (AccExpr *x, gpointer data) { return acc_expr_lt (x, i8 (500)); }
static AccArray *f_below (AccArray **a, guint n, gpointer data) { return acc_array_map (a[0], below, NULL); }

void
test_endless (void)
{
  g_autoptr(AccSequence) squares = acc_sequence_new_generate (-1, f_times, NULL), few = acc_sequence_take (squares, 5);
  g_autoptr(AccSequence) small = acc_sequence_take_while (squares, f_below, NULL), counted = acc_sequence_new_generate (4, f_times, NULL);
  g_autoptr(AccArray) a = acc_sequence_stack (few), b = acc_sequence_count (small), c = acc_sequence_last (small, NULL);
  g_autoptr(AccArray) d = acc_sequence_elements (counted);
  /* Of which no more than these ever come. */
  g_autoptr(AccSequence) passed = acc_sequence_filter (squares, f_below, NULL), all = acc_sequence_take (passed, 23);
  g_autoptr(AccSequence) pairs = acc_sequence_zip_with (passed, counted, f_add, NULL);
  g_autoptr(AccArray) e = acc_sequence_last (all, NULL), f = acc_sequence_stack (pairs);
  AccArray *arrays[] = { a, b, c, d };
  const char *expected[] = { "0 1 4 9 16", "23", "484", "0 1 4 9" };

  expect_results (arrays, 4, expected);
  expect_results (&e, 1, (const char *[]) { "484" });
  expect_results (&f, 1, (const char *[]) { "0 2 8 18" });
  g_assert_cmpint (acc_sequence_get_length (squares), ==, -1);
  g_assert_cmpint (acc_sequence_get_length (counted), ==, 4);
}

/* As long as no walk would end. */
void
test_known_counts (void)
{
  const gint64 n = G_GINT64_CONSTANT (1) << 50;
  g_autoptr(AccSequence) many = acc_sequence_new_generate (n, f_times, NULL), rest = acc_sequence_drop (many, 5);
  g_autoptr(AccSequence) endless = acc_sequence_new_generate (-1, f_times, NULL), both = acc_sequence_zip_with (rest, endless, f_add, NULL);
  g_autoptr(AccSequence) twice = acc_sequence_concat (both, many), pairs = acc_sequence_batch (twice, 2);
  g_autoptr(AccSequence) scanned = acc_sequence_scan (endless, zero (), f_add, NULL), first = acc_sequence_take (endless, n);
  g_autoptr(AccSequence) kept = acc_sequence_filter (endless, f_below, NULL), few = acc_sequence_take (scanned, 7), few_kept = NULL;
  g_autoptr(AccArray) a = acc_sequence_count (both), b = acc_sequence_count (pairs), c = acc_sequence_count (first);
  g_autofree char *expected_a = g_strdup_printf ("%" G_GINT64_FORMAT, n - 5);
  g_autofree char *expected_b = g_strdup_printf ("%" G_GINT64_FORMAT, n - 2);
  g_autofree char *expected_c = g_strdup_printf ("%" G_GINT64_FORMAT, n);
  AccArray *arrays[] = { a, b, c };
  const char *expected[] = { expected_a, expected_b, expected_c };

  expect_results (arrays, 3, expected);
  g_assert_cmpint (acc_sequence_get_length (scanned), ==, -1);
  g_assert_cmpint (acc_sequence_get_length (few), ==, 7);
  few_kept = acc_sequence_take (kept, 3);
  g_assert_cmpint (acc_sequence_get_length (few_kept), ==, -1);
}

/* --- functions that read what another sequence ends in */

static AccExpr *plus_both (AccExpr *x, AccExpr *y, gpointer total) { return acc_expr_add (acc_expr_add (x, y), acc_expr_the (total)); }
static AccArray *f_plus_both (AccArray **a, guint n, gpointer total) { return acc_array_zip_with (a[0], a[1], plus_both, total); }
static AccArray *f_plus_total (AccArray **a, guint n, gpointer total) { return acc_array_map (a[0], plus_the, total); }

void
test_captured (void)
{
  g_autoptr(AccSequence) squares = acc_sequence_new_generate (10, f_times, NULL), few = acc_sequence_take (squares, 3);
  g_autoptr(AccArray) total = acc_sequence_fold (squares, NULL, f_add, NULL);
  g_autoptr(AccSequence) sums = acc_sequence_map (few, f_plus_total, total);
  g_autoptr(AccArray) a = acc_sequence_elements (sums), b = acc_sequence_fold (few, NULL, f_plus_both, total);
  AccArray *arrays[] = { a, b };
  const char *expected[] = { "285 286 289", "575" };

  expect_results (arrays, 2, expected);
}

/* --- batches */

/* The prefix sums of all, and their total. */
static GPtrArray *
f_prefix (AccArray **a, guint n, gpointer data)
{
  GPtrArray *results = g_ptr_array_new_with_free_func (g_object_unref);
  g_autoptr(AccArray) sums = acc_array_scanl1 (a[1], plus, NULL), total = flat_sum (a[1]);

  g_ptr_array_add (results, acc_array_zip_with (a[0], total, plus, NULL));
  g_ptr_array_add (results, acc_array_map (sums, plus_the, a[0]));

  return results;
}
static AccArray *
f_total (AccArray **a, guint n, gpointer data)
{
  g_autoptr(AccArray) total = flat_sum (a[1]);

  return acc_array_zip_with (a[0], total, plus, NULL);
}
static GPtrArray *f_none (AccArray **a, guint n, gpointer data) { return NULL; }

void
test_batches (void)
{
  g_autoptr(AccSequence) numbers = acc_sequence_new_generate (12, f_times, NULL), none = acc_sequence_take (numbers, 0);
  g_autoptr(AccArray) state = zero ();
  g_autoptr(AccSequence) prefix = acc_sequence_map_batch (numbers, state, f_prefix, NULL);
  g_autoptr(AccSequence) wrong = acc_sequence_map_batch (numbers, state, f_none, NULL);
  g_autoptr(AccArray) a = acc_sequence_elements (prefix), b = acc_sequence_fold_batch (numbers, state, f_total, NULL);
  g_autoptr(AccArray) c = acc_sequence_fold_batch (none, state, f_total, NULL), d = acc_sequence_count (wrong);
  AccArray *arrays[] = { a, b, c };
  const char *expected[] = { "0 1 5 14 30 55 91 140 204 285 385 506", "506", "0" };

  expect_results (arrays, 3, expected);
  expect_error (d, 0, ACC_ERROR_CALLBACK, "sequence_map_batch: ");
}

/* Elements of other extents are refused in steps of one, too, in which each is alone, and the error names the one that is. */
void
test_uneven_batches (void)
{
  g_autoptr(GPtrArray) elements = make_elements (23, 1, TRUE), uneven = make_elements (23, 1, FALSE);
  g_autoptr(AccSequence) even = new_produced (elements, 1, 4, G_MAXUINT), others = new_produced (uneven, 1, 4, G_MAXUINT);
  g_autoptr(AccSequence) empty = acc_sequence_drop (others, 1), rest = acc_sequence_take (empty, 1),
    late = acc_sequence_concat (even, rest);
  g_autoptr(AccSequence) values = acc_sequence_expand (late);
  g_autoptr(AccArray) state = zero (), a = NULL, b = NULL, c = NULL, d = NULL, e = NULL;
  g_autoptr(AccSequence) mapped = acc_sequence_map_batch (late, state, f_prefix, NULL);

  a = acc_sequence_count (mapped);
  b = acc_sequence_fold_batch (late, state, f_total, NULL);
  c = acc_sequence_fold_batch (values, state, f_total, NULL);
  d = acc_sequence_fold_batch (even, state, f_total, NULL);
  e = acc_sequence_elements (mapped);
  for (guint i = 0; i < N_STEPS; i++)
    {
      AccArray *arrays[] = { c, d };
      g_autoptr(GError) error = NULL;
      g_autoptr(GPtrArray) results = acc_evaluate_with_chunk_rows (backend, arrays, 2, steps[i], NULL, &error);
      g_autofree char *text = NULL, *other = NULL;

      g_assert_no_error (error);
      text = print (results->pdata[0]);
      other = print (results->pdata[1]);
      g_assert_cmpstr (text, ==, other);
      expect_error (a, steps[i], ACC_ERROR_SHAPE, "map_batch takes elements of the same extents only");
      expect_error (e, steps[i], ACC_ERROR_SHAPE, "element 23 has extents [0], those before it have [");
      expect_error (b, steps[i], ACC_ERROR_SHAPE, "one by one (expand), or go element by element (scan): element 23 has extents [0]");
    }
}

/* What came before an element, in its batch and in those before, is added to its values. */
typedef struct {
  AccArray *starts, *before;
} Places;

static AccExpr *
add_places (AccExpr *x,
            gpointer number)
{
  return acc_expr_add (x, acc_expr_the (number));
}

static AccArray *
f_place (AccArray **a,
         guint      n,
         gpointer   data)
{
  Places *places = data;
  g_autoptr(AccShape) none = acc_shape_new_scalar ();
  g_autoptr(AccArray) place = acc_array_fill (none, acc_expr_add (acc_expr_linear_index (places->starts, acc_expr_the (a[0])),
                                                                  acc_expr_extent (places->before, 0)));

  return acc_array_map (a[1], add_places, place);
}

static AccExpr *
size_of_extents (AccExpr *extents,
                 gpointer rank)
{
  AccExpr *size = i8 (1);

  for (guint i = 0; i < GPOINTER_TO_UINT (rank); i++)
    size = acc_expr_mul (size, acc_expr_item (extents, i));

  return size;
}

/* The state is all values so far. */
static GPtrArray *
f_places (AccArray       *state,
          AccNestedArray *elements,
          gpointer        rank)
{
  GPtrArray *results = g_ptr_array_new_with_free_func (g_object_unref);
  g_autoptr(AccArray) flat = acc_nested_array_flatten (elements), extents = NULL, sizes = NULL, starts = NULL;
  Places places = { NULL, state };

  extents = GPOINTER_TO_UINT (rank) > 1 ? g_object_ref (acc_nested_array_get_extents (elements)) : NULL;
  sizes = extents != NULL ? acc_array_map (extents, size_of_extents, rank) : NULL;
  if (sizes == NULL && GPOINTER_TO_UINT (rank) == 1)
    sizes = g_object_ref (acc_nested_array_get_lengths (elements));
  else if (sizes == NULL)
    sizes = acc_array_map (flat, size_of_extents, GUINT_TO_POINTER (0));
  starts = acc_array_scanl (sizes, i8 (0), plus, NULL);
  places.starts = starts;

  g_ptr_array_add (results, acc_array_concat (state, flat));
  g_ptr_array_add (results, acc_nested_array_imap (elements, f_place, &places));

  return results;
}

static GPtrArray *
f_all_values (AccArray       *state,
              AccNestedArray *elements,
              gpointer        data)
{
  GPtrArray *results = g_ptr_array_new_with_free_func (g_object_unref);
  g_autoptr(AccArray) flat = acc_nested_array_flatten (elements);

  g_ptr_array_add (results, acc_array_concat (state, flat));

  return results;
}

/* Batches of elements of any extents, and of ranks that have none: places of elements in the whole, however a walk is cut. */
void
test_nested_batches (void)
{
  for (guint rank = 0; rank <= (is_quick ? 2 : 3); rank++)
    for (gint64 n = 0; n <= 23; n += 23)
      {
        g_autoptr(GPtrArray) elements = make_elements (n, rank, FALSE);
        g_autoptr(AccSequence) produced = new_produced (elements, rank, 4, G_MAXUINT), mapped = NULL;
        g_autoptr(AccShape) none = acc_shape_new_vector (0);
        g_autoptr(AccArray) state = acc_array_fill (none, i8 (0)), values = NULL, all = NULL, lengths = NULL, before = NULL;
        g_autoptr(GString) expected = g_string_new (NULL), flat = g_string_new (NULL);
        gint64 place = 0;

        mapped = acc_sequence_map_batch_nested (produced, state, f_places, GUINT_TO_POINTER (rank));
        values = acc_sequence_elements (mapped);
        all = acc_sequence_fold_batch_nested (produced, state, f_all_values, NULL);
        lengths = acc_sequence_count (mapped);
        before = acc_sequence_count (produced);
        for (guint k = 0; k < elements->len; k++)
          {
            AccArray *element = g_ptr_array_index (elements, k);
            gint64 size = acc_shape_get_size (acc_array_get_shape (element));

            for (gint64 i = 0; i < size; i++)
              {
                gint64 value = acc_array_get_int (element, 0, i);

                g_string_append_printf (flat, "%s%" G_GINT64_FORMAT, flat->len > 0 ? " " : "", value);
                g_string_append_printf (expected, "%s%" G_GINT64_FORMAT, expected->len > 0 ? " " : "", value + place);
              }
            place += size;
          }

        for (guint i = 0; i < N_STEPS; i++)
          {
            AccArray *arrays[] = { values, all, lengths, before };
            g_autoptr(GError) error = NULL;
            g_autoptr(GPtrArray) results = acc_evaluate_with_chunk_rows (backend, arrays, 4, steps[i], NULL, &error);
            g_autofree char *got = NULL, *folded = NULL;

            g_assert_no_error (error);
            got = print (results->pdata[0]);
            folded = print (results->pdata[1]);
            g_assert_cmpstr (got, ==, expected->str);
            g_assert_cmpstr (folded, ==, flat->str);
            g_assert_cmpint (acc_array_get_int (results->pdata[2], 0, 0), ==, n);
            g_assert_cmpint (acc_array_get_int (results->pdata[3], 0, 0), ==, n);
          }
      }
}
