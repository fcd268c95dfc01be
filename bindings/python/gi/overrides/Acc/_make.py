# SPDX-License-Identifier: LGPL-2.1-or-later
"""Arrays of a shape, and arrays in files."""

import os
import re

from gi.repository import Gio

from ._module import Acc, export
from ._shape import _of_shape, _shape
from ._values import _build, _expr, _sound, _type, _typed


@export
def generate(shape, function):
    """The array whose element at an index is function (index). Extents may be expressions, of other arrays, say."""
    return _build(function, 1, lambda callback: _of_shape('generate', shape, after=(callback,)))


@export
def fill(shape, value, dtype=None):
    value = _expr(value) if dtype is None else _typed(value, _type(dtype))
    return _sound(_of_shape('fill', shape, after=(value,)))


@export
def enum_from(shape, start, step=1, dtype=None):
    """start, start + step, … in row-major order, of the type of start where no other is given."""
    if dtype is not None:
        start, step = (_typed(value, _type(dtype)) for value in (start, step))
    return _sound(Acc.Array.enum_from_step_n(_shape(shape), _expr(start), _expr(step)))


@export
def random_bits(shape, dtype='u4', seed=0, stream=0):
    return _sound(Acc.Array.random_bits(_type(dtype), _shape(shape), seed, stream))


@export
def random_uniform(shape, dtype='f8', seed=0, stream=0):
    """Numbers from 0 to less than 1: the same for the same seed and stream, on every backend."""
    return _sound(Acc.Array.random_uniform(_type(dtype), _shape(shape), seed, stream))


@export
def random_normal(shape, dtype='f8', seed=0, stream=0):
    return _sound(Acc.Array.random_normal(_type(dtype), _shape(shape), seed, stream))


@export
def random_integers(shape, low, high, dtype='i8', seed=0, stream=0, endpoint=False):
    """Integers from low to high - 1, or to high with endpoint."""
    element_type, highest = _type(dtype), high if endpoint else high - 1
    if low > highest:
        raise ValueError(f'random_integers: from {low} to {"" if endpoint else "less than "}{high} there are no integers')
    bounds = _typed(low, element_type), _typed(highest, element_type)
    return _sound(Acc.Array.random_integers_between(element_type, _shape(shape), *bounds, seed, stream))


@export
def unit(value):
    return _sound(Acc.Array.unit(_expr(value)))


def _file(place):
    """A file from itself, a path of any kind, or a URI."""
    if isinstance(place, Gio.File):
        return place
    place = os.fspath(place)
    is_uri = isinstance(place, str) and re.match(r'[A-Za-z][A-Za-z0-9+.-]*://', place)
    return Gio.File.new_for_uri(place) if is_uri else Gio.File.new_for_path(place)


@export
def open_source(place, dtype=None, shape=None, offset=0):
    """An array backed by a file, a path or a URI: a picture, a .npy file, or raw data of a given dtype and shape."""
    if dtype is None:
        source = Acc.Source.open(_file(place), None)
    else:
        source = Acc.Source.open_raw(_file(place), _type(dtype), _shape(shape), offset, None)
    return Acc.Array.new_from_source(source)


@export
def create_sink(place):
    """What writes a file, a path or a URI: .png, .npy, or raw data in .raw, .bin, .dat and names without an ending."""
    return Acc.Sink.create(_file(place), None)
