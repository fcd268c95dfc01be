# SPDX-License-Identifier: LGPL-2.1-or-later
import cv2
import numpy as np

import contender
import inputs


@contender.work('gauss')
def gauss(side):
    picture, out = inputs.picture(side), np.empty((side, side), np.uint8)
    # Of 5 taps and no deviation OpenCV makes 1, 4, 6, 4, 1.
    return lambda: cv2.GaussianBlur(picture, (5, 5), 0, out, borderType=cv2.BORDER_REPLICATE), lambda: contender.digest(out)


@contender.work('sobel')
def sobel(side):
    picture, out = inputs.picture(side), np.empty((side, side), np.uint8)
    dx, dy = (np.empty((side, side), np.int16) for _ in range(2))
    ax, ay = (np.empty((side, side), np.uint8) for _ in range(2))

    def run():
        cv2.spatialGradient(picture, dx, dy, 3, cv2.BORDER_REPLICATE)
        cv2.convertScaleAbs(dx, ax)
        cv2.convertScaleAbs(dy, ay)
        cv2.add(ax, ay, out)

    return run, lambda: contender.digest(out)


@contender.work('edges')
def edges(side):
    picture, blurred, out = inputs.picture(side), np.empty((side, side), np.uint8), np.empty((side, side), np.uint8)
    low, high = (part * inputs.LARGEST_GRADIENT for part in (inputs.EDGES_LOW, inputs.EDGES_HIGH))

    def run():
        cv2.GaussianBlur(picture, (5, 5), 0, blurred, borderType=cv2.BORDER_REPLICATE)
        cv2.Canny(blurred, low, high, out, 3, True)

    return run, lambda: contender.digest(out)


@contender.work('label')
def label(side):
    speckles, out = inputs.speckles(side), np.empty((side, side), np.int32)
    return lambda: cv2.connectedComponents(speckles, out, connectivity=4), lambda: contender.digest(out)
