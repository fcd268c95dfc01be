/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "acc-plan-private.h"
#include "acc-plan-traffic-private.h"

#include <string.h>

/**
 * AccPlan:
 *
 * Describes how a run is split into chunks, and what memory it takes, for people and tests.
 *
 * Rows are indices of an array's outermost dimension. A chunk is a number of rows of the sources that is read, computed and
 * written together. Between two chunks each stage keeps the rows that its stencils still need (its halo); no row is read or
 * computed twice. The memory of a run is linear in the rows of a chunk, and is known before the run starts.
 *
 * Immutable. Any thread may use it.
 */

G_DEFINE_FINAL_TYPE (AccPlan, acc_plan, G_TYPE_OBJECT)

static void
clear_part (gpointer data)
{
  AccPlanPart *part = data;

  g_free (part->name);
}

static void
acc_plan_finalize (GObject *object)
{
  AccPlan *self = ACC_PLAN (object);

  g_free (self->device);
  g_free (self->why);
  g_free (self->stages);
  g_free (self->apart);
  g_clear_pointer (&self->others, g_ptr_array_unref);
  g_array_unref (self->parts);

  G_OBJECT_CLASS (acc_plan_parent_class)->finalize (object);
}

static void
acc_plan_class_init (AccPlanClass *klass)
{
  G_OBJECT_CLASS (klass)->finalize = acc_plan_finalize;
}

static void
acc_plan_init (AccPlan *self)
{
  self->parts = g_array_new (FALSE, TRUE, sizeof (AccPlanPart));
  g_array_set_clear_func (self->parts, clear_part);
}

AccPlan *
acc_plan_new (void)
{
  return g_object_new (ACC_TYPE_PLAN, NULL);
}

AccPlanPart *
acc_plan_get_part (AccPlan *self, guint part)
{
  return &g_array_index (self->parts, AccPlanPart, part);
}

/**
 * acc_plan_get_chunk_rows:
 * @self: a plan
 *
 * Returns the height of a chunk, in rows of the sources.
 *
 * Returns: rows of input per chunk, at least 1
 */
gint64
acc_plan_get_chunk_rows (AccPlan *self)
{
  g_return_val_if_fail (ACC_IS_PLAN (self), 0);

  return self->chunk_rows;
}

/**
 * acc_plan_get_n_chunks:
 * @self: a plan
 *
 * Returns the number of chunks of the run. It includes chunks at the end that only finish the rows of stages that lag behind.
 *
 * Returns: number of chunks; 0 where there are no rows
 */
guint64
acc_plan_get_n_chunks (AccPlan *self)
{
  g_return_val_if_fail (ACC_IS_PLAN (self), 0);

  return self->n_chunks;
}

/**
 * acc_plan_get_halo_above:
 * @self: a plan
 *
 * Returns the halo above a row of the result: how many rows up it depends on, over all stages. Reductions of all rows do not
 * count.
 *
 * Returns: rows of the sources
 */
gint64
acc_plan_get_halo_above (AccPlan *self)
{
  g_return_val_if_fail (ACC_IS_PLAN (self), 0);

  return self->halo_above;
}

/**
 * acc_plan_get_halo_below:
 * @self: a plan
 *
 * Returns the halo below a row of the result: how many rows down it depends on, over all stages. Reductions of all rows do not
 * count.
 *
 * Returns: rows of the sources
 */
gint64
acc_plan_get_halo_below (AccPlan *self)
{
  g_return_val_if_fail (ACC_IS_PLAN (self), 0);

  return self->halo_below;
}

/**
 * acc_plan_get_n_input_slots:
 * @self: a plan
 *
 * Returns the number of buffers between each reader and the kernels. With one, reading and computing alternate; with more, they
 * overlap.
 *
 * Returns: number of buffers; 0 where nothing is read
 */
guint
acc_plan_get_n_input_slots (AccPlan *self)
{
  g_return_val_if_fail (ACC_IS_PLAN (self), 0);

  return self->n_input_slots;
}

/**
 * acc_plan_get_n_output_slots:
 * @self: a plan
 *
 * Returns the number of buffers between the kernels and the writer. With one, computing and writing alternate; with more, they
 * overlap.
 *
 * Returns: number of buffers; 0 where nothing is written chunk by chunk
 */
guint
acc_plan_get_n_output_slots (AccPlan *self)
{
  g_return_val_if_fail (ACC_IS_PLAN (self), 0);

  return self->n_output_slots;
}

/**
 * acc_plan_get_bytes:
 * @self: a plan
 *
 * Returns the memory that the run takes: windows, slots, whole results, and what sources and sinks report that they hold
 * themselves.
 *
 * Returns: bytes
 */
guint64
acc_plan_get_bytes (AccPlan *self)
{
  g_return_val_if_fail (ACC_IS_PLAN (self), 0);

  return self->bytes;
}

/**
 * acc_plan_get_fixed_bytes:
 * @self: a plan
 *
 * Returns the part of acc_plan_get_bytes() that does not depend on the size of a chunk.
 *
 * Returns: bytes
 */
guint64
acc_plan_get_fixed_bytes (AccPlan *self)
{
  guint64 linear;

  g_return_val_if_fail (ACC_IS_PLAN (self), 0);

  linear = acc_bytes_multiply (self->slope, (guint64) self->chunk_rows);

  return self->bytes > linear ? self->bytes - linear : 0;
}

/**
 * acc_plan_get_row_bytes:
 * @self: a plan
 *
 * Returns the memory that each further row of a chunk takes.
 *
 * Returns: bytes per row of a chunk
 */
guint64
acc_plan_get_row_bytes (AccPlan *self)
{
  g_return_val_if_fail (ACC_IS_PLAN (self), 0);

  return self->slope;
}

/* That of all walks. */
static guint64
add_walks (AccPlan *self, guint64 (*get) (AccPlan *plan))
{
  guint64 bytes = get (self);

  for (guint i = 0; self->others != NULL && i < self->others->len; i++)
    bytes = acc_bytes_add (bytes, get (g_ptr_array_index (self->others, i)));

  return bytes;
}

static double
add_compute (AccPlan *self)
{
  double seconds = self->compute_seconds;

  for (guint i = 0; self->others != NULL && i < self->others->len; i++)
    seconds += ((AccPlan *) g_ptr_array_index (self->others, i))->compute_seconds;

  return seconds;
}

static guint64
get_read (AccPlan *self)
{
  return self->read;
}

static guint64
get_written (AccPlan *self)
{
  return self->written;
}

/**
 * acc_plan_get_read_bytes:
 * @self: a plan
 *
 * Returns how many bytes the run reads: elements of sources, as often as they are read, and of temporary files. What a filter
 * keeps counts as if it were all.
 *
 * Of [method@Acc.Backend.plan] and [method@Acc.Backend.plan_many]; the plan of a job tells nothing of it.
 *
 * Returns: bytes; `G_MAXUINT64` where that depends on elements
 */
guint64
acc_plan_get_read_bytes (AccPlan *self)
{
  g_return_val_if_fail (ACC_IS_PLAN (self), 0);

  return add_walks (self, get_read);
}

/**
 * acc_plan_get_written_bytes:
 * @self: a plan
 *
 * Returns how many bytes the run writes: elements of temporary files, and those that sinks get. See
 * [method@Acc.Plan.get_read_bytes].
 *
 * Returns: bytes; `G_MAXUINT64` where that depends on elements
 */
guint64
acc_plan_get_written_bytes (AccPlan *self)
{
  g_return_val_if_fail (ACC_IS_PLAN (self), 0);

  return add_walks (self, get_written);
}

/**
 * acc_plan_get_seconds:
 * @self: a plan
 *
 * Returns how long a disk takes for [method@Acc.Plan.get_read_bytes] and [method@Acc.Plan.get_written_bytes], and sorts for their
 * elements: an estimate of the time that the run takes, unless it has much to compute, as products of matrices have.
 *
 * The environment variable `ACC_DISK_RATE` tells how many bytes the disk moves in a second: 1 GiB without it.
 *
 * Returns: seconds; negative where that depends on elements
 */
double
acc_plan_get_seconds (AccPlan *self)
{
  guint64 read, written;

  g_return_val_if_fail (ACC_IS_PLAN (self), 0);
  read = acc_plan_get_read_bytes (self);
  written = acc_plan_get_written_bytes (self);
  if (read == G_MAXUINT64 || written == G_MAXUINT64)
    return -1;

  return add_compute (self) + ((double) read + (double) written) / (double) acc_plan_traffic_get_rate ();
}

static void
append_time (GString *text, AccPlan *self)
{
  double seconds = acc_plan_get_seconds (self), computed = add_compute (self);
  g_autofree char *read = NULL, *written = NULL, *rate = NULL;

  if (!(seconds > 0))
    return;

  read = g_format_size_full (acc_plan_get_read_bytes (self), G_FORMAT_SIZE_IEC_UNITS);
  written = g_format_size_full (acc_plan_get_written_bytes (self), G_FORMAT_SIZE_IEC_UNITS);
  rate = g_format_size_full (acc_plan_traffic_get_rate (), G_FORMAT_SIZE_IEC_UNITS);
  g_string_append_printf (text, "time     %s%.*f s for the disk, which reads %s and writes %s, %s a second (ACC_DISK_RATE)",
                          self->at_most ? "at most " : "", seconds < 10 ? 2 : 0, seconds - computed, read, written, rate);
  if (computed > 0)
    g_string_append_printf (text, ", and %.*f s of computing", seconds < 10 ? 2 : 0, computed);
  g_string_append_c (text, '\n');
}

static const char *
name_place (AccPlace place)
{
  switch (place)
    {
    case ACC_PLACE_NONE:
      return "";
    case ACC_PLACE_SLOTS:
      return "read into";
    case ACC_PLACE_READ_WHOLE:
      return "read whole";
    case ACC_PLACE_WINDOW:
      return "window";
    case ACC_PLACE_WHOLE:
      return "whole";
    case ACC_PLACE_OUTPUT:
      return "written from";
    case ACC_PLACE_RESULT:
      return "result";
    case ACC_PLACE_UPLOAD:
      return "upload from";
    case ACC_PLACE_DOWNLOAD:
      return "download to";
    default:
      g_return_val_if_reached ("");
    }
}

static void
append_part (GString *text, const AccPlanPart *part, int width)
{
  g_autofree char *size = g_format_size_full (part->bytes, G_FORMAT_SIZE_IEC_UNITS);
  int pad = width - (int) g_utf8_strlen (part->name, -1);

  g_string_append_printf (text, "  %s%*s  %-12s  %8" G_GINT64_FORMAT "  %6" G_GINT64_FORMAT "  %5" G_GINT64_FORMAT
                          "  %8" G_GINT64_FORMAT " × %u  %12s%s%s\n",
                          part->name, MAX (pad, 0), "", name_place (part->place), part->n_rows, part->lag, part->carry,
                          part->headroom + part->capacity, part->n_buffers, size,
                          part->on_device ? "  on the device" : "",
                          part->awaited ? "  waits for a reduction over all rows" : "");
}

static void
append_walk (GString *text, AccPlan *self)
{
  g_autofree char *bytes = NULL, *fixed = NULL, *row = NULL;
  int width = 5;

  bytes = g_format_size_full (self->bytes, G_FORMAT_SIZE_IEC_UNITS);
  fixed = g_format_size_full (acc_plan_get_fixed_bytes (self), G_FORMAT_SIZE_IEC_UNITS);
  row = g_format_size_full (self->slope, G_FORMAT_SIZE_IEC_UNITS);

  g_string_append_printf (text, "chunks   %" G_GUINT64_FORMAT " of %" G_GINT64_FORMAT " rows, %" G_GINT64_FORMAT
                          " rows in all; %" G_GINT64_FORMAT " rows at a time through all steps\n",
                          self->n_chunks, self->chunk_rows, self->n_rows, self->band_rows);
  g_string_append_printf (text, "halo     %" G_GINT64_FORMAT " rows above, %" G_GINT64_FORMAT " below; kept, not computed again\n",
                          self->halo_above, self->halo_below);
  g_string_append_printf (text, "buffers  %u for reading, %u for writing\n", self->n_input_slots, self->n_output_slots);
  g_string_append_printf (text, "memory   %s = %s + %s per row of a chunk", bytes, fixed, row);

  if (self->limit > 0)
    {
      g_autofree char *limit = g_format_size_full (self->limit, G_FORMAT_SIZE_IEC_UNITS);

      g_string_append_printf (text, "; limit %s", limit);
    }

  if (self->resident > 0)
    {
      g_autofree char *resident = g_format_size_full (self->resident, G_FORMAT_SIZE_IEC_UNITS);

      g_string_append_printf (text, "; %s held by files", resident);
    }

  g_string_append_c (text, '\n');
  if (self->stages != NULL)
    g_string_append (text, self->stages);
  g_string_append_printf (text, "device   %s\nwhy      %s\n", self->device != NULL ? self->device : "",
                          self->why != NULL ? self->why : "");

  for (guint i = 0; i < self->parts->len; i++)
    width = MAX (width, (int) g_utf8_strlen (acc_plan_get_part (self, i)->name, -1));

  g_string_append_printf (text, "  %-*s  %-12s  %8s  %6s  %5s  %8s      %12s\n",
                          width, "value", "", "rows", "behind", "kept", "buffer", "bytes");
  for (guint i = 0; i < self->parts->len; i++)
    if (acc_plan_get_part (self, i)->place != ACC_PLACE_NONE)
      append_part (text, acc_plan_get_part (self, i), width);
}

static gboolean
reads (AccPlan *self, const char *name)
{
  for (guint i = 0; i < self->parts->len; i++)
    if ((acc_plan_get_part (self, i)->place == ACC_PLACE_SLOTS || acc_plan_get_part (self, i)->place == ACC_PLACE_READ_WHOLE)
        && strcmp (acc_plan_get_part (self, i)->name, name) == 0)
      return TRUE;

  return FALSE;
}

/* A walk that follows, and what it reads that one before it has read. */
static void
append_other (GString *text, AccPlan *self, guint other)
{
  AccPlan *plan = g_ptr_array_index (self->others, other);

  g_string_append_printf (text, "walk %u", other + 2);
  for (guint i = 0; i < plan->parts->len; i++)
    {
      const char *name = acc_plan_get_part (plan, i)->name;
      gboolean again = reads (self, name);

      for (guint j = 0; j < other; j++)
        again |= reads (g_ptr_array_index (self->others, j), name);
      if (again && reads (plan, name))
        g_string_append_printf (text, ", reads %s again", name);
    }
  g_string_append_printf (text, ": %s\n", self->apart);
  append_walk (text, plan);
}

/**
 * acc_plan_to_string:
 * @self: a plan
 *
 * Formats the plan as a table for people.
 *
 * The table lists each value with its rows, the rows that it lags behind the input, the rows that it keeps, its buffers and
 * their bytes. It tells why the chunk has the size that it has. Where stages come first, it has a line for each array that they
 * store: where it is stored, its bytes, and which operation reads it in which way. Where several results need a walk each, there is a
 * table for each walk, with the sources that it reads again.
 *
 * Returns: (transfer full): several lines of text, each with a newline at its end
 */
char *
acc_plan_to_string (AccPlan *self)
{
  GString *text;

  g_return_val_if_fail (ACC_IS_PLAN (self), NULL);

  text = g_string_new (NULL);
  append_time (text, self);
  append_walk (text, self);
  for (guint i = 0; self->others != NULL && i < self->others->len; i++)
    append_other (text, self, i);

  return g_string_free (text, FALSE);
}
