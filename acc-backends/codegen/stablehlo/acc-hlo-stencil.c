/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "acc-hlo-array.h"

#include <string.h>

#include "acc-hlo-expr.h"
#include "acc-core/array/acc-boundary-private.h"

/* Stencils: each neighbour is a slice of the source, which is longer on all sides by what the boundary gives. */

typedef struct {
  AccFusionNode *source;
  AccBoundary   *boundary;
  gint64        *sizes;
  gint64        *padded;    /* extents */
  AccHloValue   *values;    /* of those, per leaf */
} Input;

/* Adds @margin on both sides of a dimension. */
static AccHloValue
extend (AccHlo          *self,
        AccBoundaryKind  boundary,
        AccHloValue      x,
        AccHloShape      from,
        guint            dimension,
        gint64           margin,
        AccElementKind   kind)
{
  gint64 n = from.extents[dimension];
  g_autoptr(GPtrArray) parts = g_ptr_array_new ();
  g_autoptr(GArray) lengths = g_array_new (FALSE, FALSE, sizeof (gint64));
  g_autofree gint64 *extents = g_memdup2 (from.extents, from.rank * sizeof (gint64));

  for (gint64 i = -margin; i < n + margin;)
    {
      gint64 begin = acc_boundary_fold_inside (boundary, i, n), length = 1;

      while (i + length < n + margin && acc_boundary_fold_inside (boundary, i + length, n) == begin + length)
        length++;
      g_ptr_array_add (parts, (gpointer) acc_hlo_slice_in (self, x, from, dimension, begin, length, kind));
      g_array_append_val (lengths, length);
      i += length;
    }
  extents[dimension] = n + 2 * margin;

  return acc_hlo_concatenate (self, (const AccHloValue *) parts->pdata, (const gint64 *) lengths->data, parts->len, dimension,
                              (AccHloShape) { from.rank, extents }, kind);
}

static void
pad_input (AccHlo        *self,
           AccFusionNode *node,
           guint          input,
           Input         *in)
{
  const AccStencilPayload *stencil = acc_array_get_stencil (node->array);
  AccFusionNode *source = node->inputs[input];
  guint n = acc_hlo_count_leaves (source), rank = source->rank;
  AccHloValue *values = acc_hlo_get_input (self, node, input);
  g_autofree gint64 *margins = g_new0 (gint64, rank + 1);
  g_autofree AccHloValue *outside = g_new0 (AccHloValue, n + 1);

  *in = (Input) { source, stencil->boundaries[input], stencil->sizes[input], g_memdup2 (source->extents, rank * sizeof (gint64)),
                  g_new (AccHloValue, n + 1) };
  for (guint d = 0; d < rank; d++)
    margins[d] = (in->sizes[d] - 1) / 2;

  if (in->boundary->kind == ACC_BOUNDARY_CONSTANT)
    acc_hlo_apply_closed (self, in->boundary->function, ACC_HLO_SCALAR, outside);
  for (guint i = 0; i < n; i++)
    {
      AccElementKind kind = acc_hlo_leaf (source, i);

      in->values[i] = values[i];
      if (in->boundary->kind == ACC_BOUNDARY_CONSTANT || in->boundary->kind == ACC_BOUNDARY_FUNCTION)
        {
          if (outside[i] == NULL)
            outside[i] = acc_hlo_integer (self, ACC_HLO_SCALAR, kind, 0);
          in->values[i] = acc_hlo_pad (self, values[i], acc_hlo_shape_of (source), margins, margins, outside[i], kind);
          continue;
        }
      memcpy (in->padded, source->extents, rank * sizeof (gint64));
      for (guint d = 0; d < rank; d++)
        {
          in->values[i] = extend (self, in->boundary->kind, in->values[i], (AccHloShape) { rank, in->padded }, d, margins[d], kind);
          in->padded[d] += 2 * margins[d];
        }
      /* Else compilers make a copy for each neighbour. */
      if (in->values[i] != values[i] && self->keeps_order && !self->is_export)
        in->values[i] = acc_hlo_unary (self, "optimization_barrier", in->values[i], (AccHloShape) { rank, in->padded }, kind);
    }
  for (guint d = 0; d < rank; d++)
    in->padded[d] = source->extents[d] + 2 * margins[d];
}

/* Where neighbours are outside of the source, and what the boundary's function gives there. */
static void
apply_boundary (AccHlo         *self,
                const Input    *in,
                const gint64   *offsets,
                AccHloShape     shape,
                AccHloValue    *cell,
                const gboolean *used)
{
  guint n = acc_hlo_count_leaves (in->source);
  g_autofree AccHloValue *index = acc_hlo_index_of (self, shape), *values = g_new (AccHloValue, n + 1);
  AccHloValue outside = NULL;
  const AccHloParam params[1] = { index };

  for (guint d = 0; d < shape.rank; d++)
    {
      AccHloValue end = acc_hlo_integer (self, shape, ACC_KIND_U64, in->source->extents[d]), is_out;

      index[d] = acc_hlo_binary (self, "add", index[d], acc_hlo_integer (self, shape, ACC_KIND_I64, offsets[d]), shape, ACC_KIND_I64);
      is_out = acc_hlo_bitcast (self, index[d], shape, ACC_KIND_I64, ACC_KIND_U64);
      is_out = acc_hlo_compare (self, "GE", is_out, end, shape, ACC_KIND_U64);
      outside = outside == NULL ? is_out : acc_hlo_binary (self, "or", outside, is_out, shape, ACC_KIND_BOOL);
    }
  acc_hlo_apply (self, in->boundary->function, params, shape, outside, values);
  for (guint i = 0; i < n; i++)
    if (used[i])
      cell[i] = acc_hlo_select (self, outside, values[i], cell[i], shape, acc_hlo_leaf (in->source, i));
}

/* Values of all neighbours of one input: leaves of the first, then those of the next. Owned. */
static AccHloValue *
find_cells (AccHlo        *self,
            AccFusionNode *node,
            guint          input)
{
  AccHloShape shape = acc_hlo_shape_of (node);
  guint n = acc_hlo_count_leaves (node->inputs[input]), rank = node->rank, n_cells = 1;
  g_autofree gint64 *begin = g_new0 (gint64, rank + 1), *offsets = g_new0 (gint64, rank + 1);
  g_autofree gboolean *used = NULL;
  AccHloValue *cells;
  Input in;

  pad_input (self, node, input, &in);
  for (guint d = 0; d < rank; d++)
    n_cells *= (guint) in.sizes[d];
  used = g_new0 (gboolean, n_cells * n + 1);
  cells = g_new0 (AccHloValue, n_cells * n + 1);
  acc_hlo_mark_used (node->array->functions[0], input, used);

  for (guint cell = 0; cell < n_cells; cell++)
    {
      guint rest = cell;
      gboolean is_used = FALSE, is_off = FALSE;

      for (guint d = rank; d-- > 0; rest /= (guint) in.sizes[d])
        {
          begin[d] = rest % (guint) in.sizes[d];
          offsets[d] = begin[d] - (in.sizes[d] - 1) / 2;
          is_off |= offsets[d] != 0;
        }
      for (guint i = 0; i < n; i++)
        if (used[cell * n + i])
          {
            is_used = TRUE;
            cells[cell * n + i] = acc_hlo_slice (self, in.values[i], (AccHloShape) { rank, in.padded }, begin, shape,
                                                 acc_hlo_leaf (in.source, i));
          }
      if (is_used && is_off && in.boundary->kind == ACC_BOUNDARY_FUNCTION)
        apply_boundary (self, &in, offsets, shape, cells + cell * n, used + cell * n);
    }
  g_free (in.padded);
  g_free (in.values);

  return cells;
}

void
acc_hlo_write_stencil (AccHlo        *self,
                       AccFusionNode *node,
                       AccHloValue   *results)
{
  AccHloParam params[2] = { NULL };

  for (guint i = 0; i < node->array->n_inputs; i++)
    params[i] = find_cells (self, node, i);
  acc_hlo_apply (self, node->array->functions[0], params, acc_hlo_shape_of (node), NULL, results);
  for (guint i = 0; i < node->array->n_inputs; i++)
    g_free (params[i]);
}
