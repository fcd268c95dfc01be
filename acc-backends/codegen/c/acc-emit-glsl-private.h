/* SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

#include "acc-emit-c-private.h"

/* --- acc-emit-glsl-memory.c */
const char *gl_memory_type       (AccElementKind kind);
void        gl_extend_for_memory (CWriter *w, AccElementKind kind, gboolean of_shared);
guint       gl_number_of_buffer  (const AccKernel *kernel, guint32 param);
/* Whether shared memory is declared as words4, for quick code. */
gboolean    gl_is_wide           (CWriter *w, guint32 buffer);
/* Shared memory has one type: that which its atomics take, where there are any. */
void        gl_choose_storage    (CWriter *w);

/* As CSyntax says */
char       *gl_load              (CWriter *w, guint32 buffer, const char *index);
void        gl_store             (CWriter *w, guint32 buffer, const char *index, const char *value);
char       *gl_words             (CWriter *w, guint32 buffer, const char *index, guint n_words);
void        gl_atomic            (CWriter *w, guint32 id, const char *index, const char *value);
void        gl_cas               (CWriter *w, guint32 id, const char *index, const char *expected, const char *desired);
