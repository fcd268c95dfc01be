/* SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

#include "stream-memory.h"

#include <acc/acc.h>

/* Programs of the operations of the table, each with the arrays that it reads. */

#ifndef ROWS
#define ROWS    2000
#endif
#define COLUMNS (ROWS < 2000 ? 300 : 1500)
#define MAX_SOURCES 3

typedef enum {
  A_TWENTIETH,
  A_QUARTER,
  MORE,
} StreamShare;

typedef struct {
  const char *name;
  AccArray *(*build) (AccArray **s);
  const MemoryFile *data[MAX_SOURCES];
  StreamShare share;      /* of its data that is enough, on the native backend */
  const char *why;        /* no less is */
  gboolean    near;       /* a library computes it; the last bits may be others */
  gboolean    decides;    /* what stages store decides what comes after them: plans cannot know all that runs need */
} StreamProgram;

extern const StreamProgram stream_programs[];
extern const guint stream_n_programs;

const StreamProgram *stream_program_find (const char *name);

/* What is in a file of such rows, of which some are lengths of segments. */
AccArray *stream_program_dup_contents (const MemoryFile *data, AccArray *array);
GBytes   *stream_program_make_bytes   (AccBackend *backend, const MemoryFile *data, guint32 seed);
AccArray *stream_program_open_file    (const MemoryFile *data, GBytes *bytes);
