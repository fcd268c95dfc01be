/* SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

#include "acc-backends/ir/acc-kernel-private.h"
#include "acc-emit-c.h"

/* The text is one language in both dialects: types i8 … u64, f16, f32, f64, and macros for what is spelled differently.
 *
 *   I8 (x) … U64 (x)           conversions of integers, wrapping; from floats in range
 *   BITS32 (x), FLOAT32 (x)    between f32 and u32; BITS64 and FLOAT64
 *   WIDE (x), PLACE (x)        of an i32, as an i64; as an index, which is not negative
 *   WIDE_U32 (x)               of a u32, as a u64
 *   words2, words4; WORDS1 (a), WORDS2 (a, b), WORDS4 (a, b, c, d)   types of several u32, and their values
 *   LOW (x), HIGH (x), JOIN (low, high)   of a u64, as two u32
 *   POPCOUNT32, CLZ32          of u32
 *   EXACT                      before variables whose arithmetic must stay as it is written
 *
 * An f16 is its bits. Small integers may be kept in larger registers, always extended as their kind is. Each instruction is
 * one named temporary: v and its number; variables are x, buffers p (and o, what is added to indices), shared memory m. */

typedef struct _CWriter CWriter;

/* A pack: loads or stores of neighbours that become one access, at the first load, or the last store. */
typedef struct {
  guint   n;                 /* elements: 16, 8 or 4 bytes */
  guint32 ids[16];           /* the instructions, in the order of the elements */
  guint   first_lane, last_lane; /* which of them is first and last in the block */
} CPack;

typedef struct {
  GArray  *packs;            /* CPack */
  guint32 *of;               /* by instruction: the number of its pack, from 1; 0: in none */
} CPacks;

/* The parts that the dialects spell differently. Text is freed by the caller. */
typedef struct {
  char *(*load)    (CWriter *w, guint32 buffer, const char *index);
  void  (*store)   (CWriter *w, guint32 buffer, const char *index, const char *value);
  /* The place of @n_words u32, at the element @index, whose address is a multiple of their bytes; of shared memory, at the @index-th 4. */
  char *(*words)   (CWriter *w, guint32 buffer, const char *index, guint n_words);
  void  (*atomic)  (CWriter *w, guint32 id, const char *index, const char *value);
  void  (*cas)     (CWriter *w, guint32 id, const char *index, const char *expected, const char *desired);
  /* @flushes: stores to buffers are seen as well, and not those to shared memory alone. */
  void  (*barrier) (CWriter *w, gboolean flushes);
  void  (*subgroup_barrier) (CWriter *w);
  void  (*fence)   (CWriter *w);
  /* Of a u32, in a temporary. */
  char *(*shuffle) (CWriter *w, KShuffle how, const char *x, guint delta);
  char *(*ballot)  (CWriter *w, const char *x);
  /* A call of the platform's library for f32 or f64; NULL with an error where there is none. */
  char *(*library) (CWriter *w, AccPrimitive primitive, const char *x, const char *y);
  /* Of f32, to some 2^-17 of the result, or of 1 for logarithms near 0. */
  char *(*approximate) (CWriter *w, AccPrimitive primitive, const char *x);
  /* ACC_KOP_EXTEND of an i32 or u32 by the device's own instruction; NULL: by shifts and masks. */
  char *(*extend)  (CWriter *w, AccElementKind kind, guint bits, const char *x);
  /* ACC_KOP_OPAQUE; NULL: it is the value. */
  char *(*opaque)  (CWriter *w, AccElementKind kind, const char *x);
  /* ACC_KOP_ESTIMATE */
  char *(*estimate) (CWriter *w, AccPrimitive of, const char *x);
  const char *inverse_root;   /* of f32, quick */
  gboolean    splits_floats;  /* floats become integers of 64 bits word by word */
} CSyntax;

struct _CWriter {
  const AccKernel   *kernel;
  const AccCDialect *dialect;
  const CSyntax     *syntax;
  GString           *types;        /* what comes before functions */
  GString           *functions;
  GString           *body;
  guint              depth;
  GHashTable        *known;        /* names of .types and .functions */
  GHashTable        *extensions;
  CPacks            *packs;        /* NULL: every element by itself */
  guint8            *widths;       /* by instruction; NULL: every i64 is one */
  guint8            *storage;      /* GLSL: per array of shared memory, the kind that it is stored as */
  guint8            *flushes;      /* by instruction: a barrier of buffers, too; NULL: there are none */
  guint              n_whiles;     /* loops around what is written that may wait for other groups */
  GError            *error;
};

/* From the bottom to the top: files call those that come before them here. */

/* --- acc-emit-c-barriers.c */
/* By instruction: barriers that order accesses to buffers, too. NULL: there are none. */
guint8     *c_find_flushes    (const AccKernel *kernel);

/* --- acc-emit-c-packs.c */
/* NULL: there are none. */
CPacks     *c_find_packs      (const AccKernel *kernel);
void        c_packs_free      (CPacks *packs);

/* --- acc-emit-c-widths.c */
enum {
  C_NARROW   = 1 << 0, /* an i64 that is an i32 in the text: where it is not small, its low bits */
  C_SMALL    = 1 << 1, /* an i64 that an i32 can have */
  C_BELOW_32 = 1 << 2, /* an i64 from 0 to 31 */
};
/* By instruction, for a small launch. */
guint8     *c_find_widths     (const AccKernel *kernel);

/* --- acc-emit-c-writer.c: the text */
void        c_writer_init     (CWriter *w, AccKernel *kernel, const AccCDialect *dialect, const CSyntax *syntax, gboolean quick);
void        c_writer_clear    (CWriter *w);
/* A line of the body, indented. */
void        c_line            (CWriter *w, const char *format, ...) G_GNUC_PRINTF (2, 3);
void        c_open            (CWriter *w);
void        c_close           (CWriter *w);
void        c_fail            (CWriter *w, const char *format, ...) G_GNUC_PRINTF (2, 3);
/* TRUE the first time. */
gboolean    c_once            (CWriter *w, const char *name);
/* Whether there was a first time. */
gboolean    c_has_once        (CWriter *w, const char *name);
void        c_extend          (CWriter *w, const char *extension);
/* @format for each extension in order, which stands where a % is in it. */
void        c_append_extensions (CWriter *w, GString *s, const char *format);

/* --- acc-emit-c-text.c: types, constants and values */
const char *c_type            (AccElementKind kind);
const char *c_cast            (AccElementKind kind);   /* I8 … U64, F32, F64; U16 of f16 */
gboolean    c_is_long         (AccElementKind kind);
char       *c_integer         (AccElementKind kind, guint64 bits);
char       *c_float           (AccElementKind kind, double value);
/* What the bits of a constant of f32 or f64 mean. */
double      c_double_of       (AccElementKind kind, guint64 bits);
gboolean    c_has_width       (CWriter *w, guint32 id, guint8 width);
char       *c_value           (CWriter *w, guint32 id);
/* The same of an i64, as an i32: its low bits. */
char       *c_low             (CWriter *w, guint32 id);
/* Of an index, which is not negative: u32 or i64. */
char       *c_index           (CWriter *w, guint32 id);
/* The type of so many u32: 1, 2 or 4. */
const char *c_words           (guint n);
/* Between a value and its bits: u32 for kinds of 1, 2 and 4 bytes, else u64. */
char       *c_to_bits         (AccElementKind kind, const char *x);
char       *c_from_bits       (AccElementKind kind, const char *x);
/* Declares the value of an instruction. */
void        c_assign          (CWriter *w, guint32 id, const char *expression);
/* Sets one that is declared to what the bits mean. */
void        c_set_bits        (CWriter *w, guint32 id, const char *bits);

/* --- acc-emit-c-library.c: functions that are written before the kernel, each where it is needed */
void        c_need            (CWriter *w, const char *name);
/* Of a kind: name and kind, as in shift_i32. */
void        c_need_of         (CWriter *w, const char *name, AccElementKind kind);

/* --- acc-emit-c-scalar.c, -convert.c: expressions */
char       *c_primitive       (CWriter *w, AccPrimitive primitive, AccElementKind kind, const char *x, const char *y,
                               const AccKernelInstr *second);
/* The smaller or larger one of a number and a constant; NULL: @instr is something else. */
char       *c_limit           (CWriter *w, const AccKernelInstr *instr, const char *x, const char *y);
char       *c_convert         (CWriter *w, AccElementKind from, AccElementKind to, const char *x);
char       *c_bitcast         (AccElementKind from, AccElementKind to, const char *x);
char       *c_fma             (CWriter *w, AccElementKind kind, const char *x, const char *y, const char *z);
/* ACC_KOP_EXTEND */
char       *c_extension       (CWriter *w, AccElementKind kind, guint bits, const char *x);
char       *c_index_division  (CWriter *w, const char *x, const char *y, const AccKernelInstr *divisor, gboolean is_remainder);
char       *c_narrow_division (const char *x, const char *y, const AccKernelInstr *divisor, gboolean is_remainder);
gboolean    c_uses_kind       (const AccKernel *kernel, AccElementKind kind);

/* --- acc-emit-c-memory.c, -pure.c: instructions */
gboolean    c_is_shared       (guint32 buffer);
/* Whether it adds floats by an atomic of the device. */
gboolean    c_adds_floats     (CWriter *w, const AccKernelInstr *instr);
/* Loops of compare-and-swap of @word, a u32 or u64: @cas is the call's text before "old, new)". */
void        c_cas_part        (CWriter *w, guint32 id, const char *word, const char *cas, const char *shift, const char *expected,
                               const char *desired);
void        c_cas_add         (CWriter *w, guint32 id, const char *word, const char *cas, const char *value);
void        c_write_memory    (CWriter *w, guint32 id, const AccKernelInstr *instr);
void        c_write_pure      (CWriter *w, guint32 id, const AccKernelInstr *instr);

/* --- acc-emit-c.c */
/* The body, from the kernel's first instruction to its last. */
gboolean    c_write_body      (CWriter *w, GError **error);
