/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "fuzz-main.h"

#include <acc/acc.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "acc-seq/stream/acc-evaluate-private.h"

/* Nested arrays and sequences from bytes. What is text is read as that: it is a nested array, or fails, and what is one prints to a text
 * that reads as the same. All bytes are descriptors, too, which fit their values or are refused, and then say what is done with the
 * elements: the interpreter and native agree, and so do a sequence in steps of several sizes and the nested array. */

#define MOST_VALUES   40
#define MOST_OPERATIONS 6

static AccBackend *judge, *native;

/* Without some of each this tests nothing. */
static struct {
  guint texts, refused, failed, compared;
} tally;

static void
report (void)
{
  printf ("%u texts, %u descriptors refused, %u chains failed, %u compared\n", tally.texts, tally.refused, tally.failed, tally.compared);
  fflush (stdout);
  if (tally.texts == 0 || tally.refused == 0 || tally.failed == 0 || tally.compared == 0)
    _exit (1);
}

/* --- bytes */

typedef struct {
  const guint8 *data;
  gsize         size, at;
} Bytes;

static guint8
take (Bytes *self)
{
  return self->at < self->size ? self->data[self->at++] : 0;
}

/* Small, mostly; sometimes far away. */
static gint64
take_number (Bytes *self)
{
  guint8 byte = take (self);

  switch (byte)
    {
    case 0x7f: return G_MAXINT64;
    case 0x80: return G_MININT64;
    case 0xff: return -1;
    case 0xfe: return G_GINT64_CONSTANT (1) << 33;
    default: return byte % 8;
    }
}

static AccArray *
take_numbers (Bytes *self, gint64 n, gint64 rank)
{
  g_autofree gint64 *numbers = g_new0 (gint64, n * MAX (rank, 1) + 1);
  g_autoptr(AccShape) shape = rank > 0 ? acc_shape_new_matrix (n, rank) : acc_shape_new_vector (n);
  g_autoptr(GBytes) bytes = NULL;

  for (gint64 i = 0; i < n * MAX (rank, 1); i++)
    numbers[i] = take_number (self);
  bytes = g_bytes_new (numbers, (gsize) (n * MAX (rank, 1)) * sizeof (gint64));

  return acc_array_use (acc_element_type_new (ACC_KIND_I64), shape, bytes);
}

static AccArray *
make_values (gint64 n)
{
  g_autofree gint32 *numbers = g_new0 (gint32, n + 1);
  g_autoptr(AccShape) shape = acc_shape_new_vector (n);
  g_autoptr(GBytes) bytes = NULL;

  for (gint64 i = 0; i < n; i++)
    numbers[i] = (gint32) ((i * 37) % 23) - 9;
  bytes = g_bytes_new (numbers, (gsize) n * sizeof (gint32));

  return acc_array_use (acc_element_type_new (ACC_KIND_I32), shape, bytes);
}

/* How many values fit, where the lengths or extents that follow are small: a byte may say that they fit. */
static gint64
count_values (const Bytes *bytes, gint64 n, gint64 rank)
{
  Bytes copy = *bytes;
  gint64 total = 0;

  for (gint64 i = 0; i < n; i++)
    {
      gint64 size = 1;

      for (gint64 d = 0; d < MAX (rank, 1); d++)
        {
          gint64 number = take_number (&copy);

          size *= number < 0 || number > 8 ? 0 : number;
        }
      total += size;
    }

  return MIN (total, 4096);
}

static AccNestedArray *
take_nested (Bytes *bytes)
{
  guint8 kind = take (bytes);
  gint64 n = take (bytes) % 7, rank = kind % 4 == 2 ? 1 + take (bytes) % 3 : 0;
  gint64 n_values = take (bytes) % 4 > 0 ? count_values (bytes, n, rank) : take (bytes) % MOST_VALUES;
  g_autoptr(AccArray) values = make_values (n_values), descriptor = NULL;
  g_autoptr(AccShape) shape = NULL;
  g_autoptr(AccArray) matrix = NULL;

  switch (kind % 4)
    {
    case 0:
      descriptor = take_numbers (bytes, n, 0);
      return acc_nested_array_new_from_lengths (values, descriptor);
    case 1:
      descriptor = take_numbers (bytes, n + kind / 4 % 2, 0);
      return acc_nested_array_new_from_offsets (values, descriptor);
    case 2:
      descriptor = take_numbers (bytes, n, rank);
      return acc_nested_array_new_from_extents (values, descriptor);
    default:
      shape = acc_shape_new_matrix (n, n == 0 ? 0 : n_values / n);
      matrix = acc_array_take (values, n == 0 ? 0 : n_values / n * n);
      descriptor = acc_array_reshape (matrix, shape);
      return acc_nested_array_new_from_regular (descriptor);
    }
}

/* --- functions of elements, of any rank */

static AccExpr *
add (AccExpr *x, AccExpr *y, gpointer data)
{
  return acc_expr_add (x, y);
}

static AccExpr *
step (AccExpr *x, gpointer data)
{
  return acc_expr_sub (acc_expr_mul (x, acc_expr_new_int (3)), acc_expr_new_int (1));
}

static AccExpr *
is_odd (AccExpr *x, gpointer data)
{
  return acc_expr_ne (acc_expr_rem (x, acc_expr_new_int (2)), acc_expr_new_int (0));
}

static AccArray *
flat (AccArray **a, guint n, gpointer data)
{
  return acc_array_flatten (a[0]);
}

static AccArray *
total (AccArray **a, guint n, gpointer data)
{
  g_autoptr(AccArray) values = acc_array_flatten (a[0]);

  return acc_array_fold (values, acc_expr_new_int (0), add, NULL);
}

static AccArray *
odd (AccArray **a, guint n, gpointer data)
{
  g_autoptr(AccArray) sum = total (a, 1, NULL);

  return acc_array_map (sum, is_odd, NULL);
}

static AccArray *
stepped (AccArray **a, guint n, gpointer data)
{
  return acc_array_map (a[0], step, NULL);
}

static AccArray *
sums (AccArray **a, guint n, gpointer data)
{
  g_autoptr(AccArray) values = acc_array_flatten (a[0]);

  return acc_array_scanl1 (values, add, NULL);
}

static AccArray *
some (AccArray **a, guint n, gpointer data)
{
  g_autoptr(AccArray) values = acc_array_flatten (a[0]);

  return acc_array_filter (values, is_odd, NULL, NULL);
}

static AccArray *
sorted (AccArray **a, guint n, gpointer data)
{
  g_autoptr(AccArray) values = acc_array_flatten (a[0]), reversed = acc_array_reverse (values);

  return acc_array_sort (reversed, FALSE);
}

/* Fails where an element has no values. */
static AccArray *
first (AccArray **a, guint n, gpointer data)
{
  g_autoptr(AccArray) values = acc_array_flatten (a[0]);

  return acc_array_fold1 (values, add, NULL);
}

static AccArray *
joined (AccArray **a, guint n, gpointer data)
{
  g_autoptr(AccArray) x = acc_array_flatten (a[0]), y = acc_array_flatten (a[1]);

  return acc_array_concat (x, y);
}

static const AccArrayFunc functions[] = { flat, stepped, sums, some, sorted, total, first };

/* --- the same of a nested array and of a sequence; NULL where there is only one of them */

typedef struct {
  AccNestedArray *nested;
  AccSequence    *sequence;
} Pair;

static void
set_pair (Pair *self, AccNestedArray *nested, AccSequence *sequence)
{
  g_object_unref (self->nested);
  g_object_unref (self->sequence);
  self->nested = nested;
  self->sequence = sequence;
}

static void
apply (Pair *self, Bytes *bytes)
{
  guint8 what = take (bytes);
  gint64 count = take (bytes) % 5;
  AccArrayFunc function = functions[what / 8 % G_N_ELEMENTS (functions)];

  switch (what % 8)
    {
    case 0:
      set_pair (self, acc_nested_array_take (self->nested, count), acc_sequence_take (self->sequence, count));
      break;
    case 1:
      set_pair (self, acc_nested_array_drop (self->nested, count), acc_sequence_drop (self->sequence, count));
      break;
    case 2:
      set_pair (self, acc_nested_array_filter (self->nested, odd, NULL), acc_sequence_filter (self->sequence, odd, NULL));
      break;
    case 3:
      set_pair (self, acc_nested_array_concat (self->nested, self->nested), acc_sequence_concat (self->sequence, self->sequence));
      break;
    case 4:
      set_pair (self, acc_nested_array_zip_with (self->nested, self->nested, joined, NULL),
                acc_sequence_zip_with (self->sequence, self->sequence, joined, NULL));
      break;
    default:
      set_pair (self, acc_nested_array_map (self->nested, function, NULL), acc_sequence_map (self->sequence, function, NULL));
    }
}

/* --- runs */

/* All that elements are, as bytes: how long each is, and their values. NULL where it fails. */
static GBytes *
list_elements (AccBackend *where, AccArray *lengths, AccArray *elements, gint64 chunk)
{
  AccArray *arrays[] = { lengths, elements };
  g_autoptr(GError) error = NULL;
  g_autoptr(GPtrArray) results = acc_evaluate_with_chunk_rows (where, arrays, 2, chunk, NULL, &error);
  g_autoptr(GBytes) a = NULL, b = NULL;
  GByteArray *all;

  if (results == NULL)
    {
      g_assert_true (error->domain == ACC_ERROR);
      return NULL;
    }
  a = acc_array_dup_bytes (results->pdata[0], 0, NULL);
  b = acc_array_dup_bytes (results->pdata[1], 0, NULL);
  all = g_byte_array_new ();
  g_byte_array_append (all, g_bytes_get_data (a, NULL), (guint) g_bytes_get_size (a));
  g_byte_array_append (all, g_bytes_get_data (b, NULL), (guint) g_bytes_get_size (b));

  return g_byte_array_free_to_bytes (all);
}

static void
check_same (GBytes *found, GBytes *wanted, const char *what)
{
  if (found != NULL && wanted != NULL ? g_bytes_equal (found, wanted) : found == wanted)
    return;

  g_error ("%s: %s in place of %s", what, found != NULL ? "elements" : "an error", wanted != NULL ? "others" : "an error");
}

static void
check_elements (Pair *self)
{
  static const gint64 steps[] = { 0, 1, 3 };
  g_autoptr(GBytes) walked_before = NULL;
  g_autoptr(AccArray) elements = acc_nested_array_flatten (self->nested);
  AccArray *lengths = acc_nested_array_get_lengths (self->nested);
  g_autoptr(AccArray) walked = acc_sequence_elements (self->sequence), counted = acc_sequence_lengths (self->sequence);
  g_autoptr(GBytes) wanted = list_elements (judge, lengths, elements, 0), found = list_elements (native, lengths, elements, 0);

  check_same (found, wanted, "native");
  if (wanted == NULL)
    tally.failed++;
  else
    tally.compared++;
  for (guint i = 0; i < G_N_ELEMENTS (steps); i++)
    {
      g_autoptr(GBytes) stepped = list_elements (native, counted, walked, steps[i]);

      /* Elements that are dropped behind what fails are not computed by a walk. */
      if (wanted == NULL && stepped != NULL && walked_before == NULL)
        walked_before = g_bytes_ref (stepped);
      if (wanted != NULL || stepped != NULL)
        check_same (stepped, wanted != NULL ? wanted : walked_before, i == 0 ? "a sequence" : "a sequence in small steps");
    }
}

/* --- texts */

/* What is read checks its descriptors, which is part of its text until it has run. */
static AccNestedArray *
read_and_run (const char *text)
{
  g_autoptr(GError) error = NULL;
  g_autoptr(AccNestedArray) nested = acc_nested_array_new_from_text (text, &error), again = NULL;
  g_autofree char *printed = NULL;
  AccNestedArray *done;

  if (nested == NULL)
    {
      g_assert_true (error->domain == ACC_ERROR);
      return NULL;
    }
  printed = acc_nested_array_to_text (nested);
  again = acc_nested_array_new_from_text (printed, &error);
  g_assert_no_error (error);

  done = acc_backend_run_nested (native, again, NULL, &error);
  g_assert_true (done != NULL || error->domain == ACC_ERROR);

  return done;
}

static void
check_text (const char *text)
{
  g_autoptr(AccNestedArray) done = read_and_run (text), again = NULL;
  g_autofree char *printed = NULL, *shown = NULL, *shown_again = NULL;
  g_autoptr(AccArray) padded = NULL, made = NULL;

  if (done == NULL)
    return;

  tally.texts++;
  printed = acc_nested_array_to_text (done);
  again = read_and_run (printed);
  g_assert_nonnull (again);
  shown = acc_nested_array_to_string (done);
  shown_again = acc_nested_array_to_string (again);
  g_assert_cmpstr (shown_again, ==, shown);
  padded = acc_nested_array_to_padded (again, acc_expr_new_int (0), NULL);
  made = acc_backend_run (native, padded, NULL, NULL);
}

static void
open_backends (void)
{
  g_autoptr(GError) error = NULL;

  if (judge != NULL)
    return;

  judge = acc_backend_new_for_name ("interpreter", &error);
  g_assert_no_error (error);
  native = acc_backend_new_for_name ("native", NULL);
  if (native == NULL)
    native = g_object_ref (judge);
  atexit (report);
}

int
LLVMFuzzerTestOneInput (const uint8_t *data, size_t size)
{
  g_autofree char *text = g_strndup (size > 0 ? (const char *) data : "", size);
  Bytes bytes = { data, size, 0 };
  g_autoptr(AccNestedArray) nested = NULL;
  g_autoptr(GError) error = NULL;
  Pair pair;

  open_backends ();
  check_text (text);

  nested = take_nested (&bytes);
  pair.nested = acc_backend_run_nested (judge, nested, NULL, &error);
  if (pair.nested == NULL)
    {
      g_autoptr(AccNestedArray) other = acc_backend_run_nested (native, nested, NULL, NULL);

      g_assert_true (error->domain == ACC_ERROR);
      g_assert_null (other);
      tally.refused++;
      return 0;
    }
  pair.sequence = acc_sequence_new_from_nested (pair.nested);
  for (guint i = take (&bytes) % MOST_OPERATIONS; i > 0; i--)
    apply (&pair, &bytes);
  check_elements (&pair);
  g_object_unref (pair.nested);
  g_object_unref (pair.sequence);

  return 0;
}

void
fuzz_add_seeds (GPtrArray *seeds)
{
  static const guint8 descriptors[][16] = {
    { 0, 3, 1, 2, 0, 5, 3, 13, 1, 2, 1 }, { 1, 4, 0, 20, 0, 2, 2, 7, 20, 2, 1, 4, 0 },
    { 2, 3, 1, 1, 2, 3, 1, 1, 0, 4, 2, 21, 1, 3, 0 }, { 3, 5, 1, 0, 15, 4, 4, 0, 45, 1, 2, 3, 53, 0 },
    { 0, 6, 1, 1, 2, 3, 4, 5, 6, 3, 29, 0, 37, 2, 4 }, { 0, 2, 1, 0x7f, 1, 1 }, { 0, 3, 1, 2, 0, 5, 1, 53, 0 }, { 1, 3, 0, 9, 0, 0xff, 5 },
  };
  const gint64 lengths[] = { 2, 0, 3 };
  g_autoptr(GBytes) raw = g_bytes_new (lengths, sizeof lengths);
  g_autoptr(AccShape) shape = acc_shape_new_vector (3);
  g_autoptr(AccArray) descriptor = acc_array_use (acc_element_type_new (ACC_KIND_I64), shape, raw), values = make_values (5);
  g_autoptr(AccNestedArray) rows = acc_nested_array_new_from_lengths (values, descriptor), mapped = NULL, deep = NULL;
  char *text;

  for (guint i = 0; i < G_N_ELEMENTS (descriptors); i++)
    g_ptr_array_add (seeds, g_bytes_new_static (descriptors[i], sizeof descriptors[i]));

  mapped = acc_nested_array_map (rows, sums, NULL);
  deep = acc_nested_array_cartesian (rows, rows);
  for (guint i = 0; i < 3; i++)
    {
      text = acc_nested_array_to_text (i == 0 ? rows : i == 1 ? mapped : deep);
      g_ptr_array_add (seeds, g_bytes_new_take (text, strlen (text)));
    }
}
