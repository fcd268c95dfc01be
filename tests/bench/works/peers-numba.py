# SPDX-License-Identifier: LGPL-2.1-or-later
import contender

np = contender.library('numpy')
numba = contender.library('numba')
jit = numba.njit(parallel=True, fastmath=True)
inner = numba.njit(fastmath=True)

THREADS = contender.threads


@contender.work('saxpy')
def saxpy(n):
    x, y, z = contender.floats(n, 1), contender.floats(n, 2), np.empty(n, np.float32)
    a = np.float32(2.5)

    @jit
    def axpy(x, y, z):
        for i in numba.prange(len(x)):
            z[i] = a * x[i] + y[i]

    return lambda: axpy(x, y, z), lambda: contender.digest(z)


@contender.work('dot')
def dot(n):
    @jit
    def product(x, y):
        total = np.float32(0)
        for i in numba.prange(len(x)):
            total += x[i] * y[i]
        return total

    return contender.number(product, contender.ones(n, 1), contender.ones(n, 2))


@contender.work('sum')
def sum_(n):
    @jit
    def total_of(x):
        total = np.float32(0)
        for i in numba.prange(len(x)):
            total += x[i]
        return total

    return contender.number(total_of, contender.ones(n, 1))


@contender.work('moments')
def moments(n):
    """In one pass, about the first element; sums of parts in double."""
    part = 1 << 14

    @inner
    def sums_of(x, pivot):
        first = second = np.float32(0)
        for i in range(len(x)):
            difference = x[i] - pivot
            first += difference
            second += difference * difference
        return first, second

    @jit
    def both(x):
        n, pivot, total, squares = len(x), x[0], 0., 0.
        for p in numba.prange((n + part - 1) // part):
            first, second = sums_of(x[p * part:min(p * part + part, n)], pivot)
            total += first
            squares += second
        mean = total / n
        return pivot + mean + 10 * (squares / n - mean * mean)

    return contender.number(both, contender.floats(n, 1))


@contender.work('prefix-sum')
def prefix_sum(n):
    """Sums of parts, then the parts; of the size that a thread has in its cache."""
    x, z = contender.ones(n, 1), np.empty(n, np.float32)
    part = -(-n // THREADS)

    @inner
    def total_of(x):
        total = np.float32(0)
        for i in range(len(x)):
            total += x[i]
        return total

    @numba.njit
    def scan_part(x, z, total):
        for i in range(len(x)):
            total += x[i]
            z[i] = total

    @jit
    def scan(x, z):
        totals = np.zeros(THREADS + 1, np.float32)
        for t in numba.prange(THREADS - 1):
            totals[t + 1] = total_of(x[t * part:t * part + part])
        for t in range(1, THREADS):
            totals[t] += totals[t - 1]
        for t in numba.prange(THREADS):
            scan_part(x[t * part:min(t * part + part, len(x))], z[t * part:min(t * part + part, len(x))], totals[t])

    return lambda: scan(x, z), lambda: contender.digest(z)


@contender.work('segmented-sum')
def segmented_sum(n):
    x, offsets = contender.floats(n, 1), contender.skewed(n)
    z = np.empty(len(offsets) - 1, np.float32)

    @jit
    def sums(x, offsets, z):
        for s in numba.prange(len(z)):
            total = np.float32(0)
            for i in range(offsets[s], offsets[s + 1]):
                total += x[i]
            z[s] = total

    return lambda: sums(x, offsets, z), lambda: contender.digest(z)


def histogram(keys, n_bins):
    part = -(-len(keys) // THREADS)

    @jit
    def count(keys):
        tables = np.zeros((THREADS, n_bins), np.int64)
        for t in numba.prange(THREADS):
            own = tables[t]
            for i in range(t * part, min(t * part + part, len(keys))):
                own[keys[i]] += 1
        return tables.sum(axis=0)

    return contender.array(count, keys)


@contender.work('histogram-u1')
def histogram_u1(n):
    return histogram(contender.bytes_(n, 1), 256)


@contender.work('histogram-u4')
def histogram_u4(n):
    return histogram(contender.words(n, 1, 1 << 16), 1 << 16)


@contender.work('gather')
def gather(n):
    x, indices, z = contender.floats(n, 1), contender.words(n, 2, n), np.empty(n, np.float32)

    @jit
    def take(x, indices, z):
        for i in numba.prange(len(z)):
            z[i] = x[indices[i]]

    return lambda: take(x, indices, z), lambda: contender.digest(z)


@contender.work('sum-by-keys')
def sum_by_keys(n):
    x, keys, z = contender.floats(n, 1), contender.words(n, 2, n), np.empty(n, np.float32)

    # By one thread: there are no atomic additions.
    @jit
    def sums(x, keys, z):
        z[:] = 0
        for i in range(len(x)):
            z[keys[i]] += x[i]

    return lambda: sums(x, keys, z), lambda: contender.digest(z)


@contender.work('sparse-product')
def sparse_product(n_rows):
    rows = contender.rows(n_rows)
    values, columns = contender.floats(rows[-1], 1), contender.words(rows[-1], 2, n_rows)
    vector, out = contender.floats(n_rows, 3), np.empty(n_rows, np.float32)

    @jit
    def product(values, columns, rows, vector, out):
        for r in numba.prange(len(out)):
            total = np.float32(0)
            for i in range(rows[r], rows[r + 1]):
                total += values[i] * vector[columns[i]]
            out[r] = total

    return lambda: product(values, columns, rows, vector, out), lambda: contender.digest(out)


contender.work('nested-sparse-product')(sparse_product)


@contender.work('transpose')
def transpose(side):
    a, c = contender.floats(side * side, 1).reshape(side, side), np.empty((side, side), np.float32)
    block = 16

    @jit
    def turn(a, c):
        for y0 in numba.prange((side + block - 1) // block):
            for x0 in range(0, side, block):
                for y in range(y0 * block, min(y0 * block + block, side)):
                    for x in range(x0, min(x0 + block, side)):
                        c[y, x] = a[x, y]

    return lambda: turn(a, c), lambda: contender.digest(c)


import numba_nested  # noqa: E402, F401: registers its works
import numba_numerics  # noqa: E402, F401
import numba_rays  # noqa: E402, F401

contender.main()
