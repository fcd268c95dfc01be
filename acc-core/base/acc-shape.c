/* SPDX-License-Identifier: LGPL-2.1-or-later */

#include "acc-shape.h"

#include <string.h>

/**
 * AccShape:
 *
 * Extents of an array, outermost first; of rank 0 for a single element. Immutable; any thread.
 */

struct _AccShape {
  gatomicrefcount ref_count;
  guint           rank;
  gint64          extents[];
};

G_DEFINE_BOXED_TYPE (AccShape, acc_shape, acc_shape_ref, acc_shape_unref)

/**
 * acc_shape_new:
 * @extents: (array length=rank) (nullable): extents, outermost first
 * @rank: how many
 *
 * Makes a shape. An extent that is not positive makes arrays of it empty.
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
 * Returns: (transfer full): the shape of rank 0
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
 * Returns: (transfer full): a shape of rank 1
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
 * Returns: (transfer full): a shape of rank 2
 */
AccShape *
acc_shape_new_matrix (gint64 rows,
                      gint64 columns)
{
  return acc_shape_new ((gint64[]) { rows, columns }, 2);
}

/**
 * acc_shape_ref:
 * @self: a shape
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
 * Gives up a reference.
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
 * @dimension: below the rank; 0 is the outermost
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
 * @rank: (out) (optional): how many
 *
 * Returns: (transfer none) (array length=rank): all extents, outermost first
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
 * The number of elements: 0 where any extent is not positive, 1 for rank 0.
 *
 * Returns: the number; %G_MAXINT64 where it does not fit
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
 * Returns: whether rank and all extents are equal
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
 * Returns: (transfer full): "[512,512,3]", "[]" for rank 0
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
