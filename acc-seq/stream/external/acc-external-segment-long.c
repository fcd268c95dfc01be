/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "acc-external-elements-private.h"
#include "acc-external-segments-private.h"
#include "acc-external-walk-private.h"

#include "acc-core/array/acc-array-build-private.h"
#include "acc-core/array/acc-array-private.h"
#include "acc-core/base/acc-ceil-div-private.h"
#include "acc-core/derived/acc-array-fold-segments.h"
#include "acc-core/derived/acc-array-segments-private.h"

/* Segments that are too long to be computed at once. */

/* --- scans on devices */

/* Devices scan a long segment by pieces, each by itself; put in front of each element is what a scan of the sums of the pieces says is
 * before, which goes by parts of as many sums in the same way (acc-backends/skeletons/simt/acc-skeleton-scan-segments-simt.c). So pieces
 * may be given to them one after the other. */

/* Elements of a piece, and sums of a part. */
#define PIECE 4096
/* What a group scans, not a thread alone. */
#define LONG  256

typedef struct {
  const AccExternalLongScan *scan;
  AccExecutable *fold, *prepend;
  AccBlocks      elements;
  gint64         n_done;      /* pieces */
  AccBuffer    **sums;        /* PIECE: those of the part that is under way */
  AccArray      *front;       /* of the part; NULL: nothing */
  AccArray      *before;      /* of the next piece; NULL: nothing */
} Long;

/* --- programs */

AccArray *
acc_external_build_joints (AccArray **inputs, guint n_inputs, gpointer direct)
{
  return acc_array_fold1_seg (inputs[0], inputs[1], acc_external_apply, ((AccArray *) direct)->functions[0]);
}

typedef struct {
  AccArray    *fronts;
  AccFunction *function;
} Fronts;

static AccExpr *
put_in_front (AccExpr *index, AccExpr *x, gpointer data)
{
  const Fronts *self = data;
  AccExpr *front = acc_expr_linear_index (self->fronts, acc_expr_quot (index, acc_array_number (PIECE)));

  return acc_function_apply (self->function, (AccExpr *[]) { front, x });
}

/* Values, and one for each PIECE of them. */
static AccArray *
build_prepend (AccArray **inputs, guint n_inputs, gpointer data)
{
  Fronts fronts = { inputs[1], ((AccArray *) data)->functions[0] };

  return acc_array_imap (inputs[0], put_in_front, &fronts);
}

static AccExecutable *
compile_prepend (const AccExternalTask *task, GError **error)
{
  AccArray *direct = task->node->direct;
  g_autofree char *type = g_strdup_printf ("%s[:]", acc_element_type_get_code (direct->type));
  g_autoptr(AccProgram) program = acc_program_new ((const char *[]) { type, type, NULL }, build_prepend, direct);

  return acc_backend_compile (task->backend, program, task->cancellable, error);
}

/* --- runs */

static AccArray *
run (Long *self, AccExecutable *executable, AccArray *values, AccArray *others, GError **error)
{
  g_autoptr(GPtrArray) results = acc_executable_run_whole (executable, (AccArray *[]) { values, others }, 2,
                                                           self->scan->task->cancellable, error);

  if (results == NULL || !acc_external_fetch (g_ptr_array_index (results, 0), error))
    return NULL;

  return g_object_ref (g_ptr_array_index (results, 0));
}

/* Of @n elements in segments of PIECE, the last of which may be shorter. */
static AccArray *
run_segments (Long *self, AccExecutable *executable, AccArray *values, gint64 n, GError **error)
{
  gint64 n_segments = acc_ceil_div (n, PIECE);
  g_autoptr(AccShape) shape = acc_shape_new_vector (n_segments);
  gint64 *lengths = g_new (gint64, n_segments);
  g_autoptr(GBytes) bytes = NULL;
  g_autoptr(AccArray) array = NULL;

  for (gint64 i = 0; i < n_segments; i++)
    lengths[i] = MIN (PIECE, n - i * PIECE);
  bytes = g_bytes_new_take (lengths, (gsize) n_segments * sizeof *lengths);
  array = acc_array_use (acc_element_type_new (ACC_KIND_I64), shape, bytes);

  return run (self, executable, values, array, error);
}

/* @front . values */
static AccArray *
prepend (Long *self, AccArray *values, AccArray *front, GError **error)
{
  return front != NULL ? run (self, self->prepend, values, front, error) : g_object_ref (values);
}

/* @n elements, the first of which are @first, where there is one, and then those of @values from @at on. */
static AccArray *
copy (AccArray *first, AccArray *values, gint64 at, gint64 n, GError **error)
{
  g_autoptr(AccShape) shape = acc_shape_new_vector (n);
  gint64 n_first = first != NULL;
  g_autofree AccBuffer **buffers = acc_buffers_allocate (values->type, n, NULL, "sums", error);

  if (buffers == NULL)
    return NULL;
  if (first != NULL)
    acc_external_copy (values->type, buffers, 0, acc_array_get_buffers (first), 0, 1);
  acc_external_copy (values->type, buffers, n_first, acc_array_get_buffers (values), at, n - n_first);

  return acc_array_new_manifest (values->type, shape, buffers);
}

/* Sums of all pieces of the part up to each, those of @n more being there from number @at on. */
static AccArray *
scan_sums (Long *self, gint64 at, gint64 n, GError **error)
{
  AccElementType *type = self->scan->direct->type;
  gint64 all = MAX (at + n, LONG);
  g_autoptr(AccArray) sums = NULL, scanned = NULL;

  /* Those behind do not matter. */
  for (gint64 i = at + n; i < all; i++)
    acc_external_copy (type, self->sums, i, self->sums, 0, 1);
  sums = acc_external_new_view (type, self->sums, 0, all);
  scanned = run_segments (self, self->scan->scan, sums, all, error);

  return scanned != NULL ? prepend (self, scanned, self->front, error) : NULL;
}

/* --- pieces */

static gboolean
write_part (Long *self, gint64 first, AccArray *values, gint64 from, gint64 n, GError **error)
{
  return acc_store_write_from (self->scan->result, self->scan->at + first, n, acc_array_get_buffers (values), from, error);
}

/* @n elements from piece number @first on, whose scans @values are, with what is before each piece. */
static gboolean
write_pieces (Long *self, gint64 first, AccArray *values, gint64 n, AccArray *sums, gint64 at, GError **error)
{
  gint64 n_own = self->before == NULL ? MIN (PIECE, n) : 0;
  g_autoptr(AccArray) fronts = NULL, rest = NULL, result = NULL;

  if (n_own > 0 && !write_part (self, first * PIECE, values, 0, n_own, error))
    return FALSE;
  if (n == n_own)
    return TRUE;

  fronts = copy (self->before, sums, at, acc_ceil_div (n - n_own, PIECE), error);
  if (fronts == NULL)
    return FALSE;
  rest = acc_external_new_view (values->type, acc_array_get_buffers (values), n_own, n - n_own);
  result = prepend (self, rest, fronts, error);

  return result != NULL && write_part (self, first * PIECE + n_own, result, 0, n - n_own, error);
}

/* @n_pieces from number @first on, of one part. */
static gboolean
scan_pieces (Long *self, gint64 first, gint64 n_pieces, GError **error)
{
  const AccExternalLongScan *scan = self->scan;
  gint64 n = MIN (n_pieces * PIECE, scan->n - first * PIECE), at = first % PIECE;
  g_autoptr(AccArray) elements = acc_blocks_read (&self->elements, scan->begin + first * PIECE, n, 0, 1, &n, 1, error);
  g_autoptr(AccArray) sums = NULL, scanned_sums = NULL, values = NULL, before = NULL;

  sums = elements != NULL ? run_segments (self, self->fold, elements, n, error) : NULL;
  if (sums == NULL)
    return FALSE;
  acc_external_copy (sums->type, self->sums, at, acc_array_get_buffers (sums), 0, n_pieces);
  scanned_sums = scan_sums (self, at, n_pieces, error);
  values = scanned_sums != NULL ? run_segments (self, scan->scan, elements, n, error) : NULL;
  if (values == NULL || !write_pieces (self, first, values, n, scanned_sums, at, error))
    return FALSE;

  before = copy (NULL, scanned_sums, at + n_pieces - 1, 1, error);
  if (before == NULL)
    return FALSE;
  g_set_object (&self->before, before);
  if (at + n_pieces == PIECE)
    g_set_object (&self->front, before);
  self->n_done = first + n_pieces;

  return TRUE;
}

static gboolean
scan_block (gint64 first, gint64 n, gpointer data, GCancellable *cancellable, GError **error)
{
  Long *self = data;

  /* Some may be done where there was no memory for others. */
  while (self->n_done < first + n)
    if (!scan_pieces (self, self->n_done, MIN (first + n - self->n_done, PIECE - self->n_done % PIECE), error))
      return FALSE;

  return TRUE;
}

gboolean
acc_external_scan_long (const AccExternalLongScan *scan, GError **error)
{
  Long self = { .scan = scan };
  gint64 n_pieces = acc_ceil_div (scan->n, PIECE);
  gboolean done = acc_blocks_init_for (&self.elements, scan->task, scan->elements, 1, error);

  self.sums = done ? acc_buffers_allocate (scan->direct->type, PIECE, acc_backend_get_host_budget (scan->task->backend), "sums", error)
                   : NULL;
  self.fold = self.sums != NULL ? acc_external_compile_segments (scan->task, acc_external_build_joints, error) : NULL;
  self.prepend = self.fold != NULL ? compile_prepend (scan->task, error) : NULL;
  done = self.prepend != NULL
         && acc_blocks_each (n_pieces, MAX (scan->turn / PIECE, 1), scan_block, &self, scan->task->cancellable, error);

  acc_blocks_clear (&self.elements);
  acc_buffers_free (self.sums);
  g_clear_object (&self.fold);
  g_clear_object (&self.prepend);
  g_clear_object (&self.front);
  g_clear_object (&self.before);

  return done;
}

/* --- folds by blocks */

/* The fold of a long segment as those are grouped that a backend composes (acc-core/derived/acc-array-fold-segments.c): blocks from its
 * begin, and blocks of blocks, are folded and stored, one level after the other. What is left is few: the largest blocks, the smaller ones
 * behind these, and single elements at its end, which are folded in this order. */

#define BLOCK (G_GINT64_CONSTANT (1) << ACC_SEGMENTS_BLOCK_BITS)

/* Elements, blocks of them, or blocks of blocks: those of the segment. */
typedef struct {
  AccArray *values;    /* owned */
  gint64    first, n;  /* of .values */
} Level;

static gint64
count_blocks (gint64 n, guint level)
{
  return n >> (level * ACC_SEGMENTS_BLOCK_BITS);
}

/* Each block of @below, of which there are @n. */
static AccArray *
fold_blocks (const AccExternalTask *task, AccArray *direct, const Level *below, gint64 n, GError **error)
{
  g_autoptr(AccArray) rows = acc_external_new_part (below->values, below->first, (gint64[]) { n, BLOCK }, 2);
  g_autoptr(AccArray) folded = acc_array_fold1 (rows, acc_external_apply, direct->functions[0]);

  return acc_external_keep (task, folded, "blocks of a segment", error);
}

/* Puts the last @n of @level behind @at others. */
static gboolean
take_rest (const AccExternalTask *task, const Level *level, gint64 n, AccBuffer **rest, gint64 at, GError **error)
{
  g_auto(AccBlocks) blocks = { NULL, };
  g_autoptr(AccArray) values = NULL;

  if (n == 0)
    return TRUE;
  if (!acc_blocks_init_for (&blocks, task, level->values, 1, error))
    return FALSE;
  values = acc_blocks_read (&blocks, level->first + level->n - n, n, 0, 1, &n, 1, error);
  if (values != NULL)
    acc_external_copy (values->type, rest, at, acc_array_get_buffers (values), 0, n);

  return values != NULL;
}

/* What is left of all levels, the largest blocks first. */
static AccArray *
join_rests (const AccExternalTask *task, AccElementType *type, const Level *levels, guint n_levels, GError **error)
{
  gint64 all = 0, at = 0, counts[ACC_SEGMENTS_LEVELS + 1];
  AccBuffer **rest;
  gboolean done = TRUE;
  AccArray *vector = NULL;

  for (guint i = 0; i <= n_levels; i++)
    {
      counts[i] = i == n_levels ? levels[i].n : levels[i].n % BLOCK;
      all += counts[i];
    }
  rest = acc_buffers_allocate (type, all, acc_backend_get_host_budget (task->backend), "blocks of a segment", error);
  if (rest == NULL)
    return NULL;
  for (guint i = n_levels + 1; i-- > 0 && done; at += counts[i])
    done = take_rest (task, &levels[i], counts[i], rest, at, error);
  if (done)
    vector = acc_external_new_view (type, rest, 0, all);
  acc_buffers_free (rest);

  return vector;
}

AccArray *
acc_external_fold_blocks (const AccExternalTask *task, AccArray *direct, AccArray *elements, gint64 first, gint64 n, GError **error)
{
  Level levels[ACC_SEGMENTS_LEVELS + 1] = { { g_object_ref (elements), first, n } };
  guint n_levels = 0;
  gboolean done = TRUE;
  AccArray *vector = NULL;

  while (done && n_levels < ACC_SEGMENTS_LEVELS && count_blocks (n, n_levels + 1) > 0)
    {
      Level *own = &levels[n_levels + 1];

      own->n = count_blocks (n, n_levels + 1);
      own->values = fold_blocks (task, direct, &levels[n_levels], own->n, error);
      done = own->values != NULL;
      n_levels += done;
    }
  if (done)
    vector = join_rests (task, direct->inputs[0]->type, levels, n_levels, error);
  for (guint i = 0; i <= n_levels; i++)
    g_object_unref (levels[i].values);

  return vector;
}
