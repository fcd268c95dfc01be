# SPDX-License-Identifier: LGPL-2.1-or-later
"""Gaussian 5x5 and Sobel |gx| + |gy| on an 8-bit picture with OpenCV, as its users write it. Run beside bench-picture,
in a virtual environment that has opencv-python-headless."""

import statistics
import sys
import time

import cv2
import numpy as np

side = int(sys.argv[1]) if len(sys.argv) > 1 else 8192
cv2.setNumThreads(2)
picture = np.random.default_rng(1).integers(0, 256, (side, side), dtype='u1')
blurred, gx, gy = np.empty_like(picture), np.empty((side, side), 'i2'), np.empty((side, side), 'i2')
times = []
for _ in range(10):
    start = time.perf_counter()
    cv2.GaussianBlur(picture, (5, 5), 0, dst=blurred)
    cv2.Sobel(blurred, cv2.CV_16S, 1, 0, dst=gx)
    cv2.Sobel(blurred, cv2.CV_16S, 0, 1, dst=gy)
    edges = cv2.add(cv2.convertScaleAbs(gx), cv2.convertScaleAbs(gy))
    times.append(time.perf_counter() - start)
print(f'OpenCV {cv2.__version__}: {statistics.median(times[1:]) * 1e3:.2f} ms')
