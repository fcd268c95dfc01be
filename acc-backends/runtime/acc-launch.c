/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "acc-launch.h"

typedef struct {
  AccLaunchContext   *context;
  const AccPartition *partition;
  AccKernelEntry      entry;
  const guint64      *slots;
} Job;

void
acc_launch_context_init (AccLaunchContext *self,
                         AccHost          *host,
                         AccPrepared      *prepared,
                         GCancellable     *cancellable)
{
  *self = (AccLaunchContext) { .host = host, .prepared = prepared, .cancellable = cancellable };
}

static gboolean
should_stop (AccLaunchContext *self)
{
  return __atomic_load_n (&self->failure.state, __ATOMIC_RELAXED) != 0
         || (self->cancellable != NULL && g_cancellable_is_cancelled (self->cancellable));
}

static void
run_tile (gint64   tile,
          guint    worker,
          gpointer user_data)
{
  const Job *job = user_data;
  gint64 range[5];

  if (should_stop (job->context))
    return;

  acc_partition_get (job->partition, tile, range);
  job->entry (job->slots, range, &job->context->failure);
}

void
acc_failure_to_error (const AccFailure  *failure,
                      AccPrepared       *prepared,
                      guint              first_origin,
                      GError           **error)
{
  GPtrArray *origins = prepared->schedule->origins;
  gsize origin = (gsize) first_origin + failure->origin;
  g_autofree char *what = origin < origins->len ? acc_array_describe (g_ptr_array_index (origins, origin))
                                                : g_strdup ("kernel");

  if (failure->kind == ACC_ERROR_ARITHMETIC)
    g_set_error (error, ACC_ERROR, ACC_ERROR_ARITHMETIC, "%s: %s", what,
                 failure->extent == 0 ? "division by zero" : "minimum divided by -1");
  else if (failure->kind == ACC_ERROR_UNSUPPORTED)
    g_set_error (error, ACC_ERROR, ACC_ERROR_UNSUPPORTED, "%s: a loop takes more turns than this device runs", what);
  else
    g_set_error (error, ACC_ERROR, ACC_ERROR_BOUNDS,
                 "%s: index %" G_GINT64_FORMAT " is outside extent %" G_GINT64_FORMAT, what, failure->index, failure->extent);
}

gboolean
acc_launch_run (AccLaunchContext         *self,
                const AccPreparedLaunch  *launch,
                const AccPartition       *partition,
                const guint64            *slots,
                GError                  **error)
{
  Job job = { self, partition, launch->entry, slots };

  acc_workers_run (self->host->workers, partition->n_tiles, partition->claim, run_tile, &job);

  if (__atomic_load_n (&self->failure.state, __ATOMIC_ACQUIRE) != 0)
    {
      acc_failure_to_error (&self->failure, self->prepared, launch->launch->first_origin, error);
      return FALSE;
    }

  return !g_cancellable_set_error_if_cancelled (self->cancellable, error);
}
