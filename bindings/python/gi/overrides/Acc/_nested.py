# SPDX-License-Identifier: LGPL-2.1-or-later
"""Nested arrays."""

from ._memory import _array
from ._module import Acc, override


def _check(nested):
    nested.check()
    return nested


def _tracing(function, make):
    """What @make gives for a callback that calls @function with arrays; exceptions of @function pass through."""
    failure = []

    def callback(arrays, *_):
        try:
            return _array(function(*arrays))
        except BaseException as exception:
            failure.append(exception)
            return None

    made = make(callback)
    if failure:
        raise failure[0]
    return _check(made)


class NestedArray(Acc.NestedArray):
    """Many arrays as one: rows of different lengths, pictures of different sizes."""

    @staticmethod
    def from_lengths(values, lengths):
        return _check(Acc.NestedArray.new_from_lengths(_array(values), _array(lengths)))

    @staticmethod
    def from_offsets(values, offsets):
        return _check(Acc.NestedArray.new_from_offsets(_array(values), _array(offsets)))

    @staticmethod
    def from_extents(values, extents):
        return _check(Acc.NestedArray.new_from_extents(_array(values), _array(extents)))

    @staticmethod
    def regular(values):
        return _check(Acc.NestedArray.new_regular(_array(values)))

    @staticmethod
    def from_arrays(arrays):
        """Of a list of arrays of one type and rank, which may have different extents."""
        import numpy
        parts = [numpy.asarray(array) for array in arrays]
        if not parts:
            raise ValueError('no arrays: their type is not known')
        if any(part.dtype != parts[0].dtype or part.ndim != parts[0].ndim for part in parts) or parts[0].ndim == 0:
            raise TypeError('arrays of a nested array have one type and one rank of 1 or more')
        values = numpy.concatenate([part.reshape(-1) for part in parts])
        if parts[0].ndim == 1:
            return NestedArray.from_lengths(values, numpy.array([part.size for part in parts], 'i8'))
        extents = [_array(numpy.array([part.shape[axis] for part in parts], 'i8')) for axis in range(parts[0].ndim)]
        return NestedArray.from_extents(values, extents[0].zip(*extents[1:]))

    @property
    def dtype(self):
        return self.get_element_type().get_code()

    @property
    def ndim(self):
        """The rank of an element."""
        return self.get_rank()

    @property
    def values(self):
        return self.get_values()

    @property
    def offsets(self):
        return self.dup_offsets()

    @property
    def lengths(self):
        return self.dup_lengths()

    def map(self, function):
        return _tracing(function, lambda callback: Acc.NestedArray.map(self, callback))

    def imap(self, function):
        return _tracing(function, lambda callback: Acc.NestedArray.imap(self, callback))

    def zip_with(self, *others_and_function):
        *others, function = others_and_function
        return _tracing(function, lambda callback: Acc.NestedArray.zip_with_many([self, *others], callback))

    def filter(self, predicate):
        return _tracing(predicate, lambda callback: Acc.NestedArray.filter(self, callback))

    def gather(self, indices):
        return _check(Acc.NestedArray.gather(self, _array(indices)))

    def __len__(self):
        return self.dup_lengths().run().shape[0]

    def __getitem__(self, index):
        n = len(self)
        if not -n <= index < n:
            raise IndexError(f'element {index} of {n}')
        return self.dup_element(index % n if n else index)

    def __iter__(self):
        for index in range(len(self)):
            yield self.dup_element(index)

    def to_list(self, backend=None):
        """The elements as lists of numbers, each as deep as its rank."""
        import numpy
        values, extents = self.flatten(), self.dup_extents()
        flat = numpy.asarray(values.run())
        columns = [extents] if self.ndim == 1 else [extents.unzip(axis) for axis in range(self.ndim)]
        if self.ndim == 0:
            return flat.tolist()
        shapes = list(zip(*(numpy.asarray(column.run()).tolist() for column in columns)))
        lists, start = [], 0
        for shape in shapes:
            size = int(numpy.prod(shape))
            lists.append(flat[start:start + size].reshape(shape).tolist())
            start += size
        return lists


NestedArray = override(NestedArray)
