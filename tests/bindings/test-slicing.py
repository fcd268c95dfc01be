# SPDX-License-Identifier: LGPL-2.1-or-later
"""Parts of arrays that are not in memory, as NumPy writes and gives them: of known extents, of a program's arguments, and of files."""

import os
import random
import sys
import tempfile

import check
import numpy as np
from gi.repository import Acc, GLib

SHAPES = [(7,), (1,), (0,), (4, 5), (0, 3), (3, 1), (3, 4, 5), (2, 3, 0)]


def random_key(random, shape):
    def bound(extent):
        return random.choice([None, None, *range(-extent - 2, extent + 3)])

    key = []
    for extent in shape[:random.randint(0, len(shape))]:
        if extent and random.random() < 0.2:
            key.append(random.randrange(-extent, extent))
        else:
            key.append(slice(bound(extent), bound(extent), random.choice([None, 1, 2, 3, -1, -2])))
    if random.random() < 0.3:
        key.append(...)
    elif len(key) == len(shape) and random.random() < 0.2:
        key.insert(0, ...)
    if random.random() < 0.3:
        key.insert(random.randint(0, len(key)), None)
    if not any(entry is None or entry is ... or isinstance(entry, slice) for entry in key):
        key.append(...)
    return key[0] if len(key) == 1 else tuple(key)


def same(made, want):
    made = np.asarray(made)
    return made.shape == want.shape and made.dtype == want.dtype and (made == want).all()


def test_parts():
    generator = random.Random(4)
    for shape in SHAPES:
        values = np.arange(np.prod(shape), dtype='i4').reshape(shape)
        array = Acc.use(values) + 0
        for _ in range(60):
            key = random_key(generator, shape)
            assert same(array[key], values[key]), (shape, key)


def test_parts_of_arguments():
    generator = random.Random(5)
    for shape in SHAPES[:7]:
        values = np.arange(np.prod(shape), dtype='i4').reshape(shape)
        for _ in range(8):
            key = random_key(generator, shape)
            program = Acc.program(f'i4[{",".join(":" * len(shape))}]')(lambda a, key=key: a[key] * 2)
            assert same(program(values), (values * 2)[key]), (shape, key)


def computed(bound):
    """@bound as an array of one element that is not in memory, or as an expression of it."""
    if bound is None:
        return None
    one = Acc.unit(bound).map(lambda x: x)
    return one if bound % 2 else one[()]


def test_computed_bounds():
    values = np.arange(35, dtype='i4').reshape(5, 7)
    for array in (Acc.use(values), Acc.use(values) + 0):
        for step in (None, 2, -1, -3):
            for start in (None, -9, -2, 0, 3, 8):
                for stop in (None, -8, -1, 0, 4, 11):
                    key = slice(computed(start), computed(stop), step)
                    if start is None and stop is None:
                        continue
                    assert same(array[:, key].run(), values[:, start:stop:step]), (start, stop, step)
    rows = Acc.NestedArray.from_lengths(np.arange(10), [3, 0, 5, 2])
    assert rows.imap(lambda k, row: row[:k]).to_list() == [[], [], [3, 4], [8, 9]]
    assert rows.imap(lambda k, row: row[-k:]).to_list() == [[0, 1, 2], [], [6, 7], [8, 9]]
    assert rows.imap(lambda k, row: Acc.fill((k,), 1)).to_list() == [[], [1], [1, 1], [1, 1, 1]]


def test_rows():
    values = np.arange(60, dtype='f4').reshape(3, 4, 5)
    array = Acc.use(values) + 0
    assert same(array[1], values[1])
    assert same(array[-1], values[-1])
    assert same(array[2, -2], values[2, -2])


def test_chosen():
    values = np.arange(20, dtype='f4').reshape(4, 5)
    array = Acc.use(values) + 0
    rows = np.array([[3, 0], [1, 1], [2, 3]])
    assert same(array[array > 7], values[values > 7])
    assert same(array[array > 99], values[values > 99])
    assert same(array[Acc.use(rows) + 0], values[rows])
    assert same(array[0][Acc.use([4, 0, 0])], values[0][[4, 0, 0]])
    # Extents of the one are known, and of the other not.
    assert same(Acc.program('f4[:,:]')(lambda a: a[Acc.use(rows)])(values), values[rows])
    assert same(Acc.program('i8[:]')(lambda i: array[i])(rows[0]), values[rows[0]])


def test_elements():
    """Places inside functions, which are numbers and expressions, are elements as ever; numbers count from the end."""
    values = np.arange(20, dtype='i4').reshape(4, 5)
    array = Acc.use(values) + 0
    assert same(Acc.generate((4,), lambda i: array[i, 2] + array[0, 1]), values[:, 2] + 1)
    assert same(Acc.generate((4,), lambda i: array[i, -2] + array[-1, -1]), values[:, -2] + 19)
    rows = Acc.NestedArray.from_lengths(np.arange(10), [3, 2, 5])
    assert rows.map(lambda row: row - row[-1] + row[-2]).to_list() == [[-1, 0, 1], [2, 3], [4, 5, 6, 7, 8]]
    for key, error in (((4, 0), IndexError), ((0, -6), IndexError), ((0, True), GLib.Error), ((0, 0, 0), GLib.Error)):
        try:
            made = array[key]
        except error:
            continue
        raise AssertionError(f'{key} gave {made!r}')


def test_extents():
    """Extents that are known when an array runs are expressions."""
    values = np.arange(24, dtype='f4').reshape(2, 3, 4)
    array, kept = Acc.use(values), Acc.use(values).filter(lambda v: v > 5)[0]
    program = Acc.program('f4[:,:,:]')
    assert array.shape == (2, 3, 4) and array.size == 24 and Acc.unit(1).size == 1 and len(array) == 2
    assert kept.get_shape() is None and isinstance(kept.shape[0], Acc.Expr) and isinstance(kept.size, Acc.Expr)
    assert same(Acc.fill(kept.shape, 1) + 0, np.ones(18, 'i8')) and int(Acc.fill((), kept.size).run()) == 18
    assert same(program(lambda a: Acc.generate(a.shape[::-1], lambda i: a[i[2], i[1], i[0]]))(values), values.transpose())
    for shape in ((-1,), (6, -1), (-1, 6), (2, -1, 3), (24, -1), (-1, 24, 1)):
        assert same(array.reshape(*shape).run(), values.reshape(shape)), shape
        assert same((array + 0).reshape(list(shape)), values.reshape(shape)), shape
        assert same(program(lambda a, shape=shape: a.reshape(*shape))(values), values.reshape(shape)), shape
    assert same(program(lambda a: a.reshape(a.shape[1], -1))(values), values.reshape(3, 8))
    assert same(array.reshape(Acc.Shape.new([4, 6])).run(), values.reshape(4, 6))
    rows = Acc.NestedArray.from_lengths(np.arange(6), [2, 0, 4])
    assert rows.map(lambda row: row.reshape(-1, 2).sum(0)).to_list() == [[0, 1], [0, 0], [6, 8]]
    assert rows.map(lambda row: row.size).to_list() == rows.map(lambda row: row.shape[0]).to_list() == [2, 0, 4]
    for call, error in ((lambda: array.reshape(-1, 5), ValueError), (lambda: array.reshape(-1, -1), ValueError), (lambda: array.reshape(0, -1), ValueError),
                        (lambda: len(kept), TypeError), (lambda: len(Acc.unit(1)), TypeError)):
        try:
            made = call()
        except error:
            continue
        raise AssertionError(f'gave {made!r}')
    assert array.to_list() == values.tolist() and kept.to_list() == values[values > 5].tolist() and Acc.unit(3).to_list() == 3


def test_files():
    """A part of a file is read, and no more of it than there is memory for."""
    values = np.arange(1 << 20, dtype='i4').reshape(1024, 1024)
    backend = Acc.Backend.get_default()
    with tempfile.TemporaryDirectory() as folder:
        path = os.path.join(folder, 'values.npy')
        np.save(path, values)
        array = Acc.open_source(path)
        limit = backend.get_memory_limit()
        backend.set_memory_limit(1 << 20)
        try:
            for n, key in enumerate([np.s_[100:300, 5:900], np.s_[::-1, 3], np.s_[500:2:-7, ::3]]):
                out = os.path.join(folder, f'out{n}.npy')
                array[key].write(Acc.create_sink(out))
                assert same(np.load(out), values[key]), key
        finally:
            backend.set_memory_limit(limit)


def test_errors():
    array = Acc.use(np.zeros((4, 5), 'f4')) + 0
    for key, kind, words in [(np.s_[1, 2, :3], IndexError, '3 indices for an array of rank 2'), (np.s_[..., 1, ...], IndexError, 'one ...'),
                             (np.s_[::0], ValueError, 'step'), (np.s_[4, :], IndexError, 'index 4 is out of range of axis 0, which has 4'),
                             (np.s_[:, -6], IndexError, 'index -6'), (np.s_['a', :], TypeError, ''), (np.s_[1.5:], TypeError, ''),
                             (Acc.use([True]), IndexError, 'a mask of rank 1 for an array of rank 2')]:
        try:
            made = array[key]
        except kind as error:
            assert words in str(error), error
        else:
            raise AssertionError(f'{key} gave {made!r}')


if __name__ == '__main__':
    check.main(sys.modules['__main__'])
