/* SPDX-License-Identifier: LGPL-2.1-or-later */

/* flash-attention [OPTION…]: softmax (Q Kᵀ / √d) V without the N × N matrix, after Dao et al. (2022). The keys and values
 * come in blocks; what is known of each query's softmax so far is a pair that an associative operator puts together. */

#include "plain.h"

#include <acc/acc.h>
#include <locale.h>
#include <math.h>

typedef struct {
  AccArray *q, *k, *v;      /* [n,d] of f4 */
  gint64    d, block;
} Attention;

/* Of the scores seen so far: the largest, and the sum of exp (score - largest). Two parts of a row make a larger one. */
static AccExpr *
merge (AccExpr *a, AccExpr *b, gpointer data)
{
  g_autoptr (AccExpr) largest = acc_expr_ref_sink (acc_expr_max (acc_expr_item (a, 0), acc_expr_item (b, 0)));
  AccExpr *shrink_a = acc_expr_exp (acc_expr_sub (acc_expr_item (a, 0), largest));
  AccExpr *shrink_b = acc_expr_exp (acc_expr_sub (acc_expr_item (b, 0), largest));

  return acc_expr_tuple2 (largest, acc_expr_add (acc_expr_mul (acc_expr_item (a, 1), shrink_a),
                                                 acc_expr_mul (acc_expr_item (b, 1), shrink_b)));
}

static AccExpr *
single (AccExpr *score, gpointer data)
{
  return acc_expr_tuple2 (score, acc_expr_new_typed_float (acc_element_type_new (ACC_KIND_F32), 1));
}

static AccExpr *
scale (AccExpr *x, gpointer factor)
{
  return acc_expr_mul (x, acc_expr_new_float (*(double *) factor));
}

/* exp (score - largest) */
static AccExpr *
weight (AccExpr *score, AccExpr *statistics, gpointer data)
{
  return acc_expr_exp (acc_expr_sub (score, acc_expr_item (statistics, 0)));
}

/* By what the output shrinks when the largest score grows */
static AccExpr *
rescale (AccExpr *before, AccExpr *after, gpointer data)
{
  return acc_expr_exp (acc_expr_sub (acc_expr_item (before, 0), acc_expr_item (after, 0)));
}

static AccExpr *
normalise (AccExpr *output, AccExpr *statistics, gpointer data)
{
  return acc_expr_fdiv (output, acc_expr_item (statistics, 1));
}

static AccExpr *
is_below (AccExpr *x, gpointer array)
{
  return acc_expr_lt (x, acc_expr_extent (array, 0));
}

static AccExpr *
advance (AccExpr *x, gpointer step)
{
  return acc_expr_add (x, acc_expr_new_int (*(gint64 *) step));
}

/* A Bᵀ: every row of @a times every row of @b. The products are summed as they are made, not stored. */
static AccArray *
rows_by_rows (AccArray *a, AccArray *b)
{
  AccExpr *each_row[] = { acc_expr_new_int (ACC_ALL), acc_expr_extent (b, 0), acc_expr_new_int (ACC_ALL) };
  AccExpr *each_time[] = { acc_expr_extent (a, 0), acc_expr_new_int (ACC_ALL), acc_expr_new_int (ACC_ALL) };
  g_autoptr (AccArray) left = acc_array_replicate_expr (a, each_row, 3);
  g_autoptr (AccArray) right = acc_array_replicate_expr (b, each_time, 3);
  g_autoptr (AccArray) products = acc_array_mul (left, right);

  return acc_array_sum (products);
}

/* [n] to [n,columns] */
static AccArray *
beside_itself (AccArray *vector, AccExpr *columns)
{
  AccExpr *specification[] = { acc_expr_new_int (ACC_ALL), columns };

  return acc_array_replicate_expr (vector, specification, 2);
}

/* The state of the loop */
enum {
  START,                    /* of the next block, i8 */
  STATISTICS,               /* [n] of (largest, sum) */
  OUTPUT,                   /* [n,d], not yet divided by the sum */
  N_STATES,
};

static AccArray *
has_more (AccArray **state, guint n_state, gpointer data)
{
  const Attention *attention = data;

  return acc_array_map (state[START], is_below, attention->k);
}

static GPtrArray *
attend_to_block (AccArray **state, guint n_state, gpointer data)
{
  const Attention *attention = data;
  double inverse_root = 1 / sqrt (attention->d);
  GPtrArray *next = g_ptr_array_new_with_free_func (g_object_unref);

  g_autoptr (AccArray) k = acc_array_slit_on (attention->k, 0, acc_expr_the (state[START]), acc_expr_new_int (attention->block));
  g_autoptr (AccArray) v = acc_array_slit_on (attention->v, 0, acc_expr_the (state[START]), acc_expr_new_int (attention->block));
  g_autoptr (AccArray) dots = rows_by_rows (attention->q, k);
  g_autoptr (AccArray) scores = acc_array_map (dots, scale, &inverse_root);

  g_autoptr (AccArray) singles = acc_array_map (scores, single, NULL);
  g_autoptr (AccArray) of_block = acc_array_fold1 (singles, merge, NULL);
  g_autoptr (AccArray) statistics = acc_array_zip_with (state[STATISTICS], of_block, merge, NULL);

  /* Every column of V reads the weights: compute them once. */
  g_autoptr (AccArray) each_key = beside_itself (statistics, acc_expr_extent (k, 0));
  g_autoptr (AccArray) delayed = acc_array_zip_with (scores, each_key, weight, NULL);
  g_autoptr (AccArray) weights = acc_array_compute (delayed);
  g_autoptr (AccArray) columns = acc_array_transpose (v);
  g_autoptr (AccArray) addition = rows_by_rows (weights, columns);

  g_autoptr (AccArray) factors = acc_array_zip_with (state[STATISTICS], statistics, rescale, NULL);
  g_autoptr (AccArray) each_column = beside_itself (factors, acc_expr_new_int (attention->d));
  g_autoptr (AccArray) kept = acc_array_mul (state[OUTPUT], each_column);

  g_ptr_array_add (next, acc_array_map (state[START], advance, (gpointer) &attention->block));
  g_ptr_array_add (next, g_object_ref (statistics));
  g_ptr_array_add (next, acc_array_add (kept, addition));
  return next;
}

static AccArray *
attend (Attention *attention)
{
  const char *signatures[] = { "i8", "(f4,f4)[:]", "f4[:,:]", NULL };
  AccElementType *f4 = acc_element_type_new (ACC_KIND_F32);
  g_autoptr (AccProgram) condition = acc_program_new (signatures, has_more, attention);
  g_autoptr (AccProgram) step = acc_program_new_many (signatures, attend_to_block, attention);

  AccShape *shape = acc_array_get_shape (attention->q);
  g_autoptr (AccShape) rows = acc_shape_new_vector (acc_shape_get_extent (shape, 0));
  g_autoptr (AccArray) start = acc_array_unit (acc_expr_new_int (0));
  g_autoptr (AccArray) nothing_seen = acc_array_fill (rows, acc_expr_tuple2 (acc_expr_new_typed_float (f4, -INFINITY),
                                                                             acc_expr_new_typed_float (f4, 0)));
  g_autoptr (AccArray) zeros = acc_array_fill (shape, acc_expr_new_typed_float (f4, 0));
  AccArray *initial[N_STATES] = { start, nothing_seen, zeros };
  g_autoptr (GPtrArray) last = acc_array_while_loop_many (initial, N_STATES, condition, step);
  g_autoptr (AccArray) each_column = beside_itself (last->pdata[STATISTICS], acc_expr_new_int (attention->d));

  return acc_array_zip_with (last->pdata[OUTPUT], each_column, normalise, NULL);
}

static AccArray *
random_matrix (GRand *random, gint64 rows, gint64 columns, double largest)
{
  gsize n = rows * columns;
  float *values = g_new (float, n);

  for (gsize i = 0; i < n; i++)
    values[i] = g_rand_double_range (random, -largest, largest);

  g_autoptr (GBytes) bytes = g_bytes_new_take (values, n * sizeof *values);
  g_autoptr (AccShape) shape = acc_shape_new_matrix (rows, columns);

  return acc_array_use (acc_element_type_new (ACC_KIND_F32), shape, bytes);
}

static const float *
numbers (AccArray *array)
{
  return GSIZE_TO_POINTER (acc_array_get_address (array, 0));
}

static gboolean
check (const Attention *attention, AccArray *result, gsize n, GError **error)
{
  g_autofree double *plain = g_new (double, n * attention->d);
  double difference = 0;

  attention_plain (numbers (attention->q), numbers (attention->k), numbers (attention->v), n, attention->d, plain);
  for (gsize i = 0; i < n * attention->d; i++)
    {
      double one = fabs (acc_array_get_double (result, 0, i) - plain[i]);

      difference = one <= difference ? difference : one;     /* so that a NaN is kept, too */
    }

  g_print ("largest difference to plain loops in double precision: %.2g\n", difference);
  if (!(difference < 1e-4))
    g_set_error (error, ACC_ERROR, ACC_ERROR_IO, "the output is wrong");
  return difference < 1e-4;
}

static gboolean
run (gint64 n, gint64 d, gint64 block, gboolean checked, GError **error)
{
  AccBackend *backend = acc_backend_get_default (error);
  if (backend == NULL)
    return FALSE;

  /* Scores so large that their exponentials would be infinite if the largest were not subtracted */
  g_autoptr (GRand) random = g_rand_new_with_seed (1);
  g_autoptr (AccArray) q = random_matrix (random, n, d, 80);
  g_autoptr (AccArray) k = random_matrix (random, n, d, 1);
  g_autoptr (AccArray) v = random_matrix (random, n, d, 1);
  Attention attention = { q, k, v, d, block };
  g_autoptr (AccArray) delayed = attend (&attention);
  gint64 started = g_get_monotonic_time ();
  g_autoptr (AccArray) result = acc_backend_run (backend, delayed, NULL, error);
  if (result == NULL)
    return FALSE;

  g_print ("%" G_GINT64_FORMAT " queries and keys of %" G_GINT64_FORMAT ": %.1f ms on %s\n",
           n, d, (g_get_monotonic_time () - started) / 1e3, acc_backend_get_name (backend));
  g_print ("at most %.1f MiB at once; a matrix of all weights has %.1f MiB\n",
           acc_backend_get_memory_high_water (backend) / 1048576., n * n * sizeof (float) / 1048576.);

  return !checked || check (&attention, result, n, error);
}

int
main (int argc, char **argv)
{
  int n = 4096, d = 64, block = 128;
  gboolean checked = FALSE;
  const GOptionEntry entries[] = {
    { "length", 'n', 0, G_OPTION_ARG_INT, &n, "Queries, and keys (4096)", "N" },
    { "depth", 'd', 0, G_OPTION_ARG_INT, &d, "Numbers of each (64)", "N" },
    { "block", 'b', 0, G_OPTION_ARG_INT, &block, "Keys at a time (128)", "N" },
    { "check", 'c', 0, G_OPTION_ARG_NONE, &checked, "Compare with plain loops", NULL },
    { NULL }
  };
  g_autoptr (GError) error = NULL;
  g_autoptr (GOptionContext) context = g_option_context_new ("- attention in blocks");

  setlocale (LC_ALL, "");
  g_option_context_add_main_entries (context, entries, NULL);
  if (!g_option_context_parse (context, &argc, &argv, &error) || argc > 1 || n < 1 || d < 1 || block < 1)
    {
      g_printerr ("%s\n", error ? error->message : "sizes are at least 1; see --help");
      return 2;
    }

  if (!run (n, d, block, checked, &error))
    {
      g_printerr ("flash-attention: %s\n", error->message);
      return 1;
    }

  return 0;
}
