/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "acc-lower.h"

#include <string.h>

/* How far ahead of the last neighbour a stencil prefetches: some rows, which the second cache keeps. */
#define ROWS_AHEAD_BYTES (64 << 10)

/* Neighbours. Their offsets along the inner run and along the outer dimensions are mapped at the border as the stencil's
 * boundary says; the skeleton has split off where none is outside. */

typedef struct {
  AccLower       *l;
  AccFusionNode  *stencil;
  AccFusionNode  *source;
  AccBoundary    *boundary;
  const AccIndex *ix;
  AccIndex       *to;
  KValue         *raw;        /* of boundary functions: the index as it is */
  gboolean        anchored;   /* the skeleton has split off where all neighbours are inside */
  KValue          inside;     /* id 0: in all lanes */
} Tap;

static void
add_condition (Tap   *tap,
               KValue ok)
{
  tap->inside = tap->inside.id != 0 ? kb_and (tap->l->b, tap->inside, ok) : ok;
}

/* @mapped is inside [0, n). It may be @raw itself, whose range is not known to other uses: @at may be inside in some lanes only, namely
 * those that use the result. */
static KValue
bounded (AccLower *l,
         KValue    raw,
         KValue    mapped,
         gint64    n)
{
  return mapped.id == raw.id ? raw : low_within (l, mapped, 0, n - 1);
}

/* @at + @offset, brought inside [0, n). @at is inside. */
static KValue
map_inside (Tap   *tap,
            KValue at,
            gint64 offset,
            gint64 n)
{
  AccLower *l = tap->l;
  KValue raw = low_add (l, at, low_const (l, offset)), i = raw, last, extent, j;
  gint64 lo, hi;

  low_get_range (l, i, &lo, &hi);
  if (lo >= 0 && hi < n)
    return i;
  n = MAX (n, 1);
  switch (tap->boundary->kind)
    {
    case ACC_BOUNDARY_MIRROR:
      if (n == 1)
        return low_const (l, 0);
      if (ABS (offset) <= n - 1)
        i = offset < 0 ? low_prim2 (l, ACC_PRIM_MAX, i, low_sub (l, low_const (l, 0), i))
                       : low_prim2 (l, ACC_PRIM_MIN, i, low_sub (l, low_number (l, 2 * (n - 1)), i));
      else
        {
          j = low_prim2 (l, ACC_PRIM_MOD, i, low_number (l, 2 * (n - 1)));
          i = low_prim2 (l, ACC_PRIM_MIN, j, low_sub (l, low_number (l, 2 * (n - 1)), j));
        }
      return bounded (l, raw, i, n);

    case ACC_BOUNDARY_WRAP:
      extent = low_number (l, n);
      if (ABS (offset) > n)
        i = low_prim2 (l, ACC_PRIM_MOD, i, extent);
      else if (offset < 0)
        i = low_select (l, kb_lt (l->b, i, low_const (l, 0)), low_add (l, i, extent), i);
      else
        i = low_select (l, kb_lt (l->b, i, extent), i, low_sub (l, i, extent));
      return low_within (l, i, 0, n - 1);

    case ACC_BOUNDARY_CONSTANT:
    case ACC_BOUNDARY_FUNCTION:
      if (offset < 0)
        add_condition (tap, kb_le (l->b, low_const (l, 0), i));
      else
        add_condition (tap, kb_lt (l->b, i, low_number (l, n)));
      G_GNUC_FALLTHROUGH;

    case ACC_BOUNDARY_CLAMP:
    default:
      last = low_number (l, n - 1);
      j = offset < 0 ? low_prim2 (l, ACC_PRIM_MAX, i, low_const (l, 0)) : low_prim2 (l, ACC_PRIM_MIN, i, last);
      return bounded (l, raw, j, n);
    }
}

/* How far the rows that are read go beyond those that are computed. */
static void
note_rows (Tap   *tap,
           gint64 offset)
{
  switch (tap->boundary->kind)
    {
    case ACC_BOUNDARY_MIRROR:
      tap->to->above += ABS (offset);
      tap->to->below += ABS (offset);
      break;
    case ACC_BOUNDARY_WRAP:
      low_index_lose_rows (tap->l, tap->to, tap->stencil, "wraps in the streamed dimension, which needs its other end");
      break;
    case ACC_BOUNDARY_CLAMP:
    case ACC_BOUNDARY_CONSTANT:
    case ACC_BOUNDARY_FUNCTION:
    default:
      tap->to->above += MAX (-offset, 0);
      tap->to->below += MAX (offset, 0);
      break;
    }
}

/* A dimension that the skeleton itself loops over; or any, where the input is read in another order. */
static void
shift_alone (Tap   *tap,
             guint  d,
             gint64 offset)
{
  AccLower *l = tap->l;
  KValue at = low_index_component (l, tap->ix, tap->stencil->extents, d);

  tap->raw[d] = low_add (l, at, low_const (l, offset));
  if (l->outer_inside && tap->anchored)
    tap->to->at[d] = tap->raw[d];
  else
    tap->to->at[d] = map_inside (tap, at, offset, tap->source->extents[d]);
}

/* The head of the inner run, with which the dimensions behind it are counted together. */
static void
shift_inner (Tap   *tap,
             guint  d,
             gint64 offset)
{
  AccLower *l = tap->l;
  guint end = d;
  gint64 scale;
  KValue at;

  while (tap->to->at[end].id == 0)
    end++;
  scale = acc_extents_multiply (tap->source->extents, d + 1, end + 1);
  at = tap->to->at[end];
  if (l->inner_inside)
    {
      tap->to->at[end] = low_add (l, at, low_stride (l, offset * scale));
      if (tap->boundary->kind == ACC_BOUNDARY_FUNCTION)
        tap->raw[d] = low_add (l, low_index_component (l, tap->ix, tap->stencil->extents, d), low_const (l, offset));
      return;
    }

  tap->raw[d] = low_add (l, low_udiv (l, at, scale), low_const (l, offset));
  tap->to->at[end] =
    low_add (l, low_mul (l, map_inside (tap, low_udiv (l, at, scale), offset, tap->source->extents[d]), low_stride (l, scale)),
             low_urem (l, at, scale));
}

static KValue
read_outside (Tap  *tap,
              guint leaf)
{
  AccLower *l = tap->l;
  AccFunction *function = tap->boundary->function;
  AccFrame *frame = low_frame_new (l, tap->stencil);

  if (function->n_params > 0)
    low_bind_values (l, frame, function->params[0], tap->raw);

  return low_expr (l, frame, function->body, leaf);
}

static void
decode_offsets (AccFusionNode *stencil,
                guint          input,
                guint          tap,
                gint64        *offsets)
{
  for (guint d = stencil->rank; d-- > 0;)
    {
      gint64 size = acc_array_get_stencil (stencil->array)->sizes[input][d];

      offsets[d] = tap % size - size / 2;
      tap /= size;
    }
}

static gboolean
is_of_later_row (const gint64 *offsets,
                 guint         rank)
{
  for (guint d = 0; d + 1 < rank; d++)
    if (offsets[d] > 0)
      return TRUE;

  return FALSE;
}

KValue
low_tap (AccLower       *l,
         AccFusionNode  *stencil,
         guint           input,
         const AccIndex *ix,
         guint           leaf)
{
  AccFusionNode *source = stencil->inputs[input];
  guint n_leaves = acc_element_type_get_n_leaves (source->array->type);
  g_autofree gint64 *offsets = g_new (gint64, stencil->rank);
  Tap tap = { l, stencil, source, acc_array_get_stencil (stencil->array)->boundaries[input], ix };
  AccIndex *same = low_index_same (l, ix, stencil->extents, source);
  gint64 around = l->ahead;
  gboolean last;
  KValue value, outside;
  KVar var;

  decode_offsets (stencil, input, leaf / n_leaves, offsets);
  last = l->asks_for_rows && leaf / n_leaves == acc_fusion_graph_find_taps (l->fusion->graph, stencil, input).last;
  leaf %= n_leaves;

  tap.anchored = acc_cluster_has_anchor (l->step->cluster, stencil);
  tap.to = low_index_new (l, source->rank);
  memcpy (tap.to->at, same->at, source->rank * sizeof (KValue));
  for (guint d = 0; d < source->rank && !tap.anchored; d++)
    tap.to->at[d] = low_index_component (l, same, source->extents, d);
  tap.to->above = same->above;
  tap.to->below = same->below;
  tap.to->row_error = same->row_error;
  tap.raw = low_alloc (l, source->rank * sizeof (KValue));

  for (guint d = 0; d < source->rank; d++)
    {
      if (offsets[d] == 0)
        continue;
      if (d < l->first_inner || !tap.anchored)
        shift_alone (&tap, d, offsets[d]);
      else
        shift_inner (&tap, d, offsets[d]);
      if (d == 0)
        note_rows (&tap, offsets[d]);
    }

  if (tap.inside.id == 0)
    {
      l->ahead = last && (tap.anchored ? is_of_later_row (offsets, stencil->rank) : around != 0) ? ROWS_AHEAD_BYTES : 0;
      value = low_read (l, source, tap.to, leaf);
      l->ahead = around;
      return value;
    }

  if (tap.boundary->kind == ACC_BOUNDARY_CONSTANT)
    return low_select (l, tap.inside, low_read (l, source, tap.to, leaf), read_outside (&tap, leaf));

  for (guint d = 0; d < source->rank; d++)
    if (offsets[d] == 0)
      tap.raw[d] = low_index_component (l, ix, stencil->extents, d);
  var = kb_var (l->b, low_zero (l, acc_element_type_get_leaf (source->array->type, leaf)));
  low_if (l, tap.inside)
    {
      value = low_read (l, source, tap.to, leaf);
      kb_set (l->b, var, value);
    }
  low_else (l)
    {
      outside = read_outside (&tap, leaf);
      kb_set (l->b, var, outside);
    }

  return kb_get (l->b, var);
}

gboolean
low_tap_is_total (AccLower      *l,
                  AccFusionNode *stencil,
                  guint          input)
{
  return (l->inner_inside && l->outer_inside && acc_cluster_has_anchor (l->step->cluster, stencil)) ||
         acc_array_get_stencil (stencil->array)->boundaries[input]->kind != ACC_BOUNDARY_FUNCTION;
}

/* The mapped outer indices and the addresses of their rows: uniform, but written where they are first used. */
void
low_prepare_taps (AccLower       *l,
                  const AccIndex *ix)
{
  GPtrArray *anchors = l->step->cluster->anchors;

  for (guint a = 0; a < anchors->len; a++)
    {
      AccFusionNode *stencil = g_ptr_array_index (anchors, a);

      for (guint i = 0; i < stencil->array->n_inputs; i++)
        {
          AccFusionNode *source = stencil->inputs[i];
          Tap tap = { l, stencil, source, acc_array_get_stencil (stencil->array)->boundaries[i], ix, .anchored = TRUE };

          tap.to = low_index_new (l, source->rank);
          tap.raw = low_alloc (l, source->rank * sizeof (KValue));
          for (guint d = 0; d < l->first_inner; d++)
            for (gint64 k = -(acc_array_get_stencil (stencil->array)->sizes[i][d] / 2); k
                 <= acc_array_get_stencil (stencil->array)->sizes[i][d] / 2; k++)
              if (k != 0)
                {
                  shift_alone (&tap, d, k);
                  if (source->is_value)
                    low_mul (l, tap.to->at[d],
                             low_stride (l, acc_extents_multiply (source->extents, d + 1, source->rank)));
                }
        }
    }
}
