# SPDX-License-Identifier: LGPL-2.1-or-later
"""Pictures of 8 bits, edges clamped, scheduled by hand: strips of rows side by side, within them each stage row by row into a few
rows that stay in the caches, in vectors."""
import contender
import inputs

np = contender.library('numpy')
hl = contender.library('halide')

STRIP = 64

x, y, strip, row = (hl.Var(name) for name in ('x', 'y', 'strip', 'row'))


def lanes(func):
    return 64 // max(kind.bytes() for kind in func.types())


def in_strips(out, side):
    height = min(STRIP, side)
    out.split(y, strip, row, height, hl.TailStrategy.ShiftInwards).parallel(strip).vectorize(x, min(64, side), hl.TailStrategy.ShiftInwards)


def before(func, out):
    """Computes what a row of @out needs of @func just before, and keeps what the next one needs, too."""
    func.store_at(out, strip).compute_at(out, row).vectorize(x, lanes(func))


def realized(out, side):
    result = np.empty((side, side), np.uint8)
    shown = hl.Buffer(result)
    out.compile_jit(hl.get_jit_target_from_environment())
    return lambda: out.realize(shown), lambda: contender.digest(result)


def func(name, value):
    made = hl.Func(name)
    made[x, y] = value
    return made


def binomial(a, b, c, d, e):
    return a + e + (b + d) * 4 + c * 6


def weighted(a, b, c):
    return a + c + b * 2


_kept = []    # buffers do not hold the arrays that they show


def picture(side):
    _kept.append(inputs.picture(side))
    pixels = hl.BoundaryConditions.repeat_edge(hl.Buffer(_kept[-1]))
    return lambda dx, dy, kind: hl.cast(kind, pixels[x + dx, y + dy])


def rows_blurred(side):
    pixels = picture(side)
    return func('down', binomial(*(pixels(0, dy, hl.UInt(16)) for dy in range(-2, 3))))


@contender.work('gauss')
def gauss(side):
    down = rows_blurred(side)
    sums = binomial(*(down[x + dx, y] for dx in range(-2, 3)))
    out = func('gauss', hl.cast(hl.UInt(8), (sums + 128) >> 8))
    in_strips(out, side)
    before(down, out)
    return realized(out, side)


@contender.work('sobel')
def sobel(side):
    pixels = picture(side)
    column = [pixels(0, dy, hl.Int(16)) for dy in (-1, 0, 1)]
    sums, differences = func('sums', weighted(*column)), func('differences', column[2] - column[0])
    gx = sums[x + 1, y] - sums[x - 1, y]
    gy = weighted(*(differences[x + dx, y] for dx in (-1, 0, 1)))
    out = func('sobel', hl.cast(hl.UInt(8), hl.min(hl.abs(gx) + hl.abs(gy), 255)))
    in_strips(out, side)
    before(sums, out)
    before(differences, out)
    return realized(out, side)


contender.main()
