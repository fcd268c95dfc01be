#!/usr/bin/env python3
# SPDX-License-Identifier: LGPL-2.1-or-later
"""Brings the tables of docs/accuracy.md up to date by what a search finds, or compares them with the limits that the tests demand.

update-accuracy.py --tool PROGRAM [--backend NAME] [--part PART]… [-- OPTION…]
update-accuracy.py --tool PROGRAM --check

PROGRAM is search-accuracy of the build folder's tests/backends; OPTIONs are for it, such as --stride 101 where time is short. --check ends
with 1 where a table of the native backend has other rows or limits than the tests, or any table an error that is beyond its limit.
"""

import argparse
import os
import re
import subprocess
import sys

PAGE = os.path.join(os.path.dirname(os.path.abspath(__file__)), 'accuracy.md')
PARTS = ('functions', 'complex', 'transforms')
# What else is measured of a part on a backend: the name of the table, and the environment.
WITHOUT = 'transforms without a library'
TABLES = [(part, part, {}) for part in PARTS] + [(WITHOUT, 'transforms', {'ACC_DISABLE': 'libraries'})]


def run(tool, part, backend, options, environment={}):
    command = [tool, '--part', part] + (['--backend', backend] if backend != 'native' else []) + options
    result = subprocess.run(command, stdout=subprocess.PIPE, text=True, env={**os.environ, **environment})
    # 1: something is beyond its limit, which the table shows.
    if result.returncode not in (0, 1) or not result.stdout.startswith('|'):
        sys.exit(f'{" ".join(command)} ends with {result.returncode}')
    return result.stdout


def pattern(table, backend):
    name = re.escape(f'{table} on {backend}')
    return re.compile(rf'(<!-- begin of {name} -->\n)(.*?)(<!-- end of {name} -->)', re.DOTALL)


def cells(rows):
    """Of each row but the head: its name, and what is in it."""
    found = [[cell.strip() for cell in line.strip().strip('|').split('|')] for line in rows.splitlines() if line.startswith('|')]
    return {row[0]: row[1:] for row in found[2:]}


def number(text):
    return float('inf') if text == 'any' else float(text)


def beyond(row, n_limits):
    """Whether one of the values, which have limits of as many each behind them, is larger."""
    values, limits = row[:-n_limits], row[-n_limits:]
    return any(text and number(text) > number(limits[i * n_limits // len(values)]) for i, text in enumerate(values))


def check(page, tool):
    problems = []
    for table, backend in re.findall(r'<!-- begin of (.*) on (\S+) -->', page):
        part = {name: part for name, part, _ in TABLES}[table]
        there = cells(pattern(table, backend).search(page)[2])
        wanted = cells(run(tool, part, backend, ['--limits']))
        n_limits = sum(bool(text) for text in next(iter(wanted.values())))
        name = f'{table} on {backend}'
        if backend == 'native' and list(there) != list(wanted):
            problems.append(f'{name}: rows are {", ".join(there)}, not {", ".join(wanted)}')
        for row in there:
            if row not in wanted:
                problems.append(f'{name}: {row} is not measured')
            elif there[row][-n_limits:] != wanted[row][-n_limits:]:
                problems.append(f'{name}: the limit of {row} is {wanted[row][-n_limits:]}')
            elif backend == 'native' and not all(there[row]):
                problems.append(f'{name}: {row} lacks a value')
            elif beyond(there[row], n_limits):
                problems.append(f'{name}: {row} is beyond its limit')
    for backend_table, _, _ in TABLES:
        if not pattern(backend_table, 'native').search(page):
            problems.append(f'there is no table of {backend_table} on native')
    return problems


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument('--tool', required=True)
    parser.add_argument('--backend', default='native')
    parser.add_argument('--part', action='append', choices=PARTS)
    parser.add_argument('--check', action='store_true')
    parser.add_argument('options', nargs='*')
    given = parser.parse_args()
    with open(PAGE, encoding='utf-8') as file:
        page = file.read()

    if given.check:
        problems = check(page, given.tool)
        print('\n'.join(problems))
        sys.exit(bool(problems))

    for table, part, environment in TABLES:
        place = pattern(table, given.backend)
        if given.part and part not in given.part or not place.search(page):
            continue
        rows = run(given.tool, part, given.backend, given.options, environment)
        page = place.sub(lambda found: found[1] + rows + found[3], page)
        with open(PAGE, 'w', encoding='utf-8') as file:
            file.write(page)


if __name__ == '__main__':
    main()
