# SPDX-License-Identifier: LGPL-2.1-or-later
import contender
import inputs

np = contender.library('numpy')
torch = contender.library('torch')
torch.set_num_threads(contender.threads)
torch.set_grad_enabled(False)


def floats(n, seed, *shape):
    return torch.from_numpy(contender.floats(n, seed)).reshape(shape or (n,))


def ones(n, seed):
    return torch.from_numpy(contender.ones(n, seed))


def indices(n, seed, modulus):
    return torch.from_numpy(contender.words(n, seed, modulus).view(np.int32))


@contender.work('saxpy')
def saxpy(n):
    x, y, z = floats(n, 1), floats(n, 2), torch.empty(n)
    return lambda: torch.add(y, x, alpha=2.5, out=z), lambda: contender.digest(z.numpy())


@contender.work('dot')
def dot(n):
    return contender.number(torch.dot, ones(n, 1), ones(n, 2))


@contender.work('sum')
def sum_(n):
    return contender.number(torch.sum, ones(n, 1))


@contender.work('row-sums')
def row_sums(side):
    x = floats(side * side, 1).reshape(side, side)
    return contender.array(lambda: torch.sum(x, 1).numpy())


@contender.work('roots')
def roots(n):
    x = floats(n, 1)
    return contender.array(lambda: torch.sqrt(x * x + 1).numpy())


@contender.work('moments')
def moments(n):
    def both(x):
        variance, mean = torch.var_mean(x, correction=0)
        return mean + 10 * variance

    return contender.number(both, floats(n, 1))


@contender.work('prefix-sum')
def prefix_sum(n):
    x, z = ones(n, 1), torch.empty(n)
    return lambda: torch.cumsum(x, 0, out=z), lambda: contender.digest(z.numpy())


@contender.work('segmented-sum')
def segmented_sum(n):
    offsets = torch.from_numpy(contender.skewed(n))
    return contender.array(lambda x: torch.segment_reduce(x, 'sum', offsets=offsets, unsafe=True), floats(n, 1))


@contender.work('nested-sum-power')
def nested_sum_power(n):
    return segmented_sum(n)


@contender.work('nested-sum-even')
def nested_sum_even(n):
    offsets = torch.from_numpy(inputs.parts(n, False))
    return contender.array(lambda x: torch.segment_reduce(x, 'sum', offsets=offsets, unsafe=True), floats(n, 1))


@contender.work('histogram-u1')
def histogram_u1(n):
    return contender.array(lambda keys: torch.bincount(keys, minlength=256), torch.from_numpy(contender.bytes_(n, 1)))


@contender.work('histogram-u4')
def histogram_u4(n):
    return contender.array(lambda keys: torch.bincount(keys, minlength=1 << 16), indices(n, 1, 1 << 16))


@contender.work('gather')
def gather(n):
    x, where, z = floats(n, 1), indices(n, 2, n), torch.empty(n)
    return lambda: torch.index_select(x, 0, where, out=z), lambda: contender.digest(z.numpy())


@contender.work('sum-by-keys')
def sum_by_keys(n):
    x, keys, z = floats(n, 1), indices(n, 2, n), torch.empty(n)
    return lambda: z.zero_().index_add_(0, keys, x), lambda: contender.digest(z.numpy())


@contender.work('sparse-product')
def sparse_product(n_rows):
    rows = contender.rows(n_rows)
    n = int(rows[-1])
    matrix = torch.sparse_csr_tensor(torch.from_numpy(rows.astype(np.int32)), indices(n, 2, n_rows), floats(n, 1), size=(n_rows, n_rows))
    return contender.array(lambda x: torch.mv(matrix, x), floats(n_rows, 3))


def signed(n, seed):
    """Keys whose order as signed numbers is that of the unsigned ones."""
    return torch.from_numpy((contender.words(n, seed) ^ np.uint32(1 << 31)).view(np.int32))


def unsigned(keys):
    return keys.numpy().view(np.uint32) ^ np.uint32(1 << 31)


@contender.work('sort')
def sort(n):
    keys, result = signed(n, 1), []

    def run():
        result[:] = [torch.sort(keys)[0]]

    return run, lambda: contender.digest(unsigned(result[0]))


@contender.work('sort-pairs')
def sort_pairs(n):
    keys, values, result = signed(n, 1), indices(n, 2, 0), []

    def run():
        in_order, order = torch.sort(keys, stable=True)
        result[:] = [in_order, torch.index_select(values, 0, order)]

    return run, lambda: contender.digest(unsigned(result[0])) + contender.digest(result[1].numpy().view(np.uint32))


@contender.work('transpose')
def transpose(side):
    a, c = floats(side * side, 1, side, side), torch.empty(side, side)
    return lambda: c.copy_(a.t()), lambda: contender.digest(c.numpy())


@contender.work('matrix-product')
def matrix_product(side):
    a, b, c = floats(side * side, 1, side, side), floats(side * side, 2, side, side), torch.empty(side, side)
    return lambda: torch.matmul(a, b, out=c), lambda: contender.digest(c.numpy())


import torch_numerics  # noqa: E402, F401: registers its works

contender.main()
