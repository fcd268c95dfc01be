/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "acc-native-backend.h"

#include "acc-native-executable.h"
#include "acc-native-fftw.h"
#include "acc-native-machine.h"

struct _AccNativeBackend
{
  AccBackend     parent_instance;

  AccHost        host;
  AccLlvmTarget *target;
  AccTarget      facts;
  AccLlvmJit    *jit;      /* made when the first kernel is loaded, under the lock of the kernel table */
};

static void acc_native_backend_initable_iface_init (GInitableIface *iface);

G_DEFINE_FINAL_TYPE_WITH_CODE (AccNativeBackend, acc_native_backend, ACC_TYPE_BACKEND,
                               G_IMPLEMENT_INTERFACE (G_TYPE_INITABLE, acc_native_backend_initable_iface_init))

/* --- kernels */

static char *
dup_target (gpointer   user_data,
            GError   **error)
{
  AccNativeBackend *self = user_data;
  g_autofree char *build = acc_native_machine_dup_build ();

  return g_strdup_printf ("acc %s %s", build, acc_llvm_target_get_id (self->target));
}

static GBytes *
compile_kernel (AccKernel *kernel,
                guint      variant,
                gpointer   user_data,
                GError   **error)
{
  AccNativeBackend *self = user_data;

  return acc_emit_llvm (kernel, self->target, (AccEmitFlags) variant, NULL, error);
}

static void
prepare_exit (gpointer user_data)
{
  AccNativeBackend *self = user_data;

  acc_emit_prepare_exit (self->target);
}

static AccKernelEntry
load_kernel (GBytes   *code,
             gpointer  user_data,
             GError  **error)
{
  AccNativeBackend *self = user_data;

  if (self->jit == NULL)
    self->jit = acc_llvm_jit_new (error);

  return self->jit != NULL ? acc_llvm_jit_add_object (self->jit, code, NULL, error) : NULL;
}

/* --- the backend */

static AccExecutable *
acc_native_backend_compile (AccBackend    *backend,
                            AccProgram    *program,
                            GCancellable  *cancellable,
                            GError       **error)
{
  if (acc_debug_get_flags () & ACC_DEBUG_GRAPH)
    {
      g_autofree char *text = acc_program_to_string (program);

      g_message ("program:\n%s", text);
    }

  return acc_native_executable_new (ACC_NATIVE_BACKEND (backend), program);
}

static gpointer
acc_native_backend_allocate (AccBackend  *backend,
                             gsize        size,
                             const char  *what,
                             GError     **error)
{
  return acc_pool_allocate_exact (ACC_NATIVE_BACKEND (backend)->host.pool, size, what, error);
}

static gboolean
acc_native_backend_initable_init (GInitable     *initable,
                                  GCancellable  *cancellable,
                                  GError       **error)
{
  AccNativeBackend *self = ACC_NATIVE_BACKEND (initable);
  AccBackend *backend = ACC_BACKEND (self);
  const char *device = acc_backend_get_device (backend);
  AccCodeMaker maker = { .dup_target = dup_target, .compile = compile_kernel, .load = load_kernel, .user_data = self,
                         .prepare_exit = prepare_exit };
  g_autofree char *description = NULL;
  AccKernelCache *cache = NULL;
  guint n_threads;

  if (device != NULL && strcmp (device, "0") != 0)
    {
      g_set_error (error, ACC_ERROR, ACC_ERROR_UNSUPPORTED, "there is one native device, 0, and no “%s”", device);
      return FALSE;
    }
  if (!acc_native_machine_get_n_threads (&n_threads, error))
    return FALSE;

  self->target = acc_llvm_target_new_host (error);
  if (self->target == NULL)
    return FALSE;

  if (!(acc_disable_get_flags () & ACC_DISABLE_CACHE))
    cache = acc_kernel_cache_new (NULL, 0);
  self->facts = acc_llvm_target_get_facts (self->target);
  self->facts.n_threads = n_threads;
  self->host.target = &self->facts;
  self->host.backend = backend;
  self->host.pool = acc_pool_new (acc_backend_get_budget (backend), 0);
  self->host.workers = acc_workers_new (n_threads);
  /* ACC_DEBUG=kernels shows optimised code. */
  if (!(acc_disable_get_flags () & ACC_DISABLE_BASELINE) && !(acc_debug_get_flags () & ACC_DEBUG_KERNELS))
    maker.baseline = ACC_EMIT_BASELINE;
  self->host.code = acc_code_new (&maker, cache, self->host.workers);
  self->host.variant = acc_disable_get_flags () & ACC_DISABLE_VECTORISE ? ACC_EMIT_SCALAR : ACC_EMIT_DEFAULT;
  self->host.streaming_variant = ACC_EMIT_NON_TEMPORAL;
  self->host.streaming_bytes = acc_native_machine_get_streaming_bytes (n_threads);
  self->host.cache_bytes = acc_machine_get_cache_bytes ();
  if (!(acc_disable_get_flags () & ACC_DISABLE_LIBRARIES))
    acc_native_fftw_add (&self->host);

  description = acc_native_machine_describe (self->facts.register_bytes);
  acc_backend_set_identity (backend, "native", description, n_threads);

  return TRUE;
}

static void
acc_native_backend_finalize (GObject *object)
{
  AccNativeBackend *self = ACC_NATIVE_BACKEND (object);

  g_clear_pointer (&self->host.code, acc_code_free);
  g_clear_pointer (&self->host.workers, acc_workers_free);
  if (self->host.pool != NULL)
    acc_pool_close (self->host.pool);
  g_clear_pointer (&self->host.pool, acc_pool_unref);
  g_clear_pointer (&self->jit, acc_llvm_jit_unref);
  g_clear_pointer (&self->target, acc_llvm_target_unref);

  G_OBJECT_CLASS (acc_native_backend_parent_class)->finalize (object);
}

static void
acc_native_backend_initable_iface_init (GInitableIface *iface)
{
  iface->init = acc_native_backend_initable_init;
}

static void
acc_native_backend_class_init (AccNativeBackendClass *klass)
{
  G_OBJECT_CLASS (klass)->finalize = acc_native_backend_finalize;
  ACC_BACKEND_CLASS (klass)->compile = acc_native_backend_compile;
  ACC_BACKEND_CLASS (klass)->keeps_plans = TRUE;
  ACC_BACKEND_CLASS (klass)->allocate = acc_native_backend_allocate;
}

static void
acc_native_backend_init (AccNativeBackend *self)
{
}

AccHost *
acc_native_backend_get_host (AccNativeBackend *self)
{
  return &self->host;
}
