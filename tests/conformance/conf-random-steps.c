/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "conf-random-steps.h"

/* Steps that fold, move and compute elements. */

#define MOST_GROWN 2

/* --- scalars that depend on the array */

AccExpr *
conf_extent_of (AccArray *array)
{
  return acc_array_get_rank (array) > 0 ? acc_expr_extent (array, 0) : conf_i64 (2);
}

AccExpr *
conf_leaves (AccArray *array, gint64 rest)
{
  return acc_expr_eq (acc_expr_mod (conf_extent_of (array), conf_i64 (3)), conf_i64 (rest));
}

AccExpr *
conf_size_of (AccArray *array)
{
  AccExpr *size = conf_i64 (1);

  for (guint i = 0; i < acc_array_get_rank (array); i++)
    size = acc_expr_mul (size, acc_expr_extent (array, i));
  return size;
}

static AccExpr *
join (AccExpr **items, guint n)
{
  return n == 1 ? items[0] : acc_expr_tuple (items, n);
}

AccExpr *
conf_extents_of (AccArray *array, AccExpr *more)
{
  guint rank = acc_array_get_rank (array);
  AccExpr *items[8];

  for (guint i = 0; i < rank; i++)
    items[i] = i == 0 && more != NULL ? acc_expr_add (acc_expr_extent (array, i), more) : acc_expr_extent (array, i);
  return join (items, rank);
}

/* Those of @given, or 0 where @from has no elements, which somebody reads. */
static AccExpr *
readable_extents (AccArray *given, AccArray *from)
{
  AccArray *like = acc_array_get_rank (given) > 0 ? given : from;
  guint rank = acc_array_get_rank (like);
  g_autoptr(AccExpr) full = acc_expr_ref_sink (acc_expr_gt (conf_size_of (from), conf_i64 (0)));
  AccExpr *items[8];

  for (guint i = 0; i < rank; i++)
    items[i] = acc_expr_cond (full, acc_expr_extent (like, i), conf_i64 (0));
  return join (items, rank);
}

AccArray *
conf_with_rows (AccArray *x)
{
  return acc_array_get_rank (x) > 0 ? g_object_ref (x) : acc_array_replicate (x, (gint64[]) { 3 }, 1);
}

AccArray *
conf_grow (AccArray *x, gboolean inner, gint64 n)
{
  guint rank = acc_array_get_rank (x);
  gint64 entries[8];

  for (guint i = 0; i <= rank; i++)
    entries[i] = i == (inner ? rank : 0) ? n : ACC_ALL;
  return acc_array_replicate (x, entries, rank + 1);
}

static AccExpr *
whole_leaf (AccExpr *x, gpointer data)
{
  AccExpr *at = x;

  while (!acc_element_type_is_scalar (acc_expr_get_element_type (at)) && acc_expr_get_n_items (at) > 0)
    at = acc_expr_item (at, 0);
  return acc_expr_cast (acc_element_type_is_scalar (acc_expr_get_element_type (at)) ? at : conf_i64 (4), data);
}

AccArray *
conf_whole_numbers (AccArray *x, const char *code)
{
  return acc_array_map (x, whole_leaf, conf_type (code));
}

/* --- elements */

AccArray *
conf_step_map (ConfRandom *c, AccArray *x)
{
  return acc_array_map (x, conf_random_map, c);
}

AccArray *
conf_step_imap (ConfRandom *c, AccArray *x)
{
  return acc_array_imap (x, conf_random_zip, c);
}

AccArray *
conf_step_zip_with (ConfRandom *c, AccArray *x)
{
  return acc_array_zip_with (x, conf_partner (c, x), conf_random_zip, c);
}

AccArray *
conf_step_zip_with3 (ConfRandom *c, AccArray *x)
{
  AccArray *y = conf_partner (c, x), *z = conf_partner (c, x);

  return acc_array_zip_with3 (x, y, z, conf_random_zip3, c);
}

AccArray *
conf_step_zip (ConfRandom *c, AccArray *x)
{
  return acc_array_zip (x, conf_partner (c, x));
}

AccArray *
conf_step_unzip (ConfRandom *c, AccArray *x)
{
  g_autoptr(AccArray) pairs = acc_array_zip (conf_partner (c, x), x);

  return acc_array_unzip (pairs, conf_pick (c, 2));
}

AccArray *
conf_step_fill (ConfRandom *c, AccArray *x)
{
  g_autoptr(AccArray) total = acc_array_fold_all (x, conf_neutral (acc_array_get_element_type (x)), conf_random_combine, NULL);

  return acc_array_fill_expr (conf_extents_of (x, NULL), acc_expr_the (total));
}

static AccExpr *
gathered (AccExpr *index, gpointer data)
{
  ConfAccess *access = data;
  g_autoptr(AccExpr) read = acc_expr_ref_sink (acc_expr_index (access->array, conf_random_wrap (index, data)));
  AccExpr *both[2] = { read, index };

  return conf_random_element (access->c, both, acc_expr_get_n_items (index) > 0 ? 2 : 1);
}

AccArray *
conf_step_generate (ConfRandom *c, AccArray *x)
{
  AccArray *like = conf_any (c);

  return acc_array_generate_expr (readable_extents (like, x), gathered, &(ConfAccess) { c, x });
}

AccArray *
conf_step_compute (ConfRandom *c, AccArray *x)
{
  g_autoptr(AccArray) mapped = conf_step_map (c, x);

  return acc_array_compute (mapped);
}

AccExpr *
conf_with_total (AccExpr *x, gpointer data)
{
  ConfAccess *access = data;

  return conf_random_with (access->c, x, acc_expr_the (access->array));
}

AccArray *
conf_step_map_with_total (ConfRandom *c, AccArray *x)
{
  g_autoptr(AccArray) total = acc_array_fold_all (x, conf_neutral (acc_array_get_element_type (x)), conf_random_combine, NULL);

  return acc_array_map (x, conf_with_total, &(ConfAccess) { c, total });
}

/* --- other extents */

AccArray *
conf_step_reshape (ConfRandom *c, AccArray *x)
{
  guint rank = acc_array_get_rank (x);
  AccExpr *items[8];

  if (conf_pick (c, 2))
    return acc_array_flatten (x);
  for (guint i = 0; i < rank; i++)
    items[i] = acc_expr_extent (x, rank - 1 - i);
  items[rank] = conf_i64 (1);
  return acc_array_reshape_expr (x, join (items, rank < CONF_MOST_RANK ? rank + 1 : rank));
}

AccArray *
conf_step_replicate (ConfRandom *c, AccArray *x)
{
  if (c->n_grown >= MOST_GROWN || acc_array_get_rank (x) >= CONF_MOST_RANK)
    return conf_grow (x, conf_pick (c, 2), 1);
  c->n_grown++;
  return conf_grow (x, conf_pick (c, 2), conf_pick (c, 4));
}

AccArray *
conf_step_slice (ConfRandom *c, AccArray *x)
{
  gboolean inner = conf_pick (c, 2);
  g_autoptr(AccArray) grown = conf_grow (x, inner, 2), other = conf_step_map (c, grown);
  guint rank = acc_array_get_rank (other);
  gint64 entries[8];

  for (guint i = 0; i < rank; i++)
    entries[i] = i == (inner ? rank - 1 : 0) ? conf_pick (c, 2) : ACC_ALL;
  return acc_array_slice (other, entries, rank);
}

AccArray *
conf_step_backpermute (ConfRandom *c, AccArray *x)
{
  return acc_array_backpermute_expr (x, readable_extents (conf_any (c), x), conf_random_wrap, &(ConfAccess) { c, x });
}

AccArray *
conf_step_rearrange (ConfRandom *c, AccArray *x)
{
  g_autoptr(AccArray) rows = conf_with_rows (x);

  switch (conf_pick (c, 7))
    {
    case 0:
      return acc_array_reverse (rows);
    case 1:
      return acc_array_take (rows, conf_pick (c, 4));
    case 2:
      return acc_array_drop (rows, conf_pick (c, 4));
    case 3:
      return acc_array_get_rank (rows) > 1 ? acc_array_transpose (rows) : acc_array_drop_last (rows, 1);
    case 4:
      return acc_array_indexed (rows);
    case 5:
      return acc_array_slit (rows, 1, 2);
    default:
      return c->n_grown++ < MOST_GROWN ? acc_array_concat (rows, rows) : acc_array_tail (rows);
    }
}

/* --- neighbours */

static AccExpr *
outside (AccExpr *index, gpointer type)
{
  return conf_from_index (index, type);
}

static AccBoundary *
boundary_for (ConfRandom *c, AccArray *x)
{
  static const AccBoundaryKind kinds[] = { ACC_BOUNDARY_CLAMP, ACC_BOUNDARY_MIRROR, ACC_BOUNDARY_WRAP };
  AccElementType *type = acc_array_get_element_type (x);
  gint kind = conf_pick (c, 5);

  if (kind < 3)
    return acc_boundary_new (kinds[kind]);
  return kind == 3 ? acc_boundary_new_constant (conf_neutral (type)) : acc_boundary_new_function (acc_array_get_rank (x), outside, type);
}

static void
draw_sizes (ConfRandom *c, guint rank, gint64 *sizes)
{
  for (guint i = 0; i < rank; i++)
    sizes[i] = 1 + 2 * conf_pick (c, rank > 1 ? 2 : 3);
}

AccArray *
conf_step_stencil (ConfRandom *c, AccArray *x)
{
  g_autoptr(AccArray) rows = conf_with_rows (x), total = NULL;
  g_autoptr(AccBoundary) boundary = boundary_for (c, rows);
  guint rank = acc_array_get_rank (rows);
  gint64 sizes[8];

  draw_sizes (c, rank, sizes);
  if (conf_pick (c, 3) > 0)
    return acc_array_stencil (rows, sizes, rank, boundary, conf_random_map, c);
  total = acc_array_fold_all (rows, conf_neutral (acc_array_get_element_type (rows)), conf_random_combine, NULL);
  return acc_array_stencil (rows, sizes, rank, boundary, conf_with_total, &(ConfAccess) { c, total });
}

AccArray *
conf_step_stencil2 (ConfRandom *c, AccArray *x)
{
  g_autoptr(AccArray) rows = conf_with_rows (x), other = acc_array_map (rows, conf_mix, NULL), fewer = acc_array_drop (other, 1);
  g_autoptr(AccBoundary) first = boundary_for (c, rows), second = boundary_for (c, fewer);
  guint rank = acc_array_get_rank (rows);
  gint64 sizes[8], other_sizes[8];

  draw_sizes (c, rank, sizes);
  draw_sizes (c, rank, other_sizes);
  return acc_array_stencil2 (rows, sizes, rank, first, fewer, other_sizes, rank, second, conf_random_zip, c);
}

/* --- many to one */

static AccExpr *
first_or_last (AccExpr *x, AccExpr *y, gpointer array)
{
  return acc_expr_cond (conf_leaves (array, 1), x, y);
}

/* In any order, and another one for some arrays. */
static AccExpr *
combine_either (AccExpr *x, AccExpr *y, gpointer array)
{
  g_autoptr(AccExpr) a = acc_expr_ref_sink (x), b = acc_expr_ref_sink (y);

  return acc_expr_cond (conf_leaves (array, 1), conf_random_combine (a, b, NULL), conf_random_combine (b, a, NULL));
}

AccExpr *
conf_initial_for (ConfRandom *c, AccArray *x, gboolean depends)
{
  AccElementType *type = acc_array_get_element_type (x);

  return depends ? acc_expr_cond (conf_leaves (x, 0), conf_neutral (type), conf_mix (conf_neutral (type), NULL)) : conf_neutral (type);
}

AccExprFunc2
conf_draw_operator (ConfRandom *c, AccArray *x)
{
  return conf_pick (c, 2) ? first_or_last : conf_random_combine;
}

AccArray *
conf_step_fold (ConfRandom *c, AccArray *x)
{
  g_autoptr(AccArray) rows = conf_with_rows (x);
  AccExprFunc2 operator = conf_draw_operator (c, rows);

  return acc_array_fold (rows, conf_initial_for (c, rows, conf_pick (c, 2)), operator, rows);
}

AccArray *
conf_step_fold1 (ConfRandom *c, AccArray *x)
{
  g_autoptr(AccArray) rows = conf_grow (x, TRUE, 1 + conf_pick (c, 2)), mapped = conf_step_imap (c, rows);

  return acc_array_fold1 (mapped, conf_draw_operator (c, mapped), mapped);
}

AccArray *
conf_step_fold_all (ConfRandom *c, AccArray *x)
{
  AccExprFunc2 operator = conf_draw_operator (c, x);

  return acc_array_fold_all (x, conf_initial_for (c, x, conf_pick (c, 2)), operator, x);
}

AccArray *
conf_step_fold1_all (ConfRandom *c, AccArray *x)
{
  g_autoptr(AccArray) one = conf_step_fold_all (c, x), flat = acc_array_flatten (one), sides = NULL, others = acc_array_flatten (x);

  sides = acc_array_get_element_type (one) == acc_array_get_element_type (x) ? acc_array_concat (flat, others) : g_object_ref (flat);
  return acc_array_fold1_all (sides, conf_draw_operator (c, sides), x);
}

AccArray *
conf_step_scan (ConfRandom *c, AccArray *x)
{
  g_autoptr(AccArray) rows = conf_with_rows (x);
  AccExprFunc2 operator = conf_draw_operator (c, rows);

  switch (conf_pick (c, 5))
    {
    case 0:
      return acc_array_scanr1 (rows, operator, rows);
    case 1:
      return acc_array_scanl (rows, conf_initial_for (c, rows, conf_pick (c, 2)), operator, rows);
    case 2:
      return acc_array_scanr (rows, conf_initial_for (c, rows, conf_pick (c, 2)), operator, rows);
    default:
      return acc_array_scanl1 (rows, operator, rows);
    }
}

static AccExpr *
target (AccExpr *index, AccExpr *x, gpointer data)
{
  return conf_random_wrap (index, data);
}

static AccExpr *
optional_target (AccExpr *index, AccExpr *x, gpointer data)
{
  ConfAccess *access = data;

  return acc_expr_tuple2 (acc_expr_gt (conf_size_of (access->array), conf_i64 (0)), conf_random_wrap (index, data));
}

AccArray *
conf_step_permute (ConfRandom *c, AccArray *x)
{
  AccArray *other = conf_any (c);
  gboolean same = other == x || acc_array_get_element_type (other) != acc_array_get_element_type (x);
  g_autoptr(AccArray) defaults = acc_array_map (same ? x : other, conf_mix, NULL), targets = NULL;

  targets = acc_array_imap (x, same ? target : optional_target, &(ConfAccess) { c, defaults });
  return acc_array_permute (x, defaults, targets, conf_pick (c, 2) ? combine_either : conf_random_combine, x);
}

/* --- orders */

static AccExpr *
key_of (AccExpr *x, gpointer data)
{
  return whole_leaf (x, conf_type ("i2"));
}

static AccExpr *
shifted_key (AccExpr *x, gpointer array)
{
  return acc_expr_add (whole_leaf (x, conf_type ("i8")), conf_extent_of (array));
}

static AccExpr *
flipped_key (AccExpr *x, gpointer array)
{
  g_autoptr(AccExpr) key = acc_expr_ref_sink (whole_leaf (x, conf_type ("i4")));

  return acc_expr_cond (conf_leaves (array, 2), acc_expr_bnot (key), key);
}

AccArray *
conf_step_sort (ConfRandom *c, AccArray *x)
{
  g_autoptr(AccArray) rows = conf_with_rows (x);
  AccElementType *type = acc_array_get_element_type (rows);

  switch (conf_pick (c, 4))
    {
    case 0:
      return acc_element_type_is_scalar (type)
             ? acc_array_sort (rows, conf_pick (c, 2)) : acc_array_sort_by_key (rows, FALSE, key_of, NULL);
    case 1:
      return acc_array_sort_by_key (rows, TRUE, shifted_key, rows);
    case 2:
      return acc_array_sort_by_key (rows, FALSE, flipped_key, rows);
    default:
      return acc_array_sort_by_key (rows, conf_pick (c, 2), key_of, NULL);
    }
}

static AccExpr *
is_even (AccExpr *x, gpointer data)
{
  return acc_expr_eq (acc_expr_band (whole_leaf (x, conf_type ("i4")), acc_expr_cast (conf_i64 (1), conf_type ("i4"))),
                      acc_expr_cast (conf_i64 (0), conf_type ("i4")));
}

AccArray *
conf_step_filter (ConfRandom *c, AccArray *x)
{
  g_autoptr(AccArray) rows = conf_with_rows (x), numbers = NULL;

  if (conf_pick (c, 3))
    return acc_array_filter (rows, is_even, NULL, NULL);
  numbers = conf_whole_numbers (rows, "i1");
  return acc_array_unique (numbers, NULL);
}
