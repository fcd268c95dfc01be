/* SPDX-License-Identifier: LGPL-2.1-or-later */

/* Sequences, walked in steps of any size, against the same functions on each element by itself. */

#include <acc/acc.h>

#include "acc-core/backend/acc-backend-private.h"
#include "acc-core/data/acc-budget-private.h"
#include "acc-seq/stream/acc-evaluate-private.h"

#include <glib/gstdio.h>
#include <stdio.h>
#include <string.h>

static AccBackend *backend, *judge;
/* Compilers of devices take long for each function and shape. */
static gboolean    is_quick;

/* Elements in a step; 0: as many as the walk likes. */
static const gint64 steps[] = { 0, 7, 1, 2, 13, 1000 };
#define N_STEPS (is_quick ? 2 : G_N_ELEMENTS (steps))

/* --- elements */

static AccExpr *i8 (gint64 x) { return acc_expr_new_typed_int (acc_element_type_new (ACC_KIND_I64), x); }

static AccArray *
use (AccShape *shape, const gint64 *values)
{
  g_autoptr(GBytes) bytes = g_bytes_new (values, (gsize) acc_shape_get_size (shape) * sizeof (gint64));

  return acc_array_use (acc_element_type_new (ACC_KIND_I64), shape, bytes);
}

/* Of some length and with some content, that follow from @number. */
static AccArray *
make_element (gint64 number, guint rank, gboolean same)
{
  gint64 lengths[] = { 3, 0, 1, 5, 2, 40 }, extents[2];
  g_autoptr(AccShape) shape = NULL;
  g_autofree gint64 *values = NULL;
  gint64 size = 1;

  extents[0] = same ? 3 : lengths[number % 6];
  extents[1] = same ? 2 : lengths[number / 2 % 6] % 4;
  shape = acc_shape_new (extents, rank);
  size = acc_shape_get_size (shape);
  values = g_new (gint64, size + 1);
  for (gint64 i = 0; i < size; i++)
    values[i] = (number * 7919 + i * 104729) % 1009 - 300;

  return use (shape, values);
}

static GPtrArray *
make_elements (gint64 n, guint rank, gboolean same)
{
  GPtrArray *elements = g_ptr_array_new_with_free_func (g_object_unref);

  for (gint64 i = 0; i < n; i++)
    g_ptr_array_add (elements, make_element (i, rank, same));

  return elements;
}

static AccArray *
run (AccBackend *b, AccArray *array)
{
  g_autoptr(GError) error = NULL;
  AccArray *result = acc_backend_run (b, array, NULL, &error);

  if (result == NULL)
    g_error ("run: %s", error->message);

  return result;
}

static gboolean
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
static char *
print (AccArray *array)
{
  g_autoptr(GBytes) bytes = acc_array_dup_bytes (array, 0, NULL);
  const gint64 *values = g_bytes_get_data (bytes, NULL);
  GString *text = g_string_new (NULL);

  for (gsize i = 0; i < g_bytes_get_size (bytes) / 8; i++)
    g_string_append_printf (text, "%s%d", i > 0 ? " " : "", (int) values[i]);

  return g_string_free (text, FALSE);
}

/* --- a producer of some at a time */

#define TEST_TYPE_PRODUCER (test_producer_get_type ())
G_DECLARE_FINAL_TYPE (TestProducer, test_producer, TEST, PRODUCER, AccSequenceProducer)

struct _TestProducer {
  AccSequenceProducer parent_instance;

  GPtrArray *elements;
  guint      next;
  guint      at_most;
  guint      fails_at;
};

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

static AccSequence *
new_produced (GPtrArray *elements, guint rank, guint at_most, guint fails_at)
{
  g_autoptr(TestProducer) producer = g_object_new (TEST_TYPE_PRODUCER, "element-type", acc_element_type_new (ACC_KIND_I64), "rank", rank,
                                                   NULL);

  producer->elements = g_ptr_array_ref (elements);
  producer->at_most = at_most;
  producer->fails_at = fails_at;

  return acc_sequence_new (ACC_SEQUENCE_PRODUCER (producer));
}

/* --- functions, and the same in plain loops over elements */

typedef GPtrArray *(*Loop) (GPtrArray *elements);
typedef AccSequence *(*Build) (AccSequence *sequence);

static AccExpr *plus (AccExpr *x, AccExpr *y, gpointer data) { return acc_expr_add (x, y); }
static AccExpr *doubled (AccExpr *x, gpointer data) { return acc_expr_add (x, x); }
static AccExpr *wide (AccExpr *x, gpointer data) { return acc_expr_cast (x, acc_element_type_new (ACC_KIND_I64)); }
static AccArray *f_wide (AccArray **a, guint n, gpointer data) { return acc_array_map (a[0], wide, NULL); }
static AccExpr *halved (AccExpr *x, gpointer data) { return acc_expr_div (x, i8 (2)); }
static AccExpr *is_positive (AccExpr *x, gpointer data) { return acc_expr_gt (x, i8 (0)); }
static AccExpr *is_small (AccExpr *x, gpointer data) { return acc_expr_lt (x, i8 (2500)); }

static AccArray *flat_sum (AccArray *a) { return acc_array_fold_all (a, i8 (0), plus, NULL); }
static AccArray *f_double (AccArray **a, guint n, gpointer data) { return acc_array_map (a[0], doubled, NULL); }
static AccArray *f_sum (AccArray **a, guint n, gpointer data) { return flat_sum (a[0]); }
static AccArray *f_flat (AccArray **a, guint n, gpointer data) { return acc_array_flatten (a[0]); }
static AccArray *
f_positive (AccArray **a, guint n, gpointer data)
{
  g_autoptr(AccArray) total = flat_sum (a[0]);

  return acc_array_map (total, is_positive, NULL);
}
static AccArray *
f_small (AccArray **a, guint n, gpointer data)
{
  g_autoptr(AccArray) total = flat_sum (a[0]);

  return acc_array_map (total, is_small, NULL);
}
static AccArray *
f_join (AccArray **a, guint n, gpointer data)
{
  g_autoptr(AccArray) x = acc_array_flatten (a[0]), y = acc_array_flatten (a[1]);

  return acc_array_concat (x, y);
}
static AccExpr *plus_the (AccExpr *x, gpointer number) { return acc_expr_add (x, acc_expr_the (number)); }
static AccArray *f_add_number (AccArray **a, guint n, gpointer data) { return acc_array_map (a[1], plus_the, a[0]); }
static AccArray *
f_state (AccArray **a, guint n, gpointer data)
{
  g_autoptr(AccArray) total = flat_sum (a[1]), twice = acc_array_map (a[0], doubled, NULL);

  return acc_array_zip_with (twice, total, plus, NULL);
}

static GPtrArray *
new_list (void)
{
  return g_ptr_array_new_with_free_func (g_object_unref);
}

static AccArray *
apply (AccArray *(*f) (AccArray **, guint, gpointer), AccArray *a, AccArray *b)
{
  g_autoptr(AccArray) result = f ((AccArray *[]) { a, b }, b != NULL ? 2 : 1, NULL);

  return run (judge, result);
}

static GPtrArray *
apply_to_each (GPtrArray *elements, AccArray *(*f) (AccArray **, guint, gpointer))
{
  GPtrArray *results = new_list ();

  for (guint i = 0; i < elements->len; i++)
    g_ptr_array_add (results, apply (f, elements->pdata[i], NULL));

  return results;
}

static AccSequence *b_same (AccSequence *s) { return g_object_ref (s); }
static GPtrArray *l_same (GPtrArray *e) { return g_ptr_array_ref (e); }

static AccSequence *b_map (AccSequence *s) { return acc_sequence_map (s, f_double, NULL); }
static GPtrArray *l_map (GPtrArray *e) { return apply_to_each (e, f_double); }

static AccSequence *b_sum (AccSequence *s) { return acc_sequence_map (s, f_sum, NULL); }
static GPtrArray *l_sum (GPtrArray *e) { return apply_to_each (e, f_sum); }

static AccSequence *b_imap (AccSequence *s) { return acc_sequence_imap (s, f_add_number, NULL); }
static GPtrArray *
l_imap (GPtrArray *e)
{
  GPtrArray *r = new_list ();

  for (guint i = 0; i < e->len; i++)
    {
      gint64 number = i;
      g_autoptr(AccShape) scalar = acc_shape_new_scalar ();
      g_autoptr(AccArray) k = use (scalar, &number);

      g_ptr_array_add (r, apply (f_add_number, k, e->pdata[i]));
    }

  return r;
}

static gboolean
is_true (AccArray *flag)
{
  g_autoptr(GBytes) bytes = acc_array_dup_bytes (flag, 0, NULL);

  return *(const guint8 *) g_bytes_get_data (bytes, NULL) != 0;
}

/* Those for which @f is true, or those before the first for which it is not. */
static GPtrArray *
keep (GPtrArray *elements, AccArray *(*f) (AccArray **, guint, gpointer), gboolean ends)
{
  GPtrArray *kept = new_list ();

  for (guint i = 0; i < elements->len; i++)
    {
      g_autoptr(AccArray) flag = apply (f, elements->pdata[i], NULL);

      if (is_true (flag))
        g_ptr_array_add (kept, g_object_ref (elements->pdata[i]));
      else if (ends)
        break;
    }

  return kept;
}

static AccSequence *b_filter (AccSequence *s) { return acc_sequence_filter (s, f_positive, NULL); }
static GPtrArray *l_filter (GPtrArray *e) { return keep (e, f_positive, FALSE); }

static AccSequence *b_take_while (AccSequence *s) { return acc_sequence_take_while (s, f_small, NULL); }
static GPtrArray *l_take_while (GPtrArray *e) { return keep (e, f_small, TRUE); }

static GPtrArray *
part (GPtrArray *e, guint start, guint end)
{
  GPtrArray *r = new_list ();

  for (guint i = start; i < MIN (end, e->len); i++)
    g_ptr_array_add (r, g_object_ref (e->pdata[i]));

  return r;
}

static AccSequence *b_take (AccSequence *s) { return acc_sequence_take (s, 9); }
static GPtrArray *l_take (GPtrArray *e) { return part (e, 0, 9); }
static AccSequence *b_take_none (AccSequence *s) { return acc_sequence_take (s, 0); }
static GPtrArray *l_take_none (GPtrArray *e) { return new_list (); }
static AccSequence *b_drop (AccSequence *s) { return acc_sequence_drop (s, 5); }
static GPtrArray *l_drop (GPtrArray *e) { return part (e, 5, G_MAXUINT); }

static AccSequence *
b_drop_of_map (AccSequence *s)
{
  g_autoptr(AccSequence) mapped = acc_sequence_map (s, f_double, NULL);

  return acc_sequence_drop (mapped, 5);
}
static GPtrArray *
l_drop_of_map (GPtrArray *e)
{
  g_autoptr(GPtrArray) mapped = l_map (e);

  return part (mapped, 5, G_MAXUINT);
}

static AccSequence *
b_take_of_filter (AccSequence *s)
{
  g_autoptr(AccSequence) some = b_filter (s);

  return acc_sequence_take (some, 4);
}
static GPtrArray *
l_take_of_filter (GPtrArray *e)
{
  g_autoptr(GPtrArray) some = l_filter (e);

  return part (some, 0, 4);
}

static AccSequence *
b_concat (AccSequence *s)
{
  g_autoptr(AccSequence) some = b_filter (s), more = b_map (s);

  return acc_sequence_concat (some, more);
}
static GPtrArray *
l_concat (GPtrArray *e)
{
  GPtrArray *some = l_filter (e);
  g_autoptr(GPtrArray) more = l_map (e);

  for (guint i = 0; i < more->len; i++)
    g_ptr_array_add (some, g_object_ref (more->pdata[i]));

  return some;
}

/* Those that are left out with those that are not: neither keeps pace with the other. */
static AccSequence *
b_zip (AccSequence *s)
{
  g_autoptr(AccSequence) some = b_filter (s);

  return acc_sequence_zip_with (some, s, f_join, NULL);
}
static GPtrArray *
l_zip (GPtrArray *e)
{
  g_autoptr(GPtrArray) some = l_filter (e);
  GPtrArray *r = new_list ();

  for (guint i = 0; i < some->len; i++)
    g_ptr_array_add (r, apply (f_join, some->pdata[i], e->pdata[i]));

  return r;
}

static AccSequence *
b_neighbours (AccSequence *s)
{
  g_autoptr(AccSequence) later = acc_sequence_drop (s, 1);

  return acc_sequence_zip_with (s, later, f_join, NULL);
}
static GPtrArray *
l_neighbours (GPtrArray *e)
{
  GPtrArray *r = new_list ();

  for (guint i = 0; i + 1 < e->len; i++)
    g_ptr_array_add (r, apply (f_join, e->pdata[i], e->pdata[i + 1]));

  return r;
}

static AccArray *
zero (void)
{
  gint64 number = 0;
  g_autoptr(AccShape) scalar = acc_shape_new_scalar ();

  return use (scalar, &number);
}

static AccSequence *
b_scan (AccSequence *s)
{
  g_autoptr(AccArray) state = zero ();

  return acc_sequence_scan (s, state, f_state, NULL);
}
static GPtrArray *
l_scan (GPtrArray *e)
{
  GPtrArray *r = new_list ();
  g_autoptr(AccArray) state = zero ();

  for (guint i = 0; i < e->len; i++)
    {
      g_autoptr(AccArray) next = apply (f_state, state, e->pdata[i]);

      g_ptr_array_add (r, g_object_ref (next));
      g_set_object (&state, next);
    }

  return r;
}

/* A running sum, and the element before, of which both change: s + before; gives the sum and the element one behind the other. */
static GPtrArray *
f_states (AccArray **a, guint n, gpointer data)
{
  GPtrArray *results = g_ptr_array_new_with_free_func (g_object_unref);
  g_autoptr(AccArray) total = flat_sum (a[2]);
  g_autoptr(AccShape) one = acc_shape_new_vector (1);
  g_autoptr(AccArray) sum = acc_array_zip_with (a[0], total, plus, NULL), row = acc_array_reshape (sum, one);

  g_assert_cmpuint (n, ==, 3);
  g_ptr_array_add (results, g_steal_pointer (&sum));
  g_ptr_array_add (results, f_flat (&a[2], 1, NULL));
  g_ptr_array_add (results, acc_array_concat (row, a[1]));

  return results;
}

static AccSequence *
b_scan_many (AccSequence *s)
{
  g_autoptr(AccShape) nothing = acc_shape_new_vector (0);
  g_autoptr(AccArray) sum = zero (), before = use (nothing, NULL);

  return acc_sequence_scan_many (s, (AccArray *[]) { sum, before }, 2, f_states, NULL);
}
static GPtrArray *
l_scan_many (GPtrArray *e)
{
  GPtrArray *r = new_list ();
  g_autoptr(AccShape) nothing = acc_shape_new_vector (0);
  g_autoptr(AccArray) sum = zero (), before = use (nothing, NULL);

  for (guint i = 0; i < e->len; i++)
    {
      g_autoptr(GPtrArray) next = f_states ((AccArray *[]) { sum, before, e->pdata[i] }, 3, NULL);
      g_autoptr(GError) error = NULL;
      g_autoptr(GPtrArray) done = acc_backend_run_many (judge, (AccArray **) next->pdata, next->len, NULL, &error);

      g_assert_no_error (error);
      g_set_object (&sum, done->pdata[0]);
      g_set_object (&before, done->pdata[1]);
      g_ptr_array_add (r, g_object_ref (done->pdata[2]));
    }

  return r;
}

static AccSequence *
b_batch (AccSequence *s)
{
  g_autoptr(AccSequence) sums = b_sum (s);

  return acc_sequence_batch (sums, 4);
}
static GPtrArray *
l_batch (GPtrArray *e)
{
  g_autoptr(GPtrArray) sums = l_sum (e);
  GPtrArray *r = new_list ();

  for (guint i = 0; i < sums->len; i += 4)
    {
      gint64 values[4], n = MIN (4, sums->len - i);
      g_autoptr(AccShape) shape = acc_shape_new_vector (n);

      for (gint64 j = 0; j < n; j++)
        {
          g_autoptr(GBytes) bytes = acc_array_dup_bytes (sums->pdata[i + j], 0, NULL);

          memcpy (&values[j], g_bytes_get_data (bytes, NULL), 8);
        }
      g_ptr_array_add (r, use (shape, values));
    }

  return r;
}

static AccSequence *
b_expand (AccSequence *s)
{
  return acc_sequence_expand (s);
}
static GPtrArray *
l_expand (GPtrArray *e)
{
  GPtrArray *r = new_list ();

  for (guint i = 0; i < e->len; i++)
    {
      guint rank;
      const gint64 *extents = acc_shape_get_extents (acc_array_get_shape (e->pdata[i]), &rank);

      for (gint64 j = 0; j < extents[0]; j++)
        {
          g_autofree gint64 *entries = g_new (gint64, rank);
          g_autoptr(AccArray) row = NULL;

          for (guint d = 0; d < rank; d++)
            entries[d] = d == 0 ? j : ACC_ALL;
          row = acc_array_slice (e->pdata[i], entries, rank);
          g_ptr_array_add (r, run (judge, row));
        }
    }

  return r;
}

static AccSequence *
b_deep (AccSequence *s)
{
  g_autoptr(AccSequence) some = b_filter (s), mapped = b_imap (some), later = acc_sequence_drop (mapped, 1);
  g_autoptr(AccSequence) joined = acc_sequence_zip_with (mapped, later, f_join, NULL);

  return acc_sequence_take (joined, 6);
}
static GPtrArray *
l_deep (GPtrArray *e)
{
  g_autoptr(GPtrArray) some = l_filter (e), mapped = l_imap (some), joined = l_neighbours (mapped);

  return part (joined, 0, 6);
}

static const struct {
  const char *name;
  Build       build;
  Loop        loop;
} cases[] = {
  { "same", b_same, l_same },
  { "map", b_map, l_map },
  { "sum", b_sum, l_sum },
  { "imap", b_imap, l_imap },
  { "filter", b_filter, l_filter },
  { "take-while", b_take_while, l_take_while },
  { "take", b_take, l_take },
  { "take-none", b_take_none, l_take_none },
  { "drop", b_drop, l_drop },
  { "drop-of-map", b_drop_of_map, l_drop_of_map },
  { "take-of-filter", b_take_of_filter, l_take_of_filter },
  { "concat", b_concat, l_concat },
  { "zip", b_zip, l_zip },
  { "neighbours", b_neighbours, l_neighbours },
  { "scan", b_scan, l_scan },
  { "scan-many", b_scan_many, l_scan_many },
  { "batch", b_batch, l_batch },
  { "expand", b_expand, l_expand },
  { "deep", b_deep, l_deep },
};

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

/* --- floats add up to the same bits */

static AccExpr *
halves (AccExpr *ix, gpointer data)
{
  return acc_expr_fdiv (acc_expr_new_float (1),
                        acc_expr_add (acc_expr_cast (ix, acc_element_type_new (ACC_KIND_F64)), acc_expr_new_float (1)));
}
static AccArray *f_add (AccArray **a, guint n, gpointer data) { return acc_array_zip_with (a[0], a[1], plus, NULL); }

static void
test_fold_bits (void)
{
  g_autoptr(AccShape) shape = acc_shape_new_vector (3001);
  g_autoptr(AccArray) numbers = acc_array_generate (shape, halves, NULL), first = NULL;
  g_autoptr(AccSequence) sequence = acc_sequence_new_from_array (numbers);
  g_autoptr(AccArray) total = acc_sequence_fold (sequence, NULL, f_add, NULL);

  for (guint i = 0; i < N_STEPS; i++)
    {
      g_autoptr(GError) error = NULL;
      g_autoptr(GPtrArray) results = acc_evaluate_with_chunk_rows (backend, &total, 1, steps[i], NULL, &error);

      g_assert_no_error (error);
      if (first == NULL)
        first = g_object_ref (results->pdata[0]);
      if (!same_array (first, results->pdata[0]))
        g_error ("steps of %d give another sum", (int) steps[i]);
    }
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
static void
test_fold_again (void)
{
  static const gint64 sizes[] = { 0, 1, 2, 4, 16, 48 };
  g_autoptr(AccSequence) sequence = acc_sequence_new_generate (700, f_thirds, NULL);
  g_autoptr(AccArray) total = acc_sequence_fold (sequence, NULL, f_add, NULL), first = NULL;

  for (guint i = 0; i < G_N_ELEMENTS (sizes); i++)
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

static AccExpr *times (AccExpr *x, AccExpr *y, gpointer data) { return acc_expr_mul (x, y); }
static AccArray *f_times (AccArray **a, guint n, gpointer data) { return acc_array_zip_with (a[0], a[0], times, NULL); }

/* Order is kept where numbers are folded at once, too. */
static AccExpr *first_of (AccExpr *x, AccExpr *y, gpointer data) { return x; }
static AccExpr *last_of (AccExpr *x, AccExpr *y, gpointer data) { return y; }
static AccArray *f_first (AccArray **a, guint n, gpointer data) { return acc_array_zip_with (a[0], a[1], first_of, NULL); }
static AccArray *f_last (AccArray **a, guint n, gpointer data) { return acc_array_zip_with (a[0], a[1], last_of, NULL); }

/* @expected: of each of @arrays, in steps of any size */
static void
check_folds (AccArray **arrays, guint n_arrays, const char **expected, guint rank)
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
          g_assert_cmpuint (acc_array_get_rank (results->pdata[j]), ==, rank);
        }
    }
}

static void
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
static void
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

static void
test_endless (void)
{
  g_autoptr(AccSequence) squares = acc_sequence_new_generate (-1, f_times, NULL), few = acc_sequence_take (squares, 5);
  g_autoptr(AccSequence) small = acc_sequence_take_while (squares, f_below, NULL), counted = acc_sequence_new_generate (4, f_times, NULL);
  g_autoptr(AccArray) a = acc_sequence_stack (few), b = acc_sequence_count (small), c = acc_sequence_last (small, NULL);
  g_autoptr(AccArray) d = acc_sequence_elements (counted);
  AccArray *arrays[] = { a, b, c, d };

  for (guint i = 0; i < N_STEPS; i++)
    {
      g_autoptr(GError) error = NULL;
      g_autoptr(GPtrArray) results = acc_evaluate_with_chunk_rows (backend, arrays, 4, steps[i], NULL, &error);
      const char *expected[] = { "0 1 4 9 16", "23", "484", "0 1 4 9" };

      g_assert_no_error (error);
      for (guint j = 0; j < 4; j++)
        {
          g_autofree char *text = print (results->pdata[j]);

          g_assert_cmpstr (text, ==, expected[j]);
        }
    }
  g_assert_cmpint (acc_sequence_get_length (squares), ==, -1);
  g_assert_cmpint (acc_sequence_get_length (counted), ==, 4);
}

/* --- mistakes */

static AccArray *
f_third (AccArray **a, guint n, gpointer data)
{
  return acc_array_unit (acc_expr_index (a[0], i8 (2)));
}
static AccArray *f_nothing (AccArray **a, guint n, gpointer data) { return NULL; }

static void
expect_error (AccArray *array, gint64 step, AccError code, const char *words)
{
  g_autoptr(GError) error = NULL;
  g_autoptr(GPtrArray) results = acc_evaluate_with_chunk_rows (backend, &array, 1, step, NULL, &error);

  g_assert_null (results);
  if (!g_error_matches (error, ACC_ERROR, (gint) code) || strstr (error->message, words) == NULL)
    g_error ("“%s” (%d) in place of “%s” (%u)", error->message, error->code, words, code);
}

static void
test_errors (void)
{
  g_autoptr(GPtrArray) elements = make_elements (23, 1, FALSE);
  g_autoptr(AccSequence) sequence = new_produced (elements, 1, 4, G_MAXUINT), broken = new_produced (elements, 1, 4, 9);
  g_autoptr(AccSequence) none = acc_sequence_take (sequence, 0);
  g_autoptr(AccSequence) third = acc_sequence_map (sequence, f_third, NULL), nothing = acc_sequence_map (sequence, f_nothing, NULL);
  g_autoptr(AccSequence) wrong = acc_sequence_filter (sequence, f_sum, NULL), no_batch = acc_sequence_batch (sequence, 0);
  g_autoptr(AccSequence) batches = acc_sequence_batch (sequence, 2);
  g_autoptr(AccArray) a = acc_sequence_stack (third), b = acc_sequence_count (broken), c = acc_sequence_fold (none, NULL, f_join, NULL);
  g_autoptr(AccArray) d = acc_sequence_last (none, NULL), e = acc_sequence_stack (sequence), f = acc_sequence_count (nothing);
  g_autoptr(AccArray) g = acc_sequence_count (wrong), h = acc_sequence_elements (batches), k = acc_sequence_count (no_batch);

  acc_sequence_set_label (third, "thirds");
  for (guint i = 0; i < N_STEPS; i++)
    {
      /* Element 1 is empty. */
      expect_error (a, steps[i], ACC_ERROR_BOUNDS, "sequence_stack of “thirds”: element 1 (drawer 1): ");
      expect_error (b, steps[i], ACC_ERROR_IO, "out of order");
      expect_error (c, steps[i], ACC_ERROR_SHAPE, "no elements");
      expect_error (d, steps[i], ACC_ERROR_SHAPE, "no elements");
      expect_error (e, steps[i], ACC_ERROR_SHAPE, "element 1 has extents");
      expect_error (h, steps[i], ACC_ERROR_SHAPE, "element 1 has extents");
    }
  expect_error (f, 0, ACC_ERROR_CALLBACK, "sequence_map: its function returned nothing");
  expect_error (g, 0, ACC_ERROR_TYPE, "sequence_filter: its function gives no b1 of rank 0");
  expect_error (k, 0, ACC_ERROR_SHAPE, "sequence_batch: 0 elements are no batch");
}

static void
test_cancel (void)
{
  g_autoptr(AccSequence) endless = acc_sequence_new_generate (-1, f_times, NULL);
  g_autoptr(AccArray) count = acc_sequence_last (endless, NULL);
  g_autoptr(GCancellable) cancellable = g_cancellable_new ();
  g_autoptr(GError) error = NULL;

  g_cancellable_cancel (cancellable);
  g_assert_null (acc_backend_run (backend, count, cancellable, &error));
  g_assert_error (error, G_IO_ERROR, G_IO_ERROR_CANCELLED);
}

/* --- what is opened */

static void
expect_values (AccSequence *sequence, const char *values, const char *lengths)
{
  g_autoptr(AccSequence) numbers = acc_sequence_map (sequence, f_wide, NULL);
  g_autoptr(AccArray) elements = acc_sequence_elements (numbers), counts = acc_sequence_lengths (numbers);

  for (guint i = 0; i < N_STEPS; i++)
    {
      g_autoptr(GError) error = NULL;
      g_autoptr(GPtrArray) results = acc_evaluate_with_chunk_rows (backend, (AccArray *[]) { elements, counts }, 2, steps[i], NULL, &error);
      g_autofree char *a = NULL, *b = NULL;

      g_assert_no_error (error);
      a = print (results->pdata[0]);
      b = print (results->pdata[1]);
      g_assert_cmpstr (a, ==, values);
      g_assert_cmpstr (b, ==, lengths);
    }
}

static void
test_open (void)
{
  static const char text[] = "ab\n\nc\r\nx";
  g_autoptr(GInputStream) lines = g_memory_input_stream_new_from_data (text, sizeof text - 1, NULL);
  g_autoptr(GInputStream) others = g_memory_input_stream_new_from_data (text, sizeof text - 1, NULL);
  g_autoptr(GInputStream) pairs = g_memory_input_stream_new_from_data (text, 8, NULL);
  g_autoptr(GBytes) feed = g_bytes_new_static ("\n", 1), nothing = g_bytes_new_static ("", 0);
  g_autoptr(AccShape) two = acc_shape_new_vector (2);
  g_autoptr(AccSequence) a = acc_sequence_new_lines (lines), b = acc_sequence_new_delimited (others, feed);
  g_autoptr(AccSequence) c = acc_sequence_new_records (pairs, acc_element_type_new (ACC_KIND_U8), two);
  g_autoptr(AccSequence) wrong = acc_sequence_new_delimited (lines, nothing);
  g_autoptr(GListStore) list = g_list_store_new (ACC_TYPE_ARRAY);
  g_autoptr(GPtrArray) elements = make_elements (3, 1, FALSE);
  g_autoptr(AccSequence) d = NULL, e = NULL, f = NULL;
  g_autoptr(AccArray) number = NULL, delayed = NULL;

  expect_values (a, "97 98 99 120", "2 0 1 1");
  expect_values (b, "97 98 99 13 120", "2 0 2 1");
  expect_values (c, "97 98 10 10 99 13 10 120", "2 2 2 2");
  number = acc_sequence_count (wrong);
  expect_error (number, 0, ACC_ERROR_UNSUPPORTED, "sequence_new_delimited: ");

  for (guint i = 0; i < elements->len; i++)
    g_list_store_append (list, elements->pdata[i]);
  d = acc_sequence_new_from_arrays (G_LIST_MODEL (list));
  expect_values (d, "-300 502 295 403", "3 0 1");

  /* Of what is in memory, and what has to be computed. */
  e = acc_sequence_new_windows (elements->pdata[0], (gint64[]) { 2 }, (gint64[]) { 1 }, 1, NULL);
  expect_values (e, "-300 502 502 295", "2 2");
  delayed = acc_array_map (elements->pdata[0], doubled, NULL);
  f = acc_sequence_new_windows (delayed, (gint64[]) { 2 }, (gint64[]) { 1 }, 1, NULL);
  expect_values (f, "-600 1004 1004 590", "2 2");
}

/* --- sinks */

static AccSink *
new_sink (const char *name)
{
  g_autoptr(GFile) file = g_file_new_for_path (name);

  return acc_sink_create (file, NULL, NULL);
}

static AccSource *
new_source (const char *name)
{
  g_autoptr(GFile) file = g_file_new_for_path (name);

  return acc_source_open (file, NULL, NULL);
}

static AccSink *
make_sink (gint64 number, gpointer folder)
{
  g_autofree char *name = g_strdup_printf ("%s/%03d.npy", (const char *) folder, (int) number);
  AccSink *sink = number == 2 ? NULL : new_sink (name);

  return sink;
}

static void
test_write_each (void)
{
  g_autoptr(GPtrArray) elements = make_elements (7, 1, FALSE);
  g_autoptr(AccSequence) sequence = new_produced (elements, 1, 3, G_MAXUINT), broken = new_produced (elements, 1, 3, 4);
  g_autofree char *folder = g_dir_make_tmp ("acc-sequence-XXXXXX", NULL);
  g_autoptr(GError) error = NULL;

  g_assert_true (acc_sequence_write_each (sequence, backend, make_sink, folder, NULL, &error));
  g_assert_no_error (error);
  for (guint i = 0; i < 7; i++)
    {
      g_autofree char *name = g_strdup_printf ("%s/%03u.npy", folder, i);
      g_autoptr(AccSource) source = new_source (name);
      g_autoptr(AccArray) read = source != NULL ? acc_array_new_from_source (source) : NULL;

      g_assert_true ((read != NULL) == (i != 2));
      if (read != NULL)
        g_assert_true (same_array (read, elements->pdata[i]));
      g_clear_object (&source);
      g_remove (name);
    }

  g_assert_false (acc_sequence_write_each (broken, backend, make_sink, folder, NULL, &error));
  g_assert_error (error, ACC_ERROR, ACC_ERROR_IO);
  for (guint i = 0; i < 6; i++)
    {
      g_autofree char *name = g_strdup_printf ("%s/%03u.npy", folder, i);

      g_assert_true ((g_remove (name) == 0) == (i != 2));
    }
  /* Nothing else is there. */
  g_assert_cmpint (g_rmdir (folder), ==, 0);
}

static void
on_element (GObject *source, GAsyncResult *result, gpointer data)
{
  g_autoptr(GError) error = NULL;
  g_autoptr(AccArray) element = acc_sequence_iterator_next_finish (ACC_SEQUENCE_ITERATOR (source), result, &error);
  int *count = data;

  g_assert_no_error (error);
  if (element == NULL)
    {
      *count = -*count;
      return;
    }
  ++*count;
  acc_sequence_iterator_next_async (ACC_SEQUENCE_ITERATOR (source), NULL, on_element, data);
}

static void
test_async (void)
{
  g_autoptr(GPtrArray) elements = make_elements (9, 1, FALSE);
  g_autoptr(AccSequence) sequence = new_produced (elements, 1, 3, G_MAXUINT);
  g_autoptr(AccSequenceIterator) iterator = acc_sequence_iterate (sequence, backend);
  int count = 0;

  acc_sequence_iterator_next_async (iterator, NULL, on_element, &count);
  while (count >= 0)
    g_main_context_iteration (NULL, TRUE);
  g_assert_cmpint (count, ==, -9);
}

/* --- one walk for several */

static void
test_shared (void)
{
  g_autoptr(GPtrArray) elements = make_elements (23, 1, FALSE);
  g_autoptr(TestProducer) producer = g_object_new (TEST_TYPE_PRODUCER, "element-type", acc_element_type_new (ACC_KIND_I64), "rank", 1,
                                                   NULL);
  g_autoptr(AccSequence) sequence = NULL, sums = NULL;
  g_autoptr(AccArray) total = NULL, count = NULL, twice = NULL;
  g_autoptr(GError) error = NULL;
  g_autoptr(GPtrArray) results = NULL;
  g_autofree char *text = NULL;

  producer->elements = g_ptr_array_ref (elements);
  producer->at_most = 3;
  sequence = acc_sequence_new (ACC_SEQUENCE_PRODUCER (producer));
  sums = b_sum (sequence);
  total = acc_sequence_fold (sums, NULL, f_add, NULL);
  count = acc_sequence_count (sequence);
  twice = acc_array_zip_with (total, count, times, NULL);

  results = acc_backend_run_many (backend, (AccArray *[]) { twice, count }, 2, NULL, &error);
  g_assert_no_error (error);
  g_assert_cmpuint (producer->next, ==, 23);
  text = print (results->pdata[1]);
  g_assert_cmpstr (text, ==, "23");

  /* In a program, which is compiled once. */
  {
    g_autoptr(AccProgram) program = acc_program_new_for_results (&twice, 1);
    g_autoptr(AccExecutable) executable = acc_backend_compile (backend, program, NULL, &error);
    g_autoptr(GPtrArray) again = NULL;

    g_assert_no_error (error);
    again = acc_executable_run (executable, NULL, 0, NULL, &error);
    g_assert_no_error (error);
    g_assert_true (same_array (again->pdata[0], results->pdata[0]));
  }
}

/* --- functions that read what another sequence ends in */

static AccExpr *plus_both (AccExpr *x, AccExpr *y, gpointer total) { return acc_expr_add (acc_expr_add (x, y), acc_expr_the (total)); }
static AccArray *f_plus_both (AccArray **a, guint n, gpointer total) { return acc_array_zip_with (a[0], a[1], plus_both, total); }
static AccArray *f_plus_total (AccArray **a, guint n, gpointer total) { return acc_array_map (a[0], plus_the, total); }

static void
test_captured (void)
{
  g_autoptr(AccSequence) squares = acc_sequence_new_generate (10, f_times, NULL), few = acc_sequence_take (squares, 3);
  g_autoptr(AccArray) total = acc_sequence_fold (squares, NULL, f_add, NULL);
  g_autoptr(AccSequence) sums = acc_sequence_map (few, f_plus_total, total);
  g_autoptr(AccArray) a = acc_sequence_elements (sums), b = acc_sequence_fold (few, NULL, f_plus_both, total);
  AccArray *arrays[] = { a, b };
  const char *expected[] = { "285 286 289", "575" };

  for (guint i = 0; i < N_STEPS; i++)
    {
      g_autoptr(GError) error = NULL;
      g_autoptr(GPtrArray) results = acc_evaluate_with_chunk_rows (backend, arrays, 2, steps[i], NULL, &error);

      g_assert_no_error (error);
      for (guint j = 0; j < 2; j++)
        {
          g_autofree char *text = print (results->pdata[j]);

          g_assert_cmpstr (text, ==, expected[j]);
        }
    }
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

static void
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

  for (guint i = 0; i < N_STEPS; i++)
    {
      g_autoptr(GError) error = NULL;
      g_autoptr(GPtrArray) results = acc_evaluate_with_chunk_rows (backend, arrays, 3, steps[i], NULL, &error);

      g_assert_no_error (error);
      for (guint j = 0; j < 3; j++)
        {
          g_autofree char *text = print (results->pdata[j]);

          g_assert_cmpstr (text, ==, expected[j]);
        }
    }
  expect_error (d, 0, ACC_ERROR_CALLBACK, "sequence_map_batch: ");
}

/* Elements of other extents are refused in steps of one, too, in which each is alone, and the error names the one that is. */
static void
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

          for (guint i = 0; i < G_N_ELEMENTS (cases); i++)
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

/* --- memory */

static AccArray *
f_heavy (AccArray **a, guint n, gpointer data)
{
  g_autoptr(AccArray) sums = acc_array_scanl1 (a[0], plus, NULL), reversed = acc_array_reverse (sums);

  return acc_array_zip_with (sums, reversed, plus, NULL);
}

/* Whichever piece of memory is refused: the same results, or an error that says so. */
static void
test_refused (void)
{
  g_autoptr(GPtrArray) elements = make_elements (23, 1, FALSE);
  g_autoptr(AccSequence) sequence = new_produced (elements, 1, G_MAXUINT, G_MAXUINT), heavy = acc_sequence_map (sequence, f_heavy, NULL);
  g_autoptr(AccSequence) states = b_scan (heavy);
  g_autoptr(AccArray) all = acc_sequence_elements (heavy), last = acc_sequence_elements (states);
  AccArray *arrays[] = { all, last };
  g_autoptr(AccArray) right = run (backend, all), right_last = run (backend, last);
  AccBudget *budget = acc_backend_get_budget (backend);
  guint n_refused = 0, n_right = 0;

  for (guint k = 1; k < (is_quick ? 10 : 120); k++)
    {
      g_autoptr(GError) error = NULL;
      g_autoptr(GPtrArray) results = NULL;

      acc_budget_fail_nth (budget, k);
      results = acc_backend_run_many (backend, arrays, 2, NULL, &error);
      acc_budget_fail_nth (budget, 0);
      if (results == NULL)
        g_assert_error (error, ACC_ERROR, ACC_ERROR_OUT_OF_MEMORY);
      else
        g_assert_true (same_array (results->pdata[0], right) && same_array (results->pdata[1], right_last));
      n_refused += results == NULL;
      n_right += results != NULL;
    }
  g_assert_cmpuint (n_right, >, 0);
  g_test_message ("%u refused, %u right", n_refused, n_right);
}

/* Steps are as small as the limit wants them. */
static void
test_limit (void)
{
  g_autoptr(AccShape) shape = acc_shape_new_matrix (4000, 100);
  g_autoptr(AccArray) zeros = acc_array_fill (shape, i8 (3)), held = run (judge, zeros), right = NULL;
  g_autoptr(AccSequence) rows = acc_sequence_new_from_array (held), heavy = acc_sequence_map (rows, f_heavy, NULL), sums = b_sum (heavy);
  g_autoptr(AccArray) total = acc_sequence_fold (sums, NULL, f_add, NULL);
  AccBudget *budget = acc_backend_get_budget (backend);
  guint64 before = acc_backend_get_memory_limit (backend), held_bytes;
  g_autoptr(AccArray) result = NULL;
  g_autoptr(GError) error = NULL;

  right = run (backend, total);
  held_bytes = acc_budget_get_used (budget);
  acc_backend_set_memory_limit (backend, held_bytes + 400000);
  acc_budget_reset_high_water (budget);
  result = acc_backend_run (backend, total, NULL, &error);
  g_assert_no_error (error);
  g_assert_true (same_array (result, right));
  g_assert_cmpuint (acc_budget_get_high_water (budget), <=, held_bytes + 400000);
  acc_backend_set_memory_limit (backend, before);
}

/* --- plans and cancelling */

static void
test_plan (void)
{
  g_autoptr(GPtrArray) elements = make_elements (9, 1, FALSE);
  g_autoptr(AccSequence) sequence = new_produced (elements, 1, 3, G_MAXUINT), some = b_filter (sequence), sums = b_sum (some);
  g_autoptr(AccArray) total = acc_sequence_fold (sums, NULL, f_add, NULL);
  g_autoptr(GError) error = NULL;
  g_autoptr(AccPlan) plan = NULL;
  g_autofree char *text = NULL;

  acc_sequence_set_label (sequence, "drawers");
  plan = acc_backend_plan (backend, total, NULL, 0, &error);
  g_assert_no_error (error);
  text = acc_plan_to_string (plan);
  if (strstr (text, "sequence_fold walks over TestProducer “drawers” → filter → map in steps of at most ") == NULL)
    g_error ("%s", text);
}

static gpointer
cancel_soon (gpointer cancellable)
{
  g_usleep (50000);
  g_cancellable_cancel (cancellable);

  return NULL;
}

static void
test_cancel_walk (void)
{
  g_autoptr(AccSequence) endless = acc_sequence_new_generate (-1, f_times, NULL);
  g_autoptr(AccArray) last = acc_sequence_last (endless, NULL);
  g_autoptr(GCancellable) cancellable = g_cancellable_new ();
  g_autoptr(GError) error = NULL;
  GThread *thread = g_thread_new ("cancel", cancel_soon, cancellable);

  g_assert_null (acc_backend_run (backend, last, cancellable, &error));
  g_assert_error (error, G_IO_ERROR, G_IO_ERROR_CANCELLED);
  g_thread_join (thread);
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

  is_quick = strcmp (acc_backend_get_name (backend), "interpreter") != 0 && strcmp (acc_backend_get_name (backend), "native") != 0
             && g_getenv ("ACC_TEST_THOROUGH") == NULL;
  for (guint i = 0; i < G_N_ELEMENTS (cases); i++)
    {
      g_autofree char *path = g_strdup_printf ("/sequence/%s", cases[i].name);

      g_test_add_data_func (path, GUINT_TO_POINTER (i), test_case);
    }
  g_test_add_func ("/sequence/fold-bits", test_fold_bits);
  g_test_add_func ("/sequence/fold-again", test_fold_again);
  g_test_add_func ("/sequence/fold-exact", test_fold_exact);
  g_test_add_func ("/sequence/fold-rows", test_fold_rows);
  g_test_add_func ("/sequence/endless", test_endless);
  g_test_add_func ("/sequence/errors", test_errors);
  g_test_add_func ("/sequence/cancel", test_cancel);
  g_test_add_func ("/sequence/captured", test_captured);
  g_test_add_func ("/sequence/batches", test_batches);
  g_test_add_func ("/sequence/uneven-batches", test_uneven_batches);
  g_test_add_func ("/sequence/random", test_random);
  g_test_add_func ("/sequence/refused", test_refused);
  g_test_add_func ("/sequence/limit", test_limit);
  g_test_add_func ("/sequence/cancel-walk", test_cancel_walk);
  g_test_add_func ("/sequence/plan", test_plan);
  g_test_add_func ("/sequence/shared", test_shared);
  g_test_add_func ("/sequence/open", test_open);
  g_test_add_func ("/sequence/write-each", test_write_each);
  g_test_add_func ("/sequence/async", test_async);

  return g_test_run ();
}
