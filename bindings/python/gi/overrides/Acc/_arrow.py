# SPDX-License-Identifier: LGPL-2.1-or-later
"""Columns of Arrow, in and out, as capsules of Python with its C data interface."""

import ctypes

_SCHEMA, _ARRAY, _STREAM = b'arrow_schema', b'arrow_array', b'arrow_array_stream'


class _Schema(ctypes.Structure):
    _fields_ = [('format', ctypes.c_void_p), ('name', ctypes.c_void_p), ('metadata', ctypes.c_void_p), ('flags', ctypes.c_int64),
                ('n_children', ctypes.c_int64), ('children', ctypes.c_void_p), ('dictionary', ctypes.c_void_p),
                ('release', ctypes.c_void_p), ('private_data', ctypes.c_void_p)]


class _Array(ctypes.Structure):
    _fields_ = [('length', ctypes.c_int64), ('null_count', ctypes.c_int64), ('offset', ctypes.c_int64), ('n_buffers', ctypes.c_int64),
                ('n_children', ctypes.c_int64), ('buffers', ctypes.c_void_p), ('children', ctypes.c_void_p),
                ('dictionary', ctypes.c_void_p), ('release', ctypes.c_void_p), ('private_data', ctypes.c_void_p)]


class _Stream(ctypes.Structure):
    _fields_ = [('get_schema', ctypes.CFUNCTYPE(ctypes.c_int, ctypes.c_void_p, ctypes.c_void_p)),
                ('get_next', ctypes.CFUNCTYPE(ctypes.c_int, ctypes.c_void_p, ctypes.c_void_p)),
                ('get_last_error', ctypes.CFUNCTYPE(ctypes.c_char_p, ctypes.c_void_p)),
                ('release', ctypes.c_void_p), ('private_data', ctypes.c_void_p)]


_release = ctypes.CFUNCTYPE(None, ctypes.c_void_p)
_new_capsule = ctypes.PYFUNCTYPE(ctypes.py_object, ctypes.c_void_p, ctypes.c_char_p, ctypes.c_void_p)(('PyCapsule_New', ctypes.pythonapi))
_get_pointer = ctypes.PYFUNCTYPE(ctypes.c_void_p, ctypes.py_object, ctypes.c_char_p)(('PyCapsule_GetPointer', ctypes.pythonapi))
# Of a capsule that is being freed, to which there must be no new reference.
_get_last_pointer = ctypes.PYFUNCTYPE(ctypes.c_void_p, ctypes.c_void_p, ctypes.c_char_p)(('PyCapsule_GetPointer', ctypes.pythonapi))

_structs = {}


def _drop(struct):
    """Releases what nobody took."""
    if struct.release:
        _release(struct.release)(ctypes.addressof(struct))


def _freeing(name):
    """The destructor of capsules with @name: drops the struct."""

    def free(capsule):
        _drop(_structs.pop(_get_last_pointer(capsule, name)))

    return ctypes.PYFUNCTYPE(None, ctypes.c_void_p)(free)


_free_schema, _free_array = _freeing(_SCHEMA), _freeing(_ARRAY)


def _exporting(column):
    """What speaks Arrow's interface: @column, or what Awkward Array's own function makes of it."""
    if hasattr(type(column), '__arrow_c_array__') or hasattr(type(column), '__arrow_c_stream__'):
        return column
    if type(column).__module__.partition('.')[0] == 'awkward':
        import awkward
        return awkward.to_arrow(column, extensionarray=False)
    raise TypeError(f'{type(column).__name__} is no column of Arrow: it has no __arrow_c_array__')


def _pull(stream, name, struct):
    """What the function @name of a stream gives."""
    address = ctypes.addressof(stream)
    if getattr(stream, name)(address, ctypes.addressof(struct)) != 0:
        reason = stream.get_last_error(address)
        raise ValueError(f'a stream of Arrow fails: {reason.decode() if reason else name}')
    return struct


def imports(column, make):
    """What make (schema, array) gives for each part of @column: one, or as many as it has chunks, or where it has none, none."""
    column = _exporting(column)
    if hasattr(type(column), '__arrow_c_array__'):
        kept = column.__arrow_c_array__()  # until the function returns
        return [make(*(_get_pointer(capsule, name) for capsule, name in zip(kept, (_SCHEMA, _ARRAY))))]
    kept = column.__arrow_c_stream__()
    stream, made = _Stream.from_address(_get_pointer(kept, _STREAM)), []
    while True:
        array, schema = _pull(stream, 'get_next', _Array()), _Schema()
        if not array.release:
            return made
        try:
            _pull(stream, 'get_schema', schema)
            made.append(make(ctypes.addressof(schema), ctypes.addressof(array)))
        finally:
            _drop(schema)
            _drop(array)


def capsules(export):
    """Capsules of what export (schema, array) fills in."""
    structs = _Schema(), _Array()
    addresses = [ctypes.addressof(struct) for struct in structs]
    export(*addresses)
    _structs.update(zip(addresses, structs))
    return tuple(_new_capsule(address, name, ctypes.cast(free, ctypes.c_void_p))
                 for address, name, free in zip(addresses, (_SCHEMA, _ARRAY), (_free_schema, _free_array)))
