# SPDX-License-Identifier: LGPL-2.1-or-later
"""The programs of the documentation's first page."""

import ctypes
import sys

import check
import numpy as np
from gi.repository import Acc, GLib


def test_dot_product():
    rng = np.random.default_rng(1)
    a, b = rng.random(100_000).astype('f4'), rng.random(100_000).astype('f4')
    xs, ys = Acc.use(a), Acc.use(b)
    dot = xs.zip_with(ys, lambda x, y: x * y).fold(0, lambda p, q: p + q)
    assert abs(float(dot.run()) - float(np.dot(a.astype('f8'), b))) < 1e-2 * 100
    doubled = np.asarray(xs.map(lambda x: 2 * x + 1).run())
    assert np.array_equal(doubled, 2 * a + 1)
    print(dot.run())


def test_program_runs_many_times():
    @Acc.program('f4[:,:]')
    def blur(image):
        return image.stencil((3, 3), Acc.Boundary.CLAMP, lambda n: sum(n) / 9)

    for shape in ((5, 7), (1, 1), (0, 3), (64, 33)):
        image = np.random.default_rng(2).random(shape).astype('f4')
        padded = np.pad(image, 1, mode='edge') if image.size else image
        want = sum(padded[1 + dy:1 + dy + shape[0], 1 + dx:1 + dx + shape[1]]
                   for dy in (-1, 0, 1) for dx in (-1, 0, 1)) / 9 if image.size else image
        got = np.asarray(blur(image))
        assert got.shape == shape
        assert np.allclose(got, want, rtol=1e-5)


def test_operators():
    a = Acc.use(np.array([1, 2, 3, 4], dtype='i4'))
    b = Acc.use(np.array([7, -7, 5, 2], dtype='i4'))
    x, y = np.array([1, 2, 3, 4], dtype='i4'), np.array([7, -7, 5, 2], dtype='i4')
    assert np.array_equal(np.asarray((a + b).run()), x + y)
    assert np.array_equal(np.asarray((2 * a - b).run()), 2 * x - y)
    assert np.array_equal(np.asarray((b // a).run()), y // x)
    assert np.array_equal(np.asarray((b % a).run()), y % x)
    assert np.array_equal(np.asarray((-a).run()), -x)
    assert np.array_equal(np.asarray(abs(b).run()), abs(y))
    assert np.array_equal(np.asarray(a.map(lambda v: (v << 3) ^ 5).run()), (x << 3) ^ 5)


def test_foreign():
    x = np.array([[3, 1, 2], [9, 7, 8]], dtype='f4')
    calls = []

    def sort_rows(inputs, *_):
        calls.append(len(inputs))
        return Acc.use(np.sort(np.asarray(inputs[0]), axis=1))

    def refuse(inputs, *_):
        raise GLib.Error('not today', 'test', 1)

    # The fallback leaves rows as they are.
    ordered = Acc.foreign('test-sort-rows', [x], lambda a: a.map(lambda v: v + 0))
    doubled = ordered.map(lambda v: 2 * v)
    for name in ('interpreter', 'native'):
        backend = Acc.Backend.new_for_name(name)
        assert np.array_equal(np.asarray(backend.run(doubled, None)), 2 * x)
        backend.set_foreign('test-sort-rows', sort_rows)
        assert np.array_equal(np.asarray(backend.run(doubled, None)), 2 * np.sort(x, axis=1))
        backend.set_foreign('test-sort-rows', refuse)
        try:
            backend.run(doubled, None)
            raise AssertionError('no error')
        except GLib.Error as error:
            assert 'not today' in error.message, error.message
        backend.set_foreign('test-sort-rows', None)
        assert np.array_equal(np.asarray(backend.run(doubled, None)), 2 * x)
    assert calls == [1, 1]


def test_foreign_launch():
    x = np.arange(5, dtype='f4')
    doubled = Acc.foreign('test-double', [x], lambda a: a.map(lambda v: v + v))

    def at(address):
        return np.ctypeslib.as_array((ctypes.c_float * 5).from_address(address))

    def launch(call, *_):
        assert call.begin(call.get_input(0).get_element_type(), call.get_input(0).get_shape()) and call.get_queue() == 0
        at(call.get_result_address(0))[:] = 10 * at(call.get_input_address(0, 0))
        return True

    backend = Acc.Backend.new_for_name('native')
    backend.set_foreign_launch('test-double', launch)
    assert np.array_equal(np.asarray(backend.run(doubled, None)), 10 * x)
    backend.set_foreign_launch('test-double', None)
    assert np.array_equal(np.asarray(backend.run(doubled, None)), 2 * x)


def test_cond_loop_and_index():
    a = np.arange(-5, 6, dtype='i8')
    xs = Acc.use(a)
    assert np.array_equal(np.asarray(xs.map(lambda x: Acc.cond(x < 0, -x, x * 10)).run()), np.where(a < 0, -a, a * 10))

    def collatz(x):
        return Acc.loop(lambda s: s[0] > 1, lambda s: (Acc.cond(s[0] % 2 == 0, s[0] // 2, 3 * s[0] + 1), s[1] + 1), (x, 0))[1]

    def reference(n):
        steps = 0
        while n > 1:
            n, steps = (n // 2 if n % 2 == 0 else 3 * n + 1), steps + 1
        return steps

    assert list(np.asarray(xs.map(collatz).run())) == [reference(n) for n in a]
    reverse = Acc.generate(11, lambda i: xs[10 - i])
    assert np.array_equal(np.asarray(reverse.run()), a[::-1])


def test_shapes_of_expressions():
    a = np.arange(6, dtype='i8').reshape(2, 3)
    xs = Acc.use(a)
    rows, columns = xs.extent(0), xs.extent(1)
    assert np.array_equal(np.asarray(Acc.generate(columns, lambda i: i * i).run()), [0, 1, 4])
    assert np.array_equal(np.asarray(Acc.generate((columns, 2), lambda i: i[0] - i[1]).run()), [[0, -1], [1, 0], [2, 1]])
    assert np.array_equal(np.asarray(Acc.fill((rows, columns + 1), 7, 'i4').run()), np.full((2, 4), 7, 'i4'))
    assert np.array_equal(np.asarray(xs.reshape(columns, rows).run()), a.reshape(3, 2))
    assert np.array_equal(np.asarray(xs.backpermute((columns, rows), lambda i: (i[1], i[0])).run()), a.T)


def test_loops_in_expressions():
    a = np.arange(12, dtype='i8').reshape(3, 4)
    xs = Acc.use(a)
    assert list(np.asarray(Acc.generate(5, lambda i: Acc.iterate(i, lambda x: 2 * x + 1, 1)).run())) == [1, 3, 7, 15, 31]
    assert list(np.asarray(Acc.generate(3, lambda i: Acc.fold_row(xs, i, 0, lambda s, x: 10 * s + x)).run())) == [123, 4567, 9011]
    assert int(Acc.unit(Acc.fold_row(xs.slice(1, Acc.ALL), (), 1, lambda s, x: s * x)).run()) == 4 * 5 * 6 * 7
    try:
        Acc.generate(5, lambda i: Acc.iterate(i, lambda x: undefined, 1))  # noqa: F821
    except NameError:
        pass
    else:
        assert False, 'the exception is lost'


def test_callbacks_without_overrides():
    """What wraps a callback's result may be gone before C has it."""
    raw = Acc.Array.__mro__[1]
    xs = Acc.use(np.arange(4, dtype='i8'))
    for _ in range(100):
        made = raw.generate_expr(xs.extent(0), lambda i, *_: Acc.Expr.add(Acc.Expr.mul(i, i), Acc.Expr.new_int(3)))
        made = raw.imap(made, lambda i, x, *_: Acc.Expr.iterate(Acc.Expr.new_int(2), x, lambda y, *_: Acc.Expr.add(y, Acc.Expr.new_int(1))))
        made = raw.map(made, lambda x, *_: x)
    assert np.array_equal(np.asarray(made.run()), np.arange(4) ** 2 + 5)


def test_shapes_and_printing():
    a = Acc.use(np.arange(6, dtype='f4').reshape(2, 3))
    assert a.shape == (2, 3) and a.ndim == 2 and a.dtype == 'f4'
    assert a.slice(Acc.ALL, 1).shape == (2,)
    assert a.replicate(4, Acc.ALL, Acc.ALL).shape == (4, 2, 3)
    assert '5' in str(a)
    assert float(a.fold_all(0, lambda x, y: x + y).run()) == 15


if __name__ == '__main__':
    check.main(sys.modules['__main__'])
