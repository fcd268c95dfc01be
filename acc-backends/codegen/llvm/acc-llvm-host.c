/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "acc-emit-llvm.h"

#include <llvm-c/Core.h>
#include <llvm-c/TargetMachine.h>
#include <stdlib.h>
#include <string.h>

#include "acc-error.h"

/* The host's features; or those that all processors of a level of x86-64 have, as its psABI names them, if ACC_CPU asks for that. */

#if defined (__x86_64__)
#define FEATURES_2 "+cx16,+popcnt,+sse3,+sse4.1,+sse4.2,+ssse3"
#define FEATURES_3 FEATURES_2 ",+avx,+avx2,+bmi,+bmi2,+f16c,+fma,+lzcnt,+movbe"
#define FEATURES_4 FEATURES_3 ",+avx512f,+avx512bw,+avx512cd,+avx512dq,+avx512vl"
#endif

typedef struct {
  const char *name;
  const char *features;
} Level;

static const Level levels[] = {
#if defined (__x86_64__)
  { "x86-64", "" },
  { "x86-64-v2", FEATURES_2 },
  { "x86-64-v3", FEATURES_3 },
  { "x86-64-v4", FEATURES_4 },
#endif
  { NULL, NULL },
};

/* A feature of the level that is not one of @features; NULL: there is none. */
static char *
find_missing (const Level *level,
              const char  *features)
{
  g_auto(GStrv) needed = g_strsplit (level->features, ",", -1), present = g_strsplit (features, ",", -1);

  for (guint i = 0; needed[i] != NULL; i++)
    if (!g_strv_contains ((const char *const *) present, needed[i]))
      return g_strdup (needed[i] + 1);

  return NULL;
}

static AccLlvmTarget *
new_for_level (const char  *name,
               const char  *features,
               GError     **error)
{
  g_autofree char *missing = NULL;
  const Level *level = levels;

  while (level->name != NULL && strcmp (level->name, name) != 0)
    level++;
  if (level->name == NULL)
    {
      g_set_error (error, ACC_ERROR, ACC_ERROR_UNSUPPORTED, "ACC_CPU is “%s”, which is no level of this architecture%s", name,
                   levels[0].name != NULL ? ": x86-64, x86-64-v2, x86-64-v3, x86-64-v4" : "");
      return NULL;
    }
  missing = find_missing (level, features);
  if (missing != NULL)
    {
      g_set_error (error, ACC_ERROR, ACC_ERROR_UNSUPPORTED, "ACC_CPU is “%s”, but this processor has no %s", name, missing);
      return NULL;
    }

  return acc_llvm_target_new (level->name, level->features, error);
}

AccLlvmTarget *
acc_llvm_target_new_host (GError **error)
{
  const char *level = secure_getenv ("ACC_CPU");
  char *cpu = LLVMGetHostCPUName ();
  char *features = LLVMGetHostCPUFeatures ();
  AccLlvmTarget *self;

  if (level != NULL && *level != '\0')
    {
      self = new_for_level (level, features, error);
    }
  else
    {
      /* LLVM 19 folds a spilled operand into a masked comparison of f16 vectors and swaps the two: wrong results. Without the
       * feature f16 is computed in f32 and rounded, which gives the same values. Last, for other features bring it along. */
      g_auto(GStrv) parts = g_strsplit (features, "+avx512fp16", -1);
      g_autofree char *others = g_strjoinv ("", parts);
      g_autofree char *sound = parts[0] != NULL && parts[1] != NULL ? g_strconcat (others, ",-avx512fp16", NULL) : g_strdup (features);

      self = acc_llvm_target_new (cpu, sound, error);
    }
  LLVMDisposeMessage (cpu);
  LLVMDisposeMessage (features);

  return self;
}
