# SPDX-License-Identifier: LGPL-2.1-or-later
"""What sequences consist of, made in Python."""

import functools

from gi.repository import GLib

from ._memory import _array
from ._module import Acc, override


def _told(method, convert):
    """@method for C, which takes nothing for the end: an exception becomes an error, so that it does not end a sequence."""

    @functools.wraps(method)
    def call(self, *args):
        try:
            return convert(method(self, *args))
        except GLib.Error:
            raise
        except Exception as exception:
            raise GLib.Error(f'{type(self).__name__}.{method.__name__}: {type(exception).__name__}: {exception}',
                             GLib.quark_to_string(Acc.error_quark()), Acc.Error.CALLBACK) from exception

    return call


def _elements(result):
    if result is None:
        return None
    if not isinstance(result, Acc.NestedArray):
        result = Acc.NestedArray.new_from_regular(_array(result).run())
    return result if result.is_manifest() else result.run()


class SequenceProducer(Acc.SequenceProducer):
    """Where the elements of a sequence come from. Subclasses have do_read (max_elements, max_values, cancellable), which returns the next
    ones, None at the end: a nested array, or an array with one more outermost dimension. With do_rewind() they can be walked again."""

    def __init_subclass__(cls, **arguments):
        super().__init_subclass__(**arguments)
        for name, convert in (('do_read', _elements), ('do_rewind', lambda result: result is None or bool(result))):
            if name in cls.__dict__:
                setattr(cls, name, _told(cls.__dict__[name], convert))


SequenceProducer = override(SequenceProducer)
