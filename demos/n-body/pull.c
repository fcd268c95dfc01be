/* SPDX-License-Identifier: LGPL-2.1-or-later */

#include "pull.h"

#include "n-body.h"

static AccExpr *
scale (AccExpr *vector, AccExpr *factor)
{
  return acc_expr_tuple3 (acc_expr_mul (acc_expr_item (vector, 0), factor),
                          acc_expr_mul (acc_expr_item (vector, 1), factor),
                          acc_expr_mul (acc_expr_item (vector, 2), factor));
}

static AccExpr *
plus (AccExpr *a, AccExpr *b, gpointer data)
{
  return acc_expr_tuple3 (acc_expr_add (acc_expr_item (a, 0), acc_expr_item (b, 0)),
                          acc_expr_add (acc_expr_item (a, 1), acc_expr_item (b, 1)),
                          acc_expr_add (acc_expr_item (a, 2), acc_expr_item (b, 2)));
}

AccExpr *
vectors_plus_scaled (AccExpr *a, AccExpr *b, gpointer data)
{
  g_autoptr(AccExpr) factor = acc_expr_ref_sink (acc_expr_new_float (*(double *) data));
  g_autoptr(AccExpr) scaled = acc_expr_ref_sink (scale (b, factor));

  return plus (a, scaled, NULL);
}

/* How a body is pulled by another of some mass: by 0 where both are the same, without a question */
static AccExpr *
pull (AccExpr *body, AccExpr *other, AccExpr *mass, gpointer data)
{
  double minus = -1;
  g_autoptr(AccExpr) apart = acc_expr_ref_sink (vectors_plus_scaled (other, body, &minus));
  g_autoptr(AccExpr) x = acc_expr_ref_sink (acc_expr_item (apart, 0));
  g_autoptr(AccExpr) y = acc_expr_ref_sink (acc_expr_item (apart, 1));
  g_autoptr(AccExpr) z = acc_expr_ref_sink (acc_expr_item (apart, 2));
  AccExpr *plane = acc_expr_add (acc_expr_mul (x, x), acc_expr_mul (y, y));
  AccExpr *space = acc_expr_add (plane, acc_expr_mul (z, z));
  g_autoptr(AccExpr) square = acc_expr_ref_sink (acc_expr_add (space, acc_expr_new_float (SOFTENING * SOFTENING)));
  g_autoptr(AccExpr) strength = acc_expr_ref_sink (acc_expr_fdiv (mass, acc_expr_mul (square, acc_expr_sqrt (square))));

  return scale (apart, strength);
}

static AccExpr *
pull_here (AccExpr *other, AccExpr *mass, gpointer body)
{
  return pull (acc_expr_the (body), other, mass, NULL);
}

AccArray *
bodies_get_pull_on (AccArray *body, AccArray *positions, AccArray *masses)
{
  g_autoptr(AccExpr) zero = acc_expr_ref_sink (acc_expr_new_float (0));
  g_autoptr(AccArray) pulls = acc_array_zip_with (positions, masses, pull_here, body);

  return acc_array_fold_all (pulls, acc_expr_tuple3 (zero, zero, zero), plus, NULL);
}

AccArray *
bodies_get_pull (AccArray *positions, AccArray *masses)
{
  /* Element (i, j) of the one is body i, of the others body j. */
  g_autoptr(AccExpr) n = acc_expr_ref_sink (acc_expr_extent (positions, 0));
  g_autoptr(AccExpr) all = acc_expr_ref_sink (acc_expr_new_int (ACC_ALL));
  g_autoptr(AccExpr) zero = acc_expr_ref_sink (acc_expr_new_float (0));
  AccExpr *down[] = { all, n }, *across[] = { n, all };
  g_autoptr(AccArray) bodies = acc_array_replicate_expr (positions, down, 2);
  g_autoptr(AccArray) others = acc_array_replicate_expr (positions, across, 2);
  g_autoptr(AccArray) their_masses = acc_array_replicate_expr (masses, across, 2);
  g_autoptr(AccArray) pulls = acc_array_zip_with3 (bodies, others, their_masses, pull, NULL);

  return acc_array_fold (pulls, acc_expr_tuple3 (zero, zero, zero), plus, NULL);
}
