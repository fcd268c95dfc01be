/* SPDX-License-Identifier: LGPL-2.1-or-later */

/* What sequences compute, by loops: files are mapped, and threads take pieces of them that end with a line. */

#include "c-works.h"
#include "inputs.h"
#include "stream.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

/* --- sums of rows, and of frames */

typedef struct {
  gsize  n;
  float *values, *sums;
} Sums;

static gpointer
prepare_sums (gsize n, gsize n_values, gsize n_sums)
{
  Sums *self = g_new0 (Sums, 1);

  self->n = n;
  self->values = contender_floats (n_values, 1, 0, 1);
  self->sums = contender_memory (n_sums * sizeof (float));
  return self;
}

static void
free_sums (gpointer data)
{
  Sums *self = data;

  free (self->values);
  free (self->sums);
  g_free (self);
}

static gpointer
prepare_row_sums (gsize n)
{
  return prepare_sums (n, n * n, n);
}

static void
run_row_sums (gpointer data)
{
  Sums *self = data;

#pragma omp parallel for schedule(dynamic, 16) if (self->n * self->n * sizeof (float) >= STREAM_MIN_PARALLEL)
  for (gsize row = 0; row < self->n; row++)
    {
      const float *x = self->values + row * self->n;
      float sum = 0;

      for (gsize i = 0; i < self->n; i++)
        sum += x[i];
      self->sums[row] = sum;
    }
}

static double
check_row_sums (gpointer data)
{
  Sums *self = data;

  return contender_digest_f4 (self->sums, self->n);
}

#define FRAME_SIZE (FRAME_SIDE * FRAME_SIDE)

static gpointer
prepare_frames (gsize n)
{
  return prepare_sums (n, n * FRAME_SIZE, FRAME_SIZE);
}

/* Each thread has a band of all frames, whose sum stays in its cache. */
static void
run_frames (gpointer data)
{
  enum { BAND = 4096 };
  Sums *self = data;

#pragma omp parallel for schedule(dynamic)
  for (gsize begin = 0; begin < FRAME_SIZE; begin += BAND)
    {
      float *restrict sums = self->sums + begin;

      memset (sums, 0, BAND * sizeof *sums);
      for (gsize frame = 0; frame < self->n; frame++)
        {
          const float *restrict x = self->values + frame * FRAME_SIZE + begin;

          for (gsize i = 0; i < BAND; i++)
            sums[i] += x[i];
        }
    }
}

static double
check_frames (gpointer data)
{
  Sums *self = data;

  return contender_digest_f4 (self->sums, FRAME_SIZE);
}

/* --- files of lines */

typedef struct {
  char   *path;
  gint64  counts[LOG_CLASSES], sizes[LOG_CLASSES];
  guint32 wanted[MD5_WANTED][4];
  gint64  letters;         /* the sum of those of all words found */
} Lines;

#define PIECE ((gsize) 1 << 20)

/* Maps the file, and calls @function with the lines that begin in each piece. */
static void
for_pieces (Lines *self, void (*function) (Lines *self, const char *begin, const char *end))
{
  int file = open (self->path, O_RDONLY);
  struct stat about;
  const char *text;

  if (file < 0 || fstat (file, &about) < 0)
    g_error ("%s: %s", self->path, g_strerror (errno));
  text = mmap (NULL, about.st_size, PROT_READ, MAP_PRIVATE | MAP_POPULATE, file, 0);
  if (text == MAP_FAILED)
    g_error ("%s: %s", self->path, g_strerror (errno));
#pragma omp parallel for schedule(dynamic)
  for (gsize piece = 0; piece < (gsize) about.st_size; piece += PIECE)
    {
      const char *last = text + about.st_size, *begin = text + piece, *end = MIN (begin + PIECE, last);

      if (piece > 0)
        begin = (const char *) memchr (begin - 1, '\n', last - begin + 1) + 1;
      if (end < last)
        end = (const char *) memchr (end - 1, '\n', last - end + 1) + 1;
      if (begin < end)
        function (self, begin, end);
    }
  munmap ((gpointer) text, about.st_size);
  close (file);
}

static void
free_lines (gpointer data)
{
  Lines *self = data;

  g_free (self->path);
  g_free (self);
}

/* --- answers in a log by class */

static gpointer
prepare_log (gsize n)
{
  Lines *self = g_new0 (Lines, 1);

  self->path = input_log (n);
  return self;
}

/* The number behind a space at @text, and where it ends */
static inline const char *
read_number (const char *text, const char *end, gint64 *number)
{
  *number = 0;
  if (text < end && *text == ' ')
    for (text++; text < end && *text >= '0' && *text <= '9'; text++)
      *number = *number * 10 + (*text - '0');
  return text;
}

static void
count_answers (Lines *self, const char *begin, const char *end)
{
  gint64 counts[LOG_CLASSES] = { 0 }, sizes[LOG_CLASSES] = { 0 };

  while (begin < end)
    {
      const char *line_end = memchr (begin, '\n', end - begin), *quote = memchr (begin, '"', line_end - begin);
      gint64 status = 0, size = 0;
      guint class;

      quote = quote != NULL ? memchr (quote + 1, '"', line_end - quote - 1) : NULL;
      if (quote != NULL)
        read_number (read_number (quote + 1, line_end, &status), line_end, &size);
      class = status >= 100 && status < 600 ? status / 100 : 0;
      counts[class]++;
      sizes[class] += size;
      begin = line_end + 1;
    }
  for (guint k = 0; k < LOG_CLASSES; k++)
    {
      __atomic_fetch_add (&self->counts[k], counts[k], __ATOMIC_RELAXED);
      __atomic_fetch_add (&self->sizes[k], sizes[k], __ATOMIC_RELAXED);
    }
}

static void
run_log (gpointer data)
{
  Lines *self = data;

  memset (self->counts, 0, sizeof self->counts);
  memset (self->sizes, 0, sizeof self->sizes);
  for_pieces (self, count_answers);
}

static double
check_log (gpointer data)
{
  Lines *self = data;

  return contender_digest_i8 (self->counts, LOG_CLASSES) + contender_digest_i8 (self->sizes, LOG_CLASSES);
}

/* --- words by their MD5 */

static guint32 sines[64];

static gpointer
prepare_md5 (gsize n)
{
  Lines *self = g_new0 (Lines, 1);

  self->path = input_words (n);
  input_md5_wanted (n, self->wanted);
  for (guint step = 0; step < 64; step++)
    sines[step] = input_md5_sine (step);
  return self;
}

/* @turns: of the four steps that take turns */
#define ROUND(first, mixed, word, ...)                                          \
  for (guint i = first; i < first + 16; i++)                                    \
    {                                                                           \
      static const guint8 turns[4] = { __VA_ARGS__ };                           \
      guint32 sum = a + (mixed) + sines[i] + block[(word) % 16], next;          \
                                                                                \
      next = b + (sum << turns[i % 4] | sum >> (32 - turns[i % 4]));            \
      a = d;                                                                    \
      d = c;                                                                    \
      c = b;                                                                    \
      b = next;                                                                 \
    }

static void
hash_word (const char *word, gsize length, guint32 digest[4])
{
  guint32 block[16] = { 0 }, a = 0x67452301, b = 0xefcdab89, c = 0x98badcfe, d = 0x10325476;

  memcpy (block, word, length);
  ((guint8 *) block)[length] = 0x80;
  block[14] = 8 * length;
#pragma GCC unroll 16
  ROUND (0, (b & c) | (~b & d), i, 7, 12, 17, 22)
#pragma GCC unroll 16
  ROUND (16, (d & b) | (~d & c), 5 * i + 1, 5, 9, 14, 20)
#pragma GCC unroll 16
  ROUND (32, b ^ c ^ d, 3 * i + 5, 4, 11, 16, 23)
#pragma GCC unroll 16
  ROUND (48, c ^ (b | ~d), 7 * i, 6, 10, 15, 21)
  digest[0] = a + 0x67452301;
  digest[1] = b + 0xefcdab89;
  digest[2] = c + 0x98badcfe;
  digest[3] = d + 0x10325476;
}

static void
find_words (Lines *self, const char *begin, const char *end)
{
  while (begin < end)
    {
      const char *line_end = memchr (begin, '\n', end - begin);
      guint32 digest[4];

      if (line_end - begin <= 55)
        {
          hash_word (begin, line_end - begin, digest);
          for (guint k = 0; k < MD5_WANTED; k++)
            if (memcmp (digest, self->wanted[k], sizeof digest) == 0)
              for (const char *letter = begin; letter < line_end; letter++)
                __atomic_fetch_add (&self->letters, *letter, __ATOMIC_RELAXED);
        }
      begin = line_end + 1;
    }
}

static void
run_md5 (gpointer data)
{
  Lines *self = data;

  self->letters = 0;
  for_pieces (self, find_words);
}

static double
check_md5 (gpointer data)
{
  Lines *self = data;

  return self->letters;
}

const Work c_sequences[] = {
  { "seq-row-sums", prepare_row_sums, run_row_sums, check_row_sums, free_sums },
  { "seq-frames", prepare_frames, run_frames, check_frames, free_sums },
  { "seq-log", prepare_log, run_log, check_log, free_lines },
  { "seq-md5", prepare_md5, run_md5, check_md5, free_lines },
  { NULL }
};
