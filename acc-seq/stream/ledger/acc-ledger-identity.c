/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "acc-ledger-identity-private.h"

#include "acc-core/array/acc-array-private.h"
#include "acc-core/array/acc-program-private.h"
#include "acc-error.h"
#include "acc-program.h"
#include "acc-source.h"

static gboolean
add_elements (GChecksum *checksum, AccArray *array, GError **error)
{
  for (guint i = 0; i < acc_element_type_get_n_buffers (array->type); i++)
    {
      g_autoptr(GBytes) bytes = acc_array_dup_bytes (array, i, error);
      gsize size;
      const guint8 *data;

      if (bytes == NULL)
        return FALSE;
      data = g_bytes_get_data (bytes, &size);
      for (gsize at = 0; at < size; at += 1 << 30)
        g_checksum_update (checksum, data + at, (gssize) MIN (size - at, 1 << 30));
    }

  return TRUE;
}

typedef struct {
  GHashTable   *seen;       /* nodes and programs */
  GChecksum    *checksum;
  GStrvBuilder *sources;
} Identity;

static gboolean add_nodes (Identity *self, AccArray **roots, guint n_roots, GError **error);

static gboolean
add_source (Identity *self, AccSource *source, GError **error)
{
  g_autofree char *identity = acc_source_dup_identity (source, error), *escaped = NULL, *line = NULL;

  if (identity == NULL)
    return FALSE;
  escaped = g_strescape (acc_source_get_name (source), NULL);
  line = g_strdup_printf ("source %s: %s", escaped, identity);
  g_strv_builder_add (self->sources, line);

  return TRUE;
}

static gboolean
add_node (Identity *self, AccArray *node, GError **error)
{
  AccProgram **programs = acc_array_get_programs (node);

  if (!g_hash_table_add (self->seen, node))
    return TRUE;
  if ((node->op == ACC_OP_USE && !add_elements (self->checksum, node, error))
      || (node->op == ACC_OP_SOURCE && !add_source (self, acc_array_get_source (node), error)))
    return FALSE;

  for (guint i = 0; programs != NULL && i < 2 && programs[i] != NULL; i++)
    {
      guint n;
      AccArray **results = acc_program_get_result_nodes (programs[i], &n);

      if (g_hash_table_add (self->seen, programs[i]) && !add_nodes (self, results, n, error))
        return FALSE;
    }

  return TRUE;
}

static gboolean
add_nodes (Identity *self, AccArray **roots, guint n_roots, GError **error)
{
  g_autoptr(GPtrArray) nodes = acc_array_sort_nodes (roots, n_roots);

  for (guint i = 0; i < nodes->len; i++)
    if (!add_node (self, g_ptr_array_index (nodes, i), error))
      return FALSE;

  return TRUE;
}

char **
acc_ledger_list_identity (const char *version, AccArray *array, GError **error)
{
  g_autoptr(AccProgram) program = acc_program_new_for_results (&array, 1);
  g_autofree char *text = acc_program_to_string (program), *line = NULL;
  g_autoptr(GHashTable) seen = g_hash_table_new (NULL, NULL);
  g_autoptr(GChecksum) checksum = g_checksum_new (G_CHECKSUM_SHA256);
  g_autoptr(GStrvBuilder) lines = g_strv_builder_new (), sources = g_strv_builder_new ();
  g_auto(GStrv) described = NULL;
  Identity self = { seen, checksum, sources };

  g_checksum_update (checksum, (const guchar *) text, -1);
  if (!add_nodes (&self, &array, 1, error))
    return NULL;

  line = g_strdup_printf ("program %s", g_checksum_get_string (checksum));
  described = g_strv_builder_end (sources);
  g_strv_builder_add (lines, version);
  g_strv_builder_addv (lines, (const char **) described);
  g_strv_builder_add (lines, line);

  return g_strv_builder_end (lines);
}
