# SPDX-License-Identifier: LGPL-2.1-or-later
"""Nested arrays from Python."""

import sys

import check
import numpy as np
from gi.repository import Acc, GLib


def test_vectors():
    rows = Acc.NestedArray.from_lengths(np.arange(6.), np.array([2, 0, 4]))
    assert len(rows) == 3
    assert rows.to_list() == [[0, 1], [], [2, 3, 4, 5]]
    assert rows.map(lambda row: row.fold(0., lambda x, y: x + y)).to_list() == [1, 0, 14]
    assert rows.map(lambda row: row.reverse()).to_list() == [[1, 0], [], [5, 4, 3, 2]]
    assert np.asarray(rows[2].run()).tolist() == [2, 3, 4, 5]
    assert np.asarray(rows[-1].run()).tolist() == [2, 3, 4, 5]
    assert [np.asarray(row.run()).tolist() for row in rows] == rows.to_list()
    try:
        rows[3]
        assert False
    except IndexError:
        pass


def test_several_and_choices():
    rows = Acc.NestedArray.from_offsets(np.arange(10), np.array([1, 3, 3, 7]))
    assert rows.to_list() == [[1, 2], [], [3, 4, 5, 6]]
    assert rows.imap(lambda k, row: row.map(lambda x: x * 10 + k[()])).to_list() == [[10, 20], [], [32, 42, 52, 62]]
    assert rows.zip_with(rows, lambda x, y: x.concat(y)).to_list() == [[1, 2, 1, 2], [], [3, 4, 5, 6, 3, 4, 5, 6]]
    assert rows.gather([2, 0, 2]).to_list() == [[3, 4, 5, 6], [1, 2], [3, 4, 5, 6]]
    assert rows.filter(lambda row: row.fold(0, lambda x, y: x + y).map(lambda s: s > 3)).to_list() == [[3, 4, 5, 6]]


def test_pictures():
    pictures = [np.arange(h * w, dtype='f4').reshape(h, w) for h, w in ((2, 3), (1, 1), (0, 4), (4, 2))]
    nested = Acc.NestedArray.from_arrays(pictures)
    assert nested.ndim == 2 and nested.dtype == 'f4'
    assert nested.to_list() == [picture.tolist() for picture in pictures]
    blurred = nested.map(lambda picture: picture.stencil((3, 3), Acc.Boundary.CLAMP, lambda n: sum(n) / 9))
    for picture, result in zip(pictures, blurred.to_list()):
        if not picture.size:
            continue
        padded = np.pad(picture, 1, mode='edge')
        want = sum(padded[1 + y:1 + y + picture.shape[0], 1 + x:1 + x + picture.shape[1]] for y in (-1, 0, 1) for x in (-1, 0, 1)) / 9
        assert np.allclose(result, want, rtol=1e-5)
    assert nested.map(lambda picture: picture.transpose()).to_list() == [picture.T.tolist() for picture in pictures]


def test_groups_and_padding():
    rows, keys = Acc.NestedArray.from_keys(np.array([1, 2, 3, 4, 5]), np.array([7, 5, 7, 5, 6], 'u1'))
    assert rows.to_list() == [[2, 4], [5], [1, 3]] and np.asarray(keys.run()).tolist() == [5, 6, 7]
    rows = Acc.NestedArray.from_lengths(np.arange(1., 6.), np.array([2, 0, 3]))
    padded, mask = rows.to_padded(-1.)
    assert np.asarray(padded.run()).tolist() == [[1, 2, -1], [-1, -1, -1], [3, 4, 5]]
    assert np.asarray(mask.run()).tolist() == [[True, True, False], [False] * 3, [True] * 3]
    assert np.asarray(Acc.NestedArray.from_lengths(np.zeros(0), np.zeros(0, 'i8')).to_padded(0.)[0].run()).shape == (0, 0)
    try:
        Acc.NestedArray.from_arrays([np.zeros(2, 'f4'), np.zeros(2, 'f8')])
        assert False
    except GLib.Error as error:
        assert error.matches(Acc.error_quark(), Acc.Error.TYPE), error


def test_ready_made():
    rows = Acc.NestedArray.from_lengths(np.array([3., 1., 2., 2., 7., 5.]), np.array([4, 2]))
    for name, want in (('sum', [8, 12]), ('product', [12, 35]), ('minimum', [1, 5]), ('maximum', [3, 7]), ('mean', [2, 6]),
                       ('argmin', [1, 1]), ('argmax', [0, 0])):
        assert np.asarray(getattr(rows, name)().run()).tolist() == want, name
    assert rows.sort().to_list() == [[1, 2, 2, 3], [5, 7]] and rows.sort(True).to_list() == [[3, 2, 2, 1], [7, 5]]
    assert rows.unique().to_list() == [[1, 2, 3], [5, 7]]
    assert rows.cumsum().to_list() == [[3, 4, 6, 8], [7, 12]]
    empty = Acc.NestedArray.from_lengths(np.array([1, 2]), np.array([2, 0]))
    assert np.asarray(empty.sum().run()).tolist() == [3, 0]
    try:
        empty.minimum().run()
        assert False
    except GLib.Error as error:
        assert error.domain == 'acc-error-quark'


def test_selection():
    rows = Acc.NestedArray.from_lengths(np.arange(6), np.array([2, 0, 1, 3]))
    want = rows.to_list()
    for n in (-1, 0, 1, 3, 4, 9):
        assert rows.take(n).to_list() == want[:max(n, 0)] and rows.drop(n).to_list() == want[max(n, 0):], n
    assert rows.slice(1, 2).to_list() == want[1:3] and rows.slice(3, 5).to_list() == want[3:] and rows.slice(7, 2).to_list() == []
    assert rows.reverse().to_list() == want[::-1]
    other = Acc.NestedArray.from_regular(np.arange(4).reshape(2, 2))
    assert rows.concat(other).to_list() == want + [[0, 1], [2, 3]] and other.concat(other).to_list() == [[0, 1], [2, 3]] * 2
    pictures = Acc.NestedArray.from_arrays([np.ones((2, 1)), np.zeros((1, 3))])
    assert pictures.concat(pictures.reverse()).to_list() == pictures.to_list() + pictures.to_list()[::-1]
    pairs = rows.cartesian(rows).map(lambda p: p.map(lambda p: p[0] * 10 + p[1])).to_list()
    assert pairs == [[x * 10 + y for x in row for y in row] for row in want], pairs
    pairs = rows.combinations().map(lambda p: p.map(lambda p: p[0] * 10 + p[1])).to_list()
    assert pairs == [[x * 10 + y for i, x in enumerate(row) for y in row[i + 1:]] for row in want], pairs
    try:
        rows.concat(pictures).to_list()
        assert False
    except GLib.Error as error:
        assert error.matches(Acc.error_quark(), Acc.Error.TYPE), error


def test_printing():
    rows = Acc.NestedArray.from_lengths(np.array([1, 2, 3, 4, 5]), np.array([2, 0, 3]))
    assert str(rows) == '<nested, irregular: i8 of rank 1>'
    made = rows.run()
    assert made.is_manifest() and str(made) == 'nested([[1, 2], [], [3, 4, 5]], dtype=i8)', str(made)
    pictures = Acc.NestedArray.from_arrays([np.ones((2, 1), 'f4'), np.zeros((1, 3), 'f4')]).run()
    assert str(pictures).replace('\n', '').replace(' ', '') == 'nested([[[1.],[1.]],[[0.,0.,0.]]],dtype=f4)', str(pictures)
    many = Acc.NestedArray.from_lengths(np.arange(30), np.ones(30, 'i8')).run()
    assert str(many) == 'nested([[0], [1], [2], ..., [27], [28], [29]], dtype=i8)', str(many)
    assert str(Acc.NestedArray.from_regular(np.arange(4).reshape(2, 2)).run()) == 'nested([[0, 1], [2, 3]], dtype=i8)'
    pairs = Acc.NestedArray.from_lengths(Acc.use(np.arange(3)).zip(np.arange(3) / 2), np.array([1, 2])).run()
    assert pairs.dup_element(1).run().shape == (2,) and 'nested([[(0, 0' in str(pairs), str(pairs)


def test_regular_stays_regular():
    nested = Acc.NestedArray.from_regular(np.arange(12).reshape(4, 3))
    assert nested.get_form() == Acc.NestedForm.REGULAR
    doubled = nested.map(lambda row: row.map(lambda x: x * 2))
    assert doubled.get_form() == Acc.NestedForm.REGULAR and doubled.to_list() == (np.arange(12).reshape(4, 3) * 2).tolist()
    assert nested.map(lambda row: Acc.use(np.array([1, 2]))).get_form() == Acc.NestedForm.CONSTANT


def test_mistakes():
    def fails(make, domain):
        try:
            make()
        except GLib.Error as error:
            assert error.matches(Acc.error_quark(), domain), error
            return
        assert False

    values = np.arange(5)
    for lengths in ([2, -1, 4], [3, 3]):
        fails(lambda: Acc.NestedArray.from_lengths(values, np.array(lengths)).map(lambda row: row.reverse()).to_list(), Acc.Error.BOUNDS)
    fails(lambda: Acc.NestedArray.from_lengths(values, np.array([2, 2])).to_list(), Acc.Error.SHAPE)
    for offsets in ([0, 3, 2], [-1, 3], [0, 6]):
        fails(lambda: Acc.NestedArray.from_offsets(values, np.array(offsets)).to_list(), Acc.Error.BOUNDS)
    rows = Acc.NestedArray.from_lengths(values, np.array([2, 3]))
    fails(lambda: rows.gather([2]).to_list(), Acc.Error.BOUNDS)
    fails(lambda: rows.map(lambda row: row.map(lambda x: x + row[2])).to_list(), Acc.Error.BOUNDS)
    fails(lambda: rows.filter(lambda row: row), Acc.Error.TYPE)
    for other in (rows.take(1), rows.concat(rows), rows.filter(lambda row: row.fold(0, lambda x, y: x + y).map(lambda s: s > 1))):
        fails(lambda: rows.zip_with(other, lambda x, y: x.concat(y)).to_list(), Acc.Error.BOUNDS)
    assert rows.zip_with(rows.filter(lambda row: row.fold(0, lambda x, y: x + y).map(lambda s: s >= 0)), lambda x, y: x).to_list() == rows.to_list()
    try:
        rows.map(lambda row: 1 / 0)
        assert False
    except ZeroDivisionError:
        pass



if __name__ == "__main__":
    check.main(sys.modules["__main__"])
