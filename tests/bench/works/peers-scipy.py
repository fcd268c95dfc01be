# SPDX-License-Identifier: LGPL-2.1-or-later
import contender
import inputs

np = contender.library('numpy')
sparse = contender.library('scipy.sparse')
fft = contender.library('scipy.fft')
ndimage = contender.library('scipy.ndimage')


@contender.work('sparse-product')
def sparse_product(n_rows):
    rows = contender.rows(n_rows).astype(np.int32)
    columns = contender.words(rows[-1], 2, n_rows).view(np.int32)
    matrix = sparse.csr_matrix((contender.floats(rows[-1], 1), columns, rows), shape=(n_rows, n_rows))
    return contender.array(matrix.dot, contender.floats(n_rows, 3))


contender.work('nested-sparse-product')(sparse_product)
contender.work('seq-sparse-product')(sparse_product)


@contender.work('seq-pagerank')
def pagerank(n):
    rows = contender.rows(n).astype(np.int32)
    sources = contender.words(rows[-1], 2, n).view(np.int32)
    links = sparse.csr_matrix((np.ones(rows[-1], np.float32), sources, rows), shape=(n, n))
    out = np.maximum(np.bincount(sources, minlength=n), 1).astype(np.float32)

    def rank():
        ranks = np.full(n, 1 / n, np.float32)
        for _ in range(inputs.PAGERANK_ROUNDS):
            ranks = links.dot(ranks / out) * np.float32(inputs.PAGERANK_DAMPING) + np.float32((1 - inputs.PAGERANK_DAMPING) / n)
        return ranks

    return contender.array(rank)


@contender.work('seq-audio')
def audio(n):
    windows, weights = inputs.windows(contender.floats(n, 1, -1, 1))

    def powers():
        tones = fft.rfft(windows * weights, workers=contender.threads)
        return tones.real ** 2 + tones.imag ** 2

    return contender.array(powers)


@contender.work('label')
def label(side):
    speckles, out = inputs.speckles(side), np.empty((side, side), np.int32)
    return lambda: ndimage.label(speckles, output=out), lambda: contender.digest(out)


import scipy_hull  # noqa: E402, F401: registers its works

contender.main()
