/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "acc-vulkan-private.h"

/* What calls of the driver answer, and devices that are lost. */

void
_acc_vulkan_lose (AccVulkanDevice *self,
                  gboolean         is_hung,
                  const char      *reason)
{
  g_mutex_lock (&self->lost_lock);
  if (self->lost == NULL)
    {
      self->lost = g_strdup (reason);
      self->is_hung = is_hung;
      g_atomic_int_set (&self->is_lost, TRUE);
    }
  g_mutex_unlock (&self->lost_lock);
}

gboolean
_acc_vulkan_is_there (AccVulkanDevice *self,
                      GError         **error)
{
  if (!g_atomic_int_get (&self->is_lost))
    return TRUE;
  g_set_error_literal (error, ACC_ERROR, ACC_ERROR_DEVICE_LOST, self->lost);
  return FALSE;
}

gboolean
_acc_vulkan_check (AccVulkanDevice *self,
                   VkResult         result,
                   const char      *what,
                   GError         **error)
{
  if (result == VK_SUCCESS)
    return TRUE;
  if (result == VK_ERROR_DEVICE_LOST)
    {
      g_autofree char *reason = g_strdup_printf ("Vulkan: %s was lost (%s)", self->parent.description, what);
      _acc_vulkan_lose (self, FALSE, reason);
      return _acc_vulkan_is_there (self, error);
    }
  if (result == VK_ERROR_OUT_OF_DEVICE_MEMORY || result == VK_ERROR_OUT_OF_HOST_MEMORY || result == VK_ERROR_TOO_MANY_OBJECTS
      || result == VK_ERROR_MEMORY_MAP_FAILED || result == VK_ERROR_OUT_OF_POOL_MEMORY)
    g_set_error (error, ACC_ERROR, ACC_ERROR_OUT_OF_MEMORY, "Vulkan: out of memory (%s)", what);
  else
    g_set_error (error, ACC_ERROR, ACC_ERROR_UNSUPPORTED, "Vulkan: %s failed (%d)", what, result);
  return FALSE;
}
