/* SPDX-License-Identifier: LGPL-2.1-or-later */

/* Sequences of lines of a file. */

#include "acc-works.h"
#include "inputs.h"

typedef struct {
  char   *path;
  guint32 wanted[MD5_WANTED][4];
} Lines;

/* Takes @path. */
static Lines *
lines_new (char *path)
{
  Lines *self = g_new0 (Lines, 1);

  self->path = path;
  return self;
}

static void
lines_free (gpointer data)
{
  Lines *self = data;

  g_free (self->path);
  g_free (self);
}

/* --- answers in a log, as in demos/logs, with counts in half the bytes */

static AccSequence *
open_lines (const char *path)
{
  g_autoptr(GFile) file = g_file_new_for_path (path);
  g_autoptr(GError) error = NULL;
  AccSequence *lines = acc_sequence_open_lines (file, NULL, &error);

  if (lines == NULL)
    g_error ("%s", error->message);
  return lines;
}

static AccExpr *
as_i8 (AccExpr *x)
{
  return acc_expr_cast (x, acc_element_type_new (ACC_KIND_I64));
}

static AccExpr *
character (char c)
{
  return acc_expr_new_typed_uint (acc_element_type_new (ACC_KIND_U8), c);
}

/* How many there are of something in a line */
static AccExpr *
as_i4 (AccExpr *x)
{
  return acc_expr_cast (x, acc_element_type_new (ACC_KIND_I32));
}

static AccExpr *
is_quote (AccExpr *c, gpointer data)
{
  return as_i4 (acc_expr_eq (c, character ('"')));
}

static AccExpr *
is_space_after_quotes (AccExpr *c, AccExpr *quotes, gpointer data)
{
  return as_i4 (acc_expr_land (acc_expr_eq (c, character (' ')), acc_expr_eq (quotes, acc_expr_new_int (2))));
}

/* Of a character, and how many spaces there are until it: what it does to a number of which it is a digit, or not */
static AccExpr *
digit_of_field (AccExpr *c, AccExpr *spaces, gpointer field)
{
  AccExpr *is_digit = acc_expr_land (acc_expr_ge (c, character ('0')), acc_expr_le (c, character ('9')));
  AccExpr *is_in = acc_expr_land (acc_expr_eq (spaces, acc_expr_new_int (GPOINTER_TO_INT (field))), is_digit);
  AccExpr *value = acc_expr_sub (as_i8 (c), acc_expr_new_int ('0'));

  return acc_expr_tuple2 (acc_expr_cond (is_in, value, acc_expr_new_int (0)),
                          acc_expr_cond (is_in, as_i8 (acc_expr_new_int (10)), as_i8 (acc_expr_new_int (1))));
}

static AccExpr *
join_digits (AccExpr *x, AccExpr *y, gpointer data)
{
  return acc_expr_tuple2 (acc_expr_add (acc_expr_mul (acc_expr_item (x, 0), acc_expr_item (y, 1)), acc_expr_item (y, 0)),
                          acc_expr_mul (acc_expr_item (x, 1), acc_expr_item (y, 1)));
}

static AccArray *
number_in_field (AccArray *line, AccArray *spaces, guint field)
{
  g_autoptr(AccArray) digits = acc_array_zip_with (line, spaces, digit_of_field, GUINT_TO_POINTER (field));
  g_autoptr(AccArray) joined = acc_array_fold (digits, acc_expr_tuple2 (acc_expr_new_int (0), acc_expr_new_int (1)), join_digits, NULL);

  return acc_array_unzip (joined, 0);
}

static AccExpr *
with_class (AccExpr *status, AccExpr *size, gpointer data)
{
  AccExpr *is_known = acc_expr_land (acc_expr_ge (status, acc_expr_new_int (100)), acc_expr_lt (status, acc_expr_new_int (600)));

  return acc_expr_tuple2 (acc_expr_cond (is_known, acc_expr_quot (status, acc_expr_new_int (100)), acc_expr_new_int (0)), size);
}

static AccArray *
answer_of_line (AccArray **line, guint n, gpointer data)
{
  g_autoptr(AccArray) marks = acc_array_map (line[0], is_quote, NULL), quotes = acc_array_scanl1 (marks, acc_work_plus, NULL);
  g_autoptr(AccArray) gaps = acc_array_zip_with (line[0], quotes, is_space_after_quotes, NULL);
  g_autoptr(AccArray) spaces = acc_array_scanl1 (gaps, acc_work_plus, NULL);
  g_autoptr(AccArray) status = number_in_field (line[0], spaces, 1), size = number_in_field (line[0], spaces, 2);

  return acc_array_zip_with (status, size, with_class, NULL);
}

static AccExpr *
one_if_same (AccExpr *class, gpointer answer)
{
  return as_i8 (acc_expr_eq (class, acc_expr_item (acc_expr_the (answer), 0)));
}

static AccExpr *
size_if_same (AccExpr *class, gpointer answer)
{
  AccExpr *both = acc_expr_the (answer);

  return acc_expr_cond (acc_expr_eq (class, acc_expr_item (both, 0)), acc_expr_item (both, 1), acc_expr_new_int (0));
}

static AccArray *
by_class (AccArray **answer, guint n, gpointer function)
{
  g_autoptr(AccShape) classes = acc_shape_new_vector (LOG_CLASSES);

  return acc_array_generate (classes, *(AccExprFunc *) function, answer[0]);
}

static GPtrArray *
build_log (AccArray **a, guint n, gpointer data)
{
  static AccExprFunc functions[] = { one_if_same, size_if_same };
  GPtrArray *results = g_ptr_array_new_with_free_func (g_object_unref);
  g_autoptr(AccSequence) lines = open_lines (((Lines *) data)->path);
  g_autoptr(AccSequence) answers = acc_sequence_map (lines, answer_of_line, NULL);

  for (guint k = 0; k < G_N_ELEMENTS (functions); k++)
    {
      g_autoptr(AccSequence) by = acc_sequence_map (answers, by_class, &functions[k]);

      g_ptr_array_add (results, acc_sequence_fold (by, NULL, acc_work_sum_of_two, NULL));
    }
  return results;
}

static gpointer
prepare_log (gsize n)
{
  return acc_work_build_anew (acc_work_new (), build_log, lines_new (input_log (n)), lines_free);
}

static double
check_log (gpointer self)
{
  return acc_work_digest (self, 0, 0) + acc_work_digest (self, 1, 0);
}

/* --- words by their MD5, as in demos/md5 */

#define LONGEST_IN_BLOCK 55

static AccExpr *
u4 (guint32 value)
{
  return acc_expr_new_typed_uint (acc_element_type_new (ACC_KIND_U32), value);
}

/* Word @index of the padded block of a line: four bytes, of which the line has some, a mark, zeros, and the length in bits */
static AccExpr *
word_of_block (AccExpr *index, gpointer line)
{
  AccExpr *length = acc_expr_extent (line, 0);
  AccExpr *word = NULL;

  for (guint k = 0; k < 4; k++)
    {
      AccExpr *place = acc_expr_add (acc_expr_mul (index, acc_expr_new_int (4)), acc_expr_new_int (k));
      AccExpr *byte = acc_expr_cast (acc_expr_linear_index (line, place), acc_element_type_new (ACC_KIND_U32));
      AccExpr *padded = acc_expr_cond (acc_expr_lt (place, length), byte, acc_expr_cond (acc_expr_eq (place, length), u4 (0x80), u4 (0)));
      AccExpr *shifted = acc_expr_shl (padded, acc_expr_new_int (8 * k));

      word = word == NULL ? shifted : acc_expr_bor (word, shifted);
    }
  return acc_expr_cond (acc_expr_eq (index, acc_expr_new_int (14)),
                        acc_expr_cast (acc_expr_mul (length, acc_expr_new_int (8)), acc_element_type_new (ACC_KIND_U32)), word);
}

static AccExpr *
mix (guint step, AccExpr *b, AccExpr *c, AccExpr *d)
{
  switch (step / 16)
    {
    case 0:
      return acc_expr_bor (acc_expr_band (b, c), acc_expr_band (acc_expr_bnot (b), d));
    case 1:
      return acc_expr_bor (acc_expr_band (d, b), acc_expr_band (acc_expr_bnot (d), c));
    case 2:
      return acc_expr_bxor (acc_expr_bxor (b, c), d);
    default:
      return acc_expr_bxor (c, acc_expr_bor (b, acc_expr_bnot (d)));
    }
}

static guint
word_of_step (guint step)
{
  static const guint factors[] = { 1, 5, 3, 7 }, offsets[] = { 0, 1, 5, 0 };

  return (factors[step / 16] * step + offsets[step / 16]) % 16;
}

static void
hash_block (AccArray *line, AccExpr *digest[4])
{
  static const guint32 start[] = { 0x67452301, 0xefcdab89, 0x98badcfe, 0x10325476 };
  AccExpr *words[16], *a = u4 (start[0]), *b = u4 (start[1]), *c = u4 (start[2]), *d = u4 (start[3]);

  for (guint k = 0; k < 16; k++)
    words[k] = word_of_block (as_i8 (acc_expr_new_int (k)), line);
  for (guint step = 0; step < 64; step++)
    {
      AccExpr *sum = acc_expr_add (acc_expr_add (a, mix (step, b, c, d)),
                                   acc_expr_add (u4 (input_md5_sine (step)), words[word_of_step (step)]));
      AccExpr *next = acc_expr_add (b, acc_expr_rotl (sum, acc_expr_new_int (input_md5_turn (step))));

      a = d;
      d = c;
      c = b;
      b = next;
    }
  digest[0] = acc_expr_add (u4 (start[0]), a);
  digest[1] = acc_expr_add (u4 (start[1]), b);
  digest[2] = acc_expr_add (u4 (start[2]), c);
  digest[3] = acc_expr_add (u4 (start[3]), d);
}

static AccArray *
is_wanted (AccArray **line, guint n, gpointer data)
{
  const Lines *self = data;
  AccExpr *digest[4], *any = NULL;

  hash_block (line[0], digest);
  for (guint k = 0; k < MD5_WANTED; k++)
    {
      AccExpr *all = NULL;

      for (guint i = 0; i < 4; i++)
        {
          AccExpr *same = acc_expr_eq (digest[i], u4 (self->wanted[k][i]));

          all = all == NULL ? same : acc_expr_land (all, same);
        }
      any = any == NULL ? all : acc_expr_lor (any, all);
    }
  return acc_array_unit (any);
}

static AccArray *
is_short (AccArray **line, guint n, gpointer data)
{
  return acc_array_unit (acc_expr_le (acc_expr_extent (line[0], 0), acc_expr_new_int (LONGEST_IN_BLOCK)));
}

static GPtrArray *
build_md5 (AccArray **a, guint n, gpointer data)
{
  g_autoptr(AccSequence) lines = open_lines (((Lines *) data)->path), shorts = acc_sequence_filter (lines, is_short, NULL);
  g_autoptr(AccSequence) found = acc_sequence_filter (shorts, is_wanted, data);

  return acc_work_alone (acc_sequence_elements (found));
}

static gpointer
prepare_md5 (gsize n)
{
  Lines *self = lines_new (input_words (n));

  input_md5_wanted (n, self->wanted);
  return acc_work_build_anew (acc_work_new (), build_md5, self, lines_free);
}

/* The order of words does not count: threads in C find them in any. */
static double
check_md5 (gpointer data)
{
  AccArray *letters = g_ptr_array_index (((AccWork *) data)->results, 0);
  const guint8 *values = (gconstpointer) (guintptr) acc_array_get_address (letters, 0);
  gint64 sum = 0;

  for (gint64 i = 0; i < acc_shape_get_size (acc_array_get_shape (letters)); i++)
    sum += values[i];
  return sum;
}

const Work acc_lines[] = {
  { "seq-log", prepare_log, acc_work_run, check_log, acc_work_free },
  { "seq-md5", prepare_md5, acc_work_run, check_md5, acc_work_free },
  { NULL }
};
