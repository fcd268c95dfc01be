/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "conformance.h"

#include "acc-seq/stream/acc-evaluate-private.h"

#include <stdlib.h>
#include <string.h>

/* Random graphs of 3 to 15 nodes, whole and by rows. Every case has a seed of its own, printed where it fails:
 * ACC_TEST_SEED=that ACC_TEST_CASES=1 runs it again. */

#define MAX_SIZE 20000

static const char * const scalar_codes[] = { "b1", "i1", "i4", "i8", "u1", "u2", "u4", "f2", "f4", "f8" };

typedef struct {
  GRand     *rand;
  GPtrArray *pool;      /* AccArray */
  gboolean   rows;      /* prefers operations that keep rows */
  gboolean   sources;   /* some inputs are sources */
} Case;

static gint
pick (Case *c, gint n)
{
  return g_rand_int_range (c->rand, 0, n);
}

static AccArray *
any (Case *c)
{
  return g_ptr_array_index (c->pool, pick (c, (gint) c->pool->len));
}

static AccElementType *
any_scalar (Case *c)
{
  return conf_type (scalar_codes[pick (c, G_N_ELEMENTS (scalar_codes))]);
}

/* A scalar type, or now and then a packed one. */
static AccElementType *
any_item (Case *c)
{
  static const char * const codes[] = { "c8", "c4", "2i4", "3u1", "4f4", "5i8", "8u2", "2b1" };

  return pick (c, 4) == 0 ? conf_type (codes[pick (c, G_N_ELEMENTS (codes))]) : any_scalar (c);
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
leaf_of (Case *c, AccExpr *x)
{
  AccExpr *at = x;

  /* The index of rank 0 has nothing in it. */
  if (acc_expr_get_n_items (x) == 0)
    return conf_i64 (3);
  while (!acc_element_type_is_scalar (acc_expr_get_element_type (at)))
    at = acc_expr_item (at, pick (c, (gint) acc_expr_get_n_items (at)));
  return at;
}

static AccExpr *random_scalar (Case *c, AccExpr **leaves, guint n, AccElementType *type, guint depth);

static AccExpr *
random_condition (Case *c, AccExpr **leaves, guint n, guint depth)
{
  static AccExpr *(* const comparisons[]) (AccExpr *, AccExpr *) = {
    acc_expr_lt, acc_expr_le, acc_expr_gt, acc_expr_ge, acc_expr_eq, acc_expr_ne
  };
  AccElementType *type = any_scalar (c);
  AccExpr *x = random_scalar (c, leaves, n, type, depth - 1);
  AccExpr *y = random_scalar (c, leaves, n, type, depth - 1);

  return comparisons[pick (c, G_N_ELEMENTS (comparisons))] (x, y);
}

static AccExpr *
random_literal (Case *c, AccElementType *type)
{
  if (is_bool (type))
    return acc_expr_new_bool (pick (c, 2));
  if (is_float (type))
    return acc_expr_new_typed_float (type, g_rand_int_range (c->rand, -20, 20) * 0.25);
  return acc_expr_cast (conf_i64 (g_rand_int_range (c->rand, -5, 20)), type);
}

static AccExpr *
random_bool (Case *c, AccExpr **leaves, guint n, guint depth)
{
  AccElementType *type = conf_type ("b1");
  AccExpr *x;

  switch (pick (c, 4))
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
random_scalar (Case *c, AccExpr **leaves, guint n, AccElementType *type, guint depth)
{
  AccExpr *x, *y, *z;

  if (depth == 0 || pick (c, 6) == 0)
    {
      if (pick (c, 4) == 0)
        return random_literal (c, type);
      return acc_expr_cast (leaf_of (c, leaves[pick (c, (gint) n)]), type);
    }
  if (is_bool (type))
    return random_bool (c, leaves, n, depth);

  x = random_scalar (c, leaves, n, type, depth - 1);
  switch (pick (c, 11))
    {
    case 0:
      return acc_expr_neg (x);
    case 1:
      return acc_expr_abs (x);
    case 2:
      return is_float (type) ? acc_expr_sqrt (acc_expr_abs (x)) : acc_expr_bnot (x);
    case 3:
      return is_float (type) ? acc_expr_round (x) : acc_expr_shr (x, conf_i64 (pick (c, 9)));
    case 4:
      return acc_expr_cast (acc_expr_cast (x, any_scalar (c)), type);
    case 5:
      y = random_scalar (c, leaves, n, type, depth - 1);
      z = random_condition (c, leaves, n, depth);
      return acc_expr_cond (z, x, y);
    default:
      break;
    }
  y = random_scalar (c, leaves, n, type, depth - 1);
  switch (pick (c, 6))
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
random_item (Case *c, AccExpr **leaves, guint n)
{
  AccElementType *type = any_item (c);
  AccExpr *items[ACC_MAX_LANES];
  guint n_items = acc_element_type_get_n_items (type);

  for (guint i = 0; i < n_items; i++)
    items[i] = random_scalar (c, leaves, n, acc_element_type_get_item (type, i), 2);
  return n_items > 0 ? conf_assemble (type, items) : random_scalar (c, leaves, n, type, 3);
}

static AccExpr *
random_element (Case *c, AccExpr **leaves, guint n)
{
  AccExpr *items[3];
  guint n_items = pick (c, 4) == 0 ? 2 + pick (c, 2) : 1;

  for (guint i = 0; i < n_items; i++)
    items[i] = random_item (c, leaves, n);
  return n_items == 1 ? items[0] : acc_expr_tuple (items, n_items);
}

static AccExpr *
map_body (AccExpr *x, gpointer data)
{
  return random_element (data, &x, 1);
}

static AccExpr *
zip_body (AccExpr *x, AccExpr *y, gpointer data)
{
  return random_element (data, (AccExpr *[]) { x, y }, 2);
}

static AccExpr *
zip3_body (AccExpr *x, AccExpr *y, AccExpr *z, gpointer data)
{
  return random_element (data, (AccExpr *[]) { x, y, z }, 3);
}

/* --- indices */

typedef struct {
  Case     *c;
  AccArray *array;
} Access;

/* Any element of the array, from any index: each component wrapped around. */
static AccExpr *
wrapped_index (AccExpr *index, gpointer data)
{
  Access *access = data;
  guint rank = acc_array_get_rank (access->array);
  guint n = acc_expr_get_n_items (index);
  AccExpr *items[8];

  for (guint i = 0; i < rank; i++)
    {
      AccExpr *x = n == 0
                   ? conf_i64 (pick (access->c, 5))
                   : acc_expr_item (index, i < n && pick (access->c, 4) != 0 ? i : (guint) pick (access->c, (gint) n));

      if (pick (access->c, 3) == 0)
        x = acc_expr_add (acc_expr_mul (x, conf_i64 (1 + pick (access->c, 3))), conf_i64 (pick (access->c, 7) - 3));
      items[i] = acc_expr_mod (x, acc_expr_max (acc_expr_extent (access->array, i), conf_i64 (1)));
    }
  return rank == 1 ? items[0] : acc_expr_tuple (items, rank);
}

static AccExpr *
gather_body (AccExpr *index, gpointer data)
{
  Access *access = data;
  /* Perhaps nobody uses it. */
  g_autoptr(AccExpr) read = acc_expr_ref_sink (acc_expr_index (access->array, wrapped_index (index, data)));
  AccExpr *leaves[2] = { read, index };

  return random_element (access->c, leaves, acc_expr_get_n_items (index) > 0 ? 2 : 1);
}

static AccExpr *
target_body (AccExpr *index, AccExpr *x, gpointer data)
{
  return wrapped_index (index, data);
}

/* --- nodes */

static gint64
size_of (AccArray *array)
{
  return acc_shape_get_size (acc_array_get_shape (array));
}

static AccArray *
random_values (Case *c)
{
  guint rank = pick (c, 4);
  gint64 extents[4] = { 0 };

  for (guint i = 0; i < rank; i++)
    extents[i] = pick (c, 12) == 0 ? pick (c, 2) : 1 + pick (c, rank == 1 ? 500 : rank == 2 ? 40 : 12);
  if (pick (c, 4) == 0)
    {
      AccElementType *items[2] = { any_item (c), any_item (c) };

      return conf_array (acc_element_type_new_tuple (items, 2), extents, rank, c->rand, CONF_FULL);
    }
  return conf_array (any_item (c), extents, rank, c->rand, CONF_FULL);
}

static AccArray *
random_input (Case *c)
{
  AccArray *values = random_values (c);

  /* The same choices with and without sources. */
  if (c->rows && pick (c, 4) != 0 && acc_array_get_rank (values) > 0 && c->sources)
    return conf_through_source (values);
  return values;
}

/* Another one of the same rank, or the same. */
static AccArray *
partner (Case *c, AccArray *array)
{
  for (guint i = 0; i < 10; i++)
    {
      AccArray *other = any (c);

      if (acc_array_get_rank (other) == acc_array_get_rank (array))
        return other;
    }
  return array;
}

static AccArray *
random_stencil (Case *c, AccArray *x)
{
  guint rank = acc_array_get_rank (x);
  gint64 sizes[8];
  g_autoptr(AccBoundary) boundary = NULL;

  for (guint i = 0; i < rank; i++)
    sizes[i] = 1 + 2 * pick (c, rank > 2 ? 2 : 3);
  switch (pick (c, 4))
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
  return acc_array_stencil (x, sizes, rank, boundary, map_body, c);
}

static AccArray *
random_slice (Case *c, AccArray *x)
{
  guint rank = acc_array_get_rank (x);
  gint64 specification[8];

  for (guint i = 0; i < rank; i++)
    {
      gint64 extent = acc_shape_get_extent (acc_array_get_shape (x), i);

      specification[i] = extent > 0 && pick (c, 2) ? g_rand_int_range (c->rand, 0, (gint32) extent) : ACC_ALL;
    }
  return acc_array_slice (x, specification, rank);
}

static AccArray *
random_replicate (Case *c, AccArray *x)
{
  guint rank = acc_array_get_rank (x), n = 0, place = pick (c, (gint) rank + 1);
  gint64 specification[8];

  for (guint i = 0; i <= rank; i++)
    {
      if (i == place)
        specification[n++] = pick (c, 5);
      if (i < rank)
        specification[n++] = ACC_ALL;
    }
  return acc_array_replicate (x, specification, n);
}

/* Floats: sums of values near each other only, so that any order gives the same. */
static AccExpr *
combine_body (AccExpr *x, AccExpr *y, gpointer data)
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

      items[i] = combine_body (a, b, data);
    }
  return conf_assemble (type, items);
}

static AccArray *
random_permute (Case *c, AccArray *x)
{
  AccArray *other = any (c);
  g_autoptr(AccArray) defaults = NULL;
  g_autoptr(AccArray) targets = NULL;
  Access access = { c, NULL };

  if (acc_array_get_element_type (other) != acc_array_get_element_type (x) || size_of (other) == 0)
    other = x;
  if (size_of (other) == 0)
    return acc_array_map (x, map_body, c);
  defaults = acc_array_map (other, conf_mix, NULL);
  access.array = defaults;
  targets = acc_array_imap (x, target_body, &access);
  return acc_array_permute (x, defaults, targets, combine_body, c);
}

static AccArray *
random_reduction (Case *c, AccArray *x)
{
  AccElementType *type = acc_array_get_element_type (x);
  guint rank = acc_array_get_rank (x);
  gboolean inner = rank > 0 && acc_shape_get_extent (acc_array_get_shape (x), rank - 1) > 0 && size_of (x) > 0;

  switch (pick (c, 4))
    {
    case 0:
      return rank > 0 ? acc_array_scanl1 (x, combine_body, NULL) : acc_array_map (x, map_body, c);
    case 1:
      return rank > 0 ? acc_array_fold (x, conf_neutral (type), combine_body, NULL) : acc_array_map (x, map_body, c);
    case 2:
      return inner ? acc_array_fold1 (x, combine_body, NULL) : acc_array_map (x, map_body, c);
    default:
      return acc_array_fold_all (x, conf_neutral (type), combine_body, NULL);
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

static AccArray *
random_node (Case *c)
{
  AccArray *x = any (c);
  AccArray *y = partner (c, x), *z = partner (c, x);
  Access access = { c, x };

  static const gint keeping[] = { 0, 3, 4, 6, 7, 8, 11, 14, 14, 15, 16, 17, 18 };

  switch (c->rows && pick (c, 12) != 0 ? keeping[pick (c, G_N_ELEMENTS (keeping))] : pick (c, 19))
    {
    case 0:
    case 1:
    case 2:
      return acc_array_map (x, map_body, c);
    case 3:
      return acc_array_imap (x, zip_body, c);
    case 4:
    case 5:
      return acc_array_zip_with (x, y, zip_body, c);
    case 6:
      return acc_array_zip_with3 (x, y, z, zip3_body, c);
    case 7:
      return acc_array_zip (x, y);
    case 8:
      return acc_element_type_is_tuple (acc_array_get_element_type (x))
             ? acc_array_unzip (x, pick (c, (gint) acc_element_type_get_n_items (acc_array_get_element_type (x))))
             : acc_array_flatten (x);
    case 9:
      return turn (x);
    case 10:
      return random_replicate (c, x);
    case 11:
      return random_slice (c, x);
    case 12:
      if (size_of (x) == 0)
        return acc_array_map (x, map_body, c);
      return acc_array_backpermute (x, acc_array_get_shape (y), wrapped_index, &access);
    case 13:
      if (size_of (x) == 0)
        return acc_array_map (x, map_body, c);
      return acc_array_generate (acc_array_get_shape (y), gather_body, &access);
    case 14:
      return acc_array_get_rank (x) > 0 ? random_stencil (c, x) : acc_array_map (x, map_body, c);
    case 15:
      return random_permute (c, x);
    case 16:
      return acc_array_compute (x);
    default:
      return random_reduction (c, x);
    }
}

/* Up to three results; the last node is the first of them. */
static guint
build_case (Case *c, guint32 seed, const char *name, AccArray **results)
{
  g_autoptr(GError) error = NULL;
  gint n_nodes;
  guint n_results;

  c->rand = g_rand_new_with_seed (seed);
  c->pool = g_ptr_array_new_with_free_func (g_object_unref);
  for (gint i = 1 + pick (c, 3); i > 0; i--)
    g_ptr_array_add (c->pool, random_input (c));
  n_nodes = 3 + pick (c, 13);
  for (gint i = 0; i < n_nodes; i++)
    {
      AccArray *node = random_node (c);

      if (!acc_array_check (node, &error))
        {
          conf_fail ("interpreter", name, "%s", error->message);
          g_clear_error (&error);
          g_object_unref (node);
        }
      else if (acc_array_get_rank (node) > 5 || size_of (node) > MAX_SIZE ||
               acc_element_type_get_n_leaves (acc_array_get_element_type (node)) > 16)
        g_object_unref (node);
      else
        g_ptr_array_add (c->pool, node);
    }

  n_results = 1 + pick (c, 3);
  for (guint i = 0; i < n_results; i++)
    results[i] = i == 0 ? g_ptr_array_index (c->pool, c->pool->len - 1) : any (c);
  return n_results;
}

static void
clear_case (Case *c)
{
  g_clear_pointer (&c->pool, g_ptr_array_unref);
  g_clear_pointer (&c->rand, g_rand_free);
}

static void
print_program (AccProgram *program)
{
  g_autofree char *text = g_test_verbose () ? acc_program_to_string (program) : NULL;

  if (text != NULL)
    g_test_message ("%s", text);
}

/* Sums of few floats, in any order. */
static const ConfTolerance tolerance = { .zeros_equal = TRUE, .ulps = 4 };

static void
check_case (guint32 seed)
{
  Case c = { 0 };
  g_autofree char *name = g_strdup_printf ("random/%u", seed);
  AccArray *results[3];
  guint n_results = build_case (&c, seed, name, results);
  g_autoptr(AccProgram) program = acc_program_new_for_results (results, n_results);
  g_autoptr(ConfProgram) checked = NULL;

  print_program (program);
  checked = conf_program_new (name, g_steal_pointer (&program));
  conf_program_check (checked, NULL, 0, tolerance);
  clear_case (&c);
}

/* --- by rows */

static guint n_streamed, n_refused;

static void
check_rows_on (AccBackend *backend, const char *name, AccArray **results, guint n_results, GPtrArray *expected)
{
  static const gint64 heights[] = { 1, 7, 1000 };

  for (guint h = 0; h < G_N_ELEMENTS (heights); h++)
    {
      g_autoptr(GError) error = NULL;
      g_autoptr(GPtrArray) actual = acc_evaluate_with_chunk_rows (backend, results, n_results, heights[h], NULL, &error);

      if (actual == NULL)
        {
          /* What cannot go by rows says so; which graphs can is the backend's affair. */
          if (!g_error_matches (error, ACC_ERROR, ACC_ERROR_STREAM))
            conf_fail (acc_backend_get_name (backend), name, "by %d rows: %s", (int) heights[h], error->message);
          n_refused++;
          return;
        }
      n_streamed++;
      for (guint i = 0; i < n_results; i++)
        {
          g_autofree char *difference = conf_compare (g_ptr_array_index (expected, i), g_ptr_array_index (actual, i), tolerance);

          if (difference != NULL)
            {
              conf_fail (acc_backend_get_name (backend), name, "by %d rows, result %u: %s", (int) heights[h], i, difference);
              return;
            }
        }
    }
  conf_pass (acc_backend_get_name (backend), name);
}

static void
check_rows (guint32 seed)
{
  Case whole = { .rows = TRUE }, streamed = { .rows = TRUE, .sources = TRUE };
  g_autofree char *name = g_strdup_printf ("random-rows/%u", seed);
  AccArray *results[3];
  guint n_results = build_case (&whole, seed, name, results);
  g_autoptr(AccProgram) program = acc_program_new_for_results (results, n_results);
  g_autoptr(GError) error = NULL;
  g_autoptr(AccExecutable) executable = NULL;
  g_autoptr(GPtrArray) expected = NULL;

  print_program (program);
  executable = acc_backend_compile (conf_interpreter (), program, NULL, &error);
  g_assert_no_error (error);
  expected = acc_executable_run (executable, NULL, 0, NULL, &error);
  g_assert_no_error (error);
  clear_case (&whole);

  n_results = build_case (&streamed, seed, name, results);
  check_rows_on (conf_interpreter (), name, results, n_results, expected);
  for (guint i = 0; i < conf_n_backends (); i++)
    check_rows_on (conf_backend (i), name, results, n_results, expected);
  clear_case (&streamed);
}

static guint
count_cases (void)
{
  const char *given = g_getenv ("ACC_TEST_CASES");

  return given != NULL && *given != '\0' ? (guint) atoi (given) : conf_is_thorough () ? 200 : 60;
}

static void
test_random (gconstpointer data)
{
  for (guint i = GPOINTER_TO_UINT (data); i < count_cases (); i += 10)
    check_case (conf_seed () + i);
}

static void
test_rows (gconstpointer data)
{
  for (guint i = GPOINTER_TO_UINT (data); i < count_cases (); i += 10)
    check_rows (conf_seed () + i);
}

static void
test_coverage (void)
{
  g_test_message ("%u runs by rows, %u graphs refused", n_streamed, n_refused);
  if (count_cases () >= 50)
    g_assert_cmpuint (n_streamed, >, n_refused);
}

int
main (int argc, char **argv)
{
  conf_init (&argc, &argv);
  for (guint i = 0; i < 10; i++)
    {
      g_autofree char *path = g_strdup_printf ("/random/whole/%u", i);

      g_test_add_data_func (path, GUINT_TO_POINTER (i), test_random);
    }
  for (guint i = 0; i < 10; i++)
    {
      g_autofree char *path = g_strdup_printf ("/random/rows/%u", i);

      g_test_add_data_func (path, GUINT_TO_POINTER (i), test_rows);
    }
  g_test_add_func ("/random/rows/coverage", test_coverage);
  return conf_run ();
}
