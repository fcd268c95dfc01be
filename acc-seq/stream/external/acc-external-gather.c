/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "acc-external-elements-private.h"
#include "acc-external-lists-private.h"
#include "acc-external-read-private.h"

#include "acc-core/array/acc-array-build-private.h"
#include "acc-core/base/acc-ceil-div-private.h"
#include "acc-seq/stream/acc-plan-private.h"

#include <math.h>
#include <string.h>

/* Gathers from what is larger than memory. Requests, a target and a place each, go to lists, one for each part of the source that fits in
 * memory. The source is read once, in order: each part answers its list, by an element for each target. Targets ascend in a list, so that
 * a part of the result is made of one piece of the answers of each list. */

#define LEAST_BLOCK 16
#define LEAST_BYTES (64 * 1024)
/* Places that are looked up at once. */
#define PIECE       1024
/* What reading one element of a mapped store reads. */
#define PAGE_BYTES  4096

typedef struct {
  const AccExternalTask *task;
  AccExternalRead read;
  AccElementType *type, *answer_type;   /* of elements; of a target, and an element */
  guint      n_buffers;
  gint64     n_source, n_targets;       /* elements of the source, of the result */
  gint64     part, turn;                /* of the source; answers that are written or read at once */
  guint      n_parts;
  AccExternalLists requests;            /* a target, and a place in the part */
  AccStore  *answers;                   /* list after list */
  gint64    *begins;                    /* of each list in it */
} Gather;

/* --- which nodes */

/* The index of a backpermute that reads no elements goes through its input in some order, mostly. */
static gboolean
find_read (AccArray *node, AccExternalRead *read)
{
  return acc_external_find_read (node, read) && read->array->rank > 0 && read->array->shape != NULL
         && (node->op != ACC_OP_BACKPERMUTE || acc_external_reads_elements (node));
}

static AccArray **
take_gather (AccArray *node, guint *n_inputs)
{
  AccExternalRead read;

  return find_read (node, &read) ? acc_external_get_read_inputs (node, n_inputs) : NULL;
}

/* Few elements of a store are read where they are. */
static guint64
measure_whole (AccArray *node)
{
  guint64 bytes, n = acc_external_get_size (node);
  AccExternalRead read;

  if (!find_read (node, &read) || n == 0 || acc_external_is_in_memory (read.array))
    return 0;
  bytes = acc_external_get_bytes (read.array);

  return acc_store_holds (read.array) && acc_bytes_multiply (n, PAGE_BYTES) < bytes ? 0 : acc_bytes_multiply (bytes, 2);
}

static AccElementType *
get_request_type (void)
{
  return acc_element_type_new_tuple ((AccElementType *[]) { acc_element_type_new (ACC_KIND_I64), acc_element_type_new (ACC_KIND_U32) }, 2);
}

/* A block for each part has to fit, and there are as many parts as do not fit. */
static guint64
measure_least (AccArray *node)
{
  double item = (double) acc_element_type_get_size (get_request_type ());
  AccExternalRead read;

  find_read (node, &read);

  return acc_bytes_add (acc_external_measure_rows (node),
                        LEAST_BYTES + (guint64) (sqrt ((double) acc_external_get_bytes (read.array) * item * 2 * 4 * LEAST_BLOCK)));
}

/* --- requests */

typedef struct {
  Gather *gather;
  gint64  n;                  /* targets so far */
} Requests;

static gboolean
add_places (gpointer data, const gint64 *places, gint64 n, GError **error)
{
  Requests *self = data;
  Gather *gather = self->gather;

  for (gint64 i = 0; i < n; i++, self->n++)
    {
      guint part = (guint) (places[i] / gather->part);
      gint64 at = acc_external_lists_add (&gather->requests, part, error);

      if (at < 0)
        return FALSE;
      ((gint64 *) gather->requests.blocks[0]->data)[at] = self->n;
      ((guint32 *) gather->requests.blocks[1]->data)[at] = (guint32) (places[i] - part * gather->part);
    }

  return TRUE;
}

static gboolean
write_requests (Gather *self, GError **error)
{
  Requests requests = { self, 0 };

  return acc_external_walk_places (self->task, &self->read, "parts of what is gathered", add_places, &requests, error)
         && acc_external_lists_finish (&self->requests, error);
}

/* --- answers */

typedef struct {
  Gather     *gather;
  AccBuffer **part;           /* of the source */
  AccBuffer **requests;       /* a block of them */
  AccBuffer **answers;        /* .turn of them */
  gint64      n_read, n_answers, n_written;
} Answers;

static gboolean
write_answers (Answers *self, GError **error)
{
  Gather *gather = self->gather;

  if (self->n_answers == 0)
    return TRUE;
  if (!acc_store_write_from (gather->answers, self->n_written, self->n_answers, self->answers, 0, error))
    return FALSE;
  self->n_written += self->n_answers;
  self->n_answers = 0;

  return TRUE;
}

/* Requests [first, first + n) of the block. */
static void
answer (Answers *self, gint64 first, gint64 n)
{
  const gint64 *targets = self->requests[0]->data;
  const guint32 *in_part = self->requests[1]->data;
  gint64 places[PIECE], m;

  memcpy ((gint64 *) self->answers[0]->data + self->n_answers, targets + first, (gsize) n * sizeof (gint64));
  for (gint64 at = 0; at < n; at += m)
    {
      m = MIN (n - at, PIECE);
      for (gint64 i = 0; i < m; i++)
        places[i] = in_part[first + at + i];
      acc_external_copy_places (self->gather->type, self->answers + 1, self->n_answers + at, self->part, places, m);
    }
  self->n_answers += n;
}

/* All requests of a part, which is in memory. */
static gboolean
answer_part (Answers *self, guint part, GError **error)
{
  Gather *gather = self->gather;
  gint64 n, m;

  gather->begins[part] = self->n_written + self->n_answers;
  for (guint nth = 0; nth < gather->requests.begins[part]->len; nth++)
    {
      if (!acc_external_lists_read (&gather->requests, part, nth, self->requests, 0, &n, error))
        return FALSE;
      for (gint64 first = 0; first < n; first += m)
        {
          m = MIN (n - first, gather->turn - self->n_answers);
          answer (self, first, m);
          if (self->n_answers == gather->turn && !write_answers (self, error))
            return FALSE;
        }
    }

  return TRUE;
}

/* Elements of the source. */
static gboolean
add_rows (gpointer data, AccChunk *chunk, GCancellable *cancellable, GError **error)
{
  Answers *self = data;
  Gather *gather = self->gather;
  gint64 n = acc_chunk_get_n_rows (chunk) * acc_chunk_get_row_elements (chunk), m;

  for (gint64 at = 0; at < n; at += m)
    {
      guint part = (guint) (self->n_read / gather->part);
      gint64 here = self->n_read % gather->part;

      m = MIN (n - at, gather->part - here);
      for (guint k = 0; k < gather->n_buffers && gather->requests.n_items[part] > 0; k++)
        {
          gsize width = acc_element_type_get_buffer_size (gather->type, k);

          if (width > 0)
            memcpy ((guint8 *) self->part[k]->data + (gsize) here * width,
                    (const guint8 *) (guintptr) acc_chunk_get_address (chunk, k) + (gsize) at * width, (gsize) m * width);
        }
      self->n_read += m;
      if ((here + m == gather->part || self->n_read == gather->n_source) && !answer_part (self, part, error))
        return FALSE;
    }

  return TRUE;
}

static gboolean
finish_answers (gpointer data, GCancellable *cancellable, GError **error)
{
  return write_answers (data, error);
}

static const AccExternalWalk into_answers = { "answers", add_rows, finish_answers };

static gboolean
write_all_answers (Gather *self, GError **error)
{
  AccBudget *budget = acc_backend_get_host_budget (self->task->backend);
  Answers answers = { .gather = self };
  gboolean done;

  answers.part = acc_buffers_allocate (self->type, self->part, budget, "a part of what is gathered", error);
  if (answers.part != NULL)
    answers.requests = acc_buffers_allocate (self->requests.type, self->requests.block, budget, "requests", error);
  if (answers.requests != NULL)
    answers.answers = acc_buffers_allocate (self->answer_type, self->turn, budget, "answers", error);
  done = answers.answers != NULL && acc_external_walk (self->task, self->read.array, &into_answers, &answers, error);
  self->begins[self->n_parts] = answers.n_written;
  acc_buffers_free (answers.answers);
  acc_buffers_free (answers.requests);
  acc_buffers_free (answers.part);

  return done;
}

/* --- the result */

typedef struct {
  Gather     *gather;
  AccBuffer **result;         /* a part of it: */
  gint64      first, n;
  AccBuffer **answers;        /* .turn of them */
  gint64     *next, *targets; /* of each list: the first answer that has no place yet, and its target */
} Result;

/* Answers [0, n), as far as they are in the part. Returns how many. */
static gint64
place_answers (Result *self, gint64 n)
{
  AccElementType *type = self->gather->type;
  const gint64 *targets = self->answers[0]->data;
  gint64 m = 0;

  while (m < n && targets[m] < self->first + self->n)
    m++;
  for (guint k = 0; k < self->gather->n_buffers; k++)
    {
      gsize width = acc_element_type_get_buffer_size (type, k);
      guint8 *to = self->result[k]->data;
      const guint8 *from = self->answers[k + 1]->data;

      for (gint64 i = 0; i < m && width > 0; i++)
        memcpy (to + (gsize) (targets[i] - self->first) * width, from + (gsize) i * width, width);
    }

  return m;
}

static gboolean
place_list (Result *self, guint part, GError **error)
{
  Gather *gather = self->gather;
  gint64 end = gather->begins[part + 1], n, m;

  while (self->next[part] < end && self->targets[part] < self->first + self->n)
    {
      n = MIN (gather->turn, end - self->next[part]);
      if (!acc_store_read_to (gather->answers, self->next[part], n, self->answers, 0, error))
        return FALSE;
      m = place_answers (self, n);
      self->next[part] += m;
      if (m < n)
        self->targets[part] = ((const gint64 *) self->answers[0]->data)[m];
    }

  return TRUE;
}

static gboolean
write_result (Result *self, gint64 n, AccStore *result, GError **error)
{
  Gather *gather = self->gather;

  for (self->first = 0; self->first < gather->n_targets; self->first += self->n)
    {
      self->n = MIN (n, gather->n_targets - self->first);
      for (guint part = 0; part < gather->n_parts; part++)
        if (!place_list (self, part, error))
          return FALSE;
      if (g_cancellable_set_error_if_cancelled (gather->task->cancellable, error)
          || !acc_store_write_from (result, self->first, self->n, self->result, 0, error))
        return FALSE;
    }

  return TRUE;
}

/* Answers are read with what comes after a piece: pieces are not much shorter than what is read. */
static gboolean
place_all_answers (Gather *self, AccStore *store, GError **error)
{
  AccBudget *budget = acc_backend_get_host_budget (self->task->backend);
  guint64 room = acc_external_get_room (self->task->backend), size = acc_element_type_get_size (self->type);
  gint64 n = (gint64) CLAMP (room / 2 / MAX (size, 1), 1, (guint64) self->n_targets), n_pieces;
  g_autofree gint64 *next = g_memdup2 (self->begins, self->n_parts * sizeof (gint64)), *targets = g_new0 (gint64, self->n_parts + 1);
  Result result = { .gather = self, .next = next, .targets = targets };
  gboolean done;

  n_pieces = acc_ceil_div (self->n_targets, n) * self->n_parts;
  self->turn = CLAMP (acc_ceil_div (self->n_targets, n_pieces), 1, (gint64) MAX (room / 8 / (size + sizeof (gint64)), 1));
  result.result = acc_buffers_allocate (self->type, n, budget, "a part of the result", error);
  if (result.result != NULL)
    result.answers = acc_buffers_allocate (self->answer_type, self->turn, budget, "answers", error);
  done = result.answers != NULL && write_result (&result, n, store, error);
  acc_buffers_free (result.answers);
  acc_buffers_free (result.result);

  return done;
}

/* --- the algorithm */

static void
choose_sizes (Gather *self)
{
  guint64 room = acc_external_get_room (self->task->backend), rows = acc_external_measure_rows (self->task->node),
    left = room > rows ? room - rows : 0, size = MAX ((guint64) acc_element_type_get_size (self->type), 1),
    request = acc_element_type_get_size (get_request_type ());

  self->part = (gint64) CLAMP (left / 4 / size, 1, (guint64) MIN (self->n_source, G_MAXINT32));
  self->n_parts = (guint) MIN (acc_ceil_div (self->n_source, self->part), G_MAXINT32);
  self->part = acc_ceil_div (self->n_source, self->n_parts);
  self->n_parts = (guint) acc_ceil_div (self->n_source, self->part);
  self->turn = (gint64) CLAMP (left / 16 / (size + sizeof (gint64)), 1, (guint64) self->n_targets);
  self->requests.block = (gint64) CLAMP (MIN (left / 2 / self->n_parts, left / 8) / request, 1, (guint64) self->n_targets);
}

static AccStore *
gather (Gather *self, GError **error)
{
  g_autoptr(AccStore) result = NULL;
  g_autoptr(AccShape) all = acc_shape_new_vector (self->n_targets);

  if (!acc_external_lists_init (&self->requests, self->task, get_request_type (), self->n_parts, self->requests.block, self->n_targets,
                                error)
      || !write_requests (self, error))
    return NULL;
  self->answers = acc_external_new_store (self->task, self->answer_type, all, "answers", error);
  if (self->answers == NULL || !write_all_answers (self, error))
    return NULL;
  acc_external_lists_clear (&self->requests);
  result = acc_external_new_store (self->task, self->type, self->task->node->shape, "a store", error);

  return result != NULL && place_all_answers (self, result, error) ? g_steal_pointer (&result) : NULL;
}

static AccArray *
compute_gather (const AccExternalTask *task, GError **error)
{
  AccElementType *type = task->node->type;
  Gather self = { .task = task, .type = type, .n_buffers = acc_element_type_get_n_buffers (type),
                  .n_targets = acc_shape_get_size (task->node->shape) };
  g_autoptr(AccStore) result = NULL;

  find_read (task->node, &self.read);
  self.answer_type = acc_element_type_new_tuple ((AccElementType *[]) { acc_element_type_new (ACC_KIND_I64), type }, 2);
  self.n_source = acc_shape_get_size (self.read.array->shape);
  choose_sizes (&self);
  self.begins = g_new0 (gint64, self.n_parts + 1);

  result = gather (&self, error);

  acc_external_lists_clear (&self.requests);
  g_clear_pointer (&self.answers, acc_store_unref);
  g_free (self.begins);

  return result != NULL ? acc_store_dup_array (result, error) : NULL;
}

const AccExternal acc_external_gather = {
  .way = "requests go to lists of parts of the source, which answer them in turn",
  .leaves_store = TRUE,
  .by_hosts = TRUE,
  .reads_references = TRUE,
  .takes = take_gather,
  .measure_whole = measure_whole,
  .measure_least = measure_least,
  .n_written = 3,
  .n_read = 2,
  .compute = compute_gather,
};
