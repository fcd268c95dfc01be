/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "acc-lift-private.h"

#include "acc-core/array/acc-array-build-private.h"

/* Values with the number of their element, and functions that combine them. */

AccArray *
acc_lift_take_over (AccArray  *node,
                    AccArray **inputs)
{
  AccArray *made = acc_array_begin (node->op, inputs, node->n_inputs);

  if (made->error == NULL)
    acc_array_take_function (made, 0, acc_function_ref (node->functions[0]));

  return acc_array_complete (made);
}

AccExpr *
acc_lift_combine (AccExpr *x,
                  AccExpr *y,
                  gpointer data)
{
  AccLiftCall *self = data;

  return acc_lift_apply (self->lift, self->function, NULL, (AccExpr *[]) { x, y });
}

AccExpr *
acc_lift_combine_numbered (AccExpr *x,
                           AccExpr *y,
                           gpointer data)
{
  AccLiftCall *self = data;
  g_autoptr(AccExpr) k = acc_expr_ref_sink (acc_expr_item (x, 0));

  return acc_expr_tuple2 (k, acc_lift_apply (self->lift, self->function, k, (AccExpr *[]) { acc_expr_item (x, 1), acc_expr_item (y, 1) }));
}

AccExpr *
acc_lift_number_with (AccExpr *k,
                      AccExpr *x,
                      gpointer data)
{
  return acc_expr_tuple2 (k, x);
}

typedef struct {
  AccExprFunc2 function;
  gpointer     data;
  guint        rank;
} Numbering;

static AccExpr *
number_regular (AccExpr *index,
                AccExpr *x,
                gpointer data)
{
  Numbering *self = data;
  g_autoptr(AccExpr) k = acc_expr_ref_sink (acc_lift_outer_index (index, self->rank));

  return self->function (k, x, self->data);
}

AccArray *
acc_lift_zip_numbers (AccLifted   *lifted,
                      AccExprFunc2 function,
                      gpointer     data)
{
  Numbering numbering = { function, data, lifted->rank };

  if (lifted->form == ACC_LIFTED_REGULAR)
    return acc_array_imap (lifted->values, number_regular, &numbering);

  return acc_array_zip_with (acc_nesting_get_numbers (lifted->nesting), lifted->values, function, data);
}
