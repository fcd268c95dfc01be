/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "acc-array-build-private.h"

/* Walks over the graph: the nodes under some results, in dependence order. */

typedef struct {
  AccArray *array;
  guint     next;
} Frame;

AccArray *
acc_array_nth_dependence (AccArray *array,
                          guint     n)
{
  acc_array_work_out (array);
  if (n < array->n_inputs)
    return array->inputs[n];

  n -= array->n_inputs;
  return n < array->references->len ? g_ptr_array_index (array->references, n) : NULL;
}

AccArray *
acc_array_nth_known_dependence (AccArray *array,
                                guint     n)
{
  AccOffer *offer = array->offer;

  if (offer == NULL || g_atomic_pointer_get (&offer->expansion) == NULL)
    return acc_array_nth_dependence (array, n);

  return n < offer->n_inputs ? offer->inputs[n] : NULL;
}

gpointer
acc_array_get_payload (AccArray       *self,
                       AccPayloadKind  kind)
{
  g_return_val_if_fail (acc_operation_get_payload (self->op) == kind, NULL);

  return self->payload;
}

void
acc_array_list_payload (AccArray *self,
                        GArray   *numbers)
{
  const AccPayloadClass *payload = acc_operation_get_class (self->op)->payload;

  if (payload != NULL && payload->list != NULL)
    payload->list (self, numbers);
}

AccFunction *
acc_array_nth_function (AccArray *self,
                        guint     n)
{
  gboolean is_stencil = acc_operation_get_payload (self->op) == ACC_PAYLOAD_STENCIL;

  if (n < self->n_functions)
    return self->functions[n];

  n -= self->n_functions;
  for (guint i = 0; is_stencil && i < self->n_inputs; i++)
    {
      AccBoundary *boundary = acc_array_get_stencil (self)->boundaries[i];

      if (boundary != NULL && boundary->function != NULL && n-- == 0)
        return boundary->function;
    }

  return NULL;
}

GPtrArray *
acc_array_sort_by (AccArray  **roots,
                   guint       n_roots,
                   AccArray *(*nth) (AccArray *array, guint n))
{
  GPtrArray *sorted = g_ptr_array_new_with_free_func (g_object_unref);
  g_autoptr(GHashTable) seen = g_hash_table_new (NULL, NULL);
  g_autoptr(GArray) stack = g_array_new (FALSE, FALSE, sizeof (Frame));

  for (guint i = 0; i < n_roots; i++)
    {
      if (g_hash_table_add (seen, roots[i]))
        g_array_append_vals (stack, &(Frame) { roots[i], 0 }, 1);

      while (stack->len > 0)
        {
          Frame *top = &g_array_index (stack, Frame, stack->len - 1);
          AccArray *dependence = nth (top->array, top->next++);

          if (dependence == NULL)
            {
              g_ptr_array_add (sorted, g_object_ref (top->array));
              g_array_set_size (stack, stack->len - 1);
            }
          else if (g_hash_table_add (seen, dependence))
            {
              g_array_append_vals (stack, &(Frame) { dependence, 0 }, 1);
            }
        }
    }

  return sorted;
}

GPtrArray *
acc_array_sort_nodes (AccArray **roots,
                      guint      n_roots)
{
  return acc_array_sort_by (roots, n_roots, acc_array_nth_dependence);
}

GPtrArray *
acc_array_sort_known_nodes (AccArray **roots,
                            guint      n_roots)
{
  return acc_array_sort_by (roots, n_roots, acc_array_nth_known_dependence);
}

gboolean
acc_array_reads_source (AccArray *array)
{
  g_autoptr(GPtrArray) nodes = acc_array_sort_nodes (&array, 1);

  for (guint i = 0; i < nodes->len; i++)
    if (((AccArray *) g_ptr_array_index (nodes, i))->op == ACC_OP_SOURCE)
      return TRUE;

  return FALSE;
}
