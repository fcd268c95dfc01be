/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "acc-vulkan-private.h"

#include <shaderc/shaderc.h>
#include <string.h>

/* One compiler for the process: it takes calls of several threads. */
static shaderc_compiler_t
get_compiler (void)
{
  static gsize once;
  static shaderc_compiler_t compiler;

  if (g_once_init_enter (&once))
    {
      compiler = shaderc_compiler_initialize ();
      g_once_init_leave (&once, 1);
    }
  return compiler;
}

GBytes *
_acc_vulkan_compile_glsl (const char *source,
                          const char *name,
                          GError    **error)
{
  shaderc_compiler_t compiler = get_compiler ();
  shaderc_compile_options_t options = compiler != NULL ? shaderc_compile_options_initialize () : NULL;
  GBytes *code = NULL;

  if (options == NULL)
    {
      g_set_error_literal (error, ACC_ERROR, ACC_ERROR_COMPILE, "Vulkan: shaderc could not be started");
      return NULL;
    }
  /* SPIR-V 1.3, which every device of 1.1 takes; the driver optimises. */
  shaderc_compile_options_set_target_env (options, shaderc_target_env_vulkan, shaderc_env_version_vulkan_1_1);
  shaderc_compile_options_set_optimization_level (options, shaderc_optimization_level_zero);
  shaderc_compilation_result_t result = shaderc_compile_into_spv (compiler, source, strlen (source), shaderc_compute_shader, name, "main",
                                                                  options);
  shaderc_compile_options_release (options);

  if (result == NULL)
    {
      g_set_error (error, ACC_ERROR, ACC_ERROR_COMPILE, "Vulkan: %s: shaderc gave nothing", name);
      return NULL;
    }
  if (shaderc_result_get_compilation_status (result) == shaderc_compilation_status_success)
    code = g_bytes_new (shaderc_result_get_bytes (result), shaderc_result_get_length (result));
  else
    g_set_error (error, ACC_ERROR, ACC_ERROR_COMPILE, "Vulkan: %s: %s", name, shaderc_result_get_error_message (result));
  shaderc_result_release (result);
  return code;
}
