# SPDX-License-Identifier: LGPL-2.1-or-later
"""Acc for Python: operators on expressions and arrays, NumPy in and out without a copy, exceptions for errors."""

from . import _interrupts, _expr, _shape, _memory, _array, _make, _nested, _program, _sequence
from ._module import exports

globals().update(exports)
__all__ = list(exports)
