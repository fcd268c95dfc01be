/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "acc-budget-private.h"

#include "acc-error.h"
#include "acc-core/base/acc-lock-private.h"

/* Names that are kept without bytes. */
#define MAX_HOLDERS 64

/* One lock, no atomics: reservations are rare (one per buffer), and the sum must match the list of holders. */
struct _AccBudget
{
  gatomicrefcount ref_count;
  AccLock         lock;
  const char     *place;
  guint64         limit;
  guint64         used;
  guint64         high_water;
  guint           fail_in;
  GHashTable     *holders;   /* char * to guint64 *; some hold nothing any more, and most likely will again */
  GArray         *spares;    /* Spare */
};

/* Who may have bytes to spare. */
typedef struct {
  AccReclaim reclaim;
  gpointer   user_data;
} Spare;

AccBudget *
acc_budget_new (guint64 limit)
{
  AccBudget *self = g_new0 (AccBudget, 1);

  g_atomic_ref_count_init (&self->ref_count);
  acc_lock_init (&self->lock);
  self->place = "";
  self->limit = limit;
  self->holders = g_hash_table_new_full (g_str_hash, g_str_equal, g_free, g_free);
  self->spares = g_array_new (FALSE, FALSE, sizeof (Spare));

  return self;
}

void
acc_budget_set_place (AccBudget *self, const char *place)
{
  self->place = place;
}

AccBudget *
acc_budget_ref (AccBudget *self)
{
  g_atomic_ref_count_inc (&self->ref_count);

  return self;
}

void
acc_budget_unref (AccBudget *self)
{
  if (!g_atomic_ref_count_dec (&self->ref_count))
    return;

  g_hash_table_unref (self->holders);
  g_array_unref (self->spares);
  pthread_mutex_destroy (&self->lock);
  g_free (self);
}

typedef struct {
  const char *what;
  guint64     bytes;
} Holder;

static int
compare_holders (gconstpointer a, gconstpointer b)
{
  const Holder *x = a, *y = b;

  if (x->bytes != y->bytes)
    return x->bytes > y->bytes ? -1 : 1;

  return strcmp (x->what, y->what);
}

/* With the lock held. */
static char *
describe_holders (AccBudget *self)
{
  g_autoptr(GArray) holders = g_array_new (FALSE, FALSE, sizeof (Holder));
  GString *text = g_string_new (NULL);
  GHashTableIter iter;
  gpointer key, value;

  g_hash_table_iter_init (&iter, self->holders);
  while (g_hash_table_iter_next (&iter, &key, &value))
    {
      Holder holder = { key, *(guint64 *) value };

      if (holder.bytes > 0)
        g_array_append_val (holders, holder);
    }

  g_array_sort (holders, compare_holders);

  for (guint i = 0; i < holders->len && i < 3; i++)
    {
      const Holder *holder = &g_array_index (holders, Holder, i);

      g_string_append_printf (text, "%s%s %" G_GUINT64_FORMAT, i == 0 ? "; largest holders: " : ", ",
                              holder->what, holder->bytes);
    }

  return g_string_free (text, FALSE);
}

/* With the lock held. */
static void
set_refused (AccBudget *self, guint64 bytes, const char *what, GError **error)
{
  g_autofree char *holders = describe_holders (self);

  g_set_error (error, ACC_ERROR, ACC_ERROR_OUT_OF_MEMORY,
               "%s needs %" G_GUINT64_FORMAT " bytes%s; held: %" G_GUINT64_FORMAT " of %" G_GUINT64_FORMAT " allowed%s",
               what, bytes, self->place, self->used, self->limit, holders);
}

static gboolean
fits (AccBudget *self, guint64 bytes)
{
  if (bytes > G_MAXUINT64 - self->used)
    return FALSE;

  return self->limit == 0 || self->used + bytes <= self->limit;
}

/* Asks one after the other until that is enough. Returns bytes released. Without the lock. */
static guint64
reclaim (AccBudget *self, guint64 wanted)
{
  g_autoptr(GArray) spares = NULL;
  guint64 freed = 0;

  pthread_mutex_lock (&self->lock);
  spares = g_array_copy (self->spares);
  pthread_mutex_unlock (&self->lock);

  for (guint i = 0; i < spares->len && freed < wanted; i++)
    {
      const Spare *spare = &g_array_index (spares, Spare, i);

      freed += spare->reclaim (wanted - freed, spare->user_data);
    }

  return freed;
}

gboolean
acc_budget_reserve (AccBudget *self, guint64 bytes, const char *what, GError **error)
{
  g_autoptr(AccLocker) locker = NULL;
  guint64 *held;

  if (bytes == 0)
    return TRUE;

  if (what == NULL)
    what = "buffer";

  locker = acc_locker_new (&self->lock);

  if (self->fail_in > 0 && --self->fail_in == 0)
    {
      set_refused (self, bytes, what, error);
      return FALSE;
    }

  while (!fits (self, bytes))
    {
      guint64 freed = 0;

      if (self->spares->len > 0 && (self->limit == 0 || bytes <= self->limit))
        {
          guint64 wanted = self->used + bytes - self->limit;

          pthread_mutex_unlock (&self->lock);
          freed = reclaim (self, wanted);
          pthread_mutex_lock (&self->lock);
        }

      if (freed == 0 && !fits (self, bytes))
        {
          set_refused (self, bytes, what, error);
          return FALSE;
        }
    }

  held = g_hash_table_lookup (self->holders, what);
  if (held == NULL)
    {
      held = g_new0 (guint64, 1);
      g_hash_table_insert (self->holders, g_strdup (what), held);
    }

  *held += bytes;
  self->used += bytes;
  self->high_water = MAX (self->high_water, self->used);

  return TRUE;
}

void
acc_budget_release (AccBudget *self, guint64 bytes, const char *what)
{
  g_autoptr(AccLocker) locker = NULL;
  guint64 *held;

  if (bytes == 0)
    return;

  if (what == NULL)
    what = "buffer";

  locker = acc_locker_new (&self->lock);
  held = g_hash_table_lookup (self->holders, what);

  if (held == NULL || *held < bytes)
    {
      g_critical ("%s gives back %" G_GUINT64_FORMAT " bytes but holds %" G_GUINT64_FORMAT,
                  what, bytes, held != NULL ? *held : 0);
      return;
    }

  *held -= bytes;
  self->used -= bytes;

  if (*held == 0 && g_hash_table_size (self->holders) > MAX_HOLDERS)
    g_hash_table_remove (self->holders, what);
}

guint64
acc_budget_get_limit (AccBudget *self)
{
  g_autoptr(AccLocker) locker = acc_locker_new (&self->lock);

  return self->limit;
}

/* What is held beyond a smaller limit stays; what can be spared is asked back. */
void
acc_budget_set_limit (AccBudget *self, guint64 limit)
{
  guint64 wanted = 0;

  pthread_mutex_lock (&self->lock);
  self->limit = limit;
  if (limit > 0 && self->used > limit)
    wanted = self->used - limit;
  pthread_mutex_unlock (&self->lock);

  reclaim (self, wanted);
}

guint64
acc_budget_get_used (AccBudget *self)
{
  g_autoptr(AccLocker) locker = acc_locker_new (&self->lock);

  return self->used;
}

guint64
acc_budget_get_high_water (AccBudget *self)
{
  g_autoptr(AccLocker) locker = acc_locker_new (&self->lock);

  return self->high_water;
}

void
acc_budget_reset_high_water (AccBudget *self)
{
  g_autoptr(AccLocker) locker = acc_locker_new (&self->lock);

  self->high_water = self->used;
}

void
acc_budget_add_reclaim (AccBudget *self, AccReclaim reclaim, gpointer user_data)
{
  g_autoptr(AccLocker) locker = acc_locker_new (&self->lock);

  g_array_append_vals (self->spares, &(Spare) { reclaim, user_data }, 1);
}

void
acc_budget_remove_reclaim (AccBudget *self, AccReclaim reclaim, gpointer user_data)
{
  g_autoptr(AccLocker) locker = acc_locker_new (&self->lock);

  for (guint i = self->spares->len; i-- > 0;)
    {
      const Spare *spare = &g_array_index (self->spares, Spare, i);

      if (spare->reclaim == reclaim && spare->user_data == user_data)
        g_array_remove_index (self->spares, i);
    }
}

guint64
acc_budget_spare (AccBudget *self, guint64 bytes)
{
  return reclaim (self, bytes);
}

guint
acc_budget_fail_nth (AccBudget *self, guint nth)
{
  g_autoptr(AccLocker) locker = acc_locker_new (&self->lock);
  guint before = self->fail_in;

  self->fail_in = nth;

  return before;
}
