#!/usr/bin/python3
# SPDX-License-Identifier: LGPL-2.1-or-later
"""k-means against NumPy, and where the answer is plain to see."""

import numpy as np
from k_means import draw, k_means


def by_numpy(points, centres, limit=100):
    def nearest(centres):
        return ((points[:, None] - centres[None]) ** 2).sum(2).argmin(1)

    labels = nearest(centres)
    for steps in range(1, limit + 1):
        centres = np.array([points[labels == i].mean(0) if (labels == i).any() else c for i, c in enumerate(centres)])
        before, labels = labels, nearest(centres)
        if (before == labels).all():
            break
    return centres, labels, steps


# Two heaps; the third centre is far from all points and stays.
points = np.array([[0, 0], [0, 1], [1, 0], [1, 1], [10, 10], [11, 10], [10, 11], [11, 11]], 'f8')
centres, labels, steps = k_means(points, [[0, 0], [1, 1], [90, 90]])
assert labels.tolist() == [0, 0, 0, 0, 1, 1, 1, 1], labels
assert centres.tolist() == [[0.5, 0.5], [10.5, 10.5], [90, 90]], centres

for n, k, seed in ((1, 1, 0), (5, 5, 1), (50, 3, 2), (1000, 7, 3), (3000, 16, 4)):
    points, first = draw(n, k, seed)
    for limit in (1, 100):
        got, wanted = k_means(points, first, limit), by_numpy(points, first, limit)
        assert np.allclose(got[0], wanted[0], rtol=0, atol=1e-9), f'{n}, {k}: {got[0]} is not {wanted[0]}'
        assert (got[1] == wanted[1]).all(), f'{n}, {k}: {(got[1] != wanted[1]).sum()} points in other clusters'
        assert got[2] == wanted[2], f'{n}, {k}: {got[2]} steps, not {wanted[2]}'

print('all clusters as expected')
