# SPDX-License-Identifier: LGPL-2.1-or-later
"""Makes a program in C of the C blocks of a page: make-program.py PAGE OUTPUT. It prints the value of each, one to a line."""

import ast
import sys

import pages

MAIN = '''
static AccArray *
numbers (const gint64 *values, gsize n)
{
  g_autoptr(AccElementType) type = acc_element_type_parse ("i8", NULL);
  g_autoptr(AccShape) shape = acc_shape_new ((gint64[]) { (gint64) n }, 1);
  g_autoptr(GBytes) bytes = g_bytes_new (values, n * sizeof *values);

  return acc_array_use (type, shape, bytes);
}

static void
print (AccBackend *backend, AccArray *array)
{
  g_autoptr(AccArray) delayed = array;
  g_autoptr(GError) error = NULL;
  g_autoptr(AccArray) result = acc_backend_run (backend, delayed, NULL, &error);
  g_autoptr(GVariant) value = result != NULL ? acc_array_to_variant (result, &error) : NULL;
  g_autofree char *text = NULL;

  if (value == NULL)
    g_error ("%s", error->message);
  text = g_variant_print (value, FALSE);
  g_print ("%s\\n", text);
}
'''


def integers(block):
    """The arrays of integers that the common block makes with np.array, written out."""
    names = {}
    for statement in ast.parse(block.text).body:
        if isinstance(statement, ast.Assign):
            names[statement.targets[0].id] = ast.literal_eval(statement.value.args[0])
    return names


def main():
    page, output = sys.argv[1:]
    blocks = pages.read_blocks(page)
    arrays = next(integers(block) for block in blocks if block.kind == 'python common')
    lines = ['#include <acc/acc.h>', '']
    calls = []
    for block in blocks:
        if block.kind == 'c':
            name, *arguments = block.words
            lines += [f'#line {block.line + 1} "{page}"', block.text]
            calls.append(f'  print (backend, {name} ({", ".join(arguments)}));')
    lines += [MAIN, 'int', 'main (void)', '{', '  g_autoptr(GError) error = NULL;']
    for name, values in arrays.items():
        lines.append(f'  g_autoptr(AccArray) {name} = numbers ((gint64[]) {{ {", ".join(map(str, values))} }}, {len(values)});')
    lines += ['  AccBackend *backend = acc_backend_get_default (&error);', '', '  if (backend == NULL)', '    g_error ("%s", error->message);', '']
    lines += [*calls, '', '  return 0;', '}']
    with open(output, 'w', encoding='utf-8') as file:
        file.write('\n'.join(lines) + '\n')


if __name__ == '__main__':
    main()
