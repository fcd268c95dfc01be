#!/usr/bin/python3
# SPDX-License-Identifier: LGPL-2.1-or-later
"""k-means after Lloyd: points to the nearest centre, centres to the middle of their points, until no point changes."""

import argparse

import gi
import numpy as np

gi.require_version('Acc', '1')
from gi.repository import Acc  # noqa: E402: the version comes first


def nearest(points, centres):
    """The number of the nearest centre of each point, the first of several: points [n,d], centres [k,d], both f8."""
    n, k = points.extent(0), centres.extent(0)
    # All distances are a matrix [n,k] that is folded as it is made.
    squares = points.replicate(Acc.ALL, k, Acc.ALL).zip_with(centres.replicate(n, Acc.ALL, Acc.ALL),
                                                             lambda x, c: (x - c) * (x - c))
    distances = squares.fold(0.0, lambda a, b: a + b)
    best = distances.imap(lambda index, square: (square, index[1])).fold1(Acc.min)
    return best.unzip(1)


def middles(points, labels, centres):
    """The middle of the points of each label; a centre that has no points stays."""
    places = points.imap(lambda index, x: (labels[index[0]], index[1]))
    sums = points.permute(centres.map(lambda c: 0.0), places, lambda new, old: new + old)
    none = centres.slice(Acc.ALL, 0).map(lambda c: 0.0)
    counts = labels.map(lambda label: 1.0).permute(none, labels, lambda new, old: new + old)

    def middle(index, total, centre):
        count = counts[index[0]]
        return Acc.cond(count > 0, total / count, centre)

    return sums.izip_with(centres, middle)


def k_means(points, centres, limit=100):
    """Centres, the number of the centre of each point, and how many steps it took."""
    points, centres = Acc.use(points, 'f8'), Acc.use(centres, 'f8')

    def going_on(centres, labels, changed, steps):
        return changed.zip_with(steps, lambda c, s: c & (s < limit))

    def step(centres, labels, changed, steps):
        moved = middles(points, labels, centres)
        found = nearest(points, moved)
        changed = found.zip_with(labels, lambda a, b: a != b).fold(False, lambda a, b: a | b)
        return moved, found, changed, steps.map(lambda s: s + 1)

    state = [centres, nearest(points, centres), Acc.unit(True), Acc.unit(0)]
    centres, labels, _, steps = Acc.Backend.get_default().run_many(list(Acc.while_loop(state, going_on, step)), None)
    return np.asarray(centres), np.asarray(labels), int(steps)


def draw(n, k, seed):
    """Points around k places of the plane, and k of the points to begin with"""
    random = np.random.default_rng(seed)
    points = random.uniform(-10, 10, (k, 2))[random.integers(0, k, n)] + random.normal(0, 1, (n, 2))
    return points, points[random.choice(n, k, replace=False)]


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument('--points', type=int, default=100000)
    parser.add_argument('--clusters', type=int, default=5)
    parser.add_argument('--seed', type=int, default=1)
    options = parser.parse_args()
    if not 1 <= options.clusters <= options.points:
        parser.error('there are at least as many points as clusters, and one')

    points, centres = draw(options.points, options.clusters, options.seed)
    centres, labels, steps = k_means(points, centres)
    print('       x        y   points')
    for number, (x, y) in enumerate(centres):
        print(f'{x:8.3f} {y:8.3f} {(labels == number).sum():8}')
    print(f'{options.points} points, {steps} steps')


if __name__ == '__main__':
    main()
