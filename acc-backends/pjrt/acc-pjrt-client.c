/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "acc-pjrt-client.h"

#include "acc-pjrt-options.h"

#include "acc-error.h"

#include <glib/gstdio.h>
#include <string.h>

/* --- the device */

static gboolean
is_called (const PjrtClientTextArgs *name,
           const char               *platform)
{
  return name->length == strlen (platform) && memcmp (name->text, platform, name->length) == 0;
}

static char *
describe (AccPjrtClient *self)
{
  PjrtClientTextArgs name = ACC_PJRT_ARGS (PjrtClientTextArgs, .client = self->client), version = name;
  PjrtDeviceDescriptionArgs device = ACC_PJRT_ARGS (PjrtDeviceDescriptionArgs, .device = self->device);
  PjrtDescriptionTextArgs kind = ACC_PJRT_ARGS (PjrtDescriptionTextArgs);
  PjrtDescriptionIdArgs id = ACC_PJRT_ARGS (PjrtDescriptionIdArgs, .id = (gint) self->number);

  acc_pjrt_call_freely (self->api, PJRT_CLIENT_PLATFORM_NAME, &name);
  acc_pjrt_call_freely (self->api, PJRT_CLIENT_PLATFORM_VERSION, &version);
  acc_pjrt_call_freely (self->api, PJRT_DEVICE_DESCRIPTION, &device);
  kind.description = id.description = device.description;
  if (kind.description != NULL)
    {
      acc_pjrt_call_freely (self->api, PJRT_DESCRIPTION_KIND, &kind);
      acc_pjrt_call_freely (self->api, PJRT_DESCRIPTION_ID, &id);
    }
  self->id = id.id;
  self->base.is_host = is_called (&name, "cpu");
  self->base.is_rough = is_called (&name, "cuda");
  self->base.stores_gathered = is_called (&name, "tpu");
  self->base.is_narrow = self->base.is_rough || self->base.stores_gathered;

  return g_strdup_printf ("XLA by a PJRT plugin of version %d.%d: %.*s, %.*s", self->api->version.major, self->api->version.minor,
                          (int) name.length, name.text != NULL ? name.text : "", (int) kind.length, kind.text != NULL ? kind.text : "");
}

/* What its allocator gives at most; 0: that is not known. */
static guint64
find_memory (AccPjrtClient *self)
{
  PjrtDeviceMemoryArgs args = ACC_PJRT_ARGS (PjrtDeviceMemoryArgs, .device = self->device);

  acc_pjrt_call_freely (self->api, PJRT_DEVICE_MEMORY, &args);

  return args.limit.is_set && args.limit.bytes > 0 ? (guint64) args.limit.bytes : 0;
}

static gboolean
find_device (AccPjrtClient  *self,
             const char     *device,
             GError        **error)
{
  PjrtClientDevicesArgs devices = ACC_PJRT_ARGS (PjrtClientDevicesArgs, .client = self->client);
  guint64 number = 0;

  if (!acc_pjrt_call (self->api, PJRT_CLIENT_ADDRESSABLE_DEVICES, &devices, "PJRT plugin", error))
    return FALSE;
  if ((device != NULL && !g_ascii_string_to_unsigned (device, 10, 0, G_MAXUINT16, &number, NULL)) || number >= devices.n_devices)
    {
      g_set_error (error, ACC_ERROR, ACC_ERROR_UNSUPPORTED, "the PJRT plugin has %" G_GSIZE_FORMAT " devices, and no “%s”",
                   devices.n_devices, device != NULL ? device : "0");
      return FALSE;
    }
  self->device = devices.devices[number];
  self->number = (guint) number;

  return TRUE;
}

/* What code depends on besides its text: the plugin, as a file, and the device. */
static char *
dup_target (AccPjrtClient *self,
            const char    *path)
{
  GStatBuf status;

  if (g_stat (path, &status) != 0)
    return g_strdup_printf ("acc " ACC_VERSION_S " %s %u", self->base.description, self->number);

  return g_strdup_printf ("acc " ACC_VERSION_S " %s %u %s %" G_GINT64_FORMAT ".%09ld %" G_GINT64_FORMAT, self->base.description,
                          self->number, path, (gint64) status.st_mtim.tv_sec, status.st_mtim.tv_nsec, (gint64) status.st_size);
}

AccPjrtClient *
acc_pjrt_client_new (const char  *device,
                     GError     **error)
{
  static const gint32 zero = 0;
  g_autoptr(AccPjrtClient) self = NULL;
  const char *path;
  const PjrtApi *api;
  PjrtClient *client = acc_pjrt_create_client (&api, &path, error);

  if (client == NULL)
    return NULL;

  self = g_new0 (AccPjrtClient, 1);
  g_atomic_ref_count_init (&self->ref_count);
  g_mutex_init (&self->lock);
  self->api = api;
  self->client = client;
  if (!find_device (self, device, error))
    return NULL;
  self->zero = acc_pjrt_client_make_buffer (self, &zero, ACC_KIND_I32, NULL, 0, PJRT_HOST_DURING_CALL, "PJRT plugin", error);
  if (self->zero == NULL)
    return NULL;
  self->base.description = describe (self);
  if (!self->base.is_host)
    self->base.memory = find_memory (self);
  if (!(acc_disable_get_flags () & ACC_DISABLE_CACHE))
    self->cache = acc_kernel_cache_new (NULL, 0);
  self->target = dup_target (self, path);

  return g_steal_pointer (&self);
}

AccPjrtClient *
acc_pjrt_client_ref (AccPjrtClient *self)
{
  g_atomic_ref_count_inc (&self->ref_count);

  return self;
}

void
acc_pjrt_client_unref (AccPjrtClient *self)
{
  PjrtClientArgs args = ACC_PJRT_ARGS (PjrtClientArgs, .client = self->client);

  if (!g_atomic_ref_count_dec (&self->ref_count))
    return;

  if (self->zero != NULL)
    acc_pjrt_buffer_free (self, self->zero);
  acc_pjrt_call_freely (self->api, PJRT_CLIENT_DESTROY, &args);
  g_clear_pointer (&self->base.budget, acc_budget_unref);
  g_clear_pointer (&self->base.host_budget, acc_budget_unref);
  g_clear_pointer (&self->cache, acc_kernel_cache_free);
  g_mutex_clear (&self->lock);
  g_free (self->target);
  g_free (self->base.description);
  g_free (self);
}
