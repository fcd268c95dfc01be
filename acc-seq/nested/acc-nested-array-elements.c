/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "acc-nested-array-private.h"
#include "acc-nested-origin-private.h"

#include "acc-core/array/acc-array-age-private.h"
#include "acc-core/array/acc-array-build-private.h"
#include "acc-core/derived/acc-array-scan.h"
#include "acc-core/expr/acc-trace-private.h"

/* Functions of elements that may be nested arrays: of the arrays that an element consists of, each of which is a part of one of all
 * elements. */

/* An array of which each outermost element has a part. */
typedef struct {
  AccArray *array;      /* owned */
  AccArray *bounds;     /* owned i8: where each part begins, and where the last ends */
  gboolean  offsets;    /* one more than that, and from 0 in each part */
} Table;

static void
table_free (gpointer data)
{
  Table *self = data;

  g_object_unref (self->array);
  g_object_unref (self->bounds);
  g_free (self);
}

static void
add_table (GPtrArray *tables,
           AccArray  *array,
           AccArray  *bounds,
           gboolean   offsets)
{
  Table *table = g_new (Table, 1);

  *table = (Table) { g_object_ref (array), g_object_ref (bounds), offsets };
  g_ptr_array_add (tables, table);
}

/* Of the levels from the outermost one on, of the values, and of what says where the innermost elements are. */
static GPtrArray *
list_tables (AccNestedArray *self)
{
  GPtrArray *tables = g_ptr_array_new_with_free_func (table_free);
  g_autoptr(AccArray) bounds = g_object_ref (acc_nested_array_get_groups (self)), ends = NULL;
  g_autoptr(AccLift) lift = acc_lift_new (acc_nested_array_get_count (self));
  g_autoptr(AccLifted) lifted = acc_lift_to_irregular (lift, acc_nested_array_get_lifted (self));
  AccNestedArray *level = acc_nested_array_get_inner (self);

  for (; acc_nested_array_get_inner (level) != NULL; level = acc_nested_array_get_inner (level))
    {
      g_autoptr(AccArray) next = acc_nested_array_read_places (acc_nested_array_get_groups (level), bounds);

      add_table (tables, acc_nested_array_get_groups (level), bounds, TRUE);
      g_set_object (&bounds, next);
    }
  if (lifted->rank == 0)
    {
      add_table (tables, lifted->values, bounds, FALSE);
      return tables;
    }

  ends = acc_nested_array_read_places (lifted->nesting->offsets, bounds);
  add_table (tables, lifted->values, ends, FALSE);
  add_table (tables, lifted->nesting->offsets, bounds, TRUE);
  if (lifted->rank > 1)
    add_table (tables, lifted->nesting->extents, bounds, FALSE);

  return tables;
}

/* --- parts of offsets */

static AccExpr *
length_of_part (AccLift *lift,
                AccExpr *k,
                gpointer data)
{
  Table *self = data;
  g_autoptr(AccExpr) own = acc_expr_ref_sink (k);
  AccExpr *end = acc_expr_linear_index (self->bounds, acc_expr_add (own, acc_array_number (1)));

  return acc_expr_add (acc_expr_sub (end, acc_expr_linear_index (self->bounds, own)), acc_array_number (1));
}

static AccExpr *
offset_in_part (AccLift *lift,
                AccExpr *k,
                AccExpr *index,
                gpointer data)
{
  Table *self = data;
  g_autoptr(AccExpr) begin = acc_expr_ref_sink (acc_expr_linear_index (self->bounds, k));
  AccExpr *own = acc_expr_linear_index (self->array, acc_expr_add (begin, index));

  return acc_expr_sub (own, acc_expr_linear_index (self->array, begin));
}

static AccLifted *
lift_table (AccLift *lift,
            Table   *table)
{
  g_autoptr(AccNesting) nesting = NULL;

  if (!table->offsets)
    return acc_lifted_new_irregular (acc_nesting_new (1, g_object_ref (table->bounds), NULL), g_object_ref (table->array));

  nesting = acc_lift_new_nesting (lift, 1, length_of_part, table);

  return acc_lift_make (lift, nesting, offset_in_part, table);
}

/* --- elements as parameters */

AccElementType *
acc_nested_array_get_part_type (AccElementType *type,
                                guint           rank,
                                guint           depth,
                                guint           i)
{
  guint n = depth + MIN (rank, 2);

  if (i >= n)
    return NULL;
  if (i + 1 == depth)
    return type;

  return i > depth ? acc_index_type (rank) : acc_element_type_new (ACC_KIND_I64);
}

/* In the order of list_tables(), too. */
AccNestedArray *
acc_nested_array_new_of_parts (AccArray **parts,
                               guint      rank,
                               guint      depth)
{
  AccNesting *nesting;

  if (depth > 1)
    return acc_nested_array_new_for_groups (acc_nested_array_new_of_parts (parts + 1, rank, depth - 1), g_object_ref (parts[0]));
  if (rank == 0)
    return acc_nested_array_new_for_lifted (acc_lifted_new_regular (g_object_ref (parts[0])), g_object_ref (parts[0]));

  nesting = acc_nesting_new (rank, g_object_ref (parts[1]), rank > 1 ? g_object_ref (parts[2]) : NULL);

  return acc_nested_array_new_for_lifted (acc_lifted_new_irregular (nesting, g_object_ref (parts[0])), acc_nesting_dup_lengths (nesting));
}

AccNestedArray *
acc_nested_array_dup_vectors (AccNestedArray *self)
{
  guint depth = acc_nested_array_get_depth (self);

  return depth > 1 && acc_nested_array_get_rank (self) == 0 ? acc_nested_array_flatten_level (self, depth - 1) : g_object_ref (self);
}

static void
add_parameter (GPtrArray      *parameters,
               AccElementType *type,
               guint           rank,
               const gint64   *extents)
{
  g_ptr_array_add (parameters, acc_array_new_parameter (type, rank, extents, parameters->len));
}

GObject *
acc_nested_array_new_element (AccElementType *type,
                              guint           rank,
                              AccShape       *shape,
                              guint           depth,
                              GPtrArray      *parameters)
{
  guint first = parameters->len;
  AccElementType *part;

  if (depth == 0)
    {
      add_parameter (parameters, type, rank, shape != NULL ? acc_shape_get_extents (shape, NULL) : NULL);
      return g_object_ref (g_ptr_array_index (parameters, first));
    }

  for (guint i = 0; (part = acc_nested_array_get_part_type (type, rank, depth, i)) != NULL; i++)
    add_parameter (parameters, part, 1, NULL);

  return G_OBJECT (acc_nested_array_new_of_parts ((AccArray **) parameters->pdata + first, rank, depth));
}

GPtrArray *
acc_nested_array_ask (GCallback  function,
                      gpointer   user_data,
                      GObject  **elements,
                      guint      n_elements,
                      GPtrArray *parameters,
                      AccArray **number)
{
  g_autoptr(GPtrArray) asked = g_ptr_array_new_with_free_func (g_object_unref);
  GPtrArray *results;

  for (guint i = 0; i < n_elements; i++)
    g_ptr_array_add (asked, g_object_ref (elements[i]));
  for (guint i = 0; i < parameters->len; i++)
    g_ptr_array_add (asked, g_object_ref (g_ptr_array_index (parameters, i)));
  results = acc_trace_ask_arrays (function, user_data, asked, number);
  if (results == NULL)
    return NULL;

  g_ptr_array_set_free_func (results, g_object_unref);
  g_ptr_array_set_size (parameters, 0);
  for (guint i = n_elements; i < asked->len; i++)
    g_ptr_array_add (parameters, g_object_ref (g_ptr_array_index (asked, i)));

  return results;
}

/* --- results */

void
acc_nested_array_list_results (AccNestedArray *made,
                               GPtrArray      *results)
{
  for (; acc_nested_array_get_inner (made) != NULL; made = acc_nested_array_get_inner (made))
    g_ptr_array_add (results, g_object_ref (acc_nested_array_get_lengths (made)));
  if (acc_nested_array_get_rank (made) > 0)
    g_ptr_array_add (results, g_object_ref (acc_nested_array_get_extents (made)));
  g_ptr_array_add (results, acc_nested_array_flatten (made));
}

/* The vector @array, which depends on the element, of all elements one after the other. */
static AccLifted *
lift_vector (AccLift  *lift,
             AccArray *array)
{
  return acc_lift_to_irregular (lift, acc_lift_array (lift, array));
}

static AccExpr *
product_of (AccExpr *extents,
            gpointer data)
{
  return acc_lift_product (extents, GPOINTER_TO_UINT (data));
}

static AccArray *
sum_lengths (AccArray *lengths)
{
  return acc_array_scanl (lengths, acc_array_number (0), acc_array_add_elements, NULL);
}

/* The innermost elements of all, of extents, unless they have rank 0, and values; and in @groups how many each element of the level above
 * has. */
static AccNestedArray *
lift_innermost (AccLift   *lift,
                AccArray **results,
                guint      rank,
                AccArray **groups)
{
  g_autoptr(AccLifted) values = lift_vector (lift, results[rank > 0 ? 1 : 0]), extents = NULL;
  g_autoptr(AccArray) lengths = NULL;
  AccNesting *nesting;

  if (rank == 0)
    {
      *groups = g_object_ref (values->nesting->offsets);
      return acc_nested_array_new_for_lifted (acc_lifted_new_regular (g_object_ref (values->values)), g_object_ref (values->values));
    }

  extents = lift_vector (lift, results[0]);
  lengths = rank == 1 ? g_object_ref (extents->values) : acc_array_map (extents->values, product_of, GUINT_TO_POINTER (rank));
  nesting = acc_nesting_new (rank, sum_lengths (lengths), rank > 1 ? g_object_ref (extents->values) : NULL);
  *groups = g_object_ref (extents->nesting->offsets);

  return acc_nested_array_new_for_lifted (acc_lifted_new_irregular (nesting, g_object_ref (values->values)), g_steal_pointer (&lengths));
}

/* All elements of all, and in @groups how many each has. */
static AccNestedArray *
lift_levels (AccLift   *lift,
             AccArray **results,
             guint      rank,
             guint      depth,
             AccArray **groups)
{
  AccNestedArray *made;
  g_autoptr(AccLifted) lengths = NULL;
  g_autoptr(AccArray) unused = NULL;

  if (depth == 1)
    return lift_innermost (lift, results, rank, groups);

  made = lift_levels (lift, results + 1, rank, depth - 1, &unused);
  lengths = lift_vector (lift, results[0]);
  *groups = g_object_ref (lengths->nesting->offsets);

  return acc_nested_array_new_for_groups (made, sum_lengths (lengths->values));
}

static AccNestedArray *
lift_nested (AccLift   *lift,
             AccArray **results,
             guint      rank,
             guint      depth)
{
  AccArray *groups = NULL;
  g_autoptr(AccNestedArray) made = lift_levels (lift, results, rank, depth, &groups);
  AccNesting *nesting;

  if (depth > 1 || rank > 0)
    return acc_nested_array_new_for_groups (g_steal_pointer (&made), groups);

  nesting = acc_nesting_new (1, groups, NULL);

  return acc_nested_array_new_for_lifted (acc_lifted_new_irregular (nesting, g_object_ref (acc_nested_array_get_values (made))),
                                          acc_nesting_dup_lengths (nesting));
}

/* --- all elements at once */

/* Returns how many of @parameters stand for an element. */
static guint
bind_elements (AccLift        *lift,
               AccNestedArray *elements,
               AccArray      **parameters,
               gboolean        alone)
{
  g_autoptr(GPtrArray) tables = NULL;

  if (acc_nested_array_get_inner (elements) == NULL)
    {
      acc_lift_bind (lift, parameters[0], acc_lifted_ref (acc_nested_array_get_lifted (elements)));
      return 1;
    }

  tables = list_tables (elements);
  for (guint i = 0; i < tables->len; i++)
    {
      Table *table = g_ptr_array_index (tables, i);

      acc_lift_bind (lift, parameters[i], alone ? acc_lifted_new_constant (g_object_ref (table->array)) : lift_table (lift, table));
    }

  return tables->len;
}

/* How many acc_nested_array_list_results() adds. */
static guint
count_results (guint rank,
               guint depth)
{
  return depth == 0 ? 1 : depth + (rank > 0 ? 1 : 0);
}

AccNestedArray *
acc_nested_array_apply_elements (AccNestedArray **arrays,
                                 guint            n_arrays,
                                 AccArray       **parameters,
                                 AccArray       **results,
                                 guint            rank,
                                 guint            depth,
                                 AccApplyFlags    flags)
{
  g_autoptr(AccArray) count = acc_nested_array_match_all (arrays, n_arrays, acc_nested_array_get_outer_count);
  g_autoptr(AccNestedOrigin) origin = (flags & ACC_APPLY_IN_STEPS) == 0
                                      ? acc_nested_origin_new (results, count_results (rank, depth), rank, depth) : NULL;
  G_GNUC_UNUSED g_auto(AccNaming) naming = { NULL };
  g_autoptr(AccLift) lift = NULL;
  AccNestedArray *made;
  guint64 first;

  naming = acc_naming_begin (NULL);
  lift = acc_nested_array_new_lift (count, flags);
  first = acc_array_count_made ();
  for (guint i = 0; i < n_arrays; i++)
    {
      guint n = bind_elements (lift, arrays[i], parameters, (flags & ACC_APPLY_ALONE) != 0);

      if (origin != NULL)
        acc_nested_origin_add (origin, arrays[i], parameters, n);
      parameters += n;
    }
  made = depth > 0 ? lift_nested (lift, results, rank, depth)
                   : acc_nested_array_new_for_lifted (acc_lifted_ref (acc_lift_array (lift, results[0])), g_steal_pointer (&count));
  if (origin != NULL)
    acc_nested_origin_attach (origin, made, first);

  return made;
}
