/* SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

#include "acc-boundary.h"
#include "acc-sequence.h"

#include "acc-seq/nested/acc-nested-array-private.h"

/* What a sequence is made of. Those of the first group begin a walk, MAP goes element by element, and all others hold back, leave out or
 * add elements: where they are, one stage of a walk ends and another begins. */
typedef enum {
  ACC_SEQUENCE_KIND_PRODUCER,    /* with a function: of an array in memory, which a walk may use in its place */
  ACC_SEQUENCE_KIND_NESTED,
  ACC_SEQUENCE_KIND_ARRAY,       /* rows of an array that reads a source */
  ACC_SEQUENCE_KIND_COUNTER,     /* 0, 1 … */

  ACC_SEQUENCE_KIND_MAP,

  ACC_SEQUENCE_KIND_FILTER,
  ACC_SEQUENCE_KIND_TAKE,
  ACC_SEQUENCE_KIND_DROP,
  ACC_SEQUENCE_KIND_TAKE_WHILE,
  ACC_SEQUENCE_KIND_CONCAT,
  ACC_SEQUENCE_KIND_SCAN,
  ACC_SEQUENCE_KIND_BATCH,
  ACC_SEQUENCE_KIND_EXPAND,
  ACC_SEQUENCE_KIND_MAP_BATCH,
  ACC_SEQUENCE_KIND_FOLD_BATCH,
} AccSequenceKind;

/* A function of elements, traced once: of arrays, which elements are, or consist of where they are nested arrays. */
typedef struct {
  gatomicrefcount ref_count;
  guint           n_inputs;     /* elements that it takes */
  guint           n_parameters;
  AccArray      **parameters;   /* owned */
  AccArray       *result;       /* the first of: */
  guint           n_results;
  AccArray      **results;      /* owned */
  gboolean        nests;        /* elements that it takes or gives are nested arrays: one or more of each are of an element */
  guint           rank;         /* of an element that it gives, or of the arrays that this consists of */
  guint           depth;        /* of that; 0: an array */
  gboolean        varies;       /* elements may be of different extents */
} AccSequenceFunction;

AccSequenceFunction *acc_sequence_function_ref   (AccSequenceFunction *self);
void                 acc_sequence_function_unref (AccSequenceFunction *self);
/* Calls @function with parameters of the given types, ranks and, where @shapes has them, extents. Where it is @numbered and random arrays
 * of it are those of its element, there is one more parameter: the number of the element, an i8 of rank 0. NULL: @error is an owned array
 * with the mistake. */
AccSequenceFunction *acc_sequence_function_trace (const char *operation, AccElementType **types, const guint *ranks, AccShape **shapes,
                                                  guint n, AccArrayFunc function, gpointer user_data, gboolean numbered,
                                                  AccArray **error);
/* The same of a function of several results. */
AccSequenceFunction *acc_sequence_function_trace_many (const char *operation, AccElementType **types, const guint *ranks,
                                                       AccShape **shapes, guint n, AccArraysFunc function, gpointer user_data,
                                                       AccArray **error);
/* The same of a function of elements of @inputs, some of which may be nested arrays, and which may give one. */
AccSequenceFunction *acc_sequence_function_trace_elements (const char *operation, AccSequence **inputs, guint n_inputs,
                                                           AccElementFunc function, gpointer user_data, AccArray **error);
/* The same of @states and an element of @input, for @function, which gives the next state, or @several, which gives the next ones and
 * perhaps more: it has the arrays that these consist of (acc_sequence_list_parts()) as parameters and results. *@made: what it gives, with
 * numbers joined, owned. */
AccSequenceFunction *acc_sequence_function_trace_states (const char *operation, GPtrArray *states, AccSequence *input,
                                                         AccElementFunc function, AccElementsFunc several, gpointer user_data,
                                                         GPtrArray **made, AccArray **error);
/* The same function of other arrays than those that it reads: nodes in @replaced, as for acc_array_copy_replaced(), which gets more. */
AccSequenceFunction *acc_sequence_function_copy  (AccSequenceFunction *self, GHashTable *replaced);
/* Of the elements of a step, as many nested arrays as it has parameters. */
AccNestedArray      *acc_sequence_function_apply (AccSequenceFunction *self, AccNestedArray **inputs, AccApplyFlags flags);

G_DEFINE_AUTOPTR_CLEANUP_FUNC (AccSequenceFunction, acc_sequence_function_unref)

/* Windows of an array that a walk computes first. */
typedef struct {
  guint        n_dimensions;
  gint64      *sizes, *steps;
  AccBoundary *boundary;        /* owned; nullable */
} AccSequenceWindowsSpec;

struct _AccSequence {
  GObject              parent_instance;

  AccSequenceKind      kind;
  AccArray            *mistake;     /* owned: what carries the error; NULL: none */
  AccElementType      *type;
  guint                rank;        /* of an element, or of the arrays that it consists of */
  guint                depth;       /* levels: 1 where elements are arrays */
  AccShape            *shape;       /* owned: of every element, where all have the same and it is known */
  gint64               length;      /* -1: not known */
  gboolean             endless;     /* that is known */
  gboolean             promised;    /* by a producer, which a walk may find to have fewer */
  char                *label;
  gint64               latency;     /* microseconds; 0: no target */

  guint                n_inputs;
  AccSequence        **inputs;      /* owned */
  AccSequenceProducer *producer;    /* NULL: made of .array and .windows in a walk */
  AccSequenceWindowsSpec *windows;  /* owned; NULL: none */
  AccNestedArray      *nested;
  AccArray            *array;       /* ARRAY; SCAN, MAP_BATCH, FOLD_BATCH: the state before the first element */
  GPtrArray           *states;      /* owned: of a SCAN of several, or of nested arrays, what they consist of; NULL: others */
  AccSequenceFunction *function;
  AccProgram          *program;     /* owned: of MAP_BATCH and of nested batches, from state and batch to the next state and the batch */
  gboolean             nests;       /* MAP_BATCH, FOLD_BATCH: batches are nested arrays, whose arrays the program takes */
  AccNestedArray      *made;        /* owned: of MAP_BATCH that nests, of results of the program; NULL: others */
  int                  found;       /* atomic: 1 + the logarithm of how many elements a step took when it was walked last; 0: never */
  gint64               number;      /* how many TAKE and DROP take, and BATCH puts together; MAP_BATCH: the same, or 0 for any */
};

void         acc_sequence_windows_spec_free (AccSequenceWindowsSpec *self);
/* What a walk reads, with what it computed in place of .array; owned. */
AccSequenceProducer *acc_sequence_dup_producer (AccSequence *self, AccArray *computed, GError **error);
/* What arrays and nested arrays consist of, those as irregular ones; owned, of owned ones. */
GPtrArray   *acc_sequence_list_parts     (GPtrArray *elements);
/* An element: where it is a nested array, numbers in the innermost level are vectors. Owned. */
GObject     *acc_sequence_join_numbers   (GObject *made);
/* One more level: @size elements at a time, and what is left. */
AccNestedArray *acc_sequence_group_elements (AccNestedArray *elements, gint64 size);
/* The label of it, or of the only one that it is made of; NULL: none, or which is not known. Borrowed. */
const char  *acc_sequence_find_label     (AccSequence *self);
/* For plans and errors. */
const char  *acc_sequence_get_operation_name (AccSequence *self);
AccSequence *acc_sequence_alloc          (AccSequenceKind kind, AccSequence **inputs, guint n_inputs);
/* 0, 1 …; @length -1: without an end. */
AccSequence *acc_sequence_new_counter    (gint64 length);
/* One that has the error of @array, which is taken over. */
AccSequence *acc_sequence_new_error      (AccArray *array);
/* An array with an error of its own, and a sequence with that. */
AccArray    *acc_sequence_new_mistake    (const char *operation, AccError code, const char *format, ...) G_GNUC_PRINTF (3, 4);
/* Whether @next can be the state after @state: NULL, else an owned array with the mistake. */
AccArray    *acc_sequence_check_state    (const char *operation, AccArray *state, AccArray *next);
#define acc_sequence_refuse(...) acc_sequence_new_error (acc_sequence_new_mistake (__VA_ARGS__))
/* An operation of its function: type, rank and shape are those of the function's result. */
AccSequence *acc_sequence_new_traced     (const char *operation, AccSequenceKind kind, AccSequence **inputs, guint n_inputs,
                                          AccArrayFunc function, gpointer user_data);
/* The same of a function of elements that may be nested arrays. */
AccSequence *acc_sequence_new_traced_nested (const char *operation, AccSequenceKind kind, AccSequence **inputs, guint n_inputs,
                                             AccElementFunc function, gpointer user_data);
/* NULL, or an error that says that @operation, of arrays, is not for elements of @self, which are nested arrays, and what is, @instead. */
AccSequence *acc_sequence_refuse_nested  (const char *operation, AccSequence *self, const char *instead);
