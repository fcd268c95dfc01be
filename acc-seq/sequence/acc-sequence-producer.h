/* SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

#include "acc-nested-array.h"

G_BEGIN_DECLS

#define ACC_TYPE_SEQUENCE_PRODUCER (acc_sequence_producer_get_type ())

/* Where the elements of a sequence come from: read in order, some at a time, by one thread at a time, which need not be the one that made
 * the producer. */
ACC_AVAILABLE_IN_1_0
G_DECLARE_DERIVABLE_TYPE (AccSequenceProducer, acc_sequence_producer, ACC, SEQUENCE_PRODUCER, GObject)

/**
 * AccSequenceProducerClass:
 * @read: returns the next elements, in memory; %NULL without an error where there are no more
 * @rewind: makes the next read begin at the first element; optional: without it a producer can be walked only once
 * @describe: tells where an element came from, for messages: "line 7 of words.txt"; optional
 *
 * Lists the virtual functions of a producer.
 */
struct _AccSequenceProducerClass
{
  GObjectClass parent_class;

  AccNestedArray *(*read)     (AccSequenceProducer *self, gint64 max_elements, gint64 max_values, GCancellable *cancellable,
                               GError **error);
  gboolean        (*rewind)   (AccSequenceProducer *self, GError **error);
  char           *(*describe) (AccSequenceProducer *self, gint64 element);

  /*< private >*/
  gpointer padding[13];
};

/* Construct properties "element-type" (AccElementType), "rank", "depth", "shape" (AccShape, nullable), "length" (-1: not known),
 * "context-bound". */
ACC_AVAILABLE_IN_1_0
AccElementType *acc_sequence_producer_get_element_type (AccSequenceProducer *self);
ACC_AVAILABLE_IN_1_0
guint           acc_sequence_producer_get_rank         (AccSequenceProducer *self);
ACC_AVAILABLE_IN_1_0
guint           acc_sequence_producer_get_depth        (AccSequenceProducer *self);
ACC_AVAILABLE_IN_1_0
AccShape       *acc_sequence_producer_get_shape        (AccSequenceProducer *self);
ACC_AVAILABLE_IN_1_0
gint64          acc_sequence_producer_get_length       (AccSequenceProducer *self);
ACC_AVAILABLE_IN_1_0
gboolean        acc_sequence_producer_is_bound         (AccSequenceProducer *self);
ACC_AVAILABLE_IN_1_0
double          acc_sequence_producer_get_fraction     (AccSequenceProducer *self);
ACC_AVAILABLE_IN_1_0
void            acc_sequence_producer_set_fraction     (AccSequenceProducer *self, double fraction);
ACC_AVAILABLE_IN_1_0
AccNestedArray *acc_sequence_producer_read             (AccSequenceProducer *self, gint64 max_elements, gint64 max_values,
                                                        GCancellable *cancellable, GError **error) G_GNUC_WARN_UNUSED_RESULT;
ACC_AVAILABLE_IN_1_0
gboolean        acc_sequence_producer_rewind           (AccSequenceProducer *self, GError **error);
ACC_AVAILABLE_IN_1_0
char           *acc_sequence_producer_describe         (AccSequenceProducer *self, gint64 element) G_GNUC_WARN_UNUSED_RESULT;

G_END_DECLS
