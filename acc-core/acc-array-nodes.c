/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "acc-array-private.h"

typedef struct {
  AccArray *array;
  guint     next;
} Frame;

AccArray *
acc_array_nth_dependence (AccArray *array,
                          guint     n)
{
  if (n < array->n_inputs)
    return array->inputs[n];

  n -= array->n_inputs;
  return n < array->references->len ? g_ptr_array_index (array->references, n) : NULL;
}

GPtrArray *
acc_array_sort_nodes (AccArray **roots,
                      guint      n_roots)
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
          AccArray *dependence = acc_array_nth_dependence (top->array, top->next++);

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
