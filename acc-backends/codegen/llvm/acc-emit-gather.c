/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "acc-emit-private.h"

#define B (e->builder)

/* Accesses of lanes that go anywhere. */

/* Above this many lanes, what goes lane by lane is a loop. */
#define MAX_UNROLLED 16

/* Addresses as integers; those of lanes outside the mask are that of @unused. */
LLVMValueRef
emit_addresses (Emitter     *e,
                guint32      buffer,
                LLVMTypeRef  memory,
                LLVMValueRef index,
                LLVMValueRef mask,
                LLVMValueRef unused)
{
  LLVMTypeRef type = LLVMTypeOf (index);
  LLVMValueRef base = emit_splat (e, LLVMBuildPtrToInt (B, e->params[buffer], e->t_i64, ""), e->lanes);
  LLVMValueRef address = LLVMBuildAdd (B, base, LLVMBuildMul (B, index, emit_int (type, emit_size_of (memory)), ""), "");

  if (mask == NULL)
    return address;

  return emit_select (e, mask, address, emit_splat (e, LLVMBuildPtrToInt (B, unused, e->t_i64, ""), e->lanes));
}

LLVMValueRef
emit_lane_address (Emitter     *e,
                   LLVMValueRef addresses,
                   guint        lane)
{
  return LLVMBuildIntToPtr (B, LLVMBuildExtractElement (B, addresses, LLVMConstInt (e->t_i32, lane, FALSE), ""), e->t_ptr, "");
}

/* The element of each lane, at most MAX_UNROLLED; inactive lanes at @unused. Without a mask by the lane's index, not its address: an index
 * that reads several buffers is extracted from the vector once, and machines scale it as they load. */
static void
find_lanes (Emitter     *e,
            guint32      buffer,
            LLVMTypeRef  memory,
            const Value *index,
            LLVMValueRef unused,
            LLVMValueRef at[MAX_UNROLLED])
{
  gboolean steps = index->shape == SHAPE_LINEAR && e->mask.v == NULL;
  LLVMValueRef vector = steps ? NULL : emit_as_vector (e, *index), from;

  if (e->mask.v != NULL)
    {
      vector = emit_addresses (e, buffer, memory, vector, e->mask.v, unused);
      for (guint i = 0; i < e->lanes; i++)
        at[i] = emit_lane_address (e, vector, i);
      return;
    }

  from = steps ? emit_element (e, buffer, index->v) : emit_base (e, buffer);
  for (guint i = 0; i < e->lanes; i++)
    {
      LLVMValueRef by = steps ? LLVMConstInt (e->t_i64, (guint64) index->stride * i, TRUE)
                              : LLVMBuildExtractElement (B, vector, LLVMConstInt (e->t_i32, i, FALSE), "");

      at[i] = LLVMBuildGEP2 (B, memory, from, &by, 1, "");
    }
}

static LLVMValueRef
vector_place (Emitter     *e,
              LLVMValueRef x)
{
  LLVMValueRef place = emit_stack (e, LLVMTypeOf (x), 64);

  LLVMBuildStore (B, x, place);

  return place;
}

static LLVMValueRef
gather_by_lane (Emitter     *e,
                guint32      buffer,
                LLVMTypeRef  memory,
                const Value *index)
{
  LLVMTypeRef type = emit_wide_type (memory, e->lanes);
  LLVMValueRef place, indices, at, x;
  LaneLoop loop;

  if (e->lanes <= MAX_UNROLLED)
    {
      LLVMValueRef unused = NULL, each[MAX_UNROLLED];

      if (e->mask.v != NULL)
        {
          unused = emit_stack (e, memory, 8);
          LLVMBuildStore (B, LLVMConstNull (memory), unused);
        }
      find_lanes (e, buffer, memory, index, unused, each);
      x = LLVMGetPoison (type);
      for (guint i = 0; i < e->lanes; i++)
        x = LLVMBuildInsertElement (B, x, emit_load_plain (e, memory, each[i], 1), LLVMConstInt (e->t_i32, i, FALSE), "");
      return x;
    }

  place = emit_stack (e, type, 64);
  LLVMBuildStore (B, LLVMConstNull (type), place);
  indices = vector_place (e, emit_as_vector (e, *index));
  loop = emit_enter_lanes (e, e->mask.v);
  at = LLVMBuildLoad2 (B, e->t_i64, LLVMBuildGEP2 (B, e->t_i64, indices, &loop.lane, 1, ""), "");
  x = emit_load_plain (e, memory, emit_element (e, buffer, at), 1);
  emit_store_plain (e, memory, LLVMBuildGEP2 (B, memory, place, &loop.lane, 1, ""), x);
  emit_leave_lanes (e, &loop, e->lanes);

  return LLVMBuildLoad2 (B, type, place, "");
}

/* To a power of two lanes: LLVM would fill up with lanes of no address, and gives those the result's register, for which x86
 * has no gather. */
LLVMValueRef
emit_gather_addresses (Emitter     *e,
                       LLVMTypeRef  memory,
                       LLVMValueRef addresses,
                       LLVMValueRef mask)
{
  guint lanes = 1;
  LLVMTypeRef type, pointers;
  LLVMValueRef x;

  if (mask == NULL)
    mask = emit_all (e, TRUE);
  while (lanes < e->lanes)
    lanes *= 2;
  type = emit_wide_type (memory, lanes);
  pointers = emit_wide_type (e->t_ptr, lanes);
  x = emit_call (e, "llvm.masked.gather", (LLVMTypeRef[]) { type, pointers }, 2,
                 (LLVMValueRef[]) { emit_resized (e, addresses, lanes), LLVMConstInt (e->t_i32, emit_size_of (memory), FALSE),
                                    emit_resized (e, mask, lanes), LLVMConstNull (type) }, 4);

  return emit_resized (e, x, e->lanes);
}

/* The machine gathers words of 32 bits. A narrower element is in an aligned word that holds it, which is in no page but its
 * own: reading that never faults, even at the ends of a buffer. */
LLVMValueRef
emit_gather_narrow (Emitter     *e,
                    guint32      buffer,
                    LLVMTypeRef  memory,
                    LLVMValueRef index,
                    LLVMValueRef mask)
{
  LLVMTypeRef type = LLVMTypeOf (index), words = emit_wide_type (e->t_i32, e->lanes);
  LLVMValueRef address = emit_addresses (e, buffer, memory, index, NULL, NULL);
  LLVMValueRef word = LLVMBuildAnd (B, address, emit_int (type, ~3), "");
  LLVMValueRef by = LLVMBuildAnd (B, LLVMBuildTrunc (B, address, words, ""), emit_int (words, 3), "");
  LLVMValueRef x = emit_gather_addresses (e, e->t_i32, LLVMBuildIntToPtr (B, word, emit_wide_type (e->t_ptr, e->lanes), ""), mask);

  x = LLVMBuildLShr (B, x, LLVMBuildShl (B, by, emit_int (words, 3), ""), "");

  return LLVMBuildTrunc (B, x, emit_wide_type (memory, e->lanes), "");
}

LLVMValueRef
emit_gather (Emitter     *e,
             guint32      buffer,
             LLVMTypeRef  memory,
             const Value *index)
{
  if (emit_is_table (e, buffer))
    return emit_look_up (e, buffer, emit_as_vector (e, *index));
  if (!e->target->has_masks)
    return gather_by_lane (e, buffer, memory, index);
  if (emit_size_of (memory) < 4)
    return emit_gather_narrow (e, buffer, memory, emit_as_vector (e, *index), e->mask.v);

  return emit_gather_addresses (e, memory, emit_element (e, buffer, emit_as_vector (e, *index)), e->mask.v);
}

/* Where lanes write to one place the last one stays, as in a loop. */
void
emit_scatter (Emitter     *e,
              guint32      buffer,
              LLVMTypeRef  memory,
              const Value *index,
              LLVMValueRef value)
{
  LLVMValueRef indices, at, x;
  LaneLoop loop;

  if (e->target->has_masks && emit_size_of (memory) >= 4)
    {
      at = emit_element (e, buffer, emit_as_vector (e, *index));
      emit_call (e, "llvm.masked.scatter", (LLVMTypeRef[]) { LLVMTypeOf (value), emit_wide_type (e->t_ptr, e->lanes) }, 2,
                 (LLVMValueRef[]) { value, at, LLVMConstInt (e->t_i32, emit_size_of (memory), FALSE),
                                    e->mask.v != NULL ? e->mask.v : emit_all (e, TRUE) }, 4);
      return;
    }

  if (e->lanes <= MAX_UNROLLED)
    {
      LLVMValueRef each[MAX_UNROLLED];

      find_lanes (e, buffer, memory, index, e->mask.v != NULL ? emit_stack (e, memory, 8) : NULL, each);
      for (guint i = 0; i < e->lanes; i++)
        emit_store_plain (e, memory, each[i], LLVMBuildExtractElement (B, value, LLVMConstInt (e->t_i32, i, FALSE), ""));
      return;
    }

  indices = vector_place (e, emit_as_vector (e, *index));
  value = vector_place (e, value);
  loop = emit_enter_lanes (e, e->mask.v);
  at = LLVMBuildLoad2 (B, e->t_i64, LLVMBuildGEP2 (B, e->t_i64, indices, &loop.lane, 1, ""), "");
  x = emit_load_plain (e, memory, LLVMBuildGEP2 (B, memory, value, &loop.lane, 1, ""), 1);
  emit_store_plain (e, memory, emit_element (e, buffer, at), x);
  emit_leave_lanes (e, &loop, e->lanes);
}
