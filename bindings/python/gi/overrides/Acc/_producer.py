# SPDX-License-Identifier: LGPL-2.1-or-later
"""Where the elements of sequences come from, made in Python."""

import functools
import itertools
import math
import time

from gi.repository import GLib

from ._memory import _array, _dtype, use
from ._module import Acc, override
from ._nested import NestedArray
from ._shape import _shape
from ._values import _type, _type_of_dtype

# Seconds for which a read waits for more elements of an iterator than one.
_PATIENCE = 0.05


def _error_of(exception, where=''):
    """What @exception is in C."""
    if isinstance(exception, GLib.Error):
        return exception
    return GLib.Error(f'{where}{type(exception).__name__}: {exception}', GLib.quark_to_string(Acc.error_quark()), Acc.Error.CALLBACK)


def _told(method, convert):
    """@method for C, which takes nothing for the end: an exception becomes an error, so that it does not end a sequence."""

    @functools.wraps(method)
    def call(self, *args):
        try:
            return convert(method(self, *args))
        except GLib.Error:
            raise
        except BaseException as exception:  # an interrupt, too: nothing but an error may pass through C
            raise _error_of(exception, f'{type(self).__name__}.{method.__name__}: ') from exception

    return call


def _elements(result):
    if result is None:
        return None
    if not isinstance(result, Acc.NestedArray):
        result = Acc.NestedArray.new_from_regular(_array(result).run())
    return result if result.is_manifest() else result.run()


class SequenceProducer(Acc.SequenceProducer):
    """Where the elements of a sequence come from. Subclasses have do_read (max_elements, max_values, cancellable), which returns the next
    ones, None at the end: a nested array, or an array with one more outermost dimension. With do_rewind() they can be walked again."""

    def __init_subclass__(cls, **arguments):
        super().__init_subclass__(**arguments)
        for name, convert in (('do_read', _elements), ('do_rewind', lambda result: result is None or bool(result))):
            if name in cls.__dict__:
                setattr(cls, name, _told(cls.__dict__[name], convert))


SequenceProducer = override(SequenceProducer)


class _Iterated(SequenceProducer):
    """The elements of what can be iterated: arrays of NumPy, lists of numbers, arrays of acc."""

    # PyGObject registers no types of modules of overrides.
    __module__, __gtype_name__ = 'acc', 'AccPythonIterator'

    def __init__(self, begin, elements, **properties):
        super().__init__(**properties)
        self.begin, self.elements, self.waiting, self.failure = begin, elements, [], None
        self.code, self.wanted = self.get_element_type().get_code(), _dtype(self.get_element_type())
        self.base = _type_of_dtype(self.wanted.base).get_code()

    def do_read(self, max_elements, max_values, cancellable):
        if self.failure is not None:
            raise self.failure
        if self.elements is None:
            self.elements = self.begin()
        chunk, n_values, since = [], 0, time.monotonic()
        while len(chunk) < max_elements and time.monotonic() - since < _PATIENCE:
            try:
                element = self.waiting.pop() if self.waiting else self._pull()
            except BaseException as failure:
                if not chunk:
                    raise
                self.failure = failure  # after what came before it
                break
            if element is None:
                break
            n_values += math.prod(element.shape[:self.get_rank()])
            if chunk and n_values > max_values:
                self.waiting.append(element)
                break
            chunk.append(element)
        return self._join(chunk) if chunk else None

    def _pull(self):
        try:
            for element in self.elements:
                return self._take(element)
            return None
        except GLib.Error:
            raise
        except Exception as exception:
            raise _error_of(exception) from exception

    def _take(self, element):
        """@element as NumPy has it, if it is like the others."""
        import numpy
        if element is None:
            raise TypeError('None, where an element is an array')
        if not hasattr(element, 'dtype'):
            element = use(element, self.wanted if self.wanted.fields else self.code)
        array, lanes, rank = numpy.asarray(element), self.wanted.shape, self.get_rank()
        if _type_of_dtype(array.dtype).get_code() != self.base or array.ndim != rank + len(lanes) or array.shape[rank:] != lanes:
            raise TypeError(f'an array of {array.dtype} of shape {array.shape}, where elements are {self.code} of rank {rank}')
        if self.get_shape() is not None and array.shape[:rank] != tuple(self.get_shape()):
            raise ValueError(f'an array of shape {array.shape[:rank]}, where elements are of shape {tuple(self.get_shape())}')
        return array.astype(self.wanted) if self.wanted.fields else array

    def _join(self, chunk):
        import numpy
        code, rank = self.code if self.wanted.shape else None, self.get_rank()
        if len(chunk) == 1:  # perhaps a large one
            return NestedArray.from_regular(use(chunk[0][None], code))
        if self.get_shape() is not None:
            return NestedArray.from_regular(use(numpy.stack(chunk), code))
        values = use(numpy.concatenate([element.reshape((-1,) + self.wanted.shape) for element in chunk]), code)
        extents = numpy.array([element.shape[:rank] for element in chunk], 'i8')
        if rank == 1:
            return NestedArray.from_offsets(values, numpy.concatenate([[0], numpy.cumsum(extents[:, 0])]))
        return NestedArray.from_extents(values, extents.view([(f'f{axis}', 'i8') for axis in range(rank)])[:, 0])


class _IteratedAgain(_Iterated):
    """The same of what can be iterated more than once."""

    __module__, __gtype_name__ = 'acc', 'AccPythonIterable'

    def do_rewind(self):
        self.elements, self.waiting, self.failure = None, [], None


class _IteratedNested(_Iterated):
    """The elements of what gives nested arrays."""

    __module__, __gtype_name__ = 'acc', 'AccPythonNestedIterator'

    def _take(self, element):
        if not isinstance(element, Acc.NestedArray):
            raise TypeError(f'{type(element).__name__}, where an element is a nested array')
        is_like = (self.code, self.get_rank(), self.get_depth()) == (element.dtype, element.ndim, element.depth + 1)
        if not is_like:
            raise TypeError(f'a nested array of {element.dtype} of rank {element.ndim} and depth {element.depth}, '
                            f'where elements are {self.code} of rank {self.get_rank()} and depth {self.get_depth() - 1}')
        return _Layers(element)

    def _join(self, chunk):
        import numpy
        *levels, extents, values = (numpy.concatenate(layers) for layers in zip(*(element.layers for element in chunk)))
        make = NestedArray.from_lengths if self.get_rank() == 1 else NestedArray.from_extents
        nested = make(use(values, self.code if self.wanted.shape else None), extents)
        for lengths in reversed([numpy.array([element.length for element in chunk], 'i8'), *levels]):
            nested = nested.nest(lengths)
        return nested


class _IteratedNestedAgain(_IteratedNested):
    """The same of what can be iterated more than once."""

    __module__, __gtype_name__ = 'acc', 'AccPythonNestedIterable'

    do_rewind = _IteratedAgain.do_rewind


class _Layers:
    """What a nested array consists of, as NumPy has it; its shape tells how many values there are."""

    def __init__(self, element):
        import numpy
        made = element if element.is_manifest() else element.run()
        self.length, self.layers = len(made), [numpy.asarray(layer) for layer in made._layers()]
        self.shape = (len(self.layers[-1]),)


def _from_nested(first, again, begin, begun, length):
    make = _IteratedNestedAgain if again else _IteratedNested
    return make(lambda: iter(begin()), begun, element_type=first.get_element_type(), rank=first.ndim, depth=first.depth + 1, length=length)


def _from_iterable(elements, dtype, ndim, shape):
    begin = elements if callable(elements) else lambda: elements
    again = callable(elements) or iter(elements) is not elements
    length = len(elements) if again and hasattr(elements, '__len__') else -1
    begun = None if again else elements
    if dtype is None or ndim is None and shape is None:
        begun = iter(begin())
        first = next(begun, None)
        if first is None:
            raise ValueError('there is no first element that tells what elements are: give dtype, and ndim or shape')
        begun = itertools.chain([first], begun)
        if isinstance(first, Acc.NestedArray):
            return _from_nested(first, again, begin, begun, length)
        told = first if isinstance(first, Acc.Array) else use(first, dtype)
        dtype, ndim = told.get_element_type(), told.get_rank() if ndim is None else ndim
    known = {'rank': ndim} if shape is None else {'shape': _shape(shape)}
    return (_IteratedAgain if again else _Iterated)(lambda: iter(begin()), begun, element_type=_type(dtype), length=length, **known)
