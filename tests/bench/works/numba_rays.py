# SPDX-License-Identifier: LGPL-2.1-or-later
"""The picture of demos/ray-tracer, pixel by pixel."""

import math

import numba
import numpy as np

import contender

f4 = np.float32
SPHERES = np.array([
    (-1.6, 1.0, 4.6, 1.0, 0.9, 0.2, 0.2, 0.3),
    (0.6, 0.7, 3.4, 0.7, 0.2, 0.6, 0.3, 0.2),
    (1.9, 1.3, 5.6, 1.3, 0.9, 0.9, 0.9, 0.8),
    (-0.5, 0.35, 2.6, 0.35, 0.2, 0.3, 0.9, 0.1),
    (-0.2, 2.6, 6.5, 0.9, 0.9, 0.7, 0.2, 0.5),
], f4)
EYE, LAMP = (f4(0.13), f4(1.57), f4(-2.03)), (f4(-5), f4(8), f4(-3))
HORIZON, ZENITH = (f4(0.9), f4(0.95), f4(1)), (f4(0.3), f4(0.5), f4(0.9))
LIGHT_FLOOR, DARK_FLOOR = (f4(0.85), f4(0.85), f4(0.8)), (f4(0.25), f4(0.25), f4(0.3))
FLOOR_MIRROR, ZOOM, AMBIENT, REFLECTIONS = f4(0.15), f4(1.4), f4(0.15), 3
NEAR, FAR = f4(1e-3), f4(50)

inner = numba.njit(fastmath=True, inline='always')


@inner
def dot(a, b):
    return a[0] * b[0] + a[1] * b[1] + a[2] * b[2]


@inner
def sub(a, b):
    return a[0] - b[0], a[1] - b[1], a[2] - b[2]


@inner
def plus_scaled(a, b, factor):
    return a[0] + b[0] * factor, a[1] + b[1] * factor, a[2] + b[2] * factor


@inner
def times(a, factor):
    return a[0] * factor, a[1] * factor, a[2] * factor


@numba.njit(fastmath=True)
def nearest(spheres, origin, direction):
    distance, number = FAR, -1
    for i in range(len(spheres)):
        from_centre = sub(origin, (spheres[i, 0], spheres[i, 1], spheres[i, 2]))
        along = dot(from_centre, direction)
        inside = along * along - dot(from_centre, from_centre) + spheres[i, 3] * spheres[i, 3]
        if inside > 0:
            reached = -along - math.sqrt(inside)
            if NEAR < reached < distance:
                distance, number = reached, i
    return distance, number


@numba.njit(fastmath=True)
def colour_of_pixel(spheres, direction):
    origin, weight, colour = EYE, f4(1), (f4(0), f4(0), f4(0))
    for _ in range(REFLECTIONS + 1):
        distance, number = nearest(spheres, origin, direction)
        to_floor = origin[1] / -direction[1] if direction[1] < -NEAR else FAR
        is_sphere = distance < to_floor
        distance = min(distance, to_floor)
        if not distance < FAR:
            up = max(direction[1], f4(0))
            return plus_scaled(plus_scaled(colour, HORIZON, (f4(1) - up) * weight), ZENITH, up * weight)
        point = plus_scaled(origin, direction, distance)
        if is_sphere:
            s = spheres[number]
            normal = times(sub(point, (s[0], s[1], s[2])), f4(1) / s[3])
            own, mirror = (s[4], s[5], s[6]), s[7]
        else:
            normal, mirror = (f4(0), f4(1), f4(0)), FLOOR_MIRROR
            own = LIGHT_FLOOR if (int(math.floor(point[0])) + int(math.floor(point[2]))) % 2 == 0 else DARK_FLOOR
        to_lamp = sub(LAMP, point)
        square = dot(to_lamp, to_lamp)
        towards = times(to_lamp, f4(1) / math.sqrt(square))
        shadow, _ = nearest(spheres, point, towards)
        light = AMBIENT
        if shadow * shadow > square:
            light += (f4(1) - AMBIENT) * max(dot(normal, towards), f4(0))
        colour = plus_scaled(colour, own, light * weight * (f4(1) - mirror))
        direction = plus_scaled(direction, normal, f4(-2) * dot(normal, direction))
        origin, weight = point, weight * mirror
    return colour


@numba.njit(parallel=True, fastmath=True)
def draw(spheres, out):
    height, width = out.shape[:2]
    for first in numba.prange(64):
        for y in range(first, height, 64):
            for x in range(width):
                ray = f4(x + 0.5 - width / 2) / f4(height), f4(height / 2 - y - 0.5) / f4(height), ZOOM
                colour = colour_of_pixel(spheres, times(ray, f4(1) / math.sqrt(dot(ray, ray))))
                for c in range(3):
                    out[y, x, c] = np.uint8(round(min(colour[c], f4(1)) * f4(255)))


@contender.work('ray-tracer')
def ray_tracer(height):
    out = np.empty((height, height * 3 // 2, 3), np.uint8)
    return lambda: draw(SPHERES, out), lambda: contender.digest(out)
