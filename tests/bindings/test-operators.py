# SPDX-License-Identifier: LGPL-2.1-or-later
"""Operators and protocols of Python and NumPy, on arrays and on expressions: elements as NumPy has them, or an error."""

import fractions
import math
import operator
import sys
import warnings

import check
import numpy as np
from gi.repository import Acc, GLib

BITS = (operator.and_, operator.or_, operator.xor)
SHIFTS = (operator.lshift, operator.rshift)
COMPARISONS = (operator.eq, operator.ne, operator.lt, operator.le, operator.gt, operator.ge)
ARITHMETIC = (operator.add, operator.sub, operator.mul, operator.floordiv, operator.mod)
RAW = Acc.Array.__mro__[1]


def raises(kinds, function, *arguments):
    try:
        result = function(*arguments)
    except kinds as error:
        return str(error)
    raise AssertionError(f'gave {result!r}')


def same(made, want):
    """Elements, extents and type; @made is an array of acc, which was not run."""
    assert isinstance(made, Acc.Array) and not made.is_manifest(), made
    got = np.asarray(made)
    assert got.dtype == want.dtype and np.array_equal(got, want), (got, want)


def pairs(code):
    x = np.array([3, 1, 4, 1, 5, 9, 2, 6]) % (2 if code == '?' else 99)
    return x.astype(code), np.roll(x, 3).astype(code)


def expressions():
    """An f8, an i4, a b1 and a pair, as a function sees them."""
    seen = []
    zipped = Acc.use(np.zeros(1)).zip_with(np.zeros(1, 'i4'), np.zeros(1, '?'), lambda *x: seen.extend(x) or x[0])
    assert zipped.shape == (1,)
    return *seen, Acc.quot_rem(seen[1], 2)


def test_operators_of_arrays():
    for code in ('?', 'i1', 'u2', 'i4', 'i8', 'u8', 'f4', 'f8'):
        x, y = pairs(code)
        a, b = Acc.use(x), Acc.use(y)
        operators = COMPARISONS + (BITS if code[0] in '?iu' else ()) + (ARITHMETIC if code != '?' else ())
        if code[0] in 'iu':
            operators += SHIFTS
        for apply in operators:
            want = apply(x, y)
            for made in (apply(a, b), apply(a, y), apply(x, b), apply(a, list(y))):
                same(made, want)
            same(apply(a, y[1]), apply(x, y[1]))
            same(apply(x[1], b), apply(x[1], y))
            if code != '?':
                same(apply(a, 2), apply(x, x.dtype.type(2)))
                if apply not in SHIFTS:  # what is shifted has a type of its own
                    same(apply(2, b), apply(x.dtype.type(2), y))
        if code[0] in '?iu':
            same(~a, ~x)
        if code != '?':
            same(-a, -x)
            for made, want in zip(divmod(a, b), divmod(x, y)):
                same(made, want)
            for made, want in zip(divmod(7, b), divmod(x.dtype.type(7), y)):
                same(made, want)
            for made, want in zip(divmod(y, a), divmod(y, x)):
                same(made, want)
        assert +a is a
    x, y = pairs('f8')
    for apply in (operator.truediv, operator.pow):
        for made in (apply(Acc.use(x), Acc.use(y)), apply(x, Acc.use(y)), apply(Acc.use(x), y)):
            assert np.allclose(made, apply(x, y), rtol=1e-15)
    matrix = np.arange(12.).reshape(3, 4)
    for made in (Acc.use(matrix) @ matrix.T, matrix @ Acc.use(matrix.T)):
        same(made, matrix @ matrix.T)


def test_one_element_beside_many():
    values = np.arange(12, dtype='f8').reshape(3, 4)
    for many in (Acc.use(values), Acc.use(values) + 0):
        for one in (Acc.use(values).mean_all(), Acc.use(values).mean_all().run()):
            same(many - one, values - values.mean())
            same(one - many, values.mean() - values)
            same(many < one, values < values.mean())
            same(one <= many, values.mean() <= values)
    same(np.array(3.) * (Acc.use(values) + 0), values * 3)
    raises((TypeError, GLib.Error), lambda: Acc.use(values) + Acc.use(np.arange(4.)))


def test_comparisons():
    x, y = np.array([1.0, 2, np.nan, -0.0]), np.array([1.0, 3, np.nan, 0.0])
    a, b = Acc.use(x), Acc.use(y)
    for compare in COMPARISONS:
        same(compare(a, b), compare(x, y))
        same(compare(2, b), compare(2, y))
        same(compare(np.float64(2), b), compare(2, y))
        same(compare(fractions.Fraction(3, 2), Acc.use(np.array([3, 1])).map(lambda v: Acc.ratio(v, 2))), compare(3, np.array([3, 1])))
    letters = np.array(list('nabla'))
    same(Acc.use(letters) == 'a', letters == 'a')
    z = np.array([1 + 2j, 3])
    same(Acc.use(z) != 3, z != 3)
    for other in (None, 'two', object(), {}, b'x'):
        for value in (a, a.run(), *expressions()):
            for compare in COMPARISONS:
                raises(TypeError, compare, value, other)
                raises(TypeError, compare, other, value)
    assert 'is' in raises(TypeError, operator.eq, a, None)
    assert (Acc.Shape.new([2, 3]) == None) is False and Acc.Shape.new([2, 3]) == (2, 3)  # noqa: E711


def test_objects_are_found_by_identity():
    a, b = Acc.use(np.arange(3)), Acc.use(np.arange(3))
    assert len({a, b, a}) == 2 and {a: 1, b: 2}[b] == 2 and hash(a) == hash(a)
    assert a in [b, a][1:] and len({x: 1 for x in expressions()}) == 4


def test_in_place():
    x = np.arange(4.)
    a = before = Acc.use(x.copy())
    a += 1
    a *= np.float64(2)
    a **= 2
    same(a, ((x + 1) * 2) ** 2)
    assert np.array_equal(before, np.arange(4.))
    x += Acc.use(np.ones(4))  # NumPy's own array changes
    assert isinstance(x, np.ndarray) and list(x) == [1, 2, 3, 4]
    for wrong in (lambda: np.add(x, x, out=before), lambda: np.copyto(before, x), lambda: np.add.at(before, 0, 1), lambda: np.sum(x, out=before.run())):
        raises((TypeError, ValueError), wrong)
    raises(TypeError, operator.setitem, before, 0, 1)
    assert list(before) == [0, 1, 2, 3]


def test_truth():
    for value in (0, 3, -0.0, np.nan, False, True, 0j, 1j):
        for shape in ((), (1,), (1, 1)):
            x = np.full(shape, value)
            assert bool(Acc.use(x)) is bool(x) and bool(Acc.use(x).map(lambda v: v)) is bool(x)
    for shape in ((2,), (0,), (2, 0), (1, 3)):
        a = Acc.use(np.zeros(shape))
        for b in (a, a + 1, a == a, a.filter(lambda v: v < 9)[0]):
            raises(ValueError, bool, b)
    raises(ValueError, lambda: 0 if Acc.use([1, 2]) == Acc.use([1, 2]) else 1)
    raises(TypeError, bool, Acc.use(np.array((0, 0), 'i4,i4')))
    for x in expressions():
        raises(TypeError, bool, x)
        raises((TypeError, GLib.Error), lambda: 0 < x < 1)


def test_one_element():
    one = Acc.use(np.array(7))
    assert operator.index(one + 1) == 8 and [5, 6, 7][Acc.use(np.array(1))] == 6 and int(one) == 7 and complex(one) == 7
    assert Acc.use(np.ones((1, 1))).item() == 1 and math.floor(float(Acc.use(np.array([2.5])))) == 2
    for wrong in (np.array([7]), np.array(7.0), np.array(True)):
        raises(TypeError, operator.index, Acc.use(wrong))
    many = Acc.use(np.zeros(3))
    raises(ValueError, many.item)
    for kind in (int, float, complex):
        raises(TypeError, kind, many)
        raises(TypeError, kind, many.filter(lambda v: v == 0)[0])
        for x in expressions():
            raises(TypeError, kind, x)


def test_iteration_ends():
    x = np.array([[3, 1, 2], [9, 7, 8]])
    for a in (Acc.use(x), Acc.use(x) + 0):
        assert np.array_equal(list(a), list(x)) and [list(row) for row in reversed(a)] == [list(row) for row in x[::-1]]
        assert 7 in a and 4 not in a and np.float64(8) in a
        row = a.slice(0, Acc.ALL)
        assert max(row) == 3 and min(row) == 1 and sum(row) == 6 and sorted(row) == [1, 2, 3] and any(row) and tuple(zip(row, range(9))) == ((3, 0), (1, 1), (2, 2))
        first, *rest = row
        assert first == 3 and rest == [1, 2]
    assert list(Acc.use(np.zeros(0)) + 1) == [] and 0 not in Acc.use(np.zeros(0))
    assert list(Acc.use(np.arange(9)).filter(lambda v: v > 6)[0]) == [7, 8]
    for gone in (list, max, reversed, lambda a: 1 in a and iter(a)):
        raises(TypeError, gone, Acc.use(np.array(1)) + 0)
    raises(TypeError, len, Acc.use(np.array(1)))
    raises(TypeError, len, Acc.use(np.arange(3)).filter(lambda v: v > 1)[0])

    @Acc.program('f4[:]')
    def inside(a):
        for end in (list, max, bool, lambda a: 1 in a):
            raises(GLib.Error, end, a)
        return a == 1

    assert list(inside(np.float32([1, 2]))) == [True, False]


def test_functions_of_numpy():
    x = np.array([[3.0, 1, 4], [1, 5, 9]])
    for a in (Acc.use(x), Acc.use(x) + 0):
        for function in (np.sum, np.mean, np.sort, np.sin, np.transpose, np.atleast_3d, lambda v: np.max(v, axis=0), lambda v: np.reshape(v, (3, 2)),
                         lambda v: np.concatenate([v, v], axis=1), lambda v: np.where(v > 2, v, 0), lambda v: np.add.reduce(v), lambda v: np.add(v, 1, dtype='f4'),
                         np.shape, np.ndim, np.size, lambda v: np.logical_and(v, v), lambda v: np.einsum('ij,ij', v, v), lambda v: np.clip(v, 2, 4)):
            got, want = function(a), function(x)
            assert type(got) is type(want) and np.array_equal(got, want), (got, want)
        same(np.add(a, a), x + x)
        same(np.multiply(np.float64(2), a), 2 * x)
        same(np.negative(a), -x)
        same(np.equal(x, a), x == x)
        assert all(np.array_equal(got, want) for got, want in zip(np.divmod(a, 2), np.divmod(x, 2)))
        for scalar in (np.float64(2), np.array(2.0)):
            same(scalar * a, 2 * x)
            same(scalar - a, 2 - x)
            same(a ** scalar, x ** 2)
            same(scalar < a, 2 < x)
    assert np.shape(Acc.use(x).filter(lambda v: v > 2)[0]) == (4,)
    vast = Acc.fill((10 ** 9, 10 ** 9), 1.0)  # which is never run
    assert np.shape(vast) == (10 ** 9, 10 ** 9) and np.ndim(vast) == 2


def test_expressions():
    floats, integers, truth, pair = expressions()
    for number in (2, 2.5, np.float64(2), np.array(2.0)):
        for apply in (operator.add, operator.sub, operator.mul, operator.truediv, operator.pow, operator.floordiv, operator.mod, *COMPARISONS):
            for made in (apply(number, floats), apply(floats, number)):
                assert isinstance(made, Acc.Expr), made
    x = np.array([2.5, -1.5, 0.5])
    for apply in (round, math.floor, math.ceil, abs, lambda v: divmod(v, 2)[0], lambda v: divmod(v, 2)[1], lambda v: divmod(7, v)[1],
                  lambda v: np.float64(2) * v, lambda v: np.float64(2) - v, lambda v: np.add(1, v)):
        assert np.array_equal(Acc.use(x).map(apply), [apply(float(v)) for v in x])
    for wrong in (np.sum, np.mean, np.sin, np.asarray, np.max, lambda v: np.where(v, 1, 2), lambda v: np.ones(3) * v, lambda v: v * np.ones(3), lambda v: np.array([v, v]),
                  lambda v: np.stack([v, v]), lambda v: np.add(v, 1, dtype='f4'), math.sin, lambda v: round(v, 2), lambda v: pow(v, 2, 3), lambda v: v @ v, lambda v: 5 in v,
                  range, lambda v: f'{v:.2f}', lambda v: [1, 2][v], lambda v: max(v, 1), sorted):
        for value in (floats, integers, truth, pair):
            if wrong is not sorted or value is pair:
                raises((TypeError, GLib.Error), wrong, value)

    def near(n):
        for wrong in (lambda: n == 1, lambda: n < 1, lambda: n + 1, lambda: bool(n), lambda: np.sum(n), lambda: 2 * n, lambda: np.float64(2) * n):
            raises(TypeError, wrong)
        return sum(n) / len(n)

    assert list(Acc.use(np.arange(3.)).stencil(3, Acc.Boundary.constant(0), near)) == [1 / 3, 1, 1]


def test_rank_0_among_expressions():
    assert list(Acc.fill(2, Acc.use(np.array(5.0)) + 1)) == [6, 6] and list(Acc.use(np.arange(3)).fold(Acc.unit(4), lambda x, y: x + y).replicate(2)) == [7, 7]


def test_what_carries_an_error():
    bad = RAW.map(Acc.use(np.arange(3)), lambda x, *_: None)
    for text in (repr(bad), str(bad)):
        assert 'map' in text and 'returned nothing' in text
    for use in (lambda: bad.dtype, lambda: bad + 1, lambda: bad == bad, lambda: list(bad), lambda: bool(bad), lambda: np.asarray(bad)):
        assert 'returned nothing' in raises(GLib.Error, use)
    wrong = Acc.Expr.__mro__[1].add(Acc.Expr.new_int(1).cast('i4'), Acc.Expr.new_int(1).cast('f4'))
    assert 'i4' in repr(wrong)
    for use in (lambda: wrong.dtype, lambda: wrong + 1, lambda: wrong % 2, lambda: abs(wrong), lambda: wrong == 1):
        raises(GLib.Error, use)


def test_copies():
    with warnings.catch_warnings():
        warnings.simplefilter('error')
        a = Acc.use(np.arange(4, dtype='i4'))
        structured = Acc.use(np.zeros(2, 'i4,f8'))
        for b in (a, a + 0, structured, structured.map(lambda v: v), Acc.use(np.zeros((0, 2)))):
            for copy in (None, True):
                values = b.__array__(copy=copy)
                assert values.flags.writeable or not copy
            assert np.array_equal(np.array(b), b.__array__()) and np.array(b).flags.writeable
        assert a.__array__(copy=True).ctypes.data != a.get_address(0) == a.__array__(copy=False).ctypes.data == a.__array__().ctypes.data
        assert a.__array__('f8').dtype == 'f8' and a.__array__(np.dtype('i4'), copy=False).dtype == 'i4'
        for wrong in (lambda: a.__array__('f8', copy=False), lambda: (a + 0).__array__(copy=False), lambda: structured.__array__(copy=False)):
            assert 'copy' in raises(ValueError, wrong)
        if np.lib.NumpyVersion(np.__version__) >= '2.0.0':
            assert np.asarray(a, copy=False).ctypes.data == a.get_address(0) != np.asarray(a, copy=True).ctypes.data
            raises(ValueError, lambda: np.asarray(a + 0, copy=False))
            assert list(np.asarray(a + 1, copy=True)) == [1, 2, 3, 4]


if __name__ == '__main__':
    check.main(sys.modules['__main__'])
