/* SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

#include "acc-sequence-private.h"
#include "acc-walk-part-private.h"

#include "acc-core/array/acc-program-private.h"
#include "acc-core/backend/acc-backend-private.h"
#include "acc-evaluate.h"
#include "acc-executable.h"
#include "acc-seq/sequence/producers/acc-sequence-arrays-private.h"
#include "acc-seq/stream/acc-job-private.h"

/* A walk over sequences. Its stages take some elements from their inlets, make what their outlets want of them in one run of the backend,
 * and hand that on: to arrays that are asked for, or to the inlets of other stages. Functions of elements are within a stage; what holds
 * back, leaves out or adds elements is between two. Stages are driven from the end: one that has nothing to work on steps those before
 * it. */

typedef struct _AccWalk       AccWalk;
typedef struct _AccWalkStage  AccWalkStage;
typedef struct _AccWalkInlet  AccWalkInlet;
typedef struct _AccWalkOutlet AccWalkOutlet;
typedef struct _AccWalkReader AccWalkReader;
typedef struct _AccWalkProgram AccWalkProgram;
typedef struct _AccWalkStructure AccWalkStructure;
typedef struct _AccWalkAhead  AccWalkAhead;

struct _AccWalk {
  AccBackend   *backend;      /* owned */
  gint64        chunk;        /* elements in a step; 0: as many as is best */
  gint64        step_time;    /* microseconds that a step of a stage should take at most; 0: no target */
  GCancellable *cancellable;
  AccWalkAhead *ahead;        /* what steps it; NULL: whoever wants its elements */
  gboolean    (*make_room) (AccWalkAhead *ahead);   /* where that is: memory did not suffice; FALSE: nothing else can be given up */
  GMutex        telling;
  AccJob       *job;          /* borrowed; NULL: none */
  AccJobWalk    told;         /* to that */
  AccJobWalk    now;          /* how far it is, from the first step on */
  gboolean      has_begun;
  gboolean      to_host;      /* what has no room on a device may be written to the host: it has no other way */
  gboolean      gathers;      /* all elements go through to its ends: what is between stages waits until it makes a step */
  void        (*tell) (AccWalk *self);              /* the job how far it is; NULL: it does not gather */
  GPtrArray    *stages;       /* owned, those that come first in front */
  GHashTable   *stage_of;     /* AccSequence → the stage that has its elements */
  GHashTable   *functions;    /* AccSequence → AccSequenceFunction with what does not depend on elements in memory, owned */
  GPtrArray    *sequences;    /* owned references: the keys of the above */
};

/* @roots: all that elements are wanted of. */
AccWalk       *acc_walk_new          (AccBackend *backend, AccSequence **roots, guint n_roots, gint64 chunk, GCancellable *cancellable,
                                      GError **error);
void           acc_walk_free         (AccWalk *self);
G_DEFINE_AUTOPTR_CLEANUP_FUNC (AccWalk, acc_walk_free)
/* What a walk over @roots would do, in words; owned. */
char          *acc_walk_describe     (AccBackend *backend, AccSequence **roots, guint n_roots, gint64 chunk);
/* All that @roots are made of, inputs first, each once; owned. */
GPtrArray     *acc_walk_sort_sequences (AccSequence **roots, guint n_roots);
/* For steps from now on; borrowed. */
void           acc_walk_set_cancellable (AccWalk *self, GCancellable *cancellable);
/* What is told from now on how far the walk is; borrowed, nullable. Any thread from the first step on. */
void           acc_walk_set_job      (AccWalk *self, AccJob *job);
/* Borrowed. */
AccWalkStage  *acc_walk_find_stage   (AccWalk *self, AccSequence *sequence);
/* With what does not depend on elements in memory. */
static inline AccSequenceFunction *
acc_walk_get_function (AccWalk     *self,
                       AccSequence *sequence)
{
  AccSequenceFunction *function = g_hash_table_lookup (self->functions, sequence);

  return function != NULL ? function : sequence->function;
}
/* Before the first step: whether there is room for the largest element that is certain to be computed, as far as extents are known.
 * @wanted: elements that each end of the walk is certain to want; G_MAXINT64: all. FALSE: ACC_ERROR_OUT_OF_MEMORY. */
gboolean       acc_walk_check_largest (AccWalk *self, gint64 wanted, GError **error);
/* Of the elements of @sequence, the first of those with the most bytes; FALSE: it is not known before a walk which. */
gboolean       acc_walk_find_largest (AccSequence *sequence, gint64 *number, gint64 *bytes);
/* Stages of one element have no room within less, or go on by very few values at a time. */
#define ACC_WALK_LEAST_LIMIT (64 * 1024)
/* @element alone, of @bytes, fails with *@error. */
void           acc_walk_prefix_alone (GError **error, gint64 element, gint64 bytes);
/* Whether its elements are functions of others, or of their number. */
gboolean       acc_walk_is_map       (AccWalk *self, AccSequence *sequence);
/* One step for @outlet, which is not done, and those that follow from it. */
gboolean       acc_walk_step_outlet  (AccWalk *self, AccWalkOutlet *outlet, GError **error);
/* Steps until @outlet is done. */
gboolean       acc_walk_run_outlet   (AccWalk *self, AccWalkOutlet *outlet, GError **error);
/* Computes what of the functions of all sequences does not depend on elements. */
gboolean       acc_walk_hoist        (AccWalk *self, GError **error);

/* The same for a function that no sequence has; owned. */
AccSequenceFunction *acc_walk_close_function (AccWalk *self, AccSequenceFunction *function, GError **error);

/* --- stages */

struct _AccWalkStage {
  AccWalk   *walk;
  GPtrArray *inlets;          /* owned */
  GPtrArray *maps;            /* AccSequence, those that come first in front */
  GPtrArray *outlets;         /* owned */
  GPtrArray *programs;        /* AccWalkProgram, owned: of steps before */
  AccWalkStructure *structure; /* owned: what it is for programs of other walks; NULL: nobody asked yet */
  GPtrArray *numbers;         /* AccArray, owned: of the graph that was built last */
  AccArray  *begin;           /* owned: where the step begins, a number */
  gint64     done;            /* elements so far */
  gint64     most;            /* elements in a step, learned from refusals and times */
  gint64     round;           /* steps of irregular elements that are read end at multiples of it; 0: anywhere */
  double     each;            /* microseconds that an element of the last step took */
  gboolean   halved;          /* because that took long */
  gboolean   keeps_size;      /* smaller steps were no quicker */
  guint      stays;           /* steps before one may have more elements again than memory had room for */
  gint64     stored_for;      /* the last element that inlets went to files for; -1: none */
  GError    *failure;         /* owned: of element number .fails_at, for who wants more than those before it; NULL: none is known */
  gint64     fails_at;
  gboolean   ended;
  gboolean   alone;           /* graphs are of one element, and what that consists of is as what is the same for all */
};

AccWalkStage  *acc_walk_stage_new      (AccWalk *walk);
void           acc_walk_stage_free     (AccWalkStage *self);
/* Numbers of the next @count elements; where they begin is data, so that kernels are the same in every step. */
AccNestedArray *acc_walk_stage_count_up (AccWalkStage *self, gint64 count);
/* For the graph of the step, in which it is data: an i8 of rank 0 that follows from what else decides the graph. Owned. */
AccArray      *acc_walk_stage_add_number (AccWalkStage *self, gint64 number);
/* From now on it builds graphs for elements from number .done on. */
void           acc_walk_stage_set_begin (AccWalkStage *self);
/* The AccNestedArrays that outlets want of @parts; @ends: behind those of each outlet. Owned. */
GPtrArray     *acc_walk_stage_build    (AccWalkStage *self, AccWalkPart **parts, gint64 count, guint *ends);
/* Adds to @wanted what outlets want of @some where that depends on nothing that came before; else the elements that they want it of. */
void           acc_walk_stage_build_apart (AccWalkStage *self, AccWalkPart **some, gint64 count, GPtrArray *wanted);
/* In place of @parts that are graphs, of which nothing can be cut. */
gboolean       acc_walk_stage_compute_parts (AccWalkStage *self, AccWalkPart **parts, gint64 count, GError **error);
/* Finds the first element of a step that fails by itself, and puts it in front of the message, which is what a plain array would get.
 * Returns its place in the step; -1: none does. */
gint64         acc_walk_stage_blame    (AccWalkStage *self, AccWalkPart **parts, gint64 count, GError **error);
/* Puts element @number of the stage in front of the message, and where it came from. */
void           acc_walk_stage_prefix   (AccWalkStage *self, gint64 number, GError **error);
/* Takes over @error, which is that of whoever wants element @number of the stage, or what follows. */
void           acc_walk_stage_fail     (AccWalkStage *self, gint64 number, GError *error);
/* Does nothing where it has ended. Where it fails, it has gone as far as it can: elements before those that fail are there. */
gboolean       acc_walk_stage_step     (AccWalkStage *self, GError **error);
/* Whether a step needs no other stage's, and is not known to fail. */
gboolean       acc_walk_stage_is_ready (AccWalkStage *self);
/* Whether all of its elements come from other stages. */
gboolean       acc_walk_stage_is_between (AccWalkStage *self);
/* Whether there is nothing left that anything wants of it. */
gboolean       acc_walk_stage_is_over  (AccWalkStage *self);

/* --- programs of steps */

/* The AccNestedArrays that outlets want of @parts; @ends: behind those of each outlet. Owned. */
typedef GPtrArray *(*AccWalkBuild) (AccWalkStage *self, AccWalkPart **parts, gint64 count, guint *ends);

GPtrArray     *acc_walk_programs_new   (void);
void           acc_walk_structure_free (AccWalkStructure *self);
/* What @build says, computed as parts; NULL without an error: that has to be done. */
GPtrArray     *acc_walk_program_run    (AccWalkStage *self, AccWalkPart **parts, gint64 count, AccWalkBuild build, guint *ends,
                                        GError **error);

/* --- steps beside whoever takes their elements */

/* Whether nothing that is called in a step has to be called by who wants it. */
gboolean       acc_walk_can_go_ahead   (AccWalk *walk);
/* Takes over @walk, which has begun, and steps it for @collector, which has nothing. */
AccWalkAhead  *acc_walk_ahead_new      (AccWalk *walk, AccWalkOutlet *collector);
/* Cancels the step that is under way. */
void           acc_walk_ahead_free     (AccWalkAhead *self);
/* The next elements, which are all given when this is called again; NULL without an error: there are no more. */
AccWalkPart   *acc_walk_ahead_take     (AccWalkAhead *self, GCancellable *cancellable, GError **error);

/* --- the size of steps, in elements */

#define ACC_WALK_MOST (G_GINT64_CONSTANT (1) << 62)

/* What the largest array of a step has at most, unless an element alone is larger. @in_memory: no elements are read. */
gint64         acc_walk_step_bytes          (AccBackend *backend, gboolean in_memory);
/* A power of 2 where @count is not small, for which folds have the fewest rests. */
gint64         acc_walk_round_down          (gint64 count);
/* Elements from number @done on, @most of them, or fewer, up to the next number that @round divides; 0: any. */
static inline gint64
acc_walk_up_to_round (gint64 most,
                      gint64 round,
                      gint64 done)
{
  return round > 0 ? MIN (most, round - done % round) : most;
}

/* How many the next step takes; 0: there are no more; -1: an error. */
gint64         acc_walk_stage_choose_size   (AccWalkStage *self, GError **error);
/* A step of @count elements took @time. */
void           acc_walk_stage_learn_size    (AccWalkStage *self, gint64 count, gint64 time);
/* For the next walk over the same sequences, and from the last. */
void           acc_walk_stage_remember_size (AccWalkStage *self);
void           acc_walk_stage_recall_size   (AccWalkStage *self);

/* --- inlets */

/* Where a stage gets elements of @sequence from: of a producer, of memory, or of other stages. */
struct _AccWalkInlet {
  AccWalkStage  *stage;
  AccSequence   *sequence;
  AccWalkReader *reader;       /* owned; NULL: others */
  AccWalkPart   *whole;        /* owned; what is in memory; NULL: others */
  gboolean       whole_is_lazy; /* nothing of it has been computed */
  gboolean       tried;        /* memory did not suffice for a step with it */
  AccWalkStage  *feeders[2];   /* the second after the end of the first; NULL: none */
  GQueue         parts[2];     /* AccWalkPart, owned */
  gboolean       ended[2];
  guint          current;      /* of the above */
  gint64         waiting;      /* bytes of all parts */
  gboolean       stored;       /* all that it has and gets is in temporary files */
};

AccWalkInlet  *acc_walk_inlet_new       (AccWalkStage *stage, AccSequence *sequence, GError **error);
/* One that other stages fill with elements of @sequence as they are. */
AccWalkInlet  *acc_walk_inlet_new_between (AccWalkStage *stage, AccSequence *sequence);
void           acc_walk_inlet_free      (AccWalkInlet *self);
/* Sees to it that there is an element, unless there are none left. */
gboolean       acc_walk_inlet_fill      (AccWalkInlet *self, gint64 most, gint64 round, gint64 bytes, gboolean ahead, GError **error);
/* How many elements as those that came last are within @bytes. */
gint64         acc_walk_inlet_fits      (AccWalkInlet *self, gint64 bytes);
/* Elements that are there; those that are within @bytes, but at least one. */
gint64         acc_walk_inlet_available (AccWalkInlet *self, gint64 bytes, GError **error);
gboolean       acc_walk_inlet_is_empty  (AccWalkInlet *self);
gboolean       acc_walk_inlet_has_ended (AccWalkInlet *self);
/* How much of what is read was: 0 to 1, or -1 where that is not known. */
double         acc_walk_inlet_get_fraction (AccWalkInlet *self);
/* Whether there are enough for a step with @bytes, or no others come. */
gboolean       acc_walk_inlet_has_step  (AccWalkInlet *self, gint64 bytes);
/* Exactly @count of those that are there. NULL: they still are. */
AccWalkPart   *acc_walk_inlet_take      (AccWalkInlet *self, gint64 count, GError **error);
/* The first @count elements of parts, which are no longer there then. FALSE: as many as are in @taken. */
gboolean       acc_walk_take_parts      (GQueue *parts, gint64 count, GPtrArray *taken, GError **error);
/* *@part becomes one of the same elements in a file. FALSE: they are no regular ones, or there is none. */
gboolean       acc_walk_store_part      (AccWalk *self, AccWalkPart **part);
/* What waits for the stage, and what comes, goes to files: once for each element. FALSE: there is nothing. */
gboolean       acc_walk_stage_store     (AccWalkStage *self);
/* Takes over @part, which was taken. */
void           acc_walk_inlet_give_back (AccWalkInlet *self, AccWalkPart *part);
/* Puts what is there, and what comes from a channel, into temporary files. FALSE: there is nothing of that in memory, or no file. */
gboolean       acc_walk_inlet_store     (AccWalkInlet *self);
/* Takes over @part. */
void           acc_walk_inlet_put       (AccWalkInlet *self, guint feed, AccWalkPart *part);
void           acc_walk_inlet_end       (AccWalkInlet *self, guint feed);

/* --- readers */

/* @array is in memory, and the next step will read it. */
static inline void
acc_walk_send_ahead (AccBackend *backend,
                     AccArray   *array)
{
  if ((acc_disable_get_flags () & ACC_DISABLE_AHEAD) == 0 && acc_array_is_manifest (array))
    acc_backend_send_ahead (backend, array);
}

/* Of a producer, or of an array that reads a source. */
AccWalkReader *acc_walk_reader_new      (AccSequence *sequence, AccWalk *walk, GError **error);
void           acc_walk_reader_free     (AccWalkReader *self);
/* How much of what it reads was read: 0 to 1, or -1 where that is not known. */
double         acc_walk_reader_get_fraction (AccWalkReader *self);
/* How many elements there are; -1: not known. */
gint64         acc_walk_reader_get_length (AccWalkReader *self);
/* What comes from a channel: all of it, in a temporary file; NULL: nothing does, or a read tells the error. */
AccWalkPart   *acc_walk_reader_store    (AccWalkReader *self);
/* NULL without an error: there are no more. @round: 0, or not beyond the next number that it divides. @ahead: what comes next will be
 * wanted, and may be read while this is worked on. */
AccWalkPart   *acc_walk_reader_read     (AccWalkReader *self, gint64 max_elements, gint64 round, gint64 max_values, gboolean ahead,
                                         GError **error);

/* --- outlets */

typedef struct {
  /* Adds AccNestedArrays, made of the next @count elements, that have to be computed; changes nothing */
  void     (*build)  (AccWalkOutlet *self, AccNestedArray *elements, gint64 count, GPtrArray *wanted);
  /* Takes what was computed of them, in the same order */
  gboolean (*absorb) (AccWalkOutlet *self, AccWalkPart **parts, gint64 count, GError **error);
  /* Adds to @key what build() depends on but the elements and their number, and to @held where parts of one element are that it reads
   * (AccWalkPart **); NULL: nothing */
  void     (*tell)   (AccWalkOutlet *self, gint64 count, GArray *key, GPtrArray *held);
  /* What build() keeps for absorb(), numbers: appends them to @levels, or takes them from @at on, and returns what is behind; NULL: none */
  guint    (*move)   (AccWalkOutlet *self, GArray *levels, guint at, gboolean back);
  /* What build() depends on as long as it is: its kind, and *function; NULL: it cannot be told */
  guint64  (*describe) (AccWalkOutlet *self, AccSequenceFunction **function);
  /* There are no more elements; NULL: nothing follows from that */
  gboolean (*end)    (AccWalkOutlet *self, GError **error);
  void     (*free)   (AccWalkOutlet *self);
} AccWalkOutletClass;

/* What is made of the elements of @sequence. */
struct _AccWalkOutlet {
  const AccWalkOutletClass *klass;
  AccWalkStage             *stage;
  AccSequence              *sequence;
  AccWalkInlet             *inlet;    /* that it fills; NULL: it makes an array */
  guint                     feed;     /* of that */
  AccSequence              *boundary; /* by what that does to elements; NULL: all go on as they are */
  gint64                    wants;    /* elements; -1: all */
  gboolean                  done;
};

/* Adds it to the stage of @sequence, which owns it. @self: allocated by g_new0(). */
void           acc_walk_outlet_attach   (AccWalkOutlet *self, const AccWalkOutletClass *klass, AccWalkStage *stage, AccSequence *sequence);
/* What fills feed @feed of @inlet by what @boundary does to the elements of @sequence; NULL: nothing. */
void           acc_walk_boundary_attach (AccWalkStage *stage, AccSequence *sequence, AccSequence *boundary, AccWalkInlet *inlet,
                                         guint feed);

/* --- consumers */

typedef enum {
  ACC_SEQUENCE_RESULT_FOLD,
  ACC_SEQUENCE_RESULT_ELEMENTS,
  ACC_SEQUENCE_RESULT_LENGTHS,
  ACC_SEQUENCE_RESULT_STACK,
  ACC_SEQUENCE_RESULT_COUNT,
  ACC_SEQUENCE_RESULT_LAST,
  ACC_SEQUENCE_RESULT_LAST_NESTED,
  ACC_SEQUENCE_RESULT_NESTED,
} AccSequenceResultKind;

/* Parts as they come. */
AccWalkOutlet *acc_walk_collector_new (AccWalkStage *stage, AccSequence *sequence, AccSequenceResultKind kind);
/* What was collected, as an array; of a nested array number @piece of those that acc_walk_part_list_arrays() tells of an irregular one.
 * @otherwise: what stands for that where there is no last element, nullable. */
AccArray      *acc_walk_collector_dup (AccWalkOutlet *outlet, AccSequenceResultKind kind, guint piece, AccArray *otherwise,
                                       GError **error);
/* A part if there is one, which is taken out; for iteration. */
AccWalkPart   *acc_walk_collector_pop (AccWalkOutlet *outlet);

/* Whether a function of two elements goes value by value, and fuses with what it reads: several levels of a fold are one kernel then. */
gboolean       acc_walk_is_elementwise (AccSequenceFunction *function);
/* Takes over @function. */
AccWalkOutlet *acc_walk_fold_new      (AccWalkStage *stage, AccSequence *sequence, AccSequenceFunction *function);
/* @seed: nullable. */
AccArray      *acc_walk_fold_finish   (AccWalkOutlet *outlet, AccArray *seed, GError **error);

/* Whether the memory of its backend is the host's. */
static inline gboolean
acc_walk_is_on_processors (AccWalk *walk)
{
  return !acc_backend_is_apart (walk->backend);
}

/* The function of @sequence, for elements of as many as it takes. */
AccNestedArray *acc_walk_apply        (AccWalk *walk, AccSequence *sequence, AccNestedArray **inputs, AccApplyFlags flags);
/* Computes nested arrays together: parts of the same forms. @count: elements of constant ones. */
GPtrArray     *acc_walk_compute       (AccWalk *walk, GPtrArray *nested, gint64 count, GError **error);

/* --- before the first step */

/* What is known of elements before the first step of a walk. */
typedef struct {
  AccWalk    *walk;
  gint64      wanted;    /* elements that each end of the walk is certain to want; G_MAXINT64: as many as there are */
  GHashTable *ends;      /* AccWalkStage → gint64 *, owned: elements that outlets of it want */
} AccWalkExpect;

/* Elements [first, end). */
typedef struct {
  gint64 first, end;
} AccWalkRange;

void            acc_walk_expect_init         (AccWalkExpect *self, AccWalk *walk, gint64 wanted);
void            acc_walk_expect_clear        (AccWalkExpect *self);
G_DEFINE_AUTO_CLEANUP_CLEAR_FUNC (AccWalkExpect, acc_walk_expect_clear)
/* The elements of its stage that are certain to be computed for @outlet: something wants them, and they are there. */
AccWalkRange    acc_walk_expect_outlet       (AccWalkExpect *self, AccWalkOutlet *outlet);
/* Adds to @numbers, gint64, those of @range that are the largest by what is known: of @sequence, or of what it is made of element by
 * element. */
void            acc_walk_expect_find_largest (AccWalkExpect *self, AccSequence *sequence, AccWalkRange range, GArray *numbers);
/* With which a stage begins; NULL: none does with that. */
AccWalkInlet   *acc_walk_expect_find_inlet   (AccWalkExpect *self, AccSequence *sequence);
/* The list that @sequence goes through; NULL: it is of another kind. */
AccSequenceArrays *acc_walk_get_list         (AccSequence *sequence);
/* How many elements there are at least. */
gint64          acc_walk_expect_count        (AccWalkExpect *self, AccSequence *sequence);
