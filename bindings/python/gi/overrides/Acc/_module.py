# SPDX-License-Identifier: LGPL-2.1-or-later
"""The namespace as introspection gives it, and what the overrides make of it."""

import gi.overrides
from gi.module import get_introspection_module

Acc = get_introspection_module('Acc')

exports = {}


def export(thing, name=None):
    exports[name or thing.__name__] = thing
    return thing


def override(kind):
    """Puts a class in the place of the one that it is made of. PyGObject finds the namespace by the name of the module."""
    kind.__module__ = __package__
    return export(gi.overrides.override(kind))
