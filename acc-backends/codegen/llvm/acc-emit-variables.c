/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "acc-emit-private.h"

#define B (e->builder)

/* Variables, on the stack. */

static LLVMTypeRef
scalar_type (Emitter *e,
             guint32  var)
{
  return emit_type (e, acc_kernel_instr (e->kernel, var)->kind);
}

static LLVMTypeRef
variable_type (Emitter *e,
               guint32  var)
{
  LLVMTypeRef type = scalar_type (e, var);

  return e->facts[var].shape == SHAPE_VARYING ? emit_wide_type (type, e->lanes) : type;
}

/* Held by all lanes in common in a loop that they leave one by one */
static gboolean
is_common (Emitter *e,
           guint32  var)
{
  return e->facts[var].common != 0 && e->facts[var].shape == SHAPE_VARYING;
}

Value
emit_get (Emitter *e,
          guint32  id)
{
  guint32 var = acc_kernel_instr (e->kernel, id)->args[0];

  if (is_common (e, var) && e->facts[id].shape == SHAPE_UNIFORM)
    return (Value) { .v = LLVMBuildLoad2 (B, scalar_type (e, var), e->values[var].v, ""), .shape = SHAPE_UNIFORM };

  return (Value) {
    .v = LLVMBuildLoad2 (B, variable_type (e, var), e->variables[var], ""),
    .shape = e->facts[var].shape,
    .stride = e->facts[var].stride,
  };
}

/* A count that all remaining lanes have in common is kept in the lanes of one register as well as in a scalar: masked moves from the
 * register are faster than broadcasts of the scalar. Returns how many lanes that register has; 0: @var is no such count. */
static guint
lanes_of_count (Emitter *e,
                guint32  var)
{
  AccElementKind kind = acc_kernel_instr (e->kernel, var)->kind;

  if (!is_common (e, var) || e->facts[var].read_in == e->facts[var].common || !acc_element_kind_is_integer (kind) ||
      kind == ACC_KIND_BOOL)
    return 0;

  return MIN (e->lanes, e->target->register_bytes / acc_element_kind_get_size (kind));
}

static gboolean
is_get (Emitter *e,
        guint32  id,
        guint32  var)
{
  const AccKernelInstr *instr = acc_kernel_instr (e->kernel, id);

  return instr->op == ACC_KOP_GET && instr->args[0] == var;
}

/* The new value of @var as a vector, if it is itself and something uniform; else NULL. */
static LLVMValueRef
count_on (Emitter *e,
          guint32  var,
          guint32  value)
{
  const AccKernelInstr *instr = acc_kernel_instr (e->kernel, value);
  guint n = lanes_of_count (e, var), by;
  g_autofree int *places = NULL;
  LLVMValueRef count;

  if (n == 0 || instr->op != ACC_KOP_PRIM || instr->primitive != ACC_PRIM_ADD)
    return NULL;
  by = is_get (e, instr->args[0], var) ? 1 : 0;
  if (!is_get (e, instr->args[1 - by], var))
    return NULL;

  count = LLVMBuildLoad2 (B, emit_wide_type (scalar_type (e, var), n), e->values[var].first, "");
  count = LLVMBuildAdd (B, count, emit_splat (e, emit_scalar (e, instr->args[by]), n), "");
  LLVMBuildStore (B, count, e->values[var].first);

  places = g_new (int, e->lanes);
  for (guint i = 0; i < e->lanes; i++)
    places[i] = i % n;

  return emit_shuffle (e, count, NULL, places, e->lanes);
}

/* Whether inactive lanes keep their value of @var. Those that have left the only loop that reads it need not: then the next iteration need
 * not wait for the mask. That gains where an iteration is short; a long one hides the wait, and loses by it. Long integers keep their
 * values, which stay small, since dividing by small ones is faster. */
static gboolean
is_set_under_mask (Emitter *e,
                   guint32  set,
                   guint32  var)
{
  const Fact *fact = &e->facts[var];
  AccElementKind kind = acc_kernel_instr (e->kernel, var)->kind;
  gboolean may_run_on = fact->read_in != 0 && e->facts[fact->read_in].masked && e->mask.depth == fact->depth + 1 &&
                        _acc_kernel_is_inside (e->kernel, set, fact->read_in) && kind != ACC_KIND_I64 && kind != ACC_KIND_U64 &&
                        !emit_is_long (e, acc_kernel_instr (e->kernel, fact->read_in)->blocks[0]);

  return e->mask.v != NULL && e->mask.depth > fact->depth && !may_run_on;
}

void
emit_set (Emitter *e,
          guint32  set)
{
  guint32 var = acc_kernel_instr (e->kernel, set)->args[0], value = acc_kernel_instr (e->kernel, set)->args[1];
  LLVMValueRef place = e->variables[var], x;

  if (is_common (e, var))
    {
      LLVMBuildStore (B, emit_scalar (e, value), e->values[var].v);
      if (e->facts[var].read_in == e->facts[var].common)
        return;
    }
  if (e->facts[var].shape != SHAPE_VARYING)
    {
      LLVMBuildStore (B, emit_scalar (e, value), place);
      return;
    }

  x = count_on (e, var, value);
  x = x != NULL ? x : emit_vector (e, value);
  if (is_set_under_mask (e, set, var))
    x = emit_select (e, e->mask.v, x, LLVMBuildLoad2 (B, variable_type (e, var), place, ""));
  LLVMBuildStore (B, x, place);
}

void
emit_variable (Emitter *e,
               guint32  id)
{
  const AccKernelInstr *instr = acc_kernel_instr (e->kernel, id);
  guint n = lanes_of_count (e, id);

  e->variables[id] = emit_stack (e, variable_type (e, id), 0);
  if (is_common (e, id))
    {
      e->values[id].v = emit_stack (e, scalar_type (e, id), 0);
      LLVMBuildStore (B, emit_scalar (e, instr->args[0]), e->values[id].v);
    }
  if (n > 0)
    {
      e->values[id].first = emit_stack (e, emit_wide_type (scalar_type (e, id), n), 0);
      LLVMBuildStore (B, emit_splat (e, emit_scalar (e, instr->args[0]), n), e->values[id].first);
    }
  if (e->facts[id].shape == SHAPE_VARYING)
    LLVMBuildStore (B, emit_vector (e, instr->args[0]), e->variables[id]);
  else
    LLVMBuildStore (B, emit_scalar (e, instr->args[0]), e->variables[id]);
}
