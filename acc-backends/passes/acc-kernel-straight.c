/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "acc-passes.h"

/* Computes quotients and roots of f32 without branches, for devices that divide by an estimate and branch to a slow path for operands
 * near an end of the range. Threads wait at such branches, and compilers move nothing past them. A block that only computes and stores
 * uses estimates alone, and tests whether all operands suit them; then
 *
 *   if (they do) { stores } else { what depends on quotients and roots, again, rounded by the device; stores }
 *
 * By fused products (Markstein 1990): one step of Newton makes the nearest of a reciprocal that is one unit off, and the remainder
 * makes the nearest quotient or root. No remainder is lost below the least normal number, and nothing overflows, where
 *
 *   x / y:  x is +0 or LEAST <= |x|,  |y| <= MOST,  |x / y| <= MOST
 *   1 / y:                            |y| <= MOST,  |1 / y| <= MOST
 *   √x:     x is ±0 or LEAST <= x <= MOST_SQUARE
 *   1 / √x:            LEAST <= x <= MOST_SQUARE
 *
 * which NaN never is. A divisor is then 2^-120 at least, and its estimate no denormal either, but where x is 0: there the quotient is
 * right, or NaN. */

#define LEAST       0x1p-60
#define MOST        0x1p60
#define MOST_SQUARE 0x1p120

typedef struct {
  AccKernelBuilder *b;
  AccKernel        *kernel;
  guint32           block;
  GArray           *items;      /* the block as it becomes */
  guint32           ok;         /* whether all operands so far suit; 0: there were none */
  guint8           *divides;    /* by instruction: a root by which is divided, and nothing else done with it */
} Pass;

/* --- instructions */

static guint32
append (Pass           *self,
        AccKernelInstr  instr)
{
  guint32 id = self->kernel->instrs->len;

  instr.block = self->block;
  g_array_append_val (self->kernel->instrs, instr);
  g_array_append_val (self->items, id);

  return id;
}

static guint32
number (Pass  *self,
        float  value)
{
  return kb_float (self->b, ACC_KIND_F32, value).id;
}

static guint32
prim (Pass        *self,
      AccPrimitive primitive,
      guint32      x,
      guint32      y)
{
  AccElementKind kind = acc_primitive_result (primitive, acc_kernel_instr (self->kernel, x)->kind);

  return append (self,
                 (AccKernelInstr) { .op = ACC_KOP_PRIM, .kind = kind, .primitive = primitive, .n_args = y != 0 ? 2 : 1, .args = { x, y } });
}

static guint32
choose (Pass    *self,
        guint32  condition,
        guint32  x,
        guint32  y)
{
  return append (self, (AccKernelInstr) { .op = ACC_KOP_SELECT, .kind = ACC_KIND_F32, .n_args = 3, .args = { condition, x, y } });
}

static AccKernelInstr
fused (guint32 x,
       guint32 y,
       guint32 z)
{
  return (AccKernelInstr) { .op = ACC_KOP_FMA, .kind = ACC_KIND_F32, .n_args = 3, .args = { x, y, z } };
}

static guint32
estimate (Pass        *self,
          AccPrimitive of,
          guint32      x)
{
  return append (self, (AccKernelInstr) { .op = ACC_KOP_ESTIMATE, .kind = ACC_KIND_F32, .primitive = of, .n_args = 1, .args = { x } });
}

/* Instruction @id becomes @instr, in its place behind what it needs. */
static void
replace (Pass           *self,
         guint32         id,
         AccKernelInstr  instr)
{
  instr.block = self->block;
  g_array_index (self->kernel->instrs, AccKernelInstr, id) = instr;
  g_array_append_val (self->items, id);
}

static void
demand (Pass    *self,
        guint32  condition)
{
  self->ok = self->ok != 0 ? prim (self, ACC_PRIM_BAND, self->ok, condition) : condition;
}

static void
demand_at_most (Pass    *self,
                guint32  x,
                double   most)
{
  demand (self, prim (self, ACC_PRIM_LE, prim (self, ACC_PRIM_ABS, x, 0), number (self, most)));
}

static gboolean
is_one (Pass    *self,
        guint32  id)
{
  const AccKernelInstr *instr = acc_kernel_instr (self->kernel, id);

  return instr->op == ACC_KOP_CONST && instr->kind == ACC_KIND_F32 && instr->bits == 0x3f800000;
}

/* --- quotients and roots */

static void
divide (Pass    *self,
        guint32  id,
        guint32  x,
        guint32  y)
{
  guint32 minus = prim (self, ACC_PRIM_NEG, y, 0), inverse = estimate (self, ACC_PRIM_RECIP, y);
  guint32 rest = append (self, fused (minus, inverse, number (self, 1)));
  gboolean by_root = self->divides[y];

  if (!by_root)
    demand_at_most (self, y, MOST);
  if (x == 0)
    {
      replace (self, id, fused (rest, inverse, inverse));
    }
  else
    {
      guint32 bits = append (self, (AccKernelInstr) { .op = ACC_KOP_BITCAST, .kind = ACC_KIND_U32, .n_args = 1, .args = { x } });
      guint32 is_zero = prim (self, ACC_PRIM_EQ, bits, _kb_const (self->b, ACC_KIND_U32, 0).id), q;

      /* The remainder of -0 is +0, which a positive divisor would make of the quotient. */
      demand (self, prim (self, ACC_PRIM_BOR, is_zero, prim (self, ACC_PRIM_LE, number (self, LEAST), prim (self, ACC_PRIM_ABS, x, 0))));
      inverse = append (self, fused (rest, inverse, inverse));
      q = prim (self, ACC_PRIM_MUL, x, inverse);
      rest = append (self, fused (minus, q, x));
      replace (self, id, fused (rest, inverse, q));
    }
  if (x != 0 || !by_root)
    demand_at_most (self, id, MOST);
}

static void
take_root (Pass    *self,
           guint32  id,
           guint32  x)
{
  guint32 least = number (self, LEAST), is_large = prim (self, ACC_PRIM_LE, least, x);
  gboolean may_be_zero = !self->divides[id];
  /* Finite of 0, too. */
  guint32 inverse = estimate (self, ACC_PRIM_SQRT, may_be_zero ? choose (self, is_large, x, least) : x);
  guint32 root = prim (self, ACC_PRIM_MUL, x, inverse), half_of = prim (self, ACC_PRIM_MUL, inverse, number (self, 0.5));
  guint32 rest = append (self, fused (prim (self, ACC_PRIM_NEG, root, 0), root, x));

  if (may_be_zero)
    is_large = prim (self, ACC_PRIM_BOR, prim (self, ACC_PRIM_EQ, x, number (self, 0)), is_large);
  demand (self, is_large);
  demand (self, prim (self, ACC_PRIM_LE, x, number (self, MOST_SQUARE)));
  replace (self, id, fused (rest, half_of, root));
}

static gboolean
is_slow (const AccKernel      *kernel,
         const AccKernelInstr *instr)
{
  if (instr->op != ACC_KOP_PRIM || instr->kind != ACC_KIND_F32)
    return FALSE;

  return instr->primitive == ACC_PRIM_SQRT || instr->primitive == ACC_PRIM_RECIP
         || (instr->primitive == ACC_PRIM_FDIV && acc_kernel_instr (kernel, instr->args[1])->op != ACC_KOP_CONST);
}

static void
write_straight (Pass    *self,
                guint32  id)
{
  AccKernelInstr instr = *acc_kernel_instr (self->kernel, id);

  if (instr.primitive == ACC_PRIM_SQRT)
    take_root (self, id, instr.args[0]);
  else if (instr.primitive == ACC_PRIM_RECIP)
    divide (self, id, 0, instr.args[0]);
  else
    divide (self, id, is_one (self, instr.args[0]) ? 0 : instr.args[0], instr.args[1]);
}

/* --- blocks */

static gboolean
has_effect (const AccKernelInstr *instr)
{
  return instr->op == ACC_KOP_STORE || instr->op == ACC_KOP_SET;
}

/* Whether @instr, a load or a get, gives the same as before the first @n_effects of @effects. */
static gboolean
is_unmoved (AccKernel            *kernel,
            const AccKernelInstr *instr,
            GArray               *effects)
{
  for (guint i = 0; i < effects->len; i++)
    {
      const AccKernelInstr *effect = acc_kernel_instr (kernel, g_array_index (effects, guint32, i));
      const AccKernelParam *param;

      if (instr->op == ACC_KOP_GET && effect->op == ACC_KOP_SET && instr->args[0] == effect->args[0])
        return FALSE;
      if (instr->op == ACC_KOP_GET || effect->op == ACC_KOP_SET)
        continue;
      param = acc_kernel_buffer (kernel, instr->args[0]);
      if (!(param->flags & ACC_BUFFER_NO_ALIAS) || (param->flags & ACC_BUFFER_WRITE))
        return FALSE;
    }

  return TRUE;
}

/* Whether the block only computes and stores; @effects: what it stores, @again: what depends on quotients and roots, by id. */
static gboolean
look_over (AccKernel *kernel,
           guint32    block,
           GArray    *effects,
           guint8    *again)
{
  const GArray *items = acc_kernel_block (kernel, block)->items;
  gboolean matters = FALSE;

  for (guint i = 0; i < items->len; i++)
    {
      guint32 id = g_array_index (items, guint32, i);
      const AccKernelInstr *instr = acc_kernel_instr (kernel, id);

      again[id] = is_slow (kernel, instr);
      for (guint j = _acc_kernel_first_id (instr); j < instr->n_args; j++)
        again[id] |= again[instr->args[j]];

      if (has_effect (instr))
        {
          matters |= again[id];
          g_array_append_val (effects, id);
        }
      else if (instr->op == ACC_KOP_LOAD || instr->op == ACC_KOP_GET)
        {
          if (again[id] || !is_unmoved (kernel, instr, effects))
            return FALSE;
        }
      else if (!_acc_kernel_op_is_pure (instr->op))
        {
          return FALSE;
        }
    }

  return matters;
}

/* Marks roots by which is divided, and nothing else done with them. */
static guint8 *
find_divisors (AccKernel *kernel,
               GArray    *items)
{
  guint8 *divides = g_new0 (guint8, kernel->instrs->len);

  for (guint i = 0; i < items->len; i++)
    {
      guint32 id = g_array_index (items, guint32, i);
      const AccKernelInstr *instr = acc_kernel_instr (kernel, id);

      divides[id] = is_slow (kernel, instr) && instr->primitive == ACC_PRIM_SQRT;
      for (guint j = _acc_kernel_first_id (instr); j < instr->n_args; j++)
        if (!is_slow (kernel, instr) || j != (instr->primitive == ACC_PRIM_RECIP ? 0 : 1))
          divides[instr->args[j]] = FALSE;
    }

  return divides;
}

static guint32
add_block (Pass    *self,
           guint32  parent)
{
  AccKernelBlock block = { g_array_new (FALSE, FALSE, sizeof (guint32)), parent, FALSE };

  g_array_append_val (self->kernel->blocks, block);

  return self->kernel->blocks->len - 1;
}

/* What is in @ids, with operands of @copies. */
static void
append_copies (Pass    *self,
               GArray  *ids,
               guint32 *copies)
{
  for (guint i = 0; i < ids->len; i++)
    {
      guint32 id = g_array_index (ids, guint32, i);
      AccKernelInstr instr = *acc_kernel_instr (self->kernel, id);

      for (guint j = _acc_kernel_first_id (&instr); j < instr.n_args; j++)
        if (copies[instr.args[j]] != 0)
          instr.args[j] = copies[instr.args[j]];
      copies[id] = append (self, instr);
    }
}

static void
straighten (AccKernelBuilder *b,
            guint32           block,
            GArray           *effects,
            const guint8     *again)
{
  AccKernel *kernel = b->kernel;
  GArray *before = acc_kernel_block (kernel, block)->items;
  g_autoptr(GArray) slow = g_array_new (FALSE, FALSE, sizeof (guint32));
  g_autofree guint32 *copies = g_new0 (guint32, kernel->instrs->len);
  g_autofree guint8 *divides = find_divisors (kernel, before);
  guint32 choice = kernel->instrs->len, side;
  Pass self = { b, kernel, block, g_array_new (FALSE, FALSE, sizeof (guint32)), 0, divides };
  Pass other = { b, kernel };
  AccKernelInstr *made;

  g_array_append_vals (kernel->instrs, &(AccKernelInstr) { .op = ACC_KOP_IF, .block = block, .n_args = 1 }, 1);
  side = add_block (&self, choice);
  other.block = add_block (&self, choice);
  other.items = acc_kernel_block (kernel, other.block)->items;

  for (guint i = 0; i < before->len; i++)
    {
      guint32 id = g_array_index (before, guint32, i);

      if (again[id] && !has_effect (acc_kernel_instr (kernel, id)))
        g_array_append_val (slow, id);
    }
  append_copies (&other, slow, copies);
  append_copies (&other, effects, copies);

  for (guint i = 0; i < before->len; i++)
    {
      guint32 id = g_array_index (before, guint32, i);

      if (has_effect (acc_kernel_instr (kernel, id)))
        continue;
      if (is_slow (kernel, acc_kernel_instr (kernel, id)))
        write_straight (&self, id);
      else
        g_array_append_val (self.items, id);
    }
  for (guint i = 0; i < effects->len; i++)
    g_array_index (kernel->instrs, AccKernelInstr, g_array_index (effects, guint32, i)).block = side;
  g_array_append_vals (acc_kernel_block (kernel, side)->items, effects->data, effects->len);

  made = &g_array_index (kernel->instrs, AccKernelInstr, choice);
  made->args[0] = self.ok;
  made->blocks[0] = side;
  made->blocks[1] = other.block;
  g_array_append_val (self.items, choice);
  g_array_index (kernel->blocks, AccKernelBlock, block).items = self.items;
  g_array_unref (before);
}

static gboolean
has_slow (const AccKernel *kernel,
          guint32          block)
{
  const GArray *items = acc_kernel_block (kernel, block)->items;

  for (guint i = 0; i < items->len; i++)
    if (is_slow (kernel, acc_kernel_instr (kernel, g_array_index (items, guint32, i))))
      return TRUE;

  return FALSE;
}

void
_acc_kernel_straighten (AccKernelBuilder *b)
{
  AccKernel *kernel = b->kernel;
  guint n_blocks = kernel->blocks->len;

  for (guint32 i = 1; i < n_blocks; i++)
    if (has_slow (kernel, i))
      {
        g_autoptr(GArray) effects = g_array_new (FALSE, FALSE, sizeof (guint32));
        g_autofree guint8 *again = g_new0 (guint8, kernel->instrs->len);

        if (look_over (kernel, i, effects, again))
          straighten (b, i, effects, again);
      }
}
