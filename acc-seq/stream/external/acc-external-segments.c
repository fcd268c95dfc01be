/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "acc-external-blocks-private.h"
#include "acc-external-elements-private.h"
#include "acc-external-segments-private.h"
#include "acc-external-walk-private.h"

#include "acc-core/array/acc-array-build-private.h"
#include "acc-core/derived/acc-array-fold-segments.h"
#include "acc-core/derived/acc-array-scan.h"
#include "acc-core/derived/acc-array-scan-segments.h"
#include "acc-core/expr/acc-function-private.h"
#include "acc-error.h"
#include "acc-seq/stream/acc-plan-private.h"
#include "acc-seq/stream/acc-stages-private.h"

#include <string.h>

/* Folds and scans of segments of a vector: elements are read once, in order. As many segments as are there whole, and have room, are given
 * to the backend at once. One that is longer than that goes in pieces: the value of a piece takes the place of its elements, and is the
 * first element of the next. How floats of a segment are grouped does not depend on what lies beside it, but on where it is cut: one that
 * has them, and is longer, is computed as a vector by itself, which is grouped as a segment is, and elements are stored for that; but for
 * scans on devices. */

/* Elements of a run, or segments. */
#define LEAST 64
/* What takes memory besides elements that are there: what the backend makes of them, and rows that come. */
#define PARTS 8
#define LEAST_BYTES (32 * 1024)

typedef struct {
  const AccExternalTask *task;
  AccArray       *direct;          /* borrowed */
  AccElementType *type;
  guint           n_buffers;
  gboolean        is_scan;
  AccExecutable  *segments, *join; /* of segments; of one without the initial value */

  AccBlocks   offsets;
  AccArray   *window;              /* offsets from .window_first on, segments + 1 */
  gint64      window_first, window_segments, most_segments;
  AccBuffer **lengths;             /* i8, .most_segments */
  gint64      n_segments, next;    /* of the walk; which is not complete */

  AccBuffer **elements;
  gint64      capacity, n, turn;   /* elements that there is room for, that are there, that the backend gets at once */
  gint64      base;                /* element of the vector that the walk begins with */
  gint64      position, done;      /* of the vector: that come next, that a result has */
  gint64      end;                 /* of the last segment */
  gboolean    is_open;             /* the first of .elements is the value of what the segment had before */
  gboolean    rounds;              /* pieces would show */
  gboolean    is_too_long;         /* the next segment, which stopped the walk */
  AccArray   *stored;              /* owned: all elements, once there was a long segment */

  AccStore   *result;
  gint64      n_written;
  guint64     held;
} Segments;

/* --- programs */

AccArray *
acc_external_build_segments (AccArray **inputs, guint n_inputs, gpointer data)
{
  AccArray *direct = data;
  AccFunction *function = direct->functions[0];

  if (direct->op == ACC_OP_SCANL1_SEG)
    return acc_array_scanl1_seg (inputs[0], inputs[1], acc_external_apply, function);

  if (direct->op == ACC_OP_FOLD1_SEG)
    return acc_array_keep_commutes (acc_array_fold1_seg (inputs[0], inputs[1], acc_external_apply, function), function);

  return acc_array_keep_commutes (acc_array_fold_seg (inputs[0], acc_function_apply (direct->functions[1], NULL), inputs[1],
                                                      acc_external_apply, function), function);
}

AccExecutable *
acc_external_compile_segments (const AccExternalTask *task, AccArrayFunc build, GError **error)
{
  AccArray *direct = task->node->direct;
  g_autofree char *elements = g_strdup_printf ("%s%s", acc_element_type_get_code (direct->inputs[0]->type),
                                               direct->inputs[0]->rank == 1 ? "[:]" : "[:,:]");
  g_autoptr(AccProgram) program = acc_program_new ((const char *[]) { elements, "i8[:]", NULL }, build, direct);

  return acc_backend_compile (task->backend, program, task->cancellable, error);
}

/* --- what comes next */

static gint64
get_offset (Segments *self, gint64 segment)
{
  return ((const gint64 *) acc_array_get_buffers (self->window)[0]->data)[segment - self->window_first];
}

/* Reads offsets of segments from .next on. */
static gboolean
move_window (Segments *self, GError **error)
{
  gint64 n = MIN (self->most_segments, self->n_segments - self->next);

  g_clear_object (&self->window);
  self->window = acc_blocks_read (&self->offsets, self->next, n + 1, 0, 1, &(gint64) { n + 1 }, 1, error);
  self->window_first = self->next;
  self->window_segments = n;

  return self->window != NULL;
}

/* Segments whose elements from element @at of those that are here on are all here, as many as have room; @n: their elements. */
static gint64
count_complete (Segments *self, gint64 at, gint64 *n)
{
  gint64 here = self->n - at, most = self->window_first + self->window_segments - self->next, k;
  gint64 *lengths = (gint64 *) self->lengths[0]->data;

  *n = 0;
  for (k = 0; k < most; k++)
    {
      gint64 end = get_offset (self, self->next + k + 1) - self->done + self->is_open;

      if (end > here || end > self->turn)
        break;
      lengths[k] = end - *n;
      *n = end;
    }

  return k;
}

/* --- the backend */

/* Of @n elements from @at on, in @k segments. Memory that is held is let go meanwhile. */
static AccArray *
run (Segments *self, AccExecutable *executable, gint64 at, gint64 n, gint64 k, GCancellable *cancellable, GError **error)
{
  g_autoptr(AccArray) elements = acc_external_new_view (self->type, self->elements, at, n),
    lengths = acc_external_new_view (acc_element_type_new (ACC_KIND_I64), self->lengths, 0, k);
  g_autoptr(GPtrArray) results = NULL;
  guint64 held = self->held;

  acc_external_hold_runs (self->task->backend, &self->held, 0);
  results = acc_executable_run_whole (executable, (AccArray *[]) { elements, lengths }, 2, cancellable, error);
  if (results != NULL && !acc_external_fetch (g_ptr_array_index (results, 0), error))
    g_clear_pointer (&results, g_ptr_array_unref);
  acc_external_hold_runs (self->task->backend, &self->held, held);

  return results != NULL ? g_object_ref (g_ptr_array_index (results, 0)) : NULL;
}

/* FALSE without an error: there is no memory for so much at once, and there may be for less. */
static gboolean
may_do_less (Segments *self, GError *local, GError **error)
{
  if (!g_error_matches (local, ACC_ERROR, ACC_ERROR_OUT_OF_MEMORY) || MAX (self->turn, self->most_segments) <= LEAST)
    {
      g_propagate_error (error, local);
      return FALSE;
    }
  g_error_free (local);
  self->turn = MAX (self->turn / 2, LEAST);
  self->most_segments = MAX (self->most_segments / 2, LEAST);

  return move_window (self, error);
}

static gboolean
write_result (Segments *self, AccArray *result, gint64 first, gint64 n, GError **error)
{
  if (n > 0 && !acc_store_write_from (self->result, self->n_written, n, acc_array_get_buffers (result), first, error))
    return FALSE;
  self->n_written += n;

  return TRUE;
}

/* @k whole segments with @n elements from *@at on. */
static gboolean
run_segments (Segments *self, gint64 *at, gint64 n, gint64 k, GCancellable *cancellable, GError **error)
{
  GError *local = NULL;
  g_autoptr(AccArray) result = run (self, self->segments, *at, n, k, cancellable, &local);

  if (result == NULL)
    return may_do_less (self, local, error);
  if (!write_result (self, result, self->is_scan ? self->is_open : 0, self->is_scan ? n - self->is_open : k, error))
    return FALSE;

  *at += n;
  self->done += n - self->is_open;
  self->next += k;
  self->is_open = FALSE;

  return self->next < self->window_first + self->window_segments || move_window (self, error);
}

/* A piece of a segment from *@at on, whose value goes to the place of its last element. */
static gboolean
run_piece (Segments *self, gint64 *at, GCancellable *cancellable, GError **error)
{
  GError *local = NULL;
  gint64 n = self->turn, last = self->is_scan ? n - 1 : 0;
  g_autoptr(AccArray) result = NULL;

  ((gint64 *) self->lengths[0]->data)[0] = n;
  result = run (self, self->join, *at, n, 1, cancellable, &local);
  if (result == NULL)
    return may_do_less (self, local, error);
  if (self->is_scan && !write_result (self, result, self->is_open, n - self->is_open, error))
    return FALSE;

  *at += n - 1;
  acc_external_copy (self->type, self->elements, *at, acc_array_get_buffers (result), last, 1);
  self->done += n - self->is_open;
  self->is_open = TRUE;

  return TRUE;
}

/* All that is complete; the rest comes to the front. */
static gboolean
process (gpointer data, GCancellable *cancellable, GError **error)
{
  Segments *self = data;
  gint64 at = 0;

  while (self->next < self->n_segments)
    {
      gint64 n, k = count_complete (self, at, &n);

      if (k == 0 && self->n - at < self->turn)
        break;
      if (k == 0 && self->rounds)
        {
          self->is_too_long = TRUE;
          g_set_error (error, ACC_ERROR, ACC_ERROR_OUT_OF_MEMORY, "no memory for segment %" G_GINT64_FORMAT, self->next);
          return FALSE;
        }
      if (!(k > 0 ? run_segments (self, &at, n, k, cancellable, error) : run_piece (self, &at, cancellable, error)))
        return FALSE;
    }

  self->n -= at;
  acc_external_copy (self->type, self->elements, 0, self->elements, at, self->n);

  return TRUE;
}

/* --- the walk */

static gboolean
add_rows (gpointer data, AccChunk *chunk, GCancellable *cancellable, GError **error)
{
  Segments *self = data;
  gint64 first = self->base + acc_chunk_get_first_row (chunk), end = MIN (first + acc_chunk_get_n_rows (chunk), self->end), n;

  for (self->position = MAX (self->position, first); self->position < end; self->position += n)
    {
      n = MIN (end - self->position, self->capacity - self->n);
      for (guint i = 0; i < self->n_buffers; i++)
        {
          gsize width = acc_element_type_get_buffer_size (self->type, i);

          memcpy ((guint8 *) self->elements[i]->data + (gsize) self->n * width,
                  (const guint8 *) (guintptr) acc_chunk_get_address (chunk, i) + (gsize) (self->position - first) * width,
                  (gsize) n * width);
        }
      self->n += n;
      if (self->n == self->capacity && !process (self, cancellable, error))
        return FALSE;
    }

  return TRUE;
}

static const AccExternalWalk by_segments = { "segments", add_rows, process };

/* --- the algorithm */

gboolean
acc_external_is_of_segments (AccArray *direct)
{
  return direct != NULL && !acc_external_needs_arrays (direct)
         && (direct->op == ACC_OP_FOLD_SEG || direct->op == ACC_OP_FOLD1_SEG || direct->op == ACC_OP_SCANL1_SEG);
}

static gboolean
is_of_segments (AccArray *node)
{
  return node->rank == 1 && acc_external_is_of_segments (node->direct);
}

static AccArray **
take_segments (AccArray *node, guint *n_inputs)
{
  AccArray *direct = node->direct;

  *n_inputs = 2;
  if (!is_of_segments (node) || direct->inputs[0]->shape == NULL || direct->inputs[1]->shape == NULL || node->shape == NULL)
    return NULL;

  return direct->inputs;
}

static gboolean
keeps_groups (AccArray *node)
{
  return is_of_segments (node) && !acc_element_type_is_exact (node->type);
}

/* With what is made of elements and offsets meanwhile. */
static guint64
measure_whole (AccArray *node)
{
  guint64 bytes = acc_bytes_multiply (acc_external_get_bytes (node->direct->inputs[0]), 4);

  bytes = acc_bytes_add (bytes, acc_bytes_multiply (acc_external_get_bytes (node->direct->inputs[1]), 3));

  return acc_bytes_add (bytes, acc_bytes_multiply (acc_external_get_bytes (node), 2));
}

static guint64
measure_least (AccArray *node)
{
  return acc_bytes_add (acc_bytes_add (LEAST_BYTES, acc_external_measure_rows (node)),
                        acc_bytes_multiply (acc_element_type_get_size (node->type), PARTS * LEAST));
}

static gboolean
allocate (Segments *self, GError **error)
{
  AccBudget *budget = acc_backend_get_host_budget (self->task->backend);
  guint64 room = acc_external_get_room (self->task->backend), rows = acc_external_measure_rows (self->direct->inputs[0]),
    part = room == G_MAXUINT64 ? 256 << 20 : (room > rows ? room - rows : 0) / PARTS,
    size = MAX ((guint64) acc_element_type_get_size (self->type), 1);

  self->turn = self->capacity = (gint64) CLAMP (part / size, LEAST, MAX (acc_external_get_size (self->direct->inputs[0]), LEAST));
  self->most_segments = (gint64) CLAMP (part / 4 / sizeof (gint64), LEAST, (guint64) MAX (self->n_segments, LEAST));
  self->elements = acc_buffers_allocate (self->type, self->capacity, budget, "segments", error);
  if (self->elements == NULL)
    return FALSE;
  self->lengths = acc_buffers_allocate (acc_element_type_new (ACC_KIND_I64), self->most_segments, budget, "lengths of segments", error);
  if (self->lengths == NULL)
    return FALSE;
  acc_external_hold_runs (self->task->backend, &self->held, part * (PARTS / 2));

  return TRUE;
}

/* --- walks, and long segments between them */

/* Where the last segment of the walk ends, where the first begins. */
static gboolean
find_ends (Segments *self, GError **error)
{
  g_autoptr(AccArray) last = acc_blocks_read (&self->offsets, self->n_segments, 1, 0, 1, &(gint64) { 1 }, 1, error);

  if (last == NULL)
    return FALSE;
  self->end = *(const gint64 *) acc_array_get_buffers (last)[0]->data;
  self->position = self->done = get_offset (self, self->next);
  self->n = 0;

  return TRUE;
}

static gboolean
refuse_end (Segments *self, gint64 end, GError **error)
{
  g_set_error (error, ACC_ERROR, ACC_ERROR_BOUNDS, "segments end at %" G_GINT64_FORMAT ", behind the last element", end);

  return FALSE;
}

/* The next of @n_segments that is too long to be computed at once; -1: an error. */
static gint64
find_long (Segments *self, gint64 n_segments, GError **error)
{
  gint64 n;

  for (gint64 first = self->next; first < n_segments; first += n)
    {
      g_autoptr(AccArray) window = NULL;
      const gint64 *offsets;

      n = MIN (self->most_segments, n_segments - first);
      window = acc_blocks_read (&self->offsets, first, n + 1, 0, 1, &(gint64) { n + 1 }, 1, error);
      if (window == NULL)
        return -1;
      offsets = (const gint64 *) acc_array_get_buffers (window)[0]->data;
      for (gint64 k = 0; k < n; k++)
        if (offsets[k + 1] - offsets[k] > self->turn)
          return first + k;
    }

  return n_segments;
}

/* Whether long segments are scanned by pieces. */
static gboolean
scans_pieces (Segments *self)
{
  return self->is_scan && acc_backend_is_apart (self->task->backend);
}

/* Whether long segments are folded by blocks. */
static gboolean
folds_blocks (Segments *self)
{
  return !self->is_scan && acc_backend_composes_segments (self->task->backend);
}

static gboolean
store_elements (Segments *self, GError **error)
{
  g_autoptr(GPtrArray) inputs = NULL;

  if (self->stored != NULL)
    return TRUE;
  if (scans_pieces (self) || folds_blocks (self))
    {
      self->stored = acc_external_keep (self->task, self->direct->inputs[0], "elements", error);
      return self->stored != NULL;
    }
  inputs = acc_stages_run (self->task->backend, self->direct->inputs, 1, ACC_STAGES_SOURCES, 0, NULL, self->task->cancellable, error);
  if (inputs != NULL)
    self->stored = g_object_ref (g_ptr_array_index (inputs, 0));

  return inputs != NULL;
}

/* The segments up to number @end. */
static gboolean
walk_segments (Segments *self, gint64 end, GError **error)
{
  g_autoptr(AccArray) part = NULL;
  gint64 n;

  self->n_segments = end;
  if (!move_window (self, error) || !find_ends (self, error))
    return FALSE;
  self->base = self->stored != NULL ? self->position : 0;
  n = self->end - self->base;
  if (self->base < 0 || n < 0 || self->end > acc_shape_get_size (self->direct->inputs[0]->shape))
    return refuse_end (self, self->end, error);
  if (self->stored != NULL)
    part = acc_external_new_part (self->stored, self->base, &n, 1);

  return acc_external_walk (self->task, part != NULL ? part : self->direct->inputs[0], &by_segments, self, error);
}

static AccArray *
build_long (Segments *self, AccArray *elements)
{
  AccArray *direct = self->direct;
  AccFunction *function = direct->functions[0];

  if (self->is_scan)
    return acc_array_scanl1 (elements, acc_external_apply, function);

  if (direct->op == ACC_OP_FOLD1_SEG)
    return acc_array_keep_commutes (acc_array_fold1_all (elements, acc_external_apply, function), function);

  return acc_array_keep_commutes (acc_array_fold_all (elements, acc_function_apply (direct->functions[1], NULL), acc_external_apply,
                                                      function), function);
}

/* The next one, by itself. */
static gboolean
compute_long (Segments *self, GError **error)
{
  g_autoptr(AccArray) elements = NULL, built = NULL;
  guint64 held = self->held;
  gint64 begin, n;
  gboolean done;

  if (!store_elements (self, error) || !move_window (self, error))
    return FALSE;
  begin = get_offset (self, self->next);
  n = get_offset (self, self->next + 1) - begin;
  if (begin < 0 || begin + n > acc_shape_get_size (self->stored->shape))
    return refuse_end (self, begin + n, error);

  acc_external_hold_runs (self->task->backend, &self->held, 0);
  if (scans_pieces (self))
    {
      done = acc_external_scan_long (&(AccExternalLongScan) { self->task, self->direct, self->stored, self->segments, begin, n, self->turn,
                                                              self->result, self->n_written }, error);
    }
  else
    {
      elements = folds_blocks (self)
                   ? acc_external_fold_blocks (self->task, self->direct, self->stored, begin, n, error)
                   : acc_external_new_part (self->stored, begin, &n, 1);
      built = elements != NULL ? build_long (self, elements) : NULL;
      done = built != NULL && acc_external_fill_part (self->task, built, self->result, self->n_written, error);
    }
  acc_external_hold_runs (self->task->backend, &self->held, held);
  self->n_written += self->is_scan ? n : 1;
  self->next++;

  return done;
}

static gboolean
run_all (Segments *self, GError **error)
{
  gint64 all = self->n_segments;

  while (self->next < all)
    {
      GError *local = NULL;
      gint64 end;

      self->n_segments = all;
      end = self->rounds ? find_long (self, all, error) : all;
      if (end < 0 || (end < all && !store_elements (self, error)))
        return FALSE;
      if (end == self->next)
        {
          if (!compute_long (self, error))
            return FALSE;
        }
      else if (!walk_segments (self, end, &local))
        {
          if (!self->is_too_long)
            {
              g_propagate_error (error, local);
              return FALSE;
            }
          g_clear_error (&local);
          self->is_too_long = FALSE;
          if (!store_elements (self, error))
            return FALSE;
        }
      else if (self->next < end)
        {
          return refuse_end (self, self->end, error);
        }
    }

  return self->n_written == acc_shape_get_size (self->task->node->shape) || refuse_end (self, self->end, error);
}

static gboolean
compute_all (Segments *self, GError **error)
{
  AccArray *node = self->task->node;

  if (!acc_blocks_init_for (&self->offsets, self->task, self->direct->inputs[1], 1, error))
    return FALSE;
  self->segments = acc_external_compile_segments (self->task, acc_external_build_segments, error);
  if (self->segments != NULL)
    self->join = acc_external_compile_segments (self->task, self->is_scan ? acc_external_build_segments : acc_external_build_joints, error);
  if (self->join == NULL || !allocate (self, error))
    return FALSE;
  self->result = acc_external_new_store (self->task, self->type, node->shape, "a store", error);

  return self->result != NULL && run_all (self, error);
}

static AccArray *
compute_segments (const AccExternalTask *task, GError **error)
{
  AccArray *direct = task->node->direct;
  Segments self = { .task = task, .direct = direct, .type = task->node->type,
                    .n_buffers = acc_element_type_get_n_buffers (task->node->type), .rounds = !acc_element_type_is_exact (task->node->type),
                    .is_scan = direct->op == ACC_OP_SCANL1_SEG,
                    .n_segments = acc_shape_get_size (direct->inputs[1]->shape) - 1 };
  AccArray *result = NULL;

  if (compute_all (&self, error))
    result = acc_store_dup_array (self.result, error);

  acc_external_hold_runs (task->backend, &self.held, 0);
  acc_buffers_free (self.elements);
  acc_buffers_free (self.lengths);
  g_clear_object (&self.window);
  g_clear_object (&self.stored);
  g_clear_object (&self.segments);
  g_clear_object (&self.join);
  g_clear_pointer (&self.result, acc_store_unref);
  acc_blocks_clear (&self.offsets);

  return result;
}

const AccExternal acc_external_segments = {
  .way = "segments are read in order, as many at once as fit",
  .leaves_store = TRUE,
  .takes = take_segments,
  .keeps_groups = keeps_groups,
  .measure_whole = measure_whole,
  .measure_least = measure_least,
  .n_written = 1,
  .compute = compute_segments,
};
