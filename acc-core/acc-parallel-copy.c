/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "acc-parallel-copy-private.h"

#include "acc-backend-private.h"

#include <string.h>

#define MIN_PIECE   (512 * 1024)
#define MAX_THREADS 8

typedef struct {
  GMutex lock;
  GCond  cond;
  guint  n_left;
} Copy;

typedef struct {
  Copy         *copy;
  gpointer      to;
  gconstpointer from;
  gsize         size;
} Piece;

static void
copy_piece (gpointer data, gpointer user_data)
{
  Piece *piece = data;
  Copy *copy = piece->copy;

  memcpy (piece->to, piece->from, piece->size);

  g_mutex_lock (&copy->lock);
  if (--copy->n_left == 0)
    g_cond_signal (&copy->cond);
  g_mutex_unlock (&copy->lock);
}

typedef struct {
  GThreadPool *threads;   /* NULL: none can be had */
  guint        n;         /* that copy together, the caller's included */
} Team;

static const Team *
get_team (void)
{
  static Team team;
  static gsize ready;

  if (g_once_init_enter (&ready))
    {
      g_autoptr(GError) error = NULL;

      team.n = CLAMP (acc_machine_get_n_processors (), 1, MAX_THREADS);
      if (team.n > 1)
        team.threads = g_thread_pool_new (copy_piece, NULL, (gint) team.n - 1, TRUE, &error);
      if (error != NULL)
        team.threads = NULL;
      g_once_init_leave (&ready, 1);
    }

  return &team;
}

void
acc_parallel_copy (gpointer to, gconstpointer from, gsize size)
{
  const Team *team = size >= 2 * MIN_PIECE ? get_team () : NULL;
  guint n = team != NULL && team->threads != NULL ? (guint) MIN (size / MIN_PIECE, team->n) : 1;
  Piece pieces[MAX_THREADS];
  gsize begin = 0;
  Copy copy;

  if (n < 2)
    {
      if (size > 0)
        memcpy (to, from, size);
      return;
    }

  g_mutex_init (&copy.lock);
  g_cond_init (&copy.cond);
  copy.n_left = n - 1;

  for (guint i = 0; i < n; i++)
    {
      gsize end = i + 1 == n ? size : size / n * (i + 1);

      pieces[i] = (Piece) { &copy, (guint8 *) to + begin, (const guint8 *) from + begin, end - begin };
      begin = end;
      if (i + 1 < n)
        g_thread_pool_push (team->threads, &pieces[i], NULL);
    }

  memcpy (pieces[n - 1].to, pieces[n - 1].from, pieces[n - 1].size);

  g_mutex_lock (&copy.lock);
  while (copy.n_left > 0)
    g_cond_wait (&copy.cond, &copy.lock);
  g_mutex_unlock (&copy.lock);

  g_mutex_clear (&copy.lock);
  g_cond_clear (&copy.cond);
}
