# SPDX-License-Identifier: LGPL-2.1-or-later
"""Shapes, and what is outside of an array."""

import functools
import operator

from ._module import Acc, export, override
from ._values import _expr


class Boundary(Acc.Boundary):
    """What a stencil sees outside its array."""

    CLAMP = Acc.BoundaryKind.CLAMP
    MIRROR = Acc.BoundaryKind.MIRROR
    WRAP = Acc.BoundaryKind.WRAP

    @staticmethod
    def constant(value):
        return Acc.Boundary.new_constant(_expr(value))

    @staticmethod
    def function(rank, function):
        kept, failure = [], []

        def callback(index, *_):
            try:
                kept.append(_expr(function(index)))
                return kept[-1]
            except BaseException as exception:
                failure.append(exception)
                return None

        made = Acc.Boundary.new_function(rank, callback)
        if failure:
            raise failure[0]
        return made


Boundary = override(Boundary)


def _boundary(boundary):
    if isinstance(boundary, Acc.Boundary):
        return boundary
    if isinstance(boundary, Acc.BoundaryKind):
        return Acc.Boundary.new(boundary)
    return Boundary.constant(boundary)


class Shape(Acc.Shape):
    """Extents, outermost first. Reads like a tuple."""

    def __len__(self):
        return self.get_rank()

    def __getitem__(self, dimension):
        return tuple(self)[dimension]

    def __iter__(self):
        return (self.get_extent(d) for d in range(self.get_rank()))

    def __eq__(self, other):
        return tuple(self) == tuple(other) if isinstance(other, (Acc.Shape, tuple, list)) else NotImplemented

    def __hash__(self):
        return hash(tuple(self))

    def __repr__(self):
        return f'<Acc.Shape {self.to_string()}>'


Shape = override(Shape)


def _shape(shape):
    if isinstance(shape, Acc.Shape):
        return shape
    if isinstance(shape, int):
        shape = (shape,)
    return Acc.Shape.new([int(extent) for extent in shape])


def _known_extents(array):
    """As a tuple of numbers; None: they are known when it runs only."""
    shape = array.get_shape()
    return None if shape is None else tuple(shape)


def _extents(array):
    """Numbers where they are known, else expressions."""
    known = _known_extents(array)
    return known if known is not None else tuple(array.extent(d) for d in range(array.get_rank()))


def _product(extents):
    """A number, or an expression where one is."""
    if any(isinstance(extent, Acc.Expr) for extent in extents):
        extents = [_expr(extent).cast('i8') for extent in extents]
    return functools.reduce(operator.mul, extents) if extents else 1


def _inferred(array, shape):
    """@shape with an extent in place of one that is -1, so that all elements of @array are in it."""
    extents = tuple(shape) if isinstance(shape, (tuple, list)) else (shape,)
    places = [d for d, extent in enumerate(extents) if isinstance(extent, int) and extent == -1]
    if not places:
        return shape
    if len(places) > 1:
        raise ValueError('reshape: only one extent may be -1')
    before, behind = extents[:places[0]], extents[places[0] + 1:]
    size, others = _product(_extents(array)), _product(before + behind)
    if isinstance(others, int) and (others == 0 or (isinstance(size, int) and size % others != 0)):
        raise ValueError(f'reshape: {size} elements have no shape {extents}')
    return before + (size // others,) + behind


def _of_shape(name, shape, *before, after=()):
    """The operation @name of a shape; where that holds expressions, its form for extents that are known when it runs."""
    if _has_expr(shape):
        # One extent is a number, not a tuple of one.
        shape = shape[0] if isinstance(shape, tuple) and len(shape) == 1 else shape
        return getattr(Acc.Array, name + '_expr')(*before, _expr(shape), *after)
    return getattr(Acc.Array, name)(*before, _shape(shape), *after)


def _specification(entries):
    """What slice and replicate take, from numbers, expressions, : and a first ..."""
    return [_expr(Acc.ANY if entry is Ellipsis else Acc.ALL if isinstance(entry, slice) and entry == slice(None) else entry) for entry in entries]


def _is_expr(number):
    """Whether that is known when it runs only: an expression, or an array of one element that is not in memory."""
    return isinstance(number, Acc.Expr) or (isinstance(number, Acc.Array) and number.get_rank() == 0 and not number.is_manifest())


def _has_expr(index):
    if isinstance(index, tuple):
        return any(_has_expr(part) for part in index)
    return _is_expr(index) or (isinstance(index, slice) and (_is_expr(index.start) or _is_expr(index.stop)))


ALL = Acc.ALL
ANY = Acc.ANY
export(ALL, 'ALL')
export(ANY, 'ANY')
