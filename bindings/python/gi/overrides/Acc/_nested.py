# SPDX-License-Identifier: LGPL-2.1-or-later
"""Nested arrays."""

from ._memory import _array
from ._module import Acc, override
from ._values import _build, _expr, _sound


def _tracing(function, make):
    """What @make gives for a callback that calls @function with arrays."""
    return _build(lambda arrays: function(*arrays), 1, make, convert=_array)


class NestedArray(Acc.NestedArray):
    """Many arrays as one: rows of different lengths, pictures of different sizes."""

    @staticmethod
    def from_lengths(values, lengths):
        return _sound(Acc.NestedArray.new_from_lengths(_array(values), _array(lengths)))

    @staticmethod
    def from_offsets(values, offsets):
        return _sound(Acc.NestedArray.new_from_offsets(_array(values), _array(offsets)))

    @staticmethod
    def from_extents(values, extents):
        return _sound(Acc.NestedArray.new_from_extents(_array(values), _array(extents)))

    @staticmethod
    def from_regular(values):
        return _sound(Acc.NestedArray.new_from_regular(_array(values)))

    @staticmethod
    def from_arrays(arrays):
        """Of a list of arrays of one type and rank, which may have different extents."""
        return _sound(Acc.NestedArray.new_from_arrays([_array(array) for array in arrays]))

    @staticmethod
    def from_keys(values, keys):
        """Values grouped by their keys, and the key of each group."""
        nested, groups = Acc.NestedArray.new_from_keys(_array(values), _array(keys))
        return _sound(nested), groups

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
        return self.get_offsets()

    @property
    def lengths(self):
        return self.get_lengths()

    @property
    def extents(self):
        return self.get_extents()

    def to_padded(self, fill):
        """One array of all elements, and which of its values are theirs."""
        return Acc.NestedArray.to_padded(self, _expr(fill))

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
        return _sound(Acc.NestedArray.gather(self, _array(indices)))

    def sort(self, descending=False):
        return _sound(Acc.NestedArray.sort(self, descending))

    def run(self, backend=None):
        """Itself, computed."""
        backend = backend or Acc.Backend.get_default()
        return backend.run_nested(self, None)

    def __str__(self):
        return self.to_string()

    __repr__ = __str__

    def __len__(self):
        return self.get_lengths().run().shape[0]

    def __getitem__(self, index):
        n = len(self)
        if not -n <= index < n:
            raise IndexError(f'element {index} of {n}')
        return self.dup_element(index % n if n else index)

    def __iter__(self):
        made = self if self.is_manifest() else self.run()
        for index in range(len(made)):
            yield made.dup_element(index)

    def to_list(self, backend=None):
        """The elements as lists of numbers, each as deep as its rank."""
        import numpy
        made = self if self.is_manifest() else self.run(backend)
        flat = numpy.asarray(made.flatten().run(backend))
        if made.ndim == 0:
            return flat.tolist()
        columns = [made.get_extents()] if made.ndim == 1 else [made.get_extents().unzip(axis) for axis in range(made.ndim)]
        shapes = zip(*(numpy.asarray(column.run(backend)).tolist() for column in columns))
        lists, start = [], 0
        for shape in shapes:
            size = int(numpy.prod(shape))
            lists.append(flat[start:start + size].reshape(shape).tolist())
            start += size
        return lists


NestedArray = override(NestedArray)
