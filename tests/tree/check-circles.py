#!/usr/bin/env python3
# SPDX-License-Identifier: LGPL-2.1-or-later
"""Checks that files of a room do not call each other in large circles.

check-circles.py [-v] [ROOT]

A file calls another of its folder where it names a function or a variable that the other defines for others; a circle is as many files as
each reach all others of it that way. -v lists every circle, and the calls that make it. Ends with 1 where one has more than 5 files, but for
those that are known, which may not grow."""

import collections
import os
import re
import sys

MOST_FILES = 5
# Of rooms whose files are the parts of one thing.
KNOWN = {'acc-core/array': 19, 'acc-core/expr': 17}
TOPS = ('acc', 'acc-core', 'acc-seq', 'acc-io', 'acc-backends')
IGNORED = re.compile(r'/\*.*?\*/|//[^\n]*|"(?:\\.|[^"\\\n])*"|\'(?:\\.|[^\'\\\n])*\'|^#[ \t]*include[^\n]*', re.DOTALL | re.MULTILINE)
# By the format of the tree: what a function returns stands on a line of its own, its name at the start of the next.
FUNCTION = re.compile(r'^([^\n]*)\n(\w+) \(', re.MULTILINE)
VARIABLE = re.compile(r'^(?:const )?\w+ (?:\*+|\w+ )*(\w+)(?:\[[^\n=]*\])* =', re.MULTILINE)
GOBJECT = re.compile(r'^G_DEFINE_\w*TYPE\w* \(\w+,\s*(\w+),', re.MULTILINE)
QUARK = re.compile(r'^G_DEFINE_QUARK \([^,]*,\s*(\w+)\)', re.MULTILINE)


def find_definitions(text):
    """The names that a file defines for others."""
    for match in FUNCTION.finditer(text):
        if match[1] and not match[1].startswith(('static ', '#', ' ', '}', '{')) and not match[1].endswith((';', ',')):
            yield match[2]
    for match in VARIABLE.finditer(text):
        if not match[0].startswith('static '):
            yield match[1]
    for pattern, suffix in ((GOBJECT, '_get_type'), (QUARK, '_quark')):
        for match in pattern.finditer(text):
            yield match[1] + suffix


def find_circles(calls):
    """Strongly connected components of more than one file, by Tarjan's algorithm. @calls: file → the files that it calls."""
    order, low, stack, circles = {}, {}, [], []

    def visit(file):
        order[file] = low[file] = len(order)
        stack.append(file)
        for other in sorted(calls[file]):
            if other not in order:
                visit(other)
                low[file] = min(low[file], low[other])
            elif other in stack:
                low[file] = min(low[file], order[other])
        if low[file] == order[file]:
            at = stack.index(file)
            if len(stack) - at > 1:
                circles.append(sorted(stack[at:]))
            del stack[at:]

    for file in sorted(calls):
        if file not in order:
            visit(file)
    return circles


def main():
    verbose = '-v' in sys.argv
    args = [arg for arg in sys.argv[1:] if arg != '-v']
    root = args[0] if args else os.path.join(os.path.dirname(os.path.abspath(__file__)), '..', '..')
    problems, n_files, n_circles, largest = [], 0, 0, 0

    for top in TOPS:
        for folder, _, names in os.walk(os.path.join(root, top)):
            room = os.path.relpath(folder, root)
            texts = {name: IGNORED.sub(' ', open(os.path.join(folder, name), encoding='utf-8').read()) for name in names if name.endswith('.c')}
            owners = {symbol: name for name, text in texts.items() for symbol in find_definitions(text)}
            calls = {name: collections.defaultdict(set) for name in texts}
            for name, text in texts.items():
                for symbol in set(re.findall(r'\w+', text)):
                    if owners.get(symbol, name) != name:
                        calls[name][owners[symbol]].add(symbol)
            n_files += len(texts)
            for circle in find_circles(calls):
                n_circles += 1
                largest = max(largest, len(circle))
                if len(circle) > KNOWN.get(room, MOST_FILES):
                    problems.append(f'{room}: {len(circle)} files call each other in a circle: {", ".join(circle)}')
                if verbose:
                    print(f'{room}: {len(circle)} files')
                    for name in circle:
                        for other in sorted(set(calls[name]) & set(circle)):
                            print(f'  {name} → {other}: {", ".join(sorted(calls[name][other]))}')

    print('\n'.join(problems) or f'{n_files} files, {n_circles} circles, the largest of {largest} files')
    return 1 if problems else 0


if __name__ == '__main__':
    sys.exit(main())
