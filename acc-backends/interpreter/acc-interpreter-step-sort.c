/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "acc-interpreter-step.h"

#include <string.h>

#include "acc-error.h"

/* sort: rows of keys and of where they were, merged from runs of 1, 2, 4, … */

#define CHECK 8192

typedef struct {
  guint64 key;
  gint64  place;
} Entry;

/* To @to, of @from: [begin, middle) and [middle, end), each in order. */
static void
merge (Entry       *to,
       const Entry *from,
       gint64       begin,
       gint64       middle,
       gint64       end)
{
  gint64 i = begin, j = middle;

  for (gint64 k = begin; k < end; k++)
    to[k] = i < middle && (j >= end || from[i].key <= from[j].key) ? from[i++] : from[j++];
}

/* The one of both vectors that has them in order; NULL: cancelled. */
static Entry *
merge_all (InterpStep  *self,
           Entry       *entries,
           Entry       *room,
           gint64       n,
           GError     **error)
{
  for (gint64 width = 1; width < n; width *= 2)
    {
      Entry *swap = entries;

      if (n >= CHECK && g_cancellable_set_error_if_cancelled (self->context->cancellable, error))
        return NULL;
      for (gint64 i = 0; i < n; i += 2 * width)
        merge (room, entries, i, MIN (i + width, n), MIN (i + 2 * width, n));
      entries = room;
      room = swap;
    }
  return entries;
}

static gboolean
find_keys (InterpStep  *self,
           gint64       first,
           gint64       n,
           Entry       *entries,
           GError     **error)
{
  InterpFrame *frame = self->frames[0];

  for (gint64 i = 0; i < n; i++)
    {
      if (i % CHECK == 0 && g_cancellable_set_error_if_cancelled (self->context->cancellable, error))
        return FALSE;
      interp_frame_load (frame, 0, self->inputs[0], first + i);
      if (!interp_frame_run (frame, error))
        return FALSE;
      entries[i] = (Entry) { frame->registers[frame->tape->results[0]].u, first + i };
    }
  return TRUE;
}

static void
move_elements (InterpStep  *self,
               const Entry *entries,
               gint64       first,
               gint64       n)
{
  InterpValue *to = self->result, *from = self->inputs[0];

  for (guint buffer = 0; buffer < to->n_buffers; buffer++)
    {
      gsize size = to->sizes[buffer];

      for (gint64 i = 0; i < n; i++)
        memcpy (to->bases[buffer] + (gsize) (first + i) * size, from->bases[buffer] + (gsize) entries[i].place * size, size);
    }
}

static gboolean
sort_row (InterpStep  *self,
          gint64       first,
          gint64       n,
          Entry       *entries,
          GError     **error)
{
  Entry *sorted;

  if (!interp_step_check_window (self, self->result, first, first + n, error) ||
      !interp_step_check_window (self, self->inputs[0], first, first + n, error) ||
      !find_keys (self, first, n, entries, error) ||
      (sorted = merge_all (self, entries, entries + n, n, error)) == NULL)
    return FALSE;

  move_elements (self, sorted, first, n);
  return TRUE;
}

static gboolean
step_sort (InterpStep  *self,
           gint64       begin,
           gint64       end,
           GError     **error)
{
  gint64 n = self->extents[self->rank - 1], last = end * self->result->row_elements;
  g_autofree Entry *entries = NULL;

  if (begin >= end || n == 0)
    return TRUE;
  if ((entries = g_try_new (Entry, 2 * (gsize) n)) == NULL)
    {
      g_autofree char *where = acc_array_describe (self->node);

      g_set_error (error, ACC_ERROR, ACC_ERROR_OUT_OF_MEMORY, "%s: no memory for the keys of a row", where);
      return FALSE;
    }

  /* Of rank 1 all is one row, which comes at once. */
  for (gint64 first = begin * self->result->row_elements; first < last; first += n)
    if (!sort_row (self, first, n, entries, error))
      return FALSE;
  return TRUE;
}

gboolean
interp_step_prepare_sort (InterpStep  *self,
                          GError     **error)
{
  self->run = step_sort;
  return TRUE;
}
