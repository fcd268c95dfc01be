/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "acc-stages-private.h"

#include "acc-core/array/acc-array-private.h"
#include "acc-core/array/acc-foreign-known-private.h"
#include "acc-core/array/acc-module-turn.h"
#include "acc-plan-private.h"
#include "acc-source.h"

/* Where a program is cut into stages: what has to be stored, and why. */

typedef struct {
  AccBackend   *backend;
  AccStagesMode mode;
  guint64       room;          /* bytes of memory */
  GHashTable   *dependences;   /* AccArray to AccDependence, of those that depend on a source or on stores */
  GHashTable   *sourced;       /* AccArray, of those that depend on a source */
  GHashTable   *turned;        /* AccArray, of those along whose last dimension rows lie */
  GHashTable   *stages;        /* AccArray to the stage that it is computed in */
  GHashTable   *stored;        /* AccArray to the stage that stores it */
  GHashTable   *externals;     /* AccArray to AccExternal, of those that do not fit in memory */
  GArray       *stores;
} Search;

static AccDependence
get_dependence (Search *self, AccArray *node)
{
  return (AccDependence) GPOINTER_TO_UINT (g_hash_table_lookup (self->dependences, node));
}

/* --- how nodes depend on sources */

/* Rows, or what a reduction of them leaves: it is not there before the run has come to its end. */
static gboolean
is_awaited (Search *self, AccArray *node)
{
  return get_dependence (self, node) > ACC_DEPENDS_ON_STORES;
}

typedef struct {
  Search   *search;
  AccArray *node;
} Rows;

static AccRowsAlong
get_rows (guint input, gpointer data)
{
  const Rows *self = data;
  AccArray *array = self->node->inputs[input];

  return g_hash_table_contains (self->search->turned, array) ? ACC_ROWS_LAST : is_awaited (self->search, array)
         ? ACC_ROWS_FIRST : ACC_ROWS_NONE;
}

static gboolean
leaves_a_reduction (Search *self, AccArray *node)
{
  return (node->n_inputs > 0 && acc_operation_reduces_rows (node->op, node->inputs[0]->rank))
         || (acc_operation_get_family (node->op) == ACC_FAMILY_FOLD && g_hash_table_contains (self->turned, node->inputs[0]))
         || (node->op == ACC_OP_SLICE && acc_array_get_selection (node)->n > 0 && acc_array_get_selection (node)->entries[0] != ACC_ALL);
}

/* What is made of stores and is large may not have room in memory: it comes by rows, as that of sources does. */
static AccDependence
find_dependence_on_stores (Search *self, AccArray *node)
{
  gboolean is_external = self->mode == ACC_STAGES_READS && acc_external_find (self->backend, node) != NULL;

  if (!is_external && (acc_operation_has_fact (node->op, ACC_FACT_FUSES) || acc_external_get_bytes (node) <= self->room / 4))
    return ACC_DEPENDS_ON_STORES;

  return leaves_a_reduction (self, node) ? ACC_DEPENDS_ON_REDUCTIONS : ACC_DEPENDS_ON_ROWS;
}

static AccDependence
find_dependence (Search *self, AccArray *node)
{
  AccDependence found = ACC_DEPENDS_NOT;
  AccArray *dependence;

  if (node->op == ACC_OP_SOURCE)
    return ACC_DEPENDS_ON_ROWS;
  if (self->mode == ACC_STAGES_READS && acc_array_is_manifest (node) && node->rank > 0)
    return ACC_DEPENDS_ON_STORES;

  for (guint i = 0; (dependence = acc_array_nth_dependence (node, i)) != NULL; i++)
    switch (get_dependence (self, dependence))
      {
      case ACC_DEPENDS_NOT:
        break;
      case ACC_DEPENDS_ON_STORES:
        found = MAX (found, ACC_DEPENDS_ON_STORES);
        break;
      case ACC_DEPENDS_ON_ROWS:
        return leaves_a_reduction (self, node) ? ACC_DEPENDS_ON_REDUCTIONS : ACC_DEPENDS_ON_ROWS;
      case ACC_DEPENDS_ON_REDUCTIONS:
        found = ACC_DEPENDS_ON_REDUCTIONS;
        break;
      default:
        g_return_val_if_reached (found);
      }

  return found == ACC_DEPENDS_ON_STORES ? find_dependence_on_stores (self, node) : found;
}

/* --- what is stored */

static gboolean
is_elementwise (AccArray *node)
{
  AccOperationFamily family = acc_operation_get_family (node->op);

  return (family == ACC_FAMILY_ELEMENTS || family == ACC_FAMILY_ZIP || node->op == ACC_OP_UNZIP) && node->references->len == 0;
}

/* Adds to @found what takes least memory of @array and of what it is made of element by element. Returns its bytes. */
static guint64
find_least (Search *self, AccArray *array, GPtrArray *found, guint depth)
{
  guint64 bytes = acc_external_get_bytes (array), of_inputs = 0;
  guint before = found->len;

  if (is_elementwise (array) && depth < 16 && !g_hash_table_contains (self->stored, array))
    {
      for (guint i = 0; i < array->n_inputs && of_inputs < bytes; i++)
        if (get_dependence (self, array->inputs[i]) == ACC_DEPENDS_ON_ROWS && !g_ptr_array_find (found, array->inputs[i], NULL))
          of_inputs = acc_bytes_add (of_inputs, find_least (self, array->inputs[i], found, depth + 1));
        else if (get_dependence (self, array->inputs[i]) == ACC_DEPENDS_ON_REDUCTIONS)
          of_inputs = G_MAXUINT64;
      if (of_inputs > 0 && of_inputs < bytes)
        return of_inputs;
    }

  g_ptr_array_set_size (found, (gint) before);
  g_ptr_array_add (found, array);

  return bytes;
}

static guint
get_stage (Search *self, AccArray *node)
{
  return GPOINTER_TO_UINT (g_hash_table_lookup (self->stages, node));
}

/* Transforms go by rows as well, but not by a library then. */
static gboolean
is_kept_whole (Search *self, AccArray *node)
{
  return self->mode == ACC_STAGES_READS && node->offer != NULL && get_dependence (self, node) == ACC_DEPENDS_ON_STORES
         && acc_foreign_find_transform (node->offer->name) != NULL && acc_external_get_bytes (node) <= self->room / 4;
}

static void
add_store (Search *self, AccArray *store, AccArray *consumer, const char *reason)
{
  g_autofree char *what = acc_array_describe (consumer);
  AccStageStore added = { .store = store, .stage = get_stage (self, store), .bytes = acc_external_get_bytes (store),
                          .has_rows = get_dependence (self, store) == ACC_DEPENDS_ON_ROWS || is_kept_whole (self, store),
                          .external = g_hash_table_lookup (self->externals, store), .leader = self->stores->len };
  gpointer before;
  gboolean is_stored = g_hash_table_lookup_extended (self->stored, store, NULL, &before);
  guint stage = MAX (get_stage (self, consumer), (is_stored ? GPOINTER_TO_UINT (before) : added.stage) + 1);

  g_hash_table_insert (self->stages, consumer, GUINT_TO_POINTER (stage));
  if (is_stored)
    return;
  g_hash_table_insert (self->stored, store, GUINT_TO_POINTER (added.stage));

  added.why = g_strdup_printf ("%s%s%s", what, *reason == ',' ? "" : " ", reason);
  g_array_append_val (self->stores, added);
}

/* What was added last time, or before. */
static void
set_decides (Search *self, AccArray *store)
{
  for (guint i = 0; i < self->stores->len; i++)
    {
      AccStageStore *added = &g_array_index (self->stores, AccStageStore, i);

      added->decides |= added->store == store;
    }
}

/* The input of an operation that computes an element at a time may be computed as it does: less may have to be stored then. */
static void
add_input (Search *self, AccArray *node, guint input, const char *reason)
{
  g_autoptr(GPtrArray) found = g_ptr_array_new ();

  if (acc_operation_get_family (node->op) == ACC_FAMILY_GATHER && node->op != ACC_OP_REPLICATE
      && acc_external_get_bytes (node) <= acc_external_get_bytes (node->inputs[input]))
    find_least (self, node->inputs[input], found, 0);
  else
    g_ptr_array_add (found, node->inputs[input]);

  for (guint i = 0; i < found->len; i++)
    add_store (self, g_ptr_array_index (found, i), node, reason);
}

/* Of one element, which acc_array_new_from_source() takes out of its row. */
static gboolean
is_single (AccArray *node)
{
  AccArray *input = acc_array_nth_dependence (node, 0);

  return input != NULL && input->op == ACC_OP_SOURCE && acc_shape_get_rank (acc_source_get_shape (acc_array_get_source (input))) == 0;
}

static void
look_at_flow (Search *self, AccArray *node)
{
  AccArray *dependence;

  if (node->op == ACC_OP_COND && !acc_array_is_manifest (node->inputs[0]))
    {
      add_store (self, node->inputs[0], node, ", whose inputs have to be in memory");
      set_decides (self, node->inputs[0]);
    }
  else if (acc_array_get_programs (node) != NULL || is_single (node))
    for (guint i = 0; (dependence = acc_array_nth_dependence (node, i)) != NULL; i++)
      if (is_awaited (self, dependence))
        add_store (self, dependence, node, ", whose inputs have to be in memory");
}

static const gint64 *
get_extents (AccArray *array)
{
  return array->shape != NULL ? acc_shape_get_extents (array->shape, NULL) : NULL;
}

/* How much memory a node takes is known once its extents are. */
static void
look_at_extents (Search *self, AccArray *node, AccArray *other)
{
  if (node->shape == NULL && node->extents != NULL && !acc_array_is_manifest (other)
      && g_ptr_array_find (node->extents->arrays, other, NULL) && acc_array_reads_elements (node, other))
    {
      add_store (self, other, node, "takes its extents from what is computed");
      set_decides (self, other);
    }
}

/* Backends give memory to what a function reads by index, though any element could be computed from stores at any time. */
static void
look_at_indexed (Search *self, AccArray *node, AccArray *other)
{
  gboolean is_stored = g_hash_table_contains (self->stored, other);
  gboolean is_large = get_dependence (self, other) == ACC_DEPENDS_ON_STORES && !acc_array_is_manifest (other)
                      && acc_external_get_bytes (other) > self->room / 4;

  if (!(is_stored || is_large) || !acc_array_reads_elements (node, other))
    return;
  if (!is_stored)
    g_hash_table_insert (self->dependences, other, GUINT_TO_POINTER (ACC_DEPENDS_ON_ROWS));
  add_store (self, other, node, "reads any element of it");
}

static void
look_at_reads (Search *self, AccArray *node)
{
  gint64 above, below;

  for (guint i = 0; i < node->n_inputs; i++)
    if (get_dependence (self, node->inputs[i]) == ACC_DEPENDS_ON_ROWS)
      {
        const char *reason = acc_array_find_row_halo (node, i, get_extents (node), get_extents (node->inputs[i]), &above, &below);

        if (reason != NULL)
          add_input (self, node, i, reason);
      }

  for (guint i = 0; i < node->references->len; i++)
    {
      AccArray *other = g_ptr_array_index (node->references, i);
      AccDependence dependence = get_dependence (self, other);

      if (dependence == ACC_DEPENDS_ON_ROWS && acc_array_reads_elements (node, other))
        add_store (self, other, node, "reads any element of it");
      else
        {
          look_at_extents (self, node, other);
          look_at_indexed (self, node, other);
        }
    }
}

/* --- what may be one operation of the backend or of a library */

static AccArray *
get_direct (AccArray *node)
{
  AccArray *direct = node->direct;

  while (direct != NULL && direct->op == ACC_OP_RESHAPE)
    direct = direct->inputs[0];

  return direct;
}

static const AccExternal *
get_external (Search *self, AccArray *node)
{
  return g_hash_table_lookup (self->externals, node);
}

/* Its loops are no business of stages: whatever computes it needs what it reads first. */
static gboolean
has_flow (AccArray *node)
{
  const AccExternal *external = acc_external_get (node);

  return external != NULL && external->has_flow;
}

/* What such an operation reads, or an external algorithm; NULL: @node is none. Stages leave products and transforms in one piece: computed
 * whole, they are what they are in memory. */
static AccArray **
get_operands (Search *self, AccArray *node, guint *n_operands)
{
  AccArray *direct = get_direct (node), **operands = NULL;
  gboolean depends = FALSE;

  *n_operands = 0;
  if (get_external (self, node) != NULL)
    return get_external (self, node)->takes (node, n_operands);
  if (self->mode != ACC_STAGES_READS && !(self->mode == ACC_STAGES_FLOW && node->offer != NULL && has_flow (node)))
    return NULL;
  if (node->offer != NULL)
    operands = acc_foreign_get_inputs (node, n_operands);
  else if (direct != NULL && (direct->op == ACC_OP_MATMUL || direct->op == ACC_OP_FFT))
    operands = direct->inputs, *n_operands = direct->n_inputs;

  for (guint i = 0; i < *n_operands; i++)
    depends |= get_dependence (self, operands[i]) == ACC_DEPENDS_ON_ROWS || get_dependence (self, operands[i]) == ACC_DEPENDS_ON_STORES;

  return depends ? operands : NULL;
}

static void
look_at_operands (Search *self, AccArray *node, AccArray **operands, guint n_operands)
{
  for (guint i = 0; i < n_operands; i++)
    if (get_dependence (self, operands[i]) == ACC_DEPENDS_ON_ROWS)
      add_store (self, operands[i], node, "needs all rows at once");
}

/* What fuses, and is larger than the reductions that it is made of, as copies of a maximum are, is computed with the rows. */
static void
add_reductions (Search *self, AccArray *array, AccArray *consumer, GHashTable *seen)
{
  guint64 bytes = acc_external_get_bytes (array), of_others = 0;
  AccArray *other;

  if (!g_hash_table_add (seen, array))
    return;
  for (guint i = 0; (other = acc_array_nth_dependence (array, i)) != NULL && of_others < bytes; i++)
    if (get_dependence (self, other) == ACC_DEPENDS_ON_REDUCTIONS)
      of_others = acc_bytes_add (of_others, acc_external_get_bytes (other));
    else if (is_awaited (self, other))
      of_others = G_MAXUINT64;

  if (!acc_operation_has_fact (array->op, ACC_FACT_FUSES) || of_others == 0 || of_others >= bytes)
    {
      add_store (self, array, consumer, "reads a reduction over all rows together with rows");
      return;
    }
  for (guint i = 0; (other = acc_array_nth_dependence (array, i)) != NULL; i++)
    if (get_dependence (self, other) == ACC_DEPENDS_ON_REDUCTIONS)
      add_reductions (self, other, consumer, seen);
}

static void
look_at_reductions (Search *self, AccArray *node)
{
  g_autoptr(GHashTable) seen = g_hash_table_new (NULL, NULL);
  gboolean reads_rows = FALSE;
  AccArray *dependence;

  for (guint i = 0; (dependence = acc_array_nth_dependence (node, i)) != NULL; i++)
    reads_rows |= get_dependence (self, dependence) == ACC_DEPENDS_ON_ROWS;

  for (guint i = 0; reads_rows && (dependence = acc_array_nth_dependence (node, i)) != NULL; i++)
    if (get_dependence (self, dependence) == ACC_DEPENDS_ON_REDUCTIONS)
      add_reductions (self, dependence, node, seen);
}

/* --- the search */

typedef struct {
  AccArray *node;
  guint     next;
} Frame;

/* Only what is needed: neither side of a choice before its condition is known. */
static AccArray *
get_next (Search *self, Frame *frame)
{
  guint n = frame->next++, n_operands;
  AccArray **operands = get_operands (self, frame->node, &n_operands);
  const AccExternal *external = get_external (self, frame->node);

  if (external != NULL && n < 32 && (external->skips & 1u << n) != 0)
    return get_next (self, frame);
  if (operands != NULL && (external == NULL || !external->reads_references))
    return n < n_operands ? operands[n] : NULL;
  if (frame->node->op == ACC_OP_COND && is_awaited (self, frame->node) && n > 0)
    return NULL;

  return acc_array_nth_dependence (frame->node, n);
}

static void
add_external (Search *self, AccArray *node)
{
  gboolean fits = acc_external_find (self->backend, node) == NULL;

  add_store (self, node, node, fits ? "groups floats by segments" : "does not fit in memory");
}

static void
look_at (Search *self, AccArray *node)
{
  AccArray *dependence, **operands;
  guint stage = 0, n_operands;

  for (Frame frame = { node, 0 }; (dependence = get_next (self, &frame)) != NULL; )
    stage = MAX (stage, get_stage (self, dependence));
  g_hash_table_insert (self->stages, node, GUINT_TO_POINTER (stage));

  if (!is_awaited (self, node))
    {
      if (is_kept_whole (self, node))
        add_store (self, node, node, "is computed whole, as in memory");
      for (guint i = 0; self->mode == ACC_STAGES_READS && i < node->references->len; i++)
        {
          look_at_extents (self, node, g_ptr_array_index (node->references, i));
          look_at_indexed (self, node, g_ptr_array_index (node->references, i));
        }
      return;
    }

  switch (self->mode)
    {
    case ACC_STAGES_FLOW:
      operands = get_operands (self, node, &n_operands);
      if (get_external (self, node) != NULL)
        add_external (self, node);
      else if (operands != NULL)
        look_at_operands (self, node, operands, n_operands);
      else
        look_at_flow (self, node);
      break;
    case ACC_STAGES_READS:
      operands = get_operands (self, node, &n_operands);
      look_at_flow (self, node);
      if (get_external (self, node) != NULL)
        add_external (self, node);
      else if (operands != NULL)
        look_at_operands (self, node, operands, n_operands);
      else
        look_at_reads (self, node);
      break;
    case ACC_STAGES_REDUCTIONS:
      look_at_flow (self, node);
      look_at_reductions (self, node);
      break;
    case ACC_STAGES_SOURCES:
      for (guint i = 0; (dependence = acc_array_nth_dependence (node, i)) != NULL; i++)
        if (dependence->op == ACC_OP_SOURCE)
          add_store (self, dependence, node, "does not go by rows on this backend");
      break;
    default:
      g_return_if_reached ();
    }
}

static void
walk (Search *self, AccArray *root, GHashTable *seen)
{
  g_autoptr(GArray) stack = g_array_new (FALSE, FALSE, sizeof (Frame));
  AccArray *dependence = root;

  for (;;)
    {
      Frame *top;

      if (dependence != NULL && g_hash_table_add (seen, dependence))
        g_array_append_vals (stack, &(Frame) { dependence, 0 }, 1);
      if (stack->len == 0)
        return;

      top = &g_array_index (stack, Frame, stack->len - 1);
      dependence = get_next (self, top);
      if (dependence != NULL)
        continue;
      look_at (self, top->node);
      g_array_set_size (stack, stack->len - 1);
    }
}

static void
clear_store (gpointer data)
{
  g_free (((AccStageStore *) data)->why);
}

/* One look at the graph, offers not worked out. */
static gboolean
has_sources (AccArray **arrays, guint n_arrays)
{
  g_autoptr(GPtrArray) nodes = acc_array_sort_known_nodes (arrays, n_arrays);

  for (guint i = 0; i < nodes->len; i++)
    if (((AccArray *) g_ptr_array_index (nodes, i))->op == ACC_OP_SOURCE)
      return TRUE;

  return FALSE;
}

static void
look_up_dependence (Search *self, AccArray *node)
{
  AccDependence dependence = find_dependence (self, node);
  const AccExternal *external = NULL;
  AccArray *other;

  if (dependence == ACC_DEPENDS_NOT)
    return;
  g_hash_table_insert (self->dependences, node, GUINT_TO_POINTER ((guint) dependence));
  if (node->op == ACC_OP_SOURCE)
    g_hash_table_add (self->sourced, node);
  if (dependence == ACC_DEPENDS_ON_ROWS && acc_array_is_turned (node, get_rows, &(Rows) { self, node }))
    g_hash_table_add (self->turned, node);
  for (guint i = 0; (other = acc_array_nth_dependence (node, i)) != NULL; i++)
    if (g_hash_table_contains (self->sourced, other))
      g_hash_table_add (self->sourced, node);

  if (self->mode == ACC_STAGES_READS || (self->mode == ACC_STAGES_FLOW && has_flow (node)))
    external = acc_external_find (self->backend, node);
  if (external == NULL && self->mode == ACC_STAGES_READS && g_hash_table_contains (self->sourced, node))
    external = acc_external_get_only (node);
  if (external != NULL)
    g_hash_table_insert (self->externals, node, (gpointer) external);
}

/* Nodes in order. Of what an external algorithm reads in place of the inputs of a node, some may be nobody else's. */
static void
look_up_dependences (Search *self, GPtrArray *nodes)
{
  g_autoptr(GHashTable) seen = g_hash_table_new (NULL, NULL);

  for (guint i = 0; i < nodes->len; i++)
    {
      AccArray *node = g_ptr_array_index (nodes, i), **operands = NULL;
      const AccExternal *external = self->mode == ACC_STAGES_READS && node->direct != NULL ? acc_external_get (node) : NULL;
      guint n_operands = 0;
      g_autoptr(GPtrArray) others = NULL;

      if (external != NULL)
        operands = external->takes (node, &n_operands);
      others = n_operands > 0 ? acc_array_sort_nodes (operands, n_operands) : g_ptr_array_new ();
      for (guint k = 0; k < others->len; k++)
        if (g_hash_table_add (seen, g_ptr_array_index (others, k)))
          look_up_dependence (self, g_ptr_array_index (others, k));
      if (g_hash_table_add (seen, node))
        look_up_dependence (self, node);
    }
}

GArray *
acc_stages_find_stores (AccBackend *backend, AccArray **arrays, guint n_arrays, AccStagesMode mode, AccDependence *dependences)
{
  g_autoptr(GPtrArray) nodes = NULL;
  g_autoptr(GHashTable) depending = g_hash_table_new (NULL, NULL), stages = g_hash_table_new (NULL, NULL),
    stored = g_hash_table_new (NULL, NULL), externals = g_hash_table_new (NULL, NULL), seen = g_hash_table_new (NULL, NULL),
    sourced = g_hash_table_new (NULL, NULL), turned = g_hash_table_new (NULL, NULL);
  Search self = { backend, mode, 0, depending, sourced, turned, stages, stored, externals,
                  g_array_new (FALSE, FALSE, sizeof (AccStageStore)) };

  g_array_set_clear_func (self.stores, clear_store);
  for (guint i = 0; dependences != NULL && i < n_arrays; i++)
    dependences[i] = ACC_DEPENDS_NOT;
  if (mode != ACC_STAGES_READS && !has_sources (arrays, n_arrays))
    return self.stores;
  self.room = acc_external_get_room (backend);

  nodes = acc_array_sort_nodes (arrays, n_arrays);
  look_up_dependences (&self, nodes);
  for (guint i = 0; i < n_arrays; i++)
    {
      walk (&self, arrays[i], seen);
      if (dependences != NULL)
        dependences[i] = g_hash_table_contains (sourced, arrays[i]) ? get_dependence (&self, arrays[i]) : ACC_DEPENDS_NOT;
      /* Of a result that is nothing else: */
      if (mode == ACC_STAGES_SOURCES && arrays[i]->op == ACC_OP_SOURCE)
        add_store (&self, arrays[i], arrays[i], "does not go by rows on this backend");
    }

  return self.stores;
}
