/* SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

#include "acc-kernel-private.h"

#define KB_KEPT       8
#define KB_KEPT_PARTS 3

/* Intermediate results of a mathematical function, with branches, which other functions of the same argument need, too. */
typedef struct {
  KValue  of;
  guint64 how;
  KValue  parts[KB_KEPT_PARTS];
} KKept;

struct _AccKernelBuilder {
  AccKernel  *kernel;
  GArray     *stack;      /* guint32: open blocks, the innermost last */
  guint32    *slots;      /* ids of what was computed before; 0: free */
  guint       n_slots;    /* a power of two */
  guint       n_known;    /* slots that are taken */
  GError     *error;      /* the first mistake; nothing is added after it */
  guint       lanes;
  KKept       kept[KB_KEPT];  /* the latest ones, in turn */
  guint       n_kept;
  gboolean    approximate;    /* exponentials and logarithms of f32 stay for what the device has */
};

/* For a kernel that does the same with the same parameters; and puts what @made has built in place of what @b has, and frees @made. */
AccKernelBuilder *_kb_new_like (const AccKernel *kernel);
void    _kb_take_over (AccKernelBuilder *b, AccKernelBuilder *made);
/* Notes the first mistake. */
void    _kb_set_error (AccKernelBuilder *b, const char *message);
AccKernelBlock *_kb_get_block (AccKernelBuilder *b, guint32 block);
/* The innermost of the open blocks. */
guint32 _kb_current_block (AccKernelBuilder *b);
guint32 _kb_push_block (AccKernelBuilder *b, guint32 parent);
KValue  _kb_append (AccKernelBuilder *b, AccKernelInstr instr);
/* Returns an equal instruction that was made before, or a folded one, or else appends it. For pure instructions and loads of read-only
 * buffers. */
KValue  _kb_pure   (AccKernelBuilder *b, AccKernelInstr instr);
KValue  _kb_const  (AccKernelBuilder *b, AccElementKind kind, guint64 bits);
void    _kb_keep   (AccKernelBuilder *b, const KKept *kept);
/* What was kept of @x, done as @how says, and holds here. NULL: nothing. */
const KKept *_kb_find_kept (AccKernelBuilder *b, KValue x, guint64 how);
/* 0: nothing simpler is known. */
guint32 _kb_fold   (AccKernelBuilder *b, const AccKernelInstr *instr);
/* Whether all blocks are closed, and nothing went wrong. */
gboolean _kb_is_whole (AccKernelBuilder *b);
