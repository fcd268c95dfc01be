# SPDX-License-Identifier: LGPL-2.1-or-later
import numba
import numpy as np

import contender
import inputs

jit = numba.njit(parallel=True, fastmath=True)


@jit
def sums(x, offsets, z):
    for s in numba.prange(len(z)):
        total = np.float32(0)
        for i in range(offsets[s], offsets[s + 1]):
            total += x[i]
        z[s] = total


@jit
def largest(x, offsets, z):
    for s in numba.prange(len(z)):
        z[s] = np.argmax(x[offsets[s]:offsets[s + 1]])


@jit
def sorts(x, offsets, z):
    for s in numba.prange(len(offsets) - 1):
        z[offsets[s]:offsets[s + 1]] = np.sort(x[offsets[s]:offsets[s + 1]])


def register(name, function, make, make_result):
    for kind, skewed in (('even', False), ('power', True)):
        def prepare(n, skewed=skewed):
            x, offsets = make(n), inputs.parts(n, skewed)
            z = make_result(n, len(offsets) - 1)
            return lambda: function(x, offsets, z), lambda: contender.digest(z)

        contender.work(f'nested-{name}-{kind}')(prepare)


register('sum', sums, lambda n: contender.floats(n, 1), lambda n, parts: np.empty(parts, np.float32))
register('argmax', largest, lambda n: contender.floats(n, 1), lambda n, parts: np.empty(parts, np.int64))
register('sort', sorts, lambda n: contender.words(n, 1), lambda n, parts: np.empty(n, np.uint32))


@jit
def shrink(pixels, begins, rows, columns, shrunk, shrunk_begins):
    for p in numba.prange(len(rows)):
        picture = pixels[begins[p]:begins[p + 1]].reshape(rows[p], columns[p])
        result = shrunk[shrunk_begins[p]:shrunk_begins[p + 1]].reshape(rows[p] // 2, columns[p] // 2)
        blurred = np.empty_like(picture)
        for y in range(rows[p]):
            above, below = max(y - 1, 0), min(y + 1, rows[p] - 1)
            for x in range(columns[p]):
                left, right = max(x - 1, 0), min(x + 1, columns[p] - 1)
                blurred[y, x] = (picture[above, left] + picture[above, x] + picture[above, right]
                                 + picture[y, left] + picture[y, x] + picture[y, right]
                                 + picture[below, left] + picture[below, x] + picture[below, right]) * np.float32(1 / 9)
        for y in range(rows[p] // 2):
            for x in range(columns[p] // 2):
                result[y, x] = (blurred[2 * y, 2 * x] + blurred[2 * y, 2 * x + 1] + blurred[2 * y + 1, 2 * x]
                                + blurred[2 * y + 1, 2 * x + 1]) * np.float32(0.25)


@contender.work('nested-pictures')
def pictures(n):
    rows, columns = inputs.picture_sizes(n)
    begins = np.concatenate(([0], np.cumsum(rows * columns)))
    shrunk_begins = np.concatenate(([0], np.cumsum((rows // 2) * (columns // 2))))
    pixels, shrunk = contender.floats(begins[-1], 1), np.empty(shrunk_begins[-1], np.float32)
    return lambda: shrink(pixels, begins, rows, columns, shrunk, shrunk_begins), lambda: contender.digest(shrunk)
