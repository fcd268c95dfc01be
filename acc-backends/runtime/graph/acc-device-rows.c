/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "acc-device-rows.h"

#include "acc-backends/runtime/run/acc-device-run.h"
#include "acc-row-program.h"

#define ALIGNMENT 256
/* Chunks that may be under way: enough to keep all queues busy, few enough to stop soon. */
#define MAX_CHUNKS 4
/* Microseconds between questions of whether kernels failed: each is a transfer between launches. */
#define ASK_INTERVAL 20000

/* Rows of one value: a block per leaf. */
struct _AccRowMemory
{
  gint64           headroom, capacity;
  guint            n_leaves;
  AccDeviceBlock **blocks;
};

typedef struct {
  AccRowMemory *memory;      /* borrowed; NULL: no window yet */
  gint64        origin_row;
  gsize        *row_bytes;   /* per leaf */
  guint         n_leaves;
} Value;

typedef struct {
  AccRowRun         base;
  AccDeviceRun      run;
  AccRowProgram     program;
  AccPrepared      *prepared;
  GPtrArray        *bound;
  GObject          *owner;
  Value            *values;    /* per row value */
  AccDeviceWindow  *windows;   /* per leaf of all values of the schedule */
  AccDeviceBlock ***scratch;   /* per row step: kept for the whole run */
  GPtrArray        *pinned;    /* AccBuffer: what steps add to band by band, so that no copy of it elsewhere grows old */
  gboolean          is_open;   /* queues may have work of this run */
  gboolean          is_asked;  /* whether kernels failed, at .question */
  guint64           question;
  gint64            asked_at;  /* monotonic time */
  guint64           flushed[MAX_CHUNKS];  /* points of the latest chunks */
  guint64           n_flushed;
} Run;

/* --- memory */

static gboolean
get_leaf_bytes (const Value *value,
                guint        leaf,
                gint64       headroom,
                gint64       capacity,
                guint64     *bytes)
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

  for (guint k = 0; k < self->values[number].n_leaves; k++)
    {
      guint64 leaf;

      if (!get_leaf_bytes (&self->values[number], k, headroom, capacity, &leaf)
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
    if (self->values[i].memory == memory)
      self->values[i].memory = NULL;

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
  const Value *value = &self->values[number];
  const char *name = self->prepared->values[acc_row_program_get_value (&self->program, number)].name;
  AccRowMemory *memory = g_new0 (AccRowMemory, 1);

  memory->headroom = headroom;
  memory->capacity = capacity;
  memory->n_leaves = value->n_leaves;
  memory->blocks = g_new0 (AccDeviceBlock *, value->n_leaves + 1);

  for (guint k = 0; k < value->n_leaves; k++)
    {
      guint64 bytes = 0;

      if (!get_leaf_bytes (value, k, headroom, capacity, &bytes))
        g_set_error (error, ACC_ERROR, ACC_ERROR_OUT_OF_MEMORY, "%s needs more memory than can be addressed", name);
      else
        memory->blocks[k] = acc_device_heap_allocate_exact (self->run.heap, (gsize) bytes, ACC_QUEUE_COMPUTE, name, error);
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
  return acc_device_heap_allocate_host (((Run *) base)->run.heap, size, what, error);
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
  Value *own = &self->values[number];
  guint value = acc_row_program_get_value (&self->program, number);

  g_return_if_fail (first_row - origin_row >= -memory->headroom && first_row + n_rows - origin_row <= memory->capacity);

  own->memory = memory;
  own->origin_row = origin_row;

  /* A copy of rows has a window, but not one that kernels know. */
  for (guint k = 0; k < own->n_leaves && self->program.numbers[value] == number; k++)
    self->windows[self->prepared->values[value].first_buffer + k]
        = (AccDeviceWindow) { memory->blocks[k], (memory->headroom - origin_row) * (gint64) own->row_bytes[k] };
}

/* --- rows on their way */

/* Within one block in pieces that do not overlap where they go to, in the order that leaves what is still to come alone. */
static gboolean
copy_leaf (Run            *self,
           AccDeviceBlock *to,
           gint64          row,
           AccDeviceBlock *from,
           gint64          from_row,
           gint64          n_rows,
           gsize           row_bytes,
           GError        **error)
{
  gint64 shift = ABS (row - from_row);
  gint64 piece = to == from && shift < n_rows ? shift : n_rows;

  for (gint64 done = 0; done < n_rows && piece > 0; done += piece)
    {
      gint64 n = MIN (piece, n_rows - done);
      gint64 at = row <= from_row ? done : n_rows - done - n;

      if (!acc_device_heap_copy (self->run.heap, ACC_QUEUE_COMPUTE, to, (gsize) (row + at) * row_bytes,
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

  return copy_rows (self, self->values[number].row_bytes, to, row, from, from_row, n_rows, error);
}

static gboolean
mark (Run          *self,
      AccQueue      queue,
      AccRowPoint  *point,
      GError      **error)
{
  point->queue = queue;

  return acc_device_heap_mark (self->run.heap, queue, &point->point, error);
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
  const gsize *row_bytes = self->values[number].row_bytes;

  self->is_open = TRUE;
  for (guint k = 0; k < to->n_leaves; k++)
    if (!acc_device_heap_upload (self->run.heap, ACC_QUEUE_UPLOAD, to->blocks[k], (gsize) (to->headroom + row) * row_bytes[k],
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
  const gsize *row_bytes = self->values[number].row_bytes;

  self->is_open = TRUE;
  for (guint k = 0; k < from->n_leaves; k++)
    if (!acc_device_heap_download (self->run.heap, ACC_QUEUE_DOWNLOAD, leaves[k], from->blocks[k],
                                   (gsize) (from->headroom + row) * row_bytes[k], (gsize) n_rows * row_bytes[k], error))
      return FALSE;

  return mark (self, ACC_QUEUE_DOWNLOAD, point, error);
}

/* --- waiting */

static void
unpin_all (Run *self)
{
  for (guint i = 0; i < self->pinned->len; i++)
    acc_device_heap_unpin (self->run.heap, g_ptr_array_index (self->pinned, i));
  g_ptr_array_set_size (self->pinned, 0);
}

static gboolean
device_wait (AccRowRun          *base,
             const AccRowPoint  *point,
             GError            **error)
{
  return acc_device_heap_block (((Run *) base)->run.heap, point->queue, point->point, error);
}

/* The answer to the last question of whether kernels failed, if it is there; the next question. */
static gboolean
ask (Run      *self,
     guint64  *point,
     GError  **error)
{
  AccDevice *device = acc_device_heap_get_device (self->run.heap);
  gint64 now = g_get_monotonic_time ();

  if (self->is_asked && device->klass->is_reached (device, ACC_QUEUE_COMPUTE, self->question))
    {
      self->is_asked = FALSE;
      if (!acc_device_run_check (&self->run, error))
        return FALSE;
    }

  /* No kernel ran yet, or the answer is still to come. */
  if (!self->run.is_dirty || self->is_asked || now - self->asked_at < ASK_INTERVAL)
    return acc_device_heap_mark (self->run.heap, ACC_QUEUE_COMPUTE, point, error);

  self->asked_at = now;
  self->is_asked = acc_device_run_ask (&self->run, &self->question, error);
  *point = self->question;

  return self->is_asked;
}

static gboolean
device_flush (AccRowRun  *base,
              GError    **error)
{
  Run *self = (Run *) base;
  guint64 *slot = &self->flushed[self->n_flushed % MAX_CHUNKS];

  if (self->n_flushed++ >= MAX_CHUNKS && !acc_device_heap_block (self->run.heap, ACC_QUEUE_COMPUTE, *slot, error))
    return FALSE;

  return ask (self, slot, error);
}

static gboolean
device_finish (AccRowRun  *base,
               GError    **error)
{
  Run *self = (Run *) base;

  if (!self->is_open)
    return TRUE;

  for (guint queue = 0; queue < ACC_N_QUEUES; queue++)
    {
      AccRowPoint point;

      if (!mark (self, queue, &point, error) || !device_wait (base, &point, error))
        return FALSE;
    }

  self->is_asked = FALSE;
  if (!acc_device_run_finish (&self->run, error))
    return FALSE;

  unpin_all (self);
  self->is_open = FALSE;

  return TRUE;
}

static gboolean
device_get_busy (AccRowRun *base,
                 guint64   *busy,
                 guint64   *passed)
{
  AccDevice *device = acc_device_heap_get_device (((Run *) base)->run.heap);

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
  const AccRowProgramStep *own = acc_row_program_get_step (&self->program, number);

  if (g_cancellable_set_error_if_cancelled (cancellable, error))
    return FALSE;

  if (own->step == ACC_ROW_NONE)
    {
      const Value *from = &self->values[own->from], *to = &self->values[own->to];

      return begin >= end || copy_rows (self, to->row_bytes, to->memory, begin - to->origin_row, from->memory,
                                        begin - from->origin_row, end - begin, error);
    }

  self->is_open = TRUE;
  self->run.cancellable = cancellable;

  return acc_device_run_rows (&self->run, own->step, begin, end, self->windows, self->scratch[number], error);
}

static AccArray *
dup_reduced (AccRowRun  *base,
             guint       number,
             GError    **error)
{
  Run *self = (Run *) base;

  g_return_val_if_fail (number < base->n_values && base->values[number].result >= 0, NULL);

  return acc_device_run_make_result (&self->run, (guint) base->values[number].result);
}

static void
rows_free (AccRowRun *base)
{
  Run *self = (Run *) base;

  if (self->is_open)
    acc_device_heap_drain (self->run.heap);

  for (guint s = 0; self->scratch != NULL && s < base->n_steps; s++)
    {
      guint step = acc_row_program_get_step (&self->program, s)->step;

      for (guint i = 0; step != ACC_ROW_NONE && i < self->prepared->schedule->steps[step].n_scratch; i++)
        g_clear_pointer (&self->scratch[s][i], acc_device_block_free);
      g_free (self->scratch[s]);
    }
  for (guint i = 0; self->values != NULL && i < base->n_values; i++)
    g_free (self->values[i].row_bytes);
  unpin_all (self);
  g_ptr_array_unref (self->pinned);
  g_free (self->scratch);
  g_free (self->values);
  g_free (self->windows);
  acc_device_run_clear (&self->run);
  acc_row_program_clear (&self->program);
  acc_prepared_unref (self->prepared);
  g_ptr_array_unref (self->bound);
  g_clear_object (&self->owner);
  g_free (self);
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
  .dup_reduced = dup_reduced,
  .free = rows_free,
  .device = &device_class,
};

/* --- before the first row */

static void
measure_values (Run *self)
{
  self->windows = g_new0 (AccDeviceWindow, self->prepared->n_buffers + 1);
  self->values = g_new0 (Value, self->base.n_values + 1);
  for (guint i = 0; i < self->base.n_values; i++)
    {
      const AccPreparedValue *prepared = &self->prepared->values[acc_row_program_get_value (&self->program, i)];
      Value *value = &self->values[i];

      value->n_leaves = prepared->n_buffers;
      value->row_bytes = g_new0 (gsize, prepared->n_buffers + 1);
      for (guint k = 0; k < prepared->n_buffers; k++)
        value->row_bytes[k] = (gsize) prepared->row_elements * self->prepared->element_bytes[prepared->first_buffer + k];
    }
}

static gboolean
run_independent (Run     *self,
                 GError **error)
{
  for (guint s = 0; s < self->prepared->schedule->n_steps; s++)
    if (!self->program.layout.by_rows[s])
      {
        const AccPreparedStep *step = &self->prepared->steps[s];

        self->is_open = TRUE;
        if (!acc_device_run_step (&self->run, s, error))
          return FALSE;
        for (guint i = 0; i < step->n_freed; i++)
          if (!acc_row_program_is_kept (&self->program, step->freed[i]))
            acc_device_run_free_value (&self->run, step->freed[i]);
      }

  return TRUE;
}

static gboolean
allocate_pinned (Run     *self,
                 guint    value,
                 GError **error)
{
  const AccPreparedValue *v = &self->prepared->values[value];

  if (!acc_device_run_allocate (&self->run, value, error))
    return FALSE;

  for (guint k = v->first_buffer; k < v->first_buffer + v->n_buffers; k++)
    {
      AccDeviceBlock *block = acc_device_heap_pin (self->run.heap, self->run.buffers[k], v->name, error);

      if (block == NULL)
        return FALSE;
      self->base.held += block->memory.size;
      g_ptr_array_add (self->pinned, self->run.buffers[k]);
    }

  return TRUE;
}

static gboolean
allocate_kept (Run     *self,
               GError **error)
{
  self->scratch = g_new0 (AccDeviceBlock **, self->base.n_steps + 1);
  for (guint s = 0; s < self->base.n_steps; s++)
    {
      guint number = acc_row_program_get_step (&self->program, s)->step;
      const AccScheduleStep *step;

      if (number == ACC_ROW_NONE)
        continue;
      step = &self->prepared->schedule->steps[number];
      self->scratch[s] = g_new0 (AccDeviceBlock *, step->n_scratch + 1);
      for (guint i = 0; i < step->n_scratch; i++)
        {
          self->scratch[s][i] = acc_device_heap_allocate_exact (self->run.heap, step->scratch[i].bytes, ACC_QUEUE_COMPUTE, step->name, error);
          if (self->scratch[s][i] == NULL)
            return FALSE;
          self->base.held += self->scratch[s][i]->memory.size;
        }
      for (guint i = 0; i < step->n_writes && step->reduces; i++)
        if (!allocate_pinned (self, step->writes[i], error))
          return FALSE;
    }

  return TRUE;
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
  g_autoptr (AccRowRun) base = NULL;
  Run *self = g_new0 (Run, 1);
  guint64 busy, passed;

  base = &self->base;
  base->klass = &row_run_class;
  self->prepared = acc_prepared_ref (prepared);
  self->bound = values;
  self->owner = g_object_ref (owner);
  self->pinned = g_ptr_array_new ();
  acc_device_run_init (&self->run, host, prepared, cancellable);

  if (!acc_row_program_init (&self->program, prepared, graph, error)
      || !acc_device_run_bind (&self->run, (AccArray **) values->pdata, TRUE, error))
    return NULL;

  acc_row_program_describe (&self->program, base);
  measure_values (self);

  if (!run_independent (self, error) || !allocate_kept (self, error))
    return NULL;

  /* Busy time counts from here. */
  device_get_busy (base, &busy, &passed);

  return g_steal_pointer (&base);
}
