# SPDX-License-Identifier: LGPL-2.1-or-later
"""Acc for Python: operators on expressions and arrays, NumPy in and out without a copy, exceptions for errors."""

import fractions
import functools
import itertools
import math
import operator
import os
import re
import signal
import _signal
import threading

from gi.repository import Gio, GLib, GObject

from ..module import get_introspection_module
from ..overrides import override

Acc = get_introspection_module('Acc')

__all__ = []


def _export(thing):
    __all__.append(thing.__name__)
    return thing


# --- interrupting

class _Interrupts:
    """Cancels what runs in C when Ctrl-C comes: Python handles a signal only when C has come back, but writes its number to a pipe at once."""

    def __init__(self):
        self._heard, self._told = os.pipe()
        os.set_blocking(self._told, False)
        self._cancellable, self._running, self._interrupted, self._before = Gio.Cancellable(), False, False, -1
        threading.Thread(target=self._listen, name='acc-interrupts', daemon=True).start()

    def _listen(self):
        while True:
            numbers = os.read(self._heard, 256)
            if self._running and signal.SIGINT in numbers:
                self._cancellable.cancel()
            if self._before >= 0:
                try:
                    os.write(self._before, numbers)
                except OSError:
                    pass

    def _note(self, *_):
        """The handler of the signal: an exception would break what PyGObject does when C comes back."""
        self._interrupted = True

    def call(self, method, instance, arguments):
        if self._running:
            return method(instance, *arguments, self._cancellable)  # in a callback of what runs
        if self._cancellable.is_cancelled():
            self._cancellable = Gio.Cancellable()
        self._interrupted = False
        handler = _signal.signal(signal.SIGINT, self._note)
        self._before = signal.set_wakeup_fd(self._told, warn_on_full_buffer=False)
        self._running = True
        try:
            return method(instance, *arguments, self._cancellable)
        finally:
            self._running = False
            signal.set_wakeup_fd(self._before)
            _signal.signal(signal.SIGINT, handler)
            if self._interrupted:
                raise KeyboardInterrupt from None


_interrupts = None


def _forget_interrupts():
    global _interrupts
    _interrupts = None  # its thread is not in the child


os.register_at_fork(after_in_child=_forget_interrupts)


def _hears_interrupts():
    handler = _signal.getsignal(signal.SIGINT)
    return threading.get_ident() == threading.main_thread().ident and (
        handler is signal.default_int_handler or _interrupts is not None and handler == _interrupts._note)


def _interruptible(owner, name, n):
    """The method @name of @n arguments, of which the last is a cancellable: where none is given, Ctrl-C cancels it."""
    method = getattr(owner, name)

    @functools.wraps(method)
    def call(self, *arguments):
        global _interrupts
        *given, cancellable = arguments if len(arguments) == n else (*arguments, None)
        if cancellable is not None or not _hears_interrupts():
            return method(self, *given, cancellable)
        if _interrupts is None:
            _interrupts = _Interrupts()
        return _interrupts.call(method, self, given)

    call.__name__ = call.__qualname__ = name
    return call


class Backend(Acc.Backend):
    """What runs arrays: the processor, a device, or the interpreter."""

    compile = _interruptible(Acc.Backend, 'compile', 2)
    run = _interruptible(Acc.Backend, 'run', 2)
    run_many = _interruptible(Acc.Backend, 'run_many', 2)
    write = _interruptible(Acc.Backend, 'write', 3)


Backend = override(Backend)
_export(Backend)


class Executable(Acc.Executable):
    """A program compiled for a backend."""

    run = _interruptible(Acc.Executable, 'run', 2)


Executable = override(Executable)
_export(Executable)


# --- what a scalar function gives and takes

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


def _build(function, arity, make, wrap=None):
    """Calls make (callback); an exception inside function comes out of it, with its traceback."""
    kept, failure = [], []

    def callback(*arguments):
        try:
            arguments = arguments[:arity]
            if wrap is not None:
                arguments = wrap(*arguments)
            result = _expr(function(*arguments))
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


# --- what NumPy's functions do with expressions and arrays

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
    if asked and len(inputs) == 1 and isinstance(inputs[0], Acc.Array) and inputs[0].shape is not None:
        return getattr(inputs[0], asked)
    return _call_numpy(function.__name__, function, inputs, keywords)


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
_export(Expr)


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
              'atanh', 'exp', 'sqrt', 'log', 'truncate', 'round', 'floor', 'ceiling', 'popcount', 'clz', 'ctz', 'is_nan',
              'is_inf', 'is_finite', 'proper_fraction', 'decode_float', 'shape_size', 'index_head', 'index_tail',
              'numerator', 'denominator', 'to_ratio', 'is_just', 'is_nothing', 'from_just', 'is_left', 'is_right', 'from_left', 'from_right',
              'real', 'imag', 'conjugate', 'magnitude', 'phase', 'cis', 'to_polar'):
    globals()[_name] = _lift(_name, 1)
    __all__.append(_name)
for _name in ('quot', 'rem', 'rotl', 'rotr', 'logbase', 'atan2', 'min', 'max', 'and_then', 'or_else', 'gcd', 'lcm',
              'quot_rem', 'div_mod', 'ratio', 'subtract', 'compare', 'intersect', 'union', 'from_maybe', 'from_polar'):
    globals()[_name] = _lift(_name, 2)
    __all__.append(_name)


@_export
def complex_(real, imag):
    """A complex number from its parts, floats of one type."""
    return _sound(Acc.Expr.complex(_expr(real), _expr(imag)))


@_export
def vec(*items):
    """A vector of up to 16 scalars of one type, side by side in memory."""
    return _sound(Acc.Expr.vec([_expr(item) for item in items]))


@_export
def cond(condition, then, otherwise):
    """then where condition holds, otherwise elsewhere; only the side taken is evaluated."""
    return _sound(Acc.Expr.cond(_expr(condition), _expr(then), _expr(otherwise)))


@_export
def switch(index, alternatives, otherwise=None):
    """The alternative of that index, else otherwise, or the last one; only the one taken is evaluated."""
    last = None if otherwise is None else _expr(otherwise)
    return _sound(Acc.Expr.switch(_expr(index), [_expr(alternative) for alternative in alternatives], last))


@_export
def either(value, of_left, of_right):
    """of_left where value is the left one, of_right elsewhere; only the side taken is evaluated."""
    return _sound(Acc.Expr.either(value, _expr(of_left), _expr(of_right)))


@_export
def nothing(code):
    """No value, of a type that may be missing."""
    return _sound(Acc.Expr.nothing(_type(code)))


@_export
def just(value):
    return _sound(Acc.Expr.just(_expr(value)))


@_export
def maybe(value, otherwise, function):
    """function of the value, or otherwise where there is none."""
    return _build(function, 1, lambda callback: Acc.Expr.maybe(value, _expr(otherwise), callback))


@_export
def left(value, code):
    """One value; the other would be of the type that is named."""
    return _sound(Acc.Expr.left(_expr(value), _type(code)))


@_export
def right(value, code):
    return _sound(Acc.Expr.right(_expr(value), _type(code)))


@_export
def loop(condition, step, initial):
    """Applies step to a state while condition holds for it."""
    return _build(lambda state: (condition(state), step(state)), 1,
                  lambda callback: Acc.Expr.while_(_expr(initial), callback))


@_export
def iterate(n, step, initial):
    """Applies step to a value n times; not at all where n is not positive."""
    return _build(step, 1, lambda callback: Acc.Expr.iterate(_expr(n), _expr(initial), callback))


@_export
def fold_row(array, index, initial, function):
    """Folds one innermost row of an array, in order, for every element that asks for it; index: that of the row, () for rank 1."""
    return _build(function, 2, lambda callback: Acc.Expr.fold_row(_array(array), _expr(index), _expr(initial), callback))


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


_export(Neighbourhood)


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
_export(Boundary)


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
_export(Shape)


def _shape(shape):
    if isinstance(shape, Acc.Shape):
        return shape
    if isinstance(shape, int):
        shape = (shape,)
    return Acc.Shape.new([int(extent) for extent in shape])


def _of_shape(name, shape, *before, after=()):
    """The operation @name of a shape; where that holds expressions, its form for extents that are known when it runs."""
    if _has_expr(shape):
        return getattr(Acc.Array, name + '_expr')(*before, _expr(shape), *after)
    return getattr(Acc.Array, name)(*before, _shape(shape), *after)


def _specification(entries):
    """What slice and replicate take, from numbers, expressions, : and a first ..."""
    return [_expr(Acc.ANY if entry is Ellipsis else Acc.ALL if isinstance(entry, slice) and entry == slice(None) else entry) for entry in entries]


# --- arrays

class _Owner(GObject.Object):
    """Keeps a NumPy array alive for as long as the library uses its memory."""

    def __init__(self, thing):
        super().__init__()
        self.thing = thing


@_export
def use(data, dtype=None):
    """An array of what NumPy makes of @data; not copied where it is contiguous. A vector type takes the last axis for its scalars."""
    import numpy
    vectors = _type(dtype) if isinstance(dtype, (str, Acc.ElementType)) and _is_vector(_type(dtype)) else None
    if vectors is not None:
        dtype = _dtype(vectors.get_item(0))
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
    return value if isinstance(value, Acc.Array) else use(value)


_SCALARS = (int, float, complex, str, tuple, fractions.Fraction, Acc.Expr)


def _is_many(thing):
    """Whether @thing, of NumPy or what it makes an array of, has elements of its own."""
    if isinstance(thing, (Acc.Array, list)):
        return True
    if isinstance(thing, _SCALARS) or not (hasattr(thing, '__array__') or hasattr(thing, '__array_interface__')):
        return False
    import numpy
    return numpy.ndim(thing) > 0


def _elementwise(function):
    """The operator that @function is of two elements, and the same where the array stands on the right."""
    def method(self, other, call):
        if _is_many(other):
            return self.zip_with(other, call)
        if isinstance(other, _SCALARS) or hasattr(other, 'dtype'):
            return self.map(lambda x: call(x, other))
        return NotImplemented

    return lambda self, other: method(self, other, function), lambda self, other: method(self, other, lambda x, y: function(y, x))


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


class Array(Acc.Array):
    """An array value: in memory, or an operation on other arrays that runs when its value is wanted."""

    __array_priority__ = 100
    __array_ufunc__, __array_function__ = _array_ufunc, _array_function

    # asking
    @property
    def shape(self):
        shape = self.get_shape()
        return None if shape is None else tuple(shape)

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
            return f'<Acc.Array {self.get_operation()} {self.dtype} {self.shape}>'
        return self.to_string()

    def __len__(self):
        if not self.shape:
            raise TypeError('an array of rank 0 has no length' if self.shape == () else 'the extents are known when it runs')
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
        if self.shape is not None and math.prod(self.shape) != 1:
            raise error(f'{self!r} is not one element')
        values = numpy.asarray(self)
        if values.size != 1:
            raise error(f'{values.size} elements are not one')
        return values.item()

    def item(self):
        return self._single(ValueError)

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
        return _sound(_of_shape('reshape', shape[0] if len(shape) == 1 else shape, self))

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

    # parts, along an axis as NumPy counts them
    def take(self, count, axis=-1):
        return _sound(Acc.Array.take_on(self, axis, _expr(count)))

    def drop(self, count, axis=-1):
        return _sound(Acc.Array.drop_on(self, axis, _expr(count)))

    def drop_last(self, count=1, axis=-1):
        return _sound(Acc.Array.drop_last_on(self, axis, _expr(count)))

    def tail(self, axis=-1):
        return _sound(Acc.Array.tail_on(self, axis))

    def slit(self, start, count, axis=-1):
        return _sound(Acc.Array.slit_on(self, axis, _expr(start), _expr(count)))

    def reverse(self, axis=-1):
        return _sound(Acc.Array.reverse_on(self, axis))

    def transpose(self, first=-2, second=-1):
        return _sound(Acc.Array.transpose_on(self, first, second))

    @property
    def T(self):
        return self.transpose()

    def concat(self, other, axis=-1):
        return _sound(Acc.Array.concat_on(self, _array(other), axis))

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
    def sort(self, descending=False):
        return _sound(Acc.Array.sort(self, descending))

    def argsort(self, descending=False):
        return _sound(Acc.Array.argsort(self, descending))

    def sort_pairs(self, keys, descending=False):
        """The elements in the order of their keys, and the sorted keys."""
        made, sorted_keys = Acc.Array.sort_pairs(self, _array(keys), descending)
        return _sound(made), sorted_keys

    def sort_by_key(self, key, descending=False):
        """The elements in the order of the keys that a function finds in them."""
        return _build(key, 1, lambda callback: Acc.Array.sort_by_key(self, descending, callback))

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
        return _sound(Acc.Array.fft_on(self, axis, Acc.FftMode.FORWARD))

    def ifft(self, axis=-1):
        return _sound(Acc.Array.fft_on(self, axis, Acc.FftMode.INVERSE))

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
        shape = self.shape
        if n is None:
            n = 2 * (shape[-1] - 1) if shape else 1
        return _sound(Acc.Array.irfft(self, n))

    fftshift, ifftshift = _checked('fftshift'), _checked('ifftshift')

    cumsum, cumprod, cummin, cummax = _checked('cumsum'), _checked('cumprod'), _checked('cummin'), _checked('cummax')

    # statistics of each row, and of everything
    argmin, argmin_all = _checked('argmin'), _checked('argmin_all')
    argmax, argmax_all = _checked('argmax'), _checked('argmax_all')
    minmax, minmax_all = _checked('minmax'), _checked('minmax_all')
    count_nonzero, count_nonzero_all = _checked('count_nonzero'), _checked('count_nonzero_all')
    norm, norm_all = _checked('norm'), _checked('norm_all')
    mean, mean_all = _checked('mean'), _checked('mean_all')

    def var(self, ddof=0):
        return _sound(Acc.Array.variance(self, ddof))

    def std(self, ddof=0):
        return _sound(Acc.Array.standard_deviation(self, ddof))

    def var_all(self, ddof=0):
        return _sound(Acc.Array.variance_all(self, ddof))

    def std_all(self, ddof=0):
        return _sound(Acc.Array.standard_deviation_all(self, ddof))

    # reductions, and those of all beginnings or ends of rows; the _prime forms give what each row comes to besides
    fold, fold1 = _seeded('fold'), _unseeded('fold1')
    fold_all, fold1_all = _seeded('fold_all'), _unseeded('fold1_all')
    scanl, scanl1, scanl_with_total = _seeded('scanl'), _unseeded('scanl1'), _seeded('scanl_with_total', _build_two)
    scanr, scanr1, scanr_with_total = _seeded('scanr'), _unseeded('scanr1'), _seeded('scanr_with_total', _build_two)
    prescanl, postscanl = _seeded('prescanl'), _seeded('postscanl')
    prescanr, postscanr = _seeded('prescanr'), _seeded('postscanr')

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

    # reading inside a scalar function
    def __getitem__(self, index):
        if self.is_manifest() and not _has_expr(index):
            import numpy
            return numpy.asarray(self)[index]
        return _sound(Acc.Expr.index(self, _expr(index)))

    def at(self, linear):
        return _sound(Acc.Expr.linear_index(self, _expr(linear)))

    def extent(self, dimension):
        return _sound(Acc.Expr.extent(self, dimension))

    __add__, __radd__ = _elementwise(operator.add)
    __sub__, __rsub__ = _elementwise(operator.sub)
    __mul__, __rmul__ = _elementwise(operator.mul)
    __truediv__, __rtruediv__ = _elementwise(operator.truediv)
    __floordiv__, __rfloordiv__ = _elementwise(operator.floordiv)
    __mod__, __rmod__ = _elementwise(operator.mod)
    __divmod__, __rdivmod__ = _divmod, _rdivmod
    __pow__, __rpow__ = _elementwise(operator.pow)
    __and__, __rand__ = _elementwise(operator.and_)
    __or__, __ror__ = _elementwise(operator.or_)
    __xor__, __rxor__ = _elementwise(operator.xor)
    __lshift__, __rlshift__ = _elementwise(operator.lshift)
    __rshift__, __rrshift__ = _elementwise(operator.rshift)
    __lt__, __gt__ = (_elementwise(compare)[0] for compare in (operator.lt, operator.gt))
    __le__, __ge__ = (_elementwise(compare)[0] for compare in (operator.le, operator.ge))
    __eq__, __ne__ = (_equality(_elementwise(compare)[0]) for compare in (operator.eq, operator.ne))
    __hash__ = GObject.Object.__hash__

    def __pos__(self):
        return self

    def __neg__(self):
        return self.map(operator.neg)

    def __invert__(self):
        return self.map(operator.invert)

    def __abs__(self):
        return self.map(abs)


Array = override(Array)
_export(Array)


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


def _has_expr(index):
    return isinstance(index, Acc.Expr) or (isinstance(index, tuple) and any(isinstance(i, Acc.Expr) for i in index))


class _All:
    def __repr__(self):
        return 'Acc.ALL'


ALL = Acc.ALL
ANY = Acc.ANY
__all__ += ['ALL', 'ANY']


@_export
def generate(shape, function):
    """The array whose element at an index is function (index). Extents may be expressions, of other arrays, say."""
    return _build(function, 1, lambda callback: _of_shape('generate', shape, after=(callback,)))


@_export
def fill(shape, value, dtype=None):
    value = _expr(value) if dtype is None else _typed(value, _type(dtype))
    return _sound(_of_shape('fill', shape, after=(value,)))


@_export
def enum_from(shape, start, step=1, dtype=None):
    """start, start + step, … in row-major order, of the type of start where no other is given."""
    if dtype is not None:
        start, step = (_typed(value, _type(dtype)) for value in (start, step))
    return _sound(Acc.Array.enum_from_step_n(_shape(shape), _expr(start), _expr(step)))


@_export
def random_bits(shape, dtype='u4', seed=0, stream=0):
    return _sound(Acc.Array.random_bits(_type(dtype), _shape(shape), seed, stream))


@_export
def random_uniform(shape, dtype='f8', seed=0, stream=0):
    """Numbers from 0 to less than 1: the same for the same seed and stream, on every backend."""
    return _sound(Acc.Array.random_uniform(_type(dtype), _shape(shape), seed, stream))


@_export
def random_normal(shape, dtype='f8', seed=0, stream=0):
    return _sound(Acc.Array.random_normal(_type(dtype), _shape(shape), seed, stream))


@_export
def random_integers(shape, low, high, dtype='i8', seed=0, stream=0, endpoint=False):
    """Integers from low to high - 1, or to high with endpoint."""
    element_type, highest = _type(dtype), high if endpoint else high - 1
    if low > highest:
        raise ValueError(f'random_integers: from {low} to {"" if endpoint else "less than "}{high} there are no integers')
    bounds = _typed(low, element_type), _typed(highest, element_type)
    return _sound(Acc.Array.random_integers_between(element_type, _shape(shape), *bounds, seed, stream))


@_export
def unit(value):
    return _sound(Acc.Array.unit(_expr(value)))


@_export
def choose(condition, then, otherwise):
    """The array, or tuple of arrays, then where the rank-0 array condition holds, else otherwise; only one is computed."""
    if isinstance(then, (tuple, list)):
        then, otherwise = [_array(x) for x in then], [_array(x) for x in otherwise]
        return tuple(_sound(x) for x in Acc.Array.cond_many(_array(condition), then, otherwise))
    return _sound(Acc.Array.cond(_array(condition), _array(then), _array(otherwise)))


@_export
def while_loop(initial, condition, step):
    """Applies step to several arrays while condition, a rank-0 array, holds for them; their extents may change."""
    initial = [_array(x) for x in initial]
    signatures = [f'{x.dtype}[{",".join(":" * x.ndim)}]' for x in initial]
    results = Acc.Array.while_loop_many(initial, _program(signatures, condition), _program(signatures, step))
    return tuple(_sound(x) for x in results)


def _file(place):
    """A file from itself, a path of any kind, or a URI."""
    if isinstance(place, Gio.File):
        return place
    place = os.fspath(place)
    is_uri = isinstance(place, str) and re.match(r'[A-Za-z][A-Za-z0-9+.-]*://', place)
    return Gio.File.new_for_uri(place) if is_uri else Gio.File.new_for_path(place)


@_export
def open_source(place, dtype=None, shape=None, offset=0):
    """An array backed by a file, a path or a URI: a picture, a .npy file, or raw data of a given dtype and shape."""
    if dtype is None:
        source = Acc.Source.open(_file(place), None)
    else:
        source = Acc.Source.open_raw(_file(place), _type(dtype), _shape(shape), offset, None)
    return Acc.Array.new_from_source(source)


@_export
def create_sink(place):
    """What writes a file, a path or a URI: .png, .npy, or raw data in .raw, .bin, .dat and names without an ending."""
    return Acc.Sink.create(_file(place), None)


# --- programs

def _program(signatures, function):
    """Of one result, or of as many as there are in a tuple that @function gives."""
    failure = []

    def callback(arrays, *_):
        try:
            results = function(*arrays)
            return [_array(x) for x in (results if isinstance(results, (tuple, list)) else (results,))]
        except BaseException as exception:
            failure.append(exception)
            return None

    made = Acc.Program.new_many(list(signatures), callback)
    if failure:
        raise failure[0]
    return _sound(made)


def _signature(array):
    return f'{array.dtype}[{",".join(":" * array.ndim)}]'


@_export
def foreign(name, inputs, fallback):
    """An operation that backends may have an implementation of their own of; fallback, of arrays, is what it means."""
    arrays = [_array(array) for array in inputs]
    return _sound(Acc.Array.foreign(name, arrays, _program([_signature(array) for array in arrays], fallback)))


class _Compiled:
    """A program that runs like a function; compiled once for each backend."""

    def __init__(self, signatures, function):
        self.program = _program(signatures, function)
        self._executables = {}
        functools.update_wrapper(self, function)

    def __call__(self, *arguments, backend=None):
        backend = backend or Acc.Backend.get_default()
        executable = self._executables.get(backend)
        if executable is None:
            executable = self._executables[backend] = backend.compile(self.program, None)
        results = executable.run([_array(argument) for argument in arguments], None)
        return results[0] if len(results) == 1 else tuple(results)

    def __str__(self):
        return self.program.to_string()


@_export
def program(*signatures):
    """Makes a function of arrays into a compiled program: @Acc.program('f4[:,:]')."""
    return lambda function: _Compiled(signatures, function)


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
_export(Chunk)
