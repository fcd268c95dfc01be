/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "fake-device.h"

#include "kernel-eval.h"

#include <pthread.h>
#include <string.h>
#include <time.h>

FakeSettings fake;

/* Host memory that plays a device's. */
typedef struct {
  guint8 *data;
  gsize   size;
  gboolean imported;
  gint    n_pending;     /* operations that are enqueued and use it */
  gint    n_readers;     /* of those that run */
  gint    n_writers;
} Memory;

typedef enum { UPLOAD, DOWNLOAD, COPY, CLEAR, LAUNCH, POINT, WAIT } Kind;

typedef struct {
  Kind       kind;
  Memory    *to, *from;
  gsize      to_offset, from_offset, size;
  guint8    *host;
  gpointer   staged;       /* owned copy of what was not pinned */
  AccKernel *kernel;
  guint      n_slots;
  guint64   *slots;
  Memory   **memories;     /* per slot; NULL: a scalar */
  AccGroups  groups;
  AccFailure *failure;
  Memory    *failure_memory;
  AccQueue   other;
  guint64    point;
} Operation;

typedef struct _Fake Fake;

typedef struct {
  Fake        *device;
  AccQueue     number;
  pthread_t    thread;
  GQueue       operations;        /* with the device's lock */
  guint64      issued, reached;   /* points */
} Queue;

struct _Fake {
  AccDevice   base;
  pthread_mutex_t lock;
  pthread_cond_t changed;
  Queue       queues[ACC_N_QUEUES];
  GHashTable *pinned;      /* address → size */
  gboolean    lost, ending;
};

static Operation quit;

/* Of what all devices together hold. */
static pthread_mutex_t fake_lock = PTHREAD_MUTEX_INITIALIZER;

/* --- running operations */

static void
dawdle (GRand *rand)
{
  if (fake.max_delay > 0 && g_rand_boolean (rand))
    g_usleep ((gulong) g_rand_int_range (rand, 0, (gint32) fake.max_delay));
}

static void
begin_read (Memory *memory)
{
  g_atomic_int_inc (&memory->n_readers);
  g_assert_cmpint (g_atomic_int_get (&memory->n_writers), ==, 0);
}

static void
end_read (Memory *memory)
{
  g_assert_cmpint (g_atomic_int_get (&memory->n_writers), ==, 0);
  g_atomic_int_add (&memory->n_readers, -1);
}

static void
begin_write (Memory *memory)
{
  g_assert_cmpint (g_atomic_int_add (&memory->n_writers, 1), ==, 0);
  g_assert_cmpint (g_atomic_int_get (&memory->n_readers), ==, 0);
}

static void
end_write (Memory *memory)
{
  g_assert_cmpint (g_atomic_int_get (&memory->n_readers), ==, 0);
  g_atomic_int_add (&memory->n_writers, -1);
}

/* One that several slots name is entered once, as written where any does. */
static void
touch_slots (Operation *op,
             gboolean   begin)
{
  for (guint i = 0; i < op->n_slots; i++)
    {
      gboolean written = FALSE, first = TRUE;

      if (op->memories[i] == NULL)
        continue;
      for (guint j = 0; j < op->n_slots; j++)
        if (op->memories[j] == op->memories[i])
          {
            first &= j >= i;
            written |= (acc_kernel_param (op->kernel, j)->flags & ACC_BUFFER_WRITE) != 0;
          }
      if (!first)
        continue;
      if (begin)
        (written ? begin_write : begin_read) (op->memories[i]);
      else
        (written ? end_write : end_read) (op->memories[i]);
    }
}

static void
run_kernel (Fake      *self,
            Operation *op,
            GRand     *rand)
{
  gint64 first[2], count[2];

  touch_slots (op, TRUE);
  dawdle (rand);
  acc_groups_count (&op->groups, first, count);
  for (gint64 n = 0; n < count[0] * count[1]; n++)
    {
      gint64 tile[2] = { first[0] + n / count[1], first[1] + n % count[1] };
      gint64 range[5];

      for (guint d = 0; d < 2; d++)
        {
          range[2 * d] = MAX (tile[d] * op->groups.tile[d], op->groups.begin[d]);
          range[2 * d + 1] = MIN ((tile[d] + 1) * op->groups.tile[d], op->groups.end[d]);
        }
      range[4] = tile[0] * count[1] + tile[1];
      if (self->base.target.model == ACC_MODEL_SIMT)
        eval_group (op->kernel, self->base.target.subgroup_size, rand, op->slots, range, op->failure);
      else
        eval_kernel (op->kernel, op->slots, range, op->failure);
    }
  touch_slots (op, FALSE);
  g_atomic_int_inc (&fake.n_launches);
}

static void
run_operation (Fake      *self,
               Queue     *queue,
               Operation *op,
               GRand     *rand)
{
  dawdle (rand);
  switch (op->kind)
    {
    case UPLOAD:
      begin_write (op->to);
      dawdle (rand);
      memcpy (op->to->data + op->to_offset, op->staged != NULL ? op->staged : op->host, op->size);
      end_write (op->to);
      break;
    case DOWNLOAD:
      begin_read (op->from);
      dawdle (rand);
      memcpy (op->host, op->from->data + op->from_offset, op->size);
      end_read (op->from);
      break;
    case COPY:
      begin_write (op->to);
      if (op->from != op->to)
        begin_read (op->from);
      else
        g_assert_true (op->to_offset + op->size <= op->from_offset || op->from_offset + op->size <= op->to_offset);
      memcpy (op->to->data + op->to_offset, op->from->data + op->from_offset, op->size);
      if (op->from != op->to)
        end_read (op->from);
      end_write (op->to);
      break;
    case CLEAR:
      begin_write (op->to);
      memset (op->to->data + op->to_offset, 0, op->size);
      end_write (op->to);
      break;
    case LAUNCH:
      run_kernel (self, op, rand);
      break;
    case POINT:
      pthread_mutex_lock (&self->lock);
      queue->reached = op->point;
      pthread_cond_broadcast (&self->changed);
      pthread_mutex_unlock (&self->lock);
      break;
    case WAIT:
      pthread_mutex_lock (&self->lock);
      while (self->queues[op->other].reached < op->point && !self->ending)
        pthread_cond_wait (&self->changed, &self->lock);
      pthread_mutex_unlock (&self->lock);
      break;
    }
}

static void
operation_free (Operation *op)
{
  if (op->to != NULL)
    g_atomic_int_add (&op->to->n_pending, -1);
  if (op->from != NULL)
    g_atomic_int_add (&op->from->n_pending, -1);
  for (guint i = 0; i < op->n_slots; i++)
    if (op->memories[i] != NULL)
      g_atomic_int_add (&op->memories[i]->n_pending, -1);
  if (op->failure_memory != NULL)
    g_atomic_int_add (&op->failure_memory->n_pending, -1);
  g_clear_pointer (&op->kernel, acc_kernel_unref);
  g_free (op->slots);
  g_free (op->memories);
  g_free (op->staged);
  g_free (op);
}

static gpointer
run_queue (gpointer data)
{
  Queue *queue = data;
  Fake *self = queue->device;
  g_autoptr(GRand) rand = g_rand_new_with_seed (queue->number + 1);

  for (;;)
    {
      Operation *op;

      pthread_mutex_lock (&self->lock);
      while ((op = g_queue_pop_head (&queue->operations)) == NULL)
        pthread_cond_wait (&self->changed, &self->lock);
      pthread_mutex_unlock (&self->lock);

      if (op == &quit)
        return NULL;
      if (op->kind == LAUNCH && g_atomic_int_compare_and_exchange (&fake.hang, TRUE, FALSE))
        {
          pthread_mutex_lock (&self->lock);
          while (!self->ending)
            pthread_cond_wait (&self->changed, &self->lock);
          pthread_mutex_unlock (&self->lock);
        }
      /* A lost device does nothing more. */
      if (!g_atomic_int_get (&self->lost))
        run_operation (self, queue, op, rand);
      /* What an operation used is free before its point is reached by the one after it. */
      operation_free (op);
    }
}

static gboolean
check (Fake    *self,
       GError **error)
{
  if (!g_atomic_int_get (&self->lost) && __atomic_load_n (&fake.lose_at, __ATOMIC_RELAXED) > 0
      && __atomic_sub_fetch (&fake.lose_at, 1, __ATOMIC_RELAXED) == 0)
    g_atomic_int_set (&self->lost, TRUE);
  if (!g_atomic_int_get (&self->lost))
    return TRUE;

  g_set_error (error, ACC_ERROR, ACC_ERROR_DEVICE_LOST, "the fake device is lost");

  return FALSE;
}

/* With the lock. */
static void
enqueue_locked (Fake      *self,
                AccQueue   queue,
                Operation *op)
{
  if (op->to != NULL)
    g_atomic_int_inc (&op->to->n_pending);
  if (op->from != NULL)
    g_atomic_int_inc (&op->from->n_pending);
  for (guint i = 0; i < op->n_slots; i++)
    if (op->memories[i] != NULL)
      g_atomic_int_inc (&op->memories[i]->n_pending);
  if (op->failure_memory != NULL)
    g_atomic_int_inc (&op->failure_memory->n_pending);
  g_queue_push_tail (&self->queues[queue].operations, op);
  pthread_cond_broadcast (&self->changed);
}

static void
enqueue (Fake      *self,
         AccQueue   queue,
         Operation *op)
{
  pthread_mutex_lock (&self->lock);
  enqueue_locked (self, queue, op);
  pthread_mutex_unlock (&self->lock);
}

/* --- the class */

static void
fake_free (AccDevice *device)
{
  Fake *self = (Fake *) device;

  pthread_mutex_lock (&self->lock);
  self->ending = TRUE;
  pthread_cond_broadcast (&self->changed);
  pthread_mutex_unlock (&self->lock);
  for (guint i = 0; i < ACC_N_QUEUES; i++)
    {
      pthread_mutex_lock (&self->lock);
      g_queue_push_tail (&self->queues[i].operations, &quit);
      pthread_cond_broadcast (&self->changed);
      pthread_mutex_unlock (&self->lock);
      pthread_join (self->queues[i].thread, NULL);
    }
  g_assert_cmpuint (g_hash_table_size (self->pinned), ==, 0);
  g_hash_table_unref (self->pinned);
  pthread_mutex_destroy (&self->lock);
  pthread_cond_destroy (&self->changed);
  g_free (self->base.description);
  g_free (self->base.id);
  g_free (self);
  g_atomic_int_add (&fake.n_devices, -1);
}

static gsize
count_shared_bytes (AccKernel *kernel)
{
  gsize n = 0;

  for (guint i = 0; i < kernel->shared->len; i++)
    {
      const AccKernelParam *array = &g_array_index (kernel->shared, AccKernelParam, i);

      n += array->n_elements * acc_element_kind_get_size (array->kind);
    }

  return n;
}

struct _AccDeviceKernel {
  AccKernel *kernel;
  gboolean   general;
};

#define GENERAL_CODE "general code"

static GBytes *
fake_compile (AccDevice *device, AccKernel *kernel, gboolean general, GError **error)
{
  g_atomic_int_inc (&fake.n_compiled);
  if (device->target.model == ACC_MODEL_SIMT)
    g_assert_cmpuint (count_shared_bytes (kernel), <=, device->target.shared_bytes);

  return general ? g_bytes_new_static (GENERAL_CODE, strlen (GENERAL_CODE)) : g_bytes_new_static ("code", 4);
}

/* Windows of rows do, as on devices. */
static gboolean
fake_needs_general (AccDevice *device, AccDeviceKernel *kernel, const AccDeviceSlot *slots, guint n_slots, const AccGroups *groups)
{
  for (guint i = 0; i < n_slots; i++)
    if (slots[i].offset % 16 != 0)
      return TRUE;

  return fake.wants_general;
}

static AccDeviceKernel *
fake_load (AccDevice *device, AccKernel *kernel, GBytes *code, GError **error)
{
  AccDeviceKernel *loaded = g_new (AccDeviceKernel, 1);

  *loaded = (AccDeviceKernel) { acc_kernel_ref (kernel), g_bytes_get_size (code) == strlen (GENERAL_CODE) };

  return loaded;
}

static void
fake_unload (AccDevice *device, AccDeviceKernel *kernel)
{
  acc_kernel_unref (kernel->kernel);
  g_free (kernel);
}

/* 0, as a device that does not know, where threads cannot shuffle either. */
static guint
fake_count_resident (AccDevice *device, AccDeviceKernel *kernel)
{
  return device->target.subgroup_size > 1 ? 3 : 0;
}

static gboolean
fake_allocate (AccDevice *device, gsize size, AccDeviceMemory *memory, GError **error)
{
  Fake *self = (Fake *) device;
  Memory *made;
  gboolean refused;

  if (!check (self, error))
    return FALSE;

  pthread_mutex_lock (&fake_lock);
  refused = (fake.fail_allocation > 0 && --fake.fail_allocation == 0) || (fake.memory > 0 && fake.held + size > fake.memory);
  if (!refused)
    {
      fake.held += size;
      fake.most_held = MAX (fake.most_held, fake.held);
    }
  pthread_mutex_unlock (&fake_lock);
  if (refused)
    {
      g_set_error (error, ACC_ERROR, ACC_ERROR_OUT_OF_MEMORY, "the fake device has no %" G_GSIZE_FORMAT " bytes", size);
      return FALSE;
    }

  g_atomic_int_inc (&fake.n_allocations);
  made = g_new0 (Memory, 1);
  made->data = g_aligned_alloc (1, size, 256);
  made->size = size;
  memset (made->data, 0xa5, size);
  *memory = (AccDeviceMemory) { .handle = made, .address = (guintptr) made->data, .size = size,
                                .host = device->unified ? made->data : NULL };

  return TRUE;
}

static void
fake_release (AccDevice *device, AccDeviceMemory *memory)
{
  Memory *made = memory->handle;

  g_assert_cmpint (g_atomic_int_get (&made->n_pending), ==, 0);
  pthread_mutex_lock (&fake_lock);
  fake.held -= made->size;
  pthread_mutex_unlock (&fake_lock);
  if (!made->imported)
    {
      memset (made->data, 0xdd, made->size);
      g_aligned_free (made->data);
    }
  g_free (made);
}

static gboolean
fake_import (AccDevice *device, gpointer host, gsize size, AccDeviceMemory *memory)
{
  Memory *made;

  if (!fake.imports)
    return FALSE;

  made = g_new0 (Memory, 1);
  made->data = host;
  made->size = size;
  made->imported = TRUE;
  pthread_mutex_lock (&fake_lock);
  fake.held += size;
  pthread_mutex_unlock (&fake_lock);
  *memory = (AccDeviceMemory) { .handle = made, .address = (guintptr) host, .size = size, .host = host };

  return TRUE;
}

static gpointer
fake_allocate_host (AccDevice *device, gsize size, GError **error)
{
  Fake *self = (Fake *) device;
  gpointer data = g_aligned_alloc (1, size, 4096);

  memset (data, 0xa6, size);
  pthread_mutex_lock (&self->lock);
  g_hash_table_insert (self->pinned, data, (gpointer) size);
  pthread_mutex_unlock (&self->lock);

  return data;
}

static void
fake_release_host (AccDevice *device, gpointer host, gsize size)
{
  Fake *self = (Fake *) device;

  pthread_mutex_lock (&self->lock);
  g_assert_cmpuint ((gsize) g_hash_table_lookup (self->pinned, host), ==, size);
  g_hash_table_remove (self->pinned, host);
  pthread_mutex_unlock (&self->lock);
  memset (host, 0xde, size);
  g_aligned_free (host);
}

static gboolean
is_pinned (Fake          *self,
           gconstpointer  host,
           gsize          size)
{
  GHashTableIter iter;
  gpointer address, length;
  gboolean found = FALSE;

  pthread_mutex_lock (&self->lock);
  g_hash_table_iter_init (&iter, self->pinned);
  while (g_hash_table_iter_next (&iter, &address, &length) && !found)
    found = (const guint8 *) host >= (guint8 *) address && (const guint8 *) host + size <= (guint8 *) address + (gsize) length;
  pthread_mutex_unlock (&self->lock);

  return found;
}

static gboolean
fake_mark (AccDevice *device, AccQueue queue, guint64 *point, GError **error)
{
  Fake *self = (Fake *) device;
  Operation *op;

  if (!check (self, error))
    return FALSE;

  op = g_new0 (Operation, 1);
  op->kind = POINT;
  pthread_mutex_lock (&self->lock);
  op->point = *point = ++self->queues[queue].issued;
  enqueue_locked (self, queue, op);
  pthread_mutex_unlock (&self->lock);

  return TRUE;
}

static gboolean
fake_is_reached (AccDevice *device, AccQueue queue, guint64 point)
{
  Fake *self = (Fake *) device;
  gboolean reached;

  pthread_mutex_lock (&self->lock);
  reached = self->queues[queue].reached >= point;
  pthread_mutex_unlock (&self->lock);

  return reached;
}

/* With the lock. */
static void
wait_shortly (Fake *self)
{
  struct timespec end;

  clock_gettime (CLOCK_REALTIME, &end);
  end.tv_nsec += 10 * 1000 * 1000;
  end.tv_sec += end.tv_nsec / 1000000000;
  end.tv_nsec %= 1000000000;
  pthread_cond_timedwait (&self->changed, &self->lock, &end);
}

static gboolean
fake_block (AccDevice *device, AccQueue queue, guint64 point, double seconds, GError **error)
{
  Fake *self = (Fake *) device;
  gint64 end = g_get_monotonic_time () + (gint64) (seconds * G_USEC_PER_SEC);

  if (!check (self, error))
    return FALSE;

  g_atomic_int_inc (&fake.n_blocks);
  pthread_mutex_lock (&self->lock);
  g_assert_cmpuint (point, <=, self->queues[queue].issued);
  while (self->queues[queue].reached < point && !g_atomic_int_get (&self->lost))
    {
      wait_shortly (self);
      if (seconds > 0 && g_get_monotonic_time () > end)
        {
          pthread_mutex_unlock (&self->lock);
          g_atomic_int_set (&self->lost, TRUE);
          g_set_error (error, ACC_ERROR, ACC_ERROR_DEVICE_LOST, "a kernel did not finish within %g s", seconds);
          return FALSE;
        }
    }
  pthread_mutex_unlock (&self->lock);

  return check (self, error);
}

static gboolean
fake_wait (AccDevice *device, AccQueue queue, AccQueue other, guint64 point, GError **error)
{
  Fake *self = (Fake *) device;
  Operation *op;

  if (!check (self, error))
    return FALSE;

  g_atomic_int_inc (&fake.n_waits);
  op = g_new0 (Operation, 1);
  op->kind = WAIT;
  op->other = other;
  op->point = point;
  enqueue (self, queue, op);

  return TRUE;
}

static gboolean
fake_upload (AccDevice *device, AccQueue queue, const AccDeviceMemory *to, gsize offset, gconstpointer from, gsize size, GError **error)
{
  Fake *self = (Fake *) device;
  Operation *op;

  if (!check (self, error))
    return FALSE;

  op = g_new0 (Operation, 1);
  op->kind = UPLOAD;
  op->to = to->handle;
  op->to_offset = offset;
  op->size = size;
  op->host = (guint8 *) from;
  if (!is_pinned (self, from, size))
    op->staged = g_memdup2 (from, size);
  g_assert_cmpuint (offset + size, <=, op->to->size);
  g_atomic_int_inc (&fake.n_uploads);
  enqueue (self, queue, op);

  return TRUE;
}

static gboolean
fake_download (AccDevice *device, AccQueue queue, gpointer to, const AccDeviceMemory *from, gsize offset, gsize size, GError **error)
{
  Fake *self = (Fake *) device;
  Operation *op;
  guint64 point;

  if (!check (self, error))
    return FALSE;

  op = g_new0 (Operation, 1);
  op->kind = DOWNLOAD;
  op->from = from->handle;
  op->from_offset = offset;
  op->size = size;
  op->host = to;
  g_assert_cmpuint (offset + size, <=, op->from->size);
  g_atomic_int_inc (&fake.n_downloads);
  enqueue (self, queue, op);
  if (is_pinned (self, to, size))
    return TRUE;

  return fake_mark (device, queue, &point, error) && fake_block (device, queue, point, 0, error);
}

static gboolean
fake_copy (AccDevice *device, AccQueue queue, const AccDeviceMemory *to, gsize to_offset, const AccDeviceMemory *from, gsize from_offset,
           gsize size, GError **error)
{
  Operation *op;

  if (!check ((Fake *) device, error))
    return FALSE;

  op = g_new0 (Operation, 1);
  op->kind = COPY;
  op->to = to->handle;
  op->from = from->handle;
  op->to_offset = to_offset;
  op->from_offset = from_offset;
  op->size = size;
  enqueue ((Fake *) device, queue, op);

  return TRUE;
}

static gboolean
fake_clear (AccDevice *device, AccQueue queue, const AccDeviceMemory *memory, gsize offset, gsize size, GError **error)
{
  Operation *op;

  if (!check ((Fake *) device, error))
    return FALSE;

  op = g_new0 (Operation, 1);
  op->kind = CLEAR;
  op->to = memory->handle;
  op->to_offset = offset;
  op->size = size;
  g_assert_cmpuint (offset + size, <=, op->to->size);
  enqueue ((Fake *) device, queue, op);

  return TRUE;
}

static gboolean
fake_launch (AccDevice *device, AccDeviceKernel *kernel, const AccDeviceSlot *slots, guint n_slots, const AccGroups *groups,
             const AccDeviceMemory *failure, GError **error)
{
  Operation *op;

  if (!check ((Fake *) device, error))
    return FALSE;

  op = g_new0 (Operation, 1);
  op->kind = LAUNCH;
  g_assert_cmpint (kernel->general, ==, fake_needs_general (device, kernel, slots, n_slots, groups));
  op->kernel = acc_kernel_ref (kernel->kernel);
  op->groups = *groups;
  op->failure_memory = failure->handle;
  op->failure = (AccFailure *) op->failure_memory->data;
  op->n_slots = n_slots;
  op->slots = g_new0 (guint64, n_slots + 1);
  op->memories = g_new0 (Memory *, n_slots + 1);
  g_assert_cmpuint (n_slots, ==, acc_kernel_get_n_params (op->kernel));
  for (guint i = 0; i < n_slots; i++)
    {
      op->memories[i] = slots[i].memory != NULL ? slots[i].memory->handle : NULL;
      op->slots[i] = slots[i].memory != NULL ? (guint64) (guintptr) op->memories[i]->data + (guint64) slots[i].offset : slots[i].bits;
      g_assert_true ((slots[i].memory != NULL) == (acc_kernel_param (op->kernel, i)->is_buffer != 0));
    }
  enqueue ((Fake *) device, ACC_QUEUE_COMPUTE, op);

  return TRUE;
}

/* What the host does now comes behind all that is on the queue. */
static gboolean
fake_enter (AccDevice *device, guint64 *queue, GError **error)
{
  guint64 point;

  *queue = 1;

  return fake_mark (device, ACC_QUEUE_COMPUTE, &point, error) && fake_block (device, ACC_QUEUE_COMPUTE, point, 0, error);
}

static void
fake_leave (AccDevice *device)
{
}

static const AccDeviceClass fake_class = {
  .name = "fake",
  .free = fake_free,
  .compile = fake_compile,
  .needs_general = fake_needs_general,
  .load = fake_load,
  .unload = fake_unload,
  .count_resident = fake_count_resident,
  .allocate = fake_allocate,
  .release = fake_release,
  .allocate_host = fake_allocate_host,
  .release_host = fake_release_host,
  .upload = fake_upload,
  .download = fake_download,
  .copy = fake_copy,
  .clear = fake_clear,
  .launch = fake_launch,
  .mark = fake_mark,
  .wait = fake_wait,
  .is_reached = fake_is_reached,
  .block = fake_block,
  .import = fake_import,
  .enter = fake_enter,
  .leave = fake_leave,
};

AccDevice *
fake_device_open (const char *device, GError **error)
{
  Fake *self;

  static const AccTarget simt = { .model = ACC_MODEL_SIMT, .group_size = 64, .max_group_size = 128, .subgroup_size = 8,
                                  .shared_bytes = 16384, .table_bytes = 8192, .held_bytes = 8192, .n_groups = 4, .merges_loads = TRUE,
                                  .few = 1000, .has_progress = TRUE, .has_residency = TRUE, .has_atomic_64 = TRUE,
                                  .has_atomic_add_f32 = TRUE, .has_atomic_add_f64 = TRUE, .kinds = ~0u };
  static const AccTarget plain = { .model = ACC_MODEL_SIMT, .group_size = 64, .max_group_size = 64, .subgroup_size = 1,
                                   .shared_bytes = 16384, .table_bytes = 8192, .n_groups = 3, .kinds = ~0u };
  static const AccTarget ballots = { .model = ACC_MODEL_SIMT, .group_size = 64, .max_group_size = 128, .subgroup_size = 16,
                                     .has_ballots = TRUE, .shared_bytes = 16384, .table_bytes = 8192, .n_groups = 4, .has_progress = TRUE,
                                     .has_atomic_64 = TRUE, .max_held = 24, .few = 5000, .has_estimates = TRUE,
                                     .kinds = ~0u };
  /* What a large card has: scratch follows from its groups, and from what few elements are for it. */
  static const AccTarget card = { .model = ACC_MODEL_SIMT, .group_size = 256, .max_group_size = 1024, .subgroup_size = 32,
                                  .has_ballots = TRUE, .shared_bytes = 49152, .table_bytes = 32768, .held_bytes = 32768,
                                  .n_groups = 132 * 8, .merges_loads = TRUE, .few = 1 << 19, .max_held = 32, .has_progress = TRUE,
                                  .has_residency = TRUE, .has_atomic_64 = TRUE, .has_atomic_add_f32 = TRUE, .has_atomic_add_f64 = TRUE,
                                  .has_estimates = TRUE, .kinds = ~0u };
  const AccTarget *target = &acc_target_cpu;

  if (g_strcmp0 (device, "card") == 0)
    target = &card;
  else if (g_strcmp0 (device, "simt") == 0)
    target = &simt;
  else if (g_strcmp0 (device, "plain") == 0)
    target = &plain;
  else if (g_strcmp0 (device, "ballots") == 0)
    target = &ballots;
  else if (device != NULL && strcmp (device, "0") != 0 && strcmp (device, "1") != 0)
    {
      g_set_error (error, ACC_ERROR, ACC_ERROR_UNSUPPORTED, "there is no fake device “%s”", device);
      return NULL;
    }

  self = g_new0 (Fake, 1);
  self->base.klass = &fake_class;
  self->base.target = *target;
  self->base.target.kinds &= ~fake.lacks;
  self->base.description = g_strdup ("Fake device");
  self->base.id = g_strdup ("fake 1");
  self->base.memory = fake.memory > 0 ? fake.memory : (guint64) 1 << 30;
  self->base.unified = fake.unified || g_strcmp0 (device, "1") == 0;
  pthread_mutex_init (&self->lock, NULL);
  pthread_cond_init (&self->changed, NULL);
  self->pinned = g_hash_table_new (NULL, NULL);
  for (guint i = 0; i < ACC_N_QUEUES; i++)
    {
      self->queues[i].device = self;
      self->queues[i].number = i;
      g_queue_init (&self->queues[i].operations);
      pthread_create (&self->queues[i].thread, NULL, run_queue, &self->queues[i]);
    }
  g_atomic_int_inc (&fake.n_devices);

  return &self->base;
}

char **
fake_device_list (void)
{
  return g_strsplit ("0,1", ",", -1);
}
