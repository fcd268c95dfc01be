/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "acc-external-elements-private.h"
#include "acc-external-parts-private.h"

#include "acc-core/base/acc-ceil-div-private.h"
#include "acc-core/base/acc-parallel-private.h"

#define LEAST_PART  64
#define MOST_PART   32768
/* More threads do not come together. */
#define MOST_ORDERS 16
#define MOST_PLACES G_MAXUINT32
/* Runs of which a part has enough elements each. */
#define MOST_RUNS  512

/* --- sizes */

void
acc_parts_choose (AccPartsSizes *sizes, AccElementType *type, AccElementType *key_type, guint n_runs, guint64 bytes)
{
  guint64 size = acc_element_type_get_size (type), key = acc_element_type_get_size (key_type), quarter = bytes / 4, one;
  guint64 most = acc_order_measure (type, key_type, MOST_PART) + 2 * MOST_PART * size;

  sizes->n_orders = (guint) CLAMP (quarter / most, 1, MIN (acc_machine_get_n_processors (), MOST_ORDERS));
  sizes->n_parts = sizes->n_orders > 1 ? 2 * sizes->n_orders : 1;
  one = sizes->n_orders * acc_order_measure (type, key_type, MOST_PART) + sizes->n_parts * size * MOST_PART;
  one = acc_ceil_div ((gint64) one, MOST_PART);
  sizes->part = (gint64) CLAMP (quarter / one, MAX (LEAST_PART, n_runs), MAX (MOST_PART, n_runs));
  sizes->rest = bytes / 8;
  sizes->n_elements = (gint64) MIN (bytes / 8 * 5 / MAX (size + key, 1), MOST_PLACES);
  if (n_runs == 0)
    sizes->n_elements = CLAMP (sizes->n_elements, LEAST_PART, sizes->part * MIN (sizes->part, MOST_RUNS));
}

guint64
acc_parts_measure_least (AccElementType *type, AccElementType *key_type)
{
  guint64 both = acc_element_type_get_size (type) + acc_element_type_get_size (key_type);

  return 4 * (acc_order_measure (type, key_type, LEAST_PART) + LEAST_PART * both);
}

gboolean
acc_parts_init (AccParts *self, AccSorter *sorter, guint n_runs, guint64 bytes, GError **error)
{
  AccPartsSizes *sizes = &self->sizes;
  gboolean done;

  *self = (AccParts) { .sorter = sorter };
  acc_parts_choose (sizes, sorter->type, sorter->key_type, n_runs, bytes);
  sizes->n_elements = MAX (sizes->n_elements, n_runs);
  if (n_runs == 0)
    n_runs = (guint) acc_ceil_div (sizes->n_elements, sizes->part);
  self->runs = g_new0 (AccPartsRun, n_runs + 1);
  self->orders = g_new0 (AccOrder, sizes->n_orders);
  self->slices = g_new (AccSlice, (gsize) n_runs * sizes->n_orders + 1);
  self->most_runs = n_runs;
  g_mutex_init (&self->lock);

  acc_sorter_hold (sorter, 0);
  self->elements = acc_sorter_allocate (sorter, sorter->type, sizes->n_elements, error);
  self->keys = self->elements != NULL ? acc_sorter_allocate (sorter, sorter->key_type, sizes->n_elements, error) : NULL;
  self->ready = self->keys != NULL ? acc_sorter_allocate (sorter, sorter->type, sizes->part * sizes->n_parts, error) : NULL;
  done = self->ready != NULL;
  for (guint i = 0; i < sizes->n_orders && done; i++)
    done = acc_order_init (&self->orders[i], sorter->type, sorter->key_type, sizes->part,
                           acc_backend_get_host_budget (sorter->backend), error);
  if (!done)
    acc_parts_clear (self);
  else
    acc_sorter_hold (sorter, sizes->rest);

  return done;
}

void
acc_parts_clear (AccParts *self)
{
  for (guint i = 0; self->orders != NULL && i < self->sizes.n_orders; i++)
    acc_order_clear (&self->orders[i]);
  g_clear_pointer (&self->orders, g_free);
  g_clear_pointer (&self->runs, g_free);
  if (self->slices != NULL)
    g_mutex_clear (&self->lock);
  g_clear_pointer (&self->slices, g_free);
  g_clear_pointer (&self->elements, acc_buffers_free);
  g_clear_pointer (&self->keys, acc_buffers_free);
  g_clear_pointer (&self->ready, acc_buffers_free);
}

/* --- threads */

/* The number of what a thread sorts in. FALSE: there is no more of it. */
static gboolean
take_order (AccParts *self, guint *order)
{
  *order = __atomic_fetch_add (&self->next_order, 1, __ATOMIC_RELAXED);

  return *order < self->sizes.n_orders;
}

static void
sort_runs (gpointer data)
{
  AccParts *self = data;
  guint order, i;

  if (!take_order (self, &order))
    return;

  while ((i = __atomic_fetch_add (&self->next, 1, __ATOMIC_RELAXED)) < self->n_runs)
    acc_order_sort (&self->orders[order], self->elements, self->keys, self->runs[i].at, self->runs[i].n);
}

void
acc_parts_sort (AccParts *self, gint64 n)
{
  guint first = self->n_runs;
  gint64 at = first > 0 ? self->runs[first - 1].at + self->runs[first - 1].n : 0;

  for (; at < n; at += self->sizes.part)
    self->runs[self->n_runs++] = (AccPartsRun) { at, MIN (self->sizes.part, n - at), FALSE };
  self->next = first;
  self->next_order = 0;
  acc_parallel_run (MIN (self->n_runs - first, self->sizes.n_orders), sort_runs, self);
}

/* --- parts */

/* Elements of each run that a part has room for. */
static gint64
count_usable (AccParts *self)
{
  guint n_active = 0;

  for (guint i = 0; i < self->n_runs; i++)
    n_active += self->runs[i].n > 0;

  return self->sizes.part / MAX (n_active, 1);
}

gint64
acc_parts_count_wanted (AccParts *self)
{
  return count_usable (self) * self->sizes.n_parts;
}

/* Whether a run has so few elements left that parts are small until others follow. */
static gboolean
starves (AccParts *self)
{
  gint64 usable = count_usable (self);

  for (guint i = 0; i < self->n_runs; i++)
    if (self->runs[i].has_more && self->runs[i].n < usable)
      return TRUE;

  return FALSE;
}

static guint64
get_key (AccParts *self, gint64 at)
{
  return acc_external_get_number (self->keys[0]->data, at, acc_element_type_get_size (self->sorter->key_type));
}

/* How many of sorted elements [at, at + n) come before @bound, those of this key included if @with_equal. */
static gint64
count_before (AccParts *self, gint64 at, gint64 n, guint64 bound, gboolean with_equal)
{
  gint64 low = 0, high = n;

  while (low < high)
    {
      /* The first one and the last one come first: other runs are often all before, or all behind. */
      gint64 middle = low == 0 && high == n ? 0 : low == 1 && high == n ? n - 1 : low + (high - low) / 2;
      guint64 key = get_key (self, at + middle);

      if (key < bound || (key == bound && with_equal))
        low = middle + 1;
      else
        high = middle;
    }

  return low;
}

/* The part ends with the last usable element of some run, as it is in the order of all. FALSE: it has all elements. */
static gboolean
find_bound (AccParts *self, gint64 usable, guint *run, guint64 *bound)
{
  gboolean found = FALSE;

  for (guint i = 0; i < self->n_runs; i++)
    {
      const AccPartsRun *at = &self->runs[i];
      guint64 key;

      if (at->n == 0 || (at->n <= usable && !at->has_more))
        continue;
      key = get_key (self, at->at + MIN (at->n, usable) - 1);
      if (found && key >= *bound)
        continue;
      found = TRUE;
      *run = i;
      *bound = key;
    }

  return found;
}

/* Takes slices of all runs for the next part. Returns its elements. */
static gint64
cut (AccParts *self, AccSlice *slices, guint *n_slices)
{
  gint64 usable = count_usable (self), n = 0;
  guint64 bound = 0;
  guint bound_run = 0;
  gboolean is_bound = find_bound (self, usable, &bound_run, &bound);

  *n_slices = 0;
  for (guint i = 0; i < self->n_runs; i++)
    {
      AccPartsRun *run = &self->runs[i];
      AccSlice slice = { run->at, MIN (run->n, usable) };

      if (is_bound)
        slice.n = count_before (self, slice.at, slice.n, bound, i <= bound_run);
      if (slice.n == 0)
        continue;
      slices[(*n_slices)++] = slice;
      run->at += slice.n;
      run->n -= slice.n;
      n += slice.n;
    }

  return n;
}

/* The same where there is room for one, at @begin of what is ready. */
static gint64
cut_next (AccParts *self, AccSlice *slices, guint *n_slices, gint64 *begin)
{
  gint64 n = 0;

  g_mutex_lock (&self->lock);
  if (self->n_cut < self->sizes.n_parts && (self->n_cut == 0 || !starves (self)))
    n = cut (self, slices, n_slices);
  *begin = self->n_ready;
  self->n_ready += n;
  self->n_cut += n > 0;
  g_mutex_unlock (&self->lock);

  return n;
}

/* One thread cuts while others sort. */
static void
sort_parts (gpointer data)
{
  AccParts *self = data;
  AccSlice *slices;
  guint order, n_slices;
  gint64 begin;

  if (!take_order (self, &order))
    return;

  slices = &self->slices[(gsize) self->most_runs * order];
  while (cut_next (self, slices, &n_slices, &begin) > 0)
    if (n_slices == 1)
      acc_external_copy (self->sorter->type, self->ready, begin, self->elements, slices->at, slices->n);
    else
      acc_order_merge (&self->orders[order], self->elements, self->keys, slices, n_slices, self->ready, begin);
}

gint64
acc_parts_next (AccParts *self)
{
  self->n_cut = self->next_order = 0;
  self->n_ready = 0;
  acc_parallel_run (self->sizes.n_orders, sort_parts, self);

  return self->n_ready;
}
