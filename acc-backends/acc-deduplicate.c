/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "acc-deduplicate.h"

#include "acc-backends/lower/acc-lower.h"
#include "acc-core/base/acc-numbers-private.h"
#include "acc-core/base/acc-words-private.h"
#include "acc-backends/ir/acc-kernel-private.h"

#include <string.h>

/* The form of a cluster: all that skeletons look at when they write its step, as words, with nodes numbered in the order of first use. Data
 * and names are not part of it. */

/* A step written out. Nodes are told by their numbers in the form. */
typedef struct {
  AccWords        words;
  AccScheduleStep step;        /* what it holds is the schedule's, but for its kernels */
  guint           n_reads;
  guint          *reads;
  guint           n_values;
  guint          *values;      /* of slots, launch by launch */
  guint           n_origins;
  guint          *origins;
} Written;

/* From so many steps on those that no schedule took since go. */
#define MANY_STEPS 64

struct _AccDeduplicator {
  AccFunctionForms *forms;
  AccFusion        *fusion;
  GHashTable       *written;   /* Written */
  GHashTable       *older;     /* those that were not taken any more since .written was begun */

  /* The form at hand. */
  AccWords    words;
  GPtrArray  *nodes;         /* AccFusionNode, by number */
  AccNumbers  node_numbers;
  gboolean    has_label;
};

static void
written_free (gpointer data)
{
  Written *self = data;

  for (guint i = 0; i < self->step.n_launches; i++)
    {
      acc_kernel_unref (self->step.launches[i].kernel);
      g_free (self->step.launches[i].slots);
    }
  g_free (self->step.launches);
  g_free (self->step.scratch);
  g_free (self->step.row_reads);
  g_free (self->step.row_error);
  g_free (self->reads);
  g_free (self->values);
  g_free (self->origins);
  g_free (self->words.words);
  g_free (self);
}

static GHashTable *
new_table (void)
{
  return g_hash_table_new_full (acc_words_hash, acc_words_equal, written_free, NULL);
}

AccDeduplicator *
acc_deduplicator_new (void)
{
  AccDeduplicator *self = g_new0 (AccDeduplicator, 1);

  self->forms = acc_function_forms_new ();
  self->written = new_table ();
  self->older = new_table ();
  self->nodes = g_ptr_array_new ();

  return self;
}

void
acc_deduplicator_free (AccDeduplicator *self)
{
  acc_function_forms_unref (self->forms);
  g_hash_table_unref (self->written);
  g_hash_table_unref (self->older);
  g_free (self->words.words);
  g_ptr_array_unref (self->nodes);
  acc_numbers_free (&self->node_numbers);
  g_free (self);
}

void
acc_deduplicator_begin (AccDeduplicator *self,
                        AccFusion       *fusion)
{
  self->fusion = fusion;
  if (g_hash_table_size (self->written) < MANY_STEPS)
    return;

  g_hash_table_unref (self->older);
  self->older = g_steal_pointer (&self->written);
  self->written = new_table ();
}

AccFunctionForms *
acc_deduplicator_get_forms (AccDeduplicator *self)
{
  return self->forms;
}

/* --- forms */

static void
put (AccDeduplicator *self,
     guint64          word)
{
  acc_words_put (&self->words, word);
}

static void
put_number (AccDeduplicator *self,
            double           number)
{
  guint64 bits;

  memcpy (&bits, &number, sizeof bits);
  put (self, bits);
}

static void
put_numbers (AccDeduplicator *self,
             const gint64    *numbers,
             guint            n)
{
  for (guint i = 0; i < n; i++)
    put (self, (guint64) numbers[i]);
}

/* Its number; a node that is new will be looked at. */
static void
put_node (AccDeduplicator *self,
          AccFusionNode   *node)
{
  guint number;

  if (acc_numbers_add (&self->node_numbers, node, &number))
    g_ptr_array_add (self->nodes, node);
  put (self, number);
}

static void
put_function (AccDeduplicator *self,
              AccFunction     *function)
{
  AccFusionGraph *graph = self->fusion->graph;

  if (function == NULL)
    {
      put (self, G_MAXUINT64);
      return;
    }

  put (self, acc_function_forms_get_number (graph->forms, function));
  for (guint i = 0; i < function->arrays->len; i++)
    put_node (self, acc_fusion_graph_get (graph, g_ptr_array_index (function->arrays, i)));
}

/* How it is computed. */
static void
put_operation (AccDeduplicator *self,
               AccFusionNode   *node,
               gboolean         is_root)
{
  AccArray *array = node->array;
  g_autoptr(GArray) payload = g_array_new (FALSE, FALSE, sizeof (gint64));
  AccFunction *function;

  self->has_label |= array->label != NULL;
  put (self, (guint64) array->n_functions | (guint64) array->n_inputs << 32);
  put_number (self, is_root ? 0 : MIN (node->cost, LOW_SELECT_LIMIT + 1));
  for (guint i = 0; i < array->n_inputs; i++)
    put_node (self, node->inputs[i]);
  for (guint i = 0; (function = acc_array_nth_function (array, i)) != NULL; i++)
    put_function (self, function);
  acc_array_list_payload (array, payload);
  put (self, payload->len);
  put_numbers (self, (const gint64 *) payload->data, payload->len);
}

static void
write_form (AccDeduplicator *self,
            AccCluster      *cluster,
            gboolean         once)
{
  self->words.n = 0;
  g_ptr_array_set_size (self->nodes, 0);
  acc_numbers_clear (&self->node_numbers);
  self->has_label = FALSE;

  put (self, (guint64) self->fusion->target->by_rows | (guint64) self->fusion->target->fast_math << 1);
  put (self, (guint64) cluster->kind | (guint64) once << 8 | (guint64) cluster->from_source << 9
             | (guint64) (cluster->offsets != NULL) << 10 | (guint64) cluster->rank << 32);
  put (self, (guint64) cluster->roots->len | (guint64) cluster->anchors->len << 32);
  put_number (self, cluster->cost);
  for (guint i = 0; i < cluster->roots->len; i++)
    put_node (self, g_array_index (cluster->roots, AccRoot, i).node);
  for (guint i = 0; i < cluster->anchors->len; i++)
    put_node (self, g_ptr_array_index (cluster->anchors, i));
  if (cluster->consumed != NULL)
    put_node (self, cluster->consumed);
  if (cluster->offsets != NULL)
    put_node (self, cluster->offsets);

  /* The list grows. */
  for (guint i = 0; i < self->nodes->len; i++)
    {
      AccFusionNode *node = g_ptr_array_index (self->nodes, i);
      gboolean is_root = i < cluster->roots->len;
      gboolean beside = is_root && g_array_index (cluster->roots, AccRoot, i).beside;

      put (self, (guint64) node->array->op | (guint64) node->rank << 16 | (guint64) node->is_value << 48 |
                   (guint64) node->from_source << 49 | (guint64) (node->bound >= 0) << 50 | (guint64) beside << 51
           | (guint64) (node->segments != NULL && node->segments == cluster->offsets) << 52
           | (guint64) node->access << 56);
      put (self, GPOINTER_TO_SIZE (node->array->type));
      put_numbers (self, node->extents, node->rank);
      if (is_root || !node->is_value)
        put_operation (self, node, is_root);
    }
  acc_words_close (&self->words);
}

/* --- what is taken */

static AccLaunch *
copy_launches (AccScheduleStep *step)
{
  AccLaunch *launches = g_memdup2 (step->launches, step->n_launches * sizeof (AccLaunch));

  for (guint i = 0; i < step->n_launches; i++)
    {
      acc_kernel_ref (launches[i].kernel);
      launches[i].slots = g_memdup2 (launches[i].slots, launches[i].n_slots * sizeof (AccSlot));
    }

  return launches;
}

/* What was written for the form at hand; NULL: nothing. */
static Written *
look_up (AccDeduplicator *self)
{
  Written *written = g_hash_table_lookup (self->written, &self->words);

  if (written == NULL && (written = g_hash_table_lookup (self->older, &self->words)) != NULL)
    {
      g_hash_table_steal (self->older, written);
      g_hash_table_add (self->written, written);
    }

  return written;
}

static guint
get_value (AccDeduplicator *self,
           guint            number)
{
  return acc_fusion_get_value (self->fusion, g_ptr_array_index (self->nodes, number));
}

gboolean
acc_deduplicator_take (AccDeduplicator *self,
                       AccCluster      *cluster,
                       gboolean         once,
                       AccScheduleStep *step)
{
  Written *written;
  guint n_slots = 0;

  write_form (self, cluster, once);
  written = look_up (self);
  if (written == NULL)
    return FALSE;

  step->n_rows = written->step.n_rows;
  step->quantum = written->step.quantum;
  step->reduces = written->step.reduces;
  step->combine_per_band = written->step.combine_per_band;
  step->round_rows = written->step.round_rows;
  step->row_error = g_strdup (written->step.row_error);
  step->n_scratch = written->step.n_scratch;
  step->scratch = g_memdup2 (written->step.scratch, step->n_scratch * sizeof (AccScratch));

  step->n_reads = written->n_reads;
  step->reads = g_new0 (guint, MAX (step->n_reads, 1));
  step->row_reads = g_new0 (AccRowRead, MAX (step->n_reads, 1));
  for (guint i = 0; i < step->n_reads; i++)
    {
      step->reads[i] = get_value (self, written->reads[i]);
      step->row_reads[i] = written->step.row_reads[i];
      step->row_reads[i].value = step->reads[i];
    }

  step->n_launches = written->step.n_launches;
  step->launches = copy_launches (&written->step);
  for (guint i = 0; i < step->n_launches; i++)
    {
      step->launches[i].first_origin = self->fusion->first_origin;
      for (guint k = 0; k < step->launches[i].n_slots; k++)
        if (step->launches[i].slots[k].kind == ACC_SLOT_BUFFER)
          step->launches[i].slots[k].value = get_value (self, written->values[n_slots++]);
    }
  for (guint i = 0; i < written->n_origins; i++)
    g_ptr_array_add (self->fusion->origins, ((AccFusionNode *) g_ptr_array_index (self->nodes, written->origins[i]))->array);

  return TRUE;
}

/* --- what is given */

/* Adds the number of the node to @numbers, where it has one. */
static gboolean
add_number (AccDeduplicator *self,
            GArray          *numbers,
            AccFusionNode   *node)
{
  guint number;

  if (!acc_numbers_lookup (&self->node_numbers, node, &number))
    return FALSE;
  g_array_append_val (numbers, number);

  return TRUE;
}

void
acc_deduplicator_give (AccDeduplicator *self,
                       AccScheduleStep *step,
                       guint            first_origin)
{
  AccFusion *fusion = self->fusion;
  g_autoptr(GArray) reads = g_array_new (FALSE, FALSE, sizeof (guint));
  g_autoptr(GArray) values = g_array_new (FALSE, FALSE, sizeof (guint));
  g_autoptr(GArray) origins = g_array_new (FALSE, FALSE, sizeof (guint));
  gboolean fits = TRUE;
  Written *written;

  /* What would be called by another one's name. */
  fits &= step->row_error == NULL || !self->has_label;
  for (guint i = 0; i < step->n_reads; i++)
    fits &= add_number (self, reads, g_ptr_array_index (fusion->value_nodes, step->reads[i]));
  for (guint i = 0; i < step->n_launches; i++)
    {
      const AccLaunch *launch = &step->launches[i];

      fits &= fusion->target->model == ACC_MODEL_CPU || !_acc_kernel_may_fail (launch->kernel);
      for (guint k = 0; k < launch->n_slots; k++)
        if (launch->slots[k].kind == ACC_SLOT_BUFFER)
          fits &= add_number (self, values, g_ptr_array_index (fusion->value_nodes, launch->slots[k].value));
    }
  for (guint i = first_origin; i < fusion->origins->len && fusion->target->model == ACC_MODEL_CPU; i++)
    fits &= add_number (self, origins, acc_fusion_graph_get (fusion->graph, g_ptr_array_index (fusion->origins, i)));
  if (!fits)
    return;

  written = g_new0 (Written, 1);
  written->words = acc_words_dup (&self->words);
  written->step = *step;
  written->step.launches = copy_launches (step);
  written->step.scratch = g_memdup2 (step->scratch, step->n_scratch * sizeof (AccScratch));
  written->step.row_reads = g_memdup2 (step->row_reads, MAX (step->n_reads, 1) * sizeof (AccRowRead));
  written->step.row_error = g_strdup (step->row_error);
  written->n_reads = reads->len;
  written->reads = (guint *) g_array_free (g_steal_pointer (&reads), FALSE);
  written->n_values = values->len;
  written->values = (guint *) g_array_free (g_steal_pointer (&values), FALSE);
  written->n_origins = origins->len;
  written->origins = (guint *) g_array_free (g_steal_pointer (&origins), FALSE);
  g_hash_table_add (self->written, written);
}
