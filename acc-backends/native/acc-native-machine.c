/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "acc-native-machine.h"

#include "acc-core/backend/acc-backend-private.h"
#include "acc-error.h"

#include <dlfcn.h>
#include <glib/gstdio.h>
#include <llvm/Config/llvm-config.h>
#include <stdlib.h>
#include <unistd.h>

#define MAX_THREADS 1024

static const char *
describe_processor (guint register_bytes G_GNUC_UNUSED)
{
#if defined (__x86_64__)
  return register_bytes == 64 ? "x86-64 AVX-512" : register_bytes == 32 ? "x86-64 AVX2" : "x86-64";
#elif defined (__aarch64__)
  return "AArch64";
#elif defined (__riscv)
  return "RISC-V";
#elif defined (__powerpc64__)
  return "POWER";
#else
  return "host";
#endif
}

char *
acc_native_machine_describe (guint register_bytes)
{
  return g_strdup_printf ("%s, LLVM %d.%d", describe_processor (register_bytes), LLVM_VERSION_MAJOR, LLVM_VERSION_MINOR);
}

char *
acc_native_machine_dup_build (void)
{
  Dl_info info;
  GStatBuf status;

  if (dladdr ((gpointer) acc_native_machine_dup_build, &info) == 0 || info.dli_fname == NULL
      || g_stat (info.dli_fname, &status) != 0)
    return g_strdup (ACC_VERSION_S);

  return g_strdup_printf (ACC_VERSION_S " %" G_GINT64_FORMAT ".%09ld %" G_GINT64_FORMAT, (gint64) status.st_mtim.tv_sec,
                          status.st_mtim.tv_nsec, (gint64) status.st_size);
}

gboolean
acc_native_machine_get_n_threads (guint   *n_threads,
                                  GError **error)
{
  const char *text = secure_getenv ("ACC_THREADS");
  guint64 given;

  *n_threads = CLAMP (acc_machine_get_n_processors (), 1, MAX_THREADS);
  if (text == NULL || *text == '\0')
    return TRUE;

  if (!g_ascii_string_to_unsigned (text, 10, 1, MAX_THREADS, &given, NULL))
    {
      g_set_error (error, ACC_ERROR, ACC_ERROR_UNSUPPORTED, "ACC_THREADS is “%s”, not a number from 1 to %d", text, MAX_THREADS);
      return FALSE;
    }
  *n_threads = (guint) given;

  return TRUE;
}

guint64
acc_native_machine_get_streaming_bytes (guint n_threads)
{
  glong second = -1, third = -1;
  guint64 bytes = (guint64) 8 << 20;

#ifdef _SC_LEVEL2_CACHE_SIZE
  second = sysconf (_SC_LEVEL2_CACHE_SIZE);
  third = sysconf (_SC_LEVEL3_CACHE_SIZE);
#endif
  if (second > 0)
    bytes = MAX (bytes, (guint64) second * n_threads * 4);
  /* A third level that many share is worth what a few of its users have. */
  if (third > 0)
    bytes = MIN (bytes, MAX ((guint64) third / 2, (guint64) 8 << 20));

  return bytes;
}
