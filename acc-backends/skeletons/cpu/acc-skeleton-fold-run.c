/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "acc-backends/skeletons/acc-skeletons.h"

#include <string.h>

#include "acc-backends/fuse/acc-function-facts.h"

/* What folds and scans share: many elements into one. */

/* Short runs are folded by a fourth of the lanes. */
#define SHORT_DIVISOR 4

/* Elements that are combined before they come to the others, where that is cheaper. */
#define TOGETHER 8
#define TOGETHER_AHEAD_BYTES 2048  /* between blocks of these so much is done that processors do not look ahead to the next one but one */
#define MAX_TOGETHER_COST 128   /* rough operations of what is written out for each */

static AccFusionNode *
get_anchor (AccFold *self,
            guint    i)
{
  return g_ptr_array_index (self->anchors, i);
}

static guint
count_leaves (AccFusionNode *node)
{
  return acc_element_type_get_n_leaves (node->array->type);
}

gboolean
acc_skeleton_has_neutral (AccFunction  *function,
                          AccPrimitive *primitives)
{
  AccElementType *type = function->body->type;

  if (!acc_function_get_reductions (function, primitives))
    return FALSE;

  for (guint i = 0; i < acc_element_type_get_n_leaves (type); i++)
    if (acc_element_kind_is_float (acc_element_type_get_leaf (type, i)) && primitives[i] != ACC_PRIM_ADD && primitives[i] != ACC_PRIM_MUL)
      return FALSE;

  return TRUE;
}

KValue
acc_skeleton_get_neutral (AccLower      *l,
                          AccElementKind kind,
                          AccPrimitive   primitive)
{
  gsize bits = kind == ACC_KIND_BOOL ? 1 : acc_element_kind_get_size (kind) * 8;
  gboolean is_signed = acc_element_kind_is_signed (kind);
  guint64 ones = G_MAXUINT64 >> (64 - bits);

  /* -0 + x is x, whatever the sign of a zero. */
  if (acc_element_kind_is_float (kind))
    return kb_float (l->b, kind, primitive == ACC_PRIM_MUL ? 1 : -0.0);

  switch ((int) primitive)
    {
    case ACC_PRIM_MUL:
      return kb_int (l->b, kind, 1);
    case ACC_PRIM_BAND:
      return kb_int (l->b, kind, (gint64) ones);
    case ACC_PRIM_MIN:
      return kb_int (l->b, kind, (gint64) (is_signed ? ones >> 1 : ones));
    case ACC_PRIM_MAX:
      return kb_int (l->b, kind, is_signed ? (gint64) (G_MAXUINT64 << (bits - 1)) : 0);
    case ACC_PRIM_ADD:
    case ACC_PRIM_BOR:
    case ACC_PRIM_BXOR:
    default:
      return kb_int (l->b, kind, 0);
    }
}

void
acc_fold_set_ahead (AccFold *self,
                    gint64   n,
                    gint64   far_bytes)
{
  self->ahead = acc_skeleton_asks_ahead (self->step, far_bytes) ? n : 0;
  self->far_bytes = far_bytes;
}

AccFold *
acc_fold_new (AccStep *step)
{
  AccFold *self = g_new0 (AccFold, 1);

  self->step = step;
  self->lanes = 256;
  self->commutative = TRUE;
  self->anchors = g_ptr_array_new ();
  for (guint i = 0; i < step->cluster->anchors->len; i++)
    {
      AccFusionNode *anchor = g_ptr_array_index (step->cluster->anchors, i);

      if (anchor->array->op != ACC_OP_PERMUTE)
        g_ptr_array_add (self->anchors, anchor);
    }
  for (guint i = 0; i < self->anchors->len; i++)
    {
      AccFusionNode *anchor = get_anchor (self, i);

      self->n_leaves += count_leaves (anchor);
      self->lanes = MIN (self->lanes, acc_fold_get_lanes (anchor->array->type));
      self->commutative &= acc_function_is_commutative (anchor->array->functions[0]);
      self->has_extremes |= acc_function_is_extreme (anchor->array->functions[0]);
    }
  self->lane_scratch = g_new0 (guint, self->n_leaves + 1);
  self->part_scratch = g_new0 (guint, self->n_leaves + 1);
  acc_fold_set_ahead (self, ACC_SKELETON_AHEAD, ACC_SKELETON_FAR_BYTES);

  return self;
}

void
acc_fold_free (AccFold *self)
{
  g_ptr_array_unref (self->anchors);
  g_free (self->lane_scratch);
  g_free (self->part_scratch);
  g_free (self);
}

AccElementKind
acc_fold_get_kind (AccFold *self,
                   guint    leaf)
{
  guint i = 0;

  while (leaf >= count_leaves (get_anchor (self, i)))
    leaf -= count_leaves (get_anchor (self, i++));

  return acc_element_type_get_leaf (get_anchor (self, i)->array->type, leaf);
}

void
acc_fold_add_lanes (AccFold *self,
                    gint64   n_regions)
{
  for (guint i = 0; i < self->n_leaves; i++)
    self->lane_scratch[i] = acc_step_add_scratch (self->step, acc_fold_get_kind (self, i), n_regions * self->lanes);
}

/* The region of each is its tile. */
void
acc_fold_add_lanes_of_tiles (AccFold *self,
                             gint64   n_tiles)
{
  for (guint i = 0; i < self->n_leaves; i++)
    self->lane_scratch[i] = acc_step_add_tile_scratch (self->step, acc_fold_get_kind (self, i), self->lanes, n_tiles);
}

void
acc_fold_add_parts (AccFold *self,
                    gint64   n_parts)
{
  for (guint i = 0; i < self->n_leaves; i++)
    self->part_scratch[i] = acc_step_add_scratch (self->step, acc_fold_get_kind (self, i), n_parts);
}

KVar *
acc_fold_new_vars (AccFold      *self,
                   AccLower     *l,
                   const KValue *initial)
{
  KVar *vars = low_alloc (l, (self->n_leaves + 1) * sizeof (KVar));

  for (guint i = 0; i < self->n_leaves; i++)
    vars[i] = kb_var (l->b, initial != NULL ? initial[i] : low_zero (l, acc_fold_get_kind (self, i)));

  return vars;
}

void
acc_fold_get_vars (AccFold    *self,
                   AccLower   *l,
                   const KVar *vars,
                   KValue     *values)
{
  for (guint i = 0; i < self->n_leaves; i++)
    values[i] = kb_get (l->b, vars[i]);
}

void
acc_fold_set_vars (AccFold      *self,
                   AccLower     *l,
                   const KVar   *vars,
                   const KValue *values)
{
  for (guint i = 0; i < self->n_leaves; i++)
    kb_set (l->b, vars[i], values[i]);
}

void
acc_fold_append (AccFold      *self,
                 AccLower     *l,
                 const KVar   *vars,
                 const KValue *more)
{
  KValue *sum = low_alloc (l, (self->n_leaves + 1) * sizeof (KValue));

  acc_fold_get_vars (self, l, vars, sum);
  acc_fold_combine (self, l, sum, more, sum);
  acc_fold_set_vars (self, l, vars, sum);
}

void
acc_fold_prepend (AccFold      *self,
                  AccLower     *l,
                  const KVar   *vars,
                  const KValue *front)
{
  KValue *sum = low_alloc (l, (self->n_leaves + 1) * sizeof (KValue));

  acc_fold_get_vars (self, l, vars, sum);
  acc_fold_combine (self, l, front, sum, sum);
  acc_fold_set_vars (self, l, vars, sum);
}

void
acc_fold_prepend_if (AccFold      *self,
                     AccLower     *l,
                     const KVar   *vars,
                     KValue        condition,
                     const KValue *front)
{
  low_if (l, condition)
    {
      acc_fold_prepend (self, l, vars, front);
    }
}

/* Its index. */
static AccIndex *
read_element (AccFold        *self,
              AccLower       *l,
              const AccSpace *space,
              KValue          outer,
              KValue          inner,
              KValue         *result)
{
  AccIndex *ix = low_index_of_space (l, space, outer, inner);
  guint next = 0;

  if (self->reads_all_rows)
    low_index_lose_rows (l, ix, get_anchor (self, 0), "reads rows as segments lie");
  for (guint i = 0; i < self->anchors->len; i++)
    {
      AccFusionNode *anchor = get_anchor (self, i);

      for (guint leaf = 0; leaf < count_leaves (anchor); leaf++)
        result[next++] = low_read (l, anchor->inputs[0], ix, leaf);
    }

  return ix;
}

void
acc_fold_element (AccFold        *self,
                  AccLower       *l,
                  const AccSpace *space,
                  KValue          outer,
                  KValue          inner,
                  KValue         *result)
{
  low_store_beside (l, read_element (self, l, space, outer, inner, result));
}

void
acc_fold_combine (AccFold      *self,
                  AccLower     *l,
                  const KValue *x,
                  const KValue *y,
                  KValue       *result)
{
  guint next = 0;

  for (guint i = 0; i < self->anchors->len; i++)
    {
      AccFusionNode *anchor = get_anchor (self, i);

      low_apply2 (l, anchor, anchor->array->functions[0], x + next, y + next, result + next);
      next += count_leaves (anchor);
    }
}

KValue *
acc_fold_new_neutral (AccFold  *self,
                      AccLower *l)
{
  KValue *values = low_alloc (l, (self->n_leaves + 1) * sizeof (KValue));
  guint next = 0;

  for (guint i = 0; i < self->anchors->len; i++)
    {
      AccFusionNode *anchor = get_anchor (self, i);
      guint n = count_leaves (anchor);
      g_autofree AccPrimitive *primitives = g_new0 (AccPrimitive, n + 1);

      if (!acc_skeleton_has_neutral (anchor->array->functions[0], primitives))
        return NULL;
      for (guint k = 0; k < n; k++, next++)
        values[next] = acc_skeleton_get_neutral (l, acc_fold_get_kind (self, next), primitives[k]);
    }

  return values;
}

void
acc_fold_load_part (AccFold  *self,
                    AccLower *l,
                    KValue    part,
                    KValue   *result)
{
  for (guint i = 0; i < self->n_leaves; i++)
    result[i] = kb_load (l->b, low_scratch (l, self->part_scratch[i], acc_fold_get_kind (self, i)), part);
}

void
acc_fold_store_part (AccFold      *self,
                     AccLower     *l,
                     KValue        part,
                     const KValue *values)
{
  for (guint i = 0; i < self->n_leaves; i++)
    kb_store (l->b, low_scratch (l, self->part_scratch[i], acc_fold_get_kind (self, i)), part, values[i]);
}

static void
load_lane (AccFold  *self,
           AccLower *l,
           KValue    lane,
           KValue   *result)
{
  for (guint i = 0; i < self->n_leaves; i++)
    result[i] = kb_load (l->b, low_scratch (l, self->lane_scratch[i], acc_fold_get_kind (self, i)), lane);
}

static void
store_lane (AccFold      *self,
            AccLower     *l,
            KValue        lane,
            const KValue *values)
{
  for (guint i = 0; i < self->n_leaves; i++)
    kb_store (l->b, low_scratch (l, self->lane_scratch[i], acc_fold_get_kind (self, i)), lane, values[i]);
}

/* Whether elements are known in part, as the ones of a count are: they are combined among each other first, where what is known
 * of them is known of pairs, fours and eights as well, and the operator is cheaper than it is for any two values. */
static gboolean
is_known_in_part (AccFold      *self,
                  AccLower     *l,
                  const KValue *element)
{
  for (guint i = 0; i < self->n_leaves; i++)
    if (kb_is_const (l->b, element[i]))
      return TRUE;

  return FALSE;
}

/* By halves: element @at, and those every @stride on, of @n. */
static void
combine_elements (AccFold        *self,
                  AccLower       *l,
                  const AccSpace *space,
                  KValue          outer,
                  KValue          at,
                  KValue          stride,
                  guint           n,
                  KValue         *result)
{
  KValue *more;

  if (n == 1)
    {
      acc_fold_element (self, l, space, outer, at, result);
      return;
    }
  more = low_alloc (l, (self->n_leaves + 1) * sizeof (KValue));
  combine_elements (self, l, space, outer, at, stride, n / 2, result);
  combine_elements (self, l, space, outer, kb_add (l->b, at, kb_mul (l->b, stride, low_const (l, n / 2))), stride, n / 2, more);
  acc_fold_combine (self, l, result, more, result);
}

/* Element @inner of a run; one that comes so much later is asked for. */
static void
take_element (AccFold        *self,
              AccLower       *l,
              const AccSpace *space,
              KValue          outer,
              KValue          inner,
              KValue         *result)
{
  AccKernelBuilder *b = l->b;

  if (self->ahead > 0 && space->inner >= 4 * self->ahead)
    {
      KValue end = self->reads_all_rows ? low_number (l, space->inner) : kb_inner_end (b);
      KValue later = kb_min (b, kb_add (b, inner, low_const (l, self->ahead)), kb_sub (b, end, low_const (l, 1)));

      l->asked_bytes = self->far_bytes;
      read_element (self, l, space, outer, later, result);
      l->asked_bytes = 0;
    }
  acc_fold_element (self, l, space, outer, inner, result);
}

/* Each lane takes every lanes-th element where the order does not matter, and a run of its own where it does. */
static void
fold_lanes (AccFold        *self,
            AccLower       *l,
            guint           n_lanes,
            const AccSpace *space,
            KValue          outer,
            KValue          begin,
            KValue          n_steps,
            KValue          base)
{
  AccKernelBuilder *b = l->b;
  KValue lanes = low_const (l, n_lanes);
  KValue *sum = low_alloc (l, (self->n_leaves + 1) * sizeof (KValue));
  KValue *element = low_alloc (l, (self->n_leaves + 1) * sizeof (KValue));

  kb_set_lanes (b, n_lanes);
  low_foreach (l, r, low_const (l, 0), lanes)
    {
      KValue stride = self->commutative ? lanes : low_const (l, 1), n_done = low_const (l, 1);
      KValue start = self->commutative ? kb_add (b, begin, r) : kb_add (b, begin, kb_mul (b, r, n_steps));
      KVar *vars;

      take_element (self, l, space, outer, start, element);
      vars = acc_fold_new_vars (self, l, element);
      if (self->step->cluster->cost <= MAX_TOGETHER_COST && is_known_in_part (self, l, element))
        {
          KValue n_together = low_const (l, TOGETHER), n_blocks = kb_udiv (b, kb_sub (b, n_steps, n_done), n_together);

          low_for (l, k, low_const (l, 0), n_blocks)
            {
              KValue first = kb_add (b, kb_mul (b, k, n_together), n_done);

              l->ahead = self->commutative ? TOGETHER_AHEAD_BYTES : 0;
              combine_elements (self, l, space, outer, kb_add (b, start, kb_mul (b, first, stride)), stride, TOGETHER, element);
              l->ahead = 0;
              acc_fold_append (self, l, vars, element);
            }
          n_done = kb_add (b, kb_mul (b, n_blocks, n_together), n_done);
        }
      low_for (l, k, n_done, n_steps)
        {
          take_element (self, l, space, outer, kb_add (b, start, kb_mul (b, k, stride)), element);
          acc_fold_append (self, l, vars, element);
        }
      acc_fold_get_vars (self, l, vars, sum);
      store_lane (self, l, kb_add (b, base, r), sum);
    }
  kb_set_lanes (b, 0);
}

/* By halves where the order does not matter, else one after the other. */
static void
combine_lanes (AccFold    *self,
               AccLower   *l,
               guint       n,
               KValue      base,
               const KVar *vars)
{
  AccKernelBuilder *b = l->b;
  KValue *sum = low_alloc (l, (self->n_leaves + 1) * sizeof (KValue));
  KValue *element = low_alloc (l, (self->n_leaves + 1) * sizeof (KValue));

  while (self->commutative && n > 1)
    {
      n /= 2;
      kb_set_lanes (b, n);
      low_foreach (l, r, low_const (l, 0), low_const (l, n))
        {
          load_lane (self, l, kb_add (b, base, r), sum);
          load_lane (self, l, kb_add (b, kb_add (b, base, r), kb_i64 (b, n)), element);
          acc_fold_combine (self, l, sum, element, sum);
          store_lane (self, l, kb_add (b, base, r), sum);
        }
    }
  kb_set_lanes (b, 0);

  load_lane (self, l, base, sum);
  acc_fold_set_vars (self, l, vars, sum);
  if (n == 1)
    return;
  low_for (l, r, low_const (l, 1), low_const (l, n))
    {
      load_lane (self, l, kb_add (b, base, r), element);
      acc_fold_append (self, l, vars, element);
    }
}

static void
fold_rest (AccFold        *self,
           AccLower       *l,
           const AccSpace *space,
           KValue          outer,
           KValue          begin,
           KValue          end,
           const KVar     *vars)
{
  KValue *element = low_alloc (l, (self->n_leaves + 1) * sizeof (KValue));

  low_for (l, i, begin, end)
    {
      take_element (self, l, space, outer, i, element);
      acc_fold_append (self, l, vars, element);
    }
}

static void
fold_in_order (AccFold        *self,
               AccLower       *l,
               const AccSpace *space,
               KValue          outer,
               KValue          begin,
               KValue          end,
               const KVar     *vars)
{
  KValue *first = low_alloc (l, (self->n_leaves + 1) * sizeof (KValue));

  take_element (self, l, space, outer, begin, first);
  acc_fold_set_vars (self, l, vars, first);
  fold_rest (self, l, space, outer, kb_add (l->b, begin, low_const (l, 1)), end, vars);
}

void
acc_fold_write_in_order (AccFold        *self,
                         AccLower       *l,
                         const AccSpace *space,
                         KValue          outer,
                         KValue          begin,
                         KValue          end,
                         KValue         *result)
{
  KVar *vars = acc_fold_new_vars (self, l, NULL);

  fold_in_order (self, l, space, outer, begin, end, vars);
  acc_fold_get_vars (self, l, vars, result);
}

/* By @n_lanes lanes where there are elements for two rounds of them, else by fewer. */
static void
fold_run (AccFold        *self,
          AccLower       *l,
          guint           n_lanes,
          const AccSpace *space,
          KValue          outer,
          KValue          begin,
          KValue          end,
          KValue          base,
          const KVar     *vars)
{
  AccKernelBuilder *b = l->b;
  KValue count = kb_sub (b, end, begin), lanes = low_const (l, n_lanes);

  low_if (l, kb_le (b, low_const (l, 2 * n_lanes), count))
    {
      KValue n_steps = kb_udiv (b, count, lanes);

      fold_lanes (self, l, n_lanes, space, outer, begin, n_steps, base);
      combine_lanes (self, l, n_lanes, base, vars);
      fold_rest (self, l, space, outer, kb_add (b, begin, kb_mul (b, n_steps, lanes)), end, vars);
    }
  low_else (l)
    {
      if (self->many_short_runs && n_lanes == self->lanes)
        fold_run (self, l, n_lanes / SHORT_DIVISOR, space, outer, begin, end, base, vars);
      else
        fold_in_order (self, l, space, outer, begin, end, vars);
    }
}

void
acc_fold_write_run (AccFold        *self,
                    AccLower       *l,
                    const AccSpace *space,
                    KValue          outer,
                    KValue          begin,
                    KValue          end,
                    KValue          region,
                    KValue         *result)
{
  KVar *vars = acc_fold_new_vars (self, l, NULL);

  fold_run (self, l, self->lanes, space, outer, begin, end, kb_mul (l->b, region, low_const (l, self->lanes)), vars);
  acc_fold_get_vars (self, l, vars, result);
}

KValue *
acc_fold_new_seed (AccFold  *self,
                   AccLower *l,
                   guint     i)
{
  AccFusionNode *anchor = get_anchor (self, i);
  AccArray *array = anchor->array;
  KValue *seed;

  if (array->n_functions < 2 || array->functions[1] == NULL)
    return NULL;

  seed = low_alloc (l, (count_leaves (anchor) + 1) * sizeof (KValue));
  low_apply0 (l, anchor, array->functions[1], seed);

  return seed;
}

void
acc_fold_know (AccFold        *self,
               AccLower       *l,
               const AccIndex *ix,
               const KValue   *values)
{
  guint next = 0;

  for (guint i = 0; i < self->anchors->len; i++)
    {
      AccFusionNode *anchor = get_anchor (self, i);
      guint n = count_leaves (anchor);
      KValue *known = acc_fold_new_seed (self, l, i);

      if (known == NULL)
        {
          known = low_alloc (l, (n + 1) * sizeof (KValue));
          if (values != NULL)
            memcpy (known, values + next, n * sizeof (KValue));
        }
      else if (values != NULL)
        {
          low_apply2 (l, anchor, anchor->array->functions[0], known, values + next, known);
        }
      low_know (l, anchor, ix, known);
      next += n;
    }
}
