/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "acc-hlo-text.h"

#include "acc-hlo-range.h"

/* Operations that give tensors of other shapes. */

static gboolean
is_same (AccHloShape a,
         AccHloShape b)
{
  if (a.rank != b.rank)
    return FALSE;
  for (guint d = 0; d < a.rank; d++)
    if (a.extents[d] != b.extents[d])
      return FALSE;

  return TRUE;
}

AccHloValue
acc_hlo_reshape (AccHlo         *self,
                 AccHloValue     x,
                 AccHloShape     from,
                 AccHloShape     to,
                 AccElementKind  kind)
{
  if (is_same (from, to))
    return x;

  return acc_hlo_emit (self, "stablehlo.reshape %s : (%s) -> %s", x, acc_hlo_type (self, from, kind), acc_hlo_type (self, to, kind));
}

AccHloValue
acc_hlo_broadcast (AccHlo         *self,
                   AccHloValue     x,
                   AccHloShape     from,
                   const gint64   *dimensions,
                   AccHloShape     to,
                   AccElementKind  kind)
{
  g_autofree char *list = acc_hlo_join (dimensions, from.rank);
  AccHloValue result;

  if (is_same (from, to))
    return x;

  result = acc_hlo_emit (self, "stablehlo.broadcast_in_dim %s, dims = [%s] : (%s) -> %s", x, list, acc_hlo_type (self, from, kind),
                         acc_hlo_type (self, to, kind));
  acc_hlo_keep_range (self, x, result, kind);

  return result;
}

AccHloValue
acc_hlo_transpose (AccHlo         *self,
                   AccHloValue     x,
                   AccHloShape     from,
                   const gint64   *order,
                   AccHloShape     to,
                   AccElementKind  kind)
{
  g_autofree char *list = acc_hlo_join (order, from.rank);

  return acc_hlo_emit (self, "stablehlo.transpose %s, dims = [%s] : (%s) -> %s", x, list, acc_hlo_type (self, from, kind),
                       acc_hlo_type (self, to, kind));
}

AccHloValue
acc_hlo_spread (AccHlo         *self,
                AccHloValue     x,
                AccHloShape     to,
                AccElementKind  kind)
{
  return acc_hlo_broadcast (self, x, ACC_HLO_SCALAR, NULL, to, kind);
}

AccHloValue
acc_hlo_slice (AccHlo         *self,
               AccHloValue     x,
               AccHloShape     from,
               const gint64   *begin,
               AccHloShape     to,
               AccElementKind  kind)
{
  g_autoptr(GString) ranges = g_string_new (NULL);

  if (is_same (from, to))
    return x;

  for (guint d = 0; d < from.rank; d++)
    g_string_append_printf (ranges, "%s%" G_GINT64_FORMAT ":%" G_GINT64_FORMAT, d > 0 ? ", " : "", begin[d], begin[d] + to.extents[d]);

  return acc_hlo_emit (self, "stablehlo.slice %s [%s] : (%s) -> %s", x, ranges->str, acc_hlo_type (self, from, kind),
                       acc_hlo_type (self, to, kind));
}

AccHloValue
acc_hlo_slice_in (AccHlo         *self,
                  AccHloValue     x,
                  AccHloShape     from,
                  guint           dimension,
                  gint64          begin,
                  gint64          length,
                  AccElementKind  kind)
{
  g_autofree gint64 *begins = g_new0 (gint64, from.rank + 1), *extents = g_memdup2 (from.extents, from.rank * sizeof (gint64));

  begins[dimension] = begin;
  extents[dimension] = length;

  return acc_hlo_slice (self, x, from, begins, (AccHloShape) { from.rank, extents }, kind);
}

AccHloValue
acc_hlo_pad (AccHlo         *self,
             AccHloValue     x,
             AccHloShape     from,
             const gint64   *low,
             const gint64   *high,
             AccHloValue     fill,
             AccElementKind  kind)
{
  g_autofree gint64 *extents = g_new (gint64, from.rank + 1), *none = g_new0 (gint64, from.rank + 1);
  g_autofree char *lows = acc_hlo_join (low, from.rank), *highs = acc_hlo_join (high, from.rank), *nones = acc_hlo_join (none, from.rank);
  AccHloShape to = { from.rank, extents };

  for (guint d = 0; d < from.rank; d++)
    extents[d] = low[d] + from.extents[d] + high[d];
  if (is_same (from, to))
    return x;

  return acc_hlo_emit (self, "stablehlo.pad %s, %s, low = [%s], high = [%s], interior = [%s] : (%s, %s) -> %s", x, fill, lows, highs, nones,
                       acc_hlo_type (self, from, kind), acc_hlo_type (self, ACC_HLO_SCALAR, kind), acc_hlo_type (self, to, kind));
}

AccHloValue
acc_hlo_fit (AccHlo         *self,
             AccHloValue     x,
             AccHloShape     from,
             AccHloShape     to,
             AccElementKind  kind)
{
  g_autofree gint64 *extents = g_new (gint64, from.rank + 1), *none = g_new0 (gint64, from.rank + 1), *more = g_new (gint64, from.rank + 1);
  AccHloShape common = { from.rank, extents };

  for (guint d = 0; d < from.rank; d++)
    {
      extents[d] = MIN (from.extents[d], to.extents[d]);
      more[d] = to.extents[d] - extents[d];
    }
  x = acc_hlo_slice (self, x, from, none, common, kind);
  if (is_same (common, to))
    return x;

  return acc_hlo_pad (self, x, common, none, more, acc_hlo_integer (self, ACC_HLO_SCALAR, kind, 0), kind);
}

AccHloValue
acc_hlo_concatenate (AccHlo            *self,
                     const AccHloValue *parts,
                     const gint64      *lengths,
                     guint              n,
                     guint              dimension,
                     AccHloShape        shape,
                     AccElementKind     kind)
{
  g_autoptr(GString) values = g_string_new (NULL), types = g_string_new (NULL);
  g_autofree gint64 *extents = g_memdup2 (shape.extents, shape.rank * sizeof (gint64));

  if (n == 1)
    return parts[0];

  for (guint i = 0; i < n; i++)
    {
      extents[dimension] = lengths[i];
      g_string_append_printf (values, "%s%s", i > 0 ? ", " : "", parts[i]);
      g_string_append_printf (types, "%s%s", i > 0 ? ", " : "", acc_hlo_type (self, (AccHloShape) { shape.rank, extents }, kind));
    }

  return acc_hlo_emit (self, "stablehlo.concatenate %s, dim = %u : (%s) -> %s", values->str, dimension, types->str,
                       acc_hlo_type (self, shape, kind));
}

AccHloValue
acc_hlo_reduce_all (AccHlo         *self,
                    const char     *operation,
                    AccHloValue     x,
                    AccHloValue     initial,
                    AccHloShape     shape,
                    AccElementKind  kind)
{
  g_autofree gint64 *all = g_new (gint64, shape.rank + 1);
  g_autofree char *dimensions = NULL;
  const char *scalar = acc_hlo_type (self, ACC_HLO_SCALAR, kind);

  if (shape.rank == 0)
    return x;

  for (guint d = 0; d < shape.rank; d++)
    all[d] = d;
  dimensions = acc_hlo_join (all, shape.rank);

  return acc_hlo_emit (self, "stablehlo.reduce(%s init: %s) applies stablehlo.%s across dimensions = [%s] : (%s, %s) -> %s", x, initial,
                       operation, dimensions, acc_hlo_type (self, shape, kind), scalar, scalar);
}

AccHloValue
acc_hlo_any (AccHlo      *self,
             AccHloValue  x,
             AccHloShape  shape)
{
  AccHloValue none;

  if (shape.rank == 0)
    return x;

  none = acc_hlo_integer (self, ACC_HLO_SCALAR, ACC_KIND_BOOL, 0);

  return acc_hlo_reduce_all (self, "or", x, none, shape, ACC_KIND_BOOL);
}
