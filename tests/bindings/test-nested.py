# SPDX-License-Identifier: LGPL-2.1-or-later
"""Nested arrays from Python."""

import copy
import functools
import pickle
import subprocess
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
    assert rows.izip_with(rows, rows, lambda k, x, y, z: x.concat(y).map(lambda v: v * 10 + k[()])).to_list() == [
        [10, 20, 10, 20], [], [32, 42, 52, 62] * 2]
    assert rows.zip_with(rows, lambda x, y: x.concat(y)).to_list() == [[1, 2, 1, 2], [], [3, 4, 5, 6, 3, 4, 5, 6]]
    for n in range(2, 10):
        others = [rows.map(lambda row, k=k: row.map(lambda x: x + 10 ** k)) for k in range(1, n)]
        joined = rows.zip_with(*others, lambda *parts: functools.reduce(lambda x, y: y.concat(x), parts))
        assert joined.to_list() == [[x + 10 ** k for k in range(n - 1, 0, -1) for x in row] + row for row in rows.to_list()], n
    assert rows.gather([2, 0, 2]).to_list() == [[3, 4, 5, 6], [1, 2], [3, 4, 5, 6]]
    assert rows.filter(lambda row: row.fold(0, lambda x, y: x + y).map(lambda s: s > 3)).to_list() == [[3, 4, 5, 6]]


def test_operators():
    values, others = np.arange(10, dtype='f4'), np.arange(10, 0, -1, dtype='f4')
    lengths, weights = [3, 0, 5, 2], np.array([1, 2, 3, 4], 'f4')
    n, m = Acc.NestedArray.from_lengths(values, lengths), Acc.NestedArray.from_lengths(others, lengths)
    each = np.repeat(weights, lengths)

    def same(got, want):
        got = got.run()
        assert got.dtype == {'float32': 'f4', 'bool': 'b1'}[want.dtype.name], (got.dtype, want.dtype)
        assert np.asarray(got.lengths.run()).tolist() == lengths
        assert np.array_equal(np.asarray(got.flatten().run()), want), (got, want)

    for call in (lambda x, y: x + y, lambda x, y: x - y, lambda x, y: x * y, lambda x, y: x / (y + 1), lambda x, y: x < y, lambda x, y: x <= y,
                 lambda x, y: x > y, lambda x, y: x >= y):
        same(call(n, m), call(values, others))
        same(call(n, 3), call(values, np.float32(3)))
        same(call(3, n), call(np.float32(3), values))
        same(call(np.float32(3), n), call(np.float32(3), values))
        same(call(n, weights), call(values, each))
        same(call(weights, n), call(each, values))
        same(call(n, Acc.use(weights)), call(values, each))
        same(call(Acc.use(weights), n), call(each, values))
        same(call(n, n.sum()), call(values, np.repeat(np.asarray(n.sum().run()), lengths)))
    same(-n, -values)
    same(+n, values)
    same(abs(-n), values)
    same((n > 2) & (n < 7), (values > 2) & (values < 7))
    same((n > 2) | ~(n < 7), (values > 2) | ~(values < 7))
    pictures = Acc.NestedArray.from_arrays([np.ones((2, 2), 'f4'), np.ones((1, 3), 'f4')])
    assert (pictures * np.array([2, 3], 'f4')).to_list() == [[[2, 2], [2, 2]], [[3, 3, 3]]]
    levels = Acc.NestedArray.from_list([[[1., 2.], [3.]], [], [[4.]]])
    assert (2 * levels + levels).to_list() == [[[3, 6], [9]], [], [[12]]]
    assert (levels * np.array([1., 2., 3.])).to_list() == [[[1, 2], [3]], [], [[12]]]
    assert (np.array([1., 2., 3.]) - levels).to_list() == [[[0, -1], [-2]], [], [[-1]]]
    for bad in ('text', None, object()):
        try:
            n + bad
            assert False, bad
        except (TypeError, GLib.Error):
            pass
    for nested, index in ((n, 4), (levels, 3)):
        try:
            (nested * np.arange(index + 1, dtype=nested.dtype)).run()
            assert False
        except GLib.Error as error:
            assert f'element {index} is there in one nested array' in error.message, error.message


def test_values_are_chosen():
    rows = Acc.NestedArray.from_lengths(np.arange(10, dtype='f4'), [3, 0, 5, 2])
    assert rows[rows > 2].to_list() == [[], [], [3, 4, 5, 6, 7], [8, 9]]
    assert rows[Acc.NestedArray.from_lengths([0, 2, 4, 0, 1], [1, 0, 2, 2])].to_list() == [[0], [], [5, 7], [8, 9]]
    assert rows[rows.map(lambda row: row.argsort(descending=True))].to_list() == [[2, 1, 0], [], [7, 6, 5, 4, 3], [9, 8]]
    _fails(lambda: rows[Acc.NestedArray.from_lengths([0, 2, 9, 0, 1], [1, 0, 2, 2])].run(), Acc.Error.BOUNDS, 'element 2: gather: index 9')
    _fails(lambda: rows[Acc.NestedArray.from_lengths([0], [1, 0, 0])].run(), Acc.Error.BOUNDS, 'element 3 is there in one nested array')
    levels = Acc.NestedArray.from_list([[[1., 2.], [3.]], [], [[4.]]])
    assert levels[levels > 1].to_list() == [[[2], [3]], [], [[4]]]


def test_functions_that_give_an_expression():
    rows = Acc.NestedArray.from_lengths(np.arange(10, dtype='f4'), [3, 2, 5])
    assert rows.map(lambda row: row[0] * 2).to_list() == [0, 6, 10]
    assert rows.map(lambda row: row[[1, 0]]).to_list() == [[1, 0], [4, 3], [6, 5]]
    _fails(lambda: Acc.NestedArray.from_lengths([1], [1, 0]).map(lambda row: row[0]).run(), Acc.Error.BOUNDS, 'element 1')
    assert Acc.Sequence.from_array(np.arange(6.).reshape(2, 3)).map(lambda row: row[0] + row[2]).to_list() == [2, 8]
    _fails(lambda: Acc.use(np.arange(3)).map(lambda x: rows.values.gather(x)), Acc.Error.TYPE, 'another function')


def test_reductions():
    rows = Acc.NestedArray.from_lengths(np.array([3., 0., 2., 5., 5., 7.]), [3, 0, 1, 2])
    parts = [np.array(row) for row in rows.to_list()]
    some = rows.filter(lambda row: row.map(lambda x: 1).sum_all() > 0)
    assert np.asarray(rows.sum().run()).tolist() == [part.sum() for part in parts]
    assert np.asarray(rows.product().run()).tolist() == [part.prod() for part in parts]
    for name, peer in (('mean', np.mean), ('maximum', np.max), ('minimum', np.min), ('std', np.std), ('var', np.var), ('argmax', np.argmax),
                       ('argmin', np.argmin)):
        assert np.allclose(np.asarray(getattr(some, name)().run()), [peer(part) for part in parts if len(part)]), name
    for ddof in (0, 1, 2):
        got = np.asarray(rows.var(ddof).run()), np.asarray(rows.std(ddof).run())
        for part, var, std in zip(parts, *got):
            if len(part) > ddof:
                assert np.allclose([var, std], [part.var(ddof=ddof), part.std(ddof=ddof)])
            else:
                assert not np.isfinite(var) and not np.isfinite(std), (part, ddof, var, std)
    assert np.asarray((rows > 1).all().run()).tolist() == [False, True, True, True]
    assert np.asarray((rows > 2).any().run()).tolist() == [True, False, True, True]
    assert np.asarray(rows.count_nonzero().run()).tolist() == [2, 0, 1, 2]


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


def test_few_elements():
    # Small arrays in memory are copied at once, others are joined when they run; some have no elements.
    rng = np.random.default_rng(3)
    small = [rng.integers(0, 99, (n, m)).astype('i2') for n, m in rng.integers(0, 4, (300, 2))]
    for parts in (small, [Acc.use(part).map(lambda x: x) for part in small[:20]], small[:5] + [np.ones((300, 400), 'i2')] + small[5:9]):
        assert Acc.NestedArray.from_arrays(parts).to_list() == [np.asarray(part if isinstance(part, np.ndarray) else part.run()).tolist() for part in parts]
    pairs = [Acc.use(part).zip(Acc.use(part).map(lambda x: x.cast('f8') / 2)).run() for part in small[:9]]
    assert Acc.NestedArray.from_arrays(pairs).map(lambda part: part.unzip(1)).to_list() == [(part / 2).tolist() for part in small[:9]]
    scalars = Acc.NestedArray.from_arrays([np.float64(1.5), np.float64(2)])
    assert scalars.ndim == 0 and scalars.to_list() == [1.5, 2]
    assert Acc.NestedArray.from_lengths([], []).to_list() == [] and Acc.NestedArray.from_offsets(np.zeros(0), [0]).to_list() == []
    assert Acc.NestedArray.from_list([[1]]).gather([]).to_list() == []
    try:
        Acc.NestedArray.from_arrays([])
        assert False
    except ValueError as error:
        assert 'no arrays' in str(error)


def test_groups_and_padding():
    rows, keys = Acc.NestedArray.from_keys(np.array([1, 2, 3, 4, 5]), np.array([7, 5, 7, 5, 6], 'u1'))
    assert rows.to_list() == [[2, 4], [5], [1, 3]] and np.asarray(keys.run()).tolist() == [5, 6, 7]
    # By two columns, as a database groups: as by a dictionary of tuples
    rng = np.random.default_rng(5)
    shops, days, sold = rng.integers(-3, 3, 500).astype('i2'), rng.integers(0, 4, 500) / 2, np.arange(500)
    rows, keys = Acc.NestedArray.from_keys(sold, (shops, days))
    want = {}
    for key, value in zip(zip(shops.tolist(), days.tolist()), sold.tolist()):
        want.setdefault(key, []).append(value)
    assert rows.to_list() == [want[key] for key in sorted(want)]
    assert np.asarray(keys.run()).tolist() == sorted(want) and len(want) == 24
    three = Acc.NestedArray.from_keys(np.array([1., 2.]), (np.zeros(2), np.zeros(2), np.array([True, False])))[0]
    assert three.to_list() == [[2], [1]]
    rows = Acc.NestedArray.from_lengths(np.arange(1., 6.), np.array([2, 0, 3]))
    padded, mask = rows.to_padded(-1.)
    assert np.asarray(padded.run()).tolist() == [[1, 2, -1], [-1, -1, -1], [3, 4, 5]]
    assert np.asarray(mask.run()).tolist() == [[True, True, False], [False] * 3, [True] * 3]
    assert np.asarray(Acc.NestedArray.from_lengths(np.zeros(0), np.zeros(0, 'i8')).to_padded(0.)[0].run()).shape == (0, 0)
    table = np.arange(15.).reshape(5, 3)
    for values in (table, table[:, :0], np.arange(60, dtype='u1').reshape(5, 3, 4), table[:0]):
        numbers = np.array([7, 5, 7, 5, 6])[:len(values)]
        rows, keys = Acc.NestedArray.from_keys(values, numbers)
        assert rows.to_list() == [values[numbers == key].tolist() for key in np.unique(numbers)] and rows.ndim == values.ndim
        assert np.asarray(keys.run()).tolist() == np.unique(numbers).tolist()
    _fails(lambda: Acc.NestedArray.from_keys(table, [1, 2]), Acc.Error.SHAPE)
    try:
        Acc.NestedArray.from_arrays([np.zeros(2, 'f4'), np.zeros(2, 'f8')])
        assert False
    except GLib.Error as error:
        assert error.matches(Acc.error_quark(), Acc.Error.TYPE), error


def test_equality_copies_and_pickles():
    pictures = Acc.NestedArray.from_arrays([np.ones((2, 3), 'f4'), np.zeros((0, 4), 'f4'), np.full((1, 1), 7, 'f4')])
    deep = Acc.NestedArray.from_list([[[1, 2], [3]], [], [[], [4]]])
    pairs = Acc.NestedArray.from_lengths(Acc.use(np.arange(3)).zip(Acc.use(np.array([.5, np.inf, -0.]))), [1, 0, 2])
    some = {'vectors': Acc.NestedArray.from_lengths(np.arange(6.), [2, 0, 4]), 'pictures': pictures, 'levels': deep, 'tuples': pairs,
            'none': Acc.NestedArray.from_lengths(np.zeros(0, 'u1'), []), 'regular': Acc.NestedArray.from_regular(np.arange(6).reshape(3, 2)),
            'numbers': Acc.NestedArray.from_regular(np.arange(3)), 'empty elements': Acc.NestedArray.from_lengths(np.zeros(0), [0, 0]),
            'sums of levels': deep.map(lambda row: row.fold(0, lambda x, y: x + y)), 'part': deep[1:],
            'complex': Acc.NestedArray.from_lengths(np.array([1j, 2]), [1, 1]), 'flags': Acc.NestedArray.from_list([[True], []])}
    for name, nested in some.items():
        assert copy.copy(nested) is nested and copy.deepcopy([nested])[0] is nested, name
        for protocol in range(2, pickle.HIGHEST_PROTOCOL + 1):
            back = pickle.loads(pickle.dumps(nested, protocol))
            assert type(back) is Acc.NestedArray and back == nested and not back != nested, (name, protocol)
            assert back.to_list() == nested.to_list() and back.dtype == nested.dtype, (name, protocol)
        assert [other for other in some if some[other] == nested] == [name], name
    assert pickle.loads(pickle.dumps(some['regular'])).get_form() == Acc.NestedForm.REGULAR
    assert some['vectors'] == some['vectors'].map(lambda row: row.map(lambda x: x + 0))
    assert some['vectors'] != some['vectors'].map(lambda row: row.map(lambda x: x + 1)) and some['vectors'] != [[0, 1], [], [2, 3, 4, 5]]
    for one, other in (([2, 0, 4], [2, 4, 0]), ([6], [6, 0])):
        assert Acc.NestedArray.from_lengths(np.arange(6.), one) != Acc.NestedArray.from_lengths(np.arange(6.), other)
    for array in (np.arange(6).reshape(2, 3), np.float32(2), np.zeros((0, 3), 'c8'), np.array([True])):
        made = Acc.use(array).map(lambda x: x)
        back = pickle.loads(pickle.dumps(made))
        assert copy.copy(made) is made and back.is_manifest() and back.dtype == made.dtype, array
        assert np.asarray(back).shape == np.shape(array) and np.array_equal(np.asarray(back), array), array
    # In another process, which has loaded nothing yet
    text = "import pickle, sys; x = pickle.load(sys.stdin.buffer); print(x.to_list(), type(x).__name__)"
    done = subprocess.run([sys.executable, '-c', text], input=pickle.dumps(deep), stdout=subprocess.PIPE, check=True)
    assert done.stdout.decode() == '[[[1, 2], [3]], [], [[], [4]]] NestedArray\n', done.stdout


def test_padding_of_all_dimensions():
    rng = np.random.default_rng(5)
    for kind in ('bool', 'u1', 'f2', 'c16'):
        for rank in (1, 2, 3):
            parts = [rng.integers(0, 5, rng.integers(1, 4, rank)).astype(kind) for _ in range(6)]
            nested = Acc.NestedArray.from_arrays(parts)
            padded, mask = nested.to_padded(False if kind == 'bool' else 0)
            for kept in (mask, nested.extents, mask.run()):
                for backend in (Acc.Backend.new_for_name('interpreter'), Acc.Backend.new_for_name('native')):
                    back = Acc.NestedArray.from_padded(padded, kept)
                    assert back.to_list(backend) == nested.to_list(), (kind, rank)
    empty = Acc.NestedArray.from_arrays([np.ones((2, 1)), np.zeros((0, 3)), np.zeros((1, 0))])
    padded, mask = empty.to_padded(9.)
    assert Acc.NestedArray.from_padded(padded, empty.extents).to_list() == [[[1], [1]], [], [[]]]
    assert Acc.NestedArray.from_padded(padded, mask).to_list() == [[[1], [1]], [], []]
    assert Acc.NestedArray.from_padded(np.zeros((0, 2, 3)), np.zeros((0, 2, 3), bool)).to_list() == []
    mask = np.asarray(mask.run()).copy()
    mask[2, 1, 1] = True
    extents = lambda *columns: Acc.use(np.array(columns[0])).zip(*map(np.array, columns[1:]))
    _fails(lambda: Acc.NestedArray.from_padded(padded, mask).to_list(), Acc.Error.SHAPE, 'element 2 keeps others')
    _fails(lambda: Acc.NestedArray.from_padded(padded, extents([1, 1, 1], [1, 4, 1])).to_list(), Acc.Error.BOUNDS, 'the length of element 1 is')
    _fails(lambda: Acc.NestedArray.from_padded(padded, extents([1, 1, -1], [1, 1, 1])).to_list(), Acc.Error.BOUNDS, 'the length of element 2 is')
    _fails(lambda: Acc.NestedArray.from_padded(padded, extents([1] * 3, [1] * 3, [1] * 3)), Acc.Error.SHAPE, 'rank 3')
    _fails(lambda: Acc.NestedArray.from_padded(padded, mask[:2]).to_list(), Acc.Error.BOUNDS)
    _fails(lambda: Acc.NestedArray.from_padded(padded, mask[..., None]), Acc.Error.SHAPE)


def test_ready_made():
    rows = Acc.NestedArray.from_lengths(np.array([3., 1., 2., 2., 7., 5.]), np.array([4, 2]))
    for name, want in (('sum', [8, 12]), ('product', [12, 35]), ('minimum', [1, 5]), ('maximum', [3, 7]), ('mean', [2, 6]),
                       ('argmin', [1, 1]), ('argmax', [0, 0])):
        assert np.asarray(getattr(rows, name)().run()).tolist() == want, name
    assert rows.sort().to_list() == [[1, 2, 2, 3], [5, 7]] and rows.sort(True).to_list() == [[3, 2, 2, 1], [7, 5]]
    assert rows.unique().to_list() == [[1, 2, 3], [5, 7]]
    assert rows.cumsum().to_list() == [[3, 4, 6, 8], [7, 12]]
    assert np.asarray(Acc.NestedArray.from_lengths(np.array([1j, 2 + 1j, 3]), [2, 1]).mean().run()).tolist() == [1 + 1j, 3]
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
    deep = [[[[1, 2], [3]], [], [[4, 5, 6]]], [], [[[], [7, 8]]]]
    groups = Acc.NestedArray.from_list(deep)
    pair = lambda p: p.map(lambda p: p[0] * 10 + p[1])
    assert groups.depth == 3
    assert groups.cartesian(groups).map(pair).to_list() == [[[[x * 10 + y for x in row for y in row] for row in rows] for rows in part]
                                                            for part in deep]
    assert groups.combinations().map(pair).to_list() == [[[[x * 10 + y for i, x in enumerate(row) for y in row[i + 1:]] for row in rows]
                                                          for rows in part] for part in deep]
    try:
        rows.concat(pictures).to_list()
        assert False
    except GLib.Error as error:
        assert error.matches(Acc.error_quark(), Acc.Error.TYPE), error


def test_indices():
    rows = Acc.NestedArray.from_lengths(np.arange(6.), [2, 0, 4])
    lists = rows.to_list()
    for part in (slice(1, None), slice(None, None, -1), slice(-2, -1), slice(5, None), slice(2, 1), slice(None, None, 2)):
        assert rows[part].to_list() == lists[part], part
    assert rows[[0, -1]].to_list() == rows[np.array([True, False, True])].to_list() == [lists[0], lists[2]]
    assert rows[[]].to_list() == rows[[False] * 3].to_list() == []
    for index, raised in ((1.5, TypeError), ('a', TypeError), (3, IndexError), ([3], IndexError), ([0.5], IndexError), ([True], IndexError)):
        try:
            rows[index]
        except raised:
            continue
        raise AssertionError(index)


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


def test_levels():
    lists = [[[1, 2], [3]], [], [[], [4]]]
    rows = Acc.NestedArray.from_list(lists)
    assert rows.depth == 2 and rows.ndim == 1 and rows.inner.depth == 1 and rows.inner.inner is None
    assert len(rows) == 3 and rows.to_list() == lists and [part.to_list() for part in rows] == lists
    assert rows[-1].to_list() == lists[2] and rows[0].depth == 1 and np.asarray(rows[0][0].run()).tolist() == [1, 2]
    assert str(rows) == '<nested, irregular, 2 levels: i8 of rank 1>', str(rows)
    made = rows.run()
    assert made.is_manifest() and str(made) == 'nested([[[1, 2], [3]], [], [[], [4]]], dtype=i8)', str(made)
    assert np.asarray(rows.lengths.run()).tolist() == [2, 0, 2] and np.asarray(rows.offsets.run()).tolist() == [0, 2, 2, 4]
    assert np.asarray(rows.flatten().run()).tolist() == [1, 2, 3, 4]
    assert rows.flatten_level(0).to_list() == [[1, 2], [3], [], [4]] and rows.flatten_level(1).to_list() == [[1, 2, 3], [], [4]]
    assert rows.flatten_level(0).nest([2, 0, 2]).to_list() == lists and rows.flatten_level(0).nest(rows.lengths).to_list() == lists
    # Functions are those of the innermost arrays.
    assert rows.map(lambda row: row.concat(row)).to_list() == [[[1, 2, 1, 2], [3, 3]], [], [[], [4, 4]]]
    sums = rows.map(lambda row: row.fold(0, lambda x, y: x + y))
    assert sums.depth == 1 and sums.to_list() == [[3, 3], [], [0, 4]]
    assert sums.map(lambda row: row.fold(0, lambda x, y: x + y)).to_list() == [6, 0, 4]
    assert rows.imap(lambda k, row: row.map(lambda x: x + 10 * k[()])).to_list() == [[[1, 2], [13]], [], [[], [34]]]
    assert rows.zip_with(Acc.NestedArray.from_list(lists), lambda x, y: x.concat(y)).to_list() == rows.map(lambda x: x.concat(x)).to_list()
    assert rows.filter(lambda row: row.fold(0, lambda x, y: x + y).map(lambda s: s > 2)).to_list() == [[[1, 2], [3]], [], [[4]]]
    assert rows.sort(True).to_list() == [[[2, 1], [3]], [], [[], [4]]] and rows.sum().to_list() == [[3, 3], [], [0, 4]]
    # Choices are those of the outermost elements.
    assert rows.gather([2, 0, 2]).to_list() == [lists[2], lists[0], lists[2]] and rows.reverse().to_list() == lists[::-1]
    assert rows.take(2).to_list() == lists[:2] and rows.drop(2).to_list() == lists[2:] and rows.slice(1, 5).to_list() == lists[1:]
    assert rows.concat(rows.reverse()).to_list() == lists + lists[::-1]
    assert rows.replicate(2).to_list() == [part for part in lists for _ in range(2)]
    for bad, code in ((lambda: rows.zip_with(rows.inner, lambda x, y: x), Acc.Error.SHAPE), (lambda: rows.concat(rows.inner), Acc.Error.SHAPE),
                      (lambda: rows.flatten_level(2), Acc.Error.SHAPE), (lambda: rows.inner.flatten_level(0), Acc.Error.SHAPE),
                      (lambda: rows.dup_element(0).run(), Acc.Error.SHAPE), (lambda: rows.inner.dup_nested(0).run(), Acc.Error.SHAPE),
                      (lambda: rows.gather([3]).to_list(), Acc.Error.BOUNDS),
                      (lambda: rows.zip_with(Acc.NestedArray.from_list([[[1, 2], [3]], [[]], [[4]]]), lambda x, y: x).to_list(), Acc.Error.BOUNDS)):
        _fails(bad, code)


def test_many_levels():
    lists = [[[[1., 2.], []], [[3.]]], [], [[]], [[[4.]]]]
    rows = Acc.NestedArray.from_list(lists)
    assert rows.depth == 3 and rows.to_list() == lists and rows.run().to_list() == lists
    assert rows.flatten_level(0).to_list() == [part for whole in lists for part in whole]
    assert rows.flatten_level(1).to_list() == [[row for part in whole for row in part] for whole in lists]
    assert rows.flatten_level(2).to_list() == [[[x for row in part for x in row] for part in whole] for whole in lists]
    assert rows.gather([3, 0]).to_list() == [lists[3], lists[0]] and rows[0][1].to_list() == lists[0][1]
    assert rows.filter(lambda row: row.map(lambda x: 1.).fold(0., lambda x, y: x + y).map(lambda n: n > 0)).to_list() == [[[[1., 2.]], [[3.]]], [], [[]], [[[4.]]]]
    counts = rows.map(lambda row: row.map(lambda x: 1.).fold(0., lambda x, y: x + y))
    assert counts.depth == 2 and counts.to_list() == [[[2, 0], [1]], [], [[]], [[1]]]
    pictures = Acc.NestedArray.from_arrays([np.ones((2, 1)), np.zeros((1, 3))]).nest([1, 0, 1])
    assert pictures.to_list() == [[[[1], [1]]], [], [[[0, 0, 0]]]] and pictures.flatten_level(1).to_list() == [[1, 1], [], [0, 0, 0]]
    regular = Acc.NestedArray.from_regular(np.arange(12).reshape(4, 3)).nest([1, 3])
    assert regular.map(lambda row: row.fold(0, lambda x, y: x + y)).to_list() == [[3], [12, 21, 30]]
    assert Acc.NestedArray.from_list([]).to_list() == [] and Acc.NestedArray.from_list([[[]], []]).to_list() == [[[]], []]
    try:
        Acc.NestedArray.from_list([[1], 2])
        assert False
    except TypeError:
        pass


def test_functions_of_levels():
    plus = lambda x, y: x + y
    lists = [[[1, 2], [3]], [], [[], [4]], [[5, 6, 7]]]
    groups = Acc.NestedArray.from_list(lists)
    deep_lists = [[[[1, 2], [3]], [[4]]], [], [[], [[], [5]]]]
    deep = Acc.NestedArray.from_list(deep_lists)
    pictures = Acc.NestedArray.from_arrays([np.arange(4).reshape(2, 2), np.ones((1, 3), 'i8'), np.zeros((3, 1), 'i8')]).nest([2, 0, 1])
    for backend in (Acc.Backend.new_for_name('interpreter'), Acc.Backend.new_for_name('native')):
        def same(nested, want, backend=backend):
            assert nested.to_list(backend) == want, (nested.to_list(backend), want)

        same(groups.map_nested(lambda rows: rows), lists)
        same(groups.map_nested(lambda rows: rows.reverse()), [part[::-1] for part in lists])
        same(groups.map_nested(lambda rows: rows.take(1)), [part[:1] for part in lists])
        same(groups.map_nested(lambda rows: rows.concat(rows.reverse())), [part + part[::-1] for part in lists])
        same(groups.map_nested(lambda rows: rows.filter(lambda row: row.fold(0, plus).map(lambda s: s > 2))),
             [[row for row in part if sum(row) > 2] for part in lists])
        same(groups.map_nested(lambda rows: rows.map(lambda row: row.fold(0, plus))), [[sum(row) for row in part] for part in lists])
        same(groups.map_nested(lambda rows: Acc.NestedArray.from_regular(np.arange(4).reshape(2, 2))), [[[0, 1], [2, 3]]] * 4)
        same(groups.map_nested(lambda rows: rows.nest(Acc.fill((1,), 0).map(lambda x: Acc.Expr.extent(rows.lengths, 0)))), [[part] for part in lists])
        same(deep.map_nested(lambda part: part.reverse()), [part[::-1] for part in deep_lists])
        same(deep.map_nested(lambda part: part.flatten_level(0)), deep.flatten_level(1).to_list())
        same(deep.map_nested(lambda part: part.flatten_level(1)), deep.flatten_level(2).to_list())
        same(deep.map_nested(lambda part: part.map_nested(lambda rows: rows.reverse())), [[rows[::-1] for rows in part] for part in deep_lists])
        same(pictures.map_nested(lambda part: part.reverse().map(lambda x: x.transpose())),
             [[np.array(x).T.tolist() for x in part[::-1]] for part in pictures.to_list()])
        scalars = Acc.NestedArray.from_regular(np.arange(3)).nest([1, 2]).map_nested(lambda numbers: numbers.reverse())
        same(scalars, [[0], [2, 1]])
    _fails(lambda: groups.inner.map_nested(lambda rows: rows).to_list(), Acc.Error.SHAPE, 'elements are arrays')
    _fails(lambda: groups.map_nested(lambda rows: rows.inner).to_list(), Acc.Error.CALLBACK)
    try:
        groups.map_nested(lambda rows: 1 / 0)
        assert False
    except ZeroDivisionError:
        pass


def test_random_numbers():
    rows = Acc.NestedArray.from_lengths(np.arange(6.), [2, 1, 3])
    seeds = np.asarray(Acc.random_bits((3, 2), 'u8', seed=5, stream=6).run()).tolist()
    drawn = rows.map(lambda row: Acc.random_normal(4, seed=5, stream=6))
    for k, (seed, stream) in enumerate(seeds):
        assert np.array_equal(np.asarray(drawn[k].run()), np.asarray(Acc.random_normal(4, seed=seed, stream=stream).run()))
    try:
        rows.map(lambda row: 1 / 0)
        assert False
    except ZeroDivisionError:
        pass
    assert np.asarray(Acc.random_bits(1, 'u8', seed=5, stream=6).run())[0] == seeds[0][0]


def test_padded_arrays():
    padded = np.arange(12.).reshape(3, 4)
    mask = padded % 3 == 0
    assert Acc.NestedArray.from_padded(padded, [2, 0, 4]).to_list() == [[0, 1], [], [8, 9, 10, 11]]
    assert Acc.NestedArray.from_padded(padded, np.array([4, 1, 0], 'u1')).to_list() == [[0, 1, 2, 3], [4], []]
    assert Acc.NestedArray.from_padded(padded, mask).to_list() == [row[kept].tolist() for row, kept in zip(padded, mask)]
    films = np.arange(24).reshape(2, 3, 4)
    assert Acc.NestedArray.from_padded(films, [1, 3]).to_list() == [films[0, :1].tolist(), films[1].tolist()]
    kept = np.array([[False, True, True], [False] * 3])
    assert Acc.NestedArray.from_padded(films, kept).to_list() == [films[0, 1:].tolist(), []]
    rows = Acc.NestedArray.from_lengths(np.arange(6), [2, 0, 4])
    again, inside = rows.to_padded(-1)
    assert Acc.NestedArray.from_padded(again, inside).to_list() == Acc.NestedArray.from_padded(again, rows.lengths).to_list() == rows.to_list()
    assert Acc.NestedArray.from_padded(np.zeros((0, 3)), np.zeros(0, 'i8')).to_list() == []
    assert Acc.NestedArray.from_padded(np.zeros((2, 0)), np.zeros((2, 0), '?')).to_list() == [[], []]
    for kept in ([2, 5, 0], [2, -1, 0]):
        for name in ('interpreter', 'native'):
            _fails(lambda: Acc.NestedArray.from_padded(padded, kept).to_list(Acc.Backend.new_for_name(name)), Acc.Error.BOUNDS, 'the length of element 1 is')
    for kept in ([1, 1], [[1, 1, 1]], mask[:, :3], mask[:2], mask[0]):
        _fails(lambda: Acc.NestedArray.from_padded(padded, np.array(kept)), Acc.Error.SHAPE, 'nested_array_new_from_padded')
    _fails(lambda: Acc.NestedArray.from_padded(padded, [1., 1., 1.]), Acc.Error.TYPE)
    _fails(lambda: Acc.NestedArray.from_padded(padded[0], [1]), Acc.Error.SHAPE)

    @Acc.program('f8[:,:]', 'b1[:,:]')
    def sums(values, mask):
        return Acc.NestedArray.from_padded(values, mask).sum()

    assert np.asarray(sums(padded, mask)).tolist() == np.where(mask, padded, 0).sum(1).tolist()
    for wrong in (mask[:2], mask[:, :3], np.ones((3, 5), '?')):
        _fails(lambda: sums(padded, wrong), Acc.Error.BOUNDS)


def test_programs():
    calls = []

    @Acc.program('f8[:]', 'i4[:]')
    def statistics(values, lengths):
        calls.append(1)
        rows = Acc.NestedArray.from_lengths(values, lengths)
        doubled = rows.map(lambda row: row.sort().map(lambda x: x * 2))
        return doubled.flatten(), rows.sum(), doubled.offsets, rows.filter(lambda row: row.fold(0., lambda x, y: x + y).map(lambda s: s > 5)).lengths

    generator = np.random.default_rng(1)
    for backend in ('interpreter', 'native'):
        backend = Acc.Backend.new_for_name(backend)
        for lengths in ([2, 0, 3], [], [0], [1] * 20, [7, 2], [0, 0, 4]):
            values = generator.integers(0, 9, sum(lengths)).astype('f8')
            parts = np.split(values, np.cumsum(lengths)[:-1]) if lengths else []
            flat, sums, offsets, kept = [np.asarray(x).tolist() for x in statistics(values, np.array(lengths, 'i4'), backend=backend)]
            assert flat == [2 * x for part in parts for x in sorted(part)] and sums == [sum(part) for part in parts]
            assert offsets == [0, *np.cumsum(lengths)] and kept == [len(part) for part in parts if sum(part) > 5]
        _fails(lambda: statistics(np.arange(3.), np.array([1, 1], 'i4'), backend=backend), Acc.Error.SHAPE)
        _fails(lambda: statistics(np.arange(3.), np.array([4, -1], 'i4'), backend=backend), Acc.Error.BOUNDS)
    assert len(calls) == 1


def test_programs_of_levels():
    @Acc.program('i8[:]', 'i8[:]', 'i8[:]')
    def totals(values, lengths, groups):
        deep = Acc.NestedArray.from_lengths(values, lengths).nest(groups)
        sums = deep.map(lambda row: row.fold(0, lambda x, y: x + y))
        chosen = deep.reverse().map(lambda row: row.concat(row))
        return sums.sum(), deep.flatten_level(1).lengths, chosen.flatten(), chosen.lengths, chosen.inner.lengths

    for lengths, groups in (([2, 1, 0, 3], [1, 0, 3]), ([], [0, 0]), ([4], [1])):
        values = np.arange(sum(lengths)) + 1
        rows = [part.tolist() for part in np.split(values, np.cumsum(lengths)[:-1])] if lengths else []
        deep = [rows[end - n:end] for n, end in zip(groups, np.cumsum(groups))]
        sums, joined, flat, outer, inner = [np.asarray(x).tolist() for x in totals(values, np.array(lengths, 'i8'), np.array(groups))]
        assert sums == [sum(sum(row) for row in part) for part in deep] and joined == [sum(len(row) for row in part) for part in deep]
        assert flat == [x for part in deep[::-1] for row in part for x in row + row] and outer == [len(part) for part in deep[::-1]]
        assert inner == [2 * len(row) for part in deep[::-1] for row in part]


def test_loops():
    """Rows that lose their first value until all are empty; the sums of what was there."""
    def goes_on(values, lengths, sums):
        return values.map(lambda x: 1).fold(0, lambda x, y: x + y).map(lambda n: n > 0)

    def step(values, lengths, sums):
        rows = Acc.NestedArray.from_lengths(values, lengths)
        less = rows.map(lambda row: row.drop(1))
        return less.flatten(), less.lengths, sums.zip_with(rows.sum(), lambda x, y: x + y)

    for lengths in ([3, 0, 1], [0, 0], [5], [2, 2, 2, 2]):
        values = np.arange(sum(lengths)) + 1
        initial = [values, np.array(lengths), np.zeros(len(lengths), 'i8')]
        left, ends, sums = Acc.while_loop(initial, goes_on, step)
        parts = np.split(values, np.cumsum(lengths)[:-1])
        for backend in (Acc.Backend.new_for_name('interpreter'), None):
            assert np.asarray(sums.run(backend)).tolist() == [sum((i + 1) * x for i, x in enumerate(part.tolist())) for part in parts]
        assert np.asarray(left.run()).tolist() == [] and np.asarray(ends.run()).tolist() == [0] * len(lengths)

    # Elements that loop by themselves, within levels.
    deep = Acc.NestedArray.from_list([[[5, 1], [2]], [], [[], [7]]])
    halved = deep.map(lambda row: Acc.while_loop([row], lambda r: r.fold(0, lambda x, y: x + y).map(lambda s: s > 3), lambda r: (r.map(lambda x: x // 2),))[0])
    assert halved.to_list() == [[[2, 0], [2]], [], [[], [3]]], halved.to_list()


def test_numpy():
    rows = Acc.NestedArray.from_offsets(np.arange(6, dtype='f4'), np.array([0, 2, 6], 'i4')).run()
    assert [np.asarray(row).dtype for row in (rows[0].run(), rows.values)] == [np.dtype('f4')] * 2
    assert np.asarray(rows.offsets).tolist() == [0, 2, 6] and np.asarray(rows.values).tolist() == list(range(6))
    parts = [np.asarray(row.run()) for row in rows]
    assert [part.tolist() for part in parts] == rows.to_list() and Acc.NestedArray.from_arrays(parts).to_list() == rows.to_list()
    given = np.array([1., 2., 3.])
    assert Acc.NestedArray.from_regular(given.reshape(3, 1)).values.__array_interface__['data'][0] == given.ctypes.data


def test_text_and_variants():
    lists = [[[1.5, 2.], [3.]], [], [[], [4.]]]
    rows = Acc.NestedArray.from_list(lists, 'f4')
    for nested in (rows, rows.run(), rows.map(lambda row: row.map(lambda x: x * 2))):
        again = Acc.NestedArray.from_text(nested.to_text())
        assert again.to_list() == nested.to_list() and again.dtype == 'f4' and again.is_manifest() == nested.is_manifest()
    variant = rows.run().to_variant()
    assert variant.get_type_string() == 'aaad' and variant.unpack() == lists
    assert Acc.NestedArray.new_from_variant(Acc.ElementType.parse('f4'), GLib.Variant('aaad', lists)).to_list() == lists
    _fails(lambda: Acc.NestedArray.from_text('acc nested 1\nirregular 1\n'), Acc.Error.PARSE)
    _fails(lambda: Acc.NestedArray.new_from_variant(Acc.ElementType.parse('i4'), GLib.Variant('aaad', lists)), Acc.Error.TYPE)


def test_replicate():
    rows = Acc.NestedArray.from_lengths(np.arange(3), np.array([2, 0, 1]))
    assert rows.replicate(3).to_list() == [row for row in rows.to_list() for _ in range(3)]
    assert rows.replicate(0).to_list() == rows.replicate(-1).to_list() == []
    assert Acc.NestedArray.from_regular(np.arange(4).reshape(2, 2)).replicate(2).to_list() == [[0, 1], [0, 1], [2, 3], [2, 3]]


def _fails(make, code, part=''):
    try:
        make()
    except GLib.Error as error:
        assert error.matches(Acc.error_quark(), code) and part in error.message, error
        return
    assert False, (code, part)


def test_descriptors_that_do_not_fit():
    values = np.arange(6)
    length, end = 'the length of element {} is negative, or', 'element {} ends before it begins'

    def fails(make, number, what):
        for name in ('interpreter', 'native'):
            _fails(lambda: make().to_list(Acc.Backend.new_for_name(name)), Acc.Error.BOUNDS, what.format(number))

    for lengths, number in (([2, -1, 4], 1), ([3, 9], 1), ([7], 0), ([2 ** 62] * 4, 0), ([-2 ** 63, 1], 0), ([1, 2, 3, -4], 3)):
        fails(lambda: Acc.NestedArray.from_lengths(values, np.array(lengths)), number, length)
        fails(lambda: Acc.NestedArray.from_lengths(values, np.ones(6, 'i8')).nest(np.array(lengths)), number, length)
    fails(lambda: Acc.NestedArray.from_lengths(values, np.array([1, 2 ** 64 - 1], 'u8')), 1, length)
    for offsets, number in (([0, 3, 2], 1), ([-1, 3], 0), ([0, 7], 0), ([3, 1, 6], 0), ([7], 0), ([0, 2 ** 62, 3], 0), ([0, 6, -2 ** 63], 1),
                            ([0, 1, 2, 9], 2)):
        fails(lambda: Acc.NestedArray.from_offsets(values, np.array(offsets)), number, end)
    for extents, number in (([(-2, -3)], 0), ([(2, 1), (-1, 4)], 1), ([(2 ** 32, 2 ** 32)], 0), ([(1, 6), (4, 2 ** 62)], 1), ([(2, 3), (0, -5)], 1)):
        columns = [np.array(column) for column in zip(*extents)]
        fails(lambda: Acc.NestedArray.from_extents(values, Acc.use(columns[0]).zip(columns[1])), number, length)
    for make in (lambda lengths: Acc.NestedArray.from_lengths(values, np.array(lengths)),
                 lambda lengths: Acc.NestedArray.from_lengths(values, np.ones(6, 'i8')).nest(np.array(lengths))):
        _fails(lambda: make([2, 2]).to_list(), Acc.Error.SHAPE, 'lengths add up to 4, less than there are values')
        _fails(lambda: make([5, 5]).to_list(), Acc.Error.BOUNDS, 'lengths add up to 10, more than there are values')
    _fails(lambda: Acc.NestedArray.from_offsets(values, np.zeros(0, 'i8')), Acc.Error.SHAPE, 'there are no offsets')
    _fails(lambda: Acc.NestedArray.from_lengths(values.reshape(2, 3), [6]), Acc.Error.SHAPE, 'values are a vector')
    _fails(lambda: Acc.NestedArray.from_lengths(values, [1.5]), Acc.Error.TYPE)
    _fails(lambda: Acc.NestedArray.from_lengths(values, [[1, 2]]), Acc.Error.SHAPE)
    assert Acc.NestedArray.from_offsets(values, np.array([4])).to_list() == []


def test_arguments_that_do_not_fit():
    rows = Acc.NestedArray.from_lengths(np.arange(6.), [2, 0, 4])
    extents = np.array([(1., 2.), (2., 2.)], 'f8,f8')
    _fails(lambda: Acc.NestedArray.from_extents(np.arange(6.), extents), Acc.Error.TYPE, 'nested_array_new_from_extents')
    _fails(lambda: Acc.NestedArray.from_lengths(np.array(6.), [1]), Acc.Error.SHAPE, 'nested_array_new_from_lengths: values are a vector')
    _fails(lambda: rows.replicate(2 ** 62).run(), Acc.Error.SHAPE, 'nested_array_replicate')
    _fails(lambda: rows.to_padded(1j), Acc.Error.TYPE, 'nested_array_to_padded')
    for mistaken in (lambda: rows.map(lambda row: rows), lambda: rows.nest([2, 1]).map_nested(lambda some: some.lengths)):
        try:
            mistaken()
        except TypeError:
            continue
        raise AssertionError('a function of another kind')


def test_random_descriptors():
    generator = np.random.default_rng(5)
    accepted = 0
    for _ in range(150):
        values = np.arange(generator.integers(0, 9))
        offsets = np.sort(generator.integers(0, len(values) + 1, generator.integers(1, 6)))
        offsets[generator.integers(0, len(offsets))] += generator.integers(-1, 2)
        fits = offsets[0] >= 0 and offsets[-1] <= len(values) and (np.diff(offsets) >= 0).all()
        make = lambda: Acc.NestedArray.from_offsets(values, offsets).to_list(Acc.Backend.new_for_name('interpreter'))
        if fits:
            accepted += 1
            assert make() == [values[a:b].tolist() for a, b in zip(offsets, offsets[1:])]
        else:
            _fails(make, Acc.Error.BOUNDS, 'element ')
    assert 20 < accepted < 130, accepted


if __name__ == "__main__":
    check.main(sys.modules["__main__"])
