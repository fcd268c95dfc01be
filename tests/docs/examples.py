# SPDX-License-Identifier: LGPL-2.1-or-later
"""The examples of documentation comments: blocks of C in what the GIR holds of them.

// xs = [1, 2, 3], ys = [(1, 0.5)] of (i8,f8), n = 3, shape = (2, 3), type = f4

is what an example begins with: its arrays; where there are no brackets an array of rank 0, or in an example of scalars an
expression; an AccShape; an element type. Without “of” whole numbers are i8, others f8, and false and true b1. In front of that
stand the functions that it needs. What a line tells behind → must come out:

g_autoptr(AccArray) sums = acc_array_add (xs, ys); // → [1, 2, 3]
// lengths → [3, 2]

of the variable that is declared there, or is named; of several arrays in a GPtrArray, separated by semicolons."""

import ast
import collections
import re
import struct
import xml.etree.ElementTree as ElementTree

CORE = '{http://www.gtk.org/introspection/core/1.0}'
C = '{http://www.gtk.org/introspection/c/1.0}'

Example = collections.namedtuple('Example', 'function functions variables body checks is_scalar file line')
# What must come out of a variable in C, and the line of the example that says so.
Check = collections.namedtuple('Check', 'variable wanted line')

WORDS = {'true': True, 'false': False, 'nan': float('nan'), 'inf': float('inf')}
FORMATS = {'b1': '?', 'i1': 'b', 'i2': 'h', 'i4': 'i', 'i8': 'q', 'u1': 'B', 'u2': 'H', 'u4': 'I', 'u8': 'Q', 'f2': 'e', 'f4': 'f', 'f8': 'd'}

CODE = re.compile(r'[biufc]\d+|\(([biufc]\d+,?)+\)')


def literal(text):
    """A value as examples, and GVariant, write it."""
    text = re.sub(r"@\w+ |b?'", '', text)
    return eval(compile(ast.parse(text.strip(), mode='eval'), text, 'eval'), {'__builtins__': {}}, WORDS)


def operations(gir, owner, kinds):
    """Functions of @owner that give one of @kinds, by their name in C."""
    found = {}
    for element in ElementTree.parse(gir).iter():
        if element.tag in (CORE + 'class', CORE + 'record') and element.get('name') == owner:
            for function in element:
                given = function.find(CORE + 'return-value')
                if given is not None and any(kind.get(C + 'type') in kinds for kind in given):
                    found[function.get(C + 'identifier')] = function
    return found


# --- reading

def variables_of(line):
    """(name, value, type or None) of a line of inputs; None where it is none."""
    if not re.match(r'// \w+ = ', line):
        return None
    found = []
    for part in re.split(r', (?=\w+ = )', line[3:]):
        name, _, text = part.partition(' = ')
        text, _, kind = text.partition(' of ')
        found.append((name, text if CODE.fullmatch(text) else literal(text), kind or None))
    return found


def read_example(function):
    """The first block of C that tells a result; None where there is none."""
    doc = function.find(CORE + 'doc')
    for block in re.finditer(r'^```c\n(.*?)^```$', doc.text if doc is not None else '', re.M | re.S):
        first = int(doc.get('line')) + doc.text.count('\n', 0, block.start()) + 1
        functions, variables, body, checks = [], [], [], []
        declared, inside = None, False
        for line, text in enumerate(block[1].splitlines(), first):
            if inside or re.match(r'static [^=]*\(|static AccExpr \*$|static (AccArray|GPtrArray) \*$', text):
                functions.append(text)
                inside = not text.startswith('}') and not text.endswith('}')
                continue
            inputs = variables_of(text)
            if inputs is not None:
                variables += inputs
                continue
            declaration = re.match(r'(?:g_autoptr\(\w+\)|Acc\w+) \*?(\w+) = ', text)
            declared = declaration[1] if declaration else declared
            check = re.search(r'//(?: (\w+))? → (.*)$', text)
            if check:
                checks.append(Check(check[1] or declared, check[2], line))
            body.append((line, text))
        if checks:
            return Example(function.get(C + 'identifier'), functions, variables, body, checks, function.get(C + 'identifier').startswith('acc_expr'),
                           doc.get('filename'), first)
    return None


# Shown by the examples of fewer arrays.
OF_MANY = re.compile(r'acc_array_i?zip_with[5-9]')


def read_examples(gir):
    """Examples of operations on arrays and of functions of scalars, by the function's name; None where it has none."""
    found = operations(gir, 'Array', ('AccArray*', 'GPtrArray*')) | operations(gir, 'Expr', ('AccExpr*',))
    return {name: read_example(function) for name, function in found.items()
            if not name.endswith(('_ref', '_ref_sink')) and not OF_MANY.match(name)}


# --- writing data in C

def extents(value):
    """Extents of nested lists, which are rectangular, and their elements in row-major order."""
    if not isinstance(value, list):
        return [], [value]
    below = [extents(each) for each in value]
    assert all(other[0] == below[0][0] for other in below)
    return [len(value), *(below[0][0] if below else [])], [element for each in below for element in each[1]]


def guess(element):
    return 'b1' if isinstance(element, bool) else 'i8' if isinstance(element, int) else 'f8'


def leaves(element):
    return [leaf for item in element for leaf in leaves(item)] if isinstance(element, tuple) else [element]


def buffers(kind, elements):
    """The bytes of each buffer of an array of a scalar, a complex number, a vector, or a tuple of these."""
    runs, first = [], 0
    for lanes, code, size in re.findall(r'(\d*)([biufc])(\d+)', kind):
        lanes = 2 if code == 'c' else int(lanes or 1)
        scalar = FORMATS[f'f{int(size) // 2}' if code == 'c' else code + size]
        runs.append(b''.join(struct.pack('=' + scalar, leaf) for element in elements for leaf in leaves(element)[first:first + lanes]))
        first += lanes
    return runs


def declaration(name, value, kind, is_scalar):
    if isinstance(value, str):
        return [f'  AccElementType *{name} = acc_element_type_parse ("{value}", NULL);']
    if isinstance(value, tuple) and kind is None:
        return [f'  g_autoptr(AccShape) {name} = acc_shape_new ((gint64[]) {{ {", ".join(map(str, value))} }}, {len(value)});']
    shape, elements = extents(value)
    kind = kind or guess(elements[0])
    lines, bytes_of = [], buffers(kind, elements)
    for number, run in enumerate(bytes_of):
        lines.append(f'  static const guint8 {name}_{number}[] __attribute__ ((aligned (16))) = {{ {", ".join(map(str, run)) or "0"} }};')
    variable = f'{name}_array' if is_scalar and not shape else name
    runs = ', '.join(f'{name}_{number}, {len(run)}' for number, run in enumerate(bytes_of))
    lines.append(f'  g_autoptr(AccArray) {variable} = data ("{kind}", (gint64[]) {{ {", ".join(map(str, shape)) or "0"} }}, {len(shape)}, {len(bytes_of)}, {runs});')
    if variable != name:
        lines.append(f'  g_autoptr(AccExpr) {name} = acc_expr_ref_sink (acc_expr_the ({variable}));')
    return lines
