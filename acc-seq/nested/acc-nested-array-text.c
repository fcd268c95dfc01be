/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "acc-nested-array-private.h"

#include "acc-core/array/acc-array-build-private.h"
#include "acc-core/array/acc-array-values-private.h"

#include <string.h>

/* Nested arrays for people. */

#define MOST_ELEMENTS 20    /* of more the first and last are shown */
#define EDGE          3

/**
 * acc_nested_array_is_manifest:
 * @self: a nested array
 *
 * Tells whether its values and what says where elements lie are in memory, as those of [method@Backend.run_nested] are.
 *
 * Returns: %TRUE if nothing is left to compute
 */
gboolean
acc_nested_array_is_manifest (AccNestedArray *self)
{
  AccLifted *lifted;

  g_return_val_if_fail (ACC_IS_NESTED_ARRAY (self), FALSE);

  lifted = acc_nested_array_get_lifted (self);
  for (; acc_nested_array_get_inner (self) != NULL; self = acc_nested_array_get_inner (self))
    if (!acc_array_is_manifest (acc_nested_array_get_groups (self)))
      return FALSE;

  return acc_array_is_manifest (lifted->values) && acc_array_is_manifest (acc_nested_array_get_count (self))
         && (lifted->nesting == NULL
             || (acc_array_is_manifest (lifted->nesting->offsets)
                 && (lifted->nesting->extents == NULL || acc_array_is_manifest (lifted->nesting->extents))));
}

/* Its brackets: what an array prints, without its name and type. */
static void
append_element (AccNestedArray *self,
                gint64          k,
                GString        *text)
{
  g_autoptr(AccArray) element = acc_nested_array_take_element (self, k, NULL);
  g_autofree char *own = element != NULL ? acc_array_to_string (element) : g_strdup ("?");
  const char *begin = g_str_has_prefix (own, "array(") ? own + strlen ("array(") : own;
  const char *end = g_strrstr (begin, ", dtype="), *shape = strstr (begin, ", shape=");

  if (shape != NULL && (end == NULL || shape < end))
    end = shape;
  g_string_append_len (text, begin, end != NULL ? end - begin : (gssize) strlen (begin));
}

/* Elements from @begin to @end, in brackets. */
static void
append_elements (AccNestedArray *self,
                 gint64          begin,
                 gint64          end,
                 GString        *text)
{
  AccNestedArray *inner = acc_nested_array_get_inner (self);
  AccArray *groups = acc_nested_array_get_groups (self);

  g_string_append_c (text, '[');
  for (gint64 k = begin; k < end; k++)
    {
      if (k > begin)
        g_string_append (text, ", ");
      if (end - begin > MOST_ELEMENTS && k == begin + EDGE)
        {
          g_string_append (text, "..., ");
          k = end - EDGE;
        }
      if (inner != NULL)
        append_elements (inner, acc_array_get_int (groups, 0, k), acc_array_get_int (groups, 0, k + 1), text);
      else
        append_element (self, k, text);
    }
  g_string_append_c (text, ']');
}

/**
 * acc_nested_array_to_string:
 * @self: a nested array
 *
 * Formats the elements for people: `nested([[1, 2], [], [3, 4, 5]], dtype=i8)`, of more than 20 elements only the first and last ones.
 * Levels are brackets. One that is not manifest prints as its form and type, one with an error as that error.
 *
 * Returns: (transfer full): the text
 */
char *
acc_nested_array_to_string (AccNestedArray *self)
{
  static const char *const forms[] = { "constant", "regular", "irregular" };
  AccLifted *lifted;
  AccArray *array;
  GString *text;
  gint64 n;

  g_return_val_if_fail (ACC_IS_NESTED_ARRAY (self), NULL);

  lifted = acc_nested_array_get_lifted (self);
  if (lifted->values->error != NULL)
    return acc_array_to_string (lifted->values);
  if (!acc_nested_array_is_manifest (self))
    {
      guint depth = acc_nested_array_get_depth (self);
      g_autofree char *levels = depth > 1 ? g_strdup_printf (", %u levels", depth) : g_strdup ("");

      return g_strdup_printf ("<nested, %s%s: %s of rank %u>", forms[lifted->form], levels,
                              acc_element_type_get_code (lifted->values->type), lifted->rank);
    }

  array = acc_nested_array_get_inner (self) != NULL ? acc_nested_array_get_groups (self) : acc_nested_array_get_count (self);
  n = acc_shape_get_extent (array->shape, 0) - (acc_nested_array_get_inner (self) != NULL ? 1 : 0);
  text = g_string_new ("nested(");
  append_elements (self, 0, n, text);
  g_string_append_printf (text, ", dtype=%s)", acc_element_type_get_code (lifted->values->type));

  return g_string_free (text, FALSE);
}
