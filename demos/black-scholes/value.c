/* SPDX-License-Identifier: LGPL-2.1-or-later */

#include "value.h"

#include <math.h>

/* An expression that is read more than once has an owner for that long. */
#define KEEP(name, value) g_autoptr (AccExpr) name = acc_expr_ref_sink (value)
#define F(value) acc_expr_new_float (value)

/* The distribution function of the normal distribution, to 7.5e-8: Abramowitz and Stegun (1964), formula 26.2.17 */
static AccExpr *
normal_cdf (AccExpr *x)
{
  const double coefficients[] = { 1.330274429, -1.821255978, 1.781477937, -0.356563782, 0.319381530 };
  KEEP (size, acc_expr_abs (x));
  KEEP (k, acc_expr_recip (acc_expr_add (F (1), acc_expr_mul (F (0.2316419), size))));
  AccExpr *polynomial = acc_expr_mul (F (coefficients[0]), k);

  for (guint i = 1; i < G_N_ELEMENTS (coefficients); i++)
    polynomial = acc_expr_mul (acc_expr_add (polynomial, F (coefficients[i])), k);

  AccExpr *density = acc_expr_mul (F (1 / sqrt (2 * G_PI)), acc_expr_exp (acc_expr_mul (F (-0.5), acc_expr_mul (x, x))));
  KEEP (tail, acc_expr_mul (density, polynomial));

  return acc_expr_cond (acc_expr_lt (x, F (0)), tail, acc_expr_sub (F (1), tail));
}

/* (call, put) of (spot, strike, years) */
static AccExpr *
value (AccExpr *option, gpointer data)
{
  const Market *market = data;
  KEEP (spot, acc_expr_item (option, 0));
  KEEP (strike, acc_expr_item (option, 1));
  KEEP (years, acc_expr_item (option, 2));
  KEEP (spread, acc_expr_mul (F (market->volatility), acc_expr_sqrt (years)));
  AccExpr *drift = acc_expr_mul (F (market->rate + market->volatility * market->volatility / 2), years);
  KEEP (d1, acc_expr_fdiv (acc_expr_add (acc_expr_log (acc_expr_fdiv (spot, strike)), drift), spread));
  KEEP (d2, acc_expr_sub (d1, spread));
  KEEP (above1, normal_cdf (d1));
  KEEP (above2, normal_cdf (d2));
  KEEP (discounted, acc_expr_mul (strike, acc_expr_exp (acc_expr_mul (F (-market->rate), years))));
  AccExpr *call = acc_expr_sub (acc_expr_mul (spot, above1), acc_expr_mul (discounted, above2));
  AccExpr *put = acc_expr_sub (acc_expr_mul (discounted, acc_expr_sub (F (1), above2)),
                               acc_expr_mul (spot, acc_expr_sub (F (1), above1)));

  return acc_expr_tuple2 (call, put);
}

AccArray *
options_value (AccArray *options, const Market *market)
{
  return acc_array_map (options, value, (gpointer) market);
}
