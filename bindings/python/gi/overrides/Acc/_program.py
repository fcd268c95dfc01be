# SPDX-License-Identifier: LGPL-2.1-or-later
"""Programs, and operations that have some."""

import functools

from ._memory import _array
from ._module import Acc, export
from ._values import _build, _sound


def _program(signatures, function):
    """Of one result, or of as many as there are in a tuple that @function gives."""
    def several(results):
        return [_array(x) for x in (results if isinstance(results, (tuple, list)) else (results,))]

    return _build(lambda arrays: function(*arrays), 1, lambda callback: Acc.Program.new_many(list(signatures), callback), convert=several)


def _signature(array):
    return f'{array.dtype}[{",".join(":" * array.ndim)}]'


@export
def choose(condition, then, otherwise):
    """The array, or tuple of arrays, then where the rank-0 array condition holds, else otherwise; only one is computed."""
    if isinstance(then, (tuple, list)):
        then, otherwise = [_array(x) for x in then], [_array(x) for x in otherwise]
        return tuple(_sound(x) for x in Acc.Array.cond_many(_array(condition), then, otherwise))
    return _sound(Acc.Array.cond(_array(condition), _array(then), _array(otherwise)))


@export
def while_loop(initial, condition, step):
    """Applies step to several arrays while condition, a rank-0 array, holds for them; their extents may change."""
    initial = [_array(x) for x in initial]
    signatures = [_signature(x) for x in initial]
    results = Acc.Array.while_loop_many(initial, _program(signatures, condition), _program(signatures, step))
    return tuple(_sound(x) for x in results)


@export
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


@export
def program(*signatures):
    """Makes a function of arrays into a compiled program: @Acc.program('f4[:,:]')."""
    return lambda function: _Compiled(signatures, function)
