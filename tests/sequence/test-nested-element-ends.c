/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "nested-elements.h"

#include "acc-core/backend/acc-backend-private.h"

#include <string.h>

/* --- a producer of them */

#define TEST_TYPE_DOCUMENTS (test_documents_get_type ())
G_DECLARE_FINAL_TYPE (TestDocuments, test_documents, TEST, DOCUMENTS, AccSequenceProducer)

struct _TestDocuments {
  AccSequenceProducer parent_instance;

  AccNestedArray *all;
  gint64          next;
  gboolean        flattens;
};

G_DEFINE_FINAL_TYPE (TestDocuments, test_documents, ACC_TYPE_SEQUENCE_PRODUCER)

static AccNestedArray *
test_documents_read (AccSequenceProducer *producer, gint64 max_elements, gint64 max_values, GCancellable *cancellable, GError **error)
{
  TestDocuments *self = TEST_DOCUMENTS (producer);
  gint64 left = acc_nested_array_get_known_count (self->all) - self->next, n = MIN (MIN (max_elements, 2), left);
  g_autoptr(AccNestedArray) some = NULL, flat = NULL;

  if (n == 0)
    return NULL;
  some = acc_nested_array_slice (self->all, self->next, n);
  self->next += n;
  flat = acc_nested_array_flatten_level (some, 0);

  return acc_backend_run_nested (judge, self->flattens ? flat : some, cancellable, error);
}

static gboolean
test_documents_rewind (AccSequenceProducer *producer, GError **error)
{
  TEST_DOCUMENTS (producer)->next = 0;

  return TRUE;
}

static void
test_documents_finalize (GObject *object)
{
  g_object_unref (TEST_DOCUMENTS (object)->all);
  G_OBJECT_CLASS (test_documents_parent_class)->finalize (object);
}

static void
test_documents_class_init (TestDocumentsClass *klass)
{
  G_OBJECT_CLASS (klass)->finalize = test_documents_finalize;
  ACC_SEQUENCE_PRODUCER_CLASS (klass)->read = test_documents_read;
  ACC_SEQUENCE_PRODUCER_CLASS (klass)->rewind = test_documents_rewind;
}

static void
test_documents_init (TestDocuments *self)
{
  g_autoptr(AccNestedArray) all = make_documents ();

  self->all = acc_backend_run_nested (judge, all, NULL, NULL);
}

void
test_producer (void)
{
  g_autoptr(TestDocuments) producer = g_object_new (TEST_TYPE_DOCUMENTS, "element-type", acc_element_type_new (ACC_KIND_I64), "rank", 1,
                                                    "depth", 2, NULL);
  g_autoptr(AccSequence) documents = acc_sequence_new (ACC_SEQUENCE_PRODUCER (producer));
  g_autoptr(AccArray) all = acc_sequence_elements (documents), none = NULL;
  g_autoptr(AccSequenceProducer) numbers = g_object_new (TEST_TYPE_DOCUMENTS, "element-type", acc_element_type_new (ACC_KIND_I64), "depth",
                                                         2, NULL);
  g_autoptr(AccSequence) refused = acc_sequence_new (numbers);
  g_autoptr(GError) error = NULL;

  g_assert_cmpuint (acc_sequence_producer_get_depth (ACC_SEQUENCE_PRODUCER (producer)), ==, 2);
  expect (acc_sequence_map_nested (documents, reverse, NULL), "nested([[[3], [1, 2]], [], [[7], [4, 5, 6], []], [[8]], [[]]], dtype=i8)");
  expect (acc_sequence_filter_nested (documents, has_words, GINT_TO_POINTER (1)),
          "nested([[[1, 2], [3]], [[], [4, 5, 6], [7]]], dtype=i8)");

  producer->flattens = TRUE;
  none = acc_backend_run (backend, all, NULL, &error);
  g_assert_null (none);
  g_assert_error (error, ACC_ERROR, ACC_ERROR_CALLBACK);
  g_assert_nonnull (strstr (error->message, "a nested array of 1 levels, not 2"));
  g_clear_error (&error);
  g_assert_false (acc_sequence_check (refused, &error));
  g_assert_error (error, ACC_ERROR, ACC_ERROR_SHAPE);
}

/* --- of what a run brings */

static AccArray *
f_program (AccArray **a, guint n, gpointer data)
{
  g_autoptr(AccNestedArray) words = acc_nested_array_new_from_lengths (a[0], a[1]), given = acc_nested_array_nest (words, a[2]);
  g_autoptr(AccSequence) documents = acc_sequence_new_from_nested (given), kept = acc_sequence_filter_nested (documents, has_words,
                                                                                                             GINT_TO_POINTER (0));
  g_autoptr(AccSequence) turned = acc_sequence_map_nested (kept, reverse, NULL), rows = acc_sequence_expand (turned);
  g_autoptr(AccSequence) batches = acc_sequence_batch_nested (rows, 4), some = acc_sequence_drop (batches, 1);
  g_autoptr(AccNestedArray) last = acc_sequence_last_nested (some, NULL), all = acc_sequence_to_nested (some);
  g_autoptr(AccArray) of_last = acc_nested_array_flatten (last), of_all = acc_nested_array_flatten (all);

  return acc_array_concat (of_all, of_last);
}

void
test_program (void)
{
  static const gint64 values[] = { 1, 2, 3, 4, 5, 6, 7, 8 }, lengths[] = { 2, 1, 0, 3, 1, 1, 0 }, groups[] = { 2, 0, 3, 1, 1 };
  g_autoptr(AccArray) flat = use (values, 8), words = use (lengths, 7), documents = use (groups, 5);
  g_autoptr(AccProgram) program = acc_program_new ((const char *[]) { "i8[:]", "i8[:]", "i8[:]", NULL }, f_program, NULL);
  g_autoptr(AccExecutable) executable = NULL;
  g_autoptr(GPtrArray) results = NULL;
  g_autoptr(GError) error = NULL;
  g_autofree char *text = NULL;

  executable = acc_backend_compile (backend, program, NULL, &error);
  g_assert_no_error (error);
  results = acc_executable_run (executable, (AccArray *[]) { flat, words, documents }, 3, NULL, &error);
  g_assert_no_error (error);
  text = acc_array_to_string (results->pdata[0]);
  /* [3], [1, 2], [7], [4, 5, 6]; [], [8], [] */
  g_assert_cmpstr (text, ==, "array([8, 8], dtype=i8)");
}

/* --- bits, mistakes, memory */

static AccArray *
f_draw (AccArray **a, guint n, gpointer data)
{
  g_autoptr(AccShape) two = acc_shape_new_vector (2);

  return acc_array_random_uniform (acc_element_type_new (ACC_KIND_F64), two, 7, 0);
}

static GObject *
draw (GObject **e, guint n, gpointer data)
{
  return G_OBJECT (acc_nested_array_map (ACC_NESTED_ARRAY (e[0]), f_draw, NULL));
}

/* Numbers that are drawn are those of the element, however it comes. */
void
test_bits (void)
{
  g_autoptr(AccSequence) documents = new_documents (), drawn = acc_sequence_map_nested (documents, draw, NULL);
  g_autoptr(AccNestedArray) made = acc_sequence_to_nested (drawn), first = run_in_steps (made, 0);
  g_autofree char *text = acc_nested_array_to_string (first);

  expect_nested (made, text);
}

static AccExpr *over (AccExpr *x, gpointer data) { return acc_expr_quot (i8 (1), acc_expr_sub (x, i8 (5))); }
static AccArray *f_over (AccArray **a, guint n, gpointer data) { return acc_array_map (a[0], over, NULL); }
static GObject *
divide (GObject **e, guint n, gpointer data)
{
  return G_OBJECT (acc_nested_array_map (ACC_NESTED_ARRAY (e[0]), f_over, NULL));
}
static GObject *nothing (GObject **e, guint n, gpointer data) { return NULL; }
static GObject *something (GObject **e, guint n, gpointer data) { return g_object_new (G_TYPE_OBJECT, NULL); }
static AccArray *f_same (AccArray **a, guint n, gpointer data) { return g_object_ref (a[0]); }

static AccSink *no_sink (gint64 number, gpointer data) { return NULL; }

void
refuse (AccSequence *sequence, AccError code, const char *words)
{
  g_autoptr(GError) error = NULL;

  g_assert_false (acc_sequence_check (sequence, &error));
  g_assert_error (error, ACC_ERROR, (int) code);
  if (strstr (error->message, words) == NULL)
    g_error ("%s", error->message);
  g_object_unref (sequence);
}

/* Takes over @array. */
static void
refuse_array (AccArray *array, AccError code, const char *words)
{
  g_autoptr(GError) error = NULL;

  g_assert_false (acc_array_check (array, &error));
  g_assert_error (error, ACC_ERROR, (int) code);
  if (strstr (error->message, words) == NULL)
    g_error ("%s", error->message);
  g_object_unref (array);
}

void
test_refused (void)
{
  g_autoptr(AccSequence) documents = new_documents (), words = acc_sequence_expand (documents), failing = NULL;
  g_autoptr(AccArray) zero = acc_array_unit (i8 (0)), all = NULL, none = NULL;
  g_autoptr(AccNestedArray) last = NULL;
  g_autoptr(AccSequenceIterator) iterator = acc_sequence_iterate (documents, backend), flat = acc_sequence_iterate (words, backend);
  g_autoptr(GError) error = NULL;

  refuse (acc_sequence_map (documents, f_same, NULL), ACC_ERROR_SHAPE, "map_nested");
  refuse (acc_sequence_filter (documents, f_long, NULL), ACC_ERROR_SHAPE, "elements are nested arrays");
  refuse (acc_sequence_scan (documents, zero, f_same, NULL), ACC_ERROR_SHAPE, "scan_nested");
  refuse (acc_sequence_batch (documents, 2), ACC_ERROR_SHAPE, "batch_nested");
  refuse (acc_sequence_batch_nested (documents, 0), ACC_ERROR_SHAPE, "no batch");
  refuse (acc_sequence_concat (documents, words), ACC_ERROR_SHAPE, "levels");
  refuse (acc_sequence_map_nested (documents, NULL, NULL), ACC_ERROR_CALLBACK, "no function was given");
  refuse (acc_sequence_map_nested (documents, nothing, NULL), ACC_ERROR_CALLBACK, "returned nothing");
  refuse (acc_sequence_map_nested (documents, something, NULL), ACC_ERROR_CALLBACK, "neither an array nor a nested array");
  refuse (acc_sequence_filter_nested (documents, reverse, NULL), ACC_ERROR_TYPE, "no b1 of rank 0");
  refuse_array (acc_sequence_fold (documents, NULL, f_same, NULL), ACC_ERROR_SHAPE, "map_nested");
  refuse_array (acc_sequence_stack (documents), ACC_ERROR_SHAPE, "to_nested");
  refuse_array (acc_sequence_last (documents, NULL), ACC_ERROR_SHAPE, "last_nested");
  last = acc_sequence_last_nested (words, NULL);
  g_assert_false (acc_nested_array_check (last, &error));
  g_clear_error (&error);
  g_assert_null (acc_sequence_iterator_next (iterator, NULL, &error));
  g_assert_error (error, ACC_ERROR, ACC_ERROR_SHAPE);
  g_clear_error (&error);
  g_assert_null (acc_sequence_iterator_next_nested (flat, NULL, &error));
  g_assert_error (error, ACC_ERROR, ACC_ERROR_SHAPE);
  g_clear_error (&error);

  g_assert_false (acc_sequence_write_each (documents, backend, no_sink, NULL, NULL, &error));
  g_assert_error (error, ACC_ERROR, ACC_ERROR_SHAPE);
  g_assert_nonnull (strstr (error->message, "sequence_write_each"));
  g_clear_error (&error);

  failing = acc_sequence_map_nested (documents, divide, NULL);
  all = acc_sequence_elements (failing);
  for (guint i = 0; i < N_STEPS; i++)
    {
      g_autoptr(GPtrArray) results = acc_evaluate_with_chunk_rows (backend, &all, 1, steps[i], NULL, &error);

      g_assert_null (results);
      g_assert_error (error, ACC_ERROR, ACC_ERROR_ARITHMETIC);
      if (strstr (error->message, "element 2, 1: ") == NULL)
        g_error ("%s", error->message);
      g_clear_error (&error);
    }
}

/* Within a limit that all of them would not fit in; one that does not fit alone is named. */
void
test_limit (void)
{
  enum { EACH = 1 << 13, MANY = 64 };
  g_autofree gint64 *lengths = g_new (gint64, 2 * MANY), *groups = g_new (gint64, MANY);
  g_autoptr(AccShape) shape = acc_shape_new_vector ((gint64) EACH * MANY);
  g_autoptr(AccArray) flat = acc_array_fill (shape, i8 (1)), values = acc_backend_run (judge, flat, NULL, NULL), rows = NULL, all = NULL;
  g_autoptr(AccNestedArray) words = NULL, grouped = NULL, nested = NULL;
  g_autoptr(AccSequence) documents = NULL, mapped = NULL, numbers = NULL, one = NULL, large = NULL;
  g_autoptr(AccArray) total = NULL, computed = NULL, too_large = NULL;
  g_autoptr(GError) error = NULL;

  for (gint64 k = 0; k < MANY; k++)
    {
      lengths[2 * k] = EACH / 4;
      lengths[2 * k + 1] = EACH / 4 * 3;
      groups[k] = 2;
    }
  rows = use (lengths, 2 * MANY);
  all = use (groups, MANY);
  words = acc_nested_array_new_from_lengths (values, rows);
  grouped = acc_nested_array_nest (words, all);
  nested = acc_backend_run_nested (judge, grouped, NULL, NULL);
  documents = acc_sequence_new_from_nested (nested);
  mapped = acc_sequence_map_nested (documents, reverse, NULL);
  numbers = acc_sequence_map_nested (mapped, sums, NULL);
  one = acc_sequence_map (numbers, f_sum, NULL);
  total = acc_sequence_fold (one, NULL, f_same, NULL);
  acc_backend_set_memory_limit (backend, 2 << 20);
  computed = acc_backend_run (backend, total, NULL, &error);
  g_assert_no_error (error);
  g_assert_cmpint (acc_array_get_int (computed, 0, 0), ==, EACH);

  large = acc_sequence_batch_nested (mapped, MANY);
  too_large = acc_sequence_elements (large);
  /* The limit of a device is not that of the host, which has what is read of one and never computed with. */
  if (!acc_backend_is_apart (backend))
    {
      g_assert_null (acc_backend_run (backend, too_large, NULL, &error));
      g_assert_error (error, ACC_ERROR, ACC_ERROR_OUT_OF_MEMORY);
    }
  acc_backend_set_memory_limit (backend, 0);
}

static AccExpr *remainder_of (AccExpr *index, gpointer data) { return acc_expr_rem (index, i8 (1009)); }
static AccExpr *is_even (AccExpr *x, gpointer data) { return acc_expr_eq (acc_expr_rem (x, i8 (2)), i8 (0)); }
static AccArray *
f_even_sum (AccArray **a, guint n, gpointer data)
{
  g_autoptr(AccArray) sum = f_sum (a, n, NULL);

  return acc_array_map (sum, is_even, NULL);
}
static GObject *
even_rows (GObject **e, guint n, gpointer data)
{
  return G_OBJECT (acc_nested_array_filter (ACC_NESTED_ARRAY (e[0]), f_even_sum, NULL));
}
static AccArray *f_doubled (AccArray **a, guint n, gpointer data) { return acc_array_zip_with (a[0], a[0], plus, NULL); }
static GObject *
doubled (GObject **e, guint n, gpointer data)
{
  return G_OBJECT (acc_nested_array_map (ACC_NESTED_ARRAY (e[0]), f_doubled, NULL));
}

/* An element that does not fit goes by parts of the arrays that it consists of, and comes to the same. */
void
test_large (void)
{
  enum { ROWS = 1 << 6, EACH = 1 << 10 };
  static const AccElementFunc functions[] = { doubled, reverse, even_rows };
  g_autofree gint64 *lengths = g_new (gint64, ROWS);
  g_autoptr(AccShape) shape = acc_shape_new_vector (ROWS * EACH);
  g_autoptr(AccArray) flat = acc_array_generate (shape, remainder_of, NULL), rows = NULL, groups = use ((gint64[]) { 0, ROWS, 0 }, 3);
  g_autoptr(AccNestedArray) words = NULL, grouped = NULL, nested = NULL;
  g_autoptr(AccSequence) documents = NULL;

  for (gint64 k = 0; k < ROWS; k++)
    lengths[k] = EACH + (k % 2 == 0 ? k : 1 - k);
  rows = use (lengths, ROWS);
  words = acc_nested_array_new_from_lengths (flat, rows);
  grouped = acc_nested_array_nest (words, groups);
  nested = acc_backend_run_nested (judge, grouped, NULL, NULL);
  documents = acc_sequence_new_from_nested (nested);
  for (guint i = 0; i < (is_quick ? 1 : G_N_ELEMENTS (functions)); i++)
    {
      g_autoptr(AccSequence) mapped = acc_sequence_map_nested (documents, functions[i], NULL);
      g_autoptr(AccSequence) summed = acc_sequence_map_nested (mapped, sums, NULL);
      g_autoptr(AccNestedArray) all = acc_sequence_to_nested (summed), without = NULL, within = NULL;
      g_autofree char *text = NULL, *other = NULL;
      g_autoptr(GError) error = NULL;

      without = acc_backend_run_nested (backend, all, NULL, &error);
      g_assert_no_error (error);
      acc_backend_set_memory_limit (backend, 1 << 18);
      within = acc_backend_run_nested (backend, all, NULL, &error);
      acc_backend_set_memory_limit (backend, 0);
      /* It has no bands. */
      if (strcmp (acc_backend_get_name (backend), "interpreter") == 0)
        {
          g_assert_error (error, ACC_ERROR, ACC_ERROR_OUT_OF_MEMORY);
          g_assert_nonnull (strstr (error->message, "element 1 of 524288 bytes, alone: "));
          continue;
        }
      g_assert_no_error (error);
      text = acc_nested_array_to_string (without);
      other = acc_nested_array_to_string (within);
      g_assert_cmpstr (other, ==, text);
    }
}
