/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "acc-source-private.h"

#include "acc-chunk-private.h"
#include "acc-error.h"

/**
 * AccSource:
 *
 * Represents a source of streamed rows: a file, a stream, a camera, a subclass of your own.
 *
 * A row is one index of the outermost dimension; an array of rank 0 is a single row. A run calls [method@Acc.Source.start],
 * then [method@Acc.Source.read] with one chunk after the other until the last row, then [method@Acc.Source.finish]; a later
 * run starts again. A subclass implements the virtual function `read` at least: it fills the memory of the chunk.
 *
 * Sources are for one thread at a time, which need not be the one that made the source, and for one run at a time.
 */

typedef enum {
  STATE_IDLE,
  STATE_BUSY,      /* in start */
  STATE_STARTED,
  STATE_FAILED,
} State;

typedef struct {
  AccElementType *type;
  AccShape       *shape;
  char           *name;
  gboolean        transposed;
  int             state;       /* State; atomic */
  gint64          next_row;
  AccSourceSeekFunc seek;
  gboolean        is_once;
  gboolean        comes_whole;
} AccSourcePrivate;

enum {
  PROP_0,
  PROP_ELEMENT_TYPE,
  PROP_SHAPE,
  PROP_NAME,
  N_PROPERTIES
};

static GParamSpec *properties[N_PROPERTIES];

G_DEFINE_ABSTRACT_TYPE_WITH_PRIVATE (AccSource, acc_source, G_TYPE_OBJECT)

#define PRIV(self) ((AccSourcePrivate *) acc_source_get_instance_private (self))

static void
acc_source_get_property (GObject *object, guint id, GValue *value, GParamSpec *pspec)
{
  AccSourcePrivate *priv = PRIV (ACC_SOURCE (object));

  switch (id)
    {
    case PROP_ELEMENT_TYPE:
      g_value_set_boxed (value, priv->type);
      break;
    case PROP_SHAPE:
      g_value_set_boxed (value, priv->shape);
      break;
    case PROP_NAME:
      g_value_set_string (value, acc_source_get_name (ACC_SOURCE (object)));
      break;
    default:
      G_OBJECT_WARN_INVALID_PROPERTY_ID (object, id, pspec);
    }
}

static void
acc_source_set_property (GObject *object, guint id, const GValue *value, GParamSpec *pspec)
{
  AccSourcePrivate *priv = PRIV (ACC_SOURCE (object));

  switch (id)
    {
    case PROP_ELEMENT_TYPE:
      priv->type = g_value_dup_boxed (value);
      break;
    case PROP_SHAPE:
      priv->shape = g_value_dup_boxed (value);
      break;
    case PROP_NAME:
      priv->name = g_value_dup_string (value);
      break;
    default:
      G_OBJECT_WARN_INVALID_PROPERTY_ID (object, id, pspec);
    }
}

static void
acc_source_finalize (GObject *object)
{
  AccSourcePrivate *priv = PRIV (ACC_SOURCE (object));

  g_clear_pointer (&priv->type, acc_element_type_unref);
  g_clear_pointer (&priv->shape, acc_shape_unref);
  g_free (priv->name);

  G_OBJECT_CLASS (acc_source_parent_class)->finalize (object);
}

static void
acc_source_class_init (AccSourceClass *klass)
{
  GObjectClass *object_class = G_OBJECT_CLASS (klass);
  const GParamFlags flags = G_PARAM_READWRITE | G_PARAM_CONSTRUCT_ONLY | G_PARAM_STATIC_STRINGS;

  object_class->get_property = acc_source_get_property;
  object_class->set_property = acc_source_set_property;
  object_class->finalize = acc_source_finalize;

  /**
   * AccSource:element-type:
   *
   * Holds the type of the elements.
   */
  properties[PROP_ELEMENT_TYPE] = g_param_spec_boxed ("element-type", NULL, NULL, ACC_TYPE_ELEMENT_TYPE, flags);

  /**
   * AccSource:shape:
   *
   * Holds the extents of the whole array, as its rows are read.
   */
  properties[PROP_SHAPE] = g_param_spec_boxed ("shape", NULL, NULL, ACC_TYPE_SHAPE, flags);

  /**
   * AccSource:name:
   *
   * Holds the name of the source in messages and plans.
   */
  properties[PROP_NAME] = g_param_spec_string ("name", NULL, NULL, NULL, flags);

  g_object_class_install_properties (object_class, N_PROPERTIES, properties);
}

static void
acc_source_init (AccSource *self)
{
}

/**
 * acc_source_get_element_type:
 * @self: a source
 *
 * Returns the type of the elements.
 *
 * Returns: (transfer none) (nullable): the type; %NULL before a subclass has set it
 */
AccElementType *
acc_source_get_element_type (AccSource *self)
{
  g_return_val_if_fail (ACC_IS_SOURCE (self), NULL);

  return PRIV (self)->type;
}

/**
 * acc_source_get_shape:
 * @self: a source
 *
 * Returns the extents of the whole array, as its rows are read. [method@Acc.Source.is_transposed] tells where the array has
 * its dimensions in reverse order.
 *
 * Returns: (transfer none) (nullable): the shape; %NULL before a subclass has set it
 */
AccShape *
acc_source_get_shape (AccSource *self)
{
  g_return_val_if_fail (ACC_IS_SOURCE (self), NULL);

  return PRIV (self)->shape;
}

/**
 * acc_source_get_name:
 * @self: a source
 *
 * Returns the name of the source in messages and plans.
 *
 * Returns: (transfer none): the name; that of its class where none was set
 */
const char *
acc_source_get_name (AccSource *self)
{
  g_return_val_if_fail (ACC_IS_SOURCE (self), NULL);

  return PRIV (self)->name != NULL ? PRIV (self)->name : G_OBJECT_TYPE_NAME (self);
}

/**
 * acc_source_set_layout:
 * @self: a source
 * @type: the type of the elements
 * @shape: the extents of the whole array, as its rows are read
 *
 * Sets the element type and the shape, for subclasses that learn them while they are initialised. They must not change once
 * the source is used.
 */
void
acc_source_set_layout (AccSource *self, AccElementType *type, AccShape *shape)
{
  AccSourcePrivate *priv = PRIV (self);
  AccElementType *old_type = priv->type;
  AccShape *old_shape = priv->shape;

  g_return_if_fail (ACC_IS_SOURCE (self));
  g_return_if_fail (type != NULL && shape != NULL);

  priv->type = acc_element_type_ref (type);
  priv->shape = acc_shape_ref (shape);
  g_clear_pointer (&old_type, acc_element_type_unref);
  g_clear_pointer (&old_shape, acc_shape_unref);
  g_object_notify_by_pspec (G_OBJECT (self), properties[PROP_ELEMENT_TYPE]);
  g_object_notify_by_pspec (G_OBJECT (self), properties[PROP_SHAPE]);
}

/**
 * acc_source_is_transposed:
 * @self: a source
 *
 * Tells whether the rows are those of the transpose. An array of shape [2,3] that is stored column-major (Fortran order) is
 * read as 3 rows of 2; [ctor@Acc.Array.new_from_source] puts the dimensions in order.
 *
 * Returns: %TRUE where the array has the dimensions in reverse order
 */
gboolean
acc_source_is_transposed (AccSource *self)
{
  g_return_val_if_fail (ACC_IS_SOURCE (self), FALSE);

  return PRIV (self)->transposed;
}

/**
 * acc_source_set_transposed:
 * @self: a source
 * @transposed: whether the rows are those of the transpose
 *
 * Sets whether the rows are those of the transpose, for subclasses whose data is column-major. It must not change once the
 * source is used.
 */
void
acc_source_set_transposed (AccSource *self, gboolean transposed)
{
  g_return_if_fail (ACC_IS_SOURCE (self));

  PRIV (self)->transposed = transposed != FALSE;
}

/* A virtual function that failed must have said why; a binding's exception cannot always. */
static void
ensure_error (AccSource *self, const char *function, GError **error)
{
  if (error != NULL && *error == NULL)
    g_set_error (error, ACC_ERROR, ACC_ERROR_CALLBACK, "%s: %s failed and did not say why",
                 acc_source_get_name (self), function);
}

static gint64
get_row_elements (AccShape *shape)
{
  guint rank;
  const gint64 *extents = acc_shape_get_extents (shape, &rank);
  gint64 elements = 1;

  for (guint i = 1; i < rank; i++)
    elements = (gint64) ((guint64) elements * (guint64) MAX (extents[i], 0));

  return elements;
}

static gboolean
check_layout (AccSource *self, GError **error)
{
  AccSourcePrivate *priv = PRIV (self);

  if (priv->type == NULL || priv->shape == NULL)
    g_set_error (error, ACC_ERROR, ACC_ERROR_SHAPE, "%s has no element type or no shape", acc_source_get_name (self));
  else if (acc_shape_get_size (priv->shape) == G_MAXINT64)
    g_set_error (error, ACC_ERROR, ACC_ERROR_SHAPE, "%s is too large", acc_source_get_name (self));
  else
    return TRUE;

  return FALSE;
}

/**
 * acc_source_start:
 * @self: a source
 * @cancellable: (nullable): cancels the call, with %G_IO_ERROR_CANCELLED
 * @error: return location for an error
 *
 * Begins a run at row 0.
 *
 * Fails with %ACC_ERROR_STREAM where another run reads the source, %ACC_ERROR_SHAPE where the source has no element type or
 * shape, or is too large to address, %ACC_ERROR_CALLBACK where a subclass fails without an error.
 *
 * Returns: %TRUE on success
 */
gboolean
acc_source_start (AccSource *self, GCancellable *cancellable, GError **error)
{
  AccSourcePrivate *priv = PRIV (self);
  AccSourceClass *klass;
  g_autoptr(GError) local = NULL;

  g_return_val_if_fail (ACC_IS_SOURCE (self), FALSE);
  g_return_val_if_fail (error == NULL || *error == NULL, FALSE);

  klass = ACC_SOURCE_GET_CLASS (self);
  if (g_cancellable_set_error_if_cancelled (cancellable, error) || !check_layout (self, error))
    return FALSE;

  if (!g_atomic_int_compare_and_exchange (&priv->state, STATE_IDLE, STATE_BUSY))
    {
      g_set_error (error, ACC_ERROR, ACC_ERROR_STREAM, "%s is being read already", acc_source_get_name (self));
      return FALSE;
    }

  priv->next_row = 0;
  if (klass->start != NULL && !klass->start (self, cancellable, &local))
    {
      ensure_error (self, "start", &local);
      g_propagate_error (error, g_steal_pointer (&local));
      g_atomic_int_set (&priv->state, STATE_IDLE);
      return FALSE;
    }

  g_atomic_int_set (&priv->state, STATE_STARTED);

  return TRUE;
}

static gboolean
check_read (AccSource *self, AccChunk *chunk, GError **error)
{
  AccSourcePrivate *priv = PRIV (self);
  gint64 first = acc_chunk_get_first_row (chunk), n = acc_chunk_get_n_rows (chunk);
  const char *name = acc_source_get_name (self);
  gint64 extent;

  if (g_atomic_int_get (&priv->state) != STATE_STARTED)
    {
      g_set_error (error, ACC_ERROR, ACC_ERROR_STREAM, "%s was not started, or has failed", name);
      return FALSE;
    }

  extent = acc_shape_get_rank (priv->shape) > 0 ? acc_shape_get_extent (priv->shape, 0) : 1;
  if (first != priv->next_row)
    g_set_error (error, ACC_ERROR, ACC_ERROR_STREAM,
                 "%s: row %" G_GINT64_FORMAT " was asked for where row %" G_GINT64_FORMAT " comes next",
                 name, first, priv->next_row);
  else if (n > extent - first)
    g_set_error (error, ACC_ERROR, ACC_ERROR_STREAM,
                 "%s ends at row %" G_GINT64_FORMAT ", but rows up to %" G_GINT64_FORMAT " were asked for",
                 name, extent, first + n);
  else if (acc_chunk_get_element_type (chunk) != priv->type
           || acc_chunk_get_row_elements (chunk) != get_row_elements (priv->shape))
    g_set_error (error, ACC_ERROR, ACC_ERROR_STREAM, "%s: the chunk has another layout", name);
  else
    return TRUE;

  return FALSE;
}

/**
 * acc_source_read:
 * @self: a source
 * @chunk: memory for the next rows
 * @cancellable: (nullable): cancels the call, with %G_IO_ERROR_CANCELLED
 * @error: return location for an error
 *
 * Reads the next rows, which follow those of the last call, into a chunk.
 *
 * Fails with %ACC_ERROR_IO where rows cannot be read, %ACC_ERROR_STREAM where the chunk has other than the next rows or
 * another layout, or no run was started, %ACC_ERROR_UNSUPPORTED where a subclass does not implement `read`,
 * %ACC_ERROR_CALLBACK where a subclass fails without an error. After that only [method@Acc.Source.finish] may be called.
 *
 * Returns: %TRUE where all rows were read
 */
gboolean
acc_source_read (AccSource *self, AccChunk *chunk, GCancellable *cancellable, GError **error)
{
  AccSourcePrivate *priv = PRIV (self);
  AccSourceClass *klass;
  g_autoptr(GError) local = NULL;

  g_return_val_if_fail (ACC_IS_SOURCE (self), FALSE);
  g_return_val_if_fail (chunk != NULL, FALSE);
  g_return_val_if_fail (error == NULL || *error == NULL, FALSE);

  if (!check_read (self, chunk, error))
    return FALSE;

  if (acc_chunk_get_n_rows (chunk) == 0)
    return TRUE;

  klass = ACC_SOURCE_GET_CLASS (self);
  if (klass->read == NULL)
    g_set_error (&local, ACC_ERROR, ACC_ERROR_UNSUPPORTED, "%s does not implement read", acc_source_get_name (self));
  else if (!g_cancellable_set_error_if_cancelled (cancellable, &local)
           && !klass->read (self, chunk, cancellable, &local))
    ensure_error (self, "read", &local);

  if (local != NULL)
    {
      g_atomic_int_set (&priv->state, STATE_FAILED);
      g_propagate_error (error, g_steal_pointer (&local));
      return FALSE;
    }

  priv->next_row += acc_chunk_get_n_rows (chunk);

  return TRUE;
}

void
acc_source_set_seek (AccSource *self, AccSourceSeekFunc seek)
{
  PRIV (self)->seek = seek;
}

void
acc_source_set_once (AccSource *self, gboolean is_once)
{
  PRIV (self)->is_once = is_once;
}

gboolean
acc_source_is_once (AccSource *self)
{
  return PRIV (self)->is_once;
}

void
acc_source_set_comes_whole (AccSource *self, gboolean comes_whole)
{
  PRIV (self)->comes_whole = comes_whole;
}

gboolean
acc_source_comes_whole (AccSource *self)
{
  return PRIV (self)->comes_whole;
}

gboolean
acc_source_can_seek (AccSource *self)
{
  return PRIV (self)->seek != NULL;
}

gboolean
acc_source_seek (AccSource *self, gint64 row, GCancellable *cancellable, GError **error)
{
  AccSourcePrivate *priv = PRIV (self);

  g_return_val_if_fail (priv->seek != NULL && g_atomic_int_get (&priv->state) == STATE_STARTED, FALSE);

  if (g_cancellable_set_error_if_cancelled (cancellable, error) || !priv->seek (self, row, cancellable, error))
    {
      g_atomic_int_set (&priv->state, STATE_FAILED);
      return FALSE;
    }
  priv->next_row = row;

  return TRUE;
}

/**
 * acc_source_finish:
 * @self: a source
 *
 * Ends a run, whether all rows were read or not. Does nothing without a run.
 */
void
acc_source_finish (AccSource *self)
{
  AccSourcePrivate *priv = PRIV (self);
  State state;

  g_return_if_fail (ACC_IS_SOURCE (self));

  state = g_atomic_int_get (&priv->state);
  if (state != STATE_STARTED && state != STATE_FAILED)
    return;

  if (ACC_SOURCE_GET_CLASS (self)->finish != NULL)
    ACC_SOURCE_GET_CLASS (self)->finish (self);

  g_atomic_int_set (&priv->state, STATE_IDLE);
}

/**
 * acc_source_get_resident_bytes:
 * @self: a source
 *
 * Returns the number of bytes that the source itself holds during a run, besides the chunks: the state of a decoder, an
 * interlaced picture. Whoever runs it counts them against a memory limit, and asks before starting it.
 *
 * Returns: the number of bytes
 */
guint64
acc_source_get_resident_bytes (AccSource *self)
{
  g_return_val_if_fail (ACC_IS_SOURCE (self), 0);

  if (ACC_SOURCE_GET_CLASS (self)->get_resident_bytes == NULL)
    return 0;

  return ACC_SOURCE_GET_CLASS (self)->get_resident_bytes (self);
}

/**
 * acc_source_dup_identity:
 * @self: a source
 * @error: return location for an error
 *
 * Returns a text that identifies what is read: for a file its size, when it was changed, and a checksum of its beginning.
 *
 * Fails with %ACC_ERROR_UNSUPPORTED where that cannot be told, as of a stream or of a subclass that does not implement it, and with
 * %ACC_ERROR_IO.
 *
 * Returns: (transfer full): the text, of one line
 */
char *
acc_source_dup_identity (AccSource *self, GError **error)
{
  GError *local = NULL;
  char *identity = NULL;

  g_return_val_if_fail (ACC_IS_SOURCE (self), NULL);
  g_return_val_if_fail (error == NULL || *error == NULL, NULL);

  if (ACC_SOURCE_GET_CLASS (self)->dup_identity != NULL)
    identity = ACC_SOURCE_GET_CLASS (self)->dup_identity (self, &local);
  if (identity == NULL && local == NULL)
    g_set_error (&local, ACC_ERROR, ACC_ERROR_UNSUPPORTED, "%s: it cannot be told whether it has changed", acc_source_get_name (self));
  if (identity == NULL)
    g_propagate_error (error, local);

  return identity;
}
