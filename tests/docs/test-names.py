# SPDX-License-Identifier: LGPL-2.1-or-later
"""The spellings in Python of docs/from-accelerate.md are of what there is: test-names.py PAGE."""

import ast
import re
import sys

import gi

gi.require_version('Acc', '1')

from gi.repository import Acc

OWNERS = {'a': Acc.Array, 'b': Acc.Array, 'x': Acc.Expr, 'y': Acc.Expr, 'Acc': Acc}


def unknown(spelling):
    """Names in a spelling that nothing has."""
    for node in ast.walk(ast.parse(spelling.lstrip('@'))):
        if not isinstance(node, ast.Attribute):
            continue
        path, top = [node.attr], node.value
        while isinstance(top, ast.Attribute):
            path, top = [top.attr, *path], top.value
        thing = OWNERS.get(top.id) if isinstance(top, ast.Name) else None
        for name in path if thing else []:
            if not hasattr(thing, name):
                yield f'{top.id}.{".".join(path)}'
                break
            thing = getattr(thing, name)


def main():
    with open(sys.argv[1], encoding='utf-8') as file:
        rows = [re.split(r'(?<!\\)\|', line) for line in file.read().split('## Every name')[1].splitlines() if line.startswith('| ')]
    rows = [row for row in rows if row[3].strip().startswith('`')]
    print(f'1..{len(rows)}')
    failed = 0
    for number, row in enumerate(rows, 1):
        spelling = row[3].strip().strip('`').replace(r'\|', '|')
        found = list(unknown(spelling))
        failed += bool(found)
        print(f'{"not ok" if found else "ok"} {number}' + ''.join(f'\n#   there is no {name}' for name in found))
    return 1 if failed or len(rows) < 100 else 0


if __name__ == '__main__':
    sys.exit(main())
