#!/usr/bin/python3
# SPDX-License-Identifier: LGPL-2.1-or-later
"""A sheet of thumbnails of all pictures of a folder, whatever their sizes, and a table of what they are like."""

import argparse
import math
import pathlib

import gi
import numpy as np

gi.require_version('Acc', '1')
from gi.repository import Acc  # noqa: E402: the version comes first

SIZE = 64       # rows and columns of a thumbnail


def add(x, y):
    return x + y


def read(path):
    """A picture with three channels of bytes."""
    picture = np.asarray(Acc.open_source(path).run())
    if picture.ndim == 2 or picture.shape[2] < 3:
        picture = np.repeat(picture.reshape(picture.shape[:2] + (-1,))[..., :1], 3, 2)
    return (picture[..., :3] >> 8).astype('u1') if picture.dtype == 'u2' else picture[..., :3]


def thumbnail(picture):
    """The mean of the part behind each pixel: differences of sums from the corner, whatever the size of the part."""
    along_rows = picture.map(lambda x: x.cast('i8')).transpose(1, 2).scanl(0, add)
    sums = along_rows.transpose(0, 2).scanl(0, add)     # [column, channel, row]
    height, width = picture.extent(0), picture.extent(1)

    def mean(row, column, channel):
        top, left = row * height // SIZE, column * width // SIZE
        bottom, right = Acc.max((row + 1) * height // SIZE, top + 1), Acc.max((column + 1) * width // SIZE, left + 1)
        total = sums[right, channel, bottom] - sums[left, channel, bottom] - sums[right, channel, top] + sums[left, channel, top]
        n = (bottom - top) * (right - left)
        return ((2 * total + n) // (2 * n)).cast('u1')

    return Acc.generate((SIZE, SIZE, 3), lambda index: mean(*index))


def statistics(picture):
    """Height, width, the means of red, green and blue, the least and the greatest value."""
    height, width = picture.extent(0), picture.extent(1)
    sums = picture.map(lambda x: x.cast('f8')).transpose(1, 2).transpose(0, 1).fold(0., add).fold(0., add)
    means = sums.map(lambda s: s / (height * width).cast('f8'))
    least, greatest = (picture.fold_all(start, function) for start, function in ((255, Acc.min), (0, Acc.max)))
    ends = Acc.generate(2, lambda k: Acc.cond(k == 0, least[()], greatest[()]).cast('f8'))
    return Acc.generate(2, lambda k: Acc.cond(k == 0, height, width).cast('f8')).concat(means).concat(ends)


def look(pictures):
    """Thumbnails and statistics of a sequence of pictures, each read once."""
    results = [pictures.map(thumbnail).stack(), pictures.map(statistics).stack()]
    return [np.asarray(result) for result in Acc.Backend.get_default().run_many(results, None)]


def sheet(thumbnails, columns):
    rows = math.ceil(len(thumbnails) / columns)
    padded = np.zeros((rows * columns,) + thumbnails.shape[1:], 'u1')
    padded[:len(thumbnails)] = thumbnails
    return padded.reshape(rows, columns, SIZE, SIZE, 3).swapaxes(1, 2).reshape(rows * SIZE, columns * SIZE, 3)


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument('folder', help='a folder with pictures, *.png')
    parser.add_argument('--output', default='thumbnails.png', metavar='FILE', help='a .png (thumbnails.png)')
    parser.add_argument('--columns', type=int, default=8)
    options = parser.parse_args()

    paths = sorted(pathlib.Path(options.folder).glob('*.png'))
    if not paths:
        parser.error(f'{options.folder} has no *.png')
    thumbnails, table = look(Acc.Sequence.from_iterable(lambda: map(read, paths), 'u1', 3))
    Acc.use(sheet(thumbnails, options.columns)).write(Acc.create_sink(options.output))
    print('height  width    red  green   blue  least  most')
    for path, row in zip(paths, table):
        print('{:6.0f} {:6.0f} {:6.1f} {:6.1f} {:6.1f} {:6.0f} {:5.0f}'.format(*row), path.name)


if __name__ == '__main__':
    main()
