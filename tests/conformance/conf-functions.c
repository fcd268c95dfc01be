/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "conformance.h"

AccExpr *
conf_i64 (gint64 value)
{
  return acc_expr_new_typed_int (acc_element_type_new (ACC_KIND_I64), value);
}

AccExpr *
conf_assemble (AccElementType  *type,
               AccExpr        **items)
{
  guint n = acc_element_type_get_n_items (type);

  if (acc_element_type_get_kind (type) == ACC_KIND_COMPLEX)
    return acc_expr_complex (items[0], items[1]);
  return acc_element_type_is_tuple (type) ? acc_expr_tuple (items, n) : acc_expr_vec (items, n);
}

typedef AccExpr *(*LeafFunc) (AccExpr **x, AccElementType *type);

typedef AccExpr *Operands[3];

static void
release_operands (Operands *operands)
{
  for (guint i = 0; i < 3; i++)
    g_clear_pointer (&(*operands)[i], acc_expr_unref);
}

G_DEFINE_AUTO_CLEANUP_CLEAR_FUNC (Operands, release_operands)

static AccExpr *
each_leaf (AccExpr  **x,
           guint      n,
           LeafFunc   function)
{
  AccElementType *type = acc_expr_get_element_type (x[0]);
  g_auto(Operands) owned = { NULL, NULL, NULL };
  guint n_items;
  g_autofree AccExpr **items = NULL;

  if (type == NULL)
    return x[0];
  /* They are taken apart several times. */
  for (guint k = 0; k < n; k++)
    owned[k] = acc_expr_ref_sink (x[k]);
  if (acc_element_type_is_scalar (type))
    return function (x, type);

  n_items = acc_element_type_get_n_items (type);
  items = g_new (AccExpr *, n_items + 1);
  for (guint i = 0; i < n_items; i++)
    {
      AccExpr *parts[3];

      for (guint k = 0; k < n; k++)
        parts[k] = acc_expr_item (x[k], i);
      items[i] = each_leaf (parts, n, function);
    }
  return conf_assemble (type, items);
}

static AccExpr *
mix_leaf (AccExpr        **x,
          AccElementType  *type)
{
  AccElementKind kind = acc_element_type_get_kind (type);

  if (kind == ACC_KIND_BOOL)
    return acc_expr_bnot (x[0]);
  if (acc_element_kind_is_float (kind))
    return acc_expr_add (acc_expr_mul (x[0], acc_expr_new_float (0.5)), acc_expr_new_float (1));
  return acc_expr_add (acc_expr_mul (x[0], acc_expr_new_int (3)), acc_expr_new_int (7));
}

static AccExpr *
mix2_leaf (AccExpr        **x,
           AccElementType  *type)
{
  AccElementKind kind = acc_element_type_get_kind (type);

  if (kind == ACC_KIND_BOOL)
    return acc_expr_bxor (x[0], x[1]);
  if (acc_element_kind_is_float (kind))
    return acc_expr_sub (x[0], acc_expr_mul (x[1], acc_expr_new_float (0.25)));
  return acc_expr_sub (acc_expr_mul (x[0], acc_expr_new_int (3)), x[1]);
}

static AccExpr *
mix3_leaf (AccExpr        **x,
           AccElementType  *type)
{
  AccExpr *pair[2] = { mix2_leaf (x, type), x[2] };

  return mix2_leaf (pair, type);
}

static AccExpr *
combine_leaf (AccExpr        **x,
              AccElementType  *type)
{
  AccElementKind kind = acc_element_type_get_kind (type);

  if (kind == ACC_KIND_BOOL)
    return acc_expr_bxor (x[0], x[1]);
  /* Sums of halves would not stay exact for long. */
  if (kind == ACC_KIND_F16)
    return acc_expr_max (x[0], x[1]);
  return acc_expr_add (x[0], x[1]);
}

AccExpr *
conf_mix (AccExpr  *x,
          gpointer  data)
{
  return each_leaf (&x, 1, mix_leaf);
}

AccExpr *
conf_mix2 (AccExpr  *x,
           AccExpr  *y,
           gpointer  data)
{
  return each_leaf ((AccExpr *[]) { x, y }, 2, mix2_leaf);
}

AccExpr *
conf_mix3 (AccExpr  *x,
           AccExpr  *y,
           AccExpr  *z,
           gpointer  data)
{
  return each_leaf ((AccExpr *[]) { x, y, z }, 3, mix3_leaf);
}

AccExpr *
conf_combine (AccExpr  *x,
              AccExpr  *y,
              gpointer  data)
{
  return each_leaf ((AccExpr *[]) { x, y }, 2, combine_leaf);
}

AccExpr *
conf_decimal (AccExpr  *index,
              gpointer  data)
{
  AccExpr *sum = conf_i64 (0);

  for (guint i = 0; i < acc_expr_get_n_items (index); i++)
    sum = acc_expr_add (acc_expr_mul (sum, acc_expr_new_int (10)), acc_expr_item (index, i));
  return sum;
}

AccExpr *
conf_plus (AccExpr  *x,
           AccExpr  *y,
           gpointer  data)
{
  return acc_expr_add (x, y);
}

AccExpr *
conf_times (AccExpr  *x,
            AccExpr  *y,
            gpointer  data)
{
  return acc_expr_mul (x, y);
}

AccExpr *
conf_itself (AccExpr  *x,
             gpointer  data)
{
  return x;
}

AccExpr *
conf_call1 (AccExpr  *x,
            gpointer  function)
{
  return ((ConfUnary) function) (x);
}

AccExpr *
conf_call2 (AccExpr  *x,
            AccExpr  *y,
            gpointer  function)
{
  return ((ConfBinary) function) (x, y);
}

AccExpr *
conf_first (AccExpr  *x,
            AccExpr  *y,
            gpointer  data)
{
  return x;
}

AccExpr *
conf_second (AccExpr  *x,
             AccExpr  *y,
             gpointer  data)
{
  return y;
}

AccExpr *
conf_neutral (AccElementType *type)
{
  AccElementKind kind = acc_element_type_get_kind (type);
  g_autofree AccExpr **items = NULL;
  guint n;

  if (kind == ACC_KIND_BOOL)
    return acc_expr_new_bool (FALSE);
  if (acc_element_type_is_scalar (type))
    return acc_element_kind_is_float (kind) ? acc_expr_new_typed_float (type, 0) : acc_expr_cast (acc_expr_new_int (0), type);

  n = acc_element_type_get_n_items (type);
  items = g_new (AccExpr *, n + 1);
  for (guint i = 0; i < n; i++)
    items[i] = conf_neutral (acc_element_type_get_item (type, i));
  return conf_assemble (type, items);
}

AccExpr *
conf_from_index (AccExpr        *index,
                 AccElementType *type)
{
  AccElementKind kind = acc_element_type_get_kind (type);
  g_autofree AccExpr **items = NULL;
  AccExpr *sum;
  guint n;

  if (!acc_element_type_is_scalar (type))
    {
      n = acc_element_type_get_n_items (type);
      items = g_new (AccExpr *, n + 1);
      for (guint i = 0; i < n; i++)
        {
          AccElementType *item = acc_element_type_get_item (type, i);

          /* Items of one type differ. */
          items[i] = conf_from_index (index, item);
          if (acc_element_type_is_packed (type) && i > 0)
            items[i] = acc_element_type_get_kind (item) == ACC_KIND_BOOL ? acc_expr_bnot (items[i])
                                                                         : acc_expr_add (items[i], acc_expr_new_int (i));
        }
      return conf_assemble (type, items);
    }

  sum = conf_i64 (1);
  for (guint i = 0; i < acc_expr_get_n_items (index); i++)
    sum = acc_expr_add (acc_expr_mul (sum, acc_expr_new_int (3)), acc_expr_item (index, i));
  if (kind == ACC_KIND_BOOL)
    return acc_expr_test_bit (sum, conf_i64 (1));
  return acc_expr_cast (sum, type);
}
