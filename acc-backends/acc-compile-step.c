/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "acc-compile.h"

#include "acc-backends/fuse/acc-fusion-cost.h"
#include "acc-backends/skeletons/acc-skeletons.h"

/* Results from which non-temporal stores pay, where nothing reads them soon. */
#define LARGE_RESULT (32 << 20)

/* Operations that a step is called by. */
#define MAX_NAMED 4

AccScheduleValue *
acc_fusion_peek_value (AccFusion *self,
                       guint      value)
{
  return &g_array_index (self->values, AccScheduleValue, value);
}

static guint
add_value (AccFusion     *self,
           AccValueRole   role,
           AccFusionNode *node)
{
  AccScheduleValue value = {
    .role = role,
    .array = node->array,
    .type = node->array->type,
    .rank = node->rank,
    .extents = g_memdup2 (node->extents, MAX (node->rank, 1) * sizeof (gint64)),
    .position = MAX (node->bound, 0),
    .stored = node->stored,
    .cost = node->cost,
    .visits = node->visits,
    .store = acc_fusion_cost_store (node),
  };

  g_array_append_val (self->values, value);
  g_ptr_array_add (self->value_nodes, node);

  return self->values->len - 1;
}

guint
acc_fusion_get_value (AccFusion     *self,
                      AccFusionNode *node)
{
  if (node->value < 0)
    {
      AccValueRole role = node->bound >= 0 ? ACC_VALUE_ARGUMENT
                          : node->array->op == ACC_OP_USE ? ACC_VALUE_MANIFEST
                          : node->array->op == ACC_OP_SOURCE ? ACC_VALUE_SOURCE : ACC_VALUE_COMPUTED;

      node->value = add_value (self, role, node);
    }

  return node->value;
}

guint
acc_fusion_get_origin (AccFusion *self,
                       AccArray  *array)
{
  gpointer number;

  if (!g_hash_table_lookup_extended (self->origin_numbers, array, NULL, &number))
    {
      number = GUINT_TO_POINTER (self->origins->len - self->first_origin);
      g_ptr_array_add (self->origins, array);
      g_hash_table_insert (self->origin_numbers, array, number);
    }

  return GPOINTER_TO_UINT (number);
}

static guint
add_scratch (AccStep   *self,
             AccScratch scratch)
{
  g_array_append_val (self->scratch, scratch);

  return self->scratch->len - 1;
}

guint
acc_step_add_scratch (AccStep       *self,
                      AccElementKind kind,
                      gint64         n)
{
  return add_scratch (self, (AccScratch) { .bytes = MAX (n, 1) * acc_element_kind_get_size (kind) });
}

guint
acc_step_add_round_scratch (AccStep       *self,
                            AccElementKind kind,
                            gint64         n,
                            gint64         n_more)
{
  gsize size = acc_element_kind_get_size (kind), row_bytes = n * size;

  return add_scratch (self, (AccScratch) { .bytes = self->round_rows * row_bytes + n_more * size, .row_bytes = row_bytes });
}

guint
acc_step_add_tile_scratch (AccStep       *self,
                           AccElementKind kind,
                           gint64         n,
                           gint64         n_tiles)
{
  gsize bytes = MAX (n, 1) * acc_element_kind_get_size (kind);

  return add_scratch (self, (AccScratch) { .bytes = MAX (n_tiles, 1) * bytes, .tile_bytes = bytes });
}

void
acc_step_repeat_launch (AccStep *self,
                        guint    launch)
{
  AccLaunch again = g_array_index (self->launches, AccLaunch, launch);

  acc_kernel_ref (again.kernel);
  again.slots = g_memdup2 (again.slots, again.n_slots * sizeof (AccSlot));
  g_array_append_val (self->launches, again);
}

/* --- one step */

static char *
name_step (AccCluster *cluster)
{
  char *parts[MAX_NAMED + 2] = { NULL }, *name;
  guint n = 0;

  for (guint i = 0; i < cluster->anchors->len && n <= MAX_NAMED; i++)
    parts[n++] = acc_array_describe (((AccFusionNode *) g_ptr_array_index (cluster->anchors, i))->array);
  for (guint i = 0; i < cluster->roots->len && n <= MAX_NAMED; i++)
    {
      AccFusionNode *root = g_array_index (cluster->roots, AccRoot, i).node;

      if (!acc_cluster_has_anchor (cluster, root))
        parts[n++] = acc_array_describe (root->array);
    }
  if (n == 1)
    return parts[0];

  if (n > MAX_NAMED)
    {
      g_free (parts[MAX_NAMED]);
      parts[MAX_NAMED] = g_strdup ("…");
    }
  name = g_strjoinv (" + ", parts);
  for (guint i = 0; i < n; i++)
    g_free (parts[i]);

  return name;
}

static gboolean
is_large_result (AccFusion  *self,
                 AccCluster *cluster)
{
  if (self->graph->has_sources)
    return FALSE;

  for (guint i = 0; i < cluster->roots->len; i++)
    {
      AccFusionNode *node = g_array_index (cluster->roots, AccRoot, i).node;

      if (node->size * (gint64) acc_element_type_get_size (node->array->type) < LARGE_RESULT || node->read_by != NULL)
        return FALSE;
    }

  return TRUE;
}

static void
read_clear (gpointer data)
{
  g_free (((AccStepRead *) data)->row_error);
}

/* Inputs that no kernel reads, for lack of elements, say, count as read nevertheless. */
static void
add_missing_reads (AccStep *step)
{
  guint n_found = step->reads->len;

  for (guint i = 0; i < step->cluster->reads->len; i++)
    {
      AccFusionNode *node = g_ptr_array_index (step->cluster->reads, i);
      gboolean found = FALSE;

      for (guint k = 0; k < n_found && !found; k++)
        found = (int) g_array_index (step->reads, AccStepRead, k).value == node->value;
      if (!found)
        g_array_append_vals (step->reads, &(AccStepRead) { .value = acc_fusion_get_value (step->fusion, node) }, 1);
    }
}

static void
set_row_reads (AccFusion       *self,
               AccStep         *step,
               AccScheduleStep *result)
{
  result->n_reads = step->reads->len;
  result->reads = g_new0 (guint, MAX (result->n_reads, 1));
  result->row_reads = g_new0 (AccRowRead, MAX (result->n_reads, 1));

  for (guint i = 0; i < step->reads->len; i++)
    {
      AccStepRead *read = &g_array_index (step->reads, AccStepRead, i);
      AccFusionNode *node = g_ptr_array_index (self->value_nodes, read->value);
      gint64 n_rows = node->rank > 0 ? node->extents[0] : 1;

      result->reads[i] = read->value;
      result->row_reads[i] = (AccRowRead) { read->value, MIN (read->above, n_rows), MIN (read->below, n_rows) };
      if (read->row_error != NULL)
        {
          result->row_reads[i].above = result->row_reads[i].below = n_rows;
          if (node->from_source && result->row_error == NULL)
            result->row_error = g_strdup (read->row_error);
        }
    }
}

/* A run by rows knows steps that give rows, and those that reduce them, but none that does both; and none that gives no row before it
 * has seen all, as a sort of one row does. */
static void
refuse_rows (AccCluster      *cluster,
             AccScheduleStep *result)
{
  for (guint i = 0; i < result->n_launches && !result->reduces && result->row_error == NULL; i++)
    if (result->launches[i].rows == ACC_SPACE_WHOLE)
      {
        g_autofree char *what = acc_array_describe (((AccRoot *) cluster->roots->data)->node->array);

        result->row_error = g_strdup_printf ("%s gives no row before it has seen all", what);
      }

  for (guint i = 0; i < cluster->roots->len && result->reduces && result->row_error == NULL; i++)
    {
      AccRoot *root = &g_array_index (cluster->roots, AccRoot, i);

      if (root->beside)
        {
          g_autofree char *what = acc_array_describe (root->node->array);

          result->row_error = g_strdup_printf ("%s is stored as it is folded", what);
        }
    }
}

/* Fills in what @result has of the kernels of @cluster. */
static gboolean
write_step (AccFusion       *self,
            AccCluster      *cluster,
            gboolean         once,
            AccScheduleStep *result,
            GError         **error)
{
  AccStep step = {
    .fusion = self,
    .cluster = cluster,
    .reads = g_array_new (FALSE, TRUE, sizeof (AccStepRead)),
    .scratch = g_array_new (FALSE, TRUE, sizeof (AccScratch)),
    .launches = g_array_new (FALSE, TRUE, sizeof (AccLaunch)),
    .once = once,
  };

  g_array_set_clear_func (step.reads, read_clear);
  switch (cluster->kind)
    {
    case ACC_CLUSTER_FOLD:
      acc_skeleton_fold (&step);
      break;
    case ACC_CLUSTER_FOLD_COLUMNS:
      acc_skeleton_fold_columns (&step);
      break;
    case ACC_CLUSTER_FOLD_ALL:
      acc_skeleton_fold_all (&step);
      break;
    case ACC_CLUSTER_FOLD_SEG:
      acc_skeleton_fold_segments (&step);
      break;
    case ACC_CLUSTER_MATMUL:
      acc_skeleton_matmul (&step);
      break;
    case ACC_CLUSTER_FFT:
      acc_skeleton_fft_simt (&step);
      break;
    case ACC_CLUSTER_SCAN_SEG:
      acc_skeleton_scan_segments (&step);
      break;
    case ACC_CLUSTER_SCAN:
      acc_skeleton_scan (&step);
      break;
    case ACC_CLUSTER_PERMUTE:
      acc_skeleton_permute (&step);
      break;
    case ACC_CLUSTER_SORT:
      acc_skeleton_sort (&step);
      break;
    case ACC_CLUSTER_MAP:
    default:
      acc_skeleton_map (&step);
      break;
    }

  add_missing_reads (&step);
  set_row_reads (self, &step, result);
  result->n_rows = step.n_rows;
  result->quantum = step.quantum;
  result->reduces = step.reduces;
  result->combine_per_band = step.combine_per_band;
  result->round_rows = step.round_rows;
  result->n_launches = step.launches->len;
  result->launches = (AccLaunch *) g_array_free (step.launches, FALSE);
  result->n_scratch = step.scratch->len;
  result->scratch = (AccScratch *) g_array_free (step.scratch, FALSE);
  refuse_rows (cluster, result);
  g_array_unref (step.reads);

  if (step.error != NULL)
    {
      g_propagate_error (error, step.error);
      return FALSE;
    }

  return TRUE;
}

gboolean
acc_compile_step (AccFusion        *self,
                  AccDeduplicator  *deduplicator,
                  AccCluster       *cluster,
                  GError          **error)
{
  AccScheduleStep result = { .n_writes = cluster->roots->len };
  gboolean once = is_large_result (self, cluster), deduplicates = !(acc_disable_get_flags () & ACC_DISABLE_DEDUPLICATE), ok = TRUE;
  guint first_origin = self->origins->len;

  /* Where the runtime knows which launch failed, origins count from the step on, so that the same work elsewhere is the same kernel. */
  if (self->target->model == ACC_MODEL_CPU)
    {
      self->first_origin = first_origin;
      g_hash_table_remove_all (self->origin_numbers);
    }

  result.array = g_array_index (cluster->roots, AccRoot, 0).node->array;
  result.name = name_step (cluster);
  result.writes = g_new0 (guint, cluster->roots->len);
  for (guint i = 0; i < cluster->roots->len; i++)
    {
      AccRoot *root = &g_array_index (cluster->roots, AccRoot, i);

      root->value = acc_fusion_get_value (self, root->node);
      result.writes[i] = root->value;
    }

  if (!deduplicates || !acc_deduplicator_take (deduplicator, cluster, once, &result))
    {
      ok = write_step (self, cluster, once, &result, error);
      if (ok && deduplicates)
        acc_deduplicator_give (deduplicator, &result, first_origin);
    }
  g_array_append_val (self->steps, result);

  return ok;
}
