/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "acc-emit-c-private.h"

/* Instructions without effects. */

/* Instructions of kind i64 that are computed in 32 bits, or have such operands; NULL: none. */
static char *
write_narrow (CWriter              *w,
              guint32               id,
              const AccKernelInstr *instr)
{
  guint first = instr->op == ACC_KOP_SELECT ? 1 : 0, last = instr->n_args - 1;
  AccElementKind from = acc_kernel_instr (w->kernel, instr->args[first])->kind;
  gboolean is_narrow = c_has_width (w, id, C_NARROW);
  g_autofree char *x = NULL, *y = NULL, *condition = NULL;

  if (instr->op == ACC_KOP_CAST && is_narrow)
    {
      x = c_value (w, instr->args[0]);
      return c_convert (w, from, ACC_KIND_I32, x);
    }
  if (from != ACC_KIND_I64)
    return NULL;
  if (!is_narrow)
    {
      gboolean compares = instr->op == ACC_KOP_PRIM && instr->kind == ACC_KIND_BOOL;

      if (!compares && instr->op != ACC_KOP_CAST)
        return NULL;
      for (guint i = first; i <= last; i++)
        if (!c_has_width (w, instr->args[i], C_SMALL))
          return NULL;
    }

  x = c_low (w, instr->args[first]);
  y = c_low (w, instr->args[last]);
  if (instr->op == ACC_KOP_CAST)
    return c_convert (w, ACC_KIND_I32, instr->kind, x);
  if (instr->op == ACC_KOP_SELECT)
    {
      condition = c_value (w, instr->args[0]);
      return g_strdup_printf ("%s ? %s : %s", condition, x, y);
    }
  if (instr->op != ACC_KOP_PRIM)
    return c_narrow_division (x, y, acc_kernel_instr (w->kernel, instr->args[1]), instr->op == ACC_KOP_UREM);
  /* Signed where nothing overflows: compilers make more of that. */
  if (c_has_width (w, id, C_SMALL) && c_has_width (w, instr->args[first], C_SMALL) && c_has_width (w, instr->args[last], C_SMALL)
      && (instr->primitive == ACC_PRIM_ADD || instr->primitive == ACC_PRIM_SUB || instr->primitive == ACC_PRIM_MUL))
    return g_strdup_printf ("%s %c %s", x, instr->primitive == ACC_PRIM_ADD ? '+' : instr->primitive == ACC_PRIM_SUB ? '-' : '*', y);

  return c_primitive (w, instr->primitive, ACC_KIND_I32, x, y, acc_kernel_instr (w->kernel, instr->args[last]));
}

void
c_write_pure (CWriter              *w,
              guint32               id,
              const AccKernelInstr *instr)
{
  AccElementKind from = acc_kernel_instr (w->kernel, instr->args[0])->kind;
  g_autofree char *x = c_value (w, instr->args[0]);
  g_autofree char *y = instr->n_args > 1 ? c_value (w, instr->args[1]) : NULL;
  g_autofree char *z = instr->n_args > 2 ? c_value (w, instr->args[2]) : NULL;
  const AccKernelInstr *second = instr->n_args > 1 ? acc_kernel_instr (w->kernel, instr->args[1]) : NULL;
  g_autofree char *result = w->widths != NULL ? write_narrow (w, id, instr) : NULL;
  guint32 root;

  if (result != NULL)
    {
      c_assign (w, id, result);
      return;
    }
  if (instr->op == ACC_KOP_PRIM && !w->dialect->guards_zeros && _acc_kernel_is_inverse_root (w->kernel, id, &root))
    {
      g_autofree char *of = c_value (w, root);

      result = g_strdup_printf ("%s (%s)", w->syntax->inverse_root, of);
    }
  else if (instr->op == ACC_KOP_PRIM)
    {
      result = c_limit (w, instr, x, y);
      if (result == NULL)
        result = c_primitive (w, instr->primitive, from, x, y, second);
    }
  else if (instr->op == ACC_KOP_CAST)
    result = c_convert (w, from, instr->kind, x);
  else if (instr->op == ACC_KOP_BITCAST)
    result = c_bitcast (from, instr->kind, x);
  else if (instr->op == ACC_KOP_SELECT)
    result = g_strdup_printf ("%s ? %s : %s", x, y, z);
  else if (instr->op == ACC_KOP_FMA)
    result = c_fma (w, instr->kind, x, y, z);
  else if (instr->op == ACC_KOP_ESTIMATE)
    result = w->syntax->estimate (w, instr->primitive, x);
  else if (instr->op == ACC_KOP_OPAQUE)
    result = w->syntax->opaque != NULL ? w->syntax->opaque (w, instr->kind, x) : g_strdup (x);
  else if (instr->op == ACC_KOP_EXTEND)
    result = c_extension (w, instr->kind, instr->bits, x);
  else
    result = c_index_division (w, x, y, second, instr->op == ACC_KOP_UREM);
  if (result != NULL)
    c_assign (w, id, result);
}
