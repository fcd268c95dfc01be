/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "acc-planner-private.h"

#include "acc-error.h"
#include "acc-core/array/acc-array-private.h"
#include "acc-core/base/acc-ceil-div-private.h"
#include "acc-row-buffer-private.h"

/* What memory that kernels see wants of chunks. */
typedef struct {
  gboolean    is_apart;        /* from what readers fill and writers empty: rows are staged between the two */
  gboolean    has_caches;      /* that bands fit */
  guint64     chunk_bytes, least_bytes, small_bytes;
  guint64     multiple;        /* of bytes of memory of the host */
  guint       most_slots;      /* that kernels see */
  const char *why;
} Memory;

/* Throughput is flat between 0.1 and 4 MiB of input per chunk and falls beyond it, where caches no longer help. */
static const Memory host_memory = {
  .has_caches = TRUE,
  .chunk_bytes = 2 * 1024 * 1024,
  .least_bytes = 128 * 1024,
  .small_bytes = 256 * 1024,
  .multiple = 1,
  .most_slots = G_MAXUINT,
  .why = "chunks of a size that caches like",
};

/* What transfers need to be at their best. Two slots are enough: one computed with or from while the other one travels. */
static const Memory device_memory = {
  .is_apart = TRUE,
  .chunk_bytes = 8 * 1024 * 1024,
  .least_bytes = 512 * 1024,
  .small_bytes = 1024 * 1024,
  .multiple = 256,
  .most_slots = 2,
  .why = "chunks of a size that transfers like",
};

/* Chunks wanted to fill the pipeline, where that leaves chunks of a useful size. */
#define MIN_CHUNKS       16
/* Elements per processor that are worth starting a step for. */
#define MIN_STEP_ELEMENTS 8192
#define MAX_WINDOW_BANDS 8

typedef struct {
  gint64   chunk_rows;
  gint64   band_rows;
  guint    n_input_slots, n_output_slots;
  gboolean tight;      /* windows as small as they can be */
} Choice;

typedef struct {
  guint64 bytes;
  guint64 host_bytes;  /* that pass through the host's memory, besides */
  guint64 slope;       /* of one more row per chunk */
  guint   largest;     /* part */
} Cost;

static const Memory *
get_memory (const AccPlanRequest *request)
{
  return request->flow->run->klass->device != NULL ? &device_memory : &host_memory;
}

static gint64
rows_in (guint64 bytes, guint64 row_bytes)
{
  guint64 rows = bytes / MAX (row_bytes, 1);

  return (gint64) CLAMP (rows, 1, ACC_ROWS_MAX);
}

static gint64
choose_rows (guint64 row_bytes, gint64 n_rows, const Memory *memory)
{
  gint64 rows = rows_in (memory->chunk_bytes, row_bytes);
  gint64 fill = (n_rows + MIN_CHUNKS - 1) / MIN_CHUNKS;

  rows = MIN (rows, MAX (fill, rows_in (memory->least_bytes, row_bytes)));

  return CLAMP (rows, 1, MAX (n_rows, 1));
}

gint64
acc_planner_choose_rows (guint64 row_bytes, gint64 n_rows)
{
  return choose_rows (row_bytes, n_rows, &host_memory);
}

/* A window of one band more than it keeps is moved to the front at each band; where much is kept, seldom. */
static gint64
window_bands (gint64 carry, const Choice *choice)
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
count_slots (const AccPlanPart *part, const Memory *memory, guint n_slots)
{
  return part->capacity >= part->n_rows ? 1 : MIN (n_slots, memory->most_slots);
}

static void
place_source (AccPlanPart *part, const Memory *memory, const Choice *choice)
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
place_window (AccPlanPart *part, const Choice *choice)
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

static void
place_staging (AccPlan *plan, guint position, AccPlace place, const Choice *choice, guint n_slots)
{
  AccPlanPart *part = acc_plan_get_part (plan, get_another (plan, position, G_STRUCT_OFFSET (AccPlanPart, staging)));

  part->place = place;
  part->headroom = 0;
  part->capacity = MIN (part->n_rows, choice->chunk_rows);
  part->n_buffers = part->capacity >= part->n_rows ? 1 : n_slots;
}

/* Rows that a writer takes as they come, or that come down from a device and are put together on the host. */
static void
place_output (AccPlan *plan, const AccPlanRequest *request, const Choice *choice, guint position)
{
  const Memory *memory = get_memory (request);
  AccPlanPart *part = acc_plan_get_part (plan, position);

  part->place = ACC_PLACE_OUTPUT;
  part->headroom = 0;
  part->capacity = MIN (part->n_rows, choice->chunk_rows);
  part->n_buffers = count_slots (part, memory, choice->n_output_slots);
  part->on_device = memory->is_apart;
  if (!memory->is_apart)
    return;

  place_staging (plan, position, ACC_PLACE_DOWNLOAD, choice, choice->n_output_slots);
  if (!request->to_sink)
    {
      part = acc_plan_get_part (plan, get_another (plan, position, G_STRUCT_OFFSET (AccPlanPart, result)));
      place_whole (part, ACC_PLACE_RESULT);
      part->is_fetched = TRUE;
    }
}

/* Where the kernels read and write a value. */
static void
place_value (AccPlan *plan, const AccPlanRequest *request, const Choice *choice, guint position)
{
  const AccRowValue *value = &request->flow->run->values[position];
  const AccValueFlow *flow = &request->flow->values[position];
  const Memory *memory = get_memory (request);
  gboolean is_source = value->kind == ACC_ROW_VALUE_SOURCE, is_result = value->result >= 0;
  gboolean is_direct = !request->to_sink && !memory->is_apart;   /* kernels write results where they stay */
  AccPlanPart *part = acc_plan_get_part (plan, position);
  guint copy;

  part->place = ACC_PLACE_NONE;
  if (value->kind == ACC_ROW_VALUE_REDUCED)
    return;

  if (is_result && !is_source && is_direct)
    {
      place_whole (part, ACC_PLACE_RESULT);
      return;
    }
  if (is_result && !is_source && flow->n_readers == 0)
    {
      place_output (plan, request, choice, position);
      return;
    }

  if (is_source && flow->owner == position)
    {
      place_source (part, memory, choice);
      part->on_device = memory->is_apart;
      if (memory->is_apart)
        place_staging (plan, position, ACC_PLACE_UPLOAD, choice, choice->n_input_slots);
    }
  else if (!is_source)
    {
      place_window (part, choice);
      part->on_device = memory->is_apart;
    }

  /* It cannot be where its value is: rows are copied to it. */
  if (!is_result)
    return;
  copy = get_another (plan, position, G_STRUCT_OFFSET (AccPlanPart, copied_to));
  if (is_direct)
    place_whole (acc_plan_get_part (plan, copy), ACC_PLACE_RESULT);
  else
    place_output (plan, request, choice, copy);
}

static guint64
measure_part (const AccPlanRequest *request, const AccPlanPart *part)
{
  AccRowRun *run = request->flow->run;
  const AccRowValue *value = &run->values[part->value];
  guint64 bytes, multiple = get_memory (request)->multiple;

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

static Cost
apply (AccPlan *plan, const AccPlanRequest *request, const Choice *choice)
{
  Cost cost = { acc_bytes_add (request->resident, request->flow->run->held), 0, 0, 0 };

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

/* Rows that go through all steps while they lie in the caches of the processors. */
static gint64
choose_band (const AccPlanRequest *request, gint64 chunk_rows)
{
  AccRowRun *run = request->flow->run;
  guint n_threads = MAX (acc_backend_get_n_threads (request->backend), 1);
  guint64 touched = 0;
  gint64 widest = 1, rows;

  if (!get_memory (request)->has_caches)
    return chunk_rows;

  for (guint i = 0; i < run->n_values; i++)
    if (run->values[i].kind != ACC_ROW_VALUE_REDUCED)
      {
        touched = acc_bytes_add (touched, request->flow->values[i].row_bytes);
        widest = MAX (widest, run->values[i].row_elements);
      }

  rows = rows_in (acc_bytes_multiply (n_threads, acc_machine_get_cache_bytes () / 2), touched);
  rows = MAX (rows, acc_ceil_div ((gint64) MIN_STEP_ELEMENTS * n_threads, widest));

  if (run->n_steps < 2 || rows > chunk_rows / 4 * 3)
    return chunk_rows;

  return rows;
}

static Choice
make_choice (const AccPlanRequest *request, gint64 chunk_rows, guint n_slots, gboolean tight)
{
  Choice choice = { chunk_rows, 0, n_slots, n_slots, tight };

  choice.band_rows = choose_band (request, chunk_rows);
  if (request->chunk_rows == 0 && !tight && chunk_rows > choice.band_rows)
    choice.chunk_rows -= chunk_rows % choice.band_rows;

  return choice;
}

static gint64
wanted_rows (const AccPlanRequest *request, gint64 *small)
{
  const Memory *memory = get_memory (request);
  AccRowFlow *flow = request->flow;
  guint64 input = 0, output = 0, row_bytes;

  for (guint i = 0; i < flow->run->n_values; i++)
    {
      if (flow->run->values[i].kind == ACC_ROW_VALUE_SOURCE && flow->values[i].owner == i)
        input = acc_bytes_add (input, flow->values[i].row_bytes);
      else if (flow->run->values[i].kind == ACC_ROW_VALUE_ROWS && flow->run->values[i].result >= 0)
        output = acc_bytes_add (output, flow->values[i].row_bytes);
    }

  row_bytes = input > 0 ? input : output;
  *small = rows_in (memory->small_bytes, row_bytes);

  if (request->chunk_rows > 0)
    return CLAMP (request->chunk_rows, 1, MAX (flow->n_ticks, 1));

  if (input == 0 && !request->to_sink && memory->has_caches)
    return choose_band (request, MAX (flow->n_rows, 1));

  return choose_rows (row_bytes, flow->n_rows, memory);
}

static gboolean
fits (AccPlan *plan, const Cost *cost)
{
  return cost->bytes <= plan->available && cost->host_bytes <= plan->host_available;
}

static gboolean
rows_fit (AccPlan *plan, const AccPlanRequest *request, gint64 rows, guint n_slots, gboolean tight)
{
  Choice choice = make_choice (request, rows, n_slots, tight);
  Cost cost = apply (plan, request, &choice);

  return fits (plan, &cost);
}

/* The largest chunk of at most @rows that fits; 0 where none does. All rows in one chunk may take less than several chunks do. */
static gint64
fit_rows (AccPlan *plan, const AccPlanRequest *request, gint64 rows, guint n_slots, gboolean tight)
{
  gint64 low = 0, high = rows - 1;

  if (rows_fit (plan, request, rows, n_slots, tight))
    return rows;
  if (request->chunk_rows > 0)
    return 0;

  while (low < high)
    {
      gint64 middle = high - (high - low) / 2;

      if (rows_fit (plan, request, middle, n_slots, tight))
        low = middle;
      else
        high = middle - 1;
    }

  return low;
}

typedef struct {
  guint       n_slots;
  gboolean    tight;
  const char *why;
} Stage;

static const Stage stages[] = {
  { 3, FALSE, "" },
  { 2, FALSE, "two buffers each way because of the memory limit" },
  { 2, TRUE,  "small windows because of the memory limit" },
  { 1, TRUE,  "reading, computing and writing take turns because of the memory limit" },
};

static gboolean
search (AccPlan *plan, const AccPlanRequest *request, Choice *choice)
{
  gint64 small, wanted = wanted_rows (request, &small);
  gint64 enough = MIN (wanted, small);

  for (guint i = 0; i < G_N_ELEMENTS (stages); i++)
    {
      gboolean last = i + 1 == G_N_ELEMENTS (stages);
      gint64 rows = fit_rows (plan, request, wanted, stages[i].n_slots, stages[i].tight);
      GString *why;

      /* Overlap is worth more than tall chunks, but not more than chunks of a few rows. */
      if (rows == 0 || (!last && rows < enough / (i + 1)))
        continue;

      *choice = make_choice (request, rows, stages[i].n_slots, stages[i].tight);

      why = g_string_new (NULL);
      if (request->chunk_rows > 0)
        g_string_append (why, "the caller asked for this height");
      else if (rows < wanted)
        g_string_append_printf (why, "the memory limit allows %" G_GINT64_FORMAT " of %" G_GINT64_FORMAT " rows wanted", rows, wanted);
      else if (rows >= request->flow->n_rows)
        g_string_append (why, "all rows make one chunk");
      else
        g_string_append (why, get_memory (request)->why);

      if (stages[i].why[0] != '\0')
        g_string_append_printf (why, "; %s", stages[i].why);

      plan->why = g_string_free (why, FALSE);

      return TRUE;
    }

  return FALSE;
}

/* What can be had: recycled memory counts as used until somebody asks for it. @held: of what the plan counts. */
static guint64
measure_available (AccBudget *budget, guint64 held)
{
  guint64 limit = acc_budget_get_limit (budget);
  guint64 used = acc_budget_get_used (budget), available;

  if (limit == 0)
    return G_MAXUINT64;

  used -= MIN (used, held);
  available = limit > used ? limit - used : 0;

  return available - available / 20;
}

/* What results that are put together on the host leave. Those that never fit say so by themselves. */
static guint64
measure_host_available (const AccPlanRequest *request)
{
  AccRowRun *run = request->flow->run;
  guint64 available = measure_available (acc_backend_get_host_budget (request->backend), 0), results = 0;

  for (guint i = 0; i < run->n_values && !request->to_sink; i++)
    if (run->values[i].kind != ACC_ROW_VALUE_REDUCED && run->values[i].result >= 0)
      results = acc_bytes_add (results, acc_bytes_multiply (request->flow->values[i].row_bytes, (guint64) run->values[i].n_rows));

  return available < G_MAXUINT64 && results < available ? available - results : available;
}

static void
find_available (AccPlan *plan, const AccPlanRequest *request)
{
  AccBudget *budget = acc_backend_get_budget (request->backend);

  plan->limit = acc_budget_get_limit (budget);
  plan->available = measure_available (budget, acc_bytes_add (request->resident_held ? request->resident : 0, request->flow->run->held));
  plan->host_available = measure_host_available (request);
}

static void
set_does_not_fit (AccPlan *plan, const AccPlanRequest *request, GError **error)
{
  Choice choice = make_choice (request, request->chunk_rows > 0 ? request->chunk_rows : 1, 1, TRUE);
  Cost cost = apply (plan, request, &choice);
  AccPlanPart *largest = acc_plan_get_part (plan, cost.largest);
  GString *text = g_string_new (NULL);

  if (cost.bytes <= plan->available)
    {
      g_set_error (error, ACC_ERROR, ACC_ERROR_OUT_OF_MEMORY,
                   "running by chunks of %" G_GINT64_FORMAT " row%s needs %" G_GUINT64_FORMAT " bytes of the host's memory; of the limit of %"
                   G_GUINT64_FORMAT " bytes allowed %" G_GUINT64_FORMAT " are free", choice.chunk_rows, choice.chunk_rows == 1 ? "" : "s",
                   cost.host_bytes, acc_budget_get_limit (acc_backend_get_host_budget (request->backend)), plan->host_available);
      g_string_free (text, TRUE);
      return;
    }

  g_string_append_printf (text, "running by chunks of %" G_GINT64_FORMAT " row%s needs %" G_GUINT64_FORMAT " bytes; of the memory limit of %"
                          G_GUINT64_FORMAT " bytes %" G_GUINT64_FORMAT " are free",
                          choice.chunk_rows, choice.chunk_rows == 1 ? "" : "s", cost.bytes, plan->limit, plan->available);
  if (largest->bytes >= request->resident && largest->bytes > 0)
    g_string_append_printf (text, "; most of it for %s: %" G_GUINT64_FORMAT " bytes%s", largest->name, largest->bytes,
                            largest->awaited ? ", whose rows wait for a reduction over all rows" : "");
  else if (request->resident > 0)
    g_string_append_printf (text, "; most of it held by the source or sink itself: %" G_GUINT64_FORMAT " bytes", request->resident);

  g_set_error_literal (error, ACC_ERROR, ACC_ERROR_OUT_OF_MEMORY, text->str);
  g_string_free (text, TRUE);
}

static void
describe_parts (AccPlan *plan, const AccPlanRequest *request)
{
  AccRowFlow *flow = request->flow;

  for (guint i = 0; i < flow->run->n_values; i++)
    {
      AccPlanPart part = { NULL, };

      part.name = acc_row_flow_describe_value (flow, i);
      part.value = i;
      part.n_rows = flow->run->values[i].n_rows;
      part.lag = flow->values[i].lag;
      part.carry = flow->values[i].carry;
      part.row_bytes = flow->values[i].row_bytes;
      part.awaited = flow->values[i].awaited;
      g_array_append_val (plan->parts, part);

      if (flow->run->values[i].result >= 0)
        {
          plan->halo_above = MAX (plan->halo_above, flow->values[i].halo.above);
          plan->halo_below = MAX (plan->halo_below, flow->values[i].halo.below);
        }
    }
}

static void
finish (AccPlan *plan, const AccPlanRequest *request, const Choice *choice)
{
  Cost cost = apply (plan, request, choice);

  plan->chunk_rows = choice->chunk_rows;
  plan->band_rows = choice->band_rows;
  plan->n_rows = request->flow->n_rows;
  plan->n_chunks = (guint64) acc_ceil_div (request->flow->n_ticks, choice->chunk_rows);
  plan->bytes = cost.bytes;
  plan->slope = cost.slope;
  plan->resident = request->resident;

  for (guint i = 0; i < plan->parts->len; i++)
    {
      const AccPlanPart *part = acc_plan_get_part (plan, i);

      /* Readers and writers have what rows are staged in. */
      if (part->staging > 0)
        continue;
      if (part->place == ACC_PLACE_UPLOAD || part->place == ACC_PLACE_SLOTS || part->place == ACC_PLACE_READ_WHOLE)
        plan->n_input_slots = MAX (plan->n_input_slots, part->n_buffers);
      else if (part->place == ACC_PLACE_DOWNLOAD || part->place == ACC_PLACE_OUTPUT)
        plan->n_output_slots = MAX (plan->n_output_slots, part->n_buffers);
    }
}

static void
set_device (AccPlan *plan, AccBackend *backend)
{
  const char *description = acc_backend_get_description (backend);

  plan->device = g_strdup_printf ("%s%s%s", acc_backend_get_name (backend),
                                  description != NULL ? ": " : "", description != NULL ? description : "");
}

AccPlan *
acc_planner_plan (const AccPlanRequest *request, GError **error)
{
  g_autoptr(AccPlan) plan = acc_plan_new ();
  Choice choice;
  gboolean found;

  set_device (plan, request->backend);
  describe_parts (plan, request);
  find_available (plan, request);

  if (plan->available != G_MAXUINT64)
    {
      gint64 small, wanted = wanted_rows (request, &small);
      Choice first = make_choice (request, wanted, stages[0].n_slots, FALSE);
      guint64 bytes = apply (plan, request, &first).bytes;

      if (bytes > plan->available
          && acc_budget_spare (acc_backend_get_budget (request->backend), acc_bytes_add (bytes, bytes / 10) - plan->available) > 0)
        find_available (plan, request);
    }

  found = search (plan, request, &choice);
  if (!found)
    {
      set_does_not_fit (plan, request, error);
      return NULL;
    }

  finish (plan, request, &choice);

  return g_steal_pointer (&plan);
}

AccPlan *
acc_planner_plan_whole (AccBackend *backend, AccArray *array, gint64 n_rows, guint64 row_bytes, guint64 resident,
                        gint64 chunk_rows, gboolean in_memory, const char *why)
{
  AccPlan *plan = acc_plan_new ();
  AccPlanPart part = { NULL, };

  part.name = acc_array_describe (array);
  part.place = ACC_PLACE_RESULT;
  part.n_rows = part.capacity = n_rows;
  part.n_buffers = 1;
  part.row_bytes = row_bytes;
  part.bytes = in_memory ? 0 : acc_bytes_multiply (row_bytes, (guint64) n_rows);
  g_array_append_val (plan->parts, part);

  set_device (plan, backend);
  plan->limit = acc_budget_get_limit (acc_backend_get_budget (backend));
  plan->n_rows = n_rows;
  plan->chunk_rows = plan->band_rows = chunk_rows > 0 ? MIN (chunk_rows, MAX (n_rows, 1)) : acc_planner_choose_rows (row_bytes, n_rows);
  plan->n_chunks = (guint64) acc_ceil_div (n_rows, plan->chunk_rows);
  plan->resident = resident;
  plan->bytes = acc_bytes_add (part.bytes, resident);
  plan->why = g_strdup (why);

  return plan;
}
