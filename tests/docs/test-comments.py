# SPDX-License-Identifier: LGPL-2.1-or-later
"""What the documentation comments of operations on arrays must say: what is given back and who owns it, since when, how long a
callback is kept, what it costs, and what goes wrong.

A comment that begins with “As [method@Array.x]” says by that what the comment of x says of costs and errors."""

import os
import re
import sys
import xml.etree.ElementTree as ElementTree

CORE = '{http://www.gtk.org/introspection/core/1.0}'
C = '{http://www.gtk.org/introspection/c/1.0}'

COSTS = re.compile(r'\b(linear\sin|constant\stime|O\(|takes\sas\slong\sas)', re.I)
ERRORS = re.compile(r'%ACC_ERROR_\w+|\bNo\serrors\b')
REFERENCE = re.compile(r'\b[Aa]s\s\[(?:method|ctor|func)@Array\.(\w+)\]')


def operations(gir):
    """Functions of arrays that give one or several."""
    found = {}
    for element in ElementTree.parse(gir).iter(CORE + 'class'):
        if element.get('name') != 'Array':
            continue
        for function in element:
            kind = function.find(f'{CORE}return-value/{CORE}type')
            if kind is not None and kind.get(C + 'type') in ('AccArray*', 'GPtrArray*'):
                found[function.get(C + 'identifier')[len('acc_array_'):]] = function
    return found


def text(element):
    found = element.find(CORE + 'doc')
    return found.text if found is not None else ''


def says(pattern, name, found, seen=()):
    """Whether the comment of @name does, or one that it refers to."""
    words = text(found[name])
    if pattern.search(words + text(found[name].find(CORE + 'return-value'))):
        return True
    return any(other in found and other not in seen and says(pattern, other, found, (*seen, name)) for other in REFERENCE.findall(words))


def lacks(name, found):
    function = found[name]
    given = function.find(CORE + 'return-value')
    if not text(given):
        yield 'Returns:'
    if given.get('transfer-ownership') not in ('full', 'container'):
        yield '(transfer full)'
    if function.get('version') is None:
        yield 'Since:'
    for parameter in function.iter(CORE + 'parameter'):
        if not text(parameter) and parameter.get('closure') is None:
            yield f'@{parameter.get("name")}:'
        kind = parameter.find(CORE + 'type')
        if kind is not None and re.match(r'(Acc)?ExprFunc', kind.get('name', '')) and (parameter.get('scope') is None or parameter.get('closure') is None):
            yield f'(scope) and (closure) of @{parameter.get("name")}'
    if not says(COSTS, name, found):
        yield 'costs'
    if not says(ERRORS, name, found):
        yield 'errors'


def main():
    found = operations(sys.argv[1])
    print(f'1..{len(found)}')
    good = len(found) > 100
    for number, name in enumerate(sorted(found), 1):
        missing = list(lacks(name, found))
        good = good and not missing
        print(f'{"not ok" if missing else "ok"} {number} acc_array_{name}' + ''.join(f'\n#   lacks {what}' for what in missing))
    return 0 if good else 1


if __name__ == '__main__':
    sys.exit(main())
