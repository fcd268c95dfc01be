#!/usr/bin/python3
# SPDX-License-Identifier: LGPL-2.1-or-later
"""smvm against dense sums, and with files that are none: check.py SMVM"""

import os
import random
import subprocess
import sys
import tempfile

HEAD = '%%MatrixMarket matrix coordinate '
BAD = {
    '': 'does not begin with',
    'hello\n': 'does not begin with',
    '%%MatrixMarket matrix coordinate real\n1 1 0\n': ':1: the first line needs five words',
    '%%MatrixMarket matrix array real general\n1 1\n1\n': '“matrix array” is not supported',
    HEAD + 'complex general\n1 1 1\n1 1 1 1\n': '“complex” is not supported',
    HEAD + 'real hermitian\n1 1 1\n1 1 1\n': '“hermitian” is not supported',
    HEAD + 'real general\n% no size\n': 'size is missing',
    HEAD + 'real general\n2 2\n': ':2: the number of entries is missing',
    HEAD + 'real general\n2 -2 1\n': ':2: the number of columns is not between',
    HEAD + 'real general\n2 2 99999999999999999999\n': ':2: the number of entries is not between',
    HEAD + 'real general\n2 2 1 1\n1 1 1\n': ':2: more than a size',
    HEAD + 'real symmetric\n2 3 0\n': 'as many rows as columns',
    HEAD + 'real general\n2 2 2\n1 1 1\n': ':3: the file ends after 1 of 2 entries',
    HEAD + 'real general\n2 2 1\n1 1 1\n2 2 2\n': ':4: more than 1 entries',
    HEAD + 'real general\n2 2 1\n0 1 1\n': ':3: the row is not between 1 and 2',
    HEAD + 'real general\n2 2 1\n1 3 1\n': ':3: the column is not between 1 and 2',
    HEAD + 'real general\n2 2 1\n1 1.5 1\n': ':3: the column is not an integer: “1.5 1”',
    HEAD + 'real general\n2 2 1\n1 1\n': ':3: the value is missing',
    HEAD + 'real general\n2 2 1\n1 1 one\n': ':3: the value is not a number: “one”',
    HEAD + 'pattern general\n2 2 1\n1 1 1\n': ':3: more than an entry: “1”',
    HEAD + 'real symmetric\n2 2 1\n1 2 1\n': ':3: an entry above the diagonal',
}


def smvm(text):
    with tempfile.TemporaryDirectory() as folder:
        path = os.path.join(folder, 'matrix.mtx')
        with open(path, 'w') as file:
            file.write(text)
        return subprocess.run([sys.argv[1], '--all', path], stdout=subprocess.PIPE, stderr=subprocess.PIPE, encoding='utf-8',
                              env=dict(os.environ, LC_ALL='C.UTF-8'))


def compare(name, text, dense):
    done = smvm(text)
    assert done.returncode == 0, f'{name}: {done.stderr}'
    got = [float(line) for line in done.stdout.split()]
    wanted = [sum(value * (column + 1) for column, value in enumerate(row)) for row in dense]
    scale = max([1] + [abs(value) * (column + 1) for row in dense for column, value in enumerate(row)])
    assert len(got) == len(wanted), f'{name}: {len(got)} rows, not {len(wanted)}'
    assert all(abs(a - b) <= 1e-12 * scale for a, b in zip(got, wanted)), f'{name}: {got} is not {wanted}'


def matrix(n_rows, n_columns, n_entries, field, symmetry):
    """A file of entries in no order, some twice, and the dense matrix that it stands for"""
    dense = [[0] * n_columns for _ in range(n_rows)]
    lines = []
    for _ in range(n_entries):
        row, column = random.randrange(n_rows), random.randrange(n_columns)
        if symmetry == 'symmetric':
            row, column = max(row, column), min(row, column)
        value = {'real': random.uniform(-1, 1), 'integer': random.randint(-9, 9), 'pattern': 1}[field]
        lines.append(f'{row + 1} {column + 1}' + ('' if field == 'pattern' else f'  {value!r}'))
        dense[row][column] += value
        if symmetry == 'symmetric' and row != column:
            dense[column][row] += value
    head = HEAD + f'{field} {symmetry}\n% a comment\n\n  {n_rows} {n_columns}\t{len(lines)}\n'
    return head + '\n'.join(lines), dense


random.seed(5)
compare('by hand', HEAD + 'real general\n3 4 4\n1 1 1e1\n3 4 -2.5\n3 1 .5\n1 3 2\n', [[10, 0, 2, 0], [0] * 4, [0.5, 0, 0, -2.5]])
compare('capitals', '%%matrixmarket MATRIX Coordinate Real General\r\n1 2 1\r\n1 2 3\r\n', [[0, 3]])
for field in ('real', 'integer', 'pattern'):
    for symmetry in ('general', 'symmetric'):
        for n_rows, n_columns, n_entries in ((1, 1, 1), (5, 5, 0), (40, 40, 90), (300, 300, 4000)):
            compare(f'{field} {symmetry}', *matrix(n_rows, n_columns, n_entries, field, symmetry))
    for n_rows, n_columns, n_entries in ((0, 0, 0), (0, 3, 0), (3, 0, 0), (1, 500, 2000), (500, 2, 300), (70, 31, 400)):
        compare(field, *matrix(n_rows, n_columns, n_entries, field, 'general'))

for text, message in BAD.items():
    done = smvm(text)
    assert done.returncode == 1 and message in done.stderr and not done.stdout, f'{text!r}: {done.returncode} {done.stderr}'

print('all products and messages as expected')
