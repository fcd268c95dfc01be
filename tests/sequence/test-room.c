/* SPDX-License-Identifier: LGPL-2.1-or-later */

/* Walks that have no room for some element: where its extents are known before, and it is certain to be computed, nothing is read or
 * computed at all. */

#include "tests/nested/nested-backends.h"

#include <glib/gstdio.h>
#include <string.h>

enum { LARGE = 1 << 16, BYTES = 4 * LARGE, ROWS = 12 };

static char *file_name;

/* --- functions */

static AccExpr *plus (AccExpr *x, AccExpr *y, gpointer data) { return acc_expr_add (x, y); }
static AccExpr *twice (AccExpr *x, gpointer data) { return acc_expr_add (x, x); }
static AccExpr *plus_nothing (AccExpr *x, gpointer data) { return acc_expr_add (x, acc_expr_new_int (0)); }
static AccArray *copied (AccArray **a, guint n, gpointer data) { return acc_array_map (a[0], plus_nothing, NULL); }
static AccArray *mapped (AccArray **a, guint n, gpointer data) { return acc_array_map (a[n - 1], twice, NULL); }
static AccArray *doubled (AccArray **a, guint n, gpointer data) { return acc_array_concat (a[0], a[0]); }
static AccArray *
summed (AccArray **a, guint n, gpointer data)
{
  return acc_array_fold_all (a[0], acc_expr_cast (acc_expr_new_int (0), acc_array_get_element_type (a[0])), plus, NULL);
}

static AccExpr *is_negative (AccExpr *x, gpointer data) { return acc_expr_lt (x, acc_expr_new_int (0)); }
static AccArray *
never (AccArray **a, guint n, gpointer data)
{
  g_autoptr(AccArray) sum = summed (a, n, NULL);

  return acc_array_map (sum, is_negative, NULL);
}

/* As many numbers as its first value says are missing to very many. */
static AccExpr *number_of (AccExpr *index, gpointer data) { return acc_expr_cast (index, acc_element_type_new (ACC_KIND_I32)); }
static AccArray *
missing (AccArray **a, guint n, gpointer data)
{
  g_autoptr(AccExpr) first = acc_expr_ref_sink (acc_expr_cast (acc_expr_linear_index (a[0], acc_expr_new_int (0)),
                                                               acc_element_type_new (ACC_KIND_I64)));
  AccExpr *extent = acc_expr_sub (acc_expr_new_typed_int (acc_element_type_new (ACC_KIND_I64), 1 << 30), first);

  return acc_array_generate_expr (extent, number_of, NULL);
}

/* --- elements */

static AccArray *
make_array (const gint64 *extents, guint rank)
{
  g_autoptr(AccShape) shape = acc_shape_new (extents, rank);
  gint64 n = acc_shape_get_size (shape);
  gint32 *values = g_new (gint32, MAX (n, 1));
  g_autoptr(GBytes) bytes = NULL;

  for (gint64 i = 0; i < n; i++)
    values[i] = (1 << 30) - 5;
  bytes = g_bytes_new_take (values, (gsize) n * sizeof *values);

  return acc_array_use (acc_element_type_new (ACC_KIND_I32), shape, bytes);
}

static AccArray *
use_numbers (const gint64 *numbers, gint64 n)
{
  g_autoptr(GBytes) bytes = g_bytes_new (numbers, (gsize) n * sizeof *numbers);
  g_autoptr(AccShape) shape = acc_shape_new_vector (n);

  return acc_array_use (acc_element_type_new (ACC_KIND_I64), shape, bytes);
}

static AccSequence *
list (const gint64 *lengths)
{
  g_autoptr(GListStore) store = g_list_store_new (ACC_TYPE_ARRAY);

  for (guint i = 0; lengths[i] >= 0; i++)
    {
      g_autoptr(AccArray) array = make_array (lengths + i, 1);

      g_list_store_append (store, array);
    }

  return acc_sequence_new_from_arrays (G_LIST_MODEL (store));
}

#define LIST(...) list ((const gint64[]) { __VA_ARGS__, -1 })

static AccSequence *
map (AccSequence *input, AccArrayFunc function)
{
  g_autoptr(AccSequence) owned = input;

  return acc_sequence_map (input, function, NULL);
}

static AccSequence *
take (AccSequence *input, gint64 n)
{
  g_autoptr(AccSequence) owned = input;

  return acc_sequence_take (input, n);
}

static AccSequence *
drop (AccSequence *input, gint64 n)
{
  g_autoptr(AccSequence) owned = input;

  return acc_sequence_drop (input, n);
}

static AccSequence *
zip (AccSequence *a, AccSequence *b)
{
  g_autoptr(AccSequence) first = a, second = b;

  return acc_sequence_zip_with (a, b, mapped, NULL);
}

static AccSequence *
concat (AccSequence *a, AccSequence *b)
{
  g_autoptr(AccSequence) first = a, second = b;

  return acc_sequence_concat (a, b);
}

static AccSequence *
batch (AccSequence *input, gint64 n)
{
  g_autoptr(AccSequence) owned = input;

  return acc_sequence_batch (input, n);
}

static AccArray *
open_file (void)
{
  g_autoptr(GFile) file = g_file_new_for_path (file_name);
  g_autoptr(GError) error = NULL;
  g_autoptr(AccSource) source = acc_source_open (file, NULL, &error);

  g_assert_no_error (error);

  return acc_array_new_from_source (source);
}

static AccSequence *
rows_of_file (void)
{
  g_autoptr(AccArray) array = open_file ();

  return acc_sequence_new_from_array (array);
}

static AccSequence *
windows_of (AccArray *array)
{
  g_autoptr(AccArray) owned = array;
  const gint64 sizes[] = { 1, LARGE };

  return acc_sequence_new_windows (array, sizes, sizes, 2, NULL);
}

static AccSequence *
records (void)
{
  g_autoptr(GInputStream) stream = g_memory_input_stream_new_from_data (g_malloc0 (ROWS * BYTES), ROWS * BYTES, g_free);
  g_autoptr(AccShape) shape = acc_shape_new_vector (LARGE);

  return acc_sequence_new_records (stream, acc_element_type_new (ACC_KIND_I32), shape);
}

static AccArray *
in_memory (void)
{
  return make_array ((gint64[]) { ROWS, LARGE }, 2);
}

static AccSequence *
rows_in_memory (gint64 n, gint64 width)
{
  g_autoptr(AccArray) array = make_array ((gint64[]) { n, width }, 2);

  return acc_sequence_new_from_array (array);
}

/* --- elements that are nested arrays: [[a], [b, c]], as many as there are @groups, of @lengths */

static AccNestedArray *
make_nested (const gint64 *lengths, const gint64 *groups)
{
  gint64 n_lengths = 0, n_groups = 0, total = 0;
  g_autoptr(AccArray) values = NULL, all = NULL, outer = NULL;
  g_autoptr(AccNestedArray) rows = NULL, nested = NULL, computed = NULL;
  g_autoptr(GError) error = NULL;

  for (; lengths[n_lengths] >= 0; n_lengths++)
    total += lengths[n_lengths];
  while (groups[n_groups] >= 0)
    n_groups++;
  values = make_array (&total, 1);
  all = use_numbers (lengths, n_lengths);
  outer = use_numbers (groups, n_groups);
  rows = acc_nested_array_new_from_lengths (values, all);
  nested = acc_nested_array_nest (rows, outer);
  computed = acc_backend_run_nested (judge, nested, NULL, &error);
  g_assert_no_error (error);

  return g_steal_pointer (&computed);
}

#define LENGTHS(...) ((const gint64[]) { __VA_ARGS__, -1 })

/* The second is the largest. */
static AccSequence *
documents (void)
{
  g_autoptr(AccNestedArray) nested = make_nested (LENGTHS (5, 7, LARGE / 2, LARGE / 2, 3), LENGTHS (2, 2, 0, 1));

  return acc_sequence_new_from_nested (nested);
}

static AccSequence *
map_nested (AccSequence *input, AccElementFunc function)
{
  g_autoptr(AccSequence) owned = input;

  return acc_sequence_map_nested (input, function, NULL);
}

static AccSequence *
batch_nested (AccSequence *input, gint64 n)
{
  g_autoptr(AccSequence) owned = input;

  return acc_sequence_batch_nested (input, n);
}

static GObject *
mapped_rows (GObject **e, guint n, gpointer data)
{
  return G_OBJECT (acc_nested_array_map (ACC_NESTED_ARRAY (e[0]), mapped, NULL));
}
/* In one vector, which has to be in memory. */
static GObject *
scanned_values (GObject **e, guint n, gpointer data)
{
  g_autoptr(AccArray) flat = acc_nested_array_flatten (ACC_NESTED_ARRAY (e[0]));

  return G_OBJECT (acc_array_scanl1 (flat, plus, NULL));
}
static GObject *
summed_values (GObject **e, guint n, gpointer data)
{
  g_autoptr(AccArray) flat = acc_nested_array_flatten (ACC_NESTED_ARRAY (e[0]));

  return G_OBJECT (summed (&flat, 1, NULL));
}

/* --- cases */

/* Of devices that of the host, too. */
static void
limit_memory (guint64 limit)
{
  acc_backend_set_memory_limit (backend, limit);
  acc_backend_set_host_memory_limit (backend, limit);
}

static AccSequence *take_two (void) { return map (take (LIST (5, 7, LARGE, 3), 2), mapped); }
static AccSequence *take_three (void) { return take (map (LIST (5, 7, LARGE, 3), mapped), 3); }
static AccSequence *drop_two (void) { return drop (map (LIST (5, 7, LARGE, 3), mapped), 2); }
static AccSequence *drop_three (void) { return drop (map (LIST (5, 7, LARGE, 3), mapped), 3); }
static AccSequence *take_dropped (void) { return take (drop (map (LIST (5, 7, LARGE, 3), mapped), 1), 1); }
/* Of two arrays, the second. */
static AccSequence *zipped (void) { return zip (LIST (5, 7, 3, 11, LARGE), LIST (1, 1, LARGE, 1)); }
static AccSequence *zip_ends (void) { return zip (LIST (5, 7, 3, 11, LARGE), LIST (1, 1, 2, 1)); }
static AccSequence *zip_both (void) { return zip (LIST (5, LARGE, 3), LIST (1, 1, LARGE)); }
static AccSequence *zip_taken (void) { return zip (take (LIST (5, 7, 3, 11), 2), LIST (1, 1, LARGE, 1)); }
static AccSequence *concatenated (void) { return map (concat (LIST (5, 7), LIST (1, LARGE)), mapped); }
static AccSequence *behind (void) { return map (concat (map (LIST (5, 7, LARGE), mapped), LIST (1, 2)), doubled); }
static AccSequence *behind_by_values (void) { return map (concat (map (LIST (LARGE, 7), copied), LIST (2)), missing); }
static AccSequence *batched (void) { return map (batch (rows_in_memory (64, LARGE / 64), 64), mapped); }
static AccSequence *short_batches (void) { return map (batch (rows_in_memory (64, LARGE / 64), 8), summed); }
static AccSequence *
ended (void)
{
  g_autoptr(AccSequence) some = LIST (5, LARGE), ends = acc_sequence_take_while (some, never, NULL);

  return acc_sequence_map (ends, mapped, NULL);
}
static AccSequence *dropped_rows (void) { return map (drop (rows_of_file (), ROWS - 2), mapped); }
static AccSequence *dropped_records (void) { return map (drop (records (), ROWS - 2), mapped); }
static AccSequence *dropped_windows (void) { return map (drop (windows_of (open_file ()), ROWS - 2), mapped); }
static AccSequence *dropped_windows_in_memory (void) { return map (drop (windows_of (in_memory ()), ROWS - 2), mapped); }
static AccSequence *no_rows (void) { return map (drop (rows_of_file (), ROWS), mapped); }
static AccSequence *by_values (void) { return map (rows_of_file (), missing); }
static AccSequence *sums_of_rows (void) { return map (drop (rows_of_file (), ROWS - 2), summed); }

/* Several rows at a time: what reads them leaves room. */
static AccSequence *batches_of_rows (void) { return map (batch (rows_of_file (), 2), summed); }
static AccSequence *nested_batches_summed (void) { return map_nested (batch_nested (rows_of_file (), 2), summed_values); }
static AccNestedArray *mapped_elements (AccNestedArray *some, gpointer data) { return acc_nested_array_map (some, mapped, NULL); }
static AccSequence *
mapped_batches (void)
{
  g_autoptr(AccSequence) rows = rows_of_file (), made = acc_sequence_map_batches (rows, 2, mapped_elements, NULL);

  return acc_sequence_map (made, summed, NULL);
}

static AccSequence *nested_scanned (void) { return map_nested (documents (), scanned_values); }
static AccSequence *nested_dropped (void) { return map_nested (drop (documents (), 1), scanned_values); }
static AccSequence *nested_before (void) { return map_nested (take (documents (), 1), scanned_values); }
static AccSequence *nested_behind (void) { return map_nested (drop (documents (), 2), scanned_values); }
static AccSequence *nested_sums (void) { return map_nested (map_nested (documents (), mapped_rows), summed_values); }
static AccSequence *nested_batches_of_rows (void) { return map_nested (batch_nested (drop (rows_of_file (), 1), 2), scanned_values); }
static AccSequence *
nested_batches (void)
{
  g_autoptr(AccNestedArray) nested = make_nested (LENGTHS (5, 7, 3, LARGE, LARGE), LENGTHS (5));
  g_autoptr(AccNestedArray) only = acc_nested_array_dup_nested (nested, 0), all = acc_backend_run_nested (judge, only, NULL, NULL);

  return map_nested (batch_nested (acc_sequence_new_from_nested (all), 3), scanned_values);
}

/* Several that are large: what was made of the first ones is there while others are computed. */
static AccArray *scanned (AccArray **a, guint n, gpointer data) { return acc_array_cumsum (a[0]); }
static AccArray *added (AccArray **a, guint n, gpointer data) { return acc_array_add (a[0], a[1]); }
static AccSequence *many (void) { return LIST (LARGE / 2, LARGE, LARGE, 7, LARGE, LARGE / 3, LARGE); }
static AccSequence *many_mapped (void) { return map (many (), mapped); }
static AccSequence *many_doubled (void) { return map (many (), doubled); }
static AccSequence *many_scanned (void) { return map (many (), scanned); }
static AccSequence *many_twice (void) { return map (map (many (), scanned), doubled); }
static AccSequence *
many_states (void)
{
  g_autoptr(AccSequence) rows = rows_of_file ();
  g_autoptr(AccArray) zero = make_array ((const gint64[]) { LARGE }, 1);

  return acc_sequence_scan (rows, zero, added, NULL);
}
static AccSequence *
many_nested (void)
{
  g_autoptr(AccNestedArray) nested = make_nested (LENGTHS (LARGE / 2, 7, LARGE, LARGE, 5, LARGE), LENGTHS (2, 3, 1));
  g_autoptr(AccNestedArray) all = acc_backend_run_nested (judge, nested, NULL, NULL);

  return map_nested (acc_sequence_new_from_nested (all), scanned_values);
}

static const struct {
  const char   *name;
  AccSequence *(*make) (void);
  gint64        element;   /* that has no room; -1: all have */
  gint64        bytes;
  guint64       limit;
} cases[] = {
  { "take/before", take_two, -1, 0, BYTES / 2 },
  { "take/with", take_three, 2, BYTES, BYTES / 2 },
  { "drop/with", drop_two, 0, BYTES, BYTES / 2 },
  { "drop/behind", drop_three, -1, 0, BYTES / 2 },
  { "drop/taken", take_dropped, -1, 0, BYTES / 2 },
  { "zip/second", zipped, 2, BYTES + 12, BYTES / 2 },
  { "zip/ends", zip_ends, -1, 0, BYTES / 2 },
  { "zip/both", zip_both, 2, BYTES + 12, BYTES / 2 },
  { "zip/taken", zip_taken, -1, 0, BYTES / 2 },
  { "concat", concatenated, 3, BYTES, BYTES / 2 },
  { "behind/larger", behind, 2, BYTES, BYTES * 3 / 2 },
  { "behind/by-values", behind_by_values, -1, 0, BYTES * 4 },
  { "batch/full", batched, 0, BYTES, BYTES / 2 },
  { "batch/short", short_batches, -1, 0, BYTES / 2 },
  { "take-while", ended, -1, 0, BYTES / 2 },
  { "rows", dropped_rows, 0, BYTES, BYTES / 2 },
  { "records", dropped_records, 0, BYTES, BYTES / 2 },
  { "windows/source", dropped_windows, 0, BYTES, BYTES / 2 },
  { "windows/memory", dropped_windows_in_memory, 0, BYTES, BYTES / 2 },
  { "rows/none", no_rows, -1, 0, BYTES / 2 },
  { "rows/by-values", by_values, -1, 0, BYTES * 4 },
  { "rows/sums", sums_of_rows, -1, 0, BYTES / 2 },
  { "rows/batches", batches_of_rows, -1, 0, 5 * BYTES },
  { "rows/nested-batches", nested_batches_summed, -1, 0, 5 * BYTES },
  { "rows/mapped-batches", mapped_batches, -1, 0, 8 * BYTES },
  { "nested/scanned", nested_scanned, 1, BYTES, BYTES / 2 },
  { "nested/dropped", nested_dropped, 0, BYTES, BYTES / 2 },
  { "nested/before", nested_before, -1, 0, BYTES / 2 },
  { "nested/behind", nested_behind, -1, 0, BYTES / 2 },
  { "nested/sums", nested_sums, -1, 0, BYTES / 2 },
  { "nested/batches-of-rows", nested_batches_of_rows, 0, 2 * BYTES, BYTES },
  { "nested/batches", nested_batches, 1, 2 * BYTES, BYTES },
  { "many/mapped", many_mapped, -1, 0, 256 * BYTES },
  { "many/doubled", many_doubled, -1, 0, 256 * BYTES },
  { "many/scanned", many_scanned, -1, 0, 256 * BYTES },
  { "many/twice", many_twice, -1, 0, 256 * BYTES },
  { "many/states", many_states, -1, 0, 256 * BYTES },
  { "many/nested", many_nested, -1, 0, 256 * BYTES },
};

static void
assert_refused (const GError *error, gint64 element, gint64 bytes)
{
  g_autofree char *wanted = g_strdup_printf ("element %" G_GINT64_FORMAT " of %" G_GINT64_FORMAT " bytes, alone: ", element, bytes);

  g_assert_error (error, ACC_ERROR, ACC_ERROR_OUT_OF_MEMORY);
  if (strstr (error->message, wanted) == NULL)
    g_error ("%s", error->message);
}

static void
test_case (gconstpointer number)
{
  guint c = GPOINTER_TO_UINT (number);
  g_autoptr(AccSequence) sequence = cases[c].make ();
  g_autoptr(AccArray) all = acc_sequence_elements (sequence);
  g_autoptr(AccJob) job = NULL;
  g_autoptr(GError) error = NULL;

  limit_memory (cases[c].limit);
  job = acc_backend_start_run (backend, all, NULL);
  acc_job_wait (job, &error);
  limit_memory (0);
  if (cases[c].element < 0)
    {
      g_assert_no_error (error);
      return;
    }
  assert_refused (error, cases[c].element, cases[c].bytes);
  g_assert_cmpuint (acc_job_get_elements_done (job), ==, 0);
}

/* No limit refuses what a smaller one did not. */
static void
test_growing (gconstpointer number)
{
  guint c = GPOINTER_TO_UINT (number);
  guint64 ran = 0;

  for (guint64 limit = BYTES / 8; limit < 16 * BYTES; limit += limit / 5)
    {
      g_autoptr(AccSequence) sequence = cases[c].make ();
      g_autoptr(AccArray) all = acc_sequence_elements (sequence), result = NULL;
      g_autoptr(GError) error = NULL;

      limit_memory (limit);
      result = acc_backend_run (backend, all, NULL, &error);
      limit_memory (0);
      if (error != NULL)
        g_assert_error (error, ACC_ERROR, ACC_ERROR_OUT_OF_MEMORY);
      if (result != NULL)
        ran = limit;
      else if (ran > 0)
        g_test_fail_printf ("%s: refused within %" G_GUINT64_FORMAT ", not within %" G_GUINT64_FORMAT ": %s", cases[c].name, limit, ran,
                            error->message);
    }
}

/* --- elements one by one */

/* Who takes them may end before one that has no room: only the first is certain. */
static void
test_iterate (void)
{
  g_autoptr(AccSequence) some = take_three (), rows = dropped_rows ();
  g_autoptr(AccSequenceIterator) of_some = acc_sequence_iterate (some, backend), of_rows = acc_sequence_iterate (rows, backend);
  g_autoptr(AccJob) job = acc_sequence_iterator_get_job (of_rows);
  g_autoptr(GError) error = NULL, other = NULL;

  limit_memory (BYTES / 2);
  for (guint i = 0; i < 2; i++)
    {
      g_autoptr(AccArray) element = acc_sequence_iterator_next (of_some, NULL, &error);

      g_assert_no_error (error);
      g_assert_nonnull (element);
    }
  g_assert_null (acc_sequence_iterator_next (of_some, NULL, &error));
  assert_refused (error, 2, BYTES);
  g_assert_null (acc_sequence_iterator_next (of_rows, NULL, &other));
  assert_refused (other, 0, BYTES);
  g_assert_cmpuint (acc_job_get_elements_done (job), ==, 0);
  limit_memory (0);
}

static AccSink *
count_calls (gint64 number, gpointer n)
{
  ++*(guint *) n;

  return NULL;
}

static void
test_write (void)
{
  g_autoptr(AccSequence) some = take_three ();
  g_autoptr(GError) error = NULL;
  guint n = 0;

  limit_memory (BYTES / 2);
  g_assert_false (acc_sequence_write_each (some, backend, count_calls, &n, NULL, &error));
  limit_memory (0);
  assert_refused (error, 2, BYTES);
  g_assert_cmpuint (n, ==, 0);
}

/* --- larger and larger limits */

static AccArray *
sum_of (AccArray *array)
{
  return acc_array_fold_all (array, acc_expr_cast (acc_expr_new_int (0), acc_array_get_element_type (array)), plus, NULL);
}

static AccArray *
first_of_sorted (AccArray **a, guint n, gpointer data)
{
  g_autoptr(AccArray) sorted = acc_array_sort (a[0], TRUE), some = acc_array_take (sorted, 3);

  return acc_array_map (some, twice, NULL);
}

static AccArray *
sum_of_sums (AccArray **a, guint n, gpointer data)
{
  g_autoptr(AccArray) sums = acc_array_scanl1 (a[0], plus, NULL);

  return sum_of (sums);
}

static AccArray *
sum_of_turned (AccArray **a, guint n, gpointer data)
{
  g_autoptr(AccShape) shape = acc_shape_new_matrix (LARGE / 64, 64);
  g_autoptr(AccArray) matrix = acc_array_reshape (a[0], shape), turned = acc_array_transpose (matrix),
    sums = acc_array_scanl1 (turned, plus, NULL);

  return sum_of (sums);
}

static void
assert_same (AccArray *result, AccArray *expected)
{
  g_autoptr(GError) error = NULL;
  g_autoptr(GBytes) bytes = acc_array_dup_bytes (result, 0, &error), wanted = acc_array_dup_bytes (expected, 0, NULL);

  g_assert_no_error (error);
  g_assert_true (g_bytes_equal (bytes, wanted));
}

/* What reads rows ahead leaves the memory to functions that want it, as do elements that wait: where some limit has room, so has a
 * larger one. */
static void
test_sweep (void)
{
  static AccArray *(*const functions[]) (AccArray **a, guint n, gpointer data) = { mapped, summed, first_of_sorted, sum_of_sums,
                                                                                   sum_of_turned };
  /* Others interpret kernels. */
  guint64 part = g_str_equal (acc_backend_get_name (backend), "native") ? 9 : 1;
  gint64 none = 0;

  for (guint i = 0; i < G_N_ELEMENTS (functions); i++)
    {
      gboolean is_vector = functions[i] == mapped || functions[i] == first_of_sorted;
      g_autoptr(AccArray) otherwise = make_array (&none, is_vector ? 1 : 0);
      g_autoptr(AccArray) expected = NULL;
      g_autoptr(GError) error = NULL;
      guint64 least = 0;

      for (guint64 limit = BYTES / 4; limit < 24 * BYTES; limit += limit / part)
        {
          g_autoptr(AccSequence) rows = rows_of_file (), made = acc_sequence_map (rows, functions[i], NULL);
          g_autoptr(AccArray) last = acc_sequence_last (made, otherwise), result = NULL;

          if (expected == NULL)
            expected = acc_backend_run (backend, last, NULL, &error);
          g_assert_no_error (error);
          limit_memory (limit);
          result = acc_backend_run (backend, last, NULL, &error);
          limit_memory (0);
          if (result == NULL && least == 0)
            {
              g_assert_error (error, ACC_ERROR, ACC_ERROR_OUT_OF_MEMORY);
              g_clear_error (&error);
              continue;
            }
          if (error != NULL)
            g_error ("function %u within %" G_GUINT64_FORMAT ", where %" G_GUINT64_FORMAT " had room: %s", i, limit, least,
                     error->message);
          if (least == 0)
            g_test_message ("function %u: %" G_GUINT64_FORMAT, i, limit);
          least = least > 0 ? least : limit;
          assert_same (result, expected);
        }
      g_assert_cmpuint (least, >, 0);
      g_assert_cmpuint (least, <=, 8 * BYTES);
    }
}

/* --- */

static void
write_file (void)
{
  g_autoptr(AccArray) array = in_memory ();
  g_autoptr(GError) error = NULL;
  g_autoptr(GFile) file = NULL;
  g_autoptr(AccSink) sink = NULL;
  g_autofree char *folder = g_dir_make_tmp ("acc-room-XXXXXX", &error);

  g_assert_no_error (error);
  file_name = g_build_filename (folder, "rows.npy", NULL);
  file = g_file_new_for_path (file_name);
  sink = acc_sink_create (file, NULL, &error);
  g_assert_no_error (error);
  acc_backend_write (judge, array, sink, NULL, &error);
  g_assert_no_error (error);
}

static void
remove_file (void)
{
  g_autofree char *folder = g_path_get_dirname (file_name);

  g_unlink (file_name);
  g_rmdir (folder);
  g_free (file_name);
}

int
main (int argc, char *argv[])
{
  gboolean grows = g_getenv ("ACC_TEST_LIMITS") != NULL;
  int status;

  g_test_init (&argc, &argv, NULL);
  if (!open_backends ("native"))
    return 0;

  write_file ();
  for (guint i = 0; i < G_N_ELEMENTS (cases); i++)
    {
      g_autofree char *path = g_strdup_printf ("/sequence/room/%s", cases[i].name);

      if (!grows)
        g_test_add_data_func (path, GUINT_TO_POINTER (i), test_case);
      else
        g_test_add_data_func (path, GUINT_TO_POINTER (i), test_growing);
    }
  if (!grows)
    {
      g_test_add_func ("/sequence/room/iterate", test_iterate);
      g_test_add_func ("/sequence/room/write-each", test_write);
    }
  g_test_add_func ("/sequence/room/sweep", test_sweep);
  status = run_tests ();
  remove_file ();

  return status;
}
