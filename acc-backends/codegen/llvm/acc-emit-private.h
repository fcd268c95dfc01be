/* SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

#include "acc-backends/ir/acc-kernel-private.h"
#include "acc-llvm-target-private.h"

#define EMIT_CACHE_LINE 64   /* bytes */

/* The shape of a value across the lanes of a foreach. */
typedef enum {
  SHAPE_UNIFORM,     /* the same: a scalar */
  SHAPE_LINEAR,      /* i64: a scalar for lane 0, and a constant step from lane to lane */
  SHAPE_VARYING,     /* a vector */
} Shape;

typedef struct {
  LLVMValueRef v;
  gint64       stride;
  Shape        shape;
  guint        repeats;      /* of a vector that counts slowly: from lane to lane, 2^repeats of them at a time, i64; 0: it may not */
  LLVMValueRef first, phase; /* lane i is first + ((phase + i) >> repeats) */
} Value;

/* Lanes that take part. */
typedef struct {
  LLVMValueRef v;        /* vector of i1; NULL: all */
  LLVMValueRef count;    /* i64 where these are the first so many lanes; else NULL */
  guint        depth;    /* how many masks narrow each other here */
} Mask;

/* Facts about each instruction of a foreach, found by analysis. */
typedef struct {
  guint8   shape;
  gboolean masked;       /* a block whose condition or bounds vary */
  guint    depth;        /* VAR: Mask.depth where it is made */
  gint64   stride;
  gboolean known;        /* VAR: shape was set */
  guint32  common;       /* VAR: the while in which all lanes that take part hold the same in it; 0: none */
  gboolean is_read;      /* VAR */
  guint32  read_in;      /* VAR: the only loop that reads it, which is in the same block; 0: none */
} Fact;

typedef struct {
  guint32       buffer;
  guint32       roots[2]; /* index = both + offset */
  gint64        stride;
  gint64        first;   /* lowest and highest offset of the group */
  gint64        last;
  LLVMValueRef *parts;
  guint         n_parts;
  guint         part_lanes;
} StridedGroup;

/* An instruction that is uniform, or linear, in most blocks of lanes: acc-emit-assumptions.c */
typedef enum {
  ASSUME_MONOTONE,        /* where the first and the last lane do */
  ASSUME_EQUALITY,        /* a comparison of equality */
  ASSUME_REMAINDER,
  ASSUME_BOUND,           /* a minimum or maximum */
} AssumptionRule;

typedef struct {
  guint32       id;
  guint32       subject; /* the operand that varies: it ascends or descends from lane to lane */
  AssumptionRule rule;
  gboolean      ascends;
  gint64        stride;  /* of the result under the assumption; 0: uniform */
} Assumption;

typedef struct {
  const AccKernel  *kernel;
  AccLlvmTarget    *target;
  AccEmitFlags      flags;
  guint             lanes;        /* of the foreach we are in; 0 outside */
  Mask              mask;
  Fact             *facts;
  GArray           *assumptions;   /* Assumption: those under which the facts hold; NULL: none */
  Value            *values;
  LLVMValueRef     *variables;    /* per VAR: where it is on the stack; of a common one, its values[] say where the scalar is,
                                   * and where a register of it (first) is */

  LLVMContextRef    context;
  LLVMModuleRef     module;
  LLVMBuilderRef    builder;
  LLVMBuilderRef    stack_builder;
  LLVMValueRef      function;
  LLVMValueRef     *params;
  LLVMValueRef     *tables;       /* all elements of a parameter in a register; NULL: not loaded yet */
  LLVMValueRef     *shared;       /* arrays of shared memory */
  LLVMValueRef      range[5];
  LLVMValueRef      local;
  LLVMValueRef      failure;
  LLVMValueRef      fail_function;
  LLVMBasicBlockRef end;          /* of the function */
  guint             n_in_line;    /* instructions since the last branch, about */
  LLVMBasicBlockRef while_exit;
  LLVMValueRef      while_mask;   /* on the stack */
  GPtrArray        *outlined;     /* Outlined: acc-emit-outline.c; NULL: none yet */
  GArray           *windows;      /* Window, of the loops we are in: acc-emit-window.c */
  GPtrArray        *groups;       /* StridedGroup of the block we are in */
  gboolean          streaming;    /* in the part of a foreach without a mask, with non-temporal stores */
  LLVMValueRef      streams;      /* whether this block has them, there; NULL: it has */
  gboolean          streamed;     /* there was one */

  LLVMTypeRef       t_void, t_i1, t_i8, t_i16, t_i32, t_i64, t_f16, t_f32, t_f64, t_ptr;
} Emitter;

/* From the bottom to the top: files call those that come before them here. Only those of control flow call each other. */

/* --- acc-emit-build.c: LLVM values */
LLVMTypeRef  emit_type         (Emitter *e, AccElementKind kind);          /* in registers */
LLVMTypeRef  emit_memory_type  (Emitter *e, AccElementKind kind);          /* in memory: bool is i8, f16 is i16 */
LLVMValueRef emit_from_slot    (Emitter *e, AccElementKind kind, LLVMValueRef bits);  /* a scalar parameter's 8 bytes */
gboolean     emit_is_vector    (LLVMValueRef x);
guint        emit_lanes_of     (LLVMValueRef x);                            /* 1 for scalars */
guint        emit_width_of     (LLVMTypeRef scalar);                        /* bits */
LLVMTypeRef  emit_type_like    (LLVMValueRef x, LLVMTypeRef scalar);        /* as many lanes as x */
LLVMTypeRef  emit_wide_type    (LLVMTypeRef scalar, guint lanes);           /* 1: the scalar */
LLVMValueRef emit_int          (LLVMTypeRef type, gint64 value);            /* in every lane */
LLVMValueRef emit_float        (LLVMTypeRef type, double value);
LLVMValueRef emit_all          (Emitter *e, gboolean value);                /* <lanes x i1> */
LLVMValueRef emit_steps        (Emitter *e, LLVMTypeRef scalar, gint64 stride); /* 0, stride, 2 stride … */
LLVMValueRef emit_splat        (Emitter *e, LLVMValueRef x, guint lanes);
LLVMValueRef emit_call         (Emitter *e, const char *intrinsic, LLVMTypeRef *overloads, guint n_overloads,
                                LLVMValueRef *args, guint n_args);
LLVMValueRef emit_fence        (Emitter *e, LLVMValueRef x);
LLVMValueRef emit_unary        (Emitter *e, const char *intrinsic, LLVMValueRef x);
LLVMValueRef emit_binary       (Emitter *e, const char *intrinsic, LLVMValueRef x, LLVMValueRef y);
LLVMValueRef emit_stack        (Emitter *e, LLVMTypeRef type, guint align);
LLVMBasicBlockRef emit_block   (Emitter *e, const char *name);
void         emit_enter        (Emitter *e, LLVMBasicBlockRef block);       /* go on there */
/* Hardly ever it is true: not even loops behind it matter. */
void         emit_expect_false (Emitter *e, LLVMValueRef branch);
void         emit_set_text     (Emitter *e, LLVMValueRef function, const char *name, const char *value);
/* @index: of a parameter, from 1. */
void         emit_set_attribute (Emitter *e, LLVMValueRef function, guint index, const char *name, guint64 value);
void         emit_set_call_attribute (Emitter *e, LLVMValueRef call, const char *name, guint64 value);

/* --- acc-emit-lanes.c: vectors and masks by their lanes */
LLVMValueRef emit_shuffle      (Emitter *e, LLVMValueRef x, LLVMValueRef y, const int *places, guint n);
LLVMValueRef emit_part         (Emitter *e, LLVMValueRef x, guint first, guint n);      /* lanes from @first on */
LLVMValueRef emit_resized      (Emitter *e, LLVMValueRef x, guint lanes);               /* its first lanes, zeros behind them */
LLVMValueRef emit_concatenate  (Emitter *e, LLVMValueRef *parts, guint n_parts);       /* a power of two of them; they are lost */
LLVMValueRef emit_select       (Emitter *e, LLVMValueRef condition, LLVMValueRef x, LLVMValueRef y);
LLVMValueRef emit_bits         (Emitter *e, LLVMValueRef mask);             /* <n x i1> as an integer */
LLVMValueRef emit_any          (Emitter *e, LLVMValueRef mask);
LLVMValueRef emit_mask_and     (Emitter *e, LLVMValueRef mask, LLVMValueRef x); /* mask may be NULL */
LLVMValueRef emit_first_lanes  (Emitter *e, LLVMValueRef count, guint lanes); /* <lanes x i1>: lane < count, 0 <= count <= lanes */
/* Bits of an integer that holds a lane each, and the number of its first or last. */
LLVMValueRef emit_first_lane   (Emitter *e, LLVMValueRef bits);
LLVMValueRef emit_last_lane    (Emitter *e, LLVMValueRef bits);
typedef LLVMValueRef (*LaneFunc) (Emitter *e, LLVMValueRef x, LLVMValueRef y, gpointer data);
LLVMValueRef emit_by_lane      (Emitter *e, LaneFunc func, gpointer data, LLVMValueRef x, LLVMValueRef y);

typedef struct {
  LLVMValueRef      lane;
  LLVMValueRef      next;
  LLVMBasicBlockRef head;
  LLVMBasicBlockRef skip;
} LaneLoop;

/* The code between enter and leave runs for each lane of the mask, in order; NULL: for all. */
LaneLoop     emit_enter_lanes  (Emitter *e, LLVMValueRef mask);
void         emit_leave_lanes  (Emitter *e, LaneLoop *loop, guint lanes);

/* --- acc-emit-value.c: operands */
Value        emit_value        (Emitter *e, guint32 id);
LLVMValueRef emit_scalar       (Emitter *e, guint32 id);     /* uniform, or a linear one's lane 0 */
LLVMValueRef emit_vector       (Emitter *e, guint32 id);
LLVMValueRef emit_as_vector    (Emitter *e, Value value);
LLVMValueRef emit_lane_of      (Emitter *e, Value value, LLVMValueRef lane);

/* --- acc-emit-table-lookup.c: parameters whose elements fit into a register or two */
gboolean     emit_is_table     (Emitter *e, guint32 buffer);
LLVMValueRef emit_look_up      (Emitter *e, guint32 buffer, LLVMValueRef index);       /* of any i64; outside: of any element */

/* --- acc-emit-effects.c: what blocks do, and what that costs */
gboolean     emit_is_costly    (Emitter *e, guint32 block);                 /* worth a branch around it */
gboolean     emit_is_long      (Emitter *e, guint32 block);                 /* too long to wait for what comes from a step before */
gboolean     emit_has_effects  (Emitter *e, guint32 block);
/* Whether the same index may come twice: nothing that the body stores is what it loads. */
gboolean     emit_is_repeatable (Emitter *e, guint32 foreach);
/* Whether the kernel is so large that LLVM's quadratic passes have to be left out. */
gboolean     emit_is_large     (const AccKernel *kernel);
gboolean     emit_is_outlined  (Emitter *e, guint32 block);                 /* whether it may be; the shapes of its values may prevent it */

/* --- acc-emit-assumptions.c: what is uniform in most blocks of a foreach */
/* Whether it is made of the index and of what there is outside of the foreach. */
gboolean     emit_is_known_before (Emitter *e, guint32 id, guint32 foreach);
/* What the uniform version of a foreach assumes; its facts are known. */
GArray      *emit_find_assumptions (Emitter *e, guint32 foreach);
/* Returns NULL if nothing is assumed of the instruction. */
const Assumption *emit_get_assumption (Emitter *e, guint32 id);

/* --- acc-emit-uniformity.c */
void         emit_analyse      (Emitter *e, guint32 foreach);
/* FALSE: @id is none that strides can be multiplied by. */
gboolean     emit_get_small_constant (const AccKernel *kernel, guint32 id, gint64 *value);

/* --- acc-emit-interleave.c: accesses that share wide ones */
gboolean     emit_group_of     (Emitter *e, guint32 load, StridedGroup *group, gint64 *offset);
/* Finds the stores of a block at neighbouring offsets with the same stride: how many there are, or 0. If they are as many as the stride,
 * they leave no gaps. @last: the one that comes last. */
guint        emit_stores_of    (Emitter *e, guint32 store, guint32 *stores, guint32 *last);

/* --- acc-emit-vector-width.c */
guint        emit_choose_lanes (Emitter *e, guint32 foreach);
/* Whether much of the work goes lane by lane in any case, and more so under a mask. */
gboolean     emit_goes_by_lane (Emitter *e, guint32 foreach);

/* --- acc-emit-assembly.c: instructions of NVIDIA's devices, of scalars */
LLVMValueRef emit_inverse_root  (Emitter *e, LLVMValueRef x); /* of f32 */
LLVMValueRef emit_estimate      (Emitter *e, AccPrimitive of, LLVMValueRef x); /* ACC_KOP_ESTIMATE */
LLVMValueRef emit_extend        (Emitter *e, AccElementKind kind, guint bits, LLVMValueRef x); /* ACC_KOP_EXTEND */
LLVMValueRef emit_opaque        (Emitter *e, AccElementKind kind, LLVMValueRef x); /* ACC_KOP_OPAQUE */
LLVMValueRef emit_approximation (Emitter *e, AccPrimitive primitive, LLVMValueRef x, LLVMValueRef y); /* of f32; NULL: there is none */

/* --- acc-emit-estimate.c: fast mathematics of f32 in vectors; NULL: there is nothing quicker */
LLVMValueRef emit_quick_inverse_root (Emitter *e, LLVMValueRef x);
LLVMValueRef emit_quick              (Emitter *e, AccPrimitive primitive, LLVMValueRef x, LLVMValueRef y);

/* --- acc-emit-scalar.c, -divide.c, -cast.c, -library.c, -fma.c: scalars and vectors alike */
LLVMValueRef emit_primitive    (Emitter *e, AccPrimitive primitive, AccElementKind kind, LLVMValueRef x, LLVMValueRef y);
LLVMValueRef emit_divide       (Emitter *e, AccPrimitive primitive, AccElementKind kind, LLVMValueRef x, LLVMValueRef y);
LLVMValueRef emit_index_division (Emitter *e, LLVMValueRef x, LLVMValueRef y);
LLVMValueRef emit_index_remainder (Emitter *e, LLVMValueRef x, LLVMValueRef y);
LLVMValueRef emit_cast         (Emitter *e, AccElementKind from, AccElementKind to, LLVMValueRef x);
LLVMValueRef emit_bitcast      (Emitter *e, AccElementKind from, AccElementKind to, LLVMValueRef x);
LLVMValueRef emit_library      (Emitter *e, AccPrimitive primitive, AccElementKind kind, LLVMValueRef x, LLVMValueRef y);
LLVMValueRef emit_fma          (Emitter *e, LLVMValueRef x, LLVMValueRef y, LLVMValueRef z);

/* --- acc-emit-access.c: elements of memory, and neighbours */
LLVMValueRef emit_base         (Emitter *e, guint32 buffer);
LLVMValueRef emit_element      (Emitter *e, guint32 buffer, LLVMValueRef index);  /* its address */
LLVMValueRef emit_uniform_element (Emitter *e, guint32 id);                       /* of an access that is the same for all lanes */
LLVMValueRef emit_from_memory  (Emitter *e, AccElementKind kind, LLVMValueRef x);
LLVMValueRef emit_to_memory    (Emitter *e, AccElementKind kind, LLVMValueRef x);
guint        emit_size_of      (LLVMTypeRef scalar);                              /* bytes */
LLVMValueRef emit_load_plain   (Emitter *e, LLVMTypeRef memory, LLVMValueRef address, guint lanes);
LLVMValueRef emit_store_plain  (Emitter *e, LLVMTypeRef memory, LLVMValueRef address, LLVMValueRef x);
gboolean     emit_has_masked_access (Emitter *e, LLVMTypeRef memory);
LLVMValueRef emit_load_masked  (Emitter *e, LLVMTypeRef memory, LLVMValueRef address, LLVMValueRef mask, guint lanes);
void         emit_store_masked (Emitter *e, LLVMValueRef value, LLVMValueRef address, LLVMValueRef mask);
void         emit_store_neighbours (Emitter *e, guint32 buffer, LLVMValueRef index, LLVMValueRef x); /* lanes from element @index on */

/* --- acc-emit-gather.c: lanes that go anywhere */
/* As integers; those of lanes outside the mask are that of @unused. */
LLVMValueRef emit_addresses    (Emitter *e, guint32 buffer, LLVMTypeRef memory, LLVMValueRef index, LLVMValueRef mask, LLVMValueRef unused);
LLVMValueRef emit_lane_address (Emitter *e, LLVMValueRef addresses, guint lane);
LLVMValueRef emit_gather       (Emitter *e, guint32 buffer, LLVMTypeRef memory, const Value *index);
/* By addresses, and elements of less than 4 bytes, on machines that have masks. @mask: NULL: all lanes. */
LLVMValueRef emit_gather_addresses (Emitter *e, LLVMTypeRef memory, LLVMValueRef addresses, LLVMValueRef mask);
LLVMValueRef emit_gather_narrow (Emitter *e, guint32 buffer, LLVMTypeRef memory, LLVMValueRef index, LLVMValueRef mask);
/* Where lanes write to one place the last one stays, as in a loop. */
void         emit_scatter      (Emitter *e, guint32 buffer, LLVMTypeRef memory, const Value *index, LLVMValueRef value);

/* --- acc-emit-window.c: bytes of lanes that step together, each from a place of its own on */
void         emit_open_windows  (Emitter *e, guint32 loop);   /* in front of a while */
void         emit_turn_windows  (Emitter *e, guint32 loop);   /* at the beginning of an iteration */
void         emit_close_windows (Emitter *e, guint32 loop);
LLVMValueRef emit_load_window   (Emitter *e, guint32 load);   /* NULL: it has none */

/* --- acc-emit-strided.c */
LLVMValueRef emit_load_strided (Emitter *e, guint32 id, const Value *index);      /* NULL: no better than a gather */
LLVMValueRef emit_load_repeated (Emitter *e, guint32 id, const Value *index);     /* the same */
gboolean     emit_store_strided (Emitter *e, guint32 id, const Value *index);     /* FALSE: no better than a scatter */

/* --- acc-emit-memory.c, -pack.c, -pure.c, -variables.c, -check.c, -groups.c: instructions, by their number */
Value        emit_load         (Emitter *e, guint32 id);
void         emit_store        (Emitter *e, guint32 id);
void         emit_prefetch     (Emitter *e, guint32 id);
void         emit_pack         (Emitter *e, guint32 id);
Value        emit_pure         (Emitter *e, guint32 id);
void         emit_variable     (Emitter *e, guint32 id);
Value        emit_get          (Emitter *e, guint32 id);
void         emit_set          (Emitter *e, guint32 id);
void         emit_check        (Emitter *e, guint32 id);
Value        emit_groups       (Emitter *e, guint32 id);
/* Goes to the end where the launch need not be done: on the host. */
void         emit_poll         (Emitter *e);
/* The same, where nothing else ends a block that were too long. */
void         emit_cut          (Emitter *e);

/* --- acc-emit-uniform.c: versions of a foreach body for uniform and divergent blocks */
/* The value of the instruction at an index, as a scalar, if it depends only on the index and on values from outside of the foreach; else
 * NULL. */
LLVMValueRef emit_at           (Emitter *e, guint32 id, guint32 foreach, LLVMValueRef index);
/* Tests whether the assumptions hold for the lanes from index @first on, and enters the uniform values. */
LLVMValueRef emit_test_assumptions (Emitter *e, guint32 foreach, LLVMValueRef first);

/* --- acc-emit-outline.c: long and rare blocks as functions */
gboolean     emit_outline      (Emitter *e, guint32 block);                      /* FALSE: it is to be emitted in line */

/* --- acc-emit-control.c, -foreach.c */
void         emit_instrs       (Emitter *e, guint32 block);
/* At the end of an iteration of a loop that may have many. */
void         emit_poll_in_loop (Emitter *e, guint32 loop);
void         emit_plain_for    (Emitter *e, guint32 id);     /* one element after the other: all that varies is scalars there */
gboolean     emit_foreach      (Emitter *e, guint32 id);                          /* FALSE: lanes are of no use */

/* --- acc-emit-wide-masks.c */
void         emit_widen_masks  (Emitter *e);

/* --- acc-emit-libdevice.c */
gboolean     emit_link_library (Emitter *e, GError **error);  /* defines the functions of CUDA's library that are called */

/* --- acc-emit-module.c */
typedef struct {
  gboolean          (*build) (Emitter *e, gconstpointer data, GError **error);
  const char         *passes;
  void              (*finish) (Emitter *e);   /* behind the passes; NULL: nothing is left to do */
  LLVMCodeGenFileType file;
} EmitForm;

GBytes      *emit_module       (AccKernel *kernel, AccLlvmTarget *target, AccEmitFlags flags, const EmitForm *form,
                                gconstpointer data, GError **error);
