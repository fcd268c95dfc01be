/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "acc-opencl-private.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* What is stored in pieces smaller than a word is read and written by the words around it. */
#define ROUND 16

gboolean
acc_opencl_check (AccOpenclDevice  *self,
                  cl_int            code,
                  const char       *doing,
                  GError          **error)
{
  AccError what;

  if (G_LIKELY (code == CL_SUCCESS))
    return TRUE;

  switch (code)
    {
    case CL_MEM_OBJECT_ALLOCATION_FAILURE:
    case CL_OUT_OF_RESOURCES:
    case CL_OUT_OF_HOST_MEMORY:
    case CL_INVALID_BUFFER_SIZE:
    case CL_MAP_FAILURE:
      what = ACC_ERROR_OUT_OF_MEMORY;
      break;
    case CL_BUILD_PROGRAM_FAILURE:
    case CL_INVALID_BINARY:
    case CL_INVALID_PROGRAM:
    case CL_INVALID_PROGRAM_EXECUTABLE:
    case CL_INVALID_KERNEL_NAME:
    case CL_INVALID_KERNEL_ARGS:
    case CL_INVALID_WORK_GROUP_SIZE:
    case CL_INVALID_GLOBAL_WORK_SIZE:
      what = ACC_ERROR_COMPILE;
      break;
    default:
      what = ACC_ERROR_DEVICE_LOST;
      g_atomic_int_set (&self->parent.lost, TRUE);
      break;
    }
  g_set_error (error, ACC_ERROR, what, "%s: %s: %s", self->parent.parent.description, doing, acc_opencl_describe (code));

  return FALSE;
}

/* --- memory */

static gboolean
opencl_allocate (AccDevice        *device,
                 gsize             size,
                 AccDeviceMemory  *memory,
                 GError          **error)
{
  AccOpenclDevice *self = (AccOpenclDevice *) device;
  cl_int code = CL_SUCCESS;
  cl_mem handle;

  if (!acc_event_device_is_there (&self->parent, error))
    return FALSE;

  handle = self->cl->clCreateBuffer (self->context, CL_MEM_READ_WRITE, (MAX (size, 1) + ROUND - 1) / ROUND * ROUND, NULL, &code);
  if (!acc_opencl_check (self, code, "allocating memory", error))
    return FALSE;
  *memory = (AccDeviceMemory) { .handle = handle, .size = size };

  return TRUE;
}

static void
opencl_release (AccDevice       *device,
                AccDeviceMemory *memory)
{
  ((AccOpenclDevice *) device)->cl->clReleaseMemObject (memory->handle);
}

/* With the lock: where the first block is that begins behind @address. */
static guint
find_behind (AccOpenclDevice *self,
             gconstpointer    address)
{
  guint low = 0, high = self->pinned->len;

  while (low < high)
    {
      guint middle = (low + high) / 2;

      if (((AccOpenclPinned *) g_ptr_array_index (self->pinned, middle))->begin <= (const guint8 *) address)
        low = middle + 1;
      else
        high = middle;
    }

  return low;
}

static gboolean
is_pinned (AccOpenclDevice *self,
           gconstpointer    address,
           gsize            size)
{
  g_autoptr(GMutexLocker) locker = g_mutex_locker_new (&self->parent.lock);
  guint behind = find_behind (self, address);
  AccOpenclPinned *block;

  if (behind == 0)
    return FALSE;
  block = g_ptr_array_index (self->pinned, behind - 1);

  return (gsize) ((const guint8 *) address - block->begin) + size <= block->size;
}

static gpointer
opencl_allocate_host (AccDevice  *device,
                      gsize       size,
                      GError    **error)
{
  AccOpenclDevice *self = (AccOpenclDevice *) device;
  cl_int code = CL_SUCCESS;
  AccOpenclPinned *block;
  gpointer host = NULL;
  cl_mem memory;

  if (!acc_event_device_is_there (&self->parent, error))
    return NULL;

  size = MAX (size, 1);
  memory = self->cl->clCreateBuffer (self->context, CL_MEM_READ_WRITE | CL_MEM_ALLOC_HOST_PTR, size, NULL, &code);
  if (code == CL_SUCCESS)
    {
      host = self->cl->clEnqueueMapBuffer (self->queues[ACC_QUEUE_UPLOAD], memory, CL_TRUE, CL_MAP_READ | CL_MAP_WRITE, 0, size, 0, NULL,
                                           NULL, &code);
      if (code != CL_SUCCESS)
        self->cl->clReleaseMemObject (memory);
    }
  if (!acc_opencl_check (self, code, "allocating pinned memory", error))
    return NULL;

  block = g_new (AccOpenclPinned, 1);
  *block = (AccOpenclPinned) { host, size, memory };
  g_mutex_lock (&self->parent.lock);
  g_ptr_array_insert (self->pinned, (gint) find_behind (self, host), block);
  g_mutex_unlock (&self->parent.lock);

  return host;
}

static void
opencl_release_host (AccDevice *device,
                     gpointer   host,
                     gsize      size)
{
  AccOpenclDevice *self = (AccOpenclDevice *) device;
  AccOpenclPinned *block = NULL;
  guint behind;

  g_mutex_lock (&self->parent.lock);
  behind = find_behind (self, host);
  if (behind > 0)
    block = g_ptr_array_steal_index (self->pinned, behind - 1);
  g_mutex_unlock (&self->parent.lock);
  g_return_if_fail (block != NULL);

  if (!g_atomic_int_get (&self->parent.lost))
    {
      self->cl->clEnqueueUnmapMemObject (self->queues[ACC_QUEUE_UPLOAD], block->memory, host, 0, NULL, NULL);
      self->cl->clFinish (self->queues[ACC_QUEUE_UPLOAD]);
      self->cl->clReleaseMemObject (block->memory);
    }
  g_free (block);
}

/* --- transfers: queues are thread-safe by themselves */

static gboolean
opencl_upload (AccDevice              *device,
               AccQueue                queue,
               const AccDeviceMemory  *to,
               gsize                   offset,
               gconstpointer           from,
               gsize                   size,
               GError                **error)
{
  AccOpenclDevice *self = (AccOpenclDevice *) device;

  return acc_event_device_is_there (&self->parent, error)
         && acc_opencl_check (self, self->cl->clEnqueueWriteBuffer (self->queues[queue], to->handle, !is_pinned (self, from, size), offset,
                                                                    size, from, 0, NULL, NULL), "uploading", error);
}

static gboolean
opencl_download (AccDevice              *device,
                 AccQueue                queue,
                 gpointer                to,
                 const AccDeviceMemory  *from,
                 gsize                   offset,
                 gsize                   size,
                 GError                **error)
{
  AccOpenclDevice *self = (AccOpenclDevice *) device;

  return acc_event_device_is_there (&self->parent, error)
         && acc_opencl_check (self, self->cl->clEnqueueReadBuffer (self->queues[queue], from->handle, !is_pinned (self, to, size), offset,
                                                                   size, to, 0, NULL, NULL), "downloading", error);
}

static gboolean
opencl_copy (AccDevice              *device,
             AccQueue                queue,
             const AccDeviceMemory  *to,
             gsize                   to_offset,
             const AccDeviceMemory  *from,
             gsize                   from_offset,
             gsize                   size,
             GError                **error)
{
  AccOpenclDevice *self = (AccOpenclDevice *) device;

  return acc_event_device_is_there (&self->parent, error)
         && acc_opencl_check (self, self->cl->clEnqueueCopyBuffer (self->queues[queue], from->handle, to->handle, from_offset, to_offset,
                                                                   size, 0, NULL, NULL), "copying", error);
}

static gboolean
opencl_clear (AccDevice              *device,
              AccQueue                queue,
              const AccDeviceMemory  *memory,
              gsize                   offset,
              gsize                   size,
              GError                **error)
{
  AccOpenclDevice *self = (AccOpenclDevice *) device;
  const guint8 zero = 0;

  return acc_event_device_is_there (&self->parent, error)
         && acc_opencl_check (self,
                              self->cl->clEnqueueFillBuffer (self->queues[queue], memory->handle, &zero, 1, offset, size, 0, NULL, NULL),
                              "clearing", error);
}

/* --- the device */

static void
opencl_free (AccDevice *device)
{
  AccOpenclDevice *self = (AccOpenclDevice *) device;

  acc_opencl_free_queues (self);
  acc_opencl_free_built (self);
  if (self->context != NULL && !g_atomic_int_get (&self->parent.lost))
    self->cl->clReleaseContext (self->context);
  g_ptr_array_unref (self->pinned);
  g_ptr_array_unref (self->runs);
  g_mutex_clear (&self->compiler);
  g_free (self->options);
  acc_event_device_free (&self->parent);
}

static const AccDeviceClass opencl_class = {
  .name = "opencl",
  .free = opencl_free,
  .compile = acc_opencl_compile,
  .needs_general = acc_opencl_needs_general,
  .load = acc_opencl_load,
  .unload = acc_opencl_unload,
  .allocate = opencl_allocate,
  .release = opencl_release,
  .allocate_host = opencl_allocate_host,
  .release_host = opencl_release_host,
  .upload = opencl_upload,
  .download = opencl_download,
  .copy = opencl_copy,
  .clear = opencl_clear,
  .launch = acc_opencl_launch,
  .mark = acc_event_device_mark,
  .wait = acc_event_device_wait,
  .is_reached = acc_event_device_is_reached,
  .block = acc_event_device_block,
  .get_busy = acc_opencl_get_busy,
};

static guint64
get_number (AccOpenclDevice *self,
            cl_device_info   what)
{
  guint64 value = 0;

  return self->cl->clGetDeviceInfo (self->device, what, sizeof value, &value, NULL) == CL_SUCCESS ? value : 0;
}

static gboolean
has_extension (const char *extensions,
               const char *name)
{
  gsize length = strlen (name);

  for (const char *at = strstr (extensions, name); at != NULL; at = strstr (at + 1, name))
    if ((at == extensions || at[-1] == ' ') && (at[length] == ' ' || at[length] == '\0'))
      return TRUE;

  return FALSE;
}

static guint
floor_power (guint64 n)
{
  guint power = 1;

  while (power < 1024 && power * 2 <= n)
    power *= 2;

  return power;
}

static gboolean
ask_facts (AccOpenclDevice  *self,
           GError          **error)
{
  const char *more = secure_getenv ("ACC_OPENCL_OPTIONS");
  AccDevice *device = &self->parent.parent;
  AccTarget *target = &device->target;
  const AccOpenclFunctions *cl = self->cl;
  g_autofree char *name = acc_opencl_dup_device_text (cl, self->device, CL_DEVICE_NAME);
  g_autofree char *version = acc_opencl_dup_device_text (cl, self->device, CL_DEVICE_VERSION);
  g_autofree char *driver = acc_opencl_dup_device_text (cl, self->device, CL_DRIVER_VERSION);
  g_autofree char *extensions = acc_opencl_dup_device_text (cl, self->device, CL_DEVICE_EXTENSIONS);
  g_autofree char *platform = acc_opencl_dup_platform_text (cl, self->platform, CL_PLATFORM_NAME);
  cl_device_type type = get_number (self, CL_DEVICE_TYPE);
  guint64 single = get_number (self, CL_DEVICE_SINGLE_FP_CONFIG), twofold = get_number (self, CL_DEVICE_DOUBLE_FP_CONFIG);
  gboolean processor = (type & CL_DEVICE_TYPE_CPU) != 0;
  guint major = 0, minor = 0;

  device->description = g_strdup_printf ("%s, %s, %s", name, version, platform);
  if (sscanf (version, "OpenCL %u.%u", &major, &minor) != 2 || major * 10 + minor < 12)
    {
      g_set_error (error, ACC_ERROR, ACC_ERROR_UNSUPPORTED, "%s has %s; 1.2 or newer is needed", name, version);
      return FALSE;
    }
  if (!get_number (self, CL_DEVICE_AVAILABLE) || !get_number (self, CL_DEVICE_COMPILER_AVAILABLE))
    {
      g_set_error (error, ACC_ERROR, ACC_ERROR_UNSUPPORTED, "%s is not available, or has no compiler", name);
      return FALSE;
    }

  self->dialect.has_half = has_extension (extensions, "cl_khr_fp16");
  self->dialect.has_exact_fma = (single & CL_FP_FMA) != 0 && (twofold == 0 || (twofold & CL_FP_FMA) != 0);
  self->dialect.has_exact_divide = (single & CL_FP_CORRECTLY_ROUNDED_DIVIDE_SQRT) != 0;
  self->dialect.has_atomic_64 = has_extension (extensions, "cl_khr_int64_base_atomics")
                                && has_extension (extensions, "cl_khr_int64_extended_atomics");
  self->dialect.has_nvidia_asm = has_extension (extensions, "cl_nv_device_attribute_query");
  self->dialect.has_quick = !processor;
  self->dialect.keeps_denormals = (single & CL_FP_DENORM) != 0;
  self->options = g_strdup_printf ("-cl-std=CL1.2 -w%s%s", more != NULL ? " " : "", more != NULL ? more : "");
  device->id = g_strdup_printf ("%s; %s; %s; %s; %s%s%s", name, version, driver, platform, self->options,
                                     self->dialect.has_half ? "; f16" : "", self->dialect.has_quick ? "; quick" : "");

  target->model = ACC_MODEL_SIMT;
  target->max_group_size = floor_power (get_number (self, CL_DEVICE_MAX_WORK_GROUP_SIZE));
  /* On a processor the threads of a group take turns. */
  target->group_size = MIN (target->max_group_size, processor ? 64u : 256u);
  target->subgroup_size = self->dialect.has_nvidia_asm && !processor ? 32 : 1;
  target->has_ballots = target->subgroup_size == 32;
  target->shared_bytes = get_number (self, CL_DEVICE_LOCAL_MEM_SIZE);
  target->n_groups = (guint) CLAMP (get_number (self, CL_DEVICE_MAX_COMPUTE_UNITS), 1, 65536) * 8;
  target->has_fast_library = TRUE;
  target->merges_loads = self->dialect.has_quick;
  target->few = processor ? 0 : 1 << 19;
  target->max_held = 32;
  target->table_bytes = 32768;
  target->held_bytes = 32768;
  target->has_fma = self->dialect.has_exact_fma;
  target->has_atomic_64 = self->dialect.has_atomic_64;
  /* OpenCL does not promise that waiting groups make progress, but CUDA does for the same hardware. */
  target->has_progress = self->dialect.has_nvidia_asm && !processor;
  target->has_estimates = self->dialect.has_nvidia_asm && !processor && self->dialect.has_exact_fma;
  for (guint kind = ACC_KIND_BOOL; kind < ACC_KIND_TUPLE; kind++)
    if (kind != ACC_KIND_F64 || twofold != 0)
      target->kinds |= 1u << kind;
  if (target->group_size < 32)
    {
      g_set_error (error, ACC_ERROR, ACC_ERROR_UNSUPPORTED, "%s runs %u threads in a group; 32 are needed", name, target->max_group_size);
      return FALSE;
    }

  device->memory = get_number (self, CL_DEVICE_GLOBAL_MEM_SIZE);
  device->max_buffer = get_number (self, CL_DEVICE_MAX_MEM_ALLOC_SIZE);

  return TRUE;
}

AccDevice *
acc_opencl_device_open (const char  *name,
                        GError     **error)
{
  const AccOpenclFunctions *cl = acc_opencl_get_functions (error);
  AccOpenclDevice *self;
  AccOpenclFound found;
  guint number = 0;
  cl_int code = CL_SUCCESS;
  gboolean ok;

  if (cl == NULL)
    return NULL;
  if (!acc_device_find_number (name, "OpenCL", cl->devices->len, &number, error))
    return NULL;

  found = g_array_index (cl->devices, AccOpenclFound, number);
  self = acc_event_device_new (&opencl_class, &acc_opencl_events, sizeof (AccOpenclDevice));
  self->cl = cl;
  self->platform = found.platform;
  self->device = found.device;
  self->pinned = g_ptr_array_new_with_free_func (g_free);
  self->runs = g_ptr_array_new ();
  g_mutex_init (&self->compiler);
  g_mutex_init (&self->built_lock);
  self->built = g_hash_table_new_full (NULL, NULL, (GDestroyNotify) g_bytes_unref, NULL);

  ok = ask_facts (self, error);
  if (ok)
    {
      const cl_context_properties properties[] = { CL_CONTEXT_PLATFORM, (cl_context_properties) self->platform, 0 };

      self->context = cl->clCreateContext (properties, 1, &self->device, NULL, NULL, &code);
      ok = acc_opencl_check (self, code, "making a context", error);
    }
  for (guint i = 0; i < ACC_N_QUEUES && ok; i++)
    {
      self->queues[i] = cl->clCreateCommandQueue (self->context, self->device, i == ACC_QUEUE_COMPUTE ? CL_QUEUE_PROFILING_ENABLE : 0,
                                                  &code);
      ok = acc_opencl_check (self, code, "making a queue", error);
    }
  if (!ok)
    {
      opencl_free (&self->parent.parent);
      return NULL;
    }

  return &self->parent.parent;
}

char **
acc_opencl_list_devices (void)
{
  const AccOpenclFunctions *cl = acc_opencl_get_functions (NULL);

  return acc_device_list_numbers (cl != NULL ? cl->devices->len : 0);
}
