# SPDX-License-Identifier: LGPL-2.1-or-later
"""Programs, and operations that have some."""

import functools
import os

from gi.repository import Gio

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


def _shapes(shapes):
    """None in place of an outermost extent leaves it open."""
    return [Acc.Shape.new([-1 if extent is None else extent for extent in shape]) for shape in shapes] or None


def _export_flags(fast_math):
    return Acc.ExportFlags.FAST_MATH if fast_math else Acc.ExportFlags.DEFAULT


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

    def export_stablehlo(self, *shapes, fast_math=False):
        """The program as StableHLO text, for parameters of the given shapes, or of those that it declares."""
        return self.program.export_stablehlo(_shapes(shapes), _export_flags(fast_math))

    def export_saved_model(self, folder, *shapes, fast_math=False):
        """Writes the program as a SavedModel for TensorFlow, for parameters of the given shapes, or of those that it declares."""
        self.program.export_saved_model(_shapes(shapes), _export_flags(fast_math), Gio.File.new_for_path(os.fspath(folder)), None)


@export
def program(*signatures):
    """Makes a function of arrays into a compiled program: @Acc.program('f4[:,:]')."""
    return lambda function: _Compiled(signatures, function)
