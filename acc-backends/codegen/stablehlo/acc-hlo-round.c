/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "acc-hlo-round.h"

/* Up to here to the next power of two. */
#define MOST_DOUBLED (1 << 16)

gint64
acc_hlo_round_up (gint64 n)
{
  gint64 step = 1;

  if (n <= 1)
    return n;

  while (step < n)
    step *= 2;
  if (n > MOST_DOUBLED)
    step /= 8;

  return (n + step - 1) / step * step;
}

/* --- nodes */

static gint64
count_row (const AccFusionNode *node)
{
  return acc_hlo_count ((AccHloShape) { node->rank - 1, node->extents + 1 });
}

static void
set_leading (AccFusionNode *node,
             gint64         n)
{
  node->extents[0] = n;
  node->size = n * count_row (node);
}

/* A scalar that holds @n where the module is called with that. */
static AccHloValue
take_length (AccHlo *self,
             gint64  n)
{
  GArray *lengths = self->module->lengths;
  guint i = 0;

  while (i < lengths->len && g_array_index (lengths, gint64, i) != n)
    i++;
  if (i == lengths->len)
    {
      AccHloValue name = acc_hlo_name (self);

      g_array_append_val (lengths, n);
      g_ptr_array_add (self->length_names, (gpointer) name);
    }

  return g_ptr_array_index (self->length_names, i);
}

void
acc_hlo_round_nodes (AccHlo     *self,
                     GHashTable *changing,
                     GString    *header)
{
  for (guint i = 0; i < self->graph->nodes->len; i++)
    {
      AccFusionNode *node = g_ptr_array_index (self->graph->nodes, i);
      AccHloLength *length;
      gint64 bound;

      if (!g_hash_table_contains (changing, node) || !g_hash_table_contains (self->needed, node) || node->rank == 0 || node->size == 0)
        continue;
      /* Twice as many elements must still be countable, in bytes, too. */
      if (__builtin_mul_overflow (node->size, 64 * MAX ((gint64) acc_element_type_get_size (node->array->type), 1), &bound))
        continue;
      length = g_new (AccHloLength, 1);
      *length = (AccHloLength) { node->extents[0], take_length (self, node->extents[0]) };
      g_hash_table_insert (self->lengths, node, length);
      set_leading (node, acc_hlo_round_up (length->n));
    }

  for (guint i = 0; i < self->module->lengths->len; i++)
    g_string_append_printf (header, ", %s: tensor<i64>", (const char *) g_ptr_array_index (self->length_names, i));
}

void
acc_hlo_restore_nodes (AccHlo *self)
{
  GHashTableIter iter;
  gpointer node, length;

  g_hash_table_iter_init (&iter, self->lengths);
  while (g_hash_table_iter_next (&iter, &node, &length))
    set_leading (node, ((const AccHloLength *) length)->n);
}

const AccHloLength *
acc_hlo_get_length (AccHlo              *self,
                    const AccFusionNode *node)
{
  return g_hash_table_lookup (self->lengths, node);
}

gint64
acc_hlo_true_extent (AccHlo              *self,
                     const AccFusionNode *node,
                     guint                dimension)
{
  const AccHloLength *length = dimension == 0 ? acc_hlo_get_length (self, node) : NULL;

  return length != NULL ? length->n : node->extents[dimension];
}

/* Which elements of @shape are before @end in the leading dimension. */
static AccHloValue
mask_before (AccHlo      *self,
             AccHloValue  end,
             AccHloShape  shape)
{
  return acc_hlo_compare (self, "LT", acc_hlo_iota (self, shape, 0, ACC_KIND_I64), acc_hlo_spread (self, end, shape, ACC_KIND_I64), shape,
                          ACC_KIND_I64);
}

AccHloValue
acc_hlo_mask_rows (AccHlo              *self,
                   const AccFusionNode *node,
                   AccHloShape          shape)
{
  const AccHloLength *length = acc_hlo_get_length (self, node);

  if (length == NULL || shape.rank == 0)
    return NULL;

  return mask_before (self, length->value, shape);
}

AccHloLength
acc_hlo_count_elements (AccHlo              *self,
                        const AccFusionNode *node)
{
  const AccHloLength *length = acc_hlo_get_length (self, node);
  gint64 row = count_row (node);

  if (row == 1)
    return *length;

  return (AccHloLength) { length->n * row, acc_hlo_binary (self, "multiply", length->value,
                                                           acc_hlo_integer (self, ACC_HLO_SCALAR, ACC_KIND_I64, row), ACC_HLO_SCALAR,
                                                           ACC_KIND_I64) };
}

AccHloValue
acc_hlo_mask_elements (AccHlo              *self,
                       const AccFusionNode *node)
{
  return mask_before (self, acc_hlo_count_elements (self, node).value, (AccHloShape) { 1, &node->size });
}

/* --- operations that go by exact extents */

static gboolean
is_rounded (AccHlo              *self,
            const AccFusionNode *node)
{
  return acc_hlo_get_length (self, node) != NULL;
}

gboolean
acc_hlo_takes_rounded (AccHlo        *self,
                       AccFusionNode *node)
{
  AccOperationFamily family = acc_operation_get_family (node->array->op);
  gboolean any = is_rounded (self, node), is_left, is_each;

  for (guint i = 0; i < node->array->n_inputs; i++)
    any |= is_rounded (self, node->inputs[i]);
  if (!any)
    return TRUE;

  if (family == ACC_FAMILY_FFT)
    return is_rounded (self, node) == is_rounded (self, node->inputs[0]) && acc_array_get_transform (node->array)->dimension > 0;
  if (family != ACC_FAMILY_MATMUL)
    return family != ACC_FAMILY_STENCIL;

  is_left = is_rounded (self, node->inputs[0]);
  if (node->inputs[1]->rank > node->inputs[0]->rank)
    return !is_left && is_rounded (self, node) == is_rounded (self, node->inputs[1]);

  /* Matrices that are multiplied one by one, or rows of the left one. */
  is_each = is_left && node->inputs[0]->rank > 2 && node->inputs[1]->rank > 2;

  return is_rounded (self, node) == is_left && is_rounded (self, node->inputs[1]) == is_each;
}

/* Values of @node with its true extents, or those again that it had. Owned. */
static AccHloValue *
cut_rows (AccHlo        *self,
          AccFusionNode *node,
          gint64         n)
{
  AccHloValue *values = g_hash_table_lookup (self->values, node), *cut;
  g_autofree gint64 *extents = g_memdup2 (node->extents, node->rank * sizeof (gint64));
  guint n_leaves = acc_hlo_count_leaves (node);

  extents[0] = n;
  cut = g_new (AccHloValue, n_leaves + 1);
  for (guint i = 0; i < n_leaves; i++)
    cut[i] = acc_hlo_fit (self, values[i], acc_hlo_shape_of (node), (AccHloShape) { node->rank, extents }, acc_hlo_leaf (node, i));

  return cut;
}

void
acc_hlo_write_exactly (AccHlo        *self,
                       AccFusionNode *node,
                       AccHloWrite    write,
                       AccHloValue   *results)
{
  guint n = node->array->n_inputs;
  AccFusionNode **inputs = g_new (AccFusionNode *, n + 1);
  AccFusionNode *exact = g_new0 (AccFusionNode, n + 2);
  const AccHloLength *length = acc_hlo_get_length (self, node);
  g_autofree gint64 *extents = NULL;
  gint64 rounded = node->rank > 0 ? node->extents[0] : 1;

  /* Others read the inputs as they are. */
  for (guint i = 0; i < n; i++)
    {
      const AccHloLength *true_length = acc_hlo_get_length (self, node->inputs[i]);

      inputs[i] = node->inputs[i];
      if (true_length == NULL)
        continue;
      exact[i] = *inputs[i];
      exact[i].extents = g_memdup2 (inputs[i]->extents, inputs[i]->rank * sizeof (gint64));
      set_leading (&exact[i], true_length->n);
      g_hash_table_insert (self->values, &exact[i], cut_rows (self, inputs[i], true_length->n));
      node->inputs[i] = &exact[i];
    }
  if (length != NULL)
    set_leading (node, length->n);
  extents = g_memdup2 (node->extents, node->rank * sizeof (gint64));

  write (self, node, results);

  if (length != NULL)
    set_leading (node, rounded);
  for (guint i = 0; length != NULL && i < acc_hlo_count_leaves (node); i++)
    results[i] = acc_hlo_fit (self, results[i], (AccHloShape) { node->rank, extents }, acc_hlo_shape_of (node), acc_hlo_leaf (node, i));
  for (guint i = 0; i < n; i++)
    {
      node->inputs[i] = inputs[i];
      if (exact[i].extents == NULL)
        continue;
      g_hash_table_remove (self->values, &exact[i]);
      g_free (exact[i].extents);
    }
  g_free (inputs);
  g_free (exact);
}
