/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "acc-external-blocks-private.h"
#include "acc-external-walk-private.h"

#include "acc-core/array/acc-array-private.h"
#include "acc-core/base/acc-ceil-div-private.h"
#include "acc-seq/stream/acc-plan-private.h"

#include <string.h>

/* Dimensions in another order. Rows are kept until they fill half of the memory, turned there, and written behind one another: such a band
 * has the columns of its rows. Then some rows of the result at a time are read, a piece from each band: the larger the memory, the larger
 * the pieces. Two groups of neighbouring dimensions change places in a pass; some orders take several. Where rows are too long for that,
 * tiles are turned. */

#define LEAST_BYTES (8 * 1024)

typedef struct {
  AccElementType *type;
  guint           n_buffers;
  AccTurnExtents  extents;
  gint64          height;   /* rows of a band, but for the last one */
  AccStore       *store;
} Turn;

static gint64
get_height (const Turn *self, gint64 first)
{
  return MIN (self->height, self->extents.a - first);
}

/* --- which orders */

/* Which dimension of the input each of the result is. FALSE: it has another form, or they are in order. */
static gboolean
find_order (AccArray *node, guint *order)
{
  AccFunction *function = node->op == ACC_OP_BACKPERMUTE ? node->functions[0] : NULL;
  AccArray *input;
  guint64 seen = 0;
  gboolean is_turned = FALSE;

  if (function == NULL || node->rank < 2 || node->rank > 64 || node->shape == NULL || function->body->kind != ACC_EXPR_TUPLE)
    return FALSE;
  input = node->inputs[0];
  if (input->rank != node->rank || input->shape == NULL)
    return FALSE;

  for (guint d = 0; d < node->rank; d++)
    {
      AccExpr *item = function->body->args[d];

      if (item->kind != ACC_EXPR_ITEM || item->args[0] != function->params[0]
          || acc_shape_get_extent (node->shape, item->item) != acc_shape_get_extent (input->shape, d))
        return FALSE;
      order[item->item] = d;
      seen |= G_GUINT64_CONSTANT (1) << item->item;
      is_turned |= item->item != d;
    }

  return is_turned && seen == (node->rank == 64 ? G_MAXUINT64 : (G_GUINT64_CONSTANT (1) << node->rank) - 1);
}

/* The next pass from @current to @order, which becomes @current; FALSE: there is none. */
static gboolean
find_turn (const guint *order, guint *current, const gint64 *extents, guint rank, Turn *turn)
{
  guint first = 0, from, n = 1;
  AccTurnExtents *turned = &turn->extents;
  g_autofree guint *next = NULL;

  while (first < rank && current[first] == order[first])
    first++;
  if (first == rank)
    return FALSE;
  for (from = first + 1; current[from] != order[first]; )
    from++;
  while (from + n < rank && current[from + n] == order[first + n])
    n++;

  *turned = (AccTurnExtents) { 1, 1, 1, 1 };
  for (guint i = 0; i < rank; i++)
    *(i < first ? &turned->outer : i < from ? &turned->a : i < from + n ? &turned->b : &turned->inner) *= extents[current[i]];

  next = g_memdup2 (current, rank * sizeof (guint));
  for (guint i = first; i < from + n; i++)
    next[i] = i < first + n ? current[from + i - first] : current[i - n];
  memcpy (current, next, rank * sizeof (guint));

  return TRUE;
}

/* --- the walk */

typedef struct _AccTurnSource AccTurnSource;

typedef struct {
  AccExternalTask task;
  guint          *order, *current;   /* of dimensions: as wanted, and behind the pass under way */
  Turn            turn;
  AccTurnSource  *source;            /* of the pass */
  AccBuffer     **band;
  gint64          done;              /* rows in all, of those before the dimensions that are turned too */
} Transpose;

static gboolean
write_band (Transpose *self, gint64 first, GError **error)
{
  Turn *turn = &self->turn;
  gint64 row = turn->extents.b * turn->extents.inner, before = (self->done - 1) / turn->extents.a * turn->extents.a;

  return acc_store_write_from (turn->store, (before + first) * row, get_height (turn, first) * row, self->band, 0, error);
}

static gboolean
add_rows (gpointer data, AccChunk *chunk, GCancellable *cancellable, GError **error)
{
  Transpose *self = data;
  Turn *turn = &self->turn;
  const AccTurnExtents *extents = &turn->extents;
  gint64 row = extents->b * extents->inner, n = acc_chunk_get_n_rows (chunk) * acc_chunk_get_row_elements (chunk) / row, m;

  for (gint64 at = 0; at < n; at += m)
    {
      gint64 here = self->done % extents->a, first = here / turn->height * turn->height, height = get_height (turn, first);

      m = MIN (n - at, first + height - here);
      for (guint i = 0; i < turn->n_buffers; i++)
        {
          gsize unit = acc_element_type_get_buffer_size (turn->type, i) * (gsize) extents->inner;
          const guint8 *rows = (const guint8 *) (guintptr) acc_chunk_get_address (chunk, i);

          acc_tiles_turn_units ((guint8 *) self->band[i]->data + (gsize) (here - first) * unit, (gsize) height * unit,
                                rows + (gsize) (at * extents->b) * unit, m, extents->b, unit);
        }
      self->done += m;
      if (here + m == first + height && !write_band (self, first, error))
        return FALSE;
    }

  return TRUE;
}

static gboolean
finish_bands (gpointer data, GCancellable *cancellable, GError **error)
{
  g_clear_pointer (&((Transpose *) data)->band, acc_buffers_free);

  return TRUE;
}

static const AccExternalWalk into_bands = { "bands", add_rows, finish_bands };

/* --- rows of the result */

#define ACC_TYPE_TURN_SOURCE (acc_turn_source_get_type ())
G_DECLARE_FINAL_TYPE (AccTurnSource, acc_turn_source, ACC, TURN_SOURCE, AccSource)

struct _AccTurnSource
{
  AccSource   parent_instance;

  Turn        turn;
  gint64      n_rows;           /* of the result that are read at once, for one outer index */
  AccBuffer **rows, **piece;    /* those; what a band has of them */
  gint64      first, n;         /* elements of the result that are in .rows */
  gint64      next;             /* element of the result */
};

G_DEFINE_FINAL_TYPE (AccTurnSource, acc_turn_source, ACC_TYPE_SOURCE)

static guint64
measure_source (const Turn *turn, gint64 n_rows)
{
  return (guint64) (n_rows * (turn->extents.a + turn->height) * turn->extents.inner) * acc_element_type_get_size (turn->type);
}

static void
acc_turn_source_finish (AccSource *source)
{
  AccTurnSource *self = ACC_TURN_SOURCE (source);

  acc_buffers_free (g_steal_pointer (&self->rows));
  acc_buffers_free (g_steal_pointer (&self->piece));
}

/* What acc_source_get_resident_bytes() tells of. */
static gboolean
acc_turn_source_start (AccSource *source, GCancellable *cancellable, GError **error)
{
  AccTurnSource *self = ACC_TURN_SOURCE (source);
  const Turn *turn = &self->turn;

  acc_turn_source_finish (source);
  self->first = self->n = self->next = 0;
  self->rows = acc_buffers_allocate (turn->type, self->n_rows * turn->extents.a * turn->extents.inner, NULL, "rows", error);
  if (self->rows != NULL)
    self->piece = acc_buffers_allocate (turn->type, self->n_rows * turn->height * turn->extents.inner, NULL, "a piece", error);

  return self->piece != NULL;
}

static guint64
acc_turn_source_get_resident_bytes (AccSource *source)
{
  AccTurnSource *self = ACC_TURN_SOURCE (source);

  return measure_source (&self->turn, self->n_rows);
}

/* Rows from the one of .next on. */
static gboolean
read_rows (AccTurnSource *self, GCancellable *cancellable, GError **error)
{
  const Turn *turn = &self->turn;
  gint64 row = turn->extents.a * turn->extents.inner, outer = self->next / (turn->extents.b * row), b = self->next / row % turn->extents.b,
    n = MIN (self->n_rows, turn->extents.b - b);

  for (gint64 first = 0; first < turn->extents.a; first += turn->height)
    {
      gint64 height = get_height (turn, first), band = (outer * turn->extents.a + first) * turn->extents.b * turn->extents.inner,
        left = turn->extents.b - b - n;

      if (g_cancellable_set_error_if_cancelled (cancellable, error)
          || !acc_store_read_to (turn->store, band + b * height * turn->extents.inner, n * height * turn->extents.inner, self->piece, 0,
                                 error))
        return FALSE;
      acc_store_expect (turn->store, band + (b + n) * height * turn->extents.inner, MIN (left, n) * height * turn->extents.inner);
      for (guint i = 0; i < turn->n_buffers; i++)
        {
          gsize unit = acc_element_type_get_buffer_size (turn->type, i) * (gsize) turn->extents.inner;

          for (gint64 r = 0; r < n && unit > 0; r++)
            memcpy ((guint8 *) self->rows[i]->data + (gsize) (r * turn->extents.a + first) * unit,
                    (const guint8 *) self->piece[i]->data + (gsize) (r * height) * unit, (gsize) height * unit);
        }
    }
  self->first = self->next;
  self->n = n * row;

  return TRUE;
}

static gboolean
acc_turn_source_read (AccSource *source, AccChunk *chunk, GCancellable *cancellable, GError **error)
{
  AccTurnSource *self = ACC_TURN_SOURCE (source);
  gint64 all = acc_chunk_get_n_rows (chunk) * acc_chunk_get_row_elements (chunk), n;

  for (gint64 at = 0; at < all; at += n)
    {
      if (self->next == self->first + self->n && !read_rows (self, cancellable, error))
        return FALSE;
      n = MIN (all - at, self->first + self->n - self->next);
      for (guint i = 0; i < self->turn.n_buffers; i++)
        {
          gsize width = acc_element_type_get_buffer_size (self->turn.type, i);

          if (width > 0)
            memcpy ((guint8 *) (guintptr) acc_chunk_get_address (chunk, i) + (gsize) at * width,
                    (const guint8 *) self->rows[i]->data + (gsize) (self->next - self->first) * width, (gsize) n * width);
        }
      self->next += n;
    }

  return TRUE;
}

static void
acc_turn_source_finalize (GObject *object)
{
  acc_turn_source_finish (ACC_SOURCE (object));
  g_clear_pointer (&ACC_TURN_SOURCE (object)->turn.store, acc_store_unref);

  G_OBJECT_CLASS (acc_turn_source_parent_class)->finalize (object);
}

static void
acc_turn_source_class_init (AccTurnSourceClass *klass)
{
  G_OBJECT_CLASS (klass)->finalize = acc_turn_source_finalize;
  ACC_SOURCE_CLASS (klass)->start = acc_turn_source_start;
  ACC_SOURCE_CLASS (klass)->read = acc_turn_source_read;
  ACC_SOURCE_CLASS (klass)->finish = acc_turn_source_finish;
  ACC_SOURCE_CLASS (klass)->get_resident_bytes = acc_turn_source_get_resident_bytes;
}

static void
acc_turn_source_init (AccTurnSource *self)
{
}

/* --- the algorithm */

static AccArray **
take_transpose (AccArray *node, guint *n_inputs)
{
  g_autofree guint *order = g_new0 (guint, node->rank + 1);

  *n_inputs = 1;

  return find_order (node, order) ? node->inputs : NULL;
}

/* What it reads, and a copy on the way to where that is kept. */
static guint64
measure_whole (AccArray *node)
{
  if (acc_external_is_in_memory (node->inputs[0]))
    return 0;

  return acc_bytes_multiply (acc_external_get_bytes (node), 2);
}

/* Calls @function, which may be NULL, for each pass. Returns how many there are. */
static guint
each_turn (AccArray *node, void (*function) (const Turn *turn, gpointer data), gpointer data)
{
  g_autofree guint *order = g_new0 (guint, node->rank + 1), *current = g_new0 (guint, node->rank + 1);
  const gint64 *extents = acc_shape_get_extents (node->inputs[0]->shape, NULL);
  Turn turn = { .type = node->type };
  guint n = 0;

  find_order (node, order);
  for (guint i = 0; i < node->rank; i++)
    current[i] = i;
  for (; find_turn (order, current, extents, node->rank, &turn); n++)
    if (function != NULL)
      function (&turn, data);

  return n;
}

typedef struct {
  guint64 row, most;      /* elements of a row, before or after; elements that a pass takes */
} Measure;

/* A row, and what it is read by; a row of the result, and as much of a band. */
static void
measure_turn (const Turn *turn, gpointer data)
{
  Measure *self = data;
  guint64 before = (guint64) (turn->extents.b * turn->extents.inner), after = (guint64) (turn->extents.a * turn->extents.inner);

  before = MAX (before, self->row) * 3;
  after = after * 3 + MAX (after, self->row) * 3;
  self->most = MAX (self->most, MAX (before, after));
}

static guint64
count_row (AccArray *array)
{
  return (guint64) (acc_shape_get_size (array->shape) / MAX (acc_shape_get_extent (array->shape, 0), 1));
}

/* What bands of rows take at least. */
static guint64
measure_bands (AccArray *node)
{
  Measure measure = { MAX (count_row (node), count_row (node->inputs[0])), 0 };

  each_turn (node, measure_turn, &measure);

  return acc_bytes_add (acc_external_measure_rows (node),
                        acc_bytes_add (acc_bytes_multiply (measure.most, acc_element_type_get_size (node->type)), LEAST_BYTES));
}

static guint64
measure_least (AccArray *node)
{
  guint64 tiles = acc_bytes_add (acc_external_measure_rows (node), LEAST_BYTES + acc_tiles_measure_least (node->type));

  return MIN (measure_bands (node), tiles);
}

static gboolean
goes_by_tiles (AccBackend *backend, AccArray *node)
{
  return measure_bands (node) > acc_external_get_room (backend);
}

static void
count_passes (AccBackend *backend, AccArray *node, guint *n_written, guint *n_read)
{
  *n_written = *n_read = each_turn (node, NULL, NULL);
  if (goes_by_tiles (backend, node))
    *n_written = *n_read += 1;
}

/* Rows of a band, of which the turn gets its height, and of the result that are read at once. @rows: bytes of what is turned. */
static gint64
choose_heights (Turn *turn, guint64 room, guint64 rows)
{
  guint64 size = MAX ((guint64) acc_element_type_get_size (turn->type), 1), left = room > rows ? room - rows : 0;

  turn->height = (gint64) CLAMP (left / 2 / size / (guint64) (turn->extents.b * turn->extents.inner), 1, (guint64) turn->extents.a);
  turn->height = acc_ceil_div (turn->extents.a, acc_ceil_div (turn->extents.a, turn->height));

  return (gint64) CLAMP (room / 6 / size / (guint64) ((turn->extents.a + turn->height) * turn->extents.inner), 1,
                         (guint64) turn->extents.b);
}

static void
copy_turn (const Turn *turn, gpointer data)
{
  *(Turn *) data = *turn;
}

/* Of the last pass. */
static guint64
measure_resident (AccBackend *backend, AccArray *node)
{
  Turn turn;
  gint64 n_rows;

  each_turn (node, copy_turn, &turn);
  n_rows = choose_heights (&turn, acc_external_get_room (backend), acc_external_measure_rows (node->inputs[0]));

  return measure_source (&turn, n_rows);
}

static AccArray *
dup_read (AccBackend *backend, AccArray *node)
{
  return goes_by_tiles (backend, node) ? NULL : g_object_ref (node->inputs[0]);
}

static const gint64 *
get_extents (const Transpose *self)
{
  return acc_shape_get_extents (self->task.node->inputs[0]->shape, NULL);
}

/* Behind the pass under way. */
static AccShape *
dup_shape (const Transpose *self)
{
  guint rank = self->task.node->rank;
  g_autofree gint64 *turned = g_new0 (gint64, rank + 1);

  for (guint i = 0; i < rank; i++)
    turned[i] = get_extents (self)[self->current[i]];

  return acc_shape_new (turned, rank);
}

static void
clear (gpointer data)
{
  Transpose *self = data;

  g_clear_pointer (&self->band, acc_buffers_free);
  g_clear_object (&self->source);
  g_free (self->order);
  g_free (self->current);
  g_free (self);
}

static Transpose *
new_transpose (const AccExternalTask *task)
{
  Transpose *self = g_new0 (Transpose, 1);
  guint rank = task->node->rank;

  self->task = *task;
  self->order = g_new0 (guint, rank + 1);
  self->current = g_new0 (guint, rank + 1);
  self->turn = (Turn) { .type = task->node->type, .n_buffers = acc_element_type_get_n_buffers (task->node->type) };
  find_order (task->node, self->order);
  for (guint i = 0; i < rank; i++)
    self->current[i] = i;

  return self;
}

/* A pass over @array. FALSE without an error: there is none. */
static gboolean
begin_pass (Transpose *self, AccArray *array, GError **error)
{
  Turn *turn = &self->turn;
  AccBackend *backend = self->task.backend;
  g_autofree char *name = acc_array_describe (self->task.node);
  g_autoptr(AccShape) shape = NULL;

  if (!find_turn (self->order, self->current, get_extents (self), self->task.node->rank, turn))
    return FALSE;
  shape = dup_shape (self);
  g_clear_object (&self->source);
  self->source = g_object_new (ACC_TYPE_TURN_SOURCE, "name", name, NULL);
  self->source->n_rows = choose_heights (turn, acc_external_get_room (backend), acc_external_measure_rows (array));
  turn->store = acc_external_new_store (&self->task, turn->type, shape, "bands", error);
  self->source->turn = *turn;
  if (turn->store == NULL)
    return FALSE;

  acc_source_set_layout (ACC_SOURCE (self->source), turn->type, shape);
  self->done = 0;
  self->band = acc_buffers_allocate (turn->type, turn->height * turn->extents.b * turn->extents.inner,
                                     acc_backend_get_host_budget (backend), "a band", error);

  return self->band != NULL;
}

static gpointer
begin (const AccExternalTask *task, GError **error)
{
  Transpose *self = new_transpose (task);

  if (begin_pass (self, task->node->inputs[0], error))
    return self;
  clear (self);

  return NULL;
}

static AccArray *
end (gpointer data, GError **error)
{
  Transpose *self = data;

  for (;;)
    {
      g_autoptr(AccArray) array = acc_array_new_from_rows (ACC_SOURCE (self->source));
      GError *local = NULL;

      if (begin_pass (self, array, &local))
        {
          if (!acc_external_walk (&self->task, array, &into_bands, self, error))
            return NULL;
          continue;
        }
      if (local == NULL)
        return g_steal_pointer (&array);
      g_propagate_error (error, local);
      return NULL;
    }
}

/* By tiles. */
static AccArray *
compute_transpose (const AccExternalTask *task, GError **error)
{
  Transpose *self = new_transpose (task);
  g_autoptr(AccArray) array = g_object_ref (task->node->inputs[0]);

  while (array != NULL && find_turn (self->order, self->current, get_extents (self), task->node->rank, &self->turn))
    {
      g_autoptr(AccShape) shape = dup_shape (self);
      AccArray *next = acc_tiles_turn (task, array, &self->turn.extents, shape, error);

      g_object_unref (array);
      array = next;
    }
  clear (self);

  return g_steal_pointer (&array);
}

const AccExternal acc_external_transpose = {
  .way = "bands of rows are turned, and read across",
  .takes = take_transpose,
  .leaves = goes_by_tiles,
  .measure_whole = measure_whole,
  .measure_least = measure_least,
  .measure_resident = measure_resident,
  .count_passes = count_passes,
  .compute = compute_transpose,
  .dup_read = dup_read,
  .walk = &into_bands,
  .begin = begin,
  .end = end,
  .clear = clear,
};
