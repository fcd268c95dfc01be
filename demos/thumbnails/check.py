#!/usr/bin/python3
# SPDX-License-Identifier: LGPL-2.1-or-later
"""Thumbnails against NumPy, picture by picture and pixel by pixel."""

import pathlib
import subprocess
import sys
import tempfile

import numpy as np
from thumbnails import SIZE, Acc, look, read, sheet


def by_numpy(picture):
    height, width = picture.shape[:2]
    small = np.zeros((SIZE, SIZE, 3), 'u1')
    for row in range(SIZE):
        top = row * height // SIZE
        bottom = max((row + 1) * height // SIZE, top + 1)
        for column in range(SIZE):
            left = column * width // SIZE
            right = max((column + 1) * width // SIZE, left + 1)
            small[row, column] = np.floor(picture[top:bottom, left:right].mean((0, 1)) + 0.5)
    return small, [height, width, *picture.mean((0, 1)), picture.min(), picture.max()]


def same(thumbnails, table, pictures):
    for small, row, picture in zip(thumbnails, table, pictures):
        want, told = by_numpy(picture)
        assert np.array_equal(small, want), picture.shape
        assert np.allclose(row, told, rtol=1e-12), (row, told)


random = np.random.default_rng(3)
pictures = [random.integers(0, 256, (height, width, 3), 'u1') for height, width in ((SIZE, SIZE), (1, 1), (300, 200), (17, 500), (129, 65))]
pictures.append(np.full((70, 90, 3), (1, 128, 255), 'u1'))
thumbnails, table = look(Acc.Sequence.from_iterable(pictures))
assert thumbnails.shape == (6, SIZE, SIZE, 3) and table.shape == (6, 7)
assert np.array_equal(thumbnails[0], pictures[0])
same(thumbnails, table, pictures)

# A folder, of grey pictures, too, and the sheet that the program writes
with tempfile.TemporaryDirectory() as folder:
    for number, picture in enumerate(pictures[2:]):
        Acc.use(picture).write(Acc.create_sink(pathlib.Path(folder, f'{number}.png')))
    Acc.use(pictures[2][..., 0].copy()).write(Acc.create_sink(pathlib.Path(folder, '9.png')))
    paths = sorted(pathlib.Path(folder).glob('*.png'))
    given = [read(path) for path in paths]
    assert [picture.shape for picture in given] == [picture.shape for picture in pictures[2:] + pictures[2:3]]
    output = str(pathlib.Path(folder, 'out.sheet.png'))
    subprocess.run([sys.executable, pathlib.Path(__file__).with_name('thumbnails.py'), folder, '--output', output, '--columns', '2'], check=True,
                   stdout=subprocess.DEVNULL)
    written = np.asarray(Acc.open_source(output).run())
    assert np.array_equal(written, sheet(np.array([by_numpy(picture)[0] for picture in given]), 2)), written.shape

print('all thumbnails as expected')
