/* SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

#include "acc-sequence-private.h"

/* Whether elements follow from what a run brings: parameters of programs and of functions that are traced; @function and @array, nullable,
 * as well. Then their results are graphs of all elements at once. */
gboolean        acc_sequence_needs_run      (AccSequence *self, AccSequenceFunction *function, AccArray *array);

/* Carry %ACC_ERROR_UNSUPPORTED for what only a walk can do. */
AccNestedArray *acc_sequence_graph_elements (AccSequence *self);
AccArray       *acc_sequence_graph_lengths  (AccSequence *self);
AccArray       *acc_sequence_graph_count    (AccSequence *self);
AccArray       *acc_sequence_graph_stack    (AccSequence *self);
/* @otherwise: nullable, for no elements. */
AccArray       *acc_sequence_graph_last     (AccSequence *self, AccArray *otherwise);
/* @otherwise: irregular. */
AccNestedArray *acc_sequence_graph_last_nested (AccSequence *self, AccNestedArray *otherwise);
/* @seed: nullable. */
AccArray       *acc_sequence_graph_fold     (AccSequence *self, AccSequenceFunction *function, AccArray *seed);
/* Of kind PRODUCER, with .windows. */
AccNestedArray *acc_sequence_graph_windows (AccSequence *self);
/* The first element; a bounds error where there is none. */
AccArray       *acc_sequence_graph_take_first (AccNestedArray *elements);
/* @element where there are @elements, else @otherwise, unless that is NULL. */
AccArray       *acc_sequence_graph_choose   (AccNestedArray *elements, AccArray *element, AccArray *otherwise);
