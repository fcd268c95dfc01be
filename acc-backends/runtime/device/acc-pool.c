/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "acc-pool.h"

#include "acc-core/backend/acc-backend-private.h"

#include <pthread.h>

/* Below this the heap recycles well enough. */
#define POOLED_FROM (64 * 1024)
#define MAX_IDLE_BLOCKS 256

typedef struct {
  AccPool   *pool;     /* owned while the block is in use */
  AccBuffer *memory;
  gsize      counted;  /* bytes reserved under @what */
  char      *what;
  GList      link;     /* among the idle */
} Block;

struct _AccPool {
  gatomicrefcount ref_count;
  AccBudget      *budget;
  guint64         idle_limit;
  pthread_mutex_t mutex;
  gboolean        closed;
  GQueue          idle;       /* Block; head: the latest to come */
  guint64         idle_bytes;
};

static guint64
reclaim (guint64  wanted,
         gpointer user_data)
{
  return acc_pool_trim (user_data, wanted);
}

AccPool *
acc_pool_new (AccBudget *budget,
              guint64    idle_limit)
{
  AccPool *self = g_new0 (AccPool, 1);

  g_atomic_ref_count_init (&self->ref_count);
  self->budget = acc_budget_ref (budget);
  self->idle_limit = idle_limit > 0 ? idle_limit : acc_machine_get_memory () / 4;
  pthread_mutex_init (&self->mutex, NULL);
  g_queue_init (&self->idle);
  acc_budget_add_reclaim (budget, reclaim, self);

  return self;
}

static AccPool *
pool_ref (AccPool *self)
{
  g_atomic_ref_count_inc (&self->ref_count);

  return self;
}

void
acc_pool_unref (AccPool *self)
{
  if (!g_atomic_ref_count_dec (&self->ref_count))
    return;

  acc_pool_close (self);
  acc_budget_unref (self->budget);
  pthread_mutex_destroy (&self->mutex);
  g_free (self);
}

AccBudget *
acc_pool_get_budget (AccPool *self)
{
  return self->budget;
}

static void
trace (const char *event,
       gsize       size,
       const char *what)
{
  if (acc_debug_get_flags () & ACC_DEBUG_MEMORY)
    g_message ("pool: %s %" G_GSIZE_FORMAT " bytes, %s", event, size, what);
}

static void
free_block (AccBudget *budget,
            Block     *block)
{
  trace ("free", block->counted, block->what);
  acc_buffer_unref (block->memory);
  acc_budget_release (budget, block->counted, block->what);
  g_free (block->what);
  g_free (block);
}

/* With the lock. */
static Block *
take_oldest (AccPool *self)
{
  GList *link = g_queue_peek_tail_link (&self->idle);
  Block *block;

  if (link == NULL)
    return NULL;

  block = link->data;
  g_queue_unlink (&self->idle, link);
  self->idle_bytes -= block->counted;

  return block;
}

guint64
acc_pool_trim (AccPool *self,
               guint64  wanted)
{
  guint64 freed = 0;

  while (freed < wanted)
    {
      Block *block;

      pthread_mutex_lock (&self->mutex);
      block = take_oldest (self);
      pthread_mutex_unlock (&self->mutex);
      if (block == NULL)
        break;

      freed += block->counted;
      free_block (self->budget, block);
    }

  return freed;
}

guint64
acc_pool_get_idle (AccPool *self)
{
  guint64 bytes;

  pthread_mutex_lock (&self->mutex);
  bytes = self->idle_bytes;
  pthread_mutex_unlock (&self->mutex);

  return bytes;
}

void
acc_pool_close (AccPool *self)
{
  gboolean first;

  pthread_mutex_lock (&self->mutex);
  first = !self->closed;
  self->closed = TRUE;
  pthread_mutex_unlock (&self->mutex);

  if (first)
    acc_budget_remove_reclaim (self->budget, reclaim, self);
  acc_pool_trim (self, G_MAXUINT64);
}

static void
give_back (gpointer user_data)
{
  Block *block = user_data;
  g_autoptr(AccPool) self = g_steal_pointer (&block->pool);
  gboolean keep, too_many;

  pthread_mutex_lock (&self->mutex);
  keep = !self->closed && block->counted <= self->idle_limit;
  if (keep)
    {
      g_queue_push_head_link (&self->idle, &block->link);
      self->idle_bytes += block->counted;
    }
  too_many = self->idle_bytes > self->idle_limit || self->idle.length > MAX_IDLE_BLOCKS;
  pthread_mutex_unlock (&self->mutex);

  if (!keep)
    free_block (self->budget, block);
  else if (too_many)
    acc_pool_trim (self, 1);
}

/* The tightest idle block that wastes at most so much. */
static Block *
take_fitting (AccPool *self,
              gsize    size,
              gsize    waste)
{
  Block *best = NULL;

  pthread_mutex_lock (&self->mutex);
  for (GList *link = self->idle.head; link != NULL; link = link->next)
    {
      Block *block = link->data;
      gsize capacity = block->memory->size;

      if (capacity >= size && capacity - size <= waste && (best == NULL || capacity < best->memory->size))
        {
          best = block;
          if (capacity == size)
            break;
        }
    }
  if (best != NULL)
    {
      g_queue_unlink (&self->idle, &best->link);
      self->idle_bytes -= best->counted;
    }
  pthread_mutex_unlock (&self->mutex);

  return best;
}

/* Under its new name. Each allocation is one reservation, recycled or not. */
static Block *
recycle (AccPool     *self,
         Block       *block,
         const char  *what,
         GError     **error)
{
  acc_budget_release (self->budget, block->counted, block->what);
  if (!acc_budget_reserve (self->budget, block->counted, what, error))
    {
      acc_buffer_unref (block->memory);
      g_free (block->what);
      g_free (block);
      return NULL;
    }
  if (strcmp (block->what, what) != 0)
    {
      g_free (block->what);
      block->what = g_strdup (what);
    }
  trace ("recycle", block->counted, what);

  return block;
}

static Block *
make (AccPool     *self,
      gsize        size,
      const char  *what,
      GError     **error)
{
  AccBuffer *memory;
  Block *block;

  if (!acc_budget_reserve (self->budget, size, what, error))
    return NULL;

  memory = acc_buffer_allocate (size, NULL, what, NULL);
  if (memory == NULL)
    {
      acc_pool_trim (self, G_MAXUINT64);
      memory = acc_buffer_allocate (size, NULL, what, error);
    }
  if (memory == NULL)
    {
      acc_budget_release (self->budget, size, what);
      return NULL;
    }

  block = g_new0 (Block, 1);
  block->memory = memory;
  block->counted = size;
  block->what = g_strdup (what);
  block->link.data = block;
  trace ("allocate", size, what);

  return block;
}

static AccBuffer *
allocate (AccPool     *self,
          gsize        size,
          gsize        waste,
          const char  *what,
          GError     **error)
{
  Block *block;

  if (what == NULL)
    what = "buffer";
  if (size < POOLED_FROM)
    return acc_buffer_allocate (size, self->budget, what, error);

  block = take_fitting (self, size, waste);
  if (block != NULL && block->counted > size)
    {
      guint64 limit = acc_budget_get_limit (self->budget);

      /* No waste where there is nothing to waste. */
      if (limit > 0 && acc_budget_get_used (self->budget) > limit - MIN (limit, limit / 8))
        {
          free_block (self->budget, block);
          block = NULL;
        }
    }

  block = block != NULL ? recycle (self, block, what, error) : make (self, size, what, error);
  if (block == NULL)
    return NULL;

  block->pool = pool_ref (self);

  return acc_buffer_new (block->memory->data, block->memory->size, give_back, block);
}

AccBuffer *
acc_pool_allocate (AccPool     *self,
                   gsize        size,
                   const char  *what,
                   GError     **error)
{
  return allocate (self, size, size / 4, what, error);
}

AccBuffer *
acc_pool_allocate_exact (AccPool     *self,
                         gsize        size,
                         const char  *what,
                         GError     **error)
{
  return allocate (self, size, 0, what, error);
}
