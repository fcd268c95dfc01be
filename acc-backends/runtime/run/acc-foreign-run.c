/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "acc-foreign-run.h"

gboolean
acc_foreign_can_run (AccHost    *host,
                     AccForeign *foreign)
{
  return !acc_foreign_is_launch (foreign) || host->heap == NULL || acc_device_heap_get_device (host->heap)->klass->enter != NULL;
}

/* One call on a device. */
typedef struct {
  AccHost         *host;
  const char      *what;
  GPtrArray       *pinned;    /* AccBuffer, owned, once for each time */
  GPtrArray       *blocks;    /* AccDeviceBlock: each once */
  gboolean         has_begun, has_entered;
} Run;

/* --- in the host's memory */

static gboolean
begin_on_host (AccForeignLaunch  *launch,
               AccShape          *shape,
               GError           **error)
{
  Run *self = launch->run;
  guint n_buffers = acc_element_type_get_n_buffers (launch->node->type), n = 0;
  g_autoptr(GPtrArray) made = g_ptr_array_new_with_free_func ((GDestroyNotify) acc_buffer_unref);

  for (guint i = 0; i < launch->n_inputs; i++)
    for (guint k = 0; k < acc_element_type_get_n_buffers (launch->inputs[i]->type); k++)
      {
        gpointer data = acc_buffer_map (acc_array_get_buffers (launch->inputs[i])[k], error);

        if (data == NULL)
          return FALSE;
        launch->addresses[n++] = (guintptr) data;
      }
  for (guint k = 0; k < n_buffers; k++)
    {
      gsize bytes = (gsize) acc_shape_get_size (shape) * acc_element_type_get_buffer_size (launch->node->type, k);
      AccBuffer *buffer = acc_pool_allocate (self->host->pool, bytes, self->what, error);

      if (buffer == NULL)
        return FALSE;
      g_ptr_array_add (made, buffer);
      launch->addresses[n++] = (guintptr) buffer->data;
    }

  g_ptr_array_set_free_func (made, NULL);
  launch->result = acc_array_new_manifest (launch->node->type, shape, (AccBuffer **) made->pdata);
  return TRUE;
}

/* --- on a device */

/* Holds the buffer, whose bytes are pinned, and takes note of its place. */
static guint64
note (Run            *self,
      AccBuffer      *buffer,
      AccDeviceBlock *block)
{
  g_ptr_array_add (self->pinned, acc_buffer_ref (buffer));
  if (!g_ptr_array_find (self->blocks, block, NULL))
    g_ptr_array_add (self->blocks, block);

  return block->memory.address;
}

static gboolean
pin_inputs (Run               *self,
            AccForeignLaunch  *launch,
            guint             *n,
            GError           **error)
{
  for (guint i = 0; i < launch->n_inputs; i++)
    for (guint k = 0; k < acc_element_type_get_n_buffers (launch->inputs[i]->type); k++)
      {
        AccBuffer *buffer = acc_array_get_buffers (launch->inputs[i])[k];
        AccDeviceBlock *block = acc_device_heap_pin (self->host->heap, buffer, self->what, error);

        if (block == NULL)
          return FALSE;
        launch->addresses[(*n)++] = note (self, buffer, block);
      }

  return TRUE;
}

static gboolean
make_result (Run               *self,
             AccForeignLaunch  *launch,
             AccShape          *shape,
             guint             *n,
             GError           **error)
{
  AccDeviceHeap *heap = self->host->heap;
  g_autoptr(GPtrArray) made = g_ptr_array_new_with_free_func ((GDestroyNotify) acc_buffer_unref);

  for (guint k = 0; k < acc_element_type_get_n_buffers (launch->node->type); k++)
    {
      gsize bytes = (gsize) acc_shape_get_size (shape) * acc_element_type_get_buffer_size (launch->node->type, k);
      AccBuffer *buffer = acc_device_heap_new_buffer (heap, bytes, FALSE, self->what, error);
      AccDeviceBlock *block;

      if (buffer == NULL)
        return FALSE;
      g_ptr_array_add (made, buffer);
      /* It is pinned already; this says where. */
      block = acc_device_heap_pin (heap, buffer, self->what, error);
      acc_device_heap_unpin (heap, buffer);
      if (block == NULL)
        return FALSE;
      launch->addresses[(*n)++] = note (self, buffer, block);
    }

  g_ptr_array_set_free_func (made, NULL);
  launch->result = acc_array_new_manifest (launch->node->type, shape, (AccBuffer **) made->pdata);
  return TRUE;
}

static gboolean
begin_on_device (AccForeignLaunch  *launch,
                 AccShape          *shape,
                 GError           **error)
{
  Run *self = launch->run;
  AccDevice *device = acc_device_heap_get_device (self->host->heap);
  guint n = 0;

  if (!pin_inputs (self, launch, &n, error) || !make_result (self, launch, shape, &n, error))
    return FALSE;

  self->has_begun = acc_device_heap_begin (self->host->heap, ACC_QUEUE_COMPUTE, (AccDeviceBlock **) self->blocks->pdata, self->blocks->len,
                                           error);
  self->has_entered = self->has_begun && device->klass->enter (device, &launch->queue, error);

  return self->has_entered;
}

/* Its work is ordered by the blocks; the host does not wait here. */
static void
end_on_device (Run *self)
{
  AccDeviceHeap *heap = self->host->heap;
  AccDevice *device = acc_device_heap_get_device (heap);

  if (self->has_entered)
    device->klass->leave (device);
  if (self->has_begun)
    acc_device_heap_end (heap, ACC_QUEUE_COMPUTE, (AccDeviceBlock **) self->blocks->pdata, self->blocks->len);
  for (guint i = 0; i < self->pinned->len; i++)
    acc_device_heap_unpin (heap, g_ptr_array_index (self->pinned, i));
}

/* --- calling */

AccArray *
acc_foreign_run (AccHost       *host,
                 AccForeign    *foreign,
                 AccArray      *node,
                 AccArray     **inputs,
                 GCancellable  *cancellable,
                 GError       **error)
{
  g_autoptr(GPtrArray) pinned = g_ptr_array_new_with_free_func ((GDestroyNotify) acc_buffer_unref), blocks = g_ptr_array_new ();
  Run run = { .host = host, .what = acc_foreign_get_name (node), .pinned = pinned, .blocks = blocks };
  g_autoptr(AccForeignLaunch) launch = NULL;
  AccArray *result;

  if (!acc_foreign_is_launch (foreign))
    return acc_foreign_call (foreign, node, inputs, cancellable, error);

  launch = acc_foreign_launch_new (node, inputs, &run, host->heap != NULL ? begin_on_device : begin_on_host);
  result = acc_foreign_launch_call (launch, foreign, cancellable, error);
  if (host->heap != NULL)
    end_on_device (&run);

  return result;
}
