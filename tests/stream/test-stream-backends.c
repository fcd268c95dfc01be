/* SPDX-License-Identifier: LGPL-2.1-or-later */

/* Real programs on real backends: what streams is, bit for bit, what runs whole. */
#include "stream-files.h"
#include "stream-flow.h"

#include "acc-core/backend/acc-backend-private.h"
#include "acc-core/data/acc-sink-private.h"
#include "acc-seq/stream/acc-evaluate-private.h"
#ifdef ACC_TEST_FAKE_DEVICE
#include "acc-backends/runtime/graph/acc-device-backend.h"
#include "../backends/fake-device.h"
#endif

#include <string.h>
#include <unistd.h>

/* Of large arrays. */
#ifdef ACC_TEST_FAKE_DEVICE
#define N_COLUMNS 32
#else
#define N_COLUMNS 256
#endif

#define MAX_SOURCES 2
#define MAX_RESULTS 4

/* A program over arrays, which are sources or in memory. */
typedef struct {
  const char *name;
  const char *codes[MAX_SOURCES];
  guint       rank;
  guint     (*build) (AccArray **sources, AccArray **results);
} Program;

static AccElementType *
scalar_type (AccElementKind kind)
{
  return acc_element_type_new (kind);
}

/* --- element functions */

/* Composition of the maps t -> a*t + b: associative, not commutative. */
static AccExpr *
compose (AccExpr *f, AccExpr *g, gpointer data)
{
  return acc_expr_tuple2 (acc_expr_mul (acc_expr_item (f, 0), acc_expr_item (g, 0)),
                          acc_expr_add (acc_expr_mul (acc_expr_item (f, 1), acc_expr_item (g, 0)), acc_expr_item (g, 1)));
}

static AccExpr *
to_map (AccExpr *x, gpointer data)
{
  return acc_expr_tuple2 (acc_expr_add (acc_expr_mul (x, acc_expr_new_int (2)), acc_expr_new_int (1)), x);
}

static AccExpr *
larger (AccExpr *x, AccExpr *y, gpointer data)
{
  return acc_expr_max (x, y);
}

static AccExpr *
identity (AccExpr *x, gpointer data)
{
  return x;
}

/* Offsets matter: each neighbour has its own weight. */
static AccExpr *
weigh (AccExpr *n, gint64 top, gint64 bottom, gint64 side)
{
  AccExpr *sum = NULL;

  for (gint64 dy = -top; dy <= bottom; dy++)
    for (gint64 dx = -side; dx <= side; dx++)
      {
        AccExpr *term = acc_expr_mul (acc_expr_neighbour2 (n, dy, dx), acc_expr_new_int (1 + (dy + 3) * 2 + dx));

        sum = sum == NULL ? term : acc_expr_add (sum, term);
      }

  return sum;
}

static AccExpr *
box3 (AccExpr *n, gpointer data)
{
  return weigh (n, 1, 1, 1);
}

static AccExpr *
box5 (AccExpr *n, gpointer data)
{
  return weigh (n, 2, 2, 2);
}

static AccExpr *
tall7 (AccExpr *n, gpointer data)
{
  return weigh (n, 3, 3, 0);
}

static AccExpr *
line5 (AccExpr *n, gpointer data)
{
  return acc_expr_sub (acc_expr_mul (acc_expr_neighbour1 (n, -2), acc_expr_new_int (3)),
                       acc_expr_add (acc_expr_neighbour1 (n, 0), acc_expr_neighbour1 (n, 2)));
}

static AccExpr *
cube3 (AccExpr *n, gpointer data)
{
  return acc_expr_add (acc_expr_sub (acc_expr_mul (acc_expr_neighbour3 (n, -1, 0, 0), acc_expr_new_int (7)),
                                     acc_expr_neighbour3 (n, 1, 1, -1)),
                       acc_expr_neighbour3 (n, 0, -1, 1));
}

static AccExpr *
index_sum (AccExpr *index, gpointer data)
{
  return acc_expr_cast (acc_expr_add (acc_expr_mul (acc_expr_item (index, 0), acc_expr_new_int (11)), acc_expr_item (index, 1)),
                        scalar_type (ACC_KIND_I32));
}

static AccArray *
stencil (AccArray *array, gint64 rows, gint64 columns, AccBoundary *boundary, AccExprFunc function)
{
  gint64 sizes[2] = { rows, columns };

  return acc_array_stencil (array, sizes, 2, boundary, function, NULL);
}

static AccArray *
stencil_kind (AccArray *array, gint64 rows, gint64 columns, AccBoundaryKind kind, AccExprFunc function)
{
  g_autoptr(AccBoundary) boundary = acc_boundary_new (kind);

  return stencil (array, rows, columns, boundary, function);
}

/* --- programs */

static guint
build_map (AccArray **s, AccArray **r)
{
  r[0] = acc_array_map (s[0], flow_affine, NULL);
  return 1;
}

static guint
build_source (AccArray **s, AccArray **r)
{
  r[0] = acc_array_map (s[0], identity, NULL);
  r[1] = g_object_ref (s[0]);
  return 2;
}

static guint
build_clamp (AccArray **s, AccArray **r)
{
  g_autoptr(AccArray) first = stencil_kind (s[0], 5, 5, ACC_BOUNDARY_CLAMP, box5);

  r[0] = stencil_kind (first, 3, 3, ACC_BOUNDARY_CLAMP, box3);
  return 1;
}

static guint
build_mirror (AccArray **s, AccArray **r)
{
  g_autoptr(AccArray) first = stencil_kind (s[0], 3, 3, ACC_BOUNDARY_MIRROR, box3);

  r[0] = stencil_kind (first, 7, 1, ACC_BOUNDARY_MIRROR, tall7);
  return 1;
}

static guint
build_wrap (AccArray **s, AccArray **r)
{
  r[0] = stencil_kind (s[0], 3, 3, ACC_BOUNDARY_WRAP, box3);
  return 1;
}

static guint
build_constant (AccArray **s, AccArray **r)
{
  g_autoptr(AccBoundary) boundary = acc_boundary_new_constant (acc_expr_new_typed_int (acc_array_get_element_type (s[0]), 7));
  g_autoptr(AccArray) first = stencil (s[0], 5, 5, boundary, box5);

  r[0] = stencil (first, 3, 3, boundary, box3);
  return 1;
}

static guint
build_function (AccArray **s, AccArray **r)
{
  g_autoptr(AccBoundary) boundary = acc_boundary_new_function (2, index_sum, NULL);
  g_autoptr(AccArray) first = stencil (s[0], 5, 5, boundary, box5);

  r[0] = stencil (first, 3, 3, boundary, box3);
  return 1;
}

/* One value read by stages that trail behind it differently. */
static guint
build_fan (AccArray **s, AccArray **r)
{
  g_autoptr(AccArray) base = stencil_kind (s[0], 3, 3, ACC_BOUNDARY_CLAMP, box3);
  g_autoptr(AccArray) wide = stencil_kind (base, 7, 1, ACC_BOUNDARY_CLAMP, tall7);
  g_autoptr(AccArray) narrow = stencil_kind (base, 3, 3, ACC_BOUNDARY_MIRROR, box3);
  g_autoptr(AccArray) again = stencil_kind (narrow, 5, 5, ACC_BOUNDARY_CLAMP, box5);
  g_autoptr(AccArray) joined = acc_array_zip_with (wide, again, flow_mix, NULL);

  r[0] = acc_array_zip_with (joined, s[0], flow_mix, NULL);
  r[1] = g_object_ref (narrow);
  r[2] = acc_array_map (s[0], flow_affine, NULL);
  return 3;
}

static AccExpr *
difference (AccExpr *x, AccExpr *y, gpointer data)
{
  return acc_expr_sub (acc_expr_neighbour2 (x, 1, 0), acc_expr_mul (acc_expr_neighbour2 (y, -2, 1), acc_expr_new_int (3)));
}

static guint
build_stencil2 (AccArray **s, AccArray **r)
{
  static const gint64 small[2] = { 3, 3 }, tall[2] = { 5, 3 };
  g_autoptr(AccBoundary) clamp = acc_boundary_new (ACC_BOUNDARY_CLAMP);
  g_autoptr(AccBoundary) mirror = acc_boundary_new (ACC_BOUNDARY_MIRROR);
  g_autoptr(AccArray) base = stencil_kind (s[1], 3, 3, ACC_BOUNDARY_CLAMP, box3);

  r[0] = acc_array_stencil2 (s[0], small, 2, clamp, base, tall, 2, mirror, difference, NULL);
  return 1;
}

static guint
build_two (AccArray **s, AccArray **r)
{
  g_autoptr(AccArray) blurred = stencil_kind (s[0], 3, 3, ACC_BOUNDARY_CLAMP, box3);

  r[0] = acc_array_zip_with (blurred, s[1], flow_mix, NULL);
  r[1] = acc_array_zip (s[1], s[0]);
  return 2;
}

static guint
build_folds (AccArray **s, AccArray **r)
{
  g_autoptr(AccArray) base = stencil_kind (s[0], 3, 3, ACC_BOUNDARY_CLAMP, box3);
  g_autoptr(AccArray) maps = acc_array_map (base, to_map, NULL);
  AccElementType *type = acc_array_get_element_type (s[0]);

  r[0] = acc_array_fold (base, acc_expr_new_typed_int (type, 0), flow_plus, NULL);
  r[1] = acc_array_fold_all (base, acc_expr_new_typed_int (type, 0), flow_plus, NULL);
  r[2] = acc_array_fold_all (maps, acc_expr_tuple2 (acc_expr_new_typed_int (type, 1), acc_expr_new_typed_int (type, 0)), compose, NULL);
  r[3] = acc_array_fold_all (s[0], acc_expr_new_minimum (type), larger, NULL);
  return 4;
}

static guint
build_floats (AccArray **s, AccArray **r)
{
  g_autoptr(AccArray) base = stencil_kind (s[0], 3, 3, ACC_BOUNDARY_CLAMP, box3);
  g_autoptr(AccArray) root = acc_array_map (base, flow_affine, NULL);

  r[0] = acc_array_fold_all (root, acc_expr_new_typed_float (acc_array_get_element_type (s[0]), 0), flow_plus, NULL);
  r[1] = acc_array_fold (root, acc_expr_new_typed_float (acc_array_get_element_type (s[0]), 0), flow_plus, NULL);
  r[2] = acc_array_scanl1 (root, flow_plus, NULL);
  return 3;
}

static AccExpr *
subtract_the (AccExpr *x, gpointer data)
{
  return acc_expr_sub (x, acc_expr_the (data));
}

/* Needs the sum of all rows before the first row. */
static guint
build_centred (AccArray **s, AccArray **r)
{
  g_autoptr(AccArray) sum = acc_array_fold_all (s[0], acc_expr_new_typed_int (acc_array_get_element_type (s[0]), 0), flow_plus, NULL);

  r[0] = acc_array_map (s[0], subtract_the, sum);
  return 1;
}

static AccExpr *
split (AccExpr *x, gpointer data)
{
  return acc_expr_tuple2 (acc_expr_cast (x, scalar_type (ACC_KIND_U8)),
                          acc_expr_tuple2 (x, acc_expr_cast (x, scalar_type (ACC_KIND_F64))));
}

static AccExpr *
pick (AccExpr *n, gpointer data)
{
  AccExpr *up = acc_expr_neighbour2 (n, -1, 0), *down = acc_expr_neighbour2 (n, 1, 1);

  return acc_expr_tuple2 (acc_expr_item (up, 0), acc_expr_add (acc_expr_item (acc_expr_item (down, 1), 0),
                                                               acc_expr_item (acc_expr_item (up, 1), 0)));
}

static guint
build_tuples (AccArray **s, AccArray **r)
{
  g_autoptr(AccArray) tuples = acc_array_map (s[0], split, NULL);

  r[0] = stencil_kind (tuples, 3, 3, ACC_BOUNDARY_CLAMP, pick);
  r[1] = acc_array_unzip (r[0], 1);
  r[2] = g_object_ref (tuples);
  return 3;
}

static AccExpr *
swap (AccExpr *x, gpointer data)
{
  return acc_expr_tuple2 (acc_expr_item (x, 1), acc_expr_item (x, 0));
}

static guint
build_tuple_source (AccArray **s, AccArray **r)
{
  g_autoptr(AccArray) swapped = acc_array_map (s[0], swap, NULL);
  g_autoptr(AccArray) second = acc_array_unzip (swapped, 1);

  r[0] = g_object_ref (swapped);
  r[1] = stencil_kind (second, 3, 3, ACC_BOUNDARY_CLAMP, box3);
  return 2;
}

static guint
build_generated (AccArray **s, AccArray **r)
{
  g_autoptr(AccArray) ramp = acc_array_generate (acc_array_get_shape (s[0]), index_sum, NULL);
  g_autoptr(AccArray) smooth = stencil_kind (ramp, 5, 5, ACC_BOUNDARY_CLAMP, box5);
  g_autoptr(AccArray) blurred = stencil_kind (s[0], 3, 3, ACC_BOUNDARY_CLAMP, box3);

  r[0] = acc_array_zip_with (blurred, smooth, flow_mix, NULL);
  return 1;
}

static guint
build_slices (AccArray **s, AccArray **r)
{
  static const gint64 column[2] = { ACC_ALL, 0 }, repeat[3] = { ACC_ALL, 3, ACC_ALL };
  g_autoptr(AccArray) blurred = stencil_kind (s[0], 3, 3, ACC_BOUNDARY_CLAMP, box3);

  r[0] = acc_array_slice (blurred, column, 2);
  r[1] = acc_array_replicate (blurred, repeat, 3);
  return 2;
}

static guint
build_line (AccArray **s, AccArray **r)
{
  static const gint64 size = 5;
  g_autoptr(AccBoundary) clamp = acc_boundary_new (ACC_BOUNDARY_CLAMP);
  g_autoptr(AccArray) first = acc_array_stencil (s[0], &size, 1, clamp, line5, NULL);

  r[0] = acc_array_stencil (first, &size, 1, clamp, line5, NULL);
  r[1] = acc_array_fold_all (first, acc_expr_new_typed_int (acc_array_get_element_type (s[0]), 0), flow_plus, NULL);
  r[2] = acc_array_fold (first, acc_expr_new_typed_int (acc_array_get_element_type (s[0]), 0), flow_plus, NULL);
  return 3;
}

static guint
build_cube (AccArray **s, AccArray **r)
{
  static const gint64 sizes[3] = { 3, 3, 3 };
  g_autoptr(AccBoundary) clamp = acc_boundary_new (ACC_BOUNDARY_CLAMP);
  g_autoptr(AccBoundary) mirror = acc_boundary_new (ACC_BOUNDARY_MIRROR);
  g_autoptr(AccArray) first = acc_array_stencil (s[0], sizes, 3, clamp, cube3, NULL);

  r[0] = acc_array_stencil (first, sizes, 3, mirror, cube3, NULL);
  r[1] = acc_array_fold (first, acc_expr_new_typed_int (acc_array_get_element_type (s[0]), 0), flow_plus, NULL);
  return 2;
}

static AccExpr *
exchange (AccExpr *index, gpointer data)
{
  return acc_expr_tuple2 (acc_expr_item (index, 1), acc_expr_item (index, 0));
}

static guint
build_transpose (AccArray **s, AccArray **r)
{
  const gint64 *extents = acc_shape_get_extents (acc_array_get_shape (s[0]), NULL);
  g_autoptr(AccShape) shape = acc_shape_new_matrix (extents[1], extents[0]);

  r[0] = acc_array_backpermute (s[0], shape, exchange, NULL);
  acc_array_set_label (r[0], "turn");
  return 1;
}

static const Program programs[] = {
  { "map", { "u1" }, 2, build_map },
  { "map-f8", { "f8" }, 2, build_map },
  { "map-rank-3", { "i2" }, 3, build_map },
  { "source", { "f4" }, 2, build_source },
  { "source-b1", { "b1" }, 1, build_source },
  { "source-f2", { "f2" }, 3, build_source },
  { "clamp", { "i4" }, 2, build_clamp },
  { "clamp-u1", { "u1" }, 2, build_clamp },
  { "clamp-f4", { "f4" }, 2, build_clamp },
  { "mirror", { "i4" }, 2, build_mirror },
  { "constant", { "i8" }, 2, build_constant },
  { "function", { "i4" }, 2, build_function },
  { "fan", { "i4" }, 2, build_fan },
  { "stencil2", { "i4", "i4" }, 2, build_stencil2 },
  { "two", { "i4", "i4" }, 2, build_two },
  { "folds", { "i4" }, 2, build_folds },
  { "floats", { "f4" }, 2, build_floats },
  { "centred", { "i4" }, 2, build_centred },
  { "tuples", { "i4" }, 2, build_tuples },
  { "tuple-source", { "(i4,(u1,f8))" }, 2, build_tuple_source },
  { "generated", { "i4" }, 2, build_generated },
  { "slices", { "i4" }, 2, build_slices },
  { "line", { "i4" }, 1, build_line },
  { "cube", { "i4" }, 3, build_cube },
  { "loop", { "i4" }, 2, flow_build_loop },
  { "choice", { "i4" }, 2, flow_build_choice },
  { "nested", { "i4" }, 2, flow_build_nested },
  { "foreign", { "i4" }, 2, flow_build_foreign },
  { "cubes", { "i4" }, 3, flow_build_cubes },
  { "transpose", { "i4" }, 2, build_transpose },
  { "wrap", { "i4" }, 2, build_wrap },
};

/* --- the comparison */

typedef struct {
  AccBackend    *backend;
  const Program *program;
} Case;

static const gint64 extents[][3] = {
  { 0, 5, 3 }, { 1, 1, 1 }, { 2, 17, 3 }, { 5, 1, 2 }, { 31, 23, 4 }, { 64, 40, 3 }, { 6, 0, 3 },
};

static const gint64 heights[] = { 1, 7, 13, 1000, 0 };

static void
assert_same (AccArray *streamed, AccArray *whole, const char *what)
{
  AccElementType *type = acc_array_get_element_type (whole);

  g_assert_true (acc_array_get_element_type (streamed) == type);
  g_assert_true (acc_shape_equal (acc_array_get_shape (streamed), acc_array_get_shape (whole)));

  for (guint i = 0; i < acc_element_type_get_n_buffers (type); i++)
    {
      g_autoptr(GBytes) a = acc_array_dup_bytes (streamed, i, NULL);
      g_autoptr(GBytes) b = acc_array_dup_bytes (whole, i, NULL);
      gsize n = g_bytes_get_size (b);

      g_assert_cmpuint (g_bytes_get_size (a), ==, n);
      if (n > 0 && memcmp (g_bytes_get_data (a, NULL), g_bytes_get_data (b, NULL), n) != 0)
        {
          g_autofree char *x = acc_array_to_string (streamed);
          g_autofree char *y = acc_array_to_string (whole);

          g_error ("%s: buffer %u is\n%s\nand should be\n%s", what, i, x, y);
        }
    }
}

static void
assert_same_rows (TestSink *sink, AccArray *whole, const char *what)
{
  g_autofree GBytes **buffers = g_new0 (GBytes *, sink->n_buffers + 1);
  g_autoptr(AccArray) written = NULL;

  for (guint i = 0; i < sink->n_buffers; i++)
    buffers[i] = g_bytes_new_static (sink->buffers[i]->data, sink->buffers[i]->len);
  written = acc_array_use_buffers (sink->type, sink->shape, buffers, sink->n_buffers);
  assert_same (written, whole, what);
  g_clear_object (&written);
  for (guint i = 0; i < sink->n_buffers; i++)
    g_bytes_unref (buffers[i]);
}

/* Without acc-seq: the whole program at once. */
static GPtrArray *
run_whole (AccBackend *backend, AccArray **results, guint n_results)
{
  g_autoptr(AccProgram) program = acc_program_new_for_results (results, n_results);
  g_autoptr(GError) error = NULL;
  g_autoptr(AccExecutable) executable = acc_backend_compile (backend, program, NULL, &error);
  GPtrArray *whole;

  g_assert_no_error (error);
  whole = acc_executable_run (executable, NULL, 0, NULL, &error);
  g_assert_no_error (error);

  return whole;
}

static void
clear_arrays (AccArray **arrays, guint n)
{
  for (guint i = 0; i < n; i++)
    g_clear_object (&arrays[i]);
}

static void
check_size (const Case *c, const gint64 *size)
{
  AccArray *memory[MAX_SOURCES] = { NULL, }, *sources[MAX_SOURCES] = { NULL, };
  AccArray *expected[MAX_RESULTS] = { NULL, }, *arrays[MAX_RESULTS] = { NULL, };
  g_autoptr(GPtrArray) whole = NULL;
  g_autoptr(GError) error = NULL;
  guint n_sources = 0, n_results;

  for (; n_sources < MAX_SOURCES && c->program->codes[n_sources] != NULL; n_sources++)
    {
      gint64 own[3] = { size[0] + n_sources * 3, size[1], size[2] };
      g_autoptr(TestSource) data = test_source_new (c->program->codes[n_sources], own, c->program->rank, n_sources + 1);
      g_autoptr(TestSource) source = NULL;
      g_autoptr(AccArray) array = acc_array_new_from_source (ACC_SOURCE (data));

      memory[n_sources] = acc_backend_run (c->backend, array, NULL, &error);
      g_assert_no_error (error);
      source = test_source_new_for_array (memory[n_sources]);
      sources[n_sources] = acc_array_new_from_source (ACC_SOURCE (source));
    }

  n_results = c->program->build (memory, expected);
  c->program->build (sources, arrays);
  for (guint i = 0; i < n_results; i++)
    if (!acc_array_check (expected[i], &error))
      {
        /* Slices of nothing. */
        g_assert_error (error, ACC_ERROR, ACC_ERROR_BOUNDS);
        g_assert_cmpint (size[1], ==, 0);
        g_assert_false (acc_array_check (arrays[i], NULL));
        n_results = 0;
      }
  g_clear_error (&error);

  if (n_results > 0)
    whole = run_whole (c->backend, expected, n_results);

  for (guint h = 0; h < G_N_ELEMENTS (heights) && n_results > 0; h++)
    {
      g_autofree char *what = g_strdup_printf ("%s of %d rows by %d", c->program->name, (int) size[0], (int) heights[h]);
      g_autoptr(GPtrArray) together = acc_evaluate_with_chunk_rows (c->backend, arrays, n_results, heights[h], NULL, &error);
      g_autoptr(GPtrArray) banded = NULL;

      g_test_message ("%s", what);
      g_assert_no_error (error);
      for (guint i = 0; i < n_results; i++)
        {
          g_autoptr(TestSink) sink = test_sink_new ();

          assert_same (g_ptr_array_index (together, i), g_ptr_array_index (whole, i), what);

          acc_evaluate_write_with_chunk_rows (c->backend, arrays[i], ACC_SINK (sink), heights[h], NULL, NULL, &error);
          g_assert_no_error (error);
          test_sink_assert_ended (sink, TRUE);
          assert_same_rows (sink, g_ptr_array_index (whole, i), what);
        }

      /* The same from memory. */
      banded = acc_evaluate_with_chunk_rows (c->backend, expected, n_results, heights[h], NULL, &error);
      g_assert_no_error (error);
      for (guint i = 0; i < n_results; i++)
        {
          g_autoptr(TestSink) sink = test_sink_new ();

          assert_same (g_ptr_array_index (banded, i), g_ptr_array_index (whole, i), what);

          acc_evaluate_write_with_chunk_rows (c->backend, expected[i], ACC_SINK (sink), heights[h], NULL, NULL, &error);
          g_assert_no_error (error);
          assert_same_rows (sink, g_ptr_array_index (whole, i), what);
        }
    }

  clear_arrays (expected, MAX_RESULTS);
  clear_arrays (arrays, MAX_RESULTS);
  clear_arrays (memory, MAX_SOURCES);
  clear_arrays (sources, MAX_SOURCES);
}

static void
test_program (gconstpointer data)
{
  const Case *c = data;

  for (guint i = 0; i < G_N_ELEMENTS (extents); i++)
    check_size (c, extents[i]);
}

static gboolean
is_device (AccBackend *backend)
{
  g_autoptr(AccShape) shape = acc_shape_new_vector (1);
  g_autoptr(AccArray) array = acc_array_fill (shape, acc_expr_new_int (1));
  g_autoptr(AccProgram) program = acc_program_new_for_results (&array, 1);
  g_autoptr(AccExecutable) executable = acc_backend_compile (backend, program, NULL, NULL);

  return ACC_EXECUTABLE_GET_CLASS (executable)->prefers_whole != 0;
}

/* --- memory */

/* Whatever reservation fails, on a real backend. */
static void
test_reservations (gconstpointer data)
{
  const Case *c = data;
  AccBudget *budget = acc_backend_get_budget (c->backend);
  g_autoptr(TestSource) source = test_source_new ("i4", (gint64[]) { 200, 2000 }, 2, 1);
  g_autoptr(AccArray) array = acc_array_new_from_source (ACC_SOURCE (source));
  AccArray *results[MAX_RESULTS] = { NULL, };
  guint64 before;

  build_fan (&array, results);
  before = acc_budget_get_used (budget);

  for (guint k = 1; ; k++)
    {
      g_autoptr(TestSink) sink = test_sink_new ();
      g_autoptr(GError) error = NULL;
      gboolean done;

      g_assert_cmpuint (k, <, 200);
      acc_budget_fail_nth (budget, k);
      done = acc_evaluate_write_with_chunk_rows (c->backend, results[0], ACC_SINK (sink), 16, NULL, NULL, &error);
      acc_budget_fail_nth (budget, 0);
      test_sink_assert_ended (sink, done);
      acc_budget_spare (budget, G_MAXINT64);
      g_assert_cmpuint (acc_budget_get_used (budget), <=, before);

      if (done)
        break;
      g_assert_error (error, ACC_ERROR, ACC_ERROR_OUT_OF_MEMORY);
    }

  clear_arrays (results, MAX_RESULTS);
}

static void
test_flow_memory (gconstpointer data)
{
  AccBackend *backend = ((const Case *) data)->backend;

  flow_check_memory (backend);
}

#ifndef ACC_TEST_FAKE_DEVICE
/* A limit far below the data is kept. */
static void
test_limit (gconstpointer data)
{
  const Case *c = data;
  AccBudget *budget = acc_backend_get_budget (c->backend);
  guint64 limit = acc_backend_get_memory_limit (c->backend);
  g_autoptr(TestSource) source = test_source_new ("u1", (gint64[]) { 700, 1500 }, 2, 1);
  g_autoptr(AccArray) array = acc_array_new_from_source (ACC_SOURCE (source));
  g_autoptr(AccArray) wide = acc_array_cast (array, acc_element_type_new (ACC_KIND_F32));
  g_autoptr(GError) error = NULL;
  AccArray *results[MAX_RESULTS] = { NULL, };

  build_clamp (&wide, results);
  acc_budget_spare (budget, G_MAXINT64);

  for (guint64 bytes = 2000000; bytes > 200000; bytes = bytes * 2 / 3)
    {
      g_autoptr(TestSink) sink = test_sink_new ();

      acc_budget_spare (budget, G_MAXINT64);
      acc_backend_set_memory_limit (c->backend, bytes);
      acc_budget_reset_high_water (budget);
      acc_backend_write (c->backend, results[0], ACC_SINK (sink), NULL, &error);
      g_assert_no_error (error);
      g_assert_cmpuint (acc_budget_get_high_water (budget), <=, bytes);
      g_assert_cmpint (sink->n_rows, ==, 700);
    }

  acc_backend_set_memory_limit (c->backend, limit);
  clear_arrays (results, MAX_RESULTS);
}

/* Large intermediates between stages run by bands, without being asked. */
static void
test_bands (gconstpointer data)
{
  const Case *c = data;
  AccBudget *budget = acc_backend_get_budget (c->backend);
  g_autoptr(AccShape) shape = acc_shape_new_matrix (1000, 1000);
  g_autoptr(AccArray) ramp = acc_array_generate (shape, index_sum, NULL);
  g_autoptr(AccArray) array = NULL;
  g_autoptr(AccArray) banded = NULL;
  g_autoptr(GPtrArray) whole = NULL;
  g_autoptr(GError) error = NULL;
  AccArray *stage = NULL;
  guint64 before, bytes = 1000 * 1000 * 4;

  array = g_object_ref (ramp);
  for (guint i = 0; i < 4; i++)
    {
      stage = stencil_kind (array, 3, 3, ACC_BOUNDARY_CLAMP, box3);
      g_object_unref (array);
      array = stage;
    }

  whole = run_whole (c->backend, &array, 1);
  acc_budget_spare (budget, G_MAXINT64);
  before = acc_budget_get_used (budget);
  acc_budget_reset_high_water (budget);
  banded = acc_backend_run (c->backend, array, NULL, &error);
  g_assert_no_error (error);
  assert_same (banded, g_ptr_array_index (whole, 0), "bands");

  /* Where the caches hold all stages, there are no bands. */
  if ((acc_disable_get_flags () & ACC_DISABLE_CHUNKING) == 0 && !is_device (c->backend)
      && 5 * bytes > 4 * (guint64) MAX (sysconf (_SC_LEVEL2_CACHE_SIZE), 1024 * 1024) * g_get_num_processors ())
    g_assert_cmpuint (acc_budget_get_high_water (budget) - before, <, bytes * 3 / 2 + 4 * 1024 * 1024);
}

/* Kernels that may fail run one after the other, on all rows. */
static AccExpr *
ratio3 (AccExpr *n, gpointer data)
{
  return acc_expr_div (box3 (n, data), acc_expr_bor (acc_expr_neighbour2 (n, 0, 1), acc_expr_new_int (1)));
}

/* What there is no room for at once goes by rows, without being asked. */
static void
test_in_less (gconstpointer data)
{
  const Case *c = data;
  AccBudget *budget = acc_backend_get_budget (c->backend);
  guint64 bytes = 1000 * 1000 * 4, limit = acc_backend_get_memory_limit (c->backend);
  g_autoptr(AccShape) shape = acc_shape_new_matrix (1000, 1000);
  g_autoptr(AccArray) array = acc_array_generate (shape, index_sum, NULL);
  g_autoptr(AccArray) by_rows = NULL;
  g_autoptr(GPtrArray) whole = NULL, by_program = NULL;
  g_autoptr(GError) error = NULL;

  if ((acc_disable_get_flags () & ACC_DISABLE_CHUNKING) != 0)
    return;

  for (guint i = 0; i < 4; i++)
    {
      AccArray *stage = stencil_kind (array, 3, 3, ACC_BOUNDARY_CLAMP, ratio3);

      g_object_unref (array);
      array = stage;
    }

  whole = run_whole (c->backend, &array, 1);
  acc_budget_spare (budget, G_MAXINT64);
  acc_backend_set_memory_limit (c->backend, acc_budget_get_used (budget) + bytes * 7 / 4);
  by_rows = acc_backend_run (c->backend, array, NULL, &error);
  g_assert_no_error (error);
  assert_same (by_rows, g_ptr_array_index (whole, 0), "in less memory");
  g_clear_object (&by_rows);

  /* What is compiled, too. */
  acc_budget_spare (budget, G_MAXINT64);
  by_program = run_whole (c->backend, &array, 1);
  acc_backend_set_memory_limit (c->backend, limit);
  assert_same (g_ptr_array_index (by_program, 0), g_ptr_array_index (whole, 0), "by a program in less memory");
}
#endif

/* --- what has no room anywhere */

static AccArray *transpose (AccArray *a) { return acc_array_transpose (a); }
static AccArray *transpose_on (AccArray *a) { return acc_array_transpose_on (a, 0, 1); }
static AccArray *reverse_on (AccArray *a) { return acc_array_reverse_on (a, 0); }
static AccArray *concat_on (AccArray *a) { return acc_array_concat_on (a, a, 0); }

/* A refusal names what was asked for, not what that is made of, by its label, too, where that is on all of it, and both numbers. Without
 * the quota it runs. */
static void
test_refusals (gconstpointer data)
{
  static const struct { const char *name; AccArray *(*make) (AccArray *array); gboolean composed; } cases[] = {
    { "transpose", transpose, TRUE }, { "transpose_on", transpose_on }, { "reverse_on", reverse_on }, { "concat_on", concat_on, TRUE },
  };
  const Case *c = data;
  AccBudget *budget = acc_backend_get_host_budget (c->backend);
  guint64 limit = acc_budget_get_limit (budget);

  for (guint i = 0; i < G_N_ELEMENTS (cases); i++)
    for (guint inside = 0; inside < 2; inside++)
      {
        g_autoptr(TestSource) source = test_source_new ("i4", (gint64[]) { 4000, N_COLUMNS }, 2, 1);
        g_autoptr(TestSink) sink = test_sink_new ();
        g_autoptr(AccArray) array = acc_array_new_from_source (ACC_SOURCE (source));
        g_autoptr(AccArray) made = cases[i].make (array);
        g_autoptr(AccArray) result = inside ? acc_array_map (made, flow_affine, NULL) : g_object_ref (made);
        g_autofree char *named = g_strdup_printf ("%s “asked for”", cases[i].name);
        g_autofree char *needs = g_strdup_printf ("needs %d bytes", (4000 * N_COLUMNS * 4 + 65535) / 65536 * 65536);
        g_autoptr(GError) error = NULL;
        gboolean done;

        acc_array_set_label (made, "asked for");
        acc_budget_spare (budget, G_MAXINT64);
        acc_budget_set_limit (budget, acc_budget_get_used (budget) + 4000 * N_COLUMNS * 4);
        acc_backend_set_temporary_quota (c->backend, 4096);
        done = acc_backend_write (c->backend, result, ACC_SINK (sink), NULL, &error);
        acc_backend_set_temporary_quota (c->backend, 0);
        acc_budget_set_limit (budget, limit);
        g_assert_cmpint (source->n_started, ==, source->n_finished);
        g_assert_cmpuint (acc_backend_get_temporary_used (c->backend), ==, 0);
        test_sink_assert_ended (sink, done);
        if (done)
          {
            /* In order after all, as this backend sees it. */
            g_assert_true (g_str_has_prefix (cases[i].name, "concat"));
            continue;
          }
        g_test_message ("%s", error->message);
        g_assert_error (error, ACC_ERROR, ACC_ERROR_OUT_OF_MEMORY);
        g_assert_cmpint (source->n_started, ==, 0);
        g_assert_nonnull (strstr (error->message, cases[i].composed ? cases[i].name : named));
        g_assert_nonnull (strstr (error->message, needs));
        g_assert_nonnull (strstr (error->message, "of 4096 allowed"));
        g_assert_null (strstr (error->message, "backpermute"));
      }
}

/* --- streams that end early */

static void
assert_nothing_held (AccBackend *backend, guint64 before)
{
  AccBudget *budget = acc_backend_get_budget (backend);

  acc_budget_spare (budget, G_MAXINT64);
  g_assert_cmpuint (acc_budget_get_used (budget), <=, before);
}

typedef enum { END_SOURCE, END_SINK, END_CANCEL, END_INDEX, END_DIVISION, N_ENDS } End;

static AccExpr *
divide (AccExpr *x, gpointer data)
{
  return acc_expr_div (acc_expr_new_typed_int (scalar_type (ACC_KIND_I32), 1000), x);
}

static AccExpr *
look_up (AccExpr *x, gpointer data)
{
  return acc_expr_index (data, acc_expr_cast (x, scalar_type (ACC_KIND_I64)));
}

static void
test_ends (gconstpointer data)
{
  const Case *c = data;
  gint64 extents[2] = { 300, 20 };
  g_autoptr(AccShape) shape = acc_shape_new (extents, 2);
  g_autoptr(AccShape) few = acc_shape_new_vector (100);
  g_autofree gint32 *elements = g_new (gint32, 300 * 20);
  g_autoptr(GBytes) bytes = NULL;
  g_autoptr(AccArray) plain = NULL;
  g_autoptr(AccArray) table = acc_array_fill (few, acc_expr_new_typed_int (scalar_type (ACC_KIND_I32), 1));
  guint64 before;

  /* Row 200 has an element that is neither a divisor nor an index. */
  for (guint i = 0; i < 300 * 20; i++)
    elements[i] = 1 + (gint32) (i % 50);
  elements[200 * 20 + 7] = 0;
  elements[200 * 20 + 8] = 1000;
  bytes = g_bytes_new (elements, 300 * 20 * 4);
  plain = acc_array_use (scalar_type (ACC_KIND_I32), shape, bytes);
  acc_budget_spare (acc_backend_get_budget (c->backend), G_MAXINT64);
  before = acc_budget_get_used (acc_backend_get_budget (c->backend));

  for (guint end = 0; end < N_ENDS; end++)
    for (guint h = 0; h < G_N_ELEMENTS (heights); h++)
      {
        g_autoptr(TestSource) source = test_source_new_for_array (plain);
        g_autoptr(TestSink) sink = test_sink_new ();
        g_autoptr(GCancellable) cancellable = g_cancellable_new ();
        g_autoptr(AccArray) read = acc_array_new_from_source (ACC_SOURCE (source));
        g_autoptr(AccArray) smooth = stencil_kind (read, 3, 3, ACC_BOUNDARY_CLAMP, box3);
        g_autoptr(AccArray) other = end == END_INDEX ? acc_array_map (read, look_up, table)
                                    : end == END_DIVISION ? acc_array_map (read, divide, NULL) : g_object_ref (read);
        g_autoptr(AccArray) result = acc_array_zip_with (smooth, other, flow_mix, NULL);
        g_autoptr(GError) error = NULL;

        source->fail_row = end == END_SOURCE ? 150 : -1;
        sink->fail_row = end == END_SINK ? 150 : -1;
        if (end == END_CANCEL)
          {
            source->cancels = cancellable;
            source->cancel_row = 150;
          }

        g_assert_false (acc_evaluate_write_with_chunk_rows (c->backend, result, ACC_SINK (sink), heights[h], NULL, cancellable, &error));
        source->cancels = NULL;
        g_test_message ("%s", error->message);
        if (end == END_CANCEL)
          g_assert_error (error, G_IO_ERROR, G_IO_ERROR_CANCELLED);
        else if (end == END_INDEX)
          g_assert_error (error, ACC_ERROR, ACC_ERROR_BOUNDS);
        else if (end == END_DIVISION)
          g_assert_error (error, ACC_ERROR, ACC_ERROR_ARITHMETIC);
        else
          g_assert_error (error, ACC_ERROR, ACC_ERROR_IO);
        test_sink_assert_ended (sink, FALSE);
        g_assert_cmpint (source->n_started, ==, source->n_finished);
        assert_nothing_held (c->backend, before);
      }
}

/* Rows of floats that do not fit are scanned by pieces, which are grouped as in memory, wherever they end. */
static void
test_wide_scan (gconstpointer data)
{
  const Case *c = data;
  AccBudget *budget = acc_backend_get_budget (c->backend);
  guint64 limit = acc_backend_get_memory_limit (c->backend);
  g_autoptr(TestSource) source = test_source_new ("f4", (gint64[]) { 2, 150001 }, 2, 5);
  g_autoptr(AccArray) array = acc_array_new_from_source (ACC_SOURCE (source)), result = acc_array_scanl1 (array, flow_plus, NULL),
    memory = NULL, wanted = NULL, expected = NULL;
  g_autoptr(TestSink) sink = test_sink_new ();
  g_autoptr(GError) error = NULL;

  memory = acc_backend_run (c->backend, array, NULL, &error);
  g_assert_no_error (error);
  wanted = acc_array_scanl1 (memory, flow_plus, NULL);
  expected = acc_backend_run (c->backend, wanted, NULL, &error);
  g_assert_no_error (error);
  g_bytes_unref (acc_array_dup_bytes (expected, 0, &error));
  g_clear_object (&wanted);
  g_clear_object (&memory);
  acc_budget_spare (budget, G_MAXINT64);
  acc_sink_set_takes_elements (ACC_SINK (sink));
  acc_backend_set_memory_limit (c->backend, acc_budget_get_used (budget) + 600000);
  acc_backend_write (c->backend, result, ACC_SINK (sink), NULL, &error);
  acc_backend_set_memory_limit (c->backend, limit);
  g_assert_no_error (error);
  test_sink_assert_same (sink, expected);
}

/* Twenty times as much data as memory, with all that a pipeline has: neighbourhoods, folds, several results. */
static void
test_twentieth (gconstpointer data)
{
  const Case *c = data;
  AccBudget *budget = acc_backend_get_budget (c->backend);
  guint64 limit = acc_backend_get_memory_limit (c->backend);
  gint64 size[2] = { 4000, N_COLUMNS };
  guint64 bytes = 4000 * N_COLUMNS * 4 / 20;
  g_autoptr(TestSource) source = test_source_new ("i4", size, 2, 5);
  g_autoptr(AccArray) array = acc_array_new_from_source (ACC_SOURCE (source));
  g_autoptr(AccArray) memory = NULL;
  g_autoptr(AccArray) sum = NULL;
  g_autoptr(AccArray) result = NULL;
  g_autoptr(AccPlan) plan = NULL;
  g_autoptr(TestSink) sink = test_sink_new ();
  g_autoptr(GPtrArray) whole = NULL;
  g_autoptr(GError) error = NULL;
  AccArray *streamed[2] = { NULL, }, *expected[2] = { NULL, };

  memory = acc_backend_run (c->backend, array, NULL, &error);
  g_assert_no_error (error);
  build_clamp (&memory, expected);
  build_clamp (&array, streamed);
  expected[1] = acc_array_fold_all (expected[0], acc_expr_new_typed_int (scalar_type (ACC_KIND_I32), 0), flow_plus, NULL);
  streamed[1] = acc_array_fold_all (streamed[0], acc_expr_new_typed_int (scalar_type (ACC_KIND_I32), 0), flow_plus, NULL);
  whole = run_whole (c->backend, expected, 2);
  for (guint i = 0; i < 2; i++)
    {
      g_autoptr(GBytes) fetched = acc_array_dup_bytes (g_ptr_array_index (whole, i), 0, &error);

      g_assert_no_error (error);
    }
  g_clear_object (&memory);
  clear_arrays (expected, 2);
  acc_budget_spare (budget, G_MAXINT64);

  bytes += acc_budget_get_used (budget);
  acc_backend_set_memory_limit (c->backend, bytes);
  acc_budget_reset_high_water (budget);
  plan = acc_backend_plan (c->backend, streamed[0], ACC_SINK (sink), 0, &error);
  g_assert_no_error (error);
  g_assert_cmpuint (acc_plan_get_bytes (plan), <=, bytes);
  acc_backend_write (c->backend, streamed[0], ACC_SINK (sink), NULL, &error);
  g_assert_no_error (error);
  assert_same_rows (sink, g_ptr_array_index (whole, 0), "a twentieth");
  sum = acc_backend_run (c->backend, streamed[1], NULL, &error);
  g_assert_no_error (error);
  assert_same (sum, g_ptr_array_index (whole, 1), "sum");
  g_assert_cmpuint (acc_budget_get_high_water (budget), <=, bytes);

  acc_backend_set_memory_limit (c->backend, limit);
  clear_arrays (streamed, 2);
}

/* A device without room for an array in memory has its rows pass through. */
static void
test_from_memory (gconstpointer data)
{
  const Case *c = data;
  AccBudget *budget = acc_backend_get_budget (c->backend);
  guint64 limit = acc_backend_get_memory_limit (c->backend), bytes = 4000 * N_COLUMNS * 4 / 8;
  g_autoptr(TestSource) source = test_source_new ("i4", (gint64[]) { 4000, N_COLUMNS }, 2, 5);
  g_autoptr(AccArray) array = acc_array_new_from_source (ACC_SOURCE (source));
  g_autoptr(AccBackend) judge = acc_backend_new_for_name ("interpreter", NULL);
  g_autoptr(AccArray) memory = acc_backend_run (judge, array, NULL, NULL);
  g_autoptr(AccArray) sum = NULL;
  g_autoptr(GPtrArray) expected = NULL;
  g_autoptr(GPtrArray) results = NULL;
  g_autoptr(TestSink) sink = test_sink_new ();
  g_autoptr(GError) error = NULL;
  AccArray *arrays[MAX_RESULTS] = { NULL, };

  build_fan (&memory, arrays);
  arrays[1] = acc_array_fold_all (arrays[0], acc_expr_new_typed_int (scalar_type (ACC_KIND_I32), 0), flow_plus, NULL);
  expected = acc_backend_run_many (judge, arrays, 2, NULL, &error);
  g_assert_no_error (error);

  acc_budget_spare (budget, G_MAXINT64);
  bytes += acc_budget_get_used (budget);
  acc_backend_set_memory_limit (c->backend, bytes);
  acc_budget_reset_high_water (budget);
  results = acc_backend_run_many (c->backend, arrays, 2, NULL, &error);
  if (g_error_matches (error, ACC_ERROR, ACC_ERROR_OUT_OF_MEMORY) && !is_device (c->backend))
    g_clear_error (&error);
  else
    {
      g_assert_no_error (error);
      for (guint i = 0; i < 2; i++)
        assert_same (g_ptr_array_index (results, i), g_ptr_array_index (expected, i), "from memory");
      acc_backend_write (c->backend, arrays[0], ACC_SINK (sink), NULL, &error);
      g_assert_no_error (error);
      assert_same_rows (sink, g_ptr_array_index (expected, 0), "from memory");
      if (is_device (c->backend))
        g_assert_cmpuint (acc_budget_get_high_water (budget), <=, bytes);
    }

  acc_backend_set_memory_limit (c->backend, limit);
  clear_arrays (arrays, MAX_RESULTS);
}

static void
test_report (gconstpointer data)
{
  const Case *c = data;
  g_autoptr(TestSource) source = test_source_new ("i4", (gint64[]) { 300, 50 }, 2, 5);
  g_autoptr(AccArray) array = acc_array_new_from_source (ACC_SOURCE (source));
  g_autoptr(AccJob) job = NULL;
  g_autoptr(TestSink) sink = test_sink_new ();
  g_autoptr(GError) error = NULL;
  g_autofree char *report = NULL;
  g_autofree char *plan = NULL;
  AccArray *results[MAX_RESULTS] = { NULL, };

  build_clamp (&array, results);
  job = acc_backend_start_write (c->backend, results[0], ACC_SINK (sink), NULL);
  acc_job_wait (job, &error);
  g_assert_no_error (error);
  report = acc_job_dup_report (job);
  plan = acc_plan_to_string (acc_job_get_plan (job));
  g_test_message ("%s%s", plan, report);
  g_assert_nonnull (strstr (report, "computing"));
  clear_arrays (results, MAX_RESULTS);
}

static AccBackend *
open_backend (const char *name, GError **error)
{
#ifdef ACC_TEST_FAKE_DEVICE
  GType type = acc_device_backend_register ("AccFakeDevice", "fake", fake_device_open, fake_device_list);

  fake.max_delay = 40;
  return ACC_BACKEND (g_initable_new (type, NULL, error, NULL));
#else
  return acc_backend_new_for_name (name, error);
#endif
}

static void
add_backend (const char *name, gboolean needed)
{
  g_autoptr(GError) error = NULL;
  AccBackend *backend = open_backend (name, &error);

  if (backend == NULL && needed && g_getenv ("ACC_TEST_OPTIONAL") == NULL)
    g_error ("%s", error->message);
  if (backend == NULL)
    {
      g_test_message ("%s", error->message);
      return;
    }

  for (guint i = 0; i < G_N_ELEMENTS (programs); i++)
    {
      g_autofree char *path = g_strdup_printf ("/stream/%s/%s", name, programs[i].name);
      Case *c = g_new (Case, 1);

      *c = (Case) { backend, &programs[i] };
      g_test_add_data_func_full (path, c, test_program, g_free);
    }

  {
    static const struct { const char *name; GTestDataFunc func; } others[] = {
      { "reservations", test_reservations }, { "flow-memory", test_flow_memory }, { "refusals", test_refusals },
#ifndef ACC_TEST_FAKE_DEVICE
      { "limit", test_limit }, { "bands", test_bands }, { "in-less", test_in_less },
#endif
      { "ends", test_ends }, { "twentieth", test_twentieth }, { "from-memory", test_from_memory },
      { "report", test_report }, { "wide-scan", test_wide_scan },
    };

    for (guint i = 0; i < G_N_ELEMENTS (others); i++)
      {
        g_autofree char *path = g_strdup_printf ("/stream/%s/%s", name, others[i].name);
        Case *c = g_new (Case, 1);

        *c = (Case) { backend, NULL };
        g_test_add_data_func_full (path, c, others[i].func, g_free);
      }
  }
}

int
main (int argc, char **argv)
{
  const char *named = g_getenv ("ACC_TEST_BACKENDS");

  g_test_init (&argc, &argv, NULL);
  if (named != NULL && *named != '\0')
    {
      g_auto(GStrv) names = g_strsplit (named, ",", -1);

      for (guint i = 0; names[i] != NULL; i++)
        add_backend (names[i], TRUE);
    }
  else
    {
      add_backend ("interpreter", FALSE);
      add_backend ("native", FALSE);
    }

  return g_test_run ();
}
