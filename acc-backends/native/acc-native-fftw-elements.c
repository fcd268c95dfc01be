/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "acc-native-fftw-private.h"

#include "acc-core/base/acc-ceil-div-private.h"

#include <string.h>

/* Transforms of elements of different lengths: those that are as long go in the same blocks as rows do, so that the bits are the same. */

typedef struct {
  gint64 n, begin;
} Element;

/* Elements from number @first on that are as long. */
typedef struct {
  guint  group, first, n_rows;
} Block;

typedef struct {
  const guint8 *from;
  guint8       *to, *scratch;
  gsize         size, scratch_size;   /* of a number; of the scratch of a thread */
  GArray       *elements;             /* Element, by length */
  GPtrArray    *plans;                /* AccFftwPlan, owned, of each length */
  GArray       *blocks;
  GCancellable *cancellable;
} Ragged;

static int
compare_elements (gconstpointer a,
                  gconstpointer b)
{
  const Element *x = a, *y = b;

  return x->n != y->n ? (x->n > y->n) - (x->n < y->n) : (x->begin > y->begin) - (x->begin < y->begin);
}

static gboolean
run_block (gint64   number,
           guint    worker,
           gpointer data)
{
  const Ragged *self = data;
  const Block *block = &g_array_index (self->blocks, Block, number);
  const AccFftwPlan *plan = g_ptr_array_index (self->plans, block->group);
  gsize row = (gsize) plan->key.n * self->size, bytes = (gsize) plan->key.many * row;
  guint8 *near = self->scratch + worker * self->scratch_size;

  if (g_cancellable_is_cancelled (self->cancellable))
    return FALSE;

  memset (near, 0, bytes);
  for (guint i = 0; i < block->n_rows; i++)
    memcpy (near + i * row, self->from + (gsize) g_array_index (self->elements, Element, block->first + i).begin * self->size, row);
  plan->functions->execute (plan->plan, near, near + bytes);
  for (guint i = 0; i < block->n_rows; i++)
    memcpy (self->to + (gsize) g_array_index (self->elements, Element, block->first + i).begin * self->size, near + bytes + i * row, row);

  return TRUE;
}

/* Those that are not empty. FALSE: they are not parts of @total numbers. */
static gboolean
list_elements (Ragged       *self,
               const gint64 *offsets,
               gint64        n,
               gint64        total)
{
  for (gint64 k = 0; k < n; k++)
    {
      Element element = { offsets[k + 1] - offsets[k], offsets[k] };

      if (element.n < 0 || element.begin < 0 || offsets[k + 1] > total)
        return FALSE;
      if (element.n > 0)
        g_array_append_val (self->elements, element);
    }
  g_array_sort (self->elements, compare_elements);

  return TRUE;
}

/* The blocks of @count elements from @first on. */
static gboolean
plan_blocks (Ragged    *self,
             AccFftw   *fftw,
             AccFftwKey key,
             guint      first,
             guint      count,
             GError   **error)
{
  gint64 n = g_array_index (self->elements, Element, first).n, many = acc_fftw_describe_rows (&key, n, self->size);
  AccFftwPlan *plan = acc_fftw_dup_plan (fftw, &key, self->scratch, self->scratch + (gsize) (many * n) * self->size);

  g_ptr_array_add (self->plans, plan);
  if (plan->plan == NULL)
    {
      g_set_error (error, ACC_ERROR, ACC_ERROR_UNSUPPORTED, "FFTW has no plan for rows of %" G_GINT64_FORMAT " elements", n);
      return FALSE;
    }

  for (guint i = 0; i < count; i += (guint) many)
    {
      Block block = { self->plans->len - 1, first + i, MIN ((guint) many, count - i) };

      g_array_append_val (self->blocks, block);
    }

  return TRUE;
}

static gboolean
run_elements (Ragged    *self,
              AccFftw   *fftw,
              AccFftwKey key,
              GError   **error)
{
  g_autoptr(AccBuffer) scratch = NULL;
  guint n = self->elements->len;

  for (guint i = 0; i < n; i++)
    {
      gint64 length = g_array_index (self->elements, Element, i).n, many = acc_fftw_describe_rows (&(AccFftwKey) { 0 }, length, self->size);

      self->scratch_size = MAX (self->scratch_size, 2 * (gsize) (many * length) * self->size);
    }
  self->scratch_size = acc_ceil_div (self->scratch_size, 64) * 64;
  scratch = acc_pool_allocate (fftw->host->pool, acc_workers_get_n_threads (fftw->host->workers) * self->scratch_size, "fft", error);
  if (scratch == NULL)
    return FALSE;

  self->scratch = scratch->data;
  for (guint first = 0, end; first < n; first = end)
    {
      for (end = first + 1; end < n && g_array_index (self->elements, Element, end).n == g_array_index (self->elements, Element, first).n; )
        end++;
      if (!plan_blocks (self, fftw, key, first, end - first, error))
        return FALSE;
    }
  acc_workers_run (fftw->host->workers, self->blocks->len, 1, run_block, self);

  return !g_cancellable_set_error_if_cancelled (self->cancellable, error);
}

/* Values and where elements begin, and that of the result, which is the same. */
gboolean
acc_fftw_fits_elements (AccArray           **inputs,
                        const gint64 *const *extents,
                        guint                n_inputs,
                        gpointer             user_data)
{
  gboolean is_complex, is_wide;

  if (n_inputs != 3 || !acc_foreign_type_is_float (inputs[0]->type, &is_complex, &is_wide) || !is_complex)
    return FALSE;
  for (guint i = 0; i < 3; i++)
    if (inputs[i]->rank != 1 || (i > 0 && inputs[i]->type != acc_element_type_new (ACC_KIND_I64)))
      return FALSE;

  return extents[1][0] > 0 && extents[2][0] == extents[1][0] && acc_fftw_find (is_wide);
}

gboolean
acc_fftw_transform_elements (AccForeignLaunch  *launch,
                             gpointer           user_data,
                             GError           **error)
{
  const AccFftwRoutine *self = user_data;
  AccArray *values = acc_foreign_launch_get_input (launch, 0), *offsets = acc_foreign_launch_get_input (launch, 1);
  g_autoptr(GArray) elements = g_array_new (FALSE, FALSE, sizeof (Element)), blocks = g_array_new (FALSE, FALSE, sizeof (Block));
  g_autoptr(GPtrArray) plans = g_ptr_array_new_with_free_func (acc_fftw_plan_unref);
  Ragged ragged = { .elements = elements, .blocks = blocks, .plans = plans, .cancellable = g_cancellable_get_current () };
  gboolean is_complex, is_wide;
  AccFftwKey key = { .flags = ACC_FFTW_ESTIMATE | ACC_FFTW_PRESERVE_INPUT };

  acc_foreign_type_is_float (values->type, &is_complex, &is_wide);
  if (!acc_foreign_launch_begin (launch, values->type, values->shape, error))
    return FALSE;

  ragged.from = GSIZE_TO_POINTER (acc_foreign_launch_get_input_address (launch, 0, 0));
  ragged.to = GSIZE_TO_POINTER (acc_foreign_launch_get_result_address (launch, 0));
  ragged.size = is_wide ? 16 : 8;
  key.is_wide = is_wide;
  key.sign = self->form->forward ? ACC_FFTW_FORWARD : ACC_FFTW_BACKWARD;
  if (!list_elements (&ragged, GSIZE_TO_POINTER (acc_foreign_launch_get_input_address (launch, 1, 0)),
                      acc_shape_get_extent (offsets->shape, 0) - 1, acc_shape_get_extent (values->shape, 0)))
    {
      g_set_error_literal (error, ACC_ERROR, ACC_ERROR_BOUNDS, "offsets of elements do not fit");
      return FALSE;
    }

  return elements->len == 0 || run_elements (&ragged, self->fftw, key, error);
}
