#!/usr/bin/env python3
# SPDX-License-Identifier: LGPL-2.1-or-later
"""Makes docs/operations.md and the tables of docs/from-accelerate.md, from the introspection data, the tables of operations and
primitives, the results of the conformance tests in docs/results/conformance.txt, and docs/language-names.txt.

generate-pages.py --gir FILE [--results FOLDER] [--check | --write]

--check ends with 1 and the differences where a page in docs/ is stale, --write brings it up to date. --results takes over first what
the conformance tests left in a folder of the build, for those backends that they ran on.
"""

import argparse
import collections
import difflib
import os
import re
import sys
import xml.etree.ElementTree as ElementTree

CORE = '{http://www.gtk.org/introspection/core/1.0}'
C = '{http://www.gtk.org/introspection/c/1.0}'
# In two parts: it is not that of this file.
LICENCE = 'SPDX-' + 'License-Identifier: LGPL-2.1-or-later'
ROOT = os.path.join(os.path.dirname(os.path.abspath(__file__)), '..')
BACKENDS = ('interpreter', 'native', 'opencl', 'vulkan', 'cuda')
NAMES = 'docs/language-names.txt'

Function = collections.namedtuple('Function', 'name owner what result since')
Name = collections.namedtuple('Name', 'section upstream ours python note')


def read(path):
    with open(os.path.join(ROOT, path), encoding='utf-8') as file:
        return file.read()


def section_key(section):
    return tuple(int(part) for part in section.split('.'))


# --- what there is

def one_line(text):
    """Documentation in one line of Markdown: links to functions become their names."""
    text = re.sub(r'\[(?:method|ctor|func|type|class|struct|callback|enum|vfunc)@([\w.]+)\]', r'`\1`', text)
    text = re.sub(r'%(\w+)', r'`\1`', text)
    text = re.sub(r'@(\w+)', r'`\1`', text)
    return ' '.join(text.split()).replace('|', r'\|')


def first_sentence(text):
    text = one_line(text.split('```')[0].split('\n\n')[0])
    return re.split(r'\.(?= |$)', text, maxsplit=1)[0]


def doc(element):
    found = element.find(CORE + 'doc')
    return found.text if found is not None else ''


def read_since():
    """Since when there is each function, as the public headers tell the compiler."""
    since = {}
    for top in ('acc-core', 'acc-seq', 'acc-io'):
        headers = [os.path.join(folder, name) for folder, _, names in os.walk(os.path.join(ROOT, top)) for name in names
                   if name.endswith('.h') and not name.endswith('-private.h')]
        for header in sorted(headers):
            for major, minor, declaration in re.findall(r'ACC_AVAILABLE_IN_(\d+)_(\d+)\n([^;]*)', read(os.path.relpath(header, ROOT))):
                name = re.search(r'\b(acc_\w+)\s*\(', declaration)
                if name:
                    since[name[1]] = f'{major}.{minor}'
    return since


def read_functions(gir):
    """Every public function, by its name in C without the prefix."""
    functions, since = {}, read_since()
    for owner in ElementTree.parse(gir).iter():
        for element in owner:
            if element.tag not in (CORE + 'function', CORE + 'method', CORE + 'constructor'):
                continue
            name = element.get(C + 'identifier')
            functions[name[len('acc_'):]] = Function(name, owner.get('name'), first_sentence(doc(element)),
                                                     one_line(doc(element.find(CORE + 'return-value'))), since.get(name, ''))
    return functions


def returns(gir, owner):
    """Names of what gives an array, or several, or an expression: the operations of @owner."""
    wanted = {'Array': ('AccArray*', 'GPtrArray*'), 'Expr': ('AccExpr*',)}[owner]
    for element in ElementTree.parse(gir).iter():
        if element.get('name') == owner and element.tag in (CORE + 'class', CORE + 'record'):
            for function in element:
                kind = function.find(f'{CORE}return-value/{CORE}type')
                kind = kind if kind is not None else function.find(f'{CORE}return-value/{CORE}array')
                name = function.get(C + 'identifier') or ''
                if kind is not None and kind.get(C + 'type') in wanted and not name.endswith(('_ref', '_ref_sink')):
                    yield name[len('acc_'):]


def read_table(path, macro, n_fields):
    """Rows of one of the tables that C includes, as lists of texts."""
    rows = re.findall('^' + macro + r' \((.*)\)$', read(path), re.M)
    rows = [[field.strip().strip('"') for field in row.split(',', n_fields - 1)] for row in rows]
    assert rows and all(len(row) == n_fields for row in rows), path
    return rows


def read_names():
    rows = []
    for number, line in enumerate(read(NAMES).splitlines(), 1):
        if not line or line.startswith('#'):
            continue
        fields = [field.strip().replace(r'\|', '|') for field in re.split(r'(?<!\\)\|', line)]
        if len(fields) != 5:
            sys.exit(f'{NAMES}:{number}: {len(fields)} fields instead of 5')
        fields[2] = [] if fields[2] == '-' else fields[2].split(', ')
        rows.append(Name(*fields))
    return rows


# --- what is tested

RESULTS = 'docs/results/conformance.txt'
# What tests of one function on one backend came to.
Outcome = collections.namedtuple('Outcome', 'passed failed tests')


def read_results(text):
    """The descriptions of backends, and outcomes by (function, backend), as write_results() has them."""
    described, outcomes = {}, {}
    for line in text.splitlines():
        if line.startswith('#'):
            continue
        if line.startswith('backend '):
            name, _, description = line[len('backend '):].partition(': ')
            described[name] = description
        else:
            function, backend, passed, failed, tests = line.split()
            outcomes[function, backend] = Outcome(int(passed), int(failed), set(tests.split(',')))
    return described, outcomes


def write_results(described, outcomes):
    lines = ['# ' + LICENCE, '# Made by “meson compile update-coverage” of what the conformance tests left: do not edit.',
             '# Function, backend, cases passed, cases failed, tests.']
    lines += [f'backend {name}: {described[name]}' for name in BACKENDS if name in described]
    for (function, backend), outcome in sorted(outcomes.items(), key=lambda item: (item[0][0], BACKENDS.index(item[0][1]))):
        lines.append(f'{function} {backend} {outcome.passed} {outcome.failed} {",".join(sorted(outcome.tests))}')
    return '\n'.join(lines) + '\n'


def collect_results(folder):
    """The same of what the tests in a build left, one file for each: tests/conformance/conf-coverage.c writes it."""
    described, outcomes = {}, {}
    text_names = {row[1]: 'expr_' + row[0].lower() for row in read_table('acc-core/expr/acc-primitives.inc', 'ACC_PRIMITIVE', 8)}
    for name in sorted(os.listdir(folder)):
        with open(os.path.join(folder, name), encoding='utf-8') as file:
            lines = file.read().splitlines()
        test = lines[0].split()[1]
        for line in lines[1:]:
            if line.startswith('backend '):
                backend, _, description = line[len('backend '):].partition(': ')
                described[backend.split(':')[0]] = description
                continue
            function, backend, passed, failed = line.split()
            backend = backend.split(':')[0]
            if function.startswith('primitive_'):
                function = text_names[function[len('primitive_'):]]
            before = outcomes.get((function, backend), Outcome(0, 0, set()))
            outcomes[function, backend] = Outcome(before.passed + int(passed), before.failed + int(failed), before.tests | {test})
    return described, outcomes


def update_results(folder):
    """Takes over what there is of each backend. What came of a function is replaced where all tests that it is from have run, so that
    a part of the tests brings up to date what only these are of; all else stays, as it does for backends that nothing was run on."""
    described, outcomes = read_results(read(RESULTS)) if os.path.exists(os.path.join(ROOT, RESULTS)) else ({}, {})
    newly_described, new = collect_results(folder)
    run = {backend for _, backend in new}
    ran = {backend: set().union(*(outcome.tests for key, outcome in new.items() if key[1] == backend)) for backend in run}
    outcomes = {key: outcome for key, outcome in outcomes.items() if not outcome.tests <= ran.get(key[1], set())}
    # The machine is that of what is older, where something is.
    newly_described = {name: newly_described[name] for name in run if name not in {backend for _, backend in outcomes}}
    outcomes = {key: outcome for key, outcome in new.items() if key[1] in BACKENDS} | outcomes
    with open(os.path.join(ROOT, RESULTS), 'w', encoding='utf-8') as file:
        file.write(write_results(described | newly_described, outcomes))


# --- pages

def rows_of(names):
    return sorted(names, key=lambda row: section_key(row.section))


def backend_cells(function, outcomes):
    cells = []
    for backend in BACKENDS:
        outcome = outcomes.get((function, backend))
        if outcome is None:
            cells.append('judge' if backend == 'interpreter' and any((function, other) in outcomes for other in BACKENDS) else 'not run')
        else:
            cells.append(f'{outcome.passed}, {outcome.failed} failed' if outcome.failed else str(outcome.passed))
    tests = set().union(*(outcomes[function, backend].tests for backend in BACKENDS if (function, backend) in outcomes))
    return [*cells, ', '.join(sorted(tests)) or 'none']


def collections_of_arrays(functions):
    """Tables of what makes, changes and tells of nested arrays and sequences, which no conformance test calls."""
    lines = []
    for title, guide, owners in (('Nested arrays', 'nested-arrays.md', ('NestedArray',)),
                                 ('Sequences', 'sequences.md', ('Sequence', 'SequenceIterator', 'SequenceProducer'))):
        lines += ['', f'## {title}', '', f'The [guide]({guide}) has examples. Functions of elements are made of the operations above, each of which is computed for',
                  'all elements at once.', '', '| function | what | gives | since |', '|---|---|---|---|']
        for name in sorted(name for name, function in functions.items() if function.owner in owners):
            function = functions[name]
            lines.append(f'| `{function.name}` | {function.what or function.result} | {function.result if function.what else ""} | {function.since} |')
    return lines


def operations_page(gir):
    functions, names = read_functions(gir), read_names()
    operations = {row[1]: row for row in read_table('acc-core/array/acc-operations.inc', 'ACC_OPERATION', 11) if row[10]}
    primitives = {row[0].lower() for row in read_table('acc-core/expr/acc-primitives.inc', 'ACC_PRIMITIVE', 8)}
    described, outcomes = read_results(read(RESULTS))
    sections = {}
    for row in names:
        for name in row.ours:
            sections.setdefault(name, row.section)
    for name, row in operations.items():
        section = row[9]
        if section and sections.setdefault('array_' + name, section) != section:
            sys.exit(f'{name}: section {section} in the table of operations, {sections["array_" + name]} in {NAMES}')

    lines = ['<!-- %s -->' % LICENCE, '<!-- Made by docs/generate-pages.py: do not edit. -->', '',
             '# Operations', '',
             'Every operation on arrays and every function of scalars that the library has, made from its headers, its tables and the',
             'results of its tests. “Section” is the place in the language reference that acc follows; functions without one are acc\'s own.',
             'Operations marked • are in the table of operations or of primitives, which every backend implements; all others are made of those.', '',
             'The numbers tell how many cases passed of the conformance tests that call the function, and how many failed, where any did;',
             '`tests/conformance` has the tests by the names in the last column, [results/conformance.txt](results/conformance.txt) the numbers.',
             'The other backends are compared with the interpreter; that itself is judged, and counted, where a case was worked by hand: “judge”',
             'where none was. NumPy judges it, too, which is not counted here. These are the results on', '']
    lines += [f'- {name}: {described[name]}' for name in BACKENDS if name in described]
    for title, owner, prefix, table in (('Operations on arrays', 'Array', 'array_', operations), ('Functions of scalars', 'Expr', 'expr_', primitives)):
        chosen = sorted(returns(gir, owner), key=lambda name: (section_key(sections.get(name, '99')), name))
        lines += ['', f'## {title}', '', '| function | section | what | gives | since | ' + ' | '.join(BACKENDS) + ' | tests |',
                  '|' + '---|' * (6 + len(BACKENDS))]
        for name in chosen:
            function = functions[name]
            mark = ' •' if name[len(prefix):] in table else ''
            cells = [f'`{function.name}`{mark}', sections.get(name, ''), function.what or function.result, function.result if function.what else '', function.since]
            cells += backend_cells(name, outcomes)
            lines.append('| ' + ' | '.join(cells) + ' |')
    lines += collections_of_arrays(functions)
    bare = [name for name in operations if 'array_' + name not in functions]
    lines += ['', '## Operations without a function of their own', '',
              'Nodes of a graph that other functions make: ' + ', '.join(f'`{name}`' for name in bare) + '.']
    lines += ['', '## Missing', '', 'What the language reference has and the library lacks.', '', '| section | name | planned as |', '|---|---|---|']
    missing = 0
    for row in rows_of(names):
        lacking = [name for name in row.ours if name not in functions]
        if lacking:
            missing += 1
            planned = ', '.join('' if name == '?' else f'`acc_{name}`' for name in lacking)
            lines.append(f'| {row.section} | {escape(row.upstream)} | {planned} |')
    if not missing:
        lines[-4:] = ['Nothing that the language reference has.']
    return '\n'.join(lines) + '\n'


def escape(text):
    return re.sub(r'([|*_<>`\\])', r'\\\1', text)


def code(text):
    """Code in a cell of a table."""
    return '`' + text.replace('|', r'\|') + '`'


def python_spelling(row, functions):
    if row.python:
        return row.python
    owned = [(functions[name].owner, name.partition('_')[2]) for name in row.ours if name in functions]
    return ', '.join(f'Acc.{owner}.{method}' for owner, method in owned if owner in ('Array', 'Expr'))


def names_table(gir, functions):
    lines = []
    for section in sorted({row.section for row in read_names()}, key=section_key):
        lines += ['', f'### Section {section}', '', '| Accelerate | C | Python | what differs |', '|---|---|---|---|']
        for row in read_names():
            if row.section != section:
                continue
            ours = ', '.join(code('acc_' + name) if name in functions else f'missing ({code("acc_" + name)})' if name != '?' else 'missing'
                             for name in row.ours) or '–'
            spelling = python_spelling(row, functions)
            there = not row.ours or any(name in functions for name in row.ours)
            lines.append(f'| {escape(row.upstream)} | {ours} | {code(spelling) if spelling and there else ""} | {escape(row.note)} |')
    return '\n'.join(lines[1:]) + '\n'


BEGIN, END = '<!-- begin of the names, made by docs/generate-pages.py -->\n', '<!-- end of the names -->\n'


def accelerate_page(gir):
    before, rest = read('docs/from-accelerate.md').split(BEGIN)
    return before + BEGIN + '\n' + names_table(gir, read_functions(gir)) + '\n' + END + rest.split(END)[1]


PAGES = {'docs/operations.md': operations_page, 'docs/from-accelerate.md': accelerate_page}


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument('--gir', required=True)
    parser.add_argument('--check', action='store_true')
    parser.add_argument('--write', action='store_true')
    parser.add_argument('--results')
    options = parser.parse_args()

    if options.results:
        update_results(options.results)
    stale = 0
    for path, make in PAGES.items():
        wanted = make(options.gir)
        given = read(path) if os.path.exists(os.path.join(ROOT, path)) else ''
        if given == wanted:
            continue
        if options.write:
            with open(os.path.join(ROOT, path), 'w', encoding='utf-8') as file:
                file.write(wanted)
        else:
            stale += 1
            sys.stdout.writelines(difflib.unified_diff(given.splitlines(True), wanted.splitlines(True), path, path, n=0))
            print(f'{path} is stale: run “meson compile update-docs”')
    return 1 if stale else 0


if __name__ == '__main__':
    sys.exit(main())
