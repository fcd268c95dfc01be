# SPDX-License-Identifier: LGPL-2.1-or-later
"""NumPy's side of test-io-npy.

make FOLDER    writes files NAME.npy with what they hold: NAME.txt (type, shape) and NAME.BUFFER (bytes of each buffer)
check FOLDER   reads the files that acc wrote and compares them with NAME.txt and NAME.BUFFER
"""
import os
import sys

import numpy as np

CODES = {'b1': '?', 'i1': 'i1', 'i2': 'i2', 'i4': 'i4', 'i8': 'i8', 'u1': 'u1', 'u2': 'u2', 'u4': 'u4', 'u8': 'u8',
         'f2': 'f2', 'f4': 'f4', 'f8': 'f8', 'c8': 'c8', 'c16': 'c16'}


def describe(dtype):
    """The acc code of a dtype, and its buffers as functions of an array."""
    if dtype.subdtype is not None:
        item, shape = dtype.subdtype
        if len(shape) == 1 and 1 <= shape[0] <= 16 and item.kind in 'biuf':
            code, buffers = describe(item)
            return f'{shape[0]}{code}', buffers
        return nest(item, shape, lambda a: a)
    if dtype.names is not None:
        codes, leaves = [], []
        for name in dtype.names:
            code, inner = describe(dtype[name])
            codes.append(code)
            leaves += [(lambda a, f=f, name=name: f(a[name])) for f in inner]
        return '(' + ','.join(codes) + (',)' if len(codes) == 1 else ')'), leaves
    stand_in = {'M': 'i8', 'm': 'i8', 'U': 'u4', 'S': 'u1'}.get(dtype.kind)
    if stand_in:
        order = '' if stand_in == 'u1' else dtype.byteorder.replace('|', '=')
        return stand_in, [lambda a: np.ascontiguousarray(a).view(order + stand_in).astype('=' + stand_in)]
    kind = 'b1' if dtype.kind == 'b' else dtype.kind + str(dtype.itemsize)
    return kind, [lambda a: np.ascontiguousarray(a.astype(dtype.newbyteorder('=')))]


def nest(item, shape, get):
    if not shape:
        code, leaves = describe(item)
        return code, [lambda a, f=f: f(get(a)) for f in leaves]
    codes, leaves = [], []
    for i in range(shape[0]):
        code, inner = nest(item, shape[1:], lambda a, i=i: np.moveaxis(get(a), -len(shape), 0)[i])
        codes.append(code)
        leaves += inner
    return '(' + ','.join(codes) + (',)' if len(codes) == 1 else ')'), leaves


def put(folder, name, array, save=np.save, shape=None):
    code, leaves = describe(array.dtype)
    base = os.path.join(folder, name)
    save(base + '.npy', array)
    shape = array.shape if shape is None else shape
    with open(base + '.txt', 'w') as f:
        f.write(code + '\n[' + ','.join(map(str, shape)) + ']\n')
    for i, leaf in enumerate(leaves):
        with open(f'{base}.{i}', 'wb') as f:
            f.write(leaf(array).tobytes())


def save_version(version):
    def save(path, array):
        with open(path, 'wb') as f:
            np.lib.format.write_array(f, array, version=version)
    return save


def random(rng, dtype, shape):
    count = int(np.prod(shape, dtype=int))
    dtype = np.dtype(dtype)
    data = rng.integers(0, 256, count * dtype.itemsize, dtype='u1')
    if dtype.kind == 'b':
        data &= 1
    return data.view(dtype).reshape(shape)


def make(folder):
    rng = np.random.default_rng(7)
    for code, dtype in CODES.items():
        for order in '<>':
            array = random(rng, np.dtype(dtype).newbyteorder(order), (7, 5, 3))
            put(folder, f'scalar-{code}-{"le" if order == "<" else "be"}', array)
    for rank, shape in enumerate([(), (6,), (3, 4), (2, 3, 4), (2, 3, 4, 5)]):
        put(folder, f'rank-{rank}', random(rng, '<f4', shape))
    put(folder, 'empty-outer', np.zeros((0, 3), 'f4'))
    put(folder, 'empty-inner', np.zeros((3, 0), 'f4'))
    for rank, shape in enumerate([(), (6,), (3, 4), (2, 3, 4), (2, 3, 4, 5), (2, 1, 3, 2, 5), (0, 3), (9, 1)]):
        put(folder, f'fortran-{rank}', np.asfortranarray(random(rng, '>i4', shape)))
    for code in ['M8[s]', 'M8[25ns]', 'M8', 'm8[D]', 'm8', 'U1', 'S1']:
        data = random(rng, 'u4', (5, 3)) % 0xd800 if code == 'U1' else random(rng, 'u1' if code == 'S1' else 'i8', (5, 3))
        for order in ['|'] if code == 'S1' else ['<', '>']:
            wanted = np.dtype(order + code) if code != 'S1' else np.dtype('S1')
            stored = data.astype(data.dtype.newbyteorder(order)).view(wanted)
            put(folder, f'note-{code.replace("[", "-").rstrip("]")}-{"be" if order == ">" else "le"}', stored)
    put(folder, 'large', random(rng, '>u4', (301, 1009)))
    for version in [(1, 0), (2, 0), (3, 0)]:
        put(folder, f'version-{version[0]}', random(rng, '<i2', (4, 4)), save_version(version))

    pair = np.dtype([('x', '<f4'), ('y', '>u2')])
    nested = np.dtype([('a', 'u1'), ('b', [('c', '>f8'), ('d', '?')]), ('e', '<i2', (2, 3)), ('f', 'u1', 2),
                       ('g', '>c8'), ('h', '>f4', (3,)), ('i', 'c16', (2,)), ('j', 'u2', (17,)), ('k', '?', (1,))])
    aligned = np.dtype([('a', 'u1'), ('b', 'f8'), ('c', 'u2')], align=True)
    titled = np.dtype([(('a title', 'a'), 'u1'), ('ß', 'f4')])
    for name, dtype in [('pair', pair), ('nested', nested), ('aligned', aligned), ('titled', titled),
                        ('one', np.dtype([('x', 'f4')]))]:
        array = np.zeros((11, 5), dtype)
        fill(rng, array)
        put(folder, f'structure-{name}', array)
    array = np.zeros((40, 7000), pair)
    fill(rng, array)
    put(folder, 'structure-large', array)

    refused = os.path.join(folder, 'refused-')
    np.save(refused + 'long-complex.npy', np.zeros(3, np.clongdouble))
    np.save(refused + 'string.npy', np.array(['abc', 'd']))
    np.save(refused + 'bytes.npy', np.array([b'abc', b'd']))
    np.save(refused + 'record.npy', np.zeros(3, 'V3'))
    np.save(refused + 'object.npy', np.array([None, 1], object))
    np.save(refused + 'mixed.npy', np.zeros(3, [('a', 'f4'), ('b', 'U4')]))


def fill(rng, array):
    if array.dtype.names is None:
        array[...] = random(rng, array.dtype.newbyteorder('<'), array.shape)
    else:
        for name in array.dtype.names:
            fill(rng, array[name])


def check(folder):
    count = 0
    for file in sorted(os.listdir(folder)):
        if not file.endswith('.npy'):
            continue
        base = os.path.join(folder, file[:-4])
        array = np.load(base + '.npy')
        wanted, shape = open(base + '.txt').read().split()
        code, leaves = describe(array.dtype)
        assert code == wanted, (file, code, wanted)
        assert '[' + ','.join(map(str, array.shape)) + ']' == shape, (file, array.shape, shape)
        for i, leaf in enumerate(leaves):
            assert leaf(array).tobytes() == open(f'{base}.{i}', 'rb').read(), (file, i)
        count += 1
    assert count > 0


if __name__ == '__main__':
    {'make': make, 'check': check}[sys.argv[1]](sys.argv[2])
