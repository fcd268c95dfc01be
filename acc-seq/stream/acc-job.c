/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "acc-job-private.h"

#include "acc-enum-types.h"

/**
 * AccJob:
 *
 * Represents a long computation under way, which acc_backend_start_write() or acc_backend_start_run() started, or a walk over a sequence.
 *
 * Its properties can be read at any time. They notify at most 30 times a second, and once more when the job ends, on the
 * thread-default main context of the caller that started the job, never from a worker thread. A context that nobody iterates
 * gets no notifications. A job continues when its last reference is dropped; acc_job_cancel() ends it.
 *
 * Any thread may call all functions.
 */

#define NOTIFY_INTERVAL (G_USEC_PER_SEC / 30)
/* Behind the last element there is some work left. */
#define MOST_WALKED 0.999

enum {
  PROP_0,
  PROP_FRACTION,
  PROP_BYTES_DONE,
  PROP_CHUNKS_DONE,
  PROP_N_CHUNKS,
  PROP_ELEMENTS_DONE,
  PROP_N_ELEMENTS,
  PROP_ETA,
  PROP_STATE,
  PROP_PLAN,
  N_PROPS
};

static GParamSpec *properties[N_PROPS];

G_DEFINE_FINAL_TYPE (AccJob, acc_job, G_TYPE_OBJECT)

/* --- what it is like now; with the lock held */

static double
get_fraction (AccJob *self)
{
  double fraction;

  if (self->state == ACC_JOB_DONE)
    return 1;

  fraction = self->n_chunks > 0 ? (double) self->chunks_done / (double) self->n_chunks : 0;
  if (self->n_walks > 0)
    {
      double walked = MIN (self->walked / self->n_walks, MOST_WALKED);

      /* What walks leave is written, or goes by chunks, when they are done. */
      fraction = self->writes || self->n_chunks > 0 ? (walked + fraction) / 2 : walked;
    }

  return fraction;
}

static double
get_eta (AccJob *self)
{
  double fraction = get_fraction (self);
  double elapsed = (g_get_monotonic_time () - self->began) * 1e-6;

  if (self->state != ACC_JOB_RUNNING)
    return 0;

  if (fraction <= 0 || elapsed <= 0)
    return -1;

  return elapsed * (1 - fraction) / fraction;
}

static AccJobSeen
look (AccJob *self)
{
  double eta = get_eta (self);

  return (AccJobSeen) { get_fraction (self), self->bytes_done, self->chunks_done, self->n_chunks, self->elements_done,
                  acc_job_count_elements (self), (int) MIN (eta * 10, G_MAXINT), self->state, self->plan != NULL };
}

/* --- notification */

static void
notify_differences (AccJob *self, const AccJobSeen *before, const AccJobSeen *now)
{
  GObject *object = G_OBJECT (self);

  g_object_freeze_notify (object);
  if (before->has_plan != now->has_plan)
    g_object_notify_by_pspec (object, properties[PROP_PLAN]);
  if (before->n_chunks != now->n_chunks)
    g_object_notify_by_pspec (object, properties[PROP_N_CHUNKS]);
  if (before->chunks_done != now->chunks_done)
    g_object_notify_by_pspec (object, properties[PROP_CHUNKS_DONE]);
  if (before->elements_done != now->elements_done)
    g_object_notify_by_pspec (object, properties[PROP_ELEMENTS_DONE]);
  if (before->n_elements != now->n_elements)
    g_object_notify_by_pspec (object, properties[PROP_N_ELEMENTS]);
  if (before->bytes_done != now->bytes_done)
    g_object_notify_by_pspec (object, properties[PROP_BYTES_DONE]);
  if (before->fraction != now->fraction)
    g_object_notify_by_pspec (object, properties[PROP_FRACTION]);
  if (before->eta != now->eta)
    g_object_notify_by_pspec (object, properties[PROP_ETA]);
  if (before->state != now->state)
    g_object_notify_by_pspec (object, properties[PROP_STATE]);
  g_object_thaw_notify (object);
}

static gboolean
on_notify (gpointer data)
{
  AccJob *self = data;
  AccJobSeen before, now;

  g_mutex_lock (&self->lock);
  g_clear_pointer (&self->notifier, g_source_unref);
  self->notified = g_get_monotonic_time ();
  before = self->seen;
  now = self->seen = look (self);
  g_mutex_unlock (&self->lock);

  notify_differences (self, &before, &now);

  return G_SOURCE_REMOVE;
}

/* With the lock held. One GSource at a time, which reports the state at the time when it runs. The last state is reported at once. */
void
acc_job_changed (AccJob *self)
{
  gint64 due = self->notified + NOTIFY_INTERVAL;
  gboolean last = self->state != ACC_JOB_RUNNING;

  if (self->notifier != NULL)
    {
      if (last)
        g_source_set_ready_time (self->notifier, 0);
      return;
    }

  self->notifier = g_timeout_source_new (0);
  g_source_set_ready_time (self->notifier, last ? 0 : due);
  g_source_set_callback (self->notifier, on_notify, g_object_ref (self), g_object_unref);
  g_source_set_name (self->notifier, "acc-job");
  g_source_attach (self->notifier, self->context);
}

static GQuark
get_quark (void)
{
  return g_quark_from_static_string ("acc-job");
}

/* --- object */

static void
acc_job_get_property (GObject *object, guint id, GValue *value, GParamSpec *pspec)
{
  AccJob *self = ACC_JOB (object);

  switch (id)
    {
    case PROP_FRACTION:
      g_value_set_double (value, acc_job_get_fraction (self));
      break;
    case PROP_BYTES_DONE:
      g_value_set_uint64 (value, acc_job_get_bytes_done (self));
      break;
    case PROP_CHUNKS_DONE:
      g_value_set_uint64 (value, acc_job_get_chunks_done (self));
      break;
    case PROP_N_CHUNKS:
      g_value_set_uint64 (value, acc_job_get_n_chunks (self));
      break;
    case PROP_ELEMENTS_DONE:
      g_value_set_uint64 (value, acc_job_get_elements_done (self));
      break;
    case PROP_N_ELEMENTS:
      g_value_set_int64 (value, acc_job_get_n_elements (self));
      break;
    case PROP_ETA:
      g_value_set_double (value, acc_job_get_eta (self));
      break;
    case PROP_STATE:
      g_value_set_enum (value, acc_job_get_state (self));
      break;
    case PROP_PLAN:
      g_value_set_object (value, acc_job_get_plan (self));
      break;
    default:
      G_OBJECT_WARN_INVALID_PROPERTY_ID (object, id, pspec);
    }
}

static void
acc_job_finalize (GObject *object)
{
  AccJob *self = ACC_JOB (object);

  g_clear_pointer (&self->notifier, g_source_unref);
  g_ptr_array_unref (self->waiters);
  g_clear_error (&self->error);
  g_clear_object (&self->plan);
  g_clear_pointer (&self->results, g_ptr_array_unref);
  g_clear_object (&self->nested);
  g_clear_pointer (&self->budget, acc_budget_unref);
  g_object_set_qdata (G_OBJECT (self->cancellable), get_quark (), NULL);
  g_object_unref (self->cancellable);
  g_main_context_unref (self->context);
  g_free (self->device);
  g_mutex_clear (&self->lock);
  g_cond_clear (&self->cond);

  G_OBJECT_CLASS (acc_job_parent_class)->finalize (object);
}

static void
acc_job_class_init (AccJobClass *klass)
{
  GObjectClass *object_class = G_OBJECT_CLASS (klass);
  GParamFlags flags = G_PARAM_READABLE | G_PARAM_EXPLICIT_NOTIFY | G_PARAM_STATIC_STRINGS;

  object_class->get_property = acc_job_get_property;
  object_class->finalize = acc_job_finalize;

  /**
   * AccJob:fraction: (getter get_fraction)
   *
   * Gives the fraction that is done, from 0 to 1. It is 1 only when everything is done.
   */
  properties[PROP_FRACTION] = g_param_spec_double ("fraction", NULL, NULL, 0, 1, 0, flags);
  /**
   * AccJob:bytes-done: (getter get_bytes_done)
   *
   * Counts the bytes of the sources whose chunks are done; of the result, where nothing is read.
   */
  properties[PROP_BYTES_DONE] = g_param_spec_uint64 ("bytes-done", NULL, NULL, 0, G_MAXUINT64, 0, flags);
  /**
   * AccJob:chunks-done: (getter get_chunks_done)
   *
   * Counts the chunks that are read, computed and written.
   */
  properties[PROP_CHUNKS_DONE] = g_param_spec_uint64 ("chunks-done", NULL, NULL, 0, G_MAXUINT64, 0, flags);
  /**
   * AccJob:n-chunks: (getter get_n_chunks)
   *
   * Counts all chunks of the job. 0 until the job is planned.
   */
  properties[PROP_N_CHUNKS] = g_param_spec_uint64 ("n-chunks", NULL, NULL, 0, G_MAXUINT64, 0, flags);
  /**
   * AccJob:elements-done: (getter get_elements_done)
   *
   * Counts the elements of sequences that walks have worked on: those that they begin with, before some are left out or put together.
   */
  properties[PROP_ELEMENTS_DONE] = g_param_spec_uint64 ("elements-done", NULL, NULL, 0, G_MAXUINT64, 0, flags);
  /**
   * AccJob:n-elements: (getter get_n_elements)
   *
   * Counts the elements that walks over sequences will work on at most. -1 while that is not known, 0 where nothing is walked over.
   */
  properties[PROP_N_ELEMENTS] = g_param_spec_int64 ("n-elements", NULL, NULL, -1, G_MAXINT64, 0, flags);
  /**
   * AccJob:eta: (getter get_eta)
   *
   * Estimates the time that is left, in seconds. -1 while it is unknown.
   */
  properties[PROP_ETA] = g_param_spec_double ("eta", NULL, NULL, -1, G_MAXDOUBLE, -1, flags);
  /**
   * AccJob:state: (getter get_state)
   *
   * Tells whether the job runs, is done, failed or was cancelled.
   */
  properties[PROP_STATE] = g_param_spec_enum ("state", NULL, NULL, ACC_TYPE_JOB_STATE, ACC_JOB_RUNNING, flags);
  /**
   * AccJob:plan: (getter get_plan)
   *
   * Describes how the job runs. %NULL until that is planned.
   */
  properties[PROP_PLAN] = g_param_spec_object ("plan", NULL, NULL, ACC_TYPE_PLAN, flags);

  g_object_class_install_properties (object_class, N_PROPS, properties);
}

static void
acc_job_init (AccJob *self)
{
  g_mutex_init (&self->lock);
  g_cond_init (&self->cond);
  self->context = g_main_context_ref_thread_default ();
  self->cancellable = g_cancellable_new ();
  /* Borrowed: the run that has the cancellable holds the job, too. */
  g_object_set_qdata (G_OBJECT (self->cancellable), get_quark (), self);
  self->began = g_get_monotonic_time ();
  self->seen.eta = -10;
  self->waiters = g_ptr_array_new_with_free_func (acc_job_waiter_free);
}

/* --- for the run */

AccJob *
acc_job_new (AccBackend *backend)
{
  AccJob *self = g_object_new (ACC_TYPE_JOB, NULL);
  const char *description = acc_backend_get_description (backend);

  self->device = g_strdup_printf ("%s%s%s", acc_backend_get_name (backend),
                                  description != NULL ? ": " : "", description != NULL ? description : "");
  self->budget = acc_budget_ref (acc_backend_get_budget (backend));

  return self;
}

AccJob *
acc_job_find (GCancellable *cancellable)
{
  return cancellable != NULL ? g_object_get_qdata (G_OBJECT (cancellable), get_quark ()) : NULL;
}

GCancellable *
acc_job_get_cancellable (AccJob *self)
{
  return self->cancellable;
}

void
acc_job_set_plan (AccJob *self, AccPlan *plan)
{
  if (self == NULL)
    return;

  g_mutex_lock (&self->lock);
  if (self->plan == NULL)
    self->plan = g_object_ref (plan);
  self->chunks_before = self->n_chunks;
  self->bytes_before = self->bytes_done;
  self->n_chunks += acc_plan_get_n_chunks (plan);
  acc_job_changed (self);
  g_mutex_unlock (&self->lock);
}

void
acc_job_add_seconds (AccJob *self, AccStage stage, double seconds)
{
  if (self == NULL)
    return;

  g_mutex_lock (&self->lock);
  self->seconds[stage] += seconds;
  g_mutex_unlock (&self->lock);
}

void
acc_job_add_device_time (AccJob *self, double busy, double passed)
{
  if (self == NULL)
    return;

  g_mutex_lock (&self->lock);
  self->device_busy += busy;
  self->device_passed += passed;
  g_mutex_unlock (&self->lock);
}

void
acc_job_add_bytes (AccJob *self, guint64 in, guint64 out)
{
  if (self == NULL)
    return;

  g_mutex_lock (&self->lock);
  self->bytes_in += in;
  self->bytes_out += out;
  g_mutex_unlock (&self->lock);
}

void
acc_job_advance (AccJob *self, guint64 chunks_done, guint64 bytes_done)
{
  guint64 used;

  if (self == NULL)
    return;

  used = acc_budget_get_used (self->budget);

  g_mutex_lock (&self->lock);
  self->peak = MAX (self->peak, used);
  self->chunks_done = MAX (self->chunks_done, MIN (self->chunks_before + chunks_done, self->n_chunks));
  self->bytes_done = MAX (self->bytes_done, self->bytes_before + bytes_done);
  acc_job_changed (self);
  g_mutex_unlock (&self->lock);
}

void
acc_job_finish (AccJob *self, GError *error)
{
  acc_job_finish_with (self, NULL, error);
}

void
acc_job_set_nested (AccJob *self, AccNestedArray *nested)
{
  g_autoptr(GMutexLocker) locker = g_mutex_locker_new (&self->lock);

  g_set_object (&self->nested, nested);
}

void
acc_job_finish_with (AccJob *self, GPtrArray *results, GError *error)
{
  g_autoptr(GPtrArray) waiters = NULL;

  g_mutex_lock (&self->lock);

  if (error == NULL)
    {
      self->state = ACC_JOB_DONE;
      self->chunks_done = self->n_chunks;
    }
  else if (g_error_matches (error, G_IO_ERROR, G_IO_ERROR_CANCELLED))
    self->state = ACC_JOB_CANCELLED;
  else
    self->state = ACC_JOB_FAILED;

  self->error = error;
  self->results = results;
  self->ended = g_get_monotonic_time ();
  acc_job_changed (self);
  waiters = self->waiters;
  self->waiters = g_ptr_array_new_with_free_func (acc_job_waiter_free);
  g_cond_broadcast (&self->cond);
  g_mutex_unlock (&self->lock);

  for (guint i = 0; i < waiters->len; i++)
    acc_job_waiter_return (self, g_ptr_array_index (waiters, i));
}

/* --- public */

/**
 * acc_job_get_fraction: (get-property fraction)
 * @self: a job
 *
 * Returns the fraction of the job that is done.
 *
 * Returns: 0 to 1; 1 only when everything is done
 */
double
acc_job_get_fraction (AccJob *self)
{
  g_autoptr(GMutexLocker) locker = NULL;

  g_return_val_if_fail (ACC_IS_JOB (self), 0);

  locker = g_mutex_locker_new (&self->lock);

  return get_fraction (self);
}

/**
 * acc_job_get_bytes_done: (get-property bytes-done)
 * @self: a job
 *
 * Returns the bytes of the sources whose chunks are done. Where nothing is read, they are bytes of the result.
 *
 * Returns: bytes
 */
guint64
acc_job_get_bytes_done (AccJob *self)
{
  g_autoptr(GMutexLocker) locker = NULL;

  g_return_val_if_fail (ACC_IS_JOB (self), 0);

  locker = g_mutex_locker_new (&self->lock);

  return self->bytes_done;
}

/**
 * acc_job_get_chunks_done: (get-property chunks-done)
 * @self: a job
 *
 * Returns the number of chunks that are read, computed and written.
 *
 * Returns: number of chunks
 */
guint64
acc_job_get_chunks_done (AccJob *self)
{
  g_autoptr(GMutexLocker) locker = NULL;

  g_return_val_if_fail (ACC_IS_JOB (self), 0);

  locker = g_mutex_locker_new (&self->lock);

  return self->chunks_done;
}

/**
 * acc_job_get_n_chunks: (get-property n-chunks)
 * @self: a job
 *
 * Returns the number of all chunks of the job.
 *
 * Returns: number of chunks; 0 until the job is planned
 */
guint64
acc_job_get_n_chunks (AccJob *self)
{
  g_autoptr(GMutexLocker) locker = NULL;

  g_return_val_if_fail (ACC_IS_JOB (self), 0);

  locker = g_mutex_locker_new (&self->lock);

  return self->n_chunks;
}

/**
 * acc_job_get_eta: (get-property eta)
 * @self: a job
 *
 * Returns an estimate of the time that is left, from the time that the job took so far.
 *
 * Returns: seconds; -1 while it is unknown
 */
double
acc_job_get_eta (AccJob *self)
{
  g_autoptr(GMutexLocker) locker = NULL;

  g_return_val_if_fail (ACC_IS_JOB (self), -1);

  locker = g_mutex_locker_new (&self->lock);

  return get_eta (self);
}

/**
 * acc_job_get_state: (get-property state)
 * @self: a job
 *
 * Returns whether the job runs, is done, failed or was cancelled.
 *
 * Returns: the state
 */
AccJobState
acc_job_get_state (AccJob *self)
{
  g_autoptr(GMutexLocker) locker = NULL;

  g_return_val_if_fail (ACC_IS_JOB (self), ACC_JOB_FAILED);

  locker = g_mutex_locker_new (&self->lock);

  return self->state;
}

/**
 * acc_job_get_plan: (get-property plan)
 * @self: a job
 *
 * Returns the plan that the job runs by. A job compiles first, so there is no plan yet when it has just started, nor when it
 * failed before it was planned.
 *
 * Returns: (transfer none) (nullable): the plan
 */
AccPlan *
acc_job_get_plan (AccJob *self)
{
  g_autoptr(GMutexLocker) locker = NULL;

  g_return_val_if_fail (ACC_IS_JOB (self), NULL);

  locker = g_mutex_locker_new (&self->lock);

  return self->plan;
}

/**
 * acc_job_cancel:
 * @self: a job
 *
 * Cancels the job. It ends within about one chunk, with %G_IO_ERROR_CANCELLED, and leaves no output behind. A job that has
 * ended stays as it is.
 */
void
acc_job_cancel (AccJob *self)
{
  g_return_if_fail (ACC_IS_JOB (self));

  g_cancellable_cancel (self->cancellable);
}
