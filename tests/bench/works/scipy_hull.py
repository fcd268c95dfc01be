# SPDX-License-Identifier: LGPL-2.1-or-later
from scipy.spatial import ConvexHull

import contender
import inputs


@contender.work('quickhull')
def quickhull(n):
    points = inputs.disc(n).astype('f8')
    return contender.number(lambda: ConvexHull(points).volume)      # which is the area of what is flat
