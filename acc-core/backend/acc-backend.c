/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "acc-backend-private.h"

#include "acc-backend-temporary-private.h"
#include "acc-foreign-private.h"
#include "acc-core/array/acc-array-private.h"

#include <stdlib.h>

/**
 * AccBackend:
 *
 * Represents a device, which compiles programs and owns the memory of their arrays.
 *
 * [property@Acc.Backend:memory-limit] limits the memory for array data: computed arrays, chunks of streams, and all
 * intermediates. What does not fit is refused with %ACC_ERROR_OUT_OF_MEMORY. Where a device has memory of its own,
 * [property@Acc.Backend:host-memory-limit] limits the host's memory that the device's arrays take.
 *
 * Any thread may use a backend, and several threads at once. A process must not fork after it first used a backend.
 */

typedef struct {
  char      *name;
  char      *description;
  char      *device;
  guint      n_threads;
  AccBudget *budget;
  AccBudget *host_budget;
  gint       fast_math;   /* atomic */
  AccForeignTable *foreigners;
  AccTemporarySpace *temporary;
} AccBackendPrivate;

enum {
  PROP_0,
  PROP_NAME,
  PROP_DESCRIPTION,
  PROP_DEVICE,
  PROP_N_THREADS,
  PROP_MEMORY_LIMIT,
  PROP_MEMORY_USED,
  PROP_MEMORY_HIGH_WATER,
  PROP_HOST_MEMORY_LIMIT,
  PROP_HOST_MEMORY_USED,
  PROP_FAST_MATH,
  N_PROPERTIES
};

static GParamSpec *properties[N_PROPERTIES];

/* Registered here, so that a derived type can implement the extension point. */
G_DEFINE_ABSTRACT_TYPE_WITH_CODE (AccBackend, acc_backend, G_TYPE_OBJECT,
  G_ADD_PRIVATE (AccBackend)
  g_io_extension_point_set_required_type (g_io_extension_point_register (ACC_BACKEND_EXTENSION_POINT),
                                          g_define_type_id);)

#define PRIV(self) ((AccBackendPrivate *) acc_backend_get_instance_private (self))

static guint64
get_default_limit (void)
{
  const char *text = secure_getenv ("ACC_MEMORY_LIMIT");
  guint64 limit;

  if (text != NULL && *text != '\0' && acc_machine_parse_size (text, &limit, NULL))
    return limit;

  return acc_machine_get_memory () / 4;
}

static gpointer
acc_backend_real_allocate (AccBackend *self, gsize size, const char *what, GError **error)
{
  return acc_buffer_allocate (size, PRIV (self)->budget, what, error);
}

static void
acc_backend_get_property (GObject *object, guint id, GValue *value, GParamSpec *pspec)
{
  AccBackend *self = ACC_BACKEND (object);

  switch (id)
    {
    case PROP_NAME:
      g_value_set_string (value, acc_backend_get_name (self));
      break;
    case PROP_DESCRIPTION:
      g_value_set_string (value, acc_backend_get_description (self));
      break;
    case PROP_DEVICE:
      g_value_set_string (value, acc_backend_get_device (self));
      break;
    case PROP_N_THREADS:
      g_value_set_uint (value, acc_backend_get_n_threads (self));
      break;
    case PROP_MEMORY_LIMIT:
      g_value_set_uint64 (value, acc_backend_get_memory_limit (self));
      break;
    case PROP_MEMORY_USED:
      g_value_set_uint64 (value, acc_backend_get_memory_used (self));
      break;
    case PROP_MEMORY_HIGH_WATER:
      g_value_set_uint64 (value, acc_backend_get_memory_high_water (self));
      break;
    case PROP_HOST_MEMORY_LIMIT:
      g_value_set_uint64 (value, acc_backend_get_host_memory_limit (self));
      break;
    case PROP_HOST_MEMORY_USED:
      g_value_set_uint64 (value, acc_backend_get_host_memory_used (self));
      break;
    case PROP_FAST_MATH:
      g_value_set_boolean (value, acc_backend_get_fast_math (self));
      break;
    default:
      G_OBJECT_WARN_INVALID_PROPERTY_ID (object, id, pspec);
    }
}

static void
acc_backend_set_property (GObject *object, guint id, const GValue *value, GParamSpec *pspec)
{
  AccBackend *self = ACC_BACKEND (object);

  switch (id)
    {
    case PROP_DEVICE:
      PRIV (self)->device = g_value_dup_string (value);
      break;
    case PROP_MEMORY_LIMIT:
      acc_backend_set_memory_limit (self, g_value_get_uint64 (value));
      break;
    case PROP_HOST_MEMORY_LIMIT:
      acc_backend_set_host_memory_limit (self, g_value_get_uint64 (value));
      break;
    case PROP_FAST_MATH:
      acc_backend_set_fast_math (self, g_value_get_boolean (value));
      break;
    default:
      G_OBJECT_WARN_INVALID_PROPERTY_ID (object, id, pspec);
    }
}

static void
acc_backend_finalize (GObject *object)
{
  AccBackendPrivate *priv = PRIV (ACC_BACKEND (object));

  g_free (priv->name);
  g_free (priv->description);
  g_free (priv->device);
  acc_budget_unref (priv->budget);
  acc_budget_unref (priv->host_budget);
  acc_foreign_table_free (priv->foreigners);
  acc_temporary_space_free (priv->temporary);

  G_OBJECT_CLASS (acc_backend_parent_class)->finalize (object);
}

static void
make_properties (void)
{
  /**
   * AccBackend:name:
   *
   * Holds the name that [func@Acc.Backend.new_for_name] takes.
   */
  properties[PROP_NAME] =
    g_param_spec_string ("name", NULL, NULL, NULL, G_PARAM_READABLE | G_PARAM_STATIC_STRINGS);

  /**
   * AccBackend:description:
   *
   * Describes the device, as text for people.
   */
  properties[PROP_DESCRIPTION] =
    g_param_spec_string ("description", NULL, NULL, NULL, G_PARAM_READABLE | G_PARAM_STATIC_STRINGS);

  /**
   * AccBackend:device:
   *
   * Selects one of several devices of a kind: the part after the colon in the backend's name. %NULL selects the first.
   */
  properties[PROP_DEVICE] =
    g_param_spec_string ("device", NULL, NULL, NULL,
                         G_PARAM_READWRITE | G_PARAM_CONSTRUCT_ONLY | G_PARAM_STATIC_STRINGS);

  /**
   * AccBackend:n-threads:
   *
   * Counts the host threads that compute.
   */
  properties[PROP_N_THREADS] =
    g_param_spec_uint ("n-threads", NULL, NULL, 0, G_MAXUINT, 1, G_PARAM_READABLE | G_PARAM_STATIC_STRINGS);

  /**
   * AccBackend:fast-math:
   *
   * Allows faster and less exact floating-point arithmetic: see [method@Acc.Backend.set_fast_math].
   */
  properties[PROP_FAST_MATH] =
    g_param_spec_boolean ("fast-math", NULL, NULL, FALSE,
                          G_PARAM_READWRITE | G_PARAM_EXPLICIT_NOTIFY | G_PARAM_STATIC_STRINGS);
}

static void
make_memory_properties (void)
{
  /**
   * AccBackend:memory-limit:
   *
   * Limits the bytes of array data that the backend holds at once. 0 stands for no limit.
   */
  properties[PROP_MEMORY_LIMIT] =
    g_param_spec_uint64 ("memory-limit", NULL, NULL, 0, G_MAXUINT64, 0,
                         G_PARAM_READWRITE | G_PARAM_EXPLICIT_NOTIFY | G_PARAM_STATIC_STRINGS);

  /**
   * AccBackend:memory-used:
   *
   * Counts the bytes of array data that the backend holds now. Does not notify.
   */
  properties[PROP_MEMORY_USED] =
    g_param_spec_uint64 ("memory-used", NULL, NULL, 0, G_MAXUINT64, 0, G_PARAM_READABLE | G_PARAM_STATIC_STRINGS);

  /**
   * AccBackend:memory-high-water:
   *
   * Records the most bytes of array data that the backend held at once. Does not notify.
   */
  properties[PROP_MEMORY_HIGH_WATER] =
    g_param_spec_uint64 ("memory-high-water", NULL, NULL, 0, G_MAXUINT64, 0,
                         G_PARAM_READABLE | G_PARAM_STATIC_STRINGS);

  /**
   * AccBackend:host-memory-limit:
   *
   * Limits the bytes of host memory that array data takes at once. 0 stands for no limit. Equals
   * [property@Acc.Backend:memory-limit] where the backend's memory is the host's.
   */
  properties[PROP_HOST_MEMORY_LIMIT] =
    g_param_spec_uint64 ("host-memory-limit", NULL, NULL, 0, G_MAXUINT64, 0,
                         G_PARAM_READWRITE | G_PARAM_EXPLICIT_NOTIFY | G_PARAM_STATIC_STRINGS);

  /**
   * AccBackend:host-memory-used:
   *
   * Counts the bytes of host memory that array data takes now. Does not notify.
   */
  properties[PROP_HOST_MEMORY_USED] =
    g_param_spec_uint64 ("host-memory-used", NULL, NULL, 0, G_MAXUINT64, 0, G_PARAM_READABLE | G_PARAM_STATIC_STRINGS);
}

static void
acc_backend_class_init (AccBackendClass *klass)
{
  GObjectClass *object_class = G_OBJECT_CLASS (klass);

  object_class->get_property = acc_backend_get_property;
  object_class->set_property = acc_backend_set_property;
  object_class->finalize = acc_backend_finalize;
  klass->allocate = acc_backend_real_allocate;

  make_properties ();
  make_memory_properties ();
  g_object_class_install_properties (object_class, N_PROPERTIES, properties);
}

static void
acc_backend_init (AccBackend *self)
{
  PRIV (self)->budget = acc_budget_new (get_default_limit ());
  PRIV (self)->host_budget = acc_budget_ref (PRIV (self)->budget);
  PRIV (self)->n_threads = 1;
  PRIV (self)->foreigners = acc_foreign_table_new ();
  PRIV (self)->temporary = acc_temporary_space_new ();
}

void
acc_backend_set_identity (AccBackend *self, const char *name, const char *description, guint n_threads)
{
  AccBackendPrivate *priv = PRIV (self);

  g_return_if_fail (ACC_IS_BACKEND (self));
  g_return_if_fail (name != NULL);

  g_free (priv->name);
  g_free (priv->description);
  priv->name = g_strdup (name);
  priv->description = g_strdup (description != NULL ? description : name);
  priv->n_threads = n_threads;
}

AccForeignTable *
acc_backend_get_foreigners (AccBackend *self)
{
  return PRIV (self)->foreigners;
}

AccTemporarySpace *
acc_backend_get_temporary_space (AccBackend *self)
{
  return PRIV (self)->temporary;
}

AccBudget *
acc_backend_get_budget (AccBackend *self)
{
  g_return_val_if_fail (ACC_IS_BACKEND (self), NULL);

  return PRIV (self)->budget;
}

AccBudget *
acc_backend_get_host_budget (AccBackend *self)
{
  g_return_val_if_fail (ACC_IS_BACKEND (self), NULL);

  return PRIV (self)->host_budget;
}

void
acc_backend_split_budget (AccBackend *self)
{
  AccBackendPrivate *priv = PRIV (self);

  g_return_if_fail (priv->host_budget == priv->budget);

  acc_budget_unref (priv->host_budget);
  priv->host_budget = acc_budget_new (get_default_limit ());
  acc_budget_set_place (priv->host_budget, " of the host's memory");
}

void
acc_backend_borrow_budget (AccBackend *self, AccBackend *lender)
{
  AccBackendPrivate *priv = PRIV (self);

  acc_budget_unref (priv->budget);
  acc_budget_unref (priv->host_budget);
  priv->budget = acc_budget_ref (PRIV (lender)->host_budget);
  priv->host_budget = acc_budget_ref (PRIV (lender)->host_budget);
}

const char *
acc_backend_get_device (AccBackend *self)
{
  g_return_val_if_fail (ACC_IS_BACKEND (self), NULL);

  return PRIV (self)->device;
}

AccBuffer *
acc_backend_allocate (AccBackend *self, gsize size, const char *what, GError **error)
{
  g_return_val_if_fail (ACC_IS_BACKEND (self), NULL);

  return ACC_BACKEND_GET_CLASS (self)->allocate (self, size, what, error);
}

/* Beside the most that was held at any time. */
static gboolean
has_room (AccBudget *budget, gsize size)
{
  guint64 limit = acc_budget_get_limit (budget), most = acc_budget_get_high_water (budget);

  return limit == 0 || (most <= limit && size <= limit - most);
}

void
acc_backend_send_ahead (AccBackend *self, AccArray *array)
{
  AccBackendClass *klass = ACC_BACKEND_GET_CLASS (self);
  AccBuffer **buffers = acc_array_get_buffers (array);

  for (guint i = 0; klass->send_ahead != NULL && i < acc_element_type_get_n_buffers (array->type); i++)
    if (has_room (PRIV (self)->budget, buffers[i]->size))
      klass->send_ahead (self, buffers[i]);
}

/**
 * acc_backend_get_name:
 * @self: a backend
 *
 * Returns the name that [func@Acc.Backend.new_for_name] takes: `native`, `interpreter`, `cuda:0`.
 *
 * Returns: (transfer none): the name
 */
const char *
acc_backend_get_name (AccBackend *self)
{
  g_return_val_if_fail (ACC_IS_BACKEND (self), NULL);

  return PRIV (self)->name != NULL ? PRIV (self)->name : G_OBJECT_TYPE_NAME (self);
}

/**
 * acc_backend_get_description:
 * @self: a backend
 *
 * Returns a description of the device, as text for people.
 *
 * Returns: (transfer none): a short text
 */
const char *
acc_backend_get_description (AccBackend *self)
{
  g_return_val_if_fail (ACC_IS_BACKEND (self), NULL);

  return PRIV (self)->description != NULL ? PRIV (self)->description : acc_backend_get_name (self);
}

/**
 * acc_backend_get_n_threads:
 * @self: a backend
 *
 * Returns the number of host threads that compute.
 *
 * Returns: number of threads
 */
guint
acc_backend_get_n_threads (AccBackend *self)
{
  g_return_val_if_fail (ACC_IS_BACKEND (self), 0);

  return PRIV (self)->n_threads;
}

/**
 * acc_backend_get_memory_limit:
 * @self: a backend
 *
 * Returns the limit of the array data that the backend holds at once: arrays, chunks and intermediates.
 *
 * The limit starts as the value of the environment variable `ACC_MEMORY_LIMIT`. Where that is not set, it starts as a quarter
 * of the memory of the machine or of the process's control group, or as three quarters of the memory that a device has of its
 * own.
 *
 * For a device the limit bounds the device memory that is in use or kept for later, and the chunks that the backend allocates.
 * What does not fit is moved to the host's memory, and back when it is needed, as far as
 * [method@Acc.Backend.get_host_memory_limit] allows.
 *
 * Returns: bytes; 0 stands for no limit
 */
guint64
acc_backend_get_memory_limit (AccBackend *self)
{
  g_return_val_if_fail (ACC_IS_BACKEND (self), 0);

  return acc_budget_get_limit (PRIV (self)->budget);
}

/* One budget may be both. */
static void
set_limit (AccBackend *self, AccBudget *budget, guint64 limit)
{
  if (acc_budget_get_limit (budget) == limit)
    return;

  acc_budget_set_limit (budget, limit);
  if (budget == PRIV (self)->budget)
    g_object_notify_by_pspec (G_OBJECT (self), properties[PROP_MEMORY_LIMIT]);
  if (budget == PRIV (self)->host_budget)
    g_object_notify_by_pspec (G_OBJECT (self), properties[PROP_HOST_MEMORY_LIMIT]);
}

/**
 * acc_backend_set_memory_limit:
 * @self: a backend
 * @limit: bytes; 0 stands for no limit
 *
 * Sets the limit of the array data that the backend holds at once. Arrays that already exceed it stay; nothing new is allocated
 * until enough of them are released.
 */
void
acc_backend_set_memory_limit (AccBackend *self, guint64 limit)
{
  g_return_if_fail (ACC_IS_BACKEND (self));

  set_limit (self, PRIV (self)->budget, limit);
}

/**
 * acc_backend_get_host_memory_limit:
 * @self: a backend
 *
 * Returns the limit of the host memory that array data takes at once.
 *
 * Where a device has memory of its own, or a part of the host's, the limit covers results that were fetched or downloaded in
 * pieces, arrays that were evicted from the device to make room, and pinned memory for transfers. It starts as the value of the
 * environment variable `ACC_MEMORY_LIMIT`, or else as a quarter of the memory of the machine or of the process's control group.
 * Everywhere else it is the limit that [method@Acc.Backend.get_memory_limit] returns.
 *
 * What does not fit is refused with %ACC_ERROR_OUT_OF_MEMORY before work for it begins. Memory that the caller gave is not
 * counted.
 *
 * Returns: bytes; 0 stands for no limit
 */
guint64
acc_backend_get_host_memory_limit (AccBackend *self)
{
  g_return_val_if_fail (ACC_IS_BACKEND (self), 0);

  return acc_budget_get_limit (PRIV (self)->host_budget);
}

/**
 * acc_backend_set_host_memory_limit:
 * @self: a backend
 * @limit: bytes; 0 stands for no limit
 *
 * Sets the limit of the host memory that array data takes at once. Arrays that already exceed it stay. Where the backend's
 * memory is the host's, this is [method@Acc.Backend.set_memory_limit].
 */
void
acc_backend_set_host_memory_limit (AccBackend *self, guint64 limit)
{
  g_return_if_fail (ACC_IS_BACKEND (self));

  set_limit (self, PRIV (self)->host_budget, limit);
}

/**
 * acc_backend_get_host_memory_used:
 * @self: a backend
 *
 * Returns the bytes of host memory that array data takes now, which [method@Acc.Backend.get_host_memory_limit] bounds.
 *
 * Returns: bytes
 */
guint64
acc_backend_get_host_memory_used (AccBackend *self)
{
  g_return_val_if_fail (ACC_IS_BACKEND (self), 0);

  return acc_budget_get_used (PRIV (self)->host_budget);
}

/**
 * acc_backend_get_fast_math:
 * @self: a backend
 *
 * Returns whether runs that start from now on may use less exact floating-point arithmetic.
 *
 * Returns: %TRUE if they may
 */
gboolean
acc_backend_get_fast_math (AccBackend *self)
{
  g_return_val_if_fail (ACC_IS_BACKEND (self), FALSE);

  return g_atomic_int_get (&PRIV (self)->fast_math);
}

/**
 * acc_backend_set_fast_math:
 * @self: a backend
 * @fast_math: whether floats may be computed faster and less exactly
 *
 * Sets whether runs that start from now on may use less exact floating-point arithmetic than the language states.
 *
 * A multiplication and an addition may be rounded once, together (contraction). Divisions, reciprocals, square roots,
 * exponentials and logarithms of `f4` may be the device's quickest, which are off by a few units in the last place. Infinities,
 * NaNs and signed zeros keep their meaning, and sums keep their order. It starts as %FALSE. Not every backend has a faster way
 * for everything.
 */
void
acc_backend_set_fast_math (AccBackend *self, gboolean fast_math)
{
  g_return_if_fail (ACC_IS_BACKEND (self));

  fast_math = fast_math != FALSE;
  if (g_atomic_int_get (&PRIV (self)->fast_math) == fast_math)
    return;

  g_atomic_int_set (&PRIV (self)->fast_math, fast_math);
  g_object_notify_by_pspec (G_OBJECT (self), properties[PROP_FAST_MATH]);
}

/**
 * acc_backend_get_memory_used:
 * @self: a backend
 *
 * Returns the bytes of array data that the backend holds now, including buffers kept for reuse.
 *
 * Returns: bytes
 */
guint64
acc_backend_get_memory_used (AccBackend *self)
{
  g_return_val_if_fail (ACC_IS_BACKEND (self), 0);

  return acc_budget_get_used (PRIV (self)->budget);
}

/**
 * acc_backend_get_memory_high_water:
 * @self: a backend
 *
 * Returns the most bytes of array data that the backend held at once since it was created.
 *
 * Returns: bytes
 */
guint64
acc_backend_get_memory_high_water (AccBackend *self)
{
  g_return_val_if_fail (ACC_IS_BACKEND (self), 0);

  return acc_budget_get_high_water (PRIV (self)->budget);
}
