# SPDX-License-Identifier: LGPL-2.1-or-later
"""Producers of sequences that are written in Python."""

import subprocess
import sys
import threading

import check
import numpy as np
from gi.repository import Acc, Gio, GLib


class Steps(Acc.SequenceProducer):
    """Vectors of 0, 1, 2 … numbers, as many at a time as are wanted."""

    def __init__(self, n):
        super().__init__(element_type=Acc.ElementType.parse('i4'), rank=1, length=n)
        self.n, self.at, self.threads = n, 0, set()

    def do_read(self, max_elements, max_values, cancellable):
        self.threads.add(threading.get_ident())
        lengths = []
        while len(lengths) < max_elements and self.at < self.n and (not lengths or sum(lengths) + self.at <= max_values):
            lengths.append(self.at)
            self.at += 1
        if not lengths:
            return None
        values = np.concatenate([np.arange(n, dtype='i4') for n in lengths])
        return Acc.NestedArray.from_lengths(values, np.array(lengths))

    def do_rewind(self):
        self.at = 0

    def do_describe(self, element):
        return f'step {element}'


class Frames(Acc.SequenceProducer):
    """Two pictures, then what @last does."""

    def __init__(self, last):
        super().__init__(element_type=Acc.ElementType.parse('u1'), shape=Acc.Shape.new([2, 3]))
        self.last, self.calls = last, 0

    def do_read(self, max_elements, max_values, cancellable):
        self.calls += 1
        return np.full((1, 2, 3), self.calls, 'u1') if self.calls < 3 else self.last()


class Descendant(Frames):
    """Of a class that has do_read already."""


def read_all(producer, max_elements=100, max_values=1000):
    found = []
    while True:
        chunk = producer.read(max_elements, max_values, None)
        if chunk is None:
            return found
        assert chunk.is_manifest() and len(chunk) <= max_elements
        found += chunk.to_list()


def error_of(function):
    try:
        function()
    except GLib.Error as error:
        return error
    raise AssertionError('no error')


def test_walks():
    producer = Steps(9)
    want = [list(range(n)) for n in range(9)]
    for max_elements, max_values in ((1, 1), (2, 1000), (7, 3), (100, 1000)):
        assert read_all(producer, max_elements, max_values) == want
        producer.rewind()
    assert (producer.get_length(), producer.get_rank(), producer.get_shape()) == (9, 1, None)
    assert producer.describe(4) == 'step 4'


def test_other_thread():
    producer, found = Steps(5), []
    thread = threading.Thread(target=lambda: found.extend(read_all(producer)))
    thread.start()
    thread.join()
    assert found == [list(range(n)) for n in range(5)]
    assert producer.threads and threading.get_ident() not in producer.threads


def test_arrays_are_taken():
    producer = Frames(lambda: None)
    assert read_all(producer) == [[[n] * 3] * 2 for n in (1, 2)]
    assert producer.get_rank() == 2 and producer.describe(0) is None


def test_exceptions_end_nothing():
    def breaks():
        raise ValueError('the camera is gone')

    for kind in (Frames, Descendant):
        producer = kind(breaks)
        assert len([producer.read(9, 99, None) for _ in range(2)]) == 2
        error = error_of(lambda: producer.read(9, 99, None))
        assert error.matches(Acc.error_quark(), Acc.Error.CALLBACK), error
        assert 'do_read' in error.message and 'ValueError: the camera is gone' in error.message, error.message


def test_an_interrupt_ends_nothing():
    def breaks():
        raise KeyboardInterrupt

    assert 'KeyboardInterrupt' in error_of(lambda: read_all(Frames(breaks))).message


def test_errors_are_kept():
    def breaks():
        raise GLib.Error('no light', 'camera', 7)

    error = error_of(lambda: read_all(Frames(breaks)))
    assert (error.message, error.domain, error.code) == ('element 2: no light', 'camera', 7)


def test_mistakes():
    error = error_of(lambda: read_all(Frames(lambda: np.zeros((1, 2, 4), 'u1'))))
    assert error.matches(Acc.error_quark(), Acc.Error.CALLBACK) and 'element 2' in error.message and '[2,3]' in error.message
    error = error_of(lambda: read_all(Frames(lambda: np.zeros((1, 2, 3), 'i4'))))
    assert 'of i4, not of u1' in error.message, error.message
    error = error_of(lambda: read_all(Frames(lambda: object())))
    assert error.matches(Acc.error_quark(), Acc.Error.CALLBACK), error


def test_walked_once():
    producer = Frames(lambda: None)
    producer.rewind()
    read_all(producer)
    assert 'can be walked only once' in error_of(producer.rewind).message


def test_cancelled():
    cancellable = Gio.Cancellable()
    cancellable.cancel()
    assert error_of(lambda: Steps(3).read(1, 1, cancellable)).matches(Gio.io_error_quark(), Gio.IOErrorEnum.CANCELLED)


def test_left_at_the_end():
    """Python ends while other threads call it."""
    program = """import sys, time
import gi
gi.require_version('Acc', '1')
from gi.repository import Acc
import numpy as np


class Numbers(Acc.SequenceProducer):
    begun = 0

    def __init__(self):
        super().__init__(element_type=Acc.ElementType.parse('f8'), rank=0)

    def do_read(self, max_elements, max_values, cancellable):
        Numbers.begun += 1
        time.sleep(0.001)
        return np.full(10, sum(range(1000)) / 2)


backend = Acc.Backend.get_default()
add = lambda x, y: x.zip_with(y, lambda a, b: a + b)
for _ in range(3):
    backend.run_async(Acc.Sequence.from_producer(Numbers()).fold(None, add), None, None)
while Numbers.begun < 20:
    time.sleep(0.001)
if sys.argv[1] == 'exit':
    sys.exit(3)
if sys.argv[1] == 'fail':
    raise ValueError('the end')
"""
    for how, code in (('end', 0), ('exit', 3), ('fail', 1)) * 2:
        done = subprocess.run([sys.executable, '-c', program, how], stderr=subprocess.PIPE, text=True, timeout=60)
        assert done.returncode == code and ('the end' in done.stderr) == (how == 'fail'), (how, done)


if __name__ == '__main__':
    check.main(sys.modules['__main__'])
