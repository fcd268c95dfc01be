/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "acc-external-walk-private.h"

#include "acc-core/array/acc-array-private.h"
#include "acc-core/derived/regions/acc-distance-private.h"
#include "acc-seq/stream/acc-plan-private.h"

#include <string.h>

/* Squares of distances to the nearest 0. The first walk counts for each element how many rows above it the nearest 0 is, and stores that.
 * The second one goes from the last row to the first: it counts from below, takes the lesser, and within each row finds the lower envelope
 * of the parabolas along each other dimension (Meijster, Roerdink and Hesselink 2000), in integers. */

/* What a walk takes of the memory limit besides rows. */
#define LEAST_BYTES (64 * 1024)
/* Of rows that may be in memory, where that is less than a part of what is left. */
#define SOME_BYTES  (64 * 1024)
#define BAND_BYTES  (256 * 1024)
#define NONE        G_MAXINT32     /* no 0 in that direction */

typedef struct {
  gint64  n_rows, row;             /* elements of a row */
  guint   rank;
  const gint64 *extents;
  gint64  longest;                 /* line within a row */
  gint64  band;                    /* rows that are read together */
} Layout;

static void
find_layout (AccArray *zeros, Layout *self)
{
  self->extents = acc_shape_get_extents (zeros->shape, &self->rank);
  self->n_rows = MAX (self->extents[0], 0);
  self->row = self->longest = 1;
  for (guint d = 1; d < self->rank; d++)
    {
      self->row *= MAX (self->extents[d], 0);
      self->longest = MAX (self->longest, self->extents[d]);
    }
  self->band = 1;
}

static guint64
measure_buffers (const Layout *layout)
{
  guint64 elements = (guint64) layout->row;

  return acc_bytes_add (acc_bytes_multiply (elements, 4 + 4 + 12 * (guint64) layout->band), 24 * (guint64) layout->longest);
}

/* Within @most bytes, if a row is. */
static void
choose_band (Layout *self, guint64 most)
{
  self->band = CLAMP (BAND_BYTES / MAX (self->row * (gint64) sizeof (gint64), 1), 1, MAX (self->n_rows, 1));
  while (self->band > 1 && measure_buffers (self) > most)
    self->band /= 2;
}

/* --- down */

typedef struct {
  AccStore *store;
  gint32   *counts;     /* of the row before; then of the row */
  gint64    row;
  gint64    n_done;     /* elements */
} Counts;

static gboolean
count_rows (gpointer data, AccChunk *chunk, GCancellable *cancellable, GError **error)
{
  Counts *self = data;
  const guint8 *zeros = (const guint8 *) (guintptr) acc_chunk_get_address (chunk, 0);
  gint64 n = acc_chunk_get_n_rows (chunk) * acc_chunk_get_row_elements (chunk), m;

  for (gint64 i = 0; i < n; i += m, zeros += m, self->n_done += m)
    {
      gint64 at = self->n_done % self->row;
      gint32 *counts = self->counts + at;
      gpointer address = counts;

      m = MIN (n - i, self->row - at);
      for (gint64 k = 0; k < m; k++)
        counts[k] = zeros[k] != 0 ? 0 : counts[k] == NONE ? NONE : counts[k] + 1;
      if (!acc_store_write (self->store, self->n_done, m, &address, error))
        return FALSE;
    }

  return !g_cancellable_set_error_if_cancelled (cancellable, error);
}

static const AccExternalWalk down = { .name = "distances from above", .takes_elements = TRUE, .write = count_rows };

/* --- within a row */

typedef struct {
  gint64 *line, *places, *begins;
} Scratch;

/* The least of line[k] + (i - k)² for each i of @n elements, @stride apart. */
static void
find_envelope (gint64 *squares, gint64 n, gint64 stride, const Scratch *scratch)
{
  gint64 *line = scratch->line, *places = scratch->places, *begins = scratch->begins, n_places = 0;

  for (gint64 k = 0; k < n; k++)
    {
      gint64 begin = 0;

      line[k] = squares[k * stride];
      if (line[k] >= ACC_DISTANCE_NOWHERE)
        continue;
      for (; n_places > 0; n_places--)
        {
          gint64 i = places[n_places - 1];
          gint64 twice = 2 * (k - i), difference = k * k - i * i + line[k] - line[i];

          /* From there on k is nearer than i. */
          begin = difference >= 0 ? difference / twice + 1 : -((-difference + twice - 1) / twice) + 1;
          if (begin > begins[n_places - 1])
            break;
        }
      if (n_places == 0)
        begin = 0;
      if (begin >= n)
        continue;
      places[n_places] = k;
      begins[n_places++] = begin;
    }

  for (gint64 i = 0, p = 0; i < n && n_places > 0; i++)
    {
      while (p + 1 < n_places && begins[p + 1] <= i)
        p++;
      squares[i * stride] = line[places[p]] + (i - places[p]) * (i - places[p]);
    }
}

static void
search_row (const Layout *layout, gint64 *squares, const Scratch *scratch)
{
  gint64 stride = 1;

  for (guint d = layout->rank; d-- > 1; stride *= layout->extents[d])
    {
      gint64 n = layout->extents[d], outer = layout->row / (n * stride);

      for (gint64 o = 0; o < outer; o++)
        for (gint64 k = 0; k < stride; k++)
          find_envelope (squares + o * n * stride + k, n, stride, scratch);
    }
}

/* --- up */

/* @below: counts from below, of the row after; then of the row. */
static void
join_row (const Layout *layout, const gint32 *above, gint32 *below, gint64 *squares)
{
  for (gint64 k = 0; k < layout->row; k++)
    {
      gint64 least;

      below[k] = above[k] == 0 ? 0 : below[k] == NONE ? NONE : below[k] + 1;
      least = MIN (above[k], below[k]);
      squares[k] = least == NONE ? ACC_DISTANCE_NOWHERE : least * least;
    }
}

static gboolean
go_up (const Layout *layout, AccStore *counts, AccStore *result, gint32 *above, gint32 *below, gint64 *squares, const Scratch *scratch,
       GCancellable *cancellable, GError **error)
{
  for (gint64 end = layout->n_rows, first; end > 0; end = first)
    {
      gint64 n;
      gpointer from = above, to = squares;

      first = MAX (end - layout->band, 0);
      n = end - first;
      if (g_cancellable_set_error_if_cancelled (cancellable, error)
          || !acc_store_read (counts, first * layout->row, n * layout->row, &from, error))
        return FALSE;
      for (gint64 i = n; i-- > 0; )
        {
          join_row (layout, above + i * layout->row, below, squares + i * layout->row);
          search_row (layout, squares + i * layout->row, scratch);
        }
      if (!acc_store_write (result, first * layout->row, n * layout->row, &to, error))
        return FALSE;
    }

  return TRUE;
}

/* --- the table */

static AccArray **
take (AccArray *node, guint *n_inputs)
{
  AccArray **inputs;

  *n_inputs = 1;
  if (node->offer == NULL || node->op == ACC_OP_FOREIGN || node->offer->n_inputs != 1
      || strcmp (node->offer->name, ACC_DISTANCE_SQUARES) != 0)
    return NULL;

  inputs = node->offer->inputs;

  return inputs[0]->shape != NULL && inputs[0]->rank > 0 && inputs[0]->type == acc_element_type_new (ACC_KIND_BOOL)
         && node->type == acc_element_type_new (ACC_KIND_I64) && node->rank == inputs[0]->rank ? inputs : NULL;
}

/* Squares before and after a dimension, and whether they are sure. */
static guint64
measure_whole (AccArray *node)
{
  return acc_bytes_multiply (acc_external_get_size (node->offer->inputs[0]), 28);
}

static guint64
measure_least (AccArray *node)
{
  Layout layout;

  find_layout (node->offer->inputs[0], &layout);

  return acc_bytes_add (LEAST_BYTES + MIN (measure_buffers (&layout), SOME_BYTES), acc_external_measure_rows (node->offer->inputs[0]));
}

static gboolean
go_down (const AccExternalTask *task, const Layout *layout, AccStore *counts, gint32 *row, GError **error)
{
  Counts self = { counts, row, layout->row, 0 };

  for (gint64 k = 0; k < layout->row; k++)
    row[k] = NONE;

  return acc_external_walk (task, task->node->offer->inputs[0], &down, &self, error);
}

static AccArray *
compute (const AccExternalTask *task, GError **error)
{
  AccShape *shape = task->node->offer->inputs[0]->shape;
  Layout layout;
  guint64 most = MAX (acc_external_get_room (task->backend) / 4, SOME_BYTES);
  g_autoptr(AccStore) counts = NULL, result = NULL;
  g_autoptr(AccBuffer) memory = NULL;
  gint64 *squares;
  gint32 *above, *below;
  Scratch scratch;

  find_layout (task->node->offer->inputs[0], &layout);
  choose_band (&layout, most);
  counts = acc_external_new_store (task, acc_element_type_new (ACC_KIND_I32), shape, "distances from above", error);
  result = counts != NULL ? acc_external_new_store (task, acc_element_type_new (ACC_KIND_I64), shape, "squares", error) : NULL;
  memory = result != NULL ? acc_external_allocate (task->backend, measure_buffers (&layout), most, "rows of distances", error) : NULL;
  if (memory == NULL)
    return NULL;

  squares = (gint64 *) memory->data;
  scratch.line = squares + layout.band * layout.row;
  scratch.places = scratch.line + layout.longest;
  scratch.begins = scratch.places + layout.longest;
  above = (gint32 *) (scratch.begins + layout.longest);
  below = above + layout.band * layout.row;

  if (layout.n_rows > 0 && layout.row > 0)
    {
      if (!go_down (task, &layout, counts, below, error))
        return NULL;
      for (gint64 k = 0; k < layout.row; k++)
        below[k] = NONE;
      if (!go_up (&layout, counts, result, above, below, squares, &scratch, task->cancellable, error))
        return NULL;
    }

  return acc_store_dup_array (result, error);
}

const AccExternal acc_external_distance = {
  .way = "counted down and up",
  .leaves_store = TRUE,
  .has_flow = TRUE,
  .takes = take,
  .measure_whole = measure_whole,
  .measure_least = measure_least,
  .n_written = 2,
  .n_read = 2,
  .compute = compute,
};
