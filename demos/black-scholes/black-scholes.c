/* SPDX-License-Identifier: LGPL-2.1-or-later */

/* black-scholes [OPTION…] [N]: what N European options are worth, after Black and Scholes (1973). One map over tuples. */

#include "value.h"

#include <locale.h>
#include <math.h>

/* The same of one option in double precision, by the C library's error function */
static void
value_exactly (const Market *market, double spot, double strike, double years, double *call, double *put)
{
  double spread = market->volatility * sqrt (years);
  double d1 = (log (spot / strike) + (market->rate + market->volatility * market->volatility / 2) * years) / spread;
  double d2 = d1 - spread, discounted = strike * exp (-market->rate * years);

  *call = spot * erfc (-d1 / G_SQRT2) / 2 - discounted * erfc (-d2 / G_SQRT2) / 2;
  *put = discounted * erfc (d2 / G_SQRT2) / 2 - spot * erfc (d1 / G_SQRT2) / 2;
}

/* Prices lie between 0 and about the strike, which single precision knows to 6e-8, and so is the error told. */
static gboolean
check (const Market *market, AccArray *options, AccArray *values, gint64 n, GError **error)
{
  double worst = 0;

  for (gint64 i = 0; i < n; i++)
    {
      double spot = acc_array_get_double (options, 0, i), strike = acc_array_get_double (options, 1, i);
      double call, put;

      value_exactly (market, spot, strike, acc_array_get_double (options, 2, i), &call, &put);
      for (int leaf = 0; leaf < 2; leaf++)
        {
          double off = fabs (acc_array_get_double (values, leaf, i) - (leaf == 0 ? call : put)) / (spot + strike);

          /* What is not a number is as wrong as can be. */
          worst = isnan (off) ? INFINITY : MAX (worst, off);
        }
    }

  g_print ("largest error %.1e of spot and strike, against double precision\n", worst);
  if (worst <= 1e-6)
    return TRUE;

  g_set_error (error, ACC_ERROR, ACC_ERROR_ARITHMETIC, "the error is too large");
  return FALSE;
}

/* Options to value: (spot, strike, years), drawn evenly. Leaves of tuples lie one behind the other, each in a buffer. */
static AccArray *
draw_options (gint64 n, guint32 seed)
{
  const struct { double least, most; } ranges[] = { { 5, 30 }, { 1, 100 }, { 0.25, 10 } };
  AccElementType *type = acc_element_type_parse ("(f4,f4,f4)", NULL);
  g_autoptr(AccShape) shape = acc_shape_new_vector (n);
  g_autoptr(GRand) rand = g_rand_new_with_seed (seed);
  GBytes *leaves[3];

  for (int leaf = 0; leaf < 3; leaf++)
    {
      float *numbers = g_new (float, n);

      for (gint64 i = 0; i < n; i++)
        numbers[i] = g_rand_double_range (rand, ranges[leaf].least, ranges[leaf].most);
      leaves[leaf] = g_bytes_new_take (numbers, n * sizeof *numbers);
    }

  AccArray *options = acc_array_use_buffers (type, shape, leaves, 3);

  for (int leaf = 0; leaf < 3; leaf++)
    g_bytes_unref (leaves[leaf]);
  return options;
}

static gboolean
run (const Market *market, gint64 n, guint32 seed, gboolean checked, GError **error)
{
  AccBackend *backend = acc_backend_get_default (error);
  if (backend == NULL)
    return FALSE;

  g_autoptr(AccArray) options = draw_options (n, seed);
  g_autoptr(AccArray) delayed = options_value (options, market);
  gint64 started = g_get_monotonic_time ();
  g_autoptr(AccArray) values = acc_backend_run (backend, delayed, NULL, error);
  if (values == NULL)
    return FALSE;

  double milliseconds = (g_get_monotonic_time () - started) / 1e3;

  g_print ("    spot   strike    years     call      put\n");
  for (gint64 i = 0; i < MIN (n, 10); i++)
    g_print ("%8.2f %8.2f %8.2f %8.3f %8.3f\n", acc_array_get_double (options, 0, i),
             acc_array_get_double (options, 1, i), acc_array_get_double (options, 2, i),
             acc_array_get_double (values, 0, i), acc_array_get_double (values, 1, i));
  g_print ("%" G_GINT64_FORMAT " options: %.1f ms on %s\n", n, milliseconds, acc_backend_get_name (backend));

  return !checked || check (market, options, values, n, error);
}

int
main (int argc, char **argv)
{
  Market market = { .rate = 0.02, .volatility = 0.3 };
  int seed = 1;
  gboolean checked = FALSE;
  const GOptionEntry entries[] = {
    { "rate", 'r', 0, G_OPTION_ARG_DOUBLE, &market.rate, "Riskless interest of a year (0.02)", "FRACTION" },
    { "volatility", 'v', 0, G_OPTION_ARG_DOUBLE, &market.volatility, "Deviation of a year (0.3)", "FRACTION" },
    { "seed", 's', 0, G_OPTION_ARG_INT, &seed, "Which options (1)", "N" },
    { "check", 'c', 0, G_OPTION_ARG_NONE, &checked, "Compare with double precision", NULL },
    { NULL }
  };
  g_autoptr(GError) error = NULL;
  g_autoptr(GOptionContext) context = g_option_context_new ("[N] - value N options, one million unless given");

  setlocale (LC_ALL, "");
  g_option_context_add_main_entries (context, entries, NULL);
  if (!g_option_context_parse (context, &argc, &argv, &error) || argc > 2)
    {
      g_printerr ("%s\n", error ? error->message : "at most one number; see --help");
      return 2;
    }

  gint64 n = 1000000;
  if ((argc > 1 && !g_ascii_string_to_signed (argv[1], 10, 0, G_MAXINT32, &n, &error)) || !(market.volatility > 0))
    {
      g_printerr ("%s\n", error ? error->message : "the volatility is more than 0");
      return 2;
    }

  if (!run (&market, n, seed, checked, &error))
    {
      g_printerr ("black-scholes: %s\n", error->message);
      return 1;
    }

  return 0;
}
