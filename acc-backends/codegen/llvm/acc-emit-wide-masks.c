/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "acc-emit-private.h"

#define B (e->builder)

/* Widens masks for processors without predicate registers. There a mask is a vector of lanes that are -1 or 0. LLVM packs an <n x i1> that
 * combines several masks, or goes from block to block, into bytes, and unpacks it for each use: in a short loop that is a third of all
 * instructions. So such values become integer vectors, and only comparisons and selects have <n x i1>. */

#define MAX_DEPTH 6

typedef struct {
  LLVMValueRef mask;
  LLVMValueRef wide;
} Wide;

typedef struct {
  Emitter    *e;
  GArray     *wides;     /* Wide */
  GHashTable *numbers;   /* mask → its number there, and one */
} Pass;

static gboolean
is_mask (Emitter     *e,
         LLVMValueRef x)
{
  LLVMTypeRef type = LLVMTypeOf (x);

  return LLVMGetTypeKind (type) == LLVMVectorTypeKind && LLVMGetElementType (type) == e->t_i1;
}

/* The width of the operands of the comparison that the mask comes from; 0: unknown. */
static guint
find_bits (LLVMValueRef mask,
           guint        depth)
{
  LLVMOpcode opcode;
  guint first = 0, end = 2, bits = 0;

  if (!LLVMIsAInstruction (mask) || depth == MAX_DEPTH)
    return 0;

  opcode = LLVMGetInstructionOpcode (mask);
  if (opcode == LLVMICmp || opcode == LLVMFCmp)
    {
      bits = emit_width_of (LLVMGetElementType (LLVMTypeOf (LLVMGetOperand (mask, 0))));
      return bits == 1 ? find_bits (LLVMGetOperand (mask, 0), depth + 1) : CLAMP (bits, 8, 64);
    }
  if (opcode == LLVMSelect)
    {
      first = 1;
      end = 3;
    }
  else if (opcode == LLVMPHI)
    end = LLVMCountIncoming (mask);
  else if (opcode != LLVMAnd && opcode != LLVMOr && opcode != LLVMXor && opcode != LLVMShuffleVector)
    return 0;
  for (guint i = first; i < end && bits == 0; i++)
    bits = find_bits (opcode == LLVMPHI ? LLVMGetIncomingValue (mask, i) : LLVMGetOperand (mask, i), depth + 1);

  return bits;
}

static LLVMTypeRef
wide_type (Emitter     *e,
           LLVMValueRef mask)
{
  guint bits = find_bits (mask, 0);

  return LLVMVectorType (LLVMIntTypeInContext (e->context, bits > 0 ? bits : 32), LLVMGetVectorSize (LLVMTypeOf (mask)));
}

static gboolean
is_combined (LLVMValueRef mask)
{
  LLVMOpcode opcode = LLVMGetInstructionOpcode (mask);

  return opcode == LLVMAnd || opcode == LLVMOr || opcode == LLVMXor || opcode == LLVMSelect || opcode == LLVMShuffleVector;
}

/* Whether the wide one takes its place; else it is made of it. */
static gboolean
goes (LLVMValueRef mask)
{
  return LLVMIsAPHINode (mask) || is_combined (mask);
}

static gboolean
leaves_block (LLVMValueRef mask)
{
  LLVMBasicBlockRef block = LLVMGetInstructionParent (mask);

  for (LLVMUseRef use = LLVMGetFirstUse (mask); use != NULL; use = LLVMGetNextUse (use))
    if (LLVMIsAPHINode (LLVMGetUser (use)) || LLVMGetInstructionParent (LLVMGetUser (use)) != block)
      return TRUE;

  return FALSE;
}

static void
find_masks (Pass         *self,
            LLVMValueRef  function)
{
  for (LLVMBasicBlockRef block = LLVMGetFirstBasicBlock (function); block != NULL; block = LLVMGetNextBasicBlock (block))
    for (LLVMValueRef instr = LLVMGetFirstInstruction (block); instr != NULL; instr = LLVMGetNextInstruction (instr))
      if (is_mask (self->e, instr) && (goes (instr) || leaves_block (instr)))
        {
          g_array_append_vals (self->wides, &(Wide) { instr, NULL }, 1);
          g_hash_table_insert (self->numbers, instr, GUINT_TO_POINTER (self->wides->len));
        }
}

/* --- wide ones */

static LLVMValueRef make_wide (Pass *self, LLVMValueRef mask);

/* Where the builder is. */
static LLVMValueRef
widen (Pass        *self,
       LLVMValueRef mask,
       LLVMTypeRef  type)
{
  LLVMValueRef wide = make_wide (self, mask);

  return wide != NULL ? LLVMBuildIntCast2 (self->e->builder, wide, type, TRUE, "") : LLVMBuildSExt (self->e->builder, mask, type, "");
}

static LLVMValueRef
shuffle (Emitter     *e,
         LLVMValueRef like,
         LLVMValueRef x,
         LLVMValueRef y)
{
  guint n = LLVMGetNumMaskElements (like);
  g_autofree int *places = g_new (int, n);

  for (guint i = 0; i < n; i++)
    places[i] = LLVMGetMaskValue (like, i);

  return emit_shuffle (e, x, y, places, n);
}

static LLVMValueRef
combine (Pass        *self,
         LLVMValueRef mask,
         LLVMTypeRef  type)
{
  Emitter *e = self->e;
  LLVMOpcode opcode = LLVMGetInstructionOpcode (mask);
  guint first = opcode == LLVMSelect ? 1 : 0;
  LLVMValueRef x = LLVMGetOperand (mask, first), y = LLVMGetOperand (mask, first + 1);
  LLVMTypeRef from = LLVMVectorType (LLVMGetElementType (type), LLVMGetVectorSize (LLVMTypeOf (x)));

  /* Their operands are widened where they are; then this one, here. */
  make_wide (self, x);
  make_wide (self, y);
  LLVMPositionBuilderBefore (B, mask);
  x = widen (self, x, from);
  y = widen (self, y, from);

  if (opcode == LLVMSelect)
    return LLVMBuildSelect (B, LLVMGetOperand (mask, 0), x, y, "");
  if (opcode == LLVMShuffleVector)
    return shuffle (e, mask, x, y);

  return LLVMBuildBinOp (B, opcode, x, y, "");
}

/* NULL: it stays as it is. Phis are filled later. */
static LLVMValueRef
make_wide (Pass        *self,
           LLVMValueRef mask)
{
  guint number = GPOINTER_TO_UINT (g_hash_table_lookup (self->numbers, mask));
  Wide *known = number > 0 ? &g_array_index (self->wides, Wide, number - 1) : NULL;
  Emitter *e = self->e;
  LLVMTypeRef type;

  if (known == NULL || known->wide != NULL)
    return known != NULL ? known->wide : NULL;

  type = wide_type (e, mask);
  if (LLVMIsAPHINode (mask))
    {
      LLVMPositionBuilderBefore (B, mask);
      known->wide = LLVMBuildPhi (B, type, "");
    }
  else if (is_combined (mask))
    {
      known->wide = combine (self, mask, type);
    }
  else
    {
      LLVMPositionBuilderBefore (B, LLVMGetNextInstruction (mask));
      known->wide = LLVMBuildSExt (B, mask, type, "");
    }

  return known->wide;
}

static void
fill_phi (Pass       *self,
          const Wide *phi)
{
  Emitter *e = self->e;

  for (guint i = 0; i < LLVMCountIncoming (phi->mask); i++)
    {
      LLVMBasicBlockRef from = LLVMGetIncomingBlock (phi->mask, i);
      LLVMValueRef x;

      LLVMPositionBuilderBefore (B, LLVMGetBasicBlockTerminator (from));
      x = widen (self, LLVMGetIncomingValue (phi->mask, i), LLVMTypeOf (phi->wide));
      LLVMAddIncoming (phi->wide, &x, &from, 1);
    }
}

/* --- uses */

/* The first instruction behind all phis. */
static LLVMValueRef
get_start (LLVMBasicBlockRef block)
{
  LLVMValueRef instr = LLVMGetFirstInstruction (block);

  while (LLVMIsAPHINode (instr))
    instr = LLVMGetNextInstruction (instr);

  return instr;
}

/* A choice, say, in some block. */
static LLVMValueRef
make_narrow (Pass              *self,
             const Wide        *wide,
             LLVMBasicBlockRef  block,
             GHashTable        *known)
{
  Emitter *e = self->e;
  LLVMValueRef narrow = g_hash_table_lookup (known, block);
  gboolean is_own = LLVMGetInstructionParent (wide->mask) == block && !LLVMIsAPHINode (wide->mask);

  if (narrow == NULL)
    {
      LLVMPositionBuilderBefore (B, is_own ? wide->mask : get_start (block));
      narrow = LLVMBuildICmp (B, LLVMIntSLT, wide->wide, LLVMConstNull (LLVMTypeOf (wide->wide)), "");
      g_hash_table_insert (known, block, narrow);
    }

  return narrow;
}

static void
replace_uses (Pass       *self,
              const Wide *wide)
{
  Emitter *e = self->e;
  LLVMBasicBlockRef own = LLVMGetInstructionParent (wide->mask);
  g_autoptr(GHashTable) known = g_hash_table_new (NULL, NULL);
  LLVMUseRef next;

  for (LLVMUseRef use = LLVMGetFirstUse (wide->mask); use != NULL; use = next)
    {
      LLVMValueRef user = LLVMGetUser (use);
      LLVMBasicBlockRef block = LLVMGetInstructionParent (user);

      next = LLVMGetNextUse (use);
      if ((g_hash_table_contains (self->numbers, user) && goes (user)) || (block == own && !goes (wide->mask)))
        continue;
      if (LLVMIsASExtInst (user))
        {
          LLVMPositionBuilderBefore (B, user);
          LLVMReplaceAllUsesWith (user, LLVMBuildIntCast2 (B, wide->wide, LLVMTypeOf (user), TRUE, ""));
          LLVMInstructionEraseFromParent (user);
        }
      else
        {
          LLVMValueRef mask = make_narrow (self, wide, block, known);

          for (guint i = 0; i < (guint) LLVMGetNumOperands (user); i++)
            if (LLVMGetOperand (user, i) == wide->mask)
              LLVMSetOperand (user, i, mask);
        }
      /* The user may have been in the list more than once. */
      next = LLVMGetFirstUse (wide->mask);
    }
}

static void
widen_in (Emitter     *e,
          LLVMValueRef function)
{
  g_autoptr(GArray) wides = g_array_new (FALSE, FALSE, sizeof (Wide));
  g_autoptr(GHashTable) numbers = g_hash_table_new (NULL, NULL);
  Pass self = { e, wides, numbers };

  find_masks (&self, function);
  for (guint i = 0; i < wides->len; i++)
    make_wide (&self, g_array_index (wides, Wide, i).mask);
  for (guint i = 0; i < wides->len; i++)
    if (LLVMIsAPHINode (g_array_index (wides, Wide, i).mask))
      fill_phi (&self, &g_array_index (wides, Wide, i));
  for (guint i = 0; i < wides->len; i++)
    replace_uses (&self, &g_array_index (wides, Wide, i));
  for (guint i = 0; i < wides->len; i++)
    {
      const Wide *wide = &g_array_index (wides, Wide, i);

      if (goes (wide->mask))
        {
          LLVMReplaceAllUsesWith (wide->mask, LLVMGetUndef (LLVMTypeOf (wide->mask)));
          LLVMInstructionEraseFromParent (wide->mask);
        }
    }
}

void
emit_widen_masks (Emitter *e)
{
  for (LLVMValueRef function = LLVMGetFirstFunction (e->module); function != NULL; function = LLVMGetNextFunction (function))
    widen_in (e, function);
}
