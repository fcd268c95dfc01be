/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "acc-vulkan-private.h"

#include <stdlib.h>
#include <string.h>

/* For tests, ACC_VULKAN_DISABLE switches off what a device has, by a list with commas:
 *
 *   addresses  kernels reach arrays by descriptor sets, not by buffer device addresses
 *   timelines  fences and one queue in place of timeline semaphores
 *   queues     one queue of the device for all
 *   subgroups  no shuffles
 *   unified    the device's memory is copied to and from, though the host sees it
 *   push       no push constants but one address
 *   versions   Vulkan 1.1, and what is newer by extensions
 *   progress   groups do not wait for each other
 *
 * ACC_VULKAN_VALIDATE=1 asks for the Khronos validation layer; what it says become warnings. */

static const GDebugKey disable_keys[] = {
  { "addresses", ACC_VULKAN_DISABLE_ADDRESSES },
  { "timelines", ACC_VULKAN_DISABLE_TIMELINES },
  { "subgroups", ACC_VULKAN_DISABLE_SUBGROUPS },
  { "queues", ACC_VULKAN_DISABLE_QUEUES },
  { "unified", ACC_VULKAN_DISABLE_UNIFIED },
  { "push", ACC_VULKAN_DISABLE_PUSH },
  { "versions", ACC_VULKAN_DISABLE_VERSIONS },
  { "progress", ACC_VULKAN_DISABLE_PROGRESS },
  { "commands", ACC_VULKAN_DISABLE_COMMANDS },
};

static void
free_device (AccDevice *device)
{
  AccVulkanDevice *self = (AccVulkanDevice *) device;

  /* Of a device that does not stop nothing can be given back. */
  if (self->device != VK_NULL_HANDLE && !self->is_hung)
    {
      self->vk.DeviceWaitIdle (self->device);
      for (guint i = 0; i < ACC_N_QUEUES; i++)
        _acc_vulkan_queue_clear (&self->queues[i]);
      if (self->download_kernel != NULL)
        _acc_vulkan_kernel_free (self, self->download_kernel);
      if (self->zeros != NULL)
        _acc_vulkan_piece_free (self, self->zeros);
      _acc_vulkan_heap_clear (self);
      for (guint i = 0; i < self->n_submitters; i++)
        g_mutex_clear (&self->submitters[i].lock);
      self->vk.DestroyDevice (self->device, NULL);
    }
  g_mutex_clear (&self->lost_lock);
  g_mutex_clear (&self->download_lock);
  g_free (self->lost);
  g_free (self->parent.description);
  g_free (self->parent.id);
  g_free (self);
}

static const AccDeviceClass device_class = {
  .name = "vulkan",
  .free = free_device,
  .compile = _acc_vulkan_compile,
  .needs_general = _acc_vulkan_needs_general,
  .load = _acc_vulkan_load,
  .unload = _acc_vulkan_unload,
  .allocate = _acc_vulkan_allocate,
  .release = _acc_vulkan_release,
  .allocate_host = _acc_vulkan_allocate_host,
  .release_host = _acc_vulkan_release_host,
  .upload = _acc_vulkan_upload,
  .download = _acc_vulkan_download,
  .copy = _acc_vulkan_copy,
  .clear = _acc_vulkan_clear,
  .launch = _acc_vulkan_launch,
  .mark = _acc_vulkan_mark,
  .wait = _acc_vulkan_wait,
  .is_reached = _acc_vulkan_is_reached,
  .block = _acc_vulkan_block,
  .get_busy = _acc_vulkan_get_busy,
  .import = _acc_vulkan_import,
};

static gboolean
start (AccVulkanDevice *self,
       GError         **error)
{
  const AccDeviceMemory zeros = { .size = 256 };
  AccDeviceMemory memory = zeros;
  guint64 point;

  _acc_vulkan_heap_init (self);
  for (guint i = 0; i < ACC_N_QUEUES; i++)
    if (!_acc_vulkan_queue_init (&self->queues[i], self, &self->submitters[MIN (i, self->n_submitters - 1)],
                                 i == ACC_QUEUE_COMPUTE && self->time_bits > 0, error))
      return FALSE;

  self->zeros = _acc_vulkan_piece_new (self, ACC_VULKAN_MEMORY_DEVICE, zeros.size, error);
  if (self->zeros == NULL)
    return FALSE;
  memory.handle = self->zeros;
  return _acc_vulkan_clear (&self->parent, ACC_QUEUE_COMPUTE, &memory, 0, zeros.size, error)
         && _acc_vulkan_mark (&self->parent, ACC_QUEUE_COMPUTE, &point, error)
         && _acc_vulkan_block (&self->parent, ACC_QUEUE_COMPUTE, point, 0, error)
         && _acc_vulkan_probe (self, error);
}

/* Two devices of one id take the same code. */
static void
complete_id (AccVulkanDevice *self)
{
  const AccCDialect *d = &self->dialect;
  char *id = g_strdup_printf ("%s push %u flags %d%d%d%d%d%d%d%d%d%d%d%d%d%d%d subgroup %u%s", self->parent.id, d->push_bytes,
                              d->has_addresses, d->has_half, d->has_exact_fma, d->has_exact_divide, d->has_subgroups, d->has_ballots,
                              d->has_atomic_64, d->has_atomic_add_f32, d->has_atomic_add_f64, d->keeps_denormals, d->keeps_nans,
                              d->guards_zeros, d->leaves_loops, d->misrounds_doubles, d->misdivides_words,
                              self->parent.target.subgroup_size, self->sets_subgroup_size ? "!" : "");
  g_free (self->parent.id);
  self->parent.id = id;
}

static AccDevice *
open_device (const AccVulkanInstance *instance,
             guint                    number,
             GError                 **error)
{
  AccVulkanDevice *self = g_new0 (AccVulkanDevice, 1);
  const char *disable = secure_getenv ("ACC_VULKAN_DISABLE");
  const char *timeout = secure_getenv ("ACC_DEVICE_TIMEOUT");

  self->parent.klass = &device_class;
  self->physical = instance->devices[number];
  self->timeout = timeout != NULL ? MAX (g_ascii_strtod (timeout, NULL), 0) : 0;
  self->disable = g_parse_debug_string (disable, disable_keys, G_N_ELEMENTS (disable_keys));
  g_mutex_init (&self->lost_lock);
  g_mutex_init (&self->download_lock);
  if (!_acc_vulkan_make_device (self, instance, error) || !start (self, error))
    {
      free_device (&self->parent);
      return NULL;
    }
  complete_id (self);
  return &self->parent;
}

AccDevice *
acc_vulkan_device_open (const char *name,
                        GError    **error)
{
  const AccVulkanInstance *instance = _acc_vulkan_get_instance (error);
  guint number;

  if (instance == NULL)
    return NULL;
  if (name != NULL)
    return acc_device_find_number (name, "Vulkan", instance->n_devices, &number, error) ? open_device (instance, number, error) : NULL;

  g_autoptr(GError) first_error = NULL;
  for (guint i = 0; i < instance->n_devices; i++)
    {
      AccDevice *device = open_device (instance, i, first_error == NULL ? &first_error : NULL);
      if (device != NULL)
        return device;
    }
  g_propagate_error (error, g_steal_pointer (&first_error));
  return NULL;
}

char **
acc_vulkan_list_devices (void)
{
  const AccVulkanInstance *instance = _acc_vulkan_get_instance (NULL);

  return acc_device_list_numbers (instance != NULL ? instance->n_devices : 0);
}
