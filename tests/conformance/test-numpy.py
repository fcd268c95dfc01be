# SPDX-License-Identifier: LGPL-2.1-or-later
"""The interpreter against NumPy, wherever NumPy has the operation: who judges the judge."""

import functools
import itertools
import sys

import gi

gi.require_version('Acc', '1')

import numpy as np
from gi.repository import Acc, GLib

INTEGERS = ('i1', 'i2', 'i4', 'i8', 'u1', 'u2', 'u4', 'u8')
FLOATS = ('f2', 'f4', 'f8')
ALL = ('b1',) + INTEGERS + FLOATS

interpreter = Acc.Backend.new_for_name('interpreter')
random = np.random.default_rng(20240229)
failures = []
np.seterr(all='ignore')


def run(array):
    return np.asarray(interpreter.run(array, None))


def dtype(code):
    return np.dtype('?' if code == 'b1' else code)


def edges(code):
    """Edge values of a type, and some random ones."""
    kind = dtype(code)
    if kind.kind == 'b':
        return np.array([False, True, True, False])
    if kind.kind in 'iu':
        limits = np.iinfo(kind)
        few = [0, 1, 2, 3, 7, 10, limits.max, limits.max - 1, limits.min, limits.min + 1, limits.max // 2]
        if kind.kind == 'i':
            few += [-1, -2, -3, -7, -10]
        return np.concatenate([np.array(few, dtype=kind),
                               random.integers(limits.min, limits.max, 40, dtype=kind, endpoint=True)])
    limits = np.finfo(kind)
    few = [0.0, -0.0, 1, -1, 0.5, -0.5, 1.5, 2.5, -2.5, 3.5, 0.1, 100, -100, 65504, 1e-3, 3.14159265, np.inf, -np.inf, np.nan,
           float(limits.max), float(limits.tiny), float(limits.smallest_subnormal)]
    return np.concatenate([np.array(few, dtype=kind), random.uniform(-50, 50, 40).astype(kind)])


def same(name, got, wanted, ulps=0):
    got, wanted = np.asarray(got), np.asarray(wanted)
    if got.shape != wanted.shape or got.dtype != wanted.dtype:
        failures.append(f'{name}: {got.dtype}{got.shape} instead of {wanted.dtype}{wanted.shape}')
        return
    if got.dtype.kind == 'f':
        good = (got == wanted) | (np.isnan(got) & np.isnan(wanted))
        if ulps:
            good |= np.abs(got.astype('f8') - wanted.astype('f8')) <= ulps * np.abs(np.spacing(wanted)).astype('f8')
        else:
            good &= (np.signbit(got) == np.signbit(wanted)) | np.isnan(wanted)
    else:
        good = got == wanted
    if not np.all(good):
        where = tuple(np.argwhere(~good)[0])
        failures.append(f'{name}: {got[where]!r} instead of {wanted[where]!r} at {where}, {int(np.sum(~good))} in all')


def pairs(code):
    x = edges(code)
    return np.repeat(x, len(x)), np.tile(x, len(x))


# --- primitives

def primitive(name):
    """An operation; "name/1": item 1 of its result."""
    name, _, item = name.partition('/')
    function = getattr(Acc, name) if item else getattr(Acc.Expr, name)
    return (lambda *arguments: function(*arguments)[int(item)]) if item else function


def wide(function):
    """What double precision gives, rounded once: half and single arithmetic of NumPy does that too, its libm may not."""
    def call(*arguments):
        kind = arguments[0].dtype
        return function(*[a.astype('f8') for a in arguments]).astype(kind) if kind != 'f8' else function(*arguments)
    return call


def test_unary():
    integer = {'neg': np.negative, 'abs': np.abs, 'bnot': np.invert, 'signum': np.sign}
    for code, (name, function) in itertools.product(INTEGERS, integer.items()):
        x = edges(code)
        same(f'{name} {code}', run(Acc.use(x).map(primitive(name))), function(x))
    exact = {'neg': np.negative, 'abs': np.abs, 'sqrt': np.sqrt, 'truncate': np.trunc, 'round': np.rint, 'floor': np.floor,
             'ceiling': np.ceil, 'is_nan': np.isnan, 'is_inf': np.isinf, 'is_finite': np.isfinite,
             'proper_fraction/0': lambda x: np.modf(x)[1], 'proper_fraction/1': lambda x: np.modf(x)[0]}
    for code, (name, function) in itertools.product(FLOATS, exact.items()):
        x = edges(code)
        same(f'{name} {code}', run(Acc.use(x).map(primitive(name))), function(x))
    close = {'sin': np.sin, 'cos': np.cos, 'tan': np.tan, 'asin': np.arcsin, 'acos': np.arccos, 'atan': np.arctan,
             'sinh': np.sinh, 'cosh': np.cosh, 'tanh': np.tanh, 'asinh': np.arcsinh, 'acosh': np.arccosh,
             'atanh': np.arctanh, 'exp': np.exp, 'expm1': np.expm1, 'log': np.log, 'log1p': np.log1p}
    for code, (name, function) in itertools.product(FLOATS, close.items()):
        x = edges(code)
        same(f'{name} {code}', run(Acc.use(x).map(primitive(name))), wide(function)(x), ulps=2)
    bits = {'popcount': lambda v, w: bin(v).count('1'), 'clz': lambda v, w: w - v.bit_length(),
            'ctz': lambda v, w: (v & -v).bit_length() - 1 if v else w}
    for code, (name, function) in itertools.product(INTEGERS, bits.items()):
        x = edges(code)
        width = 8 * x.itemsize
        wanted = np.array([function(int(v) % 2 ** width, width) for v in x], dtype='i8')
        same(f'{name} {code}', run(Acc.use(x).map(primitive(name))), wanted)


def safe(x, y):
    bad = y == 0
    if x.dtype.kind == 'i':
        bad |= (x == np.iinfo(x.dtype).min) & (y == -1)
    return np.where(bad, np.array(3, x.dtype), y)


def test_binary():
    integer = {'add': np.add, 'sub': np.subtract, 'mul': np.multiply, 'band': np.bitwise_and, 'bor': np.bitwise_or,
               'bxor': np.bitwise_xor, 'min': np.minimum, 'max': np.maximum, 'div': np.floor_divide, 'mod': np.mod,
               'rem': np.fmod, 'div_mod/0': np.floor_divide, 'div_mod/1': np.mod, 'quot_rem/1': np.fmod,
               'subtract': lambda x, y: y - x}
    for code, (name, function) in itertools.product(INTEGERS, integer.items()):
        x, y = pairs(code)
        if name.startswith(('div', 'mod', 'rem', 'quot')):
            y = safe(x, y)
        same(f'{name} {code}', run(Acc.use(x).zip_with(Acc.use(y), primitive(name))), function(x, y))
    for code in INTEGERS:
        x, y = pairs(code)
        y = safe(x, y)
        wanted = np.array([abs(int(a)) // abs(int(b)) * (1 if (a < 0) == (b < 0) else -1) for a, b in zip(x, y)], dtype=code)
        same(f'quot {code}', run(Acc.use(x).zip_with(Acc.use(y), primitive('quot'))), wanted)
    real = {'add': np.add, 'sub': np.subtract, 'mul': np.multiply, 'fdiv': np.divide}
    for code, (name, function) in itertools.product(FLOATS, real.items()):
        x, y = pairs(code)
        same(f'{name} {code}', run(Acc.use(x).zip_with(Acc.use(y), primitive(name))), function(x, y))
    for code, (name, function) in itertools.product(FLOATS, {'min': np.fmin, 'max': np.fmax}.items()):
        x, y = pairs(code)
        same(f'{name} {code}', run(Acc.use(x).zip_with(Acc.use(y), primitive(name))) + 0, function(x, y) + 0)
    for code, (name, function) in itertools.product(FLOATS, {'atan2': np.arctan2, 'pow': np.power}.items()):
        x, y = pairs(code)
        same(f'{name} {code}', run(Acc.use(x).zip_with(Acc.use(y), primitive(name))), wide(function)(x, y), ulps=2)
    order = {'lt': np.less, 'le': np.less_equal, 'gt': np.greater, 'ge': np.greater_equal, 'eq': np.equal, 'ne': np.not_equal}
    for code, (name, function) in itertools.product(ALL, order.items()):
        x, y = pairs(code)
        same(f'{name} {code}', run(Acc.use(x).zip_with(Acc.use(y), primitive(name))), function(x, y))


def shifted(value, amount, width, signed, left):
    if not left:
        amount = -amount
    value = value % 2 ** width
    if amount >= 0:
        value = (value << amount) % 2 ** width if amount < width else 0
    else:
        if signed and value >= 2 ** (width - 1):
            value -= 2 ** width
        value = (value >> min(-amount, width)) % 2 ** width
    return value - 2 ** width if signed and value >= 2 ** (width - 1) else value


def rotated(value, amount, width, signed, left):
    amount = (amount if left else -amount) % width
    value = value % 2 ** width
    value = ((value << amount) | (value >> (width - amount))) % 2 ** width
    return value - 2 ** width if signed and value >= 2 ** (width - 1) else value


def test_shifts():
    amounts = np.array([0, 1, 3, 7, 8, 15, 16, 31, 32, 63, 64, 65, 1000, -1, -3, -8, -33, -64, -65, -2 ** 63, 2 ** 63 - 1], 'i8')
    for code, name in itertools.product(INTEGERS, ('shl', 'shr', 'rotl', 'rotr')):
        x = edges(code)
        x, k = np.repeat(x, len(amounts)), np.tile(amounts, len(x))
        function = shifted if name.startswith('sh') else rotated
        width = 8 * x.itemsize
        # Python would build the number that is shifted: beyond the width nothing changes any more.
        short = [max(-200, min(200, int(b))) if function is shifted else int(b) for b in k]
        wanted = np.array([function(int(a), b, width, x.dtype.kind == 'i', name.endswith('l')) for a, b in zip(x, short)], dtype=code)
        same(f'{name} {code}', run(Acc.use(x).zip_with(Acc.use(k), primitive(name))), wanted)


def cast(x, code):
    """Saturating, NaN to 0, integers wrapping: NumPy's own conversion of floats is undefined outside the range."""
    if code == 'b1':
        return x != 0
    if x.dtype.kind != 'f' or code in FLOATS:
        return x.astype(code)
    limits = np.iinfo(code)
    return np.array([0 if np.isnan(v) else limits.max if v >= limits.max else limits.min if v <= limits.min else int(v)
                     for v in x.astype('f8')], dtype=code)


def test_sums():
    for code in INTEGERS + FLOATS:
        x = np.nan_to_num(edges(code)).reshape(-1, 3) if len(edges(code)) % 3 == 0 else np.nan_to_num(edges(code))[:48].reshape(-1, 3)
        big = x > 3
        maybes = Acc.use(x).map(lambda v: Acc.cond(v > 3, Acc.just(v), Acc.nothing(code)))
        values, counts = maybes.filter_just()
        same(f'justs {code}', run(values), x[big])
        same(f'justs counts {code}', run(counts), big.sum(axis=1).astype('i8'))
        same(f'maybe {code}', run(maybes.map(lambda m: Acc.maybe(m, 7, lambda v: v - 1))), np.where(big, x - x.dtype.type(1), x.dtype.type(7)))
        same(f'from_maybe {code}', run(maybes.map(lambda m: Acc.from_maybe(m, 9))), np.where(big, x, x.dtype.type(9)))
        eithers = Acc.use(x).map(lambda v: Acc.cond(v > 3, Acc.right(v, 'b1'), Acc.left(Acc.Expr.new_bool(True), code)))
        same(f'rights {code}', run(eithers.filter_right()[0]), x[big])
        same(f'lefts {code}', run(eithers.filter_left()[0]), np.ones(int((~big).sum()), dtype='?'))
        same(f'either {code}', run(eithers.map(lambda e: Acc.either(e, 2, Acc.from_right(e)))), np.where(big, x, x.dtype.type(2)))
    tags = np.arange(-2, 7)
    wanted = np.select([tags == k for k in range(4)], [tags + 1, tags * tags, tags - 9, 0 * tags + 5], -1)
    chosen = Acc.use(tags).map(lambda t: Acc.switch(t, [t + 1, t * t, t - 9, 5], -1))
    same('switch', run(chosen), wanted)
    same('switch to the last', run(Acc.use(tags).map(lambda t: Acc.switch(t, [t, 8]))), np.where(tags == 0, 0, 8))


def test_casts():
    for source, target in itertools.product(ALL, ALL):
        x = edges(source)
        same(f'cast {source} {target}', run(Acc.use(x).map(lambda e: e.cast(target))), cast(x, target))


# --- arrays

SHAPES = ((), (0,), (1,), (5,), (64,), (2, 3), (3, 0), (0, 3), (5, 28), (2, 3, 4), (2, 0, 3), (2, 1, 3, 2))


def sample(code, shape):
    values = edges(code)
    return values[random.integers(0, len(values), shape)]


def small(code, shape):
    return random.integers(0, 2, shape).astype(dtype(code))


def test_movement():
    for code, shape in itertools.product(ALL, SHAPES):
        x = sample(code, shape)
        array = Acc.use(x)
        name = f'{code}{list(shape)}'
        same(f'use {name}', run(array), x)
        same(f'flatten {name}', run(array.flatten()), x.ravel())
        if x.ndim == 2:
            turned = array.backpermute(shape[::-1], lambda ix: (ix[1], ix[0]))
            same(f'transpose {name}', run(turned), x.T)
        if x.ndim >= 1 and shape[0] > 0:
            specification = [shape[0] - 1] + [Acc.ALL] * (x.ndim - 1)
            same(f'slice {name}', run(array.slice(*specification)), x[-1])
        same(f'replicate {name}', run(array.replicate(3, *[Acc.ALL] * x.ndim)), np.broadcast_to(x, (3,) + shape))


def test_slices():
    for code, shape in itertools.product(ALL, SHAPES):
        x = sample(code, shape)
        array = Acc.use(x)
        name = f'{code}{list(shape)}'
        two = Acc.use(np.array([2, 0], 'i4'))
        for n in (0, 1, 3):
            same(f'replicate innermost by {n} {name}', run(array.replicate(..., n)), np.broadcast_to(x[..., None], shape + (n,)))
        same(f'replicate by computed {name}', run(array.replicate(..., two[0], 3)), np.broadcast_to(x[..., None, None], shape + (2, 3)))
        same(f'replicate by computed 0 {name}', run(array.replicate(two[1], *[Acc.ALL] * x.ndim)), np.broadcast_to(x, (0,) + shape))
        if x.ndim == 0 or 0 in shape:
            continue
        same(f'slice innermost {name}', run(array.slice(..., shape[-1] - 1)), x[..., -1])
        same(f'slice computed {name}', run(array.slice(..., two[1])), x[..., 0])
        if x.ndim > 1:
            same(f'slice two {name}', run(array.slice(two[1], *[Acc.ALL] * (x.ndim - 2), 0)), x[0, ..., 0])


def test_reductions():
    for code, shape in itertools.product(INTEGERS + FLOATS, SHAPES):
        x = small(code, shape)
        array = Acc.use(x)
        name = f'{code}{list(shape)}'
        zero = 0.0 if code in FLOATS else 0
        same(f'fold_all {name}', run(array.fold_all(zero, lambda a, b: a + b)), np.sum(x, dtype=code))
        if x.ndim == 0:
            continue
        same(f'fold {name}', run(array.fold(zero, lambda a, b: a + b)), np.sum(x, axis=-1, dtype=code))
        same(f'scanl1 {name}', run(array.scanl1(lambda a, b: a + b)), np.cumsum(x, axis=-1, dtype=code))
        if shape[-1] > 0:
            y = sample(code, shape)
            if code in INTEGERS:
                same(f'fold1 {name}', run(Acc.use(y).fold1(Acc.max)), np.max(y, axis=-1))


def test_segments():
    add = lambda a, b: a + b
    for code, shape, kind in itertools.product(INTEGERS + FLOATS, ((40,), (3, 300), (2, 0, 50), (2, 3, 30)), ('i1', 'u8')):
        x = small(code, shape)
        n = shape[-1]
        ends = np.sort(random.integers(0, n + 1, 6))
        lengths = np.minimum(np.diff(ends, prepend=0), 127).astype(kind)
        begins = np.cumsum(lengths.astype('i8')) - lengths.astype('i8')
        parts = [x[..., begin:begin + int(length)] for begin, length in zip(begins, lengths)]
        array = Acc.use(x)
        zero = 0.0 if code in FLOATS else 0
        name = f'{code}{list(shape)} of {kind}'
        same(f'fold_seg {name}', run(array.fold_seg(zero, lengths, add)), np.stack([np.sum(part, axis=-1, dtype=code) for part in parts], -1))
        full = np.maximum(lengths, 1)[:4] // 2 + 1
        starts = np.cumsum(full.astype('i8')) - full.astype('i8')
        if starts[-1] + int(full[-1]) <= n:
            cut = x[..., :starts[-1] + int(full[-1])]
            same(f'fold1_seg {name}', run(array.fold1_seg(full, add)), np.add.reduceat(cut, starts, axis=-1, dtype=code))
        same(f'scanl1_seg {name}', run(array.scanl1_seg(lengths, add)), np.concatenate([np.cumsum(part, axis=-1, dtype=code) for part in parts], -1))
        same(f'scanr1_seg {name}', run(array.scanr1_seg(lengths, add)),
             np.concatenate([np.flip(np.cumsum(np.flip(part, -1), axis=-1, dtype=code), -1) for part in parts], -1))


def test_stencils():
    modes = {'edge': Acc.BoundaryKind.CLAMP, 'reflect': Acc.BoundaryKind.MIRROR, 'wrap': Acc.BoundaryKind.WRAP}
    for code, shape, (mode, kind) in itertools.product(('i4', 'f8', 'u1'), ((7,), (2,), (5, 28), (3, 2), (3, 4, 5)), modes.items()):
        x = small(code, shape) * np.array(3, code) + np.arange(int(np.prod(shape))).reshape(shape).astype(code)
        radius = 1 if min(shape) < 3 else 2
        padded = np.pad(x, radius, mode=mode)
        low, high = (-radius,) * x.ndim, (radius,) * x.ndim
        two = 2.0 if code in FLOATS else 2
        got = run(Acc.use(x).stencil((2 * radius + 1,) * x.ndim, kind, lambda n: n[low] + n[high] * two))
        first = padded[tuple(slice(0, n) for n in shape)]
        last = padded[tuple(slice(2 * radius, 2 * radius + n) for n in shape)]
        same(f'stencil {code}{list(shape)} {mode}', got, (first + last * np.array(2, code)).astype(code))


def test_stencil_boundaries():
    for code, shape in itertools.product(('i4', 'f8', 'u1'), ((7,), (1,), (5, 9), (2, 1), (3, 4, 2), (0, 3))):
        x = small(code, shape) + np.arange(int(np.prod(shape))).reshape(shape).astype(code)
        sizes = (5, 3, 7)[:x.ndim]
        reach = tuple(size // 2 for size in sizes)
        low, high = tuple(-r for r in reach), reach
        outside = np.indices(tuple(n + 2 * r for n, r in zip(shape, reach))).sum(axis=0) - sum(reach)
        inside = tuple(slice(r, r + n) for r, n in zip(reach, shape))
        corner = lambda padded, at: padded[tuple(slice(r + o, r + o + n) for r, o, n in zip(reach, at, shape))]
        total = lambda index: functools.reduce(lambda a, b: a + b, list(index) if x.ndim > 1 else [index])
        boundaries = {'constant': (9, np.full(outside.shape, 9)),
                      'function': (Acc.Boundary.function(x.ndim, lambda index: total(index).cast(code)), outside)}
        for kind, (boundary, padded) in boundaries.items():
            padded = padded.astype(code)
            padded[inside] = x
            got = run(Acc.use(x).stencil(sizes, boundary, lambda n: n[low] + n[high]))
            same(f'stencil {kind} {code}{list(shape)}', got, (corner(padded, low) + corner(padded, high)).astype(code))
            y = x[..., :-1] if shape[-1] > 1 else x
            got = run(Acc.use(x).stencil2(sizes, boundary, Acc.use(y), (3,) * x.ndim, Acc.BoundaryKind.CLAMP, lambda n, m: n[high] + m.centre))
            same(f'stencil2 {kind} {code}{list(shape)}', got, (corner(padded, high)[..., :y.shape[-1]] + y).astype(code))


def test_permute():
    for code in INTEGERS:
        x = edges(code)
        targets = random.integers(0, 9, len(x))
        defaults = np.arange(9).astype(code)
        wanted = defaults.copy()
        np.add.at(wanted, targets, x)
        got = run(Acc.use(x).permute(Acc.use(defaults), Acc.use(targets.astype('i8')), lambda new, old: new + old))
        same(f'permute {code}', got, wanted)


def test_scatter():
    for code, index in itertools.product(ALL, INTEGERS):
        x = sample(code, 20)
        targets = random.permutation(30)[:25].astype(index)
        mask = random.integers(0, 2, 22)
        defaults = sample(code, 30)
        array = Acc.use(x)
        wanted = defaults.copy()
        wanted[targets[:20].astype('i8')] = x
        same(f'scatter {code} {index}', run(array.scatter(defaults, targets)), wanted)
        wanted = defaults.copy()
        kept = mask[:20] != 0
        wanted[targets[:20][kept].astype('i8')] = x[kept]
        same(f'scatter_if {code} {index}', run(array.scatter_if(defaults, targets, mask, lambda m: m != 0)), wanted)
        indices = np.where(mask != 0, random.integers(0, 20, 22), 99).astype(index)
        wanted = np.where(mask != 0, x[np.where(mask != 0, indices, 0).astype('i8')], defaults[:22])
        same(f'gather_if {code} {index}', run(array.gather_if(indices, defaults, mask, lambda m: m != 0)), wanted)


def test_zips():
    for n, shape in itertools.product(range(2, 10), SHAPES):
        xs = [sample(code, tuple(extent + (k + d) % 2 for d, extent in enumerate(shape))) for k, code in enumerate(INTEGERS + ('b1',))][:n]
        extents = tuple(min(x.shape[d] for x in xs) for d in range(len(shape)))
        cut = [x[tuple(slice(0, extent) for extent in extents)].astype('i8') for x in xs]
        digits = lambda *items: functools.reduce(lambda a, b: a * 7 + b, [item.cast('i8') for item in items])
        wanted = functools.reduce(lambda a, b: a * 7 + b, cut)
        first, *others = [Acc.use(x) for x in xs]
        name = f'{n} of {list(shape)}'
        same(f'zip_with {name}', run(first.zip_with(*others, digits)), wanted)
        got = run(first.izip_with(*others, lambda index, *items: digits(*items) * 3 + sum((i for i in index), start=Acc.Expr.new_int(0))))
        same(f'izip_with {name}', got, wanted * 3 + sum(np.indices(extents)) if shape else wanted * 3)
        parts = first.zip(*others).unzip()
        for k in range(n):
            same(f'unzip {k} {name}', run(parts[k]), xs[k][tuple(slice(0, extent) for extent in extents)])
def test_sorts():
    for code, shape in itertools.product(ALL, SHAPES):
        x = sample(code, shape)
        if x.ndim == 0:
            continue
        if x.dtype.kind == 'f' and x.size:
            x.flat[::3], x.flat[1::5], x.flat[2::7] = -0.0, 0.0, -np.nan
        name = f'{code}{list(shape)}'
        same(f'sort {name}', run(Acc.use(x).sort()), np.sort(x, kind='stable'))
        order = np.argsort(x, kind='stable')
        same(f'argsort {name}', run(Acc.use(x).argsort()), order)
        values = np.arange(x.size).reshape(shape)
        made, keys = Acc.use(values).sort_pairs(x)
        same(f'sort_pairs {name}', run(made), np.take_along_axis(values, order, -1))
        same(f'sort_pairs keys {name}', run(keys), np.take_along_axis(x, order, -1))
        same(f'sort_by_key {name}', run(Acc.use(x).zip(Acc.use(values)).sort_by_key(lambda pair: pair[0]).unzip(1)), np.take_along_axis(values, order, -1))


def test_searches():
    for code, shape in itertools.product(ALL, SHAPES):
        x, values = np.sort(sample(code, (50,))), sample(code, shape)
        for vector, side in itertools.product((x, np.sort(np.concatenate((x, values.reshape(-1)))), x[:1], x[:0]), ('left', 'right')):
            same(f'searchsorted {code}{list(vector.shape)}{list(shape)} {side}', run(Acc.use(vector).searchsorted(Acc.use(values), side)),
                 np.asarray(np.searchsorted(vector, values, side), 'i8'))


def rows(x):
    """With the elements of each row along the last axis; what there is when all are one row."""
    return ((x, '', -1), (x.reshape(-1), '_all', -1)) if x.ndim else ((x.reshape(-1), '_all', -1),)


def test_cumulative():
    for code, shape in itertools.product(INTEGERS + FLOATS, SHAPES[1:]):
        x = small(code, shape)
        for name, wanted in (('cumsum', np.cumsum), ('cumprod', np.cumprod)):
            same(f'{name} {code}{list(shape)}', run(getattr(Acc.use(x), name)()), wanted(x, axis=-1, dtype=code))
        for name, wanted in (('cummin', np.fmin), ('cummax', np.fmax)):
            x = sample(code, shape)
            got, wanted = run(getattr(Acc.use(x), name)()), wanted.accumulate(x, axis=-1) if x.size else x
            same(f'{name} {code}{list(shape)}', got + np.array(0, code), wanted + np.array(0, code))


def test_places():
    for code, shape in itertools.product(ALL, SHAPES):
        x = sample(code, shape)
        for y, suffix, axis in rows(x):
            if y.shape[-1] == 0:
                continue
            array, name = Acc.use(x), f'{code}{list(shape)}{suffix}'
            low, high = (np.where(np.isnan(y), value, y) for value in (np.inf, -np.inf)) if y.dtype.kind == 'f' else (y, y)
            if y.dtype.kind == 'f':  # infinity is not behind what is no number
                fine = np.nan_to_num(y, nan=3, posinf=9, neginf=-9)
                same(f'argmin of numbers {name}', run(getattr(Acc.use(fine.reshape(shape)), 'argmin' + suffix)()), np.argmin(fine, axis))
                same(f'argmax of numbers {name}', run(getattr(Acc.use(fine.reshape(shape)), 'argmax' + suffix)()), np.argmax(fine, axis))
                continue
            same(f'argmin {name}', run(getattr(array, 'argmin' + suffix)()), np.argmin(low, axis))
            same(f'argmax {name}', run(getattr(array, 'argmax' + suffix)()), np.argmax(high, axis))
            both = run(getattr(array, 'minmax' + suffix)())
            same(f'minmax {name}', both['f0'], np.min(y, axis))
            same(f'minmax {name}', both['f1'], np.max(y, axis))
    x = np.array([np.nan, 3, -np.inf, np.nan, -np.inf, np.inf, np.inf])
    same('argmin of what is no number', run(Acc.use(x).argmin()), np.int64(2))
    same('argmax of what is no number', run(Acc.use(x).argmax()), np.int64(5))
    same('argmax of nothing else', run(Acc.use(x[[0, 3]]).argmax()), np.int64(0))


def test_moments():
    for code, shape, scale in itertools.product(ALL, SHAPES, (1, 100)):
        x = (random.normal(size=shape) * scale + 50).astype(dtype(code))
        for y, suffix, axis in rows(x):
            array, name, ulps = Acc.use(x), f'{code}{list(shape)}{suffix}', 1 if code == 'f2' else 64
            wide, kind = y.astype('f8' if code != 'f2' else 'f4'), code if code in FLOATS else 'f8'
            same(f'mean {name}', run(getattr(array, 'mean' + suffix)()), np.mean(wide, axis).astype(kind), ulps)
            same(f'norm {name}', run(getattr(array, 'norm' + suffix)()), np.linalg.norm(wide, axis=axis).astype(kind), ulps)
            same(f'count_nonzero {name}', run(getattr(array, 'count_nonzero' + suffix)()), np.asarray(np.count_nonzero(y, axis), 'i8'))
            for ddof in (0, 1):
                same(f'variance {name}', run(getattr(array, 'variance' + suffix)(ddof)), np.var(wide, axis, ddof=ddof).astype(kind), ulps)
                same(f'deviation {name}', run(getattr(array, 'standard_deviation' + suffix)(ddof)), np.std(wide, axis, ddof=ddof).astype(kind), ulps)
    # A large mean: what a sum of squares has lost.
    x = 1e9 + np.arange(1000) % 7
    same('variance of large numbers', run(Acc.use(x).var()), np.var(x), 64)


def test_distinct():
    for code, shape in itertools.product(ALL, SHAPES):
        x = sample(code, shape)
        name = f'{code}{list(shape)}'
        wanted, counts = np.unique(x, return_counts=True)
        values, numbers = Acc.use(x).unique()
        same(f'unique {name}', run(values) + np.array(0, dtype(code)), wanted + np.array(0, dtype(code)))
        same(f'unique counts {name}', run(numbers), counts)
        flat = np.sort(x.reshape(-1))[::-1][:50].repeat(2)
        begins = [i for i in range(len(flat)) if i == 0 or not (flat[i] == flat[i - 1] or (flat[i] != flat[i] and flat[i - 1] != flat[i - 1]))]
        values, lengths = Acc.use(flat).run_length_encode()
        same(f'run_length_encode {name}', run(values), flat[begins])
        same(f'run_length_encode lengths {name}', run(lengths), np.diff(begins + [len(flat)]) if begins else np.zeros(0, 'i8'))


def test_histograms():
    for code, shape in itertools.product(('b1',) + INTEGERS, SHAPES):
        x = sample(code, shape)
        counted = x.reshape(-1)[(x.reshape(-1) >= 0) & (x.reshape(-1) < 9)].astype('i8')
        same(f'bincount {code}{list(shape)}', run(Acc.use(x).bincount(9)), np.bincount(counted, minlength=9))
    for code, shape in itertools.product(ALL, SHAPES):
        x = sample(code, shape)
        finite = x[np.isfinite(x)] if x.dtype.kind == 'f' else x
        for bins, low, high in ((1, 0, 1), (10, -50, 50), (7, -0.1, 3.3), (3, 2, 2)):
            if x.dtype.kind == 'f' and code != 'f8':
                edges = np.linspace(np.float32(low), np.float32(high), bins + 1, dtype='f4')
                if low == high or code == 'f2':
                    continue
            wanted, _ = np.histogram(finite.astype('u1') if code == 'b1' else finite, bins, (low, high))
            same(f'histogram {code}{list(shape)} {bins}', run(Acc.use(x).histogram(bins, (low, high))), wanted)
    x = np.arange(-10, 1010) / 1000
    same('histogram of edges', run(Acc.use(x).histogram(100, (0, 1))), np.histogram(x, 100, (0, 1))[0])


def spread(x, connectivity):
    """Labels, by the least of what is around, again and again."""
    marks = np.where(x != 0, np.arange(1, x.size + 1).reshape(x.shape), 0)
    offsets = [offset for offset in itertools.product((-1, 0, 1), repeat=x.ndim) if 0 < np.count_nonzero(offset) <= connectivity]
    while True:
        before = marks.copy()
        for offset in offsets:
            own = tuple(slice(max(-step, 0), extent - max(step, 0)) for step, extent in zip(offset, x.shape))
            other = tuple(slice(max(step, 0), extent - max(-step, 0)) for step, extent in zip(offset, x.shape))
            alike = (x[own] == x[other]) & (x[own] != 0)
            marks[own] = np.where(alike, np.minimum(marks[own], marks[other]), marks[own])
        if np.array_equal(marks, before):
            break
    roots = np.unique(marks[marks != 0])
    return np.where(marks != 0, np.searchsorted(roots, marks) + 1, 0).astype('i4'), len(roots)


def test_regions():
    for shape in ((0, 3), (30,), (12, 17), (5, 6, 4), (3, 2, 4, 3)):
        for connectivity, kinds in itertools.product(range(1, len(shape) + 1), (2, 3)):
            x = random.integers(0, kinds, shape).astype('u1')
            name = f'{list(shape)} {connectivity} {kinds}'
            wanted, n = spread(x, connectivity)
            labels, count = Acc.use(x).label_components(connectivity)
            same(f'label_components {name}', run(labels), wanted)
            same(f'label_components count {name}', run(count), np.int64(n))
            labels, count = Acc.use(x).label_components_by(lambda a, b: a == b, x != 0, connectivity)
            same(f'label_components_by {name}', run(labels), wanted)
            sizes = np.bincount(wanted.reshape(-1), minlength=n + 1)
            same(f'remove_small_objects {name}', run(Acc.use(x).remove_small_objects(4, connectivity)), np.where(sizes[wanted] < 4, 0, x).astype('u1'))
            if x.size:
                seed = tuple(int(random.integers(0, extent)) for extent in shape)
                alike, _ = spread((x == x[seed]).astype('u1'), connectivity)
                same(f'flood {name}', run(Acc.use(x).flood(seed, connectivity)), alike == alike[seed])
                same(f'flood_fill {name}', run(Acc.use(x).flood_fill(seed, 9, connectivity)), np.where(alike == alike[seed], 9, x).astype('u1'))
            voids, n = spread((x == 0).astype('u1'), connectivity)
            sizes = np.bincount(voids.reshape(-1), minlength=n + 1)
            same(f'remove_small_holes {name}', run(Acc.use(x != 0).remove_small_holes(4, connectivity)), (voids == 0) | (sizes[voids] < 4))
            inner = np.pad(np.zeros([max(extent - 2, 0) for extent in shape], '?'), 1, constant_values=True)
            touching = np.zeros(n + 1, '?')
            if inner.shape == x.shape:
                touching[voids[inner]] = True
                same(f'fill_holes {name}', run(Acc.use(x != 0).fill_holes(connectivity)), (voids == 0) | ~touching[voids])
        x = random.integers(0, 5, shape) != 0
        places = np.argwhere(~x)
        if len(places):
            squares = ((np.argwhere(np.ones(shape, '?'))[:, None] - places[None]) ** 2).sum(axis=-1).min(axis=1).reshape(shape)
            same(f'distance_transform_squared {list(shape)}', run(Acc.use(x).distance_transform_squared()), squares.astype('i8'))
            same(f'distance_transform {list(shape)}', run(Acc.use(x).distance_transform()), np.sqrt(squares.astype('f8')))


def test_products():
    shapes = (((3, 4), (4, 5)), ((1, 7), (7, 1)), ((5, 0), (0, 3)), ((0, 3), (3, 2)), ((65, 33), (33, 130)), ((3,), (3,)), ((3,), (3, 4)),
              ((2, 3), (3,)), ((2, 3, 4), (4, 5)), ((3, 4), (2, 4, 5)), ((2, 2, 3, 4), (2, 2, 4, 70)), ((4,), (2, 4, 5)), ((2, 3, 4), (4,)))
    for code, (first, second) in itertools.product(INTEGERS + FLOATS, shapes):
        x, y = (random.integers(0, 5, shape).astype(code) for shape in (first, second))
        name = f'{code} {first} {second}'
        same(f'matmul {name}', run(Acc.use(x) @ y), x @ y)
        same(f'outer {name}', run(Acc.use(x).outer(y)), np.outer(x, y))
        same(f'dot {name}', run(Acc.use(x).dot(x)), np.sum(x * x, axis=-1, dtype=code))


def test_random_numbers():
    bits = run(Acc.random_bits((2, 3), 'u4', 42, 7))
    same('random_bits of a part', run(Acc.random_bits(4, 'u4', 42, 7)), bits.reshape(-1)[:4])
    same('random_bits as halves', run(Acc.random_bits(3, 'u8', 42, 7)).view('u4'), bits.reshape(-1))
    same('random_uniform', run(Acc.random_uniform((2, 3), 'f4', 42, 7)), ((bits >> 8) / 2 ** 24).astype('f4'))
    failures.extend([] if np.all(run(Acc.random_bits((2, 3), 'u4', 42, 8)) != bits) else ['streams are the same'])
    rolls = run(Acc.random_integers((1000,), 1, 7, 'u1', 42))
    same('random_integers', np.unique(rolls), np.arange(1, 7).astype('u1'))
    failures.extend([] if abs(np.mean(run(Acc.random_normal(10000)))) < 0.05 else ['random_normal is not about 0'])


def near(name, got, wanted, units):
    """Complex numbers, by their distance in units of the last place of the greater one."""
    if got.shape != wanted.shape or got.dtype != wanted.dtype:
        failures.append(f'{name}: {got.dtype}{got.shape} instead of {wanted.dtype}{wanted.shape}')
        return
    finite = np.isfinite(wanted)
    allowed = units * np.finfo(wanted.dtype).eps * np.maximum(np.abs(wanted), 1)
    good = ~finite | (np.abs(got - wanted) <= allowed)
    if not np.all(good):
        where = tuple(np.argwhere(~good)[0])
        failures.append(f'{name}: {got[where]!r} instead of {wanted[where]!r} at {where}, {int(np.sum(~good))} in all')


def test_complex():
    for code in ('c8', 'c16'):
        parts = np.concatenate([np.array([0.0, -0.0, 1, -1, 0.5, 2, -3]), random.uniform(-4, 4, 20)])
        z = (parts[:, None] + 1j * parts[None, :]).astype(code)
        w = z[::-1].T
        for name, function in (('sqrt', np.sqrt), ('exp', np.exp), ('log', np.log), ('sin', np.sin), ('cos', np.cos), ('tan', np.tan),
                               ('sinh', np.sinh), ('cosh', np.cosh), ('tanh', np.tanh), ('asin', np.arcsin), ('acos', np.arccos),
                               ('atan', np.arctan), ('asinh', np.arcsinh), ('acosh', np.arccosh), ('atanh', np.arctanh),
                               ('recip', np.reciprocal), ('conjugate', np.conjugate)):
            near(f'{name} {code}', run(Acc.use(z).map(getattr(Acc, name))), function(z), 40)
        near(f'magnitude {code}', run(Acc.use(z).map(Acc.magnitude)), np.abs(z), 4)
        for name, function in (('add', lambda a, b: a + b), ('sub', lambda a, b: a - b), ('mul', lambda a, b: a * b),
                               ('fdiv', lambda a, b: a / b)):
            near(f'{name} {code}', run(Acc.use(z).zip_with(w, function)), function(z, w), 8)
        same(f'eq {code}', run(Acc.use(z).zip_with(w, lambda a, b: a == b)), z == w)
        near(f'sum {code}', run(Acc.use(z).fold(0, lambda a, b: a + b)), z.sum(axis=-1), 40)
        near(f'scanl1 {code}', run(Acc.use(z).scanl1(lambda a, b: a + b)), np.cumsum(z, axis=-1), 40)
        for cut in (z.T, z[::2, 1::3], z[:0]):
            same(f'layout {code}', run(Acc.use(cut).map(lambda x: x)), cut)


def test_fourier():
    random = np.random.default_rng(7)
    for code, shape in itertools.product(('c8', 'c16'), ((1,), (2, 8), (13,), (3, 60), (1031,), (5, 4, 6), (2, 3, 0), (2, 0, 3))):
        z = (random.normal(size=shape) + 1j * random.normal(size=shape)).astype(code)
        array, whole = Acc.use(z), z.astype('c16')
        forms = [(f'fft {axis}', array.fft(axis), np.fft.fft(whole, axis=axis) if whole.size else z) for axis in range(-z.ndim, z.ndim) if z.size or axis == -1]
        forms += [('ifft', array.ifft(), np.fft.ifft(whole) if whole.size else z)]
        if z.size and z.ndim > 1:
            forms += [('fft2', array.fft2(), np.fft.fft2(whole)), ('ifft2', array.ifft2(), np.fft.ifft2(whole))]
        if z.size and z.ndim > 2:
            forms += [('fft3', array.fft3(), np.fft.fftn(whole)), ('ifft3', array.ifft3(), np.fft.ifftn(whole))]
        for name, got, wanted in forms:
            got = run(got)
            largest = max(np.max(np.abs(wanted), initial=0), np.finfo(code).tiny)
            worst = np.max(np.abs(got - wanted), initial=0) / largest / np.finfo(code).eps
            if got.dtype != np.dtype(code) or got.shape != shape or not worst <= 2 + np.log2(max(z.size, 1)):
                failures.append(f'{name} {code}{list(shape)}: {got.dtype} {got.shape}, wrong by {worst} units of the largest')
    for code, shape in itertools.product(('f4', 'f8'), ((1,), (2,), (7,), (1000,), (8192,), (3, 64), (4, 45), (2, 3, 26), (2, 206))):
        x = random.normal(size=shape).astype(code)
        spectrum = np.fft.rfft(x.astype('f8'))
        units = np.finfo(code).eps * (4 + 2 * np.log2(shape[-1])) * np.max(np.abs(spectrum))
        got = run(Acc.use(x).rfft())
        failures.extend([] if got.dtype == spectrum.astype('c8' if code == 'f4' else 'c16').dtype and got.shape == spectrum.shape
                        and np.max(np.abs(got - spectrum)) <= units else [f'rfft {code}{list(shape)}'])
        for n in (shape[-1], shape[-1] + 3, max(shape[-1] // 2, 1), None):
            if n is None and shape[-1] < 2:
                continue
            z = (spectrum + 3j).astype(got.dtype)
            wanted, back = np.fft.irfft(z.astype('c16'), n), run(Acc.use(z).irfft(n))
            failures.extend([] if back.dtype == np.dtype(code) and back.shape == wanted.shape and np.max(np.abs(back - wanted)) <= units
                            else [f'irfft {code}{list(shape)} {n}'])
    for code, shape in itertools.product(ALL, SHAPES[1:] + ((5, 2, 3),)):
        x = sample(code, shape)
        same(f'fftshift {code}{list(shape)}', run(Acc.use(x).fftshift()), np.fft.fftshift(x))
        same(f'ifftshift {code}{list(shape)}', run(Acc.use(x).ifftshift()), np.fft.ifftshift(x))
    x = random.normal(size=30)
    failures.extend([] if np.allclose(run(Acc.use(x).fft()), np.fft.fft(x), rtol=0, atol=1e-13) else ['fft of real numbers'])
    for call in (lambda: Acc.use(x).fft(1), lambda: Acc.use(x).fft(-2), lambda: Acc.use(x).fft2(), lambda: Acc.use(np.arange(3)).fft(),
                 lambda: Acc.use(x).irfft(0), lambda: Acc.use(x + 1j).rfft(), lambda: Acc.use(np.array(2.)).rfft()):
        try:
            call()
            failures.append('a mistake in fft is not raised')
        except GLib.Error:
            pass


def test_vectors():
    for code, n in itertools.product(ALL, (1, 2, 3, 4, 8, 16)):
        data = np.stack([np.roll(edges(code), i) for i in range(n)], axis=-1)
        array = Acc.use(data, f'{n}{code}')
        same(f'vector {n}{code}', run(array), data)
        same(f'last {n}{code}', run(array.map(lambda v: v[n - 1])), data[..., n - 1])
        same(f'turned {n}{code}', run(array.map(lambda v: Acc.vec(*list(v)[::-1]))), data[..., ::-1])
        same(f'replaced {n}{code}', run(array.map(lambda v: v.with_item(0, v[n - 1]))), np.concatenate([data[..., -1:], data[..., 1:]], axis=-1))
        same(f'backwards {n}{code}', run(array.reverse()), data[::-1])
        if code != 'b1':
            same(f'sum {n}{code}', run(array.map(lambda v: v + v)), data + data)


def main():
    tests = [value for name, value in globals().items() if name.startswith('test_')]
    print(f'1..{len(tests)}')
    status = 0
    for number, test in enumerate(tests, 1):
        failures.clear()
        test()
        for failure in failures[:20]:
            print(f'# {failure}')
        print(f'{"not ok" if failures else "ok"} {number} {test.__name__}')
        status = status or bool(failures)
    return int(status)


if __name__ == '__main__':
    sys.exit(main())
