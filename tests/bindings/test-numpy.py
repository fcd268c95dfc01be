# SPDX-License-Identifier: LGPL-2.1-or-later
"""Arrays in and out of NumPy."""

import fractions
import gc
import sys
import tempfile
import weakref

import check
import numpy as np
from gi.repository import Acc, GLib

CODES = ('b1', 'i1', 'i2', 'i4', 'i8', 'u1', 'u2', 'u4', 'u8', 'f2', 'f4', 'f8', 'c8', 'c16')


def test_round_trip_of_every_type():
    for code in CODES:
        for shape in ((), (0,), (5,), (2, 0, 3), (2, 3, 4)):
            data = (np.arange(int(np.prod(shape))) % 2).reshape(shape).astype('?' if code == 'b1' else code)
            array = Acc.use(data)
            assert array.dtype == code and array.shape == shape
            assert np.array_equal(np.asarray(array), data), (code, shape)
            assert np.array_equal(np.asarray(array.map(lambda x: x).run()), data), (code, shape)


def test_no_copy_in():
    data = np.arange(1000, dtype='f4')
    assert Acc.use(data).get_address(0) == data.__array_interface__['data'][0]


def test_no_copy_out():
    array = Acc.use(np.arange(1000, dtype='f4')).map(lambda x: x + 1).run()
    view = np.asarray(array)
    assert view.__array_interface__['data'][0] == array.get_address(0)
    del array
    gc.collect()
    assert view[999] == 1000


class Counted(np.ndarray):
    pass


def test_memory_lives_as_long_as_it_is_used():
    data = np.arange(1000, dtype='f4').view(Counted)
    gone = weakref.ref(data)
    array = Acc.use(data)
    reshaped = array.reshape(10, 100).run()
    del data, array
    gc.collect()
    assert np.asarray(reshaped)[9, 99] == 999
    del reshaped
    gc.collect()
    assert gone() is None


def test_odd_layouts_are_copied():
    data = np.arange(24, dtype='i4').reshape(4, 6)
    for view in (data.T, data[::2, ::3], data[::-1]):
        assert np.array_equal(np.asarray(Acc.use(view)), view)
    assert np.array_equal(np.asarray(Acc.use(np.arange(4, dtype='>i4'))), np.arange(4))


def test_complex():
    data = np.array([1 + 2j, -3.5j, 4], dtype='c8')
    array = Acc.use(data)
    assert array.get_address(0) == data.__array_interface__['data'][0]
    assert np.array_equal(np.asarray(array.map(lambda z: 2 * z + 1j).run()), 2 * data + 1j)
    assert np.array_equal(np.asarray((array * data).run()), data * data)
    assert np.allclose(np.asarray((array / (1 + 1j)).run()), data / (1 + 1j))
    assert np.array_equal(np.asarray(array.map(lambda z: z.imag).run()), data.imag)
    assert np.array_equal(np.asarray(array.map(lambda z: z ** 2).run()), data ** 2)
    assert np.array_equal(np.asarray(array.map(lambda z: Acc.complex_(z.real, 0) + np.complex64(1j)).run()), data.real + 1j)
    assert np.array_equal(np.asarray(Acc.use(np.arange(3, dtype='f8')).map(lambda x: x + 2j).run()), np.arange(3) + 2j)
    assert complex(array.sum().run()) == data.sum() and array[1] == -3.5j
    assert np.allclose(np.asarray(abs(array).run()), abs(data))
    result = array.map(Acc.conjugate).run()
    view = np.asarray(result)
    assert view.dtype == 'c8' and view.__array_interface__['data'][0] == result.get_address(0)
    halves = np.asarray(array.cast('c4').run())
    assert halves.dtype == 'f2' and halves.shape == (3, 2) and list(halves[1]) == [0, -3.5]


def test_vectors():
    data = np.arange(24, dtype='f4').reshape(2, 3, 4)
    array = Acc.use(data, '4f4')
    assert array.dtype == '4f4' and array.shape == (2, 3) and array.get_address(0) == data.__array_interface__['data'][0]
    result = array.map(lambda v: 2 * v.with_item(1, 0)).run()
    wanted = 2 * data
    wanted[..., 1] = 0
    view = np.asarray(result)
    assert np.array_equal(view, wanted) and view.__array_interface__['data'][0] == result.get_address(0)
    assert np.array_equal(np.asarray(array.map(lambda v: Acc.vec(v[3], v[0])).run()), data[..., [3, 0]])
    words = Acc.use(np.array([0x01020304], 'u4')).map(lambda x: x.bitcast('4u1'))
    assert list(np.asarray(words.run())[0]) == list(np.array([0x01020304], 'u4').view('u1'))
    assert np.asarray(Acc.use(np.zeros((0, 3), 'u1'), '3u1')).shape == (0, 3)
    try:
        Acc.use(data, '3f4')
        raise AssertionError('four are no three')
    except ValueError:
        pass


def test_characters():
    a = np.array(list('naïve ☃ 𝄞'))
    xs = Acc.use(a)
    assert xs.dtype == 'u4' and np.array_equal(np.asarray(xs), [ord(c) for c in a])
    assert np.array_equal(np.asarray(xs.map(lambda c: c == ' ').run()), a == ' ')
    capitals = xs.map(lambda c: Acc.cond((c >= 'a') & (c <= 'z'), c - 32, c)).run()
    assert ''.join(np.asarray(capitals).view('U1')) == 'NAïVE ☃ 𝄞'
    assert np.asarray(Acc.use(np.array([], 'U1')).run()).shape == (0,)
    try:
        Acc.use(np.array(['two']))
    except TypeError:
        pass
    else:
        assert False, 'longer texts have no element type'


def test_ratios():
    rng = np.random.default_rng(9)
    for dtype in ('i1', 'i2', 'i4', 'i8', 'u1', 'u2', 'u4', 'u8'):
        a, b = rng.integers(0 if dtype[0] == 'u' else -100, 100, 200).astype(dtype), rng.integers(1, 100, 200).astype(dtype)
        ratios = Acc.use(a).zip_with(Acc.use(b), Acc.ratio).run()
        wanted = [fractions.Fraction(int(x), int(y)) for x, y in zip(a, b)]
        assert ratios.dtype == f'({dtype},{dtype})'
        assert [(int(p), int(q)) for p, q in np.asarray(ratios)] == [(w.numerator, w.denominator) for w in wanted]
    for dtype in ('f2', 'f4', 'f8'):
        numbers = rng.standard_normal(200).astype(dtype)
        numbers = numbers[np.abs(numbers) > 2 ** -8]
        wanted = [fractions.Fraction(float(x)) for x in numbers]
        got = np.asarray(Acc.use(numbers).map(Acc.to_ratio).run())
        assert [(int(p), int(q)) for p, q in got] == [(w.numerator, w.denominator) for w in wanted]
    halves = Acc.use(np.array([1, 2], 'i8')).map(lambda x: Acc.ratio(x, 2)).map(lambda r: r == fractions.Fraction(1, 2)).run()
    assert list(np.asarray(halves)) == [True, False]


def test_files():
    with tempfile.TemporaryDirectory() as folder:
        for code in ('c8', 'c16'):
            data = (np.arange(600).reshape(100, 6) * (1 - 2j)).astype(code)
            np.save(f'{folder}/in.npy', data)
            array = Acc.open_source(f'{folder}/in.npy')
            assert array.dtype == code
            array.map(Acc.conjugate).write(Acc.create_sink(f'{folder}/out.npy'))
            assert np.array_equal(np.load(f'{folder}/out.npy'), data.conj())
            vectors = array.map(lambda z: Acc.vec(z.real, z.imag, 0))
            vectors.write(Acc.create_sink(f'{folder}/vectors.npy'))
            assert np.array_equal(np.load(f'{folder}/vectors.npy'), np.stack([data.real, data.imag, 0 * data.real], -1))


def test_structured_with_vectors():
    data = np.zeros(5, dtype=[('z', 'c8'), ('v', 'u2', (3,)), ('b', '?')])
    data['z'], data['v'], data['b'] = np.arange(5) * 1j, np.arange(15).reshape(5, 3), [0, 1, 0, 1, 1]
    array = Acc.use(data)
    assert array.dtype == '(c8,3u2,b1)'
    swapped = np.asarray(array.map(lambda x: (x[1], x[0])).run())
    assert np.array_equal(swapped['f0'], data['v']) and np.array_equal(swapped['f1'], data['z'])


def test_structured():
    data = np.array([(1, 2.5), (3, 4.5)], dtype=[('f0', 'i4'), ('f1', 'f8')])
    array = Acc.use(data)
    assert array.dtype == '(i4,f8)'
    first, second = array.unzip()
    assert list(np.asarray(first.run())) == [1, 3] and list(np.asarray(second.run())) == [2.5, 4.5]
    swapped = np.asarray(array.map(lambda x: (x[1], x[0])).run())
    assert list(swapped['f0']) == [2.5, 4.5] and list(swapped['f1']) == [1, 3]


def test_loops_of_several_arrays():
    left, found = Acc.while_loop(
        (Acc.enum_from(99, 2), Acc.use(np.zeros(0, 'i8'))),
        lambda left, found: Acc.generate((), lambda _: left.extent(0) > 0),
        lambda left, found: (left.filter(lambda x: x % left[0] != 0)[0], found.concat(left.take(1))))
    assert [int(x) for x in np.asarray(found)] == [n for n in range(2, 101) if all(n % d for d in range(2, n))]
    assert np.asarray(left).shape == (0,)
    first, second = Acc.choose(Acc.use(np.array(True)), (np.arange(3), np.ones(2)), (np.arange(4), np.zeros(1)))
    assert list(np.asarray(first)) == [0, 1, 2] and list(np.asarray(second)) == [1, 1]

    @Acc.program('f4[:]', 'f4[:]')
    def both(x, y):
        return x + y, (x - y).compute()

    total, difference = both(np.float32([1, 2]), np.float32([3, 5]))
    assert list(np.asarray(total)) == [4, 7] and list(np.asarray(difference)) == [-2, -3]
    try:
        Acc.while_loop((np.arange(3),), lambda x: x.map(lambda y: y < 3), lambda x: 1 / 0)
    except (ZeroDivisionError, GLib.Error):
        pass
    else:
        assert False


def test_parts_are_as_numpy_cuts_them():
    for code in CODES:
        data = (np.arange(60) % 2 if code == 'b1' else np.arange(60)).reshape(3, 4, 5).astype('?' if code == 'b1' else code)
        array = Acc.use(data)
        for axis in range(-3, 3):
            cut = lambda *limits: data[(slice(None),) * (axis % 3) + (slice(*limits),)]
            for made, want in ((array.take(2, axis), cut(2)), (array.drop(1, axis), cut(1, None)), (array.drop_last(2, axis), cut(-2)),
                               (array.tail(axis), cut(1, None)), (array.slit(1, 2, axis), cut(1, 3)), (array.reverse(axis), cut(None, None, -1)),
                               (array.concat(array.take(1, axis), axis), np.concatenate((data, cut(1)), axis)),
                               (array.transpose(axis, 0), np.swapaxes(data, axis, 0))):
                assert np.array_equal(np.asarray(made.run()), want), (code, axis)
        assert np.array_equal(np.asarray(array.T.run()), np.swapaxes(data, -1, -2))
    picks = np.array([[5, 0], [59, 59]])
    assert np.array_equal(np.asarray(Acc.use(data).gather(picks).run()), data.ravel()[picks])
    assert np.array_equal(np.asarray(Acc.enum_from((2, 3), 5, 2, 'i4').run()), np.arange(5, 17, 2).reshape(2, 3))
    try:
        array.take(1, 3)
        raise AssertionError('a dimension too many was accepted')
    except GLib.Error as error:
        assert 'take_on' in str(error) and 'dimension 3' in str(error)


def test_some_and_several():
    data = np.arange(30, dtype='i4').reshape(5, 6) * 7 % 10
    kept, counts = Acc.use(data).filter(lambda x: x < 4)
    assert np.array_equal(np.asarray(kept.run()), data[data < 4]) and np.array_equal(np.asarray(counts.run()), (data < 4).sum(1))
    kept, counts = Acc.use(data).compact(Acc.use(data % 2 == 0))
    assert np.array_equal(np.asarray(kept.run()), data[data % 2 == 0]) and np.array_equal(np.asarray(counts.run()), (data % 2 == 0).sum(1))
    times = np.array([2, 0, 3, 1])
    repeated = Acc.use(times).expand(lambda x: x, lambda x, i: x * 10 + i)
    assert list(np.asarray(repeated.run())) == [20, 21, 30, 31, 32, 10]


def test_scans_are_cumulative_sums():
    data = np.arange(20, dtype='i8').reshape(4, 5) ** 2
    array, add = Acc.use(data), lambda x, y: x + y
    right = lambda rows: np.flip(np.cumsum(np.flip(rows, -1), -1), -1)
    seeds = np.full((4, 1), 7)
    for made, want in ((array.scanl1(add), np.cumsum(data, -1)), (array.scanr1(add), right(data)),
                       (array.scanl(7, add), np.cumsum(np.hstack((seeds, data)), -1)), (array.scanr(7, add), right(np.hstack((data, seeds)))),
                       (array.prescanl(7, add), np.cumsum(np.hstack((seeds, data)), -1)[:, :-1]),
                       (array.prescanr(7, add), right(np.hstack((data, seeds)))[:, 1:]),
                       (array.postscanl(7, add), np.cumsum(data, -1) + 7), (array.postscanr(7, add), right(data) + 7)):
        assert np.array_equal(np.asarray(made.run()), want)
    for made, want in ((array.scanl_with_total(7, add), np.cumsum(np.hstack((seeds, data)), -1)[:, :-1]),
                       (array.scanr_with_total(7, add), right(np.hstack((data, seeds)))[:, 1:])):
        assert np.array_equal(np.asarray(made[0].run()), want) and np.array_equal(np.asarray(made[1].run()), data.sum(-1) + 7)

    _exceptions_come_out(array, add)


def test_parts_of_rows_are_reduced_by_themselves():
    data = np.arange(40, dtype='i8').reshape(4, 10) ** 2
    array, add, lengths = Acc.use(data), lambda x, y: x + y, np.array([1, 4, 0, 3], 'u2')
    parts = np.split(data[:, :8], np.cumsum(lengths)[:-1].astype(int), -1)
    sums = np.hstack([part.sum(-1, keepdims=True) for part in parts])
    each = lambda scan: np.hstack([scan(part) for part in parts])
    right = lambda rows: np.flip(np.cumsum(np.flip(rows, -1), -1), -1)
    before = lambda part: np.insert(part, 0, 7, -1)
    behind = lambda part: np.insert(part, part.shape[-1], 7, -1)
    for made, want in ((array.fold_seg(7, lengths, add), sums + 7), (array.fold1_seg([1, 4, 3], add), np.add.reduceat(data[:, :8], [0, 1, 5], -1)),
                       (array.fold_seg_offsets(7, [0, 1, 5, 5, 8], add), sums + 7),
                       (array.fold1_seg_offsets([2, 3, 10], Acc.max), np.maximum.reduceat(data, [2, 3], -1)),
                       (array.scanl_seg(7, lengths, add), each(lambda part: np.cumsum(before(part), -1))),
                       (array.scanr_seg(7, lengths, add), each(lambda part: right(behind(part)))),
                       (array.scanl1_seg(lengths, add), each(lambda part: np.cumsum(part, -1))), (array.scanr1_seg(lengths, add), each(right)),
                       (array.prescanl_seg(7, lengths, add), each(lambda part: np.cumsum(before(part), -1)[:, :-1])),
                       (array.prescanr_seg(7, lengths, add), each(lambda part: right(behind(part))[:, 1:])),
                       (array.postscanl_seg(7, lengths, add), each(lambda part: np.cumsum(part, -1) + 7)),
                       (array.postscanr_seg(7, lengths, add), each(lambda part: right(part) + 7))):
        assert np.array_equal(np.asarray(made.run()), want)
    for made, want in ((array.scanl_with_total_seg(7, lengths, add), array.prescanl_seg(7, lengths, add)),
                       (array.scanr_with_total_seg(7, lengths, add), array.prescanr_seg(7, lengths, add))):
        assert np.array_equal(np.asarray(made[0].run()), np.asarray(want.run())) and np.array_equal(np.asarray(made[1].run()), sums + 7)
    try:
        array.fold_seg(0, [3, 9], add).run()
        raise AssertionError('segments that are too long were accepted')
    except GLib.Error as error:
        assert 'fold_seg: lengths add up to' in str(error)


def _exceptions_come_out(array, add):
    def wrong(*arguments):
        raise KeyError('here')

    for call in (lambda: array.scanr(0, wrong), lambda: array.scanl_with_total(0, wrong), lambda: array.filter(wrong),
                 lambda: array.fold1_seg([2, 1], wrong), lambda: array.scanr_with_total_seg(0, [2, 1], wrong),
                 lambda: array.flatten().expand(wrong, add), lambda: array.flatten().expand(lambda x: x, wrong)):
        try:
            call()
            raise AssertionError('an exception was lost')
        except KeyError as error:
            assert error.args == ('here',)


def test_prelude():
    data = (np.arange(40, dtype='f4').reshape(4, 10) * 7) % 11
    array = Acc.use(data)
    for made, want in ((array.sort(), np.sort(data)), (array.argsort(), np.argsort(data, kind='stable')), (array.cumsum(), np.cumsum(data, -1)),
                       (array.sort_by_key(lambda x: -x), -np.sort(-data)), (array.sort_by_key(lambda x: x, True), -np.sort(-data)),
                       (array.argmax(), data.argmax(-1)), (array @ array.T, data @ data.T), (array.unique()[0], np.unique(data)),
                       (array.histogram(5, (0, 10)), np.histogram(data, 5, (0, 10))[0])):
        assert np.array_equal(np.asarray(made.run()), want)
    for made, want in ((array.mean(), data.mean(-1)), (array.var(), data.var(-1)), (array.std_all(1), data.std(ddof=1)), (array.norm_all(), np.linalg.norm(data))):
        assert np.allclose(np.asarray(made.run()), want)
    assert np.array_equal(np.asarray(Acc.random_uniform(5, seed=3).run()), np.asarray(Acc.random_uniform(5, seed=3).run()))
    number = Acc.use(np.array(3.0))
    for call in (number.argmin, number.mean, number.sort, lambda: array.dot(number), lambda: array @ array, lambda: array.bincount(3),
                 lambda: Acc.random_bits(3, 'f4')):
        try:
            call()
            raise AssertionError('a mistake was accepted')
        except GLib.Error:
            pass


def test_axes():
    """Rows along any dimension, of arrays whose extents are known, and of a program's arguments."""
    x = (np.arange(60) * 7 % 11).astype('f8').reshape(3, 4, 5)
    a = Acc.use(x)
    pairs = {'sum': np.sum, 'product': np.prod, 'minimum': np.min, 'maximum': np.max, 'mean': np.mean, 'std': np.std, 'var': np.var,
             'all': np.all, 'any': np.any, 'count_nonzero': np.count_nonzero, 'norm': lambda x, axis: np.sqrt((x * x).sum(axis))}
    for axis in (0, 1, 2, -1, -3, (0, 2), (2, 1), (0, 1, 2), None):
        for name, want in pairs.items():
            of = a.map(lambda v: v > 0) if name in ('all', 'any') else a
            for made in (getattr(of, name)(axis=axis), getattr(of, name)(axis)):
                assert np.allclose(np.asarray(made), want(np.asarray(of), axis=axis), rtol=1e-13), (name, axis)
        program = Acc.program('f8[:,:,:]')(lambda array, axis=axis: array.sum(axis=axis) + 1)
        assert np.array_equal(np.asarray(program(x)), x.sum(axis=axis) + 1), axis
    rows = {'cumsum': np.cumsum, 'cumprod': np.cumprod, 'cummax': np.maximum.accumulate, 'sort': np.sort}
    for axis in (0, 1, 2, -1, -2):
        for name, want in rows.items():
            assert np.array_equal(np.asarray(getattr(a, name)(axis=axis)), want(x, axis=axis)), (name, axis)
        assert np.array_equal(np.asarray(a.argmax(axis=axis)), x.argmax(axis=axis))
        assert np.array_equal(np.asarray(a.argsort(axis=axis)), x.argsort(axis=axis, kind='stable'))
        assert np.array_equal(np.asarray(a.sort(descending=True, axis=axis)), -np.sort(-x, axis=axis))
        assert np.array_equal(np.asarray(a.fold(3, lambda p, q: p + q, axis=axis)), x.sum(axis=axis) + 3)
        assert np.array_equal(np.asarray(a.scanl1(Acc.min, axis=axis)), np.minimum.accumulate(x, axis=axis))
        for destination in range(-3, 3):
            assert np.array_equal(np.asarray(a.moveaxis(axis, destination)), np.moveaxis(x, axis, destination))
    for axis, error in ((3, IndexError), (-4, IndexError), ((0, -3), ValueError), ((), ValueError), (1.5, TypeError)):
        try:
            made = a.sum(axis=axis)
        except error:
            continue
        raise AssertionError(f'{axis} gave {made!r}')


if __name__ == '__main__':
    check.main(sys.modules['__main__'])
