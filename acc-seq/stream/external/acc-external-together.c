/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "acc-external-walk-private.h"
#include "acc-kept-sink-private.h"

#include "acc-core/array/acc-array-private.h"
#include "acc-seq/stream/acc-plan-private.h"
#include "acc-seq/stream/acc-stages-private.h"
#include "acc-seq/stream/acc-write-private.h"

/* Algorithms that begin with a walk over the same sources have one walk, and a part of the memory each as long as it goes on. */

/* Of memory: what a walk has at least beside what algorithms take for it, by all that leave some for rows. */
#define WALK_PART 8

/* --- which ones */

static gboolean
reads_same (AccArray *array, AccArray *other)
{
  return acc_external_reads_all (array, other) || acc_external_reads_all (other, array);
}

typedef struct {
  const AccExternal *external;
  AccArray *node;
  AccArray *read;             /* owned */
  guint     n_written, n_read;
} Member;

static void
clear_member (gpointer data)
{
  g_clear_object (&((Member *) data)->read);
}

/* Whether it does as well with the memory that is left. */
static gboolean
does_as_well (AccBackend *backend, const Member *self)
{
  g_autoptr(AccArray) read = NULL;
  guint n_written, n_read;

  if (self->external->measure_least (self->node) > acc_external_get_room (backend))
    return FALSE;
  acc_external_count_passes (self->external, backend, self->node, &n_written, &n_read);
  read = self->external->dup_read (backend, self->node);

  return read != NULL && n_written <= self->n_written && n_read <= self->n_read;
}

/* Whether all of @members do with a part of the memory each, and one walk computes what they read. */
static gboolean
fit (AccBackend *backend, GArray *members)
{
  g_autoptr(GPtrArray) arrays = g_ptr_array_new (), sinks = g_ptr_array_new_with_free_func (g_object_unref);
  guint64 room = acc_external_get_room (backend), held = 0;
  gboolean done = TRUE;

  acc_external_hold (backend, &held, room != G_MAXUINT64 ? room / members->len * (members->len - 1) : 0);
  for (guint i = 0; i < members->len && done; i++)
    {
      const Member *member = &g_array_index (members, Member, i);

      done = does_as_well (backend, member);
      g_ptr_array_add (arrays, member->read);
      g_ptr_array_add (sinks, acc_kept_sink_new (backend));
    }
  acc_external_hold (backend, &held, room != G_MAXUINT64 ? room - room / WALK_PART : 0);
  done = done && acc_write_fits (backend, (AccArray **) arrays->pdata, (AccSink **) sinks->pdata, arrays->len, 0);
  acc_external_hold (backend, &held, 0);

  return done;
}

const AccExternal *
acc_stages_get_external (const AccStageStore *store)
{
  if (store->external != NULL || store->in_memory)
    return store->external;

  return store->store->shape != NULL ? &acc_external_to_file : NULL;
}

static gboolean
begin_member (Member *self, AccBackend *backend, const AccStageStore *store)
{
  const AccExternal *external = store->stage == 0 ? acc_stages_get_external (store) : NULL;

  *self = (Member) { external, store->store, NULL, 0, 0 };
  if (external == NULL || external->dup_read == NULL)
    return FALSE;
  self->read = external->dup_read (backend, store->store);
  if (self->read == NULL)
    return FALSE;
  acc_external_count_passes (external, backend, store->store, &self->n_written, &self->n_read);

  return TRUE;
}

/* Those that come behind number @first and have the walk of that. */
static void
find_others (AccBackend *backend, GArray *stores, guint first)
{
  g_autoptr(GArray) members = g_array_new (FALSE, FALSE, sizeof (Member));
  Member leader;

  g_array_set_clear_func (members, clear_member);
  if (!begin_member (&leader, backend, &g_array_index (stores, AccStageStore, first)))
    return;
  g_array_append_val (members, leader);

  for (guint i = first + 1; i < stores->len; i++)
    {
      AccStageStore *store = &g_array_index (stores, AccStageStore, i);
      Member member;

      if (store->leader != i || !begin_member (&member, backend, store))
        continue;
      g_array_append_val (members, member);
      if (reads_same (leader.read, member.read) && fit (backend, members))
        store->leader = first;
      else
        g_array_set_size (members, members->len - 1);
    }
}

void
acc_stages_place (AccBackend *backend, GArray *stores, AccStagesMode mode, guint stage, gboolean in_files)
{
  guint64 room = in_files ? 0 : acc_external_get_room (backend);

  for (guint i = 0; i < stores->len; i++)
    {
      AccStageStore *store = &g_array_index (stores, AccStageStore, i);

      if (store->stage != stage)
        continue;
      store->leader = i;
      store->in_memory = store->external == NULL && acc_stages_takes_memory (store, &room);
    }
  for (guint i = 0; i < stores->len && stage == 0 && mode == ACC_STAGES_READS; i++)
    if (g_array_index (stores, AccStageStore, i).leader == i)
      find_others (backend, stores, i);
}

GPtrArray *
acc_stages_list_led (GArray *stores, guint leader)
{
  GPtrArray *nodes = g_ptr_array_new ();

  for (guint i = leader; i < stores->len; i++)
    if (g_array_index (stores, AccStageStore, i).leader == leader)
      g_ptr_array_add (nodes, g_array_index (stores, AccStageStore, i).store);

  return nodes;
}

/* --- how */

typedef struct {
  const AccExternal     *external;
  const AccExternalTask *task;
  gpointer               state;
} Begun;

static void
clear_begun (gpointer data)
{
  const Begun *self = data;

  self->external->clear (self->state);
}

/* Adds what @external reads, owned, and what takes that. FALSE without an error where it would do something else. */
static gboolean
begin (const AccExternal *external, const AccExternalTask *task, GArray *begun, GPtrArray *reads, GPtrArray *sinks, GError **error)
{
  g_autoptr(AccArray) read = external->dup_read (task->backend, task->node);
  Begun self = { external, task, NULL };

  if (read == NULL || !acc_external_check (external, task->backend, task->node, error))
    return FALSE;
  self.state = external->begin (task, error);
  if (self.state == NULL)
    {
      acc_external_prefix_error (task, error);
      return FALSE;
    }
  g_array_append_val (begun, self);
  g_ptr_array_add (reads, g_steal_pointer (&read));
  g_ptr_array_add (sinks, external->new_sink != NULL ? external->new_sink (self.state)
                                                      : acc_external_walk_new_sink (external->walk, self.state));

  return TRUE;
}

/* Within a part of the memory each. */
static gboolean
begin_all (const AccExternal *const *externals, const AccExternalTask *tasks, guint n, GArray *begun, GPtrArray *reads, GPtrArray *sinks,
           GError **error)
{
  AccBackend *backend = tasks[0].backend;

  for (guint i = 0; i < n; i++)
    {
      guint64 room = acc_external_get_room (backend), held = 0;
      gboolean done;

      acc_external_hold (backend, &held, room != G_MAXUINT64 ? room / (n - i) * (n - i - 1) : 0);
      done = begin (externals[i], &tasks[i], begun, reads, sinks, error);
      acc_external_hold (backend, &held, 0);
      if (!done)
        return FALSE;
    }

  return n == 1 || acc_write_fits (backend, (AccArray **) reads->pdata, (AccSink **) sinks->pdata, n, tasks[0].chunk_rows);
}

static gboolean
end_all (GArray *begun, AccArray **results, GError **error)
{
  for (guint i = 0; i < begun->len; i++)
    {
      const Begun *self = &g_array_index (begun, Begun, i);

      results[i] = self->external->end (self->state, error);
      if (results[i] == NULL)
        {
          acc_external_prefix_error (self->task, error);
          while (i > 0)
            g_clear_object (&results[--i]);
          return FALSE;
        }
    }

  return TRUE;
}

/* *@walked: whether the walk was begun. */
static gboolean
compute_at_once (const AccExternal *const *externals, const AccExternalTask *tasks, guint n, AccArray **results, gboolean *walked,
                 GError **error)
{
  g_autoptr(GArray) begun = g_array_new (FALSE, FALSE, sizeof (Begun));
  g_autoptr(GPtrArray) reads = g_ptr_array_new_with_free_func (g_object_unref), arrays = g_ptr_array_new (),
    sinks = g_ptr_array_new_with_free_func (g_object_unref);

  g_array_set_clear_func (begun, clear_begun);
  *walked = begin_all (externals, tasks, n, begun, reads, sinks, error);
  if (!*walked)
    return FALSE;
  g_ptr_array_extend (arrays, reads, NULL, NULL);
  if (!acc_external_write (&tasks[0], arrays, sinks, error))
    {
      acc_external_prefix_error (&tasks[0], error);
      return FALSE;
    }

  return end_all (begun, results, error);
}

gboolean
acc_external_compute_together (const AccExternal *const *externals, const AccExternalTask *tasks, guint n, AccArray **results,
                               GError **error)
{
  GError *local = NULL;
  gboolean walked;

  if (compute_at_once (externals, tasks, n, results, &walked, &local))
    return TRUE;
  if (walked || n == 1 || (local != NULL && !g_error_matches (local, ACC_ERROR, ACC_ERROR_OUT_OF_MEMORY)))
    {
      g_propagate_error (error, local);
      return FALSE;
    }
  g_clear_error (&local);
  for (guint i = 0; i < n; i++)
    if (!compute_at_once (externals + i, tasks + i, 1, results + i, &walked, error))
      {
        while (i > 0)
          g_clear_object (&results[--i]);
        return FALSE;
      }

  return TRUE;
}
