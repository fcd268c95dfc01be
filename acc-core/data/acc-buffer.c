/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "acc-buffer-private.h"

#include "acc-core/base/acc-element-type-private.h"
#include "acc-error.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#define ALIGNMENT  64
#define MAP_FROM   (64 * 1024)
#define HUGE_PAGE  (2 * 1024 * 1024)
/* What is fetched whole though few bytes are asked for. */
#define FEW_BYTES  4096

/* What acc_buffer_allocate() made. */
typedef struct {
  AccBuffer  buffer;
  AccBudget *budget;
  char      *what;
  gsize      mapped;   /* 0: from the heap */
} OwnedBuffer;

AccBuffer *
acc_buffer_new (gpointer data, gsize size, GDestroyNotify notify, gpointer user_data)
{
  AccBuffer *self = g_new0 (AccBuffer, 1);

  g_atomic_ref_count_init (&self->ref_count);
  self->data = data;
  self->size = size;
  self->notify = notify;
  self->user_data = user_data;

  return self;
}

AccBuffer *
acc_buffer_new_bytes (GBytes *bytes)
{
  gsize size;
  gconstpointer data = g_bytes_get_data (bytes, &size);

  return acc_buffer_new ((gpointer) data, size, (GDestroyNotify) g_bytes_unref, g_bytes_ref (bytes));
}

/* In one block with its data: the heap recycles those, and none that is aligned. */
static OwnedBuffer *
allocate_heap (gsize size)
{
  gsize room = sizeof (OwnedBuffer) + ALIGNMENT + MAX (size, ALIGNMENT);
  OwnedBuffer *self = g_try_malloc (room);

  if (self == NULL)
    return NULL;

  memset (self, 0, room);
  self->buffer.data = (gpointer) (((guintptr) (self + 1) + ALIGNMENT - 1) / ALIGNMENT * ALIGNMENT);

  return self;
}

static gpointer
map (gsize size, gsize *mapped)
{
  gsize page = (gsize) sysconf (_SC_PAGESIZE);
  gsize slack = size >= HUGE_PAGE ? HUGE_PAGE : 0;
  gsize length, head, tail;
  guint8 *base, *data;

  if (!g_size_checked_add (&length, size, page - 1 + slack))
    return NULL;

  length = length / page * page;
  base = mmap (NULL, length, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  if (base == MAP_FAILED)
    return NULL;

  *mapped = (size + page - 1) / page * page;
  if (slack == 0)
    return base;

  data = (guint8 *) (((guintptr) base + HUGE_PAGE - 1) / HUGE_PAGE * HUGE_PAGE);
  head = data - base;
  tail = length - head - *mapped;
  if (head > 0)
    munmap (base, head);
  if (tail > 0)
    munmap (data + *mapped, tail);

  madvise (data, *mapped, MADV_HUGEPAGE);

  return data;
}

static OwnedBuffer *
allocate_mapped (gsize size)
{
  gsize mapped = 0;
  gpointer data = map (size, &mapped);
  OwnedBuffer *self = data != NULL ? g_new0 (OwnedBuffer, 1) : NULL;

  if (self != NULL)
    {
      self->buffer.data = data;
      self->mapped = mapped;
    }

  return self;
}

static void
free_owned (gpointer user_data)
{
  OwnedBuffer *self = user_data;

  if (self->mapped > 0)
    munmap (self->buffer.data, self->mapped);

  if (self->budget != NULL)
    {
      acc_budget_release (self->budget, self->buffer.size, self->what);
      acc_budget_unref (self->budget);
    }

  g_free (self->what);
}

AccBuffer *
acc_buffer_allocate (gsize size, AccBudget *budget, const char *what, GError **error)
{
  OwnedBuffer *self;

  if (what == NULL)
    what = "buffer";

  if (budget != NULL && !acc_budget_reserve (budget, size, what, error))
    return NULL;

  self = size >= MAP_FROM ? allocate_mapped (size) : allocate_heap (size);
  if (self == NULL)
    {
      if (budget != NULL)
        acc_budget_release (budget, size, what);
      g_set_error (error, ACC_ERROR, ACC_ERROR_OUT_OF_MEMORY,
                   "%s needs %" G_GSIZE_FORMAT " bytes, which the system refuses", what, size);
      return NULL;
    }

  g_atomic_ref_count_init (&self->buffer.ref_count);
  self->buffer.size = size;
  self->buffer.notify = free_owned;
  self->buffer.user_data = self;
  self->budget = budget != NULL ? acc_budget_ref (budget) : NULL;
  self->what = g_strdup (what);

  return &self->buffer;
}

AccBuffer **
acc_buffers_allocate (AccElementType *type, gint64 n, AccBudget *budget, const char *what, GError **error)
{
  guint n_buffers = acc_element_type_get_n_buffers (type);
  AccBuffer **buffers = g_new0 (AccBuffer *, n_buffers + 1);

  for (guint i = 0; i < n_buffers; i++)
    {
      buffers[i] = acc_buffer_allocate ((gsize) n * acc_element_type_get_buffer_size (type, i), budget, what, error);
      if (buffers[i] == NULL)
        {
          acc_buffers_free (buffers);
          return NULL;
        }
    }

  return buffers;
}

void
acc_buffers_free (AccBuffer **buffers)
{
  for (guint i = 0; buffers != NULL && buffers[i] != NULL; i++)
    acc_buffer_unref (buffers[i]);
  g_free (buffers);
}

AccBuffer *
acc_buffer_new_remote (gsize size, AccBufferCopy *copy)
{
  AccBuffer *self = acc_buffer_new (NULL, size, NULL, NULL);

  copy->next = NULL;
  self->copies = copy;

  return self;
}

gboolean
acc_buffer_is_host (AccBuffer *self)
{
  return __atomic_load_n (&self->data, __ATOMIC_ACQUIRE) != NULL || __atomic_load_n (&self->copies, __ATOMIC_ACQUIRE) == NULL;
}

/* A buffer without host memory that is not empty came from the last device in the list. */
static AccBufferCopy *
find_origin (AccBuffer *self)
{
  AccBufferCopy *origin = __atomic_load_n (&self->copies, __ATOMIC_ACQUIRE);

  while (origin != NULL && origin->next != NULL)
    origin = origin->next;

  return origin;
}

gpointer
acc_buffer_map (AccBuffer *self, GError **error)
{
  static guint64 nothing[8];
  gpointer data = __atomic_load_n (&self->data, __ATOMIC_ACQUIRE);
  AccBufferCopy *origin;

  if (G_LIKELY (data != NULL))
    return data;

  origin = find_origin (self);
  if (origin == NULL || self->size == 0)
    return nothing;

  return origin->klass->fetch (origin, self, error) ? __atomic_load_n (&self->data, __ATOMIC_ACQUIRE) : NULL;
}

gboolean
acc_buffer_peek (AccBuffer *self, gsize offset, gsize size, gpointer data, GError **error)
{
  AccBufferCopy *origin = acc_buffer_is_host (self) ? NULL : find_origin (self);
  const guint8 *all;

  if (origin != NULL && origin->klass->peek != NULL && self->size > FEW_BYTES)
    return origin->klass->peek (origin, self, offset, size, data, error);

  all = acc_buffer_map (self, error);
  if (all == NULL)
    return FALSE;
  memcpy (data, all + offset, size);

  return TRUE;
}

void
acc_buffer_set_host (AccBuffer *self, gpointer data, GDestroyNotify notify, gpointer user_data)
{
  g_return_if_fail (self->data == NULL);

  self->notify = notify;
  self->user_data = user_data;
  __atomic_store_n (&self->data, data, __ATOMIC_RELEASE);
}

AccBufferCopy *
acc_buffer_get_copy (AccBuffer *self, gpointer owner)
{
  AccBufferCopy *copy = __atomic_load_n (&self->copies, __ATOMIC_ACQUIRE);

  while (copy != NULL && copy->owner != owner)
    copy = copy->next;

  return copy;
}

AccBufferCopy *
acc_buffer_add_copy (AccBuffer *self, AccBufferCopy *copy)
{
  AccBufferCopy *head = __atomic_load_n (&self->copies, __ATOMIC_ACQUIRE);

  do
    {
      for (AccBufferCopy *other = head; other != NULL; other = other->next)
        if (other->owner == copy->owner)
          {
            copy->klass->free (copy);
            return other;
          }
      copy->next = head;
    }
  while (!__atomic_compare_exchange_n (&self->copies, &head, copy, FALSE, __ATOMIC_ACQ_REL, __ATOMIC_ACQUIRE));

  return copy;
}

AccBuffer *
acc_buffer_ref (AccBuffer *self)
{
  g_atomic_ref_count_inc (&self->ref_count);

  return self;
}

void
acc_buffer_unref (AccBuffer *self)
{
  if (!g_atomic_ref_count_dec (&self->ref_count))
    return;

  while (self->copies != NULL)
    {
      AccBufferCopy *copy = self->copies;

      self->copies = copy->next;
      copy->klass->free (copy);
    }
  if (self->notify != NULL)
    self->notify (self->user_data);

  g_free (self);
}
