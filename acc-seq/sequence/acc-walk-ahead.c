/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "acc-walk-private.h"

#include "acc-core/backend/acc-async-private.h"
#include "acc-core/backend/acc-foreign-private.h"
#include "acc-core/data/acc-budget-private.h"

/* A walk that goes on beside whoever takes its elements: while those of a step are worked on, the next one is computed by a thread of its
 * own, which begins no further one before that was taken. A step begins where memory has room for it beside what was taken, else when all
 * of that was given. */

/* How long a wait lasts before it looks whether it was cancelled, and how long the end of a walk waits for its last step. */
#define PATIENCE     (20 * G_TIME_SPAN_MILLISECOND)
#define LAST_PATIENCE (200 * G_TIME_SPAN_MILLISECOND)

/* What a step took of a budget, at most. */
typedef struct {
  AccBudget *budget;   /* borrowed */
  guint64    before;   /* the step */
  guint64    need;
} Room;

struct _AccWalkAhead {
  AccWalk       *walk;        /* owned */
  AccWalkOutlet *outlet;      /* the walk's: a collector */
  GCancellable  *own;
  GThread       *thread;
  Room           rooms[2];    /* on the device, and on the host */
  GMutex         lock;
  GCond          changed;
  GQueue         parts;       /* AccWalkPart, owned: computed and not taken */
  gboolean       holds;       /* what was taken last is worked on */
  gboolean       ended;       /* behind the last part, or with: */
  GError        *error;
  gboolean       quits, left, gone;
};

gboolean
acc_walk_can_go_ahead (AccWalk *walk)
{
  if (walk->step_time > 0 || (acc_disable_get_flags () & ACC_DISABLE_AHEAD) != 0 || acc_backend_has_own_foreign (walk->backend))
    return FALSE;

  for (guint i = 0; i < walk->sequences->len; i++)
    {
      AccSequenceProducer *producer = ((AccSequence *) g_ptr_array_index (walk->sequences, i))->producer;

      if (producer != NULL && acc_sequence_producer_is_bound (producer))
        return FALSE;
    }

  return TRUE;
}

/* --- memory */

static void
begin_measure (AccWalkAhead *self)
{
  for (guint i = 0; i < G_N_ELEMENTS (self->rooms); i++)
    self->rooms[i].before = acc_budget_get_used (self->rooms[i].budget);
}

/* Of what was needed so far at any time no more is known than the most. */
static void
end_measure (AccWalkAhead *self)
{
  for (guint i = 0; i < G_N_ELEMENTS (self->rooms); i++)
    {
      guint64 most = acc_budget_get_high_water (self->rooms[i].budget);

      self->rooms[i].need = most > self->rooms[i].before ? most - self->rooms[i].before : 0;
    }
}

static gboolean
has_room (AccWalkAhead *self)
{
  for (guint i = 0; i < G_N_ELEMENTS (self->rooms); i++)
    {
      guint64 limit = acc_budget_get_limit (self->rooms[i].budget), used = acc_budget_get_used (self->rooms[i].budget);

      if (limit > 0 && (used > limit || self->rooms[i].need > limit - used))
        return FALSE;
    }

  return TRUE;
}

/* Waits until all that was taken is given. */
static gboolean
make_room (AccWalkAhead *self)
{
  gboolean made;

  g_mutex_lock (&self->lock);
  made = self->holds;
  while (self->holds && !self->quits)
    g_cond_wait (&self->changed, &self->lock);
  made = made && !self->quits;
  g_mutex_unlock (&self->lock);

  return made;
}

/* --- the thread */

static gboolean
step (AccWalkAhead *self,
      GError      **error)
{
  AccUnderWay under_way;
  gboolean stepped;

  begin_measure (self);
  acc_under_way_begin (&under_way, g_thread_self (), self->walk->backend, self->own, NULL);
  stepped = acc_walk_step_outlet (self->walk, self->outlet, error);
  acc_under_way_end (&under_way);
  end_measure (self);

  return stepped;
}

static void
release (AccWalkAhead *self)
{
  g_queue_clear_full (&self->parts, (GDestroyNotify) acc_walk_part_unref);
  acc_walk_free (self->walk);
  g_clear_object (&self->own);
  g_clear_error (&self->error);
  g_mutex_clear (&self->lock);
  g_cond_clear (&self->changed);
  g_free (self);
}

static gpointer
go_ahead (gpointer data)
{
  AccWalkAhead *self = data;
  gboolean left;

  g_mutex_lock (&self->lock);
  while (!self->quits && !self->ended)
    {
      GError *error = NULL;
      gboolean stepped;
      AccWalkPart *part;

      if (!g_queue_is_empty (&self->parts) || (self->holds && !has_room (self)))
        {
          g_cond_wait (&self->changed, &self->lock);
          continue;
        }

      g_mutex_unlock (&self->lock);
      stepped = step (self, &error);
      g_mutex_lock (&self->lock);
      while ((part = acc_walk_collector_pop (self->outlet)) != NULL)
        g_queue_push_tail (&self->parts, part);
      self->ended = !stepped || self->outlet->done;
      self->error = error;
      g_cond_broadcast (&self->changed);
    }
  left = self->left;
  self->gone = TRUE;
  g_cond_broadcast (&self->changed);
  g_mutex_unlock (&self->lock);

  if (left)
    release (self);

  return NULL;
}

/* --- whoever takes what it computes */

AccWalkAhead *
acc_walk_ahead_new (AccWalk       *walk,
                    AccWalkOutlet *collector)
{
  AccWalkAhead *self = g_new0 (AccWalkAhead, 1);

  self->walk = walk;
  self->outlet = collector;
  self->own = g_cancellable_new ();
  self->rooms[0].budget = acc_backend_get_budget (walk->backend);
  self->rooms[1].budget = acc_backend_get_host_budget (walk->backend);
  g_mutex_init (&self->lock);
  g_cond_init (&self->changed);
  g_queue_init (&self->parts);
  walk->ahead = self;
  walk->make_room = make_room;
  acc_walk_set_cancellable (walk, self->own);
  self->thread = g_thread_new ("acc-walk", go_ahead, self);

  return self;
}

void
acc_walk_ahead_free (AccWalkAhead *self)
{
  gint64 until = g_get_monotonic_time () + LAST_PATIENCE;
  GThread *thread = self->thread;
  gboolean gone;

  acc_walk_set_job (self->walk, NULL);
  g_cancellable_cancel (self->own);
  g_mutex_lock (&self->lock);
  self->quits = TRUE;
  g_cond_broadcast (&self->changed);
  while (!self->gone && g_cond_wait_until (&self->changed, &self->lock, until))
    ;
  gone = self->gone;
  self->left = !gone;
  g_mutex_unlock (&self->lock);

  if (!gone)
    {
      g_thread_unref (thread);
      return;
    }
  g_thread_join (thread);
  release (self);
}

AccWalkPart *
acc_walk_ahead_take (AccWalkAhead *self,
                     GCancellable *cancellable,
                     GError      **error)
{
  AccWalkPart *part;

  g_mutex_lock (&self->lock);
  self->holds = FALSE;
  g_cond_broadcast (&self->changed);
  while (g_queue_is_empty (&self->parts) && !self->ended && !g_cancellable_is_cancelled (cancellable))
    g_cond_wait_until (&self->changed, &self->lock, g_get_monotonic_time () + PATIENCE);
  part = g_cancellable_set_error_if_cancelled (cancellable, error) ? NULL : g_queue_pop_head (&self->parts);
  self->holds = part != NULL;
  if (part == NULL && self->error != NULL && !g_cancellable_is_cancelled (cancellable))
    g_propagate_error (error, g_error_copy (self->error));
  g_cond_broadcast (&self->changed);
  g_mutex_unlock (&self->lock);

  return part;
}
