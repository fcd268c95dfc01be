/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "acc-schedule-cache.h"

#include "acc-run.h"
#include "acc-core/base/acc-hash-private.h"
#include "acc-core/base/acc-lock-private.h"

/* Nodes are compared by address: the program that owns the cache keeps them. */
typedef struct {
  guint       n_words;
  guint       hash;
  guint64    *words;
} Key;

typedef struct {
  Key          key;
  AccPrepared *prepared;
  guint64      used;
} Entry;

struct _AccScheduleCache {
  guint           max_entries;
  AccLock         mutex;
  GHashTable     *table;
  guint64         clock;
  Entry          *latest;
  gboolean        has_planned;    /* once at least */
  AccDeduplicator *deduplicator;  /* of the program's schedules; NULL: there is one at most, or somebody plans */
};

static guint
key_hash (gconstpointer data)
{
  return ((const Key *) data)->hash;
}

static gboolean
key_equal (gconstpointer a,
           gconstpointer b)
{
  const Key *x = a, *y = b;

  return x->n_words == y->n_words && x->hash == y->hash && memcmp (x->words, y->words, x->n_words * sizeof (guint64)) == 0;
}

static void
entry_free (gpointer data)
{
  Entry *entry = data;

  g_free (entry->key.words);
  acc_prepared_unref (entry->prepared);
  g_free (entry);
}

AccScheduleCache *
acc_schedule_cache_new (guint max_entries)
{
  AccScheduleCache *self = g_new0 (AccScheduleCache, 1);

  self->max_entries = MAX (max_entries, 1);
  acc_lock_init (&self->mutex);
  self->table = g_hash_table_new_full (key_hash, key_equal, NULL, entry_free);

  return self;
}

void
acc_schedule_cache_free (AccScheduleCache *self)
{
  g_hash_table_unref (self->table);
  g_clear_pointer (&self->deduplicator, acc_deduplicator_free);
  pthread_mutex_destroy (&self->mutex);
  g_free (self);
}

static guint
count_words (AccArray **bound,
             guint      n_results,
             guint      n_bound)
{
  guint n = 2 + n_results;

  for (guint i = 0; i < n_bound; i++)
    n += 1 + bound[i]->rank;

  return n;
}

static void
close_key (Key *key)
{
  guint64 hash = 0;

  for (guint i = 0; i < key->n_words; i++)
    hash = acc_hash_mix (hash, key->words[i]);
  key->hash = (guint) (hash >> 32);
}

static void
fill_key (Key       *key,
          AccArray **results,
          guint      n_results,
          AccArray **bound,
          AccArray **values,
          guint      n_bound,
          guint64    form)
{
  guint64 *word = key->words;

  *word++ = n_results;
  for (guint i = 0; i < n_results; i++)
    *word++ = (guintptr) results[i];
  *word++ = form;
  for (guint i = 0; i < n_bound; i++)
    {
      *word++ = (guintptr) bound[i];
      for (guint d = 0; d < bound[i]->rank; d++)
        *word++ = (guint64) acc_shape_get_extent (values[i]->shape, d);
    }
  close_key (key);
}

static AccPrepared *
look_up (AccScheduleCache *self,
         const Key        *key)
{
  AccPrepared *prepared = NULL;
  Entry *entry;

  pthread_mutex_lock (&self->mutex);
  entry = self->latest != NULL && key_equal (&self->latest->key, key) ? self->latest : g_hash_table_lookup (self->table, key);
  if (entry != NULL)
    {
      entry->used = ++self->clock;
      self->latest = entry;
      prepared = acc_prepared_ref (entry->prepared);
    }
  pthread_mutex_unlock (&self->mutex);

  return prepared;
}

/* With the lock. */
static void
evict (AccScheduleCache *self)
{
  GHashTableIter iter;
  Entry *entry, *oldest = NULL;

  g_hash_table_iter_init (&iter, self->table);
  while (g_hash_table_iter_next (&iter, NULL, (gpointer *) &entry))
    if (oldest == NULL || entry->used < oldest->used)
      oldest = entry;
  if (oldest == self->latest)
    self->latest = NULL;
  if (oldest != NULL)
    g_hash_table_remove (self->table, &oldest->key);
}

static void
insert (AccScheduleCache *self,
        const Key        *key,
        AccPrepared      *prepared)
{
  Entry *entry = g_new0 (Entry, 1);

  entry->key = (Key) { key->n_words, key->hash, g_memdup2 (key->words, key->n_words * sizeof (guint64)) };
  entry->prepared = acc_prepared_ref (prepared);

  pthread_mutex_lock (&self->mutex);
  if (g_hash_table_size (self->table) >= self->max_entries)
    evict (self);
  entry->used = ++self->clock;
  self->latest = entry;
  g_hash_table_replace (self->table, &entry->key, entry);
  pthread_mutex_unlock (&self->mutex);
}

/* Where extents follow from data, plans of the same key are told apart by what the first of them reads of it: @key gets that, too, in
 * *@words, which the caller frees. */
static AccPrepared *
look_up_by_data (AccScheduleCache *self,
                 Key              *key,
                 AccPrepared      *other,
                 AccArray        **bound,
                 AccArray        **values,
                 guint             n_bound,
                 guint64         **words)
{
  guint n_read = 0;
  g_autofree gint64 *read = acc_schedule_read_data (other->schedule, bound, values, n_bound, &n_read);
  g_autoptr(AccPrepared) found = NULL;

  if (read == NULL)
    return NULL;

  *words = g_new (guint64, key->n_words + n_read);
  memcpy (*words, key->words, key->n_words * sizeof **words);
  memcpy (*words + key->n_words, read, n_read * sizeof **words);
  *key = (Key) { key->n_words + n_read, 0, *words };
  close_key (key);

  found = look_up (self, key);
  if (found != NULL && !acc_schedule_fits (found->schedule, bound, values, n_bound))
    g_clear_pointer (&found, acc_prepared_unref);

  return g_steal_pointer (&found);
}

/* A program that is planned once needs none to be kept; one thread at a time has it. */
static AccDeduplicator *
borrow_deduplicator (AccScheduleCache *self)
{
  AccDeduplicator *deduplicator;
  gboolean again;

  pthread_mutex_lock (&self->mutex);
  again = self->has_planned;
  self->has_planned = TRUE;
  deduplicator = g_steal_pointer (&self->deduplicator);
  pthread_mutex_unlock (&self->mutex);

  return deduplicator == NULL && again ? acc_deduplicator_new () : deduplicator;
}

/* @deduplicator: nullable. */
static void
give_back_deduplicator (AccScheduleCache *self,
                        AccDeduplicator  *deduplicator)
{
  pthread_mutex_lock (&self->mutex);
  if (self->deduplicator == NULL)
    self->deduplicator = g_steal_pointer (&deduplicator);
  pthread_mutex_unlock (&self->mutex);
  g_clear_pointer (&deduplicator, acc_deduplicator_free);
}

static AccSchedule *
plan (AccScheduleCache *self,
      const AccTarget  *target,
      AccArray        **results,
      guint             n_results,
      AccArray        **bound,
      AccArray        **values,
      guint             n_bound,
      GError          **error)
{
  AccDeduplicator *deduplicator = borrow_deduplicator (self);
  AccSchedule *schedule = acc_schedule_new (target, deduplicator, results, n_results, bound, values, n_bound, error);

  give_back_deduplicator (self, deduplicator);

  return schedule;
}

AccPrepared *
acc_schedule_cache_get (AccScheduleCache  *self,
                        AccHost           *host,
                        AccArray         **results,
                        guint              n_results,
                        AccArray         **bound,
                        AccArray         **values,
                        const gboolean    *spent,
                        guint              n_bound,
                        gboolean           by_rows,
                        GCancellable      *cancellable,
                        GError           **error)
{
  guint64 few[64];
  g_autofree guint64 *many = NULL, *more = NULL;
  Key key = { .n_words = count_words (bound, n_results, n_bound) };
  g_autoptr(AccPrepared) prepared = NULL;
  AccTarget target = *acc_host_get_target (host);
  AccSchedule *schedule = NULL;
  g_autoptr(GError) planning = NULL;
  gboolean it_fits;

  target.fast_math = host->backend != NULL && acc_backend_get_fast_math (host->backend);
  target.by_rows = by_rows;

  key.words = key.n_words <= G_N_ELEMENTS (few) ? few : (many = g_new (guint64, key.n_words));
  fill_key (&key, results, n_results, bound, values, n_bound, (by_rows ? 1 : 0) | (target.fast_math ? 2 : 0));

  prepared = look_up (self, &key);
  /* Planning asks for the current one where it may take long. */
  if (cancellable != NULL)
    g_cancellable_push_current (cancellable);
  it_fits = prepared != NULL && acc_schedule_fits (prepared->schedule, bound, values, n_bound);
  if (prepared != NULL && !it_fits)
    {
      g_autoptr(AccPrepared) first = g_steal_pointer (&prepared);

      prepared = look_up_by_data (self, &key, first, bound, values, n_bound, &more);
      it_fits = prepared != NULL;
    }
  if (!it_fits)
    schedule = host->planner != NULL
               ? host->planner->plan (host, &target, results, n_results, bound, values, spent, n_bound, &planning)
               : plan (self, &target, results, n_results, bound, values, n_bound, &planning);
  if (cancellable != NULL)
    g_cancellable_pop_current (cancellable);

  if (it_fits)
    {
      acc_prepared_begin_run (prepared, host);
      return g_steal_pointer (&prepared);
    }
  g_clear_pointer (&prepared, acc_prepared_unref);

  if (schedule == NULL)
    {
      /* Work that was left incomplete has failed for another reason. */
      if (!g_cancellable_set_error_if_cancelled (cancellable, error))
        g_propagate_error (error, g_steal_pointer (&planning));
      return NULL;
    }

  prepared = acc_prepared_new (host, schedule, by_rows, !target.fast_math, cancellable, error);
  if (prepared != NULL)
    insert (self, &key, prepared);

  return g_steal_pointer (&prepared);
}
