/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "acc-kernel-builder-private.h"
#include "acc-backends/ir/math/acc-math.h"

#include <math.h>
#include <string.h>

#include "acc-error.h"
#include "acc-core/base/acc-half-private.h"

/* --- common subexpressions: ids, in a hash table of our own. Every instruction is looked up, and GLib's tables would need a copy of
 * each. */

#define LEAST_SLOTS 256

/* That a block has room for at first. */
#define FIRST_ITEMS 32

/* Where the id of an equal one is, or would be. */
static guint32 *
find_slot (AccKernelBuilder     *b,
           const AccKernelInstr *instr)
{
  guint at = (guint) (acc_kernel_hash_instr (0, instr) >> 32) & (b->n_slots - 1);

  while (b->slots[at] != 0 && !acc_kernel_equal_instrs (acc_kernel_instr (b->kernel, b->slots[at]), instr))
    at = (at + 1) & (b->n_slots - 1);

  return &b->slots[at];
}

static void
grow_slots (AccKernelBuilder *b)
{
  g_autofree guint32 *old = b->slots;
  guint n = b->n_slots;

  b->n_slots = MAX (2 * n, LEAST_SLOTS);
  b->slots = g_new0 (guint32, b->n_slots);
  for (guint i = 0; i < n; i++)
    if (old[i] != 0)
      *find_slot (b, acc_kernel_instr (b->kernel, old[i])) = old[i];
}

static void
set_known (AccKernelBuilder *b,
           guint32           id)
{
  guint32 *slot = find_slot (b, acc_kernel_instr (b->kernel, id));

  b->n_known += *slot == 0;
  *slot = id;
  if (b->n_known * 2 > b->n_slots)
    grow_slots (b);
}

static void
set_error (AccKernelBuilder *b,
           const char       *message)
{
  if (b->error == NULL)
    g_set_error (&b->error, ACC_ERROR, ACC_ERROR_COMPILE, "Kernel “%s”: %s", b->kernel->name, message);
}

static guint32
current_block (AccKernelBuilder *b)
{
  return g_array_index (b->stack, guint32, b->stack->len - 1);
}

static AccKernelBlock *
get_block (AccKernelBuilder *b,
           guint32           block)
{
  return &g_array_index (b->kernel->blocks, AccKernelBlock, block);
}

static guint32
push_block (AccKernelBuilder *b,
            guint32           parent)
{
  AccKernelBlock block = { g_array_sized_new (FALSE, FALSE, sizeof (guint32), FIRST_ITEMS), parent, TRUE };
  guint32 id = b->kernel->blocks->len;

  g_array_append_val (b->kernel->blocks, block);
  g_array_append_val (b->stack, id);

  return id;
}

AccKernelBuilder *
kb_new (const char *name)
{
  AccKernelBuilder *b = g_new0 (AccKernelBuilder, 1);

  b->kernel = _acc_kernel_new (name);
  b->stack = g_array_new (FALSE, FALSE, sizeof (guint32));
  grow_slots (b);
  push_block (b, 0);

  return b;
}

void
kb_discard (AccKernelBuilder *b)
{
  g_return_if_fail (b != NULL);

  g_clear_pointer (&b->kernel, acc_kernel_unref);
  g_clear_error (&b->error);
  g_array_unref (b->stack);
  g_free (b->slots);
  g_free (b);
}

gboolean
_kb_is_whole (AccKernelBuilder *b)
{
  if (b->stack->len != 1)
    set_error (b, "a block was left open");

  return b->error == NULL;
}

/* --- instructions */

static gboolean
is_open (AccKernelBuilder *b,
         guint32           id)
{
  const AccKernelInstr *instr = acc_kernel_instr (b->kernel, id);

  return instr->block == 0 || get_block (b, instr->block)->open;
}

KValue
_kb_append (AccKernelBuilder *b,
            AccKernelInstr    instr)
{
  guint32 id = b->kernel->instrs->len;

  if (b->error != NULL)
    return (KValue) { 0 };
  if (!_acc_kernel_check_instr (b->kernel, &instr, &b->error))
    return (KValue) { 0 };
  for (guint i = _acc_kernel_first_id (&instr); i < instr.n_args; i++)
    {
      guint32 arg = instr.args[i];

      if (!is_open (b, arg) ||
          ((acc_kernel_instr (b->kernel, arg)->op == ACC_KOP_FOR || acc_kernel_instr (b->kernel, arg)->op == ACC_KOP_FOREACH) &&
           !get_block (b, acc_kernel_instr (b->kernel, arg)->blocks[0])->open))
        {
          set_error (b, "a value is used outside the block that made it");
          return (KValue) { 0 };
        }
    }

  if (!_acc_kernel_op_in_no_block (instr.op))
    {
      instr.block = current_block (b);
      g_array_append_val (get_block (b, instr.block)->items, id);
    }
  g_array_append_val (b->kernel->instrs, instr);

  return (KValue) { id };
}

KValue
_kb_pure (AccKernelBuilder *b,
          AccKernelInstr    instr)
{
  guint32 known;
  KValue value;

  if (b->error != NULL)
    return (KValue) { 0 };

  if (!_acc_kernel_op_in_no_block (instr.op))
    {
      guint32 folded;

      if (!_acc_kernel_check_instr (b->kernel, &instr, &b->error))
        return (KValue) { 0 };
      folded = _kb_fold (b, &instr);
      if (folded != 0 && is_open (b, folded))
        return (KValue) { folded };
      if (b->error != NULL)
        return (KValue) { 0 };
    }

  known = *find_slot (b, &instr);
  if (known != 0 && is_open (b, known))
    return (KValue) { known };

  value = _kb_append (b, instr);
  if (value.id != 0)
    set_known (b, value.id);

  return value;
}

void
_kb_keep (AccKernelBuilder *b,
          const KKept      *kept)
{
  b->kept[b->n_kept++ % KB_KEPT] = *kept;
}

const KKept *
_kb_find_kept (AccKernelBuilder *b,
               KValue            x,
               guint64           how)
{
  for (guint i = 0; i < MIN (b->n_kept, KB_KEPT) && b->error == NULL; i++)
    if (b->kept[i].of.id == x.id && b->kept[i].how == how && is_open (b, b->kept[i].parts[0].id))
      return &b->kept[i];

  return NULL;
}

KValue
_kb_const (AccKernelBuilder *b,
           AccElementKind    kind,
           guint64           bits)
{
  return _kb_pure (b, (AccKernelInstr) { .op = ACC_KOP_CONST, .kind = kind, .bits = bits });
}

static guint32
add_param (AccKernelBuilder *b,
           AccKernelParam    param)
{
  if (param.kind >= ACC_KIND_TUPLE)
    set_error (b, "a parameter that is no scalar");
  g_array_append_val (b->kernel->params, param);

  return b->kernel->params->len - 1;
}

KBuffer
kb_param_buffer (AccKernelBuilder *b,
                 AccElementKind    kind,
                 AccBufferFlags    flags,
                 const char       *name)
{
  return (KBuffer) { add_param (b, (AccKernelParam) { g_strdup (name), kind, TRUE, flags }) + 1 };
}

void
kb_set_n_elements (AccKernelBuilder *b,
                   KBuffer           buffer,
                   guint             n_elements)
{
  if (buffer.id == 0 || buffer.id > b->kernel->params->len)
    set_error (b, "elements of no parameter are counted");
  else
    g_array_index (b->kernel->params, AccKernelParam, buffer.id - 1).n_elements = n_elements;
}

KValue
kb_param_scalar (AccKernelBuilder *b,
                 AccElementKind    kind,
                 const char       *name)
{
  guint32 number = add_param (b, (AccKernelParam) { g_strdup (name), kind, FALSE, 0 });

  return _kb_pure (b, (AccKernelInstr) { .op = ACC_KOP_PARAM, .kind = kind, .n_args = 1, .args = { number } });
}

static KValue
range (AccKernelBuilder *b,
       guint             part)
{
  return _kb_pure (b, (AccKernelInstr) { .op = ACC_KOP_RANGE, .kind = ACC_KIND_I64, .n_args = 1, .args = { part } });
}

KValue
kb_outer_begin (AccKernelBuilder *b)
{
  return range (b, 0);
}

KValue
kb_outer_end (AccKernelBuilder *b)
{
  return range (b, 1);
}

KValue
kb_inner_begin (AccKernelBuilder *b)
{
  return range (b, 2);
}

KValue
kb_inner_end (AccKernelBuilder *b)
{
  return range (b, 3);
}

KValue
kb_tile (AccKernelBuilder *b)
{
  return range (b, 4);
}

AccElementKind
kb_kind (AccKernelBuilder *b,
         KValue            x)
{
  return x.id < b->kernel->instrs->len ? acc_kernel_instr (b->kernel, x.id)->kind : ACC_KIND_BOOL;
}

/* --- constants */

KValue
kb_int (AccKernelBuilder *b,
        AccElementKind    kind,
        gint64            value)
{
  guint64 bits = value;

  switch (kind)
    {
    case ACC_KIND_BOOL:
      bits = value != 0;
      break;
    case ACC_KIND_I8:
      bits = (guint64) (gint64) (gint8) value;
      break;
    case ACC_KIND_I16:
      bits = (guint64) (gint64) (gint16) value;
      break;
    case ACC_KIND_I32:
      bits = (guint64) (gint64) (gint32) value;
      break;
    case ACC_KIND_U8:
      bits = (guint8) value;
      break;
    case ACC_KIND_U16:
      bits = (guint16) value;
      break;
    case ACC_KIND_U32:
      bits = (guint32) value;
      break;
    case ACC_KIND_I64:
    case ACC_KIND_U64:
      break;
    case ACC_KIND_F16:
    case ACC_KIND_F32:
    case ACC_KIND_F64:
    case ACC_KIND_TUPLE:
    case ACC_KIND_COMPLEX:
    case ACC_KIND_VECTOR:
    default:
      set_error (b, "kb_int of a kind that is no integer");
      return (KValue) { 0 };
    }

  return _kb_const (b, kind, bits);
}

KValue
kb_i64 (AccKernelBuilder *b,
        gint64            value)
{
  return _kb_const (b, ACC_KIND_I64, value);
}

gboolean
kb_is_const (AccKernelBuilder *b,
             KValue            x)
{
  return b->error == NULL && acc_kernel_instr (b->kernel, x.id)->op == ACC_KOP_CONST;
}

#define MAX_TRACED 64

gboolean
kb_is_loaded (AccKernelBuilder *b,
              KValue            x)
{
  guint32 trace[MAX_TRACED] = { x.id };
  guint n = 1;

  for (guint at = 0; at < n && b->error == NULL; at++)
    {
      const AccKernelInstr *instr = acc_kernel_instr (b->kernel, trace[at]);

      if (instr->op == ACC_KOP_LOAD)
        return TRUE;
      for (guint i = _acc_kernel_first_id (instr); i < instr->n_args && _acc_kernel_op_is_pure (instr->op) && n < MAX_TRACED; i++)
        trace[n++] = instr->args[i];
    }

  return FALSE;
}

#define MAX_SIMPLE 16

gboolean
kb_is_simple (AccKernelBuilder *b,
              KValue            x,
              gboolean          is_integer)
{
  guint32 trace[MAX_SIMPLE + ACC_KERNEL_MAX_ARGS] = { x.id };
  guint n = 1;

  for (guint at = 0; at < n && b->error == NULL; at++)
    {
      const AccKernelInstr *instr = acc_kernel_instr (b->kernel, trace[at]);
      gboolean is_index = instr->op == ACC_KOP_FOR || instr->op == ACC_KOP_FOREACH;

      if (!is_index && !_acc_kernel_op_is_pure (instr->op) && instr->op != ACC_KOP_LOAD)
        return FALSE;
      if (is_integer && acc_element_kind_is_float (instr->kind))
        return FALSE;
      for (guint i = _acc_kernel_first_id (instr); i < instr->n_args && !is_index; i++)
        if (n < G_N_ELEMENTS (trace))
          trace[n++] = instr->args[i];
      if (n > MAX_SIMPLE)
        return FALSE;
    }

  return b->error == NULL;
}

gboolean
kb_is_invariant (AccKernelBuilder *b,
                 KValue            x)
{
  return kb_is_const (b, x) || (b->error == NULL && acc_kernel_instr (b->kernel, x.id)->op == ACC_KOP_PARAM);
}

KValue
kb_float (AccKernelBuilder *b,
          AccElementKind    kind,
          double            value)
{
  float single = value;
  guint32 bits32;
  guint64 bits;

  if (kind == ACC_KIND_F16)
    return _kb_const (b, kind, acc_half_from_double (value));

  if (kind == ACC_KIND_F32)
    {
      memcpy (&bits32, &single, sizeof bits32);
      return _kb_const (b, kind, bits32);
    }

  if (kind != ACC_KIND_F64)
    {
      set_error (b, "kb_float of a kind that is no float");
      return (KValue) { 0 };
    }

  memcpy (&bits, &value, sizeof bits);

  return _kb_const (b, kind, bits);
}

/* --- values */

static AccElementKind
result_of (AccKernelBuilder *b,
           AccPrimitive      primitive,
           KValue            x)
{
  AccElementKind kind = kb_kind (b, x);

  if (primitive >= ACC_N_PRIMITIVES || !acc_primitive_accepts (primitive, kind))
    return kind;

  return acc_primitive_result (primitive, kind);
}

KValue
kb_prim_platform (AccKernelBuilder *b,
                  AccPrimitive      primitive,
                  KValue            x,
                  KValue            y)
{
  return _kb_pure (b, (AccKernelInstr) {
    .op = ACC_KOP_PRIM, .primitive = primitive, .kind = result_of (b, primitive, x),
    .n_args = y.id ? 2 : 1, .args = { x.id, y.id },
  });
}

static gboolean
is_built_here (AccKernelBuilder *b,
               AccPrimitive      primitive,
               KValue            x)
{
  /* No library says that its powers are exact where they can be. */
  if ((b->kernel->precise && (b->kernel->fast || primitive != ACC_PRIM_POW)) || x.id == 0)
    return FALSE;
  if (b->approximate && kb_kind (b, x) == ACC_KIND_F32 && (primitive == ACC_PRIM_EXP || primitive == ACC_PRIM_LOG))
    return FALSE;

  return acc_math_covers (primitive, kb_kind (b, x));
}

KValue
kb_prim (AccKernelBuilder *b,
         AccPrimitive      primitive,
         KValue            x)
{
  if (is_built_here (b, primitive, x))
    return acc_math_build (b, primitive, x, (KValue) { 0 });

  return kb_prim_platform (b, primitive, x, (KValue) { 0 });
}

KValue
kb_prim2 (AccKernelBuilder *b,
          AccPrimitive      primitive,
          KValue            x,
          KValue            y)
{
  if (is_built_here (b, primitive, x) && y.id != 0)
    return acc_math_build (b, primitive, x, y);

  return _kb_pure (b, (AccKernelInstr) {
    .op = ACC_KOP_PRIM, .primitive = primitive, .kind = result_of (b, primitive, x), .n_args = 2, .args = { x.id, y.id },
  });
}

KValue
kb_cast (AccKernelBuilder *b,
         AccElementKind    kind,
         KValue            x)
{
  return _kb_pure (b, (AccKernelInstr) { .op = ACC_KOP_CAST, .kind = kind, .n_args = 1, .args = { x.id } });
}

KValue
kb_bitcast (AccKernelBuilder *b,
            AccElementKind    kind,
            KValue            x)
{
  return _kb_pure (b, (AccKernelInstr) { .op = ACC_KOP_BITCAST, .kind = kind, .n_args = 1, .args = { x.id } });
}

KValue
kb_select (AccKernelBuilder *b,
           KValue            condition,
           KValue            x,
           KValue            y)
{
  return _kb_pure (b, (AccKernelInstr) {
    .op = ACC_KOP_SELECT, .kind = kb_kind (b, x), .n_args = 3, .args = { condition.id, x.id, y.id },
  });
}

KValue
kb_fma (AccKernelBuilder *b,
        KValue            x,
        KValue            y,
        KValue            z)
{
  return _kb_pure (b, (AccKernelInstr) {
    .op = ACC_KOP_FMA, .kind = kb_kind (b, x), .n_args = 3, .args = { x.id, y.id, z.id },
  });
}

KValue
kb_estimate_exp2 (AccKernelBuilder *b,
                  KValue            x)
{
  return _kb_pure (b, (AccKernelInstr) {
    .op = ACC_KOP_ESTIMATE, .kind = ACC_KIND_F32, .primitive = ACC_PRIM_EXP, .n_args = 1, .args = { x.id },
  });
}

KValue
kb_udiv (AccKernelBuilder *b,
         KValue            x,
         KValue            y)
{
  return _kb_pure (b, (AccKernelInstr) { .op = ACC_KOP_UDIV, .kind = ACC_KIND_I64, .n_args = 2, .args = { x.id, y.id } });
}

KValue
kb_urem (AccKernelBuilder *b,
         KValue            x,
         KValue            y)
{
  return _kb_pure (b, (AccKernelInstr) { .op = ACC_KOP_UREM, .kind = ACC_KIND_I64, .n_args = 2, .args = { x.id, y.id } });
}

/* --- memory and variables */

KValue
kb_load (AccKernelBuilder *b,
         KBuffer           buffer,
         KValue            index)
{
  guint32 number = buffer.id - 1;
  AccKernelInstr instr = { .op = ACC_KOP_LOAD, .n_args = 2, .args = { number, index.id } };

  if (number & ACC_KERNEL_SHARED ? (number & ~ACC_KERNEL_SHARED) < b->kernel->shared->len : number < b->kernel->params->len)
    {
      const AccKernelParam *param = acc_kernel_buffer (b->kernel, number);

      instr.kind = param->kind;
      if ((param->flags & ACC_BUFFER_NO_ALIAS) && !(param->flags & ACC_BUFFER_WRITE))
        return _kb_pure (b, instr);
    }

  return _kb_append (b, instr);
}

void
kb_store (AccKernelBuilder *b,
          KBuffer           buffer,
          KValue            index,
          KValue            value)
{
  _kb_append (b, (AccKernelInstr) { .op = ACC_KOP_STORE, .n_args = 3, .args = { buffer.id - 1, index.id, value.id } });
}

void
kb_pack (AccKernelBuilder *b,
         KBuffer           buffer,
         KValue            first,
         KValue            value,
         KValue            stays,
         KValue            end)
{
  _kb_append (b, (AccKernelInstr) { .op = ACC_KOP_PACK, .n_args = 5, .args = { buffer.id - 1, first.id, value.id, stays.id, end.id } });
}

void
kb_prefetch (AccKernelBuilder *b,
             KBuffer           buffer,
             KValue            index)
{
  _kb_append (b, (AccKernelInstr) { .op = ACC_KOP_PREFETCH, .n_args = 2, .args = { buffer.id - 1, index.id } });
}

KVar
kb_var (AccKernelBuilder *b,
        KValue            initial)
{
  return (KVar) {
    _kb_append (b, (AccKernelInstr) {
      .op = ACC_KOP_VAR, .kind = kb_kind (b, initial), .n_args = 1, .args = { initial.id },
    }).id
  };
}

KValue
kb_get (AccKernelBuilder *b,
        KVar              var)
{
  return _kb_append (b, (AccKernelInstr) {
    .op = ACC_KOP_GET, .kind = kb_kind (b, (KValue) { var.id }), .n_args = 1, .args = { var.id },
  });
}

void
kb_set (AccKernelBuilder *b,
        KVar              var,
        KValue            value)
{
  _kb_append (b, (AccKernelInstr) { .op = ACC_KOP_SET, .n_args = 2, .args = { var.id, value.id } });
}

void
kb_check (AccKernelBuilder *b,
          KValue            ok,
          guint             kind,
          guint             origin,
          KValue            index,
          KValue            extent)
{
  const AccKernelInstr *instr = ok.id < b->kernel->instrs->len ? acc_kernel_instr (b->kernel, ok.id) : NULL;

  if (instr != NULL && instr->op == ACC_KOP_CONST && instr->kind == ACC_KIND_BOOL && instr->bits != 0)
    return;

  _kb_append (b, (AccKernelInstr) {
    .op = ACC_KOP_CHECK, .n_args = 3, .args = { ok.id, index.id, extent.id }, .bits = (guint64) origin << 32 | kind,
  });
}

/* --- blocks */

static KValue
enter (AccKernelBuilder *b,
       AccKernelInstr    instr)
{
  KValue value = _kb_append (b, instr);
  guint32 block = push_block (b, value.id);

  if (value.id != 0)
    g_array_index (b->kernel->instrs, AccKernelInstr, value.id).blocks[0] = block;

  return value;
}

KValue
_kb_enter_for (AccKernelBuilder *b,
               KValue            begin,
               KValue            end,
               gboolean          is_long)
{
  return enter (b, (AccKernelInstr) {
    .op = ACC_KOP_FOR, .kind = ACC_KIND_I64, .n_args = 2, .args = { begin.id, end.id }, .bits = is_long,
  });
}

KValue
_kb_enter_foreach (AccKernelBuilder *b,
                   KValue            begin,
                   KValue            end)
{
  return enter (b, (AccKernelInstr) {
    .op = ACC_KOP_FOREACH, .kind = ACC_KIND_I64, .n_args = 2, .args = { begin.id, end.id }, .bits = b->lanes,
  });
}

void
_kb_enter_if (AccKernelBuilder *b,
              KValue            condition,
              gboolean          seldom)
{
  enter (b, (AccKernelInstr) { .op = ACC_KOP_IF, .n_args = 1, .args = { condition.id }, .bits = seldom });
}

void
_kb_enter_else (AccKernelBuilder *b)
{
  GArray *items = get_block (b, current_block (b))->items;
  guint32 id = items->len > 0 ? g_array_index (items, guint32, items->len - 1) : 0;
  AccKernelInstr *instr = &g_array_index (b->kernel->instrs, AccKernelInstr, id);
  guint32 block;

  if (b->error == NULL && (instr->op != ACC_KOP_IF || instr->blocks[1] != 0))
    set_error (b, "an else without its if");
  block = push_block (b, id);
  if (b->error == NULL)
    instr->blocks[1] = block;
}

void
_kb_enter_while (AccKernelBuilder *b)
{
  enter (b, (AccKernelInstr) { .op = ACC_KOP_WHILE });
}

void
kb_until (AccKernelBuilder *b,
          KValue            done)
{
  _kb_append (b, (AccKernelInstr) { .op = ACC_KOP_UNTIL, .n_args = 1, .args = { done.id } });
}

void
_kb_leave (AccKernelBuilder *b)
{
  if (b->stack->len <= 1)
    {
      set_error (b, "a block was left twice");
      return;
    }

  get_block (b, current_block (b))->open = FALSE;
  g_array_set_size (b->stack, b->stack->len - 1);
}

void
kb_set_lanes (AccKernelBuilder *b,
              guint             lanes)
{
  if (lanes > 256)
    set_error (b, "more than 256 lanes");
  b->lanes = lanes;
}

void
kb_set_precise (AccKernelBuilder *b,
                gboolean          precise)
{
  b->kernel->precise = precise;
}

void
kb_set_fast (AccKernelBuilder *b,
             gboolean          fast)
{
  b->kernel->fast = fast;
}

void
kb_set_straight (AccKernelBuilder *b,
                 gboolean          straight)
{
  b->kernel->straight = straight;
}

gboolean
kb_is_straight (AccKernelBuilder *b)
{
  return b->kernel->straight;
}

void
kb_set_approximate (AccKernelBuilder *b,
                    gboolean          approximate)
{
  b->approximate = approximate;
}
