/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "acc-foreign-known-private.h"

#include <string.h>

/* The signatures of the foreign operations that acc itself names. A text can name them, too, with any node: so the node is checked before a
 * library is called, which writes what its routine computes. */

static const AccForeignTransform transforms[] = {
  { "acc-fft-forward", 1, 0, TRUE }, { "acc-fft-reverse", 1, 0, FALSE },
  { "acc-fft2-forward", 2, 0, TRUE }, { "acc-fft2-reverse", 2, 0, FALSE },
  { "acc-fft3-forward", 3, 0, TRUE }, { "acc-fft3-reverse", 3, 0, FALSE },
  { "acc-fft-middle-forward", 1, 1, TRUE }, { "acc-fft-middle-reverse", 1, 1, FALSE },
};

const AccForeignTransform *
acc_foreign_nth_transform (guint n)
{
  return n < G_N_ELEMENTS (transforms) ? &transforms[n] : NULL;
}

const AccForeignTransform *
acc_foreign_find_transform (const char *name)
{
  for (guint i = 0; i < G_N_ELEMENTS (transforms); i++)
    if (strcmp (transforms[i].name, name) == 0)
      return &transforms[i];

  return NULL;
}

const char *
acc_foreign_get_transform_name (guint    n_dimensions,
                                guint    n_after,
                                gboolean forward)
{
  for (guint i = 0; i < G_N_ELEMENTS (transforms); i++)
    if (transforms[i].n_dimensions == n_dimensions && transforms[i].n_after == n_after && transforms[i].forward == forward)
      return transforms[i].name;

  g_return_val_if_reached (NULL);
}

gboolean
acc_foreign_type_is_float (AccElementType *type,
                           gboolean       *is_complex,
                           gboolean       *is_wide)
{
  AccElementKind kind;

  if (acc_element_type_is_tuple (type))
    return FALSE;

  kind = acc_element_type_get_kind (type);
  *is_complex = kind == ACC_KIND_COMPLEX;
  if (*is_complex)
    kind = acc_element_type_get_leaf (type, 0);
  *is_wide = kind == ACC_KIND_F64;

  return kind == ACC_KIND_F32 || kind == ACC_KIND_F64;
}

/* --- signatures */

/* Of a node: its inputs, with the extents that are known of them and, after those, of it. */
typedef struct {
  AccArray            *node;
  AccArray           **inputs;
  guint                n_inputs;
  const gint64 *const *extents;
} Signature;

static const char *
check_result (const Signature *self,
              guint            rank,
              const gint64    *extents)
{
  const gint64 *given = self->extents[self->n_inputs];

  if (self->node->type != self->inputs[0]->type)
    return "gives elements of the type that it takes";
  if (self->node->rank != rank)
    return "does not give an array of this rank";
  if (extents != NULL && given != NULL && memcmp (extents, given, rank * sizeof *extents) != 0)
    return "does not give an array of these extents";

  return NULL;
}

static const char *
check_transform (const Signature           *self,
                 const AccForeignTransform *transform)
{
  gboolean is_complex, is_wide;

  if (self->n_inputs != 1)
    return "takes one array";
  if (!acc_foreign_type_is_float (self->inputs[0]->type, &is_complex, &is_wide) || !is_complex)
    return "takes elements of c8 or c16";
  if (self->inputs[0]->rank < transform->n_dimensions || (transform->n_after > 0 && self->inputs[0]->rank != transform->n_dimensions + 2))
    return "does not take an array of this rank";

  return check_result (self, self->inputs[0]->rank, self->extents[0]);
}

static const char *
check_product (const Signature *self)
{
  const gint64 *left, *right;
  guint l, r, rank;
  g_autofree gint64 *extents = NULL;
  gboolean is_complex, is_wide;

  if (self->n_inputs != 2)
    return "takes two arrays";
  if (!acc_foreign_type_is_float (self->inputs[0]->type, &is_complex, &is_wide) || self->inputs[0]->type != self->inputs[1]->type)
    return "takes elements of f4, f8, c8 or c16, of one type";

  left = self->extents[0];
  right = self->extents[1];
  l = self->inputs[0]->rank;
  r = self->inputs[1]->rank;
  rank = MAX (l, r);
  if (l < 2 || r < 2 || (l > 2 && r > 2 && l != r))
    return "does not take arrays of these ranks";
  if (left == NULL || right == NULL)
    return check_result (self, rank, NULL);

  extents = g_memdup2 (l == rank ? left : right, rank * sizeof *extents);
  for (guint i = 0; i + 2 < rank && l == r; i++)
    if (left[i] != right[i])
      return "does not take arrays of these extents";
  if (left[l - 1] != right[r - 2])
    return "does not take arrays of these extents";
  extents[rank - 2] = left[l - 2];
  extents[rank - 1] = right[r - 1];

  return check_result (self, rank, extents);
}

const char *
acc_foreign_check_signature (AccArray            *node,
                             const gint64 *const *extents)
{
  Signature signature = { node, NULL, 0, extents };
  const char *name = acc_foreign_get_name (node);

  signature.inputs = acc_foreign_get_inputs (node, &signature.n_inputs);
  if (strcmp (name, ACC_FOREIGN_PRODUCT) == 0)
    return check_product (&signature);
  for (guint i = 0; i < G_N_ELEMENTS (transforms); i++)
    if (strcmp (name, transforms[i].name) == 0)
      return check_transform (&signature, &transforms[i]);

  return NULL;
}

static const gint64 *
get_static_extents (AccArray *array)
{
  return array->shape != NULL ? acc_shape_get_extents (array->shape, NULL) : NULL;
}

const char *
acc_foreign_check_static (AccArray *node)
{
  guint n;
  AccArray **inputs = acc_foreign_get_inputs (node, &n);
  g_autofree const gint64 **extents = g_new (const gint64 *, n + 1);

  for (guint i = 0; i < n; i++)
    extents[i] = get_static_extents (inputs[i]);
  extents[n] = get_static_extents (node);

  return acc_foreign_check_signature (node, extents);
}
