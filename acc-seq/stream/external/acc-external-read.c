/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "acc-external-read-private.h"

#include "acc-external-elements-private.h"

#include "acc-core/array/acc-array-build-private.h"
#include "acc-error.h"

/* Places that are handed on at once. */
#define PIECE 1024

/* Of which each element of a node may be one. */
#define MOST_ARRAYS 32

gboolean
acc_external_reads_elements (AccArray *node)
{
  for (guint i = 0; i < node->references->len; i++)
    if (acc_array_reads_elements (node, g_ptr_array_index (node->references, i)))
      return TRUE;

  return FALSE;
}

gboolean
acc_external_find_read (AccArray *node, AccExternalRead *read)
{
  AccExpr *body;

  if (node->rank == 0 || node->shape == NULL || node->direct != NULL || node->offer != NULL || node->n_functions == 0)
    return FALSE;

  body = node->functions[0]->body;
  if (node->op == ACC_OP_BACKPERMUTE)
    *read = (AccExternalRead) { node->inputs[0], body, FALSE, 0 };
  else if (acc_operation_get_family (node->op) == ACC_FAMILY_ELEMENTS
           && (body->kind == ACC_EXPR_INDEX || body->kind == ACC_EXPR_LINEAR_INDEX))
    *read = (AccExternalRead) { body->array, body->args[0], body->kind == ACC_EXPR_LINEAR_INDEX, 0 };
  else
    return FALSE;

  return TRUE;
}

/* --- one of several arrays */

static gboolean
add_choices (AccExpr *body, GPtrArray *arrays)
{
  if (body->kind == ACC_EXPR_COND)
    return add_choices (body->args[1], arrays) && add_choices (body->args[2], arrays);
  if (body->kind != ACC_EXPR_INDEX && body->kind != ACC_EXPR_LINEAR_INDEX)
    return FALSE;
  g_ptr_array_add (arrays, body->array);

  return body->array->shape != NULL && arrays->len <= MOST_ARRAYS;
}

GPtrArray *
acc_external_find_choice (AccArray *node)
{
  g_autoptr(GPtrArray) arrays = g_ptr_array_new ();

  if (node->rank == 0 || node->shape == NULL || node->direct != NULL || node->offer != NULL || node->n_functions == 0
      || acc_operation_get_family (node->op) != ACC_FAMILY_ELEMENTS || node->functions[0]->body->kind != ACC_EXPR_COND)
    return NULL;

  return add_choices (node->functions[0]->body, arrays) ? g_steal_pointer (&arrays) : NULL;
}

static AccExpr *
is_within (AccExpr *index, gint64 extent)
{
  return acc_expr_land (acc_expr_ge (index, acc_array_number (0)), acc_expr_lt (index, acc_array_number (extent)));
}

/* Of the array whose elements begin at *@begin, which becomes the end of them. */
static AccExpr *
new_position (AccExpr *body, gint64 *begin)
{
  guint rank = body->kind == ACC_EXPR_INDEX ? body->array->rank : 1;
  gint64 size = acc_shape_get_size (body->array->shape);
  const gint64 *extents = body->kind == ACC_EXPR_INDEX ? acc_shape_get_extents (body->array->shape, NULL) : &size;
  AccExpr *inside = acc_expr_new_bool (TRUE), *position = acc_array_number (0);

  for (guint d = 0; d < rank; d++)
    {
      g_autoptr(AccExpr) i = acc_expr_ref_sink (rank > 1
                                                ? acc_expr_item (body->args[0], d) : acc_expr_cast (body->args[0], acc_index_type (1)));

      inside = acc_expr_land (inside, is_within (i, extents[d]));
      position = acc_expr_add (acc_expr_mul (position, acc_array_number (extents[d])), i);
    }
  position = acc_expr_add (position, acc_array_number (*begin));
  *begin += size;

  return acc_expr_cond (inside, position, acc_array_number (-1));
}

static AccExpr *
choose_position (AccExpr *body, gint64 *begin)
{
  AccExpr *first, *second;

  if (body->kind != ACC_EXPR_COND)
    return new_position (body, begin);
  first = choose_position (body->args[1], begin);
  second = choose_position (body->args[2], begin);

  return acc_expr_cond (body->args[0], first, second);
}

AccExpr *
acc_external_new_position (AccArray *node)
{
  gint64 begin = 0;

  return choose_position (node->functions[0]->body, &begin);
}

AccArray **
acc_external_get_read_inputs (AccArray *node, guint *n_inputs)
{
  *n_inputs = node->n_inputs;
  if (node->n_inputs > 0)
    return node->inputs;
  *n_inputs = node->references->len;

  return (AccArray **) node->references->pdata;
}

/* --- the walk */

/* The index of each element of the node. */
static AccArray *
new_indices (AccArray *node, const AccExternalRead *read)
{
  AccArray *indices;
  gboolean is_generated = node->op == ACC_OP_BACKPERMUTE || node->op == ACC_OP_GENERATE;
  AccFunction *function = node->functions[0];

  indices = is_generated ? acc_array_begin (ACC_OP_GENERATE, NULL, 0) : acc_array_begin (node->op, node->inputs, node->n_inputs);
  if (is_generated)
    acc_array_set_extents (indices, node->shape);
  acc_array_take_function (indices, 0, acc_function_new (function->params, function->n_params, read->index));

  return acc_array_complete (indices);
}

/* What the indices are read from is read in any order. Takes over @indices. */
static AccArray *
store_indices (const AccExternalTask *task, AccArray *indices, GError **error)
{
  g_autoptr(GHashTable) replaced = g_hash_table_new_full (NULL, NULL, NULL, g_object_unref);
  g_autoptr(AccArray) old = indices;
  AccArray *copy;

  for (guint i = 0; i < old->references->len; i++)
    {
      AccArray *array = g_ptr_array_index (old->references, i), *store;

      if (acc_array_is_manifest (array) || acc_external_is_in_memory (array) || !acc_array_reads_elements (old, array))
        continue;
      store = acc_external_store (task, array, "indices", error);
      if (store == NULL)
        return NULL;
      g_hash_table_insert (replaced, array, store);
    }
  copy = acc_array_copy_replaced (old, replaced);

  return copy != NULL ? copy : g_steal_pointer (&old);
}

typedef struct {
  guint         rank;
  const gint64 *extents;
  gpointer     *from;
  AccPlacesFunc function;
  gpointer      data;
} Places;

static gboolean
add_indices (gpointer data, AccChunk *chunk, GCancellable *cancellable, GError **error)
{
  Places *self = data;
  gint64 all = acc_chunk_get_n_rows (chunk) * acc_chunk_get_row_elements (chunk), places[PIECE], n;

  for (guint i = 0; i < self->rank; i++)
    self->from[i] = (gpointer) (guintptr) acc_chunk_get_address (chunk, i);

  for (gint64 at = 0; at < all; at += n)
    {
      n = MIN (all - at, PIECE);
      if (g_cancellable_set_error_if_cancelled (cancellable, error))
        return FALSE;
      for (gint64 i = 0; i < n; i++)
        if (!acc_external_locate (self->from, at + i, self->extents, self->rank, &places[i], error))
          return FALSE;
      if (!self->function (self->data, places, n, error))
        return FALSE;
    }

  return TRUE;
}

gboolean
acc_external_walk_places (const AccExternalTask *task, const AccExternalRead *read, const char *name, AccPlacesFunc function,
                          gpointer data, GError **error)
{
  g_autoptr(AccArray) indices = store_indices (task, new_indices (task->node, read), error);
  gint64 size = read->array != NULL ? acc_shape_get_size (read->array->shape) : read->n_positions;
  const AccExternalWalk walk = { name, add_indices, NULL };
  Places places = { 1, &size, NULL, function, data };
  g_autofree gpointer *from = NULL;

  if (indices == NULL || !acc_array_check (indices, error))
    return FALSE;
  if (!read->is_linear)
    places.extents = acc_shape_get_extents (read->array->shape, &places.rank);
  places.from = from = g_new0 (gpointer, places.rank + 1);

  return acc_external_walk (task, indices, &walk, &places, error);
}
