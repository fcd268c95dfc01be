/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "sequence-helpers.h"

#include <string.h>

/* --- functions of sequences, and the same in plain loops over elements */

static AccExpr *is_small (AccExpr *x, gpointer data) { return acc_expr_lt (x, i8 (2500)); }
static AccArray *f_double (AccArray **a, guint n, gpointer data) { return acc_array_map (a[0], doubled, NULL); }
static AccArray *
f_small (AccArray **a, guint n, gpointer data)
{
  g_autoptr(AccArray) total = flat_sum (a[0]);

  return acc_array_map (total, is_small, NULL);
}
static AccArray *f_add_number (AccArray **a, guint n, gpointer data) { return acc_array_map (a[1], plus_the, a[0]); }

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

const SequenceCase cases[] = {
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
const guint n_cases = G_N_ELEMENTS (cases);
