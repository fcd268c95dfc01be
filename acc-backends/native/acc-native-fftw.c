/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "acc-native-fftw-private.h"

#include "acc-core/base/acc-ceil-div-private.h"

#include <string.h>

/* Elements that one tile has about, of one or of several rows. */
#define TILE_ELEMENTS (1 << 15)
/* The library transforms a row by one thread, and cannot be cancelled. Longer rows are left to acc's own passes, which all threads share;
 * two threads are enough to be faster. */
#define LONGEST_ROW   (1 << 20)
/* --- along one dimension */

/* Rows of @n elements, or where there are @inner between neighbours, columns; tiles are a number of them. Columns are brought together
 * for the transform: what lies far apart is often in one set of the cache. Rows are, where less than a block is left of them, or they are
 * not aligned as a plan is. */
typedef struct {
  const guint8    *from;
  guint8          *to, *scratch;     /* @scratch: one tile, or two blocks, for each thread; NULL: they stay where they are */
  gint64           n, inner, n_lines, per_tile, tiles_per_outer, block;
  gboolean         aligned, in_place;   /* rows */
  gsize            size;
  AccFftwPlan     *whole, *last;
  GCancellable    *cancellable;
} Pass;

static void
copy_columns (const Pass   *self,
              gint64        n_columns,
              const guint8 *from,
              gint64        from_step,
              guint8       *to,
              gint64        to_step)
{
  for (gint64 i = 0; i < self->n; i++)
    memcpy (to + (gsize) (i * to_step) * self->size, from + (gsize) (i * from_step) * self->size, (gsize) n_columns * self->size);
}

static void
run_columns (const Pass   *self,
             guint         worker,
             gboolean      is_whole,
             gint64        n_columns,
             const guint8 *from,
             guint8       *to)
{
  const AccFftwPlan *plan = is_whole ? self->whole : self->last;
  guint8 *near;

  if (self->scratch == NULL)
    {
      plan->functions->execute (plan->plan, from, to);
      return;
    }

  near = self->scratch + (gsize) (worker * self->n * self->per_tile) * self->size;
  copy_columns (self, n_columns, from, self->inner, near, n_columns);
  plan->functions->execute (plan->plan, near, near);
  copy_columns (self, n_columns, near, n_columns, to, self->inner);
}

static void
run_rows (const Pass   *self,
          guint         worker,
          gint64        n_rows,
          const guint8 *from,
          guint8       *to)
{
  gsize row = (gsize) self->n * self->size, block = (gsize) self->block * row;
  guint8 *near = self->scratch != NULL ? self->scratch + worker * 2 * block : NULL, *result = self->in_place ? near : near + block;

  for (gint64 i = 0; i < n_rows; i += self->block, from += block, to += block)
    {
      gsize bytes = (gsize) MIN (self->block, n_rows - i) * row;

      if (self->aligned && bytes == block)
        {
          self->whole->functions->execute (self->whole->plan, from, to);
          continue;
        }
      memcpy (near, from, bytes);
      memset (near + bytes, 0, block - bytes);
      self->whole->functions->execute (self->whole->plan, near, result);
      memcpy (to, result, bytes);
    }
}

static gboolean
run_tile (gint64   tile,
          guint    worker,
          gpointer data)
{
  const Pass *self = data;
  gint64 outer = tile / self->tiles_per_outer, first = tile % self->tiles_per_outer * self->per_tile;
  gboolean is_whole = first + self->per_tile <= self->n_lines;
  gint64 n_lines = is_whole ? self->per_tile : self->n_lines - first;
  gsize place = (gsize) (outer * self->n * self->inner + first * (self->inner > 1 ? 1 : self->n)) * self->size;

  if (g_cancellable_is_cancelled (self->cancellable))
    return FALSE;
  if (self->inner > 1)
    run_columns (self, worker, is_whole, n_lines, self->from + place, self->to + place);
  else
    run_rows (self, worker, n_lines, self->from + place, self->to + place);

  return TRUE;
}

/* @left_over: columns of the last tile, of which there are fewer; 0: none. @from and @to are aligned as what the plans are run on. */
static gboolean
plan_pass (Pass             *self,
           AccFftw          *fftw,
           const AccFftwKey *key,
           gint64            left_over,
           const guint8     *from,
           guint8           *to,
           GError          **error)
{
  AccFftwKey last = *key;

  self->whole = acc_fftw_dup_plan (fftw, key, (gpointer) from, to);
  if (left_over > 0)
    {
      last.many = left_over;
      last.step = self->scratch != NULL ? left_over : key->step;
      self->last = acc_fftw_dup_plan (fftw, &last, (gpointer) from, to);
    }
  if (self->whole->plan != NULL && (self->last == NULL || self->last->plan != NULL))
    return TRUE;

  g_set_error (error, ACC_ERROR, ACC_ERROR_UNSUPPORTED, "FFTW has no plan for rows of %" G_GINT64_FORMAT " elements", self->n);
  return FALSE;
}

/* Scratch of @bytes for each thread, where it is needed. */
static gboolean
allocate (Pass       *self,
          AccFftw    *fftw,
          gint64      bytes,
          AccBuffer **scratch,
          GError    **error)
{
  if (bytes == 0)
    return TRUE;

  *scratch = acc_pool_allocate (fftw->host->pool, acc_workers_get_n_threads (fftw->host->workers) * (gsize) bytes, "fft", error);
  if (*scratch == NULL)
    return FALSE;

  self->scratch = (*scratch)->data;
  return TRUE;
}

static gboolean
finish_pass (Pass    *self,
             AccFftw *fftw,
             gboolean ok,
             gint64   n_tiles,
             GError **error)
{
  if (ok)
    acc_workers_run (fftw->host->workers, n_tiles, 1, run_tile, self);
  acc_fftw_plan_unref (self->whole);
  g_clear_pointer (&self->last, acc_fftw_plan_unref);

  return ok && !g_cancellable_set_error_if_cancelled (self->cancellable, error);
}

static gboolean
transform_columns (Pass      *self,
                   AccFftw   *fftw,
                   AccFftwKey key,
                   gint64     outer,
                   GError   **error)
{
  gint64 n = self->n, per_tile = CLAMP (TILE_ELEMENTS / n, 8, self->inner);
  gboolean brings_near = n * per_tile <= 4 * TILE_ELEMENTS;
  g_autoptr(AccBuffer) scratch = NULL;
  const guint8 *from = self->from;
  guint8 *to = self->to;
  gboolean ok;

  self->n_lines = self->inner;
  self->per_tile = per_tile;
  self->tiles_per_outer = acc_ceil_div (self->inner, per_tile);
  key.step = brings_near ? per_tile : self->inner;
  key.many = per_tile;
  key.many_step = 1;
  key.in_place = from == to || brings_near;
  if (!allocate (self, fftw, brings_near ? n * per_tile * (gint64) self->size : 0, &scratch, error))
    return FALSE;

  /* A plan is for places that are aligned in the same way. */
  if (((guintptr) from | (guintptr) to | (gsize) per_tile * self->size | (gsize) (n * self->inner) * self->size) % ACC_FFTW_ALIGNMENT != 0)
    key.flags |= ACC_FFTW_UNALIGNED;
  if (brings_near)
    from = to = self->scratch;
  ok = plan_pass (self, fftw, &key, self->inner % per_tile, from, to, error);

  return finish_pass (self, fftw, ok, outer * self->tiles_per_outer, error);
}

static gboolean
transform_rows (Pass      *self,
                AccFftw   *fftw,
                AccFftwKey key,
                GError   **error)
{
  gint64 n = self->n, block = acc_fftw_describe_rows (&key, n, self->size), bytes = block * n * (gint64) self->size;
  g_autoptr(AccBuffer) scratch = NULL;
  const guint8 *from = self->from;
  guint8 *to = self->to;
  gboolean ok;

  self->block = block;
  self->per_tile = MAX (TILE_ELEMENTS / n / block, 1) * block;
  self->tiles_per_outer = acc_ceil_div (self->n_lines, self->per_tile);
  self->in_place = from == to;
  key.in_place = self->in_place;
  self->aligned = bytes % ACC_FFTW_ALIGNMENT != 0 || ((guintptr) from | (guintptr) to) % ACC_FFTW_ALIGNMENT == 0;
  if (!allocate (self, fftw, self->aligned && self->n_lines % block == 0 ? 0 : 2 * bytes, &scratch, error))
    return FALSE;

  if (!self->aligned)
    {
      from = self->scratch;
      to = self->in_place ? self->scratch : self->scratch + bytes;
    }
  ok = plan_pass (self, fftw, &key, 0, from, to, error);

  return finish_pass (self, fftw, ok, self->tiles_per_outer, error);
}

static gboolean
run_pass (AccFftw      *fftw,
          gboolean      is_wide,
          int           sign,
          gconstpointer from,
          gpointer      to,
          gint64        outer,
          gint64        n,
          gint64        inner,
          GError      **error)
{
  const AccFftwKey key = { .n = n, .is_wide = is_wide, .sign = sign, .flags = ACC_FFTW_ESTIMATE | ACC_FFTW_PRESERVE_INPUT };
  Pass pass = {
    .from = from, .to = to, .n = n, .inner = inner, .n_lines = outer, .size = is_wide ? 16 : 8, .cancellable = g_cancellable_get_current (),
  };

  return inner > 1 ? transform_columns (&pass, fftw, key, outer, error) : transform_rows (&pass, fftw, key, error);
}

/* --- of arrays */

static void
routine_free (gpointer data)
{
  AccFftwRoutine *self = data;

  acc_fftw_unref (self->fftw);
  g_free (self);
}

static gboolean
fits (AccArray           **inputs,
      const gint64 *const *extents,
      guint                n_inputs,
      gpointer             user_data)
{
  const AccFftwRoutine *self = user_data;
  gboolean is_wide;
  guint end;

  if (!acc_library_measure_transform (self->form, inputs, extents, n_inputs, 1, &is_wide))
    return FALSE;
  end = inputs[0]->rank - self->form->n_after;
  for (guint d = end - self->form->n_dimensions; d < end; d++)
    if (extents[0][d] > LONGEST_ROW)
      return FALSE;

  return acc_fftw_find (is_wide);
}

static gboolean
transform (AccForeignLaunch  *launch,
           gpointer           user_data,
           GError           **error)
{
  const AccFftwRoutine *self = user_data;
  const gint64 *extents;
  guint rank, end;
  gboolean is_wide;
  gconstpointer from;
  gpointer to;

  if (!acc_library_begin_transform (launch, self->form, &is_wide, error))
    return FALSE;
  extents = acc_shape_get_extents (acc_foreign_launch_get_input (launch, 0)->shape, &rank);
  end = rank - self->form->n_after;
  from = GSIZE_TO_POINTER (acc_foreign_launch_get_input_address (launch, 0, 0));
  to = GSIZE_TO_POINTER (acc_foreign_launch_get_result_address (launch, 0));

  for (guint d = end; d-- > end - self->form->n_dimensions; )
    {
      gint64 outer = 1, inner = 1;

      for (guint i = 0; i < rank; i++)
        *(i < d ? &outer : &inner) *= i == d ? 1 : extents[i];
      if (extents[d] == 1 && from == to)
        continue;
      if (!run_pass (self->fftw, is_wide, self->form->forward ? ACC_FFTW_FORWARD : ACC_FFTW_BACKWARD, from, to, outer, extents[d], inner,
                     error))
        return FALSE;
      from = to;
    }

  return TRUE;
}

static void
add_routine (AccFftw                   *fftw,
             const AccForeignTransform *form,
             const char                *name,
             AccForeignFits             fits_inputs,
             AccForeignLaunchFunc       function)
{
  AccFftwRoutine *routine = g_new (AccFftwRoutine, 1);

  *routine = (AccFftwRoutine) { acc_fftw_ref (fftw), form };
  acc_backend_set_launch_routine (fftw->host->backend, name, fits_inputs, function, routine, routine_free);
}

void
acc_native_fftw_add (AccHost *host)
{
  AccFftw *fftw = acc_fftw_new (host);
  const AccForeignTransform *form;

  for (guint i = 0; (form = acc_foreign_nth_transform (i)) != NULL; i++)
    {
      add_routine (fftw, form, form->name, fits, transform);
      for (guint wide = 0; form->n_dimensions == 1 && form->n_after == 0 && wide < 2; wide++)
        {
          g_autofree char *name = g_strdup_printf (ACC_FOREIGN_EACH "i1>i1%s:%s", wide ? "c16" : "c8", form->name);

          add_routine (fftw, form, name, acc_fftw_fits_elements, acc_fftw_transform_elements);
        }
    }
  acc_fftw_unref (fftw);
}
