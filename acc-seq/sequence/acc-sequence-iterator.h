/* SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

#include "acc-backend.h"
#include "acc-job.h"
#include "acc-sequence.h"

G_BEGIN_DECLS

#define ACC_TYPE_SEQUENCE_ITERATOR (acc_sequence_iterator_get_type ())

ACC_AVAILABLE_IN_1_0
G_DECLARE_FINAL_TYPE (AccSequenceIterator, acc_sequence_iterator, ACC, SEQUENCE_ITERATOR, GObject)

/**
 * AccSinkFunc:
 * @number: the number of an element
 * @user_data: data that was given with the function
 *
 * Makes the sink that an element is written to.
 *
 * Returns: (transfer full) (nullable): the sink; %NULL: the element is not written
 */
typedef AccSink *(*AccSinkFunc) (gint64 number, gpointer user_data);

ACC_AVAILABLE_IN_1_0
AccSequenceIterator *acc_sequence_iterate             (AccSequence *self, AccBackend *backend) G_GNUC_WARN_UNUSED_RESULT;
/* These two are what Vala's foreach asks for */
ACC_AVAILABLE_IN_1_0
AccSequenceIterator *acc_sequence_iterator            (AccSequence *self, GError **error) G_GNUC_WARN_UNUSED_RESULT;
ACC_AVAILABLE_IN_1_0
AccArray            *acc_sequence_iterator_next_value (AccSequenceIterator *self, GError **error) G_GNUC_WARN_UNUSED_RESULT;
ACC_AVAILABLE_IN_1_0
AccArray            *acc_sequence_iterator_next       (AccSequenceIterator *self, GCancellable *cancellable,
                                                       GError **error) G_GNUC_WARN_UNUSED_RESULT;
ACC_AVAILABLE_IN_1_0
AccNestedArray      *acc_sequence_iterator_next_nested (AccSequenceIterator *self, GCancellable *cancellable,
                                                        GError **error) G_GNUC_WARN_UNUSED_RESULT;
ACC_AVAILABLE_IN_1_0
gboolean             acc_sequence_iterator_write       (AccSequenceIterator *self, AccArray *element, gint64 number, AccSink *sink,
                                                        GError **error);
ACC_AVAILABLE_IN_1_0
gboolean             acc_sequence_iterator_finish_writes (AccSequenceIterator *self, GError **error);
ACC_AVAILABLE_IN_1_0
void                 acc_sequence_iterator_next_async (AccSequenceIterator *self, GCancellable *cancellable, GAsyncReadyCallback callback,
                                                       gpointer user_data);
ACC_AVAILABLE_IN_1_0
AccArray            *acc_sequence_iterator_next_finish (AccSequenceIterator *self, GAsyncResult *result,
                                                        GError **error) G_GNUC_WARN_UNUSED_RESULT;
ACC_AVAILABLE_IN_1_0
void                 acc_sequence_iterator_next_nested_async (AccSequenceIterator *self, GCancellable *cancellable,
                                                              GAsyncReadyCallback callback, gpointer user_data);
ACC_AVAILABLE_IN_1_0
AccNestedArray      *acc_sequence_iterator_next_nested_finish (AccSequenceIterator *self, GAsyncResult *result,
                                                               GError **error) G_GNUC_WARN_UNUSED_RESULT;
ACC_AVAILABLE_IN_1_0
AccJob              *acc_sequence_iterator_get_job    (AccSequenceIterator *self);
ACC_AVAILABLE_IN_1_0
void                 acc_sequence_iterator_close      (AccSequenceIterator *self);
ACC_AVAILABLE_IN_1_0
gboolean             acc_sequence_write_each          (AccSequence *self, AccBackend *backend, AccSinkFunc function, gpointer user_data,
                                                       GCancellable *cancellable, GError **error);
ACC_AVAILABLE_IN_1_0
AccJob              *acc_sequence_start_write_each    (AccSequence *self, AccBackend *backend, GCancellable *cancellable,
                                                       AccSinkFunc function, gpointer user_data,
                                                       GDestroyNotify destroy) G_GNUC_WARN_UNUSED_RESULT;

G_END_DECLS
