/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "acc-seq/sequence/producers/acc-sequence-split-private.h"

#include "producer-helpers.h"

#include <glib/gstdio.h>
#include <string.h>

/* Lines and delimited records of streams and files. */

static AccSequenceProducer *
lines_of (const char *text,
          gssize      n,
          gboolean    keep)
{
  g_autoptr(GInputStream) stream = g_memory_input_stream_new_from_data (text, n >= 0 ? n : (gssize) strlen (text), NULL);

  return acc_sequence_split_new_lines (acc_byte_reader_new_for_stream (stream), keep);
}

static void
check_lines (const char        *text,
             gboolean           keep,
             const char *const *expected)
{
  g_autoptr(AccSequenceProducer) producer = lines_of (text, -1, keep);
  g_autoptr(GPtrArray) elements = g_ptr_array_new_with_free_func (g_free);

  for (; *expected != NULL; expected++)
    add_text (elements, *expected, -1);
  check_walks (producer, elements);
}

#define LINES(...) (const char *const[]) { __VA_ARGS__ }

static void
test_lines (void)
{
  check_lines ("", FALSE, LINES (NULL));
  check_lines ("\n", FALSE, LINES ("", NULL));
  check_lines ("one", FALSE, LINES ("one", NULL));
  check_lines ("one\n", FALSE, LINES ("one", NULL));
  check_lines ("one\n\ntwo three\nend", FALSE, LINES ("one", "", "two three", "end", NULL));
  check_lines ("a\r\n\r\nb\r\r\nc\rd\r\n", FALSE, LINES ("a", "", "b\r", "c\rd", NULL));
  check_lines ("last\r", FALSE, LINES ("last\r", NULL));
  check_lines ("a\r\n\nb", TRUE, LINES ("a\r\n", "\n", "b", NULL));
}

static void
test_zero_bytes (void)
{
  g_autoptr(AccSequenceProducer) producer = lines_of ("a\0b\n\0\n", 6, FALSE);
  g_autoptr(GPtrArray) elements = g_ptr_array_new_with_free_func (g_free);

  add_text (elements, "a\0b", 3);
  add_text (elements, "\0", 1);
  check_walks (producer, elements);
}

/* One byte after the other. */
static GPtrArray *
split_slowly (const char *text,
              gsize       n,
              const char *delimiter,
              gboolean    lines,
              gboolean    keep)
{
  GPtrArray *elements = g_ptr_array_new_with_free_func (g_free);
  gsize size = strlen (delimiter), begin = 0;

  for (gsize i = 0; i + size <= n; )
    {
      gsize end = i;

      if (memcmp (text + i, delimiter, size) != 0)
        {
          i++;
          continue;
        }
      i += size;
      if (keep)
        end = i;
      else if (lines && end > begin && text[end - 1] == '\r')
        end--;
      add_text (elements, text + begin, end - begin);
      begin = i;
    }
  if (begin < n)
    add_text (elements, text + begin, n - begin);

  return elements;
}

typedef struct {
  const char *delimiter;
  const char *alphabet;
  gsize       length;     /* of an element, about */
} Kind;

static const Kind kinds[] = {
  { "\n", "ab\r\n", 0 }, { "\n", "ab\r\n", 3000 }, { "\n", "a\r\n", 300000 }, { "aa", "ab", 0 }, { "aab", "ab", 500 },
  { "ab", "ab", 100000 }, { "ababababac", "abc", 2000 },
};

/* Pieces of text and delimiters. */
static GBytes *
make_text (const Kind *kind,
           gsize       size)
{
  GString *text = g_string_new (NULL);
  gsize n = strlen (kind->alphabet);

  while (text->len < size)
    {
      if (kind->length == 0 || g_test_rand_int_range (0, kind->length) == 0)
        g_string_append_len (text, kind->delimiter, g_test_rand_int_range (0, strlen (kind->delimiter) + 1));
      g_string_append_c (text, kind->alphabet[kind->length > 0 && n > 1 ? g_test_rand_int_range (0, n - 1) : g_test_rand_int_range (0, n)]);
      if (kind->length > 0 && g_test_rand_int_range (0, kind->length) == 0)
        g_string_append (text, kind->delimiter);
    }

  return g_string_free_to_bytes (text);
}

static AccSequenceProducer *
split_of (GInputStream *stream,
          const Kind   *kind,
          gboolean      keep)
{
  g_autoptr(GBytes) delimiter = g_bytes_new_static (kind->delimiter, strlen (kind->delimiter));
  AccByteReader *reader = acc_byte_reader_new_for_stream (stream);

  return *kind->delimiter == '\n' ? acc_sequence_split_new_lines (reader, keep) : acc_sequence_split_new (reader, delimiter, keep, NULL);
}

static void
test_random (void)
{
  for (guint k = 0; k < G_N_ELEMENTS (kinds); k++)
    for (guint round = 0; round < 8; round++)
      {
        const Kind *kind = &kinds[k];
        gboolean keep = round % 2, polls = round % 4 >= 2;
        g_autoptr(GBytes) text = make_text (kind, round < 4 ? 20 * round + 1 : 600000 / (kind->length == 0 ? 20 : 1));
        gsize n, piece;
        const char *data = g_bytes_get_data (text, &n);
        g_autoptr(GPtrArray) expected = split_slowly (data, n, kind->delimiter, *kind->delimiter == '\n', keep), found = NULL;
        g_autoptr(GInputStream) memory = g_memory_input_stream_new_from_bytes (text), trickle = NULL;
        g_autoptr(AccSequenceProducer) producer = split_of (memory, kind, keep), once = NULL;
        g_autoptr(GError) error = NULL;

        check_walks (producer, expected);

        piece = round % 3 == 0 ? 1 + n % 7 : 100000;
        trickle = trickle_new (text, piece, -1, polls);
        once = split_of (trickle, kind, keep);
        found = walk_producer (once, 100, 1000, &error);
        g_assert_no_error (error);
        assert_elements (found, expected);
        g_assert_false (acc_sequence_producer_rewind (once, &error));
        g_assert_error (error, ACC_ERROR, ACC_ERROR_STREAM);
      }
}

/* --- memory of chunks that are not needed any more is read to again, and that of others is not */

#define LINE_SIZE 64
#define N_LINES   20000
#define A_CHUNK   2000

static char *
make_lines (gsize n)
{
  char *text = g_malloc (n * LINE_SIZE + 1);

  for (gsize i = 0; i < n; i++)
    g_snprintf (text + i * LINE_SIZE, LINE_SIZE + 1, "%0*u\n", LINE_SIZE - 1, (guint) i);

  return text;
}

static void
check_chunk (AccNestedArray *chunk,
             const char     *text,
             gsize           number)
{
  const char *found = (gconstpointer) (guintptr) acc_array_get_address (acc_nested_array_get_values (chunk), 0);

  for (gsize i = 0; i < A_CHUNK; i++)
    g_assert_cmpmem (found + i * (LINE_SIZE - 1), LINE_SIZE - 1, text + (number * A_CHUNK + i) * LINE_SIZE, LINE_SIZE - 1);
}

static void
test_memory (void)
{
  g_autofree char *text = make_lines (N_LINES);
  AccSequenceProducer *producer = lines_of (text, N_LINES * LINE_SIZE, FALSE);
  g_autoptr(GPtrArray) kept = g_ptr_array_new_with_free_func (g_object_unref);
  g_autoptr(GError) error = NULL;

  /* Every third chunk is needed no longer than until the next one is read. */
  for (gsize number = 0; number < N_LINES / A_CHUNK; number++)
    {
      AccNestedArray *chunk = acc_sequence_producer_read (producer, A_CHUNK, G_MAXINT64, NULL, &error);

      g_assert_no_error (error);
      check_chunk (chunk, text, number);
      if (number % 3 == 0)
        g_object_unref (chunk);
      else
        g_ptr_array_add (kept, chunk);
    }

  g_object_unref (producer);
  for (guint i = 0; i < kept->len; i++)
    check_chunk (g_ptr_array_index (kept, i), text, 3 * (i / 2) + 1 + i % 2);
}

/* What comes before an error is given, and then the error. */
static void
test_failing (void)
{
  g_autoptr(GBytes) text = g_bytes_new_static ("one\ntwo\nthree\n", 14);

  for (gssize fail_at = 0; fail_at <= 14; fail_at++)
    for (gsize piece = 1; piece < 20; piece += 6)
      {
        g_autoptr(GInputStream) stream = trickle_new (text, piece, fail_at, piece == 7);
        g_autoptr(AccSequenceProducer) producer = acc_sequence_split_new_lines (acc_byte_reader_new_for_stream (stream), FALSE);
        g_autoptr(GPtrArray) expected = g_ptr_array_new_with_free_func (g_free), found = NULL;
        g_autoptr(GError) error = NULL;

        if (fail_at >= 4)
          add_text (expected, "one", -1);
        if (fail_at >= 8)
          add_text (expected, "two", -1);
        if (fail_at >= 14)
          add_text (expected, "three", -1);
        found = walk_producer (producer, 7, 100, &error);
        g_assert_error (error, ACC_ERROR, ACC_ERROR_IO);
        g_assert_nonnull (strstr (error->message, "the line is dead"));
        assert_elements (found, expected);
      }
}

static void
test_cancelled (void)
{
  g_autoptr(AccSequenceProducer) producer = lines_of ("a\nb\n", -1, FALSE);
  g_autoptr(GCancellable) cancellable = g_cancellable_new ();
  g_autoptr(AccNestedArray) chunk = acc_sequence_producer_read (producer, 1, 1, cancellable, NULL);
  g_autoptr(GPtrArray) elements = g_ptr_array_new_with_free_func (g_free);
  g_autoptr(GError) error = NULL;

  g_assert_nonnull (chunk);
  g_cancellable_cancel (cancellable);
  g_assert_null (acc_sequence_producer_read (producer, 1, 1, cancellable, &error));
  g_assert_error (error, G_IO_ERROR, G_IO_ERROR_CANCELLED);
  g_clear_error (&error);

  g_assert_true (acc_sequence_producer_rewind (producer, &error));
  add_text (elements, "a", -1);
  add_text (elements, "b", -1);
  check_walks (producer, elements);
}

static void
test_file (void)
{
  g_autofree char *folder = g_dir_make_tmp ("acc-split-XXXXXX", NULL), *path = g_build_filename (folder, "words.txt", NULL), *place = NULL;
  g_autoptr(GFile) file = g_file_new_for_path (path);
  g_autoptr(AccSequenceProducer) producer = NULL, records = NULL;
  g_autoptr(GPtrArray) elements = g_ptr_array_new_with_free_func (g_free);
  g_autoptr(GBytes) delimiter = g_bytes_new_static ("u", 1), none = g_bytes_new_static ("", 0);
  g_autoptr(GError) error = NULL;

  g_assert_true (g_file_set_contents (path, "un\ndeux\n", -1, NULL));
  producer = acc_sequence_split_new_lines (acc_byte_reader_new_for_file (file, NULL, NULL), FALSE);
  add_text (elements, "un", -1);
  add_text (elements, "deux", -1);
  check_walks (producer, elements);
  place = acc_sequence_producer_describe (producer, 1);
  g_assert_true (g_str_has_prefix (place, "line 2 of ") && g_str_has_suffix (place, "words.txt"));
  g_clear_pointer (&place, g_free);

  records = acc_sequence_split_new (acc_byte_reader_new_for_file (file, NULL, NULL), delimiter, FALSE, &error);
  g_assert_no_error (error);
  place = acc_sequence_producer_describe (records, 0);
  g_assert_true (g_str_has_prefix (place, "record 1 of "));
  g_assert_null (acc_sequence_split_new (acc_byte_reader_new_for_file (file, NULL, NULL), none, FALSE, &error));
  g_assert_error (error, ACC_ERROR, ACC_ERROR_UNSUPPORTED);

  g_unlink (path);
  g_rmdir (folder);
}

int
main (int    argc,
      char **argv)
{
  g_test_init (&argc, &argv, NULL);

  g_test_add_func ("/sequence/split/lines", test_lines);
  g_test_add_func ("/sequence/split/zero-bytes", test_zero_bytes);
  g_test_add_func ("/sequence/split/random", test_random);
  g_test_add_func ("/sequence/split/memory", test_memory);
  g_test_add_func ("/sequence/split/failing", test_failing);
  g_test_add_func ("/sequence/split/cancelled", test_cancelled);
  g_test_add_func ("/sequence/split/file", test_file);

  return g_test_run ();
}
