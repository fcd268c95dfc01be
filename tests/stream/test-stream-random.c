/* SPDX-License-Identifier: LGPL-2.1-or-later */

/* Random programs over files, pictures and pipes, of all operations: within a quarter and a twentieth of their data, and within the least
 * that they ask for, they give the elements of the run in memory, take no more, and read pipes once. Where a reservation fails, nothing is
 * left. What is refused says what it needs and what it may have, and runs with that. Every case has a seed of its own: ACC_TEST_SEED=that
 * ACC_TEST_CASES=1 runs it again. With ACC_TEST_LONG there are up to ten times as many elements, which take as many chunks of one row where
 * memory is short. */
#include "stream-files.h"

#include "tests/conformance/conf-random.h"
#include "tests/run-watched.h"

#include "acc-core/backend/acc-backend-private.h"
#include "acc-core/data/acc-budget-private.h"
#include "acc-core/data/acc-source-private.h"

#include <stdlib.h>
#include <string.h>

#define MOST_RESULTS 3
#define MOST_MEMORY  (G_GUINT64_CONSTANT (96) << 20)   /* of runs in memory; what takes more is no case */
#define MOST_SECONDS 20
#define MOST_REFUSALS 200

typedef struct {
  const char *backend;
  guint       n_cases, n_quarter, n_twentieth, n_least, n_left_out, n_failing, n_refusals;
} Tally;

typedef struct {
  AccBackend *backend;
  guint32     seed;
  AccArray   *arrays[MOST_RESULTS];
  guint       n;
  GPtrArray  *expected;
  GPtrArray  *pipes;      /* sources that a run may read once */
} Case;

/* The test goes on with the next case. */
static void G_GNUC_PRINTF (2, 3)
complain (guint32 seed, const char *format, ...)
{
  g_autofree char *text = NULL;
  va_list arguments;

  va_start (arguments, format);
  text = g_strdup_vprintf (format, arguments);
  va_end (arguments);
  g_test_message ("not right, seed %u: %s", seed, text);
  g_test_fail ();
}

/* --- data */

static AccArray *
random_values (ConfRandom *c)
{
  guint rank = 1 + conf_pick (c, 3);
  gint64 extents[3] = { 1, 1, 1 };
  AccElementType *type = conf_any_item (c);
  static const gint most[2][3][3] = { { { 20000 }, { 100, 100 }, { 100, 20, 20 } }, { { 200000 }, { 900, 300 }, { 400, 20, 20 } } };
  gboolean is_long = g_getenv ("ACC_TEST_LONG") != NULL;

  for (guint i = 0; i < rank; i++)
    extents[i] = (rank > 1) + conf_pick (c, most[is_long][rank - 1][i]);
  if (conf_pick (c, 20) == 0)
    extents[conf_pick (c, (gint) rank)] = conf_pick (c, 2);
  if (conf_pick (c, 4) == 0)
    type = acc_element_type_new_tuple ((AccElementType *[]) { conf_any_item (c), type }, 2);

  return conf_array (type, extents, rank, c->rand, CONF_FULL);
}

static guint64
count_bytes (AccArray *array)
{
  return (guint64) acc_shape_get_size (acc_array_get_shape (array)) * acc_element_type_get_size (acc_array_get_element_type (array));
}

static gboolean
is_picture (AccArray *values)
{
  AccElementKind kind = acc_element_type_get_kind (acc_array_get_element_type (values));
  guint rank;
  const gint64 *extents = acc_shape_get_extents (acc_array_get_shape (values), &rank);

  return count_bytes (values) > 0 && (kind == ACC_KIND_U8 || kind == ACC_KIND_U16)
         && (rank == 2 || (rank == 3 && extents[2] >= 2 && extents[2] <= 4));
}

/* A file of any format that takes it, or rows from elsewhere, which may be there once only. */
static AccArray *
open_as_file (AccArray *values, ConfRandom *c, GPtrArray *pipes)
{
  AccElementType *type = acc_array_get_element_type (values);
  guint which = (guint) conf_pick (c, 4);
  gboolean wants_picture = conf_pick (c, 3) > 0;
  g_autoptr(AccSource) source = NULL;

  if (which > 1 && acc_element_type_is_scalar (type))
    {
      const char *format = is_picture (values) && wants_picture ? "png" : which == 2 ? "raw" : "npy";
      g_autoptr(GBytes) bytes = test_file_new (conf_interpreter (), values, format);

      source = test_file_open (bytes, format, type, acc_array_get_shape (values));
    }
  else
    source = ACC_SOURCE (test_source_new_for_array (values));
  if (which == 1)
    {
      acc_source_set_once (source, TRUE);
      g_ptr_array_add (pipes, g_object_ref (source));
    }

  return acc_array_new_from_source (source);
}

/* --- programs */

static gboolean
is_moderate (AccArray *node, gint64 most)
{
  return acc_array_get_rank (node) <= 4 && acc_element_type_get_n_leaves (acc_array_get_element_type (node)) <= 12
         && acc_array_get_shape (node) != NULL && acc_shape_get_size (acc_array_get_shape (node)) <= most;
}

static guint
build_graph (AccArray **arrays, guint n, guint32 seed, AccArray **results)
{
  ConfRandom c = { .rand = g_rand_new_with_seed (seed), .pool = g_ptr_array_new_with_free_func (g_object_unref) };
  gint64 most = 20000;
  guint n_results;

  for (guint i = 0; i < n; i++)
    {
      g_ptr_array_add (c.pool, g_object_ref (arrays[i]));
      most += 2 * acc_shape_get_size (acc_array_get_shape (arrays[i]));
    }
  for (gint i = 1 + conf_pick (&c, 6); i > 0; i--)
    {
      g_autoptr(AccArray) node = conf_random_node (&c);

      if (acc_array_check (node, NULL) && is_moderate (node, most))
        g_ptr_array_add (c.pool, g_steal_pointer (&node));
    }

  n_results = 1 + (conf_pick (&c, 4) == 0 ? (guint) conf_pick (&c, MOST_RESULTS) : 0);
  for (guint i = 0; i < n_results; i++)
    results[i] = g_object_ref (i == 0 ? g_ptr_array_index (c.pool, c.pool->len - 1) : conf_any (&c));
  g_ptr_array_unref (c.pool);
  g_rand_free (c.rand);

  return n_results;
}

static guint
build (AccArray **arrays, guint n, guint32 seed, AccArray **results)
{
  if (seed % 2 == 0)
    return build_graph (arrays, n, seed, results);

  results[0] = conf_random_function (arrays, n, seed, seed / 2 % conf_n_steps ());

  return 1;
}

/* --- runs */

/* In memory, where that is not too much of it, nor of time. */
static GPtrArray *
run_in_memory (AccBackend *backend, AccArray **arrays, guint n, GError **error)
{
  Watch self = { 0 };
  GPtrArray *results;

  watch_begin (&self, MOST_SECONDS);
  acc_backend_set_memory_limit (backend, MOST_MEMORY);
  results = acc_backend_run_many (backend, arrays, n, self.cancellable, error);
  acc_backend_set_memory_limit (backend, 0);
  watch_end (&self);

  return results;
}

static void
assert_elements (guint32 seed, TestSink *sink, AccArray *expected)
{
  g_autoptr(GPtrArray) buffers = g_ptr_array_new_with_free_func ((GDestroyNotify) g_bytes_unref);
  g_autoptr(AccArray) got = NULL;
  g_autofree char *difference = NULL;

  for (guint i = 0; i < sink->n_buffers; i++)
    g_ptr_array_add (buffers, g_bytes_new (sink->buffers[i]->data, sink->buffers[i]->len));
  got = acc_array_use_buffers (sink->type, sink->shape, (GBytes **) buffers->pdata, buffers->len);
  difference = conf_compare (expected, got, CONF_EXACT);
  if (difference != NULL)
    complain (seed, "%s", difference);
}

/* The two largest numbers of a message. */
static void
find_numbers (const char *message, guint64 *most, guint64 *second)
{
  *most = *second = 0;
  while (*message != '\0')
    if (g_ascii_isdigit (*message))
      {
        char *end;
        guint64 number = g_ascii_strtoull (message, &end, 10);

        if (number > *most)
          {
            *second = *most;
            *most = number;
          }
        else
          *second = MAX (*second, number);
        message = end;
      }
    else
      message++;
}

typedef enum { FITS, REFUSED, BROKEN } Outcome;

/* Or what it needs at least. Reservation @nth is refused, if that is not 0. */
static Outcome
fits (const Case *self, guint64 limit, guint nth, guint64 *needs, guint64 *high)
{
  g_autoptr(GPtrArray) sinks = g_ptr_array_new_with_free_func (g_object_unref);
  AccBudget *budget = acc_backend_get_budget (self->backend);
  g_autoptr(GError) error = NULL;
  guint64 before, second;
  gboolean done;

  for (guint i = 0; i < self->n; i++)
    g_ptr_array_add (sinks, test_sink_new ());
  for (guint i = 0; i < self->pipes->len; i++)
    TEST_SOURCE (g_ptr_array_index (self->pipes, i))->n_started = 0;
  acc_budget_spare (budget, G_MAXINT64);
  before = acc_budget_get_used (budget);
  acc_budget_reset_high_water (budget);
  acc_budget_set_limit (budget, before + limit);
  acc_budget_fail_nth (budget, nth);
  done = acc_backend_write_many (self->backend, (AccArray **) self->arrays, self->n, (AccSink **) sinks->pdata, self->n, NULL, &error);
  acc_budget_fail_nth (budget, 0);
  *high = acc_budget_get_high_water (budget) - before;
  acc_budget_set_limit (budget, 0);
  acc_budget_spare (budget, G_MAXINT64);

  if (acc_budget_get_used (budget) > before || acc_backend_get_temporary_used (self->backend) > 0)
    complain (self->seed, "%" G_GUINT64_FORMAT " bytes are left in memory, %" G_GUINT64_FORMAT " in files",
              acc_budget_get_used (budget) - before, acc_backend_get_temporary_used (self->backend));
  if (*high > limit)
    complain (self->seed, "%" G_GUINT64_FORMAT " bytes used within %" G_GUINT64_FORMAT, *high, limit);
  for (guint i = 0; i < self->pipes->len; i++)
    if (TEST_SOURCE (g_ptr_array_index (self->pipes, i))->n_started > 1)
      complain (self->seed, "within %" G_GUINT64_FORMAT ": a pipe is read %d times", limit,
                TEST_SOURCE (g_ptr_array_index (self->pipes, i))->n_started);
  for (guint i = 0; i < self->n; i++)
    {
      test_sink_assert_ended (g_ptr_array_index (sinks, i), done);
      if (done)
        assert_elements (self->seed, g_ptr_array_index (sinks, i), g_ptr_array_index (self->expected, i));
    }
  if (done)
    return FITS;

  g_test_message ("seed %u within %" G_GUINT64_FORMAT ": %s", self->seed, limit, error->message);
  if (!g_error_matches (error, ACC_ERROR, ACC_ERROR_OUT_OF_MEMORY))
    {
      complain (self->seed, "within %" G_GUINT64_FORMAT ": %s", limit, error->message);
      return BROKEN;
    }
  find_numbers (error->message, needs, &second);
  if (second == 0 && nth == 0)
    complain (self->seed, "within %" G_GUINT64_FORMAT ": no two numbers: %s", limit, error->message);

  return REFUSED;
}

/* What is refused, within what it asks for, and what stages behind it ask for then; the least of it. */
static guint64
find_least (const Case *self, guint64 limit)
{
  guint64 needs = 0, high;

  for (guint i = 0; i < 40; i++)
    {
      if (fits (self, limit, 0, &needs, &high) != REFUSED)
        return limit;
      limit = MAX (limit + limit / 8 + 64, MIN (needs, 4 * MOST_MEMORY));
    }
  complain (self->seed, "does not run within what it asks for, %" G_GUINT64_FORMAT " bytes at last", limit);

  return limit;
}

/* Whatever reservation is refused, what is said is that there is no memory, and nothing is left; now and then it does with less. */
static void
check_refusals (Tally *tally, const Case *self, guint64 limit)
{
  guint64 needs = 0, high;
  guint n_fitting = 0;

  for (guint k = 1; k <= MOST_REFUSALS && n_fitting < 4; k += 1 + k / 16)
    {
      Outcome outcome = fits (self, limit, k, &needs, &high);

      tally->n_refusals += outcome == REFUSED;
      n_fitting += outcome == FITS;
    }
}

static void
check_limits (Tally *tally, const Case *self, guint64 bytes)
{
  guint64 needs = 0, high, least;
  gboolean quarter = fits (self, MAX (bytes / 4, 1), 0, &needs, &high) == FITS,
           twentieth = fits (self, MAX (bytes / 20, 1), 0, &needs, &high) == FITS;

  if (twentieth && !quarter)
    complain (self->seed, "runs within a twentieth of its data, but not within a quarter");
  tally->n_quarter += quarter;
  tally->n_twentieth += twentieth;

  least = find_least (self, 1);
  tally->n_least++;
  if (self->seed % 4 < 2)
    check_refusals (tally, self, least);
  g_test_message ("seed %u: %" G_GUINT64_FORMAT " of %" G_GUINT64_FORMAT " bytes are enough%s%s", self->seed, least, bytes,
                  quarter ? ", a quarter is" : "", twentieth ? ", a twentieth is" : "");
}

static void
run_case (Tally *tally, AccBackend *backend, AccBackend *roomy, guint32 seed)
{
  ConfRandom c = { .rand = g_rand_new_with_seed (seed) };
  AccArray *memory[3], *files[3], *results[MOST_RESULTS];
  guint n = 1 + (guint) conf_pick (&c, 3), n_results;
  g_autoptr(GPtrArray) expected = NULL, pipes = g_ptr_array_new_with_free_func (g_object_unref);
  g_autoptr(GError) error = NULL;
  guint64 bytes = 0;

  for (guint i = 0; i < n; i++)
    {
      memory[i] = random_values (&c);
      files[i] = open_as_file (memory[i], &c, pipes);
      bytes += count_bytes (memory[i]);
    }
  g_rand_free (c.rand);

  n_results = build (memory, n, seed, results);
  expected = run_in_memory (roomy, results, n_results, &error);
  tally->n_cases++;
  if (expected != NULL)
    {
      Case self = { .backend = backend, .seed = seed, .n = n_results, .expected = expected, .pipes = pipes };

      g_assert_cmpuint (build (files, n, seed, self.arrays), ==, n_results);
      if (g_test_verbose ())
        {
          g_autoptr(AccProgram) program = acc_program_new_for_results (self.arrays, n_results);
          g_autofree char *text = acc_program_to_string (program);

          g_test_message ("seed %u: %s", seed, text);
        }
      check_limits (tally, &self, bytes);
      for (guint i = 0; i < n_results; i++)
        g_object_unref (self.arrays[i]);
    }
  else if (g_error_matches (error, ACC_ERROR, ACC_ERROR_OUT_OF_MEMORY) || g_error_matches (error, G_IO_ERROR, G_IO_ERROR_CANCELLED))
    tally->n_left_out++;
  else
    tally->n_failing++;

  for (guint i = 0; i < n_results; i++)
    g_object_unref (results[i]);
  for (guint i = 0; i < n; i++)
    {
      g_object_unref (memory[i]);
      g_object_unref (files[i]);
    }
}

static guint
count_cases (void)
{
  const char *given = g_getenv ("ACC_TEST_CASES");

  return given != NULL && *given != '\0' ? (guint) atoi (given) : 40;
}

static void
test_random (gconstpointer data)
{
  AccBackend *backend = conf_backend (GPOINTER_TO_UINT (data));
  Tally tally = { .backend = acc_backend_get_name (backend) };
  g_autoptr(GError) error = NULL;
  g_autoptr(AccBackend) roomy = acc_backend_new_for_name (tally.backend, &error);

  g_assert_no_error (error);
  for (guint i = 0; i < count_cases (); i++)
    run_case (&tally, backend, roomy, conf_seed () + i);
  g_test_message ("%u programs on %s: %u too large or slow in memory, %u fail there; within a quarter %u run, within a twentieth %u, "
                  "within the least that they ask for %u; %u refused reservations", tally.n_cases, tally.backend, tally.n_left_out,
                  tally.n_failing, tally.n_quarter, tally.n_twentieth, tally.n_least, tally.n_refusals);
  if (tally.n_cases >= 40)
    {
      g_assert_cmpuint (tally.n_left_out + tally.n_failing, <, tally.n_cases / 5);
      /* What files hold is more than a quarter of small ones. */
      g_assert_cmpuint (tally.n_quarter, >, tally.n_cases * 2 / 5);
    }
}

int
main (int argc, char **argv)
{
  conf_init (&argc, &argv);
  for (guint i = 0; i < conf_n_backends (); i++)
    {
      g_autofree char *path = g_strdup_printf ("/stream/random/%s", acc_backend_get_name (conf_backend (i)));

      g_test_add_data_func (path, GUINT_TO_POINTER (i), test_random);
    }

  return conf_run ();
}
