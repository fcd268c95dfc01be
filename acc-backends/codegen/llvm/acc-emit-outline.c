/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "acc-emit-private.h"

#include <string.h>

#define B (e->builder)

/* Outlines blocks that are rarely executed, long, and nothing but arithmetic, such as the reduction of large angles. A body is emitted
 * several times, and has one such block for each sine and cosine in it; in line they would be most of what is compiled. Blocks that compute
 * the same call one function, which takes a register's worth of lanes at a time. */

#define MAX_INPUTS   8

/* The contents of a block as words: blocks with the same words compute the same. */
typedef struct {
  GArray  *words;               /* guint64 */
  GArray  *sets;                /* guint32: the SETs, whose values are results */
  guint32  inputs[MAX_INPUTS];  /* ids */
  guint    n_inputs;
  guint    size;                /* bytes of the widest lane */
} Form;

typedef struct {
  GArray       *words;
  guint         lanes;
  LLVMTypeRef   type;
  LLVMValueRef  function;
} Outlined;

static void
form_clear (Form *form)
{
  g_array_unref (form->words);
  g_array_unref (form->sets);
}

G_DEFINE_AUTO_CLEANUP_CLEAR_FUNC (Form, form_clear)

static void
outlined_free (gpointer data)
{
  Outlined *outlined = data;

  g_array_unref (outlined->words);
  g_free (outlined);
}

static void
add_word (Form   *form,
          guint64 word)
{
  g_array_append_val (form->words, word);
}

/* Adds an operand: a value of the block by its place there, a constant by its id, any other as an input by the order of first use. Returns
 * FALSE if there are too many inputs, or it is no value. */
static gboolean
add_operand (Emitter      *e,
             Form         *form,
             const GArray *items,
             guint32       block,
             guint32       id)
{
  const AccKernelInstr *instr = acc_kernel_instr (e->kernel, id);
  guint i = 0;

  if (instr->op == ACC_KOP_CONST)
    {
      add_word (form, (guint64) id << 2);
      return TRUE;
    }
  if (instr->block == block)
    {
      while (g_array_index (items, guint32, i) != id)
        i++;
      add_word (form, (guint64) i << 2 | 1);
      return TRUE;
    }

  for (i = 0; i < form->n_inputs && form->inputs[i] != id; i++)
    ;
  if (i == MAX_INPUTS || (_acc_kernel_op_in_no_block (instr->op) && instr->op != ACC_KOP_PARAM))
    return FALSE;
  if (i == form->n_inputs)
    form->inputs[form->n_inputs++] = id;
  add_word (form, (guint64) i << 2 | 2);
  add_word (form, (guint64) instr->kind << 2 | emit_value (e, id).shape);

  return TRUE;
}

static gboolean
describe (Emitter *e,
          guint32  block,
          Form    *form)
{
  const GArray *items = acc_kernel_block (e->kernel, block)->items;

  for (guint i = 0; i < items->len; i++)
    {
      guint32 id = g_array_index (items, guint32, i);
      const AccKernelInstr *instr = acc_kernel_instr (e->kernel, id);
      guint first = instr->op == ACC_KOP_SET ? 1 : 0;

      if (e->facts[id].shape == SHAPE_LINEAR || emit_get_assumption (e, id) != NULL)
        return FALSE;
      add_word (form, (guint64) instr->op << 32 | (guint64) instr->primitive << 16 | (guint64) instr->kind << 8 | instr->n_args);
      add_word (form, instr->bits);
      if (instr->op == ACC_KOP_SET)
        {
          if (e->facts[instr->args[0]].shape == SHAPE_LINEAR)
            return FALSE;
          add_word (form, e->facts[instr->args[0]].shape);
          g_array_append_val (form->sets, id);
        }
      for (guint j = first; j < instr->n_args; j++)
        if (!add_operand (e, form, items, block, instr->args[j]))
          return FALSE;
      if (e->facts[id].shape == SHAPE_VARYING)
        form->size = MAX (form->size, acc_element_kind_get_size (instr->kind));
    }
  for (guint i = 0; i < form->n_inputs; i++)
    if (emit_value (e, form->inputs[i]).shape == SHAPE_LINEAR)
      return FALSE;

  return TRUE;
}

static const Outlined *
find (Emitter    *e,
      const Form *form,
      guint       lanes)
{
  for (guint i = 0; e->outlined != NULL && i < e->outlined->len; i++)
    {
      const Outlined *outlined = e->outlined->pdata[i];

      if (outlined->lanes == lanes && outlined->words->len == form->words->len &&
          memcmp (outlined->words->data, form->words->data, form->words->len * sizeof (guint64)) == 0)
        return outlined;
    }

  return NULL;
}

/* A part of @x where it is a vector. */
static LLVMValueRef
part_of (Emitter     *e,
         LLVMValueRef x,
         guint        first,
         guint        n)
{
  return emit_is_vector (x) && emit_lanes_of (x) > n ? emit_part (e, x, first, n) : x;
}

/* --- the function */

static void
copy_attributes (LLVMValueRef from,
                 LLVMValueRef to)
{
  guint n = LLVMGetAttributeCountAtIndex (from, LLVMAttributeFunctionIndex);
  g_autofree LLVMAttributeRef *attributes = g_new (LLVMAttributeRef, n);

  LLVMGetAttributesAtIndex (from, LLVMAttributeFunctionIndex, attributes);
  for (guint i = 0; i < n; i++)
    LLVMAddAttributeAtIndex (to, LLVMAttributeFunctionIndex, attributes[i]);
}

static const AccKernelInstr *
get_set (Emitter    *e,
         const Form *form,
         guint       i)
{
  return acc_kernel_instr (e->kernel, g_array_index (form->sets, guint32, i));
}

/* A result varies if the variable does that takes it. */
static gboolean
varies (Emitter              *e,
        const AccKernelInstr *set)
{
  return e->facts[set->args[0]].shape == SHAPE_VARYING;
}

/* Returns all results as one aggregate. */
static void
build_return (Emitter    *e,
              const Form *form)
{
  g_autofree LLVMValueRef *results = g_new (LLVMValueRef, form->sets->len + 1);

  for (guint i = 0; i < form->sets->len; i++)
    {
      const AccKernelInstr *set = get_set (e, form, i);

      results[i] = varies (e, set) ? emit_vector (e, set->args[1]) : emit_scalar (e, set->args[1]);
    }
  LLVMBuildAggregateRet (B, results, form->sets->len);
}

static LLVMTypeRef
type_of (Emitter    *e,
         const Form *form,
         guint       lanes)
{
  g_autofree LLVMTypeRef *results = g_new (LLVMTypeRef, form->sets->len + 1);
  LLVMTypeRef inputs[MAX_INPUTS];

  for (guint i = 0; i < form->sets->len; i++)
    {
      const AccKernelInstr *set = get_set (e, form, i);

      results[i] = emit_wide_type (emit_type (e, acc_kernel_instr (e->kernel, set->args[0])->kind), varies (e, set) ? lanes : 1);
    }
  for (guint i = 0; i < form->n_inputs; i++)
    inputs[i] = emit_wide_type (emit_type (e, acc_kernel_instr (e->kernel, form->inputs[i])->kind),
                                emit_value (e, form->inputs[i]).shape == SHAPE_VARYING ? lanes : 1);

  return LLVMFunctionType (LLVMStructTypeInContext (e->context, results, form->sets->len, FALSE), inputs, form->n_inputs, FALSE);
}

static void
set_input (Emitter *e,
           guint32  id,
           Value    value)
{
  const AccKernelInstr *instr = acc_kernel_instr (e->kernel, id);

  if (instr->op == ACC_KOP_PARAM)
    e->params[instr->args[0]] = value.v;
  else
    e->values[id] = value;
}

static const Outlined *
build (Emitter *e,
       guint32  block,
       Form    *form,
       guint    lanes)
{
  const GArray *items = acc_kernel_block (e->kernel, block)->items;
  Outlined *outlined = g_new0 (Outlined, 1);
  LLVMBasicBlockRef here = LLVMGetInsertBlock (B), stack_here = LLVMGetInsertBlock (e->stack_builder), stack, body;
  LLVMValueRef function = e->function;
  guint all_lanes = e->lanes;
  Value inputs[MAX_INPUTS];

  outlined->words = g_array_ref (form->words);
  outlined->lanes = lanes;
  outlined->type = type_of (e, form, lanes);
  outlined->function = LLVMAddFunction (e->module, "outlined", outlined->type);
  LLVMSetLinkage (outlined->function, LLVMInternalLinkage);
  copy_attributes (function, outlined->function);
  emit_set_attribute (e, outlined->function, LLVMAttributeFunctionIndex, "cold", 0);

  e->function = outlined->function;
  e->lanes = all_lanes > 0 ? lanes : 0;
  stack = emit_block (e, "");
  body = emit_block (e, "");
  emit_enter (e, stack);
  LLVMPositionBuilderAtEnd (e->stack_builder, stack);
  emit_enter (e, body);
  for (guint i = 0; i < form->n_inputs; i++)
    {
      inputs[i] = emit_value (e, form->inputs[i]);
      set_input (e, form->inputs[i], (Value) { .v = LLVMGetParam (outlined->function, i), .shape = inputs[i].shape });
    }
  for (guint i = 0; i < items->len; i++)
    {
      guint32 id = g_array_index (items, guint32, i);

      if (acc_kernel_instr (e->kernel, id)->op != ACC_KOP_SET)
        e->values[id] = emit_pure (e, id);
    }
  build_return (e, form);
  LLVMBuildBr (e->stack_builder, body);

  for (guint i = 0; i < form->n_inputs; i++)
    set_input (e, form->inputs[i], inputs[i]);
  e->function = function;
  e->lanes = all_lanes;
  LLVMPositionBuilderAtEnd (B, here);
  LLVMPositionBuilderAtEnd (e->stack_builder, stack_here);
  if (e->outlined == NULL)
    e->outlined = g_ptr_array_new_with_free_func (outlined_free);
  g_ptr_array_add (e->outlined, outlined);

  return outlined;
}

/* --- calls of it */

/* So many lanes at a time fill a register. */
static guint
choose_lanes (Emitter    *e,
              const Form *form)
{
  guint lanes = MAX (e->lanes, 1), most = form->size > 0 ? e->target->register_bytes / form->size : lanes;

  while (lanes > most && lanes % 2 == 0)
    lanes /= 2;

  return lanes;
}

gboolean
emit_outline (Emitter *e,
              guint32  block)
{
  g_auto(Form) form = { .words = g_array_new (FALSE, FALSE, sizeof (guint64)), .sets = g_array_new (FALSE, FALSE, sizeof (guint32)) };
  g_autofree LLVMValueRef *parts = NULL, *results = NULL;
  LLVMValueRef inputs[MAX_INPUTS];
  const Outlined *outlined;
  guint lanes, n_parts;

  if (!emit_is_outlined (e, block) || !describe (e, block, &form))
    return FALSE;

  lanes = choose_lanes (e, &form);
  outlined = find (e, &form, lanes);
  if (outlined == NULL)
    outlined = build (e, block, &form, lanes);

  n_parts = MAX (e->lanes, 1) / lanes;
  parts = g_new (LLVMValueRef, n_parts);
  for (guint i = 0; i < n_parts; i++)
    {
      for (guint j = 0; j < form.n_inputs; j++)
        inputs[j] = part_of (e, emit_value (e, form.inputs[j]).v, i * lanes, lanes);
      parts[i] = LLVMBuildCall2 (B, outlined->type, outlined->function, inputs, form.n_inputs, "");
    }

  results = g_new (LLVMValueRef, n_parts);
  for (guint i = 0; i < form.sets->len; i++)
    {
      const AccKernelInstr *set = get_set (e, &form, i);

      if (acc_kernel_instr (e->kernel, set->args[1])->block == block)
        {
          for (guint j = 0; j < n_parts; j++)
            results[j] = LLVMBuildExtractValue (B, parts[j], i, "");
          e->values[set->args[1]] = (Value) { .v = varies (e, set) ? emit_concatenate (e, results, n_parts) : results[0],
                                              .shape = varies (e, set) ? SHAPE_VARYING : SHAPE_UNIFORM };
        }
      emit_set (e, g_array_index (form.sets, guint32, i));
    }

  return TRUE;
}
