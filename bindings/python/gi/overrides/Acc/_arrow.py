# SPDX-License-Identifier: LGPL-2.1-or-later
"""Columns of Arrow, in and out, as capsules of Python with its C data interface."""

import ctypes

_SCHEMA, _ARRAY = b'arrow_schema', b'arrow_array'


class _Schema(ctypes.Structure):
    _fields_ = [('format', ctypes.c_void_p), ('name', ctypes.c_void_p), ('metadata', ctypes.c_void_p), ('flags', ctypes.c_int64),
                ('n_children', ctypes.c_int64), ('children', ctypes.c_void_p), ('dictionary', ctypes.c_void_p),
                ('release', ctypes.c_void_p), ('private_data', ctypes.c_void_p)]


class _Array(ctypes.Structure):
    _fields_ = [('length', ctypes.c_int64), ('null_count', ctypes.c_int64), ('offset', ctypes.c_int64), ('n_buffers', ctypes.c_int64),
                ('n_children', ctypes.c_int64), ('buffers', ctypes.c_void_p), ('children', ctypes.c_void_p),
                ('dictionary', ctypes.c_void_p), ('release', ctypes.c_void_p), ('private_data', ctypes.c_void_p)]


_release = ctypes.CFUNCTYPE(None, ctypes.c_void_p)
_new_capsule = ctypes.PYFUNCTYPE(ctypes.py_object, ctypes.c_void_p, ctypes.c_char_p, ctypes.c_void_p)(('PyCapsule_New', ctypes.pythonapi))
_get_pointer = ctypes.PYFUNCTYPE(ctypes.c_void_p, ctypes.py_object, ctypes.c_char_p)(('PyCapsule_GetPointer', ctypes.pythonapi))
# Of a capsule that is being freed, to which there must be no new reference.
_get_last_pointer = ctypes.PYFUNCTYPE(ctypes.c_void_p, ctypes.c_void_p, ctypes.c_char_p)(('PyCapsule_GetPointer', ctypes.pythonapi))

_structs = {}


def _freeing(name):
    """The destructor of capsules with @name: releases what nobody took, and the struct."""

    def free(capsule):
        struct = _structs.pop(_get_last_pointer(capsule, name))
        if struct.release:
            _release(struct.release)(ctypes.addressof(struct))

    return ctypes.PYFUNCTYPE(None, ctypes.c_void_p)(free)


_free_schema, _free_array = _freeing(_SCHEMA), _freeing(_ARRAY)


def pointers(column):
    """What @column gives for Arrow, kept until the capsules go: they, and the addresses of schema and array."""
    capsules = column.__arrow_c_array__()
    return capsules, [_get_pointer(capsule, name) for capsule, name in zip(capsules, (_SCHEMA, _ARRAY))]


def capsules(export):
    """Capsules of what export (schema, array) fills in."""
    structs = _Schema(), _Array()
    addresses = [ctypes.addressof(struct) for struct in structs]
    export(*addresses)
    _structs.update(zip(addresses, structs))
    return tuple(_new_capsule(address, name, ctypes.cast(free, ctypes.c_void_p))
                 for address, name, free in zip(addresses, (_SCHEMA, _ARRAY), (_free_schema, _free_array)))
