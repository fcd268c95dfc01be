/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "gate-producer.h"

G_DEFINE_FINAL_TYPE (TestGate, test_gate, ACC_TYPE_SEQUENCE_PRODUCER)

static AccNestedArray *
test_gate_read (AccSequenceProducer *producer, gint64 max_elements, gint64 max_values, GCancellable *cancellable, GError **error)
{
  TestGate *self = TEST_GATE (producer);
  gint64 count = MIN (max_elements, self->n - self->next), *values;
  g_autoptr(AccShape) shape = NULL;
  g_autoptr(GBytes) bytes = NULL;
  g_autoptr(AccArray) rows = NULL;

  g_assert_cmpint (g_atomic_int_add (&self->inside, 1), ==, 0);
  if (self->fails_at >= self->next)
    count = MIN (count, self->fails_at - self->next);
  if (self->waits_at >= self->next)
    count = MIN (count, MAX (self->waits_at - self->next, 1));
  if (self->next == self->waits_at)
    g_atomic_int_set (&self->waits, TRUE);
  while (self->next == self->waits_at && !g_atomic_int_get (&self->is_open))
    g_usleep (500);
  if (self->next == self->fails_at)
    g_set_error (error, G_IO_ERROR, G_IO_ERROR_FAILED, "the gate fell down");
  g_atomic_int_add (&self->inside, -1);
  if (count == 0)
    return NULL;

  values = g_new (gint64, count * self->length);
  for (gint64 i = 0; i < count * self->length; i++)
    values[i] = self->next + i / self->length;
  self->next += count;
  g_atomic_int_add (&self->n_read, (int) count);
  shape = acc_shape_new_matrix (count, self->length);
  bytes = g_bytes_new_take (values, (gsize) (count * self->length) * 8);
  rows = acc_array_use (acc_element_type_new (ACC_KIND_I64), shape, bytes);

  return acc_nested_array_new_from_regular (rows);
}

static gboolean
test_gate_rewind (AccSequenceProducer *producer, GError **error)
{
  TEST_GATE (producer)->next = 0;

  return TRUE;
}

static void
test_gate_class_init (TestGateClass *klass)
{
  ACC_SEQUENCE_PRODUCER_CLASS (klass)->read = test_gate_read;
  ACC_SEQUENCE_PRODUCER_CLASS (klass)->rewind = test_gate_rewind;
}

static void
test_gate_init (TestGate *self)
{
  self->fails_at = -1;
  self->waits_at = -1;
}

TestGate *
gate_new (gint64 n, gint64 length)
{
  g_autoptr(AccShape) shape = acc_shape_new_vector (length);
  TestGate *self = g_object_new (TEST_TYPE_GATE, "element-type", acc_element_type_new (ACC_KIND_I64), "shape", shape, NULL);

  self->n = n;
  self->length = length;

  return self;
}

static AccExpr *
square (AccExpr *x, gpointer data)
{
  return acc_expr_mul (x, x);
}

AccArray *
square_all (AccArray **arrays, guint n_arrays, gpointer data)
{
  return acc_array_map (arrays[0], square, NULL);
}

gint64
get_first (AccArray *element)
{
  g_autoptr(GBytes) bytes = acc_array_dup_bytes (element, 0, NULL);

  return *(const gint64 *) g_bytes_get_data (bytes, NULL);
}
