/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "acc-opencl-private.h"

#include "acc-backends/ir/acc-kernel-private.h"

#include <string.h>

/* Builds OpenCL programs from kernels, or from binaries that were cached. */

#define MAX_RUNS 4096   /* whose times are kept until they are read */

static char *
dup_log (AccOpenclDevice *self,
         cl_program       program)
{
  gsize size = 0;
  char *log;

  if (self->cl->clGetProgramBuildInfo (program, self->device, CL_PROGRAM_BUILD_LOG, 0, NULL, &size) != CL_SUCCESS || size == 0)
    return g_strdup ("no log");

  log = g_malloc0 (size + 1);
  self->cl->clGetProgramBuildInfo (program, self->device, CL_PROGRAM_BUILD_LOG, size, log, NULL);

  return g_strstrip (log);
}

static gboolean
build (AccOpenclDevice  *self,
       AccKernel        *kernel,
       cl_program        program,
       GError          **error)
{
  g_autofree char *options = g_strconcat (self->options,
                                          self->dialect.has_exact_divide && !kernel->fast
                                          ? " -cl-fp32-correctly-rounded-divide-sqrt" : NULL, NULL);
  gboolean alone = !self->dialect.has_nvidia_asm;
  g_autofree char *log = NULL;
  cl_int code;

  if (alone)
    g_mutex_lock (&self->compiler);
  code = self->cl->clBuildProgram (program, 1, &self->device, options, NULL, NULL);
  if (alone)
    g_mutex_unlock (&self->compiler);
  if (code == CL_SUCCESS)
    return TRUE;

  log = dup_log (self, program);
  g_set_error (error, ACC_ERROR, code == CL_OUT_OF_HOST_MEMORY ? ACC_ERROR_OUT_OF_MEMORY : ACC_ERROR_COMPILE,
               "kernel “%s” for %s: %s: %s", acc_kernel_get_name (kernel), self->parent.parent.description, acc_opencl_describe (code),
               log);

  return FALSE;
}

/* What is loaded at once need not be built again: of code, drivers keep text that has to be compiled once more. Takes @program over. */
static void
keep_built (AccOpenclDevice *self,
            GBytes          *code,
            cl_program       program)
{
  g_mutex_lock (&self->built_lock);
  g_hash_table_insert (self->built, g_bytes_ref (code), program);
  g_mutex_unlock (&self->built_lock);
}

/* NULL: it was not compiled in this process, or was loaded before. */
static cl_program
take_built (AccOpenclDevice *self,
            GBytes          *code)
{
  cl_program program;

  g_mutex_lock (&self->built_lock);
  program = g_hash_table_lookup (self->built, code);
  g_hash_table_remove (self->built, code);
  g_mutex_unlock (&self->built_lock);

  return program;
}

void
acc_opencl_free_built (AccOpenclDevice *self)
{
  GHashTableIter iter;
  gpointer program;

  g_hash_table_iter_init (&iter, self->built);
  while (g_hash_table_iter_next (&iter, NULL, &program))
    self->cl->clReleaseProgram (program);
  g_hash_table_unref (self->built);
  g_mutex_clear (&self->built_lock);
}

GBytes *
acc_opencl_compile (AccDevice  *device,
                    AccKernel  *kernel,
                    gboolean    general,
                    GError    **error)
{
  AccOpenclDevice *self = (AccOpenclDevice *) device;
  gint64 start = g_get_monotonic_time ();
  g_autofree char *source = acc_emit_opencl (kernel, &self->dialect, self->dialect.has_quick && !general, error);
  const char *sources[] = { source };
  g_autofree guint8 *binary = NULL;
  gsize size = 0;
  cl_int result = CL_SUCCESS;
  cl_program program;
  GBytes *code;
  gboolean ok;

  if (source == NULL || !acc_event_device_is_there (&self->parent, error))
    return NULL;
  acc_device_tell_emitted (kernel, start);
  _acc_kernel_dump_source (kernel, general ? "cl" : "quick.cl", source);

  program = self->cl->clCreateProgramWithSource (self->context, 1, sources, NULL, &result);
  if (!acc_opencl_check (self, result, "making a program", error))
    return NULL;

  ok = build (self, kernel, program, error)
       && acc_opencl_check (self, self->cl->clGetProgramInfo (program, CL_PROGRAM_BINARY_SIZES, sizeof size, &size, NULL),
                            "reading a program", error);
  if (ok && size == 0)
    {
      g_set_error (error, ACC_ERROR, ACC_ERROR_COMPILE, "kernel “%s” for %s: the driver gives no program", acc_kernel_get_name (kernel),
                   self->parent.parent.description);
      ok = FALSE;
    }
  if (ok)
    {
      binary = g_malloc (size);
      ok = acc_opencl_check (self, self->cl->clGetProgramInfo (program, CL_PROGRAM_BINARIES, sizeof (guint8 *), &binary, NULL),
                             "reading a program", error);
    }
  if (!ok)
    {
      self->cl->clReleaseProgram (program);
      return NULL;
    }

  code = g_bytes_new_take (g_steal_pointer (&binary), size);
  keep_built (self, code, program);

  return code;
}

gboolean
acc_opencl_needs_general (AccDevice           *device,
                          AccDeviceKernel     *kernel,
                          const AccDeviceSlot *slots,
                          guint                n_slots,
                          const AccGroups     *groups)
{
  return ((AccOpenclDevice *) device)->dialect.has_quick && !acc_device_is_small_launch (slots, kernel->kinds, n_slots, groups);
}

static gboolean
make_kernel (AccOpenclDevice  *self,
             AccKernel        *kernel,
             AccDeviceKernel  *loaded,
             GError          **error)
{
  cl_int result = CL_SUCCESS;
  gsize limit = 0;

  loaded->kernel = self->cl->clCreateKernel (loaded->program, ACC_EMIT_C_SYMBOL, &result);
  if (!acc_opencl_check (self, result, "making a kernel", error))
    return FALSE;
  if (self->cl->clGetKernelWorkGroupInfo (loaded->kernel, self->device, CL_KERNEL_WORK_GROUP_SIZE, sizeof limit, &limit, NULL) != CL_SUCCESS
      || limit >= loaded->group_size)
    return TRUE;

  g_set_error (error, ACC_ERROR, ACC_ERROR_COMPILE, "kernel “%s”: %s runs %" G_GSIZE_FORMAT " of its threads in a group, not %u",
               acc_kernel_get_name (kernel), self->parent.parent.description, limit, loaded->group_size);

  return FALSE;
}

static cl_program
build_binary (AccOpenclDevice  *self,
              AccKernel        *kernel,
              GBytes           *code,
              GError          **error)
{
  gsize size;
  const guint8 *binary = g_bytes_get_data (code, &size);
  cl_int status = CL_SUCCESS, result = CL_SUCCESS;
  cl_program program = self->cl->clCreateProgramWithBinary (self->context, 1, &self->device, &size, &binary, &status, &result);

  if (result == CL_SUCCESS && status == CL_SUCCESS && build (self, kernel, program, error))
    return program;

  if (result != CL_SUCCESS || status != CL_SUCCESS)
    g_set_error (error, ACC_ERROR, ACC_ERROR_COMPILE, "kernel “%s”: damaged code: %s", acc_kernel_get_name (kernel),
                 acc_opencl_describe (result != CL_SUCCESS ? result : status));
  if (program != NULL)
    self->cl->clReleaseProgram (program);

  return NULL;
}

AccDeviceKernel *
acc_opencl_load (AccDevice  *device,
                 AccKernel  *kernel,
                 GBytes     *code,
                 GError    **error)
{
  AccOpenclDevice *self = (AccOpenclDevice *) device;
  AccDeviceKernel *loaded;
  cl_program program;

  if (!acc_event_device_is_there (&self->parent, error))
    return NULL;

  program = take_built (self, code);
  if (program == NULL)
    program = build_binary (self, kernel, code, error);
  if (program == NULL)
    return NULL;

  loaded = g_new0 (AccDeviceKernel, 1);
  loaded->program = program;
  loaded->group_size = acc_kernel_get_group_size (kernel);
  loaded->kinds = g_new0 (guint8, acc_kernel_get_n_params (kernel) + 1);
  for (guint i = 0; i < acc_kernel_get_n_params (kernel); i++)
    loaded->kinds[i] = acc_kernel_param (kernel, i)->kind;
  if (!make_kernel (self, kernel, loaded, error))
    {
      acc_opencl_unload (device, loaded);
      return NULL;
    }

  return loaded;
}

void
acc_opencl_unload (AccDevice       *device,
                   AccDeviceKernel *kernel)
{
  AccOpenclDevice *self = (AccOpenclDevice *) device;

  if (kernel->kernel != NULL)
    self->cl->clReleaseKernel (kernel->kernel);
  if (kernel->program != NULL)
    self->cl->clReleaseProgram (kernel->program);
  g_free (kernel->kinds);
  g_free (kernel);
}

static cl_int
set_long (AccOpenclDevice *self,
          cl_kernel        kernel,
          cl_uint         *next,
          gint64           value)
{
  cl_long number = value;

  return self->cl->clSetKernelArg (kernel, (*next)++, sizeof number, &number);
}

static cl_int
set_memory (AccOpenclDevice       *self,
            cl_kernel              kernel,
            cl_uint               *next,
            const AccDeviceMemory *memory)
{
  cl_mem handle = memory->handle;

  return self->cl->clSetKernelArg (kernel, (*next)++, sizeof handle, &handle);
}

/* With the lock. */
static cl_int
launch_part (AccOpenclDevice       *self,
             cl_kernel              kernel,
             guint                  group_size,
             cl_uint                next,
             const AccGroupsPart   *part,
             const AccDeviceMemory *failure)
{
  const gsize local[2] = { group_size, 1 };
  const gsize global[2] = { (gsize) part->count[1] * group_size, (gsize) part->count[0] };
  gboolean timed = self->parent.is_timed && self->runs->len < MAX_RUNS;
  cl_int code = CL_SUCCESS;
  cl_event event = NULL;

  for (guint i = 0; i < ACC_GROUPS_WORDS; i++)
    code |= set_long (self, kernel, &next, part->words[i]);
  code |= set_memory (self, kernel, &next, failure);
  if (code != CL_SUCCESS)
    return CL_INVALID_KERNEL_ARGS;

  code = self->cl->clEnqueueNDRangeKernel (self->queues[ACC_QUEUE_COMPUTE], kernel, 2, NULL, global, local, 0, NULL,
                                           timed ? &event : NULL);
  if (event != NULL)
    g_ptr_array_add (self->runs, event);

  return code;
}

gboolean
acc_opencl_launch (AccDevice              *device,
                   AccDeviceKernel        *kernel,
                   const AccDeviceSlot    *slots,
                   guint                   n_slots,
                   const AccGroups        *groups,
                   const AccDeviceMemory  *failure,
                   GError                **error)
{
  AccOpenclDevice *self = (AccOpenclDevice *) device;
  g_autoptr(GMutexLocker) locker = g_mutex_locker_new (&self->parent.lock);
  const gint64 most[2] = { 65535, 1 << 22 };
  AccGroupsPart part;
  cl_int code = CL_SUCCESS;
  cl_uint next = 0;

  if (!acc_event_device_is_there (&self->parent, error))
    return FALSE;

  for (guint i = 0; i < n_slots; i++)
    if (slots[i].memory != NULL)
      {
        code |= set_memory (self, kernel->kernel, &next, slots[i].memory);
        code |= set_long (self, kernel->kernel, &next, slots[i].offset / (gint64) acc_element_kind_get_size (kernel->kinds[i]));
      }
    else
      {
        code |= set_long (self, kernel->kernel, &next, (gint64) slots[i].bits);
      }
  if (code != CL_SUCCESS)
    return acc_opencl_check (self, CL_INVALID_KERNEL_ARGS, "launching a kernel", error);

  acc_groups_begin_parts (groups, most, &part);
  while (code == CL_SUCCESS && acc_groups_next_part (&part))
    code = launch_part (self, kernel->kernel, kernel->group_size, next, &part, failure);

  return acc_opencl_check (self, code, "launching a kernel", error);
}
