/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "acc-lower.h"

#include <string.h>

#include "acc-error.h"
#include "acc-backends/fuse/acc-function-facts.h"

/* Lowers elements of arrays: inlined nodes become instructions, values become loads, and function results are computed once. */

static const char compute_tag, check_tag;

const char *
low_describe (AccLower      *l,
              AccFusionNode *node)
{
  g_autofree char *text = acc_array_describe (node->array);
  char *kept = low_alloc (l, strlen (text) + 1);

  return strcpy (kept, text);
}

void
low_note_read (AccLower       *l,
               AccFusionNode  *value,
               const AccIndex *ix)
{
  guint number = acc_fusion_get_value (l->fusion, value);
  AccStepRead *read = NULL;

  for (guint i = 0; i < l->step->reads->len && read == NULL; i++)
    if (g_array_index (l->step->reads, AccStepRead, i).value == number)
      read = &g_array_index (l->step->reads, AccStepRead, i);
  if (read == NULL)
    {
      g_array_append_vals (l->step->reads, &(AccStepRead) { .value = number }, 1);
      read = &g_array_index (l->step->reads, AccStepRead, l->step->reads->len - 1);
    }

  read->above = MAX (read->above, ix->above);
  read->below = MAX (read->below, ix->below);
  if (read->row_error == NULL)
    read->row_error = g_strdup (ix->row_error);
}

static guint
count_leaves (AccFusionNode *node)
{
  return acc_element_type_get_n_leaves (node->array->type);
}

static KValue
load (AccLower       *l,
      AccFusionNode  *node,
      const AccIndex *ix,
      guint           leaf)
{
  low_note_read (l, node, ix);

  return low_load_value (l, node, leaf, low_index_address (l, ix, node->extents));
}

#define FAR_BYTES (4 << 20)

gboolean
low_has_bytes (const AccFusionNode *value,
               gint64               least)
{
  gsize size = acc_element_type_get_size (value->array->type);

  return size > 0 && value->size >= least / (gint64) size;
}

/* Values computed by steps may be kept by rows in a cache. */
static gboolean
is_from_memory (AccLower            *l,
                const AccFusionNode *node,
                guint                value)
{
  AccValueRole role = acc_fusion_peek_value (l->fusion, value)->role;

  return (role == ACC_VALUE_ARGUMENT || role == ACC_VALUE_MANIFEST) && low_has_bytes (node, FAR_BYTES);
}

/* Several stencils that read one array have the same last neighbours: they are prefetched once. */
static void
ask_ahead (AccLower            *l,
           const AccFusionNode *node,
           guint                leaf,
           AccPlace             place)
{
  gint64 size = (gint64) acc_element_kind_get_size (acc_element_type_get_leaf (node->array->type, leaf));
  KValue at = low_add (l, place.at, low_const (l, l->ahead / size));

  if (place.buffer.id == l->asked.buffer.id && at.id == l->asked.at.id)
    return;
  l->asked = (AccPlace) { place.buffer, at };
  kb_prefetch (l->b, place.buffer, at);
}

gboolean
low_is_prefetch (AccLower *l,
                 KValue    at)
{
  return l->prefetch_bytes > 0 && kb_is_loaded (l->b, at);
}

void
low_check (AccLower *l,
           KValue    ok,
           guint     kind,
           guint     origin,
           KValue    index,
           KValue    extent)
{
  KValue *known;

  if (l->prefetch_bytes > 0)
    return;

  /* The first mistake is the one that is told. */
  known = low_memo (l, &check_tag, NULL, &ok, 1, 1)->leaves;
  if (known->id != 0)
    return;
  kb_check (l->b, ok, kind, origin, index, extent);
  low_keep (l, known, ok);
}

KValue
low_load_value (AccLower      *l,
                AccFusionNode *node,
                guint          leaf,
                KValue         at)
{
  guint value = acc_fusion_get_value (l->fusion, node);
  AccPlace place = low_place (l, value, leaf, at, ACC_BUFFER_READ);

  if (l->ahead != 0 && is_from_memory (l, node, value) && acc_element_type_locate (node->array->type, leaf)->lane == 0)
    ask_ahead (l, node, leaf, place);
  if (!low_is_prefetch (l, at))
    return low_load_place (l, place);

  if (low_has_bytes (node, l->prefetch_bytes))
    kb_prefetch (l->b, place.buffer, place.at);

  return low_zero (l, acc_element_type_get_leaf (node->array->type, leaf));
}

/* --- index maps of single operations */

static AccIndex *
index_of_slice (AccLower       *l,
                AccFusionNode  *node,
                const AccIndex *ix)
{
  AccFusionNode *input = node->inputs[0];
  int *map = low_alloc (l, (input->rank + 1) * sizeof (int));
  KValue *fixed = low_alloc (l, (input->rank + 1) * sizeof (KValue));
  AccIndex *to;
  int kept = 0;

  for (guint d = 0; d < input->rank; d++)
    {
      gint64 at = acc_array_get_selection (node->array)->entries[d];

      map[d] = at == ACC_ALL ? kept++ : -1;
      if (at != ACC_ALL)
        fixed[d] = at <= 1024 ? low_const (l, at) : low_number (l, at);
    }
  to = low_index_remap (l, ix, node->extents, map, fixed, input->extents, input->rank);
  if (input->rank > 0 && map[0] != 0)
    low_index_lose_rows (l, to, node, "reads one row for all");

  return to;
}

static AccIndex *
index_of_replicate (AccLower       *l,
                    AccFusionNode  *node,
                    const AccIndex *ix)
{
  AccFusionNode *input = node->inputs[0];
  int *map = low_alloc (l, (input->rank + 1) * sizeof (int));
  AccIndex *to;
  guint kept = 0;

  for (guint d = 0; d < node->rank; d++)
    if (acc_array_get_selection (node->array)->entries[d] == ACC_ALL)
      map[kept++] = d;
  to = low_index_remap (l, ix, node->extents, map, NULL, input->extents, input->rank);
  if (input->rank == 0 || map[0] != 0)
    low_index_lose_rows (l, to, node, "reads all rows for each of its own");

  return to;
}

static AccIndex *
index_of_reshape (AccLower       *l,
                  AccFusionNode  *node,
                  const AccIndex *ix)
{
  AccFusionNode *input = node->inputs[0];
  AccIndex *to = low_index_reshape (l, ix, node, input);

  if (node->rank == 0 || input->rank == 0 || node->extents[0] != input->extents[0])
    low_index_lose_rows (l, to, node, "does not keep rows");

  return to;
}

/* FALSE where an index was outside: it has been reported, and *inside says in which lanes. */
static AccIndex *
index_of_backpermute (AccLower       *l,
                      AccFusionNode  *node,
                      const AccIndex *ix,
                      AccFrame       *frame,
                      KValue         *inside)
{
  AccFusionNode *input = node->inputs[0];
  AccFunction *function = node->array->functions[0];
  AccIndex *to = low_index_new (l, input->rank);
  gint64 shift = 0;

  *inside = (KValue) { 0 };
  for (guint d = 0; d < input->rank; d++)
    {
      gint64 lo, hi;

      to->at[d] = low_expr (l, frame, function->body, d);
      low_get_range (l, to->at[d], &lo, &hi);
      if (l->checks && (lo < 0 || hi >= input->extents[d]) && !low_is_prefetch (l, to->at[d]))
        {
          KValue extent = low_number (l, input->extents[d]);
          KValue ok = kb_and (l->b, kb_le (l->b, low_const (l, 0), to->at[d]), kb_lt (l->b, to->at[d], extent));

          low_check (l, ok, ACC_ERROR_BOUNDS, frame->origin, to->at[d], extent);
          *inside = inside->id != 0 ? kb_and (l->b, *inside, ok) : ok;
        }
    }

  to->row_error = ix->is_column ? NULL : ix->row_error;
  to->above = ix->above;
  to->below = ix->below;
  if (node->rank > 0 && input->rank > 0 && acc_function_find_row_shift (function, ix->is_column ? node->rank - 1 : 0, &shift))
    {
      to->above += MAX (-shift, 0);
      to->below += MAX (shift, 0);
    }
  else
    {
      low_index_lose_rows (l, to, node, "reads rows in another order");
    }

  return to;
}

static KValue
read_backpermute (AccLower       *l,
                  AccFusionNode  *node,
                  const AccIndex *ix,
                  AccMemo        *memo,
                  guint           leaf)
{
  AccFusionNode *input = node->inputs[0];
  guint n = count_leaves (node);
  KValue inside;
  AccIndex *to;
  KVar *vars;

  low_bind_index (l, memo->frame, node->array->functions[0]->params[0], ix, node->extents);
  to = index_of_backpermute (l, node, ix, memo->frame, &inside);
  if (inside.id == 0)
    return low_read (l, input, to, leaf);

  vars = low_alloc (l, n * sizeof (KVar));
  for (guint i = 0; i < n; i++)
    vars[i] = kb_var (l->b, low_zero (l, acc_element_type_get_leaf (node->array->type, i)));
  low_if (l, inside)
    {
      for (guint i = 0; i < n; i++)
        kb_set (l->b, vars[i], low_read (l, input, to, i));
    }
  for (guint i = 0; i < n; i++)
    if (i != leaf)
      low_keep (l, &memo->leaves[i], kb_get (l->b, vars[i]));

  return kb_get (l->b, vars[leaf]);
}

/* --- a fold in one loop, or in none */

static AccIndex *
index_of_fold (AccLower       *l,
               AccFusionNode  *node,
               const AccIndex *ix,
               KValue          k)
{
  AccFusionNode *input = node->inputs[0];
  AccIndex *to;

  if (node->rank + 1 == input->rank && node->rank > 0)
    {
      int *map = low_alloc (l, input->rank * sizeof (int));
      KValue *fixed = low_alloc (l, input->rank * sizeof (KValue));

      for (guint d = 0; d < node->rank; d++)
        map[d] = d;
      map[node->rank] = -1;
      fixed[node->rank] = k;
      return low_index_remap (l, ix, node->extents, map, fixed, input->extents, input->rank);
    }

  to = low_index_new (l, input->rank);
  if (input->rank > 0)
    to->at[input->rank - 1] = k;
  to->row_error = ix->row_error;
  low_index_lose_rows (l, to, node, "reads all rows at once");

  return to;
}

static void
fold_step (AccLower       *l,
           AccFusionNode  *node,
           const AccIndex *ix,
           KValue          k,
           KValue         *sum)
{
  AccFusionNode *input = node->inputs[0];
  AccIndex *at = index_of_fold (l, node, ix, k);
  guint n = count_leaves (node);
  KValue *element = low_alloc (l, MAX (n, 1) * sizeof (KValue));

  for (guint i = 0; i < n; i++)
    element[i] = low_read (l, input, at, i);
  if (n > 0 && sum[0].id == 0)
    memcpy (sum, element, n * sizeof (KValue));
  else
    low_apply2 (l, node, node->array->functions[0], sum, element, sum);
}

static void
read_fold (AccLower       *l,
           AccFusionNode  *node,
           const AccIndex *ix,
           AccMemo        *memo)
{
  AccFusionNode *input = node->inputs[0];
  gint64 n = node->rank > 0 && node->rank + 1 == input->rank ? input->extents[node->rank] : input->size;
  guint n_leaves = count_leaves (node);
  KValue *sum = low_alloc (l, MAX (n_leaves, 1) * sizeof (KValue)), *seed = NULL;
  gint64 first = 0;

  if (node->array->n_functions > 1 && node->array->functions[1] != NULL)
    {
      seed = low_alloc (l, MAX (n_leaves, 1) * sizeof (KValue));
      low_apply0 (l, node, node->array->functions[1], seed);
    }
  /* Processors put the initial value in front in the end, as they do for long rows. */
  if (seed != NULL && (n == 0 || l->fusion->graph->for_groups))
    memcpy (sum, g_steal_pointer (&seed), n_leaves * sizeof (KValue));
  else
    fold_step (l, node, ix, low_const (l, first++), sum);

  if (n <= 16)
    {
      for (gint64 k = first; k < n; k++)
        fold_step (l, node, ix, low_const (l, k), sum);
    }
  else
    {
      KVar *vars = low_alloc (l, MAX (n_leaves, 1) * sizeof (KVar));

      for (guint i = 0; i < n_leaves; i++)
        vars[i] = kb_var (l->b, sum[i]);
      low_for (l, k, low_const (l, first), low_number (l, n))
        {
          low_within (l, k, first, n - 1);
          for (guint i = 0; i < n_leaves; i++)
            sum[i] = kb_get (l->b, vars[i]);
          fold_step (l, node, ix, k, sum);
          for (guint i = 0; i < n_leaves; i++)
            kb_set (l->b, vars[i], sum[i]);
        }
      for (guint i = 0; i < n_leaves; i++)
        sum[i] = kb_get (l->b, vars[i]);
    }
  if (seed != NULL)
    low_apply2 (l, node, node->array->functions[0], seed, sum, sum);

  for (guint i = 0; i < n_leaves; i++)
    low_keep (l, &memo->leaves[i], sum[i]);
}

/* --- any node */

static KValue
compute (AccLower       *l,
         AccFusionNode  *node,
         const AccIndex *ix,
         AccMemo        *memo,
         guint           leaf)
{
  AccArray *array = node->array;
  AccFunction *function = array->n_functions > 0 ? array->functions[0] : NULL;
  guint i = 0, first = 0;

  if (memo->frame == NULL)
    memo->frame = low_frame_new (l, node);

  switch (acc_operation_get_family (array->op))
    {
    case ACC_FAMILY_ELEMENTS:
      if (acc_operation_has_fact (array->op, ACC_FACT_TAKES_INDEX))
        low_bind_index (l, memo->frame, function->params[first++], ix, node->extents);
      for (i = 0; i < array->n_inputs; i++)
        {
          AccFusionNode *input = node->inputs[i];

          low_bind_element (l, memo->frame, function->params[first + i], input, low_index_same (l, ix, node->extents, input));
        }
      return low_expr (l, memo->frame, function->body, leaf);

    case ACC_FAMILY_ZIP:
      while (leaf >= count_leaves (node->inputs[i]))
        leaf -= count_leaves (node->inputs[i++]);
      return low_read (l, node->inputs[i], low_index_same (l, ix, node->extents, node->inputs[i]), leaf);

    case ACC_FAMILY_VIEW:
      if (array->op == ACC_OP_UNZIP)
        leaf += acc_element_type_get_first_leaf (array->inputs[0]->type, acc_array_get_item (array));
      return low_read (l, node->inputs[0], array->op == ACC_OP_RESHAPE ? index_of_reshape (l, node, ix) : ix, leaf);

    case ACC_FAMILY_GATHER:
      if (array->op == ACC_OP_SEG_NUMBERS && l->segment.id != 0)
        return l->segment;
      if (array->op == ACC_OP_SEG_NUMBERS)
        break;
      if (array->op == ACC_OP_BACKPERMUTE)
        return read_backpermute (l, node, ix, memo, leaf);
      return low_read (l, node->inputs[0], array->op == ACC_OP_SLICE ? index_of_slice (l, node, ix) : index_of_replicate (l, node, ix),
                       leaf);

    case ACC_FAMILY_STENCIL:
      for (i = 0; i < array->n_inputs; i++)
        low_bind_taps (l, memo->frame, function->params[i], node, i, ix);
      return low_expr (l, memo->frame, function->body, leaf);

    case ACC_FAMILY_FOLD:
      if (acc_fusion_graph_get_fold_form (l->fusion->graph, node) == ACC_FOLD_SHORT)
        {
          read_fold (l, node, ix, memo);
          return memo->leaves[leaf];
        }
      break;

    case ACC_FAMILY_LEAF:
    case ACC_FAMILY_FLOW:
    case ACC_FAMILY_FOLD_SEG:
    case ACC_FAMILY_SCAN:
    case ACC_FAMILY_SCAN_SEG:
    case ACC_FAMILY_PERMUTE:
    case ACC_FAMILY_SORT:
    case ACC_FAMILY_MATMUL:
    case ACC_FAMILY_FFT:
      break;
    }

  /* An anchor, which the skeleton should have made known. */
  l->failed = TRUE;
  return (KValue) { 0 };
}

static KValue
read_memo (AccLower       *l,
           AccFusionNode  *node,
           const AccIndex *ix,
           AccMemo        *memo,
           guint           leaf)
{
  if (memo->leaves[leaf].id == 0)
    {
      KValue value = compute (l, node, ix, memo, leaf);

      if (memo->leaves[leaf].id == 0)
        low_keep (l, &memo->leaves[leaf], value);
    }

  return memo->leaves[leaf];
}

KValue
low_read (AccLower       *l,
          AccFusionNode  *node,
          const AccIndex *ix,
          guint           leaf)
{
  AccMemo *memo;

  /* Where another element's is asked for, numbers are in memory. */
  if (node->segments != NULL && l->segment.id != 0 && node->segments == l->step->cluster->offsets && (ix->is_own || !node->is_value))
    return l->segment;

  /* Computed here besides, at the same index. */
  if (node->is_value && node->home == l->step->cluster)
    return low_compute (l, node, ix, leaf);

  memo = low_memo (l, node, NULL, ix->at, ix->rank, count_leaves (node));
  if (memo->leaves[leaf].id == 0 && node->is_value)
    low_keep (l, &memo->leaves[leaf], load (l, node, ix, leaf));

  return read_memo (l, node, ix, memo, leaf);
}

KValue
low_compute (AccLower       *l,
             AccFusionNode  *node,
             const AccIndex *ix,
             guint           leaf)
{
  return read_memo (l, node, ix, low_memo (l, node, &compute_tag, ix->at, ix->rank, count_leaves (node)), leaf);
}

void
low_know (AccLower       *l,
          AccFusionNode  *node,
          const AccIndex *ix,
          const KValue   *leaves)
{
  /* A root is computed, an inlined anchor is read. */
  AccMemo *memo = low_memo (l, node, node->is_value ? &compute_tag : NULL, ix->at, ix->rank, count_leaves (node));

  for (guint i = 0; i < count_leaves (node); i++)
    low_keep (l, &memo->leaves[i], leaves[i]);
}

void
low_prefetch (AccLower       *l,
              const AccIndex *ix,
              gint64          least)
{
  GArray *roots = l->step->cluster->roots;

  l->prefetch_bytes = least;
  for (guint i = 0; i < roots->len; i++)
    {
      AccFusionNode *node = g_array_index (roots, AccRoot, i).node;

      for (guint leaf = 0; leaf < count_leaves (node); leaf++)
        low_compute (l, node, ix, leaf);
    }
  l->prefetch_bytes = 0;
}
