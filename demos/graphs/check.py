#!/usr/bin/python3
# SPDX-License-Identifier: LGPL-2.1-or-later
"""Graphs against plain loops, and where the answer is plain to see."""

import numpy as np
from graphs import components, draw, page_rank


def components_by_loops(n, edges):
    """Union of sets, the least member in front."""
    above = list(range(n))

    def find(v):
        while above[v] != v:
            v = above[v]
        return v

    for a, b in edges:
        a, b = find(a), find(b)
        above[max(a, b)] = min(a, b)
    return [find(v) for v in range(n)]


def page_rank_by_loops(n, edges, steps=300):
    degrees = np.bincount(edges[:, 0], minlength=n)
    ranks = np.full(n, 1 / n)
    for _ in range(steps):
        received = np.zeros(n)
        for a, b in edges:
            received[b] += ranks[a] / degrees[a]
        ranks = 0.85 * (received + ranks[degrees == 0].sum() / n) + 0.15 / n
    return ranks


# A ring, a path that is numbered from its middle, a star, and a vertex by itself
ring = [(k, (k + 1) % 6) for k in range(6)]
path = [(9, 7), (7, 8), (10, 9), (6, 8)]
star = [(11, k) for k in range(12, 20)]
labels = components(21, ring + path + star)
assert labels.tolist() == [0] * 6 + [6] * 5 + [11] * 9 + [20], labels
assert components(3, np.zeros((0, 2))).tolist() == [0, 1, 2]

# A long path takes steps in the order of its logarithm.
n = 1000
order = np.random.default_rng(7).permutation(n)
assert (components(n, np.stack([order[:-1], order[1:]], 1)) == 0).all()

# On a ring all pages are alike; of two that link to a third, that one is first.
assert np.allclose(page_rank(6, ring), 1 / 6)
ranks = page_rank(3, [(0, 2), (1, 2)])
assert np.allclose(ranks, page_rank_by_loops(3, np.array([(0, 2), (1, 2)]))) and ranks.argmax() == 2, ranks

for n, m, seed in ((1, 1, 0), (10, 5, 1), (50, 30, 2), (300, 400, 3)):
    edges = draw(n, m, seed)
    assert components(n, edges).tolist() == components_by_loops(n, edges.tolist()), (n, m)
    ranks = page_rank(n, edges)
    assert np.allclose(ranks, page_rank_by_loops(n, edges), rtol=1e-6, atol=1e-12) and np.isclose(ranks.sum(), 1), (n, m)

print('all graphs as expected')
