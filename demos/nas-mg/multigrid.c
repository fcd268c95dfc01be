/* SPDX-License-Identifier: LGPL-2.1-or-later */

#include "multigrid.h"

static const MultigridClass classes[] = {
  { "S", 32, 4, { -3. / 8, 1. / 32, -1. / 64, 0 }, 0.5307707005734e-04 },
  { "W", 128, 4, { -3. / 8, 1. / 32, -1. / 64, 0 }, 0.6467329375339e-05 },
  { "A", 256, 4, { -3. / 8, 1. / 32, -1. / 64, 0 }, 0.2433365309069e-05 },
  { "B", 256, 20, { -3. / 17, 1. / 33, -1. / 61, 0 }, 0.1800564401355e-05 },
  { "C", 512, 20, { -3. / 17, 1. / 33, -1. / 61, 0 }, 0.5706732285740e-06 },
};

const MultigridClass *
multigrid_find_class (const char *name)
{
  for (gsize i = 0; i < G_N_ELEMENTS (classes); i++)
    if (g_str_equal (classes[i].name, name))
      return &classes[i];

  return NULL;
}

/* Weights of a point of the 3×3×3 neighbourhood: the centre, its 6 faces, 12 edges, 8 corners. */
static const double laplacian[4] = { -8. / 3, 0, 1. / 6, 1. / 12 };
static const double restriction[4] = { 1. / 2, 1. / 4, 1. / 8, 1. / 16 };

AccShape *
multigrid_cube (gint64 side)
{
  const gint64 extents[] = { side, side, side };

  return acc_shape_new (extents, 3);
}

static AccExpr *
weigh (AccExpr *n, gpointer weights)
{
  const double *weight = weights;
  AccExpr *sums[4] = { NULL };
  AccExpr *result = NULL;

  for (int dz = -1; dz <= 1; dz++)
    for (int dy = -1; dy <= 1; dy++)
      for (int dx = -1; dx <= 1; dx++)
        {
          int distance = ABS (dz) + ABS (dy) + ABS (dx);

          if (weight[distance] != 0)
            {
              AccExpr *neighbour = acc_expr_neighbour3 (n, dz, dy, dx);

              sums[distance] = sums[distance] ? acc_expr_add (sums[distance], neighbour) : neighbour;
            }
        }

  for (int distance = 0; distance < 4; distance++)
    if (sums[distance])
      {
        AccExpr *term = acc_expr_mul (sums[distance], acc_expr_new_float (weight[distance]));

        result = result ? acc_expr_add (result, term) : term;
      }

  return result;
}

static AccArray *
weighted_neighbours (AccArray *array, const double *weights)
{
  const gint64 sizes[] = { 3, 3, 3 };
  g_autoptr(AccBoundary) periodic = acc_boundary_new (ACC_BOUNDARY_WRAP);

  return acc_array_stencil (array, sizes, 3, periodic, weigh, (gpointer) weights);
}

/* What is left to solve: v - A u. */
static AccArray *
residual (AccArray *u, AccArray *v)
{
  g_autoptr(AccArray) product = weighted_neighbours (u, laplacian);

  return acc_array_sub (v, product);
}

/* A better solution: u + S r. */
static AccArray *
smooth (AccArray *u, AccArray *r, const double *smoother)
{
  g_autoptr(AccArray) correction = weighted_neighbours (r, smoother);

  return acc_array_add (u, correction);
}

/* Point i of the coarse grid lies on point 2 i + 1 of the fine one. */
static AccExpr *
on_fine_grid (AccExpr *index, gpointer data)
{
  AccExpr *items[3];

  for (int d = 0; d < 3; d++)
    items[d] = acc_expr_add (acc_expr_mul (acc_expr_item (index, d), acc_expr_new_int (2)), acc_expr_new_int (1));

  return acc_expr_tuple (items, 3);
}

static AccArray *
restrict_to (AccArray *fine, gint64 side)
{
  g_autoptr(AccShape) coarse = multigrid_cube (side);
  g_autoptr(AccArray) averages = weighted_neighbours (fine, restriction);

  return acc_array_backpermute (averages, coarse, on_fine_grid, NULL);
}

/* The coarse point at or before a fine one (@after 0), at or after it (@after 1): the same one where they meet. */
static AccExpr *
on_coarse_grid (AccExpr *fine, int after, AccArray *coarse, guint dimension)
{
  AccExpr *place = acc_expr_div (acc_expr_sub (fine, acc_expr_new_int (1 - after)), acc_expr_new_int (2));

  return acc_expr_mod (place, acc_expr_extent (coarse, dimension));
}

/* The mean of the eight coarse points around: linear interpolation along each dimension. */
static AccExpr *
interpolate (AccExpr *index, gpointer data)
{
  AccArray *coarse = data;
  AccExpr *sum = NULL;

  for (int corner = 0; corner < 8; corner++)
    {
      AccExpr *items[3];

      for (int d = 0; d < 3; d++)
        items[d] = on_coarse_grid (acc_expr_item (index, d), (corner >> d) & 1, coarse, d);

      AccExpr *value = acc_expr_index (coarse, acc_expr_tuple (items, 3));
      sum = sum ? acc_expr_add (sum, value) : value;
    }

  return acc_expr_mul (sum, acc_expr_new_float (1. / 8));
}

static AccArray *
prolong_to (AccArray *coarse, gint64 side)
{
  g_autoptr(AccShape) fine = multigrid_cube (side);

  return acc_array_generate (fine, interpolate, coarse);
}

/* Solves A u = r roughly, from nothing: corrected on the coarser grid, then smoothed. */
static AccArray *
solve (AccArray *r, gint64 side, const double *smoother)
{
  if (side == 2)
    return weighted_neighbours (r, smoother);

  g_autoptr(AccArray) coarse_r = restrict_to (r, side / 2);
  g_autoptr(AccArray) coarse_u = solve (coarse_r, side / 2, smoother);
  g_autoptr(AccArray) u = prolong_to (coarse_u, side);
  g_autoptr(AccArray) rest = residual (u, r);

  return smooth (u, rest, smoother);
}

static AccExpr *
square (AccExpr *x, gpointer data)
{
  return acc_expr_mul (x, x);
}

GPtrArray *
multigrid_cycle (AccArray **state, guint n_state, gpointer data)
{
  const MultigridClass *class = data;
  AccArray *u = state[0], *r = state[1], *v = state[2];
  g_autoptr(AccArray) coarse_r = restrict_to (r, class->side / 2);
  g_autoptr(AccArray) coarse_u = solve (coarse_r, class->side / 2, class->smoother);
  g_autoptr(AccArray) correction = prolong_to (coarse_u, class->side);
  g_autoptr(AccArray) corrected = acc_array_add (u, correction);
  g_autoptr(AccArray) rest = residual (corrected, v);
  AccArray *next_u = smooth (corrected, rest, class->smoother);
  AccArray *next_r = residual (next_u, v);
  g_autoptr(AccArray) squares = acc_array_map (next_r, square, NULL);
  GPtrArray *results = g_ptr_array_new_with_free_func (g_object_unref);

  g_ptr_array_add (results, next_u);
  g_ptr_array_add (results, next_r);
  g_ptr_array_add (results, acc_array_sum_all (squares));
  return results;
}

/* Number n of the benchmark's generator x ← 5^13 x mod 2^46, at once: 5^(13 (n + 1)) times the seed, where 64 bits may
 * overflow. */
static AccExpr *
random_number (AccExpr *index, gpointer side)
{
  AccElementType *u64 = acc_element_type_new (ACC_KIND_U64);
  AccExpr *n = acc_expr_item (index, 0);

  for (int d = 1; d < 3; d++)
    n = acc_expr_add (acc_expr_mul (n, acc_expr_new_int (GPOINTER_TO_INT (side))), acc_expr_item (index, d));

  AccExpr *power = acc_expr_int_pow (acc_expr_new_typed_uint (u64, 1220703125), acc_expr_add (n, acc_expr_new_int (1)));
  AccExpr *product = acc_expr_mul (power, acc_expr_new_typed_uint (u64, 314159265));

  return acc_expr_band (product, acc_expr_new_typed_uint (u64, (G_GUINT64_CONSTANT (1) << 46) - 1));
}

/* A number twice, but for those already counted as largest or smallest; @extremes is the pair of the last ones. */
static AccExpr *
not_counted (AccExpr *x, gpointer extremes)
{
  AccElementType *u64 = acc_element_type_new (ACC_KIND_U64);
  AccExpr *last = acc_expr_the (extremes);

  return acc_expr_tuple2 (acc_expr_cond (acc_expr_lt (x, acc_expr_item (last, 0)), x, acc_expr_new_minimum (u64)),
                          acc_expr_cond (acc_expr_gt (x, acc_expr_item (last, 1)), x, acc_expr_new_maximum (u64)));
}

static AccExpr *
larger_and_smaller (AccExpr *a, AccExpr *b, gpointer data)
{
  return acc_expr_tuple2 (acc_expr_max (acc_expr_item (a, 0), acc_expr_item (b, 0)),
                          acc_expr_min (acc_expr_item (a, 1), acc_expr_item (b, 1)));
}

static AccExpr *
charge (AccExpr *x, gpointer extremes)
{
  AccExpr *tenth = acc_expr_the (extremes);

  return acc_expr_cond (acc_expr_ge (x, acc_expr_item (tenth, 0)), acc_expr_new_float (1),
                        acc_expr_cond (acc_expr_le (x, acc_expr_item (tenth, 1)), acc_expr_new_float (-1),
                                       acc_expr_new_float (0)));
}

AccArray *
multigrid_charges (gint64 side)
{
  AccElementType *u64 = acc_element_type_new (ACC_KIND_U64);
  g_autoptr(AccShape) shape = multigrid_cube (side);
  g_autoptr(AccArray) delayed = acc_array_generate (shape, random_number, GINT_TO_POINTER ((int) side));
  g_autoptr(AccArray) numbers = acc_array_compute (delayed);
  g_autoptr(AccArray) extremes = acc_array_unit (acc_expr_tuple2 (acc_expr_new_maximum (u64), acc_expr_new_minimum (u64)));

  for (int i = 0; i < 10; i++)
    {
      g_autoptr(AccArray) rest = acc_array_map (numbers, not_counted, extremes);

      g_object_unref (extremes);
      extremes = acc_array_fold1_all (rest, larger_and_smaller, NULL);
    }

  return acc_array_map (numbers, charge, extremes);
}
