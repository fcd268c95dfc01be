/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "acc-cuda-libraries.h"

#include "acc-backends/codegen/llvm/acc-emit-ptx.h"

#define MIN_COMPUTE 70

gboolean
acc_cuda_enter (AccCudaDevice  *self,
                GError        **error)
{
  return acc_event_device_is_there (&self->parent, error)
         && acc_cuda_check (self, self->cuda->cuCtxPushCurrent_v2 (self->context), "entering the context", error);
}

void
acc_cuda_leave (AccCudaDevice *self)
{
  CuContext context;

  self->cuda->cuCtxPopCurrent_v2 (&context);
}

gboolean
acc_cuda_check (AccCudaDevice  *self,
                CuResult        result,
                const char     *doing,
                GError        **error)
{
  g_autofree char *what = NULL;
  AccError code;

  if (G_LIKELY (result == CU_SUCCESS))
    return TRUE;

  what = acc_cuda_describe (self->cuda, result);
  switch (result)
    {
    case CU_OUT_OF_MEMORY:
    case CU_LAUNCH_OUT_OF_RESOURCES:
      code = ACC_ERROR_OUT_OF_MEMORY;
      break;
    case 200: case 209: case CU_INVALID_PTX: case 222: case 300: case 500:
      code = ACC_ERROR_COMPILE;
      break;
    case 1: case 801:
      code = ACC_ERROR_UNSUPPORTED;
      break;
    default:
      /* An error of a kernel stays with the context. */
      code = ACC_ERROR_DEVICE_LOST;
      g_atomic_int_set (&self->parent.lost, TRUE);
      break;
    }
  g_set_error (error, ACC_ERROR, code, "%s: %s: %s", self->parent.parent.description, doing, what);

  return FALSE;
}

/* Leaves after the call that @result is of. */
static gboolean
done (AccCudaDevice  *self,
      CuResult        result,
      const char     *doing,
      GError        **error)
{
  gboolean ok = acc_cuda_check (self, result, doing, error);

  acc_cuda_leave (self);

  return ok;
}

/* --- memory */

static gboolean
cuda_allocate (AccDevice        *device,
               gsize             size,
               AccDeviceMemory  *memory,
               GError          **error)
{
  AccCudaDevice *self = (AccCudaDevice *) device;
  CuPointer pointer = 0;

  if (!acc_cuda_enter (self, error)
      || !done (self, self->cuda->cuMemAlloc_v2 (&pointer, MAX (size, 1)), "allocating memory", error))
    return FALSE;

  *memory = (AccDeviceMemory) { .handle = GSIZE_TO_POINTER (pointer), .address = pointer, .size = size };

  return TRUE;
}

static void
cuda_release (AccDevice       *device,
              AccDeviceMemory *memory)
{
  AccCudaDevice *self = (AccCudaDevice *) device;

  if (!acc_cuda_enter (self, NULL))
    return;

  self->cuda->cuMemFree_v2 (memory->address);
  acc_cuda_leave (self);
}

static gpointer
cuda_allocate_host (AccDevice  *device,
                    gsize       size,
                    GError    **error)
{
  AccCudaDevice *self = (AccCudaDevice *) device;
  gpointer host = NULL;

  if (!acc_cuda_enter (self, error)
      || !done (self, self->cuda->cuMemHostAlloc (&host, MAX (size, 1), CU_HOST_PORTABLE), "allocating pinned memory", error))
    return NULL;

  return host;
}

static void
cuda_release_host (AccDevice *device,
                   gpointer   host,
                   gsize      size)
{
  AccCudaDevice *self = (AccCudaDevice *) device;

  if (!acc_cuda_enter (self, NULL))
    return;

  self->cuda->cuMemFreeHost (host);
  acc_cuda_leave (self);
}

/* --- transfers */

static gboolean
cuda_upload (AccDevice              *device,
             AccQueue                queue,
             const AccDeviceMemory  *to,
             gsize                   offset,
             gconstpointer           from,
             gsize                   size,
             GError                **error)
{
  AccCudaDevice *self = (AccCudaDevice *) device;

  return acc_cuda_enter (self, error)
         && done (self, self->cuda->cuMemcpyHtoDAsync_v2 (to->address + offset, from, size, self->streams[queue]),
                           "uploading", error);
}

static gboolean
cuda_download (AccDevice              *device,
               AccQueue                queue,
               gpointer                to,
               const AccDeviceMemory  *from,
               gsize                   offset,
               gsize                   size,
               GError                **error)
{
  AccCudaDevice *self = (AccCudaDevice *) device;

  return acc_cuda_enter (self, error)
         && done (self, self->cuda->cuMemcpyDtoHAsync_v2 (to, from->address + offset, size, self->streams[queue]),
                           "downloading", error);
}

static gboolean
cuda_copy (AccDevice              *device,
           AccQueue                queue,
           const AccDeviceMemory  *to,
           gsize                   to_offset,
           const AccDeviceMemory  *from,
           gsize                   from_offset,
           gsize                   size,
           GError                **error)
{
  AccCudaDevice *self = (AccCudaDevice *) device;

  return acc_cuda_enter (self, error)
         && done (self,
                           self->cuda->cuMemcpyDtoDAsync_v2 (to->address + to_offset, from->address + from_offset, size,
                                                             self->streams[queue]), "copying", error);
}

static gboolean
cuda_clear (AccDevice              *device,
            AccQueue                queue,
            const AccDeviceMemory  *memory,
            gsize                   offset,
            gsize                   size,
            GError                **error)
{
  AccCudaDevice *self = (AccCudaDevice *) device;

  return acc_cuda_enter (self, error)
         && done (self, self->cuda->cuMemsetD8Async (memory->address + offset, 0, size, self->streams[queue]),
                           "clearing", error);
}

/* --- the device */

typedef struct {
  gpointer       data;
  GDestroyNotify destroy;
} Kept;

static void
kept_free (gpointer data)
{
  Kept *self = data;

  self->destroy (self->data);
  g_free (self);
}

void
acc_cuda_keep (AccCudaDevice  *self,
               gpointer        data,
               GDestroyNotify  destroy)
{
  Kept *kept = g_new (Kept, 1);

  *kept = (Kept) { data, destroy };
  g_ptr_array_add (self->kept, kept);
}

static gboolean
cuda_enter (AccDevice  *device,
            guint64    *queue,
            GError    **error)
{
  AccCudaDevice *self = (AccCudaDevice *) device;

  if (!acc_cuda_enter (self, error))
    return FALSE;

  g_mutex_lock (&self->parent.lock);
  acc_cuda_note_launch (self);
  g_mutex_unlock (&self->parent.lock);
  *queue = GPOINTER_TO_SIZE (self->streams[ACC_QUEUE_COMPUTE]);

  return TRUE;
}

static void
cuda_leave (AccDevice *device)
{
  acc_cuda_leave ((AccCudaDevice *) device);
}

static void
cuda_add_routines (AccDevice  *device,
                   AccBackend *backend)
{
  acc_cuda_blas_add ((AccCudaDevice *) device, backend);
  acc_cuda_fft_add ((AccCudaDevice *) device, backend);
}

static void
cuda_free (AccDevice *device)
{
  AccCudaDevice *self = (AccCudaDevice *) device;

  if (self->context != NULL)
    {
      /* Even of a lost device: what can be given back, is. */
      if (self->cuda->cuCtxPushCurrent_v2 (self->context) == CU_SUCCESS)
        {
          g_ptr_array_set_size (self->kept, 0);
          acc_cuda_free_queues (self);
          acc_cuda_leave (self);
        }
      self->cuda->cuDevicePrimaryCtxRelease_v2 (self->device);
    }
  g_clear_pointer (&self->kept, g_ptr_array_unref);
  g_clear_pointer (&self->events, g_ptr_array_unref);
  g_clear_pointer (&self->spans, g_array_unref);
  acc_event_device_free (&self->parent);
}

static const AccDeviceClass cuda_class = {
  .name = "cuda",
  .free = cuda_free,
  .compile = acc_cuda_compile,
  .needs_general = acc_cuda_needs_general,
  .load = acc_cuda_load,
  .unload = acc_cuda_unload,
  .count_resident = acc_cuda_count_resident,
  .allocate = cuda_allocate,
  .release = cuda_release,
  .allocate_host = cuda_allocate_host,
  .release_host = cuda_release_host,
  .upload = cuda_upload,
  .download = cuda_download,
  .copy = cuda_copy,
  .clear = cuda_clear,
  .launch = acc_cuda_launch,
  .mark = acc_event_device_mark,
  .wait = acc_event_device_wait,
  .is_reached = acc_event_device_is_reached,
  .block = acc_event_device_block,
  .get_busy = acc_cuda_get_busy,
  .enter = cuda_enter,
  .leave = cuda_leave,
  .add_routines = cuda_add_routines,
};

static int
get_attribute (AccCudaDevice *self,
               int            attribute)
{
  int value = 0;

  return self->cuda->cuDeviceGetAttribute (&value, attribute, self->device) == CU_SUCCESS ? value : 0;
}

static gboolean
ask_facts (AccCudaDevice  *self,
           GError        **error)
{
  AccDevice *device = &self->parent.parent;
  AccTarget *target = &device->target;
  int capability = get_attribute (self, CU_ATTRIBUTE_COMPUTE_CAPABILITY_MAJOR) * 10
                   + get_attribute (self, CU_ATTRIBUTE_COMPUTE_CAPABILITY_MINOR);
  char name[256] = "GPU";
  size_t bytes = 0;

  self->cuda->cuDeviceGetName (name, sizeof name, self->device);
  name[sizeof name - 1] = '\0';
  device->description = g_strdup_printf ("%s, CUDA %d.%d", name, self->cuda->version / 1000, self->cuda->version % 1000 / 10);
  if (capability < MIN_COMPUTE)
    {
      g_set_error (error, ACC_ERROR, ACC_ERROR_UNSUPPORTED, "%s is of compute capability %d.%d; 7.0 or more is needed", name,
                   capability / 10, capability % 10);
      return FALSE;
    }

  /* Newer machines take the code of older ones, and newer drivers older PTX. */
  self->isa = self->cuda->version >= 11080 ? 78 : 70;
  self->compute = (guint) MIN (capability, self->isa >= 78 ? 90 : 80);
  device->id = g_strdup_printf ("%s %d driver %d ptx %u for %u%s", name, capability, self->cuda->version, self->isa, self->compute,
                                     acc_emit_ptx_get_library () != NULL ? " libdevice" : "");

  self->n_processors = (guint) MAX (get_attribute (self, CU_ATTRIBUTE_MULTIPROCESSOR_COUNT), 1);
  target->model = ACC_MODEL_SIMT;
  target->group_size = 256;
  target->max_group_size = (guint) MIN (get_attribute (self, CU_ATTRIBUTE_MAX_THREADS_PER_BLOCK), 1024);
  target->subgroup_size = get_attribute (self, CU_ATTRIBUTE_WARP_SIZE) == 32 ? 32 : 1;
  target->has_ballots = target->subgroup_size == 32;
  target->shared_bytes = (gsize) get_attribute (self, CU_ATTRIBUTE_MAX_SHARED_MEMORY_PER_BLOCK);
  target->n_groups = self->n_processors * 8;
  target->has_progress = TRUE;
  target->has_residency = TRUE;
  target->has_atomic_64 = TRUE;
  target->has_atomic_add_f32 = TRUE;
  target->has_atomic_add_f64 = TRUE;
  target->merges_loads = TRUE;
  target->few = 1 << 19;
  target->has_fma = TRUE;
  target->has_estimates = TRUE;
  target->max_held = 32;
  target->table_bytes = 32768;
  target->held_bytes = 32768;
  target->has_library = acc_emit_ptx_get_library () != NULL;
  for (guint kind = ACC_KIND_BOOL; kind < ACC_KIND_TUPLE; kind++)
    target->kinds |= 1u << kind;

  if (self->cuda->cuDeviceTotalMem_v2 (&bytes, self->device) == CU_SUCCESS)
    device->memory = bytes;

  return TRUE;
}

AccDevice *
acc_cuda_device_open (const char  *name,
                      GError     **error)
{
  const AccCudaFunctions *cuda = acc_cuda_get_functions (error);
  AccCudaDevice *self;
  guint number = 0;
  int n_devices = 0;
  gboolean ok;

  if (cuda == NULL)
    return NULL;
  if (cuda->cuDeviceGetCount (&n_devices) != CU_SUCCESS || n_devices <= 0)
    {
      g_set_error (error, ACC_ERROR, ACC_ERROR_UNSUPPORTED, "the CUDA driver knows no device");
      return NULL;
    }
  if (!acc_device_find_number (name, "CUDA", (guint) n_devices, &number, error))
    return NULL;

  self = acc_event_device_new (&cuda_class, &acc_cuda_events, sizeof (AccCudaDevice));
  self->cuda = cuda;
  self->events = g_ptr_array_new ();
  self->kept = g_ptr_array_new_with_free_func (kept_free);
  self->spans = g_array_new (FALSE, FALSE, sizeof (AccCudaSpan));

  ok = cuda->cuDeviceGet (&self->device, (int) number) == CU_SUCCESS;
  if (!ok)
    g_set_error (error, ACC_ERROR, ACC_ERROR_UNSUPPORTED, "CUDA device %d does not answer", (int) number);
  ok = ok && ask_facts (self, error)
       && acc_cuda_check (self, cuda->cuDevicePrimaryCtxRetain (&self->context, self->device), "taking the context", error)
       && acc_cuda_enter (self, error);
  if (ok)
    {
      for (guint i = 0; i < ACC_N_QUEUES && ok; i++)
        ok = acc_cuda_check (self, cuda->cuStreamCreate (&self->streams[i], CU_STREAM_NON_BLOCKING), "making a stream", error);
      acc_cuda_leave (self);
    }
  if (!ok)
    {
      cuda_free (&self->parent.parent);
      return NULL;
    }

  return &self->parent.parent;
}

char **
acc_cuda_list_devices (void)
{
  const AccCudaFunctions *cuda = acc_cuda_get_functions (NULL);
  int n_devices = 0;

  return acc_device_list_numbers (cuda != NULL && cuda->cuDeviceGetCount (&n_devices) == CU_SUCCESS ? (guint) MAX (n_devices, 0) : 0);
}
