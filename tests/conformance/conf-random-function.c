/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "conf-random-steps.h"

/* Functions of arrays whose extents are not known while they are built: what is drawn depends on types and ranks alone. Nothing but what
 * is made to fail is ever outside, and every result is the same in any order of its sums. */

#define MOST_LEAVES 12

/* --- failures, where the outermost extent leaves 1 of 3, or there are no elements */

static AccExpr *
one_where_it_fails (AccArray *x)
{
  return acc_expr_cond (conf_leaves (x, 1), conf_i64 (1), conf_i64 (0));
}

static AccExpr *
same_place (AccExpr *index, gpointer array)
{
  return acc_expr_index (array, index);
}

static AccExpr *
divided (AccExpr *x, gpointer array)
{
  return acc_expr_quot (x, acc_expr_cond (conf_leaves (array, 1), conf_i64 (0), conf_i64 (2)));
}

static AccExpr *
place_further (AccExpr *index, AccExpr *x, gpointer array)
{
  return acc_expr_add (index, one_where_it_fails (array));
}

static AccArray *
read_outside (ConfRandom *c, AccArray *x)
{
  g_autoptr(AccArray) rows = conf_with_rows (x);

  return acc_array_generate_expr (conf_extents_of (rows, one_where_it_fails (rows)), same_place, rows);
}

static AccArray *
reshape_wrongly (ConfRandom *c, AccArray *x)
{
  g_autoptr(AccArray) rows = conf_with_rows (x);

  return acc_array_reshape_expr (rows, acc_expr_add (conf_size_of (rows), one_where_it_fails (rows)));
}

static AccArray *
fold_nothing (ConfRandom *c, AccArray *x)
{
  g_autoptr(AccArray) rows = conf_with_rows (x), fewer = acc_array_drop (rows, 2);

  return conf_pick (c, 2) ? acc_array_fold1 (fewer, conf_random_combine, NULL)
                          : acc_array_fold1_all (fewer, conf_random_combine, NULL);
}

static AccArray *
slice_outside (ConfRandom *c, AccArray *x)
{
  g_autoptr(AccArray) rows = conf_with_rows (x);
  guint rank = acc_array_get_rank (rows);
  gint64 entries[8];

  for (guint i = 0; i < rank; i++)
    entries[i] = i == 0 ? 1 : ACC_ALL;
  return acc_array_slice (rows, entries, rank);
}

static AccArray *
divide_by_zero (ConfRandom *c, AccArray *x)
{
  g_autoptr(AccArray) numbers = conf_whole_numbers (x, "i8");

  return acc_array_map (numbers, divided, x);
}

static AccArray *
permute_outside (ConfRandom *c, AccArray *x)
{
  g_autoptr(AccArray) rows = conf_with_rows (x), flat = acc_array_flatten (rows), targets = acc_array_imap (flat, place_further, rows);

  return acc_array_permute (flat, flat, targets, conf_random_combine, NULL);
}

static AccArray *
permute_mismatched (ConfRandom *c, AccArray *x)
{
  g_autoptr(AccArray) rows = conf_with_rows (x), flat = acc_array_flatten (rows), targets = NULL, fewer = acc_array_drop (flat, 1);

  targets = acc_array_imap (fewer, conf_first, NULL);
  return acc_array_permute (flat, flat, targets, conf_random_combine, NULL);
}

static const struct {
  const char *name;
  ConfStep    step;
} failing[] = {
  { "read-outside", read_outside },   { "reshape-wrongly", reshape_wrongly }, { "fold-nothing", fold_nothing },
  { "slice-outside", slice_outside }, { "divide-by-zero", divide_by_zero },   { "permute-outside", permute_outside },
  { "permute-mismatched", permute_mismatched },
};

/* --- all of them */

static const ConfStep steps[] = {
  conf_step_map, conf_step_imap, conf_step_zip_with, conf_step_zip_with3, conf_step_zip, conf_step_unzip, conf_step_fill,
  conf_step_generate, conf_step_compute, conf_step_map_with_total, conf_step_reshape, conf_step_replicate, conf_step_slice,
  conf_step_backpermute, conf_step_rearrange, conf_step_stencil, conf_step_stencil2, conf_step_fold, conf_step_fold1, conf_step_fold_all,
  conf_step_fold1_all, conf_step_scan, conf_step_permute, conf_step_sort, conf_step_filter, conf_step_choose, conf_step_loop,
  conf_step_foreign, conf_step_fold_segments, conf_step_fold1_segments, conf_step_scan_segments, conf_step_nest, conf_step_multiply,
  conf_step_transform, conf_step_random_numbers, conf_step_other_array, };

guint
conf_n_steps (void)
{
  return G_N_ELEMENTS (steps);
}

guint
conf_n_failures (void)
{
  return G_N_ELEMENTS (failing);
}

const char *
conf_get_failure (guint step)
{
  return step < G_N_ELEMENTS (steps) ? NULL : failing[step - G_N_ELEMENTS (steps)].name;
}

static AccArray *
random_step (ConfRandom *c, guint step)
{
  AccArray *x = conf_any (c);

  return step < G_N_ELEMENTS (steps) ? steps[step] (c, x) : failing[step - G_N_ELEMENTS (steps)].step (c, x);
}

static gboolean
is_small (AccArray *node)
{
  return acc_array_get_rank (node) <= CONF_MOST_RANK && acc_element_type_get_n_leaves (acc_array_get_element_type (node)) <= MOST_LEAVES;
}

AccArray *
conf_random_function (AccArray **arrays, guint n, guint32 seed, guint step)
{
  ConfRandom c = { .rand = g_rand_new_with_seed (seed), .pool = g_ptr_array_new_with_free_func (g_object_unref) };
  g_autoptr(AccArray) last = NULL;

  for (guint i = 0; i < n; i++)
    g_ptr_array_add (c.pool, g_object_ref (arrays[i]));
  for (gint i = conf_pick (&c, 4); i > 0; i--)
    {
      g_autoptr(AccArray) node = random_step (&c, conf_pick (&c, G_N_ELEMENTS (steps)));
      g_autoptr(GError) error = NULL;

      acc_array_check (node, &error);
      g_assert_no_error (error);
      if (is_small (node))
        g_ptr_array_add (c.pool, g_steal_pointer (&node));
    }
  last = random_step (&c, step);
  g_ptr_array_unref (c.pool);
  g_rand_free (c.rand);

  return g_steal_pointer (&last);
}
