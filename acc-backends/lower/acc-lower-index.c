/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "acc-lower.h"

#include <string.h>

/* Lowers index arithmetic: from the index space of a step to the indices of each array, without divisions where possible. */

AccIndex *
low_index_new (AccLower *l,
               guint     rank)
{
  AccIndex *ix = low_alloc (l, sizeof (AccIndex));

  ix->rank = rank;
  ix->at = low_alloc (l, MAX (rank, 1) * sizeof (KValue));

  return ix;
}

void
low_index_lose_rows (AccLower      *l,
                     AccIndex      *ix,
                     AccFusionNode *culprit,
                     const char    *why)
{
  if (ix->row_error == NULL)
    {
      g_autofree char *text = g_strdup_printf ("%s %s", low_describe (l, culprit), why);
      char *kept = low_alloc (l, strlen (text) + 1);

      strcpy (kept, text);
      ix->row_error = kept;
    }
}

/* The dimensions [*begin, *end] that are counted together, among them @d. */
static void
find_run (const AccIndex *ix,
          guint           d,
          guint          *begin,
          guint          *end)
{
  for (*begin = d; *begin > 0 && ix->at[*begin - 1].id == 0;)
    (*begin)--;
  for (*end = d; ix->at[*end].id == 0;)
    (*end)++;
}

KValue
low_index_component (AccLower       *l,
                     const AccIndex *ix,
                     const gint64   *extents,
                     guint           d)
{
  guint begin, end;
  KValue x;

  find_run (ix, d, &begin, &end);
  x = low_udiv (l, ix->at[end], acc_extents_multiply (extents, d + 1, end + 1));

  return d > begin ? low_urem (l, x, extents[d]) : x;
}

/* The dimensions [begin, end) as one; runs do not cross their border. */
static KValue
get_linear (AccLower       *l,
            const AccIndex *ix,
            const gint64   *extents,
            guint           begin,
            guint           end)
{
  KValue sum = low_const (l, 0);

  for (guint d = begin; d < end; d++)
    if (ix->at[d].id != 0)
      sum = low_add (l, sum, low_mul (l, ix->at[d], low_stride (l, acc_extents_multiply (extents, d + 1, end))));

  return sum;
}

KValue
low_index_address (AccLower       *l,
                   const AccIndex *ix,
                   const gint64   *extents)
{
  return get_linear (l, ix, extents, 0, ix->rank);
}

AccIndex *
low_index_remap (AccLower       *l,
                 const AccIndex *ix,
                 const gint64   *extents,
                 const int      *map,
                 const KValue   *fixed,
                 const gint64   *to_extents,
                 guint           to_rank)
{
  AccIndex *to = low_index_new (l, to_rank);
  guint c = 0;

  to->above = ix->above;
  to->below = ix->below;
  to->row_error = ix->row_error;

  while (c < to_rank)
    {
      guint begin, end;
      gboolean whole;

      if (map[c] < 0)
        {
          to->at[c] = fixed[c];
          c++;
          continue;
        }

      find_run (ix, map[c], &begin, &end);
      whole = (int) begin == map[c] && c + (end - begin) < to_rank;
      for (guint i = begin + 1; whole && i <= end; i++)
        whole = map[c + i - begin] == (int) i && to_extents[c + i - begin] == extents[i];
      if (whole)
        {
          to->at[c + end - begin] = ix->at[end];
          c += end - begin + 1;
        }
      else
        {
          to->at[c] = low_index_component (l, ix, extents, map[c]);
          c++;
        }
    }

  return to;
}

AccIndex *
low_index_same (AccLower            *l,
                const AccIndex      *ix,
                const gint64        *extents,
                const AccFusionNode *to)
{
  g_autofree int *map = NULL;
  AccIndex *same;

  if (ix->rank == 0 || memcmp (extents, to->extents, ix->rank * sizeof (gint64)) == 0)
    return (AccIndex *) ix;

  map = g_new (int, ix->rank);
  for (guint d = 0; d < ix->rank; d++)
    map[d] = d;

  same = low_index_remap (l, ix, extents, map, NULL, to->extents, to->rank);
  same->is_column = ix->is_column;

  return same;
}

typedef struct {
  AccLower            *l;
  const AccIndex      *ix;
  const AccFusionNode *from;
  AccIndex            *to;
  guint                begin, to_begin;   /* of groups that a run goes through */
  gboolean             pending;
} Reshape;

static void
reshape_group (guint    from_begin,
               guint    from_end,
               guint    to_begin,
               guint    to_end,
               gpointer user_data)
{
  Reshape *self = user_data;

  if (!self->pending)
    {
      self->begin = from_begin;
      self->to_begin = to_begin;
    }
  self->pending = from_end > from_begin && self->ix->at[from_end - 1].id == 0;
  if (self->pending)
    return;

  if (to_end > self->to_begin)
    self->to->at[to_end - 1] = get_linear (self->l, self->ix, self->from->extents, self->begin, from_end);
}

AccIndex *
low_index_reshape (AccLower            *l,
                   const AccIndex      *ix,
                   const AccFusionNode *from,
                   const AccFusionNode *to)
{
  AccIndex *result = low_index_new (l, to->rank);
  Reshape self = { l, ix, from, result };

  result->above = ix->above;
  result->below = ix->below;
  result->row_error = ix->row_error;
  if (from->size > 0)
    {
      acc_extents_match (from->extents, from->rank, to->extents, to->rank, reshape_group, &self);
    }
  else
    {
      for (guint d = 0; d < to->rank; d++)
        result->at[d] = low_const (l, 0);
    }

  return result;
}

/* Takes @linear, an index of the dimensions [0, end), apart into runs. */
static void
split_linear (AccLower       *l,
              const AccSpace *space,
              KValue          linear,
              guint           end,
              AccIndex       *ix)
{
  gint64 rest = acc_extents_multiply (space->extents, 0, end);
  guint d = 0;

  while (d < end)
    {
      guint last = d;
      gint64 n;

      while (last + 1 < end && space->merged[last])
        last++;
      n = MAX (acc_extents_multiply (space->extents, d, last + 1), 1);
      rest = MAX (rest / n, 1);
      ix->at[last] = low_within (l, low_udiv (l, linear, rest), 0, n - 1);
      linear = low_urem (l, linear, rest);
      d = last + 1;
    }
}

AccIndex *
low_index_of_space (AccLower       *l,
                    const AccSpace *space,
                    KValue          outer,
                    KValue          inner)
{
  AccIndex *ix = low_index_new (l, space->rank);

  if (space->rank > 0)
    {
      split_linear (l, space, outer, space->first_inner, ix);
      ix->at[space->rank - 1] = low_within (l, inner, 0, MAX (space->inner, 1) - 1);
    }
  ix->is_own = TRUE;

  return ix;
}

AccIndex *
low_index_of_linear (AccLower       *l,
                     const AccSpace *space,
                     KValue          linear)
{
  AccIndex *ix = low_index_new (l, space->rank);

  split_linear (l, space, linear, space->rank, ix);

  return ix;
}
