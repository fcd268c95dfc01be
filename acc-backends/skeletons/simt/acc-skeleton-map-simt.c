/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "acc-backends/skeletons/acc-segment-ends.h"
#include "acc-simt.h"

/* Element-wise steps and stencils, by groups of threads:
 *
 *   for u in my rows of the tile:
 *     for k in windows of the tile:
 *       for j < V: roots[u, V (k n + thread) + j] = ...
 *
 * A thread's V neighbouring elements are 16 bytes of the widest array, so that they may be loaded and stored at once. Where
 * stencils meet no border within V elements, their neighbours are not tested. Where elements are told the numbers of their segments, a
 * thread finds that of its first one among those that the tile has elements of: where the tile lies in one, that is no work at all. */

#define WINDOWS 4      /* per row of a tile */
#define ROWS 4         /* per thread and tile */
#define BLOCK_ROWS 4   /* of stencils */
#define RESIDENT 1024  /* threads of stencils and of long elements: fewer do not keep the memory busy */
#define VECTOR_BYTES 16
#define MAX_COST 400   /* rough operations of V elements, which are written out one after the other */
#define MAX_STRAIGHT_COST 640   /* where quotients and roots are no branches, which keep what is after them from what is in front */

/* Bytes of the widest element that is stored. */
static guint
get_widest (AccStep *step)
{
  GArray *roots = step->cluster->roots;
  guint widest = 1;

  for (guint i = 0; i < roots->len; i++)
    widest = MAX (widest, acc_element_type_get_widest (g_array_index (roots, AccRoot, i).node->array->type));

  return widest;
}

static double
get_cost (AccStep *step,
          guint    n_elements)
{
  return n_elements * (step->cluster->cost + 2);
}

static guint
choose_vector (AccStep        *step,
               const AccSpace *space)
{
  guint vector = MAX (VECTOR_BYTES / get_widest (step), 1);
  double most = step->fusion->target->has_estimates ? MAX_STRAIGHT_COST : MAX_COST;

  while (vector > 1 && (get_cost (step, vector) > most || (gint64) vector * 32 > space->inner))
    vector /= 2;

  return vector;
}

static void
store_element (AccLower       *l,
               const AccSpace *space,
               KValue          outer,
               KValue          x)
{
  low_store_roots (l, low_index_of_space (l, space, outer, x));
}

/* The segments of which a tile has elements. */
typedef struct {
  AccSegmentEnds ends;
  KValue         least, most;
} Segments;

static Segments *
find_segments (AccSimt        *simt,
               const AccSpace *space)
{
  AccLower *l = simt->l;
  AccKernelBuilder *b = l->b;
  KValue places[] = { kb_inner_begin (b), kb_sub (b, kb_inner_end (b), low_const (l, 1)) }, found[2], last;
  Segments *self;

  if (l->step->cluster->offsets == NULL)
    return NULL;

  self = low_alloc (l, sizeof *self);
  self->ends = acc_segment_ends_new (l, space);
  last = low_number (l, self->ends.n_segments - 1);
  if (acc_simt_search (simt, self->ends.n_segments, places, acc_segment_ends_before, &self->ends, found))
    {
      self->least = kb_min (b, found[0], last);
      self->most = kb_max (b, self->least, kb_min (b, found[1], last));
    }
  else
    {
      self->least = acc_segment_ends_find (&self->ends, l, places[0], low_const (l, 0), last);
      self->most = acc_segment_ends_find (&self->ends, l, places[1], self->least, last);
    }

  return self;
}

/* The V elements from @first on, which all exist. Their segments are found before all else, so that what is loaded together is. */
static void
store_vector (AccLower       *l,
              const AccSpace *space,
              KValue          outer,
              KValue          first,
              guint           vector,
              const Segments *segments)
{
  AccKernelBuilder *b = l->b;
  KValue *own = low_alloc (l, vector * sizeof (KValue));

  for (guint j = 0; j < vector && segments != NULL; j++)
    {
      KValue x = low_within (l, kb_add (b, first, low_const (l, j)), 0, space->inner - 1);
      KVar next;

      if (j == 0)
        {
          own[j] = acc_segment_ends_find (&segments->ends, l, x, segments->least, segments->most);
          continue;
        }
      next = kb_var (b, own[j - 1]);
      low_if (l, kb_le (b, acc_segment_ends_get (&segments->ends, l, own[j - 1]), x))
        {
          kb_set (b, next, acc_segment_ends_find (&segments->ends, l, x, own[j - 1], segments->most));
        }
      own[j] = low_within (l, kb_get (b, next), 0, segments->ends.n_segments - 1);
    }

  for (guint j = 0; j < vector; j++)
    {
      l->segment = segments != NULL ? own[j] : (KValue) { 0 };
      store_element (l, space, outer, kb_add (b, first, low_const (l, j)));
    }
  l->segment = (KValue) { 0 };
}

/* Those of them that are within [begin, end). */
static void
store_some (AccLower       *l,
            const AccSpace *space,
            KValue          outer,
            KValue          first,
            guint           vector,
            KValue          begin,
            KValue          end,
            const Segments *segments)
{
  AccKernelBuilder *b = l->b;

  low_for (l, j, low_const (l, 0), low_const (l, vector))
    {
      KValue x = kb_add (b, first, j);

      low_if (l, kb_and (b, kb_le (b, begin, x), kb_lt (b, x, end)))
        {
          if (segments != NULL)
            l->segment = acc_segment_ends_find (&segments->ends, l, low_within (l, x, 0, space->inner - 1), segments->least,
                                                segments->most);
          store_element (l, space, outer, x);
          l->segment = (KValue) { 0 };
        }
    }
}

static void
write_row (AccSimt        *self,
           const AccSpace *space,
           KValue          outer,
           guint           vector)
{
  AccLower *l = self->l;
  AccKernelBuilder *b = l->b;
  gint64 window = (gint64) self->width * vector;
  gint64 margin = acc_skeleton_has_stencil (l->step) ? acc_skeleton_get_margin (l->step, space) : 0;
  KValue begin = kb_inner_begin (b), end = kb_inner_end (b);
  /* Counted in vectors from 0 of the whole space, not from where the tile or a band begins. */
  KValue base = kb_udiv (b, begin, low_const (l, vector));
  KValue left = kb_sub (b, end, kb_mul (b, base, low_const (l, vector)));
  KValue n_windows = kb_udiv (b, kb_add (b, left, low_const (l, window - 1)), low_const (l, window));
  KValue from = kb_max (b, begin, low_number (l, margin));
  KValue to = kb_min (b, end, low_number (l, space->inner - margin));
  const Segments *segments = find_segments (self, space);

  if (acc_skeleton_has_stencil (l->step))
    low_prepare_taps (l, low_index_of_space (l, space, outer, begin));

  low_for (l, k, low_const (l, 0), n_windows)
    {
      KValue at = kb_add (b, kb_add (b, base, kb_mul (b, k, low_const (l, self->width))), self->thread);
      KValue first = kb_mul (b, at, low_const (l, vector));

      low_if (l, kb_and (b, kb_le (b, from, first), kb_le (b, kb_add (b, first, low_const (l, vector)), to)))
        {
          l->inner_inside = TRUE;
          store_vector (l, space, outer, low_within (l, first, 0, space->inner - 1), vector, segments);
          l->inner_inside = FALSE;
        }
      /* A vector of one that meets no border is there, or is not. */
      if (vector > 1 || margin > 0)
        {
          low_else (l)
            {
              store_some (l, space, outer, first, vector, begin, end, segments);
            }
        }
    }
}

static void
write_stencil_row (AccSimt        *self,
                   const AccSpace *space,
                   KValue          outer,
                   guint           vector)
{
  AccLower *l = self->l;

  l->outer_inside = acc_skeleton_get_outer_radius (l->step, space) == 0;
  if (l->outer_inside || !acc_skeleton_tests_neighbours (l->step))
    {
      write_row (self, space, outer, vector);
      return;
    }

  low_if (l, acc_skeleton_get_outer_inside (l, space, outer))
    {
      l->outer_inside = TRUE;
      write_row (self, space, outer, vector);
      l->outer_inside = FALSE;
    }
  low_else (l)
    {
      write_row (self, space, outer, vector);
    }
}

/* Neighbouring rows of a stencil by one thread, in one block where none of them meets a border: what their windows have in common
 * is loaded once. */
static void
write_stencil_rows (AccSimt        *self,
                    const AccSpace *space,
                    KValue          outer,
                    guint           vector)
{
  AccLower *l = self->l;
  AccKernelBuilder *b = l->b;
  KValue rows[BLOCK_ROWS], inside = kb_le (b, kb_add (b, outer, low_const (l, BLOCK_ROWS)), kb_outer_end (b));
  KValue begin = kb_inner_begin (b), end = kb_inner_end (b);
  gint64 window = (gint64) self->width * vector, margin = acc_skeleton_get_margin (l->step, space);
  KValue base = kb_udiv (b, begin, low_const (l, vector));
  KValue left = kb_sub (b, end, kb_mul (b, base, low_const (l, vector)));
  KValue n_windows = kb_udiv (b, kb_add (b, left, low_const (l, window - 1)), low_const (l, window));
  KValue from = kb_max (b, begin, low_number (l, margin));
  KValue to = kb_min (b, end, low_number (l, space->inner - margin));

  for (guint r = 0; r < BLOCK_ROWS; r++)
    {
      rows[r] = low_within (l, kb_add (b, outer, low_const (l, r)), 0, space->outer - 1);
      inside = kb_and (b, inside, acc_skeleton_get_outer_inside (l, space, rows[r]));
    }

  low_if (l, inside)
    {
      l->outer_inside = TRUE;
      for (guint r = 0; r < BLOCK_ROWS; r++)
        low_prepare_taps (l, low_index_of_space (l, space, rows[r], begin));
      low_for (l, k, low_const (l, 0), n_windows)
        {
          KValue at = kb_add (b, kb_add (b, base, kb_mul (b, k, low_const (l, self->width))), self->thread);
          KValue first = kb_mul (b, at, low_const (l, vector));

          low_if (l, kb_and (b, kb_le (b, from, first), kb_le (b, kb_add (b, first, low_const (l, vector)), to)))
            {
              l->inner_inside = TRUE;
              low_within (l, first, 0, space->inner - 1);
              for (guint r = 0; r < BLOCK_ROWS; r++)
                store_vector (l, space, rows[r], first, vector, NULL);
              l->inner_inside = FALSE;
            }
          low_else (l)
            {
              for (guint r = 0; r < BLOCK_ROWS; r++)
                store_some (l, space, rows[r], first, vector, begin, end, NULL);
            }
        }
      l->outer_inside = FALSE;
    }
  low_else (l)
    {
      low_for (l, r, low_const (l, 0), low_const (l, BLOCK_ROWS))
        {
          KValue u = kb_add (b, outer, r);

          low_if (l, kb_lt (b, u, kb_outer_end (b)))
            {
              write_stencil_row (self, space, low_within (l, u, 0, space->outer - 1), vector);
            }
        }
    }
}

void
acc_skeleton_map_simt (AccStep        *step,
                       const AccSpace *space)
{
  guint vector;
  guint width = 1, group = acc_simt_get_group (step);
  AccLaunch launch = acc_skeleton_launch (space, acc_skeleton_get_cost (step));
  gboolean blocks;
  guint n_rows;
  AccSimt simt;
  AccLower *l;

  if (!acc_skeleton_has_stencil (step) && acc_skeleton_transpose_simt (step, space))
    return;

  vector = choose_vector (step, space);
  while (width < group && (gint64) width * vector < space->inner)
    width *= 2;
  n_rows = group / width;
  blocks = n_rows == 1 && space->first_inner > 0 && acc_skeleton_has_stencil (step) && acc_skeleton_get_outer_radius (step, space) > 0
           && get_cost (step, BLOCK_ROWS * vector) <= 4 * MAX_COST;

  l = acc_simt_begin (&simt, step, acc_skeleton_get_name (step), space->first_inner > 0 ? width : group);
  l->first_inner = space->first_inner;
  if (get_cost (step, vector) > MAX_COST)
    kb_set_resident (l->b, RESIDENT);
  if (space->first_inner == 0)
    {
      launch.tile_outer = 1;
      launch.tile_inner = (gint64) group * vector * WINDOWS;
      write_row (&simt, space, low_const (l, 0), vector);
    }
  else
    {
      AccKernelBuilder *b = l->b;
      KValue first = kb_add (b, kb_outer_begin (b), simt.row);
      KValue count = kb_sub (b, kb_outer_end (b), first);

      launch.tile_outer = (gint64) n_rows * ROWS;
      launch.tile_inner = (gint64) width * vector * (n_rows > 1 || blocks ? 1 : WINDOWS);
      if (blocks)
        {
          kb_set_resident (b, RESIDENT);
          launch.tile_outer = BLOCK_ROWS;
          write_stencil_rows (&simt, space, low_within (l, kb_outer_begin (b), 0, space->outer - 1), vector);
          low_finish (l, launch);
          return;
        }
      if (n_rows == 1)
        launch.tile_outer = 1;
      low_for (l, r, low_const (l, 0),
               kb_udiv (b, kb_add (b, kb_max (b, count, low_const (l, 0)), low_const (l, n_rows - 1)), low_const (l, n_rows)))
        {
          KValue u = low_within (l, kb_add (b, first, kb_mul (b, r, low_const (l, n_rows))), 0, space->outer - 1);

          if (acc_skeleton_has_stencil (step))
            write_stencil_row (&simt, space, u, vector);
          else
            write_row (&simt, space, u, vector);
        }
    }
  low_finish (l, launch);
}
