# SPDX-License-Identifier: LGPL-2.1-or-later
"""Makes a program in C of the examples of documentation comments: make-examples.py GIR OUTPUT. It prints what comes out of each."""

import re
import sys

import examples

BEGIN = '''/* Made by tests/docs/make-examples.py. */
#include <acc/acc.h>

#pragma GCC diagnostic ignored "-Wunused-function"
#pragma GCC diagnostic ignored "-Wdeclaration-after-statement"

static AccBackend *backend;

static AccArray *
data (const char *code, const gint64 *extents, guint rank, guint n_buffers, ...)
{
  g_autoptr(AccElementType) type = acc_element_type_parse (code, NULL);
  g_autoptr(AccShape) shape = acc_shape_new (extents, rank);
  g_autoptr(GPtrArray) buffers = g_ptr_array_new_with_free_func ((GDestroyNotify) g_bytes_unref);
  va_list args;

  va_start (args, n_buffers);
  for (guint i = 0; i < n_buffers; i++)
    {
      const void *bytes = va_arg (args, const void *);

      g_ptr_array_add (buffers, g_bytes_new_static (bytes, va_arg (args, int)));
    }
  va_end (args);
  return acc_array_use_buffers (type, shape, (GBytes **) buffers->pdata, n_buffers);
}

static char *
value_of (AccArray *array)
{
  g_autoptr(GError) error = NULL;
  g_autoptr(AccArray) result = acc_backend_run (backend, array, NULL, &error);
  g_autoptr(GVariant) value = result != NULL ? acc_array_to_variant (result, &error) : NULL;

  return value != NULL ? g_variant_print (value, FALSE) : g_strdup (error->message);
}

G_GNUC_UNUSED static void
print_array (const char *place, AccArray *array)
{
  g_autofree char *text = value_of (array);

  g_print ("%s\\t%s\\n", place, text);
}

G_GNUC_UNUSED static void
print_arrays (const char *place, GPtrArray *arrays)
{
  g_print ("%s\\t", place);
  for (guint i = 0; i < arrays->len; i++)
    {
      g_autofree char *text = value_of (g_ptr_array_index (arrays, i));

      g_print ("%s%s", i > 0 ? "; " : "", text);
    }
  g_print ("\\n");
}

G_GNUC_UNUSED static void
print_expr (const char *place, AccExpr *expr)
{
  g_autoptr(AccArray) array = acc_array_unit (expr);

  print_array (place, array);
}

#define PRINT(place, thing) _Generic ((thing), AccArray *: print_array, GPtrArray *: print_arrays, AccExpr *: print_expr) (place, thing)
'''


def function_of(example):
    """The example as a function, and what it needs in front of it, under names of their own."""
    names = set(re.findall(r'^(?:static [\w ]*\*?)?(\w+) \((?=.*gpointer data|.*gpointer \w+\))', '\n'.join(example.functions), re.M))
    lines = [f'#define {name} {example.function}_{name}' for name in sorted(names)]
    lines += ['', f'#line {example.line} "{example.file}"', *example.functions, '', 'static void', f'example_{example.function} (void)', '{']
    for variable in example.variables:
        lines += examples.declaration(*variable, example.is_scalar)
    for line, text in example.body:
        lines += [f'#line {line} "{example.file}"', '  ' + text]
    lines += [f'  PRINT ("{example.function}:{check.line}", {check.variable});' for check in example.checks]
    return lines + ['}', '', *(f'#undef {name}' for name in sorted(names)), '']


def main():
    gir, output = sys.argv[1:]
    found = [example for example in examples.read_examples(gir).values() if example]
    lines = [BEGIN]
    for example in found:
        lines += function_of(example)
    lines += ['int', 'main (void)', '{', '  g_autoptr(GError) error = NULL;', '', '  backend = acc_backend_get_default (&error);',
              '  if (backend == NULL)', '    g_error ("%s", error->message);', '']
    lines += [f'  example_{example.function} ();' for example in found] + ['', '  return 0;', '}']
    with open(output, 'w', encoding='utf-8') as file:
        file.write('\n'.join(lines) + '\n')


if __name__ == '__main__':
    main()
