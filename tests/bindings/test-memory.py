# SPDX-License-Identifier: LGPL-2.1-or-later
"""A million expressions, constant memory."""

import gc
import sys

import check
import numpy as np
from gi.repository import Acc


def resident():
    with open('/proc/self/statm') as statm:
        return int(statm.read().split()[1]) * 4096


def grows(step, rounds):
    """Bytes by which the process grows over the later rounds of step."""
    for _ in range(rounds // 4):
        step()
    gc.collect()
    before = resident()
    for _ in range(rounds):
        step()
    gc.collect()
    return resident() - before


def test_expressions():
    xs = Acc.use(np.arange(4, dtype='f4'))

    def step():
        def function(x):
            for _ in range(50):
                x = x * 2 + 1
            return x
        xs.map(function)

    assert grows(step, 10_000) < 8 << 20


def test_arrays():
    def step():
        xs = Acc.use(np.zeros(1 << 16, dtype='f4'))
        xs.map(lambda x: x + 1).zip_with(xs, lambda a, b: a * b)

    assert grows(step, 1_000) < 8 << 20


def test_runs():
    def step():
        Acc.use(np.zeros(1 << 16, dtype='f4')).map(lambda x: x + 1).fold(0, lambda a, b: a + b).run()

    assert grows(step, 400) < 16 << 20


def test_loops_and_several_results():
    backend = Acc.Backend.get_default()

    def step():
        first, second = Acc.while_loop((Acc.use(np.zeros(1 << 16, dtype='f4')), Acc.use(np.array(0))),
                                       lambda x, n: n.map(lambda m: m < 2), lambda x, n: (x.map(lambda y: y + 1), n.map(lambda m: m + 1)))
        x, n = backend.run_many([first, second], None)
        assert x.get_double(0, 5) == 2 and n.get_int(0, 0) == 2

    assert grows(step, 400) < 16 << 20


def test_failing_callbacks():
    xs = Acc.use(np.arange(4, dtype='f4'))

    def step():
        try:
            xs.map(lambda x: (x + 1) / 0 + missing)  # noqa: F821
        except NameError:
            pass

    assert grows(step, 5_000) < 8 << 20


if __name__ == '__main__':
    check.main(sys.modules['__main__'])
