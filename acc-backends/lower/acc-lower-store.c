/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "acc-lower.h"

/* Lowers what a kernel leaves in memory: the elements of its roots, each at the address of its index. */

static void
store (AccLower       *l,
       const AccIndex *ix,
       gboolean        beside)
{
  GArray *roots = l->step->cluster->roots;
  g_autoptr(GArray) values = g_array_new (FALSE, FALSE, sizeof (KValue));
  guint next = 0;

  for (guint i = 0; i < roots->len; i++)
    {
      AccRoot *root = &g_array_index (roots, AccRoot, i);

      for (guint leaf = 0; root->beside == beside && leaf < acc_element_type_get_n_leaves (root->node->array->type); leaf++)
        {
          KValue value = low_compute (l, root->node, ix, leaf);

          g_array_append_val (values, value);
        }
    }

  for (guint i = 0; i < roots->len; i++)
    {
      AccRoot *root = &g_array_index (roots, AccRoot, i);
      KValue address;

      if (root->beside != beside)
        continue;
      address = low_index_address (l, ix, root->node->extents);
      for (guint leaf = 0; leaf < acc_element_type_get_n_leaves (root->node->array->type); leaf++)
        low_store (l, root, leaf, address, g_array_index (values, KValue, next++));
    }
}

void
low_store_roots (AccLower       *l,
                 const AccIndex *ix)
{
  store (l, ix, FALSE);
}

void
low_store_beside (AccLower       *l,
                  const AccIndex *ix)
{
  store (l, ix, TRUE);
}
