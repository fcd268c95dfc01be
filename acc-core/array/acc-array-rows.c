/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "acc-array-private.h"
#include "acc-module-index.h"
#include "acc-module-turn.h"

/* Which rows of its inputs an operation reads for a row of its own. */

gboolean
acc_operation_reduces_rows (AccOperation operation,
                            guint        rank_of_input)
{
  return operation == ACC_OP_PERMUTE ||
         (acc_operation_get_family (operation) == ACC_FAMILY_FOLD
          && (rank_of_input == 1 || acc_operation_has_fact (operation, ACC_FACT_FOLDS_ALL)));
}

/* Whether rows of its input lie along dimension @dimension of a backpermute. */
static gboolean
keeps_rows (AccArray *node,
            guint     dimension,
            gint64   *offset)
{
  *offset = 0;

  return node->inputs[0]->rank > 0 && node->rank > 0 && acc_function_find_row_shift (node->functions[0], dimension, offset);
}

gboolean
acc_array_is_turned (AccArray         *self,
                     AccRowsAlongFunc  get,
                     gpointer          data)
{
  AccOperationFamily family = acc_operation_get_family (self->op);
  gint64 offset;

  if (self->rank < 2)
    return FALSE;
  if (self->op == ACC_OP_BACKPERMUTE)
    return keeps_rows (self, self->rank - 1, &offset) && get (0, data) != ACC_ROWS_LAST;
  if (family != ACC_FAMILY_ELEMENTS && family != ACC_FAMILY_ZIP && self->op != ACC_OP_UNZIP)
    return FALSE;

  for (guint i = 0; i < self->n_inputs; i++)
    if (get (i, data) == ACC_ROWS_FIRST)
      return FALSE;

  return TRUE;
}

static gboolean
has_same_rows (const gint64 *a,
               guint         rank_of_a,
               const gint64 *b,
               guint         rank_of_b)
{
  gint64 elements_of_a = 1, elements_of_b = 1;

  if (rank_of_a == 0 || rank_of_b == 0 || a == NULL || b == NULL || a[0] != b[0])
    return FALSE;
  for (guint i = 1; i < rank_of_a; i++)
    elements_of_a *= a[i];
  for (guint i = 1; i < rank_of_b; i++)
    elements_of_b *= b[i];

  return elements_of_a == elements_of_b;
}

/* What the payload or the function says. */
static const char *
find_by_payload (AccArray     *self,
                 guint         input,
                 const gint64 *extents,
                 const gint64 *input_extents,
                 gint64       *above,
                 gint64       *below)
{
  gint64 n;

  if (self->op == ACC_OP_RESHAPE && !has_same_rows (extents, self->rank, input_extents, self->inputs[input]->rank))
    return "changes the rows";
  if (self->op == ACC_OP_REPLICATE && acc_array_get_selection (self)->entries[0] != ACC_ALL)
    return "repeats all rows";
  if (self->op == ACC_OP_SORT && self->rank == 1)
    return "reads rows in another order";
  if (self->op == ACC_OP_PERMUTE && input == 1)
    return "needs all of its defaults before the first row";
  if (self->op == ACC_OP_BACKPERMUTE)
    {
      if (!keeps_rows (self, 0, &n))
        return "reads rows in another order";
      *above = MAX (-n, 0);
      *below = MAX (n, 0);
    }
  if (acc_operation_get_family (self->op) == ACC_FAMILY_STENCIL)
    {
      n = acc_array_get_stencil (self)->sizes[input][0];
      *above = *below = (n - 1) / 2;
      if (acc_array_get_stencil (self)->boundaries[input]->kind == ACC_BOUNDARY_WRAP && n > 1)
        return "wraps around from the last row to the first";
    }

  return NULL;
}

const char *
acc_array_find_row_halo (AccArray     *self,
                         guint         input,
                         const gint64 *extents,
                         const gint64 *input_extents,
                         gint64       *above,
                         gint64       *below)
{
  AccOperationRows rows = acc_operation_get_info (self->op)->rows;

  *above = *below = 0;
  if (self->inputs[input]->rank == 0)
    return "reads an array without rows";
  if (rows == ACC_ROWS_ALL)
    return "needs all rows at once";

  return rows == ACC_ROWS_DEPENDS ? find_by_payload (self, input, extents, input_extents, above, below) : NULL;
}

static gboolean
function_reads (AccFunction *function,
                AccArray    *array)
{
  g_autoptr(GHashTable) seen = NULL;
  g_autoptr(GPtrArray) stack = NULL;

  if (function == NULL || !g_ptr_array_find (function->arrays, array, NULL))
    return FALSE;

  seen = g_hash_table_new (NULL, NULL);
  stack = g_ptr_array_new ();
  g_ptr_array_add (stack, function->body);
  while (stack->len > 0)
    {
      AccExpr *expr = g_ptr_array_steal_index (stack, stack->len - 1);

      if (!expr->reads || !g_hash_table_add (seen, expr))
        continue;
      if ((expr->kind == ACC_EXPR_INDEX || expr->kind == ACC_EXPR_LINEAR_INDEX) && expr->array == array)
        return TRUE;
      for (guint i = 0; i < expr->n_args; i++)
        g_ptr_array_add (stack, expr->args[i]);
      for (guint i = 0; i < 2; i++)
        if (expr->functions[i] != NULL)
          g_ptr_array_add (stack, expr->functions[i]->body);
    }

  return FALSE;
}

gboolean
acc_array_reads_elements (AccArray *self,
                          AccArray *array)
{
  AccFunction *function;

  for (guint i = 0; (function = acc_array_nth_function (self, i)) != NULL; i++)
    if (function_reads (function, array))
      return TRUE;

  return function_reads (self->extents, array);
}
