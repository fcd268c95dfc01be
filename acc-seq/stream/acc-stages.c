/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "acc-stages-private.h"

#include "acc-core/array/acc-array-build-private.h"
#include "acc-core/array/acc-array-values-private.h"
#include "acc-core/backend/acc-deferred-private.h"
#include "acc-core/data/acc-source-private.h"
#include "acc-error.h"
#include "acc-evaluate-private.h"
#include "acc-memory-source-private.h"
#include "acc-plan-private.h"
#include "acc-seq/stream/external/acc-external-walk-private.h"
#include "acc-seq/stream/windows/acc-windows-private.h"

typedef struct {
  AccBackend   *backend;
  AccStagesMode mode;
  gint64        chunk_rows;
  GCancellable *cancellable;
  GHashTable   *values;        /* AccArray to what takes its place, owned */
  GHashTable   *shared;        /* of external algorithms */
  AccBeside     beside;        /* of the stage under way */
} Stages;

/* --- where stores are */

/* Half of what is left, as the stage that reads it needs memory, too, and so do rows of sources. What a reduction leaves goes to memory
 * whatever its size. */
gboolean
acc_stages_takes_memory (const AccStageStore *store, guint64 *room)
{
  guint64 least;

  if (*room == G_MAXUINT64 || !store->has_rows || store->bytes == G_MAXUINT64 || acc_array_is_manifest (store->store))
    return TRUE;
  least = MAX (store->bytes, acc_external_measure_rows (store->store));
  if (acc_bytes_add (store->bytes, least) > *room)
    return FALSE;
  *room -= 2 * store->bytes;

  return TRUE;
}

/* --- a stage */

void
acc_stages_prefix_error (const AccStageStore *store, GError **error)
{
  if (error != NULL
      && (g_error_matches (*error, ACC_ERROR, ACC_ERROR_STREAM) || g_error_matches (*error, ACC_ERROR, ACC_ERROR_OUT_OF_MEMORY)
          || g_error_matches (*error, ACC_ERROR, ACC_ERROR_IO)))
    g_prefix_error (error, "%s: ", store->why);
}

/* Borrowed from @self. */
static AccExternalTask
make_task (Stages *self, AccArray *node)
{
  return (AccExternalTask) { self->backend, node, self->chunk_rows, self->shared, &self->beside, self->cancellable };
}

static AccArray *
compute_in_file (Stages *self, AccArray *array, GError **error)
{
  const AccExternalTask task = make_task (self, array);
  g_autoptr(AccStore) file = NULL;

  if (self->mode != ACC_STAGES_SOURCES)
    return acc_external_store (&task, array, "a store", error);

  file = acc_external_new_store (&task, array->type, array->shape, "a store", error);

  return file != NULL && acc_store_fill (file, acc_array_get_source (array), self->cancellable, error) ? acc_store_dup_array (file, error)
                                                                                                       : NULL;
}

static void
set_value (Stages *self, AccArray *array, AccArray *value)
{
  g_hash_table_insert (self->values, array, value);
}

/* In memory. */
static void
set_kept (Stages *self, const AccStageStore *store, AccArray *value)
{
  if (store->has_rows && value->rank > 0 && acc_array_is_manifest (value) && !acc_store_holds (value)
      && !acc_array_is_manifest (store->store))
    acc_stages_set_in_memory (value, TRUE);
  set_value (self, store->store, value);
}

/* Computes @stores, AccStageStore, together, and what no walk took along. */
static gboolean
compute_in_memory (Stages *self, GPtrArray *stores, GPtrArray *beside, GError **error)
{
  g_autoptr(GPtrArray) wanted = g_ptr_array_new ();
  g_autoptr(GPtrArray) values = NULL;

  for (guint i = 0; i < stores->len; i++)
    g_ptr_array_add (wanted, ((const AccStageStore *) g_ptr_array_index (stores, i))->store);
  g_ptr_array_extend (wanted, beside, NULL, NULL);
  if (wanted->len == 0)
    return TRUE;

  values = acc_evaluate_with_chunk_rows (self->backend, (AccArray **) wanted->pdata, wanted->len, self->chunk_rows, self->cancellable,
                                         error);
  for (guint i = 0; values != NULL && i < wanted->len; i++)
    {
      AccArray *value = g_object_ref (g_ptr_array_index (values, i));

      if (i < stores->len)
        set_kept (self, g_ptr_array_index (stores, i), value);
      else
        set_value (self, g_ptr_array_index (wanted, i), value);
    }

  return values != NULL;
}

static gboolean
compute_one (Stages *self, const AccStageStore *store, gboolean in_memory, GError **error)
{
  AccArray *value;

  if (in_memory)
    value = acc_store_read_source (self->backend, acc_array_get_source (store->store), self->cancellable, error);
  else
    value = compute_in_file (self, store->store, error);

  if (value == NULL)
    {
      acc_stages_prefix_error (store, error);
      return FALSE;
    }
  if (in_memory)
    set_kept (self, store, value);
  else
    set_value (self, store->store, value);

  return TRUE;
}

/* Whether another store has the walk of number @i. */
static gboolean
is_joined (GArray *stores, guint i)
{
  guint leader = g_array_index (stores, AccStageStore, i).leader;
  gboolean found = leader != i;

  for (guint k = i + 1; k < stores->len && !found; k++)
    found = g_array_index (stores, AccStageStore, k).leader == i;

  return found;
}

/* What store number @leader leads. */
static gboolean
compute_externally (Stages *self, GArray *stores, guint leader, GError **error)
{
  g_autofree const AccExternal **externals = g_new0 (const AccExternal *, stores->len + 1);
  g_autofree AccExternalTask *tasks = g_new0 (AccExternalTask, stores->len + 1);
  g_autofree AccArray **results = g_new0 (AccArray *, stores->len + 1);
  gboolean done;
  guint n = 0;

  for (guint i = leader; i < stores->len; i++)
    {
      const AccStageStore *store = &g_array_index (stores, AccStageStore, i);

      if (store->leader != leader)
        continue;
      externals[n] = acc_stages_get_external (store);
      tasks[n++] = make_task (self, store->store);
    }
  if (n > 1)
    {
      done = acc_external_compute_together (externals, tasks, n, results, error);
    }
  else
    {
      results[0] = acc_external_compute (externals[0], &tasks[0], error);
      done = results[0] != NULL;
    }
  for (guint i = 0; i < n && done; i++)
    set_value (self, tasks[i].node, results[i]);

  return done;
}

/* Those of the first stage, which are placed. *@in_files: gets whether none goes to memory. */
static gboolean
try_stage (Stages *self, GPtrArray *results, GArray *stores, gboolean *in_files, GError **error)
{
  g_autoptr(GPtrArray) together = g_ptr_array_new ();
  g_autoptr(GPtrArray) wanted = acc_stages_find_beside (self->backend, (AccArray **) results->pdata, results->len, self->mode, stores);

  *in_files = TRUE;
  self->beside = (AccBeside) { wanted, self->values };

  for (guint i = 0; i < stores->len; i++)
    {
      const AccStageStore *store = &g_array_index (stores, AccStageStore, i);
      gboolean in_memory = store->in_memory;

      if (store->stage > 0)
        continue;
      *in_files &= !in_memory || !store->has_rows;
      if (store->external != NULL || is_joined (stores, i))
        {
          if (store->leader == i && !compute_externally (self, stores, i, error))
            return FALSE;
        }
      else if (in_memory && self->mode != ACC_STAGES_SOURCES)
        g_ptr_array_add (together, (gpointer) store);
      else if (!compute_one (self, store, in_memory, error))
        return FALSE;
    }

  if (!compute_in_memory (self, together, wanted, error))
    {
      if (together->len > 0)
        acc_stages_prefix_error (g_ptr_array_index (together, 0), error);
      return FALSE;
    }

  return TRUE;
}

/* Where memory is short, stores go to files: those of stages before, the largest first, then its own. */
static gboolean
compute_stage (Stages *self, GPtrArray *results, GArray *stores, GError **error)
{
  gboolean in_files = FALSE, were_in_files, done;
  GError *local = NULL;

  for (;;)
    {
      were_in_files = in_files;
      done = try_stage (self, results, stores, &in_files, &local);
      self->beside = (AccBeside) { NULL, NULL };
      if (done)
        return TRUE;
      g_hash_table_remove_all (self->values);
      if (acc_stages_make_room (self->backend, (AccArray **) results->pdata, results->len, local))
        in_files = were_in_files;
      else if (in_files || !g_error_matches (local, ACC_ERROR, ACC_ERROR_OUT_OF_MEMORY))
        break;
      else
        in_files = TRUE;
      g_clear_error (&local);
      acc_stages_place (self->backend, stores, self->mode, 0, in_files);
    }
  g_propagate_error (error, local);

  return FALSE;
}

/* --- what takes the place of nodes */

static AccArray *
look_up (GHashTable *values, AccArray *node)
{
  AccArray *other = g_hash_table_lookup (values, node);

  return other != NULL ? other : node;
}

/* What takes the place of others has extents, and elements that others' extents are made of. */
static void
find_extents (AccArray *node)
{
  guint n = node->direct != NULL ? node->direct->n_inputs : 0;
  g_autoptr(GPtrArray) others = n > 0 ? acc_array_sort_nodes (node->direct->inputs, n) : g_ptr_array_new ();

  for (guint i = 0; i < others->len; i++)
    if (((AccArray *) g_ptr_array_index (others, i))->shape == NULL)
      acc_array_infer_known (g_ptr_array_index (others, i));
  if (node->shape == NULL)
    acc_array_infer_known (node);
}

static gboolean
replace_node (GHashTable *values, AccArray *node, GError **error)
{
  AccArray *condition = node->op == ACC_OP_COND ? g_hash_table_lookup (values, node->inputs[0]) : NULL, *other;

  if (condition != NULL && acc_array_is_manifest (condition))
    {
      const guint8 *flag = acc_buffer_map (acc_array_get_buffers (condition)[0], error);

      if (flag == NULL)
        return FALSE;
      other = g_object_ref (look_up (values, node->inputs[*flag != 0 ? 1 : 2]));
    }
  else
    {
      other = acc_array_copy_same (node, values);
    }

  if (other == NULL)
    return TRUE;
  g_hash_table_insert (values, node, other);
  find_extents (other);

  return acc_array_check (other, error);
}

/* @arrays get what takes their place. */
gboolean
acc_stages_replace (GHashTable *values, GPtrArray *arrays, GError **error)
{
  g_autoptr(GPtrArray) nodes = acc_array_sort_nodes ((AccArray **) arrays->pdata, arrays->len);

  for (guint i = 0; i < nodes->len; i++)
    if (!g_hash_table_contains (values, g_ptr_array_index (nodes, i))
        && !replace_node (values, g_ptr_array_index (nodes, i), error))
      return FALSE;

  for (guint i = 0; i < arrays->len; i++)
    {
      AccArray *other = g_object_ref (look_up (values, g_ptr_array_index (arrays, i)));

      g_object_unref (g_ptr_array_index (arrays, i));
      g_ptr_array_index (arrays, i) = other;
    }
  g_hash_table_remove_all (values);

  return TRUE;
}

/* One look at the graph, offers not worked out: what is in memory, as most is, needs no other. */
static void
look_at (AccArray **arrays, guint n_arrays, gboolean *has_deferred, gboolean *has_sources)
{
  g_autoptr(GPtrArray) nodes = acc_array_sort_known_nodes (arrays, n_arrays);

  *has_deferred = *has_sources = FALSE;
  for (guint i = 0; i < nodes->len; i++)
    {
      AccOperation op = ((AccArray *) g_ptr_array_index (nodes, i))->op;

      *has_deferred |= op == ACC_OP_DEFERRED;
      *has_sources |= op == ACC_OP_SOURCE;
    }
}

/* @may_have_stores: some source is to be read. */
static GPtrArray *
begin (AccBackend *backend, AccArray **arrays, guint n_arrays, gint64 chunk_rows, gboolean *may_have_stores, GCancellable *cancellable,
       GError **error)
{
  GPtrArray *results;
  gboolean has_deferred;

  look_at (arrays, n_arrays, &has_deferred, may_have_stores);
  if (has_deferred)
    {
      /* What takes their place is not known yet. */
      *may_have_stores = TRUE;
      return acc_deferred_evaluate (backend, arrays, n_arrays, chunk_rows, cancellable, error);
    }

  results = g_ptr_array_new_with_free_func (g_object_unref);
  for (guint i = 0; i < n_arrays; i++)
    g_ptr_array_add (results, g_object_ref (arrays[i]));

  return results;
}

/* --- sources that can be read once */

/* Counts, for sources that can be read once, a walk over what @arrays are made of, without what is made in place of nodes of @cut. */
static void
count_walk (GHashTable *walks, AccArray **arrays, guint n_arrays, GHashTable *cut)
{
  g_autoptr(GHashTable) seen = g_hash_table_new (NULL, NULL);
  g_autoptr(GPtrArray) stack = g_ptr_array_new ();

  for (guint i = 0; i < n_arrays; i++)
    g_ptr_array_add (stack, arrays[i]);
  while (stack->len > 0)
    {
      AccArray *node = g_ptr_array_steal_index_fast (stack, stack->len - 1), *dependence;

      if ((cut != NULL && g_hash_table_contains (cut, node)) || !g_hash_table_add (seen, node))
        continue;
      if (node->op == ACC_OP_SOURCE && acc_source_is_once (acc_array_get_source (node)))
        g_hash_table_insert (walks, node, GUINT_TO_POINTER (GPOINTER_TO_UINT (g_hash_table_lookup (walks, node)) + 1));
      for (guint i = 0; (dependence = acc_array_nth_dependence (node, i)) != NULL; i++)
        g_ptr_array_add (stack, dependence);
    }
}

/* Those that several walks read. */
static GPtrArray *
list_repeated (GHashTable *walks)
{
  GPtrArray *sources = g_ptr_array_new ();
  GHashTableIter iter;
  gpointer source, n;

  g_hash_table_iter_init (&iter, walks);
  while (g_hash_table_iter_next (&iter, &source, &n))
    if (GPOINTER_TO_UINT (n) > 1)
      g_ptr_array_add (sources, source);

  return sources;
}

/* Of the walk of store number @leader. */
static void
count_external (GHashTable *walks, GArray *stores, guint leader)
{
  g_autoptr(GPtrArray) nodes = acc_stages_list_led (stores, leader);

  count_walk (walks, (AccArray **) nodes->pdata, nodes->len, NULL);
}

static GPtrArray *
find_repeated (AccArray **arrays, guint n_arrays, GArray *stores)
{
  g_autoptr(GHashTable) walks = g_hash_table_new (NULL, NULL), cut = g_hash_table_new (NULL, NULL);
  g_autoptr(GPtrArray) together = g_ptr_array_new ();

  for (guint i = 0; i < stores->len; i++)
    {
      const AccStageStore *store = &g_array_index (stores, AccStageStore, i);
      AccArray *node = store->store, *dependence;

      if (store->stage > 0)
        continue;
      g_hash_table_add (cut, node);
      if (store->external == NULL && !store->has_rows)
        g_ptr_array_add (together, node);
      else if (store->external != NULL && store->external->reads_references)
        for (guint k = 0; (dependence = acc_array_nth_dependence (node, k)) != NULL; k++)
          count_walk (walks, &dependence, 1, NULL);
      else if (store->leader == i)
        count_external (walks, stores, i);
    }
  count_walk (walks, (AccArray **) together->pdata, together->len, NULL);
  count_walk (walks, arrays, n_arrays, cut);

  return list_repeated (walks);
}

/* Of the room that there is: what a source may hold. */
#define HELD_PART 4

/* What can be spared is given back for that: only where it decides. */
static gboolean
holds_too_much (AccBackend *backend, AccArray *node)
{
  AccSource *source = node->op == ACC_OP_SOURCE ? acc_array_get_source (node) : NULL;

  return source != NULL && acc_source_comes_whole (source)
         && acc_source_get_resident_bytes (source) > acc_external_get_room (backend) / HELD_PART;
}

GPtrArray *
acc_stages_find_kept (AccBackend *backend, AccArray **arrays, guint n_arrays, GArray *stores)
{
  GPtrArray *kept = stores->len > 0 ? find_repeated (arrays, n_arrays, stores) : g_ptr_array_new ();
  g_autoptr(GPtrArray) nodes = acc_array_sort_known_nodes (arrays, n_arrays);

  for (guint i = 0; i < nodes->len; i++)
    if (holds_too_much (backend, g_ptr_array_index (nodes, i)) && !g_ptr_array_find (kept, g_ptr_array_index (nodes, i), NULL))
      g_ptr_array_add (kept, g_ptr_array_index (nodes, i));

  return kept;
}

AccStageStore
acc_stages_keep_source (AccArray *source)
{
  gboolean is_whole = acc_source_comes_whole (acc_array_get_source (source));

  return (AccStageStore) { .store = source,
                           .why = (char *) (is_whole ? "its rows come all at once" : "it can be read once, and is needed again"),
                           .has_rows = TRUE, .bytes = acc_external_get_bytes (source) };
}

/* Rows of what is stored take the place of those of @sources. */
static gboolean
keep_sources (Stages *self, GPtrArray *sources, GPtrArray *results, GError **error)
{
  guint64 room = acc_external_get_room (self->backend);
  AccStagesMode mode = self->mode;
  gboolean done = TRUE;

  self->mode = ACC_STAGES_SOURCES;
  for (guint i = 0; i < sources->len && done; i++)
    {
      AccArray *source = g_ptr_array_index (sources, i);
      AccStageStore store = acc_stages_keep_source (source);

      done = compute_one (self, &store, acc_stages_takes_memory (&store, &room), error);
      if (done)
        set_value (self, source, acc_memory_source_new_rows (g_hash_table_lookup (self->values, source)));
    }
  self->mode = mode;

  return done && (sources->len == 0 || acc_stages_replace (self->values, results, error));
}

gboolean
acc_stages_keep_sources (AccBackend *backend, GPtrArray *arrays, gint64 chunk_rows, GCancellable *cancellable, GError **error)
{
  g_autoptr(GHashTable) walks = g_hash_table_new (NULL, NULL), values = g_hash_table_new_full (NULL, NULL, NULL, g_object_unref);
  Stages self = { backend, ACC_STAGES_SOURCES, chunk_rows, cancellable, values, NULL, { NULL, NULL } };
  g_autoptr(GPtrArray) sources = NULL;

  for (guint i = 0; i < arrays->len; i++)
    count_walk (walks, (AccArray **) &g_ptr_array_index (arrays, i), 1, NULL);
  sources = list_repeated (walks);

  return keep_sources (&self, sources, arrays, error);
}

/* --- runs */

gboolean
acc_stages_take_windows (AccBackend *backend, GPtrArray *arrays, AccStagesMode mode, GError **error)
{
  return (mode != ACC_STAGES_READS && mode != ACC_STAGES_SOURCES) || acc_windows_replace (backend, arrays, error);
}

GPtrArray *
acc_stages_run (AccBackend *backend, AccArray **arrays, guint n_arrays, AccStagesMode mode, gint64 chunk_rows,
                AccDependence *dependences, GCancellable *cancellable, GError **error)
{
  g_autoptr(GHashTable) values = g_hash_table_new_full (NULL, NULL, NULL, g_object_unref);
  g_autoptr(GHashTable) shared = g_hash_table_new_full (NULL, NULL, NULL, g_object_unref);
  Stages self = { backend, mode, chunk_rows, cancellable, values, shared, { NULL, NULL } };
  gboolean may_have_stores;
  g_autoptr(GPtrArray) results = begin (backend, arrays, n_arrays, chunk_rows, &may_have_stores, cancellable, error);

  for (guint i = 0; dependences != NULL && i < n_arrays; i++)
    dependences[i] = ACC_DEPENDS_NOT;
  if (results != NULL && may_have_stores && !acc_stages_take_windows (backend, results, mode, error))
    return NULL;
  while (results != NULL && may_have_stores)
    {
      g_autoptr(GArray) stores = acc_stages_find_stores (backend, (AccArray **) results->pdata, results->len, mode,
                                                         dependences);

      g_autoptr(GPtrArray) kept = NULL;

      if (stores->len > 0)
        acc_stages_place (backend, stores, mode, 0, FALSE);
      kept = acc_stages_find_kept (backend, (AccArray **) results->pdata, results->len, stores);
      if (kept->len > 0)
        {
          if (!keep_sources (&self, kept, results, error))
            return NULL;
          continue;
        }
      if (stores->len == 0)
        break;
      if (!compute_stage (&self, results, stores, error) || !acc_stages_replace (values, results, error))
        return NULL;
    }

  return g_steal_pointer (&results);
}

/* --- which stages come next */

gboolean
acc_stages_set_obstacle (GError *local, GError **obstacle, GError **error)
{
  gboolean may_be_staged = g_error_matches (local, ACC_ERROR, ACC_ERROR_STREAM)
                           || g_error_matches (local, ACC_ERROR, ACC_ERROR_OUT_OF_MEMORY);

  g_propagate_error (may_be_staged ? obstacle : error, local);

  return FALSE;
}

static gboolean
get_next_mode (guint *tried, const GError *obstacle, AccStagesMode *mode)
{
  if (g_error_matches (obstacle, ACC_ERROR, ACC_ERROR_STREAM))
    *mode = (*tried & 1 << ACC_STAGES_READS) == 0 ? ACC_STAGES_READS : ACC_STAGES_SOURCES;
  else if (g_error_matches (obstacle, ACC_ERROR, ACC_ERROR_OUT_OF_MEMORY))
    *mode = (*tried & 1 << ACC_STAGES_REDUCTIONS) == 0 ? ACC_STAGES_REDUCTIONS : ACC_STAGES_READS;
  else
    return FALSE;

  if ((*tried & 1 << *mode) != 0)
    return FALSE;
  *tried |= 1 << *mode;

  return TRUE;
}

gboolean
acc_stages_find_next (AccBackend *backend, AccArray **arrays, guint n_arrays, guint *tried, const GError *obstacle, AccStagesMode *mode)
{
  while (get_next_mode (tried, obstacle, mode))
    {
      g_autoptr(GArray) stores = acc_stages_find_stores (backend, arrays, n_arrays, *mode, NULL);

      if (stores->len > 0)
        return TRUE;
    }

  return FALSE;
}
