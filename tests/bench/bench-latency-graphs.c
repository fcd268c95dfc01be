/* SPDX-License-Identifier: LGPL-2.1-or-later */

/* Graphs for bench-latency. */

#include "bench-latency.h"

static AccExpr *
number (double x)
{
  return acc_expr_new_typed_float (acc_element_type_new (ACC_KIND_F32), x);
}

AccArray *
bench_make_input (gint64 rows, gint64 columns)
{
  gint64 n = MAX (rows, 1) * columns;
  float *data = g_new (float, n);
  g_autoptr(GBytes) bytes = NULL;
  g_autoptr(AccShape) shape = rows > 0 ? acc_shape_new_matrix (rows, columns) : acc_shape_new_vector (columns);

  for (gint64 i = 0; i < n; i++)
    data[i] = .5f + (float) (i * 7 % 16) / 16;
  bytes = g_bytes_new_take (data, n * sizeof *data);

  return acc_array_use (acc_element_type_new (ACC_KIND_F32), shape, bytes);
}

/* --- kernels */

static AccExpr *
vary (AccExpr *x, gpointer data)
{
  AccExpr *one = x;

  for (guint i = 0; i <= GPOINTER_TO_UINT (data); i++)
    x = i % 2 == 0 ? acc_expr_add (acc_expr_mul (x, number (.75)), one) : acc_expr_max (acc_expr_sub (x, number (.25)), one);

  return x;
}

static AccExpr *
plus (AccExpr *x, AccExpr *y, gpointer data)
{
  return acc_expr_add (x, y);
}

static AccExpr *
get_mean (AccExpr *n, gint64 radius, gpointer data)
{
  AccExpr *sum = NULL;

  for (gint64 y = -radius; y <= radius; y++)
    for (gint64 x = -radius; x <= radius; x++)
      {
        AccExpr *tap = acc_expr_neighbour (n, (gint64[]) { y, x }, 2);

        sum = sum == NULL ? tap : acc_expr_add (sum, tap);
      }

  return vary (acc_expr_mul (sum, number (1 / ((2. * (double) radius + 1) * (2. * (double) radius + 1)))), data);
}

static AccExpr *
mean9 (AccExpr *n, gpointer data)
{
  return get_mean (n, 1, data);
}

static AccExpr *
mean49 (AccExpr *n, gpointer data)
{
  return get_mean (n, 3, data);
}

static AccExpr *
to_target (AccExpr *x, gpointer data)
{
  return acc_expr_cast (acc_expr_mul (x, number (8)), acc_element_type_new (ACC_KIND_I64));
}

static AccExpr *
to_key (AccExpr *x, gpointer data)
{
  return acc_expr_cast (acc_expr_mul (vary (x, data), number (1000)), acc_element_type_new (ACC_KIND_I32));
}

static AccArray *
build_map (AccArray *input, guint variant)
{
  return acc_array_map (input, vary, GUINT_TO_POINTER (variant));
}

static AccArray *
build_fold (AccArray *input, guint variant)
{
  g_autoptr(AccArray) varied = build_map (input, variant);

  return acc_array_fold (varied, number (0), plus, NULL);
}

static AccArray *
build_fold_all (AccArray *input, guint variant)
{
  g_autoptr(AccArray) varied = build_map (input, variant);

  return acc_array_fold_all (varied, number (0), plus, NULL);
}

static AccArray *
build_scan (AccArray *input, guint variant)
{
  g_autoptr(AccArray) varied = build_map (input, variant);

  return acc_array_scanl1 (varied, plus, NULL);
}

static AccArray *
stencil (AccArray *input, gint64 side, AccExprFunc mean, guint variant)
{
  g_autoptr(AccBoundary) clamp = acc_boundary_new (ACC_BOUNDARY_CLAMP);

  return acc_array_stencil (input, (gint64[]) { side, side }, 2, clamp, mean, GUINT_TO_POINTER (variant));
}

static AccArray *
build_stencil (AccArray *input, guint variant)
{
  return stencil (input, 3, mean9, variant);
}

static AccArray *
build_long_stencil (AccArray *input, guint variant)
{
  return stencil (input, 7, mean49, variant);
}

static AccArray *
build_permute (AccArray *input, guint variant)
{
  g_autoptr(AccShape) shape = acc_shape_new_vector (16);
  g_autoptr(AccArray) zeros = acc_array_fill (shape, number (0));
  g_autoptr(AccArray) targets = acc_array_map (input, to_target, NULL);
  g_autoptr(AccArray) varied = build_map (input, variant);

  return acc_array_permute (varied, zeros, targets, plus, NULL);
}

static AccArray *
build_sort (AccArray *input, guint variant)
{
  return acc_array_sort_by_key (input, FALSE, to_key, GUINT_TO_POINTER (variant));
}

const BenchFamily bench_families[] = {
  { "map", build_map, 1 },
  { "fold of rows", build_fold, 2 },
  { "fold of everything", build_fold_all, 1 },
  { "scan", build_scan, 1 },
  { "stencil", build_stencil, 2 },
  { "long stencil", build_long_stencil, 2 },
  { "permute", build_permute, 1 },
  { "sort", build_sort, 1 },
};
const guint bench_n_families = G_N_ELEMENTS (bench_families);

/* --- graphs of many nodes */

static GPtrArray *
list_one (AccArray *result)
{
  GPtrArray *results = g_ptr_array_new_with_free_func (g_object_unref);

  g_ptr_array_add (results, result);

  return results;
}

static AccExpr *
step (AccExpr *x, gpointer data)
{
  return acc_expr_add (acc_expr_mul (x, number (.5)), number (1));
}

static GPtrArray *
build_maps (AccArray *input, guint n)
{
  AccArray *array = g_object_ref (input);

  for (guint i = 0; i < n; i++)
    {
      g_autoptr(AccArray) before = array;

      array = acc_array_map (before, step, NULL);
    }

  return list_one (array);
}

static GPtrArray *
build_tree (AccArray *input, guint n)
{
  g_autoptr(GPtrArray) level = g_ptr_array_new_with_free_func (g_object_unref);

  for (guint i = 0; i < (n + 1) / 2; i++)
    g_ptr_array_add (level, acc_array_map (input, step, NULL));
  while (level->len > 1)
    {
      GPtrArray *next = g_ptr_array_new_with_free_func (g_object_unref);

      for (guint i = 0; i + 1 < level->len; i += 2)
        g_ptr_array_add (next, acc_array_zip_with (level->pdata[i], level->pdata[i + 1], plus, NULL));
      if (level->len % 2 != 0)
        g_ptr_array_add (next, g_object_ref (level->pdata[level->len - 1]));
      g_ptr_array_unref (level);
      level = next;
    }

  return list_one (g_object_ref (level->pdata[0]));
}

/* Every node is read by the two after it. */
static GPtrArray *
build_lattice (AccArray *input, guint n)
{
  AccArray *last = acc_array_map (input, step, NULL);
  AccArray *before = g_object_ref (input);

  for (guint i = 1; i < n; i++)
    {
      AccArray *next = acc_array_zip_with (last, before, plus, NULL);

      g_object_unref (before);
      before = last;
      last = next;
    }
  g_object_unref (before);

  return list_one (last);
}

static GPtrArray *
build_stencils (AccArray *input, guint n)
{
  AccArray *array = g_object_ref (input);

  for (guint i = 0; i < n; i++)
    {
      g_autoptr(AccArray) before = array;

      array = build_stencil (before, 0);
    }

  return list_one (array);
}

static AccExpr *
plus_total (AccExpr *x, gpointer total)
{
  return acc_expr_add (x, acc_expr_linear_index (total, acc_expr_new_typed_int (acc_element_type_new (ACC_KIND_I64), 0)));
}

static GPtrArray *
build_folds_and_maps (AccArray *input, guint n)
{
  AccArray *array = g_object_ref (input);

  for (guint i = 0; i < n / 2; i++)
    {
      g_autoptr(AccArray) before = array;
      g_autoptr(AccArray) total = acc_array_fold_all (before, number (0), plus, NULL);

      array = acc_array_map (before, plus_total, total);
    }

  return list_one (array);
}

static GPtrArray *
build_many_results (AccArray *input, guint n)
{
  GPtrArray *results = g_ptr_array_new_with_free_func (g_object_unref);

  for (guint i = 0; i < n; i++)
    g_ptr_array_add (results, acc_array_map (input, vary, GUINT_TO_POINTER (i % 4)));

  return results;
}

static GPtrArray *
build_many_scans (AccArray *input, guint n)
{
  GPtrArray *results = g_ptr_array_new_with_free_func (g_object_unref);

  for (guint i = 0; i < n; i++)
    g_ptr_array_add (results, acc_array_scanl1 (input, plus, NULL));

  return results;
}

const BenchGraph bench_graphs[] = {
  { "chain of maps", build_maps },
  { "tree of zips", build_tree },
  { "lattice of zips", build_lattice },
  { "chain of stencils", build_stencils },
  { "folds and maps in turn", build_folds_and_maps },
  { "many maps side by side", build_many_results },
  { "many scans side by side", build_many_scans },
};
const guint bench_n_graphs = G_N_ELEMENTS (bench_graphs);
