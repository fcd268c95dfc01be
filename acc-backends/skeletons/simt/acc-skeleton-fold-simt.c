/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "acc-simt.h"

/* Folds by groups of threads.
 *
 * Of rows: as many threads per row as give each a few elements, several rows per group where rows are short. Rows that are
 * long and few are cut into parts, a group each, and of everything there are parts, too; a second kernel combines them. How
 * many parts there are follows from the extents alone: floats are the same whatever the device. Where there are floats, rows are cut
 * whether they are few or not, so that how they are grouped follows from the length of a row. */

#define MAX_ROWS 4
#define COSTLY 12      /* rough operations per element */

typedef struct {
  const AccSpace *space;
  KValue          outer;       /* rows: the row; id 0: elements are counted over the whole space */
  KValue          base;        /* parts: the first */
} Source;

static void
read_element (AccFold  *fold,
              AccLower *l,
              KValue    at,
              KValue   *result,
              gpointer  data)
{
  const Source *source = data;

  acc_fold_element (fold, l, source->space, source->outer, low_within (l, at, 0, source->space->inner - 1), result);
}

static void
read_linear (AccFold  *fold,
             AccLower *l,
             KValue    at,
             KValue   *result,
             gpointer  data)
{
  const Source *source = data;
  gint64 inner = source->space->inner;

  acc_fold_element (fold, l, source->space, low_udiv (l, at, inner), low_urem (l, at, inner), result);
}

static void
read_part (AccFold  *fold,
           AccLower *l,
           KValue    at,
           KValue   *result,
           gpointer  data)
{
  acc_fold_load_part (fold, l, kb_add (l->b, ((const Source *) data)->base, at), result);
}

/* Elements of a part, of @n in @rows rows. */
static gint64
choose_part (gint64 n,
             gint64 rows)
{
  gint64 parts = MAX (ACC_SIMT_PARTS / rows, 1), part = ACC_SIMT_PART;

  while (part < ACC_SIMT_LONGEST_PART && part * parts < n)
    part *= 2;

  return part;
}

/* The result of row @u is in @vars of thread 0. */
static void
store_result (AccSimt        *simt,
              AccFold        *fold,
              const AccSpace *results,
              KValue          u,
              KValue          exists,
              const KVar     *vars)
{
  AccLower *l = simt->l;
  AccKernelBuilder *b = l->b;

  low_if (l, kb_and (b, exists, kb_eq (b, simt->thread, low_const (l, 0))))
    {
      AccIndex *ix = low_index_of_linear (l, results, u);
      KValue *sum = acc_fold_new_values (fold, l);

      acc_fold_get_vars (fold, l, vars, sum);
      acc_fold_know (fold, l, ix, sum);
      low_store_roots (l, ix);
    }
}

/* Rows that a thread folds at once, of @outer: where rows are short so that it has enough to wait for, and where elements take much
 * computing so that what is loaded for one row serves the others. */
static guint
choose_rows (AccStep        *step,
             const AccFold  *fold,
             const AccSpace *space,
             gint64          outer,
             guint           width,
             guint           each)
{
  gint64 windows = space->inner / MAX ((gint64) width * each, 1), busy = MAX (step->fusion->target->n_groups, 1);
  guint group = acc_simt_get_group (step), n = 1;

  if (!fold->commutative || (width == group && step->cluster->cost < COSTLY))
    return 1;

  while (n < MAX_ROWS && (width == group || windows * n * 2 <= 8) && n * fold->n_leaves * 2 <= 16
         && outer / ((gint64) group / width * n * 2) >= busy)
    n *= 2;

  return n;
}

static void
write_rows (AccStep        *step,
            const AccSpace *space,
            const AccSpace *results)
{
  g_autoptr(AccFold) fold = acc_fold_new (step);
  AccLaunch launch = acc_skeleton_launch (space, acc_skeleton_get_cost (step));
  guint width = acc_simt_choose_width (step, space->inner), vector = acc_simt_choose_vector (step, space->inner);
  guint unroll = (gint64) width * vector * 2 <= space->inner && vector < 4 ? 4 / vector : 1;
  guint n = choose_rows (step, fold, space, space->outer, width, vector * unroll);
  /* Of several rows a thread has two elements at once: neighbours, where it may, so that what they share is loaded as one. Where there are
   * floats it has as many of one row. */
  gboolean several = n > 1 || (fold->rounds && choose_rows (step, fold, space, G_MAXINT64, width, vector * unroll) > 1);
  gboolean pairs = several && vector == 1 && unroll > 1 && space->inner % 2 == 0;
  AccFoldRows rows = {
    .n = n, .size = space->inner, .vector = pairs ? 2 : vector, .unroll = pairs ? 1 : several ? MIN (unroll, 2) : unroll,
  };
  gpointer data[MAX_ROWS];
  KVar *vars[MAX_ROWS];
  Source sources[MAX_ROWS];
  AccSimt simt;
  AccLower *l = acc_simt_begin (&simt, step, acc_skeleton_get_name (step), width);
  AccKernelBuilder *b = l->b;
  KValue wanted[MAX_ROWS];

  rows.data = data;
  rows.vars = vars;
  for (guint r = 0; r < n; r++)
    {
      wanted[r] = kb_add (b, kb_add (b, kb_outer_begin (b), simt.row), low_const (l, (gint64) r * (simt.group / width)));
      /* Threads without a row go along with the last one: all meet at barriers. */
      sources[r] = (Source) {
        space, low_within (l, kb_min (b, wanted[r], kb_sub (b, kb_outer_end (b), low_const (l, 1))), 0, space->outer - 1), { 0 },
      };
      data[r] = &sources[r];
      vars[r] = acc_fold_new_vars (fold, l, NULL);
    }

  if (space->inner > 0)
    acc_simt_fold_rows (&simt, fold, &rows, low_const (l, 0), low_number (l, space->inner), read_element);
  for (guint r = 0; r < n; r++)
    {
      if (space->inner > 0)
        {
          store_result (&simt, fold, results, sources[r].outer, kb_lt (b, wanted[r], kb_outer_end (b)), vars[r]);
          continue;
        }
      low_if (l, kb_and (b, kb_lt (b, wanted[r], kb_outer_end (b)), kb_eq (b, simt.thread, low_const (l, 0))))
        {
          AccIndex *ix = low_index_of_linear (l, results, sources[r].outer);

          acc_fold_know (fold, l, ix, NULL);
          low_store_roots (l, ix);
        }
    }

  launch.tile_outer = (gint64) simt.group / width * n;
  launch.tile_inner = MAX (space->inner, 1);
  low_finish (l, launch);
}

static void
write_row_parts (AccStep        *step,
                 AccFold        *fold,
                 const AccSpace *space,
                 gint64          part_size,
                 gint64          n_parts)
{
  AccLaunch launch = acc_skeleton_launch (space, acc_skeleton_get_cost (step));
  AccSimt simt;
  AccLower *l = acc_simt_begin (&simt, step, acc_skeleton_get_name (step), acc_simt_get_group (step));
  AccKernelBuilder *b = l->b;
  KValue u = low_within (l, kb_outer_begin (b), 0, space->outer - 1);
  KValue part = kb_add (b, kb_mul (b, u, low_number (l, n_parts)), low_udiv (l, kb_inner_begin (b), part_size));
  Source source = { space, u, { 0 } };
  KVar *vars = acc_fold_new_vars (fold, l, NULL);

  acc_simt_fold (&simt, fold, kb_inner_begin (b), kb_inner_end (b), 1, read_element, &source, vars);
  low_if (l, kb_eq (b, simt.thread, low_const (l, 0)))
    {
      acc_fold_store_vars (fold, l, fold->part_scratch, part, vars);
    }

  launch.tile_outer = 1;
  launch.tile_inner = part_size;
  low_finish (l, launch);
}

static void
write_row_ends (AccStep        *step,
                AccFold        *fold,
                const AccSpace *space,
                const AccSpace *results,
                gint64          n_parts)
{
  AccLaunch launch = acc_skeleton_launch (space, (double) n_parts);
  AccSimt simt;
  AccLower *l = acc_simt_begin (&simt, step, "combine", acc_simt_get_group (step));
  AccKernelBuilder *b = l->b;
  KValue u = low_within (l, kb_outer_begin (b), 0, space->outer - 1);
  Source source = { space, { 0 }, kb_mul (b, u, low_number (l, n_parts)) };
  KVar *vars = acc_fold_new_vars (fold, l, NULL);

  acc_simt_fold (&simt, fold, low_const (l, 0), low_number (l, n_parts), 1, read_part, &source, vars);
  store_result (&simt, fold, results, u, kb_int (b, ACC_KIND_BOOL, 1), vars);

  launch.inner = 1;
  launch.tile_outer = 1;
  launch.tile_inner = 1;
  low_finish (l, launch);
}

void
acc_skeleton_fold_simt (AccStep        *step,
                        const AccSpace *space,
                        const AccSpace *results)
{
  g_autoptr(AccFold) fold = acc_fold_new (step);
  gint64 part_size = choose_part (space->inner, fold->rounds ? 1 : space->outer);
  gint64 n_parts = (space->inner + part_size - 1) / part_size;

  if (n_parts > 1 && (fold->rounds || space->outer <= ACC_SIMT_PARTS / 2))
    {
      acc_fold_add_parts (fold, space->outer * n_parts);
      write_row_parts (step, fold, space, part_size, n_parts);
      write_row_ends (step, fold, space, results, n_parts);
    }
  else
    {
      write_rows (step, space, results);
    }
}

/* --- everything */

static void
write_parts (AccStep            *step,
             AccFold            *fold,
             const AccSpace     *space,
             const AccFoldTiles *tiles)
{
  AccLaunch launch = acc_skeleton_launch (space, acc_skeleton_get_cost (step));
  AccSimt simt;
  AccLower *l = acc_simt_begin (&simt, step, acc_skeleton_get_name (step), acc_simt_get_group (step));
  AccKernelBuilder *b = l->b;
  KValue goes_on, part = acc_fold_get_part (l, tiles, &goes_on), n = low_number (l, space->inner);
  Source source = { space, { 0 }, { 0 } };
  KVar *vars = acc_fold_new_vars (fold, l, NULL);

  if (tiles->is_inner)
    source.outer = space->first_inner == 0 ? low_const (l, 0) : low_within (l, kb_outer_begin (b), 0, space->outer - 1);
  if (tiles->is_inner)
    acc_simt_fold (&simt, fold, kb_inner_begin (b), kb_inner_end (b), 1, read_element, &source, vars);
  else
    acc_simt_fold (&simt, fold, kb_mul (b, kb_outer_begin (b), n), kb_mul (b, kb_outer_end (b), n), 1, read_linear, &source, vars);

  low_if (l, kb_eq (b, simt.thread, low_const (l, 0)))
    {
      /* By rows, a part may come in pieces. */
      low_if (l, goes_on)
        {
          KValue *before = acc_fold_new_values (fold, l), *sum = acc_fold_new_values (fold, l);

          acc_fold_load_part (fold, l, part, before);
          acc_fold_get_vars (fold, l, vars, sum);
          acc_fold_combine (fold, l, before, sum, sum);
          acc_fold_set_vars (fold, l, vars, sum);
        }
      acc_fold_store_vars (fold, l, fold->part_scratch, part, vars);
    }

  launch.tile_outer = tiles->tile_outer;
  launch.tile_inner = tiles->tile_inner;
  low_finish (l, launch);
}

static void
write_end (AccStep *step,
           AccFold *fold,
           gint64   n_parts)
{
  AccSimt simt;
  AccLower *l = acc_simt_begin (&simt, step, "combine", acc_simt_get_group (step));
  AccKernelBuilder *b = l->b;
  AccIndex *ix = low_index_new (l, 0);
  Source source = { NULL, { 0 }, low_const (l, 0) };
  KVar *vars = acc_fold_new_vars (fold, l, NULL);

  low_index_lose_rows (l, ix, g_ptr_array_index (step->cluster->anchors, 0), "is complete after the last row only");
  if (n_parts > 0)
    acc_simt_fold (&simt, fold, low_const (l, 0), low_number (l, n_parts), 1, read_part, &source, vars);
  low_if (l, kb_eq (b, simt.thread, low_const (l, 0)))
    {
      KValue *sum = acc_fold_new_values (fold, l);

      acc_fold_get_vars (fold, l, vars, sum);
      acc_fold_know (fold, l, ix, n_parts > 0 ? sum : NULL);
      low_store_roots (l, ix);
    }

  low_finish (l, (AccLaunch) { .outer = 1, .inner = 1, .rows = ACC_SPACE_WHOLE, .units_per_row = 1, .tile_outer = 1, .tile_inner = 1,
                               .cost = (double) n_parts, .serial = TRUE });
}

void
acc_skeleton_fold_all_simt (AccStep  *step,
                            AccSpace *space)
{
  g_autoptr(AccFold) fold = acc_fold_new (step);
  AccFoldTiles tiles;

  acc_fold_cut (fold, space, choose_part (space->outer * space->inner, 1), &tiles);
  if (tiles.n_parts > 0)
    {
      acc_fold_add_parts (fold, tiles.n_parts);
      write_parts (step, fold, space, &tiles);
    }
  write_end (step, fold, tiles.n_parts);
}
