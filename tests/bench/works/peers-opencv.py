# SPDX-License-Identifier: LGPL-2.1-or-later
import contender

np = contender.library('numpy')
cv2 = contender.library('cv2')
cv2.setNumThreads(contender.threads)


@contender.work('histogram-u1')
def histogram_u1(n):
    # Rows, for OpenCV's threads to share.
    side = next(width for width in (4096, 1000, 1) if n % width == 0)
    return contender.array(lambda keys: cv2.calcHist([keys], [0], None, [256], [0, 256]), contender.bytes_(n, 1).reshape(-1, side))


@contender.work('transpose')
def transpose(side):
    a, c = contender.floats(side * side, 1).reshape(side, side), np.empty((side, side), np.float32)
    return lambda: cv2.transpose(a, c), lambda: contender.digest(c)


import opencv_pictures  # noqa: E402, F401: registers its works

contender.main()
