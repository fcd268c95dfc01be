/* SPDX-License-Identifier: LGPL-2.1-or-later */

/* Pairs of values within elements, cartesian products and combinations, of nested arrays of one to three levels, against loops. */

#include "nested-backends.h"

enum { N_DEPTHS = 3, MOST_GROUPS = 5, MOST_VALUES = 6 };

/* Offsets of each level, the innermost first, over values. */
typedef struct {
  guint   depth;
  GArray *offsets[N_DEPTHS];
  GArray *values;
} Lists;

static void
lists_free (Lists *self)
{
  for (guint d = 0; d < self->depth; d++)
    g_array_unref (self->offsets[d]);
  g_array_unref (self->values);
  g_free (self);
}

G_DEFINE_AUTOPTR_CLEANUP_FUNC (Lists, lists_free)

/* As many elements as another has, which fit beside it. */
static Lists *
draw (guint depth, const Lists *like)
{
  Lists *self = g_new0 (Lists, 1);
  guint n = like != NULL ? like->offsets[depth - 1]->len - 1 : (guint) g_test_rand_int_range (0, MOST_GROUPS);

  self->depth = depth;
  self->values = g_array_new (FALSE, FALSE, sizeof (gint64));
  for (guint d = depth; d-- > 0;)
    {
      gint64 end = 0;

      self->offsets[d] = g_array_new (FALSE, FALSE, sizeof (gint64));
      g_array_append_val (self->offsets[d], end);
      for (guint k = 0; k < n; k++)
        {
          /* Levels above values have to agree. */
          end += like != NULL && d > 0
                 ? g_array_index (like->offsets[d], gint64, k + 1) - g_array_index (like->offsets[d], gint64, k)
                 : g_test_rand_int_range (0, d == 0 ? MOST_VALUES : MOST_GROUPS);
          g_array_append_val (self->offsets[d], end);
        }
      n = end;
    }
  for (guint i = 0; i < n; i++)
    {
      gint64 value = g_test_rand_int_range (-50, 50);

      g_array_append_val (self->values, value);
    }

  return self;
}

static AccArray *
use_numbers (GArray *numbers)
{
  g_autoptr(AccShape) shape = acc_shape_new_vector (numbers->len);
  g_autoptr(GBytes) bytes = g_bytes_new (numbers->data, numbers->len * sizeof (gint64));

  return acc_array_use (acc_element_type_new (ACC_KIND_I64), shape, bytes);
}

static AccNestedArray *
make (const Lists *lists)
{
  g_autoptr(AccArray) values = use_numbers (lists->values), offsets = use_numbers (lists->offsets[0]);
  AccNestedArray *nested = acc_nested_array_new_from_offsets (values, offsets);

  for (guint d = 1; d < lists->depth; d++)
    {
      g_autoptr(AccNestedArray) inner = nested;
      g_autoptr(GArray) counts = g_array_new (FALSE, FALSE, sizeof (gint64));
      g_autoptr(AccArray) lengths = NULL;

      for (guint k = 0; k + 1 < lists->offsets[d]->len; k++)
        {
          gint64 count = g_array_index (lists->offsets[d], gint64, k + 1) - g_array_index (lists->offsets[d], gint64, k);

          g_array_append_val (counts, count);
        }
      lengths = use_numbers (counts);
      nested = acc_nested_array_nest (inner, lengths);
    }

  return nested;
}

/* Levels and pairs as text: [[(1, 2), …], …]. */
static void
write_level (GString *text, const Lists *x, const Lists *y, guint d, gint64 k)
{
  gint64 begin = g_array_index (x->offsets[d], gint64, k), end = g_array_index (x->offsets[d], gint64, k + 1);
  const gint64 *values = (const gint64 *) x->values->data, *others = y != NULL ? (const gint64 *) y->values->data : values;
  gint64 others_begin = y != NULL && d == 0 ? g_array_index (y->offsets[0], gint64, k) : begin;
  gint64 others_end = y != NULL && d == 0 ? g_array_index (y->offsets[0], gint64, k + 1) : end;

  g_string_append_c (text, '[');
  for (gint64 i = begin; i < end; i++)
    if (d > 0)
      write_level (text, x, y, d - 1, i);
    else
      for (gint64 j = y != NULL ? others_begin : i + 1; j < others_end; j++)
        g_string_append_printf (text, "(%" G_GINT64_FORMAT ", %" G_GINT64_FORMAT ")", values[i], others[j]);
  g_string_append_c (text, ']');
}

static char *
write_wanted (const Lists *x, const Lists *y)
{
  GString *text = g_string_new ("");

  for (guint k = 0; k + 1 < x->offsets[x->depth - 1]->len; k++)
    write_level (text, x, y, x->depth - 1, k);

  return g_string_free (text, FALSE);
}

/* The same of what a run gives. */
static void
write_nested (GString *text, AccNestedArray *nested, gint64 k)
{
  AccNestedArray *inner = acc_nested_array_get_inner (nested);
  AccArray *offsets = acc_nested_array_get_offsets (nested);
  gint64 begin, end;

  begin = acc_array_get_int (offsets, 0, k);
  end = acc_array_get_int (offsets, 0, k + 1);
  g_string_append_c (text, '[');
  for (gint64 i = begin; i < end; i++)
    if (inner != NULL)
      write_nested (text, inner, i);
    else
      g_string_append_printf (text, "(%" G_GINT64_FORMAT ", %" G_GINT64_FORMAT ")",
                              acc_array_get_int (acc_nested_array_get_values (nested), 0, i),
                              acc_array_get_int (acc_nested_array_get_values (nested), 1, i));
  g_string_append_c (text, ']');
}

static void
check (AccNestedArray *pairs, const char *wanted)
{
  g_autoptr(GError) error = NULL;
  g_autoptr(AccNestedArray) made = acc_backend_run_nested (backend, pairs, NULL, &error);
  GString *text = g_string_new ("");
  g_autofree char *got = NULL;

  g_assert_no_error (error);
  for (gint64 k = 0; k + 1 < acc_shape_get_size (acc_array_get_shape (acc_nested_array_get_offsets (made))); k++)
    write_nested (text, made, k);
  got = g_string_free (text, FALSE);
  g_assert_cmpstr (got, ==, wanted);
}

static void
test_pairs (gconstpointer data)
{
  guint depth = GPOINTER_TO_UINT (data);

  for (guint round = 0; round < 6; round++)
    {
      g_autoptr(Lists) x = draw (depth, NULL), y = draw (depth, x);
      g_autoptr(AccNestedArray) first = make (x), second = make (y);
      g_autoptr(AccNestedArray) product = acc_nested_array_cartesian (first, second), chosen = acc_nested_array_combinations (first);
      g_autofree char *both = write_wanted (x, y), *own = write_wanted (x, NULL);

      g_assert_cmpuint (acc_nested_array_get_depth (product), ==, depth);
      check (product, both);
      check (chosen, own);
    }
}

int
main (int argc, char *argv[])
{
  g_test_init (&argc, &argv, NULL);
  if (!open_backends ("interpreter"))
    return 0;
  for (guint depth = 1; depth <= N_DEPTHS; depth++)
    {
      g_autofree char *path = g_strdup_printf ("/nested/pairs/%u", depth);

      g_test_add_data_func (path, GUINT_TO_POINTER (depth), test_pairs);
    }

  return run_tests ();
}
