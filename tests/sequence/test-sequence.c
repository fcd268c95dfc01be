/* SPDX-License-Identifier: LGPL-2.1-or-later */

/* Sequences, walked in steps of any size, against the same functions on each element by itself. */

#include "sequence-helpers.h"

#include "acc-core/backend/acc-backend-private.h"
#include "acc-seq/stream/acc-evaluate-private.h"

#include <stdio.h>
#include <string.h>

/* --- what a sequence ends in, in steps of each size */

static void
compare (AccSequence *sequence, GPtrArray *expected, gint64 step, const char *what)
{
  g_autoptr(AccSequence) flat = acc_sequence_map (sequence, f_flat, NULL);
  g_autoptr(AccShape) nothing = acc_shape_new_vector (0);
  g_autoptr(AccArray) empty = use (nothing, NULL);
  g_autoptr(AccArray) count = acc_sequence_count (sequence), lengths = acc_sequence_lengths (sequence);
  g_autoptr(AccArray) elements = acc_sequence_elements (sequence), joined = acc_sequence_fold (flat, empty, f_join, NULL);
  g_autoptr(AccNestedArray) nested = acc_sequence_to_nested (sequence);
  AccArray *arrays[] = { count, lengths, elements, joined, acc_nested_array_get_values (nested), acc_nested_array_get_offsets (nested) };
  g_autoptr(GError) error = NULL;
  g_autoptr(GPtrArray) results = acc_evaluate_with_chunk_rows (backend, arrays, G_N_ELEMENTS (arrays), step, NULL, &error);
  g_autoptr(GPtrArray) all = new_list ();
  g_autoptr(GBytes) bytes = NULL;

  if (results == NULL)
    g_error ("%s, steps of %d: %s", what, (int) step, error->message);

  bytes = acc_array_dup_bytes (results->pdata[0], 0, NULL);
  g_assert_cmpint (*(const gint64 *) g_bytes_get_data (bytes, NULL), ==, expected->len);
  g_clear_pointer (&bytes, g_bytes_unref);

  bytes = acc_array_dup_bytes (results->pdata[1], 0, NULL);
  g_assert_cmpuint (g_bytes_get_size (bytes), ==, expected->len * 8);
  for (guint i = 0; i < expected->len; i++)
    {
      g_assert_cmpint (((const gint64 *) g_bytes_get_data (bytes, NULL))[i], ==,
                       acc_shape_get_size (acc_array_get_shape (expected->pdata[i])));
      g_ptr_array_add (all, acc_array_flatten (expected->pdata[i]));
    }

  {
    g_autoptr(AccArray) expected_all = g_object_ref (empty);

    for (guint i = 0; i < all->len; i++)
      {
        g_autoptr(AccArray) longer = acc_array_concat (expected_all, all->pdata[i]);

        g_set_object (&expected_all, longer);
      }
    if (!same_array (results->pdata[2], expected_all))
      g_error ("%s, steps of %d: elements differ", what, (int) step);
    if (!same_array (results->pdata[3], expected_all))
      g_error ("%s, steps of %d: the fold differs", what, (int) step);
  }

  /* One run computes it whole, the other element by element. */
  if (step == 0)
    {
      g_autoptr(AccNestedArray) computed = acc_backend_run_nested (backend, nested, NULL, &error);

      g_assert_no_error (error);
      for (guint i = 0; i < expected->len; i++)
        {
          g_autoptr(AccArray) element = acc_nested_array_dup_element (computed, i);

          if (!same_array (element, expected->pdata[i]))
            g_error ("%s: element %u differs", what, i);
        }
    }
}

/* One by one. */
static void
compare_iterated (AccSequence *sequence, GPtrArray *expected, const char *what)
{
  g_autoptr(AccSequenceIterator) iterator = acc_sequence_iterate (sequence, backend);
  g_autoptr(GError) error = NULL;

  for (guint i = 0; i <= expected->len; i++)
    {
      g_autoptr(AccArray) element = acc_sequence_iterator_next (iterator, NULL, &error);

      g_assert_no_error (error);
      if ((element != NULL) != (i < expected->len) || (element != NULL && !same_array (element, expected->pdata[i])))
        g_error ("%s: element %u differs where elements are iterated over", what, i);
    }
  g_assert_null (acc_sequence_iterator_next (iterator, NULL, &error));
}

static void
check_case (guint which, GPtrArray *elements, AccSequence *sequence, const char *source)
{
  g_autoptr(GPtrArray) expected = cases[which].loop (elements);
  g_autoptr(AccSequence) built = cases[which].build (sequence);
  g_autofree char *what = g_strdup_printf ("%s of %s", cases[which].name, source);

  for (guint i = 0; i < N_STEPS; i++)
    compare (built, expected, steps[i], what);
  compare_iterated (built, expected, what);
}

static AccExpr *halved (AccExpr *x, gpointer data) { return acc_expr_div (x, i8 (2)); }

/* The same as a file, whose rows are read when they are wanted. */
static void
check_source (guint which, GPtrArray *elements, AccArray *array)
{
  g_autoptr(AccArray) held = run (judge, array);
  g_autoptr(GFileIOStream) stream = NULL;
  g_autoptr(GFile) file = g_file_new_tmp ("acc-sequence-XXXXXX", &stream, NULL);
  g_autoptr(GBytes) bytes = acc_array_dup_bytes (held, 0, NULL);
  g_autoptr(AccSource) source = NULL;
  g_autoptr(AccArray) read = NULL, twice = NULL, same = NULL;
  g_autoptr(AccSequence) sequence = NULL;
  g_autoptr(GError) error = NULL;

  g_assert_true (g_file_replace_contents (file, g_bytes_get_data (bytes, NULL), g_bytes_get_size (bytes), NULL, FALSE, 0, NULL, NULL,
                                          &error));
  source = acc_source_open_raw (file, acc_array_get_element_type (held), acc_array_get_shape (held), 0, NULL, &error);
  g_assert_no_error (error);
  read = acc_array_new_from_source (source);
  /* Something is computed on the way. */
  twice = acc_array_map (read, doubled, NULL);
  same = acc_array_map (twice, halved, NULL);
  sequence = acc_sequence_new_from_array (same);
  check_case (which, elements, sequence, "a source");
  g_file_delete (file, NULL, NULL);
}

static void
test_case (gconstpointer data)
{
  guint which = GPOINTER_TO_UINT (data);
  static const gint64 counts[] = { 0, 1, 2, 23 };

  for (guint c = is_quick ? 3 : 0; c < G_N_ELEMENTS (counts); c++)
    for (guint rank = 1; rank <= (is_quick ? 1 : 2); rank++)
      {
        g_autoptr(GPtrArray) different = make_elements (counts[c], rank, FALSE), same = make_elements (counts[c], rank, TRUE);
        g_autofree char *name = g_strdup_printf ("%d of rank %u", (int) counts[c], rank);
        g_autoptr(AccSequence) produced = new_produced (different, rank, 4, G_MAXUINT),
          regular = new_produced (same, rank, G_MAXUINT, G_MAXUINT);

        check_case (which, different, produced, name);
        check_case (which, same, regular, name);
        if (counts[c] > 0)
          {
            g_autoptr(AccNestedArray) nested = acc_nested_array_new_from_arrays ((AccArray **) different->pdata, different->len);
            g_autoptr(AccSequence) held = acc_sequence_new_from_nested (nested);
            g_autoptr(AccNestedArray) rows = acc_nested_array_new_from_arrays ((AccArray **) same->pdata, same->len);
            g_autoptr(AccArray) flat = acc_nested_array_flatten (rows);
            g_autoptr(AccShape) shape = rank == 1 ? acc_shape_new_matrix (counts[c], 3) : acc_shape_new ((gint64[]) { counts[c], 3, 2 }, 3);
            g_autoptr(AccArray) array = acc_array_reshape (flat, shape);
            g_autoptr(AccSequence) parts = acc_sequence_new_from_array (array);

            check_case (which, different, held, "a nested array");
            check_case (which, same, parts, "an array");
            check_source (which, same, array);
          }
      }
}

/* --- any of these, one after the other */

static void
test_random (void)
{
  static const char *const all[] = { "map", "sum", "imap", "filter", "take-while", "take", "drop", "concat", "zip", "neighbours",
                                     "expand" };
  g_autoptr(GRand) rand = g_rand_new_with_seed (20261128);

  for (guint n = 0; n < (is_quick ? 5 : 60); n++)
    {
      guint rank = (guint) g_rand_int_range (rand, 1, 3);
      g_autoptr(GPtrArray) elements = make_elements (g_rand_int_range (rand, 0, 15), rank, g_rand_boolean (rand));
      g_autoptr(AccSequence) sequence = new_produced (elements, rank, (guint) g_rand_int_range (rand, 1, 6), G_MAXUINT);
      GString *what = g_string_new (NULL);

      for (gint k = g_rand_int_range (rand, 1, 5); k > 0; k--)
        {
          const char *name = all[g_rand_int_range (rand, 0, G_N_ELEMENTS (all))];

          for (guint i = 0; i < n_cases; i++)
            {
              g_autoptr(GPtrArray) before = NULL;
              g_autoptr(AccSequence) input = NULL;

              if (strcmp (cases[i].name, name) != 0 || (acc_sequence_get_rank (sequence) == 0 && strcmp (name, "expand") == 0))
                continue;
              before = g_steal_pointer (&elements);
              input = g_steal_pointer (&sequence);
              elements = cases[i].loop (before);
              sequence = cases[i].build (input);
              g_string_append_printf (what, "%s ", name);
            }
        }

      compare (sequence, elements, steps[g_rand_int_range (rand, 0, (gint32) N_STEPS)], what->str);
      compare_iterated (sequence, elements, what->str);
      g_string_free (what, TRUE);
    }
}

int
main (int argc, char **argv)
{
  g_autoptr(GError) error = NULL;
  const char *name = g_getenv ("ACC_TEST_BACKENDS");

  g_test_init (&argc, &argv, NULL);
  judge = acc_backend_new_for_name ("interpreter", &error);
  g_assert_no_error (error);
  backend = acc_backend_new_for_name (name != NULL ? name : "interpreter", &error);
  if (backend == NULL)
    {
      printf ("1..0 # SKIP %s\n", error->message);
      return 0;
    }

  is_quick = g_getenv ("ACC_TEST_EVERY") != NULL
             || (strcmp (acc_backend_get_name (backend), "interpreter") != 0 && strcmp (acc_backend_get_name (backend), "native") != 0
                 && g_getenv ("ACC_TEST_THOROUGH") == NULL);
  for (guint i = 0; i < n_cases; i++)
    {
      g_autofree char *path = g_strdup_printf ("/sequence/%s", cases[i].name);

      g_test_add_data_func (path, GUINT_TO_POINTER (i), test_case);
    }
  g_test_add_func ("/sequence/fold-bits", test_fold_bits);
  g_test_add_func ("/sequence/fold-again", test_fold_again);
  g_test_add_func ("/sequence/fold-exact", test_fold_exact);
  g_test_add_func ("/sequence/fold-rows", test_fold_rows);
  g_test_add_func ("/sequence/endless", test_endless);
  g_test_add_func ("/sequence/known-counts", test_known_counts);
  g_test_add_func ("/sequence/errors", test_errors);
  g_test_add_func ("/sequence/fold-errors", test_fold_errors);
  add_failures ();
  g_test_add_func ("/sequence/cancel", test_cancel);
  g_test_add_func ("/sequence/captured", test_captured);
  g_test_add_func ("/sequence/batches", test_batches);
  g_test_add_func ("/sequence/uneven-batches", test_uneven_batches);
  g_test_add_func ("/sequence/nested-batches", test_nested_batches);
  g_test_add_func ("/sequence/map-batches", test_map_batches);
  g_test_add_func ("/sequence/map-batches/bits", test_map_batches_bits);
  g_test_add_func ("/sequence/map-batches/refused", test_map_batches_refused);
  g_test_add_func ("/sequence/random", test_random);
  g_test_add_func ("/sequence/refused", test_refused);
  g_test_add_func ("/sequence/limit", test_limit);
  g_test_add_func ("/sequence/limit/between", test_limit_between);
  g_test_add_func ("/sequence/limit/rows", test_limit_rows);
  g_test_add_func ("/sequence/gathers", test_gathers);
  g_test_add_func ("/sequence/cancel-walk", test_cancel_walk);
  g_test_add_func ("/sequence/plan", test_plan);
  g_test_add_func ("/sequence/shared", test_shared);
  g_test_add_func ("/sequence/open", test_open);
  g_test_add_func ("/sequence/write-each", test_write_each);
  g_test_add_func ("/sequence/async", test_async);

  return g_test_run ();
}
