/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "acc-stages-private.h"

#include "acc-core/array/acc-array-private.h"
#include "acc-core/array/acc-array-values-private.h"
#include "acc-error.h"
#include "acc-memory-source-private.h"
#include "acc-plan-private.h"
#include "acc-seq/stream/external/acc-external-walk-private.h"

/* Stages without reading or computing anything. */

/* What is larger may well be computed, too, but not for a plan. */
#define SMALL_BYTES (64 * 1024)

/* Each stage of a plan stores something that the one before did not. */
#define MOST_STAGES 64

typedef struct {
  AccStagesPlan *plan;
  AccStagesMode  mode;
  GHashTable    *values;      /* AccArray to what takes its place, owned */
  GPtrArray     *arrays;      /* owned */
  GHashTable    *stored;      /* AccArray, of the stages looked at last */
  GPtrArray     *counted;     /* of plan->counted, by these stages */
  gboolean       in_files;    /* no store goes to memory */
  gboolean       took_memory;
} Stages;

/* --- what plans say */

/* A line. Returns whether the store is computed by a walk of its own, or, where it is led, of another one. */
static gboolean
describe_store (AccStagesPlan *self, const AccStageStore *store, guint stage, gboolean in_memory, gboolean is_led)
{
  g_autofree char *what = acc_array_describe (store->store), *size = NULL;
  g_autofree char *way = store->external != NULL ? acc_external_describe (store->external, self->backend, store->store) : NULL;

  if (!in_memory)
    acc_plan_traffic_add_files (&self->traffic, self->backend, store->store, store->external);
  if (way != NULL)
    {
      g_string_append_printf (self->text, "stage %u  %s: %s%s\n", stage, store->why, way, is_led ? ", in the same walk" : "");
      return TRUE;
    }
  if (in_memory && store->has_rows && store->bytes != G_MAXUINT64)
    self->traffic.memory = acc_bytes_add (self->traffic.memory, store->bytes);
  size = store->bytes == G_MAXUINT64 ? g_strdup ("what it takes") : g_format_size_full (store->bytes, G_FORMAT_SIZE_IEC_UNITS);
  g_string_append_printf (self->text, "stage %u  %s is stored in %s, %s: %s%s\n", stage, what, in_memory ? "memory" : "a temporary file",
                          size, store->why, is_led ? ", in the same walk" : "");

  return !in_memory;
}

/* --- what takes the place of stores */

/* It takes the memory that the run will take. */
static AccArray *
new_zeros (AccBackend *backend, AccArray *array)
{
  g_autofree AccBuffer **buffers = acc_buffers_allocate (array->type, acc_shape_get_size (array->shape),
                                                         acc_backend_get_budget (backend), "a plan", NULL);

  return buffers != NULL ? acc_array_new_manifest (array->type, array->shape, buffers) : NULL;
}

AccArray *
acc_stages_new_holes (AccBackend *backend, AccElementType *type, AccShape *shape)
{
  g_autoptr(AccStore) store = acc_store_new_growing (backend, type, acc_shape_get_size (shape), "a plan", NULL);
  g_autoptr(AccArray) vector = store != NULL ? acc_store_dup_array (store, NULL) : NULL;

  return vector != NULL ? acc_array_see_as (vector, shape) : NULL;
}

/* What takes the place of what is kept of something: as if it was all. */
static AccArray *
new_most (AccStagesPlan *self, AccArray *array)
{
  guint64 n = acc_plan_traffic_count_most (array);
  g_autoptr(AccShape) shape = NULL;
  AccArray *value;

  if (!self->by_most || array->rank != 1 || n >= G_MAXINT64)
    return NULL;

  shape = acc_shape_new_vector ((gint64) n);
  value = acc_stages_new_holes (self->backend, array->type, shape);
  self->went_on |= value != NULL;
  self->traffic.at_most |= value != NULL;

  return value;
}

/* NULL: nothing that plans could use. */
static AccArray *
pretend_store (AccStagesPlan *self, const AccStageStore *store, AccStagesMode mode, gboolean in_memory)
{
  AccBackend *backend = self->backend;
  AccArray *value = store->external != NULL && store->external->replace != NULL ? store->external->replace (backend, store->store, NULL)
                                                                                : NULL;

  if (value != NULL)
    return value;
  if (mode == ACC_STAGES_REDUCTIONS)
    return !store->has_rows && store->bytes <= SMALL_BYTES ? new_zeros (backend, store->store) : NULL;
  if (store->decides)
    return NULL;
  if (store->store->shape == NULL)
    return new_most (self, store->store);
  if (store->external != NULL && !acc_external_leaves_store (store->external, backend, store->store))
    return acc_external_pretend (store->external, backend, store->store);
  if (!store->has_rows && store->external == NULL)
    return store->bytes <= SMALL_BYTES ? new_zeros (backend, store->store) : NULL;

  value = acc_stages_new_holes (backend, store->store->type, store->store->shape);
  if (value != NULL && in_memory && store->store->rank > 0 && !acc_array_is_manifest (store->store))
    acc_stages_set_in_memory (value, TRUE);

  return value;
}

gboolean
acc_stages_plan_room (AccStagesPlan *self, AccArray **arrays, guint n_arrays, const GError *reason)
{
  AccArray *largest = g_error_matches (reason, ACC_ERROR, ACC_ERROR_OUT_OF_MEMORY) ? acc_stages_find_in_memory (arrays, n_arrays) : NULL;
  g_autofree char *size = NULL;

  if (largest == NULL)
    return FALSE;
  acc_stages_set_in_memory (largest, FALSE);
  size = g_format_size_full (acc_external_get_bytes (largest), G_FORMAT_SIZE_IEC_UNITS);
  g_string_append_printf (self->text, "room     a store of %s moves from memory to a temporary file: what follows needs the memory\n",
                          size);
  acc_plan_traffic_add_files (&self->traffic, self->backend, largest, NULL);

  return TRUE;
}

/* --- a stage */

/* Whether there is room for what a store takes. All others of later stages are looked at when those before are stored, if plans go on. */
static gboolean
check (Stages *self, const AccStageStore *store, gboolean in_memory, GError **error)
{
  AccStagesPlan *plan = self->plan;
  AccArray *array = store->store;

  if (store->external != NULL)
    return (store->stage > 0 && store->external->measure_least (array) == G_MAXUINT64)
           || acc_external_check (store->external, plan->backend, array, error);
  if (store->stage > 0 || in_memory || self->mode == ACC_STAGES_SOURCES || plan->check (plan->data, &array, 1, FALSE, error))
    return TRUE;
  acc_stages_prefix_error (store, error);

  return FALSE;
}

static gboolean
check_together (Stages *self, GPtrArray *arrays, const AccStageStore *first, GError **error)
{
  if (arrays->len == 0 || self->mode == ACC_STAGES_SOURCES
      || self->plan->check (self->plan->data, (AccArray **) arrays->pdata, arrays->len, TRUE, error))
    return TRUE;
  if (first != NULL)
    acc_stages_prefix_error (first, error);

  return FALSE;
}

/* What its walks take along. */
static void
plan_beside (Stages *self, GPtrArray *beside, gboolean *is_known)
{
  AccStagesPlan *plan = self->plan;

  for (guint i = 0; i < beside->len; i++)
    {
      AccArray *array = g_ptr_array_index (beside, i), *value = *is_known ? new_zeros (plan->backend, array) : NULL;
      g_autofree char *what = acc_array_describe (array);

      g_string_append_printf (plan->text, "stage %u  %s is computed by the same walk\n", plan->n, what);
      *is_known = value != NULL;
      if (value != NULL)
        g_hash_table_insert (self->values, array, value);
    }
}

/* What the walk of store number @leader reads: all that algorithms that have the same one are made of. */
static void
add_walk (Stages *self, GArray *stores, guint leader)
{
  g_autoptr(GPtrArray) nodes = acc_stages_list_led (stores, leader);

  acc_plan_traffic_add_walk (&self->plan->traffic.read, (AccArray **) nodes->pdata, nodes->len, self->stored);
}

/* What it is expected to hold is held until the stage is planned. */
static gboolean
pretend (Stages *self, const AccStageStore *store, guint64 *held)
{
  AccArray *value = pretend_store (self->plan, store, self->mode, store->in_memory);
  guint64 bytes;

  if (value == NULL)
    return FALSE;
  g_hash_table_insert (self->values, store->store, value);
  if (value->op == ACC_OP_SOURCE && acc_external_is_pretended (value, &bytes))
    acc_external_hold (self->plan->backend, held, *held + bytes);

  return TRUE;
}

/* Of @stage. *@is_known: whether plans can go on, which they do with @self->values. @beside: nullable. */
static gboolean
plan_stores (Stages *self, GArray *stores, GPtrArray *beside, guint stage, gboolean *is_known, guint64 *held, GError **error)
{
  AccStagesPlan *plan = self->plan;
  g_autoptr(GPtrArray) together = g_ptr_array_new ();
  const AccStageStore *first = NULL;
  guint n = 0;

  if (stage > 0)
    acc_stages_place (plan->backend, stores, self->mode, stage, self->in_files);
  for (guint i = 0; i < stores->len; i++)
    {
      const AccStageStore *store = &g_array_index (stores, AccStageStore, i);

      if (store->stage != stage)
        continue;
      if (n++ == 0)
        plan->n++;
      self->took_memory |= store->in_memory && store->has_rows;
      if (!describe_store (plan, store, plan->n, store->in_memory, store->leader != i))
        g_ptr_array_add (together, store->store);
      else if (store->leader == i)
        add_walk (self, stores, i);
      first = first == NULL && store->in_memory ? store : first;
      /* Of what has a walk with others that was looked at. */
      if (store->leader == i && !check (self, store, store->in_memory, error))
        return FALSE;

      *is_known = *is_known && pretend (self, store, held);
    }
  acc_plan_traffic_add_walk (&plan->traffic.read, (AccArray **) together->pdata, together->len, self->stored);
  if (beside != NULL)
    {
      plan_beside (self, beside, is_known);
      g_ptr_array_extend (together, beside, NULL, NULL);
    }

  return stage > 0 || check_together (self, together, first, error);
}

static gboolean
plan_stage (Stages *self, GArray *stores, GPtrArray *beside, guint stage, gboolean *is_known, GError **error)
{
  guint64 held = 0;
  gboolean done = plan_stores (self, stores, beside, stage, is_known, &held, error);

  acc_external_hold (self->plan->backend, &held, 0);

  return done;
}

/* Reductions are all taken together, and so is what nobody looks for again. */
static gboolean
try_stages (Stages *self, GArray *stores, gboolean *is_known, GError **error)
{
  g_autoptr(GPtrArray) beside = acc_stages_find_beside (self->plan->backend, (AccArray **) self->arrays->pdata, self->arrays->len,
                                                        self->mode, stores);
  guint last = 0;

  g_hash_table_remove_all (self->stored);
  for (guint i = 0; i < beside->len; i++)
    g_hash_table_add (self->stored, g_ptr_array_index (beside, i));
  for (guint i = 0; i < stores->len; i++)
    {
      const AccStageStore *store = &g_array_index (stores, AccStageStore, i);

      g_hash_table_add (self->stored, store->store);
      last = MAX (last, store->stage);
    }
  *is_known = TRUE;
  for (guint stage = 0; stage <= last && (stage == 0 || !*is_known || self->mode == ACC_STAGES_REDUCTIONS); stage++)
    if (!plan_stage (self, stores, stage == 0 ? beside : NULL, stage, is_known, error))
      return FALSE;

  return TRUE;
}

/* What stands in memory meanwhile is held, once. */
static void
hold (Stages *self, guint64 *held, gboolean all)
{
  AccStagesPlan *plan = self->plan;
  guint64 bytes = 0;

  acc_stages_uncount_memory (plan->counted, self->counted);
  if (all)
    bytes = acc_stages_count_memory (plan->counted, self->counted, (AccArray **) self->arrays->pdata, self->arrays->len);
  acc_external_hold (plan->backend, held, bytes);
}

/* As runs find room for it. */
static gboolean
plan_stages (Stages *self, GArray *stores, guint64 *held, gboolean *is_known, GError **error)
{
  AccStagesPlan *plan = self->plan;
  GError *local = NULL;

  self->in_files = FALSE;
  for (;;)
    {
      AccPlanTraffic before = plan->traffic;
      gsize length = plan->text->len;
      guint n = plan->n;

      self->took_memory = FALSE;
      if (try_stages (self, stores, is_known, &local))
        return TRUE;

      g_hash_table_remove_all (self->values);
      g_string_truncate (plan->text, length);
      plan->traffic = before;
      plan->n = n;
      if (!acc_stages_plan_room (plan, (AccArray **) self->arrays->pdata, self->arrays->len, local))
        {
          if (!self->took_memory || !g_error_matches (local, ACC_ERROR, ACC_ERROR_OUT_OF_MEMORY))
            break;
          self->in_files = TRUE;
        }
      hold (self, held, TRUE);
      g_clear_error (&local);
      acc_stages_place (plan->backend, stores, self->mode, 0, self->in_files);
    }
  g_propagate_error (error, local);

  return FALSE;
}

/* What has rows of a store in place of a source is walked again. FALSE: there is no room for the store. */
static gboolean
plan_sources (Stages *self, GPtrArray *sources)
{
  AccStagesPlan *plan = self->plan;
  guint64 room = acc_external_get_room (plan->backend);

  for (guint i = 0; i < sources->len; i++)
    {
      AccArray *source = g_ptr_array_index (sources, i);
      AccStageStore store = acc_stages_keep_source (source);
      gboolean in_memory = acc_stages_takes_memory (&store, &room);
      g_autoptr(AccArray) value = acc_stages_new_holes (plan->backend, source->type, source->shape);

      describe_store (plan, &store, plan->n + 1, in_memory, FALSE);
      plan->traffic.read = acc_bytes_add (plan->traffic.read, store.bytes);
      if (value == NULL)
        return FALSE;
      acc_stages_set_in_memory (value, in_memory);
      g_hash_table_insert (self->values, source, acc_memory_source_new_rows (value));
    }

  return TRUE;
}

static gboolean
plan_all (Stages *self, guint64 *held, gboolean *is_known, GError **error)
{
  AccStagesPlan *plan = self->plan;

  for (guint n = 0; n < MOST_STAGES && *is_known; n++)
    {
      g_autoptr(GArray) stores = NULL;
      g_autoptr(GPtrArray) kept = NULL;

      hold (self, held, TRUE);
      stores = acc_stages_find_stores (plan->backend, (AccArray **) self->arrays->pdata, self->arrays->len, self->mode, NULL);
      if (stores->len > 0)
        acc_stages_place (plan->backend, stores, self->mode, 0, FALSE);
      kept = acc_stages_find_kept (plan->backend, (AccArray **) self->arrays->pdata, self->arrays->len, stores);
      if (kept->len == 0 && stores->len == 0)
        return TRUE;
      if (kept->len > 0)
        *is_known = plan_sources (self, kept);
      else if (!plan_stages (self, stores, held, is_known, error))
        return FALSE;
      *is_known = *is_known && acc_stages_replace (self->values, self->arrays, NULL);
    }
  *is_known = FALSE;

  return TRUE;
}

gboolean
acc_stages_plan (AccStagesPlan *self, AccArray **arrays, guint n_arrays, AccStagesMode mode, GPtrArray **after, GError **error)
{
  g_autoptr(GHashTable) values = g_hash_table_new_full (NULL, NULL, NULL, g_object_unref);
  g_autoptr(GPtrArray) others = g_ptr_array_new_with_free_func (g_object_unref);
  g_autoptr(GHashTable) stored = g_hash_table_new (NULL, NULL);
  g_autoptr(GPtrArray) last = g_ptr_array_new (), counted = g_ptr_array_new ();
  Stages stages = { self, mode, values, others, stored, counted, FALSE, FALSE };
  gboolean is_known = TRUE, done;
  guint64 held = 0;

  for (guint i = 0; i < n_arrays; i++)
    g_ptr_array_add (others, g_object_ref (arrays[i]));
  done = acc_stages_take_windows (self->backend, others, mode, error) && plan_all (&stages, &held, &is_known, error);
  hold (&stages, &held, FALSE);

  if (is_known)
    g_hash_table_remove_all (stored);
  for (guint i = 0; i < n_arrays; i++)
    if (!g_hash_table_contains (stored, g_ptr_array_index (others, i)))
      g_ptr_array_add (last, g_ptr_array_index (others, i));
  self->traffic.last = 0;
  acc_plan_traffic_add_walk (&self->traffic.last, (AccArray **) last->pdata, last->len, stored);
  *after = done && is_known ? g_steal_pointer (&others) : NULL;

  return done;
}
