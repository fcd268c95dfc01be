# SPDX-License-Identifier: LGPL-2.1-or-later
import math

import numba
import numpy as np

import contender
import inputs

jit = numba.njit(parallel=True, fastmath=True)
inner = numba.njit(fastmath=True)
f4 = np.float32


@contender.work('gauss')
def gauss(side):
    picture, out = inputs.picture(side), np.empty((side, side), np.uint8)

    @inner
    def blur_row(a, b, c, d, e, sums, out):
        n = len(a)
        for x in range(n):
            sums[x + 2] = (np.uint16(a[x]) + np.uint16(e[x])) + (np.uint16(b[x]) + np.uint16(d[x])) * np.uint16(4) + np.uint16(c[x]) * np.uint16(6)
        sums[0] = sums[1] = sums[2]
        sums[n + 2] = sums[n + 3] = sums[n + 1]
        for x in range(n):
            total = np.uint32(sums[x]) + sums[x + 4] + (np.uint32(sums[x + 1]) + sums[x + 3]) * np.uint32(4) + np.uint32(sums[x + 2]) * np.uint32(6)
            out[x] = (total + np.uint32(128)) >> np.uint32(8)

    @jit
    def blur(picture, out):
        last = len(picture) - 1
        for first in numba.prange((len(picture) + 63) // 64):
            sums = np.empty(len(picture) + 4, np.uint16)
            for y in range(first * 64, min(first * 64 + 64, len(picture))):
                blur_row(picture[max(y - 2, 0)], picture[max(y - 1, 0)], picture[y], picture[min(y + 1, last)], picture[min(y + 2, last)],
                         sums, out[y])

    return lambda: blur(picture, out), lambda: contender.digest(out)


@contender.work('sobel')
def sobel(side):
    picture, out = inputs.picture(side), np.empty((side, side), np.uint8)

    @inner
    def row(a, b, c, sums, differences, out):
        n = len(a)
        for x in range(n):
            sums[x + 1] = np.int16(a[x]) + np.int16(b[x]) * np.int16(2) + np.int16(c[x])
            differences[x + 1] = np.int16(c[x]) - np.int16(a[x])
        sums[0], differences[0] = sums[1], differences[1]
        sums[n + 1], differences[n + 1] = sums[n], differences[n]
        for x in range(n):
            gx = np.int16(sums[x + 2] - sums[x])
            gy = np.int16(differences[x] + np.int16(2) * differences[x + 1] + differences[x + 2])
            out[x] = min(abs(np.int32(gx)) + abs(np.int32(gy)), np.int32(255))

    @jit
    def magnitudes(picture, out):
        last = len(picture) - 1
        for first in numba.prange((len(picture) + 63) // 64):
            sums, differences = np.empty(len(picture) + 2, np.int16), np.empty(len(picture) + 2, np.int16)
            for y in range(first * 64, min(first * 64 + 64, len(picture))):
                row(picture[max(y - 1, 0)], picture[y], picture[min(y + 1, last)], sums, differences, out[y])

    return lambda: magnitudes(picture, out), lambda: contender.digest(out)


@contender.work('black-scholes')
def black_scholes(n):
    options = inputs.options(n)
    call, put = np.empty(n, f4), np.empty(n, f4)
    rate, volatility, half = f4(inputs.RATE), f4(inputs.VOLATILITY), f4(inputs.RATE + inputs.VOLATILITY ** 2 / 2)

    @inner
    def normal(x):
        k = f4(1) / (f4(1) + f4(0.2316419) * abs(x))
        p = ((((f4(1.330274429) * k - f4(1.821255978)) * k + f4(1.781477937)) * k - f4(0.356563782)) * k + f4(0.319381530)) * k
        tail = f4(0.39894228) * math.exp(f4(-0.5) * x * x) * p
        return tail if x < 0 else f4(1) - tail

    @jit
    def value(spot, strike, years, call, put):
        for i in numba.prange(len(spot)):
            spread = volatility * math.sqrt(years[i])
            d1 = (math.log(spot[i] / strike[i]) + half * years[i]) / spread
            above1, above2 = normal(d1), normal(d1 - spread)
            discounted = strike[i] * math.exp(-rate * years[i])
            call[i] = spot[i] * above1 - discounted * above2
            put[i] = discounted * (f4(1) - above2) - spot[i] * (f4(1) - above1)

    return lambda: value(*options, call, put), lambda: contender.digest(call) + contender.digest(put)


@contender.work('mandelbrot')
def mandelbrot(side):
    out = np.empty((side, side), np.int32)
    left, top, pixel = f4(inputs.MANDELBROT_LEFT), f4(inputs.MANDELBROT_TOP), f4(inputs.MANDELBROT_ACROSS / side)

    @inner
    def steps(a, b):
        x = y = f4(0)
        n = 0
        while n < inputs.MANDELBROT_LIMIT and x * x + y * y < f4(4):
            x, y = x * x - y * y + a, f4(2) * x * y + b
            n += 1
        return n

    @jit
    def count(out):
        # Rows by turns: threads have equal shares of those that take long.
        for first in numba.prange(64):
            for row in range(first, len(out), 64):
                for column in range(len(out)):
                    out[row, column] = steps(left + f4(column) * pixel, top - f4(row) * pixel)

    return lambda: count(out), lambda: contender.digest(out)


@contender.work('n-body')
def n_body(n):
    bodies, out = inputs.bodies(n), np.empty((3, n), f4)
    softening = f4(inputs.SOFTENING ** 2)

    @jit
    def pull(x, y, z, mass, out):
        for i in numba.prange(len(x)):
            sx = sy = sz = f4(0)
            for j in range(len(x)):
                dx, dy, dz = x[j] - x[i], y[j] - y[i], z[j] - z[i]
                inverse = f4(1) / math.sqrt(dx * dx + dy * dy + dz * dz + softening)
                strength = mass[j] * inverse * inverse * inverse
                sx += dx * strength
                sy += dy * strength
                sz += dz * strength
            out[0, i], out[1, i], out[2, i] = sx, sy, sz

    return lambda: pull(*bodies, out), lambda: inputs.check_squares(*out)


@contender.work('k-means')
def k_means(n):
    x, y = inputs.clusters(n)
    labels = np.empty(n, np.int32)
    k, n_parts = inputs.N_CLUSTERS, 64
    last = []

    @jit
    def step(x, y, cx, cy, labels):
        sums = np.zeros((n_parts, 3, k))
        part = (len(x) + n_parts - 1) // n_parts
        for p in numba.prange(n_parts):
            for i in range(p * part, min(p * part + part, len(x))):
                best, label = f4(np.inf), 0
                for c in range(k):
                    distance = (x[i] - cx[c]) ** 2 + (y[i] - cy[c]) ** 2
                    if distance < best:
                        best, label = distance, c
                labels[i] = label
                sums[p, 0, label] += x[i]
                sums[p, 1, label] += y[i]
                sums[p, 2, label] += 1
        return sums.sum(axis=0)

    def run():
        sx, sy, counts = step(x, y, x[:k], y[:k], labels)
        some = np.maximum(counts, 1)
        last[:] = np.where(counts > 0, sx / some, x[:k]), np.where(counts > 0, sy / some, y[:k])

    return run, lambda: inputs.check_clusters(last, labels)
