/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "acc-backends/runtime/run/acc-launch.h"

/* Launches that sweep over tiles together, as a scan's do: sums, what is before each, and what becomes of them. */

#define N_ROWS    4
#define N_COLUMNS 125
#define N_TILES   (N_ROWS * N_COLUMNS)
#define NOBODY    -1

typedef struct {
  gint64 sums[N_TILES], before[N_TILES], results[N_TILES];
  gint   n_sums[N_TILES], n_turns[N_TILES];   /* atomic: calls */
  gint64 total;                               /* of the serial launch */
  gint64 last_turn;                           /* atomic: the tile that had it last */
  gint64 late;                                /* tile whose first sum is not there before the turn of the last tile */
  gint64 failing;                             /* tile whose sum fails */
  guint  n_threads;
} Trial;

static Trial *
get_trial (const guint64 *slots)
{
  return (Trial *) (gsize) slots[0];
}

static gint64
get_tile (const gint64 *range)
{
  return range[0] * N_COLUMNS + range[2];
}

static void
sum_tile (const guint64 *slots,
          const gint64  *range,
          AccFailure    *failure)
{
  Trial *trial = get_trial (slots);
  gint64 tile = get_tile (range);

  if (__atomic_fetch_add (&trial->n_sums[tile], 1, __ATOMIC_SEQ_CST) == 0 && tile == trial->late)
    while (__atomic_load_n (&trial->last_turn, __ATOMIC_SEQ_CST) < N_TILES - 1)
      g_usleep (100);
  __atomic_store_n (&trial->sums[tile], tile * tile, __ATOMIC_RELAXED);
  if (tile == trial->failing)
    {
      failure->kind = ACC_ERROR_BOUNDS;
      failure->index = 7;
      failure->extent = 3;
      __atomic_store_n (&failure->state, 1, __ATOMIC_RELEASE);
    }
}

static void
add_before (const guint64 *slots,
            const gint64  *range,
            AccFailure    *failure)
{
  Trial *trial = get_trial (slots);

  g_assert_cmpint (range[0] + 1, ==, range[1]);
  g_assert_cmpint (range[2], <, range[3]);
  for (gint64 tile = get_tile (range); tile < range[0] * N_COLUMNS + range[3]; tile++)
    {
      __atomic_add_fetch (&trial->n_turns[tile], 1, __ATOMIC_SEQ_CST);
      g_assert_cmpint (trial->last_turn, ==, tile - 1);
      trial->before[tile] = trial->total;
      trial->total += __atomic_load_n (&trial->sums[tile], __ATOMIC_RELAXED);
      __atomic_store_n (&trial->last_turn, tile, __ATOMIC_SEQ_CST);
    }
}

static void
finish_tile (const guint64 *slots,
             const gint64  *range,
             AccFailure    *failure)
{
  Trial *trial = get_trial (slots);
  gint64 tile = get_tile (range);

  trial->results[tile] = trial->before[tile] + tile;
}

static gboolean
run (Trial   *trial,
     GError **error)
{
  static const AccKernelEntry entries[] = { sum_tile, add_before, finish_tile };
  g_autoptr(AccWorkers) workers = acc_workers_new (trial->n_threads);
  g_autoptr(GPtrArray) origins = g_ptr_array_new ();
  AccLaunch launches[3];
  AccPreparedLaunch prepared[3] = { 0 };
  AccSchedule schedule = { .origins = origins };
  AccPrepared all = { .schedule = &schedule };
  AccHost host = { .workers = workers };
  AccLaunchContext context;
  guint64 slots[3];

  for (guint i = 0; i < 3; i++)
    {
      launches[i] = (AccLaunch) { .n_slots = 1, .outer = N_ROWS, .inner = N_COLUMNS, .tile_outer = 1, .tile_inner = 1, .cost = 1e6,
                                  .serial = i == 1, .sweeps = i < 2 };
      prepared[i].launch = &launches[i];
      prepared[i].entry = &entries[i];
      slots[i] = (gsize) trial;
      acc_partition_init_whole (&prepared[i].whole, &launches[i], trial->n_threads);
    }
  trial->last_turn = -1;
  acc_launch_context_init (&context, &host, &all, NULL);

  return acc_launch_run (&context, prepared, 3, &prepared[0].whole, slots, error);
}

static void
check_results (Trial *trial)
{
  gint64 before = 0;

  for (gint64 i = 0; i < N_TILES; i++)
    {
      g_assert_cmpint (trial->n_turns[i], ==, 1);
      g_assert_cmpint (trial->n_sums[i], >=, 1);
      g_assert_cmpint (trial->before[i], ==, before);
      g_assert_cmpint (trial->results[i], ==, before + i);
      before += i * i;
    }
}

static void
test_in_order (void)
{
  static const guint threads[] = { 1, 2, 3, 16, 100 };

  for (guint t = 0; t < G_N_ELEMENTS (threads); t++)
    for (guint repeat = 0; repeat < 10; repeat++)
      {
        g_autofree Trial *trial = g_new0 (Trial, 1);
        g_autoptr(GError) error = NULL;

        trial->n_threads = threads[t];
        trial->late = trial->failing = NOBODY;
        g_assert_true (run (trial, &error));
        g_assert_no_error (error);
        check_results (trial);
      }
}

/* A thread stops on its way, for as long as others need for all the rest. */
static void
test_late_tile (void)
{
  static const gint64 late[] = { 0, 1, 250, N_TILES - 2 };

  for (guint i = 0; i < G_N_ELEMENTS (late); i++)
    {
      g_autofree Trial *trial = g_new0 (Trial, 1);
      g_autoptr(GError) error = NULL;

      trial->n_threads = 3;
      trial->late = late[i];
      trial->failing = NOBODY;
      g_assert_true (run (trial, &error));
      g_assert_no_error (error);
      g_assert_cmpint (trial->n_sums[late[i]], >=, 2);
      check_results (trial);
    }
}

static void
test_failure (void)
{
  static const guint threads[] = { 1, 4, 70 };

  for (guint t = 0; t < G_N_ELEMENTS (threads); t++)
    {
      g_autofree Trial *trial = g_new0 (Trial, 1);
      g_autoptr(GError) error = NULL;

      trial->n_threads = threads[t];
      trial->late = NOBODY;
      trial->failing = 100;
      g_assert_false (run (trial, &error));
      g_assert_error (error, ACC_ERROR, ACC_ERROR_BOUNDS);
    }
}

typedef struct {
  GCancellable *cancellable;
  gint          n_calls, n_late;   /* atomic */
} Cancelled;

static void
cancel_early (const guint64 *slots,
              const gint64  *range,
              AccFailure    *failure)
{
  Cancelled *self = (Cancelled *) (gsize) slots[0];

  if (g_cancellable_is_cancelled (self->cancellable))
    g_atomic_int_inc (&self->n_late);
  if (g_atomic_int_add (&self->n_calls, 1) == 20)
    g_cancellable_cancel (self->cancellable);
}

/* Of more tiles than there is time to look at, those that were not begun are left. */
static void
test_cancelled (void)
{
  static const guint threads[] = { 1, 2, 7 };
  static const AccKernelEntry entry = cancel_early;

  for (guint t = 0; t < G_N_ELEMENTS (threads); t++)
    for (guint may_stop = 0; may_stop < 2; may_stop++)
      {
        g_autoptr(AccWorkers) workers = acc_workers_new (threads[t]);
        g_autoptr(GPtrArray) origins = g_ptr_array_new ();
        g_autoptr(GCancellable) cancellable = g_cancellable_new ();
        g_autoptr(GError) error = NULL;
        AccLaunch launch = { .n_slots = 1, .outer = 1 << 30, .inner = 1 << 30, .tile_outer = 1, .tile_inner = 1 << 10, .cost = 1 };
        AccPreparedLaunch prepared = { .launch = &launch, .entry = &entry, .may_stop = may_stop };
        AccSchedule schedule = { .origins = origins };
        AccPrepared all = { .schedule = &schedule };
        AccHost host = { .workers = workers };
        Cancelled cancelled = { cancellable };
        AccLaunchContext context;
        guint64 slot = (gsize) &cancelled;

        acc_partition_init_whole (&prepared.whole, &launch, threads[t]);
        g_assert_cmpint (prepared.whole.n_tiles, ==, G_GINT64_CONSTANT (1) << 50);
        acc_launch_context_init (&context, &host, &all, cancellable);
        g_assert_false (acc_launch_run (&context, &prepared, 1, &prepared.whole, &slot, &error));
        g_assert_error (error, G_IO_ERROR, G_IO_ERROR_CANCELLED);
        /* Those that were about to begin. */
        g_assert_cmpint (cancelled.n_late, <, (gint) threads[t]);
      }
}

int
main (int    argc,
      char **argv)
{
  g_test_init (&argc, &argv, NULL);
  g_test_add_func ("/launch/in-order", test_in_order);
  g_test_add_func ("/launch/late-tile", test_late_tile);
  g_test_add_func ("/launch/failure", test_failure);
  g_test_add_func ("/launch/cancelled", test_cancelled);

  return g_test_run ();
}
