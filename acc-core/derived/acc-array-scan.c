/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "acc-array-scan.h"

#include "acc-array-rearrange.h"
#include "acc-array-scan-private.h"
#include "acc-error.h"
#include "acc-core/expr/acc-trace-private.h"

/* All are scans from the left over rows that begin with the initial value; those from the right over reversed rows, with the
 * operator's operands changed, and reversed again. */

typedef struct {
  AccArray     *array;
  gboolean      from_right;
  AccSeed       seed;
  AccExpr      *initial;
  AccExprFunc2  combine;
  gpointer      data;
} Scan;

static AccExpr *
combine_in_order (AccExpr *so_far,
                  AccExpr *next,
                  gpointer data)
{
  const Scan *scan = data;

  return scan->from_right ? acc_call2 (scan->combine, next, so_far, scan->data) : acc_call2 (scan->combine, so_far, next, scan->data);
}

/* Which element of the array comes at @place of a row: one further on behind a seed that is by itself. */
static AccExpr *
get_source (Scan    *scan,
            AccExpr *place)
{
  gboolean shifts = scan->seed != ACC_SEED_JOINED;
  AccExpr *from = scan->from_right ? acc_expr_sub (acc_expr_extent (scan->array, scan->array->rank - 1), place) : place;

  return shifts != scan->from_right ? acc_expr_sub (from, acc_array_number (1)) : from;
}

static AccExpr *
seed (Scan    *scan,
      AccExpr *place,
      AccExpr *own)
{
  AccExpr *first = scan->seed != ACC_SEED_JOINED ? scan->initial : combine_in_order (scan->initial, own, scan);

  return acc_expr_cond (acc_expr_eq (place, acc_array_number (0)), first, own);
}

static AccExpr *
extra_element (AccExpr *index,
               gpointer data)
{
  Scan *scan = data;
  g_autoptr(AccExpr) place = acc_expr_ref_sink (acc_expr_item (index, scan->array->rank - 1));
  g_autoptr(AccExpr) own = acc_expr_ref_sink (acc_expr_index (scan->array,
                                                              acc_array_index_in_row (scan->array, index, get_source (scan, place))));

  return seed (scan, place, own);
}

/* At the seed's place any element will do: it is not looked at. */
static AccExpr *
source_index (AccExpr *index,
              gpointer data)
{
  Scan *scan = data;
  g_autoptr(AccExpr) place = acc_expr_ref_sink (acc_expr_item (index, scan->array->rank - 1));
  g_autoptr(AccExpr) behind = acc_expr_ref_sink (scan->seed != ACC_SEED_JOINED ? acc_expr_max (place, acc_array_number (1)) : place);

  return acc_array_index_in_row (scan->array, index, get_source (scan, behind));
}

static AccExpr *
seeded_element (AccExpr *index,
                AccExpr *own,
                gpointer data)
{
  Scan *scan = data;
  g_autoptr(AccExpr) place = acc_expr_ref_sink (acc_expr_item (index, scan->array->rank - 1));

  return seed (scan, place, own);
}

/* Rows that are one longer. */
static AccArray *
lengthen_rows (Scan *scan)
{
  AccArray *array = scan->array, *node = acc_array_begin (ACC_OP_GENERATE, NULL, 0);
  guint rank = array->rank;
  g_autofree AccExpr **extents = acc_array_list_extents (array);

  extents[rank - 1] = acc_expr_add (extents[rank - 1], acc_array_number (1));
  acc_array_set_extents_expr (node, acc_array_join_items (extents, rank));
  acc_array_call1 (node, 0, extra_element, scan);

  return acc_array_complete (node);
}

/* The rows that are scanned from the left. What is not read by index fuses with what it is computed from. */
static AccArray *
begin_rows (Scan *scan)
{
  g_autoptr(AccArray) ordered = NULL;

  if (scan->seed == ACC_SEED_NONE)
    return scan->from_right ? acc_array_reverse (scan->array) : g_object_ref (scan->array);
  if (scan->seed == ACC_SEED_EXTRA)
    return lengthen_rows (scan);

  if (scan->seed == ACC_SEED_JOINED && !scan->from_right)
    ordered = g_object_ref (scan->array);
  else
    ordered = acc_array_backpermute_expr (scan->array, acc_expr_shape (scan->array), source_index, scan);

  return acc_array_imap (ordered, seeded_element, scan);
}

AccExpr *
acc_array_resolve_initial (AccArray   *node,
                           const char *operation,
                           AccArray   *self,
                           AccExpr    *given)
{
  g_autoptr(AccExpr) resolved = NULL;
  const GError *error;

  if (given == NULL)
    {
      acc_array_fail_argument (node, "an initial value");
      return NULL;
    }

  resolved = acc_expr_ref_sink (acc_expr_resolve (given, self->type));
  error = acc_expr_get_error (resolved);
  if (error != NULL)
    acc_array_fail (node, error->code, "%s: %s", operation, error->message);
  else if (acc_expr_get_element_type (resolved) != self->type)
    acc_array_fail (node, ACC_ERROR_TYPE, "%s: an initial value of %s for an array of %s", operation,
                    acc_element_type_get_code (acc_expr_get_element_type (resolved)), acc_element_type_get_code (self->type));

  return node->error == NULL ? g_steal_pointer (&resolved) : NULL;
}

static AccArray *
run_scan (AccArray     *self,
          const char   *operation,
          gboolean      from_right,
          AccSeed       seed,
          AccExpr      *initial,
          AccExprFunc2  combine,
          gpointer      user_data,
          AccArray    **totals)
{
  g_autoptr(AccArray) node = acc_array_begin (ACC_OP_SCANL1, &self, 1);
  g_autoptr(AccExpr) given = initial != NULL ? acc_expr_ref_sink (initial) : NULL;
  g_autoptr(AccExpr) resolved = NULL;
  Scan scan = { self, from_right, seed, NULL, combine, user_data };

  if (node->error == NULL && combine == NULL)
    acc_array_fail_argument (node, "a function");
  if (node->error == NULL && self->rank == 0)
    acc_array_fail (node, ACC_ERROR_SHAPE, "%s: an array of rank 0 has no innermost dimension", operation);
  if (node->error == NULL && seed != ACC_SEED_NONE)
    scan.initial = resolved = acc_array_resolve_initial (node, operation, self, given);
  if (node->error != NULL)
    return acc_array_refuse (g_steal_pointer (&node), totals);

  g_autoptr(AccArray) rows = begin_rows (&scan);
  g_autoptr(AccArray) scanned = acc_array_scanl1 (rows, combine_in_order, &scan);
  if (totals != NULL)
    {
      g_autoptr(AccArray) ordered = from_right ? acc_array_reverse (self) : g_object_ref (self);

      *totals = acc_array_fold (ordered, resolved, combine_in_order, &scan);
    }

  return from_right ? acc_array_reverse (scanned) : g_steal_pointer (&scanned);
}

/**
 * acc_array_scanl:
 * @self: an array of rank 1 or more
 * @initial: the initial value, of the element type; an untyped literal takes the type of the elements
 * @combine: (scope call) (closure user_data): takes the value so far and the next element, gives the element type
 * @user_data: data for @combine
 *
 * Scans each row from the left and puts the initial value in front, which makes rows one element longer.
 *
 * A row becomes @initial, @initial·x0, @initial·x0·x1, … @combine must be associative and need not be commutative. @initial need not be
 * neutral. An empty row gives @initial alone.
 *
 * Takes time linear in the number of elements, times the cost of @combine. A @combine that gives another type than that of the elements is
 * %ACC_ERROR_TYPE, and so is an @initial of another type; an array of rank 0 is %ACC_ERROR_SHAPE.
 *
 * ```c
 * static AccExpr *plus (AccExpr *x, AccExpr *y, gpointer data) { return acc_expr_add (x, y); }
 *
 * // xs = [1, 2, 3]
 * g_autoptr(AccArray) result = acc_array_scanl (xs, acc_expr_new_int (10), plus, NULL); // → [10, 11, 13, 16]
 * ```
 *
 * Returns: (transfer full): an array whose rows are one element longer
 */
AccArray *
acc_array_scanl (AccArray     *self,
                 AccExpr      *initial,
                 AccExprFunc2  combine,
                 gpointer      user_data)
{
  ACC_ARRAY_NAMED ("scanl");
  return run_scan (self, "scanl", FALSE, ACC_SEED_EXTRA, initial, combine, user_data, NULL);
}

/**
 * acc_array_scanr:
 * @self: an array of rank 1 or more
 * @initial: the initial value, of the element type; an untyped literal takes the type of the elements
 * @combine: (scope call) (closure user_data): takes the next element and the value so far, gives the element type
 * @user_data: data for @combine
 *
 * Scans each row from the right and puts the initial value at the end, which makes rows one element longer.
 *
 * A row becomes …, x(n-2)·(x(n-1)·@initial), x(n-1)·@initial, @initial. @combine takes the next element first, must be associative and need
 * not be commutative. An empty row gives @initial alone.
 *
 * Takes as long, and fails where, as [method@Array.scanl] does.
 *
 * ```c
 * static AccExpr *plus (AccExpr *x, AccExpr *y, gpointer data) { return acc_expr_add (x, y); }
 *
 * // xs = [1, 2, 3]
 * g_autoptr(AccArray) result = acc_array_scanr (xs, acc_expr_new_int (10), plus, NULL); // → [16, 15, 13, 10]
 * ```
 *
 * Returns: (transfer full): an array whose rows are one element longer
 */
AccArray *
acc_array_scanr (AccArray     *self,
                 AccExpr      *initial,
                 AccExprFunc2  combine,
                 gpointer      user_data)
{
  ACC_ARRAY_NAMED ("scanr");
  return run_scan (self, "scanr", TRUE, ACC_SEED_EXTRA, initial, combine, user_data, NULL);
}

/**
 * acc_array_scanr1:
 * @self: an array of rank 1 or more
 * @combine: (scope call) (closure user_data): takes the next element and the value so far, gives the element type
 * @user_data: data for @combine
 *
 * Computes the inclusive scan of each row from the right, without an initial value.
 *
 * A row becomes …, x(n-2)·x(n-1), x(n-1). @combine takes the next element first, must be associative and need not be commutative. An empty
 * row stays empty.
 *
 * Takes time linear in the number of elements, times the cost of @combine. A @combine that gives another type than that of the elements is
 * %ACC_ERROR_TYPE, an array of rank 0 is %ACC_ERROR_SHAPE.
 *
 * ```c
 * static AccExpr *plus (AccExpr *x, AccExpr *y, gpointer data) { return acc_expr_add (x, y); }
 *
 * // xs = [1, 2, 3]
 * g_autoptr(AccArray) result = acc_array_scanr1 (xs, plus, NULL); // → [6, 5, 3]
 * ```
 *
 * Returns: (transfer full): an array of the shape of @self
 */
AccArray *
acc_array_scanr1 (AccArray     *self,
                  AccExprFunc2  combine,
                  gpointer      user_data)
{
  ACC_ARRAY_NAMED ("scanr1");
  return run_scan (self, "scanr1", TRUE, ACC_SEED_NONE, NULL, combine, user_data, NULL);
}

/**
 * acc_array_scanl_with_total:
 * @self: an array of rank 1 or more
 * @initial: the initial value, of the element type; an untyped literal takes the type of the elements
 * @combine: (scope call) (closure user_data): takes the value so far and the next element, gives the element type
 * @user_data: data for @combine
 * @totals: (out) (optional) (transfer full): the total of each row: an array whose rank is one lower
 *
 * Computes the exclusive scan of each row from the left, and the total of each row.
 *
 * A row becomes @initial, @initial·x0, …, @initial·x0·…·x(n-2); its total is @initial·x0·…·x(n-1). @combine must be associative and need
 * not be commutative. An empty row stays empty, and its total is @initial.
 *
 * Takes as long, and fails where, as [method@Array.scanl] does.
 *
 * ```c
 * static AccExpr *plus (AccExpr *x, AccExpr *y, gpointer data) { return acc_expr_add (x, y); }
 *
 * // xs = [1, 2, 3]
 * g_autoptr(AccArray) totals = NULL;
 * g_autoptr(AccArray) partial = acc_array_scanl_with_total (xs, acc_expr_new_int (10), plus, NULL, &totals); // → [10, 11, 13]
 * // totals → 16
 * ```
 *
 * Returns: (transfer full): an array of the shape of @self
 */
AccArray *
acc_array_scanl_with_total (AccArray      *self,
                            AccExpr       *initial,
                            AccExprFunc2   combine,
                            gpointer       user_data,
                            AccArray     **totals)
{
  ACC_ARRAY_NAMED ("scanl_with_total");
  return run_scan (self, "scanl_with_total", FALSE, ACC_SEED_FIRST, initial, combine, user_data, totals);
}

/**
 * acc_array_scanr_with_total:
 * @self: an array of rank 1 or more
 * @initial: the initial value, of the element type; an untyped literal takes the type of the elements
 * @combine: (scope call) (closure user_data): takes the next element and the value so far, gives the element type
 * @user_data: data for @combine
 * @totals: (out) (optional) (transfer full): the total of each row: an array whose rank is one lower
 *
 * Computes the exclusive scan of each row from the right, and the total of each row.
 *
 * A row becomes …, x(n-2)·(x(n-1)·@initial), x(n-1)·@initial, @initial, without x0; its total is x0·…·x(n-1)·@initial. @combine takes the
 * next element first, must be associative and need not be commutative. An empty row stays empty, and its total is @initial.
 *
 * Takes as long, and fails where, as [method@Array.scanl] does.
 *
 * ```c
 * static AccExpr *plus (AccExpr *x, AccExpr *y, gpointer data) { return acc_expr_add (x, y); }
 *
 * // xs = [1, 2, 3]
 * g_autoptr(AccArray) totals = NULL;
 * g_autoptr(AccArray) partial = acc_array_scanr_with_total (xs, acc_expr_new_int (10), plus, NULL, &totals); // → [15, 13, 10]
 * // totals → 16
 * ```
 *
 * Returns: (transfer full): an array of the shape of @self
 */
AccArray *
acc_array_scanr_with_total (AccArray      *self,
                            AccExpr       *initial,
                            AccExprFunc2   combine,
                            gpointer       user_data,
                            AccArray     **totals)
{
  ACC_ARRAY_NAMED ("scanr_with_total");
  return run_scan (self, "scanr_with_total", TRUE, ACC_SEED_FIRST, initial, combine, user_data, totals);
}

/**
 * acc_array_prescanl:
 * @self: an array of rank 1 or more
 * @initial: the initial value, of the element type; an untyped literal takes the type of the elements
 * @combine: (scope call) (closure user_data): takes the value so far and the next element, gives the element type
 * @user_data: data for @combine
 *
 * Computes the exclusive scan of each row from the left.
 *
 * A row becomes @initial, @initial·x0, …, @initial·x0·…·x(n-2). @combine must be associative and need not be commutative. An empty row
 * stays empty.
 *
 * Takes as long, and fails where, as [method@Array.scanl] does.
 *
 * ```c
 * static AccExpr *plus (AccExpr *x, AccExpr *y, gpointer data) { return acc_expr_add (x, y); }
 *
 * // xs = [1, 2, 3]
 * g_autoptr(AccArray) result = acc_array_prescanl (xs, acc_expr_new_int (10), plus, NULL); // → [10, 11, 13]
 * ```
 *
 * Returns: (transfer full): an array of the shape of @self
 */
AccArray *
acc_array_prescanl (AccArray     *self,
                    AccExpr      *initial,
                    AccExprFunc2  combine,
                    gpointer      user_data)
{
  ACC_ARRAY_NAMED ("prescanl");
  return run_scan (self, "prescanl", FALSE, ACC_SEED_FIRST, initial, combine, user_data, NULL);
}

/**
 * acc_array_prescanr:
 * @self: an array of rank 1 or more
 * @initial: the initial value, of the element type; an untyped literal takes the type of the elements
 * @combine: (scope call) (closure user_data): takes the next element and the value so far, gives the element type
 * @user_data: data for @combine
 *
 * Computes the exclusive scan of each row from the right.
 *
 * A row becomes …, x(n-2)·(x(n-1)·@initial), x(n-1)·@initial, @initial, without x0. @combine takes the next element first. Behaves
 * otherwise as [method@Array.prescanl].
 *
 * ```c
 * static AccExpr *plus (AccExpr *x, AccExpr *y, gpointer data) { return acc_expr_add (x, y); }
 *
 * // xs = [1, 2, 3]
 * g_autoptr(AccArray) result = acc_array_prescanr (xs, acc_expr_new_int (10), plus, NULL); // → [15, 13, 10]
 * ```
 *
 * Returns: (transfer full): an array of the shape of @self
 */
AccArray *
acc_array_prescanr (AccArray     *self,
                    AccExpr      *initial,
                    AccExprFunc2  combine,
                    gpointer      user_data)
{
  ACC_ARRAY_NAMED ("prescanr");
  return run_scan (self, "prescanr", TRUE, ACC_SEED_FIRST, initial, combine, user_data, NULL);
}

/**
 * acc_array_postscanl:
 * @self: an array of rank 1 or more
 * @initial: the initial value, of the element type; an untyped literal takes the type of the elements
 * @combine: (scope call) (closure user_data): takes the value so far and the next element, gives the element type
 * @user_data: data for @combine
 *
 * Computes the inclusive scan of each row from the left, with an initial value.
 *
 * A row becomes @initial·x0, @initial·x0·x1, … @combine must be associative and need not be commutative. An empty row stays empty.
 *
 * Takes as long, and fails where, as [method@Array.scanl] does.
 *
 * ```c
 * static AccExpr *plus (AccExpr *x, AccExpr *y, gpointer data) { return acc_expr_add (x, y); }
 *
 * // xs = [1, 2, 3]
 * g_autoptr(AccArray) result = acc_array_postscanl (xs, acc_expr_new_int (10), plus, NULL); // → [11, 13, 16]
 * ```
 *
 * Returns: (transfer full): an array of the shape of @self
 */
AccArray *
acc_array_postscanl (AccArray     *self,
                     AccExpr      *initial,
                     AccExprFunc2  combine,
                     gpointer      user_data)
{
  ACC_ARRAY_NAMED ("postscanl");
  return run_scan (self, "postscanl", FALSE, ACC_SEED_JOINED, initial, combine, user_data, NULL);
}

/**
 * acc_array_postscanr:
 * @self: an array of rank 1 or more
 * @initial: the initial value, of the element type; an untyped literal takes the type of the elements
 * @combine: (scope call) (closure user_data): takes the next element and the value so far, gives the element type
 * @user_data: data for @combine
 *
 * Computes the inclusive scan of each row from the right, with an initial value.
 *
 * A row becomes …, x(n-2)·(x(n-1)·@initial), x(n-1)·@initial. @combine takes the next element first. Behaves otherwise as
 * [method@Array.postscanl].
 *
 * ```c
 * static AccExpr *plus (AccExpr *x, AccExpr *y, gpointer data) { return acc_expr_add (x, y); }
 *
 * // xs = [1, 2, 3]
 * g_autoptr(AccArray) result = acc_array_postscanr (xs, acc_expr_new_int (10), plus, NULL); // → [16, 15, 13]
 * ```
 *
 * Returns: (transfer full): an array of the shape of @self
 */
AccArray *
acc_array_postscanr (AccArray     *self,
                     AccExpr      *initial,
                     AccExprFunc2  combine,
                     gpointer      user_data)
{
  ACC_ARRAY_NAMED ("postscanr");
  return run_scan (self, "postscanr", TRUE, ACC_SEED_JOINED, initial, combine, user_data, NULL);
}
