/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "acc-walk-private.h"

/* Reading from producers. */

struct _AccWalkReader {
  AccSequenceProducer *producer;
  GCancellable        *cancellable;
};

G_LOCK_DEFINE_STATIC (walked);

/* A producer is walked by one walk at a time. */
static gboolean
claim (AccSequenceProducer *producer,
       gboolean             claimed)
{
  GQuark quark = g_quark_from_static_string ("acc-walk-reader-claims");
  gboolean free;

  G_LOCK (walked);
  free = !claimed || g_object_get_qdata (G_OBJECT (producer), quark) == NULL;
  if (free)
    g_object_set_qdata (G_OBJECT (producer), quark, GINT_TO_POINTER (claimed));
  G_UNLOCK (walked);

  return free;
}

AccWalkReader *
acc_walk_reader_new (AccSequence  *sequence,
                     AccBackend   *backend,
                     GCancellable *cancellable,
                     GError      **error)
{
  AccWalkReader *self;

  if (!claim (sequence->producer, TRUE))
    {
      g_set_error (error, ACC_ERROR, ACC_ERROR_STREAM, "%s is being walked already", G_OBJECT_TYPE_NAME (sequence->producer));
      return NULL;
    }
  if (!acc_sequence_producer_rewind (sequence->producer, error))
    {
      claim (sequence->producer, FALSE);
      return NULL;
    }

  self = g_new0 (AccWalkReader, 1);
  self->producer = g_object_ref (sequence->producer);
  self->cancellable = cancellable;

  return self;
}

void
acc_walk_reader_free (AccWalkReader *self)
{
  claim (self->producer, FALSE);
  g_object_unref (self->producer);
  g_free (self);
}

AccWalkPart *
acc_walk_reader_read (AccWalkReader *self,
                      gint64         max_elements,
                      gint64         max_values,
                      GError       **error)
{
  g_autoptr(AccNestedArray) nested = acc_sequence_producer_read (self->producer, max_elements, max_values, self->cancellable, error);
  AccArray *arrays[3];

  if (nested == NULL)
    return NULL;

  acc_walk_part_list_arrays (nested, arrays);

  return acc_walk_part_new_computed (nested, arrays, acc_shape_get_extent (acc_nested_array_get_count (nested)->shape, 0));
}
