# SPDX-License-Identifier: LGPL-2.1-or-later
"""Sequences."""

import atexit
import operator
import os
import weakref

from gi.repository import Gio, GLib

from ._interrupts import _interruptible
from ._make import _file, create_sink
from ._memory import _array, use
from ._methods import _arithmetic
from ._module import Acc, override
from ._nested import NestedArray, _tracing
from ._producer import _error_of, _from_iterable
from ._shape import _boundary, _shape
from ._values import _build, _sound, _type

def _sink_of(place):
    """For a path, a URI, a sink, or None."""
    return place if place is None or isinstance(place, Acc.Sink) else create_sink(place)


def _some(made):
    return made if made is None or isinstance(made, Acc.NestedArray) else NestedArray.from_regular(made)


def _state_and_nested(results):
    state, made = results
    return [_array(state), _some(made)]


def _element(made):
    return made if isinstance(made, Acc.NestedArray) else _array(made)


def _of_elements(function, make):
    """What @make gives for a callback that calls @function with elements, arrays or nested arrays."""
    return _build(lambda elements: function(*elements), 1, make, convert=_element)


_open = weakref.WeakSet()


_process = os.getpid()


@atexit.register
def _close():
    """Ends walks and asynchronous calls while there is a Python that their threads can call. None of them is in a process of a fork."""
    if os.getpid() != _process:
        return
    for iterator in list(_open):
        iterator.close()
    Acc.Backend.end_work()


def _list_model(kind, items):
    model = Gio.ListStore.new(kind.__gtype__)
    for item in items:
        model.append(item)
    return model


def _with_each(sequence, other, function):
    """@function of each element and @other, which is a sequence, too, or the same for all elements."""
    if isinstance(other, Acc.Sequence):
        return (sequence.zip_with_nested if max(sequence.depth, other.depth) > 1 else sequence.zip_with)(other, function)
    other = other if isinstance(other, Acc.NestedArray) else _array(other)
    return _each(sequence, lambda element: function(element, other))


def _each(sequence, function):
    return (sequence.map_nested if sequence.depth > 1 else sequence.map)(function)


@_arithmetic(_with_each, _each)
class Sequence(Acc.Sequence):
    """Arrays one after the other, computed some at a time when what is made of them runs: lines, frames, tiles. The operators of numbers are those of
    each element."""

    __array_ufunc__ = None  # an array of NumPy on the left leaves its operators to those here

    @staticmethod
    def from_array(array):
        """The parts of an array along its first axis."""
        return _sound(Acc.Sequence.new_from_array(_array(array)))

    @staticmethod
    def from_nested(nested):
        return _sound(Acc.Sequence.new_from_nested(nested))

    @staticmethod
    def from_producer(producer):
        return _sound(Acc.Sequence.new(producer))

    @staticmethod
    def from_iterable(elements, dtype=None, ndim=None, shape=None):
        """Of what gives arrays, or nested arrays, one by one: a generator, which is walked once; a list or another thing that can be iterated again; or a
        function that gives an iterator, such as one with yield, which is called for each walk. The first element tells type and rank
        where these are not given; @shape is for elements that all have the same. Elements are taken some time before they are needed,
        on another thread."""
        return Sequence.from_producer(_from_iterable(elements, dtype, ndim, shape))

    @staticmethod
    def from_arrays(arrays):
        """Of a list of arrays of one type and rank, in memory."""
        return _sound(Acc.Sequence.new_from_arrays(_list_model(Acc.Array, [_array(array).run() for array in arrays])))

    @staticmethod
    def open_lines(place):
        """The lines of a file, a path or a URI: vectors of bytes."""
        return Acc.Sequence.open_lines(_file(place), None)

    @staticmethod
    def open_delimited(place, delimiter):
        """What is between delimiters, bytes or a text: vectors of bytes."""
        delimiter = delimiter.encode() if isinstance(delimiter, str) else delimiter
        return Acc.Sequence.open_delimited(_file(place), GLib.Bytes.new(delimiter), None)

    @staticmethod
    def open_records(place, dtype, shape=()):
        """Records of fixed size: arrays of that shape."""
        return Acc.Sequence.open_records(_file(place), _type(dtype), _shape(shape), None)

    @staticmethod
    def open_files(places, dtype=None, shape=None, offset=0):
        """The arrays of many files, paths or URIs: pictures, .npy, or raw data of a given dtype and shape."""
        files = _list_model(Gio.File, map(_file, places))
        if dtype is None:
            return Acc.Sequence.open_files(files, None)
        return Acc.Sequence.open_raw_files(files, _type(dtype), _shape(shape), offset)

    @staticmethod
    def windows(array, sizes, steps=None, boundary=None):
        """Parts of an array of the same extents: tiles, or windows that overlap where steps are less than sizes. Without a boundary
        only those that are inside."""
        sizes = [sizes] if isinstance(sizes, int) else list(sizes)
        steps = sizes if steps is None else [steps] if isinstance(steps, int) else list(steps)
        boundary = None if boundary is None else _boundary(boundary)
        return _sound(Acc.Sequence.new_windows(_array(array), sizes, steps, boundary))

    @staticmethod
    def generate(length, function):
        """What @function gives for 0, 1 and so on: @length elements, or without an end where that is None."""
        if length is not None and length < 0:
            raise ValueError(f'a sequence of {length} elements: None is for one without an end')
        return _tracing(function, lambda callback: Acc.Sequence.new_generate(-1 if length is None else length, callback))

    @staticmethod
    def generate_nested(length, function):
        """The same of a function that gives nested arrays."""
        return _of_elements(function, lambda callback: Acc.Sequence.new_generate_nested(-1 if length is None else length, callback))

    @property
    def dtype(self):
        return self.get_element_type().get_code()

    @property
    def ndim(self):
        """The rank of an element, or of the arrays that it consists of."""
        return self.get_rank()

    @property
    def depth(self):
        """How many levels there are; 1 where elements are arrays."""
        return self.get_depth()

    @property
    def shape(self):
        """The extents of every element, where these are known; else None."""
        shape = self.get_shape()
        return None if shape is None else tuple(shape)

    @property
    def length(self):
        """How many elements there are, where that is known; else None."""
        length = self.get_length()
        return None if length < 0 else length

    @property
    def label(self):
        return self.get_label()

    @label.setter
    def label(self, label):
        self.set_label(label)

    @property
    def latency(self):
        """Seconds that an element should take through a walk; 0: as long as is best for all together."""
        return self.get_latency() / 1e6

    @latency.setter
    def latency(self, seconds):
        if seconds < 0:
            raise ValueError(f'a latency of {seconds} seconds')
        self.set_latency(round(seconds * 1e6))

    def named(self, label):
        """Itself, with a label for messages and plans."""
        self.set_label(label)
        return self

    def map(self, function):
        return _tracing(function, lambda callback: Acc.Sequence.map(self, callback))

    def imap(self, function):
        return _tracing(function, lambda callback: Acc.Sequence.imap(self, callback))

    def zip_with(self, *others_and_function):
        *others, function = others_and_function
        return _tracing(function, lambda callback: Acc.Sequence.zip_with_many([self, *others], callback))

    def izip_with(self, *others_and_function):
        """As zip_with, with the number of the element first."""
        *others, function = others_and_function
        return _tracing(function, lambda callback: Acc.Sequence.izip_with_many([self, *others], callback))

    def filter(self, predicate):
        return _tracing(predicate, lambda callback: Acc.Sequence.filter(self, callback))

    def take_while(self, predicate):
        return _tracing(predicate, lambda callback: Acc.Sequence.take_while(self, callback))

    def map_nested(self, function):
        """As map, of a function that takes or gives nested arrays."""
        return _of_elements(function, lambda callback: Acc.Sequence.map_nested(self, callback))

    def imap_nested(self, function):
        return _of_elements(function, lambda callback: Acc.Sequence.imap_nested(self, callback))

    def zip_with_nested(self, *others_and_function):
        *others, function = others_and_function
        return _of_elements(function, lambda callback: Acc.Sequence.zip_with_many_nested([self, *others], callback))

    def izip_with_nested(self, *others_and_function):
        """As zip_with_nested, with the number of the element first."""
        *others, function = others_and_function
        return _of_elements(function, lambda callback: Acc.Sequence.izip_with_many_nested([self, *others], callback))

    def filter_nested(self, predicate):
        return _of_elements(predicate, lambda callback: Acc.Sequence.filter_nested(self, callback))

    def take_while_nested(self, predicate):
        return _of_elements(predicate, lambda callback: Acc.Sequence.take_while_nested(self, callback))

    def concat(self, other):
        return _sound(Acc.Sequence.concat(self, other))

    def scan(self, state, function):
        """Of one state, @function gives the next, which are the elements. A tuple of states is spread: @function takes each, and an element,
        and gives the next states and a new element."""
        if isinstance(state, tuple):
            return _build(lambda arrays: function(*arrays), 1,
                          lambda callback: Acc.Sequence.scan_many(self, [self._state(one) for one in state], callback),
                          convert=lambda results: [_array(x) for x in results])
        return _tracing(function, lambda callback: Acc.Sequence.scan(self, self._state(state), callback))

    def scan_nested(self, state, function):
        """As scan, of states or elements that are nested arrays."""
        if isinstance(state, tuple):
            return _build(lambda elements: function(*elements), 1,
                          lambda callback: Acc.Sequence.scan_many_nested(self, [self._nested_state(one) for one in state], callback),
                          convert=lambda results: [_element(x) for x in results])
        return _of_elements(function, lambda callback: Acc.Sequence.scan_nested(self, self._nested_state(state), callback))

    def map_batch(self, state, function):
        """@function takes a state and some elements, as an array with one more dimension, and gives the next state and new elements."""
        return _build(lambda arrays: function(*arrays), 1, lambda callback: Acc.Sequence.map_batch(self, self._state(state), callback),
                      convert=lambda results: [_array(x) for x in results])

    def fold_batch(self, state, function):
        """The last state: @function takes one and some elements, as an array with one more dimension, and gives the next."""
        return _tracing(function, lambda callback: Acc.Sequence.fold_batch(self, self._state(state), callback))

    def map_batch_nested(self, state, function):
        """As map_batch, of elements that may have different extents: @function takes a state and some elements, a nested array, and gives the
        next state and a nested array."""
        return self._nested_batch('map_batch_nested', state, function, _state_and_nested)

    def fold_batch_nested(self, state, function):
        """The last state: @function takes one and some elements, a nested array, and gives the next."""
        return self._nested_batch('fold_batch_nested', state, function, lambda result: [_array(result)])

    def _nested_batch(self, name, state, function, convert):
        return _build(function, 2, lambda callback: getattr(Acc.Sequence, name)(self, self._state(state), callback), convert=convert)

    def map_batches(self, count, function):
        """What @function makes of every @count elements, a nested array: a nested array of those that take their place."""
        return _build(function, 1, lambda callback: Acc.Sequence.map_batches(self, count, callback), convert=_some)

    def batch(self, count):
        return _sound(Acc.Sequence.batch(self, count))

    def batch_nested(self, count):
        """Nested arrays of @count elements, which may have different extents."""
        return _sound(Acc.Sequence.batch_nested(self, count))

    def expand(self):
        return _sound(Acc.Sequence.expand(self))

    def fold(self, seed, function):
        """All elements as one; @seed, which may be None, comes before the first."""
        return _tracing(function, lambda callback: Acc.Sequence.fold(self, self._like(seed), callback))

    def last(self, otherwise=None):
        return _sound(Acc.Sequence.last(self, self._like(otherwise)))

    def last_nested(self, otherwise=None):
        return _sound(Acc.Sequence.last_nested(self, otherwise))

    def _like(self, value):
        """@value as an array of the type of elements, where it has none of its own."""
        if value is None or isinstance(value, Acc.Array):
            return value
        return use(value, None if hasattr(value, 'dtype') or self.get_element_type().is_tuple() else self.dtype)

    def _state(self, value):
        """@value as an array: a float of Python is one of those that elements have."""
        weak = isinstance(value, float) and not hasattr(value, 'dtype') and self.dtype[0] == 'f'
        return use(value, self.dtype) if weak else _array(value)

    def _nested_state(self, value):
        return value if isinstance(value, Acc.NestedArray) else self._state(value)

    def __getitem__(self, index):
        """A part of the sequence, or an element, an array or a nested array. What does not count from the end needs no length."""
        if not isinstance(index, slice):
            index = operator.index(index)
            n = self.length
            if index < 0 and n is None:
                raise IndexError(f'element {index} of a sequence whose length is not known')
            if n is not None and not -n <= index < n:
                raise IndexError(f'element {index} of {n}')
            one = self.drop(index if index >= 0 else index + n).take(1)
            return one.last() if self.depth == 1 else one.last_nested()
        if index.step not in (None, 1):
            raise ValueError(f'elements are taken one after the other, not in steps of {index.step}')
        start, stop = index.start or 0, index.stop
        if start < 0 or stop is not None and stop < 0:
            if self.length is None:
                raise IndexError('a place is counted from the end of a sequence whose length is not known')
            start, stop, _ = index.indices(self.length)
        part = self if stop is None else self.take(stop)
        return part.drop(start) if start else part

    def __len__(self):
        if self.length is None:
            raise TypeError('the length is not known before a walk: count() is an array with it')
        return self.length

    def iterate(self, backend=None):
        """An iterator over the elements, arrays or nested arrays in memory, which are computed some at a time: for, async for, next."""
        iterator = Acc.Sequence.iterate(self, backend or Acc.Backend.get_default())
        iterator.nested = self.depth > 1
        _open.add(iterator)
        return iterator

    def __iter__(self):
        return self.iterate()

    def __aiter__(self):
        return self.iterate()

    def write_each(self, place, backend=None):
        """Writes each element to what @place gives for its number: a path, a URI, a sink, or None for an element that is not written."""
        failure = []

        def make(number, *_):
            try:
                return _sink_of(place(number))
            except BaseException as exception:  # raised again below: nothing may pass through C
                failure.append(exception)
                return _NoSink(exception)  # behind what is to be written before

        try:
            Acc.Sequence.write_each(self, backend or Acc.Backend.get_default(), make, None, None)
        except GLib.Error:
            if not failure:
                raise
        if failure:
            raise failure[0]

    def start_write_each(self, place, backend=None, cancellable=None):
        """The same as a job, which reports progress; the main context calls @place, and has to run. What @place raises is the job's error."""

        def make(number, *_):
            try:
                return _sink_of(place(number))
            except BaseException as exception:  # nothing may pass through C
                return _NoSink(exception)

        return Acc.Sequence.start_write_each(self, backend or Acc.Backend.get_default(), cancellable, make, None)

    def __array__(self, dtype=None, copy=None):
        import numpy
        return numpy.asarray(self.stack(), dtype)

    def to_list(self, backend=None):
        """The elements as lists of numbers."""
        return self.to_nested().to_list(backend)

    def __repr__(self):
        label = f' “{self.label}”' if self.label else ''
        what = f'of rank {self.ndim}' if self.shape is None else f'of shape {self.shape}'
        what += f' in {self.depth} levels' if self.depth > 1 else ''
        length = '' if self.length is None else f', {self.length} elements'
        return f'<Acc.Sequence{label} {self.dtype} {what}{length}>'


Sequence = override(Sequence)


class _NoSink(Acc.Sink):
    """Takes nothing: fails with what was raised in its place, as C's functions that make sinks have no errors."""

    __module__, __gtype_name__ = 'acc', 'AccPythonNoSink'

    def __init__(self, exception):
        super().__init__(name='nowhere')
        self._exception = exception

    def do_start(self, element_type, shape, cancellable):
        raise _error_of(self._exception)

    def do_abort(self):
        pass


class SequenceIterator(Acc.SequenceIterator):
    """Gives the elements of a sequence one by one."""

    nested = False
    next = _interruptible(Acc.SequenceIterator, 'next', 1)
    next_nested = _interruptible(Acc.SequenceIterator, 'next_nested', 1)

    def __iter__(self):
        return self

    def __next__(self):
        element = self.next_nested(None) if self.nested else self.next(None)
        if element is None:
            raise StopIteration
        return element

    def __aiter__(self):
        return self

    async def __anext__(self):
        import asyncio
        cancellable = Gio.Cancellable()
        take = Acc.SequenceIterator.next_nested if self.nested else Acc.SequenceIterator.next
        try:
            element = await asyncio.get_running_loop().run_in_executor(None, take, self, cancellable)
        except asyncio.CancelledError:
            cancellable.cancel()
            raise
        if element is None:
            raise StopAsyncIteration
        return element


SequenceIterator = override(SequenceIterator)
