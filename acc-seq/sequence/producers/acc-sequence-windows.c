/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "acc-sequence-windows-private.h"

#include "acc-sequence-band-private.h"
#include "acc-sequence-chunk-private.h"
#include "acc-sequence-grid-private.h"

#include "acc-evaluate.h"

struct _AccSequenceWindows
{
  AccSequenceProducer parent_instance;

  AccSequenceGrid *grid;
  AccArray        *array;     /* NULL: of a source */
  AccSequenceBand *band;
  char            *name;
  AccArray        *fill;      /* one value, of a constant boundary */
  gint64           next;      /* the number of the next window */
};

G_DEFINE_FINAL_TYPE (AccSequenceWindows, acc_sequence_windows, ACC_TYPE_SEQUENCE_PRODUCER)

static gsize
get_value_size (AccElementType *type,
                guint           buffer)
{
  return acc_element_type_get_size (acc_element_type_get_buffer (type, buffer));
}

/* --- windows that lie one after the other */

static void
unref_buffer (gpointer buffer)
{
  acc_buffer_unref (buffer);
}

/* Shows the memory of the array. */
static gboolean
show (AccSequenceWindows *self,
      AccElementType     *type,
      gint64              n,
      AccBuffer         **buffers,
      GError            **error)
{
  for (guint b = 0; b < acc_element_type_get_n_buffers (type); b++)
    {
      AccBuffer *whole = acc_array_get_buffers (self->array)[b];
      gsize window = self->grid->window * get_value_size (type, b);
      guint8 *data = acc_buffer_map (whole, error);

      if (data == NULL)
        return FALSE;
      buffers[b] = acc_buffer_new (data + self->next * window, n * window, unref_buffer, acc_buffer_ref (whole));
    }

  return TRUE;
}

/* How many of the next @n windows need nothing but rows of their own, which nobody reads again. */
static gint64
count_dense (AccSequenceWindows *self,
             gint64              n)
{
  const AccSequenceGridDimension *outer = &self->grid->dimensions[0];

  if (!acc_sequence_grid_is_dense (self->grid) || self->grid->head > 0)
    return 0;

  return CLAMP (MIN (outer->extent, self->grid->least) / outer->size - self->next, 0, n);
}

/* --- windows that are copied */

static AccBuffer **
allocate (AccSequenceWindows *self,
          AccElementType     *type,
          gint64              n,
          AccBuffer         **buffers,
          GError            **error)
{
  for (guint b = 0; b < acc_element_type_get_n_buffers (type); b++)
    {
      buffers[b] = acc_buffer_allocate (n * self->grid->window * get_value_size (type, b), NULL, "windows", error);
      if (buffers[b] == NULL)
        return NULL;
    }

  return buffers;
}

/* Where the values of a buffer are in memory. */
static gboolean
find_values (AccSequenceWindows *self,
             AccElementType     *type,
             guint               buffer,
             AccSequenceValues  *values,
             GError            **error)
{
  *values = (AccSequenceValues) { .size = get_value_size (type, buffer) };
  if (self->fill != NULL)
    values->fill = acc_array_get_buffers (self->fill)[buffer]->data;
  if (self->array != NULL)
    {
      values->data = acc_buffer_map (acc_array_get_buffers (self->array)[buffer], error);
      return values->data != NULL;
    }
  values->data = acc_sequence_band_get_rows (self->band, buffer);
  values->head = acc_sequence_band_get_head (self->band, buffer);
  values->first = acc_sequence_band_get_first (self->band) * self->grid->dimensions[0].stride;

  return TRUE;
}

/* Of the next @n windows as many as can be read from what is in memory at once, behind @done ones. *@copied: how many. */
static gboolean
copy_some (AccSequenceWindows *self,
           AccElementType     *type,
           gint64              done,
           gint64              n,
           AccBuffer         **buffers,
           gint64             *copied,
           GCancellable       *cancellable,
           GError            **error)
{
  const AccSequenceGridDimension *outer = &self->grid->dimensions[0];
  gint64 per_row = self->grid->count / outer->count, first = self->next + done;
  g_autofree gint64 *starts = g_new (gint64, self->grid->rank);

  *copied = n;
  if (self->band != NULL)
    {
      gint64 rows = MAX (acc_sequence_band_get_capacity (self->band) - outer->size, 0) / outer->step + 1, start, end;

      *copied = MIN (n, rows * per_row - first % per_row);
      start = first / per_row * outer->step;
      end = MIN ((first + *copied - 1) / per_row * outer->step + outer->size, outer->extent);
      if (!acc_sequence_band_need (self->band, MIN (start, self->grid->least), end, cancellable, error))
        return FALSE;
    }

  for (guint b = 0; b < acc_element_type_get_n_buffers (type); b++)
    {
      gsize window = self->grid->window * get_value_size (type, b);
      AccSequenceValues values;

      if (!find_values (self, type, b, &values, error))
        return FALSE;
      for (gint64 k = 0; k < *copied; k++)
        {
          acc_sequence_grid_locate (self->grid, first + k, starts);
          acc_sequence_grid_copy (self->grid, starts, &values, (guint8 *) buffers[b]->data + (done + k) * window);
        }
    }

  return TRUE;
}

static gboolean
read_windows (AccSequenceWindows *self,
              AccElementType     *type,
              gint64              n,
              AccBuffer         **buffers,
              GCancellable       *cancellable,
              GError            **error)
{
  gint64 dense = count_dense (self, n), done = dense, rows = self->grid->dimensions[0].size;

  if (dense == n && self->array != NULL)
    return show (self, type, n, buffers, error);
  if (!allocate (self, type, n, buffers, error))
    return FALSE;

  if (dense > 0 && self->band != NULL)
    {
      g_autofree gpointer *addresses = g_new (gpointer, acc_element_type_get_n_buffers (type) + 1);

      for (guint b = 0; b < acc_element_type_get_n_buffers (type); b++)
        addresses[b] = buffers[b]->data;
      if (!acc_sequence_band_read_direct (self->band, self->next * rows, (self->next + dense) * rows, addresses, cancellable, error))
        return FALSE;
    }
  else
    done = 0;

  while (done < n)
    {
      gint64 copied = 0;

      if (!copy_some (self, type, done, n - done, buffers, &copied, cancellable, error))
        return FALSE;
      done += copied;
    }

  return TRUE;
}

static AccNestedArray *
acc_sequence_windows_read (AccSequenceProducer *producer,
                           gint64               max_elements,
                           gint64               max_values,
                           GCancellable        *cancellable,
                           GError             **error)
{
  AccSequenceWindows *self = ACC_SEQUENCE_WINDOWS (producer);
  AccElementType *type = acc_sequence_producer_get_element_type (producer);
  guint n_buffers = acc_element_type_get_n_buffers (type);
  g_autofree AccBuffer **buffers = g_new0 (AccBuffer *, n_buffers + 1);
  gint64 n = MIN (MIN (max_elements, self->grid->count - self->next), MAX (max_values / self->grid->window, 1));

  n = MIN (n, G_MAXINT64 / 2 / self->grid->window / (gint64) MAX (acc_element_type_get_size (type), 1));
  if (n == 0)
    {
      if (self->band != NULL)
        acc_sequence_band_reset (self->band);
      return NULL;
    }

  if (!read_windows (self, type, n, buffers, cancellable, error))
    {
      for (guint b = 0; b < n_buffers; b++)
        g_clear_pointer (&buffers[b], acc_buffer_unref);
      if (self->band != NULL)
        acc_sequence_band_reset (self->band);
      return NULL;
    }
  self->next += n;

  return acc_sequence_chunk_new_regular (type, acc_sequence_producer_get_shape (producer), n, buffers);
}

static gboolean
acc_sequence_windows_rewind (AccSequenceProducer *producer,
                             GError             **error)
{
  AccSequenceWindows *self = ACC_SEQUENCE_WINDOWS (producer);

  if (self->band != NULL)
    acc_sequence_band_reset (self->band);
  self->next = 0;

  return TRUE;
}

static char *
acc_sequence_windows_describe (AccSequenceProducer *producer,
                               gint64               element)
{
  AccSequenceWindows *self = ACC_SEQUENCE_WINDOWS (producer);
  g_autofree gint64 *starts = g_new (gint64, self->grid->rank);
  g_autoptr(AccShape) place = NULL;
  g_autofree char *text = NULL;

  if (element < 0 || element >= self->grid->count)
    return NULL;

  acc_sequence_grid_locate (self->grid, element, starts);
  place = acc_shape_new (starts, self->grid->rank);
  text = acc_shape_to_string (place);

  return g_strdup_printf ("the window at %s of %s", text, self->name);
}

static void
acc_sequence_windows_finalize (GObject *object)
{
  AccSequenceWindows *self = ACC_SEQUENCE_WINDOWS (object);

  g_clear_pointer (&self->grid, acc_sequence_grid_free);
  g_clear_pointer (&self->band, acc_sequence_band_free);
  g_clear_object (&self->array);
  g_clear_object (&self->fill);
  g_free (self->name);

  G_OBJECT_CLASS (acc_sequence_windows_parent_class)->finalize (object);
}

static void
acc_sequence_windows_class_init (AccSequenceWindowsClass *klass)
{
  AccSequenceProducerClass *producer_class = ACC_SEQUENCE_PRODUCER_CLASS (klass);

  G_OBJECT_CLASS (klass)->finalize = acc_sequence_windows_finalize;
  producer_class->read = acc_sequence_windows_read;
  producer_class->rewind = acc_sequence_windows_rewind;
  producer_class->describe = acc_sequence_windows_describe;
}

static void
acc_sequence_windows_init (AccSequenceWindows *self)
{
}

/* The value of a constant boundary, in memory. */
static AccArray *
compute_fill (AccBoundary    *boundary,
              AccElementType *type,
              GError        **error)
{
  g_autoptr(AccBackend) backend = acc_backend_new_for_name ("interpreter", error);
  g_autoptr(AccArray) value = NULL, result = NULL;

  if (backend == NULL)
    return NULL;

  value = acc_array_unit (acc_expr_resolve (boundary->function->body, type));
  result = acc_backend_run (backend, value, NULL, error);
  if (result == NULL || result->type == type)
    return g_steal_pointer (&result);

  g_set_error (error, ACC_ERROR, ACC_ERROR_TYPE, "the boundary of windows is %s, not %s", acc_element_type_get_code (result->type),
               acc_element_type_get_code (type));

  return NULL;
}

static AccSequenceWindows *
windows_new (AccElementType *type,
             AccShape       *shape,
             const gint64   *sizes,
             const gint64   *steps,
             guint           rank,
             AccBoundary    *boundary,
             const char     *name,
             GError        **error)
{
  g_autoptr(AccSequenceGrid) grid = acc_sequence_grid_new (shape, sizes, steps, rank, boundary, error);
  g_autoptr(AccShape) window = NULL;
  g_autoptr(AccArray) fill = NULL;
  AccSequenceWindows *self;

  if (grid == NULL)
    return NULL;
  if (boundary != NULL && grid->boundary == ACC_BOUNDARY_CONSTANT && (fill = compute_fill (boundary, type, error)) == NULL)
    return NULL;

  window = acc_shape_new (sizes, rank);
  self = g_object_new (ACC_TYPE_SEQUENCE_WINDOWS, "element-type", type, "shape", window, "length", grid->count, NULL);
  self->grid = g_steal_pointer (&grid);
  self->fill = g_steal_pointer (&fill);
  self->name = g_strdup (name);

  return self;
}

AccSequenceProducer *
acc_sequence_windows_new_for_array (AccArray     *array,
                                    const gint64 *sizes,
                                    const gint64 *steps,
                                    guint         rank,
                                    AccBoundary  *boundary,
                                    GError      **error)
{
  g_autofree char *name = NULL;
  AccSequenceWindows *self;

  if (!acc_array_check (array, error))
    return NULL;

  name = acc_array_describe (array);
  if (!acc_array_is_manifest (array))
    {
      g_set_error (error, ACC_ERROR, ACC_ERROR_UNSUPPORTED, "%s is not in memory: run it first", name);
      return NULL;
    }

  self = windows_new (array->type, array->shape, sizes, steps, rank, boundary, name, error);
  if (self != NULL)
    self->array = g_object_ref (array);

  return self != NULL ? ACC_SEQUENCE_PRODUCER (self) : NULL;
}

AccSequenceProducer *
acc_sequence_windows_new_for_source (AccSource    *source,
                                     const gint64 *sizes,
                                     const gint64 *steps,
                                     guint         rank,
                                     AccBoundary  *boundary,
                                     GError      **error)
{
  AccElementType *type = acc_source_get_element_type (source);
  AccShape *shape = acc_source_get_shape (source);
  const char *name = acc_source_get_name (source);
  AccSequenceWindows *self;

  if (type == NULL || shape == NULL || acc_shape_get_size (shape) == G_MAXINT64)
    {
      g_set_error (error, ACC_ERROR, ACC_ERROR_SHAPE, "%s has no element type or no shape, or is too large", name);
      return NULL;
    }
  if (acc_source_is_transposed (source))
    {
      g_set_error (error, ACC_ERROR, ACC_ERROR_UNSUPPORTED, "%s is column-major: its windows are read from an array in memory", name);
      return NULL;
    }

  self = windows_new (type, shape, sizes, steps, rank, boundary, name, error);
  if (self != NULL)
    {
      const AccSequenceGridDimension *outer = &self->grid->dimensions[0];

      self->band = acc_sequence_band_new (source, MAX (outer->size, outer->extent - self->grid->least), self->grid->head);
    }

  return self != NULL ? ACC_SEQUENCE_PRODUCER (self) : NULL;
}

AccArray *
acc_sequence_windows_get_array (AccSequenceProducer *producer)
{
  return ACC_SEQUENCE_WINDOWS (producer)->array;
}
