/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "acc-pack-sink-private.h"

#include "acc-core/array/acc-array-build-private.h"
#include "acc-core/data/acc-chunk-private.h"
#include "acc-core/data/acc-sink-private.h"
#include "acc-core/derived/acc-array-scan-private.h"
#include "acc-external-blocks-private.h"
#include "acc-external-elements-private.h"
#include "acc-external-private.h"
#include "acc-seq/stream/acc-outputs-private.h"

#include <string.h>

/* Bytes of elements that are written at once. */
#define GOOD_BYTES  (1024 * 1024)
#define LEAST_WRITE 256
/* What a block of another filter takes, an element, and any. */
#define BESIDES     32
#define LEAST_ROOM  (32 * 1024)

struct _AccPackSink
{
  AccSink         parent_instance;

  AccBackend     *backend;
  AccSink        *inner;
  AccElementType *type;        /* of what is kept */
  guint           n_buffers;
  gint64          capacity, n; /* elements in the buffers, there are */
  AccBuffer     **kept;
  AccArray       *filter;      /* and what is written, made of it element by element; the same: nothing is made of it */
  AccArray       *array;
  AccExecutable  *rest;
  guint64         lent;        /* bytes of what acc_sink_get_resident_bytes() told of, while the backend has them */
  gint64          n_written;
};

G_DEFINE_FINAL_TYPE (AccPackSink, acc_pack_sink, ACC_TYPE_SINK)

/* --- elements that are kept */

#define PACK(type) \
  do \
    { \
      const type *in = from; \
      type *out = to; \
\
      for (gint64 i = 0; i < n; i++) \
        { \
          out[k] = in[i]; \
          k += keeps[i] != 0; \
        } \
    } \
  while (0)

/* There is room for all @n at @to. */
static void
pack (gpointer to, gconstpointer from, const guint8 *keeps, gint64 n, gsize width)
{
  gint64 k = 0;

  switch (width)
    {
    case 1:
      PACK (guint8);
      break;
    case 2:
      PACK (guint16);
      break;
    case 4:
      PACK (guint32);
      break;
    case 8:
      PACK (guint64);
      break;
    default:
      for (gint64 i = 0; i < n; i++)
        if (keeps[i])
          memcpy ((guint8 *) to + (gsize) k++ * width, (const guint8 *) from + (gsize) i * width, width);
    }
}

static gboolean
write_elements (AccPackSink *self, AccElementType *type, AccBuffer **buffers, gint64 n, GCancellable *cancellable, GError **error)
{
  guint n_buffers = acc_element_type_get_n_buffers (type);
  g_autofree gpointer *addresses = g_new0 (gpointer, n_buffers + 1);
  AccChunk *chunk;
  gboolean done;

  if (n == 0)
    return TRUE;

  for (guint i = 0; i < n_buffers; i++)
    addresses[i] = buffers[i]->data;
  chunk = acc_chunk_new (type, self->n_written, n, 1, addresses);
  done = acc_sink_write (self->inner, chunk, cancellable, error);
  acc_chunk_invalidate (chunk);
  acc_chunk_unref (chunk);
  self->n_written += n;

  return done;
}

/* What the backend takes for blocks. */
static guint64
measure_rest (AccPackSink *self)
{
  return self->array == self->filter ? 0
         : (guint64) self->capacity * (acc_element_type_get_size (self->array->type) + BESIDES) + LEAST_ROOM;
}

static gboolean
write_block (gint64 first, gint64 n, gpointer data, GCancellable *cancellable, GError **error)
{
  AccPackSink *self = data;
  g_autoptr(AccArray) block = acc_external_new_view (self->type, self->kept, first, n);
  g_autoptr(GPtrArray) results = acc_executable_run_whole (self->rest, &block, 1, cancellable, error);
  AccArray *result = results != NULL ? g_ptr_array_index (results, 0) : NULL;

  return result != NULL && acc_external_fetch (result, error)
         && write_elements (self, result->type, acc_array_get_buffers (result), acc_shape_get_size (result->shape), cancellable, error);
}

/* What is made of what is kept; a filter of it keeps less. */
static gboolean
write_rest (AccPackSink *self, GCancellable *cancellable, GError **error)
{
  AccBudget *budget = acc_backend_get_budget (self->backend);
  GError *local = NULL;

  self->lent = measure_rest (self);
  acc_budget_release (budget, self->lent, ACC_OUTPUT_HOLDER);
  acc_blocks_each (self->n, self->n, write_block, self, cancellable, &local);
  if (acc_budget_reserve (budget, self->lent, ACC_OUTPUT_HOLDER, local == NULL ? &local : NULL))
    self->lent = 0;
  if (local != NULL)
    g_propagate_error (error, local);

  return local == NULL;
}

static gboolean
write_kept (AccPackSink *self, GCancellable *cancellable, GError **error)
{
  gboolean done = self->n == 0
                  || (self->rest != NULL ? write_rest (self, cancellable, error)
                      : write_elements (self, self->type, self->kept, self->n, cancellable, error));

  self->n = 0;

  return done;
}

static gboolean
acc_pack_sink_write (AccSink *sink, AccChunk *chunk, GCancellable *cancellable, GError **error)
{
  AccPackSink *self = ACC_PACK_SINK (sink);
  const guint8 *keeps = (const guint8 *) (guintptr) acc_chunk_get_address (chunk, self->n_buffers);
  gint64 n_elements = acc_chunk_get_n_rows (chunk) * acc_chunk_get_row_elements (chunk), n;

  for (gint64 first = 0; first < n_elements; first += n)
    {
      gint64 n_kept = 0;

      if (self->n > self->capacity / 2 && !write_kept (self, cancellable, error))
        return FALSE;
      n = MIN (n_elements - first, self->capacity - self->n);
      for (gint64 i = 0; i < n; i++)
        n_kept += keeps[first + i] != 0;
      for (guint i = 0; i < self->n_buffers; i++)
        {
          gsize width = acc_element_type_get_buffer_size (self->type, i);

          pack ((guint8 *) self->kept[i]->data + (gsize) self->n * width,
                (const guint8 *) (guintptr) acc_chunk_get_address (chunk, i) + (gsize) first * width, keeps + first, n, width);
        }
      self->n += n_kept;
    }

  return TRUE;
}

/* --- what is made of them */

static AccArray *
build_rest (AccArray **vectors, guint n_vectors, gpointer data)
{
  const AccPackSink *self = data;
  g_autoptr(GHashTable) replaced = g_hash_table_new_full (NULL, NULL, NULL, g_object_unref);
  g_autoptr(GPtrArray) nodes = acc_array_sort_nodes ((AccArray **) &self->array, 1);

  g_hash_table_insert (replaced, self->filter, g_object_ref (vectors[0]));
  for (guint i = 0; i < nodes->len; i++)
    {
      AccArray *node = g_ptr_array_index (nodes, i), *other = g_hash_table_contains (replaced, node) ? NULL
                                                              : acc_array_copy_same (node, replaced);

      if (other != NULL)
        g_hash_table_insert (replaced, node, other);
    }

  return g_object_ref (g_hash_table_lookup (replaced, self->array));
}

static gboolean
compile_rest (AccPackSink *self, GCancellable *cancellable, GError **error)
{
  g_autofree char *signature = g_strdup_printf ("%s[:]", acc_element_type_get_code (self->type));
  g_autoptr(AccProgram) program = NULL;

  if (self->array == self->filter || self->rest != NULL)
    return TRUE;
  program = acc_program_new ((const char *[]) { signature, NULL }, build_rest, self);
  self->rest = acc_backend_compile (self->backend, program, cancellable, error);

  return self->rest != NULL;
}

/* --- the sink */

static gboolean
acc_pack_sink_start (AccSink *sink, AccElementType *type, AccShape *shape, GCancellable *cancellable, GError **error)
{
  AccPackSink *self = ACC_PACK_SINK (sink);
  g_autoptr(AccShape) scalar = acc_shape_new (NULL, 0);

  if (!compile_rest (self, cancellable, error))
    return FALSE;
  self->n = self->n_written = 0;
  /* acc_sink_get_resident_bytes() told of this memory. */
  self->kept = acc_buffers_allocate (self->type, self->capacity, NULL, "what is kept", error);

  return self->kept != NULL && acc_sink_start_growing (self->inner, self->array->type, scalar, cancellable, error);
}

static gboolean
acc_pack_sink_complete (AccSink *sink, GCancellable *cancellable, GError **error)
{
  AccPackSink *self = ACC_PACK_SINK (sink);

  return write_kept (self, cancellable, error) && acc_sink_complete (self->inner, cancellable, error);
}

static void
clear (AccPackSink *self)
{
  acc_buffers_free (g_steal_pointer (&self->kept));
}

static gboolean
acc_pack_sink_commit (AccSink *sink, GCancellable *cancellable, GError **error)
{
  AccPackSink *self = ACC_PACK_SINK (sink);

  if (!acc_sink_commit (self->inner, cancellable, error))
    return FALSE;
  clear (self);

  return TRUE;
}

static void
acc_pack_sink_abort (AccSink *sink)
{
  AccPackSink *self = ACC_PACK_SINK (sink);

  acc_sink_abort (self->inner);
  clear (self);
}

static guint64
acc_pack_sink_get_resident_bytes (AccSink *sink, AccElementType *type, AccShape *shape)
{
  AccPackSink *self = ACC_PACK_SINK (sink);
  g_autoptr(AccShape) most = acc_shape_new_vector (acc_shape_get_size (shape));

  return (guint64) self->capacity * acc_element_type_get_size (self->type) + measure_rest (self)
         + acc_sink_get_resident_bytes (self->inner, self->array->type, most);
}

static void
acc_pack_sink_finalize (GObject *object)
{
  AccPackSink *self = ACC_PACK_SINK (object);

  clear (self);
  g_clear_object (&self->rest);
  g_clear_object (&self->filter);
  g_clear_object (&self->array);
  g_clear_object (&self->inner);
  g_clear_object (&self->backend);

  G_OBJECT_CLASS (acc_pack_sink_parent_class)->finalize (object);
}

static void
acc_pack_sink_class_init (AccPackSinkClass *klass)
{
  AccSinkClass *sink_class = ACC_SINK_CLASS (klass);

  G_OBJECT_CLASS (klass)->finalize = acc_pack_sink_finalize;
  sink_class->start = acc_pack_sink_start;
  sink_class->write = acc_pack_sink_write;
  sink_class->complete = acc_pack_sink_complete;
  sink_class->commit = acc_pack_sink_commit;
  sink_class->abort = acc_pack_sink_abort;
  sink_class->get_resident_bytes = acc_pack_sink_get_resident_bytes;
}

static void
acc_pack_sink_init (AccPackSink *self)
{
}

AccSink *
acc_pack_sink_get_inner (AccPackSink *self)
{
  return self->inner;
}

guint64
acc_pack_sink_get_lent (AccPackSink *self)
{
  return self->lent;
}

/* --- what goes to it */

/* Which elements are kept: without their places, if these were found from that. */
static AccArray *
dup_flags (AccArray *filter)
{
  AccArray *flags = acc_array_get_filter_flags (filter);

  return flags != NULL ? g_object_ref (flags) : acc_array_unzip (filter->inputs[2], 0);
}

/* Whether blocks of what @filter keeps leave blocks of @node: each element is made of the one of its place, or is one that is kept. */
static gboolean
goes_by_blocks (AccArray *node, AccArray *filter, guint depth)
{
  if (node == filter)
    return TRUE;
  if (depth == 0)
    return FALSE;
  if (acc_array_is_filter (node))
    {
      g_autoptr(AccArray) flags = dup_flags (node);

      return goes_by_blocks (node->inputs[0], filter, depth - 1) && goes_by_blocks (flags, filter, depth - 1);
    }

  if (node->n_inputs == 0 || acc_operation_has_fact (node->op, ACC_FACT_TAKES_INDEX)
      || (acc_operation_get_family (node->op) != ACC_FAMILY_ELEMENTS && acc_operation_get_family (node->op) != ACC_FAMILY_ZIP
          && node->op != ACC_OP_UNZIP))
    return FALSE;
  for (guint i = 0; i < node->references->len; i++)
    if (!acc_array_is_manifest (g_ptr_array_index (node->references, i)))
      return FALSE;
  for (guint i = 0; i < node->n_inputs; i++)
    if (!goes_by_blocks (node->inputs[i], filter, depth - 1))
      return FALSE;

  return TRUE;
}

/* The filter that all others are made of; NULL: none whose input has known extents. */
static AccArray *
find_filter (AccArray *array)
{
  AccArray *found = NULL;

  for (guint depth = 0; array->n_inputs > 0 && depth < 16; depth++, array = array->inputs[0])
    if (acc_array_is_filter (array))
      found = array->inputs[0]->shape != NULL ? array : NULL;

  return found;
}

/* Elements beside whether to keep each, in rows of as many dimensions as there were before these were made vectors. */
static AccArray *
join_rows (AccArray *elements, AccArray *flags)
{
  AccArray *of_elements = elements, *of_flags = flags;

  while (of_elements->op == ACC_OP_RESHAPE)
    of_elements = of_elements->inputs[0];
  while (of_flags->op == ACC_OP_RESHAPE)
    of_flags = of_flags->inputs[0];

  if (of_elements->shape != NULL && of_flags->shape != NULL && of_elements->rank > 0
      && acc_shape_equal (of_elements->shape, of_flags->shape))
    return acc_array_zip (of_elements, of_flags);

  return acc_array_zip (elements, flags);
}

AccArray *
acc_pack_split (AccBackend *backend, AccArray *array, AccSink *sink, guint n_sinks, AccSink **pack)
{
  AccArray *filter = array->rank == 1 ? find_filter (array) : NULL;
  g_autoptr(AccArray) flags = NULL;
  guint64 size, room, held;
  AccPackSink *self;

  if (filter == NULL || !goes_by_blocks (array, filter, 16))
    return NULL;

  size = MAX ((guint64) acc_element_type_get_size (filter->type), 1);
  room = acc_external_get_room (backend);
  held = acc_external_measure_rows (filter);
  self = g_object_new (ACC_TYPE_PACK_SINK, "name", acc_sink_get_name (sink), NULL);
  self->backend = g_object_ref (backend);
  self->inner = g_object_ref (sink);
  acc_sink_bind_as (ACC_SINK (self), sink);
  self->type = filter->type;
  self->n_buffers = acc_element_type_get_n_buffers (filter->type);
  self->capacity = (gint64) MAX (MIN (room > held ? (room - held) / 8 / n_sinks : 0, GOOD_BYTES) / (size + (array != filter ? BESIDES : 0)),
                                 LEAST_WRITE);
  self->filter = g_object_ref (filter);
  self->array = g_object_ref (array);
  *pack = ACC_SINK (self);

  flags = dup_flags (filter);

  return join_rows (filter->inputs[0], flags);
}
