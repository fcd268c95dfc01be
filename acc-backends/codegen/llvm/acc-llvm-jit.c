/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "acc-llvm-jit.h"

#include <math.h>
#include <string.h>

#include <llvm-c/Core.h>
#include <llvm-c/Error.h>
#include <llvm-c/LLJIT.h>
#include <llvm-c/Orc.h>
#include <llvm-c/Target.h>

#include "acc-error.h"

struct _AccLlvmJit {
  gatomicrefcount  ref_count;
  LLVMOrcLLJITRef  jit;
  GMutex           lock;
  GPtrArray       *spaces;       /* LLVMOrcJITDylibRef without an object; they cannot be freed, so they are used again */
  guint            n_spaces;
  GPtrArray       *kept;         /* LLVMOrcResourceTrackerRef of what stays linked */
  char            *report;       /* what was wrong most lately, in LLVM's words */
};

struct _AccLlvmCode {
  AccLlvmJit                *jit;
  LLVMOrcJITDylibRef         space;
  LLVMOrcResourceTrackerRef  tracker;
  AccKernelEntry             entry;
};

/* The functions that objects may call, by address: the process may not export the C library's mathematics. */
typedef struct {
  const char *name;
  gpointer    address;
} LibraryFunction;

/* Conversions of f16 where the machine has none; the compiler's own library has them. */
#if defined (__x86_64__) && defined (__FLT16_MANT_DIG__)
float    __extendhfsf2 (_Float16 x);
_Float16 __truncsfhf2  (float x);
#endif

#define F(name) { #name, (gpointer) (name) }, { #name "f", (gpointer) (name##f) }
static const LibraryFunction library[] = {
#define LIBRARY(name) F (name),
#define NONE
#define ACC_FUNCTION(ID, name, operands, library) library
#define ACC_SPELLING(ID, bool, integer, float, llvm_integer, llvm_float)
#include "acc-backends/ir/acc-spellings.inc"
#undef ACC_FUNCTION
#undef ACC_SPELLING
  F (sqrt), F (fma), F (floor), F (ceil), F (trunc), F (rint), F (nearbyint), F (roundeven), F (fmin), F (fmax), F (fabs),
#if defined (__x86_64__) && defined (__FLT16_MANT_DIG__)
  { "__extendhfsf2", (gpointer) __extendhfsf2 }, { "__truncsfhf2", (gpointer) __truncsfhf2 },
#endif
  { "memcpy", (gpointer) memcpy }, { "memmove", (gpointer) memmove }, { "memset", (gpointer) memset },
};
#undef F

/* Reports tell the cause, of which the error of the failed call only tells the consequence. */
static void
on_report (void        *user_data,
           LLVMErrorRef failed)
{
  AccLlvmJit *self = user_data;
  char *message = LLVMGetErrorMessage (failed);

  g_mutex_lock (&self->lock);
  g_free (self->report);
  self->report = g_strdup (message);
  g_mutex_unlock (&self->lock);
  LLVMDisposeErrorMessage (message);
}

static gboolean
check (AccLlvmJit  *self,
       LLVMErrorRef failed,
       const char  *what,
       GError     **error)
{
  g_autofree char *report = NULL;
  char *message;

  if (failed == NULL)
    return TRUE;

  g_mutex_lock (&self->lock);
  report = g_steal_pointer (&self->report);
  g_mutex_unlock (&self->lock);
  message = LLVMGetErrorMessage (failed);
  g_set_error (error, ACC_ERROR, ACC_ERROR_COMPILE, "%s: %s%s%s", what, message, report != NULL ? ": " : "",
               report != NULL ? report : "");
  LLVMDisposeErrorMessage (message);

  return FALSE;
}

static LLVMOrcJITDylibRef
make_space (AccLlvmJit *self,
            guint       number,
            GError    **error)
{
  LLVMOrcCSymbolMapPair pairs[G_N_ELEMENTS (library)];
  g_autofree char *name = g_strdup_printf ("acc-%u", number);
  LLVMOrcJITDylibRef space;

  for (guint i = 0; i < G_N_ELEMENTS (library); i++)
    pairs[i] = (LLVMOrcCSymbolMapPair) {
      .Name = LLVMOrcLLJITMangleAndIntern (self->jit, library[i].name),
      .Sym = { .Address = (guintptr) library[i].address,
               .Flags = { .GenericFlags = LLVMJITSymbolGenericFlagsExported | LLVMJITSymbolGenericFlagsCallable } },
    };

  space = LLVMOrcExecutionSessionCreateBareJITDylib (LLVMOrcLLJITGetExecutionSession (self->jit), name);
  if (!check (self, LLVMOrcJITDylibDefine (space, LLVMOrcAbsoluteSymbols (pairs, G_N_ELEMENTS (pairs))),
              "Functions of the C library", error))
    return NULL;

  return space;
}

static LLVMOrcJITDylibRef
take_space (AccLlvmJit *self,
            GError    **error)
{
  LLVMOrcJITDylibRef space = NULL;
  guint number = 0;

  g_mutex_lock (&self->lock);
  if (self->spaces->len > 0)
    space = g_ptr_array_steal_index_fast (self->spaces, self->spaces->len - 1);
  else
    number = ++self->n_spaces;
  g_mutex_unlock (&self->lock);

  return space != NULL ? space : make_space (self, number, error);
}

static void
give_space (AccLlvmJit        *self,
            LLVMOrcJITDylibRef space)
{
  g_mutex_lock (&self->lock);
  g_ptr_array_add (self->spaces, space);
  g_mutex_unlock (&self->lock);
}

AccLlvmJit *
acc_llvm_jit_new (GError **error)
{
  g_autoptr(AccLlvmJit) self = g_new0 (AccLlvmJit, 1);
  g_autoptr(AccLlvmTarget) target = NULL;

  g_atomic_ref_count_init (&self->ref_count);
  g_mutex_init (&self->lock);
  self->spaces = g_ptr_array_new ();
  self->kept = g_ptr_array_new ();

  /* Initialises LLVM for the host. */
  target = acc_llvm_target_new_host (error);
  if (target == NULL ||
      !check (self, LLVMOrcCreateLLJIT (&self->jit, NULL), "Just-in-time linking", error))
    return NULL;
  LLVMOrcExecutionSessionSetErrorReporter (LLVMOrcLLJITGetExecutionSession (self->jit), on_report, self);

  return g_steal_pointer (&self);
}

static AccLlvmJit *
jit_ref (AccLlvmJit *self)
{
  g_return_val_if_fail (self != NULL, NULL);

  g_atomic_ref_count_inc (&self->ref_count);

  return self;
}

/* FALSE when LLVM could not. A tracker that is released while it holds something hands that to another one, which LLVM 19
 * does with an iterator that may be stale: so trackers are emptied first. */
static gboolean
remove_tracked (LLVMOrcResourceTrackerRef tracker)
{
  LLVMErrorRef failed = LLVMOrcResourceTrackerRemove (tracker);

  LLVMOrcReleaseResourceTracker (tracker);
  if (failed == NULL)
    return TRUE;

  LLVMConsumeError (failed);
  return FALSE;
}

void
acc_llvm_jit_unref (AccLlvmJit *self)
{
  g_return_if_fail (self != NULL);

  if (!g_atomic_ref_count_dec (&self->ref_count))
    return;

  for (guint i = 0; i < self->kept->len; i++)
    remove_tracked (self->kept->pdata[i]);
  g_ptr_array_unref (self->kept);

  if (self->jit != NULL)
    {
      LLVMErrorRef failed = LLVMOrcDisposeLLJIT (self->jit);

      if (failed != NULL)
        LLVMConsumeError (failed);
    }
  g_ptr_array_unref (self->spaces);
  g_free (self->report);
  g_mutex_clear (&self->lock);
  g_free (self);
}

typedef struct {
  GMutex       lock;
  GCond        cond;
  gboolean     done;
  LLVMErrorRef failed;
  guint64      address;
} Lookup;

static void
on_found (LLVMErrorRef                failed,
          LLVMOrcCSymbolMapPairs      result,
          size_t                      n_results,
          void                       *user_data)
{
  Lookup *lookup = user_data;

  g_mutex_lock (&lookup->lock);
  lookup->failed = failed;
  lookup->address = failed == NULL && n_results > 0 ? result[0].Sym.Address : 0;
  lookup->done = TRUE;
  g_cond_signal (&lookup->cond);
  g_mutex_unlock (&lookup->lock);
}

static gboolean
look_up (AccLlvmCode *code,
         const char  *symbol,
         GError     **error)
{
  LLVMOrcCJITDylibSearchOrderElement order = { code->space, LLVMOrcJITDylibLookupFlagsMatchExportedSymbolsOnly };
  LLVMOrcCLookupSetElement wanted = { LLVMOrcLLJITMangleAndIntern (code->jit->jit, symbol),
                                      LLVMOrcSymbolLookupFlagsRequiredSymbol };
  Lookup lookup = { .done = FALSE };

  g_mutex_init (&lookup.lock);
  g_cond_init (&lookup.cond);
  LLVMOrcExecutionSessionLookup (LLVMOrcLLJITGetExecutionSession (code->jit->jit), LLVMOrcLookupKindStatic,
                                 &order, 1, &wanted, 1, on_found, &lookup);
  g_mutex_lock (&lookup.lock);
  while (!lookup.done)
    g_cond_wait (&lookup.cond, &lookup.lock);
  g_mutex_unlock (&lookup.lock);
  g_cond_clear (&lookup.cond);
  g_mutex_clear (&lookup.lock);

  if (!check (code->jit, lookup.failed, "Linking a kernel", error))
    return FALSE;
  code->entry = (AccKernelEntry) (guintptr) lookup.address;

  return TRUE;
}

AccLlvmCode *
acc_llvm_jit_add (AccLlvmJit *self,
                  GBytes     *object,
                  const char *symbol,
                  GError    **error)
{
  g_autoptr(AccLlvmCode) code = NULL;
  LLVMMemoryBufferRef buffer;
  gconstpointer data;
  gsize size;

  g_return_val_if_fail (self != NULL, NULL);
  g_return_val_if_fail (object != NULL, NULL);

  code = g_new0 (AccLlvmCode, 1);
  code->jit = jit_ref (self);
  code->space = take_space (self, error);
  if (code->space == NULL)
    return NULL;
  code->tracker = LLVMOrcJITDylibCreateResourceTracker (code->space);

  data = g_bytes_get_data (object, &size);
  buffer = LLVMCreateMemoryBufferWithMemoryRangeCopy (data, size, "kernel");
  if (!check (self, LLVMOrcLLJITAddObjectFileWithRT (self->jit, code->tracker, buffer), "Reading a kernel's object", error) ||
      !look_up (code, symbol != NULL ? symbol : ACC_EMIT_SYMBOL, error))
    return NULL;

  return g_steal_pointer (&code);
}

AccKernelEntry
acc_llvm_jit_add_object (AccLlvmJit *self,
                         GBytes     *object,
                         const char *symbol,
                         GError    **error)
{
  AccLlvmCode *code = acc_llvm_jit_add (self, object, symbol, error);
  AccKernelEntry entry;

  if (code == NULL)
    return NULL;

  /* Stays linked: only its frame goes. */
  entry = code->entry;
  g_mutex_lock (&self->lock);
  g_ptr_array_add (self->kept, code->tracker);
  g_mutex_unlock (&self->lock);
  acc_llvm_jit_unref (code->jit);
  g_free (code);

  return entry;
}

AccKernelEntry
acc_llvm_code_get_entry (AccLlvmCode *self)
{
  g_return_val_if_fail (self != NULL, NULL);

  return self->entry;
}

void
acc_llvm_code_free (AccLlvmCode *self)
{
  g_return_if_fail (self != NULL);

  if (self->tracker != NULL)
    {
      if (remove_tracked (self->tracker))
        give_space (self->jit, self->space);
    }
  acc_llvm_jit_unref (self->jit);
  g_free (self);
}
