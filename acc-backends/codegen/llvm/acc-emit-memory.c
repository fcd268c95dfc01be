/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "acc-emit-private.h"

#define B (e->builder)

/* Above this many lanes, what goes lane by lane is a loop. */
#define MAX_UNROLLED 16

/* Bytes of the smallest pages that there are. */
#define PAGE 4096

static LLVMValueRef
get_base (Emitter *e,
          guint32  buffer)
{
  return buffer & ACC_KERNEL_SHARED ? e->shared[buffer & ~ACC_KERNEL_SHARED] : e->params[buffer];
}

static LLVMValueRef
go_on (Emitter     *e,
       guint32      buffer,
       LLVMValueRef from,
       LLVMValueRef index)
{
  return LLVMBuildGEP2 (B, emit_memory_type (e, acc_kernel_buffer (e->kernel, buffer)->kind), from, &index, 1, "");
}

LLVMValueRef
emit_element (Emitter     *e,
              guint32      buffer,
              LLVMValueRef index)
{
  return go_on (e, buffer, get_base (e, buffer), index);
}

#define MAX_TRACED 32

/* Whether a value is the same in all iterations of @loop, as far as @n more steps tell. */
static gboolean
is_invariant (Emitter *e,
              guint32  id,
              guint32  loop,
              guint   *n)
{
  const AccKernelInstr *instr = acc_kernel_instr (e->kernel, id);

  if (!_acc_kernel_is_inside (e->kernel, id, loop))
    return TRUE;
  if (*n == 0 || !_acc_kernel_op_is_pure (instr->op))
    return FALSE;
  (*n)--;
  for (guint i = _acc_kernel_first_id (instr); i < instr->n_args; i++)
    if (!is_invariant (e, instr->args[i], loop, n))
      return FALSE;

  return TRUE;
}

/* Number @index of @buffer on from @base. Of a sum, what is the same in all iterations of @loop is added first, which then is done outside; but
 * constants, which are part of an instruction, last. */
static LLVMValueRef
element_from (Emitter     *e,
              guint32      buffer,
              LLVMValueRef base,
              guint32      index,
              guint32      loop)
{
  const AccKernelInstr *instr = acc_kernel_instr (e->kernel, index);
  gboolean is_sum = loop != 0 && instr->op == ACC_KOP_PRIM && instr->primitive == ACC_PRIM_ADD;
  guint n = MAX_TRACED;

  for (guint i = 0; i < 2 && is_sum; i++)
    if (acc_kernel_instr (e->kernel, instr->args[i])->op == ACC_KOP_CONST)
      return go_on (e, buffer, element_from (e, buffer, base, instr->args[1 - i], loop), emit_scalar (e, instr->args[i]));
  for (guint i = 0; i < 2 && is_sum; i++)
    if (is_invariant (e, instr->args[i], loop, &n) && !is_invariant (e, instr->args[1 - i], loop, &n))
      return element_from (e, buffer, go_on (e, buffer, base, emit_scalar (e, instr->args[i])), instr->args[1 - i], loop);

  return go_on (e, buffer, base, emit_scalar (e, index));
}

/* Of an access that is the same for all lanes. */
static LLVMValueRef
uniform_element (Emitter *e,
                 guint32  id)
{
  const AccKernelInstr *instr = acc_kernel_instr (e->kernel, id);
  guint32 loop = id;

  do
    loop = _acc_kernel_get_parent (e->kernel, loop);
  while (loop != 0 && !_acc_kernel_op_is_loop (acc_kernel_instr (e->kernel, loop)->op));

  return element_from (e, instr->args[0], get_base (e, instr->args[0]), instr->args[1], loop);
}

LLVMValueRef
emit_from_memory (Emitter       *e,
                  AccElementKind kind,
                  LLVMValueRef   x)
{
  if (kind == ACC_KIND_BOOL)
    return LLVMBuildICmp (B, LLVMIntNE, x, LLVMConstNull (LLVMTypeOf (x)), "");
  if (kind == ACC_KIND_F16)
    return LLVMBuildBitCast (B, x, emit_type_like (x, e->t_f16), "");

  return x;
}

LLVMValueRef
emit_to_memory (Emitter       *e,
                AccElementKind kind,
                LLVMValueRef   x)
{
  if (kind == ACC_KIND_BOOL)
    return LLVMBuildZExt (B, x, emit_type_like (x, e->t_i8), "");
  if (kind == ACC_KIND_F16)
    return LLVMBuildBitCast (B, x, emit_type_like (x, e->t_i16), "");

  return x;
}

static guint
size_of (LLVMTypeRef scalar)
{
  return emit_width_of (scalar) / 8;
}

static LLVMValueRef
plain_load (Emitter     *e,
            LLVMTypeRef  memory,
            LLVMValueRef address,
            guint        lanes)
{
  LLVMValueRef x = LLVMBuildLoad2 (B, emit_wide_type (memory, lanes), address, "");

  LLVMSetAlignment (x, size_of (memory));

  return x;
}

static LLVMValueRef
plain_store (Emitter     *e,
             LLVMTypeRef  memory,
             LLVMValueRef address,
             LLVMValueRef x)
{
  LLVMValueRef store = LLVMBuildStore (B, x, address);

  LLVMSetAlignment (store, size_of (memory));

  return store;
}

/* --- lane by lane */

typedef struct {
  LLVMValueRef      lane;
  LLVMValueRef      next;
  LLVMBasicBlockRef head;
  LLVMBasicBlockRef skip;
} LaneLoop;

/* What is emitted between enter and leave is run for each lane of the mask, in order; NULL: for all. */
static LaneLoop
enter_lanes (Emitter     *e,
             LLVMValueRef mask)
{
  LaneLoop loop = { .head = emit_block (e, "lane"), .skip = emit_block (e, "lane.next") };
  LLVMBasicBlockRef before, body;
  LLVMValueRef flags = NULL;

  if (mask != NULL)
    {
      LLVMTypeRef type = emit_type_like (mask, e->t_i8);

      flags = emit_stack (e, type, 64);
      LLVMBuildStore (B, LLVMBuildZExt (B, mask, type, ""), flags);
    }
  before = LLVMGetInsertBlock (B);
  LLVMBuildBr (B, loop.head);
  emit_enter (e, loop.head);
  loop.lane = LLVMBuildPhi (B, e->t_i64, "");
  LLVMAddIncoming (loop.lane, (LLVMValueRef[]) { LLVMConstNull (e->t_i64) }, &before, 1);
  loop.next = LLVMBuildAdd (B, loop.lane, LLVMConstInt (e->t_i64, 1, FALSE), "");
  if (flags != NULL)
    {
      LLVMValueRef flag = LLVMBuildLoad2 (B, e->t_i8, LLVMBuildGEP2 (B, e->t_i8, flags, &loop.lane, 1, ""), "");

      body = emit_block (e, "lane.active");
      LLVMBuildCondBr (B, LLVMBuildICmp (B, LLVMIntNE, flag, LLVMConstNull (e->t_i8), ""), body, loop.skip);
      emit_enter (e, body);
    }

  return loop;
}

static void
leave_lanes (Emitter  *e,
             LaneLoop *loop,
             guint     lanes)
{
  LLVMBasicBlockRef after = emit_block (e, "lane.end");

  LLVMBuildBr (B, loop->skip);
  emit_enter (e, loop->skip);
  LLVMBuildCondBr (B, LLVMBuildICmp (B, LLVMIntULT, loop->next, LLVMConstInt (e->t_i64, lanes, FALSE), ""),
                   loop->head, after);
  LLVMAddIncoming (loop->lane, &loop->next, &loop->skip, 1);
  emit_enter (e, after);
}

static gboolean
has_masked_access (Emitter    *e,
                   LLVMTypeRef memory)
{
  return size_of (memory) >= 4 ? e->target->has_masked_words : e->target->has_narrow_masks;
}

/* Of any lanes that take part there is an element in memory, so all that lies in one page with it may be read: lanes are, as one, and those
 * outside the mask forgotten. Where they lie in two pages, or none takes part, they go one by one. */
static LLVMValueRef
load_from_page (Emitter     *e,
                LLVMTypeRef  memory,
                LLVMValueRef address,
                LLVMValueRef mask,
                guint        lanes)
{
  LLVMTypeRef type = emit_wide_type (memory, lanes);
  LLVMBasicBlockRef whole = emit_block (e, "page"), across = emit_block (e, "page.not"), after = emit_block (e, "page.end");
  LLVMValueRef in_page = LLVMBuildAnd (B, LLVMBuildPtrToInt (B, address, e->t_i64, ""), LLVMConstInt (e->t_i64, PAGE - 1, FALSE), "");
  LLVMValueRef fits = LLVMBuildICmp (B, LLVMIntULE, in_page, LLVMConstInt (e->t_i64, PAGE - size_of (memory) * lanes, FALSE), "");
  LLVMValueRef place = emit_stack (e, type, 64), found[2], x;
  LLVMBasicBlockRef from[2];
  LaneLoop loop;

  LLVMBuildCondBr (B, LLVMBuildAnd (B, fits, emit_any (e, mask), ""), whole, across);
  emit_enter (e, whole);
  found[0] = emit_select (e, mask, plain_load (e, memory, address, lanes), LLVMConstNull (type));
  from[0] = LLVMGetInsertBlock (B);
  LLVMBuildBr (B, after);

  emit_enter (e, across);
  LLVMBuildStore (B, LLVMConstNull (type), place);
  loop = enter_lanes (e, mask);
  x = plain_load (e, memory, LLVMBuildGEP2 (B, memory, address, &loop.lane, 1, ""), 1);
  plain_store (e, memory, LLVMBuildGEP2 (B, memory, place, &loop.lane, 1, ""), x);
  leave_lanes (e, &loop, lanes);
  found[1] = LLVMBuildLoad2 (B, type, place, "");
  from[1] = LLVMGetInsertBlock (B);
  LLVMBuildBr (B, after);

  emit_enter (e, after);
  x = LLVMBuildPhi (B, type, "");
  LLVMAddIncoming (x, found, from, 2);

  return x;
}

/* Lanes outside the mask are 0. */
LLVMValueRef
emit_load_masked (Emitter     *e,
                  LLVMTypeRef  memory,
                  LLVMValueRef address,
                  LLVMValueRef mask,
                  guint        lanes)
{
  LLVMTypeRef type = emit_wide_type (memory, lanes);

  if (mask == NULL)
    return plain_load (e, memory, address, lanes);

  if (has_masked_access (e, memory))
    return emit_call (e, "llvm.masked.load", (LLVMTypeRef[]) { type, e->t_ptr }, 2,
                      (LLVMValueRef[]) { address, LLVMConstInt (e->t_i32, size_of (memory), FALSE), mask,
                                         LLVMConstNull (type) }, 4);

  return load_from_page (e, memory, address, mask, lanes);
}

void
emit_store_masked (Emitter     *e,
                   LLVMValueRef value,
                   LLVMValueRef address,
                   LLVMValueRef mask)
{
  LLVMTypeRef type = LLVMTypeOf (value), memory = emit_is_vector (value) ? LLVMGetElementType (type) : type;
  LLVMValueRef place, x;
  LaneLoop loop;

  if (mask == NULL)
    {
      plain_store (e, memory, address, value);
      return;
    }

  if (has_masked_access (e, memory))
    {
      emit_call (e, "llvm.masked.store", (LLVMTypeRef[]) { type, e->t_ptr }, 2,
                 (LLVMValueRef[]) { value, address, LLVMConstInt (e->t_i32, size_of (memory), FALSE), mask }, 4);
      return;
    }

  place = emit_stack (e, type, 64);
  LLVMBuildStore (B, value, place);
  loop = enter_lanes (e, mask);
  x = plain_load (e, memory, LLVMBuildGEP2 (B, memory, place, &loop.lane, 1, ""), 1);
  plain_store (e, memory, LLVMBuildGEP2 (B, memory, address, &loop.lane, 1, ""), x);
  leave_lanes (e, &loop, emit_lanes_of (value));
}

/* --- gather and scatter */

/* Addresses as integers; those of lanes outside the mask are that of @unused. */
static LLVMValueRef
addresses_of (Emitter     *e,
              guint32      buffer,
              LLVMTypeRef  memory,
              LLVMValueRef index,
              LLVMValueRef mask,
              LLVMValueRef unused)
{
  LLVMTypeRef type = LLVMTypeOf (index);
  LLVMValueRef base = emit_splat (e, LLVMBuildPtrToInt (B, e->params[buffer], e->t_i64, ""), e->lanes);
  LLVMValueRef address = LLVMBuildAdd (B, base, LLVMBuildMul (B, index, emit_int (type, size_of (memory)), ""), "");

  if (mask == NULL)
    return address;

  return emit_select (e, mask, address, emit_splat (e, LLVMBuildPtrToInt (B, unused, e->t_i64, ""), e->lanes));
}

static LLVMValueRef
lane_address (Emitter     *e,
              LLVMValueRef addresses,
              guint        lane)
{
  return LLVMBuildIntToPtr (B, LLVMBuildExtractElement (B, addresses, LLVMConstInt (e->t_i32, lane, FALSE), ""), e->t_ptr, "");
}

/* Where each lane finds its element, at most MAX_UNROLLED; those outside the mask at @unused. Without a mask by the lane's index, not
 * its address: what is read at the same index from several buffers is taken out of the vector once, and machines multiply by the size as
 * they load. */
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
      vector = addresses_of (e, buffer, memory, vector, e->mask.v, unused);
      for (guint i = 0; i < e->lanes; i++)
        at[i] = lane_address (e, vector, i);
      return;
    }

  from = steps ? emit_element (e, buffer, index->v) : get_base (e, buffer);
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
        x = LLVMBuildInsertElement (B, x, plain_load (e, memory, each[i], 1), LLVMConstInt (e->t_i32, i, FALSE), "");
      return x;
    }

  place = emit_stack (e, type, 64);
  LLVMBuildStore (B, LLVMConstNull (type), place);
  indices = vector_place (e, emit_as_vector (e, *index));
  loop = enter_lanes (e, e->mask.v);
  at = LLVMBuildLoad2 (B, e->t_i64, LLVMBuildGEP2 (B, e->t_i64, indices, &loop.lane, 1, ""), "");
  x = plain_load (e, memory, emit_element (e, buffer, at), 1);
  plain_store (e, memory, LLVMBuildGEP2 (B, memory, place, &loop.lane, 1, ""), x);
  leave_lanes (e, &loop, e->lanes);

  return LLVMBuildLoad2 (B, type, place, "");
}

/* To a power of two lanes: LLVM would fill up with lanes of no address, and gives those the result's register, for which x86
 * has no gather. */
static LLVMValueRef
gather_addresses (Emitter     *e,
                  LLVMTypeRef  memory,
                  LLVMValueRef addresses)
{
  guint lanes = 1;
  LLVMTypeRef type, pointers;
  LLVMValueRef mask = e->mask.v != NULL ? e->mask.v : emit_all (e, TRUE), x;

  while (lanes < e->lanes)
    lanes *= 2;
  type = emit_wide_type (memory, lanes);
  pointers = emit_wide_type (e->t_ptr, lanes);
  x = emit_call (e, "llvm.masked.gather", (LLVMTypeRef[]) { type, pointers }, 2,
                 (LLVMValueRef[]) { emit_resized (e, addresses, lanes), LLVMConstInt (e->t_i32, size_of (memory), FALSE),
                                    emit_resized (e, mask, lanes), LLVMConstNull (type) }, 4);

  return emit_resized (e, x, e->lanes);
}

/* The machine gathers words of 32 bits. A narrower element is in an aligned word that holds it, which is in no page but its
 * own: reading that never faults, even at the ends of a buffer. */
static LLVMValueRef
gather_narrow (Emitter     *e,
               guint32      buffer,
               LLVMTypeRef  memory,
               LLVMValueRef index)
{
  LLVMTypeRef type = LLVMTypeOf (index), words = emit_wide_type (e->t_i32, e->lanes);
  LLVMValueRef address = addresses_of (e, buffer, memory, index, NULL, NULL);
  LLVMValueRef word = LLVMBuildAnd (B, address, emit_int (type, ~3), "");
  LLVMValueRef by = LLVMBuildAnd (B, LLVMBuildTrunc (B, address, words, ""), emit_int (words, 3), "");
  LLVMValueRef x = gather_addresses (e, e->t_i32, LLVMBuildIntToPtr (B, word, emit_wide_type (e->t_ptr, e->lanes), ""));

  x = LLVMBuildLShr (B, x, LLVMBuildShl (B, by, emit_int (words, 3), ""), "");

  return LLVMBuildTrunc (B, x, emit_wide_type (memory, e->lanes), "");
}

static LLVMValueRef
gather (Emitter     *e,
        guint32      buffer,
        LLVMTypeRef  memory,
        const Value *index)
{
  if (emit_is_table (e, buffer))
    return emit_look_up (e, buffer, emit_as_vector (e, *index));
  if (!e->target->has_masks)
    return gather_by_lane (e, buffer, memory, index);
  if (size_of (memory) < 4)
    return gather_narrow (e, buffer, memory, emit_as_vector (e, *index));

  return gather_addresses (e, memory, emit_element (e, buffer, emit_as_vector (e, *index)));
}

/* Where lanes write to one place the last one stays, as in a loop. */
static void
scatter (Emitter     *e,
         guint32      buffer,
         LLVMTypeRef  memory,
         const Value *index,
         LLVMValueRef value)
{
  LLVMValueRef indices, at, x;
  LaneLoop loop;

  if (e->target->has_masks && size_of (memory) >= 4)
    {
      at = emit_element (e, buffer, emit_as_vector (e, *index));
      emit_call (e, "llvm.masked.scatter", (LLVMTypeRef[]) { LLVMTypeOf (value), emit_wide_type (e->t_ptr, e->lanes) }, 2,
                 (LLVMValueRef[]) { value, at, LLVMConstInt (e->t_i32, size_of (memory), FALSE),
                                    e->mask.v != NULL ? e->mask.v : emit_all (e, TRUE) }, 4);
      return;
    }

  if (e->lanes <= MAX_UNROLLED)
    {
      LLVMValueRef each[MAX_UNROLLED];

      find_lanes (e, buffer, memory, index, e->mask.v != NULL ? emit_stack (e, memory, 8) : NULL, each);
      for (guint i = 0; i < e->lanes; i++)
        plain_store (e, memory, each[i], LLVMBuildExtractElement (B, value, LLVMConstInt (e->t_i32, i, FALSE), ""));
      return;
    }

  indices = vector_place (e, emit_as_vector (e, *index));
  value = vector_place (e, value);
  loop = enter_lanes (e, e->mask.v);
  at = LLVMBuildLoad2 (B, e->t_i64, LLVMBuildGEP2 (B, e->t_i64, indices, &loop.lane, 1, ""), "");
  x = plain_load (e, memory, LLVMBuildGEP2 (B, memory, value, &loop.lane, 1, ""), 1);
  plain_store (e, memory, emit_element (e, buffer, at), x);
  leave_lanes (e, &loop, e->lanes);
}

/* --- loads and stores */

static LLVMValueRef
reverse (Emitter     *e,
         LLVMValueRef x)
{
  guint n = emit_lanes_of (x);
  g_autofree int *places = g_new (int, n);

  if (x == NULL)
    return NULL;
  for (guint i = 0; i < n; i++)
    places[i] = n - 1 - i;

  return emit_shuffle (e, x, NULL, places, n);
}

/* For step -1: the address of the last lane. */
static LLVMValueRef
last_address (Emitter     *e,
              guint32      buffer,
              LLVMValueRef index)
{
  return emit_element (e, buffer, LLVMBuildSub (B, index, LLVMConstInt (e->t_i64, e->lanes - 1, FALSE), ""));
}

Value
emit_load (Emitter *e,
           guint32  id)
{
  const AccKernelInstr *instr = acc_kernel_instr (e->kernel, id);
  guint32 buffer = instr->args[0];
  LLVMTypeRef memory = emit_memory_type (e, instr->kind);
  Value index = emit_value (e, instr->args[1]);
  LLVMValueRef x = NULL;

  if (index.shape == SHAPE_UNIFORM)
    {
      x = plain_load (e, memory, uniform_element (e, id), 1);
      LLVMSetVolatile (x, (acc_kernel_buffer (e->kernel, buffer)->flags & ACC_BUFFER_COHERENT) != 0);
      return (Value) { .v = emit_from_memory (e, instr->kind, x), .shape = SHAPE_UNIFORM };
    }

  if (index.shape == SHAPE_LINEAR && index.stride == 1)
    x = emit_load_masked (e, memory, emit_element (e, buffer, index.v), e->mask.v, e->lanes);
  else if (index.shape == SHAPE_LINEAR && index.stride == -1)
    {
      LLVMValueRef mask = e->mask.v != NULL ? reverse (e, e->mask.v) : NULL;

      x = reverse (e, emit_load_masked (e, memory, last_address (e, buffer, index.v), mask, e->lanes));
    }
  else if (index.shape == SHAPE_LINEAR)
    x = emit_load_strided (e, id, &index);
  else if (index.repeats > 0)
    x = emit_load_repeated (e, id, &index);
  if (x == NULL)
    x = gather (e, buffer, memory, &index);

  return (Value) { .v = emit_from_memory (e, instr->kind, x), .shape = SHAPE_VARYING };
}

/* Past the caches where the address is that of a line, as it is after the first, peeled, lanes of a foreach. */
static void
streaming_store (Emitter     *e,
                 LLVMTypeRef  memory,
                 LLVMValueRef address,
                 LLVMValueRef value)
{
  LLVMBasicBlockRef aligned = emit_block (e, "stream"), other = emit_block (e, "stream.not");
  LLVMBasicBlockRef after = emit_block (e, "stream.end");
  LLVMValueRef low = LLVMBuildAnd (B, LLVMBuildPtrToInt (B, address, e->t_i64, ""),
                                   LLVMConstInt (e->t_i64, EMIT_CACHE_LINE - 1, FALSE), "");
  LLVMMetadataRef one = LLVMValueAsMetadata (LLVMConstInt (e->t_i32, 1, FALSE));
  LLVMValueRef is_line = LLVMBuildICmp (B, LLVMIntEQ, low, LLVMConstNull (e->t_i64), ""), store;

  LLVMBuildCondBr (B, e->streams != NULL ? LLVMBuildAnd (B, is_line, e->streams, "") : is_line, aligned, other);
  emit_enter (e, aligned);
  store = LLVMBuildStore (B, value, address);
  LLVMSetAlignment (store, EMIT_CACHE_LINE);
  LLVMSetMetadata (store, LLVMGetMDKindIDInContext (e->context, "nontemporal", strlen ("nontemporal")),
                   LLVMMetadataAsValue (e->context, LLVMMDNodeInContext2 (e->context, &one, 1)));
  LLVMBuildBr (B, after);
  emit_enter (e, other);
  plain_store (e, memory, address, value);
  LLVMBuildBr (B, after);
  emit_enter (e, after);
  e->streamed = TRUE;
}

/* Whole lines only: parts of one that do not come together go to memory one by one, which AMD's processors take longer for than for lines
 * that are read, changed and written back. */
void
emit_store_neighbours (Emitter     *e,
                       guint32      buffer,
                       LLVMValueRef index,
                       LLVMValueRef x)
{
  const AccKernelParam *param = acc_kernel_buffer (e->kernel, buffer);
  LLVMTypeRef memory = emit_memory_type (e, param->kind);
  LLVMValueRef address = emit_element (e, buffer, index);
  guint bytes = size_of (memory) * e->lanes;

  if (e->streaming && e->mask.v == NULL && (param->flags & ACC_BUFFER_ONCE) && bytes % EMIT_CACHE_LINE == 0)
    streaming_store (e, memory, address, x);
  else
    emit_store_masked (e, x, address, e->mask.v);
}

void
emit_store (Emitter *e,
            guint32  id)
{
  const AccKernelInstr *instr = acc_kernel_instr (e->kernel, id);
  guint32 buffer = instr->args[0];
  const AccKernelParam *param = acc_kernel_buffer (e->kernel, buffer);
  LLVMTypeRef memory = emit_memory_type (e, param->kind);
  Value index = emit_value (e, instr->args[1]);
  Value value = emit_value (e, instr->args[2]);
  LLVMValueRef x;

  if (index.shape == SHAPE_UNIFORM)
    {
      if (value.shape != SHAPE_UNIFORM)
        {
          LLVMValueRef lane = LLVMConstInt (e->t_i64, e->lanes - 1, FALSE);

          if (e->mask.v != NULL)
            lane = emit_last_lane (e, emit_bits (e, e->mask.v));
          value.v = LLVMBuildExtractElement (B, emit_as_vector (e, value), lane, "");
        }
      x = plain_store (e, memory, uniform_element (e, id), emit_to_memory (e, param->kind, value.v));
      LLVMSetVolatile (x, (param->flags & ACC_BUFFER_COHERENT) != 0);
      return;
    }

  if (index.shape == SHAPE_LINEAR && index.stride > 1 && emit_store_strided (e, id, &index))
    return;

  x = emit_to_memory (e, param->kind, emit_as_vector (e, value));
  if (index.shape == SHAPE_LINEAR && index.stride == 1)
    emit_store_neighbours (e, buffer, index.v, x);
  else if (index.shape == SHAPE_LINEAR && index.stride == -1)
    emit_store_masked (e, reverse (e, x), last_address (e, buffer, index.v),
                       e->mask.v != NULL ? reverse (e, e->mask.v) : NULL);
  else
    scatter (e, buffer, memory, &index, x);
}

/* --- side by side */

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

/* The lanes of a register that stay, in front. To pack what is in memory takes some processors a hundred cycles. */
static LLVMValueRef
compress (Emitter     *e,
          LLVMValueRef x,
          LLVMValueRef mask)
{
  LLVMTypeRef own = LLVMTypeOf (x), type = size_of (LLVMGetElementType (own)) < 4 ? emit_type_like (x, e->t_i32) : own;

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
  gboolean is_narrow = size_of (LLVMGetElementType (own)) < 4;
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

/* Lanes that do not stay are stored where the next one will be, or where nobody looks. */
static void
pack_lanes (Emitter    *e,
            const Pack *pack)
{
  LLVMValueRef unused = emit_stack (e, pack->memory, 8), address = pack->address;

  for (guint i = 0; i < e->lanes; i++)
    {
      LLVMValueRef lane = LLVMConstInt (e->t_i32, i, FALSE), is_one = LLVMBuildExtractElement (B, pack->stays, lane, "");

      plain_store (e, pack->memory, pack->has_room ? address : emit_select (e, is_one, address, unused),
                   LLVMBuildExtractElement (B, pack->value, lane, ""));
      address = next_address (e, pack->memory, address, LLVMBuildZExt (B, is_one, e->t_i64, ""));
    }
}

static void
pack_all (Emitter    *e,
          const Pack *pack)
{
  gboolean by_eights = e->lanes % 8 == 0 && (e->lanes & (e->lanes - 1)) == 0;   /* predicates of 8, 16 and 32 lanes */
  guint size = size_of (pack->memory);

  if (e->target->has_masks && by_eights && has_masked_access (e, pack->memory))
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

#define MAX_APART 64   /* lanes of which each is asked for */

/* Into the second cache. */
static void
prefetch (Emitter     *e,
          LLVMValueRef address)
{
  emit_call (e, "llvm.prefetch", &e->t_ptr, 1,
             (LLVMValueRef[]) { address, LLVMConstInt (e->t_i32, 0, FALSE), LLVMConstInt (e->t_i32, 2, FALSE), LLVMConstInt (e->t_i32, 1, FALSE) }, 4);
}

/* From the first lane's element on to the last one's. */
static void
prefetch_lines (Emitter *e,
                guint32  buffer,
                Value    index)
{
  LLVMValueRef first = emit_element (e, buffer, index.v);
  gint64 size = (gint64) acc_element_kind_get_size (acc_kernel_buffer (e->kernel, buffer)->kind);
  gint64 bytes = index.shape == SHAPE_UNIFORM ? 1 : MIN (e->lanes * ABS (index.stride) * size, MAX_APART * EMIT_CACHE_LINE);

  for (gint64 at = 0; at < bytes; at += EMIT_CACHE_LINE)
    {
      LLVMValueRef distance = LLVMConstInt (e->t_i64, (guint64) (index.stride < 0 ? -at : at), TRUE);

      prefetch (e, LLVMBuildGEP2 (B, LLVMInt8TypeInContext (e->context), first, &distance, 1, ""));
    }
}

/* What lanes that are neighbours load at once, or what each loads for itself. */
void
emit_prefetch (Emitter *e,
               guint32  id)
{
  const AccKernelInstr *instr = acc_kernel_instr (e->kernel, id);
  Value index = emit_value (e, instr->args[1]);
  LLVMValueRef addresses;
  LLVMTypeRef memory;

  if (index.shape != SHAPE_VARYING)
    {
      prefetch_lines (e, instr->args[0], index);
      return;
    }

  if (e->lanes > MAX_APART)
    return;
  memory = emit_memory_type (e, acc_kernel_buffer (e->kernel, instr->args[0])->kind);
  addresses = addresses_of (e, instr->args[0], memory, index.v, NULL, NULL);
  for (guint i = 0; i < e->lanes; i++)
    prefetch (e, lane_address (e, addresses, i));
}
