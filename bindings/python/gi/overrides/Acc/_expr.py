# SPDX-License-Identifier: LGPL-2.1-or-later
"""Expressions: what happens to one element."""

import functools

from ._memory import _array
from ._module import Acc, export, override
from ._operators import _array_function, _array_ufunc, _binary, _by_type, _divide, _divmod, _equality, _rdivmod, _unary
from ._values import _build, _element_type, _expr, _is_complex, _sound, _type


class Expr(Acc.Expr):
    """What happens to one element. Arithmetic and comparisons build larger expressions."""

    __array_ufunc__, __array_function__ = _array_ufunc, _array_function

    __add__, __radd__ = _binary('add')
    __sub__, __rsub__ = _binary('sub')
    __mul__, __rmul__ = _binary('mul')
    __truediv__, __rtruediv__ = _divide()
    __floordiv__, __rfloordiv__ = _by_type('div_float', 'div')
    __mod__, __rmod__ = _by_type('mod_float', 'mod')
    __pow__, __rpow__ = _by_type('pow', 'int_pow')
    __and__, __rand__ = _binary('band')
    __or__, __ror__ = _binary('bor')
    __xor__, __rxor__ = _binary('bxor')
    __lshift__, __rlshift__ = _binary('shl')
    __rshift__, __rrshift__ = _binary('shr')
    __lt__, _ = _binary('lt')
    __le__, _ = _binary('le')
    __gt__, _ = _binary('gt')
    __ge__, _ = _binary('ge')
    __eq__, __ne__ = (_equality(_binary(name)[0]) for name in ('eq', 'ne'))
    del _
    __divmod__, __rdivmod__ = _divmod, _rdivmod
    __neg__ = _unary('neg')
    __invert__ = _unary('bnot')
    __floor__, __ceil__ = _unary('floor'), _unary('ceiling')
    __hash__ = object.__hash__

    def __pos__(self):
        return self

    def __abs__(self):
        """As Python has it: of a complex number a float."""
        return _sound(Acc.Expr.magnitude(self) if _is_complex(self) else Acc.Expr.abs(self))

    def __round__(self, digits=None):
        if digits is not None:
            raise TypeError('an expression is rounded to whole numbers only')
        return _sound(Acc.Expr.round(self))

    def __bool__(self):
        raise TypeError('an expression has no truth value while the graph is built; use Acc.cond')

    def __array__(self, dtype=None, copy=None):
        raise TypeError('an expression is no value: NumPy cannot make an array of it')

    def __len__(self):
        return self.get_n_items()

    def __getitem__(self, item):
        n = self.get_n_items()
        if item < 0:
            item += n
        if not 0 <= item < n:
            raise IndexError(f'item {item} of a tuple of {n}')
        return _sound(Acc.Expr.item(self, item))

    def __iter__(self):
        return (self[i] for i in range(len(self)))

    def __repr__(self):
        return f'<Acc.Expr {self.to_string()}>'

    def __str__(self):
        return self.to_string()

    def cast(self, code):
        return _sound(Acc.Expr.cast(self, _type(code)))

    def bitcast(self, code):
        return _sound(Acc.Expr.bitcast(self, _type(code)))

    def with_item(self, item, value):
        """The same with another item: of a tuple, a vector or a complex number."""
        return _sound(Acc.Expr.with_item(self, item, _expr(value)))

    @property
    def real(self):
        return _sound(Acc.Expr.real(self))

    @property
    def imag(self):
        return _sound(Acc.Expr.imag(self))

    @property
    def dtype(self):
        return _element_type(self).get_code()


Expr = override(Expr)


def _lift(name, arity):
    """The function of expressions @name with numbers allowed as arguments."""
    method = getattr(Acc.Expr, name)

    @functools.wraps(method)
    def call(*arguments):
        if len(arguments) != arity:
            raise TypeError(f'{name} takes {arity} arguments')
        return _sound(method(*[_expr(argument) for argument in arguments]))

    call.__name__ = call.__qualname__ = name
    return call


for _name in ('signum', 'recip', 'sin', 'cos', 'tan', 'asin', 'acos', 'atan', 'sinh', 'cosh', 'tanh', 'asinh', 'acosh',
              'atanh', 'exp', 'expm1', 'sqrt', 'log', 'log1p', 'truncate', 'round', 'floor', 'ceiling', 'popcount', 'clz', 'ctz', 'is_nan',
              'is_inf', 'is_finite', 'proper_fraction', 'decode_float', 'shape_size', 'index_head', 'index_tail',
              'numerator', 'denominator', 'to_ratio', 'is_just', 'is_nothing', 'from_just', 'is_left', 'is_right', 'from_left', 'from_right',
              'real', 'imag', 'conjugate', 'magnitude', 'phase', 'cis', 'to_polar'):
    export(_lift(_name, 1), _name)
for _name in ('quot', 'rem', 'rotl', 'rotr', 'logbase', 'atan2', 'min', 'max', 'and_then', 'or_else', 'gcd', 'lcm',
              'quot_rem', 'div_mod', 'ratio', 'subtract', 'compare', 'intersect', 'union', 'from_maybe', 'from_polar'):
    export(_lift(_name, 2), _name)


@export
def complex_(real, imag):
    """A complex number from its parts, floats of one type."""
    return _sound(Acc.Expr.complex(_expr(real), _expr(imag)))


@export
def vec(*items):
    """A vector of up to 16 scalars of one type, side by side in memory."""
    return _sound(Acc.Expr.vec([_expr(item) for item in items]))


@export
def cond(condition, then, otherwise):
    """then where condition holds, otherwise elsewhere; only the side taken is evaluated."""
    return _sound(Acc.Expr.cond(_expr(condition), _expr(then), _expr(otherwise)))


@export
def switch(index, alternatives, otherwise=None):
    """The alternative of that index, else otherwise, or the last one; only the one taken is evaluated."""
    last = None if otherwise is None else _expr(otherwise)
    return _sound(Acc.Expr.switch(_expr(index), [_expr(alternative) for alternative in alternatives], last))


@export
def either(value, of_left, of_right):
    """of_left where value is the left one, of_right elsewhere; only the side taken is evaluated."""
    return _sound(Acc.Expr.either(value, _expr(of_left), _expr(of_right)))


@export
def nothing(code):
    """No value, of a type that may be missing."""
    return _sound(Acc.Expr.nothing(_type(code)))


@export
def just(value):
    return _sound(Acc.Expr.just(_expr(value)))


@export
def maybe(value, otherwise, function):
    """function of the value, or otherwise where there is none."""
    return _build(function, 1, lambda callback: Acc.Expr.maybe(value, _expr(otherwise), callback))


@export
def left(value, code):
    """One value; the other would be of the type that is named."""
    return _sound(Acc.Expr.left(_expr(value), _type(code)))


@export
def right(value, code):
    return _sound(Acc.Expr.right(_expr(value), _type(code)))


@export
def loop(condition, step, initial):
    """Applies step to a state while condition holds for it."""
    return _build(lambda state: (condition(state), step(state)), 1,
                  lambda callback: Acc.Expr.while_(_expr(initial), callback))


@export
def iterate(n, step, initial):
    """Applies step to a value n times; not at all where n is not positive."""
    return _build(step, 1, lambda callback: Acc.Expr.iterate(_expr(n), _expr(initial), callback))


@export
def fold_row(array, index, initial, function):
    """Folds one innermost row of an array, in order, for every element that asks for it; index: that of the row, () for rank 1."""
    return _build(function, 2, lambda callback: Acc.Expr.fold_row(_array(array), _expr(index), _expr(initial), callback))
