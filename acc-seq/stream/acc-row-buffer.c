/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "acc-row-buffer-private.h"

#include "acc-error.h"
#include "acc-core/array/acc-array-private.h"
#include "acc-core/base/acc-parallel-private.h"

#include <string.h>

#define ALIGNMENT 64

static gboolean
round_up (guint64 *bytes)
{
  if (!g_uint64_checked_add (bytes, *bytes, ALIGNMENT - 1))
    return FALSE;

  *bytes -= *bytes % ALIGNMENT;

  return TRUE;
}

/* Bytes of one run before and from the origin. */
static gboolean
measure_run (AccElementType *type, guint number, gint64 row_elements, gint64 headroom, gint64 capacity,
              guint64 *before, guint64 *after)
{
  guint64 row_bytes;

  return g_uint64_checked_mul (&row_bytes, (guint64) row_elements,
                               acc_element_type_get_buffer_size (type, number))
         && g_uint64_checked_mul (before, row_bytes, (guint64) headroom)
         && g_uint64_checked_mul (after, row_bytes, (guint64) capacity)
         && round_up (before) && round_up (after);
}

guint64
acc_row_buffer_get_bytes (AccElementType *type, gint64 row_elements, gint64 headroom, gint64 capacity)
{
  guint64 bytes = 0;

  for (guint i = 0; i < acc_element_type_get_n_buffers (type); i++)
    {
      guint64 before, after;

      if (!measure_run (type, i, row_elements, headroom, capacity, &before, &after)
          || !g_uint64_checked_add (&bytes, bytes, before)
          || !g_uint64_checked_add (&bytes, bytes, after))
        return G_MAXUINT64;
    }

  return bytes;
}

/* --- in memory of the host */

static gboolean
host_copy (AccRowBuffer *self, gint64 row, AccRowBuffer *from, gint64 from_row, gint64 n_rows, GError **error)
{
  for (guint i = 0; i < self->n_runs; i++)
    {
      guint8 *target = self->origin[i] + row * (gssize) self->row_bytes[i];
      const guint8 *source = from->origin[i] + from_row * (gssize) from->row_bytes[i];

      if (self->row_bytes[i] > 0 && self->parallel)
        acc_parallel_copy (target, source, (gsize) n_rows * self->row_bytes[i]);
      else if (self->row_bytes[i] > 0)
        memmove (target, source, (gsize) n_rows * self->row_bytes[i]);
    }

  return TRUE;
}

static void
host_set_window (AccRowBuffer *self, AccRowRun *run, guint value, gint64 origin_row, gint64 first_row, gint64 n_rows, gpointer *addresses)
{
  acc_row_buffer_get_row (self, origin_row, addresses);
  run->klass->set_window (run, value, addresses, first_row, n_rows);
}

static void
host_release (AccRowBuffer *self)
{
  for (guint i = 0; i < self->n_buffers; i++)
    g_clear_pointer (&self->buffers[i], acc_buffer_unref);
}

static const AccRowBufferClass host_class = { host_copy, host_set_window, host_release };

/* --- in memory of a device */

static gboolean
device_copy (AccRowBuffer *self, gint64 row, AccRowBuffer *from, gint64 from_row, gint64 n_rows, GError **error)
{
  return self->run->klass->device->copy (self->run, self->value, self->memory, row, from->memory, from_row, n_rows, error);
}

static void
device_set_window (AccRowBuffer *self, AccRowRun *run, guint value, gint64 origin_row, gint64 first_row, gint64 n_rows, gpointer *addresses)
{
  run->klass->device->set_window (run, value, self->memory, first_row - origin_row, first_row, n_rows);
}

static void
device_release (AccRowBuffer *self)
{
  if (self->memory != NULL)
    self->run->klass->device->release (self->run, self->memory);
}

static const AccRowBufferClass device_class = { device_copy, device_set_window, device_release };

/* --- making them */

static AccRowBuffer *
new_empty (AccElementType *type, gint64 row_elements, gint64 headroom, gint64 capacity, guint n_buffers)
{
  AccRowBuffer *self = g_new0 (AccRowBuffer, 1);

  self->klass = &host_class;
  self->n_runs = acc_element_type_get_n_buffers (type);
  self->origin = g_new0 (guint8 *, self->n_runs);
  self->row_bytes = g_new0 (gsize, self->n_runs);
  self->n_buffers = n_buffers;
  self->buffers = g_new0 (AccBuffer *, n_buffers);
  self->headroom = headroom;
  self->capacity = capacity;

  for (guint i = 0; i < self->n_runs; i++)
    self->row_bytes[i] = (gsize) row_elements * acc_element_type_get_buffer_size (type, i);

  return self;
}

static gboolean
check_bytes (guint64 bytes, const char *what, GError **error)
{
  if (bytes < G_MAXSSIZE)
    return TRUE;

  g_set_error (error, ACC_ERROR, ACC_ERROR_OUT_OF_MEMORY, "%s needs more memory than can be addressed", what);

  return FALSE;
}

typedef AccBuffer *(*Allocate) (gpointer owner, gsize size, const char *what, GError **error);

/* One buffer for all runs. */
static AccRowBuffer *
new_joint (Allocate allocate, gpointer owner, AccElementType *type, gint64 row_elements, gint64 headroom, gint64 capacity,
           const char *what, GError **error)
{
  guint64 bytes = acc_row_buffer_get_bytes (type, row_elements, headroom, capacity);
  g_autoptr(AccRowBuffer) self = NULL;
  guint8 *data;

  if (!check_bytes (bytes, what, error))
    return NULL;

  self = new_empty (type, row_elements, headroom, capacity, 1);
  self->buffers[0] = allocate (owner, (gsize) bytes, what, error);
  if (self->buffers[0] == NULL)
    return NULL;

  data = self->buffers[0]->data;
  for (guint i = 0; i < self->n_runs; i++)
    {
      guint64 before = 0, after = 0;

      measure_run (type, i, row_elements, headroom, capacity, &before, &after);
      self->origin[i] = data + before;
      data += before + after;
    }

  return g_steal_pointer (&self);
}

static AccBuffer *
allocate_of_backend (gpointer owner, gsize size, const char *what, GError **error)
{
  return acc_backend_allocate (owner, size, what, error);
}

static AccBuffer *
allocate_staging (gpointer owner, gsize size, const char *what, GError **error)
{
  return ((AccRowRun *) owner)->klass->device->allocate_staging (owner, size, what, error);
}

static AccBuffer *
allocate_of_host (gpointer owner, gsize size, const char *what, GError **error)
{
  return acc_buffer_allocate (size, acc_backend_get_host_budget (owner), what, error);
}

AccRowBuffer *
acc_row_buffer_new (AccBackend *backend, AccElementType *type, gint64 row_elements,
                    gint64 headroom, gint64 capacity, const char *what, GError **error)
{
  return new_joint (allocate_of_backend, backend, type, row_elements, headroom, capacity, what, error);
}

AccRowBuffer *
acc_row_buffer_new_staging (AccRowRun *run, AccElementType *type, gint64 row_elements, gint64 capacity,
                            const char *what, GError **error)
{
  return new_joint (allocate_staging, run, type, row_elements, 0, capacity, what, error);
}

AccRowBuffer *
acc_row_buffer_new_on_device (AccRowRun *run, guint value, gint64 headroom, gint64 capacity, const char *what, GError **error)
{
  const AccRowValue *row_value = &run->values[value];
  g_autoptr(AccRowBuffer) self = NULL;

  if (!check_bytes (run->klass->device->measure (run, value, headroom, capacity), what, error))
    return NULL;

  self = new_empty (row_value->type, row_value->row_elements, headroom, capacity, 0);
  self->klass = &device_class;
  self->run = run;
  self->value = value;
  self->memory = run->klass->device->allocate (run, value, headroom, capacity, error);

  return self->memory != NULL ? g_steal_pointer (&self) : NULL;
}

static AccRowBuffer *
new_separate (Allocate allocate, AccBackend *backend, AccElementType *type, gint64 row_elements, gint64 capacity, const char *what,
              GError **error)
{
  g_autoptr(AccRowBuffer) self = NULL;

  if (!check_bytes (acc_row_buffer_get_bytes (type, row_elements, 0, capacity), what, error))
    return NULL;

  self = new_empty (type, row_elements, 0, capacity, acc_element_type_get_n_buffers (type));
  for (guint i = 0; i < self->n_runs; i++)
    {
      self->buffers[i] = allocate (backend, self->row_bytes[i] * (gsize) capacity, what, error);
      if (self->buffers[i] == NULL)
        return NULL;

      self->origin[i] = self->buffers[i]->data;
    }

  return g_steal_pointer (&self);
}

AccRowBuffer *
acc_row_buffer_new_result (AccBackend *backend, AccElementType *type, gint64 row_elements, gint64 capacity, const char *what,
                           GError **error)
{
  return new_separate (allocate_of_backend, backend, type, row_elements, capacity, what, error);
}

AccRowBuffer *
acc_row_buffer_new_fetched (AccBackend *backend, AccElementType *type, gint64 row_elements, gint64 capacity, const char *what,
                            GError **error)
{
  AccRowBuffer *self = new_separate (allocate_of_host, backend, type, row_elements, capacity, what, error);

  if (self != NULL)
    self->parallel = TRUE;

  return self;
}

void
acc_row_buffer_free (AccRowBuffer *self)
{
  self->klass->release (self);
  g_free (self->buffers);
  g_free (self->origin);
  g_free (self->row_bytes);
  g_free (self);
}

void
acc_row_buffer_get_row (AccRowBuffer *self, gint64 row, gpointer *addresses)
{
  for (guint i = 0; i < self->n_runs; i++)
    addresses[i] = self->origin[i] + row * (gssize) self->row_bytes[i];
}

gboolean
acc_row_buffer_copy (AccRowBuffer *self, gint64 row, AccRowBuffer *from, gint64 from_row, gint64 n_rows, GError **error)
{
  g_return_val_if_fail (row >= -self->headroom && row + n_rows <= self->capacity, FALSE);
  g_return_val_if_fail (from_row >= -from->headroom && from_row + n_rows <= from->capacity, FALSE);
  g_return_val_if_fail (self->klass == from->klass, FALSE);

  return n_rows <= 0 || self->klass->copy (self, row, from, from_row, n_rows, error);
}

void
acc_row_buffer_set_window (AccRowBuffer *self, AccRowRun *run, guint value, gint64 origin_row, gint64 first_row, gint64 n_rows,
                           gpointer *addresses)
{
  self->klass->set_window (self, run, value, origin_row, first_row, n_rows, addresses);
}

AccArray *
acc_row_buffer_to_array (AccRowBuffer *self, AccElementType *type, AccShape *shape)
{
  AccArray *array;

  g_return_val_if_fail (self->n_buffers == self->n_runs, NULL);

  array = acc_array_new_manifest (type, shape, self->buffers);
  memset (self->buffers, 0, self->n_buffers * sizeof (AccBuffer *));

  return array;
}
