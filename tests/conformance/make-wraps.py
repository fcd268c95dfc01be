# SPDX-License-Identifier: LGPL-2.1-or-later
"""Makes what notices which operations and functions of scalars a test calls: make-wraps.py OUTPUT.c OUTPUT.args HEADER...

The linker sends calls of a function to __wrap_ of it, with the options in OUTPUT.args, and those of __real_ to itself."""

import re
import sys

PROTOTYPE = re.compile(r'^ACC_AVAILABLE_IN_\w+\n(AccArray|AccExpr|GPtrArray) +\*(acc_(?:array|expr)_\w+)\s*\(([^)]*)\)', re.M)


def main():
    source, options, *headers = sys.argv[1:]
    lines = ['/* Made by tests/conformance/make-wraps.py. */', '#include "conformance.h"', '']
    names = []
    for header in headers:
        with open(header, encoding='utf-8') as file:
            found = PROTOTYPE.findall(file.read())
        for given, name, parameters in found:
            parameters = ' '.join(parameters.split())
            arguments = ', '.join(re.search(r'\w+$', parameter)[0] for parameter in parameters.split(',') if parameters != 'void')
            lines += [f'{given} *__real_{name} ({parameters});', f'{given} *__wrap_{name} ({parameters});', f'{given} *', f'__wrap_{name} ({parameters})', '{',
                      f'  conf_use ("{name[len("acc_"):]}");', f'  return __real_{name} ({arguments});', '}', '']
            names.append(name)
    assert len(names) > 300
    with open(source, 'w', encoding='utf-8') as file:
        file.write('\n'.join(lines))
    with open(options, 'w', encoding='utf-8') as file:
        file.writelines(f'-Wl,--wrap={name}\n' for name in names)


if __name__ == '__main__':
    main()
