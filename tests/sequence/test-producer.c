/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include <acc/acc.h>

/* What a producer that somebody derives may return, and what not. */

typedef AccNestedArray *(*Script) (gint64 call, GError **error);

typedef struct {
  AccSequenceProducer parent_instance;
  Script script;
  gint64 calls;
} Scripted;

typedef AccSequenceProducerClass ScriptedClass;

static GType scripted_get_type (void);
G_DEFINE_TYPE (Scripted, scripted, acc_sequence_producer_get_type ())

static AccNestedArray *
scripted_read (AccSequenceProducer *producer,
               gint64               max_elements,
               gint64               max_values,
               GCancellable        *cancellable,
               GError             **error)
{
  Scripted *self = (Scripted *) producer;

  return self->script (self->calls++, error);
}

static gboolean
scripted_rewind (AccSequenceProducer *producer,
                 GError             **error)
{
  Scripted *self = (Scripted *) producer;

  self->calls = 0;

  return TRUE;
}

static char *
scripted_describe (AccSequenceProducer *producer,
                   gint64               element)
{
  return g_strdup_printf ("call %" G_GINT64_FORMAT, element);
}

static void
scripted_class_init (ScriptedClass *klass)
{
  klass->read = scripted_read;
  klass->rewind = scripted_rewind;
  klass->describe = scripted_describe;
}

static void
scripted_init (Scripted *self)
{
}

/* Only read. */
typedef Scripted Once;
typedef AccSequenceProducerClass OnceClass;

static GType once_get_type (void);
G_DEFINE_TYPE (Once, once, scripted_get_type ())

static void
once_class_init (OnceClass *klass)
{
  klass->rewind = NULL;
  klass->describe = NULL;
}

static void
once_init (Once *self)
{
}

static AccSequenceProducer *
make (GType       type,
      const char *code,
      guint       rank,
      AccShape   *shape,
      gint64      length,
      Script      script)
{
  Scripted *self = g_object_new (type, "element-type", acc_element_type_parse (code, NULL), "rank", rank, "shape", shape, "length", length,
                                 NULL);

  self->script = script;

  return ACC_SEQUENCE_PRODUCER (self);
}

/* Rows of columns, filled with 0, 1, 2 … */
static AccNestedArray *
rows (const char *code,
      gint64      n,
      gint64      columns)
{
  AccElementType *type = acc_element_type_parse (code, NULL);
  gsize size = n * columns * acc_element_type_get_size (type);
  g_autoptr(GBytes) bytes = g_bytes_new_take (g_malloc0 (size + 1), size);
  g_autoptr(AccShape) shape = acc_shape_new_matrix (n, columns);
  g_autoptr(AccArray) array = acc_array_use (type, shape, bytes);

  return acc_nested_array_new_from_regular (array);
}

static AccNestedArray *
run (AccNestedArray *delayed)
{
  g_autoptr(AccBackend) backend = acc_backend_new_for_name ("interpreter", NULL);
  g_autoptr(AccNestedArray) owned = delayed;
  g_autoptr(GError) error = NULL;
  AccNestedArray *result = acc_backend_run_nested (backend, owned, NULL, &error);

  g_assert_no_error (error);

  return result;
}

static AccNestedArray *
delayed_ragged (void)
{
  static const gint32 values[] = { 1, 2, 3, 4, 5, 6 };
  static const gint64 lengths[] = { 2, 0, 4 };
  g_autoptr(AccShape) six = acc_shape_new_vector (6), three = acc_shape_new_vector (3);
  g_autoptr(GBytes) value_bytes = g_bytes_new_static (values, sizeof values), length_bytes = g_bytes_new_static (lengths, sizeof lengths);
  g_autoptr(AccArray) all = acc_array_use (acc_element_type_new (ACC_KIND_I32), six, value_bytes),
    counts = acc_array_use (acc_element_type_new (ACC_KIND_I64), three, length_bytes);

  return acc_nested_array_new_from_lengths (all, counts);
}

static AccNestedArray *say_ragged (gint64 call, GError **error) { return call < 2 ? run (delayed_ragged ()) : NULL; }
static AccNestedArray *say_delayed (gint64 call, GError **error) { return delayed_ragged (); }
static AccNestedArray *say_rows (gint64 call, GError **error) { return call < 2 ? rows ("i4", 3, 2 + call) : NULL; }
static AccNestedArray *say_same_rows (gint64 call, GError **error) { return call < 2 ? rows ("i4", 3, 2) : NULL; }
static AccNestedArray *say_floats (gint64 call, GError **error) { return rows ("f4", 3, 2); }
static AccNestedArray *say_none (gint64 call, GError **error) { return rows ("i4", 0, 2); }
static AccNestedArray *say_end (gint64 call, GError **error) { return NULL; }

/* Two of them, each of which is a nested array. */
static AccNestedArray *
say_groups (gint64   call,
            GError **error)
{
  static const gint64 two_and_one[] = { 2, 1 };
  g_autoptr(AccShape) two = acc_shape_new_vector (2);
  g_autoptr(GBytes) bytes = g_bytes_new_static (two_and_one, sizeof two_and_one);
  g_autoptr(AccArray) lengths = acc_array_use (acc_element_type_new (ACC_KIND_I64), two, bytes);
  g_autoptr(AccNestedArray) ragged = delayed_ragged ();

  return run (acc_nested_array_nest (ragged, lengths));
}

static AccArray *
constant (AccArray **arrays,
          guint      n_arrays,
          gpointer   data)
{
  return g_object_ref (data);
}

static AccNestedArray *
say_matrices (gint64   call,
              GError **error)
{
  static const gint64 extents[] = { 2, 2, 3 };
  static const gint32 first[] = { 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12 };
  static const guint8 second[] = { 101, 102, 103, 104, 105, 106, 107, 108, 109, 110, 111, 112 };
  g_autoptr(GBytes) bytes = g_bytes_new_static (first, sizeof first), more = g_bytes_new_static (second, sizeof second);
  g_autoptr(AccShape) shape = acc_shape_new (extents, 3);
  g_autoptr(AccArray) array = acc_array_use_buffers (acc_element_type_parse ("(i4,u1)", NULL), shape, (GBytes *[]) { bytes, more }, 2);

  return acc_nested_array_new_from_regular (array);
}

static AccNestedArray *
say_constant (gint64   call,
              GError **error)
{
  g_autoptr(AccNestedArray) three = rows ("i4", 3, 2);
  g_autoptr(AccShape) shape = acc_shape_new_vector (2);
  g_autoptr(AccArray) zeros = acc_array_fill (shape, acc_expr_cast (acc_expr_new_int (0), acc_element_type_new (ACC_KIND_I32)));

  return run (acc_nested_array_map (three, constant, zeros));
}

static AccNestedArray *
say_error (gint64   call,
           GError **error)
{
  if (call == 0)
    return rows ("i4", 3, 2);
  g_set_error (error, G_IO_ERROR, G_IO_ERROR_NOT_FOUND, "gone");

  return NULL;
}

static void
refuses (AccSequenceProducer *producer,
         gint64               max_elements,
         gint64               max_values,
         int                  code,
         const char          *says)
{
  g_autoptr(AccSequenceProducer) owned = producer;
  g_autoptr(AccNestedArray) chunk = NULL, after = NULL;
  g_autoptr(GError) error = NULL, again = NULL;

  chunk = acc_sequence_producer_read (owned, max_elements, max_values, NULL, &error);
  g_assert_null (chunk);
  g_assert_error (error, ACC_ERROR, code);
  if (strstr (error->message, says) == NULL)
    g_error ("“%s” does not say “%s”", error->message, says);

  after = acc_sequence_producer_read (owned, max_elements < 1 ? 1 : max_elements, max_values, NULL, &again);
  if (max_elements < 1)
    return;
  g_assert_null (after);
  g_assert_error (again, ACC_ERROR, ACC_ERROR_STREAM);
}

static void
test_refusals (void)
{
  g_autoptr(AccShape) two = acc_shape_new_vector (2), three = acc_shape_new_vector (3);
  GType type = scripted_get_type ();

  refuses (make (type, "i4", 1, NULL, -1, say_delayed), 9, 99, ACC_ERROR_CALLBACK,
           "Scripted: element 0: read returned elements that are not in");
  refuses (make (type, "i4", 1, NULL, -1, say_floats), 9, 99, ACC_ERROR_CALLBACK, "of f4, not of i4");
  refuses (make (type, "i4", 2, NULL, -1, say_rows), 9, 99, ACC_ERROR_CALLBACK, "of rank 1, not 2");
  refuses (make (type, "i4", 1, three, -1, say_rows), 9, 99, ACC_ERROR_CALLBACK, "[3,2], which are not of shape [3]");
  refuses (make (type, "i4", 1, two, -1, say_ragged), 9, 99, ACC_ERROR_CALLBACK, "irregular");
  refuses (make (type, "i4", 1, NULL, -1, say_groups), 9, 99, ACC_ERROR_CALLBACK, "a nested array of 2 levels, not 1");
  refuses (make (type, "i4", 1, two, -1, say_constant), 9, 99, ACC_ERROR_CALLBACK, "one constant");
  refuses (make (type, "i4", 1, NULL, -1, say_none), 9, 99, ACC_ERROR_CALLBACK, "no elements");
  refuses (make (type, "i4", 1, NULL, -1, say_ragged), 2, 99, ACC_ERROR_CALLBACK, "3 elements where 2");
  refuses (make (type, "i4", 1, NULL, -1, say_ragged), 3, 5, ACC_ERROR_CALLBACK, "6 values where 5");
  refuses (make (type, "i4", 1, NULL, 2, say_rows), 9, 99, ACC_ERROR_CALLBACK, "there are 2 in all");
  refuses (make (type, "i4", 1, NULL, 2, say_end), 9, 99, ACC_ERROR_CALLBACK, "there are 2 elements in all");
  refuses (make (type, "i4", 1, NULL, -1, say_rows), 0, 99, ACC_ERROR_STREAM, "less than one element");
  refuses (g_object_new (type, "rank", 1, NULL), 9, 99, ACC_ERROR_TYPE, "no element type");
}

static void
test_unfinished_class (void)
{
  AccSequenceProducerClass *klass = g_type_class_ref (scripted_get_type ());

  klass->read = NULL;
  refuses (make (scripted_get_type (), "i4", 1, NULL, -1, say_end), 9, 99, ACC_ERROR_UNSUPPORTED, "does not implement read");
  klass->read = scripted_read;
  g_type_class_unref (klass);
}

static void
is_chunk (AccSequenceProducer *producer,
          AccNestedForm        form,
          const char          *text)
{
  g_autoptr(GError) error = NULL;
  g_autoptr(AccNestedArray) chunk = acc_sequence_producer_read (producer, 3, 100, NULL, &error);
  g_autofree char *found = NULL;

  g_assert_no_error (error);
  if (text == NULL)
    {
      g_assert_null (chunk);
      return;
    }
  g_assert_true (acc_nested_array_is_manifest (chunk));
  g_assert_cmpint (acc_nested_array_get_form (chunk), ==, form);
  found = acc_nested_array_to_string (chunk);
  g_assert_cmpstr (found, ==, text);
}

static void
test_walk (void)
{
  g_autoptr(AccShape) two = acc_shape_new_vector (2);
  g_autoptr(AccSequenceProducer) ragged = make (scripted_get_type (), "i4", 1, NULL, 6, say_ragged),
    regular = make (scripted_get_type (), "i4", 0, two, -1, say_same_rows),
      turned = make (scripted_get_type (), "i4", 1, NULL, -1, say_rows);
  g_autoptr(GError) error = NULL;

  g_assert_cmpuint (acc_sequence_producer_get_rank (regular), ==, 1);
  g_assert_true (acc_shape_equal (acc_sequence_producer_get_shape (regular), two));
  g_assert_cmpint (acc_sequence_producer_get_length (ragged), ==, 6);
  g_assert_cmpint (acc_sequence_producer_get_length (regular), ==, -1);
  g_assert_true (acc_sequence_producer_get_element_type (ragged) == acc_element_type_new (ACC_KIND_I32));

  for (guint walk = 0; walk < 2; walk++)
    {
      for (guint i = 0; i < 2; i++)
        {
          is_chunk (ragged, ACC_NESTED_FORM_IRREGULAR, "nested([[1, 2], [], [3, 4, 5, 6]], dtype=i4)");
          is_chunk (regular, ACC_NESTED_FORM_REGULAR, "nested([[0, 0], [0, 0], [0, 0]], dtype=i4)");
          is_chunk (turned, ACC_NESTED_FORM_IRREGULAR, i == 0 ? "nested([[0, 0], [0, 0], [0, 0]], dtype=i4)"
                                                              : "nested([[0, 0, 0], [0, 0, 0], [0, 0, 0]], dtype=i4)");
        }
      for (guint i = 0; i < 2; i++)
        {
          is_chunk (ragged, 0, NULL);
          is_chunk (regular, 0, NULL);
        }
      g_assert_true (acc_sequence_producer_rewind (ragged, &error));
      g_assert_true (acc_sequence_producer_rewind (regular, &error));
      g_assert_true (acc_sequence_producer_rewind (turned, &error));
    }
}

/* Irregular elements made of regular ones are what other operations take them for. */
static void
test_turned_matrices (void)
{
  g_autoptr(AccSequenceProducer) producer = make (scripted_get_type (), "(i4,u1)", 2, NULL, -1, say_matrices);
  g_autoptr(AccNestedArray) chunk = NULL, computed = NULL;
  g_autoptr(GError) error = NULL;
  g_autofree char *text = NULL;

  chunk = acc_sequence_producer_read (producer, 2, 100, NULL, &error);
  g_assert_no_error (error);
  g_assert_cmpint (acc_nested_array_get_form (chunk), ==, ACC_NESTED_FORM_IRREGULAR);
  computed = run (acc_nested_array_reverse (chunk));
  text = acc_nested_array_to_string (computed);
  g_assert_cmpstr (text, ==,
                   "nested([[[( 7, 107), ( 8, 108), ( 9, 109)],\n       [(10, 110), (11, 111), (12, 112)]], "
                   "[[(1, 101), (2, 102), (3, 103)],\n       [(4, 104), (5, 105), (6, 106)]]], dtype=(i4,u1))");
}

static void
test_failures (void)
{
  g_autoptr(AccSequenceProducer) failing = make (scripted_get_type (), "i4", 1, NULL, -1, say_error),
    once = make (once_get_type (), "i4", 1, NULL, -1, say_rows);
  g_autoptr(GCancellable) cancelled = g_cancellable_new ();
  g_autoptr(AccNestedArray) chunk = NULL;
  g_autoptr(GError) error = NULL;
  g_autofree char *place = acc_sequence_producer_describe (failing, 4), *nowhere = acc_sequence_producer_describe (once, 4);

  g_assert_cmpstr (place, ==, "call 4");
  g_assert_null (nowhere);

  is_chunk (failing, ACC_NESTED_FORM_IRREGULAR, "nested([[0, 0], [0, 0], [0, 0]], dtype=i4)");
  g_assert_null (acc_sequence_producer_read (failing, 3, 100, NULL, &error));
  g_assert_error (error, G_IO_ERROR, G_IO_ERROR_NOT_FOUND);
  g_clear_error (&error);
  g_assert_true (acc_sequence_producer_rewind (failing, &error));
  is_chunk (failing, ACC_NESTED_FORM_IRREGULAR, "nested([[0, 0], [0, 0], [0, 0]], dtype=i4)");

  g_assert_true (acc_sequence_producer_rewind (once, &error));
  is_chunk (once, ACC_NESTED_FORM_IRREGULAR, "nested([[0, 0], [0, 0], [0, 0]], dtype=i4)");
  g_assert_false (acc_sequence_producer_rewind (once, &error));
  g_assert_error (error, ACC_ERROR, ACC_ERROR_STREAM);
  g_assert_nonnull (strstr (error->message, "can be walked only once"));
  g_clear_error (&error);

  g_assert_true (acc_sequence_producer_rewind (failing, &error));
  g_cancellable_cancel (cancelled);
  g_assert_null (acc_sequence_producer_read (failing, 3, 100, cancelled, &error));
  g_assert_error (error, G_IO_ERROR, G_IO_ERROR_CANCELLED);
}

int
main (int    argc,
      char **argv)
{
  g_test_init (&argc, &argv, NULL);

  g_test_add_func ("/sequence/producer/walk", test_walk);
  g_test_add_func ("/sequence/producer/turned-matrices", test_turned_matrices);
  g_test_add_func ("/sequence/producer/refusals", test_refusals);
  g_test_add_func ("/sequence/producer/unfinished-class", test_unfinished_class);
  g_test_add_func ("/sequence/producer/failures", test_failures);

  return g_test_run ();
}
