# SPDX-License-Identifier: LGPL-2.1-or-later
"""What a scalar function gives and takes."""

import fractions
import functools
import itertools
import re

from ._module import Acc, export


_CODE = re.compile(r'\d*[biuf][1248]|c4|c8|c16|\(.*')


def _type(code):
    """An element type from a code ("f4"), a NumPy dtype, or itself."""
    if isinstance(code, Acc.ElementType):
        return code
    if isinstance(code, str) and _CODE.fullmatch(code):
        return Acc.ElementType.parse(code)
    import numpy
    return _type_of_dtype(numpy.dtype(code))


def _type_of_dtype(dtype):
    import numpy
    if dtype.fields is not None:
        return Acc.ElementType.new_tuple([_type_of_dtype(dtype.fields[name][0]) for name in dtype.names])
    item, lanes = dtype.subdtype or (dtype, ())
    if item.kind == 'U' and item.itemsize == 4:
        item = numpy.dtype('u4')  # single characters
    if item.kind not in 'biufc' or item.fields is not None or (lanes and (len(lanes) > 1 or item.kind == 'c' or not 1 <= lanes[0] <= 16)):
        raise TypeError(f'no element type for {dtype}')
    code = 'b1' if item.kind == 'b' else f'{item.kind}{item.itemsize}'
    if code not in ('c32', 'f16'):
        return Acc.ElementType.parse(f'{lanes[0]}{code}' if lanes else code)
    raise TypeError(f'no element type for {dtype}')


def _is_vector(element_type):
    return element_type.get_kind() == Acc.ElementKind.VECTOR


class Neighbourhood:
    """What a stencil's function gets: n[dy, dx] by offset from the centre; iterating gives all, row-major."""

    def __init__(self, expr, sizes):
        self.expr, self.sizes = expr, tuple(sizes)

    def __getitem__(self, offsets):
        if not isinstance(offsets, tuple):
            offsets = (offsets,)
        return _sound(Acc.Expr.neighbour(self.expr, list(offsets)))

    def __iter__(self):
        return (self[offsets] for offsets in itertools.product(*[range(-(s // 2), s // 2 + 1) for s in self.sizes]))

    def __len__(self):
        return functools.reduce(lambda a, b: a * b, self.sizes, 1)

    @property
    def centre(self):
        return self[(0,) * len(self.sizes)]

    def _refuse(self, *_):
        raise TypeError('a neighbourhood is many elements: choose one, as n[0, 1] or n.centre')

    __eq__ = __ne__ = __lt__ = __le__ = __gt__ = __ge__ = __bool__ = __array__ = _refuse
    __hash__ = object.__hash__


export(Neighbourhood)


def _expr(value):
    """An expression from an expression, a number, a character, or a tuple of such."""
    if isinstance(value, Acc.Expr):
        return value
    if isinstance(value, Neighbourhood):
        return value.expr
    if isinstance(value, bool):
        return Acc.Expr.new_bool(value)
    if isinstance(value, int):
        if -2 ** 63 <= value < 2 ** 63:
            return Acc.Expr.new_int(value)
        if 0 <= value < 2 ** 64:
            return Acc.Expr.new_typed_uint(_type('u8'), value)
        raise OverflowError(f'{value} fits no element type')
    if isinstance(value, float):
        return Acc.Expr.new_float(value)
    if isinstance(value, complex) and not hasattr(value, 'dtype'):
        return Acc.Expr.complex(Acc.Expr.new_float(value.real), Acc.Expr.new_float(value.imag))
    if isinstance(value, str) and len(value) == 1:
        return Acc.Expr.new_typed_uint(_type('u4'), ord(value))
    if isinstance(value, fractions.Fraction):
        return _expr((value.numerator, value.denominator))
    if isinstance(value, (tuple, list)):
        return _sound(Acc.Expr.tuple([_expr(item) for item in value]))
    if isinstance(value, Acc.Array):
        return _sound(Acc.Expr.the(value))
    if hasattr(value, 'dtype') and getattr(value, 'shape', None) == ():
        kind, element_type = value.dtype.kind, _type_of_dtype(value.dtype)
        if kind == 'b':
            return Acc.Expr.new_bool(bool(value))
        if kind == 'f':
            return Acc.Expr.new_typed_float(element_type, float(value))
        if kind == 'c':
            parts = [Acc.Expr.new_typed_float(element_type.get_item(0), float(part)) for part in (value.real, value.imag)]
            return Acc.Expr.complex(*parts)
        if kind == 'u':
            return Acc.Expr.new_typed_uint(element_type, int(value))
        return Acc.Expr.new_typed_int(element_type, int(value))
    raise TypeError(f'no scalar expression: {value!r}')


_FLOATS = (Acc.ElementKind.F16, Acc.ElementKind.F32, Acc.ElementKind.F64, Acc.ElementKind.COMPLEX)


def _typed(value, element_type):
    """An expression of that type: a number that it has, or else an error; what is computed is converted."""
    if hasattr(value, 'dtype') and getattr(value, 'shape', None) == () and not isinstance(value, (Acc.Expr, Acc.Array)):
        value = value.item()
    if isinstance(value, fractions.Fraction):
        value = (value.numerator, value.denominator)
    if isinstance(value, (tuple, list)) and element_type.get_n_items() == len(value):
        items = [_typed(item, element_type.get_item(i)) for i, item in enumerate(value)]
        return _sound(Acc.Expr.vec(items) if _is_vector(element_type) else Acc.Expr.tuple(items))
    if isinstance(value, str) and len(value) == 1:
        value = ord(value)
    if isinstance(value, float) and value.is_integer() and element_type.get_kind() <= Acc.ElementKind.U64:
        value = int(value)
    if isinstance(value, float):
        return _sound(Acc.Expr.new_typed_float(element_type, value))
    if isinstance(value, complex) and element_type.get_kind() == Acc.ElementKind.COMPLEX:
        return _sound(Acc.Expr.complex(*(_typed(part, element_type.get_item(0)) for part in (value.real, value.imag))))
    if isinstance(value, int) and not -2 ** 63 <= value < 2 ** 64:
        if element_type.get_kind() in _FLOATS:
            return _typed(float(value), element_type)
        raise OverflowError(f'{value} does not fit {element_type.get_code()}')
    if isinstance(value, int):
        make = Acc.Expr.new_typed_int if value < 2 ** 63 else Acc.Expr.new_typed_uint
        return _sound(make(element_type, value))
    return _expr(value).cast(element_type)


def _sound(thing):
    """Raises what @thing, an expression or an array, carries as its error."""
    thing.check()
    return thing


def _build(function, arity, make, wrap=None, convert=None):
    """Calls make (callback); an exception inside function comes out of it, with its traceback."""
    kept, failure = [], []

    def callback(*arguments):
        try:
            arguments = arguments[:arity]
            if wrap is not None:
                arguments = wrap(*arguments)
            result = (convert or _expr)(function(*arguments))
            kept.append(result)
            return result
        except BaseException as exception:  # raised again below: nothing may pass through C
            failure.append(exception)
            return None

    try:
        made = make(callback)
    except Exception:
        if failure:
            raise failure[0]
        raise
    if failure:
        raise failure[0]
    return _sound(made)


def _build_two(function, arity, make):
    """The same where make gives an array and another that goes with it."""
    others = []

    def make_first(callback):
        made, other = make(callback)
        others.append(other)
        return made

    return _build(function, arity, make_first), others[-1]


def _element_type(thing):
    """The type of an expression's or array's elements; raises what it carries as its error."""
    element_type = thing.get_element_type()
    return _sound(thing).get_element_type() if element_type is None else element_type


def _is_float(expr):
    code = _element_type(expr).get_code()
    return code.startswith('f')


def _is_complex(expr):
    return _element_type(expr).get_kind() == Acc.ElementKind.COMPLEX


def _operands(expr, other):
    """Both as expressions; a float that meets a complex number of Python becomes complex."""
    if isinstance(other, complex) and not hasattr(other, 'dtype') and _is_float(expr):
        size = 2 * expr.get_element_type().get_size()
        expr = _sound(Acc.Expr.cast(expr, Acc.ElementType.parse(f'c{size}')))
    if isinstance(other, int) and not -2 ** 63 <= other < 2 ** 63 and not expr.get_element_type().is_tuple():
        return expr, _typed(other, expr.get_element_type())
    return expr, _expr(other)
