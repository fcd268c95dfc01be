# SPDX-License-Identifier: LGPL-2.1-or-later
"""Sequences from Python."""

import asyncio
import functools
import gc
import itertools
import os
import pathlib
import subprocess
import sys
import tempfile
import threading

import check
import numpy as np
from gi.repository import Acc, Gio, GLib


def add(x, y):
    return x + y


def total(row):
    return row.fold(0, add)


def rows_of(n):
    """[], [1], [2, 2] …"""
    return [np.full(k, k) for k in range(n)]


def lists_of(n):
    return [[k] * k for k in range(n)]


def fails(make, code, text=''):
    try:
        make()
    except GLib.Error as error:
        assert error.matches(Acc.error_quark(), code), error
        assert text in error.message, error.message
        return
    raise AssertionError('no error')


def raises(make, kind, text=''):
    try:
        make()
    except kind as error:
        assert text in str(error), error
        return
    raise AssertionError('no exception')


def test_what_is_known():
    rows = Acc.Sequence.from_array(np.arange(12).reshape(4, 3))
    assert (rows.dtype, rows.ndim, rows.shape, rows.length, len(rows)) == ('i8', 1, (3,), 4, 4)
    assert repr(rows) == '<Acc.Sequence i8 of shape (3,), 4 elements>'
    nested = Acc.Sequence.from_nested(Acc.NestedArray.from_lengths(np.arange(3.), np.array([1, 2])).run())
    assert (nested.dtype, nested.ndim, nested.shape) == ('f8', 1, None)
    endless = Acc.Sequence.generate(None, lambda k: k).named('numbers')
    assert endless.length is None and repr(endless) == '<Acc.Sequence “numbers” i8 of shape ()>', repr(endless)
    raises(lambda: len(endless), TypeError, 'not known')
    raises(lambda: Acc.Sequence.from_array(np.float32(1)), GLib.Error, 'rank 0')


def test_functions_of_elements():
    rows = Acc.Sequence.from_iterable(rows_of(9))
    lists = lists_of(9)
    assert rows.to_list() == lists and rows.to_list() == lists
    assert rows.map(lambda row: row.map(lambda x: x * 2).concat(row)).to_list() == [[2 * k] * k + [k] * k for k in range(9)]
    assert rows.imap(lambda k, row: row.map(lambda x: x * 10 + k[()])).to_list() == [[11 * k] * k for k in range(9)]
    other = Acc.Sequence.generate(5, lambda k: Acc.fill(2, k[()]))
    assert rows.zip_with(other, lambda x, y: x.concat(y)).to_list() == [[k] * (k + 2) for k in range(5)]
    assert rows.zip_with(other, rows, lambda x, y, z: z.concat(y)).to_list() == [[k] * (k + 2) for k in range(5)]
    for n in range(2, 10):
        others = [rows.drop(k).map(lambda row, k=k: row.map(lambda x: x + 10 ** k)) for k in range(1, n)]
        joined = rows.zip_with(*others, lambda *parts: functools.reduce(lambda x, y: y.concat(x), parts))
        assert joined.to_list() == [[k + j + 10 ** j for j in range(n - 1, 0, -1) for _ in range(k + j)] + [k] * k for k in range(9 - n + 1)], n
    assert rows.filter(lambda row: total(row).map(lambda n: n % 2 == 0)).to_list() == [[k] * k for k in range(9) if k * k % 2 == 0]
    assert rows.take_while(lambda row: total(row).map(lambda n: n < 20)).to_list() == lists[:5]
    assert rows.scan(0, lambda state, row: state.zip_with(total(row), add)).to_list() == np.cumsum([k * k for k in range(9)]).tolist()
    assert rows.concat(rows.take(2)).to_list() == lists + lists[:2]
    assert rows.map(lambda row: Acc.fill(3, total(row)[()])).batch(4).to_list() == [
        [[k * k] * 3 for k in range(start, min(start + 4, 9))] for start in (0, 4, 8)]
    assert rows.expand().to_list() == [k for k in range(9) for _ in range(k)]
    raises(lambda: rows.map(lambda row: 1 / 0), ZeroDivisionError)
    raises(lambda: rows.map(lambda row: row.map(lambda x: missing)), NameError)  # noqa: F821
    fails(lambda: rows.filter(lambda row: row), Acc.Error.TYPE)
    fails(lambda: rows.batch(0), Acc.Error.SHAPE)
    fails(lambda: rows.expand().expand(), Acc.Error.SHAPE)
    fails(lambda: rows.concat(other.expand()), Acc.Error.SHAPE)


def test_arrays_of_sequences():
    rows = Acc.Sequence.from_iterable(rows_of(6))
    assert np.asarray(rows.elements()).tolist() == [k for k in range(6) for _ in range(k)]
    assert np.asarray(rows.lengths()).tolist() == list(range(6))
    assert int(rows.count()) == 6 and np.asarray(rows.last()).tolist() == [5] * 5
    assert np.asarray(rows.fold(None, lambda x, y: x.concat(y))).tolist() == [k for k in range(6) for _ in range(k)]
    assert np.asarray(rows.fold([9, 9], lambda x, y: x.concat(y))).tolist() == [9, 9] + [k for k in range(6) for _ in range(k)]
    sums = rows.map(total)
    assert int(sums.fold(0, lambda x, y: x.zip_with(y, add))) == 55 and np.asarray(sums.stack()).tolist() == [k * k for k in range(6)]
    assert float(rows.map(lambda row: total(row).map(lambda n: n.cast('f4'))).fold(1, lambda x, y: x.zip_with(y, add))) == 56
    none = rows.take(0)
    assert int(none.count()) == 0 and none.to_list() == [] and np.asarray(none.elements()).shape == (0,)
    assert np.asarray(none.last([1, 2])).tolist() == [1, 2]
    fails(lambda: none.last().run(), Acc.Error.SHAPE)
    fails(lambda: none.fold(None, lambda x, y: x).run(), Acc.Error.SHAPE)
    fails(lambda: rows.stack().run(), Acc.Error.SHAPE)
    fails(lambda: rows.fold(0, lambda x, y: x), Acc.Error.SHAPE)
    fails(lambda: rows.last(np.zeros(2, 'f4')), Acc.Error.TYPE)
    # One walk for all.
    walks = []

    def elements():
        walks.append(1)
        yield from rows_of(6)

    again = Acc.Sequence.from_iterable(elements, 'i8', 1)
    last, count = Acc.Backend.get_default().run_many([again.last(), again.map(total).count()], None)
    assert last.run().shape == (5,) and int(count) == 6 and len(walks) == 1


def test_parts():
    rows = Acc.Sequence.from_iterable(rows_of(7))
    lists = lists_of(7)
    for part in (slice(None), slice(2, None), slice(None, 3), slice(2, 5), slice(5, 2), slice(0, 99), slice(-3, None), slice(1, -2), slice(-99, 2)):
        assert rows[part].to_list() == lists[part], part
    assert np.asarray(rows[4]).tolist() == [4] * 4 and np.asarray(rows[-1]).tolist() == [6] * 6
    for index in (7, -8):
        raises(lambda: rows[index], IndexError)
    raises(lambda: rows[::2], ValueError)
    raises(lambda: rows['a'], TypeError)
    made = Acc.Sequence.generate(3, lambda k: Acc.fill(k[()], k[()]))
    assert made[:9].to_list() == lists[:3] and made[1:].to_list() == lists[1:3] and made[3:].to_list() == [] and int(made[1:].count()) == 2
    endless = Acc.Sequence.generate(None, lambda k: k)
    assert endless[3:6].to_list() == [3, 4, 5] and int(endless[1000]) == 1000
    for index in (-1, slice(-2, None), slice(0, -1)):
        raises(lambda: endless[index], IndexError, 'not known')
    fails(lambda: endless.take_while(lambda k: k.map(lambda n: n < 3))[4].run(), Acc.Error.SHAPE)


def test_generators():
    def frames(n, height=2):
        for k in range(n):
            yield np.full((height, 3), k, 'f4')

    film = Acc.Sequence.from_iterable(frames(5))
    assert (film.dtype, film.ndim, film.shape, film.length) == ('f4', 2, None, None)
    assert np.asarray(film.fold(None, lambda x, y: x.zip_with(y, add))).tolist() == [[10] * 3] * 2
    fails(lambda: film.count().run(), Acc.Error.STREAM, 'only once')
    film = Acc.Sequence.from_iterable(frames(5), shape=(2, 3))
    assert film.shape == (2, 3) and np.asarray(film.stack()).tolist() == [[[k] * 3] * 2 for k in range(5)]
    film = Acc.Sequence.from_iterable(lambda: frames(3), 'f4', 2)
    assert film.to_list() == film.to_list() == [[[k] * 3] * 2 for k in range(3)]
    film = Acc.Sequence.from_iterable(lambda: frames(3))
    assert film.to_list() == film.to_list() == [[[k] * 3] * 2 for k in range(3)]
    none = Acc.Sequence.from_iterable(lambda: frames(0), 'f4', 2)
    assert none.to_list() == [] and int(none.count()) == 0
    raises(lambda: Acc.Sequence.from_iterable(frames(0)), ValueError, 'give dtype')
    raises(lambda: Acc.Sequence.from_iterable(7), TypeError)


def test_what_elements_may_be():
    assert Acc.Sequence.from_iterable([[1, 2], [], [3]], 'f4', 1).to_list() == [[1, 2], [], [3]]
    assert Acc.Sequence.from_iterable(iter([1., 2.5])).to_list() == [1, 2.5]
    assert Acc.Sequence.from_iterable(range(1000)).map(lambda k: k.map(lambda n: n * n)).to_list() == [k * k for k in range(1000)]
    assert Acc.Sequence.from_iterable(Acc.use(np.arange(k)) for k in range(1, 4)).to_list() == [[0], [0, 1], [0, 1, 2]]
    assert Acc.Sequence.from_iterable(Acc.use(np.arange(k)).map(lambda x: x + 1) for k in range(1, 4)).to_list() == [[1], [1, 2], [1, 2, 3]]
    assert Acc.Sequence.from_iterable([np.zeros((2, 0, 3)), np.ones((1, 2, 1)), np.zeros((0, 1, 1))]).to_list() == [[[], []], [[[1], [1]]], []]
    assert Acc.Sequence.from_iterable([np.array([[1, 2], [3, 4]], 'f8').T]).to_list() == [[[1, 3], [2, 4]]]
    pairs = np.array([(1, 2.5), (3, 4.5)], [('number', 'i4'), ('weight', 'f8')])
    walked = Acc.Sequence.from_iterable([pairs, pairs[:1], pairs[:0]])
    assert walked.dtype == '(i4,f8)'
    assert walked.map(lambda p: p.map(lambda p: p[0].cast('f8') + p[1])).to_list() == [[3.5, 7.5], [3.5], []]
    assert Acc.Sequence.from_iterable([pairs[0], pairs[1]]).map(lambda p: p.map(lambda p: p[0])).to_list() == [1, 3]
    vectors = Acc.Sequence.from_iterable([np.ones((2, 4), 'f4'), np.zeros((1, 4), 'f4')], '4f4', 1)
    assert vectors.dtype == '4f4' and vectors.map(lambda v: v.map(lambda v: v[0] + v[3])).to_list() == [[2, 2], [0]]
    assert Acc.Sequence.from_iterable([np.arange(2, dtype='>f4'), np.arange(1, dtype='f4')]).to_list() == [[0, 1], [0]]
    words = Acc.Sequence.from_iterable(np.array(list(word)) for word in ('ab', 'c'))
    assert words.dtype == 'u4' and words.to_list() == [[97, 98], [99]]
    assert Acc.Sequence.from_iterable([np.array([True, False]), np.array([], '?')]).to_list() == [[True, False], []]
    assert Acc.Sequence.from_iterable([np.array([1 + 2j])]).map(lambda v: v.map(lambda z: z.imag)).to_list() == [[2]]


def test_errors_of_generators():
    def breaks(after):
        for k in range(after):
            yield np.full(k, k)
        raise ValueError('the camera is gone')

    for after in (1, 4, 1000):
        walked = Acc.Sequence.from_iterable(breaks(after)).named('camera')
        fails(lambda: walked.map(total).fold(0, lambda x, y: x.zip_with(y, add)).run(), Acc.Error.CALLBACK, f'element {after}: ValueError: the camera is gone')
    raises(lambda: Acc.Sequence.from_iterable(breaks(0)), ValueError, 'the camera is gone')
    # What is taken before the error is there.
    assert Acc.Sequence.from_iterable(breaks(4)).take(3).to_list() == lists_of(3)

    def own():
        yield np.zeros(1)
        raise GLib.Error('no light', 'camera', 7)

    try:
        Acc.Sequence.from_iterable(own()).count().run()
        assert False
    except GLib.Error as error:
        assert error.domain == 'camera' and error.code == 7 and 'no light' in error.message
    for odd, text in ((np.zeros(2, 'f4'), 'float32'), (np.zeros((1, 1)), 'rank 1'), ('text', ''), (None, '')):
        fails(lambda: Acc.Sequence.from_iterable([np.zeros(1), odd]).count().run(), Acc.Error.CALLBACK, text)
    fails(lambda: Acc.Sequence.from_iterable([np.zeros(2), np.zeros(3)], shape=2).count().run(), Acc.Error.CALLBACK, '(3,)')


def test_elements_before_a_failure():
    def breaks():
        for k in range(5):
            yield np.arange(k)
        raise ValueError('no sixth')

    found, walked = [], Acc.Sequence.from_iterable(breaks, 'i8', 1)
    for _ in range(2):
        try:
            for row in walked:
                found.append(np.asarray(row).tolist())
            assert False
        except GLib.Error as error:
            assert 'element 5: ValueError: no sixth' in error.message, error
    assert found == 2 * [list(range(k)) for k in range(5)]
    fails(lambda: Acc.Sequence.from_iterable([np.zeros(1), None]).count().run(), Acc.Error.CALLBACK, 'element 1: TypeError: None')
    for wrong in (lambda: Acc.Sequence.generate(-2, lambda k: k), lambda: setattr(walked, 'latency', -1)):
        try:
            wrong()
            assert False
        except ValueError:
            pass


def test_constants():
    """Elements that are all one array, of which only some are left."""
    some = np.array([3, -1])
    for n in (1, 2, 5, 17):
        alike = Acc.Sequence.from_array(np.arange(n)).map(lambda x: Acc.use(some))
        assert alike.filter(lambda x: total(x).map(lambda s: s < 0)).to_list() == []
        assert alike.filter(lambda x: total(x).map(lambda s: s > 0)).to_list() == [[3, -1]] * n
        assert list(alike.concat(alike[:1]).fold(None, lambda x, y: x.concat(y)).run()) == [3, -1] * (n + 1)
    states = Acc.Sequence.from_array(np.array([-17])).scan(5, lambda state, x: state.zip_with(x, lambda a, b: a - 2 * b))
    assert states.to_list() == [39] and states.filter(lambda x: x.map(lambda n: n % 2 == 0)).to_list() == []
    nested = Acc.NestedArray.from_list([[1], [2], [3]]).filter(lambda row: total(row).map(lambda s: s > 1)).map(lambda row: Acc.use(some))
    assert Acc.Sequence.from_nested(nested).to_list() == [[3, -1]] * 2


def test_states_of_elements():
    """A float of Python is one of those that elements have; a function that returns nothing is told so."""
    rows = Acc.Sequence.from_array(np.arange(6, dtype='f4').reshape(3, 2))
    assert np.asarray(rows.scan(0., lambda state, row: state.zip_with(row.fold(0., add), add)).stack()).tolist() == [1, 6, 15]
    assert rows.scan(np.zeros(2), lambda state, row: state.zip_with(row, lambda a, b: a + b.cast('f8'))).dtype == 'f8'
    for wrong in (lambda: rows.map(lambda row: None), lambda: Acc.NestedArray.from_list([[1]]).map(lambda row: None)):
        try:
            wrong()
            assert False
        except TypeError as error:
            assert 'None is no array' in str(error), error


def test_producers():
    class Countdown(Acc.SequenceProducer):
        def __init__(self, n):
            super().__init__(element_type=Acc.ElementType.parse('i4'), rank=1)
            self.first = self.n = n

        def do_read(self, max_elements, max_values, cancellable):
            self.n -= 1
            return np.full((1, self.n), self.n, 'i4') if self.n >= 0 else None

        def do_rewind(self):
            self.n = self.first

    walked = Acc.Sequence.from_producer(Countdown(5))
    for _ in range(2):
        assert walked.to_list() == lists_of(5)[::-1]
    gc.collect()
    assert walked.map(total).to_list() == [16, 9, 4, 1, 0]


def test_garbage_while_walking():
    """A walk on another thread, while this one collects what it leaves behind."""
    loop, found = GLib.MainLoop(), []

    def elements():
        for k in range(300):
            if k % 50 == 0:
                gc.collect()
            yield np.arange(k % 7)

    def made():
        walked = Acc.Sequence.from_iterable(elements())
        return walked.map(lambda row: row.map(lambda x: x + 1)).map(total).fold(0, lambda x, y: x.zip_with(y, add))

    def done(backend, result):
        try:
            found.append(int(backend.run_finish(result)))
        except GLib.Error as error:
            found.append(error)
        if len(found) == 4:
            loop.quit()

    backend = Acc.Backend.get_default()
    for _ in range(4):
        backend.run_async(made(), None, done)
    GLib.timeout_add(1, lambda: [gc.collect(), len(found) < 4][-1])
    GLib.timeout_add_seconds(60, loop.quit)
    loop.run()
    assert found == [sum(n * (n + 1) // 2 for n in (k % 7 for k in range(300)))] * 4, found


def test_cancelled():
    cancellable = Gio.Cancellable()

    def elements():
        for k in itertools.count():
            if k == 1000:
                cancellable.cancel()
            yield np.zeros(3)

    walked = Acc.Sequence.from_iterable(elements, 'f8', 1)
    try:
        Acc.Backend.get_default().run(walked.count(), cancellable)
        assert False
    except GLib.Error as error:
        assert error.matches(Gio.io_error_quark(), Gio.IOErrorEnum.CANCELLED), error


def test_cancelled_while_a_producer_waits():
    """A walk does not wait for a generator that does not return; the next walk of it does."""
    entered, leave = threading.Event(), threading.Event()

    def waits():
        entered.set()
        leave.wait()
        yield np.arange(3)

    walked, cancellable = Acc.Sequence.from_iterable(waits, 'i8', 1), Gio.Cancellable()
    threading.Thread(target=lambda: (entered.wait(), cancellable.cancel())).start()
    for array in (walked.elements(), walked.take(1).elements()):
        try:
            Acc.Backend.get_default().run(array, cancellable)
            assert False
        except GLib.Error as error:
            assert error.matches(Gio.io_error_quark(), Gio.IOErrorEnum.CANCELLED), error
    assert not leave.is_set()
    leave.set()
    assert list(walked.elements().run()) == [0, 1, 2]


def test_iteration():
    rows = Acc.Sequence.from_iterable(rows_of(6))
    for _ in range(2):
        assert [np.asarray(row).tolist() for row in rows] == lists_of(6)
    taken, pulled = [], []

    def elements():
        for k in itertools.count():
            pulled.append(k)
            yield np.full(k % 3, k)

    for row in Acc.Sequence.from_iterable(elements, 'i8', 1).map(lambda row: row.map(lambda x: x + 1)):
        assert row.is_manifest()
        taken.append(np.asarray(row).tolist())
        if len(taken) == 5:
            break
    assert taken == [[k + 1] * (k % 3) for k in range(5)] and len(pulled) < 1 << 20
    iterator = rows[1:3].iterate(Acc.Backend.new_for_name('interpreter'))
    assert [np.asarray(next(iterator)).tolist() for _ in range(2)] == [[1], [2, 2]]
    for _ in range(2):
        raises(lambda: next(iterator), StopIteration)
    left = rows.iterate()
    next(left)
    fails(lambda: rows.count().run(), Acc.Error.STREAM, 'being walked')
    left.close()
    raises(lambda: next(left), StopIteration)
    assert int(rows.count()) == 6
    assert list(rows.take(0)) == [] and len(list(Acc.Sequence.generate(None, lambda k: k).take(7))) == 7
    assert np.asarray(Acc.Sequence.from_array(np.arange(6).reshape(3, 2))).tolist() == [[0, 1], [2, 3], [4, 5]]

    def breaks():
        yield np.zeros(1)
        yield np.zeros(2)
        raise ValueError('the camera is gone')

    def walk():
        for row in Acc.Sequence.from_iterable(breaks, 'f8', 1):
            found.append(len(row))

    found = []
    fails(walk, Acc.Error.CALLBACK, 'the camera is gone')


def test_left_at_the_end():
    """Python ends while a walk reads ahead."""
    program = """import gi, itertools
gi.require_version('Acc', '1')
from gi.repository import Acc
import numpy as np
iterator = Acc.Sequence.from_iterable(lambda: (np.full(k % 3, k) for k in itertools.count()), 'i8', 1).iterate()
next(iterator)
"""
    for _ in range(3):
        subprocess.run([sys.executable, '-c', program], check=True, timeout=60)


def test_asynchronous_iteration():
    async def walk(sequence):
        return [np.asarray(row).tolist() async for row in sequence]

    async def both():
        return await asyncio.gather(walk(Acc.Sequence.from_iterable(rows_of(6))), walk(Acc.Sequence.generate(4, lambda k: k)))

    assert asyncio.run(both()) == [lists_of(6), [0, 1, 2, 3]]

    async def forever():
        await asyncio.wait_for(walk(Acc.Sequence.generate(None, lambda k: k)), 0.2)

    raises(lambda: asyncio.run(forever()), asyncio.TimeoutError)

    def breaks():
        yield np.zeros(1)
        raise ValueError('the camera is gone')

    fails(lambda: asyncio.run(walk(Acc.Sequence.from_iterable(breaks, 'f8', 1))), Acc.Error.CALLBACK, 'the camera is gone')


def test_files():
    with tempfile.TemporaryDirectory() as folder:
        path = pathlib.Path(folder, 'words')
        path.write_bytes(b'one\r\ntwo\n\nthree')
        lines = Acc.Sequence.open_lines(path)
        for _ in range(2):
            assert [bytes(line) for line in lines.to_list()] == [b'one', b'two', b'', b'three']
        assert lines.dtype == 'u1' and [bytes(part) for part in Acc.Sequence.open_delimited(path, 't').to_list()] == [b'one\r\n', b'wo\n\n', b'hree']
        records = np.arange(12, dtype='i4').reshape(3, 4)
        path.write_bytes(records.tobytes())
        assert Acc.Sequence.open_records(str(path), 'i4', 4).to_list() == records.tolist()
        assert Acc.Sequence.open_records(path, 'i4').to_list() == list(range(12))
        fails(lambda: Acc.Sequence.open_records(path, 'i4', 5).count().run(), Acc.Error.IO)
        raises(lambda: Acc.Sequence.open_lines(pathlib.Path(folder, 'none')), GLib.Error)

        # Each element into a file, and back
        pictures = [np.full((k + 1, 3), k, 'u1') for k in range(5)]
        doubled = Acc.Sequence.from_arrays(pictures).map(lambda picture: picture.map(lambda x: x * 2))
        doubled.write_each(lambda k: None if k == 3 else pathlib.Path(folder, f'{k}.npy'))
        paths = sorted(pathlib.Path(folder).glob('*.npy'))
        assert [path.name for path in paths] == ['0.npy', '1.npy', '2.npy', '4.npy']
        assert Acc.Sequence.open_files(paths).to_list() == [(2 * pictures[k]).tolist() for k in (0, 1, 2, 4)]
        assert np.load(paths[3]).tolist() == (2 * pictures[4]).tolist()

        def breaks(k):
            if k == 1:
                raise ValueError('no such place')
            return pathlib.Path(folder, f'again-{k}.npy')

        raises(lambda: doubled.write_each(breaks), ValueError, 'no such place')
        # What was to be written before is.
        large = Acc.Sequence.from_array(np.zeros((9, 100000)))
        raises(lambda: large.write_each(lambda k: pathlib.Path(folder, f'large-{k}.npy') if k < 4 else 1 // 0), ZeroDivisionError)
        assert sorted(name for name in os.listdir(folder) if name.startswith('large')) == [f'large-{k}.npy' for k in range(4)]
        raises(lambda: doubled.write_each(lambda k: pathlib.Path(folder, 'none', f'{k}.npy')), GLib.Error)
        raw = []
        for k in range(3):
            raw.append(pathlib.Path(folder, f'{k}.raw'))
            raw[-1].write_bytes(np.arange(2 * k, dtype='f4').tobytes())
        assert Acc.Sequence.open_files(raw, 'f4', (-1, 2)).to_list() == [np.arange(2. * k).reshape(k, 2).tolist() for k in range(3)]


def test_states():
    rng = np.random.default_rng(3)
    rows = rng.random((50, 4))
    moment, weights, expected = np.zeros(4), np.ones(4), []
    for row in rows:
        moment = 0.9 * moment + row
        weights = weights - 0.1 * moment
        expected.append(weights.sum() + len(expected))

    def step(moment, weights, count, row):
        moment = moment.zip_with(row, lambda m, x: 0.9 * m + x)
        weights = weights.zip_with(moment, lambda w, m: w - 0.1 * m)
        return moment, weights, count.map(lambda n: n + 1), total(weights).zip_with(count, lambda x, n: x + n.cast('f8'))

    found = Acc.Sequence.from_array(rows).scan((np.zeros(4), np.ones(4), 0), step)
    assert found.length == 50 and found.dtype == 'f8'
    assert np.allclose(np.asarray(found.stack()), expected)
    raises(lambda: Acc.Sequence.from_array(rows).scan((np.zeros(4),), lambda m, row: (m,)), GLib.Error, '1 arrays in place of 2')
    raises(lambda: Acc.Sequence.from_array(rows).scan((np.zeros(4), 1), lambda m, n, row: (n, m, row)), GLib.Error, 'from a state of')
    raises(lambda: Acc.Sequence.from_array(rows).scan((), lambda row: (row,)), GLib.Error, 'there are no states')
    raises(lambda: Acc.Sequence.from_array(rows).scan((0,), lambda n, row: [][1]), IndexError)


def finish(job, wanted=Acc.JobState.DONE):
    """Runs the main loop until the job has ended; what it notified."""
    loop, seen = GLib.MainLoop(), []
    job.connect('notify::elements-done', lambda job, _: seen.append(job.get_elements_done()))

    def ended(job, result):
        try:
            job.wait_finish(result)
        except GLib.Error:
            pass
        loop.quit()

    job.wait_async(None, ended)
    loop.run()
    assert job.get_state() == wanted, job.get_state()
    return seen


def test_progress():
    backend = Acc.Backend.get_default()
    rows = Acc.Sequence.from_iterable(lambda: (np.full(k % 5, k) for k in range(3000)), 'i8', 1)
    job = backend.start_run_many([rows.map(total).fold(None, lambda x, y: x.zip_with(y, add)), rows.count()], None)
    seen = finish(job)
    assert seen == sorted(seen) and len(set(seen)) == len(seen)
    assert [int(x[()]) for x in job.get_results()] == [sum(k % 5 * k for k in range(3000)), 3000]
    assert job.get_elements_done() == job.get_n_elements() == 3000 and job.get_fraction() == 1
    assert 'elements   3000 of 3000' in job.dup_report()
    job = backend.start_run(rows.map(lambda row: Acc.generate(1, lambda i: row[9])).count(), None)
    finish(job)  # counting computes no element
    broken = backend.start_run(rows.map(lambda row: Acc.generate(1, lambda i: row[i[0] + 9])).elements(), None)
    finish(broken, Acc.JobState.FAILED)
    assert not broken.get_results()

    iterator = rows[:100].iterate()
    job = iterator.get_job()
    assert sum(len(row) for row in iterator) == 200
    assert job.get_state() == Acc.JobState.DONE and job.get_elements_done() == 100

    class Steps(Acc.SequenceProducer):
        n = 0

        def do_read(self, max_elements, max_values, cancellable):
            self.n += 1
            self.set_fraction(self.n / 40)
            return Acc.NestedArray.from_regular(np.full((1, 2), self.n)) if self.n < 40 else None

    steps = Acc.Sequence.new(Steps(element_type=Acc.ElementType.parse('i8'), rank=1))
    fractions = []
    iterator = steps.iterate()
    for _ in iterator:
        fractions.append(iterator.get_job().get_fraction())
    assert fractions == sorted(fractions) and fractions[0] > 0 and len(set(fractions)) > 2, fractions

    with tempfile.TemporaryDirectory() as folder:
        job = rows[:5].start_write_each(lambda k: None if k == 3 else pathlib.Path(folder, f'{k}.npy'))
        finish(job)
        assert sorted(path.name for path in pathlib.Path(folder).iterdir()) == ['0.npy', '1.npy', '2.npy', '4.npy']
        assert job.get_elements_done() == 5
        # What the function raises is the error of the job, which ends; what was written before stays.
        for raised, words in ((lambda k: [pathlib.Path(folder, f'{9 + j}.npy') for j in range(3)][k], 'element 3: writing “nowhere”: IndexError: list index out of range'),
                              (lambda k: os.fspath(k), 'TypeError: '), (lambda k: sys.exit(k), 'SystemExit: 0'),
                              (lambda k: pathlib.Path(folder, 'none', 'at-all.npy'), 'there is no folder')):
            job = Acc.Sequence.generate(5, lambda k: k).start_write_each(raised)
            finish(job, Acc.JobState.FAILED)
            try:
                job.wait()
                assert False
            except GLib.Error as error:
                assert words in error.message, error.message
        assert sorted(int(path.stem) for path in pathlib.Path(folder).iterdir()) == [0, 1, 2, 4, 9, 10, 11]


def test_batches():
    numbers = Acc.Sequence.from_array(np.arange(9))

    def prefix(before, batch):
        sums = batch.scanl1(add)
        return before.zip_with(total(batch), add), sums.map(lambda x: x + before[()])

    assert numbers.map_batch(0, prefix).to_list() == np.cumsum(np.arange(9)).tolist()
    assert numbers.fold_batch(0, lambda before, batch: before.zip_with(total(batch), add)).item() == 36


def test_nested_batches():
    lists = [np.arange(k % 4, dtype='f8') + k for k in range(30)]
    rows = Acc.Sequence.from_iterable(lists)

    def place(before, some):
        lengths = some.lengths
        starts = lengths.scanl(0, add)
        moved = some.imap(lambda k, row: row.map(lambda x: x * 0 + (starts[k[()]] + before[()]).cast('f8')))
        return before.zip_with(lengths.fold(0, add), add), moved

    starts = np.cumsum([0] + [len(row) for row in lists])
    assert rows.map_batch_nested(0, place).to_list() == [[start] * len(row) for start, row in zip(starts, lists)]
    assert rows.fold_batch_nested(0, lambda longest, some: longest.zip_with(some.lengths.fold1(Acc.max), lambda x, y: x.max(y))).item() == 3
    some = rows.map_batch_nested(0, lambda state, some: (state, some.filter(lambda row: row.map(lambda x: 1).fold(0, add).map(lambda n: n > 2))))
    assert some.to_list() == [row.tolist() for row in lists if len(row) > 2]
    assert Acc.Sequence.from_array(np.arange(6).reshape(3, 2)).map_batch_nested(0, lambda state, some: (state, some.values)).to_list() == [
        [0, 1], [2, 3], [4, 5]]

    fails(lambda: rows.map_batch_nested(0, lambda state, some: (state.map(lambda x: x.cast('f8')), some)), Acc.Error.TYPE, 'sequence_map_batch_nested')
    fails(lambda: rows.fold_batch_nested(0, lambda state, some: some.lengths), Acc.Error.SHAPE, 'sequence_fold_batch_nested')
    quotient = rows.map_batch_nested(0, lambda state, some: (state, some.map(lambda row: row.map(lambda x: x.cast('i8').quot(x.cast('i8') - 9)))))
    fails(quotient.to_list, Acc.Error.ARITHMETIC, 'map_batch_nested of elements')
    for mistaken, raised in ((lambda state, some: None, TypeError), (lambda state, some: (state, some, some), ValueError)):
        try:
            rows.map_batch_nested(0, mistaken)
        except raised:
            continue
        raise AssertionError('a batch that is none')


def test_map_batches():
    lists = [np.arange(k % 4, dtype='f8') + k for k in range(30)]
    rows = Acc.Sequence.from_iterable(lists)

    assert rows.map_batches(4, lambda four: four.reverse()).to_list() == [
        row.tolist() for k in range(0, 30, 4) for row in lists[k:k + 4][::-1]]
    totals = rows.map_batches(7, lambda some: Acc.use(np.zeros(1)).map(lambda x: x + some.flatten().fold(0., add)[()]))
    assert totals.to_list() == [sum(row.sum() for row in lists[k:k + 7]) for k in range(0, 30, 7)]
    assert rows.map_batches(8, lambda some: some.lengths).to_list() == [len(row) for row in lists]

    fails(lambda: rows.map_batches(0, lambda some: some), Acc.Error.SHAPE, 'sequence_map_batches')
    pairs = rows.map_batches(2, lambda some: some.nest(Acc.fill((1,), 0).map(lambda x: Acc.Expr.extent(some.lengths, 0))))
    assert pairs.depth == 2 and pairs.to_list() == [[row.tolist() for row in lists[k:k + 2]] for k in range(0, 30, 2)]
    fails(lambda: rows.map_batches(2, lambda some: None), Acc.Error.CALLBACK, 'sequence_map_batches')
    fails(rows.map_batches(5, lambda some: some.map(lambda row: row.map(lambda x: x.cast('i8').quot(x.cast('i8') - 9)))).to_list,
          Acc.Error.ARITHMETIC, 'map_batches of elements')


def count(nested):
    return nested.lengths.map(lambda x: 1).fold(0, add)


def test_nested_elements():
    """Documents of sentences of words, of any of which there may be none."""
    lists = [[[1, 2], [3]], [], [[], [4, 5, 6], [7]], [[8]]] * 5
    documents = Acc.Sequence.from_nested(Acc.NestedArray.from_list(lists))
    one = Acc.NestedArray.from_list(lists[0])

    def longer(row):
        return row.map(lambda x: 1).fold(0, add).map(lambda n: n > 1)

    assert documents.depth == 2 and documents.ndim == 1 and documents.length == 20 and 'in 2 levels' in repr(documents)
    assert documents.to_list() == lists and [document.to_list() for document in documents] == lists
    assert documents[2].to_list() == lists[2] and documents.last_nested().to_list() == lists[-1]
    assert documents[20:].last_nested(one).to_list() == lists[0]
    reversed_lists = [part[::-1] for part in lists]
    assert documents.map_nested(lambda part: part.reverse()).to_list() == reversed_lists
    assert documents.map_nested(lambda part: part.filter(longer)).to_list() == [[row for row in part if len(row) > 1] for part in lists]
    assert documents.map_nested(count).to_list() == [len(part) for part in lists]
    assert documents.map_nested(lambda part: part.flatten()).to_list() == [sum(part, []) for part in lists]
    assert documents.imap_nested(lambda k, part: part.map(lambda row: row.map(lambda x: x + k[()]))).to_list() == [
        [[x + k for x in row] for row in part] for k, part in enumerate(lists)]
    assert documents.zip_with_nested(documents[1:], lambda x, y: x.concat(y)).to_list() == [x + y for x, y in zip(lists, lists[1:])]
    assert documents.izip_with_nested(documents[1:], lambda k, x, y: x.concat(y).map(lambda row: row.map(lambda x: x + k[()]))).to_list() == [
        [[x + k for x in row] for row in x + y] for k, (x, y) in enumerate(zip(lists, lists[1:]))]
    joined = documents.scan_nested(Acc.NestedArray.from_list(lists[0]), lambda all, part: part.concat(all))
    expected = lists[0]
    for one, part in zip(joined, lists):
        expected = part + expected
        assert one.to_list() == expected
    assert documents.scan_nested(0, lambda n, part: n.zip_with(count(part), lambda x, y: x + y)).to_list() == [
        sum(map(len, lists[:k + 1])) for k in range(len(lists))]
    earlier = documents.scan_nested((0, Acc.NestedArray.from_list(lists[0])), lambda n, before, part: (
        n.map(lambda x: x + 1), part, before.map(lambda row: row.map(lambda x: x + n[()]))))
    assert earlier.to_list() == [[[x + k for x in row] for row in part] for k, part in enumerate([lists[0]] + lists[:-1])]
    some = documents.filter_nested(lambda part: count(part).map(lambda n: n > 0))
    assert some.to_list() == [part for part in lists if part]
    assert documents.take_while_nested(lambda part: count(part).map(lambda n: n > 0)).to_list() == lists[:1]
    rows = documents.expand()
    flat = sum(lists, [])
    assert rows.depth == 1 and rows.to_list() == flat
    assert rows.batch_nested(4).to_list() == [flat[k:k + 4] for k in range(0, len(flat), 4)]
    deep = documents.batch_nested(3)
    assert deep.depth == 3 and deep.to_list() == [lists[k:k + 3] for k in range(0, 20, 3)] and [part.to_list() for part in deep] == deep.to_list()
    assert Acc.Sequence.generate_nested(3, lambda k: Acc.NestedArray.from_lengths(Acc.fill(k[()], k[()]), Acc.fill(1, k[()]))).to_list() == [
        [[k] * k] for k in range(3)]

    async def collect():
        return [part.to_list() async for part in documents.map_nested(lambda part: part.reverse())]

    assert asyncio.run(collect()) == reversed_lists

    fails(lambda: documents.map(lambda row: row), Acc.Error.SHAPE, 'map_nested')
    fails(lambda: documents.stack().run(), Acc.Error.SHAPE, 'to_nested')
    fails(lambda: documents.scan_nested(0, lambda n, part: part), Acc.Error.SHAPE, 'sequence_scan_nested')
    try:
        documents.map_nested(lambda part: 1 / 0)
    except ZeroDivisionError:
        pass
    else:
        raise AssertionError('an exception of a function of nested arrays')


def test_nested_elements_of_python():
    lists = [[[1, 2], [3]], [], [[], [4, 5, 6]], [[7]]] * 30
    made = [Acc.NestedArray.from_list(part or [[]], 'i8').take(len(part)) for part in lists]
    pictures = [Acc.NestedArray.from_arrays([np.full((k % 3, i), k) for i in range(1 + k % 2)]) for k in range(20)]

    again = Acc.Sequence.from_iterable(made)
    assert again.length == len(lists) and again.to_list() == lists == again.to_list()
    assert Acc.Sequence.from_iterable(iter(made)).map_nested(count).to_list() == [len(part) for part in lists]
    assert Acc.Sequence.from_iterable(pictures).to_list() == [part.to_list() for part in pictures]
    fails(Acc.Sequence.from_iterable([made[0], made[0].inner or made[0].map(lambda x: x.map(lambda y: y.cast('f4')))]).to_list,
          Acc.Error.CALLBACK, 'element 1')

    class Groups(Acc.SequenceProducer):
        def __init__(self):
            super().__init__(element_type=Acc.ElementType.parse('i8'), rank=1, depth=2)
            self.at = 0

        def do_read(self, max_elements, max_values, cancellable):
            self.at += 1
            return Acc.NestedArray.from_list([lists[self.at - 1] or [[0]]], 'i8') if self.at <= 4 else None

    assert Acc.Sequence.from_producer(Groups()).to_list() == [part or [[0]] for part in lists[:4]]


def test_windows():
    values = np.arange(10)
    assert Acc.Sequence.windows(values, 4, 2).to_list() == [values[k:k + 4].tolist() for k in (0, 2, 4, 6)]
    matrix = np.arange(24).reshape(4, 6)
    tiles = Acc.Sequence.windows(matrix, (2, 3))
    assert tiles.shape == (2, 3) and tiles.to_list() == [matrix[y:y + 2, x:x + 3].tolist() for y in (0, 2) for x in (0, 3)]
    assert Acc.Sequence.windows(Acc.use(matrix).map(lambda x: x + 1), (2, 3)).to_list() == [(matrix[y:y + 2, x:x + 3] + 1).tolist() for y in (0, 2) for x in (0, 3)]
    padded = np.pad(matrix, ((0, 0), (0, 2)), mode='edge')
    clamped = Acc.Sequence.windows(matrix, (4, 4), boundary=Acc.Boundary.CLAMP)
    assert clamped.to_list() == [padded[:, :4].tolist(), padded[:, 4:].tolist()]
    assert Acc.Sequence.windows(values, 4, boundary=-1).to_list()[-1] == [8, 9, -1, -1]
    fails(lambda: Acc.Sequence.windows(matrix, 3), Acc.Error.SHAPE)
    fails(lambda: Acc.Sequence.windows(values, 0), Acc.Error.SHAPE)


def test_windows_of_computed_sources():
    """What has no room in memory, and is column-major or computed, is put into a file first."""
    backend = Acc.Backend.get_default()
    limit = backend.get_memory_limit()
    random = np.random.default_rng(2)
    with tempfile.TemporaryDirectory() as folder:
        for extents, sizes in (((900, 1000), (90, 500)), ((120, 80, 90), (20, 40, 90)), ((7, 5), (3, 2))):
            whole = np.asfortranarray(random.integers(-9, 9, extents).astype('f8'))
            np.save(folder + '/columns.npy', whole)
            source = Acc.open_source(folder + '/columns.npy')
            counts = [extent // size for extent, size in zip(extents, sizes)]
            wanted = [whole[tuple(slice(i * n, (i + 1) * n) for i, n in zip(k, sizes))].sum() for k in np.ndindex(*counts)]
            for array, more in ((source, 0), (source.map(lambda x: x + 1), 1)):
                windows = Acc.Sequence.windows(array, sizes)
                assert windows.length == len(wanted)
                backend.set_memory_limit(4 << 20)
                try:
                    found = np.asarray(windows.map(lambda window: window.fold_all(0., add)).stack().run())
                finally:
                    backend.set_memory_limit(limit)
                assert np.array_equal(found, np.array(wanted) + more * np.prod(sizes)), (extents, more)


def test_nested_jobs():
    backend = Acc.Backend.get_default()
    lists = [np.arange(k % 5, dtype='f8') for k in range(2000)]
    rows = Acc.Sequence.from_iterable(lists)

    async def walk():
        job = backend.start_run_nested(rows.map(lambda row: row.reverse()).to_nested(), None)
        made = await job
        assert made.is_manifest() and made.to_list() == [row[::-1].tolist() for row in lists]
        assert job.get_elements_done() == 2000 and job.get_fraction() == 1
        count, = await backend.start_run(rows.count(), None)
        assert int(count) == 2000
        assert (await backend.start_run_nested(Acc.NestedArray.from_list([[[1.]], []]), None)).to_list() == [[[1.]], []]
        mistaken = Acc.NestedArray.new_from_lengths(Acc.use([1., 2.]), Acc.use([1., 1.]))
        for nested, code in ((mistaken, Acc.Error.TYPE), (rows.map(lambda row: Acc.generate(1, lambda i: row[i[0] + 4])).to_nested(), Acc.Error.BOUNDS)):
            job = backend.start_run_nested(nested, None)
            try:
                await job
            except GLib.Error as error:
                assert error.matches(Acc.error_quark(), code), error
                assert job.dup_nested() is None
                continue
            raise AssertionError('a job that fails')
        job = backend.start_run_nested(Acc.Sequence.generate(None, lambda k: Acc.fill(1, k[()])).to_nested(), None)
        try:
            await asyncio.wait_for(job, 0.1)
        except asyncio.TimeoutError:
            pass
        finish(job, Acc.JobState.CANCELLED)

    asyncio.run(walk())


def test_operators():
    """Of each element, with a sequence, a number or an array on either side."""
    frames = [np.arange(6.).reshape(2, 3) + k for k in range(3)]
    dark, sequence = np.array([[1., 0, 2], [3, 1, 1]]), Acc.Sequence.from_iterable(frames)
    for made, wanted in ((sequence - dark, [f - dark for f in frames]), (dark - sequence, [dark - f for f in frames]),
                         (Acc.use(dark) - sequence, [dark - f for f in frames]), (2 - sequence, [2 - f for f in frames]),
                         (sequence * np.float64(3), [f * 3 for f in frames]), (np.float64(3) * sequence, [f * 3 for f in frames]),
                         (sequence[1:] - sequence, [frames[1] - frames[0], frames[2] - frames[1]]), (abs(-sequence), frames),
                         (sequence > dark, [f > dark for f in frames]), (divmod(sequence, 2)[0], [f // 2 for f in frames]),
                         (sequence - sequence.map(lambda f: f.mean(None)), [f - f.mean() for f in frames])):
        assert made.to_list() == [w.tolist() for w in wanted]
    nested = Acc.Sequence.from_iterable([Acc.NestedArray.from_list([[1, 2], [3]]), Acc.NestedArray.from_list([[], [4]])])
    assert (10 - nested).to_list() == [[[9, 8], [7]], [[], [6]]] and (nested + nested).to_list() == [[[2, 4], [6]], [[], [8]]]
    assert (nested == nested) is True and (sequence == 3) is False
    for wrong in (lambda: sequence + None, lambda: Acc.NestedArray.from_list([[1.]]) - sequence):
        try:
            made = wrong()
        except TypeError:
            continue
        raise AssertionError(f'gave {made!r}')


if __name__ == '__main__':
    check.main(sys.modules['__main__'])
