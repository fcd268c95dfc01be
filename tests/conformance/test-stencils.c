/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "conformance.h"

#include <string.h>

/* Stencils of all sizes and boundaries, section 1.14 of the language, against loops in C. */

#define MOST_RANK 5
#define N_TABLE   7

static const gint64 table[N_TABLE] = { 1000, -3, 17, 400, 5, -71, 9 };

typedef struct {
  guint           rank;
  gint64          sizes[MOST_RANK];
  gint64          extents[MOST_RANK];
  AccBoundaryKind kind;
} Part;

/* --- what is expected */

static gint64
element_at (const Part *part, const gint64 *index, gint64 seed)
{
  gint64 linear = 0;

  for (guint d = 0; d < part->rank; d++)
    linear = linear * part->extents[d] + index[d];
  return (linear * 13 + seed) % 101 - 50;
}

/* The rule again and again until the index is inside. */
static gint64
move_inside (AccBoundaryKind kind, gint64 i, gint64 extent)
{
  if (kind == ACC_BOUNDARY_CLAMP)
    return CLAMP (i, 0, extent - 1);
  if (kind == ACC_BOUNDARY_MIRROR && extent == 1)
    return 0;
  while (i < 0 || i >= extent)
    if (kind == ACC_BOUNDARY_WRAP)
      i += i < 0 ? extent : -extent;
    else
      i = i < 0 ? -i : 2 * extent - 2 - i;
  return i;
}

/* Another rule for every side, and all components of the raw index. */
static gint64
outside_value (const gint64 *index, guint rank)
{
  gint64 mixed = 0;

  for (guint d = 0; d < rank; d++)
    mixed = mixed * 3 + index[d];
  return index[0] < 0 ? mixed : table[(mixed + 100000) % N_TABLE];
}

static gint64
neighbour_at (const Part *part, const gint64 *raw, gint64 seed)
{
  gint64 index[MOST_RANK];
  gboolean inside = TRUE;

  for (guint d = 0; d < part->rank; d++)
    inside = inside && raw[d] >= 0 && raw[d] < part->extents[d];
  if (!inside && part->kind == ACC_BOUNDARY_CONSTANT)
    return 77;
  if (!inside && part->kind == ACC_BOUNDARY_FUNCTION)
    return outside_value (raw, part->rank);
  for (guint d = 0; d < part->rank; d++)
    index[d] = move_inside (part->kind, raw[d], part->extents[d]);
  return element_at (part, index, seed);
}

/* Next of all indices below @extents. */
static gboolean
advance (gint64 *index, const gint64 *extents, guint rank)
{
  for (guint d = rank; d-- > 0; )
    {
      if (++index[d] < extents[d])
        return TRUE;
      index[d] = 0;
    }
  return FALSE;
}

/* Of neighbours that are not below @least. */
static gint64
weighted_sum_from (const Part *part, const gint64 *centre, gint64 seed, gint64 least)
{
  gint64 offset[MOST_RANK] = { 0, }, sum = 0, weight = 1;

  do
    {
      gint64 raw[MOST_RANK], x;

      for (guint d = 0; d < part->rank; d++)
        raw[d] = centre[d] + offset[d] - part->sizes[d] / 2;
      x = neighbour_at (part, raw, seed);
      sum += x >= least ? x * weight : 0;
      weight = weight * 5 % 83 - 30;
    }
  while (advance (offset, part->sizes, part->rank));
  return sum;
}

static gint64
weighted_sum (const Part *part, const gint64 *centre, gint64 seed)
{
  return weighted_sum_from (part, centre, seed, G_MININT64);
}

/* --- what is computed */

static AccExpr *
element (AccExpr *index, gpointer data)
{
  const Part *part = data;
  AccExpr *linear = conf_i64 (0);

  for (guint d = 0; d < part->rank; d++)
    linear = acc_expr_add (acc_expr_mul (linear, conf_i64 (part->extents[d])), acc_expr_item (index, d));
  return acc_expr_sub (acc_expr_rem (acc_expr_add (acc_expr_mul (linear, conf_i64 (13)), conf_i64 (3)), conf_i64 (101)), conf_i64 (50));
}

static AccExpr *
outside (AccExpr *index, gpointer numbers)
{
  AccExpr *mixed = conf_i64 (0);

  for (guint d = 0; d < acc_expr_get_n_items (index); d++)
    mixed = acc_expr_add (acc_expr_mul (mixed, conf_i64 (3)), acc_expr_item (index, d));
  return acc_expr_cond (acc_expr_lt (acc_expr_item (index, 0), conf_i64 (0)), mixed,
                        acc_expr_index (numbers, acc_expr_rem (acc_expr_add (mixed, conf_i64 (100000)), conf_i64 (N_TABLE))));
}

static AccExpr *
sum_of_neighbours (AccExpr *neighbours, const Part *part)
{
  gint64 offset[MOST_RANK] = { 0, }, weight = 1;
  AccExpr *sum = conf_i64 (0);

  do
    {
      gint64 from_centre[MOST_RANK];

      for (guint d = 0; d < part->rank; d++)
        from_centre[d] = offset[d] - part->sizes[d] / 2;
      sum = acc_expr_add (sum, acc_expr_mul (acc_expr_neighbour (neighbours, from_centre, part->rank), conf_i64 (weight)));
      weight = weight * 5 % 83 - 30;
    }
  while (advance (offset, part->sizes, part->rank));
  return sum;
}

static AccExpr *
weigh (AccExpr *neighbours, gpointer part)
{
  return sum_of_neighbours (neighbours, part);
}

static AccExpr *
weigh_two (AccExpr *x, AccExpr *y, gpointer data)
{
  const Part *parts = data;

  return acc_expr_sub (acc_expr_mul (sum_of_neighbours (x, &parts[0]), conf_i64 (2)), sum_of_neighbours (y, &parts[1]));
}

static AccBoundary *
make_boundary (const Part *part)
{
  g_autoptr(AccArray) numbers = conf_ints ("i8", (gint64[]) { N_TABLE }, 1, table);

  if (part->kind == ACC_BOUNDARY_CONSTANT)
    return acc_boundary_new_constant (acc_expr_new_int (77));
  if (part->kind == ACC_BOUNDARY_FUNCTION)
    return acc_boundary_new_function (part->rank, outside, numbers);
  return acc_boundary_new (part->kind);
}

/* In memory, so that the stencil is what is tested. */
static AccArray *
make_array (const Part *part)
{
  g_autoptr(AccShape) shape = acc_shape_new (part->extents, part->rank);
  g_autoptr(AccArray) computed = acc_array_generate (shape, element, (gpointer) part);

  return acc_array_compute (computed);
}

static const AccBoundaryKind kinds[] = { ACC_BOUNDARY_CLAMP, ACC_BOUNDARY_MIRROR, ACC_BOUNDARY_WRAP, ACC_BOUNDARY_CONSTANT,
                                         ACC_BOUNDARY_FUNCTION };
static const char *const kind_names[] = { "clamp", "mirror", "wrap", "constant", "function" };

static char *
describe (const char *what, const Part *part, guint kind)
{
  GString *text = g_string_new (what);

  g_string_append_printf (text, "/%s/", kind_names[kind]);
  for (guint d = 0; d < part->rank; d++)
    g_string_append_printf (text, "%s%d", d > 0 ? "x" : "", (int) part->sizes[d]);
  g_string_append (text, "/");
  for (guint d = 0; d < part->rank; d++)
    g_string_append_printf (text, "%s%d", d > 0 ? "x" : "", (int) part->extents[d]);
  return g_string_free (text, FALSE);
}

static void
check_one (guint rank, const gint64 *sizes, const gint64 *extents, guint kind)
{
  Part part = { .rank = rank, .kind = kinds[kind] };
  g_autoptr(AccBoundary) boundary = NULL;
  g_autoptr(AccArray) array = NULL;
  g_autoptr(AccShape) shape = acc_shape_new (extents, rank);
  g_autofree gint64 *values = g_new (gint64, acc_shape_get_size (shape) + 1);
  g_autofree char *name = NULL, *text = acc_shape_to_string (shape);
  gint64 index[MOST_RANK] = { 0, };
  gint64 n = 0;

  memcpy (part.sizes, sizes, rank * sizeof *sizes);
  memcpy (part.extents, extents, rank * sizeof *extents);
  name = describe ("stencil", &part, kind);
  boundary = make_boundary (&part);
  array = make_array (&part);
  while (n < acc_shape_get_size (shape))
    {
      values[n++] = weighted_sum (&part, index, 3);
      advance (index, extents, rank);
    }
  conf_expect_ints (name, acc_array_stencil (array, sizes, rank, boundary, weigh, &part), text, 0, (guint) n, values);
}

/* --- stencils of which little is read, in another order: every other element, a diagonal backwards, and one row */

static AccExpr *
every_other (AccExpr *index, gpointer rank)
{
  AccExpr *items[MOST_RANK];

  for (guint d = 0; d < GPOINTER_TO_UINT (rank); d++)
    items[d] = acc_expr_add (acc_expr_mul (acc_expr_item (index, d), acc_expr_new_int (2)), acc_expr_new_int (1));

  return GPOINTER_TO_UINT (rank) == 1 ? items[0] : acc_expr_tuple (items, GPOINTER_TO_UINT (rank));
}

static AccExpr *
diagonal (AccExpr *index, gpointer length)
{
  AccExpr *last = acc_expr_new_int (GPOINTER_TO_INT (length) - 1), *i = acc_expr_item (index, 0);

  return acc_expr_tuple2 (i, acc_expr_sub (last, i));
}

static AccArray *
make_stencil (Part *part)
{
  g_autoptr(AccBoundary) boundary = make_boundary (part);
  g_autoptr(AccArray) array = make_array (part);

  return acc_array_stencil (array, part->sizes, part->rank, boundary, weigh, part);
}

static void
check_part (Part *part, guint kind)
{
  g_autoptr(AccArray) all = make_stencil (part);
  g_autofree char *name = describe ("part", part, kind), *text = NULL;
  g_autofree gint64 *values = NULL;
  g_autoptr(AccShape) shape = NULL;
  gint64 extents[MOST_RANK], index[MOST_RANK] = { 0, }, n = 0;

  for (guint d = 0; d < part->rank; d++)
    extents[d] = part->extents[d] / 2;
  shape = acc_shape_new (extents, part->rank);
  text = acc_shape_to_string (shape);
  values = g_new (gint64, acc_shape_get_size (shape) + 1);
  while (n < acc_shape_get_size (shape))
    {
      gint64 centre[MOST_RANK];

      for (guint d = 0; d < part->rank; d++)
        centre[d] = 2 * index[d] + 1;
      values[n++] = weighted_sum (part, centre, 3);
      advance (index, extents, part->rank);
    }
  conf_expect_ints (name, acc_array_backpermute (all, shape, every_other, GUINT_TO_POINTER (part->rank)), text, 0, (guint) n, values);
}

static void
check_lines (Part *part, guint kind)
{
  g_autoptr(AccArray) all = make_stencil (part);
  gint64 length = MIN (part->extents[0], part->extents[1]), values[32];
  g_autofree char *name = describe ("diagonal", part, kind), *row_name = describe ("row", part, kind);
  g_autofree char *text = g_strdup_printf ("[%d]", (int) length), *row_text = g_strdup_printf ("[%d]", (int) part->extents[1]);
  g_autoptr(AccShape) shape = acc_shape_new_vector (length);

  for (gint64 i = 0; i < length; i++)
    values[i] = weighted_sum (part, (gint64[]) { i, length - 1 - i }, 3);
  conf_expect_ints (name, acc_array_backpermute (all, shape, diagonal, GINT_TO_POINTER ((int) length)), text, 0, (guint) length, values);

  for (gint64 i = 0; i < part->extents[1]; i++)
    values[i] = weighted_sum (part, (gint64[]) { part->extents[0] - 1, i }, 3);
  conf_expect_ints (row_name, acc_array_slice (all, (gint64[]) { part->extents[0] - 1, ACC_ALL }, 2), row_text, 0, (guint) part->extents[1],
                    values);
}

static void
test_parts (void)
{
  static const gint64 lines[] = { 3, 7 };

  for (guint k = 0; k < G_N_ELEMENTS (kinds); k++)
    {
      for (guint s = 0; s < G_N_ELEMENTS (lines); s++)
        {
          Part line = { .rank = 1, .sizes = { lines[s] }, .extents = { 43 }, .kind = kinds[k] };
          Part plane = { .rank = 2, .sizes = { lines[s], 5 }, .extents = { 6, 21 }, .kind = kinds[k] };

          check_part (&line, k);
          check_part (&plane, k);
          check_lines (&plane, k);
        }
      for (gint64 n = 2; n <= 8; n += 3)
        {
          Part cube = { .rank = 3, .sizes = { 3, 5, 3 }, .extents = { n, n, 5 * n }, .kind = kinds[k] };

          check_part (&cube, k);
        }
    }
}

/* --- elements of several leaves, computed on the way: a number, and whether it counts */

static AccExpr *
flagged (AccExpr *x, gpointer data)
{
  return acc_expr_tuple2 (acc_expr_ge (x, conf_i64 (0)), x);
}

static AccExpr *
flagged_outside (AccExpr *index, gpointer numbers)
{
  return flagged (outside (index, numbers), NULL);
}

static AccExpr *
weigh_flagged (AccExpr *neighbours, gpointer data)
{
  const Part *part = data;
  gint64 offset[MOST_RANK] = { 0, }, weight = 1;
  AccExpr *sum = conf_i64 (0);

  do
    {
      gint64 from_centre[MOST_RANK];
      g_autoptr(AccExpr) one = NULL;

      for (guint d = 0; d < part->rank; d++)
        from_centre[d] = offset[d] - part->sizes[d] / 2;
      one = acc_expr_ref_sink (acc_expr_neighbour (neighbours, from_centre, part->rank));
      sum = acc_expr_add (sum,
                          acc_expr_cond (acc_expr_item (one, 0), acc_expr_mul (acc_expr_item (one, 1), conf_i64 (weight)), conf_i64 (0)));
      weight = weight * 5 % 83 - 30;
    }
  while (advance (offset, part->sizes, part->rank));
  return sum;
}

static void
check_leaves (Part *part, guint kind)
{
  g_autoptr(AccArray) numbers = conf_ints ("i8", (gint64[]) { N_TABLE }, 1, table), array = make_array (part);
  g_autoptr(AccArray) pairs = acc_array_map (array, flagged, NULL);
  g_autoptr(AccBoundary) boundary = part->kind == ACC_BOUNDARY_CONSTANT ? acc_boundary_new_constant (flagged (conf_i64 (77), NULL))
                                    : part->kind == ACC_BOUNDARY_FUNCTION ? acc_boundary_new_function (part->rank, flagged_outside, numbers)
                                                                          : acc_boundary_new (part->kind);
  g_autoptr(AccShape) shape = acc_shape_new (part->extents, part->rank);
  g_autofree gint64 *values = g_new (gint64, acc_shape_get_size (shape) + 1);
  g_autofree char *name = describe ("leaves", part, kind), *text = acc_shape_to_string (shape);
  gint64 index[MOST_RANK] = { 0, }, n = 0;

  while (n < acc_shape_get_size (shape))
    {
      values[n++] = weighted_sum_from (part, index, 3, 0);
      advance (index, part->extents, part->rank);
    }
  conf_expect_ints (name, acc_array_stencil (pairs, part->sizes, part->rank, boundary, weigh_flagged, part), text, 0, (guint) n, values);
}

static void
test_leaves (void)
{
  for (guint k = 0; k < G_N_ELEMENTS (kinds); k++)
    {
      Part line = { .rank = 1, .sizes = { 27 }, .extents = { 61 }, .kind = kinds[k] };
      Part plane = { .rank = 2, .sizes = { 5, 5 }, .extents = { 9, 23 }, .kind = kinds[k] };
      Part small = { .rank = 2, .sizes = { 5, 7 }, .extents = { 2, 3 }, .kind = kinds[k] };
      Part cube = { .rank = 3, .sizes = { 3, 3, 3 }, .extents = { 4, 3, 11 }, .kind = kinds[k] };

      check_leaves (&line, k);
      check_leaves (&plane, k);
      check_leaves (&small, k);
      check_leaves (&cube, k);
    }
}

/* Smaller than any radius, empty, ordinary. */
static const gint64 rank1_extents[] = { 0, 1, 2, 3, 40 };
static const gint64 rank2_extents[][2] = { { 1, 1 }, { 2, 3 }, { 0, 4 }, { 5, 0 }, { 11, 14 } };

static const gint64 odd_sizes[] = { 3, 5, 7, 9 };

static void
test_rank1 (void)
{
  for (guint s = 0; s < G_N_ELEMENTS (odd_sizes); s++)
    for (guint k = 0; k < G_N_ELEMENTS (kinds); k++)
      for (guint e = 0; e < G_N_ELEMENTS (rank1_extents); e++)
        check_one (1, &odd_sizes[s], &rank1_extents[e], k);
  for (guint k = 0; k < G_N_ELEMENTS (kinds); k++)
    check_one (1, (gint64[]) { 1 }, (gint64[]) { 9 }, k);
}

static void
test_rank2 (gconstpointer data)
{
  guint k = GPOINTER_TO_UINT (data);

  for (guint a = 0; a < G_N_ELEMENTS (odd_sizes); a++)
    for (guint b = 0; b < G_N_ELEMENTS (odd_sizes); b++)
      for (guint e = 0; e < G_N_ELEMENTS (rank2_extents); e++)
        if (conf_is_thorough () || (4 * a + b + 3 * k) % 5 == 0)
          check_one (2, (gint64[]) { odd_sizes[a], odd_sizes[b] }, rank2_extents[e], k);
}

static void
test_higher_ranks (gconstpointer data)
{
  static const gint64 sizes3[][3] = { { 3, 3, 3 }, { 5, 3, 3 }, { 3, 5, 3 }, { 3, 3, 5 }, { 5, 5, 5 }, { 3, 7, 5 }, { 9, 3, 1 },
                                      { 1, 9, 7 } };
  static const gint64 extents3[][3] = { { 1, 2, 1 }, { 3, 0, 2 }, { 4, 6, 7 } };
  static const gint64 sizes4[][4] = { { 3, 3, 3, 3 }, { 1, 5, 3, 3 }, { 3, 1, 1, 7 } };
  static const gint64 extents4[][4] = { { 1, 1, 1, 1 }, { 3, 4, 2, 5 } };
  guint k = GPOINTER_TO_UINT (data);

  for (guint s = 0; s < G_N_ELEMENTS (sizes3); s++)
    for (guint e = 0; e < G_N_ELEMENTS (extents3) && (conf_is_thorough () || (s + k) % 3 == 0); e++)
      check_one (3, sizes3[s], extents3[e], k);
  for (guint s = 0; s < G_N_ELEMENTS (sizes4); s++)
    for (guint e = 0; e < G_N_ELEMENTS (extents4) && (conf_is_thorough () || (s + k) % 3 == 0); e++)
      check_one (4, sizes4[s], extents4[e], k);
  check_one (5, (gint64[]) { 1, 3, 1, 3, 3 }, (gint64[]) { 2, 3, 1, 4, 5 }, k);
}

/* --- two arrays */

static void
check_two (guint rank, const Part *first, const Part *second, guint kind)
{
  Part parts[2] = { *first, *second };
  g_autoptr(AccBoundary) boundary = make_boundary (first), other_boundary = make_boundary (second);
  g_autoptr(AccArray) array = make_array (first), other = make_array (second);
  gint64 extents[MOST_RANK], index[MOST_RANK] = { 0, }, n = 0;
  g_autoptr(AccShape) shape = NULL;
  g_autofree gint64 *values = NULL;
  g_autofree char *name = describe ("stencil2", first, kind), *text = NULL;

  for (guint d = 0; d < rank; d++)
    extents[d] = MIN (first->extents[d], second->extents[d]);
  shape = acc_shape_new (extents, rank);
  text = acc_shape_to_string (shape);
  values = g_new (gint64, acc_shape_get_size (shape) + 1);
  while (n < acc_shape_get_size (shape))
    {
      values[n++] = 2 * weighted_sum (first, index, 3) - weighted_sum (second, index, 3);
      advance (index, extents, rank);
    }
  conf_expect_ints (name,
                    acc_array_stencil2 (array, first->sizes, rank, boundary, other, second->sizes, rank, other_boundary, weigh_two, parts),
                    text, 0, (guint) n, values);
}

static void
test_two (void)
{
  static const gint64 extents[][2][2] = { { { 6, 9 }, { 8, 5 } }, { { 1, 3 }, { 4, 1 } }, { { 0, 3 }, { 4, 4 } }, { { 7, 7 }, { 7, 7 } } };

  for (guint a = 0; a < G_N_ELEMENTS (kinds); a++)
    for (guint b = 0; b < G_N_ELEMENTS (kinds); b++)
      for (guint e = 0; e < G_N_ELEMENTS (extents); e++)
        {
          Part first = { 2, { 3, 5 }, { extents[e][0][0], extents[e][0][1] }, kinds[a] };
          Part second = { 2, { a == b ? 5 : 1, 3 }, { extents[e][1][0], extents[e][1][1] }, kinds[b] };

          if (conf_is_thorough () || (a + b) % 3 == 0)
            check_two (2, &first, &second, a);
        }
  for (guint a = 0; a < G_N_ELEMENTS (kinds); a++)
    {
      Part line = { 1, { 7 }, { 5 }, kinds[a] }, longer = { 1, { 3 }, { 8 }, kinds[(a + 1) % G_N_ELEMENTS (kinds)] };
      Part box = { 3, { 3, 1, 3 }, { 3, 4, 2 }, kinds[a] },
        other_box = { 3, { 1, 5, 3 }, { 4, 2, 5 }, kinds[(a + 2) % G_N_ELEMENTS (kinds)] };

      check_two (1, &line, &longer, a);
      check_two (3, &box, &other_box, a);
    }
}

/* --- producers that fuse, boundaries that are computed, mistakes */

static AccExpr *
outer_two (AccExpr *n, gpointer data)
{
  return acc_expr_add (acc_expr_neighbour1 (n, -1), acc_expr_neighbour1 (n, 1));
}

static AccExpr *
from_total (AccExpr *index, gpointer total)
{
  return acc_expr_mul (acc_expr_the (total), acc_expr_signum (index));
}

static void
test_edges (void)
{
  g_autoptr(AccArray) vector = CONF_INTS1 ("i8", 1, 2, 3, 4), doubled = acc_array_add (vector, vector), total = acc_array_sum (doubled),
    one = acc_array_unit (conf_i64 (1));
  g_autoptr(AccArray) floats = CONF_FLOATS1 ("f4", 1, 2, 3), matrix = CONF_INTS2 ("i8", 2, 2, 1, 2, 3, 4),
    broken = acc_array_concat (vector, floats);
  g_autoptr(AccBoundary) computed = acc_boundary_new_function (1, from_total, total),
    constant = acc_boundary_new_constant (acc_expr_the (total));
  g_autoptr(AccBoundary) clamp = acc_boundary_new (ACC_BOUNDARY_CLAMP), half = acc_boundary_new_constant (acc_expr_new_float (0.5));
  g_autoptr(AccBoundary) index = acc_boundary_new_function (1, conf_itself, NULL);
  const gint64 three[] = { 3, 3 }, even[] = { 4 };
  AccArray *bad;

  CONF_EXPECT_INTS ("stencil/computed-boundary", acc_array_stencil (doubled, three, 1, computed, outer_two, NULL), "[4]", -20 + 4, 2 + 6,
                    4 + 8, 6 + 20);
  CONF_EXPECT_INTS ("stencil/computed-constant", acc_array_stencil (doubled, three, 1, constant, outer_two, NULL), "[4]", 24, 8, 12, 26);
  CONF_EXPECT_INTS ("stencil/index-outside", acc_array_stencil (vector, three, 1, index, outer_two, NULL), "[4]", 1, 4, 6, 7);
  CONF_EXPECT_FLOATS ("stencil/literal", acc_array_stencil (floats, three, 1, half, outer_two, NULL), "[3]", 2.5, 4, 2.5);

  bad = acc_array_stencil (vector, even, 1, clamp, outer_two, NULL);
  acc_array_set_label (bad, "even");
  CONF_EXPECT_ERROR ("stencil/even", bad, ACC_ERROR_SHAPE, "stencil", "even", "4");
  CONF_EXPECT_ERROR ("stencil/rank-0", acc_array_stencil (one, three, 0, clamp, outer_two, NULL), ACC_ERROR_SHAPE, "stencil", "rank 0");
  CONF_EXPECT_ERROR ("stencil/size-rank", acc_array_stencil (matrix, three, 1, clamp, outer_two, NULL), ACC_ERROR_SHAPE, "stencil",
                     "rank 1", "rank 2");
  CONF_EXPECT_ERROR ("stencil/boundary-rank", acc_array_stencil (matrix, three, 2, computed, outer_two, NULL), ACC_ERROR_SHAPE, "boundary",
                     "rank 1", "rank 2");
  CONF_EXPECT_ERROR ("stencil/boundary-type", acc_array_stencil (floats, three, 1, computed, outer_two, NULL), ACC_ERROR_TYPE, "boundary",
                     "i8", "f4");
  CONF_EXPECT_ERROR ("stencil/no-boundary", acc_array_stencil (vector, three, 1, NULL, outer_two, NULL), ACC_ERROR_CALLBACK, "boundary");
  CONF_EXPECT_ERROR ("stencil2/ranks", acc_array_stencil2 (vector, three, 1, clamp, matrix, three, 2, clamp, conf_first, NULL),
                     ACC_ERROR_SHAPE, "stencil2", "rank 2");
  CONF_EXPECT_ERROR ("stencil/of-broken", acc_array_stencil (broken, three, 1, clamp, outer_two, NULL), ACC_ERROR_TYPE, "concat");
}

int
main (int argc, char **argv)
{
  conf_init (&argc, &argv);

  g_test_add_func ("/stencils/rank-1", test_rank1);
  for (guint k = 0; k < G_N_ELEMENTS (kinds); k++)
    {
      g_autofree char *second = g_strconcat ("/stencils/rank-2/", kind_names[k], NULL),
        *higher = g_strconcat ("/stencils/rank-3-and-more/", kind_names[k], NULL);

      g_test_add_data_func (second, GUINT_TO_POINTER (k), test_rank2);
      g_test_add_data_func (higher, GUINT_TO_POINTER (k), test_higher_ranks);
    }
  g_test_add_func ("/stencils/parts", test_parts);
  g_test_add_func ("/stencils/leaves", test_leaves);
  g_test_add_func ("/stencils/two", test_two);
  g_test_add_func ("/stencils/edges", test_edges);

  return conf_run ();
}
