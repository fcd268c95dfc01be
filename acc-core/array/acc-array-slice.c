/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "acc-array-build-private.h"
#include "acc-error.h"
#include "acc-core/expr/acc-expr-private.h"

void
acc_array_set_selection (AccArray     *node,
                         const gint64 *entries,
                         guint         n)
{
  AccSelectionPayload *payload = acc_array_get_selection (node);

  if (node->error != NULL)
    return;

  if (entries == NULL && n > 0)
    {
      acc_array_fail_argument (node, "a specification");
      return;
    }

  g_free (payload->entries);
  *payload = (AccSelectionPayload) { n, g_memdup2 (entries, n * sizeof (gint64)) };
}

static void
clear_selection (AccArray *node)
{
  g_free (acc_array_get_selection (node)->entries);
}

static void
copy_selection (AccArray *node,
                AccArray *from)
{
  AccSelectionPayload *payload = acc_array_get_selection (node);

  payload->entries = g_memdup2 (payload->entries, payload->n * sizeof (gint64));
}

static void
list_selection (AccArray *node,
                GArray   *numbers)
{
  const AccSelectionPayload *payload = acc_array_get_selection (node);

  g_array_append_vals (numbers, payload->entries, payload->n);
}

static const AccPayloadClass payload_class = {
  ACC_PAYLOAD_SELECTION, sizeof (AccSelectionPayload), clear_selection, copy_selection, .list = list_selection
};

static guint
count_all (AccArray *node)
{
  const AccSelectionPayload *selection = acc_array_get_selection (node);
  guint n = 0;

  for (guint i = 0; i < selection->n; i++)
    n += selection->entries[i] == ACC_ALL;

  return n;
}

static gboolean
check_slice (AccArray *node)
{
  guint n = acc_array_get_selection (node)->n;

  if (n != node->inputs[0]->rank)
    return acc_array_fail (node, ACC_ERROR_SHAPE, "a specification of %u entries does not fit an array of rank %u", n,
                           node->inputs[0]->rank);

  node->rank = count_all (node);
  node->type = node->inputs[0]->type;
  return TRUE;
}

static gboolean
check_replicate (AccArray *node)
{
  guint n = acc_array_get_selection (node)->n;

  if (count_all (node) != node->inputs[0]->rank)
    return acc_array_fail (node, ACC_ERROR_SHAPE, "a specification that keeps %u dimensions does not fit an array of rank %u",
                           count_all (node), node->inputs[0]->rank);

  if (n > ACC_MAX_LEAVES)
    return acc_array_fail (node, ACC_ERROR_SHAPE, "rank %u is too high", n);

  node->rank = n;
  node->type = node->inputs[0]->type;
  return TRUE;
}

static gboolean
infer_slice (AccInference *self)
{
  const AccSelectionPayload *selection = acc_array_get_selection (self->array);
  const gint64 *extents = acc_inference_get_extents (self, 0);
  guint kept = 0;

  if (extents == NULL)
    return FALSE;

  for (guint i = 0; i < selection->n; i++)
    {
      gint64 index = selection->entries[i];

      if (index == ACC_ALL)
        self->extents[kept++] = extents[i];
      else if (index < 0 || index >= extents[i])
        return acc_inference_fail (self, ACC_ERROR_BOUNDS, "index %" G_GINT64_FORMAT " is outside dimension %u of extent %" G_GINT64_FORMAT,
                     index, i, extents[i]);
    }

  return TRUE;
}

static gboolean
infer_replicate (AccInference *self)
{
  const AccSelectionPayload *selection = acc_array_get_selection (self->array);
  const gint64 *extents = acc_inference_get_extents (self, 0);
  guint used = 0;

  if (extents == NULL)
    return FALSE;

  for (guint i = 0; i < selection->n; i++)
    {
      gint64 entry = selection->entries[i];

      self->extents[i] = entry == ACC_ALL ? extents[used++] : entry;
    }

  return TRUE;
}

const AccOperationClass acc_class_slice = { check_slice, NULL, infer_slice, &payload_class };
const AccOperationClass acc_class_replicate = { check_replicate, NULL, infer_replicate, &payload_class };

/* --- specifications */

/* An entry that is a number before the run; FALSE for others. */
static gboolean
get_number (AccExpr *entry,
            gint64  *number)
{
  if (entry->kind != ACC_EXPR_LITERAL || acc_element_type_get_kind (entry->type) != ACC_KIND_I64)
    return FALSE;

  *number = entry->value.i;
  return TRUE;
}

/* The number of %ACC_ALL that a leading %ACC_ANY expands to, in a specification with @n_all others and @n_other entries. */
static gboolean
count_any (AccArray   *node,
           AccArray   *array,
           const char *operation,
           guint       n_all,
           guint       n_other,
           guint      *n_any)
{
  guint taken = node->op == ACC_OP_SLICE ? n_all + n_other : n_all;

  *n_any = 0;
  if (taken > array->rank)
    return acc_array_fail (node, ACC_ERROR_SHAPE, "%s: a specification of %u dimensions does not fit an array of rank %u", operation, taken,
                           array->rank);

  *n_any = array->rank - taken;
  return TRUE;
}

/* Expands a leading %ACC_ANY to %ACC_ALL. The entries stay the caller's; NULL with an error in @node. */
static AccExpr **
spell_out (AccArray   *node,
           AccArray   *array,
           const char *operation,
           AccExpr   **entries,
           guint       n,
           AccExpr    *all,
           guint      *n_spelt)
{
  guint n_all = 0, n_any = 0, leading = 0, last = 0;
  AccExpr **spelt;
  gint64 number;

  for (guint i = 0; i < n; i++)
    {
      const GError *error = acc_expr_get_error (entries[i]);
      AccElementKind kind;

      if (error != NULL)
        {
          acc_array_fail (node, error->code, "%s: entry %u: %s", operation, i, error->message);
          return NULL;
        }
      kind = acc_element_type_get_kind (entries[i]->type);
      if (acc_element_type_is_tuple (entries[i]->type) || !acc_element_kind_is_integer (kind))
        {
          acc_array_fail (node, ACC_ERROR_TYPE, "%s: entry %u is %s, not an integer", operation, i,
                          acc_element_type_get_code (entries[i]->type));
          return NULL;
        }
      if (!get_number (entries[i], &number))
        continue;
      n_all += number == ACC_ALL;
      leading |= number == ACC_ANY && i == 0;
      if (number == ACC_ANY && i > 0)
        {
          acc_array_fail (node, ACC_ERROR_SHAPE, "%s: entry %u is ACC_ANY, which can only be the first", operation, i);
          return NULL;
        }
    }

  if (leading && !count_any (node, array, operation, n_all, n - 1 - n_all, &n_any))
    return NULL;

  spelt = g_new (AccExpr *, n + n_any + 1);
  for (guint i = 0; i < n_any; i++)
    spelt[last++] = all;
  for (guint i = leading; i < n; i++)
    spelt[last++] = entries[i];
  *n_spelt = last;

  return spelt;
}

static void
sink_all (AccExpr **entries,
          guint     n)
{
  for (guint i = 0; i < n; i++)
    if (entries[i] != NULL)
      acc_expr_ref_sink (entries[i]);
}

/* --- entries that are known when it runs */

typedef struct {
  AccExpr **entries;
  guint     n;
  gboolean  replicates;
} Selection;

static gboolean
is_all (AccExpr *entry)
{
  gint64 number;

  return get_number (entry, &number) && number == ACC_ALL;
}

static AccExpr *
to_number (AccExpr *entry)
{
  return acc_expr_cast (entry, acc_element_type_new (ACC_KIND_I64));
}

/* From an index of the result to one of the array. */
static AccExpr *
select_index (AccExpr *index,
              gpointer data)
{
  const Selection *selection = data;
  g_autofree AccExpr **items = g_new (AccExpr *, selection->n + 1);
  guint n = 0, kept = 0;

  for (guint i = 0; i < selection->n; i++)
    {
      gboolean all = is_all (selection->entries[i]);

      if (selection->replicates && all)
        items[n++] = acc_expr_item (index, i);
      else if (!selection->replicates)
        items[n++] = all ? acc_expr_item (index, kept++) : to_number (selection->entries[i]);
    }

  return acc_array_join_items (items, n);
}

static AccExpr *
get_selected_extents (AccArray  *array,
                      Selection *selection)
{
  g_autofree AccExpr **items = g_new (AccExpr *, selection->n + 1);
  guint n = 0, used = 0;

  for (guint i = 0; i < selection->n; i++)
    {
      gboolean all = is_all (selection->entries[i]);

      if (selection->replicates)
        items[n++] = all ? acc_expr_extent (array, used++) : to_number (selection->entries[i]);
      else if (all)
        items[n++] = acc_expr_extent (array, i);
    }

  return acc_array_join_items (items, n);
}

/* The same by an operation on indices; @entries fit @array. */
static AccArray *
select_elements (AccArray  *array,
                 AccExpr  **entries,
                 guint      n,
                 gboolean   replicates)
{
  AccArray *node = acc_array_begin (ACC_OP_BACKPERMUTE, &array, 1);
  Selection selection = { entries, n, replicates };

  acc_array_set_extents_expr (node, get_selected_extents (array, &selection));
  acc_array_call1 (node, 0, select_index, &selection);

  return acc_array_complete (node);
}

/* A node of numbers alone where that is all there is, which tells mistakes before the run. */
static AccArray *
make (AccArray     *self,
      AccOperation  op,
      const char   *operation,
      AccExpr     **entries,
      guint         n)
{
  AccArray *node = acc_array_begin (op, &self, 1);
  g_autoptr(AccExpr) all = acc_expr_ref_sink (acc_array_number (ACC_ALL));
  g_autofree AccExpr **spelt = NULL;
  g_autofree gint64 *numbers = NULL;
  guint n_spelt, known = 0;

  if (entries == NULL && n > 0)
    acc_array_fail_argument (node, "a specification");
  for (guint i = 0; i < n && node->error == NULL; i++)
    if (entries[i] == NULL)
      acc_array_fail_argument (node, "an entry");
  if (node->error != NULL || (spelt = spell_out (node, self, operation, entries, n, all, &n_spelt)) == NULL)
    return acc_array_complete (node);

  numbers = g_new0 (gint64, n_spelt + 1);
  for (guint i = 0; i < n_spelt; i++)
    known += get_number (spelt[i], &numbers[i]);
  acc_array_set_selection (node, numbers, n_spelt);
  if (known == n_spelt || !acc_operation_get_class (op)->check (node))
    return acc_array_complete (node);
  g_object_unref (node);

  return select_elements (self, spelt, n_spelt, op == ACC_OP_REPLICATE);
}

static AccArray *
make_of_exprs (AccArray     *self,
               AccOperation  op,
               const char   *operation,
               AccExpr     **entries,
               guint         n)
{
  AccArray *made;

  if (entries != NULL)
    sink_all (entries, n);
  made = make (self, op, operation, entries, n);
  for (guint i = 0; entries != NULL && i < n; i++)
    if (entries[i] != NULL)
      acc_expr_unref (entries[i]);

  return made;
}

static AccArray *
make_of_numbers (AccArray     *self,
                 AccOperation  op,
                 const gint64 *numbers,
                 guint         n)
{
  g_autofree AccExpr **entries = numbers != NULL ? g_new (AccExpr *, n + 1) : NULL;

  for (guint i = 0; numbers != NULL && i < n; i++)
    entries[i] = acc_array_number (numbers[i]);

  return make_of_exprs (self, op, acc_operation_get_info (op)->name, entries, n);
}

/* --- the operations */

/**
 * acc_array_slice:
 * @self: an array
 * @specification: (array length=n_specification): for each dimension, outermost first, an index to fix it at, or %ACC_ALL
 *   to keep it; a first %ACC_ANY keeps all dimensions that the other entries do not name
 * @n_specification: the number of entries: the rank of @self, or fewer with %ACC_ANY
 *
 * Extracts part of an array by fixing dimensions at an index. The dimensions with an index are dropped, the others stay.
 * `[ACC_ANY, 0]` is the first element of every row, whatever the rank.
 *
 * Takes time linear in the number of elements of the result. The result carries %ACC_ERROR_SHAPE where the specification
 * does not fit the rank of @self or %ACC_ANY is not its first entry, %ACC_ERROR_BOUNDS where an index is outside. Where the
 * extents are known only at run time, the run fails with that.
 *
 * ```c
 * // xs = [[1, 2, 3], [4, 5, 6]]
 * g_autoptr(AccArray) result = acc_array_slice (xs, (gint64[]) { 1, ACC_ALL }, 2); // → [4, 5, 6]
 * ```
 *
 * Returns: (transfer full): an array whose rank is the number of dimensions that stay
 */
AccArray *
acc_array_slice (AccArray     *self,
                 const gint64 *specification,
                 guint         n_specification)
{
  return make_of_numbers (self, ACC_OP_SLICE, specification, n_specification);
}

/**
 * acc_array_slice_expr:
 * @self: an array
 * @specification: (array length=n_specification): for each dimension, outermost first, an integer to fix it at, which may
 *   depend on the extents and elements of arrays, or the literal %ACC_ALL to keep it; a first literal %ACC_ANY as in
 *   [method@Array.slice]
 * @n_specification: the number of entries: the rank of @self, or fewer with %ACC_ANY
 *
 * Extracts part of an array by fixing dimensions at indices computed at run time. Works as [method@Array.slice] does
 * otherwise.
 *
 * The result carries %ACC_ERROR_TYPE where an entry is not an integer. A run fails with %ACC_ERROR_BOUNDS where an index is
 * outside, unless the result is empty.
 *
 * ```c
 * // xs = [[1, 2, 3], [4, 5, 6]], best = 1
 * AccExpr *row[] = { acc_expr_the (best), acc_expr_new_int (ACC_ALL) };
 * g_autoptr(AccArray) result = acc_array_slice_expr (xs, row, 2); // → [4, 5, 6]
 * ```
 *
 * Returns: (transfer full): an array whose rank is the number of dimensions that stay
 */
AccArray *
acc_array_slice_expr (AccArray  *self,
                      AccExpr  **specification,
                      guint      n_specification)
{
  ACC_ARRAY_NAMED ("slice");
  return make_of_exprs (self, ACC_OP_SLICE, "slice_expr", specification, n_specification);
}

/**
 * acc_array_replicate:
 * @self: an array
 * @specification: (array length=n_specification): for each dimension of the result, outermost first, the extent of a new
 *   dimension, or %ACC_ALL for the next dimension of @self; a first %ACC_ANY stands for all dimensions of @self that no
 *   %ACC_ALL stands for
 * @n_specification: the number of entries: the rank of the result, or fewer with %ACC_ANY
 *
 * Broadcasts an array along new dimensions. The element at an index is that of @self at the index without the new
 * dimensions. `[2, ACC_ALL, 3]` makes an array of 2 × n × 3 from a vector; `[ACC_ANY, 3]` repeats every element of any
 * array three times. Extents that are not positive give an empty array; negative ones count as 0.
 *
 * Takes time linear in the number of elements of the result. The result carries %ACC_ERROR_SHAPE where the specification
 * does not name every dimension of @self once.
 *
 * ```c
 * // xs = [1, 2, 3]
 * g_autoptr(AccArray) result = acc_array_replicate (xs, (gint64[]) { 2, ACC_ALL }, 2); // → [[1, 2, 3], [1, 2, 3]]
 * ```
 *
 * Returns: (transfer full): an array of rank @n_specification, where there is no %ACC_ANY
 */
AccArray *
acc_array_replicate (AccArray     *self,
                     const gint64 *specification,
                     guint         n_specification)
{
  return make_of_numbers (self, ACC_OP_REPLICATE, specification, n_specification);
}

/**
 * acc_array_replicate_expr:
 * @self: an array
 * @specification: (array length=n_specification): for each dimension of the result, outermost first, an integer that is the
 *   extent of a new dimension and may depend on the extents and elements of arrays, or the literal %ACC_ALL for the next
 *   dimension of @self; a first literal %ACC_ANY as in [method@Array.replicate]
 * @n_specification: the number of entries: the rank of the result, or fewer with %ACC_ANY
 *
 * Broadcasts an array along new dimensions whose extents are computed at run time. Works as [method@Array.replicate] does
 * otherwise.
 *
 * The result carries %ACC_ERROR_TYPE where an entry is not an integer.
 *
 * ```c
 * // xs = [1, 2], ys = [7, 8, 9]
 * AccExpr *rows[] = { acc_expr_extent (ys, 0), acc_expr_new_int (ACC_ALL) };
 * g_autoptr(AccArray) result = acc_array_replicate_expr (xs, rows, 2); // → [[1, 2], [1, 2], [1, 2]]
 * ```
 *
 * Returns: (transfer full): an array of rank @n_specification, where there is no %ACC_ANY
 */
AccArray *
acc_array_replicate_expr (AccArray  *self,
                          AccExpr  **specification,
                          guint      n_specification)
{
  ACC_ARRAY_NAMED ("replicate");
  return make_of_exprs (self, ACC_OP_REPLICATE, "replicate_expr", specification, n_specification);
}
