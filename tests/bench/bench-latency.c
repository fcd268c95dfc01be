/* SPDX-License-Identifier: LGPL-2.1-or-later */

/* What acc takes beside the work of kernels: bench-latency [ROUNDS [PART…]]; PART: processes, pauses, planning, runs, small, workers or
 * pages.
 *
 * What must be cold is measured in processes of its own, ROUNDS of each kind, with a cache directory that is theirs. Targets
 * stand beside the figures. */

#include "bench.h"
#include "bench-latency.h"

#include "acc-backends/schedule/acc-schedule.h"
#include "acc-backends/runtime/run/acc-prepared.h"
#include "tests/remove-tree.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#define FURTHER 5      /* kernels of a family after the first */
#define TINY    16     /* elements */
#define BATCH   1000   /* runs per time that is taken of something tiny */

static guint rounds = 5;

static void
check (gconstpointer made, GError *error)
{
  if (made == NULL)
    g_error ("%s", error != NULL ? error->message : "nothing came of it");
}

static AccExecutable *
compile (AccBackend *backend, AccProgram *program)
{
  g_autoptr(GError) error = NULL;
  AccExecutable *executable = acc_backend_compile (backend, program, NULL, &error);

  check (executable, error);

  return executable;
}

static void
run (AccExecutable *executable, AccArray *argument)
{
  g_autoptr(GError) error = NULL;
  g_autoptr(GPtrArray) results = acc_executable_run (executable, argument != NULL ? &argument : NULL, argument != NULL, NULL, &error);

  check (results, error);
}

static double
get_processor_seconds (clockid_t clock)
{
  struct timespec t;

  clock_gettime (clock, &t);

  return t.tv_sec + t.tv_nsec * 1e-9;
}

/* --- processes of their own */

/* By the clock, and by the processors, which others on the machine disturb less. */
typedef struct {
  double clock, processors;
} Time;

typedef struct {
  Time opened, first, further, again;
} Child;

static Time
get_time (void)
{
  return (Time) { bench_now (), get_processor_seconds (CLOCK_PROCESS_CPUTIME_ID) };
}

static Time
get_time_since (Time start)
{
  Time now = get_time ();

  return (Time) { now.clock - start.clock, now.processors - start.processors };
}

static Time
get_median (const Time *times, guint n)
{
  g_autofree double *values = g_new (double, n);
  Time median;

  for (guint i = 0; i < n; i++)
    values[i] = times[i].clock;
  median.clock = bench_median (values, n);
  for (guint i = 0; i < n; i++)
    values[i] = times[i].processors;
  median.processors = bench_median (values, n);

  return median;
}

static AccExecutable *
compile_family (AccBackend *backend, const BenchFamily *family, AccArray *input, guint variant)
{
  g_autoptr(AccArray) result = family->build (input, variant);
  g_autoptr(AccProgram) program = acc_program_new_for_results (&result, 1);

  return compile (backend, program);
}

static AccArray *
make_family_input (const BenchFamily *family)
{
  return family->rank == 2 ? bench_make_input (64, 64) : bench_make_input (0, 4096);
}

static Time
time_first_run (AccBackend *backend, const BenchFamily *family, AccArray *input, guint variant)
{
  Time start = get_time ();
  g_autoptr(AccExecutable) executable = compile_family (backend, family, input, variant);

  run (executable, NULL);

  return get_time_since (start);
}

static int
child_main (const BenchFamily *family)
{
  g_autoptr(GError) error = NULL;
  Time start = get_time (), further[FURTHER];
  g_autoptr(AccBackend) backend = acc_backend_new_for_name ("native", &error);
  Child self = { .opened = get_time_since (start) };
  g_autoptr(AccArray) input = make_family_input (family);

  check (backend, error);
  self.first = time_first_run (backend, family, input, 0);
  for (guint i = 0; i < FURTHER; i++)
    further[i] = time_first_run (backend, family, input, i + 1);
  self.further = get_median (further, FURTHER);
  self.again = time_first_run (backend, family, input, 0);
  for (guint i = 0; i < sizeof self / sizeof (double); i++)
    printf ("%.9f ", ((double *) &self)[i]);

  return 0;
}

/* What a process of its own prints, with @variable in its environment. */
static char *
spawn (const char *self, const char *what, const char *name, const char *directory, const char *variable, const char *value)
{
  const char *arguments[] = { self, what, name, NULL };
  g_auto(GStrv) environment = g_environ_setenv (g_get_environ (), "ACC_CACHE_DIR", directory, TRUE);
  g_autoptr(GError) error = NULL;
  char *output = NULL;
  int status;

  environment = g_environ_setenv (environment, variable, value, TRUE);
  if (!g_spawn_sync (NULL, (char **) arguments, environment, 0, NULL, NULL, &output, NULL, &status, &error)
      || !g_spawn_check_wait_status (status, &error))
    g_error ("%s", error->message);

  return output;
}

static Child
run_child (const char *self, const char *directory, const char *name, const char *disable)
{
  g_autofree char *output = spawn (self, "--child", name, directory, "ACC_DISABLE", disable);
  Child child;

  if (sscanf (output, "%lf %lf %lf %lf %lf %lf %lf %lf", &child.opened.clock, &child.opened.processors, &child.first.clock,
              &child.first.processors, &child.further.clock, &child.further.processors, &child.again.clock, &child.again.processors) != 8)
    g_error ("%s %s: %s", self, name, output);

  return child;
}

/* Kernels that are not the same. */
static guint
count_kernels (const BenchFamily *family)
{
  g_autoptr(GError) error = NULL;
  g_autoptr(AccArray) input = make_family_input (family);
  g_autoptr(AccArray) result = family->build (input, 0);
  g_autoptr(AccSchedule) schedule = acc_schedule_new (&acc_target_cpu, NULL, &result, 1, NULL, NULL, 0, &error);
  g_autoptr(GHashTable) hashes = g_hash_table_new (g_str_hash, g_str_equal);

  check (schedule, error);
  for (guint s = 0; s < schedule->n_steps; s++)
    for (guint l = 0; l < schedule->steps[s].n_launches; l++)
      g_hash_table_add (hashes, (char *) acc_kernel_get_hash (schedule->steps[s].launches[l].kernel));

  return g_hash_table_size (hashes);
}

static void
report (const char *work, const Time *times, guint n, double target)
{
  g_autofree double *values = g_new (double, n);

  for (guint i = 0; i < n; i++)
    values[i] = times[i].clock;
  bench_report (work, values, n, target);
  printf ("#   processor time %.2f ms\n", get_median (times, n).processors * 1e3);
}

#define N_KINDS 7

/* @times: rounds of each kind, of one family. */
static void
report_family (const BenchFamily *family, Time *const times[N_KINDS])
{
  guint n = count_kernels (family);
  const struct { const char *what; double target; } kinds[N_KINDS] = {
    { "first, compiled", 20e-3 * n },
    { "further, compiled", 20e-3 * n },
    { "first, from the cache", 0 },
    { "further, from the cache", 1e-3 * n },
    { "planned anew, kernels in memory", 0 },
    { "first, optimised at once", 20e-3 * n },
    { "further, optimised at once", 20e-3 * n },
  };

  for (guint k = 0; k < N_KINDS; k++)
    {
      g_autofree char *work = g_strdup_printf ("%s, %u kernels: %s", family->name, n, kinds[k].what);

      report (work, times[k], rounds, kinds[k].target);
    }
}

static void
bench_processes (const char *self)
{
  g_autofree char *directory = g_dir_make_tmp ("acc-bench-XXXXXX", NULL);
  g_autofree Time *opened = g_new (Time, rounds * bench_n_families);
  g_autofree Time *times = g_new (Time, rounds * bench_n_families * N_KINDS);

#define TIMES(kind, family) (times + ((kind) * bench_n_families + (family)) * rounds)
  for (guint r = 0; r < rounds; r++)
    for (guint f = 0; f < bench_n_families; f++)
      {
        Child cold = run_child (self, directory, bench_families[f].name, "");
        Child warm = run_child (self, directory, bench_families[f].name, "");
        Child optimised;

        remove_tree (directory);
        optimised = run_child (self, directory, bench_families[f].name, "baseline");
        remove_tree (directory);
        opened[r * bench_n_families + f] = warm.opened;
        TIMES (0, f)[r] = cold.first;
        TIMES (1, f)[r] = cold.further;
        TIMES (2, f)[r] = warm.first;
        TIMES (3, f)[r] = warm.further;
        TIMES (4, f)[r] = warm.again;
        TIMES (5, f)[r] = optimised.first;
        TIMES (6, f)[r] = optimised.further;
      }

  printf ("\n# processes of their own; from a graph to its result\n");
  report ("opening the backend", opened, rounds * bench_n_families, 0);
  for (guint f = 0; f < bench_n_families; f++)
    report_family (&bench_families[f], (Time *[]) { TIMES (0, f), TIMES (1, f), TIMES (2, f), TIMES (3, f), TIMES (4, f), TIMES (5, f),
                                                       TIMES (6, f) });
#undef TIMES
}

/* --- pauses */

#define PAUSE_SECONDS 0.5

/* A program that runs often: its first run, the longest of the others, and what they take at last. */
static int
pauses_main (const BenchFamily *family)
{
  g_autoptr(GError) error = NULL;
  g_autoptr(AccBackend) backend = acc_backend_new_for_name ("native", &error);
  g_autoptr(AccArray) input = family->rank == 2 ? bench_make_input (128, 128) : bench_make_input (0, 16384);
  g_autoptr(AccExecutable) executable = NULL;
  g_autoptr(GArray) times = g_array_new (FALSE, FALSE, sizeof (double));
  double begin, longest = 0;

  check (backend, error);
  executable = compile_family (backend, family, input, 0);
  begin = bench_now ();
  for (double now = begin; now < begin + PAUSE_SECONDS;)
    {
      double start = now, time;

      run (executable, NULL);
      now = bench_now ();
      time = now - start;
      if (times->len > 0)
        longest = MAX (longest, time);
      g_array_append_val (times, time);
    }
  printf ("%.9f %.9f ", g_array_index (times, double, 0), longest);
  printf ("%.9f", bench_median (&g_array_index (times, double, times->len / 2), times->len - times->len / 2));

  return 0;
}

/* With workers, which optimise what runs often, and with one thread, which does it in between. */
static void
bench_pauses (const char *self)
{
  g_autofree char *directory = g_dir_make_tmp ("acc-bench-XXXXXX", NULL);
  g_autofree double *times = g_new (double, 3 * rounds);

  printf ("\n# programs that run often, from when nothing is compiled\n");
  for (guint f = 0; f < bench_n_families; f++)
    for (guint alone = 0; alone < 2; alone++)
      {
        const char *kinds[] = { "first run", "longest of the others", "at last" };

        for (guint r = 0; r < rounds; r++)
          {
            g_autofree char *output = spawn (self, "--pauses", bench_families[f].name, directory, "ACC_THREADS", alone ? "1" : "");

            if (sscanf (output, "%lf %lf %lf", &times[r], &times[rounds + r], &times[2 * rounds + r]) != 3)
              g_error ("%s %s: %s", self, bench_families[f].name, output);
            remove_tree (directory);
          }
        for (guint k = 0; k < G_N_ELEMENTS (kinds); k++)
          {
            g_autofree char *work = g_strdup_printf ("%s%s: %s", bench_families[f].name, alone ? ", one thread" : "", kinds[k]);

            bench_report (work, times + k * rounds, rounds, 0);
          }
      }
}

/* --- planning */

static char *
dup_target (gpointer data, GError **error)
{
  return g_strdup ("nothing");
}

static GBytes *
compile_nothing (AccKernel *kernel, guint variant, gpointer data, GError **error)
{
  __atomic_add_fetch ((guint *) data, 1, __ATOMIC_RELAXED);

  return g_bytes_new_static ("", 0);
}

static void
do_nothing (const guint64 *slots, const gint64 *range, AccFailure *failure)
{
}

static AccKernelEntry
load_nothing (GBytes *code, gpointer data, GError **error)
{
  return do_nothing;
}

/* Schedules and all that runs have in common, of a backend whose kernels take no time to make. One thread does it all, so that
 * its own time is measured, which others on the machine disturb less. */
static void
bench_planning (AccBackend *backend)
{
  g_autoptr(AccArray) input = bench_make_input (4, 4);

  printf ("\n# planning, processor time\n");
  for (guint g = 0; g < bench_n_graphs; g++)
    for (guint n = 100; n <= 10000; n *= 10)
      {
        g_autoptr(GPtrArray) results = bench_graphs[g].build (input, n);
        g_autofree double *times = g_new (double, rounds), *looking = g_new (double, rounds);
        g_autofree char *work = NULL;
        guint n_steps = 0, n_made = 0;

        for (guint r = 0; r < rounds; r++)
          {
            AccCodeMaker maker = { dup_target, compile_nothing, load_nothing, &n_made };
            g_autoptr(AccWorkers) workers = acc_workers_new (1);
            g_autoptr(AccCode) code = acc_code_new (&maker, NULL, workers);
            AccHost host = { .workers = workers, .code = code };
            g_autoptr(GError) error = NULL;
            g_autoptr(AccPrepared) prepared = NULL;
            g_autoptr(AccProgram) program = NULL;
            g_autoptr(AccExecutable) executable = NULL;
            AccSchedule *schedule;
            double start;

            n_made = 0;
            start = get_processor_seconds (CLOCK_THREAD_CPUTIME_ID);
            schedule = acc_schedule_new (&acc_target_cpu, NULL, (AccArray **) results->pdata, results->len, NULL, NULL, 0, &error);
            check (schedule, error);
            n_steps = schedule->n_steps;
            prepared = acc_prepared_new (&host, schedule, FALSE, FALSE, NULL, &error);
            check (prepared, error);
            times[r] = get_processor_seconds (CLOCK_THREAD_CPUTIME_ID) - start;

            start = get_processor_seconds (CLOCK_THREAD_CPUTIME_ID);
            program = acc_program_new_for_results ((AccArray **) results->pdata, results->len);
            executable = compile (backend, program);
            looking[r] = get_processor_seconds (CLOCK_THREAD_CPUTIME_ID) - start;
          }
        work = g_strdup_printf ("%s, %u nodes, %u steps, %u kernels", bench_graphs[g].name, n, n_steps, n_made);
        bench_report (work, times, rounds, n == 10000 ? 100e-3 : 0);
        printf ("#   %.2f µs per node; before, the program is looked over in %.2f µs per node\n", times[rounds / 2] / n * 1e6,
                bench_median (looking, rounds) / n * 1e6);
      }
}

/* --- running again */

static AccArray *
build_tiny (AccArray **parameters, guint n, gpointer data)
{
  return bench_families[0].build (parameters[0], 0);
}

static AccArray *
build_tiny_total (AccArray **parameters, guint n, gpointer data)
{
  return bench_families[2].build (parameters[0], 0);
}

static GPtrArray *
build_ten (AccArray **parameters, guint n, gpointer data)
{
  GPtrArray *results = g_ptr_array_new_with_free_func (g_object_unref);

  /* Scans do not become one kernel. */
  for (guint i = 0; i < 10; i++)
    g_ptr_array_add (results, bench_families[3].build (parameters[0], i));

  return results;
}

typedef struct {
  AccExecutable *executable;
  AccArray      *argument;
  guint          n;
} Load;

static gpointer
run_load (gpointer data)
{
  Load *load = data;

  for (guint i = 0; i < load->n; i++)
    run (load->executable, load->argument);

  return NULL;
}

/* Seconds per run, of @n_threads together: each one runs BATCH times. */
static void
bench_again (AccBackend *backend, AccProgram *program, const char *name, guint n_threads, double target)
{
  g_autoptr(AccExecutable) executable = compile (backend, program);
  g_autoptr(AccArray) argument = bench_make_input (0, TINY);
  g_autofree double *times = g_new (double, rounds * 4);
  g_autofree GThread **threads = g_new (GThread *, n_threads);
  Load load = { executable, argument, BATCH };

  run_load (&load);
  for (guint r = 0; r < rounds * 4; r++)
    {
      double start = bench_now ();

      for (guint t = 1; t < n_threads; t++)
        threads[t] = g_thread_new ("load", run_load, &load);
      run_load (&load);
      for (guint t = 1; t < n_threads; t++)
        g_thread_join (threads[t]);
      times[r] = (bench_now () - start) / BATCH;
    }
  bench_report (name, times, rounds * 4, target);
}

/* Scans of vectors, each of which one thread goes along, on one thread and on all. */
static void
bench_side_by_side (void)
{
  static const char *const threads[] = { "1", NULL };
  g_autofree char *given = g_strdup (g_getenv ("ACC_THREADS"));
  g_autoptr(AccProgram) ten = acc_program_new_many ((const char *[]) { "f4[:]", NULL }, build_ten, NULL);
  g_autoptr(AccArray) argument = bench_make_input (0, 100000);
  AccExecutable *executables[G_N_ELEMENTS (threads)];
  g_autofree double *times = g_new (double, G_N_ELEMENTS (threads) * rounds * 4);

  for (guint i = 0; i < G_N_ELEMENTS (threads); i++)
    {
      g_autoptr(GError) error = NULL;
      g_autoptr(AccBackend) backend = NULL;

      if (threads[i] != NULL)
        g_setenv ("ACC_THREADS", threads[i], TRUE);
      else if (given != NULL)
        g_setenv ("ACC_THREADS", given, TRUE);
      else
        g_unsetenv ("ACC_THREADS");
      backend = acc_backend_new_for_name ("native", &error);
      check (backend, error);
      executables[i] = compile (backend, ten);
      run (executables[i], argument);
    }
  for (guint r = 0; r < rounds * 4; r++)
    for (guint i = 0; i < G_N_ELEMENTS (threads); i++)
      {
        double start = bench_now ();

        run (executables[i], argument);
        times[i * rounds * 4 + r] = bench_now () - start;
      }
  bench_report ("ten scans of 100 000, 1 thread", times, rounds * 4, 0);
  bench_report ("ten scans of 100 000, all threads", times + rounds * 4, rounds * 4, 0);
  for (guint i = 0; i < G_N_ELEMENTS (threads); i++)
    g_object_unref (executables[i]);
}

static AccExpr *
is_positive (AccExpr *x, gpointer data)
{
  return acc_expr_gt (x, acc_expr_new_float (0));
}

static AccArray *
build_kept (AccArray **parameters, guint n, gpointer data)
{
  g_autoptr(AccArray) kept = acc_array_filter (parameters[0], is_positive, NULL, NULL);

  return bench_families[0].build (kept, 0);
}

/* A filter, and a map of what it leaves: which is as much each time, or not. What was planned for another extent does not fit. */
static void
bench_extents (AccBackend *backend, gboolean is_same, const char *name)
{
  const gint64 n = 4096;
  g_autoptr(AccProgram) program = acc_program_new ((const char *[]) { "f4[:]", NULL }, build_kept, NULL);
  g_autoptr(AccExecutable) executable = compile (backend, program);
  g_autofree float *data = g_new (float, n);
  g_autoptr(AccElementType) type = acc_element_type_new (ACC_KIND_F32);
  g_autoptr(AccShape) shape = acc_shape_new_vector (n);
  g_autoptr(AccArray) argument = acc_array_use_address (type, shape, (guintptr) data, n * sizeof *data, NULL, NULL);
  g_autofree double *times = g_new (double, rounds * 100);

  for (guint r = 0; r < rounds * 100; r++)
    {
      gint64 n_kept = is_same ? n / 2 : n / 4 + r * 7 % (n / 2);
      double start;

      for (gint64 i = 0; i < n; i++)
        data[i] = i < n_kept ? 1 : -1;
      start = bench_now ();
      run (executable, argument);
      times[r] = bench_now () - start;
    }
  bench_report (name, times, rounds * 100, 0);
}

static void
bench_runs (AccBackend *backend)
{
  const char *signatures[] = { "f4[:]", NULL };
  g_autoptr(AccProgram) tiny = acc_program_new (signatures, build_tiny, NULL);
  g_autoptr(AccProgram) total = acc_program_new (signatures, build_tiny_total, NULL);
  g_autoptr(AccProgram) ten = acc_program_new_many (signatures, build_ten, NULL);

  printf ("\n# programs of %u elements run again; kernels take some nanoseconds\n", TINY);
  bench_again (backend, tiny, "a map", 1, 2e-6);
  bench_again (backend, total, "a fold of everything", 1, 2e-6);
  bench_again (backend, ten, "ten scans side by side", 1, 0);
  bench_again (backend, tiny, "a map, 2 threads, each", 2, 2e-6);
  bench_again (backend, tiny, "a map, 4 threads, each", 4, 0);
  bench_extents (backend, TRUE, "4096 elements filtered, as many left each time");
  bench_extents (backend, FALSE, "4096 elements filtered, others left each time");
  bench_side_by_side ();
}

/* --- graphs of a thousand elements, made anew each time */

#define SMALL 1000

static AccExpr *
plus (AccExpr *x, AccExpr *y, gpointer data)
{
  return acc_expr_add (x, y);
}

static AccArray *
build_small_map (AccArray *input)
{
  return bench_families[0].build (input, 0);
}

static AccArray *
build_small_fold (AccArray *input)
{
  return acc_array_fold (input, acc_expr_new_typed_float (acc_element_type_new (ACC_KIND_F32), 0), plus, NULL);
}

static AccArray *
build_small_scan (AccArray *input)
{
  return acc_array_scanl1 (input, plus, NULL);
}

static AccArray *
build_small_sort (AccArray *input)
{
  return acc_array_sort (input, FALSE);
}

static AccArray *
build_small_transform (AccArray *input)
{
  return acc_array_fft (input, ACC_FFT_FORWARD);
}

static const struct {
  const char *name;
  AccArray *(*build) (AccArray *input);
  gboolean    is_complex;
} small_works[] = {
  { "map", build_small_map, FALSE }, { "fold", build_small_fold, FALSE }, { "scan", build_small_scan, FALSE },
  { "sort", build_small_sort, FALSE }, { "transform", build_small_transform, TRUE },
};

static AccArray *
make_small_input (gboolean is_complex)
{
  g_autoptr(AccArray) halves = bench_make_input (0, 2 * SMALL);
  g_autoptr(GBytes) bytes = acc_array_dup_bytes (halves, 0, NULL);
  g_autoptr(AccShape) shape = acc_shape_new_vector (SMALL);

  if (!is_complex)
    return bench_make_input (0, SMALL);

  return acc_array_use (acc_element_type_new_complex (ACC_KIND_F32), shape, bytes);
}

/* Where the time between a graph and its result goes: nodes; looking them over and what is planned already; the run, first and kept. */
enum { BUILT, COMPILED, RUN, RESULT, AGAIN, N_SMALL_TIMES };

static void
bench_small (AccBackend *backend)
{
  static const char *const names[N_SMALL_TIMES] = { "nodes", "compiled", "run", "all of that", "run again" };
  guint n = rounds * 200;
  g_autofree double *times = g_new (double, N_SMALL_TIMES * n);

  printf ("\n# %u elements, a graph made anew each time\n", SMALL);
  for (guint w = 0; w < G_N_ELEMENTS (small_works); w++)
    {
      g_autoptr(AccArray) input = make_small_input (small_works[w].is_complex);
      g_autoptr(AccExecutable) kept = NULL;

      for (guint r = 0; r < n; r++)
        {
          double start = bench_now (), built, compiled;
          g_autoptr(AccArray) result = small_works[w].build (input);
          g_autoptr(AccProgram) program = NULL;
          g_autoptr(AccExecutable) executable = NULL;

          built = bench_now ();
          program = acc_program_new_for_results (&result, 1);
          executable = compile (backend, program);
          compiled = bench_now ();
          run (executable, NULL);
          times[RESULT * n + r] = bench_now () - start;
          times[BUILT * n + r] = built - start;
          times[COMPILED * n + r] = compiled - built;
          times[RUN * n + r] = times[RESULT * n + r] - (compiled - start);
          if (kept == NULL)
            kept = g_object_ref (executable);
          start = bench_now ();
          run (kept, NULL);
          times[AGAIN * n + r] = bench_now () - start;
        }
      for (guint t = 0; t < N_SMALL_TIMES; t++)
        {
          g_autofree char *name = g_strdup_printf ("%s: %s", small_works[w].name, names[t]);

          bench_report (name, times + t * n, n, 0);
        }
    }
}

/* --- workers */

static gboolean
tile_nothing (gint64 tile, guint worker, gpointer data)
{
  return TRUE;
}

static gboolean
tile_of_ten_microseconds (gint64   tile,
                          guint    worker,
                          gpointer user_data)
{
  for (double end = bench_now () + 10e-6; bench_now () < end;)
    ;

  return TRUE;
}

static void
bench_job (AccWorkers *workers, gint64 n_tiles, gint64 claim, AccTileFunc function, const char *name, double target)
{
  g_autofree double *times = g_new (double, rounds * 4);

  acc_workers_run (workers, n_tiles, claim, function, NULL);
  for (guint r = 0; r < rounds * 4; r++)
    {
      double start = bench_now ();

      acc_workers_begin_run (workers);
      for (guint i = 0; i < BATCH; i++)
        acc_workers_run (workers, n_tiles, claim, function, NULL);
      acc_workers_end_run (workers);
      times[r] = (bench_now () - start) / BATCH;
    }
  bench_report (name, times, rounds * 4, target);
}

static void
bench_sleepers (AccWorkers *workers)
{
  g_autofree double *times = g_new (double, rounds * 4);
  guint wanted = acc_workers_get_n_threads (workers) - 1;

  for (guint r = 0; r < rounds * 4; r++)
    {
      double start;

      while (acc_workers_get_n_sleeping (workers) < wanted)
        g_usleep (1000);
      start = bench_now ();
      acc_workers_run (workers, wanted + 1, 1, tile_nothing, NULL);
      times[r] = bench_now () - start;
    }
  bench_report ("a job put before workers asleep", times, rounds * 4, 0);
}

static void
bench_workers (AccBackend *backend)
{
  guint n_threads = acc_backend_get_n_threads (backend);
  g_autoptr(AccWorkers) workers = acc_workers_new (n_threads);
  g_autofree double *times = g_new (double, rounds);

  printf ("\n# %u workers\n", n_threads);
  bench_job (workers, 1, 1, tile_nothing, "a small job, on the caller", 1e-6);
  bench_job (workers, 16, 1, tile_nothing, "a job of 16 empty tiles", 0);
  bench_job (workers, n_threads, 1, tile_of_ten_microseconds, "a job of 10 µs for each thread", 0);
  bench_job (workers, 4 * n_threads, 1, tile_of_ten_microseconds, "a job of four times 10 µs for each", 0);
  if (n_threads > 1)
    bench_sleepers (workers);

  for (guint r = 0; r < rounds; r++)
    {
      double before;

      acc_workers_run (workers, 64, 1, tile_nothing, NULL);
      g_usleep (10000);
      before = get_processor_seconds (CLOCK_PROCESS_CPUTIME_ID);
      g_usleep (200000);
      times[r] = (get_processor_seconds (CLOCK_PROCESS_CPUTIME_ID) - before) * 5;
    }
  bench_report ("processor time of a second's idleness", times, rounds, 0);
}

/* --- memory */

/* What a first run of a large result takes beyond the second one: fresh pages. The disk has the code, of a round before. */
static void
bench_pages (void)
{
  const gint64 n = 1 << 25;
  g_autofree double *fresh = g_new (double, rounds), *again = g_new (double, rounds);

  printf ("\n# a map to %d MiB\n", (int) (n * 4 >> 20));
  for (guint r = 0; r <= rounds; r++)
    {
      g_autoptr(GError) error = NULL;
      g_autoptr(AccBackend) own = acc_backend_new_for_name ("native", &error);
      g_autoptr(AccArray) input = bench_make_input (0, n);
      g_autoptr(AccArray) result = bench_families[0].build (input, 0);
      g_autoptr(AccProgram) program = acc_program_new_for_results (&result, 1);
      g_autoptr(AccExecutable) executable = NULL;
      double times[3];

      check (own, error);
      executable = compile (own, program);
      for (guint i = 0; i < 2; i++)
        {
          times[i] = bench_now ();
          run (executable, NULL);
          times[i + 1] = bench_now ();
        }
      if (r > 0)
        {
          fresh[r - 1] = times[1] - times[0];
          again[r - 1] = times[2] - times[1];
        }
    }
  bench_report ("into fresh memory", fresh, rounds, 0);
  bench_report ("into recycled memory", again, rounds, 0);
}

static gboolean
is_wanted (char **argv, const char *part)
{
  return argv[1] == NULL || argv[2] == NULL || g_strv_contains ((const char *const *) argv + 2, part);
}

int
main (int argc, char **argv)
{
  g_autoptr(GError) error = NULL;
  g_autoptr(AccBackend) backend = NULL;

  if (argc == 3 && g_str_has_prefix (argv[1], "--"))
    {
      for (guint f = 0; f < bench_n_families; f++)
        if (strcmp (argv[2], bench_families[f].name) == 0)
          return strcmp (argv[1], "--child") == 0 ? child_main (&bench_families[f]) : pauses_main (&bench_families[f]);
      return 1;
    }

  if (argc > 1)
    rounds = MAX (atoi (argv[1]), 1);
  backend = acc_backend_new_for_name ("native", &error);
  check (backend, error);

  printf ("# latency: medians, in brackets the least and the greatest\n");
  if (is_wanted (argv, "processes"))
    bench_processes (argv[0]);
  if (is_wanted (argv, "pauses"))
    bench_pauses (argv[0]);
  if (is_wanted (argv, "planning"))
    bench_planning (backend);
  if (is_wanted (argv, "runs"))
    bench_runs (backend);
  if (is_wanted (argv, "small"))
    bench_small (backend);
  if (is_wanted (argv, "workers"))
    bench_workers (backend);
  if (is_wanted (argv, "pages"))
    bench_pages ();

  return 0;
}
