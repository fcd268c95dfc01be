/* SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

#include "acc-element-type.h"
#include "acc-kernel.h"

/* Facts about the device that a kernel is for, which skeletons may use. Facts, not names: two devices with the same property have the same
 * value here. */

typedef enum {
  ACC_MODEL_CPU,    /* a worker goes over a tile, lanes of a foreach in lock step */
  ACC_MODEL_SIMT,   /* a group of threads goes over a tile */
} AccModel;

typedef struct {
  AccModel model;

  gboolean has_fma;            /* one instruction multiplies and adds with one rounding, of f4 and f8 */

  /* CPU */
  guint    n_threads;          /* that work at once; 0: not known */
  /* the registers that hold vectors */
  guint    register_bytes;
  guint    n_registers;
  gboolean has_gathers;        /* a gather costs no more than as many scalar loads, however few lanes are active */
  gboolean has_masks;          /* loads under a mask cost no more than others */

  /* SIMT; threads of groups and subgroups are powers of two */
  guint    group_size;         /* threads per group that suit the device: 64 to 1024; skeletons may take fewer */
  guint    max_group_size;     /* at most so many */
  guint    subgroup_size;      /* threads that may shuffle: thread t of a group is lane t % subgroup_size; 1: no shuffles */
  gboolean has_ballots;        /* kb_ballot and kb_subgroup_barrier: of subgroups of up to 32 */
  gsize    shared_bytes;       /* shared memory of a group */
  gsize    table_bytes;        /* the part of it that copies of a group's tables should take at most: with more, fewer groups run at once */
  gsize    held_bytes;         /* likewise for data of its tile that a group keeps between two uses; 0: registers are better */
  guint    n_groups;           /* groups that keep the whole device busy */
  gboolean has_estimates;      /* of 1 / x and 1 / √x of f4: see kb_set_straight() */
  gboolean has_progress;       /* groups that have begun go on while others wait for them: look-back scans and locks may spin */
  gboolean has_residency;      /* kb_set_resident() is heeded */
  gboolean has_atomic_64;      /* kb_atomic and kb_atomic_cas of 8 bytes */
  gboolean has_atomic_add_f32;
  gboolean has_atomic_add_f64;
  gboolean merges_loads;       /* loads of neighbouring elements by a thread, up to 16 bytes, become one access */
  guint    max_iterations;     /* of all loops of a thread together: the device leaves them then; 0: any number */
  guint    max_held;           /* elements that a thread should hold in registers at once, where each takes a few of them */
  gint64   few;                /* below so many elements tiles and windows should be small: a tile for each processor, and less code; 0:
                                * never */
  gboolean has_library;        /* transcendental primitives that are better than those built of other instructions */
  gboolean has_fast_library;   /* such where fast_math is asked for */
  gboolean has_fast_exp;       /* exponentials and logarithms of f4 for where it is */
  guint    kinds;              /* bit (1 << AccElementKind): values that the device can hold and compute with */

  gboolean fast_math;          /* asked for: see acc_backend_set_fast_math() */
  gboolean by_rows;            /* asked for: what can go by rows must */
  gboolean for_modules;        /* whole programs are written, of operations that have products, transforms and folds of segments */
  gboolean narrow_modules;     /* of those, products of 64-bit integers and transforms are composed */
} AccTarget;

/* A processor of which nothing is known. */
extern const AccTarget acc_target_cpu;

static inline gboolean
acc_target_has_kind (const AccTarget *target,
                     AccElementKind   kind)
{
  return target->model == ACC_MODEL_CPU || (target->kinds & (1u << kind)) != 0;
}

/* Whether the device has all kinds that @kernel holds in memory or computes with; else @missing is one that it lacks. */
gboolean acc_target_can_run (const AccTarget *target, const AccKernel *kernel, AccElementKind *missing);
