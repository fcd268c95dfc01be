/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "acc-emit-private.h"

#define B (e->builder)

/* Stores of the lanes that a condition chooses, side by side. */

static LLVMValueRef
count_bits (Emitter     *e,
            LLVMValueRef mask)
{
  return LLVMBuildIntCast2 (B, emit_unary (e, "llvm.ctpop", emit_bits (e, mask)), e->t_i64, FALSE, "");
}

static LLVMValueRef
next_address (Emitter     *e,
              LLVMTypeRef  memory,
              LLVMValueRef address,
              LLVMValueRef n)
{
  return LLVMBuildGEP2 (B, memory, address, &n, 1, "");
}

/* The numbers of the words of a register that stay, for each mask of @lanes: 8 bytes each. */
static LLVMValueRef
get_packing (Emitter *e,
             guint    lanes)
{
  g_autofree char *name = g_strdup_printf ("packing.%u", lanes);
  LLVMValueRef table = LLVMGetNamedGlobal (e->module, name), entries[256];
  guint n_words = 8 / lanes;

  g_assert (lanes <= 8);
  if (table != NULL)
    return table;

  for (guint mask = 0; mask < 1u << lanes; mask++)
    {
      guint64 entry = 0;
      guint n = 0;

      for (guint lane = 0; lane < lanes; lane++)
        for (guint word = 0; word < n_words && (mask >> lane & 1) != 0; word++)
          entry |= (guint64) (lane * n_words + word) << 8 * n++;
      entries[mask] = LLVMConstInt (e->t_i64, entry, FALSE);
    }
  table = LLVMAddGlobal (e->module, LLVMArrayType2 (e->t_i64, 1u << lanes), name);
  LLVMSetInitializer (table, LLVMConstArray2 (e->t_i64, entries, 1u << lanes));
  LLVMSetGlobalConstant (table, TRUE);
  LLVMSetLinkage (table, LLVMPrivateLinkage);

  return table;
}

/* Moves the lanes of a register that stay to the front. To pack in memory takes some processors a hundred cycles. */
static LLVMValueRef
compress (Emitter     *e,
          LLVMValueRef x,
          LLVMValueRef mask)
{
  LLVMTypeRef own = LLVMTypeOf (x), type = emit_size_of (LLVMGetElementType (own)) < 4 ? emit_type_like (x, e->t_i32) : own;

  if (type != own)
    x = LLVMBuildZExt (B, x, type, "");
  x = emit_call (e, "llvm.x86.avx512.mask.compress", &type, 1, (LLVMValueRef[]) { x, LLVMConstNull (type), mask }, 3);

  return type != own ? LLVMBuildTrunc (B, x, own, "") : x;
}

/* The same with AVX2, of words, by numbers that a table holds for each mask. */
static LLVMValueRef
compress_words (Emitter     *e,
                LLVMValueRef x,
                LLVMValueRef mask)
{
  LLVMTypeRef own = LLVMTypeOf (x);
  gboolean is_narrow = emit_size_of (LLVMGetElementType (own)) < 4;
  LLVMValueRef table = get_packing (e, emit_lanes_of (x)), bits = LLVMBuildZExt (B, emit_bits (e, mask), e->t_i64, "");
  LLVMValueRef numbers = LLVMBuildLoad2 (B, emit_wide_type (e->t_i8, 8), LLVMBuildGEP2 (B, e->t_i64, table, &bits, 1, ""), "");

  numbers = LLVMBuildZExt (B, numbers, emit_wide_type (e->t_i32, 8), "");
  x = is_narrow ? LLVMBuildZExt (B, x, LLVMTypeOf (numbers), "") : LLVMBuildBitCast (B, x, LLVMTypeOf (numbers), "");
  x = emit_call (e, "llvm.x86.avx2.permd", NULL, 0, (LLVMValueRef[]) { x, numbers }, 2);

  return is_narrow ? LLVMBuildTrunc (B, x, own, "") : LLVMBuildBitCast (B, x, own, "");
}

typedef struct {
  LLVMTypeRef  memory;
  LLVMValueRef address;
  LLVMValueRef value;
  LLVMValueRef stays;
  gboolean     has_room;   /* for all lanes, whether they stay or not */
} Pack;

typedef LLVMValueRef (*PackRegister) (Emitter *e, LLVMValueRef x, LLVMValueRef mask);

/* Registers are packed, and stored, or their first lanes are. */
static void
pack_registers (Emitter     *e,
                const Pack  *pack,
                guint        lanes,
                PackRegister pack_register)
{
  LLVMValueRef address = pack->address;

  for (guint first = 0; first < e->lanes; first += lanes)
    {
      LLVMValueRef mask = emit_part (e, pack->stays, first, lanes), n = count_bits (e, mask);
      LLVMValueRef x = pack_register (e, emit_part (e, pack->value, first, lanes), mask);

      emit_store_masked (e, x, address, pack->has_room ? NULL : emit_first_lanes (e, n, lanes));
      address = next_address (e, pack->memory, address, n);
    }
}

/* Lanes that do not stay are stored where the next one will be, or where nothing is read. */
static void
pack_lanes (Emitter    *e,
            const Pack *pack)
{
  LLVMValueRef unused = emit_stack (e, pack->memory, 8), address = pack->address;

  for (guint i = 0; i < e->lanes; i++)
    {
      LLVMValueRef lane = LLVMConstInt (e->t_i32, i, FALSE), is_one = LLVMBuildExtractElement (B, pack->stays, lane, "");

      emit_store_plain (e, pack->memory, pack->has_room ? address : emit_select (e, is_one, address, unused),
                   LLVMBuildExtractElement (B, pack->value, lane, ""));
      address = next_address (e, pack->memory, address, LLVMBuildZExt (B, is_one, e->t_i64, ""));
    }
}

static void
pack_all (Emitter    *e,
          const Pack *pack)
{
  gboolean by_eights = e->lanes % 8 == 0 && (e->lanes & (e->lanes - 1)) == 0;   /* predicates of 8, 16 and 32 lanes */
  guint size = emit_size_of (pack->memory);

  if (e->target->has_masks && by_eights && emit_has_masked_access (e, pack->memory))
    pack_registers (e, pack, MIN (e->lanes, 64 / MAX (size, 4)), compress);
  else if (e->target->has_lane_moves && e->lanes % 8 == 0 && (size >= 4 || pack->has_room))
    pack_registers (e, pack, 32 / MAX (size, 4), compress_words);
  else
    pack_lanes (e, pack);
}

void
emit_pack (Emitter *e,
           guint32  id)
{
  const AccKernelInstr *instr = acc_kernel_instr (e->kernel, id);
  AccElementKind kind = acc_kernel_buffer (e->kernel, instr->args[0])->kind;
  LLVMValueRef first = emit_scalar (e, instr->args[1]), after = LLVMBuildAdd (B, first, LLVMConstInt (e->t_i64, e->lanes, FALSE), "");
  LLVMValueRef has_room = LLVMBuildICmp (B, LLVMIntSLE, after, emit_scalar (e, instr->args[4]), "");
  LLVMBasicBlockRef whole = emit_block (e, "pack.whole"), parts = emit_block (e, "pack.parts"), end = emit_block (e, "pack.end");
  Pack what = {
    emit_memory_type (e, kind), emit_element (e, instr->args[0], first), emit_to_memory (e, kind, emit_vector (e, instr->args[2])),
    emit_vector (e, instr->args[3]),
  };

  LLVMBuildCondBr (B, has_room, whole, parts);
  emit_enter (e, whole);
  what.has_room = TRUE;
  pack_all (e, &what);
  LLVMBuildBr (B, end);
  emit_enter (e, parts);
  what.has_room = FALSE;
  pack_all (e, &what);
  LLVMBuildBr (B, end);
  emit_enter (e, end);
}
