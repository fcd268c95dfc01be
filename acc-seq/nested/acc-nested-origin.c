/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "acc-nested-origin-private.h"

#include "acc-core/array/acc-array-build-private.h"

static GQuark
get_quark (void)
{
  return g_quark_from_static_string ("acc-nested-origin");
}

static void
origin_free (gpointer data)
{
  AccNestedOrigin *self = data;

  g_ptr_array_unref (self->inputs);
  g_ptr_array_unref (self->counts);
  g_ptr_array_unref (self->parameters);
  g_object_unref (self->result);
  g_free (self);
}

/* Of many maps of maps, one after the other. */
static void
release (gpointer data)
{
  acc_array_release (data, origin_free);
}

AccNestedOrigin *
acc_nested_origin_new (AccArray *result)
{
  AccNestedOrigin *self = g_new0 (AccNestedOrigin, 1);

  self->inputs = g_ptr_array_new_with_free_func ((GDestroyNotify) acc_lifted_unref);
  self->counts = g_ptr_array_new_with_free_func (g_object_unref);
  self->parameters = g_ptr_array_new_with_free_func (g_object_unref);
  self->result = g_object_ref (result);

  return self;
}

/* The same elements, without what was made of them since: what knows of them may be part of that. */
static AccLifted *
dup_elements (AccLifted *lifted)
{
  g_autoptr(GPtrArray) parts = NULL;
  guint next = 0;

  if (lifted->form == ACC_LIFTED_CONSTANT)
    return acc_lifted_new_constant (g_object_ref (lifted->values));
  parts = g_ptr_array_new_with_free_func (g_object_unref);
  acc_lifted_list_parts (lifted, parts);

  return acc_lifted_join_parts (lifted, parts, &next);
}

void
acc_nested_origin_add (AccNestedOrigin *self,
                       AccLifted       *input,
                       AccArray        *count,
                       AccArray        *parameter)
{
  g_ptr_array_add (self->inputs, dup_elements (input));
  g_ptr_array_add (self->counts, g_object_ref (count));
  g_ptr_array_add (self->parameters, g_object_ref (parameter));
}

void
acc_nested_origin_attach (AccNestedOrigin *self,
                          AccArray        *values)
{
  g_object_set_qdata_full (G_OBJECT (values), get_quark (), self, release);
}

const AccNestedOrigin *
acc_nested_origin_get (AccArray *values)
{
  return g_object_get_qdata (G_OBJECT (values), get_quark ());
}
