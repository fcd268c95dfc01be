/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "acc-components-private.h"

#include "acc-array-filter.h"
#include "acc-array-math.h"
#include "acc-array-scan.h"
#include "acc-program.h"

/* Rounds: of each edge the larger root is hooked to the smaller one, the least where several compete, trees are flattened by pointer
 * jumping, and edges within one tree are dropped (Shiloach and Vishkin 1982, with the minimum as the rule of hooking). A root that hooks
 * nowhere is less than all its neighbours; so is it two rounds later only if it has taken one of these for itself. So two rounds halve the
 * roots that have edges left, at least. */

#define JUMPS 16        /* that a vertex takes before it is written */

static AccExpr *
itself (AccExpr *index,
        gpointer type)
{
  return acc_expr_cast (acc_expr_item (index, 0), type);
}

static AccExpr *
smaller_end (AccExpr *edge,
             gpointer data)
{
  return acc_expr_min (acc_expr_item (edge, 0), acc_expr_item (edge, 1));
}

static AccExpr *
larger_end (AccExpr *edge,
            gpointer data)
{
  return acc_expr_max (acc_expr_item (edge, 0), acc_expr_item (edge, 1));
}

AccExpr *
acc_components_look_up (AccArray *table, AccExpr *number)
{
  return acc_expr_linear_index (table, acc_expr_cast (number, acc_element_type_new (ACC_KIND_I64)));
}

static AccExpr *
move_ends (AccExpr *edge,
           gpointer roots)
{
  return acc_expr_tuple2 (acc_components_look_up (roots, acc_expr_item (edge, 0)),
                          acc_components_look_up (roots, acc_expr_item (edge, 1)));
}

static AccExpr *
has_two_ends (AccExpr *edge,
              gpointer data)
{
  return acc_expr_ne (acc_expr_item (edge, 0), acc_expr_item (edge, 1));
}

/* @state: a vertex, its parent, and how many jumps are left */
static AccExpr *
jump (AccExpr *state,
      gpointer parents)
{
  g_autoptr(AccExpr) parent = acc_expr_ref_sink (acc_expr_item (state, 1)), left = acc_expr_ref_sink (acc_expr_item (state, 2));
  AccExpr *goes_on = acc_expr_land (acc_expr_ne (acc_expr_item (state, 0), parent), acc_expr_gt (left, acc_expr_new_int (0)));

  return acc_expr_tuple2 (goes_on,
                          acc_expr_tuple3 (parent, acc_components_look_up (parents, parent), acc_expr_sub (left, acc_expr_new_int (1))));
}

/* The root, or an ancestor and that it is none. */
static AccExpr *
climb (AccExpr *parent,
       gpointer parents)
{
  AccExpr *jumps = acc_expr_new_typed_int (acc_element_type_new (ACC_KIND_I32), JUMPS);
  g_autoptr(AccExpr) last = NULL;

  last = acc_expr_ref_sink (acc_expr_while (acc_expr_tuple3 (parent, acc_components_look_up (parents, parent), jumps), jump, parents));
  return acc_expr_tuple2 (acc_expr_item (last, 1), acc_expr_ne (acc_expr_item (last, 0), acc_expr_item (last, 1)));
}

static AccArray *
are_deep (AccArray **states,
          guint      n,
          gpointer   data)
{
  return g_object_ref (states[1]);
}

/* @states: parents, and whether there may be one that is no root */
static GPtrArray *
flatten_trees (AccArray **states,
               guint      n,
               gpointer   data)
{
  g_autoptr(AccArray) climbed = acc_array_map (states[0], climb, states[0]);
  g_autoptr(AccArray) deep = acc_array_unzip (climbed, 1);
  GPtrArray *next = g_ptr_array_new_with_free_func (g_object_unref);

  g_ptr_array_add (next, acc_array_unzip (climbed, 0));
  g_ptr_array_add (next, acc_array_any_true (deep));
  return next;
}

static AccExpr *
is_not_empty (AccExpr *extent,
              gpointer data)
{
  return acc_expr_gt (extent, acc_array_number (0));
}

static AccArray *
are_left (AccArray **states,
          guint      n,
          gpointer   data)
{
  g_autoptr(AccArray) extent = acc_array_unit (acc_expr_extent (states[1], 0));

  return acc_array_map (extent, is_not_empty, NULL);
}

/* @states: parents, all of them roots, and edges between different roots */
static GPtrArray *
hook (AccArray **states,
      guint      n,
      gpointer   data)
{
  g_autofree char *parents = g_strdup_printf ("%s[:]", acc_element_type_get_code (states[0]->type));
  const char *signatures[] = { parents, "b1[]", NULL };
  g_autoptr(AccArray) values = acc_array_map (states[1], smaller_end, NULL), targets = acc_array_map (states[1], larger_end, NULL);
  g_autoptr(AccArray) hooked = acc_array_permute (values, states[0], targets, acc_array_min_elements, NULL);
  g_autoptr(AccArray) yes = acc_array_unit (acc_expr_new_bool (TRUE));
  g_autoptr(AccProgram) condition = acc_program_new (signatures, are_deep, NULL);
  g_autoptr(AccProgram) step = acc_program_new_many (signatures, flatten_trees, NULL);
  g_autoptr(GPtrArray) flat = acc_array_while_loop_many ((AccArray *[]) { hooked, yes }, 2, condition, step);
  AccArray *roots = g_ptr_array_index (flat, 0);
  g_autoptr(AccArray) moved = acc_array_map (states[1], move_ends, roots), flags = acc_array_map (moved, has_two_ends, NULL);
  GPtrArray *next = g_ptr_array_new_with_free_func (g_object_unref);

  g_ptr_array_add (next, g_object_ref (roots));
  g_ptr_array_add (next, acc_array_compact (moved, flags, NULL));
  return next;
}

AccArray *
acc_components_list_vertices (AccArray *n_vertices, AccElementType *number)
{
  AccExpr *extent = acc_expr_cast (acc_expr_the (n_vertices), acc_element_type_new (ACC_KIND_I64));

  return acc_array_generate_expr (extent, itself, number);
}

AccArray *
acc_components_find_roots (AccArray *n_vertices, AccElementType *number, AccArray *edges)
{
  const char *code = acc_element_type_get_code (number);
  g_autofree char *parents = g_strdup_printf ("%s[:]", code), *pairs = g_strdup_printf ("(%s,%s)[:]", code, code);
  const char *signatures[] = { parents, pairs, NULL };
  g_autoptr(AccArray) roots = acc_components_list_vertices (n_vertices, number);
  g_autoptr(AccProgram) condition = acc_program_new (signatures, are_left, NULL);
  g_autoptr(AccProgram) step = acc_program_new_many (signatures, hook, NULL);
  g_autoptr(GPtrArray) last = acc_array_while_loop_many ((AccArray *[]) { roots, edges }, 2, condition, step);

  return g_object_ref (g_ptr_array_index (last, 0));
}

/* --- numbers */

static AccExpr *
is_root (AccExpr *index,
         AccExpr *root,
         gpointer type)
{
  return acc_expr_cast (acc_expr_eq (acc_expr_cast (acc_expr_item (index, 0), type), root), type);
}

static AccExpr *
rank_at (AccExpr *root,
         gpointer ranks)
{
  return acc_components_look_up (ranks, root);
}

AccArray *
acc_components_number_roots (AccArray *roots, AccElementType *number, AccArray **n_roots)
{
  g_autoptr(AccArray) are_roots = acc_array_imap (roots, is_root, number);
  g_autoptr(AccArray) ranks = acc_array_scanl1 (are_roots, acc_array_add_elements, NULL);

  if (n_roots != NULL)
    {
      g_autoptr(AccArray) count = acc_array_sum_all (are_roots);

      *n_roots = acc_array_cast (count, acc_element_type_new (ACC_KIND_I64));
    }

  return acc_array_map (roots, rank_at, ranks);
}
