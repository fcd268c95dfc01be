/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "acc-seq/sequence/producers/acc-sequence-windows-private.h"

#include "producer-helpers.h"

#include <string.h>

/* Windows of arrays and of sources. */

/* --- a source of rows in memory */

typedef struct {
  AccSource parent_instance;
  AccArray *array;
  gint64    rows;    /* read in this run */
  gint64    fail_at; /* a row; -1: none */
  guint     runs;
} Rows;

typedef AccSourceClass RowsClass;

static GType rows_get_type (void);
G_DEFINE_TYPE (Rows, rows, acc_source_get_type ())

static gboolean
rows_start (AccSource    *source,
            GCancellable *cancellable,
            GError      **error)
{
  Rows *self = (Rows *) source;

  self->rows = 0;
  self->runs++;

  return TRUE;
}

static gboolean
rows_read (AccSource    *source,
           AccChunk     *chunk,
           GCancellable *cancellable,
           GError      **error)
{
  Rows *self = (Rows *) source;
  AccElementType *type = acc_chunk_get_element_type (chunk);
  gint64 first = acc_chunk_get_first_row (chunk), n = acc_chunk_get_n_rows (chunk);

  if (self->fail_at >= 0 && first + n > self->fail_at)
    {
      g_set_error (error, ACC_ERROR, ACC_ERROR_IO, "no row %d", (int) self->fail_at);
      return FALSE;
    }
  for (guint b = 0; b < acc_element_type_get_n_buffers (type); b++)
    {
      gsize size = acc_chunk_get_size (chunk, b);

      memcpy ((gpointer) (gsize) acc_chunk_get_address (chunk, b),
              (const guint8 *) (gsize) acc_array_get_address (self->array, b) + first * (size / n), size);
    }
  self->rows += n;

  return TRUE;
}

static void
rows_finalize (GObject *object)
{
  g_clear_object (&((Rows *) object)->array);
  G_OBJECT_CLASS (rows_parent_class)->finalize (object);
}

static void
rows_class_init (RowsClass *klass)
{
  klass->start = rows_start;
  klass->read = rows_read;
  G_OBJECT_CLASS (klass)->finalize = rows_finalize;
}

static void
rows_init (Rows *self)
{
  self->fail_at = -1;
}

static AccSource *
source_of (AccArray *array)
{
  Rows *self = g_object_new (rows_get_type (), "element-type", acc_array_get_element_type (array), "shape", acc_array_get_shape (array),
                             "name", "rows", NULL);

  self->array = g_object_ref (array);

  return ACC_SOURCE (self);
}

/* --- windows by their definition */

typedef struct {
  const char *code;
  guint       rank;
  gint64      extents[3], sizes[3], steps[3];
  int         boundary; /* AccBoundaryKind; -1: none */
} Case;

static AccArray *
make_array (const Case *this)
{
  AccElementType *type = acc_element_type_parse (this->code, NULL);
  g_autoptr(AccShape) shape = acc_shape_new (this->extents, this->rank);
  gsize size = acc_shape_get_size (shape) * acc_element_type_get_size (type);
  guint8 *data = g_malloc (size + 1);
  g_autoptr(GBytes) bytes = NULL;

  for (gsize i = 0; i < size; i++)
    data[i] = (i * 2654435761u) >> 13;
  bytes = g_bytes_new_take (data, size);

  return acc_array_use (type, shape, bytes);
}

/* Where windows begin along a dimension, after @start; -1: there are no more. */
static gint64
next_start (const Case *this,
            guint       d,
            gint64      start)
{
  gint64 next = start < 0 ? 0 : start + this->steps[d];

  if (next >= this->extents[d])
    return -1;
  if (this->boundary < 0)
    return next + this->sizes[d] <= this->extents[d] ? next : -1;

  return start >= 0 && start + this->sizes[d] >= this->extents[d] ? -1 : next;
}

/* Which index is read for one that may be too large; -1: the constant. */
static gint64
find_index (const Case *this,
            guint       d,
            gint64      index)
{
  gint64 extent = this->extents[d], place = 0, direction = 1;

  if (index < extent)
    return index;
  switch (this->boundary)
    {
    case ACC_BOUNDARY_CLAMP:
      return extent - 1;
    case ACC_BOUNDARY_WRAP:
      while (index >= extent)
        index -= extent;
      return index;
    case ACC_BOUNDARY_MIRROR:
      for (; index > 0 && extent > 1; index--)
        {
          if (place + direction < 0 || place + direction >= extent)
            direction = -direction;
          place += direction;
        }
      return place;
    default:
      return -1;
    }
}

static const gint64 constants[] = { 7, 9 };

static char *
cut_window (const Case   *this,
            AccArray     *array,
            const gint64 *starts)
{
  AccElementType *type = acc_array_get_element_type (array);
  guint8 *buffers[2] = { NULL };
  gint64 values = 1;
  char *text;

  for (guint d = 0; d < this->rank; d++)
    values *= this->sizes[d];
  for (guint b = 0; b < acc_element_type_get_n_buffers (type); b++)
    {
      gsize size = acc_element_type_get_size (acc_element_type_get_buffer (type, b));

      buffers[b] = g_malloc0 (values * size);
      for (gint64 i = 0; i < values; i++)
        {
          gint64 rest = i, place = 0, stride = 1;

          for (guint d = this->rank; d-- > 0; )
            {
              gint64 index = find_index (this, d, starts[d] + rest % this->sizes[d]);

              rest /= this->sizes[d];
              place = index < 0 || place < 0 ? -1 : place + index * stride;
              stride *= this->extents[d];
            }
          if (place < 0)
            memcpy (buffers[b] + i * size, &constants[b], size);
          else
            memcpy (buffers[b] + i * size, (const guint8 *) (gsize) acc_array_get_address (array, b) + place * size, size);
        }
    }
  text = element_to_text (type, this->sizes, this->rank, (const guint8 *const *) buffers);
  g_free (buffers[0]);
  g_free (buffers[1]);

  return text;
}

static GPtrArray *
cut_slowly (const Case *this,
            AccArray   *array)
{
  GPtrArray *elements = g_ptr_array_new_with_free_func (g_free);
  gint64 starts[3];

  for (guint d = 0; d < this->rank; d++)
    if ((starts[d] = next_start (this, d, -1)) < 0)
      return elements;

  for (;;)
    {
      guint d = this->rank;

      g_ptr_array_add (elements, cut_window (this, array, starts));
      for (;;)
        {
          if (d-- == 0)
            return elements;
          if ((starts[d] = next_start (this, d, starts[d])) >= 0)
            break;
          starts[d] = next_start (this, d, -1);
        }
    }
}

static AccBoundary *
make_boundary (const Case *this)
{
  if (this->boundary < 0)
    return NULL;
  if (this->boundary != ACC_BOUNDARY_CONSTANT)
    return acc_boundary_new (this->boundary);
  if (*this->code != '(')
    return acc_boundary_new_constant (acc_expr_new_int (constants[0]));

  return acc_boundary_new_constant (acc_expr_tuple ((AccExpr *[]) { acc_expr_new_int (constants[0]), acc_expr_new_int (constants[1]) }, 2));
}

/* What a walk makes of them, which reads @array itself. */
static void
check_in_place (const Case  *this,
                AccArray    *array,
                AccBoundary *boundary,
                GPtrArray   *expected)
{
  AccElementType *type = acc_array_get_element_type (array);
  g_autoptr(GError) error = NULL;
  g_autoptr(AccBackend) backend = acc_backend_new_for_name ("interpreter", &error);
  g_autoptr(AccSequence) windows = acc_sequence_new_windows (array, this->sizes, this->steps, this->rank, boundary);
  g_autoptr(AccArray) stack = acc_sequence_stack (windows), result = NULL;
  gint64 values = 1;

  g_assert_no_error (error);
  result = acc_backend_run (backend, stack, NULL, &error);
  g_assert_no_error (error);
  g_assert_cmpint (acc_shape_get_extent (acc_array_get_shape (result), 0), ==, expected->len);
  for (guint d = 0; d < this->rank; d++)
    values *= this->sizes[d];

  for (guint k = 0; k < expected->len; k++)
    {
      const guint8 *buffers[2] = { NULL };
      g_autofree char *text = NULL;

      for (guint b = 0; b < acc_element_type_get_n_buffers (type); b++)
        buffers[b] = (const guint8 *) (gsize) acc_array_get_address (result, b)
                     + k * values * acc_element_type_get_size (acc_element_type_get_buffer (type, b));
      text = element_to_text (type, this->sizes, this->rank, buffers);
      g_assert_cmpstr (text, ==, g_ptr_array_index (expected, k));
    }
}

static void
check_case (const Case *this)
{
  g_autoptr(AccArray) array = make_array (this);
  g_autoptr(AccSource) source = source_of (array);
  g_autoptr(AccBoundary) boundary = make_boundary (this);
  g_autoptr(GPtrArray) expected = cut_slowly (this, array);
  g_autoptr(AccSequenceProducer) of_array = NULL, of_source = NULL;
  g_autoptr(GError) error = NULL;

  g_test_message ("%s, rank %u: [%d,%d,%d] in windows of [%d,%d,%d], steps [%d,%d,%d], boundary %d: %u", this->code, this->rank,
                  (int) this->extents[0], (int) this->extents[1], (int) this->extents[2], (int) this->sizes[0], (int) this->sizes[1],
                  (int) this->sizes[2], (int) this->steps[0], (int) this->steps[1], (int) this->steps[2], this->boundary, expected->len);
  of_array = acc_sequence_windows_new_for_array (array, this->sizes, this->steps, this->rank, boundary, &error);
  g_assert_no_error (error);
  of_source = acc_sequence_windows_new_for_source (source, this->sizes, this->steps, this->rank, boundary, &error);
  g_assert_no_error (error);
  g_assert_cmpint (acc_sequence_producer_get_length (of_array), ==, expected->len);
  g_assert_cmpint (acc_sequence_producer_get_length (of_source), ==, expected->len);
  check_walks (of_array, expected);
  check_in_place (this, array, boundary, expected);
  check_walks (of_source, expected);
  g_clear_object (&of_source);
  g_assert_true (acc_source_start (source, NULL, &error));
  acc_source_finish (source);
}

static void
test_few (void)
{
  static const Case cases[] = {
    { "i4", 1, { 10 }, { 3 }, { 2 }, -1 },
    { "i4", 1, { 10 }, { 3 }, { 3 }, ACC_BOUNDARY_CLAMP },
    { "i4", 2, { 5, 7 }, { 2, 3 }, { 2, 3 }, ACC_BOUNDARY_CONSTANT },
    { "(i4,u1)", 2, { 5, 7 }, { 2, 7 }, { 2, 7 }, ACC_BOUNDARY_MIRROR },
    { "f8", 3, { 4, 2, 3 }, { 1, 2, 3 }, { 1, 2, 3 }, -1 },
  };

  for (guint i = 0; i < G_N_ELEMENTS (cases); i++)
    check_case (&cases[i]);
}

static void
test_random (void)
{
  for (guint i = 0; i < 400; i++)
    {
      Case this = { g_test_rand_bit () ? "(i4,u1)" : "i2", g_test_rand_int_range (1, 4) };

      this.boundary = g_test_rand_int_range (-1, ACC_BOUNDARY_CONSTANT + 1);
      for (guint d = 0; d < this.rank; d++)
        {
          this.extents[d] = g_test_rand_int_range (g_test_rand_int_range (0, 4) > 0, 8);
          this.sizes[d] = g_test_rand_bit () ? MAX (this.extents[d], 1) : g_test_rand_int_range (1, g_test_rand_bit () ? 4 : 20);
          this.steps[d] = g_test_rand_bit () ? this.sizes[d] : g_test_rand_int_range (1, 6);
        }
      check_case (&this);
    }
}

/* Of an array that is not in memory yet. */
static void
test_delayed (void)
{
  Case this = { "i2", 2, { 7, 5 }, { 2, 2 }, { 3, 3 }, ACC_BOUNDARY_MIRROR };
  g_autoptr(AccArray) array = make_array (&this), once = acc_array_reverse (array), delayed = acc_array_reverse (once);
  g_autoptr(AccBoundary) boundary = make_boundary (&this);
  g_autoptr(GPtrArray) expected = cut_slowly (&this, array);

  check_in_place (&this, delayed, boundary, expected);
}

/* Rows so large, or so many, that few are in memory. */
static void
test_large (void)
{
  static const Case cases[] = {
    { "f8", 3, { 13, 200, 200 }, { 3, 2, 2 }, { 2, 150, 150 }, -1 },
    { "f8", 3, { 14, 200, 200 }, { 3, 2, 2 }, { 5, 150, 150 }, ACC_BOUNDARY_WRAP },
    { "f8", 3, { 14, 200, 200 }, { 6, 2, 2 }, { 3, 150, 199 }, ACC_BOUNDARY_MIRROR },
    { "f8", 3, { 14, 200, 200 }, { 6, 2, 3 }, { 6, 150, 198 }, ACC_BOUNDARY_MIRROR },
    { "(i4,u1)", 2, { 14, 100000 }, { 3, 2 }, { 3, 30000 }, ACC_BOUNDARY_CONSTANT },
    { "f8", 2, { 14, 10000 }, { 3, 10000 }, { 3, 10000 }, ACC_BOUNDARY_CLAMP },
    { "f4", 1, { 400000 }, { 1000 }, { 700 }, ACC_BOUNDARY_CLAMP },
    { "u1", 1, { 1000001 }, { 5 }, { 5000 }, ACC_BOUNDARY_WRAP },
  };

  for (guint i = 0; i < G_N_ELEMENTS (cases); i++)
    check_case (&cases[i]);
}

static void
test_rows_in_memory (void)
{
  Case this = { "f8", 2, { 40, 40000 }, { 3, 4 }, { 1, 20000 }, -1 };
  g_autoptr(AccArray) array = make_array (&this);
  g_autoptr(AccSource) source = source_of (array);
  g_autoptr(GError) error = NULL;
  g_autoptr(AccSequenceProducer) producer = acc_sequence_windows_new_for_source (source, this.sizes, this.steps, 2, NULL, &error);
  g_autofree char *place = NULL;

  g_assert_no_error (error);
  place = acc_sequence_producer_describe (producer, 3);
  g_assert_cmpstr (place, ==, "the window at [1,20000] of rows");
  for (gint64 i = 0; i < 10; i++)
    {
      g_autoptr(AccNestedArray) chunk = acc_sequence_producer_read (producer, 2, 100, NULL, &error);

      g_assert_no_error (error);
      g_assert_cmpint (((Rows *) source)->rows, >=, 3 + i);
      g_assert_cmpint (((Rows *) source)->rows, <=, 5 + i);
    }
}

/* Whole windows of an array show its memory. */
static void
test_no_copy (void)
{
  Case this = { "i4", 3, { 6, 2, 3 }, { 2, 2, 3 }, { 2, 2, 3 }, -1 };
  g_autoptr(AccArray) array = make_array (&this);
  g_autoptr(AccSequenceProducer) producer = acc_sequence_windows_new_for_array (array, this.sizes, this.steps, 3, NULL, NULL);
  g_autoptr(AccNestedArray) first = acc_sequence_producer_read (producer, 1, 1, NULL, NULL);
  g_autoptr(AccNestedArray) second = acc_sequence_producer_read (producer, 2, 100, NULL, NULL);

  g_assert_true (acc_array_get_address (acc_nested_array_get_values (first), 0) == acc_array_get_address (array, 0));
  g_assert_true (acc_array_get_address (acc_nested_array_get_values (second), 0) == acc_array_get_address (array, 0) + 48);
}

static void
test_failing (void)
{
  Case this = { "i4", 2, { 10, 40000 }, { 2, 2 }, { 2, 30000 }, -1 };
  g_autoptr(AccArray) array = make_array (&this);
  g_autoptr(AccSource) source = source_of (array);
  g_autoptr(GPtrArray) expected = cut_slowly (&this, array), found = NULL;
  g_autoptr(GCancellable) cancellable = g_cancellable_new ();
  g_autoptr(AccSequenceProducer) producer = acc_sequence_windows_new_for_source (source, this.sizes, this.steps, 2, NULL, NULL);
  g_autoptr(GError) error = NULL;

  ((Rows *) source)->fail_at = 7;
  found = walk_producer (producer, 2, 100, &error);
  g_assert_error (error, ACC_ERROR, ACC_ERROR_IO);
  g_assert_cmpstr (error->message, ==, "no row 7");
  g_assert_cmpuint (found->len, >=, 2);
  g_clear_error (&error);

  ((Rows *) source)->fail_at = -1;
  g_assert_true (acc_sequence_producer_rewind (producer, &error));
  check_walks (producer, expected);

  g_cancellable_cancel (cancellable);
  g_assert_null (acc_sequence_producer_read (producer, 1, 1, cancellable, &error));
  g_assert_error (error, G_IO_ERROR, G_IO_ERROR_CANCELLED);
}

static AccExpr *
any (AccExpr *index,
     gpointer data)
{
  return acc_expr_new_int (0);
}

static void
refuses (AccArray     *array,
         const gint64 *sizes,
         const gint64 *steps,
         guint         rank,
         AccBoundary  *boundary,
         int           code)
{
  g_autoptr(GError) error = NULL;

  g_assert_null (acc_sequence_windows_new_for_array (array, sizes, steps, rank, boundary, &error));
  g_assert_error (error, ACC_ERROR, code);
}

static void
test_refusals (void)
{
  Case this = { "i4", 2, { 10, 4 } };
  g_autoptr(AccArray) array = make_array (&this), wrong = NULL;
  g_autoptr(AccArray) one = acc_array_compute (array);
  g_autoptr(AccShape) shape = acc_shape_new_vector (3);
  g_autoptr(AccSource) source = source_of (array);
  g_autoptr(AccBoundary) function = acc_boundary_new_function (2, any, NULL),
    text = acc_boundary_new_constant (acc_expr_tuple ((AccExpr *[]) { acc_expr_new_int (1), acc_expr_new_int (2) }, 2)),
    real = acc_boundary_new_constant (acc_expr_cast (acc_expr_new_int (1), acc_element_type_new (ACC_KIND_F32)));
  const gint64 fine[] = { 1, 2 }, zero[] = { 1, 0 }, huge[] = { G_MAXINT64 / 2, 8 };
  g_autoptr(GError) error = NULL;

  refuses (array, fine, fine, 1, NULL, ACC_ERROR_SHAPE);
  refuses (array, zero, fine, 2, NULL, ACC_ERROR_SHAPE);
  refuses (array, fine, zero, 2, NULL, ACC_ERROR_SHAPE);
  refuses (array, huge, fine, 2, NULL, ACC_ERROR_SHAPE);
  refuses (array, fine, fine, 2, function, ACC_ERROR_UNSUPPORTED);
  refuses (array, fine, fine, 2, text, ACC_ERROR_TYPE);
  refuses (array, fine, fine, 2, real, ACC_ERROR_TYPE);
  refuses (one, fine, fine, 2, NULL, ACC_ERROR_UNSUPPORTED);
  wrong = acc_array_reshape (array, shape);
  refuses (wrong, fine, fine, 2, NULL, ACC_ERROR_SHAPE);

  acc_source_set_transposed (source, TRUE);
  g_assert_null (acc_sequence_windows_new_for_source (source, fine, fine, 2, NULL, &error));
  g_assert_error (error, ACC_ERROR, ACC_ERROR_UNSUPPORTED);
}

int
main (int    argc,
      char **argv)
{
  g_test_init (&argc, &argv, NULL);

  g_test_add_func ("/sequence/windows/few", test_few);
  g_test_add_func ("/sequence/windows/random", test_random);
  g_test_add_func ("/sequence/windows/delayed", test_delayed);
  g_test_add_func ("/sequence/windows/large", test_large);
  g_test_add_func ("/sequence/windows/rows-in-memory", test_rows_in_memory);
  g_test_add_func ("/sequence/windows/no-copy", test_no_copy);
  g_test_add_func ("/sequence/windows/failing", test_failing);
  g_test_add_func ("/sequence/windows/refusals", test_refusals);

  return g_test_run ();
}
