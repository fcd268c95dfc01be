/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "acc-foreign-private.h"

#include "acc-error.h"

#include <string.h>

typedef struct {
  AccForeign *inner;   /* owned */
  char       *spec;
} Each;

/* An input of the operation, or its result. */
typedef struct {
  char       form;
  guint      rank;
  AccArray  *values;    /* NULL: of the result */
  AccArray  *offsets;   /* of irregular ones */
  AccArray  *extents;   /* of the result and of irregular ones of several dimensions */
  GPtrArray *bytes;     /* owned: the buffers of .values */
} Part;

const char *
acc_foreign_each_get_name (const char *name)
{
  const char *end;

  if (!g_str_has_prefix (name, ACC_FOREIGN_EACH))
    return NULL;
  end = strchr (name + strlen (ACC_FOREIGN_EACH), ':');

  return end != NULL ? end + 1 : NULL;
}

gpointer
acc_foreign_each_new (AccForeign *inner,
                      const char *name)
{
  Each *self = g_new0 (Each, 1);
  const char *spec = name + strlen (ACC_FOREIGN_EACH);

  self->inner = inner;
  self->spec = g_strndup (spec, (gsize) (acc_foreign_each_get_name (name) - 1 - spec));

  return self;
}

void
acc_foreign_each_free (gpointer each)
{
  Each *self = each;

  acc_foreign_unref (self->inner);
  g_free (self->spec);
  g_free (self);
}

/* --- what the name says */

static void
clear_part (gpointer data)
{
  g_clear_pointer (&((Part *) data)->bytes, g_ptr_array_unref);
}

/* The part that *@text begins with, of the inputs from @next on; FALSE: it does not fit them. */
static gboolean
read_part (const char **text,
           gboolean     is_result,
           AccArray   **inputs,
           guint        n_inputs,
           guint       *next,
           Part        *part)
{
  gboolean has_extents;
  guint n;
  char *end;

  part->form = **text;
  if (strchr ("cri", part->form) == NULL || part->form == '\0')
    return FALSE;
  part->rank = (guint) g_ascii_strtoull (*text + 1, &end, 10);
  *text = end;
  has_extents = part->form == 'i' ? part->rank != 1 : is_result && part->rank > 0;
  n = !is_result + (part->form == 'i') + has_extents;
  if (*next + n > n_inputs || part->rank > n_inputs + 64)
    return FALSE;

  if (!is_result)
    part->values = inputs[(*next)++];
  if (part->form == 'i')
    part->offsets = inputs[(*next)++];
  if (has_extents)
    part->extents = inputs[(*next)++];

  return is_result || part->values->rank == (part->form == 'c' ? part->rank : part->form == 'r' ? part->rank + 1 : 1);
}

static gboolean
dup_buffers (Part    *part,
             GError **error)
{
  guint n = acc_element_type_get_n_buffers (part->values->type);

  part->bytes = g_ptr_array_new_with_free_func ((GDestroyNotify) g_bytes_unref);
  for (guint b = 0; b < n; b++)
    {
      GBytes *bytes = acc_array_dup_bytes (part->values, b, error);

      if (bytes == NULL)
        return FALSE;
      g_ptr_array_add (part->bytes, bytes);
    }

  return TRUE;
}

/* The inputs, with the result last. */
static GArray *
read_parts (Each            *self,
            AccArray       **inputs,
            guint            n_inputs,
            AccElementType **type,
            GError         **error)
{
  g_autoptr(GArray) parts = g_array_new (FALSE, TRUE, sizeof (Part));
  const char *text = self->spec;
  gboolean is_result = FALSE, fits = TRUE;
  guint next = 0;

  g_array_set_clear_func (parts, clear_part);
  while (fits && !is_result)
    {
      Part part = { 0, };

      is_result = *text == '>';
      text += is_result;
      fits = read_part (&text, is_result, inputs, n_inputs, &next, &part);
      g_array_append_val (parts, part);
      if (fits && !is_result && !dup_buffers (&g_array_index (parts, Part, parts->len - 1), error))
        return NULL;
    }
  *type = fits && next == n_inputs ? acc_element_type_parse (text, NULL) : NULL;
  if (*type != NULL)
    return g_steal_pointer (&parts);

  g_set_error (error, ACC_ERROR, ACC_ERROR_TYPE, "its name does not describe its inputs: %s", self->spec);
  return NULL;
}

/* --- elements */

/* Where element @k begins. Fills in its extents. */
static gint64
find_element (const Part *part,
              gint64      k,
              gint64     *extents)
{
  gint64 size = 1;

  for (guint d = 0; d < part->rank; d++)
    {
      if (part->form == 'i')
        extents[d] = part->rank == 1 ? acc_array_get_int (part->offsets, 0, k + 1) - acc_array_get_int (part->offsets, 0, k)
                                     : acc_array_get_int (part->extents, d, k);
      else if (part->values == NULL)
        extents[d] = acc_array_get_int (part->extents, 0, d);
      else
        extents[d] = acc_shape_get_extent (part->values->shape, d + (part->form == 'r'));
      size *= extents[d];
    }

  return part->form == 'i' ? acc_array_get_int (part->offsets, 0, k) : part->form == 'r' ? k * size : 0;
}

static AccArray *
new_element (const Part *part,
             gint64      k)
{
  g_autofree gint64 *extents = g_new0 (gint64, part->rank + 1);
  gint64 begin = find_element (part, k, extents);
  g_autoptr(AccShape) shape = acc_shape_new (extents, part->rank);
  g_autoptr(GPtrArray) slices = g_ptr_array_new_with_free_func ((GDestroyNotify) g_bytes_unref);

  if (part->form == 'c')
    return g_object_ref (part->values);

  for (guint b = 0; b < part->bytes->len; b++)
    {
      gsize size = acc_element_type_get_size (acc_element_type_get_buffer (part->values->type, b));

      g_ptr_array_add (slices, g_bytes_new_from_bytes (part->bytes->pdata[b], (gsize) begin * size,
                                                       (gsize) acc_shape_get_size (shape) * size));
    }

  return acc_array_use_buffers (part->values->type, shape, (GBytes **) slices->pdata, slices->len);
}

/* Puts what the operation gave into @buffers, at its place. */
static gboolean
put_element (const Part     *part,
             AccElementType *type,
             gint64          k,
             AccArray       *made,
             guint8        **buffers,
             GError        **error)
{
  g_autofree gint64 *extents = g_new0 (gint64, part->rank + 1);
  gint64 begin = find_element (part, k, extents);
  g_autoptr(AccShape) shape = acc_shape_new (extents, part->rank);
  guint n = acc_element_type_get_n_buffers (type);

  if (made->error != NULL || !acc_array_is_manifest (made) || made->type != type || made->rank != part->rank)
    {
      g_set_error (error, ACC_ERROR, made->error != NULL ? made->error->code : ACC_ERROR_TYPE, "it gave %s where %s of rank %u is needed",
                   made->error != NULL ? made->error->message : "an array of another type or rank, or not in memory,",
                   acc_element_type_get_code (type), part->rank);
      return FALSE;
    }
  if (!acc_shape_equal (made->shape, shape))
    {
      g_autofree char *given = acc_shape_to_string (made->shape), *wanted = acc_shape_to_string (shape);

      g_set_error (error, ACC_ERROR, ACC_ERROR_SHAPE, "it gave an array of %s where the fallback gives %s", given, wanted);
      return FALSE;
    }

  for (guint b = 0; b < n; b++)
    {
      gsize size = acc_element_type_get_size (acc_element_type_get_buffer (type, b));
      g_autoptr(GBytes) bytes = acc_array_dup_bytes (made, b, error);

      if (bytes == NULL)
        return FALSE;
      if (g_bytes_get_size (bytes) > 0)
        memcpy (buffers[b] + (gsize) begin * size, g_bytes_get_data (bytes, NULL), g_bytes_get_size (bytes));
    }

  return TRUE;
}

static gboolean
call_for (Each           *self,
          GArray         *parts,
          AccElementType *type,
          gint64          k,
          guint8        **buffers,
          GError        **error)
{
  g_autoptr(GPtrArray) elements = g_ptr_array_new_with_free_func (g_object_unref);
  g_autoptr(AccArray) made = NULL;
  g_autoptr(GError) local = NULL;

  for (guint i = 0; i + 1 < parts->len; i++)
    g_ptr_array_add (elements, new_element (&g_array_index (parts, Part, i), k));
  made = self->inner->function ((AccArray **) elements->pdata, elements->len, self->inner->user_data, &local);
  if (local == NULL && made == NULL)
    g_set_error (&local, ACC_ERROR, ACC_ERROR_CALLBACK, "it gave no array");
  if (local == NULL)
    put_element (&g_array_index (parts, Part, parts->len - 1), type, k, made, buffers, &local);
  if (local == NULL)
    return TRUE;

  g_propagate_prefixed_error (error, g_steal_pointer (&local), "element %" G_GINT64_FORMAT ": ", k);
  return FALSE;
}

/* --- all of them */

static gint64
count_elements (GArray *parts)
{
  for (guint i = 0; i + 1 < parts->len; i++)
    {
      Part *part = &g_array_index (parts, Part, i);

      if (part->form == 'i')
        return MAX (acc_shape_get_extent (part->offsets->shape, 0) - 1, 0);
      if (part->form == 'r')
        return acc_shape_get_extent (part->values->shape, 0);
    }

  return 0;
}

static AccShape *
new_result_shape (const Part *result,
                  gint64      n)
{
  g_autofree gint64 *extents = g_new0 (gint64, result->rank + 2);

  if (result->form == 'i')
    return acc_shape_new_vector (n > 0 ? acc_array_get_int (result->offsets, 0, n) : 0);
  extents[0] = n;
  for (guint d = 0; d < result->rank; d++)
    extents[d + 1] = acc_array_get_int (result->extents, 0, d);

  return acc_shape_new (extents, result->rank + 1);
}

AccArray *
acc_foreign_each_call (AccArray **inputs,
                       guint      n_inputs,
                       gpointer   each,
                       GError   **error)
{
  Each *self = each;
  AccElementType *type;
  g_autoptr(GArray) parts = read_parts (self, inputs, n_inputs, &type, error);
  g_autoptr(GPtrArray) bytes = g_ptr_array_new_with_free_func ((GDestroyNotify) g_bytes_unref);
  g_autofree guint8 **buffers = NULL;
  g_autoptr(AccShape) shape = NULL;
  gint64 n;

  if (parts == NULL)
    return NULL;

  n = count_elements (parts);
  shape = new_result_shape (&g_array_index (parts, Part, parts->len - 1), n);
  buffers = g_new0 (guint8 *, acc_element_type_get_n_buffers (type) + 1);
  for (guint b = 0; b < acc_element_type_get_n_buffers (type); b++)
    {
      gsize size = (gsize) acc_shape_get_size (shape) * acc_element_type_get_size (acc_element_type_get_buffer (type, b));

      buffers[b] = g_try_malloc (MAX (size, 1));
      if (buffers[b] == NULL)
        {
          g_set_error (error, ACC_ERROR, ACC_ERROR_OUT_OF_MEMORY, "%" G_GSIZE_FORMAT " bytes for its results", size);
          return NULL;
        }
      g_ptr_array_add (bytes, g_bytes_new_take (buffers[b], size));
    }
  for (gint64 k = 0; k < n; k++)
    if (g_cancellable_set_error_if_cancelled (g_cancellable_get_current (), error) || !call_for (self, parts, type, k, buffers, error))
      return NULL;

  return acc_array_use_buffers (type, shape, (GBytes **) bytes->pdata, bytes->len);
}
