/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "acc-array-segments-private.h"
#include "acc-error.h"

#include <string.h>

/* Invalid segments are found when they are read: an invalid number becomes an index out of range. */

typedef struct {
  AccArray *numbers;
  gboolean  offsets;
  gint64    least;      /* elements of a segment */
} Numbers;

static AccExpr *
own_index (AccExpr *index,
           gpointer data)
{
  return index;
}

/* @number where @good, else something below 0. */
static AccExpr *
accept (AccExpr *good,
        AccExpr *number,
        AccExpr *length)
{
  return acc_expr_cond (good, number, acc_expr_min (length, acc_array_number (-1)));
}

static AccExpr *
number_at (const Numbers *self,
           AccExpr       *index)
{
  return acc_expr_cast (acc_expr_linear_index (self->numbers, index), acc_element_type_new (ACC_KIND_I64));
}

static AccExpr *
checked_number (AccExpr *index,
                gpointer data)
{
  const Numbers *self = data;
  g_autoptr(AccExpr) least = acc_expr_ref_sink (acc_array_number (self->least));
  g_autoptr(AccExpr) before = acc_expr_ref_sink (number_at (self, acc_expr_sub (index, acc_array_number (1))));
  g_autoptr(AccExpr) own = NULL, length = NULL;
  AccExpr *is_first = acc_expr_eq (index, acc_array_number (0));

  if (!self->offsets)
    return acc_expr_cond (is_first, acc_array_number (0), accept (acc_expr_ge (before, least), before, before));

  own = acc_expr_ref_sink (number_at (self, index));
  length = acc_expr_ref_sink (acc_expr_sub (own, before));
  return acc_expr_cond (is_first, own, accept (acc_expr_ge (length, least), own, length));
}

static AccExpr *
last_offset (AccExpr *index,
             gpointer data)
{
  AccArray *offsets = data;

  return acc_expr_linear_index (offsets, acc_expr_sub (acc_expr_extent (offsets, 0), acc_array_number (1)));
}

/* The numbers that @number gives for indices, each from 0 to how many elements a row has: anything else is %ACC_ERROR_BOUNDS. */
static AccArray *
check_numbers (AccSegments *self,
               const char  *what,
               AccExpr     *extents,
               AccExprFunc  number,
               gpointer     data)
{
  g_autofree char *label = strstr (what, ACC_REFUSED_NUMBER) == NULL ? g_strdup_printf ("%s: %s", self->operation, what) : g_strdup (what);
  AccShape *shape = acc_array_get_shape (self->array);
  guint innermost = self->array->rank - 1;
  /* What is known needs no array, which may be on its way from a source. */
  AccExpr *n = shape != NULL ? acc_array_number (acc_shape_get_extent (shape, innermost)) : acc_expr_extent (self->array, innermost);
  g_autoptr(AccArray) allowed = acc_array_generate_expr (acc_expr_add (n, acc_array_number (1)), own_index, NULL);
  AccArray *checked = acc_array_backpermute_expr (allowed, extents, number, data);

  acc_array_set_label (checked, label);
  return checked;
}

static void
find_offsets (AccSegments     *self,
              AccSegmentsForm  form,
              AccArray        *segments)
{
  g_autofree char *label = g_strdup_printf ("%s: offsets, one more than there are segments", self->operation);
  AccExpr *n = acc_expr_extent (segments, 0);
  g_autoptr(AccArray) some = NULL, checked = NULL;
  Numbers numbers = { segments, form == ACC_SEGMENTS_OFFSETS, self->no_empty ? 1 : 0 };

  if (form == ACC_SEGMENTS_OFFSETS)
    {
      /* Where there are none it has another size, which is an error. */
      numbers.numbers = some = acc_array_reshape_expr (segments, acc_expr_max (n, acc_array_number (1)));
      acc_array_set_label (some, label);
      if (self->is_checked)
        {
          self->offsets = g_steal_pointer (&some);
          return;
        }
      self->offsets = check_numbers (self,
                                     self->no_empty ? "an offset, or how far it fails to advance" : "an offset, or how far it goes back",
                                     acc_expr_extent (some, 0), checked_number, &numbers);
      return;
    }

  checked = check_numbers (self, self->no_empty ? "the length of a segment, which needs an element" : "the length of a segment",
                           acc_expr_add (n, acc_array_number (1)), checked_number, &numbers);
  self->offsets = acc_array_scanl1 (checked, acc_array_add_elements, NULL);
  self->total = check_numbers (self, "lengths add up to " ACC_REFUSED_NUMBER ", more than there are values", acc_expr_tuple (NULL, 0),
                               last_offset, self->offsets);
}

static void
check_segments (AccArray        *node,
                AccSegments     *self,
                AccSegmentsForm  form,
                AccArray        *segments)
{
  AccShape *shape = acc_array_get_shape (segments);

  if (self->array->rank == 0)
    acc_array_fail (node, ACC_ERROR_SHAPE, "%s: an array of rank 0 has no innermost dimension", self->operation);
  else if (segments->rank != 1)
    acc_array_fail (node, ACC_ERROR_SHAPE, "%s: segments are a vector, not an array of rank %u", self->operation, segments->rank);
  else if (!acc_element_kind_is_integer (acc_element_type_get_kind (segments->type)))
    acc_array_fail (node, ACC_ERROR_TYPE, "%s: segments are integers, not %s", self->operation, acc_element_type_get_code (segments->type));
  else if (form == ACC_SEGMENTS_OFFSETS && shape != NULL && acc_shape_get_extent (shape, 0) == 0)
    acc_array_fail (node, ACC_ERROR_SHAPE, "%s: there are no offsets: they are one more than there are segments", self->operation);
}

/* Once by itself, so that a mistake in it has the name of the operation. */
static void
check_function (AccArray    *node,
                AccSegments *self)
{
  AccElementType *type = self->array->type;
  g_autoptr(AccFunction) function = acc_function_new2 (type, type, self->combine, self->data, type);
  const GError *error = acc_expr_get_error (function->body);

  if (error != NULL)
    acc_array_fail (node, error->code, "%s: %s", self->operation, error->message);
  else if (function->body->type != type)
    acc_array_fail (node, ACC_ERROR_TYPE, "%s: its function gives %s where %s is needed", self->operation,
                    acc_element_type_get_code (function->body->type), acc_element_type_get_code (type));
}

AccArray *
acc_segments_prepare (AccSegments     *self,
                      AccSegmentsForm  form,
                      AccArray        *segments,
                      AccSeed          seed,
                      AccExpr         *initial)
{
  AccArray *inputs[] = { self->array, segments };
  AccArray *node = acc_array_begin (ACC_OP_GENERATE, inputs, 2);
  g_autoptr(AccExpr) given = initial != NULL ? acc_expr_ref_sink (initial) : NULL;

  if (node->error == NULL && self->combine == NULL)
    acc_array_fail_argument (node, "a function");
  if (node->error == NULL)
    check_segments (node, self, form, segments);
  if (node->error == NULL)
    check_function (node, self);
  if (node->error == NULL && seed != ACC_SEED_NONE)
    self->initial = acc_array_resolve_initial (node, self->operation, self->array, given);
  if (node->error != NULL)
    return acc_array_complete (node);

  g_object_unref (node);
  find_offsets (self, form, segments);
  return NULL;
}

void
acc_segments_clear (AccSegments *self)
{
  g_clear_object (&self->offsets);
  g_clear_object (&self->total);
  g_clear_pointer (&self->initial, acc_expr_unref);
}

AccExpr *
acc_segments_count (AccSegments *self)
{
  return acc_expr_sub (acc_expr_extent (self->offsets, 0), acc_array_number (1));
}

AccExpr *
acc_segments_begin (AccSegments *self,
                    AccExpr     *segment,
                    guint        more)
{
  return acc_expr_linear_index (self->offsets, more > 0 ? acc_expr_add (segment, acc_array_number (more)) : segment);
}

AccExpr *
acc_segments_first (AccSegments *self)
{
  return self->total != NULL ? acc_array_number (0) : acc_segments_begin (self, acc_array_number (0), 0);
}

AccExpr *
acc_segments_last (AccSegments *self)
{
  return self->total != NULL ? acc_expr_the (self->total) : acc_segments_begin (self, acc_segments_count (self), 0);
}

AccExpr *
acc_segments_extents (AccArray *array,
                      AccExpr  *innermost)
{
  g_autofree AccExpr **extents = g_new (AccExpr *, array->rank);

  for (guint i = 0; i + 1 < array->rank; i++)
    extents[i] = acc_expr_extent (array, i);
  extents[array->rank - 1] = innermost;

  return acc_array_join_items (extents, array->rank);
}

/* --- the segment of each element */

/* One without elements begins where the next one does, and has no place. */
static AccExpr *
place_of_segment (AccExpr *k,
                  gpointer data)
{
  AccArray *offsets = data;
  g_autoptr(AccExpr) begin = acc_expr_ref_sink (acc_expr_linear_index (offsets, k));
  AccExpr *end = acc_expr_linear_index (offsets, acc_expr_add (k, acc_array_number (1)));

  return acc_expr_tuple2 (acc_expr_lt (begin, end), begin);
}

static AccArray *
number_directly (AccArray *offsets,
                 AccArray *elements)
{
  AccArray *inputs[] = { offsets, elements };

  return acc_array_complete (acc_array_begin (ACC_OP_SEG_NUMBERS, inputs, 2));
}

AccArray *
acc_segments_number (AccArray *offsets,
                     AccExpr  *total)
{
  g_autoptr(AccExpr) count = acc_expr_ref_sink (acc_expr_sub (acc_expr_extent (offsets, 0), acc_array_number (1)));
  g_autoptr(AccArray) places = acc_array_generate_expr (count, place_of_segment, offsets);
  g_autoptr(AccArray) numbers = acc_array_generate_expr (count, own_index, NULL);
  g_autoptr(AccArray) zeros = acc_array_fill_expr (total, acc_array_number (0));
  g_autoptr(AccArray) begins = acc_array_permute (numbers, zeros, places, acc_array_first_element, NULL);
  AccArray *numbered = acc_array_scanl1 (begins, acc_array_max_elements, NULL);

  if (numbered->error == NULL)
    numbered->direct = number_directly (offsets, zeros);

  return numbered;
}
