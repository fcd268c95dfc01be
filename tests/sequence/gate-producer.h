/* SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

#include <acc/acc.h>

/* A producer of vectors that waits at a gate, and does not look at its cancellable there; each holds its number. */

#define TEST_TYPE_GATE (test_gate_get_type ())
G_DECLARE_FINAL_TYPE (TestGate, test_gate, TEST, GATE, AccSequenceProducer)

struct _TestGate {
  AccSequenceProducer parent_instance;

  gint64 next, n;
  gint64 fails_at;   /* -1: it does not */
  gint64 waits_at;   /* -1: nowhere */
  gint64 length;     /* of each vector */
  int    is_open;    /* atomic */
  int    n_read;     /* atomic: elements, in all walks */
  int    waits;      /* atomic */
  int    inside;     /* atomic: threads */
};

/* @n vectors of @length */
TestGate *gate_new (gint64 n, gint64 length);

/* For maps of its vectors. */
AccArray *square_all (AccArray **arrays, guint n_arrays, gpointer data);
gint64    get_first (AccArray *element);
