/* SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

#include "acc-nested-array.h"
#include "acc-sequence-producer.h"

G_BEGIN_DECLS

#define ACC_TYPE_SEQUENCE (acc_sequence_get_type ())

ACC_AVAILABLE_IN_1_0
G_DECLARE_FINAL_TYPE (AccSequence, acc_sequence, ACC, SEQUENCE, GObject)

/**
 * AccNestedBatchFunc:
 * @state: the state before the elements
 * @elements: some consecutive elements
 * @user_data: data of the caller
 *
 * Computes the state after some elements of a sequence and, where they become others, those. It is called once, while the graph is built.
 *
 * Returns: (transfer full) (nullable) (element-type GObject.Object): the next state, an array, and perhaps a nested array behind it
 */
typedef GPtrArray *(*AccNestedBatchFunc) (AccArray *state, AccNestedArray *elements, gpointer user_data);

/**
 * AccElementFunc:
 * @elements: (array length=n_elements): an element of each sequence, an array or a nested array
 * @n_elements: how many there are
 * @user_data: data of the caller
 *
 * Computes what becomes of elements with the same number, which may be nested arrays. It is called once, while the graph is built.
 *
 * Returns: (transfer full) (nullable): an array or a nested array
 */
typedef GObject *(*AccElementFunc) (GObject **elements, guint n_elements, gpointer user_data);

/**
 * AccElementsFunc:
 * @elements: (array length=n_elements): states, and behind them an element, each an array or a nested array
 * @n_elements: how many there are
 * @user_data: data of the caller
 *
 * Computes the next states and a new element, which may be nested arrays. It is called once, while the graph is built.
 *
 * Returns: (transfer full) (nullable) (element-type GObject.Object): the next states, and behind them what becomes of the element
 */
typedef GPtrArray *(*AccElementsFunc) (GObject **elements, guint n_elements, gpointer user_data);

/* --- producers */

ACC_AVAILABLE_IN_1_0
AccSequence    *acc_sequence_new             (AccSequenceProducer *producer) G_GNUC_WARN_UNUSED_RESULT;
ACC_AVAILABLE_IN_1_0
AccSequence    *acc_sequence_new_from_array  (AccArray *array) G_GNUC_WARN_UNUSED_RESULT;
ACC_AVAILABLE_IN_1_0
AccSequence    *acc_sequence_new_from_nested (AccNestedArray *nested) G_GNUC_WARN_UNUSED_RESULT;
ACC_AVAILABLE_IN_1_0
AccSequence    *acc_sequence_new_generate    (gint64 length, AccArrayFunc function, gpointer user_data) G_GNUC_WARN_UNUSED_RESULT;

ACC_AVAILABLE_IN_1_0
AccSequence    *acc_sequence_new_generate_nested (gint64 length, AccElementFunc function, gpointer user_data) G_GNUC_WARN_UNUSED_RESULT;

ACC_AVAILABLE_IN_1_0
AccElementType *acc_sequence_get_element_type (AccSequence *self);
ACC_AVAILABLE_IN_1_0
guint           acc_sequence_get_rank        (AccSequence *self);
ACC_AVAILABLE_IN_1_0
guint           acc_sequence_get_depth       (AccSequence *self);
ACC_AVAILABLE_IN_1_0
AccShape       *acc_sequence_get_shape       (AccSequence *self);
ACC_AVAILABLE_IN_1_0
gint64          acc_sequence_get_length      (AccSequence *self);
ACC_AVAILABLE_IN_1_0
const char     *acc_sequence_get_label       (AccSequence *self);
ACC_AVAILABLE_IN_1_0
void            acc_sequence_set_label       (AccSequence *self, const char *label);
ACC_AVAILABLE_IN_1_0
gint64          acc_sequence_get_latency     (AccSequence *self);
ACC_AVAILABLE_IN_1_0
void            acc_sequence_set_latency     (AccSequence *self, gint64 latency);
ACC_AVAILABLE_IN_1_0
gboolean        acc_sequence_check           (AccSequence *self, GError **error);

/* --- from sequence to sequence */

ACC_AVAILABLE_IN_1_0
AccSequence    *acc_sequence_map             (AccSequence *self, AccArrayFunc function, gpointer user_data) G_GNUC_WARN_UNUSED_RESULT;
ACC_AVAILABLE_IN_1_0
AccSequence    *acc_sequence_imap            (AccSequence *self, AccArrayFunc function, gpointer user_data) G_GNUC_WARN_UNUSED_RESULT;
ACC_AVAILABLE_IN_1_0
AccSequence    *acc_sequence_zip_with        (AccSequence *self, AccSequence *other, AccArrayFunc function,
                                              gpointer user_data) G_GNUC_WARN_UNUSED_RESULT;
ACC_AVAILABLE_IN_1_0
AccSequence    *acc_sequence_zip_with_many   (AccSequence **sequences, guint n_sequences, AccArrayFunc function,
                                              gpointer user_data) G_GNUC_WARN_UNUSED_RESULT;
ACC_AVAILABLE_IN_1_0
AccSequence    *acc_sequence_izip_with_many  (AccSequence **sequences, guint n_sequences, AccArrayFunc function,
                                              gpointer user_data) G_GNUC_WARN_UNUSED_RESULT;
ACC_AVAILABLE_IN_1_0
AccSequence    *acc_sequence_filter          (AccSequence *self, AccArrayFunc predicate, gpointer user_data) G_GNUC_WARN_UNUSED_RESULT;
ACC_AVAILABLE_IN_1_0
AccSequence    *acc_sequence_take            (AccSequence *self, gint64 count) G_GNUC_WARN_UNUSED_RESULT;
ACC_AVAILABLE_IN_1_0
AccSequence    *acc_sequence_drop            (AccSequence *self, gint64 count) G_GNUC_WARN_UNUSED_RESULT;
ACC_AVAILABLE_IN_1_0
AccSequence    *acc_sequence_take_while      (AccSequence *self, AccArrayFunc predicate, gpointer user_data) G_GNUC_WARN_UNUSED_RESULT;
ACC_AVAILABLE_IN_1_0
AccSequence    *acc_sequence_concat          (AccSequence *self, AccSequence *other) G_GNUC_WARN_UNUSED_RESULT;
ACC_AVAILABLE_IN_1_0
AccSequence    *acc_sequence_scan            (AccSequence *self, AccArray *state, AccArrayFunc function,
                                              gpointer user_data) G_GNUC_WARN_UNUSED_RESULT;
ACC_AVAILABLE_IN_1_0
AccSequence    *acc_sequence_scan_many       (AccSequence *self, AccArray **states, guint n_states, AccArraysFunc function,
                                              gpointer user_data) G_GNUC_WARN_UNUSED_RESULT;
ACC_AVAILABLE_IN_1_0
AccSequence    *acc_sequence_batch           (AccSequence *self, gint64 count) G_GNUC_WARN_UNUSED_RESULT;
ACC_AVAILABLE_IN_1_0
AccSequence    *acc_sequence_expand          (AccSequence *self) G_GNUC_WARN_UNUSED_RESULT;

ACC_AVAILABLE_IN_1_0
AccSequence    *acc_sequence_map_batch       (AccSequence *self, AccArray *state, AccArraysFunc function,
                                              gpointer user_data) G_GNUC_WARN_UNUSED_RESULT;
ACC_AVAILABLE_IN_1_0
AccSequence    *acc_sequence_map_batch_nested (AccSequence *self, AccArray *state, AccNestedBatchFunc function,
                                               gpointer user_data) G_GNUC_WARN_UNUSED_RESULT;
ACC_AVAILABLE_IN_1_0
AccSequence    *acc_sequence_map_batches     (AccSequence *self, gint64 count, AccNestedArrayFunc function,
                                              gpointer user_data) G_GNUC_WARN_UNUSED_RESULT;

ACC_AVAILABLE_IN_1_0
AccSequence    *acc_sequence_map_nested      (AccSequence *self, AccElementFunc function, gpointer user_data) G_GNUC_WARN_UNUSED_RESULT;
ACC_AVAILABLE_IN_1_0
AccSequence    *acc_sequence_imap_nested     (AccSequence *self, AccElementFunc function, gpointer user_data) G_GNUC_WARN_UNUSED_RESULT;
ACC_AVAILABLE_IN_1_0
AccSequence    *acc_sequence_zip_with_many_nested (AccSequence **sequences, guint n_sequences, AccElementFunc function,
                                                   gpointer user_data) G_GNUC_WARN_UNUSED_RESULT;
ACC_AVAILABLE_IN_1_0
AccSequence    *acc_sequence_zip_with_nested (AccSequence *self, AccSequence *other, AccElementFunc function,
                                              gpointer user_data) G_GNUC_WARN_UNUSED_RESULT;
ACC_AVAILABLE_IN_1_0
AccSequence    *acc_sequence_izip_with_many_nested (AccSequence **sequences, guint n_sequences, AccElementFunc function,
                                                    gpointer user_data) G_GNUC_WARN_UNUSED_RESULT;
ACC_AVAILABLE_IN_1_0
AccSequence    *acc_sequence_filter_nested   (AccSequence *self, AccElementFunc predicate, gpointer user_data) G_GNUC_WARN_UNUSED_RESULT;
ACC_AVAILABLE_IN_1_0
AccSequence    *acc_sequence_take_while_nested (AccSequence *self, AccElementFunc predicate,
                                                gpointer user_data) G_GNUC_WARN_UNUSED_RESULT;
ACC_AVAILABLE_IN_1_0
AccSequence    *acc_sequence_scan_nested     (AccSequence *self, GObject *state, AccElementFunc function,
                                              gpointer user_data) G_GNUC_WARN_UNUSED_RESULT;
ACC_AVAILABLE_IN_1_0
AccSequence    *acc_sequence_scan_many_nested (AccSequence *self, GObject **states, guint n_states, AccElementsFunc function,
                                               gpointer user_data) G_GNUC_WARN_UNUSED_RESULT;
ACC_AVAILABLE_IN_1_0
AccSequence    *acc_sequence_batch_nested    (AccSequence *self, gint64 count) G_GNUC_WARN_UNUSED_RESULT;

/* --- from sequence to array */

ACC_AVAILABLE_IN_1_0
AccArray       *acc_sequence_fold            (AccSequence *self, AccArray *seed, AccArrayFunc function,
                                              gpointer user_data) G_GNUC_WARN_UNUSED_RESULT;
ACC_AVAILABLE_IN_1_0
AccArray       *acc_sequence_fold_batch      (AccSequence *self, AccArray *state, AccArrayFunc function,
                                              gpointer user_data) G_GNUC_WARN_UNUSED_RESULT;
ACC_AVAILABLE_IN_1_0
AccArray       *acc_sequence_fold_batch_nested (AccSequence *self, AccArray *state, AccNestedBatchFunc function,
                                                gpointer user_data) G_GNUC_WARN_UNUSED_RESULT;
ACC_AVAILABLE_IN_1_0
AccArray       *acc_sequence_elements        (AccSequence *self) G_GNUC_WARN_UNUSED_RESULT;
ACC_AVAILABLE_IN_1_0
AccArray       *acc_sequence_lengths         (AccSequence *self) G_GNUC_WARN_UNUSED_RESULT;
ACC_AVAILABLE_IN_1_0
AccArray       *acc_sequence_stack           (AccSequence *self) G_GNUC_WARN_UNUSED_RESULT;
ACC_AVAILABLE_IN_1_0
AccArray       *acc_sequence_count           (AccSequence *self) G_GNUC_WARN_UNUSED_RESULT;
ACC_AVAILABLE_IN_1_0
AccArray       *acc_sequence_last            (AccSequence *self, AccArray *otherwise) G_GNUC_WARN_UNUSED_RESULT;
ACC_AVAILABLE_IN_1_0
AccNestedArray *acc_sequence_last_nested     (AccSequence *self, AccNestedArray *otherwise) G_GNUC_WARN_UNUSED_RESULT;
ACC_AVAILABLE_IN_1_0
AccNestedArray *acc_sequence_to_nested       (AccSequence *self) G_GNUC_WARN_UNUSED_RESULT;

G_END_DECLS
