/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "acc-external-blocks-private.h"

#include "acc-core/array/acc-array-private.h"
#include "acc-error.h"
#include "acc-source.h"

static const AccExternal *const table[] = {
  &acc_external_pack,     /* before others of permutes */
  &acc_external_scatter,
  &acc_external_sort,
  &acc_external_segments,
  &acc_external_segment_rows,
  &acc_external_wide,
  &acc_external_stencil,
  &acc_external_labels,
  &acc_external_label_count,
  &acc_external_loop,
  &acc_external_distance,
  &acc_external_product,
  &acc_external_rows,
  &acc_external_transpose,
  &acc_external_gather,
  &acc_external_bring,
  &acc_external_by_host,  /* behind all that read elements as they are */
  &acc_external_foreign,
};

/* --- rows that plans expect */

#define ACC_TYPE_EXPECTED_SOURCE (acc_expected_source_get_type ())
G_DECLARE_FINAL_TYPE (AccExpectedSource, acc_expected_source, ACC, EXPECTED_SOURCE, AccSource)

struct _AccExpectedSource
{
  AccSource parent_instance;

  guint64   held, resident;
};

G_DEFINE_FINAL_TYPE (AccExpectedSource, acc_expected_source, ACC_TYPE_SOURCE)

static guint64
acc_expected_source_get_resident_bytes (AccSource *source)
{
  return ACC_EXPECTED_SOURCE (source)->resident;
}

static void
acc_expected_source_class_init (AccExpectedSourceClass *klass)
{
  ACC_SOURCE_CLASS (klass)->get_resident_bytes = acc_expected_source_get_resident_bytes;
}

static void
acc_expected_source_init (AccExpectedSource *self)
{
}

const AccExternal *
acc_external_get (AccArray *node)
{
  guint n;

  for (guint i = 0; i < G_N_ELEMENTS (table); i++)
    if (table[i]->takes (node, &n) != NULL)
      return table[i];

  return NULL;
}

static gboolean
computes (const AccExternal *self, AccBackend *backend, AccArray *node)
{
  gboolean is_apart = acc_backend_is_apart (backend);
  guint64 bytes = is_apart && self->measure_apart != NULL ? self->measure_apart (node) : self->measure_whole (node), room;

  if (bytes == G_MAXUINT64 || (self->on_devices && !is_apart))
    return FALSE;
  if (self->suits != NULL && !self->suits (backend, node))
    return FALSE;
  room = self->by_hosts ? acc_external_get_host_room (backend) : acc_external_get_room (backend);

  return bytes > room && !(self->by_hosts && self->measure_least (node) > room);
}

const AccExternal *
acc_external_find (AccBackend *backend, AccArray *node)
{
  guint n;

  for (guint i = 0; i < G_N_ELEMENTS (table); i++)
    if (table[i]->takes (node, &n) != NULL && computes (table[i], backend, node))
      return table[i];

  return NULL;
}

static gboolean
keeps_groups (AccArray *node)
{
  gboolean keeps = FALSE;

  for (guint i = 0; node->direct != NULL && i < G_N_ELEMENTS (table) && !keeps; i++)
    keeps = table[i]->keeps_groups != NULL && table[i]->keeps_groups (node);

  return keeps;
}

const AccExternal *
acc_external_get_only (AccArray *node)
{
  const AccExternal *external = keeps_groups (node) ? acc_external_get (node) : NULL;

  return external != NULL && external->keeps_groups != NULL ? external : NULL;
}

AccArray *
acc_external_find_only (AccArray **arrays, guint n_arrays, gboolean in_memory)
{
  g_autoptr(GPtrArray) nodes = acc_array_sort_known_nodes (arrays, n_arrays);
  g_autoptr(GHashTable) sourced = g_hash_table_new (NULL, NULL);
  AccArray *other;

  for (guint i = 0; i < nodes->len; i++)
    {
      AccArray *node = g_ptr_array_index (nodes, i);
      gboolean depends = in_memory || node->op == ACC_OP_SOURCE;

      for (guint n = 0; !depends && (other = acc_array_nth_dependence (node, n)) != NULL; n++)
        depends = g_hash_table_contains (sourced, other);
      if (depends)
        g_hash_table_add (sourced, node);
      if (depends && keeps_groups (node))
        return node;
    }

  return NULL;
}

gboolean
acc_external_leaves_store (const AccExternal *self, AccBackend *backend, AccArray *node)
{
  return self->leaves != NULL ? self->leaves (backend, node) : self->leaves_store;
}

void
acc_external_count_passes (const AccExternal *self, AccBackend *backend, AccArray *node, guint *n_written, guint *n_read)
{
  *n_written = self->n_written;
  *n_read = self->n_read;
  if (self->count_passes != NULL)
    self->count_passes (backend, node, n_written, n_read);
}

char *
acc_external_describe (const AccExternal *self, AccBackend *backend, AccArray *node)
{
  guint n_written, n_read;
  g_autofree char *least = NULL;

  if (self->describe != NULL)
    return self->describe (backend, node);
  acc_external_count_passes (self, backend, node, &n_written, &n_read);
  least = g_format_size_full (self->measure_least (node), G_FORMAT_SIZE_IEC_UNITS);

  return g_strdup_printf ("%s: written %u times and read %u times, within %s at least", self->way, n_written, n_read, least);
}

AccArray *
acc_external_pretend (const AccExternal *self, AccBackend *backend, AccArray *node)
{
  g_autofree char *name = acc_array_describe (node);
  g_autoptr(AccExpectedSource) source = g_object_new (ACC_TYPE_EXPECTED_SOURCE, "name", name, NULL);

  source->held = self->measure_held != NULL ? self->measure_held (backend, node) : 0;
  source->resident = self->measure_resident != NULL ? self->measure_resident (backend, node) : 0;
  acc_source_set_layout (ACC_SOURCE (source), node->type, node->shape);

  return acc_array_new_from_source (ACC_SOURCE (source));
}

gboolean
acc_external_is_pretended (AccArray *source, guint64 *held)
{
  AccSource *expected = acc_array_get_source (source);
  gboolean is_pretended = ACC_IS_EXPECTED_SOURCE (expected);

  *held = is_pretended ? ACC_EXPECTED_SOURCE (expected)->held : 0;

  return is_pretended;
}

gboolean
acc_external_check (const AccExternal *self, AccBackend *backend, AccArray *node, GError **error)
{
  guint64 least = self->measure_least (node), room = acc_external_get_room (backend);
  AccBudget *budget;
  g_autofree char *what = NULL;

  if (least <= room)
    return TRUE;

  /* What a device has is moved out of the way, so that all of its limit is free. */
  budget = room < acc_external_get_host_room (backend) ? acc_backend_get_budget (backend) : acc_backend_get_host_budget (backend);
  what = acc_array_describe (node);
  g_set_error (error, ACC_ERROR, ACC_ERROR_OUT_OF_MEMORY,
               "%s out of core (%s) needs %" G_GUINT64_FORMAT " bytes; of the memory limit of %" G_GUINT64_FORMAT " bytes %"
               G_GUINT64_FORMAT " are free", what, self->way, least, acc_budget_get_limit (budget), room);

  return FALSE;
}

void
acc_external_prefix_error (const AccExternalTask *task, GError **error)
{
  g_autofree char *what = NULL;

  if (error == NULL || *error == NULL || g_error_matches (*error, G_IO_ERROR, G_IO_ERROR_CANCELLED))
    return;
  what = acc_array_describe (task->node);
  g_prefix_error (error, "%s: ", what);
}

AccArray *
acc_external_compute (const AccExternal *self, const AccExternalTask *task, GError **error)
{
  g_autoptr(AccArray) read = self->dup_read != NULL ? self->dup_read (task->backend, task->node) : NULL;
  AccArray *result = NULL;

  if (read != NULL)
    return acc_external_compute_together (&self, task, 1, &result, error) ? result : NULL;
  if (!acc_external_check (self, task->backend, task->node, error))
    return NULL;

  result = self->compute (task, error);
  if (result == NULL)
    acc_external_prefix_error (task, error);

  return result;
}
