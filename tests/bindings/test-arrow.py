# SPDX-License-Identifier: LGPL-2.1-or-later
"""Columns of Arrow, in and out, as capsules of a producer and a consumer that are written here."""

import ctypes
import gc
import sys
import types

import check
import numpy as np
from gi.repository import Acc, GLib


class Schema(ctypes.Structure):
    pass


class Array(ctypes.Structure):
    pass


RELEASE_SCHEMA, RELEASE_ARRAY = ctypes.CFUNCTYPE(None, ctypes.POINTER(Schema)), ctypes.CFUNCTYPE(None, ctypes.POINTER(Array))
Schema._fields_ = [('format', ctypes.c_char_p), ('name', ctypes.c_char_p), ('metadata', ctypes.c_char_p), ('flags', ctypes.c_int64),
                   ('n_children', ctypes.c_int64), ('children', ctypes.POINTER(ctypes.POINTER(Schema))),
                   ('dictionary', ctypes.POINTER(Schema)), ('release', RELEASE_SCHEMA), ('private_data', ctypes.c_void_p)]
Array._fields_ = [('length', ctypes.c_int64), ('null_count', ctypes.c_int64), ('offset', ctypes.c_int64), ('n_buffers', ctypes.c_int64),
                  ('n_children', ctypes.c_int64), ('buffers', ctypes.POINTER(ctypes.c_void_p)),
                  ('children', ctypes.POINTER(ctypes.POINTER(Array))), ('dictionary', ctypes.POINTER(Array)), ('release', RELEASE_ARRAY),
                  ('private_data', ctypes.c_void_p)]

new_capsule = ctypes.PYFUNCTYPE(ctypes.py_object, ctypes.c_void_p, ctypes.c_char_p, ctypes.c_void_p)(('PyCapsule_New', ctypes.pythonapi))
get_pointer = ctypes.PYFUNCTYPE(ctypes.c_void_p, ctypes.py_object, ctypes.c_char_p)(('PyCapsule_GetPointer', ctypes.pythonapi))


class Producer:
    """A column of lists of NumPy's numbers."""

    formats = {'i1': b'c', 'u1': b'C', 'i2': b's', 'u2': b'S', 'i4': b'i', 'u4': b'I', 'i8': b'l', 'u8': b'L', 'f2': b'e', 'f4': b'f', 'f8': b'g'}

    def __init__(self, offsets, values, nulls=None):
        self.offsets, self.values, self.released = offsets.astype('i4'), values, []
        bits = None if nulls is None else np.packbits(~np.array(nulls), bitorder='little')
        self.kept = bits
        self.schemas, self.arrays = (Schema * 2)(), (Array * 2)()
        self.release_schema = RELEASE_SCHEMA(lambda schema: self.release('schema', schema))
        self.release_array = RELEASE_ARRAY(lambda array: self.release('array', array))
        self.children = (ctypes.POINTER(Schema) * 1)(ctypes.pointer(self.schemas[1])), (ctypes.POINTER(Array) * 1)(ctypes.pointer(self.arrays[1]))
        self.buffers = [(ctypes.c_void_p * 2)(bits.ctypes.data if bits is not None else None, self.offsets.ctypes.data),
                        (ctypes.c_void_p * 2)(None, values.ctypes.data)]
        for i, format in enumerate((b'+l', self.formats[values.dtype.str[1:]])):
            self.schemas[i].format, self.schemas[i].release = format, self.release_schema
            self.arrays[i].length, self.arrays[i].n_buffers = (len(offsets) - 1, len(values))[i], 2
            self.arrays[i].buffers, self.arrays[i].release = self.buffers[i], self.release_array
        self.schemas[0].n_children = self.arrays[0].n_children = 1
        self.schemas[0].children, self.arrays[0].children = self.children
        self.arrays[0].null_count = 0 if nulls is None else sum(nulls)

    def release(self, what, struct):
        self.released.append(what)
        struct.contents.release = (RELEASE_SCHEMA if what == 'schema' else RELEASE_ARRAY)()

    def __arrow_c_array__(self, requested_schema=None):
        return (new_capsule(ctypes.addressof(self.schemas[0]), b'arrow_schema', None),
                new_capsule(ctypes.addressof(self.arrays[0]), b'arrow_array', None))


class Stream(ctypes.Structure):
    pass


GET_SCHEMA = ctypes.CFUNCTYPE(ctypes.c_int, ctypes.POINTER(Stream), ctypes.POINTER(Schema))
GET_NEXT = ctypes.CFUNCTYPE(ctypes.c_int, ctypes.POINTER(Stream), ctypes.POINTER(Array))
Stream._fields_ = [('get_schema', GET_SCHEMA), ('get_next', GET_NEXT),
                   ('get_last_error', ctypes.CFUNCTYPE(ctypes.c_void_p, ctypes.POINTER(Stream))),
                   ('release', ctypes.CFUNCTYPE(None, ctypes.POINTER(Stream))), ('private_data', ctypes.c_void_p)]


class Chunks:
    """A column that comes as several, the last of which may fail."""

    def __init__(self, *columns, failure=None):
        self.columns, self.at, self.message = columns, 0, failure and ctypes.create_string_buffer(failure)
        fail = lambda stream: ctypes.addressof(self.message)
        self.stream = Stream(GET_SCHEMA(self.get_schema), GET_NEXT(self.get_next), Stream._fields_[2][1](fail))

    def get_schema(self, stream, schema):
        # A schema is given more than once.
        ctypes.memmove(schema, ctypes.addressof(self.columns[0].schemas[0]), ctypes.sizeof(Schema))
        return 0

    def get_next(self, stream, array):
        if self.at == len(self.columns):
            ctypes.memset(array, 0, ctypes.sizeof(Array))
            return 5 if self.message else 0
        ctypes.memmove(array, ctypes.addressof(self.columns[self.at].arrays[0]), ctypes.sizeof(Array))
        self.at += 1
        return 0

    def __arrow_c_stream__(self, requested_schema=None):
        return new_capsule(ctypes.addressof(self.stream), b'arrow_array_stream', None)


def consume(thing):
    """The lists of a column of lists of lists of f8, or fewer levels, from its structs; and the address of the values."""
    schema_capsule, array_capsule = thing.__arrow_c_array__()
    schema = ctypes.cast(get_pointer(schema_capsule, b'arrow_schema'), ctypes.POINTER(Schema)).contents
    array = ctypes.cast(get_pointer(array_capsule, b'arrow_array'), ctypes.POINTER(Array)).contents

    def read(schema, array):
        assert array.offset == 0 and array.null_count == 0
        if schema.format == b'+L':
            offsets = (ctypes.c_int64 * (array.length + 1)).from_address(array.buffers[1])
            values, address = read(schema.children[0].contents, array.children[0].contents)
            return [values[a:b] for a, b in zip(offsets, offsets[1:])], address
        if schema.format.startswith(b'+w:'):
            n = int(schema.format[3:])
            values, address = read(schema.children[0].contents, array.children[0].contents)
            return [values[n * k:n * k + n] for k in range(array.length)], address
        assert schema.format == b'g'
        return list((ctypes.c_double * array.length).from_address(array.buffers[1])), array.buffers[1]

    return read(schema, array)


def test_import():
    for code in Producer.formats:
        producer = Producer(np.array([1, 3, 3, 4]), np.arange(5).astype(code))
        rows = Acc.NestedArray.from_arrow(producer)
        assert rows.dtype == code and rows.to_list() == [[1, 2], [], [3]] and rows.is_manifest(), code
        address = rows.values.__array_interface__['data'][0]
        assert address == producer.values.ctypes.data + producer.values.itemsize
        assert producer.released == ['schema']
        assert np.asarray(rows.sum().run()).tolist() == [3, 0, 3]
        del rows
        gc.collect()
        assert producer.released == ['schema', 'array'], producer.released


def test_chunks():
    def make(nulls=None):
        return [Producer(np.array([0, 2, 2]), np.arange(2.), nulls), Producer(np.array([0, 1]), np.array([7.]))]

    columns = make()
    assert Acc.NestedArray.from_arrow(Chunks(*columns)).to_list() == [[0, 1], [], [7]]
    assert Acc.NestedArray.from_arrow(Chunks(columns[0])).to_list() == [[0, 1], []]
    gc.collect()
    assert [column.released.count('array') for column in columns] == [2, 1]
    rows, masks = Acc.NestedArray.from_arrow(Chunks(*make([False, True])), nulls=True)
    assert rows.to_list() == [[0, 1], [], [7]]
    assert [np.asarray(mask).tolist() for mask in masks] == [[True, False, True], [True] * 3]
    for wrong, kind, part in ((Chunks(*make(), failure=b'the disk is gone'), ValueError, 'the disk is gone'),
                              (Chunks(), ValueError, 'without chunks'), ([1, 2], TypeError, 'list')):
        try:
            Acc.NestedArray.from_arrow(wrong)
            assert False
        except kind as error:
            assert part in str(error), error


def test_export():
    rows = Acc.NestedArray.from_list([[[1., 2.], [3.]], [], [[], [4.]]]).run()
    lists, address = consume(rows)
    assert lists == rows.to_list() and address == rows.values.__array_interface__['data'][0]
    # What is not computed yet is computed.
    assert consume(rows.map(lambda row: row.reverse()))[0] == [[[2, 1], [3]], [], [[], [4]]]
    assert consume(Acc.NestedArray.from_regular(np.arange(6.).reshape(3, 2)))[0] == [[0, 1], [2, 3], [4, 5]]
    pictures = Acc.NestedArray.from_arrays([np.arange(6.).reshape(2, 3), np.zeros((0, 2)), np.ones((1, 1))])
    assert consume(pictures)[0] == pictures.to_list()
    for made in (rows, pictures.run()):
        assert Acc.NestedArray.from_arrow(made).to_list() == made.to_list()
    # Capsules that nobody opens release what they hold.
    held = sys.modules['gi.overrides.Acc']._arrow._structs
    before = len(held)
    for _ in range(100):
        rows.__arrow_c_array__()
    gc.collect()
    assert len(held) == before


def test_nulls():
    for offsets, nulls, lists in (([0, 3, 3, 5], [False, True, False], [[0, 1, 2], [], [3, 4]]), ([0, 3, 4, 5], [False, True, False], [[0, 1, 2], [], [4]]),
                                  ([0, 3, 4, 5], None, [[0, 1, 2], [3], [4]])):
        producer = Producer(np.array(offsets), np.arange(5.), nulls)
        rows, masks = Acc.NestedArray.from_arrow(producer, nulls=True)
        assert rows.to_list() == lists, rows
        assert [np.asarray(mask).tolist() for mask in masks] == [[not null for null in nulls or [False] * 3], [True] * sum(map(len, lists))]
        del rows, masks
        gc.collect()
        assert sorted(producer.released) == ['array', 'schema'], producer.released


def test_awkward():
    """Columns of Awkward Array go through its own function: the library's where it is there, and what stands for it where it is not."""
    class Column:
        __module__ = 'awkward.highlevel'

        def __init__(self, producer):
            self.producer = producer

    calls, before = [], sys.modules.get('awkward')
    sys.modules['awkward'] = types.ModuleType('awkward')
    sys.modules['awkward'].to_arrow = lambda column, extensionarray: calls.append(extensionarray) or column.producer
    try:
        rows = Acc.NestedArray.from_arrow(Column(Producer(np.array([0, 2, 2, 3]), np.array([1.5, 2., 3.]))))
    finally:
        if before is None:
            del sys.modules['awkward']
        else:
            sys.modules['awkward'] = before
    assert calls == [False] and rows.to_list() == [[1.5, 2.], [], [3.]]

    try:
        import awkward
        import pyarrow
    except ImportError:
        return
    lists = [[[1, 2], []], [], [[3]]]
    rows = Acc.NestedArray.from_arrow(awkward.Array(lists))
    assert rows.to_list() == lists
    assert awkward.from_arrow(pyarrow.array(rows)).to_list() == lists


def test_mistakes():
    values = np.arange(5.)
    for producer, code, part in ((Producer(np.array([0, 3, 2]), values), Acc.Error.BOUNDS, 'element [1] is from 3 to 2 of 5 values'),
                                 (Producer(np.array([0, 3, 6]), values), Acc.Error.BOUNDS, 'element [1] is from 3 to 6 of 5 values'),
                                 (Producer(np.array([0, 3, 4]), values, [False, True]), Acc.Error.UNSUPPORTED, 'element [1] is null')):
        try:
            Acc.NestedArray.from_arrow(producer)
            assert False
        except GLib.Error as error:
            assert error.matches(Acc.error_quark(), code) and part in error.message, error
        assert sorted(producer.released) == ['array', 'schema'], producer.released
    try:
        Acc.NestedArray.from_arrow(values)
        assert False
    except TypeError as error:
        assert 'no column of Arrow' in str(error)


if __name__ == "__main__":
    check.main(sys.modules["__main__"])
