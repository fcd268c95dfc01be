/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "acc-kernel-private.h"

#include <string.h>

/* Prints kernels as text, for people and for the hash by which compiled code is found. */

static const char *const op_names[] = {
  [ACC_KOP_NONE] = "none",
  [ACC_KOP_CONST] = "const",
  [ACC_KOP_PARAM] = "param",
  [ACC_KOP_RANGE] = "range",
  [ACC_KOP_PRIM] = "prim",
  [ACC_KOP_CAST] = "cast",
  [ACC_KOP_BITCAST] = "bitcast",
  [ACC_KOP_SELECT] = "select",
  [ACC_KOP_FMA] = "fma",
  [ACC_KOP_ESTIMATE] = "estimate",
  [ACC_KOP_EXTEND] = "extend",
  [ACC_KOP_OPAQUE] = "opaque",
  [ACC_KOP_UDIV] = "udiv",
  [ACC_KOP_UREM] = "urem",
  [ACC_KOP_LOAD] = "load",
  [ACC_KOP_STORE] = "store",
  [ACC_KOP_PACK] = "pack",
  [ACC_KOP_PREFETCH] = "prefetch",
  [ACC_KOP_VAR] = "var",
  [ACC_KOP_GET] = "get",
  [ACC_KOP_SET] = "set",
  [ACC_KOP_CHECK] = "check",
  [ACC_KOP_LOCAL] = "local",
  [ACC_KOP_BARRIER] = "barrier",
  [ACC_KOP_SUBGROUP_BARRIER] = "subgroup_barrier",
  [ACC_KOP_FENCE] = "fence",
  [ACC_KOP_SHUFFLE] = "shuffle",
  [ACC_KOP_BALLOT] = "ballot",
  [ACC_KOP_ATOMIC] = "atomic",
  [ACC_KOP_CAS] = "cas",
  [ACC_KOP_FOR] = "for",
  [ACC_KOP_FOREACH] = "foreach",
  [ACC_KOP_IF] = "if",
  [ACC_KOP_WHILE] = "while",
  [ACC_KOP_UNTIL] = "until",
};

static const char *const shuffle_names[] = { "down", "up", "xor", "last" };
static const char *const atomic_names[] = { "add", "min", "max", "and", "or", "xor", "exchange" };
static const char *const range_names[] = { "outer_begin", "outer_end", "inner_begin", "inner_end", "tile" };

static void
append_const (GString              *s,
              const AccKernelInstr *instr)
{
  char text[G_ASCII_DTOSTR_BUF_SIZE];

  if (instr->kind == ACC_KIND_F32)
    {
      guint32 bits = instr->bits;
      float value;

      memcpy (&value, &bits, sizeof value);
      g_string_append_printf (s, "%s [0x%08x]", g_ascii_formatd (text, sizeof text, "%.9g", value), bits);
    }
  else if (instr->kind == ACC_KIND_F64)
    {
      double value;

      memcpy (&value, &instr->bits, sizeof value);
      g_string_append_printf (s, "%s [0x%016" G_GINT64_MODIFIER "x]", g_ascii_dtostr (text, sizeof text, value), instr->bits);
    }
  else if (instr->kind == ACC_KIND_F16)
    g_string_append_printf (s, "[0x%04x]", (guint) instr->bits);
  else if (acc_element_kind_is_signed (instr->kind))
    g_string_append_printf (s, "%" G_GINT64_FORMAT, (gint64) instr->bits);
  else
    g_string_append_printf (s, "%" G_GUINT64_FORMAT, instr->bits);
}

static void
append_arg (GString         *s,
            const AccKernel *kernel,
            guint32          id)
{
  const AccKernelInstr *instr;

  if (id == 0 || id >= kernel->instrs->len)
    {
      g_string_append (s, "%none");
      return;
    }

  instr = acc_kernel_instr (kernel, id);
  if (instr->op == ACC_KOP_CONST)
    {
      append_const (s, instr);
      g_string_append_c (s, ':');
      g_string_append (s, acc_element_kind_get_code (instr->kind));
    }
  else if (instr->op == ACC_KOP_PARAM)
    g_string_append_printf (s, "$%u", instr->args[0]);
  else if (instr->op == ACC_KOP_RANGE)
    g_string_append (s, range_names[instr->args[0]]);
  else if (instr->op == ACC_KOP_LOCAL)
    g_string_append (s, "local");
  else
    g_string_append_printf (s, "%%%u", id);
}

static void
append_buffer (GString *s,
               guint32  number)
{
  g_string_append_printf (s, "%c%u", number & ACC_KERNEL_SHARED ? '#' : '$', number & ~ACC_KERNEL_SHARED);
}

static void
append_instr (GString         *s,
              const AccKernel *kernel,
              guint32          id)
{
  const AccKernelInstr *instr = acc_kernel_instr (kernel, id);

  if (_acc_kernel_is_value (kernel, id) || instr->op == ACC_KOP_VAR)
    g_string_append_printf (s, "%%%u:%s = ", id, acc_element_kind_get_code (instr->kind));

  g_string_append (s, instr->op == ACC_KOP_PRIM ? acc_primitive_get_info (instr->primitive)->name : op_names[instr->op]);

  if (instr->op == ACC_KOP_CONST)
    {
      g_string_append_c (s, ' ');
      append_const (s, instr);
    }
  for (guint i = 0; i < instr->n_args; i++)
    {
      g_string_append (s, i == 0 ? " " : ", ");
      if (i < _acc_kernel_first_id (instr))
        append_buffer (s, instr->args[i]);
      else
        append_arg (s, kernel, instr->args[i]);
    }
  if (instr->op == ACC_KOP_CHECK)
    g_string_append_printf (s, ", kind %u, origin %u", (guint) (instr->bits & G_MAXUINT32), (guint) (instr->bits >> 32));
  if (instr->op == ACC_KOP_ESTIMATE)
    g_string_append_printf (s, ", %s", acc_primitive_get_info (instr->primitive)->name);
  if (instr->op == ACC_KOP_EXTEND)
    g_string_append_printf (s, ", %u", (guint) instr->bits);
  if (instr->op == ACC_KOP_SHUFFLE)
    g_string_append_printf (s, ", %s %u", shuffle_names[instr->bits >> 32], (guint) (instr->bits & G_MAXUINT32));
  if (instr->op == ACC_KOP_ATOMIC)
    g_string_append_printf (s, ", %s", atomic_names[instr->bits]);
  if (instr->op == ACC_KOP_FOREACH && instr->bits != 0)
    g_string_append_printf (s, ", lanes %u", (guint) instr->bits);
  if (instr->op == ACC_KOP_FOR && instr->bits != 0)
    g_string_append (s, ", long");
  if (instr->op == ACC_KOP_IF && instr->bits != 0)
    g_string_append (s, ", seldom");
}

static void
append_block (GString         *s,
              const AccKernel *kernel,
              guint32          block,
              guint            depth)
{
  GArray *items = acc_kernel_block (kernel, block)->items;

  for (guint i = 0; i < items->len; i++)
    {
      guint32 id = g_array_index (items, guint32, i);
      const AccKernelInstr *instr = acc_kernel_instr (kernel, id);

      g_string_append_printf (s, "%*s", (int) depth * 2, "");
      append_instr (s, kernel, id);
      if (instr->blocks[0] != 0)
        {
          g_string_append (s, " {\n");
          append_block (s, kernel, instr->blocks[0], depth + 1);
          if (instr->blocks[1] != 0)
            {
              g_string_append_printf (s, "%*s} else {\n", (int) depth * 2, "");
              append_block (s, kernel, instr->blocks[1], depth + 1);
            }
          g_string_append_printf (s, "%*s}", (int) depth * 2, "");
        }
      g_string_append_c (s, '\n');
    }
}

char *
_acc_kernel_print_instr (const AccKernel *kernel,
                         guint32          id)
{
  GString *s = g_string_new (NULL);

  append_instr (s, kernel, id);

  return g_string_free (s, FALSE);
}

char *
_acc_kernel_print (AccKernel *kernel,
                   gboolean   names)
{
  GString *s = g_string_new ("kernel");

  if (names)
    g_string_append_printf (s, " %s", kernel->name);
  if (kernel->precise)
    g_string_append (s, " precise");
  if (kernel->fast)
    g_string_append (s, " fast");
  if (kernel->group_size > 0)
    g_string_append_printf (s, " groups of %u", kernel->group_size);
  if (kernel->n_resident > 0)
    g_string_append_printf (s, " resident %u", kernel->n_resident);
  g_string_append_c (s, '\n');

  for (guint i = 0; i < kernel->params->len; i++)
    {
      const AccKernelParam *param = acc_kernel_param (kernel, i);

      g_string_append_printf (s, "  $%u:%s", i, acc_element_kind_get_code (param->kind));
      g_string_append (s, param->is_buffer ? " buffer" : " scalar");
      if (param->flags & ACC_BUFFER_READ)
        g_string_append (s, " read");
      if (param->flags & ACC_BUFFER_WRITE)
        g_string_append (s, " write");
      if (param->flags & ACC_BUFFER_ONCE)
        g_string_append (s, " once");
      if (param->flags & ACC_BUFFER_NO_ALIAS)
        g_string_append (s, " no-alias");
      if (param->flags & ACC_BUFFER_COHERENT)
        g_string_append (s, " coherent");
      if (param->n_elements > 0)
        g_string_append_printf (s, " of %u", param->n_elements);
      if (names && param->name != NULL)
        g_string_append_printf (s, " \"%s\"", param->name);
      g_string_append_c (s, '\n');
    }

  for (guint i = 0; i < kernel->shared->len; i++)
    {
      const AccKernelParam *shared = &g_array_index (kernel->shared, AccKernelParam, i);

      g_string_append_printf (s, "  #%u:%s shared %u", i, acc_element_kind_get_code (shared->kind), shared->n_elements);
      if (shared->flags & ACC_BUFFER_WIDE)
        g_string_append (s, " wide");
      if (names && shared->name != NULL)
        g_string_append_printf (s, " \"%s\"", shared->name);
      g_string_append_c (s, '\n');
    }

  g_string_append (s, "{\n");
  append_block (s, kernel, ACC_KERNEL_BODY, 1);
  g_string_append (s, "}\n");

  return g_string_free (s, FALSE);
}
