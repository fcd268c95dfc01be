/* SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

#include "acc-external-private.h"
#include "acc-seq/stream/acc-store-private.h"

/* Arrays seen as matrices, in a store or in memory, of which blocks of rows and columns are computed one by one. */

typedef struct {
  AccBackend     *backend;
  AccElementType *type;
  guint           n_buffers;
  gint64          n_rows, n_columns;
  AccStore       *store;         /* or: */
  AccArray       *array;         /* owned, as .store */
} AccBlocks;

/* All elements of @array, computed and stored if they are not in memory. A row has @n_columns elements. */
gboolean  acc_blocks_init_for (AccBlocks *self, const AccExternalTask *task, AccArray *array, gint64 n_columns, GError **error);
/* A store for blocks that are written. */
gboolean  acc_blocks_init     (AccBlocks *self, const AccExternalTask *task, AccElementType *type, AccShape *shape, gint64 n_columns,
                               GError **error);
void      acc_blocks_clear    (AccBlocks *self);
/* A copy of a block in memory, as an array of the extents. */
AccArray *acc_blocks_read     (AccBlocks *self, gint64 row, gint64 n_rows, gint64 column, gint64 n_columns, const gint64 *extents,
                               guint rank, GError **error);
gboolean  acc_blocks_write    (AccBlocks *self, gint64 row, gint64 n_rows, gint64 column, gint64 n_columns, AccArray *block,
                               GError **error);
/* What was written, or is in memory. */
AccArray *acc_blocks_dup_array (AccBlocks *self, GError **error);

G_DEFINE_AUTO_CLEANUP_CLEAR_FUNC (AccBlocks, acc_blocks_clear)

/* Computes block [first, first + n) of something; ACC_ERROR_OUT_OF_MEMORY where that is too much at once. */
typedef gboolean (*AccBlockFunc) (gint64 first, gint64 n, gpointer data, GCancellable *cancellable, GError **error);

/* Computes [0, @all) by blocks of @n, or as few as memory allows. */
gboolean  acc_blocks_each     (gint64 all, gint64 n, AccBlockFunc function, gpointer data, GCancellable *cancellable, GError **error);
/* Rows of @row_bytes, of all that a block takes, that there is room for: at least one, at most @most. */
gint64    acc_blocks_choose   (AccBackend *backend, guint64 row_bytes, gint64 most);

/* --- dimensions that change places where no row fits */

/* The elements of an array as [outer, a, b, inner], which become [outer, b, a, inner]. */
typedef struct {
  gint64 outer, a, b, inner;
} AccTurnExtents;

guint64   acc_tiles_measure_least (AccElementType *type);
/* An array in a store; @shape: after. */
AccArray *acc_tiles_turn          (const AccExternalTask *task, AccArray *array, const AccTurnExtents *extents, AccShape *shape,
                                   GError **error);
/* Turns @m rows of @n units into columns, which are @stride bytes apart. */
void      acc_tiles_turn_units    (guint8 *to, gsize stride, const guint8 *from, gint64 m, gint64 n, gsize unit);

/* --- products of which no row of the whole depth fits */

/* The least that they take, and how often elements pass. */
guint64   acc_product_measure_deep  (AccArray *node);
void      acc_product_count_deep    (AccBackend *backend, AccArray *node, guint *n_written, guint *n_read);
gboolean  acc_product_multiply_deep (const AccExternalTask *task, AccBlocks *left, AccBlocks *right, AccBlocks *to, GError **error);

/* --- transforms of a vector */

/* The transform, unnormalised, of @n numbers, in four steps. Takes over what is in @from. */
AccArray *acc_rows_transform_vector (const AccExternalTask *task, AccBlocks *from, gint64 n, gboolean forward, GError **error);
/* The same of any number of numbers less than 2^31, in a store. */
AccArray *acc_chirp_transform       (const AccExternalTask *task, AccArray *vector, gboolean forward, GError **error);

/* --- what is computed by them */

extern const AccExternal acc_external_product, acc_external_rows;
