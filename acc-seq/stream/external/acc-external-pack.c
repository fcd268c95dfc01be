/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "acc-external-walk-private.h"

#include "acc-core/array/acc-array-build-private.h"
#include "acc-seq/stream/acc-plan-private.h"

#include <string.h>

/* What a filter keeps goes into a growing store as it comes, in one walk: how much it is need not be known before. */

/* Bytes of elements that are written at once. */
#define GOOD_BYTES  (1024 * 1024)
#define LEAST_WRITE 256

/* --- the walk */

typedef struct {
  AccStore   *store;
  AccElementType *type;
  guint       n_buffers;
  AccBuffer **kept;
  gint64      capacity, n;
  gint64      n_written;
} Pack;

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
write_kept (gpointer data, GCancellable *cancellable, GError **error)
{
  Pack *self = data;
  g_autofree gpointer *addresses = g_new0 (gpointer, self->n_buffers + 1);

  for (guint i = 0; i < self->n_buffers; i++)
    addresses[i] = self->kept[i]->data;
  if (self->n > 0 && !acc_store_write (self->store, self->n_written, self->n, addresses, error))
    return FALSE;
  self->n_written += self->n;
  self->n = 0;

  return TRUE;
}

/* Rows are elements, and whether to keep each. */
static gboolean
add_rows (gpointer data, AccChunk *chunk, GCancellable *cancellable, GError **error)
{
  Pack *self = data;
  const guint8 *keeps = (const guint8 *) (guintptr) acc_chunk_get_address (chunk, self->n_buffers);
  gint64 n_rows = acc_chunk_get_n_rows (chunk), n;

  for (gint64 row = 0; row < n_rows; row += n)
    {
      gint64 n_kept = 0;

      if (self->n > self->capacity / 2 && !write_kept (self, cancellable, error))
        return FALSE;
      n = MIN (n_rows - row, self->capacity - self->n);
      for (gint64 i = 0; i < n; i++)
        n_kept += keeps[row + i] != 0;
      for (guint i = 0; i < self->n_buffers; i++)
        {
          gsize width = acc_element_type_get_buffer_size (self->type, i);

          pack ((guint8 *) self->kept[i]->data + (gsize) self->n * width,
                (const guint8 *) (guintptr) acc_chunk_get_address (chunk, i) + (gsize) row * width, keeps + row, n, width);
        }
      self->n += n_kept;
    }

  return TRUE;
}

static const AccExternalWalk into_store = { "what is kept", add_rows, write_kept };

static gboolean
allocate (Pack *self, const AccExternalTask *task, GError **error)
{
  guint64 size = MAX ((guint64) acc_element_type_get_size (self->type), 1), room = acc_external_get_room (task->backend),
    rows = acc_external_measure_rows (task->node), left = room > rows ? room - rows : 0;

  self->capacity = (gint64) MAX (MIN (left / 8, GOOD_BYTES) / size, LEAST_WRITE);
  self->n_buffers = acc_element_type_get_n_buffers (self->type);
  self->kept = acc_buffers_allocate (self->type, self->capacity, acc_backend_get_host_budget (task->backend), "what is kept", error);

  return self->kept != NULL;
}

/* --- the algorithm */

static AccArray **
take_pack (AccArray *node, guint *n_inputs)
{
  *n_inputs = node->n_inputs;

  return node->op == ACC_OP_PERMUTE && acc_array_get_permute (node)->fills && node->rank == 1 && node->inputs[0]->rank == 1
         && acc_array_is_optional (node->inputs[2]->type) ? node->inputs : NULL;
}

/* All elements may be kept; and their places. */
static guint64
measure_whole (AccArray *node)
{
  guint64 bytes = acc_external_get_bytes (node->inputs[0]), n = acc_external_get_size (node->inputs[0]);

  return bytes != G_MAXUINT64 ? acc_bytes_add (bytes, acc_bytes_multiply (n, 2 * sizeof (gint64))) : bytes;
}

static guint64
measure_least (AccArray *node)
{
  return acc_bytes_add (acc_external_measure_rows (node), acc_bytes_multiply (acc_element_type_get_size (node->type), 2 * LEAST_WRITE));
}

static void
count_passes (AccBackend *backend, AccArray *node, guint *n_written, guint *n_read)
{
  *n_written = *n_read = 1;
}

/* Which elements are kept: without their places, if these were found from that. */
static AccArray *
get_flags (AccArray *targets)
{
  AccFunction *function = targets->op == ACC_OP_ZIP_WITH ? targets->functions[0] : NULL;

  if (function != NULL && function->body->kind == ACC_EXPR_TUPLE && function->body->args[0] == function->params[0])
    return g_object_ref (targets->inputs[0]);

  return acc_array_unzip (targets, 0);
}

static AccArray *
compute_pack (const AccExternalTask *task, GError **error)
{
  AccArray *elements = task->node->inputs[0];
  g_autoptr(AccArray) flags = get_flags (task->node->inputs[2]), rows = acc_array_zip (elements, flags);
  g_autoptr(AccStore) store = acc_external_new_growing_store (task, elements->type, acc_shape_get_size (elements->shape), "a store", error);
  Pack self = { .store = store, .type = elements->type };
  gboolean done = store != NULL && allocate (&self, task, error) && acc_external_walk (task, rows, &into_store, &self, error);

  acc_buffers_free (self.kept);
  if (!done)
    return NULL;
  acc_store_close (store, self.n_written);

  return acc_store_dup_array (store, error);
}

const AccExternal acc_external_pack = {
  .way = "what is kept goes into a growing store",
  .takes = take_pack,
  .skips = 1 << 1,
  .measure_whole = measure_whole,
  .measure_least = measure_least,
  .count_passes = count_passes,
  .compute = compute_pack,
};
