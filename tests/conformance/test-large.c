/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "conformance.h"

#include <string.h>

/* Arrays of more elements than 32 bits count: no number, place or size may be cut. Takes minutes, and gigabytes of memory; the
 * interpreter would take hours, so that loops in C judge. */

#define LENGTH      (((gint64) 1 << 31) + 4099)
#define LIMIT       ((guint64) 14 << 30)
#define FACTOR      G_GUINT64_CONSTANT (0x9e3779b97f4a7c15)

/* Element @i of all arrays here. */
static inline guint8
element (gint64 i)
{
  return (guint8) ((guint64) i * FACTOR >> 56);
}

static AccExpr *
element_expr (AccExpr *index, gpointer data)
{
  AccExpr *factor = acc_expr_new_typed_uint (conf_type ("u8"), FACTOR);

  return acc_expr_cast (acc_expr_shr (acc_expr_mul (acc_expr_cast (index, conf_type ("u8")), factor), conf_i64 (56)), conf_type ("u1"));
}

static AccArray *
generated (gint64 length)
{
  g_autoptr(AccShape) shape = acc_shape_new_vector (length);

  return acc_array_generate (shape, element_expr, NULL);
}

static AccArray *
in_memory (void)
{
  guint8 *data = g_malloc (LENGTH);
  g_autoptr(GBytes) bytes = g_bytes_new_take (data, LENGTH);
  g_autoptr(AccShape) shape = acc_shape_new_vector (LENGTH);

  for (gint64 i = 0; i < LENGTH; i++)
    data[i] = element (i);
  return acc_array_use (conf_type ("u1"), shape, bytes);
}

/* Takes over @array. */
static AccArray *
run (AccBackend *backend, const char *name, AccArray *array)
{
  g_autoptr(GError) error = NULL;
  AccArray *result = acc_backend_run (backend, array, NULL, &error);

  g_object_unref (array);
  if (result == NULL)
    conf_fail (acc_backend_get_name (backend), name, "%s", error->message);
  return result;
}

static const guint8 *
get_bytes (AccArray *result, guint buffer)
{
  return (const guint8 *) (guintptr) acc_array_get_address (result, buffer);
}

static void
judge (AccBackend *backend, const char *name, gint64 first_wrong)
{
  if (first_wrong >= 0)
    conf_fail (acc_backend_get_name (backend), name, "element %" G_GINT64_FORMAT " is wrong", first_wrong);
  else
    conf_pass (acc_backend_get_name (backend), name);
  g_test_message ("%s", name);
}

/* --- element by element, in place or elsewhere */

typedef guint8 (*ExpectFunc) (gint64 i);

/* Takes over @array, of u1. */
static void
check_elements (AccBackend *backend, const char *name, AccArray *array, gint64 length, ExpectFunc expect)
{
  g_autoptr(AccArray) result = run (backend, name, array);
  const guint8 *bytes;
  gint64 i = 0;

  if (result == NULL)
    return;
  g_assert_cmpint (acc_shape_get_size (acc_array_get_shape (result)), ==, length);
  bytes = get_bytes (result, 0);
  while (i < length && bytes[i] == expect (i))
    i++;
  judge (backend, name, i < length ? i : -1);
}

static AccExpr *
triple (AccExpr *x, gpointer data)
{
  return acc_expr_mul (x, acc_expr_new_int (3));
}

static guint8
expect_triple (gint64 i)
{
  return (guint8) (element (i) * 3);
}

static guint8
expect_reversed (gint64 i)
{
  return element (LENGTH - 1 - i);
}

static AccExpr *
from_the_end (AccExpr *index, gpointer data)
{
  return acc_expr_tuple2 (acc_expr_new_bool (TRUE), acc_expr_sub (conf_i64 (LENGTH - 1), index));
}

static AccArray *
permuted (AccArray *elements)
{
  g_autoptr(AccShape) shape = acc_shape_new_vector (LENGTH);
  g_autoptr(AccArray) zeros = acc_array_fill (shape, acc_expr_new_typed_int (conf_type ("u1"), 0));
  g_autoptr(AccArray) targets = acc_array_generate (shape, from_the_end, NULL);

  return acc_array_permute (elements, zeros, targets, conf_first, NULL);
}

static AccExpr *
both_neighbours (AccExpr *x, gpointer data)
{
  return acc_expr_add (acc_expr_mul (acc_expr_neighbour1 (x, -1), acc_expr_new_int (3)), acc_expr_neighbour1 (x, 1));
}

static AccArray *
with_neighbours (AccArray *elements)
{
  g_autoptr(AccBoundary) boundary = acc_boundary_new (ACC_BOUNDARY_WRAP);

  return acc_array_stencil (elements, (gint64[]) { 3 }, 1, boundary, both_neighbours, NULL);
}

static guint8
expect_neighbours (gint64 i)
{
  return (guint8) (element (i > 0 ? i - 1 : LENGTH - 1) * 3 + element (i + 1 < LENGTH ? i + 1 : 0));
}

static guint8
expect_joined (gint64 i)
{
  return i < LENGTH ? element (i) : (guint8) (i - LENGTH + 1);
}

static void
test_elements (void)
{
  g_autoptr(AccArray) elements = in_memory (), few = CONF_INTS1 ("u1", 1, 2, 3, 4, 5), generator = generated (LENGTH);

  for (guint i = 0; i < conf_n_backends (); i++)
    {
      AccBackend *backend = conf_backend (i);

      check_elements (backend, "large/generate", g_object_ref (generator), LENGTH, element);
      check_elements (backend, "large/map", acc_array_map (elements, triple, NULL), LENGTH, expect_triple);
      check_elements (backend, "large/backpermute", acc_array_reverse (elements), LENGTH, expect_reversed);
      check_elements (backend, "large/permute", permuted (elements), LENGTH, expect_reversed);
      check_elements (backend, "large/stencil", with_neighbours (elements), LENGTH, expect_neighbours);
      check_elements (backend, "large/concat", acc_array_concat (elements, few), LENGTH + 5, expect_joined);
    }
}

/* --- far places that are read and written */

static void
test_places (void)
{
  static const gint64 places[] = { 0, LENGTH - 1, G_MAXINT32, (gint64) G_MAXINT32 + 1, (gint64) G_MAXINT32 + 2, LENGTH - 2, 5 };
  g_autoptr(AccArray) elements = in_memory (), indices = conf_ints ("i8", (gint64[]) { G_N_ELEMENTS (places) }, 1, places);

  for (guint i = 0; i < conf_n_backends (); i++)
    {
      g_autoptr(AccArray) result = run (conf_backend (i), "large/gather", acc_array_gather (elements, indices));
      gint64 wrong = -1;

      for (guint k = 0; result != NULL && k < G_N_ELEMENTS (places); k++)
        if (get_bytes (result, 0)[k] != element (places[k]))
          wrong = k;
      judge (conf_backend (i), "large/gather", wrong);
    }
}

/* --- all elements into few */

static AccExpr *
add (AccExpr *x, AccExpr *y, gpointer data)
{
  return acc_expr_add (x, y);
}

static AccExpr *
widen (AccExpr *x, gpointer data)
{
  return acc_expr_cast (x, conf_type ("i8"));
}

static AccArray *
sum (AccArray *elements)
{
  g_autoptr(AccArray) wide = acc_array_map (elements, widen, NULL);

  return acc_array_fold_all (wide, acc_expr_new_int (11), add, NULL);
}

static AccArray *
counts (AccArray *elements)
{
  g_autoptr(AccArray) bins = acc_array_map (elements, widen, NULL);

  return acc_array_bincount (bins, 256);
}

#define COLUMNS 2049

static AccArray *
row_sums (AccArray *elements, gint64 rows, gint64 columns)
{
  g_autoptr(AccArray) some = acc_array_take (elements, rows * columns), wide = acc_array_map (some, widen, NULL);
  g_autoptr(AccShape) shape = acc_shape_new ((gint64[]) { rows, columns }, 2);
  g_autoptr(AccArray) matrix = acc_array_reshape (wide, shape);

  return acc_array_fold (matrix, acc_expr_new_int (11), add, NULL);
}

static void
check_rows (AccBackend *backend, const char *name, AccArray *elements, gint64 rows, gint64 columns)
{
  g_autoptr(AccArray) result = run (backend, name, row_sums (elements, rows, columns));
  gint64 wrong = -1, at = 0;

  for (gint64 row = 0; result != NULL && row < rows && wrong < 0; row++)
    {
      gint64 expected = 11;

      for (gint64 i = 0; i < columns; i++)
        expected += element (at++);
      if (acc_array_get_int (result, 0, row) != expected)
        wrong = row;
    }
  judge (backend, name, wrong);
}

static void
test_reductions (void)
{
  g_autoptr(AccArray) elements = in_memory (), generator = generated (LENGTH), twice = generated (2 * LENGTH);
  AccArray *given[] = { elements, generator };
  gint64 expected = 11, expected_counts[256] = { 0, };

  for (gint64 i = 0; i < LENGTH; i++)
    {
      expected += element (i);
      expected_counts[element (i)]++;
    }

  for (guint i = 0; i < conf_n_backends (); i++)
    {
      for (guint k = 0; k < G_N_ELEMENTS (given); k++)
        {
          g_autoptr(AccArray) all = run (conf_backend (i), "large/fold", sum (given[k]));
          g_autoptr(AccArray) histogram = run (conf_backend (i), "large/histogram", counts (given[k]));
          gint64 wrong = -1;

          judge (conf_backend (i), "large/fold", all != NULL && acc_array_get_int (all, 0, 0) == expected ? -1 : 0);
          for (guint bin = 0; histogram != NULL && bin < 256; bin++)
            if (acc_array_get_int (histogram, 0, bin) != expected_counts[bin])
              wrong = bin;
          judge (conf_backend (i), "large/histogram", wrong);
        }
      check_rows (conf_backend (i), "large/fold-rows", elements, LENGTH / COLUMNS, COLUMNS);
      check_rows (conf_backend (i), "large/fold-long-rows", twice, 2, LENGTH);
    }
}

/* --- order: functions x · a + b, one after the other; what is out of its place changes all that follows */

typedef struct {
  guint8 factor, offset;
} Line;

static inline Line
line (gint64 i)
{
  return (Line) { element (i) | 1, element (i + 1) };
}

static inline Line
compose (Line first, Line second)
{
  return (Line) { (guint8) (first.factor * second.factor), (guint8) (first.offset * second.factor + second.offset) };
}

static AccExpr *
line_expr (AccExpr *index, gpointer data)
{
  return acc_expr_tuple2 (acc_expr_bor (element_expr (index, NULL), acc_expr_new_int (1)),
                          element_expr (acc_expr_add (index, conf_i64 (1)), NULL));
}

static AccExpr *
compose_expr (AccExpr *first, AccExpr *second, gpointer data)
{
  AccExpr *factor = acc_expr_item (second, 0);

  return acc_expr_tuple2 (acc_expr_mul (acc_expr_item (first, 0), factor),
                          acc_expr_add (acc_expr_mul (acc_expr_item (first, 1), factor), acc_expr_item (second, 1)));
}

static AccArray *
lines (void)
{
  g_autoptr(AccShape) shape = acc_shape_new_vector (LENGTH);

  return acc_array_generate (shape, line_expr, NULL);
}

/* The lines to the left of each element with it, or to the right. */
static void
check_scan (AccBackend *backend, const char *name, AccArray *array, gboolean from_right)
{
  g_autoptr(AccArray) result = run (backend, name, array);
  Line expected = { 1, 0 };
  gint64 wrong = -1;

  for (gint64 i = 0; result != NULL && i < LENGTH && wrong < 0; i++)
    {
      gint64 at = from_right ? LENGTH - 1 - i : i;

      expected = from_right ? compose (line (at), expected) : compose (expected, line (at));
      if (get_bytes (result, 0)[at] != expected.factor || get_bytes (result, 1)[at] != expected.offset)
        wrong = at;
    }
  judge (backend, name, wrong);
}

static void
test_order (void)
{
  g_autoptr(AccArray) all = lines ();
  Line expected = { 1, 0 };

  for (gint64 i = 0; i < LENGTH; i++)
    expected = compose (expected, line (i));

  for (guint i = 0; i < conf_n_backends (); i++)
    {
      g_autoptr(AccArray) folded = run (conf_backend (i), "large/fold-in-order", acc_array_fold1_all (all, compose_expr, NULL));

      judge (conf_backend (i), "large/fold-in-order",
             folded != NULL && get_bytes (folded, 0)[0] == expected.factor && get_bytes (folded, 1)[0] == expected.offset ? -1 : 0);
      check_scan (conf_backend (i), "large/scanl1", acc_array_scanl1 (all, compose_expr, NULL), FALSE);
      check_scan (conf_backend (i), "large/scanr1", acc_array_scanr1 (all, compose_expr, NULL), TRUE);
    }
}

/* --- a stream of as many rows */

#define TYPE_ELEMENTS (elements_get_type ())
G_DECLARE_FINAL_TYPE (Elements, elements, TEST, ELEMENTS, AccSource)

struct _Elements {
  AccSource parent_instance;
};

G_DEFINE_FINAL_TYPE (Elements, elements, ACC_TYPE_SOURCE)

static gboolean
elements_read (AccSource *source, AccChunk *chunk, GCancellable *cancellable, GError **error)
{
  guint8 *bytes = (guint8 *) (guintptr) acc_chunk_get_address (chunk, 0);
  gint64 first = acc_chunk_get_first_row (chunk);

  for (gint64 i = 0; i < acc_chunk_get_n_rows (chunk); i++)
    bytes[i] = element (first + i);
  return TRUE;
}

static void
elements_class_init (ElementsClass *klass)
{
  ACC_SOURCE_CLASS (klass)->read = elements_read;
}

static void
elements_init (Elements *self)
{
}

#define TYPE_CHECKER (checker_get_type ())
G_DECLARE_FINAL_TYPE (Checker, checker, TEST, CHECKER, AccSink)

/* Wants sums of all elements so far, of u1. */
struct _Checker {
  AccSink parent_instance;
  gint64  n_rows;
  gint64  wrong;
  guint8  sum;
};

G_DEFINE_FINAL_TYPE (Checker, checker, ACC_TYPE_SINK)

static gboolean
checker_write (AccSink *sink, AccChunk *chunk, GCancellable *cancellable, GError **error)
{
  Checker *self = TEST_CHECKER (sink);
  const guint8 *bytes = (const guint8 *) (guintptr) acc_chunk_get_address (chunk, 0);

  g_assert_cmpint (acc_chunk_get_first_row (chunk), ==, self->n_rows);
  for (gint64 i = 0; i < acc_chunk_get_n_rows (chunk); i++)
    {
      self->sum += element (self->n_rows++);
      if (bytes[i] != self->sum && self->wrong < 0)
        self->wrong = self->n_rows - 1;
    }
  return TRUE;
}

static void
checker_class_init (CheckerClass *klass)
{
  ACC_SINK_CLASS (klass)->write = checker_write;
}

static void
checker_init (Checker *self)
{
  self->wrong = -1;
}

static void
test_stream (void)
{
  g_autoptr(AccShape) shape = acc_shape_new_vector (LENGTH);
  gint64 expected = 11;

  for (gint64 i = 0; i < LENGTH; i++)
    expected += element (i);

  for (guint i = 0; i < conf_n_backends (); i++)
    {
      g_autoptr(AccSource) source = g_object_new (TYPE_ELEMENTS, "element-type", conf_type ("u1"), "shape", shape, NULL);
      g_autoptr(AccArray) stream = acc_array_new_from_source (source), sums = acc_array_scanl1 (stream, add, NULL);
      g_autoptr(Checker) checker = g_object_new (TYPE_CHECKER, NULL);
      g_autoptr(AccArray) all = run (conf_backend (i), "large/stream-fold", sum (stream));
      g_autoptr(GError) error = NULL;

      judge (conf_backend (i), "large/stream-fold", all != NULL && acc_array_get_int (all, 0, 0) == expected ? -1 : 0);
      if (!acc_backend_write (conf_backend (i), sums, ACC_SINK (checker), NULL, &error))
        conf_fail (acc_backend_get_name (conf_backend (i)), "large/stream-scan", "%s", error->message);
      g_assert_cmpint (checker->n_rows, ==, LENGTH);
      judge (conf_backend (i), "large/stream-scan", checker->wrong);
    }
}

static guint64
get_available_memory (void)
{
  g_autofree char *text = NULL;
  const char *line = NULL;

  if (g_file_get_contents ("/proc/meminfo", &text, NULL, NULL))
    line = strstr (text, "MemAvailable:");
  return line != NULL ? g_ascii_strtoull (line + strlen ("MemAvailable:"), NULL, 10) << 10 : 0;
}

int
main (int argc, char **argv)
{
  conf_init (&argc, &argv);

  for (guint i = 0; i < conf_n_backends (); i++)
    acc_backend_set_memory_limit (conf_backend (i), LIMIT);
  g_test_add_func ("/large/stream", test_stream);
  if (get_available_memory () > LIMIT)
    {
      g_test_add_func ("/large/elements", test_elements);
      g_test_add_func ("/large/places", test_places);
      g_test_add_func ("/large/reductions", test_reductions);
      g_test_add_func ("/large/order", test_order);
    }
  else
    g_test_message ("less than %" G_GUINT64_FORMAT " GiB of memory: streams alone", LIMIT >> 30);

  return conf_run ();
}
