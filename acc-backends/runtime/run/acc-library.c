/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "acc-library.h"

#include <gmodule.h>

static gboolean
look_up_all (GModule                *module,
             const AccLibrarySymbol *symbols)
{
  for (; symbols->name != NULL; symbols++)
    if (!g_module_symbol (module, symbols->name, symbols->function))
      return FALSE;

  return TRUE;
}

static gboolean
open_any (const AccLibrary *self)
{
  for (const char *const *name = self->names; *name != NULL; name++)
    {
      GModule *module = g_module_open (*name, G_MODULE_BIND_LAZY | G_MODULE_BIND_LOCAL);

      if (module == NULL)
        continue;
      if (look_up_all (module, self->symbols))
        {
          /* It may have threads of its own. */
          g_module_make_resident (module);
          return TRUE;
        }
      g_module_close (module);
    }

  return FALSE;
}

gboolean
acc_library_find (AccLibrary *self)
{
  enum { FOUND = 1, ABSENT };

  if (g_once_init_enter (&self->state))
    g_once_init_leave (&self->state, open_any (self) ? FOUND : ABSENT);

  return self->state == FOUND;
}

/* --- products */

static gboolean
is_worth (gint64 side)
{
  return side >= ACC_FOREIGN_SHORTEST_SIDE && side <= G_MAXINT32;
}

gboolean
acc_library_measure_product (AccArray           **inputs,
                             const gint64 *const *extents,
                             guint                n_inputs,
                             AccLibraryProduct   *product)
{
  guint l = n_inputs == 2 ? inputs[0]->rank : 0, r = n_inputs == 2 ? inputs[1]->rank : 0;

  if (l < 2 || r < 2 || (l > 2 && r > 2 && l != r) || extents[0][l - 1] != extents[1][r - 2] || inputs[0]->type != inputs[1]->type)
    return FALSE;

  *product = (AccLibraryProduct) { .outer = 1, .m = extents[0][l - 2], .n = extents[1][r - 1], .k = extents[0][l - 1] };
  if (!acc_foreign_type_is_float (inputs[0]->type, &product->is_complex, &product->is_wide))
    return FALSE;

  for (guint i = 0; i + 2 < MAX (l, r); i++)
    {
      if (l == r && extents[0][i] != extents[1][i])
        return FALSE;
      product->outer *= extents[l >= r ? 0 : 1][i];
    }
  product->left_step = l > 2 ? product->m * product->k : 0;
  product->right_step = r > 2 ? product->k * product->n : 0;
  /* Many matrices times one are one of many rows. */
  if (r == 2 && product->outer <= G_MAXINT32 / MAX (product->m, 1))
    {
      product->m *= product->outer;
      product->outer = 1;
    }

  return product->outer > 0 && is_worth (product->m) && is_worth (product->n) && is_worth (product->k);
}

/* An error for a call with other inputs than those that were accepted. */
static gboolean
refuse (GError **error)
{
  g_set_error (error, ACC_ERROR, ACC_ERROR_TYPE, "the library's routine is not for such arrays");
  return FALSE;
}

/* Of a launch that has so many. */
static gboolean
get_inputs (AccForeignLaunch  *launch,
            guint              n,
            AccArray         **inputs,
            const gint64     **extents)
{
  if (acc_foreign_launch_get_n_inputs (launch) != n)
    return FALSE;

  for (guint i = 0; i < n; i++)
    {
      inputs[i] = acc_foreign_launch_get_input (launch, i);
      extents[i] = acc_shape_get_extents (inputs[i]->shape, NULL);
    }

  return TRUE;
}

static AccShape *
dup_product_shape (AccArray           **inputs,
                   const gint64 *const *extents)
{
  guint deeper = inputs[0]->rank >= inputs[1]->rank ? 0 : 1, rank = inputs[deeper]->rank;
  g_autofree gint64 *product = g_memdup2 (extents[deeper], rank * sizeof (gint64));

  product[rank - 2] = extents[0][inputs[0]->rank - 2];
  product[rank - 1] = extents[1][inputs[1]->rank - 1];

  return acc_shape_new (product, rank);
}

gboolean
acc_library_begin_product (AccForeignLaunch   *launch,
                           AccLibraryProduct  *product,
                           GError            **error)
{
  const gint64 *extents[2] = { NULL, NULL };
  AccArray *inputs[2] = { NULL, NULL };
  g_autoptr(AccShape) shape = NULL;

  if (!get_inputs (launch, 2, inputs, extents) || !acc_library_measure_product (inputs, extents, 2, product))
    return refuse (error);

  shape = dup_product_shape (inputs, extents);
  return acc_foreign_launch_begin (launch, inputs[0]->type, shape, error);
}

/* --- transforms */

gboolean
acc_library_measure_transform (const AccForeignTransform *transform,
                               AccArray                 **inputs,
                               const gint64 *const       *extents,
                               guint                      n_inputs,
                               gint64                     worth,
                               gboolean                  *is_wide)
{
  gboolean is_complex;
  gint64 size = 1;
  guint rank = n_inputs == 1 ? inputs[0]->rank : 0;

  if (rank < transform->n_dimensions || (transform->n_after > 0 && rank != transform->n_dimensions + 2)
      || !acc_foreign_type_is_float (inputs[0]->type, &is_complex, is_wide) || !is_complex)
    return FALSE;

  for (guint i = 0; i < rank; i++)
    size *= extents[0][i];

  return size >= worth;
}

gboolean
acc_library_begin_transform (AccForeignLaunch           *launch,
                             const AccForeignTransform  *transform,
                             gboolean                   *is_wide,
                             GError                    **error)
{
  const gint64 *extents = NULL;
  AccArray *input = NULL;

  if (!get_inputs (launch, 1, &input, &extents) || !acc_library_measure_transform (transform, &input, &extents, 1, 1, is_wide))
    return refuse (error);

  return acc_foreign_launch_begin (launch, input->type, input->shape, error);
}
