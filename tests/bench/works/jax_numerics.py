# SPDX-License-Identifier: LGPL-2.1-or-later
import jax
import jax.numpy as jnp

import contender
import inputs


def compiled(function, *arguments):
    """A run of @function, and what it gave last."""
    jitted = jax.jit(function)
    arguments = [jnp.asarray(argument) for argument in arguments]
    last = []

    def run():
        last[:] = [jax.block_until_ready(jitted(*arguments))]

    return run, last


def neighbour(padded, dy, dx, rim):
    rows, columns = (extent - 2 * rim for extent in padded.shape)
    return padded[rim + dy:rim + dy + rows, rim + dx:rim + dx + columns]


@contender.work('gauss')
def gauss(side):
    def blur(picture):
        padded = jnp.pad(picture, 2, 'edge').astype(jnp.uint16)
        down = sum(weight * padded[i:i + side] for i, weight in enumerate((1, 4, 6, 4, 1)))
        across = sum(weight * down[:, i:i + side] for i, weight in enumerate((1, 4, 6, 4, 1)))
        return (across + 128 >> 8).astype(jnp.uint8)

    run, last = compiled(blur, inputs.picture(side))
    return run, lambda: contender.digest(last[0])


@contender.work('sobel')
def sobel(side):
    def magnitude(picture):
        padded = jnp.pad(picture, 1, 'edge').astype(jnp.int16)

        def at(dy, dx):
            return neighbour(padded, dy, dx, 1)

        gx = at(-1, 1) + 2 * at(0, 1) + at(1, 1) - at(-1, -1) - 2 * at(0, -1) - at(1, -1)
        gy = at(1, -1) + 2 * at(1, 0) + at(1, 1) - at(-1, -1) - 2 * at(-1, 0) - at(-1, 1)
        return jnp.minimum(jnp.abs(gx) + jnp.abs(gy), 255).astype(jnp.uint8)

    run, last = compiled(magnitude, inputs.picture(side))
    return run, lambda: contender.digest(last[0])


def normal(x):
    k = 1 / (1 + 0.2316419 * jnp.abs(x))
    p = ((((1.330274429 * k - 1.821255978) * k + 1.781477937) * k - 0.356563782) * k + 0.319381530) * k
    tail = 0.39894228 * jnp.exp(-0.5 * x * x) * p
    return jnp.where(x < 0, tail, 1 - tail)


@contender.work('black-scholes')
def black_scholes(n):
    rate, volatility = inputs.RATE, inputs.VOLATILITY

    def value(spot, strike, years):
        spread = volatility * jnp.sqrt(years)
        d1 = (jnp.log(spot / strike) + (rate + volatility ** 2 / 2) * years) / spread
        above1, above2 = normal(d1), normal(d1 - spread)
        discounted = strike * jnp.exp(-rate * years)
        return spot * above1 - discounted * above2, discounted * (1 - above2) - spot * (1 - above1)

    run, last = compiled(value, *inputs.options(n))
    return run, lambda: sum(contender.digest(leaf) for leaf in last[0])


@contender.work('mandelbrot')
def mandelbrot(side):
    pixel = inputs.MANDELBROT_ACROSS / side

    def steps():
        a = inputs.MANDELBROT_LEFT + jnp.arange(side, dtype=jnp.float32)[None] * pixel
        b = inputs.MANDELBROT_TOP - jnp.arange(side, dtype=jnp.float32)[:, None] * pixel

        def row(b):
            def advance(state):
                i, x, y, n, inside = state
                inside &= x * x + y * y < 4
                return i + 1, x * x - y * y + a[0], 2 * x * y + b, n + inside, inside

            def going_on(state):
                return (state[0] < inputs.MANDELBROT_LIMIT) & state[4].any()

            zero = jnp.zeros(side, jnp.float32)
            return jax.lax.while_loop(going_on, advance, (0, zero, zero, jnp.zeros(side, jnp.int32), jnp.ones(side, bool)))[3]

        return jax.lax.map(row, b[:, 0], batch_size=16)

    run, last = compiled(steps)
    return run, lambda: contender.digest(last[0])


@contender.work('n-body')
def n_body(n):
    def pull(x, y, z, mass):
        dx, dy, dz = x[None] - x[:, None], y[None] - y[:, None], z[None] - z[:, None]
        inverse = jax.lax.rsqrt(dx * dx + dy * dy + dz * dz + inputs.SOFTENING ** 2)
        strength = mass * inverse ** 3
        return (dx * strength).sum(1), (dy * strength).sum(1), (dz * strength).sum(1)

    run, last = compiled(pull, *inputs.bodies(n))
    return run, lambda: inputs.check_squares(*last[0])


@contender.work('k-means')
def k_means(n):
    def step(x, y):
        cx, cy = x[:inputs.N_CLUSTERS], y[:inputs.N_CLUSTERS]
        labels = jnp.argmin((x[:, None] - cx) ** 2 + (y[:, None] - cy) ** 2, axis=1)
        counts = jnp.bincount(labels, length=inputs.N_CLUSTERS)
        sums = [jnp.bincount(labels, weights=leaf, length=inputs.N_CLUSTERS) for leaf in (x, y)]
        return [jnp.where(counts > 0, total / counts, centre) for total, centre in zip(sums, (cx, cy))], labels

    run, last = compiled(step, *inputs.clusters(n))
    return run, lambda: inputs.check_clusters(*last[0])


@contender.work('attention')
def attention(n):
    """Queries in blocks: a matrix of all scores would not fit in the caches."""
    def attend(q, k, v):
        return jax.lax.map(lambda row: jax.nn.softmax(row @ k.T / inputs.ATTENTION_DEPTH ** 0.5) @ v, q, batch_size=128)

    run, last = compiled(attend, *inputs.attention(n))
    return run, lambda: inputs.check_squares(last[0])
