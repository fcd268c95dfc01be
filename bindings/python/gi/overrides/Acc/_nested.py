# SPDX-License-Identifier: LGPL-2.1-or-later
"""Nested arrays."""

import functools
import operator

from . import _arrow
from ._memory import _array, _pickled, use
from ._methods import _arithmetic, _is_many
from ._module import Acc, override
from ._values import _build, _expr, _sound, _type


def _integers(numbers):
    """An array of integers, also of a list of none, which NumPy takes for floats."""
    return use(numbers, 'i8') if isinstance(numbers, (list, tuple)) and not numbers else _array(numbers)


def _tracing(function, make):
    """What @make gives for a callback that calls @function with arrays."""
    return _build(lambda arrays: function(*arrays), 1, make, convert=_array)


def _nested(made):
    if made is not None and not isinstance(made, Acc.NestedArray):
        raise TypeError(f'{type(made).__name__}, where a function of nested arrays gives one')
    return made


def _one_by_one(nested):
    """A nested array of vectors with one level more: each value is an element of rank 0."""
    inner = NestedArray.from_regular(nested.flatten()) if nested.inner is None else _one_by_one(nested.inner)
    return inner.nest(nested.lengths)


def _with_many(nested, other, function):
    """@function of the values of each element and those of another nested array, or the one item, or the part, of an array, with its number. Of
    vectors in one level less each value is beside all of an innermost array."""
    if isinstance(other, Acc.Sequence):
        return NotImplemented
    if isinstance(other, Acc.NestedArray):
        if other.depth == nested.depth - 1 and other.ndim == 1:
            other = _one_by_one(other)
        elif nested.depth == other.depth - 1 and nested.ndim == 1:
            nested = _one_by_one(nested)
        return nested.zip_with(other, function)
    array = _array(other)
    if array.ndim == 0:
        return nested.map(lambda element: element.map(lambda value: function(value, array[()])))
    if nested.depth > 1 and array.ndim == 1:
        each = NestedArray.from_regular(array).zip_with(NestedArray.from_regular(nested.lengths),
                                                        lambda item, n: Acc.Array.fill_expr(n[()], item[()])).flatten()
        return _with_many(nested.inner, each, function).nest(nested.lengths)
    if array.ndim == 1:
        return nested.zip_with(NestedArray.from_regular(array), lambda element, item: element.map(lambda value: function(value, item[()])))
    return nested.zip_with(NestedArray.from_regular(array), function)


def _reduced(nested, reduce):
    """What @reduce, which gives a number for each array, makes of the innermost ones, in the levels above."""
    return _sound(reduce(nested)) if nested.inner is None else _grouped(_reduced(nested.inner, reduce), nested.lengths)


def _grouped(made, lengths):
    return NestedArray.from_lengths(made, lengths) if isinstance(made, Acc.Array) else made.nest(lengths)


def _reduction(name):
    method = getattr(Acc.NestedArray, name)
    return lambda self: _reduced(self, method)


def _values_of(items, dtype):
    """Tuples are columns beside each other."""
    import numpy
    if not items or dtype is not None:
        return use(items or numpy.zeros(0), dtype)
    if not isinstance(items[0], tuple):
        return _array(items)
    if any(not isinstance(item, tuple) or len(item) != len(items[0]) for item in items):
        raise TypeError(f'tuples of {len(items[0])} items, and other things')
    return Acc.Array.zip_many([_values_of(list(column), None) for column in zip(*items)])


@_pickled
@_arithmetic(_with_many)
class NestedArray(Acc.NestedArray):
    """Many arrays as one: rows of different lengths, pictures of different sizes."""

    __array_ufunc__ = None  # an array of NumPy on the left leaves its operators to those here

    @staticmethod
    def from_lengths(values, lengths):
        return _sound(Acc.NestedArray.new_from_lengths(_array(values), _integers(lengths)))

    @staticmethod
    def from_offsets(values, offsets):
        return _sound(Acc.NestedArray.new_from_offsets(_array(values), _integers(offsets)))

    @staticmethod
    def from_extents(values, extents):
        return _sound(Acc.NestedArray.new_from_extents(_array(values), _integers(extents)))

    @staticmethod
    def from_regular(values):
        return _sound(Acc.NestedArray.new_from_regular(_array(values)))

    @staticmethod
    def from_arrays(arrays):
        """Of a list of arrays of one type and rank, which may have different extents."""
        made = [_array(array) for array in arrays]
        if not made:
            raise ValueError('no arrays, of which the first would tell the type and the rank')
        return _sound(Acc.NestedArray.new_from_arrays(made))

    @staticmethod
    def from_keys(values, keys):
        """Values grouped by their keys, and the key of each group. A tuple of columns is a key of several items."""
        keys = Acc.Array.zip_many([_array(column) for column in keys]) if isinstance(keys, tuple) else _array(keys)
        nested, groups = Acc.NestedArray.new_from_keys(_array(values), keys)
        return _sound(nested), groups

    @staticmethod
    def from_padded(padded, kept):
        """Of rows of one length: @kept says how many of each are its own, or is a mask."""
        return _sound(Acc.NestedArray.new_from_padded(_array(padded), _array(kept)))

    @staticmethod
    def from_text(text):
        """Of what to_text() gave."""
        return Acc.NestedArray.new_from_text(text)

    @staticmethod
    def from_arrow(column, nulls=False):
        """Of what speaks Arrow's C data interface: a column of pyarrow, one of a table, whose chunks are joined where there are several,
        or an array of Awkward Array. With @nulls there may be some: lists become empty and values 0; and the result is the nested array and a
        list of masks, which are false where something is null, for the elements of each level and last for the values."""
        make = Acc.NestedArray.new_from_arrow_with_nulls if nulls else Acc.NestedArray.new_from_arrow
        parts = _arrow.imports(column, make)
        if not parts:
            raise ValueError('a column without chunks')
        if not nulls:
            return parts[0] if len(parts) == 1 else functools.reduce(NestedArray.concat, parts).run()
        made = functools.reduce(NestedArray.concat, (part for part, _ in parts))
        masks = [functools.reduce(lambda x, y: x.concat_on(y, 0), masks) for masks in zip(*(masks for _, masks in parts))]
        return (made, masks) if len(parts) == 1 else (made.run(), [mask.run() for mask in masks])

    def __arrow_c_array__(self, requested_schema=None):
        made = self if self.is_manifest() else self.run()
        return _arrow.capsules(made.export_arrow)

    @staticmethod
    def from_list(lists, dtype=None):
        """Of lists of lists of numbers, or of tuples of numbers: one level less than there are lists within lists. Arrays of NumPy or of acc are
        lists, too, or pictures of lists."""
        import numpy
        levels, items = [], list(lists)
        while any(isinstance(item, list) for item in items) or not levels:
            if items and all(_is_many(item) and not isinstance(item, list) for item in items):
                break
            if not all(isinstance(item, list) for item in items):
                kinds = sorted({type(item).__name__ for item in items if not isinstance(item, list)})
                raise TypeError(f'level {len(levels) + 1} has {", ".join(kinds)}, where lists are wanted')
            levels.append(numpy.array([len(item) for item in items], 'i8'))
            items = [item for part in items for item in part]
        if items and all(_is_many(item) for item in items):
            nested = NestedArray.from_arrays(items if dtype is None else [use(item, dtype) for item in items])
        else:
            nested = NestedArray.from_lengths(_values_of(items, dtype), levels.pop())
        while levels:
            nested = nested.nest(levels.pop())
        return nested

    @property
    def dtype(self):
        return self.get_element_type().get_code()

    @property
    def ndim(self):
        """The rank of an element."""
        return self.get_rank()

    @property
    def depth(self):
        """How many levels there are; 1 where elements are arrays."""
        return self.get_depth()

    @property
    def inner(self):
        """The elements of all elements, where these are nested arrays; else None."""
        return self.get_inner()

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
        padded, mask = Acc.NestedArray.to_padded(self, _expr(fill))
        return _sound(padded), _sound(mask)

    def map(self, function):
        return _tracing(function, lambda callback: Acc.NestedArray.map(self, callback))

    def imap(self, function):
        return _tracing(function, lambda callback: Acc.NestedArray.imap(self, callback))

    def map_nested(self, function):
        """A function of elements that are nested arrays, to nested arrays."""
        return _build(function, 1, lambda callback: Acc.NestedArray.map_nested(self, callback), convert=_nested)

    def zip_with(self, *others_and_function):
        *others, function = others_and_function
        return _tracing(function, lambda callback: Acc.NestedArray.zip_with_many([self, *others], callback))

    def izip_with(self, *others_and_function):
        """As zip_with, with the number of the element first."""
        *others, function = others_and_function
        return _tracing(function, lambda callback: Acc.NestedArray.izip_with_many([self, *others], callback))

    def filter(self, predicate):
        return _tracing(predicate, lambda callback: Acc.NestedArray.filter(self, callback))

    def gather(self, indices):
        return _sound(Acc.NestedArray.gather(self, _integers(indices)))

    def concat(self, other):
        return _sound(Acc.NestedArray.concat(self, other))

    def nest(self, lengths):
        return _sound(Acc.NestedArray.nest(self, _integers(lengths)))

    def flatten_level(self, level):
        return _sound(Acc.NestedArray.flatten_level(self, level))

    def sort(self, descending=False):
        return _sound(Acc.NestedArray.sort(self, descending))

    def argsort(self, descending=False):
        return _sound(Acc.NestedArray.argsort(self, descending))

    def cast(self, code):
        return _sound(Acc.NestedArray.cast(self, _type(code)))

    astype = cast

    # a number for each element
    sum, product, mean = (_reduction(name) for name in ('sum', 'product', 'mean'))
    minimum, maximum, argmin, argmax = (_reduction(name) for name in ('minimum', 'maximum', 'argmin', 'argmax'))
    all_true, any_true, count_nonzero = (_reduction(name) for name in ('all_true', 'any_true', 'count_nonzero'))
    all, any = all_true, any_true

    def variance(self, ddof=0):
        return _reduced(self, lambda innermost: Acc.NestedArray.variance(innermost, ddof))

    def standard_deviation(self, ddof=0):
        return _reduced(self, lambda innermost: Acc.NestedArray.standard_deviation(innermost, ddof))

    var, std = variance, standard_deviation

    def run(self, backend=None):
        """Itself, computed."""
        backend = backend or Acc.Backend.get_default()
        return backend.run_nested(self, None)

    def __str__(self):
        return self.to_string()

    __repr__ = __str__

    def __eq__(self, other):
        """Whether both have the same type, levels, extents and values, as lists of lists are compared; what is not in memory runs."""
        import numpy
        if not isinstance(other, Acc.NestedArray):
            return NotImplemented
        if (self.dtype, self.ndim, self.depth) != (other.dtype, other.ndim, other.depth):
            return False
        return all(numpy.array_equal(numpy.asarray(x), numpy.asarray(y)) for x, y in zip(self._layers(), other._layers()))

    def __ne__(self, other):  # that of GObject tells of objects
        equal = self.__eq__(other)
        return equal if equal is NotImplemented else not equal

    __hash__ = None

    def _layers(self):
        """How many there are in each element of each level, the extents, and the values."""
        made = self if self.is_manifest() else self.run()
        while made.inner is not None:
            yield made.lengths.run()
            made = made.inner
        if made.ndim:
            yield made.get_extents().run()
        yield made.flatten().run()

    def _parts(self):
        made, levels = self if self.is_manifest() else self.run(), []
        while made.inner is not None:
            levels.append(made.lengths.run())
            made = made.inner
        if made.ndim == 0 or made.get_form() == Acc.NestedForm.REGULAR:
            return levels, made.flatten().run() if made.ndim == 0 else made.values.run()
        return levels, made.flatten().run(), made.get_extents().run(), made.ndim

    @staticmethod
    def _unpickle(levels, values, extents=None, rank=None):
        make = {None: lambda *_: NestedArray.from_regular(values), 1: NestedArray.from_lengths}.get(rank, NestedArray.from_extents)
        nested = make(values, extents)
        for lengths in reversed(levels):
            nested = nested.nest(lengths)
        return nested.run()

    def __len__(self):
        return self.get_lengths().run().shape[0]

    def __getitem__(self, index):
        """An element, or some of them as a nested array: of a slice, of integers, or of a mask. By a nested array, which has a mask or
        integers for each element: some values of each. Of several indices the first is of elements, and the others are of what is in each."""
        if isinstance(index, Acc.NestedArray):
            return self.zip_with(index, lambda element, chosen: element[chosen])
        if isinstance(index, tuple):
            return self._part(index)
        if index is Ellipsis:
            return self
        if isinstance(index, slice):
            return self._slice(index)
        if index is None or isinstance(index, bool):
            raise IndexError(f'elements are not chosen by {index}')
        if isinstance(index, list) or getattr(index, 'shape', ()) != ():
            return self._choose(index)
        index, n = operator.index(index), len(self)
        if not -n <= index < n:
            raise IndexError(f'element {index} of {n}')
        return self._element(index % n if n else index)

    def _part(self, entries):
        dots = [place for place, entry in enumerate(entries) if entry is Ellipsis]
        if len(dots) > 1:
            raise IndexError('an index has one ... at most')
        if sum(_keeps(entry) and not isinstance(entry, slice) for entry in entries) > 1:
            raise IndexError('an index has one list of places at most')
        for place in dots:
            n_used = sum(entry is not None for entry in entries) - 1
            entries = entries[:place] + (slice(None),) * (self.depth + self.ndim - n_used) + entries[place + 1:]
        if sum(entry is not None for entry in entries) > self.depth + self.ndim:
            raise IndexError(f'{len(entries)} indices for {self.depth} levels of elements of rank {self.ndim}')
        if not entries:
            return self
        chosen, rest = self[entries[0]], entries[1:]
        if not rest:
            return chosen
        if isinstance(chosen, Acc.NestedArray):
            return chosen._within(rest) if _keeps(entries[0]) else chosen[rest]
        made = chosen[rest if len(rest) > 1 else rest[0]]
        return _array(made) if isinstance(made, Acc.Expr) else made

    def _within(self, entries):
        """What @entries choose in each element: an array where that is one number."""
        if self.inner is None:
            made = self.map(lambda element: element[entries if len(entries) > 1 else entries[0]])
            return made.flatten() if made.ndim == 0 else made
        places = NestedArray.from_lengths(self.inner._numbers(), self.lengths)._within(entries[:1])
        inner = self.inner.gather(places.flatten() if isinstance(places, Acc.NestedArray) else places)
        if entries[1:]:
            inner = inner._within(entries[1:])
        return _grouped(inner, places.lengths) if isinstance(places, Acc.NestedArray) else inner

    def _numbers(self):
        return self.lengths.imap(lambda index, _: index)

    def _slice(self, part):
        start, stop, step = (None if entry is None else operator.index(entry) for entry in (part.start, part.stop, part.step))
        if step == 0:
            raise ValueError('the step of a slice is not 0')
        if step in (None, 1) and (start or 0) >= 0 and (stop or 0) >= 0:
            start = start or 0
            return _sound(self.slice(start, 2 ** 63 - 1 if stop is None else max(stop - start, 0)))
        if (start, stop, step) == (None, None, -1):
            return _sound(self.reverse())
        return self.gather(self._numbers()[part])

    def _choose(self, indices):
        import numpy
        indices, n = numpy.asarray(indices, 'i8' if isinstance(indices, list) and not indices else None), len(self)
        if indices.dtype == bool and indices.shape != (n,):
            raise IndexError(f'a mask of shape {indices.shape} for {n} elements')
        if indices.dtype == bool:
            return self.gather(numpy.flatnonzero(indices).astype('i8'))
        if indices.ndim != 1 or indices.dtype.kind not in 'iu':
            raise IndexError(f'elements are chosen by a vector of integers or a mask, not by {indices.dtype} of shape {indices.shape}')
        if indices.size and not -n <= indices.min() <= indices.max() < n:
            raise IndexError(f'an element of {indices.min()} to {indices.max()}, where there are {n}')
        return self.gather(numpy.where(indices < 0, indices + n, indices).astype('i8'))

    def _element(self, index):
        return self.dup_element(index) if self.inner is None else self.dup_nested(index)

    def __iter__(self):
        made = self if self.is_manifest() else self.run()
        for index in range(len(made)):
            yield made._element(index)

    def to_list(self, backend=None):
        """The elements as lists of numbers, each as deep as its levels and rank."""
        import numpy
        made, groups = self if self.is_manifest() else self.run(backend), []
        while made.inner is not None:
            groups.append(numpy.asarray(made.offsets.run(backend)).tolist())
            made = made.inner
        lists = _list_arrays(made, backend)
        for offsets in reversed(groups):
            lists = [lists[begin:end] for begin, end in zip(offsets, offsets[1:])]
        return lists


def _list_arrays(made, backend):
    import numpy
    flat = numpy.asarray(made.flatten().run(backend))
    if made.ndim == 0:
        return flat.tolist()
    columns = [made.get_extents()] if made.ndim == 1 else [made.get_extents().unzip(axis) for axis in range(made.ndim)]
    shapes = zip(*(numpy.asarray(column.run(backend)).tolist() for column in columns))
    lists, start = [], 0
    for shape in shapes:
        size = int(numpy.prod(shape))
        lists.append(flat[start:start + size].reshape(shape + flat.shape[1:]).tolist())
        start += size
    return lists


def _keeps(entry):
    """Whether an index keeps the level that it chooses from."""
    return isinstance(entry, (slice, list)) or getattr(entry, 'shape', ()) != ()


NestedArray = override(NestedArray)
