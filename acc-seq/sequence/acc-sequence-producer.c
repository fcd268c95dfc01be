/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "acc-sequence-producer.h"

#include "acc-seq/sequence/producers/acc-sequence-bound-private.h"
#include "acc-seq/sequence/producers/acc-sequence-chunk-private.h"

/**
 * AccSequenceProducer:
 *
 * Represents where the elements of a sequence come from: lines of a file, windows of a sound, frames of a camera, a subclass of your own.
 *
 * Elements are arrays of one element type and rank, or nested arrays of these. Those of a producer with [property@SequenceProducer:shape]
 * all have these extents; those of others may differ. A subclass implements the virtual function `read` at least: it returns the next
 * elements, as many as it has at hand and not more than it is asked for, as a nested array in memory, or %NULL where there are no more.
 * What it returns is checked.
 *
 * ```python
 * class Countdown(Acc.SequenceProducer):
 *     def __init__(self, n):
 *         super().__init__(element_type=Acc.ElementType.parse('i4'), rank=1)
 *         self.n = n
 *
 *     def do_read(self, max_elements, max_values, cancellable):
 *         self.n -= 1
 *         return Acc.NestedArray.from_regular(np.full((1, self.n), self.n, 'i4')) if self.n >= 0 else None
 * ```
 *
 * Producers are for one walk at a time, which may read on another thread than the one that made the producer, but on one at a time.
 */

#define WHOLE (1 << 30)

typedef enum {
  STATE_READING,
  STATE_ENDED,
  STATE_FAILED,
} State;

typedef struct {
  AccElementType *type;
  guint           rank, depth;
  AccShape       *shape;
  gint64          length;
  State           state;
  gint64          next;       /* the number of the next element */
  int             fraction;   /* atomic: that was read, in parts of WHOLE; -1: not known */
  gboolean        is_bound;
  AccBound        bound;      /* to the thread that made it, where .is_bound */
} AccSequenceProducerPrivate;

enum {
  PROP_0,
  PROP_ELEMENT_TYPE,
  PROP_RANK,
  PROP_DEPTH,
  PROP_SHAPE,
  PROP_LENGTH,
  PROP_CONTEXT_BOUND,
  N_PROPERTIES
};

static GParamSpec *properties[N_PROPERTIES];

G_DEFINE_ABSTRACT_TYPE_WITH_PRIVATE (AccSequenceProducer, acc_sequence_producer, G_TYPE_OBJECT)

#define PRIV(self) ((AccSequenceProducerPrivate *) acc_sequence_producer_get_instance_private (self))

static void
acc_sequence_producer_get_property (GObject    *object,
                                    guint       id,
                                    GValue     *value,
                                    GParamSpec *pspec)
{
  AccSequenceProducerPrivate *priv = PRIV (ACC_SEQUENCE_PRODUCER (object));

  switch (id)
    {
    case PROP_ELEMENT_TYPE:
      g_value_set_boxed (value, priv->type);
      break;
    case PROP_RANK:
      g_value_set_uint (value, priv->rank);
      break;
    case PROP_DEPTH:
      g_value_set_uint (value, priv->depth);
      break;
    case PROP_SHAPE:
      g_value_set_boxed (value, priv->shape);
      break;
    case PROP_LENGTH:
      g_value_set_int64 (value, priv->length);
      break;
    case PROP_CONTEXT_BOUND:
      g_value_set_boolean (value, priv->is_bound);
      break;
    default:
      G_OBJECT_WARN_INVALID_PROPERTY_ID (object, id, pspec);
    }
}

static void
acc_sequence_producer_set_property (GObject      *object,
                                    guint         id,
                                    const GValue *value,
                                    GParamSpec   *pspec)
{
  AccSequenceProducerPrivate *priv = PRIV (ACC_SEQUENCE_PRODUCER (object));

  switch (id)
    {
    case PROP_ELEMENT_TYPE:
      priv->type = g_value_dup_boxed (value);
      break;
    case PROP_RANK:
      priv->rank = g_value_get_uint (value);
      break;
    case PROP_DEPTH:
      priv->depth = g_value_get_uint (value);
      break;
    case PROP_SHAPE:
      priv->shape = g_value_dup_boxed (value);
      break;
    case PROP_LENGTH:
      priv->length = g_value_get_int64 (value);
      break;
    case PROP_CONTEXT_BOUND:
      priv->is_bound = g_value_get_boolean (value);
      break;
    default:
      G_OBJECT_WARN_INVALID_PROPERTY_ID (object, id, pspec);
    }
}

static void
acc_sequence_producer_constructed (GObject *object)
{
  AccSequenceProducerPrivate *priv = PRIV (ACC_SEQUENCE_PRODUCER (object));

  G_OBJECT_CLASS (acc_sequence_producer_parent_class)->constructed (object);

  if (priv->is_bound)
    acc_bound_init (&priv->bound);
  if (priv->shape != NULL)
    priv->rank = acc_shape_get_rank (priv->shape);
  else if (priv->rank == 0 && priv->depth == 1)
    priv->shape = acc_shape_new_scalar ();
}

static void
acc_sequence_producer_finalize (GObject *object)
{
  AccSequenceProducerPrivate *priv = PRIV (ACC_SEQUENCE_PRODUCER (object));

  g_clear_pointer (&priv->type, acc_element_type_unref);
  g_clear_pointer (&priv->shape, acc_shape_unref);
  acc_bound_clear (&priv->bound);

  G_OBJECT_CLASS (acc_sequence_producer_parent_class)->finalize (object);
}

static void
acc_sequence_producer_class_init (AccSequenceProducerClass *klass)
{
  GObjectClass *object_class = G_OBJECT_CLASS (klass);
  const GParamFlags flags = G_PARAM_READWRITE | G_PARAM_CONSTRUCT_ONLY | G_PARAM_STATIC_STRINGS;

  object_class->get_property = acc_sequence_producer_get_property;
  object_class->set_property = acc_sequence_producer_set_property;
  object_class->constructed = acc_sequence_producer_constructed;
  object_class->finalize = acc_sequence_producer_finalize;

  /**
   * AccSequenceProducer:element-type:
   *
   * Holds the type of what elements consist of.
   */
  properties[PROP_ELEMENT_TYPE] = g_param_spec_boxed ("element-type", NULL, NULL, ACC_TYPE_ELEMENT_TYPE, flags);

  /**
   * AccSequenceProducer:rank:
   *
   * Holds the rank of an element; that of the shape where there is one. Of elements that are nested arrays that of the arrays that they
   * consist of, at least 1.
   */
  properties[PROP_RANK] = g_param_spec_uint ("rank", NULL, NULL, 0, G_MAXUINT, 0, flags);

  /**
   * AccSequenceProducer:depth:
   *
   * Holds how many levels there are: 1 where elements are arrays, 2 where they are nested arrays of arrays, and so on.
   */
  properties[PROP_DEPTH] = g_param_spec_uint ("depth", NULL, NULL, 1, G_MAXUINT, 1, flags);

  /**
   * AccSequenceProducer:shape:
   *
   * Holds the extents of every element, where all have the same: %NULL where they may differ.
   */
  properties[PROP_SHAPE] = g_param_spec_boxed ("shape", NULL, NULL, ACC_TYPE_SHAPE, flags);

  /**
   * AccSequenceProducer:length:
   *
   * Holds the number of elements; -1 where that is not known.
   */
  properties[PROP_LENGTH] = g_param_spec_int64 ("length", NULL, NULL, -1, G_MAXINT64, -1, flags);

  /**
   * AccSequenceProducer:context-bound:
   *
   * Holds whether only the thread that made the producer may call it, as it is with objects of JavaScript. A walk on another thread has it
   * called by the main context of that thread, which must be running then. All others are called on whatever thread a walk has, while it
   * computes.
   */
  properties[PROP_CONTEXT_BOUND] = g_param_spec_boolean ("context-bound", NULL, NULL, FALSE, flags);

  g_object_class_install_properties (object_class, N_PROPERTIES, properties);
}

static void
acc_sequence_producer_init (AccSequenceProducer *self)
{
  PRIV (self)->fraction = -1;
}

/**
 * acc_sequence_producer_get_element_type:
 * @self: a producer
 *
 * Returns the type of what elements consist of.
 *
 * Returns: (transfer none) (nullable): the type; %NULL where it was made without one
 */
AccElementType *
acc_sequence_producer_get_element_type (AccSequenceProducer *self)
{
  g_return_val_if_fail (ACC_IS_SEQUENCE_PRODUCER (self), NULL);

  return PRIV (self)->type;
}

/**
 * acc_sequence_producer_get_rank:
 * @self: a producer
 *
 * Returns the rank of an element.
 *
 * Returns: the rank
 */
guint
acc_sequence_producer_get_rank (AccSequenceProducer *self)
{
  g_return_val_if_fail (ACC_IS_SEQUENCE_PRODUCER (self), 0);

  return PRIV (self)->rank;
}

/**
 * acc_sequence_producer_get_depth:
 * @self: a producer
 *
 * Returns how many levels there are.
 *
 * Returns: 1 where elements are arrays, 2 where they are nested arrays of arrays, and so on
 */
guint
acc_sequence_producer_get_depth (AccSequenceProducer *self)
{
  g_return_val_if_fail (ACC_IS_SEQUENCE_PRODUCER (self), 0);

  return PRIV (self)->depth;
}

/**
 * acc_sequence_producer_get_shape:
 * @self: a producer
 *
 * Returns the extents of every element, where all have the same.
 *
 * Returns: (transfer none) (nullable): the shape; %NULL where extents may differ
 */
AccShape *
acc_sequence_producer_get_shape (AccSequenceProducer *self)
{
  g_return_val_if_fail (ACC_IS_SEQUENCE_PRODUCER (self), NULL);

  return PRIV (self)->shape;
}

/**
 * acc_sequence_producer_get_length:
 * @self: a producer
 *
 * Returns the number of elements, from the first to the last.
 *
 * Returns: how many; -1 where that is not known
 */
gint64
acc_sequence_producer_get_length (AccSequenceProducer *self)
{
  g_return_val_if_fail (ACC_IS_SEQUENCE_PRODUCER (self), -1);

  return PRIV (self)->length;
}

/**
 * acc_sequence_producer_get_fraction:
 * @self: a producer
 *
 * Returns how much of all that is read was. Any thread may ask.
 *
 * Returns: 0 to 1; -1 where it is not known
 */
double
acc_sequence_producer_get_fraction (AccSequenceProducer *self)
{
  int fraction;

  g_return_val_if_fail (ACC_IS_SEQUENCE_PRODUCER (self), -1);

  fraction = g_atomic_int_get (&PRIV (self)->fraction);

  return fraction < 0 ? -1 : (double) fraction / WHOLE;
}

/**
 * acc_sequence_producer_set_fraction:
 * @self: a producer
 * @fraction: 0 to 1; -1: it is not known
 *
 * Sets how much of all that is read was. A subclass whose number of elements is not known calls it in `read`, for the progress of walks.
 */
void
acc_sequence_producer_set_fraction (AccSequenceProducer *self,
                                    double               fraction)
{
  g_return_if_fail (ACC_IS_SEQUENCE_PRODUCER (self));

  g_atomic_int_set (&PRIV (self)->fraction, fraction >= 0 ? (int) (MIN (fraction, 1) * WHOLE) : -1);
}

/**
 * acc_sequence_producer_is_bound: (get-property context-bound)
 * @self: a producer
 *
 * Tells whether only the thread that made the producer may call it.
 *
 * Returns: %TRUE if it is so
 */
gboolean
acc_sequence_producer_is_bound (AccSequenceProducer *self)
{
  g_return_val_if_fail (ACC_IS_SEQUENCE_PRODUCER (self), FALSE);

  return PRIV (self)->is_bound;
}

/* Producers of the library say themselves what cannot be read. */
static gboolean
needs_element (AccSequenceProducerClass *klass,
               const GError             *error)
{
  return !g_error_matches (error, G_IO_ERROR, G_IO_ERROR_CANCELLED)
         && (klass->describe == NULL || error->domain != ACC_ERROR || error->code == ACC_ERROR_CALLBACK);
}

static AccNestedArray *
read_next (AccSequenceProducer *self,
           gint64               max_elements,
           gint64               max_values,
           GCancellable        *cancellable,
           GError             **error)
{
  AccSequenceProducerPrivate *priv = PRIV (self);
  AccSequenceProducerClass *klass = ACC_SEQUENCE_PRODUCER_GET_CLASS (self);
  g_autoptr(AccNestedArray) chunk = NULL;
  g_autoptr(GError) local = NULL;
  gint64 n = 0;

  if (g_cancellable_set_error_if_cancelled (cancellable, error))
    return NULL;
  if (klass->read == NULL || priv->type == NULL)
    {
      g_set_error (error, ACC_ERROR, klass->read == NULL ? ACC_ERROR_UNSUPPORTED : ACC_ERROR_TYPE, "%s %s", G_OBJECT_TYPE_NAME (self),
                   klass->read == NULL ? "does not implement read" : "has no element type");
      return NULL;
    }

  chunk = acc_sequence_bound_read (&priv->bound, self, max_elements, max_values, cancellable, &local);
  if (local != NULL)
    {
      if (needs_element (klass, local))
        g_prefix_error (&local, "element %" G_GINT64_FORMAT ": ", priv->next);
      g_propagate_error (error, g_steal_pointer (&local));
      return NULL;
    }
  if (chunk == NULL)
    {
      if (priv->length >= 0 && priv->next < priv->length)
        acc_sequence_chunk_refuse (self, priv->next, error, "returned nothing, but there are %" G_GINT64_FORMAT " elements in all",
                                   priv->length);
      return NULL;
    }
  n = acc_sequence_chunk_check (self, chunk, priv->next, max_elements, max_values, error);
  if (n == 0)
    return NULL;

  priv->next += n;

  return priv->shape == NULL && acc_nested_array_get_form (chunk) == ACC_NESTED_FORM_REGULAR
         ? acc_sequence_chunk_make_irregular (chunk, error) : g_steal_pointer (&chunk);
}

/**
 * acc_sequence_producer_read: (virtual read)
 * @self: a producer
 * @max_elements: the most elements that are wanted, at least 1
 * @max_values: the most values that are wanted together, of more than one element; a single element may have more
 * @cancellable: (nullable): cancels the call, with %G_IO_ERROR_CANCELLED
 * @error: return location for an error
 *
 * Reads the next elements, which follow those of the last call: one or more. They are regular where the producer has a
 * [property@SequenceProducer:shape], else irregular; a subclass may return regular ones there, too.
 *
 * Fails with %ACC_ERROR_CALLBACK, the class and the element where a subclass returns what it must not: elements of another type, rank
 * or shape, more than it was asked for, fewer or more than its length, or elements that are not in memory. An error of its own gets the
 * number of the element in front: elements before one that cannot be read are best returned first, and the error by the next call. Fails
 * with
 * %ACC_ERROR_STREAM after a failure, until the producer is rewound.
 *
 * Returns: (transfer full) (nullable): a manifest nested array; %NULL with @error set, or without where there are no more elements
 */
AccNestedArray *
acc_sequence_producer_read (AccSequenceProducer *self,
                            gint64               max_elements,
                            gint64               max_values,
                            GCancellable        *cancellable,
                            GError             **error)
{
  AccSequenceProducerPrivate *priv;
  AccNestedArray *chunk;
  g_autoptr(GError) local = NULL;

  g_return_val_if_fail (ACC_IS_SEQUENCE_PRODUCER (self), NULL);
  g_return_val_if_fail (error == NULL || *error == NULL, NULL);

  priv = PRIV (self);
  if (priv->state == STATE_ENDED)
    return NULL;
  if (priv->state == STATE_FAILED || max_elements < 1)
    {
      g_set_error (error, ACC_ERROR, ACC_ERROR_STREAM, "%s %s", G_OBJECT_TYPE_NAME (self),
                   priv->state == STATE_FAILED ? "has failed, and was not rewound" : "was asked for less than one element");
      return NULL;
    }

  chunk = read_next (self, max_elements, MAX (max_values, 0), cancellable, &local);
  if (chunk == NULL)
    priv->state = local != NULL ? STATE_FAILED : STATE_ENDED;
  if (local != NULL)
    g_propagate_error (error, g_steal_pointer (&local));

  return chunk;
}

/**
 * acc_sequence_producer_rewind: (virtual rewind)
 * @self: a producer
 * @error: return location for an error
 *
 * Rewinds the producer, so that the next read begins at its first element. Does nothing where nothing was read yet.
 *
 * Fails with %ACC_ERROR_STREAM where the elements can be walked only once, %ACC_ERROR_CALLBACK where a subclass fails without an error.
 *
 * Returns: %TRUE on success
 */
gboolean
acc_sequence_producer_rewind (AccSequenceProducer *self,
                              GError             **error)
{
  AccSequenceProducerPrivate *priv;
  AccSequenceProducerClass *klass;
  gboolean rewound = FALSE;
  g_autoptr(GError) local = NULL;

  g_return_val_if_fail (ACC_IS_SEQUENCE_PRODUCER (self), FALSE);
  g_return_val_if_fail (error == NULL || *error == NULL, FALSE);

  priv = PRIV (self);
  klass = ACC_SEQUENCE_PRODUCER_GET_CLASS (self);
  if (priv->state == STATE_READING && priv->next == 0)
    return TRUE;

  if (klass->rewind == NULL)
    g_set_error (&local, ACC_ERROR, ACC_ERROR_STREAM, "%s can be walked only once", G_OBJECT_TYPE_NAME (self));
  else
    rewound = acc_sequence_bound_rewind (&priv->bound, self, &local);
  if (klass->rewind != NULL && !rewound && local == NULL)
    g_set_error (&local, ACC_ERROR, ACC_ERROR_CALLBACK, "%s: rewind failed and did not say why", G_OBJECT_TYPE_NAME (self));

  if (local != NULL)
    {
      priv->state = STATE_FAILED;
      g_propagate_error (error, g_steal_pointer (&local));
      return FALSE;
    }

  priv->state = STATE_READING;
  priv->next = 0;
  acc_sequence_producer_set_fraction (self, -1);

  return TRUE;
}

/**
 * acc_sequence_producer_describe: (virtual describe)
 * @self: a producer
 * @element: the number of an element that was read, from 0
 *
 * Tells where an element came from, for messages: "line 7 of words.txt".
 *
 * Returns: (transfer full) (nullable): the text; %NULL where there is nothing to say
 */
char *
acc_sequence_producer_describe (AccSequenceProducer *self,
                                gint64               element)
{
  AccSequenceProducerClass *klass;

  g_return_val_if_fail (ACC_IS_SEQUENCE_PRODUCER (self), NULL);

  klass = ACC_SEQUENCE_PRODUCER_GET_CLASS (self);

  return klass->describe != NULL ? klass->describe (self, element) : NULL;
}
