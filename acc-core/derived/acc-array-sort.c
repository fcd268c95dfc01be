/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "acc-array-sort.h"

#include "acc-array-math.h"
#include "acc-array-sort-private.h"
#include "acc-error.h"
#include "acc-core/expr/acc-expr-build-private.h"
#include "acc-core/expr/acc-trace-private.h"

/* The operation takes unsigned keys; acc_sort_order_key makes them of other keys. Rows that are known to be short are sorted by other
 * operations (acc-array-sort-short.c). */

static gboolean
check_sort (AccArray *node)
{
  AccArray *input = node->inputs[0];
  AccFunction *key = node->functions[0];
  AccElementKind kind;

  if (input->rank == 0)
    return acc_array_fail (node, ACC_ERROR_SHAPE, "an array of rank 0 has no rows");

  node->type = input->type;
  node->rank = input->rank;
  if (key == NULL || acc_expr_get_error (key->body) != NULL)
    return TRUE;

  kind = acc_element_type_get_kind (key->body->type);
  if (!acc_element_kind_is_integer (kind) || acc_element_kind_is_signed (kind))
    return acc_array_fail (node, ACC_ERROR_TYPE, "its function gives %s where an unsigned integer is needed",
                           acc_element_type_get_code (key->body->type));
  return TRUE;
}

static void
key_signature (AccArray     *node,
               guint         function,
               AccSignature *signature)
{
  signature->n_params = 1;
  signature->params[0] = node->inputs[0]->type;
}

const AccOperationClass acc_class_sort = { check_sort, key_signature, acc_infer_first };
/* Segments of a vector, which offsets cut all of it into: an i8 more than there are segments. */
const AccOperationClass acc_class_sort_seg = { check_sort, key_signature, acc_infer_first };

/* --- numbers of places */

static AccExpr *
own_number (AccExpr *index,
            gpointer data)
{
  AccArray *array = data;
  AccShape *shape = acc_array_get_shape (array);
  guint last = array->rank - 1;
  gboolean fits = shape != NULL && acc_shape_get_extent (shape, last) <= G_MAXINT32;

  return acc_expr_cast (acc_expr_item (index, last), acc_element_type_new (fits ? ACC_KIND_I32 : ACC_KIND_I64));
}

/* Where in its row each element is. */
static AccArray *
number_rows (AccArray *array)
{
  return acc_array_generate_expr (acc_expr_shape (array), own_number, array);
}

static AccArray *
widen (AccArray *numbers)
{
  return acc_array_cast (numbers, acc_element_type_new (ACC_KIND_I64));
}

typedef struct {
  AccArray *values, *order;
} Arrangement;

static AccExpr *
arranged (AccExpr *index,
          gpointer data)
{
  const Arrangement *arrangement = data;

  return acc_array_index_in_row (arrangement->values, index, acc_expr_index (arrangement->order, index));
}

/* @values from where @order says that they were. */
static AccArray *
arrange (AccArray *values,
         AccArray *order)
{
  return acc_array_backpermute_expr (values, acc_expr_shape (values), arranged, &(Arrangement) { values, order });
}

/* --- rows of scalars */

static AccExpr *
order_of (AccExpr *key,
          gpointer descending)
{
  return acc_sort_order_key (key, GPOINTER_TO_INT (descending));
}

static AccExpr *
order_of_pair (AccExpr *pair,
               gpointer descending)
{
  g_autoptr(AccExpr) key = acc_expr_ref_sink (acc_expr_item (pair, 0));

  return order_of (key, descending);
}

static AccArray *
sort_node (AccArray    *array,
           AccExprFunc  key,
           gpointer     user_data)
{
  AccArray *node = acc_array_begin (ACC_OP_SORT, &array, 1);

  acc_array_call1 (node, 0, key, user_data);
  return acc_array_complete (node);
}

static AccArray *
sort_short (AccArray  *array,
            gboolean   descending,
            AccArray **order)
{
  g_autoptr(AccArray) orders = acc_array_map (array, order_of, GINT_TO_POINTER (descending)), targets = acc_sort_short_targets (orders);

  if (order != NULL)
    {
      g_autoptr(AccArray) numbers = number_rows (array), moved = acc_sort_move (numbers, targets);

      *order = widen (moved);
    }
  return acc_sort_move (array, targets);
}

/* @array by its @keys; these as well, where @sorted_keys is not NULL. */
static AccArray *
sort_along (AccArray  *array,
            AccArray  *keys,
            gboolean   descending,
            AccArray **sorted_keys)
{
  g_autoptr(AccArray) pairs = acc_array_zip (keys, array), sorted = sort_node (pairs, order_of_pair, GINT_TO_POINTER (descending));

  if (sorted_keys != NULL)
    *sorted_keys = acc_array_unzip (sorted, 0);
  return acc_array_unzip (sorted, 1);
}

/* @order: NULL, or set to where in its row each was, before: an i8. */
static AccArray *
sort_rows (AccArray  *array,
           gboolean   descending,
           AccArray **order)
{
  g_autoptr(AccArray) numbers = NULL, places = NULL;
  AccArray *sorted = NULL;

  if (acc_sort_is_short (array))
    return sort_short (array, descending, order);
  if (order == NULL)
    return sort_node (array, order_of, GINT_TO_POINTER (descending));

  numbers = number_rows (array);
  places = sort_along (numbers, array, descending, &sorted);
  *order = widen (places);

  return sorted;
}

/* Elements that are no larger than the number of a place go along with their keys. */
static gboolean
goes_along (AccArray *array)
{
  return acc_element_type_get_size (array->type) <= sizeof (gint64) && acc_element_type_get_n_leaves (array->type) <= 2;
}

/* --- keys of several items: by the last first, which those before it leave in order */

static AccExpr *
item_on_path (AccExpr *pair,
              gpointer data)
{
  GArray *path = data;
  AccExpr *key = acc_expr_item (pair, 0);

  for (guint i = 0; i < path->len; i++)
    key = acc_expr_item (key, g_array_index (path, guint, i));

  return key;
}

/* Takes over @pairs of keys and elements. The items of keys at @path are of @type. */
static AccArray *
sort_by_items (AccArray       *pairs,
               AccElementType *type,
               GArray         *path,
               gboolean        descending)
{
  g_autoptr(AccArray) before = NULL;

  if (!acc_element_type_is_tuple (type))
    {
      before = pairs;
      return acc_array_sort_by_key (pairs, descending, item_on_path, path);
    }

  for (guint i = acc_element_type_get_n_items (type); i-- > 0;)
    {
      g_array_append_val (path, i);
      pairs = sort_by_items (pairs, acc_element_type_get_item (type, i), path, descending);
      g_array_set_size (path, path->len - 1);
    }

  return pairs;
}

static AccArray *
sort_by_tuples (AccArray  *array,
                AccArray  *keys,
                gboolean   descending,
                AccArray **sorted_keys)
{
  g_autoptr(GArray) path = g_array_new (FALSE, FALSE, sizeof (guint));
  g_autoptr(AccArray) sorted = sort_by_items (acc_array_zip (keys, array), keys->type, path, descending);

  if (sorted_keys != NULL)
    *sorted_keys = acc_array_unzip (sorted, 0);

  return acc_array_unzip (sorted, 1);
}

static AccArray *
check_keys (AccArray   *keys,
            const char *operation,
            gboolean    takes_tuples)
{
  AccArray *node = acc_array_begin (ACC_OP_SORT, &keys, 1);

  if (node->error == NULL && keys->rank == 0)
    acc_array_fail (node, ACC_ERROR_SHAPE, "%s: an array of rank 0 has no rows", operation);
  if (node->error == NULL && !takes_tuples && acc_element_type_is_tuple (keys->type))
    acc_array_fail (node, ACC_ERROR_TYPE, "%s: keys are scalars, not %s: sort_pairs takes tuples as keys, too", operation,
                    acc_element_type_get_code (keys->type));
  if (node->error == NULL && acc_element_type_get_kind (keys->type) == ACC_KIND_VECTOR)
    acc_array_fail (node, ACC_ERROR_TYPE, "%s: vectors as %s have no order", operation, acc_element_type_get_code (keys->type));

  return node;
}

/* --- the operations */

/**
 * acc_array_sort:
 * @self: an array of scalars, of rank 1 or more
 * @descending: whether the largest element comes first
 *
 * Sorts each row along the innermost dimension.
 *
 * The sort is stable: equal elements keep their order, and so do -0.0 and 0.0, which are equal. NaN comes last, in both directions.
 *
 * Takes time linear in the size of @self and in the bits of an element, and memory for @self twice. An array of rank 0 is %ACC_ERROR_SHAPE,
 * tuples are %ACC_ERROR_TYPE.
 *
 * ```c
 * // xs = [[3, 1, 2], [6, 5, 4]]
 * g_autoptr(AccArray) result = acc_array_sort (xs, FALSE); // → [[1, 2, 3], [4, 5, 6]]
 * ```
 *
 * Returns: (transfer full): an array of the type and extents of @self
 */
AccArray *
acc_array_sort (AccArray *self,
                gboolean  descending)
{
  ACC_ARRAY_NAMED ("sort");
  AccArray *node = check_keys (self, "sort", FALSE);

  if (node->error != NULL)
    return acc_array_complete (node);
  g_object_unref (node);

  return sort_rows (self, descending, NULL);
}

/**
 * acc_array_argsort:
 * @self: an array of scalars, of rank 1 or more
 * @descending: whether the largest element comes first
 *
 * Returns, for each row, the indices that sort it.
 *
 * Indices count within a row. Of equal elements the first one comes first. Behaves otherwise as [method@Array.sort].
 *
 * ```c
 * // xs = [30, 10, 20]
 * g_autoptr(AccArray) result = acc_array_argsort (xs, FALSE); // → [1, 2, 0]
 * ```
 *
 * Returns: (transfer full): an array of i8 of the extents of @self
 */
AccArray *
acc_array_argsort (AccArray *self,
                   gboolean  descending)
{
  ACC_ARRAY_NAMED ("argsort");
  AccArray *node = check_keys (self, "argsort", FALSE);
  g_autoptr(AccArray) sorted = NULL;
  AccArray *order;

  if (node->error != NULL)
    return acc_array_complete (node);
  g_object_unref (node);

  sorted = sort_rows (self, descending, &order);
  return order;
}

/**
 * acc_array_sort_pairs:
 * @self: an array of rank 1 or more, of any element type
 * @keys: an array of scalars, or of tuples of these, of the extents of @self
 * @descending: whether the largest key comes first
 * @sorted_keys: (out) (optional) (transfer full): the keys in the order of [method@Array.sort]
 *
 * Sorts the elements of each row by keys from another array.
 *
 * The sort is stable: elements with equal keys keep their order. Where the keys are part of the elements, [method@Array.sort_by_key] takes
 * them from there. Tuples are compared by their first items, and where these are equal by the next ones; a sort of them takes as long as
 * one by each of their scalars.
 *
 * Keys of other extents are %ACC_ERROR_SHAPE while building, or %ACC_ERROR_BOUNDS when run, where the extents are known only then. Behaves
 * otherwise as [method@Array.sort].
 *
 * ```c
 * // xs = [10, 20, 30], keys = [2.5, 0.5, 1.5]
 * g_autoptr(AccArray) sorted_keys = NULL;
 * g_autoptr(AccArray) sorted = acc_array_sort_pairs (xs, keys, TRUE, &sorted_keys); // → [10, 30, 20]
 * // sorted_keys → [2.5, 1.5, 0.5]
 * ```
 *
 * Returns: (transfer full): an array of the type and extents of @self
 */
AccArray *
acc_array_sort_pairs (AccArray  *self,
                      AccArray  *keys,
                      gboolean   descending,
                      AccArray **sorted_keys)
{
  ACC_ARRAY_NAMED ("sort_pairs");
  g_autoptr(AccArray) node = check_keys (keys, "sort_pairs", TRUE), matched = NULL, sorted = NULL, order = NULL;

  if (node->error == NULL)
    {
      AccArray *both[] = { self, keys };

      g_object_unref (node);
      node = acc_array_begin (ACC_OP_BACKPERMUTE, both, 2);
    }
  if (node->error == NULL)
    acc_array_check_extents (node, "sort_pairs: keys", self, keys);
  if (node->error != NULL)
    return acc_array_refuse (g_steal_pointer (&node), sorted_keys);

  matched = acc_array_match_extents (self, keys);
  if (acc_element_type_is_tuple (keys->type))
    return sort_by_tuples (self, matched, descending, sorted_keys);
  if (goes_along (self) && !acc_sort_is_short (matched))
    return sort_along (self, matched, descending, sorted_keys);
  sorted = sort_rows (matched, descending, &order);
  if (sorted_keys != NULL)
    *sorted_keys = g_object_ref (sorted);

  return arrange (self, order);
}

typedef struct {
  AccExprFunc  key;
  gpointer     data;
  gboolean     descending;
} Criterion;

static AccExpr *
order_on (AccExpr *element,
          gpointer data)
{
  Criterion *self = data;
  g_autoptr(AccExpr) key = acc_expr_take_result (acc_call1 (self->key, element, self->data)), order = NULL;

  if (!_acc_expr_resolve_slot (&key, NULL))
    return _acc_expr_float (g_steal_pointer (&key));
  if (acc_element_type_is_tuple (acc_expr_get_element_type (key)))
    return acc_expr_new_error_literal (ACC_ERROR_TYPE, "sort_by_key: keys are scalars, not %s",
                                       acc_element_type_get_code (acc_expr_get_element_type (key)));

  order = acc_expr_ref_sink (acc_sort_order_key (key, self->descending));
  return _acc_expr_float (g_steal_pointer (&order));
}

/* The same as @node, which is complete, for short rows. */
static AccArray *
sort_short_on (AccArray *node)
{
  AccArray *array = node->inputs[0];
  g_autoptr(AccArray) orders = acc_array_begin (ACC_OP_MAP, &array, 1), targets = NULL, numbers = NULL, moved = NULL, order = NULL;

  acc_array_take_function (orders, 0, acc_function_ref (node->functions[0]));
  targets = acc_sort_short_targets (acc_array_complete (orders));
  numbers = number_rows (array);
  moved = acc_sort_move (numbers, targets);
  order = widen (moved);

  return arrange (array, order);
}

/**
 * acc_array_sort_by_key:
 * @self: an array of rank 1 or more, of any element type
 * @descending: whether the largest key comes first
 * @key: (scope call) (closure user_data): takes an element, gives its key, a scalar
 * @user_data: data for @key
 *
 * Sorts the elements of each row by keys that a function computes from them.
 *
 * The sort is stable: elements with equal keys keep their order. Keys are in the order of [method@Array.sort]: NaN comes last, in both
 * directions.
 *
 * Takes time linear in the size of @self and in the bits of a key, and memory for @self twice; @key is computed several times for every
 * element. An array of rank 0 is %ACC_ERROR_SHAPE, keys that are tuples are %ACC_ERROR_TYPE.
 *
 * ```c
 * static AccExpr *second (AccExpr *pair, gpointer data) { return acc_expr_item (pair, 1); }
 *
 * // xs = [(1, 2.5), (2, 0.5), (3, 1.5)] of (i8,f8)
 * g_autoptr(AccArray) result = acc_array_sort_by_key (xs, TRUE, second, NULL); // → [(1, 2.5), (3, 1.5), (2, 0.5)]
 * ```
 *
 * Returns: (transfer full): an array of the type and extents of @self
 */
AccArray *
acc_array_sort_by_key (AccArray    *self,
                       gboolean     descending,
                       AccExprFunc  key,
                       gpointer     user_data)
{
  ACC_ARRAY_NAMED ("sort_by_key");
  Criterion criterion = { key, user_data, descending };
  g_autoptr(AccArray) node = acc_array_begin (ACC_OP_SORT, &self, 1);

  acc_array_call1 (node, 0, key != NULL ? order_on : NULL, &criterion);
  acc_array_complete (node);

  return node->error == NULL && acc_sort_is_short (self) ? sort_short_on (node) : g_steal_pointer (&node);
}
