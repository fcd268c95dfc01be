/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "acc-walk-private.h"

/* What a walk would do, in words. */

static const char *
get_name (AccSequence *sequence)
{
  switch (sequence->kind)
    {
    case ACC_SEQUENCE_KIND_PRODUCER: return sequence->producer != NULL ? G_OBJECT_TYPE_NAME (sequence->producer) : "windows";
    case ACC_SEQUENCE_KIND_NESTED: return "elements in memory";
    case ACC_SEQUENCE_KIND_ARRAY: return "rows of a source";
    case ACC_SEQUENCE_KIND_COUNTER: return "numbers";
    case ACC_SEQUENCE_KIND_MAP: return "map";
    case ACC_SEQUENCE_KIND_FILTER: return "filter";
    case ACC_SEQUENCE_KIND_TAKE: return "take";
    case ACC_SEQUENCE_KIND_DROP: return "drop";
    case ACC_SEQUENCE_KIND_TAKE_WHILE: return "take_while";
    case ACC_SEQUENCE_KIND_CONCAT: return "concat";
    case ACC_SEQUENCE_KIND_SCAN: return "scan";
    case ACC_SEQUENCE_KIND_BATCH: return "batch";
    case ACC_SEQUENCE_KIND_EXPAND: return "expand";
    case ACC_SEQUENCE_KIND_MAP_BATCH: return "map_batch";
    case ACC_SEQUENCE_KIND_FOLD_BATCH: return "fold_batch";
    }

  return "";
}

char *
acc_walk_describe (AccBackend   *backend,
                   AccSequence **roots,
                   guint         n_roots,
                   gint64        chunk)
{
  g_autoptr(GPtrArray) sequences = acc_walk_sort_sequences (roots, n_roots);
  g_autofree char *bytes = g_format_size_full ((guint64) acc_walk_step_bytes (backend, FALSE), G_FORMAT_SIZE_IEC_UNITS);
  GString *text = g_string_new ("walks over ");
  gint64 latency = 0;

  for (guint i = 0; i < sequences->len; i++)
    {
      AccSequence *sequence = g_ptr_array_index (sequences, i);

      g_string_append_printf (text, "%s%s", i == 0 ? "" : sequence->n_inputs == 0 ? ", " : " → ", get_name (sequence));
      if (sequence->label != NULL)
        g_string_append_printf (text, " “%s”", sequence->label);
      if (sequence->latency > 0 && (latency == 0 || sequence->latency < latency))
        latency = sequence->latency;
    }
  if (chunk > 0)
    g_string_append_printf (text, " in steps of %" G_GINT64_FORMAT " elements", chunk);
  else
    g_string_append_printf (text, " in steps of at most %s an array, and reads the next step meanwhile", bytes);
  if (latency > 0)
    g_string_append_printf (text, ", with fewer elements where one would take more than %.3g ms", (double) latency / 1e3);

  return g_string_free (text, FALSE);
}
