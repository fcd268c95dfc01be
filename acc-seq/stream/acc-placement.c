/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "acc-placement-private.h"

#include "acc-core/base/acc-ceil-div-private.h"
#include "acc-row-buffer-private.h"

#define MAX_WINDOW_BANDS 8

/* Throughput is flat between 0.1 and 4 MiB of input per chunk and falls beyond it, where caches no longer help. */
const AccPlanMemory acc_placement_host_memory = {
  .has_caches = TRUE,
  .chunk_bytes = 2 * 1024 * 1024,
  .least_bytes = 128 * 1024,
  .small_bytes = 256 * 1024,
  .multiple = 1,
  .most_slots = G_MAXUINT,
  .why = "chunks of a size that caches like",
};

/* What transfers need to be at their best. Two slots are enough: one computed with or from while the other one travels. */
static const AccPlanMemory device_memory = {
  .is_apart = TRUE,
  .chunk_bytes = 8 * 1024 * 1024,
  .least_bytes = 512 * 1024,
  .small_bytes = 1024 * 1024,
  .least_band_bytes = G_MAXUINT64,
  .multiple = 256,
  .most_slots = 2,
  .why = "chunks of a size that transfers like",
};

const AccPlanMemory *
acc_placement_get_memory (const AccPlanRequest *request)
{
  return request->flow->run->klass->device != NULL ? &device_memory : &acc_placement_host_memory;
}

/* A window of one band more than it keeps is moved to the front at each band; if it keeps much, it is larger, and moved rarely. */
static gint64
window_bands (gint64 carry, const AccPlanChoice *choice)
{
  if (choice->tight || carry <= choice->band_rows / 2)
    return 1;

  return MIN (1 + acc_ceil_div (carry, choice->band_rows), MAX_WINDOW_BANDS);
}

static void
place_whole (AccPlanPart *part, AccPlace place)
{
  part->place = place;
  part->headroom = 0;
  part->capacity = part->n_rows;
  part->n_buffers = 1;
}

static guint
count_slots (const AccPlanPart *part, const AccPlanMemory *memory, guint n_slots)
{
  return part->capacity >= part->n_rows ? 1 : MIN (n_slots, memory->most_slots);
}

static void
place_source (AccPlanPart *part, const AccPlanMemory *memory, const AccPlanChoice *choice)
{
  if (part->n_rows <= acc_rows_add (part->carry, choice->chunk_rows))
    {
      place_whole (part, ACC_PLACE_READ_WHOLE);
      return;
    }

  part->place = ACC_PLACE_SLOTS;
  part->headroom = part->carry;
  part->capacity = choice->chunk_rows;
  part->n_buffers = count_slots (part, memory, choice->n_input_slots);
}

static void
place_window (AccPlanPart *part, const AccPlanChoice *choice)
{
  gint64 capacity = acc_rows_add (part->carry, window_bands (part->carry, choice) * choice->band_rows);

  if (capacity >= part->n_rows)
    {
      place_whole (part, ACC_PLACE_WHOLE);
      return;
    }

  part->place = ACC_PLACE_WINDOW;
  part->headroom = 0;
  part->capacity = capacity;
  part->n_buffers = 1;
}

/* Another part for the rows of part @of. @link: where that one keeps its number. */
static guint
get_another (AccPlan *plan, guint of, gsize link)
{
  guint *number = (guint *) ((guint8 *) acc_plan_get_part (plan, of) + link);

  if (*number == 0)
    {
      AccPlanPart part = { NULL, };

      part.name = g_strdup (acc_plan_get_part (plan, of)->name);
      part.value = acc_plan_get_part (plan, of)->value;
      part.n_rows = acc_plan_get_part (plan, of)->n_rows;
      part.lag = acc_plan_get_part (plan, of)->lag;
      part.row_bytes = acc_plan_get_part (plan, of)->row_bytes;
      *number = plan->parts->len;
      g_array_append_val (plan->parts, part);

      return plan->parts->len - 1;
    }

  return *number;
}

/* Where rows of the part pass through on their way between the host and a device. */
static void
place_staging (AccPlan *plan, const AccPlanMemory *memory, guint position, AccPlace place, const AccPlanChoice *choice, guint n_slots)
{
  AccPlanPart *part;

  if (!memory->is_apart)
    return;

  part = acc_plan_get_part (plan, get_another (plan, position, G_STRUCT_OFFSET (AccPlanPart, staging)));
  part->place = place;
  part->headroom = 0;
  part->capacity = MIN (part->n_rows, choice->chunk_rows);
  part->n_buffers = part->capacity >= part->n_rows ? 1 : n_slots;
}

/* Rows that a writer takes as they come, or that come down from a device and are put together on the host. */
static void
place_output (AccPlan *plan, const AccPlanRequest *request, const AccPlanChoice *choice, guint position)
{
  const AccPlanMemory *memory = acc_placement_get_memory (request);
  AccPlanPart *part = acc_plan_get_part (plan, position);

  part->place = ACC_PLACE_OUTPUT;
  part->headroom = 0;
  part->capacity = MIN (part->n_rows, choice->chunk_rows);
  part->n_buffers = count_slots (part, memory, choice->n_output_slots);
  part->on_device = memory->is_apart;

  place_staging (plan, memory, position, ACC_PLACE_DOWNLOAD, choice, choice->n_output_slots);
  if (!request->to_sink)
    {
      part = acc_plan_get_part (plan, get_another (plan, position, G_STRUCT_OFFSET (AccPlanPart, result)));
      place_whole (part, ACC_PLACE_RESULT);
      part->is_fetched = TRUE;
    }
}

static void
place_result (AccPlan *plan, const AccPlanRequest *request, const AccPlanChoice *choice, gboolean is_direct, guint position)
{
  if (is_direct)
    place_whole (acc_plan_get_part (plan, position), ACC_PLACE_RESULT);
  else
    place_output (plan, request, choice, position);
}

/* Where the kernels read and write a value. */
static void
place_value (AccPlan *plan, const AccPlanRequest *request, const AccPlanChoice *choice, guint position)
{
  const AccRowValue *value = &request->flow->run->values[position];
  const AccValueFlow *flow = &request->flow->values[position];
  const AccPlanMemory *memory = acc_placement_get_memory (request);
  gboolean is_source = value->kind == ACC_ROW_VALUE_SOURCE, is_result = value->result >= 0;
  gboolean is_direct = !request->to_sink && !memory->is_apart;   /* kernels write results where they stay */
  AccPlanPart *part = acc_plan_get_part (plan, position);

  part->place = ACC_PLACE_NONE;
  if (value->kind == ACC_ROW_VALUE_REDUCED)
    return;

  if (is_result && !is_source && (is_direct || flow->n_readers == 0))
    {
      place_result (plan, request, choice, is_direct, position);
      return;
    }

  if (is_source && flow->owner == position)
    {
      place_source (part, memory, choice);
      part->on_device = memory->is_apart;
      place_staging (plan, memory, position, ACC_PLACE_UPLOAD, choice, choice->n_input_slots);
    }
  else if (!is_source)
    {
      place_window (part, choice);
      part->on_device = memory->is_apart;
    }

  /* It cannot be where its value is: rows are copied to it. */
  if (is_result)
    place_result (plan, request, choice, is_direct, get_another (plan, position, G_STRUCT_OFFSET (AccPlanPart, copied_to)));
}

static guint64
measure_part (const AccPlanRequest *request, const AccPlanPart *part)
{
  AccRowRun *run = request->flow->run;
  const AccRowValue *value = &run->values[part->value];
  guint64 bytes, multiple = acc_placement_get_memory (request)->multiple;

  if (part->on_device)
    return run->klass->device->measure (run, part->value, part->headroom, part->capacity);

  bytes = acc_row_buffer_get_bytes (value->type, value->row_elements, part->headroom, part->capacity);

  return bytes < G_MAXUINT64 - multiple ? (MAX (bytes, multiple - 1) + multiple - 1) / multiple * multiple : bytes;
}

/* Whether a taller chunk makes it larger. */
static gboolean
goes_by_chunks (const AccPlanPart *part)
{
  switch (part->place)
    {
    case ACC_PLACE_SLOTS:
      return TRUE;
    case ACC_PLACE_OUTPUT:
    case ACC_PLACE_UPLOAD:
    case ACC_PLACE_DOWNLOAD:
      return part->capacity < part->n_rows;
    case ACC_PLACE_NONE:
    case ACC_PLACE_READ_WHOLE:
    case ACC_PLACE_WINDOW:
    case ACC_PLACE_WHOLE:
    case ACC_PLACE_RESULT:
      return FALSE;
    default:
      g_return_val_if_reached (FALSE);
    }
}

AccPlanCost
acc_placement_apply (AccPlan *plan, const AccPlanRequest *request, const AccPlanChoice *choice)
{
  AccRowRun *run = request->flow->run;
  AccPlanCost cost = { acc_bytes_add (request->resident, acc_bytes_add (run->held, run->uploads)), 0, 0, 0 };

  for (guint i = 0; i < request->flow->run->n_values; i++)
    place_value (plan, request, choice, i);

  for (guint i = 0; i < plan->parts->len; i++)
    {
      AccPlanPart *part = acc_plan_get_part (plan, i);

      part->bytes = 0;
      if (part->place == ACC_PLACE_NONE || part->is_fetched)
        continue;

      part->bytes = acc_bytes_multiply (part->n_buffers, measure_part (request, part));
      cost.bytes = acc_bytes_add (cost.bytes, part->bytes);
      if (part->place == ACC_PLACE_UPLOAD || part->place == ACC_PLACE_DOWNLOAD)
        cost.host_bytes = acc_bytes_add (cost.host_bytes, part->bytes);
      if (part->bytes > acc_plan_get_part (plan, cost.largest)->bytes)
        cost.largest = i;

      if (goes_by_chunks (part))
        cost.slope = acc_bytes_add (cost.slope, acc_bytes_multiply (part->n_buffers, part->row_bytes));
      else if (part->place == ACC_PLACE_WINDOW && choice->band_rows == choice->chunk_rows)
        cost.slope = acc_bytes_add (cost.slope, acc_bytes_multiply ((guint64) window_bands (part->carry, choice), part->row_bytes));
    }

  return cost;
}
