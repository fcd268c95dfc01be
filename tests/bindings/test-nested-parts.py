# SPDX-License-Identifier: LGPL-2.1-or-later
"""Parts of nested arrays by several indices, numbers for each innermost array, and nested arrays of lists of anything."""

import sys

import check
import numpy as np
from gi.repository import Acc, GLib

ROWS = [[0, 1, 2], [3], [4, 5, 6, 7], [8, 9]]
SOME = [[[1, 2], [3]], [[4, 5, 6], [9]], [[7], [8]]]
DEEP = [[[1, 2], [3]], [], [[], [4, 5, 6]], [[7]]]
DEEPER = [DEEP, [], [[], [[9]]]]
ALL, REVERSED = slice(None), slice(None, None, -1)


def _part(lists, entries):
    """The part of lists in lists, entry by entry."""
    if not entries:
        return lists
    first, rest = entries[0], entries[1:]
    if isinstance(first, slice):
        return [_part(item, rest) for item in lists[first]]
    if isinstance(first, (list, np.ndarray)):
        places = np.flatnonzero(first) if np.asarray(first).dtype == bool else first
        return [_part(lists[place], rest) for place in places]
    return _part(lists[first], rest)


def _list(made):
    if isinstance(made, Acc.NestedArray):
        return made.to_list()
    return np.asarray(made if isinstance(made, np.generic) else made.run()).tolist()


def test_several_indices():
    for lists, parts in ((ROWS, ((0, 1), (ALL, 0), (ALL, -1), (slice(1, 3), 0), (0, REVERSED), (ALL, slice(1, None)), (ALL, REVERSED), ([0, 2], 0),
                                 (REVERSED, slice(None, 2)), (ALL, slice(-2, None)), (ALL, ALL), (slice(None, None, 2), slice(None, None, 2)),
                                 (slice(-3, -1), 0), (slice(None, -1),), (slice(5, None), 0), (np.array([True, False, True, False]), 0),
                                 (slice(0, 4, 2), [2, 0]), (-1, -2))),
                         (SOME, ((0, 1), (0, 1, 0), (ALL, 0), (ALL, -1), (ALL, 0, 0), (ALL, ALL, 0), (ALL, ALL, -1), (0, ALL, 0), (-1, -1, -1),
                                 (ALL, slice(1, None)), (ALL, slice(None, 1), slice(None, 1)), (ALL, REVERSED), ([2, 0], ALL, 0), ([2, 0], 1),
                                 (ALL, 0, REVERSED), (ALL, 1, 0))),
                         (DEEP, ((ALL, slice(1, None)), (ALL, slice(None, 1)), (ALL, ALL, slice(1, None)), (ALL, REVERSED, REVERSED),
                                 (ALL, slice(-1, None)))),
                         (DEEPER, ((ALL, slice(1, None)), (ALL, ALL, slice(1, None)), (ALL, REVERSED, ALL, REVERSED), (0, 0, 0, 1),
                                   (ALL, ALL, ALL, slice(None, 1))))):
        nested = Acc.NestedArray.from_list(lists)
        for entries in parts:
            assert _list(nested[entries]) == _part(lists, entries), (lists, entries, nested[entries])
    nested = Acc.NestedArray.from_list(SOME)
    assert nested[...].to_list() == nested[..., :].to_list() == nested[:, ...].to_list() == SOME
    assert _list(nested[1, ..., 0]) == [4, 9] and _list(nested[:, ..., -1]) == [[2, 3], [6, 9], [7, 8]]
    first, second = np.arange(6.).reshape(2, 3), np.arange(8.).reshape(4, 2)
    pictures = Acc.NestedArray.from_arrays([first, second])
    for entries in ((0,), (ALL, 0), (REVERSED, slice(1, None)), (0, 0), (Ellipsis, 0), (None, ALL)):
        assert _list(pictures[(ALL,) + entries]) == [first[entries].tolist(), second[entries].tolist()], entries
    assert _list(pictures[1, 2, 1]) == 5


def test_indices_that_do_not_fit():
    rows, some = Acc.NestedArray.from_list(ROWS), Acc.NestedArray.from_list(SOME)
    for index, kind, part in (((9, 0), IndexError, 'element 9 of 4'), ((ALL, 0, 0), IndexError, '3 indices for 1 levels'), ((Ellipsis, Ellipsis), IndexError, '...'),
                              ((ALL, [0], [0]), IndexError, 'one list'), (([0], [0]), IndexError, 'one list'), (None, IndexError, 'None'), (True, IndexError, 'True'),
                              (slice(1.5, None), TypeError, 'float'), (slice(None, None, 0), ValueError, 'step')):
        try:
            rows[index]
            assert False, index
        except kind as error:
            assert part in str(error), error
    for nested, index, part in ((rows, (ALL, 3), 'element 0: '), (rows, (ALL, -2), 'element 1: '), (some, (ALL, 2), 'element 0: '), (some, (ALL, 0, 2), 'element 0: '),
                                (some, (ALL, ALL, 1), 'element 1: ')):
        try:
            nested[index].run()
            assert False, index
        except GLib.Error as error:
            assert error.matches(Acc.error_quark(), Acc.Error.BOUNDS) and part in error.message, error


def test_parts_before_a_run():
    groups = Acc.NestedArray.from_list(DEEP)
    for part in (REVERSED, slice(1, None), slice(-1, None), slice(None, None, 2), slice(None, -1)):
        assert groups.map_nested(lambda element: element[part]).to_list() == [group[part] for group in DEEP], part


def test_numbers_of_innermost_arrays():
    groups = Acc.NestedArray.from_list(DEEP)
    some = Acc.NestedArray.from_list([[[float(x) for x in row] for row in group] for group in SOME])
    assert groups.sum().to_list() == [[sum(row) for row in group] for group in DEEP]
    assert groups.count_nonzero().to_list() == [[len(row) for row in group] for group in DEEP]
    assert Acc.NestedArray.from_list(DEEPER).sum().to_list() == [[[sum(row) for row in group] for group in groups] for groups in DEEPER]
    assert _list(groups.sum().sum()) == [6, 0, 15, 7]
    for name, peer in (('mean', np.mean), ('std', np.std), ('var', np.var), ('maximum', max), ('argmin', np.argmin)):
        assert np.allclose(np.array(getattr(some, name)().to_list()), [[peer(row) for row in group] for group in SOME]), name
    means = [[np.mean(row) for row in group] for group in SOME]
    less = [[[x - mean for x in row] for row, mean in zip(*both)] for both in zip(SOME, means)]
    assert (some - some.mean()).to_list() == less
    assert (some.mean() - some).to_list() == [[[-x for x in row] for row in group] for group in less]
    deeper = Acc.NestedArray.from_list(DEEPER)
    assert (deeper * deeper.sum()).to_list() == [[[[x * sum(row) for x in row] for row in group] for group in groups] for groups in DEEPER]
    try:
        (groups * Acc.NestedArray.from_list([[1, 2], [], [3], [4, 5]])).run()
        assert False
    except GLib.Error as error:
        assert 'element 2 has more elements in one nested array than in another' in error.message, error


def test_lists_of_anything():
    make = Acc.NestedArray.from_list
    pairs = [[(1, 2.5)], [], [(3, 4.), (5, 6.)]]
    assert make(pairs).dtype == '(i8,f8)' and make(pairs).to_list() == make(pairs, '(i8,f8)').to_list() == pairs
    assert make([[(1, (2.5, True))]]).to_list() == [[(1, (2.5, True))]]
    rows = make(ROWS)
    assert make(rows.cartesian(rows).to_list()) == rows.cartesian(rows)
    assert make([np.array([1, 2]), Acc.use([3])]).to_list() == [[1, 2], [3]]
    assert make([[np.array([1, 2]), np.array([3])], [], [np.array([4])]]).to_list() == [[[1, 2], [3]], [], [[4]]]
    pictures = make([np.ones((2, 2)), np.zeros((1, 3))], 'f4')
    assert (pictures.ndim, pictures.depth, pictures.dtype) == (2, 1, 'f4') and pictures.to_list() == [[[1, 1], [1, 1]], [[0, 0, 0]]]
    for lists, part in (([[1], 2], 'level 1 has int, where lists are wanted'), ([[[1], 2]], 'level 2 has int'), ([(1, 2), (3,)], 'level 1 has tuple'),
                        ([[1], np.array([2])], 'level 1 has ndarray'), ([[(1, 2), (3,)]], 'tuples of 2 items'), ([[(1, 2), 3]], 'tuples of 2 items')):
        try:
            make(lists)
            assert False, lists
        except TypeError as error:
            assert part in str(error), error


def test_orders_and_types():
    rows = Acc.NestedArray.from_list([[3., 1., 2., 1.], [], [5., 4.]])
    assert rows.argsort().to_list() == [[1, 3, 2, 0], [], [1, 0]] and rows.argsort().dtype == 'i8'
    assert rows.argsort(descending=True).to_list() == [[0, 2, 1, 3], [], [0, 1]]
    assert rows[rows.argsort()] == rows.sort()
    assert rows.cast('i4') == rows.astype(np.int32) == Acc.NestedArray.from_list([[3, 1, 2, 1], [], [5, 4]], 'i4')
    assert _list(Acc.NestedArray.from_list([[1j, 0], [], [0, 2, 1 + 1j]]).count_nonzero()) == [1, 0, 2]
    for make, part in ((lambda: (rows > 1).sum(), 'nested_array_sum: adds numbers, not b1: count_nonzero counts what is true'),
                       (lambda: rows.cast('(i4,i4)'), 'nested_array_cast'), (lambda: rows.cast('i4').to_padded(-1.5), 'the literal -1.5 does not fit i4'),
                       (lambda: rows.cast('i4').to_padded(-1.), 'the literal -1.0 does not fit i4')):
        try:
            make()
            assert False, part
        except GLib.Error as error:
            assert error.matches(Acc.error_quark(), Acc.Error.TYPE) and part in error.message, error


def test_vectors_of_scalars():
    values = np.arange(18, dtype='f4').reshape(6, 3)
    rows = Acc.NestedArray.from_lengths(Acc.use(values, '3f4'), [2, 0, 4])
    want = [values[:2].tolist(), [], values[2:].tolist()]
    assert rows.to_list() == want and Acc.NestedArray.from_text(rows.to_text()).to_list() == want
    assert (rows + rows).to_list() == [[[2 * x for x in vector] for vector in row] for row in want]
    assert rows[:, ::-1].to_list() == [row[::-1] for row in want]
    assert _list(rows.sum()) == [values[:2].sum(axis=0).tolist(), [0, 0, 0], values[2:].sum(axis=0).tolist()]
    pictures = Acc.NestedArray.from_extents(Acc.use(values, '3f4'), [(2, 2), (1, 2)])
    assert pictures.to_list() == [values[:4].reshape(2, 2, 3).tolist(), values[4:].reshape(1, 2, 3).tolist()]
    for make in (rows.sort, rows.argsort, rows.unique):
        try:
            make().run()
            assert False, make
        except GLib.Error as error:
            assert error.matches(Acc.error_quark(), Acc.Error.TYPE) and 'vectors as 3f4 have no order' in error.message, error


def test_extents_of_a_matrix():
    make, values = Acc.NestedArray.from_extents, np.arange(8)
    want = [[[0, 1, 2], [3, 4, 5]], [[6], [7]]]
    assert make(values, [(2, 3), (2, 1)]).to_list() == make(values, np.array([[2, 3], [2, 1]], 'u1')).to_list() == want
    assert make(values, [[5], [3]]).to_list() == [[0, 1, 2, 3, 4], [5, 6, 7]]
    assert make(values, [(1, 2, 4)]).to_list() == values.reshape(1, 1, 2, 4).tolist() and make(values[:0], np.zeros((0, 2), 'i8')).to_list() == []
    for extents, code, part in (([(2, 3)], Acc.Error.SHAPE, 'lengths add up to 6, less than'), ([(2, 3), (-1, 2)], Acc.Error.BOUNDS, 'the length of element 1'),
                                (np.zeros((2, 0), 'i8'), Acc.Error.SHAPE, 'vector of integers'), (np.ones((2, 2)), Acc.Error.TYPE, 'integers')):
        try:
            make(values, extents).run()
            assert False, extents
        except GLib.Error as error:
            assert error.matches(Acc.error_quark(), code) and part in error.message, error


if __name__ == '__main__':
    check.main(sys.modules['__main__'])
