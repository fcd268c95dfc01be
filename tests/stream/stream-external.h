/* SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

#include "stream-files.h"

/* What tests of external algorithms share: vectors from files, programs that leave the bytes that they leave in memory, and what goes wrong
 * within a low limit. */

typedef struct {
  const char *name;
  AccArray *(*build) (AccArray *a);
  const char *codes;       /* of elements */
  gboolean    is_kept;     /* the interpreter keeps something whole besides */
} TestExternalProgram;

/* A test of each program, of vectors in several orders, which take a part of the memory that they need as a whole. */
void test_external_add            (const char *name, AccBackend *backend, const TestExternalProgram *programs, guint n_programs);

typedef struct {
  AccBackend *backend;
  TestSource *source;
  AccArray   *sorted;
} TestExternal;

/* A source of 200000 elements, which are sorted, within 200000 bytes. */
void test_external_set_up         (TestExternal *f, gconstpointer data);
void test_external_tear_down      (TestExternal *f, gconstpointer data);
/* What .sorted is fails, and says both. */
void test_external_expect_failure (TestExternal *f, GCancellable *cancellable, GQuark domain, int code, const char *first,
                                   const char *second);
/* No matter which reservation is refused, the error is clear, and nothing is left. */
void test_external_check_refused  (TestExternal *f, gconstpointer data);
