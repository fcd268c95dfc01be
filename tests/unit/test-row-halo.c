/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "acc-core/backend/acc-row-halo-private.h"

/* Lags, carries and halos, against steps that are run row by row. */

#define MAX_STEPS 6
#define N_ROWS    40

typedef struct {
  guint  from;           /* step 0 is the source */
  gint64 above, below;
} Read;

typedef struct {
  guint      n_reads;
  Read       reads[3];
  gint64     lag;
  gint64     carry;      /* of what it writes */
  AccRowHalo halo;       /* of the source's rows */
} Step;

static void
make_steps (GRand *rand, Step *steps, guint n)
{
  steps[0] = (Step) { 0, };
  for (guint s = 1; s < n; s++)
    {
      Step *self = &steps[s];

      *self = (Step) { .n_reads = (guint) g_rand_int_range (rand, 1, 4) };
      for (guint i = 0; i < self->n_reads; i++)
        {
          Read *read = &self->reads[i];

          *read = (Read) { (guint) g_rand_int_range (rand, 0, (int) s), g_rand_int_range (rand, 0, 5), g_rand_int_range (rand, 0, 5) };
          self->lag = MAX (self->lag, acc_rows_get_reader_lag (steps[read->from].lag, read->below, N_ROWS));
          acc_row_halo_extend (&self->halo, &steps[read->from].halo, read->above, read->below);
        }
    }
  for (guint s = 1; s < n; s++)
    for (guint i = 0; i < steps[s].n_reads; i++)
      {
        Step *from = &steps[steps[s].reads[i].from];

        from->carry = MAX (from->carry, acc_rows_get_carry (from->lag, steps[s].lag, steps[s].reads[i].above));
      }
}

/* The rows that a step has computed when the driver is at @t. */
static gint64
get_end (const Step *self, gint64 t)
{
  return CLAMP (t - self->lag, 0, N_ROWS);
}

/* Runs the steps with bands of @band rows: all that a row reads is computed, and at most .carry rows before those of the last band. Returns
 * the most that were needed of @watched. */
static gint64
run (const Step *steps, guint n, gint64 band, guint watched)
{
  gint64 needed = 0;

  for (gint64 t = band; t < N_ROWS + steps[n - 1].lag + 100; t += band)
    for (guint s = 1; s < n; s++)
      for (gint64 row = get_end (&steps[s], t - band); row < get_end (&steps[s], t); row++)
        for (guint i = 0; i < steps[s].n_reads; i++)
          {
            const Read *read = &steps[s].reads[i];
            const Step *from = &steps[read->from];
            gint64 first = MAX (row - read->above, 0), last = MIN (row + read->below, N_ROWS - 1);

            g_assert_cmpint (last, <, get_end (from, t));
            g_assert_cmpint (first, >=, (t - band) - from->lag - from->carry);
            if (read->from == watched)
              needed = MAX (needed, t - band - from->lag - first);
          }

  return needed;
}

static void
test_runs (void)
{
  g_autoptr(GRand) rand = g_rand_new_with_seed (11);

  for (guint k = 0; k < 500; k++)
    {
      Step steps[MAX_STEPS];
      guint n = (guint) g_rand_int_range (rand, 2, MAX_STEPS + 1);

      make_steps (rand, steps, n);
      for (gint64 band = 1; band <= 7; band += 3)
        for (guint s = 0; s + 1 < n; s++)
          /* No row too many is kept. */
          g_assert_cmpint (run (steps, n, band, s), ==, steps[s].carry);
    }
}

/* A row of the last step depends on those of the source that its halo says, and on no others. */
static void
test_halos (void)
{
  enum { N = 101, MIDDLE = N / 2 };
  g_autoptr(GRand) rand = g_rand_new_with_seed (12);

  for (guint k = 0; k < 500; k++)
    {
      Step steps[MAX_STEPS];
      guint n = (guint) g_rand_int_range (rand, 2, MAX_STEPS + 1);
      gboolean needed[MAX_STEPS][N] = { { FALSE, }, };
      gint64 first = N, last = -1;

      make_steps (rand, steps, n);
      needed[n - 1][MIDDLE] = TRUE;
      for (guint s = n; s-- > 1;)
        for (gint64 row = 0; row < N; row++)
          for (guint i = 0; i < steps[s].n_reads && needed[s][row]; i++)
            for (gint64 r = row - steps[s].reads[i].above; r <= row + steps[s].reads[i].below; r++)
              needed[steps[s].reads[i].from][r] = TRUE;
      for (gint64 row = 0; row < N; row++)
        if (needed[0][row])
          {
            first = MIN (first, row);
            last = row;
          }
      g_assert_cmpint (steps[n - 1].halo.above, ==, MIDDLE - first);
      g_assert_cmpint (steps[n - 1].halo.below, ==, last - MIDDLE);
    }
}

static void
test_limits (void)
{
  AccRowHalo self = { 0, 0 }, far = { ACC_ROWS_MAX, 3 };

  g_assert_cmpint (acc_rows_add (ACC_ROWS_MAX, 1), ==, ACC_ROWS_MAX);
  g_assert_cmpint (acc_rows_add (ACC_ROWS_MAX - 1, 1), ==, ACC_ROWS_MAX);
  acc_row_halo_extend (&self, &far, 5, 4);
  g_assert_cmpint (self.above, ==, ACC_ROWS_MAX);
  g_assert_cmpint (self.below, ==, 7);
  /* More rows below than there are wait for all of them. */
  g_assert_cmpint (acc_rows_get_reader_lag (2, 100, 10), ==, 12);
  g_assert_cmpint (acc_rows_get_writer_lag (12, 100, 10), ==, 2);
  g_assert_cmpint (acc_rows_get_carry (2, 7, 3), ==, 8);
  g_assert_cmpint (acc_rows_get_carry (-4, -1, 0), ==, 3);
}

int
main (int argc, char **argv)
{
  g_test_init (&argc, &argv, NULL);
  g_test_add_func ("/row-halo/runs", test_runs);
  g_test_add_func ("/row-halo/halos", test_halos);
  g_test_add_func ("/row-halo/limits", test_limits);

  return g_test_run ();
}
