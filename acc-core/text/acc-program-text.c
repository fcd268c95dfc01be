/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "acc-program-printer-private.h"

#include <string.h>

#include "acc-core/derived/acc-array-scan-private.h"
#include "acc-error.h"
#include "acc-source.h"

/* The text form.
 *
 * A program is one statement per line after the line "acc program 1"; indentation and lines that begin with "#" mean
 * nothing. Arrays are named a0, a1, … in dependence order, the programs of loops p0, p1, …, the last line is the program
 * itself:
 *
 *   acc program 1
 *   a0 = parameter 0 f4[:]
 *   a1 = map a0 for "mul" label "twice"
 *     e0 = variable f4
 *     e1 = literal f4 2
 *     e2 = mul e0 e1
 *     function e0 -> e2
 *   program a0 -> a1
 *
 * Under an operation come its scalar expressions, named e0, e1, … by themselves in each operation, then what it is made
 * of: "extents -> EXPR", "function VARIABLES -> EXPR" in the order of the table of operations, with "commutes" behind it
 * where two operands may be exchanged whatever EXPR looks like, "boundary" for stencils, and the memory of manifest arrays
 * as "leaf" (one for each buffer) and "data" lines in base 64.
 *
 * Behind what an operation takes may stand, in this order: "foreign" with the name and the arrays of what a backend may compute in
 * its place; "direct" with the name and the arrays of what acc has an operation for (a reader makes that anew, and takes it where all that
 * is written here is what it is composed of); "for" with the name of what was asked for, where the operation is a part of that: errors name
 * it ("take", where
 * "backpermute" is all there is to compute); "label" with the name that it was given. Each is a string, as C writes them. What is
 * read as asked for need not be known, but is of at most 64 small letters, digits and "_". */

#define BYTES_PER_LINE 72

static void
append_quoted (GString    *text,
               const char *string)
{
  char high[129];
  g_autofree char *escaped = NULL;

  for (guint i = 0; i < 128; i++)
    high[i] = (char) (128 + i);
  high[128] = 0;

  escaped = g_strescape (string, high);
  g_string_append_printf (text, "\"%s\"", escaped);
}

static void
print_boundary (AccPrinter  *self,
                AccBoundary *boundary)
{
  switch (boundary->kind)
    {
    case ACC_BOUNDARY_CLAMP:
      g_string_append (self->text, "  boundary clamp\n");
      break;
    case ACC_BOUNDARY_MIRROR:
      g_string_append (self->text, "  boundary mirror\n");
      break;
    case ACC_BOUNDARY_WRAP:
      g_string_append (self->text, "  boundary wrap\n");
      break;
    case ACC_BOUNDARY_CONSTANT:
      acc_printer_print_function (self, "boundary constant", boundary->function);
      break;
    case ACC_BOUNDARY_FUNCTION:
      acc_printer_print_function (self, "boundary function", boundary->function);
      break;
    }
}

static void
print_buffers (AccPrinter *self,
               AccArray   *array)
{
  for (guint i = 0; i < acc_element_type_get_n_buffers (array->type); i++)
    {
      gsize size = acc_shape_get_size (array->shape) * acc_element_type_get_buffer_size (array->type, i);
      const guchar *data = acc_buffer_map (acc_array_get_buffers (array)[i], self->error == NULL ? &self->error : NULL);

      if (data == NULL)
        return;

      g_string_append (self->text, "  leaf\n");

      for (gsize offset = 0; offset < size; offset += BYTES_PER_LINE)
        {
          g_autofree char *line = g_base64_encode (data + offset, MIN (size - offset, BYTES_PER_LINE));

          g_string_append_printf (self->text, "    data %s\n", line);
        }
    }
}

static void
append_signature (GString      *text,
                  AccArray     *array,
                  const gint64 *extents)
{
  g_string_append_printf (text, " %s[", acc_element_type_get_code (array->type));
  for (guint i = 0; i < array->rank; i++)
    {
      if (i > 0)
        g_string_append_c (text, ',');
      if (extents[i] < 0)
        g_string_append_c (text, ':');
      else
        g_string_append_printf (text, "%" G_GINT64_FORMAT, extents[i]);
    }
  g_string_append_c (text, ']');
}

static void
append_programs (AccPrinter *self,
                 AccArray   *array)
{
  AccProgram **programs = acc_array_get_programs (array);

  for (guint i = 0; i < 2 && programs[i] != NULL; i++)
    g_string_append_printf (self->text, " p%u", acc_printer_get_number (self->programs, programs[i]));
}

static void
append_selection (GString                   *text,
                  const AccSelectionPayload *selection)
{
  for (guint i = 0; i < selection->n; i++)
    if (selection->entries[i] == ACC_ALL)
      g_string_append (text, " all");
    else
      g_string_append_printf (text, " %" G_GINT64_FORMAT, selection->entries[i]);
}

static void
append_sizes (GString  *text,
              AccArray *array)
{
  for (guint i = 0; i < array->n_inputs; i++)
    {
      g_string_append (text, " sizes");
      for (guint d = 0; d < array->inputs[i]->rank; d++)
        g_string_append_printf (text, " %" G_GINT64_FORMAT, acc_array_get_stencil (array)->sizes[i][d]);
    }
}

/* What stands on its line behind the inputs. */
static void
append_payload (AccPrinter *self,
                AccArray   *array)
{
  GString *text = self->text;
  const char *name;

  switch (acc_operation_get_payload (array->op))
    {
    case ACC_PAYLOAD_NONE:
    case ACC_PAYLOAD_DEFERRED:
    case ACC_PAYLOAD_PERMUTE:
    case ACC_PAYLOAD_TRANSFORM:
    case ACC_PAYLOAD_FOREIGN:
      break;
    case ACC_PAYLOAD_DATA:
      append_signature (text, array, acc_shape_get_extents (array->shape, NULL));
      break;
    case ACC_PAYLOAD_SOURCE:
      append_signature (text, array, acc_shape_get_extents (array->shape, NULL));
      if ((name = acc_source_get_name (acc_array_get_source (array))) != NULL)
        {
          g_string_append_c (text, ' ');
          append_quoted (text, name);
        }
      break;
    case ACC_PAYLOAD_PARAMETER:
      g_string_append_printf (text, " %u", acc_array_get_parameter (array)->position);
      append_signature (text, array, acc_array_get_parameter (array)->declared);
      break;
    case ACC_PAYLOAD_ITEM:
      g_string_append_printf (text, " %u", acc_array_get_item (array));
      break;
    case ACC_PAYLOAD_SELECTION:
      append_selection (text, acc_array_get_selection (array));
      break;
    case ACC_PAYLOAD_STENCIL:
      append_sizes (text, array);
      break;
    case ACC_PAYLOAD_LOOP:
      append_programs (self, array);
      break;
    }
}

/* The inputs of an offer come before its node, as all dependences do; otherwise it is no offer. */
static void
append_offer (AccPrinter *self,
              AccArray   *array)
{
  const AccOffer *offer = array->offer;

  for (guint i = 0; i < offer->n_inputs; i++)
    if (!g_hash_table_contains (self->arrays, offer->inputs[i]))
      return;

  g_string_append (self->text, " foreign ");
  append_quoted (self->text, offer->name);
  for (guint i = 0; i < offer->n_inputs; i++)
    acc_printer_append_array (self, offer->inputs[i]);
}

/* Products and filters have it. */
static void
append_direct (AccPrinter *self,
               AccArray   *array)
{
  const AccArray *direct = array->direct;
  const char *name;
  AccArray *arrays[2];

  if (direct != NULL && direct->op == ACC_OP_MATMUL)
    {
      name = "matmul";
      memcpy (arrays, direct->inputs, sizeof (arrays));
    }
  else if (acc_array_is_filter (array) && acc_array_get_filter_flags (array) != NULL)
    {
      name = "compact";
      arrays[0] = array->inputs[0];
      arrays[1] = acc_array_get_filter_flags (array);
    }
  else
    {
      return;
    }
  for (guint i = 0; i < G_N_ELEMENTS (arrays); i++)
    if (!g_hash_table_contains (self->arrays, arrays[i]))
      return;

  g_string_append_printf (self->text, " direct \"%s\"", name);
  for (guint i = 0; i < G_N_ELEMENTS (arrays); i++)
    acc_printer_append_array (self, arrays[i]);
}

static void
print_array (AccPrinter *self,
             AccArray   *array)
{
  GString *text = self->text;

  g_string_append_printf (text, "a%u = %s", acc_printer_add_number (self->arrays, array),
                          acc_operation_get_info (array->op)->name);

  if (array->op == ACC_OP_FOREIGN)
    {
      g_string_append_c (text, ' ');
      append_quoted (text, acc_foreign_get_name (array));
      append_programs (self, array);
    }
  for (guint i = 0; i < array->n_inputs; i++)
    acc_printer_append_array (self, array->inputs[i]);

  append_payload (self, array);
  if (array->offer != NULL)
    append_offer (self, array);
  append_direct (self, array);

  if (array->made_by != NULL && strcmp (array->made_by, acc_operation_get_info (array->op)->name) != 0)
    {
      g_string_append (text, " for ");
      append_quoted (text, array->made_by);
    }
  if (array->label != NULL)
    {
      g_string_append (text, " label ");
      append_quoted (text, array->label);
    }

  g_string_append_c (text, '\n');
  g_hash_table_remove_all (self->exprs);

  if (array->extents != NULL)
    acc_printer_print_function (self, "extents", array->extents);
  for (guint i = 0; i < array->n_inputs && acc_operation_get_payload (array->op) == ACC_PAYLOAD_STENCIL; i++)
    print_boundary (self, acc_array_get_stencil (array)->boundaries[i]);
  for (guint i = 0; i < array->n_functions; i++)
    acc_printer_print_function (self, "function", array->functions[i]);
  if (array->op == ACC_OP_USE)
    print_buffers (self, array);
}

static void
print_program (AccPrinter *self,
               AccProgram *program)
{
  AccArray **nodes;
  guint n;

  g_string_append (self->text, "program");

  nodes = acc_program_get_parameter_nodes (program, &n);
  for (guint i = 0; i < n; i++)
    acc_printer_append_array (self, nodes[i]);

  g_string_append (self->text, " ->");

  nodes = acc_program_get_result_nodes (program, &n);
  for (guint i = 0; i < n; i++)
    acc_printer_append_array (self, nodes[i]);

  g_string_append_c (self->text, '\n');
}

/* Parameters and results of a program; inputs, references and programs of an array. */
static GObject *
nth_need (GObject *object,
          guint    n)
{
  AccArray *array;

  if (ACC_IS_PROGRAM (object))
    {
      AccProgram *program = ACC_PROGRAM (object);
      guint n_parameters = acc_program_get_n_parameters (program);

      if (n < n_parameters)
        return G_OBJECT (acc_program_get_parameter (program, n));

      return (GObject *) acc_program_get_result (program, n - n_parameters);
    }

  array = ACC_ARRAY (object);
  acc_array_work_out (array);
  if (n < array->n_inputs)
    return G_OBJECT (array->inputs[n]);

  n -= array->n_inputs;
  if (n < array->references->len)
    return g_ptr_array_index (array->references, n);

  n -= array->references->len;
  return n < 2 && acc_array_get_programs (array) != NULL ? (GObject *) acc_array_get_programs (array)[n] : NULL;
}

static void
print_all (AccPrinter *self,
           AccProgram *root)
{
  g_autoptr(GArray) stack = g_array_new (FALSE, FALSE, sizeof (AccPrinterFrame));
  g_autoptr(GHashTable) entered = g_hash_table_new (NULL, NULL);

  g_array_append_vals (stack, &(AccPrinterFrame) { root, 0 }, 1);

  while (stack->len > 0)
    {
      AccPrinterFrame *top = &g_array_index (stack, AccPrinterFrame, stack->len - 1);
      GObject *object = top->object;
      GObject *need = nth_need (object, top->next++);

      if (need != NULL)
        {
          if (g_hash_table_add (entered, need))
            g_array_append_vals (stack, &(AccPrinterFrame) { need, 0 }, 1);
          continue;
        }

      g_array_set_size (stack, stack->len - 1);

      if (ACC_IS_ARRAY (object))
        {
          print_array (self, ACC_ARRAY (object));
        }
      else
        {
          if (ACC_PROGRAM (object) != root)
            g_string_append_printf (self->text, "p%u = ", acc_printer_add_number (self->programs, object));
          print_program (self, ACC_PROGRAM (object));
        }
    }
}

static void
append_error (GString      *text,
              const GError *error)
{
  g_string_append (text, "error ");
  append_quoted (text, error->message);
  g_string_append_c (text, '\n');
}

/**
 * acc_program_to_string:
 * @self: a program
 *
 * Writes the program as text. The text has one line per array, in order of dependence, with its scalar functions below it.
 * It is complete: [func@Program.parse] makes an equal program from it, with the same sharing, labels and bits of literals,
 * whose errors name the operations that the user called; the elements of captured manifest arrays are part of it.
 *
 * There are two exceptions, which cannot be read back: an array backed by a source is written as a line `source`; a program
 * that carries an error, or captures an array that a device has lost, is written as a line `error`. Takes time linear in
 * the size of the program and of the arrays in it.
 *
 * Returns: (transfer full): the text
 */
char *
acc_program_to_string (AccProgram *self)
{
  g_autoptr(GError) error = NULL;
  AccPrinter printer = { NULL, };

  g_return_val_if_fail (ACC_IS_PROGRAM (self), NULL);

  printer.text = g_string_new ("acc program 1\n");

  if (!acc_program_check (self, &error))
    {
      append_error (printer.text, error);
      return g_string_free (printer.text, FALSE);
    }

  printer.arrays = g_hash_table_new (NULL, NULL);
  printer.programs = g_hash_table_new (NULL, NULL);
  printer.exprs = g_hash_table_new (NULL, NULL);

  print_all (&printer, self);
  if (printer.error != NULL)
    {
      g_string_assign (printer.text, "acc program 1\n");
      append_error (printer.text, printer.error);
      g_clear_error (&printer.error);
    }

  g_hash_table_unref (printer.arrays);
  g_hash_table_unref (printer.programs);
  g_hash_table_unref (printer.exprs);

  return g_string_free (printer.text, FALSE);
}

/**
 * acc_program_to_bytes:
 * @self: a program
 *
 * Writes the program in its text form, as bytes in UTF-8: see [method@Program.to_string].
 *
 * Returns: (transfer full): the bytes
 */
GBytes *
acc_program_to_bytes (AccProgram *self)
{
  char *text;

  g_return_val_if_fail (ACC_IS_PROGRAM (self), NULL);

  text = acc_program_to_string (self);
  return g_bytes_new_take (text, strlen (text));
}

/**
 * acc_program_new_from_bytes: (constructor)
 * @bytes: bytes from [method@Program.to_bytes]
 * @error: return location for an error
 *
 * Reads a program from the bytes of its text form: see [func@Program.parse]. Fails with %ACC_ERROR_PARSE where @bytes are
 * not a program.
 *
 * Returns: (transfer full): the program, or %NULL with @error set
 */
AccProgram *
acc_program_new_from_bytes (GBytes  *bytes,
                            GError **error)
{
  g_autofree char *text = NULL;
  gconstpointer data;
  gsize size;

  g_return_val_if_fail (bytes != NULL, NULL);

  data = g_bytes_get_data (bytes, &size);

  if (size > 0 && memchr (data, 0, size) != NULL)
    {
      g_set_error_literal (error, ACC_ERROR, ACC_ERROR_PARSE, "not a program: it contains a zero byte");
      return NULL;
    }

  text = g_strndup (data != NULL ? data : "", size);
  return acc_program_parse (text, error);
}

/**
 * acc_program_to_variant:
 * @self: a program
 *
 * Writes the program in its text form as a variant of a string, for D-Bus, settings and actions. A program that reads a
 * source is written too, but cannot be read back. Takes time linear in the size of the program and of the arrays in it.
 *
 * Returns: (transfer none): a floating variant of type `s`
 */
GVariant *
acc_program_to_variant (AccProgram *self)
{
  g_return_val_if_fail (ACC_IS_PROGRAM (self), NULL);

  return g_variant_new_take_string (acc_program_to_string (self));
}

/**
 * acc_program_new_from_variant: (constructor)
 * @variant: a variant from [method@Program.to_variant]
 * @error: return location for an error
 *
 * Reads a program from a variant of its text form: see [func@Program.parse]. Fails with %ACC_ERROR_PARSE where @variant has
 * another type than a string or the string is not a program.
 *
 * ```c
 * g_autoptr(AccProgram) again = acc_program_new_from_variant (g_settings_get_value (settings, "program"), &error);
 * ```
 *
 * Returns: (transfer full): the program, or %NULL with @error set
 */
AccProgram *
acc_program_new_from_variant (GVariant  *variant,
                              GError   **error)
{
  g_return_val_if_fail (variant != NULL, NULL);

  if (!g_variant_is_of_type (variant, G_VARIANT_TYPE_STRING))
    {
      g_set_error (error, ACC_ERROR, ACC_ERROR_PARSE, "not a program: a variant of type “%s” where a string is needed",
                   g_variant_get_type_string (variant));
      return NULL;
    }

  return acc_program_parse (g_variant_get_string (variant, NULL), error);
}
