/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "acc-array-values-private.h"

#include <math.h>
#include <string.h>

#define THRESHOLD 1000   /* elements from which on only the edges are shown */
#define EDGE      3
#define WIDTH     75
#define PRECISION 8

/* What is shown, in the order of printing. */
typedef struct {
  AccArray  *array;
  gboolean   summary;
  GArray    *indices;    /* gint64, linear */
  GPtrArray *elements;   /* char *, formatted */
} Listing;

static gboolean
is_left_out (Listing *self,
             guint    dimension,
             gint64   i)
{
  gint64 extent = acc_shape_get_extent (self->array->shape, dimension);

  return self->summary && extent > 2 * EDGE && i >= EDGE && i < extent - EDGE;
}

static gint64
next_shown (Listing *self,
            guint    dimension,
            gint64   i)
{
  gint64 extent = acc_shape_get_extent (self->array->shape, dimension);

  return is_left_out (self, dimension, i) ? extent - EDGE : i;
}

static void
collect (Listing *self,
         guint    dimension,
         gint64   offset,
         gint64   size)
{
  gint64 extent;

  if (dimension == self->array->rank)
    {
      g_array_append_val (self->indices, offset);
      return;
    }

  extent = acc_shape_get_extent (self->array->shape, dimension);
  for (gint64 i = 0; i < extent; i = next_shown (self, dimension, i + 1))
    collect (self, dimension + 1, offset + i * (size / extent), size / extent);
}

static double
round_to_kind (AccElementKind kind,
               double         x)
{
  if (kind == ACC_KIND_F32)
    return (float) x;

  if (kind == ACC_KIND_F16 && x != 0 && isfinite (x))
    {
      double quantum = ldexp (1, MAX (ilogb (x), -14) - 10);

      return rint (x / quantum) * quantum;
    }

  return x;
}

/* The fewest significant digits that give the value back. */
static int
count_digits (AccElementKind kind,
              double         x,
              int           *exponent)
{
  char text[64];

  for (int digits = 1; ; digits++)
    {
      char format[16];

      g_snprintf (format, sizeof format, "%%.%de", digits - 1);
      g_ascii_formatd (text, sizeof text, format, x);
      *exponent = atoi (strchr (text, 'e') + 1);

      if (digits == 17 || round_to_kind (kind, g_ascii_strtod (text, NULL)) == x)
        return digits;
    }
}

static char *
format_float (double   x,
              gboolean scientific,
              int      digits)
{
  char format[16], text[64];

  g_snprintf (format, sizeof format, "%%.%d%c", digits, scientific ? 'e' : 'f');
  g_ascii_formatd (text, sizeof text, format, x);

  if (digits == 0)
    {
      const char *exponent = strchrnul (text, 'e');

      return g_strdup_printf ("%.*s.%s", (int) (exponent - text), text, exponent);
    }

  if (!scientific)
    {
      gsize length = strlen (text);

      while (text[length - 1] == '0')
        text[--length] = 0;
    }

  return g_strdup (text);
}

static char *
pad_fraction (char *text,
              int   fraction)
{
  const char *point = strchr (text, '.');
  int missing = fraction - (point != NULL ? (int) strlen (point + 1) : 0);
  char *padded = missing > 0 && point != NULL ? g_strdup_printf ("%s%*s", text, missing, "") : g_strdup (text);

  g_free (text);
  return padded;
}

static void
format_floats (AccElementKind  kind,
               const double   *values,
               char          **texts,
               guint           n)
{
  double smallest = INFINITY, largest = 0;
  gboolean scientific;
  int fraction = 0;

  for (guint i = 0; i < n; i++)
    if (isfinite (values[i]) && values[i] != 0)
      {
        smallest = MIN (smallest, fabs (values[i]));
        largest = MAX (largest, fabs (values[i]));
      }

  scientific = largest > 0 && (largest >= 1e8 || smallest < 1e-4 || largest / smallest > 1000);

  for (guint i = 0; i < n; i++)
    if (isfinite (values[i]))
      {
        int exponent, digits = count_digits (kind, values[i], &exponent);

        fraction = MAX (fraction, scientific ? digits - 1 : digits - 1 - exponent);
      }

  fraction = MIN (fraction, PRECISION);

  for (guint i = 0; i < n; i++)
    {
      if (isfinite (values[i]) && scientific)
        texts[i] = format_float (values[i], TRUE, fraction);
      else if (isfinite (values[i]))
        texts[i] = pad_fraction (format_float (values[i], FALSE, fraction), fraction);
      else
        texts[i] = g_strdup (isnan (values[i]) ? "nan" : values[i] < 0 ? "-inf" : "inf");
    }
}

static void
align (char  **texts,
       guint   n)
{
  gsize width = 0;

  for (guint i = 0; i < n; i++)
    width = MAX (width, strlen (texts[i]));

  for (guint i = 0; i < n; i++)
    {
      char *text = texts[i];

      texts[i] = g_strdup_printf ("%*s", (int) width, text);
      g_free (text);
    }
}

static char **
format_leaf (Listing *self,
             guint    leaf)
{
  AccElementKind kind = acc_element_type_get_leaf (self->array->type, leaf);
  guint n = self->indices->len;
  g_autofree double *values = g_new (double, n);
  char **texts = g_new0 (char *, n + 1);

  for (guint i = 0; i < n; i++)
    {
      AccScalar value = acc_array_read (self->array, leaf, g_array_index (self->indices, gint64, i));

      if (acc_element_kind_is_float (kind))
        values[i] = acc_scalar_to_double (kind, value);
      else if (kind == ACC_KIND_BOOL)
        texts[i] = g_strdup (value.u ? "True" : "False");
      else if (acc_element_kind_is_signed (kind))
        texts[i] = g_strdup_printf ("%" G_GINT64_FORMAT, value.i);
      else
        texts[i] = g_strdup_printf ("%" G_GUINT64_FORMAT, value.u);
    }

  if (acc_element_kind_is_float (kind))
    format_floats (kind, values, texts, n);

  if (self->array->rank > 0)
    align (texts, n);

  return texts;
}

static void
append_element (GString          *text,
                AccElementType   *type,
                char           ***leaves,
                guint            *leaf,
                guint             number)
{
  guint n;

  if (acc_element_type_is_scalar (type))
    {
      g_string_append (text, leaves[(*leaf)++][number]);
      return;
    }
  if (acc_element_type_get_kind (type) == ACC_KIND_COMPLEX)
    {
      const char *im = leaves[*leaf + 1][number];

      g_string_append (text, leaves[*leaf][number]);
      *leaf += 2;
      while (*im == ' ')
        im++;
      g_string_append_printf (text, "%s%sj", *im == '-' ? "" : "+", im);
      return;
    }

  n = acc_element_type_get_n_items (type);
  g_string_append_c (text, '(');
  for (guint i = 0; i < n; i++)
    {
      if (i > 0)
        g_string_append (text, ", ");
      append_element (text, acc_element_type_get_item (type, i), leaves, leaf, number);
    }
  g_string_append (text, n == 1 ? ",)" : ")");
}

static void
format_elements (Listing *self)
{
  guint n_leaves = acc_element_type_get_n_leaves (self->array->type);
  g_autofree char ***leaves = g_new (char **, n_leaves + 1);

  for (guint i = 0; i < n_leaves; i++)
    leaves[i] = format_leaf (self, i);

  for (guint i = 0; i < self->indices->len; i++)
    {
      GString *text = g_string_new (NULL);
      guint leaf = 0;

      append_element (text, self->array->type, leaves, &leaf, i);
      g_ptr_array_add (self->elements, g_string_free (text, FALSE));
    }

  for (guint i = 0; i < n_leaves; i++)
    g_strfreev (leaves[i]);
}

static void
append_line (GString *text,
             guint    n_newlines,
             guint    indent)
{
  for (guint i = 0; i < n_newlines; i++)
    g_string_append_c (text, '\n');
  for (guint i = 0; i < indent; i++)
    g_string_append_c (text, ' ');
}

static void
append_row (Listing *self,
            GString *text,
            guint    indent,
            gint64   extent,
            guint   *next)
{
  guint dimension = self->array->rank - 1;
  const char *last_line = strrchr (text->str, '\n');
  gsize start = last_line != NULL ? last_line + 1 - text->str : 0;
  gint64 i = 0;

  while (i < extent)
    {
      const char *element = is_left_out (self, dimension, i) ? "..." : g_ptr_array_index (self->elements, (*next)++);

      if (i > 0)
        {
          g_string_append_c (text, ',');
          if (text->len - start + 1 + strlen (element) + 1 > WIDTH)
            {
              start = text->len + 1;
              append_line (text, 1, indent);
            }
          else
            {
              g_string_append_c (text, ' ');
            }
        }

      g_string_append (text, element);
      i = is_left_out (self, dimension, i) ? next_shown (self, dimension, i) : i + 1;
    }
}

static void
append_box (Listing *self,
            GString *text,
            guint    dimension,
            guint    indent,
            guint   *next)
{
  gint64 extent;

  if (dimension == self->array->rank)
    {
      g_string_append (text, g_ptr_array_index (self->elements, (*next)++));
      return;
    }

  extent = acc_shape_get_extent (self->array->shape, dimension);
  g_string_append_c (text, '[');

  if (dimension + 1 == self->array->rank)
    {
      append_row (self, text, indent + 1, extent, next);
    }
  else
    {
      gint64 i = 0;

      while (i < extent)
        {
          if (i > 0)
            {
              g_string_append_c (text, ',');
              append_line (text, self->array->rank - dimension - 1, indent + 1);
            }

          if (is_left_out (self, dimension, i))
            {
              g_string_append (text, "...");
              i = next_shown (self, dimension, i);
            }
          else
            {
              append_box (self, text, dimension + 1, indent + 1, next);
              i++;
            }
        }
    }

  g_string_append_c (text, ']');
}

static void
append_empty (AccArray *array,
              GString  *text)
{
  g_string_append (text, "[], shape=(");
  for (guint i = 0; i < array->rank; i++)
    g_string_append_printf (text, "%s%" G_GINT64_FORMAT, i > 0 ? ", " : "", acc_shape_get_extent (array->shape, i));
  g_string_append (text, array->rank == 1 ? ",)" : ")");
}

static char *
describe_delayed (AccArray *self)
{
  g_autofree char *description = acc_array_describe (self);
  g_autofree char *shape = NULL;

  if (self->error != NULL)
    {
      g_autoptr(GError) error = acc_array_dup_error (self);

      return g_strdup_printf ("<error: %s>", error->message);
    }

  if (self->shape == NULL)
    return g_strdup_printf ("<%s: %s of rank %u>", description, acc_element_type_get_code (self->type), self->rank);

  shape = acc_shape_to_string (self->shape);
  return g_strdup_printf ("<%s: %s%s>", description, acc_element_type_get_code (self->type), shape);
}

/**
 * acc_array_to_string:
 * @self: an array
 *
 * Formats the elements for people, as NumPy prints them. The text has nested brackets, only the edges of more than 1000
 * elements, tuples as (a, b), and the type at the end: `array([1. , 2.5], dtype=f4)`. An array that is not manifest prints
 * as its operation, label, type and shape; one that carries an error prints as that error.
 *
 * Returns: (transfer full): the text
 */
char *
acc_array_to_string (AccArray *self)
{
  g_autoptr(GArray) indices = NULL;
  g_autoptr(GPtrArray) elements = NULL;
  GString *text;
  gint64 size;

  g_return_val_if_fail (ACC_IS_ARRAY (self), NULL);

  if (acc_array_get_buffers (self) == NULL)
    return describe_delayed (self);

  text = g_string_new ("array(");
  size = acc_shape_get_size (self->shape);

  if (size == 0)
    {
      append_empty (self, text);
    }
  else
    {
      Listing listing = { self, size > THRESHOLD };
      guint next = 0;

      listing.indices = indices = g_array_new (FALSE, FALSE, sizeof (gint64));
      listing.elements = elements = g_ptr_array_new_with_free_func (g_free);
      collect (&listing, 0, 0, size);
      format_elements (&listing);
      append_box (&listing, text, 0, strlen ("array("), &next);
    }

  g_string_append_printf (text, ", dtype=%s)", acc_element_type_get_code (self->type));
  return g_string_free (text, FALSE);
}
