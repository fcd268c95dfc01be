/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "acc-placement-private.h"

#include "acc-error.h"
#include "acc-core/array/acc-array-private.h"
#include "acc-core/base/acc-ceil-div-private.h"
#include "acc-seq/stream/external/acc-external-private.h"

/* Chunks wanted to fill the pipeline, where that leaves chunks of a useful size. */
#define MIN_CHUNKS       16
/* Elements per processor that are worth starting a step for. */
#define MIN_STEP_ELEMENTS 8192

static gint64
rows_in (guint64 bytes, guint64 row_bytes)
{
  guint64 rows = bytes / MAX (row_bytes, 1);

  return (gint64) CLAMP (rows, 1, ACC_ROWS_MAX);
}

static gint64
choose_rows (guint64 row_bytes, gint64 n_rows, const AccPlanMemory *memory)
{
  gint64 rows = rows_in (memory->chunk_bytes, row_bytes);
  gint64 fill = (n_rows + MIN_CHUNKS - 1) / MIN_CHUNKS;

  rows = MIN (rows, MAX (fill, rows_in (memory->least_bytes, row_bytes)));

  return CLAMP (rows, 1, MAX (n_rows, 1));
}

/* Rows that go through all steps while they lie in the caches of the processors. */
static gint64
choose_band (const AccPlanRequest *request, gint64 chunk_rows)
{
  AccRowRun *run = request->flow->run;
  guint n_threads = MAX (acc_backend_get_n_threads (acc_backend_get_for_rows (request->backend)), 1);
  guint64 touched = 0;
  gint64 widest = 1, rows;

  for (guint i = 0; i < run->n_values; i++)
    if (run->values[i].kind != ACC_ROW_VALUE_REDUCED)
      {
        touched = acc_bytes_add (touched, request->flow->values[i].row_bytes);
        widest = MAX (widest, run->values[i].row_elements);
      }

  rows = rows_in (MAX (acc_bytes_multiply (n_threads, acc_machine_get_cache_bytes () / 2),
                       acc_placement_get_memory (request)->least_band_bytes),
                  touched);
  rows = MAX (rows, acc_ceil_div ((gint64) MIN_STEP_ELEMENTS * n_threads, widest));

  rows = acc_row_flow_round (request->flow, rows);

  return run->n_steps < 2 || rows > chunk_rows / 4 * 3 ? chunk_rows : rows;
}

static AccPlanChoice
make_choice (const AccPlanRequest *request, gint64 chunk_rows, guint n_slots, gboolean tight)
{
  AccPlanChoice choice = { acc_row_flow_round (request->flow, chunk_rows), 0, n_slots, n_slots, tight };

  choice.band_rows = choose_band (request, choice.chunk_rows);
  if (request->chunk_rows == 0 && !tight && choice.chunk_rows > choice.band_rows)
    choice.chunk_rows -= choice.chunk_rows % choice.band_rows;

  return choice;
}

static gint64
wanted_rows (const AccPlanRequest *request, gint64 *small)
{
  const AccPlanMemory *memory = acc_placement_get_memory (request);
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
    return acc_row_flow_round (flow, CLAMP (request->chunk_rows, 1, MAX (flow->n_ticks, 1)));

  if (input == 0 && !request->to_sink && memory->has_caches)
    return choose_band (request, acc_row_flow_round (flow, MAX (flow->n_rows, 1)));

  return acc_row_flow_round (flow, choose_rows (row_bytes, flow->n_rows, memory));
}

static gboolean
fits (AccPlan *plan, const AccPlanCost *cost)
{
  return cost->bytes <= plan->available && cost->host_bytes <= plan->host_available;
}

static gboolean
rows_fit (AccPlan *plan, const AccPlanRequest *request, gint64 rows, guint n_slots, gboolean tight)
{
  AccPlanChoice choice = make_choice (request, rows, n_slots, tight);
  AccPlanCost cost = acc_placement_apply (plan, request, &choice);

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

  return low > 0 ? acc_row_flow_round (request->flow, low) : 0;
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
search (AccPlan *plan, const AccPlanRequest *request, AccPlanChoice *choice)
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
        g_string_append (why, acc_placement_get_memory (request)->why);

      if (stages[i].why[0] != '\0')
        g_string_append_printf (why, "; %s", stages[i].why);

      plan->why = g_string_free (why, FALSE);

      return TRUE;
    }

  return FALSE;
}

/* The memory that is available: recycled memory counts as used until it is reclaimed. @held: memory that the plan counts already. */
static guint64
measure_available (AccBudget *budget, guint64 held)
{
  guint64 limit = acc_budget_get_limit (budget);
  guint64 used = acc_budget_get_used (budget), available;

  if (limit == 0)
    return G_MAXUINT64;

  used -= MIN (used, held);
  available = limit > used ? acc_external_take_share (limit - used) : 0;

  return available - available / 20;
}

/* The host memory that is left after results that are assembled there. Results that never fit have their own error. */
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

/* Of the memory that windows lie in. */
static AccBudget *
get_budget (const AccPlanRequest *request)
{
  return request->flow->run->klass->device != NULL ? acc_backend_get_budget (request->backend)
                                                   : acc_backend_get_host_budget (request->backend);
}

static void
find_available (AccPlan *plan, const AccPlanRequest *request)
{
  AccBudget *budget = get_budget (request);
  gboolean is_held = request->resident_held && budget == acc_backend_get_budget (request->backend);

  plan->limit = acc_budget_get_limit (budget);
  plan->available = measure_available (budget, acc_bytes_add (is_held ? request->resident : 0, request->flow->run->held));
  plan->host_available = measure_host_available (request);
}

/* With what measure_available() leaves out: a limit of so many bytes is enough. */
static guint64
add_slack (guint64 bytes)
{
  return acc_bytes_add (bytes, acc_bytes_add (bytes, 18) / 19);
}

static void
set_does_not_fit (AccPlan *plan, const AccPlanRequest *request, GError **error)
{
  AccPlanChoice choice = make_choice (request, request->chunk_rows > 0 ? request->chunk_rows : 1, 1, TRUE);
  AccPlanCost cost = acc_placement_apply (plan, request, &choice);
  AccPlanPart *largest = acc_plan_get_part (plan, cost.largest);
  GString *text = g_string_new (NULL);

  if (cost.bytes <= plan->available)
    {
      g_set_error (error, ACC_ERROR, ACC_ERROR_OUT_OF_MEMORY,
                   "running by chunks of %" G_GINT64_FORMAT " row%s needs %"
                   G_GUINT64_FORMAT " bytes of the host's memory; of the limit of %"
                   G_GUINT64_FORMAT " bytes allowed %" G_GUINT64_FORMAT " are free", choice.chunk_rows, choice.chunk_rows == 1 ? "" : "s",
                   add_slack (cost.host_bytes), acc_budget_get_limit (acc_backend_get_host_budget (request->backend)),
                   MIN (add_slack (plan->host_available), acc_budget_get_limit (acc_backend_get_host_budget (request->backend))));
      g_string_free (text, TRUE);
      return;
    }

  g_string_append_printf (text,
                          "running by chunks of %" G_GINT64_FORMAT " row%s needs %" G_GUINT64_FORMAT " bytes; of the memory limit of %"
                          G_GUINT64_FORMAT " bytes %" G_GUINT64_FORMAT " are free",
                          choice.chunk_rows, choice.chunk_rows == 1 ? "" : "s", add_slack (cost.bytes), plan->limit,
                          MIN (add_slack (plan->available), plan->limit));
  if (request->flow->run->uploads > MAX (largest->bytes, request->resident))
    g_string_append_printf (text, "; most of it for what a step reads of arrays in memory, which the device gets whole: %" G_GUINT64_FORMAT
                            " bytes", request->flow->run->uploads);
  else if (largest->bytes >= request->resident && largest->bytes > 0)
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
finish (AccPlan *plan, const AccPlanRequest *request, const AccPlanChoice *choice)
{
  AccPlanCost cost = acc_placement_apply (plan, request, choice);

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

      /* On a device there are no more slots than what rows are staged in has. */
      if (part->place == ACC_PLACE_UPLOAD || part->place == ACC_PLACE_SLOTS || part->place == ACC_PLACE_READ_WHOLE)
        plan->n_input_slots = MAX (plan->n_input_slots, part->n_buffers);
      else if (part->place == ACC_PLACE_DOWNLOAD || part->place == ACC_PLACE_OUTPUT)
        plan->n_output_slots = MAX (plan->n_output_slots, part->n_buffers);
    }
}

static void
set_device (AccPlan *plan, AccBackend *backend, AccBackend *rows)
{
  plan->device = g_strdup_printf ("%s: %s%s%s%s%s", acc_backend_get_name (backend), acc_backend_get_description (backend),
                                  rows != backend ? "; rows: " : "", rows != backend ? acc_backend_get_name (rows) : "",
                                  rows != backend ? ": " : "", rows != backend ? acc_backend_get_description (rows) : "");
}

AccPlan *
acc_planner_plan (const AccPlanRequest *request, GError **error)
{
  g_autoptr(AccPlan) plan = acc_plan_new ();
  AccPlanChoice choice;
  gboolean found;

  set_device (plan, request->backend, acc_backend_get_for_rows (request->backend));
  describe_parts (plan, request);
  find_available (plan, request);

  if (plan->available != G_MAXUINT64)
    {
      gint64 small, wanted = wanted_rows (request, &small);
      AccPlanChoice first = make_choice (request, wanted, stages[0].n_slots, FALSE);
      guint64 bytes = acc_placement_apply (plan, request, &first).bytes;

      if (bytes > plan->available
          && acc_budget_spare (get_budget (request), acc_bytes_add (bytes, bytes / 10) - plan->available) > 0)
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
  guint64 room = acc_external_get_room (backend);

  part.name = acc_array_describe (array);
  part.place = ACC_PLACE_RESULT;
  part.n_rows = part.capacity = n_rows;
  part.n_buffers = 1;
  part.row_bytes = row_bytes;
  /* What has no room for all of it runs by bands. */
  part.bytes = in_memory ? 0 : MIN (acc_bytes_multiply (row_bytes, (guint64) n_rows), room);
  g_array_append_val (plan->parts, part);

  set_device (plan, backend, backend);
  plan->limit = acc_budget_get_limit (acc_backend_get_budget (backend));
  plan->n_rows = n_rows;
  plan->chunk_rows = plan->band_rows = chunk_rows > 0
                                       ? MIN (chunk_rows, MAX (n_rows, 1)) : choose_rows (row_bytes, n_rows, &acc_placement_host_memory);
  plan->n_chunks = (guint64) acc_ceil_div (n_rows, plan->chunk_rows);
  plan->resident = resident;
  plan->bytes = acc_bytes_add (part.bytes, resident);
  plan->why = g_strdup (why);

  return plan;
}
