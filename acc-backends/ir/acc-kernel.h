/* SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

#include "acc-core/expr/acc-primitives-private.h"

/* The kernel IR: a small typed structured language.
 *
 * A kernel is a list of parameters and a block of instructions. Instructions produce values, which are never changed;
 * variables are changed by kb_set(). Blocks nest: for, foreach, while, if. A value may be used in the block where it was made
 * and in blocks inside it. Scalars only: a tuple is as many values as it has leaves.
 *
 * Element code is SPMD. Outside foreach everything is *uniform*: one value. kb_foreach() runs its body for each index of
 * a range, in lock step, as many at a time as the target likes; inside it, whatever depends on the index is *varying*.
 * A loop or branch inside foreach may depend on varying values: lanes that do not take part are masked. A variable made
 * outside foreach must not be set inside it. Iterations of a foreach do not see each other's stores.
 *
 * Every buffer index is an i64 element index into the whole array (the runtime biases addresses for windows).
 *
 * Integer and float semantics are the language's (see acc-primitives.inc); bool is 0 or 1. */

typedef struct _AccKernel        AccKernel;
typedef struct _AccKernelBuilder AccKernelBuilder;

typedef struct { guint32 id; } KValue;   /* id 0: none */
typedef struct { guint32 id; } KVar;
typedef struct { guint32 id; } KBuffer;

typedef enum {
  ACC_BUFFER_READ     = 1 << 0,
  ACC_BUFFER_WRITE    = 1 << 1,
  ACC_BUFFER_ONCE     = 1 << 2,  /* every element is touched once and not soon again: non-temporal stores may pay */
  ACC_BUFFER_NO_ALIAS = 1 << 3,  /* no other buffer parameter overlaps it */
  ACC_BUFFER_COHERENT = 1 << 4,  /* SIMT: groups see each other's stores to it within a launch, in the order of kb_fence() */
  ACC_BUFFER_WIDE     = 1 << 5,  /* shared memory whose neighbours are loaded and stored together */
} AccBufferFlags;

/* --- building */

AccKernelBuilder *kb_new     (const char *name);
/* kb_finish() makes a kernel of it: see acc-passes.h. */
void              kb_discard (AccKernelBuilder *b);

/* Parameters: the n-th made is the n-th slot of the launch. All uniform. */
KBuffer kb_param_buffer (AccKernelBuilder *b, AccElementKind kind, AccBufferFlags flags, const char *name);
KValue  kb_param_scalar (AccKernelBuilder *b, AccElementKind kind, const char *name);
/* Declares how many elements a parameter has: if they are few, lanes may look them up in a register. */
void    kb_set_n_elements (AccKernelBuilder *b, KBuffer buffer, guint n_elements);

/* The part of the index space that this invocation works on; uniform i64. The space is two-dimensional: outer units and
 * inner elements; what they mean is the skeleton's business. tile counts invocations from 0. */
KValue kb_outer_begin (AccKernelBuilder *b);
KValue kb_outer_end   (AccKernelBuilder *b);
KValue kb_inner_begin (AccKernelBuilder *b);
KValue kb_inner_end   (AccKernelBuilder *b);
KValue kb_tile        (AccKernelBuilder *b);

/* Values */
KValue kb_int    (AccKernelBuilder *b, AccElementKind kind, gint64 value);   /* any integer kind, and bool */
KValue kb_i64    (AccKernelBuilder *b, gint64 value);
KValue kb_float  (AccKernelBuilder *b, AccElementKind kind, double value);
gboolean kb_is_const (AccKernelBuilder *b, KValue x);                        /* a constant, or what has been computed of such */
/* Computed from what was loaded, in some few instructions. */
gboolean kb_is_loaded (AccKernelBuilder *b, KValue x);
/* Whether the value is loaded, or computed in a few instructions from loads, constants, parameters and indices. @is_integer: all of them
 * are integers, so that computing it again gives the same bits wherever multiplications and additions are contracted. */
gboolean kb_is_simple (AccKernelBuilder *b, KValue x, gboolean is_integer);
/* A constant or a parameter. */
gboolean kb_is_invariant (AccKernelBuilder *b, KValue x);
KValue kb_prim   (AccKernelBuilder *b, AccPrimitive primitive, KValue x);
KValue kb_prim2  (AccKernelBuilder *b, AccPrimitive primitive, KValue x, KValue y);
KValue kb_cast   (AccKernelBuilder *b, AccElementKind kind, KValue x);       /* saturating float to integer, NaN to 0; to bool: x != 0 */
KValue kb_bitcast (AccKernelBuilder *b, AccElementKind kind, KValue x);
KValue kb_select (AccKernelBuilder *b, KValue condition, KValue x, KValue y); /* both are evaluated */
KValue kb_fma    (AccKernelBuilder *b, KValue x, KValue y, KValue z);        /* one rounding (f32, f64) */
AccElementKind kb_kind (AccKernelBuilder *b, KValue x);

#define kb_add(b, x, y) kb_prim2 (b, ACC_PRIM_ADD, x, y)
#define kb_sub(b, x, y) kb_prim2 (b, ACC_PRIM_SUB, x, y)
#define kb_mul(b, x, y) kb_prim2 (b, ACC_PRIM_MUL, x, y)
#define kb_min(b, x, y) kb_prim2 (b, ACC_PRIM_MIN, x, y)
#define kb_max(b, x, y) kb_prim2 (b, ACC_PRIM_MAX, x, y)
#define kb_lt(b, x, y)  kb_prim2 (b, ACC_PRIM_LT, x, y)
#define kb_le(b, x, y)  kb_prim2 (b, ACC_PRIM_LE, x, y)
#define kb_eq(b, x, y)  kb_prim2 (b, ACC_PRIM_EQ, x, y)
#define kb_and(b, x, y) kb_prim2 (b, ACC_PRIM_BAND, x, y)
#define kb_or(b, x, y)  kb_prim2 (b, ACC_PRIM_BOR, x, y)
#define kb_not(b, x)    kb_prim (b, ACC_PRIM_BNOT, x)

/* Truncated i64 division of known non-negative by positive, without checks: for index arithmetic. */
KValue kb_udiv (AccKernelBuilder *b, KValue x, KValue y);
KValue kb_urem (AccKernelBuilder *b, KValue x, KValue y);

/* Memory. Masked lanes neither read nor write. */
KValue kb_load  (AccKernelBuilder *b, KBuffer buffer, KValue index);
void   kb_store (AccKernelBuilder *b, KBuffer buffer, KValue index, KValue value);

/* The element will be loaded before long: devices with caches may fetch it. @index may be outside. */
void   kb_prefetch (AccKernelBuilder *b, KBuffer buffer, KValue index);

/* Variables; a variable of a foreach body is one per lane */
KVar   kb_var (AccKernelBuilder *b, KValue initial);
KValue kb_get (AccKernelBuilder *b, KVar var);
void   kb_set (AccKernelBuilder *b, KVar var, KValue value);

/* Failure slot. Where @ok is false in an active lane: if the slot is free, write (code, origin, index, extent) and go on.
 * The run then fails. Nothing here stops the lane: guard what follows by kb_if(). @origin: which node, given back to the
 * runtime. @kind: ACC_ERROR_BOUNDS or ACC_ERROR_ARITHMETIC. @index, @extent: i64. */
void   kb_check (AccKernelBuilder *b, KValue ok, guint kind, guint origin, KValue index, KValue extent);

/* Blocks: used as C blocks.
 *
 *   kb_for (b, i, begin, end) { ... kb_get (b, acc) ... }
 *   kb_foreach (b, i, begin, end) { ... }
 *   kb_if (b, condition) { ... }
 *   kb_if (b, condition) { ... } kb_else (b) { ... }
 *   kb_if_unlikely (b, condition) { ... }            the same, where it is a matter of speed that it hardly ever is so
 *   kb_while (b) { kb_until (b, done); ... }       kb_until leaves the loop where done holds; once per loop, at its top level
 *
 * i is a KValue (i64) in scope of the block; for and foreach step by one over [begin, end). Never break or return out of
 * a block. */
#define kb_for(b, i, begin, end) \
  for (KValue i = _kb_enter_for (b, begin, end, FALSE), *_once_##i = &i; _once_##i; _kb_leave (b), _once_##i = NULL)
#define kb_foreach(b, i, begin, end) \
  for (KValue i = _kb_enter_foreach (b, begin, end), *_once_##i = &i; _once_##i; _kb_leave (b), _once_##i = NULL)
#define _kb_block(enter, b, once) \
  for (gboolean once = (enter, TRUE); once; _kb_leave (b), once = FALSE)
#define kb_if(b, condition) _kb_block (_kb_enter_if (b, condition, FALSE), b, G_PASTE (_kb_once_, __LINE__))
#define kb_if_unlikely(b, condition) _kb_block (_kb_enter_if (b, condition, TRUE), b, G_PASTE (_kb_once_, __LINE__))
#define kb_else(b)          _kb_block (_kb_enter_else (b), b, G_PASTE (_kb_once_, __LINE__))
#define kb_while(b)         _kb_block (_kb_enter_while (b), b, G_PASTE (_kb_once_, __LINE__))
void   kb_until           (AccKernelBuilder *b, KValue done);
/* @is_long: it may have so many iterations that code on the host looks out for ACC_FAILURE_STOP now and then. */
KValue _kb_enter_for      (AccKernelBuilder *b, KValue begin, KValue end, gboolean is_long);
KValue _kb_enter_foreach  (AccKernelBuilder *b, KValue begin, KValue end);
void   _kb_enter_if       (AccKernelBuilder *b, KValue condition, gboolean seldom);
void   _kb_enter_else     (AccKernelBuilder *b);
void   _kb_enter_while    (AccKernelBuilder *b);
void   _kb_leave          (AccKernelBuilder *b);

/* Sets the number of lanes of a foreach, for results that must not depend on the machine: a fold of R lanes says R, and the emitter runs
 * blocks of R (its vectors may be narrower or wider than the machine's), or parts of one, one after the other, if lanes do not interact. 0:
 * the emitter chooses. */
void   kb_set_lanes       (AccKernelBuilder *b, guint lanes);

/* Before any value is made: keep transcendental primitives as calls of the platform's library, more exact and slower.
 * Otherwise kb_prim() builds them of other instructions, the same on every device. */
void   kb_set_precise     (AccKernelBuilder *b, gboolean precise);

/* Before any value is made: a multiplication and an addition of f32 or f64 may round once, and emitters may take what is quick
 * and off by a few ULP for division, square root, exponentials and logarithms of f32. */
void   kb_set_fast        (AccKernelBuilder *b, gboolean fast);

/* Before any value is made: the device estimates 1 / x and 1 / √x of f32, where neither is a denormal, so well that one step of Newton's
 * method makes the nearest of the first, and 2^x to two units of the last place. Quotients and roots that are not fast are made of such
 * where branches are saved by it, with the results that they have without; exponentials of f32 are made of the last. */
void   kb_set_straight    (AccKernelBuilder *b, gboolean straight);
gboolean kb_is_straight   (AccKernelBuilder *b);
/* Loads of lanes under a mask cost no more than others. */
void   kb_set_masks       (AccKernelBuilder *b, gboolean masks);
/* 2^x of f32 as such a device estimates it. */
KValue kb_estimate_exp2   (AccKernelBuilder *b, KValue x);

/* Of a fast kernel, before any value is made: exponentials and logarithms of f32 stay for what the device has. */
void   kb_set_approximate (AccKernelBuilder *b, gboolean approximate);

/* A transcendental primitive as the platform's library has it, lane by lane, whatever the mode; y: 0 for one operand. */
KValue kb_prim_platform   (AccKernelBuilder *b, AccPrimitive primitive, KValue x, KValue y);

/* --- SIMT
 *
 * A kernel whose group size is set is run by *groups* of so many *threads*. A group has a tile of the space, as an invocation
 * has on the CPU: kb_outer_begin() and so on are the bounds of the group's tile (there is no kb_tile()), and all of the code
 * is run by every thread; what depends on kb_local() or on memory differs from thread to thread. There is no foreach.
 *
 *   kb_for (b, k, 0, n)  kb_store (b, out, kb_add (b, begin, kb_add (b, kb_mul (b, k, size), kb_local (b))), ...);
 *
 * Tiles lie on multiples of the launch's tile_outer and tile_inner, counted from 0 of the whole space. No group is empty. */

/* Before any value is made. @threads: a power of two. */
void    kb_set_group_size (AccKernelBuilder *b, guint threads);
/* Sets the occupancy to aim at: threads, of several groups, that a processor of the device should hold at once; emitters limit registers
 * for it. 0: no aim. */
void    kb_set_resident   (AccKernelBuilder *b, guint threads);
/* Number of this thread in its group: i64 from 0. */
KValue  kb_local          (AccKernelBuilder *b);
/* @n elements that the threads of a group share; not initialised. Loaded and stored like a buffer. n: a constant > 0. */
KBuffer kb_shared         (AccKernelBuilder *b, AccElementKind kind, guint n, const char *name);
/* Like the above, for threads that load and store neighbours, which emitters may do 16 bytes at a time: kinds of 4 and 8 bytes, without
 * atomics. */
KBuffer kb_shared_wide    (AccKernelBuilder *b, AccElementKind kind, guint n, const char *name);
/* A barrier, in uniform control flow only: what the threads of the group stored before it to shared memory and to buffers is seen by the
 * group after it. */
void    kb_barrier        (AccKernelBuilder *b);
/* The same for the threads of a subgroup, and shared memory; of targets that have ballots. */
void    kb_subgroup_barrier (AccKernelBuilder *b);
/* A fence for COHERENT buffers: a thread that sees a store of this thread after it sees those before it, too. */
void    kb_fence          (AccKernelBuilder *b);

typedef enum {
  KB_SHUFFLE_DOWN,   /* from lane + delta of the subgroup; past the end: any value */
  KB_SHUFFLE_UP,     /* from lane - delta; before the start: any value */
  KB_SHUFFLE_XOR,    /* from lane ^ delta */
  KB_SHUFFLE_LAST,   /* from the last lane; of foreach alone */
} KShuffle;

/* @x of another thread of the subgroup; all threads of the subgroup take part. Any kind. @delta: a constant.
 *
 * Without groups, of another lane: at the top level of a foreach over [0, n) of n lanes, as kb_set_lanes() says, that is in no other.
 * UP and LAST alone. A variable from outside such a foreach may be set to what comes from the last lane. */
KValue  kb_shuffle        (AccKernelBuilder *b, KShuffle how, KValue x, guint delta);
/* Bit n, of a u32: whether the bool @x is true in lane n of the subgroup; all its threads take part.
 *
 * Without groups, of 32 lanes at most, as for kb_shuffle(). */
KValue  kb_ballot         (AccKernelBuilder *b, KValue x);
/* Packs the values of lanes whose bool @stays is true, in the order of lanes, and stores them from @first on, which is uniform. Lanes as
 * for kb_ballot(), without groups. Places behind them, up to the uniform @end, may be overwritten with anything: where the caller stores
 * there later, whole registers are faster than parts. */
void    kb_pack           (AccKernelBuilder *b, KBuffer buffer, KValue first, KValue value, KValue stays, KValue end);

typedef enum {
  KB_ATOMIC_ADD,       /* integers of 4 and 8 bytes (wrapping), f32 and f64 */
  KB_ATOMIC_MIN,       /* integers of 4 and 8 bytes */
  KB_ATOMIC_MAX,
  KB_ATOMIC_AND,
  KB_ATOMIC_OR,
  KB_ATOMIC_XOR,
  KB_ATOMIC_EXCHANGE,  /* any kind of 4 or 8 bytes */
} KAtomic;

/* The element before. Relaxed, all of the device; of COHERENT buffers and shared memory. */
KValue  kb_atomic         (AccKernelBuilder *b, KAtomic how, KBuffer buffer, KValue index, KValue value);
/* Compare and swap: stores @desired if the bits of the element are those of @expected, and returns the element as it was. Any kind: 1 and 2
 * bytes through the word around them. */
KValue  kb_atomic_cas     (AccKernelBuilder *b, KBuffer buffer, KValue index, KValue expected, KValue desired);

/* --- a finished kernel: immutable, counted */

AccKernel  *acc_kernel_ref       (AccKernel *self);
void        acc_kernel_unref     (AccKernel *self);
const char *acc_kernel_get_name  (AccKernel *self);
/* Instructions: what compiling it takes goes with them. */
guint       acc_kernel_get_length (AccKernel *self);
/* Whether it has loops that end when values say so. */
gboolean    acc_kernel_has_while (AccKernel *self);
/* Whether the code of it on the host looks out for ACC_FAILURE_STOP: where loops may take long. */
gboolean    acc_kernel_may_stop  (AccKernel *self);
guint       acc_kernel_get_n_params (AccKernel *self);
/* Threads per group; 0: a kernel for the CPU. */
guint       acc_kernel_get_group_size (AccKernel *self);
char       *acc_kernel_to_string (AccKernel *self);
/* SHA-256 of the printed form without names, hexadecimal: the content part of cache keys. */
const char *acc_kernel_get_hash  (AccKernel *self);
gboolean    acc_kernel_verify    (AccKernel *self, GError **error);

G_DEFINE_AUTOPTR_CLEANUP_FUNC (AccKernel, acc_kernel_unref)

/* --- the binary interface on the host */

/* AccFailure.state: what the launch still has to do may be left undone. */
#define ACC_FAILURE_STOP 3

typedef struct {
  gint    state;      /* 0 free, 1 being written, 2 complete, or ACC_FAILURE_STOP: atomic */
  guint32 kind;       /* ACC_ERROR_BOUNDS or ACC_ERROR_ARITHMETIC */
  guint32 origin;
  guint32 pad;
  gint64  index;
  gint64  extent;
} AccFailure;

/* @slots: one 8-byte slot per parameter: a buffer's (biased) address, or a scalar's bits in the low bytes.
 * @range: outer_begin, outer_end, inner_begin, inner_end, tile. Where @failure is not free, loops that may take long are left, and all that
 * is behind them. */
typedef void (*AccKernelEntry) (const guint64 *slots, const gint64 *range, AccFailure *failure);
