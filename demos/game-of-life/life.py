#!/usr/bin/python3
# SPDX-License-Identifier: LGPL-2.1-or-later
"""Conway's game of life on a torus: a stencil that wraps around, run once for every generation."""

import argparse

import gi
import numpy as np

gi.require_version('Acc', '1')
from gi.repository import Acc  # noqa: E402: the version comes first

GLIDER = ['.#.',
          '..#',
          '###']


@Acc.program('u1[:,:]')
def generation(board):
    """The next board: 1 where a cell lives, 0 elsewhere."""
    def rule(n):
        around = sum(n) - n.centre
        return Acc.cond(around == 3, 1, Acc.cond(around == 2, n.centre, 0))

    return board.stencil((3, 3), Acc.Boundary.WRAP, rule)


def life(board, generations):
    """The board after so many generations. What a run gives stays where the next one wants it."""
    board = Acc.use(np.asarray(board, 'u1'))
    for _ in range(generations):
        board = generation(board)
    return np.asarray(board)


def place(pattern, height, width, top=0, left=0):
    """A board of dead cells and a pattern, given as rows of . and #"""
    board = np.zeros((height, width), 'u1')
    for y, row in enumerate(pattern):
        for x, cell in enumerate(row):
            board[(top + y) % height, (left + x) % width] = cell == '#'
    return board


def show(board):
    return '\n'.join(''.join('#' if cell else '.' for cell in row) for row in board)


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument('output', nargs='?', metavar='OUTPUT.png', help='a picture of the last board, in place of text')
    parser.add_argument('--height', type=int, default=12)
    parser.add_argument('--width', type=int, default=24)
    parser.add_argument('--generations', type=int, default=40)
    parser.add_argument('--soup', type=int, metavar='SEED', help='begin with cells at random, not with a glider')
    options = parser.parse_args()
    if options.height < 1 or options.width < 1 or options.generations < 0:
        parser.error('the board needs a cell')

    if options.soup is None:
        board = place(GLIDER, options.height, options.width)
    else:
        board = np.random.default_rng(options.soup).integers(0, 2, (options.height, options.width), 'u1')

    last = life(board, options.generations)
    if options.output:
        Acc.use(last * np.uint8(255)).write(Acc.create_sink(options.output))
    else:
        print(show(last))
    print(f'{last.sum()} of {last.size} cells live after {options.generations} generations')


if __name__ == '__main__':
    main()
