# SPDX-License-Identifier: LGPL-2.1-or-later
import contender
import inputs

np = contender.library('numpy')


@contender.work('saxpy')
def saxpy(n):
    x, y, z = contender.floats(n, 1), contender.floats(n, 2), np.empty(n, np.float32)

    def run():
        np.multiply(x, np.float32(2.5), out=z)
        np.add(z, y, out=z)

    return run, lambda: contender.digest(z)


@contender.work('dot')
def dot(n):
    return contender.number(np.dot, contender.ones(n, 1), contender.ones(n, 2))


@contender.work('sum')
def sum_(n):
    return contender.number(np.sum, contender.ones(n, 1))


@contender.work('row-sums')
def row_sums(side):
    return contender.array(lambda x: np.sum(x, axis=1), contender.floats(side * side, 1).reshape(side, side))


@contender.work('roots')
def roots(n):
    return contender.array(lambda x: np.sqrt(x * x + np.float32(1)), contender.floats(n, 1))


@contender.work('moments')
def moments(n):
    return contender.number(lambda x: np.mean(x) + 10 * np.var(x), contender.floats(n, 1))


@contender.work('prefix-sum')
def prefix_sum(n):
    x, z = contender.ones(n, 1), np.empty(n, np.float32)
    return lambda: np.cumsum(x, out=z), lambda: contender.digest(z)


@contender.work('segmented-sum')
def segmented_sum(n):
    x, starts = contender.floats(n, 1), contender.skewed(n)[:-1]
    z = np.empty(len(starts), np.float32)
    return lambda: np.add.reduceat(x, starts, out=z), lambda: contender.digest(z)


@contender.work('nested-sum-power')
def nested_sum_power(n):
    return segmented_sum(n)


@contender.work('nested-sum-even')
def nested_sum_even(n):
    x, starts = contender.floats(n, 1), inputs.parts(n, False)[:-1]
    z = np.empty(len(starts), np.float32)
    return lambda: np.add.reduceat(x, starts, out=z), lambda: contender.digest(z)


@contender.work('nested-group-sums')
def group_sums(n):
    keys, x = contender.words(n, 1, max(n // 16, 1)), contender.floats(n, 2)

    def sums():
        order = np.argsort(keys)
        ordered = keys[order]
        starts = np.flatnonzero(np.concatenate(([True], ordered[1:] != ordered[:-1])))
        return np.add.reduceat(x[order], starts)

    return contender.array(sums)


@contender.work('nested-quicksort')
def nested_quicksort(n):
    return sort(n)


@contender.work('seq-row-sums')
def row_sums(n):
    x, z = contender.floats(n * n, 1).reshape(n, n), np.empty(n, np.float32)
    return lambda: np.sum(x, axis=1, out=z), lambda: contender.digest(z)


@contender.work('seq-frames')
def frames(n):
    side = inputs.FRAME_SIDE
    x, z = contender.floats(n * side * side, 1).reshape(n, side, side), np.empty((side, side), np.float32)
    return lambda: np.sum(x, axis=0, out=z), lambda: contender.digest(z)


@contender.work('seq-audio')
def audio(n):
    windows, weights = inputs.windows(contender.floats(n, 1, -1, 1))

    def powers():
        tones = np.fft.rfft(windows * weights)
        return tones.real ** 2 + tones.imag ** 2

    return contender.array(powers)


@contender.work('histogram-u1')
def histogram_u1(n):
    return contender.array(lambda keys: np.bincount(keys, minlength=256), contender.bytes_(n, 1))


@contender.work('histogram-u4')
def histogram_u4(n):
    return contender.array(lambda keys: np.bincount(keys, minlength=1 << 16), contender.words(n, 1, 1 << 16))


@contender.work('gather')
def gather(n):
    x, indices, z = contender.floats(n, 1), contender.words(n, 2, n).astype(np.int64), np.empty(n, np.float32)
    # With an array to write to, the default would make one of its own first.
    return lambda: np.take(x, indices, out=z, mode='clip'), lambda: contender.digest(z)


@contender.work('sum-by-keys')
def sum_by_keys(n):
    return contender.array(lambda keys, x: np.bincount(keys, x, n), contender.words(n, 2, n), contender.floats(n, 1))


@contender.work('sort')
def sort(n):
    keys, z = contender.words(n, 1), np.empty(n, np.uint32)

    def run():
        np.copyto(z, keys)
        z.sort()

    return run, lambda: contender.digest(z)


@contender.work('sort-pairs')
def sort_pairs(n):
    """Keys and where they were in one word, for which NumPy's sort is the quickest by far."""
    keys, values, result = contender.words(n, 1), contender.words(n, 2), []

    def run():
        both = keys.astype(np.uint64)
        both <<= np.uint64(32)
        both |= np.arange(n, dtype=np.uint64)
        both.sort()
        result[:] = [np.take(values, both.astype(np.uint32)), (both >> np.uint64(32)).astype(np.uint32)]

    return run, lambda: sum(contender.digest(part) for part in result)


@contender.work('transpose')
def transpose(side):
    a, c = contender.floats(side * side, 1).reshape(side, side), np.empty((side, side), np.float32)
    return lambda: np.copyto(c, a.T), lambda: contender.digest(c)


@contender.work('matrix-product')
def matrix_product(side):
    a, b = (contender.floats(side * side, seed).reshape(side, side) for seed in (1, 2))
    c = np.empty((side, side), np.float32)
    return lambda: np.matmul(a, b, out=c), lambda: contender.digest(c)


contender.main()
