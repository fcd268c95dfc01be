#!/usr/bin/python3
# SPDX-License-Identifier: LGPL-2.1-or-later
"""The parts of a graph that hang together, and the ranks of its vertices: loops over lists of neighbours of any length."""

import argparse

import gi
import numpy as np

gi.require_version('Acc', '1')
from gi.repository import Acc  # noqa: E402: the version comes first

DAMPING = 0.85


def add(x, y):
    return x + y


def lists(n, edges):
    """For each of n vertices those that edges lead to: edges [m,2], from and to."""
    edges = np.asarray(edges, 'i8').reshape(-1, 2)
    order = np.argsort(edges[:, 0], kind='stable')
    return Acc.NestedArray.from_lengths(edges[order, 1], np.bincount(edges[:, 0], minlength=n))


def components(n, edges):
    """For each vertex the least one that it hangs together with, whatever way edges lead."""
    edges = np.asarray(edges, 'i8').reshape(-1, 2)
    neighbours = lists(n, np.concatenate([edges, edges[:, ::-1]]))

    def step(labels, changed):
        # The least label around, then the label of that: paths halve in each step.
        least = neighbours.imap(lambda v, row: row.map(lambda w: labels[w]).fold(labels[v[()]], Acc.min)).flatten()
        nearer = least.map(lambda label: least[label])
        return nearer, nearer.zip_with(labels, lambda a, b: a != b).fold(False, lambda a, b: a | b)

    labels, _ = Acc.while_loop([Acc.use(np.arange(n)), Acc.unit(True)], lambda labels, changed: changed, step)
    return np.asarray(labels)


def page_rank(n, edges, tolerance=1e-10):
    """The ranks of pages after Brin and Page; a page without links gives to all."""
    edges = np.asarray(edges, 'i8').reshape(-1, 2)
    incoming, degrees = lists(n, edges[:, ::-1]), Acc.use(np.bincount(edges[:, 0], minlength=n).astype('f8'))

    def step(ranks, change):
        shares = ranks.zip_with(degrees, lambda rank, degree: Acc.cond(degree > 0, rank / degree, 0.))
        spare = ranks.zip_with(degrees, lambda rank, degree: Acc.cond(degree > 0, 0., rank)).fold(0., add)
        received = incoming.map(lambda pages: pages.map(lambda page: shares[page]).fold(0., add)).flatten()
        following = received.map(lambda x: DAMPING * (x + spare[()] / n) + (1 - DAMPING) / n)
        return following, following.zip_with(ranks, lambda a, b: abs(a - b)).fold(0., add)

    first = [Acc.fill(n, 1 / n), Acc.unit(1.)]
    ranks, _ = Acc.while_loop(first, lambda ranks, change: change.map(lambda c: c > tolerance), step)
    return np.asarray(ranks)


def draw(n, m, seed):
    """Edges among vertices, of which the first ones are chosen more often."""
    random = np.random.default_rng(seed)
    return np.stack([random.integers(0, n, m), (n * random.random(m) ** 3).astype('i8')], 1)


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument('edges', nargs='?', metavar='FILE', help='two numbers on each line: from and to')
    parser.add_argument('--vertices', type=int, default=100000, help='without a file, draw so many')
    parser.add_argument('--seed', type=int, default=1)
    options = parser.parse_args()

    if options.edges:
        edges = np.loadtxt(options.edges, 'i8', ndmin=2)
        n = int(edges.max(initial=-1)) + 1
    else:
        n = options.vertices
        edges = draw(n, n, options.seed)
    if n == 0:
        parser.error('there are no vertices')

    sizes = np.bincount(components(n, edges), minlength=n)
    print(f'{n} vertices, {len(edges)} edges, {(sizes > 0).sum()} parts, the largest of {sizes.max(initial=0)}')
    ranks = page_rank(n, edges)
    for page in np.argsort(-ranks, kind='stable')[:5]:
        print(f'{page:8} {ranks[page]:.6f}')


if __name__ == '__main__':
    main()
