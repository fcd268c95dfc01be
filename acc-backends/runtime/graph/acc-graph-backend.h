/* SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

#include "acc-graph.h"
#include "acc-core/backend/acc-backend-private.h"

/* What backends share that run programs as graphs: their types, and executables. The types are registered by name at run time, since
 * several modules carry this code in one process. */

/* Backends begin with it. */
typedef struct {
  AccBackend parent_instance;

  AccHost    host;
} AccGraphBackend;

typedef struct {
  AccExecutable  parent_instance;

  AccGraph      *graph;
} AccGraphExecutable;

/* What a kind of backend adds. */
typedef struct {
  gsize    instance_size;        /* of backends */
  /* .compile is set. */
  void     (*init_class)            (AccBackendClass *klass);
  /* .run is set; NULL: nothing is added. */
  void     (*init_executable_class) (AccExecutableClass *klass);
  gboolean (*init)                  (GInitable *initable, GCancellable *cancellable, GError **error);
  void     (*finalize)              (GObject *object);
} AccGraphBackendKind;

/* Registers types of a prefix once; called again it returns the same. @kind: static, as are the strings. @data: @size bytes, copied. */
GType         acc_graph_backend_register (const AccGraphBackendKind *kind, const char *type_prefix, const char *name, gconstpointer data,
                                          gsize size);
gconstpointer acc_graph_backend_get_data (AccBackendClass *klass);
/* "name", or "name:device" */
char         *acc_graph_backend_dup_name (AccBackend *self);
/* The limit of a device's memory, where the user has given none; 0: as it is. */
void          acc_graph_backend_limit_memory (AccBackend *self, guint64 bytes);
