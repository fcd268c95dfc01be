# SPDX-License-Identifier: LGPL-2.1-or-later
"""Parts of arrays as NumPy writes them: array[1:5, ::-1, ..., 0, None], array[mask], array[indices]."""

import operator

from ._module import Acc
from ._shape import _extents, _has_expr, _is_expr, _known_extents
from ._values import _expr, _sound


def _is_part(key, rank):
    """Whether that is a part of an array of @rank, and not the place of an element."""
    entries = key if isinstance(key, tuple) else (key,)
    if any(isinstance(entry, slice) or entry is Ellipsis or entry is None for entry in entries):
        return True
    if isinstance(key, Acc.Array):
        return key.get_rank() > 0
    return len(entries) < rank and all(isinstance(entry, int) and not isinstance(entry, bool) for entry in entries)


def _part(array, key):
    if isinstance(key, Acc.Array):
        return _chosen(array, key)
    entries = list(key) if isinstance(key, tuple) else [key]
    n_used = sum(entry is not None and entry is not Ellipsis for entry in entries)
    if n_used > array.ndim:
        raise IndexError(f'{n_used} indices for an array of rank {array.ndim}')
    if sum(entry is Ellipsis for entry in entries) > 1:
        raise IndexError('an index has one ... at most')
    if Ellipsis not in entries:
        entries.append(Ellipsis)
    place = entries.index(Ellipsis)
    entries[place:place + 1] = [slice(None)] * (array.ndim - n_used)

    axis, fixed, added = 0, [], []
    for entry in entries:
        if entry is None:
            added.append(1)
            continue
        if isinstance(entry, slice):
            array = _stepped(array, axis, entry)
            fixed.append(Acc.ALL)
            added.append(Acc.ALL)
        else:
            fixed.append(_place(array, axis, entry))
        axis += 1
    if any(entry is not Acc.ALL for entry in fixed):
        array = array.slice(*fixed)
    return array.replicate(*added) if 1 in added else array


def _element(array, key):
    """The element at @key, as an expression."""
    entries = key if isinstance(key, tuple) else (key,)
    if len(entries) == array.ndim:
        entries = tuple(_place(array, axis, entry) if isinstance(entry, int) and not isinstance(entry, bool) else entry for axis, entry in enumerate(entries))
        key = entries if isinstance(key, tuple) else entries[0]
    return _sound(Acc.Expr.index(array, _expr(key)))


def _place(array, axis, index):
    """Negative numbers count from the end; expressions are what they are."""
    if isinstance(index, (Acc.Expr, Acc.Array)):
        return index
    index = operator.index(index)
    extents = _known_extents(array)
    if extents is None:
        return index if index >= 0 else array.extent(axis) + index
    extent = extents[axis]
    if not -extent <= index < extent:
        raise IndexError(f'index {index} is out of range of axis {axis}, which has {extent}')
    return index % extent


def _stepped(array, axis, part):
    if part.start is None and part.stop is None and part.step is None:
        return array
    step = 1 if part.step is None else operator.index(part.step)
    if step == 0:
        raise ValueError('the step of a slice is not 0')
    extents = _known_extents(array)
    if extents is not None and not _has_expr(part):
        places = range(extents[axis])[part]
        first, count = places.start, len(places)
    else:
        first, count = _bounds(array.extent(axis), part, step)
    if step == 1:
        return array.slit(first, count, axis=axis)
    if step == -1 and part.start is None and part.stop is None:
        return array.reverse(axis=axis)
    shape = tuple(count if d == axis else extent for d, extent in enumerate(_extents(array)))

    def place(index):
        if array.ndim == 1:
            return first + step * index
        return tuple(first + step * index[d] if d == axis else index[d] for d in range(array.ndim))

    return array.backpermute(shape, place)


def _bounds(extent, part, step):
    """As slice.indices() has them, of an extent that is known when it runs."""
    least, most = (0, extent) if step > 0 else (-1, extent - 1)

    def bound(value, default):
        if value is None:
            return default
        if _is_expr(value):
            value = _expr(value).cast('i8')
            value = Acc.Expr.cond(value < 0, value + extent, value)
        else:
            value = operator.index(value)
            value = value if value >= 0 else extent + value
        return Acc.Expr.max(_expr(least), Acc.Expr.min(_expr(value), _expr(most)))

    first = bound(part.start, least if step > 0 else most)
    last = bound(part.stop, most if step > 0 else least)
    span = last - first if step > 0 else first - last
    return first, Acc.Expr.max(_expr(0), (span + (abs(step) - 1)) // abs(step))


def _chosen(array, chosen):
    """Elements where a mask is true, in their order; else those at the indices, along the first axis."""
    if chosen.dtype == 'b1':
        if chosen.ndim != array.ndim:
            raise IndexError(f'a mask of rank {chosen.ndim} for an array of rank {array.ndim}')
        return array.compact(chosen)[0]
    if array.ndim == 1:
        return array.gather(chosen)
    rank = chosen.ndim

    def place(index):
        head = tuple(index[d] for d in range(rank))
        return (chosen[head[0] if rank == 1 else head], *(index[d] for d in range(rank, rank + array.ndim - 1)))

    return array.backpermute(_extents(chosen) + _extents(array)[1:], place)
