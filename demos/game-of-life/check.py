#!/usr/bin/python3
# SPDX-License-Identifier: LGPL-2.1-or-later
"""The game of life against patterns whose fate is known, and against NumPy."""

import numpy as np
from life import GLIDER, life, place

STILL = {
    'block': ['##', '##'],
    'beehive': ['.##.', '#..#', '.##.'],
    'loaf': ['.##.', '#..#', '.#.#', '..#.'],
    'boat': ['##.', '#.#', '.#.'],
    'tub': ['.#.', '#.#', '.#.'],
}
# Pattern and period
OSCILLATORS = {
    'blinker': (['###'], 2),
    'toad': (['.###', '###.'], 2),
    'pulsar': (['..###...###..', '.............', '#....#.#....#', '#....#.#....#', '#....#.#....#', '..###...###..',
                '.............',
                '..###...###..', '#....#.#....#', '#....#.#....#', '#....#.#....#', '.............', '..###...###..'], 3),
}


def by_numpy(board, generations):
    for _ in range(generations):
        around = sum(np.roll(board, (dy, dx), (0, 1)) for dy in (-1, 0, 1) for dx in (-1, 0, 1) if dy or dx)
        board = ((around == 3) | ((around == 2) & (board == 1))).astype('u1')
    return board


def same(name, got, wanted):
    assert got.dtype == np.uint8 and got.shape == wanted.shape, f'{name}: {got.dtype}{got.shape}'
    assert (got == wanted).all(), f'{name}: {(got != wanted).sum()} of {got.size} cells differ'


for name, pattern in STILL.items():
    # Across the corner, too: the board has no edge.
    for top, left in ((2, 3), (-1, -2)):
        board = place(pattern, 9, 11, top, left)
        same(name, life(board, 1), board)
        same(name, life(board, 10), board)

for name, (pattern, period) in OSCILLATORS.items():
    board = place(pattern, 17, 19, 2, 3)
    same(name, life(board, period), board)
    for generations in range(1, period):
        assert (life(board, generations) != board).any(), f'{name} stands still'

# A glider moves one cell down and one to the right in four generations, around the torus.
for steps in (1, 2, 7, 9, 30):
    same('glider', life(place(GLIDER, 8, 13), 4 * steps), place(GLIDER, 8, 13, steps, steps))

# Boards so small that a cell is its own neighbour, once or several times, and larger ones
random = np.random.default_rng(7)
for height, width in ((1, 1), (1, 2), (2, 1), (2, 2), (1, 9), (9, 1), (3, 2), (5, 64), (61, 67), (200, 300), (0, 5), (5, 0)):
    board = random.integers(0, 2, (height, width), 'u1')
    for generations in (0, 1, 20):
        same(f'{height} × {width}', life(board, generations), by_numpy(board, generations))

print('all boards as expected')
