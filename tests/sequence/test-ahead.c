/* SPDX-License-Identifier: LGPL-2.1-or-later */

/* Iteration and writes, whose next steps are computed beside whoever takes the elements. */

#include "tests/nested/nested-backends.h"

#include "acc-core/backend/acc-backend-private.h"
#include "acc-core/data/acc-budget-private.h"
#include "acc-seq/sequence/acc-sequence-iterator-private.h"

#include <glib/gstdio.h>
#include <string.h>

#define PATIENCE (60 * G_USEC_PER_SEC)

static const gint64 chunks[] = { 1, 2, 7, 13, 0 };

/* --- a producer of vectors that waits at a gate, and does not look at its cancellable there */

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

static TestGate *
gate_new (gint64 n, gint64 length)
{
  g_autoptr(AccShape) shape = acc_shape_new_vector (length);
  TestGate *self = g_object_new (TEST_TYPE_GATE, "element-type", acc_element_type_new (ACC_KIND_I64), "shape", shape, NULL);

  self->n = n;
  self->length = length;

  return self;
}

/* --- functions */

static AccExpr *
square (AccExpr *x, gpointer data)
{
  return acc_expr_mul (x, x);
}

static AccArray *
square_all (AccArray **arrays, guint n_arrays, gpointer data)
{
  return acc_array_map (arrays[0], square, NULL);
}

/* Fails where the number is 17. */
static AccExpr *
reciprocal (AccExpr *x, gpointer data)
{
  return acc_expr_div (acc_expr_new_int (1000), acc_expr_sub (x, acc_expr_new_int (17)));
}

static AccArray *
reciprocal_of_all (AccArray **arrays, guint n_arrays, gpointer data)
{
  return acc_array_map (arrays[0], reciprocal, NULL);
}

/* --- elements */

static gint64
get_first (AccArray *element)
{
  g_autoptr(GBytes) bytes = acc_array_dup_bytes (element, 0, NULL);

  return *(const gint64 *) g_bytes_get_data (bytes, NULL);
}

static void
expect_square (AccSequenceIterator *iterator, gint64 number)
{
  g_autoptr(GError) error = NULL;
  g_autoptr(AccArray) element = acc_sequence_iterator_next (iterator, NULL, &error);

  g_assert_no_error (error);
  g_assert_nonnull (element);
  g_assert_cmpint (get_first (element), ==, number * number);
}

static AccSequenceIterator *
iterate (AccSequence *sequence, gint64 chunk)
{
  AccSequenceIterator *iterator = acc_sequence_iterate (sequence, backend);

  acc_sequence_iterator_set_chunk (iterator, chunk);

  return iterator;
}

static gboolean
wait_until (int *flag, int least)
{
  gint64 until = g_get_monotonic_time () + PATIENCE;

  while (g_atomic_int_get (flag) < least && g_get_monotonic_time () < until)
    g_usleep (500);

  return g_atomic_int_get (flag) >= least;
}

/* --- iteration */

static void
test_order (void)
{
  g_autoptr(TestGate) gate = gate_new (61, 3);
  g_autoptr(AccSequence) all = acc_sequence_new (ACC_SEQUENCE_PRODUCER (gate)), squares = acc_sequence_map (all, square_all, NULL);

  for (guint c = 0; c < G_N_ELEMENTS (chunks); c++)
    {
      g_autoptr(AccSequenceIterator) iterator = iterate (squares, chunks[c]);
      g_autoptr(GError) error = NULL;

      for (gint64 i = 0; i < gate->n; i++)
        expect_square (iterator, i);
      for (guint i = 0; i < 2; i++)
        {
          g_assert_null (acc_sequence_iterator_next (iterator, NULL, &error));
          g_assert_no_error (error);
        }
    }
}

/* One step is computed while another is taken, and one more is read; no further one, however long nobody asks. */
static void
test_credits (void)
{
  g_autoptr(TestGate) gate = gate_new (64, 3);
  g_autoptr(AccSequence) all = acc_sequence_new (ACC_SEQUENCE_PRODUCER (gate)), squares = acc_sequence_map (all, square_all, NULL);
  g_autoptr(AccSequenceIterator) iterator = iterate (squares, 4);

  for (gint64 i = 0; i < 4; i++)
    expect_square (iterator, i);
  g_assert_true (wait_until (&gate->n_read, 8));
  g_usleep (20000);
  g_assert_cmpint (g_atomic_int_get (&gate->n_read), ==, 8);

  for (gint64 i = 4; i < 6; i++)
    expect_square (iterator, i);
  g_assert_true (wait_until (&gate->n_read, 16));
  g_usleep (50000);
  g_assert_cmpint (g_atomic_int_get (&gate->n_read), ==, 16);

  for (gint64 i = 6; i < 64; i++)
    expect_square (iterator, i);
}

static void
test_failing (void)
{
  g_autoptr(TestGate) gate = gate_new (61, 3);
  g_autoptr(AccSequence) all = acc_sequence_new (ACC_SEQUENCE_PRODUCER (gate)), squares = acc_sequence_map (all, square_all, NULL);
  g_autoptr(AccSequence) wrong = acc_sequence_map (all, reciprocal_of_all, NULL);

  gate->fails_at = 23;
  for (guint c = 0; c < G_N_ELEMENTS (chunks); c++)
    {
      g_autoptr(AccSequenceIterator) iterator = iterate (squares, chunks[c]), other = NULL;
      g_autoptr(GError) error = NULL;
      gint64 n = 0;

      for (gint64 i = 0; i < 23; i++)
        expect_square (iterator, i);
      g_assert_null (acc_sequence_iterator_next (iterator, NULL, &error));
      g_assert_error (error, G_IO_ERROR, G_IO_ERROR_FAILED);
      g_clear_error (&error);
      g_assert_null (acc_sequence_iterator_next (iterator, NULL, &error));
      g_assert_no_error (error);

      /* Of the step that fails nothing is given, of those before it all. */
      other = iterate (wrong, chunks[c]);
      for (gboolean more = TRUE; more; n += more)
        {
          g_autoptr(AccArray) element = acc_sequence_iterator_next (other, NULL, &error);

          more = element != NULL;
        }
      g_assert_error (error, ACC_ERROR, ACC_ERROR_ARITHMETIC);
      g_assert_nonnull (strstr (error->message, "element 17"));
      g_assert_cmpint (n, ==, chunks[c] > 0 ? 17 / chunks[c] * chunks[c] : 0);
    }
}

static gpointer
cancel_soon (gpointer cancellable)
{
  g_usleep (30000);
  g_cancellable_cancel (cancellable);

  return NULL;
}

/* A call that is cancelled loses no element. */
static void
test_cancelled_call (void)
{
  g_autoptr(TestGate) gate = gate_new (30, 3);
  g_autoptr(AccSequence) all = acc_sequence_new (ACC_SEQUENCE_PRODUCER (gate)), squares = acc_sequence_map (all, square_all, NULL);
  g_autoptr(AccSequenceIterator) iterator = iterate (squares, 2);
  g_autoptr(GCancellable) cancellable = g_cancellable_new ();
  g_autoptr(GError) error = NULL;
  GThread *thread;

  gate->waits_at = 12;
  for (gint64 i = 0; i < 12; i++)
    expect_square (iterator, i);
  g_assert_true (wait_until (&gate->waits, TRUE));
  thread = g_thread_new ("cancel", cancel_soon, cancellable);
  g_assert_null (acc_sequence_iterator_next (iterator, cancellable, &error));
  g_assert_error (error, G_IO_ERROR, G_IO_ERROR_CANCELLED);
  g_thread_join (thread);

  g_atomic_int_set (&gate->is_open, TRUE);
  for (gint64 i = 12; i < 30; i++)
    expect_square (iterator, i);
  g_assert_null (acc_sequence_iterator_next (iterator, NULL, NULL));
}

/* What is closed does not wait for a read, and can be walked again behind that. */
static void
test_closed (void)
{
  g_autoptr(TestGate) gate = gate_new (30, 3);
  g_autoptr(AccSequence) all = acc_sequence_new (ACC_SEQUENCE_PRODUCER (gate)), squares = acc_sequence_map (all, square_all, NULL);
  g_autoptr(AccSequenceIterator) iterator = iterate (squares, 2), again = NULL;

  gate->waits_at = 12;
  for (gint64 i = 0; i < 9; i++)
    expect_square (iterator, i);
  g_assert_true (wait_until (&gate->waits, TRUE));
  acc_sequence_iterator_close (iterator);
  g_assert_null (acc_sequence_iterator_next (iterator, NULL, NULL));
  g_atomic_int_set (&gate->is_open, TRUE);

  again = iterate (squares, 2);
  for (gint64 i = 0; i < 30; i++)
    expect_square (again, i);
  g_assert_null (acc_sequence_iterator_next (again, NULL, NULL));
}

/* --- memory */

#define LONG  20000
#define LIMIT ((guint64) 64 << 20)

static void
test_limit (void)
{
  g_autoptr(TestGate) gate = gate_new (40, LONG);
  g_autoptr(AccSequence) all = acc_sequence_new (ACC_SEQUENCE_PRODUCER (gate)), squares = acc_sequence_map (all, square_all, NULL);
  AccBudget *budget = acc_backend_get_budget (backend);
  guint64 before = acc_backend_get_memory_limit (backend), step, held;

  /* What a step takes, and what is left of the one before. */
  {
    g_autoptr(AccSequenceIterator) iterator = iterate (squares, 2);

    held = acc_budget_get_used (budget);
    acc_budget_reset_high_water (budget);
    expect_square (iterator, 0);
    step = acc_budget_get_high_water (budget) - held;
  }

  /* Something else has the rest: there is room for one, for one and what is taken, and for all that goes on. */
  for (guint k = 0; k < 3; k++)
    {
      g_autoptr(AccSequenceIterator) iterator = iterate (squares, 2);
      g_autoptr(GError) error = NULL;
      guint64 rest;

      g_assert_cmpuint (step, >, 0);
      held = acc_budget_get_used (budget);
      rest = LIMIT - step - (k > 0 ? step * k : step / 8);
      acc_backend_set_memory_limit (backend, held + LIMIT);
      g_assert_true (acc_budget_reserve (budget, rest, "something else", &error));
      acc_budget_reset_high_water (budget);
      for (gint64 i = 0; i < 40; i++)
        expect_square (iterator, i);
      g_assert_null (acc_sequence_iterator_next (iterator, NULL, NULL));
      g_assert_cmpuint (acc_budget_get_high_water (budget), <=, held + LIMIT);
      acc_sequence_iterator_close (iterator);
      acc_budget_release (budget, rest, "something else");
      acc_backend_set_memory_limit (backend, before);
    }
}

/* Whichever piece of memory is refused: the same elements, or an error that says so. */
static void
test_refused (void)
{
  g_autoptr(TestGate) gate = gate_new (16, 64);
  g_autoptr(AccSequence) all = acc_sequence_new (ACC_SEQUENCE_PRODUCER (gate)), squares = acc_sequence_map (all, square_all, NULL);
  AccBudget *budget = acc_backend_get_budget (backend);
  guint n_right = 0;

  for (guint k = 1; k < 40; k++)
    {
      g_autoptr(AccSequenceIterator) iterator = iterate (squares, 2);
      g_autoptr(GError) error = NULL;
      gint64 n = 0;

      acc_budget_fail_nth (budget, k);
      for (gboolean more = TRUE; more; n += more)
        {
          g_autoptr(AccArray) element = acc_sequence_iterator_next (iterator, NULL, &error);

          more = element != NULL;
          if (more)
            g_assert_cmpint (get_first (element), ==, n * n);
        }
      acc_budget_fail_nth (budget, 0);
      if (error != NULL)
        g_assert_error (error, ACC_ERROR, ACC_ERROR_OUT_OF_MEMORY);
      else
        g_assert_cmpint (n, ==, 16);
      n_right += error == NULL;
    }
  g_assert_cmpuint (n_right, >, 0);
}

/* --- functions of the application's are called where the walk was begun */

static GThread *main_thread;
static int n_calls;

static AccArray *
square_by_hand (AccArray **inputs, guint n_inputs, gpointer data, GError **error)
{
  gsize size;
  g_autoptr(GBytes) bytes = acc_array_dup_bytes (inputs[0], 0, NULL), squares = NULL;
  const gint64 *values = g_bytes_get_data (bytes, &size);
  gint64 *results = g_malloc (size);

  g_assert_true (g_thread_self () == main_thread);
  n_calls++;
  for (gsize i = 0; i < size / 8; i++)
    results[i] = values[i] * values[i];
  squares = g_bytes_new_take (results, size);

  return acc_array_use (acc_array_get_element_type (inputs[0]), acc_array_get_shape (inputs[0]), squares);
}

static AccArray *
square_foreign (AccArray **arrays, guint n_arrays, gpointer data)
{
  g_autoptr(AccProgram) fallback = acc_program_new ((const char *[]) { "i8[:]", NULL }, square_all, NULL);

  /* Of the element, not of the state before it. */
  return acc_array_foreign ("square", arrays + 1, 1, fallback);
}

static void
test_foreign (void)
{
  g_autoptr(TestGate) gate = gate_new (12, 3);
  g_autoptr(AccShape) shape = acc_shape_new_vector (3);
  g_autoptr(AccArray) state = acc_array_fill (shape, acc_expr_new_int (0));
  g_autoptr(AccSequence) all = acc_sequence_new (ACC_SEQUENCE_PRODUCER (gate));
  g_autoptr(AccSequence) squares = acc_sequence_scan (all, state, square_foreign, NULL);
  g_autoptr(AccSequenceIterator) iterator = iterate (squares, 2);

  main_thread = g_thread_self ();
  acc_backend_set_foreign (backend, "square", square_by_hand, NULL, NULL);
  for (gint64 i = 0; i < 12; i++)
    expect_square (iterator, i);
  acc_backend_set_foreign (backend, "square", NULL, NULL, NULL);
  g_assert_true (g_str_equal (acc_backend_get_name (backend), "interpreter") || n_calls > 0);
}

/* --- sinks that are the application's: one at a time, in order */

#define TEST_TYPE_BASKET (test_basket_get_type ())
G_DECLARE_FINAL_TYPE (TestBasket, test_basket, TEST, BASKET, AccSink)

struct _TestBasket {
  AccSink parent_instance;

  gint64 number;
};

G_DEFINE_FINAL_TYPE (TestBasket, test_basket, ACC_TYPE_SINK)

static int in_baskets, n_baskets;
static gint64 basket_fails_at = -1;

static gboolean
test_basket_start (AccSink *sink, AccElementType *type, AccShape *shape, GCancellable *cancellable, GError **error)
{
  g_assert_cmpint (g_atomic_int_add (&in_baskets, 1), ==, 0);
  g_assert_cmpint (g_atomic_int_add (&n_baskets, 1), ==, TEST_BASKET (sink)->number);

  return TRUE;
}

static gboolean
test_basket_write (AccSink *sink, AccChunk *chunk, GCancellable *cancellable, GError **error)
{
  gint64 number = TEST_BASKET (sink)->number;

  g_usleep (500);
  g_assert_cmpint (*(const gint64 *) (gsize) acc_chunk_get_address (chunk, 0), ==, number * number);
  if (number == basket_fails_at)
    g_set_error (error, G_IO_ERROR, G_IO_ERROR_FAILED, "the basket broke");

  return number != basket_fails_at;
}

static gboolean
test_basket_commit (AccSink *sink, GCancellable *cancellable, GError **error)
{
  g_atomic_int_add (&in_baskets, -1);

  return TRUE;
}

static void
test_basket_abort (AccSink *sink)
{
  g_atomic_int_add (&in_baskets, -1);
}

static void
test_basket_class_init (TestBasketClass *klass)
{
  AccSinkClass *sink_class = ACC_SINK_CLASS (klass);

  sink_class->start = test_basket_start;
  sink_class->write = test_basket_write;
  sink_class->commit = test_basket_commit;
  sink_class->abort = test_basket_abort;
}

static void
test_basket_init (TestBasket *self)
{
}

static AccSink *
make_basket (gint64 number, gpointer data)
{
  TestBasket *basket = g_object_new (TEST_TYPE_BASKET, NULL);

  basket->number = number;
  g_assert_cmpint (g_atomic_int_get (&in_baskets), ==, 0);

  return ACC_SINK (basket);
}

static void
test_baskets (void)
{
  g_autoptr(TestGate) gate = gate_new (40, 3);
  g_autoptr(AccSequence) all = acc_sequence_new (ACC_SEQUENCE_PRODUCER (gate)), squares = acc_sequence_map (all, square_all, NULL);
  g_autoptr(GError) error = NULL;

  n_baskets = 0;
  g_assert_true (acc_sequence_write_each (squares, backend, make_basket, NULL, NULL, &error));
  g_assert_no_error (error);
  g_assert_cmpint (n_baskets, ==, 40);

  n_baskets = 0;
  basket_fails_at = 11;
  g_assert_false (acc_sequence_write_each (squares, backend, make_basket, NULL, NULL, &error));
  g_assert_error (error, G_IO_ERROR, G_IO_ERROR_FAILED);
  g_assert_true (g_str_has_prefix (error->message, "element 11: "));
  g_assert_cmpint (n_baskets, ==, 12);
  basket_fails_at = -1;
}

/* --- files: several at a time */

typedef struct {
  const char *folder;
  gint64      fails_at;    /* -1: none */
  gboolean    one;         /* all have the same name */
} Place;

static char *
name_file (const Place *place, gint64 number)
{
  /* No picture holds i8. */
  return g_strdup_printf ("%s/%d.%s", place->folder, place->one ? 0 : (int) number, number == place->fails_at ? "png" : "npy");
}

static AccSink *
make_file (gint64 number, gpointer data)
{
  g_autofree char *name = name_file (data, number);
  g_autoptr(GFile) file = g_file_new_for_path (name);
  g_autoptr(GError) error = NULL;
  AccSink *sink = acc_sink_create (file, NULL, &error);

  g_assert_no_error (error);

  return sink;
}

static gint64
read_file (const char *name)
{
  g_autoptr(GFile) file = g_file_new_for_path (name);
  g_autoptr(GError) error = NULL;
  g_autoptr(AccSource) source = acc_source_open (file, NULL, &error);
  g_autoptr(AccArray) array = NULL, held = NULL;

  g_assert_no_error (error);
  array = acc_array_new_from_source (source);
  held = run (judge, array);

  return get_first (held);
}

/* The folder is empty behind that. @least of the first are there, and nothing that is half of one. */
static void
expect_files (const Place *place, gint64 n, gint64 least)
{
  g_autoptr(GDir) dir = NULL;

  for (gint64 i = 0; i < n; i++)
    {
      g_autofree char *name = name_file (place, i);
      gboolean is_there = i != place->fails_at && g_file_test (name, G_FILE_TEST_EXISTS);

      g_assert_true (is_there || i >= least);
      if (is_there)
        g_assert_cmpint (read_file (name), ==, i * i);
      if (is_there)
        g_remove (name);
    }
  dir = g_dir_open (place->folder, 0, NULL);
  g_assert_null (g_dir_read_name (dir));
}

static void
test_files (void)
{
  g_autoptr(TestGate) gate = gate_new (40, 3);
  g_autoptr(AccSequence) all = acc_sequence_new (ACC_SEQUENCE_PRODUCER (gate)), squares = acc_sequence_map (all, square_all, NULL);
  g_autofree char *folder = g_dir_make_tmp ("acc-ahead-XXXXXX", NULL), *name = NULL;
  Place place = { folder, -1, FALSE };
  AccBudget *budget = acc_backend_get_host_budget (backend);
  g_autoptr(GError) error = NULL;

  g_assert_true (acc_sequence_write_each (squares, backend, make_file, &place, NULL, &error));
  g_assert_no_error (error);
  expect_files (&place, 40, 40);

  /* One cannot be made. */
  place.fails_at = 23;
  g_assert_false (acc_sequence_write_each (squares, backend, make_file, &place, NULL, &error));
  g_assert_nonnull (error);
  g_assert_true (g_str_has_prefix (error->message, "element 23: "));
  g_clear_error (&error);
  expect_files (&place, 40, 23);

  /* The producer fails: all before that are written. */
  place.fails_at = -1;
  gate->fails_at = 31;
  g_assert_false (acc_sequence_write_each (squares, backend, make_file, &place, NULL, &error));
  g_assert_error (error, G_IO_ERROR, G_IO_ERROR_FAILED);
  g_clear_error (&error);
  expect_files (&place, 31, 31);
  gate->fails_at = -1;

  /* The last stays where all have one name. */
  place.one = TRUE;
  g_assert_true (acc_sequence_write_each (squares, backend, make_file, &place, NULL, &error));
  g_assert_no_error (error);
  name = name_file (&place, 0);
  g_assert_cmpint (read_file (name), ==, 39 * 39);
  g_remove (name);
  place.one = FALSE;

  /* Refusals of memory: what cannot be written beside others is, alone. */
  for (guint k = 1; k < 60; k += 3)
    {
      gboolean written;

      acc_budget_fail_nth (budget, k);
      written = acc_sequence_write_each (squares, backend, make_file, &place, NULL, &error);
      acc_budget_fail_nth (budget, 0);
      if (!written)
        g_assert_error (error, ACC_ERROR, ACC_ERROR_OUT_OF_MEMORY);
      g_clear_error (&error);
      expect_files (&place, 40, written ? 40 : 0);
    }
  g_assert_cmpint (g_rmdir (folder), ==, 0);
}

int
main (int argc, char **argv)
{
  g_test_init (&argc, &argv, NULL);
  if (!open_backends ("native"))
    return 0;

  g_test_add_func ("/ahead/order", test_order);
  g_test_add_func ("/ahead/credits", test_credits);
  g_test_add_func ("/ahead/failing", test_failing);
  g_test_add_func ("/ahead/cancelled-call", test_cancelled_call);
  g_test_add_func ("/ahead/closed", test_closed);
  g_test_add_func ("/ahead/limit", test_limit);
  g_test_add_func ("/ahead/refused", test_refused);
  g_test_add_func ("/ahead/foreign", test_foreign);
  g_test_add_func ("/ahead/baskets", test_baskets);
  g_test_add_func ("/ahead/files", test_files);

  return run_tests ();
}
