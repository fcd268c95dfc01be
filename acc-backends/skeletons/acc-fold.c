/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "acc-skeletons.h"

#include <string.h>

#include "acc-backends/fuse/acc-function-facts.h"

/* What folds and scans share: functions that make one element of two, and their leaves. */

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

  if (primitive == ACC_PRIM_MUL)
    return kb_int (l->b, kind, 1);
  if (primitive == ACC_PRIM_BAND)
    return kb_int (l->b, kind, (gint64) ones);
  if (primitive == ACC_PRIM_MIN)
    return kb_int (l->b, kind, (gint64) (is_signed ? ones >> 1 : ones));
  if (primitive == ACC_PRIM_MAX && is_signed)
    return kb_int (l->b, kind, (gint64) (G_MAXUINT64 << (bits - 1)));

  return kb_int (l->b, kind, 0);
}

void
acc_fold_set_prefetch (AccFold *self,
                       gint64   n,
                       gint64   far_bytes)
{
  self->ahead = acc_skeleton_prefetches (self->step, far_bytes) ? n : 0;
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
      self->rounds |= !acc_element_type_is_exact (anchor->array->type);
      self->has_extremes |= acc_function_is_extreme (anchor->array->functions[0]);
    }
  self->lane_scratch = g_new0 (guint, self->n_leaves + 1);
  self->part_scratch = g_new0 (guint, self->n_leaves + 1);
  acc_fold_set_prefetch (self, ACC_SKELETON_AHEAD, ACC_SKELETON_FAR_BYTES);

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

guint *
acc_fold_add_scratch (AccFold *self,
                      gint64   n)
{
  guint *scratch = g_new0 (guint, self->n_leaves + 1);

  for (guint i = 0; i < self->n_leaves; i++)
    scratch[i] = acc_step_add_scratch (self->step, acc_fold_get_kind (self, i), n);

  return scratch;
}

void
acc_fold_load (AccFold     *self,
               AccLower    *l,
               const guint *scratch,
               KValue       at,
               KValue      *values)
{
  for (guint i = 0; i < self->n_leaves; i++)
    values[i] = kb_load (l->b, low_scratch (l, scratch[i], acc_fold_get_kind (self, i)), at);
}

void
acc_fold_store (AccFold      *self,
                AccLower     *l,
                const guint  *scratch,
                KValue        at,
                const KValue *values)
{
  for (guint i = 0; i < self->n_leaves; i++)
    kb_store (l->b, low_scratch (l, scratch[i], acc_fold_get_kind (self, i)), at, values[i]);
}

void
acc_fold_add_parts (AccFold *self,
                    gint64   n_parts)
{
  g_free (self->part_scratch);
  self->part_scratch = acc_fold_add_scratch (self, n_parts);
}

KValue *
acc_fold_new_values (AccFold  *self,
                     AccLower *l)
{
  return low_alloc (l, (self->n_leaves + 1) * sizeof (KValue));
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
acc_fold_store_vars (AccFold     *self,
                     AccLower    *l,
                     const guint *scratch,
                     KValue       at,
                     const KVar  *vars)
{
  KValue *values = acc_fold_new_values (self, l);

  acc_fold_get_vars (self, l, vars, values);
  acc_fold_store (self, l, scratch, at, values);
}

void
acc_fold_append (AccFold      *self,
                 AccLower     *l,
                 const KVar   *vars,
                 const KValue *more)
{
  KValue *sum = acc_fold_new_values (self, l);

  acc_fold_get_vars (self, l, vars, sum);
  acc_fold_combine (self, l, sum, more, sum);
  acc_fold_set_vars (self, l, vars, sum);
}

void
acc_fold_append_or_start (AccFold      *self,
                          AccLower     *l,
                          const KVar   *vars,
                          KVar          is_there,
                          const KValue *more)
{
  low_if (l, kb_get (l->b, is_there))
    {
      acc_fold_append (self, l, vars, more);
    }
  low_else (l)
    {
      acc_fold_set_vars (self, l, vars, more);
      kb_set (l->b, is_there, kb_int (l->b, ACC_KIND_BOOL, 1));
    }
}

void
acc_fold_prepend (AccFold      *self,
                  AccLower     *l,
                  const KVar   *vars,
                  const KValue *front)
{
  KValue *sum = acc_fold_new_values (self, l);

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

AccIndex *
acc_fold_read (AccFold        *self,
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
  if (self->by_columns)
    low_index_lose_rows (l, ix, get_anchor (self, 0), "reads a row for an element of each of its own");
  ix->is_column = self->by_columns;
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
  low_store_beside (l, acc_fold_read (self, l, space, outer, inner, result));
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
  KValue *values = acc_fold_new_values (self, l);
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
  acc_fold_load (self, l, self->part_scratch, part, result);
}

void
acc_fold_store_part (AccFold      *self,
                     AccLower     *l,
                     KValue        part,
                     const KValue *values)
{
  acc_fold_store (self, l, self->part_scratch, part, values);
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
