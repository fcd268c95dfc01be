/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "acc-hlo-array.h"

#include "acc-hlo-expr.h"

/* What writers of operations share. */

AccHloValue *
acc_hlo_get_input (AccHlo        *self,
                   AccFusionNode *node,
                   guint          input)
{
  return g_hash_table_lookup (self->values, node->inputs[input]);
}

AccHloValue *
acc_hlo_crop_input (AccHlo        *self,
                    AccFusionNode *node,
                    guint          input,
                    AccHloShape    to)
{
  AccFusionNode *from = node->inputs[input];
  AccHloValue *values = acc_hlo_get_input (self, node, input);
  guint n = acc_hlo_count_leaves (from);
  AccHloValue *cropped = g_new (AccHloValue, n + 1);

  for (guint i = 0; i < n; i++)
    cropped[i] = acc_hlo_fit (self, values[i], acc_hlo_shape_of (from), to, acc_hlo_leaf (from, i));

  return cropped;
}

AccHloValue *
acc_hlo_index_of (AccHlo      *self,
                  AccHloShape  shape)
{
  AccHloValue *index = g_new (AccHloValue, shape.rank + 1);

  for (guint d = 0; d < shape.rank; d++)
    index[d] = acc_hlo_iota (self, shape, d, ACC_KIND_I64);

  return index;
}

/* --- operators */

void
acc_hlo_combine (AccHlo               *self,
                 const AccHloOperator *operator,
                 const AccHloValue    *x,
                 const AccHloValue    *y,
                 AccHloShape           shape,
                 AccHloValue           mask,
                 AccHloValue          *results)
{
  g_autofree AccHloValue *values = g_new (AccHloValue, operator->n + 1);
  const AccHloParam params[2] = { (AccHloParam) x, (AccHloParam) y };

  acc_hlo_apply (self, operator->function, params, shape, mask, values);
  for (guint i = 0; i < operator->n; i++)
    results[i] = values[i];
}

static void
write_argument (AccHlo         *self,
                AccElementKind  kind,
                gboolean        is_first,
                AccHloValue    *name)
{
  *name = acc_hlo_name (self);
  g_string_append_printf (self->text, "%s%s: %s", is_first ? "" : ", ", *name, acc_hlo_type (self, ACC_HLO_SCALAR, kind));
}

void
acc_hlo_write_pairs (AccHlo               *self,
                     const AccElementKind *kinds,
                     guint                 n,
                     gboolean              interleaved,
                     AccHloValue          *first,
                     AccHloValue          *second)
{
  g_string_append (self->text, " ^bb0(");
  for (guint i = 0; i < 2 * n; i++)
    {
      guint leaf = interleaved ? i / 2 : i % n;
      gboolean is_first = interleaved ? i % 2 == 0 : i < n;

      write_argument (self, kinds[leaf], i == 0, is_first ? &first[leaf] : &second[leaf]);
    }
  g_string_append (self->text, "):\n");
}

void
acc_hlo_append_values (GString           *text,
                       const AccHloValue *values,
                       guint              n)
{
  for (guint i = 0; i < n; i++)
    g_string_append_printf (text, "%s%s", text->len > 0 ? ", " : "", values[i]);
}

void
acc_hlo_append_types (AccHlo               *self,
                      GString              *text,
                      const AccElementKind *kinds,
                      guint                 n,
                      AccHloShape           shape)
{
  for (guint i = 0; i < n; i++)
    g_string_append_printf (text, "%s%s", text->len > 0 ? ", " : "", acc_hlo_type (self, shape, kinds[i]));
}

void
acc_hlo_write_return (AccHlo               *self,
                      const AccHloValue    *values,
                      const AccElementKind *kinds,
                      guint                 n)
{
  g_autoptr(GString) names = g_string_new (NULL), types = g_string_new (NULL);

  acc_hlo_append_values (names, values, n);
  acc_hlo_append_types (self, types, kinds, n, ACC_HLO_SCALAR);
  acc_hlo_line (self, "stablehlo.return %s : %s", names->str, types->str);
}
