/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "conformance.h"

#include "acc-core/backend/acc-backend-private.h"
#include "tests/footprint.h"

/* What is dropped is freed, however much there was of it; and what goes on for long takes no more memory than what is short. */

static AccExpr *
count_up (AccExpr *x, gpointer data)
{
  return acc_expr_add (x, acc_expr_new_int (1));
}

static AccExpr *
below_0 (AccExpr *x, gpointer data)
{
  return acc_expr_lt (x, acc_expr_new_int (0));
}

static AccArray *
is_below_0 (AccArray **state, guint n, gpointer data)
{
  return acc_array_map (state[0], below_0, NULL);
}

static GPtrArray *
count_all_up (AccArray **state, guint n, gpointer data)
{
  GPtrArray *next = g_ptr_array_new_with_free_func (g_object_unref);

  for (guint i = 0; i < n; i++)
    g_ptr_array_add (next, acc_array_map (state[i], count_up, NULL));
  return next;
}

/* Counts @numbers up @n_rounds times, and what is left to do, too: the kernels are the same for any number of rounds. */
static GPtrArray *
count_rounds (gint n_rounds, AccArray *numbers)
{
  const char *signatures[] = { "i8", "i4[:]", NULL };
  g_autoptr(AccArray) left = conf_ints ("i8", NULL, 0, (gint64[]) { -n_rounds });
  g_autoptr(AccProgram) condition = acc_program_new (signatures, is_below_0, NULL);
  g_autoptr(AccProgram) step = acc_program_new_many (signatures, count_all_up, NULL);

  return acc_array_while_loop_many ((AccArray *[]) { left, numbers }, 2, condition, step);
}

/* --- small programs */

static AccExpr *
is_odd (AccExpr *x, gpointer data)
{
  return acc_expr_eq (acc_expr_band (x, acc_expr_new_int (1)), acc_expr_new_int (1));
}

static AccExpr *
add (AccExpr *x, AccExpr *y, gpointer data)
{
  return acc_expr_add (x, y);
}

static AccExpr *
sum_of_three (AccExpr *x, gpointer data)
{
  return acc_expr_add (acc_expr_neighbour1 (x, -1), acc_expr_neighbour1 (x, 1));
}

static AccExpr *
read_first (AccExpr *x, gpointer table)
{
  return acc_expr_cond (acc_expr_gt (acc_expr_extent (table, 0), conf_i64 (0)), acc_expr_add (x, acc_expr_index (table, conf_i64 (0))), x);
}

static AccArray *
stencil (AccArray *numbers)
{
  g_autoptr(AccBoundary) boundary = acc_boundary_new (ACC_BOUNDARY_CLAMP);

  return acc_array_stencil (numbers, (gint64[]) { 3 }, 1, boundary, sum_of_three, NULL);
}

static AccArray *
choose (AccArray *numbers, AccArray *otherwise)
{
  g_autoptr(AccArray) odd = acc_array_map (numbers, is_odd, NULL),
    any = acc_array_fold_all (odd, acc_expr_new_bool (FALSE), conf_second, NULL);

  return acc_array_cond (any, numbers, otherwise);
}

static AccArray *
sum_by_key (AccArray *numbers)
{
  g_autoptr(AccArray) ones = acc_array_map (numbers, is_odd, NULL), keys = acc_array_cast (ones, conf_type ("i8"));

  return acc_array_bincount (keys, 2);
}

static AccArray *
go_round (gint n_rounds, AccArray *numbers)
{
  g_autoptr(GPtrArray) loop = count_rounds (n_rounds, numbers);

  return g_object_ref (loop->pdata[1]);
}

#define N_PROGRAMS 12

/* Program number @n of them; 11 is a mistake. */
static AccArray *
build (guint n, AccArray *numbers)
{
  g_autoptr(AccArray) more = acc_array_map (numbers, count_up, NULL);
  g_autoptr(AccArray) counts = NULL, matrix = NULL;

  switch (n)
    {
    case 0: return acc_array_map (more, read_first, numbers);
    case 1: return acc_array_zip_with (more, numbers, add, NULL);
    case 2: return acc_array_fold (more, acc_expr_new_int (7), add, NULL);
    case 3: return acc_array_scanl (more, acc_expr_new_int (7), add, NULL);
    case 4: return stencil (more);
    case 5: return choose (more, numbers);
    case 6: return sum_by_key (more);
    case 7: return go_round (3, more);
    case 8: return acc_array_filter (more, is_odd, NULL, &counts);
    case 9: return acc_array_sort (more, TRUE);
    case 10: matrix = acc_array_replicate (more, (gint64[]) { 3, ACC_ALL }, 2); return acc_array_transpose (matrix);
    default: matrix = acc_array_replicate (more, (gint64[]) { 3, ACC_ALL }, 2); return acc_array_concat (matrix, more);
    }
}

static int n_alive;

static void
on_gone (gpointer data, GObject *object)
{
  g_atomic_int_add (&n_alive, -1);
}

static void
watch (gpointer object)
{
  g_atomic_int_inc (&n_alive);
  g_object_weak_ref (object, on_gone, NULL);
}

static void
watch_nodes (AccArray *array)
{
  g_autoptr(GPtrArray) nodes = acc_array_sort_nodes (&array, 1);

  for (guint i = 0; i < nodes->len; i++)
    watch (g_ptr_array_index (nodes, i));
}

/* Another way to the same program. */
static AccArray *
reread (AccArray *array, gboolean as_text)
{
  g_autoptr(AccProgram) program = acc_program_new_for_results (&array, 1), again = NULL;
  g_autoptr(GError) error = NULL;

  if (as_text)
    {
      g_autofree char *text = acc_program_to_string (program);

      again = acc_program_parse (text, &error);
    }
  else
    {
      g_autoptr(GBytes) bytes = acc_program_to_bytes (program);

      again = acc_program_new_from_bytes (bytes, &error);
    }
  g_assert_no_error (error);
  watch (again);
  return g_object_ref (acc_program_get_result (again, 0));
}

static void
run_on (AccBackend *backend, AccArray *array)
{
  g_autoptr(AccProgram) program = acc_program_new_for_results (&array, 1);
  g_autoptr(GError) error = NULL;
  g_autoptr(AccExecutable) executable = acc_backend_compile (backend, program, NULL, &error);
  g_autoptr(GPtrArray) results = NULL;

  if (executable != NULL)
    {
      watch (executable);
      results = acc_executable_run (executable, NULL, 0, NULL, &error);
    }
  if (results != NULL)
    watch (results->pdata[0]);
  else if (!g_error_matches (error, ACC_ERROR, ACC_ERROR_SHAPE))
    conf_fail (acc_backend_get_name (backend), "memory/programs", "%s", error->message);
  watch (program);
}

static void
build_and_drop (guint n_rounds)
{
  static const gint64 extents[] = { 0, 1, 7, 64 };

  for (guint i = 0; i < n_rounds; i++)
    {
      gint64 values[64];
      g_autoptr(AccArray) numbers = NULL, array = NULL;

      for (guint k = 0; k < G_N_ELEMENTS (values); k++)
        values[k] = i + k * 37;
      numbers = conf_ints ("i4", &extents[i / N_PROGRAMS % G_N_ELEMENTS (extents)], 1, values);
      array = build (i % N_PROGRAMS, numbers);
      watch_nodes (array);

      if (i % 5 == 0)
        run_on (conf_interpreter (), array);
      else if (i % 5 == 1 && conf_n_backends () > 0)
        run_on (conf_backend (i / 5 % conf_n_backends ()), array);
      else if (i % 25 == 2 && acc_array_check (array, NULL))
        {
          g_autoptr(AccArray) again = reread (array, i % 50 == 2);

          watch_nodes (again);
        }
    }
}

/* What malloc keeps for a thread, a few blocks of every small size, counts as allocated: so that it is all there from the first. */
static void
fill_caches (void)
{
  gpointer blocks[16];

  for (gsize size = 8; size <= 1040; size += 16)
    {
      for (guint i = 0; i < G_N_ELEMENTS (blocks); i++)
        blocks[i] = g_malloc (size);
      for (guint i = 0; i < G_N_ELEMENTS (blocks); i++)
        g_free (blocks[i]);
    }
}

/* Until caches of libraries are full, XLA's among them, which takes many programs, and fewer bytes each time. A leak goes on as it
 * began. */
static void
settle (guint n)
{
  for (guint i = 0; i < 20; i++)
    {
      gsize before = footprint_get_allocated ();
      gssize more;

      build_and_drop (n);
      more = (gssize) (footprint_get_allocated () - before);
      g_test_message ("%u programs ahead: %" G_GSSIZE_FORMAT " bytes more", n, more);
      if (more <= n / 4)
        break;
    }
}

/* Bytes that a library keeps of each run, as a program shows that does nothing but call it: NVIDIA's plugin for XLA
 * (docs/results/xla.md). */
static gsize
count_kept_bytes (void)
{
  gsize kept = 0;

  for (guint i = 0; i < conf_n_backends (); i++)
    if (g_str_has_prefix (acc_backend_get_name (conf_backend (i)), "pjrt")
        && strstr (acc_backend_get_description (conf_backend (i)), "cuda") != NULL)
      kept = 640;

  return kept;
}

static guint
count_programs (void)
{
  if (conf_is_exhaustive ())
    return 1000000;
  return conf_is_thorough () ? 20000 : 2000;
}

static void
test_programs (void)
{
  guint n = count_programs ();
  gsize allocated, pages;

  build_and_drop (MAX (n / 10, 1000));
  fill_caches ();
  settle (MAX (n / 10, 1000));
  allocated = footprint_get_allocated ();
  pages = footprint_get_pages ();
  build_and_drop (n);
  g_assert_cmpint (n_alive, ==, 0);
  if (!footprint_is_known ())
    {
      g_test_skip ("nobody tells what is allocated, or what is freed is kept");
      return;
    }
  g_test_message ("%u programs: %" G_GSIZE_FORMAT " bytes allocated before, %" G_GSIZE_FORMAT " after; %" G_GSIZE_FORMAT " and %"
                  G_GSIZE_FORMAT " pages",
                  n, allocated, footprint_get_allocated (), pages, footprint_get_pages ());
  /* Less than the smallest thing that every program could leave behind, or every fiftieth. Each fifth runs on a backend. */
  g_assert_cmpuint (footprint_get_allocated (), <=, allocated + MAX (n / 2, 20000) + n / 5 * count_kept_bytes ());
  g_assert_cmpuint (footprint_get_pages (), <=, pages + 256);
}

/* --- what goes on for long */

#define PRODUCT_LENGTH 8192
#define PRODUCT_BYTES  (PRODUCT_LENGTH * sizeof (gint64))

/* The most that was allocated at any time, as another thread sees it. */
typedef struct {
  GThread *thread;
  int      done;
  gsize    most;
} Watcher;

static gpointer
look_on (gpointer data)
{
  Watcher *self = data;

  do
    {
      self->most = MAX (self->most, footprint_get_allocated ());
      g_usleep (500);
    }
  while (!g_atomic_int_get (&self->done));
  return NULL;
}

static void
watcher_begin (Watcher *self)
{
  *self = (Watcher) { NULL, };
  self->thread = g_thread_new ("look-on", look_on, self);
}

static gsize
watcher_end (Watcher *self)
{
  g_atomic_int_set (&self->done, 1);
  g_thread_join (self->thread);
  return self->most;
}

typedef void (*LongFunc) (AccBackend *backend, guint n_rounds);

/* Many rounds take no more memory than few do. */
static void
check_constant (AccBackend *backend, const char *name, LongFunc function, guint n_few, guint n_many)
{
  AccBudget *budget = acc_backend_get_budget (backend);
  guint64 held;
  gsize allocated, most;
  Watcher watcher;

  function (backend, n_few);
  acc_budget_reset_high_water (budget);
  watcher_begin (&watcher);
  function (backend, n_few);
  allocated = watcher_end (&watcher);
  held = acc_budget_get_high_water (budget);

  acc_budget_reset_high_water (budget);
  watcher_begin (&watcher);
  function (backend, n_many);
  most = watcher_end (&watcher);

  g_test_message ("%s: %s: %" G_GSIZE_FORMAT " bytes allocated at once in %u rounds, %" G_GSIZE_FORMAT " in %u; arrays %"
                  G_GUINT64_FORMAT " and %" G_GUINT64_FORMAT,
                  acc_backend_get_name (backend), name, allocated, n_few, most, n_many, held, acc_budget_get_high_water (budget));
  if (acc_budget_get_high_water (budget) > held + 4 * PRODUCT_BYTES)
    conf_fail (acc_backend_get_name (backend), name, "%" G_GUINT64_FORMAT " bytes of arrays instead of %" G_GUINT64_FORMAT,
               acc_budget_get_high_water (budget), held);
  else if (footprint_is_known () && most > allocated + 8 * PRODUCT_BYTES)
    conf_fail (acc_backend_get_name (backend), name, "%" G_GSIZE_FORMAT " bytes allocated instead of %" G_GSIZE_FORMAT, most, allocated);
  else
    conf_pass (acc_backend_get_name (backend), name);
}

static void
run_loop (AccBackend *backend, guint n_rounds)
{
  g_autoptr(AccArray) numbers = CONF_INTS1 ("i4", 3, 1, 4, 1, 5);
  g_autoptr(GPtrArray) loop = count_rounds (n_rounds, numbers), results = NULL;
  g_autoptr(GError) error = NULL;

  results = acc_backend_run_many (backend, (AccArray **) loop->pdata, loop->len, NULL, &error);
  g_assert_no_error (error);
  g_assert_cmpint (acc_array_get_int (results->pdata[0], 0, 0), ==, 0);
  g_assert_cmpint (acc_array_get_int (results->pdata[1], 0, 4), ==, n_rounds + 5);
}

static void
test_long_loop (void)
{
  guint n_many = conf_is_thorough () ? 100000 : 5000;

  check_constant (conf_interpreter (), "memory/long-loop", run_loop, n_many / 50, n_many);
  for (guint i = 0; i < conf_n_backends (); i++)
    check_constant (conf_backend (i), "memory/long-loop", run_loop, n_many / 50, n_many);
}

/* --- one thread produces, another one consumes */

#define MAX_WAITING 3

typedef struct {
  AccBackend  *backend;
  guint        n_rounds;
  GMutex       lock;
  GCond        cond;
  GQueue       waiting;      /* AccArray */
} Line;

static AccExpr *
place_and_round (AccExpr *index, gpointer round)
{
  return acc_expr_add (index, acc_expr_the (round));
}

static gpointer
produce (gpointer data)
{
  Line *line = data;
  g_autoptr(AccShape) shape = acc_shape_new_vector (PRODUCT_LENGTH);

  for (guint i = 0; i < line->n_rounds; i++)
    {
      g_autoptr(AccArray) round = conf_ints ("i8", NULL, 0, (gint64[]) { i }), planned = acc_array_generate (shape, place_and_round, round);
      g_autoptr(GError) error = NULL;
      AccArray *product = acc_backend_run (line->backend, planned, NULL, &error);

      g_assert_no_error (error);
      g_mutex_lock (&line->lock);
      while (line->waiting.length >= MAX_WAITING)
        g_cond_wait (&line->cond, &line->lock);
      g_queue_push_tail (&line->waiting, product);
      g_cond_broadcast (&line->cond);
      g_mutex_unlock (&line->lock);
    }
  return NULL;
}

static AccArray *
take_product (Line *line)
{
  AccArray *product;

  g_mutex_lock (&line->lock);
  while (line->waiting.length == 0)
    g_cond_wait (&line->cond, &line->lock);
  product = g_queue_pop_head (&line->waiting);
  g_cond_broadcast (&line->cond);
  g_mutex_unlock (&line->lock);
  return product;
}

/* The sum so far, and that of a product. */
static AccArray *
add_up (AccArray **arrays, guint n, gpointer data)
{
  g_autoptr(AccArray) sum = acc_array_fold_all (arrays[1], acc_expr_new_int (0), add, NULL);

  return acc_array_add (arrays[0], sum);
}

static void
run_line (AccBackend *backend, guint n_rounds)
{
  Line line = { .backend = backend, .n_rounds = n_rounds, .waiting = G_QUEUE_INIT };
  g_autoptr(AccProgram) program = acc_program_new ((const char *[]) { "i8", "i8[:]", NULL }, add_up, NULL);
  g_autoptr(GError) error = NULL;
  g_autoptr(AccExecutable) executable = acc_backend_compile (backend, program, NULL, &error);
  g_autoptr(AccArray) sum = conf_ints ("i8", NULL, 0, (gint64[]) { 0 });
  gint64 n = n_rounds, length = PRODUCT_LENGTH;
  GThread *producer;

  g_assert_no_error (error);
  g_mutex_init (&line.lock);
  g_cond_init (&line.cond);
  producer = g_thread_new ("produce", produce, &line);
  for (guint i = 0; i < n_rounds; i++)
    {
      g_autoptr(AccArray) product = take_product (&line);
      g_autoptr(GPtrArray) results = acc_executable_run (executable, (AccArray *[]) { sum, product }, 2, NULL, &error);

      g_assert_no_error (error);
      g_set_object (&sum, results->pdata[0]);
    }
  g_thread_join (producer);
  g_assert_cmpint (acc_array_get_int (sum, 0, 0), ==, n * (length * (length - 1) / 2) + length * (n * (n - 1) / 2));
  g_mutex_clear (&line.lock);
  g_cond_clear (&line.cond);
}

static void
test_line (void)
{
  guint n_many = conf_is_thorough () ? 2000 : 400;

  check_constant (conf_interpreter (), "memory/producer-consumer", run_line, n_many / 20, n_many / 2);
  for (guint i = 0; i < conf_n_backends (); i++)
    check_constant (conf_backend (i), "memory/producer-consumer", run_line, n_many / 20, n_many);
}

int
main (int argc, char **argv)
{
  conf_init (&argc, &argv);

  g_test_add_func ("/memory/programs", test_programs);
  g_test_add_func ("/memory/long-loop", test_long_loop);
  g_test_add_func ("/memory/producer-consumer", test_line);

  return conf_run ();
}
