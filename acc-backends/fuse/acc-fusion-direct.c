/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "acc-fusion-direct.h"

#include "acc-function-facts.h"
#include "acc-core/backend/acc-backend-private.h"
#include "acc-core/base/acc-ceil-div-private.h"

/* Operations in place of what they are composed of. */

/* For groups of threads: tiles of a product that are smaller than others are worth it where a factor has so many rows and columns and
 * the other has few, or where tiles are so many that they keep the device busy. */
#define SMALL_TILE     32
#define SHORTEST_SIDE  16
#define SHORTEST_DEPTH 8
#define SHORT_DEPTH    512

/* And of transforms: half of the longest row (acc-array-fft-direct.c) at a time. */
#define FFT_SHARED_BYTES (16 << 10)

/* Whether groups of threads multiply the matrices @left and @right, of which there may be several. */
static gboolean
is_for_groups (const AccTarget *target,
               AccFusionNode   *left,
               AccFusionNode   *right)
{
  gint64 m, n, k;
  double n_tiles;

  if (left->rank < 2 || right->rank < 2)
    return FALSE;

  m = left->extents[left->rank - 2];
  n = right->extents[right->rank - 1];
  k = left->extents[left->rank - 1];
  if (MIN (m, n) < SHORTEST_SIDE || k < SHORTEST_DEPTH)
    return FALSE;

  /* How many there are must not show in floats, which other operations group in the same way but round more often. */
  n_tiles = (double) acc_ceil_div (m, SMALL_TILE) * acc_ceil_div (n, SMALL_TILE);

  return k <= SHORT_DEPTH || left->rank > 2 || right->rank > 2 || n_tiles * 2 * ACC_PRODUCT_GROUPS_PER_PROCESSOR >= target->n_groups;
}

/* What the operation is that a node may be computed by, under its shape. */
static AccArray *
strip_direct (AccArray *direct)
{
  while (direct->op == ACC_OP_RESHAPE)
    direct = direct->inputs[0];

  return direct;
}

static gboolean
has_extents (AccArray *array, GHashTable *bound)
{
  g_autoptr(GPtrArray) reads = acc_array_list_extent_reads (array, bound);

  return reads == NULL;
}

/* Whether @array can be computed where those of @bound are given: what an operation of its own reads may be what nobody made ready, since
 * its composition does not need it. @reached gets what can be, and has what is known to. */
static gboolean
is_in_reach (AccArray *array, GHashTable *bound, GHashTable *reached)
{
  g_autoptr(GHashTable) seen = g_hash_table_new (NULL, NULL);
  g_autoptr(GPtrArray) stack = g_ptr_array_new ();
  GHashTableIter iter;
  gpointer node;

  g_ptr_array_add (stack, array);
  while (stack->len > 0)
    {
      AccArray *next = g_ptr_array_steal_index (stack, stack->len - 1), *dependence;

      if (g_hash_table_contains (bound, next) || g_hash_table_contains (reached, next) || !g_hash_table_add (seen, next))
        continue;
      if (next->op == ACC_OP_PARAMETER || acc_operation_get_family (next->op) == ACC_FAMILY_FLOW || !has_extents (next, bound))
        return FALSE;
      for (guint i = 0; (dependence = acc_array_nth_dependence (next, i)) != NULL; i++)
        g_ptr_array_add (stack, dependence);
    }

  g_hash_table_iter_init (&iter, seen);
  while (g_hash_table_iter_next (&iter, &node, NULL))
    g_hash_table_add (reached, node);

  return TRUE;
}

/* Whether modules have the operation for elements of its type. */
static gboolean
have_modules (AccFusionGraph *self,
              AccArray       *direct)
{
  AccOperation op = direct->op;
  AccElementKind kind = acc_element_type_get_leaf (direct->type, 0);

  if (op == ACC_OP_FFT)
    return !self->narrow_modules;
  if (op == ACC_OP_FOLD_SEG || op == ACC_OP_FOLD1_SEG || op == ACC_OP_SCANL1_SEG)
    return !(acc_disable_get_flags () & ACC_DISABLE_SEGMENTS);

  return op == ACC_OP_MATMUL && !(self->narrow_modules && (kind == ACC_KIND_I64 || kind == ACC_KIND_U64));
}

/* Beside rows of sources: whether it is computed whole, if it depends on none of them, since what it is composed of groups floats
 * otherwise. Where all is in memory, rows of that may be all that there is room for. */
static gboolean
stays_whole (AccFusionGraph *self,
             AccArray       *direct)
{
  return (direct->op == ACC_OP_FOLD_SEG || direct->op == ACC_OP_FOLD1_SEG || direct->op == ACC_OP_SCANL1_SEG)
         && !acc_element_type_is_exact (direct->type) && self->has_sources;
}

static gboolean
reads_source (AccFusionGraph *self,
              AccArray       *direct)
{
  AccArray *dependence;

  for (guint i = 0; (dependence = acc_array_nth_dependence (direct, i)) != NULL; i++)
    if (acc_fusion_graph_get (self, dependence)->from_source)
      return TRUE;

  return FALSE;
}

gboolean
acc_fusion_may_take_direct (AccFusionGraph *self,
                            AccArray       *array,
                            GHashTable     *numbers)
{
  AccArray *direct;
  AccOperation op;

  if (g_hash_table_contains (numbers, array))
    return FALSE;
  acc_array_work_out (array);
  if (array->direct == NULL)
    return FALSE;

  direct = strip_direct (array->direct);
  op = direct->op;
  if ((self->by_rows && !stays_whole (self, direct)) || !is_in_reach (array->direct, numbers, self->reached))
    return FALSE;
  if (self->for_modules)
    return have_modules (self, direct);
  if (op == ACC_OP_SEG_NUMBERS && (acc_disable_get_flags () & ACC_DISABLE_SEGMENTS))
    return FALSE;

  if (!self->for_groups)
    return op != ACC_OP_FFT;

  return op == ACC_OP_FFT || op == ACC_OP_MATMUL || op == ACC_OP_FOLD_SEG || op == ACC_OP_FOLD1_SEG || op == ACC_OP_SCANL1_SEG
         || op == ACC_OP_SEG_NUMBERS;
}

gboolean
acc_fusion_takes_direct (AccFusionGraph  *self,
                         const AccTarget *target,
                         AccArray        *array)
{
  AccArray **inputs = array->direct->inputs;
  AccOperation op = strip_direct (array->direct)->op;

  if (self->by_rows && reads_source (self, strip_direct (array->direct)))
    return FALSE;
  if (self->for_modules)
    return TRUE;
  if (op == ACC_OP_FFT)
    return target->shared_bytes >= FFT_SHARED_BYTES;
  if (op != ACC_OP_MATMUL)
    return TRUE;

  return !self->for_groups || is_for_groups (target, acc_fusion_graph_get (self, inputs[0]), acc_fusion_graph_get (self, inputs[1]));
}

gboolean
acc_fusion_read_sources (AccArray  **results,
                         guint       n_results,
                         GHashTable *numbers)
{
  g_autoptr(GPtrArray) nodes = acc_array_sort_known_nodes (results, n_results);

  for (guint i = 0; i < nodes->len; i++)
    {
      AccArray *node = g_ptr_array_index (nodes, i);

      if (node->op == ACC_OP_SOURCE && !g_hash_table_contains (numbers, node))
        return TRUE;
    }

  return FALSE;
}
