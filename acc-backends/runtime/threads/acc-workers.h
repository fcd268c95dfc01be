/* SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

#include <glib.h>

/* A pool of threads that help the caller of a job.
 *
 * A job is a number of tiles and a function. The caller takes tiles itself, and returns when the last tile is done. Every thread begins
 * with its own share of the tiles, the same in each job of as many, and then helps with those of others. Several threads may run jobs at
 * once, and a tile may run a job of its own. Threads start with the first job that has work for them; an idle worker spins for some
 * microseconds, ten times as long while a run is under way and nobody else wants the processor, then sleeps. */
typedef struct _AccWorkers AccWorkers;

/* Runs one tile; @worker: 0 for the caller, else 1 to n_threads - 1: distinct among the threads in one job. FALSE: tiles that have not
 * begun are dropped. */
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
/* Brackets a sequence of jobs with short pauses; by any number of threads at once. */
void        acc_workers_begin_run     (AccWorkers *self);
void        acc_workers_end_run       (AccWorkers *self);

/* Sends @function to a worker as a background task: one that is in no job does it before it looks for one. Returns FALSE if there is no
 * worker. @destroy frees @user_data in any case. */
gboolean    acc_workers_send          (AccWorkers *self, GFunc function, gpointer user_data, GDestroyNotify destroy);
/* Takes the task back, which the caller owns again. Returns FALSE if it has begun. */
gboolean    acc_workers_withdraw      (AccWorkers *self, gconstpointer user_data);
/* Whether all workers are in jobs, so that background tasks may wait for long. */
gboolean    acc_workers_are_in_jobs   (AccWorkers *self);
/* Drops the tasks that have not begun, waits for the others, and takes no more. */
void        acc_workers_end_background (AccWorkers *self);

/* For tests: threads started, and threads asleep. */
guint       acc_workers_get_n_started  (AccWorkers *self);
guint       acc_workers_get_n_sleeping (AccWorkers *self);

G_DEFINE_AUTOPTR_CLEANUP_FUNC (AccWorkers, acc_workers_free)
