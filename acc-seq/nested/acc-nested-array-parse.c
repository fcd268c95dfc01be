/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "acc-nested-array-private.h"

#include "acc-core/array/acc-array-build-private.h"

#include <string.h>

/* The text form: what a nested array is, and a program that gives the arrays that it consists of. */

#define HEADER    "acc nested 1\n"
#define MAX_DEPTH 64

static const char *const forms[] = { "constant", "regular", "irregular" };

/**
 * acc_nested_array_to_text:
 * @self: a nested array
 *
 * Writes the nested array as text: what form it has and how many levels, and a program, as [method@Program.to_string] writes it, of the
 * arrays that it consists of. [ctor@NestedArray.new_from_text] makes an equal one from it: values of one that is manifest are part of the
 * text, of others the operations that compute them.
 *
 * What a program cannot be read back for, this cannot either: parameters of programs, sources, and errors. Takes time linear in the size
 * of the arrays.
 *
 * Returns: (transfer full): the text
 */
char *
acc_nested_array_to_text (AccNestedArray *self)
{
  g_autoptr(GPtrArray) results = NULL;
  g_autoptr(AccProgram) program = NULL;
  g_autofree char *text = NULL;
  AccNestedArray *innermost = self;
  AccLifted *lifted;
  guint depth;

  g_return_val_if_fail (ACC_IS_NESTED_ARRAY (self), NULL);

  results = g_ptr_array_new ();
  lifted = acc_nested_array_get_lifted (self);
  depth = acc_nested_array_get_depth (self);
  for (; acc_nested_array_get_inner (innermost) != NULL; innermost = acc_nested_array_get_inner (innermost))
    g_ptr_array_add (results, acc_nested_array_get_groups (innermost));

  g_ptr_array_add (results, lifted->values);
  if (lifted->form == ACC_LIFTED_CONSTANT)
    g_ptr_array_add (results, acc_nested_array_get_count (self));
  if (lifted->form == ACC_LIFTED_IRREGULAR)
    g_ptr_array_add (results, lifted->rank > 1 ? lifted->nesting->extents : lifted->nesting->offsets);

  program = acc_program_new_for_results ((AccArray **) results->pdata, results->len);
  text = acc_program_to_string (program);

  return g_strdup_printf (HEADER "%s %u\n%s", forms[lifted->form], depth, text);
}

/* --- and back */

static gboolean
refuse (GError    **error,
        const char *problem)
{
  g_set_error (error, ACC_ERROR, ACC_ERROR_PARSE, "not a nested array: %s", problem);

  return FALSE;
}

/* "irregular 2\n"; what is behind it, or NULL. */
static const char *
read_form (const char    *text,
           AccLiftedForm *form,
           guint         *depth)
{
  for (guint i = 0; i < G_N_ELEMENTS (forms); i++)
    {
      gsize length = strlen (forms[i]);
      const char *number = text + length + 1;
      char *end;

      if (strncmp (text, forms[i], length) != 0 || text[length] != ' ' || !g_ascii_isdigit (*number))
        continue;
      *form = i;
      *depth = MIN (g_ascii_strtoull (number, &end, 10), MAX_DEPTH + 1);

      return *depth > 0 && *depth <= MAX_DEPTH && *end == '\n' ? end + 1 : NULL;
    }

  return NULL;
}

static gboolean
is_vector_of_numbers (AccArray *array,
                      guint     items)
{
  AccElementType *type = array->type;

  if (array->rank != 1)
    return FALSE;
  if (items == 0)
    return acc_element_type_get_kind (type) == ACC_KIND_I64;
  if (!acc_element_type_is_tuple (type) || acc_element_type_get_n_items (type) < 2)
    return FALSE;
  for (guint i = 0; i < acc_element_type_get_n_items (type); i++)
    if (acc_element_type_get_kind (acc_element_type_get_item (type, i)) != ACC_KIND_I64)
      return FALSE;

  return TRUE;
}

/* Elements that are arrays: in memory they are checked here, else in the run. */
static AccNestedArray *
make_elements (AccLiftedForm form,
               AccArray     *values,
               AccArray     *descriptor,
               GError      **error)
{
  gboolean manifest = acc_array_is_manifest (values) && (descriptor == NULL || acc_array_is_manifest (descriptor));
  g_autoptr(AccArray) offsets = NULL;
  gboolean has_extents;

  if (form == ACC_LIFTED_REGULAR)
    return values->rank > 0 ? acc_nested_array_new_from_regular (values) : (refuse (error, "regular values have rank 0"), NULL);
  if (form == ACC_LIFTED_CONSTANT)
    return descriptor->rank > 0
           ? acc_nested_array_new_for_lifted (acc_lifted_new_constant (g_object_ref (values)), g_object_ref (descriptor))
           : (refuse (error, "nothing says how many elements there are"), NULL);

  has_extents = is_vector_of_numbers (descriptor, 2);
  if (values->rank != 1 || !(has_extents || is_vector_of_numbers (descriptor, 0)))
    return refuse (error, "irregular values are a vector, with a vector of i8, or of tuples of i8"), NULL;
  if (!manifest)
    return has_extents ? acc_nested_array_new_from_extents (values, descriptor) : acc_nested_array_new_from_offsets (values, descriptor);

  if (has_extents)
    offsets = acc_nested_array_use_extents (descriptor, acc_shape_get_size (values->shape), error);
  else if (acc_nested_array_check_offsets (descriptor, acc_shape_get_size (values->shape), error))
    offsets = g_object_ref (descriptor);
  if (offsets == NULL)
    return NULL;

  return acc_nested_array_new_for_lifted (
    acc_lifted_new_irregular (acc_nesting_new (has_extents ? acc_element_type_get_n_items (descriptor->type) : 1, g_object_ref (offsets),
                                               has_extents ? g_object_ref (descriptor) : NULL), g_object_ref (values)),
    acc_nested_array_use_lengths (offsets));
}

/* One more level on @inner, taken over. */
static AccNestedArray *
make_level (AccNestedArray *inner,
            AccArray       *groups,
            GError        **error)
{
  g_autoptr(AccNestedArray) own = inner;
  g_autoptr(AccArray) lengths = NULL;
  g_autoptr(AccNesting) nesting = NULL;
  AccArray *count = acc_nested_array_get_groups (inner);
  gint64 n;

  if (!is_vector_of_numbers (groups, 0))
    return refuse (error, "offsets of a level are a vector of i8"), NULL;

  if (acc_array_is_manifest (groups) && acc_nested_array_is_manifest (inner))
    {
      n = count != NULL ? acc_shape_get_size (count->shape) - 1 : acc_shape_get_extent (acc_nested_array_get_count (inner)->shape, 0);

      return acc_nested_array_check_offsets (groups, n, error)
             ? acc_nested_array_new_for_groups (g_steal_pointer (&own), g_object_ref (groups)) : NULL;
    }

  nesting = acc_nesting_new (1, g_object_ref (groups), NULL);
  lengths = acc_nesting_dup_lengths (nesting);

  return acc_nested_array_nest (inner, lengths);
}

/**
 * acc_nested_array_new_from_text:
 * @text: text from [method@NestedArray.to_text]
 * @error: return location for an error
 *
 * Reads a nested array from its text form. It is manifest where the one was that the text was written of.
 *
 * Takes time linear in the length of @text. Fails with %ACC_ERROR_PARSE where @text is not a nested array, and with %ACC_ERROR_BOUNDS or
 * %ACC_ERROR_SHAPE where elements, which the message names, do not fit values that are part of it. Of others this is an error of the run.
 *
 * Returns: (transfer full) (nullable): the nested array, or %NULL with @error set
 */
AccNestedArray *
acc_nested_array_new_from_text (const char  *text,
                                GError     **error)
{
  g_autoptr(AccProgram) program = NULL;
  g_autoptr(AccNestedArray) made = NULL;
  g_autoptr(GError) problem = NULL;
  AccLiftedForm form;
  const char *rest;
  guint depth;

  g_return_val_if_fail (text != NULL, NULL);

  rest = g_str_has_prefix (text, HEADER) ? read_form (text + strlen (HEADER), &form, &depth) : NULL;
  if (rest == NULL)
    return refuse (error, "it does not begin with “acc nested 1”, its form and how many levels it has"), NULL;

  program = acc_program_parse (rest, error);
  if (program == NULL)
    {
      g_prefix_error (error, "not a nested array: from its third line on: ");
      return NULL;
    }
  if (acc_program_get_n_parameters (program) != 0 || acc_program_get_n_results (program) != depth + (form == ACC_LIFTED_REGULAR ? 0 : 1))
    return refuse (error, "its program has parameters, or other results than its form needs"), NULL;

  made = make_elements (form, acc_program_get_result (program, depth - 1),
                        form == ACC_LIFTED_REGULAR ? NULL : acc_program_get_result (program, depth), &problem);
  for (guint level = depth - 1; made != NULL && level-- > 0;)
    made = make_level (g_steal_pointer (&made), acc_program_get_result (program, level), &problem);
  if (made != NULL && acc_nested_array_check (made, &problem))
    return g_steal_pointer (&made);

  if (problem->code != ACC_ERROR_PARSE)
    g_prefix_error (&problem, "nested_array_new_from_text: ");
  g_propagate_error (error, g_steal_pointer (&problem));

  return NULL;
}
