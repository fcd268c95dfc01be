/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "acc-compile.h"

#include "acc-backends/ir/acc-kernel-private.h"

#include <string.h>

/* The way of a program through the compiler, pass by pass. ACC_DISABLE=NAME leaves out a pass with a name in brackets; ACC_DEBUG=fusion
 * shows what came of the graph, ACC_DEBUG=passes a kernel after each pass that changed it, ACC_DEBUG=kernels what it was emitted as.
 *
 * The graph, fuse/
 *   graph                    lists the nodes under the results, works out their extents, and finds what functions have in common
 *   cut        [fusion]      decides from the results up which nodes are stored and which inlined, and makes clusters: a kernel's work each
 *   order                    puts clusters behind those that they read
 *   merge      [merge]       makes one cluster of neighbours that read the same
 *
 * Every cluster, here
 *   reuse      [deduplicate] takes the kernels of a cluster that looks the same, in a schedule of the program before, too
 *   skeleton                 writes kernel IR: skeletons/ has the loops, for processors (cpu/) and groups of threads (simt/), lower/ the
 *                            elements in them, with common subexpressions found, constants folded and loads hoisted as it is built
 *
 * Every kernel, passes/: from kernel IR to kernel IR
 *   variables  [variables]   makes variables of loops that fit 4 bytes narrow, and decides comparisons with earlier indices
 *   contract   [contract]    makes fused products, with fast mathematics
 *   rows       [rows]        splits loops of lanes that divide their index into rows, in which the quotient is the same
 *   drop-unused              drops instructions whose values nobody uses
 *   straighten [straighten]  makes quotients and roots of f32 on devices without branches, where a block only computes
 *   legalise                 writes what compilers of devices get wrong in other instructions: narrow integers, zeros, signs
 *   reuse      [deduplicate] takes a kernel that was finished before
 *   verify                   refuses a kernel that is not well formed: a bug of a skeleton
 *   access                   narrows the flags of buffers to what is done with them
 *
 * Every schedule, runtime/run
 *   waves      [waves]       finds steps that run side by side
 *   bands      [chunking]    finds steps that run together, some rows at a time, in the caches
 *
 * Code, codegen/llvm for processors and CUDA, codegen/c for OpenCL and Vulkan
 *   lanes      [vectorise]   makes vectors of what neighbouring elements do, with masks
 *   uniform    [uniform]     makes versions of loop bodies for uniform and for divergent blocks of lanes
 *   outline    [outline]     makes functions of long, rarely executed code
 *   tables     [table-lookup] keeps small arrays in registers
 *   windows    [windows]     gathers eight bytes at once for lanes that go through bytes one by one
 *   masks      [wide-masks]  makes masks vectors on processors without predicates
 *   LLVM's own passes, or the compiler of the driver */

static gboolean
build (AccFusion        *self,
       AccDeduplicator  *deduplicator,
       AccFusionNode   **bases,
       guint             n_results,
       GError          **error)
{
  acc_deduplicator_begin (deduplicator, self);
  self->clusters = acc_fusion_graph_cut (self->graph, bases, n_results);
  self->steps = g_array_sized_new (FALSE, TRUE, sizeof (AccScheduleStep), self->clusters->len);
  self->values = g_array_sized_new (FALSE, TRUE, sizeof (AccScheduleValue), self->clusters->len);
  for (guint i = 0; i < self->clusters->len; i++)
    {
      AccCluster *cluster = g_ptr_array_index (self->clusters, i);

      if (g_cancellable_set_error_if_cancelled (g_cancellable_get_current (), error) ||
          !acc_compile_step (self, deduplicator, cluster, error))
        return FALSE;
    }

  return TRUE;
}

static void
dump_picture (const char *dot)
{
  g_autofree char *sum = g_compute_checksum_for_string (G_CHECKSUM_SHA256, dot, -1);
  g_autofree char *name = g_strdup_printf ("fusion-%.8s.dot", sum);

  _acc_dump_file (name, dot, strlen (dot));
}

AccSchedule *
acc_compile_finish (AccFusion      *self,
                    AccFusionNode **bases,
                    AccArray      **results,
                    guint           n_results,
                    AccArray      **bound,
                    guint           n_bound)
{
  AccSchedule *schedule = g_new0 (AccSchedule, 1);

  schedule->nodes = g_ptr_array_new_with_free_func (g_object_unref);
  for (guint i = 0; i < n_results; i++)
    g_ptr_array_add (schedule->nodes, g_object_ref (results[i]));
  for (guint i = 0; i < n_bound; i++)
    g_ptr_array_add (schedule->nodes, g_object_ref (bound[i]));
  schedule->n_results = n_results;
  schedule->results = g_new0 (guint, MAX (n_results, 1));
  schedule->result_shapes = g_new0 (AccShape *, MAX (n_results, 1));
  for (guint i = 0; i < n_results; i++)
    {
      AccFusionNode *node = acc_fusion_graph_get (self->graph, results[i]);

      schedule->results[i] = acc_fusion_get_value (self, bases[i]);
      schedule->result_shapes[i] = acc_shape_new (node->extents, node->rank);
    }
  schedule->data_extents = g_array_ref (self->graph->data_extents);
  schedule->asked_extents = g_hash_table_ref (self->graph->asked_extents);
  schedule->n_steps = self->steps->len;
  schedule->steps = (AccScheduleStep *) g_array_free (self->steps, FALSE);
  schedule->n_values = self->values->len;
  schedule->values = (AccScheduleValue *) g_array_free (self->values, FALSE);
  schedule->origins = self->origins;

  return schedule;
}

AccSchedule *
acc_schedule_new (const AccTarget *target,
                  AccDeduplicator *deduplicator,
                  AccArray       **results,
                  guint            n_results,
                  AccArray       **bound,
                  AccArray       **values,
                  guint            n_bound,
                  GError         **error)
{
  g_autoptr(AccDeduplicator) own = deduplicator == NULL ? acc_deduplicator_new () : NULL;
  AccDeduplicator *steps = own != NULL ? own : deduplicator;
  g_autoptr(AccFusionGraph) graph = acc_fusion_graph_new (target, acc_deduplicator_get_forms (steps), results, n_results, bound, values,
                                                          n_bound, error);
  g_autofree AccFusionNode **bases = g_new0 (AccFusionNode *, MAX (n_results, 1));
  g_autoptr(AccSchedule) schedule = NULL;
  AccFusion self = { .target = target, .graph = graph };
  gboolean ok;

  if (graph == NULL)
    return NULL;

  self.value_nodes = g_ptr_array_new ();
  self.origins = g_ptr_array_new ();
  self.origin_numbers = g_hash_table_new (NULL, NULL);

  for (guint i = 0; i < n_results; i++)
    bases[i] = acc_fusion_graph_strip (graph, acc_fusion_graph_get (graph, results[i]));

  ok = build (&self, steps, bases, n_results, error);

  schedule = acc_compile_finish (&self, bases, results, n_results, bound, n_bound);

  g_clear_pointer (&self.clusters, g_ptr_array_unref);
  g_ptr_array_unref (self.value_nodes);
  g_hash_table_unref (self.origin_numbers);

  if (!ok)
    return NULL;

  if (acc_debug_get_flags () & ACC_DEBUG_FUSION)
    {
      g_autofree char *text = acc_schedule_to_string (schedule), *dot = acc_schedule_to_dot (schedule);

      g_printerr ("%s", text);
      dump_picture (dot);
    }

  return g_steal_pointer (&schedule);
}
