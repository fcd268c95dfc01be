# SPDX-License-Identifier: LGPL-2.1-or-later
"""Makers of methods of arrays."""

import fractions
import functools
import operator

from ._memory import _array
from ._module import Acc
from ._operators import _divmod, _rdivmod
from ._values import _build, _expr, _sound


_SCALARS = (int, float, complex, str, tuple, fractions.Fraction, Acc.Expr)


def _is_many(thing):
    """Whether @thing, of NumPy or what it makes an array of, has elements of its own."""
    if isinstance(thing, (Acc.Array, list)):
        return True
    if isinstance(thing, _SCALARS) or not (hasattr(thing, '__array__') or hasattr(thing, '__array_interface__')):
        return False
    import numpy
    return numpy.ndim(thing) > 0


def _map(self, function):
    return self.map(function)


def _elementwise(function, with_many, each=_map):
    """The operator that @function is of two elements, and the same where the array stands on the right; @with_many (self, other, call) is
    that with what has elements of its own, @each (self, call) of each element."""
    def method(self, other, call):
        if isinstance(other, (Acc.NestedArray, Acc.Sequence)) or _is_many(other):
            return with_many(self, other, call)
        if isinstance(other, _SCALARS) or hasattr(other, 'dtype'):
            return each(self, lambda x: call(x, other))
        return NotImplemented

    return lambda self, other: method(self, other, function), lambda self, other: method(self, other, lambda x, y: function(y, x))


def _arithmetic(with_many, each=_map):
    """For a class: Python's operators but == and !=, element by element."""
    def add(kind):
        for name in ('add', 'sub', 'mul', 'truediv', 'floordiv', 'mod', 'pow', 'and', 'or', 'xor', 'lshift', 'rshift'):
            forward, backward = _elementwise(getattr(operator, f'__{name}__'), with_many, each)
            setattr(kind, f'__{name}__', forward)
            setattr(kind, f'__r{name}__', backward)
        for name in ('lt', 'le', 'gt', 'ge'):
            setattr(kind, f'__{name}__', _elementwise(getattr(operator, name), with_many, each)[0])
        for name, function in (('neg', operator.neg), ('invert', operator.invert), ('abs', abs)):
            setattr(kind, f'__{name}__', lambda self, function=function: each(self, function))
        kind.__pos__ = lambda self: self
        kind.__divmod__, kind.__rdivmod__ = _divmod, _rdivmod
        return kind

    return add


def _named(name, method, call):
    call = functools.wraps(method)(call)
    call.__name__ = call.__qualname__ = name
    return call


def _seeded(name, build=_build):
    """The method @name of an initial value and a function of two."""
    method = getattr(Acc.Array, name)

    def call(self, initial, function):
        return build(function, 2, lambda callback: method(self, _expr(initial), callback))

    return _named(name, method, call)


def _unseeded(name):
    method = getattr(Acc.Array, name)

    def call(self, function):
        return _build(function, 2, lambda callback: method(self, callback))

    return _named(name, method, call)


def _seeded_parts(name, build=_build):
    """The same of parts of rows: @segments are their lengths or offsets."""
    method = getattr(Acc.Array, name)

    def call(self, initial, segments, function):
        return build(function, 2, lambda callback: method(self, _expr(initial), _array(segments), callback))

    return _named(name, method, call)


def _unseeded_parts(name):
    method = getattr(Acc.Array, name)

    def call(self, segments, function):
        return _build(function, 2, lambda callback: method(self, _array(segments), callback))

    return _named(name, method, call)


def _zipping(name, arity):
    """The method @name of two to nine arrays and, last, a function of their elements; of @arity arguments more than arrays."""
    def call(self, *others_and_function):
        *others, function = others_and_function
        n = len(others) + 1
        if not 2 <= n <= 9:
            raise TypeError(f'{name} takes 2 to 9 arrays and a function')
        method = getattr(Acc.Array, name if n == 2 else f'{name}{n}')
        return _build(function, n + arity, lambda callback: method(self, *[_array(other) for other in others], callback))

    call.__name__ = call.__qualname__ = name
    return call


def _checked(name):
    """The method @name, which raises what it is called wrongly with."""
    method = getattr(Acc.Array, name)

    @functools.wraps(method)
    def call(self, *arguments):
        return _sound(method(self, *arguments))

    call.__name__ = call.__qualname__ = name
    return call
