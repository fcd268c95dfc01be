/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "acc-sequence-windows-private.h"

#include "acc-core/array/acc-array-build-private.h"
#include "acc-core/expr/acc-expr-private.h"
#include "acc-seq/lift/acc-lift-private.h"

/* Windows of an array in memory as a function of their number: what is made of a window reads the array itself. */

typedef struct {
  AccArray              *array;
  const AccSequenceGrid *grid;
  AccBoundary           *boundary;   /* NULL: none */
  AccExpr               *number;     /* of the window; NULL within it */
} Windows;

/* Where window @number begins along dimension @d. */
static AccExpr *
locate (const AccSequenceGrid *grid,
        AccExpr               *number,
        guint                  d)
{
  AccExpr *place = number;
  gint64 behind = 1;

  for (guint i = d + 1; i < grid->rank; i++)
    behind *= grid->dimensions[i].count;
  if (behind > 1)
    place = acc_expr_div (place, acc_array_number (behind));
  if (d > 0)
    place = acc_expr_mod (place, acc_array_number (MAX (grid->dimensions[d].count, 1)));

  return acc_expr_mul (place, acc_array_number (grid->dimensions[d].step));
}

static gboolean
hangs_over (const AccSequenceGridDimension *dimension)
{
  return dimension->count > 0 && (dimension->count - 1) * dimension->step + dimension->size > dimension->extent;
}

AccExpr *
acc_sequence_windows_read_at (AccArray    *array,
                              AccBoundary *boundary,
                              AccExpr    **at,
                              AccExpr    **ends)
{
  AccBoundaryKind kind = boundary != NULL ? acc_boundary_get_kind (boundary) : ACC_BOUNDARY_CLAMP;
  g_autoptr(AccExpr) inside = NULL;
  AccExpr *value;

  for (guint d = 0; d < array->rank; d++)
    if (ends[d] != NULL && kind == ACC_BOUNDARY_CONSTANT)
      {
        g_autoptr(AccExpr) own = acc_expr_ref_sink (at[d]), end = acc_expr_ref_sink (ends[d]);
        AccExpr *within = acc_expr_lt (own, end), *both = inside != NULL ? acc_expr_land (inside, within) : within;

        g_clear_pointer (&inside, acc_expr_unref);
        inside = acc_expr_ref_sink (both);
        at[d] = acc_expr_min (own, acc_expr_sub (end, acc_array_number (1)));
      }
    else if (ends[d] != NULL)
      {
        at[d] = acc_lift_map_inside (kind, at[d], ends[d]);
      }
  value = acc_expr_index (array, acc_array_join_items (at, array->rank));

  return inside != NULL ? acc_expr_cond (inside, value, acc_expr_resolve (boundary->function->body, array->type)) : value;
}

static AccExpr *
read_place (AccExpr *index,
            gpointer data)
{
  const Windows *self = data;
  const AccSequenceGrid *grid = self->grid;
  g_autofree AccExpr **at = g_new (AccExpr *, grid->rank + 1), **ends = g_new0 (AccExpr *, grid->rank + 1);

  for (guint d = 0; d < grid->rank; d++)
    {
      at[d] = acc_expr_add (locate (grid, self->number, d), grid->rank == 1 ? index : acc_expr_item (index, d));
      if (hangs_over (&grid->dimensions[d]))
        ends[d] = acc_array_number (grid->dimensions[d].extent);
    }

  return acc_sequence_windows_read_at (self->array, self->boundary, at, ends);
}

static AccArray *
read_window (AccArray **number,
             guint      n,
             gpointer   data)
{
  Windows *self = data;
  g_autofree gint64 *sizes = g_new (gint64, self->grid->rank + 1);
  g_autoptr(AccShape) shape = NULL;
  g_autoptr(AccExpr) value = acc_expr_ref_sink (acc_expr_the (number[0]));
  AccArray *window;

  for (guint d = 0; d < self->grid->rank; d++)
    sizes[d] = self->grid->dimensions[d].size;
  shape = acc_shape_new (sizes, self->grid->rank);
  self->number = value;
  window = acc_array_generate (shape, read_place, self);
  self->number = NULL;

  return window;
}

AccSequenceFunction *
acc_sequence_windows_trace (AccArray              *array,
                            const AccSequenceGrid *grid,
                            AccBoundary           *boundary,
                            AccArray             **error)
{
  g_autoptr(AccShape) scalar = acc_shape_new_scalar ();
  AccElementType *type = acc_element_type_new (ACC_KIND_I64);
  Windows self = { array, grid, boundary, NULL };
  guint rank = 0;

  return acc_sequence_function_trace ("sequence_new_windows", &type, &rank, &scalar, 1, read_window, &self, FALSE, error);
}
