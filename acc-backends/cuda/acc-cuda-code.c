/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "acc-cuda-private.h"

#include "acc-backends/codegen/llvm/acc-emit-ptx.h"

#include <string.h>

/* Code of a kernel is an image of the machine's own code: for any addresses of buffers, or for those that are multiples of 16, as those of
 * all but windows of rows are. */

#define MAGIC     "\x7f" "ELF"
#define SYMBOL    "acc_kernel"
#define LOG_BYTES 8192

static GBytes *
link_ptx (AccCudaDevice  *self,
          AccKernel      *kernel,
          const char     *ptx,
          GError        **error)
{
  g_autofree char *log = g_malloc0 (LOG_BYTES);
  int options[] = { CU_LINK_ERROR_LOG, CU_LINK_ERROR_LOG_SIZE };
  void *values[] = { log, GSIZE_TO_POINTER (LOG_BYTES - 1) };
  CuLinkState state = NULL;
  void *image = NULL;
  GBytes *code = NULL;
  gsize size = 0;
  CuResult result = self->cuda->cuLinkCreate_v2 (G_N_ELEMENTS (options), options, values, &state);

  if (!acc_cuda_check (self, result, "starting the linker", error))
    return NULL;

  result = self->cuda->cuLinkAddData_v2 (state, CU_LINK_INPUT_PTX, (void *) ptx, strlen (ptx) + 1, acc_kernel_get_name (kernel), 0, NULL,
                                         NULL);
  if (result == CU_SUCCESS)
    result = self->cuda->cuLinkComplete (state, &image, &size);
  if (result == CU_SUCCESS)
    code = g_bytes_new (image, size);
  else
    {
      g_autofree char *what = acc_cuda_describe (self->cuda, result);

      g_set_error (error, ACC_ERROR, result == CU_OUT_OF_MEMORY ? ACC_ERROR_OUT_OF_MEMORY : ACC_ERROR_COMPILE,
                   "kernel “%s” for %s: %s%s%s", acc_kernel_get_name (kernel), self->parent.parent.description, what,
                   *log != '\0' ? ": " : "", g_strchomp (log));
    }
  self->cuda->cuLinkDestroy (state);

  return code;
}

GBytes *
acc_cuda_compile (AccDevice  *device,
                  AccKernel  *kernel,
                  gboolean    general,
                  GError    **error)
{
  AccCudaDevice *self = (AccCudaDevice *) device;
  gint64 start = g_get_monotonic_time ();
  g_autofree char *ptx = acc_emit_ptx (kernel, self->compute, self->isa, general ? ACC_PTX_DEFAULT : ACC_PTX_ALIGNED, error);
  GBytes *code;

  if (ptx == NULL || !acc_cuda_enter (self, error))
    return NULL;

  acc_device_tell_emitted (kernel, start);
  code = link_ptx (self, kernel, ptx, error);
  acc_cuda_leave (self);

  return code;
}

AccDeviceKernel *
acc_cuda_load (AccDevice  *device,
               AccKernel  *kernel,
               GBytes     *code,
               GError    **error)
{
  AccCudaDevice *self = (AccCudaDevice *) device;
  gsize size;
  const guint8 *data = g_bytes_get_data (code, &size);
  g_autofree guint8 *image = NULL;
  AccDeviceKernel *loaded;
  int n_resident = 0;
  gboolean ok;

  if (size < strlen (MAGIC) || memcmp (data, MAGIC, strlen (MAGIC)) != 0 || acc_kernel_get_group_size (kernel) == 0)
    {
      g_set_error (error, ACC_ERROR, ACC_ERROR_COMPILE, "kernel “%s”: damaged code", acc_kernel_get_name (kernel));
      return NULL;
    }
  if (!acc_cuda_enter (self, error))
    return NULL;

  loaded = g_new0 (AccDeviceKernel, 1);
  loaded->group_size = acc_kernel_get_group_size (kernel);
  /* The driver asks for an image at an aligned address. */
  image = g_memdup2 (data, size);
  ok = acc_cuda_check (self, self->cuda->cuModuleLoadData (&loaded->module, image), "loading a kernel", error)
       && acc_cuda_check (self, self->cuda->cuModuleGetFunction (&loaded->function, loaded->module, SYMBOL), "loading a kernel", error);
  if (ok)
    self->cuda->cuOccupancyMaxActiveBlocksPerMultiprocessor (&n_resident, loaded->function, (int) loaded->group_size, 0);
  loaded->n_resident = (guint) MAX (n_resident, 0) * self->n_processors;
  acc_cuda_leave (self);
  if (!ok)
    {
      acc_cuda_unload (device, loaded);
      return NULL;
    }

  return loaded;
}

guint
acc_cuda_count_resident (AccDevice       *device G_GNUC_UNUSED,
                         AccDeviceKernel *kernel)
{
  return kernel->n_resident;
}

void
acc_cuda_unload (AccDevice       *device,
                 AccDeviceKernel *kernel)
{
  AccCudaDevice *self = (AccCudaDevice *) device;

  if (acc_cuda_enter (self, NULL))
    {
      if (kernel->module != NULL)
        self->cuda->cuModuleUnload (kernel->module);
      acc_cuda_leave (self);
    }
  g_free (kernel);
}

static guint64
get_address (const AccDeviceSlot *slot)
{
  return slot->memory->address + (guint64) slot->offset;
}

gboolean
acc_cuda_needs_general (AccDevice           *device G_GNUC_UNUSED,
                        AccDeviceKernel     *kernel G_GNUC_UNUSED,
                        const AccDeviceSlot *slots,
                        guint                n_slots,
                        const AccGroups     *groups G_GNUC_UNUSED)
{
  for (guint i = 0; i < n_slots; i++)
    if (slots[i].memory != NULL && get_address (&slots[i]) % 16 != 0)
      return TRUE;

  return FALSE;
}

gboolean
acc_cuda_launch (AccDevice              *device,
                 AccDeviceKernel        *kernel,
                 const AccDeviceSlot    *slots,
                 guint                   n_slots,
                 const AccGroups        *groups,
                 const AccDeviceMemory  *failure,
                 GError                **error)
{
  AccCudaDevice *self = (AccCudaDevice *) device;
  guint n_words = n_slots + ACC_GROUPS_WORDS + 1;
  guint64 few[64];
  void *few_parameters[64];
  g_autofree guint64 *many = n_words > G_N_ELEMENTS (few) ? g_new (guint64, n_words) : NULL;
  g_autofree void **many_parameters = n_words > G_N_ELEMENTS (few) ? g_new (void *, n_words) : NULL;
  guint64 *words = many != NULL ? many : few;
  void **parameters = many_parameters != NULL ? many_parameters : few_parameters;
  const gint64 most[2] = { 65535, G_MAXINT32 };
  AccGroupsPart part;
  gboolean ok;

  for (guint i = 0; i < n_slots; i++)
    words[i] = slots[i].memory != NULL ? get_address (&slots[i]) : slots[i].bits;
  words[n_words - 1] = failure->address;
  for (guint i = 0; i < n_words; i++)
    parameters[i] = &words[i];

  g_mutex_lock (&self->parent.lock);
  ok = acc_cuda_enter (self, error);
  if (ok)
    {
      acc_cuda_note_launch (self);
      acc_groups_begin_parts (groups, most, &part);
      while (ok && acc_groups_next_part (&part))
        {
          memcpy (words + n_slots, part.words, sizeof part.words);
          ok = acc_cuda_check (self, self->cuda->cuLaunchKernel (kernel->function, (unsigned) part.count[1], (unsigned) part.count[0], 1,
                                                                 kernel->group_size, 1, 1, 0, self->streams[ACC_QUEUE_COMPUTE], parameters,
                                                                 NULL),
                               "launching a kernel", error);
        }
      acc_cuda_leave (self);
    }
  g_mutex_unlock (&self->parent.lock);

  return ok;
}
