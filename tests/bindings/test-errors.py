# SPDX-License-Identifier: LGPL-2.1-or-later
"""Mistakes are exceptions where they were made."""

import sys
import traceback

import check
import numpy as np
from gi.repository import Acc, GLib


def raised(function, *kinds):
    try:
        function()
    except kinds as exception:
        return exception
    raise AssertionError('nothing was raised')


def test_type_mistake_inside_a_lambda():
    xs = Acc.use(np.arange(4, dtype='f4'))

    def wrong(x):
        good = x + 1
        return good + x.cast('i4')  # the mistake

    error = raised(lambda: xs.map(wrong), GLib.Error)
    lines = [frame.line for frame in traceback.extract_tb(error.__traceback__)]
    assert any('the mistake' in line for line in lines), lines
    assert 'f4' in str(error) and 'i4' in str(error)


def test_exception_inside_a_lambda():
    class Mine(Exception):
        pass

    def fail(x):
        raise Mine('mine')

    xs = Acc.use(np.arange(4, dtype='f4'))
    for build in (lambda: xs.map(fail), lambda: xs.fold(0, lambda a, b: fail(a)), lambda: Acc.generate(3, fail),
                  lambda: xs.stencil((3,), Acc.Boundary.CLAMP, fail), lambda: Acc.program('f4[:]')(fail),
                  lambda: xs.map(lambda x: Acc.loop(fail, fail, x))):
        assert str(raised(build, Mine)) == 'mine'


def test_shape_mistake():
    error = raised(lambda: Acc.use(np.arange(6)).reshape(4, 2), GLib.Error)
    assert 'reshape' in str(error)


def test_out_of_range_names_label_and_index():
    xs = Acc.use(np.arange(4, dtype='f4'))
    wild = Acc.generate(8, lambda i: xs[i]).named('wild')
    error = raised(lambda: wild.run(), GLib.Error)
    assert 'wild' in error.message and '4' in error.message, error.message


def test_numbers_that_do_not_fit():
    xs, halves = Acc.use(np.arange(4, dtype='u1')), Acc.use(np.arange(4, dtype='f2'))
    for build in (lambda: Acc.fill(3, 300, 'u1'), lambda: Acc.fill(3, -1, 'u1'), lambda: Acc.fill(3, 2.5, 'u1'), lambda: Acc.fill(3, 70000, 'f2'),
                  lambda: Acc.fill(3, 1e39, 'f4'), lambda: Acc.fill(3, 2, 'b1'), lambda: Acc.fill(3, (300, 1), '(u1,f4)'),
                  lambda: Acc.fill(3, np.int64(300), 'u1'), lambda: Acc.fill(3, 2 ** 64, 'u8'), lambda: Acc.fill(3, 1e39 + 1j, 'c8'),
                  lambda: Acc.fill(3, (1, 300), '2u1'), lambda: Acc.fill(3, 'é', 'i1'), lambda: Acc.enum_from(3, 300, 1, 'u1'),
                  lambda: Acc.enum_from(3, 0, 300, 'u1'), lambda: Acc.use([1, 300], 'u1'), lambda: Acc.use([1, 2.5], 'i4'),
                  lambda: Acc.use([1e39], 'f4'), lambda: xs + 300, lambda: xs + 2 ** 63, lambda: -1 - xs, lambda: halves + 70000, lambda: halves * 1e6,
                  lambda: xs.map(lambda x: Acc.cond(x > 1, x, 300)), lambda: xs.stencil((3,), 300, lambda x: x[0]), lambda: xs.fold(300, lambda a, b: a),
                  lambda: Acc.random_integers(3, 0, 257, 'u1'), lambda: Acc.random_integers(3, 0, 2 ** 64 + 1, 'u8')):
        error = raised(build, GLib.Error, OverflowError)
        assert 'does not fit' in str(error), error

    for value, code, wanted in ((255, 'u1', 255), (2.0, 'i4', 2), (True, 'u2', 1), (2 ** 64 - 1, 'u8', 2 ** 64 - 1), (2 ** 70, 'f8', 2.0 ** 70),
                                (np.float32(0.1), 'f4', np.float32(0.1)), (1 + 2j, 'c8', 1 + 2j), (3, 'c16', 3), (float('-inf'), 'f2', -np.inf)):
        assert np.asarray(Acc.fill(2, value, code).run())[1] == wanted, code
    floats = Acc.use(np.ones(2, 'f4'))
    assert np.asarray((floats + 2 ** 63).run())[0] == np.float32(2 ** 63)


def test_integers_have_no_quotient():
    xs = Acc.use(np.arange(1, 4))
    for build in (lambda: xs / xs, lambda: xs / 2, lambda: 2 / xs, lambda: xs.map(lambda x: x / x), lambda: xs / 0.5):
        error = raised(build, TypeError)
        assert 'i8 has no /' in str(error) and '//' in str(error) and 'cast' in str(error), error
    assert np.array_equal(np.asarray((xs.cast('f8') / 2).run()), np.arange(1, 4) / 2)


def test_whole_ranges():
    for code, low, high in (('i8', -2 ** 63, 2 ** 63), ('u8', 0, 2 ** 64), ('u1', 0, 256), ('i2', -2 ** 15, 2 ** 15)):
        drawn = np.asarray(Acc.random_integers(4096, low, high, code).run())
        assert drawn.dtype == np.dtype(code) and float(drawn.max()) - float(drawn.min()) > 0.98 * float(high - low), code
        assert np.array_equal(drawn, np.asarray(Acc.random_integers(4096, low, high - 1, code, endpoint=True).run()))
    raised(lambda: Acc.random_integers(3, 3, 3), ValueError)


def test_truth_value():
    xs = Acc.use(np.arange(4, dtype='f4'))
    raised(lambda: xs.map(lambda x: x if x > 1 else -x), TypeError)


def test_names_what_was_called():
    rows = Acc.use(np.zeros((3, 4), 'f4'))
    for name, build in {'transpose': lambda: rows.transpose(), 'transpose_on': lambda: rows.transpose(0, 1),
                        'reverse': lambda: rows.reverse(), 'reverse_on': lambda: rows.reverse(0), 'tail': lambda: rows.tail(),
                        'concat': lambda: rows.concat(rows), 'concat_on': lambda: rows.concat(rows, 0), 'fft': lambda: rows.fft(),
                        'ifft': lambda: rows.ifft(-1), 'fft_on': lambda: rows.fft(0)}.items():
        text = build().to_string()
        assert text.startswith(f'<{name.removeprefix("i")}:'), (name, text)


def test_missing_file():
    raised(lambda: Acc.open_source('/nonexistent/file.png'), GLib.Error)


if __name__ == '__main__':
    check.main(sys.modules['__main__'])
