/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "acc-backend.h"

/**
 * AccBackendInfo:
 *
 * Describes a backend that [func@Acc.Backend.list] found: present, or absent with a reason. Immutable. Any thread may use it.
 */
struct _AccBackendInfo
{
  GObject parent_instance;

  char   *name;
  char   *description;
  char   *reason;
  guint64 memory;
  guint   n_threads;
};

enum {
  PROP_0,
  PROP_NAME,
  PROP_DESCRIPTION,
  PROP_REASON,
  PROP_MEMORY,
  PROP_N_THREADS,
  N_PROPERTIES
};

static GParamSpec *properties[N_PROPERTIES];

G_DEFINE_FINAL_TYPE (AccBackendInfo, acc_backend_info, G_TYPE_OBJECT)

static void
acc_backend_info_get_property (GObject *object, guint id, GValue *value, GParamSpec *pspec)
{
  AccBackendInfo *self = ACC_BACKEND_INFO (object);

  switch (id)
    {
    case PROP_NAME:
      g_value_set_string (value, self->name);
      break;
    case PROP_DESCRIPTION:
      g_value_set_string (value, self->description);
      break;
    case PROP_REASON:
      g_value_set_string (value, self->reason);
      break;
    case PROP_MEMORY:
      g_value_set_uint64 (value, self->memory);
      break;
    case PROP_N_THREADS:
      g_value_set_uint (value, self->n_threads);
      break;
    default:
      G_OBJECT_WARN_INVALID_PROPERTY_ID (object, id, pspec);
    }
}

static void
acc_backend_info_set_property (GObject *object, guint id, const GValue *value, GParamSpec *pspec)
{
  AccBackendInfo *self = ACC_BACKEND_INFO (object);

  switch (id)
    {
    case PROP_NAME:
      self->name = g_value_dup_string (value);
      break;
    case PROP_DESCRIPTION:
      self->description = g_value_dup_string (value);
      break;
    case PROP_REASON:
      self->reason = g_value_dup_string (value);
      break;
    case PROP_MEMORY:
      self->memory = g_value_get_uint64 (value);
      break;
    case PROP_N_THREADS:
      self->n_threads = g_value_get_uint (value);
      break;
    default:
      G_OBJECT_WARN_INVALID_PROPERTY_ID (object, id, pspec);
    }
}

static void
acc_backend_info_finalize (GObject *object)
{
  AccBackendInfo *self = ACC_BACKEND_INFO (object);

  g_free (self->name);
  g_free (self->description);
  g_free (self->reason);

  G_OBJECT_CLASS (acc_backend_info_parent_class)->finalize (object);
}

static void
acc_backend_info_class_init (AccBackendInfoClass *klass)
{
  GObjectClass *object_class = G_OBJECT_CLASS (klass);
  const GParamFlags flags = G_PARAM_READWRITE | G_PARAM_CONSTRUCT_ONLY | G_PARAM_STATIC_STRINGS;

  object_class->get_property = acc_backend_info_get_property;
  object_class->set_property = acc_backend_info_set_property;
  object_class->finalize = acc_backend_info_finalize;

  /**
   * AccBackendInfo:name:
   *
   * Holds the name that [func@Acc.Backend.new_for_name] takes.
   */
  properties[PROP_NAME] = g_param_spec_string ("name", NULL, NULL, NULL, flags);

  /**
   * AccBackendInfo:description:
   *
   * Describes the device, as text for people. %NULL where the backend is absent.
   */
  properties[PROP_DESCRIPTION] = g_param_spec_string ("description", NULL, NULL, NULL, flags);

  /**
   * AccBackendInfo:reason:
   *
   * States why the backend is absent. %NULL where it is present.
   */
  properties[PROP_REASON] = g_param_spec_string ("reason", NULL, NULL, NULL, flags);

  /**
   * AccBackendInfo:memory:
   *
   * Gives the default memory limit for array data, in bytes. 0 where the backend is absent or has no limit.
   */
  properties[PROP_MEMORY] = g_param_spec_uint64 ("memory", NULL, NULL, 0, G_MAXUINT64, 0, flags);

  /**
   * AccBackendInfo:n-threads:
   *
   * Counts the host threads that compute. 0 where the backend is absent.
   */
  properties[PROP_N_THREADS] = g_param_spec_uint ("n-threads", NULL, NULL, 0, G_MAXUINT, 0, flags);

  g_object_class_install_properties (object_class, N_PROPERTIES, properties);
}

static void
acc_backend_info_init (AccBackendInfo *self)
{
}

/**
 * acc_backend_info_get_name:
 * @self: an entry
 *
 * Returns the name that [func@Acc.Backend.new_for_name] takes.
 *
 * Returns: (transfer none): the name
 */
const char *
acc_backend_info_get_name (AccBackendInfo *self)
{
  g_return_val_if_fail (ACC_IS_BACKEND_INFO (self), NULL);

  return self->name;
}

/**
 * acc_backend_info_get_description:
 * @self: an entry
 *
 * Returns a description of the device, as text for people.
 *
 * Returns: (transfer none) (nullable): a short text, %NULL where the backend is absent
 */
const char *
acc_backend_info_get_description (AccBackendInfo *self)
{
  g_return_val_if_fail (ACC_IS_BACKEND_INFO (self), NULL);

  return self->description;
}

/**
 * acc_backend_info_get_reason:
 * @self: an entry
 *
 * Returns the reason why the backend is absent.
 *
 * Returns: (transfer none) (nullable): the reason, %NULL where the backend is present
 */
const char *
acc_backend_info_get_reason (AccBackendInfo *self)
{
  g_return_val_if_fail (ACC_IS_BACKEND_INFO (self), NULL);

  return self->reason;
}

/**
 * acc_backend_info_get_memory:
 * @self: an entry
 *
 * Returns the default memory limit for array data: the bytes that the backend may hold unless another limit is set.
 *
 * Returns: bytes; 0 where the backend is absent or has no limit
 */
guint64
acc_backend_info_get_memory (AccBackendInfo *self)
{
  g_return_val_if_fail (ACC_IS_BACKEND_INFO (self), 0);

  return self->memory;
}

/**
 * acc_backend_info_get_n_threads:
 * @self: an entry
 *
 * Returns the number of host threads that compute.
 *
 * Returns: number of threads; 0 where the backend is absent
 */
guint
acc_backend_info_get_n_threads (AccBackendInfo *self)
{
  g_return_val_if_fail (ACC_IS_BACKEND_INFO (self), 0);

  return self->n_threads;
}
