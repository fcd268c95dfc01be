/* SPDX-License-Identifier: LGPL-2.1-or-later */

/* quicksort [--check] [N]: sorts N random numbers. Quicksort calls itself for both parts of what it splits; here all parts
 * of all calls lie behind one another in one vector, and one round of a loop splits them all (Blelloch, 1990). */

#include <acc/acc.h>
#include <locale.h>
#include <stdlib.h>

/* The state of the loop: the parts one after the other, and of each its length and whether it is sorted */
enum {
  VALUES,                   /* [n] of i4 */
  PARTS,                    /* [k] of (i8,b1), no part empty */
  N_STATES,
};

static const char *const signatures[N_STATES + 1] = { "i4[:]", "(i8,b1)[:]", NULL };

static AccExpr *
add (AccExpr *a, AccExpr *b, gpointer data)
{
  return acc_expr_add (a, b);
}

static AccExpr *
add_triples (AccExpr *a, AccExpr *b, gpointer data)
{
  return acc_expr_tuple3 (acc_expr_add (acc_expr_item (a, 0), acc_expr_item (b, 0)),
                          acc_expr_add (acc_expr_item (a, 1), acc_expr_item (b, 1)),
                          acc_expr_add (acc_expr_item (a, 2), acc_expr_item (b, 2)));
}

static AccExpr *
one_if (AccExpr *condition)
{
  return acc_expr_cond (condition, acc_expr_new_int (1), acc_expr_new_int (0));
}

/* The element in the middle: those at the ends would make sorted input slow. */
static AccExpr *
pivot_of_part (AccExpr *start, AccExpr *length, gpointer values)
{
  return acc_expr_index (values, acc_expr_add (start, acc_expr_quot (length, acc_expr_new_int (2))));
}

/* (1,0,0) for a value below the pivot, (0,1,0) for one like it, (0,0,1) for one above */
static AccExpr *
compare (AccExpr *value, AccExpr *pivot, gpointer data)
{
  return acc_expr_tuple3 (one_if (acc_expr_lt (value, pivot)), one_if (acc_expr_eq (value, pivot)),
                          one_if (acc_expr_gt (value, pivot)));
}

/* Where a value goes: behind those of its kind that come before it in the part, and behind all of the kinds below */
static AccExpr *
place (AccExpr *kind, AccExpr *before, AccExpr *start, AccExpr *totals, gpointer data)
{
  g_autoptr(AccExpr) below = acc_expr_ref_sink (acc_expr_item (totals, 0));
  AccExpr *behind_equal = acc_expr_add (acc_expr_add (below, acc_expr_item (totals, 1)), acc_expr_item (before, 2));
  AccExpr *behind_below = acc_expr_add (below, acc_expr_item (before, 1));
  AccExpr *within = acc_expr_cond (acc_expr_eq (acc_expr_item (kind, 0), acc_expr_new_int (1)), acc_expr_item (before, 0),
                                   acc_expr_cond (acc_expr_eq (acc_expr_item (kind, 1), acc_expr_new_int (1)), behind_below,
                                                  behind_equal));

  return acc_expr_add (start, within);
}

static AccExpr *
three (AccExpr *totals, gpointer data)
{
  return acc_expr_new_int (3);
}

/* Part number i, 0 to 2, of what one part was split into */
static AccExpr *
new_part (AccExpr *totals, AccExpr *i, gpointer data)
{
  g_autoptr(AccExpr) is_equal = acc_expr_ref_sink (acc_expr_eq (i, acc_expr_new_int (1)));
  g_autoptr(AccExpr) length = acc_expr_ref_sink (acc_expr_cond (acc_expr_eq (i, acc_expr_new_int (0)), acc_expr_item (totals, 0),
                                                                acc_expr_cond (is_equal, acc_expr_item (totals, 1),
                                                                               acc_expr_item (totals, 2))));

  return acc_expr_tuple2 (length, acc_expr_lor (is_equal, acc_expr_lt (length, acc_expr_new_int (2))));
}

static AccExpr *
is_not_empty (AccExpr *part, gpointer data)
{
  return acc_expr_gt (acc_expr_item (part, 0), acc_expr_new_int (0));
}

static AccExpr *
length_of_numbered (AccExpr *numbered, gpointer data)
{
  return acc_expr_item (numbered, 1);
}

static AccExpr *
number_of_numbered (AccExpr *numbered, AccExpr *i, gpointer data)
{
  return acc_expr_item (numbered, 0);
}

/* Splits every part by its own pivot into what is below, like and above it. */
static GPtrArray *
split (AccArray **state, guint n_state, gpointer data)
{
  AccArray *values = state[VALUES];
  AccArray *totals, *counts;
  GPtrArray *next = g_ptr_array_new_with_free_func (g_object_unref);

  g_autoptr(AccArray) lengths = acc_array_unzip (state[PARTS], 0);
  g_autoptr(AccArray) starts = acc_array_prescanl (lengths, acc_expr_new_int (0), add, NULL);
  g_autoptr(AccArray) pivots = acc_array_zip_with (starts, lengths, pivot_of_part, values);

  /* What is known of a part, for each of its values: 0, 0, 0, 1, 1, 2, … where the lengths are 3, 2, … */
  g_autoptr(AccArray) numbered = acc_array_indexed (lengths);
  g_autoptr(AccArray) parts = acc_array_expand (numbered, length_of_numbered, NULL, number_of_numbered, NULL);
  g_autoptr(AccArray) pivot = acc_array_gather (pivots, parts);
  g_autoptr(AccArray) start = acc_array_gather (starts, parts);

  g_autoptr(AccArray) kinds = acc_array_zip_with (values, pivot, compare, NULL);
  AccExpr *zeros = acc_expr_tuple3 (acc_expr_new_int (0), acc_expr_new_int (0), acc_expr_new_int (0));
  g_autoptr(AccArray) before = acc_array_scanl_with_total_seg (kinds, zeros, lengths, add_triples, NULL, &totals);
  g_autoptr(AccArray) total = acc_array_gather (totals, parts);
  g_autoptr(AccArray) places = acc_array_zip_with4 (kinds, before, start, total, place, NULL);

  g_autoptr(AccArray) new_parts = acc_array_expand (totals, three, NULL, new_part, NULL);

  g_ptr_array_add (next, acc_array_scatter (values, values, places));
  g_ptr_array_add (next, acc_array_filter (new_parts, is_not_empty, NULL, &counts));
  g_object_unref (counts);
  g_object_unref (totals);
  return next;
}

static AccExpr *
is_unsorted (AccExpr *part, gpointer data)
{
  return acc_expr_lnot (acc_expr_item (part, 1));
}

static AccArray *
any_unsorted (AccArray **state, guint n_state, gpointer data)
{
  g_autoptr(AccArray) unsorted = acc_array_map (state[PARTS], is_unsorted, NULL);

  return acc_array_any_true (unsorted);
}

/* @values: a vector of i4 */
static AccArray *
quicksort (AccArray *values)
{
  gint64 n = acc_shape_get_size (acc_array_get_shape (values));
  g_autoptr(AccShape) one = acc_shape_new_vector (1);
  g_autoptr(AccArray) all = acc_array_fill (one, acc_expr_tuple2 (acc_expr_new_int (n), acc_expr_new_bool (n < 2)));
  g_autoptr(AccProgram) condition = acc_program_new (signatures, any_unsorted, NULL);
  g_autoptr(AccProgram) step = acc_program_new_many (signatures, split, NULL);
  AccArray *initial[N_STATES] = { values, all };
  g_autoptr(GPtrArray) last = acc_array_while_loop_many (initial, N_STATES, condition, step);

  return g_object_ref (last->pdata[VALUES]);
}

static int
compare_numbers (gconstpointer a, gconstpointer b)
{
  gint32 x = *(const gint32 *) a, y = *(const gint32 *) b;

  return (x > y) - (x < y);
}

/* Sorts @numbers by acc and by the C library, says how long both took, and compares. */
static gboolean
sort (AccBackend *backend, gint32 *numbers, gsize n, const char *what, GError **error)
{
  g_autoptr(GBytes) bytes = g_bytes_new (numbers, n * sizeof *numbers);
  g_autoptr(AccShape) shape = acc_shape_new_vector (n);
  g_autoptr(AccArray) values = acc_array_use (acc_element_type_new (ACC_KIND_I32), shape, bytes);
  g_autoptr(AccArray) delayed = quicksort (values);
  gint64 started = g_get_monotonic_time ();
  g_autoptr(AccArray) result = acc_backend_run (backend, delayed, NULL, error);
  gint64 sorted = g_get_monotonic_time ();
  g_autoptr(GBytes) sorted_bytes = result ? acc_array_dup_bytes (result, 0, error) : NULL;
  if (sorted_bytes == NULL)
    return FALSE;

  gint64 compared = g_get_monotonic_time ();
  if (n > 0)
    qsort (numbers, n, sizeof *numbers, compare_numbers);

  g_print ("%10" G_GSIZE_FORMAT "  %-20s  %10.1f  %10.1f\n", n, what, (sorted - started) / 1e3,
           (g_get_monotonic_time () - compared) / 1e3);

  g_autoptr(GBytes) wanted = g_bytes_new_static (numbers, n * sizeof *numbers);
  if (!g_bytes_equal (sorted_bytes, wanted))
    {
      g_set_error (error, ACC_ERROR, ACC_ERROR_IO, "%" G_GSIZE_FORMAT " numbers, %s: wrong order", n, what);
      return FALSE;
    }

  return TRUE;
}

typedef enum {
  ANY,
  FEW,
  SAME,
  ASCENDING,
  DESCENDING,
} Order;

static const char *const order_names[] = { "any", "seven different", "all the same", "ascending", "descending" };

static gboolean
sort_order (AccBackend *backend, gsize n, Order order, GError **error)
{
  g_autofree gint32 *numbers = g_new (gint32, n);
  g_autoptr(GRand) random = g_rand_new_with_seed (n);

  for (gsize i = 0; i < n; i++)
    switch (order)
      {
      case ANY:
        numbers[i] = (gint32) g_rand_int (random);
        break;
      case FEW:
        numbers[i] = g_rand_int_range (random, -3, 4);
        break;
      case ASCENDING:
        numbers[i] = (gint32) i / 2;
        break;
      case DESCENDING:
        numbers[i] = -(gint32) i;
        break;
      case SAME:
        numbers[i] = 42;
        break;
      }

  return sort (backend, numbers, n, order_names[order], error);
}

static gboolean
run (gsize n, gboolean check, GError **error)
{
  const gsize lengths[] = { 0, 1, 2, 3, 10, 1000, 20011 };
  AccBackend *backend = acc_backend_get_default (error);
  if (backend == NULL)
    return FALSE;

  g_print ("%10s  %-20s  %7s ms  qsort, ms\n", "numbers", "order", acc_backend_get_name (backend));
  if (!check)
    return sort_order (backend, n, ANY, error) && sort_order (backend, n, FEW, error);

  for (gsize i = 0; i < G_N_ELEMENTS (lengths); i++)
    for (Order order = 0; order < G_N_ELEMENTS (order_names); order++)
      if (!sort_order (backend, lengths[i], order, error))
        return FALSE;

  return TRUE;
}

int
main (int argc, char **argv)
{
  gboolean check = FALSE;
  const GOptionEntry entries[] = {
    { "check", 'c', 0, G_OPTION_ARG_NONE, &check, "Sort many orders and lengths, not N numbers", NULL },
    { NULL }
  };
  g_autoptr(GError) error = NULL;
  g_autoptr(GOptionContext) context = g_option_context_new ("[N] - sort N random numbers (100000)");
  guint64 n = 100000;

  setlocale (LC_ALL, "");
  g_option_context_add_main_entries (context, entries, NULL);
  if (!g_option_context_parse (context, &argc, &argv, &error) || argc > 2
      || (argc == 2 && !g_ascii_string_to_unsigned (argv[1], 10, 0, G_MAXINT32, &n, &error)))
    {
      g_printerr ("%s\n", error ? error->message : "at most one number; see --help");
      return 2;
    }

  if (!run (n, check, &error))
    {
      g_printerr ("quicksort: %s\n", error->message);
      return 1;
    }

  return 0;
}
