/* SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

#include <glib.h>

G_BEGIN_DECLS

/* A gang of threads that help whoever runs a job.
 *
 * A job is a number of tiles and a function. The caller puts it up where the workers see it, takes tiles from it itself, and
 * returns when the last tile is done. Every thread begins with its own part of the tiles, the same in each job of as many, and then
 * helps with those of others. Several threads may run jobs at once, and a tile may run a job of its own. Threads start with the
 * first job that has work for them; an idle worker spins for some microseconds, ten times as long while a run is under way and nobody
 * else wants the processor, then sleeps. */
typedef struct _AccWorkers AccWorkers;

/* Runs one tile; @worker: 0 for the caller, else 1 to n_threads - 1: distinct among the threads in one job. FALSE: tiles that nobody has begun
 * are to be left. */
typedef gboolean (*AccTileFunc) (gint64 tile, guint worker, gpointer user_data);

/* @n_threads: with the caller; at least 1 */
AccWorkers *acc_workers_new           (guint n_threads);
/* No job may run. Ends the threads. */
void        acc_workers_free          (AccWorkers *self);
guint       acc_workers_get_n_threads (AccWorkers *self);
/* @claim: tiles claimed at a time, at least 1; n_tiles or more: all on the caller. */
void        acc_workers_run           (AccWorkers *self, gint64 n_tiles, gint64 claim, AccTileFunc function, gpointer user_data);
/* The same with tiles that are begun in ascending order, one at a time: each may wait for those before it. */
void        acc_workers_run_in_order  (AccWorkers *self, gint64 n_tiles, AccTileFunc function, gpointer user_data);
/* Around what runs several jobs one soon after the other; by any number of threads at once. */
void        acc_workers_begin_run     (AccWorkers *self);
void        acc_workers_end_run       (AccWorkers *self);

/* Leaves @function for a worker that is in no job, which does it before it looks for one; nobody waits for it. FALSE: there is nobody who
 * would. @destroy: of @user_data, whatever becomes of it. */
gboolean    acc_workers_send          (AccWorkers *self, GFunc function, gpointer user_data, GDestroyNotify destroy);
/* TRUE, and the caller's again, if nobody has begun it. */
gboolean    acc_workers_withdraw      (AccWorkers *self, gconstpointer user_data);
/* Whether all workers are in jobs, so that it may be long before anybody does what was sent. */
gboolean    acc_workers_are_in_jobs   (AccWorkers *self);
/* Withdraws what was sent, waits for what is under way, and takes no more. */
void        acc_workers_end_background (AccWorkers *self);

/* For tests: threads started, and threads asleep. */
guint       acc_workers_get_n_started  (AccWorkers *self);
guint       acc_workers_get_n_sleeping (AccWorkers *self);

G_DEFINE_AUTOPTR_CLEANUP_FUNC (AccWorkers, acc_workers_free)

G_END_DECLS
