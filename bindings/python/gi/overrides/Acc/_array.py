# SPDX-License-Identifier: LGPL-2.1-or-later
"""Arrays."""

import math
import operator

from gi.repository import GLib, GObject

from ._axes import _along, _count_axis, _reducing, _reducing_by, _reorder
from ._memory import _array, _buffers, _dtype, _pickled, _View
from ._methods import _arithmetic, _checked, _elementwise, _is_many, _seeded, _seeded_parts, _unseeded, _unseeded_parts, _zipping
from ._module import Acc, override
from ._operators import _array_function, _array_ufunc, _equality
from ._program import while_loop
from ._shape import _boundary, _extents, _has_expr, _inferred, _known_extents, _of_shape, _product, _shape, _specification
from ._slicing import _element, _is_part, _part
from ._values import _build, _build_two, _element_type, _expr, _sound, _type, Neighbourhood


def _with_many(array, other, function):
    """@function of the elements of two arrays; one of one element is beside each of the other's. Nested arrays and sequences do the same themselves."""
    if isinstance(other, (Acc.NestedArray, Acc.Sequence)):
        return NotImplemented
    other = _array(other)
    if array.ndim > 0 and other.ndim == 0:
        return array.map(lambda x: function(x, other[()]))
    if array.ndim == 0 and other.ndim > 0:
        return other.map(lambda y: function(array[()], y))
    return array.zip_with(other, function)


@_pickled
@_arithmetic(_with_many)
class Array(Acc.Array):
    """An array value: in memory, or an operation on other arrays that runs when its value is wanted."""

    __array_priority__ = 100
    __array_ufunc__, __array_function__ = _array_ufunc, _array_function

    # asking
    @property
    def shape(self):
        """The extents: numbers, or expressions where they are known when it runs only."""
        return _extents(self)

    @property
    def size(self):
        """How many elements there are: a number, or an expression."""
        return _product(_extents(self))

    @property
    def ndim(self):
        return self.get_rank()

    @property
    def dtype(self):
        return _element_type(self).get_code()

    @property
    def label(self):
        return self.get_label()

    @label.setter
    def label(self, label):
        self.set_label(label)

    def named(self, label):
        """Itself, with a label for messages and plans."""
        self.set_label(label)
        return self

    def __str__(self):
        return self.to_string()

    def __repr__(self):
        if not self.is_manifest() and self.get_element_type() is not None:
            known = _known_extents(self)
            return f'<Acc.Array {self.get_operation()} {self.dtype} {f"of rank {self.ndim}" if known is None else known}>'
        return self.to_string()

    def __len__(self):
        if self.ndim == 0:
            raise TypeError('an array of rank 0 has no length')
        if self.get_shape() is None:
            raise TypeError('the length is known when it runs only: shape[0] is an expression of it')
        return self.shape[0]

    # numbers out
    @property
    def __array_interface__(self):
        if not self.is_manifest() or self.get_element_type().is_tuple() or 0 in self.shape:
            raise AttributeError('__array_interface__')
        dtype = _dtype(self.get_element_type())
        address = self.get_address(0)
        if address == 0:
            self.dup_bytes(0)   # raises what the device said
        # The scalars of a vector are one more axis.
        return {'version': 3, 'shape': self.shape + dtype.shape, 'typestr': dtype.base.str, 'data': (address, True)}

    def __array__(self, dtype=None, copy=None):
        import numpy
        source = self if self.is_manifest() else self.run()
        element_type, shared = source.get_element_type(), False
        if 0 in source.shape:
            values = numpy.zeros(source.shape, dtype=_dtype(element_type))
        elif not element_type.is_tuple():
            values, shared = numpy.asarray(_View(source)), source is self
        else:
            values = numpy.zeros(source.shape, dtype=_dtype(element_type))
            for number, part in enumerate(_buffers(values)):
                part[...] = numpy.frombuffer(source.dup_bytes(number).get_data() or b'', dtype=part.dtype).reshape(part.shape)
        if copy is False and not (shared and dtype in (None, values.dtype)):
            raise ValueError('the values are not in memory as they are wanted: a copy is needed')
        return values.astype(dtype or values.dtype, copy=bool(copy))

    def _single(self, error):
        """The value of the one element there is."""
        import numpy
        if self.get_shape() is not None and math.prod(self.shape) != 1:
            raise error(f'{self!r} is not one element')
        values = numpy.asarray(self)
        if values.size != 1:
            raise error(f'{values.size} elements are not one')
        return values.item()

    def item(self):
        return self._single(ValueError)

    def to_list(self):
        """The values as lists of Python, one in the other."""
        import numpy
        return numpy.asarray(self).tolist()

    def __bool__(self):
        if _element_type(self).is_tuple():
            raise TypeError('a tuple is neither true nor false')
        return bool(self._single(ValueError))

    def __float__(self):
        return float(self._single(TypeError))

    def __int__(self):
        return int(self._single(TypeError))

    def __index__(self):
        if self.ndim != 0 or self.dtype[0] not in 'iu':
            raise TypeError('only one integer, of rank 0, is an index')
        return int(self)

    def __complex__(self):
        return complex(self._single(TypeError))

    def _parts(self):
        made = self if self.is_manifest() else self.run()
        buffers = [made.dup_bytes(number).get_data() or b'' for number in range(made.get_element_type().get_n_buffers())]
        return made.dtype, made.shape, buffers

    @staticmethod
    def _unpickle(code, shape, buffers):
        return _sound(Acc.Array.use_buffers(_type(code), _shape(shape), [GLib.Bytes.new(buffer) for buffer in buffers]))

    # What is not in memory runs for these.
    def __iter__(self):
        import numpy
        return iter(numpy.asarray(self))

    def __reversed__(self):
        import numpy
        return reversed(numpy.asarray(self))

    def __contains__(self, value):
        import numpy
        return bool((numpy.asarray(self) == value).any())

    def run(self, backend=None):
        backend = backend or Acc.Backend.get_default()
        return backend.run(self, None)

    def write(self, sink, backend=None):
        backend = backend or Acc.Backend.get_default()
        return backend.write(self, sink, None)

    # element-wise
    def map(self, function):
        return _build(function, 1, lambda callback: Acc.Array.map(self, callback))

    def imap(self, function):
        return _build(function, 2, lambda callback: Acc.Array.imap(self, callback))

    zip_with = zip_with3 = zip_with4 = zip_with5 = zip_with6 = zip_with7 = zip_with8 = zip_with9 = _zipping('zip_with', 0)
    izip_with = izip_with3 = izip_with4 = izip_with5 = izip_with6 = izip_with7 = izip_with8 = izip_with9 = _zipping('izip_with', 1)

    def zip(self, *others):
        return _sound(Acc.Array.zip_many([self] + [_array(other) for other in others]))

    def unzip(self, item=None):
        if item is not None:
            return _sound(Acc.Array.unzip(self, item))
        return tuple(self.unzip(i) for i in range(self.get_element_type().get_n_items()))

    def cast(self, code):
        element_type = _type(code)
        return self.map(lambda x: x.cast(element_type))

    astype = cast

    # shape
    def reshape(self, *shape):
        """The same elements in rows of @shape, where one extent may be -1: as many as there are."""
        return _sound(_of_shape('reshape', _inferred(self, shape[0] if len(shape) == 1 else shape), self))

    def flatten(self):
        return _sound(Acc.Array.flatten(self))

    def slice(self, *specification):
        """Dimensions with an index go; Acc.ALL, or :, keeps one, a first ... all that are not named."""
        return _sound(Acc.Array.slice_expr(self, _specification(specification)))

    def replicate(self, *specification):
        """Numbers are the extents of new dimensions; Acc.ALL, or :, is one of the array's, a first ... all that are not named."""
        return _sound(Acc.Array.replicate_expr(self, _specification(specification)))

    def backpermute(self, shape, function):
        return _build(function, 1, lambda callback: _of_shape('backpermute', shape, self, after=(callback,)))

    # parts, along an axis as NumPy counts them; of the last one they are what messages and plans name as it is called
    def take(self, count, axis=-1):
        return _sound(Acc.Array.take_on(self, axis, _expr(count)))

    def drop(self, count, axis=-1):
        return _sound(Acc.Array.drop_on(self, axis, _expr(count)))

    def drop_last(self, count=1, axis=-1):
        return _sound(Acc.Array.drop_last_on(self, axis, _expr(count)))

    def tail(self, axis=-1):
        return _sound(Acc.Array.tail(self) if axis == -1 else Acc.Array.tail_on(self, axis))

    def slit(self, start, count, axis=-1):
        return _sound(Acc.Array.slit_on(self, axis, _expr(start), _expr(count)))

    def reverse(self, axis=-1):
        return _sound(Acc.Array.reverse(self) if axis == -1 else Acc.Array.reverse_on(self, axis))

    def transpose(self, first=-2, second=-1):
        if (first, second) == (-2, -1):
            return _sound(Acc.Array.transpose(self))
        return _sound(Acc.Array.transpose_on(self, first, second))

    @property
    def T(self):
        return self.transpose()

    def moveaxis(self, source, destination):
        """With dimension source as its dimension destination, and all others in their order."""
        source, destination = (_count_axis(self.ndim, axis) for axis in (source, destination))
        order = [d for d in range(self.ndim) if d != source]
        order.insert(destination, source)
        return _reorder(self, order)

    def concat(self, other, axis=-1):
        other = _array(other)
        return _sound(Acc.Array.concat(self, other) if axis == -1 else Acc.Array.concat_on(self, other, axis))

    def gather(self, indices):
        return _sound(Acc.Array.gather(self, _array(indices)))

    def indexed(self):
        return _sound(Acc.Array.indexed(self))

    def filter(self, predicate):
        """The elements that stay, as a vector, and how many there are of each row."""
        return _build_two(predicate, 1, lambda callback: Acc.Array.filter(self, callback))

    def compact(self, flags):
        kept, counts = Acc.Array.compact(self, _array(flags))
        return _sound(kept), counts

    def _select(self, operation):
        kept, counts = operation(self)
        return _sound(kept), counts

    def filter_just(self):
        """The values that are there, as a vector, and how many there are of each row."""
        return self._select(Acc.Array.filter_just)

    def filter_left(self):
        return self._select(Acc.Array.filter_left)

    def filter_right(self):
        return self._select(Acc.Array.filter_right)

    def expand(self, count, element):
        # One level for each function: what either raises comes out.
        return _build(count, 1, lambda counted: _build(element, 2, lambda made: Acc.Array.expand(self, counted, (), made, ())))

    # order
    @_along
    def sort(self, descending=False):
        return _sound(Acc.Array.sort(self, descending))

    @_along
    def argsort(self, descending=False):
        return _sound(Acc.Array.argsort(self, descending))

    def sort_pairs(self, keys, descending=False):
        """The elements in the order of their keys, and the sorted keys."""
        made, sorted_keys = Acc.Array.sort_pairs(self, _array(keys), descending)
        return _sound(made), sorted_keys

    def sort_by_key(self, key, descending=False):
        """The elements in the order of the keys that a function finds in them."""
        return _build(key, 1, lambda callback: Acc.Array.sort_by_key(self, descending, callback))

    def searchsorted(self, values, side='left'):
        """Where values would go in a sorted vector: in front of equal elements, or, side='right', behind them."""
        if side not in ('left', 'right'):
            raise ValueError("side is 'left' or 'right'")
        return _sound(Acc.Array.searchsorted(self, _array(values), side == 'right'))

    def unique(self):
        """Every value once, in order, and how often each comes."""
        values, counts = Acc.Array.unique(self)
        return _sound(values), counts

    def run_length_encode(self):
        """The first of each run, and how long it is."""
        values, lengths = Acc.Array.run_length_encode(self)
        return _sound(values), lengths

    def bincount(self, n_bins):
        return _sound(Acc.Array.bincount(self, n_bins))

    def histogram(self, bins, range):
        """How many there are in each of bins of one width, over range = (low, high)."""
        return _sound(Acc.Array.histogram(self, bins, float(range[0]), float(range[1])))

    # regions
    def label_components(self, connectivity=1):
        """The number of its connected component for each element that is not 0, and how many there are."""
        labels, count = Acc.Array.label_components(self, connectivity)
        return _sound(labels), count

    def label_components_by(self, connects, mask=None, connectivity=1):
        """The same of elements in a mask, where a function tells whether neighbours are connected."""
        mask = None if mask is None else _array(mask)
        return _build_two(connects, 2, lambda callback: Acc.Array.label_components_by(self, mask, connectivity, callback))

    def flood(self, seed, connectivity=1):
        """Where elements are that equal that at an index, and that neighbours link to it."""
        return _sound(Acc.Array.flood(self, seed, connectivity))

    def flood_fill(self, seed, value, connectivity=1):
        return _sound(Acc.Array.flood_fill(self, seed, connectivity, _expr(value)))

    def remove_small_objects(self, min_size, connectivity=1):
        """Without connected components of less elements."""
        return _sound(Acc.Array.remove_small_objects(self, min_size, connectivity))

    def remove_small_holes(self, area_threshold, connectivity=1):
        return _sound(Acc.Array.remove_small_holes(self, area_threshold, connectivity))

    def fill_holes(self, connectivity=1):
        return _sound(Acc.Array.fill_holes(self, connectivity))

    def distance_transform(self):
        """How far away the nearest 0 is from each element."""
        return _sound(Acc.Array.distance_transform(self))

    def distance_transform_squared(self):
        return _sound(Acc.Array.distance_transform_squared(self))

    # products
    def dot(self, other):
        """The sums of products of rows."""
        return _sound(Acc.Array.dot(self, _array(other)))

    def outer(self, other):
        return _sound(Acc.Array.outer(self, _array(other)))

    def __matmul__(self, other):
        return _sound(Acc.Array.matmul(self, _array(other)))

    def __rmatmul__(self, other):
        return _sound(Acc.Array.matmul(_array(other), self))

    # Fourier transforms
    def fft(self, axis=-1):
        """The discrete Fourier transform along one dimension."""
        return self._fft(axis, Acc.FftMode.FORWARD)

    def ifft(self, axis=-1):
        return self._fft(axis, Acc.FftMode.INVERSE)

    def _fft(self, axis, mode):
        return _sound(Acc.Array.fft(self, mode) if axis == -1 else Acc.Array.fft_on(self, axis, mode))

    def fft2(self):
        """Along the two innermost dimensions."""
        return _sound(Acc.Array.fft2(self, Acc.FftMode.FORWARD))

    def ifft2(self):
        return _sound(Acc.Array.fft2(self, Acc.FftMode.INVERSE))

    def fft3(self):
        """Along the three innermost dimensions."""
        return _sound(Acc.Array.fft3(self, Acc.FftMode.FORWARD))

    def ifft3(self):
        return _sound(Acc.Array.fft3(self, Acc.FftMode.INVERSE))

    rfft = _checked('rfft')

    def irfft(self, n=None):
        """What undoes rfft: n real numbers in a row, or as many as fit."""
        if n is None:
            n = 2 * (self.shape[-1] - 1) if self.ndim > 0 else 1
        return _sound(Acc.Array.irfft(self, n))

    fftshift, ifftshift = _checked('fftshift'), _checked('ifftshift')

    cumsum, cumprod, cummin, cummax = (_along(_checked(name)) for name in ('cumsum', 'cumprod', 'cummin', 'cummax'))

    # statistics of each row, and of everything
    sum, sum_all = _reducing(_checked('sum'), 'sum_all'), _checked('sum_all')
    product, product_all = _reducing(_checked('product'), 'product_all'), _checked('product_all')
    minimum, minimum_all = _reducing(_checked('minimum'), 'minimum_all'), _checked('minimum_all')
    maximum, maximum_all = _reducing(_checked('maximum'), 'maximum_all'), _checked('maximum_all')
    all, all_true = _reducing(_checked('all'), 'all_true'), _checked('all_true')
    any, any_true = _reducing(_checked('any'), 'any_true'), _checked('any_true')
    argmin, argmin_all = _reducing(_checked('argmin')), _checked('argmin_all')
    argmax, argmax_all = _reducing(_checked('argmax')), _checked('argmax_all')
    minmax, minmax_all = _reducing(_checked('minmax'), 'minmax_all'), _checked('minmax_all')
    count_nonzero, count_nonzero_all = _reducing(_checked('count_nonzero'), 'count_nonzero_all'), _checked('count_nonzero_all')
    norm, norm_all = _reducing(_checked('norm'), 'norm_all'), _checked('norm_all')
    mean, mean_all = _reducing(_checked('mean'), 'mean_all'), _checked('mean_all')

    def var_all(self, ddof=0):
        return _sound(Acc.Array.variance_all(self, ddof))

    def std_all(self, ddof=0):
        return _sound(Acc.Array.standard_deviation_all(self, ddof))

    def var(self, *, ddof=0):
        return _sound(Acc.Array.variance(self, ddof))

    def std(self, *, ddof=0):
        return _sound(Acc.Array.standard_deviation(self, ddof))

    var, std = _reducing(var, 'var_all'), _reducing(std, 'std_all')

    # reductions, and those of all beginnings or ends of rows; the _prime forms give what each row comes to besides
    fold, fold1 = _reducing_by(_seeded('fold'), 'fold_all'), _reducing_by(_unseeded('fold1'), 'fold1_all')
    fold_all, fold1_all = _seeded('fold_all'), _unseeded('fold1_all')
    scanl, scanl1, scanl_with_total = _along(_seeded('scanl')), _along(_unseeded('scanl1')), _seeded('scanl_with_total', _build_two)
    scanr, scanr1, scanr_with_total = _along(_seeded('scanr')), _along(_unseeded('scanr1')), _seeded('scanr_with_total', _build_two)
    prescanl, postscanl = _along(_seeded('prescanl')), _along(_seeded('postscanl'))
    prescanr, postscanr = _along(_seeded('prescanr')), _along(_seeded('postscanr'))

    # the same of parts of rows
    fold_seg, fold1_seg = _seeded_parts('fold_seg'), _unseeded_parts('fold1_seg')
    fold_seg_offsets, fold1_seg_offsets = _seeded_parts('fold_seg_offsets'), _unseeded_parts('fold1_seg_offsets')
    scanl_seg, scanl1_seg, scanl_with_total_seg = _seeded_parts('scanl_seg'), _unseeded_parts('scanl1_seg'), _seeded_parts('scanl_with_total_seg', _build_two)
    scanr_seg, scanr1_seg, scanr_with_total_seg = _seeded_parts('scanr_seg'), _unseeded_parts('scanr1_seg'), _seeded_parts('scanr_with_total_seg', _build_two)
    prescanl_seg, postscanl_seg = _seeded_parts('prescanl_seg'), _seeded_parts('postscanl_seg')
    prescanr_seg, postscanr_seg = _seeded_parts('prescanr_seg'), _seeded_parts('postscanr_seg')

    # neighbourhoods
    def stencil(self, sizes, boundary, function):
        sizes = [int(size) for size in (sizes if hasattr(sizes, '__iter__') else (sizes,))]
        return _build(function, 1, lambda callback: Acc.Array.stencil(self, sizes, _boundary(boundary), callback),
                      lambda n: (Neighbourhood(n, sizes),))

    def stencil2(self, sizes, boundary, other, other_sizes, other_boundary, function):
        sizes, other_sizes = [int(s) for s in sizes], [int(s) for s in other_sizes]
        return _build(function, 2,
                      lambda callback: Acc.Array.stencil2(self, sizes, _boundary(boundary), _array(other), other_sizes,
                                                          _boundary(other_boundary), callback),
                      lambda n, m: (Neighbourhood(n, sizes), Neighbourhood(m, other_sizes)))

    def permute(self, defaults, targets, function):
        return _build(function, 2, lambda callback: Acc.Array.permute(self, _array(defaults), _array(targets), callback))

    def scatter(self, defaults, targets):
        """A copy of defaults with self[i] at targets[i]."""
        return _sound(Acc.Array.scatter(self, _array(defaults), _array(targets)))

    def scatter_if(self, defaults, targets, mask, predicate):
        return _build(predicate, 1, lambda callback: Acc.Array.scatter_if(self, _array(defaults), _array(targets), _array(mask), callback))

    def gather_if(self, indices, defaults, mask, predicate):
        return _build(predicate, 1, lambda callback: Acc.Array.gather_if(self, _array(indices), _array(defaults), _array(mask), callback))

    # flow
    def while_loop(self, condition, step):
        return while_loop([self], condition, step)[0]

    def compute(self):
        """Itself, in memory before anything reads it: a barrier to fusion."""
        return _sound(Acc.Array.compute(self))

    # parts, and reading inside a scalar function
    def __getitem__(self, index):
        """With slices, a mask or an array of indices: that part, as NumPy has it; with numbers and expressions: the element there."""
        if self.is_manifest() and not _has_expr(index):
            import numpy
            return numpy.asarray(self)[index]
        if _is_many(index):
            index = _array(index)
        if _is_part(index, self.ndim):
            return _part(self, index)
        return _element(self, index)

    def at(self, linear):
        return _sound(Acc.Expr.linear_index(self, _expr(linear)))

    def extent(self, dimension):
        return _sound(Acc.Expr.extent(self, dimension))

    __eq__, __ne__ = (_equality(_elementwise(compare, _with_many)[0]) for compare in (operator.eq, operator.ne))
    __hash__ = GObject.Object.__hash__


Array = override(Array)
