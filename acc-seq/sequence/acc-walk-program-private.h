/* SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

#include "acc-walk-private.h"

#include "acc-core/base/acc-words-private.h"

/* An argument behind those that the parts of a step give: an array that functions of the stage read, or a number. */
typedef struct {
  gint   which;    /* of these; -1: */
  gint64 number;
} AccWalkExtra;

/* The graph of a step, compiled, for all steps that differ in what is in their arrays. Nothing changes once it is made. */
struct _AccWalkProgram {
  AccWords        words;        /* of all that decides it; none: it is of one stage */
  gatomicrefcount ref_count;
  GArray         *key;          /* of guint64: what else decides it but the stage */
  gboolean        is_made;
  gboolean        is_own;       /* its graph has something of its walk: others are told so, and have programs of their own */
  AccExecutable  *executable;   /* owned; NULL: nothing is computed, or it does not compile */
  GArray         *forms;        /* AccWalkForm, of what outlets want; NULL: it does not compile */
  guint          *ends;
  GArray         *levels;       /* of guint: what outlets keep of build() for absorb() */
  GArray         *results;      /* of gint, for each array of what they want: of the executable, or ~ of the argument */
  GArray         *extras;       /* AccWalkExtra */
};

AccWalkProgram   *acc_walk_program_new      (GArray *key);
AccWalkProgram   *acc_walk_program_ref      (AccWalkProgram *self);
void              acc_walk_program_unref    (AccWalkProgram *self);

/* --- what walks of the same functions have in common */

/* Words of all of @self that decides what its steps compute, @key included; to be freed. None: other walks have no use for them. */
AccWords          acc_walk_stage_describe   (AccWalkStage *self, GArray *key);
/* Whether there are such words. */
gboolean          acc_walk_stage_is_described (AccWalkStage *self);
/* Arrays in memory that its functions read, and graphs of what it begins with, in the order of those words; borrowed. */
GPtrArray        *acc_walk_stage_get_read   (AccWalkStage *self);

/* A program of a walk before, on the same backend; owned. NULL: there is none, and *came: it was looked for before. */
AccWalkProgram   *acc_walk_programs_find    (AccBackend *backend, const AccWords *words, gboolean *came);
/* For others to find: it is made, has words, and its executable, if it has one, borrows its backend. */
void              acc_walk_programs_add     (AccBackend *backend, AccWalkProgram *program);
/* How often walks found one of a walk before. */
guint64           acc_walk_programs_count_hits (AccBackend *backend);
