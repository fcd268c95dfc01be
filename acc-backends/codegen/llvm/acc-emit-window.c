/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "acc-emit-private.h"

#include "acc-module-machine.h"

#define B (e->builder)

/* Windows. Lanes that go through memory element by element, each from a place of its own on, as through lines of a text, would gather a
 * word for each byte. So each lane gathers eight bytes at once, its window, whenever the count of the loop, which all lanes have in
 * common, is a multiple of the elements of a window; in between they are shifted out of it.
 *
 * The bytes of a window behind the element that is asked for may not be the buffer's. They are read where they are in the same page, which
 * never faults. Lanes that have no window, since it would leave the page or since they did not take part when it was gathered, gather each
 * element by itself. */

#define WINDOW 8      /* bytes */
#define PAGE   4096   /* no machine has smaller ones */

typedef struct {
  guint32      load;
  guint32      loop;
  guint32      count;   /* GET of the variable that counts iterations, at the beginning of one */
  guint        n;       /* elements of a window */
  LLVMValueRef words;   /* on the stack: a window for each lane */
  LLVMValueRef valid;   /* on the stack: the lanes that have theirs */
} Window;

/* Whether @id reads a variable that counts the iterations of @loop, in which all lanes that are left have it in common */
static gboolean
is_count (Emitter *e,
          guint32  id,
          guint32  loop)
{
  const AccKernelInstr *instr = acc_kernel_instr (e->kernel, id), *by;
  guint32 var = instr->args[0], body = acc_kernel_instr (e->kernel, loop)->blocks[0];
  gint64 step;

  if (instr->op != ACC_KOP_GET || instr->block != body || e->facts[var].common != loop || e->facts[var].shape != SHAPE_VARYING)
    return FALSE;

  /* It is set once. */
  for (guint32 set = id + 1; set < e->kernel->instrs->len; set++)
    {
      const AccKernelInstr *other = acc_kernel_instr (e->kernel, set);

      if (other->op != ACC_KOP_SET || other->args[0] != var)
        continue;
      by = acc_kernel_instr (e->kernel, other->args[1]);
      return by->op == ACC_KOP_PRIM && by->primitive == ACC_PRIM_ADD && by->args[0] == id &&
             emit_get_small_constant (e->kernel, by->args[1], &step) && step == 1;
    }

  return FALSE;
}

/* The count of a sum of it and of what the loop does not change; 0: @id is none. */
static guint32
find_count (Emitter *e,
            guint32  id,
            guint32  loop)
{
  const AccKernelInstr *instr = acc_kernel_instr (e->kernel, id);

  while (instr->op == ACC_KOP_PRIM && (instr->primitive == ACC_PRIM_ADD || instr->primitive == ACC_PRIM_SUB))
    {
      if (!_acc_kernel_is_inside (e->kernel, instr->args[1], loop))
        id = instr->args[0];
      else if (instr->primitive == ACC_PRIM_ADD && !_acc_kernel_is_inside (e->kernel, instr->args[0], loop))
        id = instr->args[1];
      else
        return 0;
      instr = acc_kernel_instr (e->kernel, id);
    }

  return is_count (e, id, loop) ? id : 0;
}

static void
open_window (Emitter *e,
             guint32  load,
             guint32  loop)
{
  const AccKernelInstr *instr = acc_kernel_instr (e->kernel, load);
  guint32 buffer = instr->args[0], count;
  guint flags = buffer & ACC_KERNEL_SHARED ? ACC_BUFFER_WRITE : acc_kernel_buffer (e->kernel, buffer)->flags;
  guint size = acc_element_kind_get_size (instr->kind);
  Window window;

  if (size > 2 || e->facts[instr->args[1]].shape != SHAPE_VARYING || (flags & (ACC_BUFFER_WRITE | ACC_BUFFER_COHERENT)) != 0 ||
      !(flags & ACC_BUFFER_NO_ALIAS) || emit_is_table (e, buffer))
    return;
  count = find_count (e, instr->args[1], loop);
  if (count == 0)
    return;

  window = (Window) {
    .load = load, .loop = loop, .count = count, .n = WINDOW / size,
    .words = emit_stack (e, emit_wide_type (e->t_i64, e->lanes), 0),
    .valid = emit_stack (e, emit_wide_type (e->t_i1, e->lanes), 0),
  };
  LLVMBuildStore (B, LLVMConstNull (emit_wide_type (e->t_i64, e->lanes)), window.words);
  LLVMBuildStore (B, emit_all (e, FALSE), window.valid);
  g_array_append_val (e->windows, window);
}

/* Of the loads in @block and its branches, but not in loops within it */
static void
open_windows (Emitter *e,
              guint32  block,
              guint32  loop)
{
  GArray *items = acc_kernel_block (e->kernel, block)->items;

  for (guint i = 0; i < items->len; i++)
    {
      guint32 id = g_array_index (items, guint32, i);
      const AccKernelInstr *instr = acc_kernel_instr (e->kernel, id);

      if (instr->op == ACC_KOP_LOAD)
        open_window (e, id, loop);
      for (guint j = 0; instr->op == ACC_KOP_IF && j < 2; j++)
        if (instr->blocks[j] != 0)
          open_windows (e, instr->blocks[j], loop);
    }
}

/* The element of the window that @count is at */
static LLVMValueRef
find_place (Emitter      *e,
            const Window *window,
            LLVMValueRef  count)
{
  return LLVMBuildAnd (B, count, LLVMConstInt (e->t_i64, window->n - 1, FALSE), "");
}

void
emit_open_windows (Emitter *e,
                   guint32  loop)
{
  if (e->windows == NULL)
    e->windows = g_array_new (FALSE, FALSE, sizeof (Window));
  if (e->target->has_masks && e->facts[loop].masked && !(acc_disable_get_flags () & ACC_DISABLE_WINDOWS))
    open_windows (e, acc_kernel_instr (e->kernel, loop)->blocks[0], loop);
}

void
emit_close_windows (Emitter *e,
                    guint32  loop)
{
  while (e->windows->len > 0 && g_array_index (e->windows, Window, e->windows->len - 1).loop == loop)
    g_array_set_size (e->windows, e->windows->len - 1);
}

/* Forgets what has been shifted out. */
void
emit_turn_windows (Emitter *e,
                   guint32  loop)
{
  for (guint i = 0; i < e->windows->len; i++)
    {
      const Window *window = &g_array_index (e->windows, Window, i);
      guint32 var = acc_kernel_instr (e->kernel, window->count)->args[0];
      LLVMValueRef count, valid, is_over;

      if (window->loop != loop)
        continue;
      count = LLVMBuildLoad2 (B, e->t_i64, e->values[var].v, "");
      valid = LLVMBuildLoad2 (B, emit_wide_type (e->t_i1, e->lanes), window->valid, "");
      is_over = LLVMBuildICmp (B, LLVMIntEQ, find_place (e, window, count), LLVMConstNull (e->t_i64), "");
      LLVMBuildStore (B, LLVMBuildSelect (B, is_over, emit_all (e, FALSE), valid, ""), window->valid);
    }
}

static void
set_words (Emitter      *e,
           const Window *window,
           LLVMValueRef  mask,
           LLVMValueRef  x)
{
  LLVMValueRef words = LLVMBuildLoad2 (B, LLVMTypeOf (x), window->words, "");

  LLVMBuildStore (B, emit_select (e, mask, x, words), window->words);
}

/* Gathers the windows of @missing, those that do not leave their pages. */
static void
fill_window (Emitter      *e,
             const Window *window,
             LLVMValueRef  index,
             LLVMValueRef  missing)
{
  const AccKernelInstr *load = acc_kernel_instr (e->kernel, window->load);
  LLVMTypeRef type = LLVMTypeOf (index);
  LLVMValueRef address = emit_addresses (e, load->args[0], emit_memory_type (e, load->kind), index, NULL, NULL);
  LLVMValueRef place = LLVMBuildAnd (B, address, emit_int (type, PAGE - 1), "");
  LLVMValueRef is_in = LLVMBuildICmp (B, LLVMIntULE, place, emit_int (type, PAGE - WINDOW), "");
  LLVMValueRef mask = LLVMBuildAnd (B, missing, is_in, ""), valid;

  set_words (e, window, mask,
             emit_gather_addresses (e, e->t_i64, LLVMBuildIntToPtr (B, address, emit_wide_type (e->t_ptr, e->lanes), ""), mask));
  valid = LLVMBuildLoad2 (B, LLVMTypeOf (mask), window->valid, "");
  LLVMBuildStore (B, LLVMBuildOr (B, valid, mask, ""), window->valid);
}

/* The elements of @missing, to where they are in a window. */
static void
gather_singly (Emitter      *e,
               const Window *window,
               LLVMValueRef  index,
               LLVMValueRef  shift,
               LLVMValueRef  missing)
{
  const AccKernelInstr *load = acc_kernel_instr (e->kernel, window->load);
  LLVMValueRef x = emit_gather_narrow (e, load->args[0], emit_memory_type (e, load->kind), index, missing);

  x = LLVMBuildZExt (B, x, emit_wide_type (e->t_i64, e->lanes), "");
  set_words (e, window, missing, LLVMBuildShl (B, x, shift, ""));
}

static const Window *
find_window (Emitter *e,
             guint32  load)
{
  for (guint i = 0; e->windows != NULL && i < e->windows->len; i++)
    if (g_array_index (e->windows, Window, i).load == load)
      return &g_array_index (e->windows, Window, i);

  return NULL;
}

static LLVMValueRef
find_missing (Emitter      *e,
              const Window *window,
              LLVMValueRef  mask)
{
  LLVMValueRef valid = LLVMBuildLoad2 (B, LLVMTypeOf (mask), window->valid, "");

  return LLVMBuildAnd (B, mask, LLVMBuildNot (B, valid, ""), "");
}

LLVMValueRef
emit_load_window (Emitter *e,
                  guint32  load)
{
  const AccKernelInstr *instr = acc_kernel_instr (e->kernel, load);
  const Window *window = find_window (e, load);
  LLVMTypeRef memory = emit_memory_type (e, instr->kind), words = emit_wide_type (e->t_i64, e->lanes);
  LLVMBasicBlockRef some, fill, rest, single, after;
  LLVMValueRef mask, index, place, shift, x;

  if (window == NULL)
    return NULL;

  mask = e->mask.v != NULL ? e->mask.v : emit_all (e, TRUE);
  index = emit_vector (e, instr->args[1]);
  place = find_place (e, window, emit_scalar (e, window->count));
  shift = emit_splat (e, LLVMBuildMul (B, place, LLVMConstInt (e->t_i64, 8 * emit_size_of (memory), FALSE), ""), e->lanes);

  some = emit_block (e, "window.some");
  fill = emit_block (e, "window.fill");
  rest = emit_block (e, "window.rest");
  single = emit_block (e, "window.single");
  after = emit_block (e, "window.end");
  LLVMBuildCondBr (B, emit_any (e, find_missing (e, window, mask)), some, after);
  emit_enter (e, some);
  LLVMBuildCondBr (B, LLVMBuildICmp (B, LLVMIntEQ, place, LLVMConstNull (e->t_i64), ""), fill, rest);
  emit_enter (e, fill);
  fill_window (e, window, index, find_missing (e, window, mask));
  LLVMBuildBr (B, rest);
  emit_enter (e, rest);
  emit_expect_false (e, LLVMBuildCondBr (B, emit_any (e, find_missing (e, window, mask)), single, after));
  emit_enter (e, single);
  gather_singly (e, window, index, shift, find_missing (e, window, mask));
  LLVMBuildBr (B, after);
  emit_enter (e, after);

  x = LLVMBuildLShr (B, LLVMBuildLoad2 (B, words, window->words, ""), shift, "");
  x = LLVMBuildTrunc (B, x, emit_wide_type (memory, e->lanes), "");

  return emit_select (e, mask, x, LLVMConstNull (LLVMTypeOf (x)));
}
