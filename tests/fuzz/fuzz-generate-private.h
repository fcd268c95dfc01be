/* SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

#include <acc/acc.h>

/* What fuzz-generate.c writes a program with, and the scalar functions of it. */

typedef struct {
  guint           number;
  AccElementType *type;
  guint           rank;
} FuzzArray;

typedef struct {
  GRand   *rand;
  GString *text;
  GArray  *arrays;       /* FuzzArray: what may be named */
  guint    n_arrays, n_exprs, n_programs;
  gboolean is_open;      /* offers may come: no program is begun within another */
} FuzzGenerator;

guint           fuzz_pick            (FuzzGenerator *self, guint n);
AccElementType *fuzz_type            (const char *code);
/* i8 for one dimension, else a tuple of them. */
AccElementType *fuzz_index_type      (guint rank);

/* Writes "eN = …" and gives N. */
guint           fuzz_say             (FuzzGenerator *self, const char *format, ...) G_GNUC_PRINTF (2, 3);
guint           fuzz_say_variable    (FuzzGenerator *self, AccElementType *type);
guint           fuzz_say_number      (FuzzGenerator *self, gint64 value);
/* A value that depends on nothing. */
guint           fuzz_say_constant    (FuzzGenerator *self, AccElementType *type);
/* A line "function", of parameters of those types. */
void            fuzz_say_function    (FuzzGenerator *self, AccElementType **params, guint n, AccElementType *result);
