/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "large-functions.h"

#include <math.h>
#include <string.h>

#include <llvm-c/Core.h>
#include <llvm-c/TargetMachine.h>
#include <llvm-c/Transforms/PassBuilder.h>

#include "acc-backends/codegen/llvm/acc-emit-llvm.h"
#include "acc-backends/schedule/acc-schedule.h"

/* What compiling takes, counted and not timed: text from elsewhere may have functions of any size. Of acc's own sources a copy is made that
 * calls a function in each basic block, and what LLVM gets is looked at on the way to it. */

/* --- what acc does */

static guint64 n_blocks_run;

void __sanitizer_cov_trace_pc (void);

void
__sanitizer_cov_trace_pc (void)
{
  n_blocks_run++;
}

/* --- what LLVM gets */

typedef struct {
  guint64 acc;              /* basic blocks that were run */
  guint   n_instrs;         /* in all functions */
  guint   n_of_largest;     /* of those that go through passes that follow loops and memory, in its largest function */
  guint   longest_block;    /* of code that is optimised */
} Work;

static Work work;
static gboolean is_counted, is_optimised;   /* the module at hand: what goes through no passes is code of no optimisation */

static guint
count_block (LLVMBasicBlockRef block)
{
  guint n = 0;

  for (LLVMValueRef instr = LLVMGetFirstInstruction (block); instr != NULL; instr = LLVMGetNextInstruction (instr))
    n++;

  return n;
}

static void
count_module (LLVMModuleRef module,
              gboolean      is_followed)
{
  for (LLVMValueRef function = LLVMGetFirstFunction (module); function != NULL; function = LLVMGetNextFunction (function))
    {
      guint n = 0;

      for (LLVMBasicBlockRef block = LLVMGetFirstBasicBlock (function); block != NULL; block = LLVMGetNextBasicBlock (block))
        n += count_block (block);
      work.n_instrs += n;
      if (is_followed)
        work.n_of_largest = MAX (work.n_of_largest, n);
    }
}

LLVMErrorRef __real_LLVMRunPasses (LLVMModuleRef module, const char *passes, LLVMTargetMachineRef machine,
                                   LLVMPassBuilderOptionsRef options);
LLVMErrorRef __wrap_LLVMRunPasses (LLVMModuleRef module, const char *passes, LLVMTargetMachineRef machine,
                                   LLVMPassBuilderOptionsRef options);

LLVMErrorRef
__wrap_LLVMRunPasses (LLVMModuleRef             module,
                      const char               *passes,
                      LLVMTargetMachineRef      machine,
                      LLVMPassBuilderOptionsRef options)
{
  is_counted = TRUE;
  is_optimised = strstr (passes, "instcombine") != NULL;
  count_module (module, strstr (passes, "memssa") != NULL || strstr (passes, "loop") != NULL);

  return __real_LLVMRunPasses (module, passes, machine, options);
}

LLVMBool __real_LLVMTargetMachineEmitToMemoryBuffer (LLVMTargetMachineRef machine, LLVMModuleRef module, LLVMCodeGenFileType type,
                                                     char **message, LLVMMemoryBufferRef *buffer);
LLVMBool __wrap_LLVMTargetMachineEmitToMemoryBuffer (LLVMTargetMachineRef machine, LLVMModuleRef module, LLVMCodeGenFileType type,
                                                     char **message, LLVMMemoryBufferRef *buffer);

LLVMBool
__wrap_LLVMTargetMachineEmitToMemoryBuffer (LLVMTargetMachineRef machine,
                                            LLVMModuleRef        module,
                                            LLVMCodeGenFileType  type,
                                            char               **message,
                                            LLVMMemoryBufferRef *buffer)
{
  if (!is_counted)
    count_module (module, FALSE);
  if (is_optimised)
    for (LLVMValueRef function = LLVMGetFirstFunction (module); function != NULL; function = LLVMGetNextFunction (function))
      for (LLVMBasicBlockRef block = LLVMGetFirstBasicBlock (function); block != NULL; block = LLVMGetNextBasicBlock (block))
        work.longest_block = MAX (work.longest_block, count_block (block));

  is_counted = is_optimised = FALSE;

  return __real_LLVMTargetMachineEmitToMemoryBuffer (machine, module, type, message, buffer);
}

/* --- programs */

static AccLlvmTarget *llvm_target;

/* From the text to the code of all kernels */
static Work
compile (GString *text,
         gboolean baseline)
{
  guint64 before = n_blocks_run;
  AccTarget target = acc_llvm_target_get_facts (llvm_target);
  g_autoptr(AccProgram) program = large_read (text);
  AccArray *parameter = acc_program_get_parameter (program, 0), *result = acc_program_get_result (program, 0);
  g_autoptr(AccShape) shape = acc_shape_new_vector (1000);
  g_autoptr(GBytes) bytes = g_bytes_new_take (g_malloc0 (8000), 8000);
  g_autoptr(AccArray) value = acc_array_use (acc_element_type_new (ACC_KIND_I64), shape, bytes);
  g_autoptr(GError) error = NULL;
  g_autoptr(AccSchedule) schedule = acc_schedule_new (&target, NULL, &result, 1, &parameter, &value, 1, &error);

  g_assert_no_error (error);
  work = (Work) { 0 };
  for (guint s = 0; s < schedule->n_steps; s++)
    for (guint l = 0; l < schedule->steps[s].n_launches; l++)
      {
        AccKernel *kernel = schedule->steps[s].launches[l].kernel;
        g_autoptr(GBytes) code = acc_emit_llvm (kernel, llvm_target, baseline ? ACC_EMIT_BASELINE : ACC_EMIT_DEFAULT, NULL, &error);

        g_assert_no_error (error);
      }
  work.acc = n_blocks_run - before;

  return work;
}

typedef struct {
  const char *name;
  GString  *(*make) (guint n);
  guint       sizes[3];
} Kind;

static const Kind kinds[] = {
  { "choices", large_choices, { 125, 400, 4000 } },
  { "loops", large_loops, { 90, 250, 2000 } },
  { "sums", large_sums, { 250, 800, 8000 } },
  { "nested loops", large_nested_loops, { 25, 50, 400 } },
  { "nested choices", large_nested_choices, { 25, 50, 400 } },
  { "maps", large_maps, { 50, 200, 1000 } },
};

/* Instructions of LLVM, of code that is optimised: in a function that goes through passes which follow loops and memory, and in a block */
#define MOST_FOLLOWED 8192
#define LONGEST_BLOCK 1024

/* How much more than n log n it may grow, over sizes of which the last is 16 times the first, or more: less than by the square. */
#define MOST_GROWTH 2

static void
test_growth (gconstpointer data)
{
  const Kind *kind = data;

  for (guint baseline = 0; baseline < 2; baseline++)
    {
      double first_acc = 0, first_llvm = 0;

      for (guint i = 0; i < G_N_ELEMENTS (kind->sizes); i++)
        {
          g_autoptr(GString) text = kind->make (kind->sizes[i]);
          double n = kind->sizes[i], bound = n * log2 (n);
          Work done = compile (text, baseline);

          g_test_message ("%s %g%s: %" G_GUINT64_FORMAT " blocks of acc run (%.1f of n log n); %u instructions (%.2f), %u followed, "
                          "%u in a block", kind->name, n, baseline ? ", baseline" : "", done.acc, done.acc / bound, done.n_instrs,
                          done.n_instrs / bound, done.n_of_largest, done.longest_block);
          if (i == 0)
            {
              first_acc = done.acc / bound;
              first_llvm = done.n_instrs / bound;
            }
          g_assert_cmpfloat (done.acc / bound, <=, MOST_GROWTH * first_acc);
          g_assert_cmpfloat (done.n_instrs / bound, <=, MOST_GROWTH * first_llvm);
          g_assert_cmpuint (done.n_of_largest, <=, MOST_FOLLOWED);
          g_assert_cmpuint (done.longest_block, <=, LONGEST_BLOCK);
          g_assert_cmpuint (baseline ? done.longest_block : 0, ==, 0);
        }
    }
}

/* --- again */

/* Of @n numbers, and of 1000 others: blocks of acc that ran. */
static guint64
plan (AccDeduplicator *deduplicator,
      AccArray       **parameters,
      AccArray       **results,
      gsize            n)
{
  AccTarget target = acc_llvm_target_get_facts (llvm_target);
  gsize lengths[] = { n, 1000 };
  g_autoptr(GPtrArray) values = g_ptr_array_new_with_free_func (g_object_unref);
  g_autoptr(AccSchedule) schedule = NULL;
  g_autoptr(GError) error = NULL;
  guint64 before;

  for (guint i = 0; i < 2; i++)
    {
      g_autoptr(AccShape) shape = acc_shape_new_vector (lengths[i]);
      g_autoptr(GBytes) bytes = g_bytes_new_take (g_malloc0 (8 * lengths[i]), 8 * lengths[i]);

      g_ptr_array_add (values, acc_array_use (acc_element_type_new (ACC_KIND_I64), shape, bytes));
    }
  before = n_blocks_run;
  schedule = acc_schedule_new (&target, deduplicator, results, 2, parameters, (AccArray **) values->pdata, 2, &error);
  g_assert_no_error (error);

  return n_blocks_run - before;
}

static AccExpr *plus (AccExpr *x, AccExpr *y, gpointer data) { return acc_expr_add (x, y); }
static AccExpr *
square (AccExpr *x, gpointer data)
{
  return acc_expr_mul (x, acc_expr_add (x, acc_expr_new_int (GPOINTER_TO_INT (data))));
}

/* What has the extents that it had is not written again, where something else has others. */
static void
test_again (void)
{
  g_autoptr(AccArray) a = acc_array_new_parameter (acc_element_type_new (ACC_KIND_I64), 1, (gint64[]) { -1 }, 0);
  g_autoptr(AccArray) b = acc_array_new_parameter (acc_element_type_new (ACC_KIND_I64), 1, (gint64[]) { -1 }, 1);
  g_autoptr(AccArray) of_a = acc_array_map (a, square, NULL);
  AccArray *parameters[] = { a, b }, *results[] = { of_a, g_object_ref (b) };
  g_autoptr(AccDeduplicator) deduplicator = acc_deduplicator_new ();
  guint64 first, second;

  for (guint i = 0; i < 20; i++)
    {
      g_autoptr(AccArray) below = results[1], mapped = acc_array_map (below, square, GINT_TO_POINTER (i + 1));

      results[1] = acc_array_scanl1 (mapped, plus, NULL);
    }

  plan (NULL, parameters, results, 10);   /* kernels are known then */
  first = plan (deduplicator, parameters, results, 11);
  second = plan (deduplicator, parameters, results, 12);
  g_object_unref (results[1]);
  g_test_message ("%" G_GUINT64_FORMAT " blocks of acc run, then %" G_GUINT64_FORMAT, first, second);
  g_assert_cmpuint (4 * second, <, first);
}

int
main (int    argc,
      char **argv)
{
  g_autoptr(GError) error = NULL;
  int result;

  g_test_init (&argc, &argv, NULL);
  llvm_target = acc_llvm_target_new_host (&error);
  g_assert_no_error (error);

  for (guint i = 0; i < G_N_ELEMENTS (kinds); i++)
    {
      g_autofree char *path = g_strdup_printf ("/compile-work/%s", kinds[i].name);

      g_test_add_data_func (g_strdelimit (path, " ", '-'), &kinds[i], test_growth);
    }

  g_test_add_func ("/compile-work/again", test_again);

  result = g_test_run ();
  acc_llvm_target_unref (llvm_target);

  return result;
}
