/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "acc-device-rows.h"

#include "acc-backends/runtime/run/acc-device-run.h"
#include "acc-row-run-private.h"

#define ALIGNMENT 256
/* Chunks that may be under way: enough to keep all queues busy, few enough to stop soon. */
#define MAX_CHUNKS 4
/* Microseconds between reads of the failure slot: each is a transfer between launches. */
#define ASK_INTERVAL 20000

/* Rows of one value: a block per leaf. */
struct _AccRowMemory
{
  gint64           headroom, capacity;
  guint            n_leaves;
  AccDeviceBlock **blocks;
};

typedef struct {
  AccScheduleRows rows;
  gboolean        is_open;    /* queues may have transfers of this run */
  gboolean        is_asked;   /* whether kernels failed, at .question */
  guint64         question;
  gint64          asked_at;   /* monotonic time */
  guint64         flushed[MAX_CHUNKS];  /* points of the latest chunks */
  guint64         n_flushed;
} Run;

static AccDeviceHeap *
get_heap (Run *self)
{
  return self->rows.run->host->heap;
}

/* --- memory */

static gboolean
get_leaf_bytes (const AccScheduleRowValue *value,
                guint                      leaf,
                gint64                     headroom,
                gint64                     capacity,
                guint64                   *bytes)
{
  guint64 rows;

  return g_uint64_checked_add (&rows, (guint64) headroom, (guint64) capacity)
         && g_uint64_checked_mul (bytes, rows, value->row_bytes[leaf])
         && *bytes < G_MAXINT64;
}

static guint64
device_measure (AccRowRun *base,
                guint      number,
                gint64     headroom,
                gint64     capacity)
{
  Run *self = (Run *) base;
  guint64 bytes = 0;

  for (guint k = 0; k < self->rows.values[number].n_buffers; k++)
    {
      guint64 leaf;

      if (!get_leaf_bytes (&self->rows.values[number], k, headroom, capacity, &leaf)
          || !g_uint64_checked_add (&bytes, bytes, MAX ((leaf + ALIGNMENT - 1) / ALIGNMENT * ALIGNMENT, ALIGNMENT)))
        return G_MAXUINT64;
    }

  return bytes;
}

static void
device_release (AccRowRun    *base,
                AccRowMemory *memory)
{
  Run *self = (Run *) base;

  for (guint i = 0; i < base->n_values; i++)
    if (self->rows.values[i].memory == memory)
      self->rows.values[i].memory = NULL;

  for (guint k = 0; k < memory->n_leaves; k++)
    g_clear_pointer (&memory->blocks[k], acc_device_block_free);
  g_free (memory->blocks);
  g_free (memory);
}

static AccRowMemory *
device_allocate (AccRowRun  *base,
                 guint       number,
                 gint64      headroom,
                 gint64      capacity,
                 GError    **error)
{
  Run *self = (Run *) base;
  const AccScheduleRowValue *value = &self->rows.values[number];
  const char *name = self->rows.prepared->values[acc_row_program_get_value (&self->rows.program, number)].name;
  AccRowMemory *memory = g_new0 (AccRowMemory, 1);

  memory->headroom = headroom;
  memory->capacity = capacity;
  memory->n_leaves = value->n_buffers;
  memory->blocks = g_new0 (AccDeviceBlock *, value->n_buffers + 1);

  for (guint k = 0; k < value->n_buffers; k++)
    {
      guint64 bytes = 0;

      if (!get_leaf_bytes (value, k, headroom, capacity, &bytes))
        g_set_error (error, ACC_ERROR, ACC_ERROR_OUT_OF_MEMORY, "%s needs more memory than can be addressed", name);
      else
        memory->blocks[k] = acc_device_heap_allocate_exact (get_heap (self), (gsize) bytes, ACC_QUEUE_COMPUTE, name, error);
      if (memory->blocks[k] == NULL)
        {
          device_release (base, memory);
          return NULL;
        }
    }

  return memory;
}

static AccBuffer *
device_allocate_staging (AccRowRun   *base,
                         gsize        size,
                         const char  *what,
                         GError     **error)
{
  return acc_device_heap_allocate_host (get_heap ((Run *) base), size, what, error);
}

static void
device_set_window (AccRowRun    *base,
                   guint         number,
                   AccRowMemory *memory,
                   gint64        origin_row,
                   gint64        first_row,
                   gint64        n_rows)
{
  Run *self = (Run *) base;
  AccScheduleRowValue *own = &self->rows.values[number];

  g_return_if_fail (first_row - origin_row >= -memory->headroom && first_row + n_rows - origin_row <= memory->capacity);

  own->memory = memory;
  own->origin_row = origin_row;

  for (guint k = 0; k < own->n_buffers; k++)
    own->windows[k] = (AccRunWindow) { TRUE, memory->blocks[k], (memory->headroom - origin_row) * (gint64) own->row_bytes[k] };
}

/* --- rows on their way */

/* Within one block in pieces that do not overlap where they go to, in the order that leaves what is still to come alone. */
static gboolean
copy_leaf (Run             *self,
           AccDeviceBlock  *to,
           gint64           row,
           AccDeviceBlock  *from,
           gint64           from_row,
           gint64           n_rows,
           gsize            row_bytes,
           GError         **error)
{
  gint64 shift = ABS (row - from_row);
  gint64 piece = to == from && shift < n_rows ? shift : n_rows;

  for (gint64 done = 0; done < n_rows && piece > 0; done += piece)
    {
      gint64 n = MIN (piece, n_rows - done);
      gint64 at = row <= from_row ? done : n_rows - done - n;

      if (!acc_device_heap_copy (get_heap (self), ACC_QUEUE_COMPUTE, to, (gsize) (row + at) * row_bytes,
                                 from, (gsize) (from_row + at) * row_bytes, (gsize) n * row_bytes, error))
        return FALSE;
    }

  return TRUE;
}

static gboolean
copy_rows (Run           *self,
           const gsize   *row_bytes,
           AccRowMemory  *to,
           gint64         row,
           AccRowMemory  *from,
           gint64         from_row,
           gint64         n_rows,
           GError       **error)
{
  self->is_open = TRUE;
  for (guint k = 0; k < to->n_leaves; k++)
    if (row_bytes[k] > 0
        && !copy_leaf (self, to->blocks[k], to->headroom + row, from->blocks[k], from->headroom + from_row, n_rows, row_bytes[k], error))
      return FALSE;

  return TRUE;
}

static gboolean
device_copy (AccRowRun     *base,
             guint          number,
             AccRowMemory  *to,
             gint64         row,
             AccRowMemory  *from,
             gint64         from_row,
             gint64         n_rows,
             GError       **error)
{
  Run *self = (Run *) base;

  return copy_rows (self, self->rows.values[number].row_bytes, to, row, from, from_row, n_rows, error);
}

static gboolean
mark (Run          *self,
      AccQueue      queue,
      AccRowPoint  *point,
      GError      **error)
{
  point->queue = queue;

  return acc_device_heap_mark (get_heap (self), queue, &point->point, error);
}

static gboolean
device_upload (AccRowRun     *base,
               guint          number,
               AccRowMemory  *to,
               gint64         row,
               gpointer      *leaves,
               gint64         n_rows,
               AccRowPoint   *point,
               GError       **error)
{
  Run *self = (Run *) base;
  const gsize *row_bytes = self->rows.values[number].row_bytes;

  self->is_open = TRUE;
  for (guint k = 0; k < to->n_leaves; k++)
    if (!acc_device_heap_upload (get_heap (self), ACC_QUEUE_UPLOAD, to->blocks[k], (gsize) (to->headroom + row) * row_bytes[k],
                                 leaves[k], (gsize) n_rows * row_bytes[k], error))
      return FALSE;

  return mark (self, ACC_QUEUE_UPLOAD, point, error);
}

static gboolean
device_download (AccRowRun     *base,
                 guint          number,
                 gpointer      *leaves,
                 AccRowMemory  *from,
                 gint64         row,
                 gint64         n_rows,
                 AccRowPoint   *point,
                 GError       **error)
{
  Run *self = (Run *) base;
  const gsize *row_bytes = self->rows.values[number].row_bytes;

  self->is_open = TRUE;
  for (guint k = 0; k < from->n_leaves; k++)
    if (!acc_device_heap_download (get_heap (self), ACC_QUEUE_DOWNLOAD, leaves[k], from->blocks[k],
                                   (gsize) (from->headroom + row) * row_bytes[k], (gsize) n_rows * row_bytes[k], error))
      return FALSE;

  return mark (self, ACC_QUEUE_DOWNLOAD, point, error);
}

/* --- waiting */

static gboolean
device_wait (AccRowRun          *base,
             const AccRowPoint  *point,
             GError            **error)
{
  return acc_device_heap_block (get_heap ((Run *) base), point->queue, point->point, error);
}

/* Takes the result of the last read of the failure slot, if it has arrived, and starts the next one. */
static gboolean
ask (Run      *self,
     guint64  *point,
     GError  **error)
{
  AccDevice *device = acc_device_heap_get_device (get_heap (self));
  gint64 now = g_get_monotonic_time ();

  if (self->is_asked && device->klass->is_reached (device, ACC_QUEUE_COMPUTE, self->question))
    {
      self->is_asked = FALSE;
      if (!acc_device_run_check (self->rows.run, error))
        return FALSE;
    }

  /* No kernel ran yet, or the answer is still to come. */
  if (!acc_device_run_is_dirty (self->rows.run) || self->is_asked || now - self->asked_at < ASK_INTERVAL)
    return acc_device_heap_mark (get_heap (self), ACC_QUEUE_COMPUTE, point, error);

  self->asked_at = now;
  self->is_asked = acc_device_run_ask (self->rows.run, &self->question, error);
  *point = self->question;

  return self->is_asked;
}

static gboolean
device_flush (AccRowRun  *base,
              GError    **error)
{
  Run *self = (Run *) base;
  guint64 *slot = &self->flushed[self->n_flushed % MAX_CHUNKS];

  if (self->n_flushed++ >= MAX_CHUNKS && !acc_device_heap_block (get_heap (self), ACC_QUEUE_COMPUTE, *slot, error))
    return FALSE;

  return ask (self, slot, error);
}

static gboolean
device_finish (AccRowRun  *base,
               GError    **error)
{
  Run *self = (Run *) base;

  if (!self->is_open && !acc_device_run_is_dirty (self->rows.run))
    return TRUE;

  for (guint queue = 0; queue < ACC_N_QUEUES; queue++)
    {
      AccRowPoint point;

      if (!mark (self, queue, &point, error) || !device_wait (base, &point, error))
        return FALSE;
    }

  self->is_asked = FALSE;
  if (!acc_run_finish (self->rows.run, error))
    return FALSE;

  self->is_open = FALSE;

  return TRUE;
}

static gboolean
device_get_busy (AccRowRun *base,
                 guint64   *busy,
                 guint64   *passed)
{
  AccDevice *device = acc_device_heap_get_device (get_heap ((Run *) base));

  return device->klass->get_busy != NULL && device->klass->get_busy (device, busy, passed);
}

/* --- steps */

static gboolean
run_step (AccRowRun     *base,
          guint          number,
          gint64         begin,
          gint64         end,
          GCancellable  *cancellable,
          GError       **error)
{
  Run *self = (Run *) base;
  const AccRowProgramStep *own = acc_row_program_get_step (&self->rows.program, number);

  if (g_cancellable_set_error_if_cancelled (cancellable, error))
    return FALSE;

  if (own->step == ACC_ROW_NONE)
    {
      const AccScheduleRowValue *from = &self->rows.values[own->from], *to = &self->rows.values[own->to];

      return begin >= end || copy_rows (self, to->row_bytes, to->memory, begin - to->origin_row, from->memory,
                                        begin - from->origin_row, end - begin, error);
    }

  return acc_schedule_rows_run_step (&self->rows, number, begin, end, cancellable, error);
}

static void
rows_free (AccRowRun *base)
{
  Run *self = (Run *) base;

  if (self->is_open)
    acc_device_heap_drain (get_heap (self));
  acc_schedule_rows_free (base);
}

static const AccRowDeviceClass device_class = {
  .measure = device_measure,
  .allocate = device_allocate,
  .release = device_release,
  .allocate_staging = device_allocate_staging,
  .set_window = device_set_window,
  .copy = device_copy,
  .upload = device_upload,
  .download = device_download,
  .flush = device_flush,
  .wait = device_wait,
  .finish = device_finish,
  .get_busy = device_get_busy,
};

static const AccRowRunClass row_run_class = {
  .run_step = run_step,
  .dup_reduced = acc_schedule_rows_dup_reduced,
  .free = rows_free,
  .device = &device_class,
};

static void
mark_written (Run      *self,
              guint     number,
              gboolean *buffers)
{
  AccPrepared *prepared = self->rows.prepared;

  for (guint i = 0; number != ACC_ROW_NONE && i < prepared->schedule->steps[number].n_writes; i++)
    {
      const AccPreparedValue *value = &prepared->values[prepared->schedule->steps[number].writes[i]];

      for (guint k = 0; k < value->n_buffers; k++)
        buffers[value->first_buffer + k] = TRUE;
    }
}

/* Of one step, but for what steps write by rows, which is held. What the device has of it is moved out of the way for others, and is
 * uploaded again. */
static guint64
count_uploads (Run   *self,
               guint  number)
{
  AccPrepared *prepared = self->rows.prepared;
  const AccScheduleStep *step = &prepared->schedule->steps[number];
  g_autofree gboolean *seen = g_new0 (gboolean, prepared->n_buffers + 1);
  guint64 bytes = 0;

  for (guint s = 0; s < self->rows.base.n_steps; s++)
    mark_written (self, acc_row_program_get_step (&self->rows.program, s)->step, seen);
  for (guint l = 0; l < step->n_launches; l++)
    for (guint i = 0; i < step->launches[l].n_slots; i++)
      {
        const AccSlot *slot = &step->launches[l].slots[i];
        AccBuffer *buffer;
        guint k;

        if (slot->kind != ACC_SLOT_BUFFER)
          continue;
        k = prepared->values[slot->value].first_buffer + slot->buffer;
        buffer = self->rows.run->buffers[k];
        if (buffer == NULL || seen[k] || self->rows.windows[k].is_set)
          continue;
        seen[k] = TRUE;
        bytes += buffer->size;
      }

  return bytes;
}

AccRowRun *
acc_device_rows_new (AccHost       *host,
                     AccPrepared   *prepared,
                     GPtrArray     *values,
                     AccGraph      *graph,
                     gpointer       owner,
                     GCancellable  *cancellable,
                     GError       **error)
{
  AccRowRun *base = acc_schedule_rows_new (&row_run_class, sizeof (Run), host, prepared, values, graph, owner, cancellable, error);
  guint64 busy, passed;

  for (guint s = 0; base != NULL && s < base->n_steps; s++)
    {
      guint number = acc_row_program_get_step (&((Run *) base)->rows.program, s)->step;

      if (number != ACC_ROW_NONE)
        base->uploads = MAX (base->uploads, count_uploads ((Run *) base, number));
    }

  /* Busy time counts from here. */
  if (base != NULL)
    device_get_busy (base, &busy, &passed);

  return base;
}
