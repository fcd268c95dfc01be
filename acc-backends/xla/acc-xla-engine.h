/* SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

#include "acc-backends/codegen/stablehlo/acc-stablehlo.h"
#include "acc-backends/runtime/run/acc-run.h"

#include <string.h>

/* Who compiles and runs modules on one device; a backend owns one. Any thread. */
typedef struct _AccXlaEngine AccXlaEngine;

/* One run of a module. */
typedef struct {
  AccXlaEngine       *engine;
  AccRun             *run;
  const AccHloModule *module;
  gpointer            code;
  const char         *what;
  AccBuffer         **arguments;      /* per vector of the module, as are those below */
  const char        **argument_names;
  AccBuffer         **results;        /* new; bytes of theirs are reserved for the names, or taken */
  const char        **result_names;
  gboolean           *taken;          /* per argument: the result that is its alias takes its memory, and what is reserved for it */
  gint32              failure;        /* what the module says of its checks */
  gint64              failed_index;
} AccXlaCall;

typedef struct {
  void      (*unref)           (AccXlaEngine *self);
  gpointer  (*compile)         (AccXlaEngine *self, const AccHloModule *module, const char *what, GError **error);
  void      (*free_code)       (gpointer code);
  /* Bytes that a run takes besides arguments and results, as far as is known. */
  guint64   (*count_temporary) (gpointer code);
  /* Whether a result may take the memory of @buffer, which is of the form of @vector and nobody else's; NULL: never. */
  gboolean  (*can_take)        (AccXlaEngine *self, AccBuffer *buffer, const AccHloVector *vector);
  /* Waits until it is done. FALSE: there are no results. Where a check failed, there need not be any. */
  gboolean  (*execute)         (AccXlaCall *call, GError **error);
} AccXlaEngineClass;

/* Implementations begin with it. */
struct _AccXlaEngine {
  const AccXlaEngineClass *klass;
  char                    *description;
  gboolean                 is_host;        /* its memory is that of the host */
  guint64                  memory;         /* bytes that it has of its own and gives; 0: not known */
  gboolean                 keeps_order, is_rough, is_shaped, stores_gathered, mixes_rows;   /* as AccHloOptions has them */
  gboolean                 is_narrow;      /* AccTarget.narrow_modules */
  AccBudget               *budget, *host_budget;   /* the backend's: owned, set once the engine is there */
};

/* Where memory of the host begins that XLA on processors takes as it is. */
#define ACC_XLA_ALIGNMENT 64

static inline guint64
acc_xla_count_bytes (const AccHloVector *vector)
{
  return (guint64) vector->n * acc_element_kind_get_size (vector->kind);
}

/* Those of the array, without what rounded extents add. */
static inline guint64
acc_xla_count_used_bytes (const AccHloVector *vector)
{
  return (guint64) vector->n_used * acc_element_kind_get_size (vector->kind);
}

static inline const AccHloVector *
acc_xla_get_vector (GArray *vectors,
                    guint   n)
{
  return &g_array_index (vectors, AccHloVector, n);
}

/* The argument whose memory a result takes, or NULL. */
static inline AccBuffer *
acc_xla_call_get_taken (const AccXlaCall *self,
                        guint             result)
{
  gint alias = acc_xla_get_vector (self->module->results, result)->alias;

  return alias >= 0 && self->taken[alias] ? self->arguments[alias] : NULL;
}

/* The form of a vector, which stays when the module goes. */
typedef struct {
  AccElementKind  kind;
  guint           rank;
  gint64         *extents;  /* owned */
} AccXlaForm;

static inline void
acc_xla_form_init (AccXlaForm         *self,
                   const AccHloVector *vector)
{
  *self = (AccXlaForm) { vector->kind, vector->rank, g_memdup2 (vector->extents, vector->rank * sizeof (gint64)) };
}

static inline void
acc_xla_form_clear (AccXlaForm *self)
{
  g_clear_pointer (&self->extents, g_free);
}

static inline gboolean
acc_xla_form_is (const AccXlaForm   *self,
                 const AccHloVector *vector)
{
  return self->kind == vector->kind && self->rank == vector->rank
         && (self->rank == 0 || memcmp (self->extents, vector->extents, self->rank * sizeof (gint64)) == 0);
}
