/* SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

#include "acc-external-private.h"
#include "acc-seq/stream/acc-store-private.h"

/* What runs are sorted and merged by: the keys of a sort, compiled for vectors of any length, and the memory that is kept free for them. */
typedef struct {
  gatomicrefcount ref_count;
  AccBackend     *backend;
  AccElementType *type, *key_type;   /* keys are unsigned */
  guint           n_buffers;
  AccExecutable  *keys;
  gint64          most;        /* keys that the backend computes at once, within its memory */
  guint64         held;        /* bytes of the memory limit that nothing else takes while a backend does not run */
} AccSorter;

AccSorter *acc_sorter_new   (AccBackend *backend, AccArray *node, GCancellable *cancellable, GError **error);
AccSorter *acc_sorter_ref   (AccSorter *self);
void       acc_sorter_unref (AccSorter *self);
/* The type of the keys of a sort. */
AccElementType *acc_sorter_get_key_type (AccArray *node);
/* Holds so many bytes, or none where there are not so many any more: whoever needs them gets an error then. */
void       acc_sorter_hold  (AccSorter *self, guint64 bytes);
/* Memory for @n elements, or keys, a buffer for each of @type. */
AccBuffer **acc_sorter_allocate (AccSorter *self, AccElementType *type, gint64 n, GError **error);
/* Computes the keys of elements [first, first + n). What is held is let go meanwhile. */
gboolean   acc_sorter_get_keys (AccSorter *self, AccBuffer **elements, AccBuffer **keys, gint64 first, gint64 n,
                                GCancellable *cancellable, GError **error);

G_DEFINE_AUTOPTR_CLEANUP_FUNC (AccSorter, acc_sorter_unref)

/* Sorted runs of a store, one behind the other. */
typedef struct {
  AccStore *store;
  GArray   *ends;              /* gint64 */
} AccRuns;

void acc_runs_clear (AccRuns *self);

G_DEFINE_AUTO_CLEANUP_CLEAR_FUNC (AccRuns, acc_runs_clear)

/* The elements of consecutive runs in order. */
typedef struct _AccMerge AccMerge;

/* @bytes: what it may take. Counts levels of merges by such memory. */
guint     acc_merge_get_fan_in (AccElementType *type, AccElementType *key_type, guint n_runs, guint64 bytes);
AccMerge *acc_merge_new        (AccSorter *sorter, const AccRuns *runs, guint first, guint n_runs, guint64 bytes, GError **error);
void      acc_merge_free       (AccMerge *self);
/* The next elements, at most @most, borrowed until the next call; 0 after the last, -1 for an error. */
gint64    acc_merge_next       (AccMerge *self, gint64 most, gpointer *addresses, GCancellable *cancellable, GError **error);

G_DEFINE_AUTOPTR_CLEANUP_FUNC (AccMerge, acc_merge_free)

/* An array whose rows are those of all runs, merged while they are read. Takes over @runs. */
AccArray *acc_merge_new_array  (AccSorter *sorter, AccRuns *runs, const char *name);
