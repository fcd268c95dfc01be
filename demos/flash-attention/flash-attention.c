/* SPDX-License-Identifier: LGPL-2.1-or-later */

/* flash-attention [OPTION…]: softmax (Q Kᵀ / √d) V without the N × N matrix, after Dao et al. (2022). The keys and values
 * come in blocks; what is known of each query's softmax so far is a pair that an associative operator puts together. */

#include "attention.h"
#include "plain.h"

#include <locale.h>
#include <math.h>

static AccArray *
random_matrix (GRand *random, gint64 rows, gint64 columns, double largest)
{
  gsize n = rows * columns;
  float *values = g_new (float, n);

  for (gsize i = 0; i < n; i++)
    values[i] = g_rand_double_range (random, -largest, largest);

  g_autoptr(GBytes) bytes = g_bytes_new_take (values, n * sizeof *values);
  g_autoptr(AccShape) shape = acc_shape_new_matrix (rows, columns);

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
  g_autoptr(GRand) random = g_rand_new_with_seed (1);
  g_autoptr(AccArray) q = random_matrix (random, n, d, 80);
  g_autoptr(AccArray) k = random_matrix (random, n, d, 1);
  g_autoptr(AccArray) v = random_matrix (random, n, d, 1);
  Attention attention = { q, k, v, d, block };
  g_autoptr(AccArray) delayed = attention_attend (&attention);
  gint64 started = g_get_monotonic_time ();
  g_autoptr(AccArray) result = acc_backend_run (backend, delayed, NULL, error);
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
  g_autoptr(GError) error = NULL;
  g_autoptr(GOptionContext) context = g_option_context_new ("- attention in blocks");

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
