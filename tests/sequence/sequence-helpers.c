/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "sequence-helpers.h"

#include "acc-seq/stream/acc-evaluate-private.h"

#include <string.h>

AccBackend *backend, *judge;
gboolean is_quick;
const gint64 steps[N_ALL_STEPS] = { 0, 7, 1, 2, 13, 1000 };

/* --- elements */

AccExpr *i8 (gint64 x) { return acc_expr_new_typed_int (acc_element_type_new (ACC_KIND_I64), x); }

AccArray *
use (AccShape *shape, const gint64 *values)
{
  g_autoptr(GBytes) bytes = g_bytes_new (values, (gsize) acc_shape_get_size (shape) * sizeof (gint64));

  return acc_array_use (acc_element_type_new (ACC_KIND_I64), shape, bytes);
}

#define MAX_ELEMENT_RANK 3

/* Of some length and with some content, that follow from @number. */
static AccArray *
make_element (gint64 number, guint rank, gboolean same)
{
  gint64 lengths[] = { 3, 0, 1, 5, 2, 40 }, extents[MAX_ELEMENT_RANK];
  g_autoptr(AccShape) shape = NULL;
  g_autofree gint64 *values = NULL;
  gint64 size = 1;

  g_assert_cmpuint (rank, <=, MAX_ELEMENT_RANK);
  extents[0] = same ? 3 : lengths[number % 6];
  extents[1] = same ? 2 : lengths[number / 2 % 6] % 4;
  extents[2] = same ? 2 : lengths[(number + 3) % 6] % 3;
  shape = acc_shape_new (extents, rank);
  size = acc_shape_get_size (shape);
  values = g_new (gint64, size + 1);
  for (gint64 i = 0; i < size; i++)
    values[i] = (number * 7919 + i * 104729) % 1009 - 300;

  return use (shape, values);
}

GPtrArray *
new_list (void)
{
  return g_ptr_array_new_with_free_func (g_object_unref);
}

GPtrArray *
make_elements (gint64 n, guint rank, gboolean same)
{
  GPtrArray *elements = new_list ();

  for (gint64 i = 0; i < n; i++)
    g_ptr_array_add (elements, make_element (i, rank, same));

  return elements;
}

AccArray *
run (AccBackend *b, AccArray *array)
{
  g_autoptr(GError) error = NULL;
  AccArray *result = acc_backend_run (b, array, NULL, &error);

  if (result == NULL)
    g_error ("run: %s", error->message);

  return result;
}

gboolean
same_array (AccArray *a, AccArray *b)
{
  g_autoptr(AccArray) first = run (judge, a), second = run (judge, b);
  g_autoptr(GBytes) x = NULL, y = NULL;

  if (acc_array_get_element_type (first) != acc_array_get_element_type (second)
      || !acc_shape_equal (acc_array_get_shape (first), acc_array_get_shape (second)))
    return FALSE;
  x = acc_array_dup_bytes (first, 0, NULL);
  y = acc_array_dup_bytes (second, 0, NULL);

  return g_bytes_equal (x, y);
}

/* Its values, one after the other. */
char *
print (AccArray *array)
{
  g_autoptr(GBytes) bytes = acc_array_dup_bytes (array, 0, NULL);
  const gint64 *values = g_bytes_get_data (bytes, NULL);
  GString *text = g_string_new (NULL);

  for (gsize i = 0; i < g_bytes_get_size (bytes) / 8; i++)
    g_string_append_printf (text, "%s%" G_GINT64_FORMAT, i > 0 ? " " : "", values[i]);

  return g_string_free (text, FALSE);
}

/* --- a producer of some at a time */

G_DEFINE_FINAL_TYPE (TestProducer, test_producer, ACC_TYPE_SEQUENCE_PRODUCER)

static AccNestedArray *
test_producer_read (AccSequenceProducer *producer, gint64 max_elements, gint64 max_values, GCancellable *cancellable, GError **error)
{
  TestProducer *self = TEST_PRODUCER (producer);
  gint64 n = MIN (MIN (max_elements, self->at_most), self->elements->len - self->next), values = 0;
  g_autoptr(AccNestedArray) nested = NULL;

  if (self->next >= self->fails_at)
    {
      g_set_error (error, ACC_ERROR, ACC_ERROR_IO, "out of order");
      return NULL;
    }
  if (n == 0)
    return NULL;

  for (gint64 i = 0; i < n; i++)
    {
      values += acc_shape_get_size (acc_array_get_shape (g_ptr_array_index (self->elements, self->next + i)));
      if (values > max_values && i > 0)
        n = i;
    }
  nested = acc_nested_array_new_from_arrays ((AccArray **) self->elements->pdata + self->next, (guint) n);
  self->next += n;

  return acc_backend_run_nested (judge, nested, cancellable, error);
}

static gboolean
test_producer_rewind (AccSequenceProducer *producer, GError **error)
{
  TEST_PRODUCER (producer)->next = 0;

  return TRUE;
}

static char *
test_producer_describe (AccSequenceProducer *producer, gint64 element)
{
  return g_strdup_printf ("drawer %d", (int) element);
}

static void
test_producer_finalize (GObject *object)
{
  g_ptr_array_unref (TEST_PRODUCER (object)->elements);
  G_OBJECT_CLASS (test_producer_parent_class)->finalize (object);
}

static void
test_producer_class_init (TestProducerClass *klass)
{
  G_OBJECT_CLASS (klass)->finalize = test_producer_finalize;
  ACC_SEQUENCE_PRODUCER_CLASS (klass)->read = test_producer_read;
  ACC_SEQUENCE_PRODUCER_CLASS (klass)->rewind = test_producer_rewind;
  ACC_SEQUENCE_PRODUCER_CLASS (klass)->describe = test_producer_describe;
}

static void
test_producer_init (TestProducer *self)
{
  self->fails_at = G_MAXUINT;
}

AccSequence *
new_produced (GPtrArray *elements, guint rank, guint at_most, guint fails_at)
{
  g_autoptr(TestProducer) producer = g_object_new (TEST_TYPE_PRODUCER, "element-type", acc_element_type_new (ACC_KIND_I64), "rank", rank,
                                                   NULL);

  producer->elements = g_ptr_array_ref (elements);
  producer->at_most = at_most;
  producer->fails_at = fails_at;

  return acc_sequence_new (ACC_SEQUENCE_PRODUCER (producer));
}

/* --- functions */

AccExpr *plus (AccExpr *x, AccExpr *y, gpointer data) { return acc_expr_add (x, y); }
AccExpr *doubled (AccExpr *x, gpointer data) { return acc_expr_add (x, x); }
static AccExpr *is_positive (AccExpr *x, gpointer data) { return acc_expr_gt (x, i8 (0)); }

AccArray *flat_sum (AccArray *a) { return acc_array_fold_all (a, i8 (0), plus, NULL); }
AccArray *f_sum (AccArray **a, guint n, gpointer data) { return flat_sum (a[0]); }
AccArray *f_flat (AccArray **a, guint n, gpointer data) { return acc_array_flatten (a[0]); }
AccArray *
f_positive (AccArray **a, guint n, gpointer data)
{
  g_autoptr(AccArray) total = flat_sum (a[0]);

  return acc_array_map (total, is_positive, NULL);
}
AccArray *
f_join (AccArray **a, guint n, gpointer data)
{
  g_autoptr(AccArray) x = acc_array_flatten (a[0]), y = acc_array_flatten (a[1]);

  return acc_array_concat (x, y);
}
AccExpr *plus_the (AccExpr *x, gpointer number) { return acc_expr_add (x, acc_expr_the (number)); }
AccArray *
f_state (AccArray **a, guint n, gpointer data)
{
  g_autoptr(AccArray) total = flat_sum (a[1]), twice = acc_array_map (a[0], doubled, NULL);

  return acc_array_zip_with (twice, total, plus, NULL);
}

AccArray *f_add (AccArray **a, guint n, gpointer data) { return acc_array_zip_with (a[0], a[1], plus, NULL); }
AccExpr *times (AccExpr *x, AccExpr *y, gpointer data) { return acc_expr_mul (x, y); }
AccArray *f_times (AccArray **a, guint n, gpointer data) { return acc_array_zip_with (a[0], a[0], times, NULL); }

AccArray *
zero (void)
{
  gint64 number = 0;
  g_autoptr(AccShape) scalar = acc_shape_new_scalar ();

  return use (scalar, &number);
}

void
expect_results (AccArray **arrays, guint n_arrays, const char **expected)
{
  for (guint i = 0; i < N_STEPS; i++)
    {
      g_autoptr(GError) error = NULL;
      g_autoptr(GPtrArray) results = acc_evaluate_with_chunk_rows (backend, arrays, n_arrays, steps[i], NULL, &error);

      g_assert_no_error (error);
      for (guint j = 0; j < n_arrays; j++)
        {
          g_autofree char *text = print (results->pdata[j]);

          g_assert_cmpstr (text, ==, expected[j]);
          g_assert_cmpuint (acc_array_get_rank (results->pdata[j]), ==, acc_array_get_rank (arrays[j]));
        }
    }
}

void
expect_error (AccArray *array, gint64 step, AccError code, const char *words)
{
  g_autoptr(GError) error = NULL;
  g_autoptr(GPtrArray) results = acc_evaluate_with_chunk_rows (backend, &array, 1, step, NULL, &error);

  g_assert_null (results);
  if (!g_error_matches (error, ACC_ERROR, (gint) code) || strstr (error->message, words) == NULL)
    g_error ("“%s” (%d) in place of “%s” (%u)", error->message, error->code, words, code);
}
