/* SPDX-License-Identifier: LGPL-2.1-or-later */

/* radix-sort [--check] [N]: sorts N records of a key and a number, stably, two bits of the key per round of a loop: count how
 * many of each digit come before each record, add how many records have a lower digit, and move it there (Blelloch, 1990). */

#include <acc/acc.h>
#include <locale.h>
#include <stdlib.h>

#define KEY_BITS   32
#define DIGIT_BITS 2
#define N_DIGITS   (1 << DIGIT_BITS)

typedef struct {
  gint32 key, number;
} Record;

/* The state of the loop */
enum {
  SHIFT,                    /* bits that are done */
  RECORDS,                  /* [n] of (i4,i4): key and number */
  N_STATES,
};

static const char *const signatures[N_STATES + 1] = { "i8", "(i4,i4)[:]", NULL };

/* --- a round */

static AccExpr *
bits (guint32 value)
{
  return acc_expr_new_typed_int (acc_element_type_new (ACC_KIND_U32), value);
}

/* Negative keys come first: the sign is turned round. */
static AccExpr *
digit_of (AccExpr *record, gpointer shift)
{
  AccExpr *key = acc_expr_bitcast (acc_expr_item (record, 0), acc_element_type_new (ACC_KIND_U32));
  AccExpr *ordered = acc_expr_bxor (key, bits (0x80000000));

  return acc_expr_band (acc_expr_shr (ordered, acc_expr_the (shift)), bits (N_DIGITS - 1));
}

/* 1 for its own digit, 0 for the others */
static AccExpr *
count_one (AccExpr *digit, gpointer data)
{
  AccExpr *counts[N_DIGITS];

  for (guint d = 0; d < N_DIGITS; d++)
    counts[d] = acc_expr_cast (acc_expr_eq (digit, bits (d)), acc_element_type_new (ACC_KIND_I64));

  return acc_expr_tuple (counts, N_DIGITS);
}

static AccExpr *
add_counts (AccExpr *a, AccExpr *b, gpointer data)
{
  AccExpr *sums[N_DIGITS];

  for (guint d = 0; d < N_DIGITS; d++)
    sums[d] = acc_expr_add (acc_expr_item (a, d), acc_expr_item (b, d));

  return acc_expr_tuple (sums, N_DIGITS);
}

static AccExpr *
place (AccExpr *digit, AccExpr *before, gpointer totals)
{
  g_autoptr(AccExpr) total = acc_expr_ref_sink (acc_expr_the (totals));
  AccExpr *places[N_DIGITS], *lower = acc_expr_new_int (0), *result;

  for (guint d = 0; d < N_DIGITS; d++)
    {
      g_autoptr(AccExpr) here = acc_expr_ref_sink (lower);

      places[d] = acc_expr_add (here, acc_expr_item (before, d));
      lower = acc_expr_add (here, acc_expr_item (total, d));
    }
  acc_expr_unref (acc_expr_ref_sink (lower));

  result = places[N_DIGITS - 1];
  for (guint d = N_DIGITS - 1; d-- > 0; )
    result = acc_expr_cond (acc_expr_eq (digit, bits (d)), places[d], result);

  return result;
}

static AccExpr *
next_shift (AccExpr *shift, gpointer data)
{
  return acc_expr_add (shift, acc_expr_new_int (DIGIT_BITS));
}

static GPtrArray *
split (AccArray **state, guint n, gpointer data)
{
  GPtrArray *next = g_ptr_array_new_with_free_func (g_object_unref);
  AccExpr *zeros[N_DIGITS];
  AccArray *totals;

  for (guint d = 0; d < N_DIGITS; d++)
    zeros[d] = acc_expr_new_int (0);

  g_autoptr(AccArray) digits = acc_array_map (state[RECORDS], digit_of, state[SHIFT]);
  g_autoptr(AccArray) counts = acc_array_map (digits, count_one, NULL);
  g_autoptr(AccArray) before = acc_array_scanl_with_total (counts, acc_expr_tuple (zeros, N_DIGITS), add_counts, NULL, &totals);
  g_autoptr(AccArray) places = acc_array_zip_with (digits, before, place, totals);

  g_ptr_array_add (next, acc_array_map (state[SHIFT], next_shift, NULL));
  g_ptr_array_add (next, acc_array_scatter (state[RECORDS], state[RECORDS], places));
  g_object_unref (totals);
  return next;
}

static AccExpr *
is_left (AccExpr *shift, gpointer data)
{
  return acc_expr_lt (shift, acc_expr_new_int (KEY_BITS));
}

static AccArray *
are_left (AccArray **state, guint n, gpointer data)
{
  return acc_array_map (state[SHIFT], is_left, NULL);
}

static AccArray *
radix_sort (AccArray *records)
{
  g_autoptr(AccArray) zero = acc_array_unit (acc_expr_new_typed_int (acc_element_type_new (ACC_KIND_I64), 0));
  g_autoptr(AccProgram) condition = acc_program_new (signatures, are_left, NULL);
  g_autoptr(AccProgram) step = acc_program_new_many (signatures, split, NULL);
  g_autoptr(GPtrArray) sorted = acc_array_while_loop_many ((AccArray *[]) { zero, records }, N_STATES, condition, step);

  return g_object_ref (sorted->pdata[RECORDS]);
}

/* --- compared with a sort of the C library */

/* Equal keys in the order of their numbers, which is the order in which they were. */
static int
compare_records (const void *a, const void *b)
{
  const Record *x = a, *y = b;

  return x->key != y->key ? (x->key > y->key) - (x->key < y->key) : (x->number > y->number) - (x->number < y->number);
}

/* Of tuples each part lies in a buffer of its own. */
static gboolean
is_same (AccArray *sorted, guint part, const Record *records, gsize n, GError **error)
{
  g_autoptr(GBytes) bytes = acc_array_dup_bytes (sorted, part, error);
  if (bytes == NULL)
    return FALSE;

  const gint32 *values = g_bytes_get_data (bytes, NULL);
  for (gsize i = 0; i < n; i++)
    if (values[i] != (part == 0 ? records[i].key : records[i].number))
      {
        g_set_error (error, ACC_ERROR, ACC_ERROR_IO, "%" G_GSIZE_FORMAT " records: number %" G_GSIZE_FORMAT " is wrong", n, i);
        return FALSE;
      }

  return TRUE;
}

static gboolean
sort (AccBackend *backend, gsize n, guint32 n_keys, GError **error)
{
  g_autofree Record *records = g_new (Record, n);
  gint32 *keys = g_new (gint32, n), *numbers = g_new (gint32, n);
  g_autoptr(GRand) random = g_rand_new_with_seed (n);

  for (gsize i = 0; i < n; i++)
    {
      records[i].key = keys[i] = n_keys > 0
                                 ? (gint32) (g_rand_int (random) % n_keys) - (gint32) (n_keys / 2) : (gint32) g_rand_int (random);
      records[i].number = numbers[i] = (gint32) i;
    }

  g_autoptr(GBytes) key_bytes = g_bytes_new_take (keys, n * sizeof *keys);
  g_autoptr(GBytes) number_bytes = g_bytes_new_take (numbers, n * sizeof *numbers);
  g_autoptr(AccShape) shape = acc_shape_new_vector (n);
  g_autoptr(AccArray) key_array = acc_array_use (acc_element_type_new (ACC_KIND_I32), shape, key_bytes);
  g_autoptr(AccArray) number_array = acc_array_use (acc_element_type_new (ACC_KIND_I32), shape, number_bytes);
  g_autoptr(AccArray) pairs = acc_array_zip (key_array, number_array);
  g_autoptr(AccArray) delayed = radix_sort (pairs);

  gint64 started = g_get_monotonic_time ();
  g_autoptr(AccArray) sorted = acc_backend_run (backend, delayed, NULL, error);
  gint64 ended = g_get_monotonic_time ();
  if (sorted == NULL)
    return FALSE;

  if (n > 0)
    qsort (records, n, sizeof *records, compare_records);
  g_print ("%10" G_GSIZE_FORMAT "  %10u  %10.1f  %10.1f\n", n, n_keys, (ended - started) / 1e3, (g_get_monotonic_time () - ended) / 1e3);

  return is_same (sorted, 0, records, n, error) && is_same (sorted, 1, records, n, error);
}

static gboolean
run (gsize n, gboolean check, GError **error)
{
  static const gsize lengths[] = { 0, 1, 2, 3, 1000, 70001 };
  static const guint32 n_keys[] = { 0, 1, 7, 40000 };
  AccBackend *backend = acc_backend_get_default (error);
  if (backend == NULL)
    return FALSE;

  g_print ("%10s  %10s  %7s ms  qsort, ms\n", "records", "keys", acc_backend_get_name (backend));
  if (!check)
    return sort (backend, n, 0, error);

  for (gsize i = 0; i < G_N_ELEMENTS (lengths); i++)
    for (gsize k = 0; k < G_N_ELEMENTS (n_keys); k++)
      if (!sort (backend, lengths[i], n_keys[k], error))
        return FALSE;

  return TRUE;
}

int
main (int argc, char **argv)
{
  gboolean check = FALSE;
  const GOptionEntry entries[] = {
    { "check", 'c', 0, G_OPTION_ARG_NONE, &check, "Sort many lengths and numbers of different keys, not N records", NULL },
    { NULL }
  };
  g_autoptr(GError) error = NULL;
  g_autoptr(GOptionContext) context = g_option_context_new ("[N] - sort N records by random keys (1000000)");
  guint64 n = 1000000;

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
      g_printerr ("radix-sort: %s\n", error->message);
      return 1;
    }

  return 0;
}
