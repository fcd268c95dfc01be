# SPDX-License-Identifier: LGPL-2.1-or-later
"""Operations on rows, which are the innermost dimension, along any other."""

import functools
import operator

from ._shape import _extents, _product


def _count_axis(rank, axis):
    counted = operator.index(axis)
    if not -rank <= counted < rank:
        raise IndexError(f'axis {axis} of an array of rank {rank}')
    return counted % rank


def _reorder(array, order):
    """With dimension order[d] as its dimension d."""
    order = list(order)
    if order == list(range(len(order))):
        return array
    if len(order) == 2:
        return array.transpose()
    places, extents = [order.index(d) for d in range(len(order))], _extents(array)
    return array.backpermute(tuple(extents[d] for d in order), lambda index: tuple(index[place] for place in places))


def _move_last(array, axes):
    """The order of dimensions with @axes behind all others, and the array in that order."""
    order = [d for d in range(array.ndim) if d not in axes] + list(axes)
    return order, _reorder(array, order)


def _join_last(array, n):
    """Its last @n dimensions as one."""
    if n == 1:
        return array
    extents = _extents(array)
    return array.reshape(*extents[:-n], _product(extents[-n:]))


def _reducing_by(of_rows, of_all=None):
    """The reduction of rows @of_rows with the argument axis behind its others: one, several, or None for all, which the method named @of_all may
    reduce at once."""
    @functools.wraps(of_rows)
    def reduce(self, *arguments, axis=-1, **keywords):
        if axis == -1:
            return of_rows(self, *arguments, **keywords)
        if axis is None:
            if of_all is not None:
                return getattr(self, of_all)(*arguments, **keywords)
            axis = tuple(range(self.ndim))
        axes = [_count_axis(self.ndim, one) for one in (axis if isinstance(axis, tuple) else (axis,))]
        if len(set(axes)) != len(axes):
            raise ValueError(f'axis {axis} has a dimension twice')
        if not axes:
            raise ValueError('no axis to reduce')
        return of_rows(_join_last(_move_last(self, sorted(axes))[1], len(axes)), *arguments, **keywords)

    return reduce


def _reducing(of_rows, of_all=None):
    """The same of a reduction that has no other arguments but by name."""
    by = _reducing_by(of_rows, of_all)
    return functools.wraps(of_rows)(lambda self, axis=-1, **keywords: by(self, axis=axis, **keywords))


def _along(of_rows):
    """What @of_rows makes of each row, which stays a row, along the argument axis."""
    @functools.wraps(of_rows)
    def along(self, *arguments, axis=-1, **keywords):
        if axis == -1:
            return of_rows(self, *arguments, **keywords)
        order, moved = _move_last(self, [_count_axis(self.ndim, axis)])
        return _reorder(of_rows(moved, *arguments, **keywords), [order.index(d) for d in range(self.ndim)])

    return along
