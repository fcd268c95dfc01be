/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "acc-sink-private.h"

#include "acc-chunk-private.h"
#include "acc-sink-call-private.h"
#include "acc-error.h"
#include "acc-core/base/acc-temporary-private.h"

/**
 * AccSink:
 *
 * Represents a destination for streamed rows: a file, a stream, a subclass of your own.
 *
 * A row is one index of the array's outermost dimension; an array of rank 0 is a single row. A run calls
 * [method@Acc.Sink.start], then [method@Acc.Sink.write] with one chunk after the other, then [method@Acc.Sink.commit].
 * Where the number of rows is not known before, as that of what a filter keeps, it calls [method@Acc.Sink.start_growing] in place of
 * start; sinks that cannot grow get such rows from a temporary file.
 * After an error or a cancellation it calls [method@Acc.Sink.abort] instead, and nothing of the output is left behind.
 *
 * For subclasses: `abort` is called at most once per run, whenever `start` was called and `commit` did not succeed, even
 * where `start` itself failed. A sink whose last reference is released during a run is aborted.
 *
 * Sinks are for one thread at a time, which need not be the one that made the sink.
 */

typedef enum {
  STATE_IDLE,
  STATE_BUSY,        /* in start */
  STATE_STARTED,
  STATE_COMPLETE,
  STATE_FAILED,      /* abort is due */
} State;

typedef struct {
  char           *name;
  int             state;         /* State; atomic */
  AccElementType *type;
  gint64          n_rows;        /* -1: known when the last was written */
  gint64          row_elements;
  gint64          next_row;
  gboolean        takes_elements;
  const AccSinkPlain *plain;
  GFile          *file;          /* NULL: not separate */
  AccBound        bound;         /* to the thread that made it, or none */
} AccSinkPrivate;

enum {
  PROP_0,
  PROP_NAME,
  PROP_CONTEXT_BOUND,
  N_PROPERTIES
};

static GParamSpec *properties[N_PROPERTIES];

G_DEFINE_ABSTRACT_TYPE_WITH_PRIVATE (AccSink, acc_sink, G_TYPE_OBJECT)

#define PRIV(self) ((AccSinkPrivate *) acc_sink_get_instance_private (self))

static void
acc_sink_get_property (GObject *object, guint id, GValue *value, GParamSpec *pspec)
{
  switch (id)
    {
    case PROP_NAME:
      g_value_set_string (value, acc_sink_get_name (ACC_SINK (object)));
      break;
    case PROP_CONTEXT_BOUND:
      g_value_set_boolean (value, PRIV (ACC_SINK (object))->bound.thread != NULL);
      break;
    default:
      G_OBJECT_WARN_INVALID_PROPERTY_ID (object, id, pspec);
    }
}

static void
acc_sink_set_property (GObject *object, guint id, const GValue *value, GParamSpec *pspec)
{
  switch (id)
    {
    case PROP_NAME:
      PRIV (ACC_SINK (object))->name = g_value_dup_string (value);
      break;
    case PROP_CONTEXT_BOUND:
      if (g_value_get_boolean (value))
        acc_bound_init (&PRIV (ACC_SINK (object))->bound);
      break;
    default:
      G_OBJECT_WARN_INVALID_PROPERTY_ID (object, id, pspec);
    }
}

static void
acc_sink_dispose (GObject *object)
{
  acc_sink_abort (ACC_SINK (object));

  G_OBJECT_CLASS (acc_sink_parent_class)->dispose (object);
}

static void
acc_sink_finalize (GObject *object)
{
  AccSinkPrivate *priv = PRIV (ACC_SINK (object));

  g_clear_pointer (&priv->type, acc_element_type_unref);
  g_clear_object (&priv->file);
  acc_bound_clear (&priv->bound);
  g_free (priv->name);

  G_OBJECT_CLASS (acc_sink_parent_class)->finalize (object);
}

static void
acc_sink_class_init (AccSinkClass *klass)
{
  GObjectClass *object_class = G_OBJECT_CLASS (klass);

  object_class->get_property = acc_sink_get_property;
  object_class->set_property = acc_sink_set_property;
  object_class->dispose = acc_sink_dispose;
  object_class->finalize = acc_sink_finalize;

  /**
   * AccSink:name:
   *
   * Holds the name of the sink in messages and plans.
   */
  properties[PROP_NAME] =
    g_param_spec_string ("name", NULL, NULL, NULL,
                         G_PARAM_READWRITE | G_PARAM_CONSTRUCT_ONLY | G_PARAM_STATIC_STRINGS);

  /**
   * AccSink:context-bound:
   *
   * Holds whether only the thread that made the sink may call it, as it is with objects of JavaScript. A run on another thread has it
   * called by the main context of that thread, which must be running then.
   */
  properties[PROP_CONTEXT_BOUND] =
    g_param_spec_boolean ("context-bound", NULL, NULL, FALSE, G_PARAM_READWRITE | G_PARAM_CONSTRUCT_ONLY | G_PARAM_STATIC_STRINGS);

  g_object_class_install_properties (object_class, N_PROPERTIES, properties);
}

static void
acc_sink_init (AccSink *self)
{
}

/**
 * acc_sink_get_name:
 * @self: a sink
 *
 * Returns the name of the sink in messages and plans.
 *
 * Returns: (transfer none): the name; that of its class where none was set
 */
const char *
acc_sink_get_name (AccSink *self)
{
  g_return_val_if_fail (ACC_IS_SINK (self), NULL);

  return PRIV (self)->name != NULL ? PRIV (self)->name : G_OBJECT_TYPE_NAME (self);
}

/* Takes @local, which is NULL where a virtual function failed and did not say why: a binding's exception. */
static gboolean
fail (AccSink *self, const char *function, GError *local, GError **error)
{
  if (local == NULL)
    g_set_error (&local, ACC_ERROR, ACC_ERROR_CALLBACK, "%s: %s failed and did not say why",
                 acc_sink_get_name (self), function);

  g_atomic_int_set (&PRIV (self)->state, STATE_FAILED);
  g_propagate_error (error, local);

  return FALSE;
}

/* Rows have the extents of @shape from @first on. */
static gboolean
begin (AccSink *self, AccElementType *type, AccShape *shape, gint64 n_rows, guint first, GCancellable *cancellable, GError **error)
{
  AccSinkPrivate *priv = PRIV (self);
  AccElementType *old;
  guint rank;
  const gint64 *extents = acc_shape_get_extents (shape, &rank);

  if (g_cancellable_set_error_if_cancelled (cancellable, error))
    return FALSE;

  if (acc_shape_get_size (shape) == G_MAXINT64)
    {
      g_set_error (error, ACC_ERROR, ACC_ERROR_SHAPE, "%s: the array is too large", acc_sink_get_name (self));
      return FALSE;
    }

  if (!g_atomic_int_compare_and_exchange (&priv->state, STATE_IDLE, STATE_BUSY))
    {
      g_set_error (error, ACC_ERROR, ACC_ERROR_STREAM, "%s is being written already", acc_sink_get_name (self));
      return FALSE;
    }

  old = priv->type;
  priv->type = acc_element_type_ref (type);
  g_clear_pointer (&old, acc_element_type_unref);
  priv->n_rows = n_rows;
  priv->row_elements = 1;
  for (guint i = first; i < rank; i++)
    priv->row_elements = (gint64) ((guint64) priv->row_elements * (guint64) MAX (extents[i], 0));
  priv->next_row = 0;

  return TRUE;
}

/**
 * acc_sink_start:
 * @self: a sink
 * @type: the type of the elements to come
 * @shape: the extents of the whole array
 * @cancellable: (nullable): cancels the call, with %G_IO_ERROR_CANCELLED
 * @error: return location for an error
 *
 * Begins a run.
 *
 * Fails with %ACC_ERROR_UNSUPPORTED where the format cannot hold such an array, %ACC_ERROR_SHAPE where the array is too
 * large to address, %ACC_ERROR_STREAM where another run writes, %ACC_ERROR_CALLBACK where a subclass fails without an
 * error.
 *
 * Returns: %TRUE on success
 */
gboolean
acc_sink_start (AccSink *self, AccElementType *type, AccShape *shape, GCancellable *cancellable, GError **error)
{
  GError *local = NULL;
  guint rank;

  g_return_val_if_fail (ACC_IS_SINK (self), FALSE);
  g_return_val_if_fail (type != NULL && shape != NULL, FALSE);
  g_return_val_if_fail (error == NULL || *error == NULL, FALSE);

  rank = acc_shape_get_rank (shape);
  if (!begin (self, type, shape, rank > 0 ? MAX (acc_shape_get_extent (shape, 0), 0) : 1, rank > 0 ? 1 : 0, cancellable, error))
    return FALSE;

  if (ACC_SINK_GET_CLASS (self)->start != NULL && !acc_sink_call_start (&PRIV (self)->bound, self, type, shape, cancellable, &local))
    return fail (self, "start", local, error);

  g_atomic_int_set (&PRIV (self)->state, STATE_STARTED);

  return TRUE;
}

/**
 * acc_sink_can_grow:
 * @self: a sink
 *
 * Tells whether [method@Acc.Sink.start_growing] may be called: whether the sink takes rows whose number is not known before.
 *
 * Returns: %TRUE if it can
 */
gboolean
acc_sink_can_grow (AccSink *self)
{
  AccSinkClass *klass;

  g_return_val_if_fail (ACC_IS_SINK (self), FALSE);

  klass = ACC_SINK_GET_CLASS (self);

  return klass->start_growing != NULL && (klass->can_grow == NULL || acc_sink_call_can_grow (&PRIV (self)->bound, self));
}

/**
 * acc_sink_start_growing:
 * @self: a sink that can grow
 * @type: the type of the elements to come
 * @row_shape: the extents of a row; of a vector rank 0
 * @cancellable: (nullable): cancels the call, with %G_IO_ERROR_CANCELLED
 * @error: return location for an error
 *
 * Begins a run whose number of rows is known when the last was written.
 *
 * Fails with %ACC_ERROR_UNSUPPORTED where the format cannot hold such rows, or the sink cannot grow, and as acc_sink_start() does.
 *
 * Returns: %TRUE on success
 */
gboolean
acc_sink_start_growing (AccSink *self, AccElementType *type, AccShape *row_shape, GCancellable *cancellable, GError **error)
{
  GError *local = NULL;

  g_return_val_if_fail (ACC_IS_SINK (self), FALSE);
  g_return_val_if_fail (type != NULL && row_shape != NULL, FALSE);
  g_return_val_if_fail (error == NULL || *error == NULL, FALSE);

  if (!acc_sink_can_grow (self))
    {
      g_set_error (error, ACC_ERROR, ACC_ERROR_UNSUPPORTED, "%s: the number of rows has to be known before the first is written",
                   acc_sink_get_name (self));
      return FALSE;
    }
  if (!begin (self, type, row_shape, -1, 0, cancellable, error))
    return FALSE;

  if (!acc_sink_call_start_growing (&PRIV (self)->bound, self, type, row_shape, cancellable, &local))
    return fail (self, "start_growing", local, error);

  g_atomic_int_set (&PRIV (self)->state, STATE_STARTED);

  return TRUE;
}

static gboolean
check_write (AccSink *self, AccChunk *chunk, GError **error)
{
  AccSinkPrivate *priv = PRIV (self);
  gint64 first = acc_chunk_get_first_row (chunk), n = acc_chunk_get_n_rows (chunk);
  gint64 most = priv->n_rows >= 0 ? priv->n_rows : G_MAXINT64;
  const char *name = acc_sink_get_name (self);

  if (first != priv->next_row || n > most - first)
    {
      g_autofree char *of_all = priv->n_rows >= 0 ? g_strdup_printf (" of %" G_GINT64_FORMAT, most) : g_strdup ("");

      g_set_error (error, ACC_ERROR, ACC_ERROR_STREAM,
                   "%s: rows from %" G_GINT64_FORMAT " to %" G_GINT64_FORMAT " were given where row %" G_GINT64_FORMAT "%s comes next",
                   name, first, first + n, priv->next_row, of_all);
    }
  else if (acc_chunk_get_element_type (chunk) != priv->type
           || acc_chunk_get_row_elements (chunk) != priv->row_elements)
    g_set_error (error, ACC_ERROR, ACC_ERROR_STREAM, "%s: the chunk has another layout", name);
  else
    return TRUE;

  return FALSE;
}

static gboolean
check_started (AccSink *self, GError **error)
{
  if (g_atomic_int_get (&PRIV (self)->state) == STATE_STARTED)
    return TRUE;

  g_set_error (error, ACC_ERROR, ACC_ERROR_STREAM, "%s was not started, or has failed", acc_sink_get_name (self));

  return FALSE;
}

/**
 * acc_sink_write:
 * @self: a sink
 * @chunk: the next rows
 * @cancellable: (nullable): cancels the call, with %G_IO_ERROR_CANCELLED
 * @error: return location for an error
 *
 * Writes the next rows.
 *
 * Fails with %ACC_ERROR_IO where they cannot be written, %ACC_ERROR_STREAM where the chunk has other than the next rows or
 * another layout, or no run was started, %ACC_ERROR_UNSUPPORTED where a subclass does not implement `write`,
 * %ACC_ERROR_CALLBACK where a subclass fails without an error. After that only [method@Acc.Sink.abort] may be called.
 *
 * Returns: %TRUE where all rows were written
 */
gboolean
acc_sink_write (AccSink *self, AccChunk *chunk, GCancellable *cancellable, GError **error)
{
  AccSinkPrivate *priv = PRIV (self);
  AccSinkClass *klass;
  GError *local = NULL;

  g_return_val_if_fail (ACC_IS_SINK (self), FALSE);
  g_return_val_if_fail (chunk != NULL, FALSE);
  g_return_val_if_fail (error == NULL || *error == NULL, FALSE);

  klass = ACC_SINK_GET_CLASS (self);
  if (!check_started (self, error))
    return FALSE;

  if (klass->write == NULL)
    {
      g_set_error (&local, ACC_ERROR, ACC_ERROR_UNSUPPORTED, "%s does not implement write", acc_sink_get_name (self));
      return fail (self, "write", local, error);
    }

  if (!check_write (self, chunk, &local) || g_cancellable_set_error_if_cancelled (cancellable, &local))
    return fail (self, "write", local, error);

  if (acc_chunk_get_n_rows (chunk) > 0 && !acc_sink_call_write (&priv->bound, self, chunk, cancellable, &local))
    return fail (self, "write", local, error);

  priv->next_row += acc_chunk_get_n_rows (chunk);

  return TRUE;
}

void
acc_sink_skip_to (AccSink *self, gint64 row)
{
  PRIV (self)->next_row = row;
}

void
acc_sink_set_takes_elements (AccSink *self)
{
  PRIV (self)->takes_elements = TRUE;
}

gboolean
acc_sink_takes_elements (AccSink *self)
{
  return PRIV (self)->takes_elements;
}

void
acc_sink_set_plain (AccSink *self, const AccSinkPlain *plain)
{
  PRIV (self)->plain = plain;
}

const AccSinkPlain *
acc_sink_get_plain (AccSink *self)
{
  return PRIV (self)->plain;
}

void
acc_sink_set_file (AccSink *self, GFile *file)
{
  g_set_object (&PRIV (self)->file, file);
}

gboolean
acc_sink_is_bound_here (AccSink *self)
{
  return acc_bound_is_here (&PRIV (self)->bound);
}

void
acc_sink_bind_as (AccSink *self,
                  AccSink *other)
{
  if (PRIV (other)->bound.thread == NULL)
    return;

  PRIV (self)->bound.thread = PRIV (other)->bound.thread;
  PRIV (self)->bound.context = g_main_context_ref (PRIV (other)->bound.context);
}

gboolean
acc_sink_is_separate (AccSink *self)
{
  return PRIV (self)->file != NULL;
}

char *
acc_sink_dup_place (AccSink *self)
{
  GFile *file = PRIV (self)->file;

  if (file == NULL)
    return NULL;

  return g_file_peek_path (file) != NULL ? acc_temporary_find_place (g_file_peek_path (file)) : g_file_get_uri (file);
}

void
acc_sink_begin_elements (AccSink *self)
{
  AccSinkPrivate *priv = PRIV (self);

  priv->n_rows *= priv->row_elements;
  priv->row_elements = 1;
}

/**
 * acc_sink_complete:
 * @self: a sink
 * @cancellable: (nullable): cancels the call, with %G_IO_ERROR_CANCELLED
 * @error: return location for an error
 *
 * Completes the output without giving it its name: does what may fail, such as sending to the disk what is buffered. So several outputs
 * appear together, or none does.
 *
 * It comes after the last row. [method@Acc.Sink.commit] does it where it was not called.
 *
 * Fails with %ACC_ERROR_STREAM where rows are missing or no run was started, %ACC_ERROR_CALLBACK where a subclass fails
 * without an error. After that only [method@Acc.Sink.abort] may be called.
 *
 * Returns: %TRUE on success
 */
gboolean
acc_sink_complete (AccSink *self, GCancellable *cancellable, GError **error)
{
  AccSinkPrivate *priv = PRIV (self);
  AccSinkClass *klass;
  GError *local = NULL;

  g_return_val_if_fail (ACC_IS_SINK (self), FALSE);
  g_return_val_if_fail (error == NULL || *error == NULL, FALSE);

  klass = ACC_SINK_GET_CLASS (self);
  if (!check_started (self, error))
    return FALSE;

  if (priv->next_row < priv->n_rows)
    {
      g_set_error (&local, ACC_ERROR, ACC_ERROR_STREAM,
                   "%s: %" G_GINT64_FORMAT " of %" G_GINT64_FORMAT " rows were written",
                   acc_sink_get_name (self), priv->next_row, priv->n_rows);
      return fail (self, "commit", local, error);
    }

  if (g_cancellable_set_error_if_cancelled (cancellable, &local))
    return fail (self, "commit", local, error);

  if (klass->complete != NULL && !acc_sink_call_complete (&priv->bound, self, cancellable, &local))
    return fail (self, "complete", local, error);

  g_atomic_int_set (&priv->state, STATE_COMPLETE);

  return TRUE;
}

/**
 * acc_sink_commit:
 * @self: a sink
 * @cancellable: (nullable): cancels the call, with %G_IO_ERROR_CANCELLED
 * @error: return location for an error
 *
 * Ends a run after its last row, so that the output appears under its name.
 *
 * Fails with %ACC_ERROR_STREAM where rows are missing or no run was started, %ACC_ERROR_CALLBACK where a subclass fails
 * without an error. After that only [method@Acc.Sink.abort] may be called.
 *
 * Returns: %TRUE on success
 */
gboolean
acc_sink_commit (AccSink *self, GCancellable *cancellable, GError **error)
{
  AccSinkPrivate *priv = PRIV (self);
  AccSinkClass *klass;
  GError *local = NULL;

  g_return_val_if_fail (ACC_IS_SINK (self), FALSE);
  g_return_val_if_fail (error == NULL || *error == NULL, FALSE);

  klass = ACC_SINK_GET_CLASS (self);
  if (g_atomic_int_get (&priv->state) != STATE_COMPLETE && !acc_sink_complete (self, cancellable, error))
    return FALSE;

  if (g_cancellable_set_error_if_cancelled (cancellable, &local))
    return fail (self, "commit", local, error);

  if (klass->commit != NULL && !acc_sink_call_commit (&priv->bound, self, cancellable, &local))
    return fail (self, "commit", local, error);

  g_atomic_int_set (&priv->state, STATE_IDLE);

  return TRUE;
}

/**
 * acc_sink_abort:
 * @self: a sink
 *
 * Ends a run without output: nothing is left behind. Does nothing without a run.
 */
void
acc_sink_abort (AccSink *self)
{
  AccSinkPrivate *priv = PRIV (self);
  State state;

  g_return_if_fail (ACC_IS_SINK (self));

  state = g_atomic_int_get (&priv->state);
  if (state != STATE_STARTED && state != STATE_COMPLETE && state != STATE_FAILED)
    return;

  if (ACC_SINK_GET_CLASS (self)->abort != NULL)
    acc_sink_call_abort (&priv->bound, self);

  g_atomic_int_set (&priv->state, STATE_IDLE);
}

/**
 * acc_sink_get_resident_bytes:
 * @self: a sink
 * @type: the type of the elements to come
 * @shape: the extents of the whole array
 *
 * Returns the number of bytes that the sink itself holds during a run, besides the chunks. Whoever plans or runs it counts
 * them against a memory limit, and asks before starting it.
 *
 * Returns: the number of bytes
 */
guint64
acc_sink_get_resident_bytes (AccSink *self, AccElementType *type, AccShape *shape)
{
  g_return_val_if_fail (ACC_IS_SINK (self), 0);
  g_return_val_if_fail (type != NULL && shape != NULL, 0);

  if (ACC_SINK_GET_CLASS (self)->get_resident_bytes == NULL)
    return 0;

  return acc_sink_call_get_resident_bytes (&PRIV (self)->bound, self, type, shape);
}
