# SPDX-License-Identifier: LGPL-2.1-or-later
import contender

jax = contender.library('jax')
jnp = contender.library('jax.numpy')
np = contender.library('numpy')


def compiled(function, *arguments):
    """A run of @function on them, compiled, to its end."""
    jitted = jax.jit(function)
    arguments = [jnp.asarray(argument) for argument in arguments]
    return lambda: jax.block_until_ready(jitted(*arguments))


def array(function, *arguments):
    return contender.array(compiled(function, *arguments))


def number(function, *arguments):
    return contender.number(compiled(function, *arguments))


@contender.work('saxpy')
def saxpy(n):
    return array(lambda x, y: 2.5 * x + y, contender.floats(n, 1), contender.floats(n, 2))


@contender.work('dot')
def dot(n):
    return number(jnp.dot, contender.ones(n, 1), contender.ones(n, 2))


@contender.work('sum')
def sum_(n):
    return number(jnp.sum, contender.ones(n, 1))


@contender.work('row-sums')
def row_sums(side):
    return array(lambda x: jnp.sum(x, axis=1), contender.floats(side * side, 1).reshape(side, side))


@contender.work('roots')
def roots(n):
    return array(lambda x: jnp.sqrt(x * x + 1), contender.floats(n, 1))


@contender.work('moments')
def moments(n):
    return number(lambda x: jnp.mean(x) + 10 * jnp.var(x), contender.floats(n, 1))


@contender.work('prefix-sum')
def prefix_sum(n):
    return array(jnp.cumsum, contender.ones(n, 1))


@contender.work('segmented-sum')
def segmented_sum(n):
    lengths = np.diff(contender.skewed(n))
    ids = np.repeat(np.arange(len(lengths), dtype=np.int32), lengths)
    return array(lambda x, ids: jax.ops.segment_sum(x, ids, len(lengths), indices_are_sorted=True), contender.floats(n, 1), ids)


@contender.work('histogram-u1')
def histogram_u1(n):
    return array(lambda keys: jnp.bincount(keys, length=256), contender.bytes_(n, 1))


@contender.work('histogram-u4')
def histogram_u4(n):
    return array(lambda keys: jnp.bincount(keys, length=1 << 16), contender.words(n, 1, 1 << 16))


@contender.work('gather')
def gather(n):
    return array(lambda x, indices: x.at[indices].get(mode='promise_in_bounds'), contender.floats(n, 1), contender.words(n, 2, n))


@contender.work('sum-by-keys')
def sum_by_keys(n):
    return array(lambda x, keys: jnp.zeros(n, jnp.float32).at[keys].add(x, mode='promise_in_bounds'), contender.floats(n, 1), contender.words(n, 2, n))


@contender.work('sparse-product')
def sparse_product(n_rows):
    rows = contender.rows(n_rows)
    ids = np.repeat(np.arange(n_rows, dtype=np.int32), np.diff(rows))

    def product(values, columns, ids, vector):
        products = values * vector.at[columns].get(mode='promise_in_bounds')
        return jax.ops.segment_sum(products, ids, n_rows, indices_are_sorted=True)

    return array(product, contender.floats(rows[-1], 1), contender.words(rows[-1], 2, n_rows), ids, contender.floats(n_rows, 3))


@contender.work('sort')
def sort(n):
    return array(jnp.sort, contender.words(n, 1))


@contender.work('sort-pairs')
def sort_pairs(n):
    def both(keys, values):
        return jax.lax.sort((keys, values), num_keys=1, is_stable=True)

    run = compiled(both, contender.words(n, 1), contender.words(n, 2))
    return run, lambda: sum(contender.digest(part) for part in run())


@contender.work('transpose')
def transpose(side):
    return array(jnp.transpose, contender.floats(side * side, 1).reshape(side, side))


@contender.work('matrix-product')
def matrix_product(side):
    return array(jnp.matmul, *(contender.floats(side * side, seed).reshape(side, side) for seed in (1, 2)))


import jax_numerics  # noqa: E402, F401: registers its works

contender.main()
