/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "acc-array-regions.h"

#include <math.h>

#include "acc-core/array/acc-array-build-private.h"
#include "acc-core/array/acc-foreign-known-private.h"
#include "acc-array-math.h"
#include "acc-array-scan.h"
#include "acc-distance-private.h"
#include "acc-error.h"
#include "acc-program.h"

/* Two scans along rows find the nearest 0 of each. In every other dimension the least sum of a square so far and of the square of how far
 * away it is: outwards from each element, until the latter alone is as much (Saito and Toriwaki 1994, with their bound). Where that is
 * far for some element, all are searched by halves instead: the place of the least sum does not go back from one element of a line to the
 * next, so that those of two elements bound that of each between them (Aggarwal et al. 1987, totally monotone matrices). */

/* Of an element that has no 0 in its row. */
#define NOWHERE ACC_DISTANCE_NOWHERE
#define FAR     (G_GINT64_CONSTANT (1) << 31)

/* How far it goes outwards. */
#define REACH 64

typedef struct {
  AccArray *array;
  guint     dimension;
  gint64    otherwise;
} Pass;

static AccExpr *
is_0 (AccExpr *x,
      gpointer data)
{
  AccExpr *zero = acc_expr_new_zero (acc_expr_get_element_type (x));

  return acc_array_same_elements (x, zero, NULL);
}

static AccExpr *
place_of_0 (AccExpr *index,
            AccExpr *is_zero,
            gpointer data)
{
  const Pass *self = data;

  return acc_expr_cond (is_zero, acc_expr_item (index, self->dimension),
                        acc_array_number (self->otherwise));
}

/* @pair: where the nearest 0 before it and that behind it are */
static AccExpr *
square_in_row (AccExpr *index,
               AccExpr *pair,
               gpointer data)
{
  const Pass *self = data;
  g_autoptr(AccExpr) place = acc_expr_ref_sink (acc_expr_item (index, self->dimension));
  AccExpr *before = acc_expr_sub (place, acc_expr_item (pair, 0)), *behind = acc_expr_sub (acc_expr_item (pair, 1), place);
  g_autoptr(AccExpr) distance = acc_expr_ref_sink (acc_expr_min (before, behind));

  return acc_expr_cond (acc_expr_lt (distance, acc_array_number (FAR)), acc_expr_mul (distance, distance), acc_array_number (NOWHERE));
}

/* @array: whether elements are 0. The squares of the distances to the nearest 0 of the same row. */
static AccArray *
search_rows (AccArray *array)
{
  guint dimension = acc_array_get_rank (array) - 1;
  Pass left = { array, dimension, -2 * FAR }, right = { array, dimension, 2 * FAR };
  g_autoptr(AccArray) lower = acc_array_imap (array, place_of_0, &left), upper = acc_array_imap (array, place_of_0, &right);
  g_autoptr(AccArray) before = acc_array_scanl1 (lower, acc_array_max_elements, NULL);
  g_autoptr(AccArray) behind = acc_array_scanr1 (upper, acc_array_min_elements, NULL);
  g_autoptr(AccArray) both = acc_array_zip (before, behind);

  return acc_array_imap (both, square_in_row, &left);
}

typedef struct {
  const Pass *pass;
  AccExpr    *index;
} Search;

/* The element at @place of the line of the element. */
static AccExpr *
read_line (const Search *self,
           AccArray     *array,
           AccExpr      *place)
{
  return acc_expr_index (array, acc_array_index_along (array, self->pass->dimension, self->index, place));
}

/* @state: the least sum, and how far to look next. At the edge the same element is seen again, with a sum that is too large. */
static AccExpr *
look_farther (AccExpr *state,
              gpointer data)
{
  const Search *self = data;
  AccArray *array = self->pass->array;
  guint dimension = self->pass->dimension;
  g_autoptr(AccExpr) least = acc_expr_ref_sink (acc_expr_item (state, 0)), far = acc_expr_ref_sink (acc_expr_item (state, 1));
  g_autoptr(AccExpr) square = acc_expr_ref_sink (acc_expr_mul (far, far));
  g_autoptr(AccExpr) last = acc_expr_ref_sink (acc_expr_sub (acc_expr_extent (array, dimension), acc_array_number (1)));
  g_autoptr(AccExpr) place = acc_expr_ref_sink (acc_expr_item (self->index, dimension));
  AccExpr *goes_on = acc_expr_land (acc_expr_lt (square, least), acc_expr_le (far, acc_expr_min (last, acc_array_number (REACH))));
  AccExpr *before = read_line (self, array, acc_expr_max (acc_expr_sub (place, far), acc_array_number (0)));
  AccExpr *behind = read_line (self, array, acc_expr_min (acc_expr_add (place, far), last));
  AccExpr *better = acc_expr_min (least, acc_expr_add (acc_expr_min (before, behind), square));

  return acc_expr_tuple2 (goes_on, acc_expr_tuple2 (better, acc_expr_add (far, acc_array_number (1))));
}

/* The least sum within reach, and whether there may be a lesser one. */
static AccExpr *
look_outwards (AccExpr *index,
               AccExpr *square,
               gpointer data)
{
  const Pass *self = data;
  Search search = { self, index };
  g_autoptr(AccExpr) last = NULL;

  last = acc_expr_ref_sink (acc_expr_while (acc_expr_tuple2 (square, acc_array_number (1)), look_farther, &search));
  return acc_expr_tuple2 (acc_expr_item (last, 0),
                          acc_expr_land (acc_expr_gt (acc_expr_item (last, 0), acc_array_number (REACH * REACH)),
                                         acc_expr_gt (acc_expr_extent (self->array, self->dimension), acc_array_number (REACH + 1))));
}

/* --- by halves */

/* The sum of the square at @place of the line, and of that of how far away it is. */
static AccExpr *
sum_at (const Search *self,
        AccExpr      *place)
{
  g_autoptr(AccExpr) there = acc_expr_ref_sink (place);
  AccExpr *own = acc_expr_item (self->index, self->pass->dimension);
  g_autoptr(AccExpr) distance = acc_expr_ref_sink (acc_expr_sub (own, there));

  return acc_expr_add (read_line (self, self->pass->array, there), acc_expr_mul (distance, distance));
}

/* @state: the place of the least sum, that sum, the next place and the last one */
static AccExpr *
try_place (AccExpr *state,
           gpointer data)
{
  g_autoptr(AccExpr) best = acc_expr_ref_sink (acc_expr_item (state, 0)), least = acc_expr_ref_sink (acc_expr_item (state, 1));
  g_autoptr(AccExpr) next = acc_expr_ref_sink (acc_expr_item (state, 2)), last = acc_expr_ref_sink (acc_expr_item (state, 3));
  g_autoptr(AccExpr) sum = acc_expr_ref_sink (sum_at (data, next));
  AccExpr *after = acc_expr_cond (acc_expr_lt (sum, least), next, best);

  return acc_expr_tuple2 (acc_expr_le (next, last),
                          acc_expr_tuple4 (after, acc_expr_min (sum, least), acc_expr_add (next, acc_array_number (1)), last));
}

typedef struct {
  const Pass *pass;
  AccArray   *places, *step;
} Halves;

/* Of elements whose neighbours at that distance are known, the place of the least sum; of others what there is. */
static AccExpr *
search_between (AccExpr *index,
                AccExpr *known,
                gpointer data)
{
  const Halves *self = data;
  Search search = { self->pass, index };
  AccElementType *wide = acc_element_type_new (ACC_KIND_I64);
  g_autoptr(AccExpr) own = acc_expr_ref_sink (acc_expr_item (index, self->pass->dimension));
  g_autoptr(AccExpr) step = acc_expr_ref_sink (acc_expr_the (self->step));
  g_autoptr(AccExpr) last = acc_expr_ref_sink (acc_expr_sub (acc_expr_extent (self->pass->array, self->pass->dimension),
                                                             acc_array_number (1)));
  g_autoptr(AccExpr) before = acc_expr_ref_sink (acc_expr_sub (own, step)), behind = acc_expr_ref_sink (acc_expr_add (own, step));
  AccExpr *mask = acc_expr_sub (acc_expr_add (step, step), acc_array_number (1));
  AccExpr *is_due = acc_expr_eq (acc_expr_band (acc_expr_add (own, acc_array_number (1)), mask), step);
  AccExpr *low_or_0 = acc_expr_cond (acc_expr_ge (before, acc_array_number (0)),
                                     acc_expr_cast (read_line (&search, self->places, before), wide), acc_array_number (0));
  g_autoptr(AccExpr) low = acc_expr_ref_sink (low_or_0);
  AccExpr *high = acc_expr_cond (acc_expr_le (behind, last), acc_expr_cast (read_line (&search, self->places, behind), wide), last);
  AccExpr *found;

  found = acc_expr_while (acc_expr_tuple4 (low, sum_at (&search, low), acc_expr_add (low, acc_array_number (1)), high), try_place, &search);

  return acc_expr_cond (is_due, acc_expr_cast (acc_expr_item (found, 0), acc_expr_get_element_type (known)), known);
}

static AccExpr *
is_positive (AccExpr *step,
             gpointer data)
{
  return acc_expr_gt (step, acc_array_number (0));
}

static AccExpr *
half_of (AccExpr *step,
         gpointer data)
{
  return acc_expr_shr (step, acc_array_number (1));
}

/* @states: places of least sums, and the step between those that are due now and those that are known */
static AccArray *
are_due (AccArray **states,
         guint      n,
         gpointer   data)
{
  return acc_array_map (states[1], is_positive, NULL);
}

static GPtrArray *
halve (AccArray **states,
       guint      n,
       gpointer   data)
{
  GPtrArray *next = g_ptr_array_new_with_free_func (g_object_unref);

  g_ptr_array_add (next, acc_array_imap (states[0], search_between, &(Halves) { data, states[0], states[1] }));
  g_ptr_array_add (next, acc_array_map (states[1], half_of, NULL));
  return next;
}

static AccExpr *
nowhere_yet (AccExpr *square,
             gpointer data)
{
  return acc_expr_new_typed_int (acc_element_type_new (ACC_KIND_I32), 0);
}

static AccExpr *
sum_from (AccExpr *index,
          AccExpr *place,
          gpointer data)
{
  return sum_at (&(Search) { data, index }, acc_expr_cast (place, acc_element_type_new (ACC_KIND_I64)));
}

/* The largest power of two that is no more than the extent. */
static AccExpr *
first_step (AccExpr *extent)
{
  return acc_expr_shl (acc_array_number (1),
                       acc_expr_sub (acc_array_number (63), acc_expr_cast (acc_expr_clz (extent), acc_element_type_new (ACC_KIND_I64))));
}

static AccArray *
search_by_halves (const Pass *self)
{
  guint rank = acc_array_get_rank (self->array);
  g_autoptr(GString) signature = g_string_new ("i4[:");
  const char *signatures[] = { NULL, "i8[]", NULL };
  g_autoptr(AccArray) places = acc_array_map (self->array, nowhere_yet, NULL);
  g_autoptr(AccArray) step = acc_array_unit (first_step (acc_expr_extent (self->array, self->dimension)));
  g_autoptr(AccProgram) condition = NULL, next = NULL;
  g_autoptr(GPtrArray) last = NULL;

  for (guint i = 1; i < rank; i++)
    g_string_append (signature, ",:");
  g_string_append_c (signature, ']');
  signatures[0] = signature->str;

  condition = acc_program_new (signatures, are_due, NULL);
  next = acc_program_new_many (signatures, halve, (gpointer) self);
  last = acc_array_while_loop_many ((AccArray *[]) { places, step }, 2, condition, next);
  return acc_array_imap (g_ptr_array_index (last, 0), sum_from, (gpointer) self);
}

/* The least sums along @dimension. */
static AccArray *
search_lines (AccArray *squares,
              guint     dimension)
{
  Pass pass = { squares, dimension, 0 };
  g_autoptr(AccArray) near = acc_array_imap (squares, look_outwards, &pass);
  g_autoptr(AccArray) found = acc_array_unzip (near, 0), unsure = acc_array_unzip (near, 1), any = acc_array_any_true (unsure);
  g_autoptr(AccArray) by_halves = search_by_halves (&pass);

  return acc_array_cond (any, by_halves, found);
}

/* An error, or the squares, with %NOWHERE or more where there is no 0. */
static AccArray *
transform (AccArray   *self,
           const char *operation)
{
  AccArray *node = acc_array_begin (ACC_OP_IMAP, &self, 1);
  g_autoptr(AccArray) zeros = NULL;
  AccArray *squares;

  if (node->error == NULL && self->rank == 0)
    acc_array_fail (node, ACC_ERROR_SHAPE, "%s: an array of rank 0 has no dimensions", operation);
  if (node->error != NULL)
    return acc_array_complete (node);
  g_object_unref (node);

  zeros = acc_array_map (self, is_0, NULL);
  squares = search_rows (zeros);
  for (guint d = self->rank - 1; d-- > 0; )
    {
      g_autoptr(AccArray) before = squares;

      squares = search_lines (before, d);
    }
  acc_array_offer (squares, ACC_DISTANCE_SQUARES, &zeros, 1);

  return squares;
}

static AccExpr *
or_largest (AccExpr *square,
            gpointer data)
{
  return acc_expr_cond (acc_expr_lt (square, acc_array_number (NOWHERE)), square, acc_array_number (G_MAXINT64));
}

/**
 * acc_array_distance_transform_squared:
 * @self: an array of rank 1 or more, of any element type
 *
 * Computes the square of the Euclidean distance from each element to the nearest one that is 0, or false, or a tuple of such. The
 * square is exact.
 *
 * Where there is no such element it is the largest i8. Takes time linear in the size of @self for the innermost dimension. For each other
 * dimension it takes time linear in the size times the distances, where these are at most 64, and else times the logarithm of the extent.
 *
 * The result carries %ACC_ERROR_SHAPE where @self has rank 0. Extents are less than 2^31.
 *
 * The searches are after Saito and Toriwaki, "New algorithms for Euclidean distance transformation of an n-dimensional digitized picture"
 * (1994), and Aggarwal et al., "Geometric applications of a matrix-searching algorithm" (1987).
 *
 * ```c
 * // xs = [[0, 1, 1], [1, 1, 1], [1, 1, 1]]
 * g_autoptr(AccArray) result = acc_array_distance_transform_squared (xs); // → [[0, 1, 4], [1, 2, 5], [4, 5, 8]]
 * ```
 *
 * Returns: (transfer full): an array of i8 of the extents of @self
 */
AccArray *
acc_array_distance_transform_squared (AccArray *self)
{
  ACC_ARRAY_NAMED ("distance_transform_squared");
  g_autoptr(AccArray) squares = transform (self, "distance_transform_squared");

  return acc_array_map (squares, or_largest, NULL);
}

static AccExpr *
root_of (AccExpr *square,
         gpointer data)
{
  AccElementType *type = acc_element_type_new (ACC_KIND_F64);

  return acc_expr_cond (acc_expr_lt (square, acc_array_number (NOWHERE)), acc_expr_sqrt (acc_expr_cast (square, type)),
                        acc_expr_new_typed_float (type, INFINITY));
}

/**
 * acc_array_distance_transform:
 * @self: an array of rank 1 or more, of any element type
 *
 * Computes the Euclidean distance from each element to the nearest one that is 0: `scipy.ndimage.distance_transform_edt`. It is the root
 * of what [method@Array.distance_transform_squared] gives, which tells what it costs; where there is no 0 it is infinity.
 *
 * Takes as long as that. The result carries %ACC_ERROR_SHAPE where @self has rank 0.
 *
 * ```c
 * // xs = [[1, 1, 1, 1], [0, 1, 1, 1]]
 * g_autoptr(AccArray) result = acc_array_distance_transform (xs); // → [[1, 1.4142135623730951, 2.23606797749979, 3.1622776601683795], [0, 1, 2, 3]]
 * ```
 *
 * Returns: (transfer full): an array of f8 of the extents of @self
 */
AccArray *
acc_array_distance_transform (AccArray *self)
{
  ACC_ARRAY_NAMED ("distance_transform");
  g_autoptr(AccArray) squares = transform (self, "distance_transform");

  return acc_array_map (squares, root_of, NULL);
}
