/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "acc-array-products.h"

#include "acc-core/array/acc-array-build-private.h"
#include "acc-core/base/acc-element-type-private.h"
#include "acc-array-math.h"
#include "acc-error.h"
#include "acc-core/array/acc-foreign-known-private.h"

/* Sums of products. Backends with an operation for those of matrices take that (direct). For the others they are made by panels: the
 * right one is copied so that the columns of a panel lie side by side, a lane each, and every lane sums the products of several rows of
 * the left one at a time, in one loop: what it reads of the panel serves all of them, and the panel stays near while all rows pass. The
 * sums are then put where they belong. */

#define LANES_LOG 6
/* A power of 2. */
#define N_ROWS    4

/* --- of elements */

static AccExpr *
widen (AccExpr *x)
{
  AccElementType *type = acc_expr_get_element_type (x);

  return acc_element_type_get_sum_type (type) != type ? acc_expr_cast (x, acc_element_type_get_sum_type (type)) : x;
}

static AccExpr *
product_of (AccExpr *x,
            AccExpr *y,
            gpointer data)
{
  return acc_expr_mul (widen (x), widen (y));
}

/* Sums of rows of products, as arrays of @type. */
static AccArray *
sum_products (AccArray *x,
              AccArray *y)
{
  g_autoptr(AccArray) products = acc_array_zip_with (x, y, product_of, NULL), sums = acc_array_sum (products);

  return products->type == x->type ? g_steal_pointer (&sums) : acc_array_cast (sums, x->type);
}

/* The node that says what is wrong; sound where nothing is. */
static AccArray *
begin_product (AccArray   *self,
               AccArray   *other,
               const char *operation)
{
  AccArray *both[] = { self, other };
  AccArray *node = acc_array_begin (ACC_OP_ZIP_WITH, both, 2);

  if (node->error == NULL && self->type != other->type)
    acc_array_fail (node, ACC_ERROR_TYPE, "%s: an array of %s and one of %s", operation, acc_element_type_get_code (self->type),
                    acc_element_type_get_code (other->type));
  if (node->error == NULL && (acc_element_type_is_tuple (self->type) || acc_element_type_get_kind (self->type) == ACC_KIND_BOOL))
    acc_array_fail (node, ACC_ERROR_TYPE, "%s: elements are numbers, not %s", operation, acc_element_type_get_code (self->type));

  return node;
}

/**
 * acc_array_dot:
 * @self: an array of numbers, of rank 1 or more
 * @other: an array of the same type and extents
 *
 * Computes the dot product of each row with the same row of another array.
 *
 * An empty row gives 0. Integers wrap; floats may differ in the last bits from those of a plain loop. f2 is summed in f4.
 *
 * Takes time linear in the size of @self. Types that differ, and elements that are not numbers, are %ACC_ERROR_TYPE; an array of rank 0 is
 * %ACC_ERROR_SHAPE. Extents that differ are %ACC_ERROR_SHAPE while building, or %ACC_ERROR_BOUNDS when run, where they are known only then.
 *
 * ```c
 * // xs = [1, 2, 3], ys = [4, 5, 6]
 * g_autoptr(AccArray) result = acc_array_dot (xs, ys); // → 32
 * ```
 *
 * Returns: (transfer full): an array of the shape of @self without its innermost dimension
 */
AccArray *
acc_array_dot (AccArray *self,
               AccArray *other)
{
  ACC_ARRAY_NAMED ("dot");
  AccArray *node = begin_product (self, other, "dot");
  g_autoptr(AccArray) matched = NULL;

  if (node->error == NULL && self->rank == 0)
    acc_array_fail (node, ACC_ERROR_SHAPE, "dot: an array of rank 0 has no rows");
  if (node->error == NULL)
    acc_array_check_extents (node, "dot: an array", self, other);
  if (node->error != NULL)
    return acc_array_complete (node);
  g_object_unref (node);

  matched = acc_array_match_extents (self, other);
  return sum_products (self, matched);
}

/* --- of vectors */

static AccExpr *
first_item (AccExpr *index,
            gpointer data)
{
  return acc_expr_item (index, 0);
}

static AccExpr *
second_item (AccExpr *index,
             gpointer data)
{
  return acc_expr_item (index, 1);
}

/**
 * acc_array_outer:
 * @self: an array of numbers
 * @other: an array of the same type
 *
 * Computes the outer product of two arrays.
 *
 * Multiplies every element of @self by every element of @other; both are taken in row-major order.
 *
 * Takes time linear in the size of the result. Types that differ, and elements that are not numbers, are %ACC_ERROR_TYPE.
 *
 * ```c
 * // xs = [1, 2], ys = [3, 4, 5]
 * g_autoptr(AccArray) result = acc_array_outer (xs, ys); // → [[3, 4, 5], [6, 8, 10]]
 * ```
 *
 * Returns: (transfer full): a matrix: a row for each element of @self, a column for each element of @other
 */
AccArray *
acc_array_outer (AccArray *self,
                 AccArray *other)
{
  ACC_ARRAY_NAMED ("outer");
  AccArray *node = begin_product (self, other, "outer");
  g_autoptr(AccArray) x = NULL, y = NULL, rows = NULL, columns = NULL;
  g_autoptr(AccExpr) shape = NULL;

  if (node->error != NULL)
    return acc_array_complete (node);
  g_object_unref (node);

  x = acc_array_flatten (self);
  y = acc_array_flatten (other);
  shape = acc_expr_ref_sink (acc_expr_tuple2 (acc_expr_extent (x, 0), acc_expr_extent (y, 0)));
  rows = acc_array_backpermute_expr (x, shape, first_item, NULL);
  columns = acc_array_backpermute_expr (y, shape, second_item, NULL);

  return acc_array_mul (rows, columns);
}

/* --- of matrices */

typedef struct {
  AccArray *left, *right;      /* of rank 2 at least */
  AccArray *panels;            /* outer, panel, depth, lane */
  AccArray *sums;              /* outer, panel, group of rows, lane */
  AccArray *padded;            /* outer, group of rows, row, panel, lane */
  AccArray *outer;             /* whose outer dimensions the result has */
  AccExpr  *rows, *columns, *depth, *lanes_log;
  guint     n_rows, rows_log;
} Product;

/* The dimension of @right that is as deep as the last of @left. */
static guint
get_depth_dimension (AccArray *right)
{
  return right->rank > 1 ? right->rank - 2 : 0;
}

/* How many of the outermost dimensions both have. */
static guint
count_common (AccArray *left,
              AccArray *right)
{
  return left->rank > 2 && right->rank > 2 ? left->rank - 2 : 0;
}

/* @place, or -1, which no array has, where the extents do not fit. */
static AccExpr *
match_place (AccArray *left,
             AccArray *right,
             AccExpr  *place)
{
  AccExpr *equal = acc_expr_eq (acc_expr_extent (left, left->rank - 1), acc_expr_extent (right, get_depth_dimension (right)));

  for (guint i = 0; i < count_common (left, right); i++)
    equal = acc_expr_land (equal, acc_expr_eq (acc_expr_extent (left, i), acc_expr_extent (right, i)));

  return acc_expr_cond (equal, place, acc_array_number (-1));
}

/* The index of a matrix, of the @outer-th in row-major order where there are several. */
static AccExpr *
element_of (AccArray *array,
            AccExpr  *outer,
            AccExpr  *row,
            AccExpr  *column)
{
  g_autoptr(AccExpr) given = acc_expr_ref_sink (outer);
  guint last = array->rank - 1;

  if (array->rank == 2)
    return acc_expr_index (array, acc_expr_tuple2 (row, column));

  return acc_expr_linear_index (array,
                                acc_expr_add (acc_expr_mul (acc_expr_add (acc_expr_mul (outer, acc_expr_extent (array, last - 1)), row),
                                                            acc_expr_extent (array, last)), column));
}

static AccExpr *
panel_element (AccExpr *index,
               gpointer data)
{
  const Product *self = data;
  g_autoptr(AccExpr) column = acc_expr_ref_sink (acc_expr_add (acc_expr_shl (acc_expr_item (index, 1), self->lanes_log),
                                                               acc_expr_item (index, 3)));
  AccExpr *nearest = acc_expr_min (column, acc_expr_sub (self->columns, acc_array_number (1)));

  return widen (element_of (self->right, acc_expr_item (index, 0), match_place (self->left, self->right, acc_expr_item (index, 2)),
                            nearest));
}

typedef struct {
  const Product *product;
  AccExpr       *index;
} Lane;

/* The state: how deep, and the sums of the rows. */
static AccExpr *
sum_step (AccExpr *state,
          gpointer data)
{
  const Lane *lane = data;
  const Product *self = lane->product;
  g_autoptr(AccExpr) depth = acc_expr_ref_sink (acc_expr_item (state, 0)), first = NULL, factor = NULL;
  AccExpr *next[N_ROWS + 1], *outer = self->right->rank > 2 ? acc_expr_item (lane->index, 0) : acc_array_number (0);

  first = acc_expr_ref_sink (acc_expr_shl (acc_expr_item (lane->index, 2), acc_array_number (self->rows_log)));
  factor = acc_expr_ref_sink (acc_expr_index (self->panels, acc_expr_tuple4 (outer, acc_expr_item (lane->index, 1), depth,
                                                                             acc_expr_item (lane->index, 3))));
  next[0] = acc_expr_add (depth, acc_array_number (1));
  for (guint r = 0; r < self->n_rows; r++)
    {
      AccExpr *row = acc_expr_min (acc_expr_add (first, acc_array_number (r)), acc_expr_sub (self->rows, acc_array_number (1)));
      AccExpr *element = widen (element_of (self->left, acc_expr_item (lane->index, 0), row, depth));

      next[r + 1] = acc_expr_add (acc_expr_item (state, r + 1), acc_expr_mul (element, factor));
    }

  return acc_expr_tuple2 (acc_expr_lt (depth, self->depth), acc_expr_tuple (next, self->n_rows + 1));
}

static AccExpr *
sums_of_lane (AccExpr *index,
              gpointer data)
{
  const Product *self = data;
  Lane lane = { self, index };
  g_autoptr(AccExpr) sums = NULL;
  AccExpr *items[N_ROWS + 1];

  items[0] = acc_array_number (0);
  for (guint r = 0; r < self->n_rows; r++)
    items[r + 1] = acc_expr_cast (acc_array_number (0), acc_element_type_get_sum_type (self->left->type));
  sums = acc_expr_ref_sink (acc_expr_while (acc_expr_tuple (items, self->n_rows + 1), sum_step, &lane));
  for (guint r = 0; r < self->n_rows; r++)
    items[r] = acc_expr_item (sums, r + 1);

  return acc_expr_tuple (items, self->n_rows);
}

/* @index: outer, group of rows, row, panel, lane */
static AccExpr *
sum_of_row (AccExpr *index,
            gpointer data)
{
  const Product *self = data;
  g_autoptr(AccExpr) row = acc_expr_ref_sink (acc_expr_item (index, 2)), sums = NULL;
  AccExpr *sum;

  sums = acc_expr_ref_sink (acc_expr_index (self->sums,
                                            acc_expr_tuple4 (acc_expr_item (index, 0), acc_expr_item (index, 3), acc_expr_item (index, 1),
                                                             acc_expr_item (index, 4))));
  sum = acc_expr_item (sums, self->n_rows - 1);
  for (guint r = self->n_rows - 1; r-- > 0; )
    sum = acc_expr_cond (acc_expr_eq (row, acc_array_number (r)), acc_expr_item (sums, r), sum);

  return acc_expr_cast (sum, self->left->type);
}

/* Where an element of the result is in @self->padded, in row-major order. */
static AccExpr *
padded_place (AccExpr *index,
              gpointer data)
{
  const Product *self = data;
  guint rank = self->outer->rank;
  AccExpr *outer = acc_array_outer_place (self->outer, index, rank - 2);
  AccExpr *rows = acc_expr_mul (acc_expr_extent (self->padded, 1), acc_expr_extent (self->padded, 2));
  AccExpr *columns = acc_expr_mul (acc_expr_extent (self->padded, 3), acc_expr_extent (self->padded, 4));

  return acc_expr_add (acc_expr_mul (acc_expr_add (acc_expr_mul (outer, rows), acc_expr_item (index, rank - 2)), columns),
                       acc_expr_item (index, rank - 1));
}

/* How many groups of 1 << @log there are of @n. */
static AccExpr *
count_groups (AccExpr *n,
              AccExpr *log)
{
  AccExpr *more = acc_expr_sub (acc_expr_shl (acc_array_number (1), log), acc_array_number (1));

  return acc_expr_shr (acc_expr_add (n, more), log);
}

/* Whether no group of rows and no panel has more than there is. */
static gboolean
fits_exactly (AccArray *left,
              AccArray *right,
              guint     n_rows)
{
  AccShape *x = acc_array_get_shape (left), *y = acc_array_get_shape (right);
  gint64 n = y != NULL ? acc_shape_get_extent (y, right->rank - 1) : 0;

  return x != NULL && y != NULL && acc_shape_get_extent (x, left->rank - 2) % n_rows == 0 && n % (1 << LANES_LOG) == 0;
}

static AccArray *
multiply_matrices (AccArray *left,
                   AccArray *right)
{
  guint l = left->rank - 2, r = right->rank - 2;
  AccShape *shape = acc_array_get_shape (left);
  gint64 n = shape != NULL ? acc_shape_get_extent (shape, l) : N_ROWS;
  g_autoptr(AccExpr) rows = acc_expr_ref_sink (acc_expr_extent (left, l)), columns = acc_expr_ref_sink (acc_expr_extent (right, r + 1));
  g_autoptr(AccExpr) depth = acc_expr_ref_sink (acc_expr_extent (left, l + 1)), lanes_log = NULL, panels = NULL, count = NULL, lanes = NULL;
  g_autoptr(AccExpr) groups = NULL;
  g_autoptr(AccArray) panel_array = NULL, sum_array = NULL, padded = NULL, flat = NULL;
  Product self = { left, right, NULL, NULL, NULL, left->rank >= right->rank ? left : right, rows, columns, depth, NULL, N_ROWS, 2 };
  g_autofree AccExpr **extents = g_new (AccExpr *, self.outer->rank);
  AccExpr *outer = acc_array_number (1), *result, *items[5];

  if (n < N_ROWS)
    {
      self.rows_log = n > 1;
      self.n_rows = 1 << self.rows_log;
    }
  for (guint i = 0; i + 2 < self.outer->rank; i++)
    {
      extents[i] = acc_expr_extent (self.outer, i);
      outer = acc_expr_mul (outer, extents[i]);
    }
  count = acc_expr_ref_sink (outer);

  /* Not more lanes than the next power of 2 holds. */
  lanes_log = acc_expr_sub (acc_array_number (64),
                            acc_expr_clz (acc_expr_max (acc_expr_sub (columns, acc_array_number (1)), acc_array_number (0))));
  self.lanes_log = lanes_log = acc_expr_ref_sink (acc_expr_min (lanes_log, acc_array_number (LANES_LOG)));
  lanes = acc_expr_ref_sink (acc_expr_shl (acc_array_number (1), lanes_log));
  panels = acc_expr_ref_sink (count_groups (columns, lanes_log));
  groups = acc_expr_ref_sink (count_groups (rows, acc_array_number (self.rows_log)));

  self.panels = panel_array = acc_array_generate_expr (acc_expr_tuple4 (right->rank > 2 ? count : acc_array_number (1), panels, depth,
                                                                        lanes),
                                                       panel_element, &self);
  self.sums = sum_array = acc_array_generate_expr (acc_expr_tuple4 (count, panels, groups, lanes), sums_of_lane, &self);
  items[0] = count;
  items[1] = groups;
  items[2] = acc_array_number (self.n_rows);
  items[3] = panels;
  items[4] = lanes;
  extents[self.outer->rank - 2] = rows;
  extents[self.outer->rank - 1] = columns;

  result = acc_expr_tuple (extents, self.outer->rank);
  self.padded = padded = acc_array_generate_expr (acc_expr_tuple (items, 5), sum_of_row, &self);
  flat = acc_array_flatten (padded);

  return fits_exactly (left, right, self.n_rows) ? acc_array_reshape_expr (flat, result)
                                                 : acc_array_backpermute_expr (flat, result, padded_place, &self);
}

typedef struct {
  AccArray *left, *right;
} Factors;

static AccExpr *
vector_place (AccExpr *index,
              gpointer data)
{
  const Factors *factors = data;

  return match_place (factors->left, factors->right, acc_expr_item (index, factors->left->rank - 1));
}

static AccArray *
multiply_vector (AccArray *left,
                 AccArray *right)
{
  Factors factors = { left, right };
  g_autoptr(AccArray) rows = acc_array_backpermute_expr (right, acc_expr_shape (left), vector_place, &factors);

  return sum_products (left, rows);
}

/* Offers it as a library's routine, if that is worth it as far as extents are known. */
static AccArray *
offer_product (AccArray *product,
               AccArray *left,
               AccArray *right)
{
  AccElementKind kind = acc_element_type_get_kind (left->type);
  AccShape *x = acc_array_get_shape (left), *y = acc_array_get_shape (right);
  gboolean is_worth = kind == ACC_KIND_COMPLEX ? acc_element_type_get_leaf (left->type, 0) != ACC_KIND_F16
                                               : kind == ACC_KIND_F32 || kind == ACC_KIND_F64;

  for (guint i = 0; i < 2 && x != NULL; i++)
    is_worth &= acc_shape_get_extent (x, left->rank - 1 - i) >= ACC_FOREIGN_SHORTEST_SIDE;
  if (y != NULL)
    is_worth &= acc_shape_get_extent (y, right->rank - 1) >= ACC_FOREIGN_SHORTEST_SIDE;
  if (is_worth)
    acc_array_offer (product, ACC_FOREIGN_PRODUCT, (AccArray *[]) { left, right }, 2);

  return product;
}

/* A row by itself, as a matrix; and the result without its one row. */
static AccArray *
multiply_row (AccArray *left,
              AccArray *right)
{
  g_autoptr(AccArray) row = acc_array_reshape_expr (left, acc_expr_tuple2 (acc_array_number (1), acc_expr_extent (left, 0)));
  g_autoptr(AccArray) product = multiply_matrices (row, right);
  g_autofree AccExpr **extents = g_new (AccExpr *, product->rank);

  for (guint i = 0; i + 1 < product->rank; i++)
    extents[i] = acc_expr_extent (product, i + 2 < product->rank ? i : i + 1);
  return acc_array_reshape_expr (product, acc_array_join_items (extents, product->rank - 1));
}

/* --- one operation for backends that have it */

/* Of factors that were checked: matrices of numbers of one type. */
static gboolean
check_matmul (AccArray *node)
{
  node->type = node->inputs[0]->type;
  node->rank = MAX (node->inputs[0]->rank, node->inputs[1]->rank);

  return TRUE;
}

static gboolean
infer_matmul (AccInference *self)
{
  AccArray *left = self->array->inputs[0], *right = self->array->inputs[1];
  guint l = left->rank, r = right->rank, n = MAX (l, r);
  g_autofree gint64 *x = NULL;
  const gint64 *extents = acc_inference_get_extents (self, 0), *y;

  if (extents == NULL)
    return FALSE;
  x = g_memdup2 (extents, l * sizeof (gint64));
  if ((y = acc_inference_get_extents (self, 1)) == NULL)
    return FALSE;

  for (guint i = 0; i + 2 < n; i++)
    {
      if (l == r && x[i] != y[i])
        return acc_inference_fail (self, ACC_ERROR_BOUNDS,
                                   "index -1 is outside: matrices in extents %" G_GINT64_FORMAT " and %" G_GINT64_FORMAT, x[i], y[i]);
      self->extents[i] = l == n ? x[i] : y[i];
    }
  if (x[l - 1] != y[r - 2])
    return acc_inference_fail (self, ACC_ERROR_BOUNDS, "index -1 is outside: rows of %" G_GINT64_FORMAT " and columns of %" G_GINT64_FORMAT,
                               x[l - 1], y[r - 2]);
  self->extents[n - 2] = x[l - 2];
  self->extents[n - 1] = y[r - 1];
  return TRUE;
}

const AccOperationClass acc_class_matmul = { check_matmul, NULL, infer_matmul };

static AccArray *
multiply_directly (AccArray *left,
                   AccArray *right)
{
  AccArray *product = multiply_matrices (left, right);

  if (product->error == NULL)
    product->direct = acc_array_complete (acc_array_begin (ACC_OP_MATMUL, (AccArray *[]) { left, right }, 2));

  return product;
}

static gboolean
check_factors (AccArray *node,
               AccArray *left,
               AccArray *right)
{
  AccShape *x = acc_array_get_shape (left), *y = acc_array_get_shape (right);
  gboolean fits = TRUE;

  if (left->rank == 0 || right->rank == 0)
    return acc_array_fail (node, ACC_ERROR_SHAPE, "matmul: an array of rank 0 has no rows");
  if (left->rank > 2 && right->rank > 2 && left->rank != right->rank)
    return acc_array_fail (node, ACC_ERROR_SHAPE, "matmul: matrices in an array of rank %u and in one of rank %u", left->rank, right->rank);
  if (x == NULL || y == NULL)
    return TRUE;

  fits = acc_shape_get_extent (x, left->rank - 1) == acc_shape_get_extent (y, get_depth_dimension (right));
  for (guint i = 0; i < count_common (left, right); i++)
    fits &= acc_shape_get_extent (x, i) == acc_shape_get_extent (y, i);
  if (!fits)
    {
      g_autofree char *first = acc_shape_to_string (x), *second = acc_shape_to_string (y);

      return acc_array_fail (node, ACC_ERROR_SHAPE, "matmul: %s does not fit %s", second, first);
    }

  return TRUE;
}

/**
 * acc_array_matmul:
 * @self: an array of numbers, of rank 1 or more
 * @other: an array of the same type: matrices with as many rows as the rows of @self have elements
 *
 * Computes the matrix product of two arrays.
 *
 * Matrices of m × k and k × n give one of m × n, each element of which is the sum of k products, and 0 where k is 0. A vector on the left
 * is one row, a vector on the right one column; that dimension is not in the result. Where one array has more dimensions, these are
 * outermost, and each of its matrices is multiplied by the one matrix of the other array (broadcast). Where both have more, the ranks and
 * the outer extents must be equal, and matrices are multiplied in pairs.
 *
 * Integers wrap. Floats are summed from the first to the last; for a vector on the right they are summed as [method@Array.dot] does. f2 is
 * summed in f4. A product of floats may be added without being rounded before (fused multiply-add), where the processor or device has such
 * an instruction. Takes O(m · k · n) multiplications, and memory for @other and for the result besides.
 *
 * A backend may have a routine of its own for two arrays of rank 2 or more and of f4, f8, c8 or c16. It is used like a foreign operation
 * with the name `acc-matmul` ([method@Backend.set_foreign]), and sums in another order. `cuda` has that of cuBLAS, where it is found, for
 * matrices that are large enough. A run by rows does not use it.
 *
 * Types that differ, and elements that are not numbers, are %ACC_ERROR_TYPE. An array of rank 0 and ranks that do not fit are
 * %ACC_ERROR_SHAPE. Extents that do not fit are %ACC_ERROR_SHAPE while building, or %ACC_ERROR_BOUNDS when run, where they are known only
 * then.
 *
 * ```c
 * // xs = [[1, 2], [3, 4]], ys = [[0, 1], [1, 0]]
 * g_autoptr(AccArray) result = acc_array_matmul (xs, ys); // → [[2, 1], [4, 3]]
 * ```
 *
 * Returns: (transfer full): the products
 */
AccArray *
acc_array_matmul (AccArray *self,
                  AccArray *other)
{
  ACC_ARRAY_NAMED ("matmul");
  AccArray *node = begin_product (self, other, "matmul");

  if (node->error != NULL || !check_factors (node, self, other))
    return acc_array_complete (node);
  g_object_unref (node);

  if (other->rank == 1)
    return multiply_vector (self, other);

  return self->rank == 1 ? multiply_row (self, other) : offer_product (multiply_directly (self, other), self, other);
}
