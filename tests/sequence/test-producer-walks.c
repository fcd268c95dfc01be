/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "acc-seq/sequence/producers/acc-sequence-arrays-private.h"
#include "acc-seq/sequence/producers/acc-sequence-files-private.h"
#include "acc-seq/sequence/producers/acc-sequence-records-private.h"
#include "acc-seq/sequence/producers/acc-sequence-split-private.h"
#include "acc-seq/sequence/producers/acc-sequence-windows-private.h"
#include "acc-seq/sequence/acc-walk-private.h"

#include "producer-helpers.h"

#include <string.h>

/* Sequences of the library's producers, on whichever backend is asked for. */

static AccBackend *backend;

static AccExpr *
widen (AccExpr *x,
       gpointer data)
{
  return acc_expr_cast (x, acc_element_type_new (ACC_KIND_I64));
}

static AccExpr *
add (AccExpr *x,
     AccExpr *y,
     gpointer data)
{
  return acc_expr_add (x, y);
}

/* The sum of all values of an element. */
static AccArray *
sum_all (AccArray **arrays,
         guint      n_arrays,
         gpointer   data)
{
  g_autoptr(AccArray) wide = acc_array_map (arrays[0], widen, NULL);

  return acc_array_fold_all (wide, acc_expr_new_int (0), add, NULL);
}

static AccArray *
first_item (AccArray **arrays,
            guint      n_arrays,
            gpointer   data)
{
  return acc_array_unzip (arrays[0], 0);
}

/* Runs it twice: producers are rewound. @text: what comes out. */
static void
check_elements (AccSequenceProducer *producer,
                AccArrayFunc         function,
                const char          *text)
{
  g_autoptr(AccSequenceProducer) owned = producer;
  g_autoptr(AccSequence) sequence = acc_sequence_new (producer), mapped = acc_sequence_map (sequence, function, NULL);
  g_autoptr(AccArray) elements = acc_sequence_elements (mapped);

  for (guint round = 0; round < 2; round++)
    {
      g_autoptr(GError) error = NULL;
      g_autoptr(AccArray) result = acc_backend_run (backend, elements, NULL, &error);
      g_autofree char *found = NULL;

      g_assert_no_error (error);
      found = acc_array_to_string (result);
      g_assert_cmpstr (found, ==, text);
    }
}

static AccSequenceProducer *
lines_of (const char *text)
{
  g_autoptr(GInputStream) stream = g_memory_input_stream_new_from_data (text, strlen (text), NULL);

  return acc_sequence_split_new_lines (acc_byte_reader_new_for_stream (stream), FALSE);
}

static void
test_lines (void)
{
  check_elements (lines_of (""), sum_all, "array([], shape=(0,), dtype=i8)");
  check_elements (lines_of ("a\n\r\nabc\n!!"), sum_all, "array([ 97,   0, 294,  66], dtype=i8)");
}

static void
test_records (void)
{
  static const guint8 bytes[] = { 1, 0, 0, 0, 9, 2, 1, 0, 0, 8, 255, 255, 255, 255, 7 };
  g_autoptr(GInputStream) stream = g_memory_input_stream_new_from_data (bytes, sizeof bytes, NULL);
  g_autoptr(AccShape) scalar = acc_shape_new_scalar ();

  check_elements (acc_sequence_records_new (acc_byte_reader_new_for_stream (stream), acc_element_type_parse ("(i4,u1)", NULL), scalar,
                                            NULL),
                  first_item, "array([  1, 258,  -1], dtype=i4)");
}

static AccArray *
make_matrix (gint64 rows,
             gint64 columns)
{
  g_autoptr(AccShape) shape = acc_shape_new_matrix (rows, columns);
  guint8 *data = g_malloc (rows * columns + 1);
  g_autoptr(GBytes) bytes = NULL;

  for (gint64 i = 0; i < rows * columns; i++)
    data[i] = i;
  bytes = g_bytes_new_take (data, rows * columns);

  return acc_array_use (acc_element_type_new (ACC_KIND_U8), shape, bytes);
}

static void
test_windows (void)
{
  static const gint64 two[] = { 2, 2 };
  g_autoptr(AccArray) matrix = make_matrix (3, 4);
  g_autoptr(AccBoundary) boundary = acc_boundary_new_constant (acc_expr_new_int (100));

  check_elements (acc_sequence_windows_new_for_array (matrix, two, two, 2, NULL, NULL), sum_all, "array([10, 18], dtype=i8)");
  check_elements (acc_sequence_windows_new_for_array (matrix, two, two, 2, boundary, NULL), sum_all,
                  "array([ 10,  18, 217, 221], dtype=i8)");
}

static void
test_arrays (void)
{
  g_autoptr(GListStore) list = g_list_store_new (ACC_TYPE_ARRAY);
  AccArray *const arrays[] = { make_matrix (2, 2), make_matrix (0, 5), make_matrix (3, 1) };

  for (guint i = 0; i < G_N_ELEMENTS (arrays); i++)
    {
      g_list_store_append (list, arrays[i]);
      g_object_unref (arrays[i]);
    }
  check_elements (acc_sequence_arrays_new (G_LIST_MODEL (list), NULL, 0, NULL), sum_all, "array([6, 0, 3], dtype=i8)");
}

static void
test_files (void)
{
  const char *path = g_getenv ("ACC_TEST_PICTURE");
  g_autoptr(GListStore) list = g_list_store_new (G_TYPE_FILE);
  g_autoptr(AccSequenceProducer) producer = NULL;
  g_autoptr(AccSequence) sequence = NULL, sums = NULL;
  g_autoptr(AccArray) elements = NULL, result = NULL, picture = NULL, whole = NULL, expected = NULL;
  g_autoptr(AccSource) source = NULL;
  g_autoptr(GFile) file = NULL;
  g_autoptr(GError) error = NULL;

  g_assert_nonnull (path);
  file = g_file_new_for_path (path);
  for (guint i = 0; i < 3; i++)
    g_list_store_append (list, file);
  producer = acc_sequence_files_new (G_LIST_MODEL (list), NULL, NULL, &error);
  g_assert_no_error (error);
  sequence = acc_sequence_new (producer);
  sums = acc_sequence_map (sequence, sum_all, NULL);
  elements = acc_sequence_elements (sums);
  result = acc_backend_run (backend, elements, NULL, &error);
  g_assert_no_error (error);

  source = acc_source_open (file, NULL, &error);
  picture = acc_array_new_from_source (source);
  whole = sum_all (&picture, 1, NULL);
  expected = acc_backend_run (backend, whole, NULL, &error);
  g_assert_no_error (error);
  g_assert_cmpint (acc_array_get_int (expected, 0, 0), >, 0);
  for (gint64 i = 0; i < 3; i++)
    g_assert_cmpint (acc_array_get_int (result, 0, i), ==, acc_array_get_int (expected, 0, 0));
}

/* --- errors */

static AccExpr *
divide (AccExpr *x,
        gpointer data)
{
  return acc_expr_quot (acc_expr_new_typed_int (acc_element_type_new (ACC_KIND_I64), 100),
                        widen (acc_expr_sub (x, acc_expr_new_int ('0')), NULL));
}

static AccArray *
divide_all (AccArray **arrays,
            guint      n_arrays,
            gpointer   data)
{
  g_autoptr(AccArray) parts = acc_array_map (arrays[0], divide, NULL);

  return acc_array_sum (parts);
}

static void
check_error (AccSequenceProducer *producer,
             AccArrayFunc         function,
             int                  code,
             const char          *says)
{
  g_autoptr(AccSequenceProducer) owned = producer;
  g_autoptr(AccSequence) sequence = acc_sequence_new (producer), mapped = acc_sequence_map (sequence, function, NULL);
  g_autoptr(AccArray) elements = acc_sequence_elements (mapped);
  g_autoptr(GError) error = NULL;

  g_assert_null (acc_backend_run (backend, elements, NULL, &error));
  g_assert_error (error, ACC_ERROR, code);
  if (strstr (error->message, says) == NULL)
    g_error ("“%s” does not say “%s”", error->message, says);
}

static void
test_errors (void)
{
  g_autoptr(GBytes) text = g_bytes_new_static ("1\n2\n3\n", 6);
  g_autoptr(GInputStream) broken = trickle_new (text, 2, 5, FALSE), once = trickle_new (text, 2, -1, FALSE);
  g_autoptr(AccSequenceProducer) producer = acc_sequence_split_new_lines (acc_byte_reader_new_for_stream (once), FALSE);
  g_autoptr(AccSequence) sequence = acc_sequence_new (producer);
  g_autoptr(AccArray) elements = acc_sequence_elements (sequence), result = NULL;
  g_autoptr(GError) error = NULL;

  check_error (lines_of ("1\n22\n101\n4\n"), divide_all, ACC_ERROR_ARITHMETIC, "line 3 of stream");
  check_error (acc_sequence_split_new_lines (acc_byte_reader_new_for_stream (broken), FALSE), sum_all, ACC_ERROR_IO, "the line is dead");

  result = acc_backend_run (backend, elements, NULL, &error);
  g_assert_no_error (error);
  g_assert_null (acc_backend_run (backend, elements, NULL, &error));
  g_assert_error (error, ACC_ERROR, ACC_ERROR_STREAM);
}

enum { LINES = 60000, FIRST = 4096, ROUND = 8192 };

static AccExpr *
greater (AccExpr *x,
         AccExpr *y,
         gpointer data)
{
  return acc_expr_max (x, y);
}

/* The largest character. */
static AccArray *
find_most (AccArray **line,
           guint      n,
           gpointer   data)
{
  return acc_array_fold (line[0], acc_expr_new_typed_uint (acc_element_type_new (ACC_KIND_U8), 0), greater, NULL);
}

static int
get_length (guint i)
{
  return (int) (i * 7 % 29);
}

static const char letters[] = "as long as any of them will be";

static void
check_most (AccWalkOutlet *outlet)
{
  g_autoptr(GError) error = NULL;
  g_autoptr(AccArray) most = acc_walk_collector_dup (outlet, ACC_SEQUENCE_RESULT_ELEMENTS, 0, NULL, &error);

  g_assert_no_error (error);
  g_assert_cmpint (acc_shape_get_size (acc_array_get_shape (most)), ==, LINES);
  for (guint i = 0; i < LINES; i++)
    {
      gint64 expected = 0;

      for (int k = 0; k < get_length (i); k++)
        expected = MAX (expected, letters[k]);
      g_assert_cmpint (acc_array_get_int (most, 0, i), ==, expected);
    }
}

/* Steps of elements of any extents end at the same multiples of their number, as soon as it is known how many fit, and share the programs
 * of as many numbers as there are. */
static void
test_rounds (void)
{
  guint64 limit = acc_backend_get_memory_limit (backend);
  GString *text = g_string_new (NULL);
  g_autoptr(AccSequence) lines = NULL, most = NULL;
  g_autoptr(AccSequenceProducer) producer = NULL;
  g_autoptr(AccWalk) walk = NULL;
  g_autoptr(GError) error = NULL;
  AccWalkOutlet *outlet;
  gint64 done = 0;

  for (guint i = 0; i < LINES; i++)
    g_string_append_printf (text, "%.*s\n", get_length (i), letters);
  producer = lines_of (text->str);
  lines = acc_sequence_new (producer);
  most = acc_sequence_map (lines, find_most, NULL);

  /* Some 9000 lines fit into a step. */
  acc_backend_set_memory_limit (backend, 3 << 20);
  walk = acc_walk_new (backend, &most, 1, 0, NULL, &error);
  g_assert_no_error (error);
  outlet = acc_walk_collector_new (acc_walk_find_stage (walk, most), most, ACC_SEQUENCE_RESULT_ELEMENTS);
  /* However long steps take here. */
  outlet->stage->keeps_size = TRUE;
  while (!outlet->done)
    {
      acc_walk_step_outlet (walk, outlet, &error);
      g_assert_no_error (error);
      if (outlet->stage->done == done)
        continue;
      g_assert_cmpint (outlet->stage->done, ==, MIN (done < 2 * FIRST ? done + FIRST : done + ROUND, LINES));
      done = outlet->stage->done;
    }
  g_assert_cmpint (done, ==, LINES);
  g_assert_cmpuint (outlet->stage->programs->len, ==, 3);

  acc_backend_set_memory_limit (backend, limit);
  check_most (outlet);
  g_string_free (text, TRUE);
}

int
main (int    argc,
      char **argv)
{
  g_autoptr(GError) error = NULL;
  int result;

  g_test_init (&argc, &argv, NULL);
  backend = acc_backend_new_for_name (g_getenv ("ACC_TEST_BACKENDS") != NULL ? g_getenv ("ACC_TEST_BACKENDS") : "interpreter", &error);
  if (backend == NULL)
    {
      g_print ("1..0 # SKIP %s\n", error->message);
      return 0;
    }

  g_test_add_func ("/sequence/producer-walks/lines", test_lines);
  g_test_add_func ("/sequence/producer-walks/records", test_records);
  g_test_add_func ("/sequence/producer-walks/windows", test_windows);
  g_test_add_func ("/sequence/producer-walks/arrays", test_arrays);
  g_test_add_func ("/sequence/producer-walks/files", test_files);
  g_test_add_func ("/sequence/producer-walks/errors", test_errors);
  g_test_add_func ("/sequence/producer-walks/rounds", test_rounds);
  result = g_test_run ();
  g_object_unref (backend);

  return result;
}
