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


def test_truth_value():
    xs = Acc.use(np.arange(4, dtype='f4'))
    raised(lambda: xs.map(lambda x: x if x > 1 else -x), TypeError)


def test_missing_file():
    raised(lambda: Acc.open_source('/nonexistent/file.png'), GLib.Error)


if __name__ == '__main__':
    check.main(sys.modules['__main__'])
