# SPDX-License-Identifier: LGPL-2.1-or-later
"""Arrays and chunks of rows in memory, as NumPy has them."""

from gi.repository import GLib, GObject

from ._module import Acc, export, override
from ._shape import _shape
from ._values import _is_vector, _sound, _type, _type_of_dtype


class _Owner(GObject.Object):
    """Keeps a NumPy array alive for as long as the library uses its memory."""

    def __init__(self, thing):
        super().__init__()
        self.thing = thing


@export
def use(data, dtype=None):
    """An array of what NumPy makes of @data; not copied where it is contiguous. A vector type takes the last axis for its scalars."""
    import numpy
    wanted = _type(dtype) if isinstance(dtype, (str, Acc.ElementType)) else None
    vectors = wanted if wanted is not None and _is_vector(wanted) else None
    if vectors is not None:
        dtype = _dtype(vectors.get_item(0))
    elif wanted is not None:
        dtype = _dtype(wanted)
    given = data
    with numpy.errstate(over='ignore'):
        data = numpy.ascontiguousarray(data, dtype=dtype) if numpy.ndim(data) else numpy.asarray(data, dtype=dtype)
    if dtype is not None and not hasattr(given, 'dtype'):
        _check_fit(given, data)
    if not data.dtype.isnative:
        data = data.astype(data.dtype.newbyteorder('='))
    element_type, shape = _type_of_dtype(data.dtype), _shape(data.shape)
    if vectors is not None:
        if data.shape[-1:] != (vectors.get_n_items(),):
            raise ValueError(f'{vectors.get_code()} does not fit the last axis of {data.shape}')
        element_type, shape = vectors, _shape(data.shape[:-1])
    if data.dtype.fields is not None:
        buffers = [GLib.Bytes.new(buffer.tobytes()) for buffer in _buffers(data)]
        return _sound(Acc.Array.use_buffers(element_type, shape, buffers))
    if data.nbytes == 0:
        return _sound(Acc.Array.use(element_type, shape, GLib.Bytes.new(b'')))
    address = data.__array_interface__['data'][0]
    return _sound(Acc.Array.use_owned(element_type, shape, address, data.nbytes, _Owner(data)))


def _check_fit(numbers, data):
    """Raises OverflowError where @data, made of @numbers of Python, holds others."""
    import numpy
    if data.dtype.kind not in 'iuf':
        return
    wanted = numpy.asarray(numbers)
    if wanted.dtype.kind not in 'iufO' or wanted.shape != data.shape:
        return
    wrong = numpy.isinf(data) & (abs(wanted) != numpy.inf) if data.dtype.kind == 'f' else data != wanted
    if numpy.any(wrong):
        raise OverflowError(f'{wanted[wrong].flat[0]} does not fit {_type_of_dtype(data.dtype).get_code()}')


def _buffers(data):
    if data.dtype.fields is None:
        yield data
    else:
        for name in data.dtype.names:
            yield from _buffers(data[name])


def _array(value):
    if value is None:
        raise TypeError('None is no array: a function of arrays returns one')
    if isinstance(value, (tuple, list)) and any(isinstance(item, Acc.Array) for item in value):
        raise TypeError(f'{len(value)} arrays, where one is wanted: choose one, or zip them')
    if isinstance(value, (Acc.NestedArray, Acc.Sequence)):
        raise TypeError(f'{type(value).__name__}, where an array is wanted')
    if isinstance(value, Acc.Expr):
        return _sound(Acc.Array.unit(value))
    return value if isinstance(value, Acc.Array) else use(value)


def _pickled(kind):
    """For a class of immutable values: a copy is the value itself, and pickle gets its _parts(), of which _unpickle() makes one."""
    # Where another process finds it: importing the package of overrides alone would not load what it overrides.
    kind._unpickle.__module__ = 'gi.repository.Acc'
    kind.__copy__ = lambda self: self
    kind.__deepcopy__ = lambda self, memo: self
    kind.__reduce_ex__ = lambda self, protocol: (kind._unpickle, self._parts())
    return kind


class _View:
    """Carries the interface of a manifest array to NumPy, which keeps it, and so the array, alive."""

    def __init__(self, array):
        self.array, self.__array_interface__ = array, array.__array_interface__


def _dtype(element_type):
    import numpy
    if element_type.is_tuple():
        return numpy.dtype([(f'f{i}', _dtype(element_type.get_item(i))) for i in range(element_type.get_n_items())])
    code = element_type.get_code()
    # NumPy has no complex numbers of halves.
    if _is_vector(element_type) or code == 'c4':
        return numpy.dtype((_dtype(element_type.get_item(0)), (element_type.get_n_items(),)))
    return numpy.dtype('?' if code == 'b1' else code)


class Chunk(Acc.Chunk):
    """Rows on their way, as NumPy sees them: chunk.view(buffer) is memory of the library, valid during the call."""

    def view(self, buffer=0, row_shape=()):
        import numpy
        dtype = _dtype(self.get_element_type().get_buffer(buffer)).base
        size = self.get_size(buffer)
        if size == 0:
            return numpy.empty((self.get_n_rows(),) + tuple(row_shape), dtype=dtype)
        holder = _Memory(self.get_address(buffer), size, dtype)
        return numpy.asarray(holder).reshape((self.get_n_rows(),) + (tuple(row_shape) or (-1,)))


class _Memory:
    def __init__(self, address, size, dtype):
        self.__array_interface__ = {'version': 3, 'shape': (size // dtype.itemsize,), 'typestr': dtype.str,
                                    'data': (address, False)}


Chunk = override(Chunk)
