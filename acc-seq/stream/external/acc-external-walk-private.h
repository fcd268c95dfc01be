/* SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

#include "acc-external-private.h"
#include "acc-core/data/acc-chunk-private.h"
#include "acc-seq/stream/acc-store-private.h"

/* The sink of a walk. */
AccSink  *acc_external_walk_new_sink     (const AccExternalWalk *walk, gpointer data);
/* Computes an array that goes by rows, in order. */
gboolean  acc_external_walk              (const AccExternalTask *task, AccArray *array, const AccExternalWalk *walk, gpointer data,
                                          GError **error);
/* Computes one whose elements go to a store, in order. */
gboolean  acc_external_fill_store        (const AccExternalTask *task, AccArray *array, AccStore *store, GError **error);
/* Its elements in a store; @what: “defaults”. */
AccArray *acc_external_store             (const AccExternalTask *task, AccArray *array, const char *what, GError **error);
/* The same, or @array itself where it is in memory. */
AccArray *acc_external_keep              (const AccExternalTask *task, AccArray *array, const char *what, GError **error);
/* To elements from number @first on of a store. */
gboolean  acc_external_fill_part         (const AccExternalTask *task, AccArray *array, AccStore *store, gint64 first, GError **error);

/* @what: “runs”, of the node. */
AccStore *acc_external_new_store         (const AccExternalTask *task, AccElementType *type, AccShape *shape, const char *what,
                                          GError **error);
AccStore *acc_external_new_growing_store (const AccExternalTask *task, AccElementType *type, gint64 most, const char *what,
                                          GError **error);
