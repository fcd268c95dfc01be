/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "acc-array-age-private.h"
#include "acc-array-build-private.h"
#include "acc-source.h"

#include <string.h>

/**
 * AccArray:
 *
 * Represents an array: elements of one type over a dense, rectangular index space.
 *
 * An array is *manifest* (its elements are in memory), *delayed* (an operation on other arrays, computed when a backend
 * runs it), a *parameter* of a program, or *backed by a source* that delivers it in chunks. Its shape is a list of extents,
 * outermost first; an array of rank 0 has one element. The elements are stored row-major and contiguous; those of tuples as
 * one buffer per scalar.
 *
 * The functions that build arrays do not fail: a mistake of type or shape gives an array that carries an error. Every array
 * computed from it carries the same error, and [method@Array.check] or running reports it, with the name of the operation
 * and the label where it began. %NULL instead of an array argument is such a mistake too ([error@Error.CALLBACK]).
 *
 * Arrays are immutable except for the label, and may be used from any thread; set the label before sharing.
 */

enum {
  PROP_0,
  PROP_ELEMENT_TYPE,
  PROP_RANK,
  PROP_SHAPE,
  PROP_LABEL,
  N_PROPS
};

static GParamSpec *properties[N_PROPS];

typedef struct {
  guint64 age;    /* nodes that were made before it */
} AccArrayPrivate;

G_DEFINE_FINAL_TYPE_WITH_PRIVATE (AccArray, acc_array, G_TYPE_OBJECT)

typedef struct {
  gpointer       object;
  GDestroyNotify release;
} Dropped;

void
acc_array_release (gpointer       object,
                   GDestroyNotify release)
{
  static __thread gboolean releasing;
  static __thread GArray *pending;

  if (object == NULL)
    return;

  if (releasing)
    {
      if (pending == NULL)
        pending = g_array_new (FALSE, FALSE, sizeof (Dropped));
      g_array_append_vals (pending, &(Dropped) { object, release }, 1);
      return;
    }

  releasing = TRUE;
  release (object);
  while (pending != NULL && pending->len > 0)
    {
      Dropped next = g_array_index (pending, Dropped, pending->len - 1);

      g_array_set_size (pending, pending->len - 1);
      next.release (next.object);
    }
  g_clear_pointer (&pending, g_array_unref);
  releasing = FALSE;
}

static void
drop_references (gpointer references)
{
  g_ptr_array_unref (references);
}

static void
acc_array_finalize (GObject *object)
{
  AccArray *self = ACC_ARRAY (object);
  const AccPayloadClass *payload = acc_operation_get_class (self->op)->payload;

  for (guint i = 0; i < self->n_inputs; i++)
    acc_array_release (self->inputs[i], g_object_unref);
  for (guint i = 0; i < 2; i++)
    acc_array_release (self->functions[i], (GDestroyNotify) acc_function_unref);
  if (self->payload != NULL && payload->clear != NULL)
    payload->clear (self);

  acc_array_release (self->extents, (GDestroyNotify) acc_function_unref);
  acc_array_release (self->references, drop_references);
  acc_array_release (self->origin, g_object_unref);
  acc_array_release (self->direct, g_object_unref);

  g_clear_pointer (&self->offer, acc_offer_free);
  g_free (self->inputs);
  g_free (self->payload);
  g_clear_pointer (&self->made_by, g_ref_string_release);
  g_free (self->label);
  g_clear_pointer (&self->shape, acc_shape_unref);
  g_clear_error (&self->error);

  G_OBJECT_CLASS (acc_array_parent_class)->finalize (object);
}

static void
acc_array_get_property (GObject    *object,
                        guint       id,
                        GValue     *value,
                        GParamSpec *pspec)
{
  AccArray *self = ACC_ARRAY (object);

  switch (id)
    {
    case PROP_ELEMENT_TYPE:
      g_value_set_boxed (value, self->type);
      break;

    case PROP_RANK:
      g_value_set_uint (value, self->rank);
      break;

    case PROP_SHAPE:
      g_value_set_boxed (value, self->shape);
      break;

    case PROP_LABEL:
      g_value_set_string (value, self->label);
      break;

    default:
      G_OBJECT_WARN_INVALID_PROPERTY_ID (object, id, pspec);
    }
}

static void
acc_array_set_property (GObject      *object,
                        guint         id,
                        const GValue *value,
                        GParamSpec   *pspec)
{
  switch (id)
    {
    case PROP_LABEL:
      acc_array_set_label (ACC_ARRAY (object), g_value_get_string (value));
      break;

    default:
      G_OBJECT_WARN_INVALID_PROPERTY_ID (object, id, pspec);
    }
}

static void
acc_array_class_init (AccArrayClass *klass)
{
  GObjectClass *object_class = G_OBJECT_CLASS (klass);

  object_class->finalize = acc_array_finalize;
  object_class->get_property = acc_array_get_property;
  object_class->set_property = acc_array_set_property;

  /**
   * AccArray:element-type: (getter get_element_type)
   *
   * Holds the type of the elements; %NULL while the array carries an error.
   */
  properties[PROP_ELEMENT_TYPE] =
    g_param_spec_boxed ("element-type", NULL, NULL, ACC_TYPE_ELEMENT_TYPE,
                        G_PARAM_READABLE | G_PARAM_STATIC_STRINGS);

  /**
   * AccArray:rank: (getter get_rank)
   *
   * Holds the number of dimensions.
   */
  properties[PROP_RANK] =
    g_param_spec_uint ("rank", NULL, NULL, 0, G_MAXUINT, 0,
                       G_PARAM_READABLE | G_PARAM_STATIC_STRINGS);

  /**
   * AccArray:shape: (getter get_shape)
   *
   * Holds the extents; %NULL while they depend on a parameter or on computed values.
   */
  properties[PROP_SHAPE] =
    g_param_spec_boxed ("shape", NULL, NULL, ACC_TYPE_SHAPE,
                        G_PARAM_READABLE | G_PARAM_STATIC_STRINGS);

  /**
   * AccArray:label: (getter get_label) (setter set_label)
   *
   * Holds the name that the user has set for the array; errors, plans and traces use it.
   */
  properties[PROP_LABEL] =
    g_param_spec_string ("label", NULL, NULL, NULL,
                         G_PARAM_READWRITE | G_PARAM_EXPLICIT_NOTIFY | G_PARAM_STATIC_STRINGS);

  g_object_class_install_properties (object_class, N_PROPS, properties);
}

static guint64 n_made;

guint64
acc_array_count_made (void)
{
  return __atomic_load_n (&n_made, __ATOMIC_RELAXED);
}

guint64
acc_array_get_age (AccArray *self)
{
  return ((AccArrayPrivate *) acc_array_get_instance_private (self))->age;
}

static void
acc_array_init (AccArray *self)
{
  ((AccArrayPrivate *) acc_array_get_instance_private (self))->age = __atomic_fetch_add (&n_made, 1, __ATOMIC_RELAXED);
  self->references = g_ptr_array_new_with_free_func (g_object_unref);
}

const char *
acc_array_get_operation_name (AccArray *self)
{
  return self->made_by != NULL ? self->made_by : acc_operation_get_info (self->op)->name;
}

char *
acc_array_describe (AccArray *self)
{
  const char *name = acc_array_get_operation_name (self);

  if (self->label != NULL && strstr (self->label, ACC_REFUSED_NUMBER) == NULL)
    return g_strdup_printf ("%s “%s”", name, self->label);
  else
    return g_strdup (name);
}

char *
acc_array_refuse_number (AccArray *self,
                         gint64    number,
                         gboolean  is_known)
{
  g_autofree char *text = g_strdup_printf ("%" G_GINT64_FORMAT, number);
  GString *said;

  if (self == NULL || self->label == NULL || strstr (self->label, ACC_REFUSED_NUMBER) == NULL)
    return NULL;

  said = g_string_new (self->label);
  if (!is_known)
    g_string_replace (said, "element " ACC_REFUSED_NUMBER, "this element", 0);
  g_string_replace (said, ACC_REFUSED_NUMBER, text, 0);

  return g_string_free (said, FALSE);
}

GError *
acc_array_dup_error (AccArray *self)
{
  AccArray *origin = self->origin != NULL ? self->origin : self;
  g_autofree char *description = NULL;

  if (self->error == NULL)
    return NULL;

  if (origin->label == NULL)
    return g_error_copy (self->error);

  /* Every message begins with the name of the operation; that of a copy may have the label already. */
  description = acc_array_describe (origin);
  if (g_str_has_prefix (self->error->message, description))
    return g_error_copy (self->error);

  return g_error_new (self->error->domain, self->error->code, "%s%s", description,
                      self->error->message + strlen (acc_array_get_operation_name (origin)));
}

/**
 * acc_array_get_element_type:
 * @self: an array
 *
 * Returns the type of the elements.
 *
 * Returns: (transfer none) (nullable): the type; %NULL where @self carries an error
 */
AccElementType *
acc_array_get_element_type (AccArray *self)
{
  g_return_val_if_fail (ACC_IS_ARRAY (self), NULL);

  return self->type;
}

/**
 * acc_array_get_rank:
 * @self: an array
 *
 * Returns the number of dimensions: 0 for one element, 1 for a vector. It is known before any run.
 *
 * Returns: the rank; 0 where @self carries an error
 */
guint
acc_array_get_rank (AccArray *self)
{
  g_return_val_if_fail (ACC_IS_ARRAY (self), 0);

  return self->rank;
}

/**
 * acc_array_get_shape:
 * @self: an array
 *
 * Returns the extents where they are known before a run. They are %NULL while they depend on a parameter of a program or on
 * computed values, and where @self carries an error. Extents are never negative.
 *
 * Returns: (transfer none) (nullable): the shape
 */
AccShape *
acc_array_get_shape (AccArray *self)
{
  g_return_val_if_fail (ACC_IS_ARRAY (self), NULL);

  return self->shape;
}

/**
 * acc_array_get_label:
 * @self: an array
 *
 * Returns the name that the user has set for the array.
 *
 * Returns: (transfer none) (nullable): the label
 */
const char *
acc_array_get_label (AccArray *self)
{
  g_return_val_if_fail (ACC_IS_ARRAY (self), NULL);

  return self->label;
}

/**
 * acc_array_set_label:
 * @self: an array
 * @label: (nullable): a name for people
 *
 * Sets a name for the array, which errors, plans, traces and graphs use. Must not be called while another thread uses
 * @self.
 */
void
acc_array_set_label (AccArray   *self,
                     const char *label)
{
  g_return_if_fail (ACC_IS_ARRAY (self));

  if (g_strcmp0 (self->label, label) == 0)
    return;

  g_free (self->label);
  self->label = label != NULL ? g_utf8_make_valid (label, -1) : NULL;
  if (self->direct != NULL)
    acc_array_set_label (self->direct, label);
  g_object_notify_by_pspec (G_OBJECT (self), properties[PROP_LABEL]);
}

/**
 * acc_array_get_operation:
 * @self: an array
 *
 * Returns the name of the operation that computes the array, as in the text form of programs: "map", "use", "parameter" …
 *
 * Returns: (transfer none): the name
 */
const char *
acc_array_get_operation (AccArray *self)
{
  g_return_val_if_fail (ACC_IS_ARRAY (self), NULL);

  return acc_operation_get_info (self->op)->name;
}

/**
 * acc_array_check:
 * @self: an array
 * @error: return location for an error
 *
 * Checks that the array was built without a mistake. The error is the first one met, with the name of the operation and the
 * label where it began.
 *
 * Returns: %TRUE where @self carries no error
 */
gboolean
acc_array_check (AccArray  *self,
                 GError   **error)
{
  g_return_val_if_fail (ACC_IS_ARRAY (self), FALSE);

  if (self->error == NULL)
    return TRUE;

  g_propagate_error (error, acc_array_dup_error (self));
  return FALSE;
}

/**
 * acc_array_is_manifest:
 * @self: an array
 *
 * Tells whether the elements are in memory, so that they can be read.
 *
 * Returns: %TRUE for data given by the user and for results of a run
 */
gboolean
acc_array_is_manifest (AccArray *self)
{
  g_return_val_if_fail (ACC_IS_ARRAY (self), FALSE);

  return acc_array_get_buffers (self) != NULL;
}
