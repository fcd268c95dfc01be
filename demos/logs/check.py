#!/usr/bin/python3
# SPDX-License-Identifier: LGPL-2.1-or-later
"""A log against regular expressions."""

import pathlib
import re
import tempfile

import numpy as np
from logs import Acc, analyse

LINE = re.compile(rb'[^"]*"[^"]*" (\d*)(?: (\d*))?')


def by_expressions(lines):
    counts, sizes, errors = [0] * 6, [0] * 6, []
    for line in lines:
        match = LINE.match(line)
        status, size = (int(text or 0) for text in match.groups()) if match else (0, 0)
        k = status // 100 if 100 <= status < 600 else 0
        counts[k] += 1
        sizes[k] += size
        errors += [line] * (k == 5)
    return counts, sizes, errors


def draw(n, seed):
    random = np.random.default_rng(seed)
    for _ in range(n):
        path = '/' + 'a/' * random.integers(0, 20) + 'page.html'
        status, size = random.choice([200, 200, 200, 206, 301, 304, 404, 403, 500, 503]), int(random.integers(0, 1 << 40) >> random.integers(0, 40))
        yield f'10.0.{random.integers(256)}.7 - - [28/Nov/2026:04:{random.integers(60):02}:00] "GET {path} HTTP/1.1" {status} {size or "-"}'.encode()


odd = [b'', b'"', b'no quotes 200 17', b'"GET /" 200', b'"GET /" 99 5', b'"GET / 600 1" 204 0', b'"GET /" 700 12', b'"" 599 1', '"Grüße" 101 8'.encode()]
for n, seed, ends in ((0, 0, b'\n'), (1, 1, b'\n'), (1000, 2, b'\r\n')):
    lines = list(draw(n, seed)) + odd * (n > 1)
    with tempfile.TemporaryDirectory() as folder:
        path = pathlib.Path(folder, 'access.log')
        path.write_bytes(b''.join(line + ends for line in lines))
        counts, sizes, errors = analyse(Acc.Sequence.open_lines(path))
    want = by_expressions(lines)
    assert counts.tolist() == want[0] and sizes.tolist() == want[1] and errors == want[2][:3], (counts, sizes, errors, want)

print('all counts as expected')
