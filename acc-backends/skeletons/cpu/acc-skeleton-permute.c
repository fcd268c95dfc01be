/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "acc-backends/skeletons/acc-permute.h"

#include <string.h>

#include "acc-error.h"

/* Permutes:
 *
 *   at the start: root = defaults
 *   for i in source, in order:
 *     root[target[i]] = source[i] . root[target[i]]
 *
 * on one thread, as the order may show in the result. Other forms:
 *
 *   - large results: all threads, by buckets (acc-permute-spread.c);
 *   - targets from a scan, as in a filter: the scan's loop does it;
 *   - small results of a combining function: each tile of the source has a table, and tables are combined at the end, in order. If order
 *     changes nothing, as in counts, and the source is long, each worker has a table, which stays in its cache, and tiles may be small:
 *     acc-permute-tables.c. By rows, tiles that have tables go one after the other. */

/* Bytes of a result that fit the caches of the one thread that walks the source. */
#define MAX_NEAR      (8 << 20)

/* The result becomes a copy of the defaults, before the first row of the source where there is any. */
static void
write_defaults (AccPermute *self)
{
  AccLower *l = low_new (self->step, "permute_defaults");
  AccLaunch launch = acc_skeleton_launch (self->results, 1);

  low_for_units (l, u, self->results)
    {
      low_foreach (l, x, kb_inner_begin (l->b), kb_inner_end (l->b))
        {
          acc_permute_write_default (self, l, u, x);
        }
    }

  if (self->n_source > 0)
    {
      launch.rows = ACC_SPACE_FIRST;
      launch.serial = self->tables == NULL && self->node->size * acc_permute_count_bytes (self) <= MAX_NEAR;
    }
  low_finish (l, launch);
}

static void
combine_at (AccPermute     *self,
            AccLower       *l,
            const AccIndex *ix,
            KValue          target,
            gpointer        table)
{
  KValue *new_value = acc_permute_read (self, l, ix);

  if (self->tables == NULL)
    {
      acc_permute_combine (self, l, new_value, target, 0);
      return;
    }

  acc_permute_combine_in_tables (self, l, new_value, kb_add (l->b, *(KValue *) table, target));
}

void
acc_permute_write_element (AccPermute     *self,
                           AccLower       *l,
                           const AccIndex *ix,
                           KValue          table)
{
  acc_permute_visit (self, l, ix, TRUE, combine_at, &table);
}

/* A filter: a scan counts the elements that stay. Scalars of a packed type are not neighbours. */
gboolean
acc_permute_packs (AccPermute *self,
                   AccFold    *fold)
{
  return acc_array_get_permute (self->node->array)->fills && fold->anchors->len == 1 && self->targets->array->n_inputs == 2 &&
         self->targets->inputs[1] == g_ptr_array_index (fold->anchors, 0) &&
         acc_element_type_get_n_buffers (self->node->array->type) == self->n_leaves;
}

KValue
acc_permute_pack (AccPermute     *self,
                  AccLower       *l,
                  const AccIndex *ix,
                  KValue          first,
                  KValue          end)
{
  AccKernelBuilder *b = l->b;
  KVar *values = low_alloc (l, (self->n_leaves + 1) * sizeof (KVar));
  KValue stays = acc_permute_get_wanted (self, l, ix), n = kb_cast (b, ACC_KIND_I64, kb_prim (b, ACC_PRIM_POPCOUNT, kb_ballot (b, stays)));
  KValue next = kb_add (b, first, n), extent = low_number (l, self->node->size);

  for (guint i = 0; i < self->n_leaves; i++)
    values[i] = kb_var (b, low_zero (l, acc_permute_get_kind (self, i)));
  low_if (l, stays)
    {
      KValue *leaves = acc_permute_read (self, l, ix);

      for (guint i = 0; i < self->n_leaves; i++)
        kb_set (b, values[i], leaves[i]);
    }

  /* Flags that are computed twice may differ, where multiplications and additions are contracted. */
  if (l->checks)
    {
      KValue inside = kb_le (b, next, extent);

      kb_check (b, inside, ACC_ERROR_BOUNDS, acc_fusion_get_origin (l->fusion, self->node->array), kb_sub (b, next, low_const (l, 1)),
                extent);
      stays = kb_and (b, stays, inside);
    }
  for (guint i = 0; i < self->n_leaves; i++)
    {
      AccPlace place = acc_permute_get_result (self, l, i, first, 0);

      kb_pack (b, place.buffer, place.at, kb_get (b, values[i]), stays, end);
    }

  return next;
}

/* The elements of a round for table @way. The round begins with row number @first if ways are for rows, else with element @first. What is
 * the same for the elements of a row, such as their targets, is known to be. */
static AccIndex *
get_way_index (AccPermute *self,
               AccLower   *l,
               KValue      outer,
               KValue      first,
               guint       way)
{
  const AccSpace *space = self->space;
  KValue at = low_add (l, first, low_const (l, way / self->row));
  AccIndex *ix = low_index_of_space (l, space, outer, at);

  if (self->row > 1)
    {
      ix->at[space->rank - 2] = low_within (l, at, 0, space->inner / self->row - 1);
      ix->at[space->rank - 1] = low_const (l, way % self->row);
    }

  return ix;
}

/* Elements [@first, @end) of outer unit @u. */
static void
write_run (AccPermute *self,
           AccLower   *l,
           KValue      u,
           KValue      first,
           KValue      end,
           KValue      table)
{
  AccKernelBuilder *b = l->b;

  if (self->n_ways > 1)
    {
      KValue n_ways = low_const (l, self->n_ways), n_rounds = kb_udiv (b, kb_sub (b, end, first), n_ways);
      KValue first_row = low_udiv (l, first, self->row), n_rows = low_const (l, self->n_ways / self->row);

      low_for (l, k, low_const (l, 0), n_rounds)
        {
          for (guint way = 0; way < self->n_ways; way++)
            {
              KValue own = kb_add (b, table, kb_mul (b, low_const (l, way), low_number (l, self->node->size)));

              acc_permute_write_element (self, l, get_way_index (self, l, u, kb_add (b, first_row, kb_mul (b, k, n_rows)), way), own);
            }
        }
      first = kb_add (b, first, kb_mul (b, n_rounds, n_ways));
    }
  low_for (l, x, first, end)
    {
      acc_permute_write_element (self, l, low_index_of_space (l, self->space, u, x), table);
    }
}

/* Tile after tile, of which the first may have begun before, and the last end later. */
static void
write_in_turn (AccPermute *self,
               AccLower   *l)
{
  AccKernelBuilder *b = l->b;
  const AccSpace *space = self->space;
  KValue tile = low_number (l, self->tile), one = low_const (l, 1), begin = kb_inner_begin (b), end = kb_inner_end (b);

  low_for_units (l, u, space)
    {
      if (space->first_inner > 0)
        {
          write_run (self, l, u, begin, end, acc_permute_begin_tables (self, l, u));
          acc_permute_end_tables (self, l, kb_add (b, u, one), low_number (l, space->outer));
        }
      else
        low_for (l, t, kb_udiv (b, begin, tile), kb_udiv (b, kb_add (b, end, kb_sub (b, tile, one)), tile))
          {
            KValue first = kb_max (b, begin, kb_mul (b, t, tile)), last = kb_min (b, end, kb_mul (b, kb_add (b, t, one), tile));

            write_run (self, l, u, first, last, acc_permute_begin_tables (self, l, first));
            acc_permute_end_tables (self, l, last, low_number (l, space->inner));
          }
    }
}

static void
write_source (AccPermute *self)
{
  AccLower *l = low_new (self->step, "permute");
  AccKernelBuilder *b = l->b;
  const AccSpace *space = self->space;
  gboolean inner = space->first_inner == 0;
  AccLaunch launch = acc_skeleton_launch (space, 2 + self->step->cluster->cost);
  KValue table = low_const (l, 0);

  if (self->in_turn)
    write_in_turn (self, l);
  else
    {
      if (self->tables != NULL)
        table = acc_permute_begin_tables (self, l, inner ? kb_inner_begin (b) : kb_outer_begin (b));
      low_for_units (l, u, space)
        {
          write_run (self, l, u, kb_inner_begin (b), kb_inner_end (b), table);
        }
    }

  if (self->by_workers)
    {
      launch.multiple = inner ? self->row : 1;
      launch.tile_inner = inner ? 0 : space->inner;
    }
  else if (self->tables != NULL && !self->in_turn)
    {
      launch.tile_outer = inner ? 1 : self->tile;
      launch.tile_inner = inner ? self->tile : space->inner;
    }
  else
    {
      launch.serial = TRUE;
    }
  low_finish (l, launch);
}

void
acc_skeleton_permute (AccStep *step)
{
  AccFusionGraph *graph = step->fusion->graph;
  AccRoot *root = &g_array_index (step->cluster->roots, AccRoot, 0);
  AccArray *array = root->node->array;
  g_autoptr(AccSpace) space = acc_space_new_for_consumed (graph, step->cluster, FALSE);
  g_autoptr(AccSpace) results = acc_space_new_for_roots (graph, step->cluster);
  guint n_leaves = acc_element_type_get_n_leaves (array->type);
  g_autofree AccPrimitive *primitives = g_new0 (AccPrimitive, n_leaves + 1);
  AccPermute self = {
    step, root->node, root->node->inputs[0], root->node->inputs[1], root->node->inputs[2],
    space, results, root, n_leaves, space->outer * space->inner, primitives, .n_ways = 1, .row = 1,
  };

  step->reduces = self.n_source > 0;
  step->n_rows = self.n_source > 0 ? space->n_rows : results->n_rows;

  if (acc_skeleton_is_simt (step))
    {
      acc_skeleton_permute_simt (&self);
      return;
    }

  if (self.n_source == 0)
    {
      if (n_leaves > 0 && results->outer > 0 && results->inner > 0)
        write_defaults (&self);
      return;
    }

  if (step->cluster->anchors->len > 1)
    {
      if (n_leaves > 0)
        {
          if (!acc_array_get_permute (self.node->array)->fills)
            write_defaults (&self);
          acc_skeleton_scan_permute (&self);
        }
      return;
    }

  if (n_leaves > 0)
    acc_permute_choose_tables (&self);
  if (self.tables == NULL && n_leaves > 0 && acc_permute_spread (&self))
    return;

  if (n_leaves > 0 && !acc_array_get_permute (self.node->array)->fills)
    write_defaults (&self);
  if (self.by_workers)
    acc_permute_clear_tables (&self);
  write_source (&self);
  if (self.tables != NULL && !self.in_turn)
    acc_permute_join_tables (&self);
  g_free (self.tables);
  g_free (self.table_kinds);
}
