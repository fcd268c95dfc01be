# SPDX-License-Identifier: LGPL-2.1-or-later
"""Sources and sinks written in Python."""

import sys
import tempfile

import check
import numpy as np
from gi.repository import Acc, Gio, GLib


class Ramp(Acc.Source):
    """Rows of i, i + 1, i + 2 …"""

    def __init__(self, rows, columns, fail_at=None):
        super().__init__(element_type=Acc.ElementType.parse('i4'), shape=Acc.Shape.new([rows, columns]), name='ramp')
        self.columns, self.fail_at, self.calls = columns, fail_at, 0

    def do_read(self, chunk, cancellable):
        self.calls += 1
        first, n = chunk.get_first_row(), chunk.get_n_rows()
        if self.fail_at is not None and first + n > self.fail_at:
            raise GLib.Error('the ramp broke', 'ramp', 1)
        chunk.view(0, (self.columns,))[...] = np.arange(first, first + n, dtype='i4')[:, None] + np.arange(self.columns)
        return True


class Collect(Acc.Sink):
    def __init__(self):
        super().__init__(name='collect')
        self.rows, self.state = [], 'new'

    def do_start(self, element_type, shape, cancellable):
        self.shape, self.state = tuple(shape), 'started'
        return True

    def do_write(self, chunk, cancellable):
        self.rows.append(chunk.view(0, self.shape[1:]).copy())
        return True

    def do_commit(self, cancellable):
        self.state = 'committed'
        return True

    def do_abort(self):
        self.state = 'aborted'


def want(rows, columns):
    return np.arange(rows, dtype='i4')[:, None] + np.arange(columns, dtype='i4')


def test_stream_through_python():
    source, sink = Ramp(5000, 300), Collect()
    Acc.Array.new_from_source(source).map(lambda x: x * 2).write(sink)
    assert sink.state == 'committed'
    assert np.array_equal(np.concatenate(sink.rows), 2 * want(5000, 300))
    assert source.calls < 500


def test_several_sinks():
    source, sinks = Ramp(3000, 100), [Collect(), Collect()]
    array = Acc.Array.new_from_source(source)
    backend = Acc.Backend.get_default()
    once = [array.map(lambda x: x * 2), array.map(lambda x: x + 1)]
    array.write(Collect())
    calls, source.calls = source.calls, 0
    assert backend.write_many(once, sinks)
    assert source.calls <= calls + 1
    assert [sink.state for sink in sinks] == ['committed'] * 2
    assert np.array_equal(np.concatenate(sinks[0].rows), 2 * want(3000, 100))
    assert np.array_equal(np.concatenate(sinks[1].rows), want(3000, 100) + 1)
    try:
        backend.write_many(once, sinks[:1])
        raise SystemExit('a sink is missing')
    except GLib.Error as error:
        assert '2 arrays cannot be written to 1 sinks' in error.message
    job = backend.start_write_many(once, [Collect(), Collect()], None)
    assert job.wait()


class Known(Ramp):
    """A ramp that can be told from others."""

    def do_dup_identity(self):
        return f'a ramp of {self.columns} columns'


def test_ledger():
    with tempfile.TemporaryDirectory() as folder:
        ledger = Gio.File.new_for_path(f'{folder}/ledger')
        backend = Acc.Backend.get_default()
        try:
            broken = Acc.Array.new_from_source(Known(3000, 100, fail_at=2000)).map(lambda x: x * 2)
            backend.write_with_ledger(broken, Collect(), ledger)
            raise SystemExit('a ramp that breaks was written')
        except GLib.Error as error:
            assert 'the ramp broke' in error.message
        sink = Collect()
        assert backend.write_with_ledger(Acc.Array.new_from_source(Known(3000, 100)).map(lambda x: x * 2), sink, ledger)
        assert np.array_equal(np.concatenate(sink.rows), 2 * want(3000, 100))
        assert not ledger.query_exists(None)
        try:
            backend.write_with_ledger(Acc.Array.new_from_source(Ramp(300, 10)), Collect(), ledger)
            raise SystemExit('a source without an identity was taken')
        except GLib.Error as error:
            assert 'it cannot be told' in error.message


class Grow(Collect):
    def do_start_growing(self, element_type, row_shape, cancellable):
        assert element_type.get_code() == 'i4'
        self.shape, self.state = (0, *row_shape), 'growing'
        return True


def test_sink_that_grows():
    all_rows = want(3000, 100)
    for sink in (Grow(), Collect()):
        assert sink.can_grow() == isinstance(sink, Grow)
        kept, counts = Acc.Array.new_from_source(Ramp(3000, 100)).filter(lambda x: x % 3 == 0)
        kept.map(lambda x: x + 1).write(sink)
        assert sink.state == 'committed'
        assert np.array_equal(np.concatenate(sink.rows).ravel(), all_rows[all_rows % 3 == 0] + 1)


def test_program_of_a_source():
    source = Ramp(3000, 100)

    @Acc.program('i4[:,:]')
    def both(a):
        return a.map(lambda x: x * 2), a.map(lambda x: x.cast('i8')).sum_all()

    double, total = both(Acc.Array.new_from_source(source))
    assert np.array_equal(np.asarray(double), 2 * want(3000, 100))
    assert int(total) == int(want(3000, 100).astype('i8').sum())


def test_run_of_a_source():
    total = Acc.Array.new_from_source(Ramp(3000, 100)).map(lambda x: x.cast('i8')).fold_all(0, lambda a, b: a + b)
    assert int(total.run()) == int(want(3000, 100).astype('i8').sum())


def test_failure_aborts_the_sink():
    sink = Collect()
    try:
        Acc.Array.new_from_source(Ramp(5000, 300, fail_at=4000)).map(lambda x: x + 1).write(sink)
    except GLib.Error:
        pass
    else:
        raise AssertionError('no error')
    assert sink.state == 'aborted', sink.state


if __name__ == '__main__':
    check.main(sys.modules['__main__'])
