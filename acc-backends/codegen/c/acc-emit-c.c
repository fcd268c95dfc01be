/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "acc-emit-c-private.h"

#include "acc-error.h"

/* Statements: blocks, branches and loops, and what threads of a group do together. */

static void
write_shuffle (CWriter              *w,
               guint32               id,
               const AccKernelInstr *instr,
               const char           *x)
{
  KShuffle how = instr->bits >> 32;
  guint delta = instr->bits & G_MAXUINT32;
  g_autofree char *bits = c_to_bits (instr->kind, x);
  g_autofree char *part = g_strdup_printf ("b%u", id);
  g_autofree char *low_name = g_strdup_printf ("U32 (%s)", part), *high_name = g_strdup_printf ("U32 (%s >> 32)", part);
  g_autofree char *low = NULL, *high = NULL, *all = NULL, *result = NULL;

  c_line (w, "%s %s = %s;", c_is_long (instr->kind) ? "u64" : "u32", part, bits);
  if (c_is_long (instr->kind))
    {
      low = w->syntax->shuffle (w, how, low_name, delta);
      high = w->syntax->shuffle (w, how, high_name, delta);
      all = g_strdup_printf ("(U64 (%s) | U64 (%s) << 32)", low, high);
    }
  else
    all = w->syntax->shuffle (w, how, part, delta);
  result = c_from_bits (instr->kind, all);
  c_assign (w, id, result);
}

static void
write_ballot (CWriter    *w,
              guint32     id,
              const char *x)
{
  g_autofree char *text = w->syntax->ballot (w, x);

  c_assign (w, id, text);
}

static void
write_fail (CWriter              *w,
            const AccKernelInstr *instr)
{
  g_autofree char *index = c_value (w, instr->args[1]), *extent = c_value (w, instr->args[2]);

  c_line (w, "  FAIL (%uu, %uu, %s, %s);", (guint) (instr->bits & G_MAXUINT32), (guint) (instr->bits >> 32), index, extent);
}

static void
write_check (CWriter              *w,
             const AccKernelInstr *instr)
{
  g_autofree char *ok = c_value (w, instr->args[0]);

  c_line (w, "if (!(%s))", ok);
  write_fail (w, instr);
}

/* The check at item @i of a block, if all that follows depends on its condition: one branch for both. */
static const AccKernelInstr *
get_check_of_branch (CWriter *w,
                     GArray  *items,
                     guint    i)
{
  const AccKernelInstr *check, *branch;

  if (i + 1 >= items->len)
    return NULL;
  check = acc_kernel_instr (w->kernel, g_array_index (items, guint32, i));
  branch = acc_kernel_instr (w->kernel, g_array_index (items, guint32, i + 1));

  return check->op == ACC_KOP_CHECK && branch->op == ACC_KOP_IF && branch->args[0] == check->args[0] && branch->blocks[1] == 0
         ? check : NULL;
}

static void write_block (CWriter *w, guint32 block);

static void
write_for (CWriter              *w,
           guint32               id,
           const AccKernelInstr *instr)
{
  gboolean narrow = c_has_width (w, id, C_NARROW);
  g_autofree char *begin = narrow ? c_low (w, instr->args[0]) : c_value (w, instr->args[0]);
  g_autofree char *end = narrow ? c_low (w, instr->args[1]) : c_value (w, instr->args[1]);
  const char *type = narrow ? "i32" : "i64";

  if (!w->dialect->leaves_loops)
    {
      c_line (w, "for (%s v%u = %s; v%u < %s; v%u++)", type, id, begin, id, end, id);
    }
  else
    {
      c_line (w, "%s v%u = %s;", type, id, begin);
      c_line (w, "for (; v%u < %s; v%u++)", id, end, id);
    }
  c_open (w);
  write_block (w, acc_kernel_instr (w->kernel, id)->blocks[0]);
  c_close (w);
  if (w->dialect->leaves_loops)
    c_line (w, "left = left || v%u < %s;", id, end);
}

static void
write_while (CWriter *w,
             guint32  id)
{
  if (w->dialect->leaves_loops)
    c_line (w, "bool ended%u = false;", id);
  c_line (w, "while (true)");
  c_open (w);
  w->n_whiles++;
  write_block (w, acc_kernel_instr (w->kernel, id)->blocks[0]);
  w->n_whiles--;
  c_close (w);
  if (w->dialect->leaves_loops)
    c_line (w, "left = left || !ended%u;", id);
}

/* Item @i of a block */
static void
write_if (CWriter *w,
          GArray  *items,
          guint    i)
{
  const AccKernelInstr *instr = acc_kernel_instr (w->kernel, g_array_index (items, guint32, i)), *check;
  g_autofree char *condition = c_value (w, instr->args[0]);

  c_line (w, "if (%s)", condition);
  c_open (w);
  write_block (w, instr->blocks[0]);
  c_close (w);
  if (instr->blocks[1] != 0)
    {
      c_line (w, "else");
      c_open (w);
      write_block (w, instr->blocks[1]);
      c_close (w);
    }
  else if (i > 0 && (check = get_check_of_branch (w, items, i - 1)) != NULL)
    {
      c_line (w, "else");
      write_fail (w, check);
    }
}

static void
write_until (CWriter    *w,
             guint32     id,
             const char *condition)
{
  c_line (w, "if (%s)", condition);
  c_open (w);
  if (w->dialect->leaves_loops)
    c_line (w, "ended%u = true;", _acc_kernel_get_parent (w->kernel, id));
  c_line (w, "break;");
  c_close (w);
}

/* Item @i of a block */
static void
write_instr (CWriter *w,
             GArray  *items,
             guint    i)
{
  guint32 id = g_array_index (items, guint32, i);
  const AccKernelInstr *instr = acc_kernel_instr (w->kernel, id);
  g_autofree char *x = instr->n_args > 0 && _acc_kernel_first_id (instr) == 0 ? c_value (w, instr->args[0]) : NULL;
  g_autofree char *y = instr->n_args > 1 ? c_value (w, instr->args[1]) : NULL;

  switch (instr->op)
    {
    case ACC_KOP_LOAD:
    case ACC_KOP_STORE:
    case ACC_KOP_ATOMIC:
    case ACC_KOP_CAS:
      c_write_memory (w, id, instr);
      return;
    case ACC_KOP_PREFETCH:
      return;
    case ACC_KOP_VAR:
      c_line (w, "%s%s x%u = %s;", acc_element_kind_is_float (instr->kind) && instr->kind != ACC_KIND_F16 ? "EXACT " : "",
              c_type (instr->kind), id, x);
      return;
    case ACC_KOP_GET:
      c_assign (w, id, x);
      return;
    case ACC_KOP_SET:
      c_line (w, "%s = %s;", x, y);
      return;
    case ACC_KOP_CHECK:
      if (get_check_of_branch (w, items, i) == NULL)
        write_check (w, instr);
      return;
    case ACC_KOP_BARRIER:
      w->syntax->barrier (w, w->flushes != NULL && w->flushes[id]);
      return;
    case ACC_KOP_SUBGROUP_BARRIER:
      w->syntax->subgroup_barrier (w);
      return;
    case ACC_KOP_FENCE:
      w->syntax->fence (w);
      return;
    case ACC_KOP_SHUFFLE:
      write_shuffle (w, id, instr, x);
      return;
    case ACC_KOP_BALLOT:
      write_ballot (w, id, x);
      return;
    case ACC_KOP_FOR:
      write_for (w, id, instr);
      return;
    case ACC_KOP_IF:
      write_if (w, items, i);
      return;
    case ACC_KOP_WHILE:
      write_while (w, id);
      return;
    case ACC_KOP_UNTIL:
      write_until (w, id, x);
      return;
    case ACC_KOP_PRIM:
    case ACC_KOP_CAST:
    case ACC_KOP_BITCAST:
    case ACC_KOP_SELECT:
    case ACC_KOP_FMA:
    case ACC_KOP_ESTIMATE:
    case ACC_KOP_EXTEND:
    case ACC_KOP_OPAQUE:
    case ACC_KOP_UDIV:
    case ACC_KOP_UREM:
      c_write_pure (w, id, instr);
      return;
    case ACC_KOP_NONE:
    case ACC_KOP_CONST:
    case ACC_KOP_PARAM:
    case ACC_KOP_RANGE:
    case ACC_KOP_LOCAL:
    case ACC_KOP_PACK:
    case ACC_KOP_FOREACH:
    default:
      c_fail (w, "instruction %u is not for groups of threads", id);
    }
}

static void
write_block (CWriter *w,
             guint32  block)
{
  GArray *items = acc_kernel_block (w->kernel, block)->items;

  for (guint i = 0; i < items->len && w->error == NULL; i++)
    write_instr (w, items, i);
}

/* The bounds of the group's tile. WORD (n): the n-th of the launch's eight numbers. */
static void
write_range (CWriter *w)
{
  static const char *const names[] = { "outer", "inner" };

  for (guint d = 0; d < 2; d++)
    {
      const char *name = names[d];

      c_line (w, "i64 %s_first = WORD (%u) + I64 (%s) * WORD (%u);", name, 4 * d + 3, d == 0 ? "GROUP_Y" : "GROUP_X", 4 * d + 2);
      c_line (w, "i64 %s_begin = %s_first > WORD (%u) ? %s_first : WORD (%u);", name, name, 4 * d, name, 4 * d);
      c_line (w, "i64 %s_end = WORD (%u) - %s_first < WORD (%u) ? WORD (%u) : %s_first + WORD (%u);", name, 4 * d + 1, name,
              4 * d + 2, 4 * d + 1, name, 4 * d + 2);
    }
}

/* Parameters, the tile's bounds and the thread, which are the same everywhere. */
static void
write_constants (CWriter *w)
{
  static const char *const range_names[] = { "outer_begin", "outer_end", "inner_begin", "inner_end" };
  const AccKernel *kernel = w->kernel;

  for (guint32 i = 1; i < kernel->instrs->len; i++)
    {
      const AccKernelInstr *instr = acc_kernel_instr (kernel, i);

      if (instr->op == ACC_KOP_PARAM)
        {
          gboolean narrow = c_has_width (w, i, C_NARROW);
          g_autofree char *word = g_strdup_printf (c_is_long (instr->kind) && !narrow ? "SLOT (%u)" : "U32 (SLOT (%u))", instr->args[0]);
          g_autofree char *value = c_from_bits (narrow ? ACC_KIND_I32 : instr->kind, word);

          c_assign (w, i, value);
        }
      else if (instr->op == ACC_KOP_RANGE)
        {
          g_autofree char *bound = g_strdup_printf (c_has_width (w, i, C_NARROW) ? "I32 (%s)" : "%s", range_names[instr->args[0]]);

          c_assign (w, i, bound);
        }
      else if (instr->op == ACC_KOP_LOCAL)
        c_assign (w, i, c_has_width (w, i, C_NARROW) ? "I32 (LOCAL_ID)" : "I64 (LOCAL_ID)");
    }
}

static void
write_kernel (CWriter *w)
{
  write_range (w);
  write_constants (w);
  /* A device that leaves long loops early must not go on as if they had ended. */
  if (w->dialect->leaves_loops)
    c_line (w, "bool left = false;");
  write_block (w, ACC_KERNEL_BODY);
  if (w->dialect->leaves_loops)
    {
      c_line (w, "if (left)");
      c_line (w, "  FAIL (%uu, 0xffffffffu, I64 (0), I64 (0));", (guint) ACC_ERROR_UNSUPPORTED);
    }
}

gboolean
c_write_body (CWriter *w,
              GError **error)
{
  if (w->kernel->group_size > 0)
    write_kernel (w);
  else
    c_fail (w, "it is not for groups of threads");
  if (w->error == NULL)
    return TRUE;
  g_propagate_error (error, g_steal_pointer (&w->error));

  return FALSE;
}
