# SPDX-License-Identifier: LGPL-2.1-or-later
"""Arrays in and out of NumPy."""

import gc
import sys
import weakref

import check
import numpy as np
from gi.repository import Acc

CODES = ('b1', 'i1', 'i2', 'i4', 'i8', 'u1', 'u2', 'u4', 'u8', 'f2', 'f4', 'f8')


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


def test_structured():
    data = np.array([(1, 2.5), (3, 4.5)], dtype=[('f0', 'i4'), ('f1', 'f8')])
    array = Acc.use(data)
    assert array.dtype == '(i4,f8)'
    first, second = array.unzip()
    assert list(np.asarray(first.run())) == [1, 3] and list(np.asarray(second.run())) == [2.5, 4.5]
    swapped = np.asarray(array.map(lambda x: (x[1], x[0])).run())
    assert list(swapped['f0']) == [2.5, 4.5] and list(swapped['f1']) == [1, 3]


if __name__ == '__main__':
    check.main(sys.modules['__main__'])
