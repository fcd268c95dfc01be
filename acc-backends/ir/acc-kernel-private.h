/* SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

#include "acc-kernel.h"

#include <string.h>

#include "acc-core/base/acc-hash-private.h"

/* The structure of a kernel, for the verifier, the printer and the emitters.
 *
 * Every instruction has an id, its place in AccKernel.instrs; id 0 is none. A value, a loop's index and a variable are
 * the id of the instruction that made them. Constants, parameters and the range are interned: they are the instructions
 * of no block and hold everywhere. All others are in exactly one block, in order. Pure instructions that nobody uses are
 * dropped from their block when the build ends. */

typedef enum {
  ACC_KOP_NONE,
  /* in no block */
  ACC_KOP_CONST,      /* bits */
  ACC_KOP_PARAM,      /* args[0]: number of a scalar parameter */
  ACC_KOP_RANGE,      /* args[0]: 0..4, as in the entry's range; 0..3 with groups */
  ACC_KOP_LOCAL,      /* number of the thread in its group */
  /* pure */
  ACC_KOP_PRIM,       /* primitive */
  ACC_KOP_CAST,
  ACC_KOP_BITCAST,
  ACC_KOP_SELECT,
  ACC_KOP_FMA,
  ACC_KOP_ESTIMATE,   /* of 1 / x (primitive RECIP), 1 / √x (SQRT) or 2^x (EXP) of f32 */
  ACC_KOP_EXTEND,     /* the low bits of an i32, with their sign, or of a u32; bits: 8 or 16 of them */
  ACC_KOP_OPAQUE,     /* a float, which compilers do not know to be the same where they can be kept from it for nothing */
  ACC_KOP_UDIV,
  ACC_KOP_UREM,
  /* memory and variables */
  ACC_KOP_LOAD,       /* args: parameter number, index */
  ACC_KOP_STORE,      /* args: parameter number, index, value */
  ACC_KOP_PACK,       /* args: parameter number, index of the first, value, whether it stays, end */
  ACC_KOP_PREFETCH,   /* args: parameter number, index */
  ACC_KOP_VAR,        /* args: initial */
  ACC_KOP_GET,        /* args: var */
  ACC_KOP_SET,        /* args: var, value */
  ACC_KOP_CHECK,      /* args: ok, index, extent; bits: origin << 32 | kind */
  /* groups of threads */
  ACC_KOP_BARRIER,
  ACC_KOP_SUBGROUP_BARRIER,
  ACC_KOP_FENCE,
  ACC_KOP_SHUFFLE,    /* args: value; bits: KShuffle << 32 | delta */
  ACC_KOP_BALLOT,     /* args: bool */
  ACC_KOP_ATOMIC,     /* args: parameter number, index, value; bits: KAtomic */
  ACC_KOP_CAS,        /* args: parameter number, index, expected, desired */
  /* blocks */
  ACC_KOP_FOR,        /* args: begin, end; the instruction is the index; bits: whether it may be long */
  ACC_KOP_FOREACH,    /* args: the same; bits: lanes, 0 for any */
  ACC_KOP_IF,         /* args: condition; blocks[1] is the else side, or 0; bits: whether the condition rarely holds */
  ACC_KOP_WHILE,
  ACC_KOP_UNTIL,      /* args: done */
} AccKernelOp;

#define ACC_KERNEL_MAX_ARGS 5

typedef struct {
  AccKernelOp    op : 8;
  AccElementKind kind : 8;        /* of the value; of the variable for VAR */
  AccPrimitive   primitive : 8;
  guint8         n_args;          /* of those, how many are used (numbers and all) */
  guint32        args[ACC_KERNEL_MAX_ARGS];
  guint32        blocks[2];
  guint32        block;           /* the block it is in; 0 for those in no block */
  guint64        bits;
} AccKernelInstr;

typedef struct {
  GArray *items;                  /* guint32: instruction ids */
  guint32 parent;                 /* instruction that the block belongs to; 0 for the kernel's body */
  gboolean open;                  /* while building */
} AccKernelBlock;

typedef struct {
  char          *name;
  AccElementKind kind;
  gboolean       is_buffer;
  AccBufferFlags flags;
  guint          n_elements;      /* of shared memory; of a parameter where they are few and known, else 0 */
} AccKernelParam;

/* Numbers of buffers as instructions give them: a parameter's, or that of an array of shared memory with this bit. */
#define ACC_KERNEL_SHARED 0x80000000u

struct _AccKernel {
  gatomicrefcount ref_count;
  char           *name;
  char           *hash;
  GArray         *params;         /* AccKernelParam: one slot of the launch each */
  GArray         *shared;         /* AccKernelParam: arrays of shared memory, no slots */
  guint           group_size;     /* 0: no groups */
  guint           n_resident;     /* threads that a processor should hold; 0: any */
  GArray         *instrs;         /* AccKernelInstr; [0] is none */
  GArray         *blocks;         /* AccKernelBlock; [0] is none, [1] the body */
  gboolean        precise;        /* transcendental primitives stay for the platform's library */
  gboolean        fast;
  gboolean        straight;       /* quotients and roots of f32 by estimates */
  gboolean        masks;          /* loads under a mask cost no more than others */
};

#define ACC_KERNEL_BODY 1u

static inline const AccKernelInstr *
acc_kernel_instr (const AccKernel *kernel, guint32 id)
{
  return &g_array_index (kernel->instrs, AccKernelInstr, id);
}

static inline const AccKernelBlock *
acc_kernel_block (const AccKernel *kernel, guint32 block)
{
  return &g_array_index (kernel->blocks, AccKernelBlock, block);
}

static inline const AccKernelParam *
acc_kernel_param (const AccKernel *kernel, guint32 number)
{
  return &g_array_index (kernel->params, AccKernelParam, number);
}

static inline const AccKernelParam *
acc_kernel_buffer (const AccKernel *kernel, guint32 number)
{
  return number & ACC_KERNEL_SHARED ? &g_array_index (kernel->shared, AccKernelParam, number & ~ACC_KERNEL_SHARED)
                                    : acc_kernel_param (kernel, number);
}

/* What instructions compute, wherever they stand. */
static inline guint64
acc_kernel_hash_instr (guint64 hash, const AccKernelInstr *instr)
{
  hash = acc_hash_mix (hash, instr->op | (guint64) instr->kind << 8 | (guint64) instr->primitive << 16);
  for (guint i = 0; i < instr->n_args; i++)
    hash = acc_hash_mix (hash, instr->args[i]);

  return acc_hash_mix (hash, instr->bits);
}

static inline gboolean
acc_kernel_equal_instrs (const AccKernelInstr *x, const AccKernelInstr *y)
{
  return x->op == y->op && x->kind == y->kind && x->primitive == y->primitive && x->n_args == y->n_args && x->bits == y->bits &&
         memcmp (x->args, y->args, sizeof x->args) == 0;
}

static inline gboolean
_acc_kernel_instr_is_comparison (const AccKernelInstr *instr)
{
  return instr->op == ACC_KOP_PRIM && acc_primitive_is (instr->primitive, ACC_FAMILY_COMPARISON);
}

AccKernel *_acc_kernel_new          (const char *name);
gboolean   _acc_kernel_is_value     (const AccKernel *kernel, guint32 id);
/* The first of args that is an id, not a parameter number; n_args where none is. */
guint      _acc_kernel_first_id     (const AccKernelInstr *instr);
gboolean   _acc_kernel_op_is_pure   (AccKernelOp op);
gboolean   _acc_kernel_op_is_loop   (AccKernelOp op);
/* Whether it loads or stores an element. */
gboolean   _acc_kernel_op_is_access (AccKernelOp op);
/* Whether all threads, or lanes, of a group have a part in it. */
gboolean   _acc_kernel_op_meets     (AccKernelOp op);
gboolean   _acc_kernel_op_in_no_block (AccKernelOp op);
/* Whether the foreach runs as one block of as many lanes as it goes over, which may shuffle. */
gboolean   _acc_kernel_is_lock_step (const AccKernel *kernel, guint32 foreach);
/* Whether stores may not pass the instruction itself; blocks are for the caller to look into. */
gboolean   _acc_kernel_op_orders_stores (AccKernelOp op);
gboolean   _acc_kernel_check_instr  (const AccKernel *kernel, const AccKernelInstr *instr, GError **error);
/* The instruction that @id is in a block of; 0: none. */
guint32    _acc_kernel_get_parent   (const AccKernel *kernel, guint32 id);
/* Whether instruction @id is @around, or in a block of it. */
gboolean   _acc_kernel_is_inside    (const AccKernel *kernel, guint32 id, guint32 around);
/* Whether going through it once takes so long that a loop of it is to look out for ACC_FAILURE_STOP. */
gboolean   _acc_kernel_block_is_long (const AccKernel *kernel, guint32 block);
/* Whether it checks an index or a divisor. */
gboolean   _acc_kernel_may_fail     (const AccKernel *kernel);
/* Whether instruction @id is 1 / sqrt (@x) of f32, in a kernel that may take what is quick. */
gboolean   _acc_kernel_is_inverse_root (const AccKernel *kernel, guint32 id, guint32 *x);
/* Writes a file into ACC_DUMP_DIR, where that is set. */
void       _acc_dump_file          (const char *name, const char *text, gsize length);
/* Prints the emitted form of the kernel for ACC_DEBUG=kernels, and writes it to ACC_DUMP_DIR; @what: the file's suffix. */
void       _acc_kernel_dump        (AccKernel *kernel, const char *what, const char *text, gsize length);
/* The kernel, and the source that was made of it. */
void       _acc_kernel_dump_source (AccKernel *kernel, const char *what, const char *source);
char      *_acc_kernel_print        (AccKernel *kernel, gboolean names);
char      *_acc_kernel_print_instr  (const AccKernel *kernel, guint32 id);
