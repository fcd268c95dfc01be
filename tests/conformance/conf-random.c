/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "conf-random.h"

static const char * const scalar_codes[] = { "b1", "i1", "i4", "i8", "u1", "u2", "u4", "f2", "f4", "f8" };

gint
conf_pick (ConfRandom *c, gint n)
{
  return g_rand_int_range (c->rand, 0, n);
}

AccArray *
conf_any (ConfRandom *c)
{
  return g_ptr_array_index (c->pool, conf_pick (c, (gint) c->pool->len));
}

AccElementType *
conf_any_scalar (ConfRandom *c)
{
  return conf_type (scalar_codes[conf_pick (c, G_N_ELEMENTS (scalar_codes))]);
}

/* A scalar type, or now and then a packed one. */
AccElementType *
conf_any_item (ConfRandom *c)
{
  static const char * const codes[] = { "c8", "c4", "2i4", "3u1", "4f4", "5i8", "8u2", "2b1" };

  return conf_pick (c, 4) == 0 ? conf_type (codes[conf_pick (c, G_N_ELEMENTS (codes))]) : conf_any_scalar (c);
}

static gboolean
is_float (AccElementType *type)
{
  return acc_element_kind_is_float (acc_element_type_get_kind (type));
}

static gboolean
is_bool (AccElementType *type)
{
  return acc_element_type_get_kind (type) == ACC_KIND_BOOL;
}

/* --- random scalar expressions; every operation of them is exact */

static AccExpr *
leaf_of (ConfRandom *c, AccExpr *x)
{
  AccExpr *at = x;

  /* The index of rank 0 has nothing in it. */
  if (acc_expr_get_n_items (x) == 0)
    return conf_i64 (3);
  while (!acc_element_type_is_scalar (acc_expr_get_element_type (at)))
    at = acc_expr_item (at, conf_pick (c, (gint) acc_expr_get_n_items (at)));
  return at;
}

static AccExpr *random_scalar (ConfRandom *c, AccExpr **leaves, guint n, AccElementType *type, guint depth);

static AccExpr *
random_condition (ConfRandom *c, AccExpr **leaves, guint n, guint depth)
{
  static AccExpr *(* const comparisons[]) (AccExpr *, AccExpr *) = {
    acc_expr_lt, acc_expr_le, acc_expr_gt, acc_expr_ge, acc_expr_eq, acc_expr_ne
  };
  AccElementType *type = conf_any_scalar (c);
  AccExpr *x = random_scalar (c, leaves, n, type, depth - 1);
  AccExpr *y = random_scalar (c, leaves, n, type, depth - 1);

  return comparisons[conf_pick (c, G_N_ELEMENTS (comparisons))] (x, y);
}

static AccExpr *
random_literal (ConfRandom *c, AccElementType *type)
{
  if (is_bool (type))
    return acc_expr_new_bool (conf_pick (c, 2));
  if (is_float (type))
    return acc_expr_new_typed_float (type, g_rand_int_range (c->rand, -20, 20) * 0.25);
  return acc_expr_cast (conf_i64 (g_rand_int_range (c->rand, -5, 20)), type);
}

static AccExpr *
random_bool (ConfRandom *c, AccExpr **leaves, guint n, guint depth)
{
  AccElementType *type = conf_type ("b1");
  AccExpr *x;

  switch (conf_pick (c, 4))
    {
    case 0:
      return acc_expr_bnot (random_scalar (c, leaves, n, type, depth - 1));
    case 1:
      x = random_scalar (c, leaves, n, type, depth - 1);
      return acc_expr_land (x, random_condition (c, leaves, n, depth));
    default:
      return random_condition (c, leaves, n, depth);
    }
}

static AccExpr *
random_scalar (ConfRandom *c, AccExpr **leaves, guint n, AccElementType *type, guint depth)
{
  AccExpr *x, *y, *z;

  if (depth == 0 || conf_pick (c, 6) == 0)
    {
      if (conf_pick (c, 4) == 0)
        return random_literal (c, type);
      return acc_expr_cast (leaf_of (c, leaves[conf_pick (c, (gint) n)]), type);
    }
  if (is_bool (type))
    return random_bool (c, leaves, n, depth);

  x = random_scalar (c, leaves, n, type, depth - 1);
  switch (conf_pick (c, 11))
    {
    case 0:
      return acc_expr_neg (x);
    case 1:
      return acc_expr_abs (x);
    case 2:
      return is_float (type) ? acc_expr_sqrt (acc_expr_abs (x)) : acc_expr_bnot (x);
    case 3:
      return is_float (type) ? acc_expr_round (x) : acc_expr_shr (x, conf_i64 (conf_pick (c, 9)));
    case 4:
      return acc_expr_cast (acc_expr_cast (x, conf_any_scalar (c)), type);
    case 5:
      y = random_scalar (c, leaves, n, type, depth - 1);
      z = random_condition (c, leaves, n, depth);
      return acc_expr_cond (z, x, y);
    default:
      break;
    }
  y = random_scalar (c, leaves, n, type, depth - 1);
  switch (conf_pick (c, 6))
    {
    case 0:
      return acc_expr_add (x, y);
    case 1:
      return acc_expr_sub (x, y);
    case 2:
      return acc_expr_mul (x, y);
    case 3:
      return acc_expr_min (x, y);
    case 4:
      return acc_expr_max (x, y);
    default:
      return is_float (type) ? acc_expr_fdiv (x, y) : acc_expr_bxor (x, y);
    }
}

static AccExpr *
random_item (ConfRandom *c, AccExpr **leaves, guint n)
{
  AccElementType *type = conf_any_item (c);
  AccExpr *items[ACC_MAX_LANES];
  guint n_items = acc_element_type_get_n_items (type);

  for (guint i = 0; i < n_items; i++)
    items[i] = random_scalar (c, leaves, n, acc_element_type_get_item (type, i), 2);
  return n_items > 0 ? conf_assemble (type, items) : random_scalar (c, leaves, n, type, 3);
}

AccExpr *
conf_random_element (ConfRandom *c, AccExpr **leaves, guint n)
{
  AccExpr *items[3];
  guint n_items = conf_pick (c, 4) == 0 ? 2 + conf_pick (c, 2) : 1;

  for (guint i = 0; i < n_items; i++)
    items[i] = random_item (c, leaves, n);
  return n_items == 1 ? items[0] : acc_expr_tuple (items, n_items);
}

AccExpr *
conf_random_map (AccExpr *x, gpointer data)
{
  return conf_random_element (data, &x, 1);
}

/* Of @x and a new expression, which nobody may use. */
AccExpr *
conf_random_with (ConfRandom *c, AccExpr *x, AccExpr *other)
{
  g_autoptr(AccExpr) owned = acc_expr_ref_sink (other);

  return conf_random_element (c, (AccExpr *[]) { x, owned }, 2);
}

AccExpr *
conf_random_zip (AccExpr *x, AccExpr *y, gpointer data)
{
  return conf_random_element (data, (AccExpr *[]) { x, y }, 2);
}

AccExpr *
conf_random_zip3 (AccExpr *x, AccExpr *y, AccExpr *z, gpointer data)
{
  return conf_random_element (data, (AccExpr *[]) { x, y, z }, 3);
}

/* --- indices */

/* Any element of the array, from any index: each component wrapped around. */
AccExpr *
conf_random_wrap (AccExpr *index, gpointer data)
{
  ConfAccess *access = data;
  guint rank = acc_array_get_rank (access->array);
  guint n = acc_expr_get_n_items (index);
  AccExpr *items[8];

  for (guint i = 0; i < rank; i++)
    {
      AccExpr *x = n == 0
                   ? conf_i64 (conf_pick (access->c, 5))
                   : acc_expr_item (index, i < n && conf_pick (access->c, 4) != 0 ? i : (guint) conf_pick (access->c, (gint) n));

      if (conf_pick (access->c, 3) == 0)
        x = acc_expr_add (acc_expr_mul (x, conf_i64 (1 + conf_pick (access->c, 3))), conf_i64 (conf_pick (access->c, 7) - 3));
      items[i] = acc_expr_mod (x, acc_expr_max (acc_expr_extent (access->array, i), conf_i64 (1)));
    }
  return rank == 1 ? items[0] : acc_expr_tuple (items, rank);
}

static AccExpr *
gather_body (AccExpr *index, gpointer data)
{
  ConfAccess *access = data;
  /* Perhaps nobody uses it. */
  g_autoptr(AccExpr) read = acc_expr_ref_sink (acc_expr_index (access->array, conf_random_wrap (index, data)));
  AccExpr *leaves[2] = { read, index };

  return conf_random_element (access->c, leaves, acc_expr_get_n_items (index) > 0 ? 2 : 1);
}

static AccExpr *
target_body (AccExpr *index, AccExpr *x, gpointer data)
{
  return conf_random_wrap (index, data);
}

/* --- nodes */

static gint64
size_of (AccArray *array)
{
  return acc_shape_get_size (acc_array_get_shape (array));
}

/* Another one of the same rank, or the same. */
AccArray *
conf_partner (ConfRandom *c, AccArray *array)
{
  for (guint i = 0; i < 10; i++)
    {
      AccArray *other = conf_any (c);

      if (acc_array_get_rank (other) == acc_array_get_rank (array))
        return other;
    }
  return array;
}

static AccArray *
random_stencil (ConfRandom *c, AccArray *x)
{
  guint rank = acc_array_get_rank (x);
  gint64 sizes[8];
  g_autoptr(AccBoundary) boundary = NULL;

  for (guint i = 0; i < rank; i++)
    sizes[i] = 1 + 2 * conf_pick (c, rank > 2 ? 2 : 3);
  switch (conf_pick (c, 4))
    {
    case 0:
      boundary = acc_boundary_new (ACC_BOUNDARY_CLAMP);
      break;
    case 1:
      boundary = acc_boundary_new (ACC_BOUNDARY_MIRROR);
      break;
    case 2:
      boundary = acc_boundary_new (ACC_BOUNDARY_WRAP);
      break;
    default:
      boundary = acc_boundary_new_constant (conf_neutral (acc_array_get_element_type (x)));
    }
  return acc_array_stencil (x, sizes, rank, boundary, conf_random_map, c);
}

static AccArray *
random_slice (ConfRandom *c, AccArray *x)
{
  guint rank = acc_array_get_rank (x);
  gint64 specification[8];

  for (guint i = 0; i < rank; i++)
    {
      gint64 extent = acc_shape_get_extent (acc_array_get_shape (x), i);

      specification[i] = extent > 0 && conf_pick (c, 2) ? g_rand_int_range (c->rand, 0, (gint32) extent) : ACC_ALL;
    }
  return acc_array_slice (x, specification, rank);
}

static AccArray *
random_replicate (ConfRandom *c, AccArray *x)
{
  guint rank = acc_array_get_rank (x), n = 0, place = conf_pick (c, (gint) rank + 1);
  gint64 specification[8];

  for (guint i = 0; i <= rank; i++)
    {
      if (i == place)
        specification[n++] = conf_pick (c, 5);
      if (i < rank)
        specification[n++] = ACC_ALL;
    }
  return acc_array_replicate (x, specification, n);
}

/* Floats: sums of values near each other only, so that any order gives the same. */
AccExpr *
conf_random_combine (AccExpr *x, AccExpr *y, gpointer data)
{
  AccElementType *type = acc_expr_get_element_type (x);
  guint n = acc_expr_get_n_items (x);
  g_autofree AccExpr **items = NULL;

  if (acc_element_type_is_scalar (type))
    return is_bool (type) ? acc_expr_bxor (x, y) : is_float (type) ? acc_expr_max (x, y) : acc_expr_add (x, y);
  items = g_new (AccExpr *, n);
  for (guint i = 0; i < n; i++)
    {
      g_autoptr(AccExpr) a = acc_expr_ref_sink (acc_expr_item (x, i));
      g_autoptr(AccExpr) b = acc_expr_ref_sink (acc_expr_item (y, i));

      items[i] = conf_random_combine (a, b, data);
    }
  return conf_assemble (type, items);
}

static AccArray *
random_permute (ConfRandom *c, AccArray *x)
{
  AccArray *other = conf_any (c);
  g_autoptr(AccArray) defaults = NULL;
  g_autoptr(AccArray) targets = NULL;
  ConfAccess access = { c, NULL };

  if (acc_array_get_element_type (other) != acc_array_get_element_type (x) || size_of (other) == 0)
    other = x;
  if (size_of (other) == 0)
    return acc_array_map (x, conf_random_map, c);
  defaults = acc_array_map (other, conf_mix, NULL);
  access.array = defaults;
  targets = acc_array_imap (x, target_body, &access);
  return acc_array_permute (x, defaults, targets, conf_random_combine, c);
}

static AccArray *
random_reduction (ConfRandom *c, AccArray *x)
{
  AccElementType *type = acc_array_get_element_type (x);
  guint rank = acc_array_get_rank (x);
  gboolean inner = rank > 0 && acc_shape_get_extent (acc_array_get_shape (x), rank - 1) > 0 && size_of (x) > 0;

  switch (conf_pick (c, 4))
    {
    case 0:
      return rank > 0 ? acc_array_scanl1 (x, conf_random_combine, NULL) : acc_array_map (x, conf_random_map, c);
    case 1:
      return rank > 0 ? acc_array_fold (x, conf_neutral (type), conf_random_combine, NULL) : acc_array_map (x, conf_random_map, c);
    case 2:
      return inner ? acc_array_fold1 (x, conf_random_combine, NULL) : acc_array_map (x, conf_random_map, c);
    default:
      return acc_array_fold_all (x, conf_neutral (type), conf_random_combine, NULL);
    }
}

static AccArray *
turn (AccArray *x)
{
  guint rank = acc_array_get_rank (x);
  gint64 extents[8];
  g_autoptr(AccShape) shape = NULL;

  for (guint i = 0; i < rank; i++)
    extents[i] = acc_shape_get_extent (acc_array_get_shape (x), rank - 1 - i);
  shape = acc_shape_new (extents, rank);
  return acc_array_reshape (x, shape);
}

AccArray *
conf_random_node (ConfRandom *c)
{
  AccArray *x = conf_any (c);
  AccArray *y = conf_partner (c, x), *z = conf_partner (c, x);
  ConfAccess access = { c, x };

  static const gint keeping[] = { 0, 3, 4, 6, 7, 8, 11, 14, 14, 15, 16, 17, 18 };

  switch (c->rows && conf_pick (c, 12) != 0 ? keeping[conf_pick (c, G_N_ELEMENTS (keeping))] : conf_pick (c, 19))
    {
    case 0:
    case 1:
    case 2:
      return acc_array_map (x, conf_random_map, c);
    case 3:
      return acc_array_imap (x, conf_random_zip, c);
    case 4:
    case 5:
      return acc_array_zip_with (x, y, conf_random_zip, c);
    case 6:
      return acc_array_zip_with3 (x, y, z, conf_random_zip3, c);
    case 7:
      return acc_array_zip (x, y);
    case 8:
      return acc_element_type_is_tuple (acc_array_get_element_type (x))
             ? acc_array_unzip (x, conf_pick (c, (gint) acc_element_type_get_n_items (acc_array_get_element_type (x))))
             : acc_array_flatten (x);
    case 9:
      return turn (x);
    case 10:
      return random_replicate (c, x);
    case 11:
      return random_slice (c, x);
    case 12:
      if (size_of (x) == 0)
        return acc_array_map (x, conf_random_map, c);
      return acc_array_backpermute (x, acc_array_get_shape (y), conf_random_wrap, &access);
    case 13:
      if (size_of (x) == 0)
        return acc_array_map (x, conf_random_map, c);
      return acc_array_generate (acc_array_get_shape (y), gather_body, &access);
    case 14:
      return acc_array_get_rank (x) > 0 ? random_stencil (c, x) : acc_array_map (x, conf_random_map, c);
    case 15:
      return random_permute (c, x);
    case 16:
      return acc_array_compute (x);
    default:
      return random_reduction (c, x);
    }
}
