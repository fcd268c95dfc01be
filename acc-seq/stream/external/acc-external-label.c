/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "acc-external-elements-private.h"
#include "acc-external-walk-private.h"

#include "acc-core/array/acc-array-private.h"
#include "acc-core/array/acc-foreign-known-private.h"
#include "acc-core/derived/regions/acc-components-private.h"
#include "acc-label-table-private.h"
#include "acc-seq/stream/acc-plan-private.h"

#include <string.h>

/* Connected components. The first walk reads the code of each element: whether it is inside, whether a run begins, and which runs before it
 * touches. It keeps the codes in a store, and joins runs in a table. Then the roots are numbered in order, which are runs in row-major
 * order of their first elements. A source reads the codes and gives each element the number of its run. */

/* Elements that are looked at together. */
#define PIECE (8 * 1024)
/* What a walk takes of the memory limit besides rows and numbers of runs. */
#define LEAST_BYTES (96 * 1024)
/* Numbers of runs that may be in memory, where that is less than a part of what is left. */
#define SOME_NUMBERS (8 * 1024)

/* --- components */

#define ACC_TYPE_LABELS (acc_labels_get_type ())
G_DECLARE_FINAL_TYPE (AccLabels, acc_labels, ACC, LABELS, GObject)

/* What both labels and their number are made of. */
struct _AccLabels
{
  GObject        parent_instance;

  AccArray      *codes;
  AccStore      *store;      /* of codes */
  AccLabelTable  runs;
  gint64         n_labels;
};

G_DEFINE_FINAL_TYPE (AccLabels, acc_labels, G_TYPE_OBJECT)

static void
acc_labels_finalize (GObject *object)
{
  AccLabels *self = ACC_LABELS (object);

  acc_label_table_clear (&self->runs);
  g_clear_pointer (&self->store, acc_store_unref);
  g_clear_object (&self->codes);

  G_OBJECT_CLASS (acc_labels_parent_class)->finalize (object);
}

static void
acc_labels_class_init (AccLabelsClass *klass)
{
  G_OBJECT_CLASS (klass)->finalize = acc_labels_finalize;
}

static void
acc_labels_init (AccLabels *self)
{
}

/* --- the first walk */

typedef struct {
  AccLabels *labels;
  gsize      width;          /* bytes of a code */
  guint      n_offsets;
  gint64     distances[ACC_COMPONENTS_MAX_OFFSETS];
  gint64     farthest;
  gint64    *numbers;        /* of the runs of the last elements, as many as the farthest neighbour is away, and one: a ring */
  gint64     n_done, at;     /* elements; the place of the next one */
} Joining;

/* The number of the run of the element @distance before the one at .at. */
static gint64
get_number (const Joining *self, gint64 distance)
{
  gint64 at = self->at - distance;

  return self->numbers[at >= 0 ? at : at + self->farthest + 1];
}

static gboolean
join_piece (Joining *self, gconstpointer codes, gint64 n, GError **error)
{
  AccLabelTable *runs = &self->labels->runs;

  for (gint64 i = 0; i < n; i++, self->n_done++, self->at = self->at < self->farthest ? self->at + 1 : 0)
    {
      guint64 code = acc_external_get_number (codes, i, self->width);
      gint64 run;

      if ((code & ACC_COMPONENTS_BEGINS) != 0 && !acc_label_table_add (runs, error))
        return FALSE;
      run = self->numbers[self->at] = runs->n - 1;
      for (code >>= ACC_COMPONENTS_CONTACTS; code != 0; code &= code - 1)
        {
          guint bit = (guint) __builtin_ctzll (code);

          /* What was read from outside may say anything. */
          if (bit < self->n_offsets && self->n_done >= self->distances[bit] && run >= 0 && get_number (self, self->distances[bit]) >= 0)
            acc_label_table_join (runs, get_number (self, self->distances[bit]), run);
        }
    }

  return TRUE;
}

static gboolean
join_rows (gpointer data, AccChunk *chunk, GCancellable *cancellable, GError **error)
{
  Joining *self = data;
  gint64 n = acc_chunk_get_n_rows (chunk) * acc_chunk_get_row_elements (chunk);
  const guint8 *codes = (const guint8 *) (guintptr) acc_chunk_get_address (chunk, 0);

  for (gint64 first = 0; first < n; first += PIECE)
    {
      gint64 piece = MIN (PIECE, n - first), at = self->n_done;
      gpointer address = (gpointer) (codes + (gsize) first * self->width);

      if (g_cancellable_set_error_if_cancelled (cancellable, error) || !join_piece (self, address, piece, error)
          || !acc_store_write (self->labels->store, at, piece, &address, error))
        return FALSE;
    }

  return TRUE;
}

static gboolean
number_runs (gpointer data, GCancellable *cancellable, GError **error)
{
  AccLabels *labels = ((Joining *) data)->labels;

  labels->n_labels = acc_label_table_number (&labels->runs);

  return TRUE;
}

static const AccExternalWalk joining = { "connected runs", join_rows, number_runs, TRUE };

/* --- the second walk */

#define ACC_TYPE_LABEL_SOURCE (acc_label_source_get_type ())
G_DECLARE_FINAL_TYPE (AccLabelSource, acc_label_source, ACC, LABEL_SOURCE, AccSource)

struct _AccLabelSource
{
  AccSource  parent_instance;

  AccLabels *labels;
  gsize      width;          /* bytes of a code */
  gboolean   is_wide;        /* labels are i8 */
  guint8    *codes;          /* while it is read, as what follows */
  gint64     n_runs;
  gint64     n_read;
};

G_DEFINE_FINAL_TYPE (AccLabelSource, acc_label_source, ACC_TYPE_SOURCE)

static void
acc_label_source_finish (AccSource *source)
{
  g_clear_pointer (&ACC_LABEL_SOURCE (source)->codes, g_free);
}

static gboolean
acc_label_source_start (AccSource *source, GCancellable *cancellable, GError **error)
{
  AccLabelSource *self = ACC_LABEL_SOURCE (source);

  acc_label_source_finish (source);
  self->codes = g_malloc (PIECE * self->width);
  self->n_runs = self->n_read = 0;

  return TRUE;
}

static void
number_piece (AccLabelSource *self, gpointer to, gint64 n)
{
  for (gint64 i = 0; i < n; i++)
    {
      guint64 code = acc_external_get_number (self->codes, i, self->width);
      gint64 label;

      self->n_runs += (code & ACC_COMPONENTS_BEGINS) != 0;
      label = (code & ACC_COMPONENTS_INSIDE) != 0 && self->n_runs > 0 ? *acc_label_table_at (&self->labels->runs, self->n_runs - 1) : 0;
      if (self->is_wide)
        ((gint64 *) to)[i] = label;
      else
        ((gint32 *) to)[i] = (gint32) label;
    }
}

static gboolean
acc_label_source_read (AccSource *source, AccChunk *chunk, GCancellable *cancellable, GError **error)
{
  AccLabelSource *self = ACC_LABEL_SOURCE (source);
  gint64 n = acc_chunk_get_n_rows (chunk) * acc_chunk_get_row_elements (chunk);
  guint8 *to = (guint8 *) (guintptr) acc_chunk_get_address (chunk, 0);

  for (gint64 first = 0; first < n; first += PIECE)
    {
      gint64 piece = MIN (PIECE, n - first);
      gpointer address = self->codes;

      if (g_cancellable_set_error_if_cancelled (cancellable, error)
          || !acc_store_read (self->labels->store, self->n_read, piece, &address, error))
        return FALSE;
      number_piece (self, to + (gsize) first * (self->is_wide ? sizeof (gint64) : sizeof (gint32)), piece);
      self->n_read += piece;
    }

  return TRUE;
}

static guint64
acc_label_source_get_resident_bytes (AccSource *source)
{
  return PIECE * ACC_LABEL_SOURCE (source)->width;
}

static void
acc_label_source_finalize (GObject *object)
{
  acc_label_source_finish (ACC_SOURCE (object));
  g_clear_object (&ACC_LABEL_SOURCE (object)->labels);

  G_OBJECT_CLASS (acc_label_source_parent_class)->finalize (object);
}

static void
acc_label_source_class_init (AccLabelSourceClass *klass)
{
  G_OBJECT_CLASS (klass)->finalize = acc_label_source_finalize;
  ACC_SOURCE_CLASS (klass)->start = acc_label_source_start;
  ACC_SOURCE_CLASS (klass)->read = acc_label_source_read;
  ACC_SOURCE_CLASS (klass)->finish = acc_label_source_finish;
  ACC_SOURCE_CLASS (klass)->get_resident_bytes = acc_label_source_get_resident_bytes;
}

static void
acc_label_source_init (AccLabelSource *self)
{
}

/* --- nodes */

static AccArray **
take (AccArray *node, const char *name, guint *n_inputs)
{
  AccArray **inputs;
  guint connectivity;

  *n_inputs = 1;
  if (node->offer == NULL || node->op == ACC_OP_FOREIGN || node->offer->n_inputs != 1
      || !acc_components_parse_name (node->offer->name, name, &connectivity))
    return NULL;

  inputs = node->offer->inputs;

  return inputs[0]->shape != NULL && inputs[0]->rank > 0 && connectivity >= 1 && connectivity <= inputs[0]->rank
         && inputs[0]->rank <= ACC_COMPONENTS_MAX_RANK && inputs[0]->type == acc_components_get_code_type (inputs[0]->rank, connectivity)
         ? inputs : NULL;
}

static AccArray **
take_labels (AccArray *node, guint *n_inputs)
{
  AccArray **inputs = take (node, ACC_COMPONENTS_LABELS, n_inputs);
  gboolean fits = inputs != NULL && node->shape != NULL && acc_shape_equal (node->shape, inputs[0]->shape)
                  && (node->type == acc_element_type_new (ACC_KIND_I64)
                      || (node->type == acc_element_type_new (ACC_KIND_I32) && acc_shape_get_size (node->shape) <= G_MAXINT32));

  return fits ? inputs : NULL;
}

static AccArray **
take_count (AccArray *node, guint *n_inputs)
{
  AccArray **inputs = take (node, ACC_COMPONENTS_COUNT, n_inputs);

  return inputs != NULL && node->rank == 0 && node->type == acc_element_type_new (ACC_KIND_I64) ? inputs : NULL;
}

static AccArray *
get_codes (AccArray *node)
{
  return node->offer->inputs[0];
}

static gint64
get_farthest (AccArray *codes)
{
  guint rank;
  const gint64 *extents = acc_shape_get_extents (codes->shape, &rank);
  gint64 stride = 1, farthest = 1;

  for (guint d = rank; d-- > 0; stride *= extents[d])
    farthest += stride;

  return farthest;
}

static guint64
measure_least (AccArray *node)
{
  AccArray *codes = get_codes (node);

  return acc_bytes_add (LEAST_BYTES + MIN ((guint64) get_farthest (codes) + 1, SOME_NUMBERS) * sizeof (gint64),
                        acc_external_measure_rows (codes));
}

static guint64
get_table_room (AccBackend *backend)
{
  return acc_external_get_room (backend) / 8;
}

/* Of a table of as many runs as there are elements. */
static guint64
measure_held (AccBackend *backend, AccArray *node)
{
  return MIN (get_table_room (backend), acc_bytes_multiply (acc_external_get_size (node), sizeof (gint64)));
}

static guint64
measure_resident (AccBackend *backend, AccArray *node)
{
  return PIECE * (guint64) acc_element_type_get_size (get_codes (node)->type);
}

/* Codes, counts of runs, labels, and what finds them: runs, the edges between these, and their roots. */
static guint64
measure_whole (AccArray *node)
{
  AccArray *codes = get_codes (node);
  guint64 size = acc_external_get_size (codes);

  return acc_bytes_multiply (size, acc_element_type_get_size (codes->type) + 16);
}

/* --- the algorithm */

/* How far back neighbours are. Where an extent is 1, some are after the element: no element has those. */
static void
find_distances (Joining *self, AccArray *node)
{
  AccArray *codes = get_codes (node);
  const gint64 *extents = acc_shape_get_extents (codes->shape, NULL);
  gint64 offsets[ACC_COMPONENTS_MAX_OFFSETS][ACC_COMPONENTS_MAX_RANK];
  guint connectivity = 0;

  if (!acc_components_parse_name (node->offer->name, ACC_COMPONENTS_LABELS, &connectivity))
    acc_components_parse_name (node->offer->name, ACC_COMPONENTS_COUNT, &connectivity);
  self->n_offsets = acc_components_list_offsets (codes->rank, connectivity, offsets);
  for (guint i = 0; i < self->n_offsets; i++)
    {
      gint64 distance = 0;

      for (guint d = 0; d < codes->rank; d++)
        distance = distance * extents[d] - offsets[i][d];
      self->distances[i] = distance >= 0 && distance <= self->farthest ? distance : G_MAXINT64;
    }
}

static gboolean
walk (const AccExternalTask *task, AccLabels *labels, GError **error)
{
  AccArray *codes = labels->codes;
  guint64 room = acc_external_get_room (task->backend);
  Joining self = { .labels = labels, .width = acc_element_type_get_size (codes->type), .farthest = get_farthest (codes) };
  g_autoptr(AccBuffer) numbers = NULL;

  numbers = acc_external_allocate (task->backend, (gsize) (self.farthest + 1) * sizeof (gint64),
                                   MAX (room / 8, SOME_NUMBERS * sizeof (gint64)), "runs of the rows before", error);
  if (numbers == NULL)
    return FALSE;
  self.numbers = (gint64 *) numbers->data;
  find_distances (&self, task->node);

  return acc_external_walk (task, codes, &joining, &self, error);
}

/* Those of the same codes, where they were found for another node of the stage. */
static AccLabels *
find_labels (const AccExternalTask *task, GError **error)
{
  AccArray *codes = get_codes (task->node);
  AccLabels *known = g_hash_table_lookup (task->shared, codes);
  g_autoptr(AccLabels) labels = NULL;

  if (known != NULL)
    return g_object_ref (known);

  labels = g_object_new (ACC_TYPE_LABELS, NULL);
  labels->codes = g_object_ref (codes);
  acc_label_table_init (&labels->runs, task->backend, get_table_room (task->backend));
  labels->store = acc_external_new_growing_store (task, codes->type, acc_shape_get_size (codes->shape), "codes", error);
  if (labels->store == NULL || !walk (task, labels, error))
    return NULL;
  acc_store_close (labels->store, acc_shape_get_size (codes->shape));
  g_hash_table_insert (task->shared, codes, g_object_ref (labels));

  return g_steal_pointer (&labels);
}

static AccArray *
compute_labels (const AccExternalTask *task, GError **error)
{
  g_autoptr(AccLabels) labels = find_labels (task, error);
  g_autoptr(AccLabelSource) source = NULL;

  if (labels == NULL)
    return NULL;

  source = g_object_new (ACC_TYPE_LABEL_SOURCE, "name", "labels", NULL);
  acc_source_set_layout (ACC_SOURCE (source), task->node->type, task->node->shape);
  source->width = acc_element_type_get_size (labels->codes->type);
  source->is_wide = task->node->type == acc_element_type_new (ACC_KIND_I64);
  source->labels = g_steal_pointer (&labels);

  return acc_array_new_from_rows (ACC_SOURCE (source));
}

static AccArray *
compute_count (const AccExternalTask *task, GError **error)
{
  g_autoptr(AccLabels) labels = find_labels (task, error);
  g_autoptr(AccShape) shape = acc_shape_new_scalar ();
  g_autoptr(GBytes) bytes = NULL;
  AccBuffer *buffer;

  if (labels == NULL)
    return NULL;

  bytes = g_bytes_new (&labels->n_labels, sizeof labels->n_labels);
  buffer = acc_buffer_new_bytes (bytes);

  return acc_array_new_manifest (task->node->type, shape, &buffer);
}

const AccExternal acc_external_labels = {
  .way = "runs that are joined as they come, and numbered",
  .has_flow = TRUE,
  .takes = take_labels,
  .measure_whole = measure_whole,
  .measure_least = measure_least,
  .measure_held = measure_held,
  .measure_resident = measure_resident,
  .n_written = 1,
  .n_read = 1,
  .compute = compute_labels,
};

const AccExternal acc_external_label_count = {
  .way = "runs that are joined as they come, and counted",
  .has_flow = TRUE,
  .takes = take_count,
  .measure_whole = measure_whole,
  .measure_least = measure_least,
  .n_written = 1,
  .n_read = 1,
  .compute = compute_count,
};
