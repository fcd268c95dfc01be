/* SPDX-License-Identifier: LGPL-2.1-or-later */

/* Functions of a certain number of consecutive elements, which may have any extents. */

#include "sequence-helpers.h"

#include "acc-seq/stream/acc-evaluate-private.h"

#include <string.h>

static const gint64 sizes[] = { 4, 100, 1, 10, G_MAXINT64 };

/* --- what becomes of them: each element goes where the batch says, and what is made of all of them is the batch's */

static AccNestedArray *reverse (AccNestedArray *some, gpointer data) { return acc_nested_array_reverse (some); }

static AccArray *
f_add_to (AccArray **a, guint n, gpointer total)
{
  return acc_array_map (a[0], plus_the, total);
}

/* All values of the batch are added to each. */
static AccNestedArray *
add_total (AccNestedArray *some, gpointer data)
{
  g_autoptr(AccArray) flat = acc_nested_array_flatten (some), total = acc_array_fold_all (flat, i8 (0), plus, NULL);

  return acc_nested_array_map (some, f_add_to, total);
}

/* One element for each: its sum. */
static AccNestedArray *sums (AccNestedArray *some, gpointer data) { return acc_nested_array_map (some, f_sum, NULL); }

/* Two for each batch, one of which is empty. */
static AccNestedArray *
two_parts (AccNestedArray *some, gpointer data)
{
  g_autoptr(AccArray) flat = acc_nested_array_flatten (some), none = acc_array_take (flat, 0);
  AccArray *parts[] = { flat, none };
  g_autoptr(AccArray) both = acc_array_concat (flat, none), n = acc_array_unit (acc_expr_extent (flat, 0));
  g_autoptr(AccShape) one = acc_shape_new_vector (1);
  g_autoptr(AccArray) first = acc_array_reshape (n, one), zeros = acc_array_fill (one, i8 (0)),
    lengths = acc_array_concat (first, zeros);

  return acc_nested_array_new_from_lengths (parts[0], lengths);
}

typedef enum { REVERSE, ADD_TOTAL, SUMS, TWO_PARTS, N_WORKS } Work;

static const AccNestedArrayFunc functions[] = { reverse, add_total, sums, two_parts };

static gint64
count_values (AccArray *element)
{
  return acc_shape_get_size (acc_array_get_shape (element));
}

static gint64
add_up (AccArray *element)
{
  gint64 sum = 0;

  for (gint64 i = 0; i < count_values (element); i++)
    sum += acc_array_get_int (element, 0, i);

  return sum;
}

static void
append (GString *values, gint64 value)
{
  g_string_append_printf (values, "%s%" G_GINT64_FORMAT, values->len > 0 ? " " : "", value);
}

/* What is to be there, in values and in lengths. */
static void
expect (GPtrArray *elements, gint64 size, Work work, GString *values, GString *lengths)
{
  for (gint64 first = 0; first < elements->len;)
    {
      gint64 n = MIN (size, elements->len - first), total = 0, all = 0;

      for (gint64 k = first; k < first + n; k++)
        {
          total += add_up (elements->pdata[k]);
          all += count_values (elements->pdata[k]);
        }
      for (gint64 k = 0; k < n; k++)
        {
          AccArray *element = elements->pdata[work == REVERSE ? first + n - 1 - k : first + k];

          if (work == SUMS)
            append (values, add_up (element));
          for (gint64 i = 0; i < count_values (element) && work != SUMS; i++)
            append (values, acc_array_get_int (element, 0, i) + (work == ADD_TOTAL ? total : 0));
          if (work != TWO_PARTS)
            append (lengths, work == SUMS ? 1 : count_values (element));
        }
      if (work == TWO_PARTS)
        {
          append (lengths, all);
          append (lengths, 0);
        }
      first += n;
    }
}

static void
check (AccSequence *sequence, GPtrArray *elements, Work work, guint n_sizes)
{
  for (guint s = 0; s < n_sizes; s++)
    {
      g_autoptr(AccSequence) mapped = acc_sequence_map_batches (sequence, sizes[s], functions[work], NULL);
      g_autoptr(GString) values = g_string_new (NULL), lengths = g_string_new (NULL);
      g_autoptr(AccArray) all = acc_sequence_elements (mapped), extents = acc_sequence_lengths (mapped);
      AccArray *arrays[] = { all, extents };
      const char *expected[2];

      expect (elements, sizes[s], work, values, lengths);
      expected[0] = values->str;
      expected[1] = lengths->str;
      expect_results (arrays, 2, expected);
    }
}

void
test_map_batches (void)
{
  for (guint rank = 0; rank <= 2; rank++)
    for (gint64 n = 0; n <= 23; n += 23)
      {
        g_autoptr(GPtrArray) different = make_elements (n, rank, FALSE), same = make_elements (n, rank, TRUE);
        g_autoptr(AccSequence) produced = new_produced (different, rank, 5, G_MAXUINT);

        for (Work work = 0; work < N_WORKS; work++)
          {
            gboolean has_all = rank == 1 && work == REVERSE && !is_quick;

            if ((rank != 1 && work != REVERSE && work != ADD_TOTAL) || (is_quick && rank != 1))
              continue;
            check (produced, different, work, has_all ? G_N_ELEMENTS (sizes) : n == 0 || is_quick ? 1 : 2);
            if (n > 0 && rank > 0 && work == ADD_TOTAL)
              {
                g_autoptr(AccNestedArray) rows = acc_nested_array_new_from_arrays ((AccArray **) same->pdata, same->len);
                g_autoptr(AccSequence) held = acc_sequence_new_from_nested (rows);

                check (held, same, work, 1);
              }
          }
      }
}

/* --- bits that do not show how a walk is cut */

static AccExpr *
third (AccExpr *x, gpointer data)
{
  return acc_expr_fdiv (acc_expr_cast (x, acc_element_type_new (ACC_KIND_F64)), acc_expr_new_float (3));
}

static AccExpr *minus_the (AccExpr *x, gpointer number) { return acc_expr_sub (x, acc_expr_the (number)); }

static AccArray *
f_thirds_of (AccArray **a, guint n, gpointer total)
{
  g_autoptr(AccArray) thirds = acc_array_map (a[0], third, NULL);

  return acc_array_map (thirds, minus_the, total);
}

/* Less what all of the batch comes to. */
static AccNestedArray *
centre (AccNestedArray *some, gpointer data)
{
  g_autoptr(AccArray) flat = acc_nested_array_flatten (some), thirds = acc_array_map (flat, third, NULL),
    total = acc_array_fold_all (thirds, acc_expr_new_float (0), plus, NULL);

  return acc_nested_array_map (some, f_thirds_of, total);
}

static AccArray *
f_draw (AccArray **a, guint n, gpointer data)
{
  g_autoptr(AccShape) two = acc_shape_new_vector (2);

  return acc_array_random_uniform (acc_element_type_new (ACC_KIND_F64), two, 7, 0);
}

static AccNestedArray *draw (AccNestedArray *some, gpointer data) { return acc_nested_array_map (some, f_draw, NULL); }

void
test_map_batches_bits (void)
{
  static const AccNestedArrayFunc both[] = { centre, draw };
  g_autoptr(GPtrArray) elements = make_elements (40, 1, FALSE);
  g_autoptr(AccSequence) produced = new_produced (elements, 1, 7, G_MAXUINT);

  for (guint i = 0; i < G_N_ELEMENTS (both); i++)
    {
      g_autoptr(AccSequence) mapped = acc_sequence_map_batches (produced, 3, both[i], NULL);
      g_autoptr(AccArray) all = acc_sequence_elements (mapped), first = NULL;

      for (guint k = 0; k < N_STEPS; k++)
        {
          g_autoptr(GError) error = NULL;
          g_autoptr(GPtrArray) results = acc_evaluate_with_chunk_rows (backend, &all, 1, steps[k], NULL, &error);

          g_assert_no_error (error);
          if (first == NULL)
            first = g_object_ref (results->pdata[0]);
          g_assert_cmpint (count_values (first), >, 40);
          g_assert_true (same_array (first, results->pdata[0]));
          /* Neighbours draw others. */
          g_assert_cmpfloat (acc_array_get_double (first, 0, 0), !=, acc_array_get_double (first, 0, count_values (first) - 1));
        }
    }
}

/* --- mistakes */

static AccNestedArray *nothing (AccNestedArray *some, gpointer data) { return NULL; }

static AccExpr *over (AccExpr *x, gpointer data) { return acc_expr_quot (i8 (1), acc_expr_sub (x, x)); }
static AccArray *f_fails (AccArray **a, guint n, gpointer data) { return acc_array_map (a[0], over, NULL); }
static AccNestedArray *fail (AccNestedArray *some, gpointer data) { return acc_nested_array_map (some, f_fails, NULL); }

static void
refuse (AccSequence *sequence, gint64 size, AccNestedArrayFunc function, AccError code, const char *words)
{
  g_autoptr(AccSequence) mapped = acc_sequence_map_batches (sequence, size, function, NULL);
  g_autoptr(GError) error = NULL;

  g_assert_false (acc_sequence_check (mapped, &error));
  g_assert_error (error, ACC_ERROR, (int) code);
  g_assert_nonnull (strstr (error->message, "sequence_map_batches"));
  if (strstr (error->message, words) == NULL)
    g_error ("%s", error->message);
}

void
test_map_batches_refused (void)
{
  g_autoptr(GPtrArray) elements = make_elements (10, 1, FALSE);
  g_autoptr(AccSequence) produced = new_produced (elements, 1, 7, G_MAXUINT), failing = NULL;
  g_autoptr(AccArray) all = NULL;

  refuse (produced, 0, reverse, ACC_ERROR_SHAPE, "0 elements are no batch");
  refuse (produced, G_MININT64, reverse, ACC_ERROR_SHAPE, "are no batch");
  refuse (produced, 2, NULL, ACC_ERROR_CALLBACK, "no function was given");
  refuse (produced, 2, nothing, ACC_ERROR_CALLBACK, "returned nothing");

  failing = acc_sequence_map_batches (produced, 4, fail, NULL);
  all = acc_sequence_elements (failing);
  expect_error (all, 0, ACC_ERROR_ARITHMETIC, "map_batches of elements 0 to ");
}
