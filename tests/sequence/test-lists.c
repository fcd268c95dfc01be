/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "acc-seq/sequence/producers/acc-sequence-arrays-private.h"
#include "acc-seq/sequence/producers/acc-sequence-files-private.h"

#include "../remove-tree.h"
#include "producer-helpers.h"

#include <string.h>

/* Lists of arrays and of files. */

/* Of values 0, 1, 2 … in every buffer. */
static AccArray *
make_array (const char   *code,
            const gint64 *extents,
            guint         rank)
{
  AccElementType *type = acc_element_type_parse (code, NULL);
  g_autoptr(AccShape) shape = acc_shape_new (extents, rank);
  gsize size = acc_shape_get_size (shape) * acc_element_type_get_size (type);
  guint8 *data = g_malloc (size + 1);
  g_autoptr(GBytes) bytes = NULL;

  for (gsize i = 0; i < size; i++)
    data[i] = i * 7 + size;
  bytes = g_bytes_new_take (data, size);

  return acc_array_use (type, shape, bytes);
}

static char *
array_to_text (AccArray *array)
{
  guint rank, n_buffers = acc_element_type_get_n_buffers (acc_array_get_element_type (array));
  const gint64 *extents = acc_shape_get_extents (acc_array_get_shape (array), &rank);
  const guint8 *buffers[4];

  for (guint b = 0; b < n_buffers; b++)
    buffers[b] = (const guint8 *) (gsize) acc_array_get_address (array, b);

  return element_to_text (acc_array_get_element_type (array), extents, rank, buffers);
}

/* Adds an array to both. */
static void
add_array (GListStore   *list,
           GPtrArray    *expected,
           const char   *code,
           const gint64 *extents,
           guint         rank)
{
  g_autoptr(AccArray) array = make_array (code, extents, rank);

  g_list_store_append (list, array);
  g_ptr_array_add (expected, array_to_text (array));
}

static void
check_arrays (const char   *code,
              guint         rank,
              const gint64  extents[][3],
              guint         n,
              gboolean      regular)
{
  g_autoptr(GListStore) list = g_list_store_new (ACC_TYPE_ARRAY);
  g_autoptr(GPtrArray) expected = g_ptr_array_new_with_free_func (g_free);
  g_autoptr(AccSequenceProducer) producer = NULL;
  g_autoptr(GError) error = NULL;

  for (guint i = 0; i < n; i++)
    add_array (list, expected, code, extents[i], rank);
  producer = acc_sequence_arrays_new (G_LIST_MODEL (list), n == 0 ? acc_element_type_parse (code, NULL) : NULL, rank, &error);
  g_assert_no_error (error);
  g_assert_cmpint (acc_sequence_producer_get_length (producer), ==, n);
  g_assert_cmpint (acc_sequence_producer_get_shape (producer) != NULL, ==, regular);
  check_walks (producer, expected);
}

static void
test_arrays (void)
{
  static const gint64 several[][3] = { { 2, 3, 1 }, { 0, 4, 2 }, { 3, 1, 1 }, { 4, 4, 4 }, { 1, 1, 0 }, { 1, 1, 1 }, { 2, 2, 2 },
                                       { 5, 5, 1 } },
                      same[][3] = { { 2, 3, 1 }, { 2, 3, 1 }, { 2, 3, 1 } };
  const char *const codes[] = { "i4", "(i2,u1)", "c8" };

  for (guint c = 0; c < G_N_ELEMENTS (codes); c++)
    for (guint rank = 1; rank <= 3; rank++)
      {
        check_arrays (codes[c], rank, several, G_N_ELEMENTS (several), FALSE);
        check_arrays (codes[c], rank, same, G_N_ELEMENTS (same), TRUE);
        check_arrays (codes[c], rank, same, 1, TRUE);
        check_arrays (codes[c], rank, same, 0, FALSE);
      }
  check_arrays ("f8", 0, same, 3, TRUE);
  check_arrays ("f8", 0, same, 0, TRUE);
}

/* What comes before an array that does not fit is given. */
static void
test_arrays_that_do_not_fit (void)
{
  static const gint64 three[] = { 3 }, matrix[] = { 2, 2 }, four[] = { 4 };
  g_autoptr(AccArray) other_type = make_array ("f4", three, 1), other_rank = make_array ("i4", matrix, 2),
    whole = make_array ("i4", three, 1);
  g_autoptr(AccArray) delayed = acc_array_compute (whole), wrong = acc_array_reshape (whole, acc_array_get_shape (other_rank));
  AccArray *const bad[] = { other_type, other_rank, delayed, wrong };
  const int codes[] = { ACC_ERROR_TYPE, ACC_ERROR_SHAPE, ACC_ERROR_UNSUPPORTED, ACC_ERROR_SHAPE };
  g_autoptr(GListStore) files = g_list_store_new (G_TYPE_FILE);
  g_autoptr(GError) error = NULL;

  for (guint i = 0; i < G_N_ELEMENTS (bad); i++)
    {
      g_autoptr(GListStore) list = g_list_store_new (ACC_TYPE_ARRAY);
      g_autoptr(GPtrArray) expected = g_ptr_array_new_with_free_func (g_free), found = NULL;
      g_autoptr(AccSequenceProducer) producer = NULL;

      add_array (list, expected, "i4", three, 1);
      add_array (list, expected, "i4", four, 1);
      g_list_store_append (list, bad[i]);
      producer = acc_sequence_arrays_new (G_LIST_MODEL (list), NULL, 0, &error);
      g_assert_no_error (error);
      found = walk_producer (producer, 7, 100, &error);
      g_assert_error (error, ACC_ERROR, codes[i]);
      g_assert_nonnull (strstr (error->message, "array 2 of a list"));
      g_clear_error (&error);
      assert_elements (found, expected);
    }

  g_assert_null (acc_sequence_arrays_new (G_LIST_MODEL (files), NULL, 0, &error));
  g_assert_error (error, ACC_ERROR, ACC_ERROR_TYPE);
}

static void
test_arrays_are_shown (void)
{
  static const gint64 three[] = { 3 }, four[] = { 4 };
  g_autoptr(GListStore) list = g_list_store_new (ACC_TYPE_ARRAY);
  g_autoptr(AccArray) array = make_array ("i4", three, 1), other = make_array ("i4", four, 1);
  g_autoptr(AccSequenceProducer) producer = NULL;
  g_autoptr(AccNestedArray) chunk = NULL;
  g_autofree char *first = NULL, *second = NULL;

  g_list_store_append (list, array);
  g_list_store_append (list, other);
  acc_array_set_label (array, "salt");
  producer = acc_sequence_arrays_new (G_LIST_MODEL (list), NULL, 0, NULL);
  chunk = acc_sequence_producer_read (producer, 1, 1, NULL, NULL);
  g_assert_true (acc_array_get_address (acc_nested_array_get_values (chunk), 0) == acc_array_get_address (array, 0));
  first = acc_sequence_producer_describe (producer, 0);
  second = acc_sequence_producer_describe (producer, 1);
  g_assert_cmpstr (first, ==, "array 0 of a list, “salt”");
  g_assert_cmpstr (second, ==, "array 1 of a list");
}

/* --- files */

typedef struct {
  char       *folder;
  GListStore *files;
  GPtrArray  *expected;
} Folder;

static void
folder_init (Folder *self)
{
  *self = (Folder) { g_dir_make_tmp ("acc-lists-XXXXXX", NULL), g_list_store_new (G_TYPE_FILE), g_ptr_array_new_with_free_func (g_free) };
}

static void
folder_clear (Folder *self)
{
  remove_tree (self->folder);
  g_free (self->folder);
  g_object_unref (self->files);
  g_ptr_array_unref (self->expected);
}

static GFile *
add_file (Folder     *self,
          const char *name)
{
  g_autofree char *path = g_build_filename (self->folder, name, NULL);
  g_autoptr(GFile) file = g_file_new_for_path (path);

  g_list_store_append (self->files, file);

  return g_steal_pointer (&file);
}

static void
write_array (Folder       *self,
             const char   *name,
             const char   *code,
             const gint64 *extents,
             guint         rank)
{
  g_autoptr(GFile) file = add_file (self, name);
  g_autoptr(AccArray) array = make_array (code, extents, rank);
  g_autoptr(AccBackend) backend = acc_backend_new_for_name ("interpreter", NULL);
  g_autoptr(GError) error = NULL;
  g_autoptr(AccSink) sink = acc_sink_create (file, NULL, &error);

  g_assert_no_error (error);
  acc_backend_write (backend, array, sink, NULL, &error);
  g_assert_no_error (error);
  g_ptr_array_add (self->expected, array_to_text (array));
}

static void
write_bytes (Folder       *self,
             const char   *name,
             gconstpointer bytes,
             gsize         size)
{
  g_autoptr(GFile) file = add_file (self, name);

  g_assert_true (g_file_set_contents (g_file_peek_path (file), bytes, size, NULL));
}

static AccSequenceProducer *
files_of (Folder   *self,
          AccShape *shape)
{
  g_autoptr(GError) error = NULL;
  AccSequenceProducer *producer = acc_sequence_files_new (G_LIST_MODEL (self->files), shape, NULL, &error);

  g_assert_no_error (error);

  return producer;
}

static void
test_files (void)
{
  Folder folder;
  g_autoptr(AccSequenceProducer) producer = NULL;
  g_autofree char *place = NULL;

  folder_init (&folder);
  write_array (&folder, "a.png", "u1", (gint64[]) { 3, 5 }, 2);
  write_array (&folder, "b.npy", "u1", (gint64[]) { 0, 5 }, 2);
  write_array (&folder, "c.npy", "u1", (gint64[]) { 7, 2 }, 2);
  write_array (&folder, "d.png", "u1", (gint64[]) { 20, 20 }, 2);
  producer = files_of (&folder, NULL);
  g_assert_cmpint (acc_sequence_producer_get_length (producer), ==, 4);
  g_assert_null (acc_sequence_producer_get_shape (producer));
  check_walks (producer, folder.expected);
  place = acc_sequence_producer_describe (producer, 2);
  g_assert_true (g_str_has_suffix (place, "c.npy"));
  folder_clear (&folder);
}

static void
test_files_of_one_shape (void)
{
  g_autoptr(AccShape) shape = acc_shape_new_matrix (2, 3);
  g_autoptr(AccSequenceProducer) producer = NULL, other = NULL;
  g_autoptr(GError) error = NULL;
  g_autoptr(GPtrArray) found = NULL;
  Folder folder;

  folder_init (&folder);
  for (guint i = 0; i < 5; i++)
    {
      g_autofree char *name = g_strdup_printf ("%u.npy", i);

      write_array (&folder, name, "(f4,u1)", (gint64[]) { 2, 3 }, 2);
    }
  producer = files_of (&folder, shape);
  check_walks (producer, folder.expected);

  write_array (&folder, "more.npy", "(f4,u1)", (gint64[]) { 3, 2 }, 2);
  other = files_of (&folder, shape);
  found = walk_producer (other, 2, 100, &error);
  g_assert_error (error, ACC_ERROR, ACC_ERROR_SHAPE);
  g_assert_nonnull (strstr (error->message, "more.npy has shape [3,2], not [2,3]"));
  g_ptr_array_set_size (folder.expected, 5);
  assert_elements (found, folder.expected);
  folder_clear (&folder);
}

/* Grey pictures among those in colour, and those in colour among grey ones. */
static void
test_channels (void)
{
  static const struct {
    gint64 extents[3];
    guint  rank;
  } pictures[] = { { { 3, 5, 3 }, 3 }, { { 4, 2 }, 2 }, { { 1, 1, 4 }, 3 }, { { 7, 1, 2 }, 3 }, { { 30, 20 }, 2 } };
  g_autoptr(AccSequenceProducer) producer = NULL, other = NULL, fixed = NULL;
  g_autoptr(AccShape) shape = acc_shape_new ((gint64[]) { 3, 5, 3 }, 3);
  g_autoptr(GError) error = NULL;
  g_autoptr(GPtrArray) found = NULL, first = NULL;
  Folder folder;

  folder_init (&folder);
  for (guint i = 0; i < G_N_ELEMENTS (pictures); i++)
    {
      g_autofree char *name = g_strdup_printf ("%u.png", i);
      gint64 extents[3] = { pictures[i].extents[0], pictures[i].extents[1], MAX (pictures[i].extents[2], 1) };
      g_autoptr(AccArray) array = make_array ("u1", extents, 3);

      write_array (&folder, name, "u1", pictures[i].extents, pictures[i].rank);
      g_free (folder.expected->pdata[i]);
      folder.expected->pdata[i] = array_to_text (array);
    }
  producer = files_of (&folder, NULL);
  g_assert_cmpuint (acc_sequence_producer_get_rank (producer), ==, 3);
  check_walks (producer, folder.expected);

  fixed = files_of (&folder, shape);
  first = walk_producer (fixed, 2, 1000, &error);
  g_assert_error (error, ACC_ERROR, ACC_ERROR_SHAPE);
  g_assert_nonnull (strstr (error->message, "1.png has shape [4,2,1], not [3,5,3]"));
  g_clear_error (&error);

  /* A file that is no picture has the dimensions that it has. */
  write_array (&folder, "5.npy", "u1", (gint64[]) { 4, 2 }, 2);
  g_ptr_array_set_size (folder.expected, 5);
  other = files_of (&folder, NULL);
  found = walk_producer (other, 100, 10000, &error);
  g_assert_error (error, ACC_ERROR, ACC_ERROR_SHAPE);
  g_assert_nonnull (strstr (error->message, "5.npy has shape [4,2], whose rank is not 3"));
  assert_elements (found, folder.expected);
  folder_clear (&folder);
}

static void
test_colour_after_grey (void)
{
  g_autoptr(AccSequenceProducer) producer = NULL;
  g_autoptr(GError) error = NULL;
  g_autoptr(GPtrArray) found = NULL;
  Folder folder;

  folder_init (&folder);
  write_array (&folder, "a.png", "u1", (gint64[]) { 3, 5 }, 2);
  write_array (&folder, "b.png", "u1", (gint64[]) { 3, 5, 3 }, 3);
  producer = files_of (&folder, NULL);
  found = walk_producer (producer, 2, 1000, &error);
  g_assert_error (error, ACC_ERROR, ACC_ERROR_SHAPE);
  g_assert_nonnull (strstr (error->message, "b.png has shape [3,5,3], and the first file"));
  g_ptr_array_set_size (folder.expected, 1);
  assert_elements (found, folder.expected);
  folder_clear (&folder);
}

/* Columns one after the other. */
static void
test_fortran_order (void)
{
  static const char header[] = "\x93NUMPY\x01\x00\x46\x00{'descr': '<i2', 'fortran_order': True, 'shape': (2, 3, 2), }        ";
  static const gint64 extents[] = { 2, 3, 2 };
  g_autofree char *bytes = g_malloc0 (80 + 24);
  gint16 values[12];
  const guint8 *buffer = (const guint8 *) values;
  g_autoptr(AccSequenceProducer) producer = NULL;
  Folder folder;

  memset (bytes, ' ', 80);
  memcpy (bytes, header, sizeof header - 1);
  bytes[79] = '\n';
  for (gint16 i = 0; i < 2; i++)
    for (gint16 j = 0; j < 3; j++)
      for (gint16 k = 0; k < 2; k++)
        {
          gint16 value = 100 * i + 10 * j + k;

          values[(i * 3 + j) * 2 + k] = value;
          memcpy (bytes + 80 + 2 * (i + 2 * (j + 3 * k)), &value, 2);
        }

  folder_init (&folder);
  write_bytes (&folder, "f.npy", bytes, 80 + 24);
  g_ptr_array_add (folder.expected, element_to_text (acc_element_type_new (ACC_KIND_I16), extents, 3, &buffer));
  write_array (&folder, "c.npy", "i2", (gint64[]) { 1, 3, 1 }, 3);
  producer = files_of (&folder, NULL);
  check_walks (producer, folder.expected);
  folder_clear (&folder);
}

static void
test_raw_files (void)
{
  static const gint64 rows[] = { 2, 0, 5 };
  g_autoptr(AccShape) fitted = acc_shape_new_matrix (-1, 3), fixed = acc_shape_new_matrix (2, 3), negative = acc_shape_new_matrix (2, -1);
  AccElementType *type = acc_element_type_new (ACC_KIND_I16);
  g_autoptr(AccSequenceProducer) producer = NULL, regular = NULL, odd = NULL;
  g_autoptr(GPtrArray) found = NULL, few = NULL;
  g_autoptr(GError) error = NULL;
  Folder folder;

  folder_init (&folder);
  for (guint i = 0; i < G_N_ELEMENTS (rows); i++)
    {
      guint8 bytes[40];
      g_autofree char *name = g_strdup_printf ("%u.raw", i);
      const guint8 *data = bytes + 4;
      gint64 extents[] = { rows[i], 3 };

      for (guint k = 0; k < sizeof bytes; k++)
        bytes[k] = 40 * i + k;
      write_bytes (&folder, name, bytes, 4 + 6 * rows[i]);
      g_ptr_array_add (folder.expected, element_to_text (type, extents, 2, &data));
    }
  producer = acc_sequence_files_new_raw (G_LIST_MODEL (folder.files), type, fitted, 4, &error);
  g_assert_no_error (error);
  check_walks (producer, folder.expected);

  /* The second one is too short. */
  regular = acc_sequence_files_new_raw (G_LIST_MODEL (folder.files), type, fixed, 4, &error);
  g_assert_no_error (error);
  found = walk_producer (regular, 7, 100, &error);
  g_assert_error (error, ACC_ERROR, ACC_ERROR_IO);
  g_assert_nonnull (strstr (error->message, "1.raw"));
  g_assert_cmpuint (found->len, ==, 1);
  g_assert_cmpstr (found->pdata[0], ==, folder.expected->pdata[0]);
  g_clear_error (&error);

  write_bytes (&folder, "odd.raw", "12345", 5);
  odd = acc_sequence_files_new_raw (G_LIST_MODEL (folder.files), type, fitted, 4, &error);
  few = walk_producer (odd, 7, 100, &error);
  g_assert_error (error, ACC_ERROR, ACC_ERROR_IO);
  g_assert_nonnull (strstr (error->message, "odd.raw has 5 bytes"));
  assert_elements (few, folder.expected);
  g_clear_error (&error);

  g_assert_null (acc_sequence_files_new_raw (G_LIST_MODEL (folder.files), type, negative, 4, &error));
  g_assert_error (error, ACC_ERROR, ACC_ERROR_SHAPE);
  folder_clear (&folder);
}

static void
check_bad_file (Folder     *folder,
                int         code,
                const char *says)
{
  g_autoptr(AccSequenceProducer) producer = files_of (folder, NULL);
  g_autoptr(GError) error = NULL;
  g_autoptr(GPtrArray) found = walk_producer (producer, 7, 1000, &error);

  g_assert_error (error, ACC_ERROR, code);
  if (strstr (error->message, says) == NULL)
    g_error ("“%s” does not say “%s”", error->message, says);
  assert_elements (found, folder->expected);
  g_list_store_remove (folder->files, g_list_model_get_n_items (G_LIST_MODEL (folder->files)) - 1);
}

static void
test_bad_files (void)
{
  g_autoptr(GFile) missing = NULL;
  g_autoptr(GCancellable) cancellable = g_cancellable_new ();
  g_autoptr(AccSequenceProducer) producer = NULL;
  g_autoptr(GError) error = NULL;
  g_autofree char *short_file = NULL, *png = NULL, *path = NULL;
  gsize size;
  Folder folder;

  folder_init (&folder);
  g_assert_null (acc_sequence_files_new (G_LIST_MODEL (folder.files), NULL, NULL, &error));
  g_assert_error (error, ACC_ERROR, ACC_ERROR_TYPE);
  g_clear_error (&error);

  write_array (&folder, "a.npy", "u1", (gint64[]) { 3, 4 }, 2);
  write_array (&folder, "b.png", "u1", (gint64[]) { 50, 50 }, 2);
  missing = add_file (&folder, "missing.png");
  check_bad_file (&folder, ACC_ERROR_IO, "missing.png");
  write_bytes (&folder, "text.txt", "words", 5);
  check_bad_file (&folder, ACC_ERROR_UNSUPPORTED, "text.txt");
  path = g_build_filename (folder.folder, "b.png", NULL);
  g_assert_true (g_file_get_contents (path, &png, &size, NULL));
  write_bytes (&folder, "half.png", png, size - 60);
  check_bad_file (&folder, ACC_ERROR_IO, "half.png");

  write_array (&folder, "real.npy", "f4", (gint64[]) { 3, 4 }, 2);
  g_ptr_array_set_size (folder.expected, 2);
  check_bad_file (&folder, ACC_ERROR_TYPE, "real.npy has elements of f4, not of u1");
  write_array (&folder, "vector.npy", "u1", (gint64[]) { 3 }, 1);
  g_ptr_array_set_size (folder.expected, 2);
  check_bad_file (&folder, ACC_ERROR_SHAPE, "vector.npy has shape [3], whose rank is not 2");

  producer = files_of (&folder, NULL);
  g_cancellable_cancel (cancellable);
  g_assert_null (acc_sequence_producer_read (producer, 1, 1, cancellable, &error));
  g_assert_error (error, G_IO_ERROR, G_IO_ERROR_CANCELLED);
  g_clear_error (&error);
  g_assert_true (acc_sequence_producer_rewind (producer, &error));
  check_walks (producer, folder.expected);
  folder_clear (&folder);
}

int
main (int    argc,
      char **argv)
{
  g_test_init (&argc, &argv, NULL);

  g_test_add_func ("/sequence/lists/arrays", test_arrays);
  g_test_add_func ("/sequence/lists/arrays-that-do-not-fit", test_arrays_that_do_not_fit);
  g_test_add_func ("/sequence/lists/arrays-are-shown", test_arrays_are_shown);
  g_test_add_func ("/sequence/lists/files", test_files);
  g_test_add_func ("/sequence/lists/files-of-one-shape", test_files_of_one_shape);
  g_test_add_func ("/sequence/lists/fortran-order", test_fortran_order);
  g_test_add_func ("/sequence/lists/channels", test_channels);
  g_test_add_func ("/sequence/lists/colour-after-grey", test_colour_after_grey);
  g_test_add_func ("/sequence/lists/raw-files", test_raw_files);
  g_test_add_func ("/sequence/lists/bad-files", test_bad_files);

  return g_test_run ();
}
