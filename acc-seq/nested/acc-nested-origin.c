/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "acc-nested-origin-private.h"

#include "acc-core/array/acc-array-age-private.h"
#include "acc-core/array/acc-array-build-private.h"

static void
origin_free (gpointer data)
{
  AccNestedOrigin *self = data;

  g_ptr_array_unref (self->inputs);
  g_ptr_array_unref (self->parameters);
  g_ptr_array_unref (self->arguments);
  g_ptr_array_unref (self->results);
  g_clear_pointer (&self->base, acc_nested_origin_unref);
  g_free (self);
}

void
acc_nested_origin_unref (AccNestedOrigin *self)
{
  /* Of many maps of maps, one after the other. */
  if (g_atomic_ref_count_dec (&self->ref_count))
    acc_array_release (self, origin_free);
}

static AccNestedOrigin *
origin_ref (AccNestedOrigin *self)
{
  g_atomic_ref_count_inc (&self->ref_count);

  return self;
}

static void
add_all (GPtrArray *to,
         AccArray **arrays,
         guint      n_arrays)
{
  for (guint i = 0; i < n_arrays; i++)
    g_ptr_array_add (to, g_object_ref (arrays[i]));
}

static void
tell_copy (AccArrayNote *note,
           AccArray     *copy,
           AccArray    **parameters,
           AccArray    **arguments,
           guint         n)
{
  AccNestedOrigin *self = acc_nested_origin_new (NULL, 0, 0, 0);

  self->base = origin_ref ((AccNestedOrigin *) note);
  add_all (self->parameters, parameters, n);
  add_all (self->arguments, arguments, n);
  acc_array_set_note (copy, &self->note, (GDestroyNotify) acc_nested_origin_unref);
}

AccNestedOrigin *
acc_nested_origin_new (AccArray **results,
                       guint      n_results,
                       guint      rank,
                       guint      depth)
{
  AccNestedOrigin *self = g_new0 (AccNestedOrigin, 1);

  self->note.tell = tell_copy;
  g_atomic_ref_count_init (&self->ref_count);
  self->inputs = g_ptr_array_new_with_free_func (g_object_unref);
  self->parameters = g_ptr_array_new_with_free_func (g_object_unref);
  self->results = g_ptr_array_new_with_free_func (g_object_unref);
  self->arguments = g_ptr_array_new_with_free_func (g_object_unref);
  self->rank = rank;
  self->depth = depth;
  add_all (self->results, results, n_results);

  return self;
}

/* The same elements. */
static AccNestedArray *
dup_elements (AccNestedArray *nested)
{
  AccNestedArray *inner = acc_nested_array_get_inner (nested);
  AccLifted *lifted;
  g_autoptr(GPtrArray) parts = NULL;
  guint next = 0;

  if (inner != NULL)
    return acc_nested_array_new_for_groups (dup_elements (inner), g_object_ref (acc_nested_array_get_groups (nested)));

  lifted = acc_nested_array_get_lifted (nested);
  parts = g_ptr_array_new_with_free_func (g_object_unref);
  acc_lifted_list_parts (lifted, parts);
  lifted = lifted->form == ACC_LIFTED_CONSTANT ? acc_lifted_new_constant (g_object_ref (lifted->values))
                                               : acc_lifted_join_parts (lifted, parts, &next);

  return acc_nested_array_new_for_lifted (lifted, g_object_ref (acc_nested_array_get_count (nested)));
}

void
acc_nested_origin_add (AccNestedOrigin *self,
                       AccNestedArray  *input,
                       AccArray       **parameters,
                       guint            n_parameters)
{
  g_ptr_array_add (self->inputs, dup_elements (input));
  add_all (self->parameters, parameters, n_parameters);
}

static void
attach (AccNestedOrigin *self,
        AccArray        *array,
        guint64          first)
{
  if (array->error == NULL && acc_array_get_age (array) >= first && acc_array_get_note (array) == NULL)
    acc_array_set_note (array, &origin_ref (self)->note, (GDestroyNotify) acc_nested_origin_unref);
}

void
acc_nested_origin_attach (AccNestedOrigin *self,
                          AccNestedArray  *made,
                          guint64          first)
{
  AccLifted *lifted = acc_nested_array_get_lifted (made);

  if (lifted->form == ACC_LIFTED_CONSTANT)
    return;

  for (; acc_nested_array_get_inner (made) != NULL; made = acc_nested_array_get_inner (made))
    attach (self, acc_nested_array_get_groups (made), first);
  attach (self, lifted->values, first);
  if (lifted->nesting == NULL)
    return;

  attach (self, lifted->nesting->offsets, first);
  if (lifted->nesting->extents != NULL)
    attach (self, lifted->nesting->extents, first);
}

AccNestedOrigin *
acc_nested_origin_get (AccArray *array)
{
  return (AccNestedOrigin *) acc_array_get_note (array);
}

gboolean
acc_nested_origin_equal (const AccNestedOrigin *self,
                         const AccNestedOrigin *other)
{
  while (self != other && self->base != NULL && other->base != NULL && self->arguments->len == other->arguments->len)
    {
      for (guint i = 0; i < self->arguments->len; i++)
        if (g_ptr_array_index (self->parameters, i) != g_ptr_array_index (other->parameters, i)
            || g_ptr_array_index (self->arguments, i) != g_ptr_array_index (other->arguments, i))
          return FALSE;
      self = self->base;
      other = other->base;
    }

  return self == other;
}

/* All that @self, whose .base is NULL, is made of. */
static GPtrArray *
list_roots (AccNestedOrigin *self)
{
  GPtrArray *roots = g_ptr_array_new ();

  g_ptr_array_extend (roots, self->parameters, NULL, NULL);
  g_ptr_array_extend (roots, self->results, NULL, NULL);
  for (guint i = 0; i < self->inputs->len; i++)
    acc_nested_array_collect (g_ptr_array_index (self->inputs, i), roots);

  return roots;
}

AccNestedOrigin *
acc_nested_origin_resolve (AccNestedOrigin *self)
{
  g_autoptr(AccNestedOrigin) base = NULL, made = NULL;
  g_autoptr(GPtrArray) roots = NULL, others = NULL, parts = NULL;
  AccArray **next;

  if (self->base == NULL)
    return origin_ref (self);
  base = acc_nested_origin_resolve (self->base);
  if (base == NULL)
    return NULL;

  roots = list_roots (base);
  others = acc_array_apply_all ((AccArray **) roots->pdata, roots->len, (AccArray **) self->parameters->pdata,
                                (AccArray **) self->arguments->pdata, self->parameters->len, NULL);
  if (others == NULL)
    return NULL;

  next = (AccArray **) others->pdata;
  made = acc_nested_origin_new (next + base->parameters->len, base->results->len, base->rank, base->depth);
  add_all (made->parameters, next, base->parameters->len);
  next += base->parameters->len + base->results->len;
  parts = g_ptr_array_new ();
  for (guint i = 0; i < base->inputs->len; i++)
    {
      AccNestedArray *input = g_ptr_array_index (base->inputs, i);

      g_ptr_array_add (made->inputs, acc_nested_array_new_manifest (input, next));
      g_ptr_array_set_size (parts, 0);
      acc_nested_array_collect (input, parts);
      next += parts->len;
    }

  return g_steal_pointer (&made);
}
