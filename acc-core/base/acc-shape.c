/* SPDX-License-Identifier: LGPL-2.1-or-later */

#include "acc-shape-private.h"

#include <string.h>

/**
 * AccShape:
 *
 * Represents the extents of an array, outermost first.
 *
 * A single element has rank 0. Shapes are immutable; any thread may use them.
 */

struct _AccShape {
  gatomicrefcount ref_count;
  guint           rank;
  gint64          extents[];
};

G_DEFINE_BOXED_TYPE (AccShape, acc_shape, acc_shape_ref, acc_shape_unref)

/**
 * acc_shape_new:
 * @extents: (array length=rank) (nullable): the extents, outermost first
 * @rank: the number of extents
 *
 * Creates a shape with the given extents.
 *
 * An extent that is not positive makes arrays of this shape empty.
 *
 * Returns: (transfer full): the shape
 */
AccShape *
acc_shape_new (const gint64 *extents,
               guint         rank)
{
  AccShape *self;

  g_return_val_if_fail (rank == 0 || extents != NULL, NULL);

  self = g_malloc (sizeof *self + rank * sizeof *extents);
  g_atomic_ref_count_init (&self->ref_count);
  self->rank = rank;
  if (rank > 0)
    memcpy (self->extents, extents, rank * sizeof *extents);
  return self;
}

/**
 * acc_shape_new_scalar:
 *
 * Creates the shape of a single element, of rank 0.
 *
 * Returns: (transfer full): the shape
 */
AccShape *
acc_shape_new_scalar (void)
{
  return acc_shape_new (NULL, 0);
}

/**
 * acc_shape_new_vector:
 * @length: the extent
 *
 * Creates a shape of rank 1.
 *
 * Returns: (transfer full): the shape
 */
AccShape *
acc_shape_new_vector (gint64 length)
{
  return acc_shape_new (&length, 1);
}

/**
 * acc_shape_new_matrix:
 * @rows: the outer extent
 * @columns: the inner extent
 *
 * Creates a shape of rank 2: rows and columns.
 *
 * Returns: (transfer full): the shape
 */
AccShape *
acc_shape_new_matrix (gint64 rows,
                      gint64 columns)
{
  return acc_shape_new ((gint64[]) { rows, columns }, 2);
}

AccShape *
acc_shape_new_rows (gint64 n_rows, AccShape *row_shape)
{
  g_autofree gint64 *all = g_new (gint64, row_shape->rank + 1);

  all[0] = n_rows;
  memcpy (all + 1, row_shape->extents, row_shape->rank * sizeof *all);

  return acc_shape_new (all, row_shape->rank + 1);
}

/**
 * acc_shape_ref:
 * @self: a shape
 *
 * Adds a reference to a shape.
 *
 * Returns: (transfer full): @self
 */
AccShape *
acc_shape_ref (AccShape *self)
{
  g_atomic_ref_count_inc (&self->ref_count);
  return self;
}

/**
 * acc_shape_unref:
 * @self: (transfer full): a shape
 *
 * Releases a reference to a shape, and frees it with the last one.
 */
void
acc_shape_unref (AccShape *self)
{
  if (g_atomic_ref_count_dec (&self->ref_count))
    g_free (self);
}

/**
 * acc_shape_get_rank:
 * @self: a shape
 *
 * Returns the rank of a shape.
 *
 * Returns: the number of dimensions
 */
guint
acc_shape_get_rank (AccShape *self)
{
  return self->rank;
}

/**
 * acc_shape_get_extent:
 * @self: a shape
 * @dimension: a dimension below the rank; 0 is the outermost
 *
 * Returns the extent of a shape in one dimension.
 *
 * Returns: the extent
 */
gint64
acc_shape_get_extent (AccShape *self,
                      guint     dimension)
{
  g_return_val_if_fail (dimension < self->rank, 0);
  return self->extents[dimension];
}

/**
 * acc_shape_get_extents:
 * @self: a shape
 * @rank: (out) (optional): the number of extents
 *
 * Returns all extents of a shape, outermost first.
 *
 * Returns: (transfer none) (array length=rank): the extents, which the shape owns
 */
const gint64 *
acc_shape_get_extents (AccShape *self,
                       guint    *rank)
{
  if (rank != NULL)
    *rank = self->rank;
  return self->extents;
}

/**
 * acc_shape_get_size:
 * @self: a shape
 *
 * Returns the number of elements of an array of a shape.
 *
 * Returns: the number: 0 where any extent is not positive, 1 for rank 0, %G_MAXINT64 where the product does not fit
 */
gint64
acc_shape_get_size (AccShape *self)
{
  gint64 size = 1;

  for (guint i = 0; i < self->rank; i++)
    if (self->extents[i] <= 0)
      return 0;
  for (guint i = 0; i < self->rank; i++)
    if (__builtin_mul_overflow (size, self->extents[i], &size))
      return G_MAXINT64;
  return size;
}

/**
 * acc_shape_equal:
 * @a: a shape
 * @b: a shape
 *
 * Tells whether two shapes have the same rank and the same extents.
 *
 * Returns: %TRUE where they are equal
 */
gboolean
acc_shape_equal (AccShape *a,
                 AccShape *b)
{
  return a->rank == b->rank && memcmp (a->extents, b->extents, a->rank * sizeof *a->extents) == 0;
}

/**
 * acc_shape_to_string:
 * @self: a shape
 *
 * Returns a shape as text.
 *
 * Returns: (transfer full): the text: "[512,512,3]", or "[]" for rank 0
 */
char *
acc_shape_to_string (AccShape *self)
{
  GString *text = g_string_new ("[");

  for (guint i = 0; i < self->rank; i++)
    g_string_append_printf (text, "%s%" G_GINT64_FORMAT, i ? "," : "", self->extents[i]);
  g_string_append_c (text, ']');
  return g_string_free (text, FALSE);
}
