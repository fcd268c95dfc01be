/* SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

#include <acc/acc.h>

/* Programs from files to a file in processes of their own, whose memory the kernel measures and bounds. */

/* A raw file of elements, of which there is one for each type, rank and number of rows. */
typedef struct {
  const char *code;
  guint       rank;
  gint64      extents[2];
} MemoryFile;

typedef AccArray *(*MemoryBuildFunc)    (AccArray **sources);
/* What is in the file, of rows that TestSource has. */
typedef AccArray *(*MemoryContentsFunc) (const MemoryFile *file, AccArray *array);

/* Runs this program with the arguments "--child", @name and @folder, in a memory cgroup where one can be made; its peak is not above the
 * memory limit and what is declared for the rest of the process. */
void memory_test      (AccBackend *backend, const char *name, const MemoryFile *const *files, guint n_files, MemoryContentsFunc contents,
                       const char *folder, gboolean may_be_refused);
/* What "--child" does. */
int  memory_run_child (MemoryBuildFunc build, const MemoryFile *const *files, guint n_files, const char *folder);
