/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "acc-external-elements-private.h"

#include "acc-core/array/acc-array-build-private.h"
#include "acc-core/array/acc-array-values-private.h"
#include "acc-core/expr/acc-expr-math.h"
#include "acc-core/expr/acc-function-private.h"
#include "acc-seq/stream/acc-memory-source-private.h"

/* Arrays as vectors of their elements: operations on elements become those on vectors, down to what is in memory. A reshape would not do:
 * its rows are those of its input. */

/* What lies deeper is read where it is. */
#define MOST_DEPTH 200

typedef struct {
  gint64      first;    /* element of the array */
  AccShape   *shape;    /* rank 1 or 2 */
  gboolean    by_rows;
  GHashTable *known;
} Part;

typedef struct {
  const Part  *part;
  AccArray    *node;
  AccFunction *function;
  AccExpr     *extents;
} Indexed;

static AccArray *
see_as_rows (AccArray *array, const Part *part)
{
  g_autoptr(AccMemorySource) source = NULL;

  if (!part->by_rows)
    return acc_array_see_as (array, part->shape);
  source = acc_memory_source_new_part (array, part->first, part->shape);

  return acc_array_new_from_source (ACC_SOURCE (source));
}

static AccExpr *
find_element (AccExpr *place, gpointer data)
{
  const Indexed *indexed = data;
  guint rank;
  const gint64 *extents = acc_shape_get_extents (indexed->part->shape, &rank);
  AccExpr *number = place;

  if (rank == 2)
    number = acc_expr_add (acc_expr_mul (acc_expr_item (place, 0), acc_array_number (extents[1])), acc_expr_item (place, 1));
  if (indexed->part->first > 0)
    number = acc_expr_add (number, acc_array_number (indexed->part->first));

  return acc_expr_from_linear (indexed->extents, number);
}

static AccExpr *
call_at (AccExpr *place, gpointer indexed)
{
  g_autoptr(AccExpr) index = acc_expr_ref_sink (find_element (place, indexed));

  return acc_function_apply (((const Indexed *) indexed)->function, &index);
}

static AccExpr *
call_with_element (AccExpr *place, AccExpr *element, gpointer indexed)
{
  g_autoptr(AccExpr) index = acc_expr_ref_sink (find_element (place, indexed));

  return acc_function_apply (((const Indexed *) indexed)->function, (AccExpr *[]) { index, element });
}

static AccExpr *
get_item (AccExpr *index, guint rank, guint i)
{
  return rank == 1 ? index : acc_expr_item (index, (int) i);
}

/* Of a slice or a replicate: which element of its input. */
static AccExpr *
find_selected (AccExpr *place, gpointer data)
{
  AccArray *node = ((const Indexed *) data)->node;
  const AccSelectionPayload *selection = acc_array_get_selection (node);
  g_autoptr(AccExpr) index = acc_expr_ref_sink (find_element (place, data));
  g_autofree AccExpr **items = g_new0 (AccExpr *, selection->n + 1);
  guint n = 0, next = 0;

  for (guint i = 0; i < selection->n; i++)
    if (node->op == ACC_OP_SLICE)
      items[n++] = selection->entries[i] == ACC_ALL ? get_item (index, node->rank, next++) : acc_array_number (selection->entries[i]);
    else if (selection->entries[i] == ACC_ALL)
      items[n++] = get_item (index, node->rank, i);

  return acc_array_join_items (items, n);
}

static AccExpr *
get_extents (AccArray *array)
{
  guint rank;
  const gint64 *extents = acc_shape_get_extents (array->shape, &rank);
  g_autofree AccExpr **items = g_new0 (AccExpr *, rank + 1);

  for (guint i = 0; i < rank; i++)
    items[i] = acc_array_number (extents[i]);

  return acc_array_join_items (items, rank);
}

/* Whether element i of the node is made of elements i of its inputs. */
static gboolean
goes_by_elements (AccArray *node)
{
  AccOperationFamily family = acc_operation_get_family (node->op);

  if (family != ACC_FAMILY_ELEMENTS && family != ACC_FAMILY_ZIP && node->op != ACC_OP_UNZIP)
    return FALSE;

  for (guint i = 0; i < node->n_inputs; i++)
    if (node->inputs[i]->shape == NULL || !acc_shape_equal (node->inputs[i]->shape, node->shape))
      return FALSE;

  return node->n_inputs > 0;
}

static AccArray *
rebuild (AccArray *node, AccArray **inputs, Indexed *indexed)
{
  AccArray *vector;

  if (node->op == ACC_OP_UNZIP)
    return acc_array_unzip (inputs[0], acc_array_get_item (node));
  if (acc_operation_has_fact (node->op, ACC_FACT_TAKES_INDEX))
    return acc_array_imap (inputs[0], call_with_element, indexed);

  vector = acc_array_begin (node->op, inputs, node->n_inputs);
  for (guint i = 0; i < node->n_functions; i++)
    acc_array_take_function (vector, i, acc_function_ref (node->functions[i]));

  return acc_array_complete (vector);
}

static AccArray *
make_part (AccArray *node, const Part *part, guint depth)
{
  AccArray *vector = g_hash_table_lookup (part->known, node);
  g_autoptr(AccExpr) extents = NULL;
  Indexed indexed;

  if (vector != NULL)
    return vector;

  extents = acc_expr_ref_sink (get_extents (node));
  indexed = (Indexed) { part, node, node->functions[0], extents };
  if (acc_array_is_manifest (node))
    vector = see_as_rows (node, part);
  else if (depth < MOST_DEPTH && goes_by_elements (node))
    {
      g_autofree AccArray **inputs = g_new0 (AccArray *, node->n_inputs + 1);

      for (guint i = 0; i < node->n_inputs; i++)
        inputs[i] = make_part (node->inputs[i], part, depth + 1);
      vector = rebuild (node, inputs, &indexed);
    }
  else if (node->op == ACC_OP_GENERATE)
    vector = acc_array_generate (part->shape, call_at, &indexed);
  else if ((node->op == ACC_OP_SLICE && node->rank > 0) || node->op == ACC_OP_REPLICATE)
    vector = acc_array_backpermute (node->inputs[0], part->shape, find_selected, &indexed);
  else if (node->op == ACC_OP_BACKPERMUTE)
    vector = acc_array_backpermute (node->inputs[0], part->shape, call_at, &indexed);
  else
    vector = acc_array_backpermute (node, part->shape, find_element, &indexed);
  g_hash_table_insert (part->known, node, vector);

  return vector;
}

static AccArray *
new_part (AccArray *array, gint64 first, AccShape *shape, gboolean by_rows)
{
  g_autoptr(GHashTable) known = g_hash_table_new_full (NULL, NULL, NULL, g_object_unref);

  return g_object_ref (make_part (array, &(Part) { first, shape, by_rows, known }, 0));
}

AccArray *
acc_external_new_vector (AccArray *array, gboolean by_rows)
{
  g_autoptr(AccShape) shape = acc_shape_new_vector (acc_shape_get_size (array->shape));

  return new_part (array, 0, shape, by_rows);
}

AccArray *
acc_external_new_part (AccArray *array, gint64 first, const gint64 *extents, guint rank)
{
  g_autoptr(AccShape) shape = acc_shape_new (extents, rank);

  return new_part (array, first, shape, TRUE);
}
