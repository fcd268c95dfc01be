/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "acc-llvm-target-private.h"

#include <llvm-c/Target.h>
#include <llvm/Config/llvm-config.h>

#include "acc-core/backend/acc-backend-private.h"
#include "acc-error.h"

/* Counts whenever the code for an unchanged kernel changes: it is part of cache keys. */
#define EMITTER_VERSION 26
/* What ACC_DISABLE may say of code. */
#define PASSES (ACC_DISABLE_VECTORISE | ACC_DISABLE_UNIFORM | ACC_DISABLE_OUTLINE | ACC_DISABLE_TABLE_LOOKUP | ACC_DISABLE_WIDE_MASKS | \
                ACC_DISABLE_WINDOWS)

static gboolean
has_feature (const char *features,
             const char *name)
{
  const char *found = features;
  gsize length = strlen (name);

  while ((found = strstr (found, name)) != NULL)
    {
      if (found > features && found[-1] == '+' && (found[length] == ',' || found[length] == '\0'))
        return TRUE;
      found += length;
    }

  return FALSE;
}

static void
read_features (AccLlvmTarget *self)
{
  const char *features = self->features;
  gboolean is_x86 = g_str_has_prefix (self->triple, "x86_64");

  self->register_bytes = 16;
  self->n_registers = is_x86 ? 16 : 32;
  self->has_fma = has_feature (features, "fma") || g_str_has_prefix (self->triple, "aarch64");
  if (!is_x86)
    return;

  self->has_masks = has_feature (features, "avx512f") && has_feature (features, "avx512vl") &&
                    has_feature (features, "avx512dq");
  self->has_narrow_masks = self->has_masks && has_feature (features, "avx512bw");
  self->has_masked_words = self->has_masks || has_feature (features, "avx");
  self->has_lane_moves = has_feature (features, "avx2");
  /* AMD's gathers take some forty operations each, however few lanes take part. Those of AVX2 take longer than loads on Intel's as well. */
  self->has_gathers = self->has_masks && !g_str_has_prefix (self->cpu, "znver");
  self->has_half = self->has_narrow_masks && has_feature (features, "avx512fp16");
  self->has_streaming = TRUE;
  if (self->has_masks)
    self->n_registers = 32;
  if (self->has_narrow_masks)
    self->register_bytes = 64;
  else if (has_feature (features, "avx2"))
    self->register_bytes = 32;
}

/* The triple is ours to free. */
static AccLlvmTarget *
new_target (char       *triple,
            const char *cpu,
            const char *features,
            GError    **error)
{
  g_autoptr(AccLlvmTarget) self = g_new0 (AccLlvmTarget, 1);
  char *message = NULL;

  g_atomic_ref_count_init (&self->ref_count);
  g_mutex_init (&self->lock);
  for (guint i = 0; i < G_N_ELEMENTS (self->machines); i++)
    self->machines[i] = g_ptr_array_new_with_free_func ((GDestroyNotify) LLVMDisposeTargetMachine);
  self->triple = triple;
  self->cpu = g_strdup (cpu);
  self->features = g_strdup (features);
  if (LLVMGetTargetFromTriple (self->triple, &self->target, &message))
    {
      g_set_error (error, ACC_ERROR, ACC_ERROR_UNSUPPORTED, "LLVM does not know this machine: %s", message);
      LLVMDisposeMessage (message);
      return NULL;
    }

  read_features (self);
  self->id = g_strdup_printf ("%s %s %s LLVM %s emitter %d without %x", self->triple, self->cpu, self->features,
                              LLVM_VERSION_STRING, EMITTER_VERSION, acc_disable_get_flags () & PASSES);

  return g_steal_pointer (&self);
}

AccLlvmTarget *
acc_llvm_target_new (const char *cpu,
                     const char *features,
                     GError    **error)
{
  static gsize initialised = 0;
  g_autofree char *copy = NULL;
  char *triple;

  if (g_once_init_enter (&initialised))
    {
      gboolean failed = LLVMInitializeNativeTarget () || LLVMInitializeNativeAsmPrinter ();

      g_once_init_leave (&initialised, failed ? 2 : 1);
    }

  triple = LLVMGetDefaultTargetTriple ();
  copy = g_strdup (triple);
  LLVMDisposeMessage (triple);
  if (initialised == 2)
    {
      g_set_error (error, ACC_ERROR, ACC_ERROR_UNSUPPORTED, "LLVM has no code generator for this machine, %s", copy);
      return NULL;
    }

  return new_target (g_steal_pointer (&copy), cpu, features, error);
}

/* One per pair of versions, kept: what compiles asks for it each time. */
AccLlvmTarget *
_acc_llvm_target_get_ptx (guint    compute,
                          guint    isa,
                          GError **error)
{
  static GMutex lock;
  static AccLlvmTarget *kept[8];
  static guint64 keys[G_N_ELEMENTS (kept)];
  static guint n_kept;
  guint64 key = (guint64) compute << 32 | isa;
  g_autofree char *cpu = g_strdup_printf ("sm_%u", compute), *features = g_strdup_printf ("+ptx%u", isa);
  AccLlvmTarget *self = NULL;

  g_mutex_lock (&lock);
  if (n_kept == 0)
    {
      LLVMInitializeNVPTXTargetInfo ();
      LLVMInitializeNVPTXTarget ();
      LLVMInitializeNVPTXTargetMC ();
      LLVMInitializeNVPTXAsmPrinter ();
    }
  for (guint i = 0; i < n_kept && self == NULL; i++)
    if (keys[i] == key)
      self = acc_llvm_target_ref (kept[i]);
  if (self == NULL)
    self = new_target (g_strdup ("nvptx64-nvidia-cuda"), cpu, features, error);
  else
    key = 0;
  if (self != NULL && key != 0 && n_kept < G_N_ELEMENTS (kept))
    {
      keys[n_kept] = key;
      kept[n_kept++] = acc_llvm_target_ref (self);
    }
  g_mutex_unlock (&lock);

  return self;
}

AccLlvmTarget *
acc_llvm_target_ref (AccLlvmTarget *self)
{
  g_return_val_if_fail (self != NULL, NULL);

  g_atomic_ref_count_inc (&self->ref_count);

  return self;
}

void
acc_llvm_target_unref (AccLlvmTarget *self)
{
  g_return_if_fail (self != NULL);

  if (!g_atomic_ref_count_dec (&self->ref_count))
    return;

  for (guint i = 0; i < G_N_ELEMENTS (self->machines); i++)
    g_ptr_array_unref (self->machines[i]);
  g_mutex_clear (&self->lock);
  g_free (self->triple);
  g_free (self->cpu);
  g_free (self->features);
  g_free (self->id);
  g_free (self);
}

const char *
acc_llvm_target_get_id (AccLlvmTarget *self)
{
  g_return_val_if_fail (self != NULL, NULL);

  return self->id;
}

AccTarget
acc_llvm_target_get_facts (AccLlvmTarget *self)
{
  AccTarget facts = acc_target_cpu;

  facts.register_bytes = self->register_bytes;
  facts.n_registers = self->n_registers;
  facts.has_fma = self->has_fma;
  facts.has_gathers = self->has_gathers;
  facts.has_masks = self->has_masks;

  return facts;
}

LLVMTargetMachineRef
_acc_llvm_target_take_machine (AccLlvmTarget      *self,
                               LLVMCodeGenOptLevel level,
                               GError            **error)
{
  GPtrArray *machines = self->machines[level];
  LLVMTargetMachineRef machine = NULL;

  g_mutex_lock (&self->lock);
  if (machines->len > 0)
    machine = g_ptr_array_steal_index_fast (machines, machines->len - 1);
  g_mutex_unlock (&self->lock);

  if (machine == NULL)
    machine = LLVMCreateTargetMachine (self->target, self->triple, self->cpu, self->features, level, LLVMRelocPIC, LLVMCodeModelSmall);
  if (machine == NULL)
    g_set_error (error, ACC_ERROR, ACC_ERROR_COMPILE, "LLVM gives no code generator for %s, %s", self->triple, self->cpu);

  return machine;
}

void
_acc_llvm_target_give_machine (AccLlvmTarget       *self,
                               LLVMCodeGenOptLevel  level,
                               LLVMTargetMachineRef machine)
{
  g_mutex_lock (&self->lock);
  g_ptr_array_add (self->machines[level], machine);
  g_mutex_unlock (&self->lock);
}
