/* SPDX-License-Identifier: LGPL-2.1-or-later */

/* Connected components, and what is made of them, against a union-find; distances against a search of everything. */

#include "conformance.h"

#include <math.h>

#define MAX_RANK 4

/* Whether elements are connected, and whether one is labelled, by their places. */
typedef struct {
  gboolean (*connects) (gconstpointer data, gint64 i, gint64 k);
  gboolean (*labelled) (gconstpointer data, gint64 i);
  gconstpointer data;
} Rule;

/* --- the reference */

static gint64
find_root (gint64 *parents, gint64 i)
{
  while (parents[i] != i)
    i = parents[i] = parents[parents[i]];
  return i;
}

/* The place of the element at @offset from that at @place; -1: outside. */
static gint64
neighbour (const gint64 *extents, guint rank, gint64 place, const gint64 *offset)
{
  gint64 found = 0, stride = 1;

  for (guint d = rank; d-- > 0; )
    {
      gint64 index = place % extents[d] + offset[d];

      if (index < 0 || index >= extents[d])
        return -1;
      found += index * stride;
      stride *= extents[d];
      place /= extents[d];
    }

  return found;
}

static gint64
count_elements (const gint64 *extents, guint rank)
{
  gint64 n = 1;

  for (guint d = 0; d < rank; d++)
    n *= extents[d];
  return n;
}

/* Every neighbour of every element. Returns the labels; @count: how many. */
static gint64 *
label_all (const gint64 *extents, guint rank, guint connectivity, const Rule *rule, gint64 *count)
{
  gint64 n = count_elements (extents, rank), n_offsets = (gint64) pow (3, rank);
  gint64 *parents = g_new (gint64, n + 1), *labels = g_new0 (gint64, n + 1);

  for (gint64 i = 0; i < n; i++)
    parents[i] = i;
  for (gint64 i = 0; i < n; i++)
    for (gint64 code = 0; code < n_offsets; code++)
      {
        gint64 offset[MAX_RANK], other;
        guint moved = 0;

        for (guint d = 0, rest = (guint) code; d < rank; d++, rest /= 3)
          moved += (offset[d] = (gint64) (rest % 3) - 1) != 0;
        other = neighbour (extents, rank, i, offset);
        if (moved == 0 || moved > connectivity || other < 0 || other > i || !rule->labelled (rule->data, i)
            || !rule->labelled (rule->data, other) || !rule->connects (rule->data, other, i))
          continue;

        gint64 a = find_root (parents, i), b = find_root (parents, other);
        parents[MAX (a, b)] = MIN (a, b);
      }

  *count = 0;
  for (gint64 i = 0; i < n; i++)
    if (rule->labelled (rule->data, i))
      labels[i] = find_root (parents, i) == i ? ++*count : labels[find_root (parents, i)];

  g_free (parents);
  return labels;
}

static AccArray *
new_array (const char *code, const gint64 *extents, guint rank, gint64 *values /* (transfer full) */)
{
  AccArray *array = conf_ints (code, extents, rank, values);

  g_free (values);
  return array;
}

/* --- elements of any type */

static gboolean
equal_leaf (AccArray *array, guint leaf, gint64 i, gint64 k)
{
  double x = acc_array_get_double (array, leaf, i), y = acc_array_get_double (array, leaf, k);

  return (x == y || (isnan (x) && isnan (y))) && acc_array_get_int (array, leaf, i) == acc_array_get_int (array, leaf, k);
}

static gboolean
are_equal (gconstpointer data, gint64 i, gint64 k)
{
  AccArray *array = (AccArray *) data;

  for (guint leaf = 0; leaf < acc_element_type_get_n_leaves (acc_array_get_element_type (array)); leaf++)
    if (!equal_leaf (array, leaf, i, k))
      return FALSE;
  return TRUE;
}

static gboolean
is_not_0 (gconstpointer data, gint64 i)
{
  AccArray *array = (AccArray *) data;

  for (guint leaf = 0; leaf < acc_element_type_get_n_leaves (acc_array_get_element_type (array)); leaf++)
    if (acc_array_get_double (array, leaf, i) != 0)
      return TRUE;
  return FALSE;
}

static AccExpr *
or_zero (AccExpr *pick, AccExpr *x, gpointer data)
{
  return acc_expr_cond (acc_expr_eq (pick, conf_i64 (0)), acc_expr_new_zero (acc_expr_get_element_type (x)), x);
}

/* In memory: 0 or one of two values, so that there is something to connect. */
static AccArray *
few_values (const char *code, const gint64 *extents, guint rank, GRand *rand, ConfValues kind)
{
  g_autoptr(GError) error = NULL;
  gint64 n = count_elements (extents, rank);
  gint64 *picks = g_new (gint64, n + 1);

  for (gint64 i = 0; i < n; i++)
    picks[i] = g_rand_int_range (rand, 0, 10) * 3 / 10;

  g_autoptr(AccArray) palette = conf_array (conf_type (code), (gint64[]) { 3 }, 1, rand, kind);
  g_autoptr(AccArray) places = new_array ("i8", extents, rank, picks), gathered = acc_array_gather (palette, places);
  g_autoptr(AccArray) values = acc_array_zip_with (places, gathered, or_zero, NULL);
  AccArray *made = acc_backend_run (conf_interpreter (), values, NULL, &error);

  g_assert_no_error (error);
  return made;
}

static void
check_label (const char *name, AccArray *array, guint connectivity)
{
  Rule rule = { are_equal, is_not_0, array };
  guint rank;
  const gint64 *extents = acc_shape_get_extents (acc_array_get_shape (array), &rank);
  g_autofree char *counted = g_strconcat (name, "/count", NULL);
  AccArray *count = NULL, *labels = acc_array_label_components (array, connectivity, &count);
  gint64 n;
  gint64 *wanted = label_all (extents, rank, connectivity, &rule, &n);

  conf_expect_array (name, labels, new_array ("i4", extents, rank, wanted));
  conf_expect_array (counted, count, conf_ints ("i8", NULL, 0, &n));
}

static const struct {
  guint  rank;
  gint64 extents[MAX_RANK];
} shapes[] = {
  { 1, { 0 } }, { 1, { 1 } }, { 1, { 100 } }, { 2, { 0, 5 } }, { 2, { 5, 0 } }, { 2, { 1, 1 } }, { 2, { 1, 40 } }, { 2, { 40, 1 } },
  { 2, { 23, 37 } }, { 3, { 0, 2, 3 } }, { 3, { 6, 7, 9 } }, { 3, { 2, 1, 9 } }, { 4, { 3, 4, 2, 5 } },
};

static void
test_type (gconstpointer code)
{
  g_autoptr(GRand) rand = g_rand_new_with_seed (conf_seed ());

  for (guint i = 0; i < G_N_ELEMENTS (shapes); i++)
    for (guint connectivity = 1; connectivity <= (conf_is_thorough () ? shapes[i].rank : 1); connectivity++)
      {
        g_autoptr(AccArray) array = few_values (code, shapes[i].extents, shapes[i].rank, rand, i % 2 ? CONF_FULL : CONF_SMALL);
        g_autofree char *shape = acc_shape_to_string (acc_array_get_shape (array));
        g_autofree char *name = g_strdup_printf ("label/%s%s/%u", (const char *) code, shape, connectivity);

        check_label (name, array, connectivity);
      }
}

/* --- pictures that need many rounds */

#define SIDE 81

static gboolean
is_serpentine (gint64 y, gint64 x)
{
  return y % 2 == 0 || (y % 4 == 1 ? x == SIDE - 1 : x == 0);
}

static gboolean
is_comb (gint64 y, gint64 x)
{
  return y == SIDE - 1 || x % 2 == 0;
}

/* Rings with a gap each, on alternating sides. */
static gboolean
is_maze (gint64 y, gint64 x)
{
  gint64 ring = MIN (MIN (y, SIDE - 1 - y), MIN (x, SIDE - 1 - x));

  return ring % 2 == 0 || (x == SIDE / 2 && (ring % 4 == 1) == (y < SIDE / 2));
}

static void
test_pictures (void)
{
  static gboolean (*const pictures[]) (gint64 y, gint64 x) = { is_serpentine, is_comb, is_maze };
  static const gint64 extents[] = { SIDE, SIDE };

  for (guint i = 0; i < 4 * G_N_ELEMENTS (pictures); i += conf_is_thorough () ? 1 : 5)
    {
      gint64 *values = g_new (gint64, SIDE * SIDE);

      /* Itself, on its side, upside down, and both. */
      for (gint64 y = 0; y < SIDE; y++)
        for (gint64 x = 0; x < SIDE; x++)
          {
            gint64 row = i & 1 ? SIDE - 1 - y : y;

            values[y * SIDE + x] = pictures[i / 4] (i & 2 ? x : row, i & 2 ? row : x);
          }

      g_autoptr(AccArray) picture = new_array ("b1", extents, 2, values);
      for (guint connectivity = 1; connectivity <= 2; connectivity++)
        {
          g_autofree char *name = g_strdup_printf ("label/picture-%u/%u", i, connectivity);

          check_label (name, picture, connectivity);
        }
    }
}

/* Near the threshold of percolation, where components are as long as they get. */
static void
test_noise (void)
{
  g_autoptr(GRand) rand = g_rand_new_with_seed (conf_seed ());
  static const double thresholds[][2] = { { 2, 0.593 }, { 2, 0.407 }, { 3, 0.312 } };

  for (guint i = 0; i < G_N_ELEMENTS (thresholds); i++)
    {
      guint rank = (guint) thresholds[i][0];
      gint64 extents[] = { rank == 2 ? 150 : 20, rank == 2 ? 170 : 24, 28 }, n = extents[0] * extents[1] * (rank == 2 ? 1 : extents[2]);
      gint64 *values = g_new (gint64, n);

      for (gint64 k = 0; k < n; k++)
        values[k] = g_rand_double (rand) < thresholds[i][1];

      g_autoptr(AccArray) noise = new_array ("u1", extents, rank, values);
      for (guint connectivity = 1; connectivity <= rank; connectivity++)
        {
          g_autofree char *name = g_strdup_printf ("label/noise-%u/%u", i, connectivity);

          check_label (name, noise, connectivity);
        }
    }
}

/* --- any relation */

typedef struct {
  AccArray *values, *mask;
} Masked;

static gboolean
are_near (gconstpointer data, gint64 i, gint64 k)
{
  return ABS (acc_array_get_int (((const Masked *) data)->values, 0, i) - acc_array_get_int (((const Masked *) data)->values, 0, k)) <= 1;
}

static gboolean
is_inside (gconstpointer data, gint64 i)
{
  return ((const Masked *) data)->mask == NULL || acc_array_get_int (((const Masked *) data)->mask, 0, i) != 0;
}

static AccExpr *
near (AccExpr *x, AccExpr *y, gpointer data)
{
  return acc_expr_le (acc_expr_abs (acc_expr_sub (x, y)), acc_expr_new_int (1));
}

static AccExpr *
difference (AccExpr *x, AccExpr *y, gpointer data)
{
  return acc_expr_sub (x, y);
}

/* Not transitive: 1 and 3 are connected by a 2 alone. */
static void
test_relation (void)
{
  g_autoptr(GRand) rand = g_rand_new_with_seed (conf_seed ());

  for (guint i = 0; i < G_N_ELEMENTS (shapes); i++)
    for (guint k = 0; k < 2 * shapes[i].rank; k++)
      {
        const gint64 *extents = shapes[i].extents;
        guint rank = shapes[i].rank, connectivity = k / 2 + 1;
        gint64 size = count_elements (extents, rank), n;
        gint64 *values = g_new (gint64, size + 1);

        for (gint64 e = 0; e < size; e++)
          values[e] = g_rand_int_range (rand, 0, 6);

        g_autoptr(AccArray) array = new_array ("i4", extents, rank, values);
        g_autoptr(AccArray) mask = k % 2 ? few_values ("b1", extents, rank, rand, CONF_SMALL) : NULL;
        Masked masked = { array, mask };
        Rule rule = { are_near, is_inside, &masked };
        gint64 *wanted = label_all (extents, rank, connectivity, &rule, &n);
        g_autofree char *shape = acc_shape_to_string (acc_array_get_shape (array));
        g_autofree char *name = g_strdup_printf ("label-by/%s/%u%s", shape, connectivity, mask != NULL ? "/mask" : "");
        g_autofree char *counted = g_strconcat (name, "/count", NULL);
        AccArray *count = NULL, *labels = acc_array_label_components_by (array, mask, connectivity, near, NULL, &count);

        conf_expect_array (name, labels, new_array ("i4", extents, rank, wanted));
        conf_expect_array (counted, count, conf_ints ("i8", NULL, 0, &n));
      }
}

static AccArray *
label_first (AccArray **arrays, guint n_arrays, gpointer data)
{
  return acc_array_label_components (arrays[0], 2, NULL);
}

static AccElementType *
find_label_type (gint64 rows, gint64 columns)
{
  g_autoptr(AccShape) shape = acc_shape_new ((gint64[]) { rows, columns }, 2);
  g_autoptr(AccArray) nothing = acc_array_fill (shape, acc_expr_new_bool (FALSE)), labels = acc_array_label_components (nothing, 1, NULL);

  return acc_array_get_element_type (labels);
}

/* Extents that are known when it runs: labels are i8, unless they are declared. So are those of more elements than an i4 counts. */
static void
test_programs (void)
{
  static const char *const open[] = { "u1[:,:]", NULL }, *const closed[] = { "u1[9,11]", NULL };
  g_autoptr(GRand) rand = g_rand_new_with_seed (conf_seed ());
  AccProgram *of_open = acc_program_new (open, label_first, NULL), *of_closed = acc_program_new (closed, label_first, NULL);

  g_assert_true (acc_array_get_element_type (acc_program_get_result (of_open, 0)) == conf_type ("i8"));
  g_assert_true (acc_array_get_element_type (acc_program_get_result (of_closed, 0)) == conf_type ("i4"));
  g_object_unref (of_closed);
  g_assert_true (find_label_type (1 << 16, (1 << 15) - 1) == conf_type ("i4"));
  g_assert_true (find_label_type (1 << 16, 1 << 15) == conf_type ("i8"));

  g_autoptr(ConfProgram) program = conf_program_new ("label/program", of_open);
  for (gint64 i = 0; i < 4; i++)
    {
      const gint64 extents[] = { i * 9, 11 };

      conf_program_check (program, (AccArray *[]) { few_values ("u1", extents, 2, rand, CONF_SMALL) }, 1, CONF_EXACT);
    }
}

/* --- regions */

/* How many elements each label has. */
static gint64 *
count_sizes (const gint64 *labels, gint64 size, gint64 n)
{
  gint64 *sizes = g_new0 (gint64, n + 1);

  for (gint64 i = 0; i < size; i++)
    sizes[labels[i]]++;
  return sizes;
}

static gboolean
is_0 (gconstpointer data, gint64 i)
{
  return !is_not_0 (data, i);
}

static gboolean
is_any (gconstpointer data, gint64 i)
{
  return TRUE;
}

static void
check_sizes (const char *name, AccArray *array, const gint64 *extents, guint rank, guint connectivity, gint64 size)
{
  Rule objects = { are_equal, is_not_0, array }, holes = { are_equal, is_0, array };
  gint64 n, n_holes;
  g_autofree gint64 *labels = label_all (extents, rank, connectivity, &objects, &n), *sizes = count_sizes (labels, size, n);
  g_autofree gint64 *voids = label_all (extents, rank, connectivity, &holes, &n_holes), *areas = count_sizes (voids, size, n_holes);
  g_autofree gboolean *open = g_new0 (gboolean, n_holes + 1);
  gint64 *kept = g_new (gint64, size + 1), *smaller = g_new (gint64, size + 1), *filled = g_new (gint64, size + 1);
  g_autofree char *objects_name = g_strconcat (name, "/objects", NULL), *holes_name = g_strconcat (name, "/holes", NULL),
    *filled_name = g_strconcat (name, "/filled", NULL);

  for (gint64 i = 0; i < size; i++)
    for (gint64 d = rank, place = i; d-- > 0; place /= extents[d])
      if (place % extents[d] == 0 || place % extents[d] == extents[d] - 1)
        open[voids[i]] = TRUE;
  for (gint64 i = 0; i < size; i++)
    {
      kept[i] = labels[i] != 0 && sizes[labels[i]] >= 5;
      smaller[i] = voids[i] == 0 || areas[voids[i]] < 5;
      filled[i] = voids[i] == 0 || !open[voids[i]];
    }

  conf_expect_array (objects_name, acc_array_remove_small_objects (array, 5, connectivity), new_array ("b1", extents, rank, kept));
  conf_expect_array (holes_name, acc_array_remove_small_holes (array, 5, connectivity), new_array ("b1", extents, rank, smaller));
  conf_expect_array (filled_name, acc_array_fill_holes (array, connectivity), new_array ("b1", extents, rank, filled));
}

static void
check_flood (const char *name, AccArray *array, const gint64 *extents, guint rank, guint connectivity, gint64 size, gint64 seed)
{
  Rule rule = { are_equal, is_any, array };
  gint64 n, index[MAX_RANK];
  g_autofree gint64 *labels = label_all (extents, rank, connectivity, &rule, &n);
  gint64 *flooded = g_new (gint64, size), *filled = g_new (gint64, size);
  g_autofree char *flood_name = g_strconcat (name, "/flood", NULL), *fill_name = g_strconcat (name, "/flood-fill", NULL);
  g_autoptr(AccArray) numbers = acc_array_cast (array, conf_type ("i4"));

  for (gint64 d = rank, place = seed; d-- > 0; place /= extents[d])
    index[d] = place % extents[d];
  for (gint64 i = 0; i < size; i++)
    {
      flooded[i] = labels[i] == labels[seed];
      filled[i] = flooded[i] ? 7 : acc_array_get_int (array, 0, i);
    }

  conf_expect_array (flood_name, acc_array_flood (array, index, rank, connectivity), new_array ("b1", extents, rank, flooded));
  conf_expect_array (fill_name, acc_array_flood_fill (numbers, index, rank, connectivity, acc_expr_new_int (7)),
                     new_array ("i4", extents, rank, filled));
}

static void
test_regions (void)
{
  g_autoptr(GRand) rand = g_rand_new_with_seed (conf_seed ());

  for (guint i = 0; i < G_N_ELEMENTS (shapes); i++)
    for (guint connectivity = 1; connectivity <= shapes[i].rank; connectivity++)
      {
        const gint64 *extents = shapes[i].extents;
        guint rank = shapes[i].rank;
        gint64 size = count_elements (extents, rank);
        gint64 *values = g_new (gint64, size + 1);

        for (gint64 k = 0; k < size; k++)
          values[k] = g_rand_int_range (rand, 0, 5) < 3;

        g_autoptr(AccArray) array = new_array ("b1", extents, rank, values);
        g_autofree char *shape = acc_shape_to_string (acc_array_get_shape (array));
        g_autofree char *name = g_strdup_printf ("regions/%s/%u", shape, connectivity);

        check_sizes (name, array, extents, rank, connectivity, size);
        if (size > 0)
          check_flood (name, array, extents, rank, connectivity, size, g_rand_int_range (rand, 0, (gint32) size));
      }
}

/* --- distances */

static gint64
least_square (AccArray *array, const gint64 *extents, guint rank, gint64 size, gint64 place)
{
  gint64 least = G_MAXINT64;

  for (gint64 other = 0; other < size; other++)
    {
      gint64 square = 0;

      if (is_not_0 (array, other))
        continue;
      for (gint64 d = rank, a = place, b = other; d-- > 0; a /= extents[d], b /= extents[d])
        square += (a % extents[d] - b % extents[d]) * (a % extents[d] - b % extents[d]);
      least = MIN (least, square);
    }

  return least;
}

/* @one_in: of how many elements one is 0; 0: none, 1: the one in the middle */
static void
check_distances (const char *code, const gint64 *extents, guint rank, gint32 one_in, GRand *rand)
{
  gint64 size = count_elements (extents, rank);
  gint64 *values = g_new (gint64, size + 1), *squares = g_new (gint64, size + 1);
  double *roots = g_new (double, size + 1);

  for (gint64 k = 0; k < size; k++)
    values[k] = one_in == 1 ? k != size / 2 : one_in == 0 || g_rand_int_range (rand, 0, one_in) > 0;

  g_autoptr(AccArray) array = new_array (code, extents, rank, values);
  g_autofree char *shape = acc_shape_to_string (acc_array_get_shape (array));
  g_autofree char *name = g_strdup_printf ("distance/%s%s/%d", code, shape, one_in), *squared = g_strconcat (name, "/squared", NULL);
  for (gint64 k = 0; k < size; k++)
    {
      squares[k] = least_square (array, extents, rank, size, k);
      roots[k] = squares[k] == G_MAXINT64 ? INFINITY : sqrt ((double) squares[k]);
    }

  conf_expect_array (squared, acc_array_distance_transform_squared (array), new_array ("i8", extents, rank, squares));
  conf_expect_array (name, acc_array_distance_transform (array), conf_floats ("f8", extents, rank, roots));
  g_free (roots);
}

static void
test_distances (void)
{
  g_autoptr(GRand) rand = g_rand_new_with_seed (conf_seed ());
  /* Farther than is searched outwards. */
  static const gint64 far[][3] = { { 150, 3 }, { 131, 2 }, { 66, 1 }, { 2, 97, 3 }, { 70, 75, 1 } };

  for (guint i = 0; i < G_N_ELEMENTS (shapes); i++)
    for (guint k = 0; k < 3; k++)
      check_distances (k == 0 ? "b1" : k == 1 ? "i4" : "f4", shapes[i].extents, shapes[i].rank, (gint32[]) { 0, 3, 30 }[k], rand);
  for (guint i = 0; i < G_N_ELEMENTS (far); i++)
    for (gint32 one_in = 0; one_in < 400; one_in = one_in * 7 + 1)
      check_distances ("b1", far[i], i < 3 ? 2 : 3, one_in, rand);
}

/* --- mistakes */

static void
test_mistakes (void)
{
  const gint64 deep[] = { 1, 1, 1, 1, 1 };
  g_autoptr(AccArray) matrix = CONF_INTS2 ("i4", 2, 2, 1, 0, 0, 1), one = conf_ints ("i4", NULL, 0, (gint64[]) { 1 });
  g_autoptr(AccArray) flags = CONF_INTS2 ("b1", 2, 2, 1, 0, 0, 1), few = CONF_INTS1 ("b1", 1, 0), five = conf_ints ("u1", deep, 5, deep);
  g_autoptr(AccArray) wide = CONF_INTS2 ("b1", 1, 2, 1, 0);

  CONF_EXPECT_ERROR ("label/rank-0", acc_array_label_components (one, 1, NULL), ACC_ERROR_SHAPE, "label_components", "rank 0");
  CONF_EXPECT_ERROR ("label/rank-5", acc_array_label_components (five, 1, NULL), ACC_ERROR_SHAPE, "label_components", "rank 5");
  CONF_EXPECT_ERROR ("label/connectivity-0", acc_array_label_components (matrix, 0, NULL), ACC_ERROR_SHAPE, "connectivity of 0", "1 to 2");
  CONF_EXPECT_ERROR ("label/connectivity-3", acc_array_label_components (matrix, 3, NULL), ACC_ERROR_SHAPE, "connectivity of 3", "1 to 2");
  CONF_EXPECT_ERROR ("label/nothing", acc_array_label_components (NULL, 1, NULL), ACC_ERROR_CALLBACK, "label_components", "an array");
  CONF_EXPECT_ERROR ("label-by/nothing", acc_array_label_components_by (matrix, NULL, 1, NULL, NULL, NULL), ACC_ERROR_CALLBACK,
                     "label_components_by", "a function");
  CONF_EXPECT_ERROR ("label-by/type", acc_array_label_components_by (matrix, NULL, 1, difference, NULL, NULL), ACC_ERROR_TYPE,
                     "label_components_by", "i4");
  CONF_EXPECT_ERROR ("label-by/mask", acc_array_label_components_by (matrix, matrix, 1, near, NULL, NULL), ACC_ERROR_TYPE, "mask", "i4");
  CONF_EXPECT_ERROR ("label-by/rank", acc_array_label_components_by (matrix, few, 1, near, NULL, NULL), ACC_ERROR_SHAPE, "mask", "rank 1");
  CONF_EXPECT_ERROR ("label-by/extents", acc_array_label_components_by (matrix, wide, 1, near, NULL, NULL), ACC_ERROR_SHAPE, "mask", "1,2");
  CONF_EXPECT_ERROR ("flood/rank", acc_array_flood (matrix, (gint64[]) { 0 }, 1, 1), ACC_ERROR_SHAPE, "flood", "1 indices");
  CONF_EXPECT_ERROR ("flood/outside", acc_array_flood (matrix, (gint64[]) { 0, 2 }, 2, 1), ACC_ERROR_BOUNDS, "flood", "2");
  CONF_EXPECT_ERROR ("flood/negative", acc_array_flood (matrix, (gint64[]) { -1, 0 }, 2, 1), ACC_ERROR_BOUNDS, "flood", "-1");
  CONF_EXPECT_ERROR ("flood-fill/type", acc_array_flood_fill (matrix, (gint64[]) { 0, 0 }, 2, 1, acc_expr_new_bool (TRUE)), ACC_ERROR_TYPE,
                     "flood_fill", "b1");
  CONF_EXPECT_ERROR ("flood-fill/nothing", acc_array_flood_fill (matrix, (gint64[]) { 0, 0 }, 2, 1, NULL), ACC_ERROR_CALLBACK,
                     "flood_fill", "a value");
  CONF_EXPECT_ERROR ("objects/connectivity", acc_array_remove_small_objects (matrix, 2, 3), ACC_ERROR_SHAPE, "remove_small_objects");
  CONF_EXPECT_ERROR ("holes/type", acc_array_remove_small_holes (matrix, 2, 1), ACC_ERROR_TYPE, "remove_small_holes", "i4");
  CONF_EXPECT_ERROR ("filled/type", acc_array_fill_holes (matrix, 1), ACC_ERROR_TYPE, "fill_holes", "i4");
  CONF_EXPECT_ERROR ("filled/connectivity", acc_array_fill_holes (flags, 0), ACC_ERROR_SHAPE, "fill_holes", "connectivity of 0");
  CONF_EXPECT_ERROR ("distance/rank-0", acc_array_distance_transform (one), ACC_ERROR_SHAPE, "distance_transform", "rank 0");
  CONF_EXPECT_ERROR ("distance/squared/rank-0", acc_array_distance_transform_squared (one), ACC_ERROR_SHAPE, "distance_transform_squared",
                     "rank 0");
}

int
main (int argc, char **argv)
{
  conf_init (&argc, &argv);
  for (guint i = 0; i < conf_n_types (); i++)
    {
      g_autofree char *path = g_strdup_printf ("/labels/%s", conf_types[i]);

      if (conf_is_thorough () || i % 4 == 0)
        g_test_add_data_func (path, conf_types[i], test_type);
    }
  g_test_add_func ("/labels/pictures", test_pictures);
  g_test_add_func ("/labels/noise", test_noise);
  g_test_add_func ("/labels/relation", test_relation);
  g_test_add_func ("/labels/programs", test_programs);
  g_test_add_func ("/labels/regions", test_regions);
  g_test_add_func ("/labels/distances", test_distances);
  g_test_add_func ("/labels/mistakes", test_mistakes);
  return conf_run ();
}
