/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "acc-device-stage.h"

#include "acc-core/backend/acc-backend-private.h"

#include <math.h>
#include <stdlib.h>

/* --- reports */

AccDeviceReport *
acc_device_heap_take_report (AccDeviceHeap  *self,
                             GError        **error)
{
  AccDeviceReport *report = NULL;
  GError *problem = NULL;

  if (!acc_device_heap_check (self, error))
    return NULL;

  acc_device_heap_lock (self);
  if (self->reports->len > 0)
    report = g_ptr_array_steal_index_fast (self->reports, self->reports->len - 1);
  acc_device_heap_unlock (self);
  if (report != NULL)
    return report;

  report = g_new0 (AccDeviceReport, 1);
  if (acc_device_heap_ask (self, ACC_BLOCK_DEVICE, ACC_SMALLEST_BLOCK, &report->memory, &problem))
    {
      report->host = self->device->klass->allocate_host (self->device, ACC_REPORT_BYTES, &problem);
      if (report->host != NULL
          && self->device->klass->clear (self->device, ACC_QUEUE_COMPUTE, &report->memory, 0, ACC_SMALLEST_BLOCK, &problem))
        return report;
      if (report->host != NULL)
        self->device->klass->release_host (self->device, report->host, ACC_REPORT_BYTES);
      self->device->klass->release (self->device, &report->memory);
    }
  g_free (report);
  acc_device_heap_note_error (self, problem);
  g_propagate_error (error, problem);

  return NULL;
}

void
acc_device_heap_give_report (AccDeviceHeap   *self,
                             AccDeviceReport *report,
                             gboolean         is_clean)
{
  report->filled = 0;
  if (!is_clean && !self->lost)
    is_clean = self->device->klass->clear (self->device, ACC_QUEUE_COMPUTE, &report->memory, 0, ACC_SMALLEST_BLOCK, NULL);

  acc_device_heap_lock (self);
  if (is_clean)
    g_ptr_array_add (self->reports, report);
  else
    acc_device_abandon (report);
  acc_device_heap_unlock (self);
}

/* --- the heap */

void
acc_device_abandon (gpointer data)
{
  static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
  static GPtrArray *abandoned;

  pthread_mutex_lock (&mutex);
  if (abandoned == NULL)
    abandoned = g_ptr_array_new ();
  g_ptr_array_add (abandoned, data);
  pthread_mutex_unlock (&mutex);
}

void
acc_device_heap_free_device (AccDeviceHeap *self)
{
  AccDevice *device = g_steal_pointer (&self->device);
  guint64 point;

  /* Reports are cleared for the next run. */
  if (self->reports->len > 0 && !self->lost
      && (!device->klass->mark (device, ACC_QUEUE_COMPUTE, &point, NULL)
          || !device->klass->block (device, ACC_QUEUE_COMPUTE, point, self->timeout, NULL)))
    self->lost = TRUE;
  for (guint i = 0; i < self->reports->len; i++)
    {
      AccDeviceReport *report = g_ptr_array_index (self->reports, i);

      if (!self->lost)
        {
          device->klass->release (device, &report->memory);
          device->klass->release_host (device, report->host, ACC_REPORT_BYTES);
          g_free (report);
        }
      else
        acc_device_abandon (report);
    }
  g_ptr_array_set_size (self->reports, 0);
  for (guint i = 0; i < G_N_ELEMENTS (self->stages); i++)
    {
      acc_device_stage_free (self->stages[i], self->lost ? NULL : device);
      self->stages[i] = NULL;
    }
  if (!self->lost)
    device->klass->free (device);
  else
    acc_device_abandon (device);
}

static gboolean
read_timeout (double  *seconds,
              GError **error)
{
  const char *text = secure_getenv ("ACC_DEVICE_TIMEOUT");
  char *end;

  *seconds = 0;
  if (text == NULL || *text == '\0')
    return TRUE;

  *seconds = g_ascii_strtod (text, &end);
  if (*end == '\0' && isfinite (*seconds) && *seconds >= 0)
    return TRUE;

  g_set_error (error, ACC_ERROR, ACC_ERROR_UNSUPPORTED, "ACC_DEVICE_TIMEOUT is “%s”, not a number of seconds", text);

  return FALSE;
}

AccDeviceHeap *
acc_device_heap_new (AccDevice  *device,
                     AccBudget  *budget,
                     AccBudget  *host_budget,
                     GError    **error)
{
  AccDeviceHeap *self;
  pthread_mutexattr_t recursive;
  double timeout;

  if (!read_timeout (&timeout, error))
    {
      device->klass->free (device);
      return NULL;
    }

  self = g_new0 (AccDeviceHeap, 1);
  g_atomic_ref_count_init (&self->ref_count);
  self->device = device;
  self->budget = acc_budget_ref (budget);
  self->host_budget = acc_budget_ref (host_budget);
  self->fetched = acc_pool_new (host_budget, acc_machine_get_memory () / 8);
  self->timeout = timeout;
  pthread_mutexattr_init (&recursive);
  pthread_mutexattr_settype (&recursive, PTHREAD_MUTEX_RECURSIVE);
  pthread_mutex_init (&self->mutex, &recursive);
  pthread_mutexattr_destroy (&recursive);
  pthread_cond_init (&self->changed, NULL);
  for (guint kind = 0; kind < G_N_ELEMENTS (self->shelves); kind++)
    self->shelves[kind] = g_tree_new_full (acc_device_heap_compare_sizes, NULL, NULL, (GDestroyNotify) g_queue_free);
  g_queue_init (&self->idle);
  g_queue_init (&self->resident);
  self->reports = g_ptr_array_new ();
  self->stages[0] = acc_device_stage_new (ACC_QUEUE_UPLOAD);
  self->stages[1] = acc_device_stage_new (ACC_QUEUE_DOWNLOAD);
  acc_budget_add_reclaim (budget, acc_device_heap_reclaim, self);
  acc_budget_add_reclaim (host_budget, acc_device_heap_reclaim_pinned, self);

  return self;
}

AccDeviceHeap *
acc_device_heap_ref (AccDeviceHeap *self)
{
  g_atomic_ref_count_inc (&self->ref_count);

  return self;
}

void
acc_device_heap_unref (AccDeviceHeap *self)
{
  if (!g_atomic_ref_count_dec (&self->ref_count))
    return;

  acc_device_heap_close (self);
  for (guint kind = 0; kind < G_N_ELEMENTS (self->shelves); kind++)
    g_tree_unref (self->shelves[kind]);
  g_ptr_array_unref (self->reports);
  acc_pool_unref (self->fetched);
  acc_budget_unref (self->host_budget);
  acc_budget_unref (self->budget);
  pthread_cond_destroy (&self->changed);
  pthread_mutex_destroy (&self->mutex);
  g_free (self);
}

void
acc_device_heap_close (AccDeviceHeap *self)
{
  acc_device_heap_lock (self);
  if (!self->closed)
    {
      acc_budget_remove_reclaim (self->budget, acc_device_heap_reclaim, self);
      acc_budget_remove_reclaim (self->host_budget, acc_device_heap_reclaim_pinned, self);
      self->n_blocks++;
      acc_device_heap_drop_clean (self);
      while (self->idle.length > 0)
        acc_device_heap_destroy_oldest (self);
      self->closed = TRUE;
      if (--self->n_blocks == 0)
        acc_device_heap_free_device (self);
    }
  acc_device_heap_unlock (self);
  acc_pool_close (self->fetched);
}

AccDevice *
acc_device_heap_get_device (AccDeviceHeap *self)
{
  return self->device;
}
