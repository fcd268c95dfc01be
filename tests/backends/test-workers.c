/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "acc-backends/runtime/run/acc-partition.h"
#include "acc-backends/runtime/threads/acc-workers.h"

#include <string.h>

typedef struct {
  guint8  *seen;
  gint     n_busy;      /* atomic: per worker number, bits in use */
  gint     n_clashes;   /* atomic */
  gint64   sum;         /* atomic */
  guint    work;
} Count;

static gboolean
count_tile (gint64   tile,
            guint    worker,
            gpointer user_data)
{
  Count *count = user_data;
  gint bit = 1 << worker;

  if (__atomic_fetch_or (&count->n_busy, bit, __ATOMIC_ACQ_REL) & bit)
    __atomic_add_fetch (&count->n_clashes, 1, __ATOMIC_RELAXED);
  count->seen[tile]++;
  __atomic_add_fetch (&count->sum, tile, __ATOMIC_RELAXED);
  for (volatile guint i = 0; i < count->work; i++)
    ;
  __atomic_fetch_and (&count->n_busy, ~bit, __ATOMIC_ACQ_REL);

  return TRUE;
}

static void
run_counted (AccWorkers *workers,
             gint64      n_tiles,
             gint64      claim,
             guint       work)
{
  g_autofree guint8 *seen = g_malloc0 (n_tiles + 1);
  Count count = { .seen = seen, .work = work };

  acc_workers_run (workers, n_tiles, claim, count_tile, &count);
  for (gint64 i = 0; i < n_tiles; i++)
    g_assert_cmpint (seen[i], ==, 1);
  g_assert_cmpint (count.n_clashes, ==, 0);
  g_assert_cmpint (count.sum, ==, n_tiles * (n_tiles - 1) / 2);
}

static void
test_every_tile_once (void)
{
  static const guint threads[] = { 1, 2, 3, 8, 16 };

  for (guint t = 0; t < G_N_ELEMENTS (threads); t++)
    {
      g_autoptr(AccWorkers) workers = acc_workers_new (threads[t]);

      g_assert_cmpint (acc_workers_get_n_threads (workers), ==, threads[t]);
      for (gint64 n = 0; n < 70; n++)
        for (gint64 claim = 1; claim < 5; claim++)
          run_counted (workers, n, claim, 20);
      run_counted (workers, 20000, 7, 100);
      run_counted (workers, 3, G_MAXINT64, 100);
    }
}

static void
test_small_jobs_start_no_threads (void)
{
  g_autoptr(AccWorkers) workers = acc_workers_new (4);

  run_counted (workers, 1, 1, 0);
  run_counted (workers, 10, 10, 0);
  g_assert_cmpint (acc_workers_get_n_started (workers), ==, 0);
  run_counted (workers, 2, 1, 0);
  g_assert_cmpint (acc_workers_get_n_started (workers), ==, 1);
  run_counted (workers, 100, 1, 0);
  g_assert_cmpint (acc_workers_get_n_started (workers), ==, 3);
}

static gpointer
user_main (gpointer data)
{
  for (guint i = 0; i < 300; i++)
    run_counted (data, 1 + i % 50, 1 + i % 3, 200);

  return NULL;
}

static void
test_many_users (void)
{
  g_autoptr(AccWorkers) workers = acc_workers_new (4);
  GThread *users[6];

  for (guint i = 0; i < G_N_ELEMENTS (users); i++)
    users[i] = g_thread_new ("user", user_main, workers);
  for (guint i = 0; i < G_N_ELEMENTS (users); i++)
    g_thread_join (users[i]);
}

static gboolean
nested_tile (gint64   tile,
             guint    worker,
             gpointer user_data)
{
  run_counted (user_data, 20, 1, 50);

  return TRUE;
}

static void
test_nested (void)
{
  g_autoptr(AccWorkers) workers = acc_workers_new (4);

  acc_workers_run (workers, 40, 1, nested_tile, workers);
}

static void
test_idle_sleeps (void)
{
  g_autoptr(AccWorkers) workers = acc_workers_new (4);

  for (guint round = 0; round < 3; round++)
    {
      run_counted (workers, 100, 1, 100);
      for (guint i = 0; acc_workers_get_n_sleeping (workers) < 3 && i < 2000; i++)
        g_usleep (1000);
      g_assert_cmpint (acc_workers_get_n_sleeping (workers), ==, 3);
    }
}

typedef struct {
  gint n_wanted;
  gint n_there;   /* atomic */
} Meeting;

/* Ends when all tiles have begun, so that no thread does two. */
static gboolean
meet (gint64   tile,
      guint    worker,
      gpointer user_data)
{
  Meeting *meeting = user_data;
  gint64 until = g_get_monotonic_time () + 20 * G_USEC_PER_SEC;

  g_atomic_int_inc (&meeting->n_there);
  while (g_atomic_int_get (&meeting->n_there) < meeting->n_wanted && g_get_monotonic_time () < until)
    g_usleep (50);
  g_assert_cmpint (g_atomic_int_get (&meeting->n_there), ==, meeting->n_wanted);

  return TRUE;
}

static void
test_all_come (void)
{
  static const gint threads[] = { 2, 3, 8, 13, 32, 64 };

  for (guint t = 0; t < G_N_ELEMENTS (threads); t++)
    {
      g_autoptr(AccWorkers) workers = acc_workers_new ((guint) threads[t]);

      for (gint n = 2; n <= threads[t]; n = n < threads[t] ? MIN (n * 3 - 1, threads[t]) : n + 1)
        {
          Meeting meeting = { .n_wanted = n };

          acc_workers_run (workers, n, 1, meet, &meeting);
          for (guint i = 0; acc_workers_get_n_sleeping (workers) < acc_workers_get_n_started (workers) && i < 2000; i++)
            g_usleep (1000);
        }
    }
}

enum { N_HOMES = 4, TILES_OF_HOME = 5 };

typedef struct {
  Meeting  meeting;
  GThread *threads[N_HOMES * TILES_OF_HOME];  /* that ran each tile */
  gint     n_begun[N_HOMES];                  /* atomic: tiles that each worker has begun */
  gint64   firsts[N_HOMES];
} Homes;

/* All wait in their first tiles until all are there. */
static gboolean
note_home (gint64   tile,
           guint    worker,
           gpointer user_data)
{
  Homes *homes = user_data;

  homes->threads[tile] = g_thread_self ();
  if (g_atomic_int_add (&homes->n_begun[worker], 1) > 0)
    return TRUE;
  homes->firsts[worker] = tile;

  return meet (tile, worker, &homes->meeting);
}

/* Each thread begins with a part of its own, the same in every job of as many tiles. */
static void
test_begins_at_home (void)
{
  g_autoptr(AccWorkers) workers = acc_workers_new (N_HOMES);
  GThread *before[N_HOMES] = { NULL };

  for (guint round = 0; round < 20; round++)
    {
      Homes homes = { .meeting.n_wanted = N_HOMES };
      guint seen = 0;

      acc_workers_run (workers, N_HOMES * TILES_OF_HOME, 1, note_home, &homes);
      for (guint i = 0; i < N_HOMES; i++)
        {
          gint64 first = homes.firsts[i], home = first / TILES_OF_HOME;

          g_assert_cmpint (first % TILES_OF_HOME, ==, 0);
          seen |= 1u << home;
          if (round > 0)
            g_assert_true (homes.threads[first] == before[home]);
          before[home] = homes.threads[first];
        }
      g_assert_cmpuint (seen, ==, (1u << N_HOMES) - 1);
      g_assert_true (before[0] == g_thread_self ());
    }
}

/* Who waits for the tile before would wait forever were it not begun. */
static gboolean
follow (gint64   tile,
        guint    worker,
        gpointer user_data)
{
  gint *n_done = user_data;
  gint64 until = g_get_monotonic_time () + 20 * G_USEC_PER_SEC;

  while (g_atomic_int_get (n_done) != tile && g_get_monotonic_time () < until)
    g_thread_yield ();
  g_assert_cmpint (g_atomic_int_get (n_done), ==, tile);
  g_atomic_int_inc (n_done);

  return TRUE;
}

static void
test_in_order (void)
{
  static const guint threads[] = { 1, 2, 5 };

  for (guint t = 0; t < G_N_ELEMENTS (threads); t++)
    {
      g_autoptr(AccWorkers) workers = acc_workers_new (threads[t]);

      for (gint n = 0; n < 100; n += 1 + n / 2)
        {
          gint n_done = 0;

          acc_workers_run_in_order (workers, n, follow, &n_done);
          g_assert_cmpint (n_done, ==, n);
        }
    }
}

enum { MOST_TILES = 40, MOST_THREADS = 16 };

typedef struct {
  gboolean in_order;
  gint     n_begun, n_refused;                /* atomic */
  guint8   seen[MOST_TILES + MOST_THREADS];
} Left;

static gboolean
begin_few (gint64   tile,
           guint    worker,
           gpointer user_data)
{
  Left *left = user_data;
  gint n = g_atomic_int_add (&left->n_begun, 1);

  if (left->in_order)
    {
      g_assert_cmpint (tile, <, G_N_ELEMENTS (left->seen));
      left->seen[tile]++;
      n = (gint) tile;
    }
  if (n < MOST_TILES)
    return TRUE;
  g_atomic_int_inc (&left->n_refused);

  return FALSE;
}

/* Of more tiles than there is time for: each thread begins one at most once one was refused, and of those in order none is left out. */
static void
test_leaves_tiles (void)
{
  static const guint threads[] = { 1, 2, 5, MOST_THREADS };
  const gint64 n_tiles = G_GINT64_CONSTANT (1000000000000000);

  for (guint t = 0; t < G_N_ELEMENTS (threads); t++)
    for (guint again = 0; again < 10; again++)
      {
        g_autoptr(AccWorkers) workers = acc_workers_new (threads[t]);
        Left some = { FALSE }, claims = { FALSE }, in_order = { TRUE };

        acc_workers_run (workers, n_tiles, 1, begin_few, &some);
        acc_workers_run (workers, n_tiles, 1000, begin_few, &claims);
        acc_workers_run_in_order (workers, n_tiles, begin_few, &in_order);
        g_assert_cmpint (some.n_refused, >=, 1);
        g_assert_cmpint (some.n_begun, <=, MOST_TILES + (gint) threads[t]);
        g_assert_cmpint (claims.n_begun, <=, MOST_TILES + (gint) threads[t]);
        g_assert_cmpint (in_order.n_begun, ==, MOST_TILES + in_order.n_refused);
        for (gint i = 0; i < in_order.n_begun; i++)
          g_assert_cmpint (in_order.seen[i], ==, 1);
      }
}

typedef struct {
  gint n_done, n_destroyed;   /* atomic */
  gint is_held;
} Sent;

static void
do_task (gpointer data,
         gpointer unused)
{
  Sent *sent = data;

  while (g_atomic_int_get (&sent->is_held))
    g_usleep (100);
  g_atomic_int_inc (&sent->n_done);
}

static void
destroy_task (gpointer data)
{
  Sent *sent = data;

  g_atomic_int_inc (&sent->n_destroyed);
}

static gboolean
reaches (gint *value,
         gint  wanted)
{
  for (guint i = 0; g_atomic_int_get (value) < wanted && i < 20000; i++)
    g_usleep (1000);

  return g_atomic_int_get (value) == wanted;
}

/* Somebody does what was sent, while others run jobs, and every one is destroyed once. */
static void
test_background (void)
{
  static const guint threads[] = { 2, 3, 8 };

  for (guint t = 0; t < G_N_ELEMENTS (threads); t++)
    {
      Sent sent = { 0 };
      g_autoptr(AccWorkers) workers = acc_workers_new (threads[t]);

      for (gint i = 0; i < 200; i++)
        {
          g_assert_true (acc_workers_send (workers, do_task, &sent, destroy_task));
          if (i % 3 == 0)
            run_counted (workers, 10, 1, 20);
          if (i % 50 == 0)
            g_assert_true (reaches (&sent.n_destroyed, i + 1));
        }
      g_assert_true (reaches (&sent.n_destroyed, 200));
      g_assert_cmpint (sent.n_done, ==, 200);

      /* Those that sleep are woken. */
      for (guint i = 0; acc_workers_get_n_sleeping (workers) < acc_workers_get_n_started (workers) && i < 2000; i++)
        g_usleep (1000);
      g_assert_true (acc_workers_send (workers, do_task, &sent, destroy_task));
      g_assert_true (reaches (&sent.n_destroyed, 201));
    }
}

static void
test_background_end (void)
{
  Sent alone = { 0 }, first = { .is_held = TRUE }, second = { 0 }, third = { 0 }, late = { 0 };
  g_autoptr(AccWorkers) none = acc_workers_new (1), workers = acc_workers_new (2);

  g_assert_false (acc_workers_send (none, do_task, &alone, destroy_task));
  g_assert_cmpint (alone.n_destroyed, ==, 1);

  /* With the only worker at the first, the others wait; jobs are the caller's. */
  g_assert_true (acc_workers_send (workers, do_task, &first, destroy_task));
  while (acc_workers_withdraw (workers, &first))
    {
      g_assert_true (acc_workers_send (workers, do_task, &first, destroy_task));
      g_usleep (2000);
    }
  g_assert_true (acc_workers_send (workers, do_task, &second, destroy_task));
  g_assert_true (acc_workers_send (workers, do_task, &third, destroy_task));
  run_counted (workers, 100, 1, 20);
  g_assert_false (acc_workers_are_in_jobs (workers));
  g_assert_true (acc_workers_withdraw (workers, &second));
  g_assert_false (acc_workers_withdraw (workers, &second));
  g_assert_cmpint (second.n_destroyed, ==, 0);

  g_atomic_int_set (&first.is_held, FALSE);
  acc_workers_end_background (workers);
  g_assert_cmpint (first.n_destroyed, ==, 1);
  g_assert_cmpint (first.n_done, ==, 1);
  g_assert_true (reaches (&third.n_destroyed, 1));
  g_assert_cmpint (second.n_destroyed, ==, 0);
  g_assert_false (acc_workers_send (workers, do_task, &late, destroy_task));
  g_assert_cmpint (late.n_destroyed, ==, 1);
  run_counted (workers, 100, 1, 20);
}

static void
test_latency (void)
{
  g_autoptr(AccWorkers) workers = acc_workers_new (2);
  gint64 start;
  guint n = 2000;

  run_counted (workers, 100, 1, 100);
  start = g_get_monotonic_time ();
  for (guint i = 0; i < n; i++)
    run_counted (workers, 4, 1, 0);
  g_test_message ("a job of 4 empty tiles: %.2f us", (g_get_monotonic_time () - start) / (double) n);
}

static void
check_partition (const AccLaunch *launch,
                 gint64           row_begin,
                 gint64           row_end,
                 gboolean         whole,
                 guint            n_threads)
{
  AccPartition p;
  gint64 begin[2] = { 0, 0 }, end[2] = { launch->outer, launch->inner };
  guint d = launch->rows == ACC_SPACE_INNER_ROWS ? 1 : 0;
  g_autofree guint8 *seen = g_malloc0 (launch->outer * launch->inner + 1);

  if (whole)
    acc_partition_init_whole (&p, launch, n_threads);
  else
    {
      acc_partition_init_rows (&p, launch, row_begin, row_end, n_threads);
      begin[d] = row_begin * launch->units_per_row;
      end[d] = row_end * launch->units_per_row;
    }

  g_assert_cmpint (p.claim, >=, 1);
  for (gint64 n = 0; n < p.n_tiles; n++)
    {
      gint64 r[5];

      acc_partition_get (&p, n, r);
      g_assert_cmpint (r[0], <, r[1]);
      if (launch->inner > 0)
        g_assert_cmpint (r[2], <, r[3]);
      g_assert_cmpint (r[1] - r[0], <=, p.tile[0]);
      g_assert_cmpint (r[3] - r[2], <=, p.tile[1]);
      g_assert_cmpint (r[4], ==, r[0] / p.tile[0] * MAX ((launch->inner + p.tile[1] - 1) / p.tile[1], 1) + r[2] / p.tile[1]);
      for (gint64 i = r[0]; i < r[1]; i++)
        for (gint64 j = r[2]; j < r[3]; j++)
          {
            g_assert_cmpint (seen[i * launch->inner + j], ==, 0);
            seen[i * launch->inner + j] = 1;
          }
    }
  for (gint64 i = 0; i < launch->outer; i++)
    for (gint64 j = 0; j < launch->inner; j++)
      g_assert_cmpint (seen[i * launch->inner + j], ==, i >= begin[0] && i < end[0] && j >= begin[1] && j < end[1]);
}

static void
test_partition_covers (void)
{
  static const gint64 extents[] = { 0, 1, 2, 7, 64, 1000, 1025 };
  static const gint64 tiles[] = { 0, 1, 3, 64, 5000 };
  static const double costs[] = { 0, 0.1, 30, 5000 };

  for (guint a = 0; a < G_N_ELEMENTS (extents); a++)
    for (guint b = 0; b < G_N_ELEMENTS (extents); b++)
      for (guint c = 0; c < G_N_ELEMENTS (tiles); c++)
        for (guint e = 0; e < G_N_ELEMENTS (tiles); e++)
          for (guint f = 0; f < G_N_ELEMENTS (costs); f++)
            {
              AccLaunch launch = { .outer = extents[a], .inner = extents[b], .tile_outer = tiles[c], .tile_inner = tiles[e],
                                   .cost = costs[f], .rows = ACC_SPACE_OUTER_ROWS, .units_per_row = 1 };

              if (extents[a] * extents[b] > 100000)
                continue;
              check_partition (&launch, 0, 0, TRUE, 2);
              check_partition (&launch, 0, 0, TRUE, 64);
              check_partition (&launch, launch.outer / 3, launch.outer / 2, FALSE, 2);
              check_partition (&launch, 0, launch.outer, FALSE, 2);
              check_partition (&launch, 0, launch.outer, FALSE, 64);
              launch.rows = ACC_SPACE_INNER_ROWS;
              check_partition (&launch, launch.inner / 3, launch.inner / 2, FALSE, 2);
              if (launch.inner % 4 == 0)
                {
                  launch.units_per_row = 4;
                  check_partition (&launch, launch.inner / 16, launch.inner / 8, FALSE, 2);
                }
            }
}

static void
test_partition_sizes (void)
{
  AccPartition p;
  AccLaunch image = { .outer = 20000, .inner = 60000, .cost = 0.2 };
  AccLaunch vector = { .outer = 1, .inner = 1 << 26, .cost = 0.5 };
  AccLaunch medium = { .outer = 1024, .inner = 1024, .cost = 2 };
  AccLaunch small = { .outer = 10, .inner = 100, .cost = 1 };
  AccLaunch heavy = { .outer = 100, .inner = 100, .cost = 2000 };
  AccLaunch serial = { .outer = 100, .inner = 100, .cost = 2000, .serial = TRUE };
  AccLaunch empty_rows = { .outer = 5, .inner = 0, .cost = 1, .tile_inner = 16 };

  acc_partition_init_whole (&p, &image, 2);
  g_assert_cmpint (p.tile[1], >=, 60000);
  g_assert_cmpint (p.tile[0], ==, 6);
  acc_partition_init_whole (&p, &vector, 2);
  g_assert_cmpint (p.n_tiles, >=, 64);
  g_assert_cmpint (p.tile[1] % 1024, ==, 0);
  acc_partition_init_whole (&p, &small, 2);
  g_assert_cmpint (p.claim, >=, p.n_tiles);
  acc_partition_init_whole (&p, &medium, 2);
  g_assert_cmpint (p.n_tiles, >=, 16);
  g_assert_cmpint (p.n_tiles, <=, 64);
  acc_partition_init_whole (&p, &medium, 64);
  g_assert_cmpint (p.n_tiles, >=, 128);
  g_assert_cmpint (p.claim, ==, 1);
  acc_partition_init_whole (&p, &heavy, 2);
  g_assert_cmpint (p.n_tiles, >=, 50);
  acc_partition_init_whole (&p, &serial, 2);
  g_assert_cmpint (p.n_tiles, ==, 1);
  acc_partition_init_whole (&p, &empty_rows, 2);
  g_assert_cmpint (p.count[0] * p.count[1], ==, p.n_tiles);
  g_assert_cmpint (p.n_tiles, >=, 1);
}

int
main (int    argc,
      char **argv)
{
  g_test_init (&argc, &argv, NULL);
  g_test_add_func ("/workers/every-tile-once", test_every_tile_once);
  g_test_add_func ("/workers/small-jobs-start-no-threads", test_small_jobs_start_no_threads);
  g_test_add_func ("/workers/many-users", test_many_users);
  g_test_add_func ("/workers/nested", test_nested);
  g_test_add_func ("/workers/idle-sleeps", test_idle_sleeps);
  g_test_add_func ("/workers/all-come", test_all_come);
  g_test_add_func ("/workers/begins-at-home", test_begins_at_home);
  g_test_add_func ("/workers/in-order", test_in_order);
  g_test_add_func ("/workers/leaves-tiles", test_leaves_tiles);
  g_test_add_func ("/workers/background", test_background);
  g_test_add_func ("/workers/background-end", test_background_end);
  g_test_add_func ("/workers/latency", test_latency);
  g_test_add_func ("/partition/covers", test_partition_covers);
  g_test_add_func ("/partition/sizes", test_partition_sizes);

  return g_test_run ();
}
