/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "acc-windows-private.h"

#include "acc-core/array/acc-array-build-private.h"
#include "acc-core/array/acc-module-index.h"
#include "acc-core/data/acc-source-private.h"
#include "acc-seq/stream/acc-plan-private.h"
#include "acc-seq/stream/acc-stages-private.h"
#include "acc-window-source-private.h"

#include <string.h>

/* Windows of windows. */
#define MOST_PASSES 16

/* --- where rows are read */

/* Rows @first, first + @step, … of what is read, one for each row of a node. */
typedef struct {
  gint64   first, step, n_rows;
  gboolean is_one;      /* the same one for each */
} Window;

static gboolean
get_extent (AccArray *array, guint dimension, gint64 *extent, gpointer data)
{
  *extent = array->shape != NULL ? acc_shape_get_extent (array->shape, dimension) : 0;

  return array->shape != NULL;
}

static AccExpr *
get_row_index (AccArray *node)
{
  AccExpr *body = node->functions[0]->body;

  if (node->inputs[0]->rank == 1 && body->kind != ACC_EXPR_TUPLE)
    return body;

  return body->kind == ACC_EXPR_TUPLE && body->n_args == node->inputs[0]->rank && body->n_args > 0 ? body->args[0] : NULL;
}

/* FALSE: it reads rows in no such order, or some that there are not. */
static gboolean
find_window (AccArray *node, Window *window)
{
  gint64 n = node->inputs[0]->shape != NULL && node->inputs[0]->rank > 0 ? acc_shape_get_extent (node->inputs[0]->shape, 0) : 0, last;
  AccAffine rows = { 0, 0, 0 };

  if (node->shape == NULL || n == 0 || acc_shape_get_size (node->shape) == 0)
    return FALSE;
  if (node->op == ACC_OP_SLICE)
    {
      rows.offset = acc_array_get_selection (node)->n > 0 ? acc_array_get_selection (node)->entries[0] : ACC_ALL;
      if (rows.offset == ACC_ALL)
        return FALSE;
    }
  else
    {
      AccExpr *index = node->op == ACC_OP_BACKPERMUTE ? get_row_index (node) : NULL;

      if (index == NULL || !acc_expr_find_affine (index, 0, node->functions[0]->params[0], get_extent, NULL, &rows)
          || (rows.step != 0 && rows.dimension != 0))
        return FALSE;
    }

  *window = (Window) { rows.offset, rows.step, rows.step != 0 ? acc_shape_get_extent (node->shape, 0) : 1, rows.step == 0 };
  if (window->is_one)
    window->step = 1;

  return !__builtin_mul_overflow (window->n_rows - 1, window->step, &last) && !__builtin_add_overflow (last, window->first, &last)
         && MIN (window->first, last) >= 0 && MAX (window->first, last) < n;
}

/* --- sets of sources, and of what is made of their rows element by element: they have the same rows, and are read together */

typedef struct {
  guint     into;       /* the set that it is a part of: itself, or one that was before */
  gint64    n_rows;
  gboolean  is_fixed;   /* other rows are read, too, or asked for */
  gboolean  is_whole;   /* all rows are read, in order */
  gboolean  can_go_back;
  guint64   row_bytes;
  guint     n_windows;
  Window    window;     /* the only one, or the least that has all */
  gint64    last_first; /* of all windows, the first row of the last one */
} Set;

typedef struct {
  GArray     *sets;       /* Set */
  GHashTable *numbers;    /* AccArray to the number of its set, from 1 on */
  GPtrArray  *readers;    /* AccArray: nodes that read windows */
} Search;

static Set *
get_set (Search *self, AccArray *node)
{
  guint number = GPOINTER_TO_UINT (g_hash_table_lookup (self->numbers, node));

  if (number == 0)
    return NULL;
  while (g_array_index (self->sets, Set, number - 1).into != number)
    number = g_array_index (self->sets, Set, number - 1).into;

  return &g_array_index (self->sets, Set, number - 1);
}

static void
add_source (Search *self, AccArray *node)
{
  AccSource *source = acc_array_get_source (node);
  guint64 n_rows = node->rank > 0 && node->shape != NULL ? (guint64) acc_shape_get_extent (node->shape, 0) : 0;
  Set set = { self->sets->len + 1, (gint64) n_rows, .can_go_back = acc_source_can_seek (source),
              .row_bytes = acc_external_measure_row (node) };

  if (n_rows == 0 || acc_shape_get_rank (acc_source_get_shape (source)) != node->rank || acc_source_is_once (source)
      || (node->rank > 1 && acc_source_is_transposed (source)))
    return;
  g_array_append_val (self->sets, set);
  g_hash_table_insert (self->numbers, node, GUINT_TO_POINTER (set.into));
}

static void
join (Set *set, Set *other)
{
  if (set == other)
    return;
  set->is_fixed |= other->is_fixed;
  set->is_whole |= other->is_whole;
  set->can_go_back &= other->can_go_back;
  set->row_bytes = acc_bytes_add (set->row_bytes, other->row_bytes);
  other->into = set->into;
}

static gboolean
has_rows_in_order (const Window *window, gint64 n_rows)
{
  return window->first == 0 && window->step == 1 && window->n_rows == n_rows && !window->is_one;
}

/* Whether a row of it is made of one row of each input, and all inputs are of sets. */
static gboolean
is_of_rows (Search *self, AccArray *node)
{
  AccOperationFamily family = acc_operation_get_family (node->op);
  Window window;

  if (node->op == ACC_OP_BACKPERMUTE)
    {
      Set *set = get_set (self, node->inputs[0]);

      for (guint i = 0; i < node->references->len; i++)
        if (acc_array_reads_elements (node, g_ptr_array_index (node->references, i)))
          return FALSE;
      return set != NULL && find_window (node, &window) && has_rows_in_order (&window, set->n_rows);
    }
  if ((family != ACC_FAMILY_ELEMENTS && family != ACC_FAMILY_ZIP && node->op != ACC_OP_UNZIP) || node->n_inputs == 0
      || acc_operation_has_fact (node->op, ACC_FACT_TAKES_INDEX) || node->references->len > 0 || node->shape == NULL
      || node->offer != NULL || node->direct != NULL)
    return FALSE;
  for (guint i = 0; i < node->n_inputs; i++)
    if (get_set (self, node->inputs[i]) == NULL || !acc_shape_equal (node->shape, node->inputs[i]->shape))
      return FALSE;

  return TRUE;
}

static void
add_of_rows (Search *self, AccArray *node)
{
  Set *set = get_set (self, node->inputs[0]);

  for (guint i = 1; i < node->n_inputs; i++)
    join (set, get_set (self, node->inputs[i]));
  g_hash_table_insert (self->numbers, node, GUINT_TO_POINTER (set->into));
}

/* What reads any elements, or asks for extents, would find others. */
static void
fix_references (Search *self, AccArray *node, gboolean is_window)
{
  for (guint i = 0; i < node->references->len; i++)
    {
      AccArray *other = g_ptr_array_index (node->references, i);
      Set *set = get_set (self, other);

      if (set != NULL)
        set->is_fixed |= !is_window || acc_array_reads_elements (node, other);
    }
}

static void
add_reader (Search *self, AccArray *node)
{
  Set *set = node->n_inputs == 1 ? get_set (self, node->inputs[0]) : NULL;
  Window window;
  gboolean is_window = set != NULL && find_window (node, &window);

  fix_references (self, node, is_window);
  if (is_window)
    g_ptr_array_add (self->readers, node);
  for (guint i = 0; i < node->n_inputs && !is_window; i++)
    if ((set = get_set (self, node->inputs[i])) != NULL)
      set->is_whole = TRUE;
}

/* What is computed in place of others may be made of something else. */
static void
fix_alternatives (Search *self, AccArray *node)
{
  g_autoptr(GPtrArray) nodes = node->direct != NULL ? acc_array_sort_nodes (&node->direct, 1) : g_ptr_array_new ();
  guint n = 0;
  AccArray **inputs = node->offer != NULL ? acc_foreign_get_inputs (node, &n) : NULL;
  AccArray *other;
  Set *set;

  for (guint i = 0; i < nodes->len; i++)
    if (get_set (self, g_ptr_array_index (nodes, i)) == NULL)
      for (guint k = 0; (other = acc_array_nth_dependence (g_ptr_array_index (nodes, i), k)) != NULL; k++)
        if ((set = get_set (self, other)) != NULL && !g_ptr_array_find (self->readers, g_ptr_array_index (nodes, i), NULL))
          set->is_fixed = TRUE;
  for (guint i = 0; i < n; i++)
    if ((set = get_set (self, inputs[i])) != NULL)
      set->is_fixed = TRUE;
}

/* --- which rows are read */

static void
add_window (Set *set, AccArray *node)
{
  Window window;
  gint64 end;

  find_window (node, &window);
  if (set->n_windows++ == 0)
    {
      set->window = window;
      set->last_first = window.first;
      return;
    }
  set->is_fixed |= window.step != 1 || set->window.step != 1;
  end = MAX (set->window.first + set->window.n_rows, window.first + window.n_rows);
  set->last_first = MAX (set->last_first, window.first);
  set->window.first = MIN (set->window.first, window.first);
  set->window.n_rows = end - set->window.first;
}

/* Between the first and the last one that is needed for a row of a result rows are kept. */
static gboolean
decide (Set *set, AccBackend *backend)
{
  guint64 room = acc_external_get_room (backend);
  gboolean is_one = set->n_windows == 1 && !set->is_whole;

  if (set->is_fixed || set->n_windows == 0 || (!is_one && set->window.step != 1) || (set->window.step < 0 && !set->can_go_back))
    return FALSE;
  if (is_one && has_rows_in_order (&set->window, set->n_rows))
    return FALSE;
  if (set->is_whole || (set->window.n_rows == set->n_rows && !is_one))
    {
      set->is_whole = TRUE;
      set->window = (Window) { 0, 1, set->n_rows, FALSE };
    }

  return is_one || acc_bytes_multiply ((guint64) (set->last_first - set->window.first + 1), set->row_bytes) <= room / 8;
}

/* --- what takes their place */

static AccArray *
new_window (AccArray *node, const Window *window)
{
  g_autoptr(AccSource) source = acc_window_source_new (acc_array_get_source (node), window->first, window->step, window->n_rows);
  AccArray *array = acc_array_new_from_rows (source);

  acc_array_set_label (array, node->label);

  return array;
}

/* Adds literals in place of all extents that are known. */
static void
list_extents (GHashTable *literals, GHashTable *seen, AccExpr *root)
{
  g_autoptr(GPtrArray) stack = g_ptr_array_new ();

  g_ptr_array_add (stack, root);
  while (stack->len > 0)
    {
      AccExpr *expr = g_ptr_array_steal_index_fast (stack, stack->len - 1);

      if (!expr->reads || !g_hash_table_add (seen, expr))
        continue;
      if (expr->kind == ACC_EXPR_EXTENT && expr->array->shape != NULL)
        g_hash_table_insert (literals, expr,
                             acc_expr_ref_sink (acc_array_number (acc_shape_get_extent (expr->array->shape, expr->item))));
      for (guint i = 0; i < expr->n_args; i++)
        g_ptr_array_add (stack, expr->args[i]);
      for (guint i = 0; i < 2; i++)
        if (expr->functions[i] != NULL)
          g_ptr_array_add (stack, expr->functions[i]->body);
    }
}

static AccFunction *
without_extents (AccFunction *function)
{
  g_autoptr(GHashTable) literals = g_hash_table_new_full (NULL, NULL, NULL, (GDestroyNotify) acc_expr_unref);
  g_autoptr(GHashTable) seen = g_hash_table_new (NULL, NULL);

  list_extents (literals, seen, function->body);

  return acc_function_copy_exchanged (function, literals);
}

/* Takes over @function, and gives its shape to @copy as numbers. */
static void
set_functions (AccArray *copy, AccFunction *function)
{
  g_autofree AccExpr **items = g_new (AccExpr *, copy->rank + 1);
  g_autoptr(AccExpr) extents = NULL;

  for (guint i = 0; i < copy->rank; i++)
    items[i] = acc_array_number (acc_shape_get_extent (copy->shape, i));
  extents = acc_expr_ref_sink (acc_array_join_items (items, copy->rank));

  acc_function_unref (copy->functions[0]);
  copy->functions[0] = function;
  acc_function_unref (copy->extents);
  copy->extents = acc_function_new (NULL, 0, extents);
  g_ptr_array_unref (copy->references);
  copy->references = g_ptr_array_new_with_free_func (g_object_unref);
  acc_array_collect_references (copy);
}

static AccArray *
copy_of_rows (AccArray *node, GHashTable *values, gint64 n_rows)
{
  g_autofree AccArray **inputs = g_new (AccArray *, node->n_inputs);
  g_autofree gint64 *extents = g_memdup2 (acc_shape_get_extents (node->shape, NULL), node->rank * sizeof (gint64));
  AccArray *copy;

  for (guint i = 0; i < node->n_inputs; i++)
    inputs[i] = g_hash_table_lookup (values, node->inputs[i]);
  copy = acc_array_copy_with_inputs (node, inputs);
  extents[0] = n_rows;
  acc_shape_unref (copy->shape);
  copy->shape = acc_shape_new (extents, node->rank);
  if (node->op == ACC_OP_BACKPERMUTE)
    set_functions (copy, without_extents (node->functions[0]));

  return copy;
}

/* The same of row @offset + i, or always of row @offset. */
static AccFunction *
move_rows (AccArray *node, gint64 offset, gboolean is_one)
{
  g_autoptr(AccFunction) function = without_extents (node->functions[0]);
  AccExpr *body = function->body, *parameter = function->params[0], *row;
  guint rank = node->inputs[0]->rank;
  g_autofree AccExpr **items = g_new (AccExpr *, rank);

  if (is_one)
    row = acc_array_number (offset);
  else
    row = acc_element_type_is_scalar (parameter->type) ? parameter : acc_expr_item (parameter, 0);
  if (!is_one && offset != 0)
    row = acc_expr_add (row, acc_array_number (offset));
  items[0] = row;
  for (guint i = 1; i < rank; i++)
    items[i] = body->args[i];
  {
    g_autoptr(AccExpr) moved = acc_expr_ref_sink (rank == 1 && body->kind != ACC_EXPR_TUPLE ? row : acc_expr_tuple (items, rank));

    return acc_function_new (&parameter, 1, moved);
  }
}

/* Whether element i is element i of its input. */
static gboolean
is_same (AccArray *node)
{
  AccExpr *body = node->functions[0]->body, *parameter = node->functions[0]->params[0];

  if (!acc_shape_equal (node->shape, node->inputs[0]->shape))
    return FALSE;
  if (body->kind != ACC_EXPR_TUPLE)
    return body == parameter;
  for (guint i = 0; i < body->n_args; i++)
    if (body->args[i]->kind != ACC_EXPR_ITEM || body->args[i]->item != i || body->args[i]->args[0] != parameter)
      return FALSE;

  return TRUE;
}

static AccArray *
copy_reader (AccArray *node, AccArray *input, const Set *set)
{
  AccArray *copy = acc_array_copy_with_inputs (node, &input);
  Window window;
  gint64 offset;

  find_window (node, &window);
  offset = set->n_windows == 1 && !set->is_whole ? 0 : window.first - set->window.first;
  if (node->op == ACC_OP_SLICE)
    {
      acc_array_get_selection (copy)->entries[0] = offset;
      return copy;
    }

  set_functions (copy, move_rows (node, offset, window.is_one));
  if (is_same (copy))
    {
      g_object_unref (copy);
      return g_object_ref (input);
    }

  return copy;
}

static void
look_at (Search *self, GPtrArray *nodes, AccArray **arrays, guint n_arrays)
{
  for (guint i = 0; i < nodes->len; i++)
    {
      AccArray *node = g_ptr_array_index (nodes, i);

      if (node->op == ACC_OP_SOURCE)
        add_source (self, node);
      else if (is_of_rows (self, node))
        add_of_rows (self, node);
      else
        add_reader (self, node);
    }
  for (guint i = 0; i < nodes->len; i++)
    fix_alternatives (self, g_ptr_array_index (nodes, i));
  for (guint i = 0; i < n_arrays; i++)
    if (get_set (self, arrays[i]) != NULL)
      get_set (self, arrays[i])->is_whole = TRUE;
  for (guint i = 0; i < self->readers->len; i++)
    {
      AccArray *node = g_ptr_array_index (self->readers, i);

      add_window (get_set (self, node->inputs[0]), node);
    }
}

static void
replace (Search *self, AccBackend *backend, GPtrArray *nodes, GHashTable *values, gboolean *again)
{
  g_autofree gboolean *decided = g_new0 (gboolean, self->sets->len + 1);

  for (guint i = 0; i < self->sets->len; i++)
    {
      Set *set = &g_array_index (self->sets, Set, i);

      decided[i] = set->into == i + 1 && decide (set, backend);
      *again |= decided[i] && !set->is_whole;
    }

  for (guint i = 0; i < nodes->len; i++)
    {
      AccArray *node = g_ptr_array_index (nodes, i), *other = NULL;
      Set *set = get_set (self, node), *read = node->n_inputs == 1 ? get_set (self, node->inputs[0]) : NULL;
      gboolean is_reader = set == NULL && read != NULL && g_ptr_array_find (self->readers, node, NULL);

      if (set != NULL && decided[set->into - 1] && !set->is_whole)
        other = node->op == ACC_OP_SOURCE ? new_window (node, &set->window) : copy_of_rows (node, values, set->window.n_rows);
      else if (is_reader && decided[read->into - 1])
        other = copy_reader (node, read->is_whole ? node->inputs[0] : g_hash_table_lookup (values, node->inputs[0]), read);
      if (other != NULL)
        g_hash_table_insert (values, node, other);
    }
}

/* *@again: what reads windows of windows may be next. */
static gboolean
replace_once (AccBackend *backend, GPtrArray *arrays, gboolean *again, GError **error)
{
  g_autoptr(GPtrArray) nodes = acc_array_sort_nodes ((AccArray **) arrays->pdata, arrays->len), readers = g_ptr_array_new ();
  g_autoptr(GArray) sets = g_array_new (FALSE, FALSE, sizeof (Set));
  g_autoptr(GHashTable) numbers = g_hash_table_new (NULL, NULL);
  g_autoptr(GHashTable) values = g_hash_table_new_full (NULL, NULL, NULL, g_object_unref);
  Search search = { sets, numbers, readers };

  *again = FALSE;
  look_at (&search, nodes, (AccArray **) arrays->pdata, arrays->len);
  if (readers->len > 0)
    replace (&search, backend, nodes, values, again);

  return g_hash_table_size (values) == 0 || acc_stages_replace (values, arrays, error);
}

gboolean
acc_windows_replace (AccBackend *backend, GPtrArray *arrays, GError **error)
{
  gboolean again = TRUE;

  for (guint i = 0; i < MOST_PASSES && again; i++)
    if (!replace_once (backend, arrays, &again, error))
      return FALSE;

  return TRUE;
}
