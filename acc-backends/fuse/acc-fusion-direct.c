/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "acc-fusion-direct.h"

#include "acc-function-facts.h"

AccArray *
acc_fusion_strip_direct (AccArray *direct)
{
  while (direct->op == ACC_OP_RESHAPE)
    direct = direct->inputs[0];

  return direct;
}

static gboolean
has_extents (AccArray *array, GHashTable *bound)
{
  g_autoptr(GPtrArray) reads = acc_array_list_extent_reads (array, bound);

  return reads == NULL;
}

gboolean
acc_fusion_is_in_reach (AccArray *array, GHashTable *bound, GHashTable *reached)
{
  g_autoptr(GHashTable) seen = g_hash_table_new (NULL, NULL);
  g_autoptr(GPtrArray) stack = g_ptr_array_new ();
  GHashTableIter iter;
  gpointer node;

  g_ptr_array_add (stack, array);
  while (stack->len > 0)
    {
      AccArray *next = g_ptr_array_steal_index (stack, stack->len - 1), *dependence;

      if (g_hash_table_contains (bound, next) || g_hash_table_contains (reached, next) || !g_hash_table_add (seen, next))
        continue;
      if (next->op == ACC_OP_PARAMETER || acc_operation_get_family (next->op) == ACC_FAMILY_FLOW || !has_extents (next, bound))
        return FALSE;
      for (guint i = 0; (dependence = acc_array_nth_dependence (next, i)) != NULL; i++)
        g_ptr_array_add (stack, dependence);
    }

  g_hash_table_iter_init (&iter, seen);
  while (g_hash_table_iter_next (&iter, &node, NULL))
    g_hash_table_add (reached, node);

  return TRUE;
}
