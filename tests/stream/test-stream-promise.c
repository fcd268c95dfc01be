/* SPDX-License-Identifier: LGPL-2.1-or-later */

/* What a plan says is what a run does, for random formats, programs and memory limits: a run has the chunks and bytes of the plan that was
 * made before it, takes no more, and fails only where the plan did. Plans keep within random limits, too. ACC_TEST_BACKENDS names the
 * backends, ACC_TEST_CASES how many cases there are; --seed chooses them. */

#include "stream-files.h"

#include "acc-core/backend/acc-backend-private.h"

#include <math.h>
#include <string.h>

/* For each case that runs. */
#define N_PLANS 32

static guint n_plans;

typedef enum { RAW, NPY, PNG, OWN, N_FORMATS } Format;
typedef enum { MAP, WIDEN, STENCIL, CHAIN, SCAN, FOLD, FOLD_ALL, CENTRED, PAIR, SEVERAL, N_PROGRAMS } Program;

static const char *const format_names[] = { "raw", "npy", "png", "own" };
static const char *const program_names[] = { "map", "widen", "stencil", "chain", "scan", "fold", "fold-all", "centred", "pair", "several" };

static AccElementType *
scalar_type (AccElementKind kind)
{
  return acc_element_type_new (kind);
}

static AccExpr *
increase (AccExpr *x, gpointer data)
{
  return acc_element_type_get_kind (acc_expr_get_element_type (x)) == ACC_KIND_BOOL ? acc_expr_lnot (x)
         : acc_expr_add (x, acc_expr_cast (acc_expr_new_int (1), acc_expr_get_element_type (x)));
}

static AccExpr *
widen (AccExpr *x, gpointer data)
{
  return acc_expr_cast (x, scalar_type (ACC_KIND_I64));
}

static AccExpr *
pair (AccExpr *x, gpointer data)
{
  return acc_expr_tuple2 (x, acc_expr_cast (x, scalar_type (ACC_KIND_F32)));
}

static AccExpr *
add_vertically (AccExpr *n, gpointer data)
{
  guint rank = GPOINTER_TO_UINT (data) & 3;
  gint64 radius = GPOINTER_TO_UINT (data) >> 2;
  AccExpr *sum = NULL;

  for (gint64 dy = -radius; dy <= radius; dy += radius)
    {
      AccExpr *x = rank == 2 ? acc_expr_neighbour2 (n, dy, 0) : acc_expr_neighbour3 (n, dy, 0, 0);

      if (acc_element_type_get_kind (acc_expr_get_element_type (x)) == ACC_KIND_BOOL)
        sum = sum == NULL ? x : acc_expr_lor (sum, x);
      else
        sum = sum == NULL ? x : acc_expr_add (sum, x);
    }

  return sum;
}

static AccExpr *
plus (AccExpr *x, AccExpr *y, gpointer data)
{
  return acc_expr_add (x, y);
}

static AccExpr *
minus_the (AccExpr *x, gpointer data)
{
  return acc_expr_sub (widen (x, NULL), acc_expr_the (data));
}

static AccArray *
blur (AccArray *array, gint64 radius)
{
  guint rank = acc_array_get_rank (array);
  gint64 sizes[3] = { 2 * radius + 1, 1, 1 };
  g_autoptr(AccBoundary) boundary = acc_boundary_new (ACC_BOUNDARY_CLAMP);

  return acc_array_stencil (array, sizes, rank, boundary, add_vertically, GUINT_TO_POINTER (rank | (guint) radius << 2));
}

static AccArray *
build (Program program, AccArray *source, GRand *rand)
{
  g_autoptr(AccArray) wide = acc_array_map (source, widen, NULL);
  g_autoptr(AccArray) first = NULL;

  switch (program)
    {
    case MAP:
      return acc_array_map (source, increase, NULL);
    case STENCIL:
      return blur (source, g_rand_int_range (rand, 1, 9));
    case CHAIN:
      first = blur (source, g_rand_int_range (rand, 1, 5));
      return blur (first, g_rand_int_range (rand, 1, 5));
    case SCAN:
      return acc_array_scanl1 (wide, plus, NULL);
    case FOLD:
      return acc_array_fold1 (wide, plus, NULL);
    case FOLD_ALL:
      return acc_array_fold_all (wide, acc_expr_new_int (0), plus, NULL);
    case CENTRED:
      first = acc_array_fold_all (wide, acc_expr_new_int (0), plus, NULL);
      return acc_array_map (source, minus_the, first);
    case PAIR:
      return acc_array_map (source, pair, NULL);
    case WIDEN:
    case SEVERAL:
    case N_PROGRAMS:
    default:
      return g_steal_pointer (&wide);
    }
}

/* --- files in memory */

static GBytes *
encode (AccBackend *backend, const char *code, AccShape *shape, Format format)
{
  guint rank;
  const gint64 *extents = acc_shape_get_extents (shape, &rank);
  g_autoptr(TestSource) source = test_source_new (code, extents, rank, 3);
  g_autoptr(AccArray) array = acc_array_new_from_source (ACC_SOURCE (source));

  return test_file_new (backend, array, format_names[format]);
}

static AccSource *
open_source (Format format, const char *code, AccShape *shape, GBytes *bytes, guint64 resident)
{
  g_autoptr(AccElementType) type = acc_element_type_parse (code, NULL);
  AccSource *source;
  guint rank;
  const gint64 *extents = acc_shape_get_extents (shape, &rank);

  if (format != OWN)
    return test_file_open (bytes, format_names[format], type, shape);

  source = ACC_SOURCE (test_source_new (code, extents, rank, 3));
  TEST_SOURCE (source)->resident = resident;

  return source;
}

static AccSink *
open_sink (Format format, guint64 resident)
{
  g_autoptr(GOutputStream) stream = g_memory_output_stream_new_resizable ();
  g_autoptr(GError) error = NULL;
  AccSink *sink;

  if (format == OWN)
    {
      sink = ACC_SINK (test_sink_new ());
      TEST_SINK (sink)->resident = resident;
      return sink;
    }

  sink = acc_sink_new_for_stream (stream, format_names[format], &error);
  g_assert_no_error (error);

  return sink;
}

static gboolean
fits_png (AccArray *array)
{
  AccElementKind kind = acc_element_type_get_kind (acc_array_get_element_type (array));
  guint rank = acc_array_get_rank (array);

  return rank >= 2 && (kind == ACC_KIND_U8 || kind == ACC_KIND_U16 || (kind == ACC_KIND_BOOL && rank == 2));
}

/* --- one case */

typedef struct {
  Format      from, to;
  Program     program;
  const char *code;
  AccShape   *shape;
  guint64     limit, source_resident, sink_resident;
} Case;

static void
choose (Case *c, GRand *rand)
{
  static const char *const codes[] = { "u1", "u2", "i4", "f4", "b1" };
  gint64 extents[3];
  gboolean deep;

  c->from = g_rand_int_range (rand, 0, N_FORMATS);
  c->to = g_rand_int_range (rand, 0, N_FORMATS);
  c->program = g_rand_int_range (rand, 0, N_PROGRAMS);
  c->code = codes[g_rand_int_range (rand, 0, G_N_ELEMENTS (codes))];
  if (c->from == PNG && (strcmp (c->code, "i4") == 0 || strcmp (c->code, "f4") == 0))
    c->code = "u1";
  deep = g_rand_boolean (rand) && strcmp (c->code, "b1") != 0;
  extents[0] = g_rand_int_range (rand, 1, 1200);
  extents[1] = g_rand_int_range (rand, 1, 1200);
  extents[2] = g_rand_int_range (rand, 2, 5);
  c->shape = acc_shape_new (extents, deep ? 3 : 2);
  c->limit = (guint64) (128 * 1024 * exp2 (g_rand_double_range (rand, 0, 6)));
  c->source_resident = g_rand_boolean (rand) ? g_rand_int_range (rand, 1, 300000) : 0;
  c->sink_resident = g_rand_boolean (rand) ? g_rand_int_range (rand, 1, 300000) : 0;
}

/* Several results go into memory together: for them there is no plan to ask for, but the limit. */
static void
run_several (AccBackend *backend, AccArray *array)
{
  g_autoptr(AccArray) sum = acc_array_fold_all (array, acc_expr_new_int (0), plus, NULL), blurred = blur (array, 2);
  g_autoptr(GError) error = NULL;
  g_autoptr(GPtrArray) results = acc_backend_run_many (backend, (AccArray *[]) { array, sum, blurred }, 3, NULL, &error);

  if (results == NULL)
    g_assert_error (error, ACC_ERROR, ACC_ERROR_OUT_OF_MEMORY);
}

static void
write_as_planned (AccBackend *backend, AccArray *array, AccSink *sink, gboolean is_fresh, const char *what)
{
  g_autoptr(GError) refused = NULL, error = NULL;
  AccBudget *budget = acc_backend_get_budget (backend);
  g_autoptr(AccPlan) plan = acc_backend_plan (backend, array, sink, 0, &refused);
  g_autoptr(AccJob) job = NULL;
  g_autofree char *text = NULL;
  AccPlan *made;
  guint64 before;

  /* What others left idle is no part of it. */
  if (is_fresh)
    acc_budget_spare (budget, G_MAXUINT64);
  acc_budget_reset_high_water (budget);
  before = acc_budget_get_used (budget);
  job = acc_backend_start_write (backend, array, sink, NULL);
  acc_job_wait (job, &error);
  if (plan == NULL)
    {
      g_assert_error (refused, ACC_ERROR, ACC_ERROR_OUT_OF_MEMORY);
      if (error == NULL)
        g_error ("%s: the plan is refused (%s), the run is not", what, refused->message);
      return;
    }

  text = acc_plan_to_string (plan);
  if (strstr (text, "\nstage 1 ") != NULL)
    is_fresh = FALSE;

  made = acc_job_get_plan (job);
  if (error != NULL)
    g_error ("%s: planned %" G_GUINT64_FORMAT " bytes, then: %s", what, acc_plan_get_bytes (plan), error->message);
  if (acc_plan_get_chunk_rows (made) != acc_plan_get_chunk_rows (plan) || acc_plan_get_n_chunks (made) != acc_plan_get_n_chunks (plan)
      || acc_plan_get_bytes (made) != acc_plan_get_bytes (plan) || acc_plan_get_n_input_slots (made) != acc_plan_get_n_input_slots (plan)
      || acc_plan_get_n_output_slots (made) != acc_plan_get_n_output_slots (plan))
    {
      g_autofree char *first = acc_plan_to_string (plan), *second = acc_plan_to_string (made);

      g_error ("%s: planned\n%s\nbut run\n%s", what, first, second);
    }
  g_assert_cmpuint (acc_job_get_chunks_done (job), ==, acc_plan_get_n_chunks (plan));
  g_assert_cmpuint (acc_budget_get_high_water (budget), <=, MAX (acc_budget_get_limit (budget), before));
  if (is_fresh)
    g_assert_cmpuint (acc_budget_get_high_water (budget) - before, <=, acc_plan_get_bytes (plan));
}

/* No plan is for more than the limit that it is made for, nor is one refused within what another one takes. */
static void
check_plans (AccBackend *backend, AccArray *array, AccSink *sink, GRand *rand, const char *what)
{
  guint64 enough = G_MAXUINT64;

  for (guint i = 0; i < N_PLANS; i++)
    {
      guint64 limit = (guint64) exp2 (g_rand_double_range (rand, 10, 25)), used, bytes;
      g_autoptr(GError) error = NULL;
      g_autoptr(AccPlan) plan = NULL;

      acc_backend_set_memory_limit (backend, limit);
      acc_budget_spare (acc_backend_get_budget (backend), G_MAXUINT64);
      used = acc_budget_get_used (acc_backend_get_budget (backend));
      plan = acc_backend_plan (backend, array, sink, 0, &error);
      n_plans++;
      if (plan == NULL)
        {
          g_assert_error (error, ACC_ERROR, ACC_ERROR_OUT_OF_MEMORY);
          if (limit >= enough)
            g_error ("%s: refused within %" G_GUINT64_FORMAT ", not within %" G_GUINT64_FORMAT ": %s", what, limit, enough, error->message);
          continue;
        }
      bytes = acc_plan_get_bytes (plan);
      if (bytes + used > MAX (limit, used))
        g_error ("%s: a plan for %" G_GUINT64_FORMAT " bytes within %" G_GUINT64_FORMAT ", of which %" G_GUINT64_FORMAT " are used", what,
                 bytes, limit, used);
      enough = MIN (enough, limit);
    }
}

static void
run_case (AccBackend *backend, AccBackend *free_backend, GRand *rand)
{
  Case c = { 0 };
  g_autofree char *what = NULL, *extents = NULL;
  g_autoptr(GBytes) bytes = NULL;
  g_autoptr(AccSource) source = NULL;
  g_autoptr(AccSink) sink = NULL;
  g_autoptr(AccArray) read = NULL, array = NULL;

  choose (&c, rand);
  bytes = c.from != OWN ? encode (free_backend, c.code, c.shape, c.from) : NULL;
  source = open_source (c.from, c.code, c.shape, bytes, c.source_resident);
  read = acc_array_new_from_source (source);
  array = build (c.program, read, rand);
  if (c.to == PNG && !fits_png (array))
    c.to = NPY;
  sink = open_sink (c.to, c.sink_resident);
  extents = acc_shape_to_string (c.shape);
  what = g_strdup_printf ("%s %s of %s, %s to %s, limit %" G_GUINT64_FORMAT, program_names[c.program], extents, c.code,
                          format_names[c.from], format_names[c.to], c.limit);
  g_test_message ("%s", what);

  if (c.program != SEVERAL)
    check_plans (backend, array, sink, rand, what);
  acc_backend_set_memory_limit (backend, c.limit);
  if (c.program == SEVERAL)
    run_several (backend, array);
  else
    write_as_planned (backend, array, sink, g_rand_boolean (rand), what);
  acc_shape_unref (c.shape);
}

/* On a backend that has run others before, whose memory lies idle, and on a fresh one. */
static void
test_promise (gconstpointer name)
{
  const char *text = g_getenv ("ACC_TEST_CASES");
  guint n = text != NULL && *text != '\0' ? (guint) g_ascii_strtoull (text, NULL, 10) : 60;
  g_autoptr(GError) error = NULL;
  g_autoptr(AccBackend) free_backend = acc_backend_new_for_name ("interpreter", &error), used = NULL;

  g_assert_no_error (error);
  for (guint i = 0; i < n; i++)
    {
      /* The first one is a picture whose rows fit beside its sink once they are stored only. */
      guint32 seed = i == 0 ? 704456847 : (guint32) g_test_rand_int ();
      GRand *rand = g_rand_new_with_seed (seed);

      g_test_message ("case %u, seed %u", i, seed);
      if (used == NULL || i % 8 == 0)
        {
          g_clear_object (&used);
          used = acc_backend_new_for_name (name, &error);
          g_assert_no_error (error);
        }
      run_case (used, free_backend, rand);
      g_rand_free (rand);
    }
  g_test_message ("%u plans, %u runs", n_plans, n);
}

/* --- what has algorithms of its own */

static AccExpr *element (AccExpr *x, gpointer data) { return acc_expr_tuple2 (acc_expr_fdiv (x, acc_expr_new_float (3)), x); }

/* Does not commute. */
static AccExpr *
compose (AccExpr *x, AccExpr *y, gpointer data)
{
  g_autoptr(AccExpr) a = acc_expr_ref_sink (acc_expr_item (y, 0));

  return acc_expr_tuple2 (acc_expr_mul (acc_expr_item (x, 0), a),
                          acc_expr_add (acc_expr_mul (acc_expr_item (x, 1), a), acc_expr_item (y, 1)));
}

static AccArray *
new_lengths (const gint32 *lengths, gsize n)
{
  g_autoptr(AccShape) shape = acc_shape_new_vector ((gint64) n);
  g_autoptr(GBytes) bytes = g_bytes_new (lengths, n * sizeof *lengths);

  return acc_array_use (scalar_type (ACC_KIND_I32), shape, bytes);
}

static AccArray *
scan_of_segments (AccArray *array)
{
  static const gint32 some[] = { 700, 100, 300, 1500 };
  g_autoptr(AccArray) lengths = new_lengths (some, G_N_ELEMENTS (some)), pairs = acc_array_map (array, element, NULL);

  return acc_array_scanl1_seg (pairs, lengths, compose, NULL);
}

static AccArray *
sums_of_segments (AccArray *array)
{
  static const gint32 some[] = { 600, 1, 1999 };
  g_autoptr(AccArray) lengths = new_lengths (some, G_N_ELEMENTS (some));

  return acc_array_fold1_seg (array, lengths, plus, NULL);
}

static AccArray *
scan_of_long_segment (AccArray *array)
{
  static const gint32 some[] = { 20, 12000, 900 };
  g_autoptr(AccArray) lengths = new_lengths (some, G_N_ELEMENTS (some)), flat = acc_array_flatten (array);

  return acc_array_scanl1_seg (flat, lengths, plus, NULL);
}

static AccArray *
sort (AccArray *array)
{
  g_autoptr(AccArray) flat = acc_array_flatten (array);

  return acc_array_sort (flat, FALSE);
}

static AccArray *turn (AccArray *array) { return acc_array_transpose (array); }
static AccArray *sort_rows (AccArray *array) { return acc_array_sort (array, FALSE); }

static AccExpr *
scrambled (AccExpr *x, gpointer data)
{
  return acc_expr_cast (acc_expr_mod (acc_expr_mul (acc_expr_cast (x, scalar_type (ACC_KIND_I64)), acc_expr_new_int (40503)),
                                      acc_expr_new_int (13000)), scalar_type (ACC_KIND_I64));
}

static AccExpr *
with_key (AccExpr *x, gpointer data)
{
  g_autoptr(AccExpr) key = acc_expr_ref_sink (scrambled (x, NULL));

  return acc_expr_tuple3 (key, x, key);
}

static AccExpr *first_item (AccExpr *x, gpointer data) { return acc_expr_item (x, 0); }

static AccArray *
sort_triples (AccArray *array)
{
  g_autoptr(AccArray) flat = acc_array_flatten (array), triples = acc_array_map (flat, with_key, NULL);

  return acc_array_sort_by_key (triples, FALSE, first_item, NULL);
}

static AccArray *
sums_by_keys (AccArray *array)
{
  g_autoptr(AccShape) shape = acc_shape_new_vector (13000);
  g_autoptr(AccArray) flat = acc_array_flatten (array), keys = acc_array_map (flat, scrambled, NULL),
    zeros = acc_array_fill (shape, acc_expr_new_typed_int (scalar_type (ACC_KIND_I64), 0));

  return acc_array_permute (keys, zeros, keys, plus, NULL);
}

static AccArray *
gather (AccArray *array)
{
  g_autoptr(AccArray) flat = acc_array_flatten (array), places = acc_array_map (flat, scrambled, NULL);

  return acc_array_gather (flat, places);
}

static AccArray *
product (AccArray *array)
{
  g_autoptr(AccArray) whole = acc_array_cast (array, scalar_type (ACC_KIND_I32)), turned = acc_array_transpose (whole),
    product = acc_array_matmul (whole, turned);

  return acc_array_flatten (product);
}

static const struct {
  const char *name;
  AccArray *(*build) (AccArray *array);
} algorithms[] = {
  { "scan of segments of rows", scan_of_segments }, { "sums of segments of rows", sums_of_segments },
  { "scan of a long segment", scan_of_long_segment }, { "sort", sort }, { "transpose", turn }, { "sort of rows", sort_rows },
  { "sort of triples", sort_triples }, { "sums by keys", sums_by_keys }, { "product", product }, { "gather", gather },
};

/* Whether a plan has room for all that it knows, and knows all. */
static gboolean
has_room (AccBackend *backend, AccArray *array)
{
  g_autoptr(GError) error = NULL;
  g_autoptr(AccPlan) plan = acc_backend_plan (backend, array, NULL, 0, &error);
  g_autofree char *text = plan != NULL ? acc_plan_to_string (plan) : NULL;

  if (plan == NULL)
    g_assert_error (error, ACC_ERROR, ACC_ERROR_OUT_OF_MEMORY);

  return plan != NULL && strstr (text, "it may need more memory") == NULL;
}

/* What a plan has room for runs, and so does what did within less memory. It leaves the bits of a run without a limit. */
static void
test_algorithms (gconstpointer name)
{
  static const gint64 extents[] = { 5, 2600 };
  g_autoptr(GError) error = NULL;
  g_autoptr(AccBackend) backend = acc_backend_new_for_name (name, &error);
  AccBudget *budget = acc_backend_get_budget (backend);
  g_autoptr(TestSource) source = test_source_new ("f4", extents, 2, 1);
  g_autoptr(AccArray) array = acc_array_new_from_source (ACC_SOURCE (source)), memory = acc_backend_run (backend, array, NULL, &error);

  g_assert_no_error (error);
  for (guint i = 0; i < G_N_ELEMENTS (algorithms); i++)
    {
      g_autoptr(AccArray) built = algorithms[i].build (array), of_memory = algorithms[i].build (memory),
        expected = acc_backend_run (backend, of_memory, NULL, &error);
      guint n = 0;

      g_assert_no_error (error);
      for (guint64 limit = 30000; limit < 400000; limit += limit / 5)
        {
          g_autoptr(TestSink) sink = test_sink_new ();
          gboolean is_promised;

          acc_budget_spare (budget, G_MAXUINT64);
          acc_backend_set_memory_limit (backend, acc_budget_get_used (budget) + limit);
          is_promised = has_room (backend, built) || n > 0;
          if (acc_backend_write (backend, built, ACC_SINK (sink), NULL, &error))
            test_sink_assert_same (sink, expected), n++;
          else if (is_promised)
            g_error ("%s within %" G_GUINT64_FORMAT " bytes: %s", algorithms[i].name, limit, error->message);
          else
            g_assert_error (error, ACC_ERROR, ACC_ERROR_OUT_OF_MEMORY);
          g_clear_error (&error);
        }
      g_test_message ("%s: %u runs", algorithms[i].name, n);
      g_assert_cmpuint (n, >, 4);
      acc_backend_set_memory_limit (backend, 0);
    }
}

static void
add_backend (const char *name, AccBackend *backend)
{
  g_autofree char *path = g_strdup_printf ("/stream-promise/%s", name),
    *of_algorithms = g_strdup_printf ("/stream-promise/algorithms/%s", name);

  g_test_add_data_func (path, name, test_promise);
  g_test_add_data_func (of_algorithms, name, test_algorithms);
}

int
main (int argc, char **argv)
{
  g_test_init (&argc, &argv, NULL);
  test_add_backends ("native", add_backend);

  return g_test_run ();
}
