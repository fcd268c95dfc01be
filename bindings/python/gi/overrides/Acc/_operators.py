# SPDX-License-Identifier: LGPL-2.1-or-later
"""The operators of expressions and arrays, and what functions of NumPy do with both."""

from ._module import Acc
from ._values import _is_complex, _is_float, _operands, _sound


def _binary(name):
    method = getattr(Acc.Expr, name)

    def forward(self, other):
        try:
            self, other = _operands(self, other)
        except TypeError:
            return NotImplemented
        return _sound(method(self, other))

    def backward(self, other):
        try:
            self, other = _operands(self, other)
        except TypeError:
            return NotImplemented
        return _sound(method(other, self))

    return forward, backward


def _by_type(of_floats, of_integers):
    floats, integers = _binary(of_floats), _binary(of_integers)

    def choose(expr, other):
        # Of complex numbers there are powers; to integers by multiplication.
        return floats if _is_float(expr) or (_is_complex(expr) and not isinstance(other, int)) else integers

    def forward(self, other):
        return choose(self, other)[0](self, other)

    def backward(self, other):
        return (floats if _is_float(self) or _is_complex(self) else integers)[1](self, other)

    return forward, backward


def _divide():
    """The operator /, which integers do not have."""
    forward, backward = _binary('fdiv')

    def check(expr, other):
        code = expr.dtype
        if code[0] in 'iu' and not (isinstance(other, Acc.Expr) and _is_float(other)):
            raise TypeError(f'{code} has no /: use //, which rounds down, or make floats of it first, as with .cast("f8")')

    def divide(self, other):
        check(self, other)
        return forward(self, other)

    def divide_by(self, other):
        check(self, other)
        return backward(self, other)

    return divide, divide_by


def _unary(name):
    method = getattr(Acc.Expr, name)
    return lambda self: _sound(method(self))


def _equality(compare):
    """@compare, where what cannot be compared is an error: Python would answer that the objects differ."""
    def method(self, other):
        result = compare(self, other)
        if result is NotImplemented:
            raise TypeError(f'{type(self).__name__} and {type(other).__name__} cannot be compared element by element; objects are compared by “is”')
        return result

    return method


def _divmod(self, other):
    return self // other, self % other


def _rdivmod(self, other):
    return other // self, other % self


_OPERATORS = {
    'add': ('__add__', '__radd__'), 'subtract': ('__sub__', '__rsub__'), 'multiply': ('__mul__', '__rmul__'), 'matmul': ('__matmul__', '__rmatmul__'),
    'true_divide': ('__truediv__', '__rtruediv__'), 'floor_divide': ('__floordiv__', '__rfloordiv__'), 'remainder': ('__mod__', '__rmod__'),
    'divmod': ('__divmod__', '__rdivmod__'), 'power': ('__pow__', '__rpow__'), 'left_shift': ('__lshift__', '__rlshift__'),
    'right_shift': ('__rshift__', '__rrshift__'), 'bitwise_and': ('__and__', '__rand__'), 'bitwise_or': ('__or__', '__ror__'),
    'bitwise_xor': ('__xor__', '__rxor__'), 'equal': ('__eq__', '__eq__'), 'not_equal': ('__ne__', '__ne__'), 'less': ('__lt__', '__gt__'),
    'less_equal': ('__le__', '__ge__'), 'greater': ('__gt__', '__lt__'), 'greater_equal': ('__ge__', '__le__'),
    'negative': ('__neg__',), 'positive': ('__pos__',), 'absolute': ('__abs__',), 'invert': ('__invert__',),
}


def _apply_operator(ufunc, inputs):
    """What the operator that a function of NumPy stands for gives, by the method of the operand that is acc's; NotImplemented without one."""
    names = _OPERATORS.get('true_divide' if ufunc.__name__ == 'divide' else ufunc.__name__, ())
    if not 0 < len(inputs) <= len(names):
        return NotImplemented
    left, *right = inputs
    if isinstance(left, (Acc.Expr, Acc.Array)):
        return getattr(left, names[0], lambda *_: NotImplemented)(*right)
    return getattr(right[0], names[1], lambda *_: NotImplemented)(left)


def _values(thing):
    """@thing, an argument of a function of NumPy, with the arrays in it as NumPy's."""
    if isinstance(thing, Acc.Array):
        import numpy
        values = numpy.asarray(thing).view()
        values.flags.writeable = False
        return values
    if isinstance(thing, Acc.Expr):
        raise TypeError('NumPy does not compute with an expression; Acc has functions of its own')
    if type(thing) in (tuple, list):
        return type(thing)(_values(item) for item in thing)
    if type(thing) is dict:
        return {name: _values(item) for name, item in thing.items()}
    return thing


def _call_numpy(name, function, inputs, keywords):
    out = keywords.get('out')
    if any(isinstance(item, Acc.Array) for item in (out if isinstance(out, tuple) else (out,))):
        raise TypeError(f'{name}: an Acc.Array is never written to')
    return function(*_values(inputs), **_values(keywords))


def _array_ufunc(self, ufunc, method, *inputs, **keywords):
    """The operators of NumPy's arrays and scalars are acc's where an operand is; any other function of NumPy gets the values."""
    if method == '__call__' and not keywords:
        result = _apply_operator(ufunc, inputs)
        if result is not NotImplemented:
            return result
    if method == 'at' and isinstance(inputs[0], Acc.Array):
        keywords['out'] = inputs[0]
    return _call_numpy(ufunc.__name__, getattr(ufunc, method), inputs, keywords)


def _array_function(self, function, types, inputs, keywords):
    import numpy
    asked = {numpy.shape: 'shape', numpy.ndim: 'ndim'}.get(function)
    if asked and len(inputs) == 1 and isinstance(inputs[0], Acc.Array) and inputs[0].get_shape() is not None:
        return getattr(inputs[0], asked)
    return _call_numpy(function.__name__, function, inputs, keywords)
