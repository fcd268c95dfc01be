/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "acc-kernel-private.h"

#include "acc-error.h"

/* Verifies kernels: types, dominance, uniformity, and the use of blocks. A mistake is a bug of a skeleton. */

static gboolean
fail (GError         **error,
      const AccKernel *kernel,
      const char      *format,
      ...) G_GNUC_PRINTF (3, 4);

static gboolean
fail (GError         **error,
      const AccKernel *kernel,
      const char      *format,
      ...)
{
  g_autofree char *message = NULL;
  va_list args;

  va_start (args, format);
  message = g_strdup_vprintf (format, args);
  va_end (args);

  g_set_error (error, ACC_ERROR, ACC_ERROR_COMPILE, "Kernel “%s”: %s", kernel->name, message);

  return FALSE;
}

static const char *
code_of (const AccKernel *kernel,
         guint32          id)
{
  return acc_element_kind_get_code (acc_kernel_instr (kernel, id)->kind);
}

static gboolean
check_index (const AccKernel *kernel,
             guint32          id,
             const char      *what,
             GError         **error)
{
  if (acc_kernel_instr (kernel, id)->kind != ACC_KIND_I64)
    return fail (error, kernel, "%s is %s, not i8", what, code_of (kernel, id));

  return TRUE;
}

static gboolean
check_prim (const AccKernel      *kernel,
            const AccKernelInstr *instr,
            GError              **error)
{
  const AccPrimitiveInfo *info;
  AccElementKind kind;

  if (instr->primitive >= ACC_N_PRIMITIVES)
    return fail (error, kernel, "no such primitive");

  info = acc_primitive_get_info (instr->primitive);
  if (instr->n_args != info->arity)
    return fail (error, kernel, "%s takes %u operands, not %u", info->name, info->arity, instr->n_args);

  kind = acc_kernel_instr (kernel, instr->args[0])->kind;
  if (!acc_primitive_accepts (instr->primitive, kind))
    return fail (error, kernel, "%s does not take %s", info->name, acc_element_kind_get_code (kind));

  if (info->arity == 2)
    {
      AccElementKind expected = info->operands == ACC_OPERANDS_SHIFT ? ACC_KIND_I64 : kind;

      if (acc_kernel_instr (kernel, instr->args[1])->kind != expected)
        return fail (error, kernel, "the second operand of %s %s is %s", info->name, acc_element_kind_get_code (kind),
                     code_of (kernel, instr->args[1]));
    }

  if (instr->kind != acc_primitive_result (instr->primitive, kind))
    return fail (error, kernel, "%s of %s has the wrong kind", info->name, acc_element_kind_get_code (kind));

  return TRUE;
}

static gboolean
check_buffer (const AccKernel      *kernel,
              const AccKernelInstr *instr,
              AccBufferFlags        needed,
              const char           *what,
              GError              **error)
{
  const AccKernelParam *param;

  if (instr->args[0] & ACC_KERNEL_SHARED ? (instr->args[0] & ~ACC_KERNEL_SHARED) >= kernel->shared->len
                                         : instr->args[0] >= kernel->params->len)
    return fail (error, kernel, "%s of a buffer that is no parameter", what);

  param = acc_kernel_buffer (kernel, instr->args[0]);
  if (!param->is_buffer)
    return fail (error, kernel, "%s of parameter %u, a scalar", what, instr->args[0]);
  if (!(param->flags & needed))
    return fail (error, kernel, "%s of buffer %u, whose flags do not allow it", what, instr->args[0]);

  return check_index (kernel, instr->args[1], "an index", error);
}

static gboolean
check_groups (const AccKernel *kernel,
              GError         **error)
{
  return kernel->group_size > 0 || fail (error, kernel, "an instruction of groups in a kernel that has none");
}

static gboolean
check_atomic (const AccKernel      *kernel,
              const AccKernelInstr *instr,
              GError              **error)
{
  gsize size = acc_element_kind_get_size (instr->kind);
  const AccKernelParam *param;

  if (!check_buffer (kernel, instr, ACC_BUFFER_WRITE, "atomic", error))
    return FALSE;

  param = acc_kernel_buffer (kernel, instr->args[0]);
  if (!(instr->args[0] & ACC_KERNEL_SHARED) && !(param->flags & ACC_BUFFER_COHERENT))
    return fail (error, kernel, "atomic on buffer %u, which is not coherent", instr->args[0]);
  for (guint i = 2; i < instr->n_args; i++)
    if (acc_kernel_instr (kernel, instr->args[i])->kind != instr->kind || param->kind != instr->kind)
      return fail (error, kernel, "atomic of %s on a buffer of %s", code_of (kernel, instr->args[i]),
                   acc_element_kind_get_code (param->kind));

  if (instr->op == ACC_KOP_CAS)
    return TRUE;
  if (instr->bits > KB_ATOMIC_EXCHANGE || size < 4
      || (instr->bits != KB_ATOMIC_EXCHANGE && instr->bits != KB_ATOMIC_ADD && acc_element_kind_is_float (instr->kind)))
    return fail (error, kernel, "no such atomic of %s", acc_element_kind_get_code (instr->kind));

  return TRUE;
}

static AccElementKind
kind_of (const AccKernel      *kernel,
         const AccKernelInstr *instr,
         guint                 i)
{
  return acc_kernel_instr (kernel, instr->args[i])->kind;
}

static gboolean
check_operands (const AccKernel      *kernel,
                const AccKernelInstr *instr,
                GError              **error)
{
  for (guint i = _acc_kernel_first_id (instr); i < instr->n_args; i++)
    if (i == 0 && (instr->op == ACC_KOP_GET || instr->op == ACC_KOP_SET))
      {
        if (instr->args[0] == 0 || instr->args[0] >= kernel->instrs->len || acc_kernel_instr (kernel, instr->args[0])->op != ACC_KOP_VAR)
          return fail (error, kernel, "get or set of what is no variable");
      }
    else if (!_acc_kernel_is_value (kernel, instr->args[i]))
      return fail (error, kernel, "operand %u of an instruction is no value", i);

  return TRUE;
}

/* Of those without effects all but primitives and casts */
static gboolean
check_pure (const AccKernel      *kernel,
            const AccKernelInstr *instr,
            GError              **error)
{
  AccElementKind kind = instr->kind, first = kind_of (kernel, instr, 0);
  const char *code = acc_element_kind_get_code (first);

  if (instr->op == ACC_KOP_BITCAST)
    return acc_element_kind_get_size (first) == acc_element_kind_get_size (kind) ||
           fail (error, kernel, "bitcast from %s to %s", code, acc_element_kind_get_code (kind));
  if (instr->op == ACC_KOP_SELECT)
    return (first == ACC_KIND_BOOL && kind_of (kernel, instr, 1) == kind && kind_of (kernel, instr, 2) == kind) ||
           fail (error, kernel, "select of %s, %s, %s", code, code_of (kernel, instr->args[1]), code_of (kernel, instr->args[2]));
  if (instr->op == ACC_KOP_FMA)
    return ((kind == ACC_KIND_F32 || kind == ACC_KIND_F64) && first == kind && kind_of (kernel, instr, 1) == kind &&
            kind_of (kernel, instr, 2) == kind) ||
           fail (error, kernel, "fma of %s, %s, %s", code, code_of (kernel, instr->args[1]), code_of (kernel, instr->args[2]));
  if (instr->op == ACC_KOP_ESTIMATE)
    return ((kind == ACC_KIND_F32 && first == ACC_KIND_F32 &&
             (instr->primitive == ACC_PRIM_RECIP || instr->primitive == ACC_PRIM_SQRT || instr->primitive == ACC_PRIM_EXP)) ||
            fail (error, kernel, "estimate of %s", code)) && check_groups (kernel, error);
  if (instr->op == ACC_KOP_EXTEND)
    return ((kind == ACC_KIND_I32 || kind == ACC_KIND_U32) && first == kind && (instr->bits == 8 || instr->bits == 16)) ||
           fail (error, kernel, "%u bits of %s extended", (guint) instr->bits, code);
  if (instr->op == ACC_KOP_OPAQUE)
    return (acc_element_kind_is_float (kind) && first == kind) || fail (error, kernel, "%s made opaque", code);

  return check_index (kernel, instr->args[0], "the dividend of an index", error) &&
         check_index (kernel, instr->args[1], "the divisor of an index", error);
}

static gboolean
check_store (const AccKernel      *kernel,
             const AccKernelInstr *instr,
             GError              **error)
{
  AccElementKind kind;

  if (instr->op == ACC_KOP_PACK)
    {
      if (kind_of (kernel, instr, 3) != ACC_KIND_BOOL)
        return fail (error, kernel, "what stays is no truth value but %s", code_of (kernel, instr->args[3]));
      if (!check_index (kernel, instr->args[4], "the end of what is packed", error))
        return FALSE;
    }
  if (!check_buffer (kernel, instr, ACC_BUFFER_WRITE, "store", error))
    return FALSE;
  kind = acc_kernel_buffer (kernel, instr->args[0])->kind;

  return kind_of (kernel, instr, 2) == kind || fail (error, kernel, "store of %s into buffer %u of %s", code_of (kernel, instr->args[2]),
                                                     instr->args[0], acc_element_kind_get_code (kind));
}

/* Kinds and counts of one instruction whose operands exist. */
gboolean
_acc_kernel_check_instr (const AccKernel      *kernel,
                         const AccKernelInstr *instr,
                         GError              **error)
{
  if (!check_operands (kernel, instr, error))
    return FALSE;
  if (instr->kind >= ACC_KIND_TUPLE)
    return fail (error, kernel, "a value that is no scalar");

  switch (instr->op)
    {
    case ACC_KOP_CONST:
    case ACC_KOP_CAST:
    case ACC_KOP_VAR:
    case ACC_KOP_GET:
    case ACC_KOP_WHILE:
      return TRUE;
    case ACC_KOP_PARAM:
      return (instr->args[0] < kernel->params->len && !acc_kernel_param (kernel, instr->args[0])->is_buffer) ||
             fail (error, kernel, "parameter %u is no scalar", instr->args[0]);
    case ACC_KOP_RANGE:
      return instr->args[0] <= (kernel->group_size > 0 ? 3 : 4) || fail (error, kernel, "no such part of the range");
    case ACC_KOP_LOCAL:
    case ACC_KOP_BARRIER:
    case ACC_KOP_SUBGROUP_BARRIER:
    case ACC_KOP_FENCE:
      return check_groups (kernel, error);
    case ACC_KOP_SHUFFLE:
      return (kind_of (kernel, instr, 0) == instr->kind && instr->bits >> 32 <= KB_SHUFFLE_LAST && (guint32) instr->bits < 64) ||
             fail (error, kernel, "no such shuffle");
    case ACC_KOP_BALLOT:
      return (kind_of (kernel, instr, 0) == ACC_KIND_BOOL && instr->kind == ACC_KIND_U32) ||
             fail (error, kernel, "a ballot over something else than a truth value");
    case ACC_KOP_ATOMIC:
    case ACC_KOP_CAS:
      return check_groups (kernel, error) && check_atomic (kernel, instr, error);
    case ACC_KOP_PRIM:
      return check_prim (kernel, instr, error);
    case ACC_KOP_BITCAST:
    case ACC_KOP_SELECT:
    case ACC_KOP_FMA:
    case ACC_KOP_ESTIMATE:
    case ACC_KOP_EXTEND:
    case ACC_KOP_OPAQUE:
    case ACC_KOP_UDIV:
    case ACC_KOP_UREM:
      return check_pure (kernel, instr, error);
    case ACC_KOP_LOAD:
      return check_buffer (kernel, instr, ACC_BUFFER_READ, "load", error);
    case ACC_KOP_PREFETCH:
      return check_buffer (kernel, instr, ACC_BUFFER_READ, "prefetch", error);
    case ACC_KOP_PACK:
    case ACC_KOP_STORE:
      return check_store (kernel, instr, error);
    case ACC_KOP_SET:
      return kind_of (kernel, instr, 0) == kind_of (kernel, instr, 1) ||
             fail (error, kernel, "set of a variable of %s to %s", code_of (kernel, instr->args[0]), code_of (kernel, instr->args[1]));
    case ACC_KOP_CHECK:
      return (kind_of (kernel, instr, 0) == ACC_KIND_BOOL || fail (error, kernel, "check of %s", code_of (kernel, instr->args[0]))) &&
             check_index (kernel, instr->args[1], "the index of a check", error) &&
             check_index (kernel, instr->args[2], "the extent of a check", error);
    case ACC_KOP_FOREACH:
    case ACC_KOP_FOR:
      return (instr->op == ACC_KOP_FOR || kernel->group_size == 0 || fail (error, kernel, "foreach in a kernel for groups of threads")) &&
             check_index (kernel, instr->args[0], "the begin of a loop", error) &&
             check_index (kernel, instr->args[1], "the end of a loop", error);
    case ACC_KOP_IF:
    case ACC_KOP_UNTIL:
      return kind_of (kernel, instr, 0) == ACC_KIND_BOOL || fail (error, kernel, "a condition of %s", code_of (kernel, instr->args[0]));
    case ACC_KOP_NONE:
    default:
      return fail (error, kernel, "no such instruction");
    }
}

typedef struct {
  const AccKernel *kernel;
  guint8          *seen;          /* per instruction: in scope now */
  guint32         *foreach_of;    /* per instruction: the innermost foreach around it, or 0 */
  guint32          foreach;
} Verify;

/* @parent: the instruction that the block belongs to. */
static gboolean
is_in_lock_step (const Verify *v,
                 guint32       parent)
{
  return parent != 0 && parent == v->foreach && v->foreach_of[parent] == 0 && _acc_kernel_is_lock_step (v->kernel, parent);
}

/* Where threads of a subgroup, or lanes, meet. */
static gboolean
check_meeting (const Verify         *v,
               const AccKernelInstr *instr,
               guint32               parent,
               GError              **error)
{
  KShuffle how = instr->bits >> 32;

  if (v->kernel->group_size > 0)
    {
      if (instr->op == ACC_KOP_PACK)
        return fail (error, v->kernel, "threads that pack what they store");
      return instr->op == ACC_KOP_BALLOT || how != KB_SHUFFLE_LAST || fail (error, v->kernel, "no such shuffle of threads");
    }
  if (instr->op == ACC_KOP_SHUFFLE && how != KB_SHUFFLE_LAST && how != KB_SHUFFLE_UP)
    return fail (error, v->kernel, "no such shuffle of lanes");
  if (!is_in_lock_step (v, parent))
    return fail (error, v->kernel, "lanes meet that are not in lock step");
  if (instr->op != ACC_KOP_SHUFFLE && acc_kernel_instr (v->kernel, parent)->bits > 32)
    return fail (error, v->kernel, "more lanes than a ballot has bits");

  return TRUE;
}

/* In a foreach, the values of the foreach dominate, and for uniform values, which the last argument tells, those around it. */
static gboolean
may_set (const Verify         *v,
         const AccKernelInstr *instr)
{
  const AccKernelInstr *value = acc_kernel_instr (v->kernel, instr->args[1]);

  if (v->foreach_of[instr->args[0]] == v->foreach)
    return TRUE;

  return v->foreach_of[instr->args[0]] == 0 && value->op == ACC_KOP_SHUFFLE && value->bits >> 32 == KB_SHUFFLE_LAST
         && value->block == instr->block;
}

/* Emitters for groups have no text for others: see acc-kernel-legalise.c. */
static gboolean
is_legal (const AccKernel      *kernel,
          const AccKernelInstr *instr)
{
  AccElementKind kind;

  if (kernel->group_size == 0 || instr->op != ACC_KOP_PRIM)
    return TRUE;
  kind = acc_kernel_instr (kernel, instr->args[0])->kind;

  return kind == ACC_KIND_BOOL || acc_element_kind_is_float (kind) || acc_element_kind_get_size (kind) >= 4;
}

static gboolean verify_block (Verify *v, guint32 block, guint32 parent, GError **error);

static gboolean
verify_scope (const Verify *v,
              guint32       id,
              GError      **error)
{
  const AccKernel *kernel = v->kernel;
  const AccKernelInstr *instr = acc_kernel_instr (kernel, id);

  for (guint i = _acc_kernel_first_id (instr); i < instr->n_args; i++)
    {
      guint32 arg = instr->args[i];

      if (arg == 0 || arg >= kernel->instrs->len ||
          (!v->seen[arg] && !_acc_kernel_op_in_no_block (acc_kernel_instr (kernel, arg)->op)))
        {
          g_autofree char *text = _acc_kernel_print_instr (kernel, id);

          return fail (error, kernel, "“%s” uses what is not in scope", text);
        }
    }

  return TRUE;
}

/* The blocks of an instruction. */
static gboolean
verify_inner (Verify  *v,
              guint32  id,
              GError **error)
{
  const AccKernelInstr *instr = acc_kernel_instr (v->kernel, id);
  guint32 outer = v->foreach;

  if (instr->op == ACC_KOP_FOREACH)
    v->foreach = id;
  v->seen[id] = instr->op != ACC_KOP_IF && instr->op != ACC_KOP_WHILE;
  if (!verify_block (v, instr->blocks[0], id, error))
    return FALSE;
  if (instr->op == ACC_KOP_IF && instr->blocks[1] != 0 && !verify_block (v, instr->blocks[1], id, error))
    return FALSE;
  v->seen[id] = 0;
  v->foreach = outer;

  return TRUE;
}

/* An instruction of the block of @parent. */
static gboolean
verify_instr (Verify  *v,
              guint32  id,
              guint32  parent,
              GError **error)
{
  const AccKernel *kernel = v->kernel;
  const AccKernelInstr *instr = acc_kernel_instr (kernel, id);

  if (!verify_scope (v, id, error))
    return FALSE;
  if (!is_legal (kernel, instr))
    return fail (error, kernel, "%s of integers of fewer than 32 bits, by groups", acc_primitive_get_info (instr->primitive)->name);
  if (!_acc_kernel_check_instr (kernel, instr, error))
    return FALSE;
  if (_acc_kernel_op_meets (instr->op) && !check_meeting (v, instr, parent, error))
    return FALSE;
  if (instr->op == ACC_KOP_SET && !may_set (v, instr))
    return fail (error, kernel, "variable %%%u is made outside foreach and set inside it", instr->args[0]);

  v->foreach_of[id] = v->foreach;
  if (instr->op >= ACC_KOP_FOR && instr->op <= ACC_KOP_WHILE)
    return verify_inner (v, id, error);
  if (instr->blocks[0] != 0 || instr->blocks[1] != 0)
    return fail (error, kernel, "instruction %%%u has a block", id);
  v->seen[id] = 1;

  return TRUE;
}

static gboolean
verify_block (Verify  *v,
              guint32  block,
              guint32  parent,
              GError **error)
{
  const AccKernel *kernel = v->kernel;
  const AccKernelBlock *b;
  guint n_untils = 0;
  gboolean is_while = parent != 0 && acc_kernel_instr (kernel, parent)->op == ACC_KOP_WHILE;

  if (block == 0 || block >= kernel->blocks->len)
    return fail (error, kernel, "a block is missing");

  b = acc_kernel_block (kernel, block);
  if (b->parent != parent)
    return fail (error, kernel, "a block is in two places");

  for (guint i = 0; i < b->items->len; i++)
    {
      guint32 id = g_array_index (b->items, guint32, i);
      const AccKernelInstr *instr;

      if (id == 0 || id >= kernel->instrs->len)
        return fail (error, kernel, "an instruction is missing");
      instr = acc_kernel_instr (kernel, id);
      if (instr->block != block || v->seen[id])
        return fail (error, kernel, "instruction %%%u is in two places", id);
      if (instr->op == ACC_KOP_UNTIL && !is_while)
        return fail (error, kernel, "until is not at the top level of a while");
      if (instr->op == ACC_KOP_UNTIL && ++n_untils > 1)
        return fail (error, kernel, "a while has several untils");
      if (!verify_instr (v, id, parent, error))
        return FALSE;
    }
  if (is_while && n_untils == 0)
    return fail (error, kernel, "a while has no until");

  for (guint i = 0; i < b->items->len; i++)
    v->seen[g_array_index (b->items, guint32, i)] = 0;

  return TRUE;
}

gboolean
acc_kernel_verify (AccKernel *self,
                   GError   **error)
{
  g_autofree guint8 *seen = NULL;
  g_autofree guint32 *foreach_of = NULL;
  Verify v;

  g_return_val_if_fail (self != NULL, FALSE);

  seen = g_new0 (guint8, self->instrs->len);
  foreach_of = g_new0 (guint32, self->instrs->len);
  v = (Verify) { .kernel = self, .seen = seen, .foreach_of = foreach_of };

  if (self->shared->len > 0 && !check_groups (self, error))
    return FALSE;

  for (guint i = 0; i < self->params->len; i++)
    if (acc_kernel_param (self, i)->kind >= ACC_KIND_TUPLE)
      return fail (error, self, "parameter %u is no scalar", i);

  for (guint32 i = 1; i < self->instrs->len; i++)
    {
      const AccKernelInstr *instr = acc_kernel_instr (self, i);

      if (_acc_kernel_op_in_no_block (instr->op) && !_acc_kernel_check_instr (self, instr, error))
        return FALSE;
    }

  return verify_block (&v, ACC_KERNEL_BODY, 0, error);
}
